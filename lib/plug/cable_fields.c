/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The columns of a cable of this host, and of its lanes with the module's own thresholds. */
#include "base/mem.h"
#include "plug/cable.h"
#include "schema/rows.h"

#define RECORD struct ethtool_fec_bin
static const struct field bin_fields[] = {
	NUMBER(low, "LOW", SHOWN, 0, "fewest wrong symbols in such a block"),
	NUMBER(high, "HIGH", SHOWN, 0, "most wrong symbols in such a block"),
	NUMBER(blocks, "BLOCKS", SHOWN | FIELD_COUNTER, 0, "blocks since the driver was loaded"),
};
#undef RECORD

static const struct schema fec_bin_schema = SCHEMA("fec_bins", struct ethtool_fec_bin, bin_fields,
						   "blocks with this many wrong symbols");

static void get_weakest(const void *record, struct value *value)
{
	plug_set_weakest(value, &((const struct port_cable *)record)->plug);
}

static void get_lanes(const void *record, struct value *value)
{
	plug_set_lanes(value, &((const struct port_cable *)record)->plug);
}

static void get_limits(const void *record, struct value *value)
{
	const struct plug *plug = &((const struct port_cable *)record)->plug;

	if (plug->standard.known)
		value_set_records(value, plug->limits, PLUG_QUANTITY_COUNT);
}

static void get_bins(const void *record, struct value *value)
{
	const struct ethtool_fec *fec = &((const struct port_cable *)record)->fec;

	if (fec->bin_count)
		value_set_records(value, fec->bins, fec->bin_count);
}

static void get_detail(const void *record, struct value *value)
{
	const struct ethtool_link_state *link = &((const struct port_cable *)record)->link;

	if (link->reason.known && link->detail.known)
		value_set_string(value,
				 ethtool_reason_detail(link->reason.value, link->detail.value));
}

#define RECORD struct port_cable
static const struct field fields[] = {
	TEXT(device, "DEVICE", SHOWN, 0, "name of the device"),
	NUMBER(port, "PORT", SHOWN, 0, "number of the port"),
	TEXT(netdev, "NETDEV", SHOWN, 0,
	     "netdev that was queried: that of the port, or a member of its bond"),
	YES_NO_AS("link_up", link.up, "LINK", SHOWN, 0, "whether the link is up"),
	WORD_AS("down_reason", link.reason, ethtool_reason_names, "REASON", SHOWN, 0,
		"why a link is down, if the driver reports it"),
	COMPUTED_FIELD(FIELD_STRING, get_detail, "down_detail", "DETAIL", 0, 0,
		       "more about the reason"),
	PLUG_COLUMNS(RECORD, plug, "", "", SHOWN, SHOWN),
	COMPUTED_REAL_FIELD(get_weakest, 1, "rx_power_dbm", "RX dBm", SHOWN | FIELD_RIGHT,
			    PLUG_WEAKEST_HELP),
	FLAGS_AS("alarms", plug.alarms, plug_flag_names, "ALARMS", SHOWN, 0,
		 "readings of any lane that are beyond the module's own thresholds now"),
	FLAGS_AS("flags", plug.flags, plug_flag_names, "FLAGS", 0, 0,
		 "faults, alarms and warnings that the module noted since they were last read"),
	WORD_AS("state", plug.state, plug_state_names, "STATE", 0, 0, "state of a CMIS module"),
	WORD_AS("fault", plug.fault, plug_fault_names, "FAULT", 0, 0,
		"why the state of a CMIS module is fault"),
	REAL_FIELD(RECORD, plug.voltage_v, "voltage_v", "VOLTAGE V", FIELD_RIGHT, 0,
		   "supply voltage of the module"),
	WORD_AS("standard", plug.standard, plug_standard_names, "STANDARD", 0, 0,
		"layout of the module's memory"),
	WORD_AS("connector", plug.connector, plug_connector_names, "CONNECTOR", 0, 0,
		"connector of the fibres"),
	WORD_AS("technology", plug.technology, plug_technology_names, "TECHNOLOGY", 0, 0,
		"laser, or equalizer of a copper cable"),
	TEXT_AS("revision", plug.revision, "REVISION", 0, 0, "vendor's revision"),
	TEXT_AS("oui", plug.oui, "OUI", 0, 0, "IEEE number of the vendor (OUI)"),
	TEXT_AS("date", plug.date, "DATE", 0, 0, "date of manufacture"),
	TEXT_AS("firmware", plug.firmware, "FIRMWARE", 0, 0, "active firmware of a CMIS module"),
	WORD_AS("power_mode", module.power_mode, ethtool_power_mode_names, "POWER", 0, 0,
		"whether the module has its full power"),
	WORD_AS("power_policy", module.power_policy, ethtool_power_policy_names, "POWER POLICY", 0,
		0, "when the module gets its full power"),
	YES_NO_AS("rx_power_is_average", plug.rx_power_is_average, "RX AVERAGE", 0, 0,
		  "whether receive power is the average; no: modulation amplitude"),
	WORD_AS("fec", fec.active, ethtool_fec_names, "FEC", 0, 0, "active error correction"),
	FLAGS_AS("fec_configured", fec.configured, ethtool_fec_mode_names, "FEC CONFIGURED", 0, 0,
		 "error correction that the port may use; auto: as the port and its link choose"),
	NUMBER_AS("fec_corrected_blocks", fec.corrected_blocks, "CORRECTED", FIELD_COUNTER, 0,
		  "blocks that FEC corrected"),
	NUMBER_AS("fec_uncorrectable_blocks", fec.uncorrectable_blocks, "UNCORRECTABLE",
		  FIELD_COUNTER, 0, "blocks that FEC could not correct"),
	NUMBER_AS("fec_corrected_bits", fec.corrected_bits, "CORRECTED BITS", FIELD_COUNTER, 0,
		  "bits that FEC corrected"),
	NUMBER_AS("down_count", link.down_count, "DOWN COUNT", FIELD_COUNTER, 0,
		  "times that the link went down"),
	NUMBER_AS("signal_quality", link.quality, "QUALITY", 0, 0,
		  "signal quality index of the link, if the driver reports it"),
	NUMBER_AS("most_signal_quality", link.most_quality, "MOST QUALITY", 0, 0,
		  "best value of that index"),
	RECORDS_FIELD(get_lanes, &plug_lane_schema, "", "lanes", 0, "readings of each lane"),
	RECORDS_FIELD(get_limits, &plug_limits_schema, "", "thresholds", 0,
		      "the module's own thresholds"),
	RECORDS_FIELD(get_bins, &fec_bin_schema, "", "fec_bins", 0,
		      "how many blocks had this many wrong symbols"),
};

const struct schema cable_schema = SCHEMA("cables", struct port_cable, fields,
					  "what is plugged into a port");
#undef RECORD

/* ---- A lane, in a row of its own ---- */

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

/* The power of a lane, received (rx) or sent (tx), and its thresholds. */
#define POWER_GETTERS(way_)                                                            \
	DBM_GETTER(get_##way_, lane.way_##_power_mw)                                   \
	DBM_GETTER(get_##way_##_low_alarm, way_##_power.values[LIMIT_LOW_ALARM])       \
	DBM_GETTER(get_##way_##_low_warning, way_##_power.values[LIMIT_LOW_WARNING])   \
	DBM_GETTER(get_##way_##_high_warning, way_##_power.values[LIMIT_HIGH_WARNING]) \
	DBM_GETTER(get_##way_##_high_alarm, way_##_power.values[LIMIT_HIGH_ALARM])

POWER_GETTERS(rx)
POWER_GETTERS(tx)

#define DBM(get_, key_, heading_, flags_, help_) \
	COMPUTED_REAL_FIELD(get_, 1, key_, heading_, (flags_) | FIELD_RIGHT, help_)

#define RECORD struct cable_lane
#define POWER_LIMIT(way_, limit_, name_, ...) \
	DBM(get_##way_##_##name_, #way_ "_" #name_ "_dbm", __VA_ARGS__)
#define BIAS_LIMIT(way_, limit_, name_, heading_, flags_, help_)                             \
	REAL_FIELD(RECORD, tx_bias.values[LIMIT_##limit_], #way_ "_" #name_ "_ma", heading_, \
		   (flags_) | FIELD_RIGHT, 0, help_)
#define LIMITS(LIMIT, way_, heading_, what_)                                                     \
	LIMIT(way_, LOW_ALARM, low_alarm, heading_ " LOW", SHOWN, "less " what_ " is an alarm"), \
		LIMIT(way_, LOW_WARNING, low_warning, heading_ " LOW WARNING", 0,                \
		      "less " what_ " is a warning"),                                            \
		LIMIT(way_, HIGH_WARNING, high_warning, heading_ " HIGH WARNING", 0,             \
		      "more " what_ " is a warning"),                                            \
		LIMIT(way_, HIGH_ALARM, high_alarm, heading_ " HIGH", SHOWN,                     \
		      "more " what_ " is an alarm")

static const struct field lane_fields[] = {
	TEXT(device, "DEVICE", SHOWN, 0, "name of the device"),
	NUMBER(port, "PORT", SHOWN, 0, "number of the port"),
	TEXT(netdev, "NETDEV", 0, 0,
	     "netdev that was queried: that of the port, or a member of its bond"),
	NUMBER_AS("lane", lane.lane, "LANE", SHOWN, 0, "number of the lane, from 1"),
	DBM(get_rx, "rx_power_dbm", "RX dBm", SHOWN,
	    "receive power; -40: too little for the module to measure"),
	LIMITS(POWER_LIMIT, rx, "RX", "received"),
	DBM(get_tx, "tx_power_dbm", "TX dBm", SHOWN,
	    "transmit power; -40: too little for the module to measure"),
	LIMITS(POWER_LIMIT, tx, "TX", "sent"),
	REAL_FIELD(RECORD, lane.tx_bias_ma, "tx_bias_ma", "BIAS mA", SHOWN | FIELD_RIGHT, 0,
		   "current of the laser, milliamperes"),
	LIMITS(BIAS_LIMIT, bias, "BIAS", "current"),
	REAL_FIELD(RECORD, lane.rx_power_mw, "rx_power_mw", "RX mW", FIELD_RIGHT, 0,
		   "receive power, milliwatts"),
	REAL_FIELD(RECORD, lane.tx_power_mw, "tx_power_mw", "TX mW", FIELD_RIGHT, 0,
		   "transmit power, milliwatts"),
	FLAGS_AS("alarms", lane.alarms, plug_flag_names, "ALARMS", SHOWN, 0,
		 "readings beyond the module's own thresholds now"),
	FLAGS_AS("flags", lane.flags, plug_flag_names, "FLAGS", SHOWN, 0,
		 "faults, alarms and warnings that the module noted since they were last read"),
};

const struct schema cable_lane_schema = SCHEMA("cable_lanes", struct cable_lane, lane_fields,
					       "a lane of a plugged-in module: cables --lanes");
