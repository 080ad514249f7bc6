/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "fabric/route/route.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/gid.h"
#include "base/mem.h"
#include "fabric/route/forwarding.h"
#include "schema/bits.h"

/* The port that represents a node: one with a LID, else one with a link, else any. */
static uint32_t port_of_node(const struct fabric *fabric, uint32_t number)
{
	const struct fabric_node *node = &fabric->nodes[number];
	uint32_t linked = FABRIC_NONE;

	if (node->type == NODE_TYPE_SWITCH)
		return node->first_port;
	for (uint32_t i = node->first_port + 1; i <= node->first_port + node->port_count; i++) {
		if (fabric_port_lid(&fabric->ports[i]))
			return i;
		if (linked == FABRIC_NONE && fabric->ports[i].peer != FABRIC_NONE)
			linked = i;
	}
	return linked == FABRIC_NONE ? node->first_port + node->local_port : linked;
}

static void take_port(const struct fabric *fabric, uint32_t port, struct fabric_place *place)
{
	place->node = fabric->ports[port].node;
	place->port = fabric->nodes[place->node].type == NODE_TYPE_SWITCH
			      ? fabric->nodes[place->node].first_port
			      : port;
	place->lid = fabric_lid(fabric, place->port);
}

static void take_node(const struct fabric *fabric, uint32_t node, struct fabric_place *place)
{
	take_port(fabric, port_of_node(fabric, node), place);
}

static bool take_lid(const struct fabric *fabric, uint16_t lid, struct fabric_place *place)
{
	_cleanup_(freep) uint32_t *owners = forwarding_owners(fabric);

	if (lid >= FORWARDING_LIDS || owners[lid] == FABRIC_NONE)
		return false;
	take_port(fabric, owners[lid], place);
	place->lid = lid;
	return true;
}

/* Counts the nodes, else the ports, else the systems with the GUID, and takes the first. */
static size_t take_guid(const struct fabric *fabric, uint64_t guid, struct fabric_place *place)
{
	uint32_t first = fabric_find(fabric, guid);
	size_t found = 0;

	if (first != FABRIC_NONE)
		take_node(fabric, first, place);
	for (uint32_t i = first; i != FABRIC_NONE; i = fabric->nodes[i].same_guid)
		found++;
	for (uint32_t i = 0; i < fabric->port_count && guid && first == FABRIC_NONE; i++)
		if (fabric->ports[i].guid == guid && !found++)
			take_port(fabric, i, place);
	if (found)
		return found;
	for (uint32_t i = 0; i < fabric->node_count; i++)
		if (fabric_system_guid(&fabric->nodes[i]) == guid && !found++)
			take_node(fabric, i, place);
	return found;
}

/* Follows the cables from where the scan began. */
static bool take_path(const struct fabric *fabric, const struct mad_target *target,
		      struct fabric_place *place)
{
	uint32_t node = 0, port = FABRIC_NONE;

	for (unsigned int hop = 1; hop <= target->hops; hop++) {
		if (target->path[hop] > fabric->nodes[node].port_count)
			return false;
		port = fabric->ports[fabric_port_at(fabric, node, target->path[hop])].peer;
		if (port == FABRIC_NONE)
			return false;
		node = fabric->ports[port].node;
	}
	if (port == FABRIC_NONE)
		take_node(fabric, node, place);
	else
		take_port(fabric, port, place);
	return true;
}

size_t fabric_find_target(const struct fabric *fabric, const struct mad_target *target,
			  struct fabric_place *ret_place)
{
	switch (target->kind) {
	case TARGET_LID:
		return take_lid(fabric, target->lid, ret_place);
	case TARGET_DIRECT:
		return take_path(fabric, target, ret_place);
	case TARGET_GID:
		return take_guid(fabric, bits_get(target->gid.raw, 64, 64), ret_place);
	default:
		return take_guid(fabric, target->guid, ret_place);
	}
}

static size_t find_node(const struct fabric_view *view, const char *word, uint32_t *ret_node)
{
	char name[FABRIC_NAME_SIZE];
	size_t found = 0;

	for (uint32_t i = 0; i < view->fabric->node_count; i++) {
		fabric_node_name_into(view, i, name);
		if (!strcmp(name, word) && !found++)
			*ret_node = i;
	}
	return found;
}

/* `leaf 3/12`: counts the nodes of that name; if it is one, takes the port. */
static size_t find_port(const struct fabric_view *view, const char *word,
			struct fabric_place *ret_place)
{
	_cleanup_(freep) char *name = NULL;
	uint32_t node = FABRIC_NONE;
	unsigned int number;
	size_t found;

	if (!mad_target_split(word, &name, &number) || !number)
		return 0;
	found = find_node(view, name, &node);
	if (found != 1)
		return found;
	if (number > view->fabric->nodes[node].port_count)
		return 0;
	take_port(view->fabric, fabric_port_at(view->fabric, node, number), ret_place);
	return 1;
}

size_t fabric_find_name(const struct fabric_view *view, const char *word,
			struct fabric_place *ret_place)
{
	uint32_t node = FABRIC_NONE;
	size_t found = find_node(view, word, &node);

	if (!found)
		return find_port(view, word, ret_place);
	take_node(view->fabric, node, ret_place);
	return found;
}

/* All nodes that have the GUID, or a port with it; returns whether there are any. */
static bool match_guid(const struct fabric *fabric, uint64_t guid, bool *named)
{
	bool found = false;

	for (uint32_t i = 0; i < fabric->node_count; i++)
		found |= named[i] = fabric->nodes[i].guid == guid;
	for (uint32_t i = 0; i < fabric->port_count && guid; i++)
		if (fabric->ports[i].guid == guid)
			found = named[fabric->ports[i].node] = true;
	return found;
}

bool *fabric_match_names(const struct fabric_view *view, const char *pattern)
{
	bool *named = mem_alloc_zero(view->fabric->node_count + 1, sizeof(*named));
	bool found = false;
	uint64_t guid;

	for (uint32_t i = 0; i < view->fabric->node_count; i++) {
		char name[FABRIC_NAME_SIZE];

		fabric_node_name_into(view, i, name);
		/* A name may have brackets, which mean something in a pattern. */
		named[i] = !strcmp(pattern, name) || !fnmatch(pattern, name, 0);
		found |= named[i];
	}
	if (found || (!guid_parse(pattern, &guid) && match_guid(view->fabric, guid, named)))
		return named;
	free(named);
	return NULL;
}
