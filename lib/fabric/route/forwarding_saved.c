/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Forwarding tables in a saved scan: each block of LIDs is a detail of the switch's port 0. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "fabric/route/forwarding.h"
#include "schema/bits.h"

static struct fabric_detail *add_detail(struct fabric *fabric, const struct forwarding_table *table,
					uint16_t attribute, uint32_t modifier)
{
	struct fabric_detail *detail = mem_append(&fabric->details, &fabric->detail_count,
						  sizeof(*detail));

	*detail = (struct fabric_detail){
		.port = fabric_port_at(fabric, table->node, 0),
		.attribute = attribute,
		.modifier = modifier,
	};
	return detail;
}

static void store_linear(const struct forwarding *forwarding, const struct forwarding_table *table,
			 struct fabric *fabric)
{
	for (uint32_t first = 0; first < table->lids; first += MAD_LINEAR_BLOCK) {
		const uint32_t block = first / MAD_LINEAR_BLOCK, left = table->lids - first;
		struct fabric_detail *detail;

		if (!forwarding->has_ports[table->has_ports_at + block])
			continue;
		detail = add_detail(fabric, table, UMAD_SM_ATTR_LINEAR_FT, block);
		/* LIDs above the top are sent nowhere. */
		memset(detail->data, FORWARDING_NOWHERE, sizeof(detail->data));
		memcpy(detail->data, &forwarding->ports[table->ports_at + first],
		       left < MAD_LINEAR_BLOCK ? left : MAD_LINEAR_BLOCK);
	}
}

static void store_masks(const struct forwarding *forwarding, const struct forwarding_table *table,
			uint32_t modifier, struct fabric *fabric)
{
	const uint32_t position = modifier >> MAD_MULTICAST_POSITION;
	const uint32_t block = modifier & ((1u << MAD_MULTICAST_POSITION) - 1),
		       first = block * MAD_MULTICAST_BLOCK;
	uint8_t data[sizeof(fabric->details->data)] = {0};
	uint16_t any = 0;

	if (!forwarding->has_masks[table->has_masks_at + (size_t)block * table->words + position])
		return;
	for (uint32_t i = 0; i < MAD_MULTICAST_BLOCK && first + i < table->mlids; i++) {
		const uint16_t mask =
			forwarding->masks[table->masks_at + (size_t)(first + i) * table->words +
					  position];

		bits_set(data, (size_t)i * MAD_MULTICAST_PORTS, MAD_MULTICAST_PORTS, mask);
		any |= mask;
	}
	if (any || !modifier)
		memcpy(add_detail(fabric, table, UMAD_SM_ATTR_MCAST_FT, modifier)->data, data,
		       sizeof(data));
}

static void store_multicast(const struct forwarding *forwarding,
			    const struct forwarding_table *table, struct fabric *fabric)
{
	for (uint32_t first = 0; first < table->mlids; first += MAD_MULTICAST_BLOCK)
		for (uint32_t i = 0; i < table->words; i++)
			store_masks(forwarding, table,
				    first / MAD_MULTICAST_BLOCK | i << MAD_MULTICAST_POSITION,
				    fabric);
}

void forwarding_store(const struct forwarding *forwarding, struct fabric *fabric)
{
	for (size_t i = 0; i < forwarding->count; i++) {
		store_linear(forwarding, &forwarding->tables[i], fabric);
		store_multicast(forwarding, &forwarding->tables[i], fabric);
	}
}

/* Returns, by port, the kinds of tables whose failure the graph holds, as bits; to be freed. */
static uint8_t *list_noted(const struct fabric *fabric)
{
	uint8_t *noted = mem_alloc_zero(fabric->port_count, sizeof(*noted));

	for (size_t i = 0; i < fabric->failure_count; i++) {
		const struct fabric_failure *failure = &fabric->failures[i];

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
	const size_t blocks = (table->mlids + MAD_MULTICAST_BLOCK - 1) / MAD_MULTICAST_BLOCK *
			      (size_t)table->words;
	bool *has = &forwarding->has_masks[table->has_masks_at];

	table->gaps[1] = table->mlids && (!has[0] || noted || fabric->interrupted);
	for (size_t i = 0; !table->gaps[1] && i < blocks; i++)
		has[i] = true;
	if (table->gaps[1] && !noted)
		add_failure(forwarding, fabric_port_at(fabric, table->node, 0),
			    UMAD_SM_ATTR_MCAST_FT);
}

/* A table with missing blocks must not look like one that sends the other LIDs nowhere. */
static void note_gaps(const struct fabric *fabric, struct forwarding *forwarding)
{
	_cleanup_(freep) uint8_t *noted = list_noted(fabric);

	for (size_t i = 0; i < forwarding->count; i++) {
		struct forwarding_table *table = &forwarding->tables[i];
		const uint32_t port = fabric_port_at(fabric, table->node, 0);

		table->gaps[0] = forwarding_has_gap(forwarding, table);
		if (table->gaps[0] && !(noted[port] & FORWARDING_LINEAR))
			add_failure(forwarding, port, UMAD_SM_ATTR_LINEAR_FT);
		complete_multicast(fabric, forwarding, table, noted[port]);
	}
}

/* Checks the range, because the file may contain anything. */
static bool take(struct forwarding *forwarding, const struct forwarding_table *table,
		 const struct fabric_detail *detail)
{
	const uint32_t block = detail->modifier & ((1u << MAD_MULTICAST_POSITION) - 1);

	if (detail->attribute == UMAD_SM_ATTR_LINEAR_FT &&
	    (uint64_t)detail->modifier * MAD_LINEAR_BLOCK < table->lids)
		forwarding_take_linear(forwarding, table, detail->modifier, detail->data);
	else if (detail->attribute == UMAD_SM_ATTR_MCAST_FT &&
		 (uint64_t)block * MAD_MULTICAST_BLOCK < table->mlids &&
		 detail->modifier >> MAD_MULTICAST_POSITION < table->words)
		forwarding_take_multicast(forwarding, table, detail->modifier, detail->data);
	else
		return false;
	return true;
}

size_t forwarding_recall(const struct fabric *fabric, const uint32_t *nodes, size_t count,
			 unsigned int kinds, struct forwarding *forwarding)
{
	size_t found = 0;

	forwarding_make_tables(fabric, nodes, count, kinds, forwarding);
	for (size_t i = 0; i < fabric->detail_count; i++) {
		const struct fabric_detail *detail = &fabric->details[i];
		const struct forwarding_table *table = forwarding_of(
			forwarding, fabric->ports[detail->port].node);

		found += table && take(forwarding, table, detail);
	}
	note_gaps(fabric, forwarding);
	return found;
}
