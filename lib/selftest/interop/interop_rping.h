/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The rounds of a run with rping, on a queue pair that librdmacm has connected. In a round the
 * client lets the server read a text out of its memory, then write it back elsewhere; each of the
 * two steps is a message of the client, RDMA, and a message of the server to go ahead. For rping.c;
 * failures are in the session's row.
 */
#pragma once

#include "selftest/interop/interop_session.h"

/* Connect requests that wait while another client is served. */
#define RPING_MOST_WAITING 16u

struct rping {
	struct interop *session;
	struct ibv_qp *qp;
	struct rdma_cm_id *id; /* of the connection; the agent's */
	bool established, ended;
	int end_event; /* enum rdma_cm_event_type that ended it */
	int end_status;
	struct rdma_cm_id *waiting[RPING_MOST_WAITING]; /* owned */
	size_t waiting_count;
	struct agent_buffer *infos;	      /* what is received, what is sent */
	struct agent_buffer *source, *target; /* client: of the read, of the write; server: one */
	uint8_t *expected;		      /* server: the text as it should be */
	struct ibv_sge receive_part, send_part, data_part;
	struct ibv_recv_wr receive;
	struct ibv_send_wr send, data;
	unsigned int seen; /* completions that nobody has asked for yet */
	bool sending;	   /* a message is on its way */
	bool between;	   /* server: no round is going on */
	bool usual;	   /* server: the client's text is rping's */
};

/* Reads what events of librdmacm there are. */
void rping_read_events(struct rping *run);
/* Waits for an event that changes `established` or `ended`. 0 or what stopped it. */
enum stop rping_wait_event(struct rping *run, unsigned int msec);

/* Queue pair in RESET, its queue and buffers. 0 or -errno. */
int rping_make(struct rping *run);
/* The one receive that is outstanding. */
int rping_post_receive(struct rping *run);
/* All rounds. 0: they went well, or as many as the client wanted. */
int rping_exchange(struct rping *run);
