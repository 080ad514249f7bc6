/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The lanes of a cable of this host, a row each, with the module's own thresholds. */
#include "base/mem.h"
#include "plug/cable.h"
#include "schema/rows.h"

void port_cable_lane(const struct port_cable *cable, size_t number, struct cable_lane *ret_lane)
{
	*ret_lane = (struct cable_lane){
		.device = cable->device,
		.port = cable->port,
		.netdev = cable->netdev,
		.lane = cable->plug.lanes[number],
		.rx_power = cable->plug.limits[PLUG_RX_POWER],
		.tx_power = cable->plug.limits[PLUG_TX_POWER],
		.tx_bias = cable->plug.limits[PLUG_TX_BIAS],
	};
}

#define DBM_GETTER(name_, member_)                                                  \
	static void name_(const void *record, struct value *value)                  \
	{                                                                           \
		plug_set_dbm(value, &((const struct cable_lane *)record)->member_); \
	}

DBM_GETTER(get_rx, lane.rx_power_mw)
DBM_GETTER(get_rx_low_alarm, rx_power.values[LIMIT_LOW_ALARM])
DBM_GETTER(get_rx_low_warning, rx_power.values[LIMIT_LOW_WARNING])
DBM_GETTER(get_rx_high_warning, rx_power.values[LIMIT_HIGH_WARNING])
DBM_GETTER(get_rx_high_alarm, rx_power.values[LIMIT_HIGH_ALARM])
DBM_GETTER(get_tx, lane.tx_power_mw)
DBM_GETTER(get_tx_low_alarm, tx_power.values[LIMIT_LOW_ALARM])
DBM_GETTER(get_tx_low_warning, tx_power.values[LIMIT_LOW_WARNING])
DBM_GETTER(get_tx_high_warning, tx_power.values[LIMIT_HIGH_WARNING])
DBM_GETTER(get_tx_high_alarm, tx_power.values[LIMIT_HIGH_ALARM])

#define DBM(get_, key_, heading_, flags_, help_) \
	COMPUTED_REAL_FIELD(get_, 1, key_, heading_, (flags_) | FIELD_RIGHT, help_)

#define RECORD struct cable_lane
#define LIMIT_OF_BIAS(limit_, key_, heading_, flags_, help_) \
	REAL_FIELD(RECORD, tx_bias.values[limit_], key_, heading_, (flags_) | FIELD_RIGHT, 0, help_)

static const struct field fields[] = {
	TEXT(device, "DEVICE", SHOWN, 0, "name of the device"),
	NUMBER(port, "PORT", SHOWN, 0, "number of the port"),
	TEXT(netdev, "NETDEV", 0, 0,
	     "netdev that was queried: that of the port, or a member of its bond"),
	NUMBER_AS("lane", lane.lane, "LANE", SHOWN, 0, "number of the lane, from 1"),
	DBM(get_rx, "rx_power_dbm", "RX dBm", SHOWN,
	    "receive power; -40: too little for the module to measure"),
	DBM(get_rx_low_alarm, "rx_low_alarm_dbm", "RX LOW", SHOWN, "less received is an alarm"),
	DBM(get_rx_low_warning, "rx_low_warning_dbm", "RX LOW WARNING", 0,
	    "less received is a warning"),
	DBM(get_rx_high_warning, "rx_high_warning_dbm", "RX HIGH WARNING", 0,
	    "more received is a warning"),
	DBM(get_rx_high_alarm, "rx_high_alarm_dbm", "RX HIGH", SHOWN, "more received is an alarm"),
	DBM(get_tx, "tx_power_dbm", "TX dBm", SHOWN,
	    "transmit power; -40: too little for the module to measure"),
	DBM(get_tx_low_alarm, "tx_low_alarm_dbm", "TX LOW", SHOWN, "less sent is an alarm"),
	DBM(get_tx_low_warning, "tx_low_warning_dbm", "TX LOW WARNING", 0,
	    "less sent is a warning"),
	DBM(get_tx_high_warning, "tx_high_warning_dbm", "TX HIGH WARNING", 0,
	    "more sent is a warning"),
	DBM(get_tx_high_alarm, "tx_high_alarm_dbm", "TX HIGH", SHOWN, "more sent is an alarm"),
	REAL_FIELD(RECORD, lane.tx_bias_ma, "tx_bias_ma", "BIAS mA", SHOWN | FIELD_RIGHT, 0,
		   "current of the laser, milliamperes"),
	LIMIT_OF_BIAS(LIMIT_LOW_ALARM, "bias_low_alarm_ma", "BIAS LOW", SHOWN,
		      "less current is an alarm"),
	LIMIT_OF_BIAS(LIMIT_LOW_WARNING, "bias_low_warning_ma", "BIAS LOW WARNING", 0,
		      "less current is a warning"),
	LIMIT_OF_BIAS(LIMIT_HIGH_WARNING, "bias_high_warning_ma", "BIAS HIGH WARNING", 0,
		      "more current is a warning"),
	LIMIT_OF_BIAS(LIMIT_HIGH_ALARM, "bias_high_alarm_ma", "BIAS HIGH", SHOWN,
		      "more current is an alarm"),
	REAL_FIELD(RECORD, lane.rx_power_mw, "rx_power_mw", "RX mW", FIELD_RIGHT, 0,
		   "receive power, milliwatts"),
	REAL_FIELD(RECORD, lane.tx_power_mw, "tx_power_mw", "TX mW", FIELD_RIGHT, 0,
		   "transmit power, milliwatts"),
	FLAGS_AS("alarms", lane.alarms, plug_flag_names, "ALARMS", SHOWN, 0,
		 "readings beyond the module's own thresholds now"),
	FLAGS_AS("flags", lane.flags, plug_flag_names, "FLAGS", SHOWN, 0,
		 "faults, alarms and warnings that the module noted since they were last read"),
};

const struct schema cable_lane_schema = SCHEMA("cable_lanes", struct cable_lane, fields,
					       "a lane of a plugged-in module: cables --lanes");
