/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "doctor/frame/growth.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "counter/counter_change.h"
#include "counter/counters.h"
#include "counter/saved.h"
#include "doctor/frame/check.h"
#include "doctor/frame/doctor.h"
#include "doctor/port/port_facts.h"
#include "kernel/sysfs.h"

/* ---- The sources that are counters of ports and netdevs ---- */

enum { CACHE_MOST_MSEC = 10000 }; /* set_stats_lifespan(), core/sysfs.c */

struct doctor_counters {
	struct inventory inventory;    /* the devices that may be read; only their array is owned */
	struct counter_loader *loader; /* NULL: the root cannot be opened */
};

/* Selects faults of the link, and packets damaged by it. */
static bool wants(const void *context, enum counter_source source, const char *kernel_name,
		  const struct counter_name *name)
{
	(void)context;
	(void)source;
	(void)kernel_name;
	return name && name->severity >= COUNTER_WARNING &&
	       (name->group == COUNTER_GROUP_LINK || name->group == COUNTER_GROUP_ERRORS);
}

static void open_loader(struct doctor_facts *facts)
{
	struct doctor_counters *counters = mem_alloc_zero(1, sizeof(*counters));
	struct device_list *devices = &counters->inventory.devices;
	const struct counters_request what = {
		.root = facts->request->root,
		.inventory = &counters->inventory,
		.sources = 1 << COUNTER_SOURCE_PMA | 1 << COUNTER_SOURCE_HW |
			   1 << COUNTER_SOURCE_NETDEV,
		.wants = wants,
	};

	facts->growth->counters = counters;
	for_each (device, &facts->inventory.devices)
		if (!doctor_counters_are_restricted(facts, device))
			MEM_ADD(devices->items, devices->count) = *device;
	counters->inventory.answers = facts->inventory.answers;
	if (counter_loader_open(&what, &counters->loader))
		counters->loader = NULL;
}

static void add(struct growth_reading *reading, const struct counter_reading *counter)
{
	_cleanup_(freep) char *object = NULL;
	struct growth_value *value;

	if (!counter->counter)
		return;
	object = counter_reading_object(counter);
	value = growth_add(reading, counter->value.value, "%s %s %s", object,
			   enum_word(counter_source_names, counter->source, "other"),
			   counter->counter);
	if (!counter->value.known)
		value->state = GROWTH_UNREADABLE;
	else if (counter->saturated)
		value->state = GROWTH_SATURATED;
}

/*
 * Reads the ports' counters of faults, under the key "OBJECT SOURCE NAME" with the words that
 * `counters` shows ("mlx5_0/1 pma symbol_errors", "eth2 netdev rx_crc_errors"). Ports whose
 * counters must not be read are skipped: see doctor/port/port_facts.h. Read errors are not problems
 * here: the check reports them for the ports that matter to it.
 */
static void read_counters(struct doctor_facts *facts, struct growth_reading *reading)
{
	struct counter_readings readings = {.items = NULL};

	if (!facts->growth->counters)
		open_loader(facts);
	if (!facts->growth->counters->loader)
		return;
	counter_loader_read(facts->growth->counters->loader, &readings, NULL, NULL);
	for_each (counter, &readings)
		add(reading, counter);
	counter_readings_clear(&readings);
}

/*
 * Returns how long a driver may answer from its cache, in milliseconds, for the ports whose
 * counters were read: update_hw_stats(), core/sysfs.c.
 */
static uint64_t cache_msec(const struct doctor_facts *facts)
{
	const struct device_list none = {.items = NULL};
	uint64_t most = 0;

	for_each_port (device, port,
		       facts->growth->counters ? &facts->growth->counters->inventory.devices
					       : &none) {
		struct number msec = {.known = false};

		sysfs_read_number(&facts->root, &msec,
				  SYSFS_RDMA_CLASS "/%s/ports/%u/hw_counters/lifespan",
				  device->kernel_name, (unsigned int)port->port.value);
		if (msec.known && msec.value > most)
			most = msec.value;
	}
	return most < CACHE_MOST_MSEC ? most : CACHE_MOST_MSEC;
}

struct strings growth_netdevs(const struct doctor_facts *facts, const struct port *port)
{
	const struct link_list *links = &facts->inventory.links;
	const struct link *own = port->netdev ? link_by_name(links, port->netdev) : NULL;
	struct strings netdevs = {.items = NULL};

	if (port->netdev)
		strings_add(&netdevs, port->netdev);
	for (size_t i = 0; link_is_bond(own) && i < links->count; i++)
		if (link_by_index(links, &links->items[i].master_index) == own)
			strings_add(&netdevs, links->items[i].name);
	return netdevs;
}

static void read_carrier(const struct root *root, const char *netdev,
			 struct growth_reading *reading)
{
	/* carrier_down_count exists since Linux 4.16: net/core/net-sysfs.c. */
	static const char *const files[] = {"carrier_down_count", "carrier_changes"};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		struct number count = {.known = false};

		if (sysfs_read_number(root, &count, "sys/class/net/%s/%s", netdev, files[i]))
			continue;
		growth_add(reading, count.value, "%s %s", netdev, files[i]);
		return;
	}
}

/*
 * Reads how often the ports' netdevs lost their carrier: "eth2 carrier_down_count", "eth2
 * carrier_changes".
 */
static void read_carriers(struct doctor_facts *facts, struct growth_reading *reading)
{
	for_each_port (device, port, &facts->inventory.devices) {
		_cleanup_(strings_free) struct strings netdevs = growth_netdevs(facts, port);

		for (size_t i = 0; i < netdevs.count; i++)
			read_carrier(&facts->root, netdevs.items[i], reading);
	}
}

static int refuse(struct problems *problems, const char *message, const char *hint, int rc)
{
	_cleanup_(freep) char *clean = text_clean(message, strlen(message));

	problem_add_text(problems, NULL, NULL, NULL, clean, hint);
	return rc;
}

static void add_saved(const struct doctor_facts *facts, const struct saved_list *file,
		      struct growth_reading *reading)
{
	struct saved_readings saved = {.readings.items = NULL};

	saved_readings_devices(&saved, file->records, file->count);
	saved_readings_make(&saved, file->records, file->count);
	for_each (counter, &saved.readings) {
		const struct device *device = device_list_find(&facts->inventory.devices,
							       counter->device->name);

		if (device && !counter_device_is_replaced(counter->device, device))
			add(reading, counter);
	}
	saved_readings_clear(&saved);
}

/*
 * Reads request->since, and how long ago it was written: 0 if unknown. Counters of devices that
 * were replaced since are skipped. -errno, with the problem reported, if the file cannot be read or
 * is from another host or another boot.
 */
static int read_saved(struct doctor_facts *facts, struct growth_reading *reading,
		      double *ret_seconds)
{
	_cleanup_(freep) char *message = NULL, *objection = NULL;
	const struct doctor_request *request = facts->request;
	const char *hint = NULL;
	struct saved_list file = {.count = 0};
	struct saved_head now = {.time = NULL};
	int rc = saved_list_read(&file, request->since, &saved_counters_kind, &message);

	if (rc)
		return refuse(facts->problems, message,
			      rc == -ENOENT ? "save one first: rdmactl counters --save FILE"
			      : rc == -EINVAL || rc == -ENOMSG
				      ? "save a new one: rdmactl counters --save FILE"
				      : NULL,
			      rc);
	saved_head_read(request->root, &now);
	objection = saved_objection(request->since, &file.head, &now, &hint);
	if (objection) {
		rc = refuse(facts->problems, objection, hint, -EINVAL);
	} else {
		*ret_seconds = saved_seconds_between(&file.head, &now);
		add_saved(facts, &file, reading);
	}
	saved_head_clear(&now);
	saved_list_clear(&file, &saved_counters_schema);
	return rc;
}

/* ---- The readings ---- */

/* A source of numbers, read once per reading if one of its checks is selected. */
static const struct growth_source {
	enum doctor_check_id check;
	void (*read)(struct doctor_facts *facts, struct growth_reading *reading);
	bool is_saved; /* contained in a `counters --save` file */
} sources[] = {
	{CHECK_ID_link_flaps, read_counters, .is_saved = true},
	{CHECK_ID_link_errors, read_counters, .is_saved = true},
	{CHECK_ID_link_flaps, read_carriers, .is_saved = false},
	{CHECK_ID_fec_ber, fec_read_growth, .is_saved = false},
	{CHECK_ID_firmware_health, adapters_read_recoveries, .is_saved = false},
	{CHECK_ID_pcie_errors, growth_read_aer, .is_saved = false},
};

struct growth_value *growth_add(struct growth_reading *reading, uint64_t value,
				const char *key_format, ...)
{
	struct growth_value *item = mem_append(&reading->items, &reading->count, sizeof(*item));
	va_list arguments;

	va_start(arguments, key_format);
	item->key = mem_format_list(key_format, arguments);
	va_end(arguments);
	item->value = value;
	return item;
}

static int compare(const void *a, const void *b)
{
	const struct growth_value *first = a, *second = b;

	return strcmp(first->key, second->key);
}

/* Whether a selected check needs the source, and no earlier row has read it. */
static bool is_due(const struct doctor_request *request, const struct growth_source *source)
{
	if (!request->run[source->check] || (request->since && !source->is_saved))
		return false;
	for (const struct growth_source *earlier = sources; earlier < source; earlier++)
		if (earlier->read == source->read && request->run[earlier->check])
			return false;
	return true;
}

/*
 * Reads the sources that the selected checks need, sorted by key. Returns whether there are any.
 */
static bool take(struct doctor_facts *facts, struct growth_reading *reading)
{
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
		if (!is_due(facts->request, &sources[i]))
			continue;
		sources[i].read(facts, reading);
		any = true;
	}
	MEM_SORT(reading->items, reading->count, compare);
	return any;
}

static void clear(struct growth_reading *reading)
{
	for_each (value, reading)
		free(value->key);
	free(reading->items);
}

/* Waits for the full time even if signals interrupt it. */
static void wait_msec(uint64_t msec)
{
	struct timespec pause = {
		.tv_sec = (time_t)(msec / 1000),
		.tv_nsec = (long)(msec % 1000) * 1000000,
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, &pause) == EINTR)
		;
}

int doctor_growth_load(struct doctor_facts *facts)
{
	const struct doctor_request *request = facts->request;
	struct doctor_growth *growth;
	enum { JIFFY_MOST_MSEC = 10 };
	uint64_t start, cached;
	int rc;

	if (!request->since && (!request->interval_msec || facts->root.recorded))
		return 0;
	growth = facts->growth = mem_alloc_zero(1, sizeof(*facts->growth));
	if (request->since) {
		rc = read_saved(facts, &growth->before, &growth->seconds);
		if (rc)
			return rc;
		MEM_SORT(growth->before.items, growth->before.count, compare);
	} else {
		start = clock_nsec();
		if (!take(facts, &growth->before))
			return 0;
		/* The second reading must not come from the cache of the first. */
		cached = cache_msec(facts) + JIFFY_MOST_MSEC;
		wait_msec(request->interval_msec > cached ? request->interval_msec : cached);
		growth->seconds = (double)(clock_nsec() - start) / 1e9;
	}
	take(facts, &growth->after);
	return 0;
}

static const struct growth_value *find(const struct growth_reading *reading, char *key)
{
	const struct growth_value wanted = {.key = key};

	return MEM_FIND(&wanted, reading->items, reading->count, compare);
}

int doctor_growth(const struct doctor_facts *facts, uint64_t *ret_growth, const char *key_format,
		  ...)
{
	_cleanup_(freep) char *key = NULL;
	const struct growth_value *before, *after;
	va_list arguments;

	if (!facts->growth)
		return -ENODATA;
	va_start(arguments, key_format);
	key = mem_format_list(key_format, arguments);
	va_end(arguments);
	before = find(&facts->growth->before, key);
	after = find(&facts->growth->after, key);
	if (!before || !after)
		return before || after ? -ESTALE : -ENODATA;
	if (before->state == GROWTH_UNREADABLE || after->state == GROWTH_UNREADABLE)
		return -EIO;
	if (after->value < before->value)
		return -ERANGE;
	if (before->state == GROWTH_SATURATED)
		return -EOVERFLOW;
	*ret_growth = after->value - before->value;
	return 0;
}

const char *doctor_growth_next(const struct doctor_facts *facts, const char *prefix,
			       size_t *position, uint64_t *ret_growth)
{
	const size_t length = strlen(prefix);

	while (facts->growth && *position < facts->growth->after.count) {
		const struct growth_value *after = &facts->growth->after.items[(*position)++];
		const struct growth_value *before;

		if (strncmp(after->key, prefix, length))
			continue;
		before = find(&facts->growth->before, after->key);
		if (!before || after->value < before->value)
			continue;
		*ret_growth = after->value - before->value;
		return after->key + length;
	}
	return NULL;
}

double doctor_growth_seconds(const struct doctor_facts *facts)
{
	return facts->growth ? facts->growth->seconds : 0;
}

struct judged doctor_nothing_grew(struct doctor_context *run, const char *summary)
{
	if (run->facts->root.live || run->facts->request->since)
		return doctor_ok(run, "%s", summary);
	return doctor_not_checked(run, NEEDS_LIVE,
				  "nothing grew, but nothing ever does in a saved tree");
}

void doctor_growth_free(struct doctor_growth *growth)
{
	if (!growth)
		return;
	clear(&growth->before);
	clear(&growth->after);
	if (growth->counters) {
		counter_loader_free(growth->counters->loader);
		free(growth->counters->inventory.devices.items);
	}
	free(growth->counters);
	free(growth);
}
