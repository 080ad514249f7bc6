/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The judge's exact words about clusters whose figures are all equal, apart from those that a test
 * changes: each fault of a rail, a host and a pair, at the limits, and before and after the second
 * pass.
 */
#include "even_cluster.h"

#include "mesh/judge/judge_parts.h"

/* ---- Limits ---- */

static bool is_between(const struct mesh_result *result, uint32_t a, uint32_t b)
{
	return result->pair.a == a && result->pair.b == b;
}

static bool is_of(const struct mesh_result *result, uint32_t host)
{
	return result->pair.a == host || result->pair.b == host;
}

static void set_failed(struct mesh_result *result)
{
	*result = (struct mesh_result){.pair = result->pair,
				       .again = result->again,
				       .outcome = MESH_FAIL,
				       .reason = "rc-write: no"};
}

/* As slow and as late as allowed: 93 % of the median, and 2.1 times the latency. */
static void at_the_limits(struct mesh_result *result)
{
	if (!is_between(result, 0, 1))
		return;
	result->gbps[MESH_END_A] = result->gbps[MESH_END_B] = real_of(93);
	result->latency_usec = real_of(21);
}

static void below_the_limit(struct mesh_result *result)
{
	if (is_between(result, 0, 1))
		result->gbps[MESH_END_B] = real_of(92);
}

static void above_the_limit(struct mesh_result *result)
{
	if (is_between(result, 0, 1))
		result->latency_usec = real_of(21.5);
}

/* As in a file of pairs, which may name a rail of each host. */
static void two_rails_fail(struct mesh_result *result)
{
	if (result->pair.a != 0 || result->pair.b != 1)
		return;
	result->pair.rail_b = 1;
	result->outcome = MESH_FAIL;
}

static void names_of_pairs(void **state)
{
	static const struct {
		struct mesh_pair pair;
		const char *text;
	} samples[] = {{{0, 1, 3, 3}, "n1 and n2, rail 3"},
		       {{0, 1, 3, 0}, "n1 rail 3 and n2 rail 0"},
		       {{1, 1, 2, 2}, "n2 rail 2 with itself"},
		       {{1, 1, 2, 3}, "n2 rail 2 and n2 rail 3"}};
	struct cluster *cluster = *state;

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		_cleanup_(freep) char *text = mesh_pair_text(cluster->hosts, &samples[i].pair);

		assert_string_equal(text, samples[i].text);
	}
	cluster->host_count = 4;
	test_all(cluster, two_rails_fail);
	judge_conclude(cluster->judge, &cluster->findings);
	assert_string_equal(cluster->findings.items[0].finding.object, "n1 rail 0 and n2 rail 1");
}

static void limits(void **state)
{
	struct cluster *cluster = *state;

	test_all(cluster, at_the_limits);
	expect(cluster, "");
	judge_free(cluster->judge);
	cluster->judge = NULL;
	test_all(cluster, below_the_limit);
	expect(cluster, "warning pair 'n1 and n2, rail 0' n1/0 mlx5_0/1 n2 - -1/-1 0.92: 1 pair "
			"at 92 % of the median 100 Gb/s; only what n2 sends is slow; n1 "
			"with others: 14 of 14 good; n2 with others: 14 of 14 good; not "
			"tried again alone\n");
	judge_free(cluster->judge);
	cluster->judge = NULL;
	test_all(cluster, above_the_limit);
	expect(cluster, "warning pair 'n1 and n2, rail 0' n1/0 mlx5_0/1 n2 - -1/-1 -1.00: 1 "
			"pair with 2.15 times the usual latency; n1 with others: 14 of 14 "
			"good; n2 with others: 14 of 14 good; not tried again alone\n");
}

/* ---- Pairs ---- */

static void pair_fails(struct mesh_result *result)
{
	if (is_between(result, 2, 6))
		set_failed(result);
}

static void pair_is_slow(struct mesh_result *result)
{
	if (is_between(result, 2, 6))
		result->gbps[MESH_END_A] = result->gbps[MESH_END_B] = real_of(50);
}

static void pairs(void **state)
{
	struct cluster *cluster = *state;

	test_all(cluster, pair_fails);
	expect(cluster, "warning pair 'n3 and n7, rail 0' n3/0 mlx5_0/1 n7 - -1/-1 -1.00: 1 "
			"pair failed: rc-write: no; n3 with others: 14 of 14 good; n7 with "
			"others: 14 of 14 good; not tried again alone\n");
	test_again(cluster, "n3-n7", pair_fails);
	expect(cluster, "error pair 'n3 and n7, rail 0' n3/0 mlx5_0/1 n7 - -1/-1 -1.00: 1 pair "
			"failed: rc-write: no; n3 with others: 14 of 14 good; n7 with "
			"others: 14 of 14 good; tried again alone: bad again\n");
}

static void flaky_pair(void **state)
{
	struct cluster *cluster = *state;

	test_all(cluster, pair_fails);
	test_again(cluster, "n3-n7", unchanged);
	expect(cluster, "warning flaky-pair 'n3 and n7, rail 0' n3/0 mlx5_0/1 n7 - -1/-1 -1.00: "
			"1 pair failed: rc-write: no; n3 with others: 14 of 14 good; n7 "
			"with others: 14 of 14 good; tried again alone: good\n");
}

static void slow_pair(void **state)
{
	struct cluster *cluster = *state;

	test_all(cluster, pair_is_slow);
	expect(cluster, "warning pair 'n3 and n7, rail 0' n3/0 mlx5_0/1 n7 - -1/-1 0.50: 1 pair "
			"at 50 % of the median 100 Gb/s; n3 with others: 14 of 14 good; n7 "
			"with others: 14 of 14 good; not tried again alone\n");
	test_again(cluster, "n3-n7", unchanged);
	expect(cluster, "notice flaky-pair 'n3 and n7, rail 0' n3/0 mlx5_0/1 n7 - -1/-1 0.50: 1 "
			"pair at 50 % of the median 100 Gb/s; n3 with others: 14 of 14 "
			"good; n7 with others: 14 of 14 good; tried again alone: good\n");
}

/* ---- Rails ---- */

static void rail_fails(struct mesh_result *result)
{
	if (is_of(result, 3))
		set_failed(result);
}

/* The data that host n4 sends. */
static void rail_sends_little(struct mesh_result *result)
{
	if (is_of(result, 3))
		result->gbps[result->pair.a == 3 ? MESH_END_A : MESH_END_B] = real_of(50);
}

static void rail_receives_little(struct mesh_result *result)
{
	if (is_of(result, 3))
		result->gbps[result->pair.a == 3 ? MESH_END_B : MESH_END_A] = real_of(50);
}

static void rail_is_late(struct mesh_result *result)
{
	if (is_of(result, 3))
		result->latency_usec = real_of(30);
}

static void rail_is_slow(struct mesh_result *result)
{
	for (int end = 0; end < MESH_ENDS && is_of(result, 3); end++)
		result->gbps[end] = real_of(40);
	if (is_of(result, 3))
		result->errors[result->pair.a == 3 ? MESH_END_A : MESH_END_B] = number_of(2);
}

static void rail_is_slow_both_ways(struct mesh_result *result)
{
	for (int end = 0; end < MESH_ENDS && is_of(result, 3); end++)
		result->both_gbps[end] = real_of(50);
}

static void rails(void **state)
{
	/* The text before and after the words about the second pass. */
	static const struct {
		change_result change;
		const char *before, *after, *bad_again, *good_again;
	} cases[] = {
		{rail_fails,
		 "rail 'n4 rail 0' n4/0 mlx5_0/1 - - 15/15 -1.00 n4: 15 of 15 partners "
		 "failed: rc-write: no; the same partners with others: 100 %",
		 "", "", ""},
		{rail_sends_little,
		 "rail 'n4 rail 0' n4/0 mlx5_0/1 - sends 15/15 0.50 n4: 15 of 15 "
		 "partners at 50 % of the median 100 Gb/s; only what it sends is "
		 "slow; the same partners with others: 100 %",
		 "", "", ""},
		{rail_receives_little,
		 "rail 'n4 rail 0' n4/0 mlx5_0/1 - receives 15/15 0.50 n4: 15 of 15 "
		 "partners at 50 % of the median 100 Gb/s; only what it receives is "
		 "slow; the same partners with others: 100 %",
		 "", "", ""},
		{rail_is_late,
		 "rail 'n4 rail 0' n4/0 mlx5_0/1 - - 15/15 -1.00 n4: 15 of 15 partners "
		 "with 3 times the usual latency; the same partners with others: "
		 "100 %",
		 "", "", ""},
		{rail_is_slow,
		 "rail 'n4 rail 0' n4/0 mlx5_0/1 - both 15/15 0.40 n4: 15 of 15 partners "
		 "at 40 % of the median 100 Gb/s; the same partners with others: "
		 "100 %",
		 "; its error counters grew by 30 in 15 of 15 tests",
		 "; its error counters grew by 34 in 17 of 17 tests",
		 "; its error counters grew by 30 in 15 of 17 tests"},
		{rail_is_slow_both_ways,
		 "both-ways 'n4 rail 0' n4/0 mlx5_0/1 - both 15/15 0.50 n4: 15 of 15 partners both "
		 "ways at once at 50 % of the usual 200 Gb/s; one way at a time nothing is wrong: "
		 "the two directions together reach 50 % of what they reach one after the other, "
		 "about what one reaches alone: they may share what carries them; the same "
		 "partners with others: 100 %",
		 "", "", ""},
	};
	struct cluster *cluster = *state;
	char wanted[600];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		for (int good = 0; good < 2; good++) {
			judge_free(cluster->judge);
			cluster->judge = NULL;
			test_all(cluster, cases[i].change);
			snprintf(wanted, sizeof(wanted), "error %s; not tried again alone%s\n",
				 cases[i].before, cases[i].after);
			expect(cluster, wanted);
			test_again(cluster, "n4-n5 n4-n6", good ? unchanged : cases[i].change);
			if (good)
				snprintf(wanted, sizeof(wanted),
					 "warning %s; alone with good hosts it was good (2 of 2): "
					 "it is bad only under load%s\n",
					 cases[i].before, cases[i].good_again);
			else
				snprintf(wanted, sizeof(wanted),
					 "error %s; alone with good hosts: 2 of 2 bad%s\n",
					 cases[i].before, cases[i].bad_again);
			expect(cluster, wanted);
		}
}

static void four_rails_are_slow(struct mesh_result *result)
{
	for (int end = 0; end < MESH_ENDS; end++)
		if (result->pair.a < 4 || result->pair.b < 4)
			result->gbps[end] = real_of(40);
}

static void three_rails_are_slow(struct mesh_result *result)
{
	if (result->pair.a != 3 && result->pair.b != 3)
		four_rails_are_slow(result);
}

/* Four bad hosts on one rail are remarkable; three are a coincidence. */
static void alike(void **state)
{
	static const char many[] =
		"; 4 hosts are bad on this rail: look for a switch that they share";
	struct cluster *cluster = *state;

	for (uint32_t count = 3; count <= 4; count++) {
		judge_findings_clear(&cluster->findings);
		judge_free(cluster->judge);
		cluster->judge = NULL;
		test_all(cluster, count == 3 ? three_rails_are_slow : four_rails_are_slow);
		judge_conclude(cluster->judge, &cluster->findings);
		assert_int_equal(cluster->findings.count, count);
		for (uint32_t i = 0; i < count; i++) {
			const struct judge_finding *at = &cluster->findings.items[i];

			assert_int_equal(at->finding.id.value, JUDGE_RAIL);
			assert_string_equal(at->host_name, cluster->names[i]);
			assert_int_equal(!!strstr(at->finding.evidence, many), count == 4);
		}
	}
}

static void rail_fails_in_two_ways(struct mesh_result *result)
{
	if (!is_of(result, 2))
		return;
	set_failed(result);
	if (result->pair.a == 0)
		snprintf(result->reason, sizeof(result->reason), "the test did not end within 1 s");
}

/* The first failure has a reason of its own. */
static void two_reasons(void **state)
{
	struct cluster *cluster = *state;

	test_all(cluster, rail_fails_in_two_ways);
	expect(cluster, "error rail 'n3 rail 0' n3/0 mlx5_0/1 - - 15/15 -1.00 n3: 15 of 15 "
			"partners failed, 14 of them: rc-write: no; the same "
			"partners with others: 100 %; not tried again alone\n");
}

/* Most pairs have one of five hosts, so that the median is that of a late pair. */
static void five_are_late(struct mesh_result *result)
{
	if (result->pair.a < 5 || result->pair.b < 5)
		result->latency_usec = real_of(50);
}

static void late_for_most(void **state)
{
	struct cluster *cluster = *state;

	test_all(cluster, five_are_late);
	judge_conclude(cluster->judge, &cluster->findings);
	assert_int_equal(cluster->findings.count, 5);
	for (size_t i = 0; i < 5; i++) {
		assert_string_equal(cluster->findings.items[i].host_name, cluster->names[i]);
		assert_non_null(strstr(cluster->findings.items[i].finding.evidence,
				       " with 5 times the usual latency; "));
	}
}

/* If both rails of a host are bad, the host is blamed. */
static void host(void **state)
{
	struct cluster *cluster = *state;

	cluster->rail_count = RAILS;
	test_all(cluster, rail_is_slow);
	expect(cluster, "error host 'n4' n4/- - - both 2/2 0.40 n4: 2 of 2 rails are bad (0, "
			"1); 30 pairs at 40 % of the median 100 Gb/s; the same partners "
			"with others: 100 %; not tried again alone\n");
}

static void last_rail_is_worst(struct mesh_result *result)
{
	if (result->pair.rail_a || !is_of(result, 4))
		rail_is_slow(result);
}

/* The rails of a host are in their order, although the worst is found first. */
static void host_of_unequal_rails(void **state)
{
	struct cluster *cluster = *state;

	cluster->rail_count = RAILS;
	test_all(cluster, last_rail_is_worst);
	expect(cluster, "error host 'n4' n4/- - - both 2/2 0.40 n4: 2 of 2 rails are bad (0, "
			"1); 29 pairs at 40 % of the median 100 Gb/s; the same partners "
			"with others: 100 %; not tried again alone\n");
}

/* ---- Alone ---- */

static void alone(void **state)
{
	static const struct {
		change_result change;
		const char *wanted;
	} cases[] = {
		{rail_fails, "error rail 'n4 rail 0' n4/0 mlx5_0/1 - - 0/15 -1.00 n4: alone, in "
			     "loopback, it failed: rc-write: no\n"},
		{rail_is_late, "error rail 'n4 rail 0' n4/0 mlx5_0/1 - - 0/15 -1.00 n4: alone, in "
			       "loopback, it has 3 times the usual latency\n"},
		{rail_sends_little,
		 "error rail 'n4 rail 0' n4/0 mlx5_0/1 - - 0/15 -1.00 n4: alone, in "
		 "loopback, it is at 50 % of the median 100 Gb/s\n"}};
	struct cluster *cluster = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		judge_free(cluster->judge);
		test_alone(cluster, cases[i].change);
		test_all(cluster, unchanged);
		expect(cluster, cases[i].wanted);
	}
}

static void set_gbps(struct mesh_result *result, double gbps)
{
	for (int end = 0; end < MESH_ENDS; end++)
		result->gbps[end] = result->both_gbps[end] = real_of(gbps);
}

static void most_are_slow_alone(struct mesh_result *result)
{
	if (result->pair.a > 1)
		set_gbps(result, 40);
}

/* The median is one of the bad results. */
static void most_alone(void **state)
{
	struct cluster *cluster = *state;

	cluster->host_count = 5;
	test_alone(cluster, most_are_slow_alone);
	test_all(cluster, unchanged);
	expect(cluster, "error rail 'n3 rail 0' n3/0 mlx5_0/1 - - 0/4 -1.00 n3: alone, in "
			"loopback, it is at 40 % of the upper quartile 100 Gb/s\n"
			"error rail 'n4 rail 0' n4/0 mlx5_0/1 - - 0/4 -1.00 n4: alone, in "
			"loopback, it is at 40 % of the upper quartile 100 Gb/s\n"
			"error rail 'n5 rail 0' n5/0 mlx5_0/1 - - 0/4 -1.00 n5: alone, in "
			"loopback, it is at 40 % of the upper quartile 100 Gb/s\n");
}

/* No pair of such a host is tested, so only loopback shows what is wrong. */
static void host_alone(void **state)
{
	struct cluster *cluster = *state;

	cluster->rail_count = RAILS;
	test_alone(cluster, rail_fails);
	expect(cluster, "error host 'n4' n4/- - - - 2/2 -1.00 n4: 2 of 2 rails are bad (0, 1); "
			"rail 0 alone, in loopback, failed: rc-write: no\n");
}

/* A host that is bad alone is not bad only under load. */
static void host_alone_good_again(void **state)
{
	struct cluster *cluster = *state;

	cluster->rail_count = RAILS;
	test_alone(cluster, rail_is_slow);
	test_all(cluster, rail_is_slow);
	test_again(cluster, "n4-n5 n4-n6 n4-n5 n4-n6", unchanged);
	expect(cluster, "error host 'n4' n4/- - - both 2/2 0.40 n4: 2 of 2 rails are bad (0, 1); "
			"rail 0 alone, in loopback, is at 40 % of the median 100 Gb/s; 30 pairs "
			"at 40 % of the median 100 Gb/s; the same partners with others: 100 %; "
			"alone with good hosts it was good (4 of 4)\n");
}

/* ---- What only the second pass found ---- */

static void errors_of_second(struct mesh_result *result)
{
	if (is_of(result, 1))
		result->errors[result->pair.a == 1 ? MESH_END_A : MESH_END_B] = number_of(2);
}

static void second_fails_with_third(struct mesh_result *result)
{
	if (is_between(result, 1, 2))
		set_failed(result);
}

static void second_fails(struct mesh_result *result)
{
	if (is_of(result, 1))
		set_failed(result);
}

static void first_two_fail(struct mesh_result *result)
{
	if (is_of(result, 0) || is_of(result, 1))
		set_failed(result);
}

/* Growing errors made n2 a suspect. */
static void good_at_first(void **state)
{
	struct cluster *cluster = *state;

	cluster->host_count = 5;
	test_all(cluster, errors_of_second);
	test_again(cluster, "n2-n3 n2-n4", second_fails_with_third);
	expect(cluster,
	       "warning pair 'n2 and n3, rail 0' n2/0 mlx5_0/1 n3 - -1/-1 -1.00: 1 pair failed: "
	       "rc-write: no; n2 with others: 3 of 3 good; n3 with others: 4 of 4 good; bad when "
	       "tested alone, in the second pass\n"
	       "warning errors 'n2 rail 0' n2/0 mlx5_0/1 - - 4/6 -1.00: 1 of 4 partners were bad; "
	       "its error counters grew by 8 in 4 of 6 tests\n");
	judge_free(cluster->judge);
	cluster->judge = NULL;
	cluster->host_count = 4;
	test_all(cluster, errors_of_second);
	test_again(cluster, "n2-n3 n2-n4", second_fails);
	expect(cluster,
	       "error rail 'n2 rail 0' n2/0 mlx5_0/1 - - 2/3 -1.00 n2: good with 3 partners at "
	       "first; alone with good hosts: 2 of 2 bad; its error counters grew by 6 in 3 of 5 "
	       "tests\n"
	       "info not-judged '-' -/- - - - -1/-1 -1.00: latency: 6 results are of a rail and "
	       "distance with fewer than 8 latencies\n"
	       "info not-judged '-' -/- - - - -1/-1 -1.00: both ways at once: 6 results are of a "
	       "rail and distance with fewer than 8 sums\n");
}

/* The first pass tested n2 with n1 only, which is bad itself. */
static void only_partner_is_bad(void **state)
{
	struct cluster *cluster = *state;

	cluster->judge = judge_new(cluster->hosts, cluster->host_count, &cluster->limits, NULL);
	for (uint32_t a = 0; a < 8; a++)
		for (uint32_t b = a + 1; b < 8; b++)
			if (a != 1)
				take(cluster, a, b, 0, false, first_two_fail);
	judge_end_stage(cluster->judge);
	test_again(cluster, "n1-n3 n1-n4 n2-n5 n2-n6", first_two_fail);
	expect(cluster,
	       "error rail 'n1 rail 0' n1/0 mlx5_0/1 - - 7/7 -1.00 n1: 7 of 7 partners failed: "
	       "rc-write: no; the same partners with others: 100 %; alone with good hosts: 2 of 2 "
	       "bad\n"
	       "error rail 'n2 rail 0' n2/0 mlx5_0/1 - - -1/-1 -1.00 n2: its only partner is bad "
	       "itself; alone with good hosts: 2 of 2 bad\n");
}

/* ---- A rail on which every pair failed ---- */

static void first_rail_fails(struct mesh_result *result)
{
	if (!result->pair.rail_a)
		set_failed(result);
}

static void whole_rail(void **state)
{
	struct cluster *cluster = *state;

	cluster->host_count = 5;
	cluster->rail_count = RAILS;
	test_all(cluster, first_rail_fails);
	expect(cluster,
	       "error unclear 'all 10 pairs of rail 0' -/0 - - - 10/10 -1.00: 10 pairs failed: "
	       "rc-write: no; not tried again alone; no host stands out\n");
	test_again(cluster, "n1-n2 n1-n3", unchanged);
	expect(cluster,
	       "warning unclear 'all 10 pairs of rail 0' -/0 - - - 10/10 -1.00: 10 pairs failed: "
	       "rc-write: no; tried again alone: 0 of 2 bad: they are bad only under load, or "
	       "were for a while; no host stands out\n");
	assert_string_equal(cluster->findings.items[0].finding.next_step,
			    "run the mesh again; if it comes back, look at congestion and at the "
			    "error counters");
}

/* ---- A suspect that is bad in no single pair ---- */

/* Scattered figures; n1 is at half of them, and n2 at nine tenths unless it is tested alone. */
static void slow_by_mean(struct mesh_result *result)
{
	const double noise = ((int)(result->pair.a * 7 + result->pair.b * 3) % 11 - 5) * 1.3;
	const double share = is_of(result, 0) ? 0.5 : is_of(result, 1) && !result->again ? 0.9 : 1;

	result->gbps[MESH_END_A] = result->gbps[MESH_END_B] = real_of((100 + noise) * share);
	result->both_gbps[MESH_END_A].known = false;
}

/* It is not a partner for another suspect, whose result it would spoil. */
static void suspects_apart(void **state)
{
	struct cluster *cluster = *state;

	test_all(cluster, slow_by_mean);
	test_again(cluster, "n1-n3 n1-n4 n2-n5 n2-n6", slow_by_mean);
	expect(cluster,
	       "error rail 'n1 rail 0' n1/0 mlx5_0/1 - both 15/15 0.51 n1: 15 of 15 partners at 51 "
	       "% of the median 97.4 Gb/s; the same partners with others: 101 %; alone with good "
	       "hosts: 2 of 2 bad\n"
	       "warning rail 'n2 rail 0' n2/0 mlx5_0/1 - - 15/15 0.92 n2: with all of 15 partners "
	       "together at 92 % of the median, too far below it to be chance, although no single "
	       "pair is; alone with good hosts it was good (2 of 2): it is bad only under load\n");
}

static void first_host_and_neighbours_are_slow(struct mesh_result *result)
{
	if (is_of(result, 0) || result->pair.b == result->pair.a + 1 || is_between(result, 1, 15))
		result->gbps[MESH_END_A] = result->gbps[MESH_END_B] = real_of(50);
}

/*
 * With no good partner for the first host, nothing is tried again for it, and good pairs of others
 * say nothing about it: only a pair is taken to be like them.
 */
static void suspect_beside_pairs(void **state)
{
	struct cluster *cluster = *state;

	cluster->limits.most_retests = 14;
	test_all(cluster, first_host_and_neighbours_are_slow);
	test_again(
		cluster,
		"n2-n3 n2-n16 n3-n4 n4-n5 n5-n6 n6-n7 n7-n8 n8-n9 n9-n10 n10-n11 n11-n12 n12-n13 "
		"n13-n14 n14-n15",
		unchanged);
	judge_conclude(cluster->judge, &cluster->findings);
	assert_string_equal(cluster->findings.items[0].finding.evidence,
			    "15 of 15 partners at 50 % of the median 100 Gb/s; the same partners "
			    "with others: 100 %; not tried again alone");
	assert_int_equal(cluster->findings.items[0].finding.severity.value, SEVERITY_ERROR);
	assert_string_equal(cluster->findings.items[15].finding.evidence,
			    "1 pair at 50 % of the median 100 Gb/s; n15 with others: 12 of 14 "
			    "good; n16 with others: 12 of 14 good; not tried again alone; the 14 "
			    "pairs that were are good");
	assert_int_equal(cluster->findings.items[15].finding.severity.value, SEVERITY_NOTICE);
}

/* Scattered figures; neighbours are at half of them, alone one pair is at nine tenths. */
static void neighbours_are_slow(struct mesh_result *result)
{
	const double noise = ((int)(result->pair.a * 7 + result->pair.b * 3) % 11 - 5) * 1.3;
	const double gbps = result->again ? (result->pair.a == 1 ? 90 : 100)
			    : result->pair.b == result->pair.a + 1 ? 50
								   : 100 + noise;

	result->gbps[MESH_END_A] = result->gbps[MESH_END_B] = real_of(gbps);
	result->both_gbps[MESH_END_A].known = false;
}

/* That one is below the user's limit, and so bad again, although chance can make a pair so. */
static void pair_beside_a_bad_one(void **state)
{
	struct cluster *cluster = *state;
	unsigned int untried = 0;

	cluster->limits.most_retests = 14;
	test_all(cluster, neighbours_are_slow);
	test_again(cluster,
		   "n1-n2 n2-n3 n3-n4 n4-n5 n5-n6 n6-n7 n7-n8 n8-n9 n9-n10 n10-n11 n11-n12 n12-n13 "
		   "n13-n14 n14-n15",
		   neighbours_are_slow);
	judge_conclude(cluster->judge, &cluster->findings);
	assert_string_equal(cluster->findings.items[0].finding.object, "n2 and n3, rail 0");
	assert_non_null(strstr(cluster->findings.items[0].finding.evidence,
			       "; tried again alone: bad again"));
	for (size_t i = 0; i < cluster->findings.count; i++) {
		const char *evidence = cluster->findings.items[i].finding.evidence;

		assert_null(strstr(evidence, "that were are good"));
		untried += strstr(evidence, "; not tried again alone") != NULL;
	}
	assert_int_equal(untried, 1);
}

/* ---- A plan whose pairs all run under load ---- */

static void slow_or_bad(struct mesh_result *result)
{
	if (is_of(result, 2))
		result->gbps[MESH_END_A] = result->gbps[MESH_END_B] = real_of(50);
	if (is_between(result, 4, 13))
		result->gbps[MESH_END_A] = result->gbps[MESH_END_B] = real_of(60);
}

/* Nothing is then known of pairs alone: what was tried again is neither good nor bad. */
static void bisection_only(void **state)
{
	const struct plan_stage bisection = {.mode = MESH_BISECTION};
	struct cluster *cluster = *state;

	cluster->judge = judge_new(cluster->hosts, cluster->host_count, &cluster->limits, NULL);
	judge_begin_stage(cluster->judge, &bisection);
	for (uint32_t shift = 0; shift < 2; shift++)
		for (uint32_t a = 0; a < 8; a++)
			take(cluster, a, 8 + (a + shift) % 8, 0, false, slow_or_bad);
	judge_end_stage(cluster->judge);
	test_again(cluster, "n3-n4 n3-n6 n5-n14", slow_or_bad);
	expect(cluster,
	       "error rail 'n3 rail 0' n3/0 mlx5_0/1 - both 2/2 0.50 n3: 2 of 2 partners at 50 % "
	       "of the median 100 Gb/s; the same partners with others: 100 %; tried again alone, "
	       "but this plan has no results to compare with\n"
	       "warning pair 'n5 and n14, rail 0' n5/0 mlx5_0/1 n14 - -1/-1 0.60: 1 pair at 60 % "
	       "of the median 100 Gb/s; n5 with others: 1 of 1 good; n14 with others: 1 of 1 good; "
	       "tried again alone, but this plan has no results to compare with\n"
	       "info not-judged '-' -/- - - - -1/-1 -1.00: 3 results are of a rail and distance "
	       "with fewer than 8 figures\n");
}

/* ---- Counters and rates ---- */

static void errors_grow(struct mesh_result *result)
{
	if (is_between(result, 5, 7))
		result->errors[MESH_END_A] = number_of(3);
	if (is_between(result, 1, 5))
		result->errors[MESH_END_B] = number_of(4);
}

static void errors_grow_everywhere(struct mesh_result *result)
{
	result->errors[MESH_END_A] = result->errors[MESH_END_B] = number_of(1);
}

static void growth(void **state)
{
	struct cluster *cluster = *state;

	test_all(cluster, errors_grow);
	expect(cluster, "warning errors 'n6 rail 0' n6/0 mlx5_0/1 - - 2/15 -1.00: 0 of 15 "
			"partners were bad; its error counters grew by 7 in 2 of 15 tests\n");
	judge_free(cluster->judge);
	cluster->judge = NULL;
	cluster->host_count = 6;
	cluster->limits.most_single_rows = 1;
	test_all(cluster, errors_grow_everywhere);
	expect(cluster, "warning errors 'n1 rail 0' n1/0 mlx5_0/1 - - 5/5 -1.00: 0 of 5 "
			"partners were bad; its error counters grew by 5 in 5 of 5 tests\n"
			"warning errors '-' -/- - - - -1/-1 -1.00: 5 more, which are not "
			"listed\n");
}

static void two_pairs_are_slow(struct mesh_result *result)
{
	pair_is_slow(result);
	if (is_between(result, 1, 4))
		result->gbps[MESH_END_A] = real_of(50);
}

static void both_are_slow(struct mesh_result *result)
{
	result->both_gbps[MESH_END_A] = result->both_gbps[MESH_END_B] = real_of(50);
}

/* The severity of those that are not listed is theirs, not the worst that such a finding has. */
static void severity_of_the_rest(void **state)
{
	static const struct {
		change_result change, again; /* NULL: not tried again */
		uint64_t severity;
	} samples[] = {{two_pairs_are_slow, NULL, SEVERITY_WARNING},
		       {two_pairs_are_slow, two_pairs_are_slow, SEVERITY_ERROR},
		       {two_pairs_are_slow, unchanged, SEVERITY_NOTICE},
		       {both_are_slow, NULL, SEVERITY_NOTICE}};
	struct cluster *cluster = *state;

	cluster->rail_count = 2;
	cluster->limits.most_single_rows = 1;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct judge_findings findings = {.items = NULL};

		judge_free(cluster->judge);
		cluster->judge = NULL;
		test_all(cluster, samples[i].change);
		if (samples[i].again)
			test_again(cluster, "n2-n5 n3-n7 n2-n5 n3-n7", samples[i].again);
		judge_conclude(cluster->judge, &findings);
		assert_int_equal(findings.count, 2);
		for (size_t j = 0; j < findings.count; j++)
			assert_int_equal(findings.items[j].finding.severity.value,
					 samples[i].severity);
		judge_findings_clear(&findings);
	}
}

/* How many hosts are reported as slow if the first `slow` of `count` have this rate. */
static size_t count_slow(uint32_t slow, uint32_t count, uint64_t rate_mbps)
{
	static char name[] = "n";
	struct mesh_host hosts[21] = {{.name = NULL}};
	struct endpoint rails[ARRAY_SIZE(hosts)] = {{.port = 0}};
	struct judge_findings findings = {.items = NULL};
	struct judge *judge;
	size_t found;

	for (uint32_t i = 0; i < count; i++) {
		rails[i].rate_mbps = i < slow ? rate_mbps : 100000;
		hosts[i] = (struct mesh_host){
			.name = name,
			.presence = MESH_PRESENT,
			.rails = &rails[i],
			.rail_count = 1,
		};
	}
	judge = judge_new(hosts, count, &judge_default_limits, NULL);
	judge_conclude(judge, &findings);
	found = findings.count;
	judge_findings_clear(&findings);
	judge_free(judge);
	return found;
}

/* A rate of a single host, or of less than a tenth of all, is a fault; of a tenth, a generation. */
static void rates(void **state)
{
	struct cluster *cluster = *state;

	cluster->host_count = 3;
	cluster->rails[1][0].rate_mbps = 50000;
	cluster->judge = judge_new(cluster->hosts, cluster->host_count, &cluster->limits, NULL);
	expect(cluster, "warning rate-differs 'n2 rail 0' n2/0 mlx5_0/1 - - -1/-1 -1.00: the "
			"port runs at 50 Gb/s, most others at 100\n");
	/* Many a broken cable leaves one lane at the lowest speed. */
	cluster->rails[1][0].rate_mbps = 2500;
	judge_free(cluster->judge);
	cluster->judge = judge_new(cluster->hosts, cluster->host_count, &cluster->limits, NULL);
	expect(cluster, "warning rate-differs 'n2 rail 0' n2/0 mlx5_0/1 - - -1/-1 -1.00: the "
			"port runs at 2.5 Gb/s, most others at 100\n");
	assert_int_equal(count_slow(1, 2, 50000), 0);
	assert_int_equal(count_slow(1, 3, 200000), 0);
	assert_int_equal(count_slow(2, 8, 50000), 0);
	assert_int_equal(count_slow(2, 20, 50000), 0);
	assert_int_equal(count_slow(2, 21, 50000), 2);
}

/* A host at half the rate is bad by the others' standard, not by its own. */
static void one_slow(struct mesh_result *result)
{
	if (is_of(result, 1))
		result->gbps[MESH_END_A] = result->gbps[MESH_END_B] = real_of(49);
}

static void half_rate(void **state)
{
	struct cluster *cluster = *state;

	cluster->host_count = 8;
	cluster->rails[1][0].rate_mbps = 50000;
	test_all(cluster, one_slow);
	expect(cluster, "error rail 'n2 rail 0' n2/0 mlx5_0/1 - both 7/7 0.49 n2: 7 of 7 partners "
			"at 49 % of the median 100 Gb/s; the same partners with others: 100 %; "
			"not tried again alone; its port runs at 50 Gb/s, most others at 100\n");
}

/* ---- Absent hosts and rails, and few results ---- */

static void gaps(void **state)
{
	static char down[] = "port mlx5_1/1 is not ACTIVE but down", look[] = "look at the cable";
	struct mesh_gap told[] = {
		{.place = 1, .reason = down, .hint = look, .rail = number_of(1)},
		{.place = 2},
		{.place = 3, .rail = number_of(0)},
	};
	struct judge_findings findings = {.items = NULL};
	struct cluster *cluster = *state;

	cluster->host_count = 3;
	cluster->hosts[1].gaps = cluster->hosts[2].gaps = told;
	cluster->hosts[1].gap_count = 3;
	/* If the host is gone, its rails do not matter. */
	cluster->hosts[2].gap_count = 1;
	cluster->hosts[2].presence = MESH_LOST;
	cluster->hosts[2].reason = look;
	cluster->judge = judge_new(cluster->hosts, cluster->host_count, &cluster->limits, NULL);
	judge_conclude(cluster->judge, &findings);
	assert_string_equal(findings.items[0].finding.next_step,
			    "see the port there: rdmactl ports; look at its cable and at the "
			    "switch");
	assert_string_equal(findings.items[1].finding.next_step, "on n2: look at the cable");
	judge_findings_clear(&findings);
	expect(cluster, "error unusable-rail 'n2 rail 0' n2/0 mlx5_0/1 - - -1/-1 -1.00 n2: its "
			"agent does not say why\n"
			"error unusable-rail 'n2 rail 1' n2/1 mlx5_1/1 - - -1/-1 -1.00 n2: port "
			"mlx5_1/1 is not ACTIVE but down\n"
			"warning lost 'n3' n3/- - - - -1/-1 -1.00 n3: look at the cable\n");
}

static void presence(void **state)
{
	static char no_device[] = "no RDMA device", no_port[] = "no active port",
		    next[] = "rdmactl ports", ended[] = "the connection ended",
		    late[] = "it was not ready", wait[] = "wait longer", same[] = "the same host";
	struct cluster *cluster = *state;
	_cleanup_(freep) char *text = NULL;

	cluster->host_count = 6;
	cluster->hosts[4].presence = MESH_ABSENT;
	cluster->hosts[4].reason = late;
	cluster->hosts[4].hint = wait;
	cluster->hosts[0].presence = MESH_ABSENT;
	cluster->hosts[1].presence = MESH_REFUSED;
	cluster->hosts[1].reason = no_device;
	cluster->hosts[2].presence = MESH_REFUSED;
	cluster->hosts[2].reason = no_port;
	cluster->hosts[2].hint = next;
	cluster->hosts[3].presence = MESH_LOST;
	cluster->hosts[3].reason = ended;
	cluster->hosts[5].presence = MESH_REFUSED;
	cluster->hosts[5].reason = same;
	cluster->hosts[5].twin = true;
	cluster->judge = judge_new(cluster->hosts, cluster->host_count, &cluster->limits, NULL);
	expect(cluster, "warning absent 'n1' n1/- - - - -1/-1 -1.00 n1: no agent connected\n"
			"warning absent 'n5' n5/- - - - -1/-1 -1.00 n5: it was not ready\n"
			"warning refused 'n2' n2/- - - - -1/-1 -1.00 n2: no RDMA device\n"
			"warning refused 'n3' n3/- - - - -1/-1 -1.00 n3: no active port\n"
			"warning refused 'n6' n6/- - - - -1/-1 -1.00: the same host\n"
			"warning lost 'n4' n4/- - - - -1/-1 -1.00 n4: the connection ended\n");
	assert_string_equal(cluster->findings.items[0].finding.next_step,
			    "check the launcher, and whether the host is up");
	assert_string_equal(cluster->findings.items[1].finding.next_step, "wait longer");
	assert_string_equal(cluster->findings.items[2].finding.next_step,
			    "the evidence names what is missing there");
	assert_string_equal(cluster->findings.items[3].finding.next_step, "rdmactl ports");
	text = exclude_text(&cluster->findings, EXCLUDE_LIST);
	assert_string_equal(text, "n[1-5]\n");
}

/* A file of pairs may hold the figure of one direction only. */
static void one_figure(struct mesh_result *result)
{
	result->latency_usec.known = result->gbps[MESH_END_B].known = false;
	result->both_gbps[MESH_END_A].known = result->both_gbps[MESH_END_B].known = false;
}

/* Three pairs have six figures; four hosts have twelve, but only six latencies and sums. */
static void few(void **state)
{
	static const char *const wanted[] = {
		"",
		"",
		"info not-judged '-' -/- - - - -1/-1 -1.00: 1 result is of a rail and "
		"distance with fewer than 8 figures\n",
		"info not-judged '-' -/- - - - -1/-1 -1.00: 3 results are of a rail "
		"and distance with fewer than 8 figures\n",
		"info not-judged '-' -/- - - - -1/-1 -1.00: latency: 6 results are of a rail "
		"and distance with fewer than 8 latencies\n"
		"info not-judged '-' -/- - - - -1/-1 -1.00: both ways at once: 6 "
		"results are of a rail and distance with fewer than 8 sums\n",
		""};
	struct cluster *cluster = *state;

	for (cluster->host_count = 2; cluster->host_count <= 5; cluster->host_count++) {
		judge_free(cluster->judge);
		cluster->judge = NULL;
		test_all(cluster, unchanged);
		expect(cluster, wanted[cluster->host_count]);
	}
	cluster->host_count = 3;
	judge_free(cluster->judge);
	cluster->judge = NULL;
	test_all(cluster, one_figure);
	expect(cluster, wanted[3]);
}

static void second_rail_at_60(struct mesh_result *result)
{
	if (result->pair.rail_a == 1)
		set_gbps(result, 60);
}

/* ---- Distances ---- */

static void far_is_slow(struct mesh_result *result)
{
	for (int end = 0; end < MESH_ENDS; end++)
		if ((result->pair.a < 8) != (result->pair.b < 8))
			result->gbps[end] = real_of(74);
}

static void distances(void **state)
{
	static const uint8_t between[] = {1, 3, 3, 1};
	uint32_t switches[MOST_HOSTS * MESH_MOST_RAILS] = {0};
	struct judge_fabric fabric = {
		.switches = switches, .switch_count = 2, .distances = between};
	struct cluster *cluster = *state;

	for (uint32_t i = 0; i < ARRAY_SIZE(switches); i++)
		switches[i] = i / MESH_MOST_RAILS >= 8;
	cluster->fabric = &fabric;
	test_all(cluster, far_is_slow);
	expect(cluster, "warning distance 'rail 0, 3 switches apart' -/0 - - - -1/-1 0.74: the "
			"median of 128 figures is 74 Gb/s, 74 % of the 100 Gb/s of those "
			"that have 1 switch between them\n");
	/* Each rail is told once, with the worst of its figures. */
	cluster->rail_count = 2;
	judge_free(cluster->judge);
	cluster->judge = NULL;
	test_all(cluster, second_rail_at_60);
	expect(cluster, "notice slow-rail 'rail 1' -/1 - - - -1/-1 0.60: the median of 112 "
			"figures is 60 Gb/s, 60 % of the 100 Gb/s of rail 0, at the same "
			"rate (100 Gb/s) and distance (1 switch)\n");
}

/* ---- Rails ---- */

static void second_rail_at_92(struct mesh_result *result)
{
	if (result->pair.rail_a == 1)
		set_gbps(result, 92);
}

static void second_rail_at_93(struct mesh_result *result)
{
	if (result->pair.rail_a == 1)
		set_gbps(result, 93);
}

static void second_rail_both_ways(struct mesh_result *result)
{
	for (int end = 0; end < MESH_ENDS && result->pair.rail_a == 1; end++)
		result->both_gbps[end] = real_of(74);
}

static void second_rail_is_worse_both_ways(struct mesh_result *result)
{
	second_rail_at_92(result);
	second_rail_both_ways(result);
}

static void only_first_rail_is_fast(struct mesh_result *result)
{
	if (result->pair.rail_a > 0)
		set_gbps(result, result->pair.rail_a == 1 ? 60 : 80);
}

static void first_rail_is_late(struct mesh_result *result)
{
	if (result->pair.rail_a == 0)
		result->latency_usec = real_of(41);
}

static void first_rail_is_a_little_late(struct mesh_result *result)
{
	if (result->pair.rail_a == 0)
		result->latency_usec = real_of(39);
}

/* A host of the slow rail is as slow as all others there. */
static void third_host_fails_on_a_slow_rail(struct mesh_result *result)
{
	second_rail_at_60(result);
	if (result->pair.rail_a == 1 && is_of(result, 2))
		set_failed(result);
}

static void expect_anew(struct cluster *cluster, change_result change, const char *wanted)
{
	judge_free(cluster->judge);
	cluster->judge = NULL;
	test_all(cluster, change);
	expect(cluster, wanted);
}

static void slow_rails(void **state)
{
	static const char at_60[] =
		"notice slow-rail 'rail 1' -/1 - - - -1/-1 0.60: the median of 56 figures is 60 "
		"Gb/s, 60 % of the 100 Gb/s of rail 0, at the same rate (100 Gb/s)\n";
	struct cluster *cluster = *state;

	cluster->host_count = 8;
	cluster->rail_count = 2;
	expect_anew(cluster, second_rail_at_60, at_60);
	expect_anew(cluster, second_rail_at_93, "");
	expect_anew(
		cluster, second_rail_at_92,
		"notice slow-rail 'rail 1' -/1 - - - -1/-1 0.92: the median of 56 figures is 92 "
		"Gb/s, 92 % of the 100 Gb/s of rail 0, at the same rate (100 Gb/s)\n");
	expect_anew(
		cluster, second_rail_both_ways,
		"notice slow-rail 'rail 1' -/1 - - - -1/-1 0.74: the median of 28 sums of "
		"both directions at once is 148 Gb/s, 74 % of the 200 Gb/s of rail 0, at "
		"the same rate (100 Gb/s)\n"
		"notice both-ways 'rail 1' -/1 - - - -1/-1 0.74: the median of 28 pairs is 148 "
		"Gb/s for both directions together, 74 % of twice the 100 Gb/s of one alone: it "
		"is not just one host or pair\n");
	expect_anew(cluster, second_rail_is_worse_both_ways,
		    "notice slow-rail 'rail 1' -/1 - - - -1/-1 0.74: the median of 28 sums of "
		    "both directions at once is 148 Gb/s, 74 % of the 200 Gb/s of rail 0, at "
		    "the same rate (100 Gb/s)\n");
	expect_anew(
		cluster, first_rail_is_late,
		"notice slow-rail 'rail 0' -/0 - - - -1/-1 -1.00: the usual value of 28 latencies "
		"is 41 us, 4.1 times the 10 us of rail 1, at the same rate (100 Gb/s)\n");
	expect_anew(
		cluster, first_rail_is_a_little_late,
		"notice slow-rail 'rail 0' -/0 - - - -1/-1 -1.00: the usual value of 28 latencies "
		"is 39 us, 3.9 times the 10 us of rail 1, at the same rate (100 Gb/s)\n");
	/* The user's limits. */
	cluster->limits.latency_factor = 4.2;
	expect_anew(cluster, first_rail_is_late, "");
	cluster->limits.bandwidth_share = 0.6;
	expect_anew(cluster, second_rail_at_60, "");
}

/* Most rails are as they should be, so the middle one is; of four, the faster one there. */
static void slow_rails_of_many(void **state)
{
	struct cluster *cluster = *state;

	cluster->host_count = 8;
	for (uint32_t i = 0; i < cluster->host_count; i++)
		cluster->hosts[i].rail_count = ROOM;
	cluster->rail_count = 3;
	expect_anew(cluster, only_first_rail_is_fast,
		    "notice slow-rail 'rail 1' -/1 - - - -1/-1 0.75: the median of 56 figures is "
		    "60 Gb/s, 75 % of the 80 Gb/s of rail 2, in the middle of 3 rails at the same "
		    "rate (100 Gb/s)\n");
	cluster->rail_count = 4;
	expect_anew(cluster, only_first_rail_is_fast,
		    "notice slow-rail 'rail 1' -/1 - - - -1/-1 0.75: the median of 56 figures is "
		    "60 Gb/s, 75 % of the 80 Gb/s of rail 3, in the middle of 4 rails at the same "
		    "rate (100 Gb/s)\n");
}

static void rails_that_differ(void **state)
{
	struct cluster *cluster = *state;

	cluster->host_count = 8;
	cluster->rail_count = 2;
	expect_anew(
		cluster, third_host_fails_on_a_slow_rail,
		"error rail 'n3 rail 1' n3/1 mlx5_1/1 - - 7/7 -1.00 n3: 7 of 7 partners failed: "
		"rc-write: no; the same partners with others: 100 %; not tried again alone\n"
		"notice slow-rail 'rail 1' -/1 - - - -1/-1 0.60: the median of 42 figures is "
		"60 Gb/s, 60 % of the 100 Gb/s of rail 0, at the same rate (100 Gb/s)\n");
	for (uint32_t i = 0; i < cluster->host_count; i++)
		cluster->rails[i][1].rate_mbps = 50000;
	expect_anew(cluster, second_rail_at_60, "");
	/* Nobody knows whether they could be equal. */
	for (uint32_t i = 0; i < cluster->host_count; i++)
		cluster->rails[i][0].rate_mbps = cluster->rails[i][1].rate_mbps = 0;
	expect_anew(cluster, second_rail_at_60, "");
}

static void first_sends_three_quarters(struct mesh_result *result)
{
	if (result->pair.a)
		return;
	result->both_gbps[MESH_END_A] = real_of(75);
	result->both_gbps[MESH_END_B] = real_of(50);
}

/* What is exactly at the limit is not slow. */
static void direction_at_the_limit(void **state)
{
	struct cluster *cluster = *state;

	cluster->limits.bandwidth_share = 0.75;
	test_all(cluster, first_sends_three_quarters);
	judge_conclude(cluster->judge, &cluster->findings);
	assert_int_equal(cluster->findings.items[0].finding.id.value, JUDGE_BOTH);
	assert_int_equal(cluster->findings.items[0].direction.value, JUDGE_RECEIVES);
}

static void fastest_are_slow_both_ways(struct mesh_result *result)
{
	if (result->pair.a == 12 && result->pair.b == 13)
		for (int end = 0; end < MESH_ENDS; end++)
			result->both_gbps[end] = real_of(60);
}

/* Ports of as many rates as can be told apart: the pair of the highest one is judged by itself. */
static void seven_rates(void **state)
{
	struct cluster *cluster = *state;

	cluster->host_count = 2 * MOST_RATES;
	cluster->limits.least_results = 1;
	for (uint32_t i = 0; i < cluster->host_count; i++)
		cluster->rails[i][0].rate_mbps = 100000 * (1 + i / 2);
	expect_anew(cluster, fastest_are_slow_both_ways,
		    "notice both-ways 'rail 0' -/0 - - - -1/-1 0.60: the median of 1 pairs is 120 "
		    "Gb/s for both directions together, 60 % of twice the 100 Gb/s of one alone: "
		    "it is not just one host or pair\n");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(names_of_pairs),
		TEST(limits),
		TEST(pairs),
		TEST(flaky_pair),
		TEST(slow_pair),
		TEST(rails),
		TEST(alike),
		TEST(two_reasons),
		TEST(late_for_most),
		TEST(host),
		TEST(host_of_unequal_rails),
		TEST(alone),
		TEST(most_alone),
		TEST(host_alone),
		TEST(host_alone_good_again),
		TEST(good_at_first),
		TEST(only_partner_is_bad),
		TEST(whole_rail),
		TEST(growth),
		TEST(suspects_apart),
		TEST(suspect_beside_pairs),
		TEST(pair_beside_a_bad_one),
		TEST(bisection_only),
		TEST(rates),
		TEST(seven_rates),
		TEST(direction_at_the_limit),
		TEST(half_rate),
		TEST(presence),
		TEST(gaps),
		TEST(few),
		TEST(severity_of_the_rest),
		TEST(distances),
		TEST(slow_rails),
		TEST(slow_rails_of_many),
		TEST(rails_that_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
