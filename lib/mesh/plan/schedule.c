/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "mesh/plan/lane.h"

/* One lane per rail, or a single one for the pairs of a file. */
struct schedule {
	struct plan_stage stage; /* a shallow copy, which owns nothing */
	struct lane *lanes;
	size_t lane_count;
	bool one_by_one;
	uint32_t rounds;
};

static bool takes_part(const struct plan_scope *scope, uint32_t host, uint16_t rail)
{
	if (scope->rails)
		return scope->rails[host] >> rail & 1;
	return scope->hosts[host].presence == MESH_PRESENT &&
	       mesh_host_has_rail(&scope->hosts[host], rail);
}

static bool needs_switches(enum mesh_mode mode)
{
	return mode == MESH_BY_SWITCH || mode == MESH_CROSS_SWITCH;
}

static int compare_members(const void *left, const void *right)
{
	const struct lane_member *a = left, *b = right;

	return COMPARE(a->at_switch, b->at_switch) ?: COMPARE(a->host, b->host);
}

static void fill_lane(struct lane *lane, const struct plan_stage *stage,
		      const struct plan_scope *scope, uint16_t rail)
{
	lane->stage = stage;
	lane->rail = rail;
	lane->seed = scope->seed;
	lane->members = mem_alloc_zero((size_t)scope->host_count + 1, sizeof(*lane->members));
	for (uint32_t i = 0; i < scope->host_count; i++) {
		uint32_t at = scope->switches ? scope->switches[i * MESH_MOST_RAILS + rail]
					      : MESH_NO_SWITCH;

		if (!takes_part(scope, i, rail) ||
		    (needs_switches(stage->mode) && at == MESH_NO_SWITCH))
			continue;
		lane->members[lane->count++] = (struct lane_member){.host = i, .at_switch = at};
	}
	if (lane->count)
		qsort(lane->members, lane->count, sizeof(*lane->members), compare_members);
	lane_begin(lane);
}

static void add_rails(struct schedule *schedule, const struct plan_scope *scope)
{
	for (uint16_t rail = 0; rail < MESH_MOST_RAILS; rail++) {
		struct lane *lane = mem_append(&schedule->lanes, &schedule->lane_count,
					       sizeof(*lane));

		fill_lane(lane, &schedule->stage, scope, rail);
		if (lane->rounds)
			continue;
		lane_clear(lane);
		schedule->lane_count--;
	}
}

static void add_listed_pair(struct lane *lane, const struct plan_scope *scope, uint32_t *next,
			    const struct mesh_pair *pair)
{
	uint32_t *next_a, *next_b;
	struct listed_pair *listed;

	if (!takes_part(scope, pair->a, pair->rail_a) || !takes_part(scope, pair->b, pair->rail_b))
		return;
	/* With one rail at a time, the whole host is busy, not just one of its rails. */
	next_a = &next[pair->a * MESH_MOST_RAILS + (scope->one_rail ? 0 : pair->rail_a)];
	next_b = &next[pair->b * MESH_MOST_RAILS + (scope->one_rail ? 0 : pair->rail_b)];
	listed = mem_append(&lane->listed, &lane->listed_count, sizeof(*listed));
	*listed = (struct listed_pair){*pair, *next_a > *next_b ? *next_a : *next_b};
	*next_a = *next_b = listed->round + 1;
	if (lane->rounds <= listed->round)
		lane->rounds = listed->round + 1;
}

/* Sorts by round; no two pairs of a round share an end, so every qsort() gives the same order. */
static int compare_listed(const void *left, const void *right)
{
	const struct listed_pair *a = left, *b = right;

	return COMPARE(a->round, b->round)
		       ?: COMPARE(a->pair.rail_a, b->pair.rail_a) ?: COMPARE(a->pair.a, b->pair.a);
}

/* Puts each pair into the first round in which both of its ends are free. */
static void add_list(struct schedule *schedule, const struct plan_scope *scope)
{
	const struct plan_stage *stage = &schedule->stage;
	_cleanup_(freep) uint32_t *next = mem_alloc_zero(
		(size_t)scope->host_count * MESH_MOST_RAILS + 1, sizeof(*next));
	struct lane *lane = mem_append(&schedule->lanes, &schedule->lane_count, sizeof(*lane));

	lane->stage = stage;
	for (uint16_t rail = 0; rail < MESH_MOST_RAILS; rail++)
		for (size_t i = 0; i < stage->pair_count; i++) {
			struct mesh_pair pair = stage->pairs[i];

			if (pair.rail_a == PLAN_ALL_RAILS)
				pair.rail_a = pair.rail_b = rail;
			if (pair.rail_a == rail)
				add_listed_pair(lane, scope, next, &pair);
		}
	if (lane->listed_count)
		qsort(lane->listed, lane->listed_count, sizeof(*lane->listed), compare_listed);
}

/* Most senders to one host of an incast at the same time. */
static uint64_t most_senders(const struct schedule *schedule)
{
	uint64_t senders = 0;

	for (size_t i = 0; i < schedule->lane_count; i++) {
		const uint32_t others = schedule->lanes[i].count - 1;
		const uint32_t count = schedule->stage.count < others ? schedule->stage.count
								      : others;

		if (!schedule->one_by_one)
			senders += count;
		else if (count > senders)
			senders = count;
	}
	return senders;
}

int schedule_new(const struct plan_stage *stage, const struct plan_scope *scope,
		 struct schedule **ret_schedule, char **ret_message)
{
	struct schedule *schedule;

	if (needs_switches(stage->mode) && !scope->switches) {
		*ret_message = mem_format(
			"%s needs to know which host is at which switch, from --fabric",
			enum_word(mesh_mode_names, stage->mode, "?"));
		return -EINVAL;
	}
	schedule = mem_alloc_zero(1, sizeof(*schedule));
	schedule->stage = *stage;
	schedule->one_by_one = scope->one_rail && stage->mode != MESH_PAIRS;
	if (stage->mode == MESH_PAIRS)
		add_list(schedule, scope);
	else
		add_rails(schedule, scope);
	for (size_t i = 0; i < schedule->lane_count; i++) {
		uint32_t rounds = schedule->lanes[i].rounds;

		if (schedule->one_by_one)
			schedule->rounds += rounds;
		else if (rounds > schedule->rounds)
			schedule->rounds = rounds;
	}
	if (stage->mode == MESH_INCAST && most_senders(schedule) > MESH_MOST_SENDERS) {
		*ret_message = mem_format("incast:%u has %" PRIu64
					  " senders on all rails, but a host serves %u at a time: "
					  "name fewer, or use --one-rail",
					  stage->count, most_senders(schedule), MESH_MOST_SENDERS);
		schedule_free(schedule);
		return -EINVAL;
	}
	*ret_schedule = schedule;
	return 0;
}

void schedule_free(struct schedule *schedule)
{
	if (!schedule)
		return;
	for (size_t i = 0; i < schedule->lane_count; i++)
		lane_clear(&schedule->lanes[i]);
	free(schedule->lanes);
	free(schedule);
}

uint32_t schedule_rounds(const struct schedule *schedule)
{
	return schedule->rounds;
}

size_t schedule_most_pairs(const struct schedule *schedule)
{
	size_t most = 0;

	for (size_t i = 0; i < schedule->lane_count; i++) {
		size_t pairs = lane_most_pairs(&schedule->lanes[i]);

		if (!schedule->one_by_one)
			most += pairs;
		else if (pairs > most)
			most = pairs;
	}
	return most;
}

uint64_t schedule_all_pairs(const struct schedule *schedule)
{
	uint64_t pairs = 0;

	for (size_t i = 0; i < schedule->lane_count; i++)
		pairs += lane_all_pairs(&schedule->lanes[i]);
	return pairs;
}

size_t schedule_round(const struct schedule *schedule, uint32_t round, struct mesh_pair *pairs)
{
	size_t count = 0;

	for (size_t i = 0; i < schedule->lane_count; i++) {
		const struct lane *lane = &schedule->lanes[i];

		if (round < lane->rounds) {
			count += lane_round(lane, round, pairs + count);
			if (schedule->one_by_one)
				break;
		} else if (schedule->one_by_one) {
			round -= lane->rounds;
		}
	}
	return count;
}
