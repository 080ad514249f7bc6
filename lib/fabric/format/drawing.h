/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by all drawings and exports of a subnet as a tree: levels, unique names of nodes, counts
 * of cables, and an order that depends only on names and not on who answered first.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "fabric/graph/view.h"
#include "schema/problem.h"

struct drawing {
	const struct fabric_view *view;
	struct fabric_levels levels;
	char **names;	  /* of each node, with the GUID if two have the same name */
	char **words;	  /* the first word of each name: the host in `host1 mlx5_0` */
	uint32_t *sorted; /* nodes by name */
	uint32_t *order;  /* of each node: its index in `sorted` */
};

/* The view must outlive the drawing. */
void drawing_begin(const struct fabric_view *view, struct drawing *drawing);
void drawing_end(struct drawing *drawing);

/* Returns `words` if they distinguish these nodes, which are sorted by name; else `names`. */
char *const *drawing_short_names(const struct drawing *drawing, const uint32_t *nodes,
				 size_t count);
/*
 * Returns the nodes by level and name; those of level i end before *ret_ends[i]. Level 0 is for
 * nodes that are not switches. Both arrays are to be freed.
 */
uint32_t *drawing_by_level(const struct drawing *drawing, uint32_t **ret_ends);

/* Whether the cable in a port is counted at this port rather than at its other end. */
bool drawing_counts_at(const struct drawing *drawing, uint32_t port);

/* A kind of cable, and how many of it the subnet has. */
struct cable_count {
	struct cable_kind kind;
	uint64_t count;
};
/* Returns the kinds, good ones first, then by frequency; to be freed. */
struct cable_count *drawing_count_cables(const struct drawing *drawing, size_t *ret_count);
/* Returns `9 switches, 91 hosts, 199 cables`; to be freed. */
char *drawing_title(const struct drawing *drawing);

/*
 * The subnet as a tree in ASCII: from the top switches down or, in another topology, from where the
 * scan began. A switch with several switches above it is printed in full at the first of them.
 * Nodes that are alike share a line; lines that need attention have a `!`.
 * With `all`, each node has its own line. To be freed.
 */
char *fabric_tree_text(const struct fabric_view *view, bool all);

/*
 * The subnet as a graph in the language of Graphviz: switches by level, hosts below their switch,
 * faults in colour and in words. Parallel cables of the same kind are one edge; hosts attached to a
 * switch by cables of the same kind share a box. Source: graphviz.org/doc, "The DOT Language",
 * "Node, Edge and Graph Attributes", "HTML-Like Labels".
 */
/* What colours show: kinds of cables and their faults, a property of cables, or one of nodes. */
enum drawing_scheme {
	DRAWING_STATE,
	DRAWING_SPEED,
	DRAWING_WIDTH,
	DRAWING_ERRORS,
	DRAWING_LEVEL,
	DRAWING_TYPE,
	DRAWING_DEVICE,
	DRAWING_CHASSIS,
};

struct drawing_options {
	bool all; /* each host is a separate node */
	enum drawing_scheme scheme;
	bool groups; /* frame each chassis with switches: needs the chassis of the view */
	/* For DRAWING_ERRORS: errors by port; UINT64_MAX if its counters are unknown. */
	const uint64_t *errors;
};

/* Returns the text, to be freed. */
char *fabric_dot_text(const struct fabric_view *view, const struct drawing_options *options);

/*
 * Returns topology.conf for the topology/tree plugin of Slurm: each switch with its hosts, or with
 * the switches one level below it. Several top switches are all written, each with all of its
 * children. Slurm accepts a host at one leaf only, and either hosts or switches at a switch; the
 * text begins with remarks where the subnet differs. Source: topology.conf(5). To be freed.
 *
 * Adapters whose names differ only in the second word, `HCA-1` or `mlx5_0`, are in one host. Others
 * that share the first word are a problem: they are listed with their GUIDs.
 */
char *fabric_slurm_text(const struct fabric_view *view, struct problems *problems);
