/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/saved_counters.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const struct field head_fields[] = {
	STRING_FIELD(struct saved_head, time, "time", "TIME", 0, 0, "when they were read"),
	STRING_FIELD(struct saved_head, host, "host", "HOST", 0, 0, "name of the host"),
	STRING_FIELD(struct saved_head, boot_id, "boot_id", "BOOT ID", 0, 0,
		     "the kernel's boot id"),
	UNSIGNED_FIELD(struct saved_head, uptime_msec, "uptime_msec", "UPTIME", FIELD_RIGHT, 0,
		       "how long that ran already"),
};

const struct schema saved_head_schema = {
	.name = "saved_head",
	.version = 1,
	.summary = "when and where counters were saved",
	.fields = head_fields,
	.field_count = ARRAY_SIZE(head_fields),
	.record_size = sizeof(struct saved_head),
};

static const struct field fields[] = {
	STRING_FIELD(struct saved_counter, device, "device", "DEVICE", 0, 0, "name of the device"),
	UNSIGNED_FIELD(struct saved_counter, device_index, "device_index", "INDEX", FIELD_RIGHT, 0,
		       "number that the kernel gave it"),
	UNSIGNED_FIELD(struct saved_counter, node_guid, "node_guid", "NODE GUID", FIELD_RIGHT, 0,
		       "node GUID of the device, as a number"),
	UNSIGNED_FIELD(struct saved_counter, port, "port", "PORT", FIELD_RIGHT, 0, "port number"),
	STRING_FIELD(struct saved_counter, netdev, "netdev", "NETDEV", 0, 0,
		     "netdev, if it is a counter of that"),
	ENUM_FIELD(struct saved_counter, source, counter_source_names, "source", "SOURCE", 0, 0,
		   "where the kernel keeps it"),
	STRING_FIELD(struct saved_counter, counter, "counter", "COUNTER", 0, 0, "name"),
	STRING_FIELD(struct saved_counter, kernel_name, "kernel_name", "KERNEL NAME", 0, 0,
		     "the kernel's name of the counter"),
	ENUM_FIELD(struct saved_counter, unit, counter_unit_names, "unit", "UNIT", 0, 0,
		   "what it counts"),
	UNSIGNED_FIELD(struct saved_counter, value, "value", "VALUE", FIELD_RIGHT, 0, "value"),
	BOOL_FIELD(struct saved_counter, saturated, "saturated", "SATURATED", 0, 0,
		   "it was at its maximum"),
};

const struct schema saved_counters_schema = {
	.name = "saved_counters",
	.version = 1,
	.summary = "a counter that was saved",
	.fields = fields,
	.field_count = ARRAY_SIZE(fields),
	.record_size = sizeof(struct saved_counter),
};

/* Borrows a string for a record that is only shown. */
static char *borrow(const char *string)
{
	union {
		const char *borrowed;
		char *shown;
	} both = {.borrowed = string};

	return both.shown;
}

struct saved_counter saved_counter_of(const struct counter_reading *reading)
{
	return (struct saved_counter){
		.device = reading->device->name,
		.device_index = reading->device->index,
		.node_guid = reading->device->node_guid,
		.port = reading->port ? reading->port->port : (struct number){.known = false},
		.netdev = borrow(reading->netdev),
		.source = number_of(reading->source),
		.counter = borrow(reading->counter),
		.kernel_name = borrow(reading->kernel_name),
		.unit = number_of(counter_reading_unit(reading)),
		.value = reading->value,
		.saturated = !reading->value.known ? TRISTATE_UNKNOWN
			     : reading->saturated  ? TRISTATE_YES
						   : TRISTATE_NO,
	};
}

static bool is_whole(const struct saved_counter *counter)
{
	return counter->device && *counter->device && counter->source.known &&
	       counter->kernel_name && (!counter->port.known || counter->port.value <= 65535);
}

/* All devices and ports are added first, because adding more moves them in memory. */
static void add_place(struct device_list *devices, const struct saved_counter *counter)
{
	struct device *device = device_list_find(devices, counter->device);

	if (!device) {
		device = device_list_add(devices, counter->device);
		device->index = counter->device_index;
		device->node_guid = counter->node_guid;
	}
	if (counter->port.known && !device_port(device, (unsigned int)counter->port.value))
		device_add_port(device, (unsigned int)counter->port.value);
}

void saved_readings_devices(struct saved_readings *saved, const struct saved_counter *counters,
			    size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (is_whole(&counters[i]))
			add_place(&saved->devices, &counters[i]);
}

/* Skips a counter whose device or port was filtered out. */
static void add_reading(struct saved_readings *saved, const struct saved_counter *counter)
{
	const struct device *device = device_list_find(&saved->devices, counter->device);
	struct counter_reading *reading;
	const struct port *port = NULL;

	if (device && counter->port.known)
		port = device_port(device, (unsigned int)counter->port.value);
	if (!device || (counter->port.known && !port))
		return;
	reading = mem_append(&saved->readings.items, &saved->readings.count,
			     sizeof(*saved->readings.items));
	reading->device = device;
	reading->port = port;
	reading->netdev = counter->netdev;
	reading->source = (enum counter_source)counter->source.value;
	reading->kernel_name = counter->kernel_name;
	reading->name = counter_name_find_in(reading->source, counter->kernel_name);
	reading->counter = counter->counter ? counter->counter : counter->kernel_name;
	reading->value = counter->value;
	reading->saturated = counter->saturated == TRISTATE_YES;
}

void saved_readings_make(struct saved_readings *saved, const struct saved_counter *counters,
			 size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (is_whole(&counters[i]))
			add_reading(saved, &counters[i]);
}

void saved_readings_clear(struct saved_readings *saved)
{
	counter_readings_clear(&saved->readings);
	device_list_clear(&saved->devices);
}
