/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A distribution of times as bars of text, for people. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* From least_usec up to, but excluding, below_usec, in microseconds. */
struct histogram_bar {
	double least_usec;
	double below_usec;
	uint64_t count;
};

/* The width of the terminal that `out` writes to, or 80 if it is not a terminal. */
unsigned int render_columns(FILE *out);
/*
 * Writes a bar of that share (0 to 1) of the width, at least one step long: block characters in a
 * UTF-8 locale, otherwise '#'.
 */
void render_bar(FILE *out, double share, unsigned int width);
/*
 * Writes a heading and one line for each bar, or nothing if there are none: the range, the count,
 * its percentage of all, and a bar. No line is wider than `columns` unless its figures are; 0 takes
 * the width of the terminal that `out` writes to, or 80 if it is not a terminal. Bars are block
 * characters in a UTF-8 locale, otherwise '#'. Returns 0 or -errno of the write.
 */
int render_histogram(FILE *out, const struct histogram_bar *bars, size_t count,
		     unsigned int columns);
