/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the forwarding tables tell: LIDs that switches send where these are not, or in a circle. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "fabric/check/findings.h"

/* LIDs of a switch that the same is wrong with. */
struct lids {
	uint32_t count, first;
};

struct judge {
	const struct fabric_view *view;
	const struct fabric *fabric;
	const struct forwarding *forwarding;
	struct fabric_findings *findings;
	uint32_t *owners;
	uint32_t *owned; /* the LIDs that somebody has, in order: most that might be are nobody's */
	size_t owned_count;
};

static bool is_of_switch(const struct judge *judge, uint32_t node, uint32_t lid)
{
	return fabric_has_lid(&judge->fabric->ports[judge->fabric->nodes[node].first_port], lid);
}

/* What a switch sends by one port, or nowhere, and that does not get on from there. */
static bool is_dead_end(const struct judge *judge, uint32_t node, unsigned int port, uint32_t lid)
{
	const struct fabric *fabric = judge->fabric;
	const struct fabric_port *at, *peer;

	if (port == FORWARDING_UNKNOWN)
		return false;
	if (!port)
		return !is_of_switch(judge, node, lid);
	if (port > fabric->nodes[node].port_count)
		return true;
	at = &fabric->ports[fabric_port_at(fabric, node, port)];
	if (at->has_info && fabric_physical_state(at) != PHYSICAL_LINK_UP)
		return true;
	if (at->peer == FABRIC_NONE || fabric_node_of(fabric, at->peer)->type == NODE_TYPE_SWITCH)
		return false;
	peer = &fabric->ports[at->peer];
	/* Of two ports that have the same LID either is as good. */
	return peer->has_info && !fabric_has_lid(peer, lid);
}

/* Where such a port leads. */
static char *describe_end(const struct judge *judge, uint32_t node, unsigned int port)
{
	const struct fabric *fabric = judge->fabric;
	_cleanup_(freep) char *name = NULL;
	const struct fabric_port *at;

	if (port == FORWARDING_NOWHERE)
		return mem_string("nowhere");
	if (!port)
		return mem_string("to the switch itself");
	if (port > fabric->nodes[node].port_count)
		return mem_format("to port %u, which it has not", port);
	at = &fabric->ports[fabric_port_at(fabric, node, port)];
	if (at->has_info && fabric_physical_state(at) != PHYSICAL_LINK_UP)
		return mem_format("to port %u, which is down", port);
	name = fabric_port_name(judge->view, at->peer);
	return mem_format("to port %u, and so to %s", port, name);
}

static char *describe_lids(const struct judge *judge, const struct lids *lids, const char *where)
{
	_cleanup_(freep) char *name = fabric_port_name(judge->view, judge->owners[lids->first]);

	if (lids->count == 1)
		return mem_format("LID %u, of %s, goes %s", lids->first, name, where);
	return mem_format("%u LIDs go %s; the first is %u, of %s", lids->count, where, lids->first,
			  name);
}

static void tell_hole(const struct judge *judge, uint32_t node, unsigned int port,
		      const struct lids *lids)
{
	_cleanup_(freep) char *where = describe_end(judge, node, port);
	char *evidence = describe_lids(judge, lids, where);

	if (!port || port > judge->fabric->nodes[node].port_count)
		findings_add_node(judge->findings, judge->view, FINDING_LFT_HOLE, node, evidence);
	else
		findings_add(judge->findings, judge->view, FINDING_LFT_HOLE,
			     fabric_port_at(judge->fabric, node, port), evidence);
}

static void judge_holes(const struct judge *judge, const struct forwarding_table *table)
{
	struct lids holes[FORWARDING_NOWHERE + 1] = {{0}};

	for (size_t i = 0; table->known && i < judge->owned_count; i++) {
		const uint32_t lid = judge->owned[i];
		const unsigned int port = forwarding_port(judge->forwarding, table, lid);

		if (is_dead_end(judge, table->node, port, lid) && !holes[port].count++)
			holes[port].first = lid;
	}
	for (unsigned int port = 0; port < ARRAY_SIZE(holes); port++)
		if (holes[port].count)
			tell_hole(judge, table->node, port, &holes[port]);
}

/* The table of the switch that gets it next; FABRIC_NONE: it arrives, or gets no further. */
static uint32_t find_next(const struct judge *judge, uint32_t number, uint32_t lid)
{
	const struct forwarding_table *table = &judge->forwarding->tables[number];
	const unsigned int port = forwarding_port(judge->forwarding, table, lid);
	uint32_t peer;

	if (!port || port > judge->fabric->nodes[table->node].port_count ||
	    is_of_switch(judge, table->node, lid))
		return FABRIC_NONE;
	peer = judge->fabric->ports[fabric_port_at(judge->fabric, table->node, port)].peer;
	return peer == FABRIC_NONE ? FABRIC_NONE
				   : judge->forwarding->of_node[judge->fabric->ports[peer].node];
}

/* Notes the LID at one switch of the circle, whatever way came upon it: at the first one. */
static void note_loop(const struct judge *judge, uint32_t number, uint32_t lid, struct lids *loops)
{
	uint32_t first = number;

	for (uint32_t i = find_next(judge, number, lid); i != number; i = find_next(judge, i, lid))
		if (i < first)
			first = i;
	if (!loops[first].count++)
		loops[first].first = lid;
}

static void tell_loop(const struct judge *judge, uint32_t number, const struct lids *lids)
{
	const struct forwarding_table *table = &judge->forwarding->tables[number];
	const unsigned int port = forwarding_port(judge->forwarding, table, lids->first);
	_cleanup_(freep) char *where = NULL;
	uint32_t hops = 1;

	for (uint32_t i = find_next(judge, number, lids->first); i != number;
	     i = find_next(judge, i, lids->first))
		hops++;
	where = mem_format("to port %u, and after %u hop%s %s back here", port, hops,
			   hops == 1 ? "" : "s", lids->count == 1 ? "is" : "are");
	findings_add(judge->findings, judge->view, FINDING_LFT_LOOP,
		     fabric_port_at(judge->fabric, table->node, port),
		     describe_lids(judge, lids, where));
}

/* Each switch is gone by once for a LID: who comes upon one of an earlier walk follows it. */
static void judge_loops(const struct judge *judge)
{
	const uint32_t count = (uint32_t)judge->forwarding->count;
	_cleanup_(freep) struct lids *loops = mem_alloc_zero((size_t)count + 1, sizeof(*loops));
	_cleanup_(freep) uint64_t *walks = mem_alloc_zero((size_t)count + 1, sizeof(*walks));
	uint64_t walk = 0;

	for (size_t i = 0; i < judge->owned_count; i++) {
		const uint64_t before = walk;

		for (uint32_t start = 0; start < count; start++) {
			uint32_t at = start;

			for (walk++; at != FABRIC_NONE && walks[at] <= before;
			     at = find_next(judge, at, judge->owned[i]))
				walks[at] = walk;
			if (at != FABRIC_NONE && walks[at] == walk)
				note_loop(judge, at, judge->owned[i], loops);
		}
	}
	for (uint32_t i = 0; i < count; i++)
		if (loops[i].count)
			tell_loop(judge, i, &loops[i]);
}

void findings_of_forwarding(const struct fabric_view *view, const struct forwarding *forwarding,
			    struct fabric_findings *findings)
{
	struct judge judge = {
		.view = view,
		.fabric = view->fabric,
		.forwarding = forwarding,
		.findings = findings,
		.owners = forwarding_owners(view->fabric),
	};

	for (uint32_t lid = 1; lid < FORWARDING_LIDS; lid++)
		if (judge.owners[lid] != FABRIC_NONE)
			*(uint32_t *)mem_append(&judge.owned, &judge.owned_count,
						sizeof(*judge.owned)) = lid;
	for (size_t i = 0; i < forwarding->count; i++)
		judge_holes(&judge, &forwarding->tables[i]);
	judge_loops(&judge);
	free(judge.owned);
	free(judge.owners);
}
