/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The distribution of many positive figures in little memory. Up to SPREAD_EXACT figures are
 * stored; beyond that, only how many are in each of 512 parts of an octave, so that a quantile is
 * wrong by at most 1/1024, 0.1 %.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define SPREAD_EXACT 256u

struct spread {
	uint64_t count;
	double *exact;	/* NULL once there are too many */
	bool sorted;	/* `exact` is sorted */
	uint32_t *bins; /* NULL while `exact` is used */
};

/* Smaller figures, also negative ones, count as the smallest that there is, 2^-10. */
void spread_add(struct spread *spread, double figure);
/* The figure that this part of all (0 to 1) does not exceed; 0 if there are none. */
double spread_quantile(struct spread *spread, double part);
/* Number of figures below this one. */
uint64_t spread_count_below(const struct spread *spread, double figure);
void spread_clear(struct spread *spread);
