/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Findings for people: aligned, in colour or not, with all of their parts or with few. */
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
#include "render/format.h"

static const struct enum_name bad = {1, "error", TONE_BAD, NULL}, good = {2, "ok", TONE_GOOD, NULL},
			      warning = {3, "warning", TONE_WARNING, NULL},
			      plain = {4, "skipped", TONE_PLAIN, NULL};

static void check(const struct finding_block *block, bool color, const char *wanted)
{
	const struct render_options options = {.color = color};
	_cleanup_(freep) char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	assert_int_equal(render_finding(out, &options, block), 0);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, wanted);
}

static void parts(void **state)
{
	struct strings evidence = {.known = true};
	struct finding_block block = {
		.verdict = &bad, .check = "port_down", .summary = "it is down", .verdict_width = 7};

	(void)state;
	check(&block, false, "error    it is down [port_down]\n");
	block.object = "mlx5_0/1";
	block.evidence = &evidence;
	check(&block, false, "error    mlx5_0/1: it is down [port_down]\n");
	strings_add(&evidence, "state: down");
	strings_add(&evidence, "cable: none");
	block.next_step = "plug it in";
	check(&block, false,
	      "error    mlx5_0/1: it is down [port_down]\n         state: down\n"
	      "         cable: none\n         -> plug it in\n");
	block.verdict_width = 5;
	block.evidence = NULL;
	check(&block, false, "error  mlx5_0/1: it is down [port_down]\n       -> plug it in\n");
	strings_free(&evidence);
}

static void colors(void **state)
{
	static const struct {
		const struct enum_name *verdict;
		const char *text;
	} samples[] = {
		{&bad, "\033[31merror  \033[0m  s [c]\n"},
		{&good, "\033[32mok     \033[0m  s [c]\n"},
		{&warning, "\033[33mwarning\033[0m  s [c]\n"},
		{&plain, "skipped  s [c]\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		const struct finding_block block = {.verdict = samples[i].verdict,
						    .check = "c",
						    .summary = "s",
						    .verdict_width = 7};

		check(&block, true, samples[i].text);
	}
	/* SGR of ECMA-48. */
	assert_string_equal(format_tone(TONE_GOOD), "\033[32m");
	assert_null(format_tone(TONE_PLAIN));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts),
		cmocka_unit_test(colors),
	};

	return cmocka_run_group_tests_name("finding", tests, NULL, NULL);
}
