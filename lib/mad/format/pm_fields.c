/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The attributes of performance management: IBA 1, 16.1.3 and 16.1.4; those of congestion control:
 * annex A10. The attribute begins at byte 64 of the datagram; PortSelect is its second byte,
 * CounterSelect (the counters that a Set writes) the next two.
 */
#include "base/mem.h"
#include "mad/format/pm_counters.h"
#include "mad/format/rows.h"

/* Octets are counted in words of four, 16.1.3.5. */
#define DATA_WORD 4
#define COUNTER(group_, byte_, bit_, width_, key_, heading_, flags_, ...)               \
	NUM(byte_, bit_, width_, key_, heading_, (flags_) | FIELD_COUNTER, __VA_ARGS__, \
	    .tag = group_)
#define TRAFFIC(byte_, bit_, width_, factor_, key_, heading_, help_)                  \
	COUNTER(PERF_GROUP_TRAFFIC, byte_, bit_, width_, key_, heading_, SHOW, help_, \
		.factor = factor_)
#define ERROR(byte_, bit_, width_, key_, heading_, help_) \
	COUNTER(PERF_GROUP_ERRORS, byte_, bit_, width_, key_, heading_, SHOW, help_)
#define CONGESTION(byte_, bit_, width_, key_, heading_, help_) \
	COUNTER(PERF_GROUP_CONGESTION, byte_, bit_, width_, key_, heading_, SHOW, help_)
#define FEC(byte_, width_, key_, heading_, flags_, help_) \
	COUNTER(PERF_GROUP_FEC, byte_, 0, width_, key_, heading_, flags_, help_)

#define FIELDS                                                \
	MAD_OBJECT_FIELDS(SHOW), MAD_PORT_FIELD(SHOW),        \
		NUM(1, 0, 8, "port_select", "PORT SELECT", 0, \
		    "port that the counters belong to; 255: all ports, added up")
#define FIELDS_SELECT                                                \
	FIELDS, HEX(2, 0, 16, "counter_select", "COUNTER SELECT", 0, \
		    "counters that a write affects, one bit each")
#define COUNTER_SELECT2(byte_, width_)                                  \
	HEX(byte_, 0, width_, "counter_select2", "COUNTER SELECT 2", 0, \
	    "further counters that a write affects, one bit each")

/* The rows of pm_counters.h in PortCounters, 16.1.3.5. */
#define NARROW(group_, factor_, key_, heading_, flags_, byte_, bit_, width_, wide_, help_) \
	COUNTER(PERF_GROUP_##group_, byte_, bit_, width_, #key_, heading_, flags_, help_,  \
		.factor = factor_),

static const struct field counters_fields[] = {
	FIELDS_SELECT, PERF_LINK_ERRORS(NARROW) COUNTER_SELECT2(18, 8),
	PERF_THRESHOLD_ERRORS(NARROW) PERF_QP1_DROPPED(NARROW) PERF_VL15_DROPPED(NARROW)
		PERF_DATA_BYTES(NARROW) PERF_PACKETS(NARROW) PERF_XMIT_WAIT(NARROW)};

/*
 * The same in PortCountersExtended, 16.1.4.11. Fields from byte 72 on need
 * PERF_CAP2_EXTENDED_ERRORS.
 */
#define WIDE(group_, factor_, key_, heading_, flags_, byte_, bit_, width_, wide_, help_) \
	NARROW(group_, factor_, key_, heading_, flags_, wide_, 0, 64, 0, help_)

static const struct field extended_fields[] = {
	FIELDS_SELECT, COUNTER_SELECT2(4, 32),
	PERF_DATA_BYTES(WIDE) PERF_PACKETS(WIDE) PERF_CAST_PACKETS(WIDE) PERF_LINK_ERRORS(WIDE)
		PERF_THRESHOLD_ERRORS(WIDE) PERF_VL15_DROPPED(WIDE) PERF_XMIT_WAIT(WIDE)
			PERF_QP1_DROPPED(WIDE)};

const struct schema perf_counters_schema = MAD_SCHEMA("perf_counters", counters_fields,
						      "the counters that every port has");
const struct schema perf_extended_counters_schema = MAD_SCHEMA(
	"perf_extended_counters", extended_fields, "the counters of 64 bits of a port");

#define OP_CODE \
	HEX(0, 0, 8, "op_code", "OP CODE", SHOW, "operation code of the packets that are counted")

/* PortOpRcvCounters */
static const struct field op_rcv_fields[] = {
	FIELDS_SELECT,
	OP_CODE,
	TRAFFIC(4, 0, 32, 1, "op_rcv_packets", "PACKETS",
		"packets received with the operation code"),
	TRAFFIC(8, 0, 32, DATA_WORD, "op_rcv_data_bytes", "BYTES",
		"bytes received with the operation code"),
};

/* PortFlowCtlCounters */
static const struct field flow_control_fields[] = {
	FIELDS_SELECT,
	TRAFFIC(4, 0, 32, 1, "xmit_flow_packets", "XMIT FLOW", "flow control packets sent"),
	TRAFFIC(8, 0, 32, 1, "rcv_flow_packets", "RCV FLOW", "flow control packets received"),
};

#define VL_PACKETS(vl_)                                               \
	TRAFFIC(4, (vl_)*16, 16, 1, "op_packets_vl" #vl_, "VL " #vl_, \
		"packets received on VL " #vl_ " with the operation code")
/* PortVLOpPackets */
static const struct field vl_op_packets_fields[] = {
	FIELDS_SELECT,
	OP_CODE,
	SIXTEEN(VL_PACKETS),
};

#define VL_DATA(vl_)                                                                \
	TRAFFIC(4, (vl_)*32, 32, DATA_WORD, "op_data_vl" #vl_ "_bytes", "VL " #vl_, \
		"bytes received on VL " #vl_ " with the operation code")
/* PortVLOpData */
static const struct field vl_op_data_fields[] = {
	FIELDS_SELECT,
	OP_CODE,
	SIXTEEN(VL_DATA),
};

#define VL_FLOW_ERRORS(vl_)                                                         \
	ERROR(4, (vl_)*2, 2, "xmit_flow_control_update_errors_vl" #vl_, "VL " #vl_, \
	      "flow control updates of VL " #vl_ " that came too late")
/* PortVLXmitFlowCtlUpdateErrors: two bits each */
static const struct field vl_flow_control_errors_fields[] = {
	FIELDS_SELECT,
	SIXTEEN(VL_FLOW_ERRORS),
};

#define VL_WAIT(vl_)                                                          \
	CONGESTION(4, (vl_)*16, 16, "xmit_wait_vl" #vl_ "_ticks", "VL " #vl_, \
		   "ticks in which there was data to send on VL " #vl_ " but no credit")
/* PortVLXmitWaitCounters */
static const struct field vl_xmit_wait_fields[] = {
	FIELDS_SELECT,
	SIXTEEN(VL_WAIT),
};

#define VL_CONGESTION(vl_)                                            \
	CONGESTION(4, (vl_)*16, 16, "congestion_vl" #vl_, "VL " #vl_, \
		   "times that VL " #vl_ " of the switch port became congested")
/* SwPortVLCongestion */
static const struct field vl_congestion_fields[] = {
	FIELDS_SELECT,
	SIXTEEN(VL_CONGESTION),
};

#define VL_TIME(vl_)                                                                    \
	CONGESTION(4, (vl_)*32, 32, "xmit_time_congested_vl" #vl_ "_ticks", "VL " #vl_, \
		   "time that VL " #vl_ " was congested")
/* PortVLXmitTimeCong, which has no counter for VL 15 */
static const struct field vl_xmit_congestion_fields[] = {
	FIELDS_SELECT,
	FIFTEEN(VL_TIME),
};

#define SL_FECN(sl_)                                                \
	CONGESTION(4, (sl_)*32, 32, "rcv_fecn_sl" #sl_, "SL " #sl_, \
		   "packets received on SL " #sl_ " with the forward congestion mark")
/* PortSLRcvFECN */
static const struct field sl_rcv_fecn_fields[] = {
	FIELDS_SELECT,
	SIXTEEN(SL_FECN),
};

#define SL_BECN(sl_)                                                \
	CONGESTION(4, (sl_)*32, 32, "rcv_becn_sl" #sl_, "SL " #sl_, \
		   "packets received on SL " #sl_ " with the backward congestion mark")
/* PortSLRcvBECN */
static const struct field sl_rcv_becn_fields[] = {
	FIELDS_SELECT,
	SIXTEEN(SL_BECN),
};

#define SL_XMIT(sl_)                                                                  \
	TRAFFIC(4, (sl_)*32, 32, DATA_WORD, "xmit_data_sl" #sl_ "_bytes", "SL " #sl_, \
		"bytes sent on SL " #sl_)
/* PortXmitDataSL */
static const struct field sl_xmit_data_fields[] = {
	FIELDS_SELECT,
	SIXTEEN(SL_XMIT),
};

#define SL_RCV(sl_)                                                                  \
	TRAFFIC(4, (sl_)*32, 32, DATA_WORD, "rcv_data_sl" #sl_ "_bytes", "SL " #sl_, \
		"bytes received on SL " #sl_)
/* PortRcvDataSL */
static const struct field sl_rcv_data_fields[] = {
	FIELDS_SELECT,
	SIXTEEN(SL_RCV),
};

/* PortRcvConCtrl */
static const struct field rcv_congestion_fields[] = {
	FIELDS_SELECT,
	CONGESTION(4, 0, 32, "rcv_fecn_packets", "FECN",
		   "packets received with the forward congestion mark"),
	CONGESTION(8, 0, 32, "rcv_becn_packets", "BECN",
		   "packets received with the backward congestion mark"),
};

/* PortXmitConCtrl */
static const struct field xmit_congestion_fields[] = {
	FIELDS_SELECT,
	CONGESTION(4, 0, 32, "xmit_time_congested_ticks", "CONGESTED TICKS",
		   "time that the port was congested"),
};

/* PortRcvErrorDetails */
static const struct field rcv_errors_fields[] = {
	FIELDS_SELECT,
	ERROR(4, 0, 16, "local_physical_errors", "PHYSICAL",
	      "packets with a physical error of this link"),
	ERROR(6, 0, 16, "malformed_packet_errors", "MALFORMED", "packets with a malformed header"),
	ERROR(8, 0, 16, "buffer_overrun_errors", "OVERRUNS",
	      "packets that the buffer had no room for"),
	ERROR(10, 0, 16, "dlid_mapping_errors", "DLID MAPPING",
	      "packets to a LID without an output port"),
	ERROR(12, 0, 16, "vl_mapping_errors", "VL MAPPING",
	      "packets of a service level without a VL"),
	ERROR(14, 0, 16, "looping_errors", "LOOPING",
	      "packets that would leave through the port they came in through"),
};

/* PortXmitDiscardDetails */
static const struct field xmit_discards_fields[] = {
	FIELDS_SELECT,
	ERROR(4, 0, 16, "inactive_discards", "INACTIVE",
	      "packets discarded while the port was down"),
	ERROR(6, 0, 16, "neighbor_mtu_discards", "MTU", "packets longer than the neighbor's MTU"),
	ERROR(8, 0, 16, "switch_lifetime_limit_discards", "LIFETIME",
	      "packets that stayed in the switch too long"),
	ERROR(10, 0, 16, "switch_hoq_lifetime_limit_discards", "HOQ LIFETIME",
	      "packets that stayed at the head of the queue too long"),
};

#define LANES(ROW)                                                                               \
	ROW(0, SHOW), ROW(1, SHOW), ROW(2, SHOW), ROW(3, SHOW), ROW(4, 0), ROW(5, 0), ROW(6, 0), \
		ROW(7, 0), ROW(8, 0), ROW(9, 0), ROW(10, 0), ROW(11, 0)
#define DETECTED(lane_, flags_)                                                         \
	FEC(20 + 2 * (lane_), 16, "error_detection_lane" #lane_, "DETECTED " #lane_, 0, \
	    "bad blocks on lane " #lane_)
#define CORRECTABLE(lane_, flags_)                                                           \
	FEC(44 + 4 * (lane_), 32, "fec_correctable_blocks_lane" #lane_, "CORRECTED " #lane_, \
	    flags_, "blocks corrected on lane " #lane_)
#define UNCORRECTABLE(lane_, flags_)                                                              \
	FEC(92 + 4 * (lane_), 32, "fec_uncorrectable_blocks_lane" #lane_, "LOST " #lane_, flags_, \
	    "blocks beyond correction on lane " #lane_)
#define CORRECTED_SYMBOLS(lane_, flags_)                                                          \
	FEC(44 + 4 * (lane_), 32, "fec_corrected_symbols_lane" #lane_, "SYMBOLS " #lane_, flags_, \
	    "symbols corrected on lane " #lane_)

#define SPEEDS_FIELDS                                                  \
	FIELDS,                                                        \
		HEX(8, 0, 64, "counter_select", "COUNTER SELECT", 0,   \
		    "counters that a write affects, one bit each"),    \
		FEC(16, 16, "sync_header_errors", "SYNC ERRORS", SHOW, \
		    "blocks with a bad synchronization header"),       \
		FEC(18, 16, "unknown_blocks", "UNKNOWN BLOCKS", SHOW, "blocks of unknown type")

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
	FEC(140, 32, "fec_correctable_blocks", "CORRECTED", SHOW, "codewords corrected"),
	FEC(144, 32, "fec_uncorrectable_blocks", "LOST", SHOW, "codewords beyond correction"),
	FEC(148, 32, "fec_corrected_symbols", "SYMBOLS", SHOW, "symbols corrected"),
	LANES(CORRECTED_SYMBOLS),
};
const struct schema perf_extended_speeds_rsfec_schema = MAD_SCHEMA(
	"perf_extended_speeds_rsfec", speeds_rsfec_fields,
	"errors of the encoding of a port whose link has RS-FEC");

/* CounterWidth and ExtendedWidth are codes for numbers of bits: 16.1.3.2. */
static const struct enum_name counter_width_names[] = {
	{0, "16"}, {1, "20"}, {2, "24"}, {3, "28"}, {4, "32"}, {0, NULL},
};

static const struct enum_name extended_width_names[] = {
	{1, "48"},
	{2, "64"},
	{0, NULL},
};

const struct enum_name perf_sample_status_names[] = {
	{PERF_SAMPLING_DONE, "done"},
	{1, "waiting"}, /* SampleStart has not passed */
	{2, "running"},
	{0, NULL},
};

/* Three bits each: two spare bits and ten masks, then a spare bit and five. */
#define MASK(n_)                                                                      \
	HEX(0, (n_) < 10 ? MAD_AT(4, 2) + 3 * (n_) : MAD_AT(8, 1) + 3 * ((n_)-10), 3, \
	    "counter" #n_ "_mask", "MASK " #n_, 0,                                    \
	    "kinds of quantities that counter " #n_ " can count")
#define SELECT(n_)                                                           \
	HEX(38 + 2 * (n_), 0, 16, "counter" #n_ "_select", "SELECT " #n_, 0, \
	    "what counter " #n_ " counts")
#define RESULT(n_)                                                    \
	NUM(4 + 4 * (n_), 0, 32, "counter" #n_, "COUNTER " #n_, SHOW, \
	    "counter " #n_ " at the end of the interval")
#define EXTENDED_RESULT(n_)                                           \
	NUM(8 + 8 * (n_), 0, 64, "counter" #n_, "COUNTER " #n_, SHOW, \
	    "counter " #n_ " at the end of the interval")

/* PortSamplesControl, 16.1.3.2 */
static const struct field control_fields[] = {
	FIELDS,
	HEX(0, 0, 8, "op_code", "OP CODE", 0, "operation code of the packets that are counted"),
	NUM(2, 0, 8, "tick", "TICK", SHOW,
	    "length of a tick of the sampling clock, in the port's own code"),
	CODE(3, 5, 3, counter_width_names, "counter_width_bits", "WIDTH", SHOW,
	     "width of the counters"),
	FIFTEEN(MASK),
	HEX(10, 0, 8, "sample_mechanisms", "MECHANISMS", 0,
	    "sampling mechanisms of the port, in its own code"),
	WORD(11, 6, 2, perf_sample_status_names, "sample_status", "STATUS", SHOW,
	     "how far sampling got"),
	HEX(12, 0, 64, "option_mask", "OPTIONS", SHOW,
	    "optional attributes of the port, one bit each"),
	HEX(20, 0, 64, "vendor_mask", "VENDOR", 0, "vendor-specific attributes, one bit each"),
	NUM(28, 0, 32, "sample_start_ticks", "START", 0,
	    "ticks from the request to the start of the interval"),
	NUM(32, 0, 32, "sample_interval_ticks", "INTERVAL", SHOW,
	    "length of the interval in ticks"),
	HEX(36, 0, 16, "tag", "TAG", SHOW, "tag of the request that started sampling"),
	FIFTEEN(SELECT),
	HEX(72, 0, 64, "samples_only_option_mask", "SAMPLES ONLY", 0,
	    "optional quantities that can only be sampled, one bit each"),
};

#define RESULT_FIELDS                                                                          \
	MAD_OBJECT_FIELDS(SHOW), MAD_PORT_FIELD(SHOW),                                         \
		HEX(0, 0, 16, "tag", "TAG", SHOW, "tag of the request that started sampling"), \
		WORD(3, 6, 2, perf_sample_status_names, "sample_status", "STATUS", SHOW,       \
		     "how far sampling got")

/* PortSamplesResult, 16.1.3.4 */
static const struct field result_fields[] = {
	RESULT_FIELDS,
	FIFTEEN(RESULT),
};

/* PortSamplesResultExtended */
static const struct field extended_result_fields[] = {
	RESULT_FIELDS,
	CODE(4, 0, 2, extended_width_names, "counter_width_bits", "WIDTH", SHOW,
	     "width of the counters"),
	FIFTEEN(EXTENDED_RESULT),
};

#define PM(id_, word_, alias_, name_, bytes_, schema_, fields_, summary_)                    \
	ATTRIBUTE(UMAD_CLASS_PERF_MGMT, id_, word_, alias_, name_, bytes_, schema_, fields_, \
		  summary_)

/* 16.1.3 (mandatory) and 16.1.4 (optional); the aliases are options of perfquery(8). */
const struct mad_attribute pm_attributes[] = {
	CLASS_PORT_INFO(UMAD_CLASS_PERF_MGMT, "cpi", &perf_class_port_info_schema),
	PM(MAD_PM_SAMPLES_CONTROL, "portsamplescontrol", "smplctl", "PortSamplesControl", 80,
	   "perf_samples_control", control_fields, "the sampling of a port"),
	PM(MAD_PM_SAMPLES_RESULT, "portsamplesresult", NULL, "PortSamplesResult", 64,
	   "perf_samples_result", result_fields, "the counters of sampling"),
	ATTRIBUTE_OF(UMAD_CLASS_PERF_MGMT, MAD_PM_COUNTERS, "portcounters", "counters",
		     "PortCounters", 44, &perf_counters_schema),
	PM(MAD_PM_RCV_ERROR_DETAILS, "portrcverrordetails", "rcverr", "PortRcvErrorDetails", 16,
	   "perf_rcv_errors", rcv_errors_fields, "why received packets were in error"),
	PM(MAD_PM_XMIT_DISCARD_DETAILS, "portxmitdiscarddetails", "xmtdisc",
	   "PortXmitDiscardDetails", 12, "perf_xmit_discards", xmit_discards_fields,
	   "why packets were not sent"),
	PM(MAD_PM_OP_RCV_COUNTERS, "portoprcvcounters", "oprcvcounters", "PortOpRcvCounters", 12,
	   "perf_op_rcv", op_rcv_fields,
	   "packets and bytes that a port received with an operation code"),
	PM(MAD_PM_FLOW_CTL_COUNTERS, "portflowctlcounters", "flowctlcounters",
	   "PortFlowCtlCounters", 12, "perf_flow_control", flow_control_fields,
	   "the flow control packets of a port"),
	PM(MAD_PM_VL_OP_PACKETS, "portvloppackets", "vloppackets", "PortVLOpPackets", 36,
	   "perf_vl_op_packets", vl_op_packets_fields,
	   "packets that a port received with an operation code, by VL"),
	PM(MAD_PM_VL_OP_DATA, "portvlopdata", "vlopdata", "PortVLOpData", 68, "perf_vl_op_data",
	   vl_op_data_fields, "bytes that a port received with an operation code, by VL"),
	PM(MAD_PM_VL_XMIT_FLOW_CTL_ERRORS, "portvlxmitflowctlupdateerrors", "vlxmitflowctlerrors",
	   "PortVLXmitFlowCtlUpdateErrors", 8, "perf_vl_flow_control_errors",
	   vl_flow_control_errors_fields, "late flow control updates of a port, by VL"),
	PM(MAD_PM_VL_XMIT_WAIT, "portvlxmitwaitcounters", "vlxmitcounters",
	   "PortVLXmitWaitCounters", 36, "perf_vl_xmit_wait", vl_xmit_wait_fields,
	   "how long a port waited for credit, by VL"),
	ATTRIBUTE_OF(UMAD_CLASS_PERF_MGMT, MAD_PM_COUNTERS_EXTENDED, "portcountersextended",
		     "extended", "PortCountersExtended", 184, &perf_extended_counters_schema),
	PM(MAD_PM_SAMPLES_RESULT_EXTENDED, "portsamplesresultextended", NULL,
	   "PortSamplesResultExtended", 128, "perf_extended_samples_result", extended_result_fields,
	   "the counters of sampling, in 64 bits"),
	PM(MAD_PM_EXTENDED_SPEEDS, "portextendedspeedscounters", "extended_speeds",
	   "PortExtendedSpeedsCounters", 152, "perf_extended_speeds", speeds_fields,
	   "errors of the encoding of a port, lane by lane"),
	PM(MAD_PM_SW_VL_CONGESTION, "swportvlcongestion", "swportvlcong", "SwPortVLCongestion", 36,
	   "perf_vl_congestion", vl_congestion_fields, "the congestion of a switch port, by VL"),
	PM(MAD_PM_RCV_CON_CTRL, "portrcvconctrl", "rcvcc", "PortRcvConCtrl", 12,
	   "perf_rcv_congestion", rcv_congestion_fields,
	   "packets with a congestion mark that a port received"),
	PM(MAD_PM_SL_RCV_FECN, "portslrcvfecn", "slrcvfecn", "PortSLRcvFECN", 68,
	   "perf_sl_rcv_fecn", sl_rcv_fecn_fields,
	   "packets with the forward congestion mark that a port received, by SL"),
	PM(MAD_PM_SL_RCV_BECN, "portslrcvbecn", "slrcvbecn", "PortSLRcvBECN", 68,
	   "perf_sl_rcv_becn", sl_rcv_becn_fields,
	   "packets with the backward congestion mark that a port received, by SL"),
	PM(MAD_PM_XMIT_CON_CTRL, "portxmitconctrl", "xmitcc", "PortXmitConCtrl", 8,
	   "perf_xmit_congestion", xmit_congestion_fields, "how long a port was congested"),
	PM(MAD_PM_VL_XMIT_TIME_CONG, "portvlxmittimecong", "vlxmittimecc", "PortVLXmitTimeCong", 64,
	   "perf_vl_xmit_congestion", vl_xmit_congestion_fields,
	   "how long a port was congested, by VL"),
	PM(MAD_PM_XMIT_DATA_SL, "portxmitdatasl", "xmtsl", "PortXmitDataSL", 68,
	   "perf_sl_xmit_data", sl_xmit_data_fields, "bytes that a port sent, by SL"),
	PM(MAD_PM_RCV_DATA_SL, "portrcvdatasl", "rcvsl", "PortRcvDataSL", 68, "perf_sl_rcv_data",
	   sl_rcv_data_fields, "bytes that a port received, by SL"),
	{.schema = NULL},
};
