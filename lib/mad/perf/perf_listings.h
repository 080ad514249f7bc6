/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The counters of the listings of rdmactl perf other than the one of ports: each row is a column of
 * the listing and, with its own key and heading, a column of its rates. A row is X(group, member of
 * struct perf_record, heading, key of the rate, heading of the rate, help). The rate of bytes is in
 * gigabits per second; that of everything else is the growth per second.
 */
#pragma once

#include "schema/rows.h"

/* The fields that identify a row; `what_` is what it has: "counters" or "rates". */
#define PERF_PORT_FIELDS(what_)              \
	MAD_OBJECT_FIELDS_OF(RECORD, SHOWN), \
		NUMBER(port, "PORT", SHOWN, 0, "port that the " what_ " belong to")
#define PERF_VL_FIELD(what_) NUMBER(vl, "VL", SHOWN, 0, "virtual lane that the " what_ " belong to")
#define PERF_SL_FIELD(what_) \
	NUMBER(sl, "SL", SHOWN, 0, "service level that the " what_ " belong to")

#define PERF_COUNT(X, group_, member_, heading_, help_) \
	X(group_, member_, heading_, #member_ "_per_sec", heading_ "/s", help_)

#define PERF_VL_COUNTERS(X)                                                           \
	PERF_COUNT(X, CONGESTION, xmit_wait_ticks, "XMIT WAIT TICKS",                 \
		   "ticks in which there was data to send on the lane but no credit") \
	PERF_COUNT(X, ERRORS, flow_control_update_errors, "LATE UPDATES",             \
		   "flow control updates that came too late")                         \
	PERF_COUNT(X, TRAFFIC, op_packets, "OP PACKETS",                              \
		   "packets received with the operation code")                        \
	X(TRAFFIC, op_data_bytes, "OP BYTES", "op_gbps", "OP Gb/s",                   \
	  "bytes received with the operation code")

#define PERF_SL_COUNTERS(X)                                                 \
	X(TRAFFIC, xmit_data_bytes, "XMIT BYTES", "xmit_gbps", "XMIT Gb/s", \
	  "bytes sent on the service level")                                \
	X(TRAFFIC, rcv_data_bytes, "RCV BYTES", "rcv_gbps", "RCV Gb/s",     \
	  "bytes received on the service level")

/* The keys of PortRcvErrorDetails and PortXmitDiscardDetails. */
#define PERF_DETAIL_COUNTERS(X)                                                         \
	PERF_COUNT(X, ERRORS, local_physical_errors, "PHYSICAL",                        \
		   "received packets with a physical error of this link")               \
	PERF_COUNT(X, ERRORS, malformed_packet_errors, "MALFORMED",                     \
		   "received packets with a malformed header")                          \
	PERF_COUNT(X, ERRORS, buffer_overrun_errors, "OVERRUNS",                        \
		   "received packets that the buffer had no room for")                  \
	PERF_COUNT(X, ERRORS, dlid_mapping_errors, "DLID MAPPING",                      \
		   "received packets to a LID without an output port")                  \
	PERF_COUNT(X, ERRORS, vl_mapping_errors, "VL MAPPING",                          \
		   "received packets of a service level without a VL")                  \
	PERF_COUNT(X, ERRORS, looping_errors, "LOOPING",                                \
		   "received packets that would leave through the port they came from") \
	PERF_COUNT(X, ERRORS, inactive_discards, "INACTIVE",                            \
		   "packets not sent because the port was down")                        \
	PERF_COUNT(X, ERRORS, neighbor_mtu_discards, "MTU",                             \
		   "packets not sent because they are longer than the neighbor's MTU")  \
	PERF_COUNT(X, ERRORS, switch_lifetime_limit_discards, "LIFETIME",               \
		   "packets not sent because they stayed in the switch too long")       \
	PERF_COUNT(X, ERRORS, switch_hoq_lifetime_limit_discards, "HOQ LIFETIME",       \
		   "packets not sent because they were at the head of the queue too long")

/* The keys of PortFlowCtlCounters and PortOpRcvCounters. */
#define PERF_FLOW_COUNTERS(X)                                                                 \
	PERF_COUNT(X, TRAFFIC, xmit_flow_packets, "XMIT FLOW", "flow control packets sent")   \
	PERF_COUNT(X, TRAFFIC, rcv_flow_packets, "RCV FLOW", "flow control packets received") \
	PERF_COUNT(X, TRAFFIC, op_rcv_packets, "OP PACKETS",                                  \
		   "packets received with the operation code")                                \
	X(TRAFFIC, op_rcv_data_bytes, "OP BYTES", "op_rcv_gbps", "OP Gb/s",                   \
	  "bytes received with the operation code")

#define PERF_FEC_COUNTERS(X)                                                           \
	PERF_COUNT(X, FEC, sync_header_errors, "SYNC ERRORS",                          \
		   "blocks with a bad synchronization header")                         \
	PERF_COUNT(X, FEC, unknown_blocks, "UNKNOWN BLOCKS", "blocks of unknown type") \
	PERF_COUNT(X, FEC, error_detections, "DETECTED", "bad blocks")                 \
	PERF_COUNT(X, FEC, correctable_blocks, "CORRECTED",                            \
		   "blocks corrected; with RS-FEC, codewords")                         \
	PERF_COUNT(X, FEC, uncorrectable_blocks, "LOST",                               \
		   "blocks beyond correction; with RS-FEC, codewords")                 \
	PERF_COUNT(X, FEC, corrected_symbols, "SYMBOLS", "symbols corrected by RS-FEC")

#define PERF_CONGESTION_COUNTERS(X)                                               \
	PERF_COUNT(X, CONGESTION, xmit_wait_ticks, "XMIT WAIT TICKS",             \
		   "ticks with data to send, but without credits or arbitration") \
	PERF_COUNT(X, CONGESTION, xmit_time_congested_ticks, "CONGESTED TICKS",   \
		   "time spent congested")                                        \
	PERF_COUNT(X, CONGESTION, congestions, "CONGESTIONS",                     \
		   "times that the lane of a switch became congested")            \
	PERF_COUNT(X, CONGESTION, rcv_fecn_packets, "FECN",                       \
		   "packets received with the forward congestion mark")           \
	PERF_COUNT(X, CONGESTION, rcv_becn_packets, "BECN",                       \
		   "packets received with the backward congestion mark")
