/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "fabric/graph/place_columns.h"

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

/* What a getter of a node's row tells of the node of the port. */
static void get_of_node(const struct fabric_row *row, struct value *value, place_getter *get)
{
	struct fabric_row node;

	if (!place_port(row))
		return;
	node = (struct fabric_row){.view = row->view, .place = place_port(row)->node};
	get(&node, value);
}

void place_get_port(const void *record, struct value *value)
{
	if (place_port(record))
		value_set_unsigned(value, place_port(record)->number);
}

void place_get_lid(const void *record, struct value *value)
{
	const struct fabric_row *row = record;

	if (place_port(row))
		view_set_known(value, fabric_lid(fabric_of(row), row->place));
}

#define OF_NODE(name_, get_)                                \
	void name_(const void *record, struct value *value) \
	{                                                   \
		get_of_node(record, value, get_);           \
	}
OF_NODE(place_get_node, view_get_name)
OF_NODE(place_get_guid, view_get_guid)
OF_NODE(place_get_type, view_get_type)
OF_NODE(place_get_index, view_get_index)

/* Of the other end. */
PLACE_OF_PEER(, place_get_peer, place_get_node)
PLACE_OF_PEER(, place_get_peer_port, place_get_port)
PLACE_OF_PEER(, place_get_peer_guid, place_get_guid)
PLACE_OF_PEER(, place_get_peer_type, place_get_type)
PLACE_OF_PEER(, place_get_peer_index, place_get_index)
PLACE_OF_PEER(, place_get_peer_lid, place_get_lid)
