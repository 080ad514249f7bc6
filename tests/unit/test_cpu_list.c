/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lists of processors at the limits of a set, and in buffers of each size. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "selftest/agent/cpu_list.h"

static struct cpu_list set_of(const char *text)
{
	struct cpu_list set;

	assert_true(cpu_list_parse(text, &set));
	return set;
}

static void check_set(const struct cpu_list *set, const char *wanted)
{
	char got[128];

	cpu_list_format(set, got, sizeof(got));
	assert_string_equal(got, wanted);
}

static void check(const char *text, const char *wanted)
{
	const struct cpu_list set = set_of(text);

	check_set(&set, wanted);
}

static void good(void **state)
{
	const struct cpu_list set = set_of("0-1,4");

	(void)state;
	assert_int_equal(cpu_list_count(&set), 3);
	assert_true(CPU_ISSET(0, set.sets) && CPU_ISSET(1, set.sets) && CPU_ISSET(4, set.sets));
	check("", "");
	check("7-7", "7");
	check("0,1", "0-1");
	check("0,2", "0,2");
	check("0-1,3-4,6", "0-1,3-4,6");
	check("09-10", "9-10");
	/* The last number that fits into a set, those after it, and the last number of all. */
	check("1020-1030", "1020-1030");
	check("8191", "8191");
	check("8192", "");
	check("8000-8192", "8000-8191");
	check("8,2,1,0", "0-2,8");
	check("0,65535", "0");
	check("65535-65535", "");
}

static void bad(void **state)
{
	static const char *const texts[] = {
		"65536", "0-65536", "2-1", "1--2", "1-2-3", "1,,2",
		"1, 2",	 ",",	    "-",   "a",	   "1-",    "1,",
		",1",	 "0x1",	    "/",   ":",	   "1:",    "99999999999999999999"};
	struct cpu_list set = set_of("5");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_false(cpu_list_parse(texts[i], &set));
	/* The set is unchanged. */
	check_set(&set, "5");
}

/* The text ends after the last piece that fits, with a NUL. */
static void cut(void **state)
{
	const struct cpu_list set = set_of("0-3,8,10-12");
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
	struct cpu_list set = set_of("0-3,8-9");

	cpu_list_share(&set, share, shares);
	check_set(&set, wanted);
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

/* ---- A host with more processors than a cpu_set_t holds ---- */

enum { MANY = 2048 };

static struct cpu_list usable; /* by the thread */

/*
 * Like the kernel, which refuses a set that is smaller than its number of processors:
 * sched_getaffinity(2).
 */
int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
	(void)pid;
	if (size < MANY / 8) {
		errno = EINVAL;
		return -1;
	}
	memcpy(set, &usable, size < sizeof(usable) ? size : sizeof(usable));
	return 0;
}

int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
	(void)pid;
	memset(&usable, 0, sizeof(usable));
	memcpy(&usable, set, size < sizeof(usable) ? size : sizeof(usable));
	return 0;
}

static void many(void **state)
{
	struct cpu_list set = set_of("1000-1100,1500-1503,2047"), own;

	(void)state;
	usable = set_of("0-1023,1500-2047");
	assert_int_equal(cpu_list_of_thread(&own), 0);
	assert_int_equal(cpu_list_count(&own), 1024 + 548);
	cpu_list_limit(&set, &own);
	check_set(&set, "1000-1023,1500-1503,2047");
	cpu_list_share(&set, 1, 4);
	assert_int_equal(cpu_list_keep_to(&set), 0);
	check_set(&usable, "1001,1005,1009,1013,1017,1021,1501");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(good),	  cmocka_unit_test(bad),  cmocka_unit_test(cut),
		cmocka_unit_test(shares), cmocka_unit_test(many),
	};

	return cmocka_run_group_tests_name("cpu-list", tests, NULL, NULL);
}
