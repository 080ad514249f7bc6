/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "fabric/route/route.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "fabric/route/forwarding.h"

struct walker {
	const struct fabric *fabric;
	route_lookup lookup;
	void *context;
	uint16_t lid;
	uint32_t to;
	bool *seen; /* switches, by node */
	struct fabric_route *route;
};

static bool is_there(const struct walker *walker, uint32_t port)
{
	const struct fabric *fabric = walker->fabric;

	/* Whatever port it came in by, the LID is the switch's. */
	if (fabric_node_of(fabric, walker->to)->type == NODE_TYPE_SWITCH)
		return fabric->ports[port].node == fabric->ports[walker->to].node;
	return port == walker->to;
}

/* The port that a switch sends it out by; false: the route ends there. */
static bool leave_switch(struct walker *walker, uint32_t node, uint32_t *ret_port)
{
	const struct fabric *fabric = walker->fabric;
	struct fabric_route *route = walker->route;

	if (walker->seen[node]) {
		route->end = ROUTE_LOOP;
		return false;
	}
	walker->seen[node] = true;
	route->out_port = walker->lookup(walker->context, node, walker->lid);
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

static void take(struct fabric_route *route, uint32_t port)
{
	*(uint32_t *)mem_append(&route->ports, &route->count, sizeof(*route->ports)) = port;
}

void route_follow(const struct fabric *fabric, uint32_t from, uint32_t to, uint16_t lid,
		  route_lookup lookup, void *context, struct fabric_route *route)
{
	_cleanup_(freep) bool *seen = mem_alloc_zero(fabric->node_count, sizeof(*seen));
	struct walker walker = {
		.fabric = fabric,
		.lookup = lookup,
		.context = context,
		.lid = lid,
		.to = to,
		.seen = seen,
		.route = route,
	};
	uint32_t at = from, out = from;

	while (!is_there(&walker, at)) {
		route->node = fabric->ports[at].node;
		if (fabric->nodes[route->node].type == NODE_TYPE_SWITCH) {
			if (!leave_switch(&walker, route->node, &out))
				return;
		} else if (at != from || route->count) {
			route->end = ROUTE_STRANGER;
			return;
		}
		take(route, out);
		at = fabric->ports[out].peer;
		if (at == FABRIC_NONE) {
			route->end = ROUTE_NO_PEER;
			route->out_port = fabric->ports[out].number;
			return;
		}
	}
	route->node = fabric->ports[at].node;
}

void route_clear(struct fabric_route *route)
{
	free(route->ports);
	*route = (struct fabric_route){.ports = NULL};
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
