/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/record/record.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/statistics.h"

void selftest_result_set_latency(struct selftest_result *result, uint64_t *nsec, size_t count,
				 const struct moments *all)
{
	struct statistics statistics;
	struct histogram histogram;

	statistics_compute(nsec, count, &statistics);
	if (all)
		moments_compute(all, &statistics.mean_usec, &statistics.stddev_usec);
	result->latency_min_usec = real_of(statistics.min_usec);
	result->latency_p50_usec = real_of(statistics.p50_usec);
	result->latency_p90_usec = real_of(statistics.p90_usec);
	result->latency_p99_usec = real_of(statistics.p99_usec);
	result->latency_p999_usec = real_of(statistics.p999_usec);
	result->latency_max_usec = real_of(statistics.max_usec);
	result->latency_mean_usec = real_of(statistics.mean_usec);
	result->latency_stddev_usec = real_of(statistics.stddev_usec);
	histogram_compute(nsec, count, &histogram);
	for (size_t i = 0; i < histogram.count; i++) {
		struct selftest_bucket *bucket = mem_append(
			&result->histogram, &result->histogram_count, sizeof(*result->histogram));

		bucket->least_usec = real_of((double)histogram.items[i].least_nsec / 1e3);
		bucket->below_usec = real_of((double)histogram.items[i].below_nsec / 1e3);
		bucket->count = number_of(histogram.items[i].count);
	}
}

char *selftest_clean(const char *text, size_t size)
{
	return text[0] ? text_clean(text, size) : NULL;
}

void selftest_result_set_local(struct selftest_result *result, const struct endpoint *local)
{
	if (!local->device[0])
		return;
	result->device = selftest_clean(local->device, sizeof(local->device));
	result->netdev = selftest_clean(local->netdev, sizeof(local->netdev));
	result->port = number_of(local->port);
	result->gid_index = number_of(local->gid_index);
	result->gid = (struct known_gid){.gid = local->gid, .known = true};
	result->gid_type = number_of(local->gid_type);
}

void selftest_result_set_peer(struct selftest_result *result, const struct endpoint *peer)
{
	if (!peer->device[0])
		return;
	result->peer_device = selftest_clean(peer->device, sizeof(peer->device));
	result->peer_port = number_of(peer->port);
	result->peer_gid = (struct known_gid){.gid = peer->gid, .known = true};
}

void selftest_result_add_counter(struct selftest_result *result, enum selftest_side side,
				 const struct counter *before, const struct counter *after)
{
	struct selftest_counter *counter = mem_append(&result->counters, &result->counter_count,
						      sizeof(*result->counters));
	const bool peer = side == SIDE_PEER && result->peer_device;
	const char *device = peer ? result->peer_device : result->device;

	counter->side = number_of(side);
	counter->device = mem_string(device ? device : "");
	counter->port = peer ? result->peer_port : result->port;
	counter->name = mem_string(before->name);
	counter->before = number_of(before->value);
	counter->after = number_of(after->value);
}

/* What one side does not count, the other may have counted all the same. */
static const char *one_sided(const struct number *near, const struct number *far, bool peer)
{
	if (!peer || near->known == far->known)
		return "";
	return near->known ? " (local only)" : " (peer only)";
}

char *selftest_growth_text(const struct counter_sums sums[static 2], bool peer)
{
	static const struct {
		enum counter_class class;
		const char *word;
	} told[] = {
		{COUNTER_RETRANSMISSION, "retransmissions"},
		{COUNTER_RNR, "receiver not ready"},
		{COUNTER_ERROR, "errors"},
	};
	char *text = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(told); i++) {
		const struct number *near = &sums[0].by_class[told[i].class];
		const struct number *far = &sums[1].by_class[told[i].class];

		if (near->known || far->known)
			mem_extend(&text, "%s%" PRIu64 " %s%s", text ? ", " : "",
				   near->value + far->value, told[i].word,
				   one_sided(near, far, peer));
	}
	return text;
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
	selftest_result_free(results->items[0]);
	results->count--;
	memmove(results->items, results->items + 1, results->count * sizeof(*results->items));
}

void selftest_results_drop_last(struct selftest_results *results)
{
	selftest_result_free(results->items[--results->count]);
}

void selftest_results_free(struct selftest_results *results)
{
	for (size_t i = 0; i < results->count; i++)
		selftest_result_free(results->items[i]);
	free(results->items);
	*results = (struct selftest_results){0};
}
