/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The senders over a cable. The routes to one LID form a tree: those of the switches on the near
 * side lead to the switch that the cable is in, and from there over the cable.
 */
#include "base/cleanup.h"
#include "base/mem.h"
#include "fabric/route/forwarding.h"

enum way { WAY_UNKNOWN, WAY_OPEN, WAY_OVER, WAY_ELSEWHERE };

struct users {
	const struct fabric *fabric;
	const struct forwarding *forwarding;
	cable_user user;
	void *context;
	uint32_t *owners;
	uint32_t *stack;
	uint8_t *ways; /* by table, for one LID: enum way */
};

static bool is_end(const struct fabric *fabric, uint32_t port)
{
	return fabric_node_of(fabric, port)->type != NODE_TYPE_SWITCH &&
	       fabric_port_lid(&fabric->ports[port]);
}

/* The port by which the switch sends packets to the LID, or FABRIC_NONE. */
static uint32_t out_port(const struct users *users, uint32_t number, uint16_t lid)
{
	const struct forwarding_table *table = &users->forwarding->tables[number];
	unsigned int port = forwarding_port(users->forwarding, table, lid);

	if (!port || port > users->fabric->nodes[table->node].port_count)
		return FABRIC_NONE;
	return fabric_port_at(users->fabric, table->node, port);
}

/* The table of the switch at the other end of a port, or FABRIC_NONE. */
static uint32_t table_behind(const struct users *users, uint32_t port)
{
	uint32_t peer = port == FABRIC_NONE ? FABRIC_NONE : users->fabric->ports[port].peer;

	return peer == FABRIC_NONE || fabric_node_of(users->fabric, peer)->type != NODE_TYPE_SWITCH
		       ? FABRIC_NONE
		       : users->forwarding->of_node[users->fabric->ports[peer].node];
}

/* Whether packets from the switch go over the cable; every switch on the way gets the answer. */
static bool goes_over(struct users *users, uint32_t number, uint32_t cable, uint16_t lid)
{
	enum way way = WAY_ELSEWHERE;
	uint32_t depth = 0, now = number;

	while (now != FABRIC_NONE) {
		const uint32_t out = out_port(users, now, lid);

		/* A switch that is open already: the route is a loop. */
		if (users->ways[now] != WAY_UNKNOWN) {
			way = users->ways[now] == WAY_OVER ? WAY_OVER : WAY_ELSEWHERE;
			break;
		}
		users->ways[now] = WAY_OPEN;
		users->stack[depth++] = now;
		if (out == cable) {
			way = WAY_OVER;
			break;
		}
		now = table_behind(users, out);
	}
	while (depth)
		users->ways[users->stack[--depth]] = (uint8_t)way;
	return way == WAY_OVER;
}

/* The ports that send by that switch: those of adapters and routers in its cables. */
static void add_sources(struct users *users, uint32_t number, uint16_t lid)
{
	const struct fabric *fabric = users->fabric;
	const struct fabric_node *node = &fabric->nodes[users->forwarding->tables[number].node];
	const uint32_t owner = users->owners[lid];

	for (uint32_t i = node->first_port + 1; i <= node->first_port + node->port_count; i++) {
		const uint32_t peer = fabric->ports[i].peer;

		if (peer != FABRIC_NONE && peer != owner && is_end(fabric, peer))
			users->user(users->context, peer, owner, lid);
	}
}

static void add_lid(struct users *users, uint32_t cable, uint16_t lid)
{
	const struct fabric *fabric = users->fabric;
	const uint32_t owner = users->owners[lid];

	/* What an adapter sends leaves by its one cable. */
	if (fabric_node_of(fabric, cable)->type != NODE_TYPE_SWITCH) {
		if (owner != cable && is_end(fabric, cable))
			users->user(users->context, cable, owner, lid);
		return;
	}
	for (uint32_t i = 0; i < users->forwarding->count; i++)
		users->ways[i] = WAY_UNKNOWN;
	for (uint32_t i = 0; i < users->forwarding->count; i++)
		if (goes_over(users, i, cable, lid))
			add_sources(users, i, lid);
}

void cable_users(const struct fabric *fabric, const struct forwarding *forwarding, uint32_t port,
		 cable_user user, void *context)
{
	_cleanup_(freep) uint32_t *owners = forwarding_owners(fabric);
	_cleanup_(freep) uint32_t *stack = mem_alloc_zero(forwarding->count + 1, sizeof(*stack));
	_cleanup_(freep) uint8_t *ways = mem_alloc_zero(forwarding->count + 1, sizeof(*ways));
	struct users users = {
		.fabric = fabric,
		.forwarding = forwarding,
		.user = user,
		.context = context,
		.owners = owners,
		.stack = stack,
		.ways = ways,
	};

	for (uint32_t lid = 1; lid < FORWARDING_LIDS; lid++)
		if (owners[lid] != FABRIC_NONE && is_end(fabric, owners[lid]))
			add_lid(&users, port, (uint16_t)lid);
}
