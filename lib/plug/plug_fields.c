/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The tables of the three standards. Every offset was checked against a program that reads modules:
 * SFF-8472 with include/linux/sfp.h of the kernel and sfpid.c and sfpdiag.c of ethtool, SFF-8636
 * with its qsfp.h and qsfp.c, CMIS with its cmis.h, cmis.c and module-common.h.
 */
#include "plug/plug_places.h"

#define MILLIWATTS 1e-4 /* the unit of powers in all three, 0.1 uW */

/* Place of a bit counted from the highest; the standards count from the lowest, 0. */
#define BIT(number_) (7 - (number_))

/*
 * The four flags of a quantity: bit_ is the place of the high alarm, low_ the distance in bits from
 * a high one to the low one, and warning_ that from an alarm to the warning.
 */
#define FLAGS(quantity_, part_, offset_, bit_, step_, low_, warning_)                            \
	{PLUG_FLAG(quantity_, LIMIT_HIGH_ALARM), part_, offset_, bit_, step_},                   \
		{PLUG_FLAG(quantity_, LIMIT_LOW_ALARM), part_, offset_, (bit_) + (low_), step_}, \
		{PLUG_FLAG(quantity_, LIMIT_HIGH_WARNING), part_, offset_, (bit_) + (warning_),  \
		 step_},                                                                         \
	{                                                                                        \
		PLUG_FLAG(quantity_, LIMIT_LOW_WARNING), part_, offset_,                         \
			(bit_) + (low_) + (warning_), step_                                      \
	}
#define FAULT(fault_) (UINT64_C(1) << (fault_))

/* Each quantity of SFF-8472 has its own correction. */
#define LIMITS_8472(form_, offset_, quantity_, unit_)                                             \
	MONITOR(form_, PLUG_DIAGNOSTICS, offset_, LIMITS(PLUG_##quantity_), unit_, IF_THRESHOLDS, \
		CORRECT_##quantity_)
#define READING_8472(form_, offset_, place_, unit_, quantity_) \
	MONITOR(form_, PLUG_DIAGNOSTICS, offset_, place_, unit_, IF_MONITORED, CORRECT_##quantity_)

/*
 * SFF-8472: the first address holds the identity; bytes 96 and up of the second hold the readings.
 * For a transceiver without a fixed cable, byte 18 is the reach over OM4 fibre, which plug.c drops.
 */
static const struct plug_fact sff_8472_facts[] = {
	CODE(PLUG_LOWER, 0, 0, 8, identifier),
	CODE(PLUG_LOWER, 2, 0, 8, connector),
	OF(FORM_METRES, PLUG_LOWER, 18, length_m),
	TEXT(PLUG_LOWER, 20, 16, vendor),
	OF(FORM_OUI, PLUG_LOWER, 37, oui),
	TEXT(PLUG_LOWER, 40, 16, part),
	TEXT(PLUG_LOWER, 56, 4, revision),
	TEXT(PLUG_LOWER, 68, 16, serial),
	OF(FORM_DATE, PLUG_LOWER, 84, date),
	FLAG(PLUG_LOWER, 92, BIT(3), rx_power_is_average, IF_RX_POWER),
	LIMITS_8472(FORM_SIGNED_LIMITS, 0, TEMPERATURE, DEGREES),
	LIMITS_8472(FORM_LIMITS, 8, VOLTAGE, VOLTS),
	LIMITS_8472(FORM_LIMITS, 16, TX_BIAS, MILLIAMPS),
	LIMITS_8472(FORM_LIMITS, 24, TX_POWER, MILLIWATTS),
	LIMITS_8472(FORM_LIMITS, 32, RX_POWER, MILLIWATTS),
	READING_8472(FORM_SIGNED, 96, MEMBER(temperature_c), DEGREES, TEMPERATURE),
	READING_8472(FORM_NUMBER, 98, MEMBER(voltage_v), VOLTS, VOLTAGE),
	{.unit = 0},
};

static const struct plug_fact sff_8472_lane[] = {
	READING_8472(FORM_NUMBER, 100, LANE(tx_bias_ma), MILLIAMPS, TX_BIAS),
	READING_8472(FORM_NUMBER, 102, LANE(tx_power_mw), MILLIWATTS, TX_POWER),
	READING_8472(FORM_NUMBER, 104, LANE(rx_power_mw), MILLIWATTS, RX_POWER),
	{.unit = 0},
};

/*
 * The alarms are in bytes 112 and 113, the warnings four bytes later; faults in byte 110. Flags of
 * the only lane have a step, never used, so that they are shown with the lane.
 */
#define FLAGS_8472(quantity_, offset_, bit_, step_) \
	FLAGS(quantity_, PLUG_DIAGNOSTICS, offset_, BIT(bit_), step_, 1, 4 * 8)

static const struct plug_flag_place sff_8472_flags[] = {
	FLAGS_8472(PLUG_TEMPERATURE, 112, 7, 0),
	FLAGS_8472(PLUG_VOLTAGE, 112, 5, 0),
	FLAGS_8472(PLUG_TX_BIAS, 112, 3, 1),
	FLAGS_8472(PLUG_TX_POWER, 112, 1, 1),
	FLAGS_8472(PLUG_RX_POWER, 113, 7, 1),
	{FAULT(PLUG_TX_FAULT), PLUG_DIAGNOSTICS, 110, BIT(2), 1},
	{FAULT(PLUG_RX_LOSS), PLUG_DIAGNOSTICS, 110, BIT(1), 1},
	{.flag = 0},
};

const struct plug_layout plug_sff_8472 = {
	.standard = PLUG_SFF_8472,
	.facts = sff_8472_facts,
	.lane_facts = sff_8472_lane,
	.flags = sff_8472_flags,
};

/* SFF-8636: the lower half has the readings, page 00h the identity, page 03h the thresholds. */
static const struct plug_fact sff_8636_facts[] = {
	CODE(PLUG_LOWER, 0, 0, 8, identifier),
	CODE(PLUG_IDENTITY, 130, 0, 8, connector),
	OF(FORM_METRES, PLUG_IDENTITY, 146, length_m),
	CODE(PLUG_IDENTITY, 147, 0, 4, technology),
	TEXT(PLUG_IDENTITY, 148, 16, vendor),
	OF(FORM_OUI, PLUG_IDENTITY, 165, oui),
	TEXT(PLUG_IDENTITY, 168, 16, part),
	TEXT(PLUG_IDENTITY, 184, 2, revision),
	TEXT(PLUG_IDENTITY, 196, 16, serial),
	OF(FORM_DATE, PLUG_IDENTITY, 212, date),
	FLAG(PLUG_IDENTITY, 220, BIT(3), rx_power_is_average, IF_RX_POWER),
	MONITOR(FORM_SIGNED, PLUG_LOWER, 22, MEMBER(temperature_c), DEGREES, IF_MONITORED, 0),
	MONITOR(FORM_NUMBER, PLUG_LOWER, 26, MEMBER(voltage_v), VOLTS, IF_MONITORED, 0),
	MONITOR(FORM_SIGNED_LIMITS, PLUG_LIMITS_8636, 128, LIMITS(PLUG_TEMPERATURE), DEGREES,
		ALWAYS, 0),
	MONITOR(FORM_LIMITS, PLUG_LIMITS_8636, 144, LIMITS(PLUG_VOLTAGE), VOLTS, ALWAYS, 0),
	MONITOR(FORM_LIMITS, PLUG_LIMITS_8636, 176, LIMITS(PLUG_RX_POWER), MILLIWATTS, ALWAYS, 0),
	MONITOR(FORM_LIMITS, PLUG_LIMITS_8636, 184, LIMITS(PLUG_TX_BIAS), MILLIAMPS, ALWAYS, 0),
	MONITOR(FORM_LIMITS, PLUG_LIMITS_8636, 192, LIMITS(PLUG_TX_POWER), MILLIWATTS, ALWAYS, 0),
	{.unit = 0},
};

static const struct plug_fact sff_8636_lane[] = {
	MONITOR(FORM_NUMBER, PLUG_LOWER, 34, LANE(rx_power_mw), MILLIWATTS, IF_RX_POWER, 0),
	MONITOR(FORM_NUMBER, PLUG_LOWER, 42, LANE(tx_bias_ma), MILLIAMPS, IF_TX_BIAS, 0),
	MONITOR(FORM_NUMBER, PLUG_LOWER, 50, LANE(tx_power_mw), MILLIWATTS, IF_TX_POWER, 0),
	{.unit = 0},
};

static const struct plug_flag_place sff_8636_flags[] = {
	FLAGS(PLUG_TEMPERATURE, PLUG_LOWER, 6, BIT(7), 0, 1, 2),
	FLAGS(PLUG_VOLTAGE, PLUG_LOWER, 7, BIT(7), 0, 1, 2),
	FLAGS(PLUG_RX_POWER, PLUG_LOWER, 9, BIT(7), 4, 1, 2),
	FLAGS(PLUG_TX_BIAS, PLUG_LOWER, 11, BIT(7), 4, 1, 2),
	FLAGS(PLUG_TX_POWER, PLUG_LOWER, 13, BIT(7), 4, 1, 2),
	{FAULT(PLUG_RX_LOSS), PLUG_LOWER, 3, BIT(0), -1},
	{FAULT(PLUG_TX_LOSS), PLUG_LOWER, 3, BIT(4), -1},
	{FAULT(PLUG_TX_FAULT), PLUG_LOWER, 4, BIT(0), -1},
	{FAULT(PLUG_TX_EQUALIZER_FAULT), PLUG_LOWER, 4, BIT(4), -1},
	{FAULT(PLUG_RX_UNLOCKED), PLUG_LOWER, 5, BIT(0), -1},
	{FAULT(PLUG_TX_UNLOCKED), PLUG_LOWER, 5, BIT(4), -1},
	{.flag = 0},
};

const struct plug_layout plug_sff_8636 = {
	.standard = PLUG_SFF_8636,
	.facts = sff_8636_facts,
	.lane_facts = sff_8636_lane,
	.flags = sff_8636_flags,
};

/* CMIS 5: the lower half has the state, page 00h the identity, 02h thresholds, 11h the lanes. */
static const struct plug_fact cmis_facts[] = {
	CODE(PLUG_LOWER, 0, 0, 8, identifier),
	CODE(PLUG_LOWER, 3, 4, 3, state),
	OF(FORM_VERSION, PLUG_LOWER, 39, firmware),
	CODE(PLUG_LOWER, 41, 0, 8, fault),
	TEXT(PLUG_IDENTITY, 129, 16, vendor),
	OF(FORM_OUI, PLUG_IDENTITY, 145, oui),
	TEXT(PLUG_IDENTITY, 148, 16, part),
	TEXT(PLUG_IDENTITY, 164, 2, revision),
	TEXT(PLUG_IDENTITY, 166, 16, serial),
	OF(FORM_DATE, PLUG_IDENTITY, 182, date),
	OF(FORM_CMIS_METRES, PLUG_IDENTITY, 202, length_m),
	CODE(PLUG_IDENTITY, 203, 0, 8, connector),
	CODE(PLUG_IDENTITY, 212, 0, 8, technology),
	FLAG(PLUG_ADVERTISED, 151, BIT(4), rx_power_is_average, IF_RX_POWER),
	MONITOR(FORM_SIGNED, PLUG_LOWER, 14, MEMBER(temperature_c), DEGREES, IF_TEMPERATURE, 0),
	MONITOR(FORM_NUMBER, PLUG_LOWER, 16, MEMBER(voltage_v), VOLTS, IF_VOLTAGE, 0),
	MONITOR(FORM_SIGNED_LIMITS, PLUG_LIMITS, 128, LIMITS(PLUG_TEMPERATURE), DEGREES, ALWAYS, 0),
	MONITOR(FORM_LIMITS, PLUG_LIMITS, 136, LIMITS(PLUG_VOLTAGE), VOLTS, ALWAYS, 0),
	MONITOR(FORM_LIMITS, PLUG_LIMITS, 176, LIMITS(PLUG_TX_POWER), MILLIWATTS, ALWAYS, 0),
	MONITOR(FORM_LIMITS, PLUG_LIMITS, 184, LIMITS(PLUG_TX_BIAS), MILLIAMPS, ALWAYS,
		CORRECT_CMIS_BIAS),
	MONITOR(FORM_LIMITS, PLUG_LIMITS, 192, LIMITS(PLUG_RX_POWER), MILLIWATTS, ALWAYS, 0),
	{.unit = 0},
};

static const struct plug_fact cmis_lane[] = {
	MONITOR(FORM_NUMBER, PLUG_LANES, 154, LANE(tx_power_mw), MILLIWATTS, IF_TX_POWER, 0),
	MONITOR(FORM_NUMBER, PLUG_LANES, 170, LANE(tx_bias_ma), MILLIAMPS, IF_TX_BIAS,
		CORRECT_CMIS_BIAS),
	MONITOR(FORM_NUMBER, PLUG_LANES, 186, LANE(rx_power_mw), MILLIWATTS, IF_RX_POWER, 0),
	{.unit = 0},
};

/*
 * Byte 9 of the lower half counts its flags from the lowest bit, as the lanes do everywhere. Page
 * 11h has one byte per kind of flag, with one bit per lane.
 */
#define CMIS_LANES(quantity_, offset_) FLAGS(quantity_, PLUG_LANES, offset_, BIT(0), -1, 8, 2 * 8)

static const struct plug_flag_place cmis_flags[] = {
	FLAGS(PLUG_TEMPERATURE, PLUG_LOWER, 9, BIT(0), 0, -1, -2),
	FLAGS(PLUG_VOLTAGE, PLUG_LOWER, 9, BIT(4), 0, -1, -2),
	{FAULT(PLUG_TX_FAULT), PLUG_LANES, 135, BIT(0), -1},
	{FAULT(PLUG_TX_LOSS), PLUG_LANES, 136, BIT(0), -1},
	{FAULT(PLUG_TX_UNLOCKED), PLUG_LANES, 137, BIT(0), -1},
	{FAULT(PLUG_TX_EQUALIZER_FAULT), PLUG_LANES, 138, BIT(0), -1},
	CMIS_LANES(PLUG_TX_POWER, 139),
	CMIS_LANES(PLUG_TX_BIAS, 143),
	{FAULT(PLUG_RX_LOSS), PLUG_LANES, 147, BIT(0), -1},
	{FAULT(PLUG_RX_UNLOCKED), PLUG_LANES, 148, BIT(0), -1},
	CMIS_LANES(PLUG_RX_POWER, 149),
	{.flag = 0},
};

const struct plug_layout plug_cmis = {
	.standard = PLUG_CMIS,
	.facts = cmis_facts,
	.lane_facts = cmis_lane,
	.flags = cmis_flags,
};
