/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which adapters an accelerator should use, or will use. */
#pragma once

#include "base/text.h"
#include "topology/topology.h"

enum assign_mode {
	ASSIGN_RAIL, /* least total cost; each adapter for one accelerator */
	ASSIGN_NCCL, /* what NCCL chooses by its own rules */
};

extern const struct enum_name assign_mode_names[];

struct assignment {
	const struct topology_node *accelerator;
	char *node, *pci_address, *cpus; /* borrowed */
	struct strings nics;		 /* the first one is the best */
	struct number rail;		 /* of the first one */
	struct topology_pair pair;	 /* to the first one */
	struct number source;		 /* enum topology_source: how certain the choice is */
};

struct assignment_list {
	struct assignment *items; /* one per accelerator, in PCI order */
	size_t count;
	const struct topology_node **nics; /* the candidates, in PCI order */
	size_t *rails; /* of each: its place on the bus, counting those without an active port */
	size_t nic_count;
};

extern const struct schema assignment_schema;

/*
 * Candidates are adapters with an active port; if some share a switch with an accelerator, only
 * those, because the others are for storage. Returns 0, -ENODEV without accelerators or candidates,
 * or -E2BIG if there are more than TOPOLOGY_MOST_NODES.
 */
int assign(const struct topology *topology, enum assign_mode mode,
	   struct assignment_list *ret_list);
void assignment_list_clear(struct assignment_list *list);
/* Returns the index of the candidate with that name, which an accelerator has. */
size_t assignment_nic(const struct assignment_list *list, const char *name);

/*
 * Fills the nics of each accelerator with what NCCL chooses, by the rules of its version 2.30.7:
 * src/graph/topo.cc, ncclTopoGetLocalNetType() with NCCL_NETDEVS_POLICY=AUTO, ports of one card as
 * one device. This is a prediction: other versions and settings have other rules, NCCL is assumed
 * to number GPUs in bus order, and the link between CPUs is assumed to carry 16 GB/s, although that
 * depends on the CPU.
 */
#define PREDICTED_NCCL "2.30.7"
void predict_nccl(const struct topology *topology, struct assignment_list *list);

enum env_kind { ENV_NCCL, ENV_UCX, ENV_MPI };

extern const struct enum_name env_kind_names[];

/*
 * Writes settings for the shell, only for accelerator `gpu` unless it is NULL. Names that a shell
 * could misread are omitted and become problems.
 */
void assign_env(const struct assignment_list *list, enum env_kind kind,
		const struct topology_node *gpu, struct text_buffer *text,
		struct problems *problems);

/*
 * Least-cost matching of rows to columns: the Hungarian method (Kuhn 1955, Munkres 1957) with
 * potentials and shortest augmenting paths, in rows * rows * columns steps.
 *
 * Solves cost[row * columns + column], at most 2^54 each; rows <= columns. Fills column_of[row] so
 * that the sum of the costs is least and no column is used twice. The same costs always give the
 * same matching.
 */
void matching_solve(const int64_t *cost, size_t rows, size_t columns, size_t *column_of);
