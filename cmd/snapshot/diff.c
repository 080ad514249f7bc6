/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl diff: what differs between two snapshots, or between one and the live host. */
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/listing.h"
#include "cmd/snapshot/diff_side.h"

/* A list that only one side has cannot be compared. */
static void note_missing(struct listing *listing, const struct side *side, enum side_kind kind)
{
	_cleanup_(freep) char *name = text_clean(side->name, strlen(side->name));
	_cleanup_(freep) char *text = mem_format("%s is not known there: not compared",
						 side_kinds[kind].name);

	problem_add_text(&listing->problems, name, NULL, NULL, text, NULL);
}

static struct diff_rows rows_of(const struct side *side, enum side_kind kind)
{
	return (struct diff_rows){
		.rows = side->lists[kind].rows,
		.count = side->lists[kind].count,
		.problems = &side->problems,
		.answers = side->inventory.answers,
	};
}

static void compare(struct listing *listing, const struct side sides[DIFF_SIDES], struct diff *diff)
{
	const char *const names[DIFF_SIDES] = {sides[DIFF_BEFORE].name, sides[DIFF_AFTER].name};

	for (size_t i = 0; i < SIDE_KINDS; i++) {
		const bool before = sides[DIFF_BEFORE].lists[i].known;
		const bool after = sides[DIFF_AFTER].lists[i].known;
		const struct diff_rows rows[DIFF_SIDES] = {rows_of(&sides[DIFF_BEFORE], i),
							   rows_of(&sides[DIFF_AFTER], i)};

		if (before && after)
			diff_compare(diff, &side_kinds[i], &rows[DIFF_BEFORE], &rows[DIFF_AFTER]);
		else if (before != after)
			note_missing(listing, &sides[before ? DIFF_AFTER : DIFF_BEFORE], i);
	}
	diff_note_unknowns(diff, names, &listing->problems);
}

static bool open_side(struct listing *listing, struct side *side, const char *path)
{
	_cleanup_(freep) char *message = NULL, *hint = NULL;

	if (!side_open(side, path, &message, &hint))
		return true;
	return listing_fail(listing, STATUS_FAILED, message, hint);
}

static bool has_root(struct listing *listing)
{
	if (listing->ctx->globals.root)
		listing_fail(listing, STATUS_USAGE,
			     "it takes snapshots as arguments, not from --root or RDMACTL_ROOT",
			     "without --root and RDMACTL_ROOT, rdmactl diff BEFORE AFTER compares "
			     "two of them");
	return listing->ctx->globals.root;
}

static int run(const struct ctx *ctx, const void *args, char **words)
{
	struct side sides[DIFF_SIDES] = {{.snapshot = SNAPSHOT_NONE}, {.snapshot = SNAPSHOT_NONE}};
	struct diff diff = {.count = 0};
	struct listing listing;
	int status;

	(void)args;
	if (listing_begin_as(&listing, ctx, &differences_schema, false) && !has_root(&listing) &&
	    open_side(&listing, &sides[DIFF_BEFORE], words[0]) &&
	    open_side(&listing, &sides[DIFF_AFTER], words[1]))
		compare(&listing, sides, &diff);
	for (size_t i = 0; i < diff.count; i++)
		listing_add(&listing, &diff.items[i]);
	if (diff.count && listing.status == STATUS_DONE)
		listing.status = STATUS_FAULT;
	status = listing_end(&listing);
	diff_clear(&diff);
	side_close(&sides[DIFF_AFTER]);
	side_close(&sides[DIFF_BEFORE]);
	return status;
}

const struct command diff_command = {
	.name = "diff",
	.group = GROUP_LIVE,
	.summary = "compare two snapshots, or a snapshot with this host",
	.objects = "BEFORE [AFTER]",
	.object_completion = COMPLETE_FILE,
	.least_objects = 1,
	.most_objects = 2,
	.schema = &differences_schema,
	.run = run,
};
