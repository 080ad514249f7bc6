/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The counters of the ports of a session's destinations: which ports there are (perf_plan.c), their
 * rows and clearing them (perf.c). What goes wrong is added to the session's problems.
 */
#pragma once

#include "mad/perf_record.h"
#include "mad/session.h"

#define PERF_PORTS_MOST 256u

struct perf_options {
	enum perf_listing listing;
	bool all_ports; /* of adapters, too */
	bool all;	/* include VLs and SLs with nothing but zeros */
	bool names;	/* query the descriptions of the nodes */
	bool mark;	/* show saturated counters as text */
	bool repeats;	/* report the failure of a port only once */
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

struct perf {
	struct mad_session *session;
	struct perf_options options;
	struct perf_node *nodes;
	size_t node_count;
	struct perf_port *ports;
	size_t port_count;
	struct perf_record *rows;
	size_t row_count;
};

/*
 * Queries the nodes and lists their ports: those that the words of a destination name, else all
 * ports of a switch and the queried port of an adapter. -EINVAL: a word is wrong; -EHOSTUNREACH:
 * there is no port. perf_end() must be called in either case.
 */
int perf_plan(struct perf *perf, struct mad_session *session, const struct perf_options *options);
/* Reads all ports once into perf->rows: the rows of perf_rows(), with their node and port. */
void perf_read(struct perf *perf);
void perf_drop_rows(struct perf *perf);
/*
 * Selects in the data of a Set of PortCounters, or of PortCountersExtended, what it clears. The
 * second is false if the device has none of the selected counters in 64 bits.
 */
void perf_select_counters(struct perf_caps caps, bool errors, bool traffic, unsigned char *data);
bool perf_select_extended(struct perf_caps caps, bool errors, bool traffic, unsigned char *data);
/*
 * Clears the error counters, those of traffic, or with both all counters of the ports that were
 * read last. Returns the number of ports for which that worked.
 */
size_t perf_reset(struct perf *perf, bool errors, bool traffic);
void perf_end(struct perf *perf);
/* False if the request of a port failed, which is reported. */
bool perf_check(struct perf *perf, const struct perf_port *port, const char *what,
		const struct mad_item *item);
