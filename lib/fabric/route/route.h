/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The way that packets to a LID take through a subnet, by the switches' forwarding tables (18.2.4),
 * and where it ends when it does not arrive. Pure: what a table says is asked of the caller.
 */
#pragma once

#include "fabric/graph/graph.h"

enum route_end {
	ROUTE_ARRIVED,
	ROUTE_NOWHERE,	/* the table has no port for the LID */
	ROUTE_NO_PORT,	/* it has one that the switch has not, or itself, whose LID it is not */
	ROUTE_NO_PEER,	/* nothing is known at the other end of that port */
	ROUTE_LOOP,	/* it comes to a switch where it has been */
	ROUTE_STRANGER, /* it comes to an adapter or router port that has not the LID */
	ROUTE_UNKNOWN,	/* the entry could not be read */
};

struct fabric_route {
	uint32_t *ports; /* that each hop leaves by: places in the graph */
	size_t count;
	enum route_end end;
	uint32_t node;	       /* where it ends */
	unsigned int out_port; /* what its table says, of ROUTE_NO_PORT and ROUTE_NO_PEER */
};

/* What the node's table says of the LID: as of forwarding_port(). */
typedef unsigned int (*route_lookup)(void *context, uint32_t node, uint16_t lid);

/*
 * Fills an empty route from a port (port 0 of a switch) to the port that has the LID: see
 * forwarding_owners().
 */
void route_follow(const struct fabric *fabric, uint32_t from, uint32_t to, uint16_t lid,
		  route_lookup lookup, void *context, struct fabric_route *route);
void route_clear(struct fabric_route *route);
/* Whether `back` takes the cable of that hop of `there`, the other way. */
bool route_takes_back(const struct fabric *fabric, const struct fabric_route *there, size_t hop,
		      const struct fabric_route *back);
