/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds the ports that send over a cable. The routes to one LID form a tree: those of switches on
 * the near side lead to the switch at the cable's near end, and from there over the cable.
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

/* Whether packets from the switch go over the cable; noted for every switch on the way. */
static bool goes_over(struct users *users, uint32_t number, uint32_t cable, uint16_t lid)
{
	enum way way = WAY_ELSEWHERE;
	uint32_t depth = 0, now = number;

	while (now != FABRIC_NONE) {
		const uint32_t out = forwarding_out(users->fabric, users->forwarding, now, lid);

		/* A switch that is still open means that the route is a loop. */
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
		now = forwarding_next(users->fabric, users->forwarding, out);
	}
	while (depth)
		users->ways[users->stack[--depth]] = (uint8_t)way;
	return way == WAY_OVER;
}

/* Reports the ports that send through that switch: adapters and routers attached to it. */
static void add_sources(struct users *users, uint32_t number, uint16_t lid)
{
	const struct fabric *fabric = users->fabric;
	const struct fabric_node *node = &fabric->nodes[users->forwarding->tables[number].node];
	const uint32_t owner = users->owners[lid];

	for_each_port_of (i, node) {
		const uint32_t peer = fabric->ports[i].peer;

		if (peer != FABRIC_NONE && forwarding_is_end(fabric, peer) &&
		    !fabric_are_planes(fabric, peer, owner))
			users->user(users->context, peer, owner, lid);
	}
}

static void add_lid(struct users *users, uint32_t cable, uint16_t lid)
{
	const struct fabric *fabric = users->fabric;
	const uint32_t owner = users->owners[lid];

	/* An adapter sends everything through its one cable. */
	if (!fabric_is_of_switch(fabric, cable)) {
		if (forwarding_is_end(fabric, cable) && !fabric_are_planes(fabric, cable, owner))
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
	_cleanup_(freep) uint32_t *owners = forwarding_owners(fabric, NULL);
	_cleanup_(freep) uint32_t *stack = mem_alloc_zero(forwarding->count, sizeof(*stack));
	_cleanup_(freep) uint8_t *ways = mem_alloc_zero(forwarding->count, sizeof(*ways));
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
		if (owners[lid] != FABRIC_NONE && forwarding_is_end(fabric, owners[lid]))
			add_lid(&users, port, (uint16_t)lid);
}
