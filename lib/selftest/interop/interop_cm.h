/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A connection of librdmacm with a program of rdma-core, as its client and as its server. The
 * program's part is in three functions, which return 0 or -errno and leave the verdict in the row.
 */
#pragma once

#include "selftest/interop/interop.h"

/* Connect requests that wait while another client is served. */
#define CM_MOST_WAITING 16u

/* How long the event that explains a failed completion may come after it. */
#define EXPLAIN_MSEC 1000u

struct interop_cm {
	struct interop *session;
	/* Server: queue pair and buffers; first receives; what happens when it is connected. */
	int (*make)(struct interop_cm *cm);
	int (*post)(struct interop_cm *cm);
	int (*exchange)(struct interop_cm *cm);
	struct rdma_cm_id *id; /* of the connection; the agent's */
	bool established, ended;
	int end_event; /* enum rdma_cm_event_type that ended it */
	int end_status;
	struct rdma_cm_id *waiting[CM_MOST_WAITING]; /* owned */
	size_t waiting_count;
};

/* A call of librdmacm failed with errno. Always -EIO. */
int interop_fail_cm(struct interop *session, const char *call);
/* Loads librdmacm, and makes the agent's channel of its events. */
int interop_cm_open(struct interop *session);
/* Waits for an event that changes `established` or `ended`. 0 or what stopped it. */
enum stop interop_cm_wait_event(struct interop_cm *cm, unsigned int msec);
/*
 * After the watch has stopped a run: -ECONNRESET, the other side disconnected; -ECANCELED, it was
 * something else than an event of librdmacm. 0: the event says nothing about it, continue.
 */
int interop_cm_look(struct interop_cm *cm);
/* Connects the queue pair of the session to its peer. */
int interop_cm_connect(struct interop_cm *cm);
/* Listens, and serves one client after the other, a row each. */
void interop_cm_serve(struct interop_cm *cm);
