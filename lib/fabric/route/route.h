/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The route that packets to a LID take through a subnet according to the forwarding tables
 * (18.2.4), and where it ends if it does not arrive; also routes and tables as records.
 */
#pragma once

#include "base/cleanup.h"
#include "fabric/graph/graph.h"
#include "fabric/graph/view.h"
#include "fabric/route/forwarding.h"
#include "mad/engine/engine.h"
#include "mad/engine/request.h"

enum route_end {
	ROUTE_ARRIVED,
	ROUTE_NOWHERE,	/* the table has no port for the LID */
	ROUTE_NO_PORT,	/* the table has a port that the switch lacks, or 0 for another's LID */
	ROUTE_NO_PEER,	/* the other end of that port is unknown */
	ROUTE_LOOP,	/* packets come back to a switch */
	ROUTE_STRANGER, /* packets arrive at an adapter or router port with another LID */
	ROUTE_UNKNOWN,	/* the entry could not be read */
};

struct fabric_route {
	uint32_t *ports; /* output port of each hop, in the graph */
	size_t count;
	enum route_end end;
	uint32_t node;	       /* where the route ends */
	unsigned int out_port; /* in that node's table, for ROUTE_NO_PORT and ROUTE_NO_PEER */
};

/* Returns the output port for the LID in the table of the node, as forwarding_port() does. */
typedef unsigned int (*route_lookup)(void *context, uint32_t node, uint16_t lid);

/* Fills an empty route from a port (port 0 of a switch) to the port that owns the LID. */
void route_follow(const struct fabric *fabric, uint32_t from, uint32_t to, uint16_t lid,
		  route_lookup lookup, void *context, struct fabric_route *route);
DEFINE_CLEAR(struct fabric_route, route_clear, free(object->ports))
/* Whether `back` takes the cable of that hop of `there` in the opposite direction. */
bool route_takes_back(const struct fabric *fabric, const struct fabric_route *there, size_t hop,
		      const struct fabric_route *back);

/*
 * The directed route to a LID from the local port, found without a scan: each node on the way is
 * queried for its type and for where its forwarding table sends the LID. So the route leads where
 * packets to the LID go, even if no subnet manager answers.
 */
enum walk_end {
	WALK_ARRIVED,
	WALK_UNANSWERED, /* the node did not answer: see `failure` */
	WALK_NOWHERE,	 /* the node's table has no port for the LID */
	WALK_NO_PORT,	 /* it has a port that the switch lacks, or port 0 for another's LID */
	WALK_LOOP,	 /* the walk came back to a switch */
	WALK_STRANGER,	 /* ended at an adapter or router with another LID */
	WALK_FAR,	 /* more hops than a directed route can have */
};

struct fabric_walk {
	uint8_t path[MAD_HOPS_MOST + 1]; /* path[1] to path[hops] */
	unsigned int hops;
	enum walk_end end;
	/* Attributes of the last node that answered NodeInfo. */
	uint8_t info[NODE_INFO_BYTES];
	uint8_t description[NODE_DESCRIPTION_BYTES];
	bool has_info, has_description;
	unsigned int out_port;
	struct fabric_failure failure; /* for WALK_UNANSWERED; it has no port */
};

/* Returns 0 with the end in `walk`, or -ECANCELED if stopped. */
int fabric_walk(struct mad_engine *engine, uint64_t mkey, uint16_t lid, struct fabric_walk *walk);
/* Describes where and why a walk ended that did not arrive: "at ...", "after ..."; to be freed. */
char *fabric_walk_text(const struct fabric_walk *walk);

/*
 * Routes and forwarding tables as records: hops, entries, and the routes that share a cable. A row
 * borrows the view and the objects that it points to; strings in lists are owned.
 */
/* What columns need besides VIEW_NEEDS_END_PORTS: additional requests. */
enum { ROUTE_NEEDS_SA = 2, ROUTE_NEEDS_COUNTERS = 4 };

enum route_direction { ROUTE_THERE, ROUTE_BACK };

/* The path record of the subnet administrator for one direction. */
struct route_path {
	struct real rate_gbps;
	struct number mtu_bytes, sl;
};

struct route_row {
	struct fabric_row at;	 /* the output port of the hop */
	struct number direction; /* enum route_direction */
	struct number hop;	 /* from 1 on */
	struct number lid;	 /* destination */
	enum tristate same_cable;
	struct number errors, peer_errors;
	const struct route_path *path; /* NULL if unknown */
};

extern const struct schema fabric_route_schema;

/* Whether the link of the hop is slower, or its MTU smaller, than the path record says. */
enum tristate route_is_below_path(const struct route_row *row);

/* An entry of a linear table. */
struct linear_row {
	struct fabric_row at; /* its output port, or port 0 if the switch has no such port */
	uint32_t owner;	      /* the port that has the LID, or FABRIC_NONE */
	struct number lid, out_port;
};

extern const struct schema fabric_tables_schema;

/* An entry of a multicast table. */
struct multicast_row {
	struct fabric_row at; /* port 0 of the switch */
	struct number mlid;
	struct strings ports; /* unknown if a block of the table is unknown */
	struct strings peers; /* nodes at their other ends, in the same order; `-` if none */
};

extern const struct schema fabric_multicast_schema;
/* Returns false, and leaves the row empty, if the entry has no port. */
bool multicast_row_make(const struct fabric_view *view, const struct forwarding *forwarding,
			const struct forwarding_table *table, uint32_t mlid,
			struct multicast_row *row);
DEFINE_CLEAR(struct multicast_row, multicast_row_clear, strings_free(&object->ports),
	     strings_free(&object->peers))

/* The load of a port. */
struct balance_row {
	struct fabric_row at;
	struct number routes; /* LIDs of adapters and routers that the switch sends to it */
	struct number pairs;  /* pairs of a source port and a LID whose packets leave by it */
	struct real mean;     /* mean number of routes of the switch's ports to the same level */
	struct real load_percent;
	size_t order; /* of the row, by the name of the switch and the number of the port */
};

extern const struct schema fabric_balance_schema;

/* A destination of packets that cross a cable. */
struct using_row {
	struct fabric_row at; /* the destination's port */
	uint32_t source;      /* the port that sends; FABRIC_NONE for all of them together */
	struct number direction;
	struct number sources; /* number of ports that send; unknown if `source` is one port, or if
				  a table is unknown */
	struct number lid;
};

extern const struct schema fabric_using_schema;

/* The node of a graph that a user named by LID, GUID, GID, directed route or name. */
struct fabric_place {
	uint32_t node;
	uint32_t port; /* port 0 of a switch; else the port named, or the first with a LID */
	uint16_t lid;  /* the LID named, else that of the port; 0 if it has none */
};

/*
 * Finds nodes of a graph. The lists are made when first needed, so that looking up many words takes
 * little longer than looking up one. Initialise to zero except for the view, whose graph must not
 * change meanwhile.
 */
struct fabric_finder {
	struct fabric_view view;
	uint32_t *owners, *owner_counts; /* of forwarding_owners() */
	struct finder_name {
		char *name;
		uint32_t node;
	} * names; /* of all nodes, sorted */
	struct finder_guid {
		uint64_t guid;
		uint32_t port;
	} * guids; /* of ports, sorted */
	size_t guid_count;
	bool has_guids;
};

/* Must be called before the graph is cleared. */
void fabric_finder_clear(struct fabric_finder *finder);

/*
 * Returns how many nodes the target may mean, and the first in *ret_place. A GUID is matched
 * against nodes, ports and systems, in this order; a directed route begins where the scan began.
 */
size_t fabric_find_target(struct fabric_finder *finder, const struct mad_target *target,
			  struct fabric_place *ret_place);
/* Does the same by name, or by NAME/PORT as written in messages. */
size_t fabric_find_name(struct fabric_finder *finder, const char *word,
			struct fabric_place *ret_place);
/*
 * Returns, by node, whether its name matches a shell pattern or, if no name does, whether the node
 * or one of its ports has that GUID. To be freed; NULL if there is no such node.
 */
bool *fabric_match_names(const struct fabric_view *view, const char *pattern);

/* Many routes at once: the pairs of a file, their routes, and the cables that these share. */

/* A line of the file. */
struct route_pair {
	char *from, *to; /* owned */
	unsigned int line;
};

struct route_pairs {
	struct route_pair *items;
	size_t count;
};

/*
 * Each line has two destinations; one that contains blanks is in quotation marks. Empty lines and
 * comments (from a # between words to the end of the line) are ignored. Returns 0, or -EINVAL with
 * the number of the first malformed line; what was read before it must be freed, too.
 */
int route_pairs_parse(struct route_pairs *pairs, const char *text, unsigned int *ret_line);
void route_pairs_clear(struct route_pairs *pairs);

/* The route of a pair. */
struct pair_row {
	struct fabric_row at; /* the port of the source */
	uint32_t to;	      /* the port of the destination */
	struct number lid;    /* of the destination */
	struct number line;   /* in the file */
	struct number hops;
	struct number end;     /* enum route_end */
	struct strings cables; /* ports by which packets leave nodes */
	struct number most;    /* pairs that share the busiest cable of the route */
	uint32_t most_shared;  /* the port of that cable, or FABRIC_NONE */
};

extern const struct schema fabric_pairs_schema;

/* A cable, as the port by which packets of pairs leave a node. */
struct shared_row {
	struct fabric_row at;
	struct number pairs;
};

extern const struct schema fabric_shared_schema;
