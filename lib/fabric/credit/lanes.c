/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The SL to VL tables of switches (14.2.5.8). */
#include <stdlib.h>

#include "fabric/credit/credit.h"
#include "base/mem.h"
#include "schema/bits.h"

enum { SL_BITS = 4 };

/* Whether the graph was saved with its tables: every port has a P_Key. */
static bool has_tables(const struct fabric *fabric)
{
	for (size_t i = 0; i < fabric->detail_count; i++)
		if (fabric->details[i].attribute != UMAD_SM_ATTR_LINEAR_FT &&
		    fabric->details[i].attribute != UMAD_SM_ATTR_MCAST_FT)
			return true;
	return false;
}

/* A node that did not answer was not asked for the rest of its tables. */
static void find_unknown(const struct fabric *fabric, struct credit_lanes *lanes)
{
	const bool none = fabric->interrupted || (!lanes->complete && !has_tables(fabric));

	lanes->unknown = mem_alloc_zero((size_t)fabric->node_count + 1, sizeof(*lanes->unknown));
	for (uint32_t i = 0; i < fabric->node_count; i++)
		lanes->unknown[i] = none;
	for (size_t i = 0; i < fabric->failure_count; i++) {
		const struct fabric_failure *failure = &fabric->failures[i];

		if (failure->port != FABRIC_NONE && !failure->at_peer && !failure->mgmt_class &&
		    failure->attribute == UMAD_SM_ATTR_SLVL_TABLE)
			lanes->unknown[fabric->ports[failure->port].node] = true;
	}
}

void credit_lanes_make(const struct fabric *fabric, const bool *ports, bool complete,
		       struct credit_lanes *lanes)
{
	uint32_t count = 0;

	*lanes = (struct credit_lanes){.fabric = fabric, .complete = complete};
	find_unknown(fabric, lanes);
	lanes->first = mem_alloc_zero((size_t)fabric->port_count + 1, sizeof(*lanes->first));
	for (uint32_t i = 0; i < fabric->port_count; i++) {
		lanes->first[i] = count;
		if (ports[i])
			count += fabric_node_of(fabric, i)->port_count + 1u;
	}
	lanes->blocks = mem_alloc_zero((size_t)count + 1, sizeof(*lanes->blocks));
	for (size_t i = 0; i < fabric->detail_count; i++) {
		const struct fabric_detail *detail = &fabric->details[i];
		const uint32_t in = detail->modifier >> 8;

		/* The file may contain anything. */
		if (detail->attribute == UMAD_SM_ATTR_SLVL_TABLE && ports[detail->port] &&
		    in <= fabric_node_of(fabric, detail->port)->port_count &&
		    (detail->modifier & 0xff) == fabric->ports[detail->port].number)
			lanes->blocks[lanes->first[detail->port] + in] = (uint32_t)i + 1;
	}
}

void credit_lanes_clear(struct credit_lanes *lanes)
{
	free(lanes->first);
	free(lanes->blocks);
	free(lanes->unknown);
	*lanes = (struct credit_lanes){.fabric = NULL};
}

unsigned int credit_lane(const struct credit_lanes *lanes, unsigned int in, uint32_t out,
			 unsigned int sl)
{
	const uint32_t block = lanes->blocks[lanes->first[out] + in];

	if (block)
		return (unsigned int)bits_get(lanes->fabric->details[block - 1].data,
					      (size_t)sl * SL_BITS, SL_BITS);
	return lanes->unknown[lanes->fabric->ports[out].node] ? CREDIT_LANE_UNKNOWN : 0;
}
