/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Heat maps and exclude lists. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "mesh/form/heat.h"
#include "tests/mesh/made_up_mesh.h"

static const double medians[HEAT_MAPS] = {MADE_UP_GBPS, MADE_UP_GBPS};

/* A map of all pairs of a cluster. */
static struct heat *heat_of(struct made_up_mesh *mesh, const uint32_t *order)
{
	struct heat *heat;
	struct mesh_result result;

	made_up_begin(mesh, 3);
	mesh->host = 2;
	heat = heat_new(mesh->list, mesh->hosts, order);
	for (uint16_t rail = 0; rail < mesh->rails; rail++)
		for (uint32_t a = 0; a < mesh->hosts; a++)
			for (uint32_t b = 0; b < a; b++) {
				made_up_result(mesh, &(struct mesh_pair){a, b, rail, rail}, false,
					       &result);
				heat_take(heat, &result);
			}
	return heat;
}

#define LEGEND                                                                               \
	"rows send, columns receive, the worst of all rails: . 93 % of the median or more, " \
	"- 75 %, + 50 %, # less, X failed"

static void small_map(void **state)
{
	static const uint32_t order[] = {3, 2, 1, 0};
	struct made_up_mesh mesh = {.hosts = 4, .rails = 2, .fault = DEAF_RAIL};
	struct heat *heat = heat_of(&mesh, order);
	_cleanup_(freep) char *text = heat_text(heat, medians, 80), *svg = heat_svg(heat, medians);

	(void)state;
	/* Host n3 receives slowly on one of the rails. */
	assert_string_equal(text, "n4                # . .\n"
				  "n3              .   . .\n"
				  "n2              . #   .\n"
				  "n1              . # .\n" LEGEND "\n");
	assert_non_null(strstr(svg, "<title>n4 sends to n3: less than 50 % of the median</title>"));
	assert_null(strstr(svg, "<title>n3 sends"));
	heat_free(heat);
	made_up_end(&mesh);
}

/* The size is bounded, whatever the number of hosts; no result is lost. */
static void large_map(void **state)
{
	struct made_up_mesh mesh = {.hosts = 10000, .rails = 1, .fault = NO_FAULT};
	struct mesh_result result;
	struct heat *heat;
	char *text, *svg;

	(void)state;
	made_up_begin(&mesh, 1);
	heat = heat_new(mesh.list, mesh.hosts, NULL);
	for (uint32_t i = 0; i < mesh.hosts; i++) {
		made_up_result(&mesh, &(struct mesh_pair){.a = i, .b = (i + 1) % mesh.hosts}, false,
			       &result);
		if (i == 5000)
			result = (struct mesh_result){.pair = result.pair, .outcome = MESH_FAIL};
		heat_take(heat, &result);
	}
	/* Results that are out of bounds or untried are ignored. */
	heat_take(heat, &(const struct mesh_result){.pair = {.a = 10000}});
	heat_take(heat, &(const struct mesh_result){.outcome = MESH_UNTRIED});
	svg = heat_svg(heat, medians);
	text = heat_text(heat, medians, 80);
	assert_true(strlen(svg) < 100000);
	assert_non_null(strstr(svg, "a cell is the worst pair of up to 105 x 105 hosts"));
	assert_non_null(strstr(svg, ": failed</title>"));
	assert_non_null(strchr(text, 'X'));
	assert_non_null(strstr(text, "a letter is the worst of up to 313 x 313 hosts"));
	for (char *line = strtok(text, "\n"); line && strncmp(line, "rows", 4) != 0;
	     line = strtok(NULL, "\n"))
		assert_true(strlen(line) <= 80);
	free(text);
	free(svg);
	heat_free(heat);
	made_up_end(&mesh);
}

static void names_in_svg(void **state)
{
	char name_a[] = "a<b>&\"c", name_b[] = "d";
	const struct mesh_host hosts[] = {{.name = name_a}, {.name = name_b}};
	struct heat *heat = heat_new(hosts, 2, NULL);
	char *svg;

	(void)state;
	heat_take(heat, &(const struct mesh_result){.pair = {.b = 1}, .outcome = MESH_FAIL});
	svg = heat_svg(heat, medians);
	assert_non_null(strstr(svg, "<title>a&lt;b&gt;&amp;&quot;c sends to d: failed</title>"));
	free(svg);
	heat_free(heat);
	/* No host and no result. */
	heat = heat_new(hosts, 0, NULL);
	svg = heat_svg(heat, medians);
	assert_non_null(strstr(svg, "</svg>"));
	free(svg);
	svg = heat_text(heat, medians, 80);
	assert_string_equal(svg, LEGEND "\n");
	free(svg);
	heat_free(heat);
}

static void exclude_lists(void **state)
{
	char n1[] = "n1", n2[] = "n2", n3[] = "n3", n7[] = "n7", a[] = "a";
	char command[] = "$(reboot)", blank[] = "a b", list[] = "n[1-9]", option[] = "-x",
	     nothing[] = "";
	char *bad[] = {n2, n1, n3};
	char *rail[] = {n3, n7, a, command, blank, list, option, nothing};
	struct judge_finding items[] = {
		{.finding.id = {JUDGE_HOST, true}, .hosts = {bad, 2, true}},
		{.finding.id = {JUDGE_HOST, true}, .hosts = {bad + 2, 1, true}},
		{.finding.id = {JUDGE_RAIL, true}, .hosts = {rail, ARRAY_SIZE(rail), true}},
		{.finding.id = {JUDGE_PAIR, true}},
		{.finding.id = {JUDGE_ABSENT, true}, .hosts = {bad, 1, true}},
	};
	const struct judge_findings findings = {.items = items, .count = ARRAY_SIZE(items)};
	const struct judge_findings none = {.count = 0};
	char *text = exclude_text(&findings, EXCLUDE_LIST);

	(void)state;
	assert_string_equal(text, "a,n[1-3,7]\n");
	free(text);
	text = exclude_text(&findings, EXCLUDE_SLURM);
	assert_string_equal(
		text, "scontrol update nodename=n[1-3] state=drain reason='rdmactl mesh: host'\n"
		      "scontrol update nodename=a,n7 state=drain reason='rdmactl mesh: rail'\n");
	free(text);
	text = exclude_text(&none, EXCLUDE_LIST);
	assert_string_equal(text, "");
	free(text);
	text = exclude_text(&none, EXCLUDE_SLURM);
	assert_string_equal(text, "");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_map),
		cmocka_unit_test(large_map),
		cmocka_unit_test(names_in_svg),
		cmocka_unit_test(exclude_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
