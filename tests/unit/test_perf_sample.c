/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a port samples: the request, what the port makes of it, and the rows of its result. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mad/perf/perf_sample.h"
#include "schema/bits.h"

enum { TAG = 0x1234, INTERVAL = 500 };

static const struct perf_sampling sampling = {
	.selects = {5, 0x4001},
	.count = 2,
	.tag = TAG,
	.op_code = 0x64,
	.start_ticks = 3,
	.interval_ticks = INTERVAL,
};

/* The answer of a port that accepts everything. */
static void answer(unsigned char control[static MAD_DATA_MOST])
{
	unsigned char before[PERF_SAMPLE_CONTROL_BYTES] = {0};

	memset(control, 0, MAD_DATA_MOST);
	perf_sampling_write(&sampling, 7, before, control);
}

static void parses(void **state)
{
	struct perf_sampling parsed = {.tag = TAG};
	char *wrong = NULL;

	(void)state;
	assert_int_equal(perf_sampling_parse("xmit-wait,0x4001,3", &parsed, &wrong), 0);
	assert_int_equal(parsed.count, 3);
	assert_int_equal(parsed.selects[0], 5);
	assert_int_equal(parsed.selects[1], 0x4001);
	assert_int_equal(parsed.selects[2], 3);
	assert_int_equal(perf_sampling_parse("1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16", &parsed,
					     &wrong),
			 -E2BIG);
	assert_null(wrong);
	assert_int_equal(perf_sampling_parse("1,0", &parsed, &wrong), -EINVAL);
	assert_string_equal(wrong, "0");
	free(wrong);
	assert_int_equal(perf_sampling_parse("xmit", &parsed, &wrong), -EINVAL);
	assert_string_equal(wrong, "xmit");
	free(wrong);
}

/* Offsets of 16.1.3.2; fields that the request does not set stay as the port had them. */
static void writes(void **state)
{
	struct perf_sampling plain = sampling;
	unsigned char before[PERF_SAMPLE_CONTROL_BYTES], data[PERF_SAMPLE_CONTROL_BYTES];

	(void)state;
	memset(before, 0xee, sizeof(before));
	perf_sampling_write(&sampling, 7, before, data);
	assert_int_equal(data[0], 0x64);
	assert_int_equal(data[1], 7);
	assert_int_equal(data[2], 0xee);
	assert_int_equal(bits_get(data, 28 * 8, 32), 3);
	assert_int_equal(bits_get(data, 32 * 8, 32), INTERVAL);
	assert_int_equal(bits_get(data, 36 * 8, 16), TAG);
	assert_int_equal(bits_get(data, 38 * 8, 16), 5);
	assert_int_equal(bits_get(data, 40 * 8, 16), 0x4001);
	for (size_t i = 2; i < PERF_SAMPLE_COUNTERS; i++)
		assert_int_equal(bits_get(data, (38 + 2 * i) * 8, 16), 0);
	plain.interval_ticks = 0;
	perf_sampling_write(&plain, 7, before, data);
	assert_int_equal(bits_get(data, 32 * 8, 32), 0xeeeeeeee);
}

static void checks(void **state)
{
	unsigned char control[MAD_DATA_MOST];

	(void)state;
	answer(control);
	assert_int_equal(perf_sampling_check(&sampling, control), 0);
	/* Fields that were not requested do not matter. */
	bits_set(control, 42 * 8, 16, 9);
	assert_int_equal(perf_sampling_check(&sampling, control), 0);
	bits_set(control, 40 * 8, 16, 0);
	assert_int_equal(perf_sampling_check(&sampling, control), -EOPNOTSUPP);
	bits_set(control, 40 * 8, 16, 0x4002);
	assert_int_equal(perf_sampling_check(&sampling, control), -EOPNOTSUPP);
	bits_set(control, 32 * 8, 32, 0);
	assert_int_equal(perf_sampling_check(&sampling, control), -ERANGE);
	bits_set(control, 36 * 8, 16, TAG + 1);
	assert_int_equal(perf_sampling_check(&sampling, control), -EBUSY);
}

static void runs(void **state)
{
	unsigned char control[MAD_DATA_MOST];

	(void)state;
	for (unsigned int status = 0; status < 4; status++) {
		answer(control);
		control[11] = (unsigned char)(0xfc | status);
		assert_int_equal(perf_sampling_runs(control), status != 0);
	}
}

/* Returns the rows of a result with this tag and status. */
static struct perf_sample *rows_of(unsigned int tag, unsigned int status,
				   const struct perf_sampling *own)
{
	unsigned char control[MAD_DATA_MOST], result[MAD_DATA_MOST] = {0};
	struct perf_sample *rows = NULL;
	size_t count = 0;

	answer(control);
	bits_set(result, 0, 16, tag);
	bits_set(result, 30, 2, status);
	bits_set(result, 4 * 8, 32, 77);
	bits_set(result, 8 * 8, 32, 88);
	perf_sampling_rows(control, result, own, &rows, &count);
	assert_int_equal(count, 2);
	assert_int_equal(rows[0].select.value, 5);
	assert_int_equal(rows[1].select.value, 0x4001);
	assert_int_equal(rows[1].index.value, 1);
	assert_int_equal(rows[0].status.value, status);
	assert_int_equal(rows[0].tag.value, tag);
	assert_int_equal(rows[0].interval_ticks.value, INTERVAL);
	assert_int_equal(rows[0].port.value, 7);
	return rows;
}

static void results(void **state)
{
	struct perf_sample *rows = rows_of(TAG, 0, &sampling);

	(void)state;
	assert_int_equal(rows[0].value.value, 77);
	assert_int_equal(rows[1].value.value, 88);
	assert_int_equal(rows[0].own, TRISTATE_YES);
	free(rows);
	rows = rows_of(TAG, 0, NULL);
	assert_int_equal(rows[1].value.value, 88);
	assert_int_equal(rows[1].own, TRISTATE_UNKNOWN);
	free(rows);
	/* 16.1.3.4: unknown until sampling has ended */
	rows = rows_of(TAG, 2, &sampling);
	assert_false(rows[0].value.known);
	free(rows);
}

/* Values of another request are not shown under these quantities. */
static void others(void **state)
{
	struct perf_sample *rows = rows_of(TAG + 1, 0, &sampling);

	(void)state;
	assert_false(rows[0].value.known);
	assert_false(rows[1].value.known);
	assert_int_equal(rows[0].own, TRISTATE_NO);
	free(rows);
	rows = rows_of(TAG + 1, 0, NULL);
	assert_false(rows[0].value.known);
	free(rows);
}

/* Counters of --reset that a device lacks, according to its capabilities. */
static void lacking(void **state)
{
	const uint32_t wait = 1 << 16, qp1 = 1 << 17, unicast = 1 << 18;
	struct perf_caps caps = {.mask = 0};

	(void)state;
	assert_int_equal(perf_lacking_counters(caps, 0xffff), 0);
	assert_int_equal(perf_lacking_counters(caps, PERF_CLEAR_ALL), PERF_CLEAR_ALL & ~0xffffu);
	caps.mask = PERF_CAP_XMIT_WAIT;
	assert_int_equal(perf_lacking_counters(caps, wait | qp1 | 1), qp1);
	caps.mask = PERF_CAP_QP1_DROPPED | PERF_CAP_EXTENDED_WIDTH;
	assert_int_equal(perf_lacking_counters(caps, wait | qp1 | unicast), wait);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses),  cmocka_unit_test(writes),  cmocka_unit_test(checks),
		cmocka_unit_test(runs),	   cmocka_unit_test(results), cmocka_unit_test(others),
		cmocka_unit_test(lacking),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
