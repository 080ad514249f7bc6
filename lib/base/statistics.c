/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/statistics.h"

#include <stdlib.h>

#include "base/mem.h"

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return COMPARE(x, y);
}

/* Nearest rank: number ceil(count * permille / 1000), counted from 1. */
static uint64_t percentile(const uint64_t *sorted, size_t count, unsigned int permille)
{
	size_t rank = count / 1000 * permille + (count % 1000 * permille + 999) / 1000;

	return sorted[rank - 1];
}

static uint64_t median(const uint64_t *sorted, size_t count)
{
	uint64_t high = sorted[count / 2], low;

	if (count % 2)
		return high;
	low = sorted[count / 2 - 1];
	return low + (high - low) / 2;
}

/* sqrt() is in libm, which the program does not need otherwise. Newton's method, from above. */
static double square_root(double square)
{
	double root = square > 1 ? square : 1, next;

	if (square <= 0)
		return 0;
	while ((next = (root + square / root) / 2) < root)
		root = next;
	return root;
}

static double usec(uint64_t nsec)
{
	return (double)nsec / 1e3;
}

void statistics_compute(uint64_t *samples, size_t count, struct statistics *ret)
{
	double sum = 0, squares = 0, mean;

	*ret = (struct statistics){0};
	if (!count)
		return;
	qsort(samples, count, sizeof(*samples), compare);
	for (size_t i = 0; i < count; i++)
		sum += usec(samples[i]);
	mean = sum / (double)count;
	for (size_t i = 0; i < count; i++)
		squares += (usec(samples[i]) - mean) * (usec(samples[i]) - mean);
	ret->min_usec = usec(samples[0]);
	ret->p50_usec = usec(median(samples, count));
	ret->p90_usec = usec(percentile(samples, count, 900));
	ret->p99_usec = usec(percentile(samples, count, 990));
	ret->p999_usec = usec(percentile(samples, count, 999));
	ret->max_usec = usec(samples[count - 1]);
	ret->mean_usec = mean;
	ret->stddev_usec = square_root(squares / (double)count);
}

static void wide_subtract(struct wide *from, struct wide term)
{
	from->high -= term.high + (from->low < term.low);
	from->low -= term.low;
}

void moments_merge(struct moments *moments, const struct moments *other)
{
	moments->count += other->count;
	moments->sum += other->sum;
	wide_add(&moments->squares, other->squares);
}

void moments_compute(const struct moments *moments, double *ret_mean_usec, double *ret_stddev_usec)
{
	/* The mean is that of `whole` and the share `rest` / `count` of a nanosecond. */
	const uint64_t count = moments->count ? moments->count : 1;
	const uint64_t whole = moments->sum / count, rest = moments->sum % count;
	const double part = (double)rest / (double)count;
	/* The exact sum of the squares of all differences from `whole`. */
	struct wide squares = moments->squares;

	wide_subtract(&squares, wide_multiply(whole, moments->sum));
	wide_subtract(&squares, wide_multiply(whole, rest));
	*ret_mean_usec = usec(moments->sum) / (double)count;
	*ret_stddev_usec = square_root(((double)squares.high * 0x1p64 + (double)squares.low) /
					       (double)count -
				       part * part) /
			   1e3;
}

/*
 * The grids: the bounds 1, 2 and 5 in each decade, or the parts between these cut into equal steps
 * of 1/n, 2/n and 5/n of the decade's first number. GRID_DECADES has the decades alone.
 */
enum { GRID_DECADES, GRID_1_2_5, GRID_FINER };
static const unsigned int steps[] = {
	[GRID_FINER] = 2, 4, 10, 20, 40, 100, 200, 400, 1000,
};

/*
 * Returns the step at a value, and the part of the grid that the value is in: from *ret_start to
 * below *ret_end, which is 0 instead of 2^64 or more.
 */
static uint64_t grid_step(size_t grid, uint64_t value, uint64_t *ret_start, uint64_t *ret_end)
{
	uint64_t decade = 1, first = 1, end = 10;

	while (value / decade >= 10)
		decade *= 10;
	if (grid != GRID_DECADES) {
		first = value / decade >= 5 ? 5 : value / decade >= 2 ? 2 : 1;
		end = first == 1 ? 2 : first == 2 ? 5 : 10;
	}
	*ret_start = decade * first;
	*ret_end = end > UINT64_MAX / decade ? 0 : decade * end;
	/* If the step is not an integer, take the next coarser grid. */
	while (grid >= GRID_FINER && *ret_start % steps[grid])
		grid--;
	return grid >= GRID_FINER ? *ret_start / steps[grid] : *ret_end - *ret_start;
}

/* Returns the grid's highest bound that is not above the value. */
static uint64_t bound_below(size_t grid, uint64_t value)
{
	uint64_t start, end, step;

	if (!value)
		return 0;
	step = grid_step(grid, value, &start, &end);
	return value - (value - start) % step;
}

/* Returns the grid's lowest bound above the value; the last of all is UINT64_MAX. */
static uint64_t bound_above(size_t grid, uint64_t value)
{
	uint64_t start, end, step, below;

	if (!value)
		return 1;
	step = grid_step(grid, value, &start, &end);
	below = value - (value - start) % step;
	if (end && end - below <= step)
		return end;
	return below > UINT64_MAX - step ? UINT64_MAX : below + step;
}

/*
 * Returns how many buckets of the grid reach from a bound to beyond a value, or any number above
 * `most` if there are more than that.
 */
static size_t buckets_to(size_t grid, uint64_t bound, uint64_t value, size_t most)
{
	size_t count = 0;

	while (count <= most && bound <= value && bound != UINT64_MAX) {
		bound = bound_above(grid, bound);
		count++;
	}
	return count;
}

static size_t finest_grid(size_t grid, uint64_t least, uint64_t most_value, size_t most)
{
	while (grid > GRID_DECADES &&
	       buckets_to(grid, bound_below(grid, least), most_value, most) > most)
		grid--;
	return grid;
}

/* Adds buckets until one reaches beyond the value, or there are `most`. */
static void add_buckets(struct histogram *histogram, size_t grid, uint64_t bound, uint64_t value,
			size_t most)
{
	while (histogram->count < most && bound <= value && bound != UINT64_MAX) {
		struct bucket *bucket = &histogram->items[histogram->count++];

		bucket->least_nsec = bound;
		bound = bucket->below_nsec = bound_above(grid, bound);
	}
}

static void count_samples(struct histogram *histogram, const uint64_t *sorted, size_t count)
{
	struct bucket *bucket = histogram->items;
	const struct bucket *last = bucket + histogram->count - 1;

	for (size_t i = 0; i < count; i++) {
		while (bucket != last && sorted[i] >= bucket->below_nsec)
			bucket++;
		bucket->count++;
	}
}

void histogram_compute(const uint64_t *sorted, size_t count, struct histogram *ret)
{
	/* Leaves one bucket for samples below the bulk of them, and six for samples above. */
	enum { BULK_MOST = 13 };
	uint64_t low, high, bound;
	size_t grid;

	*ret = (struct histogram){.count = 0};
	if (!count)
		return;
	low = percentile(sorted, count, 10);
	high = percentile(sorted, count, 990);
	grid = finest_grid(ARRAY_SIZE(steps) - 1, low, high, BULK_MOST);
	bound = bound_below(grid, low);
	if (sorted[0] < bound) {
		ret->items[0].least_nsec = bound_below(GRID_1_2_5, sorted[0]);
		ret->items[0].below_nsec = bound;
		ret->count = 1;
	}
	add_buckets(ret, grid, bound, high, HISTOGRAM_MOST);
	bound = ret->items[ret->count - 1].below_nsec;
	if (sorted[count - 1] >= bound) {
		size_t most = HISTOGRAM_MOST - ret->count;

		grid = buckets_to(GRID_1_2_5, bound, sorted[count - 1], most) <= most
			       ? GRID_1_2_5
			       : GRID_DECADES;
		add_buckets(ret, grid, bound, sorted[count - 1], HISTOGRAM_MOST);
	}
	/* Even decades may not reach that far, or the sample is UINT64_MAX. */
	if (sorted[count - 1] >= ret->items[ret->count - 1].below_nsec)
		ret->items[ret->count - 1].below_nsec = bound_above(GRID_DECADES,
								    sorted[count - 1]);
	count_samples(ret, sorted, count);
}
