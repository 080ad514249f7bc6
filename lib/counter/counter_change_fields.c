/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "counter/counter_change.h"
#include "host/need.h"

static const struct counter_reading *reading_of(const void *record)
{
	return &((const struct counter_change *)record)->reading;
}

static void get_object(const void *record, struct value *value)
{
	counter_reading_get_object(reading_of(record), value);
}

static void get_device(const void *record, struct value *value)
{
	const struct counter_reading *reading = reading_of(record);

	if (reading->device)
		value_set_string(value, reading->device->name);
}

static void get_port(const void *record, struct value *value)
{
	const struct port *port = reading_of(record)->port;

	if (!port || !port->port.known)
		return;
	value_set_unsigned(value, port->port.value);
}

static void get_netdev(const void *record, struct value *value)
{
	value_set_string(value, reading_of(record)->netdev);
}

static void get_source(const void *record, struct value *value)
{
	value_set_word(value, counter_source_names, reading_of(record)->source);
}

static void get_counter(const void *record, struct value *value)
{
	value_set_string(value, counter_reading_name(reading_of(record)));
}

static void get_kernel_name(const void *record, struct value *value)
{
	value_set_string(value, reading_of(record)->kernel_name);
}

static void get_unit(const void *record, struct value *value)
{
	value_set_word(value, counter_unit_names, counter_reading_unit(reading_of(record)));
}

static void get_group(const void *record, struct value *value)
{
	value_set_word(value, counter_group_names, counter_reading_group(reading_of(record)));
}

static void get_direction(const void *record, struct value *value)
{
	const struct counter_name *name = reading_of(record)->name;

	value_set_word(value, counter_direction_names,
		       name ? name->direction : COUNTER_NO_DIRECTION);
}

static void get_severity(const void *record, struct value *value)
{
	value_set_word(value, counter_severity_names, counter_reading_severity(reading_of(record)));
}

/* The colour of bad news is for growth, whatever the total is. */
static enum tone growth_tone(const struct counter_change *change)
{
	const struct enum_name *name;

	if (!change->growth.known || !change->growth.value)
		return TONE_PLAIN;
	name = enum_find(counter_severity_names, counter_reading_severity(&change->reading));
	return name ? name->tone : TONE_PLAIN;
}

static void get_growth(const void *record, struct value *value)
{
	const struct counter_change *change = record;

	if (!change->growth.known)
		return;
	value_set_unsigned(value, change->growth.value);
	value->tone = growth_tone(change);
}

static void get_rate(const void *record, struct value *value)
{
	const struct counter_change *change = record;

	if (!change->rate_per_sec.known)
		return;
	value_set_real(value, change->rate_per_sec.value);
	value->tone = growth_tone(change);
}

static void get_problem(const void *record, struct value *value)
{
	value_set_string(value, reading_of(record)->problem);
}

#define WORD_COLUMN(get_, names_, key_, heading_, flags_, help_)                     \
	{                                                                            \
		.key = key_, .heading = heading_, .help = help_, .kind = FIELD_ENUM, \
		.flags = flags_, .names = names_, .get = get_                        \
	}
#define REAL_COLUMN(member_, digits_, key_, heading_, flags_, needs_, help_)                       \
	{                                                                                          \
		FIELD_ROW(struct counter_change, member_, struct real, FIELD_REAL, key_, heading_, \
			  (flags_) | FIELD_RIGHT, needs_, help_),                                  \
			.digits = digits_                                                          \
	}

static const struct field fields[] = {
	STRING_FIELD(struct counter_change, time, "time", "TIME", FIELD_DEFAULT, 0,
		     "when the later reading was taken"),
	COMPUTED_FIELD(FIELD_STRING, get_object, "object", "OBJECT", FIELD_DEFAULT, 0,
		       "whose counter it is: DEV/PORT, DEV or a netdev"),
	COMPUTED_FIELD(FIELD_STRING, get_device, "device", "DEVICE", 0, 0, "name of the device"),
	COMPUTED_FIELD(FIELD_UNSIGNED, get_port, "port", "PORT", FIELD_RIGHT, 0,
		       "port number; none for a counter of the whole device"),
	COMPUTED_FIELD(FIELD_STRING, get_netdev, "netdev", "NETDEV", 0, 0,
		       "netdev behind the port, if it is a counter of that"),
	WORD_COLUMN(get_source, counter_source_names, "source", "SOURCE", 0,
		    "where the kernel keeps the counter"),
	COMPUTED_FIELD(FIELD_STRING, get_counter, "counter", "COUNTER", FIELD_DEFAULT, 0,
		       "name of the counter"),
	COMPUTED_FIELD(FIELD_STRING, get_kernel_name, "kernel_name", "KERNEL NAME", 0, 0,
		       "what the kernel calls it"),
	WORD_COLUMN(get_unit, counter_unit_names, "unit", "UNIT", FIELD_DEFAULT, "what it counts"),
	WORD_COLUMN(get_direction, counter_direction_names, "direction", "DIRECTION", 0,
		    "of what is sent (tx) or received (rx)"),
	WORD_COLUMN(get_group, counter_group_names, "group", "GROUP", 0, "what it is about"),
	WORD_COLUMN(get_severity, counter_severity_names, "severity", "SEVERITY", 0,
		    "how bad it is that it grows"),
	UNSIGNED_FIELD(struct counter_change, before, "before", "BEFORE", FIELD_RIGHT, 0,
		       "value of the earlier reading"),
	UNSIGNED_FIELD(struct counter_change, value, "value", "VALUE", FIELD_RIGHT, 0,
		       "value of the later reading"),
	COMPUTED_FIELD(FIELD_UNSIGNED, get_growth, "growth", "GROWTH", FIELD_RIGHT, 0,
		       "what it grew by from one reading to the other"),
	REAL_COLUMN(interval_sec, 1, "interval_sec", "SECONDS", 0, 0,
		    "time between the two readings"),
	{
		FIELD_ROW(struct counter_change, rate_per_sec, struct real, FIELD_REAL,
			  "rate_per_sec", "PER SECOND", FIELD_DEFAULT | FIELD_RIGHT, 0,
			  "growth a second, in the unit"),
		.digits = 1,
		.get = get_rate,
	},
	REAL_COLUMN(gbps, 6, "throughput_gbps", "Gb/s", FIELD_DEFAULT, 0,
		    "the same of bytes on the wire, in 10^9 bits a second"),
	REAL_COLUMN(percent_of_rate, 2, "percent_of_rate", "% OF RATE", FIELD_DEFAULT, NEED_RATE,
		    "and in proportion to the active rate of the port"),
	ENUM_FIELD(struct counter_change, state, counter_change_names, "state", "STATE",
		   FIELD_DEFAULT, NEED_NETLINK | NEED_GUIDS,
		   "whether it counted, or why there is no growth to be told"),
	COMPUTED_FIELD(FIELD_STRING, get_problem, "problem", "PROBLEM", 0, 0,
		       "why it has no value now"),
};

const struct schema counter_rates_schema = {
	.name = "counter_rates",
	.version = 1,
	.summary = "how much and how fast a counter grew: counters --watch and --since",
	.fields = fields,
	.field_count = ARRAY_SIZE(fields),
	.record_size = sizeof(struct counter_change),
};
