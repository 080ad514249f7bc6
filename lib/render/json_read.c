/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jansson reads every value that a field holds or that is not plain. Brackets, commas, plain keys
 * and plain values that no field holds are read here: so there is never more than one value in
 * jansson's form, which takes ten times the memory of the text, and a file with all columns, most
 * of which no field holds, is not read at jansson's ten nanoseconds a byte.
 */
#include "render/json_read.h"

#include <ctype.h>
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
#include "render/json_token.h"

enum {
	DEEPEST_VALUE = 32, /* values within values */
	MEMBERS_MOST = 256, /* of an object */
	/* jansson's form of a value takes up to 80 times the memory of its text. */
	MOST_VALUE_BYTES = 1 << 20,
	/* The records that rdmactl saves take 0.6 bytes at most for each byte of their text. */
	RECORD_BYTES_A_BYTE = 4,
	FREE_RECORD_BYTES = 65536,
};

struct reader {
	const char *text, *at, *end;
	const char *value; /* where the last value began, for messages */
	const struct schema *schema;
	struct records records;
	size_t record_bytes; /* that all records take, without their strings */
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

/* Checks how deep and long the value is before jansson recurses into it. */
static int check_value(struct reader *reader)
{
	int depth = 0;

	for (const char *at = reader->at; at < reader->end; at = json_skip_token(at, reader->end)) {
		if ((*at == '{' || *at == '[') && ++depth > DEEPEST_VALUE)
			return complain(reader, at, "more than %d values within each other",
					DEEPEST_VALUE);
		if (at - reader->at > MOST_VALUE_BYTES)
			return complain(reader, reader->at, "a value of more than %d bytes",
					MOST_VALUE_BYTES);
		if ((*at == '}' || *at == ']') && --depth <= 0)
			break;
	}
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

/*
 * Any value; NULL if there is none, with the message set. Integers that jansson would refuse are
 * strings, as fields take them; no field takes those within a list or an object.
 */
static json_t *read_value(struct reader *reader)
{
	size_t flags = JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES |
		       JSON_ALLOW_NUL;
	const char first = peek(reader), *next = json_skip_token(reader->at, reader->end);
	const size_t length = (size_t)(next - reader->at);
	json_error_t error;
	json_t *value;

	reader->value = reader->at;
	if (json_is_long_integer(reader->at, length)) {
		reader->at = next;
		return mem_check(json_stringn(reader->value, length));
	}
	if (first == '{' || first == '[') {
		flags |= JSON_DECODE_INT_AS_REAL;
		if (check_value(reader))
			return NULL;
	}
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

/* A value that no field holds; each value of a list for itself. */
static int skip_value(struct reader *reader)
{
	const bool is_list = take(reader, '[');

	if (is_list && take(reader, ']'))
		return 0;
	do {
		_cleanup_(json_releasep) json_t *value = read_value(reader);

		if (!value)
			return -EINVAL;
	} while (is_list && take(reader, ','));
	return is_list ? expect(reader, ']') : 0;
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
	return text ? json_is_long_integer(text, strlen(text)) : json_is_number(value);
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

struct key {
	const char *text;
	size_t length;
	json_t *owner; /* of the text; or NULL */
};

struct keys {
	struct key items[MEMBERS_MOST];
	size_t count;
};

static void keys_clear(struct keys *keys)
{
	while (keys->count)
		json_decref(keys->items[--keys->count].owner);
}

static bool key_is(const struct key *key, const char *name)
{
	return *name == *key->text && strlen(name) == key->length &&
	       !memcmp(name, key->text, key->length);
}

/* The field that holds the member, or NULL. */
static const struct field *find_held(const struct schema *schema, const struct key *key)
{
	for (size_t i = 0; i < schema->field_count; i++)
		if (key_is(key, schema->fields[i].key))
			return is_held(&schema->fields[i]) ? &schema->fields[i] : NULL;
	return NULL;
}

static int read_records(struct reader *reader, const struct schema *schema,
			struct records *records);

/* A member of a record, or of the document: those of its head, its schema and its records. */
static int read_member(struct reader *reader, const struct schema *schema, void *record,
		       const struct key *key)
{
	const struct field *field = find_held(schema, key);
	const char first = peek(reader), *next = json_skip_token(reader->at, reader->end);
	_cleanup_(json_releasep) json_t *value = NULL;

	if (field && field->kind == FIELD_RECORDS && first != 'n')
		return read_records(reader, field->records,
				    (void *)((char *)record + field->offset));
	if ((!field || first == 'n') && json_is_plain(reader->at, (size_t)(next - reader->at))) {
		reader->at = next;
		return 0;
	}
	if (!field || field->kind == FIELD_RECORDS)
		return skip_value(reader);
	value = read_value(reader);
	return value ? set_field(reader, field, value, (char *)record + field->offset) : -EINVAL;
}

/* A member of the document. */
static int read_part(struct reader *reader, const struct schema *head_schema, void *head,
		     const struct key *key)
{
	_cleanup_(freep) char *name = NULL;
	_cleanup_(json_releasep) json_t *value = NULL;

	if (key_is(key, reader->schema->name))
		return read_records(reader, reader->schema, &reader->records);
	if (!key_is(key, "schema"))
		return read_member(reader, head_schema, head, key);
	value = read_value(reader);
	if (!value)
		return -EINVAL;
	name = mem_format("rdmactl/%s/%u", reader->schema->name, reader->schema->version);
	reader->is_of_schema = json_is_string(value) && !strcmp(json_string_value(value), name);
	return 0;
}

/* Takes a key that is not among the others, and appends it to them. */
static int take_key(struct reader *reader, struct keys *keys)
{
	struct key *key = &keys->items[keys->count];
	const char *next;

	if (keys->count == MEMBERS_MOST)
		return complain(reader, reader->at, "an object has more than %d members",
				MEMBERS_MOST);
	peek(reader);
	next = json_skip_token(reader->at, reader->end);
	*key = (struct key){.text = reader->at + 1, .length = (size_t)(next - reader->at) - 2};
	if (json_is_plain_string(reader->at, (size_t)(next - reader->at))) {
		reader->value = reader->at;
		reader->at = next;
	} else {
		key->owner = read_value(reader);
		if (!key->owner)
			return -EINVAL;
		key->text = json_string_value(key->owner);
		key->length = json_string_length(key->owner);
	}
	keys->count++;
	if (!key->text)
		return complain(reader, reader->value, "a key is not a string");
	for (const struct key *other = keys->items; other < key; other++)
		if (other->length == key->length && !memcmp(other->text, key->text, key->length))
			return complain(reader, reader->value, "duplicate key '%.*s'",
					(int)(key->length < 60 ? key->length : 60), key->text);
	return expect(reader, ':');
}

typedef int (*read_member_function)(struct reader *reader, const struct schema *schema,
				    void *record, const struct key *key);

static int read_object(struct reader *reader, const struct schema *schema, void *record,
		       read_member_function member)
{
	_cleanup_(keys_clear) struct keys keys;

	keys.count = 0;
	if (peek(reader) != '{')
		return complain(reader, reader->at, "a record is not an object");
	reader->at++;
	if (take(reader, '}'))
		return 0;
	do {
		if (take_key(reader, &keys) ||
		    member(reader, schema, record, &keys.items[keys.count - 1]))
			return -EINVAL;
	} while (take(reader, ','));
	return expect(reader, '}');
}

static int read_records(struct reader *reader, const struct schema *schema, struct records *records)
{
	records->known = true;
	if (expect(reader, '['))
		return -EINVAL;
	if (take(reader, ']'))
		return 0;
	do {
		reader->record_bytes += schema->record_size;
		if (reader->record_bytes / RECORD_BYTES_A_BYTE >
		    (size_t)(reader->at - reader->text) + FREE_RECORD_BYTES)
			return complain(reader, reader->at,
					"too many records with nothing in them");
		if (read_object(reader, schema,
				mem_append(&records->rows, &records->count, schema->record_size),
				read_member))
			return -EINVAL;
	} while (take(reader, ','));
	return expect(reader, ']');
}

static int read_document(struct reader *reader, const struct schema *head_schema, void *head)
{
	int rc;

	if (peek(reader) != '{')
		return complain(reader, reader->at, "this is not a JSON document");
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
