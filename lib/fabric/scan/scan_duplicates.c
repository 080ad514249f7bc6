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

bool scan_is_same_node(const struct fabric_node *node, const uint8_t *info)
{
	uint8_t same[NODE_INFO_BYTES];

	memcpy(same, info, sizeof(same));
	node_info_set_local_port(same, node_info_local_port(node->info));
	if (node->type != NODE_TYPE_SWITCH)
		node_info_set_port_guid(same, node_info_port_guid(node->info));
	return !memcmp(node->info, same, sizeof(same));
}

uint32_t scan_find_same(const struct fabric *fabric, uint32_t from, const uint8_t *info)
{
	while (from != FABRIC_NONE && !scan_is_same_node(&fabric->nodes[from], info))
		from = fabric->nodes[from].same_guid;
	return from;
}

uint64_t scan_guid_of(const uint8_t *info)
{
	return node_info_node_guid(info);
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
	if (fabric->port_count + node_info_ports(info) >= most) {
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
	node_info_set_local_port(info, fabric->ports[other].number);
	add_claim(scanner, port, info);
}

/* Whether the port itself may have a cable: what it says of its state does not speak against it. */
static bool may_be_cabled(const struct fabric_port *port)
{
	return !port->has_info || fabric_physical_state(port) == PHYSICAL_LINK_UP;
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
		uint32_t own = node->first_port + node_info_local_port(info);

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
	fabric->ports[own].guid = node_info_port_guid(claim->info);
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
		&fabric->ports[fabric->nodes[number].first_port + node_info_local_port(info)];

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
	     fabric->ports[peer].number == node_info_local_port(info))) {
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
	if (!node_info_local_port(info) ||
	    node_info_local_port(info) > fabric->nodes[number].port_count)
		return false;
	if (fabric->nodes[number].type == NODE_TYPE_SWITCH)
		meet_switch(scanner, port, number, info);
	else
		meet_adapter(scanner, port, info);
	return true;
}

/*
 * Whose the cables are that lead to one of several nodes of the same GUID. Out through a cable that
 * is certain, the same node leads to the same place, and another one does not. It is asked for the
 * state of that port first: who looks through a port that leads nowhere waits in vain. All claims
 * are compared with all nodes at once; what fits none is a new node, one of each GUID at a time,
 * with which the other claims are compared in the next round.
 */

/* A port of the node, other than that one, whose cable was followed; or FABRIC_NONE. */
static uint32_t followed_port(const struct fabric *fabric, uint32_t number, unsigned int other)
{
	const struct fabric_node *node = &fabric->nodes[number];

	for (uint32_t i = node->first_port + 1; i <= node->first_port + node->port_count; i++)
		if (i != node->first_port + other && fabric->ports[i].followed &&
		    fabric->ports[i].peer != FABRIC_NONE)
			return i;
	return FABRIC_NONE;
}

static bool is_taken(const struct fabric *fabric, uint32_t node, const struct scan_claim *claim)
{
	return fabric->ports[fabric_port_at(fabric, node, node_info_local_port(claim->info))]
		.followed;
}

/* A node whose own port has another cable for certain is not the one. */
static void look(struct scanner *scanner, uint32_t number, uint32_t node)
{
	const struct fabric *fabric = scanner->fabric;
	const struct scan_claim *claim = &scanner->claims[number];
	uint32_t out = followed_port(fabric, node, node_info_local_port(claim->info));
	struct scan_look *made;

	if (out == FABRIC_NONE || is_taken(fabric, node, claim))
		return;
	made = mem_append(&scanner->looks, &scanner->look_count, sizeof(*made));
	*made = (struct scan_look){.claim = number, .node = node, .out = out};
	scan_ask(scanner, ASK_STATE_BEHIND, (uint32_t)(scanner->look_count - 1));
}

/* Compares a claim with all nodes that it has not been compared with. */
static void compare(struct scanner *scanner, uint32_t number)
{
	const struct fabric *fabric = scanner->fabric;
	struct scan_claim *claim = &scanner->claims[number];
	uint32_t node = claim->compared == FABRIC_NONE
				? fabric_find(fabric, scan_guid_of(claim->info))
				: fabric->nodes[claim->compared].same_guid;

	if (fabric->ports[claim->port].peer != FABRIC_NONE ||
	    node_info_type(claim->info) != NODE_TYPE_SWITCH)
		return;
	for (; node != FABRIC_NONE; node = fabric->nodes[node].same_guid) {
		claim->compared = node;
		if (scan_is_same_node(&fabric->nodes[node], claim->info))
			look(scanner, number, node);
	}
}

void scan_take_look(struct scanner *scanner, uint32_t number, enum scan_question question,
		    const uint8_t *data)
{
	const struct fabric *fabric = scanner->fabric;
	struct scan_look *at = &scanner->looks[number];
	uint32_t there = fabric->ports[at->out].peer;

	if (question == ASK_THROUGH)
		at->same = data && there != FABRIC_NONE &&
			   scan_is_same_node(fabric_node_of(fabric, there), data) &&
			   node_info_local_port(data) == fabric->ports[there].number;
	else if (!data || port_info_physical_state(data) == PHYSICAL_LINK_UP)
		scan_ask(scanner, ASK_THROUGH, number);
}

/* Cables the claim's port to the node's. */
static void join(struct scanner *scanner, const struct scan_claim *claim, uint32_t node)
{
	struct fabric *fabric = scanner->fabric;
	uint32_t own = fabric_port_at(fabric, node, node_info_local_port(claim->info));

	if (fabric->ports[own].peer != FABRIC_NONE)
		scan_doubt_cable(scanner, own);
	fabric_link(fabric, claim->port, own);
	/* Else two cables that both claim to be in that port would take turns without end. */
	fabric->ports[claim->port].followed = fabric->ports[own].followed = true;
}

/* Its looks begin at *look. False: it is to be compared with a node that is new. */
static bool settle(struct scanner *scanner, uint32_t number, size_t *look)
{
	const struct fabric *fabric = scanner->fabric;
	const struct scan_claim claim = scanner->claims[number];
	uint32_t found = FABRIC_NONE;

	for (; *look < scanner->look_count && scanner->looks[*look].claim == number; ++*look)
		if (found == FABRIC_NONE && scanner->looks[*look].same &&
		    !is_taken(fabric, scanner->looks[*look].node, &claim))
			found = scanner->looks[*look].node;
	if (fabric->ports[claim.port].peer != FABRIC_NONE || fabric->ports[claim.port].unanswered)
		return true;
	/* An adapter whose description did not come. */
	if (node_info_type(claim.info) != NODE_TYPE_SWITCH)
		scan_place_adapter(scanner, &claim, NULL);
	else if (found != FABRIC_NONE)
		join(scanner, &claim, found);
	else if (claim.compared == FABRIC_NONE ||
		 scan_find_same(fabric, fabric->nodes[claim.compared].same_guid, claim.info) !=
			 FABRIC_NONE)
		return false;
	else
		scan_add_behind(scanner, claim.port, claim.info);
	return true;
}

/* Those that are left, and those that were made meanwhile, are for the next round. */
static void settle_all(struct scanner *scanner)
{
	size_t count = scanner->claim_count, left = 0, look = 0, more;

	for (uint32_t i = 0; i < count; i++)
		if (!settle(scanner, i, &look))
			scanner->claims[left++] = scanner->claims[i];
	more = scanner->claim_count - count;
	memmove(scanner->claims + left, scanner->claims + count, more * sizeof(*scanner->claims));
	scanner->claim_count = left + more;
	scanner->look_count = 0;
}

/* Ports of doubted switches whose cables turned out to be none of theirs. */
static void ask_behind_bare_ports(struct scanner *scanner)
{
	const struct fabric *fabric = scanner->fabric;

	if (!scanner->unlinked)
		return;
	scanner->unlinked = false;
	for (uint32_t i = 0; i < fabric->port_count; i++) {
		const struct fabric_port *port = &fabric->ports[i];
		const struct fabric_node *node = &fabric->nodes[port->node];

		if (node->doubted && node->type == NODE_TYPE_SWITCH && port->number &&
		    port->peer == FABRIC_NONE && !port->probed && port->has_info &&
		    fabric_physical_state(port) == PHYSICAL_LINK_UP &&
		    scan_may_go_on(scanner, node))
			scan_ask(scanner, ASK_BEHIND, i);
	}
}

/* Some that were doubted are alone after all; some cables became known from their other ends. */
static void mark(struct fabric *fabric)
{
	for (uint32_t i = 0; i < fabric->port_count; i++)
		if (fabric->ports[i].peer != FABRIC_NONE)
			fabric->ports[i].unanswered = false;
	for (uint32_t i = 0; i < fabric->node_count; i++)
		fabric->nodes[i].ambiguous = fabric->nodes[i].same_guid != FABRIC_NONE;
	for (uint32_t i = 0; i < fabric->node_count; i++)
		if (fabric->nodes[i].same_guid != FABRIC_NONE)
			fabric->nodes[fabric->nodes[i].same_guid].ambiguous = true;
}

int scan_tell_apart(struct scanner *scanner)
{
	int rc = 0;

	while (!rc && (scanner->claim_count || scanner->unlinked)) {
		/* What a port itself leads to is worth more than any comparison. */
		ask_behind_bare_ports(scanner);
		rc = scan_run(scanner);
		for (uint32_t i = 0; i < scanner->claim_count && !rc; i++)
			compare(scanner, i);
		if (!rc)
			rc = scan_run(scanner);
		if (rc)
			break;
		settle_all(scanner);
		rc = scan_run(scanner);
	}
	if (!rc)
		mark(scanner->fabric);
	return rc;
}
