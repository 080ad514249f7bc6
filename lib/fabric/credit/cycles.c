/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The cycles of the channels: strongly connected components by R. Tarjan (SIAM Journal on Computing
 * 1, 1972) without recursion, because a path can be as long as there are channels; and a shortest
 * cycle of each, by a search in breadth from its channels.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fabric/credit/credit.h"

/* Limit of the edges looked at for a shorter cycle; one is found in any case. */
#define MOST_LOOP_STEPS 20000000u

struct search {
	const struct credit_graph *graph;
	struct credit_loops *loops;
	uint32_t count;	 /* channels */
	uint32_t *first; /* by channel, and the end: its edges in `edges` */
	uint32_t *edges; /* indexes, by the channel that is held */
	/* Tarjan's numbers, by channel: 0 is not visited. */
	uint32_t *number, *low;
	uint32_t *stack, *path; /* channels of no component yet; channels being visited */
	uint32_t *cursor;	/* by channel: its next edge */
	uint32_t depth, path_length, last_number;
	uint32_t *component; /* by channel: from 1 on; 0: on the stack, or not visited */
	uint32_t *sizes;     /* by component */
	size_t component_count;
	/* The search in breadth: */
	uint32_t *came;		    /* by channel: the edge that led there */
	uint32_t *distance, *visit; /* by channel; the distance is of the search with that number */
	uint32_t *queue;
	uint32_t visits;
	uint64_t steps;
};

static uint32_t port_of(const struct search *search, uint32_t channel)
{
	return search->graph->ports[channel % search->graph->port_count];
}

/* Sorts the edges by the channel that is held, and keeps their order otherwise. */
static void sort_edges(struct search *search)
{
	const struct credit_graph *graph = search->graph;

	for (size_t i = 0; i < graph->edge_count; i++)
		search->first[graph->edges[i].held + 1]++;
	for (uint32_t i = 0; i < search->count; i++)
		search->first[i + 1] += search->first[i];
	memcpy(search->cursor, search->first, search->count * sizeof(*search->cursor));
	for (size_t i = 0; i < graph->edge_count; i++)
		search->edges[search->cursor[graph->edges[i].held]++] = (uint32_t)i;
	memcpy(search->cursor, search->first, search->count * sizeof(*search->cursor));
}

static void enter(struct search *search, uint32_t channel)
{
	search->number[channel] = search->low[channel] = ++search->last_number;
	search->stack[search->depth++] = channel;
	search->path[search->path_length++] = channel;
}

/* Takes a component off the stack, down to the channel visited first. */
static void take_component(struct search *search, uint32_t channel)
{
	uint32_t member, size = 0;

	search->component_count++;
	do {
		member = search->stack[--search->depth];
		search->component[member] = (uint32_t)search->component_count;
		size++;
	} while (member != channel);
	search->sizes[search->component_count] = size;
}

static void leave(struct search *search, uint32_t channel)
{
	search->path_length--;
	if (search->low[channel] == search->number[channel])
		take_component(search, channel);
	if (search->path_length) {
		const uint32_t before = search->path[search->path_length - 1];

		if (search->low[channel] < search->low[before])
			search->low[before] = search->low[channel];
	}
}

static void visit_from(struct search *search, uint32_t start)
{
	enter(search, start);
	while (search->path_length) {
		const uint32_t channel = search->path[search->path_length - 1];
		uint32_t wanted;

		if (search->cursor[channel] == search->first[channel + 1]) {
			leave(search, channel);
			continue;
		}
		wanted = search->graph->edges[search->edges[search->cursor[channel]++]].wanted;
		if (!search->number[wanted])
			enter(search, wanted);
		else if (!search->component[wanted] &&
			 search->number[wanted] < search->low[channel])
			search->low[channel] = search->number[wanted];
	}
}

/*
 * Searches for a cycle from the channel back to it, shorter than `most`. Returns its last edge, or
 * FABRIC_NONE; the others are in `came`.
 */
static uint32_t search_from(struct search *search, uint32_t start, uint32_t most)
{
	const uint32_t component = search->component[start];
	uint32_t head = 0, tail = 0;

	search->visits++;
	search->visit[start] = search->visits;
	search->distance[start] = 0;
	search->queue[tail++] = start;
	while (head < tail) {
		const uint32_t channel = search->queue[head++];

		if (search->distance[channel] + 1 >= most)
			break;
		for (uint32_t i = search->first[channel]; i < search->first[channel + 1]; i++) {
			const uint32_t wanted = search->graph->edges[search->edges[i]].wanted;

			search->steps++;
			if (wanted == start)
				return search->edges[i];
			if (search->component[wanted] != component ||
			    search->visit[wanted] == search->visits)
				continue;
			search->visit[wanted] = search->visits;
			search->distance[wanted] = search->distance[channel] + 1;
			search->came[wanted] = search->edges[i];
			search->queue[tail++] = wanted;
		}
	}
	return FABRIC_NONE;
}

static struct credit_wait wait_of(const struct search *search, const struct credit_edge *edge)
{
	return (struct credit_wait){
		.held = port_of(search, edge->held),
		.wanted = port_of(search, edge->wanted),
		.held_lane = (uint8_t)(edge->held / search->graph->port_count),
		.wanted_lane = (uint8_t)(edge->wanted / search->graph->port_count),
		.sl = edge->sl,
		.lid = edge->lid,
		.source = edge->source,
	};
}

/* Takes the cycle that was found from the channel, in its order. */
static void take_cycle(const struct search *search, uint32_t start, uint32_t last,
		       struct credit_loop *loop)
{
	const struct credit_edge *edges = search->graph->edges;
	size_t count = search->distance[edges[last].held] + 1u;

	free(loop->waits);
	loop->waits = mem_alloc_zero(count, sizeof(*loop->waits));
	loop->count = count;
	for (uint32_t edge = last;; edge = search->came[edges[edge].held]) {
		loop->waits[--count] = wait_of(search, &edges[edge]);
		if (edges[edge].held == start)
			break;
	}
}

/* Begins the loop at its first port, so that the same cables always look the same. */
static void turn(struct credit_loop *loop)
{
	struct credit_wait *turned = mem_alloc_zero(loop->count, sizeof(*turned));
	size_t first = 0;

	for (size_t i = 1; i < loop->count; i++)
		if (loop->waits[i].held < loop->waits[first].held)
			first = i;
	for (size_t i = 0; i < loop->count; i++)
		turned[i] = loop->waits[(first + i) % loop->count];
	free(loop->waits);
	loop->waits = turned;
}

static struct credit_loop *find_same(const struct credit_loops *loops,
				     const struct credit_loop *loop)
{
	for_each (other, loops) {
		size_t same = 0;

		while (other->count == loop->count && same < loop->count &&
		       other->waits[same].held == loop->waits[same].held)
			same++;
		if (same == loop->count)
			return other;
	}
	return NULL;
}

/* Adds a component's loop, unless its cables are a loop on another VL already. */
static void add_loop(struct search *search, struct credit_loop *loop)
{
	struct credit_loop *same;

	turn(loop);
	same = find_same(search->loops, loop);
	if (same) {
		same->again++;
		if (same->ports < loop->ports)
			same->ports = loop->ports;
		free(loop->waits);
		return;
	}
	MEM_ADD(search->loops->items, search->loops->count) = *loop;
}

static bool is_known(const struct search *search, uint32_t channel)
{
	return search->graph->known && search->graph->known[port_of(search, channel)];
}

/*
 * Finds a shortest cycle of each component with more than one channel, by their first channels. A
 * cycle of known ports alone is not wanted, so the search begins at the others.
 */
static void find_loops(struct search *search)
{
	struct credit_loop *loops = mem_alloc_zero(search->component_count + 1, sizeof(*loops));
	uint32_t *order = mem_alloc_zero(search->component_count + 1, sizeof(*order));
	size_t count = 0;

	for (uint32_t i = 0; i < search->count; i++) {
		struct credit_loop *loop = &loops[search->component[i]];
		uint32_t last = FABRIC_NONE;

		if (search->sizes[search->component[i]] < 2)
			continue;
		if (!loop->ports++)
			order[count++] = search->component[i];
		if (!is_known(search, i) && (!loop->count || search->steps < MOST_LOOP_STEPS))
			last = search_from(search, i,
					   loop->count ? (uint32_t)loop->count : UINT32_MAX);
		if (last != FABRIC_NONE)
			take_cycle(search, i, last, loop);
	}
	for (uint32_t i = 0; i < search->count; i++)
		search->loops->ports[port_of(search, i)] |= loops[search->component[i]].count != 0;
	for (size_t i = 0; i < count; i++)
		if (loops[order[i]].count)
			add_loop(search, &loops[order[i]]);
	free(order);
	free(loops);
}

void credit_find_cycles(const struct credit_graph *graph, struct credit_loops *loops)
{
	const size_t count = graph->port_count * graph->lanes;
	/* One array for all, by channel; two of them have an end, too. */
	uint32_t *words = mem_alloc_zero(12 * (count + 2) + graph->edge_count, sizeof(*words));
	uint32_t *next = words;
	struct search search = {
		.graph = graph,
		.loops = loops,
		.count = (uint32_t)count,
	};
	uint32_t **const arrays[] = {
		&search.first, &search.number, &search.low,	  &search.stack,
		&search.path,  &search.cursor, &search.component, &search.sizes,
		&search.came,  &search.visit,  &search.distance,  &search.queue,
	};

	for (size_t i = 0; i < ARRAY_SIZE(arrays); i++, next += count + 2)
		*arrays[i] = next;
	search.edges = next;
	sort_edges(&search);
	for (uint32_t i = 0; i < search.count; i++)
		if (!search.number[i])
			visit_from(&search, i);
	find_loops(&search);
	free(words);
}

void credit_loops_clear(struct credit_loops *loops)
{
	for (size_t i = 0; i < loops->count; i++)
		free(loops->items[i].waits);
	free(loops->items);
	free(loops->ports);
	*loops = (struct credit_loops){.items = NULL};
}
