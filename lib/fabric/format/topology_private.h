/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the readers of texts and caches of ibnetdiscover. */
#pragma once

#include "fabric/graph/graph.h"

/*
 * Puts the nodes of a fabric, whose first node is where the scan began, into the order of that
 * scan, with the path to each. A node that cannot be reached has no usable path.
 */
void topology_arrange(struct fabric *fabric);

/* A node by the head of its block and the lines above it. */
struct topology_block {
	unsigned int line; /* of the head */
	uint8_t type;	   /* enum node_type */
	uint8_t ports;
	bool has_guid, has_port_guid, enhanced;
	uint64_t guid, system_guid, port_guid;
	uint32_t vendor;
	uint16_t device, lid;
	uint8_t lmc;
	const char *id, *description; /* in the text; description NULL if there is none */
	size_t id_length, description_length;
	uint32_t first_cable, cable_count;
};

/* A line of a port. */
struct topology_cable {
	unsigned int line;
	uint8_t port, peer_port;
	uint64_t guid; /* of the port; 0 if missing */
	const char *peer_id;
	size_t peer_id_length;
	uint16_t lid;
	uint8_t lmc, lanes;
	unsigned int speed; /* enum lane_speed */
};

struct topology_text {
	struct topology_block *blocks;
	size_t block_count;
	struct topology_cable *cables;
	size_t cable_count;
	bool has_root;
	uint64_t root, root_port; /* GUIDs of where the scan began */
};

/* Parses lines to blocks, which point into the text: see fabric_read_topology(). */
int topology_parse(const char *text, size_t length, struct topology_text *parts,
		   char **ret_message);
/* Makes a fabric of the blocks. */
int topology_build(struct topology_text *parts, struct fabric *fabric, char **ret_message);
