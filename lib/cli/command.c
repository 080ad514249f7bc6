/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cli/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

static const struct enum_name color_choices[] = {
	{COLOR_AUTO, "auto"},
	{COLOR_ALWAYS, "always"},
	{COLOR_NEVER, "never"},
	{0, NULL},
};

const struct option_row global_options[] = {
	FLAG_OPTION(struct globals, json, 'j', "json", "print one JSON document"),
	FLAG_OPTION(struct globals, jsonl, 0, "jsonl", "print one JSON object a line"),
	FLAG_OPTION(struct globals, tsv, 0, "tsv", "print tab separated values"),
	STRING_OPTION(struct globals, columns, 'o', "columns", "LIST", COMPLETE_COLUMN,
		      "show these columns (+NAME adds, -NAME drops, all)"),
	FLAG_OPTION(struct globals, no_headings, 0, "no-headings", "print no headings"),
	FLAG_OPTION(struct globals, verbose, 'v', "verbose",
		    "tell which source gave way to which, on standard error"),
	FLAG_OPTION(struct globals, quiet, 'q', "quiet", "print errors without the next step"),
	CHOICE_OPTION(struct globals, color, 0, "color", "WHEN", color_choices,
		      "colour states: auto, always or never"),
	STRING_OPTION(struct globals, root, 0, "root", "DIR", COMPLETE_FILE,
		      "read a saved tree in place of the live system"),
	DURATION_OPTION(struct globals, timeout, 0, "timeout", "TIME",
			"give up after this long (500ms, 2s, 1m)"),
	FLAG_OPTION(struct globals, help, 'h', "help", "print help and exit"),
	FLAG_OPTION(struct globals, version, 'V', "version", "print the version and exit"),
};

const size_t global_option_count = ARRAY_SIZE(global_options);

const struct command *command_find(const struct ctx *ctx, const char *name)
{
	for (size_t i = 0; i < ctx->command_count; i++)
		if (!strcmp(ctx->commands[i]->name, name))
			return ctx->commands[i];
	return NULL;
}

const char *command_closest(const struct ctx *ctx, const char *name)
{
	const char **names = mem_alloc_zero(ctx->command_count, sizeof(*names));
	size_t count = 0;
	const char *closest;

	for (size_t i = 0; i < ctx->command_count; i++)
		if (ctx->commands[i]->group != GROUP_HIDDEN)
			names[count++] = ctx->commands[i]->name;
	closest = text_closest(name, names, count);
	free(names);
	return closest;
}

void command_option_sets(const struct command *command, struct globals *globals, void *args,
			 struct option_set sets[static 2])
{
	sets[0] = (struct option_set){global_options, global_option_count, globals};
	sets[1] = (struct option_set){command->options, command->option_count, args};
}

void command_complain(const struct ctx *ctx, const char *message, const char *hint)
{
	const char *name = ctx->command ? ctx->command->name : NULL;

	fprintf(stderr, "rdmactl%s%s: %s\n", name ? " " : "", name ? name : "", message);
	if (hint && !ctx->globals.quiet)
		fprintf(stderr, "  %s\n", hint);
}
