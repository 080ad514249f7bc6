/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/counter.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

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

void counter_list_difference(const struct counter_list *before, const struct counter_list *after,
			     struct counter_list *ret_list)
{
	struct counter_list list = {0};

	for (size_t i = 0; i < after->count; i++) {
		const struct counter *now = &after->items[i];
		const struct counter *then = counter_list_find(before, now->name);

		if (then && now->value >= then->value)
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
