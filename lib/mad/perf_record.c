/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The schemas of the rows; perf_record_rows.c fills them. */
#include "mad/perf_record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "mad/format/mad_names.h"

static void show(const struct perf_record *record, const struct perf_counter *counter,
		 struct value *value)
{
	if (!counter->known)
		return;
	if (counter->saturated)
		value->tone = TONE_WARNING;
	if (counter->saturated && record->mark) {
		snprintf(value->scratch, sizeof(value->scratch), ">=%" PRIu64, counter->value);
		value_set_string(value, value->scratch);
		return;
	}
	value_set_unsigned(value, counter->value);
}

#define GETTER(member_)                                                    \
	static void get_##member_(const void *record, struct value *value) \
	{                                                                  \
		const struct perf_record *row = record;                    \
                                                                           \
		show(row, &row->member_, value);                           \
	}

GETTER(symbol_errors)
GETTER(link_error_recoveries)
GETTER(link_downed)
GETTER(rcv_errors)
GETTER(rcv_remote_physical_errors)
GETTER(rcv_switch_relay_errors)
GETTER(xmit_discards)
GETTER(xmit_constraint_errors)
GETTER(rcv_constraint_errors)
GETTER(local_link_integrity_errors)
GETTER(excessive_buffer_overruns)
GETTER(qp1_dropped)
GETTER(vl15_dropped)
GETTER(xmit_data_bytes)
GETTER(rcv_data_bytes)
GETTER(xmit_packets)
GETTER(rcv_packets)
GETTER(unicast_xmit_packets)
GETTER(unicast_rcv_packets)
GETTER(multicast_xmit_packets)
GETTER(multicast_rcv_packets)
GETTER(xmit_wait_ticks)
GETTER(flow_control_update_errors)
GETTER(op_packets)
GETTER(op_data_bytes)
GETTER(congestions)
GETTER(xmit_time_congested_ticks)
GETTER(rcv_fecn_packets)
GETTER(rcv_becn_packets)
GETTER(sync_header_errors)
GETTER(unknown_blocks)
GETTER(error_detections)
GETTER(correctable_blocks)
GETTER(uncorrectable_blocks)
GETTER(corrected_symbols)

#define COUNTER(group_, member_, key_, heading_, flags_, help_)                           \
	{                                                                                 \
		.key = key_, .heading = heading_, .help = help_, .kind = FIELD_UNSIGNED,  \
		.flags = (flags_) | FIELD_RIGHT, .get = get_##member_,                    \
		.offset = FIELD_OFFSET(struct perf_record, member_, struct perf_counter), \
		.tag = group_                                                             \
	}
#define ERROR(member_, heading_, flags_, help_) \
	COUNTER(PERF_GROUP_ERRORS, member_, #member_, heading_, flags_, help_)
#define TRAFFIC(member_, heading_, flags_, help_) \
	COUNTER(PERF_GROUP_TRAFFIC, member_, #member_, heading_, flags_, help_)
#define CONGESTION(member_, heading_, help_) \
	COUNTER(PERF_GROUP_CONGESTION, member_, #member_, heading_, FIELD_DEFAULT, help_)
#define FEC(member_, heading_, help_) \
	COUNTER(PERF_GROUP_FEC, member_, #member_, heading_, FIELD_DEFAULT, help_)

#define COMMON_FIELDS                                                                           \
	STRING_FIELD(struct perf_record, object, "object", "OBJECT", FIELD_DEFAULT, 0,          \
		     "destination, as given"),                                                  \
		STRING_FIELD(struct perf_record, node, "node", "NODE", 0, MAD_NEED_NODE,        \
			     "description of the node"),                                        \
		UNSIGNED_FIELD(struct perf_record, lid, "object_lid", "AT LID", FIELD_RIGHT, 0, \
			       "LID that the request went to"),                                 \
		UNSIGNED_FIELD(struct perf_record, port, "port", "PORT",                        \
			       FIELD_DEFAULT | FIELD_RIGHT, 0, "port that the counters are of")
#define SATURATED_FIELD                                                           \
	LIST_FIELD(struct perf_record, saturated, "saturated", "SATURATED", 0, 0, \
		   "counters that stopped at their maximum")
#define VL_FIELD                                                                           \
	UNSIGNED_FIELD(struct perf_record, vl, "vl", "VL", FIELD_DEFAULT | FIELD_RIGHT, 0, \
		       "virtual lane that the counters are of")
#define XMIT_WAIT(help_) CONGESTION(xmit_wait_ticks, "XMIT WAIT TICKS", help_)

static const struct field port_fields[] = {
	COMMON_FIELDS,
	ERROR(symbol_errors, "SYMBOL ERRORS", FIELD_DEFAULT,
	      "minor link errors: bad symbols on one lane or more"),
	ERROR(link_error_recoveries, "RECOVERIES", 0,
	      "times that the link was retrained successfully"),
	ERROR(link_downed, "LINK DOWNED", FIELD_DEFAULT,
	      "times that retraining the link failed and it went down"),
	ERROR(rcv_errors, "RCV ERRORS", FIELD_DEFAULT, "packets received with an error"),
	ERROR(rcv_remote_physical_errors, "RCV REMOTE ERRORS", 0,
	      "packets received that another port had marked as bad"),
	ERROR(rcv_switch_relay_errors, "RELAY ERRORS", 0,
	      "packets received that the switch could not forward"),
	ERROR(xmit_discards, "XMIT DISCARDS", FIELD_DEFAULT,
	      "packets not sent: the port was down or congested for too long"),
	ERROR(xmit_constraint_errors, "XMIT CONSTRAINTS", 0,
	      "packets not sent because of the partition or raw packet filter"),
	ERROR(rcv_constraint_errors, "RCV CONSTRAINTS", 0,
	      "packets discarded because of the partition or raw packet filter"),
	ERROR(local_link_integrity_errors, "LINK INTEGRITY", 0,
	      "times that the physical errors of the port passed their threshold"),
	ERROR(excessive_buffer_overruns, "BUFFER OVERRUNS", 0,
	      "times that buffer overruns went on for too long"),
	ERROR(qp1_dropped, "QP1 DROPPED", 0,
	      "management datagrams to queue pair 1 that the port had no room for"),
	ERROR(vl15_dropped, "VL15 DROPPED", 0,
	      "subnet management packets that the port had no room for"),
	UNSIGNED_FIELD(struct perf_record, width_bits, "width_bits", "WIDTH", FIELD_RIGHT, 0,
		       "width of the counters of bytes and packets"),
	TRAFFIC(xmit_data_bytes, "XMIT BYTES", FIELD_DEFAULT, "bytes sent, except link packets"),
	TRAFFIC(rcv_data_bytes, "RCV BYTES", FIELD_DEFAULT, "bytes received, except link packets"),
	TRAFFIC(xmit_packets, "XMIT PACKETS", FIELD_DEFAULT, "packets sent, except link packets"),
	TRAFFIC(rcv_packets, "RCV PACKETS", FIELD_DEFAULT, "packets received, except link packets"),
	TRAFFIC(unicast_xmit_packets, "UNICAST XMIT", 0, "unicast packets sent, errors included"),
	TRAFFIC(unicast_rcv_packets, "UNICAST RCV", 0, "unicast packets received, errors included"),
	TRAFFIC(multicast_xmit_packets, "MULTICAST XMIT", 0,
		"multicast packets sent, errors included"),
	TRAFFIC(multicast_rcv_packets, "MULTICAST RCV", 0,
		"multicast packets received, errors included"),
	XMIT_WAIT("ticks in which there was data to send but no credit, or no turn"),
	SATURATED_FIELD,
};

static const struct field vl_fields[] = {
	COMMON_FIELDS,
	VL_FIELD,
	XMIT_WAIT("ticks in which there was data to send on the lane but no credit"),
	COUNTER(PERF_GROUP_ERRORS, flow_control_update_errors, "flow_control_update_errors",
		"LATE UPDATES", FIELD_DEFAULT, "flow control updates that came too late"),
	HEX_FIELD(struct perf_record, op_code, 2, "op_code", "OP CODE", 0, 0,
		  "operation code of the packets that op_packets and op_data_bytes count"),
	TRAFFIC(op_packets, "OP PACKETS", FIELD_DEFAULT,
		"packets received with the operation code"),
	TRAFFIC(op_data_bytes, "OP BYTES", FIELD_DEFAULT, "bytes received with the operation code"),
	SATURATED_FIELD,
};

static const struct field fec_fields[] = {
	COMMON_FIELDS,
	UNSIGNED_FIELD(struct perf_record, lane, "lane", "LANE", FIELD_DEFAULT | FIELD_RIGHT, 0,
		       "lane of the link; none: the counters of all lanes in one"),
	ENUM_FIELD(struct perf_record, fec, fec_active_names, "fec_active", "FEC", FIELD_DEFAULT, 0,
		   "forward error correction that is active, where it makes a difference"),
	FEC(sync_header_errors, "SYNC ERRORS", "blocks with a bad synchronization header"),
	FEC(unknown_blocks, "UNKNOWN BLOCKS", "blocks of no known type"),
	FEC(error_detections, "DETECTED", "bad blocks"),
	FEC(correctable_blocks, "CORRECTED", "blocks corrected; with RS-FEC codewords"),
	FEC(uncorrectable_blocks, "LOST", "blocks beyond correction; with RS-FEC codewords"),
	FEC(corrected_symbols, "SYMBOLS", "symbols corrected by RS-FEC"),
	SATURATED_FIELD,
};

static const struct field congestion_fields[] = {
	COMMON_FIELDS,
	VL_FIELD,
	UNSIGNED_FIELD(struct perf_record, sl, "sl", "SL", FIELD_DEFAULT | FIELD_RIGHT, 0,
		       "service level that the counters are of"),
	XMIT_WAIT("ticks in which there was data to send but no credit, or no turn"),
	CONGESTION(xmit_time_congested_ticks, "CONGESTED TICKS", "time that it was congested"),
	CONGESTION(congestions, "CONGESTIONS", "times that the lane of a switch became congested"),
	CONGESTION(rcv_fecn_packets, "FECN", "packets received with the forward congestion mark"),
	CONGESTION(rcv_becn_packets, "BECN", "packets received with the backward congestion mark"),
	SATURATED_FIELD,
};

#define SCHEMA(name_, fields_, summary_)                                                       \
	{                                                                                      \
		.name = name_, .version = 1, .summary = summary_, .fields = fields_,           \
		.field_count = ARRAY_SIZE(fields_), .record_size = sizeof(struct perf_record), \
	}

const struct schema perf_schema = SCHEMA("perf", port_fields,
					 "the counters of a port, as wide as the device has them");
const struct schema perf_vl_schema = SCHEMA("perf_vl", vl_fields,
					    "the counters of a virtual lane of a port: --vl");
const struct schema perf_fec_schema = SCHEMA(
	"perf_fec", fec_fields, "the errors of the encoding of a link, or of a lane of it: --fec");
const struct schema perf_congestion_schema = SCHEMA(
	"perf_congestion", congestion_fields,
	"the congestion of a port, a virtual lane or a service level: --congestion");

const struct schema *perf_listing_schema(enum perf_listing listing)
{
	static const struct schema *const schemas[] = {
		[PERF_OF_PORT] = &perf_schema,
		[PERF_OF_VL] = &perf_vl_schema,
		[PERF_OF_FEC] = &perf_fec_schema,
		[PERF_OF_CONGESTION] = &perf_congestion_schema,
	};

	return schemas[listing];
}

void perf_record_clear(struct perf_record *record)
{
	free(record->object);
	free(record->node);
	strings_free(&record->saturated);
}
