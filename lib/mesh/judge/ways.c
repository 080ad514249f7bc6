/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What bad pairs of many hosts share: a cable, a switch, or a border between two groups. */

#include "base/cleanup.h"
#include "base/mem.h"
#include "mesh/judge/judge_parts.h"

/* Fewer bad pairs may have something in common by chance. */
#define LEAST_SHARED 3u
/* More bad cables than this are not one fault. */
#define MOST_SHARED 256u

uint32_t switch_of(const struct judge *judge, uint32_t port)
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

/* The smaller of the two groups of an open pair; UINT32_MAX if a port is alone. */
static uint32_t smaller_group(struct judge *judge, const struct edge *edge, const uint32_t *sizes)
{
	const uint32_t a = chain_end(judge, edge_port(edge, MESH_END_A));
	const uint32_t b = chain_end(judge, edge_port(edge, MESH_END_B));

	if (!edge_is_open(edge) || a == b || sizes[a] < 2 || sizes[b] < 2)
		return UINT32_MAX;
	return sizes[a] < sizes[b] || (sizes[a] == sizes[b] && a > b) ? a : b;
}

static uint32_t blame_group(struct judge *judge, uint32_t group, uint32_t bad)
{
	const uint32_t at = common_switch(judge, group);
	const uint32_t number = at == MESH_NO_SWITCH
					? culprit_add(judge, CULPRIT_GROUP, group, bad, bad)
					: culprit_add(judge, CULPRIT_SWITCH, at, bad, bad);
	struct culprit *culprit = culprit_at(judge, number);

	culprit->rail = port_rail(group);
	culprit->group = group;
	culprit->of_group = true;
	return number;
}

/* Ports that good pairs connect form a group; pairs between two groups are all bad. */
void explain_by_groups(struct judge *judge)
{
	_cleanup_(freep) uint32_t *sizes = port_numbers(judge), *bad = port_numbers(judge);
	_cleanup_(freep) uint32_t *number = port_numbers(judge);

	for (uint32_t i = 0; i < judge->port_count; i++)
		sizes[chain_end(judge, i)] += judge->ports[i].judged > 0;
	for (size_t i = 0; i < judge->edge_count; i++) {
		const uint32_t group = smaller_group(judge, &judge->edges[i], sizes);

		if (group != UINT32_MAX)
			bad[group]++;
	}
	for (size_t i = 0; i < judge->edge_count; i++) {
		struct edge *edge = &judge->edges[i];
		const uint32_t group = smaller_group(judge, edge, sizes);

		if (group == UINT32_MAX || bad[group] < LEAST_SHARED)
			continue;
		if (!number[group])
			number[group] = blame_group(judge, group, bad[group]);
		edge->culprit = number[group];
		culprit_at(judge, number[group])->edges++;
	}
}

size_t way_cables(const struct judge *judge, uint32_t from, uint32_t to,
		  uint32_t cables[static JUDGE_MOST_WAY])
{
	const struct judge_fabric *fabric = judge->fabric;
	const int count = fabric->find_way(fabric->context, from, to, cables, JUDGE_MOST_WAY);
	size_t made = 0;

	for (int i = 0; i < count && i < (int)JUDGE_MOST_WAY; i++)
		if (cables[i] < fabric->cable_count)
			cables[made++] = cables[i];
	return made;
}

/* Fills the cables of the bad directions: of both after a failure, which does not tell which. */
static size_t bad_way(const struct judge *judge, const struct edge *edge,
		      uint32_t cables[static 2 * JUDGE_MOST_WAY])
{
	const uint32_t ports[MESH_ENDS] = {edge_port(edge, MESH_END_A),
					   edge_port(edge, MESH_END_B)};
	static const uint8_t slow[MESH_ENDS] = {EDGE_SLOW_A, EDGE_SLOW_B};
	const bool one_way = (edge->faults & (EDGE_SLOW_A | EDGE_SLOW_B)) &&
			     !(edge->faults & (EDGE_FAILED | EDGE_LATE));
	size_t made = 0;

	for (int end = 0; end < MESH_ENDS; end++)
		if (!one_way || edge->faults & slow[end])
			made += way_cables(judge, ports[end], ports[!end], cables + made);
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
			judge->cables[cables[j]].bad++;
	}
}

static bool goes_through(const struct judge *judge, const struct edge *edge, uint32_t number)
{
	uint32_t cables[2 * JUDGE_MOST_WAY], ends[2];
	const size_t count = bad_way(judge, edge, cables);

	for (size_t i = 0; i < count; i++) {
		judge->fabric->cable_ends(judge->fabric->context, cables[i], ends);
		if (ends[0] == number || ends[1] == number)
			return true;
	}
	return false;
}

/* How many ends of the pair are at the switch. */
static int ends_at(const struct judge *judge, const struct edge *edge, uint32_t at)
{
	return (switch_of(judge, edge_port(edge, MESH_END_A)) == at) +
	       (switch_of(judge, edge_port(edge, MESH_END_B)) == at);
}

bool edge_shares(const struct judge *judge, const struct edge *edge, const struct culprit *culprit)
{
	switch (culprit->shares) {
	case SHARES_CABLE:
		return has_cable(judge, edge, culprit->number);
	case SHARES_SWITCH:
		return goes_through(judge, edge, culprit->number) ||
		       ends_at(judge, edge, culprit->number) == MESH_ENDS;
	case SHARES_LEAF:
		return ends_at(judge, edge, culprit->number) > 0;
	default:
		return false;
	}
}

/*
 * All pairs of a bad rail go through its switch, and some through each cable of that. So a switch
 * or cable is to blame only if no rail has more than this part of the bad pairs.
 */
static bool is_of_many(const struct judge *judge, const struct culprit *culprit, double part)
{
	_cleanup_(freep) uint32_t *counts = NULL;
	uint32_t all = 0, most = 0;

	if (part >= 1)
		return true;
	counts = port_numbers(judge);
	for (size_t i = 0; i < judge->edge_count; i++) {
		const struct edge *edge = &judge->edges[i];

		if (!edge_is_open(edge) || edge->again || !edge_shares(judge, edge, culprit))
			continue;
		all++;
		for (int end = 0; end < MESH_ENDS; end++) {
			uint32_t count = ++counts[edge_port(edge, end)];

			if (count > most)
				most = count;
		}
	}
	return (double)most <= part * (double)all;
}

/* Blames the switch or cable for all open pairs that share it. */
static void blame_shared(struct judge *judge, const struct culprit *shared)
{
	struct culprit *culprit = &MEM_ADD(judge->culprits, judge->culprit_count);

	*culprit = *shared;
	for (size_t i = 0; i < judge->edge_count; i++)
		if (edge_is_open(&judge->edges[i]) &&
		    edge_shares(judge, &judge->edges[i], culprit)) {
			judge->edges[i].culprit = (uint32_t)judge->culprit_count;
			culprit->edges++;
		}
}

static void set_worst(struct culprit *worst, uint32_t number, const struct cable_count *count)
{
	worst->number = number;
	worst->bad = count->bad;
	worst->judged = count->all;
}

/*
 * The cable with most bad pairs, if at least two fifths of its pairs are bad: a cable that is bad
 * in one direction makes nearly half of them bad.
 */
static struct culprit worst_cable(const struct judge *judge, const bool *left_out)
{
	struct culprit worst = {
		.kind = CULPRIT_CABLE, .number = UINT32_MAX, .shares = SHARES_CABLE};

	for (uint32_t i = 0; i < judge->fabric->cable_count; i++) {
		const struct cable_count *count = &judge->cables[i];

		if (!left_out[i] && count->bad >= LEAST_SHARED &&
		    (uint64_t)count->bad * 5 >= (uint64_t)count->all * 2 &&
		    (count->bad > worst.bad ||
		     (count->bad == worst.bad && count->all < worst.judged)))
			set_worst(&worst, i, count);
	}
	return worst;
}

/* Adds up, for each switch, the bad pairs and all pairs of its cables. */
static void sum_switches(const struct judge *judge, struct cable_count *sums, uint32_t *cables)
{
	for (uint32_t i = 0; i < judge->fabric->cable_count; i++) {
		uint32_t ends[2];

		judge->fabric->cable_ends(judge->fabric->context, i, ends);
		for (int end = 0; end < 2; end++)
			if (ends[end] < judge->fabric->switch_count) {
				sums[ends[end]].all += judge->cables[i].all;
				sums[ends[end]].bad += judge->cables[i].bad;
				cables[ends[end]] += judge->cables[i].bad > 0;
			}
	}
}

/*
 * The switch with most bad pairs, if two or more of its cables have some, and at least four fifths
 * of the pairs through its cables are bad.
 */
static struct culprit worst_switch(const struct judge *judge, const bool *left_out)
{
	const size_t count = judge->fabric->switch_count;
	_cleanup_(freep) struct cable_count *sums = mem_alloc_zero(count + 1, sizeof(*sums));
	_cleanup_(freep) uint32_t *cables = mem_alloc_zero(count + 1, sizeof(*cables));
	struct culprit worst = {
		.kind = CULPRIT_SWITCH, .number = UINT32_MAX, .shares = SHARES_SWITCH};

	sum_switches(judge, sums, cables);
	for (uint32_t i = 0; i < count; i++)
		if (!left_out[i] && cables[i] >= 2 && sums[i].bad >= LEAST_SHARED &&
		    (uint64_t)sums[i].bad * 5 >= (uint64_t)sums[i].all * 4 &&
		    sums[i].bad > worst.bad)
			set_worst(&worst, i, &sums[i]);
	return worst;
}

/* If ways are unknown: the switch whose pairs with others are bad far more often. */
static struct culprit worst_leaf(struct judge *judge, const bool *left_out)
{
	const uint32_t count = judge->fabric->switch_count;
	struct culprit worst = {
		.kind = CULPRIT_SWITCH, .number = UINT32_MAX, .shares = SHARES_LEAF};
	uint64_t all = 0, bad = 0;

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
		/*
		 * Expected if its pairs were as good as those of other switches; each of its bad
		 * pairs also counts at another switch.
		 */
		const uint64_t others = bad - 2 * (uint64_t)leaf->bad;
		const double usual = all > leaf->all ? (double)others * (double)leaf->all /
							       (double)(all - leaf->all)
						     : 0;

		if (!left_out[i] && (double)leaf->bad >= 4 + 4 * usual && leaf->bad > worst.bad)
			set_worst(&worst, i, leaf);
	}
	return worst;
}

/* Where bad pairs share a cable or switch: on their ways, or at the switch of a port. */
enum where { ON_WAYS, AT_LEAVES };

static struct culprit worst_shared(struct judge *judge, enum where where, const bool *switches,
				   const bool *cables)
{
	struct culprit worst;

	if (where == AT_LEAVES)
		return worst_leaf(judge, switches);
	count_bad_ways(judge);
	worst = worst_switch(judge, switches);
	return worst.number == UINT32_MAX ? worst_cable(judge, cables) : worst;
}

/* Blames each switch or cable that explains most, or rules it out, until none is left. */
static void explain_by_shared(struct judge *judge, enum where where, double part)
{
	_cleanup_(freep) bool *switches = mem_alloc_zero(judge->fabric->switch_count,
							 sizeof(*switches));
	_cleanup_(freep) bool *cables = mem_alloc_zero(judge->fabric->cable_count, sizeof(*cables));

	for (unsigned int i = 0; i < MOST_SHARED; i++) {
		const struct culprit worst = worst_shared(judge, where, switches, cables);

		if (worst.number == UINT32_MAX)
			return;
		if (is_of_many(judge, &worst, part))
			blame_shared(judge, &worst);
		else if (worst.kind == CULPRIT_SWITCH)
			switches[worst.number] = true;
		else
			cables[worst.number] = true;
	}
}

void explain_by_ways(struct judge *judge, bool first)
{
	if (judge->cables)
		explain_by_shared(judge, ON_WAYS, first ? 1.0 / 2 : 1);
	if (judge->leaves && (!judge->cables || !first))
		explain_by_shared(judge, AT_LEAVES, first ? 1.0 / 3 : 1);
}
