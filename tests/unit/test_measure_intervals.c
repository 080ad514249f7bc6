/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The row that sums up all intervals of a measurement, with made-up runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "selftest/tests/tests_measure.h"

/* Replaces tests_measure.c: a run of 100 ms, whose row knows what the plan's reports know. */
bool measure_once(struct trial *trial, struct plan *plan)
{
	struct selftest_result *row = trial->result;

	row->iterations = number_of(1000);
	row->duration_msec = real_of(100);
	row->sent_gbps = real_of((double)row->interval.value * 2);
	row->bandwidth_gbps = row->sent_gbps;
	if (plan->latency) {
		struct agent_samples *samples = &trial->near.agent->samples;

		selftest_result_set_latency(row, samples->nsec, samples->count, NULL);
	}
	plan->far_reported = true;
	ways_note(trial, plan);
	if (trial->request->duration_msec == SELFTEST_FOREVER && row->interval.value == 2) {
		trial->near.agent->watch.interrupted = true;
		trial_skip(trial, "interrupted");
		return false;
	}
	/* Known from the next interval on. */
	plan->far_report.wall_nsec = 100000000;
	return true;
}

int measure_post_receives(struct trial *trial, const struct plan *plan, uint32_t count)
{
	(void)trial, (void)plan, (void)count;
	return 0;
}

void measure_compare(struct trial *trial, const struct plan *plan)
{
	(void)trial, (void)plan;
}

/* The request's time is up after the first interval. The caller frees the rows. */
static void measure(bool cpu, uint64_t near_wall_nsec, uint64_t far_wall_nsec,
		    struct selftest_results *results)
{
	static const struct trial_test test = {.id = "bandwidth-write", .summary = ""};
	const struct selftest_request request = {.signals = -1, .ways.cpu = cpu};
	struct trial trial = {.request = &request, .results = results, .test = &test};
	struct plan plan = {
		.out = true,
		.near_report = {.cpu_nsec = 25000000, .wall_nsec = near_wall_nsec},
		.far_report = {.cpu_nsec = 50000000, .wall_nsec = far_wall_nsec},
	};

	*results = (struct selftest_results){0};
	trial.near.trial = &trial;
	trial.near.agent = agent_new(-1, -1);
	trial_add_row(&trial, SELFTEST_BANDWIDTH, test.id, test.summary);
	ways_measure_intervals(&trial, &plan);
	agent_free(trial.near.agent);
	assert_int_equal(results->count, 2);
	assert_true(results->items[0]->interval.known);
	assert_false(results->items[1]->interval.known);
	assert_true(results->items[1]->sent_gbps.value == 2);
}

/* A value unknown in every interval stays unknown, not 0: the far side of a write does nothing. */
static void processor_time(void **state)
{
	struct selftest_results results;

	(void)state;
	measure(true, 100000000, 100000000, &results);
	assert_true(results.items[1]->cpu_percent.value == 25);
	assert_true(results.items[1]->peer_cpu_percent.value == 50);
	selftest_results_free(&results);
	measure(true, 100000000, 0, &results);
	assert_true(results.items[1]->cpu_percent.known);
	assert_false(results.items[0]->peer_cpu_percent.known);
	assert_false(results.items[1]->peer_cpu_percent.known);
	selftest_results_free(&results);
	measure(true, 0, 100000000, &results);
	assert_false(results.items[1]->cpu_percent.known);
	assert_true(results.items[1]->peer_cpu_percent.known);
	selftest_results_free(&results);
	measure(false, 100000000, 100000000, &results);
	assert_false(results.items[1]->cpu_percent.known);
	assert_false(results.items[1]->peer_cpu_percent.known);
	selftest_results_free(&results);
}

/* An interval that a signal cut short does not count, and leaves nothing in its row. */
static void cut_short(void **state)
{
	static const struct trial_test test = {.id = "bandwidth-write", .summary = ""};
	const struct selftest_request request = {
		.signals = -1, .ways.cpu = true, .duration_msec = SELFTEST_FOREVER};
	struct selftest_results results = {0};
	struct trial trial = {.request = &request, .results = &results, .test = &test};
	struct plan plan = {
		.out = true,
		.near_report = {.cpu_nsec = 25000000, .wall_nsec = 100000000},
		.far_report.cpu_nsec = 50000000,
	};

	(void)state;
	trial.near.trial = &trial;
	trial.near.agent = agent_new(-1, -1);
	trial_add_row(&trial, SELFTEST_BANDWIDTH, test.id, test.summary);
	ways_measure_intervals(&trial, &plan);
	agent_free(trial.near.agent);
	assert_int_equal(results.count, 2);
	assert_int_equal(results.items[1]->verdict.value, SELFTEST_PASS);
	assert_null(results.items[1]->reason);
	assert_false(results.items[1]->interval.known);
	assert_int_equal(results.items[1]->iterations.value, 1000);
	assert_true(results.items[1]->cpu_percent.value == 25);
	assert_false(results.items[1]->peer_cpu_percent.known);
	selftest_results_free(&results);
}

/* The mean of all latencies, not of the one in four that an interval kept. */
static void mean_of_all(void **state)
{
	static const struct trial_test test = {.id = "latency-send", .summary = ""};
	const struct selftest_request request = {.signals = -1};
	struct selftest_results results = {0};
	struct trial trial = {.request = &request, .results = &results, .test = &test};
	struct plan plan = {.out = true, .latency = true};
	struct agent_samples *samples;

	(void)state;
	trial.near.trial = &trial;
	trial.near.agent = agent_new(-1, -1);
	samples = &trial.near.agent->samples;
	samples->nsec = mem_alloc_zero(1, sizeof(*samples->nsec));
	samples->nsec[0] = 4000;
	samples->count = 1;
	for (uint64_t nsec = 1000; nsec <= 4000; nsec += 1000)
		moments_add(&samples->all, nsec);
	trial_add_row(&trial, SELFTEST_LATENCY, test.id, test.summary);
	ways_measure_intervals(&trial, &plan);
	agent_free(trial.near.agent);
	assert_int_equal(results.count, 2);
	assert_true(results.items[1]->latency_p50_usec.value == 4);
	assert_float_equal(results.items[1]->latency_mean_usec.value, 2.5, 1e-9);
	assert_float_equal(results.items[1]->latency_stddev_usec.value, 1.118033988, 1e-6);
	selftest_results_free(&results);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processor_time),
		cmocka_unit_test(cut_short),
		cmocka_unit_test(mean_of_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
