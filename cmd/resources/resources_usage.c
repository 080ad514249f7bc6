/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl resources --by process. */
#include "cmd/resources/resources_run.h"

/* Counts the objects of all kinds; returns the kinds that this kernel lists, as bits. */
static unsigned int count_all(struct listing *listing, const struct resources_filter *filter,
			      struct resource_loader *loader, struct processes *processes)
{
	struct resource_list list = {0};
	unsigned int kinds = 0;

	for (unsigned int kind = 0; kind < RESOURCE_KINDS; kind++) {
		resource_loader_begin(loader, (enum resource_kind)kind);
		while (resource_loader_next(loader, &list, &listing->problems, &listing->notes)) {
			for (size_t i = 0; i < list.count; i++)
				if (resources_filter_passes(filter, &list.items[i]))
					processes_count(processes, (enum resource_kind)kind,
							&list.items[i]);
			resource_list_clear(&list);
		}
		if (resource_loader_knows(loader))
			kinds |= 1u << kind;
	}
	return kinds;
}

int resources_by_process(const struct ctx *ctx, const struct resources_args *args, char **words)
{
	const struct resources_filter filter = {.args = args};
	struct resource_loader *loader = NULL;
	struct processes *processes = NULL;
	struct process_usage_list usages = {0};
	struct listing listing;
	unsigned int kinds;
	int status;

	if (resources_begin(&listing, ctx, &process_usage_schema, words, false) &&
	    listing_load_inventory(&listing, 0)) {
		if (resources_open(&listing, true, &processes, &loader)) {
			kinds = count_all(&listing, &filter, loader, processes);
			processes_sum_up(processes, kinds, columns_needs(&listing.columns), &usages,
					 &listing.problems);
		}
		for (size_t i = 0; i < usages.count; i++)
			if (!args->limit.known || i < args->limit.value)
				listing_add(&listing, &usages.items[i]);
	}
	status = listing_end(&listing);
	process_usage_list_clear(&usages);
	resource_loader_free(loader);
	processes_free(processes);
	return status;
}
