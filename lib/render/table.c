/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tables of plain ASCII, which nearly all are: widths in one pass over the rows, output in another,
 * with no copy of the cells. Anything else is left to libsmartcols (wide_table.c), which knows the
 * width of all characters but costs twice the instructions of all the rest of a listing.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "render/format.h"

const char *table_tone_color(enum tone tone)
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

void table_get_cell(const struct field *field, const void *row, struct value *value,
		    struct text *text)
{
	field_get(field, row, value);
	format_value(value, ",", text);
	if (value->kind == VALUE_REAL && field->digits)
		snprintf(text->scratch, sizeof(text->scratch), "%.*f", (int)field->digits,
			 value->real);
	if (!text->string || !*text->string)
		text->string = "-";
}

/* The length of a plain text, or -1. */
static int plain_length(const char *text)
{
	const char *end = text;

	while (*end >= ' ' && *end <= '~')
		end++;
	return *end ? -1 : (int)(end - text);
}

/* Of UTF-8, a byte at least for each: how wide it is on a terminal is for libsmartcols to know. */
static int character_count(const char *text)
{
	int count = 0;

	for (; *text; text++)
		count += (*text & 0xc0) != 0x80;
	return count;
}

static void measure_headings(const struct columns *columns, int *widths)
{
	for (size_t i = 0; i < columns->count; i++) {
		int length = (int)strlen(columns->fields[i]->heading);

		if (length > widths[i])
			widths[i] = length;
	}
}

/* Widens the columns; false if a cell is not plain, unless `any`: then characters are counted. */
static bool measure(const struct document *document, bool any, int *widths)
{
	const struct columns *columns = document->columns;

	for (size_t row = 0; row < document->row_count; row++) {
		for (size_t i = 0; i < columns->count; i++) {
			_cleanup_(text_release) struct text text;
			struct value value;
			int length;

			table_get_cell(columns->fields[i], document->rows[row], &value, &text);
			length = plain_length(text.string);
			if (length < 0 && !any)
				return false;
			if (length < 0)
				length = character_count(text.string);
			if (length > widths[i])
				widths[i] = length;
		}
	}
	return true;
}

static void put_blanks(int count)
{
	while (count-- > 0)
		putchar_unlocked(' ');
}

/* One cell and what separates it from the next: nothing behind the last one. */
static void put_cell(const char *text, const char *color, int width, bool right, bool last)
{
	int blanks = width - character_count(text);

	if (right)
		put_blanks(blanks);
	if (color)
		fputs(color, stdout);
	fputs(text, stdout);
	if (color)
		fputs("\033[0m", stdout);
	if (last)
		putchar_unlocked('\n');
	else
		put_blanks(right ? 1 : blanks + 1);
}

static void put_headings(const struct columns *columns, const int *widths)
{
	for (size_t i = 0; i < columns->count; i++)
		put_cell(columns->fields[i]->heading, NULL, widths[i],
			 columns->fields[i]->flags & FIELD_RIGHT, i + 1 == columns->count);
}

static void put_row(const struct columns *columns, const void *row, const int *widths, bool color)
{
	for (size_t i = 0; i < columns->count; i++) {
		_cleanup_(text_release) struct text text;
		struct value value;

		table_get_cell(columns->fields[i], row, &value, &text);
		put_cell(text.string, color ? table_tone_color(value.tone) : NULL, widths[i],
			 columns->fields[i]->flags & FIELD_RIGHT, i + 1 == columns->count);
	}
}

static void put_table(const struct render_options *options, const struct document *document,
		      const int *widths)
{
	if (options->headings)
		put_headings(document->columns, widths);
	for (size_t i = 0; i < document->row_count; i++)
		put_row(document->columns, document->rows[i], widths, options->color);
}

int render_table(const struct render_options *options, const struct document *document)
{
	const struct columns *columns = document->columns;
	_cleanup_(freep) int *widths = mem_alloc_zero(columns->count, sizeof(*widths));

	if (!document->row_count)
		return 0;
	if (options->headings)
		measure_headings(columns, widths);
	if (!measure(document, false, widths)) {
		int rc = render_wide_table(options, document);

		/* Without libsmartcols a table out of line is better than none. */
		if (rc != -ELIBACC)
			return rc;
		measure(document, true, widths);
	}
	put_table(options, document, widths);
	return 0;
}

int render_table_piece(const struct render_options *options, const struct document *document,
		       int *widths)
{
	if (!document->row_count)
		return 0;
	if (options->headings)
		measure_headings(document->columns, widths);
	measure(document, true, widths);
	put_table(options, document, widths);
	return 0;
}
