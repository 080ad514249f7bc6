/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The counters of performance management (chapter 16.1) of all ports of a subnet, read all at once.
 * The bytes are kept as they came, in flat arrays, and decoded by lib/mad/perf_record.h when they
 * are wanted. Only ports with a link are asked, by LID: what has none cannot be asked.
 */
#pragma once

#include "fabric/graph/graph.h"
#include "mad/engine/engine.h"
#include "mad/perf_record.h"

enum {
	PORT_COUNTERS_BYTES = 44,	    /* 16.1.3.5 */
	EXTENDED_PORT_COUNTERS_BYTES = 184, /* 16.1.4.11 */
};

struct port_counters {
	uint32_t port; /* place in the graph */
	struct perf_caps caps;
	bool read, extended; /* the first, the second of these came */
	uint8_t select[2];   /* what is asked for: the second byte is the port's number */
	uint8_t counters[PORT_COUNTERS_BYTES];
	uint8_t extended_counters[EXTENDED_PORT_COUNTERS_BYTES];
};

struct port_errors {
	struct port_counters *items; /* in the order of ports */
	size_t count;
	/* Of attributes of performance management: one for each node or port that did not answer.
	 */
	struct fabric_silence *silences;
	size_t silence_count;
	size_t unreachable; /* ports that could not be asked: without a LID, or not active */
	uint32_t first_unreachable;
	uint64_t nsec; /* clock_nsec() in the middle of the reading */
};

struct port_errors_options {
	struct mad_address address; /* all but the LID */
	/*
	 * All counters of all ports. Else only what is needed to find the ports with an error
	 * counter of `least` or more, or at its maximum, and all of these: of other ports nothing.
	 */
	bool all;
	uint64_t least;
	const bool *wanted; /* of each port of the graph; NULL: all */
};

/*
 * Fills an empty one. Returns 0 also if some did not answer; -ECANCELED: it was stopped; else
 * -errno: the local port broke down.
 */
int port_errors_read(struct mad_engine *engine, const struct fabric *fabric,
		     const struct port_errors_options *options, struct port_errors *errors);
void port_errors_clear(struct port_errors *errors);
/* By the place of the port; NULL: nothing of it came. */
const struct port_counters *port_errors_find(const struct port_errors *errors, uint32_t port);
/* The record's strings are the caller's: perf_record_clear(). */
void port_counters_decode(const struct port_counters *counters, struct perf_record *record);
