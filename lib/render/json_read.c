/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "render/json_read.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

enum { DEEPEST = 32 }; /* values within values */

/* RFC 8259. Where it stands in the text, and the first thing that is wrong. */
struct reader {
	const char *at, *end;
	size_t line;
	char *message;
	const struct schema *schema; /* of the records */
	void *records;
	size_t count;
	char *name; /* the member `schema` */
};

__attribute__((format(printf, 2, 3))) static int complain(struct reader *reader, const char *format,
							  ...)
{
	char what[160];
	va_list arguments;

	if (reader->message)
		return -EINVAL;
	va_start(arguments, format);
	vsnprintf(what, sizeof(what), format, arguments);
	va_end(arguments);
	reader->message = mem_format("line %zu: %s", reader->line, what);
	return -EINVAL;
}

/* The next character that is no blank, 0 at the end. */
static char peek(struct reader *reader)
{
	for (; reader->at < reader->end; reader->at++) {
		if (*reader->at == '\n')
			reader->line++;
		else if (*reader->at != ' ' && *reader->at != '\t' && *reader->at != '\r')
			return *reader->at;
	}
	return '\0';
}

static bool take(struct reader *reader, char wanted)
{
	if (peek(reader) != wanted)
		return false;
	reader->at++;
	return true;
}

static int expect(struct reader *reader, char wanted)
{
	return take(reader, wanted) ? 0 : complain(reader, "'%c' is missing", wanted);
}

/* The four digits of \uXXXX; those of a pair are put together. */
static int read_unit(struct reader *reader, unsigned int *ret_unit)
{
	char digits[5] = "";
	uint64_t unit;

	if (reader->end - reader->at < 4)
		return complain(reader, "the text ends within a string");
	memcpy(digits, reader->at, 4);
	/* Four, and no NUL among them that would hide what follows. */
	if (strlen(digits) != 4 || text_parse_u64(digits, 16, UINT16_MAX, &unit))
		return complain(reader, "a \\u needs four hexadecimal digits");
	reader->at += 4;
	*ret_unit = (unsigned int)unit;
	return 0;
}

/* Surrogates that are no pair come out as bytes that are no UTF-8, and are cleaned with the rest.
 */
static char *put_utf8(char *out, unsigned int code)
{
	if (code < 0x80) {
		*out++ = (char)code;
	} else if (code < 0x800) {
		*out++ = (char)(0xc0 | code >> 6);
		*out++ = (char)(0x80 | (code & 0x3f));
	} else if (code < 0x10000) {
		*out++ = (char)(0xe0 | code >> 12);
		*out++ = (char)(0x80 | (code >> 6 & 0x3f));
		*out++ = (char)(0x80 | (code & 0x3f));
	} else {
		*out++ = (char)(0xf0 | code >> 18);
		*out++ = (char)(0x80 | (code >> 12 & 0x3f));
		*out++ = (char)(0x80 | (code >> 6 & 0x3f));
		*out++ = (char)(0x80 | (code & 0x3f));
	}
	return out;
}

static int read_escape(struct reader *reader, char **out)
{
	static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	const char letter = reader->at < reader->end ? *reader->at++ : '\0';
	const char *found = letter ? strchr(letters, letter) : NULL;
	unsigned int code, low;

	if (found) {
		*(*out)++ = meant[found - letters];
		return 0;
	}
	if (letter != 'u')
		return complain(reader, "a string has an unknown escape");
	if (read_unit(reader, &code))
		return -EINVAL;
	if (code >= 0xd800 && code < 0xdc00 && reader->end - reader->at >= 6 &&
	    reader->at[0] == '\\' && reader->at[1] == 'u') {
		const char *before = reader->at;

		reader->at += 2;
		if (read_unit(reader, &low))
			return -EINVAL;
		if (low >= 0xdc00 && low < 0xe000)
			code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
		else
			reader->at = before;
	}
	*out = put_utf8(*out, code);
	return 0;
}

/* A string, cleaned; the caller frees it. */
static int read_string(struct reader *reader, char **ret_string)
{
	_cleanup_(freep) char *bytes = NULL;
	const char *end;
	char *out;

	if (expect(reader, '"'))
		return -EINVAL;
	for (end = reader->at; end < reader->end && *end != '"'; end++)
		if (*end == '\\' && end + 1 < reader->end)
			end++;
	/* An escape is never shorter than what it stands for. */
	out = bytes = mem_alloc_zero((size_t)(end - reader->at) + 1, 1);
	while (reader->at < reader->end && *reader->at != '"') {
		if ((unsigned char)*reader->at < ' ')
			return complain(reader, "a string has a control character");
		if (*reader->at != '\\') {
			*out++ = *reader->at++;
			continue;
		}
		reader->at++;
		if (read_escape(reader, &out))
			return -EINVAL;
	}
	if (reader->at == reader->end)
		return complain(reader, "the text ends within a string");
	reader->at++;
	*ret_string = text_clean(bytes, (size_t)(out - bytes));
	return 0;
}

/* A number, true, false or null, as it is written. */
static int read_word(struct reader *reader, char *word, size_t size)
{
	const char *begin;
	size_t length;

	peek(reader);
	begin = reader->at;
	while (reader->at < reader->end && *reader->at &&
	       strchr("+-.0123456789abcdefghijklmnopqrstuvwxyzE", *reader->at))
		reader->at++;
	length = (size_t)(reader->at - begin);
	if (!length)
		return complain(reader, reader->at < reader->end ? "a value is missing"
								 : "the text ends too early");
	if (length >= size)
		return complain(reader, "a number is too long");
	memcpy(word, begin, length);
	word[length] = '\0';
	return 0;
}

static bool is_number(const char *word)
{
	char *end;

	if (*word != '-' && (*word < '0' || *word > '9'))
		return false;
	strtod(word, &end);
	return !*end;
}

static int check_word(struct reader *reader, const char *word)
{
	if (!strcmp(word, "true") || !strcmp(word, "false") || !strcmp(word, "null") ||
	    is_number(word))
		return 0;
	return complain(reader, "'%s' is no value", word);
}

static int skip(struct reader *reader, unsigned int depth);

static int skip_member(struct reader *reader)
{
	_cleanup_(freep) char *key = NULL;

	return read_string(reader, &key) || expect(reader, ':') ? -EINVAL : 0;
}

static int skip_items(struct reader *reader, bool object, unsigned int depth)
{
	const char close = object ? '}' : ']';

	if (depth == DEEPEST)
		return complain(reader, "there are too many values within values");
	if (take(reader, close))
		return 0;
	do {
		if ((object && skip_member(reader)) || skip(reader, depth + 1))
			return -EINVAL;
	} while (take(reader, ','));
	return expect(reader, close);
}

/* Any value, of what nobody here knows. */
static int skip(struct reader *reader, unsigned int depth)
{
	_cleanup_(freep) char *string = NULL;
	char word[64];

	if (peek(reader) == '"')
		return read_string(reader, &string);
	if (take(reader, '{'))
		return skip_items(reader, true, depth);
	if (take(reader, '['))
		return skip_items(reader, false, depth);
	return read_word(reader, word, sizeof(word)) ? -EINVAL : check_word(reader, word);
}

static int take_string(struct reader *reader, const struct field *field, char *string, void *member)
{
	const struct enum_name *name;

	if (field->kind == FIELD_STRING) {
		free(*(char **)member);
		*(char **)member = mem_string(string);
		return 0;
	}
	if (field->kind != FIELD_ENUM)
		return complain(reader, "%s is no string", field->key);
	/* A word of a version to come: unknown. */
	name = enum_find_word(field->names, string);
	if (name)
		number_set(member, name->value);
	return 0;
}

static int take_word(struct reader *reader, const struct field *field, const char *word,
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
		if (!is_number(word))
			break;
		*real = (struct real){.value = strtod(word, NULL), .known = true};
		return 0;
	default:
		break;
	}
	return complain(reader, "%s is '%s', which it cannot be", field->key, word);
}

static bool is_held(const struct field *field)
{
	return !field->get && !field->width &&
	       (field->kind == FIELD_STRING || field->kind == FIELD_UNSIGNED ||
		field->kind == FIELD_REAL || field->kind == FIELD_BOOL ||
		field->kind == FIELD_ENUM);
}

static int read_field(struct reader *reader, const struct field *field, void *record)
{
	void *member = (char *)record + field->offset;
	_cleanup_(freep) char *string = NULL;
	char word[64];

	if (!is_held(field))
		return skip(reader, 1);
	if (peek(reader) == '"')
		return read_string(reader, &string) ? -EINVAL
						    : take_string(reader, field, string, member);
	return read_word(reader, word, sizeof(word)) ? -EINVAL
						     : take_word(reader, field, word, member);
}

static int read_record(struct reader *reader)
{
	void *record = mem_append(&reader->records, &reader->count, reader->schema->record_size);

	if (expect(reader, '{'))
		return -EINVAL;
	if (take(reader, '}'))
		return 0;
	do {
		_cleanup_(freep) char *key = NULL;
		const struct field *field;

		if (read_string(reader, &key) || expect(reader, ':'))
			return -EINVAL;
		field = schema_find(reader->schema, key);
		if (field ? read_field(reader, field, record) : skip(reader, 2))
			return -EINVAL;
	} while (take(reader, ','));
	return expect(reader, '}');
}

static int read_records(struct reader *reader)
{
	if (expect(reader, '['))
		return -EINVAL;
	if (take(reader, ']'))
		return 0;
	do {
		if (read_record(reader))
			return -EINVAL;
	} while (take(reader, ','));
	return expect(reader, ']');
}

/* The document's own member of that key. */
static int read_member(struct reader *reader, const char *key, const struct schema *head_schema,
		       void *head)
{
	const struct field *field = schema_find(head_schema, key);

	if (!strcmp(key, reader->schema->name))
		return read_records(reader);
	if (!strcmp(key, "schema") && peek(reader) == '"') {
		free(reader->name);
		reader->name = NULL;
		return read_string(reader, &reader->name);
	}
	return field ? read_field(reader, field, head) : skip(reader, 1);
}

static int read_members(struct reader *reader, const struct schema *head_schema, void *head)
{
	if (take(reader, '}'))
		return 0;
	do {
		_cleanup_(freep) char *key = NULL;

		if (read_string(reader, &key) || expect(reader, ':') ||
		    read_member(reader, key, head_schema, head))
			return -EINVAL;
	} while (take(reader, ','));
	return expect(reader, '}');
}

static int read_document(struct reader *reader, const struct schema *head_schema, void *head)
{
	if (!take(reader, '{'))
		return complain(reader, "this is no JSON document");
	if (read_members(reader, head_schema, head))
		return -EINVAL;
	peek(reader);
	return reader->at < reader->end ? complain(reader, "something stands behind the document")
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

		if (field->kind == FIELD_STRING && is_held(field)) {
			char **member = (char **)(void *)((char *)record + field->offset);

			free(*member);
			*member = NULL;
		}
	}
}

int json_read(const char *text, size_t length, const struct schema *head_schema, void *head,
	      const struct schema *schema, void **ret_records, size_t *ret_count,
	      char **ret_message)
{
	struct reader reader = {.at = text, .end = text + length, .line = 1, .schema = schema};
	int rc = read_document(&reader, head_schema, head);

	if (!rc && !is_of(&reader))
		rc = -ENOMSG;
	free(reader.name);
	if (!rc) {
		*ret_records = reader.records;
		*ret_count = reader.count;
		return 0;
	}
	for (size_t i = 0; i < reader.count; i++)
		record_clear(schema, (char *)reader.records + i * schema->record_size);
	free(reader.records);
	record_clear(head_schema, head);
	if (rc == -EINVAL)
		*ret_message = reader.message;
	else
		free(reader.message);
	return rc;
}
