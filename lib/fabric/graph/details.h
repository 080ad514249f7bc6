/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a subnet manager has set besides routes: P_Key tables (14.2.5.7), GUIDs (14.2.5.5), SL to VL
 * mappings (14.2.5.8) and VL arbitration (14.2.5.9) of the ports whose link is up, and of port 0 of
 * switches. Read on demand, for it takes many datagrams.
 */
#pragma once

#include "fabric/scan/scan.h"
#include "fabric/graph/view.h"

extern const struct schema fabric_details_schema; /* of struct fabric_row; place: of the detail */

/*
 * Appends the details of all nodes to the graph, by the routes of the scan. Blocks with nothing in
 * use are left out; who does not answer is in the graph's silences, once for each table. Returns 0,
 * -ECANCELED if it was stopped, or -errno: the local port broke down.
 */
int fabric_details_read(struct mad_engine *engine, const struct fabric_scan_options *scan,
			struct fabric *fabric);
void fabric_list_details(const struct fabric_view *view, struct fabric_rows *rows);
