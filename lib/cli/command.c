/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cli/command.h"

#include <errno.h>
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
	FLAG_OPTION(struct globals, jsonl, 0, "jsonl", "print one JSON object per line"),
	FLAG_OPTION(struct globals, tsv, 0, "tsv", "print tab-separated values"),
	STRING_OPTION(struct globals, columns, 'o', "columns", "LIST", COMPLETE_COLUMN,
		      "show these columns (+NAME adds, -NAME drops, all shows all)"),
	FLAG_OPTION(struct globals, no_headings, 0, "no-headings", "print no headings"),
	FLAG_OPTION(struct globals, verbose, 'v', "verbose",
		    "report each problem on a line of its own, and replaced sources"),
	FLAG_OPTION(struct globals, quiet, 'q', "quiet", "omit the next step from error messages"),
	CHOICE_OPTION(struct globals, color, 0, "color", "WHEN", color_choices,
		      "colour states: auto, always or never"),
	STRING_OPTION(struct globals, root, 0, "root", "DIR", COMPLETE_ROOT,
		      "read a saved tree instead of the live system"),
	DURATION_OPTION(struct globals, timeout, 0, "timeout", "TIME",
			"give up after this long (500ms, 2s, 1m)"),
	FLAG_OPTION(struct globals, help, 'h', "help", "print help and exit"),
	FLAG_OPTION(struct globals, version, 'V', "version", "print the version and exit"),
	{.name = NULL},
};

static const struct option_rule global_rules[] = {
	OPTIONS_ONE_OF("json jsonl tsv", NULL),
	{.options = NULL},
};

const struct command *command_find(const struct ctx *ctx, const char *name)
{
	for (size_t i = 0; i < ctx->command_count; i++)
		if (!strcmp(ctx->commands[i]->name, name))
			return ctx->commands[i];
	return NULL;
}

const char *command_instead(const struct ctx *ctx, const char *word)
{
	for (const struct older_tool *tool = ctx->older_tools; tool && tool->name; tool++)
		if (!strcmp(tool->name, word))
			return tool->instead;
	return NULL;
}

/* Whether one of the words is the plural of the other, as with port and ports. */
static bool is_plural(const char *word, const char *other)
{
	const size_t length = strlen(word), its = strlen(other);
	const size_t shorter = length < its ? length : its;

	return shorter && length + its == 2 * shorter + 1 && !strncmp(word, other, shorter) &&
	       (length < its ? other : word)[shorter] == 's';
}

/*
 * Lists the subcommands called `word`, as 'fabric nodes' or 'sa nodes', after the command that
 * differs only in number; NULL if there is no such subcommand. To be freed.
 */
static char *list_subcommands(const struct ctx *ctx, const char *word, const char *const *names,
			      size_t count)
{
	char *list = NULL, *all = NULL;
	struct command child;

	for (size_t i = 0; i < ctx->command_count; i++)
		for (size_t j = 0; command_child(ctx->commands[i], j, &child); j++)
			if (!strcmp(child.name, word))
				mem_extend(&list, "%s'%s %s'", list ? " or " : "",
					   ctx->commands[i]->name, word);
	for (size_t i = 0; list && !all && i < count; i++)
		if (is_plural(word, names[i]))
			all = mem_format("'%s' or %s", names[i], list);
	if (!all)
		return list;
	free(list);
	return all;
}

char *command_unknown(const struct ctx *ctx, const char *word, char **ret_hint)
{
	_cleanup_(freep) const char **names = mem_alloc_zero(ctx->command_count, sizeof(*names));
	_cleanup_(freep) char *clean = text_clean(word, strlen(word));
	_cleanup_(freep) char *subcommands = NULL;
	const char *instead = command_instead(ctx, word);
	size_t count = 0;

	for (size_t i = 0; i < ctx->command_count; i++)
		if (ctx->commands[i]->group != GROUP_HIDDEN)
			names[count++] = ctx->commands[i]->name;
	subcommands = list_subcommands(ctx, word, names, count);
	if (instead)
		*ret_hint = mem_string(instead);
	else if (subcommands)
		*ret_hint = mem_format("did you mean %s?", subcommands);
	else
		*ret_hint = text_suggest(word, names, count, "rdmactl help lists the commands");
	return mem_format("unknown command '%s'", clean);
}

size_t command_option_sets(const struct command *command, struct globals *globals, void *args,
			   struct option_set sets[static COMMAND_TABLES + 1])
{
	size_t count = 0;

	sets[count++] = (struct option_set){global_options, globals};
	for (size_t i = 0; command->options[i]; i++)
		sets[count++] = (struct option_set){command->options[i], args};
	return count;
}

/* A command that prints no records prints its text in one form only. */
static int check_form(const struct ctx *ctx, char **ret_message)
{
	const struct globals *globals = &ctx->globals;
	const char *option = globals->json	    ? "json"
			     : globals->jsonl	    ? "jsonl"
			     : globals->tsv	    ? "tsv"
			     : globals->columns	    ? "columns"
			     : globals->no_headings ? "no-headings"
						    : NULL;

	if (!option || ctx->command->schema)
		return 0;
	*ret_message = mem_format("prints plain text only: --%s cannot be used", option);
	return -EINVAL;
}

int command_check_options(const struct ctx *ctx, const struct option_set *sets, size_t set_count,
			  char **ret_message, char **ret_hint)
{
	const struct option_rule *parents = ctx->parent ? ctx->parent->rules : NULL;

	return options_check(global_rules, sets, set_count, ret_message, ret_hint)
		       ?: options_check(parents, sets, set_count, ret_message, ret_hint)
		       ?: options_check(ctx->command->rules, sets, set_count, ret_message, ret_hint)
		       ?: check_form(ctx, ret_message);
}

char *command_check_objects(const struct command *command, int count, char *const *objects)
{
	_cleanup_(freep) char *clean = NULL;

	for (int i = 0; i < count && command->object_completion == COMPLETE_FILE; i++)
		if (!*objects[i])
			return mem_string("the name of a file is empty");
	if (count < command->least_objects)
		return mem_format("too few words: it takes %s", command->objects);
	if (command->most_objects < 0 || count <= command->most_objects)
		return NULL;
	if (command->most_objects)
		return mem_format("too many words: it takes %s", command->objects);
	clean = text_clean(objects[0], strlen(objects[0]));
	return mem_format("'%s' takes no object, but '%s' is given", command->name, clean);
}

bool command_excludes(const struct ctx *ctx, const char *name, const struct strings *given)
{
	return options_excluded(global_rules, name, given) ||
	       (ctx->parent && options_excluded(ctx->parent->rules, name, given)) ||
	       (ctx->command && options_excluded(ctx->command->rules, name, given));
}

char *command_path(const struct ctx *ctx)
{
	return mem_format("%s%s%s", ctx->parent ? ctx->parent->name : "", ctx->parent ? " " : "",
			  ctx->command->name);
}

int command_complain(const struct ctx *ctx, const char *message, const char *hint)
{
	const struct command *command = ctx->parent ? ctx->parent : ctx->command;

	fprintf(stderr, "rdmactl%s%s: %s\n", command ? " " : "", command ? command->name : "",
		message);
	if (hint && !ctx->globals.quiet)
		fprintf(stderr, "  %s\n", hint);
	return STATUS_USAGE;
}

int command_usage(const struct ctx *ctx, char *message, char *hint)
{
	_cleanup_(freep) char *owned_message = message, *owned_hint = hint, *path = NULL;

	if (!hint && ctx->command) {
		path = command_path(ctx);
		owned_hint = mem_format("rdmactl %s --help", path);
	}
	return command_complain(ctx, owned_message, owned_hint ? owned_hint : "rdmactl help");
}

static void add_schema(const struct schema *schema, const struct schema ***schemas, size_t *count)
{
	for (size_t i = 0; i < *count; i++)
		if ((*schemas)[i] == schema)
			return;
	MEM_ADD(*schemas, *count) = schema;
}

void command_add_schemas(const struct command *command, const struct schema ***schemas,
			 size_t *count)
{
	struct command child;

	if (command->schema)
		add_schema(command->schema, schemas, count);
	for (size_t i = 0; command->more_schemas && command->more_schemas[i]; i++)
		add_schema(command->more_schemas[i], schemas, count);
	for (size_t i = 0; command_child(command, i, &child); i++)
		command_add_schemas(&child, schemas, count);
}

size_t command_all_schemas(const struct ctx *ctx, const struct schema ***ret_schemas)
{
	size_t count = 0;

	*ret_schemas = NULL;
	for (size_t i = 0; i < ctx->command_count; i++)
		if (ctx->commands[i]->group != GROUP_HIDDEN)
			command_add_schemas(ctx->commands[i], ret_schemas, &count);
	return count;
}
