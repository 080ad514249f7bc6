/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The columns of the counters of queue pairs and memory regions, and of how ports count. */
#include "base/mem.h"
#include "counter/object_counters.h"
#include "resource/resource.h"
#include "schema/rows.h"

#define RECORD struct object_counter_row

/* Returns the object of a row, or an empty one. */
static const struct object_counter *object_of(const void *record)
{
	static const struct object_counter nothing;
	const struct object_counter_row *row = record;

	return row->object ? row->object : &nothing;
}

static void get_number(const struct number *number, struct value *value)
{
	if (number->known)
		value_set_unsigned(value, number->value);
}

static void get_id(const void *record, struct value *value)
{
	get_number(&object_of(record)->id, value);
}

static void get_mode(const void *record, struct value *value)
{
	if (object_of(record)->mode.known)
		value_set_word(value, qp_counting_modes, object_of(record)->mode.value);
}

static void get_type(const void *record, struct value *value)
{
	if (object_of(record)->type.known)
		value_set_word(value, qp_type_names, object_of(record)->type.value);
}

static void get_pid(const void *record, struct value *value)
{
	get_number(&object_of(record)->pid, value);
}

static void get_command(const void *record, struct value *value)
{
	value_set_string(value, object_of(record)->command);
}

static void get_qpns(const void *record, struct value *value)
{
	const struct strings *qpns = &object_of(record)->qpns;

	if (!qpns->known)
		return;
	value->kind = VALUE_LIST;
	value->list.items = (const char *const *)qpns->items;
	value->list.count = qpns->count;
}

#define OBJECT_FIELDS(help_)                                                                   \
	COMPUTED_FIELD(FIELD_STRING, counter_get_object, "object", "OBJECT", SHOWN, 0, help_), \
		COMPUTED_FIELD(FIELD_STRING, counter_get_device, "device", "DEVICE", 0, 0,     \
			       "name of the device")
#define OWNER_FIELDS(help_)                                                                   \
	COMPUTED_FIELD(FIELD_UNSIGNED, get_pid, "pid", "PID", SHOWN | FIELD_RIGHT, 0, help_), \
		COMPUTED_FIELD(FIELD_STRING, get_command, "command", "COMMAND", SHOWN, 0,     \
			       "name of the process, or of the kernel's part in brackets")
#define COUNTER_FIELDS                                                                             \
	COMPUTED_FIELD(FIELD_STRING, counter_get_counter, "counter", "COUNTER", SHOWN, 0,          \
		       "its name, the same for all drivers; else the kernel's"),                   \
		NUMBER_AS("value", change.value, "VALUE", SHOWN, 0, "how much it has counted"),    \
		COMPUTED_ENUM_FIELD(counter_get_unit, counter_unit_names, "unit", "UNIT", SHOWN,   \
				    "what the value counts"),                                      \
		NUMBER_AS("growth", change.growth, "GROWTH", 0, 0,                                 \
			  "growth since the previous round; only with --watch"),                   \
		REAL_FIELD(RECORD, change.rate_per_sec, "rate_per_sec", "PER SECOND", FIELD_RIGHT, \
			   0, "growth per second; only with --watch"),                             \
		TEXT_AS("time", change.time, "TIME", 0, 0, "when it was read; only with --watch"), \
		COMPUTED_ENUM_FIELD(counter_get_severity, counter_severity_names, "severity",      \
				    "SEVERITY", 0, "how serious it is that it grows"),             \
		COMPUTED_ENUM_FIELD(counter_get_group, counter_group_names, "group", "GROUP", 0,   \
				    "its subject"),                                                \
		COMPUTED_FIELD(FIELD_STRING, counter_get_kernel_name, "kernel_name",               \
			       "KERNEL NAME", 0, 0, "the kernel's name of the counter"),           \
		COMPUTED_FIELD(FIELD_STRING, counter_get_meaning, "meaning", "MEANING", 0, 0,      \
			       "what it counts, in a sentence")

static const struct field qp_fields[] = {
	OBJECT_FIELDS("port of the queue pairs: DEV/PORT"),
	COMPUTED_FIELD(FIELD_UNSIGNED, counter_get_port, "port", "PORT", FIELD_RIGHT, 0,
		       "port number"),
	COMPUTED_FIELD(FIELD_UNSIGNED, get_id, "counter_id", "ID", SHOWN | FIELD_RIGHT, 0,
		       "number of the counter"),
	COMPUTED_ENUM_FIELD(get_mode, qp_counting_modes, "mode", "MODE", 0,
			    "how queue pairs were bound to it"),
	COMPUTED_ENUM_FIELD(get_type, qp_type_names, "type", "TYPE", SHOWN,
			    "type of queue pair that it is for; none: any type"),
	OWNER_FIELDS("process that it is for; none: any process"),
	COMPUTED_FIELD(FIELD_LIST, get_qpns, "qpns", "QPNS", SHOWN, 0,
		       "queue pairs that are bound to it now"),
	COUNTER_FIELDS,
};

static const struct column_view qp_views[] = {
	{"--watch", "time,object,counter_id,pid,command,counter,growth,rate_per_sec"},
	{NULL, NULL},
};

const struct schema qp_counter_schema = SCHEMA("qp_counters", RECORD, qp_fields,
					       "a counter that queue pairs are bound to",
					       .views = qp_views);

static const struct field mr_fields[] = {
	OBJECT_FIELDS("device of the memory region"),
	COMPUTED_FIELD(FIELD_UNSIGNED, get_id, "mrn", "MRN", SHOWN | FIELD_RIGHT, 0,
		       "number of the memory region"),
	OWNER_FIELDS("process that made it, in this PID namespace"),
	COUNTER_FIELDS,
};

static const struct column_view mr_views[] = {
	{"--watch", "time,object,mrn,pid,command,counter,growth,rate_per_sec"},
	{NULL, NULL},
};

const struct schema mr_counter_schema = SCHEMA("mr_counters", RECORD, mr_fields,
					       "a counter of a memory region with on-demand paging",
					       .views = mr_views);

#undef RECORD
#define RECORD struct qp_counting

static const struct field counting_fields[] = {
	COMPUTED_FIELD(FIELD_STRING, counter_get_object, "object", "OBJECT", SHOWN, 0, "the port"),
	COMPUTED_FIELD(FIELD_STRING, counter_get_device, "device", "DEVICE", 0, 0,
		       "name of the device"),
	COMPUTED_FIELD(FIELD_UNSIGNED, counter_get_port, "port", "PORT", FIELD_RIGHT, 0,
		       "port number"),
	WORD(mode, qp_counting_modes, "MODE", SHOWN, 0, "how queue pairs are bound to counters"),
	FLAGS_AS("by", mask, qp_counting_masks, "BY", SHOWN, 0,
		 "in auto mode: what each counter is for"),
	YES_NO(optional, "OPTIONAL", 0, 0,
	       "in auto mode: whether they count what the optional counters do (Linux 6.15)"),
};
#undef RECORD

const struct schema qp_counting_schema = SCHEMA("qp_counting", struct qp_counting, counting_fields,
						"how a port counts its queue pairs");
