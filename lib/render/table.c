/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include <libsmartcols.h>

#include "base/cleanup.h"
#include "render/format.h"

static void unref_table(struct libscols_table **table)
{
	scols_unref_table(*table);
}

/* Reading the locale costs several files: only text beyond ASCII is worth it. */
static void prepare_for_text(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text >= 0x80) {
			setlocale(LC_CTYPE, "");
			return;
		}
}

static const char *tone_color(enum tone tone)
{
	switch (tone) {
	case TONE_GOOD:
		return "\033[32m";
	case TONE_WARNING:
		return "\033[33m";
	case TONE_BAD:
		return "\033[31m";
	default:
		return NULL;
	}
}

static int set_cell(struct libscols_line *line, size_t column, const struct value *value,
		    bool color)
{
	_cleanup_(freep) char *text = format_value(value, ",");
	int rc;

	if (!text || !*text) {
		free(text);
		text = strdup("-");
		if (!text)
			return -ENOMEM;
	}
	prepare_for_text(text);
	rc = scols_line_refer_data(line, column, text);
	if (rc)
		return rc;
	text = NULL; /* the line's now */
	if (color && tone_color(value->tone))
		rc = scols_cell_set_color(scols_line_get_cell(line, column),
					  tone_color(value->tone));
	return rc;
}

static int add_columns(struct libscols_table *table, const struct columns *columns)
{
	for (size_t i = 0; i < columns->count; i++) {
		int flags = columns->fields[i]->flags & FIELD_RIGHT ? SCOLS_FL_RIGHT : 0;

		if (!scols_table_new_column(table, columns->fields[i]->heading, 0, flags))
			return -ENOMEM;
	}
	return 0;
}

static int add_line(struct libscols_table *table, const struct columns *columns, const void *row,
		    bool color)
{
	struct libscols_line *line = scols_table_new_line(table, NULL);
	struct value value;

	if (!line)
		return -ENOMEM;
	for (size_t i = 0; i < columns->count; i++) {
		int rc;

		field_get(columns->fields[i], row, &value);
		rc = set_cell(line, i, &value, color);
		if (rc)
			return rc;
	}
	return 0;
}

int render_table(const struct render_options *options, const struct document *document)
{
	_cleanup_(unref_table) struct libscols_table *table = scols_new_table();
	int rc;

	if (!table)
		return -ENOMEM;
	if (!document->row_count)
		return 0;
	scols_table_enable_noheadings(table, !options->headings);
	scols_table_enable_colors(table, options->color);
	scols_table_set_stream(table, stdout);
	/* Text is clean already: an escape in it must not be escaped again. */
	scols_table_enable_noencoding(table, 1);
	rc = add_columns(table, document->columns);
	for (size_t i = 0; !rc && i < document->row_count; i++)
		rc = add_line(table, document->columns, document->rows[i], options->color);
	return rc ? rc : scols_print_table(table);
}

const char *render_table_built_version(void)
{
	return LIBSMARTCOLS_VERSION;
}

const char *render_table_running_version(void)
{
	const char *version = NULL;

	scols_get_library_version(&version);
	return version;
}
