/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The subnet as a tree in ASCII: from the top switches down or, in another topology, from where the
 * scan began. A switch with several switches above it is printed in full at the first of them.
 * Nodes that are alike share a line; lines that need attention have a `!`.
 */
#pragma once

#include <stdbool.h>
#include <time.h>

#include "fabric/graph/view.h"

/* With `all`, each node has a line of its own. To be freed. */
char *fabric_tree_text(const struct fabric_view *view, bool all);

/*
 * The subnet as a graph in the language of Graphviz: switches by their level, hosts below their
 * switch, faults in colour and with words. Parallel cables of a kind are one edge; hosts attached
 * to a switch by cables of a kind share a box. Source: graphviz.org/doc, "The DOT Language", "Node,
 * Edge and Graph Attributes", "HTML-Like Labels".
 */
/* With `all`, each host is a node of its own. To be freed. */
char *fabric_dot_text(const struct fabric_view *view, bool all);

/*
 * topology.conf for the topology/tree plugin of Slurm: each switch with its hosts, or with the
 * switches a level below it. Several top switches are written as they are: each has all of its
 * children. Slurm takes a host at one leaf only, and either hosts or switches at a switch; the text
 * begins with remarks where the subnet differs. Source: topology.conf(5). To be freed.
 */
char *fabric_slurm_text(const struct fabric_view *view);

/*
 * A subnet as iblinkinfo(8) of infiniband-diags 44 prints it, byte for byte: all nodes in reverse
 * order of discovery, with all their known ports. To be freed.
 */
char *iblinkinfo_text(const struct fabric_view *view);

/*
 * A subnet as ibnetdiscover(8) of infiniband-diags 44 prints it, byte for byte: switches, then
 * adapters, then routers, each in reverse order of discovery. XDR, which that version does not
 * know, is written as XDR. `now` is the date in the head, in local time. To be freed.
 */
char *ibnetdiscover_text(const struct fabric_view *view, time_t now);
