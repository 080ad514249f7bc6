/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Pairs that no host, switch or cable explains. */
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

/* The rails on which every pair failed, as bits, unless all these pairs have one end in common. */
static uint16_t failed_rails(const struct judge *judge)
{
	uint32_t judged[MESH_MOST_RAILS] = {0}, failed[MESH_MOST_RAILS] = {0};
	uint32_t most[MESH_MOST_RAILS] = {0};
	uint16_t rails = 0;

	for (uint32_t i = 0; i < judge->port_count; i++) {
		const struct port *port = &judge->ports[i];
		const uint16_t rail = port_rail(i);

		judged[rail] += port->judged;
		failed[rail] += port->failed;
		if (port->failed > most[rail])
			most[rail] = port->failed;
	}
	/* A good pair may wait for others to be compared with. */
	for (size_t i = 0; i < judge->row_count; i++)
		judged[judge->rows[i].pair.rail_a] += judge->rows[i].kind != CLASS_LOOPBACK;
	for (uint16_t rail = 0; rail < MESH_MOST_RAILS; rail++)
		if (failed[rail] == judged[rail] && 2 * most[rail] < failed[rail])
			rails |= (uint16_t)(1u << rail);
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
			numbers[rail] = culprit_add(judge, CULPRIT_SCATTER, rail);
		edge->culprit = numbers[rail];
		culprit = &judge->culprits[numbers[rail] - 1];
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
		number = culprit_add(judge, CULPRIT_SCATTER, rail);

		for (size_t i = 0; i + 1 < number; i++)
			if (is_pair_of(judge, &judge->culprits[i], rail) ||
			    is_weak_port(&judge->culprits[i], rail)) {
				judge->culprits[i].merged = number;
				judge->culprits[number - 1].edges += judge->culprits[i].edges;
			}
		judge->culprits[number - 1].bad = judge->culprits[number - 1].edges;
	}
}
