/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The columns of routes, forwarding tables, and the balance. */
#include "fabric/route/route.h"
#include "schema/rows.h"

#include <stdio.h>
#include <string.h>

static const struct enum_name direction_names[] = {
	{ROUTE_THERE, "there"},
	{ROUTE_BACK, "back"},
	{0, NULL},
};

/* The smaller MTU of the two ends, because packets have to fit both; 0 if unknown. */
static unsigned int mtu_of(const struct fabric_row *row)
{
	const struct fabric *fabric = fabric_of(row);
	const struct fabric_port *port = place_port(row);
	unsigned int mtu = port ? fabric_mtu(port) : 0, other = 0;

	if (fabric && port && port->peer != FABRIC_NONE)
		other = fabric_mtu(&fabric->ports[port->peer]);
	return !mtu || (other && other < mtu) ? other : mtu;
}

static void get_mtu(const void *record, struct value *value)
{
	view_set_known(value, mtu_of(record));
}

/* Rates of the same link may be rounded differently. */
#define RATE_SLACK 0.98

enum tristate route_is_below_path(const struct route_row *row)
{
	const struct route_path *path = row->path;
	const struct fabric_port *port = place_port(row);
	unsigned int mtu = mtu_of(&row->at);
	double rate;

	/* A link that is down reports its last values. */
	if (!path || !port || !fabric_is_up(port) ||
	    (!path->rate_gbps.known && !path->mtu_bytes.known))
		return TRISTATE_UNKNOWN;
	rate = fabric_rate_gbps(fabric_lanes(port), fabric_speed(port));
	if (rate <= 0 && !mtu)
		return TRISTATE_UNKNOWN;
	if ((path->rate_gbps.known && rate > 0 && rate < path->rate_gbps.value * RATE_SLACK) ||
	    (path->mtu_bytes.known && mtu && mtu < path->mtu_bytes.value))
		return TRISTATE_YES;
	return TRISTATE_NO;
}

static void get_below_path(const void *record, struct value *value)
{
	enum tristate below = route_is_below_path(record);

	if (below == TRISTATE_UNKNOWN)
		return;
	value_set_bool(value, below == TRISTATE_YES);
	value->tone = value->boolean ? TONE_WARNING : TONE_PLAIN;
}

#define PATH_GETTER(member_, set_)                                                        \
	static void get_path_##member_(const void *record, struct value *value)           \
	{                                                                                 \
		const struct route_path *path = ((const struct route_row *)record)->path; \
		if (path && path->member_.known)                                          \
			set_(value, path->member_.value);                                 \
	}
PATH_GETTER(rate_gbps, value_set_real)
PATH_GETTER(mtu_bytes, value_set_unsigned)
PATH_GETTER(sl, value_set_unsigned)

#define RECORD struct route_row
static const struct field route_fields[] = {
	WORD(direction, direction_names, "DIRECTION", SHOWN, 0, "direction: there, or back"),
	NUMBER(hop, "HOP", SHOWN, 0, "number of the hop, from 1"),
	VIEW_TEXT(place_get_node, "node", "NODE", SHOWN, "name of the node"),
	VIEW_NUMBER(place_get_port, "out_port", "OUT PORT", SHOWN,
		    "port by which packets leave the node"),
	VIEW_TEXT(place_get_peer, "peer", "PEER", SHOWN, "name of the next node"),
	VIEW_NUMBER(place_get_peer_port, "in_port", "IN PORT", SHOWN,
		    "port by which packets enter the next node"),
	VIEW_WORD(place_get_state, "state", "STATE", SHOWN, "logical state of the output port"),
	WIDTH_COLUMN,
	SPEED_COLUMN,
	RATE_COLUMN(SHOWN),
	YES_NO(same_cable, "SAME CABLE", SHOWN, 0,
	       "whether the other direction takes the same cable"),
	COMPUTED_FIELD(
		FIELD_BOOL, get_below_path, "below_path", "BELOW PATH", SHOWN, ROUTE_NEEDS_SA,
		"whether the link is slower, or its MTU smaller, than in the SA's path record"),
	COULD_BE_COLUMN(0),
	VIEW_NUMBER(get_mtu, "mtu_bytes", "MTU", 0,
		    "active MTU of the link, the smaller one of both ends"),
	LID_COLUMN,
	PEER_LID_COLUMN,
	NUMBER_AS("dlid", lid, "DLID", 0, 0, "destination LID"),
	NUMBER(errors, "ERRORS", 0, ROUTE_NEEDS_COUNTERS, "sum of all error counters of the port"),
	NUMBER(peer_errors, "PEER ERRORS", 0, ROUTE_NEEDS_COUNTERS,
	       "sum of all error counters of the port at the other end"),
	COMPUTED_FIELD(FIELD_REAL, get_path_rate_gbps, "path_rate_gbps", "PATH Gb/s", FIELD_RIGHT,
		       ROUTE_NEEDS_SA, "rate in the SA's path record, in gigabits per second"),
	COMPUTED_FIELD(FIELD_UNSIGNED, get_path_mtu_bytes, "path_mtu_bytes", "PATH MTU",
		       FIELD_RIGHT, ROUTE_NEEDS_SA, "MTU in the SA's path record"),
	COMPUTED_FIELD(FIELD_UNSIGNED, get_path_sl, "path_sl", "PATH SL", FIELD_RIGHT,
		       ROUTE_NEEDS_SA, "service level in the SA's path record"),
	NODE_GUID_COLUMN,
	VIEW_GUID(place_get_peer_guid, "peer_guid", "PEER GUID", 0, "GUID of the next node"),
};
#undef RECORD

const struct schema fabric_route_schema = SCHEMA(
	"fabric_route", struct route_row, route_fields,
	"a hop of the route from one port to another, or back");

ROW_OF(owner_of, struct linear_row, owner)
GETTER_OF(static, get_destination, owner_of, place_get_node)
GETTER_OF(static, get_destination_guid, owner_of, place_get_guid)
GETTER_OF(static, get_destination_port, owner_of, place_get_port)
GETTER_OF(static, get_destination_type, owner_of, place_get_type)

#define RECORD struct linear_row
static const struct field tables_fields[] = {
	VIEW_TEXT(place_get_node, "node", "NODE", SHOWN, "name of the switch"),
	NUMBER(lid, "LID", SHOWN, 0, "destination LID"),
	NUMBER(out_port, "OUT PORT", SHOWN, 0, "output port of the LID; 0 is the switch itself"),
	VIEW_TEXT(get_destination, "destination", "DESTINATION", SHOWN,
		  "name of the node with the LID"),
	VIEW_NUMBER(get_destination_port, "destination_port", "DEST PORT", 0,
		    "number of the port with the LID; 0 for a switch"),
	VIEW_WORD(get_destination_type, "destination_type", "TYPE", SHOWN,
		  "type of the node with the LID"),
	VIEW_GUID(get_destination_guid, "destination_guid", "DEST GUID", 0,
		  "GUID of the node with the LID"),
	VIEW_TEXT(place_get_peer, "peer", "PEER", SHOWN,
		  "name of the node at the other end of the output port"),
	VIEW_NUMBER(place_get_peer_port, "peer_port", "PEER PORT", SHOWN,
		    "number of the port at the other end"),
	VIEW_WORD(place_get_peer_type, "peer_type", "PEER TYPE", 0,
		  "type of the node at the other end"),
	VIEW_GUID(place_get_guid, "node_guid", "NODE GUID", 0, "GUID of the switch"),
};
#undef RECORD

const struct schema fabric_tables_schema = SCHEMA(
	"fabric_tables", struct linear_row, tables_fields,
	"an entry of the linear forwarding table of a switch");

bool multicast_row_make(const struct fabric_view *view, const struct forwarding *forwarding,
			const struct forwarding_table *table, uint32_t mlid,
			struct multicast_row *row)
{
	const struct fabric *fabric = view->fabric;
	const struct fabric_node *node = &fabric->nodes[table->node];
	struct multicast_row made = {
		.at = {.view = view, .place = node->first_port},
		.mlid = number_of(mlid),
		.ports.known = true,
		.peers.known = true,
	};

	for (unsigned int i = 0; i <= node->port_count; i++) {
		enum tristate has = forwarding_has_port(forwarding, table, mlid, i);
		uint32_t peer = fabric->ports[node->first_port + i].peer;
		char number[12], name[FABRIC_NAME_SIZE] = "-";

		if (has == TRISTATE_UNKNOWN)
			made.ports.known = made.peers.known = false;
		if (has != TRISTATE_YES)
			continue;
		snprintf(number, sizeof(number), "%u", i);
		if (peer != FABRIC_NONE)
			fabric_node_name_into(view, fabric->ports[peer].node, name);
		strings_add(&made.ports, number);
		strings_add(&made.peers, name);
	}
	if (made.ports.known && !made.ports.count)
		return false;
	*row = made;
	return true;
}

#define RECORD struct multicast_row
static const struct field multicast_fields[] = {
	VIEW_TEXT(place_get_node, "node", "NODE", SHOWN, "name of the switch"),
	HEX(mlid, 4, "MLID", SHOWN, 0, "LID of the multicast group"),
	LIST(ports, "PORTS", SHOWN, 0, "output ports of the group; 0 is the switch itself"),
	LIST(peers, "PEERS", SHOWN, 0, "names of the nodes at the other ends of these ports"),
	VIEW_GUID(place_get_guid, "node_guid", "NODE GUID", 0, "GUID of the switch"),
};
#undef RECORD

const struct schema fabric_multicast_schema = SCHEMA(
	"fabric_multicast", struct multicast_row, multicast_fields,
	"an entry of the multicast forwarding table of a switch");

#define RECORD struct balance_row
static const struct field balance_fields[] = {
	VIEW_TEXT(place_get_node, "node", "NODE", SHOWN, "name of the switch"),
	VIEW_NUMBER(place_get_port, "port", "PORT", SHOWN, "number of the port"),
	PEER_COLUMNS,
	NUMBER(routes, "ROUTES", SHOWN, 0,
	       "LIDs of adapters and routers that the switch sends to the port"),
	TENTHS_FIELD(RECORD, mean, "mean_routes", "MEAN", SHOWN | FIELD_RIGHT, 0,
		     "mean of the switch's ports to switches of the same level"),
	TENTHS_FIELD(RECORD, load_percent, "load_percent", "LOAD %", SHOWN | FIELD_RIGHT, 0,
		     "routes as a percentage of the mean"),
	NUMBER(pairs, "PAIRS", SHOWN, 0,
	       "pairs of a source port and a LID whose packets leave by the port"),
	VIEW_GUID(place_get_guid, "node_guid", "NODE GUID", 0, "GUID of the switch"),
	PEER_GUID_COLUMN,
};
#undef RECORD

const struct schema fabric_balance_schema = SCHEMA(
	"fabric_balance", struct balance_row, balance_fields,
	"the number of routes through a port of a switch");

ROW_OF(source_of, struct using_row, source)
GETTER_OF(static, get_source, source_of, place_get_node)
GETTER_OF(static, get_source_port, source_of, place_get_port)

#define RECORD struct using_row
static const struct field using_fields[] = {
	WORD(direction, direction_names, "DIRECTION", SHOWN, 0,
	     "there: from the port that was named; back: to it"),
	VIEW_TEXT(get_source, "source", "SOURCE", 0, "node that sends: --pairs"),
	VIEW_NUMBER(get_source_port, "source_port", "SOURCE PORT", 0, "number of its port"),
	VIEW_TEXT(place_get_node, "node", "NODE", SHOWN, "node that the packets go to"),
	VIEW_NUMBER(place_get_port, "port", "PORT", SHOWN, "number of its port"),
	NUMBER(lid, "LID", SHOWN, 0, "LID that the packets go to"),
	NUMBER(sources, "SOURCES", SHOWN, 0,
	       "number of ports whose packets to the LID go over the cable"),
	VIEW_GUID(place_get_guid, "node_guid", "NODE GUID", 0,
		  "GUID of the node that the packets go to"),
};
#undef RECORD

static const struct column_view using_views[] = {
	{"--pairs", "direction,source,source_port,node,port,lid"},
	{NULL, NULL},
};

const struct schema fabric_using_schema = SCHEMA("fabric_using", struct using_row, using_fields,
						 "a destination of packets over a cable",
						 .views = using_views);
