/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl resources --by process. */
#include "base/cleanup.h"
#include "cmd/resources/resources_run.h"

static bool passes(const void *context, const struct resource *resource)
{
	return resources_filter_passes(context, resource);
}

int resources_by_process(const struct ctx *ctx, const struct resources_args *args, char **words)
{
	const struct resources_filter filter = {.args = args};
	struct resource_loader *loader = NULL;
	_cleanup_(processes_freep) struct processes *processes = NULL;
	_cleanup_(process_usage_list_clear) struct process_usage_list usages = {0};
	struct listing listing;
	unsigned int kinds;
	int status;

	if (resources_begin(&listing, ctx, &process_usage_schema, words, false) &&
	    listing_load_inventory(&listing, 0)) {
		if (resources_open(&listing, true, &processes, &loader)) {
			kinds = resource_loader_count(loader, processes, (1u << RESOURCE_KINDS) - 1,
						      passes, &filter, &listing.problems,
						      &listing.notes);
			processes_sum_up(processes, kinds, columns_needs(&listing.columns), &usages,
					 &listing.problems);
		}
		for (size_t i = 0; i < usages.count; i++)
			if (!args->limit.known || i < args->limit.value)
				listing_add(&listing, &usages.items[i]);
	}
	status = listing_end(&listing);
	resource_loader_free(loader);
	return status;
}
