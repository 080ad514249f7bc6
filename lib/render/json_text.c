/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "render/json_text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

enum { DEEPEST = 32 }; /* values within values */

int json_complain(struct json_text *text, const char *format, ...)
{
	char what[160];
	va_list arguments;

	if (text->message)
		return -EINVAL;
	va_start(arguments, format);
	vsnprintf(what, sizeof(what), format, arguments);
	va_end(arguments);
	text->message = mem_format("line %zu: %s", text->line, what);
	return -EINVAL;
}

/* The next character that is no blank, 0 at the end. */
char json_peek(struct json_text *text)
{
	for (; text->at < text->end; text->at++) {
		if (*text->at == '\n')
			text->line++;
		else if (*text->at != ' ' && *text->at != '\t' && *text->at != '\r')
			return *text->at;
	}
	return '\0';
}

bool json_take(struct json_text *text, char wanted)
{
	if (json_peek(text) != wanted)
		return false;
	text->at++;
	return true;
}

int json_expect(struct json_text *text, char wanted)
{
	return json_take(text, wanted) ? 0 : json_complain(text, "'%c' is missing", wanted);
}

/* The four digits of \uXXXX; those of a pair are put together. */
static int read_unit(struct json_text *text, unsigned int *ret_unit)
{
	char digits[5] = "";
	uint64_t unit;

	if (text->end - text->at < 4)
		return json_complain(text, "the text ends within a string");
	memcpy(digits, text->at, 4);
	/* Four, and no NUL among them that would hide what follows. */
	if (strlen(digits) != 4 || text_parse_u64(digits, 16, UINT16_MAX, &unit))
		return json_complain(text, "a \\u needs four hexadecimal digits");
	text->at += 4;
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

static int read_escape(struct json_text *text, char **out)
{
	static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	const char letter = text->at < text->end ? *text->at++ : '\0';
	const char *found = letter ? strchr(letters, letter) : NULL;
	unsigned int code, low;

	if (found) {
		*(*out)++ = meant[found - letters];
		return 0;
	}
	if (letter != 'u')
		return json_complain(text, "a string has an unknown escape");
	if (read_unit(text, &code))
		return -EINVAL;
	if (code >= 0xd800 && code < 0xdc00 && text->end - text->at >= 6 && text->at[0] == '\\' &&
	    text->at[1] == 'u') {
		const char *before = text->at;

		text->at += 2;
		if (read_unit(text, &low))
			return -EINVAL;
		if (low >= 0xdc00 && low < 0xe000)
			code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
		else
			text->at = before;
	}
	*out = put_utf8(*out, code);
	return 0;
}

/* Nearly all strings have neither escapes nor anything to clean: those are taken as they are. */
bool json_take_plain(struct json_text *text, struct json_span *ret_span)
{
	const char *begin, *end;

	if (json_peek(text) != '"')
		return false;
	begin = end = text->at + 1;
	while (end < text->end && *end >= ' ' && *end <= '~' && *end != '"' && *end != '\\')
		end++;
	if (end == text->end || *end != '"')
		return false;
	*ret_span = (struct json_span){.bytes = begin, .length = (size_t)(end - begin)};
	text->at = end + 1;
	return true;
}

/* A string, cleaned; the caller frees it. */
int json_read_string(struct json_text *text, char **ret_string)
{
	_cleanup_(freep) char *bytes = NULL;
	struct json_span plain;
	const char *end;
	char *out;

	if (json_take_plain(text, &plain)) {
		*ret_string = text_clean(plain.bytes, plain.length);
		return 0;
	}
	if (json_expect(text, '"'))
		return -EINVAL;
	for (end = text->at; end < text->end && *end != '"'; end++)
		if (*end == '\\' && end + 1 < text->end)
			end++;
	/* An escape is never shorter than what it stands for. */
	out = bytes = mem_alloc_zero((size_t)(end - text->at) + 1, 1);
	while (text->at < text->end && *text->at != '"') {
		if ((unsigned char)*text->at < ' ')
			return json_complain(text, "a string has a control character");
		if (*text->at != '\\') {
			*out++ = *text->at++;
			continue;
		}
		text->at++;
		if (read_escape(text, &out))
			return -EINVAL;
	}
	if (text->at == text->end)
		return json_complain(text, "the text ends within a string");
	text->at++;
	*ret_string = text_clean(bytes, (size_t)(out - bytes));
	return 0;
}

/* A number, true, false or null, as it is written. */
int json_read_word(struct json_text *text, char *word, size_t size)
{
	const char *begin;
	size_t length;

	json_peek(text);
	begin = text->at;
	while (text->at < text->end && *text->at &&
	       strchr("+-.0123456789abcdefghijklmnopqrstuvwxyzE", *text->at))
		text->at++;
	length = (size_t)(text->at - begin);
	if (!length)
		return json_complain(text, text->at < text->end ? "a value is missing"
								: "the text ends too early");
	if (length >= size)
		return json_complain(text, "a number is too long");
	memcpy(word, begin, length);
	word[length] = '\0';
	return 0;
}

bool json_is_number(const char *word)
{
	char *end;

	if (*word != '-' && (*word < '0' || *word > '9'))
		return false;
	strtod(word, &end);
	return !*end;
}

static int check_word(struct json_text *text, const char *word)
{
	if (!strcmp(word, "true") || !strcmp(word, "false") || !strcmp(word, "null") ||
	    json_is_number(word))
		return 0;
	return json_complain(text, "'%s' is no value", word);
}

static int skip_string(struct json_text *text)
{
	_cleanup_(freep) char *string = NULL;
	struct json_span plain;

	return json_take_plain(text, &plain) ? 0 : json_read_string(text, &string);
}

static int skip_member(struct json_text *text)
{
	return skip_string(text) || json_expect(text, ':') ? -EINVAL : 0;
}

static int skip_items(struct json_text *text, bool object, unsigned int depth)
{
	const char close = object ? '}' : ']';

	if (depth == DEEPEST)
		return json_complain(text, "there are too many values within values");
	if (json_take(text, close))
		return 0;
	do {
		if ((object && skip_member(text)) || json_skip(text, depth + 1))
			return -EINVAL;
	} while (json_take(text, ','));
	return json_expect(text, close);
}

/* Any value, of what nobody here knows. */
int json_skip(struct json_text *text, unsigned int depth)
{
	char word[64];

	if (json_peek(text) == '"')
		return skip_string(text);
	if (json_take(text, '{'))
		return skip_items(text, true, depth);
	if (json_take(text, '['))
		return skip_items(text, false, depth);
	return json_read_word(text, word, sizeof(word)) ? -EINVAL : check_word(text, word);
}
