/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The records of subnet administration (15.2.5). The SA answers for other nodes, so no record shows
 * a destination. Component numbers are those of rdma-core's umad_sa_mcm.h, the kernel's
 * include/rdma/ib_sa.h and opensm; a field whose number none of them has cannot be searched by.
 */
#include <stdarg.h>
#include <stdio.h>

#include "base/mem.h"
#include "mad/format/mad_names.h"
#include "mad/format/sm_port_info.h"
#include "schema/bits.h"

/* The offset of subnet management attributes, after the identifiers of their records. */
enum { EMBEDDED = 4 };

static void get_trap(const void *record, struct value *value)
{
	sm_get_trap(mad_data(record), value);
}

static void get_notice_details(const void *record, struct value *value)
{
	sm_get_hex(mad_data(record) + 10, 54, value);
}

/* 15.2.5.2; the description follows NodeInfo */
static const struct field node_fields[] = {
	MAD_UNSIGNED(MAD_AT(0, 0), 16, "lid", "LID", FIELD_DEFAULT, "LID of the port",
		     SA_COMPONENT(0)),
	MAD_TEXT(MAD_AT(EMBEDDED + NODE_INFO_BYTES, 0), 64 * 8, "node_description", "DESCRIPTION",
		 FIELD_DEFAULT, "description set by the node's owner", SA_COMPONENT(14)),
	SM_NODE_INFO_ROWS(EMBEDDED),
};

static const struct schema sa_node_schema = MAD_SCHEMA(
	"sa_nodes", node_fields, "a node, at one of its ports, as the SA knows it");

SM_PORT_INFO_GETTERS(embedded, EMBEDDED)

/* 15.2.5.3 */
static const struct field port_info_fields[] = {
	MAD_UNSIGNED(MAD_AT(0, 0), 16, "endport_lid", "AT LID", FIELD_DEFAULT,
		     "LID of the port, of port 0 at a switch", SA_COMPONENT(0)),
	MAD_UNSIGNED(MAD_AT(2, 0), 8, "port", "PORT", FIELD_DEFAULT, "number of the port",
		     SA_COMPONENT(1)),
	MAD_HEX(MAD_AT(3, 0), 8, "options", "OPTIONS", 0, "which form of PortInfo it holds",
		SA_COMPONENT(2)),
	SM_PORT_INFO_ROWS(EMBEDDED, embedded),
};

static const struct schema sa_port_info_schema = MAD_SCHEMA("sa_ports", port_info_fields,
							    "a port as the SA knows it");

/* 15.2.5.5 */
static const struct field switch_info_fields[] = {
	MAD_UNSIGNED(MAD_AT(0, 0), 16, "lid", "LID", FIELD_DEFAULT, "LID of the switch",
		     SA_COMPONENT(0)),
	SM_SWITCH_INFO_ROWS(EMBEDDED),
};

static const struct schema sa_switch_info_schema = MAD_SCHEMA("sa_switches", switch_info_fields,
							      "a switch as the SA knows it");

/* 15.2.5.10 */
static const struct field sm_info_fields[] = {
	MAD_UNSIGNED(MAD_AT(0, 0), 16, "lid", "LID", FIELD_DEFAULT,
		     "LID of the port that the subnet manager is at", SA_COMPONENT(0)),
	SM_INFO_ROWS(EMBEDDED),
};

static const struct schema sa_sm_info_schema = MAD_SCHEMA("sa_sm", sm_info_fields,
							  "a subnet manager as the SA knows it");

/* 15.2.5.13 */
static const struct field link_fields[] = {
	MAD_UNSIGNED(MAD_AT(0, 0), 16, "from_lid", "FROM LID", FIELD_DEFAULT,
		     "LID of the near end, of port 0 at a switch", SA_COMPONENT(0)),
	MAD_UNSIGNED(MAD_AT(2, 0), 8, "from_port", "FROM PORT", FIELD_DEFAULT,
		     "port of the near end", SA_COMPONENT(1)),
	MAD_UNSIGNED(MAD_AT(4, 0), 16, "to_lid", "TO LID", FIELD_DEFAULT,
		     "LID of the far end, of port 0 at a switch", SA_COMPONENT(3)),
	MAD_UNSIGNED(MAD_AT(3, 0), 8, "to_port", "TO PORT", FIELD_DEFAULT, "port of the far end",
		     SA_COMPONENT(2)),
};

static const struct schema sa_link_schema = MAD_SCHEMA("sa_links", link_fields,
						       "a link, from one end");

/* 13.4.8.2, with the issuer, which reports include */
static const struct field notice_fields[] = {
	SM_NOTICE_ROWS(get_trap, get_notice_details),
	MAD_GID(MAD_AT(64, 0), "issuer_gid", "ISSUER GID", 0, "GID of the port that issued it"),
};

static const struct schema sa_notice_schema = MAD_SCHEMA("sa_notice", notice_fields,
							 "a notice that the SA reports");

/* 15.2.5.16; the service identifier counts as two components, one for each half */
static const struct field path_fields[] = {
	MAD_UNSIGNED(MAD_AT(42, 0), 16, "slid", "SLID", FIELD_DEFAULT, "source LID",
		     SA_COMPONENT(5)),
	MAD_UNSIGNED(MAD_AT(40, 0), 16, "dlid", "DLID", FIELD_DEFAULT, "destination LID",
		     SA_COMPONENT(4)),
	MAD_GID(MAD_AT(24, 0), "sgid", "SGID", 0, "source GID", SA_COMPONENT(3)),
	MAD_GID(MAD_AT(8, 0), "dgid", "DGID", FIELD_DEFAULT, "destination GID", SA_COMPONENT(2)),
	MAD_HEX(MAD_AT(0, 0), 64, "service_id", "SERVICE ID", 0, "identifier of the service",
		SA_COMPONENTS(0, 2)),
	MAD_HEX(MAD_AT(50, 0), 16, "pkey", "P_KEY", FIELD_DEFAULT, "partition key",
		SA_COMPONENT(13)),
	MAD_UNSIGNED(MAD_AT(52, 12), 4, "sl", "SL", FIELD_DEFAULT, "service level",
		     SA_COMPONENT(15)),
	MAD_CODED(FIELD_UNSIGNED, MAD_AT(54, 2), 6, mtu_numbers, "mtu_bytes", "MTU", FIELD_DEFAULT,
		  "MTU of the path", SA_COMPONENT(17)),
	MAD_ENUM(MAD_AT(54, 0), 2, selector_names, "mtu_selector", "MTU SELECTOR", 0,
		 "how the MTU was requested", SA_COMPONENT(16)),
	MAD_CODED(FIELD_REAL, MAD_AT(55, 2), 6, rate_numbers, "rate_gbps", "RATE Gb/s",
		  FIELD_DEFAULT, "rate of the path, gigabits a second", SA_COMPONENT(19)),
	MAD_ENUM(MAD_AT(55, 0), 2, selector_names, "rate_selector", "RATE SELECTOR", 0,
		 "how the rate was requested", SA_COMPONENT(18)),
	MAD_CODED(FIELD_REAL, MAD_AT(56, 2), 6, time_usec_numbers, "packet_lifetime_usec",
		  "LIFETIME us", FIELD_DEFAULT, "longest time that a packet is on the way",
		  SA_COMPONENT(21)),
	MAD_ENUM(MAD_AT(56, 0), 2, lifetime_selector_names, "packet_lifetime_selector",
		 "LIFETIME SELECTOR", 0, "how the lifetime was requested", SA_COMPONENT(20)),
	MAD_UNSIGNED(MAD_AT(57, 0), 8, "preference", "PREFERENCE", 0,
		     "rank among the paths, 0 is the best", SA_COMPONENT(22)),
	MAD_BOOL(MAD_AT(49, 0), 1, "reversible", "REVERSIBLE", 0, "whether the path is reversible",
		 SA_COMPONENT(11)),
	MAD_UNSIGNED(MAD_AT(49, 1), 7, "numb_path", "PATHS", 0,
		     "maximum number of paths requested for a pair of ports", SA_COMPONENT(12)),
	MAD_UNSIGNED(MAD_AT(44, 24), 8, "hop_limit", "HOP LIMIT", 0, "hop limit of the GRH",
		     SA_COMPONENT(9)),
	MAD_HEX(MAD_AT(44, 4), 20, "flow_label", "FLOW LABEL", 0, "flow label of the GRH",
		SA_COMPONENT(8)),
	MAD_UNSIGNED(MAD_AT(48, 0), 8, "tclass", "TCLASS", 0, "traffic class of the GRH",
		     SA_COMPONENT(10)),
	MAD_UNSIGNED(MAD_AT(52, 0), 12, "qos_class", "QOS CLASS", 0, "class of quality of service",
		     SA_COMPONENT(14)),
	MAD_BOOL(MAD_AT(44, 0), 1, "raw_traffic", "RAW", 0, "whether it is for raw packets",
		 SA_COMPONENT(6)),
};

static const struct schema sa_path_schema = MAD_SCHEMA("sa_path", path_fields,
						       "a path between two ports");

/* 15.2.5.17 */
static const struct field mcmember_fields[] = {
	MAD_GID(MAD_AT(0, 0), "mgid", "MGID", FIELD_DEFAULT, "GID of the multicast group",
		SA_COMPONENT(0)),
	MAD_GID(MAD_AT(16, 0), "port_gid", "PORT GID", 0, "GID of the member's port",
		SA_COMPONENT(1)),
	MAD_HEX(MAD_AT(36, 0), 16, "mlid", "MLID", FIELD_DEFAULT, "LID of the multicast group",
		SA_COMPONENT(3)),
	MAD_HEX(MAD_AT(32, 0), 32, "qkey", "Q_KEY", FIELD_DEFAULT, "queue key of the group",
		SA_COMPONENT(2)),
	MAD_HEX(MAD_AT(40, 0), 16, "pkey", "P_KEY", FIELD_DEFAULT, "partition key",
		SA_COMPONENT(7)),
	MAD_CODED(FIELD_UNSIGNED, MAD_AT(38, 2), 6, mtu_numbers, "mtu_bytes", "MTU", FIELD_DEFAULT,
		  "MTU of the group", SA_COMPONENT(5)),
	MAD_ENUM(MAD_AT(38, 0), 2, selector_names, "mtu_selector", "MTU SELECTOR", 0,
		 "how the MTU was requested", SA_COMPONENT(4)),
	MAD_CODED(FIELD_REAL, MAD_AT(42, 2), 6, rate_numbers, "rate_gbps", "RATE Gb/s",
		  FIELD_DEFAULT, "rate of the group, gigabits a second", SA_COMPONENT(9)),
	MAD_ENUM(MAD_AT(42, 0), 2, selector_names, "rate_selector", "RATE SELECTOR", 0,
		 "how the rate was requested", SA_COMPONENT(8)),
	MAD_CODED(FIELD_REAL, MAD_AT(43, 2), 6, time_usec_numbers, "packet_lifetime_usec",
		  "LIFETIME us", 0, "longest time that a packet is on the way", SA_COMPONENT(11)),
	MAD_ENUM(MAD_AT(43, 0), 2, lifetime_selector_names, "packet_lifetime_selector",
		 "LIFETIME SELECTOR", 0, "how the lifetime was requested", SA_COMPONENT(10)),
	MAD_UNSIGNED(MAD_AT(44, 0), 4, "sl", "SL", FIELD_DEFAULT, "service level",
		     SA_COMPONENT(12)),
	MAD_HEX(MAD_AT(44, 4), 20, "flow_label", "FLOW LABEL", 0, "flow label of the GRH",
		SA_COMPONENT(13)),
	MAD_UNSIGNED(MAD_AT(44, 24), 8, "hop_limit", "HOP LIMIT", 0, "hop limit of the GRH",
		     SA_COMPONENT(14)),
	MAD_UNSIGNED(MAD_AT(39, 0), 8, "tclass", "TCLASS", 0, "traffic class of the GRH",
		     SA_COMPONENT(6)),
	MAD_ENUM(MAD_AT(48, 0), 4, scope_names, "scope", "SCOPE", 0, "scope of the group",
		 SA_COMPONENT(15)),
	MAD_FLAGS(MAD_AT(48, 4), 4, join_state_names, "join_state", "JOIN STATE", FIELD_DEFAULT,
		  "how the port is a member", SA_COMPONENT(16)),
	MAD_BOOL(MAD_AT(49, 0), 1, "proxy_join", "PROXY", 0, "whether another port made it join",
		 SA_COMPONENT(17)),
};

static const struct schema sa_mcmember_schema = MAD_SCHEMA("sa_multicast", mcmember_fields,
							   "a multicast group, or a member of it");

/* The name of a generic trap, for subscriptions; 0xffff is all traps. */
static void get_trap_name(const unsigned char *info, struct value *value)
{
	uint64_t trap = bits_get(info, MAD_AT(26, 0), 16);

	if (info[22] & 1)
		value_set_string(value, trap == 0xffff ? "all" : enum_word(trap_names, trap, NULL));
}

/* InformInfo, 13.4.8.3; component numbers of the record */
#define INFORM_ROWS(base, trap_)                                                                   \
	MAD_BOOL(MAD_AT((base) + 22, 7), 1, "generic", "GENERIC", 0,                               \
		 "whether the specification defines the trap, and not a vendor", SA_COMPONENT(7)), \
		MAD_UNSIGNED(MAD_AT((base) + 26, 0), 16, "trap_number", "TRAP", FIELD_DEFAULT,     \
			     "number of the trap, or the vendor's number of the device",           \
			     SA_COMPONENT(10)),                                                    \
		COMPUTED_FIELD(FIELD_STRING, trap_, "trap", "MEANS", FIELD_DEFAULT, 0,             \
			       "meaning of a generic trap"),                                       \
		MAD_HEX(MAD_AT((base) + 24, 0), 16, "type", "TYPE", 0,                             \
			"type of the notices, 0xffff for all", SA_COMPONENT(9)),                   \
		MAD_UNSIGNED(MAD_AT((base) + 28, 0), 24, "qp", "QP", FIELD_DEFAULT,                \
			     "queue pair that the reports go to", SA_COMPONENT(11)),               \
		MAD_GID(MAD_AT((base), 0), "gid", "GID", 0,                                        \
			"GID of the port that the notices are about, 0 for any", SA_COMPONENT(3)), \
		MAD_UNSIGNED(MAD_AT((base) + 16, 0), 16, "lid_range_begin", "FIRST LID", 0,        \
			     "first LID that the notices are about, 65535 for any",                \
			     SA_COMPONENT(4)),                                                     \
		MAD_UNSIGNED(MAD_AT((base) + 18, 0), 16, "lid_range_end", "LAST LID", 0,           \
			     "last LID that the notices are about", SA_COMPONENT(5)),              \
		MAD_BOOL(MAD_AT((base) + 23, 7), 1, "subscribe", "SUBSCRIBE", 0,                   \
			 "whether reports are wanted", SA_COMPONENT(8)),                           \
		MAD_CODED(FIELD_REAL, MAD_AT((base) + 31, 3), 5, time_usec_numbers,                \
			  "response_time_usec", "RESPONSE us", 0,                                  \
			  "longest time that the subscriber takes to answer", SA_COMPONENT(13)),   \
		MAD_UNSIGNED(MAD_AT((base) + 33, 0), 24, "producer", "PRODUCER", 0,                \
			     "type of the node that produces it, or the vendor", SA_COMPONENT(15))

static void get_inform_info_trap(const void *record, struct value *value)
{
	get_trap_name(((const struct mad_record *)record)->data, value);
}

static const struct field inform_info_fields[] = {INFORM_ROWS(0, get_inform_info_trap)};

static const struct schema sa_inform_info_schema = MAD_SCHEMA(
	"sa_informinfo", inform_info_fields, "the notices that a subscriber requests");

enum { INFORM_INFO = 24 }; /* its offset in the record, 15.2.5.12 */

static void get_inform_trap(const void *record, struct value *value)
{
	get_trap_name(((const struct mad_record *)record)->data + INFORM_INFO, value);
}

static const struct field inform_fields[] = {
	MAD_GID(MAD_AT(0, 0), "subscriber_gid", "SUBSCRIBER GID", FIELD_DEFAULT,
		"GID of the subscriber's port", SA_COMPONENT(0)),
	MAD_UNSIGNED(MAD_AT(16, 0), 16, "subscriber_enum", "NUMBER", FIELD_DEFAULT,
		     "number among the subscriptions of the port", SA_COMPONENT(1)),
	INFORM_ROWS(INFORM_INFO, get_inform_trap),
};

static const struct schema sa_inform_schema = MAD_SCHEMA("sa_inform", inform_fields,
							 "a subscription to notices");

/* The data of a service, as numbers of four sizes; each number is a separate component. */
#define DATA_ROW(byte_, width_, key_, number_, component_)                      \
	MAD_HEX(MAD_AT(byte_, 0), width_, "data" #key_ "_" #number_,            \
		"DATA" #key_ "[" #number_ "]", 0,                               \
		"data of the service, number " #number_ " of " #width_ " bits", \
		SA_COMPONENT(component_))
#define DATA8(number_)	DATA_ROW(112 + (number_), 8, 8, number_, 7 + (number_))
#define DATA16(number_) DATA_ROW(128 + (number_)*2, 16, 16, number_, 23 + (number_))
#define DATA32(number_) DATA_ROW(144 + (number_)*4, 32, 32, number_, 31 + (number_))
#define DATA64(number_) DATA_ROW(160 + (number_)*8, 64, 64, number_, 35 + (number_))

/* 15.2.5.14 */
static const struct field service_fields[] = {
	MAD_TEXT(MAD_AT(48, 0), 64 * 8, "name", "NAME", FIELD_DEFAULT, "name of the service",
		 SA_COMPONENT(6)),
	MAD_HEX(MAD_AT(0, 0), 64, "service_id", "SERVICE ID", FIELD_DEFAULT,
		"identifier of the service", SA_COMPONENT(0)),
	MAD_GID(MAD_AT(8, 0), "gid", "GID", FIELD_DEFAULT, "GID of the port that offers it",
		SA_COMPONENT(1)),
	MAD_HEX(MAD_AT(24, 0), 16, "pkey", "P_KEY", FIELD_DEFAULT, "partition key",
		SA_COMPONENT(2)),
	MAD_UNSIGNED(MAD_AT(28, 0), 32, "lease_sec", "LEASE s", 0,
		     "seconds that the record is kept, 4294967295 for unlimited", SA_COMPONENT(4)),
	MAD_GID(MAD_AT(32, 0), "key", "KEY", FIELD_SECRET, "key of the record, as eight groups",
		SA_COMPONENT(5)),
	DATA8(0),
	DATA8(1),
	DATA8(2),
	DATA8(3),
	DATA8(4),
	DATA8(5),
	DATA8(6),
	DATA8(7),
	DATA8(8),
	DATA8(9),
	DATA8(10),
	DATA8(11),
	DATA8(12),
	DATA8(13),
	DATA8(14),
	DATA8(15),
	DATA16(0),
	DATA16(1),
	DATA16(2),
	DATA16(3),
	DATA16(4),
	DATA16(5),
	DATA16(6),
	DATA16(7),
	DATA32(0),
	DATA32(1),
	DATA32(2),
	DATA32(3),
	DATA64(0),
	DATA64(1),
};

static const struct schema sa_service_schema = MAD_SCHEMA("sa_services", service_fields,
							  "a service that a port offers");

enum { TABLE_AT = 8 }; /* offset of the table in records that hold a block of one */

/* A list that is written to the value's scratch buffer, word by word. */
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

/* The number of entries, out of `count`, without the `empty` ones at the end. */
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

static const struct schema sa_linear_forwarding_schema = MAD_SCHEMA(
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

static const struct schema sa_multicast_forwarding_schema = MAD_SCHEMA(
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

static const struct schema sa_pkey_table_schema = MAD_SCHEMA("sa_pkeys", pkey_table_fields,
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

static const struct schema sa_sl2vl_schema = MAD_SCHEMA("sa_sl2vl", sl2vl_fields,
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

static const struct schema sa_vl_arbitration_schema = MAD_SCHEMA(
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

static const struct schema sa_guid_info_schema = MAD_SCHEMA("sa_guidinfo", guid_info_fields,
							    "a block of a port's GUID table");

#define RECORD(id_, word_, alias_, name_, schema_, bytes_)                                    \
	{                                                                                     \
		.mgmt_class = UMAD_CLASS_SUBN_ADM, .id = id_, .word = word_, .alias = alias_, \
		.name = name_, .schema = &schema_, .bytes = bytes_,                           \
	}

/* Table 192 (15.2.5); the aliases are those of saquery(8) */
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
	/* Not for queries: subscribing sets InformInfo, and reports contain Notice. */
	RECORD(UMAD_ATTR_INFORM_INFO, NULL, NULL, "InformInfo", sa_inform_info_schema, 36),
	RECORD(UMAD_ATTR_NOTICE, NULL, NULL, "Notice", sa_notice_schema, 80),
	{.schema = NULL},
};
