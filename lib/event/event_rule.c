/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "event/event_rule.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

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

	if (text_parse_u64(number, 10, EVENT_FLAPS_MOST, &count) || !slash != !count)
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
