/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "fabric/graph/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* A switch is not a leaf if its neighbours have this many times its hosts on average. */
#define FEW_HOSTS 4
/* In a tree, one cable in this many may stay within a level: somebody took the wrong port. */
#define CABLES_PER_SLIP 10

#define FAR UINT32_MAX

struct work {
	const struct fabric *fabric;
	struct fabric_levels *levels;
	uint32_t *hosts;    /* of each switch */
	uint32_t *distance; /* of each switch from where the search began; FAR if not reached */
	uint32_t *queue;    /* switches in the order of their distance */
	uint32_t queued;
	uint32_t *joined; /* disjoint sets of switches: another member, or the switch itself */
};

bool fabric_is_host(const struct fabric *fabric, uint32_t node)
{
	/* "Mellanox Technologies Aggregation Node", or a later name of the company. */
	static const char inner[] = "Aggregation Node";
	const struct fabric_node *at = &fabric->nodes[node];

	return at->type == NODE_TYPE_CA &&
	       !(at->has_description &&
		 memmem(at->description, sizeof(at->description), inner, sizeof(inner) - 1));
}

static bool is_switch(const struct fabric *fabric, uint32_t node)
{
	return fabric->nodes[node].type == NODE_TYPE_SWITCH;
}

/* The switch at the other end of a switch's cable, if it is another one; else FABRIC_NONE. */
static uint32_t peer_switch(const struct fabric *fabric, uint32_t port)
{
	const uint32_t node = fabric->ports[port].node, peer = fabric_peer_node(fabric, port);

	if (peer == FABRIC_NONE || peer == node || !is_switch(fabric, node) ||
	    !is_switch(fabric, peer))
		return FABRIC_NONE;
	return peer;
}

static void count_hosts(struct work *work)
{
	const struct fabric *fabric = work->fabric;

	for_each_in (port, fabric->ports, fabric->port_count) {
		if (port->peer != FABRIC_NONE && is_switch(fabric, port->node) &&
		    fabric_is_host(fabric, fabric->ports[port->peer].node))
			work->hosts[port->node]++;
	}
}

static bool is_leaf(const struct work *work, uint32_t node)
{
	uint64_t others = 0, cables = 0;

	if (!work->hosts[node])
		return false;
	for_each_port_of (port, &work->fabric->nodes[node]) {
		uint32_t peer = peer_switch(work->fabric, port);

		if (peer == FABRIC_NONE || !work->hosts[peer])
			continue;
		others += work->hosts[peer];
		cables++;
	}
	return !cables || work->hosts[node] * cables * FEW_HOSTS > others;
}

/* Forgets the last search: a graph may have several parts, each of which is searched separately. */
static void begin(struct work *work)
{
	while (work->queued)
		work->distance[work->queue[--work->queued]] = FAR;
}

static void reach(struct work *work, uint32_t node, uint32_t distance)
{
	work->distance[node] = distance;
	work->queue[work->queued++] = node;
}

/* Continues the search from entry `next` of the queue. */
static void spread(struct work *work, uint32_t next)
{
	for (; next < work->queued; next++) {
		uint32_t node = work->queue[next];

		for_each_port_of (port, &work->fabric->nodes[node]) {
			uint32_t peer = peer_switch(work->fabric, port);

			if (peer != FABRIC_NONE && work->distance[peer] == FAR)
				reach(work, peer, work->distance[node] + 1);
		}
	}
}

/* Whether the switches one cable nearer to the leaves would be disconnected without this one. */
static bool joins(const struct work *work, uint32_t node)
{
	uint32_t set = FABRIC_NONE;

	for_each_port_of (port, &work->fabric->nodes[node]) {
		uint32_t peer = peer_switch(work->fabric, port);

		if (peer == FABRIC_NONE || work->distance[peer] >= work->distance[node])
			continue;
		if (set != FABRIC_NONE && set != fabric_set_of(work->joined, peer))
			return true;
		set = fabric_set_of(work->joined, peer);
	}
	return false;
}

static void place(struct work *work, uint32_t node)
{
	unsigned int *level = work->levels->level, low = UINT32_MAX, high = 0;

	if (!work->distance[node]) {
		level[node] = 1;
		return;
	}
	for_each_port_of (port, &work->fabric->nodes[node]) {
		uint32_t peer = peer_switch(work->fabric, port);

		if (peer == FABRIC_NONE || work->distance[peer] >= work->distance[node])
			continue;
		low = level[peer] < low ? level[peer] : low;
		high = level[peer] > high ? level[peer] : high;
	}
	level[node] = low > 1 && !joins(work, node) ? low - 1 : high + 1;
}

/* Joins the switch with those below it; a cable within a level is a mistake, or this is no tree. */
static void join(struct work *work, uint32_t node)
{
	for_each_port_of (port, &work->fabric->nodes[node]) {
		uint32_t peer = peer_switch(work->fabric, port);

		if (peer != FABRIC_NONE && work->distance[peer] < work->distance[node])
			work->joined[fabric_set_of(work->joined, peer)] = fabric_set_of(
				work->joined, node);
	}
}

/* Switches at the same distance are placed together: none of them is below another. */
static void place_all(struct work *work)
{
	for (uint32_t first = 0, end; first < work->queued; first = end) {
		for (end = first; end < work->queued && work->distance[work->queue[end]] ==
								work->distance[work->queue[first]];
		     end++)
			place(work, work->queue[end]);
		for (uint32_t i = first; i < end; i++)
			join(work, work->queue[i]);
	}
}

/* Whether few cables stay within a level, and every switch is connected to the leaves. */
static bool fits(const struct work *work)
{
	const struct fabric *fabric = work->fabric;
	uint64_t cables = 0, level = 0;

	for (uint32_t i = 0; i < fabric->port_count; i++) {
		uint32_t node = fabric->ports[i].node, peer = peer_switch(fabric, i);

		if (is_switch(fabric, node) && work->distance[node] == FAR)
			return false;
		if (peer == FABRIC_NONE)
			continue;
		cables++;
		level += work->levels->level[node] == work->levels->level[peer];
	}
	return level * CABLES_PER_SLIP <= cables;
}

static bool try_leaves(struct work *work)
{
	begin(work);
	for (uint32_t i = 0; i < work->fabric->node_count; i++) {
		work->joined[i] = i;
		if (is_switch(work->fabric, i) && is_leaf(work, i))
			reach(work, i, 0);
	}
	spread(work, 0);
	place_all(work);
	return fits(work);
}

/* Each part of a graph without rings has one pair of neighbours fewer than switches. */
static bool has_ring(struct work *work)
{
	const struct fabric *fabric = work->fabric;
	uint64_t switches = 0, parts = 0, ends = 0;
	uint32_t *seen = work->joined; /* the last switch that has it as a neighbour */

	memset(seen, 0xff, fabric->node_count * sizeof(*seen));
	begin(work);
	for (uint32_t i = 0; i < fabric->node_count; i++) {
		if (!is_switch(fabric, i))
			continue;
		switches++;
		if (work->distance[i] == FAR) {
			parts++;
			reach(work, i, 0);
			spread(work, work->queued - 1);
		}
		for_each_port_of (port, &fabric->nodes[i]) {
			uint32_t peer = peer_switch(fabric, port);

			if (peer != FABRIC_NONE && seen[peer] != i) {
				seen[peer] = i;
				ends++;
			}
		}
	}
	return ends / 2 != switches - parts;
}

/* The switch furthest from the node, in the same part of the graph. */
static uint32_t furthest(struct work *work, uint32_t node)
{
	begin(work);
	reach(work, node, 0);
	spread(work, 0);
	return work->queue[work->queued - 1];
}

/* The switch halfway between the two that are furthest apart, in a part without rings. */
static uint32_t middle(struct work *work, uint32_t node)
{
	uint32_t end = furthest(work, furthest(work, node)), half = work->distance[end] / 2;

	while (work->distance[end] > half) {
		uint32_t nearer = end;

		for_each_port_of (port, &work->fabric->nodes[end]) {
			uint32_t peer = peer_switch(work->fabric, port);

			if (peer != FABRIC_NONE && work->distance[peer] < work->distance[nearer])
				nearer = peer;
		}
		end = nearer;
	}
	return end;
}

/* Puts the first switch of each part of the graph, or its middle, on top. */
static void hang(struct work *work, bool by_middle)
{
	const struct fabric *fabric = work->fabric;
	unsigned int *level = work->levels->level;
	uint32_t *depth = work->hosts; /* no longer needed */
	uint32_t most = 0;

	memset(depth, 0xff, fabric->node_count * sizeof(*depth));
	for (uint32_t i = 0; i < fabric->node_count; i++) {
		if (!is_switch(fabric, i) || depth[i] != FAR)
			continue;
		furthest(work, by_middle ? middle(work, i) : i);
		for (uint32_t next = 0; next < work->queued; next++) {
			uint32_t node = work->queue[next];

			depth[node] = work->distance[node];
			most = depth[node] > most ? depth[node] : most;
		}
	}
	for (uint32_t i = 0; i < fabric->node_count; i++)
		level[i] = depth[i] == FAR ? 0 : most - depth[i] + 1;
}

void fabric_levels_fill(const struct fabric *fabric, struct fabric_levels *levels)
{
	size_t count = fabric->node_count + (size_t)1;
	struct work work = {.fabric = fabric, .levels = levels};

	*levels = (struct fabric_levels){
		.level = mem_alloc_zero(count, sizeof(*levels->level)),
	};
	work.hosts = mem_alloc_zero(count, sizeof(*work.hosts));
	work.distance = mem_alloc_zero(count, sizeof(*work.distance));
	work.queue = mem_alloc_zero(count, sizeof(*work.queue));
	work.joined = mem_alloc_zero(count, sizeof(*work.joined));
	memset(work.distance, 0xff, count * sizeof(*work.distance));
	count_hosts(&work);
	levels->is_tree = try_leaves(&work);
	if (!levels->is_tree) {
		levels->is_tree = !has_ring(&work);
		hang(&work, levels->is_tree);
	}
	for (uint32_t i = 0; i < fabric->node_count; i++)
		if (levels->level[i] > levels->count)
			levels->count = levels->level[i];
	free(work.hosts);
	free(work.distance);
	free(work.queue);
	free(work.joined);
}
