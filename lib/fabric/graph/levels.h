/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which switch is on which level of a tree. A fat tree does not say what it is, so this is worked
 * out: switches with hosts are its leaves, the others are as high as they are far from these. One
 * that joins nothing that is not joined below it is a leaf without hosts; one with few hosts, whose
 * neighbours have many, is no leaf. A tree in which hosts are on all levels begins at its middle.
 */
#pragma once

#include "fabric/graph/graph.h"

struct fabric_levels {
	unsigned int *level; /* of each node by its place: leaves 1, the next 2 ...; no switch: 0 */
	unsigned int count;  /* the highest; 0: there is no switch */
	/*
	 * At most a tenth of the cables between switches stay on a level. If not (a torus, a
	 * dragonfly), the first switch of the graph is on top, the others as far below it as they
	 * are cables away.
	 */
	bool is_tree;
};

/* Channel adapters but the ones that switches themselves have, to sum up data (SHARP). */
bool fabric_is_host(const struct fabric *fabric, uint32_t node);

void fabric_levels_fill(const struct fabric *fabric, struct fabric_levels *levels);
void fabric_levels_clear(struct fabric_levels *levels);
