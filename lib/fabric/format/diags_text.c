/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

#include "fabric/format/diags.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

#define MOST_MODEL 19 /* characters that those tools keep of the model of a chassis */

struct writer {
	const struct fabric_view *view;
	struct text_buffer *out;
	bool groups;		  /* by view->chassis */
	const char *chassis_name; /* of the chassis being written, or NULL */
};

/* Writes the identifier of a node: a letter for its type, and its GUID. */
static void write_id(const struct writer *writer, const struct fabric_node *node)
{
	static const char letters[] = {
		[NODE_TYPE_CA] = 'H', [NODE_TYPE_SWITCH] = 'S', [NODE_TYPE_ROUTER] = 'R'};

	text_buffer_add(writer->out, "\"%c-%016" PRIx64 "\"", letters[node->type], node->guid);
}

static void write_quoted(const struct writer *writer, const struct fabric_node *node,
			 const struct node_names *names)
{
	_cleanup_(freep) char *name = diags_name(node, names);

	text_buffer_add(writer->out, "\"%s\"", name);
}

/*
 * Returns 0 if the text has no groups, or the node is in no chassis. Those tools have one node in a
 * slot, and count all others with that slot as in no chassis.
 */
static uint32_t chassis_of(const struct writer *writer, uint32_t number)
{
	const struct chassis_list *chassis = writer->view->chassis;

	return writer->groups && !chassis->is_second[number] ? chassis->number[number] : 0;
}

static void write_chassis(const struct writer *writer, uint32_t number)
{
	const struct fabric *fabric = writer->view->fabric;
	const struct fabric_node *node = &fabric->nodes[number];
	uint32_t peer = fabric->ports[node->first_port + 1].peer;

	text_buffer_add(writer->out, "\t\t# Chassis %u", chassis_of(writer, number));
	if (writer->chassis_name)
		text_buffer_add(writer->out, " (%s)", writer->chassis_name);
	if (chassis_is_xsigo_target(node->guid) && peer != FABRIC_NONE)
		text_buffer_add(writer->out, " slot %u", fabric->ports[peer].number);
}

/* Writes the model and the place in it, like `ISR9288 Line 3 Chip 1`. */
static void write_place(const struct writer *writer, uint32_t number)
{
	static const char *const boards[] = {
		[BOARD_LINE] = "Line", [BOARD_SPINE] = "Spine", [BOARD_ROUTER] = "SRBD"};
	struct chassis_place place;

	text_buffer_add(writer->out, "\t# ");
	if (!chassis_of(writer, number) ||
	    !chassis_place_of(writer->view->fabric, number, &place) || !place.of_diags ||
	    !place.board)
		return;
	if (*place.model) {
		char model[MOST_MODEL + 1];

		text_clean_into(model, sizeof(model), place.model, strlen(place.model));
		text_buffer_add(writer->out, "%s ", model);
	}
	text_buffer_add(writer->out, "%s %u Chip %u", boards[place.board], place.slot, place.chip);
}

static void write_head(const struct writer *writer, uint32_t number)
{
	const struct fabric_node *node = &writer->view->fabric->nodes[number];
	const struct fabric_port *port = &writer->view->fabric->ports[node->first_port];
	uint64_t system = node_info_system_guid(node->info);

	text_buffer_add(writer->out, "\nvendid=0x%x\ndevid=0x%x\n", node_info_vendor_id(node->info),
			node_info_device_id(node->info));
	if (system)
		text_buffer_add(writer->out, "sysimgguid=0x%" PRIx64, system);
	if (chassis_of(writer, number))
		write_chassis(writer, number);
	if (system || chassis_of(writer, number))
		text_buffer_add(writer->out, "\n");
	if (node->type == NODE_TYPE_SWITCH) {
		text_buffer_add(writer->out, "switchguid=0x%" PRIx64 "(%" PRIx64 ")", node->guid,
				node_info_port_guid(node->info));
		if (writer->groups)
			write_place(writer, number);
		text_buffer_add(writer->out, "\nSwitch");
	} else {
		text_buffer_add(writer->out, "%sguid=0x%" PRIx64 "\n%s",
				node->type == NODE_TYPE_CA ? "ca" : "rt", node->guid,
				node->type == NODE_TYPE_CA ? "Ca" : "Rt");
	}
	text_buffer_add(writer->out, "\t%u ", node->port_count);
	write_id(writer, node);
	text_buffer_add(writer->out, "\t\t# ");
	/* In the block of an adapter, the description is never replaced by a name. */
	write_quoted(writer, node, node->type == NODE_TYPE_SWITCH ? writer->view->names : NULL);
	/* The bit is 0 without SwitchInfo. */
	if (node->type == NODE_TYPE_SWITCH)
		text_buffer_add(writer->out, " %s port 0 lid %u lmc %u",
				switch_info_enhanced_port0(node->switch_info) ? "enhanced" : "base",
				port_info_lid(port->info), port_info_lmc(port->info));
	else if (writer->groups && chassis_is_xsigo_adapter(node->guid))
		text_buffer_add(writer->out, " (scp)");
	text_buffer_add(writer->out, "\n");
}

static void write_rate(const struct writer *writer, const struct fabric_port *port)
{
	unsigned int lanes = fabric_lanes(port);

	if (lanes)
		text_buffer_add(writer->out, " %ux", lanes);
	else
		text_buffer_add(writer->out, " ??");
	text_buffer_add(writer->out, "%s", enum_word(lane_speed_names, fabric_speed(port), "???"));
}

static void write_xsigo(const struct writer *writer, const struct fabric_port *port,
			const struct fabric_node *other)
{
	uint64_t guid = other->type == NODE_TYPE_SWITCH
				? node_info_port_guid(other->info)
				: writer->view->fabric->ports[port->peer].guid;

	if (chassis_is_xsigo_target(guid))
		text_buffer_add(writer->out, " slot %u", port->number);
	else if (chassis_is_xsigo_adapter(guid))
		text_buffer_add(writer->out, " (scp)");
}

static void write_outside(const struct writer *writer, uint32_t place)
{
	unsigned int port = writer->groups ? chassis_outside_port(writer->view->fabric, place) : 0;

	if (port)
		text_buffer_add(writer->out, "[ext %u]", port);
}

static void write_cable(const struct writer *writer, uint32_t place)
{
	const struct fabric *fabric = writer->view->fabric;
	const struct fabric_port *port = &fabric->ports[place], *peer = &fabric->ports[port->peer];
	const struct fabric_node *node = &fabric->nodes[port->node];
	const struct fabric_node *other = &fabric->nodes[peer->node];
	bool from_switch = node->type == NODE_TYPE_SWITCH;

	text_buffer_add(writer->out, "[%u]", port->number);
	write_outside(writer, place);
	if (!from_switch)
		text_buffer_add(writer->out, "(%" PRIx64 ") ", port->guid);
	text_buffer_add(writer->out, "\t");
	write_id(writer, other);
	text_buffer_add(writer->out, "[%u]", peer->number);
	write_outside(writer, port->peer);
	if (other->type != NODE_TYPE_SWITCH)
		text_buffer_add(writer->out, from_switch ? "(%" PRIx64 ") " : " (%" PRIx64 ") ",
				peer->guid);
	text_buffer_add(writer->out, "\t\t# ");
	if (!from_switch)
		text_buffer_add(writer->out, "lid %u lmc %u ", diags_lid(fabric, place),
				port_info_lmc(port->info));
	write_quoted(writer, other, writer->view->names);
	text_buffer_add(writer->out, " lid %u", diags_lid(fabric, port->peer));
	write_rate(writer, port);
	if (from_switch)
		write_xsigo(writer, port, other);
	text_buffer_add(writer->out, "\n");
}

static void write_node(const struct writer *writer, uint32_t number)
{
	const struct fabric *fabric = writer->view->fabric;

	write_head(writer, number);
	for_each_port_of (port, &fabric->nodes[number])
		if (fabric->ports[port].peer != FABRIC_NONE)
			write_cable(writer, port);
}

/* Writes the host names of the chassis' Xsigo adapters. Returns the last, to be freed, or NULL. */
static char *name_chassis(const struct writer *writer, const struct chassis *chassis)
{
	const struct fabric *fabric = writer->view->fabric;
	char *name = NULL;

	for (size_t i = 0; chassis_is_xsigo(chassis->guid) && i < chassis->count; i++) {
		const struct fabric_node *node = &fabric->nodes[chassis->members[i].node];

		if (!chassis_is_xsigo_adapter(node->guid))
			continue;
		free(name);
		name = diags_name(node, NULL);
		text_buffer_add(writer->out, "Hostname: %s\n", name);
	}
	return name;
}

static void write_group(struct writer *writer, uint32_t number)
{
	static const char *const heads[] = {
		[PART_SPINE] = "Spine Nodes",
		[PART_LINE] = "Line Nodes",
		[PART_SWITCH] = "Chassis Switches",
		[PART_OTHER] = "Chassis CAs",
	};
	const struct chassis *chassis = &writer->view->chassis->items[number - 1];
	_cleanup_(freep) char *name = NULL;
	size_t next = 0;

	text_buffer_add(writer->out, "\nChassis %u (guid 0x%" PRIx64 ")\n", number, chassis->guid);
	name = name_chassis(writer, chassis);
	writer->chassis_name = name;
	for (size_t part = 0; part < ARRAY_SIZE(heads); part++) {
		text_buffer_add(writer->out, "\n# %s", heads[part]);
		for (; next < chassis->count && chassis->members[next].part == part; next++)
			if (chassis_of(writer, chassis->members[next].node))
				write_node(writer, chassis->members[next].node);
	}
	writer->chassis_name = NULL;
}

static void write_all(struct writer *writer, time_t now)
{
	static const enum node_type types[] = {NODE_TYPE_SWITCH, NODE_TYPE_CA, NODE_TYPE_ROUTER};
	const struct fabric *fabric = writer->view->fabric;
	_cleanup_(freep) uint32_t *order = diags_order(fabric);
	char date[64] = "";
	struct tm parts;

	/* In the format of asctime(), in English whatever the locale. */
	if (localtime_r(&now, &parts))
		asctime_r(&parts, date);
	text_buffer_add(writer->out, "#\n# Topology file: generated on %s#\n", date);
	if (fabric->node_count)
		text_buffer_add(writer->out,
				"# Initiated from node %016" PRIx64 " port %016" PRIx64 "\n",
				fabric->nodes[0].guid, node_info_port_guid(fabric->nodes[0].info));
	for (uint32_t i = 1; writer->groups && i <= writer->view->chassis->count; i++)
		write_group(writer, i);
	if (writer->groups)
		text_buffer_add(writer->out, "\nNon-Chassis Nodes\n");
	for (size_t type = 0; type < ARRAY_SIZE(types); type++)
		for (uint32_t i = fabric->node_count; i > 0; i--)
			if (fabric->nodes[order[i - 1]].type == types[type] &&
			    !chassis_of(writer, order[i - 1]))
				write_node(writer, order[i - 1]);
}

char *ibnetdiscover_text(const struct fabric_view *view, bool groups, time_t now)
{
	struct text_buffer out = {.text = NULL};
	struct writer writer = {.view = view, .out = &out, .groups = groups && view->chassis};

	write_all(&writer, now);
	return text_buffer_take(&out);
}
