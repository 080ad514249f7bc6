/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "render/format.h"

static json_t *record_object(const struct columns *columns, const void *record);

/* jansson refuses invalid UTF-8. Text is cleaned at its source; this is the second lock. */
static json_t *string_object(const char *string)
{
	json_t *object = json_string(string);
	_cleanup_(freep) char *clean = NULL;

	if (object)
		return object;
	clean = text_clean(string, strlen(string));
	return json_string(clean);
}

static json_t *list_object(const struct value *value)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < value->list.count; i++)
		json_array_append_new(list, string_object(value->list.items[i]));
	return list;
}

static json_t *records_object(const struct field *field, const struct value *value)
{
	_cleanup_(freep) char *bad = NULL;
	json_t *list = json_array();
	struct columns columns;

	if (columns_select(&columns, field->records, COLUMNS_ALL, field->records_columns, &bad))
		return list;
	for (size_t i = 0; i < value->records.count; i++)
		json_array_append_new(
			list, record_object(&columns, (const char *)value->records.rows +
							      i * field->records->record_size));
	columns_free(&columns);
	return list;
}

static json_t *value_object(const struct field *field, const struct value *value)
{
	switch (value->kind) {
	case VALUE_STRING:
		return string_object(value->string);
	case VALUE_UNSIGNED:
		/* jansson's integers are signed: a larger number keeps its size, not its last digits. */
		if (value->number > INT64_MAX)
			return json_real((double)value->number);
		return json_integer((json_int_t)value->number);
	case VALUE_SIGNED:
		return json_integer(value->integer);
	case VALUE_REAL:
		return json_real(value->real);
	case VALUE_BOOL:
		return json_boolean(value->boolean);
	case VALUE_LIST:
		return list_object(value);
	case VALUE_RECORDS:
		return records_object(field, value);
	default:
		return json_null();
	}
}

static json_t *record_object(const struct columns *columns, const void *record)
{
	json_t *object = json_object();
	struct value value;

	for (size_t i = 0; object && i < columns->count; i++) {
		const struct field *field = columns->fields[i];

		field_get(field, record, &value);
		json_object_set_new_nocheck(object, field->key, value_object(field, &value));
	}
	return object;
}

/* One record on one line: readable, greppable, and a long list takes no memory. */
static int put_object(json_t *object)
{
	int rc = object ? json_dumpf(object, stdout, JSON_REAL_PRECISION(12))
			: -1;

	json_decref(object);
	return rc ? -EIO : 0;
}

static int put_problems(const struct problems *problems)
{
	_cleanup_(freep) char *bad = NULL;
	struct columns columns;
	int rc;

	rc = columns_select(&columns, &problem_schema, COLUMNS_ALL, NULL, &bad);
	for (size_t i = 0; !rc && i < problems->count; i++) {
		fputs(i ? ",\n  " : "\n  ", stdout);
		rc = put_object(record_object(&columns, &problems->items[i]));
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
		rc = put_object(record_object(document->columns, document->rows[i]));
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
		rc = put_object(record_object(document->columns, document->rows[i]));
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
