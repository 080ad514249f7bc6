/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Completions and posts of a measurement. */
#include "selftest/measure/measure.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>

#define SEND_ID	   (UINT64_C(1) << 63)
#define COUNT_MASK ((UINT64_C(1) << RUN_QP_SHIFT) - 1)
/* Marks a credit among the messages, instead of a count. */
#define CREDIT_COUNT COUNT_MASK

/* Records an error. Always returns false. */
static bool measure_fail(struct measure *measure, int error, const char *what)
{
	measure->error = error;
	measure->failed = what;
	return false;
}

/*
 * Polls the queues from the current one on, until one has completions. The turn advances each time:
 * queue pairs that are posted to again could keep one queue busy while the others wait.
 */
static inline int poll_queues(struct measure *measure, struct ibv_wc *items, int room)
{
	int count = 0;

	for (uint32_t i = 0; i < measure->queue_count && !count; i++) {
		count = ibv_poll_cq(measure->queues[measure->turn]->cq, room, items);
		if (++measure->turn == measure->queue_count)
			measure->turn = 0;
	}
	return count;
}

static bool is_cause(const struct ibv_wc *item)
{
	return item->status != IBV_WC_SUCCESS && item->status != IBV_WC_WR_FLUSH_ERR;
}

/* A flushed request is a consequence of an error: searches the other completions for the cause. */
static void note_status(struct measure *measure, const struct ibv_wc *item)
{
	struct ibv_wc next = *item;

	do {
		if (!is_cause(&next))
			continue;
		measure->ran.status = next.status;
		measure->ran.vendor_error = next.vendor_err;
		return;
	} while (poll_queues(measure, &next, 1) > 0);
	measure->ran.status = IBV_WC_WR_FLUSH_ERR;
	measure->ran.vendor_error = item->vendor_err;
}

/*
 * Sleeps briefly until there are completions. One that arrives between the last poll and the arming
 * raises no event, so the queues are polled once more: ibv_req_notify_cq(3).
 */
static int await_event(struct measure *measure, struct ibv_wc *items, int room)
{
	struct pollfd events[LIMIT_CQS];
	struct ibv_cq *ready;
	void *context;
	int count;

	for (uint32_t i = 0; i < measure->queue_count; i++) {
		events[i] = (struct pollfd){.fd = measure->queues[i]->channel->fd,
					    .events = POLLIN};
		if (ibv_req_notify_cq(measure->queues[i]->cq, 0)) {
			measure_fail(measure, EIO, "ibv_req_notify_cq");
			return -1;
		}
	}
	count = poll_queues(measure, items, room);
	if (count || poll(events, measure->queue_count, measure->nap_msec) <= 0)
		return count ? count : poll_queues(measure, items, room);
	for (uint32_t i = 0; i < measure->queue_count; i++) {
		struct agent_cq *queue = measure->queues[i];

		if (events[i].revents &&
		    !measure->agent->api.ibv_get_cq_event(queue->channel, &ready, &context)) {
			queue->unacknowledged++;
			measure->events++;
		}
	}
	return poll_queues(measure, items, room);
}

/*
 * Writes the count of messages taken to the other side when that would soon have to wait for it,
 * unless such a write is in flight. The write goes among the messages of this side, if it sends
 * any.
 */
static bool give_credit(struct measure *measure, struct run_qp *qp)
{
	uint32_t every = (measure->order->depth + 1) / 2;
	struct ibv_send_wr *bad;
	int rc;

	if (qp->crediting || qp->received - qp->credited < every)
		return true;
	qp->credited = qp->received;
	*qp->taken = htobe64(qp->received);
	qp->crediting = true;
	qp->credit_request.wr_id = SEND_ID | run_receive_id((uint32_t)(qp - measure->qps)) |
				   CREDIT_COUNT;
	rc = ibv_post_send(qp->qp, &qp->credit_request, &bad);
	return rc ? measure_fail(measure, agent_post_error(rc), "ibv_post_send") : true;
}

static bool note_sent(struct measure *measure, struct run_qp *qp, uint64_t id)
{
	uint64_t count = id & COUNT_MASK;

	if (count == CREDIT_COUNT) {
		qp->crediting = false;
		/*
		 * Messages taken meanwhile may be all that the other side could send without a new
		 * credit.
		 */
		return qp->ended || give_credit(measure, qp);
	}
	measure->completed += count - qp->completed;
	qp->completed = count;
	return true;
}

bool measure_receive(struct measure *measure, struct run_qp *qp)
{
	struct ibv_recv_wr *bad;
	struct ibv_srq *shared = qp->owner->shared;
	int rc = shared ? ibv_post_srq_recv(shared, &qp->receive, &bad)
			: ibv_post_recv(qp->qp, &qp->receive, &bad);

	return rc ? measure_fail(measure, agent_post_error(rc), "ibv_post_recv") : true;
}

static bool take(struct measure *measure, struct run_qp *qp, const struct ibv_wc *item)
{
	measure_progress(measure);
	if (measure->credited && item->byte_len != measure->order->bytes) {
		qp->ended = true;
		measure->ended++;
		return true;
	}
	qp->received++;
	measure->received++;
	if (!measure_receive(measure, qp))
		return false;
	return !measure->credited || qp->ended || give_credit(measure, qp);
}

int measure_take(struct measure *measure, struct ibv_wc *items, int room)
{
	int count = poll_queues(measure, items, room);

	if (!count && measure->sleeps)
		count = await_event(measure, items, room);
	else if (!count && measure->yields)
		sched_yield();
	if (count < 0) {
		if (!measure->error)
			measure_fail(measure, EIO, "ibv_poll_cq");
		return -1;
	}
	for (int i = 0; i < count; i++) {
		struct run_qp *qp = measure_qp(measure, items[i].wr_id);

		if (items[i].status != IBV_WC_SUCCESS) {
			/* The cause may be among the remaining completions. */
			for (int j = i; j < count && !is_cause(&items[i]); j++)
				if (is_cause(&items[j]))
					i = j;
			note_status(measure, &items[i]);
			return -1;
		}
		/* Receives posted before the run have the ids of their orders. */
		if (qp >= measure->qps + measure->order->qps) {
			measure_fail(measure, EPROTO, "a completion of no part of the run");
			return -1;
		}
		if (measure_is_send(&items[i]) ? !note_sent(measure, qp, items[i].wr_id)
					       : measure->takes && !take(measure, qp, &items[i]))
			return -1;
	}
	return count;
}

int measure_poll(struct measure *measure, struct ibv_wc *items, int room)
{
	return measure_halted(measure) ? -1 : measure_take(measure, items, room);
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
	measure_progress(measure);
	return measure_post(measure, qp, 1) && measure_drain(measure, qp, 0);
}
