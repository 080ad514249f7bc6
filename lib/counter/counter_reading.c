/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/counter_reading.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/need.h"

const struct counter_name *counter_reading_name(const struct counter_reading *reading)
{
	static const struct counter_name unknown = {
		.unit = COUNTER_UNIT_NUMBER,
		.group = COUNTER_GROUP_OTHER,
	};

	return reading->name ?: &unknown;
}

/*
 * Data and packet counters have 32 or 64 bits, and the kernel does not say which. `known` is 64 if
 * another source says so; otherwise only a value that fills or exceeds 32 bits tells.
 */
static unsigned int data_bits(unsigned int known, uint64_t kernel_value)
{
	if (known == 64 || kernel_value > UINT32_MAX)
		return 64;
	return kernel_value == UINT32_MAX ? 32 : 0;
}

void counter_reading_set(struct counter_reading *reading, uint64_t kernel_value)
{
	const struct counter_name *name = reading->name;
	uint64_t factor = name && name->factor ? name->factor : 1;
	unsigned int bits = 0;

	if (name && name->kind == COUNTER_SATURATING)
		bits = name->width_bits ? name->width_bits
					: data_bits(reading->width_bits, kernel_value);
	reading->saturated = bits && kernel_value >= UINT64_MAX >> (64 - bits);
	reading->width_bits = (unsigned char)bits;
	if (kernel_value > UINT64_MAX / factor) {
		reading->saturated = true;
		number_set(&reading->value, UINT64_MAX);
	} else {
		number_set(&reading->value, kernel_value * factor);
	}
}

int counter_reading_compare(const struct counter_reading *a, const struct counter_reading *b)
{
	int order = COMPARE(a->source, b->source) ?: strcmp(a->kernel_name, b->kernel_name);

	if (order)
		return order;
	if (a->netdev && b->netdev)
		return strcmp(a->netdev, b->netdev);
	order = !a->netdev - !b->netdev ?: strcmp(a->device->kernel_name, b->device->kernel_name)
							   ?: !a->port - !b->port;
	if (order || !a->port)
		return order;
	return COMPARE(a->port->port.value, b->port->port.value);
}

struct number counter_reading_growth(const struct counter_reading *before,
				     const struct counter_reading *after)
{
	if (!before->value.known || !after->value.known || after->saturated ||
	    counter_reading_name(after)->kind == COUNTER_GAUGE ||
	    after->value.value < before->value.value)
		return (struct number){.known = false};
	return number_of(after->value.value - before->value.value);
}

/* The readings of a port are adjacent, the driver's after the agent's. */
static bool is_counted_by_driver(const struct counter_readings *readings, size_t agent)
{
	const struct counter_reading *reading = &readings->items[agent];

	for (size_t i = agent + 1; i < readings->count; i++) {
		const struct counter_reading *other = &readings->items[i];

		if (other->port != reading->port)
			return false;
		if (other->source == COUNTER_SOURCE_HW && !strcmp(other->counter, reading->counter))
			return true;
	}
	return false;
}

/*
 * The agent that bnxt_re has had since Linux 6.15 truncates the driver's error counters to 8 and 16
 * bits (bnxt_re_assign_pma_port_counters()), so prefer the driver's.
 */
static bool is_of_agent_and_driver(const struct counter_readings *readings, size_t which)
{
	return readings->items[which].source == COUNTER_SOURCE_PMA &&
	       is_counted_by_driver(readings, which);
}

/*
 * A counter may be in both folders of a driver (hw_counters, diag_counters), or in one of them
 * under two names.
 */
static bool is_kept_already(const struct counter_readings *readings, size_t first, size_t kept,
			    const struct counter_reading *reading)
{
	for (size_t i = kept; i-- > first;) {
		const struct counter_reading *other = &readings->items[i];

		if (other->source != reading->source || other->device != reading->device ||
		    other->port != reading->port)
			return false;
		if (other->value.known && !strcmp(other->counter, reading->counter))
			return true;
	}
	return false;
}

void counter_readings_leave_out_repeated(struct counter_readings *readings, size_t first)
{
	size_t kept = first;

	for (size_t i = first; i < readings->count; i++)
		if (!is_of_agent_and_driver(readings, i) &&
		    !is_kept_already(readings, first, kept, &readings->items[i]))
			readings->items[kept++] = readings->items[i];
	readings->count = kept;
}

void counter_readings_clear(struct counter_readings *readings)
{
	free(readings->items);
	*readings = (struct counter_readings){0};
}

void counter_get_object(const void *record, struct value *value)
{
	const struct counter_reading *reading = record;

	if (reading->netdev) {
		value_set_string(value, reading->netdev);
		return;
	}
	if (!reading->device)
		return;
	if (reading->port)
		snprintf(value->scratch, sizeof(value->scratch), "%s/%u", reading->device->name,
			 (unsigned int)reading->port->port.value);
	else
		snprintf(value->scratch, sizeof(value->scratch), "%s", reading->device->name);
	value_set_string(value, value->scratch);
}

char *counter_reading_object(const struct counter_reading *reading)
{
	struct value value = {.kind = VALUE_NONE};

	counter_get_object(reading, &value);
	return mem_string(value.kind == VALUE_STRING ? value.string : "-");
}

/* Getters of texts; NULL: there is none. */
#define GET_TEXT(get_, text_)                                   \
	void get_(const void *record, struct value *value)      \
	{                                                       \
		const struct counter_reading *reading = record; \
                                                                \
		value_set_string(value, text_);                 \
	}
GET_TEXT(counter_get_device, reading->device ? reading->device->name : NULL)
GET_TEXT(counter_get_counter, reading->counter)
GET_TEXT(counter_get_kernel_name, reading->kernel_name)
GET_TEXT(counter_get_meaning, reading->name ? reading->name->meaning : NULL)
GET_TEXT(counter_get_problem, reading->problem)

void counter_get_port(const void *record, struct value *value)
{
	const struct counter_reading *reading = record;

	if (reading->port && reading->port->port.known)
		value_set_unsigned(value, reading->port->port.value);
}

static void get_netdev(const void *record, struct value *value)
{
	const struct counter_reading *reading = record;

	if (reading->netdev)
		value_set_string(value, reading->netdev);
	else if (reading->port)
		value_set_string(value, reading->port->netdev);
}

void counter_get_source(const void *record, struct value *value)
{
	const struct counter_reading *reading = record;

	if (reading->counter)
		value_set_word(value, counter_source_names, reading->source);
}

static void get_interface(const void *record, struct value *value)
{
	const struct counter_reading *reading = record;

	if (!reading->counter)
		return;
	if (!reading->netlink)
		value_set_string(value, "sysfs");
	else
		value_set_string(value,
				 reading->source == COUNTER_SOURCE_NETDEV ? "rtnetlink" : "nldev");
}

/* A saturated value is only a lower bound: tables mark it; programs read `saturated`. */
static void get_value(const void *record, struct value *value)
{
	const struct counter_reading *reading = record;

	if (!reading->value.known)
		return;
	if (reading->saturated && reading->mark) {
		snprintf(value->scratch, sizeof(value->scratch), ">=%" PRIu64,
			 reading->value.value);
		value_set_string(value, value->scratch);
		value->tone = TONE_WARNING;
		return;
	}
	value_set_unsigned(value, reading->value.value);
	if (reading->value.value)
		value->tone = enum_find(counter_severity_names,
					counter_reading_name(reading)->severity)
				      ->tone;
}

void counter_get_group(const void *record, struct value *value)
{
	const struct counter_reading *reading = record;

	if (reading->counter)
		value_set_word(value, counter_group_names, counter_reading_name(reading)->group);
}

/* Getters for what the catalogue says about the counter, if it has the name. */
#define GET(linkage_, get_, member_, names_)                                                      \
	linkage_ void get_(const void *record, struct value *value)                               \
	{                                                                                         \
		const struct counter_name *name = ((const struct counter_reading *)record)->name; \
                                                                                                  \
		if (name)                                                                         \
			value_set_word(value, names_, name->member_);                             \
	}
GET(extern, counter_get_unit, unit, counter_unit_names)
GET(extern, counter_get_severity, severity, counter_severity_names)
GET(extern, counter_get_direction, direction, counter_direction_names)
GET(static, get_kind, kind, counter_kind_names)

static void get_drop(const void *record, struct value *value)
{
	const struct counter_reading *reading = record;

	if (reading->name)
		value_set_bool(value, counter_name_counts_loss(reading->name));
}

static void get_width(const void *record, struct value *value)
{
	const struct counter_reading *reading = record;

	if (reading->width_bits)
		value_set_unsigned(value, reading->width_bits);
}

static void get_saturated(const void *record, struct value *value)
{
	const struct counter_reading *reading = record;

	if (reading->value.known)
		value_set_bool(value, reading->saturated);
}

static const struct field fields[] = {
	COMPUTED_FIELD(FIELD_STRING, counter_get_object, "object", "OBJECT", FIELD_DEFAULT, 0,
		       "object of the counter: DEV/PORT, DEV or a netdev"),
	COMPUTED_FIELD(FIELD_STRING, counter_get_device, "device", "DEVICE", 0, 0, "RDMA device"),
	COMPUTED_FIELD(FIELD_UNSIGNED, counter_get_port, "port", "PORT", FIELD_RIGHT, 0,
		       "port of the device; none for a counter of the device"),
	COMPUTED_FIELD(FIELD_STRING, get_netdev, "netdev", "NETDEV", 0, NEED_NETDEV,
		       "network device of the port"),
	COMPUTED_FIELD(FIELD_STRING, counter_get_counter, "counter", "COUNTER", FIELD_DEFAULT, 0,
		       "its name, the same for all drivers; else the kernel's"),
	COMPUTED_FIELD(FIELD_UNSIGNED, get_value, "value", "VALUE", FIELD_DEFAULT | FIELD_RIGHT, 0,
		       "how much it has counted, in its unit"),
	COMPUTED_ENUM_FIELD(counter_get_unit, counter_unit_names, "unit", "UNIT", FIELD_DEFAULT,
			    "what the value counts"),
	COMPUTED_FIELD(FIELD_BOOL, get_saturated, "saturated", "SATURATED", 0, 0,
		       "it stopped at its maximum: the true value is at least this"),
	COMPUTED_ENUM_FIELD(counter_get_severity, counter_severity_names, "severity", "SEVERITY",
			    FIELD_DEFAULT, "how serious it is that it grows"),
	COMPUTED_ENUM_FIELD(counter_get_group, counter_group_names, "group", "GROUP", 0,
			    "its subject"),
	COMPUTED_ENUM_FIELD(counter_get_direction, counter_direction_names, "direction",
			    "DIRECTION", 0, "direction of what it counts, seen from the port"),
	COMPUTED_ENUM_FIELD(get_kind, counter_kind_names, "kind", "KIND", 0, "how it counts"),
	COMPUTED_FIELD(FIELD_UNSIGNED, get_width, "width_bits", "WIDTH BITS", FIELD_RIGHT, 0,
		       "bits of a counter that stops at its maximum"),
	COMPUTED_FIELD(FIELD_BOOL, get_drop, "drop", "DROP", 0, 0, "it counts lost packets"),
	COMPUTED_FIELD(FIELD_STRING, counter_get_kernel_name, "kernel_name", "KERNEL NAME", 0, 0,
		       "the kernel's name of the counter"),
	COMPUTED_ENUM_FIELD(counter_get_source, counter_source_names, "source", "SOURCE", 0,
			    "who counts"),
	COMPUTED_FIELD(FIELD_STRING, get_interface, "interface", "INTERFACE", 0, 0,
		       "how it was read: sysfs, nldev, rtnetlink"),
	COMPUTED_FIELD(FIELD_STRING, counter_get_problem, "problem", "PROBLEM", 0, 0,
		       "why the value is unknown, or that the port has no counters"),
	COMPUTED_FIELD(FIELD_STRING, counter_get_meaning, "meaning", "MEANING", 0, 0,
		       "what it counts, in a sentence"),
};

static const struct column_view views[] = {
	{"--errors", "object,counter,value,severity,meaning"},
	{"--drops", "object,netdev,counter,value,meaning"},
	{NULL, NULL},
};

const struct schema counter_schema = SCHEMA("counters", struct counter_reading, fields,
					    "a counter of a port, a device or a netdev",
					    .views = views);

static bool is_named(const struct counter_name *row, const char *name)
{
	return !strcmp(row->name, name) || !strcmp(row->canonical, name) ||
	       counter_name_matches(row->name, name) || counter_name_matches(row->canonical, name);
}

static struct counter_meaning *meaning_of(struct counter_meanings *meanings,
					  const struct counter_name *row)
{
	struct counter_meaning *meaning;

	for (size_t i = 0; i < meanings->count; i++)
		if (!strcmp(meanings->items[i].reading.counter, row->canonical) &&
		    !strcmp(meanings->items[i].reading.name->meaning, row->meaning))
			return &meanings->items[i];
	meaning = mem_append(&meanings->items, &meanings->count, sizeof(*meanings->items));
	meaning->reading.name = row;
	meaning->reading.counter = row->canonical;
	meaning->reading.width_bits = row->width_bits;
	return meaning;
}

static void add(struct counter_meanings *meanings, const struct counter_names *table,
		const struct counter_name *row)
{
	struct counter_meaning *meaning = meaning_of(meanings, row);
	const char *driver = table->driver
				     ? table->driver
				     : enum_word(counter_source_names, table->source, "other");
	_cleanup_(freep) char *alias = mem_format("%s:%s", driver, row->name);

	strings_add(&meaning->aliases, alias);
}

static void find_canonicals(struct strings *canonicals, const char *name)
{
	for (size_t i = 0; counter_catalogue[i]; i++)
		for_each_in (row, counter_catalogue[i]->rows, counter_catalogue[i]->count) {
			if (is_named(row, name) && !strings_contain(canonicals, row->canonical))
				strings_add(canonicals, row->canonical);
		}
}

static const char *find_closest(const char *name)
{
	const char *closest, **words;
	size_t count = 0, most = 0;

	for (size_t i = 0; counter_catalogue[i]; i++)
		most += 2 * counter_catalogue[i]->count;
	words = mem_alloc_zero(most, sizeof(*words));
	for (size_t i = 0; counter_catalogue[i]; i++)
		for (size_t j = 0; j < counter_catalogue[i]->count; j++) {
			words[count++] = counter_catalogue[i]->rows[j].canonical;
			words[count++] = counter_catalogue[i]->rows[j].name;
		}
	closest = text_closest(name, words, count);
	free(words);
	return closest;
}

bool counter_meanings_find(struct counter_meanings *meanings, const char *name,
			   const char **ret_closest)
{
	struct strings canonicals = {0};
	bool found;

	find_canonicals(&canonicals, name);
	for (size_t i = 0; counter_catalogue[i]; i++)
		for_each_in (row, counter_catalogue[i]->rows, counter_catalogue[i]->count) {
			if (strings_contain(&canonicals, row->canonical))
				add(meanings, counter_catalogue[i], row);
		}
	found = canonicals.count;
	strings_free(&canonicals);
	if (!found)
		*ret_closest = find_closest(name);
	return found;
}

static const struct field meaning_fields[] = {
	COMPUTED_FIELD(FIELD_STRING, counter_get_counter, "counter", "COUNTER", FIELD_DEFAULT, 0,
		       "its name, the same for all drivers; * is a number"),
	COMPUTED_FIELD(FIELD_STRING, counter_get_meaning, "meaning", "MEANING", FIELD_DEFAULT, 0,
		       "what it counts, in a sentence"),
	COMPUTED_ENUM_FIELD(counter_get_unit, counter_unit_names, "unit", "UNIT", FIELD_DEFAULT,
			    "what the value counts"),
	COMPUTED_ENUM_FIELD(get_kind, counter_kind_names, "kind", "KIND", FIELD_DEFAULT,
			    "how it counts"),
	COMPUTED_FIELD(FIELD_UNSIGNED, get_width, "width_bits", "WIDTH BITS", FIELD_DEFAULT, 0,
		       "bits of a counter that stops at its maximum, if the same on all devices"),
	COMPUTED_ENUM_FIELD(counter_get_direction, counter_direction_names, "direction",
			    "DIRECTION", FIELD_DEFAULT,
			    "direction of what it counts, seen from the port"),
	COMPUTED_ENUM_FIELD(counter_get_severity, counter_severity_names, "severity", "SEVERITY",
			    FIELD_DEFAULT, "how serious it is that it grows"),
	COMPUTED_ENUM_FIELD(counter_get_group, counter_group_names, "group", "GROUP", FIELD_DEFAULT,
			    "its subject"),
	COMPUTED_FIELD(FIELD_BOOL, get_drop, "drop", "DROP", FIELD_DEFAULT, 0,
		       "it counts lost packets"),
	LIST_FIELD(struct counter_meaning, aliases, "aliases", "ALIASES", FIELD_DEFAULT, 0,
		   "its names in the kernel, by driver or source"),
};

const struct schema counter_meaning_schema = SCHEMA("counter_meanings", struct counter_meaning,
						    meaning_fields,
						    "the meaning of a counter's name");

void counter_meanings_clear(struct counter_meanings *meanings)
{
	records_clear(&counter_meaning_schema, &(struct records){meanings->items, meanings->count});
	*meanings = (struct counter_meanings){0};
}
