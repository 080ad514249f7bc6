/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A subnet as iblinkinfo(8) prints it. */
#include "fabric/format/diags.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

struct writer {
	const struct fabric_view *view;
	struct text_buffer *out;
};

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

/* Writes `( 4X 25.78125 Gbps   Active/  LinkUp)`; for a port that is down, only the states. */
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

/* Writes `  13[ 6]`: the port, and its number on the outside of a modular switch. */
static void write_number(const struct writer *writer, uint32_t place)
{
	unsigned int outside = chassis_outside_port(writer->view->fabric, place);

	text_buffer_add(writer->out, "%4u[", writer->view->fabric->ports[place].number);
	if (outside)
		text_buffer_add(writer->out, "%2u]", outside);
	else
		text_buffer_add(writer->out, "  ]");
}

static void write_peer(const struct writer *writer, uint32_t place)
{
	const struct fabric *fabric = writer->view->fabric;
	const struct fabric_port *port = &fabric->ports[place], *peer = &fabric->ports[port->peer];
	const struct fabric_node *node = &fabric->nodes[peer->node];
	_cleanup_(freep) char *name = diags_name(node, writer->view->names);
	unsigned int best_lanes = fabric_best_lanes(fabric, place);
	enum lane_speed best_speed = fabric_best_speed(fabric, place);

	text_buffer_add(writer->out, "%6u ", diags_lid(fabric, port->peer));
	write_number(writer, port->peer);
	text_buffer_add(writer->out, " \"%s\" (", name);
	if (fabric_lanes(port) < best_lanes)
		text_buffer_add(writer->out, "Could be %uX", best_lanes);
	text_buffer_add(writer->out, " ");
	/* The vendor's attribute, which has FDR10, is read for ports at QDR. */
	if (fabric_speed(port) < best_speed)
		text_buffer_add(writer->out, "Could be %s",
				best_speed == SPEED_FDR10 ? "FDR10 (Found link at QDR but expected "
							    "speed is FDR10)"
							  : speeds[best_speed]);
	text_buffer_add(writer->out, ")\n");
}

static void write_port(const struct writer *writer, uint32_t place)
{
	const struct fabric *fabric = writer->view->fabric;
	const struct fabric_port *port = &fabric->ports[place];

	text_buffer_add(writer->out, "      ");
	if (!fabric_is_of_switch(fabric, place))
		text_buffer_add(writer->out, "0x%016" PRIx64 " ", port->guid);
	text_buffer_add(writer->out, "%6u ", diags_lid(fabric, place));
	write_number(writer, place);
	text_buffer_add(writer->out, " ==");
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

	for_each_port_of (port, node) {
		if (!fabric->ports[port].has_info && fabric->ports[port].peer == FABRIC_NONE)
			continue;
		if (!headed && node->type == NODE_TYPE_SWITCH)
			text_buffer_add(writer->out, "%s: 0x%016" PRIx64 " %s:\n",
					types[node->type], node->guid, name);
		else if (!headed)
			text_buffer_add(writer->out, "%s: %s:\n", types[node->type], name);
		headed = true;
		write_port(writer, port);
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
