/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "fabric/graph/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define FIRST_TABLE 64u

void fabric_clear(struct fabric *fabric)
{
	free(fabric->nodes);
	free(fabric->ports);
	free(fabric->failures);
	free(fabric->details);
	free(fabric->table);
	free(fabric->origin.time);
	free(fabric->origin.host);
	free(fabric->origin.device);
	free(fabric->origin.from);
	*fabric = (struct fabric){.nodes = NULL};
}

/*
 * The slot of the GUID in the table. The top bits of a GUID are its vendor's, so the low bits
 * count.
 */
static uint32_t slot_of(const struct fabric *fabric, uint64_t guid)
{
	uint32_t slot = (uint32_t)(guid * 0x9e3779b97f4a7c15u >> 32) & (fabric->table_size - 1);

	while (fabric->table[slot] != FABRIC_NONE &&
	       fabric->nodes[fabric->table[slot]].guid != guid)
		slot = (slot + 1) & (fabric->table_size - 1);
	return slot;
}

/* Keeps the table at most half full, so that searches are short. */
static void make_room(struct fabric *fabric)
{
	uint32_t size = fabric->table_size ? fabric->table_size : FIRST_TABLE;
	uint32_t *old = fabric->table, old_size = fabric->table_size;

	while (size < 2 * (fabric->node_count + 1))
		size *= 2;
	if (size == old_size)
		return;
	fabric->table = mem_alloc_zero(size, sizeof(*fabric->table));
	fabric->table_size = size;
	memset(fabric->table, 0xff, size * sizeof(*fabric->table));
	for (uint32_t i = 0; i < old_size; i++)
		if (old[i] != FABRIC_NONE)
			fabric->table[slot_of(fabric, fabric->nodes[old[i]].guid)] = old[i];
	free(old);
}

/* Enters the node after the others with its GUID. */
static void enter(struct fabric *fabric, uint32_t number)
{
	uint32_t slot, other;

	make_room(fabric);
	slot = slot_of(fabric, fabric->nodes[number].guid);
	other = fabric->table[slot];
	if (other == FABRIC_NONE) {
		fabric->table[slot] = number;
		return;
	}
	while (fabric->nodes[other].same_guid != FABRIC_NONE)
		other = fabric->nodes[other].same_guid;
	fabric->nodes[other].same_guid = number;
}

uint32_t fabric_find(const struct fabric *fabric, uint64_t guid)
{
	return fabric->table_size ? fabric->table[slot_of(fabric, guid)] : FABRIC_NONE;
}

static void add_ports(struct fabric *fabric, uint32_t node, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		struct fabric_port *port;
		size_t ports = fabric->port_count;

		port = mem_append(&fabric->ports, &ports, sizeof(*port));
		fabric->port_count = (uint32_t)ports;
		port->node = node;
		port->peer = FABRIC_NONE;
		port->number = (uint8_t)i;
	}
}

uint32_t fabric_add_node(struct fabric *fabric, const uint8_t info[static NODE_INFO_BYTES])
{
	uint32_t number = fabric->node_count;
	unsigned int type = node_info_type(info), ports = node_info_ports(info);
	size_t count = number;
	struct fabric_node *node;

	if (type < NODE_TYPE_CA || type > NODE_TYPE_ROUTER || !ports || ports > FABRIC_PORT_MOST ||
	    node_info_local_port(info) > ports)
		return FABRIC_NONE;
	node = mem_append(&fabric->nodes, &count, sizeof(*node));
	fabric->node_count = (uint32_t)count;
	node->guid = node_info_node_guid(info);
	node->parent = node->same_guid = FABRIC_NONE;
	node->type = (uint8_t)type;
	node->port_count = (uint8_t)ports;
	node->local_port = node_info_local_port(info);
	node->first_port = fabric->port_count;
	memcpy(node->info, info, NODE_INFO_BYTES);
	add_ports(fabric, number, ports + 1);
	if (type != NODE_TYPE_SWITCH)
		fabric->ports[node->first_port + node->local_port].guid = fabric_port_guid(node);
	enter(fabric, number);
	return number;
}

void fabric_link(struct fabric *fabric, uint32_t port, uint32_t peer)
{
	fabric->ports[port].peer = peer;
	fabric->ports[peer].peer = port;
}

void fabric_unlink(struct fabric *fabric, uint32_t port)
{
	uint32_t peer = fabric->ports[port].peer;

	if (peer == FABRIC_NONE)
		return;
	fabric->ports[peer].peer = FABRIC_NONE;
	fabric->ports[port].peer = FABRIC_NONE;
}

int fabric_path(const struct fabric *fabric, uint32_t node, uint8_t path[static MAD_HOPS_MOST + 1])
{
	unsigned int hops = fabric->nodes[node].hops;

	if (hops > MAD_HOPS_MOST)
		return -1;
	path[0] = 0;
	for (unsigned int i = hops; i > 0; i--) {
		const struct fabric_port *port = &fabric->ports[fabric->nodes[node].parent];

		path[i] = port->number;
		node = port->node;
	}
	return (int)hops;
}

unsigned int fabric_port_state(const struct fabric_port *port)
{
	return port->has_info ? port_info_state(port->info) : 0;
}

unsigned int fabric_physical_state(const struct fabric_port *port)
{
	return port->has_info ? port_info_physical_state(port->info) : 0;
}

uint16_t fabric_port_lid(const struct fabric_port *port)
{
	return port->has_info ? port_info_lid(port->info) : 0;
}

unsigned int fabric_lid_count(const struct fabric_port *port)
{
	return 1u << port_info_lmc(port->info);
}

bool fabric_has_lid(const struct fabric_port *port, uint32_t lid)
{
	const uint32_t first = fabric_port_lid(port);

	return first && lid >= first && lid < first + fabric_lid_count(port);
}

uint16_t fabric_lid(const struct fabric *fabric, uint32_t port)
{
	const struct fabric_node *node = fabric_node_of(fabric, port);

	return fabric_port_lid(
		&fabric->ports[node->type == NODE_TYPE_SWITCH ? node->first_port : port]);
}

uint64_t fabric_system_guid(const struct fabric_node *node)
{
	return node_info_system_guid(node->info);
}

uint64_t fabric_port_guid(const struct fabric_node *node)
{
	return node_info_port_guid(node->info);
}

uint32_t fabric_vendor_id(const struct fabric_node *node)
{
	return node_info_vendor_id(node->info);
}

uint16_t fabric_device_id(const struct fabric_node *node)
{
	return node_info_device_id(node->info);
}
