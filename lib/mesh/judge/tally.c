/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mesh/judge/judge_parts.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"

static void add_slow(struct tally *tally, const struct edge *edge, bool from_b)
{
	static const uint8_t slow[MESH_ENDS] = {EDGE_SLOW_A, EDGE_SLOW_B};

	for (int end = 0; end < MESH_ENDS; end++) {
		if (!(edge->faults & slow[end]))
			continue;
		tally->share_sum += (double)edge->share[end];
		tally->shares++;
		if ((end == MESH_END_B) == from_b)
			tally->sends++;
		else
			tally->receives++;
	}
}

static void add_both(struct tally *tally, const struct edge *edge, bool from_b)
{
	if (!(edge->faults & EDGE_BOTH))
		return;
	tally->both++;
	tally->both_median = (double)edge->both_median;
	tally->both_share_sum += (double)edge->both_share;
	tally->both_sent_sum += (double)edge->both_part[from_b];
	tally->both_received_sum += (double)edge->both_part[!from_b];
	if (edge->both_ratio < 0)
		return;
	tally->both_ratio_sum += (double)edge->both_ratio;
	tally->both_ratios++;
}

static void add_edge(const struct judge *judge, struct tally *tally, const struct edge *edge,
		     uint32_t port)
{
	const bool from_b = port == edge_port(edge, MESH_END_B) &&
			    port != edge_port(edge, MESH_END_A);
	const struct port *partner = &judge->ports[edge_port(edge, !from_b)];

	tally->pairs++;
	tally->late += (edge->faults & EDGE_LATE) != 0;
	if (edge->faults & EDGE_LATE)
		tally->lateness_sum += (double)edge->lateness;
	tally->slow += (edge->faults & (EDGE_SLOW_A | EDGE_SLOW_B)) != 0;
	if (edge->median > 0)
		tally->median = (double)edge->median;
	tally->split |= edge->split;
	tally->failed += (edge->faults & EDGE_FAILED) != 0;
	add_slow(tally, edge, from_b);
	add_both(tally, edge, from_b);
	/* What the partner has with others, in good pairs. */
	if (port != UINT32_MAX && partner->good_figures) {
		tally->partner_share_sum += partner->good_share_sum / (double)partner->good_figures;
		tally->partners++;
	}
}

/* What the pair that was tried again was like in the first pass; NULL if it was not bad. */
static const struct edge *first_of(const struct judge *judge, const struct mesh_pair *pair)
{
	for (size_t i = 0; i < judge->edge_count; i++)
		if (!judge->edges[i].again && judge->edges[i].faults &&
		    pair_is_same(&judge->edges[i].pair, pair))
			return &judge->edges[i];
	return NULL;
}

/* The culprit of that; index + 1, or 0. */
static uint32_t culprit_of_first(const struct judge *judge, const struct mesh_pair *pair)
{
	const struct edge *first = first_of(judge, pair);

	return first ? first->culprit : 0;
}

/* A suspect is also bad again if its directions together are below the user's limit. */
static bool is_bad_again(const struct judge *judge, const struct edge *edge)
{
	double sum = 0;
	int count = 0;

	for (int end = 0; end < MESH_ENDS; end++)
		if (edge->share[end] >= 0) {
			sum += (double)edge->share[end];
			count++;
		}
	return edge->faults || (count && sum < judge->limits.bandwidth_share * count);
}

static void add_again(struct tally *tallies, const struct judge *judge, uint32_t culprit,
		      bool is_bad)
{
	for (; culprit; culprit = culprit_at(judge, culprit)->merged) {
		tallies[culprit - 1].again++;
		tallies[culprit - 1].again_bad += is_bad;
	}
}

/*
 * A pair that failed at first is not suspected to be slow: one that the scatter of good pairs puts
 * below the user's limit now is not bad again.
 */
bool repeated_is_bad(const struct judge *judge, const struct edge *edge)
{
	const struct edge *first = first_of(judge, &edge->pair);

	return first && first->faults & EDGE_FAILED ? edge->faults != 0 : is_bad_again(judge, edge);
}

/*
 * If a plan only loads many ports at once, there are no results to compare those of the second pass
 * with: their rows wait.
 */
static void add_unjudged(struct tally *tallies, const struct judge *judge,
			 const uint32_t *culprit_of)
{
	for (size_t i = 0; i < judge->row_count; i++) {
		const struct row *row = &judge->rows[i];
		uint32_t culprit = 0;

		if (row->again)
			culprit = row->repeated
					  ? culprit_of_first(judge, &row->pair)
					  : culprit_of[port_number(row->pair.a, row->pair.rail_a)];
		for (; culprit; culprit = culprit_at(judge, culprit)->merged)
			tallies[culprit - 1].again_unjudged++;
	}
}

/* Whether the port is blamed for failures alone: then it is not suspected to be slow, either. */
static bool only_failed(const struct judge *judge, const struct tally *tallies, uint32_t number)
{
	const struct culprit *culprit = culprit_at(judge, number);
	const struct tally *tally = &tallies[number - 1];

	return culprit->kind == CULPRIT_PORT && !culprit->by_mean &&
	       !judge->ports[culprit->number].alone_bad && tally->pairs &&
	       tally->failed == tally->pairs;
}

/* Pairs of the second pass that are not those of the first. */
static void add_others(struct tally *tallies, const struct judge *judge, const struct edge *edge,
		       const uint32_t *culprit_of)
{
	for (int end = 0; end < MESH_ENDS; end++) {
		const uint32_t culprit = culprit_of[edge_port(edge, end)];

		if (culprit)
			add_again(tallies, judge, culprit,
				  only_failed(judge, tallies, culprit) ? edge->faults != 0
								       : is_bad_again(judge, edge));
	}
}

static int compare_reasons(const void *left, const void *right)
{
	return COMPARE(*(const uint64_t *)left, *(const uint64_t *)right);
}

/* Finds the most frequent reason of each culprit in `reasons`: its index + 1, and the reason. */
static void find_usual_reasons(struct tally *tallies, uint64_t *reasons, size_t count)
{
	size_t first = 0;

	if (count)
		qsort(reasons, count, sizeof(*reasons), compare_reasons);
	for (size_t i = 0; i < count; i++) {
		struct tally *tally = &tallies[(reasons[i] >> 16) - 1];

		if (reasons[i] != reasons[first])
			first = i;
		if (i - first < tally->failed_alike)
			continue;
		tally->failed_alike = (uint32_t)(i - first + 1);
		tally->reason = (uint16_t)reasons[i];
	}
}

struct tally *tallies_of(const struct judge *judge)
{
	struct tally *tallies = mem_alloc_zero(judge->culprit_count, sizeof(*tallies));
	_cleanup_(freep) uint64_t *reasons = NULL;
	size_t reason_count = 0;
	_cleanup_(freep) uint32_t *culprit_of = port_numbers(judge);

	for (size_t i = 0; i < judge->culprit_count; i++) {
		const struct culprit *culprit = &judge->culprits[i];

		if (culprit->kind == CULPRIT_PORT || culprit->kind == CULPRIT_GROWTH)
			culprit_of[culprit->number] = (uint32_t)i + 1;
	}
	for (uint32_t i = 0; i < judge->edge_count; i++) {
		const struct edge *edge = &judge->edges[i];
		const struct culprit *culprit = edge->culprit ? culprit_at(judge, edge->culprit)
							      : NULL;
		uint32_t port = culprit && culprit->kind == CULPRIT_PORT ? culprit->number
									 : UINT32_MAX;

		/* A pair that is blamed for its second pass has no other figures. */
		if (culprit && (!edge->again || culprit->kind == CULPRIT_PAIR) &&
		    !edge_is_loopback(edge))
			for (uint32_t j = edge->culprit; j; j = culprit_at(judge, j)->merged) {
				add_edge(judge, &tallies[j - 1], edge, port);
				if (edge->faults & EDGE_FAILED)
					MEM_ADD(reasons, reason_count) = (uint64_t)j << 16 |
									 edge->reason;
			}
	}
	find_usual_reasons(tallies, reasons, reason_count);
	for (size_t i = 0; i < judge->edge_count; i++) {
		const struct edge *edge = &judge->edges[i];

		if (edge->again && edge->repeated)
			add_again(tallies, judge, culprit_of_first(judge, &edge->pair),
				  repeated_is_bad(judge, edge));
		else if (edge->again)
			add_others(tallies, judge, edge, culprit_of);
	}
	add_unjudged(tallies, judge, culprit_of);
	return tallies;
}
