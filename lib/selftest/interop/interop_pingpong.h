/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The messages of a run with ibv_rc_pingpong, when both sides know each other's address. Its buffer
 * for sending and receiving is one and the same, so that its answer is what it got, and what it
 * sends as a client is our last answer: both are checked. Nothing is open beside the queue pair, so
 * that its end is not seen but by silence. For pingpong.c; failures are in the session's row.
 */
#pragma once

#include "selftest/interop/interop_session.h"

/* What the other side is expected to send. */
enum pingpong_echo {
	ECHO_UNKNOWN,
	ECHO_OURS, /* what it got from here */
	ECHO_NONE, /* something else: nothing to compare it with */
};

struct pingpong {
	struct interop *session;
	struct ibv_qp *qp;
	uint8_t *sent, *received;
	struct ibv_sge send_part, receive_part;
	struct ibv_send_wr send;
	struct ibv_recv_wr receive;
	uint64_t posted_nsec, received_nsec;
	uint32_t received_bytes;
	unsigned int seen; /* completions that nobody has asked for yet */
	enum pingpong_echo echo;
};

/* The queue pair, in RESET, and its buffers. 0 or -errno. */
int pingpong_make(struct pingpong *run, struct message_paired *paired);
/* Connects it to the session's remote endpoint and posts the first receive. */
int pingpong_connect(struct pingpong *run, const struct pingpong_address *remote);
/* All iterations. */
void pingpong_exchange(struct pingpong *run);
