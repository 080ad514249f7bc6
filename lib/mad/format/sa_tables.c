/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdarg.h>
#include <stdio.h>

#include "base/mem.h"
#include "mad/format/class_port_info.h"
#include "mad/format/sa_fields.h"
#include "mad/format/sm_fields.h"
#include "schema/bits.h"

enum { TABLE_AT = 8 }; /* where the table begins in the records that hold a block of one */

/* A list that is written to the value's own scratch, word by word. */
struct list {
	struct value *value;
	size_t used;
	size_t count;
};

__attribute__((format(printf, 2, 3))) static void list_add(struct list *list, const char *format,
							   ...)
{
	char *word = list->value->scratch + list->used;
	size_t room = sizeof(list->value->scratch) - list->used;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(word, room, format, arguments);
	va_end(arguments);
	if ((size_t)length >= room)
		return;
	list->value->words[list->count++] = word;
	list->used += (size_t)length + 1;
}

static void list_end(struct list *list)
{
	list->value->kind = VALUE_LIST;
	list->value->list.items = list->value->words;
	list->value->list.count = list->count;
}

/* How many of `count` entries are left when the last ones that are `empty` are left out. */
static size_t used_entries(const unsigned char *table, size_t count, unsigned int width,
			   uint64_t empty)
{
	while (count && bits_get(table, (count - 1) * width, width) == empty)
		count--;
	return count;
}

static void get_list(const void *record, size_t count, unsigned int width, uint64_t empty, bool hex,
		     struct value *value)
{
	const unsigned char *table = mad_data(record) + TABLE_AT;
	struct list list = {.value = value};

	count = used_entries(table, count, width, empty);
	for (size_t i = 0; i < count; i++)
		list_add(&list, hex ? "0x%04x" : "%u",
			 (unsigned int)bits_get(table, i * width, width));
	list_end(&list);
}

static void get_ports(const void *record, struct value *value)
{
	get_list(record, 64, 8, 0xff, false, value);
}

static void get_port_masks(const void *record, struct value *value)
{
	get_list(record, 32, 16, 0, true, value);
}

static void get_pkeys(const void *record, struct value *value)
{
	get_list(record, 32, 16, 0, true, value);
}

/* vl:weight */
static void get_arbitration(const void *record, struct value *value)
{
	const unsigned char *table = mad_data(record) + TABLE_AT;
	size_t count = used_entries(table, 32, 16, 0);
	struct list list = {.value = value};

	for (size_t i = 0; i < count; i++)
		list_add(&list, "%u:%u", table[i * 2] & 15u, table[i * 2 + 1]);
	list_end(&list);
}

/* 15.2.5.6 */
static const struct field linear_forwarding_fields[] = {
	MAD_UNSIGNED(MAD_AT(0, 0), 16, "lid", "LID", FIELD_DEFAULT, "LID of the switch",
		     SA_COMPONENT(0)),
	MAD_UNSIGNED(MAD_AT(2, 0), 16, "block", "BLOCK", FIELD_DEFAULT,
		     "block of 64 LIDs that it holds", SA_COMPONENT(1)),
	COMPUTED_FIELD(FIELD_LIST, get_ports, "ports", "PORTS", FIELD_DEFAULT, 0,
		       "port for each LID of the block, 255 for none, up to the last that has one"),
};

const struct schema sa_linear_forwarding_schema = MAD_SCHEMA(
	"sa_lft", linear_forwarding_fields, "a block of a linear forwarding table");

/* 15.2.5.8 */
static const struct field multicast_forwarding_fields[] = {
	MAD_UNSIGNED(MAD_AT(0, 0), 16, "lid", "LID", FIELD_DEFAULT, "LID of the switch",
		     SA_COMPONENT(0)),
	MAD_UNSIGNED(MAD_AT(2, 0), 4, "position", "POSITION", FIELD_DEFAULT,
		     "which 16 ports the masks are of", SA_COMPONENT(1)),
	MAD_UNSIGNED(MAD_AT(2, 7), 9, "block", "BLOCK", FIELD_DEFAULT,
		     "block of 32 multicast LIDs that it holds", SA_COMPONENT(3)),
	COMPUTED_FIELD(FIELD_LIST, get_port_masks, "port_masks", "PORT MASKS", FIELD_DEFAULT, 0,
		       "ports for each multicast LID of the block, up to the last that has one"),
};

const struct schema sa_multicast_forwarding_schema = MAD_SCHEMA(
	"sa_mft", multicast_forwarding_fields, "a block of a multicast forwarding table");

/* 15.2.5.11 */
static const struct field pkey_table_fields[] = {
	MAD_UNSIGNED(MAD_AT(0, 0), 16, "lid", "LID", FIELD_DEFAULT,
		     "LID of the port, of port 0 at a switch", SA_COMPONENT(0)),
	MAD_UNSIGNED(MAD_AT(4, 0), 8, "port", "PORT", FIELD_DEFAULT, "port of a switch",
		     SA_COMPONENT(2)),
	MAD_UNSIGNED(MAD_AT(2, 0), 16, "block", "BLOCK", FIELD_DEFAULT,
		     "block of 32 slots that it holds", SA_COMPONENT(1)),
	COMPUTED_FIELD(FIELD_LIST, get_pkeys, "pkeys", "P_KEYS", FIELD_DEFAULT, 0,
		       "partition keys of the block's slots, up to the last in use"),
};

const struct schema sa_pkey_table_schema = MAD_SCHEMA("sa_pkeys", pkey_table_fields,
						      "a block of a port's P_Key table");

/* 15.2.5.4 */
static const struct field sl2vl_fields[] = {
	MAD_UNSIGNED(MAD_AT(0, 0), 16, "lid", "LID", FIELD_DEFAULT,
		     "LID of the port, of port 0 at a switch", SA_COMPONENT(0)),
	MAD_UNSIGNED(MAD_AT(2, 0), 8, "input_port", "IN", FIELD_DEFAULT,
		     "port of a switch that packets come in by", SA_COMPONENT(1)),
	MAD_UNSIGNED(MAD_AT(3, 0), 8, "output_port", "OUT", FIELD_DEFAULT,
		     "port of a switch that packets go out by", SA_COMPONENT(2)),
	SM_SL2VL_ROWS(TABLE_AT),
};

const struct schema sa_sl2vl_schema = MAD_SCHEMA("sa_sl2vl", sl2vl_fields,
						 "the VLs of the service levels at a port");

/* 15.2.5.9 */
static const struct field vl_arbitration_fields[] = {
	MAD_UNSIGNED(MAD_AT(0, 0), 16, "lid", "LID", FIELD_DEFAULT,
		     "LID of the port, of port 0 at a switch", SA_COMPONENT(0)),
	MAD_UNSIGNED(MAD_AT(2, 0), 8, "port", "PORT", FIELD_DEFAULT,
		     "port of a switch that packets go out by", SA_COMPONENT(1)),
	MAD_UNSIGNED(MAD_AT(3, 0), 8, "block", "BLOCK", FIELD_DEFAULT,
		     "part that it holds: 1 and 2 of low priority, 3 and 4 of high",
		     SA_COMPONENT(2)),
	COMPUTED_FIELD(FIELD_LIST, get_arbitration, "entries", "VL:WEIGHT", FIELD_DEFAULT, 0,
		       "VL and weight of the block's entries, up to the last in use"),
};

const struct schema sa_vl_arbitration_schema = MAD_SCHEMA(
	"sa_vlarb", vl_arbitration_fields, "a part of a port's VL arbitration tables");

#define GUID_ROW(number_, flags_)                                                              \
	MAD_GUID(MAD_AT(TABLE_AT + (number_)*8, 0), "guid" #number_, "GUID " #number_, flags_, \
		 "GUID " #number_ " of the block", SA_COMPONENT(4 + (number_)))

/* 15.2.5.18 */
static const struct field guid_info_fields[] = {
	MAD_UNSIGNED(MAD_AT(0, 0), 16, "lid", "LID", FIELD_DEFAULT, "LID of the port",
		     SA_COMPONENT(0)),
	MAD_UNSIGNED(MAD_AT(2, 0), 8, "block", "BLOCK", FIELD_DEFAULT,
		     "block of 8 slots that it holds", SA_COMPONENT(1)),
	GUID_ROW(0, FIELD_DEFAULT),
	GUID_ROW(1, FIELD_DEFAULT),
	GUID_ROW(2, FIELD_DEFAULT),
	GUID_ROW(3, 0),
	GUID_ROW(4, 0),
	GUID_ROW(5, 0),
	GUID_ROW(6, 0),
	GUID_ROW(7, 0),
};

const struct schema sa_guid_info_schema = MAD_SCHEMA("sa_guidinfo", guid_info_fields,
						     "a block of a port's GUID table");

#define RECORD(id_, word_, alias_, name_, schema_, bytes_)                                    \
	{                                                                                     \
		.mgmt_class = UMAD_CLASS_SUBN_ADM, .id = id_, .word = word_, .alias = alias_, \
		.name = name_, .schema = &schema_, .bytes = bytes_,                           \
	}

/* Table 192 (15.2.5); aliases as saquery(8) has them */
const struct mad_attribute sa_attributes[] = {
	RECORD(UMAD_SA_ATTR_NODE_REC, "nodes", "NR", "NodeRecord", sa_node_schema, 108),
	RECORD(UMAD_SA_ATTR_PORT_INFO_REC, "ports", "PIR", "PortInfoRecord", sa_port_info_schema,
	       68),
	RECORD(UMAD_SA_ATTR_PATH_REC, "path", "PR", "PathRecord", sa_path_schema, 64),
	RECORD(UMAD_SA_ATTR_MCMEMBER_REC, "multicast", "MCMR", "MCMemberRecord", sa_mcmember_schema,
	       52),
	RECORD(UMAD_SA_ATTR_LINK_REC, "links", "LR", "LinkRecord", sa_link_schema, 6),
	RECORD(UMAD_SA_ATTR_SM_INFO_REC, "sm", "SMIR", "SMInfoRecord", sa_sm_info_schema, 25),
	RECORD(UMAD_SA_ATTR_SWITCH_INFO_REC, "switches", "SWIR", "SwitchInfoRecord",
	       sa_switch_info_schema, 24),
	RECORD(UMAD_SA_ATTR_SERVICE_REC, "services", "SR", "ServiceRecord", sa_service_schema, 176),
	RECORD(UMAD_SA_ATTR_INFORM_INFO_REC, "inform", "IIR", "InformInfoRecord", sa_inform_schema,
	       60),
	RECORD(UMAD_SA_ATTR_GUID_INFO_REC, "guidinfo", "GIR", "GUIDInfoRecord", sa_guid_info_schema,
	       72),
	RECORD(UMAD_SA_ATTR_LINEAR_FT_REC, "lft", "LFTR", "LinearForwardingTableRecord",
	       sa_linear_forwarding_schema, 72),
	RECORD(UMAD_SA_ATTR_MCAST_FT_REC, "mft", "MFTR", "MulticastForwardingTableRecord",
	       sa_multicast_forwarding_schema, 72),
	RECORD(UMAD_SA_ATTR_PKEY_TABLE_REC, "pkeys", "PKTR", "P_KeyTableRecord",
	       sa_pkey_table_schema, 72),
	RECORD(UMAD_SA_ATTR_SLVL_REC, "sl2vl", "SL2VL", "SLtoVLMappingTableRecord", sa_sl2vl_schema,
	       16),
	RECORD(UMAD_SA_ATTR_VL_ARB_REC, "vlarb", "VLAR", "VLArbitrationTableRecord",
	       sa_vl_arbitration_schema, 72),
	RECORD(UMAD_ATTR_CLASS_PORT_INFO, "classportinfo", "CPI", "ClassPortInfo",
	       sa_class_port_info_schema, CLASS_PORT_INFO_BYTES),
	/* Not to be asked for: subscribing sets the one, reports bring the other. */
	RECORD(UMAD_ATTR_INFORM_INFO, NULL, NULL, "InformInfo", sa_inform_info_schema, 36),
	RECORD(UMAD_ATTR_NOTICE, NULL, NULL, "Notice", sa_notice_schema, 80),
	{.schema = NULL},
};
