/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by scan.c, which sends the queries and takes the answers, and scan_duplicates.c, which
 * recognises nodes met before and keeps nodes with the same GUID apart.
 */
#pragma once

#include "fabric/scan/scan.h"

enum scan_query_kind {
	QUERY_ROOT,
	QUERY_PEER, /* NodeInfo of the node at the other end of the port */
	QUERY_DESCRIPTION,
	QUERY_SWITCH,
	QUERY_PORT,
	QUERY_VENDOR_SPEED,
	QUERY_PEER_DESCRIPTION, /* of a sighting: see scan_take_description() */
	/* For a probe: the state of its port `out`, then NodeInfo of the node at the other end. */
	QUERY_PROBE_STATE,
	QUERY_PROBE,
};

struct scan_query {
	uint32_t subject; /* a port, port 0 of the queried node, a sighting or a probe */
	enum scan_query_kind kind;
};

/* A node with this NodeInfo is at the other end of `port`; which of several such is unknown. */
struct scan_sighting {
	uint32_t port;
	uint32_t compared; /* last node with the GUID that it was compared with, or FABRIC_NONE */
	uint8_t info[NODE_INFO_BYTES];
};

/*
 * Tests whether a sighting is `node`: the same node has the same neighbour at its port `out`, whose
 * cable is certain.
 */
struct scan_probe {
	uint32_t sighting;
	uint32_t node;
	uint32_t out;
	bool same; /* the neighbour is the same */
};

struct scanner {
	struct mad_engine *engine;
	const struct fabric_scan_options *options;
	struct fabric *fabric;
	struct scan_query *queries;
	size_t head, query_count; /* queries before the head have been sent */
	struct scan_sighting *sightings;
	size_t sighting_count;
	struct scan_probe *probes;
	size_t probe_count;
	bool unlinked; /* a doubted cable was removed: ports may be left without a peer */
	bool refused;  /* the first node is not a switch, although one is required */
	bool full;     /* the limit of ports is reached */
};

/*
 * Finds the route to the node of a port (for an adapter's port, through that port's own cable) or,
 * with `at_peer`, to the node at its other end. Returns as fabric_path() does.
 */
int scan_route_to(const struct fabric *fabric, uint32_t port, bool at_peer,
		  uint8_t path[static MAD_HOPS_MOST + 1]);
void scan_enqueue(struct scanner *scanner, enum scan_query_kind kind, uint32_t subject);
/* Sends all queries and waits for the answers: see mad_engine_run(). */
int scan_run(struct scanner *scanner);
/*
 * Appends a node at the other end of a port (FABRIC_NONE for the first node), and queries its
 * attributes. Returns FABRIC_NONE if the bytes do not describe a node.
 */
uint32_t scan_add_node(struct scanner *scanner, uint32_t parent, const uint8_t *info);
/* Queries PortInfo of a port of an adapter or a router, if it is needed. */
void scan_query_end(struct scanner *scanner, uint32_t port);
/* Notes that the node at the other end of a port is not added, for the reason -errno. */
void scan_refuse(struct scanner *scanner, uint32_t port, int error);
/* Whether --hops allows queries beyond the node. */
bool scan_may_go_on(const struct scanner *scanner, const struct fabric_node *node);

/* From now on, only cables that were queried from the node's own ports count. */
void scan_doubt(struct scanner *scanner, uint32_t node);
/* Takes the description of an adapter that was met again. */
void scan_take_description(struct scanner *scanner, uint32_t sighting, const uint8_t *description);
/* Takes the NodeInfo of the node at the other end of a port. Returns false if it makes no sense. */
bool scan_meet(struct scanner *scanner, uint32_t port, const uint8_t *info);

/* Takes the answer to a query of a probe; NULL if none came. */
void scan_take_probe(struct scanner *scanner, uint32_t probe, enum scan_query_kind kind,
		     const uint8_t *data);
/* Settles all sightings, after everything else. */
int scan_resolve_duplicates(struct scanner *scanner);
