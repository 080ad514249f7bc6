/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The judge on made-up clusters: each planted fault is named, and a clean run has no finding.
 * Evidence in the findings; small clusters; distributions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "mesh/judge/judge_parts.h"
#include "tests/mesh/made_up_mesh.h"

static void spreads(void **state)
{
	struct spread spread = {0};

	(void)state;
	assert_true(spread_quantile(&spread, 0.5) <= 0);
	for (int i = 1; i <= 101; i++)
		spread_add(&spread, i);
	assert_non_null(spread.exact);
	assert_float_equal(spread_quantile(&spread, 0), 1, 1e-9);
	assert_float_equal(spread_quantile(&spread, 0.5), 51, 1e-9);
	assert_float_equal(spread_quantile(&spread, 0.25), 26, 1e-9);
	assert_float_equal(spread_quantile(&spread, 1), 101, 1e-9);
	assert_int_equal(spread_count_below(&spread, 51), 50);
	/* In bins, with the promised precision. */
	for (int i = 102; i <= 100001; i++)
		spread_add(&spread, i);
	assert_null(spread.exact);
	assert_int_equal(spread.count, 100001);
	for (int i = 1; i < 100; i++) {
		double right = 1 + i * 1000.0;

		assert_float_equal(spread_quantile(&spread, i / 100.0) / right, 1, 1.0 / 1024);
	}
	assert_float_equal((double)spread_count_below(&spread, 50000) / 50000, 1, 1.0 / 512);
	spread_add(&spread, 0);
	spread_add(&spread, -5);
	spread_add(&spread, 1e300);
	assert_int_equal(spread.count, 100004);
	assert_true(spread_quantile(&spread, 0) > 0);
	spread_clear(&spread);
}

static struct judge_findings judge_mesh(struct made_up_mesh *mesh, uint64_t seed, const char *plan)
{
	struct judge_findings findings = {0};
	struct judge *judge;

	made_up_begin(mesh, seed);
	judge = judge_new(mesh->list, mesh->hosts, &judge_default_limits,
			  mesh->know_fabric ? &mesh->fabric : NULL);
	made_up_run(mesh, plan, judge);
	judge_conclude(judge, &findings);
	judge_free(judge);
	return findings;
}

/* The fault is named, and nothing else. */
static void check_fault(enum made_up_fault fault, uint32_t hosts, uint16_t rails, int known,
			uint64_t seed)
{
	struct made_up_mesh mesh = {.hosts = hosts,
				    .rails = rails,
				    .noise = 0.03,
				    .fault = fault,
				    .know_fabric = known > 0,
				    .know_ways = known > 1};
	struct judge_findings findings = judge_mesh(&mesh, seed, PLAN_DEFAULT);
	const bool expected = made_up_is_there(&mesh);
	unsigned int right, wrong;

	made_up_count(&mesh, &findings, &right, &wrong);
	if (wrong || (right > 0) != expected) {
		for (size_t i = 0; i < findings.count; i++)
			print_message("%s: %s\n", findings.items[i].finding.object,
				      findings.items[i].finding.evidence);
		fail_msg("fault %d at n%u, n%u, rail %u of %u hosts, facts %d, seed %u: %u right, "
			 "%u "
			 "wrong",
			 fault, mesh.host + 1, mesh.other + 1, mesh.rail, hosts, known,
			 (unsigned int)seed, right, wrong);
	}
	judge_findings_clear(&findings);
	made_up_end(&mesh);
}

static void clean_runs(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++)
		check_fault(seed % 2 ? NO_FAULT : ONE_WAY, 64, seed % 4 ? 2 : 8, (int)(seed % 3),
			    seed);
}

/* With few figures, their scatter may seem smaller than it is. */
static void clean_runs_of_few_hosts(void **state)
{
	(void)state;
	for (uint32_t hosts = 16; hosts <= 32; hosts += 4)
		for (uint64_t seed = 1; seed <= 60; seed++)
			check_fault(NO_FAULT, hosts, 4, 0, seed);
}

static void planted_faults(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 10; seed++)
		for (int fault = 1; fault < LOST_AGENT; fault++)
			for (int known = 0; known < 3; known++)
				if (fault != BAD_SPINE || known == 2)
					check_fault((enum made_up_fault)fault, 64, 4, known, seed);
}

static void small_clusters(void **state)
{
	static const enum made_up_fault faults[] = {SLOW_RAIL, DEAD_RAIL, BAD_PAIR, DEAF_RAIL,
						    BOTH_SLOW, BOTH_PAIR, ONE_WAY,  NO_FAULT};

	(void)state;
	for (uint32_t hosts = 3; hosts <= 9; hosts++)
		for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
			for (uint64_t seed = 1; seed <= 5; seed++)
				check_fault(faults[i], hosts, 8, 0, seed);
}

/* A shortfall of all pairs is nobody's fault, but is reported. */
static void slow_both_ways_everywhere(void **state)
{
	struct made_up_mesh mesh = {.hosts = 16, .rails = 2, .noise = 0.03};
	struct judge_findings findings = {0};
	struct mesh_result result;
	struct judge *judge;

	(void)state;
	made_up_begin(&mesh, 1);
	judge = judge_new(mesh.list, mesh.hosts, &judge_default_limits, NULL);
	for (uint32_t a = 0; a < mesh.hosts; a++)
		for (uint32_t b = a + 1; b < mesh.hosts; b++) {
			made_up_result(&mesh, &(const struct mesh_pair){a, b, 1, 1}, false,
				       &result);
			for (int end = 0; end < MESH_ENDS; end++)
				result.both_gbps[end].value /= 2;
			judge_take(judge, &result);
		}
	judge_end_stage(judge);
	judge_conclude(judge, &findings);
	assert_int_equal(findings.count, 1);
	assert_int_equal(findings.items[0].finding.id.value, JUDGE_BOTH);
	assert_int_equal(findings.items[0].finding.severity.value, SEVERITY_NOTICE);
	assert_string_equal(findings.items[0].finding.object, "rail 1");
	assert_float_equal(findings.items[0].share.value, 0.5, 0.02);
	judge_findings_clear(&findings);
	judge_free(judge);
	made_up_end(&mesh);
}

/* Divides what host 3 receives and sends both ways at once, and judges the result. */
static void check_direction(double received_by, double sent_by, enum judge_direction direction)
{
	struct made_up_mesh mesh = {.hosts = 8, .rails = 1};
	struct judge_findings findings = {0};
	struct mesh_result result;
	struct judge *judge;

	made_up_begin(&mesh, 1);
	judge = judge_new(mesh.list, mesh.hosts, &judge_default_limits, NULL);
	for (uint32_t a = 0; a < mesh.hosts; a++)
		for (uint32_t b = a + 1; b < mesh.hosts; b++) {
			made_up_result(&mesh, &(const struct mesh_pair){a, b, 0, 0}, false,
				       &result);
			if (a == 3 || b == 3) {
				result.both_gbps[a == 3 ? MESH_END_B : MESH_END_A].value /=
					received_by;
				result.both_gbps[a == 3 ? MESH_END_A : MESH_END_B].value /= sent_by;
			}
			judge_take(judge, &result);
		}
	judge_end_stage(judge);
	judge_conclude(judge, &findings);
	assert_true(findings.count >= 1);
	assert_int_equal(findings.items[0].finding.id.value, JUDGE_BOTH);
	assert_string_equal(findings.items[0].finding.object, "n4 rail 0");
	assert_int_equal(findings.items[0].direction.value, direction);
	assert_int_equal(strstr(findings.items[0].finding.evidence,
				"only what n4 receives is slow") != NULL,
			 direction == JUDGE_RECEIVES);
	judge_findings_clear(&findings);
	judge_free(judge);
	made_up_end(&mesh);
}

/* One of both simultaneous directions is slow: which one, seen from the host; or both are. */
static void one_direction_of_both(void **state)
{
	(void)state;
	check_direction(4, 1, JUDGE_RECEIVES);
	check_direction(2, 1.4, JUDGE_BOTH_WAYS);
}

/* A rail that is also bad alone: not only both directions at once are wrong. */
static void bad_alone_and_both_ways(void **state)
{
	struct made_up_mesh mesh = {.hosts = 16, .rails = 1, .noise = 0.01};
	const struct plan_stage loopback = {.mode = MESH_LOOPBACK}, full = {.mode = MESH_FULL};
	struct judge_findings findings = {0};
	struct mesh_result result;
	struct judge *judge;

	(void)state;
	made_up_begin(&mesh, 1);
	judge = judge_new(mesh.list, mesh.hosts, &judge_default_limits, NULL);
	for (int stage = 0; stage < 2; stage++) {
		judge_begin_stage(judge, stage ? &full : &loopback);
		for (uint32_t a = 0; a < mesh.hosts; a++)
			for (uint32_t b = stage ? a + 1 : a; b < (stage ? mesh.hosts : a + 1);
			     b++) {
				const bool is_bad = a == 3 || b == 3;

				made_up_result(&mesh, &(const struct mesh_pair){a, b, 0, 0}, false,
					       &result);
				for (int end = 0; end < MESH_ENDS && is_bad; end++)
					*(stage ? &result.both_gbps[end].value
						: &result.gbps[end].value) *= 0.43;
				judge_take(judge, &result);
			}
		judge_end_stage(judge);
	}
	judge_conclude(judge, &findings);
	assert_int_equal(findings.count, 1);
	assert_int_equal(findings.items[0].finding.id.value, JUDGE_RAIL);
	assert_non_null(strstr(findings.items[0].finding.evidence, "in loopback, it is at 43 %"));
	assert_non_null(strstr(findings.items[0].finding.evidence, "partners both ways at once"));
	assert_null(strstr(findings.items[0].finding.evidence, "nothing is wrong"));
	judge_findings_clear(&findings);
	judge_free(judge);
	made_up_end(&mesh);
}

/* One rail of four is slower, which is not a fault of both ways at once. */
static void slower_rail_of_few_hosts(void **state)
{
	struct made_up_mesh mesh = {.hosts = 4, .rails = 4, .noise = 0.02};
	struct judge_findings findings = {0};
	struct mesh_result result;
	struct judge *judge;

	(void)state;
	made_up_begin(&mesh, 1);
	judge = judge_new(mesh.list, mesh.hosts, &judge_default_limits, NULL);
	for (uint32_t i = 0; i < 4 * 4 * mesh.rails; i++) {
		const uint16_t rail = (uint16_t)(i % 4);
		const uint32_t a = i / 4 % 4, b = i / 16;

		if (a >= b)
			continue;
		made_up_result(&mesh, &(const struct mesh_pair){a, b, rail, rail}, false, &result);
		for (int end = 0; end < MESH_ENDS && rail == 3; end++) {
			result.gbps[end].value *= 0.58;
			result.both_gbps[end].value *= 0.58;
		}
		judge_take(judge, &result);
	}
	judge_end_stage(judge);
	judge_conclude(judge, &findings);
	assert_int_equal(findings.count, 1);
	assert_int_equal(findings.items[0].finding.id.value, JUDGE_SLOW_RAIL);
	assert_int_equal(findings.items[0].rail.value, 3);
	assert_int_equal(findings.items[0].finding.severity.value, SEVERITY_NOTICE);
	judge_findings_clear(&findings);
	judge_free(judge);
	made_up_end(&mesh);
}

/* Six sums on one rail, with a fault; and when the same pairs were tested twice. */
static void few_sums(void **state)
{
	struct made_up_mesh mesh = {.hosts = 4, .rails = 1, .noise = 0.01};
	struct judge_findings findings = {0};
	struct mesh_result result;
	struct judge *judge;

	(void)state;
	made_up_begin(&mesh, 1);
	judge = judge_new(mesh.list, mesh.hosts, &judge_default_limits, NULL);
	for (int stage = 0; stage < 2; stage++) {
		for (uint32_t a = 0; a < mesh.hosts; a++)
			for (uint32_t b = a + 1; b < mesh.hosts; b++) {
				made_up_result(&mesh, &(const struct mesh_pair){a, b, 0, 0}, false,
					       &result);
				for (int end = 0; end < MESH_ENDS && (a == 2 || b == 2); end++)
					result.both_gbps[end].value /= 10;
				judge_take(judge, &result);
			}
		judge_end_stage(judge);
		judge_conclude(judge, &findings);
		assert_int_equal(findings.count, stage ? 1 : 2);
		assert_int_equal(findings.items[0].finding.id.value,
				 stage ? JUDGE_BOTH : JUDGE_NOT_JUDGED);
		if (!stage) {
			assert_string_equal(findings.items[0].finding.evidence,
					    "latency: 6 results are of a rail and distance with "
					    "fewer than 8 latencies");
			assert_string_equal(findings.items[1].finding.evidence,
					    "both ways at once: 6 results are of a rail and "
					    "distance with fewer than 8 sums");
		} else {
			assert_string_equal(findings.items[0].finding.object, "n3 rail 0");
			assert_int_equal(findings.items[0].bad.value, 3);
			assert_int_equal(findings.items[0].judged.value, 3);
		}
		judge_findings_clear(&findings);
	}
	judge_free(judge);
	made_up_end(&mesh);
}

/* A pair of three hosts with a high latency, on one of several rails. */
static void add_late(struct made_up_mesh *mesh, struct judge *judge, bool again, bool late)
{
	struct mesh_result result;

	for (uint32_t i = 0; i < 3u * mesh->rails; i++) {
		const uint32_t number = i / mesh->rails, b = number ? 2 : 1, a = number / 2;
		const struct mesh_pair pair = {a, b, (uint16_t)(i % mesh->rails),
					       (uint16_t)(i % mesh->rails)};
		const bool is_bad = !number && !pair.rail_a;

		if (again && !is_bad)
			continue;
		made_up_result(mesh, &pair, again, &result);
		if (is_bad && late)
			result.latency_usec.value *= 50;
		judge_take(judge, &result);
	}
}

/*
 * Each of four rails has too few latencies, but together they have enough; a single rail has enough
 * once its pairs have been tested a third time.
 */
static void few_latencies(void **state)
{
	for (uint16_t rails = 1; rails <= 4; rails += 3) {
		struct made_up_mesh mesh = {.hosts = 3, .rails = rails, .noise = 0.01};
		struct judge_findings findings = {0};
		struct judge *judge;
		size_t count;

		(void)state;
		made_up_begin(&mesh, 1);
		judge = judge_new(mesh.list, mesh.hosts, &judge_default_limits, NULL);
		for (int stage = 0; stage < (rails == 1 ? 3 : 2); stage++) {
			add_late(&mesh, judge, false, stage < 2);
			judge_end_stage(judge);
		}
		free(judge_retests(judge, &count));
		assert_int_equal(count, 1);
		add_late(&mesh, judge, true, true);
		judge_conclude(judge, &findings);
		assert_int_equal(findings.count, 1);
		assert_int_equal(findings.items[0].finding.id.value, JUDGE_PAIR);
		assert_int_equal(findings.items[0].finding.severity.value, SEVERITY_ERROR);
		assert_non_null(strstr(findings.items[0].finding.evidence, "bad again"));
		judge_findings_clear(&findings);
		judge_free(judge);
		made_up_end(&mesh);
	}
}

/*
 * A pair that is late and a little slow: when there are enough latencies to see that, there are so
 * many figures that its bandwidth is bad, too.
 */
static void late_and_slow(void **state)
{
	struct made_up_mesh mesh = {.hosts = 12, .rails = 1, .noise = 0.01};
	struct mesh_result result;
	struct judge *judge;
	size_t count;

	(void)state;
	made_up_begin(&mesh, 1);
	judge = judge_new(mesh.list, mesh.hosts, &judge_default_limits, NULL);
	for (uint32_t a = 0; a < 10; a += 2) {
		made_up_result(&mesh, &(const struct mesh_pair){a, a + 1, 0, 0}, false, &result);
		if (!a) {
			result.latency_usec.value *= 50;
			for (int end = 0; end < MESH_ENDS; end++)
				result.gbps[end].value *= 0.82;
		}
		judge_take(judge, &result);
	}
	judge_end_stage(judge);
	for (uint32_t a = 0; a < 6; a++)
		for (uint32_t b = 6; b < 10; b++) {
			made_up_result(&mesh, &(const struct mesh_pair){a, b, 0, 0}, false,
				       &result);
			judge_take(judge, &result);
		}
	judge_end_stage(judge);
	free(judge_retests(judge, &count));
	assert_int_equal(count, 1);
	judge_free(judge);
	made_up_end(&mesh);
}

/* More bad pairs than the judge remembers. */
static void too_many_bad_pairs(void **state)
{
	struct made_up_mesh mesh = {.hosts = 2, .rails = 1};
	struct judge_findings findings = {0};
	struct mesh_result result;
	const char *evidence = NULL;
	struct judge *judge;

	(void)state;
	made_up_begin(&mesh, 1);
	judge = judge_new(mesh.list, mesh.hosts, &judge_default_limits, NULL);
	made_up_result(&mesh, &(const struct mesh_pair){0, 1, 0, 0}, false, &result);
	result.outcome = MESH_FAIL;
	for (int i = 0; i < (1 << 20) + 3; i++)
		judge_take(judge, &result);
	judge_end_stage(judge);
	judge_conclude(judge, &findings);
	for (size_t i = 0; i < findings.count; i++)
		if (findings.items[i].finding.id.value == JUDGE_NOT_KEPT)
			evidence = findings.items[i].finding.evidence;
	assert_non_null(evidence);
	assert_string_equal(evidence, "3 bad pairs are counted for their ports, but were not "
				      "looked at one by one");
	judge_findings_clear(&findings);
	judge_free(judge);
	made_up_end(&mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spreads),
		cmocka_unit_test(clean_runs),
		cmocka_unit_test(clean_runs_of_few_hosts),
		cmocka_unit_test(planted_faults),
		cmocka_unit_test(small_clusters),
		cmocka_unit_test(slow_both_ways_everywhere),
		cmocka_unit_test(one_direction_of_both),
		cmocka_unit_test(bad_alone_and_both_ways),
		cmocka_unit_test(slower_rail_of_few_hosts),
		cmocka_unit_test(few_sums),
		cmocka_unit_test(few_latencies),
		cmocka_unit_test(late_and_slow),
		cmocka_unit_test(too_many_bad_pairs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
