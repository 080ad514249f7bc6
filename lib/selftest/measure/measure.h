/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Latency and bandwidth measurements: the parts of agent_run(), and its rules for the caller.
 *
 * Before a run both sides have the same queue pairs, connected, on completion queues that all have
 * a channel if the run sleeps for events. They also have a buffer of run_layout.bytes, which is
 * zero except for the data to send. If the run sends, each receiving side has posted run_receives()
 * receives on each queue pair, of run_receive_bytes() at the queue pair's place in the receive
 * area, the first one with run_receive_id(): a message without a receive would end an iWARP
 * connection. The passive side is started first.
 *
 * How a run ends: only the active side knows when. Sends: a message of another length
 * (run_end_bytes()) follows the last one. Write ping-pongs: the last ping has STAMP_END in its last
 * byte, and so does the last pong. Reads, atomics and a bandwidth of writes do not involve the
 * passive side, whose run ends at once. Each side then waits for its own completions, which the
 * next run would count. An active side that fails cannot report that; the next order to the passive
 * side then ends the run there (STOP_PEER_SPOKE).
 *
 * Sends never exceed the posted receives: the passive side writes a credit, the number of messages
 * that it has received as 64 bits, to the active side's control area.
 */
#pragma once

#include <endian.h>

#include "base/clock.h"
#include "selftest/agent/agent.h"

/*
 * Unreliable queue pairs (UC, UD) may lose any message, so they have neither an end nor credits. A
 * ping has its number as immediate data (UC writes: the stamp) and is repeated if no pong comes.
 * Messages without a receive are lost. The passive side ends after the other side sends it an order
 * (STOP_PEER_SPOKE), once no more messages can be in flight. If both sides send (struct
 * message_way, `both`), each is an active side that also takes messages as they arrive. Each ends
 * when its own messages are sent and the other side's end has come.
 */

/* Offsets of the parts of a run's buffer; the same on both sides. */
struct run_layout {
	uint64_t header;  /* before the data of a received message */
	uint64_t stride;  /* from one queue pair's message to the next one's */
	uint64_t receive; /* received data; data to send are at 0 */
	uint64_t control; /* received credits */
	uint64_t bytes;	  /* total size */
};

/* Computes the layout. `kind` is enum qp_kind. */
void run_layout_set(struct run_layout *layout, uint32_t kind, uint32_t qps, uint64_t message_bytes);

static inline uint32_t run_receives(uint32_t depth)
{
	return 2 * depth;
}

static inline uint64_t run_end_bytes(uint64_t message_bytes)
{
	return message_bytes ? 0 : 1;
}

static inline uint64_t run_receive_bytes(uint64_t message_bytes)
{
	return message_bytes ? message_bytes : 1;
}

#define RUN_QP_SHIFT 48

/* Limit on completions taken at once. */
enum { POLL_MOST = 16 };

static inline uint64_t run_receive_id(uint32_t qp)
{
	return (uint64_t)qp << RUN_QP_SHIFT;
}

/*
 * Samples of a run of any length in memory of fixed size: all of them while there is room, then a
 * uniform selection (Vitter: Random Sampling with a Reservoir, ACM TOMS 1985, algorithm R), but
 * always with the smallest and the largest one. Mean and deviation are taken over all samples,
 * because the largest one weighs too much in a selection.
 */
#define SAMPLES_MOST (1u << 20)

struct sampler {
	uint64_t *nsec;
	size_t count, room;
	struct moments all;
	uint64_t least, most;
	uint64_t random;
};

/*
 * Makes room for `count` samples (0: unknown), at most SAMPLES_MOST, and touches its pages. The
 * caller frees sampler->nsec.
 */
void sampler_begin(struct sampler *sampler, uint64_t count);
void sampler_end(struct sampler *sampler);

static inline void sampler_add(struct sampler *sampler, uint64_t nsec)
{
	uint64_t place = sampler->count;

	moments_add(&sampler->all, nsec);
	if (nsec < sampler->least)
		sampler->least = nsec;
	if (nsec > sampler->most)
		sampler->most = nsec;
	if (sampler->count < sampler->room) {
		sampler->count++;
	} else {
		/* xorshift64 (Marsaglia 2003), scaled to the number of samples seen. */
		sampler->random ^= sampler->random << 13;
		sampler->random ^= sampler->random >> 7;
		sampler->random ^= sampler->random << 17;
		place = wide_multiply(sampler->random, sampler->all.count).high;
		if (place >= sampler->room)
			return;
	}
	sampler->nsec[place] = nsec;
}

/* One queue pair of a run. Counts are messages since the run began. */
struct run_qp {
	struct ibv_qp *qp;
	const struct agent_qp *owner;
	uint64_t posted, completed;
	uint64_t quota;	   /* total that it posts */
	uint64_t received; /* passive side of a bandwidth of sends */
	uint64_t credited; /* part of `received` that the other side was told */
	uint32_t unsignaled;
	bool ended;
	bool crediting;		  /* a credit is in flight, among the messages of this side */
	const uint64_t *credit;	  /* active side: the peer's count arrives here */
	uint64_t *taken;	  /* passive side: the count to send */
	struct ibv_send_wr *list; /* one batch */
	struct ibv_recv_wr receive;
	struct ibv_send_wr credit_request;
	struct ibv_sge send_part, receive_part, credit_part;
};

/* One side of a run in progress. */
struct measure {
	struct agent *agent;
	const struct message_run *order;
	struct run_layout layout;
	uint8_t *bytes; /* the buffer */
	/* The completion queues of the queue pairs, polled in turn. */
	struct agent_cq *queues[LIMIT_CQS];
	uint32_t queue_count, turn;
	unsigned int flags; /* for all sends */
	struct run_qp *qps;
	struct ibv_send_wr *requests;
	struct sampler sampler;
	struct message_ran ran; /* the result so far */
	uint64_t completed;	/* over all queue pairs */
	uint64_t received;	/* messages */
	uint64_t lost;		/* pings without an answer */
	uint64_t deadline_nsec; /* after an interruption: when to give up on a regular end */
	bool sleeps;		/* on the queues' channels; else it polls */
	int nap_msec;		/* longest sleep */
	uint64_t events;	/* completion events, from the channels */
	uint32_t kind;		/* enum qp_kind */
	uint32_t ended;		/* queue pairs that got the other side's end */
	bool credited;		/* the receiver tells the sender how much it took */
	bool takes;		/* measure_poll() takes arriving messages */
	bool lingers;		/* ends once it is sent an order and nothing more arrives */
	bool told;		/* the other side has sent one */
	bool yields;		/* the other side needs the same processor */
	bool ending;		/* the next message sent is the last */
	int error;		/* errno of a call */
	const char *failed;
};

/*
 * Records progress for the watch, which measures the time without any. Posting to many queue pairs
 * takes long, and so does ending all of them, so each counts as progress.
 */
static inline void measure_progress(struct measure *measure)
{
	watch_progress(&measure->agent->watch);
}

/* Returns whether the run must end at once; an interruption first asks for a regular end. */
bool measure_stopped(struct measure *measure, enum stop stop);

static inline bool measure_halted(struct measure *measure)
{
	enum stop stop = (enum stop)atomic_load_explicit(&measure->agent->watch.stop,
							 memory_order_relaxed);

	return __builtin_expect(stop != STOP_NONE, 0) && measure_stopped(measure, stop);
}

/*
 * Takes completions and accounts for sends. Returns their number; -1: the run is over. The ids in
 * the returned completions belong to a queue pair.
 */
int measure_poll(struct measure *measure, struct ibv_wc *items, int room);
/* The same, without asking whether the run must end. */
int measure_take(struct measure *measure, struct ibv_wc *items, int room);
/* Posts the next message of the queue pair, or the next `count` in one list. */
bool measure_post(struct measure *measure, struct run_qp *qp, uint32_t count);
/* Polls until at most that many messages of the queue pair are not known to be complete. */
bool measure_drain(struct measure *measure, struct run_qp *qp, uint64_t outstanding);
/* Waits for room in the queue, then posts the next message. */
static inline bool measure_post_with_room(struct measure *measure, struct run_qp *qp)
{
	return measure_drain(measure, qp, measure->order->depth - 1) &&
	       measure_post(measure, qp, 1);
}

/* Sends the end to the passive side, and waits until it is acknowledged. */
bool measure_send_end(struct measure *measure, struct run_qp *qp);
/* Reposts the receive that a completion consumed. */
bool measure_receive(struct measure *measure, struct run_qp *qp);

/*
 * Returns how many messages the other side has taken or has a receive for. Credits are big endian,
 * because the hosts' byte orders may differ.
 */
static inline uint64_t measure_granted(const struct measure *measure, const struct run_qp *qp)
{
	return be64toh(__atomic_load_n(qp->credit, __ATOMIC_ACQUIRE)) +
	       run_receives(measure->order->depth);
}

static inline struct run_qp *measure_qp(const struct measure *measure, uint64_t id)
{
	/* The highest bit distinguishes sends from receives. */
	return &measure->qps[(id << 1) >> (RUN_QP_SHIFT + 1)];
}

static inline bool measure_is_send(const struct ibv_wc *item)
{
	return item->wr_id >> 63;
}

/* The loops. Return true after a regular end; false: cut short. */
bool latency_send_ask(struct measure *measure);
bool latency_send_answer(struct measure *measure);
bool latency_write_ask(struct measure *measure);
bool latency_write_answer(struct measure *measure);
bool latency_one_sided(struct measure *measure);
bool bandwidth_ask(struct measure *measure);
/* measure_ways.c: this side receives, or both send; and the loops of unreliable queue pairs. */
bool bandwidth_answer(struct measure *measure);
bool bandwidth_both(struct measure *measure);
bool unreliable_listen(struct measure *measure);
bool unreliable_ask(struct measure *measure);
bool unreliable_send_answer(struct measure *measure);
bool unreliable_write_answer(struct measure *measure);

/*
 * The last byte of a ping and of its pong is a stamp of the iteration: neither older data nor
 * memory that was never written (0) can be mistaken for it. Devices write the last byte of a
 * message last; the InfiniBand specification does not guarantee that (o9-20), but all programs that
 * poll memory rely on it.
 */
#define STAMPS	  127u
#define STAMP_END 0x80u

static inline uint8_t stamp_of(uint64_t iteration)
{
	return (uint8_t)(1 + iteration % STAMPS);
}

static inline uint8_t *last_byte(const struct measure *measure, uint64_t offset)
{
	return measure->bytes + offset + measure->order->bytes - 1;
}

/*
 * Sends a message and waits for what follows from it; *ret_came becomes false if that was in vain,
 * and the iteration is repeated. Returns false if the run is over.
 */
typedef bool exchange_one(struct measure *measure, uint64_t iteration, bool last, bool *ret_came);
/* Times iterations until the last one. Returns false if the run was over before. */
bool measure_each(struct measure *measure, unsigned int share, exchange_one *exchange);
