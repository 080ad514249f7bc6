/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A management datagram for people: its header, its fields, its bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/mad/mad_run.h"
#include "render/format.h"

#define LINE_BYTES 16u

bool mad_show_wanted(const struct ctx *ctx)
{
	const struct globals *globals = &ctx->globals;

	return !globals->json && !globals->jsonl && !globals->tsv && !globals->columns;
}

/* Columns that are made of what there is: the records are arrays of strings. */
struct sheet {
	struct field *fields;
	size_t field_count;
	char **cells; /* owned, one row behind the other */
	size_t cell_count;
};

static void add_column(struct sheet *sheet, const char *key)
{
	struct field *field = mem_append(&sheet->fields, &sheet->field_count, sizeof(*field));

	*field = (struct field){
		.key = key,
		.heading = key,
		.kind = FIELD_STRING,
		.offset = (sheet->field_count - 1) * sizeof(char *),
	};
}

static void add_cell(struct sheet *sheet, const char *text)
{
	*(char **)mem_append(&sheet->cells, &sheet->cell_count,
			     sizeof(char *)) = text ? mem_string(text) : NULL;
}

static void put_sheet(const struct ctx *ctx, struct sheet *sheet, enum format format)
{
	const size_t columns = sheet->field_count;
	const size_t count = columns ? sheet->cell_count / columns : 0;
	_cleanup_(freep) const struct field **fields = mem_alloc_zero(columns + 1, sizeof(*fields));
	_cleanup_(freep) const void **rows = mem_alloc_zero(count + 1, sizeof(*rows));
	const struct schema schema = {
		.name = "mad", .fields = sheet->fields, .field_count = columns};
	const struct columns selected = {.schema = &schema, .fields = fields, .count = columns};
	const struct problems none = {.items = NULL};
	const struct render_options options = {
		.format = format,
		.headings = !ctx->globals.no_headings,
	};
	const struct document document = {
		.columns = &selected,
		.rows = rows,
		.row_count = count,
		.problems = &none,
	};

	for (size_t i = 0; i < columns; i++)
		fields[i] = &sheet->fields[i];
	for (size_t i = 0; i < count; i++)
		rows[i] = sheet->cells + i * columns;
	/* What could not be written is found out at the end. */
	render(stdout, &options, &document);
	for (size_t i = 0; i < sheet->cell_count; i++)
		free(sheet->cells[i]);
	free(sheet->cells);
	free(sheet->fields);
}

/* Of what only some datagrams have, what is there. */
static bool is_worth(const struct field *field, const struct value *value)
{
	if (value->kind == VALUE_RECORDS || !strcmp(field->key, "data"))
		return false;
	if (!strcmp(field->key, "missing_bytes"))
		return value->number;
	return value->kind != VALUE_NONE || !strcmp(field->key, "method") ||
	       !strcmp(field->key, "attribute");
}

static void put_header(const struct ctx *ctx, const struct mad_decoded *decoded)
{
	struct sheet sheet = {.fields = NULL};

	for (size_t i = 0; i < mads_schema.field_count; i++) {
		const struct field *field = &mads_schema.fields[i];
		_cleanup_(text_release) struct text text = {.owned = NULL};
		struct value value;

		field_get(field, decoded, &value);
		if (!is_worth(field, &value))
			continue;
		format_value(&value, " ", &text);
		add_column(&sheet, field->key);
		add_cell(&sheet, text.string);
	}
	for (size_t i = 0; i < decoded->header_count; i++) {
		add_column(&sheet, decoded->header[i].key);
		add_cell(&sheet, decoded->header[i].value);
	}
	put_sheet(ctx, &sheet, FORMAT_RECORD);
}

/* A table has a row for each entry; all of them have the same fields. */
static void put_fields(const struct ctx *ctx, const struct mad_decoded *decoded)
{
	const bool table = decoded->fields[0].entry.known;
	struct sheet sheet = {.fields = NULL};

	for (size_t i = 0; i < decoded->field_count && !decoded->fields[i].entry.value; i++)
		add_column(&sheet, decoded->fields[i].key);
	for (size_t i = 0; i < decoded->field_count; i++)
		add_cell(&sheet, decoded->fields[i].value);
	put_sheet(ctx, &sheet, table ? FORMAT_TABLE : FORMAT_RECORD);
}

static int digit_of(char digit)
{
	return digit <= '9' ? digit - '0' : digit - 'a' + 10;
}

/* Offsets count from the beginning of the datagram. */
static void put_bytes(const struct mad_decoded *decoded)
{
	const size_t count = strlen(decoded->data) / 2;

	for (size_t at = 0; at < count; at += LINE_BYTES) {
		const size_t bytes = count - at < LINE_BYTES ? count - at : LINE_BYTES;
		char hex[3 * LINE_BYTES + 1] = "", text[LINE_BYTES + 1] = "";
		_cleanup_(freep) char *line = NULL;

		for (size_t i = 0; i < bytes; i++) {
			const char *digits = decoded->data + 2 * (at + i);
			int byte = digit_of(digits[0]) << 4 | digit_of(digits[1]);

			snprintf(hex + 3 * i, 4, " %.2s", digits);
			text[i] = byte >= ' ' && byte < 0x7f ? (char)byte : '.';
		}
		line = mem_format("%04zx: %-*s  |%s|\n", decoded->data_offset + at,
				  (int)(3 * LINE_BYTES), hex, text);
		render_text(stdout, line);
	}
}

void mad_show(const struct ctx *ctx, const struct mad_decoded *decoded, bool raw, bool first)
{
	if (!first)
		render_text(stdout, "\n");
	put_header(ctx, decoded);
	if (decoded->field_count) {
		render_text(stdout, "\n");
		put_fields(ctx, decoded);
	}
	if (*decoded->data && (raw || !decoded->known)) {
		render_text(stdout, "\n");
		put_bytes(decoded);
	}
}
