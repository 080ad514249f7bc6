/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "render/format.h"

static int put_record(const struct columns *columns, const void *record);

/*
 * jansson escapes, and refuses what is not UTF-8: text is cleaned at its source, this is the second
 * lock. The frame around it is written here, because jansson's integers end at INT64_MAX, and so
 * that a long list takes no memory.
 */
static int put_string(const char *string)
{
	json_t *object = json_string(string);
	int rc;

	if (!object) {
		_cleanup_(freep) char *clean = text_clean(string, strlen(string));

		object = json_string(clean);
	}
	rc = object ? json_dumpf(object, stdout, JSON_ENCODE_ANY) : -1;
	json_decref(object);
	return rc ? -EIO : 0;
}

static int put_list(const struct value *value)
{
	int rc = 0;

	putchar('[');
	for (size_t i = 0; !rc && i < value->list.count; i++) {
		if (i)
			fputs(", ", stdout);
		rc = put_string(value->list.items[i]);
	}
	putchar(']');
	return rc;
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
		return put_string(value->string);
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
		return put_list(value);
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

int render_json(const struct document *document)
{
	const struct schema *schema = document->columns->schema;
	int rc = 0;

	printf("{\"schema\": \"rdmactl/%s/%u\",\n \"%s\": [", schema->name, schema->version,
	       schema->name);
	for (size_t i = 0; !rc && i < document->row_count; i++) {
		fputs(i ? ",\n  " : "\n  ", stdout);
		rc = put_record(document->columns, document->rows[i]);
	}
	fputs("],\n \"problems\": [", stdout);
	if (!rc)
		rc = put_problems(document->problems);
	fputs("]}\n", stdout);
	return rc;
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

const char *render_json_built_version(void)
{
	return JANSSON_VERSION;
}

const char *render_json_running_version(void)
{
#if JANSSON_VERSION_HEX >= 0x020d00
	return jansson_version_str();
#else
	return NULL;
#endif
}
