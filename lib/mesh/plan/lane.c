/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rounds of pairs, random orders, and the part of a schedule on one rail. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "mesh/plan/lane.h"

uint32_t circle_rounds(uint32_t count)
{
	if (count < 2)
		return 0;
	return count % 2 ? count : count - 1;
}

/*
 * The circle method: one place stays, the others move around a circle of `rounds` places, and
 * opposite places are partners. If the count is odd, the place that stays does not exist, and the
 * place opposite it rests.
 */
size_t circle_round(uint32_t count, uint32_t round, struct place_pair *pairs)
{
	const uint32_t rounds = circle_rounds(count);
	size_t made = 0;

	if (!rounds)
		return 0;
	if (count % 2 == 0)
		pairs[made++] = (struct place_pair){count - 1, round};
	for (uint32_t k = 1; k <= (rounds - 1) / 2; k++)
		pairs[made++] = (struct place_pair){
			(uint32_t)(((uint64_t)round + k) % rounds),
			(uint32_t)(((uint64_t)round + rounds - k) % rounds),
		};
	return made;
}

uint32_t ring_rounds(uint32_t count)
{
	if (count < 3)
		return count < 2 ? 0 : 1;
	return count % 2 ? 3 : 2;
}

size_t ring_round(uint32_t count, uint32_t round, struct place_pair *pairs)
{
	size_t made = 0;

	if (round == 2) {
		pairs[0] = (struct place_pair){count - 1, 0};
		return 1;
	}
	for (uint32_t i = round; i + 1 < count; i += 2)
		pairs[made++] = (struct place_pair){i, i + 1};
	if (round == 1 && count % 2 == 0)
		pairs[made++] = (struct place_pair){count - 1, 0};
	return made;
}

/* SplitMix64: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014. */
uint64_t random_next(uint64_t *state)
{
	uint64_t mixed = *state += UINT64_C(0x9e3779b97f4a7c15);

	mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
	return mixed ^ (mixed >> 31);
}

/* Fisher and Yates. The bias of the modulo is below 2^-32. */
static void random_shuffle(uint64_t *state, uint32_t *items, uint32_t count)
{
	for (uint32_t i = count; i > 1; i--) {
		uint32_t j = (uint32_t)(random_next(state) % i), item = items[i - 1];

		items[i - 1] = items[j];
		items[j] = item;
	}
}

/* Fills the array with 0 to count - 1 in a random order. */
static void random_order(uint64_t *state, uint32_t *items, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		items[i] = i;
	random_shuffle(state, items, count);
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* End of the run of members at the same switch. */
static uint32_t switch_end(const struct lane *lane, uint32_t start)
{
	uint32_t end = start;

	while (end < lane->count && lane->members[end].at_switch == lane->members[start].at_switch)
		end++;
	return end;
}

/*
 * Random matchings: rounds of the circle method on hosts in random order, so that no pair occurs
 * twice. Asking for more rounds than there are gives a full mesh.
 */
static void begin_sample(struct lane *lane)
{
	const uint32_t all = circle_rounds(lane->count);
	_cleanup_(freep) uint32_t *order = mem_alloc_zero(lane->count + 1, sizeof(*order));
	struct lane_member *members = mem_alloc_zero(lane->count + 1, sizeof(*members));
	uint64_t state = lane->seed;

	random_order(&state, order, lane->count);
	for (uint32_t i = 0; i < lane->count; i++)
		members[i] = lane->members[order[i]];
	free(lane->members);
	lane->members = members;
	lane->chosen = mem_alloc_zero(all + 1, sizeof(*lane->chosen));
	random_order(&state, lane->chosen, all);
	lane->rounds = least(lane->stage->count, all);
}

static void begin_by_switch(struct lane *lane)
{
	for (uint32_t start = 0, end; start < lane->count; start = end) {
		uint32_t rounds;

		end = switch_end(lane, start);
		rounds = least(lane->stage->count, circle_rounds(end - start));
		if (rounds > lane->rounds)
			lane->rounds = rounds;
	}
}

/* Groups that an incast has at the same time; each has more members than senders. */
static uint32_t incast_groups(const struct lane *lane)
{
	uint32_t groups = lane->count / (lane->stage->count + 1);

	return groups ? groups : 1;
}

void lane_begin(struct lane *lane)
{
	const uint32_t count = lane->count;

	switch (lane->stage->mode) {
	case MESH_LOOPBACK:
		lane->rounds = count > 0;
		break;
	case MESH_RING:
		lane->rounds = ring_rounds(count);
		break;
	case MESH_SAMPLE:
		begin_sample(lane);
		break;
	case MESH_BISECTION:
		lane->rounds = least(lane->stage->count, count / 2);
		break;
	case MESH_BY_SWITCH:
		begin_by_switch(lane);
		break;
	case MESH_CROSS_SWITCH:
		lane->rounds = count && switch_end(lane, 0) < count ? lane->stage->count : 0;
		break;
	case MESH_FULL:
		lane->rounds = circle_rounds(count);
		break;
	case MESH_INCAST: {
		uint32_t groups = incast_groups(lane);

		lane->rounds = count < 2 ? 0 : (count + groups - 1) / groups;
		break;
	}
	default:
		break;
	}
}

void lane_clear(struct lane *lane)
{
	free(lane->members);
	free(lane->chosen);
	free(lane->listed);
	*lane = (struct lane){0};
}

size_t lane_most_pairs(const struct lane *lane)
{
	size_t most = 0, run = 0;

	/* In the first round each group has all of its senders. */
	if (lane->stage->mode == MESH_INCAST)
		return (size_t)incast_groups(lane) * least(lane->stage->count, lane->count - 1);
	if (lane->stage->mode != MESH_PAIRS)
		return lane->stage->mode == MESH_LOOPBACK ? lane->count : lane->count / 2;
	for (size_t i = 0; i < lane->listed_count; i++) {
		run = i && lane->listed[i].round == lane->listed[i - 1].round ? run + 1 : 1;
		if (run > most)
			most = run;
	}
	return most;
}

uint64_t lane_all_pairs(const struct lane *lane)
{
	const uint64_t count = lane->count;
	_cleanup_(freep) struct mesh_pair *pairs = NULL;
	uint64_t all = 0;

	if (lane->stage->mode == MESH_FULL || lane->stage->mode == MESH_SAMPLE ||
	    lane->stage->mode == MESH_BISECTION)
		return lane->rounds * (count / 2);
	if (lane->stage->mode == MESH_PAIRS)
		return lane->listed_count;
	pairs = mem_alloc_zero(lane_most_pairs(lane) + 1, sizeof(*pairs));
	for (uint32_t i = 0; i < lane->rounds; i++)
		all += lane_round(lane, i, pairs);
	return all;
}

static struct mesh_pair pair_of(const struct lane *lane, uint32_t a, uint32_t b)
{
	return (struct mesh_pair){
		.a = lane->members[a].host,
		.b = lane->members[b].host,
		.rail_a = lane->rail,
		.rail_b = lane->rail,
	};
}

/* The client alternates: the first place of one pair, the second place of the next. */
static size_t name_places(const struct lane *lane, uint32_t start, const struct place_pair *places,
			  size_t count, struct mesh_pair *pairs)
{
	for (size_t i = 0; i < count; i++)
		pairs[i] = i % 2 ? pair_of(lane, start + places[i].b, start + places[i].a)
				 : pair_of(lane, start + places[i].a, start + places[i].b);
	return count;
}

static size_t round_of_bisection(const struct lane *lane, uint32_t round, struct mesh_pair *pairs)
{
	const uint32_t half = lane->count / 2;

	for (uint32_t i = 0; i < half; i++)
		pairs[i] = pair_of(lane, i, half + (i + round) % half);
	return half;
}

static size_t round_of_switches(const struct lane *lane, uint32_t round, struct place_pair *places,
				struct mesh_pair *pairs)
{
	size_t made = 0;

	for (uint32_t start = 0, end; start < lane->count; start = end) {
		end = switch_end(lane, start);
		if (round < circle_rounds(end - start))
			made += name_places(lane, start, places,
					    circle_round(end - start, round, places), pairs + made);
	}
	return made;
}

/* Puts the switches, and the hosts of each, in random order. */
static void shuffle_by_switch(const struct lane *lane, uint64_t state, uint32_t *order)
{
	_cleanup_(freep) uint32_t *starts = mem_alloc_zero(lane->count, sizeof(*starts));
	uint32_t groups = 0, at = 0;

	for (uint32_t start = 0; start < lane->count; start = switch_end(lane, start))
		starts[groups++] = start;
	random_shuffle(&state, starts, groups);
	for (uint32_t i = 0; i < groups; i++) {
		const uint32_t end = switch_end(lane, starts[i]), first = at;

		for (uint32_t j = starts[i]; j < end; j++)
			order[at++] = j;
		random_shuffle(&state, order + first, at - first);
	}
}

/*
 * Pairs the first half with the second: only a switch with more than half of all hosts can be on
 * both sides of a pair, and those hosts rest.
 */
static size_t round_across(const struct lane *lane, uint32_t round, struct mesh_pair *pairs)
{
	_cleanup_(freep) uint32_t *order = mem_alloc_zero(lane->count, sizeof(*order));
	const uint32_t half = lane->count / 2;
	size_t made = 0;

	shuffle_by_switch(lane, lane->seed + round, order);
	for (uint32_t i = 0; i < half; i++)
		if (lane->members[order[i]].at_switch != lane->members[order[i + half]].at_switch)
			pairs[made++] = pair_of(lane, order[i], order[i + half]);
	return made;
}

/* Each round, another member of each group receives, and those after it send. */
static size_t round_of_incast(const struct lane *lane, uint32_t round, struct mesh_pair *pairs)
{
	const uint32_t groups = incast_groups(lane);
	size_t made = 0;

	for (uint32_t i = 0; i < groups; i++) {
		const uint32_t start = (uint32_t)((uint64_t)lane->count * i / groups);
		const uint32_t size = (uint32_t)((uint64_t)lane->count * (i + 1) / groups) - start;
		const uint32_t senders = least(lane->stage->count, size - 1);

		for (uint32_t j = 1; round < size && j <= senders; j++)
			pairs[made++] = pair_of(lane, start + (round + j) % size, start + round);
	}
	return made;
}

static size_t round_of_list(const struct lane *lane, uint32_t round, struct mesh_pair *pairs)
{
	size_t low = 0, high = lane->listed_count, made = 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (lane->listed[middle].round < round)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < lane->listed_count && lane->listed[low].round == round; low++)
		pairs[made++] = lane->listed[low].pair;
	return made;
}

static size_t round_of_places(const struct lane *lane, uint32_t round, struct mesh_pair *pairs)
{
	_cleanup_(freep) struct place_pair *places = mem_alloc_zero(lane->count / 2 + 1,
								    sizeof(*places));

	switch (lane->stage->mode) {
	case MESH_RING:
		return name_places(lane, 0, places, ring_round(lane->count, round, places), pairs);
	case MESH_BY_SWITCH:
		return round_of_switches(lane, round, places, pairs);
	case MESH_SAMPLE:
		round = lane->chosen[round];
		/* fall through */
	default:
		return name_places(lane, 0, places, circle_round(lane->count, round, places),
				   pairs);
	}
}

size_t lane_round(const struct lane *lane, uint32_t round, struct mesh_pair *pairs)
{
	switch (lane->stage->mode) {
	case MESH_LOOPBACK:
		for (uint32_t i = 0; i < lane->count; i++)
			pairs[i] = pair_of(lane, i, i);
		return lane->count;
	case MESH_BISECTION:
		return round_of_bisection(lane, round, pairs);
	case MESH_CROSS_SWITCH:
		return round_across(lane, round, pairs);
	case MESH_INCAST:
		return round_of_incast(lane, round, pairs);
	case MESH_PAIRS:
		return round_of_list(lane, round, pairs);
	default:
		return round_of_places(lane, round, pairs);
	}
}
