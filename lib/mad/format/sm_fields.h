/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The rows of those subnet management attributes that SA records also contain, so that both share
 * one decoder. `base` is the byte where the attribute begins in mad_record.data: 0 in an SMP, after
 * the record's identifier in an SA record. SA_COMPONENT() numbers are those of the SA record
 * (15.2.5) and unused in subnet management. Layouts: 14.2.5.
 */
#pragma once

#include "mad/format/attribute.h"
#include "mad/format/mad_names.h"
#include "mad/format/codes.h"

static inline const unsigned char *mad_data(const void *record)
{
	return ((const struct mad_record *)record)->data;
}

extern const struct schema sm_port_info_schema;
extern const struct schema sm_port_info_extended_schema;
extern const struct schema sm_mellanox_port_info_schema;
extern const struct schema sm_node_description_schema;
extern const struct schema sm_node_info_schema;
extern const struct schema sm_switch_info_schema;
extern const struct schema sm_info_schema;
extern const struct schema sm_notice_schema;
extern const struct schema sm_led_info_schema;
extern const struct schema sm_cable_info_schema;
extern const struct schema sm_guid_info_schema;
extern const struct schema sm_pkey_table_schema;
extern const struct schema sm_sl2vl_schema;
extern const struct schema sm_vl_arbitration_schema;
extern const struct schema sm_linear_forwarding_schema;
extern const struct schema sm_multicast_forwarding_schema;

/* Formats bytes as hexadecimal digits, at most 128 of them. */
void sm_get_hex(const unsigned char *bytes, size_t length, struct value *value);
void sm_get_trap(const unsigned char *notice, struct value *value);

/* NodeInfo, 14.2.5.3 */
#define SM_NODE_INFO_ROWS(base)                                                                    \
	MAD_ENUM(MAD_AT((base) + 2, 0), 8, node_type_names, "node_type", "TYPE", FIELD_DEFAULT,    \
		 "type of the node", SA_COMPONENT(4)),                                             \
		MAD_UNSIGNED(MAD_AT((base) + 3, 0), 8, "port_count", "PORTS", FIELD_DEFAULT,       \
			     "physical ports of the node", SA_COMPONENT(5)),                       \
		MAD_GUID(MAD_AT((base) + 12, 0), "node_guid", "NODE GUID", FIELD_DEFAULT,          \
			 "GUID of the node", SA_COMPONENT(7)),                                     \
		MAD_GUID(MAD_AT((base) + 20, 0), "port_guid", "PORT GUID", 0,                      \
			 "GUID of the queried port", SA_COMPONENT(8)),                             \
		MAD_GUID(MAD_AT((base) + 4, 0), "system_image_guid", "SYSTEM GUID", 0,             \
			 "GUID that the nodes of a system share", SA_COMPONENT(6)),                \
		MAD_UNSIGNED(MAD_AT((base) + 36, 0), 8, "local_port", "LOCAL PORT", FIELD_DEFAULT, \
			     "port that the request came in by", SA_COMPONENT(12)),                \
		MAD_HEX(MAD_AT((base) + 37, 0), 24, "vendor_id", "VENDOR", 0,                      \
			"vendor of the device, an IEEE OUI", SA_COMPONENT(13)),                    \
		MAD_HEX(MAD_AT((base) + 30, 0), 16, "device_id", "DEVICE ID", 0,                   \
			"vendor's number of the device", SA_COMPONENT(10)),                        \
		MAD_HEX(MAD_AT((base) + 32, 0), 32, "revision", "REVISION", 0,                     \
			"revision of the device", SA_COMPONENT(11)),                               \
		MAD_UNSIGNED(MAD_AT((base) + 28, 0), 16, "pkey_table_length", "PKEYS", 0,          \
			     "slots of the P_Key table", SA_COMPONENT(9)),                         \
		MAD_UNSIGNED(MAD_AT((base), 0), 8, "base_version", "BASE VERSION", 0,              \
			     "version of the datagram format", SA_COMPONENT(2)),                   \
		MAD_UNSIGNED(MAD_AT((base) + 1, 0), 8, "class_version", "CLASS VERSION", 0,        \
			     "version of the management class", SA_COMPONENT(3))

/* SwitchInfo, 14.2.5.4 */
#define SM_SWITCH_INFO_ROWS(base)                                                                  \
	MAD_UNSIGNED(MAD_AT((base), 0), 16, "linear_fdb_cap", "LFT CAP", 0,                        \
		     "entries that the linear forwarding table has room for"),                     \
		MAD_UNSIGNED(MAD_AT((base) + 6, 0), 16, "linear_fdb_top", "LFT TOP",               \
			     FIELD_DEFAULT, "highest LID in use of the linear forwarding table"),  \
		MAD_UNSIGNED(MAD_AT((base) + 2, 0), 16, "random_fdb_cap", "RFT CAP", 0,            \
			     "entries that the random forwarding table has room for"),             \
		MAD_UNSIGNED(MAD_AT((base) + 4, 0), 16, "multicast_fdb_cap", "MFT CAP",            \
			     FIELD_DEFAULT,                                                        \
			     "entries that the multicast forwarding table has room for"),          \
		MAD_HEX(MAD_AT((base) + 18, 0), 16, "multicast_fdb_top", "MFT TOP", FIELD_DEFAULT, \
			"highest multicast LID in use"),                                           \
		MAD_UNSIGNED(MAD_AT((base) + 8, 0), 8, "default_port", "DEFAULT PORT", 0,          \
			     "port of LIDs outside the random forwarding table"),                  \
		MAD_UNSIGNED(MAD_AT((base) + 9, 0), 8, "default_multicast_primary_port",           \
			     "MC PRIMARY", 0, "default port of multicast packets"),                \
		MAD_UNSIGNED(MAD_AT((base) + 10, 0), 8, "default_multicast_other_port",            \
			     "MC OTHER", 0,                                                        \
			     "port of multicast packets that came in by the default one"),         \
		MAD_UNSIGNED(MAD_AT((base) + 11, 0), 5, "life_time_code", "LIFE TIME", 0,          \
			     "longest stay of a packet, 4.096 us times 2 to this power, "          \
			     "above 19 without limit"),                                            \
		MAD_BOOL(MAD_AT((base) + 11, 5), 1, "port_state_change", "CHANGE", FIELD_DEFAULT,  \
			 "whether a port's state changed since it was cleared"),                   \
		MAD_ENUM(MAD_AT((base) + 11, 6), 2, optimized_sl2vl_names, "optimized_sl2vl",      \
			 "OPTIMIZED SL2VL", 0, "ports that one SL to VL mapping may be set for"),  \
		MAD_UNSIGNED(MAD_AT((base) + 12, 0), 16, "lids_per_port", "LIDS PER PORT", 0,      \
			     "LIDs that a port's random forwarding may have"),                     \
		MAD_UNSIGNED(MAD_AT((base) + 14, 0), 16, "partition_enforcement_cap", "PKEYS", 0,  \
			     "P_Keys that a port can enforce"),                                    \
		MAD_BOOL(MAD_AT((base) + 16, 0), 1, "partition_enforcement_in", "ENFORCE IN", 0,   \
			 "whether partitions can be enforced on packets coming in"),               \
		MAD_BOOL(MAD_AT((base) + 16, 1), 1, "partition_enforcement_out", "ENFORCE OUT", 0, \
			 "whether partitions can be enforced on packets going out"),               \
		MAD_BOOL(MAD_AT((base) + 16, 2), 1, "filter_raw_in", "RAW IN", 0,                  \
			 "whether raw packets coming in can be filtered"),                         \
		MAD_BOOL(MAD_AT((base) + 16, 3), 1, "filter_raw_out", "RAW OUT", 0,                \
			 "whether raw packets going out can be filtered"),                         \
		MAD_BOOL(MAD_AT((base) + 16, 4), 1, "enhanced_port0", "ENHANCED PORT 0",           \
			 FIELD_DEFAULT, "whether port 0 is an enhanced one")

/* SMInfo, 14.2.5.13 */
#define SM_INFO_BYTES 21
#define SM_INFO_ROWS(base)                                                                     \
	MAD_GUID(MAD_AT((base), 0), "port_guid", "PORT GUID", FIELD_DEFAULT,                   \
		 "GUID of the port that the subnet manager is at", SA_COMPONENT(2)),           \
		MAD_ENUM(MAD_AT((base) + 20, 4), 4, sm_state_names, "state", "STATE",          \
			 FIELD_DEFAULT, "state of the subnet manager", SA_COMPONENT(6)),       \
		MAD_UNSIGNED(MAD_AT((base) + 20, 0), 4, "priority", "PRIORITY", FIELD_DEFAULT, \
			     "priority of the subnet manager", SA_COMPONENT(5)),               \
		MAD_UNSIGNED(MAD_AT((base) + 16, 0), 32, "activity_count", "ACTIVITY",         \
			     FIELD_DEFAULT, "counts up while the subnet manager is alive",     \
			     SA_COMPONENT(4)),                                                 \
		MAD_HEX(MAD_AT((base) + 8, 0), 64, "sm_key", "SM_KEY", FIELD_SECRET,           \
			"key of the subnet manager", SA_COMPONENT(3))

/* Notice, 13.4.8.2; `trap_` is a getter */
#define SM_NOTICE_ROWS(trap_, details_)                                                     \
	MAD_BOOL(MAD_AT(0, 0), 1, "generic", "GENERIC", FIELD_DEFAULT,                      \
		 "whether the specification defines it, and not a vendor"),                 \
		MAD_ENUM(MAD_AT(0, 1), 7, notice_type_names, "type", "TYPE", FIELD_DEFAULT, \
			 "its severity"),                                                   \
		MAD_UNSIGNED(MAD_AT(4, 0), 16, "trap_number", "TRAP", FIELD_DEFAULT,        \
			     "number of the trap, or the vendor's number of the device"),   \
		COMPUTED_FIELD(FIELD_STRING, trap_, "trap", "MEANS", FIELD_DEFAULT, 0,      \
			       "meaning of a generic trap"),                                \
		MAD_UNSIGNED(MAD_AT(1, 0), 24, "producer", "PRODUCER", 0,                   \
			     "type of the node that produced it, or the vendor"),           \
		MAD_UNSIGNED(MAD_AT(6, 0), 16, "issuer_lid", "ISSUER LID", FIELD_DEFAULT,   \
			     "LID of the port that issued it"),                             \
		MAD_BOOL(MAD_AT(8, 0), 1, "toggle", "TOGGLE", 0,                            \
			 "changes when a notice is cleared"),                               \
		MAD_UNSIGNED(MAD_AT(8, 1), 15, "count", "COUNT", FIELD_DEFAULT,             \
			     "notices that are queued"),                                    \
		COMPUTED_FIELD(FIELD_STRING, details_, "details", "DETAILS", 0, 0,          \
			       "the 54 bytes of details, in hexadecimal")

/* SLtoVLMappingTable, 14.2.5.8: half a byte for each SL */
#define SM_SL2VL_BYTES 8
#define SM_SL2VL_ROW(base, sl_)                                                             \
	MAD_UNSIGNED(MAD_AT((base), (sl_)*4), 4, "sl" #sl_ "_vl", "SL" #sl_, FIELD_DEFAULT, \
		     "VL of packets of service level " #sl_)
#define SM_SL2VL_ROWS(base)                                                             \
	SM_SL2VL_ROW(base, 0), SM_SL2VL_ROW(base, 1), SM_SL2VL_ROW(base, 2),            \
		SM_SL2VL_ROW(base, 3), SM_SL2VL_ROW(base, 4), SM_SL2VL_ROW(base, 5),    \
		SM_SL2VL_ROW(base, 6), SM_SL2VL_ROW(base, 7), SM_SL2VL_ROW(base, 8),    \
		SM_SL2VL_ROW(base, 9), SM_SL2VL_ROW(base, 10), SM_SL2VL_ROW(base, 11),  \
		SM_SL2VL_ROW(base, 12), SM_SL2VL_ROW(base, 13), SM_SL2VL_ROW(base, 14), \
		SM_SL2VL_ROW(base, 15)
