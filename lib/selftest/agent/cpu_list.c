/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/agent/cpu_list.h"

#include <errno.h>
#include <stdio.h>

#include "base/text.h"
#include "kernel/sysfs.h"

/* More than any kernel has. */
#define MOST_CPU 65535ul

static bool has(const struct cpu_list *list, size_t processor)
{
	return CPU_ISSET_S(processor, sizeof(list->sets), list->sets);
}

static void add(struct cpu_list *list, size_t processor)
{
	CPU_SET_S(processor, sizeof(list->sets), list->sets);
}

bool cpu_list_parse(const char *text, struct cpu_list *ret_list)
{
	struct cpu_list list = {0};
	unsigned long first, last = 0;

	/* A comma only separates ranges; sysfs_take_range() skips one anywhere. */
	if (*text == ',' || text_ends_with(text, ","))
		return false;
	while (sysfs_take_range(&text, &first, &last) && last <= MOST_CPU)
		for (unsigned long i = first; i <= last && i < CPU_LIST_ROOM; i++)
			add(&list, i);
	if (*text || last > MOST_CPU)
		return false;
	*ret_list = list;
	return true;
}

void cpu_list_format(const struct cpu_list *list, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t first = 0; first < CPU_LIST_ROOM; first++) {
		size_t last = first;
		int length;
		char piece[32];

		if (!has(list, first))
			continue;
		while (last + 1 < CPU_LIST_ROOM && has(list, last + 1))
			last++;
		length = last > first
				 ? snprintf(piece, sizeof(piece), "%s%zu-%zu", used ? "," : "",
					    first, last)
				 : snprintf(piece, sizeof(piece), "%s%zu", used ? "," : "", first);
		if (length < 0 || used + (size_t)length >= size)
			return;
		used += (size_t)snprintf(text + used, size - used, "%s", piece);
		first = last;
	}
}

unsigned int cpu_list_count(const struct cpu_list *list)
{
	return (unsigned int)CPU_COUNT_S(sizeof(list->sets), list->sets);
}

void cpu_list_limit(struct cpu_list *list, const struct cpu_list *other)
{
	CPU_AND_S(sizeof(list->sets), list->sets, list->sets, other->sets);
}

void cpu_list_share(struct cpu_list *list, unsigned int share, unsigned int shares)
{
	struct cpu_list part = {0};
	unsigned int rank = 0;

	if (shares < 2 || share >= shares || cpu_list_count(list) < shares)
		return;
	for (size_t i = 0; i < CPU_LIST_ROOM; i++)
		if (has(list, i) && rank++ % shares == share)
			add(&part, i);
	*list = part;
}

int cpu_list_of_thread(struct cpu_list *ret_list)
{
	return sched_getaffinity(0, sizeof(ret_list->sets), ret_list->sets) ? -errno : 0;
}

int cpu_list_keep_to(const struct cpu_list *list)
{
	return sched_setaffinity(0, sizeof(list->sets), list->sets) ? -errno : 0;
}
