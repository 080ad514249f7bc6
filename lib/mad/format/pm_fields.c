/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The attributes of performance management: IBA 1, 16.1.3 and 16.1.4; those of congestion control:
 * annex A10. The attribute begins at byte 64 of the datagram; PortSelect is its second byte,
 * CounterSelect (the counters that a Set writes) the next two.
 */
#include "mad/format/pm_counters.h"
#include "mad/format/rows.h"

/* Octets are counted in words of four, 16.1.3.5. */
#define DATA_WORD 4
#define COUNTER(group_, byte_, bit_, width_, ...) \
	PLAIN_NUM(byte_, bit_, width_, __VA_ARGS__, .tag = group_)
#define TRAFFIC(byte_, bit_, width_, factor_, key_) \
	COUNTER(PERF_GROUP_TRAFFIC, byte_, bit_, width_, key_, .factor = factor_)
#define ERROR(byte_, bit_, width_, key_) COUNTER(PERF_GROUP_ERRORS, byte_, bit_, width_, key_)
#define CONGESTION(byte_, bit_, width_, key_) \
	COUNTER(PERF_GROUP_CONGESTION, byte_, bit_, width_, key_)
#define FEC(byte_, width_, key_) COUNTER(PERF_GROUP_FEC, byte_, 0, width_, key_)

#define PORT_FIELDS		       MAD_OBJECT_FIELDS(0), PLAIN_NUM(1, 0, 8, "port_select")
#define SELECT_FIELDS		       PORT_FIELDS, PLAIN_HEX(2, 0, 16, "counter_select")
#define COUNTER_SELECT2(byte_, width_) PLAIN_HEX(byte_, 0, width_, "counter_select2")

/* The rows of pm_counters.h in PortCounters, 16.1.3.5. */
#define NARROW(group_, factor_, key_, heading_, flags_, byte_, bit_, width_, wide_, help_) \
	COUNTER(PERF_GROUP_##group_, byte_, bit_, width_, #key_, .factor = factor_),

static const struct field counters_fields[] = {
	SELECT_FIELDS, PERF_LINK_ERRORS(NARROW) COUNTER_SELECT2(18, 8),
	PERF_THRESHOLD_ERRORS(NARROW) PERF_QP1_DROPPED(NARROW) PERF_VL15_DROPPED(NARROW)
		PERF_DATA_BYTES(NARROW) PERF_PACKETS(NARROW) PERF_XMIT_WAIT(NARROW)};

/*
 * The same in PortCountersExtended, 16.1.4.11. Fields from byte 72 on need
 * PERF_CAP2_EXTENDED_ERRORS.
 */
#define WIDE(group_, factor_, key_, heading_, flags_, byte_, bit_, width_, wide_, help_) \
	NARROW(group_, factor_, key_, heading_, flags_, wide_, 0, 64, 0, help_)

static const struct field extended_fields[] = {
	SELECT_FIELDS, COUNTER_SELECT2(4, 32),
	PERF_DATA_BYTES(WIDE) PERF_PACKETS(WIDE) PERF_CAST_PACKETS(WIDE) PERF_LINK_ERRORS(WIDE)
		PERF_THRESHOLD_ERRORS(WIDE) PERF_VL15_DROPPED(WIDE) PERF_XMIT_WAIT(WIDE)
			PERF_QP1_DROPPED(WIDE)};

const struct schema perf_counters_schema = PLAIN_SCHEMA("perf_portcounters", counters_fields);
const struct schema perf_extended_counters_schema = PLAIN_SCHEMA("perf_portcountersextended",
								 extended_fields);

#define OP_CODE PLAIN_HEX(0, 0, 8, "op_code")

static const struct field op_rcv_fields[] = {
	SELECT_FIELDS,
	OP_CODE,
	TRAFFIC(4, 0, 32, 1, "op_rcv_packets"),
	TRAFFIC(8, 0, 32, DATA_WORD, "op_rcv_data_bytes"),
};

static const struct field flow_control_fields[] = {
	SELECT_FIELDS,
	TRAFFIC(4, 0, 32, 1, "xmit_flow_packets"),
	TRAFFIC(8, 0, 32, 1, "rcv_flow_packets"),
};

#define VL_PACKETS(vl_) TRAFFIC(4, (vl_)*16, 16, 1, "op_packets_vl" #vl_)
static const struct field vl_op_packets_fields[] = {SELECT_FIELDS, OP_CODE, SIXTEEN(VL_PACKETS)};

#define VL_DATA(vl_) TRAFFIC(4, (vl_)*32, 32, DATA_WORD, "op_data_vl" #vl_ "_bytes")
static const struct field vl_op_data_fields[] = {SELECT_FIELDS, OP_CODE, SIXTEEN(VL_DATA)};

#define VL_FLOW_ERRORS(vl_) ERROR(4, (vl_)*2, 2, "xmit_flow_control_update_errors_vl" #vl_)
/* PortVLXmitFlowCtlUpdateErrors: two bits each */
static const struct field vl_flow_control_errors_fields[] = {
	SELECT_FIELDS,
	SIXTEEN(VL_FLOW_ERRORS),
};

#define VL_WAIT(vl_) CONGESTION(4, (vl_)*16, 16, "xmit_wait_vl" #vl_ "_ticks")
static const struct field vl_xmit_wait_fields[] = {SELECT_FIELDS, SIXTEEN(VL_WAIT)};

#define VL_CONGESTION(vl_) CONGESTION(4, (vl_)*16, 16, "congestion_vl" #vl_)
static const struct field vl_congestion_fields[] = {SELECT_FIELDS, SIXTEEN(VL_CONGESTION)};

#define VL_TIME(vl_) CONGESTION(4, (vl_)*32, 32, "xmit_time_congested_vl" #vl_ "_ticks")
/* PortVLXmitTimeCong, which has no counter for VL 15 */
static const struct field vl_xmit_congestion_fields[] = {SELECT_FIELDS, FIFTEEN(VL_TIME)};

#define SL_FECN(sl_) CONGESTION(4, (sl_)*32, 32, "rcv_fecn_sl" #sl_)
static const struct field sl_rcv_fecn_fields[] = {SELECT_FIELDS, SIXTEEN(SL_FECN)};

#define SL_BECN(sl_) CONGESTION(4, (sl_)*32, 32, "rcv_becn_sl" #sl_)
static const struct field sl_rcv_becn_fields[] = {SELECT_FIELDS, SIXTEEN(SL_BECN)};

#define SL_XMIT(sl_) TRAFFIC(4, (sl_)*32, 32, DATA_WORD, "xmit_data_sl" #sl_ "_bytes")
static const struct field sl_xmit_data_fields[] = {SELECT_FIELDS, SIXTEEN(SL_XMIT)};

#define SL_RCV(sl_) TRAFFIC(4, (sl_)*32, 32, DATA_WORD, "rcv_data_sl" #sl_ "_bytes")
static const struct field sl_rcv_data_fields[] = {SELECT_FIELDS, SIXTEEN(SL_RCV)};

static const struct field rcv_congestion_fields[] = {
	SELECT_FIELDS,
	CONGESTION(4, 0, 32, "rcv_fecn_packets"),
	CONGESTION(8, 0, 32, "rcv_becn_packets"),
};

static const struct field xmit_congestion_fields[] = {
	SELECT_FIELDS,
	CONGESTION(4, 0, 32, "xmit_time_congested_ticks"),
};

static const struct field rcv_errors_fields[] = {
	SELECT_FIELDS,
	ERROR(4, 0, 16, "local_physical_errors"),
	ERROR(6, 0, 16, "malformed_packet_errors"),
	ERROR(8, 0, 16, "buffer_overrun_errors"),
	ERROR(10, 0, 16, "dlid_mapping_errors"),
	ERROR(12, 0, 16, "vl_mapping_errors"),
	ERROR(14, 0, 16, "looping_errors"),
};

static const struct field xmit_discards_fields[] = {
	SELECT_FIELDS,
	ERROR(4, 0, 16, "inactive_discards"),
	ERROR(6, 0, 16, "neighbor_mtu_discards"),
	ERROR(8, 0, 16, "switch_lifetime_limit_discards"),
	ERROR(10, 0, 16, "switch_hoq_lifetime_limit_discards"),
};

#define LANES(ROW)		 EIGHT(ROW), ROW(8), ROW(9), ROW(10), ROW(11)
#define DETECTED(lane_)		 FEC(20 + 2 * (lane_), 16, "error_detection_lane" #lane_)
#define CORRECTABLE(lane_)	 FEC(44 + 4 * (lane_), 32, "fec_correctable_blocks_lane" #lane_)
#define UNCORRECTABLE(lane_)	 FEC(92 + 4 * (lane_), 32, "fec_uncorrectable_blocks_lane" #lane_)
#define CORRECTED_SYMBOLS(lane_) FEC(44 + 4 * (lane_), 32, "fec_corrected_symbols_lane" #lane_)

#define SPEEDS_FIELDS                                                                          \
	PORT_FIELDS, PLAIN_HEX(8, 0, 64, "counter_select"), FEC(16, 16, "sync_header_errors"), \
		FEC(18, 16, "unknown_blocks")

/* PortExtendedSpeedsCounters of links that encode 64 bits in 66 */
static const struct field speeds_fields[] = {
	SPEEDS_FIELDS,
	LANES(DETECTED),
	LANES(CORRECTABLE),
	LANES(UNCORRECTABLE),
};

/* The same attribute while RS-FEC is the active mode: codewords span all lanes. */
static const struct field speeds_rsfec_fields[] = {
	SPEEDS_FIELDS,
	FEC(140, 32, "fec_correctable_blocks"),
	FEC(144, 32, "fec_uncorrectable_blocks"),
	FEC(148, 32, "fec_corrected_symbols"),
	LANES(CORRECTED_SYMBOLS),
};
const struct schema perf_extended_speeds_rsfec_schema = PLAIN_SCHEMA("perf_extended_speeds_rsfec",
								     speeds_rsfec_fields);

/* CounterWidth and ExtendedWidth are codes for numbers of bits: 16.1.3.2. */
static const struct enum_name counter_width_names[] = {
	{0, "16"}, {1, "20"}, {2, "24"}, {3, "28"}, {4, "32"}, {0, NULL},
};

static const struct enum_name extended_width_names[] = {{1, "48"}, {2, "64"}, {0, NULL}};

const struct enum_name perf_sample_status_names[] = {
	{PERF_SAMPLING_DONE, "done"},
	{1, "waiting"}, /* SampleStart has not passed */
	{2, "running"},
	{0, NULL},
};

/* Three bits each: two spare bits and ten masks, then a spare bit and five. */
#define MASK(n_)                                                                            \
	PLAIN_HEX(0, (n_) < 10 ? MAD_AT(4, 2) + 3 * (n_) : MAD_AT(8, 1) + 3 * ((n_)-10), 3, \
		  "counter" #n_ "_mask")
#define SELECT(n_)	    PLAIN_HEX(38 + 2 * (n_), 0, 16, "counter" #n_ "_select")
#define RESULT(n_)	    PLAIN_NUM(4 + 4 * (n_), 0, 32, "counter" #n_)
#define EXTENDED_RESULT(n_) PLAIN_NUM(8 + 8 * (n_), 0, 64, "counter" #n_)

/* PortSamplesControl, 16.1.3.2 */
static const struct field control_fields[] = {
	PORT_FIELDS,
	PLAIN_HEX(0, 0, 8, "op_code"),
	PLAIN_NUM(2, 0, 8, "tick"), /* in the code of the port */
	PLAIN_CODE(3, 5, 3, counter_width_names, "counter_width_bits"),
	FIFTEEN(MASK),
	PLAIN_HEX(10, 0, 8, "sample_mechanisms"),
	PLAIN_WORD(11, 6, 2, perf_sample_status_names, "sample_status"),
	PLAIN_HEX(12, 0, 64, "option_mask"),
	PLAIN_HEX(20, 0, 64, "vendor_mask"),
	PLAIN_NUM(28, 0, 32, "sample_start_ticks"),
	PLAIN_NUM(32, 0, 32, "sample_interval_ticks"),
	PLAIN_HEX(36, 0, 16, "tag"),
	FIFTEEN(SELECT),
	PLAIN_HEX(72, 0, 64, "samples_only_option_mask"),
};

#define RESULT_FIELDS                                     \
	MAD_OBJECT_FIELDS(0), PLAIN_HEX(0, 0, 16, "tag"), \
		PLAIN_WORD(3, 6, 2, perf_sample_status_names, "sample_status")

/* PortSamplesResult, 16.1.3.4 */
static const struct field result_fields[] = {RESULT_FIELDS, FIFTEEN(RESULT)};

static const struct field extended_result_fields[] = {
	RESULT_FIELDS,
	PLAIN_CODE(4, 0, 2, extended_width_names, "counter_width_bits"),
	FIFTEEN(EXTENDED_RESULT),
};

#define PM(id_, word_, alias_, name_, bytes_, fields_)                                             \
	ATTRIBUTE(UMAD_CLASS_PERF_MGMT, id_, word_, alias_, name_, bytes_, "perf_" word_, fields_, \
		  name_)

/* 16.1.3 (mandatory) and 16.1.4 (optional); the aliases are options of perfquery(8). */
const struct mad_attribute pm_attributes[] = {
	CLASS_PORT_INFO(UMAD_CLASS_PERF_MGMT, "cpi", &perf_class_port_info_schema),
	PM(MAD_PM_SAMPLES_CONTROL, "portsamplescontrol", "smplctl", "PortSamplesControl", 80,
	   control_fields),
	PM(MAD_PM_SAMPLES_RESULT, "portsamplesresult", NULL, "PortSamplesResult", 64,
	   result_fields),
	ATTRIBUTE_OF(UMAD_CLASS_PERF_MGMT, MAD_PM_COUNTERS, "portcounters", "counters",
		     "PortCounters", 44, &perf_counters_schema),
	PM(MAD_PM_RCV_ERROR_DETAILS, "portrcverrordetails", "rcverr", "PortRcvErrorDetails", 16,
	   rcv_errors_fields),
	PM(MAD_PM_XMIT_DISCARD_DETAILS, "portxmitdiscarddetails", "xmtdisc",
	   "PortXmitDiscardDetails", 12, xmit_discards_fields),
	PM(MAD_PM_OP_RCV_COUNTERS, "portoprcvcounters", "oprcvcounters", "PortOpRcvCounters", 12,
	   op_rcv_fields),
	PM(MAD_PM_FLOW_CTL_COUNTERS, "portflowctlcounters", "flowctlcounters",
	   "PortFlowCtlCounters", 12, flow_control_fields),
	PM(MAD_PM_VL_OP_PACKETS, "portvloppackets", "vloppackets", "PortVLOpPackets", 36,
	   vl_op_packets_fields),
	PM(MAD_PM_VL_OP_DATA, "portvlopdata", "vlopdata", "PortVLOpData", 68, vl_op_data_fields),
	PM(MAD_PM_VL_XMIT_FLOW_CTL_ERRORS, "portvlxmitflowctlupdateerrors", "vlxmitflowctlerrors",
	   "PortVLXmitFlowCtlUpdateErrors", 8, vl_flow_control_errors_fields),
	PM(MAD_PM_VL_XMIT_WAIT, "portvlxmitwaitcounters", "vlxmitcounters",
	   "PortVLXmitWaitCounters", 36, vl_xmit_wait_fields),
	ATTRIBUTE_OF(UMAD_CLASS_PERF_MGMT, MAD_PM_COUNTERS_EXTENDED, "portcountersextended",
		     "extended", "PortCountersExtended", 184, &perf_extended_counters_schema),
	PM(MAD_PM_SAMPLES_RESULT_EXTENDED, "portsamplesresultextended", NULL,
	   "PortSamplesResultExtended", 128, extended_result_fields),
	PM(MAD_PM_EXTENDED_SPEEDS, "portextendedspeedscounters", "extended_speeds",
	   "PortExtendedSpeedsCounters", 152, speeds_fields),
	PM(MAD_PM_SW_VL_CONGESTION, "swportvlcongestion", "swportvlcong", "SwPortVLCongestion", 36,
	   vl_congestion_fields),
	PM(MAD_PM_RCV_CON_CTRL, "portrcvconctrl", "rcvcc", "PortRcvConCtrl", 12,
	   rcv_congestion_fields),
	PM(MAD_PM_SL_RCV_FECN, "portslrcvfecn", "slrcvfecn", "PortSLRcvFECN", 68,
	   sl_rcv_fecn_fields),
	PM(MAD_PM_SL_RCV_BECN, "portslrcvbecn", "slrcvbecn", "PortSLRcvBECN", 68,
	   sl_rcv_becn_fields),
	PM(MAD_PM_XMIT_CON_CTRL, "portxmitconctrl", "xmitcc", "PortXmitConCtrl", 8,
	   xmit_congestion_fields),
	PM(MAD_PM_VL_XMIT_TIME_CONG, "portvlxmittimecong", "vlxmittimecc", "PortVLXmitTimeCong", 64,
	   vl_xmit_congestion_fields),
	PM(MAD_PM_XMIT_DATA_SL, "portxmitdatasl", "xmtsl", "PortXmitDataSL", 68,
	   sl_xmit_data_fields),
	PM(MAD_PM_RCV_DATA_SL, "portrcvdatasl", "rcvsl", "PortRcvDataSL", 68, sl_rcv_data_fields),
	{.schema = NULL},
};
