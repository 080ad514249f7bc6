/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For the tests of what an agent posts: a device in memory that writes down each work request as a
 * line of text. Signaled requests complete at once, in order. A test says with `answer` what each
 * request brings, and with `idle` what comes when nothing is left. Included by one test each.
 *
 *	qp0 write 0+64=07 to 10040 #1 S     the first of a list: data at 0, the last byte 07
 *	  + write 0+64=07 to 10040 #2 S I   the next of it, signaled and inline
 *	qp0 receive 64+64 #0
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/mem.h"
#include "selftest/measure/measure.h"

enum {
	DEVICE_QPS = 66,
	DEVICE_QUEUES = 2,
	DEVICE_ROOM = 256,
	DEVICE_LKEY = 7,
	DEVICE_RKEY = 9,
	DEVICE_FAR = 0x10000, /* the other side's buffer */
};

static struct logged {
	struct agent *agent;
	struct ibv_context context;
	struct ibv_pd pd;
	struct ibv_qp qps[DEVICE_QPS];
	struct ibv_cq cqs[DEVICE_QUEUES];
	struct ibv_comp_channel channels[DEVICE_QUEUES];
	struct ibv_srq srq;
	struct ibv_ah ah;
	struct ibv_mr mr;
	_Alignas(64) uint8_t bytes[16384];
	struct ibv_wc waiting[DEVICE_QUEUES][DEVICE_ROOM];
	size_t first[DEVICE_QUEUES], last[DEVICE_QUEUES];
	void (*answer)(uint32_t qp, const struct ibv_send_wr *work);
	void (*idle)(void);
	bool all_signaled;			/* all queue pairs signal every send */
	bool tells_polls;			/* polls that return something are logged */
	unsigned int sends, receives, idles;	/* number of posts and idle polls */
	unsigned int most_sends, most_receives; /* further posts fail; 0: no limit */
	char text[16384];
	size_t length;
} device;

__attribute__((format(printf, 1, 2))) static inline void device_note(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	device.length += (size_t)vsnprintf(device.text + device.length,
					   sizeof(device.text) - device.length, format, list);
	va_end(list);
	assert_true(device.length < sizeof(device.text));
}

static inline void device_complete(uint32_t qp, struct ibv_wc wc)
{
	const size_t queue = (size_t)(device.qps[qp].send_cq - device.cqs);

	assert_true(device.last[queue] - device.first[queue] < DEVICE_ROOM);
	wc.qp_num = device.qps[qp].qp_num;
	device.waiting[queue][device.last[queue]++ % DEVICE_ROOM] = wc;
}

/* A message of that length for the receive with the first id of a run. */
static inline void device_arrive(uint32_t qp, uint32_t bytes)
{
	device_complete(qp, (struct ibv_wc){.wr_id = run_receive_id(qp),
					    .opcode = IBV_WC_RECV,
					    .byte_len = bytes});
}

static inline void device_note_data(const struct ibv_sge *parts, int count)
{
	for (int i = 0; i < count; i++) {
		const uint64_t at = parts[i].addr - (uintptr_t)device.bytes;
		uint64_t word;

		device_note(" %" PRIu64 "+%u", at, parts[i].length);
		if (parts[i].lkey != DEVICE_LKEY)
			device_note(" lkey %x", parts[i].lkey);
		/* Nobody looks at bytes outside of the device. */
		if (at + parts[i].length > sizeof(device.bytes) || !parts[i].length)
			continue;
		memcpy(&word, device.bytes + at, sizeof(word));
		if (parts[i].length == sizeof(word))
			device_note("=%" PRIu64, be64toh(word));
		else
			device_note("=%02x", device.bytes[at + parts[i].length - 1]);
	}
	if (!count)
		device_note(" nothing");
}

static inline void device_note_id(uint64_t id)
{
	const uint64_t count = id & ((UINT64_C(1) << RUN_QP_SHIFT) - 1);

	if (count == (UINT64_C(1) << RUN_QP_SHIFT) - 1)
		device_note(" #credit");
	else
		device_note(" #%" PRIu64, count);
}

static inline void device_note_send(uint32_t qp, const struct ibv_send_wr *work)
{
	static const char *const words[] = {
		[IBV_WR_RDMA_WRITE] = "write",
		[IBV_WR_RDMA_WRITE_WITH_IMM] = "write-immediate",
		[IBV_WR_SEND] = "send",
		[IBV_WR_SEND_WITH_IMM] = "send-immediate",
		[IBV_WR_RDMA_READ] = "read",
		[IBV_WR_ATOMIC_CMP_AND_SWP] = "swap",
		[IBV_WR_ATOMIC_FETCH_AND_ADD] = "add",
	};
	const bool atomic = work->opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
			    work->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
	const bool datagram = device.agent->qps[qp].kind == QP_UD;
	const bool one_sided = work->opcode == IBV_WR_RDMA_WRITE ||
			       work->opcode == IBV_WR_RDMA_WRITE_WITH_IMM ||
			       work->opcode == IBV_WR_RDMA_READ;

	device_note("%s", words[work->opcode]);
	device_note_data(work->sg_list, work->num_sge);
	if (atomic)
		device_note(" at %" PRIx64 " key %u by %" PRIu64 " or %" PRIu64,
			    work->wr.atomic.remote_addr, work->wr.atomic.rkey,
			    work->wr.atomic.compare_add, work->wr.atomic.swap);
	if (one_sided)
		device_note(" to %" PRIx64 " key %u", work->wr.rdma.remote_addr,
			    work->wr.rdma.rkey);
	if (datagram)
		device_note(" to %s %u key %u", work->wr.ud.ah == &device.ah ? "far" : "nowhere",
			    work->wr.ud.remote_qpn, work->wr.ud.remote_qkey);
	if (work->opcode == IBV_WR_SEND_WITH_IMM || work->opcode == IBV_WR_RDMA_WRITE_WITH_IMM)
		device_note(" immediate %x", work->imm_data);
	if (device.agent->qps[qp].kind == QP_XRC)
		device_note(" srq %u", work->qp_type.xrc.remote_srqn);
	device_note_id(work->wr_id);
	device_note("%s%s%s%s\n", work->send_flags & IBV_SEND_SIGNALED ? " S" : "",
		    work->send_flags & IBV_SEND_INLINE ? " I" : "",
		    work->send_flags & IBV_SEND_FENCE ? " F" : "",
		    work->send_flags & IBV_SEND_SOLICITED ? " E" : "");
}

static inline int device_send(struct ibv_qp *to, struct ibv_send_wr *work, struct ibv_send_wr **bad)
{
	const uint32_t qp = (uint32_t)(to - device.qps);

	*bad = work;
	if (device.most_sends && device.sends == device.most_sends)
		return ENOMEM;
	device.sends++;
	device_note("qp%u ", qp);
	for (; work; work = work->next) {
		device_note_send(qp, work);
		if (work->send_flags & IBV_SEND_SIGNALED || device.all_signaled)
			device_complete(qp, (struct ibv_wc){.wr_id = work->wr_id});
		if (device.answer)
			device.answer(qp, work);
		if (work->next)
			device_note("  + ");
	}
	return 0;
}

static inline int device_note_receives(const char *to, struct ibv_recv_wr *work,
				       struct ibv_recv_wr **bad)
{
	*bad = work;
	if (device.most_receives && device.receives == device.most_receives)
		return ENOSPC;
	device.receives++;
	device_note("%s ", to);
	for (; work; work = work->next) {
		device_note("receive");
		for (int i = 0; i < work->num_sge; i++)
			device_note(" %" PRIu64 "+%u",
				    work->sg_list[i].addr - (uintptr_t)device.bytes,
				    work->sg_list[i].length);
		device_note_id(work->wr_id);
		if (work->wr_id >> RUN_QP_SHIFT)
			device_note(" of %" PRIu64, work->wr_id >> RUN_QP_SHIFT);
		device_note(work->next ? "\n  + " : "\n");
	}
	return 0;
}

static inline int device_receive(struct ibv_qp *to, struct ibv_recv_wr *work,
				 struct ibv_recv_wr **bad)
{
	char name[16];

	snprintf(name, sizeof(name), "qp%u", (unsigned int)(to - device.qps));
	return device_note_receives(name, work, bad);
}

static inline int device_receive_shared(struct ibv_srq *to, struct ibv_recv_wr *work,
					struct ibv_recv_wr **bad)
{
	assert_ptr_equal(to, &device.srq);
	return device_note_receives("srq", work, bad);
}

static inline int device_poll(struct ibv_cq *cq, int room, struct ibv_wc *items)
{
	const size_t queue = (size_t)(cq - device.cqs);
	int got = 0;

	while (got < room && device.first[queue] < device.last[queue])
		items[got++] = device.waiting[queue][device.first[queue]++ % DEVICE_ROOM];
	if (got && device.tells_polls)
		device_note("queue%zu gives %d of %d\n", queue, got, room);
	for (size_t i = 0; i < DEVICE_QUEUES && !got; i++)
		if (device.first[i] < device.last[i])
			return 0;
	if (!got && device.idle) {
		device.idles++;
		device.idle();
	}
	return got;
}

/* Nothing more comes: ends the watch and thus every wait. The default `idle` of a new device. */
static inline void device_stop(void)
{
	atomic_store(&device.agent->watch.stop, STOP_DEVICE_GONE);
}

/* A new device with that many queue pairs of one kind; the second one uses the second queue. */
static inline struct agent *device_make(uint32_t kind, uint32_t qps)
{
	struct agent *agent = agent_new(-1, -1);

	memset(&device, 0, sizeof(device));
	device.agent = agent;
	device.context.async_fd = device.context.cmd_fd = -1;
	device.context.ops.post_send = device_send;
	device.context.ops.post_recv = device_receive;
	device.context.ops.post_srq_recv = device_receive_shared;
	device.context.ops.poll_cq = device_poll;
	device.idle = device_stop;
	device.mr.lkey = DEVICE_LKEY;
	device.srq.context = &device.context;
	for (uint32_t i = 0; i < DEVICE_QUEUES; i++) {
		device.cqs[i] = (struct ibv_cq){.context = &device.context};
		device.channels[i].fd = -1;
		agent->cqs[i].cq = &device.cqs[i];
	}
	for (uint32_t i = 0; i < qps; i++) {
		device.qps[i] = (struct ibv_qp){.context = &device.context,
						.qp_num = 0x1000 + i,
						.send_cq = &device.cqs[i % DEVICE_QUEUES]};
		agent->qps[i] = (struct agent_qp){.qp = &device.qps[i],
						  .kind = kind,
						  .sges = 2,
						  .send_depth = 16,
						  .inline_bytes = 100,
						  .peer_srqn = kind == QP_XRC ? 33 : 0,
						  .shared = kind == QP_XRC ? &device.srq : NULL};
		if (kind == QP_UD)
			agent->qps[i].ah = &device.ah;
		agent->qps[i].target_qpn = kind == QP_UD ? 17 + i : 0;
		agent->qps[i].target_qkey = kind == QP_UD ? 5 : 0;
	}
	agent->buffers[0] = (struct agent_buffer){
		.bytes = device.bytes,
		.length = sizeof(device.bytes),
		.mr = &device.mr,
	};
	return agent;
}

static inline void device_free(void)
{
	struct agent *agent = device.agent;

	/* These objects belong to the test. */
	agent->buffers[0] = (struct agent_buffer){0};
	for (size_t i = 0; i < DEVICE_QPS; i++)
		agent->qps[i] = (struct agent_qp){0};
	for (size_t i = 0; i < DEVICE_QUEUES; i++)
		agent->cqs[i] = (struct agent_cq){0};
	agent_free(agent);
}

/* Compares the text logged since the last call. */
static inline void device_expect(const char *text)
{
	assert_string_equal(device.text, text);
	device.length = 0;
	device.text[0] = '\0';
}
