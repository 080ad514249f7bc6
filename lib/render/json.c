/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "render/format.h"

static int put_record(FILE *out, const struct columns *columns, const void *record, bool sparse);

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

static int put_records(FILE *out, const struct field *field, const struct value *value, bool sparse)
{
	_cleanup_(columns_free) struct columns columns = {0};
	int rc = columns_of_records(&columns, field);

	putc('[', out);
	for (size_t i = 0; !rc && i < value->records.count; i++) {
		if (i)
			fputs(sparse ? ",\n   " : ", ", out);
		rc = put_record(out, &columns,
				(const char *)value->records.rows + i * field->records->record_size,
				sparse);
	}
	putc(']', out);
	return rc;
}

static int put_value(FILE *out, const struct field *field, const struct value *value, bool sparse)
{
	switch (value->kind) {
	case VALUE_STRING:
		if (field->flags & FIELD_LINES)
			put_lines(out, value->string);
		else
			put_string(out, value->string);
		return 0;
	case VALUE_UNSIGNED:
		fprintf(out, "%" PRIu64, value->number);
		return 0;
	case VALUE_SIGNED:
		fprintf(out, "%" PRId64, value->integer);
		return 0;
	case VALUE_REAL:
		if (!isfinite(value->real))
			break;
		fprintf(out, "%.12g", value->real);
		return 0;
	case VALUE_BOOL:
		fputs(value->boolean ? "true" : "false", out);
		return 0;
	case VALUE_LIST:
		put_list(out, value);
		return 0;
	case VALUE_RECORDS:
		return put_records(out, field, value, sparse);
	default:
		break;
	}
	fputs("null", out);
	return 0;
}

static int put_members(FILE *out, const struct columns *columns, const void *record, bool sparse)
{
	const char *separator = "";
	struct value value;
	int rc = 0;

	for (size_t i = 0; !rc && i < columns->count; i++) {
		field_get(columns->fields[i], record, &value);
		if (sparse && value.kind == VALUE_NONE)
			continue;
		fprintf(out, "%s\"%s\": ", separator, columns->fields[i]->key);
		rc = put_value(out, columns->fields[i], &value, sparse);
		separator = ", ";
	}
	return rc;
}

/* One record on one line: readable and greppable. */
static int put_record(FILE *out, const struct columns *columns, const void *record, bool sparse)
{
	int rc;

	putc('{', out);
	rc = put_members(out, columns, record, sparse);
	putc('}', out);
	return rc;
}

static int put_problems(FILE *out, const struct problems *problems)
{
	_cleanup_(columns_free) struct columns columns = columns_of(&problem_schema, COLUMNS_ALL);
	int rc = 0;

	for (size_t i = 0; !rc && i < problems->count; i++) {
		fputs(i ? ",\n  " : "\n  ", out);
		rc = put_record(out, &columns, &problems->items[i], false);
	}
	return rc;
}

int render_json_begin(FILE *out, const struct document *document)
{
	const struct schema *schema = document->columns->schema;
	int rc = 0;

	putc('{', out);
	if (document->head) {
		rc = put_members(out, document->head_columns, document->head, document->sparse);
		fputs(",\n ", out);
	}
	fprintf(out, "\"schema\": \"rdmactl/%s/%u\",\n \"%s\": [", schema->name, schema->version,
		schema->name);
	return rc;
}

int render_json_rows(FILE *out, const struct document *document, size_t first)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < document->row_count; i++) {
		fputs(first + i ? ",\n  " : "\n  ", out);
		rc = put_record(out, document->columns, document->rows[i], document->sparse);
	}
	return rc;
}

int render_json_end(FILE *out, const struct problems *problems)
{
	int rc;

	fputs("],\n \"problems\": [", out);
	rc = put_problems(out, problems);
	fputs("]}\n", out);
	return rc;
}

int render_json(FILE *out, const struct document *document)
{
	int begin = render_json_begin(out, document);
	int rows = render_json_rows(out, document, 0);
	int end = render_json_end(out, document->problems);

	if (begin)
		return begin;
	return rows ? rows : end;
}

int render_jsonl(FILE *out, const struct document *document)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < document->row_count; i++) {
		rc = put_record(out, document->columns, document->rows[i], document->sparse);
		putc('\n', out);
	}
	return rc;
}
