/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>

#include "base/clock.h"
#include "selftest/agent/agent.h"

/* Makes a key invalid: drivers count up from small ones, and the low byte is a variant. */
#define BAD_KEY_BITS 0x5a5a5a00u

const enum ibv_wr_opcode agent_opcodes[POST_OPERATIONS] = {
	[POST_SEND] = IBV_WR_SEND,
	[POST_SEND_IMMEDIATE] = IBV_WR_SEND_WITH_IMM,
	[POST_WRITE] = IBV_WR_RDMA_WRITE,
	[POST_WRITE_IMMEDIATE] = IBV_WR_RDMA_WRITE_WITH_IMM,
	[POST_READ] = IBV_WR_RDMA_READ,
	[POST_FETCH_ADD] = IBV_WR_ATOMIC_FETCH_AND_ADD,
	[POST_COMPARE_SWAP] = IBV_WR_ATOMIC_CMP_AND_SWP,
};

/* Fills scatter/gather elements with the blocks of the span, all shifted by `shift` bytes. */
static int fill_elements(struct agent *agent, const struct span *span, uint64_t shift,
			 struct ibv_sge elements[static LIMIT_SGES])
{
	struct span moved = *span;

	moved.offset += shift;
	if (span->blocks > LIMIT_SGES || shift > LIMIT_BYTES || !agent_span_fits(agent, &moved))
		return agent_refuse(agent, REFUSAL_ORDER, "bytes outside of buffer %u",
				    span->buffer);
	agent_fill_elements(agent, &moved, elements);
	return 0;
}

void agent_fill_remote(const struct agent_qp *qp, const struct message_post *order,
		       struct ibv_send_wr *work)
{
	if (qp->kind == QP_XRC)
		work->qp_type.xrc.remote_srqn = qp->peer_srqn;
	if (qp->kind == QP_UD) {
		work->wr.ud.ah = qp->ah;
		work->wr.ud.remote_qpn = order->qpn;
		work->wr.ud.remote_qkey = order->qkey;
	} else if (order->operation == POST_FETCH_ADD || order->operation == POST_COMPARE_SWAP) {
		work->wr.atomic.remote_addr = order->remote_address;
		work->wr.atomic.rkey = order->rkey;
		work->wr.atomic.compare_add = order->operand;
		work->wr.atomic.swap = order->swap;
	} else {
		work->wr.rdma.remote_addr = order->remote_address;
		work->wr.rdma.rkey = order->rkey;
	}
}

static unsigned int send_flags(uint32_t flags)
{
	return (flags & POST_SIGNALED ? IBV_SEND_SIGNALED : 0) |
	       (flags & POST_SOLICITED ? IBV_SEND_SOLICITED : 0) |
	       (flags & POST_INLINE ? IBV_SEND_INLINE : 0) |
	       (flags & POST_FENCE ? IBV_SEND_FENCE : 0);
}

static bool is_connected(const struct agent_qp *qp)
{
	return qp->qp && (qp->kind != QP_UD || qp->ah);
}

int agent_post_error(int rc)
{
	return rc == -1 ? errno : rc < 0 ? -rc : rc;
}

int agent_post(struct agent *agent, const struct message_post *order)
{
	struct agent_qp *qp = &agent->qps[order->slot];
	struct ibv_sge elements[LIMIT_SGES] = {{0}};
	struct ibv_send_wr work = {
		.sg_list = elements,
		.num_sge = (int)order->span.blocks,
		.opcode = agent_opcodes[order->operation],
		.imm_data = htonl(order->immediate),
	};
	struct ibv_send_wr *bad;
	int rc = 0;

	if (!is_connected(qp))
		return agent_refuse(agent, REFUSAL_ORDER, "queue pair %u cannot send", order->slot);
	/* The provider copies inline data: ibv_post_send(3). */
	if (order->flags & POST_INLINE &&
	    memory_is_hidden(&agent->buffers[order->span.buffer].memory))
		return agent_refuse(agent, REFUSAL_ORDER,
				    "inline data that the processor cannot reach");
	if (guard_post(agent, qp, order) || fill_elements(agent, &order->span, 0, elements))
		return -EINVAL;
	for (uint32_t i = 0; order->bad_lkey && i < order->span.blocks; i++)
		elements[i].lkey ^= BAD_KEY_BITS;
	agent_fill_remote(qp, order, &work);
	for (uint32_t i = 0; i < order->count && !rc; i++) {
		bool last = i == order->count - 1;

		work.wr_id = order->id + i;
		work.send_flags = send_flags(last ? order->flags : order->flags & ~POST_SIGNALED);
		rc = ibv_post_send(qp->qp, &work, &bad);
	}
	return rc ? agent_fail(agent, STAGE_TRANSFER, agent_post_error(rc), "ibv_post_send") : 0;
}

int agent_receive(struct agent *agent, const struct message_receive *order)
{
	struct ibv_qp *qp = agent->qps[order->slot].qp;
	struct ibv_srq *srq = order->srq ? agent->srq : agent->qps[order->slot].shared;
	struct ibv_sge elements[LIMIT_SGES] = {{0}};
	struct ibv_recv_wr work = {
		.sg_list = elements,
		.num_sge = (int)order->span.blocks,
	};
	struct ibv_recv_wr *bad;
	int rc = 0;

	if (order->srq ? !srq : !qp || qp->srq)
		return agent_refuse(agent, REFUSAL_ORDER, "no queue to post receives to");
	for (uint32_t i = 0; i < order->count && !rc; i++) {
		if (fill_elements(agent, &order->span, i * order->step, elements))
			return -EINVAL;
		work.wr_id = order->id + i;
		rc = srq ? ibv_post_srq_recv(srq, &work, &bad) : ibv_post_recv(qp, &work, &bad);
	}
	return rc ? agent_fail(agent, STAGE_TRANSFER, agent_post_error(rc), "ibv_post_recv") : 0;
}

static void note_completion(const struct ibv_wc *wc, struct work_completion *item)
{
	*item = (struct work_completion){
		.id = wc->wr_id,
		.status = wc->status,
		.qpn = wc->qp_num & 0xffffff,
	};
	/* The other fields are undefined in this case, and this one otherwise: ibv_poll_cq(3). */
	if (wc->status != IBV_WC_SUCCESS) {
		item->vendor_error = wc->vendor_err;
		return;
	}
	item->operation = wc->opcode;
	item->bytes = wc->byte_len;
	item->with_immediate = !!(wc->wc_flags & IBV_WC_WITH_IMM);
	item->immediate = item->with_immediate ? ntohl(wc->imm_data) : 0;
	item->with_grh = !!(wc->wc_flags & IBV_WC_GRH);
	item->src_qpn = wc->src_qp & 0xffffff;
}

/* Takes completions that are ready, until the reply holds `count`. */
static int drain(struct agent *agent, struct ibv_cq *cq, uint32_t count,
		 struct message_waited *reply)
{
	while (reply->count < count) {
		struct ibv_wc wc;
		int got = ibv_poll_cq(cq, 1, &wc);

		if (got < 0)
			return agent_fail(agent, STAGE_TRANSFER, EIO, "ibv_poll_cq");
		if (!got)
			return 0;
		note_completion(&wc, &reply->items[reply->count++]);
	}
	return 0;
}

/* Polls; now and then waits a millisecond for any other event that may end the wait. */
static int wait_polling(struct agent *agent, struct agent_cq *cq, const struct message_wait *order,
			struct message_waited *reply)
{
	uint64_t end = clock_msec() + order->timeout_msec;
	enum stop stop = STOP_NONE;
	int rc = 0;

	while (!rc && reply->count < order->count && !stop && clock_msec() <= end) {
		for (int i = 0; i < 1000 && !rc && reply->count < order->count; i++)
			rc = drain(agent, cq->cq, order->count, reply);
		if (!rc && reply->count < order->count)
			stop = watch_wait(&agent->watch, -1, 1);
		if (stop == STOP_TIMED_OUT)
			stop = STOP_NONE;
	}
	if (!rc)
		rc = drain(agent, cq->cq, order->count, reply);
	reply->stop = reply->count < order->count && !stop ? STOP_TIMED_OUT : stop;
	return rc;
}

/* Takes an event if there is one; all are acknowledged together when the queue is destroyed. */
static bool take_event(struct agent *agent, struct agent_cq *cq)
{
	struct ibv_cq *ready;
	void *context;

	if (agent->api.ibv_get_cq_event(cq->channel, &ready, &context))
		return false;
	cq->unacknowledged++;
	return true;
}

/*
 * A completion that arrives between the last poll and the arming raises no event. So arm, poll once
 * more, and only then sleep (ibv_req_notify_cq(3)).
 */
static int wait_sleeping(struct agent *agent, struct agent_cq *cq, const struct message_wait *order,
			 struct message_waited *reply)
{
	uint64_t end = clock_msec() + order->timeout_msec;
	enum stop stop = STOP_NONE;
	int rc = 0;

	while (!rc && reply->count < order->count && !stop) {
		uint64_t now = clock_msec();

		rc = ibv_req_notify_cq(cq->cq, (int)order->solicited);
		if (rc)
			return agent_fail(agent, STAGE_TRANSFER, agent_post_error(rc),
					  "ibv_req_notify_cq");
		rc = order->solicited && !reply->events ? 0
							: drain(agent, cq->cq, order->count, reply);
		if (rc || reply->count >= order->count)
			break;
		stop = watch_wait(&agent->watch, cq->channel->fd, now < end ? (int)(end - now) : 0);
		if (stop == STOP_NONE && take_event(agent, cq)) {
			reply->events++;
			rc = drain(agent, cq->cq, order->count, reply);
		}
	}
	if (!rc && stop)
		rc = drain(agent, cq->cq, order->count, reply);
	reply->stop = stop;
	return rc;
}

int agent_wait(struct agent *agent, const struct message_wait *order, struct message_waited *reply)
{
	struct agent_cq *cq = &agent->cqs[order->cq];

	*reply = (struct message_waited){0};
	if (!cq->cq || (order->by_event && !cq->channel))
		return agent_refuse(agent, REFUSAL_ORDER, "no completion queue %u to wait for",
				    order->cq);
	return order->by_event ? wait_sleeping(agent, cq, order, reply)
			       : wait_polling(agent, cq, order, reply);
}
