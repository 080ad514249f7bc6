/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "render/json_reader.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

enum {
	/* jansson's form of a value takes up to 80 times the memory of its text. */
	MOST_VALUE_BYTES = 1 << 20,
	/* All integers of 18 digits, but not all of 19, fit into jansson's, which have 63 bits. */
	SAFE_DIGITS = 18,
};

/* The end of the string whose opening quote is before `at`, or of the text. */
static const char *skip_string(const char *at, const char *end)
{
	while (at < end && *at != '"')
		at += *at == '\\' && end - at > 1 ? 2 : 1;
	return at < end ? at + 1 : end;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_integer(const char *token, size_t length)
{
	while (length && is_digit(*token))
		token++, length--;
	return !length;
}

bool json_is_long_integer(const char *token, size_t length)
{
	return length > SAFE_DIGITS && is_integer(token, length);
}

const char *json_skip_token(const char *at, const char *end)
{
	const char first = at < end ? *at : '\0';

	if (first == '"')
		return skip_string(at + 1, end);
	at += at < end;
	if (isalpha((unsigned char)first))
		while (at < end && isalpha((unsigned char)*at))
			at++;
	else if (first == '-' || is_digit(first))
		while (at < end && (is_digit(*at) || (*at && strchr("+-.eE", *at))))
			at++;
	return at;
}

bool json_is_plain_string(const char *token, size_t length)
{
	for (size_t i = 1; i + 1 < length; i++)
		if (token[i] < ' ' || token[i] > '~' || token[i] == '\\')
			return false;
	return length > 1 && *token == '"' && token[length - 1] == '"';
}

bool json_is_plain(const char *token, size_t length)
{
	return text_has_word("null true false", " ", token, length) ||
	       json_is_plain_string(token, length) ||
	       (length && is_integer(token, length) && (*token != '0' || length == 1));
}

char *json_place(const char *text, const char *at)
{
	const char *begin = text;
	size_t line = 1;

	for (const char *c = text; c < at; c++) {
		if (*c != '\n')
			continue;
		line++;
		begin = c + 1;
	}
	return mem_format("line %zu, column %zu", line, (size_t)(at - begin) + 1);
}

int json_complain(struct json_reader *reader, const char *at, const char *format, ...)
{
	char what[JSON_ERROR_TEXT_LENGTH + 64];
	_cleanup_(freep) char *clean = NULL, *place = NULL;
	va_list arguments;

	if (reader->message)
		return -EINVAL;
	va_start(arguments, format);
	vsnprintf(what, sizeof(what), format, arguments);
	va_end(arguments);
	clean = text_clean(what, strlen(what));
	place = json_place(reader->text, at);
	reader->message = mem_format("%s: %s", place, clean);
	return -EINVAL;
}

/* Checks how deep and long the value is before jansson recurses into it. */
static int check_value(struct json_reader *reader)
{
	int depth = 0;

	for (const char *at = reader->at; at < reader->end; at = json_skip_token(at, reader->end)) {
		if ((*at == '{' || *at == '[') && ++depth > JSON_DEEPEST_VALUE)
			return json_complain(reader, at, "values nested more than %d deep",
					     JSON_DEEPEST_VALUE);
		if (at - reader->at > MOST_VALUE_BYTES)
			return json_complain(reader, reader->at, "a value of more than %d bytes",
					     MOST_VALUE_BYTES);
		if ((*at == '}' || *at == ']') && --depth <= 0)
			break;
	}
	return 0;
}

int json_expect(struct json_reader *reader, char wanted)
{
	return json_take(reader, wanted)
		       ? 0
		       : json_complain(reader, reader->at, "'%c' is missing", wanted);
}

int json_expect_end(struct json_reader *reader, const char *what)
{
	json_peek(reader);
	return reader->at == reader->end
		       ? 0
		       : json_complain(reader, reader->at, "unexpected data after the %s", what);
}

void json_releasep(json_t **value)
{
	json_decref(*value);
}

json_t *json_read_value(struct json_reader *reader)
{
	size_t flags = JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES |
		       JSON_ALLOW_NUL;
	const char first = json_peek(reader), *next = json_skip_token(reader->at, reader->end);
	const size_t length = (size_t)(next - reader->at);
	json_error_t error;
	json_t *value;

	reader->value = reader->at;
	if (json_is_long_integer(reader->at, length)) {
		reader->at = next;
		return json_stringn(reader->value, length);
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
		json_complain(reader,
			      error.position > 0 && error.position <= reader->end - reader->at
				      ? reader->at + error.position - 1
				      : reader->at,
			      "%s", error.text);
	return value;
}

void json_keys_clear(struct json_keys *keys)
{
	while (keys->count)
		json_decref(keys->items[--keys->count].owner);
}

int json_take_key(struct json_reader *reader, struct json_keys *keys)
{
	struct json_key *key = &keys->items[keys->count];
	const char *next;

	if (keys->count == JSON_MOST_MEMBERS)
		return json_complain(reader, reader->at, "an object has more than %d members",
				     JSON_MOST_MEMBERS);
	json_peek(reader);
	next = json_skip_token(reader->at, reader->end);
	*key = (struct json_key){.text = reader->at + 1, .length = (size_t)(next - reader->at) - 2};
	if (json_is_plain_string(reader->at, (size_t)(next - reader->at))) {
		reader->value = reader->at;
		reader->at = next;
	} else {
		key->owner = json_read_value(reader);
		if (!key->owner)
			return -EINVAL;
		key->text = json_string_value(key->owner);
		key->length = json_string_length(key->owner);
	}
	keys->count++;
	if (!key->text)
		return json_complain(reader, reader->value, "a key is not a string");
	for (const struct json_key *other = keys->items; other < key; other++)
		if (other->length == key->length && !memcmp(other->text, key->text, key->length))
			return json_complain(reader, reader->value, "duplicate key '%.*s'",
					     (int)(key->length < 60 ? key->length : 60), key->text);
	return json_expect(reader, ':');
}
