/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Culprits that are a part of another: rails of a switch, a cable or a host; cables of a switch;
 * and pairs that no host, switch or cable explains.
 */
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "mesh/judge/judge_parts.h"

/*
 * A bad cable that most pairs of a rail go through makes the rail look bad. Its pairs that do not
 * go through the cable show the difference.
 */
void merge_rails_of_ways(struct judge *judge)
{
	_cleanup_(freep) bool *others = mem_alloc_zero(judge->culprit_count, sizeof(*others));

	for (size_t i = 0; i < judge->culprit_count; i++) {
		if (!judge->culprits[i].shares)
			continue;
		memset(others, 0, judge->culprit_count * sizeof(*others));
		for (size_t j = 0; j < judge->edge_count; j++) {
			const struct edge *edge = &judge->edges[j];

			if (edge->faults && edge->culprit &&
			    culprit_at(judge, edge->culprit)->kind == CULPRIT_PORT)
				others[edge->culprit - 1] |= !edge_shares(judge, edge,
									  &judge->culprits[i]);
		}
		for (size_t j = 0; j < judge->culprit_count; j++) {
			struct culprit *rail = &judge->culprits[j];

			if (others[j] || !rail->edges || rail->kind != CULPRIT_PORT ||
			    rail->merged || rail->by_mean ||
			    judge->ports[rail->number].judged <= judge->ports[rail->number].bad)
				continue;
			rail->merged = (uint32_t)i + 1;
			judge->culprits[i].edges += rail->edges;
			judge->culprits[i].bad += rail->edges;
		}
	}
}

struct switch_count {
	uint32_t ports, bad_ports, cables, bad_cables;
	uint32_t first_host; /* of the bad ports; + 1 */
	bool several_hosts;
	uint32_t number; /* of the culprit */
};

/* The switch of a port, or those of a cable. */
static void switches_of(const struct judge *judge, const struct culprit *culprit, uint32_t ends[2])
{
	ends[0] = ends[1] = MESH_NO_SWITCH;
	if (culprit->kind == CULPRIT_PORT)
		ends[0] = switch_of(judge, culprit->number);
	else if (culprit->kind == CULPRIT_CABLE)
		judge->fabric->cable_ends(judge->fabric->context, culprit->number, ends);
}

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
		uint32_t ends[2];

		switches_of(judge, culprit, ends);
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

void merge_switches(struct judge *judge)
{
	_cleanup_(freep) struct switch_count *counts = NULL;
	const size_t before = judge->culprit_count;

	if (!judge->leaves)
		return;
	counts = mem_alloc_zero(judge->fabric->switch_count, sizeof(*counts));
	count_switches(judge, counts);
	for (uint32_t i = 0; i < judge->fabric->switch_count; i++) {
		struct switch_count *count = &counts[i];

		if ((count->several_hosts && count->bad_ports * 5 >= count->ports * 4) ||
		    (count->bad_cables >= 2 && count->bad_cables * 3 >= count->cables * 2))
			count->number = culprit_add(
				judge, CULPRIT_SWITCH, i, count->bad_ports ?: count->bad_cables,
				count->bad_ports ? count->ports : count->cables);
	}
	for (size_t i = 0; i < before; i++) {
		struct culprit *culprit = &judge->culprits[i];
		uint32_t ends[2];

		switches_of(judge, culprit, ends);
		for (int end = 0; end < 2 && !culprit->merged; end++)
			if (ends[end] < judge->fabric->switch_count)
				culprit->merged = counts[ends[end]].number;
		if (culprit->merged)
			culprit_at(judge, culprit->merged)->edges += culprit->edges;
	}
}

/* Two or more bad rails of a host, if half of its tested rails, are merged into the host. */
void merge_hosts(struct judge *judge)
{
	_cleanup_(freep) uint32_t *bad = mem_alloc_zero(judge->host_count, sizeof(*bad));
	_cleanup_(freep) uint32_t *number = mem_alloc_zero(judge->host_count, sizeof(*number));
	const size_t count = judge->culprit_count;

	for (size_t i = 0; i < count; i++)
		if (judge->culprits[i].kind == CULPRIT_PORT && !judge->culprits[i].merged)
			bad[port_host(judge->culprits[i].number)]++;
	for (uint32_t i = 0; i < judge->host_count; i++) {
		uint32_t tested = 0;

		if (bad[i] < 2)
			continue;
		for (uint16_t rail = 0; rail < MESH_MOST_RAILS; rail++)
			tested += judge->ports[port_number(i, rail)].results > 0;
		if (bad[i] * 2 < tested)
			continue;
		number[i] = culprit_add(judge, CULPRIT_HOST, i, bad[i], tested);
	}
	for (size_t i = 0; i < count; i++) {
		struct culprit *culprit = &judge->culprits[i];
		uint32_t host = culprit->kind == CULPRIT_PORT ? port_host(culprit->number) : 0;

		if (culprit->kind != CULPRIT_PORT || culprit->merged || !number[host])
			continue;
		culprit->merged = number[host];
		culprit_at(judge, number[host])->edges += culprit->edges;
	}
}

static bool is_pair_of(const struct judge *judge, const struct culprit *culprit, uint16_t rail)
{
	return culprit->kind == CULPRIT_PAIR && !culprit->merged &&
	       (rail == ALL_RAILS || judge->edges[culprit->number].pair.rail_a == rail);
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
		*ret_bad += repeated_is_bad(judge, edge);
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
		rail->open += open[i];
		if (open[i] > rail->most) {
			rail->second = rail->most;
			rail->most = open[i];
		} else if (open[i] > rail->second) {
			rail->second = open[i];
		}
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
		for (size_t i = 0; i + 1 < number; i++) {
			struct culprit *culprit = &judge->culprits[i];
			/* A weakly bad rail is taken to have the same cause as so many pairs. */
			const bool is_weak_port = culprit->kind == CULPRIT_PORT &&
						  !culprit->merged && culprit->is_weak &&
						  port_rail(culprit->number) == rail;

			if (is_weak_port || is_pair_of(judge, culprit, rail)) {
				culprit->merged = number;
				culprit_at(judge, number)->edges += culprit->edges;
			}
		}
		culprit_at(judge, number)->bad = culprit_at(judge, number)->edges;
	}
}
