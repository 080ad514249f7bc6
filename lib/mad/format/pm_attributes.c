/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mad/format/class_port_info.h"
#include "mad/format/pm_counters.h"

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
