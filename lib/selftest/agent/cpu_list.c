/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/agent/cpu_list.h"

#include <stdio.h>
#include <stdlib.h>

/* More than any kernel has: CONFIG_NR_CPUS is at most 8192. */
#define MOST_CPU 65535ul

static bool take_number(const char **text, unsigned long *ret)
{
	char *end;

	if (**text < '0' || **text > '9')
		return false;
	*ret = strtoul(*text, &end, 10);
	*text = end;
	return *ret <= MOST_CPU;
}

bool cpu_list_parse(const char *text, cpu_set_t *ret_set)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	while (*text) {
		unsigned long first, last;

		if (!take_number(&text, &first))
			return false;
		last = first;
		if (*text == '-') {
			text++;
			if (!take_number(&text, &last) || last < first)
				return false;
		}
		if (*text == ',' && text[1])
			text++;
		else if (*text)
			return false;
		for (unsigned long i = first; i <= last && i < CPU_LIST_ROOM; i++)
			CPU_SET(i, &set);
	}
	*ret_set = set;
	return true;
}

void cpu_list_format(const cpu_set_t *set, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t first = 0; first < CPU_LIST_ROOM; first++) {
		size_t last = first;
		int length;
		char piece[32];

		if (!CPU_ISSET(first, set))
			continue;
		while (last + 1 < CPU_LIST_ROOM && CPU_ISSET(last + 1, set))
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

void cpu_list_share(cpu_set_t *set, unsigned int share, unsigned int shares)
{
	unsigned int rank = 0;
	cpu_set_t part;

	if (shares < 2 || share >= shares || (unsigned int)CPU_COUNT(set) < shares)
		return;
	CPU_ZERO(&part);
	for (size_t i = 0; i < CPU_LIST_ROOM; i++)
		if (CPU_ISSET(i, set) && rank++ % shares == share)
			CPU_SET(i, &part);
	*set = part;
}
