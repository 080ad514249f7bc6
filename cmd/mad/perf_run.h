/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What perf.c picks from the command line is done in steps: which ports of which nodes there are
 * (perf_plan.c), reading them (perf_read.c), and what else was asked for (perf_watch.c,
 * perf_reset.c).
 */
#pragma once

#include "mad/perf_record_rates.h"
#include "cmd/mad/mad_session.h"

#define PERF_PORTS_MOST 256u

struct perf_args {
	struct mad_args mad;
	bool errors, traffic, fec, vl, congestion;
	bool all_ports, all;
	bool watch, reset;
	struct number interval, count;
};

/* A node that was asked for. */
struct perf_node {
	struct perf_caps caps;
	char *description;
	bool dead;		    /* its agent gives no ClassPortInfo */
	bool told[PERF_PARTS_MOST]; /* that it has not this part */
	bool wanted[PERF_PORTS_MOST];
};

/* One port of it. */
struct perf_port {
	size_t destination; /* index of the session's destinations and of the nodes */
	uint8_t port;
	struct number fec;
	unsigned int lanes;
	bool read; /* in the last round */
	bool told; /* what went wrong with it: once is enough for all rounds */
};

struct perf_run {
	struct mad_session session;
	const struct perf_args *args;
	enum perf_listing listing;
	struct perf_node *nodes;
	struct perf_port *ports;
	size_t port_count;
	struct perf_record *rows;
	size_t row_count;
	struct perf_rates **rounds; /* of --watch, each of port_count */
	size_t round_count;
	struct ctx headless; /* the session's, for rows below those that have headings */
};

/*
 * Learns of the nodes and lists their ports, as far as there are any. False: there is none, or a
 * word was bad, and the session's listing says so.
 */
bool perf_plan(struct perf_run *run);
/* Reads all ports once, in run->rows: those of perf_rows(), completed with whom they are of. */
void perf_read(struct perf_run *run);
void perf_drop_rows(struct perf_run *run);
/* Notes a failed request of a port, but the same of one node only once. */
bool perf_check(struct perf_run *run, const struct perf_port *port, const char *what,
		const struct mad_item *item);
/* For rows below those that are printed with headings. */
void perf_omit_headings(struct perf_run *run);
/* Shows rates, round by round, until a signal or the last round. */
void perf_watch(struct perf_run *run);
void perf_drop_rounds(struct perf_run *run);
/* Clears the counters of those ports that were read. */
void perf_reset(struct perf_run *run);
