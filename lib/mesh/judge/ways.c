/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What bad pairs of many hosts share: a cable, a switch, or that they are of two groups. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "mesh/judge/judge_parts.h"

/* Fewer bad pairs have something in common by chance. */
#define LEAST_SHARED 3u
/* More bad cables than this are not one fault. */
#define MOST_CABLES 256u

static bool any_open(const struct judge *judge)
{
	for (size_t i = 0; i < judge->edge_count; i++)
		if (edge_is_open(&judge->edges[i]))
			return true;
	return false;
}

static uint32_t switch_of(const struct judge *judge, uint32_t port)
{
	uint32_t number = judge->fabric && judge->fabric->switches ? judge->fabric->switches[port]
								   : MESH_NO_SWITCH;

	return number != MESH_NO_SWITCH && number < judge->fabric->switch_count ? number
										: MESH_NO_SWITCH;
}

/* The switch of all ports of the group, or MESH_NO_SWITCH. */
static uint32_t common_switch(struct judge *judge, uint32_t group)
{
	uint32_t common = MESH_NO_SWITCH;

	for (uint32_t i = 0; i < judge->port_count; i++) {
		uint32_t number;

		if (!judge->ports[i].judged || chain_end(judge, i) != group)
			continue;
		number = switch_of(judge, i);
		if (number == MESH_NO_SWITCH || (common != MESH_NO_SWITCH && number != common))
			return MESH_NO_SWITCH;
		common = number;
	}
	return common;
}

/* Of the two groups of a bad pair, the one to name: the smaller; or none if a port is alone. */
static uint32_t smaller_group(struct judge *judge, const struct edge *edge, const uint32_t *sizes)
{
	const uint32_t a = chain_end(judge, edge_port(edge, MESH_END_A));
	const uint32_t b = chain_end(judge, edge_port(edge, MESH_END_B));

	if (a == b || sizes[a] < 2 || sizes[b] < 2)
		return UINT32_MAX;
	return sizes[a] < sizes[b] || (sizes[a] == sizes[b] && a > b) ? a : b;
}

/* Ports that good pairs connect are one group; pairs of two groups are all bad. */
void explain_by_groups(struct judge *judge)
{
	_cleanup_(freep) uint32_t *sizes = NULL, *bad = NULL, *number = NULL;

	if (!any_open(judge))
		return;
	sizes = mem_alloc_zero((size_t)judge->port_count + 1, sizeof(*sizes));
	bad = mem_alloc_zero((size_t)judge->port_count + 1, sizeof(*bad));
	number = mem_alloc_zero((size_t)judge->port_count + 1, sizeof(*number));
	for (uint32_t i = 0; i < judge->port_count; i++)
		sizes[chain_end(judge, i)] += judge->ports[i].judged > 0;
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < judge->edge_count; i++) {
			struct edge *edge = &judge->edges[i];
			uint32_t group = edge_is_open(edge) ? smaller_group(judge, edge, sizes)
							    : UINT32_MAX;

			if (group == UINT32_MAX)
				continue;
			if (!pass) {
				bad[group]++;
				continue;
			}
			if (bad[group] < LEAST_SHARED)
				continue;
			if (!number[group]) {
				uint32_t at = common_switch(judge, group);

				number[group] = culprit_add(judge,
							    at == MESH_NO_SWITCH ? CULPRIT_GROUP
										 : CULPRIT_SWITCH,
							    at == MESH_NO_SWITCH ? group : at);
				judge->culprits[number[group] - 1].rail = port_rail(group);
				judge->culprits[number[group] - 1].group = group;
				judge->culprits[number[group] - 1].of_group = true;
				judge->culprits[number[group] - 1].bad = bad[group];
				judge->culprits[number[group] - 1].judged = bad[group];
			}
			edge->culprit = number[group];
			judge->culprits[number[group] - 1].edges++;
		}
}

/* The cables of the directions that are bad; a failure says nothing about the direction. */
static size_t bad_way(const struct judge *judge, const struct edge *edge,
		      uint32_t cables[static 2 * JUDGE_MOST_WAY])
{
	const uint32_t ports[MESH_ENDS] = {edge_port(edge, MESH_END_A),
					   edge_port(edge, MESH_END_B)};
	static const uint8_t slow[MESH_ENDS] = {EDGE_SLOW_A, EDGE_SLOW_B};
	const bool one_way = (edge->faults & (EDGE_SLOW_A | EDGE_SLOW_B)) &&
			     !(edge->faults & (EDGE_FAILED | EDGE_LATE));
	size_t made = 0;

	for (int end = 0; end < MESH_ENDS; end++) {
		int count;

		if (one_way && !(edge->faults & slow[end]))
			continue;
		count = judge->fabric->find_way(judge->fabric->context, ports[end], ports[!end],
						cables + made, JUDGE_MOST_WAY);
		if (count > 0)
			made += (size_t)count < JUDGE_MOST_WAY ? (size_t)count : JUDGE_MOST_WAY;
	}
	return made;
}

static bool has_cable(const struct judge *judge, const struct edge *edge, uint32_t cable)
{
	uint32_t cables[2 * JUDGE_MOST_WAY];
	const size_t count = bad_way(judge, edge, cables);

	for (size_t i = 0; i < count; i++)
		if (cables[i] == cable)
			return true;
	return false;
}

static void count_bad_ways(struct judge *judge)
{
	uint32_t cables[2 * JUDGE_MOST_WAY];

	for (uint32_t i = 0; i < judge->fabric->cable_count; i++)
		judge->cables[i].bad = 0;
	for (size_t i = 0; i < judge->edge_count; i++) {
		size_t count;

		if (!edge_is_open(&judge->edges[i]))
			continue;
		count = bad_way(judge, &judge->edges[i], cables);
		for (size_t j = 0; j < count; j++)
			if (cables[j] < judge->fabric->cable_count)
				judge->cables[cables[j]].bad++;
	}
}

/* The cable of most bad pairs that is bad more often than not, or nearly so in one direction. */
static uint32_t worst_cable(const struct judge *judge)
{
	uint32_t worst = UINT32_MAX;

	for (uint32_t i = 0; i < judge->fabric->cable_count; i++) {
		const struct cable_count *count = &judge->cables[i];

		if (count->bad < LEAST_SHARED ||
		    (uint64_t)count->bad * 5 < (uint64_t)count->all * 2)
			continue;
		if (worst == UINT32_MAX || count->bad > judge->cables[worst].bad ||
		    (count->bad == judge->cables[worst].bad &&
		     count->all < judge->cables[worst].all))
			worst = i;
	}
	return worst;
}

static void explain_by_cables(struct judge *judge)
{
	for (unsigned int i = 0; i < MOST_CABLES; i++) {
		uint32_t cable, number;

		count_bad_ways(judge);
		cable = worst_cable(judge);
		if (cable == UINT32_MAX)
			return;
		number = culprit_add(judge, CULPRIT_CABLE, cable);
		judge->culprits[number - 1].bad = judge->cables[cable].bad;
		judge->culprits[number - 1].judged = judge->cables[cable].all;
		for (size_t j = 0; j < judge->edge_count; j++)
			if (edge_is_open(&judge->edges[j]) &&
			    has_cable(judge, &judge->edges[j], cable)) {
				judge->edges[j].culprit = number;
				judge->culprits[number - 1].edges++;
			}
	}
}

/* Whether the pair leaves the switch or comes to it. */
static bool crosses(const struct judge *judge, const struct edge *edge, uint32_t at)
{
	const uint32_t from = switch_of(judge, edge_port(edge, MESH_END_A));
	const uint32_t to = switch_of(judge, edge_port(edge, MESH_END_B));

	return from != to && (from == at || to == at);
}

static uint32_t worst_leaf(struct judge *judge)
{
	const uint32_t count = judge->fabric->switch_count;
	uint64_t all = 0, bad = 0;
	uint32_t worst = UINT32_MAX;

	for (uint32_t i = 0; i < count; i++)
		judge->leaves[i].bad = 0;
	for (size_t i = 0; i < judge->edge_count; i++) {
		const uint32_t from = switch_of(judge, edge_port(&judge->edges[i], MESH_END_A));
		const uint32_t to = switch_of(judge, edge_port(&judge->edges[i], MESH_END_B));

		if (!edge_is_open(&judge->edges[i]) || from == to || from == MESH_NO_SWITCH ||
		    to == MESH_NO_SWITCH)
			continue;
		judge->leaves[from].bad++;
		judge->leaves[to].bad++;
		bad += 2;
	}
	for (uint32_t i = 0; i < count; i++)
		all += judge->leaves[i].all;
	for (uint32_t i = 0; i < count; i++) {
		const struct cable_count *leaf = &judge->leaves[i];
		/* What it would have if its pairs were as good as those of other switches; each
		 * bad pair of its own is counted at another switch, too. */
		const uint64_t others = bad - 2 * (uint64_t)leaf->bad;
		const double usual = all > leaf->all ? (double)others * (double)leaf->all /
							       (double)(all - leaf->all)
						     : 0;

		if ((double)leaf->bad >= 4 + 4 * usual &&
		    (worst == UINT32_MAX || leaf->bad > judge->leaves[worst].bad))
			worst = i;
	}
	return worst;
}

/* Where the ways are not known: a switch whose pairs with others are bad far more often. */
static void explain_by_leaves(struct judge *judge)
{
	for (unsigned int i = 0; i < MOST_CABLES; i++) {
		const uint32_t leaf = worst_leaf(judge);
		uint32_t number;

		if (leaf == UINT32_MAX)
			return;
		number = culprit_add(judge, CULPRIT_SWITCH, leaf);
		judge->culprits[number - 1].bad = judge->leaves[leaf].bad;
		judge->culprits[number - 1].judged = judge->leaves[leaf].all;
		for (size_t j = 0; j < judge->edge_count; j++)
			if (edge_is_open(&judge->edges[j]) &&
			    crosses(judge, &judge->edges[j], leaf)) {
				judge->edges[j].culprit = number;
				judge->culprits[number - 1].edges++;
			}
	}
}

void explain_by_ways(struct judge *judge)
{
	if (!any_open(judge))
		return;
	if (judge->cables)
		explain_by_cables(judge);
	if (judge->leaves)
		explain_by_leaves(judge);
}

struct switch_count {
	uint32_t ports, bad_ports, cables, bad_cables;
	uint32_t first_host; /* of the bad ports; + 1 */
	bool several_hosts;
	uint32_t number; /* of the culprit */
};

static void count_switches(struct judge *judge, struct switch_count *counts)
{
	const struct judge_fabric *fabric = judge->fabric;

	for (uint32_t i = 0; i < judge->port_count; i++)
		if (judge->ports[i].results && switch_of(judge, i) != MESH_NO_SWITCH)
			counts[switch_of(judge, i)].ports++;
	for (uint32_t i = 0; judge->cables && i < fabric->cable_count; i++) {
		uint32_t ends[2];

		fabric->cable_ends(fabric->context, i, ends);
		for (int end = 0; end < 2; end++)
			if (ends[end] < fabric->switch_count)
				counts[ends[end]].cables += judge->cables[i].all > 0;
	}
	for (size_t i = 0; i < judge->culprit_count; i++) {
		const struct culprit *culprit = &judge->culprits[i];
		uint32_t ends[2] = {MESH_NO_SWITCH, MESH_NO_SWITCH};

		if (culprit->kind == CULPRIT_PORT)
			ends[0] = switch_of(judge, culprit->number);
		else if (culprit->kind == CULPRIT_CABLE)
			fabric->cable_ends(fabric->context, culprit->number, ends);
		for (int end = 0; end < 2; end++) {
			struct switch_count *count = &counts[ends[end]];

			if (ends[end] >= fabric->switch_count)
				continue;
			count->bad_cables += culprit->kind == CULPRIT_CABLE;
			if (culprit->kind != CULPRIT_PORT)
				continue;
			count->bad_ports++;
			if (!count->first_host)
				count->first_host = port_host(culprit->number) + 1;
			count->several_hosts |= count->first_host != port_host(culprit->number) + 1;
		}
	}
}

static bool is_bad_switch(const struct switch_count *count)
{
	return (count->several_hosts && count->bad_ports * 5 >= count->ports * 4) ||
	       (count->bad_cables >= 2 && count->bad_cables * 3 >= count->cables * 2);
}

void merge_switches(struct judge *judge)
{
	_cleanup_(freep) struct switch_count *counts = NULL;
	const size_t before = judge->culprit_count;

	if (!judge->leaves)
		return;
	counts = mem_alloc_zero((size_t)judge->fabric->switch_count + 1, sizeof(*counts));
	count_switches(judge, counts);
	for (uint32_t i = 0; i < judge->fabric->switch_count; i++) {
		struct culprit *culprit;

		if (!is_bad_switch(&counts[i]))
			continue;
		counts[i].number = culprit_add(judge, CULPRIT_SWITCH, i);
		culprit = &judge->culprits[counts[i].number - 1];
		culprit->bad = counts[i].bad_ports ? counts[i].bad_ports : counts[i].bad_cables;
		culprit->judged = counts[i].bad_ports ? counts[i].ports : counts[i].cables;
	}
	for (size_t i = 0; i < before; i++) {
		struct culprit *culprit = &judge->culprits[i];
		uint32_t ends[2] = {MESH_NO_SWITCH, MESH_NO_SWITCH};

		if (culprit->kind == CULPRIT_PORT)
			ends[0] = switch_of(judge, culprit->number);
		else if (culprit->kind == CULPRIT_CABLE)
			judge->fabric->cable_ends(judge->fabric->context, culprit->number, ends);
		for (int end = 0; end < 2 && !culprit->merged; end++)
			if (ends[end] < judge->fabric->switch_count)
				culprit->merged = counts[ends[end]].number;
		if (culprit->merged)
			judge->culprits[culprit->merged - 1].edges += culprit->edges;
	}
}
