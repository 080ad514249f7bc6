/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/measure/measure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

/* Time for the last messages after an interruption. */
#define FAREWELL_NSEC UINT64_C(500000000)
/* A server has less time: it must end within a second, with all of its clients. */
#define SERVER_FAREWELL_NSEC UINT64_C(150000000)
/* The server must allocate a batch of work requests for each queue pair. */
#define MOST_REQUESTS 65536u
/* One cache line per queue pair, so that they do not slow each other down. */
#define LINE 64u

/* Time for messages of unreliable queue pairs still in flight when the other side is done. */
#define LINGER_NSEC UINT64_C(100000000)
/*
 * Longest sleeps for an event. In between, the run checks for its end and, with CREDIT_MSEC, for
 * credits, which raise no event.
 */
#define NAP_MSEC    10
#define CREDIT_MSEC 1

void run_layout_set(struct run_layout *layout, uint32_t kind, uint32_t qps, uint64_t message_bytes)
{
	uint64_t bytes;

	layout->header = kind == QP_UD ? DATAGRAM_HEADER_BYTES : 0;
	bytes = layout->header + run_receive_bytes(message_bytes);
	layout->stride = (bytes + LINE - 1) / LINE * LINE;
	layout->receive = qps * layout->stride + layout->header;
	layout->control = 2 * qps * layout->stride;
	layout->bytes = layout->control + qps * LINE;
}

void sampler_begin(struct sampler *sampler, uint64_t count)
{
	size_t room = count && count < SAMPLES_MOST ? count : SAMPLES_MOST;

	*sampler = (struct sampler){.room = room, .least = UINT64_MAX, .random = 88172645463325252};
	sampler->nsec = mem_alloc_zero(room, sizeof(*sampler->nsec));
	/* Touches all pages, to avoid page faults in the loop. */
	memset(sampler->nsec, 0xff, room * sizeof(*sampler->nsec));
}

void sampler_end(struct sampler *sampler)
{
	if (sampler->all.count <= sampler->room || sampler->room < 2)
		return;
	sampler->nsec[0] = sampler->least;
	sampler->nsec[1] = sampler->most;
}

static uint64_t farewell_nsec(const struct measure *measure)
{
	return measure->agent->guard.strict ? SERVER_FAREWELL_NSEC : FAREWELL_NSEC;
}

bool measure_stopped(struct measure *measure, enum stop stop)
{
	const uint64_t now = clock_raw_nsec();

	if (stop == STOP_PEER_SPOKE && measure->lingers) {
		measure->told = true;
		if (!measure->deadline_nsec)
			measure->deadline_nsec = now + LINGER_NSEC;
		/* This ends an unreliable run; otherwise the end is there or never comes. */
		measure->ran.stop = agent_is_reliable(measure->kind) ? stop : STOP_NONE;
		return now >= measure->deadline_nsec;
	}
	if (stop == STOP_INTERRUPTED) {
		if (!measure->deadline_nsec)
			measure->deadline_nsec = now + farewell_nsec(measure);
		measure->ending = true;
		if (now < measure->deadline_nsec)
			return false;
	}
	measure->ran.stop = stop;
	return true;
}

static const enum post_operation operations[RUN_OPERATIONS] = {
	[RUN_SEND] = POST_SEND,
	[RUN_WRITE] = POST_WRITE,
	[RUN_READ] = POST_READ,
	[RUN_ATOMIC] = POST_FETCH_ADD,
};

/* Fills the common parts of the requests: reads and atomics swap the addresses. */
static void prepare_requests(struct measure *measure, struct run_qp *qp, uint64_t place)
{
	const struct message_run *order = measure->order;
	bool fetches = order->operation == RUN_READ || order->operation == RUN_ATOMIC;
	const struct message_post to = {
		.operation = operations[order->operation],
		.remote_address = order->remote_address + place +
				  (fetches ? 0 : measure->layout.receive),
		.rkey = order->rkey,
		.operand = 1,
		.qpn = qp->owner->target_qpn,
		.qkey = qp->owner->target_qkey,
	};

	for (uint32_t i = 0; i < order->batch; i++) {
		struct ibv_send_wr *request = &qp->list[i];

		request->next = i + 1 < order->batch ? request + 1 : NULL;
		request->sg_list = fetches ? &qp->receive_part : &qp->send_part;
		request->num_sge = order->bytes ? 1 : 0;
		request->opcode = agent_opcodes[to.operation];
		agent_fill_remote(qp->owner, &to, request);
	}
}

static void prepare_credit(const struct measure *measure, struct run_qp *qp)
{
	const struct message_run *order = measure->order;
	const struct message_post to = {
		.operation = POST_WRITE,
		.remote_address = order->remote_address +
				  (uint64_t)((const uint8_t *)qp->credit - measure->bytes),
		.rkey = order->rkey,
	};

	qp->credit_request = (struct ibv_send_wr){
		.opcode = IBV_WR_RDMA_WRITE,
		.sg_list = &qp->credit_part,
		.num_sge = 1,
		.send_flags = IBV_SEND_SIGNALED,
	};
	agent_fill_remote(qp->owner, &to, &qp->credit_request);
}

static void prepare_qp(struct measure *measure, uint32_t number)
{
	const struct message_run *order = measure->order;
	struct run_qp *qp = &measure->qps[number];
	uint64_t place = number * measure->layout.stride;
	uint64_t *control = (uint64_t *)(measure->bytes + measure->layout.control + number * LINE);
	uint32_t key = measure->agent->buffers[order->buffer].mr->lkey;

	qp->owner = &measure->agent->qps[number];
	qp->qp = qp->owner->qp;
	qp->list = measure->requests + (size_t)number * order->batch;
	qp->quota = UINT64_MAX;
	qp->credit = control;
	qp->taken = control + 1;
	qp->send_part = (struct ibv_sge){(uintptr_t)measure->bytes + place, (uint32_t)order->bytes,
					 key};
	qp->receive_part = (struct ibv_sge){
		qp->send_part.addr + measure->layout.receive - measure->layout.header,
		(uint32_t)(measure->layout.header + run_receive_bytes(order->bytes)), key};
	qp->credit_part = (struct ibv_sge){(uintptr_t)qp->taken, sizeof(*qp->taken), key};
	qp->receive.wr_id = run_receive_id(number);
	qp->receive.sg_list = &qp->receive_part;
	qp->receive.num_sge = 1;
	prepare_requests(measure, qp, place);
	prepare_credit(measure, qp);
}

typedef bool (*run_loop)(struct measure *measure);

/*
 * For unreliable and reliable queue pairs, and the passive and the active side. NULL: that side has
 * nothing to do.
 */
static const run_loop loops[2][2][RUN_OPERATIONS][2] = {
	{
		[RUN_LATENCY] = {[RUN_SEND] = {unreliable_send_answer, unreliable_ask},
				 [RUN_WRITE] = {unreliable_write_answer, unreliable_ask}},
		[RUN_BANDWIDTH] = {[RUN_SEND] = {unreliable_listen, bandwidth_ask},
				   [RUN_WRITE] = {NULL, bandwidth_ask}},
	},
	{
		[RUN_LATENCY] = {[RUN_SEND] = {latency_send_answer, latency_send_ask},
				 [RUN_WRITE] = {latency_write_answer, latency_write_ask},
				 [RUN_READ] = {NULL, latency_one_sided},
				 [RUN_ATOMIC] = {NULL, latency_one_sided}},
		[RUN_BANDWIDTH] = {[RUN_SEND] = {bandwidth_answer, bandwidth_ask},
				   [RUN_WRITE] = {NULL, bandwidth_ask},
				   [RUN_READ] = {NULL, bandwidth_ask},
				   [RUN_ATOMIC] = {NULL, bandwidth_ask}},
	},
};

/* Returns whether the queue pair can carry such messages, and has an address if it needs one. */
static bool fits(const struct agent *agent, const struct agent_qp *qp,
		 const struct message_run *order)
{
	if (!qp->qp || qp->kind != agent->qps[0].kind || qp->qp->srq)
		return false;
	if (qp->kind == QP_UD)
		return order->operation == RUN_SEND && qp->ah && qp->target_qpn;
	return agent_is_reliable(qp->kind) || order->operation <= RUN_WRITE;
}

static bool uses_queue(const struct agent *agent, const struct message_run *order, uint32_t slot)
{
	const struct ibv_cq *cq = agent->cqs[slot].cq;

	for (uint32_t i = 0; i < order->qps && cq; i++)
		if (agent->qps[i].qp->send_cq == cq)
			return true;
	return false;
}

/* A run that sleeps needs a channel for every queue, to be woken. */
static int check_channels(struct agent *agent, const struct message_run *order)
{
	for (uint32_t slot = 0; slot < LIMIT_CQS; slot++)
		if (!agent->cqs[slot].channel && uses_queue(agent, order, slot))
			return agent_refuse(agent, REFUSAL_ORDER,
					    "completion queue %u has no channel", slot);
	return 0;
}

static int check_qps(struct agent *agent, const struct message_run *order)
{
	for (uint32_t i = 0; i < order->qps; i++) {
		const struct agent_qp *qp = &agent->qps[i];

		/* A shared receive queue would need another way to post. */
		if (!fits(agent, qp, order))
			return agent_refuse(agent, REFUSAL_ORDER, "a run without queue pair %u", i);
		if (guard_unacknowledged(agent, qp, order->bytes))
			return -EINVAL;
		if (qp->inline_bytes < order->inline_bytes)
			return agent_refuse(agent, REFUSAL_ORDER, "more inline than possible");
	}
	return agent->way.events ? check_channels(agent, order) : 0;
}

/* Stamps of a write ping-pong, credits of a bandwidth of sends, sums of atomics. */
static bool touches_memory(const struct message_run *order)
{
	return order->operation == RUN_ATOMIC ||
	       (order->operation == RUN_WRITE && order->mode == RUN_LATENCY) ||
	       (order->operation == RUN_SEND && order->mode == RUN_BANDWIDTH);
}

/* Each field of the order is in range; this checks the combination of fields. */
static int check_order(struct agent *agent, const struct message_run *order)
{
	const struct agent_buffer *buffer = &agent->buffers[order->buffer];
	struct run_layout layout;

	run_layout_set(&layout, agent->qps[0].kind, order->qps, order->bytes);
	if (order->mode == RUN_LATENCY && (order->qps != 1 || order->batch != 1))
		return agent_refuse(agent, REFUSAL_ORDER, "a latency is that of one queue pair");
	if (agent->way.both && (order->mode != RUN_BANDWIDTH || !order->active))
		return agent_refuse(agent, REFUSAL_ORDER, "both sides of a bandwidth are active");
	if (agent->way.events && order->mode == RUN_LATENCY && order->operation == RUN_WRITE)
		return agent_refuse(agent, REFUSAL_ORDER, "a run that waits for no event");
	if (order->mode == RUN_LATENCY && order->operation == RUN_WRITE && !order->bytes)
		return agent_refuse(agent, REFUSAL_ORDER, "a ping-pong of writes without data");
	if (order->operation == RUN_ATOMIC && order->bytes != sizeof(uint64_t))
		return agent_refuse(agent, REFUSAL_ORDER, "an atomic operation has 8 bytes");
	if (!order->iterations && !order->duration_msec)
		return agent_refuse(agent, REFUSAL_ORDER, "a run without an end");
	if (order->iterations && order->warmup > order->iterations)
		return agent_refuse(agent, REFUSAL_ORDER, "a run that is over before it counts");
	if (order->batch > order->depth || order->signal_every > order->depth)
		return agent_refuse(agent, REFUSAL_ORDER, "more at once than may be outstanding");
	if (order->qps * order->batch > MOST_REQUESTS)
		return agent_refuse(agent, REFUSAL_LIMIT, "more than %u work requests at once",
				    MOST_REQUESTS);
	if (!buffer->bytes || layout.bytes > buffer->length)
		return agent_refuse(agent, REFUSAL_ORDER, "a run without memory");
	if (memory_is_hidden(&buffer->memory) && touches_memory(order))
		return agent_refuse(agent, REFUSAL_ORDER,
				    "a run whose memory the processor cannot reach");
	return check_qps(agent, order);
}

static void prepare(struct measure *measure, struct agent *agent, const struct message_run *order)
{
	const bool sends = order->operation == RUN_SEND;

	*measure = (struct measure){
		.agent = agent,
		.order = order,
		.kind = agent->qps[0].kind,
		.sleeps = agent->way.events,
	};
	measure->takes = sends && order->mode == RUN_BANDWIDTH &&
			 (agent->way.both || !order->active);
	measure->credited = sends && order->mode == RUN_BANDWIDTH &&
			    agent_is_reliable(measure->kind);
	measure->lingers = !order->active &&
			   (!agent_is_reliable(measure->kind) || !agent->guard.strict);
	measure->nap_msec = measure->credited && order->active ? CREDIT_MSEC : NAP_MSEC;
	run_layout_set(&measure->layout, measure->kind, order->qps, order->bytes);
	measure->bytes = agent->buffers[order->buffer].bytes;
	for (uint32_t slot = 0; slot < LIMIT_CQS; slot++)
		if (uses_queue(agent, order, slot))
			measure->queues[measure->queue_count++] = &agent->cqs[slot];
	measure->yields = agent->shares_processor || sysconf(_SC_NPROCESSORS_ONLN) == 1;
	/*
	 * The provider copies inline data when they are posted: ibv_post_send(3). Messages without
	 * data end with one that has data, which need not fit inline.
	 */
	if (order->bytes && order->bytes <= order->inline_bytes &&
	    (order->operation == RUN_SEND || order->operation == RUN_WRITE) &&
	    !memory_is_hidden(&agent->buffers[order->buffer].memory))
		measure->flags = IBV_SEND_INLINE;
	measure->qps = mem_alloc_zero(order->qps, sizeof(*measure->qps));
	measure->requests = mem_alloc_zero((size_t)order->qps * order->batch,
					   sizeof(*measure->requests));
	for (uint32_t i = 0; i < order->qps; i++)
		prepare_qp(measure, i);
	if (order->mode == RUN_LATENCY && order->active)
		sampler_begin(&measure->sampler, order->iterations);
}

static void release(struct measure *measure)
{
	struct agent_samples *samples = &measure->agent->samples;

	sampler_end(&measure->sampler);
	free(samples->nsec);
	samples->nsec = measure->sampler.nsec;
	samples->count = measure->sampler.count;
	samples->all = measure->sampler.all;
	free(measure->qps);
	free(measure->requests);
}

/*
 * Waits for the completions of this side's messages and credits, because a next run on the same
 * queue pairs would count them as its own. A passive side has not waited for the last ones. After a
 * failure none are expected. After a stop, what is there counts, even if this thread was stopped,
 * but not more than can be there at once: the other side may go on sending.
 */
static bool settle(struct measure *measure)
{
	const uint32_t depth = measure->order->depth;
	uint64_t rest = (uint64_t)measure->order->qps * (run_receives(depth) + depth + 1);
	struct ibv_wc item;

	if (measure->error || measure->ran.status)
		return true;
	/* A stop may have come before: it leaves time from now on. */
	measure->deadline_nsec = clock_raw_nsec() + farewell_nsec(measure);
	for (uint32_t i = 0; i < measure->order->qps; i++) {
		const struct run_qp *qp = &measure->qps[i];

		while (qp->crediting || qp->posted - qp->completed > qp->unsignaled) {
			const bool halted = measure_halted(measure);
			int count;

			/* Calls for a device that is gone fail, which would hide the stop. */
			if (halted && (measure->ran.stop == STOP_DEVICE_GONE || !rest--))
				return false;
			count = measure_take(measure, &item, 1);
			if (count < 0 || (halted && !count))
				return false;
		}
	}
	return true;
}

int agent_run(struct agent *agent, const struct message_run *order, struct message_ran *reply)
{
	struct measure measure;
	uint64_t cpu_nsec, wall_nsec;
	run_loop loop;
	int rc = check_order(agent, order) ?: guard_run(agent, order->duration_msec);

	if (rc)
		return rc;
	loop = agent->way.both && order->operation == RUN_SEND
		       ? bandwidth_both
		       : loops[agent_is_reliable(agent->qps[0].kind)][order->mode][order->operation]
			      [order->active];
	agent->report = (struct message_reported){0};
	if (!loop) {
		*reply = (struct message_ran){0};
		return 0;
	}
	prepare(&measure, agent, order);
	rc = watch_begin(&agent->watch, agent->still_msec);
	if (rc) {
		rc = agent_fail(agent, STAGE_TRANSFER, -rc, "a thread that watches");
	} else {
		cpu_nsec = clock_read(CLOCK_THREAD_CPUTIME_ID); /* in user and kernel mode */
		wall_nsec = clock_nsec();
		if (loop(&measure) && settle(&measure))
			measure.ran.stop = STOP_NONE;
		agent->report = (struct message_reported){
			.cpu_nsec = clock_read(CLOCK_THREAD_CPUTIME_ID) - cpu_nsec,
			.wall_nsec = clock_nsec() - wall_nsec,
			.received = measure.received,
			.lost = measure.lost,
			.events = measure.events,
		};
		watch_end(&agent->watch);
		if (measure.error)
			rc = agent_fail(agent, STAGE_TRANSFER, measure.error, "%s", measure.failed);
		else
			*reply = measure.ran;
	}
	release(&measure);
	return rc;
}
