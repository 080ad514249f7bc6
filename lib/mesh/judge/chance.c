/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Whether pairs that are bad now and then explain that all of those of a rail, a cable or a switch
 * are bad. If each pair is bad with the same probability, whatever its ends, the number of bad ones
 * among n follows a binomial distribution; and among many rails, one is bound to be unlucky.
 */
#include "mesh/judge/judge_parts.h"

/*
 * Chance may blame one of all candidates in so many runs on such a cluster: with more, a finding is
 * not worth a look; with fewer, a rail that is bad with all of its four partners is no longer found
 * where 2 % of 4,000 pairs are bad by chance.
 */
#define MOST_FALSE_ALARMS 0.01

static bool is_mostly_good(const struct judge *judge, uint32_t port)
{
	return 2 * judge->ports[port].bad <= judge->ports[port].judged;
}

double chance_of_bad(const struct judge *judge)
{
	uint64_t bad = 0, ends = 0;

	for (uint32_t i = 0; i < judge->port_count; i++)
		if (is_mostly_good(judge, i))
			ends += judge->ports[i].judged;
	for (size_t i = 0; i < judge->edge_count; i++) {
		const struct edge *edge = &judge->edges[i];

		bad += edge_is_open(edge) && !edge->again &&
		       is_mostly_good(judge, edge_port(edge, MESH_END_A)) &&
		       is_mostly_good(judge, edge_port(edge, MESH_END_B));
	}
	return bad >= ENOUGH_BAD ? (double)(2 * bad) / (double)ends : 0;
}

uint32_t ports_judged(const struct judge *judge)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < judge->port_count; i++)
		count += judge->ports[i].judged > 0;
	return count;
}

/* The factors that choose bad pairs from all, with their probability; they fall. */
static double factor(uint32_t number, uint32_t all, double chance)
{
	return (double)(all - number) / (double)(number + 1) * chance;
}

/*
 * The probability that exactly so many of `all` are bad. A product above 1 takes the factors below
 * 1 first, so that it does not overflow.
 */
static double chance_of_exactly(uint32_t bad, uint32_t all, double chance)
{
	uint32_t first = 0, last = bad, good = all - bad;
	double product = 1;

	while (first < last || good) {
		if (good && (product > 1 || first == last)) {
			product *= 1 - chance;
			good--;
		} else if (product > 1) {
			product *= factor(--last, all, chance);
		} else {
			product *= factor(first++, all, chance);
		}
	}
	return product;
}

/*
 * From the first term of the tail on, each is smaller than the one before by at least the same
 * ratio, so a geometric series bounds the sum.
 */
bool chance_explains(double chance, uint32_t bad, uint32_t all, uint32_t candidates)
{
	const double good = all - bad;
	const double ratio = good * chance / ((double)(bad + 1) * (1 - chance));

	if (chance <= 0 || !bad || bad > all)
		return false;
	return chance >= 1 || ratio >= 1 ||
	       candidates * chance_of_exactly(bad, all, chance) / (1 - ratio) > MOST_FALSE_ALARMS;
}
