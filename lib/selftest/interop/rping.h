/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The rounds of a run with rping, on a queue pair that librdmacm has connected. In a round the
 * client lets the server read a text out of its memory, then write it back elsewhere; each of the
 * two steps is a message of the client, RDMA, and a message of the server to go ahead.
 */
#pragma once

#include "selftest/interop/interop_cm.h"

struct rping {
	struct interop_cm cm;		      /* the first, so that its functions find the rest */
	struct agent_buffer *infos;	      /* what is received, what is sent */
	struct agent_buffer *source, *target; /* client: of the read, of the write; server: one */
	uint8_t *expected;		      /* server: the text as it should be */
	struct ibv_sge data_part;
	struct ibv_send_wr data;
	bool sending; /* a message was posted and has not completed */
	bool between; /* server: no round is going on */
	bool usual;   /* server: the client's text is rping's */
};

/* Queue pair in RESET, its queue and buffers. 0 or -errno. */
int rping_make(struct rping *run);
/* All rounds. 0: they went well, or as many as the client wanted. */
int rping_exchange(struct rping *run);
