/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Words for the codes of modules. Those of SFF-8024 are as in module-common.h of ethtool. */
#include "plug/plug.h"

const struct enum_name plug_standard_names[] = {
	{PLUG_SFF_8472, "sff-8472"},
	{PLUG_SFF_8636, "sff-8636"},
	{PLUG_CMIS, "cmis"},
	{0, NULL},
};

const struct enum_name plug_kind_names[] = {
	{PLUG_PASSIVE_COPPER, "passive-copper", TONE_PLAIN, "copper cable without electronics"},
	{PLUG_ACTIVE_COPPER, "active-copper", TONE_PLAIN, "copper cable that amplifies the signal"},
	{PLUG_ACTIVE_OPTICAL, "active-optical", TONE_PLAIN, "optical cable with fixed fibres"},
	{PLUG_ACTIVE, "active", TONE_PLAIN, "active cable, copper or optical"},
	{PLUG_OPTICAL, "optical", TONE_PLAIN, "transceiver for separate fibres"},
	{PLUG_TWISTED_PAIR, "twisted-pair", TONE_PLAIN, "transceiver for twisted pairs"},
	{0, NULL},
};

#define FOUR(quantity, word_)                                                                \
	{PLUG_FLAG(PLUG_##quantity, LIMIT_HIGH_ALARM), word_ "-high-alarm", TONE_BAD},       \
		{PLUG_FLAG(PLUG_##quantity, LIMIT_LOW_ALARM), word_ "-low-alarm", TONE_BAD}, \
		{PLUG_FLAG(PLUG_##quantity, LIMIT_HIGH_WARNING), word_ "-high-warning",      \
		 TONE_WARNING},                                                              \
		{PLUG_FLAG(PLUG_##quantity, LIMIT_LOW_WARNING), word_ "-low-warning",        \
		 TONE_WARNING},

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
	{0, NULL},
};

const struct enum_name plug_identifier_names[] = {
	{0x01, "gbic"},
	{0x02, "soldered"},
	{0x03, "sfp", TONE_PLAIN, "SFP, SFP+, SFP28 and later"},
	{0x04, "300-pin-xbi"},
	{0x05, "xenpak"},
	{0x06, "xfp"},
	{0x07, "xff"},
	{0x08, "xfp-e"},
	{0x09, "xpak"},
	{0x0a, "x2"},
	{0x0b, "dwdm-sfp"},
	{0x0c, "qsfp"},
	{0x0d, "qsfp-plus"},
	{0x0e, "cxp"},
	{0x0f, "hd-4x"},
	{0x10, "hd-8x"},
	{0x11, "qsfp28", TONE_PLAIN, "QSFP28, QSFP56"},
	{0x12, "cxp2"},
	{0x13, "cdfp"},
	{0x14, "hd-4x-fanout"},
	{0x15, "hd-8x-fanout"},
	{0x16, "cdfp-3"},
	{0x17, "micro-qsfp"},
	{0x18, "qsfp-dd"},
	{0x19, "osfp"},
	{0x1a, "sfp-dd"},
	{0x1b, "dsfp"},
	{0x1e, "qsfp-cmis", TONE_PLAIN, "QSFP+ or later with CMIS: QSFP112"},
	{0x1f, "sfp-dd-cmis"},
	{0x20, "sfp-cmis"},
	{0x21, "osfp-xd"},
	{0, NULL},
};

const struct enum_name plug_connector_names[] = {
	{0x01, "sc"},
	{0x02, "fc-1"},
	{0x03, "fc-2"},
	{0x04, "bnc-tnc"},
	{0x05, "fc-coax"},
	{0x06, "fiber-jack"},
	{0x07, "lc"},
	{0x08, "mt-rj"},
	{0x09, "mu"},
	{0x0a, "sg"},
	{0x0b, "optical-pigtail"},
	{0x0c, "mpo-1x12"},
	{0x0d, "mpo-2x16"},
	{0x20, "hssdc-ii"},
	{0x21, "copper-pigtail"},
	{0x22, "rj45"},
	{0x23, "none", TONE_PLAIN, "the cable is fixed"},
	{0x24, "mxc-2x16"},
	{0x25, "cs"},
	{0x26, "cs-mini", TONE_PLAIN, "SN, which was called Mini CS before"},
	{0x27, "mpo-2x12"},
	{0x28, "mpo-1x16"},
	{0, NULL},
};

/*
 * The upper half of byte 147 of SFF-8636, and byte 212 of CMIS, which has the same codes and, in
 * later revisions, more of them; in the order of mlxlink_maps.cpp of mstflint.
 */
const struct enum_name plug_technology_names[] = {
	{0x0, "850nm-vcsel"},
	{0x1, "1310nm-vcsel"},
	{0x2, "1550nm-vcsel"},
	{0x3, "1310nm-fp"},
	{0x4, "1310nm-dfb"},
	{0x5, "1550nm-dfb"},
	{0x6, "1310nm-eml"},
	{0x7, "1550nm-eml"},
	{0x8, "other"},
	{0x9, "1490nm-dfb"},
	{0xa, "copper-unequalized"},
	{0xb, "copper-passive-equalized"},
	{0xc, "copper-near-far-limiting"},
	{0xd, "copper-far-limiting"},
	{0xe, "copper-near-limiting"},
	{0xf, "copper-linear"},
	{0x10, "c-band-tunable"},
	{0x11, "l-band-tunable"},
	{0x12, "copper-near-far-linear"},
	{0x13, "copper-far-linear"},
	{0x14, "copper-near-linear"},
	{0, NULL},
};

/* CMIS 5, table 8-6 */
const struct enum_name plug_state_names[] = {
	{1, "low-power", TONE_WARNING}, {2, "powering-up", TONE_WARNING},
	{3, "ready", TONE_GOOD},	{4, "powering-down", TONE_WARNING},
	{5, "fault", TONE_BAD},		{0, NULL},
};

/* CMIS 5, table 8-15 */
const struct enum_name plug_fault_names[] = {
	{0, "not-told", TONE_PLAIN, "no fault detected, or not supported"},
	{1, "tec-runaway", TONE_BAD, "thermal runaway of the laser's cooler"},
	{2, "data-memory", TONE_BAD, "data memory corrupted"},
	{3, "program-memory", TONE_BAD, "program memory corrupted"},
	{0, NULL},
};
