/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Nodes met again, and nodes that share a GUID because of cloned firmware or a GUID set by hand. As
 * long as nothing contradicts it, equal NodeInfo means the same node, and a cable is known from
 * either end. A second cable in the same port, or a cable in a port that is down, is a
 * contradiction. Then the cables known only from their other ends are doubted, and become
 * sightings. Two switches with identical NodeInfo whose cables never contradict each other are not
 * told apart.
 */

#include <errno.h>

#include <string.h>

#include "base/mem.h"
#include "fabric/scan/scanner.h"

/* Compares NodeInfo without LocalPortNum and, for adapters, without PortGUID. */
static bool is_same_node(const struct fabric_node *node, const uint8_t *info)
{
	uint8_t same[NODE_INFO_BYTES];

	memcpy(same, info, sizeof(same));
	node_info_set_local_port(same, node_info_local_port(node->info));
	if (node->type != NODE_TYPE_SWITCH)
		node_info_set_port_guid(same, node_info_port_guid(node->info));
	return !memcmp(node->info, same, sizeof(same));
}

/* The first node with this NodeInfo in the same_guid list that begins at `from`; or FABRIC_NONE. */
static uint32_t find_same(const struct fabric *fabric, uint32_t from, const uint8_t *info)
{
	while (from != FABRIC_NONE && !is_same_node(&fabric->nodes[from], info))
		from = fabric->nodes[from].same_guid;
	return from;
}

/* Marks all nodes with the GUID as ambiguous; returns their number. */
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

/* Adds a node at the other end, unless there are too many; false if the bytes describe none. */
static bool add_peer(struct scanner *scanner, uint32_t port, const uint8_t *info)
{
	struct fabric *fabric = scanner->fabric;
	uint32_t first = fabric_find(fabric, node_info_node_guid(info)), number;
	const uint32_t most = scanner->options->most_ports ? scanner->options->most_ports
							   : FABRIC_SCAN_PORTS;

	if (first != FABRIC_NONE &&
	    mark_all(fabric, node_info_node_guid(info)) >= FABRIC_SCAN_DUPLICATES) {
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

static void add_sighting(struct scanner *scanner, uint32_t port, const uint8_t *info)
{
	struct scan_sighting *sighting = mem_append(&scanner->sightings, &scanner->sighting_count,
						    sizeof(*sighting));

	sighting->port = port;
	sighting->compared = FABRIC_NONE;
	memcpy(sighting->info, info, sizeof(sighting->info));
}

/* Adds a sighting at `port` of a node like that of `other`, reached at a port of that number. */
static void add_sighting_of(struct scanner *scanner, uint32_t port, uint32_t other)
{
	const struct fabric *fabric = scanner->fabric;
	uint8_t info[NODE_INFO_BYTES];

	memcpy(info, fabric_node_of(fabric, other)->info, sizeof(info));
	node_info_set_local_port(info, fabric->ports[other].number);
	add_sighting(scanner, port, info);
}

/* Whether the port may have a cable, judging by its own state. */
static bool may_be_cabled(const struct fabric_port *port)
{
	return !port->has_info || fabric_is_up(port);
}

/* Removes a cable known only from its other end, because it may belong to another node. */
static void doubt_cable(struct scanner *scanner, uint32_t place)
{
	struct fabric *fabric = scanner->fabric;
	uint32_t peer = fabric->ports[place].peer;
	/* Which ends were queried; at least one was. */
	bool there = fabric->ports[place].followed && place != peer;
	bool back = fabric->ports[peer].followed || !there;

	fabric_unlink(fabric, place);
	fabric->ports[place].followed = fabric->ports[peer].followed = false;
	scanner->unlinked = true;
	if (back)
		add_sighting_of(scanner, peer, place);
	if (there)
		add_sighting_of(scanner, place, peer);
}

void scan_doubt(struct scanner *scanner, uint32_t number)
{
	struct fabric *fabric = scanner->fabric;
	const struct fabric_node *node = &fabric->nodes[number];

	if (node->doubted)
		return;
	fabric->nodes[number].doubted = true;
	mark_all(fabric, node->guid);
	for_each_port_of (i, node) {
		const struct fabric_port *port = &fabric->ports[i];

		/* A cable to itself may lead to its duplicate, whichever end was queried. */
		if (port->peer != FABRIC_NONE &&
		    (!port->followed || fabric->ports[port->peer].node == number))
			doubt_cable(scanner, i);
	}
}

/* The free port of a node like this, with the same or no known description; or FABRIC_NONE. */
static uint32_t find_adapter(const struct fabric *fabric, const uint8_t *info,
			     const uint8_t *description)
{
	uint32_t number = find_same(fabric, fabric_find(fabric, node_info_node_guid(info)), info);

	while (number != FABRIC_NONE) {
		const struct fabric_node *node = &fabric->nodes[number];
		uint32_t own = node->first_port + node_info_local_port(info);

		if (fabric->ports[own].peer == FABRIC_NONE &&
		    (!node->has_description || !description ||
		     !memcmp(node->description, description, NODE_DESCRIPTION_BYTES)))
			return own;
		number = find_same(fabric, node->same_guid, info);
	}
	return FABRIC_NONE;
}

/* Cables the port of a sighting to a known adapter, or to a new one; description may be NULL. */
static void place_adapter(struct scanner *scanner, const struct scan_sighting *sighting,
			  const uint8_t *description)
{
	struct fabric *fabric = scanner->fabric;
	uint32_t own = find_adapter(fabric, sighting->info, description);

	if (own == FABRIC_NONE) {
		add_peer(scanner, sighting->port, sighting->info);
		return;
	}
	fabric_link(fabric, sighting->port, own);
	fabric->ports[sighting->port].followed = fabric->ports[own].followed = true;
	fabric->ports[own].guid = node_info_port_guid(sighting->info);
	scan_query_end(scanner, own);
}

void scan_take_description(struct scanner *scanner, uint32_t number, const uint8_t *description)
{
	const struct scan_sighting sighting = scanner->sightings[number];

	if (scanner->fabric->ports[sighting.port].peer == FABRIC_NONE)
		place_adapter(scanner, &sighting, description);
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
	add_sighting(scanner, port, info);
}

/* Whether the port's cable is known and leads to this node. */
static bool is_confirmed(struct scanner *scanner, uint32_t port, const uint8_t *info)
{
	struct fabric *fabric = scanner->fabric;
	uint32_t peer = fabric->ports[port].peer;

	if (peer == FABRIC_NONE)
		return false;
	if (fabric->ports[port].followed ||
	    (is_same_node(fabric_node_of(fabric, peer), info) &&
	     fabric->ports[peer].number == node_info_local_port(info))) {
		fabric->ports[port].followed = true;
		return true;
	}
	scan_doubt(scanner, fabric->ports[port].node);
	if (fabric->ports[port].peer != FABRIC_NONE)
		doubt_cable(scanner, port);
	return false;
}

bool scan_meet(struct scanner *scanner, uint32_t port, const uint8_t *info)
{
	struct fabric *fabric = scanner->fabric;
	uint32_t number = find_same(fabric, fabric_find(fabric, node_info_node_guid(info)), info);

	/* The cable may have become known from the other end in the meantime, rightly or not. */
	if (is_confirmed(scanner, port, info))
		return true;
	if (number == FABRIC_NONE)
		return add_peer(scanner, port, info);
	if (!node_info_local_port(info) ||
	    node_info_local_port(info) > fabric->nodes[number].port_count)
		return false;
	if (fabric->nodes[number].type == NODE_TYPE_SWITCH) {
		meet_switch(scanner, port, number, info);
		return true;
	}
	/*
	 * An adapter or a router met through another cable is either another port of the same node,
	 * or another node with the same GUID. Only its description, queried through this cable, can
	 * tell.
	 */
	add_sighting(scanner, port, info);
	scan_enqueue(scanner, QUERY_PEER_DESCRIPTION, (uint32_t)(scanner->sighting_count - 1));
	return true;
}

/*
 * The functions below decide which of several nodes with the same GUID a sighting is. Through a
 * cable that is certain, the same node leads to the same neighbour, and another node does not. A
 * probe first queries the state of that port, because a query through a port without a link times
 * out. All sightings are compared with all nodes at once. A sighting that matches none is a new
 * node; only one is added for each GUID per round, and the other sightings are compared with it in
 * the next.
 */

/*
 * A port of the node, other than `other`, whose cable was followed; or FABRIC_NONE. A cable to a
 * node with the same GUID is the last choice, because both of its ends may look the same.
 */
static uint32_t followed_port(const struct fabric *fabric, uint32_t number, unsigned int other)
{
	const struct fabric_node *node = &fabric->nodes[number];
	uint32_t found = FABRIC_NONE;

	for_each_port_of (i, node) {
		uint32_t peer = fabric->ports[i].peer;

		if (i == node->first_port + other || !fabric->ports[i].followed ||
		    peer == FABRIC_NONE)
			continue;
		if (fabric_node_of(fabric, peer)->guid != node->guid)
			return i;
		if (found == FABRIC_NONE)
			found = i;
	}
	return found;
}

/* Whether the port of the node that was sighted certainly has another cable, or none. */
static bool is_taken(const struct fabric *fabric, uint32_t node,
		     const struct scan_sighting *sighting)
{
	const struct fabric_port *own =
		&fabric->ports[fabric_port_at(fabric, node, node_info_local_port(sighting->info))];

	return own->followed || !may_be_cabled(own);
}

/* Probes the node, unless it has no certain cable or cannot be the sighted one. */
static void add_probe(struct scanner *scanner, uint32_t number, uint32_t node)
{
	const struct fabric *fabric = scanner->fabric;
	const struct scan_sighting *sighting = &scanner->sightings[number];
	uint32_t out = followed_port(fabric, node, node_info_local_port(sighting->info));

	if (out == FABRIC_NONE || is_taken(fabric, node, sighting))
		return;
	MEM_ADD(scanner->probes, scanner->probe_count) = (struct scan_probe){
		.sighting = number, .node = node, .out = out};
	scan_enqueue(scanner, QUERY_PROBE_STATE, (uint32_t)(scanner->probe_count - 1));
}

/* Compares a sighting with all nodes that it has not been compared with yet. */
static void compare(struct scanner *scanner, uint32_t number)
{
	const struct fabric *fabric = scanner->fabric;
	struct scan_sighting *sighting = &scanner->sightings[number];
	uint32_t node = sighting->compared == FABRIC_NONE
				? fabric_find(fabric, node_info_node_guid(sighting->info))
				: fabric->nodes[sighting->compared].same_guid;

	if (fabric->ports[sighting->port].peer != FABRIC_NONE ||
	    node_info_type(sighting->info) != NODE_TYPE_SWITCH)
		return;
	for (; node != FABRIC_NONE; node = fabric->nodes[node].same_guid) {
		sighting->compared = node;
		if (is_same_node(&fabric->nodes[node], sighting->info))
			add_probe(scanner, number, node);
	}
}

void scan_take_probe(struct scanner *scanner, uint32_t number, enum scan_query_kind kind,
		     const uint8_t *data)
{
	const struct fabric *fabric = scanner->fabric;
	struct scan_probe *at = &scanner->probes[number];
	uint32_t there = fabric->ports[at->out].peer;

	if (kind == QUERY_PROBE)
		at->same = data && there != FABRIC_NONE &&
			   is_same_node(fabric_node_of(fabric, there), data) &&
			   node_info_local_port(data) == fabric->ports[there].number;
	else if (!data || port_info_physical_state(data) == PHYSICAL_LINK_UP)
		scan_enqueue(scanner, QUERY_PROBE, number);
}

/* Cables the port of the sighting to the port of the node. */
static void join(struct scanner *scanner, const struct scan_sighting *sighting, uint32_t node)
{
	struct fabric *fabric = scanner->fabric;
	uint32_t own = fabric_port_at(fabric, node, node_info_local_port(sighting->info));

	if (fabric->ports[own].peer != FABRIC_NONE)
		doubt_cable(scanner, own);
	fabric_link(fabric, sighting->port, own);
	/* Otherwise two cables that both claim the port would take turns forever. */
	fabric->ports[sighting->port].followed = fabric->ports[own].followed = true;
}

/* Settles a sighting, whose probes begin at *next. False: a new node is yet to be compared. */
static bool settle(struct scanner *scanner, uint32_t number, size_t *next)
{
	const struct fabric *fabric = scanner->fabric;
	const struct scan_sighting sighting = scanner->sightings[number];
	uint32_t found = FABRIC_NONE;

	for (; *next < scanner->probe_count && scanner->probes[*next].sighting == number; ++*next)
		if (found == FABRIC_NONE && scanner->probes[*next].same &&
		    !is_taken(fabric, scanner->probes[*next].node, &sighting))
			found = scanner->probes[*next].node;
	if (fabric->ports[sighting.port].peer != FABRIC_NONE ||
	    fabric->ports[sighting.port].unanswered)
		return true;
	/* This adapter did not answer the query for its description. */
	if (node_info_type(sighting.info) != NODE_TYPE_SWITCH)
		place_adapter(scanner, &sighting, NULL);
	else if (found != FABRIC_NONE)
		join(scanner, &sighting, found);
	else if (sighting.compared == FABRIC_NONE ||
		 find_same(fabric, fabric->nodes[sighting.compared].same_guid, sighting.info) !=
			 FABRIC_NONE)
		return false;
	else
		add_peer(scanner, sighting.port, sighting.info);
	return true;
}

/* Unsettled sightings, and those added in the meantime, are left for the next round. */
static void settle_all(struct scanner *scanner)
{
	size_t count = scanner->sighting_count, left = 0, next = 0, more;

	for (uint32_t i = 0; i < count; i++)
		if (!settle(scanner, i, &next))
			scanner->sightings[left++] = scanner->sightings[i];
	more = scanner->sighting_count - count;
	memmove(scanner->sightings + left, scanner->sightings + count,
		more * sizeof(*scanner->sightings));
	scanner->sighting_count = left + more;
	scanner->probe_count = 0;
}

/* Queries the ports of doubted switches whose cables turned out not to be theirs. */
static void query_bare_ports(struct scanner *scanner)
{
	const struct fabric *fabric = scanner->fabric;

	if (!scanner->unlinked)
		return;
	scanner->unlinked = false;
	for (uint32_t i = 0; i < fabric->port_count; i++) {
		const struct fabric_port *port = &fabric->ports[i];
		const struct fabric_node *node = &fabric->nodes[port->node];

		if (node->doubted && node->type == NODE_TYPE_SWITCH && port->number &&
		    port->peer == FABRIC_NONE && !port->queried && port->has_info &&
		    fabric_is_up(port) && scan_may_go_on(scanner, node))
			scan_enqueue(scanner, QUERY_PEER, i);
	}
}

/* Some doubted nodes are unique after all, and some cables became known from their other ends. */
static void mark(struct fabric *fabric)
{
	for (uint32_t i = 0; i < fabric->port_count; i++)
		if (fabric->ports[i].peer != FABRIC_NONE)
			fabric->ports[i].unanswered = false;
	fabric_mark_duplicates(fabric);
}

int scan_resolve_duplicates(struct scanner *scanner)
{
	int rc = 0;

	while (!rc && (scanner->sighting_count || scanner->unlinked)) {
		/* A query through the port itself is better evidence than any comparison. */
		query_bare_ports(scanner);
		rc = scan_run(scanner);
		for (uint32_t i = 0; i < scanner->sighting_count && !rc; i++)
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
