/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Linear forwarding tables in a saved scan: a block of 64 LIDs is a detail of the switch's port 0.
 */
#include <string.h>

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
	return found;
}
