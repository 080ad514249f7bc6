/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The nodes as a tree, for people: as text, or as a picture (SVG 1.1). */
#pragma once

#include "base/text.h"
#include "topology/topology.h"

void topology_show_tree(const struct topology *topology, struct topology_node *const *nodes,
			size_t count, struct text_buffer *text);
void topology_draw_tree(const struct topology *topology, struct topology_node *const *nodes,
			size_t count, struct text_buffer *text);
