/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The path from one node to another, hop by hop, and the reason for its class. */
#pragma once

#include "base/text.h"
#include "topology/topology.h"

struct topology_hop {
	char *hop;  /* address of a function, host bridge or NUMA node */
	char *what; /* gpu0, downstream port, switch ... */
	/* The link above it, towards the host bridge. */
	struct real speed_gtps, max_speed_gtps;
	struct number width_lanes, max_width_lanes;
	struct real gbps, max_gbps;
	enum tristate slower; /* slower than both ends can do */
};

struct topology_path {
	char *from; /* borrowed, like pair.to */
	struct topology_pair pair;
	struct topology_hop *hops;
	size_t count;
};

extern const struct schema topology_path_schema, topology_hop_schema;

void topology_find_path(const struct topology *topology, const struct topology_node *a,
			const struct topology_node *b, struct topology_path *ret_path);
void topology_path_clear(struct topology_path *path);
/* Appends the sentences below the hops. */
void topology_explain(const struct topology_path *path, struct text_buffer *text);

/* "gen5 x16", or "-"; the caller frees it. */
char *topology_link_text(const struct real *speed_gtps, const struct number *lanes);
