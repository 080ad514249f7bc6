/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The counters of the ports of a session's destinations: which ports there are (perf_plan.c), their
 * rows (perf.c), clearing them (perf_reset.c). Failures are added to the session's problems.
 */
#pragma once

#include "mad/perf/perf_record.h"
#include "mad/session.h"

#define PERF_PORTS_MOST 256u

struct perf_options {
	enum perf_listing listing;
	bool all_ports; /* even of an adapter */
	bool all;	/* include VLs and SLs with nothing but zeros */
	bool sum;	/* one row for each node, added up by its agent if it can: 16.1.3.5 */
	bool names;	/* query the descriptions of the nodes */
	bool mark;	/* show saturated counters as text */
	bool repeats;	/* report the failure of a port only once */
};

/* A queried node. */
struct perf_node {
	struct perf_caps caps;
	char *description;
	struct number ports; /* physical ones */
	bool dead;	     /* its agent did not answer ClassPortInfo */
	bool is_switch;
	bool reported[PERF_PARTS_MOST]; /* already, as missing */
	bool wanted[PERF_PORTS_MOST];
};

/* One port of a node. */
struct perf_port {
	size_t destination; /* index into the session's destinations and the nodes */
	uint8_t port;	    /* or PERF_ALL_PORTS */
	struct number fec;
	unsigned int lanes;
	bool read;     /* in the last round */
	bool reported; /* its failure has been reported, in any round */
	/* By part of the listing, in the last round. */
	bool has[PERF_PARTS_MOST];
	uint8_t op_codes[PERF_PARTS_MOST];
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
/*
 * The counters of the listing of ports that a Set clears: bits 0 to 15 are CounterSelect of
 * PortCounters, 16 and 17 its CounterSelect2 (16.1.3.5), as in the mask of perfquery(8); the others
 * are the unicast and multicast packets of PortCountersExtended, in its order (16.1.4.11).
 */
#define PERF_CLEAR_ERRORS  (PERF_SELECT_ERRORS | PERF_SELECT2_QP1_DROPPED << 16)
#define PERF_CLEAR_TRAFFIC (PERF_SELECT_TRAFFIC | 0xfu << 18)
#define PERF_CLEAR_ALL	   0x3fffffu

/*
 * Select these counters in the data of a Set of PortCounters, or of PortCountersExtended. Return
 * false if the device has none of them there.
 */
bool perf_select_counters(struct perf_caps caps, uint32_t mask, unsigned char *data);
bool perf_select_extended(struct perf_caps caps, uint32_t mask, unsigned char *data);
/* Returns the counters of the mask that the device does not have. */
uint32_t perf_lacking_counters(struct perf_caps caps, uint32_t mask);
/*
 * Parses columns of the listing, or such a mask. -EINVAL: *ret_wrong is the word that is neither,
 * for the caller to free.
 */
int perf_parse_counters(const char *list, uint32_t *ret_mask, char **ret_wrong);
/* A hint for such a wrong word, to be freed. */
char *perf_counters_hint(const char *wrong);
/*
 * Clears those counters of the ports that were read last; in listings other than that of ports,
 * clears all counters. Returns the number of ports that were cleared.
 */
size_t perf_reset(struct perf *perf, uint32_t mask);
/* Reports which of these counters the nodes that were read do not have, if they have others. */
void perf_report_lacking(struct perf *perf, uint32_t mask);
/* Whether the attribute begins with the operation code that it counts. */
bool perf_counts_op_code(unsigned int attribute);
void perf_end(struct perf *perf);
/* "port 3" or "all ports"; the caller frees it. */
char *perf_port_words(const struct perf_port *port);
/* Returns false if the request of a port failed, which is reported. */
bool perf_check(struct perf *perf, const struct perf_port *port, const char *what,
		const struct mad_item *item);
/* The same for a Set: "clearing the counters of port 3: no answer, asked once". */
bool perf_check_set(struct perf *perf, const struct perf_port *port, const char *doing,
		    const struct mad_item *item, const char *hint);
