/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/selftest_result.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct selftest_bucket *selftest_result_add_bucket(struct selftest_result *result)
{
	return mem_append(&result->histogram, &result->histogram_count, sizeof(*result->histogram));
}

struct selftest_counter *selftest_result_add_counter(struct selftest_result *result)
{
	return mem_append(&result->counters, &result->counter_count, sizeof(*result->counters));
}

void selftest_result_clear(struct selftest_result *result)
{
	for (size_t i = 0; i < result->counter_count; i++) {
		free(result->counters[i].device);
		free(result->counters[i].name);
	}
	free(result->counters);
	free(result->histogram);
	free(result->device);
	free(result->netdev);
	free(result->peer);
	free(result->peer_device);
	free(result->test);
	free(result->summary);
	free(result->reason);
	free(result->next_step);
	free(result->status);
	*result = (struct selftest_result){0};
}

struct selftest_result *selftest_results_add(struct selftest_results *results)
{
	struct selftest_result **slot = mem_append(&results->items, &results->count,
						   sizeof(*results->items));

	*slot = mem_alloc_zero(1, sizeof(**slot));
	return *slot;
}

void selftest_results_drop_first(struct selftest_results *results)
{
	selftest_result_clear(results->items[0]);
	free(results->items[0]);
	results->count--;
	memmove(results->items, results->items + 1, results->count * sizeof(*results->items));
}

void selftest_results_free(struct selftest_results *results)
{
	for (size_t i = 0; i < results->count; i++) {
		selftest_result_clear(results->items[i]);
		free(results->items[i]);
	}
	free(results->items);
	*results = (struct selftest_results){0};
}
