/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Nodes met again, and nodes that have the GUID of another one: cloned firmware, a GUID set by
 * hand. As long as nothing contradicts, the same NodeInfo is the same node, and a cable is known
 * from either end. A second cable in the same port, or one in a port that is down, is the
 * contradiction. Then those cables that are known from their other ends only are doubted, and
 * scan_claims.c finds out whose they are. What is not seen are two switches, the same in every bit
 * of their NodeInfo, none of whose cables contradict.
 */
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "fabric/scan/scan_private.h"
#include "schema/bits.h"

/* Places in a NodeInfo: 14.2.5.3 */
enum {
	AT_PORTS = 3,
	AT_NODE_GUID = 12,
	AT_PORT_GUID = 20,
	AFTER_PORT_GUID = 28,
	AT_LOCAL_PORT = 36
};

bool scan_is_same_node(const struct fabric_node *node, const uint8_t *info)
{
	const uint8_t *known = node->info;

	return !memcmp(known, info, AT_PORT_GUID) &&
	       (node->type != NODE_TYPE_SWITCH || !memcmp(known + AT_PORT_GUID, info + AT_PORT_GUID,
							  AFTER_PORT_GUID - AT_PORT_GUID)) &&
	       !memcmp(known + AFTER_PORT_GUID, info + AFTER_PORT_GUID,
		       AT_LOCAL_PORT - AFTER_PORT_GUID) &&
	       !memcmp(known + AT_LOCAL_PORT + 1, info + AT_LOCAL_PORT + 1,
		       NODE_INFO_BYTES - AT_LOCAL_PORT - 1);
}

uint32_t scan_find_same(const struct fabric *fabric, uint32_t from, const uint8_t *info)
{
	while (from != FABRIC_NONE && !scan_is_same_node(&fabric->nodes[from], info))
		from = fabric->nodes[from].same_guid;
	return from;
}

uint64_t scan_guid_of(const uint8_t *info)
{
	return bits_get(info, (size_t)AT_NODE_GUID * 8, 64);
}

/* Returns how many there are. */
static unsigned int mark_all(struct fabric *fabric, uint64_t guid)
{
	uint32_t node = fabric_find(fabric, guid);
	unsigned int count = 0;

	for (; node != FABRIC_NONE; node = fabric->nodes[node].same_guid) {
		fabric->nodes[node].ambiguous = true;
		count++;
	}
	return count;
}

bool scan_add_behind(struct scanner *scanner, uint32_t port, const uint8_t *info)
{
	struct fabric *fabric = scanner->fabric;
	uint32_t first = fabric_find(fabric, scan_guid_of(info)), number;
	const uint32_t most = scanner->options->most_ports ? scanner->options->most_ports
							   : FABRIC_SCAN_PORTS;

	if (first != FABRIC_NONE && mark_all(fabric, scan_guid_of(info)) >= FABRIC_SCAN_TWINS) {
		scan_refuse(scanner, port, -ELOOP);
		return true;
	}
	if (fabric->port_count + info[AT_PORTS] >= most) {
		scanner->full = true;
		scan_refuse(scanner, port, -ENOSPC);
		return true;
	}
	number = scan_add_node(scanner, port, info);
	if (number != FABRIC_NONE && first != FABRIC_NONE)
		fabric->nodes[number].ambiguous = true;
	return number != FABRIC_NONE;
}

static void add_claim(struct scanner *scanner, uint32_t port, const uint8_t *info)
{
	struct scan_claim *claim = mem_append(&scanner->claims, &scanner->claim_count,
					      sizeof(*claim));

	claim->port = port;
	claim->compared = FABRIC_NONE;
	memcpy(claim->info, info, sizeof(claim->info));
}

/* Behind the port is a node like that of the other port, reached by such a port of it. */
static void add_claim_to(struct scanner *scanner, uint32_t port, uint32_t other)
{
	const struct fabric *fabric = scanner->fabric;
	uint8_t info[NODE_INFO_BYTES];

	memcpy(info, fabric_node_of(fabric, other)->info, sizeof(info));
	info[AT_LOCAL_PORT] = fabric->ports[other].number;
	add_claim(scanner, port, info);
}

/* Whether the port itself may have a cable: what it says of its state does not speak against it. */
static bool may_be_cabled(const struct fabric_port *port)
{
	return !port->has_info || fabric_physical_state(port) == FABRIC_LINK_UP;
}

void scan_doubt_cable(struct scanner *scanner, uint32_t place)
{
	struct fabric *fabric = scanner->fabric;
	uint32_t peer = fabric->ports[place].peer;
	/* Who was asked what it leads to; one of them was. */
	bool there = fabric->ports[place].followed && place != peer;
	bool back = fabric->ports[peer].followed || !there;

	fabric_unlink(fabric, place);
	fabric->ports[place].followed = fabric->ports[peer].followed = false;
	scanner->unlinked = true;
	if (back)
		add_claim_to(scanner, peer, place);
	if (there)
		add_claim_to(scanner, place, peer);
}

void scan_doubt(struct scanner *scanner, uint32_t number)
{
	struct fabric *fabric = scanner->fabric;
	const struct fabric_node *node = &fabric->nodes[number];

	if (node->doubted)
		return;
	fabric->nodes[number].doubted = true;
	mark_all(fabric, node->guid);
	for (uint32_t i = 1; i <= node->port_count; i++) {
		const struct fabric_port *port = &fabric->ports[node->first_port + i];

		/* From it to itself may be from it to its twin, whoever was asked. */
		if (port->peer != FABRIC_NONE &&
		    (!port->followed || fabric->ports[port->peer].node == number))
			scan_doubt_cable(scanner, node->first_port + i);
	}
}

/*
 * An adapter or a router, met by another cable: one more port of it, or one more of its GUID. Only
 * its description can tell, asked for by this cable.
 */
static void meet_adapter(struct scanner *scanner, uint32_t port, const uint8_t *info)
{
	add_claim(scanner, port, info);
	scan_ask(scanner, ASK_DESCRIPTION_BEHIND, (uint32_t)(scanner->claim_count - 1));
}

/* The twin that says the same of itself, or has said nothing yet, and whose port is free. */
static uint32_t find_adapter(const struct fabric *fabric, const uint8_t *info,
			     const uint8_t *description)
{
	uint32_t number = scan_find_same(fabric, fabric_find(fabric, scan_guid_of(info)), info);

	while (number != FABRIC_NONE) {
		const struct fabric_node *node = &fabric->nodes[number];
		uint32_t own = node->first_port + info[AT_LOCAL_PORT];

		if (fabric->ports[own].peer == FABRIC_NONE &&
		    (!node->has_description || !description ||
		     !memcmp(node->description, description, NODE_DESCRIPTION_BYTES)))
			return own;
		number = scan_find_same(fabric, node->same_guid, info);
	}
	return FABRIC_NONE;
}

void scan_place_adapter(struct scanner *scanner, const struct scan_claim *claim,
			const uint8_t *description)
{
	struct fabric *fabric = scanner->fabric;
	uint32_t own = find_adapter(fabric, claim->info, description);

	if (own == FABRIC_NONE) {
		scan_add_behind(scanner, claim->port, claim->info);
		return;
	}
	fabric_link(fabric, claim->port, own);
	fabric->ports[claim->port].followed = fabric->ports[own].followed = true;
	fabric->ports[own].guid = bits_get(claim->info, (size_t)AT_PORT_GUID * 8, 64);
	scan_ask(scanner, ASK_PORT, own);
}

void scan_take_description(struct scanner *scanner, uint32_t number, const uint8_t *description)
{
	const struct scan_claim claim = scanner->claims[number];

	if (scanner->fabric->ports[claim.port].peer == FABRIC_NONE)
		scan_place_adapter(scanner, &claim, description);
}

static void meet_switch(struct scanner *scanner, uint32_t port, uint32_t number,
			const uint8_t *info)
{
	struct fabric *fabric = scanner->fabric;
	struct fabric_port *own =
		&fabric->ports[fabric->nodes[number].first_port + info[AT_LOCAL_PORT]];

	if (own->peer == FABRIC_NONE && !fabric->nodes[number].doubted && may_be_cabled(own)) {
		fabric_link(fabric, port, (uint32_t)(own - fabric->ports));
		fabric->ports[port].followed = true;
		return;
	}
	scan_doubt(scanner, number);
	add_claim(scanner, port, info);
}

/* True: the port's cable is known, and leads there indeed. */
static bool is_confirmed(struct scanner *scanner, uint32_t port, const uint8_t *info)
{
	struct fabric *fabric = scanner->fabric;
	uint32_t peer = fabric->ports[port].peer;

	if (peer == FABRIC_NONE)
		return false;
	if (fabric->ports[port].followed ||
	    (scan_is_same_node(fabric_node_of(fabric, peer), info) &&
	     fabric->ports[peer].number == info[AT_LOCAL_PORT])) {
		fabric->ports[port].followed = true;
		return true;
	}
	scan_doubt(scanner, fabric->ports[port].node);
	if (fabric->ports[port].peer != FABRIC_NONE)
		scan_doubt_cable(scanner, port);
	return false;
}

bool scan_meet(struct scanner *scanner, uint32_t port, const uint8_t *info)
{
	struct fabric *fabric = scanner->fabric;
	uint32_t number = scan_find_same(fabric, fabric_find(fabric, scan_guid_of(info)), info);

	/* Its cable has become known from the other end meanwhile: right, or another node's. */
	if (is_confirmed(scanner, port, info))
		return true;
	if (number == FABRIC_NONE)
		return scan_add_behind(scanner, port, info);
	if (!info[AT_LOCAL_PORT] || info[AT_LOCAL_PORT] > fabric->nodes[number].port_count)
		return false;
	if (fabric->nodes[number].type == NODE_TYPE_SWITCH)
		meet_switch(scanner, port, number, info);
	else
		meet_adapter(scanner, port, info);
	return true;
}
