/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/mem.h"
#include "mad/format/mad_names.h"
#include "mad/format/sa_fields.h"
#include "schema/bits.h"

/* 15.2.5.16; the identifier of the service counts as two components, one for each half */
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
		 "how the MTU was asked for", SA_COMPONENT(16)),
	MAD_CODED(FIELD_REAL, MAD_AT(55, 2), 6, rate_numbers, "rate_gbps", "RATE Gb/s",
		  FIELD_DEFAULT, "rate of the path, gigabits a second", SA_COMPONENT(19)),
	MAD_ENUM(MAD_AT(55, 0), 2, selector_names, "rate_selector", "RATE SELECTOR", 0,
		 "how the rate was asked for", SA_COMPONENT(18)),
	MAD_CODED(FIELD_REAL, MAD_AT(56, 2), 6, time_usec_numbers, "packet_lifetime_usec",
		  "LIFETIME us", FIELD_DEFAULT, "longest time that a packet is on the way",
		  SA_COMPONENT(21)),
	MAD_ENUM(MAD_AT(56, 0), 2, lifetime_selector_names, "packet_lifetime_selector",
		 "LIFETIME SELECTOR", 0, "how the lifetime was asked for", SA_COMPONENT(20)),
	MAD_UNSIGNED(MAD_AT(57, 0), 8, "preference", "PREFERENCE", 0,
		     "rank among the paths, 0 is the best", SA_COMPONENT(22)),
	MAD_BOOL(MAD_AT(49, 0), 1, "reversible", "REVERSIBLE", 0,
		 "whether the way back is the same", SA_COMPONENT(11)),
	MAD_UNSIGNED(MAD_AT(49, 1), 7, "numb_path", "PATHS", 0,
		     "most paths of a pair of ports that are asked for", SA_COMPONENT(12)),
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

const struct schema sa_path_schema = MAD_SCHEMA("sa_path", path_fields, "a path between two ports");

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
		 "how the MTU was asked for", SA_COMPONENT(4)),
	MAD_CODED(FIELD_REAL, MAD_AT(42, 2), 6, rate_numbers, "rate_gbps", "RATE Gb/s",
		  FIELD_DEFAULT, "rate of the group, gigabits a second", SA_COMPONENT(9)),
	MAD_ENUM(MAD_AT(42, 0), 2, selector_names, "rate_selector", "RATE SELECTOR", 0,
		 "how the rate was asked for", SA_COMPONENT(8)),
	MAD_CODED(FIELD_REAL, MAD_AT(43, 2), 6, time_usec_numbers, "packet_lifetime_usec",
		  "LIFETIME us", 0, "longest time that a packet is on the way", SA_COMPONENT(11)),
	MAD_ENUM(MAD_AT(43, 0), 2, lifetime_selector_names, "packet_lifetime_selector",
		 "LIFETIME SELECTOR", 0, "how the lifetime was asked for", SA_COMPONENT(10)),
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
	MAD_BOOL(MAD_AT(49, 0), 1, "proxy_join", "PROXY", 0, "whether another port had it join",
		 SA_COMPONENT(17)),
};

const struct schema sa_mcmember_schema = MAD_SCHEMA("sa_multicast", mcmember_fields,
						    "a multicast group, or a member of it");

/* What the trap is called, for subscriptions to generic ones; 0xffff is all of them. */
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
			       "what a generic trap tells"),                                       \
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

const struct schema sa_inform_info_schema = MAD_SCHEMA("sa_informinfo", inform_info_fields,
						       "what a subscriber wants to be told");

enum { INFORM_INFO = 24 }; /* where it begins in the record, 15.2.5.12 */

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

const struct schema sa_inform_schema = MAD_SCHEMA("sa_inform", inform_fields,
						  "a subscription to notices");
