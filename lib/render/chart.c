/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "render/chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "render/histogram.h"

/* In pixels: the plot area of a chart, and what is around it. */
enum {
	FIELD_WIDTH = 560,
	FIELD_HEIGHT = 260,
	MARGIN_LEFT = 70,
	MARGIN_RIGHT = 230, /* the names of the series */
	MARGIN_TOP = 40,
	MARGIN_BOTTOM = 50,
	CHART_WIDTH = MARGIN_LEFT + FIELD_WIDTH + MARGIN_RIGHT,
	CHART_HEIGHT = MARGIN_TOP + FIELD_HEIGHT + MARGIN_BOTTOM,
	LEGEND_LINE = 16,
	TICKS = 5,
	LOG_DIGITS = 20,
	MOST_BYTE_TICKS = 8,
	CHART_NAMES = FIELD_HEIGHT / LEGEND_LINE,
};

/* Okabe and Ito's colours, which colour-blind readers can tell apart. */
static const char *const colors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
				     "#e69f00", "#56b4e9", "#000000"};

/* The ranges of the axes; y begins at 0. */
struct scale {
	double least_x, most_x, most_y;
};

void chart_add(struct chart *chart, const char *name, double x, double y)
{
	struct chart_series *series = NULL;

	for (size_t i = 0; i < chart->count && !series; i++)
		if (!strcmp(chart->series[i].name, name))
			series = &chart->series[i];
	if (!series) {
		series = mem_append(&chart->series, &chart->count, sizeof(*chart->series));
		*series = (struct chart_series){.name = mem_string(name)};
	}
	MEM_ADD(series->points, series->count) = (struct chart_point){x, y};
}

void chart_clear(struct chart *chart)
{
	for (size_t i = 0; i < chart->count; i++) {
		free(chart->series[i].name);
		free(chart->series[i].points);
	}
	free(chart->series);
	chart->series = NULL;
	chart->count = 0;
}

static struct scale scale_of(const struct chart *chart)
{
	struct scale scale = {.most_y = chart->level};

	for (size_t i = 0; i < chart->count; i++)
		for_each_in (point, chart->series[i].points, chart->series[i].count) {
			if (!(scale.least_x > 0) || point->x < scale.least_x)
				scale.least_x = point->x;
			if (point->x > scale.most_x)
				scale.most_x = point->x;
			if (point->y > scale.most_y)
				scale.most_y = point->y;
		}
	/* A single point is placed in the middle. */
	if (!(scale.most_x > scale.least_x)) {
		scale.least_x /= 2;
		scale.most_x *= 2;
	}
	scale.most_y = scale.most_y > 0 ? scale.most_y * 1.05 : 1;
	return scale;
}

/*
 * The logarithm to base 2, to a millionth: libm would be one more library to load at each start.
 * Squaring a number doubles its logarithm, so each step gives a binary digit (Knuth, The Art of
 * Computer Programming 1, 1.2.2, exercise 25).
 */
static double log2_of(double number)
{
	double digit = 1, result;
	int exponent;

	number = 2 * frexp(number, &exponent);
	result = exponent - 1;
	for (int i = 0; i < LOG_DIGITS; i++) {
		number *= number;
		digit /= 2;
		if (number >= 2) {
			number /= 2;
			result += digit;
		}
	}
	return result;
}

static double place_x(const struct scale *scale, double x)
{
	return MARGIN_LEFT +
	       FIELD_WIDTH * log2_of(x / scale->least_x) / log2_of(scale->most_x / scale->least_x);
}

static double place_y(const struct scale *scale, double y)
{
	return MARGIN_TOP + FIELD_HEIGHT * (1 - y / scale->most_y);
}

/* Formats x as "4 KiB", or as a number. */
static char *x_text(const struct chart *chart, double x)
{
	return chart->bytes ? text_bytes((uint64_t)(x + 0.5)) : mem_format("%.3g", x);
}

static void add_tick(struct text_buffer *text, const struct chart *chart, const struct scale *scale,
		     double x)
{
	_cleanup_(freep) char *words = x_text(chart, x);
	const double place = place_x(scale, x);

	text_buffer_add(text,
			"<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>"
			"<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
			place, MARGIN_TOP, place, MARGIN_TOP + FIELD_HEIGHT, place,
			MARGIN_TOP + FIELD_HEIGHT + LEGEND_LINE, words);
}

/* Ticks at powers of two, at most nine. */
static void add_byte_ticks(struct text_buffer *text, const struct chart *chart,
			   const struct scale *scale)
{
	const double octaves = log2_of(scale->most_x / scale->least_x);
	double at = 1, step = 2;

	for (double most = MOST_BYTE_TICKS; octaves > most; most += MOST_BYTE_TICKS)
		step *= 2;
	while (at < scale->least_x)
		at *= 2;
	for (; at <= scale->most_x; at *= step)
		add_tick(text, chart, scale, at);
}

/* Ticks at 1, 2 and 5 of each power of ten. */
static void add_decimal_ticks(struct text_buffer *text, const struct chart *chart,
			      const struct scale *scale)
{
	static const double digits[] = {1, 2, 5};
	double power = 1;

	while (power > scale->least_x)
		power /= 10;
	while (power * 10 <= scale->least_x)
		power *= 10;
	for (; power <= scale->most_x; power *= 10)
		for (size_t i = 0; i < ARRAY_SIZE(digits); i++)
			if (power * digits[i] >= scale->least_x &&
			    power * digits[i] <= scale->most_x)
				add_tick(text, chart, scale, power * digits[i]);
}

static void add_ticks(struct text_buffer *text, const struct chart *chart,
		      const struct scale *scale)
{
	if (chart->bytes)
		add_byte_ticks(text, chart, scale);
	else
		add_decimal_ticks(text, chart, scale);
	for (int i = 0; i <= TICKS; i++) {
		const double y = scale->most_y * i / TICKS;

		text_buffer_add(text,
				"<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>"
				"<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.3g</text>\n",
				MARGIN_LEFT, place_y(scale, y), MARGIN_LEFT + FIELD_WIDTH,
				place_y(scale, y), MARGIN_LEFT - 6, place_y(scale, y) + 4, y);
	}
}

static void add_series(struct text_buffer *text, const struct chart *chart,
		       const struct scale *scale, size_t number)
{
	const struct chart_series *series = &chart->series[number];
	const char *color = colors[number % ARRAY_SIZE(colors)];

	text_buffer_add(text, "<polyline class=\"line\" stroke=\"%s\" points=\"", color);
	for (size_t i = 0; i < series->count; i++)
		text_buffer_add(text, "%s%.1f,%.1f", i ? " " : "",
				place_x(scale, series->points[i].x),
				place_y(scale, series->points[i].y));
	text_buffer_add(text, "\"/>\n");
	for (size_t i = 0; i < series->count; i++) {
		_cleanup_(freep) char *x = x_text(chart, series->points[i].x);

		text_buffer_add(text, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"><title>",
				place_x(scale, series->points[i].x),
				place_y(scale, series->points[i].y), color);
		text_buffer_add_xml(text, series->name);
		text_buffer_add(text, ", %s: %.4g</title></circle>\n", x, series->points[i].y);
	}
	if (number >= CHART_NAMES)
		return;
	text_buffer_add(text,
			"<rect x=\"%d\" y=\"%zu\" width=\"10\" height=\"10\" fill=\"%s\"/>"
			"<text x=\"%d\" y=\"%zu\">",
			MARGIN_LEFT + FIELD_WIDTH + 14, MARGIN_TOP + number * LEGEND_LINE, color,
			MARGIN_LEFT + FIELD_WIDTH + 30, MARGIN_TOP + number * LEGEND_LINE + 10);
	text_buffer_add_xml(text, series->name);
	text_buffer_add(text, "</text>\n");
}

static void add_label(struct text_buffer *text, double x, double y, const char *style,
		      const char *words)
{
	text_buffer_add(text, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, style);
	text_buffer_add_xml(text, words);
	text_buffer_add(text, "</text>\n");
}

static void add_chart(struct text_buffer *text, const struct chart *chart, size_t place)
{
	const struct scale scale = scale_of(chart);

	text_buffer_add(text, "<g transform=\"translate(0,%zu)\">\n", place * CHART_HEIGHT);
	add_label(text, MARGIN_LEFT, 20, "class=\"title\"", chart->title);
	add_ticks(text, chart, &scale);
	if (chart->level > 0)
		text_buffer_add(text,
				"<line class=\"level\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" "
				"y2=\"%.1f\"/>\n",
				MARGIN_LEFT, place_y(&scale, chart->level),
				MARGIN_LEFT + FIELD_WIDTH, place_y(&scale, chart->level));
	for (size_t i = 0; i < chart->count; i++)
		add_series(text, chart, &scale, i);
	add_label(text, MARGIN_LEFT + FIELD_WIDTH / 2.0, CHART_HEIGHT - 12,
		  "text-anchor=\"middle\"", chart->x_label);
	add_label(text, MARGIN_LEFT, MARGIN_TOP - 6, "text-anchor=\"end\"", chart->y_label);
	text_buffer_add(text, "</g>\n");
}

int render_charts_svg(FILE *out, const struct chart *charts, size_t count)
{
	_cleanup_(freep) char *document = NULL;
	struct text_buffer text = {0};
	size_t shown = 0, place = 0;

	for (size_t i = 0; i < count; i++)
		shown += charts[i].count > 0;
	text_buffer_add(&text,
			"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%zu\" "
			"font-family=\"sans-serif\" font-size=\"12\">\n"
			"<style>.title{font-size:14px;font-weight:bold}.grid{stroke:#ddd}"
			".level{stroke:#c00;stroke-dasharray:4}.line{fill:none;stroke-width:2}"
			"</style>\n",
			CHART_WIDTH, (shown ? shown : 1) * CHART_HEIGHT);
	if (!shown)
		add_label(&text, MARGIN_LEFT, 20, "class=\"title\"", "nothing was measured");
	for (size_t i = 0; i < count; i++)
		if (charts[i].count)
			add_chart(&text, &charts[i], place++);
	text_buffer_add(&text, "</svg>\n");
	document = text_buffer_take(&text);
	fputs(document, out);
	return file_error(out);
}

/* ---- For a terminal ---- */

enum { X_WIDTH = 10, Y_WIDTH = 10, BAR_GAP = 2, CHART_LEAST_BAR = 10 };

int render_chart_text(FILE *out, const struct chart *chart, unsigned int columns)
{
	const struct scale scale = scale_of(chart);
	const unsigned int width = columns ? columns : render_columns(out);
	const unsigned int beside = X_WIDTH + Y_WIDTH + 2 * BAR_GAP;
	const unsigned int bar = width > beside + CHART_LEAST_BAR ? width - beside
								  : CHART_LEAST_BAR;

	if (!chart->count)
		return 0;
	fprintf(out, "\n%s\n", chart->title);
	for_each_in (series, chart->series, chart->count) {
		fprintf(out, "%s\n", series->name);
		for (size_t j = 0; j < series->count; j++) {
			_cleanup_(freep) char *x = x_text(chart, series->points[j].x);

			fprintf(out, "%*s%*s%*.4g%*s", X_WIDTH, x, BAR_GAP, "", Y_WIDTH,
				series->points[j].y, BAR_GAP, "");
			render_bar(out, series->points[j].y / scale.most_y, bar);
			putc('\n', out);
		}
	}
	return file_error(out);
}
