/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The pingpongs of rdma-core: a message goes to the other side and back, `iterations` times. One
 * queue pair of RC, UC or UD (pingpong_rounds.c), or several that share their receives
 * (pingpong_many.c); the exchange before is that of pingpong.c.
 */
#pragma once

#include "selftest/interop/interop.h"

/* The Q_Key of ibv_ud_pingpong. */
#define PINGPONG_QKEY 0x11111111u

/* The data that the other side is expected to send. */
enum pingpong_echo {
	ECHO_UNKNOWN,
	ECHO_OURS, /* what it got from here */
	ECHO_NONE, /* other data, which cannot be compared */
};

struct pingpong {
	struct interop *session;
	uint32_t remote_qpn;
	uint64_t posted_nsec, received_nsec;
	uint32_t received_bytes;
	enum pingpong_echo echo;
};

/* Compares a received message with the sent one, if the other side echoes. 0 or -EIO. */
int pingpong_check(struct pingpong *run, const uint8_t *received);
/* The message of this round into run->sent. */
void pingpong_fill(struct pingpong *run);

/* The rounds of a run; the row has its verdict. */
void pingpong_exchange(struct pingpong *run);
/* The same with all queue pairs of the session. */
void pingpong_exchange_many(struct pingpong *run);
/* Posts a receive for each of its queue pairs. 0 or -EIO. */
int pingpong_post_many(struct pingpong *run);
