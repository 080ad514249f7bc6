/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The columns of nodes. */
#include <stdio.h>
#include <string.h>

#include "base/gid.h"
#include "base/mem.h"
#include "base/text.h"
#include "fabric/graph/view_columns.h"
#include "mad/format/codes.h"
#include "schema/bits.h"

/* NULL if the row is empty. */
static const struct fabric_node *node_of(const void *record)
{
	const struct fabric_row *row = record;

	return fabric_of(row) ? &fabric_of(row)->nodes[row->place] : NULL;
}

void view_set_guid(struct value *value, uint64_t guid)
{
	guid_format(guid, value->scratch);
	value_set_string(value, value->scratch);
}

void view_set_bytes(struct value *value, const uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		snprintf(value->scratch + 2 * i, 3, "%02x", bytes[i]);
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

	for (uint32_t i = 1; i <= node->port_count; i++)
		count += fabric->ports[node->first_port + i].peer != FABRIC_NONE;
	return count;
}

static void set_description(struct value *value, const struct fabric_node *node)
{
	if (!node->has_description)
		return;
	text_clean_into(value->scratch, sizeof(value->scratch), (const char *)node->description,
			sizeof(node->description));
	value_set_string(value, value->scratch);
}

static void set_bytes_if(struct value *value, bool known, const uint8_t *bytes, size_t count)
{
	if (known)
		view_set_bytes(value, bytes, count);
}

static void set_hops(struct value *value, const struct fabric_node *node)
{
	if (node->hops != FABRIC_HOPS_UNKNOWN)
		value_set_unsigned(value, node->hops);
}

static void set_path(struct value *value, const struct fabric_row *row)
{
	uint8_t path[MAD_HOPS_MOST + 1];

	view_set_path(value, path, fabric_path(fabric_of(row), row->place, path));
}

static void set_top(struct value *value, const struct fabric_node *node)
{
	if (node->has_switch_info)
		value_set_unsigned(value, bits_get(node->switch_info, 6 * 8, 16));
}

/* The port that the node was found through; NULL where the scan began. */
static const struct fabric_port *parent_of(const struct fabric_row *row,
					   const struct fabric_node *node)
{
	return node->parent == FABRIC_NONE ? NULL : &fabric_of(row)->ports[node->parent];
}

static void set_parent_index(struct value *value, const struct fabric_port *parent)
{
	if (parent)
		value_set_unsigned(value, parent->node);
}

static void set_parent_port(struct value *value, const struct fabric_port *parent)
{
	if (parent)
		value_set_unsigned(value, parent->number);
}

/* A getter that does `set_` with the `row`, its `node` and the `value`. */
#define NODE_GETTER(linkage_, name_, set_)                                     \
	linkage_ void name_(const void *record, struct value *value)           \
	{                                                                      \
		const struct fabric_node *node = node_of(record);              \
		const struct fabric_row *row __attribute__((unused)) = record; \
		if (node)                                                      \
			set_;                                                  \
	}
NODE_GETTER(, view_get_name, set_name(value, row))
NODE_GETTER(, view_get_type, value_set_word(value, node_type_names, node->type))
NODE_GETTER(, view_get_guid, view_set_guid(value, node->guid))
NODE_GETTER(, view_get_index, value_set_unsigned(value, row->place))
NODE_GETTER(static, get_lid, view_set_known(value, first_lid(fabric_of(row), node)))
NODE_GETTER(static, get_port_count, value_set_unsigned(value, node->port_count))
NODE_GETTER(static, get_linked, value_set_unsigned(value, count_links(fabric_of(row), node)))
NODE_GETTER(static, get_system_guid, view_set_guid(value, fabric_system_guid(node)))
NODE_GETTER(static, get_port_guid, view_set_guid(value, fabric_port_guid(node)))
NODE_GETTER(static, get_vendor, view_set_hex(value, 6, fabric_vendor_id(node)))
NODE_GETTER(static, get_device, view_set_hex(value, 4, fabric_device_id(node)))
NODE_GETTER(static, get_description, set_description(value, node))
NODE_GETTER(static, get_hops, set_hops(value, node))
NODE_GETTER(static, get_path, set_path(value, row))
NODE_GETTER(static, get_duplicate, value_set_bool(value, node->ambiguous))
NODE_GETTER(static, get_top, set_top(value, node))
NODE_GETTER(static, get_parent_index, set_parent_index(value, parent_of(row, node)))
NODE_GETTER(static, get_parent_port, set_parent_port(value, parent_of(row, node)))
NODE_GETTER(static, get_node_bytes, view_set_bytes(value, node->info, NODE_INFO_BYTES))
NODE_GETTER(static, get_description_bytes,
	    set_bytes_if(value, node->has_description, node->description, NODE_DESCRIPTION_BYTES))
NODE_GETTER(static, get_switch_bytes,
	    set_bytes_if(value, node->has_switch_info, node->switch_info, SWITCH_INFO_BYTES))
/* The list of ports has the other ports. */
NODE_GETTER(static, get_port_0_bytes,
	    set_bytes_if(value, fabric_of(row)->ports[node->first_port].has_info,
			 fabric_of(row)->ports[node->first_port].info, PORT_INFO_BYTES))

static const struct field node_fields[] = {
	VIEW_COLUMN(FIELD_STRING, view_get_name, "node", "NODE", FIELD_DEFAULT,
		    "name of the node: from --names, else its description"),
	VIEW_COLUMN(FIELD_ENUM, view_get_type, "node_type", "TYPE", FIELD_DEFAULT,
		    "type of the node"),
	VIEW_COLUMN(FIELD_GUID, view_get_guid, "node_guid", "NODE GUID", FIELD_DEFAULT,
		    "GUID of the node"),
	VIEW_COLUMN(FIELD_UNSIGNED, get_lid, "lid", "LID", FIELD_DEFAULT | FIELD_RIGHT,
		    "base LID of the switch, or of the first port that has one"),
	VIEW_COLUMN(FIELD_UNSIGNED, get_port_count, "port_count", "PORTS",
		    FIELD_DEFAULT | FIELD_RIGHT, "number of ports, without port 0"),
	VIEW_COLUMN(FIELD_UNSIGNED, get_linked, "linked_count", "LINKED",
		    FIELD_DEFAULT | FIELD_RIGHT, "number of ports whose other end is known"),
	VIEW_COLUMN(FIELD_UNSIGNED, get_hops, "hops", "HOPS", FIELD_DEFAULT | FIELD_RIGHT,
		    "number of cables from the start of the scan"),
	VIEW_COLUMN(FIELD_STRING, get_path, "path", "PATH", 0,
		    "directed route from the start of the scan"),
	VIEW_COLUMN(FIELD_STRING, get_description, "description", "DESCRIPTION", 0,
		    "NodeDescription: the name that the owner gave it"),
	VIEW_COLUMN(FIELD_GUID, get_system_guid, "system_image_guid", "SYSTEM GUID", 0,
		    "GUID that all nodes of a system share"),
	VIEW_COLUMN(FIELD_GUID, get_port_guid, "port_guid", "PORT GUID", 0,
		    "GUID of the port that the scan reached it by"),
	VIEW_COLUMN(FIELD_HEX, get_vendor, "vendor_id", "VENDOR", 0, "IEEE OUI of the vendor"),
	VIEW_COLUMN(FIELD_HEX, get_device, "device_id", "DEVICE ID", 0,
		    "vendor's number for the device"),
	VIEW_COLUMN(FIELD_BOOL, get_duplicate, "duplicate_guid", "DUPLICATE", 0,
		    "whether another node has the same GUID"),
	VIEW_COLUMN(FIELD_UNSIGNED, get_top, "linear_fdb_top", "LFT TOP", FIELD_RIGHT,
		    "highest LID in the linear forwarding table of a switch"),
	VIEW_COLUMN(FIELD_UNSIGNED, view_get_index, "node_index", "INDEX", FIELD_RIGHT,
		    "number of the node in the scan; ports refer to it"),
	VIEW_COLUMN(FIELD_STRING, get_node_bytes, "node_info", "NODE INFO", 0,
		    "NodeInfo as received, in hexadecimal"),
	VIEW_COLUMN(FIELD_STRING, get_description_bytes, "node_description", "NODE DESCRIPTION", 0,
		    "NodeDescription as received, in hexadecimal"),
	VIEW_COLUMN(FIELD_STRING, get_switch_bytes, "switch_info", "SWITCH INFO", 0,
		    "SwitchInfo as received, in hexadecimal"),
	VIEW_COLUMN(FIELD_STRING, get_port_0_bytes, "port_0_info", "PORT 0 INFO", 0,
		    "PortInfo of port 0 of a switch as received, in hexadecimal"),
	VIEW_COLUMN(FIELD_UNSIGNED, get_parent_index, "parent_index", "PARENT INDEX", FIELD_RIGHT,
		    "number of the node that it was found through"),
	VIEW_COLUMN(FIELD_UNSIGNED, get_parent_port, "parent_port", "PARENT PORT", FIELD_RIGHT,
		    "port of that node that leads to it"),
};

const struct schema fabric_nodes_schema = SCHEMA("fabric_nodes", struct fabric_row, node_fields,
						 "a node of the subnet");
