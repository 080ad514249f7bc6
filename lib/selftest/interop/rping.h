/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A run with rping, on a queue pair that librdmacm has connected. In a round the client lets the
 * server read a text from its memory, then write it back elsewhere; each of these two steps takes a
 * message from the client, an RDMA operation, and a message from the server to go ahead.
 */
#pragma once

#include "selftest/interop/interop_cm.h"

struct rping {
	struct interop_cm cm;		      /* first, so that its functions find the rest */
	struct agent_buffer *infos;	      /* for the messages: one to receive, one to send */
	struct agent_buffer *source, *target; /* client: to read, to write; server: the same */
	uint8_t *expected;		      /* server: the text as it should be */
	struct ibv_sge data_part;
	struct ibv_send_wr data;
	bool sending; /* a posted message has not completed */
	bool between; /* server: between rounds */
	bool usual;   /* server: the client's text is rping's */
};

int rping_make(struct interop_cm *cm);
/* Runs all rounds. Returns 0 if they succeeded, or the client did as many as it wanted. */
int rping_exchange(struct interop_cm *cm);
