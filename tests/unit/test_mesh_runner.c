/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What an agent makes of the rows of a self-test, above all of both directions at once. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "mesh/agent/runner.h"
#include "selftest/selftest.h"

/* What the made-up tests say, first one way at a time and then both ways. */
static struct made_up {
	enum selftest_verdict verdict;
	const char *reason;
	bool interrupted;
	struct real sent, received;
	unsigned int runs;
} both;

/* In place of the one of the library. */
int selftest_run(const struct selftest_request *request, const struct endpoint *local,
		 struct selftest_results *results)
{
	const bool is_both = request->ways.direction == DIRECTION_BOTH;

	(void)local;
	both.runs++;
	for (size_t i = 0; i < request->test_count; i++) {
		struct selftest_result *row = selftest_results_add(results);

		row->test = mem_string(request->tests[i]);
		row->verdict = number_of(is_both ? both.verdict : SELFTEST_PASS);
		row->reason = mem_string_or_null(is_both ? both.reason : NULL);
		row->latency_p50_usec = real_of(2);
		row->bandwidth_gbps = real_of(is_both ? 150 : 90);
		if (is_both) {
			row->sent_gbps = both.sent;
			row->received_gbps = both.received;
		}
	}
	return is_both && both.interrupted ? -EINTR : 0;
}

static struct mesh_result run(uint32_t tests)
{
	/* A runner that was not opened: it has no token. */
	static uint64_t state[16];
	const struct mesh_order order = {.tests = tests};
	struct mesh_result result = {.outcome = MESH_UNTRIED};

	mesh_runner_selftest.run(state, &order, &result);
	if (result.outcome != MESH_UNTRIED) {
		assert_float_equal(result.gbps[MESH_END_A].value, 90, 1e-9);
		assert_float_equal(result.gbps[MESH_END_B].value, 90, 1e-9);
	}
	return result;
}

static void good(void **state)
{
	struct mesh_result result;

	(void)state;
	both = (struct made_up){.sent = real_of(80), .received = real_of(70)};
	result = run(MESH_TESTS);
	assert_int_equal(both.runs, 1);
	assert_int_equal(result.outcome, MESH_PASS);
	assert_false(result.both_gbps[MESH_END_A].known);
	both.runs = 0;
	result = run(MESH_ALL_TESTS);
	assert_int_equal(both.runs, 2);
	assert_int_equal(result.outcome, MESH_PASS);
	assert_float_equal(result.both_gbps[MESH_END_A].value, 80, 1e-9);
	assert_float_equal(result.both_gbps[MESH_END_B].value, 70, 1e-9);
	assert_string_equal(result.reason, "");
}

static void skipped(void **state)
{
	struct mesh_result result;

	(void)state;
	both = (struct made_up){.verdict = SELFTEST_SKIP, .reason = "iWARP cannot"};
	result = run(MESH_ALL_TESTS);
	assert_int_equal(result.outcome, MESH_PASS);
	assert_false(result.both_gbps[MESH_END_A].known || result.both_gbps[MESH_END_B].known);
	assert_string_equal(result.reason, "both ways at once: iWARP cannot");
}

static void failed(void **state)
{
	struct mesh_result result;

	(void)state;
	both = (struct made_up){.verdict = SELFTEST_FAIL, .reason = "retries exceeded"};
	result = run(MESH_ALL_TESTS);
	assert_int_equal(result.outcome, MESH_FAIL);
	assert_string_equal(result.reason, "both ways at once: retries exceeded");
	/* What was measured before stays. */
	assert_float_equal(result.latency_usec.value, 2, 1e-9);
}

static void interrupted(void **state)
{
	struct mesh_result result;

	(void)state;
	both = (struct made_up){.interrupted = true};
	result = run(MESH_ALL_TESTS);
	assert_int_equal(result.outcome, MESH_UNTRIED);
	assert_string_equal(result.reason, "it was interrupted");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good),
		cmocka_unit_test(skipped),
		cmocka_unit_test(failed),
		cmocka_unit_test(interrupted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
