/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/optional_counters.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "counter/nldev_stat.h"

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
		     "the kernel's name of the counter"),
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

struct reader {
	const struct inventory *inventory;
	struct optional_counters *list;
	struct problems *problems, *notes;
};

static void take(void *context, const struct port *port, struct nldev_counter_states *states)
{
	const struct reader *reader = context;
	const struct device *device = device_list_find(&reader->inventory->devices, port->device);

	for (size_t i = 0; device && i < states->count; i++) {
		struct nldev_counter_state *state = &states->items[i];
		struct optional_counter *counter;

		if (state->active == TRISTATE_UNKNOWN)
			continue;
		counter = mem_append(&reader->list->items, &reader->list->count,
				     sizeof(*reader->list->items));
		counter->device = device;
		counter->port = port;
		counter->kernel_name = state->name;
		counter->name = counter_name_find_in(COUNTER_SOURCE_HW, state->name);
		counter->index = state->index;
		counter->enabled = state->active;
		state->name = NULL;
	}
}

static void fail(void *context, const struct port *port, int error, const char *text)
{
	const struct reader *reader = context;
	_cleanup_(freep) char *object = mem_format("%s/%u", port->device,
						   (unsigned int)port->port.value);
	/* A driver without counters, or a kernel before 5.16, returns one of these. */
	const bool none = error == -EINVAL || error == -EOPNOTSUPP;

	problem_add_text(none ? reader->notes : reader->problems, object, "optional counters",
			 "nldev", text ? text : strerror(-error), NULL);
}

void optional_counters_read(struct netlink *nldev, const struct inventory *inventory,
			    struct optional_counters *list, struct problems *problems,
			    struct problems *notes)
{
	struct reader reader = {
		.inventory = inventory, .list = list, .problems = problems, .notes = notes};

	nldev_get_counter_states(nldev, &inventory->devices, take, fail, &reader);
}

int optional_counters_switch(struct netlink *nldev, const struct optional_counter *counters,
			     size_t count, char **ret_text)
{
	_cleanup_(freep) uint32_t *indexes = mem_alloc_zero(count, sizeof(*indexes));
	size_t enabled = 0;

	for (size_t i = 0; i < count; i++)
		if (counters[i].enabled == TRISTATE_YES)
			indexes[enabled++] = (uint32_t)counters[i].index.value;
	return nldev_set_counters(nldev, counters[0].device, counters[0].port, indexes, enabled,
				  ret_text);
}
