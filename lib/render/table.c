/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tables: one pass over the rows keeps the cells and finds the widths of the columns, another
 * writes the lines. Nearly all text is plain ASCII, whose width is its length.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "render/format.h"

/* The text of a cell, `-` if there is none. */
static void get_cell(const struct field *field, const void *row, struct value *value,
		     struct text *text)
{
	field_get(field, row, value);
	format_field(field, value, ",", text);
	if (value->kind == VALUE_REAL && field->digits)
		snprintf(text->scratch, sizeof(text->scratch), "%.*f", (int)field->digits,
			 value->real);
	if (!text->string || !*text->string)
		text->string = "-";
}

/*
 * Cells are kept between the passes until they take this much. The rest are made again, because as
 * text they are larger than the records.
 */
enum { KEPT_MOST = 512 * 1024, BLOCK_SIZE = 16 * 1024, SMALLEST_ROOM = 4096 };
/* Room after the text of a cell for the end of its colour and a line feed, or for BLANKS. */
enum { AROUND_CELL = 32 };
#define BLANKS "        "

struct buffer {
	char *bytes;
	size_t length, room;
};

/* Precedes the text of each cell that is kept; the text has no NUL at its end. */
struct cell {
	uint32_t length; /* bytes */
	int width;	 /* columns of the terminal */
	enum tone tone;
};

struct table {
	const struct columns *columns;
	int *widths;
	bool color;
	struct buffer kept, block; /* cells, and lines on their way out */
	locale_t character_widths; /* set at the first cell that is not plain */
	bool has_character_widths;
};

static void make_room(struct buffer *buffer, size_t more)
{
	if (buffer->bytes && buffer->room - buffer->length >= more)
		return;
	buffer->room = (buffer->room ? buffer->room * 2 : SMALLEST_ROOM) + more;
	buffer->bytes = mem_resize(buffer->bytes, buffer->room, 1);
}

/* Adds bytes for which there is room. */
static void add_bytes(struct buffer *buffer, const void *bytes, size_t count)
{
	memcpy(buffer->bytes + buffer->length, bytes, count);
	buffer->length += count;
}

static struct cell measure_cell(struct table *table, const char *text)
{
	const char *end = text;

	while (*end >= ' ' && *end <= '~')
		end++;
	if (!*end)
		return (struct cell){.length = (uint32_t)(end - text), .width = (int)(end - text)};
	end += strlen(end);
	if (!table->has_character_widths)
		table->character_widths = text_widths();
	table->has_character_widths = true;
	return (struct cell){.length = (uint32_t)(end - text),
			     .width = (int)text_width(text, (size_t)(end - text),
						      table->character_widths)};
}

static void widen(int *width, int least)
{
	if (*width < least)
		*width = least;
}

/* Appends the cells of a row to those kept, and widens the columns. */
static void keep_row(struct table *table, const void *row)
{
	for (size_t i = 0; i < table->columns->count; i++) {
		_cleanup_(text_release) struct text text;
		struct value value;
		struct cell cell;

		get_cell(table->columns->fields[i], row, &value, &text);
		cell = measure_cell(table, text.string);
		cell.tone = value.tone;
		widen(&table->widths[i], cell.width);
		make_room(&table->kept, sizeof(cell) + cell.length);
		add_bytes(&table->kept, &cell, sizeof(cell));
		add_bytes(&table->kept, text.string, cell.length);
	}
}

/* Writes a few blanks too many, which the next text overwrites: that is cheapest. */
static void put_blanks(struct buffer *block, int count)
{
	for (int i = 0; i < count; i += (int)strlen(BLANKS))
		memcpy(block->bytes + block->length + i, BLANKS, strlen(BLANKS));
	if (count > 0)
		block->length += (size_t)count;
}

/* Puts a cell and the blanks before the next one, or the end of the line. */
static void put_cell(struct table *table, size_t column, const struct cell *cell, const char *text)
{
	const bool right = table->columns->fields[column]->flags & FIELD_RIGHT;
	const int blanks = table->widths[column] - cell->width;
	const char *color = table->color ? format_tone(cell->tone) : NULL;
	struct buffer *block = &table->block;

	make_room(block, (size_t)table->widths[column] + cell->length + AROUND_CELL);
	if (right)
		put_blanks(block, blanks);
	if (color)
		add_bytes(block, color, strlen(color));
	add_bytes(block, text, cell->length);
	if (color)
		add_bytes(block, FORMAT_PLAIN, strlen(FORMAT_PLAIN));
	if (column + 1 == table->columns->count)
		block->bytes[block->length++] = '\n';
	else
		put_blanks(block, right ? 1 : blanks + 1);
}

/* Puts a row of kept cells, which begins at `at`; returns where the next row begins. */
static size_t put_row(struct table *table, size_t at)
{
	for (size_t i = 0; i < table->columns->count; i++) {
		struct cell cell;

		memcpy(&cell, table->kept.bytes + at, sizeof(cell));
		at += sizeof(cell);
		put_cell(table, i, &cell, table->kept.bytes + at);
		at += cell.length;
	}
	return at;
}

static int put_block(struct buffer *block, size_t least, FILE *out)
{
	const size_t length = block->length;

	if (length < least)
		return 0;
	block->length = 0;
	return fwrite(block->bytes, 1, length, out) < length ? -errno : 0;
}

static void table_free(struct table *table)
{
	free(table->kept.bytes);
	free(table->block.bytes);
	if (table->character_widths)
		freelocale(table->character_widths);
}

/* Widens the columns for the headings, and puts these if `puts`. */
static void take_headings(struct table *table, bool puts)
{
	for (size_t i = 0; i < table->columns->count; i++) {
		const char *heading = field_heading(table->columns->fields[i]);
		const struct cell cell = measure_cell(table, heading);

		widen(&table->widths[i], cell.width);
		if (puts)
			put_cell(table, i, &cell, heading);
	}
}

int render_table(FILE *out, const struct render_options *options, const struct document *document,
		 int *widths)
{
	_cleanup_(table_free) struct table table = {
		.columns = document->columns,
		.widths = widths,
		.color = options->color,
	};
	size_t kept = 0, at = 0;
	int rc = 0;

	if (!document->row_count)
		return 0;
	if (options->headings)
		take_headings(&table, false);
	for (size_t i = 0; i < document->row_count; i++) {
		const size_t before = table.kept.length;

		keep_row(&table, document->rows[i]);
		if (kept == i && table.kept.length <= KEPT_MOST)
			kept++;
		else
			table.kept.length = before;
	}
	if (options->headings)
		take_headings(&table, true);
	for (size_t i = 0; !rc && i < document->row_count; i++) {
		if (i < kept) {
			at = put_row(&table, at);
		} else {
			table.kept.length = at;
			keep_row(&table, document->rows[i]);
			put_row(&table, at);
		}
		rc = put_block(&table.block, BLOCK_SIZE, out);
	}
	return rc ?: put_block(&table.block, 1, out);
}
