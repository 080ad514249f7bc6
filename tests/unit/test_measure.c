/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parts of a measurement that do not need a device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "selftest/measure/measure.h"
#include "selftest/trial/trial.h"

/* Areas are contiguous, and no message reaches into the next pair's area. */
static void test_layout(void **state)
{
	static const uint64_t sizes[] = {0, 1, 8, 63, 64, 65, 4096, 65537, 1u << 20};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (uint32_t qps = 1; qps <= LIMIT_QPS; qps *= 4) {
			struct run_layout layout;

			run_layout_set(&layout, QP_RC, qps, sizes[i]);
			assert_int_equal(layout.header, 0);
			assert_true(layout.stride >= run_receive_bytes(sizes[i]));
			assert_int_equal(layout.stride % 64, 0);
			assert_int_equal(layout.receive, qps * layout.stride);
			assert_int_equal(layout.control, 2 * layout.receive);
			assert_true(layout.bytes >= layout.control + qps * 16);
			/* A datagram arrives with a header in front. */
			run_layout_set(&layout, QP_UD, qps, sizes[i]);
			assert_int_equal(layout.header, 40);
			assert_true(layout.stride >= 40 + run_receive_bytes(sizes[i]));
			assert_int_equal(layout.receive, qps * layout.stride + 40);
			assert_int_equal(layout.control, 2 * qps * layout.stride);
		}
	}
}

/* The end message differs in length from every other message, and fits into the receive buffers. */
static void test_end(void **state)
{
	(void)state;
	for (uint64_t bytes = 0; bytes < 4; bytes++) {
		assert_int_not_equal(run_end_bytes(bytes), bytes);
		assert_true(run_end_bytes(bytes) <= run_receive_bytes(bytes));
	}
}

/* A receive's id keeps its queue pair, whatever its lower bits count. */
static void test_lanes(void **state)
{
	struct run_qp *qps = mem_alloc_zero(LIMIT_QPS, sizeof(*qps));
	const struct measure measure = {.qps = qps};

	(void)state;
	for (uint32_t i = 0; i < LIMIT_QPS; i++) {
		const uint64_t send = UINT64_C(1) << 63;

		assert_ptr_equal(measure_qp(&measure, run_receive_id(i)), &qps[i]);
		assert_ptr_equal(measure_qp(&measure, run_receive_id(i) + 32767), &qps[i]);
		assert_ptr_equal(measure_qp(&measure, send | run_receive_id(i) | 1), &qps[i]);
		assert_true(measure_is_send(&(struct ibv_wc){.wr_id = send | run_receive_id(i)}));
		assert_false(measure_is_send(&(struct ibv_wc){.wr_id = run_receive_id(i)}));
	}
	free(qps);
}

static void test_few_samples(void **state)
{
	struct sampler sampler;

	(void)state;
	sampler_begin(&sampler, 5);
	for (uint64_t i = 0; i < 5; i++)
		sampler_add(&sampler, 100 + i);
	sampler_end(&sampler);
	assert_int_equal(sampler.count, 5);
	assert_int_equal(sampler.all.count, 5);
	for (uint64_t i = 0; i < 5; i++)
		assert_int_equal(sampler.nsec[i], 100 + i);
	free(sampler.nsec);
}

static void test_no_sample(void **state)
{
	struct sampler sampler;

	(void)state;
	sampler_begin(&sampler, 0);
	sampler_end(&sampler);
	assert_int_equal(sampler.room, SAMPLES_MOST);
	assert_int_equal(sampler.count, 0);
	free(sampler.nsec);
}

/* More samples than there is room for: a fair selection of all, with the extremes. */
static void test_many_samples(void **state)
{
	const uint64_t all = UINT64_C(4) * SAMPLES_MOST;
	size_t quarters[4] = {0}, least = 0, most = 0;
	struct sampler sampler;

	(void)state;
	sampler_begin(&sampler, all);
	assert_int_equal(sampler.room, SAMPLES_MOST);
	for (uint64_t i = 0; i < all; i++)
		sampler_add(&sampler, i == all / 2 ? 1 : i == all / 3 ? 2 * all : all / 8 + i);
	sampler_end(&sampler);
	assert_int_equal(sampler.all.count, all);
	assert_int_equal(sampler.count, SAMPLES_MOST);
	for (size_t i = 0; i < sampler.count; i++) {
		uint64_t value = sampler.nsec[i];

		least += value == 1;
		most += value == 2 * all;
		if (value >= all / 8 && value < all / 8 + all)
			quarters[(value - all / 8) / (all / 4)]++;
	}
	assert_true(least >= 1 && most >= 1);
	/*
	 * 262144 samples each, with a standard deviation of 380: this is more than ten times that.
	 */
	for (size_t i = 0; i < 4; i++)
		assert_in_range(quarters[i], SAMPLES_MOST / 4 - SAMPLES_MOST / 200,
				SAMPLES_MOST / 4 + SAMPLES_MOST / 200);
	free(sampler.nsec);
}

/* The halves are disjoint and complete; threads of a core (0 and 4, 1 and 5 ...) stay together. */
static void test_processors(void **state)
{
	static const struct {
		const char *all, *halves[2];
	} rows[] = {
		{"3,9", {"3", "9"}},
		{"0-7", {"0,2,4,6", "1,3,5,7"}},
		{"1024-1027", {"1024,1026", "1025,1027"}},
	};
	struct cpu_list all, half;
	char text[64];

	(void)state;
	assert_true(cpu_list_parse("3", &all));
	assert_false(processors_half(&all, 0, &half));
	for (size_t i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
		assert_true(cpu_list_parse(rows[i / 2].all, &all));
		assert_true(processors_half(&all, i % 2, &half));
		cpu_list_format(&half, text, sizeof(text));
		assert_string_equal(text, rows[i / 2].halves[i % 2]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),	   cmocka_unit_test(test_end),
		cmocka_unit_test(test_lanes),	   cmocka_unit_test(test_few_samples),
		cmocka_unit_test(test_no_sample),  cmocka_unit_test(test_many_samples),
		cmocka_unit_test(test_processors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
