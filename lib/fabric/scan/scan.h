/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One pass over a subnet by directed routes, from the local port or from a node that a route leads
 * to. Each cable is asked about from one end only; who does not answer costs his own time-outs and
 * is in the list of silences; two nodes of the same GUID are kept apart.
 *
 * It ends whatever the nodes answer: there are bounds on how many are taken. Where one was not, the
 * port is `unanswered` and a silence tells why, -ELOOP or -ENOSPC.
 */
#pragma once

#include "fabric/graph/graph.h"
#include "mad/engine/engine.h"

struct fabric_scan_options {
	uint8_t path[MAD_HOPS_MOST + 1]; /* to where the scan begins: path[1] to path[path_hops] */
	unsigned int path_hops;		 /* 0: the local node */
	unsigned int most_hops;		 /* from there; 0: to the end */
	uint32_t most_ports;		 /* 0: FABRIC_SCAN_PORTS */
	uint64_t mkey;
	void (*heard)(void *context); /* called after each answer, or when none came; or NULL */
	void *context;
};

/*
 * Fills an empty fabric. Returns 0 also if some did not answer: they are in fabric->silences.
 * -EHOSTUNREACH: the node where it begins did not answer (a silence says why), so there is nothing.
 * -ECANCELED: it was stopped; what is known by then is there. Else -errno: the local port broke
 * down, the same.
 */
int fabric_scan(struct mad_engine *engine, const struct fabric_scan_options *options,
		struct fabric *fabric);

/*
 * A Get of subnet management, its attribute and modifier left to the caller, by a route from where
 * the scan began (as of fabric_path()), with the way there in front. False: there is no route, or
 * it is too long for a directed one.
 */
bool fabric_scan_request(const struct fabric_scan_options *options, const struct fabric *fabric,
			 const uint8_t *path, int hops, struct mad_request *request);

/*
 * What a subnet manager has set besides routes: P_Key tables (14.2.5.7), GUIDs (14.2.5.5), SL to VL
 * mappings (14.2.5.8) and VL arbitration (14.2.5.9) of the ports whose link is up, and of port 0 of
 * switches. Read on demand, for it takes many datagrams.
 */
/*
 * Appends the details of all nodes to the graph, by the routes of the scan. Blocks with nothing in
 * use are left out; who does not answer is in the graph's silences, once for each table. Returns 0,
 * -ECANCELED if it was stopped, or -errno: the local port broke down.
 */
int fabric_details_read(struct mad_engine *engine, const struct fabric_scan_options *scan,
			struct fabric *fabric);

/*
 * The subnet managers of a subnet: asked for SMInfo (14.2.5.13) is whoever says that it is one, and
 * whoever the ports believe to be it.
 */
enum { MANAGER_STANDBY = 2, MANAGER_MASTER = 3 }; /* SMInfo:SMState */

struct fabric_manager {
	uint32_t port; /* or FABRIC_NONE: nobody of the graph has that LID */
	uint16_t lid;
	int error; /* as of struct mad_reply */
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

/* The LID that most ports believe the subnet manager to have; 0: no port knows one. */
uint16_t fabric_manager_lid(const struct fabric *fabric);
/*
 * Whether it is a port that has a LID of its own: of a switch port 0. What a subnet manager tells
 * about itself is there only.
 */
bool fabric_is_end_port(const struct fabric *fabric, uint32_t port);
uint16_t fabric_port_manager_lid(const struct fabric_port *port);

/*
 * Fills an empty list. Ports of the graph are asked by directed routes from where the scan began,
 * which needs no LIDs; who is known by his LID only needs one of the local port: with `local_lid` 0
 * he is left out. Returns as mad_engine_run() does.
 */
int fabric_managers_read(struct mad_engine *engine, const struct fabric_scan_options *scan,
			 const struct fabric *fabric, uint16_t local_lid,
			 struct fabric_managers *managers);
void fabric_managers_clear(struct fabric_managers *managers);
