/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The columns of nodes, ports and cables. The row of a cable is a port with its peer. */
#include <stdio.h>
#include <string.h>

#include "base/gid.h"
#include "base/text.h"
#include "fabric/graph/view.h"
#include "schema/rows.h"

ITEM_OF(node_of, fabric_node, nodes)

void view_set_guid(struct value *value, uint64_t guid)
{
	guid_format(guid, value->scratch);
	value_set_string(value, value->scratch);
}

void view_set_bytes(struct value *value, const uint8_t *bytes, size_t count)
{
	text_write_hex(value->scratch, bytes, count);
	value_set_string(value, value->scratch);
}

void view_set_hex(struct value *value, int digits, uint32_t number)
{
	snprintf(value->scratch, sizeof(value->scratch), "0x%0*x", digits, number);
	value_set_string(value, value->scratch);
}

void view_set_known(struct value *value, uint64_t number)
{
	if (number)
		value_set_unsigned(value, number);
}

void view_set_path(struct value *value, const uint8_t *path, int hops)
{
	size_t length = 1;

	if (hops < 0)
		return;
	snprintf(value->scratch, sizeof(value->scratch), "0");
	for (int i = 1; i <= hops; i++)
		length += (size_t)snprintf(value->scratch + length, sizeof(value->scratch) - length,
					   ",%u", path[i]);
	value_set_string(value, value->scratch);
}

static void set_name(struct value *value, const struct fabric_row *row)
{
	fabric_node_name_into(row->view, row->place, value->scratch);
	value_set_string(value, value->scratch);
}

/* The LID of a switch, or of an adapter's first port that has one. */
static uint16_t first_lid(const struct fabric *fabric, const struct fabric_node *node)
{
	uint16_t lid = 0;

	for (uint32_t i = 0; i <= node->port_count && !lid; i++)
		lid = fabric_lid(fabric, node->first_port + i);
	return lid;
}

static unsigned int count_links(const struct fabric *fabric, const struct fabric_node *node)
{
	unsigned int count = 0;

	for_each_port_of (port, node)
		count += fabric->ports[port].peer != FABRIC_NONE;
	return count;
}

/* Sets what a node says of itself, cleaned because it may send anything. */
static void set_clean(struct value *value, const char *bytes, size_t length)
{
	text_clean_into(value->scratch, sizeof(value->scratch), bytes, length);
	value_set_string(value, value->scratch);
}

static bool is_made(const struct fabric_row *row)
{
	return fabric_is_made(row->view->fabric);
}

/* ibnetdiscover writes vendor and device, which may be 0, only together with the system GUID. */
static void set_hex(struct value *value, const struct fabric_row *row, int digits, uint32_t number)
{
	if (number || !is_made(row) || node_info_system_guid(node_of(row)->info))
		view_set_hex(value, digits, number);
}

static void set_path(struct value *value, const struct fabric_row *row)
{
	uint8_t path[MAD_HOPS_MOST + 1];

	view_set_path(value, path, fabric_path(fabric_of(row), row->place, path));
}

/* The port through which a node was found; the scan must not have begun at this node. */
static const struct fabric_port *parent_of(const struct fabric_row *row)
{
	return &fabric_of(row)->ports[node_of(row)->parent];
}

#define NODE_GETTER(name_, when_, set_) \
	VIEW_GETTER(static, name_, fabric_node, node, node_of, when_, set_)
NODE_GETTER(get_name, true, set_name(value, row))
NODE_GETTER(get_type, true, value_set_word(value, node_type_names, node->type))
NODE_GETTER(get_guid, true, view_set_guid(value, node->guid))
NODE_GETTER(get_index, true, value_set_unsigned(value, row->place))
NODE_GETTER(get_lid, true, view_set_known(value, first_lid(fabric_of(row), node)))
NODE_GETTER(get_port_count, true, value_set_unsigned(value, node->port_count))
NODE_GETTER(get_linked, true, value_set_unsigned(value, count_links(fabric_of(row), node)))
NODE_GETTER(get_system_guid, node_info_system_guid(node->info) || !is_made(row),
	    view_set_guid(value, node_info_system_guid(node->info)))
NODE_GETTER(get_first_guid, node_info_port_guid(node->info) || !is_made(row),
	    view_set_guid(value, node_info_port_guid(node->info)))
NODE_GETTER(get_vendor, true, set_hex(value, row, 6, node_info_vendor_id(node->info)))
NODE_GETTER(get_device, true, set_hex(value, row, 4, node_info_device_id(node->info)))
NODE_GETTER(get_description, node->has_description,
	    set_clean(value, (const char *)node->description, NODE_DESCRIPTION_BYTES))
NODE_GETTER(get_hops, node->hops != FABRIC_HOPS_UNKNOWN, value_set_unsigned(value, node->hops))
NODE_GETTER(get_path, true, set_path(value, row))
NODE_GETTER(get_duplicate, true, value_set_bool(value, node->ambiguous))
NODE_GETTER(get_top, node->has_switch_info,
	    value_set_unsigned(value, switch_info_linear_top(node->switch_info)))
NODE_GETTER(get_parent_index, node->parent != FABRIC_NONE,
	    value_set_unsigned(value, parent_of(row)->node))
NODE_GETTER(get_parent_port, node->parent != FABRIC_NONE,
	    value_set_unsigned(value, parent_of(row)->number))
NODE_GETTER(get_node_bytes, !is_made(row), view_set_bytes(value, node->info, NODE_INFO_BYTES))
NODE_GETTER(get_made_node, is_made(row), view_set_bytes(value, node->info, NODE_INFO_BYTES))
NODE_GETTER(get_description_bytes, node->has_description,
	    view_set_bytes(value, node->description, NODE_DESCRIPTION_BYTES))
NODE_GETTER(get_switch_bytes, node->has_switch_info,
	    view_set_bytes(value, node->switch_info, SWITCH_INFO_BYTES))
NODE_GETTER(get_made_switch, is_made(row) && node->type == NODE_TYPE_SWITCH,
	    view_set_bytes(value, node->switch_info, SWITCH_INFO_BYTES))

/* Only port 0: the list of ports has the others. */
static const struct fabric_port *port_0_of(const void *record)
{
	const struct fabric_node *node = node_of(record);

	return node ? &fabric_of(record)->ports[node->first_port] : NULL;
}

#define PORT_0_GETTER(name_, when_)                                                         \
	VIEW_GETTER(static, name_, fabric_port, port, port_0_of, port->has_info && (when_), \
		    view_set_bytes(value, port->info, PORT_INFO_BYTES))
PORT_0_GETTER(get_port_0_bytes, !is_made(row))
PORT_0_GETTER(get_made_port_0, is_made(row))

/* The number of the node's chassis; 0 if it is in none, or chassis were not looked for. */
static uint32_t chassis_of(const struct fabric_row *row)
{
	return row->view->chassis ? row->view->chassis->number[row->place] : 0;
}

NODE_GETTER(get_chassis, true, view_set_known(value, chassis_of(row)))
NODE_GETTER(get_chassis_guid, chassis_of(row),
	    view_set_guid(value, row->view->chassis->items[chassis_of(row) - 1].guid))

/* Sets `line 3 chip 1`. */
static void set_location(struct value *value, const struct chassis_place *place)
{
	snprintf(value->scratch, sizeof(value->scratch), "%s %u chip %u",
		 enum_word(fabric_board_names, place->board, "?"), place->slot, place->chip);
	value_set_string(value, value->scratch);
}

/* Defines a getter that does `set_` with the node's `place` in its chassis, if `when_` is true. */
#define CHASSIS_GETTER(name_, when_, set_)                                                    \
	static void name_(const void *record, struct value *value)                            \
	{                                                                                     \
		const struct fabric_row *row = record;                                        \
		struct chassis_place place;                                                   \
		if (fabric_of(row) && chassis_place_of(fabric_of(row), row->place, &place) && \
		    (when_))                                                                  \
			set_;                                                                 \
	}
CHASSIS_GETTER(get_system, *place.system, set_clean(value, place.system, strlen(place.system)))
CHASSIS_GETTER(get_model, *place.model, set_clean(value, place.model, strlen(place.model)))
CHASSIS_GETTER(get_board, true, value_set_word(value, fabric_board_names, place.board))
CHASSIS_GETTER(get_slot, true, view_set_known(value, place.slot))
CHASSIS_GETTER(get_chip, true, view_set_known(value, place.chip))
CHASSIS_GETTER(get_location, place.slot, set_location(value, &place))

/* The help of a column with bytes made from a text. */
#define MADE_HELP(attribute_) \
	"what a loaded text says, as " attribute_ " in hexadecimal; 0: unknown"

static const struct field node_fields[] = {
	VIEW_TEXT(get_name, "node", "NODE", SHOWN,
		  "name of the node: from --names, else its description"),
	VIEW_WORD(get_type, "node_type", "TYPE", SHOWN, "type of the node"),
	VIEW_GUID(get_guid, "node_guid", "NODE GUID", SHOWN, "GUID of the node"),
	VIEW_NUMBER(get_lid, "lid", "LID", SHOWN,
		    "base LID of the switch, or of the first port that has one"),
	VIEW_NUMBER(get_port_count, "port_count", "PORTS", SHOWN,
		    "number of ports, without port 0"),
	VIEW_NUMBER(get_linked, "linked_count", "LINKED", SHOWN,
		    "number of ports whose other end is known"),
	VIEW_NUMBER(get_hops, "hops", "HOPS", SHOWN, "number of cables from the start of the scan"),
	VIEW_TEXT(get_path, "path", "PATH", 0, "directed route from the start of the scan"),
	VIEW_TEXT(get_description, "description", "DESCRIPTION", 0,
		  "NodeDescription: the name that the owner gave it"),
	VIEW_GUID(get_system_guid, "system_image_guid", "SYSTEM GUID", 0,
		  "GUID that all nodes of a system share"),
	VIEW_GUID(get_first_guid, "port_guid", "PORT GUID", 0,
		  "GUID of the port that the scan reached it through"),
	VIEW_COLUMN(FIELD_HEX, get_vendor, "vendor_id", "VENDOR", 0, "IEEE OUI of the vendor"),
	VIEW_COLUMN(FIELD_HEX, get_device, "device_id", "DEVICE ID", 0,
		    "vendor's number for the device"),
	VIEW_NUMBER(get_chassis, "chassis", "CHASSIS", 0,
		    "number of the chassis, if it has several nodes"),
	VIEW_GUID(get_chassis_guid, "chassis_guid", "CHASSIS GUID", 0, "GUID of that chassis"),
	VIEW_TEXT(get_system, "chassis_name", "CHASSIS NAME", 0,
		  "name of the chassis, from the description of a modular switch"),
	VIEW_TEXT(get_model, "chassis_model", "MODEL", 0,
		  "model of a modular switch: from its device IDs, or its description"),
	VIEW_WORD(get_board, "board", "BOARD", 0,
		  "kind of board of a modular switch that the node is on"),
	VIEW_NUMBER(get_slot, "slot", "SLOT", 0, "number of that board"),
	VIEW_NUMBER(get_chip, "chip", "CHIP", 0, "number of the node on that board"),
	VIEW_YES_NO(get_duplicate, "duplicate_guid", "DUPLICATE", 0,
		    "whether another node has the same GUID"),
	VIEW_NUMBER(get_top, "linear_fdb_top", "LFT TOP", 0,
		    "highest LID in the linear forwarding table of a switch"),
	VIEW_NUMBER(get_index, "node_index", "INDEX", 0,
		    "number of the node in the scan; ports refer to it"),
	VIEW_TEXT(get_node_bytes, "node_info", "NODE INFO", 0,
		  "NodeInfo as received, in hexadecimal"),
	VIEW_TEXT(get_description_bytes, "node_description", "NODE DESCRIPTION", 0,
		  "NodeDescription as received, in hexadecimal"),
	VIEW_TEXT(get_switch_bytes, "switch_info", "SWITCH INFO", 0,
		  "SwitchInfo as received, in hexadecimal"),
	VIEW_TEXT(get_port_0_bytes, "port_0_info", "PORT 0 INFO", 0,
		  "PortInfo of port 0 of a switch as received, in hexadecimal"),
	VIEW_TEXT(get_made_node, "made_node_info", "MADE NODE INFO", 0, MADE_HELP("NodeInfo")),
	VIEW_TEXT(get_made_switch, "made_switch_info", "MADE SWITCH INFO", 0,
		  MADE_HELP("SwitchInfo")),
	VIEW_TEXT(get_made_port_0, "made_port_0_info", "MADE PORT 0 INFO", 0,
		  MADE_HELP("PortInfo")),
	VIEW_NUMBER(get_parent_index, "parent_index", "PARENT INDEX", 0,
		    "number of the node that it was found through"),
	VIEW_NUMBER(get_parent_port, "parent_port", "PARENT PORT", 0,
		    "port of that node that leads to it"),
};

const struct schema fabric_nodes_schema = SCHEMA("fabric_nodes", struct fabric_row, node_fields,
						 "a node of the subnet");

const struct fabric_port *place_port(const void *record)
{
	const struct fabric_row *row = record;

	return fabric_of(row) && row->place != FABRIC_NONE ? &fabric_of(row)->ports[row->place]
							   : NULL;
}

/* The row of the port at the other end of the cable. */
static struct fabric_row place_peer(const void *record)
{
	const struct fabric_row *row = record;
	const struct fabric_port *port = place_port(row);

	return (struct fabric_row){.view = row->view, .place = port ? port->peer : FABRIC_NONE};
}

/* The row of the port's node; empty if the record has no port. */
static struct fabric_row node_row(const void *record)
{
	const struct fabric_row *row = record;
	const struct fabric_port *port = place_port(row);

	return port ? (struct fabric_row){.view = row->view, .place = port->node}
		    : (struct fabric_row){.view = NULL};
}

/* State 0 means "no change" in a Set; no port is ever in it. */
static void set_state(struct value *value, const struct enum_name *names, unsigned int state)
{
	if (state)
		value_set_word(value, names, state);
}

static void set_rate(struct value *value, double rate)
{
	if (rate > 0)
		value_set_real(value, rate);
}

static void set_flag(struct value *value, bool flag, enum tone tone)
{
	value_set_bool(value, flag);
	value->tone = flag ? tone : TONE_PLAIN;
}

/* Sets `4x EDR`: the best that a link at a lower rate could have. */
static void set_could_be(struct value *value, const struct fabric_row *row)
{
	unsigned int lanes;
	char *at = value->scratch;
	const char *word;

	if (!fabric_is_slow(fabric_of(row), row->place))
		return;
	lanes = fabric_best_lanes(fabric_of(row), row->place);
	/* printf(3) would cost more than the rest of the row. */
	if (lanes > 9)
		*at++ = (char)('0' + lanes / 10);
	*at++ = (char)('0' + lanes % 10);
	*at++ = 'x';
	*at++ = ' ';
	word = enum_word(lane_speed_names, fabric_best_speed(fabric_of(row), row->place), "?");
	memcpy(at, word, strlen(word) + 1);
	value_set_string(value, value->scratch);
	value->tone = TONE_WARNING;
}

#define PORT_GETTER(linkage_, name_, when_, set_) \
	VIEW_GETTER(linkage_, name_, fabric_port, port, place_port, when_, set_)
PORT_GETTER(, place_get_port, true, value_set_unsigned(value, port->number))
PORT_GETTER(, place_get_lid, true, view_set_known(value, fabric_lid(fabric_of(row), row->place)))
PORT_GETTER(, place_get_state, true, set_state(value, port_state_names, fabric_port_state(port)))
PORT_GETTER(static, get_physical_state, true,
	    set_state(value, physical_state_names, fabric_physical_state(port)))
/* A link that is down reports its last width, speed and MTU, or none. */
PORT_GETTER(, place_get_lanes, fabric_is_up(port), view_set_known(value, fabric_lanes(port)))
PORT_GETTER(, place_get_speed, fabric_is_up(port),
	    value_set_word(value, lane_speed_names, fabric_speed(port)))
PORT_GETTER(, place_get_rate, fabric_is_up(port),
	    set_rate(value, fabric_rate_gbps(fabric_lanes(port), fabric_speed(port))))
PORT_GETTER(, place_get_mtu, fabric_is_up(port), view_set_known(value, fabric_mtu(port)))
PORT_GETTER(static, get_most_mtu, true, view_set_known(value, fabric_most_mtu(port)))
PORT_GETTER(, place_get_vls, fabric_is_up(port), view_set_known(value, fabric_vls(port)))
PORT_GETTER(static, get_best_lanes, true,
	    view_set_known(value, fabric_best_lanes(fabric_of(row), row->place)))
PORT_GETTER(static, get_best_speed, true,
	    value_set_word(value, lane_speed_names, fabric_best_speed(fabric_of(row), row->place)))
PORT_GETTER(static, get_slow, fabric_is_up(port) && fabric_best_lanes(fabric_of(row), row->place),
	    set_flag(value, fabric_is_slow(fabric_of(row), row->place), TONE_WARNING))
PORT_GETTER(, place_get_could_be, true, set_could_be(value, row))
PORT_GETTER(static, get_unanswered, true, set_flag(value, port->unanswered, TONE_BAD))
PORT_GETTER(static, get_port_bytes, port->has_info && !is_made(row),
	    view_set_bytes(value, port->info, PORT_INFO_BYTES))
PORT_GETTER(static, get_made_port, port->has_info &&is_made(row),
	    view_set_bytes(value, port->info, PORT_INFO_BYTES))
PORT_GETTER(static, get_port_guid, port->guid, view_set_guid(value, port->guid))
PORT_GETTER(static, get_vendor_speed, true, view_set_known(value, port->vendor_speed))
PORT_GETTER(static, get_vendor_speeds, true, view_set_known(value, port->vendor_speeds))

PORT_GETTER(static, place_get_external, true,
	    view_set_known(value, chassis_outside_port(fabric_of(row), row->place)))

GETTER_OF(, place_get_node, node_row, get_name)
GETTER_OF(, place_get_guid, node_row, get_guid)
GETTER_OF(, place_get_type, node_row, get_type)
GETTER_OF(, place_get_index, node_row, get_index)
GETTER_OF(static, place_get_location, node_row, get_location)
GETTER_OF(, place_get_peer, place_peer, place_get_node)
GETTER_OF(, place_get_peer_port, place_peer, place_get_port)
GETTER_OF(, place_get_peer_guid, place_peer, place_get_guid)
GETTER_OF(, place_get_peer_type, place_peer, place_get_type)
GETTER_OF(static, get_peer_index, place_peer, place_get_index)
GETTER_OF(, place_get_peer_lid, place_peer, place_get_lid)
GETTER_OF(static, place_get_peer_location, place_peer, place_get_location)
GETTER_OF(static, place_get_peer_external, place_peer, place_get_external)
GETTER_OF(static, get_peer_state, place_peer, place_get_state)

/* The boards and outside ports at both ends of a cable. */
#define OUTSIDE_COLUMNS                                                                        \
	VIEW_NUMBER(place_get_external, "external_port", "EXT PORT", 0,                        \
		    "number of the port on the outside of a modular switch"),                  \
		VIEW_TEXT(place_get_location, "location", "LOCATION", 0,                       \
			  "board of a modular switch that the node is on: line 3 chip 1"),     \
		VIEW_NUMBER(place_get_peer_external, "peer_external_port", "PEER EXT PORT", 0, \
			    "the same as external_port for the port at the other end"),        \
		VIEW_TEXT(place_get_peer_location, "peer_location", "PEER LOCATION", 0,        \
			  "the same as location for the node at the other end")

/* The nodes at both ends, by identifiers that a name map does not change. */
#define NODES_OF_BOTH_ENDS                                                                       \
	VIEW_WORD(place_get_type, "node_type", "TYPE", 0, "type of the node"), NODE_GUID_COLUMN, \
		NODE_INDEX_COLUMN(place_get_index),                                              \
		VIEW_WORD(place_get_peer_type, "peer_type", "PEER TYPE", 0,                      \
			  "type of the node at the other end"),                                  \
		PEER_GUID_COLUMN,                                                                \
		VIEW_NUMBER(get_peer_index, "peer_index", "PEER INDEX", 0,                       \
			    "number in the scan of the node at the other end")
#define BELOW_BEST_COLUMN                                                    \
	VIEW_END_COLUMN(FIELD_BOOL, get_slow, "below_best", "BELOW BEST", 0, \
			"whether the link is narrower or slower than both ends support")
#define MTU_COLUMN VIEW_NUMBER(place_get_mtu, "mtu_bytes", "MTU", 0, "active MTU of the link")

static const struct field port_fields[] = {
	PORT_COLUMNS(place_get_port),
	VIEW_WORD(place_get_state, "state", "STATE", SHOWN, "logical state"),
	VIEW_WORD(get_physical_state, "physical_state", "PHYSICAL", SHOWN, "physical state"),
	WIDTH_COLUMN,
	SPEED_COLUMN,
	PEER_COLUMNS,
	COULD_BE_COLUMN(SHOWN),
	VIEW_YES_NO(get_unanswered, "unanswered", "UNANSWERED", 0,
		    "whether the node at the other end did not answer"),
	RATE_COLUMN(0),
	LID_COLUMN,
	PEER_LID_COLUMN,
	MTU_COLUMN,
	VIEW_NUMBER(get_most_mtu, "mtu_cap_bytes", "MAX MTU", 0, "maximum MTU of the port"),
	VIEW_NUMBER(place_get_vls, "vls_operational", "VLS", 0, "data VLs in use"),
	BELOW_BEST_COLUMN,
	VIEW_END_COLUMN(FIELD_UNSIGNED, get_best_lanes, "best_width_lanes", "BEST LANES",
			FIELD_RIGHT, "widest link that both ends support"),
	VIEW_END_COLUMN(FIELD_ENUM, get_best_speed, "best_speed", "BEST SPEED", 0,
			"fastest speed that both ends support"),
	NODES_OF_BOTH_ENDS,
	OUTSIDE_COLUMNS,
	VIEW_GUID(get_port_guid, "port_guid", "PORT GUID", 0,
		  "GUID of the port of an adapter or router"),
	VIEW_TEXT(get_port_bytes, "port_info", "PORT INFO", 0,
		  "PortInfo as received, in hexadecimal"),
	VIEW_TEXT(get_made_port, "made_port_info", "MADE PORT INFO", 0, MADE_HELP("PortInfo")),
	VIEW_NUMBER(get_vendor_speed, "vendor_speed_code", "VENDOR SPEED", 0,
		    "LinkSpeedActive of the vendor's ExtendedPortInfo: 1 is FDR10"),
	VIEW_NUMBER(get_vendor_speeds, "vendor_speed_supported_code", "VENDOR SPEEDS", 0,
		    "LinkSpeedSupported of the vendor's ExtendedPortInfo: 1 is FDR10"),
};

const struct schema fabric_ports_schema = SCHEMA(
	"fabric_ports", struct fabric_row, port_fields,
	"a port of a node of the subnet, and the port at the other end");

static const struct field link_fields[] = {
	PORT_COLUMNS(place_get_port),
	PEER_COLUMNS,
	WIDTH_COLUMN,
	SPEED_COLUMN,
	RATE_COLUMN(SHOWN),
	VIEW_WORD(place_get_state, "state", "STATE", SHOWN, "logical state of the port"),
	VIEW_WORD(get_peer_state, "peer_state", "PEER STATE", 0,
		  "logical state of the port at the other end"),
	COULD_BE_COLUMN(SHOWN),
	MTU_COLUMN,
	BELOW_BEST_COLUMN,
	LID_COLUMN,
	PEER_LID_COLUMN,
	NODES_OF_BOTH_ENDS,
	OUTSIDE_COLUMNS,
};

const struct schema fabric_links_schema = SCHEMA("fabric_links", struct fabric_row, link_fields,
						 "a cable of the subnet");
