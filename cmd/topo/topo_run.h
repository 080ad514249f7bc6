/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the forms of rdmactl topo. */
#pragma once

#include "cmd/listing.h"
#include "topology/assign/assign.h"

struct topo_args {
	bool all;
	struct number names; /* enum topology_dialect */
	bool tree, why, nccl_xml;
	const char *require, *file, *gpu, *locality, *svg;
	struct number assign; /* enum assign_mode */
	struct number env;    /* enum env_kind */
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

bool topo_has_node(struct topology_node *const *nodes, size_t count,
		   const struct topology_node *node);
/* Reports that no node, or no accelerator, has that name. */
void topo_note_word(struct topo_run *run, const char *word, bool accelerator);
/* Prints the text of the buffer, and frees it. Returns an error of the output. */
int topo_print(struct text_buffer *buffer);
/* Prints the matrix with its legend. Returns an error of the output. */
int topo_print_matrix(struct topo_run *run);
/* Appends what the answer is based on, and why it may be wrong, for people. */
void topo_add_doubts(const struct topo_run *run, struct text_buffer *text);
/* Prints NCCL's topology file. */
int topo_print_nccl(struct topo_run *run);
/* --assign and --env: adds rows or prints. Returns an error of the output. */
int topo_assign(struct topo_run *run, struct assignment_list *list);
/* Writes the picture to the file of --svg. */
void topo_write_svg(struct topo_run *run);
/* The other forms. They print, or add rows to the listing for its other formats. */
int topo_print_tree(struct topo_run *run);
int topo_print_path(struct topo_run *run, const struct topology_path *path);
/*
 * Whether each accelerator has an adapter at least as near as the class; notes those that lack one.
 */
bool topo_check(struct topo_run *run, enum topology_class class);
