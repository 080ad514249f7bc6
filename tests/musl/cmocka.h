/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * As much of cmocka as the unit tests use, for the build with musl: a library that is built for
 * glibc cannot be linked there. A failed assertion ends its test; the output is TAP.
 */
#pragma once

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*CMUnitTestFunction)(void **state);
typedef int (*CMFixtureFunction)(void **state);

struct CMUnitTest {
	const char *name;
	CMUnitTestFunction test_func;
	CMFixtureFunction setup_func, teardown_func;
};

enum { MUSL_TEST_FAILED = 1, MUSL_TEST_SKIPPED };

__attribute__((unused)) static jmp_buf musl_test_end;

#define cmocka_unit_test(function)              \
	{                                       \
#function, function, NULL, NULL \
	}
#define cmocka_unit_test_setup_teardown(function, setup, teardown) \
	{                                                          \
#function, function, setup, teardown               \
	}
#define cmocka_run_group_tests_name(name, tests, setup, teardown) \
	musl_test_run(tests, sizeof(tests) / sizeof((tests)[0]), setup, teardown)
#define cmocka_run_group_tests(tests, setup, teardown) \
	cmocka_run_group_tests_name("", tests, setup, teardown)

#define skip()	      longjmp(musl_test_end, MUSL_TEST_SKIPPED)
#define print_message printf
#define fail_msg(...)                                     \
	do {                                              \
		printf("# %s:%d: ", __FILE__, __LINE__);  \
		printf(__VA_ARGS__);                      \
		putchar('\n');                            \
		longjmp(musl_test_end, MUSL_TEST_FAILED); \
	} while (0)
#define fail() fail_msg("failed")
#define assert_true(condition)                                   \
	do {                                                     \
		if (!(condition))                                \
			fail_msg("%s", "not true: " #condition); \
	} while (0)
#define assert_false(condition)	       assert_true(!(condition))
#define assert_null(pointer)	       assert_true((pointer) == NULL)
#define assert_non_null(pointer)       assert_true((pointer) != NULL)
#define assert_int_equal(a, b)	       assert_true((uintmax_t)(a) == (uintmax_t)(b))
#define assert_int_not_equal(a, b)     assert_true((uintmax_t)(a) != (uintmax_t)(b))
#define assert_ptr_equal(a, b)	       assert_true((const void *)(a) == (const void *)(b))
#define assert_ptr_not_equal(a, b)     assert_true((const void *)(a) != (const void *)(b))
#define assert_float_equal(a, b, most) assert_true((a) - (b) <= (most) && (b) - (a) <= (most))
#define assert_in_range(value, least, most)                     \
	assert_true((uintmax_t)(value) >= (uintmax_t)(least) && \
		    (uintmax_t)(value) <= (uintmax_t)(most))
#define assert_memory_equal(a, b, size)	    assert_true(!memcmp(a, b, size))
#define assert_memory_not_equal(a, b, size) assert_true(memcmp(a, b, size) != 0)
#define assert_string_not_equal(a, b)	    assert_true(strcmp(a, b) != 0)
#define assert_string_equal(a, b)                                     \
	do {                                                          \
		const char *one_ = (a), *two_ = (b);                  \
                                                                      \
		if (strcmp(one_, two_) != 0)                          \
			fail_msg("\"%s\" is not \"%s\"", one_, two_); \
	} while (0)

static int musl_test_run(const struct CMUnitTest *tests, size_t count, CMFixtureFunction setup,
			 CMFixtureFunction teardown)
{
	int failed = 0;
	void *group = NULL;

	printf("1..%zu\n", count);
	if (setup && setup(&group))
		return 1;
	for (size_t i = 0; i < count; i++) {
		/* Changed after setjmp(): C11, 7.13.2.1. */
		void *volatile state = group;
		int end = setjmp(musl_test_end);

		if (!end) {
			void *own = state;

			if (tests[i].setup_func && tests[i].setup_func(&own))
				longjmp(musl_test_end, MUSL_TEST_FAILED);
			state = own;
			tests[i].test_func(&own);
			state = own;
		}
		if (tests[i].teardown_func) {
			void *own = state;

			tests[i].teardown_func(&own);
		}
		failed += end == MUSL_TEST_FAILED;
		printf("%sok %zu - %s%s\n", end == MUSL_TEST_FAILED ? "not " : "", i + 1,
		       tests[i].name, end == MUSL_TEST_SKIPPED ? " # SKIP" : "");
	}
	if (teardown)
		teardown(&group);
	return failed;
}
