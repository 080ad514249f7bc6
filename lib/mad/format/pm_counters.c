/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mad/format/pm_counters.h"

#include "base/mem.h"
#include "mad/format/attribute.h"

/*
 * One counter of both attributes, with its position and width in each, so that the two tables share
 * the words.
 */
#define ERROR(at_, width_, key_, heading_, flags_, help_) \
	PERF_COUNTER(PERF_GROUP_ERRORS, at_, width_, 1, key_, heading_, flags_, help_)
#define TRAFFIC(at_, width_, factor_, key_, heading_, flags_, help_) \
	PERF_COUNTER(PERF_GROUP_TRAFFIC, at_, width_, factor_, key_, heading_, flags_, help_)

#define SYMBOL_ERRORS(at_, width_)                                          \
	ERROR(at_, width_, "symbol_errors", "SYMBOL ERRORS", FIELD_DEFAULT, \
	      "minor link errors: bad symbols on one lane or more")
#define LINK_ERROR_RECOVERIES(at_, width_)                           \
	ERROR(at_, width_, "link_error_recoveries", "RECOVERIES", 0, \
	      "times that the link was retrained successfully")
#define LINK_DOWNED(at_, width_)                                        \
	ERROR(at_, width_, "link_downed", "LINK DOWNED", FIELD_DEFAULT, \
	      "times that retraining the link failed and it went down")
#define RCV_ERRORS(at_, width_)                                       \
	ERROR(at_, width_, "rcv_errors", "RCV ERRORS", FIELD_DEFAULT, \
	      "packets received with an error")
#define RCV_REMOTE_PHYSICAL_ERRORS(at_, width_)                                  \
	ERROR(at_, width_, "rcv_remote_physical_errors", "RCV REMOTE ERRORS", 0, \
	      "packets received that another port had marked as bad")
#define RCV_SWITCH_RELAY_ERRORS(at_, width_)                             \
	ERROR(at_, width_, "rcv_switch_relay_errors", "RELAY ERRORS", 0, \
	      "packets received that the switch could not forward")
#define XMIT_DISCARDS(at_, width_)                                          \
	ERROR(at_, width_, "xmit_discards", "XMIT DISCARDS", FIELD_DEFAULT, \
	      "packets not sent: the port was down or congested for too long")
#define XMIT_CONSTRAINT_ERRORS(at_, width_)                                 \
	ERROR(at_, width_, "xmit_constraint_errors", "XMIT CONSTRAINTS", 0, \
	      "packets not sent because of the partition or raw packet filter")
#define RCV_CONSTRAINT_ERRORS(at_, width_)                                \
	ERROR(at_, width_, "rcv_constraint_errors", "RCV CONSTRAINTS", 0, \
	      "packets discarded because of the partition or raw packet filter")
#define LOCAL_LINK_INTEGRITY_ERRORS(at_, width_)                               \
	ERROR(at_, width_, "local_link_integrity_errors", "LINK INTEGRITY", 0, \
	      "times that the physical errors of the port passed their threshold")
#define EXCESSIVE_BUFFER_OVERRUNS(at_, width_)                                \
	ERROR(at_, width_, "excessive_buffer_overruns", "BUFFER OVERRUNS", 0, \
	      "times that buffer overruns went on for too long")
#define QP1_DROPPED(at_, width_)                            \
	ERROR(at_, width_, "qp1_dropped", "QP1 DROPPED", 0, \
	      "management datagrams to queue pair 1 that the port had no room for")
#define VL15_DROPPED(at_, width_)                             \
	ERROR(at_, width_, "vl15_dropped", "VL15 DROPPED", 0, \
	      "subnet management packets that the port had no room for")
#define XMIT_DATA(at_, width_)                                                          \
	TRAFFIC(at_, width_, PERF_DATA, "xmit_data_bytes", "XMIT BYTES", FIELD_DEFAULT, \
		"bytes sent, except link packets")
#define RCV_DATA(at_, width_)                                                         \
	TRAFFIC(at_, width_, PERF_DATA, "rcv_data_bytes", "RCV BYTES", FIELD_DEFAULT, \
		"bytes received, except link packets")
#define XMIT_PACKETS(at_, width_)                                              \
	TRAFFIC(at_, width_, 1, "xmit_packets", "XMIT PACKETS", FIELD_DEFAULT, \
		"packets sent, except link packets")
#define RCV_PACKETS(at_, width_)                                             \
	TRAFFIC(at_, width_, 1, "rcv_packets", "RCV PACKETS", FIELD_DEFAULT, \
		"packets received, except link packets")
#define XMIT_WAIT(at_, width_)                                                                    \
	PERF_COUNTER(PERF_GROUP_CONGESTION, at_, width_, 1, "xmit_wait_ticks", "XMIT WAIT TICKS", \
		     FIELD_DEFAULT,                                                               \
		     "ticks in which there was data to send but no credit, or no turn")

/* PortCounters, 16.1.3.5 */
static const struct field counters_fields[] = {
	PERF_FIELDS_SELECT,
	SYMBOL_ERRORS(MAD_AT(4, 0), 16),
	LINK_ERROR_RECOVERIES(MAD_AT(6, 0), 8),
	LINK_DOWNED(MAD_AT(7, 0), 8),
	RCV_ERRORS(MAD_AT(8, 0), 16),
	RCV_REMOTE_PHYSICAL_ERRORS(MAD_AT(10, 0), 16),
	RCV_SWITCH_RELAY_ERRORS(MAD_AT(12, 0), 16),
	XMIT_DISCARDS(MAD_AT(14, 0), 16),
	XMIT_CONSTRAINT_ERRORS(MAD_AT(16, 0), 8),
	RCV_CONSTRAINT_ERRORS(MAD_AT(17, 0), 8),
	MAD_HEX(MAD_AT(18, 0), 8, "counter_select2", "COUNTER SELECT 2", 0,
		"further counters that a write affects, a bit each"),
	LOCAL_LINK_INTEGRITY_ERRORS(MAD_AT(19, 0), 4),
	EXCESSIVE_BUFFER_OVERRUNS(MAD_AT(19, 4), 4),
	QP1_DROPPED(MAD_AT(20, 0), 16),
	VL15_DROPPED(MAD_AT(22, 0), 16),
	XMIT_DATA(MAD_AT(24, 0), 32),
	RCV_DATA(MAD_AT(28, 0), 32),
	XMIT_PACKETS(MAD_AT(32, 0), 32),
	RCV_PACKETS(MAD_AT(36, 0), 32),
	XMIT_WAIT(MAD_AT(40, 0), 32),
};

/* PortCountersExtended, 16.1.4.11. Fields from byte 72 on need PERF_CAP2_EXTENDED_ERRORS. */
static const struct field extended_fields[] = {
	PERF_FIELDS_SELECT,
	MAD_HEX(MAD_AT(4, 0), 32, "counter_select2", "COUNTER SELECT 2", 0,
		"further counters that a write affects, a bit each"),
	XMIT_DATA(MAD_AT(8, 0), 64),
	RCV_DATA(MAD_AT(16, 0), 64),
	XMIT_PACKETS(MAD_AT(24, 0), 64),
	RCV_PACKETS(MAD_AT(32, 0), 64),
	TRAFFIC(MAD_AT(40, 0), 64, 1, "unicast_xmit_packets", "UNICAST XMIT", 0,
		"unicast packets sent, errors included"),
	TRAFFIC(MAD_AT(48, 0), 64, 1, "unicast_rcv_packets", "UNICAST RCV", 0,
		"unicast packets received, errors included"),
	TRAFFIC(MAD_AT(56, 0), 64, 1, "multicast_xmit_packets", "MULTICAST XMIT", 0,
		"multicast packets sent, errors included"),
	TRAFFIC(MAD_AT(64, 0), 64, 1, "multicast_rcv_packets", "MULTICAST RCV", 0,
		"multicast packets received, errors included"),
	SYMBOL_ERRORS(MAD_AT(72, 0), 64),
	LINK_ERROR_RECOVERIES(MAD_AT(80, 0), 64),
	LINK_DOWNED(MAD_AT(88, 0), 64),
	RCV_ERRORS(MAD_AT(96, 0), 64),
	RCV_REMOTE_PHYSICAL_ERRORS(MAD_AT(104, 0), 64),
	RCV_SWITCH_RELAY_ERRORS(MAD_AT(112, 0), 64),
	XMIT_DISCARDS(MAD_AT(120, 0), 64),
	XMIT_CONSTRAINT_ERRORS(MAD_AT(128, 0), 64),
	RCV_CONSTRAINT_ERRORS(MAD_AT(136, 0), 64),
	LOCAL_LINK_INTEGRITY_ERRORS(MAD_AT(144, 0), 64),
	EXCESSIVE_BUFFER_OVERRUNS(MAD_AT(152, 0), 64),
	VL15_DROPPED(MAD_AT(160, 0), 64),
	XMIT_WAIT(MAD_AT(168, 0), 64),
	QP1_DROPPED(MAD_AT(176, 0), 64),
};

const struct schema perf_counters_schema = MAD_SCHEMA("perf_counters", counters_fields,
						      "the counters that every port has");
const struct schema perf_extended_counters_schema = MAD_SCHEMA(
	"perf_extended_counters", extended_fields, "the counters of 64 bits of a port");

#define ATTRIBUTE(id_, word_, alias_, name_, schema_, bytes_)                                  \
	{                                                                                      \
		.mgmt_class = UMAD_CLASS_PERF_MGMT, .id = id_, .word = word_, .alias = alias_, \
		.name = name_, .schema = &schema_, .bytes = bytes_                             \
	}

/* 16.1.3 (mandatory) and 16.1.4 (optional); the aliases are options of perfquery(8). */
const struct mad_attribute pm_attributes[] = {
	ATTRIBUTE(UMAD_ATTR_CLASS_PORT_INFO, "classportinfo", "cpi", "ClassPortInfo",
		  perf_class_port_info_schema, CLASS_PORT_INFO_BYTES),
	ATTRIBUTE(MAD_PM_SAMPLES_CONTROL, "portsamplescontrol", "smplctl", "PortSamplesControl",
		  perf_samples_control_schema, 80),
	ATTRIBUTE(MAD_PM_SAMPLES_RESULT, "portsamplesresult", NULL, "PortSamplesResult",
		  perf_samples_result_schema, 64),
	ATTRIBUTE(MAD_PM_COUNTERS, "portcounters", "counters", "PortCounters", perf_counters_schema,
		  44),
	ATTRIBUTE(MAD_PM_RCV_ERROR_DETAILS, "portrcverrordetails", "rcverr", "PortRcvErrorDetails",
		  perf_rcv_errors_schema, 16),
	ATTRIBUTE(MAD_PM_XMIT_DISCARD_DETAILS, "portxmitdiscarddetails", "xmtdisc",
		  "PortXmitDiscardDetails", perf_xmit_discards_schema, 12),
	ATTRIBUTE(MAD_PM_OP_RCV_COUNTERS, "portoprcvcounters", "oprcvcounters", "PortOpRcvCounters",
		  perf_op_rcv_schema, 12),
	ATTRIBUTE(MAD_PM_FLOW_CTL_COUNTERS, "portflowctlcounters", "flowctlcounters",
		  "PortFlowCtlCounters", perf_flow_control_schema, 12),
	ATTRIBUTE(MAD_PM_VL_OP_PACKETS, "portvloppackets", "vloppackets", "PortVLOpPackets",
		  perf_vl_op_packets_schema, 36),
	ATTRIBUTE(MAD_PM_VL_OP_DATA, "portvlopdata", "vlopdata", "PortVLOpData",
		  perf_vl_op_data_schema, 68),
	ATTRIBUTE(MAD_PM_VL_XMIT_FLOW_CTL_ERRORS, "portvlxmitflowctlupdateerrors",
		  "vlxmitflowctlerrors", "PortVLXmitFlowCtlUpdateErrors",
		  perf_vl_flow_control_errors_schema, 8),
	ATTRIBUTE(MAD_PM_VL_XMIT_WAIT, "portvlxmitwaitcounters", "vlxmitcounters",
		  "PortVLXmitWaitCounters", perf_vl_xmit_wait_schema, 36),
	ATTRIBUTE(MAD_PM_COUNTERS_EXTENDED, "portcountersextended", "extended",
		  "PortCountersExtended", perf_extended_counters_schema, 184),
	ATTRIBUTE(MAD_PM_SAMPLES_RESULT_EXTENDED, "portsamplesresultextended", NULL,
		  "PortSamplesResultExtended", perf_extended_samples_result_schema, 128),
	ATTRIBUTE(MAD_PM_EXTENDED_SPEEDS, "portextendedspeedscounters", "extended_speeds",
		  "PortExtendedSpeedsCounters", perf_extended_speeds_schema, 152),
	ATTRIBUTE(MAD_PM_SW_VL_CONGESTION, "swportvlcongestion", "swportvlcong",
		  "SwPortVLCongestion", perf_vl_congestion_schema, 36),
	ATTRIBUTE(MAD_PM_RCV_CON_CTRL, "portrcvconctrl", "rcvcc", "PortRcvConCtrl",
		  perf_rcv_congestion_schema, 12),
	ATTRIBUTE(MAD_PM_SL_RCV_FECN, "portslrcvfecn", "slrcvfecn", "PortSLRcvFECN",
		  perf_sl_rcv_fecn_schema, 68),
	ATTRIBUTE(MAD_PM_SL_RCV_BECN, "portslrcvbecn", "slrcvbecn", "PortSLRcvBECN",
		  perf_sl_rcv_becn_schema, 68),
	ATTRIBUTE(MAD_PM_XMIT_CON_CTRL, "portxmitconctrl", "xmitcc", "PortXmitConCtrl",
		  perf_xmit_congestion_schema, 8),
	ATTRIBUTE(MAD_PM_VL_XMIT_TIME_CONG, "portvlxmittimecong", "vlxmittimecc",
		  "PortVLXmitTimeCong", perf_vl_xmit_congestion_schema, 64),
	ATTRIBUTE(MAD_PM_XMIT_DATA_SL, "portxmitdatasl", "xmtsl", "PortXmitDataSL",
		  perf_sl_xmit_data_schema, 68),
	ATTRIBUTE(MAD_PM_RCV_DATA_SL, "portrcvdatasl", "rcvsl", "PortRcvDataSL",
		  perf_sl_rcv_data_schema, 68),
	{.schema = NULL},
};
