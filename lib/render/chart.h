/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Charts of measured numbers: lines over a logarithmic axis as SVG, or bars of text for a terminal.
 * A chart owns what it points to, except its title and the labels of its axes, which are constant.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct chart_point {
	double x, y; /* x above 0 */
};

struct chart_series {
	char *name;
	struct chart_point *points;
	size_t count;
};

struct chart {
	const char *title, *x_label, *y_label;
	bool bytes;   /* x is a number of bytes; ticks are at powers of two */
	double level; /* a line across the chart for comparison; 0: none */
	struct chart_series *series;
	size_t count;
};

/* Adds a point to the series of that name, which is made if there is none. */
void chart_add(struct chart *chart, const char *name, double x, double y);
void chart_clear(struct chart *chart);
/*
 * Writes all charts that have points, one below the other, as one document. Returns 0 or -errno of
 * the write.
 */
int render_charts_svg(FILE *out, const struct chart *charts, size_t count);
/*
 * Writes a heading and a bar for each point, or nothing if there are none. `columns` 0 takes the
 * width of the terminal that `out` writes to. Returns 0 or -errno.
 */
int render_chart_text(FILE *out, const struct chart *chart, unsigned int columns);
