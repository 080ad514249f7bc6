/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "render/json_token.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"

/* All integers of 18 digits, but not all of 19, fit into jansson's, which have 63 bits. */
enum { SAFE_DIGITS = 18 };

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
	static const char *const words[] = {"null", "true", "false"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i]) == length && !memcmp(token, words[i], length))
			return true;
	return json_is_plain_string(token, length) ||
	       (length && is_integer(token, length) && (*token != '0' || length == 1));
}
