/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "fabric/check/diags.h"
#include "fabric/format/topology_private.h"

/* The way to a node from its parent, which comes before it. */
static void find_way(struct fabric *fabric, uint32_t number, uint32_t parent)
{
	struct fabric_node *node = &fabric->nodes[number];
	const struct fabric_port *port;

	node->parent = parent;
	if (parent == FABRIC_NONE) {
		node->hops = number ? FABRIC_HOPS_UNKNOWN : 0;
		return;
	}
	port = &fabric->ports[parent];
	node->local_port = fabric->ports[port->peer].number;
	node->hops = fabric->nodes[port->node].hops;
	if (node->hops < FABRIC_HOPS_UNKNOWN)
		node->hops++;
}

void topology_arrange(struct fabric *fabric)
{
	_cleanup_(freep) uint32_t *parents = NULL;
	_cleanup_(freep) uint32_t *order = diags_breadth_first(fabric, &parents);
	_cleanup_(freep) uint32_t *places = mem_alloc_zero(fabric->port_count, sizeof(*places));
	struct fabric arranged = {.nodes = NULL};

	for (uint32_t i = 0; i < fabric->node_count; i++) {
		const struct fabric_node *old = &fabric->nodes[order[i]];
		uint32_t number = fabric_add_node(&arranged, old->info);
		struct fabric_node *node = &arranged.nodes[number];

		node->local_port = old->local_port;
		node->has_description = old->has_description;
		node->has_switch_info = old->has_switch_info;
		node->ambiguous = old->ambiguous;
		memcpy(node->description, old->description, sizeof(node->description));
		memcpy(node->switch_info, old->switch_info, sizeof(node->switch_info));
		for (uint32_t port = 0; port <= old->port_count; port++) {
			places[old->first_port + port] = node->first_port + port;
			arranged.ports[node->first_port + port] =
				fabric->ports[old->first_port + port];
			arranged.ports[node->first_port + port].node = number;
		}
	}
	for (uint32_t i = 0; i < arranged.port_count; i++)
		if (arranged.ports[i].peer != FABRIC_NONE)
			arranged.ports[i].peer = places[arranged.ports[i].peer];
	for (uint32_t i = 0; i < arranged.node_count; i++)
		find_way(&arranged, i,
			 parents[order[i]] == FABRIC_NONE ? FABRIC_NONE
							  : places[parents[order[i]]]);
	fabric_clear(fabric);
	*fabric = arranged;
}
