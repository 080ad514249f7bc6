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
#include "fabric/credit/credit.h"

/* Ports of adapters and routers that can send, by switch. */
static void list_sources(struct credit_walker *walker)
{
	const struct fabric *fabric = walker->fabric;

	walker->first_source = mem_alloc_zero(walker->forwarding->count + 1,
					      sizeof(*walker->first_source));
	for (uint32_t i = 0; i < walker->forwarding->count; i++) {
		const struct fabric_node *node = &fabric->nodes[walker->forwarding->tables[i].node];

		for_each_port_of (port, node) {
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
	/* The edges that are known: */
	uint32_t *first_pair; /* by number of the port: in `pairs` */
	uint32_t *pairs;      /* by number of the next output port: in `noted`, plus 1 */
	struct lanes_noted {
		uint16_t wanted[CREDIT_SLS]; /* by VL of the one port: VLs of the next, a mask */
	} * noted;
	size_t noted_count;
};

/* The ports whose channels can be in a loop: those between switches. */
static void make_channels(struct finder *finder)
{
	const struct fabric *fabric = finder->walker.fabric;
	struct credit_graph *graph = &finder->graph;
	uint32_t pairs = 0;

	graph->lanes = finder->traffic->lanes ? CREDIT_SLS : 1;
	graph->channels = mem_alloc_zero(fabric->port_count, sizeof(*graph->channels));
	for (uint32_t i = 0; i < fabric->port_count; i++) {
		const uint32_t peer = fabric->ports[i].peer;

		graph->channels[i] = FABRIC_NONE;
		if (peer == FABRIC_NONE || !fabric_is_of_switch(fabric, i) ||
		    !fabric_is_of_switch(fabric, peer))
			continue;
		graph->channels[i] = (uint32_t)graph->port_count;
		MEM_ADD(graph->ports, graph->port_count) = i;
	}
	finder->seen = mem_alloc_zero(graph->port_count * graph->lanes + 1, sizeof(*finder->seen));
	finder->first_pair = mem_alloc_zero(graph->port_count, sizeof(*finder->first_pair));
	for (size_t i = 0; i < graph->port_count; i++) {
		finder->first_pair[i] = pairs;
		pairs += fabric_node_of(fabric, fabric->ports[graph->ports[i]].peer)->port_count +
			 1u;
	}
	finder->pairs = mem_alloc_zero(pairs, sizeof(*finder->pairs));
}

/*
 * Notes an edge once. The channels that wait for one another belong to a port and to the output
 * ports of the switch at its other end, so a table finds the edges of two ports by number.
 */
static void add_edge(struct finder *finder, uint32_t held, uint32_t wanted, uint32_t source,
		     unsigned int sl)
{
	struct credit_graph *graph = &finder->graph;
	const uint32_t held_port = held % (uint32_t)graph->port_count;
	const uint32_t wanted_port = wanted % (uint32_t)graph->port_count;
	const size_t held_lane = held / graph->port_count;
	const unsigned int number = finder->walker.fabric->ports[graph->ports[wanted_port]].number;
	uint32_t *pair = &finder->pairs[finder->first_pair[held_port] + number];
	const uint16_t bit = (uint16_t)(1u << wanted / graph->port_count);
	struct lanes_noted *noted;

	if (!*pair) {
		mem_append(&finder->noted, &finder->noted_count, sizeof(*finder->noted));
		*pair = (uint32_t)finder->noted_count;
	}
	noted = &finder->noted[*pair - 1];
	if (noted->wanted[held_lane] & bit)
		return;
	noted->wanted[held_lane] |= bit;
	MEM_ADD(graph->edges, graph->edge_count) = (struct credit_edge){
		.held = held,
		.wanted = wanted,
		.source = source,
		.lid = (uint16_t)finder->walker.lid,
		.sl = (uint8_t)sl,
	};
}

static bool matters(const struct finder *finder, uint32_t port)
{
	return !finder->traffic->ports || finder->traffic->ports[port];
}

/*
 * The VL of a packet at an output port; CREDIT_LANE_UNKNOWN or more is noted. A VL that the port
 * does not have is no channel. A switch may drop such a packet, or send it on another VL.
 */
static unsigned int lane_of(struct finder *finder, unsigned int in, uint32_t out, unsigned int sl)
{
	const struct fabric *fabric = finder->walker.fabric;
	const unsigned int vls = fabric_vls(&fabric->ports[out]);
	const unsigned int lane = credit_lane(finder->traffic->lanes, in, out, sl);

	if (lane == CREDIT_LANE_UNKNOWN)
		finder->loops->laneless_node = fabric->ports[out].node;
	if (!vls || lane < vls || lane >= CREDIT_LANE_DROPPED)
		return lane;
	finder->loops->missing_lane_node = fabric->ports[out].node;
	return CREDIT_LANE_UNKNOWN;
}

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
			lane = lane_of(finder, in, out, sl);
		if (lane >= CREDIT_LANE_DROPPED)
			return;
		wanted = finder->graph.channels[out] + lane * (uint32_t)finder->graph.port_count;
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

/* Whether packets from two sources at a switch take the same channels. */
static bool are_alike(const struct finder *finder, const struct credit_source *source,
		      const struct credit_source *other)
{
	const uint32_t out = finder->walker.out[source->table];

	return !finder->traffic->lanes || !matters(finder, out) ||
	       credit_lanes_same(finder->traffic->lanes, source->in, other->in, out);
}

/* Follows packets from all ports, for each switch those that differ from the one before. */
static void follow_from_all(struct finder *finder, unsigned int sl)
{
	const struct credit_walker *walker = &finder->walker;

	finder->walk++;
	for (uint32_t i = 0; i < walker->forwarding->count; i++) {
		const struct credit_source *last = NULL;

		for (uint32_t j = walker->first_source[i]; j < walker->first_source[i + 1]; j++) {
			const struct credit_source *source = &walker->sources[j];

			if (fabric_are_planes(walker->fabric, source->port, walker->owner) ||
			    (last && are_alike(finder, last, source)))
				continue;
			follow(finder, source, sl);
			last = source;
			if (walker->next[i] == FABRIC_NONE)
				break;
		}
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

static bool goes_on(struct finder *finder)
{
	const struct credit_stop *stop = finder->traffic->stop;

	finder->loops->stopped = stop && stop->is_wanted(stop->context);
	return !finder->loops->stopped && credit_walker_next(&finder->walker);
}

static void follow_all(struct finder *finder)
{
	const struct credit_traffic *traffic = finder->traffic;
	_cleanup_(freep) uint32_t *source_of = mem_alloc_zero(finder->walker.fabric->port_count,
							      sizeof(*source_of));
	size_t next = 0;

	for (size_t i = 0; i < finder->walker.source_count; i++)
		source_of[finder->walker.sources[i].port] = (uint32_t)i + 1;
	while (goes_on(finder)) {
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
	struct finder finder = {
		.traffic = traffic,
		.graph.known = traffic->known,
		.loops = loops,
	};

	*loops = (struct credit_loops){
		.ports = mem_alloc_zero(fabric->port_count, sizeof(*loops->ports)),
		.unknown_node = FABRIC_NONE,
		.laneless_node = FABRIC_NONE,
		.missing_lane_node = FABRIC_NONE,
	};
	credit_walker_make(fabric, forwarding, &finder.walker);
	make_channels(&finder);
	follow_all(&finder);
	credit_find_cycles(&finder.graph, loops);
	credit_walker_clear(&finder.walker);
	free(finder.graph.channels);
	free(finder.graph.ports);
	free(finder.graph.edges);
	free(finder.seen);
	free(finder.first_pair);
	free(finder.pairs);
	free(finder.noted);
}
