/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

#include "fabric/format/diags.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "fabric/graph/graph.h"
#include "schema/bits.h"

/* Devices of Xsigo are marked; their GUIDs tell them. */
#define XSIGO_MASK    0xffffffff00000000u
#define XSIGO_ADAPTER 0x0013970200000000u
#define XSIGO_TARGET  0x0013970300000000u

struct writer {
	const struct fabric_view *view;
	struct text_buffer *out;
};

/* The identifier of a node: a letter for its type, and its GUID. */
static void write_id(const struct writer *writer, const struct fabric_node *node)
{
	static const char letters[] = {
		[NODE_TYPE_CA] = 'H', [NODE_TYPE_SWITCH] = 'S', [NODE_TYPE_ROUTER] = 'R'};

	text_buffer_add(writer->out, "\"%c-%016" PRIx64 "\"", letters[node->type], node->guid);
}

static unsigned int lmc_of(const struct fabric_port *port)
{
	return port_info_lmc(port->info);
}

static void write_quoted(const struct writer *writer, const struct fabric_node *node,
			 const struct node_names *names)
{
	_cleanup_(freep) char *name = diags_name(node, names);

	text_buffer_add(writer->out, "\"%s\"", name);
}

static void write_head(const struct writer *writer, const struct fabric_node *node)
{
	const struct fabric_port *port = &writer->view->fabric->ports[node->first_port];
	uint64_t system = fabric_system_guid(node);

	text_buffer_add(writer->out, "\nvendid=0x%x\ndevid=0x%x\n", fabric_vendor_id(node),
			fabric_device_id(node));
	if (system)
		text_buffer_add(writer->out, "sysimgguid=0x%" PRIx64 "\n", system);
	if (node->type == NODE_TYPE_SWITCH)
		text_buffer_add(writer->out, "switchguid=0x%" PRIx64 "(%" PRIx64 ")\nSwitch",
				node->guid, fabric_port_guid(node));
	else
		text_buffer_add(writer->out, "%sguid=0x%" PRIx64 "\n%s",
				node->type == NODE_TYPE_CA ? "ca" : "rt", node->guid,
				node->type == NODE_TYPE_CA ? "Ca" : "Rt");
	text_buffer_add(writer->out, "\t%u ", node->port_count);
	write_id(writer, node);
	text_buffer_add(writer->out, "\t\t# ");
	/* The block of an adapter always has its description. */
	write_quoted(writer, node, node->type == NODE_TYPE_SWITCH ? writer->view->names : NULL);
	/* The bit is 0 without SwitchInfo. */
	if (node->type == NODE_TYPE_SWITCH)
		text_buffer_add(writer->out, " %s port 0 lid %u lmc %u",
				switch_info_enhanced_port0(node->switch_info) ? "enhanced" : "base",
				fabric_port_lid(port), lmc_of(port));
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

/* The kind of a Xsigo port at a switch. */
static void write_xsigo(const struct writer *writer, const struct fabric_port *port,
			const struct fabric_node *other)
{
	uint64_t guid = other->type == NODE_TYPE_SWITCH
				? fabric_port_guid(other)
				: writer->view->fabric->ports[port->peer].guid;

	if ((guid & XSIGO_MASK) == XSIGO_TARGET)
		text_buffer_add(writer->out, " slot %u", port->number);
	else if ((guid & XSIGO_MASK) == XSIGO_ADAPTER)
		text_buffer_add(writer->out, " (scp)");
}

/* The cable in a port, and the LIDs at its ends. */
static void write_cable(const struct writer *writer, uint32_t place)
{
	const struct fabric *fabric = writer->view->fabric;
	const struct fabric_port *port = &fabric->ports[place], *peer = &fabric->ports[port->peer];
	const struct fabric_node *node = &fabric->nodes[port->node];
	const struct fabric_node *other = &fabric->nodes[peer->node];
	bool from_switch = node->type == NODE_TYPE_SWITCH;

	text_buffer_add(writer->out, "[%u]", port->number);
	if (!from_switch)
		text_buffer_add(writer->out, "(%" PRIx64 ") ", port->guid);
	text_buffer_add(writer->out, "\t");
	write_id(writer, other);
	text_buffer_add(writer->out, "[%u]", peer->number);
	if (other->type != NODE_TYPE_SWITCH)
		text_buffer_add(writer->out, from_switch ? "(%" PRIx64 ") " : " (%" PRIx64 ") ",
				peer->guid);
	text_buffer_add(writer->out, "\t\t# ");
	if (!from_switch)
		text_buffer_add(writer->out, "lid %u lmc %u ", fabric_port_lid(port), lmc_of(port));
	write_quoted(writer, other, writer->view->names);
	text_buffer_add(writer->out, " lid %u", fabric_lid(fabric, port->peer));
	write_rate(writer, port);
	if (from_switch)
		write_xsigo(writer, port, other);
	text_buffer_add(writer->out, "\n");
}

static void write_node(const struct writer *writer, uint32_t number)
{
	const struct fabric *fabric = writer->view->fabric;
	const struct fabric_node *node = &fabric->nodes[number];

	write_head(writer, node);
	for (uint32_t i = 1; i <= node->port_count; i++)
		if (fabric->ports[node->first_port + i].peer != FABRIC_NONE)
			write_cable(writer, node->first_port + i);
}

static void write_all(const struct writer *writer, time_t now)
{
	static const enum node_type types[] = {NODE_TYPE_SWITCH, NODE_TYPE_CA, NODE_TYPE_ROUTER};
	const struct fabric *fabric = writer->view->fabric;
	_cleanup_(freep) uint32_t *order = diags_order(fabric);
	char date[64] = "";
	struct tm parts;

	/* As asctime() writes it, in English whatever the locale. */
	if (localtime_r(&now, &parts))
		asctime_r(&parts, date);
	text_buffer_add(writer->out, "#\n# Topology file: generated on %s#\n", date);
	if (fabric->node_count)
		text_buffer_add(writer->out,
				"# Initiated from node %016" PRIx64 " port %016" PRIx64 "\n",
				fabric->nodes[0].guid, fabric_port_guid(&fabric->nodes[0]));
	for (size_t type = 0; type < ARRAY_SIZE(types); type++)
		for (uint32_t i = fabric->node_count; i > 0; i--)
			if (fabric->nodes[order[i - 1]].type == types[type])
				write_node(writer, order[i - 1]);
}

char *ibnetdiscover_text(const struct fabric_view *view, time_t now)
{
	struct text_buffer out = {.text = NULL};
	const struct writer writer = {.view = view, .out = &out};

	write_all(&writer, now);
	return text_buffer_take(&out);
}

/* Words of PortState and PortPhysicalState, by number. */
static const char *const states[] = {"NoChange", "Down", "Initialize", "Armed", "Active"};
static const char *const physical_states[] = {
	"NoChange",
	"Sleep",
	"Polling",
	"Disabled",
	"PortConfigurationTraining",
	"LinkUp",
	"LinkErrorRecovery",
	"PhyTest",
};

/* Signalling rates; other tools print the data rate. */
static const char *const speeds[SPEED_COUNT] = {
	[SPEED_UNKNOWN] = "Extended speed",
	[SPEED_SDR] = "2.5 Gbps",
	[SPEED_DDR] = "5.0 Gbps",
	[SPEED_QDR] = "10.0 Gbps",
	[SPEED_FDR10] = "10.0 Gbps (FDR10)",
	[SPEED_FDR] = "14.0625 Gbps",
	[SPEED_EDR] = "25.78125 Gbps",
	[SPEED_HDR] = "53.125 Gbps",
	[SPEED_NDR] = "106.25 Gbps",
	[SPEED_XDR] = "212.5 Gbps",
};

enum { WORD_SIZE = 32 };

static const char *state_word(const char *const *words, size_t count, unsigned int state,
			      char buffer[static WORD_SIZE])
{
	if (state < count)
		return words[state];
	snprintf(buffer, WORD_SIZE, "?(%u)", state);
	return buffer;
}

/* `( 4X 25.78125 Gbps   Active/  LinkUp)`; only the states of a port that is down. */
static void write_state(const struct writer *writer, const struct fabric_port *port)
{
	char state_buffer[WORD_SIZE], physical_buffer[WORD_SIZE], width[WORD_SIZE];
	unsigned int state = fabric_port_state(port), lanes = fabric_lanes(port);
	const char *word = state_word(states, ARRAY_SIZE(states), state, state_buffer);
	const char *physical = state_word(physical_states, ARRAY_SIZE(physical_states),
					  fabric_physical_state(port), physical_buffer);

	if (state == PORT_STATE_DOWN) {
		text_buffer_add(writer->out, "(              %6s/%8s)", word, physical);
		return;
	}
	snprintf(width, sizeof(width), lanes ? "%uX" : "undefined (%u)", lanes);
	text_buffer_add(writer->out, "(%3s %18s %6s/%8s)", width, speeds[fabric_speed(port)], word,
			physical);
}

static void write_peer(const struct writer *writer, uint32_t place)
{
	const struct fabric *fabric = writer->view->fabric;
	const struct fabric_port *port = &fabric->ports[place], *peer = &fabric->ports[port->peer];
	const struct fabric_node *node = &fabric->nodes[peer->node];
	_cleanup_(freep) char *name = diags_name(node, writer->view->names);
	unsigned int best_lanes = fabric_best_lanes(fabric, place);
	enum lane_speed best_speed = fabric_best_speed(fabric, place);

	text_buffer_add(writer->out, "%6u %4u[  ] \"%s\" (", fabric_lid(fabric, port->peer),
			peer->number, name);
	if (fabric_lanes(port) < best_lanes)
		text_buffer_add(writer->out, "Could be %uX", best_lanes);
	text_buffer_add(writer->out, " ");
	if (fabric_speed(port) < best_speed)
		text_buffer_add(writer->out, "Could be %s", speeds[best_speed]);
	text_buffer_add(writer->out, ")\n");
}

static void write_port(const struct writer *writer, uint32_t place)
{
	const struct fabric *fabric = writer->view->fabric;
	const struct fabric_port *port = &fabric->ports[place];

	text_buffer_add(writer->out, "      ");
	if (fabric_node_of(fabric, place)->type != NODE_TYPE_SWITCH)
		text_buffer_add(writer->out, "0x%016" PRIx64 " ", port->guid);
	text_buffer_add(writer->out, "%6u %4u[  ] ==", fabric_lid(fabric, place), port->number);
	write_state(writer, port);
	text_buffer_add(writer->out, "==>  ");
	if (port->peer != FABRIC_NONE)
		write_peer(writer, place);
	else if (fabric_port_state(port) == PORT_STATE_DOWN)
		text_buffer_add(writer->out, "           [  ] \"\" ( )\n");
	else
		text_buffer_add(writer->out, "    \"Port not available\"\n");
}

/* A node without a port to show has no heading. */
static void write_ports(const struct writer *writer, const struct fabric_node *node)
{
	static const char *const types[] = {[NODE_TYPE_CA] = "CA",
					    [NODE_TYPE_SWITCH] = "Switch",
					    [NODE_TYPE_ROUTER] = "Router"};
	const struct fabric *fabric = writer->view->fabric;
	_cleanup_(freep) char *name = diags_name(node, writer->view->names);
	bool headed = false;

	for (uint32_t i = 1; i <= node->port_count; i++) {
		const struct fabric_port *port = &fabric->ports[node->first_port + i];

		if (!port->has_info && port->peer == FABRIC_NONE)
			continue;
		if (!headed && node->type == NODE_TYPE_SWITCH)
			text_buffer_add(writer->out, "%s: 0x%016" PRIx64 " %s:\n",
					types[node->type], node->guid, name);
		else if (!headed)
			text_buffer_add(writer->out, "%s: %s:\n", types[node->type], name);
		headed = true;
		write_port(writer, node->first_port + i);
	}
}

char *iblinkinfo_text(const struct fabric_view *view)
{
	struct text_buffer out = {.text = NULL};
	const struct writer writer = {.view = view, .out = &out};
	_cleanup_(freep) uint32_t *order = diags_order(view->fabric);

	for (uint32_t i = view->fabric->node_count; i > 0; i--)
		write_ports(&writer, &view->fabric->nodes[order[i - 1]]);
	return text_buffer_take(&out);
}
