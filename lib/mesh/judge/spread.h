/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The distribution of many positive figures in little memory. Up to SPREAD_EXACT figures are kept;
 * of more, only how many are in each of 512 parts of an octave, so that a quantile is wrong by at
 * most 1/1024, 0.1 %.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPREAD_EXACT 256u

struct spread {
	uint64_t count;
	double *exact;	/* NULL as soon as there are too many */
	bool sorted;	/* they are */
	uint32_t *bins; /* NULL until then */
};

/* Figures that are not positive are taken as the least that there is, 2^-10. */
void spread_add(struct spread *spread, double figure);
/* The figure that a part of all (0 to 1) is not above; 0 of none. */
double spread_quantile(struct spread *spread, double part);
/* How many are below the figure. */
uint64_t spread_count_below(const struct spread *spread, double figure);
void spread_clear(struct spread *spread);
