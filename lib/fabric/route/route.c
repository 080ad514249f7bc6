/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

#include "fabric/route/route.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"

struct follower {
	const struct fabric *fabric;
	route_lookup lookup;
	void *context;
	uint16_t lid;
	uint32_t to;
	struct fabric_route *route;
};

static bool is_there(const struct follower *follower, uint32_t port)
{
	const struct fabric *fabric = follower->fabric;

	/* The LID belongs to the switch, whichever port the packet arrived at. */
	if (fabric_is_of_switch(fabric, follower->to))
		return fabric->ports[port].node == fabric->ports[follower->to].node;
	return fabric_are_planes(fabric, port, follower->to);
}

/* A route has few hops, so searching them is faster than a list of all nodes for each route. */
static bool has_left(const struct follower *follower, uint32_t node)
{
	const struct fabric_route *route = follower->route;

	for (size_t i = 0; i < route->count; i++)
		if (follower->fabric->ports[route->ports[i]].node == node)
			return true;
	return false;
}

/* Finds the output port of a switch; false if the route ends there. */
static bool leave_switch(struct follower *follower, uint32_t node, uint32_t *ret_port)
{
	const struct fabric *fabric = follower->fabric;
	struct fabric_route *route = follower->route;

	if (has_left(follower, node)) {
		route->end = ROUTE_LOOP;
		return false;
	}
	route->out_port = follower->lookup(follower->context, node, follower->lid);
	if (route->out_port == FORWARDING_UNKNOWN)
		route->end = ROUTE_UNKNOWN;
	else if (route->out_port == FORWARDING_NOWHERE)
		route->end = ROUTE_NOWHERE;
	else if (!route->out_port || route->out_port > fabric->nodes[node].port_count)
		route->end = ROUTE_NO_PORT;
	else
		*ret_port = fabric_port_at(fabric, node, route->out_port);
	return route->end == ROUTE_ARRIVED;
}

void route_follow(const struct fabric *fabric, uint32_t from, uint32_t to, uint16_t lid,
		  route_lookup lookup, void *context, struct fabric_route *route)
{
	struct follower follower = {
		.fabric = fabric,
		.lookup = lookup,
		.context = context,
		.lid = lid,
		.to = to,
		.route = route,
	};
	uint32_t at = from, out = from;

	while (!is_there(&follower, at)) {
		route->node = fabric->ports[at].node;
		if (fabric->nodes[route->node].type == NODE_TYPE_SWITCH) {
			if (!leave_switch(&follower, route->node, &out))
				return;
		} else if (at != from || route->count) {
			route->end = ROUTE_STRANGER;
			return;
		}
		MEM_ADD(route->ports, route->count) = out;
		at = fabric->ports[out].peer;
		if (at == FABRIC_NONE) {
			route->end = ROUTE_NO_PEER;
			route->out_port = fabric->ports[out].number;
			return;
		}
	}
	route->node = fabric->ports[at].node;
}

bool route_takes_back(const struct fabric *fabric, const struct fabric_route *there, size_t hop,
		      const struct fabric_route *back)
{
	uint32_t peer = fabric->ports[there->ports[hop]].peer;

	for (size_t i = 0; i < back->count; i++)
		if (peer != FABRIC_NONE && back->ports[i] == peer)
			return true;
	return false;
}

struct walker {
	struct mad_engine *engine;
	struct fabric_scan_options scan; /* for requests from the local port */
	struct fabric_walk *walk;
	uint16_t lid;
	/* Switches by GUID and output port, because two switches may share a GUID. */
	struct {
		uint64_t guid;
		unsigned int out_port;
	} seen[MAD_HOPS_MOST + 1];
	size_t seen_count;
};

static void ask(const struct walker *walker, uint16_t attribute, uint32_t modifier,
		struct mad_item *item)
{
	const struct fabric none = {.nodes = NULL};

	*item = (struct mad_item){.request = {.attribute = attribute, .modifier = modifier}};
	fabric_scan_request(&walker->scan, &none, walker->walk->path, (int)walker->walk->hops,
			    &item->request);
}

/* Returns false if the node did not answer, which ends the walk. */
static bool has_come(struct walker *walker, const struct mad_item *item)
{
	if (!item->error && !item->status)
		return true;
	walker->walk->end = WALK_UNANSWERED;
	walker->walk->failure = fabric_failure_of_item(FABRIC_NONE, item);
	return false;
}

/* The description is only for messages, so it may be missing. */
static void take_description(struct walker *walker, const struct mad_item *item)
{
	walker->walk->has_description = !item->error && !item->status;
	memcpy(walker->walk->description, item->data, sizeof(walker->walk->description));
}

static bool has_lid(const struct walker *walker, const uint8_t *port_info)
{
	uint32_t first = port_info_lid(port_info);

	return first && walker->lid >= first &&
	       walker->lid < first + (1u << port_info_lmc(port_info));
}

static bool was_here(struct walker *walker)
{
	uint64_t guid = node_info_node_guid(walker->walk->info);

	for (size_t i = 0; i < walker->seen_count; i++)
		if (walker->seen[i].guid == guid &&
		    walker->seen[i].out_port == walker->walk->out_port)
			return true;
	walker->seen[walker->seen_count].guid = guid;
	walker->seen[walker->seen_count++].out_port = walker->walk->out_port;
	return false;
}

/* Ends the walk; returns false. */
static bool end_at(struct walker *walker, enum walk_end end)
{
	walker->walk->end = end;
	return false;
}

/* Continues through a port. */
static bool leave(struct walker *walker, unsigned int port)
{
	struct fabric_walk *walk = walker->walk;

	if (walk->hops == MAD_HOPS_MOST)
		return end_at(walker, WALK_FAR);
	walk->path[++walk->hops] = (uint8_t)port;
	return true;
}

/* Handles a switch; returns whether the walk goes on. */
static bool pass_switch(struct walker *walker)
{
	enum { PORT, DESCRIPTION, SWITCH, TABLE, COUNT };
	struct fabric_walk *walk = walker->walk;
	struct mad_item items[COUNT];

	ask(walker, UMAD_SM_ATTR_PORT_INFO, 0, &items[PORT]);
	ask(walker, UMAD_SM_ATTR_NODE_DESC, 0, &items[DESCRIPTION]);
	ask(walker, UMAD_SM_ATTR_SWITCH_INFO, 0, &items[SWITCH]);
	ask(walker, UMAD_SM_ATTR_LINEAR_FT, walker->lid / MAD_LINEAR_BLOCK, &items[TABLE]);
	mad_gather(walker->engine, items, COUNT);
	take_description(walker, &items[DESCRIPTION]);
	if (!has_come(walker, &items[PORT]))
		return false;
	if (has_lid(walker, items[PORT].data))
		return end_at(walker, WALK_ARRIVED);
	if (!has_come(walker, &items[SWITCH]) || !has_come(walker, &items[TABLE]))
		return false;
	walk->out_port = items[TABLE].data[walker->lid % MAD_LINEAR_BLOCK];
	if (walker->lid > switch_info_linear_top(items[SWITCH].data))
		walk->out_port = FORWARDING_NOWHERE;
	if (walk->out_port == FORWARDING_NOWHERE)
		return end_at(walker, WALK_NOWHERE);
	if (!walk->out_port || walk->out_port > node_info_ports(walk->info))
		return end_at(walker, WALK_NO_PORT);
	return was_here(walker) ? end_at(walker, WALK_LOOP) : leave(walker, walk->out_port);
}

/* Handles an adapter or a router; only the local one sends on. */
static bool pass_adapter(struct walker *walker)
{
	struct fabric_walk *walk = walker->walk;
	struct mad_item items[2];

	ask(walker, UMAD_SM_ATTR_PORT_INFO, node_info_local_port(walk->info), &items[0]);
	ask(walker, UMAD_SM_ATTR_NODE_DESC, 0, &items[1]);
	mad_gather(walker->engine, items, 2);
	take_description(walker, &items[1]);
	if (!has_come(walker, &items[0]))
		return false;
	if (has_lid(walker, items[0].data))
		return end_at(walker, WALK_ARRIVED);
	return walk->hops ? end_at(walker, WALK_STRANGER)
			  : leave(walker, node_info_local_port(walk->info));
}

static bool pass_node(struct walker *walker)
{
	struct fabric_walk *walk = walker->walk;
	struct mad_item item;

	ask(walker, UMAD_SM_ATTR_NODE_INFO, 0, &item);
	mad_gather(walker->engine, &item, 1);
	if (!has_come(walker, &item))
		return false;
	memcpy(walk->info, item.data, sizeof(walk->info));
	walk->has_info = true;
	return node_info_type(walk->info) == NODE_TYPE_SWITCH ? pass_switch(walker)
							      : pass_adapter(walker);
}

int fabric_walk(struct mad_engine *engine, uint64_t mkey, uint16_t lid, struct fabric_walk *walk)
{
	struct walker walker = {
		.engine = engine,
		.scan = {.mkey = mkey},
		.walk = walk,
		.lid = lid,
	};

	*walk = (struct fabric_walk){.hops = 0};
	while (pass_node(&walker))
		;
	return walk->end == WALK_UNANSWERED && walk->failure.error == -ECANCELED ? -ECANCELED : 0;
}

/* The name of the last node that answered: its description, else its GUID. To be freed. */
static char *walk_name(const struct fabric_walk *walk)
{
	_cleanup_(fabric_clear) struct fabric fabric = {.nodes = NULL};
	const struct fabric_view view = {.fabric = &fabric};
	uint32_t node = walk->has_info ? fabric_add_node(&fabric, walk->info) : FABRIC_NONE;
	char *name;

	if (node == FABRIC_NONE) {
		name = mem_string(walk->hops ? "a node with a malformed NodeInfo"
					     : "the local port");
	} else {
		fabric.nodes[node].has_description = walk->has_description;
		memcpy(fabric.nodes[node].description, walk->description,
		       sizeof(walk->description));
		name = fabric_node_name(&view, node);
	}
	return name;
}

static char *describe_end(const struct fabric_walk *walk, const char *name)
{
	switch (walk->end) {
	case WALK_NOWHERE:
		return mem_format("at %s, whose forwarding table has no port for it", name);
	case WALK_NO_PORT:
		return walk->out_port ? mem_format("at %s, whose forwarding table sends packets to "
						   "port %u, which the switch does not have",
						   name, walk->out_port)
				      : mem_format("at %s, whose forwarding table sends packets to "
						   "the switch itself, which has another LID",
						   name);
	case WALK_LOOP:
		return mem_format("in a loop at %s", name);
	case WALK_STRANGER:
		return mem_format("at %s, which has another LID", name);
	case WALK_FAR:
		return mem_format("at %s: it is more than %u hops long", name, MAD_HOPS_MOST);
	case WALK_UNANSWERED:
	case WALK_ARRIVED:
		break;
	}
	return NULL;
}

static char *describe_timeout(const struct fabric_walk *walk, const char *name)
{
	const struct fabric_failure *failure = &walk->failure;
	const struct mad_attribute *attribute = mad_attribute_find(UMAD_CLASS_SUBN_DIRECTED_ROUTE,
								   failure->attribute);
	bool at_peer = walk->hops && !strcmp(attribute->word, "nodeinfo");
	_cleanup_(freep) char *reason = mad_failure_text(
		UMAD_CLASS_SUBN_DIRECTED_ROUTE, failure->error, failure->status, failure->tries);
	_cleanup_(freep) char *port = at_peer ? mem_format("/%u", walk->path[walk->hops]) : NULL;

	return mem_format("%s %s%s: %s: %s", at_peer ? "after" : "at", name, at_peer ? port : "",
			  attribute->name, reason);
}

char *fabric_walk_text(const struct fabric_walk *walk)
{
	_cleanup_(freep) char *name = walk_name(walk);

	return walk->end == WALK_UNANSWERED ? describe_timeout(walk, name)
					    : describe_end(walk, name);
}
