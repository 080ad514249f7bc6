/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Made-up subnets as graphs, for tests. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "fabric/graph/view.h"
#include "schema/bits.h"

/* PortInfo: 14.2.5.6 */
struct sample_link {
	unsigned int state, physical, width, speed, mtu; /* codes */
	uint16_t lid;
};

static const struct sample_link sample_up = {4, 5, 2, 4, 4, 0};
static const struct sample_link sample_down = {1, 2, 2, 4, 4, 0};

static inline void sample_set_port(struct fabric *fabric, uint32_t place,
				   const struct sample_link *link)
{
	struct fabric_port *port = &fabric->ports[place];

	port->has_info = true;
	bits_set(port->info, 16 * 8, 16, link->lid);
	port->info[28] = port->number;
	port->info[30] = 0x1f;
	port->info[31] = (uint8_t)link->width;
	port->info[32] = (uint8_t)(0x70 | link->state);
	port->info[33] = (uint8_t)(link->physical << 4);
	port->info[35] = (uint8_t)(link->speed << 4 | 7);
	port->info[36] = (uint8_t)(link->mtu << 4);
	port->info[41] = 5;
}

/* Adds a node of which only NodeInfo is known. Its index is the next number. */
static inline uint32_t sample_bare_node(struct fabric *fabric, unsigned int type, uint64_t guid,
					unsigned int ports)
{
	uint8_t info[NODE_INFO_BYTES] = {1, 1, (uint8_t)type, (uint8_t)ports};
	uint32_t number = fabric->node_count;

	bits_set(info, 4 * 8, 64, guid);
	bits_set(info, 12 * 8, 64, guid);
	bits_set(info, 20 * 8, 64, type == NODE_TYPE_SWITCH ? guid : guid + 1);
	info[36] = 1;
	assert_int_equal(fabric_add_node(fabric, info), number);
	return number;
}

/* Adds a switch with all its ports down, or an adapter without a known port. */
static inline uint32_t sample_node(struct fabric *fabric, unsigned int type, uint64_t guid,
				   unsigned int ports, const char *description)
{
	uint32_t number = sample_bare_node(fabric, type, guid, ports);
	struct fabric_node *node = &fabric->nodes[number];

	node->has_description = description != NULL;
	if (description)
		memcpy(node->description, description, strlen(description));
	for (uint32_t i = 0; type == NODE_TYPE_SWITCH && i <= ports; i++)
		sample_set_port(fabric, node->first_port + i, i ? &sample_down : &sample_up);
	node->has_switch_info = type == NODE_TYPE_SWITCH;
	node->switch_info[0] = 0x12;
	return number;
}

/* Adds a cable; the first node becomes the parent of the second if that has none yet. */
static inline void sample_cable(struct fabric *fabric, uint32_t one, unsigned int port,
				uint32_t two, unsigned int other_port)
{
	uint32_t a = fabric_port_at(fabric, one, port), b = fabric_port_at(fabric, two, other_port);
	struct fabric_node *node = &fabric->nodes[two];

	fabric_link(fabric, a, b);
	sample_set_port(fabric, a, &sample_up);
	sample_set_port(fabric, b, &sample_up);
	if (two && node->parent == FABRIC_NONE) {
		node->parent = a;
		node->hops = (uint8_t)(fabric->nodes[one].hops + 1);
	}
}

#define SAMPLE_PORTS 36u

/* Subnets of switches and hosts with 36 ports each, with their view. */
struct sample_subnet {
	struct fabric fabric;
	struct node_names names;
	struct fabric_view view;
	uint8_t used[4096]; /* ports of each node */
};

static inline int sample_begin(void **state)
{
	struct sample_subnet *subnet = mem_alloc_zero(1, sizeof(*subnet));

	subnet->view = (struct fabric_view){.fabric = &subnet->fabric, .names = &subnet->names};
	*state = subnet;
	return 0;
}

static inline int sample_end(void **state)
{
	struct sample_subnet *subnet = *state;

	fabric_clear(&subnet->fabric);
	node_names_clear(&subnet->names);
	free(subnet);
	return 0;
}

static inline uint32_t sample_add(struct sample_subnet *subnet, unsigned int type,
				  const char *description)
{
	uint32_t number = sample_bare_node(&subnet->fabric, type,
					   0x1000 + subnet->fabric.node_count, SAMPLE_PORTS);
	struct fabric_node *node = &subnet->fabric.nodes[number];

	assert_true(strlen(description) <= NODE_DESCRIPTION_BYTES);
	node->has_description = true;
	memcpy(node->description, description, strlen(description));
	return number;
}

static inline uint32_t sample_add_switch(struct sample_subnet *subnet, const char *format,
					 unsigned int number)
{
	char *name = mem_format("%s%u", format, number);
	uint32_t node = sample_add(subnet, NODE_TYPE_SWITCH, name);

	free(name);
	return node;
}

/* Ports support 1x and 4x, SDR to QDR. */
static inline void sample_set_link(struct sample_subnet *subnet, uint32_t place, unsigned int lanes,
				   unsigned int speed, unsigned int state)
{
	const struct sample_link link = {state, PHYSICAL_LINK_UP, lanes == 4 ? 2 : 1, speed, 4, 0};

	sample_set_port(&subnet->fabric, place, &link);
	subnet->fabric.ports[place].info[30] = 3;
}

/* Returns the port of the first node. */
static inline uint32_t sample_join(struct sample_subnet *subnet, uint32_t one, uint32_t other)
{
	uint32_t port, peer;

	port = fabric_port_at(&subnet->fabric, one, ++subnet->used[one]);
	peer = fabric_port_at(&subnet->fabric, other, ++subnet->used[other]);
	assert_true(subnet->used[one] <= SAMPLE_PORTS && subnet->used[other] <= SAMPLE_PORTS);
	fabric_link(&subnet->fabric, port, peer);
	sample_set_link(subnet, port, 4, 4, 4);
	sample_set_link(subnet, peer, 4, 4, 4);
	return port;
}

static inline void sample_set_both(struct sample_subnet *subnet, uint32_t port, unsigned int lanes,
				   unsigned int speed, unsigned int state)
{
	sample_set_link(subnet, port, lanes, speed, state);
	sample_set_link(subnet, subnet->fabric.ports[port].peer, lanes, speed, state);
}

/* Adds hosts to a switch, numbered from `first` on. */
static inline void sample_add_hosts(struct sample_subnet *subnet, uint32_t node, unsigned int first,
				    unsigned int count)
{
	for (unsigned int i = first; i < first + count; i++) {
		char *name = mem_format("host%u HCA-1", i);

		sample_join(subnet, node, sample_add(subnet, NODE_TYPE_CA, name));
		free(name);
	}
}

/* Switches `first` to `first + count - 1`, each with `cables` cables to every other one. */
static inline void sample_join_all(struct sample_subnet *subnet, uint32_t first, unsigned int count,
				   uint32_t other, unsigned int others, unsigned int cables)
{
	for (uint32_t i = first; i < first + count; i++)
		for (uint32_t j = other; j < other + others; j++)
			for (unsigned int k = 0; k < cables; k++)
				sample_join(subnet, i, j);
}

/* Leaves 0 to 3 with three hosts each, spines 4 and 5; two cables between them. */
static inline void sample_make_tree(struct sample_subnet *subnet)
{
	for (unsigned int i = 0; i < 4; i++)
		sample_add_switch(subnet, "leaf", i + 1);
	sample_add_switch(subnet, "spine", 1);
	sample_add_switch(subnet, "spine", 2);
	sample_join_all(subnet, 0, 4, 4, 2, 2);
	for (unsigned int i = 0; i < 4; i++)
		sample_add_hosts(subnet, i, 3 * i, 3);
}

/* One slow cable of two, a slow host, an inactive one, a silent port, and one beyond the scan. */
static inline void sample_damage(struct sample_subnet *subnet)
{
	uint32_t port;

	sample_make_tree(subnet);
	sample_set_both(subnet, fabric_port_at(&subnet->fabric, 0, 2), 1, 4, 4);
	sample_set_both(subnet, fabric_port_at(&subnet->fabric, 0, 5), 4, 1, 4);
	sample_set_both(subnet, fabric_port_at(&subnet->fabric, 1, 6), 4, 4, 2);
	port = fabric_port_at(&subnet->fabric, 2, 9);
	sample_set_link(subnet, port, 4, 4, 4);
	subnet->fabric.ports[port].unanswered = true;
	port = fabric_port_at(&subnet->fabric, 3, 10);
	sample_set_link(subnet, port, 4, 4, 4);
	subnet->fabric.ports[fabric_port_at(&subnet->fabric, 3, 7)].has_info = false;
	subnet->fabric.ports[subnet->fabric.ports[fabric_port_at(&subnet->fabric, 3, 7)].peer]
		.has_info = false;
}
