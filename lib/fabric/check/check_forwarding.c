/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks of the forwarding tables: LIDs that switches send to the wrong place, or in a loop. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "fabric/check/check.h"

/* LIDs of a switch with the same fault. */
struct lids {
	uint32_t count, first;
};

/*
 * Where an entry of a table leads, for each value: port 0 and ports that the switch lacks included.
 * There are some hundred values per switch, but thousands of LIDs, so this is worked out
 * beforehand.
 */
struct way_out {
	uint32_t next;	/* table of the switch there, or FABRIC_NONE */
	bool is_end;	/* packets go no further, except those to these LIDs: */
	uint32_t first; /* the first of them */
	uint32_t count;
};

enum { WAYS_OUT = FORWARDING_NOWHERE + 1 };

struct walker {
	struct check_run *run;
	const struct fabric *fabric;
	const struct forwarding *forwarding;
	uint32_t *owners;
	uint32_t *owned; /* LIDs that belong to a port, ascending: most LIDs do not */
	size_t owned_count;
	struct way_out *ways; /* WAYS_OUT for each table */
};

/* Packets to the LIDs of this port arrive there; all others go no further. */
static void end_at(const struct fabric_port *port, struct way_out *way)
{
	way->is_end = true;
	way->first = fabric_port_lid(port);
	way->count = way->first ? fabric_lid_count(port) : 0;
}

static bool is_lid_of(const struct way_out *way, uint32_t lid)
{
	return lid - way->first < way->count;
}

static struct way_out way_out_of(const struct walker *walker, uint32_t node, unsigned int port)
{
	const struct fabric *fabric = walker->fabric;
	struct way_out way = {.next = FABRIC_NONE};
	const struct fabric_port *at, *peer;

	if (port > fabric->nodes[node].port_count) {
		way.is_end = true;
		return way;
	}
	at = &fabric->ports[fabric_port_at(fabric, node, port)];
	if (!port) {
		end_at(at, &way);
		return way;
	}
	way.is_end = at->has_info && !fabric_is_up(at);
	if (way.is_end || at->peer == FABRIC_NONE)
		return way;
	peer = &fabric->ports[at->peer];
	way.next = walker->forwarding->of_node[peer->node];
	/* Either of two ports with the same LID will do. */
	if (fabric->nodes[peer->node].type != NODE_TYPE_SWITCH && peer->has_info)
		end_at(peer, &way);
	return way;
}

static void find_ways_out(struct walker *walker)
{
	const struct forwarding *forwarding = walker->forwarding;

	walker->ways = mem_alloc_zero(forwarding->count * WAYS_OUT, sizeof(*walker->ways));
	for (size_t i = 0; i < forwarding->count; i++)
		for (unsigned int port = 0; port < WAYS_OUT; port++)
			walker->ways[i * WAYS_OUT + port] = way_out_of(
				walker, forwarding->tables[i].node, port);
}

/* Says where packets to that port go, as the end of a sentence; to be freed. */
static char *describe_end(const struct walker *walker, uint32_t node, unsigned int port)
{
	const struct fabric *fabric = walker->fabric;
	_cleanup_(freep) char *name = NULL;
	const struct fabric_port *at;

	if (port == FORWARDING_NOWHERE)
		return mem_string("nowhere");
	if (!port)
		return mem_string("to the switch itself");
	if (port > fabric->nodes[node].port_count)
		return mem_format("to port %u, which the switch does not have", port);
	at = &fabric->ports[fabric_port_at(fabric, node, port)];
	if (at->has_info && !fabric_is_up(at))
		return mem_format("to port %u, which is down", port);
	name = fabric_port_name(walker->run->input->view, at->peer);
	return mem_format("to port %u, which leads to %s", port, name);
}

static char *describe_lids(const struct walker *walker, const struct lids *lids, const char *where)
{
	_cleanup_(freep) char *name = fabric_port_name(walker->run->input->view,
						       walker->owners[lids->first]);

	if (lids->count == 1)
		return mem_format("LID %u of %s goes %s", lids->first, name, where);
	return mem_format("%u LIDs go %s; the first is %u of %s", lids->count, where, lids->first,
			  name);
}

static void report_hole(const struct walker *walker, uint32_t node, unsigned int port,
			const struct lids *lids)
{
	_cleanup_(freep) char *where = describe_end(walker, node, port);
	_cleanup_(freep) char *evidence = describe_lids(walker, lids, where);
	const bool exists = port && port <= walker->fabric->nodes[node].port_count;

	check_report(walker->run, fabric_port_at(walker->fabric, node, exists ? port : 0), "%s",
		     evidence)
		->of_node = !exists;
}

static void find_holes_of(const struct walker *walker, size_t number)
{
	const struct forwarding_table *table = &walker->forwarding->tables[number];
	const struct way_out *ways = &walker->ways[number * WAYS_OUT];
	struct lids holes[WAYS_OUT] = {{0}};

	for (size_t i = 0; i < walker->owned_count; i++) {
		const uint32_t lid = walker->owned[i];
		const unsigned int port = forwarding_port(walker->forwarding, table, lid);

		if (port < WAYS_OUT && ways[port].is_end && !is_lid_of(&ways[port], lid) &&
		    !holes[port].count++)
			holes[port].first = lid;
	}
	for (unsigned int port = 0; port < ARRAY_SIZE(holes); port++)
		if (holes[port].count)
			report_hole(walker, table->node, port, &holes[port]);
}

static void find_holes(const struct walker *walker)
{
	for (size_t i = 0; i < walker->forwarding->count; i++)
		find_holes_of(walker, i);
}

/* Table of the switch that gets the packet next; FABRIC_NONE if it arrives or goes no further. */
static uint32_t next_switch(const struct walker *walker, uint32_t number, uint32_t lid)
{
	const struct forwarding_table *table = &walker->forwarding->tables[number];
	const unsigned int port = forwarding_port(walker->forwarding, table, lid);
	const struct way_out *ways = &walker->ways[(size_t)number * WAYS_OUT];

	/* The way out through port 0 leads to the switch itself. */
	return port >= WAYS_OUT || is_lid_of(ways, lid) ? FABRIC_NONE : ways[port].next;
}

/* Notes the LID at the loop's first switch, wherever the walk entered the loop. */
static void note_loop(const struct walker *walker, uint32_t number, uint32_t lid,
		      struct lids *loops)
{
	uint32_t first = number;

	for (uint32_t i = next_switch(walker, number, lid); i != number;
	     i = next_switch(walker, i, lid))
		if (i < first)
			first = i;
	if (!loops[first].count++)
		loops[first].first = lid;
}

static void report_loop(const struct walker *walker, uint32_t number, const struct lids *lids)
{
	const struct forwarding_table *table = &walker->forwarding->tables[number];
	const unsigned int port = forwarding_port(walker->forwarding, table, lids->first);
	_cleanup_(freep) char *where = NULL, *evidence = NULL;
	uint32_t hops = 1;

	for (uint32_t i = next_switch(walker, number, lids->first); i != number;
	     i = next_switch(walker, i, lids->first))
		hops++;
	where = mem_format("to port %u and %s back here after %u hop%s", port,
			   lids->count == 1 ? "is" : "are", hops, text_plural_s(hops));
	evidence = describe_lids(walker, lids, where);
	check_report(walker->run, fabric_port_at(walker->fabric, table->node, port), "%s",
		     evidence);
}

/* A walk for a LID ends at a switch visited by an earlier walk, so each switch is visited once. */
static void find_loops(const struct walker *walker)
{
	const uint32_t count = (uint32_t)walker->forwarding->count;
	_cleanup_(freep) struct lids *loops = mem_alloc_zero(count, sizeof(*loops));
	_cleanup_(freep) uint64_t *walks = mem_alloc_zero(count, sizeof(*walks));
	uint64_t walk = 0;

	for (size_t i = 0; i < walker->owned_count; i++) {
		const uint64_t before = walk;

		for (uint32_t start = 0; start < count; start++) {
			uint32_t at = start;

			for (walk++; at != FABRIC_NONE && walks[at] <= before;
			     at = next_switch(walker, at, walker->owned[i]))
				walks[at] = walk;
			if (at != FABRIC_NONE && walks[at] == walk)
				note_loop(walker, at, walker->owned[i], loops);
		}
	}
	for (uint32_t i = 0; i < count; i++)
		if (loops[i].count)
			report_loop(walker, i, &loops[i]);
}

static void walk(struct check_run *run, void (*find)(const struct walker *walker))
{
	struct walker walker = {
		.run = run,
		.fabric = run->fabric,
		.forwarding = run->input->forwarding,
	};

	if (!walker.forwarding)
		return;
	walker.owners = forwarding_owners(run->fabric, NULL);
	for (uint32_t lid = 1; lid < FORWARDING_LIDS; lid++)
		if (walker.owners[lid] != FABRIC_NONE)
			MEM_ADD(walker.owned, walker.owned_count) = lid;
	find_ways_out(&walker);
	find(&walker);
	free(walker.ways);
	free(walker.owned);
	free(walker.owners);
}

void check_lft_hole(struct check_run *run)
{
	walk(run, find_holes);
}

void check_lft_loop(struct check_run *run)
{
	walk(run, find_loops);
}
