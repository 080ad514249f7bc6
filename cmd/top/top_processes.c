/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/top/top_processes.h"

#include "base/clock.h"
#include "resource/resources.h"

/* Reading takes at most 1/SPARING of the time, and happens at most once per PERIOD_MSEC. */
enum { PERIOD_MSEC = 3000, SPARING = 50 };

void top_processes_refresh(struct top_processes *processes, const struct listing *listing,
			   struct counter_rounds *rounds)
{
	const uint64_t began_msec = clock_msec();
	struct process_usage_list usages = {0};
	struct problems problems = {0};
	uint64_t spared;

	if (!listing->inventory.answers || began_msec < processes->next_msec)
		return;
	resources_of_processes(&listing->inventory, &listing->objects, &usages, &problems);
	counter_rounds_note(rounds, &problems);
	problems_free(&problems);
	process_usage_list_clear(&processes->usages);
	processes->usages = usages;
	spared = (clock_msec() - began_msec) * SPARING;
	processes->next_msec = clock_msec() + (spared > PERIOD_MSEC ? spared : PERIOD_MSEC);
}

void top_processes_clear(struct top_processes *processes)
{
	process_usage_list_clear(&processes->usages);
}
