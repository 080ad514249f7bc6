/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Forwarding tables in a saved scan: each block of LIDs is a detail of the switch's port 0. */
#include <errno.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "fabric/route/forwarding.h"

static bool is_empty(const uint8_t *data)
{
	for (size_t i = 0; i < FABRIC_DETAIL_BYTES; i++)
		if (data[i])
			return false;
	return true;
}

static void store(const struct forwarding *forwarding, const struct forwarding_table *table,
		  bool multicast, struct fabric *fabric)
{
	const struct forwarding_block *blocks =
		&forwarding->blocks[multicast ? table->multicast : table->linear];
	const size_t words = multicast ? table->words : 1;
	const size_t bytes = multicast ? (size_t)table->mlids * sizeof(uint16_t) : table->lids;

	for (size_t i = 0; i < forwarding_count_blocks(table, multicast); i++) {
		const size_t left = bytes - i / words * FABRIC_DETAIL_BYTES;
		struct fabric_detail detail = {
			.port = fabric_port_at(fabric, table->node, 0),
			.attribute = multicast ? UMAD_SM_ATTR_MCAST_FT : UMAD_SM_ATTR_LINEAR_FT,
			.modifier = forwarding_modifier(table, multicast, i),
		};

		/* LIDs above the top are sent nowhere. */
		memset(detail.data, multicast ? 0 : FORWARDING_NOWHERE, sizeof(detail.data));
		memcpy(detail.data, blocks[i].data,
		       left < sizeof(detail.data) ? left : sizeof(detail.data));
		if (blocks[i].known && (!multicast || !i || !is_empty(detail.data)))
			MEM_ADD(fabric->details, fabric->detail_count) = detail;
	}
}

void forwarding_store(const struct forwarding *forwarding, struct fabric *fabric)
{
	for (size_t i = 0; i < forwarding->count; i++) {
		store(forwarding, &forwarding->tables[i], false, fabric);
		store(forwarding, &forwarding->tables[i], true, fabric);
	}
}

/* Returns, by port, the kinds of tables whose failure the graph holds, as bits; to be freed. */
static uint8_t *list_noted(const struct fabric *fabric)
{
	uint8_t *noted = mem_alloc_zero(fabric->port_count, sizeof(*noted));

	for_each_in (failure, fabric->failures, fabric->failure_count) {
		if (failure->port == FABRIC_NONE || failure->at_peer)
			continue;
		if (failure->attribute == UMAD_SM_ATTR_LINEAR_FT)
			noted[failure->port] |= FORWARDING_LINEAR;
		if (failure->attribute == UMAD_SM_ATTR_MCAST_FT)
			noted[failure->port] |= FORWARDING_MULTICAST;
	}
	return noted;
}

static void add_failure(struct forwarding *forwarding, uint32_t port, uint16_t attribute)
{
	MEM_ADD(forwarding->failures, forwarding->failure_count) = (struct fabric_failure){
		.port = port,
		.attribute = attribute,
		.error = -ENODATA,
	};
}

/*
 * Empty blocks are not saved. So the blocks missing from a table are empty if all were read: some
 * are present, and no query of the switch's tables failed.
 */
static void complete_multicast(const struct fabric *fabric, struct forwarding *forwarding,
			       struct forwarding_table *table, uint8_t noted)
{
	struct forwarding_block *blocks = &forwarding->blocks[table->multicast];

	table->gaps[1] = table->mlids && (!blocks[0].known || noted || fabric->interrupted);
	for (size_t i = 0; !table->gaps[1] && i < forwarding_count_blocks(table, true); i++)
		blocks[i].known = true;
	if (table->gaps[1] && !noted)
		add_failure(forwarding, fabric_port_at(fabric, table->node, 0),
			    UMAD_SM_ATTR_MCAST_FT);
}

/* A table with missing blocks must not look like one that sends the other LIDs nowhere. */
static void note_gaps(const struct fabric *fabric, struct forwarding *forwarding)
{
	_cleanup_(freep) uint8_t *noted = list_noted(fabric);

	for_each_in (table, forwarding->tables, forwarding->count) {
		const uint32_t port = fabric_port_at(fabric, table->node, 0);

		table->gaps[0] = forwarding_has_gap(forwarding, table);
		if (table->gaps[0] && !(noted[port] & FORWARDING_LINEAR))
			add_failure(forwarding, port, UMAD_SM_ATTR_LINEAR_FT);
		complete_multicast(fabric, forwarding, table, noted[port]);
	}
}

/* Finds the block of a detail, if there is such a one: the file may contain anything. */
static struct forwarding_block *block_of(const struct forwarding *forwarding,
					 const struct forwarding_table *table,
					 const struct fabric_detail *detail)
{
	const bool multicast = detail->attribute == UMAD_SM_ATTR_MCAST_FT;

	return table && (multicast || detail->attribute == UMAD_SM_ATTR_LINEAR_FT)
		       ? forwarding_block(forwarding, table, multicast, detail->modifier)
		       : NULL;
}

size_t forwarding_recall(const struct fabric *fabric, const uint32_t *nodes, size_t count,
			 unsigned int kinds, struct forwarding *forwarding)
{
	size_t found = 0;

	forwarding_make_tables(fabric, nodes, count, kinds, forwarding);
	for_each_in (detail, fabric->details, fabric->detail_count) {
		struct forwarding_block *block = block_of(
			forwarding, forwarding_of(forwarding, fabric->ports[detail->port].node),
			detail);

		if (!block)
			continue;
		forwarding_take(block, detail->data);
		found++;
	}
	note_gaps(fabric, forwarding);
	return found;
}
