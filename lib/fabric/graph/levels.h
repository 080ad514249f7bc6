/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The level of each switch in a tree. A fat tree does not tell its levels, so they are inferred:
 * switches with hosts are its leaves, and the others are as high as they are far from the leaves. A
 * switch that connects nothing that is not already connected below it is a leaf without hosts; a
 * switch with few hosts whose neighbours have many is not a leaf. A tree with hosts on all levels
 * begins at its middle.
 */
#pragma once

#include "fabric/graph/graph.h"

struct fabric_levels {
	unsigned int *level; /* of each node: leaves 1, the next level 2, ...; 0 if not a switch */
	unsigned int count;  /* the highest level; 0 without switches */
	/*
	 * At most a tenth of the cables between switches stay on a level. In other topologies (a
	 * torus, a dragonfly) the first switch of the graph is on top, and the others are as far
	 * below it as they are cables away.
	 */
	bool is_tree;
};

/* Channel adapters, without the aggregation nodes inside switches (SHARP). */
bool fabric_is_host(const struct fabric *fabric, uint32_t node);

void fabric_levels_fill(const struct fabric *fabric, struct fabric_levels *levels);
void fabric_levels_clear(struct fabric_levels *levels);
