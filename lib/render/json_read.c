/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jansson reads every value, key and record. Only the brackets and commas around records are read
 * here, so that there is never more than one record in jansson's form: which takes ten times
 * the memory of the text.
 */
#include "render/json_read.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/cleanup.h"
#include "base/gid.h"
#include "base/mem.h"
#include "base/text.h"

enum { DEEPEST = 32 }; /* values within values */

/* All integers of 18 digits, but not all of 19, fit into jansson's, which have 63 bits. */
enum { SAFE_DIGITS = 18 };

struct reader {
	const char *text, *at, *end;
	const char *value; /* where the last value began, for messages */
	const struct schema *schema;
	struct records records;
	bool is_of_schema;
	char *message;
};

static void json_releasep(json_t **value)
{
	json_decref(*value);
}

/* Sets the message, unless there is one. Returns -EINVAL. */
__attribute__((format(printf, 3, 4))) static int complain(struct reader *reader, const char *at,
							  const char *format, ...)
{
	char what[JSON_ERROR_TEXT_LENGTH + 64];
	_cleanup_(freep) char *clean = NULL;
	size_t line = 1;
	va_list arguments;

	if (reader->message)
		return -EINVAL;
	va_start(arguments, format);
	vsnprintf(what, sizeof(what), format, arguments);
	va_end(arguments);
	for (const char *c = reader->text; c < at; c++)
		line += *c == '\n';
	clean = text_clean(what, strlen(what));
	reader->message = mem_format("line %zu: %s", line, clean);
	return -EINVAL;
}

/* The end of the string that begins after its opening quote, or of the text. */
static const char *skip_string(const char *at, const char *end)
{
	while (at < end && *at != '"')
		at += *at == '\\' && end - at > 1 ? 2 : 1;
	return at < end ? at + 1 : end;
}

static bool is_long_integer(const char *token, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (token[i] < '0' || token[i] > '9')
			return false;
	return length > SAFE_DIGITS;
}

/* 0 if this is not the beginning of a number. */
static size_t number_length(const char *at, const char *end)
{
	size_t length = 0;

	if (*at != '-' && (*at < '0' || *at > '9'))
		return 0;
	while (at + length < end && at[length] && strchr("+-.0123456789eE", at[length]))
		length++;
	return length;
}

/*
 * Checks how deep the values are, and quotes the integers that jansson might refuse: fields take
 * them as text. Without `copy`, only counts them.
 */
static int scan(struct reader *reader, size_t *long_integers, char *copy)
{
	unsigned int depth = 0;

	for (const char *at = reader->text, *next; at < reader->end; at = next) {
		size_t number = number_length(at, reader->end);
		bool quoted = number && is_long_integer(at, number);

		next = *at == '"' ? skip_string(at + 1, reader->end) : at + (number ? number : 1);
		*long_integers += quoted;
		if (copy && quoted)
			*copy++ = '"';
		if (copy)
			copy = mempcpy(copy, at, (size_t)(next - at));
		if (copy && quoted)
			*copy++ = '"';
		if ((*at == '{' || *at == '[') && ++depth > DEEPEST)
			return complain(reader, at, "more than %d values within each other",
					DEEPEST);
		if ((*at == '}' || *at == ']') && depth)
			depth--;
	}
	return 0;
}

/* The reader reads *ret_copy if it is set. The caller frees it. */
static int prepare(struct reader *reader, char **ret_copy)
{
	size_t long_integers = 0, length = (size_t)(reader->end - reader->text);

	if (scan(reader, &long_integers, NULL))
		return -EINVAL;
	if (!long_integers)
		return 0;
	length += 2 * long_integers;
	*ret_copy = mem_alloc_zero(length, 1);
	scan(reader, &long_integers, *ret_copy);
	reader->text = reader->at = reader->value = *ret_copy;
	reader->end = *ret_copy + length;
	return 0;
}

/* The next character that is not blank, 0 at the end. */
static char peek(struct reader *reader)
{
	while (reader->at < reader->end && *reader->at && strchr(" \t\r\n", *reader->at))
		reader->at++;
	return reader->at < reader->end ? *reader->at : '\0';
}

static bool take(struct reader *reader, char wanted)
{
	if (peek(reader) != wanted || reader->at == reader->end)
		return false;
	reader->at++;
	return true;
}

static int expect(struct reader *reader, char wanted)
{
	return take(reader, wanted) ? 0 : complain(reader, reader->at, "'%c' is missing", wanted);
}

/* Any value; NULL if there is none, with the message set. */
static json_t *read_value(struct reader *reader)
{
	const size_t flags = JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES |
			     JSON_ALLOW_NUL;
	json_error_t error;
	json_t *value;

	peek(reader);
	reader->value = reader->at;
	value = json_loadb(reader->at, (size_t)(reader->end - reader->at), flags, &error);
	if (value)
		reader->at += error.position;
	else
		complain(reader,
			 error.position > 0 && error.position <= reader->end - reader->at
				 ? reader->at + error.position - 1
				 : reader->at,
			 "%s", error.text);
	return value;
}

static int complain_value(struct reader *reader, const struct field *field, const json_t *value)
{
	_cleanup_(freep) char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);

	return complain(reader, reader->value, "%s cannot be %.60s", field->key, text ? text : "");
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
	return text ? is_long_integer(text, strlen(text)) : json_is_number(value);
}

static int set_field(struct reader *reader, const struct field *field, const json_t *value,
		     void *member)
{
	const struct enum_name *name;
	uint64_t number;
	double real;

	if (!value || json_is_null(value))
		return 0;
	switch (field->kind) {
	case FIELD_STRING:
		if (!json_is_string(value))
			break;
		*(char **)member = text_clean(json_string_value(value), json_string_length(value));
		return 0;
	case FIELD_ENUM:
		if (!json_is_string(value))
			break;
		/* A word of a later version: unknown. */
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
		*(struct real *)member = (struct real){.value = real, .known = true};
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

static bool has_records(const struct schema *schema)
{
	for (size_t i = 0; i < schema->field_count; i++)
		if (is_held(&schema->fields[i]) && schema->fields[i].kind == FIELD_RECORDS)
			return true;
	return false;
}

static int read_records(struct reader *reader, const struct schema *schema,
			struct records *records);

/* A member of an object that is read piece by piece, because it has lists of records. */
static int read_member(struct reader *reader, const struct schema *schema, void *record,
		       const char *key)
{
	const struct field *field = schema_find(schema, key);
	_cleanup_(json_releasep) json_t *value = NULL;

	if (field && !is_held(field))
		field = NULL;
	if (field && field->kind == FIELD_RECORDS && peek(reader) != 'n')
		return read_records(reader, field->records,
				    (void *)((char *)record + field->offset));
	value = read_value(reader);
	if (!value)
		return -EINVAL;
	return field && field->kind != FIELD_RECORDS
		       ? set_field(reader, field, value, (char *)record + field->offset)
		       : 0;
}

/* A member of the document. */
static int read_part(struct reader *reader, const struct schema *head_schema, void *head,
		     const char *key)
{
	_cleanup_(freep) char *name = NULL;
	_cleanup_(json_releasep) json_t *value = NULL;

	if (!strcmp(key, reader->schema->name))
		return read_records(reader, reader->schema, &reader->records);
	if (strcmp(key, "schema") != 0)
		return read_member(reader, head_schema, head, key);
	value = read_value(reader);
	if (!value)
		return -EINVAL;
	name = mem_format("rdmactl/%s/%u", reader->schema->name, reader->schema->version);
	reader->is_of_schema = json_is_string(value) && !strcmp(json_string_value(value), name);
	return 0;
}

typedef int (*read_member_function)(struct reader *reader, const struct schema *schema,
				    void *record, const char *key);

static int read_object(struct reader *reader, const struct schema *schema, void *record,
		       read_member_function member)
{
	_cleanup_(json_releasep) json_t *seen = json_object();

	if (expect(reader, '{'))
		return -EINVAL;
	if (take(reader, '}'))
		return 0;
	do {
		_cleanup_(json_releasep) json_t *key = read_value(reader);

		if (!key)
			return -EINVAL;
		if (!json_is_string(key))
			return complain(reader, reader->value, "a key is not a string");
		if (json_object_get(seen, json_string_value(key)))
			return complain(reader, reader->value, "duplicate key '%.60s'",
					json_string_value(key));
		json_object_set_new(seen, json_string_value(key), json_true());
		if (expect(reader, ':') || member(reader, schema, record, json_string_value(key)))
			return -EINVAL;
	} while (take(reader, ','));
	return expect(reader, '}');
}

static int read_record(struct reader *reader, const struct schema *schema, void *record)
{
	_cleanup_(json_releasep) json_t *value = NULL;

	if (has_records(schema))
		return read_object(reader, schema, record, read_member);
	value = read_value(reader);
	if (!value)
		return -EINVAL;
	if (!json_is_object(value))
		return complain(reader, reader->value, "a record is not an object");
	for (size_t i = 0; i < schema->field_count; i++) {
		const struct field *field = &schema->fields[i];

		if (is_held(field) && set_field(reader, field, json_object_get(value, field->key),
						(char *)record + field->offset))
			return -EINVAL;
	}
	return 0;
}

static int read_records(struct reader *reader, const struct schema *schema, struct records *records)
{
	records->known = true;
	if (expect(reader, '['))
		return -EINVAL;
	if (take(reader, ']'))
		return 0;
	do {
		if (read_record(reader, schema,
				mem_append(&records->rows, &records->count, schema->record_size)))
			return -EINVAL;
	} while (take(reader, ','));
	return expect(reader, ']');
}

static int read_document(struct reader *reader, const struct schema *head_schema, void *head)
{
	_cleanup_(freep) char *copy = NULL;
	int rc = prepare(reader, &copy);

	if (!rc && peek(reader) != '{')
		return complain(reader, reader->at, "this is not a JSON document");
	if (!rc)
		rc = read_object(reader, head_schema, head, read_part);
	if (!rc && (peek(reader), reader->at < reader->end))
		rc = complain(reader, reader->at, "unexpected data after the JSON document");
	return rc;
}

static void records_clear(const struct schema *schema, struct records *records)
{
	for (size_t i = 0; i < records->count; i++)
		record_clear(schema, (char *)records->rows + i * schema->record_size);
	free(records->rows);
	*records = (struct records){.rows = NULL};
}

void record_clear(const struct schema *schema, void *record)
{
	for (size_t i = 0; i < schema->field_count; i++) {
		const struct field *field = &schema->fields[i];
		void *member = (char *)record + field->offset;

		if (!is_held(field))
			continue;
		if (field->kind == FIELD_RECORDS)
			records_clear(field->records, member);
		if (field->kind != FIELD_STRING)
			continue;
		free(*(char **)member);
		*(char **)member = NULL;
	}
}

int json_read(const char *text, size_t length, const struct schema *head_schema, void *head,
	      const struct schema *schema, void **ret_records, size_t *ret_count,
	      char **ret_message)
{
	struct reader reader = {
		.text = text, .at = text, .end = text + length, .value = text, .schema = schema};
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
		*ret_message = reader.message;
	return rc;
}
