/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mesh/judge/judge_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/*
 * In a double, 52 bits of fraction follow 11 of exponent (IEEE 754, binary64), so its leading bits
 * number the parts of the octaves.
 */
enum {
	FRACTION_BITS = 52,
	PART_BITS = 9,
	LEAST_OCTAVE = -10,
	OCTAVES = 36,
	BINS = OCTAVES << PART_BITS,
};

static double least_figure(void)
{
	return 1.0 / (1 << -LEAST_OCTAVE);
}

static uint64_t bits_of(double figure)
{
	uint64_t bits;

	memcpy(&bits, &figure, sizeof(bits));
	return bits >> (FRACTION_BITS - PART_BITS);
}

static size_t bin_of(double figure)
{
	const uint64_t first = bits_of(least_figure());
	uint64_t bits;

	if (!(figure > least_figure()))
		return 0;
	bits = bits_of(figure) - first;
	return bits < BINS ? bits : BINS - 1;
}

/* The least figure of a bin. */
static double bin_start(size_t bin)
{
	uint64_t bits = (bits_of(least_figure()) + bin) << (FRACTION_BITS - PART_BITS);
	double figure;

	memcpy(&figure, &bits, sizeof(figure));
	return figure;
}

void spread_add(struct spread *spread, double figure)
{
	if (!(figure > least_figure()))
		figure = least_figure();
	if (!spread->exact && !spread->bins)
		spread->exact = mem_alloc_zero(SPREAD_EXACT, sizeof(*spread->exact));
	if (spread->count == SPREAD_EXACT && spread->exact) {
		spread->bins = mem_alloc_zero(BINS, sizeof(*spread->bins));
		for (size_t i = 0; i < spread->count; i++)
			spread->bins[bin_of(spread->exact[i])]++;
		free(spread->exact);
		spread->exact = NULL;
	}
	if (spread->exact)
		spread->exact[spread->count] = figure;
	else if (spread->bins[bin_of(figure)] != UINT32_MAX)
		spread->bins[bin_of(figure)]++;
	spread->count++;
	spread->sorted = false;
}

static int compare(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return COMPARE(*a, *b);
}

static double exact_quantile(struct spread *spread, double place)
{
	size_t below = (size_t)place;
	double low;

	if (!spread->sorted)
		qsort(spread->exact, spread->count, sizeof(*spread->exact), compare);
	spread->sorted = true;
	low = spread->exact[below];
	if (below + 1 >= spread->count)
		return low;
	return low + (spread->exact[below + 1] - low) * (place - (double)below);
}

double spread_quantile(struct spread *spread, double part)
{
	double place, before = 0;

	if (!spread->count)
		return 0;
	place = part * (double)(spread->count - 1);
	if (spread->exact)
		return exact_quantile(spread, place);
	for (size_t i = 0; i < BINS; i++) {
		if (before + spread->bins[i] > place)
			return (bin_start(i) + bin_start(i + 1)) / 2;
		before += spread->bins[i];
	}
	return bin_start(BINS);
}

uint64_t spread_count_below(const struct spread *spread, double figure)
{
	uint64_t below = 0;

	if (spread->exact)
		for (size_t i = 0; i < spread->count; i++)
			below += spread->exact[i] < figure;
	else if (spread->bins)
		for (size_t i = 0, end = bin_of(figure); i < end; i++)
			below += spread->bins[i];
	return below;
}

void spread_clear(struct spread *spread)
{
	free(spread->exact);
	free(spread->bins);
	*spread = (struct spread){0};
}
