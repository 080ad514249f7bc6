/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "event/thresholds.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "counter/counters.h"
#include "counter/pma_probe.h"
#include "host/need.h"

/* The largest number of flaps in a rule. */
#define MOST_FLAPS 1000

/* In milliseconds. */
static const struct enum_name units[] = {
	{1, "ms"}, {1000, "s"}, {1000, ""}, {60000, "m"}, {60000, "min"}, {3600000, "h"}, {0, NULL},
};

/* 500ms, 10m; a plain number is in seconds. The maximum is a year. */
static int parse_time(const char *text, uint64_t *ret_msec)
{
	const size_t digits = strspn(text, "0123456789");
	_cleanup_(freep) char *number = mem_format("%.*s", (int)digits, text);
	const struct enum_name *unit = enum_find_word(units, text + digits);
	uint64_t value;

	if (text_parse_u64(number, 10, UINT32_MAX, &value) || !value || !unit ||
	    value > 365 * UINT64_C(86400000) / unit->value)
		return -EINVAL;
	*ret_msec = value * unit->value;
	return 0;
}

int event_parse_flap(const char *text, unsigned int *ret_count, uint64_t *ret_window_msec)
{
	const char *slash = strchr(text, '/');
	_cleanup_(freep) char *number = mem_format(
		"%.*s", slash ? (int)(slash - text) : (int)strlen(text), text);
	uint64_t count, window = 0;

	if (text_parse_u64(number, 10, MOST_FLAPS, &count) || !slash != !count)
		return -EINVAL;
	if (slash && parse_time(slash + 1, &window))
		return -EINVAL;
	*ret_count = (unsigned int)count;
	*ret_window_msec = window;
	return 0;
}

/* A decimal fraction in the C locale's form; strtod() also takes hexadecimal and exponents. */
static int parse_count(const char *text, double *ret_count)
{
	char *end;

	if (!*text || strspn(text, "0123456789.") != strlen(text))
		return -EINVAL;
	*ret_count = strtod(text, &end);
	return *end || !isfinite(*ret_count) ? -EINVAL : 0;
}

static int parse_threshold(const char *text, struct event_threshold *threshold)
{
	const char *greater = strchr(text, '>');
	const char *slash = greater ? strchr(greater, '/') : NULL;
	const struct enum_name *unit = slash ? enum_find_word(units, slash + 1) : NULL;
	_cleanup_(freep) char *count = NULL;

	if (!unit || greater == text || !slash[1] || unit->value < 1000)
		return -EINVAL;
	count = mem_format("%.*s", (int)(slash - greater - 1), greater + 1);
	if (parse_count(count, &threshold->count))
		return -EINVAL;
	threshold->period_msec = unit->value;
	threshold->name = mem_format("%.*s", (int)(greater - text), text);
	return 0;
}

int event_parse_thresholds(const char *text, struct event_threshold_list *ret_list, char **ret_bad)
{
	_cleanup_(freep) char *copy = mem_string(text);
	struct event_threshold_list list = {.items = NULL};
	char *rest = copy, *word;

	while ((word = strsep(&rest, ","))) {
		struct event_threshold threshold;

		if (parse_threshold(word, &threshold)) {
			*ret_bad = mem_string(word);
			event_threshold_list_clear(&list);
			return -EINVAL;
		}
		MEM_ADD(list.items, list.count) = threshold;
	}
	*ret_list = list;
	return 0;
}

void event_threshold_list_clear(struct event_threshold_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].name);
	free(list->items);
	*list = (struct event_threshold_list){.items = NULL};
}

/* A counter of a limit at the last reading. */
struct watched_counter {
	struct counter_reading reading; /* borrows from the loader */
	bool above;			/* it grew faster than the limit */
};

struct watched_limit {
	const struct event_threshold *limit;
	struct watched_counter *counters;
	size_t count;
	uint64_t next_msec;
};

/* The devices at one moment, and the loader of their counters. Readings borrow from both. */
struct listed {
	struct inventory inventory;
	struct counter_loader *loader; /* NULL if there is no device */
};

struct thresholds {
	const char *root;	       /* NULL: the live system */
	const struct objects *objects; /* as the user named them */
	struct objects present;	       /* the same objects by their current names */
	struct listed *listed;	       /* NULL before the first list */
	struct watched_limit *limits;
	size_t limit_count;
	unsigned int generation;
	bool stale; /* the devices have to be listed again */
};

/* Matches the kernel's name or the canonical one. */
static bool is_named(const struct event_threshold *limit, const char *kernel_name,
		     const struct counter_name *name)
{
	_cleanup_(freep) char *canonical = name ? counter_name_canonical(name, kernel_name) : NULL;

	return !strcmp(limit->name, kernel_name) || (canonical && !strcmp(limit->name, canonical));
}

static bool wants(const void *context, enum counter_source source, const char *kernel_name,
		  const struct counter_name *name)
{
	const struct thresholds *thresholds = context;

	(void)source;
	for (size_t i = 0; i < thresholds->limit_count; i++)
		if (is_named(thresholds->limits[i].limit, kernel_name, name))
			return true;
	return false;
}

static void add_object(struct objects *objects, const char *device, int port)
{
	MEM_ADD(objects->items, objects->count) = (struct object){mem_string(device), port};
}

/* Keeps watching a device that was renamed, with those of its ports that are watched. */
static void add_renamed(struct objects *objects, const struct objects *named,
			const struct tracked_device *device)
{
	bool whole = false;

	for (size_t i = 0; i < named->count; i++) {
		if (!strcmp(named->items[i].device, device->name) ||
		    !strcmp(named->items[i].device, device->kernel_name))
			return;
		whole |= named->items[i].port < 0;
	}
	if (whole)
		add_object(objects, device->kernel_name, -1);
	for (size_t i = 0; !whole && i < device->port_count; i++)
		add_object(objects, device->kernel_name, (int)device->ports[i].number);
}

/* `state` is NULL before watching begins. */
static void find_objects(struct thresholds *thresholds, const struct event_state *state)
{
	const struct objects *named = thresholds->objects;

	objects_free(&thresholds->present);
	for (size_t i = 0; i < named->count; i++)
		add_object(&thresholds->present, named->items[i].device, named->items[i].port);
	for (size_t i = 0; state && named->count && i < state->device_count; i++)
		add_renamed(&thresholds->present, named, state->devices[i]);
}

static void listed_free(struct listed *listed)
{
	if (!listed)
		return;
	counter_loader_free(listed->loader);
	inventory_free(&listed->inventory);
	free(listed);
}

static int load(const struct thresholds *thresholds, struct listed **ret_listed,
		struct problems *problems)
{
	struct listed *listed = mem_alloc_zero(1, sizeof(*listed));
	const struct inventory_request request = {
		.root = thresholds->root,
		.needs = COUNTERS_NEEDS_NETDEV | NEED_DRIVER,
		.objects = &thresholds->present,
	};
	const struct counters_request counters = {
		.root = thresholds->root,
		.inventory = &listed->inventory,
		.sources = COUNTERS_ALL_SOURCES,
		.wants = wants,
		.context = thresholds,
	};
	int rc = inventory_load(&listed->inventory, &request, NULL, NULL);

	if (!rc) {
		pma_leave_out_restricted(thresholds->root, &listed->inventory.devices, problems);
		rc = counter_loader_open(&counters, &listed->loader);
	}
	/* There is no device now, but one may come later. */
	if (rc && rc != -ENODEV) {
		listed_free(listed);
		return rc;
	}
	*ret_listed = listed;
	return 0;
}

/* Another device may have taken the name: then its counters started over. */
static bool is_same(const struct counter_reading *a, const struct counter_reading *b)
{
	const struct number *one = &a->device->index, *other = &b->device->index;

	return !counter_reading_compare(a, b) &&
	       (!one->known || !other->known || one->value == other->value);
}

static const struct watched_counter *find(const struct watched_limit *watched,
					  const struct counter_reading *reading)
{
	for (size_t i = 0; i < watched->count; i++)
		if (is_same(&watched->counters[i].reading, reading))
			return &watched->counters[i];
	return NULL;
}

static double per_second(double count, uint64_t nsec)
{
	return count * 1e9 / (double)nsec;
}

static double limit_per_second(const struct watched_limit *watched)
{
	return per_second(watched->limit->count, watched->limit->period_msec * 1000000);
}

static void add_event(const struct watched_limit *watched, const struct counter_reading *reading,
		      double rate, const struct event_time *time, struct event_list *events)
{
	struct event *event = event_list_add(events, EVENT_COUNTER, time, EVENT_SOURCE_COUNTERS);

	event->object = counter_reading_object(reading);
	event->device = mem_string(reading->device->name);
	if (reading->port)
		event->port = reading->port->port;
	event->netdev = mem_string_or_null(reading->netdev);
	event->counter = mem_string(reading->counter);
	event->threshold = real_of(limit_per_second(watched));
	event->rate_per_sec = real_of(rate);
	event->value = reading->value;
	event_describe(event);
}

static bool is_above(const struct watched_limit *watched, const struct watched_counter *before,
		     const struct counter_reading *reading, const struct event_time *time,
		     struct event_list *events)
{
	struct number growth = {.known = false};
	double rate;

	if (before && reading->taken_nsec > before->reading.taken_nsec)
		growth = counter_reading_growth(&before->reading, reading);
	if (!growth.known)
		return false;
	rate = per_second((double)growth.value, reading->taken_nsec - before->reading.taken_nsec);
	if (rate <= limit_per_second(watched))
		return false;
	/* A counter above the limit makes no further event until it has been below. */
	if (events && !before->above)
		add_event(watched, reading, rate, time, events);
	return true;
}

/*
 * Returns whether the next growth is measured from the earlier reading: if the limit is not due,
 * the value cannot be read now, or the counter appeared in the middle of the period, so that little
 * growth would look like a high rate.
 */
static bool counts_on(const struct watched_limit *watched, const struct counter_reading *before,
		      const struct counter_reading *reading, bool due)
{
	const uint64_t half_nsec = watched->limit->period_msec * 500000;

	return !due || !reading->value.known ||
	       reading->taken_nsec < before->taken_nsec + half_nsec;
}

/* Returns the count and time of the earlier reading, with the names of the later one. */
static struct counter_reading carry(const struct counter_reading *before,
				    const struct counter_reading *reading)
{
	struct counter_reading carried = *reading;

	carried.value = before->value;
	carried.saturated = before->saturated;
	carried.taken_nsec = before->taken_nsec;
	return carried;
}

/* `events` is NULL for the first reading. */
static void take(struct watched_limit *watched, const struct counter_readings *readings, bool due,
		 const struct event_time *time, struct event_list *events)
{
	struct watched_limit next = {.limit = watched->limit, .next_msec = watched->next_msec};

	for_each (reading, readings) {
		const struct watched_counter *before;
		struct watched_counter now = {.reading = *reading};

		if (!is_named(watched->limit, reading->kernel_name, reading->name))
			continue;
		before = find(watched, reading);
		if (before && counts_on(watched, &before->reading, reading, due))
			now = (struct watched_counter){carry(&before->reading, reading),
						       before->above};
		else
			now.above = is_above(watched, before, reading, time, events);
		MEM_ADD(next.counters, next.count) = now;
	}
	free(watched->counters);
	if (due)
		next.next_msec = clock_msec() + watched->limit->period_msec;
	*watched = next;
}

/* Reads the limits that are due; with `all` the others, too, whose counters may come or go. */
static void read_limits(struct thresholds *thresholds, bool all, const struct event_time *time,
			struct event_list *events)
{
	struct counter_readings readings = {.items = NULL};

	if (thresholds->listed->loader)
		counter_loader_read(thresholds->listed->loader, &readings, NULL, NULL);
	for (size_t i = 0; i < thresholds->limit_count; i++) {
		const bool due = !clock_msec_until(thresholds->limits[i].next_msec);

		if (all || due)
			take(&thresholds->limits[i], &readings, due, time, events);
	}
	counter_readings_clear(&readings);
}

static bool has_port(const struct device_list *devices)
{
	for (size_t i = 0; i < devices->count; i++)
		if (devices->items[i].port_count)
			return true;
	return false;
}

/* Without ports nothing is unknown: devices may come later, and restricted ones are not read. */
static char *find_unknown(const struct thresholds *thresholds)
{
	if (!has_port(&thresholds->listed->inventory.devices))
		return NULL;
	for (size_t i = 0; i < thresholds->limit_count; i++) {
		const char *name = thresholds->limits[i].limit->name;
		_cleanup_(freep) char *clean = text_clean(name, strlen(name));

		if (!thresholds->limits[i].count)
			return mem_format("--counter: no watched object has a counter '%s'", clean);
	}
	return NULL;
}

int thresholds_open(const char *root, const struct objects *objects,
		    const struct event_threshold_list *limits, struct thresholds **ret_thresholds,
		    char **ret_message, struct problems *problems)
{
	struct thresholds *thresholds = mem_alloc_zero(1, sizeof(*thresholds));
	char *unknown = NULL;
	int rc;

	thresholds->root = root;
	thresholds->objects = objects;
	thresholds->limits = mem_alloc_zero(limits->count, sizeof(*thresholds->limits));
	thresholds->limit_count = limits->count;
	for (size_t i = 0; i < limits->count; i++)
		thresholds->limits[i].limit = &limits->items[i];
	find_objects(thresholds, NULL);
	rc = load(thresholds, &thresholds->listed, problems);
	if (!rc) {
		read_limits(thresholds, true, NULL, NULL);
		unknown = find_unknown(thresholds);
	}
	if (rc || unknown) {
		thresholds_free(thresholds);
		*ret_message = unknown;
		return rc ? rc : -ENOENT;
	}
	*ret_thresholds = thresholds;
	return 0;
}

void thresholds_free(struct thresholds *thresholds)
{
	if (!thresholds)
		return;
	for (size_t i = 0; i < thresholds->limit_count; i++)
		free(thresholds->limits[i].counters);
	listed_free(thresholds->listed);
	objects_free(&thresholds->present);
	free(thresholds->limits);
	free(thresholds);
}

int thresholds_timeout(const struct thresholds *thresholds)
{
	int timeout = -1;

	for (size_t i = 0; thresholds && i < thresholds->limit_count; i++) {
		int left = clock_msec_until(thresholds->limits[i].next_msec);

		if (timeout < 0 || left < timeout)
			timeout = left;
	}
	return timeout;
}

/* If the devices cannot be listed, keeps reading the previous ones, and tries again later. */
static void list_again(struct thresholds *thresholds, const struct event_state *state,
		       const struct event_time *time, struct event_list *events,
		       struct problems *problems)
{
	struct listed *before = thresholds->listed, *listed;

	find_objects(thresholds, state);
	thresholds->stale = load(thresholds, &listed, problems);
	if (!thresholds->stale)
		thresholds->listed = listed;
	read_limits(thresholds, !thresholds->stale, time, events);
	if (!thresholds->stale)
		listed_free(before);
}

void thresholds_step(struct thresholds *thresholds, const struct event_state *state,
		     unsigned int generation, const struct event_time *time,
		     struct event_list *events, struct problems *problems)
{
	const bool due = !thresholds_timeout(thresholds);

	if (!thresholds)
		return;
	if (generation != thresholds->generation || (thresholds->stale && due)) {
		thresholds->generation = generation;
		list_again(thresholds, state, time, events, problems);
	} else if (due) {
		read_limits(thresholds, false, time, events);
	}
}
