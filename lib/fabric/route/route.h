/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The way that packets to a LID take through a subnet, by the switches' forwarding tables (18.2.4),
 * and where it ends when it does not arrive. Pure: what a table says is asked of the caller.
 */
#pragma once

#include "fabric/graph/graph.h"
#include "fabric/graph/view.h"
#include "fabric/route/forwarding.h"
#include "mad/engine/engine.h"

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

/*
 * The directed route to a LID from the local port, found without a scan: node by node, each asked
 * by the route so far who it is and where its forwarding table sends the LID. So it leads where
 * packets to the LID go, also when no subnet manager answers.
 */
enum walk_end {
	WALK_ARRIVED,
	WALK_SILENT,   /* the node did not answer: see attribute, error and the others */
	WALK_NOWHERE,  /* its table has no port for the LID */
	WALK_NO_PORT,  /* it has one that the switch has not, or the switch itself */
	WALK_LOOP,     /* it has been there */
	WALK_STRANGER, /* an adapter or a router that has not the LID */
	WALK_FAR,      /* further than a directed route can reach */
};

struct fabric_walk {
	uint8_t path[MAD_HOPS_MOST + 1]; /* path[1] to path[hops] */
	unsigned int hops;
	enum walk_end end;
	/* Of the last node that answered: behind it is one that does not say his NodeInfo. */
	uint8_t info[NODE_INFO_BYTES];
	uint8_t description[NODE_DESCRIPTION_BYTES];
	bool has_info, has_description;
	unsigned int out_port;
	/* Of WALK_SILENT, as of struct fabric_silence. */
	uint16_t attribute;
	int error;
	uint16_t status;
	unsigned int tries;
};

/* Returns 0, the end being in the walk; -ECANCELED: it was stopped. */
int fabric_walk(struct mad_engine *engine, uint64_t mkey, uint16_t lid, struct fabric_walk *walk);

/*
 * Routes and forwarding tables as records: the hops of a route, the entries of a switch's tables,
 * and how many routes share a cable. A row borrows the view, and what else it points to; strings
 * in lists are owned.
 */
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
