/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mad/format/class_port_info.h"
#include "mad/format/pm_counters.h"

#define ATTRIBUTE(id_, word_, alias_, name_, schema_, bytes_)                          \
	{                                                                              \
		.mgmt_class = MAD_CLASS_PM, .id = id_, .word = word_, .alias = alias_, \
		.name = name_, .schema = &schema_, .bytes = bytes_                     \
	}

/* 16.1.3 (mandatory) and 16.1.4 (optional); the aliases are options of perfquery(8). */
const struct mad_attribute pm_attributes[] = {
	ATTRIBUTE(0x01, "classportinfo", "cpi", "ClassPortInfo", perf_class_port_info_schema,
		  CLASS_PORT_INFO_BYTES),
	ATTRIBUTE(0x10, "portsamplescontrol", "smplctl", "PortSamplesControl",
		  perf_samples_control_schema, 80),
	ATTRIBUTE(0x11, "portsamplesresult", NULL, "PortSamplesResult", perf_samples_result_schema,
		  64),
	ATTRIBUTE(0x12, "portcounters", "counters", "PortCounters", perf_counters_schema, 44),
	ATTRIBUTE(0x15, "portrcverrordetails", "rcverr", "PortRcvErrorDetails",
		  perf_rcv_errors_schema, 16),
	ATTRIBUTE(0x16, "portxmitdiscarddetails", "xmtdisc", "PortXmitDiscardDetails",
		  perf_xmit_discards_schema, 12),
	ATTRIBUTE(0x17, "portoprcvcounters", "oprcvcounters", "PortOpRcvCounters",
		  perf_op_rcv_schema, 12),
	ATTRIBUTE(0x18, "portflowctlcounters", "flowctlcounters", "PortFlowCtlCounters",
		  perf_flow_control_schema, 12),
	ATTRIBUTE(0x19, "portvloppackets", "vloppackets", "PortVLOpPackets",
		  perf_vl_op_packets_schema, 36),
	ATTRIBUTE(0x1a, "portvlopdata", "vlopdata", "PortVLOpData", perf_vl_op_data_schema, 68),
	ATTRIBUTE(0x1b, "portvlxmitflowctlupdateerrors", "vlxmitflowctlerrors",
		  "PortVLXmitFlowCtlUpdateErrors", perf_vl_flow_control_errors_schema, 8),
	ATTRIBUTE(0x1c, "portvlxmitwaitcounters", "vlxmitcounters", "PortVLXmitWaitCounters",
		  perf_vl_xmit_wait_schema, 36),
	ATTRIBUTE(0x1d, "portcountersextended", "extended", "PortCountersExtended",
		  perf_extended_counters_schema, 184),
	ATTRIBUTE(0x1e, "portsamplesresultextended", NULL, "PortSamplesResultExtended",
		  perf_extended_samples_result_schema, 128),
	ATTRIBUTE(0x1f, "portextendedspeedscounters", "extended_speeds",
		  "PortExtendedSpeedsCounters", perf_extended_speeds_schema, 152),
	ATTRIBUTE(0x30, "swportvlcongestion", "swportvlcong", "SwPortVLCongestion",
		  perf_vl_congestion_schema, 36),
	ATTRIBUTE(0x31, "portrcvconctrl", "rcvcc", "PortRcvConCtrl", perf_rcv_congestion_schema,
		  12),
	ATTRIBUTE(0x32, "portslrcvfecn", "slrcvfecn", "PortSLRcvFECN", perf_sl_rcv_fecn_schema, 68),
	ATTRIBUTE(0x33, "portslrcvbecn", "slrcvbecn", "PortSLRcvBECN", perf_sl_rcv_becn_schema, 68),
	ATTRIBUTE(0x34, "portxmitconctrl", "xmitcc", "PortXmitConCtrl", perf_xmit_congestion_schema,
		  8),
	ATTRIBUTE(0x35, "portvlxmittimecong", "vlxmittimecc", "PortVLXmitTimeCong",
		  perf_vl_xmit_congestion_schema, 64),
	ATTRIBUTE(0x36, "portxmitdatasl", "xmtsl", "PortXmitDataSL", perf_sl_xmit_data_schema, 68),
	ATTRIBUTE(0x37, "portrcvdatasl", "rcvsl", "PortRcvDataSL", perf_sl_rcv_data_schema, 68),
	{.schema = NULL},
};
