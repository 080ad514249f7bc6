/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The differences between two scans: nodes and cables that are gone, new or moved, and links with
 * another width, speed or state. Nodes are matched by GUID, and nodes that share a GUID by
 * description and path. Anything that one of the scans could not see is neither gone nor new, but
 * unanswered.
 */
#pragma once

#include "fabric/graph/view.h"

enum side { BEFORE, AFTER, SIDES };

enum fabric_change_kind {
	CHANGE_NODE_GONE,
	CHANGE_NODE_NEW,
	CHANGE_DESCRIPTION,
	CHANGE_PORT_COUNT,
	CHANGE_CABLE_GONE,
	CHANGE_CABLE_NEW,
	CHANGE_CABLE_MOVED,
	CHANGE_WIDTH,
	CHANGE_SPEED,
	CHANGE_STATE,
	CHANGE_MTU,
	CHANGE_LID,
	CHANGE_UNANSWERED, /* one of the scans did not see it: no known change */
};

/* The record of fabric_changes_schema. Strings are owned. */
struct fabric_change {
	struct number change; /* enum fabric_change_kind */
	char *node;	      /* name in the later scan, if the node is there */
	struct number port;
	char *texts[SIDES]; /* NULL: none, or unknown */
	struct number node_guid, node_type;
	struct number peer_guid[SIDES], peer_port[SIDES]; /* of a cable: its other end */
	/* Ports, or FABRIC_NONE: this one, and the one that the earlier cable led to. */
	uint32_t at[SIDES], earlier_peer[SIDES];
};

extern const struct schema fabric_changes_schema;

struct fabric_changes {
	struct fabric_change *items; /* sorted by node and port, in natural order */
	size_t count;
	bool changed;	 /* some change is not CHANGE_UNANSWERED */
	bool incomplete; /* one of the scans is incomplete, or did not see what the other saw */
};

void fabric_changes_clear(struct fabric_changes *changes);

/* What is compared, as bits; nodes have one bit per type. */
enum fabric_compared {
	COMPARE_SWITCHES = 1 << 0,
	COMPARE_HOSTS = 1 << 1,
	COMPARE_ROUTERS = 1 << 2,
	COMPARE_CABLES = 1 << 3,
	COMPARE_DESCRIPTION = 1 << 4,
	COMPARE_WIDTH = 1 << 5,
	COMPARE_SPEED = 1 << 6,
	COMPARE_STATE = 1 << 7,
	COMPARE_MTU = 1 << 8,
	COMPARE_LID = 1 << 9,
};
#define COMPARE_ALL (~0u)
extern const struct enum_name fabric_compared_names[];
/*
 * Makes each port of the adapters and routers a node, as in a list of ibnetdiscover -p, so that a
 * scan can be compared with one. Port indexes change, and tables of ports are dropped.
 */
void fabric_split_adapters(struct fabric *fabric);
/*
 * Fills empty changes. The cables of a node that is gone or new are listed only if nodes of its
 * type are not compared: otherwise the row of the node implies them.
 */
void fabric_compare(const struct fabric_view *before, const struct fabric_view *after,
		    unsigned int compared, struct fabric_changes *changes);
/* Returns the bit of a node type. */
enum fabric_compared fabric_compared_type(unsigned int type);
/*
 * Drops changes of other things, but keeps CHANGE_UNANSWERED: what was not seen may have changed.
 * Also drops cables that are gone from ports that are expected to be down in either scan: `down` is
 * by side and port, or NULL.
 */
void fabric_changes_choose(struct fabric_changes *changes, unsigned int compared,
			   const bool *const *down);

/*
 * Shared by the files of the comparison. A place is a port in both scans: ports of the earlier scan
 * keep their numbers, and ports that only the later scan has follow.
 */
static inline enum side other_side(enum side side)
{
	return side == BEFORE ? AFTER : BEFORE;
}

/* Instead of a peer: */
enum {
	NO_PEER = FABRIC_NONE,		/* there is no cable */
	UNKNOWN_PEER = FABRIC_NONE - 1, /* the scan did not see where the port leads */
	NO_PORT = FABRIC_NONE - 2,	/* the scan has no such port */
	LEAST_SPECIAL = NO_PORT,
};

struct comparison {
	const struct fabric_view *views[SIDES];
	unsigned int compared;
	struct fabric_changes *changes;
	uint32_t *matches[SIDES]; /* by node: the same node in the other scan, or FABRIC_NONE */
	bool *hidden[SIDES];	  /* by node: the other scan lacks it, but may have missed it */
	uint32_t place_count;
	uint32_t *ports[SIDES]; /* by place: the port in the scan, or FABRIC_NONE */
	uint32_t *peers[SIDES]; /* by place: the place of the peer, or one of the above */
	uint32_t *places;	/* by port of the later scan */
	uint8_t *failed[SIDES]; /* by port: a bit for each attribute that was not answered */
	/*
	 * By place: its rank by the name of the node, switches first. A cable is represented by its
	 * end with the lower rank.
	 */
	uint32_t *order;
	bool *cables[SIDES]; /* by place: its cable is only in this scan, and not reported yet */
};

static inline const struct fabric *fabric_at(const struct comparison *comparison, enum side side)
{
	return comparison->views[side]->fabric;
}

/* Pairs the nodes of both scans in `matches`. */
void diff_match(struct comparison *comparison);
/* Fills places, ports, peers, hidden, failed and order. */
void diff_lay_out(struct comparison *comparison);
/* Returns the node of a place in a scan that has it. */
static inline uint32_t diff_node(const struct comparison *comparison, enum side side,
				 uint32_t place)
{
	return fabric_at(comparison, side)->ports[comparison->ports[side][place]].node;
}

/* Appends a row about a port. */
struct fabric_change *diff_add_port(struct comparison *comparison, enum fabric_change_kind kind,
				    uint32_t place);
/* Fills in where the cable of the place leads in that scan. */
void diff_set_peer(struct comparison *comparison, struct fabric_change *change, enum side side,
		   uint32_t place);

/* Reports the cables that are gone, new, or moved. */
void diff_cables(struct comparison *comparison);
