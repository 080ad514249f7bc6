/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A librdmacm connection with a program of rdma-core, as its client and as its server. What the
 * program does is in three functions. All functions for rping and mckey return 0 or -errno; the
 * row then has its verdict.
 */
#pragma once

#include "selftest/interop/interop.h"

/* Connection requests that may wait while another client is served. */
#define CM_MOST_WAITING 16u

/* How much later than a failed completion the event that explains it may come. */
#define EXPLAIN_MSEC 1000u

struct interop_cm {
	struct interop *session;
	int (*make)(struct interop_cm *cm);	/* the queue pair, in RESET, and the buffers */
	int (*post)(struct interop *session);	/* the first receives */
	int (*exchange)(struct interop_cm *cm); /* when connected */
	struct rdma_cm_id *id;			/* of the connection; the agent's */
	bool established, ended;
	int end_event; /* enum rdma_cm_event_type that ended it */
	int end_status;
	struct rdma_cm_id *waiting[CM_MOST_WAITING]; /* owned */
	size_t waiting_count;
};

/* Waits for an event that changes `established` or `ended`. Returns what stopped it, or 0. */
enum stop interop_cm_wait_event(struct interop_cm *cm, unsigned int msec);
/*
 * Finds out why the watch has stopped a run. Returns -ECONNRESET if the other side disconnected,
 * -ECANCELED if it was not an event of librdmacm, and 0 if the event does not matter and the run
 * may continue.
 */
int interop_cm_look(struct interop_cm *cm);
/* Runs as a client; or listens and serves one client after another, each with a row. */
void interop_cm_run(struct interop_cm *cm);

/*
 * A run with rping, on a queue pair that librdmacm has connected. In a round the client lets the
 * server read a text from its memory, then write it back elsewhere; each of these two steps takes a
 * message from the client, an RDMA operation, and a message from the server to go ahead.
 */
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

/* mckey waits `msec`; fails when the run is over or the port goes down. */
int mckey_pause(struct interop *session, unsigned int msec);
/* Sends all datagrams. */
int mckey_send(struct interop *session);
/*
 * Waits for the first datagram, as long as the user likes, then receives all datagrams of one
 * sender. There is no row if the user interrupts before the first one.
 */
int mckey_receive(struct interop *session);
