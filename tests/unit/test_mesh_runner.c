/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An agent's self-tests: what an order requests, and how their rows become a result, in particular
 * for both directions at once; and what the agent says about its host. Its server is in
 * test_mesh_server.c.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "base/mem.h"
#include "host/device.h"
#include "host/port.h"
#include "mesh/agent/runner.h"
#include "selftest/selftest.h"

/* Results of the made-up tests, first one way at a time and then both ways. */
static struct made_up {
	enum selftest_verdict verdict;
	const char *reason;
	bool interrupted;
	struct real sent, received;
	unsigned int runs;
} both;
static bool fails_in; /* what the peer sends alone */

/* Used instead for an order without both ways; a row has as many of these as it needs. */
static const struct made_up_row {
	const char *test;
	enum selftest_verdict verdict;
	const char *reason;
} * rows;
static const struct made_up_counter {
	enum selftest_side side;
	const char *name;
	uint64_t before, after;
} * counters;
static size_t row_count, counter_count;
static bool no_exchange; /* of one way at a time */

/* The latest request, and the names of its tests. */
static struct selftest_request asked;
static char asked_tests[128];
static const struct endpoint *asked_local;

/* Replaces the library's function. */
int selftest_run(const struct selftest_request *request, const struct endpoint *local,
		 struct selftest_results *results)
{
	const bool is_both = request->ways.direction == DIRECTION_BOTH;
	const bool is_in = request->ways.direction == DIRECTION_IN;

	both.runs++;
	asked = *request;
	asked_local = local;
	asked_tests[0] = '\0';
	results->no_exchange = no_exchange;
	for (size_t i = 0; i < row_count; i++) {
		struct selftest_result *row = selftest_results_add(results);

		row->test = mem_string_or_null(rows[i].test);
		row->verdict = number_of(rows[i].verdict);
		row->reason = mem_string_or_null(rows[i].reason);
		row->counter_count = counter_count;
		row->counters = mem_alloc_zero(counter_count + 1, sizeof(*row->counters));
		for (size_t j = 0; j < counter_count; j++) {
			row->counters[j] = (struct selftest_counter){
				.side = number_of(counters[j].side),
				.name = mem_string(counters[j].name),
				.before = number_of(counters[j].before),
				.after = number_of(counters[j].after),
			};
		}
	}
	for (size_t i = 0; i < request->test_count; i++) {
		const size_t length = strlen(asked_tests);

		snprintf(asked_tests + length, sizeof(asked_tests) - length, " %s",
			 request->tests[i]);
	}
	for (size_t i = 0; !row_count && i < request->test_count; i++) {
		struct selftest_result *row = selftest_results_add(results);

		row->test = mem_string(request->tests[i]);
		row->verdict = number_of(is_both	     ? both.verdict
					 : is_in && fails_in ? SELFTEST_FAIL
							     : SELFTEST_PASS);
		row->reason = mem_string_or_null(is_both ? both.reason : NULL);
		row->latency_p50_usec = real_of(2);
		row->bandwidth_gbps = real_of(is_both ? 150 : is_in ? 60 : 90);
		if (is_both) {
			row->sent_gbps = both.sent;
			row->received_gbps = both.received;
		}
	}
	return is_both && both.interrupted ? -EINTR : 0;
}

static const struct endpoint roce = {.transport = TRANSPORT_ROCE,
				     .link_layer = LINK_LAYER_ETHERNET};

static struct mesh_result run(uint32_t tests)
{
	/* A runner that was never opened has no token. */
	static uint64_t state[16];
	const struct mesh_order order = {.tests = tests};
	struct mesh_result result = {.outcome = MESH_UNTRIED};

	mesh_runner_selftest.run(state, &order, &roce, &result);
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
	/* Earlier measurements are kept. */
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

/* The data test comes first: without it, no figure is meaningful. */
static void requests(void **state)
{
	static const struct {
		uint32_t tests;
		const char *names;
	} cases[] = {
		{MESH_CONNECT, " rc-write"},
		{MESH_CONNECT | MESH_LATENCY, " rc-write latency-send"},
		{MESH_CONNECT | MESH_BANDWIDTH, " rc-write bandwidth-write bandwidth-read"},
		{MESH_TESTS, " rc-write latency-send bandwidth-write bandwidth-read"},
	};
	/* As made by open(): the token is the first member. */
	static const char *opened[2] = {"secret"};
	const struct endpoint near = {.port = 1, .transport = TRANSPORT_ROCE};
	struct mesh_order order = {
		.peer = "hostb",
		.far = {.device = "mlx5_3", .port = 2},
		.peer_ip = {.family = AF_INET, .raw = {10, 0, 0, 7}},
		.peer_port = 4711,
		.latency_msec = 300,
		.bandwidth_msec = 500,
	};

	(void)state;
	both = (struct made_up){.reason = NULL};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct mesh_result result = {.outcome = MESH_UNTRIED};

		order.tests = cases[i].tests;
		mesh_runner_selftest.run(opened, &order, &near, &result);
		assert_string_equal(asked_tests, cases[i].names);
		assert_int_equal(asked.ways.direction, DIRECTION_OUT);
		assert_int_equal(result.outcome, MESH_PASS);
		assert_int_equal(result.latency_usec.known, !!(order.tests & MESH_LATENCY));
		assert_int_equal(result.gbps[MESH_END_A].known, !!(order.tests & MESH_BANDWIDTH));
	}
	assert_ptr_equal(asked_local, &near);
	assert_ptr_equal(asked.peer, order.peer);
	assert_ptr_equal(asked.peer_device, order.far.device);
	assert_int_equal(asked.peer_port, 2);
	assert_int_equal(asked.peer_ip.raw[3], 7);
	assert_int_equal(asked.tcp_port, 4711);
	assert_string_equal(asked.token, "secret");
	assert_int_equal(asked.latency_msec, 300);
	assert_int_equal(asked.bandwidth_msec, 500);
	assert_int_equal(asked.signals, -1);
	/* Both ways use the same single test, and loopback has no peer. */
	order.tests = MESH_ALL_TESTS;
	mesh_runner_selftest.run(opened, &order, &near,
				 &(struct mesh_result){.outcome = MESH_PASS});
	assert_string_equal(asked_tests, " bandwidth-write");
	assert_int_equal(asked.ways.direction, DIRECTION_BOTH);
	assert_ptr_equal(asked.peer, order.peer);
	order.loopback = true;
	mesh_runner_selftest.run(opened, &order, &near,
				 &(struct mesh_result){.outcome = MESH_PASS});
	assert_null(asked.peer);
	assert_null(asked.peer_device);
}

/* The first failure causes the others; a device that does not support a test has shown nothing. */
static void verdicts(void **state)
{
	static const struct {
		struct made_up_row rows[3];
		size_t count;
		enum mesh_outcome outcome;
		const char *reason;
		bool no_exchange;
	} cases[] = {
		{{{"rc-write", SELFTEST_PASS, "a remark"}}, 1, MESH_PASS, ""},
		{{{"connect", SELFTEST_FAIL, "refused"}}, 1, MESH_APART, "connect: refused", true},
		{{{"connect", SELFTEST_FAIL, "refused"}}, 1, MESH_FAIL, "connect: refused"},
		{{{NULL, SELFTEST_FAIL, NULL}}, 1, MESH_FAIL, "test: failed"},
		{{{"rc-write", SELFTEST_FAIL, "one"}, {"latency-send", SELFTEST_FAIL, "two"}},
		 2,
		 MESH_FAIL,
		 "rc-write: one"},
		{{{"rc-write", SELFTEST_SKIP, "no QP"}}, 1, MESH_UNTRIED, "rc-write: no QP"},
		{{{"latency-send", SELFTEST_SKIP, "no"}}, 1, MESH_PASS, ""},
		{{{"rc-write", SELFTEST_SKIP, "no QP"}, {"counters", SELFTEST_FAIL, "grew"}},
		 2,
		 MESH_FAIL,
		 "counters: grew"},
		{{{"connect", SELFTEST_FAIL, "refused"}, {"rc-write", SELFTEST_SKIP, "not tried"}},
		 2,
		 MESH_FAIL,
		 "connect: refused"},
		{{{"connect", SELFTEST_PASS, NULL},
		  {"rc-write", SELFTEST_PASS, NULL},
		  {"counters", SELFTEST_PASS, NULL}},
		 3,
		 MESH_PASS,
		 ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct mesh_order order = {.tests = MESH_CONNECT | MESH_BOTH_WAYS};
		struct mesh_result result = {.outcome = MESH_UNTRIED};

		both = (struct made_up){.runs = 0};
		rows = cases[i].rows;
		row_count = cases[i].count;
		no_exchange = cases[i].no_exchange;
		mesh_runner_selftest.run((const char *[]){NULL, NULL}, &order, &roce, &result);
		no_exchange = false;
		row_count = 0;
		assert_int_equal(result.outcome, cases[i].outcome);
		assert_string_equal(result.reason, cases[i].reason);
		/* Only a pair that passes one way at a time is tested both ways. */
		assert_int_equal(both.runs, result.outcome == MESH_PASS ? 2 : 1);
	}
}

/*
 * Devices that have only datagrams: each direction is a run of its own, except in loopback. The
 * last run, as shown, is that of both ways at once.
 */
static void datagrams(void **state)
{
	static const struct {
		struct endpoint near;
		bool loopback;
		unsigned int runs;
		const char *last;
	} samples[] = {
		{{.transport = TRANSPORT_UNSPECIFIED}, false, 3, " bandwidth-send"},
		{{.transport = TRANSPORT_USNIC, .link_layer = LINK_LAYER_ETHERNET},
		 false,
		 3,
		 " bandwidth-send"},
		{{.transport = TRANSPORT_UNSPECIFIED}, true, 2, " bandwidth-send"},
		{{.transport = TRANSPORT_ROCE, .link_layer = LINK_LAYER_ETHERNET},
		 false,
		 2,
		 " bandwidth-write"},
	};
	struct mesh_order order = {.peer = "n2"};
	static uint64_t opened[16];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		const bool has_rc = samples[i].near.transport == TRANSPORT_ROCE;
		struct mesh_result result = {.outcome = MESH_UNTRIED};

		both = (struct made_up){.sent = real_of(80), .received = real_of(70)};
		order.loopback = samples[i].loopback;
		order.tests = MESH_ALL_TESTS;
		mesh_runner_selftest.run(opened, &order, &samples[i].near, &result);
		assert_int_equal(result.outcome, MESH_PASS);
		assert_int_equal(both.runs, samples[i].runs);
		assert_string_equal(asked_tests, samples[i].last);
		assert_int_equal(asked.ways.transport, has_rc ? SELFTEST_BY_RC : SELFTEST_BY_UD);
		assert_int_equal(asked.ways.direction, DIRECTION_BOTH);
		assert_float_equal(result.gbps[MESH_END_A].value, 90, 1e-9);
		assert_int_equal(result.gbps[MESH_END_B].known, !samples[i].loopback);
		if (!samples[i].loopback)
			assert_float_equal(result.gbps[MESH_END_B].value, has_rc ? 90 : 60, 1e-9);
		assert_float_equal(result.both_gbps[MESH_END_B].value, 70, 1e-9);
		/* What fails for what b sends fails the pair, and ends it. */
		fails_in = true;
		both.runs = 0;
		mesh_runner_selftest.run(opened, &order, &samples[i].near, &result);
		fails_in = false;
		assert_int_equal(result.outcome, samples[i].runs == 3 ? MESH_FAIL : MESH_PASS);
		assert_int_equal(both.runs, 2);
		/* Without bandwidths, only one run. */
		order.tests = MESH_CONNECT | MESH_LATENCY;
		both.runs = 0;
		mesh_runner_selftest.run(opened, &order, &samples[i].near, &result);
		assert_int_equal(both.runs, 1);
		assert_string_equal(asked_tests,
				    has_rc ? " rc-write latency-send" : " ud-send latency-send");
	}
}

/* The errors that grew at each end; a counter that decreased was reset. */
static void errors(void **state)
{
	static const struct made_up_counter grown[] = {
		{SIDE_LOCAL, "symbol_error", 10, 13},
		{SIDE_LOCAL, "link_downed", 0, 4},
		{SIDE_LOCAL, "port_xmit_data", 0, 1000},
		{SIDE_LOCAL, "local_ack_timeout_err", 9, 2},
		{SIDE_PEER, "symbol_error", 7, 7},
		{SIDE_PEER, "no_such_counter", 7, 9},
	};
	static const struct made_up_row row[] = {{"counters", SELFTEST_PASS, NULL}};
	const struct mesh_order order = {.tests = MESH_CONNECT};
	struct mesh_result result = {.outcome = MESH_UNTRIED};

	(void)state;
	rows = row;
	row_count = 1;
	counters = grown;
	for (counter_count = 0; counter_count <= ARRAY_SIZE(grown); counter_count += 3) {
		result = (struct mesh_result){.outcome = MESH_UNTRIED};
		mesh_runner_selftest.run((const char *[]){NULL, NULL}, &order, &roce, &result);
		assert_int_equal(result.errors[MESH_END_A].known, counter_count > 0);
		assert_int_equal(result.errors[MESH_END_B].known, counter_count > 4);
		assert_int_equal(result.errors[MESH_END_A].value, counter_count ? 7 : 0);
		assert_int_equal(result.errors[MESH_END_B].value, 0);
	}
	/* The error counts of both runs are added. */
	counter_count = 1;
	both = (struct made_up){.runs = 0};
	result = (struct mesh_result){.outcome = MESH_UNTRIED};
	mesh_runner_selftest.run((const char *[]){NULL, NULL},
				 &(struct mesh_order){.tests = MESH_CONNECT | MESH_BOTH_WAYS},
				 &roce, &result);
	assert_int_equal(result.errors[MESH_END_A].value, 6);
	row_count = counter_count = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good),	     cmocka_unit_test(skipped),
		cmocka_unit_test(failed),    cmocka_unit_test(interrupted),
		cmocka_unit_test(requests),  cmocka_unit_test(verdicts),
		cmocka_unit_test(datagrams), cmocka_unit_test(errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
