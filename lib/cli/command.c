/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cli/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
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

bool command_form_find(const struct command *command, const char *word,
		       struct command_form *ret_form)
{
	struct command_form form;

	for (size_t i = 0; command->form && command->form(i, &form); i++) {
		if (strcmp(form.word, word) && !(form.alias && !strcmp(form.alias, word)))
			continue;
		*ret_form = form;
		return true;
	}
	return false;
}

/* As they come: forms may share one. */
static const struct schema *any_schema(const struct command *command, size_t number)
{
	struct command_form form;

	if (command->schema && !number--)
		return command->schema;
	for (size_t i = 0; command->more_schemas && command->more_schemas[i]; i++)
		if (!number--)
			return command->more_schemas[i];
	return command->form && command->form(number, &form) ? form.schema : NULL;
}

const struct schema *command_schema(const struct command *command, size_t number)
{
	const struct schema *schema;

	for (size_t i = 0; (schema = any_schema(command, i)); i++) {
		bool seen = false;

		for (size_t j = 0; j < i && !seen; j++)
			seen = any_schema(command, j) == schema;
		if (!seen && !number--)
			return schema;
	}
	return NULL;
}

int command_complain_form(const struct ctx *ctx, const char *word)
{
	const char **words = NULL;
	size_t count = 0;
	_cleanup_(freep) char *clean = text_clean(word, strlen(word));
	_cleanup_(freep) char *message = mem_format("there is no '%s' to ask for", clean);
	_cleanup_(freep) char *hint = NULL;
	struct command_form form;
	const char *closest;

	while (ctx->command->form(count, &form))
		*(const char **)mem_append(&words, &count, sizeof(*words)) = form.word;
	closest = text_closest(word, words, count);
	free(words);
	hint = closest ? mem_format("did you mean '%s'?", closest)
		       : mem_format("rdmactl %s --help lists the words", ctx->command->name);
	command_complain(ctx, message, hint);
	return STATUS_USAGE;
}
