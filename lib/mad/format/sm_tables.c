/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdio.h>

#include "base/mem.h"
#include "mad/format/sm_fields.h"
#include "mad/format/sm_port_info.h"
#include "schema/bits.h"

void sm_get_hex(const unsigned char *bytes, size_t length, struct value *value)
{
	static const char digits[] = "0123456789abcdef";
	char *out = value->scratch;

	for (size_t i = 0; i < length && i < 64; i++) {
		*out++ = digits[bytes[i] >> 4];
		*out++ = digits[bytes[i] & 15];
	}
	*out = '\0';
	value_set_string(value, value->scratch);
}

/* Only generic notices have trap numbers from the specification: 13.4.8.2. */
void sm_get_trap(const unsigned char *notice, struct value *value)
{
	if (bits_get(notice, MAD_AT(0, 0), 1))
		value_set_string(value,
				 enum_word(trap_names, bits_get(notice, MAD_AT(4, 0), 16), NULL));
}

static void get_trap(const void *record, struct value *value)
{
	sm_get_trap(mad_data(record), value);
}

static void get_notice_details(const void *record, struct value *value)
{
	sm_get_hex(mad_data(record) + 10, 54, value);
}

static void get_cable_data(const void *record, struct value *value)
{
	sm_get_hex(mad_data(record), 64, value);
}

/* 14.2.5.2 */
static const struct field node_description_fields[] = {
	MAD_OBJECT_FIELDS(FIELD_DEFAULT),
	MAD_TEXT(MAD_AT(0, 0), 64 * 8, "node_description", "DESCRIPTION", FIELD_DEFAULT,
		 "description set by the node's owner"),
};

const struct schema sm_node_description_schema = MAD_SCHEMA("smp_nodedesc", node_description_fields,
							    "the description of a node");

static const struct field node_info_fields[] = {
	MAD_OBJECT_FIELDS(FIELD_DEFAULT),
	SM_NODE_INFO_ROWS(0),
};

const struct schema sm_node_info_schema = MAD_SCHEMA("smp_nodeinfo", node_info_fields,
						     "the type, GUIDs and ports of a node");

static const struct field switch_info_fields[] = {
	MAD_OBJECT_FIELDS(FIELD_DEFAULT),
	SM_SWITCH_INFO_ROWS(0),
};

const struct schema sm_switch_info_schema = MAD_SCHEMA("smp_switchinfo", switch_info_fields,
						       "the capabilities and settings of a switch");

static const struct field info_fields[] = {
	MAD_OBJECT_FIELDS(FIELD_DEFAULT),
	SM_INFO_ROWS(0),
};

const struct schema sm_info_schema = MAD_SCHEMA("smp_sminfo", info_fields,
						"a subnet manager, as its port reports it");

static const struct field notice_fields[] = {
	MAD_OBJECT_FIELDS(FIELD_DEFAULT),
	SM_NOTICE_ROWS(get_trap, get_notice_details),
};

const struct schema sm_notice_schema = MAD_SCHEMA("smp_notice", notice_fields,
						  "a notice of something that happened");

/* 14.2.5.16 */
static const struct field led_info_fields[] = {
	MAD_OBJECT_FIELDS(FIELD_DEFAULT),
	MAD_PORT_FIELD(FIELD_DEFAULT),
	MAD_BOOL(MAD_AT(0, 0), 1, "led_on", "LED", FIELD_DEFAULT, "whether the port's lamp is on"),
};

const struct schema sm_led_info_schema = MAD_SCHEMA("smp_ledinfo", led_info_fields,
						    "the lamp of a port");

/* Only the bytes are shown: the modifier determines which part of the cable's memory they are. */
static const struct field cable_info_fields[] = {
	MAD_OBJECT_FIELDS(FIELD_DEFAULT),
	MAD_PORT_FIELD(FIELD_DEFAULT),
	COMPUTED_FIELD(FIELD_STRING, get_cable_data, "data", "DATA", FIELD_DEFAULT, 0,
		       "the 64 bytes, in hexadecimal"),
};

const struct schema sm_cable_info_schema = MAD_SCHEMA("smp_cableinfo", cable_info_fields,
						      "a part of the memory of a cable");

enum {
	VL_ARBITRATION_HIGH = 64, /* low priority entries come first: 14.2.5.9 */
	MULTICAST_POSITIONS = 16,
	MULTICAST_PORTS = 16, /* ports per position of an entry */
};

static void get_membership(const void *record, struct value *value)
{
	uint64_t pkey = bits_get(mad_data(record), 0, 16);

	if (pkey & ~(uint64_t)PKEY_FULL_MEMBER)
		value_set_string(value, pkey & PKEY_FULL_MEMBER ? "full" : "limited");
}

static void get_priority(const void *record, struct value *value)
{
	const struct number *index = &((const struct mad_record *)record)->index;

	if (index->known)
		value_set_string(value, index->value < VL_ARBITRATION_HIGH ? "low" : "high");
}

static void get_entry(const void *record, struct value *value)
{
	const struct number *index = &((const struct mad_record *)record)->index;

	if (!index->known)
		return;
	value_set_unsigned(value, index->value % VL_ARBITRATION_HIGH);
}

/* Positions are adjacent, 16 ports each; within one the lowest bit is the first port. */
static bool has_port(const unsigned char *masks, unsigned int port)
{
	unsigned int position = port / MULTICAST_PORTS;

	return bits_get(masks, position * MULTICAST_PORTS, MULTICAST_PORTS) >>
		       port % MULTICAST_PORTS &
	       1;
}

static void get_multicast_mask(const void *record, struct value *value)
{
	const unsigned char *masks = mad_data(record);
	unsigned int position = MULTICAST_POSITIONS - 1;
	char *out = value->scratch, *end = out + sizeof(value->scratch);

	while (position && !bits_get(masks, position * MULTICAST_PORTS, MULTICAST_PORTS))
		position--;
	out += snprintf(out, (size_t)(end - out), "0x");
	do
		out += snprintf(out, (size_t)(end - out), "%04x",
				(unsigned int)bits_get(masks, position * MULTICAST_PORTS,
						       MULTICAST_PORTS));
	while (position--);
	value_set_string(value, value->scratch);
}

/* Runs of ports are one word: a value has room for 64 of them, each of up to 7 characters. */
static void get_multicast_ports(const void *record, struct value *value)
{
	const unsigned char *masks = mad_data(record);
	char *out = value->scratch, *end = out + sizeof(value->scratch);
	size_t count = 0;

	for (unsigned int port = 0; port < MULTICAST_PORTS * MULTICAST_POSITIONS; port++) {
		unsigned int first = port;

		if (!has_port(masks, port))
			continue;
		while (port + 1 < MULTICAST_PORTS * MULTICAST_POSITIONS &&
		       has_port(masks, port + 1))
			port++;
		value->words[count++] = out;
		if (end - out < 12 || count == ARRAY_SIZE(value->words)) {
			value->words[count - 1] = "more";
			break;
		}
		out += first == port ? snprintf(out, (size_t)(end - out), "%u", port)
				     : snprintf(out, (size_t)(end - out), "%u-%u", first, port);
		out++;
	}
	value->kind = VALUE_LIST;
	value->list.items = value->words;
	value->list.count = count;
}

/* GUIDInfo, 14.2.5.5 */
static const struct field guid_info_fields[] = {
	MAD_OBJECT_FIELDS(FIELD_DEFAULT),
	MAD_PORT_FIELD(0),
	MAD_INDEX_FIELD("index", "INDEX", FIELD_DEFAULT, "index in the port's GUID table"),
	MAD_GUID(0, "guid", "GUID", FIELD_DEFAULT, "GUID, 0 for a free slot"),
};

const struct schema sm_guid_info_schema = MAD_SCHEMA("smp_guidinfo", guid_info_fields,
						     "an entry of a port's GUID table");

/* P_KeyTable, 14.2.5.7 */
static const struct field pkey_table_fields[] = {
	MAD_OBJECT_FIELDS(FIELD_DEFAULT),
	MAD_PORT_FIELD(FIELD_DEFAULT),
	MAD_INDEX_FIELD("index", "INDEX", FIELD_DEFAULT, "index in the port's P_Key table"),
	MAD_HEX(0, 16, "pkey", "P_KEY", FIELD_DEFAULT, "partition key, with the membership bit"),
	COMPUTED_FIELD(FIELD_STRING, get_membership, "membership", "MEMBERSHIP", FIELD_DEFAULT, 0,
		       "full or limited"),
};

const struct schema sm_pkey_table_schema = MAD_SCHEMA("smp_pkeys", pkey_table_fields,
						      "an entry of a port's P_Key table");

static const struct field sl2vl_fields[] = {
	MAD_OBJECT_FIELDS(FIELD_DEFAULT),
	MAD_INDEX_FIELD("input_port", "IN", FIELD_DEFAULT, "port that packets come in by"),
	UNSIGNED_FIELD(struct mad_record, port, "output_port", "OUT", FIELD_DEFAULT | FIELD_RIGHT,
		       0, "port that packets go out by"),
	SM_SL2VL_ROWS(0),
};

const struct schema sm_sl2vl_schema = MAD_SCHEMA("smp_sl2vl", sl2vl_fields,
						 "the VLs of the service levels at a port");

static const struct field vl_arbitration_fields[] = {
	MAD_OBJECT_FIELDS(FIELD_DEFAULT),
	MAD_PORT_FIELD(FIELD_DEFAULT),
	MAD_INDEX_FIELD("index", "INDEX", 0, "index in both tables: 64 of low priority, then high"),
	COMPUTED_FIELD(FIELD_STRING, get_priority, "priority", "PRIORITY", FIELD_DEFAULT, 0,
		       "priority of the table, low or high"),
	COMPUTED_FIELD(FIELD_UNSIGNED, get_entry, "entry", "ENTRY", FIELD_DEFAULT | FIELD_RIGHT, 0,
		       "index in the table of the priority"),
	MAD_UNSIGNED(MAD_AT(0, 4), 4, "vl", "VL", FIELD_DEFAULT, "VL that may send"),
	MAD_UNSIGNED(MAD_AT(1, 0), 8, "weight", "WEIGHT", FIELD_DEFAULT,
		     "how much it may send, in units of 64 bytes"),
};

const struct schema sm_vl_arbitration_schema = MAD_SCHEMA(
	"smp_vlarb", vl_arbitration_fields, "an entry of a port's VL arbitration tables");

/* 14.2.5.10 */
static const struct field linear_forwarding_fields[] = {
	MAD_OBJECT_FIELDS(FIELD_DEFAULT),
	MAD_INDEX_FIELD("lid", "LID", FIELD_DEFAULT, "LID that packets go to"),
	MAD_UNSIGNED(0, 8, "port", "PORT", FIELD_DEFAULT, "port that they go out by, 255 for none"),
};

const struct schema sm_linear_forwarding_schema = MAD_SCHEMA(
	"smp_lft", linear_forwarding_fields, "an entry of a linear forwarding table");

/* 14.2.5.12 */
static const struct field multicast_forwarding_fields[] = {
	MAD_OBJECT_FIELDS(FIELD_DEFAULT),
	HEX_FIELD(struct mad_record, index, 4, "mlid", "MLID", FIELD_DEFAULT, 0,
		  "multicast LID that packets go to"),
	COMPUTED_FIELD(FIELD_STRING, get_multicast_mask, "port_mask", "PORT MASK", 0, 0,
		       "ports that they go out by, as bits from port 0 on"),
	COMPUTED_FIELD(FIELD_LIST, get_multicast_ports, "ports", "PORTS", FIELD_DEFAULT, 0,
		       "ports that they go out by, runs of ports as 3-7"),
};

const struct schema sm_multicast_forwarding_schema = MAD_SCHEMA(
	"smp_mft", multicast_forwarding_fields, "an entry of a multicast forwarding table");

#define RECORD(id_, word_, alias_, name_, schema_, bytes_, modifier_)                \
	{                                                                            \
		.mgmt_class = UMAD_CLASS_SUBN_LID_ROUTED, .id = id_, .word = word_,  \
		.alias = alias_, .name = name_, .schema = &schema_, .bytes = bytes_, \
		.modifier = modifier_,                                               \
	}
#define TABLE(id_, word_, alias_, name_, schema_, entries_, entry_bytes_, modifier_) \
	{                                                                            \
		.mgmt_class = UMAD_CLASS_SUBN_LID_ROUTED, .id = id_, .word = word_,  \
		.alias = alias_, .name = name_, .schema = &schema_,                  \
		.bytes = (entries_) * (entry_bytes_), .entries = entries_,           \
		.entry_bytes = entry_bytes_, .modifier = modifier_,                  \
	}

/*
 * Table 122 (14.2.5), and the vendor's attribute at the end; the aliases are those of smpquery(8)
 */
const struct mad_attribute sm_attributes[] = {
	RECORD(UMAD_SM_ATTR_NODE_DESC, "nodedesc", "nd", "NodeDescription",
	       sm_node_description_schema, 64, MODIFIER_NONE),
	RECORD(UMAD_SM_ATTR_NODE_INFO, "nodeinfo", "ni", "NodeInfo", sm_node_info_schema,
	       NODE_INFO_BYTES, MODIFIER_NONE),
	RECORD(UMAD_SM_ATTR_SWITCH_INFO, "switchinfo", "si", "SwitchInfo", sm_switch_info_schema,
	       SWITCH_INFO_BYTES, MODIFIER_NONE),
	RECORD(UMAD_SM_ATTR_PORT_INFO, "portinfo", "pi", "PortInfo", sm_port_info_schema,
	       PORT_INFO_BYTES, MODIFIER_PORT),
	RECORD(UMAD_SM_ATTR_PORT_INFO_EXT, "portinfoext", "pie", "PortInfoExtended",
	       sm_port_info_extended_schema, 22, MODIFIER_PORT),
	RECORD(UMAD_SM_ATTR_MLNX_EXT_PORT_INFO, "mepi", NULL, "ExtendedPortInfo",
	       sm_mellanox_port_info_schema, 16, MODIFIER_PORT),
	TABLE(UMAD_SM_ATTR_GUID_INFO, "guidinfo", "gi", "GUIDInfo", sm_guid_info_schema, 8, 8,
	      MODIFIER_BLOCK),
	TABLE(UMAD_SM_ATTR_PKEY_TABLE, "pkeys", NULL, "P_KeyTable", sm_pkey_table_schema, 32, 2,
	      MODIFIER_PKEYS),
	RECORD(UMAD_SM_ATTR_SLVL_TABLE, "sl2vl", NULL, "SLtoVLMappingTable", sm_sl2vl_schema,
	       SM_SL2VL_BYTES, MODIFIER_SL2VL),
	TABLE(UMAD_SM_ATTR_VL_ARB_TABLE, "vlarb", NULL, "VLArbitrationTable",
	      sm_vl_arbitration_schema, 32, 2, MODIFIER_VLARB),
	{.mgmt_class = UMAD_CLASS_SUBN_LID_ROUTED,
	 .id = UMAD_SM_ATTR_LINEAR_FT,
	 .word = "lft",
	 .name = "LinearForwardingTable",
	 .schema = &sm_linear_forwarding_schema,
	 .bytes = 64,
	 .entries = 64,
	 .entry_bytes = 1,
	 .empty_byte = 0xff, /* 14.2.5.10: no such port */
	 .modifier = MODIFIER_BLOCK},
	TABLE(UMAD_SM_ATTR_MCAST_FT, "mft", NULL, "MulticastForwardingTable",
	      sm_multicast_forwarding_schema, 32, 2, MODIFIER_MULTICAST),
	RECORD(UMAD_SM_ATTR_SM_INFO, "sminfo", NULL, "SMInfo", sm_info_schema, SM_INFO_BYTES,
	       MODIFIER_NONE),
	RECORD(UMAD_ATTR_NOTICE, "notice", NULL, "Notice", sm_notice_schema, 64, MODIFIER_NONE),
	RECORD(UMAD_SM_ATTR_LED_INFO, "ledinfo", NULL, "LedInfo", sm_led_info_schema, 1,
	       MODIFIER_PORT),
	RECORD(UMAD_SM_ATTR_CABLE_INFO, "cableinfo", NULL, "CableInfo", sm_cable_info_schema, 64,
	       MODIFIER_PORT),
	{.schema = NULL},
};
