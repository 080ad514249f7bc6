/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The directed route to a LID from the local port, found without a scan: node by node, each asked
 * by the route so far who it is and where its forwarding table sends the LID. So it leads where
 * packets to the LID go, also when no subnet manager answers.
 */
#pragma once

#include "fabric/graph/graph.h"
#include "mad/engine/engine.h"

enum walk_end {
	WALK_ARRIVED,
	WALK_SILENT,   /* the node did not answer: see attribute, error and the others */
	WALK_NOWHERE,  /* its table has no port for the LID */
	WALK_NO_PORT,  /* it has one that the switch has not, or the switch itself */
	WALK_LOOP,     /* it has been there */
	WALK_STRANGER, /* an adapter or a router that has not the LID */
	WALK_FAR,      /* further than a directed route can reach */
};

struct fabric_walk {
	uint8_t path[FABRIC_HOPS_MOST + 1]; /* path[1] to path[hops] */
	unsigned int hops;
	enum walk_end end;
	/* Of the last node that answered: behind it is one that does not say his NodeInfo. */
	uint8_t info[NODE_INFO_BYTES];
	uint8_t description[NODE_DESCRIPTION_BYTES];
	bool has_info, has_description;
	unsigned int out_port;
	/* Of WALK_SILENT, as of struct fabric_silence. */
	uint16_t attribute;
	int error;
	uint16_t status;
	unsigned int tries;
};

/* Returns 0, the end being in the walk; -ECANCELED: it was stopped. */
int fabric_walk(struct mad_engine *engine, uint64_t mkey, uint16_t lid, struct fabric_walk *walk);
