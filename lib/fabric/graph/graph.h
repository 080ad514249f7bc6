/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A subnet as a graph: nodes, their ports, and which port is cabled to which. Nodes and ports are
 * identified by their index in flat arrays. The index stays valid when the arrays grow; a pointer
 * is valid only until the next node is added. The attributes of a node are kept as the bytes that
 * it sent, and read by the field tables of lib/mad. Sections are those of the InfiniBand
 * Architecture Specification, volume 1.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "host/device.h"
#include "mad/format/codes.h"
#include "mad/format/mad.h"
#include "schema/value.h"

#define FABRIC_NONE	       UINT32_MAX
#define FABRIC_HOPS_UNKNOWN    255u /* hops of a node: unknown, or more than a route can have */
#define FABRIC_PORT_MOST       254u
#define FABRIC_VENDOR_MELLANOX 0x0002c9u /* OUI */
#define FABRIC_VENDOR_BULL     0x119fu	 /* OUI under which Bull sells Mellanox devices */

/*
 * Limit of nodes with one GUID in a scan, more than were ever cloned by mistake. A switch that
 * reports a wrong LocalPortNum looks like another node with its GUID at each of its own cables.
 */
#define FABRIC_SCAN_DUPLICATES 16u
/*
 * Limit of ports in a scan, several times what a subnet of 49,151 LIDs can have. A node that
 * answers with ever new GUIDs must not exhaust the memory.
 */
#define FABRIC_SCAN_PORTS (UINT32_C(1) << 21)

/* Kept small, because there are tens of thousands: 84 bytes. */
struct fabric_port {
	/* PortGUID of an adapter or router; 0 if unknown. Packed to save space. */
	uint64_t guid __attribute__((packed, aligned(4)));
	uint32_t node;
	uint32_t peer; /* port at the other end of the cable, or FABRIC_NONE */
	uint8_t number;
	bool has_info : 1;
	bool queried : 1;      /* the node at its other end was queried */
	bool followed : 1;     /* its cable was followed: the peer is known from this end */
	bool unanswered : 1;   /* the query of that node failed */
	uint8_t vendor_speed;  /* LinkSpeedActive of the vendor's ExtendedPortInfo, 1: FDR10 */
	uint8_t vendor_speeds; /* its LinkSpeedSupported, likewise */
	uint8_t info[PORT_INFO_BYTES];
};

struct fabric_node {
	uint64_t guid;
	uint32_t first_port; /* index of its port 0 */
	uint32_t parent;     /* port through which it was found, or FABRIC_NONE */
	uint32_t same_guid;  /* next node with the same GUID, or FABRIC_NONE */
	uint16_t pending;    /* queries of a scan that have no answer yet */
	uint8_t type;	     /* enum node_type */
	uint8_t port_count;  /* without port 0 */
	uint8_t local_port;  /* its own port on the path from the parent */
	uint8_t hops;	     /* cables from where the scan began, or FABRIC_HOPS_UNKNOWN */
	bool has_description, has_switch_info;
	bool ambiguous; /* another node has the same GUID */
	bool doubted;	/* in a scan: cables known only from their other ends may be another's */
	uint8_t info[NODE_INFO_BYTES];
	uint8_t description[NODE_DESCRIPTION_BYTES];
	uint8_t switch_info[SWITCH_INFO_BYTES];
};

/* A query without a usable answer. */
struct fabric_failure {
	uint32_t port; /* queried port, or the port leading there; port 0: a node; or FABRIC_NONE */
	uint16_t attribute;
	uint8_t mgmt_class; /* 0: subnet management */
	bool at_peer;	    /* the query went to the node at the other end of the port */
	int error; /* as in struct mad_reply; 0: the answer had `status`, or made no sense */
	uint16_t status;
	unsigned int tries;
};

/* When and where a scan ran. Strings are owned and clean; NULL if unknown. */
struct fabric_origin {
	char *time; /* RFC 3339, UTC */
	char *host;
	char *device; /* local device */
	struct number port;
	struct number lid; /* of the local port */
	char *from;	   /* node where it began, as named by the user; NULL: the local port */
	struct number most_hops; /* limit of hops; unknown: no limit */
};

enum fabric_source {
	FABRIC_SCAN,	  /* a scan, or its file */
	FABRIC_TEXT,	  /* a text of another tool; attributes are made from its words */
	FABRIC_CACHE,	  /* a cache of ibnetdiscover; attributes are as the nodes sent them */
	FABRIC_PORT_LIST, /* a text, too: the list of ports of ibnetdiscover -p */
};

/* A part of a text that could not be read, or that contradicts another part. */
struct fabric_fault {
	uint32_t line; /* 0: none */
	char *reason;  /* owned and clean */
};

#define FABRIC_DETAIL_BYTES 64u

/* A block of a port's table, as received: see fabric_details_read(). */
struct fabric_detail {
	uint32_t port;
	uint16_t attribute;
	uint32_t modifier;
	uint8_t data[FABRIC_DETAIL_BYTES];
};

struct fabric {
	struct fabric_origin origin;
	struct fabric_node *nodes;
	uint32_t node_count;
	struct fabric_port *ports;
	uint32_t port_count;
	struct fabric_failure *failures;
	size_t failure_count;
	struct fabric_detail *details;
	size_t detail_count;
	struct fabric_fault *faults; /* of the text that the graph was loaded from */
	size_t fault_count;
	bool interrupted; /* the scan was interrupted */
	bool by_port; /* from a list of ports: each adapter port is a node with the port's GUID, and
			 a node may have more ports than listed */
	/*
	 * enum fabric_source. ibnetdiscover writes 63 bytes of a description, with blanks for
	 * unprintable ones.
	 */
	uint8_t source;
	/* Hash table of GUIDs, open addressing: index of the first node, or FABRIC_NONE. */
	uint32_t *table;
	uint32_t table_size;
};

void fabric_clear(struct fabric *fabric);

/* Whether attributes are made from the words of a text: no node sent them. */
static inline bool fabric_is_made(const struct fabric *fabric)
{
	return fabric->source == FABRIC_TEXT || fabric->source == FABRIC_PORT_LIST;
}

/* Whether every query was answered, and all of a text was read. */
static inline bool fabric_is_complete(const struct fabric *fabric)
{
	return !fabric->failure_count && !fabric->fault_count && !fabric->interrupted;
}

/*
 * Appends a node with all its ports, port 0 included, from the bytes of a NodeInfo. Returns its
 * index, or FABRIC_NONE if the bytes do not describe a node (no port, unknown type).
 */
uint32_t fabric_add_node(struct fabric *fabric, const uint8_t info[static NODE_INFO_BYTES]);
/* Appends a node with the attributes of one of another graph, and with this NodeInfo. */
struct fabric_node *fabric_copy_node(struct fabric *fabric, const struct fabric_node *from,
				     const uint8_t info[static NODE_INFO_BYTES]);
/* Returns the first node with the GUID, or FABRIC_NONE; others follow through same_guid. */
uint32_t fabric_find(const struct fabric *fabric, uint64_t guid);
/* Marks all nodes that share a GUID as ambiguous, and no others. */
void fabric_mark_duplicates(struct fabric *fabric);
/* Connects two ports by a cable; a port may be cabled to itself. */
void fabric_link(struct fabric *fabric, uint32_t port, uint32_t peer);
void fabric_unlink(struct fabric *fabric, uint32_t port);

static inline struct fabric_node *fabric_node_of(const struct fabric *fabric, uint32_t port)
{
	return &fabric->nodes[fabric->ports[port].node];
}

static inline bool fabric_is_of_switch(const struct fabric *fabric, uint32_t port)
{
	return fabric_node_of(fabric, port)->type == NODE_TYPE_SWITCH;
}

/* Returns the index of a node's port; the node must have a port of that number. */
static inline uint32_t fabric_port_at(const struct fabric *fabric, uint32_t node,
				      unsigned int number)
{
	return fabric->nodes[node].first_port + number;
}

/* Walks the indexes of a node's ports, without port 0. */
#define for_each_port_of(port, node)                 \
	for (uint32_t port = (node)->first_port + 1; \
	     port <= (node)->first_port + (node)->port_count; port++)
/* Returns the node at the other end of the cable in a port, or FABRIC_NONE. */
static inline uint32_t fabric_peer_node(const struct fabric *fabric, uint32_t port)
{
	const uint32_t peer = fabric->ports[port].peer;

	return peer == FABRIC_NONE ? FABRIC_NONE : fabric->ports[peer].node;
}

/*
 * Returns the representative of the set that a number is in, and shortens the way to it. Each
 * number's parent is a member of the same set, or the number itself if it is the representative.
 */
static inline uint32_t fabric_set_of(uint32_t *parents, uint32_t number)
{
	while (parents[number] != number) {
		parents[number] = parents[parents[number]];
		number = parents[number];
	}
	return number;
}

/* Returns the port; FABRIC_NONE if there is none, or several nodes have the GUID. */
uint32_t fabric_find_port(const struct fabric *fabric, uint64_t node_guid, uint64_t number);
/* For qsort() and bsearch() of items that begin with the index of a port. */
int fabric_compare_ports(const void *a, const void *b);

/*
 * Finds the directed route to a node: path[1] to path[hops] are the output ports. Returns the
 * number of hops, or -1 if it is unknown or more than a route can have.
 */
int fabric_path(const struct fabric *fabric, uint32_t node, uint8_t path[static MAD_HOPS_MOST + 1]);

/* These are read from PortInfo; 0 if unknown. */
unsigned int fabric_port_state(const struct fabric_port *port);
unsigned int fabric_physical_state(const struct fabric_port *port);
static inline bool fabric_is_up(const struct fabric_port *port)
{
	return fabric_physical_state(port) == PHYSICAL_LINK_UP;
}
uint16_t fabric_port_lid(const struct fabric_port *port);
/* LID of the subnet manager that the port knows. */
uint16_t fabric_port_manager_lid(const struct fabric_port *port);
/* Number of LIDs that the port has: 2^LMC. */
unsigned int fabric_lid_count(const struct fabric_port *port);
bool fabric_has_lid(const struct fabric_port *port, uint32_t lid);
/*
 * Whether two ports are one, or planes of a port of a multi-plane adapter. Each plane is a port of
 * the node, with the LID and the GUID of the others; a scan does not know the GUID of a plane that
 * has no cable.
 */
bool fabric_are_planes(const struct fabric *fabric, uint32_t port, uint32_t other);
/* Returns the LID of the port (of port 0 for a switch's port); 0 if it has none, or unknown. */
uint16_t fabric_lid(const struct fabric *fabric, uint32_t port);
/*
 * Whether the port can be queried by its LID: queue pair 1 of an adapter answers only through an
 * active port, that of a switch at port 0. A loaded text does not have the state of adapters.
 */
bool fabric_is_reachable(const struct fabric *fabric, uint32_t port);
/* Whether the device is from Mellanox (NVIDIA), and so may have their attributes. */
bool fabric_is_mellanox(const struct fabric_node *node);

/* The width and speed of links, and the best that both ends support, from PortInfo (14.2.5.6). */

/* Active width and speed; 0 and SPEED_UNKNOWN if unknown. */
unsigned int fabric_lanes(const struct fabric_port *port);
enum lane_speed fabric_speed(const struct fabric_port *port);
/* Returns the best that both ends of the cable support; 0 if one of them is unknown. */
unsigned int fabric_best_lanes(const struct fabric *fabric, uint32_t port);
enum lane_speed fabric_best_speed(const struct fabric *fabric, uint32_t port);
/* Whether the link is narrower or slower than both ends support. */
bool fabric_is_slow(const struct fabric *fabric, uint32_t port);
/* Whether no wider or faster link is enabled at both ends. */
bool fabric_is_at_enabled_best(const struct fabric *fabric, uint32_t port);
/* Whether only the vendor's attribute can tell QDR from FDR10: PortInfo shows QDR for both. */
bool fabric_may_be_fdr10(const struct fabric *fabric, uint32_t port);
/* Whether the port itself supports no better link, so that fabric_is_slow() is false. */
bool fabric_is_at_own_best(const struct fabric_port *port);
/* Returns gigabits per second, as in `rdmactl ports` and the kernel's rate files; 0 if unknown. */
double fabric_rate_gbps(unsigned int lanes, enum lane_speed speed);
/* NeighborMTU and MTUCap in bytes; 0 if unknown. */
unsigned int fabric_mtu(const struct fabric_port *port);
unsigned int fabric_most_mtu(const struct fabric_port *port);
/* Data VLs in use; 0 if unknown. */
unsigned int fabric_vls(const struct fabric_port *port);

/*
 * The kind of a cable: its width and speed, whether that is its best, whether it is up; and the
 * cables of a node, grouped by the node at their other end.
 */
/* From best to worst. */
enum cable_condition {
	CABLE_GOOD,
	CABLE_SLOW,	  /* narrower or slower than both ends support */
	CABLE_UNKNOWN,	  /* the state of both ends is unknown */
	CABLE_NOT_ACTIVE, /* one end is not active */
	CABLE_UNANSWERED, /* the node at the other end did not answer */
};

/* Equal kinds have equal bytes. */
struct cable_kind {
	uint8_t condition;		/* enum cable_condition */
	uint8_t state;			/* of the less ready end; 0 if unknown */
	uint8_t lanes, speed;		/* 0, SPEED_UNKNOWN if unknown */
	uint8_t best_lanes, best_speed; /* if it is slow; else 0 */
};

/* Returns the kind of the cable in a port, which is the same from either end. */
struct cable_kind cable_kind_of(const struct fabric *fabric, uint32_t port);
/* `4x EDR`, `1x EDR, could be 4x EDR`, `4x EDR, init`, `no answer`. */
#define CABLE_TEXT_SIZE 64
void cable_text(const struct cable_kind *kind, char text[static CABLE_TEXT_SIZE]);

/* Cables of the same kind to the same node; a cable without an answer is separate. */
struct cables {
	uint32_t peer; /* the node, or FABRIC_NONE */
	struct cable_kind kind;
	const uint32_t *ports; /* at the node here */
	size_t count;
};

struct cable_list {
	struct cables *items; /* sorted by peer, then by kind */
	size_t count;
	uint32_t *ports;
	size_t port_count;
	unsigned int beyond; /* ports with a link that the scan did not follow */
};

/* Neighbours are sorted by `order`, which has a number for each node. */
void cable_list_fill(const struct fabric *fabric, uint32_t node, const uint32_t *order,
		     struct cable_list *list);
DEFINE_CLEAR(struct cable_list, cable_list_clear, free(object->items), free(object->ports))

/*
 * The level of each switch in a tree. Nothing in a fat tree tells its levels, so they are inferred:
 * switches with hosts are its leaves, and the others are as high as they are far from the leaves. A
 * switch that only connects what is already connected below it is a leaf without hosts; a switch
 * with few hosts whose neighbours have many is not a leaf. If a tree has hosts on all levels, its
 * middle is on top.
 */
struct fabric_levels {
	unsigned int *level; /* of each node: leaves 1, the next level 2, ...; 0 if not a switch */
	unsigned int count;  /* the highest level; 0 without switches */
	/*
	 * At most a tenth of the cables between switches stay within a level. In other topologies
	 * (a torus, a dragonfly) the first switch of the graph is on top, and the others are as
	 * many levels below it as they are cables away.
	 */
	bool is_tree;
};

/* Channel adapters, without the aggregation nodes inside switches (SHARP). */
bool fabric_is_host(const struct fabric *fabric, uint32_t node);

void fabric_levels_fill(const struct fabric *fabric, struct fabric_levels *levels);
DEFINE_CLEAR(struct fabric_levels, fabric_levels_clear, free(object->level))
