/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The row of all intervals of a measurement, whose runs are made up here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "selftest/tests/tests_measure.h"

/* In place of tests_measure.c: a run of 100 ms, whose row knows what the plan's reports know. */
bool measure_once(struct trial *trial, struct plan *plan)
{
	struct selftest_result *row = trial->result;

	row->iterations = number_of(1000);
	row->duration_msec = real_of(100);
	row->sent_gbps = real_of((double)row->interval.value * 2);
	row->bandwidth_gbps = row->sent_gbps;
	plan->far_reported = true;
	ways_note(trial, plan);
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

/* The request's time is over after the first interval. The rows are to be freed. */
static void measure(bool cpu, uint64_t near_wall_nsec, uint64_t far_wall_nsec,
		    struct selftest_results *results)
{
	static const struct trial_test test = {.id = "bandwidth-write", .summary = ""};
	const struct selftest_request request = {.signals = -1, .ways.cpu = cpu};
	struct trial trial = {.request = &request, .results = results, .test = &test};
	struct plan plan = {
		.out = true,
		.modern = true,
		.near_report = {.cpu_nsec = 25000000, .wall_nsec = near_wall_nsec},
		.far_report = {.cpu_nsec = 50000000, .wall_nsec = far_wall_nsec},
	};

	*results = (struct selftest_results){0};
	trial.near.agent = agent_new(-1, -1);
	trial_add_row(&trial, SELFTEST_BANDWIDTH, test.id, test.summary);
	ways_measure_intervals(&trial, &plan);
	agent_free(trial.near.agent);
	assert_int_equal(results->count, 2);
	assert_true(results->items[0]->interval.known);
	assert_false(results->items[1]->interval.known);
	assert_true(results->items[1]->sent_gbps.value == 2);
}

/* What no interval knows is not 0 for all of them: the other side of a write has nothing to do. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(processor_time)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
