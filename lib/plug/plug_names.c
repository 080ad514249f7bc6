/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Words for the codes of modules. Those of SFF-8024 are as in module-common.h of ethtool. */
#include "plug/plug.h"

const struct enum_name plug_standard_names[] = {
	{PLUG_SFF_8472, "sff-8472", TONE_PLAIN, NULL},
	{PLUG_SFF_8636, "sff-8636", TONE_PLAIN, NULL},
	{PLUG_CMIS, "cmis", TONE_PLAIN, NULL},
	{0, NULL, TONE_PLAIN, NULL},
};

const struct enum_name plug_kind_names[] = {
	{PLUG_PASSIVE_COPPER, "passive-copper", TONE_PLAIN, "copper cable without electronics"},
	{PLUG_ACTIVE_COPPER, "active-copper", TONE_PLAIN, "copper cable that amplifies the signal"},
	{PLUG_ACTIVE_OPTICAL, "active-optical", TONE_PLAIN, "optical cable with fixed fibres"},
	{PLUG_ACTIVE, "active", TONE_PLAIN, "active cable, copper or optical"},
	{PLUG_OPTICAL, "optical", TONE_PLAIN, "transceiver for separate fibres"},
	{PLUG_TWISTED_PAIR, "twisted-pair", TONE_PLAIN, "transceiver for twisted pairs"},
	{0, NULL, TONE_PLAIN, NULL},
};

#define FOUR(quantity, word_)                                                                      \
	{PLUG_FLAG(PLUG_##quantity, LIMIT_HIGH_ALARM), word_ "-high-alarm", TONE_BAD, NULL},       \
		{PLUG_FLAG(PLUG_##quantity, LIMIT_LOW_ALARM), word_ "-low-alarm", TONE_BAD, NULL}, \
		{PLUG_FLAG(PLUG_##quantity, LIMIT_HIGH_WARNING), word_ "-high-warning",            \
		 TONE_WARNING, NULL},                                                              \
		{PLUG_FLAG(PLUG_##quantity, LIMIT_LOW_WARNING), word_ "-low-warning",              \
		 TONE_WARNING, NULL},

const struct enum_name plug_flag_names[] = {
	PLUG_QUANTITIES(FOUR){UINT64_C(1) << PLUG_RX_LOSS, "rx-los", TONE_BAD,
			      "no light is received"},
	{UINT64_C(1) << PLUG_TX_LOSS, "tx-los", TONE_BAD, "the port sends no signal"},
	{UINT64_C(1) << PLUG_RX_UNLOCKED, "rx-lol", TONE_BAD, "no clock in the received signal"},
	{UINT64_C(1) << PLUG_TX_UNLOCKED, "tx-lol", TONE_BAD,
	 "no clock in the signal that the port sends"},
	{UINT64_C(1) << PLUG_TX_FAULT, "tx-fault", TONE_BAD, "the transmitter has failed"},
	{UINT64_C(1) << PLUG_TX_EQUALIZER_FAULT, "tx-eq-fault", TONE_BAD,
	 "the adaptive equalizer for the signal that the port sends has failed"},
	{0, NULL, TONE_PLAIN, NULL},
};

const struct enum_name plug_identifier_names[] = {
	{0x01, "gbic", TONE_PLAIN, NULL},
	{0x02, "soldered", TONE_PLAIN, NULL},
	{0x03, "sfp", TONE_PLAIN, "SFP, SFP+, SFP28 and later"},
	{0x04, "300-pin-xbi", TONE_PLAIN, NULL},
	{0x05, "xenpak", TONE_PLAIN, NULL},
	{0x06, "xfp", TONE_PLAIN, NULL},
	{0x07, "xff", TONE_PLAIN, NULL},
	{0x08, "xfp-e", TONE_PLAIN, NULL},
	{0x09, "xpak", TONE_PLAIN, NULL},
	{0x0a, "x2", TONE_PLAIN, NULL},
	{0x0b, "dwdm-sfp", TONE_PLAIN, NULL},
	{0x0c, "qsfp", TONE_PLAIN, NULL},
	{0x0d, "qsfp-plus", TONE_PLAIN, NULL},
	{0x0e, "cxp", TONE_PLAIN, NULL},
	{0x0f, "hd-4x", TONE_PLAIN, NULL},
	{0x10, "hd-8x", TONE_PLAIN, NULL},
	{0x11, "qsfp28", TONE_PLAIN, "QSFP28, QSFP56"},
	{0x12, "cxp2", TONE_PLAIN, NULL},
	{0x13, "cdfp", TONE_PLAIN, NULL},
	{0x14, "hd-4x-fanout", TONE_PLAIN, NULL},
	{0x15, "hd-8x-fanout", TONE_PLAIN, NULL},
	{0x16, "cdfp-3", TONE_PLAIN, NULL},
	{0x17, "micro-qsfp", TONE_PLAIN, NULL},
	{0x18, "qsfp-dd", TONE_PLAIN, NULL},
	{0x19, "osfp", TONE_PLAIN, NULL},
	{0x1a, "sfp-dd", TONE_PLAIN, NULL},
	{0x1b, "dsfp", TONE_PLAIN, NULL},
	{0x1e, "qsfp-cmis", TONE_PLAIN, "QSFP+ or later with CMIS: QSFP112"},
	{0x1f, "sfp-dd-cmis", TONE_PLAIN, NULL},
	{0x20, "sfp-cmis", TONE_PLAIN, NULL},
	{0x21, "osfp-xd", TONE_PLAIN, NULL},
	{0, NULL, TONE_PLAIN, NULL},
};

const struct enum_name plug_connector_names[] = {
	{0x01, "sc", TONE_PLAIN, NULL},
	{0x02, "fc-1", TONE_PLAIN, NULL},
	{0x03, "fc-2", TONE_PLAIN, NULL},
	{0x04, "bnc-tnc", TONE_PLAIN, NULL},
	{0x05, "fc-coax", TONE_PLAIN, NULL},
	{0x06, "fiber-jack", TONE_PLAIN, NULL},
	{0x07, "lc", TONE_PLAIN, NULL},
	{0x08, "mt-rj", TONE_PLAIN, NULL},
	{0x09, "mu", TONE_PLAIN, NULL},
	{0x0a, "sg", TONE_PLAIN, NULL},
	{0x0b, "optical-pigtail", TONE_PLAIN, NULL},
	{0x0c, "mpo-1x12", TONE_PLAIN, NULL},
	{0x0d, "mpo-2x16", TONE_PLAIN, NULL},
	{0x20, "hssdc-ii", TONE_PLAIN, NULL},
	{0x21, "copper-pigtail", TONE_PLAIN, NULL},
	{0x22, "rj45", TONE_PLAIN, NULL},
	{0x23, "none", TONE_PLAIN, "the cable is fixed"},
	{0x24, "mxc-2x16", TONE_PLAIN, NULL},
	{0x25, "cs", TONE_PLAIN, NULL},
	{0x26, "cs-mini", TONE_PLAIN, "SN, which was called Mini CS before"},
	{0x27, "mpo-2x12", TONE_PLAIN, NULL},
	{0x28, "mpo-1x16", TONE_PLAIN, NULL},
	{0, NULL, TONE_PLAIN, NULL},
};

/*
 * The upper half of byte 147 of SFF-8636, and byte 212 of CMIS, which has the same codes and, in
 * later revisions, more of them; in the order of mlxlink_maps.cpp of mstflint.
 */
const struct enum_name plug_technology_names[] = {
	{0x0, "850nm-vcsel", TONE_PLAIN, NULL},
	{0x1, "1310nm-vcsel", TONE_PLAIN, NULL},
	{0x2, "1550nm-vcsel", TONE_PLAIN, NULL},
	{0x3, "1310nm-fp", TONE_PLAIN, NULL},
	{0x4, "1310nm-dfb", TONE_PLAIN, NULL},
	{0x5, "1550nm-dfb", TONE_PLAIN, NULL},
	{0x6, "1310nm-eml", TONE_PLAIN, NULL},
	{0x7, "1550nm-eml", TONE_PLAIN, NULL},
	{0x8, "other", TONE_PLAIN, NULL},
	{0x9, "1490nm-dfb", TONE_PLAIN, NULL},
	{0xa, "copper-unequalized", TONE_PLAIN, NULL},
	{0xb, "copper-passive-equalized", TONE_PLAIN, NULL},
	{0xc, "copper-near-far-limiting", TONE_PLAIN, NULL},
	{0xd, "copper-far-limiting", TONE_PLAIN, NULL},
	{0xe, "copper-near-limiting", TONE_PLAIN, NULL},
	{0xf, "copper-linear", TONE_PLAIN, NULL},
	{0x10, "c-band-tunable", TONE_PLAIN, NULL},
	{0x11, "l-band-tunable", TONE_PLAIN, NULL},
	{0x12, "copper-near-far-linear", TONE_PLAIN, NULL},
	{0x13, "copper-far-linear", TONE_PLAIN, NULL},
	{0x14, "copper-near-linear", TONE_PLAIN, NULL},
	{0, NULL, TONE_PLAIN, NULL},
};

/* CMIS 5, table 8-6 */
const struct enum_name plug_state_names[] = {
	{1, "low-power", TONE_WARNING, NULL}, {2, "powering-up", TONE_WARNING, NULL},
	{3, "ready", TONE_GOOD, NULL},	      {4, "powering-down", TONE_WARNING, NULL},
	{5, "fault", TONE_BAD, NULL},	      {0, NULL, TONE_PLAIN, NULL},
};

/* CMIS 5, table 8-15 */
const struct enum_name plug_fault_names[] = {
	{0, "not-told", TONE_PLAIN, "no fault detected, or not supported"},
	{1, "tec-runaway", TONE_BAD, "thermal runaway of the laser's cooler"},
	{2, "data-memory", TONE_BAD, "data memory corrupted"},
	{3, "program-memory", TONE_BAD, "program memory corrupted"},
	{0, NULL, TONE_PLAIN, NULL},
};
