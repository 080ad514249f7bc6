/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Pairs that no host, switch or cable explains. */
#include "base/cleanup.h"
#include "base/mem.h"
#include "mesh/judge/judge_parts.h"

static bool is_pair_of(const struct judge *judge, const struct culprit *culprit, uint16_t rail)
{
	return culprit->kind == CULPRIT_PAIR && !culprit->merged &&
	       (rail == ALL_RAILS || judge->edges[culprit->number].pair.rail_a == rail);
}

/* Among many pairs without a culprit, a weakly bad rail is taken to have the same cause. */
static bool is_weak_port(const struct culprit *culprit, uint16_t rail)
{
	return culprit->kind == CULPRIT_PORT && !culprit->merged && culprit->is_weak &&
	       port_rail(culprit->number) == rail;
}

void count_pairs_again(const struct judge *judge, uint16_t rail, uint32_t *ret_again,
		       uint32_t *ret_bad)
{
	*ret_again = *ret_bad = 0;
	for (size_t i = 0; i < judge->edge_count; i++) {
		const struct edge *edge = &judge->edges[i];

		if (!edge->repeated || (rail != ALL_RAILS && edge->pair.rail_a != rail))
			continue;
		++*ret_again;
		*ret_bad += edge->faults != 0;
	}
}

/* The partners of all ports of a rail, and of these the bad ones that nothing explains yet. */
struct failures {
	uint32_t judged, failed, open;
	uint32_t most, second; /* open ones of the port that has most, and of the next one */
};

/*
 * Whether every pair failed, and no port stands out: all pairs have it in common, or it has more
 * than twice as many as any other.
 */
static bool is_even(const struct failures *rail)
{
	return rail->failed == rail->judged && 2 * rail->most < rail->open &&
	       rail->most <= 2 * rail->second;
}

static void add_open(struct failures *rail, uint32_t open)
{
	rail->open += open;
	if (open > rail->most) {
		rail->second = rail->most;
		rail->most = open;
	} else if (open > rail->second) {
		rail->second = open;
	}
}

/* The rails on which every pair failed, as bits, unless something tells their hosts apart. */
static uint16_t failed_rails(const struct judge *judge)
{
	_cleanup_(freep) uint32_t *open = port_numbers(judge);
	struct failures failures[MESH_MOST_RAILS] = {{0}};
	uint16_t rails = 0;

	for (size_t i = 0; i < judge->edge_count; i++)
		for (int end = 0; end < MESH_ENDS && edge_is_open(&judge->edges[i]); end++)
			if (edge_counts_for(&judge->edges[i], end))
				open[edge_port(&judge->edges[i], end)]++;
	for (uint32_t i = 0; i < judge->port_count; i++) {
		struct failures *rail = &failures[port_rail(i)];

		rail->judged += judge->ports[i].judged;
		rail->failed += judge->ports[i].failed;
		add_open(rail, open[i]);
	}
	/* A good pair may wait for others to be compared with; the second pass tells none apart. */
	for (size_t i = 0; i < judge->row_count; i++)
		if (judge->rows[i].kind != CLASS_LOOPBACK && !judge->rows[i].again)
			failures[judge->rows[i].pair.rail_a].judged++;
	for (uint16_t rail = 0; rail < MESH_MOST_RAILS; rail++)
		if (is_even(&failures[rail]))
			rails |= (uint16_t)(1u << rail);
	/* Pairs of different rails connect hosts in another way. */
	for (size_t i = 0; i < judge->edge_count; i++) {
		const struct mesh_pair *pair = &judge->edges[i].pair;

		if (pair->rail_a != pair->rail_b)
			rails &= (uint16_t) ~(1u << pair->rail_a | 1u << pair->rail_b);
	}
	return rails;
}

void explain_by_nothing(struct judge *judge)
{
	const uint16_t rails = failed_rails(judge);
	uint32_t numbers[MESH_MOST_RAILS] = {0};

	for (size_t i = 0; i < judge->edge_count && rails; i++) {
		struct edge *edge = &judge->edges[i];
		const uint16_t rail = edge->pair.rail_a;
		struct culprit *culprit;

		if (!(rails >> rail & 1) || !edge_is_open(edge))
			continue;
		if (!numbers[rail])
			numbers[rail] = culprit_add(judge, CULPRIT_SCATTER, rail, 0, 0);
		edge->culprit = numbers[rail];
		culprit = culprit_at(judge, numbers[rail]);
		culprit->bad = culprit->judged = ++culprit->edges;
	}
}

void merge_pairs(struct judge *judge)
{
	for (uint16_t rail = 0; rail < MESH_MOST_RAILS; rail++) {
		uint32_t pairs = 0, again, bad, number;

		for (size_t i = 0; i < judge->culprit_count; i++)
			pairs += is_pair_of(judge, &judge->culprits[i], rail);
		count_pairs_again(judge, rail, &again, &bad);
		/* A rail that the second pass did not reach is taken to be like the others. */
		if (!again)
			count_pairs_again(judge, ALL_RAILS, &again, &bad);
		if (pairs < LEAST_SCATTER || bad * 2 < again)
			continue;
		number = culprit_add(judge, CULPRIT_SCATTER, rail, 0, 0);
		for (size_t i = 0; i + 1 < number; i++)
			if (is_pair_of(judge, &judge->culprits[i], rail) ||
			    is_weak_port(&judge->culprits[i], rail)) {
				judge->culprits[i].merged = number;
				culprit_at(judge, number)->edges += judge->culprits[i].edges;
			}
		culprit_at(judge, number)->bad = culprit_at(judge, number)->edges;
	}
}
