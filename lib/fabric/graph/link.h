/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How wide and fast a link is, and what it could be: from the PortInfo of its ends (14.2.5.6).
 */
#pragma once

#include "fabric/graph/graph.h"
#include "schema/value.h"

/* In the order of their speed. */
enum fabric_speed {
	SPEED_UNKNOWN,
	SPEED_SDR,
	SPEED_DDR,
	SPEED_QDR,
	SPEED_FDR10, /* told by a vendor's attribute only */
	SPEED_FDR,
	SPEED_EDR,
	SPEED_HDR,
	SPEED_NDR,
	SPEED_XDR,
	SPEED_COUNT,
};

extern const struct enum_name fabric_speed_names[]; /* SDR, ... with the rate of a lane as help */

/* Active; 0 and SPEED_UNKNOWN: not known. */
unsigned int fabric_lanes(const struct fabric_port *port);
enum fabric_speed fabric_speed(const struct fabric_port *port);
/* The most that both ends of the cable in the port support; 0 if one of them is not known. */
unsigned int fabric_best_lanes(const struct fabric *fabric, uint32_t port);
enum fabric_speed fabric_best_speed(const struct fabric *fabric, uint32_t port);
/* Whether the link is narrower or slower than both ends support; if so, what it could be. */
bool fabric_could_be(const struct fabric *fabric, uint32_t port, unsigned int *ret_lanes,
		     enum fabric_speed *ret_speed);
bool fabric_is_slow(const struct fabric *fabric, uint32_t port);
/* Gigabits a second, as ports(1) and rate files of the kernel count it; 0: not known. */
double fabric_rate_gbps(unsigned int lanes, enum fabric_speed speed);
/* Bytes of NeighborMTU and MTUCap; 0: not known. */
unsigned int fabric_mtu(const struct fabric_port *port);
unsigned int fabric_most_mtu(const struct fabric_port *port);
/* Data VLs in use; 0: not known. */
unsigned int fabric_vls(const struct fabric_port *port);

/*
 * What a cable is like, for who shows many of them: its kind (how wide and fast it runs, whether
 * that is all it could, whether it is up), and the cables of a node by whom they lead to.
 */
/* The worse, the later. */
enum cable_condition {
	CABLE_GOOD,
	CABLE_SLOW,	  /* narrower or slower than both ends support */
	CABLE_UNKNOWN,	  /* its ends did not say how it is */
	CABLE_NOT_ACTIVE, /* one end is not */
	CABLE_UNANSWERED, /* who is behind it did not answer */
};

/* Equal kinds are equal bytes. */
struct cable_kind {
	uint8_t condition;		/* enum cable_condition */
	uint8_t state;			/* of the end that is less ready; 0: not known */
	uint8_t lanes, speed;		/* 0, SPEED_UNKNOWN: not known */
	uint8_t best_lanes, best_speed; /* if it is slow, else 0 */
};

/* Of the cable in a port, seen from either end. */
struct cable_kind cable_kind_of(const struct fabric *fabric, uint32_t port);
/* `4x EDR`, `1x EDR, could be 4x EDR`, `4x EDR, init`, `no answer`. */
#define CABLE_TEXT_SIZE 64
void cable_text(const struct cable_kind *kind, char text[static CABLE_TEXT_SIZE]);

/* Cables to the same node and of the same kind. Of those without an answer each is by itself. */
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
	unsigned int beyond; /* ports with a link that nobody has followed */
};

/* `order` numbers the nodes as their neighbours are to be sorted. */
void cable_list_fill(const struct fabric *fabric, uint32_t node, const uint32_t *order,
		     struct cable_list *list);
void cable_list_clear(struct cable_list *list);
