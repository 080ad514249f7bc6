/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tables with text beyond ASCII, by libsmartcols, which is loaded when the first one comes. */
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include <libsmartcols.h>

#include "base/cleanup.h"
#include "base/library.h"
#include "base/mem.h"
#include "render/format.h"

#define SCOLS_FUNCTIONS(MUST)               \
	MUST(scols_new_table)               \
	MUST(scols_unref_table)             \
	MUST(scols_table_new_column)        \
	MUST(scols_table_new_line)          \
	MUST(scols_table_enable_noheadings) \
	MUST(scols_table_enable_colors)     \
	MUST(scols_table_enable_noencoding) \
	MUST(scols_table_set_stream)        \
	MUST(scols_table_set_termforce)     \
	MUST(scols_line_set_data)           \
	MUST(scols_line_get_cell)           \
	MUST(scols_cell_set_color)          \
	MUST(scols_print_table)             \
	MUST(scols_get_library_version)

struct scols {
	SCOLS_FUNCTIONS(LIBRARY_MEMBER)
};

#define LIBRARY_RECORD struct scols
static const struct library_symbol scols_symbols[] = {SCOLS_FUNCTIONS(LIBRARY_MUST)};

static int open_library(struct scols *scols)
{
	return library_open("libsmartcols.so.1", scols_symbols, ARRAY_SIZE(scols_symbols), scols);
}

static int set_cell(const struct scols *scols, struct libscols_line *line, size_t column,
		    const struct field *field, const void *row, bool color)
{
	_cleanup_(text_release) struct text text;
	struct value value;
	int rc;

	table_get_cell(field, row, &value, &text);
	rc = scols->scols_line_set_data(line, column, text.string);
	if (!rc && color && table_tone_color(value.tone))
		rc = scols->scols_cell_set_color(scols->scols_line_get_cell(line, column),
						 table_tone_color(value.tone));
	return rc;
}

static int fill(const struct scols *scols, struct libscols_table *table,
		const struct document *document, bool color)
{
	const struct columns *columns = document->columns;
	int rc = 0;

	for (size_t i = 0; i < columns->count; i++) {
		int flags = columns->fields[i]->flags & FIELD_RIGHT ? SCOLS_FL_RIGHT : 0;

		if (!scols->scols_table_new_column(table, columns->fields[i]->heading, 0, flags))
			return -ENOMEM;
	}
	for (size_t row = 0; !rc && row < document->row_count; row++) {
		struct libscols_line *line = scols->scols_table_new_line(table, NULL);

		if (!line)
			return -ENOMEM;
		for (size_t i = 0; !rc && i < columns->count; i++)
			rc = set_cell(scols, line, i, columns->fields[i], document->rows[row],
				      color);
	}
	return rc;
}

int render_wide_table(const struct render_options *options, const struct document *document)
{
	struct libscols_table *table;
	struct scols scols;
	int rc = open_library(&scols);

	if (rc)
		return rc;
	setlocale(LC_CTYPE, ""); /* the terminal's character set */
	table = scols.scols_new_table();
	if (!table)
		return -ENOMEM;
	scols.scols_table_enable_noheadings(table, !options->headings);
	scols.scols_table_enable_colors(table, options->color);
	scols.scols_table_set_stream(table, stdout);
	/*
	 * Text is clean already: an escape in it must not be escaped again. Without UTF-8 it has to
	 * be: libsmartcols does not come to an end over characters that the locale has not.
	 */
	scols.scols_table_enable_noencoding(table, !strcmp(nl_langinfo(CODESET), "UTF-8"));
	/* As wide as it is, on a terminal as in a pipe. */
	scols.scols_table_set_termforce(table, SCOLS_TERMFORCE_NEVER);
	rc = fill(&scols, table, document, options->color);
	if (!rc)
		rc = scols.scols_print_table(table);
	scols.scols_unref_table(table);
	return rc;
}

const char *render_table_built_version(void)
{
	return LIBSMARTCOLS_VERSION;
}

const char *render_table_running_version(void)
{
	const char *version = NULL;
	struct scols scols;

	if (!open_library(&scols))
		scols.scols_get_library_version(&version);
	return version;
}
