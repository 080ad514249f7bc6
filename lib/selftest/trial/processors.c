/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/trial/processors.h"

bool processors_half(const cpu_set_t *all, unsigned int half, cpu_set_t *ret)
{
	unsigned int rank = 0;
	cpu_set_t chosen;

	if (CPU_COUNT(all) < 2)
		return false;
	CPU_ZERO(&chosen);
	for (unsigned int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, all) && rank++ % 2 == half)
			CPU_SET(i, &chosen);
	*ret = chosen;
	return true;
}

void processors_split(struct processors *processors)
{
	cpu_set_t half;

	processors->split = !sched_getaffinity(0, sizeof(processors->all), &processors->all) &&
			    processors_half(&processors->all, 0, &half) &&
			    !sched_setaffinity(0, sizeof(half), &half);
}

void processors_take_other(const struct processors *processors)
{
	cpu_set_t half;

	if (processors->split && processors_half(&processors->all, 1, &half))
		sched_setaffinity(0, sizeof(half), &half);
}

void processors_restore(const struct processors *processors)
{
	if (processors->split)
		sched_setaffinity(0, sizeof(processors->all), &processors->all);
}
