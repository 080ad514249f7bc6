/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "doctor/growth.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "doctor/check.h"

struct doctor_growth {
	struct growth_reading before, after; /* sorted by key */
	double seconds;
};

/* A source of numbers, read if the check is selected. */
static const struct growth_source {
	enum doctor_check_id check;
	void (*read)(struct doctor_facts *facts, struct growth_reading *reading);
} sources[] = {
	{DOCTOR_CHECKS, NULL},
};

static char *format_key(const char *format, va_list arguments)
{
	char *key = NULL;

	if (vasprintf(&key, format, arguments) < 0)
		mem_check(NULL);
	return key;
}

void growth_add(struct growth_reading *reading, uint64_t value, const char *key_format, ...)
{
	struct growth_value *item = mem_append(&reading->items, &reading->count, sizeof(*item));
	va_list arguments;

	va_start(arguments, key_format);
	item->key = format_key(key_format, arguments);
	va_end(arguments);
	item->value = value;
}

static int compare(const void *a, const void *b)
{
	const struct growth_value *first = a, *second = b;

	return strcmp(first->key, second->key);
}

static void take(struct doctor_facts *facts, const struct doctor_request *request,
		 struct growth_reading *reading)
{
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++)
		if (sources[i].read && request->run[sources[i].check])
			sources[i].read(facts, reading);
	if (reading->count)
		qsort(reading->items, reading->count, sizeof(*reading->items), compare);
}

static void clear(struct growth_reading *reading)
{
	for (size_t i = 0; i < reading->count; i++)
		free(reading->items[i].key);
	free(reading->items);
}

int doctor_growth_load(struct doctor_facts *facts, const struct doctor_request *request,
		       struct problems *problems)
{
	const struct timespec pause = {
		.tv_sec = (time_t)(request->interval_msec / 1000),
		.tv_nsec = (long)(request->interval_msec % 1000) * 1000000,
	};
	uint64_t start;

	(void)problems;
	if (!request->interval_msec)
		return 0;
	facts->growth = mem_alloc_zero(1, sizeof(*facts->growth));
	start = clock_nsec();
	take(facts, request, &facts->growth->before);
	clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
	facts->growth->seconds = (double)(clock_nsec() - start) / 1e9;
	take(facts, request, &facts->growth->after);
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
	key = format_key(key_format, arguments);
	va_end(arguments);
	before = find(&facts->growth->before, key);
	after = find(&facts->growth->after, key);
	if (!before || !after)
		return -ENODATA;
	if (after->value < before->value)
		return -ERANGE;
	*ret_growth = after->value - before->value;
	return 0;
}

double doctor_growth_seconds(const struct doctor_facts *facts)
{
	return facts->growth ? facts->growth->seconds : 0;
}

void doctor_growth_free(struct doctor_growth *growth)
{
	if (!growth)
		return;
	clear(&growth->before);
	clear(&growth->after);
	free(growth);
}
