/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Between the files that compare two scans. A place stands for a port in both of them: the ports of
 * the earlier scan have their own numbers, those of nodes that only the later one has follow.
 */
#pragma once

#include "fabric/diff/diff.h"

enum side { BEFORE, AFTER, SIDES };

static inline enum side other_side(enum side side)
{
	return side == BEFORE ? AFTER : BEFORE;
}

/* Instead of the place of a port's peer. */
enum {
	NO_PEER = FABRIC_NONE,		/* there is no cable */
	UNKNOWN_PEER = FABRIC_NONE - 1, /* the scan did not see where it leads */
	NO_PORT = FABRIC_NONE - 2,	/* the scan has no such node */
	LEAST_SPECIAL = NO_PORT,
};

struct comparison {
	const struct fabric_view *views[SIDES];
	struct fabric_changes *changes;
	uint32_t *twins[SIDES]; /* of each node: the same one in the other scan, or FABRIC_NONE */
	bool *hidden[SIDES];	/* of nodes: the other scan has none, but may have overlooked it */
	uint32_t place_count;
	uint32_t *ports[SIDES]; /* of each place: the port of the scan, or FABRIC_NONE */
	uint32_t *peers[SIDES]; /* of each place: the peer's, or what is above */
	uint32_t *places;	/* of each port of the later scan */
	uint8_t *silent[SIDES]; /* of each port: what of it is unanswered, a bit each */
	/* Of each place: by the name of the node, switches first; of two ends, the first is shown.
	 */
	uint32_t *order;
	bool *cables[SIDES]; /* of each place: its cable is only there, and not told of yet */
};

static inline const struct fabric *fabric_at(const struct comparison *comparison, enum side side)
{
	return comparison->views[side]->fabric;
}

/* Pairs the nodes of both scans: fills the twins. */
void diff_match(struct comparison *comparison);
/* Fills places, ports and peers, and what is hidden and silent. */
void diff_lay_out(struct comparison *comparison);
/* The node of a place in that scan, which has it. */
static inline uint32_t diff_node(const struct comparison *comparison, enum side side,
				 uint32_t place)
{
	return fabric_at(comparison, side)->ports[comparison->ports[side][place]].node;
}

/* Appends a row that is about a node, or about a port of it. */
struct fabric_change *diff_add(struct comparison *comparison, enum fabric_change_kind kind,
			       enum side side, uint32_t node);
struct fabric_change *diff_add_port(struct comparison *comparison, enum fabric_change_kind kind,
				    uint32_t place);
/* Says in the row where the cable of the place leads to in that scan. */
void diff_tell_peer(struct comparison *comparison, struct fabric_change *change, enum side side,
		    uint32_t place);

/* Cables that are gone, new, or elsewhere. */
void diff_cables(struct comparison *comparison);
