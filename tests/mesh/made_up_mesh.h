/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A made-up cluster with a planted fault, and what its pairs would measure. Each rail is a separate
 * fat tree: a leaf for GROUP hosts, SPINES spines, and a route that depends on the receiver's
 * number, as in forwarding tables. Figures vary by a normal distribution.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "mesh/coordinator/connection.h"
#include "mesh/judge/judge.h"
#include "mesh/plan/plan.h"

enum {
	MADE_UP_GROUP = 16, /* hosts on a leaf */
	MADE_UP_SPINES = 8,
	MADE_UP_GBPS = 392,
};

enum made_up_fault {
	NO_FAULT,
	SLOW_RAIL,     /* one rail of a host at 48 % both ways */
	SLIGHTLY_SLOW, /* one rail of a host at 89 % */
	DEAF_RAIL,     /* one rail receives at 30 %, but sends normally */
	DEAD_RAIL,     /* each pair of one rail fails */
	BAD_LOOPBACK,  /* one rail is slow even in loopback: half of its PCIe lanes */
	LATE_RAIL,     /* one rail has 4 times the latency */
	SLOW_HOST,     /* all rails of a host at 50 %: half of its lanes */
	BAD_PAIR,      /* two hosts cannot reach each other on one rail */
	BAD_CABLE,     /* a cable between a leaf and a spine, at 20 % */
	BAD_LEAF,      /* everything cabled to a leaf is at 40 % */
	BAD_SPINE,     /* everything through a spine is at 40 % */
	FLAKY_PAIRS,   /* 2 % of the pairs fail, once */
	FLAKY_RAIL,    /* the same, and each pair of one rail fails */
	FLAKY_HOST,    /* the same, and each pair of one host fails */
	SPLIT,	       /* the last quarter of the hosts on one rail cannot reach the others */
	ERRORS,	       /* error counters of one rail grow */
	ABSENT_HOST,
	DOWN_RAIL,  /* a host cannot use one rail */
	GONE_RAIL,  /* the adapter of a rail is not there, and others have its name */
	BOTH_SLOW,  /* one rail has half of the sum when both directions are busy at once */
	BOTH_PAIR,  /* two hosts have the same on one rail */
	WHOLE_RAIL, /* one rail of all hosts at 60 % */
	LATE_WHOLE, /* one rail of all hosts with 5 times the latency */
	RATES,	    /* no fault, but one rail has half of the rate of the others */
	ONE_WAY,    /* no fault, but both directions at once are not measured */
	LOST_AGENT, /* an agent's connection ends; only if there are agents */
	MADE_UP_FAULTS,
};

struct made_up_mesh {
	uint32_t hosts;
	uint16_t rails;
	double noise; /* standard deviation, as a share */
	enum made_up_fault fault;
	uint32_t host, other; /* those with the fault */
	uint16_t rail;
	uint32_t spine;
	uint64_t state, both_state; /* of random numbers */
	bool know_fabric, know_ways;
	bool met; /* the bad pair was tested */
	struct mesh_host *list;
	uint32_t *switches;
	uint8_t *distances;
	uint32_t switch_count, leaf_count;
	struct judge_fabric fabric;
};

/* A logarithm that is accurate enough for random numbers, because libm is not linked. */
static inline double made_up_log(double x)
{
	double sum = 0, term, y;
	int twos = 0;

	for (; x < 0.7; twos--)
		x *= 2;
	for (; x > 1.4; twos++)
		x /= 2;
	y = (x - 1) / (x + 1);
	term = y;
	for (int i = 1; i < 24; i += 2) {
		sum += term / i;
		term *= y * y;
	}
	return 2 * sum + twos * 0.69314718055994531;
}

static inline double made_up_root(double square)
{
	double root = square > 1 ? square : 1, last = 0;

	for (int i = 0; i < 60 && root != last; i++) {
		last = root;
		root = (root + square / root) / 2;
	}
	return root;
}

static inline double made_up_uniform(uint64_t *state)
{
	return (double)(random_next(state) >> 11) / (double)(UINT64_C(1) << 53);
}

/* Marsaglia's polar method. */
static inline double made_up_normal(uint64_t *state)
{
	double x, y, square;

	do {
		x = made_up_uniform(state) * 2 - 1;
		y = made_up_uniform(state) * 2 - 1;
		square = x * x + y * y;
	} while (square >= 1 || square <= 0);
	return x * made_up_root(-2 * made_up_log(square) / square);
}

static inline uint32_t made_up_leaf(const struct made_up_mesh *mesh, uint32_t host, uint16_t rail)
{
	return rail * ((mesh->hosts + MADE_UP_GROUP - 1) / MADE_UP_GROUP) + host / MADE_UP_GROUP;
}

static inline uint32_t made_up_spine(uint32_t to_host)
{
	return (to_host * 2654435761u >> 16) % MADE_UP_SPINES;
}

static inline int made_up_way(const void *context, uint32_t from, uint32_t to, uint32_t *cables,
			      size_t most)
{
	const struct made_up_mesh *mesh = context;
	const uint16_t rail = (uint16_t)(from % MESH_MOST_RAILS);
	const uint32_t leaf = made_up_leaf(mesh, from / MESH_MOST_RAILS, rail);
	const uint32_t other = made_up_leaf(mesh, to / MESH_MOST_RAILS, rail);
	const uint32_t spine = made_up_spine(to / MESH_MOST_RAILS);

	if (leaf == other || most < 2)
		return 0;
	cables[0] = leaf * MADE_UP_SPINES + spine;
	cables[1] = other * MADE_UP_SPINES + spine;
	return 2;
}

/* Leaves come first, then the spines of each rail. */
static inline char *made_up_switch_name(const void *context, uint32_t number)
{
	const struct made_up_mesh *mesh = context;

	if (number < mesh->leaf_count)
		return mem_format("leaf %u", number);
	return mem_format("spine %u", number - mesh->leaf_count);
}

static inline void made_up_cable_ends(const void *context, uint32_t number, uint32_t ends[2])
{
	const struct made_up_mesh *mesh = context;
	const uint32_t leaf = number / MADE_UP_SPINES;
	const uint32_t rail = leaf / (mesh->leaf_count / mesh->rails);

	ends[0] = leaf;
	ends[1] = mesh->leaf_count + rail * MADE_UP_SPINES + number % MADE_UP_SPINES;
}

static inline char *made_up_cable_name(const void *context, uint32_t number)
{
	uint32_t ends[2];

	made_up_cable_ends(context, number, ends);
	return mem_format("leaf %u to spine %u", ends[0],
			  ends[1] - ((const struct made_up_mesh *)context)->leaf_count);
}

static inline void made_up_fabric(struct made_up_mesh *mesh)
{
	mesh->leaf_count = mesh->rails * ((mesh->hosts + MADE_UP_GROUP - 1) / MADE_UP_GROUP);
	mesh->switch_count = mesh->leaf_count + mesh->rails * MADE_UP_SPINES;
	mesh->switches = mem_alloc_zero((size_t)mesh->hosts * MESH_MOST_RAILS, sizeof(uint32_t));
	for (uint32_t i = 0; i < mesh->hosts * MESH_MOST_RAILS; i++)
		mesh->switches[i] = i % MESH_MOST_RAILS < mesh->rails
					    ? made_up_leaf(mesh, i / MESH_MOST_RAILS,
							   (uint16_t)(i % MESH_MOST_RAILS))
					    : MESH_NO_SWITCH;
	mesh->distances = mem_alloc_zero((size_t)mesh->switch_count * mesh->switch_count, 1);
	for (uint32_t i = 0; i < mesh->leaf_count; i++)
		for (uint32_t j = 0; j < mesh->leaf_count; j++)
			mesh->distances[i * mesh->switch_count + j] = i == j ? 1 : 3;
	mesh->fabric = (struct judge_fabric){
		.switches = mesh->switches,
		.switch_count = mesh->switch_count,
		.distances = mesh->distances,
		.cable_count = mesh->know_ways ? mesh->leaf_count * MADE_UP_SPINES : 0,
		.find_way = mesh->know_ways ? made_up_way : NULL,
		.name_switch = made_up_switch_name,
		.name_cable = made_up_cable_name,
		.cable_ends = made_up_cable_ends,
		.context = mesh,
	};
}

static inline void made_up_add_slot(struct mesh_host *host, uint16_t rail)
{
	char *slot = mem_format("pci0000:%02x/01.0/00.0 port 1", 16u * rail);

	strings_add(&host->slots, slot);
	free(slot);
}

static inline void made_up_take_down(struct mesh_host *host, uint16_t rail)
{
	struct mesh_gap gap = {.place = rail,
			       .port = 1,
			       .reason = mem_string("the port is down"),
			       .rail = number_of(rail)};

	snprintf(gap.device, sizeof(gap.device), "mlx5_%u", rail);
	MEM_ADD(host->gaps, host->gap_count) = gap;
	host->missing_rails = (uint16_t)(1u << rail);
}

/* The rails after it move up, until they are numbered by their slots. */
static inline void made_up_remove(struct made_up_mesh *mesh, struct mesh_host *host, uint16_t rail)
{
	const size_t after = host->rail_count - rail - 1u;

	free(host->slots.items[rail]);
	memmove(&host->slots.items[rail], &host->slots.items[rail + 1],
		after * sizeof(*host->slots.items));
	host->slots.count--;
	/* Those that remain keep their rates, and get the names of those before them. */
	host->rail_count--;
	rails_number(mesh->list, mesh->hosts);
}

static inline void made_up_begin(struct made_up_mesh *mesh, uint64_t seed)
{
	mesh->state = seed * UINT64_C(0x2545f4914f6cdd1d) + 1;
	mesh->both_state = ~mesh->state;
	mesh->list = mem_alloc_zero(mesh->hosts, sizeof(*mesh->list));
	for (uint32_t i = 0; i < mesh->hosts; i++) {
		struct mesh_host *host = &mesh->list[i];

		host->name = mem_format("n%u", i + 1);
		host->presence = MESH_PRESENT;
		host->rail_count = mesh->rails;
		host->rails = mem_alloc_zero(mesh->rails, sizeof(*host->rails));
		for (uint16_t rail = 0; rail < mesh->rails; rail++) {
			snprintf(host->rails[rail].device, sizeof(host->rails[rail].device),
				 "mlx5_%u", rail);
			host->rails[rail].port = 1;
			host->rails[rail].rate_mbps = 400000;
			made_up_add_slot(host, rail);
		}
	}
	mesh->host = (uint32_t)(random_next(&mesh->state) % mesh->hosts);
	mesh->other = (mesh->host + 1 + (uint32_t)(random_next(&mesh->state) % (mesh->hosts - 1))) %
		      mesh->hosts;
	mesh->rail = (uint16_t)(random_next(&mesh->state) % mesh->rails);
	mesh->spine = made_up_spine(mesh->host);
	for (uint32_t i = 0; i < mesh->hosts && mesh->fault == RATES; i++)
		mesh->list[i].rails[mesh->rail].rate_mbps /= 2;
	if (mesh->fault == ABSENT_HOST)
		mesh->list[mesh->host].presence = MESH_ABSENT;
	if (mesh->fault == DOWN_RAIL)
		made_up_take_down(&mesh->list[mesh->host], mesh->rail);
	if (mesh->fault == GONE_RAIL)
		made_up_remove(mesh, &mesh->list[mesh->host], mesh->rail);
	if (mesh->know_fabric)
		made_up_fabric(mesh);
}

static inline void made_up_end(struct made_up_mesh *mesh)
{
	for (uint32_t i = 0; i < mesh->hosts; i++)
		mesh_host_clear(&mesh->list[i]);
	free(mesh->list);
	free(mesh->switches);
	free(mesh->distances);
}

static inline bool made_up_has(const struct mesh_pair *pair, uint32_t host)
{
	return pair->a == host || pair->b == host;
}

/* The share of the bandwidth that the route from one host to another leaves. */
static inline double made_up_share(const struct made_up_mesh *mesh, uint32_t from, uint32_t to,
				   uint16_t rail)
{
	const uint32_t leaf = made_up_leaf(mesh, mesh->host, mesh->rail);
	const bool leaves = made_up_leaf(mesh, from, rail) == leaf,
		   comes = made_up_leaf(mesh, to, rail) == leaf;
	const bool by_spine = made_up_leaf(mesh, from, rail) != made_up_leaf(mesh, to, rail) &&
			      made_up_spine(to) == mesh->spine && rail == mesh->rail;

	switch (mesh->fault) {
	case BAD_CABLE:
		return leaves != comes && by_spine ? 0.2 : 1;
	case BAD_SPINE:
		return by_spine ? 0.4 : 1;
	case BAD_LEAF:
		return from != to && (leaves || comes) ? 0.4 : 1;
	case DEAF_RAIL:
		return from != to && to == mesh->host && rail == mesh->rail ? 0.3 : 1;
	default:
		return 1;
	}
}

static inline double made_up_rail_share(const struct made_up_mesh *mesh,
					const struct mesh_pair *pair)
{
	const bool on_rail = made_up_has(pair, mesh->host) && pair->rail_a == mesh->rail;
	const bool loopback = pair->a == pair->b;

	switch (mesh->fault) {
	case SLOW_RAIL:
		return on_rail && !loopback ? 0.48 : 1;
	case SLIGHTLY_SLOW:
		return on_rail && !loopback ? 0.89 : 1;
	case BAD_LOOPBACK:
		return on_rail ? 0.5 : 1;
	case SLOW_HOST:
		return made_up_has(pair, mesh->host) && !loopback ? 0.5 : 1;
	case WHOLE_RAIL:
		return pair->rail_a == mesh->rail && !loopback ? 0.6 : 1;
	case RATES:
		return pair->rail_a == mesh->rail ? 0.5 : 1;
	default:
		return 1;
	}
}

static inline bool made_up_is_flaky(const struct made_up_mesh *mesh)
{
	return mesh->fault == FLAKY_PAIRS || mesh->fault == FLAKY_RAIL || mesh->fault == FLAKY_HOST;
}

static inline bool made_up_fails(struct made_up_mesh *mesh, const struct mesh_pair *pair,
				 bool again)
{
	const bool on_rail = pair->rail_a == mesh->rail && pair->a != pair->b;
	const bool a_last = pair->a >= mesh->hosts / 4 * 3, b_last = pair->b >= mesh->hosts / 4 * 3;

	switch (mesh->fault) {
	case DEAD_RAIL:
		return on_rail && made_up_has(pair, mesh->host);
	case BAD_PAIR:
		mesh->met |= on_rail && made_up_has(pair, mesh->host) &&
			     made_up_has(pair, mesh->other);
		return on_rail && made_up_has(pair, mesh->host) && made_up_has(pair, mesh->other);
	case FLAKY_PAIRS:
	case FLAKY_RAIL:
	case FLAKY_HOST:
		if (pair->a != pair->b && mesh->fault != FLAKY_PAIRS &&
		    made_up_has(pair, mesh->host) && (on_rail || mesh->fault == FLAKY_HOST))
			return true;
		return pair->a != pair->b && !again && made_up_uniform(&mesh->state) < 0.02;
	case SPLIT:
		return on_rail && a_last != b_last;
	case DOWN_RAIL:
	case GONE_RAIL:
		/* Nothing leads from one rail's tree to another's. */
		return pair->rail_a != pair->rail_b;
	default:
		return false;
	}
}

/* The share that both directions leave each other. */
static inline double made_up_both_share(struct made_up_mesh *mesh, const struct mesh_pair *pair)
{
	const bool has = pair->rail_a == mesh->rail && made_up_has(pair, mesh->host);

	if (mesh->fault == BOTH_PAIR)
		mesh->met |= has && made_up_has(pair, mesh->other);
	return (mesh->fault == BOTH_SLOW && has) ||
			       (mesh->fault == BOTH_PAIR && has && made_up_has(pair, mesh->other))
		       ? 0.5
		       : 1;
}

static inline void made_up_both_ways(struct made_up_mesh *mesh, const struct mesh_pair *pair,
				     struct mesh_result *ret)
{
	const double gbps = MADE_UP_GBPS * made_up_rail_share(mesh, pair) *
			    made_up_both_share(mesh, pair);

	if (pair->a == pair->b || mesh->fault == ONE_WAY)
		return;
	ret->both_gbps[MESH_END_A] = real_of(gbps *
					     made_up_share(mesh, pair->a, pair->b, pair->rail_a) *
					     (1 + mesh->noise * made_up_normal(&mesh->both_state)));
	ret->both_gbps[MESH_END_B] = real_of(gbps *
					     made_up_share(mesh, pair->b, pair->a, pair->rail_a) *
					     (1 + mesh->noise * made_up_normal(&mesh->both_state)));
}

static inline void made_up_result(struct made_up_mesh *mesh, const struct mesh_pair *pair,
				  bool again, struct mesh_result *ret)
{
	const double gbps = MADE_UP_GBPS * made_up_rail_share(mesh, pair);
	const bool on_rail = pair->rail_a == mesh->rail && pair->a != pair->b;
	const bool at_fault = on_rail && made_up_has(pair, mesh->host);
	const double latency = at_fault && mesh->fault == LATE_RAIL   ? 8
			       : on_rail && mesh->fault == LATE_WHOLE ? 10
								      : 2;

	*ret = (struct mesh_result){.pair = *pair, .again = again, .outcome = MESH_PASS};
	if (made_up_fails(mesh, pair, again)) {
		ret->outcome = MESH_FAIL;
		snprintf(ret->reason, sizeof(ret->reason), "the peer did not answer");
		return;
	}
	ret->latency_usec = real_of(latency * (1 + mesh->noise * made_up_normal(&mesh->state)));
	ret->gbps[MESH_END_A] = real_of(gbps * made_up_share(mesh, pair->a, pair->b, pair->rail_a) *
					(1 + mesh->noise * made_up_normal(&mesh->state)));
	ret->gbps[MESH_END_B] = real_of(gbps * made_up_share(mesh, pair->b, pair->a, pair->rail_a) *
					(1 + mesh->noise * made_up_normal(&mesh->state)));
	made_up_both_ways(mesh, pair, ret);
	for (int end = 0; end < MESH_ENDS; end++)
		ret->errors[end] = number_of(at_fault && mesh->fault == ERRORS &&
							     (end ? pair->b : pair->a) == mesh->host
						     ? 17
						     : 0);
}

/* Runs a plan and the second pass; returns how many results there were. */
static inline uint64_t made_up_run(struct made_up_mesh *mesh, const char *text, struct judge *judge)
{
	uint16_t *rails = mem_alloc_zero(mesh->hosts, sizeof(*rails));
	struct plan plan;
	char *message = NULL, *hint = NULL;
	struct mesh_pair *again;
	struct mesh_result result;
	size_t count;
	uint64_t results = 0;

	if (plan_parse(text, &plan, &message, &hint))
		abort();
	for (size_t i = 0; i < plan.count; i++) {
		struct plan_scope scope = {.hosts = mesh->list,
					   .host_count = mesh->hosts,
					   .rails = rails,
					   .switches = mesh->switches,
					   .seed = mesh->state};
		struct schedule *schedule;
		struct mesh_pair *pairs;

		judge_rails(judge, true, rails);
		if (schedule_new(&plan.stages[i], &scope, &schedule, &message))
			abort();
		pairs = mem_alloc_zero(schedule_most_pairs(schedule) + 1, sizeof(*pairs));
		judge_begin_stage(judge, &plan.stages[i]);
		for (uint32_t round = 0; round < schedule_rounds(schedule); round++) {
			count = schedule_round(schedule, round, pairs);
			judge_drop_rails(judge, rails);
			for (size_t j = 0; j < count; j++) {
				if (!(rails[pairs[j].a] >> pairs[j].rail_a & 1) ||
				    !(rails[pairs[j].b] >> pairs[j].rail_b & 1))
					continue;
				made_up_result(mesh, &pairs[j], false, &result);
				judge_take(judge, &result);
				results++;
			}
		}
		judge_end_stage(judge);
		free(pairs);
		schedule_free(schedule);
	}
	again = judge_retests(judge, &count);
	for (size_t j = 0; j < count; j++, results++) {
		made_up_result(mesh, &again[j], true, &result);
		judge_take(judge, &result);
	}
	free(again);
	free(rails);
	plan_clear(&plan);
	return results;
}

static inline bool made_up_is_object(const struct judge_finding *finding, char *name)
{
	bool is = finding->finding.object && !strcmp(finding->finding.object, name);

	free(name);
	return is;
}

static inline bool made_up_is_rail(const struct made_up_mesh *mesh,
				   const struct judge_finding *finding, enum judge_finding_id id)
{
	return finding->finding.id.value == id && finding->host.known &&
	       finding->host.value == mesh->host && finding->rail.known &&
	       finding->rail.value == mesh->rail;
}

/* Whether the finding is about what several hosts share, as far as the judge knows the fabric. */
static inline bool made_up_is_shared(const struct made_up_mesh *mesh,
				     const struct judge_finding *finding)
{
	const uint32_t leaf = made_up_leaf(mesh, mesh->host, mesh->rail);
	const uint64_t id = finding->finding.id.value;
	const bool is_leaf = id == JUDGE_SWITCH &&
			     made_up_is_object(finding, made_up_switch_name(mesh, leaf));

	if (mesh->fault == BAD_LEAF && !mesh->know_fabric)
		return id == JUDGE_RAIL && finding->rail.value == mesh->rail &&
		       made_up_leaf(mesh, (uint32_t)finding->host.value, mesh->rail) == leaf;
	if (mesh->fault == BAD_LEAF ||
	    (mesh->fault == BAD_CABLE && !mesh->know_ways && mesh->know_fabric))
		return is_leaf;
	if (mesh->fault == BAD_CABLE && mesh->know_ways)
		return id == JUDGE_CABLE &&
		       made_up_is_object(finding, made_up_cable_name(mesh, leaf * MADE_UP_SPINES +
										   mesh->spine));
	if (mesh->fault == BAD_SPINE && mesh->know_ways)
		return id == JUDGE_SWITCH &&
		       made_up_is_object(finding,
					 made_up_switch_name(mesh,
							     mesh->leaf_count +
								     mesh->rail * MADE_UP_SPINES +
								     mesh->spine));
	/*
	 * Without facts, a bad cable appears as pairs of its rail that no host explains. A host of
	 * the leaf whose partners are nearly all on other leaves cannot be told from a bad one.
	 */
	if (finding->rail.value != mesh->rail)
		return false;
	return id == JUDGE_UNCLEAR || id == JUDGE_PAIR ||
	       (id == JUDGE_RAIL &&
		made_up_leaf(mesh, (uint32_t)finding->host.value, mesh->rail) == leaf);
}

/* Whether there is a fault to name. */
static inline bool made_up_is_there(const struct made_up_mesh *mesh)
{
	const bool is_pair = mesh->fault == BAD_PAIR || mesh->fault == BOTH_PAIR;

	return mesh->fault != NO_FAULT && mesh->fault != RATES && mesh->fault != ONE_WAY &&
	       (!is_pair || mesh->met);
}

/* Whether the finding names the planted fault. */
static inline bool made_up_is_right(const struct made_up_mesh *mesh,
				    const struct judge_finding *finding)
{
	const uint64_t id = finding->finding.id.value;

	switch (mesh->fault) {
	case DEAF_RAIL:
		return made_up_is_rail(mesh, finding, JUDGE_RAIL) &&
		       finding->direction.value == JUDGE_RECEIVES;
	case SLOW_RAIL:
	case SLIGHTLY_SLOW:
	case DEAD_RAIL:
	case FLAKY_RAIL:
	case BAD_LOOPBACK:
	case LATE_RAIL:
		return made_up_is_rail(mesh, finding, JUDGE_RAIL);
	case FLAKY_HOST:
	case SLOW_HOST:
		return id == JUDGE_HOST && finding->host.value == mesh->host;
	case BOTH_SLOW:
		return made_up_is_rail(mesh, finding, JUDGE_BOTH) && !finding->peer.known;
	case BOTH_PAIR:
	case BAD_PAIR:
		return id == (mesh->fault == BOTH_PAIR ? JUDGE_BOTH : JUDGE_PAIR) &&
		       finding->rail.value == mesh->rail &&
		       ((finding->host.value == mesh->host && finding->peer.value == mesh->other) ||
			(finding->host.value == mesh->other && finding->peer.value == mesh->host));
	case FLAKY_PAIRS:
		return id == JUDGE_FLAKY;
	case SPLIT:
		return id == JUDGE_GROUP || id == JUDGE_SWITCH;
	case ERRORS:
		return made_up_is_rail(mesh, finding, JUDGE_GROWTH);
	case ABSENT_HOST:
		return id == JUDGE_ABSENT && finding->host.value == mesh->host;
	case DOWN_RAIL:
	case GONE_RAIL:
		return made_up_is_rail(mesh, finding, JUDGE_UNUSABLE);
	case LOST_AGENT:
		return id == JUDGE_LOST && finding->host.value == mesh->host;
	case WHOLE_RAIL:
	case LATE_WHOLE:
		return id == JUDGE_SLOW_RAIL && finding->rail.value == mesh->rail;
	case NO_FAULT:
	case RATES:
	case ONE_WAY:
	case MADE_UP_FAULTS:
		return false;
	default:
		return made_up_is_shared(mesh, finding);
	}
}

/* Before a rail that is late as a whole has enough results, its pairs are bad by all rails. */
static inline bool made_up_is_late(const struct made_up_mesh *mesh,
				   const struct judge_finding *finding)
{
	return mesh->fault == LATE_WHOLE && finding->rail.known &&
	       finding->rail.value == mesh->rail;
}

/* Counts the right findings, and the false alarms: what changes the exit status, and slow rails. */
static inline void made_up_count(const struct made_up_mesh *mesh,
				 const struct judge_findings *findings, unsigned int *right,
				 unsigned int *wrong)
{
	*right = *wrong = 0;
	for (size_t i = 0; i < findings->count; i++) {
		if (made_up_is_right(mesh, &findings->items[i]))
			++*right;
		else if (made_up_is_late(mesh, &findings->items[i]))
			continue;
		else if (!made_up_is_flaky(mesh) ||
			 findings->items[i].finding.id.value != JUDGE_FLAKY)
			*wrong += findings->items[i].finding.severity.value >= SEVERITY_WARNING ||
				  findings->items[i].finding.id.value == JUDGE_SLOW_RAIL;
	}
}
