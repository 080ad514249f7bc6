/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Heat maps, byte by byte: each colour at its limit and just below it, several maps, cells for
 * several hosts, and the room for a text.
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
#include "mesh/form/heat.h"

enum { MOST_HOSTS = 200 };

struct bed {
	struct mesh_host hosts[MOST_HOSTS];
	char names[MOST_HOSTS][8];
	double medians[HEAT_MAPS];
	struct heat *heat;
};

static int set_up(void **state)
{
	struct bed *bed = mem_alloc_zero(1, sizeof(*bed));

	*state = bed;
	for (uint32_t i = 0; i < MOST_HOSTS; i++) {
		snprintf(bed->names[i], sizeof(bed->names[i]), "n%u", i + 1);
		bed->hosts[i].name = bed->names[i];
	}
	for (size_t i = 0; i < HEAT_MAPS; i++)
		bed->medians[i] = i < HEAT_BOTH_WAYS ? 100 : 200;
	return 0;
}

static int tear_down(void **state)
{
	struct bed *bed = *state;

	heat_free(bed->heat);
	free(bed);
	return 0;
}

static void begin(struct bed *bed, uint32_t hosts)
{
	heat_free(bed->heat);
	bed->heat = heat_new(bed->hosts, hosts, NULL);
}

/* What each end sent, one after the other. */
static void take(struct bed *bed, uint32_t a, uint32_t b, double from_a, double from_b)
{
	heat_take(bed->heat,
		  &(const struct mesh_result){.pair = {a, b, 0, 0},
					      .gbps = {real_of(from_a), real_of(from_b)}});
}

static void take_outcome(struct bed *bed, uint32_t a, uint32_t b, uint16_t rail,
			 enum mesh_outcome outcome)
{
	heat_take(bed->heat,
		  &(const struct mesh_result){.pair = {a, b, rail, rail}, .outcome = outcome});
}

static void expect_text(const struct bed *bed, unsigned int columns, const char *wanted)
{
	_cleanup_(freep) char *text = heat_text(bed->heat, bed->medians, columns);
	_cleanup_(freep) char *whole = mem_format(
		"%srows send, columns receive, the worst of all rails: . 93 %% of the median or "
		"more, - 75 %%, + 50 %%, # less, X failed",
		wanted);

	assert_true(strlen(text) >= strlen(whole));
	assert_memory_equal(text, whole, strlen(whole));
	assert_string_equal(text + strlen(whole), "\n");
}

/* Each colour at its lowest share, and just below it. */
static void take_all_colors(struct bed *bed)
{
	begin(bed, 4);
	take(bed, 0, 1, 93, 92.9);
	take(bed, 0, 2, 74.9, 100);
	take(bed, 0, 3, 50, 49.9);
	take_outcome(bed, 1, 2, 0, MESH_FAIL);
	take(bed, 1, 2, 100, 100);
	take_outcome(bed, 1, 3, 0, MESH_PASS);
	take(bed, 2, 3, 100, 100);
	take(bed, 2, 3, 75, 110);
	take(bed, 2, 3, 90, 120);
}

static const char head[] =
	"font-family=\"sans-serif\" font-size=\"12\">\n"
	"<style>rect.k0{fill:#f5f7fa}.k1{fill:#8fd3b0}.k2{fill:#f2d16b}.k3{fill:#f2994a}"
	".k4{fill:#d64545}.k5{fill:#1f2933}</style>\n";

static const char legend[] = "<rect x=\"24\" y=\"30\" width=\"12\" height=\"12\" class=\"k1\"/>"
			     "<text x=\"40\" y=\"40\">93 % of the median or more</text>\n"
			     "<rect x=\"210\" y=\"30\" width=\"12\" height=\"12\" class=\"k2\"/>"
			     "<text x=\"226\" y=\"40\">75 %</text>\n"
			     "<rect x=\"286\" y=\"30\" width=\"12\" height=\"12\" class=\"k3\"/>"
			     "<text x=\"302\" y=\"40\">50 %</text>\n"
			     "<rect x=\"362\" y=\"30\" width=\"12\" height=\"12\" class=\"k4\"/>"
			     "<text x=\"378\" y=\"40\">less</text>\n"
			     "<rect x=\"438\" y=\"30\" width=\"12\" height=\"12\" class=\"k5\"/>"
			     "<text x=\"454\" y=\"40\">failed</text>\n";

#define AT(x, y, width) \
	"<rect x=\"" x "\" y=\"" y "\" width=\"" width "\" height=\"96.00\" class=\""
#define BELOW(percent)	       "less than " percent " % of the median"
#define GOOD		       "k1\"/>\n"
#define BAD(kind, pair, words) kind "\"><title>" pair ": " words "</title></rect>\n"
#define MAP(x, y, title)                                                          \
	"<g transform=\"translate(" x " " y ")\"><text y=\"-5\">" title "</text>" \
	"<rect width=\"384\" height=\"384\" class=\"k0\"/>\n"

static void expect_svg(const struct bed *bed, const char *size, const char *title, const char *maps)
{
	_cleanup_(freep) char *svg = heat_svg(bed->heat, bed->medians);
	_cleanup_(freep) char *wanted = mem_format(
		"<svg xmlns=\"http://www.w3.org/2000/svg\" %s %s<text x=\"24\" "
		"y=\"20\">%s</text>\n%s%s</svg>\n",
		size, head, title, legend, maps);

	assert_string_equal(svg, wanted);
}

static void colors(void **state)
{
	struct bed *bed = *state;

	take_all_colors(bed);
	expect_text(bed, 80,
		    "n1                . + +\n"
		    "n2              -   X .\n"
		    "n3              . X   -\n"
		    "n4              # . .\n");
	expect_svg(
		bed, "width=\"432\" height=\"482\"", "4 hosts: rows send, columns receive",
		MAP("24", "74", "rail 0") AT("96.00", "0.00", "96.00") GOOD AT(
			"192.00", "0.00", "96.00") BAD("k3", "n1 sends to n3",
						       BELOW("75")) AT("288.00", "0.00", "96.00")
			BAD("k3", "n1 sends to n4", BELOW("75")) AT("0.00", "96.00", "96.00") BAD(
				"k2", "n2 sends to n1", BELOW("93")) AT("192.00", "96.00", "96.00")
				BAD("k5", "n2 sends to n3", "failed") AT("288.00", "96.00", "96.00")
					GOOD AT("0.00", "192.00", "96.00") GOOD AT(
						"96.00", "192.00",
						"96.00") BAD("k5", "n3 sends to n2", "failed")
						AT("288.00", "192.00",
						   "96.00") BAD("k2", "n3 sends to n4", BELOW("93"))
							AT("0.00", "288.00", "96.00") BAD(
								"k4", "n4 sends to n1", BELOW("50"))
								AT("96.00", "288.00", "192.00") GOOD
		"</g>\n");
	/* Where the median is not known, what passed is good. */
	bed->medians[0] = 0;
	expect_text(bed, 80,
		    "n1                . . .\n"
		    "n2              .   X .\n"
		    "n3              . X   .\n"
		    "n4              . . .\n");
}

/* Both directions at once appear as a sum, on a separate map; unless only one is known. */
static void both_ways(void **state)
{
	struct bed *bed = *state;
	struct mesh_result result = {.pair = {1, 0, 2, 3}, .both_gbps = {real_of(90), real_of(10)}};

	begin(bed, 4);
	heat_take(bed->heat, &result);
	result.pair = (struct mesh_pair){2, 3, 2, 2};
	result.both_gbps[MESH_END_B].known = false;
	heat_take(bed->heat, &result);
	result.both_gbps[MESH_END_B].known = true;
	result.both_gbps[MESH_END_A].known = false;
	heat_take(bed->heat, &result);
	expect_svg(bed, "width=\"1656\" height=\"482\"", "4 hosts: rows send, columns receive",
		   MAP("24", "74", "rail 2") AT("0.00", "96.00", "96.00")
			   GOOD AT("288.00", "192.00", "96.00") GOOD AT("192.00", "288.00", "96.00")
				   GOOD "</g>\n" MAP("432", "74", "rail 3")
					   AT("96.00", "0.00", "96.00") GOOD
		   "</g>\n" MAP("840", "74", "rail 2, both ways at once, the sum")
			   AT("0.00", "96.00", "96.00")
				   BAD("k3", "n2 sends to n1", BELOW("75")) "</g>\n" MAP(
					   "1248", "74", "rail 3, both ways at once, the sum")
					   AT("96.00", "0.00", "96.00") BAD("k3", "n1 sends to n2",
									    BELOW("75")) "</g>\n");
	expect_text(bed, 80,
		    "n1                +\n"
		    "n2              +\n"
		    "n3                    .\n"
		    "n4                  .\n");
	/* A fifth map begins a new row. */
	take_outcome(bed, 0, 0, MESH_MOST_RAILS - 1, MESH_PASS);
	{
		_cleanup_(freep) char *svg = heat_svg(bed->heat, bed->medians);

		assert_non_null(strstr(svg, "width=\"1656\" height=\"908\""));
		assert_non_null(
			strstr(svg, MAP("840", "74", "rail 15") AT("0.00", "0.00", "96.00") GOOD));
		assert_non_null(
			strstr(svg, MAP("24", "500", "rail 3, both ways at once, the sum")));
	}
}

/* Results that are out of bounds or were not tried. */
static void left_out(void **state)
{
	struct bed *bed = *state;

	begin(bed, 4);
	take_outcome(bed, 4, 0, 0, MESH_FAIL);
	take_outcome(bed, 0, 4, 0, MESH_FAIL);
	take_outcome(bed, 0, 1, 0, MESH_UNTRIED);
	heat_take(bed->heat, &(const struct mesh_result){.pair = {0, 1, MESH_MOST_RAILS, 0},
							 .outcome = MESH_FAIL});
	heat_take(bed->heat, &(const struct mesh_result){.pair = {0, 1, 0, MESH_MOST_RAILS},
							 .outcome = MESH_FAIL});
	expect_svg(bed, "width=\"432\" height=\"56\"", "4 hosts: rows send, columns receive", "");
	expect_text(bed, 80, "n1\nn2\nn3\nn4\n");
}

/* A hundred hosts in 96 cells: a few cells represent two hosts. */
static void cells_of_several(void **state)
{
	struct bed *bed = *state;
	_cleanup_(freep) char *svg = NULL, *text = NULL, *row = NULL;

	begin(bed, 100);
	take_outcome(bed, 25, 99, 0, MESH_FAIL);
	take(bed, 26, 0, 100, 100);
	svg = heat_svg(bed->heat, bed->medians);
	assert_non_null(strstr(svg, ">100 hosts: rows send, columns receive; a cell is the worst "
				    "pair of up to 2 x 2 hosts</text>\n"));
	assert_non_null(strstr(
		svg, MAP("24", "74",
			 "rail 0") "<rect x=\"96.00\" y=\"0.00\" width=\"4.00\" "
				   "height=\"4.00\" class=\"k1\"/>\n"
				   "<rect x=\"0.00\" y=\"96.00\" width=\"4.00\" "
				   "height=\"4.00\" class=\"k1\"/>\n"
				   "<rect x=\"380.00\" y=\"96.00\" width=\"4.00\" "
				   "height=\"4.00\" class=\"k5\"><title>n26 to n27 send to "
				   "n100: failed</title></rect>\n"
				   "<rect x=\"96.00\" y=\"380.00\" width=\"4.00\" "
				   "height=\"4.00\" class=\"k5\"><title>n100 sends to n26 to "
				   "n27: failed</title></rect>\n</g>\n</svg>\n"));
	text = heat_text(bed->heat, bed->medians, 80);
	row = mem_format("\nn26             .%61sX\n", "");
	assert_non_null(strstr(text, row));
	assert_non_null(strstr(text, "\nn5\n"));
	assert_non_null(strstr(text,
			       "X failed; a letter is the worst of up to 4 x 4 hosts, and the name "
			       "that of the first\n"));
}

/* As many letters as fit, but at least eight. */
static void room_for_text(void **state)
{
	static const struct {
		uint32_t hosts;
		unsigned int columns;
		uint32_t letters;
	} samples[] = {
		{8, 32, 8},  {8, 0, 8},	   {9, 32, 5},	{9, 33, 5},  {9, 34, 9},
		{10, 35, 5}, {10, 36, 10}, {17, 32, 6}, {17, 48, 9}, {17, 50, 17},
	};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		_cleanup_(freep) char *text = NULL, *note = NULL;
		const uint32_t each = (samples[i].hosts + samples[i].letters - 1) /
				      samples[i].letters;
		uint32_t lines = 0;

		begin(bed, samples[i].hosts);
		take_outcome(bed, 0, samples[i].hosts - 1, 0, MESH_FAIL);
		text = heat_text(bed->heat, bed->medians, samples[i].columns);
		for (const char *at = text; (at = strchr(at, '\n')); at++)
			lines++;
		assert_int_equal(lines, samples[i].letters + 1);
		/* The last letter of the first row belongs to the last host. */
		assert_int_equal(strchr(text, '\n') - text, 16 + 2 * samples[i].letters - 1);
		note = mem_format(
			"; a letter is the worst of up to %u x %u hosts, and the name that of "
			"the first\n",
			each, each);
		if (samples[i].letters < samples[i].hosts)
			assert_non_null(strstr(text, note));
		else
			assert_null(strstr(text, ";"));
	}
}

/* A letter shows the worst of its cells; a long name is cut; one name is not known. */
static void letters_of_several(void **state)
{
	struct bed *bed = *state;
	char name[] = "a-host-with-a-name-too-long";

	begin(bed, 9);
	bed->hosts[0].name = name;
	bed->hosts[2].name = NULL;
	take(bed, 0, 2, 100, 100);
	take(bed, 1, 3, 80, 100);
	take_outcome(bed, 8, 8, 1, MESH_FAIL);
	{
		_cleanup_(freep) char *text = heat_text(bed->heat, bed->medians, 0);
		static const char rows[] = "a-host-with-a-n   -\n"
					   "?               .\n"
					   "n5\n"
					   "n7\n"
					   "n9                      X\n"
					   "rows send";

		assert_memory_equal(text, rows, strlen(rows));
	}
	begin(bed, 4);
	take_outcome(bed, 2, 0, 0, MESH_FAIL);
	{
		_cleanup_(freep) char *svg = heat_svg(bed->heat, bed->medians);

		assert_non_null(strstr(svg, "<title>? sends to a-host-with-a-name-too-long: "));
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	static const struct CMUnitTest tests[] = {
		TEST(colors),		TEST(both_ways),     TEST(left_out),
		TEST(cells_of_several), TEST(room_for_text), TEST(letters_of_several),
	};

	return cmocka_run_group_tests_name("mesh-heat", tests, NULL, NULL);
}
