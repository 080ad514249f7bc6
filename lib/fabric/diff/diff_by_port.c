/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A scan as a list of ports, which has no node GUIDs, would show it. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fabric/diff/diff.h"

struct splitter {
	const struct fabric *from;
	struct fabric *to;
	uint32_t *ports; /* by port: the same port in the new graph, or FABRIC_NONE */
};

/* The route to the node led through adapters, which are split now. */
static void copy_node(struct splitter *splitter, const struct fabric_node *old, const uint8_t *info)
{
	fabric_copy_node(splitter->to, old, info)->hops = FABRIC_HOPS_UNKNOWN;
}

static void copy_port(struct splitter *splitter, uint32_t place)
{
	const struct fabric_port *old = &splitter->from->ports[place];
	const uint32_t node = splitter->to->node_count - 1;
	const uint32_t port = fabric_port_at(splitter->to, node, old->number);

	splitter->to->ports[port] = *old;
	splitter->to->ports[port].node = node;
	splitter->ports[place] = port;
}

/*
 * Makes each port of a node, unless it is a switch, a node as in the list: with the port's GUID,
 * and without ports of higher numbers. Ports of one GUID, which are planes, are one node.
 */
static void split(struct splitter *splitter, const struct fabric_node *node)
{
	const struct fabric_port *ports = &splitter->from->ports[node->first_port];

	if (node->type == NODE_TYPE_SWITCH) {
		copy_node(splitter, node, node->info);
		for (uint32_t i = 0; i <= node->port_count; i++)
			copy_port(splitter, node->first_port + i);
		return;
	}
	for (unsigned int i = node->port_count; i; i--) {
		uint8_t info[NODE_INFO_BYTES];

		if (!ports[i].guid || splitter->ports[node->first_port + i] != FABRIC_NONE)
			continue;
		memcpy(info, node->info, sizeof(info));
		node_info_set_node_guid(info, ports[i].guid);
		node_info_set_port_guid(info, ports[i].guid);
		node_info_set_ports(info, (uint8_t)i);
		node_info_set_local_port(info, (uint8_t)i);
		copy_node(splitter, node, info);
		for (unsigned int j = i; j; j--)
			if (ports[j].guid == ports[i].guid)
				copy_port(splitter, node->first_port + j);
	}
}

static uint32_t port_of(const struct splitter *splitter, uint32_t old)
{
	return old == FABRIC_NONE ? FABRIC_NONE : splitter->ports[old];
}

static void put_together(struct splitter *splitter)
{
	struct fabric *to = splitter->to;

	for (uint32_t i = 0; i < to->port_count; i++) {
		struct fabric_port *port = &to->ports[i];

		port->peer = port_of(splitter, port->peer);
		if (!fabric_is_of_switch(to, i) && port->peer != FABRIC_NONE)
			to->nodes[port->node].parent = port->peer;
	}
	for_each_in (old, splitter->from->nodes, splitter->from->node_count) {
		if (old->type == NODE_TYPE_SWITCH)
			fabric_node_of(to, splitter->ports[old->first_port])->parent = port_of(
				splitter, old->parent);
	}
	for (size_t i = 0; i < to->failure_count; i++)
		to->failures[i].port = port_of(splitter, to->failures[i].port);
}

void fabric_split_adapters(struct fabric *fabric)
{
	struct fabric to = {.nodes = NULL};
	struct splitter splitter = {
		.from = fabric,
		.to = &to,
		.ports = mem_alloc_zero(fabric->port_count, sizeof(uint32_t)),
	};

	memset(splitter.ports, 0xff, fabric->port_count * sizeof(uint32_t));
	for (uint32_t i = 0; i < fabric->node_count; i++)
		split(&splitter, &fabric->nodes[i]);
	to.failures = fabric->failures;
	to.failure_count = fabric->failure_count;
	to.faults = fabric->faults;
	to.fault_count = fabric->fault_count;
	to.origin = fabric->origin;
	to.interrupted = fabric->interrupted;
	to.source = fabric->source;
	to.by_port = true;
	put_together(&splitter);
	fabric->failures = NULL;
	fabric->faults = NULL;
	fabric->fault_count = 0;
	fabric->origin = (struct fabric_origin){.time = NULL};
	fabric_clear(fabric);
	*fabric = to;
	free(splitter.ports);
}
