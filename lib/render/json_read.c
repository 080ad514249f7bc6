/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jansson reads every value that a field holds or that is not plain. Brackets, commas, plain keys
 * and plain values that no field holds are read here. So there is never more than one value in
 * jansson's form, which takes ten times the memory of the text, and a file with all columns, most
 * of which no field holds, is not read at jansson's ten nanoseconds per byte.
 */
#include "render/json_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/cleanup.h"
#include "base/gid.h"
#include "base/mem.h"
#include "base/text.h"
#include "render/json_reader.h"

enum {
	/* Records saved by rdmactl take at most 0.6 bytes per byte of their text. */
	RECORD_BYTES_A_BYTE = 4,
	FREE_RECORD_BYTES = 65536,
};

struct reader {
	struct json_reader in;
	const struct schema *schema;
	struct records records;
	size_t record_bytes; /* of all records, without their strings */
	bool is_of_schema;
};

/* Skips a value that no field holds; skips the values of a list one by one. */
static int skip_value(struct reader *reader)
{
	const bool is_list = json_take(&reader->in, '[');

	if (is_list && json_take(&reader->in, ']'))
		return 0;
	do {
		_cleanup_(json_releasep) json_t *value = json_read_value(&reader->in);

		if (!value)
			return -EINVAL;
	} while (is_list && json_take(&reader->in, ','));
	return is_list ? json_expect(&reader->in, ']') : 0;
}

static int complain_value(struct reader *reader, const struct field *field, const json_t *value)
{
	_cleanup_(freep) char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);

	return json_complain(&reader->in, reader->in.value, "%s cannot be %.60s", field->key, text);
}

static bool parse_number(const struct field *field, const json_t *value, uint64_t *ret_number)
{
	const char *text = json_string_value(value);

	switch (field->kind) {
	case FIELD_GUID:
		return text && !guid_parse(text, ret_number);
	case FIELD_HEX:
		return text && !strncmp(text, "0x", 2) &&
		       !text_parse_u64(text + 2, 16, UINT64_MAX, ret_number);
	default:
		if (text)
			return !text_parse_u64(text, 10, UINT64_MAX, ret_number);
		*ret_number = (uint64_t)json_integer_value(value);
		return json_is_integer(value) && json_integer_value(value) >= 0;
	}
}

static bool parse_real(const json_t *value, double *ret_real)
{
	const char *text = json_string_value(value);

	*ret_real = text ? strtod(text, NULL) : json_number_value(value);
	return text ? json_is_long_integer(text, strlen(text)) : json_is_number(value);
}

/* The value is not null: read_member() skips that. */
static int set_field(struct reader *reader, const struct field *field, const json_t *value,
		     void *member)
{
	const struct enum_name *name;
	uint64_t number;
	double real;

	switch (field->kind) {
	case FIELD_STRING:
		if (!json_is_string(value))
			break;
		*(char **)member = text_clean(json_string_value(value), json_string_length(value));
		return 0;
	case FIELD_ENUM:
		if (!json_is_string(value))
			break;
		/* A word of a later version stays unknown. */
		name = enum_find_word(field->names, json_string_value(value));
		if (name)
			number_set(member, name->value);
		return 0;
	case FIELD_BOOL:
		if (!json_is_boolean(value))
			break;
		*(enum tristate *)member = json_is_true(value) ? TRISTATE_YES : TRISTATE_NO;
		return 0;
	case FIELD_REAL:
		if (!parse_real(value, &real))
			break;
		*(struct real *)member = real_of(real);
		return 0;
	default:
		if (!parse_number(field, value, &number))
			break;
		number_set(member, number);
		return 0;
	}
	return complain_value(reader, field, value);
}

static bool is_held(const struct field *field)
{
	const unsigned int kinds = 1u << FIELD_STRING | 1u << FIELD_UNSIGNED | 1u << FIELD_HEX |
				   1u << FIELD_REAL | 1u << FIELD_BOOL | 1u << FIELD_ENUM |
				   1u << FIELD_GUID | 1u << FIELD_RECORDS;

	return !field->get && !field->width && kinds & 1u << field->kind;
}

static bool key_is(const struct json_key *key, const char *name)
{
	return *name == *key->text && strlen(name) == key->length &&
	       !memcmp(name, key->text, key->length);
}

/* The field that holds the member, or NULL. */
static const struct field *find_held(const struct schema *schema, const struct json_key *key)
{
	for (size_t i = 0; i < schema->field_count; i++)
		if (key_is(key, schema->fields[i].key))
			return is_held(&schema->fields[i]) ? &schema->fields[i] : NULL;
	return NULL;
}

static int read_records(struct reader *reader, const struct schema *schema,
			struct records *records);

/* Reads a member of a record, or of the head of the document. */
static int read_member(struct reader *reader, const struct schema *schema, void *record,
		       const struct json_key *key)
{
	const struct field *field = find_held(schema, key);
	const char first = json_peek(&reader->in),
		   *next = json_skip_token(reader->in.at, reader->in.end);
	_cleanup_(json_releasep) json_t *value = NULL;

	if (field && field->kind == FIELD_RECORDS && first != 'n')
		return read_records(reader, field->records,
				    (void *)((char *)record + field->offset));
	if ((!field || first == 'n') &&
	    json_is_plain(reader->in.at, (size_t)(next - reader->in.at))) {
		reader->in.at = next;
		return 0;
	}
	if (!field || field->kind == FIELD_RECORDS)
		return skip_value(reader);
	value = json_read_value(&reader->in);
	return value ? set_field(reader, field, value, (char *)record + field->offset) : -EINVAL;
}

/* Reads a member of the document: of its head, its schema, or its records. */
static int read_part(struct reader *reader, const struct schema *head_schema, void *head,
		     const struct json_key *key)
{
	_cleanup_(freep) char *name = NULL;
	_cleanup_(json_releasep) json_t *value = NULL;

	if (key_is(key, reader->schema->name))
		return read_records(reader, reader->schema, &reader->records);
	if (!key_is(key, "schema"))
		return read_member(reader, head_schema, head, key);
	value = json_read_value(&reader->in);
	if (!value)
		return -EINVAL;
	name = mem_format("rdmactl/%s/%u", reader->schema->name, reader->schema->version);
	reader->is_of_schema = json_is_string(value) && !strcmp(json_string_value(value), name);
	return 0;
}

typedef int (*read_member_function)(struct reader *reader, const struct schema *schema,
				    void *record, const struct json_key *key);

static int read_object(struct reader *reader, const struct schema *schema, void *record,
		       read_member_function member)
{
	_cleanup_(json_keys_clear) struct json_keys keys;

	keys.count = 0;
	if (json_peek(&reader->in) != '{')
		return json_complain(&reader->in, reader->in.at, "a record is not an object");
	reader->in.at++;
	if (json_take(&reader->in, '}'))
		return 0;
	do {
		if (json_take_key(&reader->in, &keys) ||
		    member(reader, schema, record, &keys.items[keys.count - 1]))
			return -EINVAL;
	} while (json_take(&reader->in, ','));
	return json_expect(&reader->in, '}');
}

static int read_records(struct reader *reader, const struct schema *schema, struct records *records)
{
	records->known = true;
	if (json_expect(&reader->in, '['))
		return -EINVAL;
	if (json_take(&reader->in, ']'))
		return 0;
	do {
		reader->record_bytes += schema->record_size;
		if (reader->record_bytes / RECORD_BYTES_A_BYTE >
		    (size_t)(reader->in.at - reader->in.text) + FREE_RECORD_BYTES)
			return json_complain(&reader->in, reader->in.at, "too many empty records");
		if (read_object(reader, schema,
				mem_append(&records->rows, &records->count, schema->record_size),
				read_member))
			return -EINVAL;
	} while (json_take(&reader->in, ','));
	return json_expect(&reader->in, ']');
}

static int read_document(struct reader *reader, const struct schema *head_schema, void *head)
{
	if (json_peek(&reader->in) != '{')
		return json_complain(&reader->in, reader->in.at, "this is not a JSON document");
	return read_object(reader, head_schema, head, read_part)
		       ?: json_expect_end(&reader->in, "JSON document");
}

int json_read(const char *text, size_t length, const struct schema *head_schema, void *head,
	      const struct schema *schema, void **ret_records, size_t *ret_count,
	      char **ret_message)
{
	struct reader reader = {
		.in = {.text = text, .at = text, .end = text + length, .value = text},
		.schema = schema,
	};
	int rc = read_document(&reader, head_schema, head);

	if (!rc && !reader.is_of_schema)
		rc = -ENOMSG;
	if (!rc) {
		*ret_records = reader.records.rows;
		*ret_count = reader.records.count;
		return 0;
	}
	records_clear(schema, &reader.records);
	record_clear(head_schema, head);
	if (rc == -EINVAL)
		*ret_message = reader.in.message;
	return rc;
}

int json_read_record(const char *text, size_t length, const struct schema *schema, void *record,
		     char **ret_message)
{
	struct reader reader = {
		.in = {.text = text, .at = text, .end = text + length, .value = text},
		.schema = schema,
	};
	int rc = read_object(&reader, schema, record, read_member)
			 ?: json_expect_end(&reader.in, "record");

	if (!rc)
		return 0;
	record_clear(schema, record);
	*ret_message = reader.in.message;
	return rc;
}
