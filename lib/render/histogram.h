/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A distribution of times as bars of text, for people. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* From least_usec to below below_usec, in microseconds. */
struct histogram_bar {
	double least_usec;
	double below_usec;
	uint64_t count;
};

/*
 * Writes a heading and one line a bar to standard output, nothing if there is none: the range, how
 * many, how many percent of all, and a bar. No line is wider than `columns` unless its figures
 * are; 0 stands for the terminal's width, or 80 where standard output is none. Bars are block
 * characters in a UTF-8 locale, else '#'. 0 or -errno of the write.
 */
int render_histogram(const struct histogram_bar *bars, size_t count, unsigned int columns);
