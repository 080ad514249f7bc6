/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which channel waits for which: follows the packets to each LID. The routes to one LID form a
 * tree, so a walk ends where an earlier one has been, and each channel is visited once for a LID
 * and an SL.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "fabric/credit/walk.h"

/* Ports of adapters and routers that can send, by switch. */
static void list_sources(struct credit_walker *walker)
{
	const struct fabric *fabric = walker->fabric;

	walker->first_source = mem_alloc_zero(walker->forwarding->count + 1,
					      sizeof(*walker->first_source));
	for (uint32_t i = 0; i < walker->forwarding->count; i++) {
		const struct fabric_node *node = &fabric->nodes[walker->forwarding->tables[i].node];

		for (uint32_t port = node->first_port + 1;
		     port <= node->first_port + node->port_count; port++) {
			const struct fabric_port *at = &fabric->ports[port];

			if (at->peer == FABRIC_NONE || !forwarding_is_end(fabric, at->peer) ||
			    (at->has_info && !fabric_is_up(at)))
				continue;
			MEM_ADD(walker->sources, walker->source_count) = (struct credit_source){
				.port = at->peer,
				.table = i,
				.in = at->number,
			};
		}
		walker->first_source[i + 1] = (uint32_t)walker->source_count;
	}
}

void credit_walker_make(const struct fabric *fabric, const struct forwarding *forwarding,
			struct credit_walker *walker)
{
	const size_t count = forwarding->count + 1;

	*walker = (struct credit_walker){
		.fabric = fabric,
		.forwarding = forwarding,
		.owners = forwarding_owners(fabric, NULL),
		.out = mem_alloc_zero(count, sizeof(*walker->out)),
		.next = mem_alloc_zero(count, sizeof(*walker->next)),
		.ways = mem_alloc_zero(count, sizeof(*walker->ways)),
		.stack = mem_alloc_zero(count, sizeof(*walker->stack)),
	};
	list_sources(walker);
}

void credit_walker_clear(struct credit_walker *walker)
{
	free(walker->owners);
	free(walker->out);
	free(walker->next);
	free(walker->ways);
	free(walker->stack);
	free(walker->sources);
	free(walker->first_source);
}

/* Finds where the table sends packets to the LID. */
static void find_out(struct credit_walker *walker, uint32_t table)
{
	const struct fabric *fabric = walker->fabric;
	const struct forwarding *forwarding = walker->forwarding;
	const uint32_t out = forwarding_out(fabric, forwarding, table, walker->lid);
	const struct fabric_port *at = &fabric->ports[out == FABRIC_NONE ? 0 : out];

	walker->out[table] = out;
	walker->next[table] = FABRIC_NONE;
	if (out == FABRIC_NONE) {
		if (forwarding_port(forwarding, &forwarding->tables[table], walker->lid) ==
		    FORWARDING_UNKNOWN)
			walker->out[table] = CREDIT_OUT_UNKNOWN;
		return;
	}
	if (at->has_info && !fabric_is_up(at))
		return;
	if (at->peer == FABRIC_NONE)
		walker->out[table] = CREDIT_OUT_UNKNOWN;
	else
		walker->next[table] = forwarding_next(fabric, forwarding, out);
}

/* Finds the switches from which packets come into a circle. */
static void find_circles(struct credit_walker *walker)
{
	memset(walker->ways, CREDIT_WAY_UNKNOWN, walker->forwarding->count);
	for (uint32_t i = 0; i < walker->forwarding->count; i++) {
		enum credit_way way = CREDIT_WAY_ENDS;
		uint32_t now = i, depth = 0;

		while (now != FABRIC_NONE && walker->ways[now] == CREDIT_WAY_UNKNOWN) {
			walker->ways[now] = CREDIT_WAY_OPEN;
			walker->stack[depth++] = now;
			now = walker->next[now];
		}
		if (now != FABRIC_NONE && walker->ways[now] != CREDIT_WAY_ENDS)
			way = CREDIT_WAY_CIRCLE;
		while (depth)
			walker->ways[walker->stack[--depth]] = (uint8_t)way;
	}
}

bool credit_walker_next(struct credit_walker *walker)
{
	while (++walker->lid < FORWARDING_LIDS) {
		walker->owner = walker->owners[walker->lid];
		if (walker->owner == FABRIC_NONE ||
		    !forwarding_is_end(walker->fabric, walker->owner))
			continue;
		for (uint32_t i = 0; i < walker->forwarding->count; i++)
			find_out(walker, i);
		find_circles(walker);
		return true;
	}
	return false;
}

struct finder {
	struct credit_walker walker;
	const struct credit_traffic *traffic;
	struct credit_graph graph;
	struct credit_loops *loops;
	uint32_t *seen; /* by channel: the last walk that came there */
	uint32_t walk;	/* number of the LID and SL */
};

/* The ports whose channels can be in a loop: those between switches. */
static void make_channels(struct finder *finder)
{
	const struct fabric *fabric = finder->walker.fabric;
	struct credit_graph *graph = &finder->graph;

	graph->lanes = finder->traffic->lanes ? CREDIT_SLS : 1;
	graph->channels = mem_alloc_zero((size_t)fabric->port_count + 1, sizeof(*graph->channels));
	for (uint32_t i = 0; i < fabric->port_count; i++) {
		const uint32_t peer = fabric->ports[i].peer;

		graph->channels[i] = FABRIC_NONE;
		if (peer == FABRIC_NONE || !fabric_is_of_switch(fabric, i) ||
		    !fabric_is_of_switch(fabric, peer))
			continue;
		graph->channels[i] = (uint32_t)graph->port_count * graph->lanes;
		MEM_ADD(graph->ports, graph->port_count) = i;
	}
	finder->seen = mem_alloc_zero(graph->port_count * graph->lanes + 1, sizeof(*finder->seen));
}

static size_t slot_of(const struct credit_graph *graph, uint32_t held, uint32_t wanted)
{
	const uint64_t mixed = ((uint64_t)held << 32 | wanted) * UINT64_C(0x9e3779b97f4a7c15);
	size_t slot = (size_t)(mixed >> 32) & (graph->table_size - 1);

	while (graph->table[slot]) {
		const struct credit_edge *edge = &graph->edges[graph->table[slot] - 1];

		if (edge->held == held && edge->wanted == wanted)
			break;
		slot = (slot + 1) & (graph->table_size - 1);
	}
	return slot;
}

enum { LEAST_TABLE = 1024 };

static void grow_table(struct credit_graph *graph)
{
	free(graph->table);
	graph->table_size = graph->table_size ? graph->table_size * 2 : LEAST_TABLE;
	graph->table = mem_alloc_zero(graph->table_size, sizeof(*graph->table));
	for (size_t i = 0; i < graph->edge_count; i++)
		graph->table[slot_of(graph, graph->edges[i].held, graph->edges[i].wanted)] =
			(uint32_t)i + 1;
}

static void add_edge(struct finder *finder, uint32_t held, uint32_t wanted, uint32_t source,
		     unsigned int sl)
{
	struct credit_graph *graph = &finder->graph;
	size_t slot;

	if (graph->table_size < 2 * (graph->edge_count + 1))
		grow_table(graph);
	slot = slot_of(graph, held, wanted);
	if (graph->table[slot])
		return;
	MEM_ADD(graph->edges, graph->edge_count) = (struct credit_edge){
		.held = held,
		.wanted = wanted,
		.source = source,
		.lid = (uint16_t)finder->walker.lid,
		.sl = (uint8_t)sl,
	};
	graph->table[slot] = (uint32_t)graph->edge_count;
}

static bool matters(const struct finder *finder, uint32_t port)
{
	return !finder->traffic->ports || finder->traffic->ports[port];
}

/* Follows a packet with that SL from the source to the LID. */
static void follow(struct finder *finder, const struct credit_source *source, unsigned int sl)
{
	const struct credit_walker *walker = &finder->walker;
	uint32_t held = FABRIC_NONE, at = source->table;
	unsigned int in = source->in;

	if (walker->ways[at] == CREDIT_WAY_CIRCLE)
		return;
	for (uint32_t out; walker->next[at] != FABRIC_NONE; at = walker->next[at]) {
		unsigned int lane = 0;
		uint32_t wanted;

		out = walker->out[at];
		if (finder->traffic->lanes && matters(finder, out))
			lane = credit_lane(finder->traffic->lanes, in, out, sl);
		if (lane == CREDIT_LANE_UNKNOWN)
			finder->loops->laneless_node = walker->forwarding->tables[at].node;
		if (lane >= CREDIT_LANE_DROPPED)
			return;
		wanted = finder->graph.channels[out] + lane;
		if (held != FABRIC_NONE && matters(finder, out))
			add_edge(finder, held, wanted, source->port, sl);
		if (finder->seen[wanted] == finder->walk)
			return;
		finder->seen[wanted] = finder->walk;
		held = matters(finder, out) ? wanted : FABRIC_NONE;
		in = walker->fabric->ports[walker->fabric->ports[out].peer].number;
	}
	if (walker->out[at] == CREDIT_OUT_UNKNOWN)
		finder->loops->unknown_node = walker->forwarding->tables[at].node;
}

/* Follows packets from all ports; those of a switch take one way, unless their VLs differ. */
static void follow_from_all(struct finder *finder, unsigned int sl)
{
	const struct credit_walker *walker = &finder->walker;

	finder->walk++;
	for (uint32_t i = 0; i < walker->forwarding->count; i++)
		for (uint32_t j = walker->first_source[i]; j < walker->first_source[i + 1]; j++) {
			if (fabric_are_planes(walker->fabric, walker->sources[j].port,
					      walker->owner))
				continue;
			follow(finder, &walker->sources[j], sl);
			if (!finder->traffic->lanes)
				break;
		}
}

/* Follows the packets of the pairs with this LID, of which the first is at `next`. */
static size_t follow_pairs(struct finder *finder, const uint32_t *source_of, size_t next)
{
	const struct credit_pairs *pairs = finder->traffic->pairs;
	unsigned int sl = CREDIT_SLS;

	while (next < pairs->count && pairs->items[next].lid < finder->walker.lid)
		next++;
	for (; next < pairs->count && pairs->items[next].lid == finder->walker.lid; next++) {
		const struct credit_pair *pair = &pairs->items[next];

		finder->walk += pair->sl != sl;
		sl = pair->sl;
		if (source_of[pair->source])
			follow(finder, &finder->walker.sources[source_of[pair->source] - 1], sl);
	}
	return next;
}

static void follow_all(struct finder *finder)
{
	const struct credit_traffic *traffic = finder->traffic;
	_cleanup_(freep) uint32_t *source_of = mem_alloc_zero(
		(size_t)finder->walker.fabric->port_count + 1, sizeof(*source_of));
	size_t next = 0;

	for (size_t i = 0; i < finder->walker.source_count; i++)
		source_of[finder->walker.sources[i].port] = (uint32_t)i + 1;
	while (credit_walker_next(&finder->walker)) {
		if (traffic->pairs)
			next = follow_pairs(finder, source_of, next);
		else if (!traffic->lanes)
			follow_from_all(finder, 0);
		for (unsigned int sl = 0; sl < CREDIT_SLS && traffic->lanes && !traffic->pairs;
		     sl++)
			if (traffic->sls & 1u << sl)
				follow_from_all(finder, sl);
	}
}

void credit_loops_find(const struct fabric *fabric, const struct forwarding *forwarding,
		       const struct credit_traffic *traffic, struct credit_loops *loops)
{
	struct finder finder = {.traffic = traffic, .loops = loops};

	*loops = (struct credit_loops){
		.ports = mem_alloc_zero((size_t)fabric->port_count + 1, sizeof(*loops->ports)),
		.unknown_node = FABRIC_NONE,
		.laneless_node = FABRIC_NONE,
	};
	credit_walker_make(fabric, forwarding, &finder.walker);
	make_channels(&finder);
	follow_all(&finder);
	credit_find_cycles(fabric, &finder.graph, loops);
	credit_walker_clear(&finder.walker);
	free(finder.graph.channels);
	free(finder.graph.ports);
	free(finder.graph.edges);
	free(finder.graph.table);
	free(finder.seen);
}
