/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What all that draw or export a subnet as a tree have in common: levels, names that tell nodes
 * apart, an order that depends on names alone and not on who answered first, and the figures.
 */
#pragma once

#include <stddef.h>

#include "fabric/graph/link.h"
#include "fabric/graph/levels.h"
#include "fabric/graph/view.h"

struct drawing {
	const struct fabric_view *view;
	struct fabric_levels levels;
	char **names;	  /* of each node; the GUID is in it if two have the same */
	char **words;	  /* the first word of each node's name: the host, of `host1 mlx5_0` */
	uint32_t *sorted; /* nodes by name */
	uint32_t *order;  /* of each node: its place among these */
	uint32_t switches, hosts, others;
};

/* The view outlives the drawing. */
void drawing_begin(const struct fabric_view *view, struct drawing *drawing);
void drawing_end(struct drawing *drawing);

/* A kind of cables in the whole subnet, and how many there are. */
struct cable_count {
	struct cable_kind kind;
	uint64_t count;
};
/* The good ones first, of the same condition the most frequent first; to be freed. */
struct cable_count *drawing_count_cables(const struct drawing *drawing, size_t *ret_count);
/* `9 switches, 91 hosts, 199 cables`; to be freed. */
char *drawing_title(const struct drawing *drawing);

/*
 * Many names in little space, as Slurm, pdsh and others write and read them: `leaf[1-3,7],spine1`.
 * Only the number at the end of a name is taken for one. What has leading zeros keeps them.
 */
/*
 * In natural order, whatever that of the names; each once. `most`: leaves out what makes it longer
 * than so many bytes, and says so (`...`); 0: nothing is left out. The caller frees it.
 */
char *hostlist_format(const char *const *names, size_t count, size_t most);
