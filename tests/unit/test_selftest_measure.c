/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Latency and bandwidth on a device in memory: what is measured and reported, each way to measure,
 * and that wrong data, wrong sums and missed expectations fail the row.
 */
#include "perfect_trial.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/eventfd.h>

#include "selftest/tests/tests_measure.h"

/*
 * Runs have a fixed number of messages, so that they do not depend on time. A side that waits for a
 * latency polls without a pause and may keep the other from a processor: so these are few.
 */
enum { FEW = 5, MANY = 50 };

static void begin(struct soft_trial *bed, uint64_t bytes, uint64_t iterations)
{
	soft_begin(bed);
	bed->request.iterations = iterations;
	bed->request.sizes[0] = bytes;
	bed->request.size_count = 1;
}

static void assert_near(double got, double expected)
{
	if (fabs(got - expected) > expected * 1e-6)
		fail_msg("%f instead of %f", got, expected);
}

static void latencies(void **state)
{
	static const struct {
		const char *id;
		uint64_t bytes, shown, inlined;
	} rows[] = {
		{"latency-send", 0, 0, 0},	 {"latency-send", 64, 64, 64},
		{"latency-send", 236, 236, 236}, {"latency-send", 237, 237, 0},
		{"latency-write", 1, 1, 1},	 {"latency-write", 5000, 5000, 0},
		{"latency-read", 4096, 4096, 0}, {"latency-atomic", 64, 8, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct selftest_result *row;
		struct soft_trial bed;

		begin(&bed, rows[i].bytes, FEW);
		soft_pass(&bed, measure_tests, rows[i].id, NULL);
		row = bed.trial.result;
		assert_int_equal(row->size_bytes.value, rows[i].shown);
		assert_int_equal(row->iterations.value, FEW);
		assert_int_equal(row->queue_pairs.value, 1);
		assert_int_equal(row->depth.value, 1);
		assert_int_equal(row->batch.value, 1);
		/* Each read or atomic waits for the completion of the one before. */
		assert_int_equal(row->signal_every.value, i < 6 ? 32 : 1);
		/* Reads and atomics cannot be inline. */
		assert_int_equal(row->inline_bytes.known, i < 6);
		assert_int_equal(row->inline_bytes.value, rows[i].inlined);
		assert_false(row->direction.known || row->bandwidth_gbps.known);
		assert_true(row->latency_min_usec.value <= row->latency_p50_usec.value &&
			    row->latency_p50_usec.value <= row->latency_max_usec.value);
		assert_int_equal(bed.trial.near.agent->samples.count, FEW);
		soft_end(&bed);
	}
}

/* The figures agree with each other; atomics and sends are checked by counting. */
static void bandwidths(void **state)
{
	static const struct {
		const char *id;
		uint64_t bytes, depth, signal_every;
	} rows[] = {
		{"bandwidth-send", 64, 128, 32},
		{"bandwidth-send", 0, 128, 32},
		/* At most 8 MiB under way, but at least 4 messages; 256 KiB between completions. */
		{"bandwidth-write", 65536, 128, 4},
		{"bandwidth-write", 65537, 64, 2},
		{"bandwidth-read", 1 << 20, 8, 1},
		{"bandwidth-read", 4096, 128, 32},
		{"bandwidth-atomic", 8, 128, 32},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct selftest_result *row;
		struct soft_trial bed;
		double msec;

		begin(&bed, rows[i].bytes, MANY);
		bed.request.queue_pairs = 3;
		bed.trial.far.can.far.rate_mbps = 25000;
		soft_pass(&bed, measure_tests, rows[i].id, NULL);
		row = bed.trial.result;
		msec = row->duration_msec.value;
		assert_int_equal(row->queue_pairs.value, 3);
		assert_int_equal(row->depth.value, rows[i].depth);
		assert_int_equal(row->signal_every.value, rows[i].signal_every);
		assert_int_equal(row->iterations.value, 50);
		assert_int_equal(row->direction.value, DIRECTION_OUT);
		assert_false(row->latency_p50_usec.known || row->received_gbps.known);
		assert_near(row->rate_gbps.value, 25);
		assert_near(row->messages_per_second.value, 50 / msec * 1e3);
		assert_near(row->bandwidth_gbps.value + 1,
			    50 * 8 * (double)rows[i].bytes / msec / 1e6 + 1);
		assert_near(row->sent_gbps.value + 1, row->bandwidth_gbps.value + 1);
		soft_end(&bed);
	}
}

/* A server grants a time, and only the run shows how long so many messages take. */
static void too_many_messages(void **state)
{
	static const char *const ids[] = {"latency-read", "latency-send", "bandwidth-write"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		struct soft_trial bed;

		begin(&bed, 64, 900000000);
		bed.request.peer = "10.9.0.2";
		bed.trial.granted.run_msec = 400;
		soft_expect(&bed, measure_tests, ids[i], SELFTEST_FAIL,
			    "900000000 messages take longer than the 400ms that the server grants");
		assert_string_equal(bed.trial.result->next_step,
				    "run rdmactl selftest --serve with a larger --longest there, "
				    "or use fewer --iterations here");
		assert_true(bed.trial.result->iterations.value > 0);
		soft_end(&bed);
	}
}

/* The other direction and both at once, by events and by polling, in batches. */
static void directions(void **state)
{
	static const char *const ids[] = {"bandwidth-send", "bandwidth-write", "bandwidth-read",
					  "bandwidth-atomic"};

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(ids); i++) {
		const bool both = i >= ARRAY_SIZE(ids);
		const struct selftest_result *row;
		struct soft_trial bed;

		begin(&bed, 8, MANY);
		bed.request.ways.direction = both ? DIRECTION_BOTH : DIRECTION_IN;
		bed.request.ways.by_events = i & 1;
		bed.request.ways.in_order = i & 1;
		bed.request.ways.cpu = true;
		bed.request.batch = 5;
		soft_pass(&bed, measure_tests, ids[i % ARRAY_SIZE(ids)], NULL);
		row = bed.trial.result;
		assert_int_equal(row->iterations.value, both ? 100 : 50);
		assert_int_equal(row->direction.value, both ? DIRECTION_BOTH : DIRECTION_IN);
		assert_int_equal(row->batch.value, 5);
		assert_int_equal(row->events, i & 1 ? TRISTATE_YES : TRISTATE_NO);
		assert_int_equal(row->relaxed_ordering, i & 1 ? TRISTATE_NO : TRISTATE_YES);
		assert_true(row->received_gbps.known);
		assert_int_equal(row->sent_gbps.known, both);
		assert_near(row->bandwidth_gbps.value,
			    row->sent_gbps.value + row->received_gbps.value);
		/* A side that takes no part in the transfer measures nothing. */
		assert_int_equal(row->cpu_percent.known, both || i == 0);
		assert_true(row->peer_cpu_percent.known);
		soft_end(&bed);
	}
}

static void unreliable(void **state)
{
	static const struct {
		const char *id;
		uint32_t transport;
		const char *remark;
		uint32_t direction;
	} rows[] = {
		{"bandwidth-send", SELFTEST_BY_UC, NULL, DIRECTION_OUT},
		{"bandwidth-write", SELFTEST_BY_UC,
		 "nothing counts the writes that arrive: this is what was sent", DIRECTION_OUT},
		{"bandwidth-send", SELFTEST_BY_UD, NULL, DIRECTION_OUT},
		{"latency-send", SELFTEST_BY_UD, NULL, DIRECTION_OUT},
		{"latency-send", SELFTEST_BY_UC, NULL, DIRECTION_OUT},
		{"latency-write", SELFTEST_BY_UC, NULL, DIRECTION_OUT},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct selftest_result *row;
		struct soft_trial bed;

		begin(&bed, 1024, FEW);
		bed.request.ways.transport = rows[i].transport;
		soft_pass(&bed, measure_tests, rows[i].id, rows[i].remark);
		row = bed.trial.result;
		assert_int_equal(row->transport.value, rows[i].transport);
		assert_int_equal(row->iterations.value, FEW);
		assert_int_equal(row->signal_every.value, row->latency_p50_usec.known ? 1 : 32);
		assert_int_equal(row->lost_messages.known, !rows[i].remark);
		assert_int_equal(row->lost_messages.value, 0);
		soft_end(&bed);
	}
}

/* Nothing holds back an unreliable sender: there are more receives, as far as there is room. */
static void receives(void **state)
{
	static const struct {
		uint32_t transport, messages, depth, most, queue_pairs, wanted;
	} rows[] = {
		{SELFTEST_BY_RC, 0, 0, 16384, 0, 256},
		{SELFTEST_BY_RC, 2000, 0, 16384, 0, 256},
		/* A run of a given time: as many as perftest. */
		{SELFTEST_BY_UC, 0, 0, 16384, 0, 512},
		{SELFTEST_BY_UD, 0, 0, 16384, 0, 512},
		{SELFTEST_BY_UD, 0, 300, 16384, 0, 600},
		{SELFTEST_BY_UD, 0, 0, 511, 0, 511},
		{SELFTEST_BY_UD, 0, 0, 256, 0, 256},
		/* One for each message and each warm-up message, up to 16,000. */
		{SELFTEST_BY_UD, 10, 0, 16384, 0, 256},
		{SELFTEST_BY_UD, 2000, 0, 16384, 0, 2128},
		{SELFTEST_BY_UC, 15872, 0, 16384, 0, 16000},
		{SELFTEST_BY_UC, 15873, 0, 16384, 0, 16000},
		{SELFTEST_BY_UC, UINT32_MAX, 0, 16384, 0, 16000},
		{SELFTEST_BY_UD, 2000, 0, 2127, 0, 2127},
		{SELFTEST_BY_UD, 2001, 0, 16384, 2, 1001 + 128},
		{SELFTEST_BY_UC, 1000000, 0, 16384, 64, 32767 / 64 - 128},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct soft_trial bed;
		struct plan plan;

		begin(&bed, 1024, FEW);
		soft_pass(&bed, measure_tests, "bandwidth-send", NULL);
		bed.request.ways.transport = rows[i].transport;
		bed.request.iterations = rows[i].messages;
		bed.request.duration_msec = rows[i].messages ? 0 : 1000;
		bed.request.depth = rows[i].depth;
		bed.request.queue_pairs = rows[i].queue_pairs;
		bed.trial.near.can.max_depth = 16384;
		bed.trial.far.can.max_depth = rows[i].most;
		plan_make(&bed.trial, 1024, &plan);
		assert_int_equal(plan.receives, rows[i].wanted);
		assert_true(plan_entries(&plan) <= MOST_ENTRIES);
		soft_end(&bed);
	}
}

/* One completion queue, unless the queue pairs or the requested depth do not fit. */
static void queues(void **state)
{
	static const struct {
		const char *id;
		uint32_t queue_pairs, depth, direction;
		uint32_t queues, entries, got_depth;
	} rows[] = {
		{"bandwidth-send", 1, 0, DIRECTION_OUT, 1, 3 * 128, 128},
		{"bandwidth-send", 64, 0, DIRECTION_OUT, 1, 64 * 384, 128},
		{"bandwidth-send", 128, 0, DIRECTION_OUT, 1, 128 * 3 * 85, 85},
		{"bandwidth-send", 128, 100, DIRECTION_OUT, 2, 64 * 300, 100},
		/* All queue pairs together are limited to 65,536 work requests. */
		{"bandwidth-send", 100, 1000, DIRECTION_OUT, 2, 50 * 3 * 218, 218},
		{"bandwidth-send", 10922, 0, DIRECTION_OUT, 1, 3 * 10922, 1},
		{"bandwidth-send", 10923, 0, DIRECTION_OUT, 2, 3 * 5462, 1},
		{"bandwidth-send", 16384, 0, DIRECTION_OUT, 2, 3 * 8192, 1},
		{"bandwidth-send", 16384, 0, DIRECTION_BOTH, 3, 4 * 5462, 1},
		{"bandwidth-write", 16384, 0, DIRECTION_OUT, 1, 16384, 1},
		{"bandwidth-write", 16384, 2, DIRECTION_OUT, 2, 8192 * 2, 2},
		{"bandwidth-send", 1, 16384, DIRECTION_OUT, 1, 3 * 8192, 8192},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct soft_trial bed;
		struct plan plan;

		begin(&bed, 1, FEW);
		soft_pass(&bed, measure_tests, rows[i].id, NULL);
		bed.request.ways.direction = rows[i].direction;
		bed.request.depth = rows[i].depth;
		bed.request.queue_pairs = rows[i].queue_pairs;
		bed.trial.near.can.max_depth = bed.trial.far.can.max_depth = 16384;
		plan_make(&bed.trial, 1, &plan);
		assert_int_equal(plan.queues, rows[i].queues);
		assert_int_equal(plan.order.run.depth, rows[i].got_depth);
		assert_int_equal(plan_entries(&plan), rows[i].entries);
		soft_end(&bed);
	}
}

/* The queue pairs are spread over the completion queues, and a run polls all of these. */
static void many_queues(void **state)
{
	static const struct {
		uint32_t direction;
		bool by_events;
	} rows[] = {{DIRECTION_OUT, false},
		    {DIRECTION_OUT, true},
		    {DIRECTION_IN, false},
		    {DIRECTION_BOTH, false},
		    {DIRECTION_BOTH, true}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const bool both = rows[i].direction == DIRECTION_BOTH;
		struct soft_trial bed;

		begin(&bed, 1, MANY);
		bed.request.queue_pairs = 30;
		bed.request.depth = 500;
		bed.request.ways.direction = rows[i].direction;
		bed.request.ways.by_events = rows[i].by_events;
		soft_pass(&bed, measure_tests, "bandwidth-send", NULL);
		assert_int_equal(bed.trial.result->completion_queues.value, 2);
		assert_int_equal(bed.trial.result->depth.value, 500);
		assert_int_equal(bed.trial.result->iterations.value, both ? 100 : 50);
		soft_end(&bed);
	}
}

/* The first datagram is lost: the loss is counted, but not as bandwidth. */
static void lost_datagram(void **state)
{
	const struct selftest_result *row;
	struct soft_trial bed;
	double msec;

	(void)state;
	begin(&bed, 1000, MANY);
	bed.request.ways.transport = SELFTEST_BY_UD;
	soft.lenient = LOSE_FIRST;
	soft_pass(&bed, measure_tests, "bandwidth-send", "1 messages were lost");
	row = bed.trial.result;
	msec = row->duration_msec.value;
	assert_int_equal(row->lost_messages.value, 1);
	assert_int_equal(row->iterations.value, 50);
	/* 128 warm-up messages and 50 others were sent, and 177 arrived. */
	assert_near(row->messages_per_second.value, 50 / msec * 1e3 * 177 / 178);
	soft_end(&bed);
}

/* A lost ping or pong is sent again, and gives no sample. */
static void lost_pings(void **state)
{
	static const struct {
		const char *id;
		uint32_t transport;
	} rows[] = {{"latency-send", SELFTEST_BY_UD},
		    {"latency-send", SELFTEST_BY_UC},
		    {"latency-write", SELFTEST_BY_UC}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct soft_trial bed;

		begin(&bed, 100, FEW);
		bed.request.ways.transport = rows[i].transport;
		soft.lenient = LOSE_FIRST;
		soft_pass(&bed, measure_tests, rows[i].id, "1 messages were lost");
		assert_int_equal(bed.trial.result->lost_messages.value, 1);
		assert_int_equal(bed.trial.near.agent->samples.count,
				 bed.trial.result->iterations.value);
		soft_end(&bed);
	}
}

/* Ends the run like a signal of the user, after that many messages. */
static struct {
	int signals;
	atomic_int left;
} interruption;

static void interrupt_later(enum ibv_wr_opcode opcode, uint8_t *to, uint8_t *from, size_t bytes)
{
	(void)opcode, (void)to, (void)from, (void)bytes;
	if (atomic_fetch_sub(&interruption.left, 1) == 1)
		eventfd_write(interruption.signals, 1);
}

/*
 * A run that the user ends has the figures of what was measured; without the far side's count of
 * what arrived, a sender of messages that may be lost has no bandwidth.
 */
static void interrupted(void **state)
{
	static const struct {
		const char *id;
		uint32_t transport;
		bool latency, losses, counted;
	} rows[] = {
		{"latency-send", SELFTEST_BY_UD, true, true, false},
		{"latency-send", SELFTEST_BY_UC, true, true, false},
		{"latency-write", SELFTEST_BY_UC, true, true, false},
		{"latency-send", SELFTEST_BY_RC, true, false, false},
		{"bandwidth-send", SELFTEST_BY_UD, false, false, true},
		{"bandwidth-send", SELFTEST_BY_UC, false, false, true},
		{"bandwidth-write", SELFTEST_BY_UC, false, false, false},
		{"bandwidth-send", SELFTEST_BY_RC, false, false, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct selftest_result *row;
		struct soft_trial bed;
		bool bandwidth;

		begin(&bed, 1024, 1000000);
		interruption.signals = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		atomic_store(&interruption.left, 2000);
		bed.trial.near.agent->watch.signals = interruption.signals;
		bed.request.ways.transport = rows[i].transport;
		soft.damage = interrupt_later;
		soft_expect(&bed, measure_tests, rows[i].id, SELFTEST_SKIP, "interrupted");
		row = bed.trial.result;
		assert_in_range(row->iterations.value, 100, 999999);
		assert_int_equal(row->latency_p50_usec.known, rows[i].latency);
		/* On a slow machine the far side's count may have come before the signal. */
		bandwidth = rows[i].counted ? row->lost_messages.known : !rows[i].latency;
		assert_int_equal(row->bandwidth_gbps.known, bandwidth);
		assert_int_equal(row->sent_gbps.known, bandwidth);
		assert_int_equal(row->messages_per_second.known, bandwidth);
		if (!rows[i].counted)
			assert_int_equal(row->lost_messages.known, rows[i].losses);
		if (rows[i].latency)
			assert_int_equal(bed.trial.near.agent->samples.all.count,
					 row->iterations.value);
		soft_end(&bed);
		close(interruption.signals);
	}
}

/* If a run has more latencies than are kept, its mean still covers all of them. */
static void long_latency(void **state)
{
	struct selftest_result *row;
	struct soft_trial bed;

	(void)state;
	begin(&bed, 8, SAMPLES_MOST + SAMPLES_MOST / 8);
	soft_pass(&bed, measure_tests, "latency-read", NULL);
	row = bed.trial.result;
	assert_int_equal(bed.trial.near.agent->samples.count, SAMPLES_MOST);
	assert_float_equal(row->latency_mean_usec.value * (double)row->iterations.value,
			   row->duration_msec.value * 1e3, 0.01);
	soft_end(&bed);
}

/* The deepest queue of a device is deep enough, also in both directions. */
static void deepest(void **state)
{
	struct soft_trial bed;

	(void)state;
	begin(&bed, 8, FEW);
	bed.request.depth = LIMIT_DEPTH;
	bed.request.ways.direction = DIRECTION_BOTH;
	soft_pass(&bed, measure_tests, "bandwidth-write", NULL);
	assert_int_equal(bed.trial.result->depth.value, LIMIT_DEPTH);
	soft_end(&bed);
}

/* If no message arrived, no figure is reported. */
static void all_lost(void **state)
{
	static const struct {
		const char *id;
		uint32_t transport, direction;
		uint64_t qps;
		const char *reason;
	} rows[] = {
		{"bandwidth-write", SELFTEST_BY_UC, DIRECTION_OUT, 1,
		 "5 messages were sent, but none arrived"},
		{"bandwidth-write", SELFTEST_BY_UC, DIRECTION_IN, 2,
		 "5 messages were sent, but none arrived"},
		{"bandwidth-send", SELFTEST_BY_UC, DIRECTION_OUT, 1,
		 "5 messages were sent, but none arrived"},
		{"bandwidth-send", SELFTEST_BY_UD, DIRECTION_OUT, 1,
		 "5 messages were sent, but none arrived"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct soft_trial bed;

		begin(&bed, 1, FEW);
		bed.request.ways.transport = rows[i].transport;
		bed.request.ways.direction = rows[i].direction;
		bed.request.queue_pairs = (uint32_t)rows[i].qps;
		soft.lenient = LOSE_ALL;
		soft_expect(&bed, measure_tests, rows[i].id, SELFTEST_FAIL, rows[i].reason);
		soft_end(&bed);
	}
}

/* Exactly the expected figure is enough. */
static void expectations(void **state)
{
	static const struct {
		double usec, gbps, mops;
		const char *reason;
	} rows[] = {
		{5, 8, 2, NULL},
		{4.99, 0, 0, "the median latency is 5.00 us, expected at most 4.99 us"},
		{0, 8.01, 0, "the bandwidth is 8.00 Gb/s, expected at least 8.01 Gb/s"},
		{0, 0, 2.001, "2.000 million messages a second, expected at least 2.001 million"},
	};
	static const char hint[] =
		"look for other load on both hosts and on the path between them, then check the "
		"rate and MTU of both ports (rdmactl ports), their PCIe links (lspci -vv) and NUMA "
		"nodes; --all-sizes shows more";

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct plan plan = {.order.run = {.operation = RUN_WRITE, .bytes = 64}};
		struct soft_trial bed;

		soft_begin(&bed);
		trial_add_row(&bed.trial, SELFTEST_LATENCY, "latency-write", "");
		bed.request.expect_usec = rows[i].usec;
		bed.request.expect_gbps = rows[i].gbps;
		bed.request.expect_mops = rows[i].mops;
		bed.trial.result->latency_p50_usec = real_of(5);
		bed.trial.result->bandwidth_gbps = real_of(8);
		bed.trial.result->messages_per_second = real_of(2e6);
		measure_compare(&bed.trial, &plan);
		assert_int_equal(bed.trial.result->verdict.value,
				 rows[i].reason ? SELFTEST_FAIL : SELFTEST_PASS);
		if (rows[i].reason) {
			assert_string_equal(bed.trial.result->reason, rows[i].reason);
			assert_string_equal(bed.trial.result->next_step, hint);
		}
		soft_end(&bed);
	}
}

/* Each interval has a row, and the last row covers all of them. */
static void intervals(void **state)
{
	static const char *const ids[] = {"bandwidth-write", "bandwidth-send", "latency-read"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		const struct selftest_result *last;
		struct soft_trial bed;
		uint64_t iterations = 0;
		double msec = 0;

		begin(&bed, 256, MANY);
		bed.request.iterations = 0;
		bed.request.duration_msec = 30;
		bed.request.ways.every_msec = 10;
		soft_pass(&bed, measure_tests, ids[i], NULL);
		last = bed.trial.result;
		assert_true(bed.results.count >= 2);
		for (size_t k = 0; k + 1 < bed.results.count; k++) {
			const struct selftest_result *row = bed.results.items[k];

			assert_int_equal(row->verdict.value, SELFTEST_PASS);
			assert_int_equal(row->interval.value, k + 1);
			/* All intervals use the same queue pairs. */
			assert_memory_equal(&row->link, &last->link, sizeof(row->link));
			iterations += row->iterations.value;
			msec += row->duration_msec.value;
		}
		assert_false(last->interval.known);
		assert_true(last->link.qpn.known && last->link.path_mtu_bytes.known);
		assert_true(last->memory_bytes.known);
		assert_int_equal(last->iterations.value, iterations);
		assert_near(last->duration_msec.value, msec);
		if (last->bandwidth_gbps.known)
			assert_near(last->bandwidth_gbps.value,
				    (double)iterations * 256 * 8 / msec / 1e6);
		else
			assert_true(last->latency_p50_usec.known);
		soft_end(&bed);
	}
}

/* Without sizes: one per test, or several if measurements were requested. */
static void usual_sizes(void **state)
{
	static const struct {
		const char *id;
		bool thorough;
		uint64_t sizes[5];
	} rows[] = {
		{"latency-read", false, {2}},
		{"bandwidth-write", false, {65536}},
		{"latency-read", true, {2, 64, 1024, 4096, 65536}},
		{"bandwidth-write", true, {4096, 65536, 1048576}},
		{"latency-atomic", true, {8}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct soft_trial bed;
		size_t count = 0;

		begin(&bed, 0, MANY);
		bed.request.size_count = 0;
		bed.request.iterations = rows[i].thorough ? 10 : 0;
		soft_pass(&bed, measure_tests, rows[i].id, NULL);
		for (; count < 5 && rows[i].sizes[count]; count++)
			assert_int_equal(bed.results.items[count]->size_bytes.value,
					 rows[i].sizes[count]);
		assert_int_equal(bed.results.count, count);
		if (!rows[i].thorough && rows[i].sizes[0] == 65536)
			assert_int_equal(bed.trial.result->depth.value, 16);
		soft_end(&bed);
	}
}

static void wrong_byte(enum ibv_wr_opcode opcode, uint8_t *to, uint8_t *from, size_t bytes)
{
	(void)opcode, (void)from;
	if (bytes == 64)
		to[62] = 0;
}

/* Adds twice instead of once. */
static void adds_twice(enum ibv_wr_opcode opcode, uint8_t *to, uint8_t *from, size_t bytes)
{
	const uint64_t one = 1;
	uint64_t word;

	(void)opcode, (void)from;
	memcpy(&word, to, bytes);
	word += one;
	memcpy(to, &word, bytes);
}

static void wrong(void **state)
{
	static const struct {
		const char *id, *reason;
		void (*damage)(enum ibv_wr_opcode opcode, uint8_t *to, uint8_t *from, size_t bytes);
		uint64_t bytes;
		double usec, gbps, mops;
	} rows[] = {
		{"latency-send", "wrong data: the local buffer has 0x00 at offset 62, expected 0x",
		 wrong_byte, 64},
		{"latency-write", "wrong data: the local buffer has 0x00 at offset 62, expected 0x",
		 wrong_byte, 64},
		{"latency-read", "wrong data: the local buffer has 0x00 at offset 62, expected 0x",
		 wrong_byte, 64},
		{"bandwidth-send", "wrong data: the far buffer has 0x00 at offset 62, expected 0x",
		 wrong_byte, 64},
		{"bandwidth-write", "wrong data: the far buffer has 0x00 at offset 62, expected 0x",
		 wrong_byte, 64},
		{"bandwidth-read",
		 "wrong data: the local buffer has 0x00 at offset 62, expected 0x", wrong_byte, 64},
		/* 5 to warm up and 5 more; the queue's depth to warm up and 5 more */
		{"latency-atomic",
		 "10 fetch-and-adds were done, but the last of them returned as if it were 19",
		 adds_twice},
		{"bandwidth-atomic",
		 "133 fetch-and-adds were done, but the last of them returned as if it were 265",
		 adds_twice},
		{"latency-send", "the median latency is ", NULL, 8, 1e-9},
		{"bandwidth-write", "the bandwidth is ", NULL, 8, 0, 1e9},
		{"bandwidth-write", NULL, NULL, 0, 0, 1e9}, /* without data */
		{"bandwidth-atomic", NULL, NULL, 0, 0, 1e9},
		{"bandwidth-write", NULL, NULL, 8, 1e-9},
		{"bandwidth-atomic", " million messages a second, expected at least ", NULL, 0, 0,
		 0, 1e9},
		{"latency-read", NULL, NULL, 8, 1e9, 1e-9, 1e-9},
		{"bandwidth-read", NULL, NULL, 8, 1e9, 1e-9, 1e-9},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct selftest_result *row;
		struct soft_trial bed;

		begin(&bed, rows[i].bytes, FEW);
		bed.request.expect_usec = rows[i].usec;
		bed.request.expect_gbps = rows[i].gbps;
		bed.request.expect_mops = rows[i].mops;
		soft.damage = rows[i].damage;
		row = soft_run(&bed, measure_tests, rows[i].id);
		if (!rows[i].reason ? row->reason != NULL
				    : row->verdict.value != SELFTEST_FAIL ||
					      !strstr(row->reason, rows[i].reason))
			fail_msg("%s: '%s' instead of '%s'", rows[i].id,
				 row->reason ? row->reason : "a pass",
				 rows[i].reason ? rows[i].reason : "a pass");
		soft_end(&bed);
	}
}

static void not_measured(void **state)
{
	static const struct {
		const char *id;
		uint32_t transport;
		const char *reason;
	} rows[] = {
		{"bandwidth-write", SELFTEST_BY_SRD,
		 "SRD is not measured: only the driver's own verbs make such queue pairs "
		 "(efadv_create_qp_ex); EFA also has --transport ud"},
		{"bandwidth-write", SELFTEST_BY_DC,
		 "DC is not measured: only the driver's own verbs make such queue pairs "
		 "(mlx5dv_create_qp); mlx5 also has rc, uc, ud and xrc"},
		{"bandwidth-read", SELFTEST_BY_UC,
		 "an unreliable connection (UC) has no RDMA reads and no atomics"},
		{"latency-atomic", SELFTEST_BY_UC,
		 "an unreliable connection (UC) has no RDMA reads and no atomics"},
		{"bandwidth-write", SELFTEST_BY_UD,
		 "datagrams (UD) are sends: there is no RDMA write, read or atomic"},
		{"latency-write", SELFTEST_BY_RC, "a write without data cannot be noticed"},
	};
	struct soft_trial bed;

	(void)state;
	begin(&bed, 0, MANY);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		bed.request.ways.transport = rows[i].transport;
		soft_skip(&bed, measure_tests, rows[i].id, rows[i].reason);
	}
	bed.request.ways.by_events = true;
	bed.request.sizes[0] = 1;
	soft_skip(&bed, measure_tests, "latency-write", "RDMA writes arrive without an event");
	bed.request.ways.transport = SELFTEST_BY_UD;
	bed.request.sizes[0] = 1025;
	soft_skip(&bed, measure_tests, "bandwidth-send",
		  "a datagram holds at most the path MTU, 1024 bytes");
	bed.trial.near.can.far.transport = TRANSPORT_IWARP;
	soft_skip(&bed, measure_tests, "bandwidth-send", "iWARP has no datagrams (UD)");
	bed.request.ways.transport = SELFTEST_BY_UC;
	soft_skip(&bed, measure_tests, "bandwidth-send",
		  "iWARP has no unreliable connections (UC)");
	bed.request.ways.transport = SELFTEST_BY_RC;
	bed.request.ways.direction = DIRECTION_IN;
	soft_skip(&bed, measure_tests, "bandwidth-send",
		  "on iWARP the side that connects sends first (RFC 5044, 7.1.2)");
	soft_end(&bed);
}

static int broken = -1;

/* A request that was flushed only because the queue pair ended, and the server is gone, too. */
static int flushed(struct ibv_cq *cq, int room, struct ibv_wc *wc)
{
	(void)cq;
	assert_true(room > 0);
	if (broken < 0)
		return 0;
	shutdown(broken, SHUT_RDWR);
	broken = -1;
	*wc = (struct ibv_wc){.status = IBV_WC_WR_FLUSH_ERR};
	return 1;
}

/* A flushed request is not the cause: the end of the exchange is. */
static void exchange_breaks(void **state)
{
	struct soft_trial bed;
	const struct selftest_result *row;

	(void)state;
	begin(&bed, 64, MANY);
	bed.request.peer = "hostb";
	bed.trial.near.agent->context->ops.poll_cq = flushed;
	broken = bed.channel;
	row = soft_run(&bed, measure_tests, "bandwidth-write");
	assert_int_equal(row->verdict.value, SELFTEST_FAIL);
	assert_string_equal(row->reason, "hostb ended the exchange during the test: its rdmactl "
					 "was stopped or killed");
	soft_end(&bed);
}

static bool told;

/* One batch: a flushed request, a successful one, and the cause. */
static int cause_last(struct ibv_cq *cq, int room, struct ibv_wc *wc)
{
	(void)cq;
	assert_true(room >= 3);
	if (told)
		return 0;
	told = true;
	wc[0] = (struct ibv_wc){.status = IBV_WC_WR_FLUSH_ERR, .vendor_err = 1};
	wc[1] = (struct ibv_wc){.status = IBV_WC_SUCCESS, .vendor_err = 2};
	wc[2] = (struct ibv_wc){.status = IBV_WC_REM_ACCESS_ERR, .vendor_err = 0x33};
	return 3;
}

/* The cause is reported, wherever it is among the completions. */
static void cause_among_others(void **state)
{
	struct soft_trial bed;
	const struct selftest_result *row;

	(void)state;
	told = false;
	begin(&bed, 64, MANY);
	bed.trial.near.agent->context->ops.poll_cq = cause_last;
	row = soft_run(&bed, measure_tests, "bandwidth-write");
	assert_int_equal(row->verdict.value, SELFTEST_FAIL);
	assert_non_null(strstr(row->reason, "remote access error"));
	soft_end(&bed);
}

/* ---- Many queue pairs, and slow devices ---- */

enum {
	PAIRS = SOFT_QPS / 2, /* of each side */
	STILL_MSEC = 500,     /* the watch looks every 250 ms */
	SLOW_USEC = 40000,    /* all posts together take longer than STILL_MSEC */
};

static void begin_many(struct soft_trial *bed, uint64_t iterations)
{
	begin(bed, 64, iterations);
	bed->request.queue_pairs = PAIRS;
	bed->request.depth = 2;
	bed->trial.near.agent->still_msec = bed->far->still_msec = STILL_MSEC;
}

static int post_slowly(struct ibv_qp *qp, struct ibv_send_wr *work, struct ibv_send_wr **bad)
{
	usleep(SLOW_USEC);
	return soft_post_send(qp, work, bad);
}

/* The message that ends a run has no data. */
static int end_slowly(struct ibv_qp *qp, struct ibv_send_wr *work, struct ibv_send_wr **bad)
{
	if (work->opcode == IBV_WR_SEND && !work->num_sge)
		usleep(SLOW_USEC);
	return soft_post_send(qp, work, bad);
}

static int post_nothing(struct ibv_qp *qp, struct ibv_send_wr *work, struct ibv_send_wr **bad)
{
	(void)qp, (void)work, (void)bad;
	return 0;
}

/* Posting to all queue pairs, and ending them, takes longer than a run may stand still. */
static void slow_is_not_still(void **state)
{
	static const struct {
		const char *id;
		uint32_t direction;
		int (*post)(struct ibv_qp *qp, struct ibv_send_wr *work, struct ibv_send_wr **bad);
	} rows[] = {
		{"bandwidth-write", DIRECTION_OUT, post_slowly},
		{"bandwidth-send", DIRECTION_OUT, end_slowly},
		{"bandwidth-send", DIRECTION_IN, end_slowly},
		{"bandwidth-send", DIRECTION_BOTH, end_slowly},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct soft_trial bed;

		begin_many(&bed, PAIRS);
		bed.request.ways.direction = rows[i].direction;
		for (size_t side = 0; side < 2; side++)
			soft.ports[side].context.ops.post_send = rows[i].post;
		soft_pass(&bed, measure_tests, rows[i].id, NULL);
		assert_int_equal(bed.trial.result->queue_pairs.value, PAIRS);
		soft_end(&bed);
	}
}

/* A device that takes all posts and completes none. */
static void still(void **state)
{
	const struct selftest_result *row;
	struct soft_trial bed;

	(void)state;
	begin_many(&bed, PAIRS);
	soft.ports[0].context.ops.post_send = post_nothing;
	row = soft_run(&bed, measure_tests, "bandwidth-write");
	assert_int_equal(row->verdict.value, SELFTEST_FAIL);
	assert_non_null(strstr(row->reason, "nothing arrived within 15000 ms"));
	soft_end(&bed);
}

static int post_no_more(struct ibv_qp *qp, struct ibv_send_wr *list, struct ibv_send_wr **bad)
{
	(void)qp;
	*bad = list;
	return ENOMEM;
}

/* The far side's answer is why it failed, and no figures. */
static void far_side_fails(void **state)
{
	const struct selftest_result *row;
	struct soft_trial bed;

	(void)state;
	begin(&bed, 64, FEW);
	bed.request.ways.direction = DIRECTION_IN;
	soft.ports[1].context.ops.post_send = post_no_more;
	row = soft_run(&bed, measure_tests, "bandwidth-write");
	assert_int_equal(row->verdict.value, SELFTEST_FAIL);
	assert_non_null(strstr(row->reason, "failed: "));
	assert_non_null(strstr(row->reason, strerror(ENOMEM)));
	assert_int_equal(row->iterations.value, 0);
	assert_false(row->bandwidth_gbps.known || row->received_gbps.known);
	soft_end(&bed);
}

/* Number, counted from 1, of the first queue pair that is refused, and how many more follow. */
enum { REFUSED = PAIRS - 7, MORE = 3 };
static int count;

/* The errno for the next call; 0: it succeeds. */
static int refuse(int first, int later)
{
	count++;
	return count == REFUSED ? first : count > REFUSED && count <= REFUSED + MORE ? later : 0;
}

static struct ibv_qp *refuse_some(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	errno = refuse(ENOMEM, EPERM);
	return errno ? NULL : soft_qp(pd, attr);
}

static int refuse_rts(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	const int error = attr->qp_state == IBV_QPS_RTS ? refuse(EINVAL, EPERM) : 0;

	return error ? error : soft_modify(qp, attr, mask);
}

/* Orders under way together: the first refused one is reported, and the next test runs as usual. */
static void one_of_many_is_refused(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		const bool far = i & 1, connected = i & 2;
		const struct selftest_result *row;
		struct soft_trial bed;
		struct api *api;

		begin_many(&bed, PAIRS);
		bed.request.peer = "hostb";
		bed.trial.granted.run_msec = 60000;
		api = far ? &bed.far->api : &bed.trial.near.agent->api;
		if (connected)
			api->ibv_modify_qp = refuse_rts;
		else
			api->ibv_create_qp = refuse_some;
		count = 0;
		row = soft_run(&bed, measure_tests, "bandwidth-write");
		assert_int_equal(row->verdict.value, SELFTEST_FAIL);
		assert_non_null(strstr(row->reason, strerror(connected ? EINVAL : ENOMEM)));
		assert_int_equal(!strncmp(row->reason, "on hostb", 8), far);
		assert_int_equal(bed.trial.stop, STOP_NONE);
		count = PAIRS;
		soft_pass(&bed, measure_tests, "bandwidth-write", NULL);
		soft_end(&bed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(latencies),
		cmocka_unit_test(bandwidths),
		cmocka_unit_test(too_many_messages),
		cmocka_unit_test(directions),
		cmocka_unit_test(unreliable),
		cmocka_unit_test(all_lost),
		cmocka_unit_test(long_latency),
		cmocka_unit_test(deepest),
		cmocka_unit_test(receives),
		cmocka_unit_test(queues),
		cmocka_unit_test(many_queues),
		cmocka_unit_test(lost_datagram),
		cmocka_unit_test(lost_pings),
		cmocka_unit_test(expectations),
		cmocka_unit_test(intervals),
		cmocka_unit_test(usual_sizes),
		cmocka_unit_test(wrong),
		cmocka_unit_test(not_measured),
		cmocka_unit_test(exchange_breaks),
		cmocka_unit_test(cause_among_others),
		cmocka_unit_test(still),
		cmocka_unit_test(slow_is_not_still),
		cmocka_unit_test(one_of_many_is_refused),
		cmocka_unit_test(interrupted),
		cmocka_unit_test(far_side_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
