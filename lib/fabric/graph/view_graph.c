/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The columns of failed queries, of details, of the scan as a whole, and of one end of a link. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/gid.h"
#include "base/text.h"
#include "fabric/graph/view.h"
#include "mad/format/attribute.h"
#include "schema/bits.h"
#include "schema/rows.h"

ITEM_OF(failure_of, fabric_failure, failures)

/* Sets the object or the reason, worded as in a problem. */
static void set_text(struct value *value, const struct fabric_row *row, bool reason)
{
	char *object, *message;

	fabric_failure_text(row->view, failure_of(row), &object, &message);
	text_clean_into(value->scratch, sizeof(value->scratch), reason ? message : object,
			strlen(reason ? message : object));
	value_set_string(value, value->scratch);
	free(object);
	free(message);
}

static void set_attribute(struct value *value, uint16_t number)
{
	const struct mad_attribute *attribute = mad_attribute_find(UMAD_CLASS_SUBN_DIRECTED_ROUTE,
								   number);

	value_set_string(value, attribute ? attribute->name : NULL);
}

/* Defines the function that makes the row of the port that an item belongs to. */
#define PORT_OF(name_, item_of_)                                                          \
	static struct fabric_row name_(const void *record)                                \
	{                                                                                 \
		return (struct fabric_row){                                               \
			.view = ((const struct fabric_row *)record)->view,                \
			.place = item_of_(record) ? item_of_(record)->port : FABRIC_NONE, \
		};                                                                        \
	}

/* Without a port if the scan did not get that far. */
PORT_OF(failed_port, failure_of)

static void set_path(struct value *value, const struct fabric *fabric,
		     const struct fabric_failure *failure)
{
	uint8_t path[MAD_HOPS_MOST + 2];

	view_set_path(value, path, fabric_failure_path(fabric, failure, path));
}

#define FAILURE_GETTER(name_, when_, set_) \
	VIEW_GETTER(static, name_, fabric_failure, failure, failure_of, when_, set_)
FAILURE_GETTER(get_object, true, set_text(value, row, false))
FAILURE_GETTER(get_reason, true, set_text(value, row, true))
FAILURE_GETTER(get_attribute, true, set_attribute(value, failure->attribute))
FAILURE_GETTER(get_behind, true, value_set_bool(value, failure->at_peer))
FAILURE_GETTER(get_tries, true, value_set_unsigned(value, failure->tries))
FAILURE_GETTER(get_id, true, view_set_hex(value, 4, failure->attribute))
FAILURE_GETTER(get_error, failure->error, value_set_unsigned(value, (uint64_t)-failure->error))
FAILURE_GETTER(get_status, failure->status, view_set_hex(value, 4, failure->status))
FAILURE_GETTER(get_path, true, set_path(value, fabric_of(row), failure))
GETTER_OF(static, get_port, failed_port, place_get_port)
GETTER_OF(static, get_guid, failed_port, place_get_guid)
GETTER_OF(static, get_index, failed_port, place_get_index)

static const struct field unanswered_fields[] = {
	VIEW_TEXT(get_object, "node", "NODE", SHOWN,
		  "node and port that were queried, or the port that leads to the silent node"),
	VIEW_NUMBER(get_port, "port", "PORT", 0, "number of the port"),
	VIEW_YES_NO(get_behind, "behind", "BEHIND", SHOWN,
		    "whether the node at the other end of the port is the silent one"),
	VIEW_TEXT(get_path, "path", "PATH", SHOWN,
		  "directed route to the node that did not answer"),
	VIEW_TEXT(get_attribute, "attribute", "ATTRIBUTE", SHOWN, "attribute that was queried"),
	VIEW_TEXT(get_reason, "reason", "REASON", SHOWN, "why there is no usable answer"),
	VIEW_NUMBER(get_tries, "tries", "TRIES", 0, "how many times the query was sent"),
	VIEW_GUID(get_guid, "node_guid", "NODE GUID", 0, "GUID of the node"),
	NODE_INDEX_COLUMN(get_index),
	VIEW_COLUMN(FIELD_HEX, get_id, "attribute_id", "ATTRIBUTE ID", 0,
		    "number of the attribute"),
	VIEW_NUMBER(get_error, "errno", "ERRNO", 0, "Linux error number, if no answer came"),
	VIEW_COLUMN(FIELD_HEX, get_status, "status", "STATUS", 0,
		    "MAD status of the answer, if it was a refusal"),
};

const struct schema fabric_unanswered_schema = SCHEMA("fabric_unanswered", struct fabric_row,
						      unanswered_fields,
						      "a query without a usable answer");

/* The last two, which word_of() and get_first() need to be last, share an attribute. */
enum table_word { GUIDS, PKEYS, SL2VL, LFT, MFT, VLARB_LOW, VLARB_HIGH };

static const struct enum_name table_names[] = {
	{GUIDS, "guids", .help = "GUIDs of the port"},
	{PKEYS, "pkeys", .help = "partition keys"},
	{SL2VL, "sl2vl", .help = "virtual lane of each service level, from SL 0 to 15"},
	{VLARB_LOW, "vlarb-low", .help = "virtual lanes of low priority with their weights"},
	{VLARB_HIGH, "vlarb-high", .help = "virtual lanes of high priority with their weights"},
	{LFT, "lft", .help = "linear forwarding table, from --routes: the port of each LID"},
	{MFT, "mft", .help = "multicast forwarding table, from --routes: ports of each group"},
	{0, NULL},
};

static const struct {
	uint16_t attribute;
	uint8_t entries;     /* of a block */
	uint32_t block_mask; /* the bits of the modifier that number the blocks */
} tables[] = {
	[GUIDS] = {UMAD_SM_ATTR_GUID_INFO, 8, UINT32_MAX},
	[PKEYS] = {UMAD_SM_ATTR_PKEY_TABLE, 32, 0xffff},
	[SL2VL] = {UMAD_SM_ATTR_SLVL_TABLE, 16, 0},
	[LFT] = {UMAD_SM_ATTR_LINEAR_FT, MAD_LINEAR_BLOCK, UINT32_MAX},
	[MFT] = {UMAD_SM_ATTR_MCAST_FT, MAD_MULTICAST_BLOCK, (1u << MAD_MULTICAST_POSITION) - 1},
	[VLARB_LOW] = {UMAD_SM_ATTR_VL_ARB_TABLE, 32, 0},
	[VLARB_HIGH] = {UMAD_SM_ATTR_VL_ARB_TABLE, 32, 0},
};

ITEM_OF(detail_of, fabric_detail, details)

static enum table_word word_of(const struct fabric_detail *detail)
{
	for (enum table_word word = GUIDS; word < VLARB_LOW; word++)
		if (tables[word].attribute == detail->attribute)
			return word;
	return detail->modifier >> 16 < MAD_VLARB_HIGH ? VLARB_LOW : VLARB_HIGH;
}

PORT_OF(detail_port, detail_of)
GETTER_OF(static, get_detail_node, detail_port, place_get_node)
GETTER_OF(static, get_detail_guid, detail_port, place_get_guid)
GETTER_OF(static, get_detail_index, detail_port, place_get_index)
GETTER_OF(static, get_detail_port, detail_port, place_get_port)

/* A switch has an SL to VL mapping for each port at which packets arrive. */
static void get_in_port(const void *record, struct value *value)
{
	const struct fabric_detail *detail = detail_of(record);

	if (detail && detail->attribute == UMAD_SM_ATTR_SLVL_TABLE &&
	    fabric_is_of_switch(fabric_of(record), detail->port))
		value_set_unsigned(value, detail->modifier >> 8 & 0xff);
	if (detail && detail->attribute == UMAD_SM_ATTR_MCAST_FT)
		value_set_unsigned(value, (uint64_t)(detail->modifier >> MAD_MULTICAST_POSITION) *
						  MAD_MULTICAST_PORTS);
}

static void get_first(const void *record, struct value *value)
{
	const struct fabric_detail *detail = detail_of(record);
	enum table_word word;
	uint64_t block;

	if (!detail)
		return;
	word = word_of(detail);
	block = word < VLARB_LOW ? detail->modifier & tables[word].block_mask
				 : ((detail->modifier >> 16) - 1) % 2;
	value_set_unsigned(value, block * tables[word].entries);
}

/* The text of an entry, empty if the entry is not in use: at most 20 bytes with the NUL. */
static void write_entry(const struct fabric_detail *detail, unsigned int index, char *text)
{
	char guid[GUID_TEXT_SIZE];

	*text = '\0';
	switch (word_of(detail)) {
	case GUIDS:
		guid_format(bits_get(detail->data, (size_t)index * 64, 64), guid);
		if (bits_get(detail->data, (size_t)index * 64, 64))
			memcpy(text, guid, sizeof(guid));
		break;
	case PKEYS:
		if (bits_get(detail->data, (size_t)index * 16, 16))
			snprintf(text, GUID_TEXT_SIZE, "0x%04x",
				 (unsigned int)bits_get(detail->data, (size_t)index * 16, 16));
		break;
	case SL2VL:
		snprintf(text, GUID_TEXT_SIZE, "%u",
			 (unsigned int)bits_get(detail->data, (size_t)index * 4, 4));
		break;
	case LFT:
		if (detail->data[index] == MAD_LINEAR_NOWHERE)
			memcpy(text, "-", sizeof("-"));
		else
			snprintf(text, GUID_TEXT_SIZE, "%u", detail->data[index]);
		break;
	case MFT:
		snprintf(text, GUID_TEXT_SIZE, "0x%04x",
			 (unsigned int)bits_get(detail->data, (size_t)index * MAD_MULTICAST_PORTS,
						MAD_MULTICAST_PORTS));
		break;
	default: /* the arbiter skips a VL of weight 0 */
		if (detail->data[2 * index + 1])
			snprintf(text, GUID_TEXT_SIZE, "%u:%u", detail->data[2 * index] & 0xfu,
				 detail->data[2 * index + 1]);
	}
}

static void get_values(const void *record, struct value *value)
{
	const struct fabric_detail *detail = detail_of(record);
	char *text = value->scratch;
	size_t count = 0;

	if (!detail)
		return;
	for (unsigned int i = 0; i < tables[word_of(detail)].entries; i++) {
		if (text + GUID_TEXT_SIZE > value->scratch + sizeof(value->scratch))
			break;
		write_entry(detail, i, text);
		if (!*text)
			continue;
		value->words[count++] = text;
		text += strlen(text) + 1;
	}
	value->kind = VALUE_LIST;
	value->list.items = value->words;
	value->list.count = count;
}

#define DETAIL_GETTER(name_, set_) \
	VIEW_GETTER(static, name_, fabric_detail, detail, detail_of, true, set_)
DETAIL_GETTER(get_table, value_set_word(value, table_names, word_of(detail)))
DETAIL_GETTER(get_attribute_id, view_set_hex(value, 4, detail->attribute))
DETAIL_GETTER(get_modifier, view_set_hex(value, 8, detail->modifier))
DETAIL_GETTER(get_data, view_set_bytes(value, detail->data, sizeof(detail->data)))

static const struct field detail_fields[] = {
	VIEW_TEXT(get_detail_node, "node", "NODE", SHOWN, "name of the node"),
	VIEW_NUMBER(get_detail_port, "port", "PORT", SHOWN, "number of the port"),
	VIEW_WORD(get_table, "table", "TABLE", SHOWN,
		  "kind of table: pkeys, guids, sl2vl, vlarb-low, vlarb-high, lft, mft"),
	VIEW_NUMBER(get_in_port, "in_port", "IN PORT", SHOWN,
		    "sl2vl of a switch: port that packets arrive at; mft: first port of the masks"),
	VIEW_NUMBER(get_first, "first", "FIRST", 0,
		    "number of the block's first entry in its table"),
	VIEW_COLUMN(FIELD_LIST, get_values, "entries", "ENTRIES", SHOWN,
		    "entries in use; vlarb: VLs with weights; lft: ports; mft: masks of ports"),
	VIEW_GUID(get_detail_guid, "node_guid", "NODE GUID", 0, "GUID of the node"),
	NODE_INDEX_COLUMN(get_detail_index),
	VIEW_COLUMN(FIELD_HEX, get_attribute_id, "attribute_id", "ATTRIBUTE ID", 0,
		    "number of the attribute"),
	VIEW_COLUMN(FIELD_HEX, get_modifier, "modifier", "MODIFIER", 0, "attribute modifier"),
	VIEW_TEXT(get_data, "data", "DATA", 0, "the block as received, in hexadecimal"),
};

const struct schema fabric_details_schema = SCHEMA("fabric_details", struct fabric_row,
						   detail_fields,
						   "a block of a table of a port, from --details");

ITEM_OF(fault_of, fabric_fault, faults)
VIEW_GETTER(static, get_fault_line, fabric_fault, fault, fault_of, fault->line,
	    value_set_unsigned(value, fault->line))
VIEW_GETTER(static, get_fault_reason, fabric_fault, fault, fault_of, true,
	    value_set_string(value, fault->reason))

static const struct field fault_fields[] = {
	VIEW_NUMBER(get_fault_line, "line", "LINE", SHOWN, "number of the line in the text"),
	VIEW_TEXT(get_fault_reason, "reason", "REASON", SHOWN, "what is wrong with it"),
};

static const struct schema fabric_faults_schema = SCHEMA(
	"fabric_faults", struct fabric_row, fault_fields,
	"a line of a loaded text that cannot be used");

const struct enum_name fabric_source_names[] = {
	{FABRIC_TEXT, "text", .help = "a text from ibnetdiscover, or a net file"},
	{FABRIC_CACHE, "cache", .help = "a cache from ibnetdiscover"},
	{FABRIC_PORT_LIST, "port-list", .help = "a list of ports from ibnetdiscover -p"},
	{0, NULL},
};

#define LIST_GETTER(member_)                                                                      \
	static void get_##member_(const void *record, struct value *value)                        \
	{                                                                                         \
		const struct fabric_rows *rows = &((const struct fabric_graph *)record)->member_; \
		value_set_records(value, rows->items, rows->count);                               \
	}
LIST_GETTER(nodes)
LIST_GETTER(ports)
LIST_GETTER(links)
LIST_GETTER(unanswered)
LIST_GETTER(details)
LIST_GETTER(faults)

#define ORIGIN_STRING(member_, ...) STRING_FIELD(struct fabric_graph, origin.member_, __VA_ARGS__)
#define ORIGIN_NUMBER(member_, ...) UNSIGNED_FIELD(struct fabric_graph, origin.member_, __VA_ARGS__)

#define ABOUT_THE_SCAN                                                                           \
	ORIGIN_STRING(time, "time", "TIME", 0, 0, "time of the scan"),                           \
		ORIGIN_STRING(host, "host", "HOST", 0, 0, "host that ran the scan"),             \
		ORIGIN_STRING(device, "device", "DEVICE", 0, 0, "device that sent the queries"), \
		ORIGIN_NUMBER(port, "port", "PORT", FIELD_RIGHT, 0, "port of the device"),       \
		ORIGIN_NUMBER(lid, "lid", "LID", FIELD_RIGHT, 0, "LID of the port"),             \
		ORIGIN_STRING(                                                                   \
			from, "from", "FROM", 0, 0,                                              \
			"node where the scan began, as the user gave it; null: the local port"), \
		ORIGIN_NUMBER(most_hops, "most_hops", "MOST HOPS", FIELD_RIGHT, 0,               \
			      "limit of --hops; null if the scan covered the subnet"),           \
		BOOL_FIELD(struct fabric_graph, complete, "complete", "COMPLETE", 0, 0,          \
			   "whether every query was answered, and all of a text was read"),      \
		BOOL_FIELD(struct fabric_graph, interrupted, "interrupted", "INTERRUPTED", 0, 0, \
			   "whether the scan was interrupted"),                                  \
		ENUM_FIELD(struct fabric_graph, source, fabric_source_names, "source", "SOURCE", \
			   0, 0,                                                                 \
			   "format of the other tool's file that it was loaded from, or null")

static const struct field graph_fields[] = {
	ABOUT_THE_SCAN,
	HEADED_RECORDS_FIELD(get_nodes, &fabric_nodes_schema, "nodes", "NODES", "all nodes"),
	HEADED_RECORDS_FIELD(get_ports, &fabric_ports_schema, "ports", "PORTS", "all ports"),
	HEADED_RECORDS_FIELD(get_links, &fabric_links_schema, "links", "LINKS", "all cables"),
	HEADED_RECORDS_FIELD(get_unanswered, &fabric_unanswered_schema, "unanswered", "UNANSWERED",
			     "queries without a usable answer"),
	HEADED_RECORDS_FIELD(get_details, &fabric_details_schema, "details", "DETAILS",
			     "tables of ports, if the scan had --details"),
	HEADED_RECORDS_FIELD(get_faults, &fabric_faults_schema, "faults", "FAULTS",
			     "lines of a loaded text that cannot be used"),
};

const struct schema fabric_graph_schema = SCHEMA("fabric", struct fabric_graph, graph_fields,
						 "the subnet as a graph");

/* The bytes received, and the places of nodes and ports; the rest follows from these. */
static const struct field saved_fields[] = {
	ABOUT_THE_SCAN,
	RECORDS_FIELD(get_nodes, &fabric_nodes_schema,
		      "node_index,parent_index,parent_port,duplicate_guid,node_info,"
		      "node_description,switch_info,port_0_info,made_node_info,made_switch_info,"
		      "made_port_0_info",
		      "nodes", 0, "all nodes"),
	RECORDS_FIELD(get_ports, &fabric_ports_schema,
		      "node_index,port,unanswered,peer_index,peer_port,port_guid,"
		      "vendor_speed_code,vendor_speed_supported_code,port_info,made_port_info",
		      "ports", 0, "all their ports"),
	RECORDS_FIELD(get_unanswered, &fabric_unanswered_schema,
		      "node_index,port,behind,attribute_id,errno,status,tries", "unanswered", 0,
		      "requested data that did not arrive"),
	RECORDS_FIELD(get_details, &fabric_details_schema,
		      "node_index,port,attribute_id,modifier,data", "details", 0,
		      "tables of ports, if the scan had --details"),
	RECORDS_FIELD(get_faults, &fabric_faults_schema, "", "faults", 0,
		      "lines of a loaded text that cannot be used"),
};

const struct schema fabric_saved_schema = SCHEMA("fabric", struct fabric_graph, saved_fields,
						 "the subnet as a graph, in a file");

/* One end of a link: what its port supports, and what it is set to. */

/* Shows a field of PortInfo by its key; nothing if PortInfo is unknown. */
static void show_info(const void *record, const char *key, struct value *value)
{
	const struct mad_attribute *attribute = mad_attribute_find(UMAD_CLASS_SUBN_LID_ROUTED,
								   UMAD_SM_ATTR_PORT_INFO);
	const struct fabric_port *port = place_port(record);
	struct mad_record info = {.object = NULL};

	if (!port || !port->has_info)
		return;
	memcpy(info.data, port->info, sizeof(port->info));
	field_get(schema_find(attribute->schema, key), &info, value);
}

#define EACH_FIELD(ROW, OTHER)                                                                    \
	ROW(FIELD_STRING, state, "STATE", FIELD_DEFAULT, "logical state")                         \
	ROW(FIELD_STRING, physical_state, "PHYSICAL", FIELD_DEFAULT, "physical state")            \
	ROW(FIELD_UNSIGNED, width_lanes, "LANES", FIELD_DEFAULT | FIELD_RIGHT,                    \
	    "active width of the link")                                                           \
	OTHER(FIELD_ENUM, place_get_speed, "speed", "SPEED", FIELD_DEFAULT,                       \
	      "active speed of the link")                                                         \
	ROW(FIELD_LIST, width_enabled, "WIDTH ENABLED", FIELD_DEFAULT, "widths that are enabled") \
	ROW(FIELD_LIST, speed_enabled, "SPEED ENABLED", FIELD_DEFAULT,                            \
	    "speeds up to QDR that are enabled")                                                  \
	ROW(FIELD_LIST, speed_ext_enabled, "EXT ENABLED", FIELD_DEFAULT,                          \
	    "speeds from FDR on that are enabled")                                                \
	ROW(FIELD_LIST, width_supported, "WIDTH SUPPORTED", 0, "widths that the port supports")   \
	ROW(FIELD_LIST, speed_supported, "SPEED SUPPORTED", 0,                                    \
	    "speeds up to QDR that the port supports")                                            \
	ROW(FIELD_LIST, speed_ext_supported, "EXT SUPPORTED", 0,                                  \
	    "speeds from FDR on that the port supports")                                          \
	OTHER(FIELD_UNSIGNED, place_get_mtu, "neighbor_mtu_bytes", "MTU", FIELD_RIGHT,            \
	      "active MTU of the link")                                                           \
	ROW(FIELD_UNSIGNED, mtu_cap_bytes, "MTU CAP", FIELD_RIGHT, "maximum MTU of the port")     \
	OTHER(FIELD_UNSIGNED, place_get_vls, "vls_operational", "VLS", FIELD_RIGHT,               \
	      "data VLs in use")

#define FIELD_GETTER(kind_, member_, ...)                                  \
	static void get_##member_(const void *record, struct value *value) \
	{                                                                  \
		show_info(record, #member_, value);                        \
	}
#define NO_GETTER(...)
EACH_FIELD(FIELD_GETTER, NO_GETTER)

#define FIELD_COLUMN(kind_, member_, heading_, flags_, help_) \
	COMPUTED_FIELD(kind_, get_##member_, #member_, heading_, flags_, 0, help_),
#define OTHER_COLUMN(...) VIEW_COLUMN(__VA_ARGS__),

static const struct field port_fields[] = {
	PORT_COLUMNS(place_get_port),
	EACH_FIELD(FIELD_COLUMN, OTHER_COLUMN) VIEW_COLUMN(FIELD_UNSIGNED, place_get_lid, "lid",
							   "LID", FIELD_RIGHT, "LID of the port"),
	NODE_GUID_COLUMN,
};

const struct schema fabric_port_schema = SCHEMA("fabric_port", struct fabric_row, port_fields,
						"an end of a link");
