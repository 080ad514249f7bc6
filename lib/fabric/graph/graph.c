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
	for (size_t i = 0; i < fabric->fault_count; i++)
		free(fabric->faults[i].reason);
	free(fabric->faults);
	free(fabric->table);
	free(fabric->origin.time);
	free(fabric->origin.host);
	free(fabric->origin.device);
	free(fabric->origin.from);
	*fabric = (struct fabric){.nodes = NULL};
}

/* The slot of the GUID in the table. The low bits matter: the top ones are the vendor's. */
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

void fabric_mark_duplicates(struct fabric *fabric)
{
	for (uint32_t i = 0; i < fabric->node_count; i++)
		fabric->nodes[i].ambiguous = fabric->nodes[i].same_guid != FABRIC_NONE;
	for (uint32_t i = 0; i < fabric->node_count; i++)
		if (fabric->nodes[i].same_guid != FABRIC_NONE)
			fabric->nodes[fabric->nodes[i].same_guid].ambiguous = true;
}

uint32_t fabric_find_port(const struct fabric *fabric, uint64_t node_guid, uint64_t number)
{
	const uint32_t node = fabric_find(fabric, node_guid);

	if (node == FABRIC_NONE || fabric->nodes[node].ambiguous ||
	    number > fabric->nodes[node].port_count)
		return FABRIC_NONE;
	return fabric_port_at(fabric, node, (unsigned int)number);
}

int fabric_compare_ports(const void *a, const void *b)
{
	const uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;

	return COMPARE(one, other);
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
		fabric->ports[node->first_port + node->local_port].guid = node_info_port_guid(
			node->info);
	enter(fabric, number);
	return number;
}

struct fabric_node *fabric_copy_node(struct fabric *fabric, const struct fabric_node *from,
				     const uint8_t info[static NODE_INFO_BYTES])
{
	const uint32_t number = fabric_add_node(fabric, info);
	struct fabric_node *node = &fabric->nodes[number];

	node->has_description = from->has_description;
	node->has_switch_info = from->has_switch_info;
	memcpy(node->description, from->description, sizeof(node->description));
	memcpy(node->switch_info, from->switch_info, sizeof(node->switch_info));
	return node;
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

/* Defines a function that reads a field of PortInfo; 0 if PortInfo is unknown. */
#define INFO_READER(type_, name_, value_)           \
	type_ name_(const struct fabric_port *port) \
	{                                           \
		return port->has_info ? value_ : 0; \
	}
INFO_READER(unsigned int, fabric_port_state, port_info_state(port->info))
INFO_READER(unsigned int, fabric_physical_state, port_info_physical_state(port->info))
INFO_READER(uint16_t, fabric_port_lid, mad_unicast_lid(port_info_lid(port->info)))
INFO_READER(unsigned int, fabric_lanes, width_lanes(port_info_width_active(port->info)))
INFO_READER(unsigned int, fabric_mtu, mtu_bytes(port_info_neighbor_mtu(port->info)))
INFO_READER(unsigned int, fabric_most_mtu, mtu_bytes(port_info_mtu_cap(port->info)))
INFO_READER(unsigned int, fabric_vls, data_vls(port_info_vls_operational(port->info)))
INFO_READER(uint16_t, fabric_port_manager_lid, port_info_sm_lid(port->info))

unsigned int fabric_lid_count(const struct fabric_port *port)
{
	return 1u << port_info_lmc(port->info);
}

bool fabric_has_lid(const struct fabric_port *port, uint32_t lid)
{
	const uint32_t first = fabric_port_lid(port);

	return first && lid >= first && lid < first + fabric_lid_count(port);
}

bool fabric_are_planes(const struct fabric *fabric, uint32_t port, uint32_t other)
{
	const struct fabric_port *a = &fabric->ports[port], *b = &fabric->ports[other];

	return port == other || (a->node == b->node && fabric_port_lid(a) &&
				 fabric_port_lid(a) == fabric_port_lid(b) &&
				 (a->guid == b->guid || !a->guid || !b->guid));
}

uint16_t fabric_lid(const struct fabric *fabric, uint32_t port)
{
	const struct fabric_node *node = fabric_node_of(fabric, port);

	return fabric_port_lid(
		&fabric->ports[node->type == NODE_TYPE_SWITCH ? node->first_port : port]);
}

bool fabric_is_reachable(const struct fabric *fabric, uint32_t port)
{
	const unsigned int state = fabric_port_state(&fabric->ports[port]);

	return fabric_lid(fabric, port) &&
	       (fabric_is_of_switch(fabric, port) || !state || state == PORT_STATE_ACTIVE);
}

bool fabric_is_mellanox(const struct fabric_node *node)
{
	const uint32_t vendor = node_info_vendor_id(node->info);

	return vendor == FABRIC_VENDOR_MELLANOX || vendor == FABRIC_VENDOR_BULL;
}

/* The lowest bit of a field is the first of these speeds; the others follow in order. */
_Static_assert(SPEED_DDR == SPEED_SDR + 1 && SPEED_QDR == SPEED_SDR + 2, "order of bits");
_Static_assert(SPEED_EDR == SPEED_FDR + 1 && SPEED_HDR == SPEED_FDR + 2 &&
		       SPEED_NDR == SPEED_FDR + 3,
	       "order of bits");

/*
 * Returns a mask with a bit for each speed, numbered by enum lane_speed. FDR10 is in it if the port
 * supports it, as a port that runs at it does: whether it is enabled is not read.
 */
static unsigned int speeds_of(const struct fabric_port *port, unsigned int bits,
			      unsigned int extended, unsigned int extended2)
{
	unsigned int mask = (bits & 7) << SPEED_SDR;

	if (port_info_has_speeds_ext(port->info))
		mask |= (extended & 0xf) << SPEED_FDR;
	if (port_info_has_speeds_ext2(port->info))
		mask |= (extended2 & 1) << SPEED_XDR;
	return mask | ((port->vendor_speed | port->vendor_speeds) & 1u) << SPEED_FDR10;
}

static unsigned int supported_speeds(const struct fabric_port *port)
{
	return port->has_info ? speeds_of(port, port_info_speed_supported(port->info),
					  port_info_speed_ext_supported(port->info),
					  port_info_speed_ext2_supported(port->info))
			      : 0;
}

static unsigned int enabled_speeds(const struct fabric_port *port)
{
	const unsigned int extended = port_info_speed_ext_enabled(port->info);

	return supported_speeds(port) & speeds_of(port, port_info_speed_enabled(port->info),
						  extended == SPEED_EXT_DISABLED ? 0 : extended,
						  port_info_speed_ext2_enabled(port->info));
}

static enum lane_speed fastest(unsigned int mask)
{
	return mask ? (enum lane_speed)(31 - __builtin_clz(mask)) : SPEED_UNKNOWN;
}

/* PortInfo shows QDR for FDR10: only the attribute of the vendor tells them apart. */
enum lane_speed fabric_speed(const struct fabric_port *port)
{
	const enum lane_speed speed = port->has_info ? port_info_speed(port->info) : SPEED_UNKNOWN;

	return speed == SPEED_QDR && port->vendor_speed & 1 ? SPEED_FDR10 : speed;
}

/* The other end of the cable if PortInfo of both ends is known, else NULL. */
static const struct fabric_port *other_end(const struct fabric *fabric, uint32_t port)
{
	const struct fabric_port *here = &fabric->ports[port];

	if (here->peer == FABRIC_NONE || !here->has_info || !fabric->ports[here->peer].has_info)
		return NULL;
	return &fabric->ports[here->peer];
}

unsigned int fabric_best_lanes(const struct fabric *fabric, uint32_t port)
{
	const struct fabric_port *there = other_end(fabric, port);

	return there ? widest_lanes(port_info_width_supported(fabric->ports[port].info) &
				    port_info_width_supported(there->info))
		     : 0;
}

enum lane_speed fabric_best_speed(const struct fabric *fabric, uint32_t port)
{
	const struct fabric_port *there = other_end(fabric, port);

	return there ? fastest(supported_speeds(&fabric->ports[port]) & supported_speeds(there))
		     : SPEED_UNKNOWN;
}

/* An unknown code may be of a newer generation, which no best is above. */
bool fabric_is_slow(const struct fabric *fabric, uint32_t port)
{
	const struct fabric_port *here = &fabric->ports[port];
	const unsigned int lanes = fabric_lanes(here);
	const enum lane_speed speed = fabric_speed(here);

	return fabric_is_up(here) && ((lanes && lanes < fabric_best_lanes(fabric, port)) ||
				      (speed && speed < fabric_best_speed(fabric, port)));
}

bool fabric_is_at_enabled_best(const struct fabric *fabric, uint32_t port)
{
	const struct fabric_port *here = &fabric->ports[port], *there = other_end(fabric, port);
	unsigned int lanes, speeds;

	if (!there)
		return false;
	lanes = widest_lanes(port_info_width_enabled(here->info) &
			     port_info_width_enabled(there->info));
	speeds = enabled_speeds(here) & enabled_speeds(there);
	return lanes && speeds && fabric_lanes(here) >= lanes &&
	       fabric_speed(here) >= fastest(speeds);
}

bool fabric_may_be_fdr10(const struct fabric *fabric, uint32_t port)
{
	return fabric_is_mellanox(fabric_node_of(fabric, port)) &&
	       fabric_speed(&fabric->ports[port]) == SPEED_QDR;
}

bool fabric_is_at_own_best(const struct fabric_port *port)
{
	return port->has_info &&
	       fabric_lanes(port) >= widest_lanes(port_info_width_supported(port->info)) &&
	       fabric_speed(port) >= fastest(supported_speeds(port));
}

double fabric_rate_gbps(unsigned int lanes, enum lane_speed speed)
{
	return lanes * lane_rates[speed].data_gbps;
}
