/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Percentiles and distribution of many samples of a time. Samples are in nanoseconds; the array is
 * the caller's.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * In microseconds. p90, p99 and p99.9 are by nearest rank: the smallest sample that at least that
 * share of the samples does not exceed. p50 is the median in the same way as perftest's t_typical:
 * for an even number of samples, the mean of the two in the middle, in whole nanoseconds. The
 * deviation is that of the samples themselves (division by their count). Without samples all are 0.
 */
struct statistics {
	double min_usec;
	double p50_usec;
	double p90_usec;
	double p99_usec;
	double p999_usec;
	double max_usec;
	double mean_usec;
	double stddev_usec;
};

/* The samples with least_nsec <= sample < below_nsec. */
struct bucket {
	uint64_t least_nsec;
	uint64_t below_nsec;
	uint64_t count;
};

enum { HISTOGRAM_MOST = 20 };

struct histogram {
	struct bucket items[HISTOGRAM_MOST];
	size_t count; /* 0 without samples */
};

/* A number of 128 bits: processors with 32 bits have no __int128. */
struct wide {
	uint64_t high, low;
};

static inline struct wide wide_multiply(uint64_t a, uint64_t b)
{
	const uint64_t low = (uint64_t)(uint32_t)a * (uint32_t)b;
	/* Neither sum exceeds 64 bits: the product of two halves is at most 2^64 - 2 * 2^32 + 1. */
	const uint64_t middle = (a >> 32) * (uint32_t)b + (low >> 32);
	const uint64_t other = (uint32_t)a * (b >> 32) + (uint32_t)middle;

	return (struct wide){
		.high = (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32),
		.low = other << 32 | (uint32_t)low,
	};
}

static inline void wide_add(struct wide *sum, struct wide term)
{
	sum->low += term.low;
	sum->high += term.high + (sum->low < term.low);
}

/* Sums that give mean and deviation of all samples where only some of them are kept. */
struct moments {
	uint64_t count, sum;
	struct wide squares;
};

static inline void moments_add(struct moments *moments, uint64_t sample)
{
	moments->count++;
	moments->sum += sample;
	wide_add(&moments->squares, wide_multiply(sample, sample));
}

/* Adds the sums of the other samples. */
void moments_merge(struct moments *moments, const struct moments *other);
/* Computes both in microseconds; without samples they are 0. */
void moments_compute(const struct moments *moments, double *ret_mean_usec, double *ret_stddev_usec);
/* Sorts the samples in place. */
void statistics_compute(uint64_t *samples, size_t count, struct statistics *ret);
/*
 * Counts each of the samples, which are sorted, in one bucket; the first and the last bucket are
 * not empty. The buckets adjoin. Between the 1st and the 99th percentile they are as narrow as they
 * can be, outside wide, so that one outlier does not hide the shape of all others.
 */
void histogram_compute(const uint64_t *sorted, size_t count, struct histogram *ret);
