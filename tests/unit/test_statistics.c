/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Percentiles, mean and deviation; the buckets of distributions that occur and that do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/statistics.h"

#define assert_real(got, expected) assert_float_equal(got, expected, 1e-6)

static struct statistics statistics_of(uint64_t *samples, size_t count)
{
	struct statistics statistics;

	statistics_compute(samples, count, &statistics);
	for (size_t i = 1; i < count; i++)
		assert_true(samples[i - 1] <= samples[i]);
	return statistics;
}

static void no_sample(void **state)
{
	struct statistics statistics = statistics_of(NULL, 0);
	struct histogram histogram = {.count = 1};

	(void)state;
	assert_real(statistics.min_usec, 0);
	assert_real(statistics.p999_usec, 0);
	assert_real(statistics.stddev_usec, 0);
	histogram_compute(NULL, 0, &histogram);
	assert_int_equal(histogram.count, 0);
}

/* Mean and deviation of samples that are not stored, in two parts. */
static void sums(void **state)
{
	struct moments all = {0}, rest = {0};
	double mean, stddev;

	(void)state;
	moments_compute(&all, &mean, &stddev);
	assert_real(mean, 0);
	assert_real(stddev, 0);
	for (uint64_t i = 1; i <= 4; i++)
		moments_add(i < 3 ? &all : &rest, 1000 * i);
	moments_merge(&all, &rest);
	assert_int_equal(all.count, 4);
	moments_compute(&all, &mean, &stddev);
	assert_real(mean, 2.5);
	assert_real(stddev, 1.1180339887);
	/* As many nanoseconds as a run may take, in samples that differ by single nanoseconds. */
	all = (struct moments){0};
	for (uint64_t i = 0; i < 1000; i++)
		moments_add(&all, UINT64_C(3600000000000) + i % 2);
	moments_compute(&all, &mean, &stddev);
	assert_real(mean, 3600000000.0005);
	assert_real(stddev, 0.0005);
	/* Squares whose sum carries into the upper half, and more than it. */
	all = (struct moments){0};
	for (uint64_t i = 0; i < 7; i++)
		moments_add(&all, (UINT64_C(1) << 60) + i * 1000);
	moments_compute(&all, &mean, &stddev);
	assert_real(stddev, 2);
}

/* Products of 128 bits, against long multiplication by bits. */
static void wide_products(void **state)
{
	static const uint64_t numbers[] = {
		0,
		1,
		UINT32_MAX,
		UINT64_C(1) << 32,
		UINT64_C(0xffffffff00000001),
		UINT64_C(0x123456789abcdef0),
		UINT64_C(0xfedcba9876543210),
		UINT64_MAX,
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(numbers) * ARRAY_SIZE(numbers); i++) {
		const uint64_t a = numbers[i / ARRAY_SIZE(numbers)];
		const uint64_t b = numbers[i % ARRAY_SIZE(numbers)];
		const struct wide product = wide_multiply(a, b);
		struct wide expected = {0, 0};

		for (unsigned int bit = 0; bit < 64; bit++)
			if (b >> bit & 1)
				wide_add(&expected,
					 (struct wide){bit ? a >> (64 - bit) : 0, a << bit});
		assert_true(product.high == expected.high && product.low == expected.low);
	}
}

static void one_sample(void **state)
{
	uint64_t samples[] = {4200};
	struct statistics statistics = statistics_of(samples, 1);

	(void)state;
	assert_real(statistics.min_usec, 4.2);
	assert_real(statistics.p50_usec, 4.2);
	assert_real(statistics.p90_usec, 4.2);
	assert_real(statistics.p99_usec, 4.2);
	assert_real(statistics.p999_usec, 4.2);
	assert_real(statistics.max_usec, 4.2);
	assert_real(statistics.mean_usec, 4.2);
	assert_real(statistics.stddev_usec, 0);
}

/* 1 .. count microseconds, shuffled (7919 is coprime to the counts). */
static uint64_t *ramp(size_t count)
{
	uint64_t *samples = mem_alloc_zero(count, sizeof(*samples));

	for (size_t i = 0; i < count; i++)
		samples[i] = ((i * 7919) % count + 1) * 1000;
	return samples;
}

static void check_ramp(size_t count, double p50, double p90, double p99, double p999)
{
	_cleanup_(freep) uint64_t *samples = ramp(count);
	struct statistics statistics = statistics_of(samples, count);

	assert_real(statistics.min_usec, 1);
	assert_real(statistics.p50_usec, p50);
	assert_real(statistics.p90_usec, p90);
	assert_real(statistics.p99_usec, p99);
	assert_real(statistics.p999_usec, p999);
	assert_real(statistics.max_usec, (double)count);
	assert_real(statistics.mean_usec, ((double)count + 1) / 2);
}

static void ranks(void **state)
{
	(void)state;
	check_ramp(2, 1.5, 2, 2, 2);
	check_ramp(3, 2, 3, 3, 3);
	check_ramp(4, 2.5, 4, 4, 4);
	check_ramp(10, 5.5, 9, 10, 10);
	check_ramp(11, 6, 10, 11, 11);
	check_ramp(100, 50.5, 90, 99, 100);
	check_ramp(101, 51, 91, 100, 101);
	check_ramp(1000, 500.5, 900, 990, 999);
	check_ramp(1001, 501, 901, 991, 1000);
	check_ramp(10007, 5004, 9007, 9907, 9997);
}

static void deviation(void **state)
{
	uint64_t classic[] = {2000, 4000, 4000, 4000, 5000, 5000, 7000, 9000};
	uint64_t near[] = {1, 2};
	uint64_t far[] = {0, 2000000000000};
	uint64_t most[] = {UINT64_MAX, UINT64_MAX, UINT64_MAX};

	(void)state;
	assert_real(statistics_of(classic, 8).mean_usec, 5);
	assert_real(statistics_of(classic, 8).stddev_usec, 2);
	assert_real(statistics_of(near, 2).stddev_usec, 0.0005);
	assert_real(statistics_of(far, 2).stddev_usec, 1e9);
	assert_float_equal(statistics_of(most, 3).p50_usec, 18446744073709551.615, 4);
	assert_float_equal(statistics_of(most, 3).mean_usec, 18446744073709551.615, 8);
}

/* Invariants of every distribution: no sample is lost, and each is in the right bucket. */
static void check_histogram(uint64_t *samples, size_t count, struct histogram *histogram)
{
	uint64_t total = 0;
	size_t at = 0;

	statistics_of(samples, count);
	histogram_compute(samples, count, histogram);
	assert_in_range(histogram->count, 1, HISTOGRAM_MOST);
	for (size_t i = 0; i < histogram->count; i++) {
		const struct bucket *bucket = &histogram->items[i];

		assert_true(bucket->least_nsec < bucket->below_nsec);
		if (i)
			assert_true(bucket->least_nsec == histogram->items[i - 1].below_nsec);
		for (uint64_t left = bucket->count; left; left--, at++) {
			assert_true(at < count);
			assert_true(samples[at] >= bucket->least_nsec);
			/* No bound exceeds the largest number. */
			assert_true(samples[at] < bucket->below_nsec || samples[at] == UINT64_MAX);
		}
		total += bucket->count;
	}
	assert_int_equal(total, count);
	assert_true(histogram->items[0].count > 0);
	assert_true(histogram->items[histogram->count - 1].count > 0);
}

static void check_bucket(const struct histogram *histogram, size_t i, uint64_t least,
			 uint64_t below, uint64_t count)
{
	assert_true(i < histogram->count);
	assert_int_equal(histogram->items[i].least_nsec, least);
	assert_int_equal(histogram->items[i].below_nsec, below);
	assert_int_equal(histogram->items[i].count, count);
}

static void equal_samples(void **state)
{
	uint64_t samples[100];
	struct histogram histogram;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		samples[i] = 4200;
	check_histogram(samples, ARRAY_SIZE(samples), &histogram);
	assert_int_equal(histogram.count, 1);
	check_bucket(&histogram, 0, 4200, 4202, 100);
	assert_real(statistics_of(samples, ARRAY_SIZE(samples)).stddev_usec, 0);
	check_histogram(samples, 1, &histogram);
	check_bucket(&histogram, 0, 4200, 4202, 1);
}

/* One decade: its buckets are tenths, fifths and halves. */
static void wide_spread(void **state)
{
	uint64_t samples[1000];
	struct histogram histogram;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		samples[i] = 1000 + i * 9;
	check_histogram(samples, ARRAY_SIZE(samples), &histogram);
	assert_in_range(histogram.count, 5, 13);
	check_bucket(&histogram, 0, 1000, 1500, 56);
	check_bucket(&histogram, 1, 1500, 2000, 56);
	check_bucket(&histogram, 2, 2000, 3000, 111);
	check_bucket(&histogram, 5, 5000, 7500, 278);
	check_bucket(&histogram, 6, 7500, 10000, 277);
}

/* 4 to 4.2 us: steps of 20 ns, not one bar for everything. */
static void small_spread(void **state)
{
	uint64_t samples[1000];
	struct histogram histogram;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		samples[i] = 4000 + i / 5;
	check_histogram(samples, ARRAY_SIZE(samples), &histogram);
	assert_in_range(histogram.count, 5, 13);
	check_bucket(&histogram, 0, 4000, 4020, 100);
	check_bucket(&histogram, 9, 4180, 4200, 100);
}

/* The bulk keeps its narrow buckets, however far the outliers are. */
static void outliers(void **state)
{
	uint64_t samples[1000];
	struct histogram histogram;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		samples[i] = 4000 + i / 5;
	samples[999] = 10000000;
	samples[0] = 0;
	check_histogram(samples, ARRAY_SIZE(samples), &histogram);
	check_bucket(&histogram, 0, 0, 4000, 1);
	check_bucket(&histogram, 1, 4000, 4020, 99);
	/* Up to 10 ms by decades, because steps of 1, 2, 5 do not fit. */
	check_bucket(&histogram, 11, 4200, 10000, 0);
	check_bucket(&histogram, histogram.count - 1, 10000000, 100000000, 1);
	samples[999] = 45000;
	samples[998] = 900;
	samples[0] = 950;
	check_histogram(samples, ARRAY_SIZE(samples), &histogram);
	check_bucket(&histogram, 0, 500, 4000, 2);
	check_bucket(&histogram, histogram.count - 1, 20000, 50000, 1);
	samples[999] = UINT64_MAX;
	check_histogram(samples, ARRAY_SIZE(samples), &histogram);
	assert_int_equal(histogram.count, HISTOGRAM_MOST);
	assert_int_equal(histogram.items[HISTOGRAM_MOST - 1].count, 1);
}

static void extremes(void **state)
{
	uint64_t ends[] = {0, UINT64_MAX};
	uint64_t powers[64];
	struct histogram histogram;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(powers); i++)
		powers[i] = UINT64_C(1) << i;
	check_histogram(powers, ARRAY_SIZE(powers), &histogram);
	check_histogram(ends, 2, &histogram);
	check_histogram(ends, 1, &histogram);
	check_bucket(&histogram, 0, 0, 1, 1);
	check_histogram(ends + 1, 1, &histogram);
	check_histogram((uint64_t[]){1, 1}, 2, &histogram);
	check_bucket(&histogram, 0, 1, 2, 2);
	check_histogram((uint64_t[]){10000000000000000000u, 9999999999999999999u}, 2, &histogram);
}

/* For any start, spread and count, the buckets satisfy check_histogram(). */
static void any_samples(void **state)
{
	uint64_t samples[300], random = 1;
	struct histogram histogram;

	(void)state;
	for (unsigned int run = 0; run < 3000; run++) {
		size_t count = run % ARRAY_SIZE(samples) + 1;
		unsigned int low, spread;

		random = random * 6364136223846793005u + 1442695040888963407u;
		low = random >> 32 & 63;
		spread = random >> 40 & 63;
		for (size_t i = 0; i < count; i++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			samples[i] = (UINT64_C(1) << low) + (random >> spread);
		}
		check_histogram(samples, count, &histogram);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_sample),   cmocka_unit_test(one_sample),
		cmocka_unit_test(sums),	       cmocka_unit_test(ranks),
		cmocka_unit_test(deviation),   cmocka_unit_test(equal_samples),
		cmocka_unit_test(wide_spread), cmocka_unit_test(small_spread),
		cmocka_unit_test(outliers),    cmocka_unit_test(extremes),
		cmocka_unit_test(any_samples), cmocka_unit_test(wide_products),
	};

	return cmocka_run_group_tests_name("statistics", tests, NULL, NULL);
}
