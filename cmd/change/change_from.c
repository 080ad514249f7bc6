/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmactl change: makes several changes as one, from a file with one change per line, in the words
 * of the commands. Each line is planned as its command would do it, into its own plan; the changes
 * of all plans are then combined into one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "change/device/device.h"
#include "cli/words.h"
#include "cmd/change/change_run.h"

enum { MOST_BYTES = 65536, MOST_LINES = 1024 };

struct from_args {
	struct change_args common;
	const char *from;
};

/* A line that is being planned. */
struct line {
	const char *file;
	unsigned int number;
	struct change_plan *plan; /* plan of the line */
	struct change_plan *all;
	struct command child;
	struct ctx ctx;
};

/* Reports a problem of the line, with the next step if there is one. */
static void fail_line(struct line *line, int status, const char *text, const char *hint)
{
	listing_fail_format(&line->all->listing, status, hint, "%s:%u: %s", line->file,
			    line->number, text);
}

/* Finds the command in the first one or two words; returns how many it takes, or -EINVAL. */
static int find_command(struct line *line, char **words)
{
	const struct command *command = command_find(&line->ctx, words[0]);
	int used = 1;

	if (command && command_has_children(command) && words[1] &&
	    command_find_child(command, words[1], &line->child)) {
		line->ctx.parent = command;
		command = &line->child;
		used = 2;
	}
	if (command && command->run == change_run) {
		line->ctx.command = command;
		return used;
	}
	fail_line(line, STATUS_USAGE, "this command does not change a setting",
		  "write each line as on the command line: dev set mlx5_0 name rdma0");
	return -EINVAL;
}

/* Parses the words after the command, and has it add its changes to the plan of the line. */
static bool plan_words(struct line *line, int argc, char **argv)
{
	const struct command *command = line->ctx.command;
	_cleanup_(freep) void *args = mem_alloc_zero(1, command->args_size);
	_cleanup_(freep) char *message = NULL, *hint = NULL;
	struct option_set sets[COMMAND_TABLES + 1];
	const struct changer *changer = command->data;
	size_t count = 0;
	int first;

	/* Some options apply to all lines. */
	for (size_t i = 0; command->options[i]; i++)
		if (command->options[i] != change_options)
			sets[count++] = (struct option_set){command->options[i], args};
	first = options_parse(argc, argv, sets, count, false, &message, &hint);
	if (first >= 0)
		message = command_check_objects(command, argc - first, argv + first);
	if (first < 0 || message ||
	    command_check_options(&line->ctx, sets, count, &message, &hint)) {
		fail_line(line, STATUS_USAGE, message, hint);
		return false;
	}
	if (listing_begin_as(&line->plan->listing, &line->ctx, &change_schema, false) &&
	    changer->plan(line->plan, args, argv + first))
		return true;
	for_each (problem, &line->plan->listing.problems) {
		_cleanup_(freep) char *text = problem_line(problem);

		fail_line(line, line->plan->listing.status, text, problem->hint);
	}
	return false;
}

static bool plan_line(struct line *line, struct strings *words)
{
	/*
	 * Like the argv of main(): options_parse() takes the words after the first, and reorders
	 * them.
	 */
	_cleanup_(freep) char **argv = mem_alloc_zero(words->count + 1, sizeof(*argv));
	const size_t skip = words->count > 1 && !strcmp(words->items[0], "rdmactl");
	int used;

	for (size_t i = skip; i < words->count; i++)
		argv[i - skip] = words->items[i];
	used = find_command(line, argv);
	return used > 0 && plan_words(line, (int)(words->count - skip) - used + 1, argv + used - 1);
}

/* Whether the last change sets what an earlier one sets: to the same value, or else it fails. */
static bool is_repeated(struct line *line, bool *ret_good)
{
	struct changes *changes = &line->all->changes;
	const struct change *last = &changes->items[changes->count - 1];
	const struct change *earlier = changes_find_earlier(changes, last);
	_cleanup_(freep) char *text = NULL;

	if (!earlier || !strcmp(earlier->wanted, last->wanted))
		return earlier;
	text = mem_format("%s%s%s is set to %s here, and to %s in line %u",
			  last->object ? last->object : "", last->object ? " " : "",
			  last->setting->keyword.word, last->wanted, earlier->wanted,
			  line->all->line_numbers[earlier - changes->items]);
	fail_line(line, STATUS_USAGE, text, "give it once, with one value");
	*ret_good = false;
	return true;
}

/*
 * Moves the changes to the overall plan; their host remains the line's, based on the overall one.
 * False: one contradicts an earlier line.
 */
static bool take_changes(struct line *line)
{
	struct change_plan *all = line->all, *plan = line->plan;
	bool good = true;

	for (size_t i = 0; i < plan->changes.count; i++) {
		size_t count = all->changes.count;

		MEM_ADD(all->line_numbers, count) = line->number;
		MEM_ADD(all->changes.items, all->changes.count) = plan->changes.items[i];
		if (is_repeated(line, &good))
			changes_drop_last(&all->changes);
	}
	free(plan->changes.items);
	plan->changes = (struct changes){.items = NULL};
	return good;
}

/* Plans one line of the text; an empty line adds nothing. */
static bool add_line(struct change_plan *all, struct change_plan *plan, const char *text,
		     size_t length, unsigned int number)
{
	struct line line = {.file = all->file,
			    .number = number,
			    .plan = plan,
			    .all = all,
			    .ctx = *all->listing.ctx};
	_cleanup_(freep) char *message = NULL;
	_cleanup_(strings_free) struct strings words = {0};
	bool good = true;

	line.ctx.parent = NULL;
	/* With separate sockets for each line, the process would run out of descriptors. */
	plan->host.base = &all->host;
	if (words_split(text, length, &words, &message)) {
		fail_line(&line, STATUS_USAGE, message, NULL);
		good = false;
	} else if (words.count) {
		good = plan_line(&line, &words);
	}
	return good && take_changes(&line);
}

static size_t count_lines(const char *text, size_t length)
{
	size_t count = 1;

	for (size_t i = 0; i < length; i++)
		count += text[i] == '\n';
	return count;
}

/* Plans all lines even after an error, so that all errors are reported at once. */
static bool add_lines(struct change_plan *all, const char *text, size_t length)
{
	const char *const end = text + length;
	unsigned int number = 0;
	bool good = true;

	all->line_count = count_lines(text, length);
	if (all->line_count > MOST_LINES) {
		listing_fail_format(&all->listing, STATUS_USAGE, NULL, "%s has more than %d lines",
				    all->file, MOST_LINES);
		all->line_count = 0;
		return false;
	}
	all->lines = mem_alloc_zero(all->line_count, sizeof(*all->lines));
	for (const char *line = text; line <= end; number++) {
		const char *newline = line < end ? memchr(line, '\n', (size_t)(end - line)) : NULL;
		const size_t size = (size_t)((newline ? newline : end) - line);

		good &= add_line(all, &all->lines[number], line, size, number + 1);
		line += size + 1;
	}
	return good;
}

static bool plan_file(struct change_plan *plan, const void *args, char **words)
{
	const char *path = ((const struct from_args *)args)->from;
	_cleanup_(freep) char *text = NULL;
	const bool input = path && !strcmp(path, "-");
	size_t length;
	int rc;

	(void)words;
	if (!path)
		return listing_fail(&plan->listing, STATUS_USAGE, "which changes? --from FILE",
				    "each line of the file is a change: dev set mlx5_0 name rdma0");
	plan->file = input ? mem_string("standard input") : text_clean(path, strlen(path));
	rc = file_read(path, MOST_BYTES, &text, &length);
	if (rc)
		return listing_fail_format(&plan->listing, STATUS_FAILED, NULL,
					   "cannot read %s: %s", plan->file, strerror(-rc));
	/* The newline that ends the last line does not start another one. */
	length -= length && text[length - 1] == '\n';
	if (!add_lines(plan, text, length))
		return false;
	device_follow_names(&plan->changes);
	if (plan->changes.count)
		return true;
	return listing_fail_format(&plan->listing, STATUS_USAGE, NULL, "%s has no changes",
				   plan->file);
}

static const struct option_row from_options[] = {
	STRING_OPTION(struct from_args, from, 0, "from", "FILE", COMPLETE_FILE,
		      "apply the changes in this file, one per line (-: standard input)"),
	{.name = NULL},
};

/* Not change_run() itself, which would make it a command that a line may have: find_command(). */
static int run(const struct ctx *ctx, const void *args, char **words)
{
	return change_run(ctx, args, words);
}

const struct command change_command = {
	.name = "change",
	.group = GROUP_CHANGE,
	.summary = "apply several changes as a unit: all or none",
	.options = {from_options, change_options},
	.args_size = sizeof(struct from_args),
	.schema = &change_schema,
	.data = &(const struct changer){.plan = plan_file},
	.run = run,
};
