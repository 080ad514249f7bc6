/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by the readers and writers of the texts of ibnetdiscover(8) and iblinkinfo(8), of
 * infiniband-diags 44: the order and the names of nodes.
 */
#pragma once

#include "fabric/graph/graph.h"
#include "fabric/graph/view.h"

/*
 * All nodes in the order in which those tools discover them, to be freed: from node 0 through
 * switches, breadth first and by port number. Nodes at Mellanox ports that run at QDR come a bit
 * later, because these ports are queried for FDR10 first. Nodes that are not reached follow.
 */
uint32_t *diags_order(const struct fabric *fabric);

/*
 * The same without that exception. *ret_parents, to be freed too, has for each node the port that
 * it was found through, or FABRIC_NONE.
 */
uint32_t *diags_breadth_first(const struct fabric *fabric, uint32_t **ret_parents);

/*
 * The name of the node in the map, else its description with a blank for each byte that is not a
 * printable ASCII character. To be freed.
 */
char *diags_name(const struct fabric_node *node, const struct node_names *names);
