/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/interop/interop_session.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"

/* The attributes of ibv_rc_pingpong: 67 ms, 7 retries; 0.64 ms when it is not ready. */
enum { ACK_TIMEOUT = 14, RETRIES = 7 };

/* ibv_rc_pingpong -c expects a 0 at the start of each block of this size in the last message. */
#define CHECKED_BYTES 4096u

/* Fills a client's buffer until it receives something, so it is its first message. */
#define CLIENT_BYTE 0x7b

/* How long the queue pair answers retransmissions after the last message. */
#define LINGER_MSEC 150

/* Slots of the agent's buffers. */
enum { SLOT_SENT, SLOT_RECEIVED };

int pingpong_make(struct pingpong *run, struct message_qp_created *created)
{
	struct interop *session = run->session;
	struct agent_buffer *sent, *received;

	if (interop_make_qp(session, created))
		return -EIO;
	sent = interop_make_buffer(session, SLOT_SENT, session->bytes, ACCESS_LOCAL);
	received = sent ? interop_make_buffer(session, SLOT_RECEIVED, session->bytes, ACCESS_LOCAL)
			: NULL;
	if (!received)
		return -EIO;
	run->qp = session->agent->qps[INTEROP_QP].qp;
	run->sent = sent->bytes;
	run->received = received->bytes;
	run->send_part = (struct ibv_sge){
		.addr = (uintptr_t)sent->bytes,
		.length = (uint32_t)session->bytes,
		.lkey = sent->mr->lkey,
	};
	run->receive_part = (struct ibv_sge){
		.addr = (uintptr_t)received->bytes,
		.length = (uint32_t)session->bytes,
		.lkey = received->mr->lkey,
	};
	run->send = (struct ibv_send_wr){
		.wr_id = INTEROP_SENT,
		.sg_list = &run->send_part,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	};
	run->receive = (struct ibv_recv_wr){
		.wr_id = INTEROP_RECEIVED,
		.sg_list = &run->receive_part,
		.num_sge = 1,
	};
	return 0;
}

static int post_receive(struct pingpong *run)
{
	struct ibv_recv_wr *bad;
	int rc = ibv_post_recv(run->qp, &run->receive, &bad);

	return rc ? interop_fail_post(run->session, rc) : 0;
}

int pingpong_connect(struct pingpong *run, const struct pingpong_address *remote)
{
	struct interop *session = run->session;
	struct message_modify order = {
		.slot = INTEROP_QP,
		.state = IBV_QPS_INIT,
		.qpn = remote->qpn,
		.psn = remote->psn,
		.to = session->remote,
		.mtu_bytes = session->mtu_bytes,
		.max_rd_atomic = 1,
		.timeout = ACK_TIMEOUT,
		.retries = RETRIES,
		.rnr_retries = 7, /* without end */
		.rnr_timer = RNR_TIMER_CODE,
	};

	memset(&session->agent->refused, 0, sizeof(session->agent->refused));
	for (; order.state <= IBV_QPS_RTS; order.state++) {
		if (agent_modify(session->agent, &order))
			return interop_fail_agent(session);
		if (order.state == IBV_QPS_INIT && post_receive(run))
			return -EIO;
	}
	return 0;
}

static int post_send(struct pingpong *run)
{
	struct ibv_send_wr *bad;
	int rc;

	run->posted_nsec = clock_raw_nsec();
	rc = ibv_post_send(run->qp, &run->send, &bad);
	return rc ? interop_fail_post(run->session, rc) : 0;
}

/* The last answer was sent, and the client may be gone before it could acknowledge it. */
static bool is_last_answer(const struct interop *session)
{
	return session->server && session->done == session->iterations;
}

/* Waits for all completions in `wanted`, and clears them. */
static int await(struct pingpong *run, unsigned int wanted)
{
	struct interop *session = run->session;
	struct ibv_wc wc;

	while ((run->seen & wanted) != wanted) {
		/* interop_run_end() returns the reason. */
		if (interop_next_completion(session, &wc))
			return -ECANCELED;
		if (wc.status != IBV_WC_SUCCESS && !is_last_answer(session))
			return interop_fail_status(session, &wc);
		if (wc.status != IBV_WC_SUCCESS)
			interop_remark(session, "the last answer was not acknowledged: the client "
						"may have ended with it");
		run->seen |= (unsigned int)wc.wr_id;
		if (wc.wr_id == INTEROP_RECEIVED) {
			run->received_nsec = clock_raw_nsec();
			run->received_bytes = wc.byte_len;
		}
	}
	run->seen &= ~wanted;
	return 0;
}

static bool is_constant(const uint8_t *bytes, size_t length)
{
	return length > 1 && !memcmp(bytes, bytes + 1, length - 1);
}

/* Compares the received message with the sent one, if the other side echoes. */
static int check_received(struct pingpong *run)
{
	struct interop *session = run->session;
	struct pattern_mismatch mismatch;

	if (run->received_bytes != session->bytes)
		return interop_fail(session, session->advice,
				    "%s sends messages of %" PRIu32 " bytes, not of %" PRIu64,
				    session->peer, run->received_bytes, session->bytes);
	if (run->echo == ECHO_NONE)
		return 0;
	if (pattern_compare(run->sent, run->received, session->bytes, &mismatch)) {
		run->echo = ECHO_OURS;
		return 0;
	}
	if (run->echo == ECHO_OURS || !is_constant(run->received, session->bytes))
		return interop_fail_mismatch(session, &mismatch);
	run->echo = ECHO_NONE;
	interop_remark(session, "the data were not checked: the peer does not send back what it "
				"gets");
	return 0;
}

/* With a 0 where ibv_rc_pingpong -c checks, so that it does not complain. */
static void fill_message(struct pingpong *run)
{
	struct interop *session = run->session;

	pattern_fill(run->sent, 0, session->bytes, session->done);
	for (uint64_t i = 0; i < session->bytes; i += CHECKED_BYTES)
		run->sent[i] = 0;
}

static int client_rounds(struct pingpong *run)
{
	struct interop *session = run->session;

	while (session->done < session->iterations) {
		fill_message(run);
		if (session->done && post_receive(run))
			return -EIO;
		if (post_send(run))
			return -EIO;
		if (await(run, INTEROP_SENT | INTEROP_RECEIVED))
			return session->marked ? -EIO : -ECANCELED;
		if (check_received(run))
			return -EIO;
		interop_sample(session, (run->received_nsec - run->posted_nsec) / 2);
		session->done++;
	}
	return 0;
}

/* The contents of an untouched buffer of a client; with -c its blocks begin with 0. */
static bool is_first_message(const uint8_t *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (bytes[i] != CLIENT_BYTE && (bytes[i] || i % CHECKED_BYTES))
			return false;
	return true;
}

/* A client with another first message checks the answers, so it gets its own data back. */
static int judge_first(struct pingpong *run)
{
	struct interop *session = run->session;

	if (is_first_message(run->received, session->bytes)) {
		run->echo = ECHO_UNKNOWN;
		return 0;
	}
	run->echo = ECHO_NONE;
	interop_remark(session, "the client sends other data: they were sent back unchecked");
	return 0;
}

static int server_round(struct pingpong *run)
{
	struct interop *session = run->session;

	if (await(run, session->done ? INTEROP_SENT | INTEROP_RECEIVED : INTEROP_RECEIVED))
		return session->marked ? -EIO : -ECANCELED;
	if (!session->done)
		judge_first(run);
	if (session->done)
		interop_sample(session, (run->received_nsec - run->posted_nsec) / 2);
	if (session->done || run->received_bytes != session->bytes)
		if (check_received(run))
			return -EIO;
	if (run->echo == ECHO_NONE)
		memcpy(run->sent, run->received, session->bytes);
	else
		pattern_fill(run->sent, 0, session->bytes, session->done);
	if (session->done + 1 < session->iterations && post_receive(run))
		return -EIO;
	session->done++;
	return post_send(run);
}

static int server_rounds(struct pingpong *run)
{
	struct interop *session = run->session;
	int rc = 0;

	while (session->done < session->iterations && !rc)
		rc = server_round(run);
	if (rc)
		return rc;
	if (!await(run, INTEROP_SENT))
		return 0;
	return session->marked ? -EIO : -ECANCELED;
}

void pingpong_exchange(struct pingpong *run)
{
	struct interop *session = run->session;
	enum stop stop;
	int rc;

	if (interop_run_begin(session, -1))
		return;
	rc = session->server ? server_rounds(run) : client_rounds(run);
	stop = interop_run_end(session);
	if (rc == -ECANCELED)
		interop_fail_stop(session, stop);
	else if (!rc)
		watch_wait(&session->agent->watch, -1, LINGER_MSEC);
}
