/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The subnet as a tree for people, in ASCII: from the top switches down; where it is no tree, from
 * where the scan began. A switch with several above it is printed in full at the first of them.
 * What is the same is collected in one line; lines that are worth a look have a `!`.
 */
#pragma once

#include <stdbool.h>
#include <time.h>

#include "fabric/graph/view.h"

/* `all`: each node in a line of its own. To be freed. */
char *fabric_tree_text(const struct fabric_view *view, bool all);

/*
 * The subnet as a graph in the language of Graphviz: switches by their level, hosts below their
 * switch, what is not as it should be in colour and with words. Parallel cables of a kind are one
 * edge; hosts that hang on a switch by cables of a kind are one box. Source: graphviz.org/doc,
 * "The DOT Language", "Node, Edge and Graph Attributes", "HTML-Like Labels".
 */
/* `all`: each host is a node of its own. To be freed. */
char *fabric_dot_text(const struct fabric_view *view, bool all);

/*
 * topology.conf for the topology/tree plugin of Slurm: each switch with its hosts, or with the
 * switches a level below it. Several top switches are written as they are: each has all of its
 * children. Slurm takes a host at one leaf only, and hosts or switches at a switch, not both; the
 * text begins with remarks where the subnet is otherwise. Source: topology.conf(5).
 */
/* To be freed. */
char *fabric_slurm_text(const struct fabric_view *view);

/*
 * A subnet as iblinkinfo(8) of infiniband-diags 44 prints it, byte for byte: all nodes, the other
 * way round than they were come by, with all their ports that are known.
 */
/* The whole text, to be freed. */
char *iblinkinfo_text(const struct fabric_view *view);

/*
 * A subnet as ibnetdiscover(8) of infiniband-diags 44 prints it, byte for byte: switches, then
 * adapters, then routers, each the other way round than they were come by. What that version has no
 * word for, a speed of XDR, is called so.
 */
/* The whole text, to be freed; `now` is the date in its head, in local time. */
char *ibnetdiscover_text(const struct fabric_view *view, time_t now);
