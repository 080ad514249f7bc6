/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the files of the engine: its slots, one for each outstanding request. */
#pragma once

#include "mad/engine/engine.h"

#define ENGINE_MSEC 1000000ull /* nanoseconds */

#define ENGINE_MOST_TRIES (ENGINE_MOST_RETRIES + 1)

/*
 * The transaction ID holds the slot, the slot's request and the try. A reply to any try counts, and
 * its round trip is measured from that try.
 */
#define ENGINE_SLOT_BITS       7u
#define ENGINE_TRY_BITS	       3u
#define ENGINE_GENERATION_MASK (UINT32_MAX >> (ENGINE_SLOT_BITS + ENGINE_TRY_BITS))

enum slot_state {
	SLOT_FREE,
	SLOT_WAITS, /* waits for the reply, until `deadline` */
	SLOT_PAUSE, /* is sent again at `deadline`, because the destination was busy */
};

struct slot {
	enum slot_state state;
	uint32_t generation; /* counts the slot's requests */
	unsigned int tries, busy, redirects;
	bool held_up; /* another request's send() blocked for a long time since this one was sent */
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
	unsigned char *arrival; /* the received MAD, after the headroom */
	size_t arrival_bytes;
	unsigned int under_way;
	size_t last_freed; /* tried first, which usually saves a search */
	bool drained;	   /* the last receive found the queue empty */
	/* Round trip estimates of RFC 6298, in nanoseconds; 0: none yet. */
	uint64_t smoothed, variation;
	const struct mad_work *work;
};

/* Sends the slot's request, for the first time or again. A failure ends it. */
void engine_send_slot(struct mad_engine *engine, struct slot *slot);
/* Ends the request: reports the error to the caller and frees the slot. */
void engine_fail(struct mad_engine *engine, struct slot *slot, int error);
/* Handles a received MAD: a reply, our own request returned after a timeout, or something else. */
void engine_take(struct mad_engine *engine, const struct mad_arrival *arrival, size_t bytes);
/* Handles a slot whose deadline has passed. */
void engine_late(struct mad_engine *engine, struct slot *slot);
