/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks of the forwarding tables: LIDs that switches send to a wrong place, or in a loop. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "fabric/check/check.h"

/* LIDs of a switch with the same fault. */
struct lids {
	uint32_t count, first;
};

struct walker {
	struct check_run *run;
	const struct fabric *fabric;
	const struct forwarding *forwarding;
	uint32_t *owners;
	uint32_t *owned; /* the LIDs that a port has, in order: most LIDs are nobody's */
	size_t owned_count;
};

static bool is_of_switch(const struct walker *walker, uint32_t node, uint32_t lid)
{
	return fabric_has_lid(&walker->fabric->ports[walker->fabric->nodes[node].first_port], lid);
}

/* Whether a packet to the LID gets no further after the switch has sent it to that port. */
static bool is_dead_end(const struct walker *walker, uint32_t node, unsigned int port, uint32_t lid)
{
	const struct fabric *fabric = walker->fabric;
	const struct fabric_port *at, *peer;

	if (port == FORWARDING_UNKNOWN)
		return false;
	if (!port)
		return !is_of_switch(walker, node, lid);
	if (port > fabric->nodes[node].port_count)
		return true;
	at = &fabric->ports[fabric_port_at(fabric, node, port)];
	if (at->has_info && fabric_physical_state(at) != PHYSICAL_LINK_UP)
		return true;
	if (at->peer == FABRIC_NONE || fabric_node_of(fabric, at->peer)->type == NODE_TYPE_SWITCH)
		return false;
	peer = &fabric->ports[at->peer];
	/* Either of two ports with the same LID will do. */
	return peer->has_info && !fabric_has_lid(peer, lid);
}

/* Says where packets to that port go, to end a sentence. */
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
	if (at->has_info && fabric_physical_state(at) != PHYSICAL_LINK_UP)
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
	char *evidence = describe_lids(walker, lids, where);

	if (!port || port > walker->fabric->nodes[node].port_count)
		check_report_node(walker->run, node, evidence);
	else
		check_report(walker->run, fabric_port_at(walker->fabric, node, port), evidence);
}

static void find_holes(const struct walker *walker, const struct forwarding_table *table)
{
	struct lids holes[FORWARDING_NOWHERE + 1] = {{0}};

	for (size_t i = 0; table->known && i < walker->owned_count; i++) {
		const uint32_t lid = walker->owned[i];
		const unsigned int port = forwarding_port(walker->forwarding, table, lid);

		if (is_dead_end(walker, table->node, port, lid) && !holes[port].count++)
			holes[port].first = lid;
	}
	for (unsigned int port = 0; port < ARRAY_SIZE(holes); port++)
		if (holes[port].count)
			report_hole(walker, table->node, port, &holes[port]);
}

/* The table of the switch that gets it next; FABRIC_NONE if it arrives or gets no further. */
static uint32_t next_switch(const struct walker *walker, uint32_t number, uint32_t lid)
{
	const struct forwarding_table *table = &walker->forwarding->tables[number];
	const unsigned int port = forwarding_port(walker->forwarding, table, lid);
	uint32_t peer;

	if (!port || port > walker->fabric->nodes[table->node].port_count ||
	    is_of_switch(walker, table->node, lid))
		return FABRIC_NONE;
	peer = walker->fabric->ports[fabric_port_at(walker->fabric, table->node, port)].peer;
	return peer == FABRIC_NONE ? FABRIC_NONE
				   : walker->forwarding->of_node[walker->fabric->ports[peer].node];
}

/* Notes the LID at the first switch of the loop, wherever the walk came upon it. */
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
	_cleanup_(freep) char *where = NULL;
	uint32_t hops = 1;

	for (uint32_t i = next_switch(walker, number, lids->first); i != number;
	     i = next_switch(walker, i, lids->first))
		hops++;
	where = mem_format("to port %u and %s back here after %u hop%s", port,
			   lids->count == 1 ? "is" : "are", hops, hops == 1 ? "" : "s");
	check_report(walker->run, fabric_port_at(walker->fabric, table->node, port),
		     describe_lids(walker, lids, where));
}

/* A walk for a LID ends at a switch that an earlier walk has visited: each is visited once. */
static void find_loops(const struct walker *walker)
{
	const uint32_t count = (uint32_t)walker->forwarding->count;
	_cleanup_(freep) struct lids *loops = mem_alloc_zero((size_t)count + 1, sizeof(*loops));
	_cleanup_(freep) uint64_t *walks = mem_alloc_zero((size_t)count + 1, sizeof(*walks));
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

static bool begin(struct check_run *run, struct walker *walker)
{
	*walker = (struct walker){
		.run = run,
		.fabric = run->fabric,
		.forwarding = run->input->forwarding,
	};
	if (!walker->forwarding)
		return false;
	walker->owners = forwarding_owners(run->fabric);
	for (uint32_t lid = 1; lid < FORWARDING_LIDS; lid++)
		if (walker->owners[lid] != FABRIC_NONE)
			*(uint32_t *)mem_append(&walker->owned, &walker->owned_count,
						sizeof(*walker->owned)) = lid;
	return true;
}

static void end(struct walker *walker)
{
	free(walker->owned);
	free(walker->owners);
}

void check_lft_hole(struct check_run *run)
{
	struct walker walker;

	if (!begin(run, &walker))
		return;
	for (size_t i = 0; i < walker.forwarding->count; i++)
		find_holes(&walker, &walker.forwarding->tables[i]);
	end(&walker);
}

void check_lft_loop(struct check_run *run)
{
	struct walker walker;

	if (!begin(run, &walker))
		return;
	find_loops(&walker);
	end(&walker);
}
