/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The columns of nodes. */
#include <stdio.h>
#include <string.h>

#include "base/gid.h"
#include "base/mem.h"
#include "base/text.h"
#include "fabric/graph/view_private.h"
#include "host/names.h"
#include "schema/bits.h"

/* NULL: the row is empty. */
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

void view_set_known(struct value *value, uint64_t number)
{
	if (number)
		value_set_unsigned(value, number);
}

static void set_name(const struct fabric_row *row, uint32_t node, struct value *value)
{
	fabric_node_name_into(row->view, node, value->scratch);
	value_set_string(value, value->scratch);
}

void view_get_name(const void *record, struct value *value)
{
	const struct fabric_row *row = record;

	if (node_of(record))
		set_name(row, row->place, value);
}

void view_get_type(const void *record, struct value *value)
{
	if (node_of(record))
		value_set_word(value, node_type_names, node_of(record)->type);
}

void view_get_guid(const void *record, struct value *value)
{
	if (node_of(record))
		view_set_guid(value, node_of(record)->guid);
}

void view_get_index(const void *record, struct value *value)
{
	if (node_of(record))
		value_set_unsigned(value, ((const struct fabric_row *)record)->place);
}

/* The LID of a switch, of an adapter's first port that has one. */
static void get_node_lid(const void *record, struct value *value)
{
	const struct fabric_node *node = node_of(record);
	uint16_t lid = 0;

	if (!node)
		return;
	for (uint32_t i = 0; i <= node->port_count && !lid; i++)
		lid = fabric_lid(fabric_of(record), node->first_port + i);
	view_set_known(value, lid);
}

static void get_port_count(const void *record, struct value *value)
{
	if (node_of(record))
		value_set_unsigned(value, node_of(record)->port_count);
}

static void get_cabled(const void *record, struct value *value)
{
	const struct fabric_node *node = node_of(record);
	unsigned int count = 0;

	if (!node)
		return;
	for (uint32_t i = 1; i <= node->port_count; i++)
		count += fabric_of(record)->ports[node->first_port + i].peer != FABRIC_NONE;
	value_set_unsigned(value, count);
}

static void get_system_guid(const void *record, struct value *value)
{
	if (node_of(record))
		view_set_guid(value, fabric_system_guid(node_of(record)));
}

static void get_port_guid(const void *record, struct value *value)
{
	if (node_of(record))
		view_set_guid(value, fabric_port_guid(node_of(record)));
}

static void get_vendor(const void *record, struct value *value)
{
	if (!node_of(record))
		return;
	snprintf(value->scratch, sizeof(value->scratch), "0x%06x",
		 fabric_vendor_id(node_of(record)));
	value_set_string(value, value->scratch);
}

static void get_device(const void *record, struct value *value)
{
	if (!node_of(record))
		return;
	snprintf(value->scratch, sizeof(value->scratch), "0x%04x",
		 fabric_device_id(node_of(record)));
	value_set_string(value, value->scratch);
}

static void get_description(const void *record, struct value *value)
{
	const struct fabric_node *node = node_of(record);

	if (!node || !node->has_description)
		return;
	text_clean_into(value->scratch, sizeof(value->scratch), (const char *)node->description,
			sizeof(node->description));
	value_set_string(value, value->scratch);
}

static void get_hops(const void *record, struct value *value)
{
	const struct fabric_node *node = node_of(record);

	if (node && node->hops != FABRIC_HOPS_UNKNOWN)
		value_set_unsigned(value, node->hops);
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

static void get_path(const void *record, struct value *value)
{
	const struct fabric_row *row = record;
	uint8_t path[FABRIC_HOPS_MOST + 1];

	if (node_of(record))
		view_set_path(value, path, fabric_path(fabric_of(row), row->place, path));
}

static void get_twin(const void *record, struct value *value)
{
	if (node_of(record))
		value_set_bool(value, node_of(record)->ambiguous);
}

static void get_top(const void *record, struct value *value)
{
	const struct fabric_node *node = node_of(record);

	if (node && node->has_switch_info)
		value_set_unsigned(value, bits_get(node->switch_info, 6 * 8, 16));
}

/* The port that it was found behind; false: it is where the scan began. */
static bool parent_of(const void *record, struct fabric_port *ret_port)
{
	const struct fabric_node *node = node_of(record);

	if (!node || node->parent == FABRIC_NONE)
		return false;
	*ret_port = fabric_of(record)->ports[node->parent];
	return true;
}

static void get_parent_index(const void *record, struct value *value)
{
	struct fabric_port port;

	if (parent_of(record, &port))
		value_set_unsigned(value, port.node);
}

static void get_parent_port(const void *record, struct value *value)
{
	struct fabric_port port;

	if (parent_of(record, &port))
		value_set_unsigned(value, port.number);
}

static void get_node_bytes(const void *record, struct value *value)
{
	if (node_of(record))
		view_set_bytes(value, node_of(record)->info, NODE_INFO_BYTES);
}

static void get_description_bytes(const void *record, struct value *value)
{
	if (node_of(record) && node_of(record)->has_description)
		view_set_bytes(value, node_of(record)->description, NODE_DESCRIPTION_BYTES);
}

static void get_switch_bytes(const void *record, struct value *value)
{
	if (node_of(record) && node_of(record)->has_switch_info)
		view_set_bytes(value, node_of(record)->switch_info, SWITCH_INFO_BYTES);
}

/* The list of ports has the others. */
static void get_port_0_bytes(const void *record, struct value *value)
{
	const struct fabric_node *node = node_of(record);

	if (node && fabric_of(record)->ports[node->first_port].has_info)
		view_set_bytes(value, fabric_of(record)->ports[node->first_port].info,
			       PORT_INFO_BYTES);
}

static const struct field node_fields[] = {
	VIEW_COLUMN(FIELD_STRING, view_get_name, "node", "NODE", FIELD_DEFAULT,
		    "what it is called: by --names, else its description"),
	VIEW_COLUMN(FIELD_ENUM, view_get_type, "node_type", "TYPE", FIELD_DEFAULT,
		    "type of the node"),
	VIEW_COLUMN(FIELD_GUID, view_get_guid, "node_guid", "NODE GUID", FIELD_DEFAULT,
		    "GUID of the node"),
	VIEW_COLUMN(FIELD_UNSIGNED, get_node_lid, "lid", "LID", FIELD_DEFAULT | FIELD_RIGHT,
		    "base LID of the switch, or of the first port that has one"),
	VIEW_COLUMN(FIELD_UNSIGNED, get_port_count, "port_count", "PORTS",
		    FIELD_DEFAULT | FIELD_RIGHT, "ports of the node"),
	VIEW_COLUMN(FIELD_UNSIGNED, get_cabled, "linked_count", "LINKED",
		    FIELD_DEFAULT | FIELD_RIGHT, "ports whose other end is known"),
	VIEW_COLUMN(FIELD_UNSIGNED, get_hops, "hops", "HOPS", FIELD_DEFAULT | FIELD_RIGHT,
		    "cables from where the scan began"),
	VIEW_COLUMN(FIELD_STRING, get_path, "path", "PATH", 0, "directed route to it"),
	VIEW_COLUMN(FIELD_STRING, get_description, "description", "DESCRIPTION", 0,
		    "what its owner calls it"),
	VIEW_COLUMN(FIELD_GUID, get_system_guid, "system_image_guid", "SYSTEM GUID", 0,
		    "GUID that the nodes of a system share"),
	VIEW_COLUMN(FIELD_GUID, get_port_guid, "port_guid", "PORT GUID", 0,
		    "GUID of the port that it was found by"),
	VIEW_COLUMN(FIELD_HEX, get_vendor, "vendor_id", "VENDOR", 0,
		    "vendor of the device, an IEEE OUI"),
	VIEW_COLUMN(FIELD_HEX, get_device, "device_id", "DEVICE ID", 0,
		    "vendor's number of the device"),
	VIEW_COLUMN(FIELD_BOOL, get_twin, "duplicate_guid", "DUPLICATE", 0,
		    "whether another node has the same GUID"),
	VIEW_COLUMN(FIELD_UNSIGNED, get_top, "linear_fdb_top", "LFT TOP", FIELD_RIGHT,
		    "highest LID that a switch forwards"),
	VIEW_COLUMN(FIELD_UNSIGNED, view_get_index, "node_index", "INDEX", FIELD_RIGHT,
		    "its place in the scan, which ports name it by"),
	VIEW_COLUMN(FIELD_STRING, get_node_bytes, "node_info", "NODE INFO", 0,
		    "NodeInfo as it came, in hexadecimal"),
	VIEW_COLUMN(FIELD_STRING, get_description_bytes, "node_description", "NODE DESCRIPTION", 0,
		    "NodeDescription as it came, in hexadecimal"),
	VIEW_COLUMN(FIELD_STRING, get_switch_bytes, "switch_info", "SWITCH INFO", 0,
		    "SwitchInfo as it came, in hexadecimal"),
	VIEW_COLUMN(FIELD_STRING, get_port_0_bytes, "port_0_info", "PORT 0 INFO", 0,
		    "PortInfo of a switch's port 0 as it came, in hexadecimal"),
	VIEW_COLUMN(FIELD_UNSIGNED, get_parent_index, "parent_index", "PARENT INDEX", FIELD_RIGHT,
		    "place in the scan of the node that it was found behind"),
	VIEW_COLUMN(FIELD_UNSIGNED, get_parent_port, "parent_port", "PARENT PORT", FIELD_RIGHT,
		    "port of that node which leads to it"),
};

const struct schema fabric_nodes_schema = {
	.name = "fabric_nodes",
	.version = 1,
	.summary = "a node of the subnet",
	.fields = node_fields,
	.field_count = ARRAY_SIZE(node_fields),
	.record_size = sizeof(struct fabric_row),
};
