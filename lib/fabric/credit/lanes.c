/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The SL to VL tables of switches (14.2.5.8). */
#include <stdlib.h>

#include "fabric/credit/credit.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "schema/bits.h"

/*
 * Returns, by node, whether a table that is not there is unknown; otherwise it is all zeros. A node
 * that did not answer was not asked for the rest of its tables. To be freed.
 */
static bool *find_unknown(const struct fabric *fabric, bool complete)
{
	const bool none = fabric->interrupted || (!complete && !fabric_has_details(fabric));
	bool *unknown = mem_alloc_zero(fabric->node_count, sizeof(*unknown));

	for (uint32_t i = 0; i < fabric->node_count; i++)
		unknown[i] = none;
	for_each_in (failure, fabric->failures, fabric->failure_count) {
		if (failure->port != FABRIC_NONE && !failure->at_peer && !failure->mgmt_class &&
		    failure->attribute == UMAD_SM_ATTR_SLVL_TABLE)
			unknown[fabric->ports[failure->port].node] = true;
	}
	return unknown;
}

static void make_room(const struct fabric *fabric, const bool *ports, const bool *unknown,
		      struct credit_lanes *lanes)
{
	size_t count = 0;

	lanes->first = mem_alloc_zero((size_t)fabric->port_count + 1, sizeof(*lanes->first));
	for (uint32_t i = 0; i < fabric->port_count; i++) {
		lanes->first[i] = (uint32_t)count;
		if (ports[i])
			count += fabric_node_of(fabric, i)->port_count + 1u;
	}
	lanes->first[fabric->port_count] = (uint32_t)count;
	lanes->mappings = mem_alloc_zero(count + 1, sizeof(*lanes->mappings));
	lanes->known = mem_alloc_zero(count, sizeof(*lanes->known));
	for (uint32_t i = 0; i < fabric->port_count; i++) {
		const struct fabric_port *in =
			&fabric->ports[fabric_node_of(fabric, i)->first_port];

		/*
		 * Only for ports that are up was the table asked for, and not only found to be all
		 * zeros: see scan_details.c. A port without PortInfo is not up.
		 */
		for (uint32_t at = lanes->first[i]; at < lanes->first[i + 1]; at++, in++)
			lanes->known[at] = !unknown[fabric->ports[i].node] &&
					   fabric_is_up(&fabric->ports[i]) && fabric_is_up(in);
	}
}

/* Takes a block of a port; the file may contain anything. */
static void take(const struct fabric *fabric, const struct fabric_detail *detail,
		 struct credit_lanes *lanes)
{
	const uint32_t in = detail->modifier >> 8, at = lanes->first[detail->port] + in;

	if (in > fabric_node_of(fabric, detail->port)->port_count ||
	    (detail->modifier & 0xff) != fabric->ports[detail->port].number)
		return;
	lanes->known[at] = true;
	lanes->mappings[at] = 0;
	for (unsigned int sl = 0; sl < CREDIT_SLS; sl++)
		lanes->mappings[at] |= bits_get(detail->data, (size_t)sl * 4, 4) << sl * 4;
}

void credit_lanes_make(const struct fabric *fabric, const bool *ports, bool complete,
		       struct credit_lanes *lanes)
{
	_cleanup_(freep) bool *unknown = find_unknown(fabric, complete);

	make_room(fabric, ports, unknown, lanes);
	for (size_t i = 0; i < fabric->detail_count; i++)
		if (fabric->details[i].attribute == UMAD_SM_ATTR_SLVL_TABLE &&
		    ports[fabric->details[i].port])
			take(fabric, &fabric->details[i], lanes);
}
