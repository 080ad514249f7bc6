/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lines of a file of commands, split as a shell does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cli/words.h"

/*
 * Returns the words joined by |, or ! and the message. The line is copied into memory of its exact
 * size.
 */
static char *split(const char *line, size_t length)
{
	_cleanup_(freep) char *copy = mem_alloc_zero(length, 1), *message = NULL;
	struct strings words = {.known = false};
	char *text = NULL;

	memcpy(copy, line, length);
	if (words_split(copy, length, &words, &message)) {
		strings_free(&words);
		return mem_format("!%s", message);
	}
	assert_true(words.known);
	assert_null(message);
	text = mem_string("");
	for (size_t i = 0; i < words.count; i++)
		mem_extend(&text, "%s%s", i ? "|" : "", words.items[i]);
	strings_free(&words);
	return text;
}

static void lines(void **state)
{
	static const struct {
		const char *line, *words;
	} samples[] = {
		{"", ""},
		{" \t ", ""},
		{"ports", "ports"},
		{" ports\t-o  name ", "ports|-o|name"},
		{"# ports", ""},
		{"ports # all", "ports"},
		{"a#b #c", "a#b"},
		{"'a b' \"c d\"", "a b|c d"},
		{"a'b c'd", "ab cd"},
		{"'' \"\"", "|"},
		{"'\"' \"'\"", "\"|'"},
		{"a\\ b \\# \\'", "a b|#|'"},
		{"'a\\' \"b\\\"\"", "a\\|b\""},
		{"a\\\\", "a\\"},
		/* At the end of the line, a backslash is an ordinary character. */
		{"a\\", "a\\"},
		{"\\", "\\"},
		{"'a", "!a quotation mark that is never closed"},
		{"\"a\\\"", "!a quotation mark that is never closed"},
		{"a\001b", "!a control character"},
		{"a\037", "!a control character"},
		{"a\rb", "!a control character"},
		{"a\r", "!a carriage return at its end, as in Windows files"},
		{"a # \177", "!a control character"},
		{"~ \200\377", "~|\200\377"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		_cleanup_(freep) char *words = split(samples[i].line, strlen(samples[i].line));

		assert_string_equal(words, samples[i].words);
	}
}

/* The given length is not exceeded, and the number of words is limited. */
static void limits(void **state)
{
	_cleanup_(freep) char *line = mem_alloc_zero(SPLIT_MOST + 1, 2);
	char *words = split("ab cd", 4);

	(void)state;
	assert_string_equal(words, "ab|c");
	free(words);
	for (size_t i = 0; i <= SPLIT_MOST; i++)
		memcpy(line + 2 * i, "x ", 2);
	words = split(line, 2 * SPLIT_MOST);
	assert_int_equal(strlen(words), 2 * SPLIT_MOST - 1);
	free(words);
	words = split(line, 2 * SPLIT_MOST + 2);
	assert_string_equal(words, "!too many words");
	free(words);
	words = split("a\0b", 3);
	assert_string_equal(words, "!a control character");
	free(words);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(limits),
	};

	return cmocka_run_group_tests_name("split", tests, NULL, NULL);
}
