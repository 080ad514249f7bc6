/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Topology files in NCCL's format (src/graph/xml.cc): cpu elements for NUMA nodes, which contain
 * pci elements for switches and functions. RCCL's files are the same, with version 2.
 */
#pragma once

#include "base/text.h"
#include "topology/topology.h"

/*
 * Puts the nodes where the file says they are. *ret_matched is the number of nodes that the file
 * has. Returns 0, or -EINVAL with *ret_message for the caller to free.
 */
int nccl_read(struct topology *topology, const char *text, size_t *ret_matched, char **ret_message);
/* Writes the file for the nodes. */
void nccl_write(const struct topology *topology, struct topology_node *const *nodes, size_t count,
		struct text_buffer *text);
