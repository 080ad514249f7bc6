/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The attributes of congestion control: InfiniBand Architecture Specification volume 1, annex A10.
 * The positions are those of opensm's ib_types.h and, except for the events of a channel adapter's
 * log, of rdma-core's libibmad (fields.c). Its events have the local queue pair at byte 0 and the
 * service level next to it; those of opensm and of NVIDIA's ibdiagnet (cc_layouts.h) begin with a
 * reserved byte and have the service level after the remote queue pair, as here.
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "mad/format/rows.h"
#include "schema/bits.h"

#define FIELDS MAD_OBJECT_FIELDS(SHOW)
/* A setting of the node, not of a port, so its rows have no port. */
#define INDEX(key_, heading_, help_) FIELDS, MAD_INDEX_FIELD(key_, heading_, SHOW, help_)

/* A10.4.3.3 */
static const struct enum_name feature_names[] = {{1, "credit-starvation"}, {0, NULL}};

static const struct field info_fields[] = {
	FIELDS,
	FLAGS(0, 0, 16, feature_names, "features", "FEATURES", SHOW,
	      "optional features that the node has"),
	NUM(2, 0, 8, "control_table_cap", "TABLE BLOCKS", SHOW,
	    "blocks of 64 entries in the congestion control table of a channel adapter"),
};

/* A10.4.3.4; a write of 0 clears the violations, and any other value leaves them as they are. */
static const struct field key_fields[] = {
	FIELDS,
	HEX(0, 0, 64, "cc_key", "CC_KEY", FIELD_SECRET, "congestion control key"),
	BOOL(8, 0, "cc_key_protect", "PROTECT", SHOW, "whether the key is hidden from reads"),
	NUM(10, 0, 16, "cc_key_lease_period_sec", "LEASE s", SHOW,
	    "seconds that the protection lasts without its manager; 0: forever"),
	NUM(12, 0, 16, "cc_key_violations", "VIOLATIONS", SHOW, "datagrams with a wrong key"),
};

/* A10.4.3.5: the logs of switches and of channel adapters share the first four bytes. */
enum { LOG_SWITCH = 1, LOG_CA = 2 };

static const struct enum_name log_type_names[] = {
	{LOG_SWITCH, "switch"},
	{LOG_CA, "ca"},
	{0, NULL},
};
static const struct enum_name log_flag_names[] = {{1, "key-lease-running"}, {0, NULL}};
static const struct enum_name service_names[] = {
	{0, "rc"}, {1, "uc"}, {2, "rd"}, {3, "ud"}, {0, NULL},
};

static bool is_switch_log(const void *record)
{
	return mad_data(record)[0] == LOG_SWITCH;
}

static bool is_ca_log(const void *record)
{
	return mad_data(record)[0] == LOG_CA;
}

/* Both kinds of log have a timestamp, at different positions. */
static void get_log_time(const void *record, struct value *value)
{
	const unsigned char *data = mad_data(record);

	if (is_switch_log(record) || is_ca_log(record))
		value_set_unsigned(value,
				   bits_get(data, MAD_AT(is_switch_log(record) ? 4 : 8, 0), 32));
}

static void get_port_map(const void *record, struct value *value)
{
	if (is_switch_log(record))
		mad_get_hex(mad_data(record) + 8, 32, value);
}

/* The positions of events in a record: see mad_entry_take(). */
#define SWITCH_EVENT CC_LOG_SWITCH_HEAD
#define CA_EVENT     (CC_LOG_SWITCH_HEAD + CC_LOG_CA_EVENT)

static const struct field log_fields[] = {
	INDEX("event", "EVENT", "number of the event in the log"),
	WORD(0, 0, 8, log_type_names, "log_type", "TYPE", SHOW, "kind of node that wrote it"),
	FLAGS(1, 0, 8, log_flag_names, "congestion_flags", "FLAGS", 0, "state of the key's lease"),
	NUM(2, 0, 16, "events", "EVENTS", 0, "events since the log was last sent"),
	COMPUTED_FIELD(FIELD_UNSIGNED, get_log_time, "log_time", "LOG TIME", FIELD_RIGHT, 0,
		       "clock of the node when it sent the log, in units of 1.024 us"),
	COMPUTED_FIELD(FIELD_STRING, get_port_map, "port_map", "PORT MAP", 0, 0,
		       "ports of a switch that marked packets: 256 bits, port 0 is the last"),
	HEX(4, 0, 16, "event_map", "EVENT MAP", 0,
	    "service levels of a channel adapter with events, one bit each", .present = is_ca_log),
	NUM(SWITCH_EVENT, 0, 16, "slid", "SLID", SHOW, "source LID of the packet",
	    .present = is_switch_log),
	NUM(SWITCH_EVENT + 2, 0, 16, "dlid", "DLID", SHOW, "destination LID of the packet",
	    .present = is_switch_log),
	NUM(SWITCH_EVENT + 4, 0, 4, "sl", "SL", SHOW, "service level of the packet",
	    .present = is_switch_log),
	NUM(SWITCH_EVENT + 8, 0, 32, "timestamp", "TIME", SHOW,
	    "clock of the switch at the event, in units of 1.024 us", .present = is_switch_log),
	NUM(CA_EVENT + 1, 0, 24, "local_qp", "LOCAL QP", SHOW,
	    "queue pair that reached the threshold; 0: the port did", .present = is_ca_log),
	NUM(CA_EVENT + 4, 0, 24, "remote_qp", "REMOTE QP", SHOW,
	    "queue pair at the other end; 0: datagrams", .present = is_ca_log),
	NUM(CA_EVENT + 7, 0, 4, "qp_sl", "QP SL", SHOW, "service level of the queue pair",
	    .present = is_ca_log),
	WORD(CA_EVENT + 7, 4, 4, service_names, "service_type", "SERVICE", SHOW,
	     "service of the queue pair", .present = is_ca_log),
	NUM(CA_EVENT + 8, 0, 16, "remote_lid", "REMOTE LID", SHOW,
	    "LID at the other end; 0: datagrams", .present = is_ca_log),
	NUM(CA_EVENT + 12, 0, 32, "qp_timestamp", "QP TIME", SHOW,
	    "clock of the adapter at the event, in units of 1.024 us", .present = is_ca_log),
};

/*
 * A10.4.3.6. The bits of the map select the fields that a write sets. The sources disagree on their
 * order, so they have no words here: opensm's options count from the victim mask up, NVIDIA's
 * layouts from the marking rate.
 */
#define PORT_MASK(byte_, key_, heading_, help_)                                          \
	HEX(byte_ + 24, 0, 64, key_ "_0_63", heading_ " 0-63", SHOW, help_ ", 0 to 63"), \
		HEX(byte_ + 16, 0, 64, key_ "_64_127", heading_ " 64-127", 0,            \
		    help_ ", 64 to 127"),                                                \
		HEX(byte_ + 8, 0, 64, key_ "_128_191", heading_ " 128-191", 0,           \
		    help_ ", 128 to 191"),                                               \
		HEX(byte_, 0, 64, key_ "_192_255", heading_ " 192-255", 0, help_ ", 192 to 255")
static const struct field switch_fields[] = {
	FIELDS,
	HEX(0, 0, 32, "control_map", "CONTROL MAP", SHOW, "fields that are in use, one bit each"),
	PORT_MASK(4, "victim_mask", "VICTIMS",
		  "ports that also mark packets which are only victims of congestion"),
	PORT_MASK(36, "credit_mask", "CREDIT", "ports with credit starvation"),
	NUM(68, 0, 4, "threshold", "THRESHOLD", SHOW,
	    "how readily packets are marked: 0 never, 15 most"),
	NUM(69, 0, 8, "packet_size_credits", "PACKET SIZE", SHOW,
	    "shorter packets are not marked, in credits"),
	NUM(70, 0, 4, "cs_threshold", "CS THRESHOLD", SHOW,
	    "how readily credit starvation begins: 0 never, 15 most"),
	NUM(72, 0, 2, "cs_return_delay_shift", "DELAY SHIFT", 0,
	    "delay before credits are returned: shift"),
	NUM(72, 2, 14, "cs_return_delay_multiplier", "DELAY", 0,
	    "delay before credits are returned: multiplier"),
	NUM(74, 0, 16, "marking_rate", "MARKING RATE", SHOW,
	    "mean number of packets between two that are marked"),
};

/*
 * A10.4.3.7: blocks of 32 ports in opensm and NVIDIA's layouts; ibccquery(8) assumes 48 per block,
 * so what it shows from port 32 on belongs to other ports.
 */
static const struct enum_name control_type_names[] = {
	{0, "congestion"},
	{1, "credit-starvation"},
	{0, NULL},
};
static const struct field switch_port_fields[] = {
	INDEX("port", "PORT", "port of the switch"),
	BOOL(0, 0, "valid", "VALID", SHOW, "whether the port has settings of its own"),
	WORD(0, 1, 1, control_type_names, "control_type", "CONTROL", SHOW,
	     "what the threshold is for"),
	NUM(0, 4, 4, "threshold", "THRESHOLD", SHOW, "how readily it acts: 0 never, 15 most"),
	NUM(1, 0, 8, "packet_size_credits", "PACKET SIZE", SHOW,
	    "shorter packets are not marked, in credits"),
	NUM(2, 0, 16, "marking_rate", "MARKING RATE", SHOW,
	    "mean number of packets between two that are marked"),
};

/* A10.4.3.8: the map selects the service levels that a write sets. */
static const struct enum_name port_control_names[] = {{1, "by-sl"}, {0, NULL}};
static const struct field ca_fields[] = {
	INDEX("sl", "SL", "service level"),
	FLAGS(0, 0, 16, port_control_names, "port_control", "CONTROL", SHOW,
	      "by-sl: the port is slowed down by service level; else each queue pair is"),
	HEX(2, 0, 16, "control_map", "CONTROL MAP", 0, "service levels that are set, one bit each"),
	NUM(4, 0, 16, "ccti_timer", "TIMER", SHOW,
	    "time after which the index falls by one, in units of 1.024 us"),
	NUM(6, 0, 8, "ccti_increase", "INCREASE", SHOW,
	    "how much the index rises with each backward congestion mark"),
	NUM(7, 0, 8, "trigger_threshold", "TRIGGER", SHOW, "index at which an event is logged"),
	NUM(8, 0, 8, "ccti_min", "MINIMUM", SHOW, "lowest index"),
};

/* A10.4.3.9 */
static const struct field table_fields[] = {
	INDEX("ccti", "CCTI", "index in the table"),
	NUM(0, 0, 16, "ccti_limit", "LIMIT", 0, "highest index in use"),
	NUM(4, 0, 2, "cct_shift", "SHIFT", SHOW, "delay between packets: shift"),
	NUM(4, 2, 14, "cct_multiplier", "MULTIPLIER", SHOW, "delay between packets: multiplier"),
};

/* A10.4.3.10 */
static const struct field time_fields[] = {
	FIELDS,
	NUM(0, 0, 32, "timestamp", "TIME", SHOW, "clock of the node, in units of 1.024 us"),
};

#define CC(id_, word_, alias_, name_, bytes_, schema_, fields_, summary_, ...)               \
	ATTRIBUTE(UMAD_CLASS_CONG_MGMT, id_, word_, alias_, name_, bytes_, schema_, fields_, \
		  summary_, ##__VA_ARGS__)

/* The aliases are those of ibccquery(8). */
const struct mad_attribute cc_attributes[] = {
	CC(MAD_CC_INFO, "info", "CI", "CongestionInfo", 4, "cc_info", info_fields,
	   "the congestion control that a node has"),
	CC(MAD_CC_KEY_INFO, "key", "CK", "CongestionKeyInfo", 16, "cc_key", key_fields,
	   "the congestion control key of a node"),
	CC(MAD_CC_LOG, "log", "CL", "CongestionLog", 220, "cc_log", log_fields,
	   "an event in the congestion log of a node", .entries = 15, .entry_bytes = 12,
	   .head_bytes = CC_LOG_SWITCH_HEAD),
	CC(MAD_CC_SWITCH, "switch", "SS", "SwitchCongestionSetting", 76, "cc_switch", switch_fields,
	   "how a switch marks packets"),
	CC(MAD_CC_SWITCH_PORT, "ports", "SP", "SwitchPortCongestionSetting", 128, "cc_ports",
	   switch_port_fields, "how a port of a switch marks packets", .entries = 32,
	   .entry_bytes = 4, .modifier = MODIFIER_BLOCK),
	CC(MAD_CC_CA, "ca", "CS", "CACongestionSetting", 132, "cc_ca", ca_fields,
	   "how a channel adapter reacts to congestion, by service level", .entries = 16,
	   .entry_bytes = 8, .head_bytes = 4),
	CC(MAD_CC_TABLE, "table", "CT", "CongestionControlTable", 132, "cc_table", table_fields,
	   "an entry of the congestion control table", .entries = 64, .entry_bytes = 2,
	   .head_bytes = 4, .modifier = MODIFIER_BLOCK),
	CC(MAD_CC_TIMESTAMP, "time", "TI", "TimeStamp", 4, "cc_time", time_fields,
	   "the clock of a node's congestion control"),
	CLASS_PORT_INFO(UMAD_CLASS_CONG_MGMT, "CP", &class_port_info_schema),
	{.schema = NULL},
};

/*
 * Vendor class 0x0a of Mellanox: general information. The positions are those of vendstat(8). Its
 * list of devices whose reply has a longer form of the firmware version ends with ConnectX-6; a
 * later device is recognized by its two versions, where the short one has the low bytes of the long
 * one.
 */
#define LONG_VERSION_AT 76

static bool versions_agree(const unsigned char *data)
{
	unsigned int sum = 0;

	for (unsigned int i = 0; i < 3; i++) {
		sum |= data[41 + i];
		if (data[LONG_VERSION_AT + 4 * i + 3] != data[41 + i])
			return false;
	}
	return sum;
}

static bool has_long_version(const void *record)
{
	static const struct {
		uint16_t first, last;
	} devices[] = {
		{0x0245, 0x0245}, {0xc738, 0xc73b}, {0xcb20, 0xcb20}, {0xcf08, 0xcf08},
		{0xd2f0, 0xd2f0}, {0x01b3, 0x01b3}, {0x1003, 0x101b}, {0xa2d2, 0xa2d2},
		{0x1b02, 0x1b02}, {0x1b50, 0x1b50}, {0x1ba0, 0x1ba0}, {0x1bd0, 0x1bd5},
		{0x1bf0, 0x1bf0}, {0x1b33, 0x1b33}, {0x1b73, 0x1b73}, {0x1b40, 0x1b41},
		{0x1b60, 0x1b61}, {0x1b83, 0x1b83}, {0x1b93, 0x1b94}, {0x1bb4, 0x1bb5},
		{0x1bc4, 0x1bc6},
	};
	const uint64_t device = bits_get(mad_data(record), MAD_AT(10, 0), 16);

	for (size_t i = 0; i < ARRAY_SIZE(devices); i++)
		if (device >= devices[i].first && device <= devices[i].last)
			return true;
	return versions_agree(mad_data(record));
}

static void set_version(struct value *value, unsigned int major, unsigned int minor,
			unsigned int sub)
{
	snprintf(value->scratch, sizeof(value->scratch), "%u.%u.%u", major, minor, sub);
	value_set_string(value, value->scratch);
}

static void get_firmware(const void *record, struct value *value)
{
	const unsigned char *data = mad_data(record);

	if (has_long_version(record))
		set_version(value, (unsigned int)bits_get(data, MAD_AT(LONG_VERSION_AT, 0), 32),
			    (unsigned int)bits_get(data, MAD_AT(LONG_VERSION_AT + 4, 0), 32),
			    (unsigned int)bits_get(data, MAD_AT(LONG_VERSION_AT + 8, 0), 32));
	else
		set_version(value, data[41], data[42], data[43]);
}

static void get_software(const void *record, struct value *value)
{
	const unsigned char *info = mad_data(record) +
				    (has_long_version(record) ? 104 : LONG_VERSION_AT);

	set_version(value, info[1], info[2], info[3]);
}

/* Decimal digits, four bits each: month and day, then the year. */
static void get_date(const void *record, struct value *value)
{
	const unsigned char *data = mad_data(record);

	snprintf(value->scratch, sizeof(value->scratch), "%02x%02x-%02x-%02x", data[50], data[51],
		 data[48], data[49]);
	value_set_string(value, value->scratch);
}

static const struct field general_fields[] = {
	FIELDS,
	HEX(10, 0, 16, "device_id", "DEVICE", SHOW, "vendor's number for the device"),
	HEX(8, 0, 16, "hw_revision", "REVISION", SHOW, "revision of the device"),
	COMPUTED_FIELD(FIELD_STRING, get_firmware, "firmware", "FIRMWARE", SHOW, 0,
		       "version of the firmware"),
	COMPUTED_FIELD(FIELD_STRING, get_date, "firmware_date", "DATE", SHOW, 0,
		       "when the firmware was built"),
	TEXT(56, 16, "psid", "PSID", SHOW, "identifier of the firmware's configuration"),
	HEX(44, 0, 32, "firmware_build", "BUILD", 0, "identifier of the build"),
	NUM(72, 0, 32, "ini_version", "INI", 0, "version of the configuration"),
	COMPUTED_FIELD(FIELD_STRING, get_software, "software", "SOFTWARE", 0, 0,
		       "version of the software of the device"),
	NUM(36, 0, 32, "uptime", "UPTIME", SHOW, "time since the device started, in its own unit"),
};

const struct schema vendor_general_schema = MAD_SCHEMA("vendor_general", general_fields,
						       "the firmware and hardware of a node");

const struct mad_attribute mellanox_attributes[] = {
	ATTRIBUTE_OF(MAD_CLASS_MELLANOX, MAD_MELLANOX_GENERAL_INFO, "general", "N", "GeneralInfo",
		     108, &vendor_general_schema),
	CLASS_PORT_INFO(MAD_CLASS_MELLANOX, "cpi", &class_port_info_schema),
	{.schema = NULL},
};

static bool is_log(const struct mad_attribute *attribute)
{
	return attribute->mgmt_class == UMAD_CLASS_CONG_MGMT && attribute->id == MAD_CC_LOG;
}

size_t mad_entry_count(const struct mad_attribute *attribute, const unsigned char *data)
{
	if (is_log(attribute))
		return data[0] == LOG_CA       ? CC_LOG_CA_EVENTS
		       : data[0] == LOG_SWITCH ? attribute->entries
					       : 0;
	return attribute->entries;
}

size_t mad_entry_at(const struct mad_attribute *attribute, const unsigned char *data, size_t number,
		    size_t *ret_bytes)
{
	if (is_log(attribute) && data[0] == LOG_CA) {
		*ret_bytes = CC_LOG_CA_EVENT_BYTES;
		return CC_LOG_CA_HEAD + number * CC_LOG_CA_EVENT_BYTES;
	}
	*ret_bytes = attribute->entry_bytes;
	return attribute->head_bytes + number * attribute->entry_bytes;
}

void mad_entry_take(const struct mad_attribute *attribute, const unsigned char *data, size_t number,
		    unsigned char *row)
{
	size_t bytes, at = mad_entry_at(attribute, data, number, &bytes);
	const bool own_places = bytes != attribute->entry_bytes; /* of a channel adapter's log */

	memcpy(row, data, own_places ? CC_LOG_CA_HEAD : attribute->head_bytes);
	memcpy(row + (own_places ? CA_EVENT : attribute->head_bytes), data + at, bytes);
}
