/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/agent/measure.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

/* Time for the last messages after an interruption. */
#define FAREWELL_NSEC UINT64_C(500000000)
/* A server has less of it: it has to end within a second, with all of its clients. */
#define SERVER_FAREWELL_NSEC UINT64_C(150000000)
/* The server has to allocate a batch of work requests for each queue pair. */
#define MOST_REQUESTS 65536u
/* One cache line for each pair, so that they do not slow each other down. */
#define LINE 64u

#define SEND_ID	   (UINT64_C(1) << 63)
#define COUNT_MASK ((UINT64_C(1) << RUN_QP_SHIFT) - 1)

void run_layout_set(struct run_layout *layout, uint32_t qps, uint64_t message_bytes)
{
	layout->stride = (run_receive_bytes(message_bytes) + LINE - 1) / LINE * LINE;
	layout->receive = qps * layout->stride;
	layout->control = 2 * layout->receive;
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
	if (sampler->seen <= sampler->room || sampler->room < 2)
		return;
	sampler->nsec[0] = sampler->least;
	sampler->nsec[1] = sampler->most;
}

bool measure_stopped(struct measure *measure, enum stop stop)
{
	if (stop == STOP_INTERRUPTED) {
		uint64_t now = clock_raw_nsec();

		if (!measure->deadline_nsec)
			measure->deadline_nsec = now + (measure->agent->guard.strict
								? SERVER_FAREWELL_NSEC
								: FAREWELL_NSEC);
		measure->ending = true;
		if (now < measure->deadline_nsec)
			return false;
	}
	measure->stop = stop;
	return true;
}

/* Always false. */
static bool measure_fail(struct measure *measure, int error, const char *what)
{
	measure->error = error;
	measure->failed = what;
	return false;
}

/* A flushed request is the consequence of an error: searches the other completions for the cause.
 */
static void note_status(struct measure *measure, const struct ibv_wc *item)
{
	struct ibv_wc next = *item;

	do {
		if (next.status == IBV_WC_SUCCESS || next.status == IBV_WC_WR_FLUSH_ERR)
			continue;
		measure->status = next.status;
		measure->vendor_error = next.vendor_err;
		return;
	} while (ibv_poll_cq(measure->cq, 1, &next) > 0);
	measure->status = IBV_WC_WR_FLUSH_ERR;
	measure->vendor_error = item->vendor_err;
}

int measure_poll(struct measure *measure, struct ibv_wc *items, int room)
{
	int count;

	if (measure_halted(measure))
		return -1;
	count = ibv_poll_cq(measure->cq, room, items);
	if (!count && measure->yields)
		sched_yield();
	if (count < 0) {
		measure_fail(measure, EIO, "ibv_poll_cq");
		return -1;
	}
	for (int i = 0; i < count; i++) {
		struct run_qp *qp = measure_qp(measure, items[i].wr_id);

		if (items[i].status != IBV_WC_SUCCESS) {
			/* The cause may be among the rest of the completions. */
			for (; i + 1 < count && items[i].status == IBV_WC_WR_FLUSH_ERR; i++)
				;
			note_status(measure, &items[i]);
			return -1;
		}
		/* Receives posted before the run have the ids of their orders. */
		if (qp >= measure->qps + measure->order->qps) {
			measure_fail(measure, EPROTO, "a completion of no part of the run");
			return -1;
		}
		if (measure_is_send(&items[i]))
			qp->completed = items[i].wr_id & COUNT_MASK;
	}
	return count;
}

bool measure_post(struct measure *measure, struct run_qp *qp, uint32_t count)
{
	uint64_t id = SEND_ID | run_receive_id((uint32_t)(qp - measure->qps));
	struct ibv_send_wr *bad;
	int rc;

	for (uint32_t i = 0; i < count; i++) {
		bool signaled = ++qp->unsignaled == measure->order->signal_every;

		if (++qp->posted == qp->quota)
			signaled = true;
		if (signaled)
			qp->unsignaled = 0;
		qp->list[i].wr_id = id | qp->posted;
		qp->list[i].send_flags = measure->flags | (signaled ? IBV_SEND_SIGNALED : 0);
	}
	/* The rest of a phase may be less than a batch. */
	if (count < measure->order->batch)
		qp->list[count - 1].next = NULL;
	rc = ibv_post_send(qp->qp, qp->list, &bad);
	if (count < measure->order->batch)
		qp->list[count - 1].next = &qp->list[count];
	return rc ? measure_fail(measure, agent_post_error(rc), "ibv_post_send") : true;
}

bool measure_drain(struct measure *measure, struct run_qp *qp, uint64_t outstanding)
{
	struct ibv_wc item;

	while (qp->posted - qp->completed > outstanding)
		if (measure_poll(measure, &item, 1) < 0)
			return false;
	return true;
}

bool measure_send_end(struct measure *measure, struct run_qp *qp)
{
	struct ibv_send_wr *request = qp->list;

	if (!measure_drain(measure, qp, measure->order->depth - 1))
		return false;
	qp->send_part.length = (uint32_t)run_end_bytes(measure->order->bytes);
	request->num_sge = qp->send_part.length ? 1 : 0;
	qp->quota = qp->posted + 1;
	return measure_post(measure, qp, 1) && measure_drain(measure, qp, 0);
}

bool measure_receive(struct measure *measure, struct run_qp *qp)
{
	struct ibv_recv_wr *bad;
	int rc = ibv_post_recv(qp->qp, &qp->receive, &bad);

	return rc ? measure_fail(measure, agent_post_error(rc), "ibv_post_recv") : true;
}

static const enum ibv_wr_opcode opcodes[RUN_OPERATIONS] = {
	[RUN_SEND] = IBV_WR_SEND,
	[RUN_WRITE] = IBV_WR_RDMA_WRITE,
	[RUN_READ] = IBV_WR_RDMA_READ,
	[RUN_ATOMIC] = IBV_WR_ATOMIC_FETCH_AND_ADD,
};

/* The common parts of the requests: reads and atomics swap the addresses. */
static void prepare_requests(struct measure *measure, struct run_qp *qp, uint64_t place)
{
	const struct message_run *order = measure->order;
	bool fetches = order->operation == RUN_READ || order->operation == RUN_ATOMIC;
	uint64_t remote = order->remote_address + place + (fetches ? 0 : measure->layout.receive);

	for (uint32_t i = 0; i < order->batch; i++) {
		struct ibv_send_wr *request = &qp->list[i];

		request->next = i + 1 < order->batch ? request + 1 : NULL;
		request->sg_list = fetches ? &qp->receive_part : &qp->send_part;
		request->num_sge = order->bytes ? 1 : 0;
		request->opcode = opcodes[order->operation];
		if (order->operation == RUN_ATOMIC) {
			request->wr.atomic.remote_addr = remote;
			request->wr.atomic.rkey = order->rkey;
			request->wr.atomic.compare_add = 1;
		} else {
			request->wr.rdma.remote_addr = remote;
			request->wr.rdma.rkey = order->rkey;
		}
	}
}

static void prepare_qp(struct measure *measure, uint32_t number)
{
	const struct message_run *order = measure->order;
	struct run_qp *qp = &measure->qps[number];
	uint64_t place = number * measure->layout.stride;
	uint64_t *control = (uint64_t *)(measure->bytes + measure->layout.control + number * LINE);
	uint32_t key = measure->agent->buffers[order->buffer].mr->lkey;

	qp->qp = measure->agent->qps[number].qp;
	qp->list = measure->requests + (size_t)number * order->batch;
	qp->quota = UINT64_MAX;
	qp->credit = control;
	qp->taken = control + 1;
	qp->send_part = (struct ibv_sge){(uintptr_t)measure->bytes + place, (uint32_t)order->bytes,
					 key};
	qp->receive_part = (struct ibv_sge){qp->send_part.addr + measure->layout.receive,
					    (uint32_t)run_receive_bytes(order->bytes), key};
	qp->credit_part = (struct ibv_sge){(uintptr_t)qp->taken, sizeof(*qp->taken), key};
	qp->receive.wr_id = run_receive_id(number);
	qp->receive.sg_list = &qp->receive_part;
	qp->receive.num_sge = 1;
	prepare_requests(measure, qp, place);
}

static bool (*const loops[][RUN_OPERATIONS][2])(struct measure *measure) = {
	[RUN_LATENCY] =
		{
			[RUN_SEND] = {latency_send_answer, latency_send_ask},
			[RUN_WRITE] = {latency_write_answer, latency_write_ask},
			[RUN_READ] = {NULL, latency_one_sided},
			[RUN_ATOMIC] = {NULL, latency_one_sided},
		},
	[RUN_BANDWIDTH] =
		{
			[RUN_SEND] = {bandwidth_answer, bandwidth_ask},
			[RUN_WRITE] = {NULL, bandwidth_ask},
			[RUN_READ] = {NULL, bandwidth_ask},
			[RUN_ATOMIC] = {NULL, bandwidth_ask},
		},
};

static int check_qps(struct agent *agent, const struct message_run *order)
{
	for (uint32_t i = 0; i < order->qps; i++) {
		const struct agent_qp *qp = &agent->qps[i];

		/* A datagram would need an address handle, a shared queue another post. */
		if (!qp->qp || qp->kind != QP_RC || qp->qp->srq ||
		    qp->qp->send_cq != agent->cqs[order->cq].cq)
			return agent_refuse(agent, REFUSAL_ORDER, "a run without queue pair %u", i);
		if (qp->inline_bytes < order->inline_bytes)
			return agent_refuse(agent, REFUSAL_ORDER, "more inline than possible");
	}
	return 0;
}

/* Each field of the order is in range; this checks their combination. */
static int check_order(struct agent *agent, const struct message_run *order)
{
	const struct agent_buffer *buffer = &agent->buffers[order->buffer];
	struct run_layout layout;

	run_layout_set(&layout, order->qps, order->bytes);
	if (order->mode == RUN_LATENCY && (order->qps != 1 || order->batch != 1))
		return agent_refuse(agent, REFUSAL_ORDER, "a latency is that of one queue pair");
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
	if (!agent->cqs[order->cq].cq || !buffer->bytes || layout.bytes > buffer->length)
		return agent_refuse(agent, REFUSAL_ORDER, "a run without a queue or memory");
	return check_qps(agent, order);
}

static void prepare(struct measure *measure, struct agent *agent, const struct message_run *order)
{
	*measure = (struct measure){.agent = agent, .order = order};
	run_layout_set(&measure->layout, order->qps, order->bytes);
	measure->bytes = agent->buffers[order->buffer].bytes;
	measure->cq = agent->cqs[order->cq].cq;
	measure->yields = sysconf(_SC_NPROCESSORS_ONLN) == 1;
	if (order->bytes <= order->inline_bytes &&
	    (order->operation == RUN_SEND || order->operation == RUN_WRITE))
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
	free(measure->qps);
	free(measure->requests);
}

static int finish(struct measure *measure, struct message_ran *reply)
{
	struct agent *agent = measure->agent;

	if (measure->error)
		return agent_fail(agent, STAGE_TRANSFER, measure->error, "%s", measure->failed);
	*reply = (struct message_ran){
		.elapsed_nsec = measure->elapsed_nsec,
		.iterations = measure->counted,
		.status = measure->status,
		.vendor_error = measure->vendor_error,
		.stop = measure->stop,
	};
	return 0;
}

int agent_run(struct agent *agent, const struct message_run *order, struct message_ran *reply)
{
	struct measure measure;
	bool (*loop)(struct measure * measure);
	int rc = check_order(agent, order);

	if (!rc)
		rc = guard_run(agent, order->duration_msec);
	if (rc)
		return rc;
	loop = loops[order->mode][order->operation][order->active];
	if (!loop) {
		*reply = (struct message_ran){0};
		return 0;
	}
	prepare(&measure, agent, order);
	rc = watch_begin(&agent->watch, RUN_STILL_MSEC);
	if (rc) {
		rc = agent_fail(agent, STAGE_TRANSFER, -rc, "a thread that watches");
	} else {
		loop(&measure);
		watch_end(&agent->watch);
		rc = finish(&measure, reply);
	}
	release(&measure);
	return rc;
}
