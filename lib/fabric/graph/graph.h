/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A subnet as a graph: nodes, their ports, and which port is cabled to which. Nodes and ports are
 * named by their place in flat arrays, which stays when these grow; a pointer to one is good until
 * the next is added. What a node said of itself is kept as the bytes that it sent, and read by the
 * field tables of lib/mad. Sections are those of the InfiniBand Architecture Specification,
 * volume 1.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/device.h"
#include "mad/format/mad.h"
#include "schema/value.h"

#define FABRIC_NONE	    UINT32_MAX
#define FABRIC_HOPS_UNKNOWN 255u /* to a node: no way is known, or a longer one than any route */
#define FABRIC_PORT_MOST    254u

/*
 * Nodes of one GUID that a scan takes: more than were ever cloned by mistake. A switch that is
 * wrong about the port that a query reached it by looks like another node of its GUID behind each
 * of its own cables.
 */
#define FABRIC_SCAN_TWINS 16u
/*
 * Ports of all nodes that a scan takes: several times what a subnet of 49,151 LIDs can have. A node
 * that answers with ever new GUIDs must not fill the memory.
 */
#define FABRIC_SCAN_PORTS (UINT32_C(1) << 21)

/* Small, as there are tens of thousands: 84 bytes. */
struct fabric_port {
	/* Of an adapter's or a router's port; 0: not known. Not aligned, for the size. */
	uint64_t guid __attribute__((packed, aligned(4)));
	uint32_t node;
	uint32_t peer; /* port at the other end of the cable, or FABRIC_NONE */
	uint8_t number;
	bool has_info;
	bool probed : 1;      /* what is behind it has been asked for */
	bool followed : 1;    /* its cable was: the peer is not known from the other end only */
	bool unanswered : 1;  /* it has, and nothing answered */
	uint8_t vendor_speed; /* LinkSpeedActive of the vendor's ExtendedPortInfo: 1 FDR10 */
	uint8_t info[PORT_INFO_BYTES];
};

struct fabric_node {
	uint64_t guid;
	uint32_t first_port; /* place of its port 0 */
	uint32_t parent;     /* port of another node that it was found behind, or FABRIC_NONE */
	uint32_t same_guid;  /* the next node of the same GUID, or FABRIC_NONE */
	uint16_t pending;    /* questions of a scan that have no answer yet */
	uint8_t type;	     /* enum node_type */
	uint8_t port_count;  /* without port 0 */
	uint8_t local_port;  /* its own port on the way from the parent */
	uint8_t hops;	     /* cables from where the scan began, or FABRIC_HOPS_UNKNOWN */
	bool has_description, has_switch_info;
	bool ambiguous; /* there is another node of the same GUID */
	bool doubted;	/* to a scan: its cables that others told of may be another one's */
	uint8_t info[NODE_INFO_BYTES];
	uint8_t description[NODE_DESCRIPTION_BYTES];
	uint8_t switch_info[SWITCH_INFO_BYTES];
};

/* What was asked for and did not come. */
struct fabric_silence {
	uint32_t port; /* whose PortInfo, or what is behind it; or port 0 of the node asked */
	uint16_t attribute;
	bool behind; /* the node behind the port, which is not known otherwise */
	int error;   /* as of struct mad_reply; 0: it answered with `status`, or with nonsense */
	uint16_t status;
	unsigned int tries;
};

/* When and where a scan was taken. Strings are owned and clean; NULL: not known. */
struct fabric_origin {
	char *time; /* RFC 3339, UTC */
	char *host;
	char *device; /* by whose port */
	struct number port;
	struct number lid;	 /* of that port */
	char *from;		 /* where it began, as it was named; NULL: at that port */
	struct number most_hops; /* it went no further; not known: to the end */
};

/* A block of a table of a port, as it came: see details.h. */
struct fabric_detail {
	uint32_t port;
	uint16_t attribute;
	uint32_t modifier;
	uint8_t data[64];
};

struct fabric {
	struct fabric_origin origin;
	struct fabric_node *nodes;
	uint32_t node_count;
	struct fabric_port *ports;
	uint32_t port_count;
	struct fabric_silence *silences;
	size_t silence_count;
	struct fabric_detail *details;
	size_t detail_count;
	bool interrupted; /* the scan was ended before its time */
	/* By ibnetdiscover: its descriptions have 63 bytes, and blanks for what cannot be printed.
	 */
	bool blanked;
	/* Of GUIDs: open addressing, place of the first node or FABRIC_NONE. */
	uint32_t *table;
	uint32_t table_size;
};

void fabric_clear(struct fabric *fabric);

/*
 * Appends a node with all its ports, port 0 included, from the bytes of a NodeInfo. Returns its
 * place, or FABRIC_NONE if the bytes describe no node (no port, no such type).
 */
uint32_t fabric_add_node(struct fabric *fabric, const uint8_t info[static NODE_INFO_BYTES]);
/* The first node of that GUID, or FABRIC_NONE; the others follow by same_guid. */
uint32_t fabric_find(const struct fabric *fabric, uint64_t guid);
/* Cables two ports; a port may be cabled to itself. */
void fabric_link(struct fabric *fabric, uint32_t port, uint32_t peer);
/* Takes a cable away. */
void fabric_unlink(struct fabric *fabric, uint32_t port);

static inline struct fabric_node *fabric_node_of(const struct fabric *fabric, uint32_t port)
{
	return &fabric->nodes[fabric->ports[port].node];
}

/* The place of a node's port; the number must be one that it has. */
static inline uint32_t fabric_port_at(const struct fabric *fabric, uint32_t node,
				      unsigned int number)
{
	return fabric->nodes[node].first_port + number;
}

/*
 * The directed route to a node: path[1] to path[hops] are the ports to leave by. Returns the hops,
 * or -1 if there are more than a route can have.
 */
int fabric_path(const struct fabric *fabric, uint32_t node, uint8_t path[static MAD_HOPS_MOST + 1]);

/* From the bytes of a PortInfo. */
unsigned int fabric_port_state(const struct fabric_port *port);	    /* 0: not known */
unsigned int fabric_physical_state(const struct fabric_port *port); /* 0: not known */
uint16_t fabric_port_lid(const struct fabric_port *port);
/* Whether it is one of the 2^LMC that the port has. */
bool fabric_has_lid(const struct fabric_port *port, uint32_t lid);
/* The LID that a node is reached by: a switch's is of port 0. 0: none, or not known. */
uint16_t fabric_lid(const struct fabric *fabric, uint32_t port);
uint64_t fabric_system_guid(const struct fabric_node *node);
uint64_t fabric_port_guid(const struct fabric_node *node);
uint32_t fabric_vendor_id(const struct fabric_node *node);
uint16_t fabric_device_id(const struct fabric_node *node);
