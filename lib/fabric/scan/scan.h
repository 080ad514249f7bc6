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

/*
 * Nodes of one GUID: more than were ever cloned by mistake. A switch that is wrong about the port
 * that it is asked by looks like a new one of its GUID behind each of its own cables.
 */
#define FABRIC_SCAN_TWINS 16u
/*
 * Ports of all nodes: several times what a subnet of 49,151 LIDs can have. Somebody who answers
 * with ever new GUIDs shall not fill the memory: 64 hops of such are more than there is.
 */
#define FABRIC_SCAN_PORTS (UINT32_C(1) << 21)

struct fabric_scan_options {
	uint8_t path[FABRIC_HOPS_MOST +
		     1];	/* to where the scan begins: path[1] to path[path_hops] */
	unsigned int path_hops; /* 0: the local node */
	unsigned int most_hops; /* from there; 0: to the end */
	uint32_t most_ports;	/* 0: FABRIC_SCAN_PORTS */
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
