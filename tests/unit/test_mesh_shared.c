/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The judge's exact words about what several hosts share: a switch, a cable between switches, the
 * connection of two groups; about pairs that nothing explains; and its progress, medians and
 * distributions. The fabric has four leaves with four hosts each, and two spines.
 */
#include "even_cluster.h"

#include "mesh/judge/judge_parts.h"

enum { LEAVES = 4, SPINES = 2, HOSTS_OF_LEAF = 4, SWITCHES = LEAVES + SPINES };

struct fabric {
	uint32_t switches[MOST_HOSTS * MESH_MOST_RAILS];
	uint8_t distances[SWITCHES * SWITCHES];
	struct judge_fabric judged;
};

/* The receiver's number selects the spine. */
static uint32_t cable_of(uint32_t leaf, uint32_t receiver)
{
	return leaf * SPINES + receiver / MESH_MOST_RAILS % SPINES;
}

static int find_way(const void *context, uint32_t from, uint32_t to, uint32_t *cables, size_t most)
{
	const struct fabric *fabric = context;
	const uint32_t first = fabric->switches[from], last = fabric->switches[to];

	if (first == last || most < 2)
		return 0;
	cables[0] = cable_of(first, to);
	cables[1] = cable_of(last, to);
	return 2;
}

static char *name_switch(const void *context, uint32_t number)
{
	(void)context;
	return mem_format("%s %u", number < LEAVES ? "leaf" : "spine", number);
}

static char *name_cable(const void *context, uint32_t number)
{
	(void)context;
	return mem_format("leaf %u to spine %u", number / SPINES, LEAVES + number % SPINES);
}

static void cable_ends(const void *context, uint32_t number, uint32_t ret_switches[2])
{
	(void)context;
	ret_switches[0] = number / SPINES;
	ret_switches[1] = LEAVES + number % SPINES;
}

static char *name_partner(const void *context, uint32_t port)
{
	(void)context;
	return port / MESH_MOST_RAILS == 3 ? mem_string("leaf 0/12") : NULL;
}

static void know_fabric(struct cluster *cluster, struct fabric *fabric)
{
	memset(fabric, 0, sizeof(*fabric));
	for (uint32_t i = 0; i < ARRAY_SIZE(fabric->switches); i++)
		fabric->switches[i] = i / MESH_MOST_RAILS / HOSTS_OF_LEAF;
	for (uint32_t i = 0; i < LEAVES; i++)
		for (uint32_t j = 0; j < LEAVES; j++)
			fabric->distances[i * SWITCHES + j] = i == j ? 1 : 3;
	fabric->judged = (struct judge_fabric){
		.switches = fabric->switches,
		.switch_count = SWITCHES,
		.distances = fabric->distances,
		.cable_count = LEAVES * SPINES,
		.find_way = find_way,
		.name_switch = name_switch,
		.name_cable = name_cable,
		.cable_ends = cable_ends,
		.name_partner = name_partner,
		.context = fabric,
	};
	cluster->fabric = &fabric->judged;
}

static bool is_at(const struct mesh_result *result, uint32_t leaf)
{
	return result->pair.a / HOSTS_OF_LEAF == leaf || result->pair.b / HOSTS_OF_LEAF == leaf;
}

static void leaf_is_slow(struct mesh_result *result)
{
	for (int end = 0; end < MESH_ENDS && is_at(result, 1); end++)
		result->gbps[end] = real_of(40);
}

/* All ports of a leaf are bad: the leaf is blamed. */
static void leaf(void **state)
{
	struct cluster *cluster = *state;
	struct fabric fabric;

	know_fabric(cluster, &fabric);
	test_all(cluster, leaf_is_slow);
	expect(cluster, "error switch 'leaf 1' -/- - - - 96/96 0.40: 54 pairs at 40 % of "
			"the upper quartile 100 Gb/s; 96 of 96 pairs or cables that "
			"leave it are bad\n");
}

/* From leaf 2 up to the first spine, which data for even-numbered hosts crosses. */
static void cable_is_slow(struct mesh_result *result)
{
	const uint32_t hosts[] = {result->pair.a, result->pair.b};

	for (int end = 0; end < MESH_ENDS; end++)
		if (hosts[0] / HOSTS_OF_LEAF != hosts[1] / HOSTS_OF_LEAF && is_at(result, 2) &&
		    !(hosts[!end] % 2))
			result->gbps[end] = real_of(25);
}

static void cable(void **state)
{
	struct cluster *cluster = *state;
	struct fabric fabric;

	know_fabric(cluster, &fabric);
	test_all(cluster, cable_is_slow);
	expect(cluster, "error cable 'leaf 2 to spine 4' -/- - - - 48/48 0.25: 36 pairs at 25 % of "
			"the median 100 Gb/s; 48 of 48 that go through it are bad, according to "
			"the routes of the scan\n");
	test_again(cluster, "n1-n9 n1-n10", cable_is_slow);
	expect(cluster, "error cable 'leaf 2 to spine 4' -/- - - - 48/48 0.25: 36 pairs at 25 % of "
			"the median 100 Gb/s; 48 of 48 that go through it are bad, according to "
			"the routes of the scan; tried again alone: 2 of 2 bad\n");
}

static void cable_under_load(void **state)
{
	struct cluster *cluster = *state;
	struct fabric fabric;

	know_fabric(cluster, &fabric);
	test_all(cluster, cable_is_slow);
	test_again(cluster, "n1-n9 n1-n10", unchanged);
	expect(cluster, "warning cable 'leaf 2 to spine 4' -/- - - - 48/48 0.25: 36 pairs at 25 % "
			"of the median 100 Gb/s; 48 of 48 that go through it are bad, according to "
			"the routes of the scan; tried again alone: 0 of 2 bad\n");
}

static void last_are_apart(struct mesh_result *result)
{
	if ((result->pair.a < 12) == (result->pair.b < 12))
		return;
	*result = (struct mesh_result){.pair = result->pair,
				       .again = result->again,
				       .outcome = MESH_FAIL,
				       .reason = "connect: no route"};
}

/* The smaller of two groups whose hosts are good among themselves. */
static void groups(void **state)
{
	struct cluster *cluster = *state;

	test_all(cluster, last_are_apart);
	expect(cluster, "error group 'n[13-16], rail 0' -/- - - - 48/48 -1.00 n13 n14 n15 n16: 48 "
			"pairs failed: connect: no route; no pair between these 4 hosts and the "
			"others is good, but those among themselves are\n");
	test_again(cluster, "n1-n13 n1-n14", last_are_apart);
	expect(cluster,
	       "error group 'n[13-16], rail 0' -/- - - - 48/48 -1.00 n13 n14 n15 n16: 48 pairs "
	       "failed: connect: no route; no pair between these 4 hosts and the others is good, "
	       "but those among themselves are; tried again alone: 2 of 2 bad\n");
}

/* The switch port at the other end of a bad rail's cable. */
static void rail_is_slow(struct mesh_result *result)
{
	for (int end = 0; end < MESH_ENDS; end++)
		if (result->pair.a == 3 || result->pair.b == 3)
			result->gbps[end] = real_of(40);
}

static void partner(void **state)
{
	struct cluster *cluster = *state;
	struct fabric fabric;

	know_fabric(cluster, &fabric);
	test_all(cluster, rail_is_slow);
	expect(cluster, "error rail 'n4 rail 0' n4/0 mlx5_0/1 - both 15/15 0.40 n4: 15 "
			"of 15 partners at 40 % of the median 100 Gb/s; the same "
			"partners with others: 100 %; not tried again alone; its cable "
			"leads to leaf 0/12\n");
}

static void set_failed(struct mesh_result *result)
{
	*result = (struct mesh_result){.pair = result->pair,
				       .again = result->again,
				       .outcome = MESH_FAIL,
				       .reason = "connect: no"};
}

/* Neighbours; no two of these pairs have anything in common. */
static void neighbours_fail(struct mesh_result *result)
{
	if (!(result->pair.a % 2) && result->pair.b == result->pair.a + 1)
		set_failed(result);
}

static void nothing_in_common(void **state)
{
	static const char again[] =
		"error unclear '8 pairs of rail 0' -/0 - - - 8/-1 -1.00: 8 pairs failed: connect: "
		"no; no host explains them: n1 has the most, 1 of its 15; tried again alone: 8 of "
		"8 "
		"bad; a cable or a switch between them may be bad\n";
	struct cluster *cluster = *state;

	test_all(cluster, neighbours_fail);
	expect(cluster,
	       "error unclear '8 pairs of rail 0' -/0 - - - 8/-1 -1.00: 8 pairs failed: "
	       "connect: no; no host explains them: n1 has the most, 1 of its 15; a cable or a "
	       "switch between them may be bad\n");
	assert_string_equal(cluster->findings.items[0].finding.next_step,
			    "--fabric with a scan that has the routes shows what they share");
	test_again(cluster, "n1-n2 n3-n4 n5-n6 n7-n8 n9-n10 n11-n12 n13-n14 n15-n16",
		   neighbours_fail);
	expect(cluster, again);
	/* Partners that only the second pass has do not count. */
	cluster->judge->ports[0].judged += 2;
	cluster->judge->ports[0].judged_again = 2;
	expect(cluster, again);
}

static void first_and_neighbours_fail(struct mesh_result *result)
{
	neighbours_fail(result);
	if (!result->pair.a)
		set_failed(result);
}

/* The pairs of a bad rail, which come first, are not among them. */
static void little_in_common(void **state)
{
	struct cluster *cluster = *state;

	test_all(cluster, first_and_neighbours_fail);
	expect(cluster,
	       "error rail 'n1 rail 0' n1/0 mlx5_0/1 - - 15/15 -1.00 n1: 15 of 15 partners failed: "
	       "connect: no; the same partners with others: 100 %; not tried again alone\n"
	       "error unclear '7 pairs of rail 0' -/0 - - - 7/-1 -1.00: 7 pairs failed: connect: "
	       "no; no host explains them: n3 has the most, 1 of its 15; a cable or a switch "
	       "between them may be bad\n");
}

/* All pairs are good when tried again: each was a coincidence. */
static void chances(void **state)
{
	struct cluster *cluster = *state;

	test_all(cluster, neighbours_fail);
	test_again(cluster, "n1-n2 n3-n4 n5-n6 n7-n8 n9-n10 n11-n12 n13-n14 n15-n16", unchanged);
	judge_conclude(cluster->judge, &cluster->findings);
	assert_int_equal(cluster->findings.count, 8);
	for (size_t i = 0; i < cluster->findings.count; i++) {
		assert_int_equal(cluster->findings.items[i].finding.id.value, JUDGE_FLAKY);
		assert_int_equal(cluster->findings.items[i].host.value, 2 * i);
		assert_int_equal(cluster->findings.items[i].peer.value, 2 * i + 1);
	}
}

/* ---- Figures ---- */

/* More than half are slow: the reference is the upper quartile. */
static void most_are_slow(struct mesh_result *result)
{
	for (int end = 0; end < MESH_ENDS; end++)
		if (result->pair.a < 5)
			result->gbps[end] = real_of(40);
		else if (result->pair.a == 14)
			result->gbps[end] = real_of(80);
}

static void upper_quartile(void **state)
{
	struct cluster *cluster = *state;
	const struct judge_finding *last;

	test_all(cluster, most_are_slow);
	judge_conclude(cluster->judge, &cluster->findings);
	assert_int_equal(cluster->findings.count, 6);
	last = &cluster->findings.items[5];
	assert_int_equal(last->finding.id.value, JUDGE_PAIR);
	assert_string_equal(last->finding.object, "n15 and n16, rail 0");
	assert_non_null(strstr(last->finding.evidence,
			       "1 pair at 80 % of the upper quartile 100 Gb/s; n15 with others: "));
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(cluster->findings.items[i].finding.id.value, JUDGE_RAIL);
		assert_int_equal(cluster->findings.items[i].host.value, i);
	}
}

/* The first pair is at 50 %, the second one fails, the third was not tried. */
static void mixed(struct mesh_result *result)
{
	if (result->pair.a)
		return;
	if (result->pair.b == 1)
		result->gbps[MESH_END_B] = real_of(50);
	if (result->pair.b == 2)
		result->outcome = MESH_FAIL;
	if (result->pair.b == 3)
		*result = (struct mesh_result){.pair = result->pair, .outcome = MESH_UNTRIED};
}

static void figures(void **state)
{
	struct judge_progress progress;
	struct judge_bar bars[5] = {{.count = 0}};
	struct cluster *cluster = *state;
	struct judge *judge;
	size_t count;

	test_all(cluster, mixed);
	judge = cluster->judge;
	judge_progress(judge, &progress);
	assert_int_equal(progress.results, 16 * 15 / 2);
	assert_int_equal(progress.bad, 2);
	assert_float_equal(progress.worst_share.value, 0.5, 1e-6);
	assert_float_equal(judge_median(judge, 0, JUDGE_BANDWIDTH).value, 100, 0.1);
	assert_float_equal(judge_median(judge, 0, JUDGE_LATENCY).value, 10, 0.01);
	assert_float_equal(judge_median(judge, 0, JUDGE_BOTH_SUM).value, 200, 0.2);
	assert_false(judge_median(judge, 1, JUDGE_BANDWIDTH).known);
	/* From 50 to 100 in five bars. */
	count = judge_histogram(judge, 0, JUDGE_BANDWIDTH, bars, ARRAY_SIZE(bars));
	assert_int_equal(count, ARRAY_SIZE(bars));
	for (size_t i = 0; i < count; i++) {
		assert_float_equal(bars[i].least, 50 + 10 * (double)i, 0.1);
		assert_float_equal(bars[i].below, 60 + 10 * (double)i, 0.1);
		assert_int_equal(bars[i].count, !i ? 1 : i == 4 ? 235 : 0);
	}
	assert_int_equal(judge_histogram(judge, 1, JUDGE_BANDWIDTH, bars, ARRAY_SIZE(bars)), 0);
	assert_int_equal(judge_histogram(judge, 0, JUDGE_BANDWIDTH, bars, 0), 0);
}

static void figures_of_the_last_rail(void **state)
{
	struct cluster *cluster = *state;

	for (uint32_t i = 0; i < cluster->host_count; i++)
		cluster->hosts[i].rail_count = ROOM;
	cluster->rail_count = ROOM;
	test_all(cluster, unchanged);
	assert_float_equal(judge_median(cluster->judge, ROOM - 1, JUDGE_BANDWIDTH).value, 100, 0.1);
}

static void only_what_b_sends(struct mesh_result *result)
{
	result->gbps[MESH_END_A].known = result->both_gbps[MESH_END_A].known = false;
}

/* A direction of which nothing is known does not hide the other one. */
static void figures_of_one_direction(void **state)
{
	struct cluster *cluster = *state;

	test_all(cluster, only_what_b_sends);
	for (uint32_t i = 0; i < cluster->host_count; i++)
		assert_int_equal(cluster->judge->ports[port_number(i, 0)].good_figures,
				 cluster->host_count - 1);
}

/* Which rails take part in the next stage: those that never got data through do not. */
static void dead_rails(struct mesh_result *result)
{
	const bool fails = result->pair.rail_a ? result->pair.a == 2 || result->pair.b == 2
					       : result->pair.a == 0 && result->pair.b == 1;

	if (fails)
		result->outcome = MESH_FAIL;
}

static void rails_left(void **state)
{
	struct cluster *cluster = *state;
	uint16_t left[MOST_HOSTS];

	cluster->rail_count = RAILS;
	cluster->hosts[5].presence = MESH_LOST;
	cluster->hosts[6].rail_count = 1;
	test_all(cluster, dead_rails);
	judge_rails(cluster->judge, true, left);
	for (uint32_t i = 0; i < MOST_HOSTS; i++)
		assert_int_equal(left[i], i == 2 || i == 6 ? 1 : i == 5 ? 0 : 3);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(leaf),
		TEST(cable),
		TEST(cable_under_load),
		TEST(groups),
		TEST(partner),
		TEST(figures),
		TEST(figures_of_the_last_rail),
		TEST(figures_of_one_direction),
		TEST(rails_left),
		TEST(nothing_in_common),
		TEST(little_in_common),
		TEST(chances),
		TEST(upper_quartile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
