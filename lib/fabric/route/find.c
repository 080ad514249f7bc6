/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "fabric/route/route.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/gid.h"
#include "base/mem.h"

/* The port that represents a node: one with a LID, else one with a link, else local_port. */
static uint32_t port_of_node(const struct fabric *fabric, uint32_t number)
{
	const struct fabric_node *node = &fabric->nodes[number];
	uint32_t linked = FABRIC_NONE;

	if (node->type == NODE_TYPE_SWITCH)
		return node->first_port;
	for_each_port_of (i, node) {
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

/* Counts the nodes that have the LID, and takes the first port. */
static size_t take_lid(struct fabric_finder *finder, uint16_t lid, struct fabric_place *place)
{
	if (!finder->owners) {
		finder->owner_counts = mem_alloc_zero(FORWARDING_LIDS,
						      sizeof(*finder->owner_counts));
		finder->owners = forwarding_owners(finder->view.fabric, finder->owner_counts);
	}
	if (lid >= FORWARDING_LIDS || finder->owners[lid] == FABRIC_NONE)
		return 0;
	take_port(finder->view.fabric, finder->owners[lid], place);
	place->lid = lid;
	return finder->owner_counts[lid];
}

DEFINE_ORDER(by_guid, struct finder_guid, COMPARE(a->guid, b->guid), COMPARE(a->port, b->port))

static int has_guid(const void *guid, const void *entry)
{
	const uint64_t wanted = *(const uint64_t *)guid,
		       here = ((const struct finder_guid *)entry)->guid;

	return COMPARE(wanted, here);
}

static void list_guids(struct fabric_finder *finder)
{
	const struct fabric *fabric = finder->view.fabric;

	finder->has_guids = true;
	for (uint32_t i = 0; i < fabric->port_count; i++)
		if (fabric->ports[i].guid)
			MEM_ADD(finder->guids, finder->guid_count) = (struct finder_guid){
				.guid = fabric->ports[i].guid,
				.port = i,
			};
	MEM_SORT(finder->guids, finder->guid_count, by_guid);
}

/* Counts the nodes that have a port with the GUID, and takes the first port. */
static size_t take_port_guid(struct fabric_finder *finder, uint64_t guid,
			     struct fabric_place *place)
{
	const struct fabric *fabric = finder->view.fabric;
	const struct finder_guid *first, *end;
	size_t count = 1;

	if (!finder->has_guids)
		list_guids(finder);
	first = MEM_FIND_FIRST(&guid, finder->guids, finder->guid_count, has_guid);
	if (!first)
		return 0;
	take_port(fabric, first->port, place);
	end = finder->guids + finder->guid_count;
	while (++first < end && first->guid == guid)
		count += fabric->ports[first->port].node != fabric->ports[first[-1].port].node;
	return count;
}

/* Counts the nodes, else the ports, else the systems with the GUID, and takes the first. */
static size_t take_guid(struct fabric_finder *finder, uint64_t guid, struct fabric_place *place)
{
	const struct fabric *fabric = finder->view.fabric;
	uint32_t first = fabric_find(fabric, guid);
	size_t found = 0;

	if (first != FABRIC_NONE)
		take_node(fabric, first, place);
	for (uint32_t i = first; i != FABRIC_NONE; i = fabric->nodes[i].same_guid)
		found++;
	if (!found && guid)
		found = take_port_guid(finder, guid, place);
	if (found)
		return found;
	for (uint32_t i = 0; i < fabric->node_count; i++)
		if (node_info_system_guid(fabric->nodes[i].info) == guid && !found++)
			take_node(fabric, i, place);
	return found;
}

/* Follows the cables from where the scan began. Without --diff, the earlier scan has no nodes. */
static bool take_path(const struct fabric *fabric, const struct mad_target *target,
		      struct fabric_place *place)
{
	uint32_t node = 0, port = FABRIC_NONE;

	if (!fabric->node_count)
		return false;
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

size_t fabric_find_target(struct fabric_finder *finder, const struct mad_target *target,
			  struct fabric_place *ret_place)
{
	switch (target->kind) {
	case TARGET_LID:
		return take_lid(finder, target->lid, ret_place);
	case TARGET_DIRECT:
		return take_path(finder->view.fabric, target, ret_place);
	case TARGET_GID:
		return take_guid(finder, gid_interface_id(&target->gid), ret_place);
	default:
		return take_guid(finder, target->guid, ret_place);
	}
}

DEFINE_ORDER(by_name, struct finder_name, strcmp(a->name, b->name), COMPARE(a->node, b->node))

static int has_name(const void *name, const void *entry)
{
	return strcmp(name, ((const struct finder_name *)entry)->name);
}

static void list_names(struct fabric_finder *finder)
{
	const uint32_t count = finder->view.fabric->node_count;
	char name[FABRIC_NAME_SIZE];

	finder->names = mem_alloc_zero(count, sizeof(*finder->names));
	for (uint32_t i = 0; i < count; i++) {
		fabric_node_name_into(&finder->view, i, name);
		finder->names[i] = (struct finder_name){.name = mem_string(name), .node = i};
	}
	MEM_SORT(finder->names, count, by_name);
}

static size_t find_node(struct fabric_finder *finder, const char *word, uint32_t *ret_node)
{
	const struct finder_name *first, *end;
	size_t count = 0;

	if (!finder->names)
		list_names(finder);
	end = finder->names + finder->view.fabric->node_count;
	first = MEM_FIND_FIRST(word, finder->names, finder->view.fabric->node_count, has_name);
	if (!first)
		return 0;
	while (first + count < end && !strcmp(first[count].name, word))
		count++;
	*ret_node = first->node;
	return count;
}

void fabric_finder_clear(struct fabric_finder *finder)
{
	for (uint32_t i = 0; finder->names && i < finder->view.fabric->node_count; i++)
		free(finder->names[i].name);
	free(finder->names);
	free(finder->guids);
	free(finder->owners);
	free(finder->owner_counts);
	*finder = (struct fabric_finder){.owners = NULL};
}

/* For `leaf 3/12`: counts the nodes of that name; if there is one, takes its port. */
static size_t find_port(struct fabric_finder *finder, const char *word,
			struct fabric_place *ret_place)
{
	const struct fabric *fabric = finder->view.fabric;
	_cleanup_(freep) char *name = NULL;
	uint32_t node = FABRIC_NONE;
	unsigned int number;
	size_t found;

	if (!mad_target_split(word, &name, &number) || !number)
		return 0;
	found = find_node(finder, name, &node);
	if (found != 1)
		return found;
	if (number > fabric->nodes[node].port_count)
		return 0;
	take_port(fabric, fabric_port_at(fabric, node, number), ret_place);
	return 1;
}

size_t fabric_find_name(struct fabric_finder *finder, const char *word,
			struct fabric_place *ret_place)
{
	uint32_t node = FABRIC_NONE;
	size_t found = find_node(finder, word, &node);

	if (!found)
		return find_port(finder, word, ret_place);
	take_node(finder->view.fabric, node, ret_place);
	return found;
}

/* Marks all nodes that have the GUID, or a port with it; returns whether there are any. */
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
	bool *named = mem_alloc_zero(view->fabric->node_count, sizeof(*named));
	bool found = false;
	uint64_t guid;

	for (uint32_t i = 0; i < view->fabric->node_count; i++) {
		char name[FABRIC_NAME_SIZE];

		fabric_node_name_into(view, i, name);
		/* A name may contain brackets, which are special in a pattern. */
		named[i] = !strcmp(pattern, name) || !fnmatch(pattern, name, 0);
		found |= named[i];
	}
	if (found || (!guid_parse(pattern, &guid) && match_guid(view->fabric, guid, named)))
		return named;
	free(named);
	return NULL;
}
