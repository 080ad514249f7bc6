/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a server's agent refuses to a client, who may be anyone that reaches its TCP port: whatever
 * the client orders, the server sends only to the client itself, and no more than it can take. The
 * near side's agent carries out the requests of its own user, and has no guard.
 */
#pragma once

#include "host/endpoint/endpoint.h"
#include "selftest/wire/message.h"

struct agent;
struct agent_qp;
struct ibv_qp_attr;

/* Limit on single packets sent to a port that has not proven to be the client's. */
#define GUARD_MOST_UNPROVEN 16u
/* Limit on bytes in flight that no acknowledgement of the other side holds back: with UC and UD. */
#define GUARD_MOST_UNACKNOWLEDGED (UINT64_C(256) << 20)

struct guard {
	bool strict;		  /* the orders come from another host or user */
	struct ip_address client; /* the client's end of the TCP connection */
	struct endpoint peer;	  /* in the order to open: the only port we send to */
	bool opened;
	bool proven;	    /* that port is the client's */
	uint32_t unproven;  /* packets sent before that */
	uint64_t most_msec; /* limit of one run */
	bool asked;	    /* the nonce was sent there, and may be returned once */
	char nonce[NONCE_BYTES];
};

/*
 * Records for good the port that the client names as its own, once our own is open. The port is
 * proven if its packets go to the address that the client connects from. Returns 0, or -EINVAL if
 * the client named another port before.
 */
int guard_open(struct agent *agent, const struct endpoint *peer);
/*
 * The functions below return 0, or refuse with -EINVAL and a reason in the agent: a destination
 * that is not that port, ...
 */
int guard_destination(struct agent *agent, const struct endpoint *to);
int guard_ip(struct agent *agent, const struct ip_address *to);
/* ... to begin many connections, ... */
int guard_active(struct agent *agent);
/* ... groups other than those of our tests, or more than one at a time, ... */
int guard_group(struct agent *agent, const struct ip_address *group);
/* ... a transition to another peer, or to a privileged Q_Key, ... */
int guard_modify(struct agent *agent, const struct agent_qp *qp,
		 const struct message_modify *order);
/* ... the same for a queue pair that librdmacm connects, ... */
int guard_connection(struct agent *agent, struct ibv_qp_attr *attr, int mask);
/* ... a look at received data before the port is proven: it might be another server's nonce, ... */
int guard_look(struct agent *agent);
/*
 * ... work requests with a privileged Q_Key, too many bytes in flight, or more than a few for an
 * unproven port, ...
 */
int guard_post(struct agent *agent, const struct agent_qp *qp, const struct message_post *order);
/* ... a run with too many unacknowledged bytes in flight, ... */
int guard_unacknowledged(struct agent *agent, const struct agent_qp *qp, uint64_t bytes);
/* ... a run to a queue pair that takes management datagrams, ... */
int guard_target(struct agent *agent, uint32_t qpn, uint32_t qkey);
/*
 * ... and runs that are longer than granted, or to an unproven port. `msec` 0: the run counts
 * operations, and the watch ends it when the granted time is over.
 */
int guard_run(struct agent *agent, uint64_t msec);
