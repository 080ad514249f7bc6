/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The width and speed of links, and the best that both ends support, from PortInfo (14.2.5.6); and
 * the cables of a node, grouped for drawings.
 */
#pragma once

#include "fabric/graph/graph.h"
#include "mad/format/codes.h"

/* Active width and speed; 0 and SPEED_UNKNOWN if unknown. */
unsigned int fabric_lanes(const struct fabric_port *port);
enum lane_speed fabric_speed(const struct fabric_port *port);
/* The best that both ends of the cable support; 0 if one of them is unknown. */
unsigned int fabric_best_lanes(const struct fabric *fabric, uint32_t port);
enum lane_speed fabric_best_speed(const struct fabric *fabric, uint32_t port);
/* Whether the link is narrower or slower than both ends support; if so, the best they support. */
bool fabric_could_be(const struct fabric *fabric, uint32_t port, unsigned int *ret_lanes,
		     enum lane_speed *ret_speed);
bool fabric_is_slow(const struct fabric *fabric, uint32_t port);
/* Gigabits per second, as in `rdmactl ports` and the kernel's rate files; 0 if unknown. */
double fabric_rate_gbps(unsigned int lanes, enum lane_speed speed);
/* NeighborMTU and MTUCap in bytes; 0 if unknown. */
unsigned int fabric_mtu(const struct fabric_port *port);
unsigned int fabric_most_mtu(const struct fabric_port *port);
/* Data VLs in use; 0 if unknown. */
unsigned int fabric_vls(const struct fabric_port *port);

/*
 * The kind of a cable: how wide and fast it runs, whether that is its best, whether it is up; and
 * the cables of a node by the node at their other end.
 */
/* In ascending order of badness. */
enum cable_condition {
	CABLE_GOOD,
	CABLE_SLOW,	  /* narrower or slower than both ends support */
	CABLE_UNKNOWN,	  /* the state of both ends is unknown */
	CABLE_NOT_ACTIVE, /* one end is not */
	CABLE_UNANSWERED, /* the node at the other end did not answer */
};

/* Equal kinds are equal bytes. */
struct cable_kind {
	uint8_t condition;		/* enum cable_condition */
	uint8_t state;			/* of the end that is less ready; 0 if unknown */
	uint8_t lanes, speed;		/* 0, SPEED_UNKNOWN if unknown */
	uint8_t best_lanes, best_speed; /* if it is slow, else 0 */
};

/* The kind of the cable in a port; the same from either end. */
struct cable_kind cable_kind_of(const struct fabric *fabric, uint32_t port);
/* `4x EDR`, `1x EDR, could be 4x EDR`, `4x EDR, init`, `no answer`. */
#define CABLE_TEXT_SIZE 64
void cable_text(const struct cable_kind *kind, char text[static CABLE_TEXT_SIZE]);

/* Cables to the same node and of the same kind; a cable without an answer is alone. */
struct cables {
	uint32_t peer; /* the node, or FABRIC_NONE */
	struct cable_kind kind;
	const uint32_t *ports; /* of the node here */
	size_t count;
};

struct cable_list {
	struct cables *items; /* by peer, then by kind */
	size_t count;
	uint32_t *ports;
	size_t port_count;
	unsigned int beyond; /* ports with a link that the scan did not follow */
};

/* Neighbours are sorted by `order`, which has a number for each node. */
void cable_list_fill(const struct fabric *fabric, uint32_t node, const uint32_t *order,
		     struct cable_list *list);
void cable_list_clear(struct cable_list *list);

/*
 * The level of each switch in a tree. A fat tree does not tell its levels, so they are inferred:
 * switches with hosts are its leaves, and the others are as high as they are far from the leaves. A
 * switch that connects nothing that is not already connected below it is a leaf without hosts; a
 * switch with few hosts whose neighbours have many is not a leaf. A tree with hosts on all levels
 * begins at its middle.
 */
struct fabric_levels {
	unsigned int *level; /* of each node: leaves 1, the next level 2, ...; 0 if not a switch */
	unsigned int count;  /* the highest level; 0 without switches */
	/*
	 * At most a tenth of the cables between switches stay on a level. In other topologies (a
	 * torus, a dragonfly) the first switch of the graph is on top, and the others are as far
	 * below it as they are cables away.
	 */
	bool is_tree;
};

/* Channel adapters, without the aggregation nodes inside switches (SHARP). */
bool fabric_is_host(const struct fabric *fabric, uint32_t node);

void fabric_levels_fill(const struct fabric *fabric, struct fabric_levels *levels);
void fabric_levels_clear(struct fabric_levels *levels);
