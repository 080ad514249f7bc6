/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/saved.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/clock.h"
#include "host/host.h"
#include "kernel/sysfs.h"
#include "render/json_read.h"
#include "render/render.h"

static const struct field head_fields[] = {
	STRING_FIELD(struct saved_head, time, "time", "TIME", 0, 0, "when they were read"),
	STRING_FIELD(struct saved_head, host, "host", "HOST", 0, 0, "name of the host"),
	STRING_FIELD(struct saved_head, boot_id, "boot_id", "BOOT ID", 0, 0,
		     "the kernel's boot id"),
	UNSIGNED_FIELD(struct saved_head, uptime_msec, "uptime_msec", "UPTIME", FIELD_RIGHT, 0,
		       "how long the kernel had been up"),
};

const struct schema saved_head_schema = SCHEMA("saved_head", struct saved_head, head_fields,
					       "when and where counters were saved");

/* The part of a snapshot's manifest (lib/snapshot/manifest.c) that is used here: the time. */
static const struct schema told_schema = {
	.name = "snapshot",
	.version = 1,
	.record_size = sizeof(struct saved_head),
	.fields = head_fields,
	.field_count = 1,
};
static const struct schema no_head = {.name = "none"};

enum { MOST_OF_MANIFEST = 16 << 20 };

/*
 * Returns when the files of a folder were read: when the snapshot (kernel/root.h) was taken, if it
 * is one; otherwise now.
 */
static char *time_of(const char *root_directory)
{
	_cleanup_(freep) char *path = NULL, *text = NULL, *message = NULL;
	struct saved_head *told = NULL;
	size_t length, count = 0;
	struct stat status;
	char *time = NULL;

	if (root_directory)
		path = mem_format("%s/manifest.json", root_directory);
	if (!path || lstat(path, &status) || !S_ISREG(status.st_mode))
		return utc_now();
	if (file_read(path, MOST_OF_MANIFEST, &text, &length) ||
	    json_read(text, length, &no_head, NULL, &told_schema, (void **)&told, &count, &message))
		return NULL;
	if (count == 1) {
		time = told[0].time;
		told[0].time = NULL;
	}
	records_clear(&told_schema, &(struct records){told, count});
	return time;
}

void saved_head_read(const char *root_directory, struct saved_head *head)
{
	struct root root;

	head->time = time_of(root_directory);
	if (!root_directory) {
		head->host = host_name();
		number_set(&head->uptime_msec, clock_boot_nsec() / 1000000);
	}
	if (root_open(root_directory, &root))
		return;
	if (!head->host)
		head->host = sysfs_text(&root, "proc/sys/kernel/hostname");
	head->boot_id = sysfs_text(&root, "proc/sys/kernel/random/boot_id");
	root_close(&root);
}

void saved_head_clear(struct saved_head *head)
{
	record_clear(&saved_head_schema, head);
	*head = (struct saved_head){.time = NULL};
}

static bool differ(const char *then, const char *now)
{
	return then && now && strcmp(then, now) != 0;
}

bool saved_is_of_other_boot(const struct saved_head *then, const struct saved_head *now)
{
	return differ(then->boot_id, now->boot_id);
}

bool saved_is_of_other_host(const struct saved_head *then, const struct saved_head *now)
{
	const bool same_boot = then->boot_id && now->boot_id &&
			       !differ(then->boot_id, now->boot_id);

	return differ(then->host, now->host) && !same_boot;
}

char *saved_objection(const char *path, const struct saved_head *then, const struct saved_head *now,
		      const char **ret_hint)
{
	if (saved_is_of_other_host(then, now)) {
		*ret_hint = "compare with what was saved here: rdmactl counters --save FILE";
		return mem_format("%s was saved on the host %s, and this is %s", path, then->host,
				  now->host);
	}
	if (!saved_is_of_other_boot(then, now))
		return NULL;
	*ret_hint = "save again: rdmactl counters --save FILE";
	return mem_format("the host was restarted after %s was saved (%s): its counters started "
			  "again",
			  path, then->time ? then->time : "?");
}

double saved_seconds_between(const struct saved_head *then, const struct saved_head *now)
{
	uint64_t before, after;

	/* The uptime is right even if the clock was set in between. */
	if (then->boot_id && now->boot_id && !strcmp(then->boot_id, now->boot_id) &&
	    then->uptime_msec.known && now->uptime_msec.known) {
		before = then->uptime_msec.value;
		after = now->uptime_msec.value;
	} else if (!then->time || !now->time || !utc_parse(then->time, &before) ||
		   !utc_parse(now->time, &after)) {
		return 0;
	}
	return after > before ? (double)(after - before) / 1000 : 0;
}

int saved_list_read(struct saved_list *list, const char *path, const struct saved_kind *kind,
		    char **ret_message)
{
	_cleanup_(freep) char *text = NULL, *message = NULL;
	size_t length;
	int rc = file_read(path, kind->most_bytes, &text, &length);

	if (rc) {
		*ret_message = mem_format("cannot read %s: %s", path, strerror(-rc));
		return rc;
	}
	*list = (struct saved_list){.count = 0};
	rc = json_read(text, length, &saved_head_schema, &list->head, kind->schema, &list->records,
		       &list->count, &message);
	if (rc && message)
		*ret_message = mem_format("cannot use %s: %s", path, message);
	else if (rc)
		*ret_message = mem_format("cannot use %s: its format is not that of %s", path,
					  kind->command);
	return rc;
}

struct content {
	const struct saved_list *list;
	const struct schema *schema;
};

static int write_content(void *context, FILE *file)
{
	const struct content *content = context;
	const struct saved_list *list = content->list;
	const struct render_options options = {.format = FORMAT_JSON};
	const struct problems none = {.count = 0};
	_cleanup_(freep) const void **rows = mem_alloc_zero(list->count + 1, sizeof(*rows));
	_cleanup_(columns_free) struct columns head_columns = columns_of(&saved_head_schema,
									 COLUMNS_ALL);
	_cleanup_(columns_free) struct columns columns = columns_of(content->schema, COLUMNS_ALL);

	for (size_t i = 0; i < list->count; i++)
		rows[i] = (const char *)list->records + i * content->schema->record_size;
	return render(file, &options,
		      &(struct document){
			      .columns = &columns,
			      .rows = rows,
			      .row_count = list->count,
			      .problems = &none,
			      .head_columns = &head_columns,
			      .head = &list->head,
		      });
}

int saved_list_write(const struct saved_list *list, const char *path, const struct saved_kind *kind)
{
	struct content content = {list, kind->schema};

	return file_replace(path, write_content, &content);
}

void saved_list_clear(struct saved_list *list, const struct schema *schema)
{
	records_clear(schema, &(struct records){list->records, list->count});
	saved_head_clear(&list->head);
	*list = (struct saved_list){.count = 0};
}

static const struct field fields[] = {
	STRING_FIELD(struct saved_counter, device, "device", "DEVICE", 0, 0, "name of the device"),
	UNSIGNED_FIELD(struct saved_counter, device_index, "device_index", "INDEX", FIELD_RIGHT, 0,
		       "number that the kernel gave it"),
	UNSIGNED_FIELD(struct saved_counter, node_guid, "node_guid", "NODE GUID", FIELD_RIGHT, 0,
		       "node GUID of the device, as a number"),
	UNSIGNED_FIELD(struct saved_counter, port, "port", "PORT", FIELD_RIGHT, 0, "port number"),
	STRING_FIELD(struct saved_counter, netdev, "netdev", "NETDEV", 0, 0,
		     "netdev, for a counter of a netdev"),
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

const struct schema saved_counters_schema = SCHEMA("saved_counters", struct saved_counter, fields,
						   "a counter that was saved");

/* A counter takes about 300 bytes: the limit is a hundred thousand of them. */
const struct saved_kind saved_counters_kind = {
	.schema = &saved_counters_schema,
	.command = "rdmactl counters --save",
	.most_bytes = (size_t)32 * 1024 * 1024,
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
		.unit = number_of(counter_reading_name(reading)->unit),
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

/* Orders by device and port, those without a port first. */
static int compare_places(const void *a, const void *b)
{
	const struct saved_counter *one = *(const struct saved_counter *const *)a;
	const struct saved_counter *other = *(const struct saved_counter *const *)b;

	return strcmp(one->device, other->device)
		       ?: one->port.known - other->port.known
		       ?: COMPARE(one->port.value, other->port.value);
}

/*
 * All devices and ports are added first, because adding more moves them in memory. They are sorted:
 * a file may have a hundred thousand counters, so each finds its device and port by bisection.
 */
void saved_readings_devices(struct saved_readings *saved, const struct saved_counter *counters,
			    size_t count)
{
	_cleanup_(freep)
		const struct saved_counter **sorted = mem_alloc_zero(count + 1, sizeof(*sorted));
	const struct saved_counter *last = NULL;
	struct device *device = NULL;
	size_t whole = 0;

	for (size_t i = 0; i < count; i++)
		if (is_whole(&counters[i]))
			sorted[whole++] = &counters[i];
	qsort(sorted, whole, sizeof(*sorted), compare_places);
	for (size_t i = 0; i < whole; last = sorted[i++]) {
		if (!last || strcmp(last->device, sorted[i]->device)) {
			device = device_list_add(&saved->devices, sorted[i]->device);
			device->index = sorted[i]->device_index;
			device->node_guid = sorted[i]->node_guid;
		}
		if (sorted[i]->port.known && (!last || compare_places(&last, &sorted[i])))
			device_add_port(device, (unsigned int)sorted[i]->port.value);
	}
}

static int compare_device(const void *name, const void *device)
{
	return strcmp(name, ((const struct device *)device)->name);
}

static int compare_port(const void *number, const void *port)
{
	return COMPARE(*(const uint64_t *)number, ((const struct port *)port)->port.value);
}

/* Skips a counter whose device or port was filtered out. */
static void add_reading(struct saved_readings *saved, const struct saved_counter *counter)
{
	const struct device_list *devices = &saved->devices;
	const struct device *device = devices->count ? bsearch(counter->device, devices->items,
							       devices->count, sizeof(*device),
							       compare_device)
						     : NULL;
	struct counter_reading *reading;
	const struct port *port = NULL;

	if (device && device->port_count && counter->port.known)
		port = bsearch(&counter->port.value, device->ports, device->port_count,
			       sizeof(*port), compare_port);
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
