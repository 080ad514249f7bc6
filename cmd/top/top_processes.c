/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/top/top_processes.h"

#include <errno.h>

#include "base/clock.h"
#include "resource/resources.h"

/* Reading takes at most one part in SPARING of the time, and is not done more often than that. */
enum { PERIOD_MSEC = 3000, SPARING = 50 };

static void read_all(const struct listing *listing, struct process_usage_list *ret_usages,
		     struct problems *problems)
{
	struct processes *processes = NULL;
	struct resource_loader *loader = NULL;
	unsigned int kinds;
	int rc = processes_open(listing->inventory.root, &processes);

	if (!rc)
		rc = resource_loader_open(&listing->inventory, &listing->objects, processes,
					  &loader);
	if (rc) {
		problem_add(problems, NULL, "resources", "nldev", rc, NULL);
	} else {
		kinds = resource_loader_count(loader, processes, RESOURCES_IN_USE, NULL, NULL,
					      problems, NULL);
		processes_sum_up(processes, kinds, 0, ret_usages, problems);
	}
	resource_loader_free(loader);
	processes_free(processes);
}

void top_processes_refresh(struct top_processes *processes, const struct listing *listing,
			   struct counter_rounds *rounds)
{
	const uint64_t began_msec = clock_msec();
	struct process_usage_list usages = {0};
	struct problems problems = {0};
	uint64_t spared;

	if (!listing->inventory.answers || began_msec < processes->next_msec)
		return;
	read_all(listing, &usages, &problems);
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
