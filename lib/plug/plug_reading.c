/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which readings a module has, and how they are corrected. */
#include <string.h>

#include "base/mem.h"
#include "plug/plug_places.h"
#include "schema/bits.h"

/* Reads a constant of an externally calibrated module; it must be finite. */
static bool float_at(const struct plug_memory *memory, unsigned int offset, double *ret_value)
{
	const uint8_t *bytes = plug_bytes(memory, PLUG_DIAGNOSTICS, offset, 4);
	uint32_t bits;
	float value;

	if (!bytes || (bits_get(bytes, 1, 8) == 0xff))
		return false;
	bits = (uint32_t)bits_get(bytes, 0, 32);
	memcpy(&value, &bits, sizeof(value));
	*ret_value = (double)value;
	return true;
}

/* Applies a polynomial of degree four: its constants are in bytes 56 to 75, the highest first. */
static bool calibrate_power(const struct plug_memory *memory, double *value)
{
	double sum = 0;

	for (unsigned int offset = 56; offset <= 72; offset += 4) {
		double constant;

		if (!float_at(memory, offset, &constant))
			return false;
		sum = sum * *value + constant;
	}
	/* A value that cannot be a power is no reading. */
	if (!(sum >= 0 && sum < 1e6))
		return false;
	*value = sum;
	return true;
}

/* Applies a slope, with 8 bits before and 8 after the binary point, and a signed offset. */
static bool calibrate_line(const struct plug_memory *memory, unsigned int offset, double *value)
{
	const uint8_t *bytes = plug_bytes(memory, PLUG_DIAGNOSTICS, offset, 4);

	if (!bytes)
		return false;
	*value = *value * ((double)bits_get(bytes, 0, 16) / 256) +
		 (int16_t)(uint16_t)bits_get(bytes, 16, 16);
	return true;
}

/* TxBiasCurrentScalingFactor, 01h:160: 1, 2 or 4; 3 is reserved. */
static bool scale_bias(const struct plug_memory *memory, double *value)
{
	const uint8_t *byte = plug_bytes(memory, PLUG_ADVERTISED, 160, 1);
	const unsigned int exponent = byte ? *byte >> 3 & 3u : 3;

	*value *= 1u << exponent;
	return exponent < 3;
}

bool plug_correct(const struct plug_memory *memory, const struct plug_fact *fact, double *value)
{
	static const uint8_t lines[] = {
		[CORRECT_TX_BIAS] = 76,
		[CORRECT_TX_POWER] = 80,
		[CORRECT_TEMPERATURE] = 84,
		[CORRECT_VOLTAGE] = 88,
	};

	if (fact->correction == CORRECT_NOTHING)
		return true;
	if (fact->correction == CORRECT_CMIS_BIAS)
		return scale_bias(memory, value);
	if (fact->correction == CORRECT_PDDR_POWER || fact->correction == CORRECT_PDDR_BIAS)
		return plug_pddr_correct(memory, fact->correction, value);
	/* SFF-8472, byte 92: externally calibrated. */
	if (!(plug_byte(memory, PLUG_LOWER, 92) & 1u << 4))
		return true;
	return fact->correction == CORRECT_RX_POWER
		       ? calibrate_power(memory, value)
		       : calibrate_line(memory, lines[fact->correction], value);
}

bool plug_is_copper(unsigned int technology)
{
	return (technology >= 0xa && technology <= 0xf) ||
	       (technology >= 0x12 && technology <= 0x14);
}

/*
 * SFF-8636 does not say which monitors a module has: copper has none of light, and a module without
 * any shows a temperature of 0 or all ones. Data is not ready while bit 0 of byte 2 is set.
 */
static bool is_measured_8636(const struct plug_memory *memory, enum plug_condition condition)
{
	const uint8_t *temperature = plug_bytes(memory, PLUG_LOWER, 22, 2);
	const uint8_t *technology = plug_bytes(memory, PLUG_IDENTITY, 147, 1);
	const unsigned int raw = temperature ? (unsigned int)bits_get(temperature, 0, 16) : 0;

	if (!raw || raw == 0xffff || plug_byte(memory, PLUG_LOWER, 2) & 1)
		return false;
	if (condition == IF_MONITORED)
		return true;
	if (!technology || plug_is_copper(*technology >> 4))
		return false;
	/* Byte 220: transmit power is measured. */
	return condition != IF_TX_POWER || plug_byte(memory, PLUG_IDENTITY, 220) & 1u << 2;
}

static bool is_advertised(const struct plug_memory *memory, enum plug_condition condition)
{
	static const struct {
		uint8_t offset, bit;
	} places[] = {
		[IF_TEMPERATURE] = {159, 0}, [IF_VOLTAGE] = {159, 1},  [IF_TX_BIAS] = {160, 0},
		[IF_TX_POWER] = {160, 1},    [IF_RX_POWER] = {160, 2},
	};

	return plug_byte(memory, PLUG_ADVERTISED, places[condition].offset) &
	       1u << places[condition].bit;
}

/* Byte 93 of SFF-8472: there are alarm and warning flags for everything that is measured. */
static bool has_thresholds(const struct plug_memory *memory)
{
	return plug_byte(memory, PLUG_LOWER, 93) & 1u << 7;
}

/*
 * Data_Ready_Bar of SFF-8472 is set from power-up to the first valid reading. A module without any
 * of the options in byte 93 need not have its byte.
 */
static bool is_ready_8472(const struct plug_memory *memory)
{
	return !plug_byte(memory, PLUG_LOWER, 93) ||
	       !(plug_byte(memory, PLUG_DIAGNOSTICS, 110) & 1u << 0);
}

bool plug_is_measured(const struct plug_memory *memory, enum plug_standard standard,
		      enum plug_condition condition)
{
	if (condition == ALWAYS)
		return true;
	if (standard == PLUG_CMIS)
		return is_advertised(memory, condition);
	if (standard == PLUG_SFF_8636)
		return is_measured_8636(memory, condition);
	if (standard == PLUG_TOLD)
		return plug_pddr_has(memory, condition);
	return plug_has_diagnostics(memory) &&
	       (condition == IF_THRESHOLDS ? has_thresholds(memory) : is_ready_8472(memory));
}

/* Bytes 193 and 194 of SFF-8636 as in sff8636_show_signals() of ethtool, qsfp.c. */
bool plug_is_flagged(const struct plug_memory *memory, enum plug_standard standard, uint64_t flag)
{
	static const struct {
		enum plug_standard standard;
		enum plug_fault fault;
		enum plug_part part;
		uint8_t offset, bit;
	} promises[] = {
		{PLUG_SFF_8472, PLUG_TX_FAULT, PLUG_LOWER, 93, 5},
		{PLUG_SFF_8472, PLUG_RX_LOSS, PLUG_LOWER, 93, 4},
		{PLUG_SFF_8636, PLUG_TX_EQUALIZER_FAULT, PLUG_IDENTITY, 193, 3},
		{PLUG_SFF_8636, PLUG_TX_UNLOCKED, PLUG_IDENTITY, 194, 5},
		{PLUG_SFF_8636, PLUG_RX_UNLOCKED, PLUG_IDENTITY, 194, 4},
	};

	for (size_t i = 0; i < ARRAY_SIZE(promises); i++)
		if (promises[i].standard == standard && UINT64_C(1) << promises[i].fault == flag)
			return plug_byte(memory, promises[i].part, promises[i].offset) &
			       1u << promises[i].bit;
	return standard != PLUG_SFF_8472 || (has_thresholds(memory) && is_ready_8472(memory));
}

/* MediaLaneUnsupported, 00h:210 */
bool plug_has_media_lane(const struct plug_memory *memory, enum plug_standard standard,
			 unsigned int lane)
{
	return standard != PLUG_CMIS || !(plug_byte(memory, PLUG_IDENTITY, 210) >> lane & 1);
}
