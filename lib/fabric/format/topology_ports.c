/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The list of ports that `ibnetdiscover -p` prints, one per line:
 *
 * SW     2  5 0x0002c902004f0000 4x QDR - CA     4  1 0x0002c903000e0001 ( 'leaf1' - 'node1 HCA-1'
 * )
 *
 * with type, LID, number and GUID of the port, and then those of the other end, if there is one.
 * The GUIDs are those of ports: which ports belong to one adapter is unknown, so each is a node
 * here.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fabric/format/topology.h"

/* One end of a line. */
struct end {
	char type[3], guid[17];
	unsigned int lid, port;
	int at; /* offset of the GUID's digits */
};

static const struct enum_name type_words[] = {
	{NODE_TYPE_SWITCH, "SW"}, {NODE_TYPE_CA, "CA"}, {NODE_TYPE_ROUTER, "RT"}, {0, NULL}};

_Static_assert(SPEED_UNKNOWN == 0, "code_of() returns 0 for no known speed");

/* Returns the code of a word, or 0 if there is none: no type of a node, and no known speed. */
static uint8_t code_of(const struct enum_name *names, const char *word)
{
	const struct enum_name *name = enum_find_word(names, word);

	return name ? (uint8_t)name->value : 0;
}

static bool is_valid(const struct end *end)
{
	return code_of(type_words, end->type) && strlen(end->guid) == 16 && end->port &&
	       end->port <= FABRIC_PORT_MOST && end->lid <= UINT16_MAX;
}

/* Returns the block of the port's node; the lines of a node are adjacent. */
static struct topology_block *block_of(struct topology_text *parts, const struct end *end,
				       unsigned int line, const char *id)
{
	const uint64_t guid = strtoull(end->guid, NULL, 16);
	const uint8_t type = code_of(type_words, end->type);
	struct topology_block *block = parts->block_count ? &parts->blocks[parts->block_count - 1]
							  : NULL;

	if (!block || block->guid != guid || block->type != type) {
		block = mem_append(&parts->blocks, &parts->block_count, sizeof(*block));
		*block = (struct topology_block){
			.line = line,
			.type = type,
			.has_guid = true,
			.has_port_guid = true,
			.guid = guid,
			.port_guid = guid,
			.id = id,
			.id_length = strlen(end->guid),
			.first_cable = (uint32_t)parts->cable_count,
		};
	}
	if (block->ports < end->port)
		block->ports = (uint8_t)end->port;
	if (block->type == NODE_TYPE_SWITCH)
		block->lid = (uint16_t)end->lid;
	return block;
}

/* Takes the name, up to the quotation mark before the other end's name, or to the last one. */
static void take_name(struct topology_block *block, const char *line, size_t length, bool has_peer)
{
	static const char between[] = "' - '";
	const char *name = memchr(line, '\'', length), *end;
	size_t left;

	if (!name || block->description)
		return;
	name++;
	left = length - (size_t)(name - line);
	end = has_peer ? memmem(name, left, between, strlen(between)) : memrchr(name, '\'', left);
	if (!end)
		return;
	block->description = name;
	block->description_length = (size_t)(end - name);
}

bool topology_take_port(struct topology_text *parts, unsigned int line, const char *text,
			size_t length)
{
	char copy[256], width[4], speed[8];
	struct end here = {.at = 0}, there = {.at = 0};
	struct topology_block *block;
	int count, at = 0;

	/* The names at the end, which a node name map may make long, are not parsed here. */
	snprintf(copy, sizeof(copy), "%.*s", (int)length, text);
	count = sscanf(copy, "%2[SWCART] %5u %3u 0x%n%16[0-9a-f] %3[0-9x?] %7[A-Z0-9?]%n",
		       here.type, &here.lid, &here.port, &here.at, here.guid, width, speed, &at);
	if (count != 6 || !at || !is_valid(&here))
		return false;
	if (!parts->cable_count && !parts->block_count)
		topology_add_fault(parts, line,
				   mem_string("a list of ibnetdiscover -p has no GUIDs of nodes: "
					      "each port of an adapter is a node of its own, and "
					      "the number of a switch's ports is a guess"));
	parts->by_port = true;
	block = block_of(parts, &here, line, text + here.at);
	count = sscanf(copy + at, " - %2[SWCART] %5u %3u 0x%n%16[0-9a-f]", there.type, &there.lid,
		       &there.port, &there.at, there.guid);
	take_name(block, text, length, count == 4);
	if (count != 4 || !is_valid(&there))
		return true;
	block->cable_count++;
	MEM_ADD(parts->cables, parts->cable_count) = (struct topology_cable){
		.line = line,
		.port = (uint8_t)here.port,
		.peer_port = (uint8_t)there.port,
		.guid = block->type == NODE_TYPE_SWITCH ? 0 : block->guid,
		.peer_guid = strtoull(there.guid, NULL, 16),
		.peer_id = text + at + there.at,
		.peer_id_length = strlen(there.guid),
		.lid = (uint16_t)here.lid,
		.lanes = (uint8_t)strtoul(width, NULL, 10),
		.speed = code_of(lane_speed_names, speed),
	};
	return true;
}
