/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The steps of rdmactl perf: perf.c parses the command line, perf_plan.c finds the ports of the
 * nodes, perf_read.c reads them, perf_watch.c shows rates, perf_reset.c clears counters.
 */
#pragma once

#include "mad/perf_record.h"
#include "cmd/mad/mad_listing.h"

#define PERF_PORTS_MOST 256u

struct perf_args {
	struct mad_args mad;
	bool errors, traffic, fec, vl, congestion;
	bool all_ports, all;
	bool watch, reset;
	struct number interval, count;
};

/* A queried node. */
struct perf_node {
	struct perf_caps caps;
	char *description;
	bool dead;			/* its agent did not answer ClassPortInfo */
	bool reported[PERF_PARTS_MOST]; /* as missing */
	bool wanted[PERF_PORTS_MOST];
};

/* One port of a node. */
struct perf_port {
	size_t destination; /* index of the session's destinations and of the nodes */
	uint8_t port;
	struct number fec;
	unsigned int lanes;
	bool read;     /* in the last round */
	bool reported; /* its failure, once for all rounds */
};

struct perf_run {
	struct mad_listing mad;
	const struct perf_args *args;
	enum perf_listing listing;
	struct perf_node *nodes;
	struct perf_port *ports;
	size_t port_count;
	struct perf_record *rows;
	size_t row_count;
	struct perf_rates **rounds; /* of --watch, each of port_count */
	size_t round_count;
	struct ctx headless; /* copy of the listing's, to print rows without headings */
};

/*
 * Queries the nodes and lists their ports. False if there is none or a word is bad: the error is in
 * the listing.
 */
bool perf_plan(struct perf_run *run);
/* Reads all ports once into run->rows: the rows of perf_rows(), with their node and port. */
void perf_read(struct perf_run *run);
void perf_drop_rows(struct perf_run *run);
/* False if the request of a port failed, which is reported, once for the same of one node. */
bool perf_check(struct perf_run *run, const struct perf_port *port, const char *what,
		const struct mad_item *item);
/* Later rows are printed without headings. */
void perf_omit_headings(struct perf_run *run);
/* Shows rates, round by round, until a signal or the last round. */
void perf_watch(struct perf_run *run);
void perf_drop_rounds(struct perf_run *run);
/* Clears the counters of the ports that were read. */
void perf_reset(struct perf_run *run);
