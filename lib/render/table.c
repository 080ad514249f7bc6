/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tables of plain ASCII, which nearly all are: cells in one pass over the rows, which tells how
 * wide the columns are, lines in another. Anything else is left to libsmartcols (wide_table.c),
 * which knows the width of all characters but costs many times the instructions of all this.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
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

/*
 * Between the passes, the cells are kept if they take no more than this. Those of a longer list are
 * got a second time: as text they are larger than what they are made of.
 */
enum { KEPT_MOST = 512 * 1024, BLOCK_SIZE = 16 * 1024, SMALLEST_ROOM = 4096 };
/* Behind the text of a cell: the end of its colour and a line feed, or what is too much of BLANKS.
 */
enum { AROUND_CELL = 32, SHORT_CELL = 64 };
#define BLANKS "        "

struct buffer {
	char *bytes;
	size_t length, room;
};

/* Stands before the text of each cell that is kept, which ends without a NUL. */
struct cell {
	uint32_t length : 29; /* bytes */
	uint32_t plain : 1;   /* as many columns of a terminal */
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

/* Of UTF-8, a byte at least for each: how wide it is on a terminal is for libsmartcols to know. */
static int character_count(const char *text, size_t length)
{
	int count = 0;

	for (size_t i = 0; i < length; i++)
		count += (text[i] & 0xc0) != 0x80;
	return count;
}

static int cell_width(const struct cell *cell, const char *text)
{
	return cell->plain ? (int)cell->length : character_count(text, cell->length);
}

/* Copies a short plain text, as nearly all are, up to where it is neither; returns how much. */
static uint32_t copy_short(char *to, const char *text)
{
	uint32_t length = 0;

	while (length < SHORT_CELL && text[length] >= ' ' && text[length] <= '~') {
		to[length] = text[length];
		length++;
	}
	return length;
}

/* Behind what is kept, and widens its column; false if it is not plain, unless `any`. */
static bool keep_cell(struct buffer *kept, const char *text, enum tone tone, bool any, int *width)
{
	struct cell cell = {.plain = true};
	int wide;

	make_room(kept, sizeof(cell) + SHORT_CELL);
	cell.length = copy_short(kept->bytes + kept->length + sizeof(cell), text);
	wide = (int)cell.length;
	if (text[cell.length]) {
		cell = measure_cell(text);
		if (!cell.plain && !any)
			return false;
		wide = cell_width(&cell, text);
		make_room(kept, sizeof(cell) + cell.length);
		memcpy(kept->bytes + kept->length + sizeof(cell), text, cell.length);
	}
	cell.tone = tone & 3;
	memcpy(kept->bytes + kept->length, &cell, sizeof(cell));
	kept->length += sizeof(cell) + cell.length;
	if (wide > *width)
		*width = wide;
	return true;
}

static bool keep_row(struct table *table, const void *row, bool any)
{
	for (size_t i = 0; i < table->columns->count; i++) {
		_cleanup_(text_release) struct text text;
		struct value value;

		table_get_cell(table->columns->fields[i], row, &value, &text);
		if (!keep_cell(&table->kept, text.string, value.tone, any, &table->widths[i]))
			return false;
	}
	return true;
}

static void measure_headings(struct table *table)
{
	for (size_t i = 0; i < table->columns->count; i++) {
		int length = (int)strlen(table->columns->fields[i]->heading);

		if (length > table->widths[i])
			table->widths[i] = length;
	}
}

/* Whether all rows may be kept if they go on as those so far, of which the first are no sample. */
static bool may_keep(const struct table *table, size_t rows, size_t row_count)
{
	return table->kept.length < SMALLEST_ROOM ||
	       table->kept.length / rows * row_count <= KEPT_MOST;
}

/* Keeps rows as long as it makes sense, measures all; false if one is not plain, unless `any`. */
static bool measure(struct table *table, const struct document *document, bool any)
{
	table->kept.length = table->kept_rows = 0;
	for (size_t row = 0; row < document->row_count; row++) {
		size_t before = table->kept.length;

		if (!keep_row(table, document->rows[row], any))
			return false;
		if (row == table->kept_rows && may_keep(table, row + 1, document->row_count))
			table->kept_rows++;
		else
			table->kept.length = before;
	}
	return true;
}

/* There are few as a rule: some too many, which the next text overwrites, are the least work. */
static void put_blanks(struct buffer *block, int count)
{
	for (int i = 0; i < count; i += (int)strlen(BLANKS))
		memcpy(block->bytes + block->length + i, BLANKS, strlen(BLANKS));
	if (count > 0)
		block->length += (size_t)count;
}

/* A cell and what separates it from the next: nothing behind the last one. */
static void put_cell(struct table *table, size_t column, const struct cell *cell, const char *text,
		     const char *color)
{
	bool right = table->columns->fields[column]->flags & FIELD_RIGHT;
	int blanks = table->widths[column] - cell_width(cell, text);
	struct buffer *block = &table->block;

	make_room(block, (size_t)table->widths[column] + cell->length + AROUND_CELL);
	if (right)
		put_blanks(block, blanks);
	if (color)
		add_bytes(block, color, strlen(color));
	add_bytes(block, text, cell->length);
	if (color)
		add_bytes(block, "\033[0m", 4);
	if (column + 1 == table->columns->count)
		block->bytes[block->length++] = '\n';
	else
		put_blanks(block, right ? 1 : blanks + 1);
}

static void put_headings(struct table *table)
{
	for (size_t i = 0; i < table->columns->count; i++) {
		const char *heading = table->columns->fields[i]->heading;
		struct cell cell = measure_cell(heading);

		put_cell(table, i, &cell, heading, NULL);
	}
}

/* The cells from `at` on; returns the place behind them. */
static size_t put_row(struct table *table, size_t at)
{
	for (size_t i = 0; i < table->columns->count; i++) {
		struct cell cell;

		memcpy(&cell, table->kept.bytes + at, sizeof(cell));
		at += sizeof(cell);
		put_cell(table, i, &cell, table->kept.bytes + at,
			 table->color ? table_tone_color(cell.tone) : NULL);
		at += cell.length;
	}
	return at;
}

static int put_block(struct buffer *block, size_t least)
{
	size_t length = block->length;

	if (length < least || !length)
		return 0;
	block->length = 0;
	return fwrite(block->bytes, 1, length, stdout) < length ? -errno : 0;
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
			keep_row(table, document->rows[row], true);
			put_row(table, at);
		} else {
			at = put_row(table, at);
		}
		rc = put_block(&table->block, BLOCK_SIZE);
	}
	return rc ? rc : put_block(&table->block, 1);
}

static void table_free(struct table *table)
{
	free(table->kept.bytes);
	free(table->block.bytes);
}

int render_table(const struct render_options *options, const struct document *document)
{
	_cleanup_(freep) int *widths = mem_alloc_zero(document->columns->count, sizeof(*widths));
	_cleanup_(table_free) struct table table = {
		.columns = document->columns, .widths = widths, .color = options->color};

	if (!document->row_count)
		return 0;
	if (options->headings)
		measure_headings(&table);
	if (!measure(&table, document, false)) {
		int rc = render_wide_table(options, document);

		/* Without libsmartcols a table out of line is better than none. */
		if (rc != -ELIBACC)
			return rc;
		measure(&table, document, true);
	}
	return put_table(&table, document, options->headings);
}

int render_table_piece(const struct render_options *options, const struct document *document,
		       int *widths)
{
	_cleanup_(table_free) struct table table = {
		.columns = document->columns, .widths = widths, .color = options->color};

	if (!document->row_count)
		return 0;
	if (options->headings)
		measure_headings(&table);
	measure(&table, document, true);
	return put_table(&table, document, options->headings);
}
