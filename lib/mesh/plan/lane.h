/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The part of a schedule on one rail, or the pairs of a file. */
#pragma once

#include "mesh/plan/plan.h"

/* A host on the rail. */
struct member {
	uint32_t host;
	uint32_t at_switch;
};

struct listed_pair {
	struct mesh_pair pair;
	uint32_t round;
};

struct lane {
	const struct plan_stage *stage;
	uint16_t rail;
	uint64_t seed;
	struct member *members; /* by switch, then by host; in random order for MESH_SAMPLE */
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
