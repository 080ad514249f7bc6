/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fabric/format/topology.h"

/* No mistake gives more nodes than this the same name or GUID. */
enum { MOST_NAMESAKES = 64 };

/* A block by its name. */
struct name {
	const char *id;
	size_t length;
	uint32_t block; /* in the text; equal names are sorted by it */
};

struct builder {
	struct topology_text *parts;
	struct fabric *fabric;
	struct name *names; /* sorted */
	uint32_t *nodes;    /* by block: its node */
	uint32_t *cables;   /* by port: its line in the text, or FABRIC_NONE */
	uint32_t *blocks;   /* by node */
	char **message;
};

DEFINE_ORDER(compare_ids, struct name,
	     memcmp(a->id, b->id, a->length < b->length ? a->length : b->length),
	     COMPARE(a->length, b->length))
DEFINE_ORDER(compare_names, struct name, compare_ids(a, b), COMPARE(a->block, b->block))

static int fail_duplicates(const struct builder *builder, const struct topology_block *block)
{
	*builder->message = mem_format("line %u: too many nodes have the same name or GUID",
				       block->line);
	return -EINVAL;
}

static int sort_names(struct builder *builder)
{
	size_t count = builder->parts->block_count;

	builder->names = mem_alloc_zero(count, sizeof(*builder->names));
	for (uint32_t i = 0; i < count; i++) {
		const struct topology_block *block = &builder->parts->blocks[i];

		builder->names[i] = (struct name){
			.id = block->id, .length = block->id_length, .block = i};
	}
	MEM_SORT(builder->names, count, compare_names);
	for (size_t i = MOST_NAMESAKES; i < count; i++)
		if (!compare_ids(&builder->names[i], &builder->names[i - MOST_NAMESAKES]))
			return fail_duplicates(builder,
					       &builder->parts->blocks[builder->names[i].block]);
	return 0;
}

/* Whether the GUID has as many nodes as allowed, counted from one of them. */
static bool has_many_duplicates(const struct fabric *fabric, uint32_t number)
{
	unsigned int count = 0;

	for (; number != FABRIC_NONE; number = fabric->nodes[number].same_guid)
		if (++count == MOST_NAMESAKES)
			return true;
	return false;
}

static void write_node_info(const struct topology_block *block, unsigned char *info)
{
	node_info_set_base_version(info, UMAD_BASE_VERSION);
	node_info_set_class_version(info, 1);
	node_info_set_type(info, block->type);
	node_info_set_ports(info, block->ports);
	node_info_set_system_guid(info, block->system_guid);
	node_info_set_node_guid(info, block->guid);
	/* The ports of an adapter have their own GUIDs: see finish_node_info(). */
	if (block->type == NODE_TYPE_SWITCH)
		node_info_set_port_guid(info, block->port_guid);
	node_info_set_device_id(info, (uint16_t)block->device);
	node_info_set_vendor_id(info, (uint32_t)block->vendor);
}

/* FDR10 is QDR in PortInfo; only the vendor's own attribute tells them apart. */
static void write_speed(struct fabric_port *port, unsigned int speed)
{
	static const struct {
		void (*set)(unsigned char *info, uint8_t code);
		uint8_t code;
	} codes[SPEED_COUNT] = {
		[SPEED_SDR] = {port_info_set_speed_active, 1},
		[SPEED_DDR] = {port_info_set_speed_active, 2},
		[SPEED_QDR] = {port_info_set_speed_active, 4},
		[SPEED_FDR10] = {port_info_set_speed_active, 4},
		[SPEED_FDR] = {port_info_set_speed_ext_active, 1},
		[SPEED_EDR] = {port_info_set_speed_ext_active, 2},
		[SPEED_HDR] = {port_info_set_speed_ext_active, 4},
		[SPEED_NDR] = {port_info_set_speed_ext_active, 8},
		[SPEED_XDR] = {port_info_set_speed_ext2_active, 1},
	};

	if (codes[speed].set)
		codes[speed].set(port->info, codes[speed].code);
	port->vendor_speed = speed == SPEED_FDR10;
}

static uint8_t width_code(unsigned int lanes)
{
	for (uint8_t code = 1; code <= 16; code *= 2)
		if (widest_lanes(code) == lanes)
			return code;
	return 0;
}

static void write_port(const struct builder *builder, uint32_t place,
		       const struct topology_cable *cable)
{
	struct fabric_port *port = &builder->fabric->ports[place];

	port->has_info = true;
	port_info_set_physical_state(port->info, PHYSICAL_LINK_UP);
	port_info_set_width_active(port->info, width_code(cable->lanes));
	write_speed(port, cable->speed);
	if (fabric_is_of_switch(builder->fabric, place))
		return;
	port->guid = cable->guid;
	port_info_set_lid(port->info, cable->lid);
	port_info_set_lmc(port->info, cable->lmc);
}

static int add_block(struct builder *builder, uint32_t number)
{
	const struct topology_block *block = &builder->parts->blocks[number];
	struct fabric *fabric = builder->fabric;
	uint8_t info[NODE_INFO_BYTES] = {0};
	struct fabric_node *node;
	struct fabric_port *port;
	uint32_t place;

	if (has_many_duplicates(fabric, fabric_find(fabric, block->guid)))
		return fail_duplicates(builder, block);
	write_node_info(block, info);
	place = fabric_add_node(fabric, info);
	node = &fabric->nodes[place];
	builder->nodes[number] = place;
	builder->blocks[place] = number;
	node->has_description = true;
	memcpy(node->description, block->description,
	       block->description_length < NODE_DESCRIPTION_BYTES ? block->description_length
								  : NODE_DESCRIPTION_BYTES);
	if (node->type == NODE_TYPE_SWITCH) {
		port = &fabric->ports[node->first_port];
		port->has_info = true;
		port_info_set_lid(port->info, block->lid);
		port_info_set_lmc(port->info, block->lmc);
		/* The rest is unknown, so the node has no SwitchInfo except for this bit. */
		switch_info_set_enhanced_port0(node->switch_info, block->enhanced);
	}
	for (uint32_t i = 0; i < block->cable_count; i++) {
		struct topology_cable *cable = &builder->parts->cables[block->first_cable + i];

		if (cable->port <= block->ports)
			continue;
		topology_add_fault(builder->parts, cable->line,
				   mem_format("the node has %u ports", block->ports));
		cable->port = 0;
	}
	return 0;
}

static void place_cables(struct builder *builder)
{
	struct topology_text *parts = builder->parts;

	builder->cables = mem_alloc_zero(builder->fabric->port_count, sizeof(uint32_t));
	memset(builder->cables, 0xff, builder->fabric->port_count * sizeof(uint32_t));
	for (uint32_t i = 0; i < parts->block_count; i++) {
		const struct topology_block *block = &parts->blocks[i];

		for (uint32_t j = 0; j < block->cable_count; j++) {
			uint32_t number = block->first_cable + j, place;
			const struct topology_cable *cable = &parts->cables[number];

			if (!cable->port)
				continue;
			place = fabric_port_at(builder->fabric, builder->nodes[i], cable->port);
			if (builder->cables[place] != FABRIC_NONE) {
				unsigned int first = parts->cables[builder->cables[place]].line;

				topology_add_fault(parts, cable->line,
						   mem_format("line %u also describes port %u",
							      first, cable->port));
				continue;
			}
			builder->cables[place] = number;
			write_port(builder, place, cable);
		}
	}
}

static bool is_named(const struct topology_block *block, const struct topology_cable *cable)
{
	return block->id_length == cable->peer_id_length &&
	       !memcmp(block->id, cable->peer_id, block->id_length);
}

/* Whether the other end leads back here: its line says so, or it has no line and no other peer. */
static bool leads_back(const struct builder *builder, uint32_t peer, uint32_t place)
{
	const struct fabric *fabric = builder->fabric;
	const struct topology_cable *back;

	if (fabric->ports[peer].peer != FABRIC_NONE && fabric->ports[peer].peer != place)
		return false;
	if (builder->cables[peer] == FABRIC_NONE)
		return true;
	back = &builder->parts->cables[builder->cables[peer]];
	return back->peer_port == fabric->ports[place].number &&
	       is_named(&builder->parts->blocks[builder->blocks[fabric->ports[place].node]], back);
}

/*
 * Finds the port that the line of a port leads to: on the first node of that name that leads back,
 * or else that has no line for the port. Returns FABRIC_NONE if there is none.
 */
static uint32_t find_peer(const struct builder *builder, uint32_t place, bool *ret_named)
{
	const struct topology_cable *cable = &builder->parts->cables[builder->cables[place]];
	const struct name name = {.id = cable->peer_id, .length = cable->peer_id_length};
	const struct name *end = builder->names + builder->parts->block_count;
	const struct name *at = MEM_FIND_FIRST(&name, builder->names, builder->parts->block_count,
					       compare_ids);
	uint32_t without_line = FABRIC_NONE;

	*ret_named = false;
	for (; at && at < end && !compare_ids(at, &name); at++) {
		const uint32_t node = builder->nodes[at->block];
		uint32_t peer;

		*ret_named = true;
		if (cable->peer_port > builder->fabric->nodes[node].port_count)
			continue;
		peer = fabric_port_at(builder->fabric, node, cable->peer_port);
		if (!leads_back(builder, peer, place))
			continue;
		if (builder->cables[peer] != FABRIC_NONE)
			return peer;
		if (without_line == FABRIC_NONE)
			without_line = peer;
	}
	return without_line;
}

/* A cable may be given at either end; a text of ibnetdiscover, which has a root, has both. */
static void lay_cable(struct builder *builder, uint32_t place)
{
	const struct topology_cable *cable = &builder->parts->cables[builder->cables[place]];
	const bool has_root = builder->parts->has_root;
	bool named;
	const uint32_t peer = find_peer(builder, place, &named);

	if (peer == FABRIC_NONE) {
		topology_add_fault(
			builder->parts, cable->line,
			mem_string(named ? "the other end leads elsewhere, or does not exist"
					 : "no node has the name that is given for the other end"));
		return;
	}
	if (builder->cables[peer] == FABRIC_NONE) {
		struct topology_cable line = {.guid = cable->peer_guid};

		if (has_root)
			topology_add_fault(builder->parts, cable->line,
					   mem_string("the other end has no line: the cable is "
						      "known from this end only"));
		else if (!line.guid)
			line.guid = fabric_node_of(builder->fabric, peer)->guid + cable->peer_port;
		write_port(builder, peer, &line);
	}
	fabric_link(builder->fabric, place, peer);
}

/* The block where the scan began, or else the first one. */
static uint32_t find_root(const struct topology_text *parts)
{
	for (uint32_t i = 0; parts->has_root && i < parts->block_count; i++)
		if (parts->blocks[i].guid == parts->root)
			return i;
	return 0;
}

/* Sets the adapter port where the scan began: by its GUID, or the first one with a cable. */
static void set_root_port(const struct builder *builder)
{
	struct fabric *fabric = builder->fabric;
	struct fabric_node *root = &fabric->nodes[0];

	for (uint8_t i = root->port_count; i > 0 && root->type != NODE_TYPE_SWITCH; i--)
		if (fabric->ports[root->first_port + i].peer != FABRIC_NONE)
			root->local_port = i;
	for (uint8_t i = root->port_count; i > 0 && builder->parts->root_port; i--)
		if (fabric->ports[root->first_port + i].guid == builder->parts->root_port)
			root->local_port = i;
}

/* A node is queried through the port that its path leads to. */
static void finish_node_info(struct fabric *fabric)
{
	for_each_in (node, fabric->nodes, fabric->node_count) {
		node_info_set_local_port(node->info, node->local_port);
		if (node->type != NODE_TYPE_SWITCH)
			node_info_set_port_guid(
				node->info,
				fabric->ports[node->first_port + node->local_port].guid);
	}
}

static int build(struct builder *builder)
{
	uint32_t root = find_root(builder->parts);
	uint32_t count = (uint32_t)builder->parts->block_count;
	int rc = sort_names(builder);

	if (!rc)
		rc = add_block(builder, root);
	/* A text of ibnetdiscover, which has a root, is in reverse order of discovery. */
	for (uint32_t i = 0; i < count && !rc; i++) {
		uint32_t number = builder->parts->has_root ? count - 1 - i : i;

		if (number != root)
			rc = add_block(builder, number);
	}
	if (rc)
		return rc;
	place_cables(builder);
	for (uint32_t i = 0; i < builder->fabric->port_count; i++)
		if (builder->cables[i] != FABRIC_NONE &&
		    builder->fabric->ports[i].peer == FABRIC_NONE)
			lay_cable(builder, i);
	if (builder->parts->has_root && builder->parts->blocks[root].guid != builder->parts->root)
		topology_add_fault(builder->parts, 0,
				   mem_string("the node where the scan began is missing: routes "
					      "begin at the first node of the text"));
	fabric_mark_duplicates(builder->fabric);
	set_root_port(builder);
	topology_arrange(builder->fabric);
	finish_node_info(builder->fabric);
	return 0;
}

int topology_build(struct topology_text *parts, struct fabric *fabric, char **ret_message)
{
	struct builder builder = {
		.parts = parts,
		.fabric = fabric,
		.nodes = mem_alloc_zero(parts->block_count, sizeof(uint32_t)),
		.blocks = mem_alloc_zero(parts->block_count, sizeof(uint32_t)),
		.message = ret_message,
	};
	int rc = -EINVAL;

	topology_complete(parts);
	if (!parts->block_count)
		*ret_message = mem_format("line %u: %s", parts->faults[0].line,
					  parts->faults[0].reason);
	else
		rc = build(&builder);
	free(builder.names);
	free(builder.nodes);
	free(builder.blocks);
	free(builder.cables);
	return rc;
}
