/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Performance management: the kinds of counters, the selection of counters that a Set clears, and
 * the schemas in pm_attributes, all of struct mad_record with the attribute's data. Data are shown
 * in bytes, waits in ticks of the port (perf_samples_control: tick). A counter of PortCounters and
 * the same one of PortCountersExtended have the same key.
 */
#pragma once

#include "mad/format/attribute.h"

/* The tag of a counter's field; other fields have tag 0. */
enum perf_group {
	PERF_GROUP_NONE,
	PERF_GROUP_TRAFFIC,
	PERF_GROUP_ERRORS,
	PERF_GROUP_CONGESTION,
	PERF_GROUP_FEC, /* link encoding and forward error correction */
};

/* Values of CounterSelect in PortCounters: 16.1.3.5, the 16 bits and CounterSelect2. */
#define PERF_SELECT_ERRORS	 0x0fffu
#define PERF_SELECT_TRAFFIC	 0xf000u
#define PERF_SELECT2_XMIT_WAIT	 0x01u
#define PERF_SELECT2_QP1_DROPPED 0x02u

/*
 * Values in PortCountersExtended: 16.1.4.11. CounterSelect2 exists with PERF_CAP2_EXTENDED_ERRORS.
 */
#define PERF_EXTENDED_SELECT_TRAFFIC	  0x00ffu
#define PERF_EXTENDED_SELECT2_ERRORS	  0x0fffu
#define PERF_EXTENDED_SELECT2_XMIT_WAIT	  0x1000u
#define PERF_EXTENDED_SELECT2_QP1_DROPPED 0x2000u

/* ClassPortInfo of performance management, 16.1.3.1: CapabilityMask and CapabilityMask2. */
#define PERF_CAP_ALL_PORT_SELECT       (1u << 8)
#define PERF_CAP_EXTENDED_WIDTH	       (1u << 9)
#define PERF_CAP_EXTENDED_WIDTH_NOIETF (1u << 10) /* without unicast and multicast packets */
#define PERF_CAP_XMIT_WAIT	       (1u << 12)
#define PERF_CAP_RSFEC		       (1u << 14)
#define PERF_CAP_QP1_DROPPED	       (1u << 15)
#define PERF_CAP2_EXTENDED_ERRORS      (1u << 1)

#define PERF_ALL_PORTS 255u /* PortSelect, with PERF_CAP_ALL_PORT_SELECT */

extern const struct schema perf_counters_schema;
extern const struct schema perf_extended_counters_schema;
extern const struct schema perf_rcv_errors_schema;
extern const struct schema perf_xmit_discards_schema;
extern const struct schema perf_extended_speeds_schema;
/* PortExtendedSpeedsCounters of a link whose active FEC mode is RS-FEC: PERF_CAP_RSFEC. */
extern const struct schema perf_extended_speeds_rsfec_schema;
extern const struct schema perf_op_rcv_schema;
extern const struct schema perf_flow_control_schema;
extern const struct schema perf_vl_op_packets_schema;
extern const struct schema perf_vl_op_data_schema;
extern const struct schema perf_vl_flow_control_errors_schema;
extern const struct schema perf_vl_xmit_wait_schema;
extern const struct schema perf_vl_congestion_schema;
extern const struct schema perf_vl_xmit_congestion_schema;
extern const struct schema perf_sl_rcv_fecn_schema;
extern const struct schema perf_sl_rcv_becn_schema;
extern const struct schema perf_sl_xmit_data_schema;
extern const struct schema perf_sl_rcv_data_schema;
extern const struct schema perf_rcv_congestion_schema;
extern const struct schema perf_xmit_congestion_schema;
extern const struct schema perf_samples_control_schema;
extern const struct schema perf_samples_result_schema;
extern const struct schema perf_extended_samples_result_schema;

/*
 * The rows that the attributes share. 16.1.4: the attribute begins at byte 64 of the datagram;
 * PortSelect is its second byte, CounterSelect (the counters that a Set writes) the next two.
 */
#define PERF_COUNTER(group_, at_, width_, factor_, key_, heading_, flags_, help_) \
	MAD_COUNTER(at_, width_, factor_, key_, heading_, flags_, help_, .tag = group_)

/* Octets are counted in words of four, 16.1.3.5. */
#define PERF_DATA 4

#define PERF_PORT_SELECT                                               \
	MAD_UNSIGNED(MAD_AT(1, 0), 8, "port_select", "PORT SELECT", 0, \
		     "port that the counters are of; 255: all of them, added up")
#define PERF_COUNTER_SELECT                                              \
	MAD_HEX(MAD_AT(2, 0), 16, "counter_select", "COUNTER SELECT", 0, \
		"counters that a write affects, a bit each")

#define PERF_FIELDS \
	MAD_OBJECT_FIELDS(FIELD_DEFAULT), MAD_PORT_FIELD(FIELD_DEFAULT), PERF_PORT_SELECT
#define PERF_FIELDS_SELECT PERF_FIELDS, PERF_COUNTER_SELECT
