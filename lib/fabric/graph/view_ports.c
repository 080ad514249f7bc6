/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The columns of ports and of cables: a cable is a port with its peer, so its row shows both. */
#include <string.h>

#include "base/mem.h"
#include "fabric/graph/link.h"
#include "fabric/graph/view_columns.h"
#include "mad/format/codes.h"

const struct fabric_port *place_port(const void *record)
{
	const struct fabric_row *row = record;

	return fabric_of(row) && row->place != FABRIC_NONE ? &fabric_of(row)->ports[row->place]
							   : NULL;
}

struct fabric_row place_peer(const void *record)
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

static bool is_up(const struct fabric_port *port)
{
	return fabric_physical_state(port) == PHYSICAL_LINK_UP;
}

/* In these two states 0 means "no change" in a Set; no port is in it. */
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

/* `4x EDR`: what a link that runs at less could be. */
static void set_could_be(struct value *value, const struct fabric_row *row)
{
	enum lane_speed speed;
	unsigned int lanes;
	char *at = value->scratch;
	const char *word;

	if (!fabric_could_be(fabric_of(row), row->place, &lanes, &speed))
		return;
	/* printf(3) would cost more than all the rest of the row. */
	if (lanes > 9)
		*at++ = (char)('0' + lanes / 10);
	*at++ = (char)('0' + lanes % 10);
	*at++ = 'x';
	*at++ = ' ';
	word = enum_word(lane_speed_names, speed, "?");
	memcpy(at, word, strlen(word) + 1);
	value_set_string(value, value->scratch);
	value->tone = TONE_WARNING;
}

/* A getter that does `set_` with the `row`, its `port` and the `value`, if `when_` is true. */
#define PORT_GETTER(linkage_, name_, when_, set_)                              \
	linkage_ void name_(const void *record, struct value *value)           \
	{                                                                      \
		const struct fabric_port *port = place_port(record);           \
		const struct fabric_row *row __attribute__((unused)) = record; \
		if (port && (when_))                                           \
			set_;                                                  \
	}
PORT_GETTER(, place_get_port, true, value_set_unsigned(value, port->number))
PORT_GETTER(, place_get_lid, true, view_set_known(value, fabric_lid(fabric_of(row), row->place)))
PORT_GETTER(static, get_state, true, set_state(value, port_state_names, fabric_port_state(port)))
PORT_GETTER(static, get_physical_state, true,
	    set_state(value, physical_state_names, fabric_physical_state(port)))
/* A link that is down reports its last width, speed and MTU, or none. */
PORT_GETTER(static, get_lanes, is_up(port), view_set_known(value, fabric_lanes(port)))
PORT_GETTER(static, get_speed, is_up(port),
	    value_set_word(value, lane_speed_names, fabric_speed(port)))
PORT_GETTER(static, get_rate, is_up(port),
	    set_rate(value, fabric_rate_gbps(fabric_lanes(port), fabric_speed(port))))
PORT_GETTER(static, get_mtu, is_up(port), view_set_known(value, fabric_mtu(port)))
PORT_GETTER(static, get_most_mtu, true, view_set_known(value, fabric_most_mtu(port)))
PORT_GETTER(static, get_vls, is_up(port), view_set_known(value, fabric_vls(port)))
PORT_GETTER(static, get_best_lanes, true,
	    view_set_known(value, fabric_best_lanes(fabric_of(row), row->place)))
PORT_GETTER(static, get_best_speed, true,
	    value_set_word(value, lane_speed_names, fabric_best_speed(fabric_of(row), row->place)))
PORT_GETTER(static, get_slow, is_up(port) && fabric_best_lanes(fabric_of(row), row->place),
	    set_flag(value, fabric_is_slow(fabric_of(row), row->place), TONE_WARNING))
PORT_GETTER(static, get_could_be, true, set_could_be(value, row))
PORT_GETTER(static, get_unanswered, true, set_flag(value, port->unanswered, TONE_BAD))
PORT_GETTER(static, get_port_bytes, port->has_info,
	    view_set_bytes(value, port->info, PORT_INFO_BYTES))
PORT_GETTER(static, get_port_guid, port->guid, view_set_guid(value, port->guid))
PORT_GETTER(static, get_vendor_speed, true, view_set_known(value, port->vendor_speed))

GETTER_OF(, place_get_node, node_row, view_get_name)
GETTER_OF(, place_get_guid, node_row, view_get_guid)
GETTER_OF(, place_get_type, node_row, view_get_type)
GETTER_OF(, place_get_index, node_row, view_get_index)
GETTER_OF(, place_get_peer, place_peer, place_get_node)
GETTER_OF(, place_get_peer_port, place_peer, place_get_port)
GETTER_OF(, place_get_peer_guid, place_peer, place_get_guid)
GETTER_OF(, place_get_peer_type, place_peer, place_get_type)
GETTER_OF(, place_get_peer_index, place_peer, place_get_index)
GETTER_OF(, place_get_peer_lid, place_peer, place_get_lid)
GETTER_OF(static, get_peer_state, place_peer, get_state)

/* The nodes at both ends, by what no name map changes. */
#define NODES_OF_BOTH_ENDS                                                                    \
	VIEW_COLUMN(FIELD_ENUM, place_get_type, "node_type", "TYPE", 0, "type of the node"),  \
		NODE_GUID_COLUMN, NODE_INDEX_COLUMN(place_get_index),                         \
		VIEW_COLUMN(FIELD_ENUM, place_get_peer_type, "peer_type", "PEER TYPE", 0,     \
			    "type of the node at the other end"),                             \
		PEER_GUID_COLUMN,                                                             \
		VIEW_COLUMN(FIELD_UNSIGNED, place_get_peer_index, "peer_index", "PEER INDEX", \
			    FIELD_RIGHT, "number in the scan of the node at the other end")
#define BELOW_BEST_COLUMN                                                \
	VIEW_COLUMN(FIELD_BOOL, get_slow, "below_best", "BELOW BEST", 0, \
		    "whether the link is narrower or slower than both ends support")
#define WIDTH_COLUMN                                                   \
	VIEW_COLUMN(FIELD_UNSIGNED, get_lanes, "width_lanes", "LANES", \
		    FIELD_DEFAULT | FIELD_RIGHT, "active width of the link")
#define SPEED_COLUMN                                                        \
	VIEW_COLUMN(FIELD_ENUM, get_speed, "speed", "SPEED", FIELD_DEFAULT, \
		    "active speed of the link")
#define RATE_COLUMN(flags_)                                                                 \
	VIEW_COLUMN(FIELD_REAL, get_rate, "rate_gbps", "RATE Gb/s", (flags_) | FIELD_RIGHT, \
		    "rate of the link in gigabits per second")
#define MTU_COLUMN                                                            \
	VIEW_COLUMN(FIELD_UNSIGNED, get_mtu, "mtu_bytes", "MTU", FIELD_RIGHT, \
		    "active MTU of the link")

static const struct field port_fields[] = {
	PORT_COLUMNS(place_get_port),
	VIEW_COLUMN(FIELD_ENUM, get_state, "state", "STATE", FIELD_DEFAULT, "logical state"),
	VIEW_COLUMN(FIELD_ENUM, get_physical_state, "physical_state", "PHYSICAL", FIELD_DEFAULT,
		    "physical state"),
	WIDTH_COLUMN,
	SPEED_COLUMN,
	PEER_COLUMNS,
	COULD_BE_COLUMN(get_could_be, FIELD_DEFAULT),
	VIEW_COLUMN(FIELD_BOOL, get_unanswered, "unanswered", "UNANSWERED", 0,
		    "whether the node at the other end did not answer"),
	RATE_COLUMN(0),
	LID_COLUMN,
	PEER_LID_COLUMN,
	MTU_COLUMN,
	VIEW_COLUMN(FIELD_UNSIGNED, get_most_mtu, "mtu_cap_bytes", "MAX MTU", FIELD_RIGHT,
		    "maximum MTU of the port"),
	VIEW_COLUMN(FIELD_UNSIGNED, get_vls, "vls_operational", "VLS", FIELD_RIGHT,
		    "data VLs in use"),
	BELOW_BEST_COLUMN,
	VIEW_COLUMN(FIELD_UNSIGNED, get_best_lanes, "best_width_lanes", "BEST LANES", FIELD_RIGHT,
		    "widest link that both ends support"),
	VIEW_COLUMN(FIELD_ENUM, get_best_speed, "best_speed", "BEST SPEED", 0,
		    "fastest speed that both ends support"),
	NODES_OF_BOTH_ENDS,
	VIEW_COLUMN(FIELD_GUID, get_port_guid, "port_guid", "PORT GUID", 0,
		    "GUID of the port of an adapter or router"),
	VIEW_COLUMN(FIELD_STRING, get_port_bytes, "port_info", "PORT INFO", 0,
		    "PortInfo as received, in hexadecimal"),
	VIEW_COLUMN(FIELD_UNSIGNED, get_vendor_speed, "vendor_speed_code", "VENDOR SPEED",
		    FIELD_RIGHT, "LinkSpeedActive of the vendor's ExtendedPortInfo: 1 is FDR10"),
};

const struct schema fabric_ports_schema = SCHEMA(
	"fabric_ports", struct fabric_row, port_fields,
	"a port of a node of the subnet, and the port at the other end");

static const struct field link_fields[] = {
	PORT_COLUMNS(place_get_port),
	PEER_COLUMNS,
	WIDTH_COLUMN,
	SPEED_COLUMN,
	RATE_COLUMN(FIELD_DEFAULT),
	VIEW_COLUMN(FIELD_ENUM, get_state, "state", "STATE", FIELD_DEFAULT,
		    "logical state of the port"),
	VIEW_COLUMN(FIELD_ENUM, get_peer_state, "peer_state", "PEER STATE", 0,
		    "logical state of the port at the other end"),
	COULD_BE_COLUMN(get_could_be, FIELD_DEFAULT),
	MTU_COLUMN,
	BELOW_BEST_COLUMN,
	LID_COLUMN,
	PEER_LID_COLUMN,
	NODES_OF_BOTH_ENDS,
};

const struct schema fabric_links_schema = SCHEMA("fabric_links", struct fabric_row, link_fields,
						 "a cable of the subnet");
