/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What schedules are made of: rounds of pairs, random orders, and the part on one rail. */
#pragma once

#include "mesh/plan/plan.h"

/*
 * Rounds of pairs of `count` places, 0 to count - 1: each place is in at most one pair of a round.
 * A round can be computed without the others.
 */
struct place_pair {
	uint32_t a, b;
};

/* Each place meets every other one once: count - 1 rounds, or count if it is odd. */
uint32_t circle_rounds(uint32_t count);
/* Fills at most count / 2 pairs, and returns how many; if the count is odd, one place rests. */
size_t circle_round(uint32_t count, uint32_t round, struct place_pair *pairs);

/* A ring takes 2 rounds, or 3 if the count is odd; two places form only one pair. */
uint32_t ring_rounds(uint32_t count);
size_t ring_round(uint32_t count, uint32_t round, struct place_pair *pairs);

/* A host on the rail of a lane. */
struct lane_member {
	uint32_t host;
	uint32_t at_switch;
};

struct listed_pair {
	struct mesh_pair pair;
	uint32_t round;
};

/* The part of a schedule on one rail, or the pairs of a file. */
struct lane {
	const struct plan_stage *stage;
	uint16_t rail;
	uint64_t seed;
	struct lane_member *members; /* by switch, then by host; in random order for MESH_SAMPLE */
	uint32_t count;
	uint32_t rounds;
	uint32_t *chosen;	    /* MESH_SAMPLE: rounds of the circle method */
	struct listed_pair *listed; /* MESH_PAIRS: by round */
	size_t listed_count;
};

/* Computes the number of rounds, after the members have been filled. */
void lane_begin(struct lane *lane);
void lane_clear(struct lane *lane);
/* The most pairs of any round; the pairs of all rounds. */
size_t lane_most_pairs(const struct lane *lane);
uint64_t lane_all_pairs(const struct lane *lane);
size_t lane_round(const struct lane *lane, uint32_t round, struct mesh_pair *pairs);
