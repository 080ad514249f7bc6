/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cli/command.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "schema/columns.h"

static const char *const group_titles[] = {
	[GROUP_INVENTORY] = "Inventory (no privilege needed)",
	[GROUP_LIVE] = "Live state (no privilege needed, except where noted)",
	[GROUP_TEST] = "Tests",
	[GROUP_MAD] = "Management datagrams (need /dev/infiniband/umad*)",
	[GROUP_CHANGE] = "Changes (need root; --dry-run shows what would be done)",
	[GROUP_SHELL] = "Shell and scripts",
};

/* "-o, --columns LIST" */
static char *option_text(const struct option_row *row)
{
	char letter[5] = "    ";

	if (row->letter) {
		letter[0] = '-';
		letter[1] = row->letter;
		letter[2] = ',';
	}
	return mem_format("%s--%s%s%s", letter, row->name, row->metavar ? " " : "",
			  row->metavar ? row->metavar : "");
}

static void put_options(const struct option_row *row, FILE *stream)
{
	for (; row->name; row++) {
		_cleanup_(freep) char *text = option_text(row);

		fprintf(stream, "  %-22s  %s\n", text, row->help);
	}
}

void help_overview(const struct ctx *ctx, FILE *stream)
{
	fputs("Usage: rdmactl [GLOBAL OPTIONS] COMMAND [OBJECT...] [OPTIONS]\n"
	      "Diagnoses and manages RDMA devices of any vendor and transport.\n",
	      stream);
	for (size_t group = 0; group < ARRAY_SIZE(group_titles); group++) {
		fprintf(stream, "\n%s:\n", group_titles[group]);
		for (size_t i = 0; i < ctx->command_count; i++)
			if (ctx->commands[i]->group == (enum command_group)group)
				fprintf(stream, "  %-11s %s\n", ctx->commands[i]->name,
					ctx->commands[i]->summary);
	}
	fputs("\nGlobal options:\n", stream);
	put_options(global_options, stream);
	fputs("\nrdmactl help COMMAND explains a command; the manual is rdmactl(1).\n", stream);
}

static void widen(int *width, const char *text)
{
	if ((int)strlen(text) > *width)
		*width = (int)strlen(text);
}

static void put_columns(const struct schema *schema, bool all_columns, FILE *stream)
{
	int key_width = 0, heading_width = 0;

	for (size_t i = 0; i < schema->field_count; i++) {
		widen(&key_width, schema->fields[i].key);
		widen(&heading_width, field_heading(&schema->fields[i]));
	}
	fprintf(stream, "\nColumns, by name and heading%s:\n",
		all_columns ? "" : " (* shown by default)");
	for_each_in (field, schema->fields, schema->field_count) {
		bool shown = field->flags & FIELD_DEFAULT && !all_columns;

		fprintf(stream, "  %c %-*s  %-*s  %s\n", shown ? '*' : ' ', key_width, field->key,
			heading_width, field_heading(field), field_help(field));
	}
	for (const struct column_view *view = schema->views; view && view->when; view++)
		fprintf(stream, "  Shown with %s: %s\n", view->when, view->columns);
}

static void put_children(const struct command *command, FILE *stream)
{
	struct command child;

	fprintf(stream, "\n%s is one of:\n", command->child_word);
	for (size_t i = 0; command_child(command, i, &child); i++)
		fprintf(stream, "  %-13s %-5s %s\n", child.name, child.alias ? child.alias : "",
			child.summary);
	fprintf(stream, "rdmactl %s %s --help lists its options and columns.\n", command->name,
		command->child_word);
	if (command_default_child(command, &child))
		fprintf(stream, "The default is %s.\n", child.name);
}

static void put_keywords(const struct command *command, FILE *stream)
{
	const struct keyword *keyword;
	size_t width = 0;

	for (size_t i = 0; (keyword = command->keyword(i)); i++)
		if (strlen(keyword->word) + strlen(keyword->metavar) > width)
			width = strlen(keyword->word) + strlen(keyword->metavar);
	fputs("\nSettings:\n", stream);
	for (size_t i = 0; (keyword = command->keyword(i)); i++)
		fprintf(stream, "  %s %-*s  %s\n", keyword->word,
			(int)(width - strlen(keyword->word)), keyword->metavar, keyword->help);
}

void help_of_command(const struct command *parent, const struct command *command, FILE *stream)
{
	const char *manual = (parent ? parent : command)->name;
	struct command child;

	fprintf(stream, "Usage: rdmactl %s%s%s%s%s [OPTIONS]\n\n  %s\n", parent ? parent->name : "",
		parent ? " " : "", command->name, command->objects ? " " : "",
		command->objects ? command->objects : "", command->summary);
	if (command_has_children(command))
		put_children(command, stream);
	if (command->keyword)
		put_keywords(command, stream);
	if (command_default_child(command, &child)) {
		command = &child;
		fprintf(stream, "\nOptions of %s:\n", child.name);
	} else if (command->options[0]) {
		fputs("\nOptions:\n", stream);
	}
	for (size_t i = 0; command->options[i]; i++)
		put_options(command->options[i], stream);
	fputs("\nGlobal options:\n", stream);
	put_options(global_options, stream);
	if (command->own_timeout)
		fputs("  --timeout is that of a request here, not of the whole run.\n", stream);
	if (command->schema)
		put_columns(command->schema, command->all_columns, stream);
	for (size_t i = 0; command->more_schemas && command->more_schemas[i]; i++) {
		fprintf(stream, "\n%s", command->more_schemas[i]->summary);
		put_columns(command->more_schemas[i], false, stream);
	}
	fprintf(stream, "\nThe manual is rdmactl-%s(1).\n", manual);
}
