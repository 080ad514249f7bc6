/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The MAD engine: many requests at once on one port, from one thread. It draws requests from its
 * caller as the window has room, sends them again when they stay unanswered, and tells the caller
 * of each one's end exactly once. Nothing is allocated for a request.
 *
 * Time-outs and retries are the engine's own; the kernel is told to send once. A try that was given
 * up may still be answered: its answer counts. The first time-out follows the round trips measured
 * (20 to 500 ms), each further one is twice the one before.
 */
#pragma once

#include "mad/request.h"

#define ENGINE_WINDOW	    32u
#define ENGINE_MOST_WINDOW  128u
#define ENGINE_RETRIES	    3u
#define ENGINE_MOST_RETRIES 7u

struct mad_engine;

struct mad_engine_options {
	unsigned int window;		 /* requests under way; 0: 32 */
	unsigned int destination_window; /* of those, to the same destination; 0: as many */
	unsigned int timeout_msec;	 /* of the first try; 0: by the round trips */
	bool retries_given;
	unsigned int retries;		/* further tries; 3 if not given */
	bool (*stopped)(void *context); /* NULL, or whether to end: asked several times a second */
	void *context;
};

/* Whoever has work for the engine. */
struct mad_work {
	void *context;
	/* Fills the next request, which is zeroed; false: none at the moment. */
	bool (*next)(void *context, struct mad_request *request);
	/* The end of a request; `reply` is valid during the call. */
	void (*done)(void *context, const struct mad_reply *reply);
	/* A MAD that answers nothing of ours, for agents with methods; NULL: dropped. */
	void (*unasked)(void *context, const struct mad_arrival *arrival, const unsigned char *mad,
			size_t bytes);
};

struct mad_engine_counts {
	uint64_t requests, sent, answered, timed_out;
	uint64_t late;	    /* answers to requests that had ended unanswered */
	uint64_t duplicate; /* to requests that had their answer */
	uint64_t foreign;   /* to none of ours */
	uint64_t busy, redirected;
};

/* Takes the transport over, which it closes. */
struct mad_engine *mad_engine_new(const struct mad_transport *transport,
				  const struct mad_engine_options *options);
/* An engine on a port of this host; arguments and errors as for umad_open(), kernel/umad.h. */
int mad_open(const char *device, unsigned int port, const char *smi_device, unsigned int smi_port,
	     const struct mad_engine_options *options, struct mad_engine **ret_engine);
void mad_engine_free(struct mad_engine *engine);
/*
 * Agents are made when a class is first asked; this makes one that also takes MADs unasked. Returns
 * its number or -errno.
 */
int mad_engine_add_agent(struct mad_engine *engine, const struct mad_agent *agent);
/*
 * Works until next() has nothing more and all is done. Returns 0, -ECANCELED when it was stopped
 * (each request under way ends so), or -errno when the port broke down (the same).
 */
int mad_engine_run(struct mad_engine *engine, const struct mad_work *work);
/* Waits for MADs that come unasked, until stopped or `msec` are over (-1: for ever). */
int mad_engine_serve(struct mad_engine *engine, const struct mad_work *work, int msec);
/*
 * One request and its answer, which is copied to `mad` (NULL: not wanted). Returns the error of
 * struct mad_reply; *ret_status (may be NULL) is set if that is 0.
 */
int mad_engine_call(struct mad_engine *engine, const struct mad_request *request,
		    unsigned char mad[static MAD_BYTES], uint16_t *ret_status);
/* Sends a MAD that expects no answer, by an agent of ours. */
int mad_engine_send(struct mad_engine *engine, int agent, const struct mad_address *to,
		    const unsigned char *mad, size_t bytes);
void mad_engine_counts(const struct mad_engine *engine, struct mad_engine_counts *ret);
