/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Modules at the edges of the standards: each threshold of each quantity, each latched flag, each
 * advertisement, each calibration constant, and codes next to the meaningful ones.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "plug/plug.h"
#include "plug/plug_places.h"
#include "sample_plug.h"
#include "schema/bits.h"

#define FAULT(fault_) (UINT64_C(1) << PLUG_##fault_)

static void decode(const struct plug_memory *memory, struct plug *plug)
{
	plug_clear(plug);
	plug_decode(memory, plug);
}

static bool is_real(const struct real *real, double wanted)
{
	const double difference = real->value - wanted;

	return real->known && difference < 1e-6 && difference > -1e-6;
}

static const char *kind_of(const struct plug *plug)
{
	return plug->kind.known ? enum_word(plug_kind_names, plug->kind.value, "?") : "unknown";
}

/* SFF-8636: readings in the lower half, thresholds in page 03h. */
static void each_threshold(void **state)
{
	static const struct {
		enum plug_quantity quantity;
		uint8_t reading, limits;
	} cases[] = {
		{PLUG_TEMPERATURE, 22, 128}, {PLUG_VOLTAGE, 26, 144},  {PLUG_RX_POWER, 34, 176},
		{PLUG_TX_BIAS, 42, 184},     {PLUG_TX_POWER, 50, 192},
	};
	static const unsigned int values[LIMIT_COUNT] = {9000, 3000, 8000, 4000};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		for (unsigned int limit = 0; limit < LIMIT_COUNT; limit++)
			for (unsigned int beyond = 0; beyond < 2; beyond++) {
				const bool is_low = limit % 2;
				const unsigned int reading = is_low ? values[limit] - beyond
								    : values[limit] + beyond;
				_cleanup_(plug_clear) struct plug plug = {.lane_count = 0};
				struct plug_memory memory;
				uint64_t wanted = 0;

				if (beyond)
					wanted = PLUG_FLAG(cases[i].quantity, limit);
				else if (limit < LIMIT_HIGH_WARNING)
					wanted = PLUG_FLAG(cases[i].quantity, limit + 2);
				sample_qsfp28(&memory);
				plug_put_limits(&memory, PLUG_LIMITS_8636, cases[i].limits,
						values[0], values[1], values[2], values[3]);
				if (cases[i].reading >= 34)
					for (unsigned int lane = 1; lane < 4; lane++)
						plug_put_word(&memory, PLUG_LOWER,
							      cases[i].reading + 2 * lane, 6000);
				plug_put_word(&memory, PLUG_LOWER, cases[i].reading, reading);
				decode(&memory, &plug);
				assert_true(plug.alarms.known);
				assert_int_equal(plug.alarms.value, wanted);
				assert_int_equal(plug.lanes[0].alarms.value,
						 cases[i].reading >= 34 ? wanted : 0);
				assert_int_equal(plug.lanes[1].alarms.value, 0);
			}
}

/* A threshold without the other one of its side is not compared; without a reading, none is. */
static void half_of_the_thresholds(void **state)
{
	_cleanup_(plug_clear) struct plug plug = {.lane_count = 0};
	struct plug_memory memory;

	(void)state;
	sample_qsfp28(&memory);
	plug_put_word(&memory, PLUG_LOWER, 22, SAMPLE_DEGREES(90));
	memory.length[PLUG_LIMITS_8636] = 2;
	decode(&memory, &plug);
	assert_true(is_real(&plug.limits[PLUG_TEMPERATURE].values[LIMIT_HIGH_ALARM], 80));
	assert_false(plug.limits[PLUG_TEMPERATURE].values[LIMIT_HIGH_WARNING].known);
	assert_false(plug.alarms.known);
	memory.length[PLUG_LIMITS_8636] = 8;
	decode(&memory, &plug);
	assert_int_equal(plug.alarms.value, PLUG_FLAG(PLUG_TEMPERATURE, LIMIT_HIGH_ALARM));
	plug_put_word(&memory, PLUG_LOWER, 22, 0);
	decode(&memory, &plug);
	assert_false(plug.alarms.known);
	for (unsigned int i = 0; i < PLUG_QUANTITY_COUNT; i++) {
		assert_true(plug.limits[i].quantity.known);
		assert_int_equal(plug.limits[i].quantity.value, i);
	}
}

/* SFF-8636 has no bit for monitors: the temperature shows it, and whether data is ready. */
static void monitors_of_qsfp(void **state)
{
	static const struct {
		unsigned int temperature;
		uint8_t status, optional;
		bool measures, sends;
	} cases[] = {
		{0x2900, 0, 0x0c, true, true},	 {0x0001, 0, 0x0c, true, true},
		{0x0000, 0, 0x0c, false, false}, {0xffff, 0, 0x0c, false, false},
		{0xfffe, 0, 0x0c, true, true},	 {0x2900, 1, 0x0c, false, false},
		{0x2900, 2, 0x0c, true, true},	 {0x2900, 0, 0x08, true, false},
		{0x2900, 0, 0x04, true, true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(plug_clear) struct plug plug = {.lane_count = 0};
		struct plug_memory memory;

		sample_qsfp28(&memory);
		plug_put_word(&memory, PLUG_LOWER, 22, cases[i].temperature);
		plug_put(&memory, PLUG_LOWER, 2, cases[i].status);
		plug_put(&memory, PLUG_IDENTITY, 220, cases[i].optional);
		decode(&memory, &plug);
		assert_int_equal(plug.temperature_c.known, cases[i].measures);
		assert_int_equal(plug.voltage_v.known, cases[i].measures);
		assert_int_equal(plug.lanes[3].rx_power_mw.known, cases[i].measures);
		assert_int_equal(plug.lanes[3].tx_bias_ma.known, cases[i].measures);
		assert_int_equal(plug.lanes[3].tx_power_mw.known, cases[i].sends);
		assert_int_equal(plug.rx_power_is_average, !cases[i].measures ? TRISTATE_UNKNOWN
							   : cases[i].optional & 1 << 3
								   ? TRISTATE_YES
								   : TRISTATE_NO);
	}
}

/* CMIS, 01h:159 and 01h:160: one bit per monitor. */
static void monitors_of_cmis(void **state)
{
	(void)state;
	for (unsigned int bit = 0; bit < 5; bit++) {
		_cleanup_(plug_clear) struct plug plug = {.lane_count = 0};
		struct plug_memory memory;

		sample_osfp(&memory);
		plug_put(&memory, PLUG_ADVERTISED, 159, bit < 2 ? (uint8_t)(1 << bit) : 0);
		plug_put(&memory, PLUG_ADVERTISED, 160, bit < 2 ? 0 : (uint8_t)(1 << (bit - 2)));
		decode(&memory, &plug);
		assert_int_equal(plug.temperature_c.known, bit == 0);
		assert_int_equal(plug.voltage_v.known, bit == 1);
		assert_int_equal(plug.lanes[7].tx_bias_ma.known, bit == 2);
		assert_int_equal(plug.lanes[7].tx_power_mw.known, bit == 3);
		assert_int_equal(plug.lanes[7].rx_power_mw.known, bit == 4);
		/* The multiplier 1: units of 2 uA. */
		if (bit == 2)
			assert_true(is_real(&plug.lanes[7].tx_bias_ma, 3));
		plug_put(&memory, PLUG_ADVERTISED, 160, 1 << 0 | 2 << 3);
		decode(&memory, &plug);
		assert_true(is_real(&plug.lanes[7].tx_bias_ma, 12));
	}
}

/* Checks which flags of a lane or of the module are set by one bit of the memory. */
static void check_flag(void (*sample)(struct plug_memory *memory), enum plug_part part,
		       unsigned int offset, unsigned int bit, unsigned int lane, uint64_t wanted)
{
	_cleanup_(plug_clear) struct plug plug = {.lane_count = 0};
	struct plug_memory memory;

	sample(&memory);
	*plug_at(&memory, part, offset) |= (uint8_t)(1 << bit);
	decode(&memory, &plug);
	assert_int_equal(plug.flags.value, wanted);
	for (unsigned int i = 0; i < plug.lane_count; i++)
		assert_int_equal(plug.lanes[i].flags.value, i + 1 == lane ? wanted : 0);
}

/* SFF-8636, bytes 3 to 14: faults have lane 1 in the lowest bit, alarms in the highest ones. */
static void each_flag_of_qsfp(void **state)
{
	static const uint64_t faults[] = {FAULT(RX_LOSS),     FAULT(TX_LOSS),
					  FAULT(TX_FAULT),    FAULT(TX_EQUALIZER_FAULT),
					  FAULT(RX_UNLOCKED), FAULT(TX_UNLOCKED)};
	static const enum plug_quantity of_lanes[] = {PLUG_RX_POWER, PLUG_TX_BIAS, PLUG_TX_POWER};

	(void)state;
	for (unsigned int i = 0; i < ARRAY_SIZE(faults) * 4; i++)
		check_flag(sample_qsfp28, PLUG_LOWER, 3 + i / 8, i % 8, i % 4 + 1, faults[i / 4]);
	for (unsigned int limit = 0; limit < LIMIT_COUNT; limit++) {
		check_flag(sample_qsfp28, PLUG_LOWER, 6, 7 - limit, 0,
			   PLUG_FLAG(PLUG_TEMPERATURE, limit));
		check_flag(sample_qsfp28, PLUG_LOWER, 7, 7 - limit, 0,
			   PLUG_FLAG(PLUG_VOLTAGE, limit));
		for (unsigned int i = 0; i < ARRAY_SIZE(of_lanes) * 4; i++)
			check_flag(sample_qsfp28, PLUG_LOWER, 9 + i / 2, 7 - limit - i % 2 * 4,
				   i % 4 + 1, PLUG_FLAG(of_lanes[i / 4], limit));
	}
}

/* CMIS: byte 9 of the lower half; in page 11h, one byte per flag and one bit per lane. */
static void each_flag_of_cmis(void **state)
{
	static const struct {
		uint8_t offset;
		uint64_t flag;
	} faults[] = {{135, FAULT(TX_FAULT)},	 {136, FAULT(TX_LOSS)},
		      {137, FAULT(TX_UNLOCKED)}, {138, FAULT(TX_EQUALIZER_FAULT)},
		      {147, FAULT(RX_LOSS)},	 {148, FAULT(RX_UNLOCKED)}};

	(void)state;
	for (unsigned int limit = 0; limit < LIMIT_COUNT; limit++) {
		check_flag(sample_osfp, PLUG_LOWER, 9, limit, 0,
			   PLUG_FLAG(PLUG_TEMPERATURE, limit));
		check_flag(sample_osfp, PLUG_LOWER, 9, 4 + limit, 0,
			   PLUG_FLAG(PLUG_VOLTAGE, limit));
		for (unsigned int lane = 0; lane < 8; lane++) {
			check_flag(sample_osfp, PLUG_LANES, 139 + limit, lane, lane + 1,
				   PLUG_FLAG(PLUG_TX_POWER, limit));
			check_flag(sample_osfp, PLUG_LANES, 143 + limit, lane, lane + 1,
				   PLUG_FLAG(PLUG_TX_BIAS, limit));
			check_flag(sample_osfp, PLUG_LANES, 149 + limit, lane, lane + 1,
				   PLUG_FLAG(PLUG_RX_POWER, limit));
		}
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(faults) * 8; i++)
		check_flag(sample_osfp, PLUG_LANES, faults[i / 8].offset, i % 8, i % 8 + 1,
			   faults[i / 8].flag);
}

/* SFF-8472: alarms in bytes 112 and 113, warnings four bytes later, the high one first. */
static void each_flag_of_sfp(void **state)
{
	static const enum plug_quantity order[] = {PLUG_TEMPERATURE, PLUG_VOLTAGE, PLUG_TX_BIAS,
						   PLUG_TX_POWER, PLUG_RX_POWER};

	(void)state;
	for (unsigned int i = 0; i < ARRAY_SIZE(order) * LIMIT_COUNT; i++) {
		const unsigned int limit = i % LIMIT_COUNT, place = i / LIMIT_COUNT * 2 + limit % 2;

		check_flag(sample_sfp28, PLUG_DIAGNOSTICS, 112 + limit / 2 * 4 + place / 8,
			   7 - place % 8, i / LIMIT_COUNT < 2 ? 0 : 1,
			   PLUG_FLAG(order[i / LIMIT_COUNT], limit));
	}
}

/* Host-only lanes may lose the port's signal, but have no laser and receive nothing. */
static void flags_without_light(void **state)
{
	_cleanup_(plug_clear) struct plug plug = {.lane_count = 0};
	struct plug_memory memory;

	(void)state;
	sample_osfp(&memory);
	plug_put(&memory, PLUG_IDENTITY, 210, 1 << 7);
	memset(plug_at(&memory, PLUG_LANES, 135), 0xff, 152 - 135 + 1);
	decode(&memory, &plug);
	assert_int_equal(plug.lanes[7].flags.value,
			 FAULT(TX_LOSS) | FAULT(TX_UNLOCKED) | FAULT(TX_EQUALIZER_FAULT));
	assert_true(plug.lanes[6].flags.value & FAULT(TX_FAULT));
	assert_true(plug.lanes[6].flags.value & FAULT(RX_LOSS));
	assert_false(plug.lanes[7].rx_power_mw.known);
	assert_true(plug.lanes[6].rx_power_mw.known);
}

static void put_float(struct plug_memory *memory, unsigned int offset, uint32_t bits)
{
	bits_set(plug_at(memory, PLUG_DIAGNOSTICS, offset), 0, 32, bits);
}

/* An externally calibrated SFP28, whose constants change nothing. */
static void sample_calibrated(struct plug_memory *memory)
{
	sample_sfp28(memory);
	plug_put(memory, PLUG_LOWER, 92, 0x58);
	for (unsigned int offset = 76; offset <= 88; offset += 4)
		plug_put_word(memory, PLUG_DIAGNOSTICS, offset, 0x0100);
	put_float(memory, 68, 0x3f800000);
}

/* SFF-8472, table 9-11: a slope in 1/256 and a signed offset in units of the reading. */
static void slopes_and_offsets(void **state)
{
	_cleanup_(plug_clear) struct plug plug = {.lane_count = 0};
	struct plug_memory memory;

	(void)state;
	sample_calibrated(&memory);
	decode(&memory, &plug);
	assert_true(is_real(&plug.temperature_c, -3));
	assert_true(is_real(&plug.voltage_v, 3.311));
	assert_true(is_real(&plug.lanes[0].tx_bias_ma, 6.4));
	assert_true(is_real(&plug.lanes[0].tx_power_mw, 0.7));
	assert_true(is_real(&plug.lanes[0].rx_power_mw, 0.41));
	plug_put_word(&memory, PLUG_DIAGNOSTICS, 76, 0x0180);
	plug_put_word(&memory, PLUG_DIAGNOSTICS, 78, 100);
	plug_put_word(&memory, PLUG_DIAGNOSTICS, 80, 0x0200);
	plug_put_word(&memory, PLUG_DIAGNOSTICS, 82, 0xff9c); /* -100 */
	plug_put_word(&memory, PLUG_DIAGNOSTICS, 86, 0x0100);
	plug_put_word(&memory, PLUG_DIAGNOSTICS, 90, 0xff92); /* -110 */
	decode(&memory, &plug);
	assert_true(is_real(&plug.temperature_c, -2));
	assert_true(is_real(&plug.voltage_v, 3.3));
	assert_true(is_real(&plug.lanes[0].tx_bias_ma, 9.8));
	assert_true(is_real(&plug.lanes[0].tx_power_mw, 1.39));
	/* Constants up to the last one of the voltage were not read: its thresholds are unknown. */
	memory.length[PLUG_DIAGNOSTICS] = 92;
	decode(&memory, &plug);
	assert_true(is_real(&plug.limits[PLUG_VOLTAGE].values[LIMIT_HIGH_ALARM], 3.689));
	memory.length[PLUG_DIAGNOSTICS] = 91;
	decode(&memory, &plug);
	assert_false(plug.limits[PLUG_VOLTAGE].values[LIMIT_HIGH_ALARM].known);
	assert_true(plug.limits[PLUG_TEMPERATURE].values[LIMIT_HIGH_ALARM].known);
}

/* Received power: a polynomial of the fourth degree, the highest constant first. */
static void polynomial(void **state)
{
	static const struct {
		uint32_t constants[5];
		double milliwatts; /* below 0: unknown */
	} cases[] = {
		/* x^4 + 2 x^3 + 3 x^2 + 4 x + 5 at 10. */
		{{0x3f800000, 0x40000000, 0x40400000, 0x40800000, 0x40a00000}, 1.2345},
		{{0, 0, 0, 0, 0}, 0},
		{{0, 0, 0, 0, 0xbf800000}, -1}, /* below 0 */
		{{0, 0, 0, 0, 0x497423f0}, 99.9999},
		{{0, 0, 0, 0, 0x49742400}, -1}, /* 100 mW */
		{{0, 0, 0, 0, 0x7fc00000}, -1}, /* not a number */
		{{0x7f800000, 0, 0, 0, 0}, -1},
		{{0, 0xff800000, 0, 0, 0}, -1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(plug_clear) struct plug plug = {.lane_count = 0};
		struct plug_memory memory;

		sample_calibrated(&memory);
		plug_put_word(&memory, PLUG_DIAGNOSTICS, 104, 10);
		for (unsigned int place = 0; place < 5; place++)
			put_float(&memory, 56 + 4 * place, cases[i].constants[place]);
		decode(&memory, &plug);
		if (cases[i].milliwatts < 0)
			assert_false(plug.lanes[0].rx_power_mw.known);
		else
			assert_true(is_real(&plug.lanes[0].rx_power_mw, cases[i].milliwatts));
	}
}

/* Each connector of SFF-8024 that alone identifies the kind of an SFP. */
static void connectors_of_sfp(void **state)
{
	(void)state;
	for (unsigned int connector = 0; connector < 0x30; connector++) {
		_cleanup_(plug_clear) struct plug plug = {.lane_count = 0};
		const bool is_fibre = connector == 1 ||
				      (connector >= 6 && connector <= 13 && connector != 10) ||
				      (connector >= 0x25 && connector <= 0x28);
		struct plug_memory memory;

		sample_sfp28(&memory);
		plug_put(&memory, PLUG_LOWER, 2, (uint8_t)connector);
		decode(&memory, &plug);
		assert_string_equal(kind_of(&plug), is_fibre		? "optical"
						    : connector == 0x22 ? "twisted-pair"
									: "unknown");
	}
}

/* Kinds identified by cable codes; and only cables have a length. */
static void kinds_and_lengths(void **state)
{
	static const struct {
		void (*sample)(struct plug_memory *memory);
		enum plug_part part;
		uint8_t offset, byte;
		enum plug_part length_part;
		uint8_t length_offset;
		const char *kind;
		bool is_cable;
	} cases[] = {
		{sample_sfp28, PLUG_LOWER, 8, 1 << 2, PLUG_LOWER, 18, "passive-copper", true},
		{sample_sfp28, PLUG_LOWER, 8, 1 << 3, PLUG_LOWER, 18, "active", true},
		{sample_sfp28, PLUG_LOWER, 8, 1 << 1, PLUG_LOWER, 18, "optical", false},
		{sample_sfp28, PLUG_LOWER, 8, 1 << 4, PLUG_LOWER, 18, "optical", false},
		{sample_sfp28, PLUG_LOWER, 36, 0x01, PLUG_LOWER, 18, "active-optical", true},
		{sample_sfp28, PLUG_LOWER, 36, 0x18, PLUG_LOWER, 18, "active-optical", true},
		{sample_sfp28, PLUG_LOWER, 36, 0x08, PLUG_LOWER, 18, "active-copper", true},
		{sample_sfp28, PLUG_LOWER, 36, 0x19, PLUG_LOWER, 18, "active-copper", true},
		{sample_sfp28, PLUG_LOWER, 36, 0x02, PLUG_LOWER, 18, "optical", false},
		{sample_sfp28, PLUG_LOWER, 36, 0x1a, PLUG_LOWER, 18, "optical", false},
		{sample_sfp28, PLUG_LOWER, 2, 0x22, PLUG_LOWER, 18, "twisted-pair", false},
		{sample_qsfp28, PLUG_IDENTITY, 147, 0x90, PLUG_IDENTITY, 146, "optical", false},
		{sample_qsfp28, PLUG_IDENTITY, 147, 0xa0, PLUG_IDENTITY, 146, "passive-copper",
		 true},
		{sample_qsfp28, PLUG_IDENTITY, 147, 0xb0, PLUG_IDENTITY, 146, "passive-copper",
		 true},
		{sample_qsfp28, PLUG_IDENTITY, 147, 0xc0, PLUG_IDENTITY, 146, "active-copper",
		 true},
		{sample_qsfp28, PLUG_IDENTITY, 147, 0xf0, PLUG_IDENTITY, 146, "active-copper",
		 true},
		{sample_qsfp28, PLUG_IDENTITY, 130, 0x23, PLUG_IDENTITY, 146, "active-optical",
		 true},
		{sample_qsfp28, PLUG_IDENTITY, 130, 0x22, PLUG_IDENTITY, 146, "twisted-pair",
		 false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(plug_clear) struct plug plug = {.lane_count = 0};
		struct plug_memory memory;

		cases[i].sample(&memory);
		plug_put(&memory, cases[i].part, cases[i].offset, cases[i].byte);
		plug_put(&memory, cases[i].length_part, cases[i].length_offset, 254);
		decode(&memory, &plug);
		assert_string_equal(kind_of(&plug), cases[i].kind);
		assert_int_equal(is_real(&plug.length_m, 254), cases[i].is_cable);
		/* 255 means longer than can be encoded, and 0 unspecified. */
		plug_put(&memory, cases[i].length_part, cases[i].length_offset, 255);
		decode(&memory, &plug);
		assert_false(plug.length_m.known);
		plug_put(&memory, cases[i].length_part, cases[i].length_offset, 0);
		decode(&memory, &plug);
		assert_false(plug.length_m.known);
	}
}

/* Modules with lanes: optical ones whose page of lanes was read. */
static void lanes(void **state)
{
	static const struct {
		void (*sample)(struct plug_memory *memory);
		enum plug_part part;
		uint8_t offset, byte;
		size_t lanes;
	} cases[] = {
		{sample_qsfp28, PLUG_LOWER, 0, 0x0c, 4},
		{sample_qsfp28, PLUG_LOWER, 0, 0x0d, 4},
		{sample_qsfp28, PLUG_IDENTITY, 130, 0x23, 4},
		{sample_qsfp28, PLUG_IDENTITY, 130, 0x22, 0},
		{sample_qsfp28, PLUG_IDENTITY, 147, 0xc0, 0},
		{sample_osfp, PLUG_IDENTITY, 212, 0x0a, 0},
		{sample_osfp, PLUG_IDENTITY, 212, 0x0c, 8},
		{sample_osfp, PLUG_LOWER, 0, 0x18, 8},
		{sample_osfp, PLUG_LOWER, 0, 0x1b, 2},
		{sample_osfp, PLUG_LOWER, 0, 0x1e, 4},
		{sample_osfp, PLUG_LOWER, 0, 0x1f, 2},
		{sample_osfp, PLUG_LOWER, 0, 0x20, 1},
		{sample_sfp28, PLUG_LOWER, 0, 0x02, 1},
		{sample_sfp28, PLUG_LOWER, 0, 0x0b, 1},
		{sample_sfp28, PLUG_LOWER, 92, 0x28, 0},
		{sample_sfp28, PLUG_LOWER, 92, 0x40, 1},
	};
	_cleanup_(plug_clear) struct plug plug = {.lane_count = 0};
	struct plug_memory memory;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cases[i].sample(&memory);
		plug_put(&memory, cases[i].part, cases[i].offset, cases[i].byte);
		decode(&memory, &plug);
		assert_int_equal(plug.lane_count, cases[i].lanes);
	}
	sample_osfp(&memory);
	memory.length[PLUG_LANES] = 0;
	decode(&memory, &plug);
	assert_int_equal(plug.lane_count, 0);
	/* Without page 00h, the kind of the module is unknown. */
	sample_qsfp28(&memory);
	memory.length[PLUG_IDENTITY] = 0;
	decode(&memory, &plug);
	assert_string_equal(kind_of(&plug), "unknown");
	assert_int_equal(plug.lane_count, 0);
	assert_true(plug.temperature_c.known);
	/* Byte 36 of an SFP follows its connector. */
	sample_sfp28(&memory);
	memory.length[PLUG_LOWER] = 36;
	decode(&memory, &plug);
	assert_string_equal(kind_of(&plug), "unknown");
	memory.length[PLUG_LOWER] = 37;
	decode(&memory, &plug);
	assert_string_equal(kind_of(&plug), "optical");
}

/* The flags of a module without monitors are meaningless. */
static void flags_without_monitors(void **state)
{
	_cleanup_(plug_clear) struct plug plug = {.lane_count = 0};
	struct plug_memory memory;

	(void)state;
	sample_copper(&memory);
	plug_put(&memory, PLUG_LOWER, 6, 0xff);
	decode(&memory, &plug);
	assert_false(plug.flags.known);
	plug_put(&memory, PLUG_LOWER, 0, 0);
	decode(&memory, &plug);
	assert_false(plug.identifier.known);
}

static void words_of_fixed_size(void **state)
{
	static const struct {
		const char *date, *wanted;
	} dates[] = {{"000000", "2000-00-00"}, {"999999", "2099-99-99"}, {"/00117", NULL},
		     {":00117", NULL},	       {"22011/", NULL},	 {"22011:", NULL}};
	static const struct {
		unsigned int version;
		const char *wanted;
	} versions[] = {{0x0000, NULL},	 {0xffff, NULL},    {0x0001, "0.1"},
			{0x0100, "1.0"}, {0xff00, "255.0"}, {0x00ff, "0.255"}};
	_cleanup_(plug_clear) struct plug plug = {.lane_count = 0};
	struct plug_memory memory;

	(void)state;
	sample_osfp(&memory);
	for (size_t i = 0; i < ARRAY_SIZE(dates); i++) {
		plug_put_text(&memory, PLUG_IDENTITY, 182, 8, dates[i].date);
		decode(&memory, &plug);
		if (dates[i].wanted)
			assert_string_equal(plug.date, dates[i].wanted);
		else
			assert_null(plug.date);
	}
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
		plug_put_word(&memory, PLUG_LOWER, 39, versions[i].version);
		decode(&memory, &plug);
		if (versions[i].wanted)
			assert_string_equal(plug.firmware, versions[i].wanted);
		else
			assert_null(plug.firmware);
	}
	assert_string_equal(plug.oui, "48:b0:2d");
	/* NULs instead of blanks; one written byte is a text; a text as long as its field. */
	memset(plug_at(&memory, PLUG_IDENTITY, 129), 0, 16);
	memcpy(plug_at(&memory, PLUG_IDENTITY, 129), "ab", 2);
	memset(plug_at(&memory, PLUG_IDENTITY, 148), 0xff, 16);
	*plug_at(&memory, PLUG_IDENTITY, 148) = 'x';
	memcpy(plug_at(&memory, PLUG_IDENTITY, 166), "0123456789abcdef", 16);
	decode(&memory, &plug);
	assert_string_equal(plug.vendor, "ab");
	assert_true(plug.part && !strncmp(plug.part, "x\\xff", 5));
	assert_string_equal(plug.serial, "0123456789abcdef");
	memset(plug_at(&memory, PLUG_IDENTITY, 145), 0, 3);
	decode(&memory, &plug);
	assert_null(plug.oui);
}

/* Returns the parts that plug_next_part() wants, one after another. */
static unsigned int wanted_parts(const struct plug_memory *memory)
{
	unsigned int tried = 0;
	enum plug_part part;

	while (plug_next_part(memory, tried, &part))
		tried |= 1u << part;
	return tried;
}

/* Byte 2 says that there is only page 00h: bit 2 in SFF-8636, bit 7 in CMIS. */
static void flat_memories(void **state)
{
	const unsigned int two = 1u << PLUG_LOWER | 1u << PLUG_IDENTITY;
	struct plug_memory memory;

	(void)state;
	sample_qsfp28(&memory);
	plug_put(&memory, PLUG_LOWER, 2, 0xff & ~(1 << 2));
	assert_int_equal(wanted_parts(&memory), two | 1u << PLUG_LIMITS_8636);
	plug_put(&memory, PLUG_LOWER, 2, 1 << 2);
	assert_int_equal(wanted_parts(&memory), two);
	plug_put(&memory, PLUG_LOWER, 2, 0);
	memory.length[PLUG_LOWER] = 2;
	assert_int_equal(wanted_parts(&memory), two);
	sample_osfp(&memory);
	plug_put(&memory, PLUG_LOWER, 2, 0x7f);
	assert_int_equal(wanted_parts(&memory),
			 two | 1u << PLUG_ADVERTISED | 1u << PLUG_LIMITS | 1u << PLUG_LANES);
	plug_put(&memory, PLUG_LOWER, 2, 1 << 7);
	assert_int_equal(wanted_parts(&memory), two);
	sample_sfp28(&memory);
	plug_put(&memory, PLUG_LOWER, 92, 0x44);
	assert_int_equal(wanted_parts(&memory), 1u << PLUG_LOWER);
}

/* Texts of memory at the limits of their numbers. */
static void as_text(void **state)
{
	static const char *const bad[] = {"9:00", "/:00", "0:00  1:00", ":00", " 0:00"};
	struct plug_memory memory;
	char text[2 + 2 * (PLUG_PART_BYTES + 1) + 1] = "6:";
	_cleanup_(freep) char *same = NULL;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(plug_memory_parse(bad[i], &memory), -EINVAL);
	memset(text + 2, 'a', sizeof(text) - 3);
	assert_int_equal(plug_memory_parse(text, &memory), -EINVAL);
	text[2 + 2 * PLUG_PART_BYTES] = '\0';
	assert_int_equal(plug_memory_parse(text, &memory), 0);
	assert_int_equal(memory.length[PLUG_DIAGNOSTICS], PLUG_PART_BYTES);
	assert_int_equal(memory.bytes[PLUG_DIAGNOSTICS][PLUG_PART_BYTES - 1], 0xaa);
	assert_int_equal(plug_memory_parse("0:01 2:0203", &memory), 0);
	assert_int_equal(memory.length[PLUG_LOWER], 1);
	assert_int_equal(memory.length[PLUG_IDENTITY], 0);
	assert_int_equal(memory.bytes[PLUG_ADVERTISED][1], 3);
	same = plug_memory_text(&memory);
	assert_string_equal(same, "0:01 2:0203");
}

/* The weakest lane is the first with the least received power; unmeasured lanes do not count. */
static void weakest(void **state)
{
	struct plug plug = {.lane_count = 4};

	(void)state;
	assert_null(plug_weakest(&plug));
	plug.lanes[1].rx_power_mw = real_of(0.5);
	plug.lanes[2].rx_power_mw = real_of(0.25);
	plug.lanes[3].rx_power_mw = real_of(0.25);
	assert_ptr_equal(plug_weakest(&plug), &plug.lanes[2]);
	plug.lane_count = 2;
	assert_ptr_equal(plug_weakest(&plug), &plug.lanes[1]);
}

/*
 * SFF-8636: copper, with a technology of 0xa or more in the upper half of byte 147, is not optical.
 */
static void light_of_copper(void **state)
{
	struct plug_memory memory = {.length = {[PLUG_LOWER] = 128, [PLUG_IDENTITY] = 128}};

	(void)state;
	memory.bytes[PLUG_LOWER][22] = 40;
	memory.bytes[PLUG_IDENTITY][220 - 128] = 1 << 2;
	for (unsigned int technology = 0; technology < 16; technology++) {
		memory.bytes[PLUG_IDENTITY][147 - 128] = (uint8_t)(technology << 4);
		assert_true(plug_is_measured(&memory, PLUG_SFF_8636, IF_MONITORED));
		assert_int_equal(plug_is_measured(&memory, PLUG_SFF_8636, IF_RX_POWER),
				 technology < 0xa);
		assert_int_equal(plug_is_measured(&memory, PLUG_SFF_8636, IF_TX_POWER),
				 technology < 0xa);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(light_of_copper),
		cmocka_unit_test(each_threshold),
		cmocka_unit_test(half_of_the_thresholds),
		cmocka_unit_test(monitors_of_qsfp),
		cmocka_unit_test(monitors_of_cmis),
		cmocka_unit_test(each_flag_of_qsfp),
		cmocka_unit_test(each_flag_of_cmis),
		cmocka_unit_test(each_flag_of_sfp),
		cmocka_unit_test(flags_without_light),
		cmocka_unit_test(slopes_and_offsets),
		cmocka_unit_test(polynomial),
		cmocka_unit_test(connectors_of_sfp),
		cmocka_unit_test(kinds_and_lengths),
		cmocka_unit_test(lanes),
		cmocka_unit_test(flags_without_monitors),
		cmocka_unit_test(words_of_fixed_size),
		cmocka_unit_test(flat_memories),
		cmocka_unit_test(as_text),
		cmocka_unit_test(weakest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
