/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads a subnet by directed routes, from the local port or from a node that a route leads to.
 *
 * A scan queries each cable from one end only. A node that does not answer costs only its own
 * timeouts, and is listed among the failures; two nodes with the same GUID are kept apart. A scan
 * ends whatever the nodes answer, because the number of nodes is limited. The port that leads to a
 * node beyond the limit is `unanswered`, with a failure of -ELOOP or -ENOSPC.
 */
#pragma once

#include "base/cleanup.h"
#include "fabric/graph/graph.h"
#include "mad/engine/engine.h"
#include "mad/engine/gather.h"

struct fabric_scan_options {
	uint8_t path[MAD_HOPS_MOST + 1]; /* route to the scan's start: path[1] to path[path_hops] */
	unsigned int path_hops;		 /* 0: the local node */
	unsigned int most_hops;		 /* counted from there; 0: no limit */
	uint32_t most_ports;		 /* 0: FABRIC_SCAN_PORTS */
	uint64_t mkey;
	bool switch_only;    /* begin at a switch, or not at all */
	bool no_switch_info; /* SwitchInfo is neither needed nor queried */
	/*
	 * Port 0 of switches is not needed, and the ports of adapters and routers at a switch
	 * only to tell whether the link could run better. So PortInfo of port 0 is not queried,
	 * and that of the others only if the switch supports more than the link runs at.
	 */
	bool no_end_ports;
	void (*on_reply)(void *context); /* called after each answer or timeout; or NULL */
	void *context;
};

/*
 * Fills an empty fabric. Returns 0 even if some nodes did not answer: they are in fabric->failures.
 * -EHOSTUNREACH: the first node did not answer (a failure says why), so the fabric is empty.
 * -ENXIO: the first node is not a switch, as `switch_only` demands; the fabric is empty.
 * -ECANCELED: the scan was stopped; any other -errno: the local port failed. In these two cases the
 * fabric holds what was known by then.
 */
int fabric_scan(struct mad_engine *engine, const struct fabric_scan_options *options,
		struct fabric *fabric);

/*
 * Prepares a SubnGet() along a route from where the scan began (see fabric_path()), prefixed with
 * the route to that node. The caller sets attribute and modifier. Returns false if there is no
 * route, or if it is too long for a directed route.
 */
bool fabric_scan_request(const struct fabric_scan_options *options, const struct fabric *fabric,
			 const uint8_t *path, int hops, struct mad_request *request);

/* These return the failure to record for the queried port if the reply cannot be used. */
struct fabric_failure fabric_failure_of(uint32_t port, const struct mad_reply *reply);
struct fabric_failure fabric_failure_of_item(uint32_t port, const struct mad_item *item);

/*
 * Appends to the graph the details that a subnet manager has set besides routes: P_Key tables
 * (14.2.5.7), GUIDs (14.2.5.5), SL to VL mappings (14.2.5.8) and VL arbitration (14.2.5.9) of ports
 * with a link, and of port 0 of switches. They are read on demand, because this takes many
 * datagrams. Blocks without an entry in use are omitted. A node that does not answer is in the
 * graph's failures once for each table. With `lanes_of`, by port of the graph, only the SL to VL
 * mappings of these ports are read. Returns 0, -ECANCELED if stopped, or -errno if the local port
 * failed.
 */
int fabric_details_read(struct mad_engine *engine, const struct fabric_scan_options *scan,
			struct fabric *fabric, const bool *lanes_of);
/* Whether the graph, loaded from a file, was saved with these details: every port has a P_Key. */
bool fabric_has_details(const struct fabric *fabric);

/*
 * Subnet managers: each port that claims to have one, and the port that the others name as theirs,
 * is queried for SMInfo (14.2.5.13).
 */
struct fabric_manager {
	uint32_t port; /* FABRIC_NONE: no port of the graph has the LID */
	uint16_t lid;
	int error; /* as in struct mad_reply */
	uint16_t status;
	unsigned int tries;
	uint64_t guid;
	uint32_t activity;
	uint8_t priority, state;
};

struct fabric_managers {
	struct fabric_manager *items;
	size_t count;
};

/* The LID of the subnet manager according to most ports; 0: no port knows one. */
uint16_t fabric_manager_lid(const struct fabric *fabric);
/*
 * Whether the port can have a LID; on a switch, only port 0 can. Only these ports know
 * the LID of the subnet manager.
 */
bool fabric_is_end_port(const struct fabric *fabric, uint32_t port);

/*
 * Fills an empty list. Ports of the graph are queried by directed routes from where the scan began,
 * which need no LIDs. A manager known only by its LID is queried by LID, and skipped if the local
 * port has none (`local_lid` 0). Returns as mad_engine_run() does.
 */
int fabric_managers_read(struct mad_engine *engine, const struct fabric_scan_options *scan,
			 const struct fabric *fabric, uint16_t local_lid,
			 struct fabric_managers *managers);
DEFINE_CLEAR(struct fabric_managers, fabric_managers_clear, free(object->items))
