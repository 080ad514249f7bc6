/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For the files with field tables: one row describes one field, and begins with its place, the byte
 * and the bit in mad_record.data (bit 0 is the highest one of a byte), and its width in bits. The
 * arguments after `help_` are further members of struct field, such as .present = f.
 *
 * Then the rows of those subnet management attributes that SA records also contain, so that both
 * share one decoder. `base` is the byte where the attribute begins: 0 in an SMP, after the record's
 * identifier in an SA record. SA() numbers are those of the SA record (15.2.5) and unused in subnet
 * management. Layouts: 14.2.5. FIELD_FIXED: RO in the tables of 14.2.5.3, 14.2.5.4 and 14.2.5.6;
 * any other field may be written.
 */
#pragma once

#include "mad/format/attribute.h"
#include "mad/format/codes.h"

#define SHOW FIELD_DEFAULT

#define ROW(kind_, byte_, bit_, width_, key_, heading_, flags_, help_, ...)                   \
	{                                                                                     \
		PACKED_ROW(struct mad_record, data, kind_, MAD_AT(byte_, bit_), width_, key_, \
			   heading_, flags_, help_),                                          \
			##__VA_ARGS__                                                         \
	}
#define NUM(byte_, bit_, width_, key_, heading_, flags_, ...)                            \
	ROW(FIELD_UNSIGNED, byte_, bit_, width_, key_, heading_, (flags_) | FIELD_RIGHT, \
	    __VA_ARGS__)
#define HEX(byte_, bit_, width_, key_, heading_, flags_, ...)                    \
	ROW(FIELD_HEX, byte_, bit_, width_, key_, heading_, flags_, __VA_ARGS__, \
	    .digits = ((width_) + 3) / 4)
#define BOOL(byte_, bit_, ...)	 ROW(FIELD_BOOL, byte_, bit_, 1, __VA_ARGS__)
#define GUID(byte_, ...)	 ROW(FIELD_GUID, byte_, 0, 64, __VA_ARGS__)
#define GID(byte_, ...)		 ROW(FIELD_GID, byte_, 0, 128, __VA_ARGS__)
#define TEXT(byte_, bytes_, ...) ROW(FIELD_STRING, byte_, 0, (bytes_)*8, __VA_ARGS__)
/* A code with a word, and bits with a word each. */
#define WORD(byte_, bit_, width_, names_, ...) \
	ROW(FIELD_ENUM, byte_, bit_, width_, __VA_ARGS__, .names = names_)
#define FLAGS(byte_, bit_, width_, names_, ...) \
	ROW(FIELD_FLAGS, byte_, bit_, width_, __VA_ARGS__, .names = names_)
/* A code that represents a number: the words of `names_` are those numbers. */
#define CODE(byte_, bit_, width_, names_, key_, heading_, flags_, ...) \
	NUM(byte_, bit_, width_, key_, heading_, flags_, __VA_ARGS__, .names = names_)
#define REAL(byte_, bit_, width_, names_, key_, heading_, flags_, ...)                            \
	ROW(FIELD_REAL, byte_, bit_, width_, key_, heading_, (flags_) | FIELD_RIGHT, __VA_ARGS__, \
	    .names = names_)

/*
 * Rows of attributes that only the decoder of datagrams shows, by their keys: no table or help has
 * them.
 */
#define PLAIN_ROW(kind_, byte_, bit_, width_, key_, ...) \
	ROW(kind_, byte_, bit_, width_, key_, "", 0, "", ##__VA_ARGS__)
#define PLAIN_NUM(...) PLAIN_ROW(FIELD_UNSIGNED, __VA_ARGS__)
#define PLAIN_HEX(byte_, bit_, width_, ...) \
	PLAIN_ROW(FIELD_HEX, byte_, bit_, width_, __VA_ARGS__, .digits = ((width_) + 3) / 4)
#define PLAIN_BOOL(byte_, bit_, key_) PLAIN_ROW(FIELD_BOOL, byte_, bit_, 1, key_)
#define PLAIN_GUID(byte_, key_)	      PLAIN_ROW(FIELD_GUID, byte_, 0, 64, key_)
#define PLAIN_GID(byte_, key_)	      PLAIN_ROW(FIELD_GID, byte_, 0, 128, key_)
#define PLAIN_WORD(byte_, bit_, width_, names_, key_) \
	PLAIN_ROW(FIELD_ENUM, byte_, bit_, width_, key_, .names = names_)
#define PLAIN_FLAGS(byte_, bit_, width_, names_, key_) \
	PLAIN_ROW(FIELD_FLAGS, byte_, bit_, width_, key_, .names = names_)
#define PLAIN_CODE(byte_, bit_, width_, names_, key_) \
	PLAIN_NUM(byte_, bit_, width_, key_, .names = names_)
#define PLAIN_REAL(byte_, bit_, width_, names_, key_) \
	PLAIN_ROW(FIELD_REAL, byte_, bit_, width_, key_, .names = names_)
#define PLAIN_COMPUTED(kind_, get_, key_) COMPUTED_FIELD(kind_, get_, key_, "", 0, 0, "")
#define PLAIN_SCHEMA(name_, fields_)	  MAD_SCHEMA(name_, fields_, "")

/*
 * The components of an SA record that make up a field, by their numbers in the record's table
 * (15.2.5): a query by this field sets them in the ComponentMask. A field without components cannot
 * be searched by.
 */
#define SA(number_)		       .tag = (number_) + 1
#define SA_COMPONENTS(number_, count_) .tag = ((number_) + 1) | ((count_)-1) << 8

/* Rows that differ in a number. */
#define EIGHT(ROW)   ROW(0), ROW(1), ROW(2), ROW(3), ROW(4), ROW(5), ROW(6), ROW(7)
#define FIFTEEN(ROW) EIGHT(ROW), ROW(8), ROW(9), ROW(10), ROW(11), ROW(12), ROW(13), ROW(14)
#define SIXTEEN(ROW) FIFTEEN(ROW), ROW(15)

/* An attribute whose data are one record, by the address of its schema. */
#define ATTRIBUTE_OF(class_, id_, word_, alias_, name_, bytes_, schema_, ...)                   \
	{                                                                                       \
		.mgmt_class = class_, .id = id_, .word = word_, .alias = alias_, .name = name_, \
		.schema = schema_, .bytes = bytes_, ##__VA_ARGS__                               \
	}
/* An attribute whose schema is defined here. */
#define ATTRIBUTE(class_, id_, word_, alias_, name_, bytes_, schema_, fields_, summary_, ...) \
	ATTRIBUTE_OF(class_, id_, word_, alias_, name_, bytes_,                               \
		     &(const struct schema)MAD_SCHEMA(schema_, fields_, summary_), ##__VA_ARGS__)

/* Every class but subnet management has one, with its own capability bits: 13.4.8.1. */
#define CLASS_PORT_INFO(class_, alias_, schema_)                                                  \
	ATTRIBUTE_OF(class_, UMAD_ATTR_CLASS_PORT_INFO, "classportinfo", alias_, "ClassPortInfo", \
		     CLASS_PORT_INFO_BYTES, schema_)

static inline const unsigned char *mad_data(const void *record)
{
	return ((const struct mad_record *)record)->data;
}

/* Formats bytes as hexadecimal digits: at most 255, which a value has room for. */
void mad_get_hex(const unsigned char *bytes, size_t length, struct value *value);
/* The getters of SM_NOTICE_ROWS. */
void sm_get_trap(const void *record, struct value *value);
void sm_get_notice_details(const void *record, struct value *value);

/* NodeInfo, 14.2.5.3 */
#define SM_NODE_INFO_ROWS(base)                                                                    \
	WORD(base + 2, 0, 8, node_type_names, "node_type", "TYPE", SHOW | FIELD_FIXED,             \
	     "type of the node", SA(4)),                                                           \
		NUM(base + 3, 0, 8, "port_count", "PORTS", SHOW | FIELD_FIXED,                     \
		    "physical ports of the node", SA(5)),                                          \
		GUID(base + 12, "node_guid", "NODE GUID", SHOW | FIELD_FIXED, "GUID of the node",  \
		     SA(7)),                                                                       \
		GUID(base + 20, "port_guid", "PORT GUID", FIELD_FIXED, "GUID of the queried port", \
		     SA(8)),                                                                       \
		GUID(base + 4, "system_image_guid", "SYSTEM GUID", FIELD_FIXED,                    \
		     "GUID that the nodes of a system share", SA(6)),                              \
		NUM(base + 36, 0, 8, "local_port", "LOCAL PORT", SHOW | FIELD_FIXED,               \
		    "port that the request came in through", SA(12)),                              \
		HEX(base + 37, 0, 24, "vendor_id", "VENDOR", FIELD_FIXED,                          \
		    "vendor of the device, an IEEE OUI", SA(13)),                                  \
		HEX(base + 30, 0, 16, "device_id", "DEVICE ID", FIELD_FIXED,                       \
		    "vendor's number for the device", SA(10)),                                     \
		HEX(base + 32, 0, 32, "revision", "REVISION", FIELD_FIXED,                         \
		    "revision of the device", SA(11)),                                             \
		NUM(base + 28, 0, 16, "pkey_table_length", "PKEYS", FIELD_FIXED,                   \
		    "slots of the P_Key table", SA(9)),                                            \
		NUM(base, 0, 8, "base_version", "BASE VERSION", FIELD_FIXED,                       \
		    "version of the datagram format", SA(2)),                                      \
		NUM(base + 1, 0, 8, "class_version", "CLASS VERSION", FIELD_FIXED,                 \
		    "version of the management class", SA(3))

/* SwitchInfo, 14.2.5.4 */
#define SM_SWITCH_INFO_ROWS(base)                                                                  \
	NUM(base, 0, 16, "linear_fdb_cap", "LFT CAP", FIELD_FIXED,                                 \
	    "entries that the linear forwarding table has room for"),                              \
		NUM(base + 6, 0, 16, "linear_fdb_top", "LFT TOP", SHOW,                            \
		    "highest LID in use in the linear forwarding table"),                          \
		NUM(base + 2, 0, 16, "random_fdb_cap", "RFT CAP", FIELD_FIXED,                     \
		    "entries that the random forwarding table has room for"),                      \
		NUM(base + 4, 0, 16, "multicast_fdb_cap", "MFT CAP", SHOW | FIELD_FIXED,           \
		    "entries that the multicast forwarding table has room for"),                   \
		HEX(base + 18, 0, 16, "multicast_fdb_top", "MFT TOP", SHOW,                        \
		    "highest multicast LID in use"),                                               \
		NUM(base + 8, 0, 8, "default_port", "DEFAULT PORT", 0,                             \
		    "port of LIDs outside the random forwarding table"),                           \
		NUM(base + 9, 0, 8, "default_multicast_primary_port", "MC PRIMARY", 0,             \
		    "default port of multicast packets"),                                          \
		NUM(base + 10, 0, 8, "default_multicast_other_port", "MC OTHER", 0,                \
		    "port for multicast packets that came in through the default one"),            \
		NUM(base + 11, 0, 5, "life_time_code", "LIFE TIME", 0,                             \
		    "longest stay of a packet, 4.096 us times 2 to this power, "                   \
		    "above 19: no limit"),                                                         \
		BOOL(base + 11, 5, "port_state_change", "CHANGE", SHOW,                            \
		     "whether a port's state changed since it was cleared"),                       \
		WORD(base + 11, 6, 2, optimized_sl2vl_names, "optimized_sl2vl", "OPTIMIZED SL2VL", \
		     0, "ports that one SL to VL mapping may be set for"),                         \
		NUM(base + 12, 0, 16, "lids_per_port", "LIDS PER PORT", FIELD_FIXED,               \
		    "LIDs that a port's random forwarding may have"),                              \
		NUM(base + 14, 0, 16, "partition_enforcement_cap", "PKEYS", FIELD_FIXED,           \
		    "P_Keys that a port can enforce"),                                             \
		BOOL(base + 16, 0, "partition_enforcement_in", "ENFORCE IN", FIELD_FIXED,          \
		     "whether partitions can be enforced on packets coming in"),                   \
		BOOL(base + 16, 1, "partition_enforcement_out", "ENFORCE OUT", FIELD_FIXED,        \
		     "whether partitions can be enforced on packets going out"),                   \
		BOOL(base + 16, 2, "filter_raw_in", "RAW IN", FIELD_FIXED,                         \
		     "whether raw packets coming in can be filtered"),                             \
		BOOL(base + 16, 3, "filter_raw_out", "RAW OUT", FIELD_FIXED,                       \
		     "whether raw packets going out can be filtered"),                             \
		BOOL(base + 16, 4, "enhanced_port0", "ENHANCED PORT 0", SHOW | FIELD_FIXED,        \
		     "whether port 0 is an enhanced one")

/* SMInfo, 14.2.5.13 */
#define SM_INFO_ROWS(base)                                                    \
	GUID(base, "port_guid", "PORT GUID", SHOW,                            \
	     "GUID of the port that the subnet manager is at", SA(2)),        \
		WORD(base + 20, 4, 4, sm_state_names, "state", "STATE", SHOW, \
		     "state of the subnet manager", SA(6)),                   \
		NUM(base + 20, 0, 4, "priority", "PRIORITY", SHOW,            \
		    "priority of the subnet manager", SA(5)),                 \
		NUM(base + 16, 0, 32, "activity_count", "ACTIVITY", SHOW,     \
		    "counts up while the subnet manager is alive", SA(4)),    \
		HEX(base + 8, 0, 64, "sm_key", "SM_KEY", FIELD_SECRET,        \
		    "key of the subnet manager", SA(3))

/* Notice, 13.4.8.2 */
#define SM_NOTICE_ROWS                                                                             \
	BOOL(0, 0, "generic", "GENERIC", SHOW,                                                     \
	     "whether the specification, not a vendor, defines it"),                               \
		WORD(0, 1, 7, notice_type_names, "type", "TYPE", SHOW, "its severity"),            \
		NUM(4, 0, 16, "trap_number", "TRAP", SHOW,                                         \
		    "number of the trap, or the vendor's number for the device"),                  \
		COMPUTED_FIELD(FIELD_STRING, sm_get_trap, "trap", "MEANS", SHOW, 0,                \
			       "meaning of a generic trap"),                                       \
		NUM(1, 0, 24, "producer", "PRODUCER", 0,                                           \
		    "type of the node that produced it, or the vendor"),                           \
		NUM(6, 0, 16, "issuer_lid", "ISSUER LID", SHOW, "LID of the port that issued it"), \
		BOOL(8, 0, "toggle", "TOGGLE", 0, "changes when a notice is cleared"),             \
		NUM(8, 1, 15, "count", "COUNT", SHOW, "notices that are queued"),                  \
		COMPUTED_FIELD(FIELD_STRING, sm_get_notice_details, "details", "DETAILS", 0, 0,    \
			       "the 54 bytes of details, in hexadecimal")

/* SLtoVLMappingTable, 14.2.5.8: half a byte for each SL */
#define SM_SL2VL_BYTES 8
#define SM_SL2VL_ROW(base, sl_)                                 \
	NUM(base, (sl_)*4, 4, "sl" #sl_ "_vl", "SL" #sl_, SHOW, \
	    "VL of packets of service level " #sl_)

/*
 * The rows of PortInfo (14.2.5.6). Some fields are valid only if the port's capability masks say
 * so, and some are computed from several fields: a file that uses the rows defines their functions
 * by SM_PORT_INFO_GETTERS(), with the same `base` and a prefix for their names.
 */

/* All take the 64 bytes of a PortInfo. */
void port_info_get_speed(const unsigned char *info, struct value *value);      /* EDR */
void port_info_get_speed_gbps(const unsigned char *info, struct value *value); /* 25.78125 */
void port_info_get_rate(const unsigned char *info, struct value *value);       /* 100 */
void port_info_get_speed_ext_enabled(const unsigned char *info, struct value *value);

#define SM_PORT_INFO_TEST(name_, function_, base_)            \
	static bool name_(const void *record)                 \
	{                                                     \
		return function_(mad_data(record) + (base_)); \
	}
#define SM_PORT_INFO_GETTER(name_, function_, base_)               \
	static void name_(const void *record, struct value *value) \
	{                                                          \
		function_(mad_data(record) + (base_), value);      \
	}
#define SM_PORT_INFO_GETTERS(prefix_, base_)                                           \
	SM_PORT_INFO_TEST(prefix_##_has_link, port_info_has_link, base_)               \
	SM_PORT_INFO_TEST(prefix_##_has_ext, port_info_has_speeds_ext, base_)          \
	SM_PORT_INFO_TEST(prefix_##_has_cap2, port_info_has_cap_mask2, base_)          \
	SM_PORT_INFO_TEST(prefix_##_has_ext2, port_info_has_speeds_ext2, base_)        \
	SM_PORT_INFO_GETTER(prefix_##_get_speed, port_info_get_speed, base_)           \
	SM_PORT_INFO_GETTER(prefix_##_get_speed_gbps, port_info_get_speed_gbps, base_) \
	SM_PORT_INFO_GETTER(prefix_##_get_rate, port_info_get_rate, base_)             \
	SM_PORT_INFO_GETTER(prefix_##_get_ext_enabled, port_info_get_speed_ext_enabled, base_)

/* State and addresses: the first columns of a table. */
#define SM_PORT_INFO_STATE_ROWS(base, prefix_)                                                    \
	WORD(base + 32, 4, 4, port_state_names, "state", "STATE", SHOW, "logical state", SA(15)), \
		WORD(base + 33, 0, 4, physical_state_names, "physical_state", "PHYSICAL", SHOW,   \
		     "physical state", SA(16)),                                                   \
		CODE(base + 31, 0, 8, link_width_numbers, "width_lanes", "LANES",                 \
		     SHOW | FIELD_FIXED, "active width of the link", SA(13),                      \
		     .present = prefix_##_has_link),                                              \
		COMPUTED_FIELD(FIELD_STRING, prefix_##_get_speed, "speed", "SPEED", SHOW, 0,      \
			       "name of the active speed, from the newest field that has it"),    \
		COMPUTED_FIELD(FIELD_REAL, prefix_##_get_speed_gbps, "speed_gbps", "LANE Gb/s",   \
			       FIELD_RIGHT, 0, "signal rate of a lane in gigabits per second"),   \
		COMPUTED_FIELD(FIELD_REAL, prefix_##_get_rate, "rate_gbps", "RATE Gb/s",          \
			       SHOW | FIELD_RIGHT, 0, "rate of the link in gigabits per second"), \
		CODE(base + 36, 0, 4, mtu_numbers, "neighbor_mtu_bytes", "MTU", SHOW,             \
		     "active MTU of the link", SA(23)),                                           \
		CODE(base + 41, 4, 4, mtu_numbers, "mtu_cap_bytes", "MAX MTU", FIELD_FIXED,       \
		     "maximum MTU of the port", SA(31)),                                          \
		NUM(base + 16, 0, 16, "lid", "LID", SHOW, "base LID of the port", SA(5)),         \
		NUM(base + 34, 5, 3, "lmc", "LMC", SHOW, "LID mask control", SA(20)),             \
		NUM(base + 18, 0, 16, "sm_lid", "SM LID", SHOW, "LID of the subnet manager",      \
		    SA(6)),                                                                       \
		NUM(base + 36, 4, 4, "sm_sl", "SM SL", 0, "service level of the subnet manager",  \
		    SA(24)),                                                                      \
		GUID(base + 8, "subnet_prefix", "SUBNET PREFIX", 0,                               \
		     "high half of the port's GIDs", SA(4)),                                      \
		HEX(base + 20, 0, 32, "cap_mask", "CAP MASK", FIELD_FIXED, "capability mask",     \
		    SA(7)),                                                                       \
		FLAGS(base + 20, 0, 32, port_cap_names, "capabilities", "CAPABILITIES",           \
		      FIELD_FIXED, "capability mask in words", SA(7)),                            \
		HEX(base + 60, 0, 16, "cap_mask2", "CAP MASK 2", FIELD_FIXED,                     \
		    "second capability mask", SA(53), .present = prefix_##_has_cap2),             \
		FLAGS(base + 60, 0, 16, port_cap2_names, "capabilities2", "CAPABILITIES 2",       \
		      FIELD_FIXED, "second capability mask in words", SA(53),                     \
		      .present = prefix_##_has_cap2),                                             \
		HEX(base + 24, 0, 16, "diag_code", "DIAG CODE", FIELD_FIXED,                      \
		    "vendor's code of a fault", SA(8)),                                           \
		NUM(base + 28, 0, 8, "local_port", "LOCAL PORT", FIELD_FIXED,                     \
		    "port that the request came in through", SA(10))

/* Width and speed of the link, and the supported ones. */
#define SM_PORT_INFO_LINK_ROWS(base, prefix_)                                                      \
	FLAGS(base + 30, 0, 8, link_width_names, "width_supported", "WIDTH SUPPORTED",             \
	      FIELD_FIXED, "link widths that the port supports", SA(12)),                          \
		FLAGS(base + 29, 0, 8, link_width_names, "width_enabled", "WIDTH ENABLED", 0,      \
		      "link widths that are enabled", SA(11)),                                     \
		FLAGS(base + 32, 0, 4, link_speed_names, "speed_supported", "SPEED SUPPORTED",     \
		      FIELD_FIXED, "speeds that the port supports", SA(14)),                       \
		FLAGS(base + 35, 4, 4, link_speed_names, "speed_enabled", "SPEED ENABLED", 0,      \
		      "speeds that are enabled", SA(22)),                                          \
		WORD(base + 35, 0, 4, link_speed_names, "speed_active", "SPEED ACTIVE",            \
		     FIELD_FIXED, "active speed, unless an extended one is", SA(21)),              \
		FLAGS(base + 62, 4, 4, link_speed_ext_bit_names, "speed_ext_supported",            \
		      "EXT SUPPORTED", FIELD_FIXED, "extended speeds that the port supports",      \
		      SA(55), .present = prefix_##_has_ext),                                       \
		FLAGS(base + 63, 3, 5, link_speed_ext_bit_names, "speed_ext_enabled",              \
		      "EXT ENABLED", 0, "extended speeds that are enabled",                        \
		      .get = prefix_##_get_ext_enabled),                                           \
		HEX(base + 63, 3, 5, "speed_ext_enabled_mask", "EXT ENABLED MASK", 0,              \
		    "extended speeds that are enabled, 0x1e for none", SA(57),                     \
		    .present = prefix_##_has_ext),                                                 \
		WORD(base + 62, 0, 4, link_speed_ext_names, "speed_ext_active", "EXT ACTIVE",      \
		     FIELD_FIXED, "active extended speed", SA(54), .present = prefix_##_has_ext),  \
		FLAGS(base + 56, 3, 2, link_speed_ext2_bit_names, "speed_ext2_supported",          \
		      "EXT 2 SUPPORTED", FIELD_FIXED,                                              \
		      "extended speeds, second field, that the port supports",                     \
		      .present = prefix_##_has_ext2),                                              \
		FLAGS(base + 56, 5, 3, link_speed_ext2_bit_names, "speed_ext2_enabled",            \
		      "EXT 2 ENABLED", 0, "extended speeds, second field, that are enabled",       \
		      .present = prefix_##_has_ext2),                                              \
		WORD(base + 56, 1, 2, link_speed_ext2_names, "speed_ext2_active", "EXT 2 ACTIVE",  \
		     FIELD_FIXED, "active extended speed, second field",                           \
		     .present = prefix_##_has_ext2),                                               \
		WORD(base + 33, 4, 4, down_default_names, "down_default_state", "DOWN DEFAULT", 0, \
		     "physical state that the link goes to when it is lost", SA(17)),              \
		NUM(base + 53, 0, 4, "local_phy_errors", "PHY ERRORS", 0,                          \
		    "threshold of errors of the link", SA(48)),                                    \
		NUM(base + 53, 4, 4, "overrun_errors", "OVERRUN ERRORS", 0,                        \
		    "threshold of overruns of the buffer", SA(49)),                                \
		NUM(base + 54, 0, 16, "max_credit_hint", "CREDIT HINT", FIELD_FIXED,               \
		    "hint of the maximum number of credits", SA(50)),                              \
		NUM(base + 57, 0, 24, "link_round_trip_latency", "ROUND TRIP", 0,                  \
		    "round trip of the link, in units of 4 ns", SA(52))

/* Virtual lanes, times and enforcement. */
#define SM_PORT_INFO_LANE_ROWS(base)                                                               \
	CODE(base + 37, 0, 4, vl_numbers, "vls_supported", "VLS", FIELD_FIXED,                     \
	     "data VLs that the port has", SA(25)),                                                \
		CODE(base + 43, 0, 4, vl_numbers, "vls_operational", "VLS USED", 0,                \
		     "data VLs that are in use", SA(34)),                                          \
		NUM(base + 38, 0, 8, "vl_high_limit", "HIGH LIMIT", 0,                             \
		    "limit of high priority packets, in units of 4096 bytes", SA(27)),             \
		NUM(base + 39, 0, 8, "vl_arbitration_high_cap", "VLARB HIGH", FIELD_FIXED,         \
		    "entries of the VL arbitration table of high priority", SA(28)),               \
		NUM(base + 40, 0, 8, "vl_arbitration_low_cap", "VLARB LOW", FIELD_FIXED,           \
		    "entries of the VL arbitration table of low priority", SA(29)),                \
		FLAGS(base + 37, 4, 4, init_type_names, "init_type", "INIT TYPE", FIELD_FIXED,     \
		      "initialization that the port requests", SA(26)),                            \
		FLAGS(base + 41, 0, 4, init_reply_names, "init_type_reply", "INIT REPLY", 0,       \
		      "initialization that was done", SA(30)),                                     \
		NUM(base + 42, 0, 3, "vl_stall_count", "VL STALL", 0,                              \
		    "packets dropped in a row that stall a VL", SA(32)),                           \
		NUM(base + 42, 3, 5, "hoq_life_code", "HOQ LIFE", 0,                               \
		    "longest stay at the head of a queue, 4.096 us * 2 ^ code; from 20: no limit", \
		    SA(33)),                                                                       \
		REAL(base + 51, 3, 5, time_usec_numbers, "subnet_timeout_usec",                    \
		     "SUBNET TIMEOUT us", 0, "longest time that a datagram spends in the subnet",  \
		     SA(45)),                                                                      \
		REAL(base + 52, 3, 5, time_usec_numbers, "response_time_usec", "RESPONSE us",      \
		     FIELD_FIXED, "longest time that the port takes to answer", SA(47)),           \
		BOOL(base + 43, 4, "partition_enforcement_in", "ENFORCE IN", 0,                    \
		     "whether partitions are enforced on packets coming in", SA(35)),              \
		BOOL(base + 43, 5, "partition_enforcement_out", "ENFORCE OUT", 0,                  \
		     "whether partitions are enforced on packets going out", SA(36)),              \
		BOOL(base + 43, 6, "filter_raw_in", "RAW IN", 0,                                   \
		     "whether raw packets coming in are dropped", SA(37)),                         \
		BOOL(base + 43, 7, "filter_raw_out", "RAW OUT", 0,                                 \
		     "whether raw packets going out are dropped", SA(38))

/* Keys and counts of violations. */
#define SM_PORT_INFO_KEY_ROWS(base)                                                            \
	HEX(base, 0, 64, "mkey", "M_KEY", FIELD_SECRET, "management key", SA(3)),              \
		NUM(base + 26, 0, 16, "mkey_lease_period_sec", "M_KEY LEASE", 0,               \
		    "lease of the management key, in seconds", SA(9)),                         \
		NUM(base + 34, 0, 2, "mkey_protect", "M_KEY PROTECT", 0,                       \
		    "what the management key protects", SA(18)),                               \
		NUM(base + 44, 0, 16, "mkey_violations", "M_KEY VIOLATIONS", 0,                \
		    "datagrams with a wrong management key", SA(39)),                          \
		NUM(base + 46, 0, 16, "pkey_violations", "P_KEY VIOLATIONS", 0,                \
		    "packets with a wrong partition key", SA(40)),                             \
		NUM(base + 48, 0, 16, "qkey_violations", "Q_KEY VIOLATIONS", 0,                \
		    "packets with a wrong queue key", SA(41)),                                 \
		NUM(base + 50, 0, 8, "guid_table_length", "GUIDS", FIELD_FIXED,                \
		    "slots of the GUID table", SA(42)),                                        \
		BOOL(base + 51, 0, "client_reregister", "REREGISTER", 0,                       \
		     "whether clients have to register again", SA(43)),                        \
		NUM(base + 51, 1, 2, "multicast_pkey_trap_suppression", "TRAP SUPPRESSION", 0, \
		    "whether traps of wrong multicast partition keys are suppressed", SA(44))

#define SM_PORT_INFO_ROWS(base, prefix_)                                               \
	SM_PORT_INFO_STATE_ROWS(base, prefix_), SM_PORT_INFO_LINK_ROWS(base, prefix_), \
		SM_PORT_INFO_LANE_ROWS(base), SM_PORT_INFO_KEY_ROWS(base)
