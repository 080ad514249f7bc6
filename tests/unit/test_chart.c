/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Charts: every number of a drawing. A field is 560 x 260 pixels, its corner at 70, 40; the places
 * below are 70 + 560 * log(x / least) / log(most / least) and 40 + 260 * (1 - y / (1.05 * most)),
 * calculated by another program.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "render/chart.h"

#define HEAD(height)                                                                     \
	"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"860\" height=\"" height "\" " \
	"font-family=\"sans-serif\" font-size=\"12\">\n"                                 \
	"<style>.title{font-size:14px;font-weight:bold}.grid{stroke:#ddd}"               \
	".level{stroke:#c00;stroke-dasharray:4}.line{fill:none;stroke-width:2}</style>\n"
#define CHART(y, title)                          \
	"<g transform=\"translate(0," y ")\">\n" \
	"<text x=\"70.0\" y=\"20.0\" class=\"title\">" title "</text>\n"
#define X_TICK(x, words)                                                        \
	"<line class=\"grid\" x1=\"" x "\" y1=\"40\" x2=\"" x "\" y2=\"300\"/>" \
	"<text x=\"" x "\" y=\"316\" text-anchor=\"middle\">" words "</text>\n"
#define Y_TICK(y, words_y, words)                                               \
	"<line class=\"grid\" x1=\"70\" y1=\"" y "\" x2=\"630\" y2=\"" y "\"/>" \
	"<text x=\"64\" y=\"" words_y "\" text-anchor=\"end\">" words "</text>\n"
#define LEVEL(y) "<line class=\"level\" x1=\"70\" y1=\"" y "\" x2=\"630\" y2=\"" y "\"/>\n"
#define LINE(color, points) \
	"<polyline class=\"line\" stroke=\"" color "\" points=\"" points "\"/>\n"
#define POINT(x, y, color, words)                                                    \
	"<circle cx=\"" x "\" cy=\"" y "\" r=\"3\" fill=\"" color "\"><title>" words \
	"</title></circle>\n"
#define NAME(y, words_y, color, words)                                                \
	"<rect x=\"644\" y=\"" y "\" width=\"10\" height=\"10\" fill=\"" color "\"/>" \
	"<text x=\"660\" y=\"" words_y "\">" words "</text>\n"
#define LABELS(x, y)                                                          \
	"<text x=\"350.0\" y=\"338.0\" text-anchor=\"middle\">" x "</text>\n" \
	"<text x=\"70.0\" y=\"34.0\" text-anchor=\"end\">" y "</text>\n</g>\n"
#define BLUE  "#0072b2"
#define RED   "#d55e00"
#define GREEN "#009e73"

static char *draw(const struct chart *charts, size_t count)
{
	char *text;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	assert_int_equal(render_charts_svg(out, charts, count), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void lines(void **state)
{
	struct chart charts[3] = {
		{.title = "sent < got", .x_label = "depth", .y_label = "Gb/s", .level = 100},
		{.title = "not drawn"},
		{.title = "late", .x_label = "size", .y_label = "us", .bytes = true},
	};
	_cleanup_(freep) char *text = NULL;

	(void)state;
	chart_add(&charts[0], "a & b", 1, 50);
	chart_add(&charts[0], "c", 10, 200);
	chart_add(&charts[0], "a & b", 100, 100);
	chart_add(&charts[2], "one", 4096, 2);
	text = draw(charts, 3);
	assert_string_equal(
		text,
		HEAD("700") CHART("0", "sent &lt; got") X_TICK("70.0", "1") X_TICK(
			"154.3", "2") X_TICK("265.7", "5") X_TICK("350.0", "10")
			X_TICK("434.3", "20") X_TICK("545.7", "50") X_TICK("630.0", "100") Y_TICK(
				"300.0", "304.0",
				"0") Y_TICK("248.0", "252.0",
					    "42") Y_TICK("196.0", "200.0",
							 "84") Y_TICK("144.0", "148.0", "126")
				Y_TICK("92.0", "96.0", "168") Y_TICK("40.0", "44.0", "210") LEVEL(
					"176.2") LINE(BLUE, "70.0,238.1 630.0,176.2")
					POINT("70.0", "238.1", BLUE, "a &amp; b, 1: 50") POINT(
						"630.0", "176.2", BLUE, "a &amp; b, 100: 100")
						NAME("40", "50", BLUE,
						     "a &amp; b") LINE(RED, "350.0,52.4")
							POINT("350.0", "52.4", RED, "c, 10: 200")
								NAME("56", "66", RED, "c")
									LABELS("depth", "Gb/s")
		/* A single point is in the middle of one octave on each side. */
		CHART("350", "late") X_TICK("70.0", "2 KiB") X_TICK("350.0", "4 KiB")
			X_TICK("630.0", "8 KiB") Y_TICK("300.0", "304.0", "0") Y_TICK(
				"248.0", "252.0", "0.42") Y_TICK("196.0", "200.0", "0.84")
				Y_TICK("144.0", "148.0", "1.26") Y_TICK("92.0", "96.0", "1.68")
					Y_TICK("40.0", "44.0", "2.1") LINE(BLUE, "350.0,52.4")
						POINT("350.0", "52.4", BLUE, "one, 4 KiB: 2")
							NAME("40", "50", BLUE, "one")
								LABELS("size", "us") "</svg>\n");
	for (size_t i = 0; i < 3; i++) {
		chart_clear(&charts[i]);
		assert_int_equal(charts[i].count, 0);
		assert_null(charts[i].series);
	}
}

static void nothing(void **state)
{
	const struct chart empty = {.title = "empty", .level = 5};
	_cleanup_(freep) char *text = draw(&empty, 1);

	(void)state;
	assert_string_equal(text,
			    HEAD("350") "<text x=\"70.0\" y=\"20.0\" class=\"title\">nothing was "
					"measured</text>\n</svg>\n");
}

/* The labels at the ticks of an axis from one number to another. */
static char *ticks(double least, double most, bool bytes)
{
	struct chart chart = {
		.title = "", .x_label = "", .y_label = "", .bytes = bytes, .level = -1};
	char *words = NULL, *text;

	chart_add(&chart, "", most, 0);
	chart_add(&chart, "", least, 0);
	text = draw(&chart, 1);
	for (char *at = text; (at = strstr(at, "y=\"316\" text-anchor=\"middle\">"));) {
		at += strlen("y=\"316\" text-anchor=\"middle\">");
		mem_extend(&words, "%s%.*s", words ? "," : "", (int)strcspn(at, "<"), at);
	}
	/* Without a value above 0, the axis ends at 1; a level of 0 has no line. */
	assert_non_null(strstr(text, Y_TICK("40.0", "44.0", "1")));
	assert_null(strstr(text, "class=\"level\""));
	free(text);
	chart_clear(&chart);
	return words;
}

static void axes(void **state)
{
	static const struct {
		double least, most;
		bool bytes;
		const char *words;
	} samples[] = {
		{1, 1000, false, "1,2,5,10,20,50,100,200,500,1e+03"},
		{3, 40, false, "5,10,20"},
		{0.02, 0.3, false, "0.02,0.05,0.1,0.2"},
		{10, 20, false, "10,20"},
		{11, 19, false, NULL},
		/*
		 * Up to eight octaves every power of two has a tick, up to sixteen every second
		 * one.
		 */
		{1, 256, true,
		 "1 byte,2 bytes,4 bytes,8 bytes,16 bytes,32 bytes,64 bytes,128 bytes,256 bytes"},
		{1, 257, true, "1 byte,4 bytes,16 bytes,64 bytes,256 bytes"},
		{3, 17, true, "4 bytes,8 bytes,16 bytes"},
		{2, 1 << 17, true,
		 "2 bytes,8 bytes,32 bytes,128 bytes,512 bytes,2 KiB,8 KiB,32 KiB,128 KiB"},
		{2, 1 << 18, true, "2 bytes,16 bytes,128 bytes,1 KiB,8 KiB,64 KiB"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		_cleanup_(freep) char *words = ticks(samples[i].least, samples[i].most,
						     samples[i].bytes);

		if (samples[i].words)
			assert_string_equal(words, samples[i].words);
		else
			assert_null(words);
	}
}

/* Seven colours are used in turn; there is room for the names of the first sixteen series. */
static void many_series(void **state)
{
	struct chart chart = {.title = "", .x_label = "", .y_label = ""};
	_cleanup_(freep) char *text = NULL;
	char name[16];

	(void)state;
	for (int i = 0; i < 17; i++) {
		snprintf(name, sizeof(name), "s%d", i);
		chart_add(&chart, name, 1, 1);
		chart_add(&chart, name, 2, 1);
	}
	assert_int_equal(chart.count, 17);
	text = draw(&chart, 1);
	assert_non_null(strstr(text, NAME("136", "146", "#000000", "s6")));
	assert_non_null(strstr(text, NAME("152", "162", BLUE, "s7")));
	assert_non_null(strstr(text, NAME("280", "290", RED, "s15")));
	assert_null(strstr(text, ">s16<"));
	assert_non_null(strstr(text, POINT("630.0", "52.4", GREEN, "s16, 2: 1")));
	chart_clear(&chart);
}

static void check_bars(const struct chart *chart, unsigned int columns, const char *wanted)
{
	_cleanup_(freep) char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	assert_int_equal(render_chart_text(out, chart, columns), 0);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, wanted);
}

#define TEN "##########"

static void bars(void **state)
{
	struct chart chart = {.title = "title", .bytes = true, .level = 400};

	(void)state;
	setenv("LC_ALL", "C", 1);
	check_bars(&chart, 80, "");
	chart_add(&chart, "first", 1024, 420);
	chart_add(&chart, "second", 65536, 210);
	chart_add(&chart, "second", 1, 0.12345);
	/* The bars take what 24 columns leave, at least 10; a full bar is 441. */
	check_bars(&chart, 44,
		   "\ntitle\nfirst\n     1 KiB         420  " TEN "#########\n"
		   "second\n    64 KiB         210  " TEN "\n    1 byte      0.1235  #\n");
	check_bars(&chart, 35,
		   "\ntitle\nfirst\n     1 KiB         420  " TEN "\n"
		   "second\n    64 KiB         210  #####\n    1 byte      0.1235  #\n");
	for (unsigned int columns = 1; columns <= 34; columns++)
		check_bars(&chart, columns,
			   "\ntitle\nfirst\n     1 KiB         420  " TEN "\n"
			   "second\n    64 KiB         210  #####\n    1 byte      0.1235  #\n");
	/* Into a file, the width is 80 columns. */
	check_bars(&chart, 0,
		   "\ntitle\nfirst\n     1 KiB         420  " TEN TEN TEN TEN TEN "###\n"
		   "second\n    64 KiB         210  " TEN TEN "#######\n"
		   "    1 byte      0.1235  #\n");
	chart.level = 840;
	check_bars(&chart, 44,
		   "\ntitle\nfirst\n     1 KiB         420  " TEN "\n"
		   "second\n    64 KiB         210  #####\n    1 byte      0.1235  #\n");
	chart_clear(&chart);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),       cmocka_unit_test(nothing), cmocka_unit_test(axes),
		cmocka_unit_test(many_series), cmocka_unit_test(bars),
	};

	return cmocka_run_group_tests_name("chart", tests, NULL, NULL);
}
