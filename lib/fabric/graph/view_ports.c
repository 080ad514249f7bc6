/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The columns of ports and of cables: a cable is a port with its peer, so either shows both. */
#include <string.h>

#include "base/mem.h"
#include "fabric/graph/link.h"
#include "fabric/graph/place_columns.h"
#include "host/names.h"

/* Of these two, 0 means "no change" in a Set: none is in that state. */
static void get_state(const void *record, struct value *value)
{
	if (place_port(record) && fabric_port_state(place_port(record)))
		value_set_word(value, port_state_names, fabric_port_state(place_port(record)));
}

static void get_physical_state(const void *record, struct value *value)
{
	if (place_port(record) && fabric_physical_state(place_port(record)))
		value_set_word(value, physical_state_names,
			       fabric_physical_state(place_port(record)));
}

/* Of a link that is down, width and speed are what it was last, or nothing. */
static bool is_up(const void *record)
{
	return place_port(record) && fabric_physical_state(place_port(record)) == FABRIC_LINK_UP;
}

static void get_lanes(const void *record, struct value *value)
{
	if (is_up(record))
		view_set_known(value, fabric_lanes(place_port(record)));
}

static void get_speed(const void *record, struct value *value)
{
	if (is_up(record))
		value_set_word(value, fabric_speed_names, fabric_speed(place_port(record)));
}

static void get_rate(const void *record, struct value *value)
{
	double rate = is_up(record) ? fabric_rate_gbps(fabric_lanes(place_port(record)),
						       fabric_speed(place_port(record)))
				    : 0;

	if (rate > 0)
		value_set_real(value, rate);
}

static void get_mtu(const void *record, struct value *value)
{
	if (is_up(record))
		view_set_known(value, fabric_mtu(place_port(record)));
}

static void get_most_mtu(const void *record, struct value *value)
{
	if (place_port(record))
		view_set_known(value, fabric_most_mtu(place_port(record)));
}

static void get_vls(const void *record, struct value *value)
{
	if (is_up(record))
		view_set_known(value, fabric_vls(place_port(record)));
}

static void get_best_lanes(const void *record, struct value *value)
{
	const struct fabric_row *row = record;

	if (place_port(record))
		view_set_known(value, fabric_best_lanes(fabric_of(row), row->place));
}

static void get_best_speed(const void *record, struct value *value)
{
	const struct fabric_row *row = record;

	if (place_port(record))
		value_set_word(value, fabric_speed_names,
			       fabric_best_speed(fabric_of(row), row->place));
}

static void get_slow(const void *record, struct value *value)
{
	const struct fabric_row *row = record;

	if (!is_up(record) || !fabric_best_lanes(fabric_of(row), row->place))
		return;
	value_set_bool(value, fabric_is_slow(fabric_of(row), row->place));
	value->tone = value->boolean ? TONE_WARNING : TONE_PLAIN;
}

/* `4x EDR`, of what a link could be better at. */
static void get_could_be(const void *record, struct value *value)
{
	const struct fabric_row *row = record;
	enum fabric_speed speed;
	unsigned int lanes;
	char *at = value->scratch;
	const char *word;

	if (!place_port(record) || !fabric_could_be(fabric_of(row), row->place, &lanes, &speed))
		return;
	/* printf(3) would cost more than all the rest of the row. */
	if (lanes > 9)
		*at++ = (char)('0' + lanes / 10);
	*at++ = (char)('0' + lanes % 10);
	*at++ = 'x';
	*at++ = ' ';
	word = enum_word(fabric_speed_names, speed, "?");
	memcpy(at, word, strlen(word) + 1);
	value_set_string(value, value->scratch);
	value->tone = TONE_WARNING;
}

static void get_unanswered(const void *record, struct value *value)
{
	if (!place_port(record))
		return;
	value_set_bool(value, place_port(record)->unanswered);
	value->tone = value->boolean ? TONE_BAD : TONE_PLAIN;
}

static void get_port_bytes(const void *record, struct value *value)
{
	if (place_port(record) && place_port(record)->has_info)
		view_set_bytes(value, place_port(record)->info, PORT_INFO_BYTES);
}

static void get_port_guid(const void *record, struct value *value)
{
	if (place_port(record) && place_port(record)->guid)
		view_set_guid(value, place_port(record)->guid);
}

static void get_vendor_speed(const void *record, struct value *value)
{
	if (place_port(record))
		view_set_known(value, place_port(record)->vendor_speed);
}

PLACE_OF_PEER(static, get_peer_state, get_state)

/* The nodes at both ends, by what no name map changes. */
#define NODES_OF_BOTH_ENDS                                                                    \
	VIEW_COLUMN(FIELD_ENUM, place_get_type, "node_type", "TYPE", 0, "type of the node"),  \
		VIEW_COLUMN(FIELD_GUID, place_get_guid, "node_guid", "NODE GUID", 0,          \
			    "GUID of the node"),                                              \
		VIEW_COLUMN(FIELD_UNSIGNED, place_get_index, "node_index", "NODE INDEX",      \
			    FIELD_RIGHT, "the node's place in the scan"),                     \
		VIEW_COLUMN(FIELD_ENUM, place_get_peer_type, "peer_type", "PEER TYPE", 0,     \
			    "type of the node at the other end"),                             \
		VIEW_COLUMN(FIELD_GUID, place_get_peer_guid, "peer_guid", "PEER GUID", 0,     \
			    "GUID of the node at the other end"),                             \
		VIEW_COLUMN(FIELD_UNSIGNED, place_get_peer_index, "peer_index", "PEER INDEX", \
			    FIELD_RIGHT, "place in the scan of the node at the other end")

static const struct field port_fields[] = {
	VIEW_COLUMN(FIELD_STRING, place_get_node, "node", "NODE", FIELD_DEFAULT,
		    "what the node is called"),
	VIEW_COLUMN(FIELD_UNSIGNED, place_get_port, "port", "PORT", FIELD_DEFAULT | FIELD_RIGHT,
		    "number of the port"),
	VIEW_COLUMN(FIELD_ENUM, get_state, "state", "STATE", FIELD_DEFAULT, "logical state"),
	VIEW_COLUMN(FIELD_ENUM, get_physical_state, "physical_state", "PHYSICAL", FIELD_DEFAULT,
		    "physical state"),
	VIEW_COLUMN(FIELD_UNSIGNED, get_lanes, "width_lanes", "LANES", FIELD_DEFAULT | FIELD_RIGHT,
		    "active width of the link"),
	VIEW_COLUMN(FIELD_ENUM, get_speed, "speed", "SPEED", FIELD_DEFAULT,
		    "active speed of the link"),
	VIEW_COLUMN(FIELD_STRING, place_get_peer, "peer", "PEER", FIELD_DEFAULT,
		    "what the node at the other end is called"),
	VIEW_COLUMN(FIELD_UNSIGNED, place_get_peer_port, "peer_port", "PEER PORT",
		    FIELD_DEFAULT | FIELD_RIGHT, "number of the port at the other end"),
	VIEW_COLUMN(FIELD_STRING, get_could_be, "could_be", "COULD BE", FIELD_DEFAULT,
		    "what both ends support, if the link is less"),
	VIEW_COLUMN(FIELD_BOOL, get_unanswered, "unanswered", "UNANSWERED", 0,
		    "whether the node at the other end did not answer"),
	VIEW_COLUMN(FIELD_REAL, get_rate, "rate_gbps", "RATE Gb/s", FIELD_RIGHT,
		    "rate of the link, gigabits a second"),
	VIEW_COLUMN(FIELD_UNSIGNED, place_get_lid, "lid", "LID", FIELD_RIGHT,
		    "LID that the port is reached by: a switch's is that of the node"),
	VIEW_COLUMN(FIELD_UNSIGNED, place_get_peer_lid, "peer_lid", "PEER LID", FIELD_RIGHT,
		    "LID that the port at the other end is reached by"),
	VIEW_COLUMN(FIELD_UNSIGNED, get_mtu, "mtu_bytes", "MTU", FIELD_RIGHT,
		    "active MTU of the link"),
	VIEW_COLUMN(FIELD_UNSIGNED, get_most_mtu, "mtu_cap_bytes", "MAX MTU", FIELD_RIGHT,
		    "maximum MTU of the port"),
	VIEW_COLUMN(FIELD_UNSIGNED, get_vls, "vls_operational", "VLS", FIELD_RIGHT,
		    "data VLs in use"),
	VIEW_COLUMN(FIELD_BOOL, get_slow, "below_best", "BELOW BEST", 0,
		    "whether the link is narrower or slower than both ends support"),
	VIEW_COLUMN(FIELD_UNSIGNED, get_best_lanes, "best_width_lanes", "BEST LANES", FIELD_RIGHT,
		    "widest link that both ends support"),
	VIEW_COLUMN(FIELD_ENUM, get_best_speed, "best_speed", "BEST SPEED", 0,
		    "fastest speed that both ends support"),
	NODES_OF_BOTH_ENDS,
	VIEW_COLUMN(FIELD_GUID, get_port_guid, "port_guid", "PORT GUID", 0,
		    "GUID of an adapter's or a router's port"),
	VIEW_COLUMN(FIELD_STRING, get_port_bytes, "port_info", "PORT INFO", 0,
		    "PortInfo as it came, in hexadecimal"),
	VIEW_COLUMN(FIELD_UNSIGNED, get_vendor_speed, "vendor_speed_code", "VENDOR SPEED",
		    FIELD_RIGHT, "LinkSpeedActive of the vendor's ExtendedPortInfo: 1 is FDR10"),
};

const struct schema fabric_ports_schema = {
	.name = "fabric_ports",
	.version = 1,
	.summary = "a port of a node of the subnet, and what is at the other end",
	.fields = port_fields,
	.field_count = ARRAY_SIZE(port_fields),
	.record_size = sizeof(struct fabric_row),
};

static const struct field link_fields[] = {
	VIEW_COLUMN(FIELD_STRING, place_get_node, "node", "NODE", FIELD_DEFAULT,
		    "what the node at one end is called"),
	VIEW_COLUMN(FIELD_UNSIGNED, place_get_port, "port", "PORT", FIELD_DEFAULT | FIELD_RIGHT,
		    "number of its port"),
	VIEW_COLUMN(FIELD_STRING, place_get_peer, "peer", "PEER", FIELD_DEFAULT,
		    "what the node at the other end is called"),
	VIEW_COLUMN(FIELD_UNSIGNED, place_get_peer_port, "peer_port", "PEER PORT",
		    FIELD_DEFAULT | FIELD_RIGHT, "number of the port there"),
	VIEW_COLUMN(FIELD_UNSIGNED, get_lanes, "width_lanes", "LANES", FIELD_DEFAULT | FIELD_RIGHT,
		    "active width"),
	VIEW_COLUMN(FIELD_ENUM, get_speed, "speed", "SPEED", FIELD_DEFAULT, "active speed"),
	VIEW_COLUMN(FIELD_REAL, get_rate, "rate_gbps", "RATE Gb/s", FIELD_DEFAULT | FIELD_RIGHT,
		    "rate, gigabits a second"),
	VIEW_COLUMN(FIELD_ENUM, get_state, "state", "STATE", FIELD_DEFAULT,
		    "logical state of the port at the first end"),
	VIEW_COLUMN(FIELD_ENUM, get_peer_state, "peer_state", "PEER STATE", 0,
		    "logical state of the port at the other end"),
	VIEW_COLUMN(FIELD_STRING, get_could_be, "could_be", "COULD BE", FIELD_DEFAULT,
		    "what both ends support, if the link is less"),
	VIEW_COLUMN(FIELD_UNSIGNED, get_mtu, "mtu_bytes", "MTU", FIELD_RIGHT, "active MTU"),
	VIEW_COLUMN(FIELD_BOOL, get_slow, "below_best", "BELOW BEST", 0,
		    "whether it is narrower or slower than both ends support"),
	VIEW_COLUMN(FIELD_UNSIGNED, place_get_lid, "lid", "LID", FIELD_RIGHT,
		    "LID that the port at the first end is reached by"),
	VIEW_COLUMN(FIELD_UNSIGNED, place_get_peer_lid, "peer_lid", "PEER LID", FIELD_RIGHT,
		    "LID that the port at the other end is reached by"),
	NODES_OF_BOTH_ENDS,
};

const struct schema fabric_links_schema = {
	.name = "fabric_links",
	.version = 1,
	.summary = "a cable of the subnet",
	.fields = link_fields,
	.field_count = ARRAY_SIZE(link_fields),
	.record_size = sizeof(struct fabric_row),
};
