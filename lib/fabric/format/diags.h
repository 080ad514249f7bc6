/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by the readers and writers of the texts of ibnetdiscover(8) and iblinkinfo(8), of
 * infiniband-diags 44: the order and the names of nodes.
 */
#pragma once

#include <time.h>

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

/*
 * A subnet as iblinkinfo(8) of infiniband-diags 44 prints it, byte for byte: all nodes in reverse
 * order of discovery, with all their known ports. To be freed.
 */
char *iblinkinfo_text(const struct fabric_view *view);

/*
 * A subnet as ibnetdiscover(8) of infiniband-diags 44 prints it, byte for byte: switches, then
 * adapters, then routers, each in reverse order of discovery. XDR, which that version does not
 * know, is written as XDR. `now` is the date in the head, in local time. To be freed.
 *
 * With `groups` and the chassis of the view it is as with --grouping, but routers in a chassis are
 * printed, too, and all as what they are, and chassis are numbered beyond 255.
 */
char *ibnetdiscover_text(const struct fabric_view *view, bool groups, time_t now);
