/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Latency and bandwidth: one row for each operation and size. */
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "selftest/agent/measure.h"
#include "selftest/trial/trial.h"

/* Outstanding messages: as many as in perftest, so that figures can be compared, but fewer large
 * ones: a software device that needs longer than the timeout for them retransmits. */
#define PERFTEST_DEPTH 128u
#define LEAST_DEPTH    4u
#define THOROUGH_BYTES (UINT64_C(8) << 20)
#define QUICK_BYTES    (UINT64_C(1) << 20)
/* Entries of a completion queue for many queue pairs: the limit of the smaller devices. */
#define MOST_ENTRIES 32767u
/* One completion for so many sends, or bytes. */
#define SIGNAL_EVERY 32u
#define SIGNAL_BYTES (UINT64_C(256) << 10)
/* Sent inline if both devices can, as perftest does. */
#define INLINE_MOST 236u

/* The patterns of both sides differ. */
enum { NEAR_PATTERN = 1, FAR_PATTERN = 2 };

/* A row. */
struct plan {
	struct message order; /* for the near side */
	struct run_layout layout;
	struct message_buffered near_memory, far_memory;
	struct message_ran near_ran;
	struct message far_reply;
	int near_rc;
};

static const uint64_t quick_latency[] = {2}, quick_bandwidth[] = {65536};
static const uint64_t usual_latency[] = {2, 64, 1024, 4096, 65536};
static const uint64_t usual_bandwidth[] = {4096, 65536, 1048576};
static const uint64_t atomic_size[] = {sizeof(uint64_t)};

static bool is_latency(const struct trial *trial)
{
	return trial->test->group == SELFTEST_LATENCY;
}

/* The user asked for measurements, so they may take longer. */
static bool is_thorough(const struct trial *trial)
{
	const struct selftest_request *request = trial->request;

	return request->latency || request->bandwidth || request->iterations ||
	       request->duration_msec;
}

static size_t choose_sizes(const struct trial *trial, const uint64_t **ret)
{
	if (trial->test->value == RUN_ATOMIC) {
		*ret = atomic_size;
		return 1;
	}
	if (trial->request->size_count) {
		*ret = trial->request->sizes;
		return trial->request->size_count;
	}
	if (!is_thorough(trial)) {
		*ret = is_latency(trial) ? quick_latency : quick_bandwidth;
		return 1;
	}
	*ret = is_latency(trial) ? usual_latency : usual_bandwidth;
	return is_latency(trial) ? ARRAY_SIZE(usual_latency) : ARRAY_SIZE(usual_bandwidth);
}

static uint32_t receives_of(const struct trial *trial, uint32_t depth)
{
	return trial->test->value == RUN_SEND ? run_receives(depth) : 1;
}

/* As many as wanted, within the limits of both devices' queues and the completion queue. */
static uint32_t choose_depth(const struct trial *trial, uint32_t qps, uint64_t bytes)
{
	uint32_t limit = at_most(trial->near_can.max_depth, trial->far_can.max_depth);
	uint64_t under_way = is_thorough(trial) ? THOROUGH_BYTES : QUICK_BYTES;
	uint32_t depth = PERFTEST_DEPTH;

	while (depth > LEAST_DEPTH && depth * bytes > under_way)
		depth /= 2;
	if (!is_latency(trial) && trial->request->depth)
		depth = trial->request->depth;
	limit = at_most(limit, LIMIT_DEPTH);
	while (depth > 1 && (depth > limit || receives_of(trial, depth) > limit ||
			     qps * (depth + receives_of(trial, depth)) > MOST_ENTRIES))
		depth--;
	return depth;
}

static void choose_length(const struct trial *trial, struct message_run *run)
{
	const struct selftest_request *request = trial->request;
	const uint64_t own_msec = is_latency(trial) ? request->latency_msec
						    : request->bandwidth_msec;

	run->warmup = is_latency(trial) ? 100 : (uint64_t)run->qps * run->depth;
	if (request->iterations) {
		if (is_latency(trial) && run->warmup > request->iterations)
			run->warmup = request->iterations;
		run->iterations = request->iterations + run->warmup;
	} else if (own_msec || request->duration_msec) {
		run->duration_msec = own_msec ? own_msec : request->duration_msec;
	} else {
		run->duration_msec = is_thorough(trial) ? 1000 : 100;
	}
	if (!is_thorough(trial))
		run->warmup = (run->warmup + 3) / 4;
}

/* Completions are the sign of progress. */
static uint32_t choose_signals(const struct message_run *run)
{
	uint32_t every = at_most(SIGNAL_EVERY, (run->depth + 3) / 4);

	while (every > 1 && every * run->bytes > SIGNAL_BYTES)
		every /= 2;
	return every;
}

static struct message make_order(const struct trial *trial, uint64_t bytes)
{
	struct message order = {.type = MESSAGE_RUN};
	struct message_run *run = &order.run;

	run->mode = is_latency(trial) ? RUN_LATENCY : RUN_BANDWIDTH;
	run->operation = (uint32_t)trial->test->value;
	run->active = 1;
	run->qps = is_latency(trial) || !trial->request->queue_pairs ? 1
								     : trial->request->queue_pairs;
	run->cq = TRIAL_CQ;
	run->buffer = TRIAL_DATA;
	run->bytes = bytes;
	run->depth = choose_depth(trial, run->qps, bytes);
	run->batch = is_latency(trial) || !trial->request->batch
			     ? 1
			     : at_most(trial->request->batch, run->depth);
	run->signal_every = choose_signals(run);
	choose_length(trial, run);
	return order;
}

/* Whether a side can make a queue pair that sends so many bytes inline. */
static bool has_inline(struct side *side, uint32_t bytes)
{
	struct message_cq cq = {.slot = TRIAL_CQ, .entries = 4};
	struct message_qp qp = {
		.cq = TRIAL_CQ,
		.send_depth = 1,
		.receive_depth = 1,
		.sges = 1,
		.inline_bytes = bytes,
	};
	struct message_qp_created created;
	bool has;

	if (side_cq(side, &cq))
		return false;
	has = !side_qp(side, &qp, &created) && created.inline_bytes >= bytes;
	qp.destroy = 1;
	cq.entries = 0;
	return !side_qp(side, &qp, &created) && !side_cq(side, &cq) && has;
}

static uint32_t choose_inline(struct trial *trial, const struct message_run *run)
{
	if (run->mode != RUN_LATENCY || run->operation > RUN_WRITE || !run->bytes ||
	    run->bytes > INLINE_MOST || !has_inline(&trial->near, (uint32_t)run->bytes) ||
	    !has_inline(&trial->far, (uint32_t)run->bytes))
		return 0;
	return (uint32_t)run->bytes;
}

static int connect_qps(struct trial *trial, struct plan *plan)
{
	const struct message_run *run = &plan->order.run;
	uint32_t receives = receives_of(trial, run->depth);
	struct qp_shape shape = {
		.kind = QP_RC,
		.send_depth = run->depth,
		.receive_depth = receives,
		.inline_bytes = run->inline_bytes,
		.entries = run->qps * (run->depth + receives),
		.unsignaled = true,
		.max_rd_atomic = at_most(trial->near_can.max_rd_atomic,
					 trial->far_can.max_rd_atomic),
	};
	int rc = 0;

	for (uint32_t slot = 0; slot < run->qps && !rc; slot++) {
		shape.keep_cq = slot > 0;
		rc = trial_connect(trial, slot, &shape, NULL);
	}
	return rc;
}

static int post_receives(struct trial *trial, struct side *side, const struct plan *plan)
{
	const struct message_run *run = &plan->order.run;
	uint64_t bytes = run_receive_bytes(run->bytes);
	int rc = 0;

	for (uint32_t slot = 0; slot < run->qps && !rc; slot++) {
		const struct message_receive receive = {
			.slot = slot,
			.count = run_receives(run->depth),
			.id = run_receive_id(slot),
			.span = trial_span(plan->layout.receive + slot * plan->layout.stride,
					   bytes),
		};

		rc = trial_receive(trial, side, &receive);
	}
	return rc;
}

/* The data that all queue pairs send or, at the offset of the receive area, received. */
static struct span data_span(const struct plan *plan, uint64_t offset)
{
	const struct message_run *run = &plan->order.run;
	uint64_t bytes = run->bytes;

	/* The last byte of a ping is its stamp. */
	if (run->mode == RUN_LATENCY && run->operation == RUN_WRITE)
		bytes--;
	return (struct span){.buffer = TRIAL_DATA,
			     .blocks = run->qps,
			     .offset = offset,
			     .block_bytes = bytes,
			     .stride = plan->layout.stride};
}

static int fill(struct trial *trial, const struct plan *plan)
{
	struct span span = data_span(plan, 0);

	/* Sums begin with 0. */
	if (plan->order.run.operation == RUN_ATOMIC || !span.block_bytes)
		return 0;
	return trial_fill(trial, &trial->near, span, NEAR_PATTERN) ||
	       trial_fill(trial, &trial->far, span, FAR_PATTERN);
}

/*
 * The last fetch-and-add of each queue pair returned the number of those before it: together they
 * must be as many as the run had, those of the warm-up included.
 */
static int check_sums(struct trial *trial, const struct plan *plan)
{
	const struct message_run *run = &plan->order.run;
	const uint8_t *bytes = trial->near.agent->buffers[TRIAL_DATA].bytes + plan->layout.receive;
	uint64_t expected = run->warmup + plan->near_ran.iterations, got = 0, last;

	for (uint32_t i = 0; i < run->qps; i++) {
		memcpy(&last, bytes + i * plan->layout.stride, sizeof(last));
		got += last + 1;
	}
	if (got == expected)
		return 0;
	trial_fail(
		trial, "check the firmware's version of both devices: rdmactl devices shows it",
		"%llu fetch-and-adds were done, but the last of them returned as if it were %llu",
		(unsigned long long)expected, (unsigned long long)got);
	return -EBADMSG;
}

/* The far side took as many messages as were sent. */
static int check_count(struct trial *trial, const struct plan *plan)
{
	uint64_t sent = plan->order.run.warmup + plan->near_ran.iterations;
	uint64_t taken = plan->far_reply.ran.iterations;

	if (sent == taken)
		return 0;
	trial_fail(trial, NULL, "%llu messages were sent, but %llu arrived",
		   (unsigned long long)sent, (unsigned long long)taken);
	return -EBADMSG;
}

static int check(struct trial *trial, const struct plan *plan)
{
	const struct message_run *run = &plan->order.run;
	struct span span = data_span(plan, plan->layout.receive);
	bool near = run->mode == RUN_LATENCY || run->operation == RUN_READ;
	int rc = 0;

	if (run->operation == RUN_ATOMIC)
		return check_sums(trial, plan);
	if (run->operation == RUN_SEND && check_count(trial, plan))
		return -EBADMSG;
	if (!span.block_bytes)
		return 0;
	if (near)
		rc = trial_check(trial, &trial->near, span, FAR_PATTERN);
	if (!rc && run->operation != RUN_READ)
		rc = trial_check(trial, &trial->far, span, NEAR_PATTERN);
	return rc;
}

static int set_up(struct trial *trial, struct plan *plan)
{
	struct message_run *run = &plan->order.run;
	int rc;

	run_layout_set(&plan->layout, run->qps, run->bytes);
	run->inline_bytes = choose_inline(trial, run);
	rc = trial_buffer(trial, &trial->near, TRIAL_DATA, plan->layout.bytes, 0,
			  &plan->near_memory);
	if (!rc)
		rc = trial_buffer(trial, &trial->far, TRIAL_DATA, plan->layout.bytes, 0,
				  &plan->far_memory) ||
		     connect_qps(trial, plan) || fill(trial, plan);
	if (!rc && run->operation == RUN_SEND)
		rc = post_receives(trial, &trial->far, plan);
	if (!rc && run->operation == RUN_SEND && is_latency(trial))
		rc = post_receives(trial, &trial->near, plan);
	return rc;
}

static bool went_well(int rc, const struct message_ran *ran)
{
	return !rc && !ran->status && !ran->stop;
}

/*
 * Both sides run. Returns how the far side's part ended. If the near side failed, the far one may
 * wait for something that never comes: any further order ends that.
 */
static int run_both(struct trial *trial, struct plan *plan)
{
	const struct message query = {.type = MESSAGE_QUERY};
	struct message far = plan->order, reply;
	bool well;
	int rc;

	plan->order.run.remote_address = plan->far_memory.address;
	plan->order.run.rkey = plan->far_memory.rkey;
	far.run.active = 0;
	far.run.remote_address = plan->near_memory.address;
	far.run.rkey = plan->near_memory.rkey;
	plan->near_rc = -ECANCELED;
	rc = side_start(&trial->far, &far, &plan->far_reply);
	if (rc)
		return rc;
	plan->near_rc = side_run(&trial->near, &plan->order.run, &plan->near_ran);
	well = went_well(plan->near_rc, &plan->near_ran);
	if (!well)
		rc = side_start(&trial->far, &query, &reply);
	if (!rc)
		rc = side_finish(&trial->far, &far, 0, &plan->far_reply);
	if (!well && !trial->far.stop)
		side_finish(&trial->far, &query, 0, &reply);
	return rc;
}

/* A cause outweighs its consequences: a flushed request, a wait in vain. */
static bool is_cause(const struct message_ran *ran)
{
	return ran->status && ran->status != IBV_WC_WR_FLUSH_ERR;
}

static void explain(struct trial *trial, const struct plan *plan, int far_rc)
{
	const struct message_ran *near = &plan->near_ran, *far = &plan->far_reply.ran;

	if (plan->near_rc && plan->near_rc != -ECANCELED)
		trial_explain(trial, &trial->near, plan->near_rc);
	else if (is_cause(near) || (near->status && (far_rc || !is_cause(far))))
		trial_explain_ran(trial, &trial->near, near);
	else if (far_rc)
		trial_explain(trial, &trial->far, far_rc);
	else if (far->status)
		trial_explain_ran(trial, &trial->far, far);
	else
		trial_explain_end(trial, &trial->near, near->stop ? near->stop : far->stop,
				  RUN_STILL_MSEC);
}

static void note_bandwidth(struct trial *trial, const struct message_run *run,
			   const struct message_ran *ran)
{
	uint64_t near = trial->near_can.far.rate_mbps, far = trial->far_can.far.rate_mbps;
	struct selftest_result *row = trial->result;
	double nsec = (double)ran->elapsed_nsec;

	if (near && far)
		row->rate_gbps = real_of((double)(near < far ? near : far) / 1e3);
	if (!ran->iterations || !ran->elapsed_nsec)
		return;
	/* Bits per nanosecond are gigabits per second. */
	row->bandwidth_gbps = real_of((double)run->bytes * 8 * (double)ran->iterations / nsec);
	row->messages_per_second = real_of((double)ran->iterations * 1e9 / nsec);
}

/* The figures of the run that the near side just finished, also of one that was cut short. */
static void note_figures(struct trial *trial, const struct message_run *run,
			 const struct message_ran *ran)
{
	struct agent_samples *samples = &trial->near.agent->samples;

	trial->result->iterations = number_of(ran->iterations);
	trial->result->duration_msec = real_of((double)ran->elapsed_nsec / 1e6);
	if (run->mode == RUN_BANDWIDTH)
		note_bandwidth(trial, run, ran);
	else if (samples->count)
		selftest_result_set_latency(trial->result, samples->nsec, samples->count);
}

static const char slow_hint[] = "look for other load on both hosts and on the path between them, "
				"then check rate and MTU of both ports (rdmactl ports), their PCIe "
				"links (lspci -vv) and NUMA nodes; --all-sizes shows more";

/* Fails the row if it misses what the user expects. */
static void compare_figures(struct trial *trial, const struct message_run *run)
{
	const struct selftest_request *request = trial->request;
	const struct selftest_result *row = trial->result;
	double usec = row->latency_p50_usec.value, gbps = row->bandwidth_gbps.value;

	if (request->expect_usec > 0 && row->latency_p50_usec.known && usec > request->expect_usec)
		trial_fail(trial, slow_hint,
			   "the median latency is %.2f us, expected at most %.2f us", usec,
			   request->expect_usec);
	/* The bandwidth of atomics is always small. */
	if (request->expect_gbps > 0 && row->bandwidth_gbps.known && run->bytes &&
	    run->operation != RUN_ATOMIC && gbps < request->expect_gbps)
		trial_fail(trial, slow_hint,
			   "the bandwidth is %.2f Gb/s, expected at least %.2f Gb/s", gbps,
			   request->expect_gbps);
}

static void measure_row(struct trial *trial, uint64_t bytes)
{
	struct plan plan = {.order = make_order(trial, bytes)};
	const struct message_run *run = &plan.order.run;
	int rc;

	trial->result->size_bytes = number_of(bytes);
	trial->result->queue_pairs = number_of(run->qps);
	trial->result->depth = number_of(is_latency(trial) ? 1 : run->depth);
	run_layout_set(&plan.layout, run->qps, bytes);
	if (!trial_is_granted(trial, run->qps, plan.layout.bytes))
		return;
	if (run->operation == RUN_WRITE && is_latency(trial) && !bytes) {
		trial_skip(trial, "a write without data cannot be noticed");
		return;
	}
	if (set_up(trial, &plan))
		return;
	rc = run_both(trial, &plan);
	if (!plan.near_rc)
		note_figures(trial, run, &plan.near_ran);
	if (!went_well(plan.near_rc, &plan.near_ran) || !went_well(rc, &plan.far_reply.ran))
		explain(trial, &plan, rc);
	else if (!check(trial, &plan))
		compare_figures(trial, run);
}

static void measure_sizes(struct trial *trial)
{
	const uint64_t *sizes;
	size_t count = choose_sizes(trial, &sizes);

	for (size_t i = 0; i < count; i++) {
		if (i) {
			side_reset(&trial->near);
			side_reset(&trial->far);
			if (trial->stop || trial->near.stop || trial->far.stop)
				return;
			trial_next_row(trial, trial->test->id, trial->test->summary);
		}
		measure_row(trial, sizes[i]);
	}
}

/* The value is the operation, enum run_operation. */
const struct trial_test measure_tests[] = {
	{"latency-send", SELFTEST_LATENCY, "half a round trip of send and receive", 0,
	 measure_sizes, RUN_SEND},
	{"latency-write", SELFTEST_LATENCY, "half a round trip of RDMA writes", 0, measure_sizes,
	 RUN_WRITE},
	{"latency-read", SELFTEST_LATENCY, "an RDMA read", 0, measure_sizes, RUN_READ},
	{"latency-atomic", SELFTEST_LATENCY, "a fetch-and-add", TEST_NEEDS_ATOMICS, measure_sizes,
	 RUN_ATOMIC},
	{"bandwidth-send", SELFTEST_BANDWIDTH, "sends, as many as the queue pairs hold", 0,
	 measure_sizes, RUN_SEND},
	{"bandwidth-write", SELFTEST_BANDWIDTH, "RDMA writes, as many as the queue pairs hold", 0,
	 measure_sizes, RUN_WRITE},
	{"bandwidth-read", SELFTEST_BANDWIDTH, "RDMA reads, as many as the queue pairs hold", 0,
	 measure_sizes, RUN_READ},
	{"bandwidth-atomic", SELFTEST_BANDWIDTH, "fetch-and-adds, as many as the queue pairs hold",
	 TEST_NEEDS_ATOMICS, measure_sizes, RUN_ATOMIC},
	{.id = NULL},
};
