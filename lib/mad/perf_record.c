/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The schemas of the rows; perf_rows.c fills them. */
#include "mad/perf_record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "mad/format/codes.h"

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

#define LISTED_GETTER(group_, factor_, member_, ...) GETTER(member_)
PERF_PORT_COUNTERS(LISTED_GETTER)
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

#define COUNTER(group_, member_, heading_, flags_, help_)                                    \
	{                                                                                    \
		.key = #member_, .heading = heading_, .help = help_, .kind = FIELD_UNSIGNED, \
		.flags = (flags_) | FIELD_RIGHT, .get = get_##member_,                       \
		.offset = FIELD_OFFSET(struct perf_record, member_, struct perf_counter),    \
		.tag = PERF_GROUP_##group_,                                                  \
	}
/* A row of pm_counters.h. */
#define LISTED(group_, factor_, member_, heading_, flags_, byte_, bit_, width_, wide_, help_) \
	COUNTER(group_, member_, heading_, flags_, help_),
#define XMIT_WAIT(help_) \
	COUNTER(CONGESTION, xmit_wait_ticks, "XMIT WAIT TICKS", FIELD_DEFAULT, help_)
#define FEC(member_, heading_, help_) COUNTER(FEC, member_, heading_, FIELD_DEFAULT, help_)

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

static const struct field port_fields[] = {
	COMMON_FIELDS,
	PERF_ERRORS(LISTED)
		UNSIGNED_FIELD(struct perf_record, width_bits, "width_bits", "WIDTH", FIELD_RIGHT,
			       0, "width of the counters of bytes and packets"),
	PERF_TRAFFIC(LISTED) PERF_XMIT_WAIT(LISTED) SATURATED_FIELD,
};

static const struct field vl_fields[] = {
	COMMON_FIELDS,
	VL_FIELD,
	XMIT_WAIT("ticks in which there was data to send on the lane but no credit"),
	COUNTER(ERRORS, flow_control_update_errors, "LATE UPDATES", FIELD_DEFAULT,
		"flow control updates that came too late"),
	HEX_FIELD(struct perf_record, op_code, 2, "op_code", "OP CODE", 0, 0,
		  "operation code of the packets that op_packets and op_data_bytes count"),
	COUNTER(TRAFFIC, op_packets, "OP PACKETS", FIELD_DEFAULT,
		"packets received with the operation code"),
	COUNTER(TRAFFIC, op_data_bytes, "OP BYTES", FIELD_DEFAULT,
		"bytes received with the operation code"),
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
	COUNTER(CONGESTION, xmit_time_congested_ticks, "CONGESTED TICKS", FIELD_DEFAULT,
		"time that it was congested"),
	COUNTER(CONGESTION, congestions, "CONGESTIONS", FIELD_DEFAULT,
		"times that the lane of a switch became congested"),
	COUNTER(CONGESTION, rcv_fecn_packets, "FECN", FIELD_DEFAULT,
		"packets received with the forward congestion mark"),
	COUNTER(CONGESTION, rcv_becn_packets, "BECN", FIELD_DEFAULT,
		"packets received with the backward congestion mark"),
	SATURATED_FIELD,
};

#define ERROR_COLUMNS                                                               \
	"object,port,symbol_errors,link_error_recoveries,link_downed,rcv_errors,"   \
	"rcv_remote_physical_errors,rcv_switch_relay_errors,xmit_discards,"         \
	"xmit_constraint_errors,rcv_constraint_errors,local_link_integrity_errors," \
	"excessive_buffer_overruns,qp1_dropped,vl15_dropped"
#define TRAFFIC_ONLY                                                          \
	"width_bits,xmit_data_bytes,rcv_data_bytes,xmit_packets,rcv_packets," \
	"unicast_xmit_packets,unicast_rcv_packets,multicast_xmit_packets,multicast_rcv_packets"

static const struct column_view views[] = {
	{"--errors", ERROR_COLUMNS},
	{"--traffic", "object,port," TRAFFIC_ONLY},
	{"--errors --traffic", ERROR_COLUMNS "," TRAFFIC_ONLY},
	{NULL, NULL},
};

const struct schema perf_schema = SCHEMA("perf", struct perf_record, port_fields,
					 "the counters of a port, as wide as the device has them",
					 .views = views);
const struct schema perf_vl_schema = SCHEMA("perf_vl", struct perf_record, vl_fields,
					    "the counters of a virtual lane of a port: --vl");
const struct schema perf_fec_schema = SCHEMA(
	"perf_fec", struct perf_record, fec_fields,
	"the errors of the encoding of a link, or of a lane of it: --fec");
const struct schema perf_congestion_schema = SCHEMA(
	"perf_congestion", struct perf_record, congestion_fields,
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

#define RATE(member_, heading_, flags_, help_) \
	REAL_FIELD(struct perf_rates, member_, #member_, heading_, (flags_) | FIELD_RIGHT, 0, help_)

static const struct field rates_fields[] = {
	STRING_FIELD(struct perf_rates, time, "time", "TIME", FIELD_DEFAULT, 0,
		     "when the counters were read"),
	STRING_FIELD(struct perf_rates, object, "object", "OBJECT", FIELD_DEFAULT, 0,
		     "destination, as given"),
	STRING_FIELD(struct perf_rates, node, "node", "NODE", 0, MAD_NEED_NODE,
		     "description of the node"),
	UNSIGNED_FIELD(struct perf_rates, lid, "object_lid", "AT LID", FIELD_RIGHT, 0,
		       "LID that the request went to"),
	UNSIGNED_FIELD(struct perf_rates, port, "port", "PORT", FIELD_DEFAULT | FIELD_RIGHT, 0,
		       "port that the rates are of"),
	RATE(interval_sec, "SECONDS", 0, "time between the two readings"),
	RATE(xmit_gbps, "XMIT Gb/s", FIELD_DEFAULT, "bits sent, in 10^9 a second"),
	RATE(rcv_gbps, "RCV Gb/s", FIELD_DEFAULT, "bits received, in 10^9 a second"),
	RATE(xmit_packets_per_sec, "XMIT PACKETS/s", FIELD_DEFAULT, "packets sent a second"),
	RATE(rcv_packets_per_sec, "RCV PACKETS/s", FIELD_DEFAULT, "packets received a second"),
	RATE(errors_per_sec, "ERRORS/s", FIELD_DEFAULT, "growth of all error counters per second"),
	RATE(xmit_wait_ticks_per_sec, "WAIT TICKS/s", FIELD_DEFAULT,
	     "ticks a second in which there was data to send but no credit, or no turn"),
	LIST_FIELD(struct perf_rates, saturated, "saturated", "SATURATED", 0, 0,
		   "counters that stopped at their maximum: they have no rate"),
};

const struct schema perf_rates_schema = SCHEMA("perf_rates", struct perf_rates, rates_fields,
					       "the rates of the counters of a port: --watch");

void perf_record_clear(struct perf_record *record)
{
	free(record->object);
	free(record->node);
	strings_free(&record->saturated);
}

void perf_rates_clear(struct perf_rates *rates)
{
	free(rates->time);
	free(rates->object);
	free(rates->node);
	strings_free(&rates->saturated);
}
