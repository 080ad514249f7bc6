/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Between the engine's files: its slots, one for each request under way. */
#pragma once

#include "mad/engine/engine.h"

#define ENGINE_MSEC 1000000ull /* nanoseconds */

#define ENGINE_MOST_TRIES (ENGINE_MOST_RETRIES + 1)

/*
 * The transaction ID: which slot, which try, which of the slot's requests. The answer to any try is
 * good, and its round trip is that try's.
 */
#define ENGINE_SLOT_BITS       7u
#define ENGINE_TRY_BITS	       3u
#define ENGINE_GENERATION_MASK (UINT32_MAX >> (ENGINE_SLOT_BITS + ENGINE_TRY_BITS))

enum slot_state {
	SLOT_FREE,
	SLOT_HELD,  /* waits for room in its destination's window */
	SLOT_WAITS, /* waits for the answer, until `deadline` */
	SLOT_PAUSE, /* is sent again at `deadline`: the other side was busy */
};

/* How the last request of a slot ended: what its late answers are. */
enum slot_end { SLOT_NEW, SLOT_ANSWERED, SLOT_GIVEN_UP };

struct slot {
	enum slot_state state;
	enum slot_end last_end;
	uint32_t generation; /* of the slot's requests */
	uint32_t destination;
	unsigned int tries, busy, redirects;
	bool held_up; /* another request's send() took long since this one was sent */
	int agent;
	uint64_t sent_nsec[ENGINE_MOST_TRIES];
	uint64_t deadline;
	struct mad_request request;
	unsigned char *buffer;
};

struct engine_agent {
	struct mad_agent spec;
	int number;
};

struct mad_engine {
	struct mad_transport transport;
	struct mad_engine_options options;
	struct mad_engine_counts counts;
	struct engine_agent *agents;
	size_t agent_count;
	struct slot slots[ENGINE_MOST_WINDOW];
	unsigned char *buffers; /* of the slots */
	unsigned char *arrival; /* what was received, behind the headroom */
	size_t arrival_bytes;
	unsigned int under_way;
	size_t last_freed; /* slot, which is taken first: the others need not be searched */
	bool drained;	   /* there was nothing left to receive */
	/* Round trips, as RFC 6298 has them, in nanoseconds; 0: none yet. */
	uint64_t smoothed, variation;
	const struct mad_work *work;
};

/* Sends the slot's request, for the first time or again. What fails ends it. */
void engine_send_slot(struct mad_engine *engine, struct slot *slot);
/* Ends the request: tells the caller, frees the slot. `reply` has the answer, or its error. */
void engine_finish(struct mad_engine *engine, struct slot *slot, struct mad_reply *reply);
void engine_fail(struct mad_engine *engine, struct slot *slot, int error);
/* What was received: an answer, our own request unanswered, or something else. */
void engine_take(struct mad_engine *engine, const struct mad_arrival *arrival, size_t bytes);
/* The agent of a class, made if need be: its number or -errno. */
int engine_agent(struct mad_engine *engine, const struct mad_request *request);
/* The slot's deadline has passed. */
void engine_late(struct mad_engine *engine, struct slot *slot);
/* Learns from a round trip; how long to wait for the answer to a try. */
void engine_measured(struct mad_engine *engine, uint64_t nsec);
uint64_t engine_patience(const struct mad_engine *engine, const struct slot *slot);
/* Whether the slot's destination has room for one more. */
bool engine_has_room(const struct mad_engine *engine, const struct slot *slot);
