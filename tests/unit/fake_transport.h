/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A simulated kernel below the MAD engine: takes what is sent, and delivers what a test queues,
 * each at its time. Time passes only while a test or the engine waits, plus a microsecond for each
 * look at the clock, so that a busy machine changes no result. Each test program includes it once.
 */
#pragma once

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "mad/engine/engine.h"

#define FAKE_HEADROOM 8u
#define FAKE_MOST     512u /* arrivals that wait */

static uint64_t fake_clock_nsec = 1000000000;

/* Replaces that of libc, for the program and its libraries. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
	(void)clock;
	fake_clock_nsec += 1000;
	now->tv_sec = (time_t)(fake_clock_nsec / 1000000000);
	now->tv_nsec = (long)(fake_clock_nsec % 1000000000);
	return 0;
}

static inline void fake_sleep(unsigned int msec)
{
	fake_clock_nsec += msec * 1000000ull;
}

struct fake_arrival {
	uint64_t due_nsec;
	struct mad_arrival arrival;
	unsigned char *mad;
	size_t bytes;
};

struct fake;
/* Called for each MAD that is sent; returns what send() is to return. */
typedef int (*fake_send)(struct fake *fake, int agent, const struct mad_address *to,
			 const unsigned char *mad);

struct fake {
	fake_send on_send;
	void *context;
	int agent_error, receive_error, wait_error;
	struct fake_arrival queue[FAKE_MOST];
	size_t queued;
	size_t agents, sends, closed, too_small;
	struct mad_agent last_agent;
	unsigned int last_timeout_msec;
	uint16_t pkey; /* at that index, the only one */
	int pkey_index;
	uint64_t random;
};

static inline unsigned int fake_random(struct fake *fake, unsigned int below)
{
	fake->random = fake->random * 6364136223846793005u + 1442695040888963407u;
	return (unsigned int)(fake->random >> 33) % below;
}

/* Queues `bytes` of a MAD, to arrive after a delay. */
static inline void fake_put(struct fake *fake, int error, const unsigned char *mad, size_t bytes,
			    unsigned int delay_usec)
{
	struct fake_arrival *arrival = &fake->queue[fake->queued];

	if (fake->queued == FAKE_MOST)
		abort();
	fake->queued++;
	*arrival = (struct fake_arrival){
		.due_nsec = clock_nsec() + delay_usec * 1000ull,
		.arrival = {.agent = 1, .error = error, .from = {.lid = 4}},
		.mad = mem_alloc_zero(1, bytes + 1),
		.bytes = bytes,
	};
	memcpy(arrival->mad, mad, bytes);
}

/* The answer to a request: same transaction, response bit, status, modifier in the data. */
static inline void fake_answer(struct fake *fake, const unsigned char *mad, uint16_t status,
			       unsigned int delay_usec)
{
	unsigned char answer[MAD_BYTES];

	memcpy(answer, mad, MAD_BYTES);
	answer[3] |= UMAD_METHOD_RESP_MASK;
	answer[4] = (unsigned char)(status >> 8);
	answer[5] = (unsigned char)status;
	memcpy(answer + 64, mad + 20, 4);
	fake_put(fake, 0, answer, MAD_BYTES, delay_usec);
}

static inline int fake_add_agent(void *context, const struct mad_agent *agent)
{
	struct fake *fake = context;

	if (fake->agent_error)
		return fake->agent_error;
	fake->last_agent = *agent;
	return (int)++fake->agents;
}

static inline int fake_send_mad(void *context, int agent, const struct mad_address *to,
				unsigned char *buffer, size_t bytes, unsigned int timeout_msec)
{
	struct fake *fake = context;

	if (bytes != MAD_BYTES)
		abort();
	fake->sends++;
	fake->last_timeout_msec = timeout_msec;
	/* The headroom belongs to the carrier, which overwrites it. */
	memset(buffer, 0xee, FAKE_HEADROOM);
	return fake->on_send(fake, agent, to, buffer + FAKE_HEADROOM);
}

/* The first arrival that is due, or -1. */
static inline int fake_due(const struct fake *fake)
{
	uint64_t now = clock_nsec();
	int found = -1;

	for (size_t i = 0; i < fake->queued; i++)
		if (fake->queue[i].due_nsec <= now &&
		    (found < 0 || fake->queue[i].due_nsec < fake->queue[found].due_nsec))
			found = (int)i;
	return found;
}

static inline int fake_receive(void *context, unsigned char *buffer, size_t *bytes,
			       struct mad_arrival *ret)
{
	struct fake *fake = context;
	int number = fake_due(fake);
	struct fake_arrival taken;

	if (fake->receive_error)
		return fake->receive_error;
	if (number < 0)
		return -EAGAIN;
	taken = fake->queue[number];
	if (taken.bytes > *bytes) {
		*bytes = taken.bytes;
		fake->too_small++;
		return -ENOSPC;
	}
	memmove(&fake->queue[number], &fake->queue[number + 1],
		(--fake->queued - (size_t)number) * sizeof(taken));
	memcpy(buffer + FAKE_HEADROOM, taken.mad, taken.bytes);
	*bytes = taken.bytes;
	*ret = taken.arrival;
	free(taken.mad);
	return 0;
}

static inline int fake_find_pkey(void *context, uint16_t pkey)
{
	const struct fake *fake = context;

	return pkey == fake->pkey ? fake->pkey_index : -ENOENT;
}

static inline int fake_wait(void *context, int timeout_msec)
{
	struct fake *fake = context;
	uint64_t until = clock_nsec() + (uint64_t)timeout_msec * 1000000;

	if (fake->wait_error)
		return fake->wait_error;
	for (size_t i = 0; i < fake->queued; i++)
		if (fake->queue[i].due_nsec < until)
			until = fake->queue[i].due_nsec;
	if (fake_clock_nsec < until)
		fake_clock_nsec = until;
	return fake_due(fake) < 0 ? -ETIMEDOUT : 0;
}

static inline void fake_close(void *context)
{
	struct fake *fake = context;

	for (size_t i = 0; i < fake->queued; i++)
		free(fake->queue[i].mad);
	fake->queued = 0;
	fake->closed++;
}

static inline struct mad_transport fake_transport_of(struct fake *fake)
{
	return (struct mad_transport){
		.context = fake,
		.headroom = FAKE_HEADROOM,
		.add_agent = fake_add_agent,
		.send = fake_send_mad,
		.receive = fake_receive,
		.find_pkey = fake_find_pkey,
		.wait = fake_wait,
		.close = fake_close,
	};
}

static inline struct mad_engine *fake_engine(struct fake *fake,
					     const struct mad_engine_options *options)
{
	const struct mad_transport transport = fake_transport_of(fake);

	fake->random = 1;
	return mad_engine_new(&transport, options);
}
