/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "selftest/agent/agent.h"

/* Longest time without progress before a loop of transfers is given up. */
#define STILL_MSEC 10000u
/*
 * Polls in vain before the processor is yielded: a software device may need it, and with both sides
 * on one host there may be no other processor.
 */
#define POLLS 64u
/* A longer wait sleeps in short steps, because others need the processor. */
#define PATIENCE_NSEC 1000000u
#define SLEEP_NSEC    20000

/* The work requests of one transfer, linked into one list. */
struct works {
	struct ibv_send_wr *sends;
	struct ibv_recv_wr *receives;
	struct ibv_sge *elements;
	uint32_t count;
};

struct loop {
	struct agent *agent;
	const struct message_gather *order;
	struct message_ran *reply;
	struct ibv_qp *qp;
	struct ibv_cq *cq;
	struct works send, receive;
	struct span send_piece, receive_piece; /* packed: contiguous data to transfer */
	uint32_t signaled;		       /* completions per outgoing transfer */
	int64_t sends_due, receives_due;       /* outstanding completions */
	uint64_t begin_nsec;
};

static uint64_t bytes_of(const struct span *span)
{
	return span->blocks * span->block_bytes;
}

/* The CPU's work when the transport carries one contiguous piece: copies blocks to it, or back. */
static void copy(const struct agent *agent, const struct span *blocks, const struct span *piece,
		 bool back)
{
	uint8_t *part = agent_block(agent, piece, 0);

	for (uint64_t i = 0; i < blocks->blocks; i++, part += blocks->block_bytes) {
		uint8_t *block = agent_block(agent, blocks, i);

		memcpy(back ? block : part, back ? part : block, blocks->block_bytes);
	}
}

static void works_clear(struct works *works)
{
	free(works->sends);
	free(works->receives);
	free(works->elements);
}

/* Number of elements of the work request at `index`; they begin at index * sges. */
static int elements_of(const struct works *works, const struct span *span, uint32_t sges,
		       uint32_t index)
{
	return (int)(index < works->count - 1 ? sges : span->blocks - index * sges);
}

static void fill_elements(const struct agent *agent, const struct span *span, uint32_t sges,
			  struct works *works)
{
	works->count = (span->blocks + sges - 1) / sges;
	works->elements = mem_alloc_zero(span->blocks, sizeof(*works->elements));
	agent_fill_elements(agent, span, works->elements);
}

static void fill_sends(struct loop *loop, const struct span *span, uint32_t sges)
{
	const struct message_gather *order = loop->order;
	struct works *works = &loop->send;

	fill_elements(loop->agent, span, sges, works);
	works->sends = mem_alloc_zero(works->count, sizeof(*works->sends));
	for (uint32_t i = 0; i < works->count; i++) {
		struct ibv_send_wr *work = &works->sends[i];
		bool last = i == works->count - 1;

		work->wr_id = i;
		work->next = last ? NULL : work + 1;
		work->sg_list = works->elements + i * sges;
		work->num_sge = elements_of(works, span, sges, i);
		work->opcode = agent_opcodes[order->operation];
		work->send_flags = last ? IBV_SEND_SIGNALED : 0;
		work->wr.rdma.remote_addr = order->remote_address +
					    (uint64_t)i * sges * span->block_bytes;
		work->wr.rdma.rkey = order->rkey;
	}
}

static void fill_receives(struct loop *loop, const struct span *span, uint32_t sges)
{
	struct works *works = &loop->receive;

	fill_elements(loop->agent, span, sges, works);
	works->receives = mem_alloc_zero(works->count, sizeof(*works->receives));
	for (uint32_t i = 0; i < works->count; i++) {
		struct ibv_recv_wr *work = &works->receives[i];

		work->wr_id = i;
		work->next = i < works->count - 1 ? work + 1 : NULL;
		work->sg_list = works->elements + i * sges;
		work->num_sge = elements_of(works, span, sges, i);
	}
}

/* The piece and the blocks share a buffer: they must not overlap while the CPU copies. */
static bool is_apart(const struct span *piece, const struct span *blocks)
{
	const uint64_t end = blocks->offset + (blocks->blocks - 1) * blocks->stride +
			     blocks->block_bytes;

	return piece->offset >= end || piece->offset + piece->block_bytes <= blocks->offset;
}

/*
 * Refuses blocks that are empty, not within their buffer, or too many for a queue; and, if it is
 * needed, a piece for them at `offset` of their buffer that does not fit.
 */
static int prepare_span(struct loop *loop, const struct span *blocks, uint64_t offset,
			uint32_t sges, struct span *piece)
{
	struct agent *agent = loop->agent;
	int rc;

	*piece = (struct span){
		.buffer = blocks->buffer,
		.blocks = 1,
		.offset = offset,
		.block_bytes = bytes_of(blocks),
	};
	if (!bytes_of(blocks) || bytes_of(blocks) > LIMIT_BYTES || !agent_span_fits(agent, blocks))
		return agent_refuse(agent, REFUSAL_ORDER, "blocks outside of buffer %u",
				    blocks->buffer);
	if (blocks->blocks / sges >= LIMIT_DEPTH)
		return agent_refuse(agent, REFUSAL_LIMIT, "%u blocks", blocks->blocks);
	if (!loop->order->packed)
		return 0;
	rc = agent_check_span(agent, piece);
	if (!rc && !is_apart(piece, blocks))
		rc = agent_refuse(agent, REFUSAL_ORDER, "a piece among its blocks in buffer %u",
				  piece->buffer);
	return rc;
}

static int prepare_send(struct loop *loop, const struct span *blocks, uint32_t sges)
{
	int rc = prepare_span(loop, blocks, loop->order->piece, sges, &loop->send_piece);

	if (!rc)
		fill_sends(loop, loop->order->packed ? &loop->send_piece : blocks, sges);
	return rc;
}

static int prepare_receive(struct loop *loop, uint32_t sges)
{
	const struct message_gather *order = loop->order;
	const uint64_t bytes = bytes_of(&order->to);
	int rc = prepare_span(loop, &order->to, order->piece + bytes, sges, &loop->receive_piece);

	if (!rc && bytes_of(&order->from) != bytes)
		rc = agent_refuse(loop->agent, REFUSAL_ORDER,
				  "blocks to send and to receive that differ");
	if (!rc)
		fill_receives(loop, order->packed ? &loop->receive_piece : &order->to, sges);
	return rc;
}

static int prepare(struct loop *loop)
{
	const struct message_gather *order = loop->order;
	const struct agent *agent = loop->agent;
	uint32_t sges = agent->qps[order->slot].sges;
	const bool hidden = memory_is_hidden(&agent->buffers[order->from.buffer].memory) ||
			    memory_is_hidden(&agent->buffers[order->to.buffer].memory);
	int most = agent->limits.max_sge_rd;
	int rc;

	if (hidden && order->packed)
		return agent_refuse(loop->agent, REFUSAL_ORDER,
				    "memory to pack that the processor cannot reach");
	if (!sges || sges > LIMIT_SGES)
		return agent_refuse(loop->agent, REFUSAL_ORDER, "a queue pair without elements");
	/* iWARP reads into one piece (RFC 5040, 4.4): such devices limit reads separately. */
	if (order->operation == POST_READ && most > 0 && (uint32_t)most < sges)
		sges = (uint32_t)most;
	rc = prepare_send(loop, order->operation == POST_READ ? &order->to : &order->from, sges);
	if (!rc && order->operation == POST_SEND)
		rc = prepare_receive(loop, sges);
	loop->signaled = agent->qps[order->slot].signal_all ? loop->send.count : 1;
	return rc;
}

static bool fail(struct loop *loop, int error, const char *what)
{
	agent_fail(loop->agent, STAGE_TRANSFER, error, "%s", what);
	return false;
}

static bool post_send(struct loop *loop)
{
	struct ibv_send_wr *bad;
	int rc = ibv_post_send(loop->qp, loop->send.sends, &bad);

	loop->sends_due += loop->signaled;
	return !rc || fail(loop, agent_post_error(rc), "ibv_post_send");
}

static bool post_receive(struct loop *loop)
{
	struct ibv_recv_wr *bad;
	int rc = ibv_post_recv(loop->qp, loop->receive.receives, &bad);

	return !rc || fail(loop, agent_post_error(rc), "ibv_post_recv");
}

static bool take(struct loop *loop, const struct ibv_wc *item)
{
	if (item->status != IBV_WC_SUCCESS) {
		loop->reply->status = item->status;
		loop->reply->vendor_error = item->vendor_err;
		return false;
	}
	if (item->opcode & IBV_WC_RECV)
		loop->receives_due--;
	else
		loop->sends_due--;
	return true;
}

static void lend_processor(uint64_t since_nsec)
{
	const struct timespec pause = {.tv_nsec = SLEEP_NSEC};

	if (clock_raw_nsec() - since_nsec > PATIENCE_NSEC)
		nanosleep(&pause, NULL);
	else
		sched_yield();
}

/* Waits for all outstanding completions; early ones count for the next wait. */
static bool wait_due(struct loop *loop)
{
	uint64_t since = clock_raw_nsec();

	for (uint32_t polls = 1; loop->sends_due > 0 || loop->receives_due > 0; polls++) {
		struct ibv_wc item;
		int got = ibv_poll_cq(loop->cq, 1, &item);

		if (got < 0)
			return fail(loop, EIO, "ibv_poll_cq");
		if (got && !take(loop, &item))
			return false;
		if (atomic_load_explicit(&loop->agent->watch.stop, memory_order_relaxed))
			return false;
		if (!got && polls % POLLS == 0)
			lend_processor(since);
	}
	return true;
}

static bool send_out(struct loop *loop)
{
	if (loop->order->packed)
		copy(loop->agent, &loop->order->from, &loop->send_piece, false);
	return post_send(loop);
}

/* Posts the receives for the next message before the other side can know that this one arrived. */
static bool take_in(struct loop *loop, bool last)
{
	loop->receives_due += loop->receive.count;
	if (!wait_due(loop) || (!last && !post_receive(loop)))
		return false;
	if (loop->order->packed)
		copy(loop->agent, &loop->order->to, &loop->receive_piece, true);
	return true;
}

static bool ping_pong(struct loop *loop, bool last)
{
	if (loop->order->active)
		return send_out(loop) && take_in(loop, last);
	return take_in(loop, last) && send_out(loop) && (!last || wait_due(loop));
}

static bool transfer(struct loop *loop, bool last)
{
	const struct message_gather *order = loop->order;

	if (order->operation == POST_SEND)
		return ping_pong(loop, last);
	if (order->packed && order->operation == POST_WRITE)
		copy(loop->agent, &order->from, &loop->send_piece, false);
	if (!post_send(loop) || !wait_due(loop))
		return false;
	if (order->packed && order->operation == POST_READ)
		copy(loop->agent, &order->to, &loop->send_piece, true);
	return true;
}

static bool run(struct loop *loop)
{
	const struct message_gather *order = loop->order;
	bool going = true;

	for (uint64_t i = 0; i < order->iterations && going; i++) {
		if (i == order->warmup)
			loop->begin_nsec = clock_raw_nsec();
		going = transfer(loop, i == order->iterations - 1);
		atomic_store_explicit(&loop->agent->watch.progress, i + 1, memory_order_relaxed);
	}
	if (!going)
		return false;
	loop->reply->elapsed_nsec = clock_raw_nsec() - loop->begin_nsec;
	loop->reply->iterations = order->iterations - order->warmup;
	return true;
}

int agent_gather(struct agent *agent, const struct message_gather *order, struct message_ran *reply)
{
	struct agent_qp *qp = &agent->qps[order->slot];
	struct loop loop = {
		.agent = agent,
		.order = order,
		.reply = reply,
		.qp = qp->qp,
		.cq = agent->cqs[order->cq].cq,
	};
	int rc;

	*reply = (struct message_ran){0};
	if (!qp->qp || qp->kind != QP_RC || !loop.cq || order->warmup >= order->iterations)
		return agent_refuse(agent, REFUSAL_ORDER, "nothing to transfer with");
	rc = guard_run(agent, 0) ?: prepare(&loop);
	if (!rc) {
		rc = watch_begin(&agent->watch, STILL_MSEC);
		if (rc)
			agent_fail(agent, STAGE_NONE, -rc, "a thread");
	}
	if (!rc) {
		bool complete = run(&loop);
		enum stop stop = watch_end(&agent->watch);

		reply->stop = complete ? STOP_NONE : stop;
		rc = agent->refused.error ? -(int)agent->refused.error : 0;
	}
	works_clear(&loop.send);
	works_clear(&loop.receive);
	return rc;
}
