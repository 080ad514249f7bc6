/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The value from which a counter is an error: for all ports, from a file, or never. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "fabric/scan/port_counters.h"

/* The limit of a counter in both schemas, which must agree. */
static uint64_t limit_of(const struct error_limits *limits, const char *key)
{
	uint64_t found = 0;

	for (size_t i = 0; i < perf_schema.field_count; i++)
		if (!strcmp(perf_schema.fields[i].key, key))
			found = limits->by_counter[i];
	for (size_t i = 0; i < perf_counters_schema.field_count; i++)
		if (!strcmp(perf_counters_schema.fields[i].key, key))
			assert_int_equal(limits->by_part[i], found);
	return found;
}

static void same_for_all(void **state)
{
	struct error_limits limits;

	(void)state;
	assert_true(perf_schema.field_count <= ERROR_LIMITS_MOST);
	assert_true(perf_counters_schema.field_count <= ERROR_LIMITS_MOST);
	error_limits_init(&limits, 7);
	assert_int_equal(limit_of(&limits, "symbol_errors"), 7);
	assert_int_equal(limit_of(&limits, "vl15_dropped"), 7);
	assert_true(limit_of(&limits, "xmit_wait_ticks") == ERROR_LIMIT_NEVER);
	assert_true(limit_of(&limits, "xmit_packets") == ERROR_LIMIT_NEVER);
	/* With the highest limit, only saturated counters are errors. */
	error_limits_init(&limits, UINT64_MAX);
	assert_true(error_limit_is_passed(limit_of(&limits, "rcv_errors"), 65535, true));
	assert_false(error_limit_is_passed(limit_of(&limits, "rcv_errors"), 65534, false));
	assert_false(error_limit_is_passed(ERROR_LIMIT_NEVER, UINT64_MAX, true));
}

static void ignored(void **state)
{
	struct error_limits limits;
	char *wrong = NULL;

	(void)state;
	error_limits_init(&limits, 1);
	assert_int_equal(error_limits_ignore(&limits, "symbol_errors,PortXmitDiscards", &wrong), 0);
	assert_null(wrong);
	assert_true(limit_of(&limits, "symbol_errors") == ERROR_LIMIT_NEVER);
	assert_true(limit_of(&limits, "xmit_discards") == ERROR_LIMIT_NEVER);
	assert_int_equal(limit_of(&limits, "link_downed"), 1);
	assert_int_equal(error_limits_ignore(&limits, "link_downed,\033x", &wrong), -ENOENT);
	assert_string_equal(wrong, "\\x1bx");
	free(wrong);
	wrong = NULL;
	assert_int_equal(error_limits_ignore(&limits, "xmit_packets", &wrong), -ENOENT);
	free(wrong);
}

static void from_file(void **state)
{
	static const char good[] =
		"# text\n\n#SymbolErrorCounter=10\nLinkDownedCounter=10\r\n"
		" PortRcvErrors = 0x10 # comment\nPortXmitWait=1000\nvl15_dropped=0";
	static const struct {
		const char *text;
		unsigned int line;
	} bad[] = {{"SymbolErrorCounter", 1},	  {"\nSymbols=3\n", 2},
		   {"VL15Dropped=x\n", 1},	  {"VL15Dropped=\n", 1},
		   {"#\n#\nVL15Dropped=-1\n", 3}, {"VL15Dropped=0xffffffffffffffff\n", 1}};
	struct error_limits limits;
	unsigned int line = 0;

	(void)state;
	error_limits_init(&limits, 5);
	assert_int_equal(error_limits_parse(&limits, good, &line), 0);
	/* A counter above the threshold is an error, as in ibqueryerrors. */
	assert_int_equal(limit_of(&limits, "symbol_errors"), 5);
	assert_int_equal(limit_of(&limits, "link_downed"), 11);
	assert_int_equal(limit_of(&limits, "rcv_errors"), 17);
	assert_int_equal(limit_of(&limits, "xmit_wait_ticks"), 1001);
	assert_int_equal(limit_of(&limits, "vl15_dropped"), 1);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		error_limits_init(&limits, 1);
		assert_int_equal(error_limits_parse(&limits, bad[i].text, &line), -EINVAL);
		assert_int_equal(line, bad[i].line);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_for_all),
		cmocka_unit_test(ignored),
		cmocka_unit_test(from_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
