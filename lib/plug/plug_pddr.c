/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the firmware of NVIDIA's (Mellanox's) devices reports about the module in a port: the
 * register PDDR with its page Module_info (pddr_reg_ext and pddr_module_info_ext of
 * register_access_table.adb in mstflint's tools_layouts/adb/prm/switch/ext and hca/ext, which are
 * the same; units as in MlxlinkCommander::prepareDDMSection() and getPower() of its mlxlink).
 * Offsets are from the beginning of the register, whose head takes eight bytes.
 */
#include <string.h>

#include "base/mem.h"
#include "mad/format/mad.h"
#include "plug/plug_places.h"

#define MICROWATTS 1e-3 /* the unit of powers */

enum {
	DBM_MOST = 60,
	TECHNOLOGY_AT = 8,
	TYPE_AT = 12, /* cable_type, the upper four bits */
	IDENTIFIER_AT = 14,
	TEMPERATURE_AT = 84,
	SCALE_AT = 162,	   /* tx_bias_scaling_factor, bits 2 and 3 */
	MONITORS_AT = 166, /* monitor_cap_mask */
};

/* cable_type */
enum { TYPE_ACTIVE = 1, TYPE_OPTICAL = 2, TYPE_COPPER = 3, TYPE_UNPLUGGED = 4, TYPE_PAIR = 5 };

static const struct plug_fact facts[] = {
	TEXT(PLUG_PDDR, 28, 16, vendor),
	TEXT(PLUG_PDDR, 44, 16, part),
	TEXT(PLUG_PDDR, 68, 16, serial),
	MONITOR(FORM_METRES, PLUG_PDDR, 13, MEMBER(length_m), 1, IF_NOT_CMIS, 0),
	MONITOR(FORM_CMIS_METRES, PLUG_PDDR, 13, MEMBER(length_m), 1, IF_CMIS, 0),
	MONITOR(FORM_SIGNED, PLUG_PDDR, TEMPERATURE_AT, MEMBER(temperature_c), DEGREES,
		IF_TEMPERATURE, 0),
	MONITOR(FORM_NUMBER, PLUG_PDDR, 86, MEMBER(voltage_v), VOLTS, IF_VOLTAGE, 0),
	MONITOR(FORM_SIGNED_ALARMS, PLUG_PDDR_REST, 136, LIMITS(PLUG_TEMPERATURE), DEGREES, ALWAYS,
		0),
	MONITOR(FORM_ALARMS, PLUG_PDDR_REST, 140, LIMITS(PLUG_VOLTAGE), VOLTS, ALWAYS, 0),
	MONITOR(FORM_ALARMS, PLUG_PDDR_REST, 144, LIMITS(PLUG_RX_POWER), MICROWATTS, ALWAYS,
		CORRECT_PDDR_POWER),
	MONITOR(FORM_ALARMS, PLUG_PDDR_REST, 148, LIMITS(PLUG_TX_POWER), MICROWATTS, ALWAYS,
		CORRECT_PDDR_POWER),
	MONITOR(FORM_ALARMS, PLUG_PDDR_REST, 152, LIMITS(PLUG_TX_BIAS), MILLIAMPS, ALWAYS,
		CORRECT_PDDR_BIAS),
	{.unit = 0},
};

static const struct plug_fact lane_facts[] = {
	MONITOR(FORM_NUMBER, PLUG_PDDR, 88, LANE(rx_power_mw), MICROWATTS, IF_RX_POWER,
		CORRECT_PDDR_POWER),
	MONITOR(FORM_NUMBER, PLUG_PDDR, 104, LANE(tx_power_mw), MICROWATTS, IF_TX_POWER,
		CORRECT_PDDR_POWER),
	MONITOR(FORM_NUMBER, PLUG_PDDR_REST, 120, LANE(tx_bias_ma), MILLIAMPS, IF_TX_BIAS,
		CORRECT_PDDR_BIAS),
	{.unit = 0},
};

/* The flags are on another page, which is not read. */
static const struct plug_flag_place no_flags[] = {{.flag = 0}};

static const struct plug_layout plug_pddr = {
	.standard = PLUG_TOLD,
	.facts = facts,
	.lane_facts = lane_facts,
	.flags = no_flags,
};

/*
 * By cable_identifier: the same form in SFF-8024, and its lanes. Entries that are no module, or
 * have no such number, have neither.
 */
static const struct plug_form_factor forms[] = {
	{0x11, 4, &plug_pddr}, /* QSFP28 */
	{0x0d, 4, &plug_pddr}, /* QSFP+ */
	{0x03, 1, &plug_pddr}, /* SFP */
	{0x03, 1, &plug_pddr}, /* SFP in an adapter for QSFP */
	{0x00, 0, &plug_pddr}, /* backplane */
	{0x1f, 2, &plug_pddr}, /* SFP-DD */
	{0x18, 8, &plug_pddr}, /* QSFP-DD */
	{0x1e, 4, &plug_pddr}, /* QSFP with CMIS */
	{0x19, 8, &plug_pddr}, /* OSFP */
	{0x00, 0, &plug_pddr}, /* from chip to chip */
	{0x1b, 2, &plug_pddr}, /* DSFP */
	{0x00, 0, &plug_pddr}, /* any other */
};

bool plug_is_told(const struct plug_memory *memory)
{
	return memory->length[PLUG_PDDR];
}

bool plug_take_pddr(struct plug_memory *memory, const uint8_t bytes[static PLUG_PDDR_BYTES],
		    bool microwatts)
{
	const unsigned int rest = plug_places[PLUG_PDDR_REST].offset;

	if (bytes[TYPE_AT] >> 4 == TYPE_UNPLUGGED)
		return false;
	*memory = (struct plug_memory){
		.length = {[PLUG_PDDR] = (uint8_t)rest,
			   [PLUG_PDDR_REST] = (uint8_t)(PLUG_PDDR_BYTES - rest)}};
	memcpy(memory->bytes[PLUG_PDDR], bytes, rest);
	memcpy(memory->bytes[PLUG_PDDR_REST], bytes + rest, PLUG_PDDR_BYTES - rest);
	pddr_set_units(memory->bytes[PLUG_PDDR], microwatts ? PDDR_MICROWATTS : 0);
	return true;
}

const struct plug_form_factor *plug_pddr_form(const struct plug_memory *memory)
{
	const unsigned int identifier = plug_byte(memory, PLUG_PDDR, IDENTIFIER_AT);
	const size_t last = ARRAY_SIZE(forms) - 1;

	return &forms[identifier < last ? identifier : last];
}

/* As isCMISCable() of mlxlink, with the identifiers that the layout names. */
static bool is_cmis(const struct plug_memory *memory)
{
	const unsigned int identifier = plug_byte(memory, PLUG_PDDR, IDENTIFIER_AT);

	return (identifier >= 5 && identifier <= 8) || identifier == 10;
}

/* As getCableTechnologyStr() of mlxlink: the byte is that of the module's own standard. */
static unsigned int technology_of(const struct plug_memory *memory)
{
	const unsigned int byte = plug_byte(memory, PLUG_PDDR, TECHNOLOGY_AT);

	return is_cmis(memory) ? byte : byte >> 4;
}

/* Copper with linear amplifiers, which cable_type counts as passive. */
static bool is_linear(unsigned int technology)
{
	return technology == 0x0f || (technology >= 0x12 && technology <= 0x14);
}

enum plug_kind plug_pddr_kind(const struct plug_memory *memory)
{
	const unsigned int technology = technology_of(memory);

	switch (plug_byte(memory, PLUG_PDDR, TYPE_AT) >> 4) {
	case TYPE_ACTIVE:
		if (plug_pddr_form(memory)->lanes < 2)
			return PLUG_ACTIVE;
		return plug_is_copper(technology) ? PLUG_ACTIVE_COPPER : PLUG_ACTIVE_OPTICAL;
	case TYPE_OPTICAL:
		return PLUG_OPTICAL;
	case TYPE_COPPER:
		return is_linear(technology) ? PLUG_ACTIVE_COPPER : PLUG_PASSIVE_COPPER;
	case TYPE_PAIR:
		return PLUG_TWISTED_PAIR;
	default:
		return 0;
	}
}

/*
 * mlxlink ignores the mask, so firmware may leave it 0. Then a module is taken to have monitors if
 * its temperature is not 0, and monitors of light if it is optical.
 */
static bool has_without_mask(const struct plug_memory *memory, enum plug_condition condition)
{
	const enum plug_kind kind = plug_pddr_kind(memory);

	if (!plug_byte(memory, PLUG_PDDR, TEMPERATURE_AT) &&
	    !plug_byte(memory, PLUG_PDDR, TEMPERATURE_AT + 1))
		return false;
	return condition == IF_TEMPERATURE || condition == IF_VOLTAGE || kind == PLUG_OPTICAL ||
	       kind == PLUG_ACTIVE_OPTICAL;
}

bool plug_pddr_has(const struct plug_memory *memory, enum plug_condition condition)
{
	static const uint8_t masks[] = {
		[IF_MONITORED] = 7 << 2, /* any monitor of the lanes */
		[IF_TEMPERATURE] = 1 << 0, [IF_VOLTAGE] = 1 << 1, [IF_TX_POWER] = 1 << 2,
		[IF_RX_POWER] = 1 << 3,	   [IF_TX_BIAS] = 1 << 4,
	};
	const unsigned int mask = plug_byte(memory, PLUG_PDDR_REST, MONITORS_AT);

	if (condition == IF_CMIS || condition == IF_NOT_CMIS)
		return is_cmis(memory) == (condition == IF_CMIS);
	return mask ? mask & masks[condition] : has_without_mask(memory, condition);
}

/* Converts whole dBm to microwatts. Returns false if no light is that weak or that strong. */
static bool power_of(int dbm, double *ret_microwatts)
{
	static const double tenth = 1.2589254117941673; /* 10 to the power of 0.1 */
	double microwatts = 1000;

	if (dbm < -DBM_MOST || dbm > DBM_MOST)
		return false;
	for (int i = 0; i < dbm; i++)
		microwatts *= tenth;
	for (int i = 0; i > dbm; i--)
		microwatts /= tenth;
	*ret_microwatts = microwatts;
	return true;
}

bool plug_pddr_correct(const struct plug_memory *memory, enum plug_correction correction,
		       double *value)
{
	unsigned int exponent;

	if (correction == CORRECT_PDDR_POWER)
		return pddr_units(memory->bytes[PLUG_PDDR]) == PDDR_MICROWATTS ||
		       power_of((int16_t)(uint16_t)*value, value);
	exponent = plug_byte(memory, PLUG_PDDR_REST, SCALE_AT) >> 2 & 3;
	*value *= 1u << exponent;
	return exponent < 3;
}
