/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The pingpongs of rdma-core: a message goes to the other side and back, `iterations` times. They
 * use one queue pair of RC, UC or UD, or several that share their receives (pingpong_many.c).
 */
#pragma once

#include "selftest/interop/interop.h"

/* The Q_Key of ibv_ud_pingpong. */
#define PINGPONG_QKEY 0x11111111u

/* The data that the other side is expected to send. */
enum pingpong_echo {
	ECHO_UNKNOWN,
	ECHO_OURS, /* what it received from here */
	ECHO_NONE, /* other data, which is not compared */
};

struct pingpong {
	struct interop *session;
	uint32_t remote_qpn;
	uint64_t posted_nsec, received_nsec;
	uint32_t received_bytes;
	enum pingpong_echo echo;
};

/* Compares a received message with the one sent, if the other side echoes. Returns 0 or -EIO. */
int pingpong_check(struct pingpong *run, const uint8_t *received);
/* Fills run->sent with the message of this round. */
void pingpong_fill(struct pingpong *run);

/* Runs the rounds; the row has its verdict then. */
void pingpong_exchange(struct pingpong *run);
/* The rounds on several queue pairs. Returns 0 or -errno. */
int pingpong_run_many(struct pingpong *run);
