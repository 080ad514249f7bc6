/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by the columns of all records of a subnet. A getter leaves the value empty if its row is
 * empty. The columns of a place are for records that begin with a struct fabric_row whose place is
 * a port; FABRIC_NONE is no port.
 */
#pragma once

#include "fabric/graph/view.h"

/* NULL if the row is empty. */
static inline const struct fabric *fabric_of(const struct fabric_row *row)
{
	return row->view ? row->view->fabric : NULL;
}

void view_set_guid(struct value *value, uint64_t guid);
void view_set_bytes(struct value *value, const uint8_t *bytes, size_t count);
void view_set_hex(struct value *value, int digits, uint32_t number);
/* For counts and codes of which 0 means unknown. */
void view_set_known(struct value *value, uint64_t number);
void view_set_path(struct value *value, const uint8_t *path, int hops);

typedef void view_getter(const void *record, struct value *value);

/* Columns of a node's row, which the rows of its ports show, too. */
view_getter view_get_name, view_get_type, view_get_guid, view_get_index;

/* NULL if the record has no port. */
const struct fabric_port *place_port(const void *record);

view_getter place_get_node, place_get_port, place_get_guid, place_get_type, place_get_index;
view_getter place_get_lid;
/* The same for the port at the other end. */
view_getter place_get_peer, place_get_peer_port, place_get_peer_guid, place_get_peer_type;
view_getter place_get_peer_lid;

/* A getter that shows what `get_` shows of the row that `row_of_` makes from the record. */
#define GETTER_OF(linkage_, name_, row_of_, get_)                    \
	linkage_ void name_(const void *record, struct value *value) \
	{                                                            \
		const struct fabric_row other = row_of_(record);     \
		get_(&other, value);                                 \
	}

#define VIEW_COLUMN(kind_, get_, key_, heading_, flags_, help_) \
	COMPUTED_FIELD(kind_, get_, key_, heading_, flags_, 0, help_)

/* The two ends of a cable, as most tables of ports begin. */
#define PORT_COLUMNS(get_port_)                                                  \
	VIEW_COLUMN(FIELD_STRING, place_get_node, "node", "NODE", FIELD_DEFAULT, \
		    "name of the node"),                                         \
		VIEW_COLUMN(FIELD_UNSIGNED, get_port_, "port", "PORT",           \
			    FIELD_DEFAULT | FIELD_RIGHT, "number of the port")
#define PEER_COLUMNS                                                                       \
	VIEW_COLUMN(FIELD_STRING, place_get_peer, "peer", "PEER", FIELD_DEFAULT,           \
		    "name of the node at the other end"),                                  \
		VIEW_COLUMN(FIELD_UNSIGNED, place_get_peer_port, "peer_port", "PEER PORT", \
			    FIELD_DEFAULT | FIELD_RIGHT, "number of the port at the other end")
#define NODE_GUID_COLUMN \
	VIEW_COLUMN(FIELD_GUID, place_get_guid, "node_guid", "NODE GUID", 0, "GUID of the node")
#define PEER_GUID_COLUMN                                                          \
	VIEW_COLUMN(FIELD_GUID, place_get_peer_guid, "peer_guid", "PEER GUID", 0, \
		    "GUID of the node at the other end")
#define NODE_INDEX_COLUMN(get_)                                                    \
	VIEW_COLUMN(FIELD_UNSIGNED, get_, "node_index", "NODE INDEX", FIELD_RIGHT, \
		    "number of the node in the scan")
#define LID_COLUMN                                                            \
	VIEW_COLUMN(FIELD_UNSIGNED, place_get_lid, "lid", "LID", FIELD_RIGHT, \
		    "LID of the port; all ports of a switch share one")
#define PEER_LID_COLUMN                                                                      \
	VIEW_COLUMN(FIELD_UNSIGNED, place_get_peer_lid, "peer_lid", "PEER LID", FIELD_RIGHT, \
		    "LID of the port at the other end")
#define COULD_BE_COLUMN(get_, flags_)                                   \
	VIEW_COLUMN(FIELD_STRING, get_, "could_be", "COULD BE", flags_, \
		    "best width and speed that both ends support, if the link runs at less")

#define PLACE_COLUMNS(get_port_) \
	PORT_COLUMNS(get_port_), PEER_COLUMNS, NODE_GUID_COLUMN, LID_COLUMN, PEER_GUID_COLUMN
