/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parts of the man pages that follow from the tables of the commands, in mdoc(7). */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cli/command.h"
#include "schema/columns.h"

/* Escapes each - so that troff does not turn it into a hyphen. */
static void put_mdoc_escaped(const char *text)
{
	for (; *text; text++) {
		if (*text == '-')
			fputs("\\-", stdout);
		else if (*text == '\\')
			fputs("\\e", stdout);
		/* The linter wants markup for what looks like the name of a function. */
		else if (*text == '(' && text[1] == ')')
			fputs("\\&(", stdout);
		else
			putchar(*text);
	}
}

/* Prints a line of text that must not be taken for a request. */
static void put_mdoc_text(const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", stdout);
	put_mdoc_escaped(text);
	putchar('\n');
}

/* Prints the first line of an item: a word and, if it has one, the name of its value. */
static void put_mdoc_item(const char *word, const char *metavar)
{
	fputs(".It Cm ", stdout);
	put_mdoc_escaped(word);
	if (metavar) {
		fputs(" Ar ", stdout);
		put_mdoc_escaped(metavar);
	}
	putchar('\n');
}

static void put_mdoc_options(const struct option_row *row)
{
	for (; row->name; row++) {
		fputs(".It ", stdout);
		if (row->letter)
			printf("Fl %c , ", row->letter);
		fputs("Fl \\-", stdout);
		put_mdoc_escaped(row->name);
		if (row->metavar)
			printf(" Ar %s", row->metavar);
		putchar('\n');
		put_mdoc_text(row->help);
	}
}

static bool has_table(const struct command *command, const struct option_row *rows)
{
	for (size_t i = 0; command->options[i]; i++)
		if (command->options[i] == rows)
			return true;
	return false;
}

/*
 * Lists the subcommands that take a table, or show a schema; NULL if none or all do. To be freed.
 */
static char *takers_of(const struct command *command, const struct option_row *rows,
		       const struct schema *schema)
{
	char *list = NULL;
	struct command child;
	bool all = rows && (!command->run || has_table(command, rows));

	for (size_t i = 0; command_child(command, i, &child); i++) {
		if (rows ? !has_table(&child, rows) : child.schema != schema) {
			all = false;
			continue;
		}
		mem_extend(&list, "%s%s", list ? ", " : "", child.name);
	}
	if (!all)
		return list;
	free(list);
	return NULL;
}

/* Prints each table once, first those of the command itself and those that all subcommands take. */
static void put_mdoc_tables(const struct command *command)
{
	_cleanup_(freep) struct option_set *sets = NULL;
	const size_t count = command_family_sets(command, &sets);
	_cleanup_(freep) char *heading = NULL;
	bool begun = false;

	if (count < 2)
		return;
	puts(".\\\" BEGIN OPTIONS");
	for (int shared = 1; shared >= 0; shared--) {
		/* The first are the global options. */
		for (size_t i = 1; i < count; i++) {
			_cleanup_(freep) char *takers = takers_of(command, sets[i].rows, NULL);
			bool begins;

			if (shared != !takers)
				continue;
			begins = takers && (!heading || strcmp(takers, heading));
			if (begun && begins)
				puts(".El");
			if (begins)
				printf(".Ss Options of %s\n", takers);
			if (!begun || begins)
				puts(".Bl -tag -width Ds");
			begun = true;
			put_mdoc_options(sets[i].rows);
			free(heading);
			heading = mem_string_or_null(takers);
		}
	}
	puts(".El\n.\\\" END OPTIONS");
}

static void put_mdoc_field(const struct field *field, bool shown)
{
	printf(".It Cm %s%s\n", field->key, shown ? " Pq default" : "");
	put_mdoc_text(field_help(field));
}

/* Prints the keys of records inside a record. */
static void put_mdoc_inner(const struct field *field)
{
	struct columns columns;

	if (field->kind != FIELD_RECORDS)
		return;
	columns = columns_of_records(field);
	printf(".Bl -tag -width Ds\n");
	for (size_t i = 0; i < columns.count; i++)
		put_mdoc_field(columns.fields[i], false);
	printf(".El\n");
	columns_free(&columns);
}

/* Words that a page has explained, and the column or setting below which it did. */
struct told {
	const struct enum_name *names;
	const char *key;
};

/* A page in the making: what it explains once is not explained again. */
struct page {
	const struct ctx *ctx;
	const struct command *command;
	struct told *told;
	size_t told_count;
};

/* Whether the words are the names of the rows of the catalogue, which explains them. */
static bool is_catalogued(const struct catalogue *catalogue, const struct enum_name *names)
{
	const void *row;

	for (size_t i = 0; (row = catalogue->row(i)); i++) {
		struct value name;

		field_get(&catalogue->schema->fields[0], row, &name);
		if (!names[i].word || strcmp(names[i].word, name.string) != 0)
			return false;
	}
	return true;
}

/* Prints where the page has explained these words. Returns false if it has not. */
static bool put_mdoc_reference(const struct page *page, const struct enum_name *names)
{
	const struct catalogue *catalogue = page->command->catalogue;

	if (catalogue && is_catalogued(catalogue, names)) {
		printf(".Pq words: see Sx %s\n", catalogue->block);
		return true;
	}
	for (size_t i = 0; i < page->told_count; i++)
		if (page->told[i].names == names) {
			fputs(".Pq words: see Cm ", stdout);
			put_mdoc_escaped(page->told[i].key);
			puts(" No above");
			return true;
		}
	return false;
}

/* Prints the words of a column or setting, if they have explanations. */
static void put_mdoc_words(struct page *page, const char *key, const struct enum_name *names)
{
	if (!names || !names->word || !names->help || put_mdoc_reference(page, names))
		return;
	MEM_ADD(page->told, page->told_count) = (struct told){names, key};
	printf(".Bl -tag -width Ds\n");
	for (; names->word; names++) {
		put_mdoc_item(names->word, NULL);
		put_mdoc_text(names->help);
	}
	printf(".El\n");
}

/* mdoc(7) wants each sentence on its own line, and no line longer than LINE_MOST. */
static void put_mdoc_sentences(const char *text)
{
	enum { LINE_MOST = 72 };
	const char *begin = text, *blank = NULL;

	for (const char *c = text; *c; c++) {
		const bool ends = c > begin && c[-1] == '.' && isupper((unsigned char)c[1]);
		_cleanup_(freep) char *line = NULL;

		if (*c == ' ')
			blank = c;
		if (!blank || (!(*c == ' ' && ends) && c - begin < LINE_MOST))
			continue;
		line = mem_format("%.*s", (int)(blank - begin), begin);
		put_mdoc_text(line);
		begin = blank + 1;
		blank = NULL;
	}
	put_mdoc_text(begin);
}

/* Prints the columns that an option shows instead of the default ones. */
static void put_mdoc_views(const struct column_view *view)
{
	for (; view && view->when; view++) {
		_cleanup_(freep) char *text = mem_format("Shown with %s:", view->when);
		_cleanup_(freep) char *rest = mem_string(view->columns);
		char *words = rest, *word;

		while ((word = strsep(&words, ",")))
			mem_extend(&text, " %s%s", word, words ? "," : ".");
		puts(".Pp");
		put_mdoc_sentences(text);
	}
}

/* A record that another command lists is described on that command's page. */
static void put_mdoc_fields(struct page *page, const struct schema *schema, bool all_columns)
{
	for (size_t i = 0; i < page->ctx->command_count; i++) {
		const struct command *other = page->ctx->commands[i];

		if (other->schema == schema && page->command->schema != schema) {
			printf(".Pq columns: see Xr rdmactl-%s 1\n", other->name);
			return;
		}
	}
	printf(".Bl -tag -width Ds\n");
	for_each_in (field, schema->fields, schema->field_count) {
		put_mdoc_field(field, field->flags & FIELD_DEFAULT && !all_columns);
		put_mdoc_inner(field);
		put_mdoc_words(page, field->key, field_names(field));
	}
	printf(".El\n");
	put_mdoc_views(schema->views);
}

/* Prints the schemas that subcommands show, each once, and those that their options choose. */
static void put_mdoc_child_columns(struct page *page)
{
	const struct command *command = page->command;
	_cleanup_(freep) const struct schema **seen = NULL;
	struct command child;
	size_t count = 0;

	for (size_t i = 0; command_child(command, i, &child); i++) {
		const size_t before = count;

		command_add_schemas(&child, &seen, &count);
		for (size_t j = before; j < count; j++) {
			_cleanup_(freep) char *takers = takers_of(command, NULL, seen[j]);

			if (takers)
				printf(".Ss %s\n", takers);
			else
				fputs(".Ss ", stdout);
			put_mdoc_text(seen[j]->summary);
			put_mdoc_fields(page, seen[j],
					seen[j] == child.schema && child.all_columns);
		}
	}
}

static void put_mdoc_columns(struct page *page)
{
	const struct command *command = page->command;

	puts(".\\\" BEGIN COLUMNS");
	if (command->schema && (command->more_schemas || command_has_children(command))) {
		fputs(".Ss ", stdout);
		put_mdoc_text(command->schema->summary);
	}
	if (command->schema)
		put_mdoc_fields(page, command->schema, command->all_columns);
	for (size_t i = 0; command->more_schemas && command->more_schemas[i]; i++) {
		fputs(".Ss ", stdout);
		put_mdoc_text(command->more_schemas[i]->summary);
		put_mdoc_fields(page, command->more_schemas[i], false);
	}
	put_mdoc_child_columns(page);
	puts(".\\\" END COLUMNS");
}

static void put_mdoc_commands(const struct ctx *ctx)
{
	printf(".\\\" BEGIN COMMANDS\n.Bl -tag -width Ds\n");
	for (size_t i = 0; i < ctx->command_count; i++) {
		if (ctx->commands[i]->group == GROUP_HIDDEN)
			continue;
		printf(".It Xr rdmactl-%s 1\n", ctx->commands[i]->name);
		put_mdoc_text(ctx->commands[i]->summary);
	}
	printf(".El\n.\\\" END COMMANDS\n");
}

static void put_mdoc_text_field(const struct field *field, const void *row)
{
	struct value value;

	field_get(field, row, &value);
	if (value.kind != VALUE_STRING)
		return;
	fputs(".Pp\n.Em ", stdout);
	for (const char *key = field->key; *key; key++)
		putchar(*key == '_' ? ' ' : *key);
	puts(" :");
	put_mdoc_sentences(value.string);
}

static void put_mdoc_catalogue(const struct catalogue *catalogue)
{
	const struct schema *schema = catalogue->schema;
	const void *row;

	printf(".\\\" BEGIN %s\n.Bl -tag -width Ds\n", catalogue->block);
	for (size_t i = 0; (row = catalogue->row(i)); i++) {
		struct value name;

		field_get(&schema->fields[0], row, &name);
		put_mdoc_item(name.string, NULL);
		for (size_t j = 1; j < schema->field_count; j++)
			if (schema->fields[j].kind == FIELD_STRING)
				put_mdoc_text_field(&schema->fields[j], row);
	}
	printf(".El\n.\\\" END %s\n", catalogue->block);
}

/* Prints the settings of a command under its name. */
static void put_mdoc_keywords(struct page *page, const struct command *command)
{
	const struct keyword *keyword;

	if (!command->keyword)
		return;
	printf(".Ss Settings of %s\n.Bl -tag -width Ds\n", command->name);
	for (size_t i = 0; (keyword = command->keyword(i)); i++) {
		put_mdoc_item(keyword->word, keyword->metavar);
		put_mdoc_text(keyword->help);
		put_mdoc_words(page, keyword->word, keyword->choices);
	}
	puts(".El");
}

static void put_mdoc_all_keywords(struct page *page)
{
	const struct command *command = page->command;
	struct command child;
	bool any = command->keyword;

	for (size_t i = 0; command_child(command, i, &child); i++)
		any |= child.keyword != NULL;
	if (!any)
		return;
	puts(".\\\" BEGIN SETTINGS");
	put_mdoc_keywords(page, command);
	for (size_t i = 0; command_child(command, i, &child); i++)
		put_mdoc_keywords(page, &child);
	puts(".\\\" END SETTINGS");
}

void help_man_blocks(const struct ctx *ctx, const struct command *command)
{
	struct page page = {.ctx = ctx, .command = command};

	if (!command) {
		put_mdoc_commands(ctx);
		puts(".\\\" BEGIN GLOBAL OPTIONS\n.Bl -tag -width Ds");
		put_mdoc_options(global_options);
		puts(".El\n.\\\" END GLOBAL OPTIONS");
		return;
	}
	put_mdoc_tables(command);
	if (command->catalogue)
		put_mdoc_catalogue(command->catalogue);
	put_mdoc_all_keywords(&page);
	if (command->schema || command_has_children(command))
		put_mdoc_columns(&page);
	free(page.told);
}
