/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl fabric scan --diff: what differs from the scan in a file. */
#include "fabric/diff/diff.h"

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/fabric/fabric_run.h"

/* What did not answer just now is in the problems; of the file only that there was something. */
static void note_incomplete(struct fabric_run *run)
{
	struct problems *problems = &run->session.listing.problems;
	_cleanup_(freep) char *message = NULL;

	if (run->before.failure_count || run->before.interrupted)
		message = mem_format("the scan in %s is not complete", run->args->diff);
	else if (!problems->count)
		message = mem_string("one of the scans did not see all that the other one did");
	if (message)
		problem_add_text(problems, NULL, NULL, NULL, message, NULL);
}

int fabric_diff_command(const struct ctx *ctx, const struct fabric_args *args)
{
	struct fabric_changes changes = {.items = NULL};
	struct fabric_run run;
	int status;

	if (fabric_run_begin(&run, ctx, args, &fabric_changes_schema)) {
		const struct fabric_view before = {.fabric = &run.before, .names = &run.names};
		struct listing *listing = &run.session.listing;

		fabric_compare(&before, &run.view, &changes);
		for (size_t i = 0; i < changes.count; i++)
			listing_add(listing, &changes.items[i]);
		if (changes.incomplete)
			note_incomplete(&run);
		if (changes.changed && listing->status == STATUS_DONE)
			listing->status = STATUS_FAULT;
	}
	status = fabric_run_end(&run);
	fabric_changes_clear(&changes);
	return status;
}
