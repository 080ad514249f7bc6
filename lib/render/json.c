/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "render/format.h"

static int put_record(const struct columns *columns, const void *record);

/*
 * Text is cleaned at its source, so that it is UTF-8 and holds no control byte: what is not is
 * cleaned here, as the second lock, and two characters are left to be escaped. Written here and not
 * by a library, because integers have 64 bits without a sign, and a long list takes no memory.
 */
static void put_string(const char *string)
{
	_cleanup_(freep) char *clean = text_clean(string, strlen(string));

	putchar_unlocked('"');
	for (const char *c = clean; *c; c++) {
		if (*c == '"' || *c == '\\')
			putchar_unlocked('\\');
		putchar_unlocked(*c);
	}
	putchar_unlocked('"');
}

static void put_list(const struct value *value)
{
	putchar('[');
	for (size_t i = 0; i < value->list.count; i++) {
		if (i)
			fputs(", ", stdout);
		put_string(value->list.items[i]);
	}
	putchar(']');
}

static int put_records(const struct field *field, const struct value *value)
{
	_cleanup_(freep) char *bad = NULL;
	struct columns columns;
	int rc = columns_select(&columns, field->records, COLUMNS_ALL, field->records_columns,
				&bad);

	putchar('[');
	for (size_t i = 0; !rc && i < value->records.count; i++) {
		if (i)
			fputs(", ", stdout);
		rc = put_record(&columns, (const char *)value->records.rows +
						  i * field->records->record_size);
	}
	putchar(']');
	columns_free(&columns);
	return rc;
}

static int put_value(const struct field *field, const struct value *value)
{
	switch (value->kind) {
	case VALUE_STRING:
		put_string(value->string);
		return 0;
	case VALUE_UNSIGNED:
		printf("%" PRIu64, value->number);
		return 0;
	case VALUE_SIGNED:
		printf("%" PRId64, value->integer);
		return 0;
	case VALUE_REAL:
		if (!isfinite(value->real))
			break;
		printf("%.12g", value->real);
		return 0;
	case VALUE_BOOL:
		fputs(value->boolean ? "true" : "false", stdout);
		return 0;
	case VALUE_LIST:
		put_list(value);
		return 0;
	case VALUE_RECORDS:
		return put_records(field, value);
	default:
		break;
	}
	fputs("null", stdout);
	return 0;
}

/* One record on one line: readable and greppable. */
static int put_record(const struct columns *columns, const void *record)
{
	struct value value;
	int rc = 0;

	putchar('{');
	for (size_t i = 0; !rc && i < columns->count; i++) {
		printf("%s\"%s\": ", i ? ", " : "", columns->fields[i]->key);
		field_get(columns->fields[i], record, &value);
		rc = put_value(columns->fields[i], &value);
	}
	putchar('}');
	return rc;
}

static int put_problems(const struct problems *problems)
{
	_cleanup_(freep) char *bad = NULL;
	struct columns columns;
	int rc;

	rc = columns_select(&columns, &problem_schema, COLUMNS_ALL, NULL, &bad);
	for (size_t i = 0; !rc && i < problems->count; i++) {
		fputs(i ? ",\n  " : "\n  ", stdout);
		rc = put_record(&columns, &problems->items[i]);
	}
	columns_free(&columns);
	return rc;
}

void render_json_begin(const struct schema *schema)
{
	printf("{\"schema\": \"rdmactl/%s/%u\",\n \"%s\": [", schema->name, schema->version,
	       schema->name);
}

int render_json_rows(const struct document *document, size_t first)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < document->row_count; i++) {
		fputs(first + i ? ",\n  " : "\n  ", stdout);
		rc = put_record(document->columns, document->rows[i]);
	}
	return rc;
}

int render_json_end(const struct problems *problems)
{
	int rc;

	fputs("],\n \"problems\": [", stdout);
	rc = put_problems(problems);
	fputs("]}\n", stdout);
	return rc;
}

int render_json(const struct document *document)
{
	int rows, end;

	render_json_begin(document->columns->schema);
	rows = render_json_rows(document, 0);
	end = render_json_end(document->problems);
	return rows ? rows : end;
}

int render_jsonl(const struct document *document)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < document->row_count; i++) {
		rc = put_record(document->columns, document->rows[i]);
		putchar('\n');
	}
	return rc;
}
