/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What firmware reports about modules, in registers written in the notation of their source. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "sample_pddr.h"

#define assert_real(real_, wanted_)                                  \
	do {                                                         \
		const double difference = (real_).value - (wanted_); \
		assert_true((real_).known);                          \
		assert_true(difference<1e-9 && difference> - 1e-9);  \
	} while (0)

static void decode(const uint8_t *bytes, bool microwatts, struct plug *plug)
{
	struct plug_memory memory;

	assert_true(plug_take_pddr(&memory, bytes, microwatts));
	assert_true(plug_is_told(&memory));
	plug_decode(&memory, plug);
}

static void optical(void **state)
{
	_cleanup_(plug_clear) struct plug plug = {.lane_count = 0};
	uint8_t bytes[PLUG_PDDR_BYTES];

	(void)state;
	sample_pddr(bytes);
	decode(bytes, true, &plug);
	assert_int_equal(plug.identifier.value, 0x19);
	assert_false(plug.standard.known);
	assert_int_equal(plug.kind.value, PLUG_OPTICAL);
	assert_string_equal(plug.vendor, "NVIDIA");
	assert_string_equal(plug.part, "MMS4X00-NS");
	assert_string_equal(plug.serial, "MT2301FT00777");
	/* The reach of a transceiver is not a length. */
	assert_false(plug.length_m.known);
	assert_real(plug.temperature_c, 47.5);
	assert_real(plug.voltage_v, 3.28);
	assert_real(plug.limits[PLUG_TEMPERATURE].values[LIMIT_HIGH_ALARM], 75);
	assert_real(plug.limits[PLUG_TEMPERATURE].values[LIMIT_LOW_ALARM], -5);
	assert_real(plug.limits[PLUG_VOLTAGE].values[LIMIT_LOW_ALARM], 3);
	assert_real(plug.limits[PLUG_RX_POWER].values[LIMIT_LOW_ALARM], 0.09);
	assert_real(plug.limits[PLUG_TX_POWER].values[LIMIT_HIGH_ALARM], 4);
	assert_real(plug.limits[PLUG_TX_BIAS].values[LIMIT_HIGH_ALARM], 24);
	assert_false(plug.limits[PLUG_RX_POWER].values[LIMIT_LOW_WARNING].known);
	assert_int_equal(plug.lane_count, 8);
	for (unsigned int i = 0; i < 8; i++) {
		assert_int_equal(plug.lanes[i].lane.value, i + 1);
		assert_real(plug.lanes[i].rx_power_mw, 0.8 + i / 1000.0);
		assert_real(plug.lanes[i].tx_power_mw, 1.2 + i / 1000.0);
		assert_real(plug.lanes[i].tx_bias_ma, 12 + i * 0.004);
	}
	assert_true(plug.alarms.known && !plug.alarms.value);
	assert_false(plug.flags.known);
}

/* Readings beyond the thresholds, on both sides. */
static void alarms(void **state)
{
	_cleanup_(plug_clear) struct plug plug = {.lane_count = 0};
	uint8_t bytes[PLUG_PDDR_BYTES];

	(void)state;
	sample_pddr(bytes);
	pddr_put_lane(bytes, PDDR_RX, 5, 89);
	pddr_put_page(bytes, 0x4c, 16, 16, (uint32_t)(-6 * 256));
	decode(bytes, true, &plug);
	assert_real(plug.temperature_c, -6);
	assert_int_equal(plug.alarms.value, PLUG_FLAG(PLUG_RX_POWER, LIMIT_LOW_ALARM) |
						    PLUG_FLAG(PLUG_TEMPERATURE, LIMIT_LOW_ALARM));
	assert_int_equal(plug.lanes[5].alarms.value, PLUG_FLAG(PLUG_RX_POWER, LIMIT_LOW_ALARM));
	assert_int_equal(plug_weakest(&plug)->lane.value, 6);
}

/* Older firmware reports powers and their thresholds in whole dBm. */
static void whole_dbm(void **state)
{
	static const struct {
		int dbm;
		double milliwatts;
	} cases[] = {{0, 1}, {3, 1.9952623149688795}, {-10, 0.1}, {-40, 0.0001}, {-60, 1e-6}};
	uint8_t bytes[PLUG_PDDR_BYTES];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(plug_clear) struct plug plug = {.lane_count = 0};

		sample_pddr(bytes);
		pddr_put_lane(bytes, PDDR_RX, 0, (uint32_t)cases[i].dbm);
		pddr_put_lane(bytes, PDDR_RX, 1, (uint32_t)-61);
		pddr_put_limits(bytes, PDDR_RX_LIMITS, 4, (uint32_t)-9);
		decode(bytes, false, &plug);
		assert_real(plug.lanes[0].rx_power_mw, cases[i].milliwatts);
		/* No light is that weak. */
		assert_false(plug.lanes[1].rx_power_mw.known);
		assert_int_equal(plug.lanes[0].alarms.value,
				 cases[i].dbm < -9 ? PLUG_FLAG(PLUG_RX_POWER, LIMIT_LOW_ALARM) : 0);
		assert_real(plug.lanes[0].tx_bias_ma, 12);
	}
}

static void kinds(void **state)
{
	/* cable_type, cable_identifier, cable_technology */
	static const struct {
		unsigned int type, form, technology;
		enum plug_kind kind;
		unsigned int identifier;
		double metres; /* from byte 0x45: 69 in whole metres, 1 times 5 with CMIS */
	} cases[] = {
		{1, 0, 0x00, PLUG_ACTIVE_OPTICAL, 0x11, 69},
		{1, 0, 0xc0, PLUG_ACTIVE_COPPER, 0x11, 69},
		{1, 1, 0x80, PLUG_ACTIVE_OPTICAL, 0x0d, 69},
		{1, 2, 0x08, PLUG_ACTIVE, 0x03, 69},
		{1, 8, 0x0c, PLUG_ACTIVE_COPPER, 0x19, 5},
		{1, 6, 0x13, PLUG_ACTIVE_COPPER, 0x18, 5},
		{1, 7, 0x08, PLUG_ACTIVE_OPTICAL, 0x1e, 5},
		{3, 0, 0xa0, PLUG_PASSIVE_COPPER, 0x11, 69},
		{3, 5, 0x0b, PLUG_PASSIVE_COPPER, 0x1f, 5},
		{3, 10, 0x0f, PLUG_ACTIVE_COPPER, 0x1b, 5},
		{3, 8, 0x12, PLUG_ACTIVE_COPPER, 0x19, 5},
		{3, 8, 0x14, PLUG_ACTIVE_COPPER, 0x19, 5},
		{3, 8, 0x11, PLUG_PASSIVE_COPPER, 0x19, 5},
		{3, 8, 0x15, PLUG_PASSIVE_COPPER, 0x19, 5},
		{5, 3, 0x00, PLUG_TWISTED_PAIR, 0x03, 0},
		{2, 9, 0x00, PLUG_OPTICAL, 0, 0},
		{0, 4, 0x00, 0, 0, 0},
		{15, 255, 0xff, 0, 0, 0},
	};
	uint8_t bytes[PLUG_PDDR_BYTES];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(plug_clear) struct plug plug = {.lane_count = 0};

		sample_pddr(bytes);
		pddr_put_page(bytes, 0x04, 28, 4, cases[i].type);
		pddr_put_page(bytes, 0x04, 8, 8, cases[i].form);
		pddr_put_page(bytes, 0x00, 24, 8, cases[i].technology);
		decode(bytes, true, &plug);
		assert_int_equal(plug.kind.known ? plug.kind.value : 0, cases[i].kind);
		assert_int_equal(plug.identifier.known ? plug.identifier.value : 0,
				 cases[i].identifier);
		assert_int_equal(plug.length_m.known, cases[i].metres > 0);
		if (cases[i].metres > 0)
			assert_real(plug.length_m, cases[i].metres);
		assert_int_equal(!plug.lane_count,
				 !cases[i].identifier || cases[i].kind == PLUG_PASSIVE_COPPER);
	}
}

/*
 * Each bit of the mask is one monitor; without the mask, a temperature of 0 means there are none.
 */
static void monitors(void **state)
{
	uint8_t bytes[PLUG_PDDR_BYTES];

	(void)state;
	for (unsigned int mask = 0; mask < 0x20; mask++) {
		_cleanup_(plug_clear) struct plug plug = {.lane_count = 0};

		sample_pddr(bytes);
		pddr_put_page(bytes, 0x9c, 8, 8, mask);
		decode(bytes, true, &plug);
		assert_int_equal(plug.temperature_c.known, !mask || mask & 1);
		assert_int_equal(plug.voltage_v.known, !mask || mask & 2);
		assert_int_equal(plug.lanes[7].tx_power_mw.known, !mask || mask & 4);
		assert_int_equal(plug.lanes[7].rx_power_mw.known, !mask || mask & 8);
		assert_int_equal(plug.lanes[7].tx_bias_ma.known, !mask || mask & 16);
		assert_int_equal(plug.lane_count, !mask || mask & 0x1c ? 8 : 0);
		plug_clear(&plug);
		pddr_put_page(bytes, 0x4c, 16, 16, 0);
		decode(bytes, true, &plug);
		assert_int_equal(plug.temperature_c.known, mask & 1);
		assert_int_equal(plug.lanes[0].rx_power_mw.known, (mask & 8) != 0);
		plug_clear(&plug);
		/* A passive cable: the bits set in a mask are obeyed, and there are no lanes. */
		pddr_put_page(bytes, 0x04, 28, 4, 1);
		pddr_put_page(bytes, 0x00, 24, 8, 0x0c);
		pddr_put_page(bytes, 0x4c, 16, 16, 256);
		decode(bytes, true, &plug);
		assert_int_equal(plug.temperature_c.known, !mask || mask & 1);
		assert_int_equal(plug.lane_count, mask & 0x1c ? 8 : 0);
	}
}

/* Without the mask, less than one degree is a temperature, and a cable's light counts, too. */
static void without_mask(void **state)
{
	_cleanup_(plug_clear) struct plug plug = {.lane_count = 0};
	uint8_t bytes[PLUG_PDDR_BYTES];

	(void)state;
	sample_pddr(bytes);
	pddr_put_page(bytes, 0x9c, 8, 8, 0);
	pddr_put_page(bytes, 0x4c, 16, 16, 128);
	pddr_put_page(bytes, 0x04, 28, 4, 1);
	decode(bytes, true, &plug);
	assert_int_equal(plug.kind.value, PLUG_ACTIVE_OPTICAL);
	assert_real(plug.temperature_c, 0.5);
	assert_int_equal(plug.lane_count, 8);
	assert_real(plug.lanes[7].rx_power_mw, 0.807);
}

/* A reserved scale, thresholds that were never set, and texts that were not written. */
static void senseless(void **state)
{
	_cleanup_(plug_clear) struct plug plug = {.lane_count = 0};
	uint8_t bytes[PLUG_PDDR_BYTES];

	(void)state;
	sample_pddr(bytes);
	pddr_put_page(bytes, 0x98, 10, 2, 3);
	pddr_put_limits(bytes, PDDR_RX_LIMITS, 0, 0);
	pddr_put_lane(bytes, PDDR_RX, 0, 0);
	memset(bytes + SAMPLE_PDDR_PAGE + 0x3c, 0, 16);
	memset(bytes + SAMPLE_PDDR_PAGE + 0x24, 0xff, 16);
	memcpy(bytes + SAMPLE_PDDR_PAGE + 0x14, "\033[2J\001\377", 6);
	decode(bytes, true, &plug);
	assert_false(plug.lanes[0].tx_bias_ma.known);
	assert_false(plug.limits[PLUG_TX_BIAS].values[LIMIT_HIGH_ALARM].known);
	assert_false(plug.limits[PLUG_RX_POWER].values[LIMIT_LOW_ALARM].known);
	assert_real(plug.lanes[0].rx_power_mw, 0);
	assert_int_equal(plug.alarms.value, 0);
	assert_true(!plug.serial || !*plug.serial);
	assert_null(plug.part);
	assert_null(strchr(plug.vendor, '\033'));
}

static void unplugged(void **state)
{
	struct plug_memory memory = {.length = {7}};
	uint8_t bytes[PLUG_PDDR_BYTES];

	(void)state;
	sample_pddr(bytes);
	pddr_put_page(bytes, 0x04, 28, 4, 4);
	assert_false(plug_take_pddr(&memory, bytes, true));
	assert_int_equal(memory.length[0], 7);
	assert_false(plug_is_told(&memory));
}

/* Files keep firmware's report with its units; no module memory is read in addition. */
static void kept(void **state)
{
	uint8_t bytes[PLUG_PDDR_BYTES];

	(void)state;
	for (int microwatts = 0; microwatts < 2; microwatts++) {
		_cleanup_(plug_clear) struct plug before = {.lane_count = 0},
						  after = {.lane_count = 0};
		struct plug_memory memory, again;
		_cleanup_(freep) char *text = NULL;
		enum plug_part part;

		sample_pddr(bytes);
		pddr_put_lane(bytes, PDDR_RX, 7, (uint32_t)-7);
		/* The units come from the caller, whatever the device reports. */
		pddr_put(bytes, 0x04, 29, 2, !microwatts);
		assert_true(plug_take_pddr(&memory, bytes, microwatts));
		assert_false(plug_next_part(&memory, 0, &part));
		assert_null(plug_unknown_text(&memory));
		text = plug_memory_text(&memory);
		assert_int_equal(plug_memory_parse(text, &again), 0);
		plug_decode(&memory, &before);
		plug_decode(&again, &after);
		assert_string_equal(after.serial, before.serial);
		assert_real(after.lanes[7].rx_power_mw, microwatts ? 65.529 : 0.19952623149688795);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(optical),   cmocka_unit_test(alarms),
		cmocka_unit_test(whole_dbm), cmocka_unit_test(kinds),
		cmocka_unit_test(monitors),  cmocka_unit_test(without_mask),
		cmocka_unit_test(senseless), cmocka_unit_test(unplugged),
		cmocka_unit_test(kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
