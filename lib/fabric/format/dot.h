/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The subnet as a graph in the language of Graphviz: switches by their level, hosts below their
 * switch, what is not as it should be in colour and with words. Parallel cables of a kind are one
 * edge; hosts that hang on a switch by cables of a kind are one box. Source: graphviz.org/doc,
 * "The DOT Language", "Node, Edge and Graph Attributes", "HTML-Like Labels".
 */
#pragma once

#include <stdbool.h>

#include "fabric/graph/view.h"

/* `all`: each host is a node of its own. To be freed. */
char *fabric_dot_text(const struct fabric_view *view, bool all);
