/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/optional_counter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static void get_object(const void *record, struct value *value)
{
	const struct optional_counter *counter = record;

	snprintf(value->scratch, sizeof(value->scratch), "%s/%u", counter->device->name,
		 (unsigned int)counter->port->port.value);
	value_set_string(value, value->scratch);
}

static void get_device(const void *record, struct value *value)
{
	value_set_string(value, ((const struct optional_counter *)record)->device->name);
}

static void get_port(const void *record, struct value *value)
{
	value_set_unsigned(value, ((const struct optional_counter *)record)->port->port.value);
}

static void get_counter(const void *record, struct value *value)
{
	const struct optional_counter *counter = record;

	value_set_string(value, counter->name ? counter->name->canonical : counter->kernel_name);
}

static void get_meaning(const void *record, struct value *value)
{
	const struct counter_name *name = ((const struct optional_counter *)record)->name;

	value_set_string(value, name ? name->meaning : NULL);
}

static const struct field fields[] = {
	COMPUTED_FIELD(FIELD_STRING, get_object, "object", "OBJECT", FIELD_DEFAULT, 0,
		       "port that has it: DEV/PORT"),
	COMPUTED_FIELD(FIELD_STRING, get_device, "device", "DEVICE", 0, 0, "name of the device"),
	COMPUTED_FIELD(FIELD_UNSIGNED, get_port, "port", "PORT", FIELD_RIGHT, 0, "port number"),
	COMPUTED_FIELD(FIELD_STRING, get_counter, "counter", "COUNTER", FIELD_DEFAULT, 0,
		       "name of the counter"),
	STRING_FIELD(struct optional_counter, kernel_name, "kernel_name", "KERNEL NAME", 0, 0,
		     "what the kernel calls it"),
	BOOL_FIELD(struct optional_counter, enabled, "enabled", "ENABLED", FIELD_DEFAULT, 0,
		   "whether it counts now"),
	COMPUTED_FIELD(FIELD_STRING, get_meaning, "meaning", "MEANING", FIELD_DEFAULT, 0,
		       "what it counts"),
};

const struct schema optional_counters_schema = {
	.name = "optional_counters",
	.version = 1,
	.summary = "a counter that can be switched on and off: counters --optional",
	.fields = fields,
	.field_count = ARRAY_SIZE(fields),
	.record_size = sizeof(struct optional_counter),
};

bool optional_counter_is(const struct optional_counter *counter, const char *word)
{
	return !strcmp(counter->kernel_name, word) ||
	       (counter->name && !strcmp(counter->name->canonical, word));
}

void optional_counters_clear(struct optional_counters *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].kernel_name);
	free(list->items);
	*list = (struct optional_counters){0};
}
