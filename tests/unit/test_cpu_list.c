/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lists of processors at the limits of what a set holds, and in buffers of each size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "selftest/agent/cpu_list.h"

static cpu_set_t set_of(const char *text)
{
	cpu_set_t set;

	assert_true(cpu_list_parse(text, &set));
	return set;
}

static void check(const char *text, const char *wanted)
{
	cpu_set_t set = set_of(text);
	char got[128];

	cpu_list_format(&set, got, sizeof(got));
	assert_string_equal(got, wanted);
}

static void good(void **state)
{
	cpu_set_t set = set_of("0-1,4");

	(void)state;
	assert_int_equal(CPU_COUNT(&set), 3);
	assert_true(CPU_ISSET(0, &set) && CPU_ISSET(1, &set) && CPU_ISSET(4, &set));
	check("7-7", "7");
	check("0,1", "0-1");
	check("0,2", "0,2");
	check("0-1,3-4,6", "0-1,3-4,6");
	check("09-10", "9-10");
	/* The last that a set holds, those after it, and the last number of all. */
	check("1023", "1023");
	check("1024", "");
	check("1020-1024", "1020-1023");
	check("0,65535", "0");
	check("65535-65535", "");
}

static void bad(void **state)
{
	static const char *const texts[] = {
		"65536", "0-65536", "2-1", "1--2", "1-2-3", "1,,2", "1, 2",
		",",	 "-",	    "0x1", "/",	   ":",	    "1:",   "99999999999999999999"};
	cpu_set_t set = set_of("5");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_false(cpu_list_parse(texts[i], &set));
	/* It stays as it was. */
	assert_int_equal(CPU_COUNT(&set), 1);
	assert_true(CPU_ISSET(5, &set));
}

/* It ends with the last whole piece that fits, and a NUL. */
static void cut(void **state)
{
	const cpu_set_t set = set_of("0-3,8,10-12");
	static const char *const texts[] = {NULL,	   "",		 "",	  "",
					    "0-3",	   "0-3",	 "0-3,8", "0-3,8",
					    "0-3,8",	   "0-3,8",	 "0-3,8", "0-3,8",
					    "0-3,8,10-12", "0-3,8,10-12"};
	char text[16];

	(void)state;
	for (size_t size = 1; size < ARRAY_SIZE(texts); size++) {
		memset(text, 'x', sizeof(text));
		cpu_list_format(&set, text, size);
		assert_string_equal(text, texts[size]);
		assert_int_equal(text[size], 'x');
	}
}

static void check_share(unsigned int share, unsigned int shares, const char *wanted)
{
	cpu_set_t set = set_of("0-3,8-9");
	char got[64];

	cpu_list_share(&set, share, shares);
	cpu_list_format(&set, got, sizeof(got));
	assert_string_equal(got, wanted);
}

static void shares(void **state)
{
	(void)state;
	check_share(0, 0, "0-3,8-9");
	check_share(0, 1, "0-3,8-9");
	check_share(0, 2, "0,2,8");
	check_share(1, 2, "1,3,9");
	check_share(2, 2, "0-3,8-9");
	/* As many shares as there are processors, and one more. */
	check_share(4, 6, "8");
	check_share(5, 6, "9");
	check_share(5, 7, "0-3,8-9");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(good),
		cmocka_unit_test(bad),
		cmocka_unit_test(cut),
		cmocka_unit_test(shares),
	};

	return cmocka_run_group_tests_name("cpu-list", tests, NULL, NULL);
}
