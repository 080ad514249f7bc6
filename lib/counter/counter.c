/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/counter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "counter/counter_reading.h"

void counter_list_take(struct counter_list *list, char *name, uint64_t value)
{
	struct counter *counter = mem_append(&list->items, &list->count, sizeof(*list->items));

	counter->name = name;
	counter->value = value;
}

void counter_list_add(struct counter_list *list, const char *name, uint64_t value)
{
	counter_list_take(list, mem_string(name), value);
}

const struct counter *counter_list_find(const struct counter_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->items[i].name, name))
			return &list->items[i];
	return NULL;
}

void counter_list_clear(struct counter_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].name);
	free(list->items);
	*list = (struct counter_list){0};
}

/* A saturated counter would appear not to grow. */
static bool has_stopped(const struct counter *counter)
{
	struct counter_reading reading = {.name = counter_name_find(counter->name)};

	counter_reading_set(&reading, counter->value);
	return reading.saturated;
}

void counter_list_difference(const struct counter_list *before, const struct counter_list *after,
			     struct counter_list *ret_list)
{
	struct counter_list list = {0};

	for_each (now, after) {
		const struct counter *then = counter_list_find(before, now->name);

		if (then && now->value >= then->value && !has_stopped(now))
			counter_list_add(&list, now->name, now->value - then->value);
	}
	*ret_list = list;
}

static void add_up(const struct counter_list *list, bool fallback, struct counter_sums *sums)
{
	struct counter_sums more = {0};

	for (size_t i = 0; i < list->count; i++) {
		const struct counter_name *name = counter_name_find(list->items[i].name);

		if (name && name->class != COUNTER_OTHER && name->fallback == fallback)
			number_set(&more.by_class[name->class],
				   more.by_class[name->class].value + list->items[i].value);
	}
	for (int class = 0; class < COUNTER_CLASSES; class ++)
		if (!sums->by_class[class].known)
			sums->by_class[class] = more.by_class[class];
}

struct counter_sums counter_list_sum(const struct counter_list *list)
{
	struct counter_sums sums = {0};

	add_up(list, false, &sums);
	add_up(list, true, &sums);
	return sums;
}

struct counter_sums counter_list_growth(const struct counter_list *before,
					const struct counter_list *after)
{
	struct counter_list growth = {0};
	struct counter_sums sums;

	counter_list_difference(before, after, &growth);
	sums = counter_list_sum(&growth);
	counter_list_clear(&growth);
	return sums;
}

static void read_counter(const struct root *root, const char *directory, const char *file,
			 struct counter_list *list)
{
	_cleanup_(freep) char *name = text_clean(file, strlen(file));
	char text[SYSFS_TEXT_SIZE];
	uint64_t value;

	/* The lifetime of the driver's cache, in milliseconds: core/sysfs.c */
	if (!strcmp(name, "lifespan") || counter_list_find(list, name))
		return;
	if (sysfs_read(root, text, "%s/%s", directory, file) < 0)
		return;
	if (!text_parse_u64(text, 10, UINT64_MAX, &value))
		counter_list_add(list, name, value);
}

static void read_directory(const struct root *root, const char *directory,
			   struct counter_list *list)
{
	struct strings files = {0};

	if (sysfs_list(root, &files, "%s", directory))
		return;
	for (size_t i = 0; i < files.count; i++)
		read_counter(root, directory, files.items[i], list);
	strings_free(&files);
}

int sysfs_counters_read(const struct root *root, const char *device, unsigned int port,
			struct counter_list *ret_list)
{
	_cleanup_(freep) char *place = mem_format(SYSFS_RDMA_CLASS "/%s/ports/%u", device, port);
	_cleanup_(freep) char *counters = mem_format("%s/counters", place);
	_cleanup_(freep) char *hw_counters = mem_format("%s/hw_counters", place);
	_cleanup_(freep) char *of_device = mem_format(SYSFS_RDMA_CLASS "/%s/hw_counters", device);
	struct counter_list list = {0};

	if (!sysfs_has_directory(root, place))
		return -ENODEV;
	read_directory(root, counters, &list);
	read_directory(root, hw_counters, &list);
	read_directory(root, of_device, &list);
	/*
	 * The port was removed while being read: a partial list would pass for a port with few
	 * counters.
	 */
	if (!sysfs_has_directory(root, place)) {
		counter_list_clear(&list);
		return -ENODEV;
	}
	*ret_list = list;
	return 0;
}
