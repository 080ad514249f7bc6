/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Unless another source is named: InfiniBand Architecture Specification volume 1, the table of the
 * attribute that has the code.
 */
#include "mad/format/mad_names.h"

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

/* Mellanox's ExtendedPortInfo, rdma-core libibmad */
const struct enum_name mellanox_speed_names[] = {{1, "fdr10"}, {0, NULL}};

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

/* SwitchInfo:OptimizedSLtoVLMappingProgramming, 14.2.5.4 */
const struct enum_name optimized_sl2vl_names[] = {
	{0, "none"}, {1, "input-ports"}, {2, "output-ports"}, {3, "both"}, {0, NULL},
};

const struct enum_name port_ext_cap_names[] = {{1u << 0, "fec-mode"}, {0, NULL}};

const struct enum_name fec_active_names[] = {
	{0, "none"}, {1, "firecode"}, {2, "rs"}, {3, "low-latency-rs"}, {0, NULL},
};

const struct enum_name fec_mode_names[] = {
	{1u << 0, "none"}, {1u << 1, "firecode"}, {1u << 2, "rs"}, {1u << 3, "low-latency-rs"},
	{0, NULL},
};

const struct enum_name sm_state_names[] = {
	{0, "not-active", TONE_WARNING}, {1, "discovering"}, {2, "standby"},
	{3, "master", TONE_GOOD},	 {0, NULL},
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

const struct enum_name notice_producer_names[] = {
	{1, "ca"}, {2, "switch"}, {3, "router"}, {4, "class-manager"}, {0, NULL},
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

/* PathRecord:Rate; the newer codes come from enum ib_rate, include/rdma/ib_verbs.h */
const struct enum_name rate_numbers[] = {
	{2, "2.5"},  {3, "10"},	  {4, "30"},   {5, "5"},    {6, "20"},	  {7, "40"},
	{8, "60"},   {9, "80"},	  {10, "120"}, {11, "14"},  {12, "56"},	  {13, "112"},
	{14, "168"}, {15, "25"},  {16, "100"}, {17, "200"}, {18, "300"},  {19, "28"},
	{20, "50"},  {21, "400"}, {22, "600"}, {23, "800"}, {24, "1200"}, {0, NULL},
};

/* PortInfo:SubnetTimeOut, PathRecord:PacketLifeTime and similar times */
const struct enum_name time_usec_numbers[] = {
	{0, "4.096"},
	{1, "8.192"},
	{2, "16.384"},
	{3, "32.768"},
	{4, "65.536"},
	{5, "131.072"},
	{6, "262.144"},
	{7, "524.288"},
	{8, "1048.576"},
	{9, "2097.152"},
	{10, "4194.304"},
	{11, "8388.608"},
	{12, "16777.216"},
	{13, "33554.432"},
	{14, "67108.864"},
	{15, "134217.728"},
	{16, "268435.456"},
	{17, "536870.912"},
	{18, "1073741.824"},
	{19, "2147483.648"},
	{20, "4294967.296"},
	{21, "8589934.592"},
	{22, "17179869.184"},
	{23, "34359738.368"},
	{24, "68719476.736"},
	{25, "137438953.472"},
	{26, "274877906.944"},
	{27, "549755813.888"},
	{28, "1099511627.776"},
	{29, "2199023255.552"},
	{30, "4398046511.104"},
	{31, "8796093022.208"},
	{32, "17592186044.416"},
	{33, "35184372088.832"},
	{34, "70368744177.664"},
	{35, "140737488355.328"},
	{36, "281474976710.656"},
	{37, "562949953421.312"},
	{38, "1125899906842.624"},
	{39, "2251799813685.248"},
	{40, "4503599627370.496"},
	{41, "9007199254740.992"},
	{42, "18014398509481.984"},
	{43, "36028797018963.968"},
	{44, "72057594037927.936"},
	{45, "144115188075855.872"},
	{46, "288230376151711.744"},
	{47, "576460752303423.488"},
	{48, "1152921504606846.976"},
	{49, "2305843009213693.952"},
	{50, "4611686018427387.904"},
	{51, "9223372036854775.808"},
	{52, "18446744073709551.616"},
	{53, "36893488147419103.232"},
	{54, "73786976294838206.464"},
	{55, "147573952589676412.928"},
	{56, "295147905179352825.856"},
	{57, "590295810358705651.712"},
	{58, "1180591620717411303.424"},
	{59, "2361183241434822606.848"},
	{60, "4722366482869645213.696"},
	{61, "9444732965739290427.392"},
	{62, "18889465931478580854.784"},
	{63, "37778931862957161709.568"},
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
