/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Whose the cables are that lead to one of several nodes of the same GUID. Out through a cable that
 * is certain, the same node leads to the same place, and another one does not. It is asked for the
 * state of that port first: who looks through a port that leads nowhere waits in vain. All claims
 * are compared with all nodes at once; what fits none is a new node, one of each GUID at a time,
 * with which the other claims are compared in the next round.
 */
#include <string.h>

#include "base/mem.h"
#include "fabric/scan/scan_private.h"

enum {
	AT_TYPE = 2,		/* of a NodeInfo: 14.2.5.3 */
	AT_LOCAL_PORT = 36,	/* the same */
	AT_PHYSICAL_STATE = 33, /* of a PortInfo: 14.2.5.6 */
};

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
	return fabric->ports[fabric_port_at(fabric, node, claim->info[AT_LOCAL_PORT])].followed;
}

/* A node whose own port has another cable for certain is not the one. */
static void look(struct scanner *scanner, uint32_t number, uint32_t node)
{
	const struct fabric *fabric = scanner->fabric;
	const struct scan_claim *claim = &scanner->claims[number];
	uint32_t out = followed_port(fabric, node, claim->info[AT_LOCAL_PORT]);
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
	    claim->info[AT_TYPE] != NODE_TYPE_SWITCH)
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
			   data[AT_LOCAL_PORT] == fabric->ports[there].number;
	else if (!data || data[AT_PHYSICAL_STATE] >> 4 == FABRIC_LINK_UP)
		scan_ask(scanner, ASK_THROUGH, number);
}

/* Cables the claim's port to the node's. */
static void join(struct scanner *scanner, const struct scan_claim *claim, uint32_t node)
{
	struct fabric *fabric = scanner->fabric;
	uint32_t own = fabric_port_at(fabric, node, claim->info[AT_LOCAL_PORT]);

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
	if (claim.info[AT_TYPE] != NODE_TYPE_SWITCH)
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
		    fabric_physical_state(port) == FABRIC_LINK_UP && scan_may_go_on(scanner, node))
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
