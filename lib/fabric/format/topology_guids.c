/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The GUIDs of a text: which of two is right, and which one the simulator assigns. */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "fabric/format/topology.h"

/* The first GUIDs that ibsim gives to nodes without one in a net file. */
enum { FIRST_SWITCH_GUID = 0x200000, FIRST_ADAPTER_GUID = 0x100000 };

/* A name like `S-0002c90300000001` contains the GUID. */
static bool guid_of_name(const struct topology_block *block, uint64_t *guid)
{
	char digits[17];

	if (block->id_length != 18 || block->id[1] != '-')
		return false;
	memcpy(digits, block->id + 2, 16);
	digits[16] = '\0';
	return !text_parse_u64(digits, 16, UINT64_MAX, guid);
}

/*
 * The node's name is its own record, and wins. Drops nodes whose GUID cannot be read: the GUIDs
 * that the simulator makes up are for net files, which have none.
 */
static void check_guids(struct topology_text *parts)
{
	size_t kept = 0;

	for_each_in (block, parts->blocks, parts->block_count) {
		uint64_t guid;

		if (guid_of_name(block, &guid)) {
			if (block->has_guid && block->guid != guid)
				topology_add_fault(
					parts, block->line,
					mem_string("the GUID in the node's name differs from that "
						   "in the lines before it, and is used"));
			if (block->has_guid || block->bad_guid)
				block->guid = guid;
			block->has_guid |= block->bad_guid;
		}
		if (block->bad_guid && !block->has_guid)
			topology_add_fault(parts, block->line,
					   mem_string("the node is skipped, because neither its "
						      "name nor the lines before it have a GUID"));
		else
			parts->blocks[kept++] = *block;
	}
	parts->block_count = kept;
}

/* Completes what a net file omits as the simulator does. */
void topology_complete(struct topology_text *parts)
{
	uint64_t next_switch = FIRST_SWITCH_GUID, next_adapter = FIRST_ADAPTER_GUID;

	check_guids(parts);
	for_each_in (block, parts->blocks, parts->block_count) {
		bool is_switch = block->type == NODE_TYPE_SWITCH;

		if (!block->has_guid) {
			if (!guid_of_name(block, &block->guid)) {
				block->guid = is_switch ? next_switch : next_adapter;
				if (is_switch)
					next_switch++;
				else
					next_adapter += block->ports + 1u;
			}
			block->system_guid = block->guid;
		}
		if (is_switch && !block->has_port_guid)
			block->port_guid = block->guid;
		if (!block->description) {
			block->description = block->id;
			block->description_length = block->id_length;
		}
		/* ibnetdiscover, which writes where the scan began, also writes these GUIDs. */
		for (uint32_t j = 0; j < block->cable_count && !is_switch && !parts->has_root;
		     j++) {
			struct topology_cable *cable = &parts->cables[block->first_cable + j];

			if (!cable->guid && !cable->bad_guid)
				cable->guid = block->guid + cable->port;
		}
	}
}
