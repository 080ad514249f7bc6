/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The columns that say where something is: node, port, and what is at the other end. For records
 * that begin with a struct fabric_row whose place is a port; FABRIC_NONE: nowhere.
 */
#pragma once

#include "fabric/graph/view_private.h"

typedef void place_getter(const void *record, struct value *value);

/* NULL: nowhere. */
const struct fabric_port *place_port(const void *record);
/* The row of the other end, or of nowhere. */
struct fabric_row place_peer(const void *record);

place_getter place_get_node, place_get_port, place_get_guid, place_get_type, place_get_index;
place_getter place_get_lid;
/* The same of the other end. */
place_getter place_get_peer, place_get_peer_port, place_get_peer_guid, place_get_peer_type;
place_getter place_get_peer_index, place_get_peer_lid;

/* A getter that tells of the other end what `get_` does of a port. */
#define PLACE_OF_PEER(linkage_, name_, get_)                         \
	linkage_ void name_(const void *record, struct value *value) \
	{                                                            \
		const struct fabric_row peer = place_peer(record);   \
		get_(&peer, value);                                  \
	}

#define PLACE_COLUMNS(get_port_)                                                                 \
	VIEW_COLUMN(FIELD_STRING, place_get_node, "node", "NODE", FIELD_DEFAULT,                 \
		    "what the node is called"),                                                  \
		VIEW_COLUMN(FIELD_UNSIGNED, get_port_, "port", "PORT",                           \
			    FIELD_DEFAULT | FIELD_RIGHT, "number of the port"),                  \
		VIEW_COLUMN(FIELD_STRING, place_get_peer, "peer", "PEER", FIELD_DEFAULT,         \
			    "what the node at the other end is called"),                         \
		VIEW_COLUMN(FIELD_UNSIGNED, place_get_peer_port, "peer_port", "PEER PORT",       \
			    FIELD_DEFAULT | FIELD_RIGHT, "number of the port at the other end"), \
		VIEW_COLUMN(FIELD_GUID, place_get_guid, "node_guid", "NODE GUID", 0,             \
			    "GUID of the node"),                                                 \
		VIEW_COLUMN(FIELD_UNSIGNED, place_get_lid, "lid", "LID", FIELD_RIGHT,            \
			    "LID that the port is reached by: a switch's is that of the "        \
			    "node"),                                                             \
		VIEW_COLUMN(FIELD_GUID, place_get_peer_guid, "peer_guid", "PEER GUID", 0,        \
			    "GUID of the node at the other end")
