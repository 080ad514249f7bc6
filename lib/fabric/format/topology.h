/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads a subnet from the text that ibnetdiscover(8) prints, grouped by chassis or not: a block for
 * each node with its cabled ports. Net files of ibsim(1) are similar, but say less: one end of a
 * cable is enough, where ibnetdiscover writes both. Also reads the cache that `ibnetdiscover
 * --cache FILE` writes, with NodeInfo, description and SwitchInfo of all nodes and PortInfo of
 * their ports.
 *
 * Facts that the text lacks stay unknown. A port without a cable has no PortInfo. The PortInfo of a
 * port with a cable holds LinkUp as the physical state, width and speed, and LID and LMC if they
 * are given; its state is unknown (0). A switch has no SwitchInfo, but its bytes have the bit of an
 * enhanced port 0. The graph begins with the node that the text names as its start, or else with
 * the first; routes are the shortest. GUIDs that a net file omits are those that the simulator
 * uses: from the name, as in H-0002c90300000001, or by counting. If a text gives a GUID and the
 * node's name contains another one, the name is right: ibdiagnet(1) writes the GUID of the system
 * before it.
 */
#pragma once

#include "fabric/graph/graph.h"

/*
 * Fills an empty fabric with what can be read, and lists the rest in its faults. Returns 0; -ENOMSG
 * if this is another kind of text; -EINVAL if no node can be read, with a message, to be freed,
 * that says why.
 */
int fabric_read_topology(const char *text, size_t length, struct fabric *fabric,
			 char **ret_message);

/* Whether a cache begins with these bytes. */
bool fabric_is_cache(const unsigned char *bytes, size_t length);
/*
 * Fills an empty fabric. Returns 0; -ENOMSG if this is not a cache; -EINVAL if it is malformed,
 * with a message, to be freed, that says where and why.
 */
int fabric_read_cache(const unsigned char *bytes, size_t length, struct fabric *fabric,
		      char **ret_message);

/* Shared by the readers of texts and caches. */
/*
 * Puts the nodes of a fabric, whose first node is where the scan began, into the order of that
 * scan, with the path to each. A node that cannot be reached has no usable path.
 */
void topology_arrange(struct fabric *fabric);

/* A node, from the head of its block and the lines above it. */
struct topology_block {
	unsigned int line; /* of the head */
	uint8_t type;	   /* enum node_type */
	uint8_t ports;
	bool has_guid, has_port_guid, enhanced;
	bool bad_guid; /* a GUID cannot be read */
	uint64_t guid, system_guid, port_guid;
	uint64_t vendor, device;
	uint16_t lid;
	uint8_t lmc;
	const char *id, *description; /* in the text; description NULL if there is none */
	size_t id_length, description_length;
	uint32_t first_cable, cable_count;
};

/* The line of a port. */
struct topology_cable {
	unsigned int line;
	uint8_t port, peer_port; /* port 0: the line is ignored */
	bool bad_guid;		 /* a GUID cannot be read */
	uint64_t guid;		 /* of the port; 0 if missing */
	uint64_t peer_guid;
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
	bool by_port; /* as in struct fabric */
	bool has_root;
	uint64_t root, root_port; /* GUIDs of the node and port where the scan began */
	struct topology_fault *faults;
	size_t fault_count;
	unsigned int more; /* faults that are not in the list */
};

/* Faults with the same words are merged. */
struct topology_fault {
	unsigned int line, last; /* lines of the first and the last of them */
	unsigned int count;
	char *reason;
};

/* Notes a fault of a line (0: of none), and takes ownership of the reason. */
void topology_add_fault(struct topology_text *parts, unsigned int line, char *reason);

/* Takes a line of `ibnetdiscover -p`. Returns false if it is not one. */
bool topology_take_port(struct topology_text *parts, unsigned int line, const char *text,
			size_t length);

/* Completes GUIDs and descriptions, and drops nodes whose GUIDs cannot be read. */
void topology_complete(struct topology_text *parts);

/* Builds a fabric from the blocks. */
int topology_build(struct topology_text *parts, struct fabric *fabric, char **ret_message);
