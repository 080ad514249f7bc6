/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a cable is like, for who shows many of them: its kind (how wide and fast it runs, whether
 * that is all it could, whether it is up), and the cables of a node by whom they lead to.
 */
#pragma once

#include "fabric/graph/graph.h"

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
