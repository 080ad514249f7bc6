/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The counters of performance management (chapter 16.1) of all ports of a subnet, read all at once.
 * The bytes are kept as they came, in flat arrays, and decoded by lib/mad/perf_record.h when they
 * are wanted. Only ports with a link are asked, by LID: what has none cannot be asked.
 */
#pragma once

#include "counter/counter_change.h"
#include "fabric/graph/graph.h"
#include "fabric/graph/view.h"
#include "mad/engine/engine.h"
#include "mad/perf_record.h"
#include "mad/perf_record_rates.h"

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

/*
 * Counters of ports as records: what they are now, how they have grown between two readings, and
 * how a file keeps them. A row owns its strings and lists, and borrows the view.
 */
/* A port with errors. */
struct port_errors_row {
	struct fabric_row at; /* the port */
	struct perf_record counters;
	struct number error_count; /* all error counters together */
	char *errors;		   /* for people: those that are not 0, the highest first */
};

extern const struct schema fabric_errors_schema;

/* False: no error counter is `least` or more, or at its maximum; the row is cleared then. */
bool port_errors_row_make(const struct fabric_view *view, const struct port_counters *counters,
			  uint64_t least, struct port_errors_row *row);
void port_errors_row_clear(struct port_errors_row *row);

/* A counter of two readings. */
struct port_counter_growth {
	const struct field *field; /* of perf_schema; its tag is the group */
	struct number before, value, growth;
	struct real per_sec;
	struct number state; /* enum counter_change_state */
};

/* A port whose counters moved. */
struct port_growth_row {
	struct fabric_row at; /* the port */
	struct perf_rates rates;
	struct number error_count; /* growth of all, those included that began anew */
	char *errors;
	struct port_counter_growth *counters; /* all that are known, of both readings */
	size_t count;
};

extern const struct schema fabric_error_growth_schema;

/*
 * From two readings of a port, or one (`before` NULL: it was not read then), so many seconds apart
 * (0: not known). False: no error counter grew by `least` or more, or has reached its maximum
 * since; the row is there all the same.
 */
bool port_growth_row_make(const struct fabric_view *view, const struct port_counters *before,
			  const struct port_counters *after, double seconds, uint64_t least,
			  struct port_growth_row *row);
void port_growth_row_clear(struct port_growth_row *row);

/* As a file has them; strings are owned. */
struct saved_port_counters {
	struct number node_guid, port;
	struct number cap_mask, cap_mask2;
	char *counters, *extended_counters; /* in hexadecimal; NULL: not there */
};

extern const struct schema saved_port_counters_schema; /* `saved_port_counters` */

struct saved_port_counters saved_port_counters_of(const struct fabric *fabric,
						  const struct port_counters *counters);
/*
 * Fills an empty list, of those ports that are in the graph and whose node's GUID is its own.
 * Returns the number of the others, or -EINVAL if the bytes of one are none.
 */
long saved_port_counters_load(const struct fabric *fabric, const struct saved_port_counters *saved,
			      size_t count, struct port_errors *errors);
