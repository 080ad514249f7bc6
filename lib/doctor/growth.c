/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "doctor/frame/growth.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "doctor/adapter/adapters.h"
#include "doctor/frame/check.h"
#include "doctor/adapter/ethernet.h"

/* A source of numbers, read once per reading if one of its checks is selected. */
static const struct growth_source {
	enum doctor_check_id check;
	void (*read)(struct doctor_facts *facts, struct growth_reading *reading);
	bool is_saved; /* contained in a `counters --save` file */
} sources[] = {
	{CHECK_ID_link_flaps, growth_read_counters, .is_saved = true},
	{CHECK_ID_link_errors, growth_read_counters, .is_saved = true},
	{CHECK_ID_link_flaps, growth_read_carriers, .is_saved = false},
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

static void sort(struct growth_reading *reading)
{
	if (reading->count)
		qsort(reading->items, reading->count, sizeof(*reading->items), compare);
}

/* Returns whether a selected check needs any of the sources. */
static bool take(struct doctor_facts *facts, struct growth_reading *reading)
{
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
		if (!is_due(facts->request, &sources[i]))
			continue;
		sources[i].read(facts, reading);
		any = true;
	}
	sort(reading);
	return any;
}

static void clear(struct growth_reading *reading)
{
	for (size_t i = 0; i < reading->count; i++)
		free(reading->items[i].key);
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
		rc = growth_read_saved(facts, &growth->before, &growth->seconds);
		if (rc)
			return rc;
		sort(&growth->before);
	} else {
		start = clock_nsec();
		if (!take(facts, &growth->before))
			return 0;
		/* The second reading must not come from the cache of the first. */
		cached = growth_cache_msec(facts) + JIFFY_MOST_MSEC;
		wait_msec(request->interval_msec > cached ? request->interval_msec : cached);
		growth->seconds = (double)(clock_nsec() - start) / 1e9;
	}
	take(facts, &growth->after);
	return 0;
}

static const struct growth_value *find(const struct growth_reading *reading, char *key)
{
	const struct growth_value wanted = {.key = key};

	return reading->count ? bsearch(&wanted, reading->items, reading->count,
					sizeof(*reading->items), compare)
			      : NULL;
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
		return -ENODATA;
	if (before->state == GROWTH_UNREADABLE || after->state == GROWTH_UNREADABLE)
		return -EIO;
	if (after->value < before->value)
		return -ERANGE;
	if (before->state == GROWTH_SATURATED)
		return -EOVERFLOW;
	*ret_growth = after->value - before->value;
	return 0;
}

size_t doctor_growth_each(const struct doctor_facts *facts, const char *prefix,
			  growth_handler *handle, void *context)
{
	const size_t length = strlen(prefix);
	size_t count = 0;

	for (size_t i = 0; facts->growth && i < facts->growth->after.count; i++) {
		const struct growth_value *after = &facts->growth->after.items[i], *before;

		if (strncmp(after->key, prefix, length))
			continue;
		before = find(&facts->growth->before, after->key);
		if (!before || after->value < before->value)
			continue;
		handle(context, after->key + length, after->value - before->value);
		count++;
	}
	return count;
}

double doctor_growth_seconds(const struct doctor_facts *facts)
{
	return facts->growth ? facts->growth->seconds : 0;
}

void doctor_nothing_grew(struct doctor_context *run, const char *summary)
{
	if (run->facts->root.live || run->facts->request->since)
		doctor_ok(run, "%s", summary);
	else
		doctor_not_checked(run, NEEDS_LIVE,
				   "nothing grew, but nothing ever does in a saved tree");
}

void doctor_growth_free(struct doctor_growth *growth)
{
	if (!growth)
		return;
	clear(&growth->before);
	clear(&growth->after);
	free(growth);
}
