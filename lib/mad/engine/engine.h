/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The MAD engine: many concurrent requests on one port, from one thread. It draws requests from its
 * caller as the window has room, sends them again after a timeout, and reports the end of each one
 * exactly once. It allocates nothing per request.
 *
 * The engine handles timeouts and retries; the kernel is told to send once. A reply to a try that
 * was given up still counts. The first timeout follows the measured round trips (20 to 500 ms), and
 * each further one is twice the one before.
 */
#pragma once

#include "mad/engine/request.h"

#define ENGINE_WINDOW	    32u
#define ENGINE_MOST_WINDOW  128u
#define ENGINE_RETRIES	    3u
#define ENGINE_MOST_RETRIES 7u
/* The kernel is told to wait twice as long, and takes that as an int: umad_send(3). */
#define ENGINE_MOST_TIMEOUT_MSEC ((1u << 30) - 1)

struct mad_engine;

struct mad_engine_options {
	unsigned int window;	   /* outstanding requests; 0: 32 */
	unsigned int timeout_msec; /* of the first try; 0: from the round trips */
	bool retries_given;
	unsigned int retries; /* further tries; 3 if not given */
	bool (*stopped)(
		void *context); /* called several times a second: whether to stop; may be NULL */
	void *context;
};

/* The caller's work for the engine. */
struct mad_work {
	void *context;
	/* Fills the next request, which is zeroed; returns false if there is none at the moment. */
	bool (*next)(void *context, struct mad_request *request);
	/* Called at the end of a request; `reply` is valid during the call. */
	void (*done)(void *context, const struct mad_reply *reply);
	/* Called for a MAD that is not a response, on agents with methods; NULL drops it. */
	void (*unasked)(void *context, const struct mad_arrival *arrival, const unsigned char *mad,
			size_t bytes);
};

struct mad_engine_counts {
	uint64_t requests, sent, answered, timed_out;
	uint64_t timed_out_gmp; /* of those: requests that were not SMPs */
	uint64_t again;		/* of those sent: repeats of an earlier try */
	/*
	 * Replies to no request under way, because they are late, repeated, or not ours; and
	 * requests of others, such as traps, that the work has no function for.
	 */
	uint64_t stray;
	uint64_t busy, redirected;
};

/* Makes an engine that owns the transport and closes it. */
struct mad_engine *mad_engine_new(const struct mad_transport *transport,
				  const struct mad_engine_options *options);
/*
 * Makes an engine on a port of this host; arguments and errors are those of umad_open(),
 * kernel/umad.h.
 */
int mad_open(const char *device, unsigned int port, const char *smi_device, unsigned int smi_port,
	     const struct mad_engine_options *options, struct mad_engine **ret_engine);
void mad_engine_free(struct mad_engine *engine);
/*
 * Agents are made on the first request of a class; this makes one that also receives unsolicited
 * MADs. Returns its number or -errno.
 */
int mad_engine_add_agent(struct mad_engine *engine, const struct mad_agent *agent);
/*
 * Works until next() has nothing more and all requests are done. Returns 0, -ECANCELED when
 * stopped, or -errno when the port failed; in both cases the outstanding requests end with that
 * error.
 */
int mad_engine_run(struct mad_engine *engine, const struct mad_work *work);
/* Waits for unsolicited MADs until stopped or for `msec` (-1: forever). */
int mad_engine_serve(struct mad_engine *engine, const struct mad_work *work, int msec);
/* Sends a MAD that expects no reply, from one of our agents. */
int mad_engine_send(struct mad_engine *engine, int agent, const struct mad_address *to,
		    const unsigned char *mad, size_t bytes);
void mad_engine_counts(const struct mad_engine *engine, struct mad_engine_counts *ret);
