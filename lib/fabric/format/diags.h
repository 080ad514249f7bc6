/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the texts of ibnetdiscover(8) and iblinkinfo(8), of infiniband-diags 44, have in common: the
 * order of nodes, how they are called.
 */
#pragma once

#include "fabric/graph/graph.h"
#include "fabric/graph/view.h"

/*
 * All nodes in the order in which those tools come by them, to be freed: from node 0 through
 * switches, breadth first and by the numbers of ports, those of Mellanox that run at QDR a bit
 * later than others, as they are asked about that first. What is not reached so follows.
 */
uint32_t *diags_order(const struct fabric *fabric);

/*
 * The same without that exception. `ret_parents` is by node the port that it was found behind, or
 * FABRIC_NONE; to be freed, too.
 */
uint32_t *diags_breadth_first(const struct fabric *fabric, uint32_t **ret_parents);

/*
 * The node's place in the list of names, else its description with a blank for each byte that is no
 * printable character of ASCII. To be freed.
 */
char *diags_name(const struct fabric_node *node, const struct node_names *names);
