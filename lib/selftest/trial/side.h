/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A side of a test, near or far: takes orders and answers them. The near side is an agent of this
 * process and answers at once; the far one sits behind a stream socket, in another thread for
 * loopback, on another host with a peer. Tests do not see the difference.
 */
#pragma once

#include "selftest/agent/agent.h"

struct side {
	struct agent *agent;   /* near; NULL: far */
	int channel;	       /* far: the socket, borrowed */
	struct watch *watch;   /* far: what may end the wait for an answer (the near agent's) */
	enum stop stop;	       /* what ended it; the side is of no use from then on */
	const char *complaint; /* what was wrong with the last answer, or NULL */
};

/* How long an answer may take beyond what the order itself allows. */
#define SIDE_PATIENCE_MSEC 10000u

/*
 * Gives an order and waits for the reply. 0: *reply is the one that belongs to the order;
 * -EREMOTEIO: the side refused, reply->refused tells; -ECONNRESET, -ETIMEDOUT, -EPROTO, -EINTR:
 * side->stop, side->complaint tell.
 */
int side_call(struct side *side, const struct message *order, struct message *reply);
/*
 * The two halves of it, for orders that both sides carry out at the same time: start the far side,
 * call the near one, finish the far one. The near side carries out the order in side_start() and
 * keeps the reply in `held` for side_finish(). `msec` is how long the order itself may take.
 */
int side_start(struct side *side, const struct message *order, struct message *held);
int side_finish(struct side *side, const struct message *order, unsigned int msec,
		struct message *held);
