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
 * Cells are kept between the passes if they take no more than this. Cells of a longer list are made
 * again, because as text they are larger than the records.
 */
enum { KEPT_MOST = 512 * 1024, BLOCK_SIZE = 16 * 1024, SMALLEST_ROOM = 4096 };
/* Room after the text of a cell for the end of its colour and a line feed, or for BLANKS. */
enum { AROUND_CELL = 32, SHORT_CELL = 64 };
#define BLANKS "        "

struct buffer {
	char *bytes;
	size_t length, room;
};

/* Precedes the text of each cell that is kept; the text has no NUL at its end. */
struct cell {
	uint32_t length : 29; /* bytes */
	uint32_t plain : 1;   /* takes as many columns of the terminal */
	uint32_t tone : 2;
};
_Static_assert(TONE_BAD < 4, "a tone takes two bits");

struct table {
	const struct columns *columns;
	int *widths;
	bool color;
	struct buffer kept;
	size_t kept_rows;
	struct buffer block; /* lines on their way out */
	FILE *out;
	locale_t character_widths; /* set at the first cell that is not plain */
	bool has_character_widths;
};

static void make_room(struct buffer *buffer, size_t more)
{
	if (buffer->bytes && buffer->room - buffer->length >= more)
		return;
	buffer->room = buffer->room ? buffer->room * 2 : SMALLEST_ROOM;
	if (buffer->room - buffer->length < more)
		buffer->room = buffer->length + more;
	buffer->bytes = mem_resize(buffer->bytes, buffer->room, 1);
}

static void add_bytes(struct buffer *buffer, const void *bytes, size_t count)
{
	memcpy(buffer->bytes + buffer->length, bytes, count);
	buffer->length += count;
}

static struct cell measure_cell(const char *text)
{
	const char *end = text;
	bool plain;

	while (*end >= ' ' && *end <= '~')
		end++;
	plain = !*end;
	if (!plain)
		end += strlen(end);
	return (struct cell){.length = (uint32_t)(end - text) & (UINT32_MAX >> 3), .plain = plain};
}

static int cell_width(struct table *table, const struct cell *cell, const char *text)
{
	if (cell->plain)
		return (int)cell->length;
	if (!table->has_character_widths) {
		table->character_widths = text_widths();
		table->has_character_widths = true;
	}
	return (int)text_width(text, cell->length, table->character_widths);
}

/*
 * Copies short plain text, as nearly all is, up to the first other character; returns the length.
 */
static uint32_t copy_short(char *to, const char *text)
{
	uint32_t length = 0;

	while (length < SHORT_CELL && text[length] >= ' ' && text[length] <= '~') {
		to[length] = text[length];
		length++;
	}
	return length;
}

/* Appends a cell to those kept, and widens its column. */
static void keep_cell(struct table *table, const char *text, enum tone tone, int *width)
{
	struct buffer *kept = &table->kept;
	struct cell cell = {.plain = true};
	int wide;

	make_room(kept, sizeof(cell) + SHORT_CELL);
	cell.length = copy_short(kept->bytes + kept->length + sizeof(cell), text);
	wide = (int)cell.length;
	if (text[cell.length]) {
		cell = measure_cell(text);
		wide = cell_width(table, &cell, text);
		make_room(kept, sizeof(cell) + cell.length);
		memcpy(kept->bytes + kept->length + sizeof(cell), text, cell.length);
	}
	cell.tone = tone & 3;
	memcpy(kept->bytes + kept->length, &cell, sizeof(cell));
	kept->length += sizeof(cell) + cell.length;
	if (wide > *width)
		*width = wide;
}

static void keep_row(struct table *table, const void *row)
{
	for (size_t i = 0; i < table->columns->count; i++) {
		_cleanup_(text_release) struct text text;
		struct value value;

		get_cell(table->columns->fields[i], row, &value, &text);
		keep_cell(table, text.string, value.tone, &table->widths[i]);
	}
}

static void measure_headings(struct table *table)
{
	for (size_t i = 0; i < table->columns->count; i++) {
		int length = (int)strlen(field_heading(table->columns->fields[i]));

		if (length > table->widths[i])
			table->widths[i] = length;
	}
}

/* Whether all rows fit if the rest is like those so far, once there are enough of them to tell. */
static bool may_keep(const struct table *table, size_t rows, size_t row_count)
{
	return table->kept.length < SMALLEST_ROOM ||
	       table->kept.length / rows * row_count <= KEPT_MOST;
}

/* Measures all rows, and keeps the first ones, or all of them. */
static void measure(struct table *table, const struct document *document)
{
	for (size_t row = 0; row < document->row_count; row++) {
		size_t before = table->kept.length;

		keep_row(table, document->rows[row]);
		if (row == table->kept_rows && may_keep(table, row + 1, document->row_count))
			table->kept_rows++;
		else
			table->kept.length = before;
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
static void put_cell(struct table *table, size_t column, const struct cell *cell, const char *text,
		     const char *color)
{
	bool right = table->columns->fields[column]->flags & FIELD_RIGHT;
	int blanks = table->widths[column] - cell_width(table, cell, text);
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

static void put_headings(struct table *table)
{
	for (size_t i = 0; i < table->columns->count; i++) {
		const char *heading = field_heading(table->columns->fields[i]);
		struct cell cell = measure_cell(heading);

		put_cell(table, i, &cell, heading, NULL);
	}
}

/* Puts a row of kept cells, which begins at `at`; returns where the next row begins. */
static size_t put_row(struct table *table, size_t at)
{
	for (size_t i = 0; i < table->columns->count; i++) {
		struct cell cell;

		memcpy(&cell, table->kept.bytes + at, sizeof(cell));
		at += sizeof(cell);
		put_cell(table, i, &cell, table->kept.bytes + at,
			 table->color ? format_tone(cell.tone) : NULL);
		at += cell.length;
	}
	return at;
}

static int put_block(struct table *table, size_t least)
{
	struct buffer *block = &table->block;
	size_t length = block->length;

	if (length < least || !length)
		return 0;
	block->length = 0;
	return fwrite(block->bytes, 1, length, table->out) < length ? -errno : 0;
}

static int put_table(struct table *table, const struct document *document, bool headings)
{
	size_t at = 0;
	int rc = 0;

	if (headings)
		put_headings(table);
	for (size_t row = 0; !rc && row < document->row_count; row++) {
		if (row >= table->kept_rows) {
			table->kept.length = at;
			keep_row(table, document->rows[row]);
			put_row(table, at);
		} else {
			at = put_row(table, at);
		}
		rc = put_block(table, BLOCK_SIZE);
	}
	return rc ?: put_block(table, 1);
}

static void table_free(struct table *table)
{
	free(table->kept.bytes);
	free(table->block.bytes);
	if (table->character_widths)
		freelocale(table->character_widths);
}

int render_table(FILE *out, const struct render_options *options, const struct document *document,
		 int *widths)
{
	_cleanup_(table_free) struct table table = {
		.columns = document->columns,
		.widths = widths,
		.color = options->color,
		.out = out,
	};

	if (!document->row_count)
		return 0;
	if (options->headings)
		measure_headings(&table);
	measure(&table, document);
	return put_table(&table, document, options->headings);
}
