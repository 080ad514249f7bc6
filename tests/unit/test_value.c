/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Members of records, and tables of names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "schema/value.h"

static void numbers(void **state)
{
	struct number number = {0};

	(void)state;
	assert_false(number.known);
	number_set(&number, 0);
	assert_true(number.known);
	assert_true(number.value == 0);
	number_set(&number, UINT64_MAX);
	assert_true(number.value == UINT64_MAX);
	number = number_of(7);
	assert_true(number.known);
	assert_true(number.value == 7);
}

static void string_lists(void **state)
{
	struct strings strings = {0};
	char text[8];

	(void)state;
	assert_false(strings.known);
	assert_false(strings_contain(&strings, ""));
	for (unsigned int i = 0; i < 100; i++) {
		snprintf(text, sizeof(text), "eth%u", i);
		strings_add(&strings, text);
	}
	assert_true(strings.known);
	assert_int_equal(strings.count, 100);
	assert_string_equal(strings.items[0], "eth0");
	assert_string_equal(strings.items[99], "eth99");
	assert_true(strings_contain(&strings, "eth42"));
	assert_false(strings_contain(&strings, "eth"));
	assert_false(strings_contain(&strings, "eth420"));
	strings_free(&strings);
	assert_false(strings.known);
	assert_int_equal(strings.count, 0);
	assert_null(strings.items);
	strings_free(&strings);
}

static const struct enum_name names[] = {
	{1, "down", TONE_BAD}, {4, "active", TONE_GOOD}, {0, "nop"}, {4, "second"}, {0, NULL},
};

static void names_by_code(void **state)
{
	(void)state;
	assert_string_equal(enum_find(names, 1)->word, "down");
	assert_string_equal(enum_find(names, 4)->word, "active");
	assert_int_equal(enum_find(names, 4)->tone, TONE_GOOD);
	/* A code of 0 does not end the table, and the end is not a name for 0. */
	assert_string_equal(enum_find(names, 0)->word, "nop");
	assert_null(enum_find(names, 2));
	assert_null(enum_find(names + 4, 0));
	assert_string_equal(enum_word(names, 1, "x"), "down");
	assert_string_equal(enum_word(names, 2, "x"), "x");
	assert_null(enum_word(names, 2, NULL));
}

static void names_by_word(void **state)
{
	(void)state;
	assert_int_equal(enum_find_word(names, "active")->value, 4);
	assert_int_equal(enum_find_word(names, "nop")->value, 0);
	assert_null(enum_find_word(names, "act"));
	assert_null(enum_find_word(names, "Active"));
	assert_null(enum_find_word(names, ""));
}

static void strings_as_values(void **state)
{
	struct value value = {.kind = VALUE_BOOL};

	(void)state;
	value_set_string(&value, "");
	assert_int_equal(value.kind, VALUE_STRING);
	assert_string_equal(value.string, "");
	value_set_string(&value, NULL);
	assert_int_equal(value.kind, VALUE_NONE);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),	     cmocka_unit_test(string_lists),
		cmocka_unit_test(names_by_code),     cmocka_unit_test(names_by_word),
		cmocka_unit_test(strings_as_values),
	};

	return cmocka_run_group_tests_name("value", tests, NULL, NULL);
}
