/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "fabric/route/forwarding.h"

/*
 * All routes to one LID form a tree whose root is the switch next to the LID. Each switch adds the
 * packets of its own adapters to those from the switches below it, starting with the switches that
 * have none below. A switch in a loop always has one below, so it is never done.
 */
struct counter {
	const struct fabric *fabric;
	const struct forwarding *forwarding;
	struct balance *balance;
	uint32_t *sources; /* by table: attached ports with a LID */
	/* For one LID, by table: */
	uint32_t *out;	   /* output port, or FABRIC_NONE */
	uint32_t *next;	   /* table of the switch at its other end, or FABRIC_NONE */
	uint32_t *below;   /* switches below that are not done */
	uint64_t *packets; /* packets that pass through the switch */
	uint32_t *queue;
};

static void count_sources(struct counter *counter)
{
	const struct fabric *fabric = counter->fabric;

	for (size_t i = 0; i < counter->forwarding->count; i++) {
		const struct fabric_node *node =
			&fabric->nodes[counter->forwarding->tables[i].node];

		/* Port 0 has no cable, but a switch may claim one, which leave_out() counts. */
		for (uint32_t port = node->first_port; port <= node->first_port + node->port_count;
		     port++)
			if (fabric->ports[port].peer != FABRIC_NONE &&
			    forwarding_is_end(fabric, fabric->ports[port].peer))
				counter->sources[i]++;
	}
}

static void lose(struct counter *counter, uint64_t packets, uint32_t number, uint16_t lid)
{
	if (!packets)
		return;
	if (!counter->balance->lost_pairs) {
		counter->balance->lost_node = counter->forwarding->tables[number].node;
		counter->balance->lost_lid = lid;
	}
	counter->balance->lost_pairs += packets;
}

/* Forwards the packets of a switch once all switches below it are done. */
static void send_on(struct counter *counter, uint32_t number, uint32_t owner, uint16_t lid)
{
	const struct fabric *fabric = counter->fabric;
	uint32_t out = counter->out[number], next = counter->next[number];

	if (out == FABRIC_NONE) {
		lose(counter, counter->packets[number], number, lid);
		return;
	}
	counter->balance->routes[out]++;
	counter->balance->pairs[out] += counter->packets[number];
	if (next != FABRIC_NONE)
		counter->packets[next] += counter->packets[number];
	else if (fabric->ports[out].peer == FABRIC_NONE ||
		 !fabric_are_planes(fabric, fabric->ports[out].peer, owner))
		lose(counter, counter->packets[number], number, lid);
}

/* A port does not send to itself, nor does a plane of it. */
static void leave_out(struct counter *counter, uint32_t owner)
{
	const struct fabric *fabric = counter->fabric;
	const struct fabric_node *node = fabric_node_of(fabric, owner);

	for_each_port_of (i, node) {
		const uint32_t peer = fabric->ports[i].peer;

		if (peer != FABRIC_NONE && fabric_is_of_switch(fabric, peer) &&
		    fabric_are_planes(fabric, i, owner))
			counter->packets[counter->forwarding->of_node[fabric->ports[peer].node]]--;
	}
}

static void count_lid(struct counter *counter, uint32_t owner, uint16_t lid)
{
	uint32_t count = (uint32_t)counter->forwarding->count, head = 0, tail = 0;

	memset(counter->below, 0, count * sizeof(*counter->below));
	for (uint32_t i = 0; i < count; i++) {
		counter->out[i] = forwarding_out(counter->fabric, counter->forwarding, i, lid);
		counter->next[i] = forwarding_next(counter->fabric, counter->forwarding,
						   counter->out[i]);
		counter->packets[i] = counter->sources[i];
		if (counter->next[i] != FABRIC_NONE)
			counter->below[counter->next[i]]++;
	}
	leave_out(counter, owner);
	for (uint32_t i = 0; i < count; i++)
		if (!counter->below[i])
			counter->queue[tail++] = i;
	while (head < tail) {
		uint32_t number = counter->queue[head++], next = counter->next[number];

		send_on(counter, number, owner, lid);
		if (next != FABRIC_NONE && !--counter->below[next])
			counter->queue[tail++] = next;
	}
	for (uint32_t i = 0; tail < count && i < count; i++)
		if (counter->below[i]) {
			counter->balance->routes[counter->out[i]]++;
			lose(counter, counter->packets[i], i, lid);
		}
}

void balance_count(const struct fabric *fabric, const struct forwarding *forwarding,
		   struct balance *balance)
{
	size_t count = forwarding->count + 1;
	_cleanup_(freep) uint32_t *owners = forwarding_owners(fabric, NULL);
	_cleanup_(freep) uint32_t *words = mem_alloc_zero(count * 5, sizeof(*words));
	_cleanup_(freep) uint64_t *packets = mem_alloc_zero(count, sizeof(*packets));
	struct counter counter = {
		.fabric = fabric,
		.forwarding = forwarding,
		.balance = balance,
		.sources = words,
		.out = words + count,
		.next = words + count * 2,
		.below = words + count * 3,
		.queue = words + count * 4,
		.packets = packets,
	};

	balance->routes = mem_alloc_zero(fabric->port_count, sizeof(*balance->routes));
	balance->pairs = mem_alloc_zero(fabric->port_count, sizeof(*balance->pairs));
	balance->lost_node = FABRIC_NONE;
	count_sources(&counter);
	for (uint32_t lid = 1; lid < FORWARDING_LIDS; lid++)
		if (owners[lid] != FABRIC_NONE && forwarding_is_end(fabric, owners[lid]))
			count_lid(&counter, owners[lid], (uint16_t)lid);
}
