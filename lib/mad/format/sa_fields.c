/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The records of subnet administration (15.2.5). The SA answers for other nodes, so no record shows
 * a destination. Component numbers are those of rdma-core's umad_sa_mcm.h, the kernel's
 * include/rdma/ib_sa.h and opensm; records cannot be searched by a field whose number is in none of
 * them.
 */
#include <stdio.h>

#include "base/mem.h"
#include "mad/format/rows.h"
#include "schema/bits.h"

/* The offset of subnet management attributes, after the identifiers of their records. */
enum { EMBEDDED = 4 };

/* 15.2.5.2; the description follows NodeInfo */
static const struct field node_fields[] = {
	NUM(0, 0, 16, "lid", "LID", SHOW, "LID of the port", SA(0)),
	TEXT(EMBEDDED + NODE_INFO_BYTES, 64, "node_description", "DESCRIPTION", SHOW,
	     "description set by the node's owner", SA(14)),
	SM_NODE_INFO_ROWS(EMBEDDED),
};

SM_PORT_INFO_GETTERS(embedded, EMBEDDED)

/* 15.2.5.3 */
static const struct field port_info_fields[] = {
	NUM(0, 0, 16, "endport_lid", "AT LID", SHOW, "LID of the port, of port 0 at a switch",
	    SA(0)),
	NUM(2, 0, 8, "port", "PORT", SHOW, "number of the port", SA(1)),
	HEX(3, 0, 8, "options", "OPTIONS", 0, "which form of PortInfo it holds", SA(2)),
	SM_PORT_INFO_ROWS(EMBEDDED, embedded),
};

/* 15.2.5.5 */
static const struct field switch_info_fields[] = {
	NUM(0, 0, 16, "lid", "LID", SHOW, "LID of the switch", SA(0)),
	SM_SWITCH_INFO_ROWS(EMBEDDED),
};

/* 15.2.5.10 */
static const struct field sm_info_fields[] = {
	NUM(0, 0, 16, "lid", "LID", SHOW, "LID of the port that the subnet manager is at", SA(0)),
	SM_INFO_ROWS(EMBEDDED),
};

/* 15.2.5.13 */
static const struct field link_fields[] = {
	NUM(0, 0, 16, "from_lid", "FROM LID", SHOW, "LID of the near end, of port 0 at a switch",
	    SA(0)),
	NUM(2, 0, 8, "from_port", "FROM PORT", SHOW, "port of the near end", SA(1)),
	NUM(4, 0, 16, "to_lid", "TO LID", SHOW, "LID of the far end, of port 0 at a switch", SA(3)),
	NUM(3, 0, 8, "to_port", "TO PORT", SHOW, "port of the far end", SA(2)),
};

/* 13.4.8.2, with the issuer, which reports include */
static const struct field notice_fields[] = {
	SM_NOTICE_ROWS,
	GID(64, "issuer_gid", "ISSUER GID", 0, "GID of the port that issued it"),
};

/*
 * Limits of a path or a group: three bytes, each a selector of 2 bits followed by a code. The
 * component number of a selector is the one before that of its code.
 */
#define SA_LIMITS(mtu_, rate_, lifetime_, shown_, mtu_mask_, rate_mask_, lifetime_mask_, of_)   \
	CODE(mtu_, 2, 6, mtu_numbers, "mtu_bytes", "MTU", SHOW, "MTU of the " of_,              \
	     SA((mtu_mask_) + 1)),                                                              \
		WORD(mtu_, 0, 2, selector_names, "mtu_selector", "MTU SELECTOR", 0,             \
		     "how the MTU was requested", SA(mtu_mask_)),                               \
		REAL(rate_, 2, 6, rate_numbers, "rate_gbps", "RATE Gb/s", SHOW,                 \
		     "rate of the " of_ " in gigabits per second", SA((rate_mask_) + 1)),       \
		WORD(rate_, 0, 2, selector_names, "rate_selector", "RATE SELECTOR", 0,          \
		     "how the rate was requested", SA(rate_mask_)),                             \
		REAL(lifetime_, 2, 6, time_usec_numbers, "packet_lifetime_usec", "LIFETIME us", \
		     shown_, "longest time that a packet is on the way",                        \
		     SA((lifetime_mask_) + 1)),                                                 \
		WORD(lifetime_, 0, 2, lifetime_selector_names, "packet_lifetime_selector",      \
		     "LIFETIME SELECTOR", 0, "how the lifetime was requested", SA(lifetime_mask_))

/* 15.2.5.16; the service identifier counts as two components, one for each half */
static const struct field path_fields[] = {
	NUM(42, 0, 16, "slid", "SLID", SHOW, "source LID", SA(5)),
	NUM(40, 0, 16, "dlid", "DLID", SHOW, "destination LID", SA(4)),
	GID(24, "sgid", "SGID", 0, "source GID", SA(3)),
	GID(8, "dgid", "DGID", SHOW, "destination GID", SA(2)),
	HEX(0, 0, 64, "service_id", "SERVICE ID", 0, "identifier of the service",
	    SA_COMPONENTS(0, 2)),
	HEX(50, 0, 16, "pkey", "P_KEY", SHOW, "partition key", SA(13)),
	NUM(52, 12, 4, "sl", "SL", SHOW, "service level", SA(15)),
	SA_LIMITS(54, 55, 56, SHOW, 16, 18, 20, "path"),
	NUM(57, 0, 8, "preference", "PREFERENCE", 0, "rank among the paths, 0 is the best", SA(22)),
	BOOL(49, 0, "reversible", "REVERSIBLE", 0, "whether the path is reversible", SA(11)),
	NUM(49, 1, 7, "numb_path", "PATHS", 0,
	    "maximum number of paths requested for a pair of ports", SA(12)),
	NUM(44, 24, 8, "hop_limit", "HOP LIMIT", 0, "hop limit of the GRH", SA(9)),
	HEX(44, 4, 20, "flow_label", "FLOW LABEL", 0, "flow label of the GRH", SA(8)),
	NUM(48, 0, 8, "tclass", "TCLASS", 0, "traffic class of the GRH", SA(10)),
	NUM(52, 0, 12, "qos_class", "QOS CLASS", 0, "class of quality of service", SA(14)),
	BOOL(44, 0, "raw_traffic", "RAW", 0, "whether it is for raw packets", SA(6)),
};

/*
 * 15.2.5.20: paths between several ports. The answers are PathRecords. Places and components are
 * also those of ib_multipath_rec_t and IB_MPR_COMPMASK in opensm's ib_types.h.
 */
#define MULTIPATH_GID(number_)                                                         \
	GID(SA_MULTIPATH_GIDS_AT + 16 * (number_), "gid" #number_, "GID " #number_, 0, \
	    "GID " #number_ " of the list, sources first")
static const struct field multipath_fields[] = {
	NUM(15, 0, 8, "sgid_count", "SGIDS", SHOW, "number of source GIDs", SA(19)),
	NUM(16, 0, 8, "dgid_count", "DGIDS", SHOW, "number of destination GIDs", SA(20)),
	HEX(6, 0, 16, "pkey", "P_KEY", SHOW, "partition key", SA(7)),
	NUM(8, 12, 4, "sl", "SL", SHOW, "service level", SA(9)),
	SA_LIMITS(10, 11, 12, 0, 10, 12, 14, "path"),
	NUM(14, 0, 2, "independence_selector", "INDEPENDENCE", 0,
	    "whether the paths are to share as little as possible", SA(17)),
	BOOL(5, 0, "reversible", "REVERSIBLE", 0, "whether the path is reversible", SA(5)),
	NUM(5, 1, 7, "numb_path", "PATHS", 0,
	    "maximum number of paths requested for a pair of ports", SA(6)),
	NUM(0, 24, 8, "hop_limit", "HOP LIMIT", 0, "hop limit of the GRH", SA(3)),
	HEX(0, 4, 20, "flow_label", "FLOW LABEL", 0, "flow label of the GRH", SA(2)),
	NUM(4, 0, 8, "tclass", "TCLASS", 0, "traffic class of the GRH", SA(4)),
	NUM(8, 0, 12, "qos_class", "QOS CLASS", 0, "class of quality of service", SA(8)),
	BOOL(0, 0, "raw_traffic", "RAW", 0, "whether it is for raw packets", SA(0)),
	HEX(13, 0, 8, "service_id_high", "SERVICE HIGH", 0,
	    "highest 8 bits of the identifier of the service", SA(16)),
	HEX(17, 0, 56, "service_id_low", "SERVICE LOW", 0,
	    "lowest 56 bits of the identifier of the service", SA(21)),
	EIGHT(MULTIPATH_GID),
	MULTIPATH_GID(8),
	MULTIPATH_GID(9),
	MULTIPATH_GID(10),
};

/*
 * 15.2.5.19: a node on a path, as the answer to a PathRecord. The SA chooses the identifiers, which
 * show only whether two things are the same. Positions are also those of IB_TRACE_RECORD in Intel's
 * ib_sa_records.h.
 */
static const struct field trace_fields[] = {
	WORD(11, 0, 8, node_type_names, "node_type", "TYPE", SHOW, "type of the node", SA(3)),
	HEX(12, 0, 64, "node_id", "NODE ID", SHOW, "identifier of the node", SA(4)),
	HEX(20, 0, 64, "chassis_id", "CHASSIS ID", 0, "identifier of the chassis; 0: none", SA(5)),
	NUM(44, 0, 8, "entry_port", "IN", SHOW,
	    "port that packets come in through; 0: unknown, or the source", SA(8)),
	NUM(45, 0, 8, "exit_port", "OUT", SHOW,
	    "port that packets go out through; 0: unknown, or the destination", SA(9)),
	HEX(28, 0, 64, "entry_port_id", "IN ID", 0, "identifier of the entry port", SA(6)),
	HEX(36, 0, 64, "exit_port_id", "OUT ID", 0, "identifier of the exit port", SA(7)),
	HEX(0, 0, 64, "gid_prefix", "GID PREFIX", 0, "subnet that the identifiers belong to",
	    SA(0)),
	NUM(8, 0, 16, "id_generation", "GENERATION", 0,
	    "identifiers of one generation can be compared", SA(1)),
};

/* 15.2.5.17 */
static const struct field mcmember_fields[] = {
	GID(0, "mgid", "MGID", SHOW, "GID of the multicast group", SA(0)),
	GID(16, "port_gid", "PORT GID", 0, "GID of the member's port", SA(1)),
	HEX(36, 0, 16, "mlid", "MLID", SHOW, "LID of the multicast group", SA(3)),
	HEX(32, 0, 32, "qkey", "Q_KEY", SHOW, "queue key of the group", SA(2)),
	HEX(40, 0, 16, "pkey", "P_KEY", SHOW, "partition key", SA(7)),
	SA_LIMITS(38, 42, 43, 0, 4, 8, 10, "group"),
	NUM(44, 0, 4, "sl", "SL", SHOW, "service level", SA(12)),
	HEX(44, 4, 20, "flow_label", "FLOW LABEL", 0, "flow label of the GRH", SA(13)),
	NUM(44, 24, 8, "hop_limit", "HOP LIMIT", 0, "hop limit of the GRH", SA(14)),
	NUM(39, 0, 8, "tclass", "TCLASS", 0, "traffic class of the GRH", SA(6)),
	WORD(48, 0, 4, scope_names, "scope", "SCOPE", 0, "scope of the group", SA(15)),
	FLAGS(48, 4, 4, join_state_names, "join_state", "JOIN STATE", SHOW,
	      "how the port is a member", SA(16)),
	BOOL(49, 0, "proxy_join", "PROXY", 0, "whether another port made it join", SA(17)),
};

/* The name of a generic trap, for subscriptions; 0xffff is all traps. */
static void get_trap_name(const unsigned char *info, struct value *value)
{
	uint64_t trap = bits_get(info, MAD_AT(26, 0), 16);

	if (info[22] & 1)
		value_set_string(value, trap == 0xffff ? "all" : enum_word(trap_names, trap, NULL));
}

/* InformInfo, 13.4.8.3; component numbers of the record */
#define INFORM_ROWS(base, trap_)                                                                 \
	BOOL(base + 22, 7, "generic", "GENERIC", 0,                                              \
	     "whether the specification, not a vendor, defines the trap", SA(7)),                \
		NUM(base + 26, 0, 16, "trap_number", "TRAP", SHOW,                               \
		    "number of the trap, or the vendor's number for the device", SA(10)),        \
		COMPUTED_FIELD(FIELD_STRING, trap_, "trap", "MEANS", SHOW, 0,                    \
			       "meaning of a generic trap"),                                     \
		HEX(base + 24, 0, 16, "type", "TYPE", 0, "type of the notices, 0xffff for all",  \
		    SA(9)),                                                                      \
		NUM(base + 28, 0, 24, "qp", "QP", SHOW, "queue pair that the reports go to",     \
		    SA(11)),                                                                     \
		GID(base, "gid", "GID", 0,                                                       \
		    "GID of the port that the notices are about, 0 for any", SA(3)),             \
		NUM(base + 16, 0, 16, "lid_range_begin", "FIRST LID", 0,                         \
		    "first LID that the notices are about, 65535 for any", SA(4)),               \
		NUM(base + 18, 0, 16, "lid_range_end", "LAST LID", 0,                            \
		    "last LID that the notices are about", SA(5)),                               \
		BOOL(base + 23, 7, "subscribe", "SUBSCRIBE", 0, "whether reports are wanted",    \
		     SA(8)),                                                                     \
		REAL(base + 31, 3, 5, time_usec_numbers, "response_time_usec", "RESPONSE us", 0, \
		     "longest time that the subscriber takes to answer", SA(13)),                \
		NUM(base + 33, 0, 24, "producer", "PRODUCER", 0,                                 \
		    "type of the node that produces it, or the vendor", SA(15))

static void get_inform_info_trap(const void *record, struct value *value)
{
	get_trap_name(mad_data(record), value);
}

static const struct field inform_info_fields[] = {INFORM_ROWS(0, get_inform_info_trap)};

enum { INFORM_INFO = 24 }; /* offset of InformInfo in its record, 15.2.5.12 */

static void get_inform_trap(const void *record, struct value *value)
{
	get_trap_name(mad_data(record) + INFORM_INFO, value);
}

static const struct field inform_fields[] = {
	GID(0, "subscriber_gid", "SUBSCRIBER GID", SHOW, "GID of the subscriber's port", SA(0)),
	NUM(16, 0, 16, "subscriber_enum", "NUMBER", SHOW,
	    "number among the subscriptions of the port", SA(1)),
	INFORM_ROWS(INFORM_INFO, get_inform_trap),
};

/* The data of a service, as numbers of four sizes; each number is a separate component. */
#define DATA_ROW(byte_, width_, key_, number_, component_)                                 \
	HEX(byte_, 0, width_, "data" #key_ "_" #number_, "DATA" #key_ "[" #number_ "]", 0, \
	    "data of the service, number " #number_ " of " #width_ " bits", SA(component_))
#define DATA8(number_)	DATA_ROW(112 + (number_), 8, 8, number_, 7 + (number_))
#define DATA16(number_) DATA_ROW(128 + (number_)*2, 16, 16, number_, 23 + (number_))
#define DATA32(number_) DATA_ROW(144 + (number_)*4, 32, 32, number_, 31 + (number_))
#define DATA64(number_) DATA_ROW(160 + (number_)*8, 64, 64, number_, 35 + (number_))

/* 15.2.5.14 */
static const struct field service_fields[] = {
	TEXT(48, 64, "name", "NAME", SHOW, "name of the service", SA(6)),
	HEX(0, 0, 64, "service_id", "SERVICE ID", SHOW, "identifier of the service", SA(0)),
	GID(8, "gid", "GID", SHOW, "GID of the port that offers it", SA(1)),
	HEX(24, 0, 16, "pkey", "P_KEY", SHOW, "partition key", SA(2)),
	NUM(28, 0, 32, "lease_sec", "LEASE s", 0,
	    "seconds that the record is kept, 4294967295 for unlimited", SA(4)),
	GID(32, "key", "KEY", FIELD_SECRET, "key of the record, as eight groups", SA(5)),
	SIXTEEN(DATA8),
	EIGHT(DATA16),
	DATA32(0),
	DATA32(1),
	DATA32(2),
	DATA32(3),
	DATA64(0),
	DATA64(1),
};

/* A table in a record: its offset and size. */
enum { TABLE_AT = 8, TABLE_BYTES = 64 };

/* The entries of a table: port numbers; masks of ports or P_Keys; VLs with their weights. */
enum entries { PORTS, HEX_WORDS, WEIGHTS };

/* Lists the entries up to the last one in use. */
static void get_list(const void *record, enum entries kind, struct value *value)
{
	const unsigned char *table = mad_data(record) + TABLE_AT;
	const unsigned int width = kind == PORTS ? 8 : 16, empty = kind == PORTS ? 0xff : 0;
	size_t count = TABLE_BYTES * 8 / width;
	char *word = value->scratch, *end = word + sizeof(value->scratch);

	/* The others take less: 32 words of sizeof("0xffff") or sizeof("15:255") bytes are 224. */
	_Static_assert(sizeof(value->scratch) >= TABLE_BYTES * sizeof("255"), "no room for ports");
	_Static_assert(ARRAY_SIZE(value->words) >= TABLE_BYTES, "no room for ports");
	while (count && bits_get(table, (count - 1) * width, width) == empty)
		count--;
	for (size_t i = 0; i < count; i++) {
		const unsigned int entry = (unsigned int)bits_get(table, i * width, width);
		const size_t room = (size_t)(end - word);
		int length = 0;

		switch (kind) {
		case PORTS:
			length = snprintf(word, room, "%u", entry);
			break;
		case HEX_WORDS:
			length = snprintf(word, room, "0x%04x", entry);
			break;
		case WEIGHTS:
			length = snprintf(word, room, "%u:%u", entry >> 8 & 15, entry & 0xff);
			break;
		}
		value->words[i] = word;
		word += length + 1;
	}
	value->kind = VALUE_LIST;
	value->list.items = value->words;
	value->list.count = count;
}

static void get_ports(const void *record, struct value *value)
{
	get_list(record, PORTS, value);
}

static void get_words(const void *record, struct value *value)
{
	get_list(record, HEX_WORDS, value);
}

static void get_arbitration(const void *record, struct value *value)
{
	get_list(record, WEIGHTS, value);
}

/* 15.2.5.6 */
static const struct field linear_forwarding_fields[] = {
	NUM(0, 0, 16, "lid", "LID", SHOW, "LID of the switch", SA(0)),
	NUM(2, 0, 16, "block", "BLOCK", SHOW, "block of 64 LIDs that it holds", SA(1)),
	COMPUTED_FIELD(FIELD_LIST, get_ports, "ports", "PORTS", SHOW, 0,
		       "port for each LID of the block, 255 for none, up to the last that has one"),
};

/* 15.2.5.8 */
static const struct field multicast_forwarding_fields[] = {
	NUM(0, 0, 16, "lid", "LID", SHOW, "LID of the switch", SA(0)),
	NUM(2, 0, 4, "position", "POSITION", SHOW, "which 16 ports the masks cover", SA(1)),
	NUM(2, 7, 9, "block", "BLOCK", SHOW, "block of 32 multicast LIDs that it holds", SA(3)),
	COMPUTED_FIELD(FIELD_LIST, get_words, "port_masks", "PORT MASKS", SHOW, 0,
		       "ports for each multicast LID of the block, up to the last that has one"),
};

/* 15.2.5.11 */
static const struct field pkey_table_fields[] = {
	NUM(0, 0, 16, "lid", "LID", SHOW, "LID of the port, of port 0 at a switch", SA(0)),
	NUM(4, 0, 8, "port", "PORT", SHOW, "port of a switch", SA(2)),
	NUM(2, 0, 16, "block", "BLOCK", SHOW, "block of 32 slots that it holds", SA(1)),
	COMPUTED_FIELD(FIELD_LIST, get_words, "pkeys", "P_KEYS", SHOW, 0,
		       "partition keys of the block's slots, up to the last in use"),
};

#define SL2VL(sl_) SM_SL2VL_ROW(TABLE_AT, sl_)

/* 15.2.5.4 */
static const struct field sl2vl_fields[] = {
	NUM(0, 0, 16, "lid", "LID", SHOW, "LID of the port, of port 0 at a switch", SA(0)),
	NUM(2, 0, 8, "input_port", "IN", SHOW, "port of a switch that packets come in through",
	    SA(1)),
	NUM(3, 0, 8, "output_port", "OUT", SHOW, "port of a switch that packets go out through",
	    SA(2)),
	SIXTEEN(SL2VL),
};

/* 15.2.5.9 */
static const struct field vl_arbitration_fields[] = {
	NUM(0, 0, 16, "lid", "LID", SHOW, "LID of the port, of port 0 at a switch", SA(0)),
	NUM(2, 0, 8, "port", "PORT", SHOW, "port of a switch that packets go out through", SA(1)),
	NUM(3, 0, 8, "block", "BLOCK", SHOW,
	    "part that it holds: 1 and 2 of low priority, 3 and 4 of high", SA(2)),
	COMPUTED_FIELD(FIELD_LIST, get_arbitration, "entries", "VL:WEIGHT", SHOW, 0,
		       "VL and weight of the block's entries, up to the last in use"),
};

#define GUID_ROW(number_, flags_)                                               \
	GUID(TABLE_AT + (number_)*8, "guid" #number_, "GUID " #number_, flags_, \
	     "GUID " #number_ " of the block", SA(4 + (number_)))

/* 15.2.5.18 */
static const struct field guid_info_fields[] = {
	NUM(0, 0, 16, "lid", "LID", SHOW, "LID of the port", SA(0)),
	NUM(2, 0, 8, "block", "BLOCK", SHOW, "block of 8 slots that it holds", SA(1)),
	GUID_ROW(0, SHOW),
	GUID_ROW(1, SHOW),
	GUID_ROW(2, SHOW),
	GUID_ROW(3, 0),
	GUID_ROW(4, 0),
	GUID_ROW(5, 0),
	GUID_ROW(6, 0),
	GUID_ROW(7, 0),
};

#define NAMED_RECORD(id_, word_, alias_, name_, bytes_, schema_, fields_, summary_)         \
	ATTRIBUTE(UMAD_CLASS_SUBN_ADM, id_, word_, alias_, name_, bytes_, schema_, fields_, \
		  summary_)
#define RECORD(id_, word_, alias_, name_, bytes_, fields_, summary_) \
	NAMED_RECORD(id_, word_, alias_, name_, bytes_, "sa_" word_, fields_, summary_)

/* Table 192 (15.2.5); the aliases are those of saquery(8) */
const struct mad_attribute sa_attributes[] = {
	RECORD(UMAD_SA_ATTR_NODE_REC, "nodes", "NR", "NodeRecord", 108, node_fields,
	       "a node, at one of its ports, as the SA knows it"),
	RECORD(UMAD_SA_ATTR_PORT_INFO_REC, "ports", "PIR", "PortInfoRecord", 68, port_info_fields,
	       "a port as the SA knows it"),
	RECORD(UMAD_SA_ATTR_PATH_REC, "path", "PR", "PathRecord", 64, path_fields,
	       "a path between two ports"),
	RECORD(UMAD_SA_ATTR_MULTI_PATH_REC, "multipath", "MPR", "MultiPathRecord", 200,
	       multipath_fields, "a request for paths between several ports"),
	RECORD(UMAD_SA_ATTR_TRACE_REC, "trace", "TR", "TraceRecord", 46, trace_fields,
	       "a node on the path between two ports"),
	RECORD(UMAD_SA_ATTR_MCMEMBER_REC, "multicast", "MCMR", "MCMemberRecord", 52,
	       mcmember_fields, "a multicast group, or a member of it"),
	RECORD(UMAD_SA_ATTR_LINK_REC, "links", "LR", "LinkRecord", 6, link_fields,
	       "a link, from one end"),
	RECORD(UMAD_SA_ATTR_SM_INFO_REC, "sm", "SMIR", "SMInfoRecord", 25, sm_info_fields,
	       "a subnet manager as the SA knows it"),
	RECORD(UMAD_SA_ATTR_SWITCH_INFO_REC, "switches", "SWIR", "SwitchInfoRecord", 24,
	       switch_info_fields, "a switch as the SA knows it"),
	RECORD(UMAD_SA_ATTR_SERVICE_REC, "services", "SR", "ServiceRecord", 176, service_fields,
	       "a service that a port offers"),
	RECORD(UMAD_SA_ATTR_INFORM_INFO_REC, "inform", "IIR", "InformInfoRecord", 60, inform_fields,
	       "a subscription to notices"),
	RECORD(UMAD_SA_ATTR_GUID_INFO_REC, "guidinfo", "GIR", "GUIDInfoRecord", 72,
	       guid_info_fields, "a block of a port's GUID table"),
	RECORD(UMAD_SA_ATTR_LINEAR_FT_REC, "lft", "LFTR", "LinearForwardingTableRecord", 72,
	       linear_forwarding_fields, "a block of a linear forwarding table"),
	RECORD(UMAD_SA_ATTR_MCAST_FT_REC, "mft", "MFTR", "MulticastForwardingTableRecord", 72,
	       multicast_forwarding_fields, "a block of a multicast forwarding table"),
	RECORD(UMAD_SA_ATTR_PKEY_TABLE_REC, "pkeys", "PKTR", "P_KeyTableRecord", 72,
	       pkey_table_fields, "a block of a port's P_Key table"),
	RECORD(UMAD_SA_ATTR_SLVL_REC, "sl2vl", "SL2VL", "SLtoVLMappingTableRecord", 16,
	       sl2vl_fields, "the VLs of the service levels at a port"),
	RECORD(UMAD_SA_ATTR_VL_ARB_REC, "vlarb", "VLAR", "VLArbitrationTableRecord", 72,
	       vl_arbitration_fields, "a part of a port's VL arbitration tables"),
	CLASS_PORT_INFO(UMAD_CLASS_SUBN_ADM, "CPI", &sa_class_port_info_schema),
	/* Not for queries: subscribing sets InformInfo, and reports contain Notice. */
	NAMED_RECORD(UMAD_ATTR_INFORM_INFO, NULL, NULL, "InformInfo", 36, "sa_informinfo",
		     inform_info_fields, "the notices that a subscriber requests"),
	NAMED_RECORD(UMAD_ATTR_NOTICE, NULL, NULL, "Notice", 80, "sa_notice", notice_fields,
		     "a notice that the SA reports"),
	{.schema = NULL},
};
