/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which results are compared with each other, and the limits derived from them. */
#include <string.h>

#include "base/mem.h"
#include "mesh/judge/judge_parts.h"

/*
 * Figures scatter even on a healthy rail. A result is bad if it is below the user's limit and so
 * far from the median that chance brings one in some ten million there (5.5 standard deviations).
 * No scatter excuses a result below three quarters of the median, or a latency above four times the
 * median.
 */
#define FAR_OUT 5.5
/* With fewer figures the scatter is unknown: only what nothing excuses is bad. */
#define ENOUGH_FIGURES 32u
/*
 * The quartile of so many figures shows their scatter with a standard error of a third: twice as
 * much is needed to mean what 5.5 deviations of many figures do. With this, the simulator has no
 * false alarm in 1,000 healthy meshes of 16 to 32 hosts; with a quarter of it, 11 in 1,200.
 */
#define FEW_FIGURES	      32.0
#define MOST_LATENESS_EXCUSED 4.0
/* From the median of a normal distribution to its quartile, in standard deviations. */
#define QUARTILE 0.6745

static size_t class_key(uint32_t rail, enum class_kind kind, unsigned int distance,
			unsigned int rate)
{
	return ((rail * CLASS_KINDS + kind) * (MOST_DISTANCE + 1) + distance) * (MOST_RATES + 1) +
	       rate;
}

/* Switches between the two ports; 0: unknown. */
static unsigned int distance_of(const struct judge *judge, const struct mesh_pair *pair)
{
	const uint32_t from = switch_of(judge, port_number(pair->a, pair->rail_a));
	const uint32_t to = switch_of(judge, port_number(pair->b, pair->rail_b));
	uint8_t distance;

	if (from == MESH_NO_SWITCH || to == MESH_NO_SWITCH || !judge->fabric->distances)
		return 0;
	distance = judge->fabric->distances[(size_t)from * judge->fabric->switch_count + to];
	return distance > MOST_DISTANCE ? MOST_DISTANCE : distance;
}

struct class *class_of_pairs(const struct judge *judge, uint32_t rail, unsigned int distance,
			     unsigned int rate)
{
	const uint16_t number = judge->class_of[class_key(rail, CLASS_PAIR, distance, rate)];

	return number ? &judge->classes[number - 1] : NULL;
}

uint16_t class_find(struct judge *judge, uint32_t rail, enum class_kind kind,
		    const struct mesh_pair *pair)
{
	const uint8_t rate_a = judge->ports[port_number(pair->a, pair->rail_a)].rate;
	const uint8_t rate_b = judge->ports[port_number(pair->b, pair->rail_b)].rate;
	uint16_t *number = &judge->class_of[class_key(rail, kind, distance_of(judge, pair),
						      rate_a < rate_b ? rate_a : rate_b)];

	if (!*number) {
		mem_append(&judge->classes, &judge->class_count, sizeof(*judge->classes));
		*number = (uint16_t)judge->class_count;
	}
	return *number;
}

/* The same from the upper quartile to the 95th percentile. */
#define TWENTIETH 0.9704

/*
 * If half of all results are low (a switch with a quarter of the hosts can do that), the median is
 * one of them. The upper quartile replaces it if it is so far above the median that it makes the
 * median bad.
 */
static void find_usual_bandwidth(struct band *band, const struct judge_limits *limits)
{
	const double median = spread_quantile(&band->spread, 0.5);
	const double upper = spread_quantile(&band->spread, 0.75);
	double width;

	band->split = upper * limits->bandwidth_share > median;
	band->median = band->split ? upper : median;
	width = band->split ? (spread_quantile(&band->spread, 0.95) - upper) / TWENTIETH
			    : (median - spread_quantile(&band->spread, 0.25)) / QUARTILE;
	band->deviation = band->median > 0 ? width / band->median : 0;
}

static void band_judge(struct band *band, const struct judge_limits *limits)
{
	const double count = (double)band->spread.count;
	double low;

	band->judged = band->spread.count >= limits->least_results;
	if (!band->judged)
		return;
	find_usual_bandwidth(band, limits);
	/* Few figures say little about their scatter. */
	low = 1 - FAR_OUT * (1 + FEW_FIGURES / count) * band->deviation;
	if (low < LEAST_SHARE_EXCUSED || band->spread.count < ENOUGH_FIGURES)
		low = LEAST_SHARE_EXCUSED;
	if (low > limits->bandwidth_share)
		low = limits->bandwidth_share;
	band->least = band->median * low;
}

static void class_judge(struct class *class, const struct judge_limits *limits)
{
	double low, spread, high, usual;

	band_judge(&class->bandwidth, limits);
	band_judge(&class->both, limits);
	class->most_latency = 0;
	if (class->latency.count < limits->least_results)
		return;
	usual = spread_quantile(&class->latency, 0.5);
	high = spread_quantile(&class->latency, 0.75);
	spread = (high - usual) / QUARTILE;
	low = spread_quantile(&class->latency, 0.25);
	if (low * limits->latency_factor < usual) {
		usual = low;
		spread = 0;
	}
	class->usual_latency = usual;
	high = usual + FAR_OUT * spread;
	if (high > usual * MOST_LATENESS_EXCUSED)
		high = usual * MOST_LATENESS_EXCUSED;
	if (high < usual * limits->latency_factor)
		high = usual * limits->latency_factor;
	class->most_latency = high;
}

void classes_judge(struct judge *judge)
{
	for (size_t i = 0; i < judge->class_count; i++)
		class_judge(&judge->classes[i], &judge->limits);
}

struct rate_count {
	uint64_t rate;
	uint32_t count;
};

/* More rates than one rail has; any others are unusual. */
enum { RATES_COUNTED = 16 };

static size_t count_rates(const struct judge *judge, uint16_t rail, struct rate_count *counts,
			  uint32_t *ret_all)
{
	size_t count = 0;

	*ret_all = 0;
	for (uint32_t i = 0; i < judge->host_count; i++) {
		uint64_t rate;
		size_t j = 0;

		if (rail >= judge->hosts[i].rail_count || !judge->hosts[i].rails[rail].rate_mbps)
			continue;
		rate = judge->hosts[i].rails[rail].rate_mbps;
		++*ret_all;
		while (j < count && counts[j].rate != rate)
			j++;
		if (j == RATES_COUNTED)
			continue;
		if (j == count)
			counts[count++] = (struct rate_count){.rate = rate};
		counts[j].count++;
	}
	return count;
}

static uint8_t rate_number(struct judge *judge, uint64_t rate)
{
	uint8_t i = 1;

	while (i <= MOST_RATES && judge->rates[i] && judge->rates[i] != rate)
		i++;
	if (i > MOST_RATES)
		return 0;
	judge->rates[i] = rate;
	return i;
}

/*
 * Hosts of two generations have two rates, and each is compared with its like. A rate that less
 * than a tenth of the ports has, or only one port where others are alike, is no generation but a
 * fault: that port is compared with the most common rate.
 */
static bool is_generation(const struct rate_count *rate, const struct rate_count *usual,
			  uint32_t all)
{
	return rate->count * UINT64_C(10) >= all && (rate->count > 1 || usual->count == 1);
}

static void rates_of_rail(struct judge *judge, uint16_t rail)
{
	struct rate_count counts[RATES_COUNTED], usual = {0};
	uint32_t all;
	const size_t count = count_rates(judge, rail, counts, &all);

	for (size_t i = 0; i < count; i++)
		if (counts[i].count > usual.count ||
		    (counts[i].count == usual.count && counts[i].rate > usual.rate))
			usual = counts[i];
	for (uint32_t i = 0; i < judge->host_count; i++) {
		struct port *port = &judge->ports[port_number(i, rail)];
		uint64_t rate;

		if (rail >= judge->hosts[i].rail_count)
			continue;
		rate = judge->hosts[i].rails[rail].rate_mbps;
		for (size_t j = 0; j < count; j++)
			if (counts[j].rate == rate && !is_generation(&counts[j], &usual, all)) {
				port->slow_rate = rate < usual.rate;
				rate = usual.rate;
				break;
			}
		port->rate = rate ? rate_number(judge, rate) : 0;
	}
}

void rates_find(struct judge *judge)
{
	uint64_t sorted[MOST_RATES + 1] = {0};
	uint8_t place[MOST_RATES + 1] = {0};

	for (uint16_t rail = 0; rail < MESH_MOST_RAILS; rail++)
		rates_of_rail(judge, rail);
	/* class_find() takes the lower number for the lower rate, so the numbers must ascend. */
	for (uint8_t i = 1; i <= MOST_RATES && judge->rates[i]; i++) {
		place[i] = 1;
		for (uint8_t j = 1; j <= MOST_RATES && judge->rates[j]; j++)
			place[i] = (uint8_t)(place[i] + (judge->rates[j] < judge->rates[i]));
		sorted[place[i]] = judge->rates[i];
	}
	memcpy(judge->rates, sorted, sizeof(sorted));
	for (uint32_t i = 0; i < judge->port_count; i++)
		judge->ports[i].rate = place[judge->ports[i].rate];
}
