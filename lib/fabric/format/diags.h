/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by the readers and writers of the texts of ibnetdiscover(8) and iblinkinfo(8) of
 * infiniband-diags 44: the order and the names of nodes.
 */
#pragma once

#include <time.h>

#include "fabric/graph/graph.h"
#include "fabric/graph/view.h"

/*
 * Returns all nodes in the order in which those tools discover them: from node 0 through switches,
 * breadth first and by port number. Nodes at Mellanox ports that run at QDR come slightly later,
 * because these ports are queried for FDR10 first. Nodes that are not reached come last. To be
 * freed.
 */
uint32_t *diags_order(const struct fabric *fabric);

/*
 * Returns the order without that exception. *ret_parents, also to be freed, has for each node the
 * port through which it was found, or FABRIC_NONE.
 */
uint32_t *diags_breadth_first(const struct fabric *fabric, uint32_t **ret_parents);

/*
 * Returns the name of the node in the map, else its description with a blank for each byte that is
 * not a printable ASCII character. To be freed.
 */
char *diags_name(const struct fabric_node *node, const struct node_names *names);

/* Returns the LID that the port (port 0 of a switch) reports, even if it is no unicast LID. */
unsigned int diags_lid(const struct fabric *fabric, uint32_t port);

/*
 * Returns a subnet as printed by iblinkinfo(8) of infiniband-diags 44, byte for byte: all nodes in
 * reverse order of discovery, with all their known ports. To be freed.
 */
char *iblinkinfo_text(const struct fabric_view *view);

/*
 * Returns a subnet as printed by ibnetdiscover(8) of infiniband-diags 44, byte for byte: switches,
 * then adapters, then routers, each in reverse order of discovery. XDR, which that version does not
 * know, is written as XDR. `now` is the date in the head, in local time. To be freed.
 *
 * With `groups` and the chassis of the view, the text is as with --grouping, except that routers in
 * a chassis are printed, too, that each node has its true type, and that chassis are numbered
 * beyond 255.
 */
char *ibnetdiscover_text(const struct fabric_view *view, bool groups, time_t now);
