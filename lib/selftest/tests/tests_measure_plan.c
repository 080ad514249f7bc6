/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The plan of a latency or bandwidth row: sizes, depth, length, signals, inline data. */
#include <errno.h>

#include "base/mem.h"
#include "selftest/tests/tests_measure.h"

/*
 * Outstanding messages: as many as in perftest, so that figures can be compared, but fewer large
 * ones: a software device that takes longer than the timeout to send them retransmits.
 */
#define PERFTEST_DEPTH 128u
#define LEAST_DEPTH    4u
#define THOROUGH_BYTES (UINT64_C(8) << 20)
#define QUICK_BYTES    (UINT64_C(1) << 20)
/* One completion per this many sends, or bytes. */
#define SIGNAL_EVERY 32u
#define SIGNAL_BYTES (UINT64_C(256) << 10)
/* As perftest's -r: receives in a timed run, and their limit in a run of a given message count. */
#define UNRELIABLE_RECEIVES	 512u
#define UNRELIABLE_RECEIVES_MOST 16000u
/* A slow, shared device in emulation: one message per millisecond, plus this many bytes. */
#define SLOW_BYTES_PER_MSEC 4096u
/* Sent inline up to this size if both devices can, as perftest does. */
#define INLINE_MOST 236u

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

/*
 * A datagram is no longer than a packet: use the sizes that fit, or else the largest MTU that does.
 */
static size_t choose_datagrams(const struct trial *trial, size_t count, const uint64_t **sizes)
{
	static const uint64_t mtus[] = {256, 512, 1024, 2048, 4096};
	const uint32_t mtu = trial_mtu(trial);
	size_t fit = 0, longest = 0;

	while (fit < count && (*sizes)[fit] <= mtu)
		fit++;
	if (fit)
		return fit;
	while (longest + 1 < ARRAY_SIZE(mtus) && mtus[longest + 1] <= mtu)
		longest++;
	*sizes = &mtus[longest];
	return 1;
}

size_t plan_sizes(const struct trial *trial, const uint64_t **ret)
{
	size_t count;

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
		count = 1;
	} else {
		*ret = is_latency(trial) ? usual_latency : usual_bandwidth;
		count = is_latency(trial) ? ARRAY_SIZE(usual_latency) : ARRAY_SIZE(usual_bandwidth);
	}
	return trial->request->ways.transport == SELFTEST_BY_UD
		       ? choose_datagrams(trial, count, ret)
		       : count;
}

static uint32_t receives_of(const struct trial *trial, uint32_t depth)
{
	return trial->test->value == RUN_SEND ? run_receives(depth) : 1;
}

/* If both sides send, a credit may be among the messages. Writes and reads have no credits. */
uint32_t plan_sends(const struct plan *plan)
{
	const bool credits = plan->out && plan->in && plan->order.run.operation == RUN_SEND;

	return plan->order.run.depth + (credits ? 1 : 0);
}

static uint32_t share(uint32_t count, uint32_t among)
{
	return (count + among - 1) / among;
}

/* As few completion queues as have room for this many queue pairs. */
static uint32_t queues_for(const struct trial *trial, uint32_t qps, uint32_t depth)
{
	bool both = trial->request->ways.direction == DIRECTION_BOTH;
	/* RDMA writes and reads complete no receives. */
	uint32_t receives = trial->test->value == RUN_SEND ? run_receives(depth) : 0;
	uint32_t each = depth + receives + both;

	return each > MOST_ENTRIES ? UINT32_MAX : share(qps, MOST_ENTRIES / each);
}

uint32_t plan_entries(const struct plan *plan)
{
	const struct message_run *run = &plan->order.run;
	uint32_t receives = run->operation == RUN_SEND ? plan->receives : 0;

	return share(run->qps, plan->queues) * (plan_sends(plan) + receives);
}

/* Receives that both devices have room for; with XRC they are in a shared queue. */
static uint32_t most_receives(const struct trial *trial, uint32_t limit)
{
	const uint32_t near = trial->near.can.max_srq_depth;
	const uint32_t far = trial->far.can.max_srq_depth;

	if (trial->request->ways.transport != SELFTEST_BY_XRC)
		return limit;
	limit = near ? at_most(limit, near) : limit;
	return far ? at_most(limit, far) : limit;
}

/* The wanted depth, within the limits of both devices' queues and the completion queues. */
static uint32_t choose_depth(const struct trial *trial, uint32_t qps, uint64_t bytes)
{
	const uint32_t limit = trial_most_depth(trial), receives = most_receives(trial, limit);
	uint64_t under_way = is_thorough(trial) ? THOROUGH_BYTES : QUICK_BYTES;
	/* A second completion queue is worth it only for a depth that the user asked for. */
	const uint32_t queues = trial->request->depth ? LIMIT_CQS : 1;
	uint32_t depth = PERFTEST_DEPTH;

	while (depth > LEAST_DEPTH && depth * bytes > under_way)
		depth /= 2;
	if (!is_latency(trial) && trial->request->depth)
		depth = trial->request->depth;
	while (depth > 1 && (depth > limit || receives_of(trial, depth) > receives ||
			     queues_for(trial, qps, depth) > queues ||
			     qps * (depth + 1 + receives_of(trial, depth)) > LIMIT_WORK))
		depth--;
	return depth;
}

static uint32_t rest(uint32_t all, uint32_t part)
{
	return all > part ? all - part : 0;
}

/*
 * Nothing tells the sender on an unreliable queue pair to wait, and a message without a receive is
 * lost. So post as many receives as perftest does, as far as devices and queues have room: one per
 * message of a run that counts them, but at most 16,000; otherwise 512.
 */
static uint32_t choose_receives(const struct trial *trial, const struct plan *plan)
{
	const struct message_run *run = &plan->order.run;
	const uint32_t usual = receives_of(trial, run->depth), sends = plan_sends(plan);
	const uint64_t each = (run->iterations + run->qps - 1) / run->qps;
	const uint32_t wanted = !run->iterations		  ? UNRELIABLE_RECEIVES
				: each < UNRELIABLE_RECEIVES_MOST ? (uint32_t)each
								  : UNRELIABLE_RECEIVES_MOST;
	uint32_t most = at_most(trial_most_depth(trial), wanted);

	if (run->operation != RUN_SEND || plan->latency || plan_is_reliable(plan))
		return usual;
	most = at_most(most, rest(MOST_ENTRIES / share(run->qps, plan->queues), sends));
	most = at_most(most, rest(LIMIT_WORK / run->qps, sends + 1));
	return most > usual ? most : usual;
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
		if (request->ways.every_msec && request->ways.every_msec < run->duration_msec)
			run->duration_msec = request->ways.every_msec;
	} else {
		run->duration_msec = is_thorough(trial) ? 1000 : 100;
	}
	if (!is_thorough(trial))
		run->warmup = (run->warmup + 3) / 4;
}

uint64_t plan_beside_msec(const struct message_run *run)
{
	const uint64_t messages = run->warmup + (uint64_t)run->qps * run->depth;

	return messages + messages * run->bytes / SLOW_BYTES_PER_MSEC;
}

/* Completions show that there is progress. */
static uint32_t choose_signals(const struct trial *trial, const struct message_run *run)
{
	const struct number *wish = &trial->request->ways.signal_every;
	uint32_t every = at_most(SIGNAL_EVERY, (run->depth + 3) / 4);

	/* The next message waits for this one's completion, or the pong may be lost. */
	if (is_latency(trial) &&
	    (run->operation > RUN_WRITE || !agent_is_reliable(trial->request->ways.transport)))
		return 1;
	if (wish->known && !is_latency(trial))
		return at_most((uint32_t)wish->value, run->depth);
	while (every > 1 && every * run->bytes > SIGNAL_BYTES)
		every /= 2;
	return every;
}

static void make_order(const struct trial *trial, uint64_t bytes, struct message_run *run)
{
	run->mode = is_latency(trial) ? RUN_LATENCY : RUN_BANDWIDTH;
	run->operation = (uint32_t)trial->test->value;
	run->qps = is_latency(trial) || !trial->request->queue_pairs ? 1
								     : trial->request->queue_pairs;
	run->buffer = TRIAL_DATA;
	run->bytes = bytes;
	run->depth = choose_depth(trial, run->qps, bytes);
	run->batch = is_latency(trial) || !trial->request->batch
			     ? 1
			     : at_most(trial->request->batch, run->depth);
	run->signal_every = choose_signals(trial, run);
	choose_length(trial, run);
}

void plan_make(const struct trial *trial, uint64_t bytes, struct plan *plan)
{
	const struct selftest_ways *ways = &trial->request->ways;
	struct message_run *run = &plan->order.run;
	bool polls_memory;

	*plan = (struct plan){
		.order.type = MESSAGE_RUN,
		.transport = ways->transport,
		.latency = is_latency(trial),
	};
	make_order(trial, bytes, run);
	plan->out = plan->latency || ways->direction != DIRECTION_IN;
	plan->in = !plan->latency && ways->direction != DIRECTION_OUT;
	run->active = plan->out;
	/* The last byte shows that all of a message has arrived, which requires ordered writes. */
	polls_memory = plan->latency && run->operation == RUN_WRITE;
	plan->way = (struct message_way){
		.both = plan->out && plan->in,
		.events = ways->by_events,
		.relaxed = !ways->in_order && !polls_memory,
	};
	plan->queues = queues_for(trial, run->qps, run->depth);
	plan->receives = choose_receives(trial, plan);
	run_layout_set(&plan->layout, ways->transport, run->qps, bytes);
}

int tests_try_inline(struct side *side, uint32_t kind, uint32_t bytes)
{
	struct message_cq cq = {.slot = TRIAL_CQ, .entries = 4};
	struct message_qp qp = {
		.kind = kind,
		.cq = TRIAL_CQ,
		.send_depth = 1,
		.receive_depth = 1,
		.sges = 1,
		.inline_bytes = bytes,
	};
	struct message_qp_created created;
	int rc = side_cq(side, &cq), error = 0;

	if (rc)
		return rc == -EREMOTEIO ? EIO : 0;
	rc = side_qp(side, &qp, &created);
	/* libhns lowers the number: get_max_inline_data(), providers/hns/hns_roce_u_verbs.c. */
	if (!rc && created.inline_bytes < bytes)
		error = EOPNOTSUPP;
	if (rc == -EREMOTEIO) {
		error = side->refused.error ? (int)side->refused.error : EOPNOTSUPP;
		qp.inline_bytes = 0;
		if (side_qp(side, &qp, &created))
			error = 0;
	}
	qp.destroy = 1;
	cq.entries = 0;
	side_qp(side, &qp, &created);
	side_cq(side, &cq);
	return error;
}

static bool both_have_inline(struct trial *trial, const struct plan *plan, uint32_t bytes)
{
	return !tests_try_inline(&trial->near, plan->transport, bytes) &&
	       !tests_try_inline(&trial->far, plan->transport, bytes);
}

void plan_inline(struct trial *trial, struct plan *plan)
{
	const struct number *wish = &trial->request->ways.inline_bytes;
	struct message_run *run = &plan->order.run;

	if (run->operation > RUN_WRITE)
		return;
	if (wish->known) {
		run->inline_bytes = (uint32_t)wish->value;
		plan->inline_missing = wish->value &&
				       (trial->hidden ||
					!both_have_inline(trial, plan, (uint32_t)wish->value));
	} else if (plan->latency && !trial->hidden && run->bytes && run->bytes <= INLINE_MOST &&
		   both_have_inline(trial, plan, (uint32_t)run->bytes)) {
		run->inline_bytes = (uint32_t)run->bytes;
	}
}

void plan_describe(struct trial *trial, const struct plan *plan)
{
	struct selftest_result *row = trial->result;
	const struct message_run *run = &plan->order.run;

	row->size_bytes = number_of(run->bytes);
	row->queue_pairs = number_of(run->qps);
	row->completion_queues = number_of(plan->queues);
	row->depth = number_of(plan->latency ? 1 : run->depth);
	row->batch = number_of(run->batch);
	row->signal_every = number_of(run->signal_every);
	row->transport = number_of(plan->transport);
	row->events = plan->way.events ? TRISTATE_YES : TRISTATE_NO;
	row->relaxed_ordering = plan->way.relaxed ? TRISTATE_YES : TRISTATE_NO;
	if (run->operation <= RUN_WRITE)
		row->inline_bytes = number_of(run->inline_bytes);
	if (!plan->latency)
		row->direction = number_of(trial->request->ways.direction);
}
