/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "fabric/route/forwarding.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "schema/bits.h"

#define MULTICAST_EMPTY (FORWARDING_LIDS - 1) /* MulticastFDBTop of a table without entries */

/* A switch that leaves this many requests in a row unanswered is not queried any further. */
#define MOST_IN_VAIN 4u

/* Reads one block of all switches after another, so that all switches work in parallel. */
struct reader {
	const struct fabric_scan_options *scan;
	const struct fabric *fabric;
	struct forwarding *forwarding;
	bool multicast;
	size_t table, block;
	bool any;  /* some table has this block */
	bool over; /* no table has it */
};

static uint32_t blocks_of(uint32_t entries, uint32_t size)
{
	return (entries + size - 1) / size;
}

/* A top that is not a multicast LID is ignored, and so is 0 (14.2.5.4). */
static uint32_t count_mlids(const struct fabric_node *node)
{
	uint32_t cap = switch_info_multicast_cap(node->switch_info);
	uint32_t top = switch_info_multicast_top(node->switch_info);
	uint32_t most = FORWARDING_MOST_MLID - FORWARDING_LIDS + 1;

	if (top >= MULTICAST_EMPTY && top - MULTICAST_EMPTY < most)
		most = top - MULTICAST_EMPTY;
	return cap < most ? cap : most;
}

static uint32_t count_lids(const struct fabric_node *node)
{
	uint32_t cap = switch_info_linear_cap(node->switch_info);
	uint32_t most = switch_info_linear_top(node->switch_info) + 1u;

	if (most > FORWARDING_LIDS)
		most = FORWARDING_LIDS;
	return cap < most ? cap : most;
}

static void add_table(const struct fabric *fabric, uint32_t number, unsigned int kinds,
		      struct forwarding *forwarding)
{
	const struct fabric_node *node = &fabric->nodes[number];
	struct forwarding_table *table;

	if (node->type != NODE_TYPE_SWITCH || forwarding->of_node[number] != FABRIC_NONE)
		return;
	forwarding->of_node[number] = (uint32_t)forwarding->count;
	table = mem_append(&forwarding->tables, &forwarding->count, sizeof(*table));
	table->node = number;
	table->known = node->has_switch_info;
	if (!table->known)
		return;
	if (kinds & FORWARDING_LINEAR)
		table->lids = count_lids(node);
	if (kinds & FORWARDING_MULTICAST)
		table->mlids = count_mlids(node);
	table->words = ((uint32_t)node->port_count + MAD_MULTICAST_PORTS) / MAD_MULTICAST_PORTS;
}

size_t forwarding_count_blocks(const struct forwarding_table *table, bool multicast)
{
	return multicast ? (size_t)blocks_of(table->mlids, MAD_MULTICAST_BLOCK) * table->words
			 : blocks_of(table->lids, MAD_LINEAR_BLOCK);
}

uint32_t forwarding_modifier(const struct forwarding_table *table, bool multicast, size_t number)
{
	const uint32_t words = multicast ? table->words : 1;

	return (uint32_t)(number / words) | (uint32_t)(number % words) << MAD_MULTICAST_POSITION;
}

struct forwarding_block *forwarding_block(const struct forwarding *forwarding,
					  const struct forwarding_table *table, bool multicast,
					  uint32_t modifier)
{
	const uint32_t words = multicast ? table->words : 1;
	const uint32_t word = modifier >> MAD_MULTICAST_POSITION;
	const size_t number = (size_t)(modifier & ((1u << MAD_MULTICAST_POSITION) - 1)) * words +
			      word;

	return word < words && number < forwarding_count_blocks(table, multicast)
		       ? &forwarding
				  ->blocks[(multicast ? table->multicast : table->linear) + number]
		       : NULL;
}

static void make_room(struct forwarding *forwarding)
{
	size_t blocks = 0;

	for_each_in (table, forwarding->tables, forwarding->count) {
		table->linear = blocks;
		table->multicast = blocks + forwarding_count_blocks(table, false);
		blocks = table->multicast + forwarding_count_blocks(table, true);
	}
	forwarding->blocks = mem_alloc_zero(blocks, sizeof(*forwarding->blocks));
}

/* Goes on to the next table or block. */
static void advance(struct reader *reader)
{
	if (++reader->table < reader->forwarding->count)
		return;
	reader->table = 0;
	reader->block++;
	reader->over = !reader->any;
	reader->any = false;
}

static void note(struct reader *reader, struct forwarding_table *table,
		 const struct mad_reply *reply)
{
	struct forwarding *forwarding = reader->forwarding;
	bool multicast = reply->request->attribute == UMAD_SM_ATTR_MCAST_FT;

	table->in_vain++;
	if (table->gaps[multicast])
		return;
	table->gaps[multicast] = true;
	MEM_ADD(forwarding->failures, forwarding->failure_count) = fabric_failure_of(
		fabric_port_at(reader->fabric, table->node, 0), reply);
}

static bool write_request(const struct fabric_scan_options *scan, const struct fabric *fabric,
			  uint32_t node, uint16_t attribute, uint32_t modifier,
			  struct mad_request *request)
{
	uint8_t path[MAD_HOPS_MOST + 1];

	request->attribute = attribute;
	request->modifier = modifier;
	return fabric_scan_request(scan, fabric, path, fabric_path(fabric, node, path), request);
}

static bool ask(struct reader *reader, struct mad_request *request)
{
	struct forwarding_table *table = &reader->forwarding->tables[reader->table];

	if (reader->block >= forwarding_count_blocks(table, reader->multicast))
		return false;
	reader->any = true;
	if (table->in_vain >= MOST_IN_VAIN)
		return false;
	request->number = reader->table;
	if (write_request(reader->scan, reader->fabric, table->node,
			  reader->multicast ? UMAD_SM_ATTR_MCAST_FT : UMAD_SM_ATTR_LINEAR_FT,
			  forwarding_modifier(table, reader->multicast, reader->block), request))
		return true;
	note(reader, table, &(const struct mad_reply){.request = request, .error = -E2BIG});
	return false;
}

static bool next(void *context, struct mad_request *request)
{
	struct reader *reader = context;

	while (!reader->over) {
		bool asked = ask(reader, request);

		advance(reader);
		if (asked)
			return true;
	}
	return false;
}

static void done(void *context, const struct mad_reply *reply)
{
	struct reader *reader = context;
	const struct mad_request *request = reply->request;
	struct forwarding_table *table = &reader->forwarding->tables[request->number];

	if (reply->error == -ECANCELED)
		return;
	if (reply->error || reply->status) {
		note(reader, table, reply);
		return;
	}
	table->in_vain = 0;
	forwarding_take(forwarding_block(reader->forwarding, table, reader->multicast,
					 request->modifier),
			reply->mad + MAD_SMP_DATA_AT);
}

void forwarding_make_tables(const struct fabric *fabric, const uint32_t *nodes, size_t count,
			    unsigned int kinds, struct forwarding *forwarding)
{
	forwarding->of_node = mem_alloc_zero(fabric->node_count, sizeof(uint32_t));
	memset(forwarding->of_node, 0xff, fabric->node_count * sizeof(uint32_t));
	for (uint32_t i = 0; i < (nodes ? count : fabric->node_count); i++)
		add_table(fabric, nodes ? nodes[i] : i, kinds, forwarding);
	make_room(forwarding);
}

bool forwarding_has_gap(const struct forwarding *forwarding, const struct forwarding_table *table)
{
	for (size_t i = 0; i < forwarding_count_blocks(table, false); i++)
		if (!forwarding->blocks[table->linear + i].known)
			return true;
	return false;
}

int forwarding_read(struct mad_engine *engine, const struct fabric_scan_options *scan,
		    const struct fabric *fabric, const uint32_t *nodes, size_t count,
		    unsigned int kinds, struct forwarding *forwarding)
{
	int rc = 0;

	forwarding_make_tables(fabric, nodes, count, kinds, forwarding);
	for (unsigned int multicast = 0; multicast <= 1 && !rc; multicast++) {
		struct reader reader = {
			.scan = scan,
			.fabric = fabric,
			.forwarding = forwarding,
			.multicast = multicast,
			.over = !forwarding->count,
		};
		const struct mad_work work = {.context = &reader, .next = next, .done = done};

		/* A switch that did not answer for one kind may do so for the other. */
		for (size_t i = 0; i < forwarding->count; i++)
			forwarding->tables[i].in_vain = 0;
		rc = mad_engine_run(engine, &work);
	}
	/* Blocks that were not waited for did not fail, but are unknown. */
	for (size_t i = 0; rc && i < forwarding->count; i++)
		forwarding->tables[i].gaps[0] |= forwarding_has_gap(forwarding,
								    &forwarding->tables[i]);
	return rc;
}

const struct forwarding_table *forwarding_of(const struct forwarding *forwarding, uint32_t node)
{
	uint32_t table = forwarding->of_node[node];

	return table == FABRIC_NONE ? NULL : &forwarding->tables[table];
}

enum tristate forwarding_has_port(const struct forwarding *forwarding,
				  const struct forwarding_table *table, uint32_t mlid,
				  unsigned int port)
{
	const uint32_t entry = mlid - FORWARDING_LIDS, word = port / MAD_MULTICAST_PORTS;
	const struct forwarding_block *block;

	if (!table->known)
		return TRISTATE_UNKNOWN;
	if (entry >= table->mlids || word >= table->words)
		return TRISTATE_NO;
	block = &forwarding->blocks[table->multicast +
				    (size_t)(entry / MAD_MULTICAST_BLOCK) * table->words + word];
	if (!block->known)
		return TRISTATE_UNKNOWN;
	return bits_get(block->data, (size_t)(entry % MAD_MULTICAST_BLOCK) * MAD_MULTICAST_PORTS,
			MAD_MULTICAST_PORTS) >>
				       port % MAD_MULTICAST_PORTS &
			       1
		       ? TRISTATE_YES
		       : TRISTATE_NO;
}

int forwarding_read_entry(struct mad_engine *engine, const struct fabric_scan_options *scan,
			  const struct fabric *fabric, uint32_t node, uint16_t lid,
			  unsigned int *ret_port, struct fabric_failure *ret_failure)
{
	const struct fabric_node *at = &fabric->nodes[node];
	struct mad_item item = {.error = -E2BIG};

	/* Without SwitchInfo, the entry is queried anyway. */
	if (at->has_switch_info && lid >= count_lids(at)) {
		*ret_port = FORWARDING_NOWHERE;
		return 0;
	}
	if (write_request(scan, fabric, node, UMAD_SM_ATTR_LINEAR_FT, lid / MAD_LINEAR_BLOCK,
			  &item.request))
		mad_gather(engine, &item, 1);
	if (!item.error && !item.status) {
		*ret_port = item.data[lid % MAD_LINEAR_BLOCK];
		return 0;
	}
	*ret_failure = fabric_failure_of_item(fabric_port_at(fabric, node, 0), &item);
	return item.error ? item.error : -EIO;
}

/* Whether an earlier port of this node has the LID: the two are not told apart. */
static bool had_lid(const struct fabric *fabric, uint32_t place, uint32_t lid)
{
	for (uint32_t i = fabric_node_of(fabric, place)->first_port; i < place; i++)
		if (fabric_has_lid(&fabric->ports[i], lid))
			return true;
	return false;
}

static void own(const struct fabric *fabric, uint32_t place, uint32_t *owners, uint32_t *counts)
{
	const struct fabric_port *port = &fabric->ports[place];
	uint32_t lid = fabric_port_lid(port), count = fabric_lid_count(port);

	if (!lid)
		return;
	for (uint32_t i = lid; i < lid + count && i < FORWARDING_LIDS; i++) {
		if (counts && !had_lid(fabric, place, i))
			counts[i]++;
		if (owners[i] == FABRIC_NONE)
			owners[i] = place;
	}
}

uint32_t *forwarding_owners(const struct fabric *fabric, uint32_t *counts)
{
	uint32_t *owners = mem_alloc_zero(FORWARDING_LIDS, sizeof(*owners));

	memset(owners, 0xff, FORWARDING_LIDS * sizeof(*owners));
	for (uint32_t i = 0; i < fabric->port_count; i++)
		if (!fabric_is_of_switch(fabric, i) || !fabric->ports[i].number)
			own(fabric, i, owners, counts);
	return owners;
}

bool forwarding_is_end(const struct fabric *fabric, uint32_t port)
{
	return !fabric_is_of_switch(fabric, port) && fabric_port_lid(&fabric->ports[port]);
}

uint32_t forwarding_out(const struct fabric *fabric, const struct forwarding *forwarding,
			uint32_t table, uint16_t lid)
{
	const struct forwarding_table *at = &forwarding->tables[table];
	const unsigned int port = forwarding_port(forwarding, at, lid);

	if (!port || port > fabric->nodes[at->node].port_count)
		return FABRIC_NONE;
	return fabric_port_at(fabric, at->node, port);
}

uint32_t forwarding_next(const struct fabric *fabric, const struct forwarding *forwarding,
			 uint32_t port)
{
	const uint32_t peer = port == FABRIC_NONE ? FABRIC_NONE : fabric->ports[port].peer;

	return peer == FABRIC_NONE || !fabric_is_of_switch(fabric, peer)
		       ? FABRIC_NONE
		       : forwarding->of_node[fabric->ports[peer].node];
}
