/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cli/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

struct completer {
	struct ctx ctx;		 /* with the command, as soon as a word names it */
	struct command child;	 /* storage for ctx.command, if it is a subcommand */
	bool chosen;		 /* a subcommand or an object was named */
	bool only_objects;	 /* a word was --, after which there are no options */
	const char *object;	 /* the first object */
	size_t word_count;	 /* objects and keywords so far */
	const char *last_word;	 /* the last of them */
	struct strings given;	 /* the names of the options so far */
	struct option_set *sets; /* tables in which options are looked up */
	size_t set_count;
	const char *root;
	complete_list list;
	char *lead; /* text before the completed part, repeated in each candidate */
};

/*
 * Only plain words are offered: a saved tree or a netdev may have any name, and whoever presses
 * Enter runs what completion has inserted into the command line.
 */
static void put(const struct completer *completer, const char *partial, const char *word,
		const char *help)
{
	if (text_is_plain(word) && !strncmp(word, partial, strlen(partial)))
		printf("%s%s\t%s\n", completer->lead, word, help);
}

/* Moves the part of the word before `rest` to the lead, and returns `rest`. */
static const char *keep(struct completer *completer, const char *partial, const char *rest)
{
	mem_extend(&completer->lead, "%.*s", (int)(rest - partial), partial);
	return rest;
}

static void put_commands(const struct completer *completer, const char *partial)
{
	for (size_t i = 0; i < completer->ctx.command_count; i++) {
		const struct command *command = completer->ctx.commands[i];

		if (command->group != GROUP_HIDDEN)
			put(completer, partial, command->name, command->summary);
	}
}

static void put_schemas(const struct completer *completer, const char *partial)
{
	_cleanup_(freep) const struct schema **schemas = NULL;
	const size_t count = command_all_schemas(&completer->ctx, &schemas);

	for (size_t i = 0; i < count; i++)
		put(completer, partial, schemas[i]->name, schemas[i]->summary);
}

static void put_children(const struct completer *completer, const struct command *command,
			 const char *partial)
{
	struct command child;

	for (size_t i = 0; command_child(command, i, &child); i++)
		put(completer, partial, child.name, child.summary);
}

/* Returns the command so far: the default subcommand, unless a word names one. */
static const struct command *effective(struct completer *completer)
{
	const struct command *command = completer->ctx.command;

	if (command && !completer->chosen && command_default_child(command, &completer->child))
		return &completer->child;
	return command;
}

static const struct schema *schema_of(struct completer *completer)
{
	const struct command *command = effective(completer);

	return command ? command->schema : NULL;
}

static void put_options(struct completer *completer, const char *partial)
{
	const struct command none = {.options = {NULL}}, *command = effective(completer);
	struct option_set sets[COMMAND_TABLES + 1];
	const size_t count = command_option_sets(command ? command : &none, NULL, NULL, sets);

	for (size_t i = 0; i < count; i++) {
		for (const struct option_row *row = sets[i].rows; row->name; row++) {
			_cleanup_(freep) char *word = mem_format("--%s", row->name);

			if (!command_excludes(&completer->ctx, row->name, &completer->given))
				put(completer, partial, word, row->help);
		}
	}
}

/* Completes the last name of a comma-separated list. */
static void put_columns(struct completer *completer, const char *partial)
{
	const struct schema *schema = schema_of(completer);
	const char *comma = strrchr(partial, ','), *name = comma ? comma + 1 : partial;

	if (!schema)
		return;
	name = keep(completer, partial, name + (*name == '+' || *name == '-'));
	for (size_t i = 0; i < schema->field_count; i++)
		if (schema->fields[i].kind != FIELD_RECORDS)
			put(completer, name, schema->fields[i].key, field_help(&schema->fields[i]));
	/* Dropping every column would leave none. */
	if (name == partial || name[-1] != '-')
		put(completer, name, "all", "every column");
}

/*
 * Completes FIELD= or the words after it, in the last item of a comma-separated list. If
 * `settable`, only fields that have bits of their own are offered.
 */
static void put_assignments(struct completer *completer, bool settable, const char *partial)
{
	const struct schema *schema = schema_of(completer);
	const char *comma = strrchr(partial, ','), *piece = comma ? comma + 1 : partial;
	const char *equals = strchr(piece, '=');
	const char *rest = keep(completer, partial, equals ? equals + 1 : piece);
	_cleanup_(freep) char *key = mem_format("%.*s", equals ? (int)(equals - piece) : 0, piece);
	const struct field *field;

	for (size_t i = 0; schema && !equals && i < schema->field_count; i++) {
		_cleanup_(freep) char *word = mem_format("%s=", schema->fields[i].key);

		if (settable ? schema->fields[i].width != 0
			     : schema->fields[i].kind != FIELD_RECORDS)
			put(completer, rest, word, field_help(&schema->fields[i]));
	}
	field = schema && equals ? schema_find(schema, key) : NULL;
	for (const struct enum_name *name = field ? field_names(field) : NULL; name && name->word;
	     name++)
		put(completer, rest, name->word, name->help ? name->help : "");
}

static void put_listed(const struct completer *completer, enum completion completion,
		       const char *partial)
{
	_cleanup_(strings_free) struct strings names = {0};

	completer->list(completion, completer->root, &names);
	for (size_t i = 0; i < names.count; i++) {
		_cleanup_(freep) char *clean = text_clean(names.items[i], strlen(names.items[i]));

		/* A name that looks like an option can be an object only after --. */
		if (clean[0] != '-' || completer->only_objects)
			put(completer, partial, clean, "");
	}
}

static void put_class(struct completer *completer, enum completion completion,
		      const struct enum_name *choices, const char *partial)
{
	const struct command *command;

	switch (completion) {
	case COMPLETE_CHOICE:
		for (; choices && choices->word; choices++)
			put(completer, partial, choices->word, choices->help ? choices->help : "");
		break;
	case COMPLETE_COLUMN:
		put_columns(completer, partial);
		break;
	case COMPLETE_FIELD:
	case COMPLETE_WHERE:
		put_assignments(completer, completion == COMPLETE_FIELD, partial);
		break;
	case COMPLETE_FILE:
	case COMPLETE_ROOT:
		puts(":file");
		break;
	case COMPLETE_COMMAND:
		command = completer->object ? command_find(&completer->ctx, completer->object)
					    : NULL;
		if (command)
			put_children(completer, command, partial);
		else if (!completer->object)
			put_commands(completer, partial);
		break;
	case COMPLETE_SCHEMA:
		put_schemas(completer, partial);
		break;
	case COMPLETE_HOST:
	case COMPLETE_NOTHING:
		break;
	case COMPLETE_DEVICE_OR_NETDEV:
	case COMPLETE_PORT_OR_NETDEV:
		put_listed(completer,
			   completion == COMPLETE_PORT_OR_NETDEV ? COMPLETE_PORT : COMPLETE_DEVICE,
			   partial);
		put_listed(completer, COMPLETE_NETDEV, partial);
		break;
	default:
		put_listed(completer, completion, partial);
	}
}

static void put_value(struct completer *completer, const struct option_row *row,
		      const char *partial)
{
	const char *comma = strrchr(partial, ',');

	/* Completes the last word of a list, which the command itself may split. */
	if (comma && (row->kind == OPTION_CHOICES || row->completion == COMPLETE_TEST ||
		      (row->kind == OPTION_STRING && row->choices)))
		partial = keep(completer, partial, comma + 1);
	put_class(completer, row->completion, row->choices, partial);
}

/* --color=al arrives as one word. Returns false if the word is not of that form. */
static bool put_joined_value(struct completer *completer, const char *word)
{
	const char *equals = strchr(word, '=');
	const struct option_row *row;

	if (word[0] != '-' || word[1] != '-' || !equals)
		return false;
	row = option_find(completer->sets, completer->set_count, word);
	if (row && row->kind != OPTION_FLAG)
		put_value(completer, row, keep(completer, word, equals + 1));
	return true;
}

static void choose_sets(struct completer *completer, const struct command *command)
{
	free(completer->sets);
	completer->set_count = command_family_sets(command, &completer->sets);
}

/* Notes a word that names a command, a subcommand or an object. */
static void follow_word(struct completer *completer, const char *word)
{
	const struct command *command = completer->ctx.command;

	if (!command) {
		completer->ctx.command = command_find(&completer->ctx, word);
		if (completer->ctx.command)
			choose_sets(completer, completer->ctx.command);
	} else if (!completer->chosen && command_find_child(command, word, &completer->child)) {
		completer->ctx.parent = command;
		completer->ctx.command = &completer->child;
		completer->chosen = true;
		choose_sets(completer, &completer->child);
	} else {
		completer->word_count++;
		completer->last_word = word;
		if (!completer->object)
			completer->object = word;
		completer->chosen = true;
	}
}

/* Reads the words before the last one; returns the option whose value comes next, or NULL. */
static const struct option_row *follow(struct completer *completer, char *const *words)
{
	const struct option_row *open = NULL;

	for (; words[0] && words[1]; words++) {
		const char *word = words[0];

		if (open) {
			if (!strcmp(open->name, "root"))
				completer->root = word;
			open = NULL;
		} else if (!strcmp(word, "--") && completer->ctx.command) {
			completer->only_objects = true;
		} else if (word[0] == '-' && !completer->only_objects) {
			open = option_find(completer->sets, completer->set_count, word);
			if (open)
				strings_add(&completer->given, open->name);
			if (open && (open->kind == OPTION_FLAG || strchr(word, '=')))
				open = NULL;
			if (!strncmp(word, "--root=", 7))
				completer->root = word + 7;
		} else {
			follow_word(completer, word);
		}
	}
	return open;
}

/* Offers the next keyword, or the values of the last one. */
static void put_keywords(struct completer *completer, size_t position, const char *partial)
{
	const struct command *command = completer->ctx.command;
	const struct keyword *keyword;

	for (size_t i = 0; (keyword = command->keyword(i)); i++) {
		if (position % 2 == 0)
			put(completer, partial, keyword->word, keyword->help);
		else if (!strcmp(keyword->word, completer->last_word))
			put_class(completer,
				  keyword->choices ? COMPLETE_CHOICE
						   : (enum completion)keyword->completion,
				  keyword->choices, partial);
	}
}

/* Offers subcommands, and objects if the subcommand may be omitted. */
static void put_objects(struct completer *completer, const char *partial)
{
	const struct command *command = completer->ctx.command;
	/* Keywords follow the one object, or new name, if the command takes one. */
	const size_t objects = command->object_completion != COMPLETE_NOTHING ||
			       command->least_objects;
	const int at = (int)completer->word_count, most = command->most_objects;

	if (!completer->chosen) {
		put_children(completer, command, partial);
		if (command_has_children(command) && !command->run)
			return;
	}
	if (command->keyword && completer->word_count >= objects)
		put_keywords(completer, completer->word_count - objects, partial);
	else if (at + 1 == most && command->object_choices)
		put_class(completer, COMPLETE_CHOICE, command->object_choices, partial);
	else if (most < 0 || at < most)
		put_class(completer, command->object_completion, command->object_choices, partial);
}

static void put_candidates(struct completer *completer, const struct option_row *open,
			   const char *last)
{
	const struct command *command = completer->ctx.command;

	if (command && command->passes_on && completer->object) {
		/* The options of another program are not known; most of its words are devices. */
		if (last[0] != '-')
			put_listed(completer, COMPLETE_DEVICE, last);
	} else if (open) {
		put_value(completer, open, last);
	} else if (!completer->only_objects && put_joined_value(completer, last)) {
		return;
	} else if (last[0] == '-' && !completer->only_objects) {
		put_options(completer, last);
	} else if (!command) {
		put_commands(completer, last);
	} else {
		put_objects(completer, last);
	}
}

void complete_words(const struct ctx *ctx, char *const *words, complete_list list)
{
	const struct command none = {.options = {NULL}};
	struct completer completer = {
		.ctx = *ctx,
		.root = ctx->globals.root,
		.list = list,
		.lead = mem_string(""),
	};
	const struct option_row *open;
	const char *last = "";

	completer.ctx.command = NULL;
	choose_sets(&completer, &none);
	for (char *const *word = words; *word; word++)
		last = *word;
	open = follow(&completer, words);
	put_candidates(&completer, open, last);
	strings_free(&completer.given);
	free(completer.sets);
	free(completer.lead);
}
