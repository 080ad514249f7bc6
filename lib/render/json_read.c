/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "render/json_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/gid.h"
#include "base/mem.h"
#include "base/text.h"
#include "render/json_text.h"

struct reader {
	struct json_text text;
	const struct schema *schema; /* of the document's records */
	struct records records;
	char *name; /* the member `schema` */
};

static int complain_value(struct json_text *text, const struct field *field, const char *value)
{
	return json_complain(text, "%s is '%.60s', which it cannot be", field->key, value);
}

static int take_string(struct json_text *text, const struct field *field, char **string,
		       void *member)
{
	const struct enum_name *name;
	uint64_t number;

	switch (field->kind) {
	case FIELD_STRING:
		free(*(char **)member);
		*(char **)member = *string;
		*string = NULL;
		return 0;
	case FIELD_ENUM:
		/* A word of a version to come: unknown. */
		name = enum_find_word(field->names, *string);
		if (name)
			number_set(member, name->value);
		return 0;
	case FIELD_GUID:
		if (guid_parse(*string, &number))
			return complain_value(text, field, *string);
		number_set(member, number);
		return 0;
	case FIELD_HEX:
		if (strncmp(*string, "0x", 2) ||
		    text_parse_u64(*string + 2, 16, UINT64_MAX, &number))
			return complain_value(text, field, *string);
		number_set(member, number);
		return 0;
	default:
		return json_complain(text, "%s is no string", field->key);
	}
}

static int take_word(struct json_text *text, const struct field *field, const char *word,
		     void *member)
{
	struct real *real = member;
	uint64_t number;

	if (!strcmp(word, "null"))
		return 0;
	switch (field->kind) {
	case FIELD_BOOL:
		if (strcmp(word, "true") && strcmp(word, "false"))
			break;
		*(enum tristate *)member = *word == 't' ? TRISTATE_YES : TRISTATE_NO;
		return 0;
	case FIELD_UNSIGNED:
		if (text_parse_u64(word, 10, UINT64_MAX, &number))
			break;
		number_set(member, number);
		return 0;
	case FIELD_REAL:
		if (!json_is_number(word))
			break;
		*real = (struct real){.value = strtod(word, NULL), .known = true};
		return 0;
	default:
		break;
	}
	return complain_value(text, field, word);
}

static bool is_held(const struct field *field)
{
	const unsigned int kinds = 1u << FIELD_STRING | 1u << FIELD_UNSIGNED | 1u << FIELD_HEX |
				   1u << FIELD_REAL | 1u << FIELD_BOOL | 1u << FIELD_ENUM |
				   1u << FIELD_GUID | 1u << FIELD_RECORDS;

	return !field->get && !field->width && kinds & 1u << field->kind;
}

static void records_clear(const struct schema *schema, struct records *records)
{
	for (size_t i = 0; i < records->count; i++)
		record_clear(schema, (char *)records->rows + i * schema->record_size);
	free(records->rows);
	*records = (struct records){.rows = NULL};
}

static int read_records(struct json_text *text, const struct schema *schema,
			struct records *records);

static bool take_null(struct json_text *text)
{
	if (json_peek(text) != 'n' || text->end - text->at < 4 || memcmp(text->at, "null", 4))
		return false;
	text->at += 4;
	return true;
}

static int read_field(struct json_text *text, const struct field *field, void *record)
{
	void *member = (char *)record + field->offset;
	_cleanup_(freep) char *string = NULL;
	char word[64];

	if (!is_held(field))
		return json_skip(text, 1);
	if (field->kind == FIELD_RECORDS)
		return take_null(text) ? 0 : read_records(text, field->records, member);
	if (json_peek(text) == '"')
		return json_read_string(text, &string) ? -EINVAL
						       : take_string(text, field, &string, member);
	return json_read_word(text, word, sizeof(word)) ? -EINVAL
							: take_word(text, field, word, member);
}

/* The field of that key; as a rule the one behind `last` in the table. */
static const struct field *find_field(const struct schema *schema, const struct field *last,
				      const struct json_span *key)
{
	size_t next = last ? (size_t)(last - schema->fields) + 1 : 0;

	for (size_t i = 0; i < schema->field_count; i++) {
		const struct field *field = &schema->fields[(next + i) % schema->field_count];

		if (!strncmp(field->key, key->bytes, key->length) && !field->key[key->length])
			return field;
	}
	return NULL;
}

/* A key; *field is the last one that there was, and becomes the one of that key, or NULL. */
static int read_key(struct json_text *text, const struct schema *schema, const struct field **field)
{
	_cleanup_(freep) char *string = NULL;
	struct json_span key;

	if (!json_take_plain(text, &key)) {
		if (json_read_string(text, &string))
			return -EINVAL;
		key = (struct json_span){.bytes = string, .length = strlen(string)};
	}
	*field = find_field(schema, *field, &key);
	return json_expect(text, ':');
}

static int read_record(struct json_text *text, const struct schema *schema, struct records *records)
{
	void *record = mem_append(&records->rows, &records->count, schema->record_size);
	const struct field *field = NULL;

	if (json_expect(text, '{'))
		return -EINVAL;
	if (json_take(text, '}'))
		return 0;
	do {
		if (read_key(text, schema, &field))
			return -EINVAL;
		if (field ? read_field(text, field, record) : json_skip(text, 2))
			return -EINVAL;
	} while (json_take(text, ','));
	return json_expect(text, '}');
}

/* Said twice, the last list counts. */
static int read_records(struct json_text *text, const struct schema *schema,
			struct records *records)
{
	records_clear(schema, records);
	records->known = true;
	if (json_expect(text, '['))
		return -EINVAL;
	if (json_take(text, ']'))
		return 0;
	do {
		if (read_record(text, schema, records))
			return -EINVAL;
	} while (json_take(text, ','));
	return json_expect(text, ']');
}

/* The document's own member of that key. */
static int read_member(struct reader *reader, const char *key, const struct schema *head_schema,
		       void *head)
{
	const struct field *field = schema_find(head_schema, key);

	if (!strcmp(key, reader->schema->name))
		return read_records(&reader->text, reader->schema, &reader->records);
	if (!strcmp(key, "schema") && json_peek(&reader->text) == '"') {
		free(reader->name);
		reader->name = NULL;
		return json_read_string(&reader->text, &reader->name);
	}
	return field ? read_field(&reader->text, field, head) : json_skip(&reader->text, 1);
}

static int read_members(struct reader *reader, const struct schema *head_schema, void *head)
{
	if (json_take(&reader->text, '}'))
		return 0;
	do {
		_cleanup_(freep) char *key = NULL;

		if (json_read_string(&reader->text, &key) || json_expect(&reader->text, ':') ||
		    read_member(reader, key, head_schema, head))
			return -EINVAL;
	} while (json_take(&reader->text, ','));
	return json_expect(&reader->text, '}');
}

static int read_document(struct reader *reader, const struct schema *head_schema, void *head)
{
	if (!json_take(&reader->text, '{'))
		return json_complain(&reader->text, "this is no JSON document");
	if (read_members(reader, head_schema, head))
		return -EINVAL;
	json_peek(&reader->text);
	return reader->text.at < reader->text.end
		       ? json_complain(&reader->text, "something stands behind the document")
		       : 0;
}

static bool is_of(const struct reader *reader)
{
	_cleanup_(freep) char *name = mem_format("rdmactl/%s/%u", reader->schema->name,
						 reader->schema->version);

	return reader->name && !strcmp(reader->name, name);
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
		.text = {.at = text, .end = text + length, .line = 1},
		.schema = schema,
	};
	int rc = read_document(&reader, head_schema, head);

	if (!rc && !is_of(&reader))
		rc = -ENOMSG;
	free(reader.name);
	if (!rc) {
		*ret_records = reader.records.rows;
		*ret_count = reader.records.count;
		return 0;
	}
	records_clear(schema, &reader.records);
	record_clear(head_schema, head);
	if (rc == -EINVAL)
		*ret_message = reader.text.message;
	else
		free(reader.text.message);
	return rc;
}
