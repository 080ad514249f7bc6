/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Modules whose memory is made here from the standards: decoded, compared, and kept as text. */
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
#include "sample_plug.h"
#include "schema/bits.h"

static bool is_near(double value, double wanted)
{
	const double difference = value - wanted;

	return difference < 1e-6 && difference > -1e-6;
}

#define assert_real(real_, wanted_)                           \
	do {                                                  \
		assert_true((real_).known);                   \
		assert_true(is_near((real_).value, wanted_)); \
	} while (0)

#define ALARM(quantity_, limit_) PLUG_FLAG(PLUG_##quantity_, LIMIT_##limit_)

static const char *kind_of(const struct plug *plug)
{
	return plug->kind.known ? enum_word(plug_kind_names, plug->kind.value, "?") : "unknown";
}

static void qsfp28(void **state)
{
	_cleanup_(plug_clear) struct plug plug = {.lane_count = 0};
	struct plug_memory memory;

	(void)state;
	sample_qsfp28(&memory);
	plug_decode(&memory, &plug);
	assert_int_equal(plug.standard.value, PLUG_SFF_8636);
	assert_int_equal(plug.identifier.value, 0x11);
	assert_string_equal(kind_of(&plug), "optical");
	assert_string_equal(plug.vendor, "Mellanox");
	assert_string_equal(plug.oui, "00:02:c9");
	assert_string_equal(plug.part, "MMA1B00-E100");
	assert_string_equal(plug.revision, "A1");
	assert_string_equal(plug.serial, "MT2203FT00042");
	assert_string_equal(plug.date, "2022-01-17");
	/* Byte 146 of a transceiver is its reach. */
	assert_false(plug.length_m.known);
	assert_real(plug.temperature_c, 41.5);
	assert_real(plug.voltage_v, 3.29);
	assert_int_equal(plug.rx_power_is_average, TRISTATE_YES);
	assert_real(plug.limits[PLUG_TEMPERATURE].values[LIMIT_LOW_ALARM], -10);
	assert_real(plug.limits[PLUG_RX_POWER].values[LIMIT_LOW_ALARM], 0.0478);
	assert_real(plug.limits[PLUG_TX_BIAS].values[LIMIT_HIGH_WARNING], 9);
	assert_int_equal(plug.lane_count, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(plug.lanes[i].lane.value, i + 1);
		assert_real(plug.lanes[i].rx_power_mw, 0.5);
		assert_real(plug.lanes[i].tx_power_mw, 0.8);
		assert_real(plug.lanes[i].tx_bias_ma, 7);
	}
	assert_true(plug.alarms.known && !plug.alarms.value);
	assert_true(plug.flags.known && !plug.flags.value);
}

static void copper(void **state)
{
	_cleanup_(plug_clear) struct plug plug = {.lane_count = 0};
	struct plug_memory memory;

	(void)state;
	sample_copper(&memory);
	plug_decode(&memory, &plug);
	assert_string_equal(kind_of(&plug), "passive-copper");
	assert_real(plug.length_m, 2);
	assert_string_equal(plug.serial, "MT1843VS01234");
	assert_false(plug.temperature_c.known);
	assert_false(plug.voltage_v.known);
	assert_int_equal(plug.lane_count, 0);
	assert_false(plug.alarms.known);
	assert_false(plug.flags.known);
	assert_null(plug_weakest(&plug));
	assert_false(plug.limits[PLUG_RX_POWER].values[LIMIT_HIGH_ALARM].known);
	/* It measures no light. */
	assert_int_equal(plug.rx_power_is_average, TRISTATE_UNKNOWN);
}

static void osfp(void **state)
{
	_cleanup_(plug_clear) struct plug plug = {.lane_count = 0};
	struct plug_memory memory;

	(void)state;
	sample_osfp(&memory);
	plug_decode(&memory, &plug);
	assert_int_equal(plug.standard.value, PLUG_CMIS);
	assert_string_equal(kind_of(&plug), "optical");
	assert_string_equal(plug.part, "MMA4Z00-NS");
	assert_string_equal(plug.firmware, "46.33");
	assert_string_equal(enum_word(plug_state_names, plug.state.value, "?"), "ready");
	assert_false(plug.fault.known);
	assert_real(plug.temperature_c, 52);
	assert_int_equal(plug.lane_count, 8);
	assert_real(plug.lanes[0].tx_power_mw, 1);
	/* Twice 2 uA per unit, for readings and thresholds. */
	assert_real(plug.lanes[7].tx_bias_ma, 6);
	assert_real(plug.limits[PLUG_TX_BIAS].values[LIMIT_HIGH_ALARM], 10);
	assert_int_equal(plug_weakest(&plug)->lane.value, 1);
	plug_clear(&plug);
	/* A reserved multiplier: the current is unknown, and so are its thresholds. */
	plug_put(&memory, PLUG_ADVERTISED, 160, 0x07 | 3 << 3);
	plug_decode(&memory, &plug);
	assert_false(plug.lanes[0].tx_bias_ma.known);
	assert_false(plug.limits[PLUG_TX_BIAS].values[LIMIT_HIGH_ALARM].known);
	assert_true(plug.lanes[0].rx_power_mw.known);
	plug_clear(&plug);
	/* Not advertised: not measured. */
	plug_put(&memory, PLUG_ADVERTISED, 160, 0x03);
	plug_decode(&memory, &plug);
	assert_false(plug.lanes[0].rx_power_mw.known);
	assert_null(plug_weakest(&plug));
}

static void sfp28(void **state)
{
	_cleanup_(plug_clear) struct plug plug = {.lane_count = 0};
	struct plug_memory memory;

	(void)state;
	sample_sfp28(&memory);
	plug_decode(&memory, &plug);
	assert_int_equal(plug.standard.value, PLUG_SFF_8472);
	assert_string_equal(kind_of(&plug), "optical");
	assert_false(plug.length_m.known);
	assert_string_equal(plug.vendor, "FINISAR CORP.");
	assert_string_equal(plug.serial, "X3EANE1");
	assert_real(plug.temperature_c, -3);
	assert_int_equal(plug.lane_count, 1);
	assert_real(plug.lanes[0].tx_bias_ma, 6.4);
	assert_real(plug.lanes[0].rx_power_mw, 0.41);
	plug_clear(&plug);
	/* Until the first reading is there, only the thresholds are known. */
	plug_put(&memory, PLUG_DIAGNOSTICS, 110, 1 << 0);
	plug_put(&memory, PLUG_DIAGNOSTICS, 112, 1 << 6);
	plug_decode(&memory, &plug);
	assert_false(plug.temperature_c.known);
	assert_false(plug.lanes[0].rx_power_mw.known);
	assert_int_equal(plug.flags.value, 0);
	assert_real(plug.limits[PLUG_TEMPERATURE].values[LIMIT_HIGH_ALARM], 78);
	plug_clear(&plug);
	plug_put(&memory, PLUG_DIAGNOSTICS, 110, 0);
	plug_decode(&memory, &plug);
	assert_int_equal(plug.flags.value, ALARM(TEMPERATURE, LOW_ALARM));
	plug_clear(&plug);
	/* No diagnostics, or only after a special sequence that a program must not send. */
	plug_put(&memory, PLUG_LOWER, 92, 0x6c);
	plug_decode(&memory, &plug);
	assert_false(plug.temperature_c.known);
	assert_int_equal(plug.lane_count, 0);
}

/* A float of IEEE 754, big endian. */
static void put_float(struct plug_memory *memory, unsigned int offset, uint32_t bits)
{
	bits_set(plug_at(memory, PLUG_DIAGNOSTICS, offset), 0, 32, bits);
}

static void calibrated(void **state)
{
	_cleanup_(plug_clear) struct plug plug = {.lane_count = 0};
	struct plug_memory memory;

	(void)state;
	sample_sfp28(&memory);
	plug_put(&memory, PLUG_LOWER, 92, 0x58);
	for (unsigned int offset = 76; offset <= 88; offset += 4)
		plug_put_word(&memory, PLUG_DIAGNOSTICS, offset, 0x0100);
	plug_put_word(&memory, PLUG_DIAGNOSTICS, 84, 0x0080);
	plug_put_word(&memory, PLUG_DIAGNOSTICS, 86, 0x0200);
	put_float(&memory, 68, 0x40000000); /* 2 x */
	put_float(&memory, 72, 0x42c80000); /* + 100 */
	plug_decode(&memory, &plug);
	/* Half of -3 degrees, and 2 degrees more. */
	assert_real(plug.temperature_c, 0.5);
	assert_real(plug.limits[PLUG_TEMPERATURE].values[LIMIT_HIGH_ALARM], 41);
	assert_real(plug.lanes[0].rx_power_mw, 0.83);
	assert_real(plug.lanes[0].tx_power_mw, 0.7);
	plug_clear(&plug);
	/* An infinite and an undefined number. */
	put_float(&memory, 68, 0x7f800000);
	plug_decode(&memory, &plug);
	assert_false(plug.lanes[0].rx_power_mw.known);
	plug_clear(&plug);
	put_float(&memory, 68, 0xc0000000);
	plug_decode(&memory, &plug);
	assert_false(plug.lanes[0].rx_power_mw.known);
}

/* At a threshold there is no alarm; one unit beyond it there is. */
static void thresholds(void **state)
{
	static const struct {
		unsigned int reading;
		uint64_t alarms;
	} cases[] = {
		{17378, 0},
		{17379, ALARM(RX_POWER, HIGH_WARNING)},
		{21878, ALARM(RX_POWER, HIGH_WARNING)},
		{21879, ALARM(RX_POWER, HIGH_ALARM)},
		{954, 0},
		{953, ALARM(RX_POWER, LOW_WARNING)},
		{478, ALARM(RX_POWER, LOW_WARNING)},
		{477, ALARM(RX_POWER, LOW_ALARM)},
		{0, ALARM(RX_POWER, LOW_ALARM)},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(plug_clear) struct plug plug = {.lane_count = 0};
		struct plug_memory memory;

		sample_qsfp28(&memory);
		plug_put_word(&memory, PLUG_LOWER, 36, cases[i].reading);
		plug_decode(&memory, &plug);
		assert_int_equal(plug.lanes[1].alarms.value, cases[i].alarms);
		assert_int_equal(plug.lanes[0].alarms.value, 0);
		assert_int_equal(plug.alarms.value, cases[i].alarms);
	}
}

/* Thresholds that the vendor left at 0, or never wrote, do not count. */
static void no_thresholds(void **state)
{
	static const uint8_t left[] = {0, 0xff};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(left); i++) {
		_cleanup_(plug_clear) struct plug plug = {.lane_count = 0};
		struct plug_memory memory;

		sample_qsfp28(&memory);
		memset(memory.bytes[PLUG_LIMITS_8636], left[i], PLUG_PART_BYTES);
		plug_decode(&memory, &plug);
		assert_false(plug.alarms.known);
		assert_false(plug.limits[PLUG_TEMPERATURE].values[LIMIT_HIGH_ALARM].known);
	}
}

static void latched(void **state)
{
	static const struct {
		void (*sample)(struct plug_memory *memory);
		enum plug_part part;
		uint8_t offset, byte;
		unsigned int lane; /* 0: the module */
		uint64_t flags;
	} cases[] = {
		{sample_qsfp28, PLUG_LOWER, 3, 1 << 0, 1, UINT64_C(1) << PLUG_RX_LOSS},
		{sample_qsfp28, PLUG_LOWER, 3, 1 << 7, 4, UINT64_C(1) << PLUG_TX_LOSS},
		{sample_qsfp28, PLUG_LOWER, 4, 1 << 2, 3, UINT64_C(1) << PLUG_TX_FAULT},
		{sample_qsfp28, PLUG_LOWER, 4, 1 << 5, 2, UINT64_C(1) << PLUG_TX_EQUALIZER_FAULT},
		{sample_qsfp28, PLUG_LOWER, 5, 1 << 3, 4, UINT64_C(1) << PLUG_RX_UNLOCKED},
		{sample_qsfp28, PLUG_LOWER, 5, 1 << 4, 1, UINT64_C(1) << PLUG_TX_UNLOCKED},
		{sample_qsfp28, PLUG_LOWER, 6, 1 << 7, 0, ALARM(TEMPERATURE, HIGH_ALARM)},
		{sample_qsfp28, PLUG_LOWER, 7, 1 << 4, 0, ALARM(VOLTAGE, LOW_WARNING)},
		{sample_qsfp28, PLUG_LOWER, 9, 1 << 6, 1, ALARM(RX_POWER, LOW_ALARM)},
		{sample_qsfp28, PLUG_LOWER, 10, 1 << 2, 4, ALARM(RX_POWER, LOW_ALARM)},
		{sample_qsfp28, PLUG_LOWER, 11, 1 << 3, 2, ALARM(TX_BIAS, HIGH_ALARM)},
		{sample_qsfp28, PLUG_LOWER, 14, 1 << 4, 3, ALARM(TX_POWER, LOW_WARNING)},
		{sample_osfp, PLUG_LOWER, 9, 1 << 0, 0, ALARM(TEMPERATURE, HIGH_ALARM)},
		{sample_osfp, PLUG_LOWER, 9, 1 << 7, 0, ALARM(VOLTAGE, LOW_WARNING)},
		{sample_osfp, PLUG_LANES, 135, 1 << 7, 8, UINT64_C(1) << PLUG_TX_FAULT},
		{sample_osfp, PLUG_LANES, 138, 1 << 1, 2, UINT64_C(1) << PLUG_TX_EQUALIZER_FAULT},
		{sample_osfp, PLUG_LANES, 142, 1 << 0, 1, ALARM(TX_POWER, LOW_WARNING)},
		{sample_osfp, PLUG_LANES, 143, 1 << 4, 5, ALARM(TX_BIAS, HIGH_ALARM)},
		{sample_osfp, PLUG_LANES, 147, 1 << 5, 6, UINT64_C(1) << PLUG_RX_LOSS},
		{sample_osfp, PLUG_LANES, 150, 1 << 2, 3, ALARM(RX_POWER, LOW_ALARM)},
		{sample_sfp28, PLUG_DIAGNOSTICS, 112, 1 << 7, 0, ALARM(TEMPERATURE, HIGH_ALARM)},
		{sample_sfp28, PLUG_DIAGNOSTICS, 113, 1 << 6, 1, ALARM(RX_POWER, LOW_ALARM)},
		{sample_sfp28, PLUG_DIAGNOSTICS, 116, 1 << 0, 1, ALARM(TX_POWER, LOW_WARNING)},
		{sample_sfp28, PLUG_DIAGNOSTICS, 110, 1 << 1, 1, UINT64_C(1) << PLUG_RX_LOSS},
		{sample_sfp28, PLUG_DIAGNOSTICS, 110, 1 << 2, 1, UINT64_C(1) << PLUG_TX_FAULT},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(plug_clear) struct plug plug = {.lane_count = 0};
		struct plug_memory memory;

		cases[i].sample(&memory);
		plug_put(&memory, cases[i].part, cases[i].offset, cases[i].byte);
		plug_decode(&memory, &plug);
		assert_int_equal(plug.flags.value, cases[i].flags);
		for (unsigned int lane = 1; lane <= plug.lane_count; lane++)
			assert_int_equal(plug.lanes[lane - 1].flags.value,
					 lane == cases[i].lane ? cases[i].flags : 0);
		/* The flag recorded does not count as a reading. */
		assert_int_equal(plug.alarms.value, 0);
	}
}

/* A flag that the module does not advertise is not reported, whatever the byte says. */
static void unpromised(void **state)
{
	static const struct {
		void (*sample)(struct plug_memory *memory);
		enum plug_part promise_part, part;
		uint8_t promise, without, offset, byte;
	} cases[] = {
		{sample_qsfp28, PLUG_IDENTITY, PLUG_LOWER, 193, 0, 4, 1 << 5},
		{sample_qsfp28, PLUG_IDENTITY, PLUG_LOWER, 194, 1 << 5, 5, 1 << 3},
		{sample_qsfp28, PLUG_IDENTITY, PLUG_LOWER, 194, 1 << 4, 5, 1 << 4},
		{sample_sfp28, PLUG_LOWER, PLUG_DIAGNOSTICS, 93, 1 << 5 | 1 << 4, 112, 1 << 7},
		{sample_sfp28, PLUG_LOWER, PLUG_DIAGNOSTICS, 93, 1 << 7 | 1 << 5, 110, 1 << 1},
		{sample_sfp28, PLUG_LOWER, PLUG_DIAGNOSTICS, 93, 1 << 7 | 1 << 4, 110, 1 << 2},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(plug_clear) struct plug plug = {.lane_count = 0};
		struct plug_memory memory;

		cases[i].sample(&memory);
		plug_put(&memory, cases[i].promise_part, cases[i].promise, cases[i].without);
		plug_put(&memory, cases[i].part, cases[i].offset, cases[i].byte);
		plug_decode(&memory, &plug);
		assert_true(plug.flags.known);
		assert_int_equal(plug.flags.value, 0);
	}
}

/* An SFP that advertises neither flags nor thresholds has readings only. */
static void no_flags(void **state)
{
	_cleanup_(plug_clear) struct plug plug = {.lane_count = 0};
	struct plug_memory memory;

	(void)state;
	sample_sfp28(&memory);
	plug_put(&memory, PLUG_LOWER, 93, 0);
	plug_put_word(&memory, PLUG_DIAGNOSTICS, 104, 1);
	memset(plug_at(&memory, PLUG_DIAGNOSTICS, 110), 0xff, 8);
	plug_decode(&memory, &plug);
	assert_true(plug.temperature_c.known);
	assert_real(plug.lanes[0].rx_power_mw, 0.0001);
	assert_false(plug.flags.known);
	assert_false(plug.lanes[0].flags.known);
	assert_false(plug.alarms.known);
	for (unsigned int i = 0; i < PLUG_QUANTITY_COUNT; i++)
		assert_false(plug.limits[i].values[LIMIT_HIGH_ALARM].known);
}

/* Four optical lanes and eight host lanes, as in a 400G-DR4: the other lanes are not dark. */
static void media_lanes(void **state)
{
	_cleanup_(plug_clear) struct plug plug = {.lane_count = 0};
	struct plug_memory memory;

	(void)state;
	sample_osfp(&memory);
	plug_put(&memory, PLUG_IDENTITY, 210, 0xf0);
	memset(plug_at(&memory, PLUG_LANES, 194), 0, 8);
	plug_put(&memory, PLUG_LANES, 136, 1 << 6);
	plug_put(&memory, PLUG_LANES, 147, 0xf0);
	plug_put(&memory, PLUG_LANES, 150, 0xf8);
	plug_decode(&memory, &plug);
	assert_int_equal(plug.lane_count, 8);
	assert_true(plug.lanes[3].rx_power_mw.known);
	assert_int_equal(plug.lanes[3].flags.value, ALARM(RX_POWER, LOW_ALARM));
	for (unsigned int i = 4; i < 8; i++) {
		assert_false(plug.lanes[i].rx_power_mw.known);
		assert_false(plug.lanes[i].tx_power_mw.known);
		assert_false(plug.lanes[i].tx_bias_ma.known);
		assert_false(plug.lanes[i].alarms.known);
		assert_int_equal(plug.lanes[i].flags.value,
				 i == 6 ? UINT64_C(1) << PLUG_TX_LOSS : 0);
	}
	assert_int_equal(plug.alarms.value, 0);
	assert_int_equal(plug_weakest(&plug)->lane.value, 1);
}

static void kinds(void **state)
{
	static const struct {
		void (*sample)(struct plug_memory *memory);
		enum plug_part part;
		uint8_t offset, byte;
		const char *kind;
	} cases[] = {
		{sample_qsfp28, PLUG_IDENTITY, 130, 0x23, "active-optical"},
		{sample_qsfp28, PLUG_IDENTITY, 147, 0xb0, "passive-copper"},
		{sample_qsfp28, PLUG_IDENTITY, 147, 0xe0, "active-copper"},
		{sample_osfp, PLUG_IDENTITY, 212, 0x0a, "passive-copper"},
		{sample_osfp, PLUG_IDENTITY, 212, 0x0f, "active-copper"},
		{sample_osfp, PLUG_IDENTITY, 203, 0x23, "active-optical"},
		/* Tunable lasers, and copper with linear amplifiers. */
		{sample_osfp, PLUG_IDENTITY, 212, 0x10, "optical"},
		{sample_osfp, PLUG_IDENTITY, 212, 0x11, "optical"},
		{sample_osfp, PLUG_IDENTITY, 212, 0x12, "active-copper"},
		{sample_osfp, PLUG_IDENTITY, 212, 0x13, "active-copper"},
		{sample_osfp, PLUG_IDENTITY, 212, 0x14, "active-copper"},
		/* A laser of a later revision. */
		{sample_osfp, PLUG_IDENTITY, 212, 0x15, "optical"},
		{sample_sfp28, PLUG_LOWER, 8, 1 << 2, "passive-copper"},
		{sample_sfp28, PLUG_LOWER, 8, 1 << 3, "active"},
		{sample_sfp28, PLUG_LOWER, 36, 0x01, "active-optical"},
		{sample_sfp28, PLUG_LOWER, 36, 0x08, "active-copper"},
		{sample_sfp28, PLUG_LOWER, 2, 0x22, "twisted-pair"},
		{sample_sfp28, PLUG_LOWER, 2, 0x0c, "optical"},
		{sample_sfp28, PLUG_LOWER, 2, 0x25, "optical"},
		/* A copper or fibre cable, a guess, and bytes that say nothing. */
		{sample_sfp28, PLUG_LOWER, 2, 0x21, "unknown"},
		{sample_sfp28, PLUG_LOWER, 2, 0x23, "unknown"},
		{sample_sfp28, PLUG_LOWER, 2, 0x0a, "unknown"},
		{sample_sfp28, PLUG_LOWER, 2, 0x00, "unknown"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(plug_clear) struct plug plug = {.lane_count = 0};
		struct plug_memory memory;

		cases[i].sample(&memory);
		plug_put(&memory, cases[i].part, cases[i].offset, cases[i].byte);
		plug_decode(&memory, &plug);
		assert_string_equal(kind_of(&plug), cases[i].kind);
	}
}

static void lengths(void **state)
{
	static const struct {
		uint8_t byte;
		double metres; /* 0: unknown */
	} cases[] = {{0x00, 0},		{0x05, 0.5}, {0x40 | 3, 3}, {0x80 | 1, 10},
		     {0xc0 | 62, 6200}, {0xff, 0},   {0x40, 0}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(plug_clear) struct plug plug = {.lane_count = 0};
		struct plug_memory memory;

		sample_osfp(&memory);
		plug_put(&memory, PLUG_IDENTITY, 203, 0x23);
		plug_put(&memory, PLUG_IDENTITY, 202, cases[i].byte);
		plug_decode(&memory, &plug);
		if (cases[i].metres > 0)
			assert_real(plug.length_m, cases[i].metres);
		else
			assert_false(plug.length_m.known);
	}
}

/* Byte 18 of an SFP is the length of a fixed cable, or else a reach. */
static void lengths_of_sfp(void **state)
{
	static const struct {
		uint8_t connector;
		bool known;
	} cases[] = {{0x07, false}, {0x00, false}, {0x22, false}, {0x21, true}, {0x23, true}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(plug_clear) struct plug plug = {.lane_count = 0};
		struct plug_memory memory;

		sample_sfp28(&memory);
		plug_put(&memory, PLUG_LOWER, 2, cases[i].connector);
		plug_decode(&memory, &plug);
		assert_int_equal(plug.length_m.known, cases[i].known);
	}
}

/* The fault of a module is reported only in the state that indicates one. */
static void faults(void **state)
{
	_cleanup_(plug_clear) struct plug plug = {.lane_count = 0};
	struct plug_memory memory;

	(void)state;
	sample_osfp(&memory);
	plug_put(&memory, PLUG_LOWER, 41, 1);
	plug_decode(&memory, &plug);
	assert_false(plug.fault.known);
	plug_clear(&plug);
	plug_put(&memory, PLUG_LOWER, 3, 5 << 1);
	plug_decode(&memory, &plug);
	assert_string_equal(enum_word(plug_fault_names, plug.fault.value, "?"), "tec-runaway");
}

/* Hostile and empty texts. */
static void texts(void **state)
{
	_cleanup_(plug_clear) struct plug plug = {.lane_count = 0};
	struct plug_memory memory;

	(void)state;
	sample_copper(&memory);
	plug_put_text(&memory, PLUG_IDENTITY, 148, 16, "a\033[31m\xff");
	plug_put_text(&memory, PLUG_IDENTITY, 168, 16, "");
	memset(plug_at(&memory, PLUG_IDENTITY, 196), 0xff, 16);
	plug_put_text(&memory, PLUG_IDENTITY, 212, 8, "2x0117");
	plug_decode(&memory, &plug);
	assert_string_equal(plug.vendor, "a\\x1b[31m\\xff");
	assert_null(plug.part);
	assert_null(plug.serial);
	assert_null(plug.date);
	assert_null(plug.oui);
}

/* An unknown identifier, and no identifier. */
static void unknown(void **state)
{
	_cleanup_(plug_clear) struct plug plug = {.lane_count = 0};
	struct plug_memory memory = {.length = {0}};
	_cleanup_(freep) char *text = NULL;
	enum plug_part part;

	(void)state;
	plug_decode(&memory, &plug);
	assert_false(plug.identifier.known);
	assert_null(plug_unknown_text(&memory));
	assert_true(plug_next_part(&memory, 0, &part));
	assert_int_equal(part, PLUG_LOWER);
	plug_put(&memory, PLUG_LOWER, 0, 0x7e);
	plug_decode(&memory, &plug);
	assert_int_equal(plug.identifier.value, 0x7e);
	assert_false(plug.standard.known);
	assert_false(plug_next_part(&memory, 1u << PLUG_LOWER, &part));
	text = plug_unknown_text(&memory);
	assert_string_equal(text, "the layout of modules with identifier 0x7e is not known here");
	sample_osfp(&memory);
	assert_null(plug_unknown_text(&memory));
}

/* Wherever a part ends, nothing past it is read, and known values stay correct. */
static void truncated(void **state)
{
	static void (*const samples[])(struct plug_memory * memory) = {sample_qsfp28, sample_copper,
								       sample_osfp, sample_sfp28};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		for (unsigned int part = 0; part < PLUG_PARTS; part++)
			for (unsigned int length = 0; length < PLUG_PART_BYTES; length++) {
				_cleanup_(plug_clear) struct plug plug = {.lane_count = 0};
				struct plug_memory memory;

				samples[i](&memory);
				if (!memory.length[part])
					break;
				memset(&memory.bytes[part][length], 0xee, PLUG_PART_BYTES - length);
				memory.length[part] = (uint8_t)length;
				plug_decode(&memory, &plug);
				assert_int_equal(plug.alarms.value, 0);
				assert_int_equal(plug.flags.value, 0);
				assert_true(!plug.temperature_c.known ||
					    plug.temperature_c.value < 53);
				assert_true(!plug.serial || !strstr(plug.serial, "xee"));
			}
}

/* Which parts are worth reading, in reading order. */
static void parts(void **state)
{
	static const struct {
		void (*sample)(struct plug_memory *memory);
		unsigned int wanted;
	} cases[] = {
		{sample_qsfp28, 1u << PLUG_LOWER | 1u << PLUG_IDENTITY | 1u << PLUG_LIMITS_8636},
		{sample_copper, 1u << PLUG_LOWER | 1u << PLUG_IDENTITY},
		{sample_osfp, 1u << PLUG_LOWER | 1u << PLUG_IDENTITY | 1u << PLUG_ADVERTISED |
				      1u << PLUG_LIMITS | 1u << PLUG_LANES},
		{sample_sfp28, 1u << PLUG_LOWER | 1u << PLUG_DIAGNOSTICS},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct plug_memory whole, memory = {.length = {0}};
		unsigned int tried = 0;
		enum plug_part part;

		cases[i].sample(&whole);
		while (plug_next_part(&memory, tried, &part)) {
			assert_false(tried & 1u << part);
			tried |= 1u << part;
			memcpy(memory.bytes[part], whole.bytes[part], PLUG_PART_BYTES);
			memory.length[part] = whole.length[part];
		}
		assert_int_equal(tried, cases[i].wanted);
	}
}

static void as_text(void **state)
{
	static const char *const bad[] = {"0",	  "0:",	       "0:1", "9:00",
					  "0:0g", "0:00 0:00", "x",   "0;00"};
	struct plug_memory memory, again;
	_cleanup_(freep) char *text = NULL, *same = NULL;

	(void)state;
	sample_osfp(&memory);
	memory.length[PLUG_LANES] = 5;
	text = plug_memory_text(&memory);
	assert_int_equal(plug_memory_parse(text, &again), 0);
	assert_memory_equal(again.length, memory.length, sizeof(memory.length));
	assert_memory_equal(again.bytes[PLUG_IDENTITY], memory.bytes[PLUG_IDENTITY],
			    PLUG_PART_BYTES);
	same = plug_memory_text(&again);
	assert_string_equal(text, same);
	assert_int_equal(plug_memory_parse("", &again), 0);
	assert_int_equal(again.length[PLUG_LOWER], 0);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(plug_memory_parse(bad[i], &again), -EINVAL);
}

static void decibels(void **state)
{
	static const struct {
		double milliwatts, dbm;
	} cases[] = {{1, 0},
		     {10, 10},
		     {0.5, -3.0102999566},
		     {2.5, 3.9794000867},
		     {0.1, -10},
		     {1e-4, -40},
		     {0, -40},
		     {6.5535, 8.1647330604},
		     {9.99999999, 9.9999999957}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_true(is_near(plug_dbm(cases[i].milliwatts), cases[i].dbm));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(qsfp28),	  cmocka_unit_test(copper),
		cmocka_unit_test(osfp),		  cmocka_unit_test(sfp28),
		cmocka_unit_test(calibrated),	  cmocka_unit_test(thresholds),
		cmocka_unit_test(no_thresholds),  cmocka_unit_test(latched),
		cmocka_unit_test(kinds),	  cmocka_unit_test(lengths),
		cmocka_unit_test(faults),	  cmocka_unit_test(texts),
		cmocka_unit_test(unknown),	  cmocka_unit_test(truncated),
		cmocka_unit_test(parts),	  cmocka_unit_test(as_text),
		cmocka_unit_test(decibels),	  cmocka_unit_test(unpromised),
		cmocka_unit_test(no_flags),	  cmocka_unit_test(media_lanes),
		cmocka_unit_test(lengths_of_sfp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
