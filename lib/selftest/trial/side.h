/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A side of a test, near or far, which takes orders and answers them. The near side is an agent of
 * this process and answers at once; the far side is at the other end of a stream socket, in another
 * thread for loopback, on another host with a peer. Tests do not see the difference.
 */
#pragma once

#include "selftest/agent/agent.h"
#include "selftest/agent/cpu_list.h"

struct trial;

/* Limit on orders in progress: they and their answers fit into a socket's buffers. */
#define SIDE_WINDOW 64u

/* Orders to a far side whose answers are not awaited one by one: side_batch_begin(). */
struct side_batch {
	bool open;
	uint32_t sent, answered;
	struct {
		uint32_t type;
		void *reply; /* buffer for the record of the answer; NULL: discard it */
	} orders[SIDE_WINDOW];
	int rc; /* of the first order that failed, as is its answer */
	struct message_refused refused;
};

struct side {
	struct trial *trial;	   /* that it belongs to */
	struct message_opened can; /* capabilities of its device; `far` is its own endpoint */
	struct message_pinned pinned;
	struct message_buffered memory; /* the last that trial_buffer() created, even if freed */
	struct agent *agent;		/* near; NULL: far */
	int channel;			/* far: the socket, borrowed */
	struct watch *watch;   /* far: the near agent's; its signals end the wait for an answer */
	enum stop stop;	       /* what ended the exchange; the side cannot be used afterwards */
	const char *complaint; /* what was wrong with the last answer, or NULL */
	bool cut_short;	       /* with complaint: the answer ended in the middle */
	struct message_refused refused; /* the last refusal */
	enum stop farewell;		/* why a peer left, in its own words */
	unsigned int patience_msec;	/* longest wait for the last message */
	struct side_batch batch;
	uint32_t queue_pairs; /* created since the last order to release */
};

/* Time that a slow host needs to end and free a queue pair: one order to release covers all. */
#define SIDE_RELEASE_MSEC 10u

/*
 * Gives an order and waits for the reply, whose record goes to *ret_reply unless that is NULL.
 * Returns 0; -EREMOTEIO: the side refused, side->refused says why; -ECONNRESET, -ETIMEDOUT,
 * -EPROTO, -EINTR: side->stop and side->complaint say what happened.
 */
int side_call(struct side *side, uint32_t type, const void *request, void *ret_reply);

/* side_query(side, &(struct message_query){...}, &queried) ...: one function per order. */
#define HANDSHAKE(number, constant, name, record, reply, reply_record)                 \
	static inline int side_##name(struct side *side, const struct record *request, \
				      struct reply_record *ret_reply)                  \
	{                                                                              \
		return side_call(side, MESSAGE_##constant, request, ret_reply);        \
	}
#define ORDER HANDSHAKE
#define COMMAND(number, constant, name, record)                                        \
	static inline int side_##name(struct side *side, const struct record *request) \
	{                                                                              \
		return side_call(side, MESSAGE_##constant, request, NULL);             \
	}
#include "selftest/wire/messages.def"

/*
 * Until side_batch_end(), orders to a far side to create, connect and fill queue pairs do not wait
 * for their answers one by one, up to SIDE_WINDOW at a time: side_call() returns 0, and fills
 * *ret_reply at the end at the latest, so that must stay valid. Any other order waits for those
 * before it. side_batch_end() returns the error of the first order that failed, as side_call()
 * would have. A near side takes its orders as usual.
 */
void side_batch_begin(struct side *side);
int side_batch_end(struct side *side);

/*
 * The two halves of a call, for orders that both sides carry out at the same time: start the far
 * side, call the near side, finish the far side. `msec` is the time that the order itself may take.
 * The near side carries out the order in side_start() and keeps the reply in `held` for
 * side_finish().
 */
int side_start(struct side *side, const struct message *order, struct message *held);
int side_finish(struct side *side, const struct message *order, unsigned int msec,
		struct message *held);
/* Returns side->farewell: why a peer that closed the connection did so, if it said why. */
enum stop side_hear_farewell(struct side *side);

/*
 * The far side of a test, as the near side sees it: a thread of this process for loopback, a server
 * at the other end of a TCP connection for a peer.
 */

/*
 * Both sides of a loopback measurement poll without a pause, and one woke the other: the scheduler
 * tends to put such threads on one processor, and leaves them there for longer than a measurement
 * lasts. So each side gets half of the processors.
 */
struct processors {
	struct cpu_list all; /* allowed for the process */
	bool split;	     /* false: there is only one */
};

/*
 * Selects every other processor, from the first (half 0) or the second (1): with the usual
 * numbering both threads of a core are in the same half. Returns false if a half would be empty.
 */
bool processors_half(const struct cpu_list *all, unsigned int half, struct cpu_list *ret);

struct session {
	int channel;
	pthread_t thread;
	bool in_thread;
	struct endpoint endpoint; /* loopback: of both sides */
	struct processors processors;
	int far_channel;
};

/* Open a session for orders to trial->far, or fail the row and return a negative error. */
int session_open_loopback(struct session *session, struct trial *trial,
			  const struct endpoint *endpoint);
int session_open_peer(struct session *session, struct trial *trial);
void session_close(struct session *session, struct trial *trial);
