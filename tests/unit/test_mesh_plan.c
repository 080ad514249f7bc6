/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Plans and rounds: each pair occurs once, and each rail is in one pair at a time. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/mesh/mesh_run.h"
#include "mesh/plan/lane.h"

static void check_circle(uint32_t count, bool *met, uint32_t *busy, struct place_pair *pairs)
{
	const uint32_t rounds = circle_rounds(count);
	uint64_t all = 0;

	assert_int_equal(rounds, count % 2 ? count : count - 1);
	memset(met, 0, (size_t)count * count * sizeof(*met));
	memset(busy, 0xff, count * sizeof(*busy));
	for (uint32_t round = 0; round < rounds; round++) {
		size_t made = circle_round(count, round, pairs);

		assert_int_equal(made, count / 2);
		for (size_t i = 0; i < made; i++) {
			uint32_t a = pairs[i].a, b = pairs[i].b;

			if (a >= count || b >= count || a == b || busy[a] == round ||
			    busy[b] == round || met[(size_t)a * count + b] ||
			    met[(size_t)b * count + a])
				fail_msg("%u hosts, round %u: %u and %u", count, round, a, b);
			busy[a] = busy[b] = round;
			met[(size_t)a * count + b] = true;
		}
		all += made;
	}
	assert_int_equal(all, (uint64_t)count * (count - 1) / 2);
}

/* Every number of hosts up to 130, and larger ones, many of them near powers of two. */
static void circle(void **state)
{
	static const uint32_t larger[] = {199, 255,  256,  257,	 500,  511,
					  512, 1000, 1023, 2047, 4095, 4096};
	enum { MOST = 4096 };
	_cleanup_(freep) bool *met = mem_alloc_zero((size_t)MOST * MOST, sizeof(*met));
	_cleanup_(freep) uint32_t *busy = mem_alloc_zero(MOST, sizeof(*busy));
	_cleanup_(freep) struct place_pair *pairs = mem_alloc_zero(MOST, sizeof(*pairs));

	(void)state;
	assert_int_equal(circle_rounds(0), 0);
	assert_int_equal(circle_rounds(1), 0);
	assert_int_equal(circle_round(1, 0, pairs), 0);
	for (uint32_t count = 2; count <= 130; count++)
		check_circle(count, met, busy, pairs);
	for (size_t i = 0; i < ARRAY_SIZE(larger); i++)
		check_circle(larger[i], met, busy, pairs);
}

static void ring(void **state)
{
	struct place_pair pairs[200];

	(void)state;
	assert_int_equal(ring_rounds(0), 0);
	assert_int_equal(ring_rounds(1), 0);
	for (uint32_t count = 2; count <= 200; count++) {
		unsigned int met[200] = {0}, all = 0;

		for (uint32_t round = 0; round < ring_rounds(count); round++) {
			size_t made = ring_round(count, round, pairs);
			bool busy[200] = {false};

			for (size_t i = 0; i < made; i++, all++) {
				assert_int_equal((pairs[i].a + 1) % count, pairs[i].b);
				assert_false(busy[pairs[i].a] || busy[pairs[i].b]);
				busy[pairs[i].a] = busy[pairs[i].b] = true;
				met[pairs[i].a]++;
			}
		}
		assert_int_equal(all, count == 2 ? 1 : count);
		for (uint32_t i = 0; i < count; i++)
			assert_true(met[i] <= 1);
	}
}

struct cluster {
	struct mesh_host *hosts;
	uint32_t count;
	uint32_t *switches;
};

static struct cluster make_cluster(uint32_t count, uint32_t rails, uint32_t at_a_switch)
{
	struct cluster cluster = {.hosts = mem_alloc_zero(count, sizeof(*cluster.hosts)),
				  .count = count};

	cluster.switches = mem_alloc_zero((size_t)count * MESH_MOST_RAILS, sizeof(uint32_t));
	for (uint32_t i = 0; i < count; i++) {
		cluster.hosts[i].presence = MESH_PRESENT;
		cluster.hosts[i].rail_count = rails;
		/* Neighbours in the list are on different switches. */
		for (uint32_t j = 0; j < MESH_MOST_RAILS; j++)
			cluster.switches[i * MESH_MOST_RAILS + j] =
				at_a_switch ? i % (count / at_a_switch) : MESH_NO_SWITCH;
	}
	return cluster;
}

static void free_cluster(struct cluster *cluster)
{
	free(cluster->hosts);
	free(cluster->switches);
}

/* All pairs of a one-stage plan, each of which has been checked. */
struct run {
	struct mesh_pair *pairs;
	size_t count;
	uint32_t rounds;
};

static struct run run_stage(const struct cluster *cluster, const char *text, uint64_t seed,
			    bool one_rail)
{
	const struct plan_scope scope = {.hosts = cluster->hosts,
					 .host_count = cluster->count,
					 .switches = cluster->switches,
					 .seed = seed,
					 .one_rail = one_rail};
	_cleanup_(freep) uint32_t *busy = mem_alloc_zero((size_t)cluster->count * MESH_MOST_RAILS,
							 sizeof(*busy));
	_cleanup_(freep) struct mesh_pair *pairs = NULL;
	_cleanup_(freep) char *message = NULL;
	struct schedule *schedule;
	struct run run = {0};
	struct plan plan;
	bool incast;

	assert_int_equal(plan_parse(text, &plan, &message, &message), 0);
	incast = plan.stages[0].mode == MESH_INCAST;
	assert_int_equal(schedule_new(&plan.stages[0], &scope, &schedule, &message), 0);
	run.rounds = schedule_rounds(schedule);
	pairs = mem_alloc_zero(schedule_most_pairs(schedule) + 1, sizeof(*pairs));
	for (uint32_t round = 0; round < run.rounds; round++) {
		size_t made = schedule_round(schedule, round, pairs);

		assert_in_range(made, 1, schedule_most_pairs(schedule));
		for (size_t i = 0; i < made; i++) {
			const struct mesh_pair *pair = &pairs[i];
			const uint32_t a = pair->a * MESH_MOST_RAILS + pair->rail_a;
			const uint32_t b = pair->b * MESH_MOST_RAILS + pair->rail_b;

			assert_int_equal(pair->rail_a, pair->rail_b);
			assert_true(pair->a < cluster->count && pair->b < cluster->count);
			assert_true(pair->rail_a < cluster->hosts[pair->a].rail_count);
			assert_true(pair->rail_b < cluster->hosts[pair->b].rail_count);
			assert_true(busy[a] != round + 1 && (incast || busy[b] != round + 1));
			busy[a] = round + 1;
			if (!incast)
				busy[b] = round + 1;
			if (one_rail)
				assert_int_equal(pair->rail_a, pairs[0].rail_a);
			*(struct mesh_pair *)mem_append(&run.pairs, &run.count,
							sizeof(*pair)) = *pair;
		}
	}
	assert_int_equal(run.count, schedule_all_pairs(schedule));
	schedule_free(schedule);
	plan_clear(&plan);
	return run;
}

static int compare_pairs(const void *left, const void *right)
{
	return memcmp(left, right, sizeof(struct mesh_pair));
}

static void assert_all_different(struct run *run)
{
	for (size_t i = 0; i < run->count; i++)
		if (run->pairs[i].a > run->pairs[i].b) {
			uint32_t a = run->pairs[i].a;

			run->pairs[i].a = run->pairs[i].b;
			run->pairs[i].b = a;
		}
	qsort(run->pairs, run->count, sizeof(*run->pairs), compare_pairs);
	for (size_t i = 1; i < run->count; i++)
		assert_true(compare_pairs(&run->pairs[i - 1], &run->pairs[i]) != 0);
}

static void full_and_loopback(void **state)
{
	struct cluster cluster = make_cluster(31, 3, 0);
	struct run run;

	(void)state;
	/* Hosts with fewer rails, and absent ones, are omitted where necessary. */
	cluster.hosts[4].rail_count = 1;
	cluster.hosts[7].presence = MESH_ABSENT;
	run = run_stage(&cluster, "full", 1, false);
	assert_int_equal(run.rounds, 29);
	assert_int_equal(run.count, 30 * 29 / 2 + 2 * (29 * 28 / 2));
	assert_all_different(&run);
	free(run.pairs);
	run = run_stage(&cluster, "full", 1, true);
	assert_int_equal(run.rounds, 29 + 29 + 29);
	assert_all_different(&run);
	free(run.pairs);
	run = run_stage(&cluster, "loopback", 1, false);
	assert_int_equal(run.rounds, 1);
	assert_int_equal(run.count, 30 + 29 + 29);
	for (size_t i = 0; i < run.count; i++)
		assert_int_equal(run.pairs[i].a, run.pairs[i].b);
	free(run.pairs);
	free_cluster(&cluster);
}

static void samples(void **state)
{
	struct cluster cluster = make_cluster(100, 2, 0);
	struct run run = run_stage(&cluster, "sample:6", 7, false), same, other;

	(void)state;
	same = run_stage(&cluster, "sample:6", 7, false);
	other = run_stage(&cluster, "sample:6", 8, false);
	assert_int_equal(run.rounds, 6);
	assert_int_equal(run.count, 6 * 50 * 2);
	assert_int_equal(run.count, same.count);
	assert_memory_equal(run.pairs, same.pairs, run.count * sizeof(*run.pairs));
	assert_true(memcmp(run.pairs, other.pairs, run.count * sizeof(*run.pairs)));
	assert_all_different(&run);
	free(run.pairs);
	free(same.pairs);
	free(other.pairs);
	free_cluster(&cluster);
	/* Not more pairs than exist. */
	cluster = make_cluster(5, 1, 0);
	run = run_stage(&cluster, "sample:60", 7, false);
	assert_int_equal(run.count, 10);
	assert_all_different(&run);
	free(run.pairs);
	free_cluster(&cluster);
}

static void switches(void **state)
{
	struct cluster cluster = make_cluster(48, 2, 12);
	struct run run = run_stage(&cluster, "by-switch:3", 1, false);

	(void)state;
	assert_int_equal(run.count, 3 * 2 * 24);
	for (size_t i = 0; i < run.count; i++)
		assert_int_equal(run.pairs[i].a % 4, run.pairs[i].b % 4);
	assert_all_different(&run);
	free(run.pairs);
	run = run_stage(&cluster, "cross-switch:5", 1, false);
	assert_int_equal(run.count, 5 * 2 * 24);
	for (size_t i = 0; i < run.count; i++)
		assert_int_not_equal(run.pairs[i].a % 4, run.pairs[i].b % 4);
	free(run.pairs);
	/* Two switches in each half. */
	run = run_stage(&cluster, "bisection:2", 1, false);
	assert_int_equal(run.count, 2 * 2 * 24);
	for (size_t i = 0; i < run.count; i++)
		assert_true((run.pairs[i].a % 4 < 2) != (run.pairs[i].b % 4 < 2));
	free(run.pairs);
	free_cluster(&cluster);
}

static void incast(void **state)
{
	static const uint32_t counts[] = {2, 3, 5, 11, 24};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		struct cluster cluster = make_cluster(counts[i], 1, 0);
		struct run run = run_stage(&cluster, "incast:4", 1, false);
		unsigned int received[24] = {0};

		for (size_t j = 0; j < run.count; j++) {
			assert_int_not_equal(run.pairs[j].a, run.pairs[j].b);
			received[run.pairs[j].b]++;
		}
		for (uint32_t j = 0; j < counts[i]; j++)
			assert_int_equal(received[j], counts[i] > 4 ? 4 : counts[i] - 1);
		free(run.pairs);
		free_cluster(&cluster);
	}
}

/* A host serves 128 senders at a time, over all rails together. */
static void incast_of_too_many(void **state)
{
	static const struct {
		uint32_t senders, rails;
		bool one_rail;
		const char *message;
	} cases[] = {
		{16, 8, false, NULL},
		{17, 8, false,
		 "incast:17 has 136 senders on all rails, but a host serves 128 at a time: name "
		 "fewer, or use --one-rail"},
		{17, 8, true, NULL},
		{128, 1, true, NULL},
		{1000, 1, false,
		 "incast:1000 has 129 senders on all rails, but a host serves 128 at a time: name "
		 "fewer, or use --one-rail"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct cluster cluster = make_cluster(130, cases[i].rails, 0);
		const struct plan_scope scope = {
			.hosts = cluster.hosts,
			.host_count = cluster.count,
			.one_rail = cases[i].one_rail,
		};
		const struct plan_stage stage = {MESH_INCAST, .count = cases[i].senders};
		struct schedule *schedule = NULL;
		_cleanup_(freep) char *message = NULL;
		int rc = schedule_new(&stage, &scope, &schedule, &message);

		assert_int_equal(rc, cases[i].message ? -EINVAL : 0);
		assert_string_equal(message ?: "", cases[i].message ?: "");
		schedule_free(schedule);
		free_cluster(&cluster);
	}
}

static void assert_refused(const char *text, const char *expected)
{
	struct plan plan = {.count = 77};
	_cleanup_(freep) char *message = NULL, *hint = NULL;

	assert_int_equal(plan_parse(text, &plan, &message, &hint), -EINVAL);
	assert_string_equal(message, expected);
	assert_int_equal(plan.count, 77);
}

/* The next step after a typing error. */
static void assert_hint(const char *text, const char *expected)
{
	_cleanup_(freep) char *message = NULL, *hint = NULL;
	struct plan plan = {.count = 0};

	assert_int_equal(plan_parse(text, &plan, &message, &hint), -EINVAL);
	assert_string_equal(hint, expected);
}

static void parsing(void **state)
{
	_cleanup_(freep) char *message = NULL, *hint = NULL;
	const struct plan_scope scope = {.host_count = 0};
	struct schedule *schedule = NULL;
	struct plan plan;

	(void)state;
	assert_int_equal(
		plan_parse("loopback,ring,sample,pairs:a:b,incast:9", &plan, &message, &hint), 0);
	assert_int_equal(plan.count, 5);
	for (size_t i = 0; i < plan.count; i++) {
		static const char *const texts[] = {"loopback", "ring", "sample:6", "pairs:a:b",
						    "incast:9"};
		_cleanup_(freep) char *text = plan_stage_text(&plan.stages[i]);

		assert_string_equal(text, texts[i]);
	}
	plan_clear(&plan);
	assert_refused("", "unknown mode ''");
	assert_refused("ring,", "unknown mode ''");
	assert_refused("rings", "unknown mode 'rings'");
	assert_refused("ri\033ng", "unknown mode 'ri\\x1bng'");
	assert_hint("loopback,bisecton:2", "did you mean 'bisection'?");
	assert_hint("frobnicate",
		    "modes: loopback, ring, sample[:N], bisection[:N], by-switch[:N], "
		    "cross-switch[:N], full, incast[:N], pairs:FILE");
	assert_refused("ring:2", "'ring' takes no number");
	assert_refused("sample:0", "'0' after 'sample:' is not a number from 1 to 65536");
	assert_refused("sample:", "'' after 'sample:' is not a number from 1 to 65536");
	assert_refused("sample:-1", "'-1' after 'sample:' is not a number from 1 to 65536");
	assert_refused("sample:65537", "'65537' after 'sample:' is not a number from 1 to 65536");
	assert_refused("pairs", "'pairs' needs a file: pairs:FILE");
	assert_refused(
		"ring,ring,ring,ring,ring,ring,ring,ring,ring,ring,ring,ring,ring,ring,ring,ring,"
		"ring,ring,ring,ring,ring,ring,ring,ring,ring,ring,ring,ring,ring,ring,ring,ring,"
		"ring",
		"a plan has at most 32 stages");
	assert_int_equal(plan_parse("by-switch", &plan, &message, &hint), 0);
	assert_int_equal(schedule_new(&plan.stages[0], &scope, &schedule, &message), -EINVAL);
	assert_string_equal(message,
			    "by-switch needs to know which host is at which switch, from --fabric");
	plan_clear(&plan);
}

/* A domain may be missing, on one side, unless that leaves two hosts. */
static void names_and_domains(void **state)
{
	static const char *const hosts_names[] = {"n1.left", "n2", "n3.right", "n1.right", "N3b"};
	static const struct {
		const char *name;
		uint32_t host;
	} wanted[] = {{"n1.left", 0},	 {"n1.right", 3}, {"n1", 9},	    {"n1.up", 9},
		      {"n2", 1},	 {"n2.left", 1},  {"n3", 2},	    {"N3.Right", 2},
		      {"n3.right.x", 9}, {"n3b", 4},	  {"N3B.right", 4}, {"n", 9},
		      {"", 9},		 {".left", 9},	  {"n4", 9}};
	struct mesh_host hosts[ARRAY_SIZE(hosts_names)] = {{.rail_count = 0}};
	struct mesh_names names;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(hosts_names); i++)
		hosts[i].name = (char *)(uintptr_t)hosts_names[i];
	mesh_names_fill(hosts, ARRAY_SIZE(hosts_names), &names);
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		uint32_t host = 9;

		assert_int_equal(mesh_names_find(&names, wanted[i].name, &host),
				 wanted[i].host != 9);
		assert_int_equal(host, wanted[i].host);
	}
	mesh_names_clear(&names);
}

static void assert_no_pairs_in(const struct mesh_host *hosts, const char *text, size_t length,
			       const char *expected)
{
	struct plan_stage stage = {.mode = MESH_PAIRS};
	_cleanup_(freep) char *message = NULL;

	assert_int_equal(plan_read_pairs(text, length, hosts, 3, &stage, &message), -EINVAL);
	assert_string_equal(message, expected);
	free(stage.pairs);
}

static void assert_no_pairs(const struct mesh_host *hosts, const char *text, const char *expected)
{
	assert_no_pairs_in(hosts, text, strlen(text), expected);
}

static void pairs_of_a_file(void **state)
{
	static const char text[] = "# a comment\n\nn1 n2\n n3\tn1 # another\r\nn2/1 n3/0\nn2 n3";
	char n1[] = "n1", n2[] = "n2", n3[] = "n3";
	const struct mesh_host hosts[] = {
		{.name = n1, .presence = MESH_PRESENT, .rail_count = 2},
		{.name = n2, .presence = MESH_PRESENT, .rail_count = 2},
		{.name = n3, .presence = MESH_PRESENT, .rail_count = 1},
	};
	const struct plan_scope scope = {.hosts = hosts, .host_count = 3};
	struct plan_stage stage = {.mode = MESH_PAIRS};
	struct mesh_pair pairs[8];
	struct schedule *schedule;
	char *message = NULL;
	size_t all = 0;

	(void)state;
	assert_int_equal(plan_read_pairs(text, strlen(text), hosts, 3, &stage, &message), 0);
	assert_int_equal(stage.pair_count, 4);
	assert_int_equal(stage.pairs[0].rail_a, PLAN_ALL_RAILS);
	assert_int_equal(stage.pairs[2].rail_a, 1);
	assert_int_equal(schedule_new(&stage, &scope, &schedule, &message), 0);
	/* n1 n2 on both rails, the other pairs on n3's only rail; n2/1 n3/0 together with n1 n3. */
	assert_int_equal(schedule_all_pairs(schedule), 5);
	assert_true(schedule_most_pairs(schedule) <= ARRAY_SIZE(pairs));
	for (uint32_t round = 0; round < schedule_rounds(schedule); round++) {
		bool busy[3][2] = {{false}};
		size_t count = schedule_round(schedule, round, pairs);

		assert_true(count > 0);
		for (size_t i = 0; i < count; i++, all++) {
			assert_false(busy[pairs[i].a][pairs[i].rail_a]);
			assert_false(busy[pairs[i].b][pairs[i].rail_b]);
			busy[pairs[i].a][pairs[i].rail_a] = true;
			busy[pairs[i].b][pairs[i].rail_b] = true;
		}
	}
	assert_int_equal(all, 5);
	schedule_free(schedule);
	free(stage.pairs);
	assert_no_pairs(hosts, "", "it has no pairs");
	assert_no_pairs(hosts, "n1 n2\nn1\n", "line 2: 'n1': the second host is missing");
	assert_no_pairs(hosts, "n1 n2 n3", "line 1: 'n3': only two hosts can be a pair");
	assert_no_pairs(hosts, "n1 n\0334", "line 1: 'n\\x1b4': no host has this name");
	assert_no_pairs(hosts, "n1/16 n2/0", "line 1: 'n1/16': this is not a rail");
	assert_no_pairs(hosts, "n1/ n2/0", "line 1: 'n1/': this is not a rail");
	assert_no_pairs_in(hosts, "n1 n2\n\0\nn2 n3\n", 15, "it is not a text file");
	assert_no_pairs(hosts, "n1/0 n2",
			"line 1: 'n2': give a rail for both hosts or for neither");
}

/* Rails that the hosts turn out not to have once they have come. */
static void rails_that_are_missing(void **state)
{
	char n1[] = "n1", n2[] = "n2", n3[] = "n3";
	const struct mesh_host hosts[] = {
		{.name = n1, .presence = MESH_PRESENT, .rail_count = 16},
		{.name = n2, .presence = MESH_PRESENT, .rail_count = 11},
		{.name = n3, .presence = MESH_ABSENT},
	};
	static const struct {
		const char *text, *expected;
	} rows[] = {
		{"n1/15 n2/10\nn2/10 n1/15\nn1 n2\nn1/15 n3/15\nn3/15 n1/15\n", NULL},
		{"n1/15 n2/10\nn1/10 n2/11\n",
		 "1 pair is left out because a host has no such rail, or cannot use it: n2/11"},
		{"n2/12 n1/0\nn1/0 n2/13\nn1/0 n2/0\n",
		 "2 pairs are left out because a host has no such rail, or cannot use it: n2/12"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct plan_stage stage = {.mode = MESH_PAIRS};
		char *message = NULL;

		assert_int_equal(plan_read_pairs(rows[i].text, strlen(rows[i].text), hosts, 3,
						 &stage, &message),
				 0);
		message = plan_missing_rails(&stage, hosts);
		if (rows[i].expected)
			assert_string_equal(message, rows[i].expected);
		else
			assert_null(message);
		free(message);
		free(stage.pairs);
	}
}

/* The default time for a pair is long enough for what it measures. */
static void pair_timeouts(void **state)
{
	const struct mesh_args usual = {.duration = {0}};
	const struct mesh_args long_one = {.both_ways = true, .duration = number_of(10000)};
	const struct mesh_args short_one = {
		.both_ways = true,
		.duration = number_of(10000),
		.order_timeout = number_of(30000),
	};
	const struct mesh_args one_way = {
		.duration = number_of(10000),
		.order_timeout = number_of(21000),
	};
	const struct mesh_args hour = {.duration = number_of(1799000)};
	const struct mesh_args longer = {.duration = number_of(1800000)};
	struct session_setup setup = {.tests = 0};

	(void)state;
	assert_true(mesh_work_tests(&usual, &setup));
	assert_int_equal(setup.timeout_msec, 30000);
	assert_true(mesh_work_tests(&long_one, &setup));
	assert_true(setup.timeout_msec >= 35000);
	assert_false(mesh_work_tests(&short_one, &setup));
	assert_true(mesh_work_tests(&one_way, &setup));
	assert_int_equal(setup.timeout_msec, 21000);
	/* An order may take an hour at most. */
	assert_true(mesh_work_tests(&hour, &setup));
	assert_int_equal(setup.timeout_msec, 3600000);
	assert_false(mesh_work_tests(&longer, &setup));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pair_timeouts),
		cmocka_unit_test(circle),
		cmocka_unit_test(ring),
		cmocka_unit_test(full_and_loopback),
		cmocka_unit_test(samples),
		cmocka_unit_test(switches),
		cmocka_unit_test(incast),
		cmocka_unit_test(incast_of_too_many),
		cmocka_unit_test(names_and_domains),
		cmocka_unit_test(parsing),
		cmocka_unit_test(pairs_of_a_file),
		cmocka_unit_test(rails_that_are_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
