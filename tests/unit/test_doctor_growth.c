/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How much growth is too much, exactly at each limit; and what two readings say about a number. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "doctor/frame/growth.h"

enum { MINUTE = 60, HOUR = 3600, DAY = 24 * HOUR };

static void test_flaps(void **state)
{
	static const struct {
		uint64_t flaps;
		double seconds;
		enum severity verdict;
	} cases[] = {
		{0, 10, SEVERITY_OK},
		{0, 30 * DAY, SEVERITY_OK},
		{0, 0, SEVERITY_OK},
		/* A link that goes down during the measurement is not stable. */
		{1, 10, SEVERITY_WARNING},
		{2, 10, SEVERITY_WARNING},
		/* One in four hours is three in twelve. */
		{1, 4 * HOUR, SEVERITY_WARNING},
		{1, 4 * HOUR + 1, SEVERITY_NOTICE},
		{2, 8 * HOUR, SEVERITY_WARNING},
		{2, 8 * HOUR + 1, SEVERITY_NOTICE},
		{3, 12 * HOUR, SEVERITY_WARNING},
		{3, 12 * HOUR + 1, SEVERITY_NOTICE},
		{2, 12 * HOUR, SEVERITY_NOTICE},
		/* An error needs five events, however short the time is. */
		{4, 10, SEVERITY_WARNING},
		{5, 10, SEVERITY_ERROR},
		{4, DAY, SEVERITY_NOTICE},
		{5, DAY, SEVERITY_ERROR},
		{5, DAY + 1, SEVERITY_NOTICE},
		{6, DAY + 1, SEVERITY_ERROR},
		{35, 7 * DAY, SEVERITY_ERROR},
		{34, 7 * DAY, SEVERITY_NOTICE},
		/* The duration is unknown. */
		{2, 0, SEVERITY_NOTICE},
		{3, 0, SEVERITY_WARNING},
		{UINT64_MAX, 0, SEVERITY_WARNING},
		{UINT64_MAX, 10, SEVERITY_ERROR},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (judge_flaps(cases[i].flaps, cases[i].seconds) != cases[i].verdict)
			fail_msg("%llu flaps in %.0f s: %d", (unsigned long long)cases[i].flaps,
				 cases[i].seconds, judge_flaps(cases[i].flaps, cases[i].seconds));
}

static void test_rates(void **state)
{
	static const struct {
		uint64_t growth;
		double seconds;
		uint64_t limit;
		unsigned int period;
		bool exceeds;
	} cases[] = {
		{120, HOUR, 120, HOUR, false},
		{121, HOUR, 120, HOUR, true},
		{240, 2 * HOUR, 120, HOUR, false},
		{241, 2 * HOUR, 120, HOUR, true},
		/* Ten events determine a rate, nine do not. */
		{9, 10, 120, HOUR, false},
		{10, 10, 120, HOUR, true},
		/* Ten events in five minutes are exactly 120 an hour. */
		{10, 5 * MINUTE, 120, HOUR, false},
		{11, 5 * MINUTE, 120, HOUR, true},
		/* A low limit is exceeded by one event above it. */
		{5, 10, 5, MINUTE, false},
		{6, 10, 5, MINUTE, true},
		{5, MINUTE, 5, MINUTE, false},
		{6, MINUTE, 5, MINUTE, true},
		{0, 10, 5, MINUTE, false},
		/* Without a duration, only a count above the limit itself matters. */
		{5, 0, 5, MINUTE, false},
		{6, 0, 5, MINUTE, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (growth_exceeds(cases[i].growth, cases[i].seconds, cases[i].limit,
				   cases[i].period) != cases[i].exceeds)
			fail_msg("%llu in %.0f s, limit %llu in %u s",
				 (unsigned long long)cases[i].growth, cases[i].seconds,
				 (unsigned long long)cases[i].limit, cases[i].period);
}

static void assert_window(double seconds, const char *wanted)
{
	char *window = growth_window(seconds);

	assert_string_equal(window, wanted);
	free(window);
}

static void test_windows(void **state)
{
	(void)state;
	assert_window(0, "an unknown time");
	assert_window(10.04, "10.0 s");
	assert_window(119.9, "119.9 s");
	assert_window(120, "2 min");
	assert_window(7199, "120 min");
	assert_window(12.5 * HOUR, "12.5 h");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flaps),
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_windows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
