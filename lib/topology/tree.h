/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The nodes as a tree, in text for people. */
#pragma once

#include "base/text.h"
#include "topology/topology.h"

void topology_show_tree(const struct topology *topology, struct topology_node *const *nodes,
			size_t count, struct text_buffer *text);
