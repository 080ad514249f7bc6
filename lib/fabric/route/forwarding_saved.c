/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Linear forwarding tables in a saved scan: a block of 64 LIDs is a detail of the switch's port 0.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "fabric/route/forwarding.h"
#include "fabric/route/forwarding_parts.h"

void forwarding_store(const struct forwarding *forwarding, struct fabric *fabric)
{
	for (size_t i = 0; i < forwarding->count; i++) {
		const struct forwarding_table *table = &forwarding->tables[i];

		for (uint32_t first = 0; first < table->lids; first += MAD_LINEAR_BLOCK) {
			const uint32_t block = first / MAD_LINEAR_BLOCK, left = table->lids - first;
			struct fabric_detail *detail;

			if (!forwarding->has_ports[table->has_ports_at + block])
				continue;
			detail = mem_append(&fabric->details, &fabric->detail_count,
					    sizeof(*detail));
			*detail = (struct fabric_detail){
				.port = fabric_port_at(fabric, table->node, 0),
				.attribute = UMAD_SM_ATTR_LINEAR_FT,
				.modifier = block,
			};
			/* LIDs above the top go nowhere. */
			memset(detail->data, FORWARDING_NOWHERE, sizeof(detail->data));
			memcpy(detail->data, &forwarding->ports[table->ports_at + first],
			       left < MAD_LINEAR_BLOCK ? left : MAD_LINEAR_BLOCK);
		}
	}
}

/* By port, whether the graph has the failure of its linear table; to be freed. */
static bool *list_noted(const struct fabric *fabric)
{
	bool *noted = mem_alloc_zero(fabric->port_count + 1, sizeof(*noted));

	for (size_t i = 0; i < fabric->failure_count; i++)
		if (fabric->failures[i].port != FABRIC_NONE && !fabric->failures[i].at_peer &&
		    fabric->failures[i].attribute == UMAD_SM_ATTR_LINEAR_FT)
			noted[fabric->failures[i].port] = true;
	return noted;
}

/* A table that is not whole must not be taken for one that sends the rest nowhere. */
static void note_gaps(const struct fabric *fabric, struct forwarding *forwarding)
{
	_cleanup_(freep) bool *noted = list_noted(fabric);

	for (size_t i = 0; i < forwarding->count; i++) {
		struct forwarding_table *table = &forwarding->tables[i];
		const uint32_t port = fabric_port_at(fabric, table->node, 0);

		table->gaps[0] = forwarding_has_gap(forwarding, table);
		if (!table->gaps[0] || noted[port])
			continue;
		*(struct fabric_failure *)mem_append(
			&forwarding->failures, &forwarding->failure_count,
			sizeof(*forwarding->failures)) = (struct fabric_failure){
			.port = port,
			.attribute = UMAD_SM_ATTR_LINEAR_FT,
			.error = -ENODATA,
		};
	}
}

size_t forwarding_recall(const struct fabric *fabric, const uint32_t *nodes, size_t count,
			 struct forwarding *forwarding)
{
	size_t found = 0;

	forwarding_make_tables(fabric, nodes, count, FORWARDING_LINEAR, forwarding);
	for (size_t i = 0; i < fabric->detail_count; i++) {
		const struct fabric_detail *detail = &fabric->details[i];
		const struct forwarding_table *table;

		if (detail->attribute != UMAD_SM_ATTR_LINEAR_FT)
			continue;
		table = forwarding_of(forwarding, fabric->ports[detail->port].node);
		/* The file may hold anything. */
		if (!table || (uint64_t)detail->modifier * MAD_LINEAR_BLOCK >= table->lids)
			continue;
		forwarding_take_linear(forwarding, table, detail->modifier, detail->data);
		found++;
	}
	note_gaps(fabric, forwarding);
	return found;
}
