/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A word of the command line, and which node of the graph is meant. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "fabric/route/forwarding.h"
#include "cmd/fabric/fabric_run.h"
#include "schema/bits.h"

static const char how_to_name[] =
	"a name, GUID, LID or directed route: rdmactl fabric nodes -o node,node_guid,lid,path";

static bool fail(struct fabric_run *run, int status, char *message)
{
	listing_fail(&run->session.listing, status, message, how_to_name);
	free(message);
	return false;
}

/* The port that the node is meant by: one with a LID, else one with a link, else any. */
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

/* Of nodes, then of ports, then of systems: how many have it, the first taken. */
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

/* Along the cables from where the scan began. */
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

/* A GUID that no node has said may be an alias, as virtual functions have: the SA knows it. */
static bool ask_sa(struct fabric_run *run, const struct mad_target *target,
		   struct fabric_place *ret_place)
{
	struct mad_place place = {.target = *target};

	if (!run->session.engine)
		return false;
	mad_find_places(run->session.engine, &run->session.route, &place, 1);
	return !place.error && take_lid(&run->fabric, place.address.lid, ret_place);
}

/* How many nodes the target may mean, the first taken. */
static size_t find_target(struct fabric_run *run, const struct mad_target *target,
			  struct fabric_place *place)
{
	uint64_t guid = target->guid;
	size_t found;

	if (target->kind == TARGET_LID)
		return take_lid(&run->fabric, target->lid, place);
	if (target->kind == TARGET_DIRECT)
		return take_path(&run->fabric, target, place);
	if (target->kind == TARGET_GID)
		guid = bits_get(target->gid.raw, 64, 64);
	found = take_guid(&run->fabric, guid, place);
	return found ? found : ask_sa(run, target, place);
}

static size_t find_name(const struct fabric_run *run, const char *word, uint32_t *ret_node)
{
	char name[FABRIC_NAME_SIZE];
	size_t found = 0;

	for (uint32_t i = 0; i < run->fabric.node_count; i++) {
		fabric_node_name_into(&run->view, i, name);
		if (!strcmp(name, word) && !found++)
			*ret_node = i;
	}
	return found;
}

/* `leaf 3/12`, as messages call a port: how many nodes may be meant, of one the port taken. */
static size_t find_port_name(const struct fabric_run *run, const char *word,
			     struct fabric_place *place)
{
	const struct fabric *fabric = &run->fabric;
	const char *slash = strrchr(word, '/');
	_cleanup_(freep) char *name = NULL;
	uint64_t number;
	uint32_t node = FABRIC_NONE;
	size_t found;

	if (!slash || text_parse_u64(slash + 1, 10, FABRIC_PORT_MOST, &number) || !number)
		return 0;
	name = mem_format("%.*s", (int)(slash - word), word);
	found = find_name(run, name, &node);
	if (found != 1)
		return found;
	if (number > fabric->nodes[node].port_count)
		return 0;
	take_port(fabric, fabric_port_at(fabric, node, (unsigned int)number), place);
	return 1;
}

bool fabric_run_find_port(struct fabric_run *run, const char *word, struct fabric_place *ret_place)
{
	enum target_kind kind = mad_forced_kind(&run->args->mad);
	_cleanup_(freep) char *clean = text_clean(word, strlen(word));
	struct mad_target target;
	size_t found = 0;
	uint32_t node = FABRIC_NONE;

	/* A number is a LID or a GUID first: a node may give itself any name. */
	if (!mad_target_parse(word, kind, &target))
		found = find_target(run, &target, ret_place);
	if (!found && kind == TARGET_ANY) {
		found = find_name(run, word, &node);
		if (found)
			take_node(&run->fabric, node, ret_place);
		else
			found = find_port_name(run, word, ret_place);
	}
	if (found > 1)
		return fail(run, STATUS_USAGE, mem_format("'%s' is %zu nodes", clean, found));
	if (!found)
		return fail(run, STATUS_NOTHING,
			    mem_format("the scan has found no node '%s'", clean));
	return true;
}

uint32_t fabric_run_find(struct fabric_run *run, const char *word)
{
	struct fabric_place place;

	return fabric_run_find_port(run, word, &place) ? place.node : FABRIC_NONE;
}

bool fabric_run_match(struct fabric_run *run)
{
	const char *pattern = run->args->name;
	_cleanup_(freep) char *clean = NULL, *message = NULL;
	bool found = false;

	if (!pattern)
		return true;
	run->named = mem_alloc_zero(run->fabric.node_count + 1, sizeof(*run->named));
	for (uint32_t i = 0; i < run->fabric.node_count; i++) {
		char name[FABRIC_NAME_SIZE];

		fabric_node_name_into(&run->view, i, name);
		run->named[i] = !fnmatch(pattern, name, 0);
		found = found || run->named[i];
	}
	if (found)
		return true;
	clean = text_clean(pattern, strlen(pattern));
	message = mem_format("no node has a name like '%s'", clean);
	listing_fail(&run->session.listing, STATUS_NOTHING, message,
		     "give the full name, or part of it between asterisks; rdmactl fabric nodes "
		     "lists them");
	return false;
}

bool fabric_run_is_named(const struct fabric_run *run, uint32_t port)
{
	const struct fabric *fabric = &run->fabric;
	uint32_t peer = fabric->ports[port].peer;

	return !run->named || run->named[fabric->ports[port].node] ||
	       (peer != FABRIC_NONE && run->named[fabric->ports[peer].node]);
}
