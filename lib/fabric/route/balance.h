/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How the routes of a subnet are spread over its cables: for each port of a switch the LIDs that
 * its linear table sends out there, and the pairs of ports whose packets go that way when everybody
 * talks to everybody. LIDs of switches do not count: next to nothing goes there.
 */
#pragma once

#include "fabric/route/forwarding.h"

struct balance {
	uint32_t *routes; /* of each port of the graph */
	uint64_t *pairs;  /* of a source port and a destination LID: the same */
	/* Pairs whose packets do not arrive, with an example: a switch and a LID. */
	uint64_t lost_pairs;
	uint32_t lost_node;
	uint16_t lost_lid;
};

/* Fills an empty one from all linear tables. */
void balance_count(const struct fabric *fabric, const struct forwarding *forwarding,
		   struct balance *balance);
void balance_clear(struct balance *balance);
