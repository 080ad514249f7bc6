/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Routes and forwarding tables as records: the hops of a route, the entries of a switch's tables,
 * and how many routes share a cable. A row borrows the view, and what else it points to; strings
 * in lists are owned.
 */
#pragma once

#include "fabric/route/forwarding.h"
#include "fabric/graph/view.h"

/* Tags of columns that cost requests of their own. */
enum {
	ROUTE_OF_SA = 1,
	ROUTE_OF_COUNTERS = 2,
};

enum route_direction { ROUTE_THERE, ROUTE_BACK };

/* What the subnet administrator says of the way from one LID to another. */
struct route_path {
	struct real rate_gbps;
	struct number mtu_bytes, sl;
};

struct route_row {
	struct fabric_row at;	 /* the port that the hop leaves by */
	struct number direction; /* enum route_direction */
	struct number hop;	 /* from 1 on */
	struct number lid;	 /* where to */
	enum tristate same_cable;
	struct number errors, peer_errors;
	const struct route_path *path; /* NULL: not known */
};

extern const struct schema fabric_route_schema;

/* Whether the link of the hop is slower, or its MTU smaller, than the path record tells. */
enum tristate route_is_below_path(const struct route_row *row);

/* An entry of a linear table. */
struct linear_row {
	struct fabric_row at; /* the port that it names; of its switch port 0 if there is none */
	uint32_t owner;	      /* the port whose LID it is, or FABRIC_NONE */
	uint16_t lid;
	uint8_t out_port;
};

extern const struct schema fabric_tables_schema;

/* An entry of a multicast table. */
struct multicast_row {
	struct fabric_row at; /* port 0 of the switch */
	struct number mlid;
	struct strings ports; /* not known: a block of the table did not come */
	struct strings peers; /* who is at their other ends, in the same order; `-` nobody */
};

extern const struct schema fabric_multicast_schema;
/* False: no port is in the entry; there is no row then. */
bool multicast_row_make(const struct fabric_view *view, const struct forwarding *forwarding,
			const struct forwarding_table *table, uint32_t mlid,
			struct multicast_row *row);
void multicast_row_clear(struct multicast_row *row);

/* What goes out by a port. */
struct balance_row {
	struct fabric_row at;
	struct number routes; /* LIDs of adapters and routers that the switch sends out by it */
	struct number pairs;  /* source ports and LIDs whose packets cross the cable this way */
	struct real mean;     /* of the routes of the switch's ports to the same level */
	struct real load_percent;
	size_t order; /* of the row, by the name of the switch and the number of the port */
};

extern const struct schema fabric_balance_schema;
