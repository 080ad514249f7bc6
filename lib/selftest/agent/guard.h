/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a server's agent refuses to a client, who may be anyone that reaches its TCP port: whatever
 * he orders, the server sends to nobody but himself, and no more than he can take. The near side's
 * agent carries out what its own user asks for, and has no guard.
 */
#pragma once

#include "host/endpoint/endpoint.h"
#include "selftest/wire/message.h"

struct agent;
struct agent_qp;
struct ibv_qp_attr;

/* Single packets that are sent to a port which has not proven to be the client's. */
#define GUARD_MOST_UNPROVEN 16u
/* Bytes under way that no acknowledgement of the other side holds back: those of UC and UD. */
#define GUARD_MOST_UNACKNOWLEDGED (UINT64_C(256) << 20)

struct guard {
	bool strict;		  /* the orders come from somebody else */
	struct ip_address client; /* his end of the TCP connection */
	struct endpoint peer;	  /* of his order to open: the only port that anything is sent to */
	bool opened;
	bool proven;	    /* that port is his */
	uint32_t unproven;  /* packets sent before that */
	uint64_t most_msec; /* of a run */
	bool asked;	    /* the nonce was sent there, and may be returned once */
	char nonce[NONCE_BYTES];
};

/*
 * Notes the port that the client says is his, for good, once our own is open. It is proven if its
 * packets go to the address that he has connected from. -EINVAL: he named another one before.
 */
int guard_open(struct agent *agent, const struct endpoint *peer);
/* These refuse, with -EINVAL and a reason in the agent, a destination that is not that port, ... */
int guard_destination(struct agent *agent, const struct endpoint *to);
int guard_ip(struct agent *agent, const struct ip_address *to);
/* ... to begin many connections, ... */
int guard_active(struct agent *agent);
/* ... groups other than those of our tests, ... */
int guard_group(struct agent *agent, const struct ip_address *group);
/* ... a transition to another peer, or to a Q_Key that takes privilege, ... */
int guard_modify(struct agent *agent, const struct agent_qp *qp,
		 const struct message_modify *order);
/* ... the same for one that librdmacm connects, ... */
int guard_connection(struct agent *agent, struct ibv_qp_attr *attr, int mask);
/* ... a look at what has arrived, before the port is proven: it might be another one's nonce, ...
 */
int guard_look(struct agent *agent);
/* ... work requests with these, too many bytes under way, or any but a few for an unproven port, */
int guard_post(struct agent *agent, const struct agent_qp *qp, const struct message_post *order);
/* a run of messages that nobody acknowledges, ... */
int guard_unacknowledged(struct agent *agent, const struct agent_qp *qp, uint64_t bytes);
/* a run to a queue pair that takes management datagrams, ... */
int guard_target(struct agent *agent, uint32_t qpn, uint32_t qkey);
/*
 * and runs that are longer than granted, or to an unproven port. `msec` 0: so many operations as it
 * takes; the watch ends such a run when the time is over.
 */
int guard_run(struct agent *agent, uint64_t msec);
