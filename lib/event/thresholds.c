/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "event/thresholds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "counter/counters.h"

/* The largest number of flaps in a rule. */
#define MOST_FLAPS 1000

static const struct {
	const char *word;
	uint64_t msec;
} units[] = {
	{"ms", 1}, {"s", 1000}, {"", 1000}, {"m", 60000}, {"min", 60000}, {"h", 3600000},
};

static int find_unit(const char *word, uint64_t *ret_msec)
{
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strcmp(units[i].word, word))
			continue;
		*ret_msec = units[i].msec;
		return 0;
	}
	return -EINVAL;
}

/* 500ms, 10m; a plain number is seconds. The maximum is a year. */
static int parse_time(const char *text, uint64_t *ret_msec)
{
	const size_t digits = strspn(text, "0123456789");
	_cleanup_(freep) char *number = mem_format("%.*s", (int)digits, text);
	uint64_t value, unit;

	if (text_parse_u64(number, 10, UINT32_MAX, &value) || !value ||
	    find_unit(text + digits, &unit) || value > 365 * UINT64_C(86400000) / unit)
		return -EINVAL;
	*ret_msec = value * unit;
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
	return *end ? -EINVAL : 0;
}

static int parse_threshold(const char *text, struct event_threshold *threshold)
{
	const char *greater = strchr(text, '>');
	const char *slash = greater ? strchr(greater, '/') : NULL;
	_cleanup_(freep) char *count = NULL;

	if (!slash || greater == text || !slash[1])
		return -EINVAL;
	count = mem_format("%.*s", (int)(slash - greater - 1), greater + 1);
	if (parse_count(count, &threshold->count) ||
	    find_unit(slash + 1, &threshold->period_msec) || threshold->period_msec < 1000)
		return -EINVAL;
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
		*(struct event_threshold *)mem_append(&list.items, &list.count,
						      sizeof(*list.items)) = threshold;
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

/* The counters of one limit at the last reading, and which of them were above it. */
struct watched_limit {
	const struct event_threshold *limit;
	struct counter_reading *readings; /* these borrow from the loader */
	bool *above;
	size_t count;
	uint64_t next_msec;
};

struct thresholds {
	const char *root; /* NULL: the live system */
	const struct objects *objects;
	struct inventory inventory;
	struct counter_loader *loader; /* NULL if there is no device */
	struct watched_limit *limits;
	size_t limit_count;
	unsigned int generation;
};

/* Matches the kernel's name, or the one that all drivers share. */
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

static void forget(struct watched_limit *watched)
{
	free(watched->readings);
	free(watched->above);
	watched->readings = NULL;
	watched->above = NULL;
	watched->count = 0;
}

static void unload(struct thresholds *thresholds)
{
	for (size_t i = 0; i < thresholds->limit_count; i++)
		forget(&thresholds->limits[i]);
	counter_loader_free(thresholds->loader);
	thresholds->loader = NULL;
	inventory_free(&thresholds->inventory);
	thresholds->inventory = (struct inventory){.answers = true};
}

static int load(struct thresholds *thresholds)
{
	const struct inventory_request request = {
		.root = thresholds->root,
		.needs = COUNTERS_NEEDS_NETDEV,
		.objects = thresholds->objects,
	};
	const struct counters_request counters = {
		.root = thresholds->root,
		.inventory = &thresholds->inventory,
		.sources = COUNTERS_ALL_SOURCES,
		.wants = wants,
		.context = thresholds,
	};
	int rc = inventory_load(&thresholds->inventory, &request, NULL, NULL);

	if (!rc)
		rc = counter_loader_open(&counters, &thresholds->loader);
	/* There is no device now, but one may come later. */
	return rc == -ENODEV ? 0 : rc;
}

static const struct counter_reading *find(const struct watched_limit *watched,
					  const struct counter_reading *reading)
{
	for (size_t i = 0; i < watched->count; i++)
		if (!counter_reading_compare(&watched->readings[i], reading))
			return &watched->readings[i];
	return NULL;
}

static double per_second(double count, uint64_t nsec)
{
	return count * 1e9 / (double)nsec;
}

static void add_event(const struct watched_limit *watched, const struct counter_reading *reading,
		      double rate, const struct event_time *time, struct event_list *events)
{
	struct event *event = event_list_add(events, EVENT_COUNTER, time, EVENT_SOURCE_COUNTERS);

	event->object = counter_reading_object(reading);
	event->device = mem_string(reading->device->name);
	if (reading->port)
		event->port = reading->port->port;
	if (reading->netdev)
		event->netdev = mem_string(reading->netdev);
	event->counter = mem_string(reading->counter);
	event->threshold = (struct real){
		.value = per_second(watched->limit->count, watched->limit->period_msec * 1000000),
		.known = true,
	};
	event->rate_per_sec = (struct real){.value = rate, .known = true};
	event->value = reading->value;
	event_describe(event);
}

static bool is_above(const struct watched_limit *watched, const struct counter_reading *reading,
		     const struct event_time *time, struct event_list *events)
{
	const struct counter_reading *before = find(watched, reading);
	struct number growth = {.known = false};
	const double limit = per_second(watched->limit->count,
					watched->limit->period_msec * 1000000);
	double rate;

	if (before && reading->taken_nsec > before->taken_nsec)
		growth = counter_reading_growth(before, reading);
	if (!growth.known)
		return false;
	rate = per_second((double)growth.value, reading->taken_nsec - before->taken_nsec);
	if (rate <= limit)
		return false;
	/* A counter that was above the limit makes no event again until it has been below. */
	if (events && !watched->above[before - watched->readings])
		add_event(watched, reading, rate, time, events);
	return true;
}

/* `events` is NULL for the first reading. */
static void take(struct watched_limit *watched, const struct counter_readings *readings,
		 const struct event_time *time, struct event_list *events)
{
	struct watched_limit next = {.limit = watched->limit};

	next.readings = mem_alloc_zero(readings->count + 1, sizeof(*next.readings));
	next.above = mem_alloc_zero(readings->count + 1, sizeof(*next.above));
	for (size_t i = 0; i < readings->count; i++) {
		const struct counter_reading *reading = &readings->items[i];

		if (!is_named(watched->limit, reading->kernel_name, reading->name))
			continue;
		next.above[next.count] = is_above(watched, reading, time, events);
		next.readings[next.count++] = *reading;
	}
	forget(watched);
	next.next_msec = clock_msec() + watched->limit->period_msec;
	*watched = next;
}

static void read_all(struct thresholds *thresholds, bool due_only, const struct event_time *time,
		     struct event_list *events)
{
	struct counter_readings readings = {.items = NULL};

	if (thresholds->loader)
		counter_loader_read(thresholds->loader, &readings, NULL, NULL);
	for (size_t i = 0; i < thresholds->limit_count; i++)
		if (!due_only || !clock_msec_until(thresholds->limits[i].next_msec))
			take(&thresholds->limits[i], &readings, time, events);
	counter_readings_clear(&readings);
}

/* Devices that are missing now may come later. */
static char *find_unknown(const struct thresholds *thresholds)
{
	for (size_t i = 0; thresholds->loader && i < thresholds->limit_count; i++) {
		const char *name = thresholds->limits[i].limit->name;
		_cleanup_(freep) char *clean = text_clean(name, strlen(name));

		if (!thresholds->limits[i].count)
			return mem_format("--counter: no watched object has a counter '%s'", clean);
	}
	return NULL;
}

int thresholds_open(const char *root, const struct objects *objects,
		    const struct event_threshold_list *limits, struct thresholds **ret_thresholds,
		    char **ret_message)
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
	rc = load(thresholds);
	if (!rc) {
		read_all(thresholds, false, NULL, NULL);
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
	unload(thresholds);
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

void thresholds_step(struct thresholds *thresholds, unsigned int generation,
		     const struct event_time *time, struct event_list *events)
{
	if (!thresholds)
		return;
	if (generation != thresholds->generation) {
		thresholds->generation = generation;
		unload(thresholds);
		load(thresholds);
		read_all(thresholds, false, time, NULL);
	} else if (!thresholds_timeout(thresholds)) {
		read_all(thresholds, true, time, events);
	}
}
