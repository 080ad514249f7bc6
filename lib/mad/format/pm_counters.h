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

/* SampleStatus, 16.1.3.2 */
enum { PERF_SAMPLING_DONE };
extern const struct enum_name perf_sample_status_names[];

extern const struct schema perf_counters_schema;
extern const struct schema perf_extended_counters_schema;
/* PortExtendedSpeedsCounters of a link whose active FEC mode is RS-FEC: PERF_CAP_RSFEC. */
extern const struct schema perf_extended_speeds_rsfec_schema;

/*
 * The counters of PortCounters and PortCountersExtended, which share key and words. A row is
 * X(group, factor, key, heading, flags, byte, bit and width in PortCounters, byte in
 * PortCountersExtended, help). Octets are counted in words of four, 16.1.3.5.
 */
#define PERF_LINK_ERRORS(X)                                                              \
	X(ERRORS, 1, symbol_errors, "SYMBOL ERRORS", FIELD_DEFAULT, 4, 0, 16, 72,        \
	  "minor link errors: bad symbols on one lane or more")                          \
	X(ERRORS, 1, link_error_recoveries, "RECOVERIES", 0, 6, 0, 8, 80,                \
	  "times that the link was retrained successfully")                              \
	X(ERRORS, 1, link_downed, "LINK DOWNED", FIELD_DEFAULT, 7, 0, 8, 88,             \
	  "times that retraining the link failed and it went down")                      \
	X(ERRORS, 1, rcv_errors, "RCV ERRORS", FIELD_DEFAULT, 8, 0, 16, 96,              \
	  "packets received with an error")                                              \
	X(ERRORS, 1, rcv_remote_physical_errors, "RCV REMOTE ERRORS", 0, 10, 0, 16, 104, \
	  "packets received that another port had marked as bad")                        \
	X(ERRORS, 1, rcv_switch_relay_errors, "RELAY ERRORS", 0, 12, 0, 16, 112,         \
	  "packets received that the switch could not forward")                          \
	X(ERRORS, 1, xmit_discards, "XMIT DISCARDS", FIELD_DEFAULT, 14, 0, 16, 120,      \
	  "packets not sent: the port was down or congested for too long")               \
	X(ERRORS, 1, xmit_constraint_errors, "XMIT CONSTRAINTS", 0, 16, 0, 8, 128,       \
	  "packets not sent because of the partition or raw packet filter")              \
	X(ERRORS, 1, rcv_constraint_errors, "RCV CONSTRAINTS", 0, 17, 0, 8, 136,         \
	  "packets discarded because of the partition or raw packet filter")
#define PERF_THRESHOLD_ERRORS(X)                                                      \
	X(ERRORS, 1, local_link_integrity_errors, "LINK INTEGRITY", 0, 19, 0, 4, 144, \
	  "times that the physical errors of the port passed their threshold")        \
	X(ERRORS, 1, excessive_buffer_overruns, "BUFFER OVERRUNS", 0, 19, 4, 4, 152,  \
	  "times that buffer overruns went on for too long")
#define PERF_QP1_DROPPED(X)                                         \
	X(ERRORS, 1, qp1_dropped, "QP1 DROPPED", 0, 20, 0, 16, 176, \
	  "management datagrams to queue pair 1 that the port had no room for")
#define PERF_VL15_DROPPED(X)                                          \
	X(ERRORS, 1, vl15_dropped, "VL15 DROPPED", 0, 22, 0, 16, 160, \
	  "subnet management packets that the port had no room for")
#define PERF_DATA_BYTES(X)                                                        \
	X(TRAFFIC, 4, xmit_data_bytes, "XMIT BYTES", FIELD_DEFAULT, 24, 0, 32, 8, \
	  "bytes sent, except link packets")                                      \
	X(TRAFFIC, 4, rcv_data_bytes, "RCV BYTES", FIELD_DEFAULT, 28, 0, 32, 16,  \
	  "bytes received, except link packets")
#define PERF_PACKETS(X)                                                           \
	X(TRAFFIC, 1, xmit_packets, "XMIT PACKETS", FIELD_DEFAULT, 32, 0, 32, 24, \
	  "packets sent, except link packets")                                    \
	X(TRAFFIC, 1, rcv_packets, "RCV PACKETS", FIELD_DEFAULT, 36, 0, 32, 32,   \
	  "packets received, except link packets")
/* Only PortCountersExtended has these. */
#define PERF_CAST_PACKETS(X)                                                    \
	X(TRAFFIC, 1, unicast_xmit_packets, "UNICAST XMIT", 0, 0, 0, 0, 40,     \
	  "unicast packets sent, errors included")                              \
	X(TRAFFIC, 1, unicast_rcv_packets, "UNICAST RCV", 0, 0, 0, 0, 48,       \
	  "unicast packets received, errors included")                          \
	X(TRAFFIC, 1, multicast_xmit_packets, "MULTICAST XMIT", 0, 0, 0, 0, 56, \
	  "multicast packets sent, errors included")                            \
	X(TRAFFIC, 1, multicast_rcv_packets, "MULTICAST RCV", 0, 0, 0, 0, 64,   \
	  "multicast packets received, errors included")
#define PERF_XMIT_WAIT(X)                                                                   \
	X(CONGESTION, 1, xmit_wait_ticks, "XMIT WAIT TICKS", FIELD_DEFAULT, 40, 0, 32, 168, \
	  "ticks with data to send, but without credits or arbitration")

#define PERF_ERRORS(X) \
	PERF_LINK_ERRORS(X) PERF_THRESHOLD_ERRORS(X) PERF_QP1_DROPPED(X) PERF_VL15_DROPPED(X)
#define PERF_TRAFFIC(X)	      PERF_DATA_BYTES(X) PERF_PACKETS(X) PERF_CAST_PACKETS(X)
#define PERF_PORT_COUNTERS(X) PERF_ERRORS(X) PERF_TRAFFIC(X) PERF_XMIT_WAIT(X)
