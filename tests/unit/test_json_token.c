/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tokens of JSON, RFC 8259, and how deep and how long a value may be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "render/json_reader.h"

/* In memory of the exact size, so that the sanitizer sees every overrun. */
static size_t token_length(const char *text)
{
	_cleanup_(freep) char *copy = mem_alloc_zero(strlen(text), 1);

	memcpy(copy, text, strlen(text));
	return (size_t)(json_skip_token(copy, copy + strlen(text)) - copy);
}

static void tokens(void **state)
{
	static const struct {
		const char *text;
		size_t length;
	} samples[] = {
		{"", 0},	  {"{", 1},	{"{}", 1},
		{", 1", 1},	  {" x", 1},	{"true", 4},
		{"null,", 4},	  {"nullx", 5}, {"a1", 1},
		{"0", 1},	  {"12,3", 2},	{"-1.5e+30]", 8},
		{"1E-9", 4},	  {"-", 1},	{"1x", 1},
		{"+1", 1},	  {"\"\"", 2},	{"\"a\" ", 3},
		{"\"a", 2},	  {"\"", 1},	{"\"a\\\"b\"c", 6},
		{"\"\\\\\"c", 4}, {"\"\\", 2},	{"\"{1\"", 4},
		{"/1", 1},	  {":1", 1},	{"9:", 1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		assert_int_equal(token_length(samples[i].text), samples[i].length);
}

static void plain(void **state)
{
	static const struct {
		const char *token;
		bool plain, string, long_integer;
	} samples[] = {
		{"null", true, false, false},
		{"true", true, false, false},
		{"false", true, false, false},
		{"nul", false, false, false},
		{"nulL", false, false, false},
		{"truefalse", false, false, false},
		{"", false, false, false},
		{"0", true, false, false},
		{"00", false, false, false},
		{"01", false, false, false},
		{"10", true, false, false},
		{"-1", false, false, false},
		{"1.5", false, false, false},
		{"/", false, false, false},
		{":", false, false, false},
		{"123456789012345678", true, false, false},
		{"1234567890123456789", true, false, true},
		{"123456789012345678x", false, false, false},
		{"\"\"", true, true, false},
		{"\"a b~\"", true, true, false},
		{"\"", false, false, false},
		{"\"a", false, false, false},
		{"a\"", false, false, false},
		{"\"a\\n\"", false, false, false},
		{"\"a\037\"", false, false, false},
		{"\"a\177\"", false, false, false},
		{"\"\303\274\"", false, false, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		const char *token = samples[i].token;
		const size_t length = strlen(token);

		assert_int_equal(json_is_plain(token, length), samples[i].plain);
		assert_int_equal(json_is_plain_string(token, length), samples[i].string);
		assert_int_equal(json_is_long_integer(token, length), samples[i].long_integer);
	}
}

/* Checks that the value is accepted, or else the message. */
static void check_value(const char *text, const char *message)
{
	struct json_reader reader = {
		.text = text, .at = text, .end = text + strlen(text), .value = text};
	json_t *value = json_read_value(&reader);

	if (message) {
		assert_null(value);
		assert_string_equal(reader.message, message);
	} else {
		assert_non_null(value);
		assert_ptr_equal(reader.at, reader.end);
	}
	free(reader.message);
	json_decref(value);
}

static void depths(void **state)
{
	char text[300] = "";

	(void)state;
	memset(text, '[', 32);
	memset(text + 32, ']', 32);
	check_value(text, NULL);
	memset(text, '[', 33);
	memset(text + 33, ']', 33);
	check_value(text, "line 1, column 33: values nested more than 32 deep");
	/* Side by side there may be more of them than nested. */
	strcpy(text, "[");
	for (size_t i = 0; i < 50; i++)
		strcat(text, i % 2 ? ",[1]" : i ? ",{}" : "{}");
	strcat(text, "]");
	check_value(text, NULL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(tokens),
		cmocka_unit_test(plain),
		cmocka_unit_test(depths),
	};

	return cmocka_run_group_tests_name("json-token", tests, NULL, NULL);
}
