/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The pairs of each mode, round by round, computed by hand from the rules of the modes, and with
 * SplitMix64 for the random ones; and this generator's published numbers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "mesh/plan/lane.h"

enum { MOST_HOSTS = 7 };

/* The second sequence is from https://rosettacode.org/wiki/Pseudo-random_numbers/Splitmix64. */
static void random_numbers(void **state)
{
	static const uint64_t of_zero[] = {UINT64_C(0xe220a8397b1dcdaf),
					   UINT64_C(0x6e789e6aa1b965f4),
					   UINT64_C(0x06c45d188009454f)};
	static const uint64_t of_others[] = {UINT64_C(6457827717110365317),
					     UINT64_C(3203168211198807973),
					     UINT64_C(9817491932198370423),
					     UINT64_C(4593380528125082431),
					     UINT64_C(16408922859458223821)};
	uint64_t seed = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(of_zero); i++)
		assert_true(random_next(&seed) == of_zero[i]);
	seed = 1234567;
	for (size_t i = 0; i < ARRAY_SIZE(of_others); i++)
		assert_true(random_next(&seed) == of_others[i]);
}

/* `0-1 2-3 | 0-2`; rails other than 0 as `0-1/1`; after what the schedule says of itself. */
static char *rounds_of(const struct plan_stage *stage, const struct plan_scope *scope)
{
	char *text = NULL, *message = NULL;
	struct schedule *schedule;
	struct mesh_pair pairs[64];

	assert_int_equal(schedule_new(stage, scope, &schedule, &message), 0);
	text = mem_format("%u rounds, %zu at most, %u pairs:", schedule_rounds(schedule),
			  schedule_most_pairs(schedule),
			  (unsigned int)schedule_all_pairs(schedule));
	for (uint32_t i = 0; i < schedule_rounds(schedule); i++) {
		const size_t count = schedule_round(schedule, i, pairs);

		assert_in_range(count, 0, ARRAY_SIZE(pairs));
		for (size_t j = 0; j < count; j++) {
			mem_extend(&text, "%s %u-%u", i && !j ? " |" : "", pairs[j].a, pairs[j].b);
			if (pairs[j].rail_a || pairs[j].rail_b)
				mem_extend(&text, "/%u", pairs[j].rail_a);
			assert_int_equal(pairs[j].rail_a, pairs[j].rail_b);
		}
	}
	schedule_free(schedule);
	return text;
}

static void expect_rounds(const char *mode, const struct plan_scope *scope, const char *wanted)
{
	_cleanup_(freep) char *message = NULL, *hint = NULL, *text = NULL;
	struct plan plan;

	assert_int_equal(plan_parse(mode, &plan, &message, &hint), 0);
	text = rounds_of(&plan.stages[0], scope);
	assert_string_equal(text, wanted);
	plan_clear(&plan);
}

/* For `count` hosts with one rail each and no known switch. */
static void expect_of(const char *mode, uint32_t count, uint64_t seed, const char *wanted)
{
	struct mesh_host hosts[MOST_HOSTS] = {{.name = NULL}};
	const struct plan_scope scope = {.hosts = hosts, .host_count = count, .seed = seed};

	for (uint32_t i = 0; i < count; i++)
		hosts[i] = (struct mesh_host){.presence = MESH_PRESENT, .rail_count = 1};
	expect_rounds(mode, &scope, wanted);
}

static void modes(void **state)
{
	static const struct {
		const char *mode;
		uint32_t hosts;
		const char *rounds;
	} samples[] = {
		{"loopback", 3, "1 rounds, 3 at most, 3 pairs: 0-0 1-1 2-2"},
		{"loopback", 0, "0 rounds, 0 at most, 0 pairs:"},
		{"ring", 1, "0 rounds, 0 at most, 0 pairs:"},
		{"ring", 2, "1 rounds, 1 at most, 1 pairs: 0-1"},
		{"ring", 5, "3 rounds, 2 at most, 5 pairs: 0-1 3-2 | 1-2 4-3 | 4-0"},
		{"ring", 6, "2 rounds, 3 at most, 6 pairs: 0-1 3-2 4-5 | 1-2 4-3 5-0"},
		{"full", 1, "0 rounds, 0 at most, 0 pairs:"},
		{"full", 2, "1 rounds, 1 at most, 1 pairs: 1-0"},
		{"full", 4, "3 rounds, 2 at most, 6 pairs: 3-0 2-1 | 3-1 0-2 | 3-2 1-0"},
		{"full", 5,
		 "5 rounds, 2 at most, 10 pairs: 1-4 3-2 | 2-0 4-3 | 3-1 0-4 | 4-2 1-0 | 0-3 "
		 "2-1"},
		{"bisection:2", 5, "2 rounds, 2 at most, 4 pairs: 0-2 1-3 | 0-3 1-2"},
		{"bisection:9", 6,
		 "3 rounds, 3 at most, 9 pairs: 0-3 1-4 2-5 | 0-4 1-5 2-3 | 0-5 1-3 2-4"},
		{"bisection", 1, "0 rounds, 0 at most, 0 pairs:"},
		{"incast:1", 1, "0 rounds, 0 at most, 0 pairs:"},
		{"incast:1", 2, "2 rounds, 1 at most, 2 pairs: 1-0 | 0-1"},
		{"incast:1", 4, "2 rounds, 2 at most, 4 pairs: 1-0 3-2 | 0-1 2-3"},
		{"incast:1", 5, "3 rounds, 2 at most, 5 pairs: 1-0 3-2 | 0-1 4-3 | 2-4"},
		{"incast:2", 3, "3 rounds, 2 at most, 6 pairs: 1-0 2-0 | 2-1 0-1 | 0-2 1-2"},
		{"incast:4", 3, "3 rounds, 2 at most, 6 pairs: 1-0 2-0 | 2-1 0-1 | 0-2 1-2"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		expect_of(samples[i].mode, samples[i].hosts, 0, samples[i].rounds);
}

static void random_modes(void **state)
{
	(void)state;
	expect_of("sample:2", 5, 7, "2 rounds, 2 at most, 4 pairs: 0-1 4-2 | 1-2 0-3");
	expect_of("sample:9", 6, 1,
		  "5 rounds, 3 at most, 15 pairs: 5-4 2-0 1-3 | 5-3 1-2 4-0 | 5-0 4-1 3-2 | 5-1 "
		  "0-3 2-4 | 5-2 3-4 0-1");
}

/* Two, three and one host on a switch each, and one on none. */
static void modes_by_switch(void **state)
{
	static const uint32_t at[MOST_HOSTS] = {1, 0, 1, 0, 1, 2, MESH_NO_SWITCH};
	struct mesh_host hosts[MOST_HOSTS];
	uint32_t switches[MOST_HOSTS * MESH_MOST_RAILS] = {0};
	struct plan_scope scope = {
		.hosts = hosts, .host_count = MOST_HOSTS, .switches = switches, .seed = 5};

	(void)state;
	for (uint32_t i = 0; i < MOST_HOSTS; i++) {
		hosts[i] = (struct mesh_host){.presence = MESH_PRESENT, .rail_count = 1};
		switches[i * MESH_MOST_RAILS] = at[i];
	}
	expect_rounds("by-switch:1", &scope, "1 rounds, 3 at most, 2 pairs: 3-1 2-4");
	expect_rounds("by-switch:2", &scope, "2 rounds, 3 at most, 3 pairs: 3-1 2-4 | 4-0");
	expect_rounds("by-switch:9", &scope, "3 rounds, 3 at most, 4 pairs: 3-1 2-4 | 4-0 | 0-2");
	expect_rounds("cross-switch:2", &scope,
		      "2 rounds, 3 at most, 6 pairs: 0-1 2-3 4-5 | 3-2 1-0 4-5");
	/* Neighbours are on the same switch; the host without one comes last. */
	expect_rounds("loopback", &scope,
		      "1 rounds, 7 at most, 7 pairs: 1-1 3-3 0-0 2-2 4-4 5-5 6-6");
	scope.host_count = 6;
	expect_rounds("ring", &scope, "2 rounds, 3 at most, 6 pairs: 1-3 2-0 4-5 | 3-0 4-2 5-1");
	expect_rounds("bisection", &scope, "1 rounds, 3 at most, 3 pairs: 1-2 3-4 0-5");
	/* One switch has more than half of the hosts, so some of them rest. */
	for (uint32_t i = 0; i < 6; i++)
		switches[i * MESH_MOST_RAILS] = i == 5;
	scope.seed = 9;
	expect_rounds("cross-switch:3", &scope, "3 rounds, 3 at most, 3 pairs: 5-0 | 5-3 | 2-5");
	/* If all are on one switch, there are no pairs across. */
	scope.host_count = 5;
	expect_rounds("cross-switch:3", &scope, "0 rounds, 0 at most, 0 pairs:");
	scope.host_count = 0;
	expect_rounds("cross-switch:3", &scope, "0 rounds, 0 at most, 0 pairs:");
}

/* Rails side by side, or one after the other; and only those that take part. */
static void several_rails(void **state)
{
	static const uint16_t taking_part[] = {1, 3, 2, 0, 0x8001};
	struct mesh_host hosts[5] = {{.name = NULL}};
	struct plan_scope scope = {.hosts = hosts, .host_count = 5};

	(void)state;
	for (uint32_t i = 0; i < 5; i++)
		hosts[i] = (struct mesh_host){.presence = i == 3 ? MESH_LOST : MESH_PRESENT,
					      .rail_count = i < 3 ? 2 : 1};
	expect_rounds("full", &scope,
		      "3 rounds, 3 at most, 9 pairs: 4-0 2-1 1-2/1 | 4-1 0-2 2-0/1 | 4-2 1-0 "
		      "0-1/1");
	scope.one_rail = true;
	expect_rounds("full", &scope,
		      "6 rounds, 2 at most, 9 pairs: 4-0 2-1 | 4-1 0-2 | 4-2 1-0 | 1-2/1 | 2-0/1 "
		      "| 0-1/1");
	scope.rails = taking_part;
	expect_rounds("full", &scope, "4 rounds, 1 at most, 4 pairs: 1-4 | 4-0 | 0-1 | 2-1/1");
	expect_rounds("loopback", &scope,
		      "3 rounds, 3 at most, 6 pairs: 0-0 1-1 4-4 | 1-1/1 2-2/1 | 4-4/15");
	scope.one_rail = false;
	expect_rounds("loopback", &scope,
		      "1 rounds, 6 at most, 6 pairs: 0-0 1-1 4-4 1-1/1 2-2/1 4-4/15");
}

/* Each pair in the first round with both ends free: rails are busy, or entire hosts. */
static void pairs_of_a_list(void **state)
{
	static struct mesh_pair pairs[] = {
		{0, 1, PLAN_ALL_RAILS, PLAN_ALL_RAILS},
		{2, 3, 0, 0},
		{0, 2, PLAN_ALL_RAILS, PLAN_ALL_RAILS},
		{1, 3, 1, 1},
		{3, 3, 0, 0},
		{4, 0, PLAN_ALL_RAILS, PLAN_ALL_RAILS},
		{0, 4, PLAN_ALL_RAILS, PLAN_ALL_RAILS},
	};
	const struct plan_stage stage = {
		.mode = MESH_PAIRS, .pairs = pairs, .pair_count = ARRAY_SIZE(pairs)};
	const struct plan_stage empty = {.mode = MESH_PAIRS};
	struct mesh_host hosts[5] = {{.name = NULL}};
	struct plan_scope scope = {.hosts = hosts, .host_count = 5};
	_cleanup_(freep) char *text = NULL, *one_rail = NULL, *none = NULL;

	(void)state;
	for (uint32_t i = 0; i < 4; i++)
		hosts[i] = (struct mesh_host){.presence = MESH_PRESENT, .rail_count = 2};
	text = rounds_of(&stage, &scope);
	assert_string_equal(text, "2 rounds, 4 at most, 7 pairs: 0-1 2-3 0-1/1 | 0-2 3-3 0-2/1 "
				  "1-3/1");
	scope.one_rail = true;
	one_rail = rounds_of(&stage, &scope);
	assert_string_equal(one_rail, "4 rounds, 2 at most, 7 pairs: 0-1 2-3 | 0-2 3-3 | 0-1/1 | "
				      "0-2/1 1-3/1");
	none = rounds_of(&empty, &scope);
	assert_string_equal(none, "0 rounds, 0 at most, 0 pairs:");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_numbers), cmocka_unit_test(modes),
		cmocka_unit_test(random_modes),	  cmocka_unit_test(modes_by_switch),
		cmocka_unit_test(several_rails),  cmocka_unit_test(pairs_of_a_list),
	};

	return cmocka_run_group_tests_name("mesh-lane", tests, NULL, NULL);
}
