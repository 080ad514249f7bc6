/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counters by virtual lane, service level and operation code: IBA 1, 16.1.4; and congestion control
 * counters: annex A10.
 */
#include "base/mem.h"
#include "mad/format/pm_counters.h"

#define TRAFFIC(at_, width_, factor_, key_, heading_, help_) \
	PERF_COUNTER(PERF_GROUP_TRAFFIC, at_, width_, factor_, key_, heading_, FIELD_DEFAULT, help_)
#define ERROR(at_, width_, key_, heading_, help_) \
	PERF_COUNTER(PERF_GROUP_ERRORS, at_, width_, 1, key_, heading_, FIELD_DEFAULT, help_)
#define CONGESTION(at_, width_, key_, heading_, help_) \
	PERF_COUNTER(PERF_GROUP_CONGESTION, at_, width_, 1, key_, heading_, FIELD_DEFAULT, help_)

#define OP_CODE                                                       \
	MAD_HEX(MAD_AT(0, 0), 8, "op_code", "OP CODE", FIELD_DEFAULT, \
		"operation code of the packets that are counted")

#define FIFTEEN(ROW)                                                                             \
	ROW(0), ROW(1), ROW(2), ROW(3), ROW(4), ROW(5), ROW(6), ROW(7), ROW(8), ROW(9), ROW(10), \
		ROW(11), ROW(12), ROW(13), ROW(14)
#define SIXTEEN(ROW) FIFTEEN(ROW), ROW(15)
/* The position of the counter of a lane or level: they are consecutive from byte 4 on. */
#define PLACE(n_, width_) (MAD_AT(4, 0) + (n_) * (width_))

/* PortOpRcvCounters */
static const struct field op_rcv_fields[] = {
	PERF_FIELDS_SELECT,
	OP_CODE,
	TRAFFIC(MAD_AT(4, 0), 32, 1, "op_rcv_packets", "PACKETS",
		"packets received with the operation code"),
	TRAFFIC(MAD_AT(8, 0), 32, PERF_DATA, "op_rcv_data_bytes", "BYTES",
		"bytes received with the operation code"),
};

/* PortFlowCtlCounters */
static const struct field flow_control_fields[] = {
	PERF_FIELDS_SELECT,
	TRAFFIC(MAD_AT(4, 0), 32, 1, "xmit_flow_packets", "XMIT FLOW", "flow control packets sent"),
	TRAFFIC(MAD_AT(8, 0), 32, 1, "rcv_flow_packets", "RCV FLOW",
		"flow control packets received"),
};

#define VL_PACKETS(vl_)                                                  \
	TRAFFIC(PLACE(vl_, 16), 16, 1, "op_packets_vl" #vl_, "VL " #vl_, \
		"packets received on VL " #vl_ " with the operation code")
/* PortVLOpPackets */
static const struct field vl_op_packets_fields[] = {
	PERF_FIELDS_SELECT,
	OP_CODE,
	SIXTEEN(VL_PACKETS),
};

#define VL_DATA(vl_)                                                                   \
	TRAFFIC(PLACE(vl_, 32), 32, PERF_DATA, "op_data_vl" #vl_ "_bytes", "VL " #vl_, \
		"bytes received on VL " #vl_ " with the operation code")
/* PortVLOpData */
static const struct field vl_op_data_fields[] = {
	PERF_FIELDS_SELECT,
	OP_CODE,
	SIXTEEN(VL_DATA),
};

#define VL_FLOW_ERRORS(vl_)                                                            \
	ERROR(PLACE(vl_, 2), 2, "xmit_flow_control_update_errors_vl" #vl_, "VL " #vl_, \
	      "flow control updates of VL " #vl_ " that came too late")
/* PortVLXmitFlowCtlUpdateErrors: two bits each */
static const struct field vl_flow_control_errors_fields[] = {
	PERF_FIELDS_SELECT,
	SIXTEEN(VL_FLOW_ERRORS),
};

#define VL_WAIT(vl_)                                                             \
	CONGESTION(PLACE(vl_, 16), 16, "xmit_wait_vl" #vl_ "_ticks", "VL " #vl_, \
		   "ticks in which there was data to send on VL " #vl_ " but no credit")
/* PortVLXmitWaitCounters */
static const struct field vl_xmit_wait_fields[] = {
	PERF_FIELDS_SELECT,
	SIXTEEN(VL_WAIT),
};

#define VL_CONGESTION(vl_)                                               \
	CONGESTION(PLACE(vl_, 16), 16, "congestion_vl" #vl_, "VL " #vl_, \
		   "times that VL " #vl_ " of the switch port became congested")
/* SwPortVLCongestion */
static const struct field vl_congestion_fields[] = {
	PERF_FIELDS_SELECT,
	SIXTEEN(VL_CONGESTION),
};

#define VL_TIME(vl_)                                                                       \
	CONGESTION(PLACE(vl_, 32), 32, "xmit_time_congested_vl" #vl_ "_ticks", "VL " #vl_, \
		   "time that VL " #vl_ " was congested")
/* PortVLXmitTimeCong, which has no counter for VL 15 */
static const struct field vl_xmit_congestion_fields[] = {
	PERF_FIELDS_SELECT,
	FIFTEEN(VL_TIME),
};

#define SL_FECN(sl_)                                                   \
	CONGESTION(PLACE(sl_, 32), 32, "rcv_fecn_sl" #sl_, "SL " #sl_, \
		   "packets received on SL " #sl_ " with the forward congestion mark")
/* PortSLRcvFECN */
static const struct field sl_rcv_fecn_fields[] = {
	PERF_FIELDS_SELECT,
	SIXTEEN(SL_FECN),
};

#define SL_BECN(sl_)                                                   \
	CONGESTION(PLACE(sl_, 32), 32, "rcv_becn_sl" #sl_, "SL " #sl_, \
		   "packets received on SL " #sl_ " with the backward congestion mark")
/* PortSLRcvBECN */
static const struct field sl_rcv_becn_fields[] = {
	PERF_FIELDS_SELECT,
	SIXTEEN(SL_BECN),
};

#define SL_XMIT(sl_)                                                                     \
	TRAFFIC(PLACE(sl_, 32), 32, PERF_DATA, "xmit_data_sl" #sl_ "_bytes", "SL " #sl_, \
		"bytes sent on SL " #sl_)
/* PortXmitDataSL */
static const struct field sl_xmit_data_fields[] = {
	PERF_FIELDS_SELECT,
	SIXTEEN(SL_XMIT),
};

#define SL_RCV(sl_)                                                                     \
	TRAFFIC(PLACE(sl_, 32), 32, PERF_DATA, "rcv_data_sl" #sl_ "_bytes", "SL " #sl_, \
		"bytes received on SL " #sl_)
/* PortRcvDataSL */
static const struct field sl_rcv_data_fields[] = {
	PERF_FIELDS_SELECT,
	SIXTEEN(SL_RCV),
};

/* PortRcvConCtrl */
static const struct field rcv_congestion_fields[] = {
	PERF_FIELDS_SELECT,
	CONGESTION(MAD_AT(4, 0), 32, "rcv_fecn_packets", "FECN",
		   "packets received with the forward congestion mark"),
	CONGESTION(MAD_AT(8, 0), 32, "rcv_becn_packets", "BECN",
		   "packets received with the backward congestion mark"),
};

/* PortXmitConCtrl */
static const struct field xmit_congestion_fields[] = {
	PERF_FIELDS_SELECT,
	CONGESTION(MAD_AT(4, 0), 32, "xmit_time_congested_ticks", "CONGESTED TICKS",
		   "time that the port was congested"),
};

const struct schema perf_op_rcv_schema = MAD_SCHEMA(
	"perf_op_rcv", op_rcv_fields,
	"packets and bytes that a port received with an operation code");
const struct schema perf_flow_control_schema = MAD_SCHEMA("perf_flow_control", flow_control_fields,
							  "the flow control packets of a port");
const struct schema perf_vl_op_packets_schema = MAD_SCHEMA(
	"perf_vl_op_packets", vl_op_packets_fields,
	"packets that a port received with an operation code, by VL");
const struct schema perf_vl_op_data_schema = MAD_SCHEMA(
	"perf_vl_op_data", vl_op_data_fields,
	"bytes that a port received with an operation code, by VL");
const struct schema perf_vl_flow_control_errors_schema = MAD_SCHEMA(
	"perf_vl_flow_control_errors", vl_flow_control_errors_fields,
	"late flow control updates of a port, by VL");
const struct schema perf_vl_xmit_wait_schema = MAD_SCHEMA(
	"perf_vl_xmit_wait", vl_xmit_wait_fields, "how long a port waited for credit, by VL");
const struct schema perf_vl_congestion_schema = MAD_SCHEMA(
	"perf_vl_congestion", vl_congestion_fields, "the congestion of a switch port, by VL");
const struct schema perf_vl_xmit_congestion_schema = MAD_SCHEMA(
	"perf_vl_xmit_congestion", vl_xmit_congestion_fields,
	"how long a port was congested, by VL");
const struct schema perf_sl_rcv_fecn_schema = MAD_SCHEMA(
	"perf_sl_rcv_fecn", sl_rcv_fecn_fields,
	"packets with the forward congestion mark that a port received, by SL");
const struct schema perf_sl_rcv_becn_schema = MAD_SCHEMA(
	"perf_sl_rcv_becn", sl_rcv_becn_fields,
	"packets with the backward congestion mark that a port received, by SL");
const struct schema perf_sl_xmit_data_schema = MAD_SCHEMA("perf_sl_xmit_data", sl_xmit_data_fields,
							  "bytes that a port sent, by SL");
const struct schema perf_sl_rcv_data_schema = MAD_SCHEMA("perf_sl_rcv_data", sl_rcv_data_fields,
							 "bytes that a port received, by SL");
const struct schema perf_rcv_congestion_schema = MAD_SCHEMA(
	"perf_rcv_congestion", rcv_congestion_fields,
	"packets with a congestion mark that a port received");
const struct schema perf_xmit_congestion_schema = MAD_SCHEMA(
	"perf_xmit_congestion", xmit_congestion_fields, "how long a port was congested");
