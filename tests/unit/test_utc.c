/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Points in time as text, and back. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/clock.h"

static void text_is_utc_with_milliseconds(void **state)
{
	char text[UTC_TEXT_SIZE];

	(void)state;
	utc_format(0, text);
	assert_string_equal(text, "1970-01-01T00:00:00.000Z");
	utc_format(UINT64_C(1767225599007999999), text);
	assert_string_equal(text, "2025-12-31T23:59:59.007Z");
	utc_format(UINT64_C(951782400999000000), text);
	assert_string_equal(text, "2000-02-29T00:00:00.999Z");
}

static void what_is_written_can_be_read(void **state)
{
	static const uint64_t moments[] = {0, 1, 951782400999, 1767225599007, 4102444800000};
	char text[UTC_TEXT_SIZE];
	uint64_t msec;

	(void)state;
	for (size_t i = 0; i < sizeof(moments) / sizeof(*moments); i++) {
		utc_format(moments[i] * 1000000, text);
		assert_true(utc_parse(text, &msec));
		assert_true(msec == moments[i]);
	}
}

/* People leave it out, as in the example for snapshot --since. */
static void the_fraction_may_be_missing(void **state)
{
	uint64_t msec;

	(void)state;
	assert_true(utc_parse("2000-02-29T00:00:00Z", &msec));
	assert_true(msec == UINT64_C(951782400000));
}

/*
 * Returns the time in seconds by the clock that utc_now() reads. time() may lag behind it by a tick
 * of the kernel (time(2), "NOTES"), and then "now" would be later than a subsequent time().
 */
static uint64_t seconds(void)
{
	struct timespec now;

	assert_int_equal(clock_gettime(CLOCK_REALTIME, &now), 0);
	return (uint64_t)now.tv_sec;
}

static void now_is_now(void **state)
{
	const uint64_t before = seconds();
	char *text = utc_now();
	uint64_t msec;

	(void)state;
	assert_true(utc_parse(text, &msec));
	assert_in_range(msec / 1000, before, seconds());
	free(text);
}

static void other_texts_are_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"now",
		"2026-01-02",
		"2026-01-02T03:04:05.678",
		"2026-01-02T03:04:05.678Z ",
		"2026-01-02T03:04:05.678+01:00",
		"2026-01-02T03:04:05.-78Z",
		"2026-01-02T03:04:05.5Z",
		"2026-01-02T03:04:05.6789Z",
		"2026-01-02T03:04:05.Z",
		"2026-02-29T03:04:05.678Z",
		"2026-13-02T03:04:05.678Z",
		"2026-01-02T24:04:05.678Z",
		"2026-01-02T03:04:60.678Z",
		"2026- 1-02T03:04:05.678Z",
		"2026-+1-02T03:04:05.678Z",
		" 2026-01-02T03:04:05.678Z",
		"2026-1-2T3:4:5.678Z",
		"2555-01-01T00:00:00.000Z",
		"1969-12-31T23:59:59.000Z",
	};
	uint64_t msec = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_false(utc_parse(texts[i], &msec));
	assert_true(msec == 7);
}

/* Rounds are counted from the last one, whatever the work took; missed ones are skipped. */
static void rounds(void **state)
{
	(void)state;
	assert_int_equal(clock_next_round(5000, 1000, 5000), 6000);
	assert_int_equal(clock_next_round(5000, 1000, 5999), 6000);
	assert_int_equal(clock_next_round(5000, 1000, 6000), 7000);
	assert_int_equal(clock_next_round(5000, 1000, 6200), 7000);
	assert_int_equal(clock_next_round(5000, 1000, 8500), 9000);
	assert_int_equal(clock_next_round(5000, 1000, 4990), 6000);
}

/* poll(2) takes an int: a longer wait is split. */
static void far_ends(void **state)
{
	(void)state;
	assert_int_equal(clock_msec_until(clock_msec() + (UINT64_C(1) << 31)), INT_MAX);
	assert_int_equal(clock_msec_until(clock_msec() + (UINT64_C(1) << 32)), INT_MAX);
	assert_int_equal(clock_msec_until(UINT64_MAX), INT_MAX);
	assert_in_range(clock_msec_until(clock_msec() + 60000), 1, 60000);
	assert_int_equal(clock_msec_until(clock_msec()), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_utc_with_milliseconds),
		cmocka_unit_test(what_is_written_can_be_read),
		cmocka_unit_test(the_fraction_may_be_missing),
		cmocka_unit_test(now_is_now),
		cmocka_unit_test(other_texts_are_refused),
		cmocka_unit_test(rounds),
		cmocka_unit_test(far_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
