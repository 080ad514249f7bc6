/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The second pass: who is tried again, alone, and with whom. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "mesh/judge/judge_parts.h"

enum { PARTNERS = 2 };

struct retests {
	struct judge *judge;
	uint32_t *used;	   /* how often each port is a partner */
	uint32_t *excused; /* bad pairs of each port that another rail explains */
	bool *by_mean;	   /* ports that are suspects although none of their pairs is bad */
	struct mesh_pair *pairs;
	size_t count;
};

/* Whether a port is good with all its partners, except perhaps those that are bad themselves. */
static bool is_good(const struct retests *retests, uint32_t port, bool with_all)
{
	const struct judge *judge = retests->judge;
	const struct port *at = &judge->ports[port];

	if (retests->by_mean[port] || (with_all ? at->bad > 0 : at->bad > retests->excused[port]))
		return false;
	return at->judged > at->bad && !at->alone_bad && !at->error_results &&
	       judge->hosts[port_host(port)].presence == MESH_PRESENT;
}

static void add(struct retests *retests, const struct mesh_pair *pair, bool repeated)
{
	struct judge *judge = retests->judge;

	for (size_t i = 0; i < judge->retest_count; i++)
		if (pair_is_same(&judge->retests[i].pair, pair))
			return;
	MEM_ADD(retests->pairs, retests->count) = *pair;
	MEM_ADD(judge->retests, judge->retest_count) = (struct retest){*pair, repeated};
}

/*
 * The good host on the rail that has been a partner least often. The search starts after the
 * suspect, so that not everybody is tried with the first two.
 */
static uint32_t find_partner(const struct retests *retests, uint32_t port, uint32_t not_this,
			     bool with_all)
{
	const struct judge *judge = retests->judge;
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 1; i < judge->host_count; i++) {
		uint32_t host = (port_host(port) + i) % judge->host_count;
		uint32_t other = port_number(host, port_rail(port));

		if (other == not_this || !is_good(retests, other, with_all))
			continue;
		if (best == UINT32_MAX || retests->used[other] < retests->used[best])
			best = other;
		if (!retests->used[best])
			break;
	}
	return best;
}

/* Finds ports that must not be partners, and bad pairs that a rail of another host explains. */
static void find_excused(struct retests *retests)
{
	const struct judge *judge = retests->judge;

	retests->excused = port_numbers(judge);
	retests->by_mean = mem_alloc_zero(judge->port_count, sizeof(bool));
	for (size_t i = 0; i < judge->culprit_count; i++)
		if (judge->culprits[i].by_mean)
			retests->by_mean[judge->culprits[i].number] = true;
	for (size_t i = 0; i < judge->edge_count; i++) {
		const struct edge *edge = &judge->edges[i];

		if (!edge->culprit || culprit_at(judge, edge->culprit)->kind != CULPRIT_PORT)
			continue;
		for (int end = 0; end < MESH_ENDS; end++) {
			uint32_t port = edge_port(edge, end);

			retests->excused[port] += port != culprit_at(judge, edge->culprit)->number;
		}
	}
}

static void add_port(struct retests *retests, uint32_t port)
{
	uint32_t before = UINT32_MAX;

	if (retests->judge->hosts[port_host(port)].presence != MESH_PRESENT)
		return;
	for (int i = 0; i < PARTNERS; i++) {
		uint32_t partner = find_partner(retests, port, before, true);

		if (partner == UINT32_MAX)
			partner = find_partner(retests, port, before, false);
		if (partner == UINT32_MAX)
			return;
		retests->used[partner]++;
		before = partner;
		add(retests,
		    &(struct mesh_pair){.a = port_host(port),
					.b = port_host(partner),
					.rail_a = port_rail(port),
					.rail_b = port_rail(partner)},
		    false);
	}
}

/* Adds the first bad pairs that the culprit explains. */
static void add_pairs(struct retests *retests, size_t number, size_t most)
{
	const struct judge *judge = retests->judge;

	for (size_t i = 0; i < judge->edge_count && most; i++) {
		const struct edge *edge = &judge->edges[i];

		if (edge->culprit != number + 1 || !edge->faults || edge_is_loopback(edge))
			continue;
		add(retests, &edge->pair, true);
		most--;
	}
}

/* An end of a pair that was good with nobody else may be bad itself. */
static void add_ends(struct retests *retests, const struct edge *edge)
{
	for (int end = 0; end < MESH_ENDS; end++) {
		uint32_t port = edge_port(edge, end);
		const struct port *at = &retests->judge->ports[port];

		if (at->judged == at->bad)
			add_port(retests, port);
	}
}

static void add_culprit(struct retests *retests, size_t number)
{
	const struct judge *judge = retests->judge;
	const struct culprit *culprit = &judge->culprits[number];

	switch (culprit->kind) {
	case CULPRIT_PORT:
	case CULPRIT_GROWTH:
		add_port(retests, culprit->number);
		break;
	case CULPRIT_PAIR:
		add_pairs(retests, number, 1);
		add_ends(retests, &judge->edges[culprit->number]);
		break;
	case CULPRIT_GROUP:
	case CULPRIT_SWITCH:
	case CULPRIT_CABLE:
	case CULPRIT_SCATTER:
		add_pairs(retests, number, PARTNERS);
		break;
	case CULPRIT_HOST: /* by two of its rails, see is_enough() */
		break;
	}
}

/* Two rails represent a host, and two ports a switch. */
enum { STAND_FOR_ALL = 2 };

static bool is_enough(const struct culprit *culprit, uint8_t *taken)
{
	if (!culprit->merged)
		return false;
	if (taken[culprit->merged - 1] == STAND_FOR_ALL)
		return true;
	taken[culprit->merged - 1]++;
	return false;
}

static bool is_full(const struct retests *retests)
{
	struct judge *judge = retests->judge;
	const bool full = retests->count >= judge->limits.most_retests;

	judge->retests_left_out += full;
	return full;
}

static void add_kind(struct retests *retests, enum culprit_kind kind, uint8_t *taken)
{
	const struct judge *judge = retests->judge;

	for (size_t i = 0; i < judge->culprit_count; i++) {
		const struct culprit *culprit = &judge->culprits[i];

		if (culprit->kind == kind && !is_enough(culprit, taken) && !is_full(retests))
			add_culprit(retests, i);
	}
}

/*
 * Adds ports that were good with nobody, although their partners explain that: among neighbours
 * that are all bad, some are never tested with a good one.
 */
static void add_excused(struct retests *retests)
{
	const struct judge *judge = retests->judge;
	_cleanup_(freep) bool *blamed = blamed_ports(judge);
	uint32_t rails = 0;

	for (uint32_t i = 0; i < judge->port_count; i++) {
		const struct port *port = &judge->ports[i];

		if (!port_rail(i))
			rails = 0;
		if (port->bad && port->bad == port->judged && retests->excused[i] >= port->bad &&
		    !blamed[i] && rails++ < STAND_FOR_ALL && !is_full(retests))
			add_port(retests, i);
	}
}

struct mesh_pair *judge_retests(struct judge *judge, size_t *ret_count)
{
	/* First comes what many hosts depend on, last the growth of errors. */
	static const enum culprit_kind order[] = {CULPRIT_SWITCH,  CULPRIT_CABLE, CULPRIT_GROUP,
						  CULPRIT_SCATTER, CULPRIT_PORT,  CULPRIT_PAIR};
	struct retests retests = {.judge = judge};
	uint8_t *taken;

	explain(judge);
	find_excused(&retests);
	retests.used = port_numbers(judge);
	taken = mem_alloc_zero(judge->culprit_count, sizeof(*taken));
	judge->retests_left_out = 0;
	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		add_kind(&retests, order[i], taken);
	add_excused(&retests);
	add_kind(&retests, CULPRIT_GROWTH, taken);
	free(retests.used);
	free(retests.excused);
	free(retests.by_mean);
	free(taken);
	*ret_count = retests.count;
	return retests.pairs;
}
