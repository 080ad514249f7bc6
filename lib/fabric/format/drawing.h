/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by all drawings and exports of a subnet as a tree: levels, unique names of nodes, an
 * order that depends only on names and not on who answered first, and the figures.
 */
#pragma once

#include <stddef.h>

#include "fabric/graph/link.h"
#include "fabric/graph/levels.h"
#include "fabric/graph/view.h"

struct drawing {
	const struct fabric_view *view;
	struct fabric_levels levels;
	char **names;	  /* of each node, with its GUID if two have the same */
	char **words;	  /* the first word of each name: the host in `host1 mlx5_0` */
	uint32_t *sorted; /* nodes by name */
	uint32_t *order;  /* of each node: its index in `sorted` */
	uint32_t switches, hosts, others;
};

/* The view outlives the drawing. */
void drawing_begin(const struct fabric_view *view, struct drawing *drawing);
void drawing_end(struct drawing *drawing);

/* A kind of cable, and how many there are in the subnet. */
struct cable_count {
	struct cable_kind kind;
	uint64_t count;
};
/* The good ones first, then by frequency; to be freed. */
struct cable_count *drawing_count_cables(const struct drawing *drawing, size_t *ret_count);
/* `9 switches, 91 hosts, 199 cables`; to be freed. */
char *drawing_title(const struct drawing *drawing);

/*
 * Many names in little space, in the format of Slurm, pdsh and others: `leaf[1-3,7],spine1`. Only
 * the number at the end of a name is counted, and leading zeros are kept. The names are sorted in
 * natural order, each once. Names that make the text longer than `most` bytes are replaced by
 * `...`; 0: no limit. To be freed.
 */
char *hostlist_format(const char *const *names, size_t count, size_t most);
