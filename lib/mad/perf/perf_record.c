/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The schemas of the rows; perf_rows.c fills them. */
#include "mad/perf/perf_record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "mad/format/codes.h"
#include "mad/perf/perf_listings.h"

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
#define ROW_GETTER(group_, member_, ...) GETTER(member_)
PERF_DETAIL_COUNTERS(ROW_GETTER)
PERF_FLOW_COUNTERS(ROW_GETTER)
PERF_FEC_COUNTERS(ROW_GETTER)
/* The getters of the listings' other counters are those of the listing of ports. */
GETTER(flow_control_update_errors)
GETTER(op_packets)
GETTER(op_data_bytes)
GETTER(congestions)
GETTER(xmit_time_congested_ticks)
GETTER(rcv_fecn_packets)
GETTER(rcv_becn_packets)

#define COUNTER(group_, member_, heading_, flags_, help_)                                 \
	{                                                                                 \
		.key = FIELD_TEXT(#member_, heading_, help_), .kind = FIELD_UNSIGNED,     \
		.flags = (flags_) | FIELD_RIGHT, .get = get_##member_,                    \
		.offset = FIELD_OFFSET(struct perf_record, member_, struct perf_counter), \
		.tag = PERF_GROUP_##group_,                                               \
	}
/* A row of pm_counters.h. */
#define LISTED(group_, factor_, member_, heading_, flags_, byte_, bit_, width_, wide_, help_) \
	COUNTER(group_, member_, heading_, flags_, help_),
/* A row of perf_listings.h. */
#define LISTING_COUNTER(group_, member_, heading_, rate_key_, rate_heading_, help_) \
	COUNTER(group_, member_, heading_, FIELD_DEFAULT, help_),

#define RECORD		     struct perf_record
#define COMMON_FIELDS	     PERF_PORT_FIELDS("counters")
#define OP_CODE_FIELD(help_) HEX(op_code, 2, "OP CODE", 0, 0, help_)

#define SATURATED_FIELD LIST(saturated, "SATURATED", 0, 0, "counters that stopped at their maximum")

static const struct enum_name summed_names[] = {
	{PERF_SUMMED_AGENT, "agent"},
	{PERF_SUMMED_HERE, "rdmactl"},
	{0, NULL},
};

static const struct field port_fields[] = {
	COMMON_FIELDS,
	PERF_ERRORS(LISTED)
		NUMBER(width_bits, "WIDTH", 0, 0, "width of the counters of bytes and packets"),
	PERF_TRAFFIC(LISTED) PERF_XMIT_WAIT(LISTED) SATURATED_FIELD,
	NUMBER(summed_ports, "PORTS", 0, 0, "number of ports that the row adds up: --sum"),
	WORD(summed_by, summed_names, "SUMMED BY", 0, 0,
	     "what added them up: the node's agent, or rdmactl from the counters of each port"),
};

static const struct field vl_fields[] = {
	COMMON_FIELDS,
	PERF_VL_FIELD("counters"),
	PERF_VL_COUNTERS(LISTING_COUNTER)
		OP_CODE_FIELD("operation code of the packets that op_packets and op_data_bytes "
			      "count"),
	SATURATED_FIELD,
};

static const struct field fec_fields[] = {
	COMMON_FIELDS,
	NUMBER(lane, "LANE", SHOWN, 0,
	       "lane of the link; none: the counters of all lanes together"),
	WORD_AS("fec_active", fec, fec_active_names, "FEC", SHOWN, 0,
		"active forward error correction, where it makes a difference"),
	PERF_FEC_COUNTERS(LISTING_COUNTER) SATURATED_FIELD,
};

static const struct field congestion_fields[] = {
	COMMON_FIELDS,
	PERF_VL_FIELD("counters"),
	PERF_SL_FIELD("counters"),
	PERF_CONGESTION_COUNTERS(LISTING_COUNTER) SATURATED_FIELD,
};

static const struct field sl_fields[] = {
	COMMON_FIELDS,
	PERF_SL_FIELD("counters"),
	PERF_SL_COUNTERS(LISTING_COUNTER) SATURATED_FIELD,
};

static const struct field details_fields[] = {
	COMMON_FIELDS,
	PERF_DETAIL_COUNTERS(LISTING_COUNTER) SATURATED_FIELD,
};

static const struct field flow_fields[] = {
	COMMON_FIELDS,
	PERF_FLOW_COUNTERS(LISTING_COUNTER)
		OP_CODE_FIELD("operation code of the packets that op_rcv_packets and "
			      "op_rcv_data_bytes count"),
	SATURATED_FIELD,
};

#define ERROR_COLUMNS                                                               \
	"object,port,symbol_errors,link_error_recoveries,link_downed,rcv_errors,"   \
	"rcv_remote_physical_errors,rcv_switch_relay_errors,xmit_discards,"         \
	"xmit_constraint_errors,rcv_constraint_errors,local_link_integrity_errors," \
	"excessive_buffer_overruns,qp1_dropped,vl15_dropped"
#define SUM_COLUMNS                                                                         \
	"object,summed_ports,summed_by,symbol_errors,link_downed,rcv_errors,xmit_discards," \
	"xmit_data_bytes,rcv_data_bytes,xmit_packets,rcv_packets,xmit_wait_ticks"
#define TRAFFIC_ONLY                                                          \
	"width_bits,xmit_data_bytes,rcv_data_bytes,xmit_packets,rcv_packets," \
	"unicast_xmit_packets,unicast_rcv_packets,multicast_xmit_packets,multicast_rcv_packets"

static const struct column_view views[] = {
	{"--errors", ERROR_COLUMNS},
	{"--traffic", "object,port," TRAFFIC_ONLY},
	{"--sum", SUM_COLUMNS},
	{"--errors --traffic", ERROR_COLUMNS "," TRAFFIC_ONLY},
	{NULL, NULL},
};

const struct schema perf_schema = SCHEMA("perf", struct perf_record, port_fields,
					 "the counters of a port, at the full width of the device",
					 .views = views);

const struct schema perf_schemas[] = {
	[PERF_OF_VL] = SCHEMA("perf_vl", RECORD, vl_fields,
			      "the counters of a virtual lane of a port: --vl"),
	[PERF_OF_FEC] = SCHEMA("perf_fec", RECORD, fec_fields,
			       "the encoding errors of a link, or of one of its lanes: --fec"),
	[PERF_OF_CONGESTION] = SCHEMA("perf_congestion", RECORD, congestion_fields,
				      "the congestion of a port, a virtual lane or a service "
				      "level: --congestion"),
	[PERF_OF_SL] = SCHEMA("perf_sl", RECORD, sl_fields,
			      "the data of a service level of a port: --by-sl"),
	[PERF_OF_DETAILS] = SCHEMA("perf_details", RECORD, details_fields,
				   "why a port discarded packets and received bad ones: --details"),
	[PERF_OF_FLOW] = SCHEMA("perf_flow", RECORD, flow_fields,
				"the flow control of a port, and packets with one operation code: "
				"--flow"),
};

const struct schema *perf_listing_schema(enum perf_listing listing)
{
	return listing == PERF_OF_PORT ? &perf_schema : &perf_schemas[listing];
}

/* The listings share the fields that own anything. */
void perf_record_clear(struct perf_record *record)
{
	record_clear(&perf_schema, record);
}

void perf_rows_free(struct perf_record *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		perf_record_clear(&rows[i]);
	free(rows);
}
