/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "render/format.h"

static void put_record(FILE *out, const struct columns *columns, const void *record, bool sparse);

/*
 * Text is cleaned at its source, so that it is UTF-8 and holds no control byte. It is cleaned again
 * here as a second safeguard; then only two characters need an escape. jansson is not used for
 * writing, because its integers have 63 bits, and because a long list takes no memory here.
 */
static void put_text(FILE *out, const char *text, size_t length)
{
	_cleanup_(freep) char *clean = text_clean(text, length);

	for (const char *c = clean; *c; c++) {
		if (*c == '"' || *c == '\\')
			putc_unlocked('\\', out);
		putc_unlocked(*c, out);
	}
}

static void put_string(FILE *out, const char *string)
{
	putc_unlocked('"', out);
	put_text(out, string, strlen(string));
	putc_unlocked('"', out);
}

/* FIELD_LINES: whoever writes the string to a file needs its line breaks. */
static void put_lines(FILE *out, const char *text)
{
	size_t length = strcspn(text, "\n");

	putc_unlocked('"', out);
	put_text(out, text, length);
	while (text[length]) {
		text += length + 1;
		length = strcspn(text, "\n");
		fputs("\\n", out);
		put_text(out, text, length);
	}
	putc_unlocked('"', out);
}

static void put_list(FILE *out, const struct value *value)
{
	putc('[', out);
	for (size_t i = 0; i < value->list.count; i++) {
		if (i)
			fputs(", ", out);
		put_string(out, value->list.items[i]);
	}
	putc(']', out);
}

static void put_records(FILE *out, const struct field *field, const struct value *value,
			bool sparse)
{
	_cleanup_(columns_free) struct columns columns = columns_of_records(field);

	putc('[', out);
	for (size_t i = 0; i < value->records.count; i++) {
		if (i)
			fputs(sparse ? ",\n   " : ", ", out);
		put_record(out, &columns,
			   (const char *)value->records.rows + i * field->records->record_size,
			   sparse);
	}
	putc(']', out);
}

static void put_value(FILE *out, const struct field *field, const struct value *value, bool sparse)
{
	switch (value->kind) {
	case VALUE_STRING:
		if (field->flags & FIELD_LINES)
			put_lines(out, value->string);
		else
			put_string(out, value->string);
		break;
	case VALUE_UNSIGNED:
		fprintf(out, "%" PRIu64, value->number);
		break;
	case VALUE_SIGNED:
		fprintf(out, "%" PRId64, value->integer);
		break;
	case VALUE_REAL:
		if (isfinite(value->real))
			fprintf(out, "%.12g", value->real);
		else
			fputs("null", out);
		break;
	case VALUE_BOOL:
		fputs(value->boolean ? "true" : "false", out);
		break;
	case VALUE_LIST:
		put_list(out, value);
		break;
	case VALUE_RECORDS:
		put_records(out, field, value, sparse);
		break;
	default:
		fputs("null", out);
	}
}

static void put_members(FILE *out, const struct columns *columns, const void *record, bool sparse)
{
	const char *separator = "";
	struct value value;

	for (size_t i = 0; i < columns->count; i++) {
		field_get(columns->fields[i], record, &value);
		if (sparse && value.kind == VALUE_NONE)
			continue;
		fprintf(out, "%s\"%s\": ", separator, columns->fields[i]->key);
		put_value(out, columns->fields[i], &value, sparse);
		separator = ", ";
	}
}

/* One record on one line: readable and greppable. */
static void put_record(FILE *out, const struct columns *columns, const void *record, bool sparse)
{
	putc('{', out);
	put_members(out, columns, record, sparse);
	putc('}', out);
}

static void put_problems(FILE *out, const struct problems *problems)
{
	_cleanup_(columns_free) struct columns columns = columns_of(&problem_schema, COLUMNS_ALL);

	for (size_t i = 0; i < problems->count; i++) {
		fputs(i ? ",\n  " : "\n  ", out);
		put_record(out, &columns, &problems->items[i], false);
	}
}

void render_json_begin(FILE *out, const struct document *document)
{
	const struct schema *schema = document->columns->schema;

	putc('{', out);
	if (document->head) {
		put_members(out, document->head_columns, document->head, document->sparse);
		fputs(",\n ", out);
	}
	fprintf(out, "\"schema\": \"rdmactl/%s/%u\",\n \"%s\": [", schema->name, schema->version,
		schema->name);
}

void render_json_rows(FILE *out, const struct document *document, size_t first)
{
	for (size_t i = 0; i < document->row_count; i++) {
		fputs(first + i ? ",\n  " : "\n  ", out);
		put_record(out, document->columns, document->rows[i], document->sparse);
	}
}

void render_json_end(FILE *out, const struct problems *problems)
{
	fputs("],\n \"problems\": [", out);
	put_problems(out, problems);
	fputs("]}\n", out);
}

void render_jsonl(FILE *out, const struct document *document)
{
	for (size_t i = 0; i < document->row_count; i++) {
		put_record(out, document->columns, document->rows[i], document->sparse);
		putc('\n', out);
	}
}
