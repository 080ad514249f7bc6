/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the forms of rdmactl topo share. */
#pragma once

#include "cmd/listing.h"
#include "topology/topology.h"

struct topo_args {
	bool all;
	struct number names; /* enum topology_dialect */
};

struct topo_run {
	struct listing listing;
	const struct topo_args *args;
	struct root root;
	struct problems doubts; /* why the answer may be wrong */
	struct topology topology;
	struct topology_node **nodes; /* columns of the matrix */
	size_t count;
	struct topology_node **rows; /* those of them that were named, or all */
	size_t row_count;
};

static inline enum topology_dialect topo_dialect(const struct topo_run *run)
{
	return (enum topology_dialect)run->args->names.value; /* smi is 0 */
}

/* The matrix with its legend; an error of the output. */
int topo_print_matrix(struct topo_run *run);
/* "gen5 x16"; "-" if unknown. The caller frees it. */
char *topo_link_text(const struct real *speed_gtps, const struct number *lanes);
