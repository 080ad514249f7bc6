/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Latency and bandwidth: one row for each operation and size. */
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "selftest/trial/measure.h"
#include "selftest/trial/measure_figures.h"

/* Outstanding messages: as perftest has them, so that figures can be compared, but of large ones
 * fewer. A software device that takes longer than the time-out for what is under way repeats it. */
#define DEPTH	       128u
#define LEAST_DEPTH    4u
#define THOROUGH_BYTES (UINT64_C(8) << 20)
#define QUICK_BYTES    (UINT64_C(1) << 20)
/* Of a completion queue, with many queue pairs: what the smaller devices have. */
#define MOST_ENTRIES 32767u
/* Of so many sends, or bytes, one has a completion. */
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
	struct message near_reply, far_reply;
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

/* Measuring was asked for, so it may take its time. */
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

static uint32_t at_most(uint32_t value, uint32_t limit)
{
	return value < limit ? value : limit;
}

static bool is_two_sided(const struct trial *trial)
{
	return trial->test->value == RUN_SEND;
}

static uint32_t receives_of(const struct trial *trial, uint32_t depth)
{
	return is_two_sided(trial) ? run_receives(depth) : 1;
}

/* As many as wished that both devices have queues for, and the completion queue entries. */
static uint32_t choose_depth(const struct trial *trial, uint32_t pairs, uint64_t bytes)
{
	uint32_t limit = at_most(trial->near_can.max_depth, trial->far_can.max_depth);
	uint64_t under_way = is_thorough(trial) ? THOROUGH_BYTES : QUICK_BYTES;
	uint32_t depth = DEPTH;

	while (depth > LEAST_DEPTH && depth * bytes > under_way)
		depth /= 2;
	if (!is_latency(trial) && trial->request->depth)
		depth = trial->request->depth;
	limit = at_most(limit, LIMIT_DEPTH);
	while (depth > 1 && (depth > limit || receives_of(trial, depth) > limit ||
			     pairs * (depth + receives_of(trial, depth)) > MOST_ENTRIES))
		depth--;
	return depth;
}

static void choose_length(const struct trial *trial, struct message_run *run)
{
	const struct selftest_request *request = trial->request;

	run->warmup = is_latency(trial) ? 100 : (uint64_t)run->pairs * run->depth;
	if (request->iterations) {
		if (is_latency(trial) && run->warmup > request->iterations)
			run->warmup = request->iterations;
		run->iterations = request->iterations + run->warmup;
	} else if (request->duration_msec) {
		run->duration_msec = request->duration_msec;
	} else {
		run->duration_msec = is_thorough(trial) ? 1000 : 100;
	}
	if (!is_thorough(trial))
		run->warmup = (run->warmup + 3) / 4;
}

/* The completions are what tells that there is progress. */
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
	run->pairs = is_latency(trial) || !trial->request->queue_pairs
			     ? 1
			     : trial->request->queue_pairs;
	run->queue = TRIAL_QUEUE;
	run->buffer = TRIAL_DATA;
	run->bytes = bytes;
	run->depth = choose_depth(trial, run->pairs, bytes);
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
	struct message queue = {.type = MESSAGE_QUEUE,
				.queue = {.slot = TRIAL_QUEUE, .entries = 4}};
	struct message pair = {.type = MESSAGE_PAIR,
			       .pair = {.queue = TRIAL_QUEUE,
					.send_depth = 1,
					.receive_depth = 1,
					.sges = 1,
					.inline_bytes = bytes}};
	struct message reply;
	bool has;

	if (side_call(side, &queue, &reply))
		return false;
	has = !side_call(side, &pair, &reply) && reply.paired.inline_bytes >= bytes;
	pair.pair.destroy = 1;
	queue.queue.entries = 0;
	return !side_call(side, &pair, &reply) && !side_call(side, &queue, &reply) && has;
}

static uint32_t choose_inline(struct trial *trial, const struct message_run *run)
{
	if (run->mode != RUN_LATENCY || run->operation > RUN_WRITE || !run->bytes ||
	    run->bytes > INLINE_MOST || !has_inline(&trial->near, (uint32_t)run->bytes) ||
	    !has_inline(&trial->far, (uint32_t)run->bytes))
		return 0;
	return (uint32_t)run->bytes;
}

static int connect_pairs(struct trial *trial, struct plan *plan)
{
	const struct message_run *run = &plan->order.run;
	uint32_t receives = receives_of(trial, run->depth);
	struct pair_shape shape = {
		.kind = PAIR_RC,
		.send_depth = run->depth,
		.receive_depth = receives,
		.inline_bytes = run->inline_bytes,
		.entries = run->pairs * (run->depth + receives),
		.unsignaled = true,
		.reads = at_most(trial->near_can.max_reads, trial->far_can.max_reads),
	};
	int rc = 0;

	for (uint32_t slot = 0; slot < run->pairs && !rc; slot++) {
		shape.keep_queue = slot > 0;
		rc = trial_connect(trial, slot, &shape, NULL);
	}
	return rc;
}

static int post_receives(struct trial *trial, struct side *side, const struct plan *plan)
{
	const struct message_run *run = &plan->order.run;
	uint64_t bytes = run_receive_bytes(run->bytes);
	int rc = 0;

	for (uint32_t slot = 0; slot < run->pairs && !rc; slot++) {
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

/* What all queue pairs send, or what arrived, if `offset` is that of the receive area. */
static struct span data_span(const struct plan *plan, uint64_t offset)
{
	const struct message_run *run = &plan->order.run;
	uint64_t bytes = run->bytes;

	/* The last byte of a ping is its stamp. */
	if (run->mode == RUN_LATENCY && run->operation == RUN_WRITE)
		bytes--;
	return (struct span){.buffer = TRIAL_DATA,
			     .blocks = run->pairs,
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
	return trial_fill(trial, &trial->near, &span, NEAR_PATTERN) ||
	       trial_fill(trial, &trial->far, &span, FAR_PATTERN);
}

/*
 * What the last fetch-and-add of each queue pair returned is the number of those before it:
 * together they were as many as the run had, the first ones that did not count included.
 */
static int check_sums(struct trial *trial, const struct plan *plan)
{
	const struct message_run *run = &plan->order.run;
	const uint8_t *bytes = trial->near.agent->buffers[TRIAL_DATA].bytes + plan->layout.receive;
	uint64_t expected = run->warmup + plan->near_reply.ran.iterations, got = 0, last;

	for (uint32_t i = 0; i < run->pairs; i++) {
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
	uint64_t sent = plan->order.run.warmup + plan->near_reply.ran.iterations;
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
	if (is_two_sided(trial) && check_count(trial, plan))
		return -EBADMSG;
	if (!span.block_bytes)
		return 0;
	if (near)
		rc = trial_check(trial, &trial->near, &span, FAR_PATTERN);
	if (!rc && run->operation != RUN_READ)
		rc = trial_check(trial, &trial->far, &span, NEAR_PATTERN);
	return rc;
}

static int set_up(struct trial *trial, struct plan *plan)
{
	struct message_run *run = &plan->order.run;
	int rc;

	run_layout_set(&plan->layout, run->pairs, run->bytes);
	run->inline_bytes = choose_inline(trial, run);
	rc = trial_buffer(trial, &trial->near, TRIAL_DATA, plan->layout.bytes, 0,
			  &plan->near_memory);
	if (!rc)
		rc = trial_buffer(trial, &trial->far, TRIAL_DATA, plan->layout.bytes, 0,
				  &plan->far_memory);
	if (!rc)
		rc = connect_pairs(trial, plan);
	if (!rc)
		rc = fill(trial, plan);
	if (!rc && is_two_sided(trial))
		rc = post_receives(trial, &trial->far, plan);
	if (!rc && is_two_sided(trial) && is_latency(trial))
		rc = post_receives(trial, &trial->near, plan);
	return rc;
}

static bool went_well(int rc, const struct message *reply)
{
	return !rc && !reply->ran.status && !reply->ran.stop;
}

/*
 * Both sides run. Returns what the far side's part came to. If the near side failed, the far one
 * may wait for what never comes: any further order ends that.
 */
static int run_both(struct trial *trial, struct plan *plan)
{
	const struct message query = {.type = MESSAGE_QUERY};
	struct message far = plan->order, reply;
	bool well;
	int rc;

	plan->order.run.remote_address = plan->far_memory.address;
	plan->order.run.remote_key = plan->far_memory.remote_key;
	far.run.active = 0;
	far.run.remote_address = plan->near_memory.address;
	far.run.remote_key = plan->near_memory.remote_key;
	rc = side_start(&trial->far, &far, &plan->far_reply);
	if (rc)
		return rc;
	plan->near_rc = side_call(&trial->near, &plan->order, &plan->near_reply);
	well = went_well(plan->near_rc, &plan->near_reply);
	if (!well)
		rc = side_start(&trial->far, &query, &reply);
	if (!rc)
		rc = side_finish(&trial->far, &far, 0, &plan->far_reply);
	if (!well && !trial->far.stop)
		side_finish(&trial->far, &query, 0, &reply);
	return rc;
}

static void explain_status(struct trial *trial, struct side *side, const struct message_ran *ran)
{
	const struct work_completion item = {.status = ran->status,
					     .vendor_error = ran->vendor_error};

	trial_explain_status(trial, side, &item);
}

/* A cause counts more than its consequences: a flushed request, a wait for nothing. */
static bool is_cause(int rc, const struct message *reply)
{
	return !rc && reply->ran.status && reply->ran.status != IBV_WC_WR_FLUSH_ERR;
}

static void explain(struct trial *trial, const struct plan *plan, int far_rc)
{
	const struct message *near = &plan->near_reply, *far = &plan->far_reply;

	if (plan->near_rc)
		trial_explain(trial, &trial->near, plan->near_rc, near);
	else if (is_cause(0, near) || (near->ran.status && !is_cause(far_rc, far)))
		explain_status(trial, &trial->near, &near->ran);
	else if (far_rc)
		trial_explain(trial, &trial->far, far_rc, far);
	else if (far->ran.status)
		explain_status(trial, &trial->far, &far->ran);
	else
		trial_explain_end(trial, &trial->near,
				  near->ran.stop ? near->ran.stop : far->ran.stop, RUN_STILL_MSEC);
}

static void measure_row(struct trial *trial, uint64_t bytes)
{
	struct plan plan = {.order = make_order(trial, bytes)};
	const struct message_run *run = &plan.order.run;
	int rc;

	trial->result->size_bytes = number_of(bytes);
	trial->result->queue_pairs = number_of(run->pairs);
	trial->result->depth = number_of(is_latency(trial) ? 1 : run->depth);
	run_layout_set(&plan.layout, run->pairs, bytes);
	if (!trial_is_granted(trial, run->pairs, plan.layout.bytes))
		return;
	if (run->operation == RUN_WRITE && is_latency(trial) && !bytes) {
		trial_skip(trial, "a write without data cannot be noticed");
		return;
	}
	if (set_up(trial, &plan))
		return;
	rc = run_both(trial, &plan);
	if (!plan.near_rc && plan.near_reply.type == MESSAGE_RAN)
		figures_note(trial, &plan.order.run, &plan.near_reply.ran);
	if (!went_well(plan.near_rc, &plan.near_reply) || !went_well(rc, &plan.far_reply))
		explain(trial, &plan, rc);
	else if (!check(trial, &plan))
		figures_compare(trial, run);
}

static void release(struct trial *trial)
{
	const struct message order = {.type = MESSAGE_RELEASE};
	struct message reply;

	side_call(&trial->near, &order, &reply);
	side_call(&trial->far, &order, &reply);
}

static void measure_sizes(struct trial *trial)
{
	const uint64_t *sizes;
	size_t count = choose_sizes(trial, &sizes);

	for (size_t i = 0; i < count; i++) {
		if (i) {
			release(trial);
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
	{"latency-atomic", SELFTEST_LATENCY, "a fetch-and-add", NEED_RDMA_ATOMICS, measure_sizes,
	 RUN_ATOMIC},
	{"bandwidth-send", SELFTEST_BANDWIDTH, "sends, as many as the queue pairs hold", 0,
	 measure_sizes, RUN_SEND},
	{"bandwidth-write", SELFTEST_BANDWIDTH, "RDMA writes, as many as the queue pairs hold", 0,
	 measure_sizes, RUN_WRITE},
	{"bandwidth-read", SELFTEST_BANDWIDTH, "RDMA reads, as many as the queue pairs hold", 0,
	 measure_sizes, RUN_READ},
	{"bandwidth-atomic", SELFTEST_BANDWIDTH, "fetch-and-adds, as many as the queue pairs hold",
	 NEED_RDMA_ATOMICS, measure_sizes, RUN_ATOMIC},
	{.id = NULL},
};
