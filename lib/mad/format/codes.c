/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mad/format/codes.h"

#include "base/mem.h"

/* enum rdma_node_type, include/rdma/ib_verbs.h */
const struct enum_name node_type_names[] = {
	{NODE_TYPE_CA, "ca"},
	{NODE_TYPE_SWITCH, "switch"},
	{NODE_TYPE_ROUTER, "router"},
	{NODE_TYPE_RNIC, "rnic"},
	{NODE_TYPE_USNIC, "usnic"},
	{NODE_TYPE_USNIC_UDP, "usnic-udp"},
	{NODE_TYPE_UNSPECIFIED, "unspecified"},
	{0, NULL},
};

/* enum ib_port_state; InfiniBand Architecture Specification volume 1, PortInfo:PortState */
const struct enum_name port_state_names[] = {
	{PORT_STATE_NOP, "nop", TONE_WARNING},
	{PORT_STATE_DOWN, "down", TONE_BAD},
	{PORT_STATE_INIT, "init", TONE_WARNING},
	{PORT_STATE_ARMED, "armed", TONE_WARNING},
	{PORT_STATE_ACTIVE, "active", TONE_GOOD},
	{PORT_STATE_ACTIVE_DEFER, "active-defer", TONE_WARNING},
	{0, NULL},
};

/* PortInfo:PortPhysicalState; Omni-Path's from 9 on, include/rdma/opa_port_info.h */
const struct enum_name physical_state_names[] = {
	{PHYSICAL_NO_CHANGE, "no-change", TONE_WARNING},
	{PHYSICAL_SLEEP, "sleep", TONE_BAD},
	{PHYSICAL_POLLING, "polling", TONE_BAD},
	{PHYSICAL_DISABLED, "disabled", TONE_BAD},
	{PHYSICAL_TRAINING, "training", TONE_WARNING},
	{PHYSICAL_LINK_UP, "link-up", TONE_GOOD},
	{PHYSICAL_LINK_ERROR_RECOVERY, "link-error-recovery", TONE_BAD},
	{PHYSICAL_PHY_TEST, "phy-test", TONE_WARNING},
	{9, "opa-offline", TONE_BAD},
	{11, "opa-test", TONE_WARNING},
	{0, NULL},
};

/*
 * PortInfo:CapabilityMask, InfiniBand Architecture Specification volume 1, table of PortInfo; all
 * bits are in rdma-core's libibmad/iba_types.h (IB_PORT_CAP_*), bit 13 in no header of the kernel.
 */
const struct enum_name port_cap_names[] = {
	{1u << 1, "sm"},
	{1u << 2, "notice"},
	{1u << 3, "trap"},
	{1u << 4, "optional-ipd"},
	{1u << 5, "automatic-migration"},
	{1u << 6, "sl-mapping"},
	{1u << 7, "mkey-nvram"},
	{1u << 8, "pkey-nvram"},
	{1u << 9, "led-info"},
	{1u << 10, "sm-disabled"},
	{1u << 11, "system-image-guid"},
	{1u << 12, "pkey-switch-external-port-trap"},
	{1u << 13, "cable-info"}, /* IB_PORT_CAP_HAS_CABLE_INFO */
	{1u << 14, "extended-speeds"},
	{1u << 15, "capability-mask-2"},
	{1u << 16, "communication-management"},
	{1u << 17, "snmp-tunneling"},
	{1u << 18, "reinit"},
	{1u << 19, "device-management"},
	{1u << 20, "vendor-class"},
	{1u << 21, "dr-notice"},
	{1u << 22, "capability-mask-notice"},
	{1u << 23, "boot-management"},
	{1u << 24, "link-round-trip-latency"},
	{1u << 25, "client-reregistration"},
	{1u << 26, "other-local-changes-notice"},
	{1u << 27, "link-speed-width-pairs"},
	{1u << 28, "vendor-specific-mads-table"},
	{1u << 29, "multicast-pkey-trap-suppression"},
	{1u << 30, "multicast-fdb-top"},
	{1u << 31, "hierarchy-info"},
	{0, NULL},
};

/*
 * enum ibv_port_cap_flags2; InfiniBand Architecture Specification volume 1, table of PortInfo; bits
 * 6 to 9 are in mad_dump_portcapmask2() of rdma-core's libibmad/dump.c.
 */
const struct enum_name port_cap2_names[] = {
	{1u << 0, "set-node-description"},    /* IBV_PORT_SET_NODE_DESC_SUP */
	{1u << 1, "extended-port-info"},      /* IBV_PORT_INFO_EXT_SUP */
	{1u << 2, "virtualization"},	      /* IBV_PORT_VIRT_SUP */
	{1u << 3, "switch-port-state-table"}, /* IBV_PORT_SWITCH_PORT_STATE_TABLE_SUP */
	{1u << 4, "link-width-2x"},	      /* IBV_PORT_LINK_WIDTH_2X_SUP */
	{1u << 5, "link-speed-hdr"},	      /* IBV_PORT_LINK_SPEED_HDR_SUP */
	{1u << 6, "mkey-protect-bits-ext"},
	{1u << 7, "enhanced-trap-128"},
	{1u << 8, "partition-top"},
	{1u << 9, "enhanced-qos-arbiter"},
	{1u << 10, "link-speed-ndr"},	 /* IBV_PORT_LINK_SPEED_NDR_SUP */
	{1u << 11, "extended-speeds-2"}, /* IB_PORT_EXTENDED_SPEEDS2_SUP of the kernel */
	{1u << 12, "link-speed-xdr"},	 /* IBV_PORT_LINK_SPEED_XDR_SUP, rdma-core 49 */
	{0, NULL},
};

const struct enum_name lane_speed_names[] = {
#define SPEED_WORD(name, rate, signal) {SPEED_##name, #name, .help = #rate " Gb/s per lane"},
	LANE_SPEEDS(SPEED_WORD)
#undef SPEED_WORD
		{0, NULL},
};

const struct lane_rate lane_rates[SPEED_COUNT] = {
#define SPEED_RATE(name, rate, signal) [SPEED_##name] = {rate, signal},
	LANE_SPEEDS(SPEED_RATE)
#undef SPEED_RATE
};

enum lane_speed lane_speed_of_verbs(unsigned int code)
{
	for (unsigned int speed = SPEED_SDR; speed < SPEED_COUNT; speed++)
		if (code == 1u << (speed - SPEED_SDR))
			return (enum lane_speed)speed;
	return SPEED_UNKNOWN;
}

unsigned int widest_lanes(unsigned int mask)
{
	static const struct {
		unsigned int bit, lanes;
	} widths[] = {{8, 12}, {4, 8}, {2, 4}, {16, 2}, {1, 1}};

	for (size_t i = 0; i < ARRAY_SIZE(widths); i++)
		if (mask & widths[i].bit)
			return widths[i].lanes;
	return 0;
}

unsigned int width_lanes(unsigned int code)
{
	return code & (code - 1) ? 0 : widest_lanes(code);
}

unsigned int mtu_bytes(unsigned int code)
{
	return code >= 1 && code <= 5 ? 128u << code : 0;
}

unsigned int mtu_code(unsigned int bytes)
{
	unsigned int code = 1;

	while (mtu_bytes(code + 1) && mtu_bytes(code + 1) <= bytes)
		code++;
	return code;
}

unsigned int data_vls(unsigned int code)
{
	static const unsigned char count[] = {0, 1, 2, 4, 8, 15};

	return code < ARRAY_SIZE(count) ? count[code] : 0;
}

/*
 * Codes of attributes. Unless another source is named: InfiniBand Architecture Specification volume
 * 1, the table of the attribute that has the code.
 */
const struct enum_name link_width_names[] = {
	{1, "1x"}, {2, "4x"}, {4, "8x"}, {8, "12x"}, {16, "2x"}, {0, NULL},
};

const struct enum_name link_width_numbers[] = {
	{1, "1"}, {2, "4"}, {4, "8"}, {8, "12"}, {16, "2"}, {0, NULL},
};

const struct enum_name link_speed_names[] = {{1, "sdr"}, {2, "ddr"}, {4, "qdr"}, {0, NULL}};

const struct enum_name link_speed_ext_names[] = {
	{0, "none"}, {1, "fdr"}, {2, "edr"}, {4, "hdr"}, {8, "ndr"}, {0, NULL},
};

const struct enum_name link_speed_ext_bit_names[] = {
	{1, "fdr"}, {2, "edr"}, {4, "hdr"}, {8, "ndr"}, {0, NULL},
};

const struct enum_name link_speed_ext2_names[] = {{0, "none"}, {1, "xdr"}, {0, NULL}};

const struct enum_name link_speed_ext2_bit_names[] = {{1, "xdr"}, {0, NULL}};

/*
 * Mellanox's ExtendedPortInfo: the place is in rdma-core's libibmad/fields.c, the codes are in
 * ibutils2's ibdm/Fabric.h (IB_LINK_SPEED_FDR_10, IB_LINK_SPEED_EDR_20).
 */
const struct enum_name mellanox_speed_names[] = {{1, "fdr10"}, {2, "edr20"}, {0, NULL}};

/* Its FECModeActive: enum IBFECMode of the same file. */
const struct enum_name mellanox_fec_names[] = {
	{0, "none"},
	{1, "firecode"},
	{2, "rs"},
	{3, "low-latency-rs"},
	{4, "rs-544-514"},
	{8, "mellanox-strong-rs"},
	{9, "mellanox-low-latency-rs"},
	{10, "mellanox-adaptive-rs"},
	{11, "mellanox-cod"},
	{12, "mellanox-zero-latency"},
	{13, "mellanox-rs-544-514-plr"},
	{14, "mellanox-rs-271-257-plr"},
	{0, NULL},
};

const struct enum_name down_default_names[] = {
	{0, "no-change"},
	{1, "sleep"},
	{2, "polling"},
	{0, NULL},
};

const struct enum_name mtu_numbers[] = {
	{1, "256"}, {2, "512"}, {3, "1024"}, {4, "2048"}, {5, "4096"}, {0, NULL},
};

const struct enum_name vl_numbers[] = {
	{1, "1"}, {2, "2"}, {3, "4"}, {4, "8"}, {5, "15"}, {0, NULL},
};

const struct enum_name init_type_names[] = {
	{1, "no-load"},
	{2, "preserve-content"},
	{4, "preserve-presence"},
	{8, "do-not-resuscitate"},
	{0, NULL},
};

const struct enum_name init_reply_names[] = {
	{1, "no-load-reply"},
	{2, "preserve-content-reply"},
	{4, "preserve-presence-reply"},
	{0, NULL},
};

/*
 * SwitchInfo:OptimizedSLtoVLMappingProgramming, 14.2.5.4. The second bit is reserved:
 * ib_switch_info_get_opt_sl2vlmapping() of opensm's include/iba/ib_types.h.
 */
const struct enum_name optimized_sl2vl_names[] = {{0, "none"}, {1, "supported"}, {0, NULL}};

const struct enum_name port_ext_cap_names[] = {{1u << 0, "fec-mode"}, {0, NULL}};

/*
 * PortInfoExtended:FECModeActive: IB_PORT_EXT_*_FEC_MODE_ACTIVE of rdma-core's
 * libibmad/iba_types.h, where 4 is RS_FEC2, the code that ibutils2 calls RS_FEC_544_514.
 */
const struct enum_name fec_active_names[] = {
	{0, "none"},	       {1, "firecode"},	  {2, "rs"},
	{3, "low-latency-rs"}, {4, "rs-544-514"}, {0, NULL},
};

/*
 * FECModeSupported and FECModeEnabled of each speed have a bit for each code of the active mode. No
 * header names the bits; NVLinkFecMode of ibutils2's ibis has the same structure.
 */
const struct enum_name fec_mode_names[] = {
	{1u << 0, "none"},	     {1u << 1, "firecode"},   {1u << 2, "rs"},
	{1u << 3, "low-latency-rs"}, {1u << 4, "rs-544-514"}, {0, NULL},
};

const struct enum_name sm_state_names[] = {
	{SM_NOT_ACTIVE, "not-active", TONE_WARNING},
	{SM_DISCOVERING, "discovering"},
	{SM_STANDBY, "standby"},
	{SM_MASTER, "master", TONE_GOOD},
	{0, NULL},
};

const struct enum_name notice_type_names[] = {
	{0, "fatal", TONE_BAD},
	{1, "urgent", TONE_BAD},
	{2, "security", TONE_WARNING},
	{3, "subnet-management"},
	{4, "informational"},
	{0x7f, "empty"},
	{0, NULL},
};

/* 14.2.5.1, 15.2.5.1 */
const struct enum_name trap_names[] = {
	{64, "gid-in-service"},
	{65, "gid-out-of-service"},
	{66, "multicast-group-created"},
	{67, "multicast-group-deleted"},
	{68, "path-gone"},
	{69, "path-back"},
	{128, "link-state-change"},
	{129, "link-integrity"},
	{130, "buffer-overrun"},
	{131, "flow-control-watchdog"},
	{144, "local-changes"},
	{145, "system-image-guid-change"},
	{256, "bad-mkey"},
	{257, "bad-pkey"},
	{258, "bad-qkey"},
	{259, "bad-pkey-at-switch"},
	{0, NULL},
};

/* 15.2.5.16: selectors of the MTU and the rate */
const struct enum_name selector_names[] = {
	{0, "greater-than"}, {1, "less-than"}, {2, "exactly"}, {3, "largest"}, {0, NULL},
};

const struct enum_name lifetime_selector_names[] = {
	{0, "greater-than"}, {1, "less-than"}, {2, "exactly"}, {3, "smallest"}, {0, NULL},
};

/*
 * PathRecord:Rate: IB_PATH_RECORD_RATE_* of opensm's include/iba/ib_types.h; 25 is
 * IB_RATE_1600_GBPS of Linux 7.2, include/rdma/ib_verbs.h
 */
const struct enum_name rate_numbers[] = {
	{2, "2.5"},  {3, "10"},	   {4, "30"},	 {5, "5"},   {6, "20"},	  {7, "40"},   {8, "60"},
	{9, "80"},   {10, "120"},  {11, "14"},	 {12, "56"}, {13, "112"}, {14, "168"}, {15, "25"},
	{16, "100"}, {17, "200"},  {18, "300"},	 {19, "28"}, {20, "50"},  {21, "400"}, {22, "600"},
	{23, "800"}, {24, "1200"}, {25, "1600"}, {0, NULL},
};

/* PortInfo:SubnetTimeOut, PathRecord:PacketLifeTime and similar times */
#define TIMES(code_, a_, b_, c_, d_)                       \
	{code_, a_}, {(code_) + 1, b_}, {(code_) + 2, c_}, \
	{                                                  \
		(code_) + 3, d_                            \
	}
const struct enum_name time_usec_numbers[] = {
	TIMES(0, "4.096", "8.192", "16.384", "32.768"),
	TIMES(4, "65.536", "131.072", "262.144", "524.288"),
	TIMES(8, "1048.576", "2097.152", "4194.304", "8388.608"),
	TIMES(12, "16777.216", "33554.432", "67108.864", "134217.728"),
	TIMES(16, "268435.456", "536870.912", "1073741.824", "2147483.648"),
	TIMES(20, "4294967.296", "8589934.592", "17179869.184", "34359738.368"),
	TIMES(24, "68719476.736", "137438953.472", "274877906.944", "549755813.888"),
	TIMES(28, "1099511627.776", "2199023255.552", "4398046511.104", "8796093022.208"),
	TIMES(32, "17592186044.416", "35184372088.832", "70368744177.664", "140737488355.328"),
	TIMES(36, "281474976710.656", "562949953421.312", "1125899906842.624", "2251799813685.248"),
	TIMES(40, "4503599627370.496", "9007199254740.992", "18014398509481.984",
	      "36028797018963.968"),
	TIMES(44, "72057594037927.936", "144115188075855.872", "288230376151711.744",
	      "576460752303423.488"),
	TIMES(48, "1152921504606846.976", "2305843009213693.952", "4611686018427387.904",
	      "9223372036854775.808"),
	TIMES(52, "18446744073709551.616", "36893488147419103.232", "73786976294838206.464",
	      "147573952589676412.928"),
	TIMES(56, "295147905179352825.856", "590295810358705651.712", "1180591620717411303.424",
	      "2361183241434822606.848"),
	TIMES(60, "4722366482869645213.696", "9444732965739290427.392", "18889465931478580854.784",
	      "37778931862957161709.568"),
	{0, NULL},
};

/* MCMemberRecord:Scope, 4.1.1 */
const struct enum_name scope_names[] = {
	{1, "interface-local"},	   {2, "link-local"}, {5, "site-local"},
	{8, "organization-local"}, {0xe, "global"},   {0, NULL},
};

const struct enum_name join_state_names[] = {
	{1, "full-member"},	      {2, "non-member"}, {4, "send-only-non-member"},
	{8, "send-only-full-member"}, {0, NULL},
};
