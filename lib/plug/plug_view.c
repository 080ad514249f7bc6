/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The records within a plug, as tables of fields, and the light of its lanes. */
#include "base/mem.h"
#include "plug/plug.h"
#include "schema/rows.h"

/* ln(10) */
#define LN_10 2.302585092994045684

/* log10() is in libm, which the program does not need otherwise: 2 atanh((x - 1) / (x + 1)). */
static double log10_of(double x)
{
	double sum = 0, term, square;
	int exponent = 0;

	for (; x >= 10; x /= 10)
		exponent++;
	for (; x < 1; x *= 10)
		exponent--;
	term = (x - 1) / (x + 1);
	square = term * term;
	for (int i = 1; i < 120; i += 2, term *= square)
		sum += term / i;
	return exponent + 2 * sum / LN_10;
}

double plug_dbm(double milliwatts)
{
	const double dbm = milliwatts >= 1e-4 ? 10 * log10_of(milliwatts) : PLUG_LEAST_DBM;

	return dbm < PLUG_LEAST_DBM ? PLUG_LEAST_DBM : dbm;
}

const struct plug_lane *plug_weakest(const struct plug *plug)
{
	const struct plug_lane *weakest = NULL;

	for (size_t i = 0; i < plug->lane_count; i++) {
		const struct plug_lane *lane = &plug->lanes[i];

		if (lane->rx_power_mw.known &&
		    (!weakest || lane->rx_power_mw.value < weakest->rx_power_mw.value))
			weakest = lane;
	}
	return weakest;
}

void plug_set_dbm(struct value *value, const struct real *milliwatts)
{
	if (milliwatts->known)
		value_set_real(value, plug_dbm(milliwatts->value));
}

void plug_set_weakest(struct value *value, const struct plug *plug)
{
	const struct plug_lane *lane = plug_weakest(plug);

	if (lane)
		plug_set_dbm(value, &lane->rx_power_mw);
}

void plug_set_lanes(struct value *value, const struct plug *plug)
{
	if (plug->lane_count)
		value_set_records(value, plug->lanes, plug->lane_count);
}

static void get_rx_dbm(const void *record, struct value *value)
{
	plug_set_dbm(value, &((const struct plug_lane *)record)->rx_power_mw);
}

static void get_tx_dbm(const void *record, struct value *value)
{
	plug_set_dbm(value, &((const struct plug_lane *)record)->tx_power_mw);
}

#define RECORD struct plug_lane
static const struct field lane_fields[] = {
	NUMBER(lane, "LANE", SHOWN, 0, "number of the lane, from 1"),
	REAL(rx_power_mw, "RX mW", 0, 0, "receive power, milliwatts"),
	COMPUTED_REAL_FIELD(get_rx_dbm, 1, "rx_power_dbm", "RX dBm", SHOWN | FIELD_RIGHT,
			    "receive power; -40: too little for the module to measure"),
	REAL(tx_power_mw, "TX mW", 0, 0, "transmit power, milliwatts"),
	COMPUTED_REAL_FIELD(get_tx_dbm, 1, "tx_power_dbm", "TX dBm", SHOWN | FIELD_RIGHT,
			    "transmit power; -40: too little for the module to measure"),
	REAL(tx_bias_ma, "BIAS mA", SHOWN, 0, "current of the laser, milliamperes"),
	FLAGS_AS("alarms", alarms, plug_flag_names, "ALARMS", SHOWN, 0,
		 "readings beyond the module's own thresholds now"),
	FLAGS_AS("flags", flags, plug_flag_names, "FLAGS", SHOWN, 0,
		 "faults, alarms and warnings that the module noted since they were last read"),
};
#undef RECORD

const struct schema plug_lane_schema = SCHEMA("plug_lanes", struct plug_lane, lane_fields,
					      "a lane of a module");

static const struct enum_name quantity_names[] = {
#define QUANTITY(name, word) {PLUG_##name, word, TONE_PLAIN, NULL},
	PLUG_QUANTITIES(QUANTITY)
#undef QUANTITY
		{0, NULL, TONE_PLAIN, NULL},
};

#define RECORD struct plug_limits
static const struct field limits_fields[] = {
	WORD(quantity, quantity_names, "QUANTITY", SHOWN, 0,
	     "what they limit, in degrees Celsius, volts, milliwatts or milliamperes"),
	REAL_FIELD(RECORD, values[LIMIT_LOW_ALARM], "low_alarm", "LOW ALARM", SHOWN | FIELD_RIGHT,
		   0, "less is an alarm"),
	REAL_FIELD(RECORD, values[LIMIT_LOW_WARNING], "low_warning", "LOW WARNING",
		   SHOWN | FIELD_RIGHT, 0, "less is a warning"),
	REAL_FIELD(RECORD, values[LIMIT_HIGH_WARNING], "high_warning", "HIGH WARNING",
		   SHOWN | FIELD_RIGHT, 0, "more is a warning"),
	REAL_FIELD(RECORD, values[LIMIT_HIGH_ALARM], "high_alarm", "HIGH ALARM",
		   SHOWN | FIELD_RIGHT, 0, "more is an alarm"),
};
#undef RECORD

const struct schema plug_limits_schema = SCHEMA("plug_limits", struct plug_limits, limits_fields,
						"the module's thresholds for a quantity");
