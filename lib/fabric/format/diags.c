/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

#include "fabric/format/diags.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "fabric/format/topology.h"

/* The requests of those tools, in the order in which one answer leads to the next. */
enum request { NODE, SWITCH, PORT_0, PORT, VENDOR_PORT };

struct item {
	uint32_t place; /* index of the port; of port 0 for a query to a node */
	enum request request;
};

struct walk {
	const struct fabric *fabric;
	bool asks_vendor;
	uint32_t *order, count;
	bool *seen; /* by node */
	uint32_t *parents;
	struct item *items;
	size_t item_count, next;
};

/* Devices that those tools query for Mellanox's ExtendedPortInfo. Vendor 0: any vendor. */
static const struct {
	uint32_t vendor;
	uint16_t first, last;
} devices[] = {
	{0, 0x1003, 0x101b},
	{0, 0xa2d2, 0xa2d2},
	{0, 0xc738, 0xc73b},
	{0, 0xc839, 0xc839},
	{0, 0xcb20, 0xcb20},
	{0, 0xcf08, 0xcf09},
	{0, 0xd2f0, 0xd2f0},
	{FABRIC_VENDOR_BULL, 0x1b02, 0x1b02},
	{FABRIC_VENDOR_BULL, 0x1b33, 0x1b33},
	{FABRIC_VENDOR_BULL, 0x1b40, 0x1b41},
	{FABRIC_VENDOR_BULL, 0x1b50, 0x1b50},
	{FABRIC_VENDOR_BULL, 0x1b60, 0x1b61},
	{FABRIC_VENDOR_BULL, 0x1b73, 0x1b73},
	{FABRIC_VENDOR_BULL, 0x1b83, 0x1b83},
	{FABRIC_VENDOR_BULL, 0x1b93, 0x1b94},
	{FABRIC_VENDOR_BULL, 0x1ba0, 0x1ba0},
	{FABRIC_VENDOR_BULL, 0x1bb4, 0x1bb5},
	{FABRIC_VENDOR_BULL, 0x1bc4, 0x1bc6},
	{FABRIC_VENDOR_BULL, 0x1bd0, 0x1bd5},
	{FABRIC_VENDOR_BULL, 0x1bf0, 0x1bf0},
};

/* A port at QDR may run at FDR10. */
static bool is_vendor_asked(const struct fabric *fabric, uint32_t place)
{
	const struct fabric_node *node = fabric_node_of(fabric, place);
	enum lane_speed speed = fabric_speed(&fabric->ports[place]);
	uint16_t device = node_info_device_id(node->info);

	if (speed != SPEED_QDR && speed != SPEED_FDR10)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(devices); i++)
		if (device >= devices[i].first && device <= devices[i].last &&
		    (!devices[i].vendor || devices[i].vendor == node_info_vendor_id(node->info)))
			return true;
	return false;
}

static void ask(struct walk *walk, uint32_t place, enum request request)
{
	MEM_ADD(walk->items, walk->item_count) = (struct item){.place = place, .request = request};
}

/* Queries a node further after it has answered at the other end of a port. */
static void meet(struct walk *walk, uint32_t number, uint32_t parent)
{
	const struct fabric_node *node = &walk->fabric->nodes[number];

	if (walk->seen[number])
		return;
	walk->seen[number] = true;
	walk->parents[number] = parent;
	walk->order[walk->count++] = number;
	if (node->type == NODE_TYPE_SWITCH)
		ask(walk, node->first_port, SWITCH);
	else if (walk->count == 1)
		/* Only the first adapter leads on, through its local port. */
		ask(walk, node->first_port + node->local_port, PORT);
}

static void answer(struct walk *walk, const struct item *item)
{
	const struct fabric *fabric = walk->fabric;
	const struct fabric_port *port = &fabric->ports[item->place];

	switch (item->request) {
	case SWITCH:
		ask(walk, item->place, PORT_0);
		break;
	case PORT_0:
		for (uint32_t i = 1; i <= fabric->nodes[port->node].port_count; i++)
			ask(walk, item->place + i, PORT);
		break;
	case PORT:
		if (fabric_is_up(port))
			ask(walk, item->place,
			    walk->asks_vendor && is_vendor_asked(fabric, item->place) ? VENDOR_PORT
										      : NODE);
		break;
	case VENDOR_PORT:
		ask(walk, item->place, NODE);
		break;
	case NODE:
		if (port->peer != FABRIC_NONE)
			meet(walk, fabric->ports[port->peer].node, item->place);
		break;
	}
}

static void walk_from(struct walk *walk, uint32_t number)
{
	meet(walk, number, FABRIC_NONE);
	while (walk->next < walk->item_count) {
		const struct item item = walk->items[walk->next++];

		answer(walk, &item);
	}
}

/* Walks from node 0, then from the switches that were not reached, then from the rest. */
static void walk_all(struct walk *walk)
{
	const struct fabric *fabric = walk->fabric;

	walk->order = mem_alloc_zero(fabric->node_count, sizeof(*walk->order));
	walk->seen = mem_alloc_zero(fabric->node_count, sizeof(*walk->seen));
	walk->parents = mem_alloc_zero(fabric->node_count, sizeof(*walk->parents));
	if (fabric->node_count)
		walk_from(walk, 0);
	for (uint32_t i = 1; i < fabric->node_count; i++)
		if (fabric->nodes[i].type == NODE_TYPE_SWITCH)
			walk_from(walk, i);
	for (uint32_t i = 1; i < fabric->node_count; i++)
		walk_from(walk, i);
	free(walk->items);
	free(walk->seen);
}

uint32_t *diags_order(const struct fabric *fabric)
{
	struct walk walk = {.fabric = fabric, .asks_vendor = true};

	walk_all(&walk);
	free(walk.parents);
	return walk.order;
}

uint32_t *diags_breadth_first(const struct fabric *fabric, uint32_t **ret_parents)
{
	struct walk walk = {.fabric = fabric};

	walk_all(&walk);
	*ret_parents = walk.parents;
	return walk.order;
}

char *diags_name(const struct fabric_node *node, const struct node_names *names)
{
	const char *given = node_names_find(names, node->guid);
	char *name;

	if (given)
		return mem_string(given);
	name = mem_alloc_zero(NODE_DESCRIPTION_BYTES + 1, 1);
	for (size_t i = 0; i < NODE_DESCRIPTION_BYTES && node->description[i]; i++)
		name[i] = (char)(node->description[i] < ' ' || node->description[i] > '~'
					 ? ' '
					 : node->description[i]);
	return name;
}

/* Sets the path to a node from its parent, which comes before it. */
static void find_route(struct fabric *fabric, uint32_t number, uint32_t parent)
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
		struct fabric_node *node = fabric_copy_node(&arranged, old, old->info);

		node->local_port = old->local_port;
		node->ambiguous = old->ambiguous;
		for (uint32_t port = 0; port <= old->port_count; port++) {
			places[old->first_port + port] = node->first_port + port;
			arranged.ports[node->first_port + port] =
				fabric->ports[old->first_port + port];
			arranged.ports[node->first_port + port].node = i;
		}
	}
	for (uint32_t i = 0; i < arranged.port_count; i++)
		if (arranged.ports[i].peer != FABRIC_NONE)
			arranged.ports[i].peer = places[arranged.ports[i].peer];
	for (uint32_t i = 0; i < arranged.node_count; i++)
		find_route(&arranged, i,
			   parents[order[i]] == FABRIC_NONE ? FABRIC_NONE
							    : places[parents[order[i]]]);
	fabric_clear(fabric);
	*fabric = arranged;
}

unsigned int diags_lid(const struct fabric *fabric, uint32_t port)
{
	if (fabric_is_of_switch(fabric, port))
		port = fabric_node_of(fabric, port)->first_port;
	return port_info_lid(fabric->ports[port].info);
}
