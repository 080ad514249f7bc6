/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The rows of PortInfo (14.2.5.6), for the attribute of subnet management and for the record of
 * subnet administration: see sm_fields.h. Some fields are valid only if the port's capability masks
 * say so, and some are computed from several fields: a file that uses the rows defines their
 * functions by SM_PORT_INFO_GETTERS(), with the same `base` and a prefix for their names.
 */
#pragma once

#include "mad/format/sm_fields.h"

/*
 * All take the 64 bytes of a PortInfo. Its active speed is valid only with a link: without one
 * there is no speed and no rate.
 */
bool port_info_has_link(const unsigned char *info);
bool port_info_has_speeds_ext(const unsigned char *info);
bool port_info_has_cap_mask2(const unsigned char *info);
bool port_info_has_speeds_ext2(const unsigned char *info);
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
#define SM_PORT_INFO_STATE_ROWS(base, prefix_)                                                     \
	MAD_ENUM(MAD_AT((base) + 32, 4), 4, port_state_names, "state", "STATE", FIELD_DEFAULT,     \
		 "logical state", SA_COMPONENT(15)),                                               \
		MAD_ENUM(MAD_AT((base) + 33, 0), 4, physical_state_names, "physical_state",        \
			 "PHYSICAL", FIELD_DEFAULT, "physical state", SA_COMPONENT(16)),           \
		MAD_CODED(FIELD_UNSIGNED, MAD_AT((base) + 31, 0), 8, link_width_numbers,           \
			  "width_lanes", "LANES", FIELD_DEFAULT, "active width of the link",       \
			  SA_COMPONENT(13), .present = prefix_##_has_link),                        \
		COMPUTED_FIELD(FIELD_STRING, prefix_##_get_speed, "speed", "SPEED", FIELD_DEFAULT, \
			       0, "name of the active speed, from the newest field that has it"),  \
		COMPUTED_FIELD(FIELD_REAL, prefix_##_get_speed_gbps, "speed_gbps", "LANE Gb/s",    \
			       FIELD_RIGHT, 0, "signal rate of a lane, gigabits a second"),        \
		COMPUTED_FIELD(FIELD_REAL, prefix_##_get_rate, "rate_gbps", "RATE Gb/s",           \
			       FIELD_DEFAULT | FIELD_RIGHT, 0,                                     \
			       "rate of the link, gigabits a second"),                             \
		MAD_CODED(FIELD_UNSIGNED, MAD_AT((base) + 36, 0), 4, mtu_numbers,                  \
			  "neighbor_mtu_bytes", "MTU", FIELD_DEFAULT, "active MTU of the link",    \
			  SA_COMPONENT(23)),                                                       \
		MAD_CODED(FIELD_UNSIGNED, MAD_AT((base) + 41, 4), 4, mtu_numbers, "mtu_cap_bytes", \
			  "MAX MTU", 0, "maximum MTU of the port", SA_COMPONENT(31)),              \
		MAD_UNSIGNED(MAD_AT((base) + 16, 0), 16, "lid", "LID", FIELD_DEFAULT,              \
			     "base LID of the port", SA_COMPONENT(5)),                             \
		MAD_UNSIGNED(MAD_AT((base) + 34, 5), 3, "lmc", "LMC", FIELD_DEFAULT,               \
			     "LID mask control", SA_COMPONENT(20)),                                \
		MAD_UNSIGNED(MAD_AT((base) + 18, 0), 16, "sm_lid", "SM LID", FIELD_DEFAULT,        \
			     "LID of the subnet manager", SA_COMPONENT(6)),                        \
		MAD_UNSIGNED(MAD_AT((base) + 36, 4), 4, "sm_sl", "SM SL", 0,                       \
			     "service level of the subnet manager", SA_COMPONENT(24)),             \
		MAD_GUID(MAD_AT((base) + 8, 0), "subnet_prefix", "SUBNET PREFIX", 0,               \
			 "high half of the port's GIDs", SA_COMPONENT(4)),                         \
		MAD_HEX(MAD_AT((base) + 20, 0), 32, "cap_mask", "CAP MASK", 0, "capability mask",  \
			SA_COMPONENT(7)),                                                          \
		MAD_FLAGS(MAD_AT((base) + 20, 0), 32, port_cap_names, "capabilities",              \
			  "CAPABILITIES", 0, "capability mask in words", SA_COMPONENT(7)),         \
		MAD_HEX(MAD_AT((base) + 60, 0), 16, "cap_mask2", "CAP MASK 2", 0,                  \
			"second capability mask", SA_COMPONENT(53),                                \
			.present = prefix_##_has_cap2),                                            \
		MAD_FLAGS(MAD_AT((base) + 60, 0), 16, port_cap2_names, "capabilities2",            \
			  "CAPABILITIES 2", 0, "second capability mask in words",                  \
			  SA_COMPONENT(53), .present = prefix_##_has_cap2),                        \
		MAD_HEX(MAD_AT((base) + 24, 0), 16, "diag_code", "DIAG CODE", 0,                   \
			"vendor's code of a fault", SA_COMPONENT(8)),                              \
		MAD_UNSIGNED(MAD_AT((base) + 28, 0), 8, "local_port", "LOCAL PORT", 0,             \
			     "port that the request came in by", SA_COMPONENT(10))

/* Width and speed of the link, and the supported ones. */
#define SM_PORT_INFO_LINK_ROWS(base, prefix_)                                                     \
	MAD_FLAGS(MAD_AT((base) + 30, 0), 8, link_width_names, "width_supported",                 \
		  "WIDTH SUPPORTED", 0, "link widths that the port can have", SA_COMPONENT(12)),  \
		MAD_FLAGS(MAD_AT((base) + 29, 0), 8, link_width_names, "width_enabled",           \
			  "WIDTH ENABLED", 0, "link widths that are enabled", SA_COMPONENT(11)),  \
		MAD_FLAGS(MAD_AT((base) + 32, 0), 4, link_speed_names, "speed_supported",         \
			  "SPEED SUPPORTED", 0, "speeds that the port can have",                  \
			  SA_COMPONENT(14)),                                                      \
		MAD_FLAGS(MAD_AT((base) + 35, 4), 4, link_speed_names, "speed_enabled",           \
			  "SPEED ENABLED", 0, "speeds that are enabled", SA_COMPONENT(22)),       \
		MAD_ENUM(MAD_AT((base) + 35, 0), 4, link_speed_names, "speed_active",             \
			 "SPEED ACTIVE", 0, "active speed, unless an extended one is",            \
			 SA_COMPONENT(21)),                                                       \
		MAD_FLAGS(MAD_AT((base) + 62, 4), 4, link_speed_ext_bit_names,                    \
			  "speed_ext_supported", "EXT SUPPORTED", 0,                              \
			  "extended speeds that the port can have", SA_COMPONENT(55),             \
			  .present = prefix_##_has_ext),                                          \
		COMPUTED_FIELD(FIELD_LIST, prefix_##_get_ext_enabled, "speed_ext_enabled",        \
			       "EXT ENABLED", 0, 0, "extended speeds that are enabled"),          \
		MAD_HEX(MAD_AT((base) + 63, 3), 5, "speed_ext_enabled_mask", "EXT ENABLED MASK",  \
			0, "extended speeds that are enabled, 0x1e for none", SA_COMPONENT(57),   \
			.present = prefix_##_has_ext),                                            \
		MAD_ENUM(MAD_AT((base) + 62, 0), 4, link_speed_ext_names, "speed_ext_active",     \
			 "EXT ACTIVE", 0, "active extended speed", SA_COMPONENT(54),              \
			 .present = prefix_##_has_ext),                                           \
		MAD_FLAGS(MAD_AT((base) + 56, 3), 2, link_speed_ext2_bit_names,                   \
			  "speed_ext2_supported", "EXT 2 SUPPORTED", 0,                           \
			  "extended speeds, second field, that the port can have",                \
			  .present = prefix_##_has_ext2),                                         \
		MAD_FLAGS(MAD_AT((base) + 56, 5), 3, link_speed_ext2_bit_names,                   \
			  "speed_ext2_enabled", "EXT 2 ENABLED", 0,                               \
			  "extended speeds, second field, that are enabled",                      \
			  .present = prefix_##_has_ext2),                                         \
		MAD_ENUM(MAD_AT((base) + 56, 1), 2, link_speed_ext2_names, "speed_ext2_active",   \
			 "EXT 2 ACTIVE", 0, "active extended speed, second field",                \
			 .present = prefix_##_has_ext2),                                          \
		MAD_ENUM(MAD_AT((base) + 33, 4), 4, down_default_names, "down_default_state",     \
			 "DOWN DEFAULT", 0,                                                       \
			 "physical state that the link goes to when it is lost",                  \
			 SA_COMPONENT(17)),                                                       \
		MAD_UNSIGNED(MAD_AT((base) + 53, 0), 4, "local_phy_errors", "PHY ERRORS", 0,      \
			     "threshold of errors of the link", SA_COMPONENT(48)),                \
		MAD_UNSIGNED(MAD_AT((base) + 53, 4), 4, "overrun_errors", "OVERRUN ERRORS", 0,    \
			     "threshold of overruns of the buffer", SA_COMPONENT(49)),            \
		MAD_UNSIGNED(MAD_AT((base) + 54, 0), 16, "max_credit_hint", "CREDIT HINT", 0,     \
			     "hint of the most credits", SA_COMPONENT(50)),                       \
		MAD_UNSIGNED(MAD_AT((base) + 57, 0), 24, "link_round_trip_latency", "ROUND TRIP", \
			     0, "round trip of the link, in units of 4 ns", SA_COMPONENT(52))

/* Virtual lanes, times and enforcement. */
#define SM_PORT_INFO_LANE_ROWS(base)                                                               \
	MAD_CODED(FIELD_UNSIGNED, MAD_AT((base) + 37, 0), 4, vl_numbers, "vls_supported", "VLS",   \
		  0, "data VLs that the port has", SA_COMPONENT(25)),                              \
		MAD_CODED(FIELD_UNSIGNED, MAD_AT((base) + 43, 0), 4, vl_numbers,                   \
			  "vls_operational", "VLS USED", 0, "data VLs that are in use",            \
			  SA_COMPONENT(34)),                                                       \
		MAD_UNSIGNED(MAD_AT((base) + 38, 0), 8, "vl_high_limit", "HIGH LIMIT", 0,          \
			     "limit of high priority packets, in units of 4096 bytes",             \
			     SA_COMPONENT(27)),                                                    \
		MAD_UNSIGNED(MAD_AT((base) + 39, 0), 8, "vl_arbitration_high_cap", "VLARB HIGH",   \
			     0, "entries of the VL arbitration table of high priority",            \
			     SA_COMPONENT(28)),                                                    \
		MAD_UNSIGNED(MAD_AT((base) + 40, 0), 8, "vl_arbitration_low_cap", "VLARB LOW", 0,  \
			     "entries of the VL arbitration table of low priority",                \
			     SA_COMPONENT(29)),                                                    \
		MAD_FLAGS(MAD_AT((base) + 37, 4), 4, init_type_names, "init_type", "INIT TYPE", 0, \
			  "initialization that the port requests", SA_COMPONENT(26)),              \
		MAD_FLAGS(MAD_AT((base) + 41, 0), 4, init_reply_names, "init_type_reply",          \
			  "INIT REPLY", 0, "initialization that was done", SA_COMPONENT(30)),      \
		MAD_UNSIGNED(MAD_AT((base) + 42, 0), 3, "vl_stall_count", "VL STALL", 0,           \
			     "packets dropped in a row that stall a VL", SA_COMPONENT(32)),        \
		MAD_UNSIGNED(MAD_AT((base) + 42, 3), 5, "hoq_life_code", "HOQ LIFE", 0,            \
			     "longest stay at the head of a queue, 4.096 us * 2 ^ code; from 20: " \
			     "no end",                                                             \
			     SA_COMPONENT(33)),                                                    \
		MAD_CODED(FIELD_REAL, MAD_AT((base) + 51, 3), 5, time_usec_numbers,                \
			  "subnet_timeout_usec", "SUBNET TIMEOUT us", 0,                           \
			  "longest time that a datagram spends in the subnet", SA_COMPONENT(45)),  \
		MAD_CODED(FIELD_REAL, MAD_AT((base) + 52, 3), 5, time_usec_numbers,                \
			  "response_time_usec", "RESPONSE us", 0,                                  \
			  "longest time that the port takes to answer", SA_COMPONENT(47)),         \
		MAD_BOOL(MAD_AT((base) + 43, 4), 1, "partition_enforcement_in", "ENFORCE IN", 0,   \
			 "whether partitions are enforced on packets coming in",                   \
			 SA_COMPONENT(35)),                                                        \
		MAD_BOOL(MAD_AT((base) + 43, 5), 1, "partition_enforcement_out", "ENFORCE OUT", 0, \
			 "whether partitions are enforced on packets going out",                   \
			 SA_COMPONENT(36)),                                                        \
		MAD_BOOL(MAD_AT((base) + 43, 6), 1, "filter_raw_in", "RAW IN", 0,                  \
			 "whether raw packets coming in are dropped", SA_COMPONENT(37)),           \
		MAD_BOOL(MAD_AT((base) + 43, 7), 1, "filter_raw_out", "RAW OUT", 0,                \
			 "whether raw packets going out are dropped", SA_COMPONENT(38))

/* Keys and counts of violations. */
#define SM_PORT_INFO_KEY_ROWS(base)                                                                \
	MAD_HEX(MAD_AT((base), 0), 64, "mkey", "M_KEY", FIELD_SECRET, "management key",            \
		SA_COMPONENT(3)),                                                                  \
		MAD_UNSIGNED(MAD_AT((base) + 26, 0), 16, "mkey_lease_period_sec", "M_KEY LEASE",   \
			     0, "lease of the management key, in seconds", SA_COMPONENT(9)),       \
		MAD_UNSIGNED(MAD_AT((base) + 34, 0), 2, "mkey_protect", "M_KEY PROTECT", 0,        \
			     "what the management key protects", SA_COMPONENT(18)),                \
		MAD_UNSIGNED(MAD_AT((base) + 44, 0), 16, "mkey_violations", "M_KEY VIOLATIONS", 0, \
			     "datagrams with a wrong management key", SA_COMPONENT(39)),           \
		MAD_UNSIGNED(MAD_AT((base) + 46, 0), 16, "pkey_violations", "P_KEY VIOLATIONS", 0, \
			     "packets with a wrong partition key", SA_COMPONENT(40)),              \
		MAD_UNSIGNED(MAD_AT((base) + 48, 0), 16, "qkey_violations", "Q_KEY VIOLATIONS", 0, \
			     "packets with a wrong queue key", SA_COMPONENT(41)),                  \
		MAD_UNSIGNED(MAD_AT((base) + 50, 0), 8, "guid_table_length", "GUIDS", 0,           \
			     "slots of the GUID table", SA_COMPONENT(42)),                         \
		MAD_BOOL(MAD_AT((base) + 51, 0), 1, "client_reregister", "REREGISTER", 0,          \
			 "whether clients have to register again", SA_COMPONENT(43)),              \
		MAD_UNSIGNED(MAD_AT((base) + 51, 1), 2, "multicast_pkey_trap_suppression",         \
			     "TRAP SUPPRESSION", 0,                                                \
			     "whether traps of wrong multicast partition keys are suppressed",     \
			     SA_COMPONENT(44))

#define SM_PORT_INFO_ROWS(base, prefix_)                                               \
	SM_PORT_INFO_STATE_ROWS(base, prefix_), SM_PORT_INFO_LINK_ROWS(base, prefix_), \
		SM_PORT_INFO_LANE_ROWS(base), SM_PORT_INFO_KEY_ROWS(base)
