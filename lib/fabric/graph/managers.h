/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The subnet managers of a subnet: asked for SMInfo (14.2.5.13) is whoever says that it is one, and
 * whoever the ports believe to be it.
 */
#pragma once

#include "fabric/scan/scan.h"

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
