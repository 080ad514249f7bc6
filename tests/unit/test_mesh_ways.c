/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which switch, cable or group the judge blames for bad pairs added here one by one: at each of its
 * limits and just beside it, and which culprit includes which.
 */
#include "bare_judge.h"

enum { RAIL_0 = MESH_MOST_RAILS }; /* times the host's number: the port of its rail 0 */

static void switches(void **state)
{
	struct bare *bare = *state;
	struct judge *judge = bare_begin(bare, NULL);

	assert_int_equal(switch_of(judge, 7 * RAIL_0), MESH_NO_SWITCH);
	judge = bare_begin(bare, &bare->fabric);
	assert_int_equal(switch_of(judge, 2 * RAIL_0), 0);
	assert_int_equal(switch_of(judge, 7 * RAIL_0 + 15), 2);
	bare->switches[0] = BARE_SWITCHES - 1;
	bare->switches[1] = BARE_SWITCHES;
	bare->switches[2] = MESH_NO_SWITCH;
	assert_int_equal(switch_of(judge, 0), BARE_SWITCHES - 1);
	assert_int_equal(switch_of(judge, 1), MESH_NO_SWITCH);
	assert_int_equal(switch_of(judge, 2), MESH_NO_SWITCH);
	bare->fabric.switches = NULL;
	assert_int_equal(switch_of(judge, 0), MESH_NO_SWITCH);
}

/* ---- Groups ---- */

/* Joins these hosts to one group, connected by good pairs; each has `judged` partners. */
static void connect(struct bare *bare, uint32_t first, uint32_t last, uint32_t judged)
{
	for (uint32_t i = first; i <= last; i++) {
		bare->judge->ports[i * RAIL_0].chain = first * RAIL_0;
		bare->judge->ports[i * RAIL_0].judged = judged;
	}
}

/* Adds pairs that say nothing about a group, before those that do. */
static void add_others(struct bare *bare, uint32_t a, uint32_t b)
{
	struct edge *edge = bare_pair(bare, a, b, EDGE_FAILED);

	edge->repeated = true;
	edge = bare_pair(bare, a, b, EDGE_FAILED);
	edge->duplicate = true;
	bare_pair(bare, a, b, 0);
	bare_pair(bare, a, a, EDGE_FAILED);
}

static void groups(void **state)
{
	struct bare *bare = *state;

	bare_begin(bare, NULL);
	connect(bare, 0, 2, 1);
	connect(bare, 3, 4, 1);
	connect(bare, 5, 6, 1);
	add_others(bare, 0, 3);
	/*
	 * Pairs within a group; two between two groups, which are too few; one with a lone port;
	 * then three.
	 */
	bare_pair(bare, 0, 1, EDGE_FAILED);
	bare_pair(bare, 0, 5, EDGE_FAILED);
	bare_pair(bare, 6, 1, EDGE_FAILED);
	bare_pair(bare, 0, 7, EDGE_FAILED);
	bare_pair(bare, 0, 3, EDGE_FAILED);
	bare_pair(bare, 3, 1, EDGE_SLOW_A);
	bare_pair(bare, 2, 4, EDGE_LATE);
	explain_by_groups(bare->judge);
	bare_expect(bare, "group 48: 3/3, 3 pairs, group 48 of rail 0\n"
			  "0 0 0 0 0 0 0 0 1 1 1");
	/* With one more, the other group also has three. */
	bare_again(bare);
	bare_pair(bare, 1, 6, EDGE_FAILED);
	explain_by_groups(bare->judge);
	bare_expect(bare, "group 80: 3/3, 3 pairs, group 80 of rail 0\n"
			  "group 48: 3/3, 3 pairs, group 48 of rail 0\n"
			  "0 0 0 0 0 1 1 0 2 2 2 1");
	/* Everything is explained already: there is nothing to find. */
	bare_again(bare);
	for (size_t i = 0; i < bare->judge->edge_count; i++)
		bare->judge->edges[i].faults = 0;
	explain_by_groups(bare->judge);
	bare_expect(bare, "0 0 0 0 0 0 0 0 0 0 0 0");
}

/*
 * If two groups have equal size, the one that ends later in the chain is blamed. Only ports with
 * partners count towards the size.
 */
static void sizes_of_groups(void **state)
{
	struct bare *bare = *state;

	bare_begin(bare, NULL);
	connect(bare, 0, 1, 2);
	connect(bare, 2, 3, 1);
	bare_pair(bare, 0, 2, EDGE_FAILED);
	bare_pair(bare, 3, 0, EDGE_FAILED);
	bare_pair(bare, 1, 3, EDGE_FAILED);
	explain_by_groups(bare->judge);
	bare_expect(bare, "group 32: 3/3, 3 pairs, group 32 of rail 0\n1 1 1");
	bare_again(bare);
	connect(bare, 2, 4, 1);
	explain_by_groups(bare->judge);
	bare_expect(bare, "group 0: 3/3, 3 pairs, group 0 of rail 0\n1 1 1");
	/* Ports without partners do not count. */
	bare_again(bare);
	bare->judge->ports[4 * RAIL_0].judged = 0;
	explain_by_groups(bare->judge);
	bare_expect(bare, "group 32: 3/3, 3 pairs, group 32 of rail 0\n1 1 1");
	bare_again(bare);
	bare->judge->ports[3 * RAIL_0].judged = 0;
	explain_by_groups(bare->judge);
	bare_expect(bare, "0 0 0");
}

/* If all ports of a group are on one switch, the switch is blamed. */
static void switch_of_group(void **state)
{
	struct bare *bare = *state;

	bare_begin(bare, &bare->fabric);
	connect(bare, 0, 2, 1);
	connect(bare, 3, 4, 1);
	bare_pair(bare, 0, 3, EDGE_FAILED);
	bare_pair(bare, 1, 3, EDGE_FAILED);
	bare_pair(bare, 2, 4, EDGE_FAILED);
	/* Ports without partners do not belong to the group. */
	connect(bare, 7, 7, 0);
	bare->judge->ports[7 * RAIL_0].chain = 3 * RAIL_0;
	explain_by_groups(bare->judge);
	bare_expect(bare, "switch 1: 3/3, 3 pairs, group 48 of rail 0\n1 1 1");
	bare_again(bare);
	bare->switches[4 * RAIL_0] = 0;
	explain_by_groups(bare->judge);
	bare_expect(bare, "group 48: 3/3, 3 pairs, group 48 of rail 0\n1 1 1");
	bare_again(bare);
	bare->switches[4 * RAIL_0] = MESH_NO_SWITCH;
	explain_by_groups(bare->judge);
	bare_expect(bare, "group 48: 3/3, 3 pairs, group 48 of rail 0\n1 1 1");
	bare_again(bare);
	bare->switches[3 * RAIL_0] = MESH_NO_SWITCH;
	bare->switches[4 * RAIL_0] = 1;
	explain_by_groups(bare->judge);
	bare_expect(bare, "group 48: 3/3, 3 pairs, group 48 of rail 0\n1 1 1");
}

/* ---- What a pair goes through ---- */

/* The cables of a pair as bits, by its faults: those in the bad directions. */
static void cables_of_faults(void **state)
{
	static const struct {
		uint8_t faults;
		unsigned int cables;
	} samples[] = {
		{EDGE_SLOW_A, 1 << 0 | 1 << 3},
		{EDGE_SLOW_B, 1 << 2 | 1 << 5},
		{EDGE_SLOW_A | EDGE_SLOW_B, 1 << 0 | 1 << 3 | 1 << 2 | 1 << 5},
		{EDGE_FAILED, 1 << 0 | 1 << 3 | 1 << 2 | 1 << 5},
		{EDGE_LATE, 1 << 0 | 1 << 3 | 1 << 2 | 1 << 5},
		{EDGE_BOTH, 1 << 0 | 1 << 3 | 1 << 2 | 1 << 5},
		{EDGE_SLOW_A | EDGE_LATE, 1 << 0 | 1 << 3 | 1 << 2 | 1 << 5},
		{EDGE_SLOW_B | EDGE_FAILED, 1 << 0 | 1 << 3 | 1 << 2 | 1 << 5},
		{EDGE_SLOW_B | EDGE_BOTH, 1 << 2 | 1 << 5},
	};
	struct bare *bare = *state;

	bare_begin(bare, &bare->fabric);
	bare->ways[0][3] = (struct bare_way){2, {0, 3}};
	bare->ways[3][0] = (struct bare_way){2, {2, 5}};
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		const struct edge *edge = bare_pair(bare, 0, 3, samples[i].faults);
		unsigned int cables = 0;

		for (uint32_t j = 0; j < BARE_CABLES; j++)
			cables |= (unsigned int)edge_shares(
					  bare->judge, edge,
					  &(const struct culprit){.shares = SHARES_CABLE,
								  .number = j})
				  << j;
		assert_int_equal(cables, samples[i].cables);
	}
}

static unsigned int switches_of(const struct bare *bare, const struct edge *edge,
				enum culprit_share shares)
{
	unsigned int through = 0;

	for (uint32_t i = 0; i < BARE_SWITCHES; i++)
		through |= (unsigned int)edge_shares(bare->judge, edge,
						     &(const struct culprit){.shares = shares,
									     .number = i})
			   << i;
	return through;
}

/* The switches of a pair as bits: all on its way, or just the two ends. */
static void switches_of_pairs(void **state)
{
	struct bare *bare = *state;
	struct edge *edge;

	bare_begin(bare, &bare->fabric);
	bare_way(bare, 0, 3, 1, 3);
	edge = bare_pair(bare, 0, 3, EDGE_FAILED);
	assert_int_equal(switches_of(bare, edge, SHARES_SWITCH), 1 << 0 | 1 << 1 | 1 << 4);
	assert_int_equal(switches_of(bare, edge, SHARES_LEAF), 1 << 0 | 1 << 1);
	assert_int_equal(switches_of(bare, edge, SHARES_NOTHING), 0);
	/* Both ports are on one leaf, with no cable between. */
	edge = bare_pair(bare, 3, 4, EDGE_FAILED);
	assert_int_equal(switches_of(bare, edge, SHARES_SWITCH), 1 << 1);
	assert_int_equal(switches_of(bare, edge, SHARES_LEAF), 1 << 1);
	/* The way is unknown, or only the way back is known. */
	edge = bare_pair(bare, 0, 6, EDGE_FAILED);
	bare->ways[0][6].count = -1;
	assert_int_equal(switches_of(bare, edge, SHARES_SWITCH), 0);
	bare->ways[6][0] = (struct bare_way){2, {4, 0}};
	assert_int_equal(switches_of(bare, edge, SHARES_SWITCH), 1 << 0 | 1 << 2 | 1 << 3);
	/* Nonexistent cables are skipped. */
	bare->ways[6][0] = (struct bare_way){3, {BARE_CABLES, 4, UINT32_MAX}};
	assert_int_equal(switches_of(bare, edge, SHARES_SWITCH), 1 << 2 | 1 << 3);
}

/* If a way is too long, its first cables count, followed by those of the way back. */
static void long_ways(void **state)
{
	struct bare *bare = *state;
	const struct edge *edge;

	bare_begin(bare, &bare->fabric);
	edge = bare_pair(bare, 0, 3, EDGE_FAILED);
	bare->ways[0][3].count = BARE_MOST_WAY;
	bare->ways[0][3].cables[JUDGE_MOST_WAY - 1] = 2;
	bare->ways[0][3].cables[JUDGE_MOST_WAY] = 3;
	bare->ways[3][0].count = BARE_MOST_WAY;
	bare->ways[3][0].cables[JUDGE_MOST_WAY - 1] = 4;
	bare->ways[3][0].cables[JUDGE_MOST_WAY] = 5;
	for (uint32_t i = 0; i < BARE_CABLES; i++)
		assert_int_equal(
			edge_shares(bare->judge, edge,
				    &(const struct culprit){.shares = SHARES_CABLE, .number = i}),
			i == 0 || i == 2 || i == 4);
}

/* ---- Cables ---- */

/* Four pairs up from leaf 0 to the first spine and down to leaf 1, each between other hosts. */
static void add_four(struct bare *bare)
{
	static const uint32_t pairs[][2] = {{0, 3}, {1, 4}, {2, 5}, {0, 4}};

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		bare_way(bare, pairs[i][0], pairs[i][1], 0, 2);
		bare_pair(bare, pairs[i][0], pairs[i][1], EDGE_SLOW_A);
	}
}

static void count_all(struct bare *bare, const uint32_t all[BARE_CABLES])
{
	for (uint32_t i = 0; i < BARE_CABLES; i++)
		bare->judge->cables[i].all = all[i];
}

/* Two bad pairs of five are enough; of two cables, the one with fewer pairs is blamed. */
static void cables(void **state)
{
	static const struct {
		uint32_t all[BARE_CABLES];
		const char *text;
	} samples[] = {
		{{10, 10, 10, 10, 10, 10}, "cable 0: 4/10, 4 pairs, shares 1\n1 1 1 1"},
		{{10, 4, 9, 4, 4, 4}, "cable 2: 4/9, 4 pairs, shares 1\n1 1 1 1"},
		{{9, 4, 10, 4, 4, 4}, "cable 0: 4/9, 4 pairs, shares 1\n1 1 1 1"},
		{{11, 4, 10, 4, 4, 4}, "cable 2: 4/10, 4 pairs, shares 1\n1 1 1 1"},
		{{11, 4, 11, 4, 4, 4}, "0 0 0 0"},
	};
	struct bare *bare = *state;

	bare->fabric.switches = NULL;
	bare_begin(bare, &bare->fabric);
	add_four(bare);
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		for (int first = 0; first < 2; first++) {
			bare_again(bare);
			count_all(bare, samples[i].all);
			explain_by_ways(bare->judge, first);
			bare_expect(bare, samples[i].text);
		}
	/* Without routes there are no cables. */
	bare_again(bare);
	free(bare->judge->cables);
	bare->judge->cables = NULL;
	explain_by_ways(bare->judge, true);
	bare_expect(bare, "0 0 0 0");
}

/* Fewer than three bad pairs may share a cable by coincidence. */
static void few_of_cable(void **state)
{
	static const uint32_t all[BARE_CABLES] = {3, 3, 8, 3, 3, 3};
	struct bare *bare = *state;
	struct edge *last;

	bare_begin(bare, &bare->fabric);
	count_all(bare, all);
	/* Explained, good and lone pairs do not count, wherever they are. */
	bare_way(bare, 0, 3, 0, 2);
	add_others(bare, 0, 3);
	bare_way(bare, 1, 4, 0, 2);
	bare_way(bare, 2, 5, 0, 2);
	bare_pair(bare, 0, 3, EDGE_SLOW_A);
	bare_pair(bare, 1, 4, EDGE_SLOW_A);
	last = bare_pair(bare, 2, 5, 0);
	explain_by_ways(bare->judge, true);
	bare_expect(bare, "0 0 0 0 0 0 0");
	last->faults = EDGE_SLOW_A;
	explain_by_ways(bare->judge, true);
	bare_expect(bare, "cable 0: 3/3, 3 pairs, shares 1\n0 0 0 0 1 1 1");
}

/* The cable with the most bad pairs first; then the rest. */
static void two_cables(void **state)
{
	static const uint32_t all[BARE_CABLES] = {5, 5, 20, 20, 20, 20};
	struct bare *bare = *state;

	bare_begin(bare, &bare->fabric);
	count_all(bare, all);
	for (uint32_t i = 0; i < 3; i++) {
		bare->ways[i][3 + i] = (struct bare_way){3, {0, 2, BARE_CABLES}};
		bare_pair(bare, i, 3 + i, EDGE_SLOW_A);
	}
	for (uint32_t i = 0; i < 4; i++) {
		const uint32_t to = i % 2 ? 6 : 7;

		bare->ways[i % 3][to] = (struct bare_way){2, {1, 5}};
		bare_pair(bare, i % 3, to, EDGE_SLOW_A);
	}
	explain_by_ways(bare->judge, true);
	bare_expect(bare, "cable 1: 4/5, 4 pairs, shares 1\n"
			  "cable 0: 3/5, 3 pairs, shares 1\n"
			  "2 2 2 1 1 1 1");
}

/* A rail with more than half of the bad pairs is bad itself, and is examined first. */
static void cable_of_one_rail(void **state)
{
	static const uint32_t all[BARE_CABLES] = {4, 4, 9, 9, 9, 9};
	struct bare *bare = *state;
	struct edge *again;

	bare_begin(bare, &bare->fabric);
	count_all(bare, all);
	for (uint32_t i = 0; i < 3; i++) {
		bare->ways[i < 2 ? 0 : 1][3 + i] = (struct bare_way){2, {0, 2}};
		bare_pair(bare, i < 2 ? 0 : 1, 3 + i, EDGE_SLOW_A);
	}
	explain_by_ways(bare->judge, true);
	bare_expect(bare, "0 0 0");
	explain_by_ways(bare->judge, false);
	bare_expect(bare, "cable 0: 3/4, 3 pairs, shares 1\n1 1 1");
	/* Totals omit the second pass, whose suspects are in all of its pairs. */
	bare_again(bare);
	bare->ways[2][6] = (struct bare_way){2, {0, 4}};
	bare_pair(bare, 2, 6, EDGE_SLOW_A);
	again = bare_pair(bare, 0, 3, EDGE_SLOW_A);
	again->again = true;
	explain_by_ways(bare->judge, true);
	bare_expect(bare, "cable 0: 5/4, 5 pairs, shares 1\n1 1 1 1 1");
}

/* ---- Switches between them ---- */

/* Pairs over the first spine: three of its cables have 3, 3 and 2 bad pairs. */
static void add_over_spine(struct bare *bare, uint32_t spine)
{
	static const uint32_t pairs[][2] = {{0, 3}, {1, 6}, {4, 7}, {2, 5}};

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		const uint32_t a = pairs[i][0], b = pairs[i][1];

		bare_way(bare, a, b, a / 3 * 2 + spine, b / 3 * 2 + spine);
		bare_pair(bare, a, b, EDGE_SLOW_A);
	}
}

/* Four of five pairs, through two or more cables of the spine. */
static void spines(void **state)
{
	static const struct {
		uint32_t all[BARE_CABLES];
		const char *text;
	} samples[] = {
		{{4, 9, 3, 9, 3, 9}, "switch 3: 8/10, 4 pairs, shares 2\n1 1 1 1"},
		{{3, 9, 3, 9, 4, 9}, "switch 3: 8/10, 4 pairs, shares 2\n1 1 1 1"},
		{{5, 9, 3, 9, 3, 9}, "cable 2: 3/3, 3 pairs, shares 1\n1 0 1 1"},
		{{9, 9, 9, 9, 9, 9}, "0 0 0 0"},
	};
	struct bare *bare = *state;

	bare_begin(bare, &bare->fabric);
	add_over_spine(bare, 0);
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		bare_again(bare);
		count_all(bare, samples[i].all);
		explain_by_ways(bare->judge, true);
		bare_expect(bare, samples[i].text);
	}
}

/* The spine with the most bad pairs first, and the first of two equal ones. */
static void two_spines(void **state)
{
	static const uint32_t all[BARE_CABLES] = {3, 4, 1, 3, 3, 3};
	static const uint32_t alike[BARE_CABLES] = {3, 3, 1, 3, 3, 1};
	struct bare *bare = *state;
	struct edge *fourth;

	bare_begin(bare, &bare->fabric);
	count_all(bare, all);
	for (uint32_t i = 0; i < 3; i++) {
		bare->ways[i][3 + i] = (struct bare_way){2, {1, 3}};
		bare_pair(bare, i, 3 + i, EDGE_SLOW_A);
	}
	for (uint32_t i = 1; i < 3; i++) {
		bare->ways[i][8 - i] = (struct bare_way){2, {0, 4}};
		bare_pair(bare, i, 8 - i, EDGE_SLOW_A);
	}
	bare->ways[5][7] = (struct bare_way){2, {2, 4}};
	bare_pair(bare, 5, 7, EDGE_SLOW_A);
	bare->ways[0][6] = (struct bare_way){2, {1, 5}};
	fourth = bare_pair(bare, 0, 6, EDGE_SLOW_A);
	explain_by_ways(bare->judge, false);
	bare_expect(bare, "switch 4: 8/10, 4 pairs, shares 2\n"
			  "switch 3: 6/7, 3 pairs, shares 2\n"
			  "1 1 1 2 2 2 1");
	bare_again(bare);
	fourth->faults = 0;
	count_all(bare, alike);
	explain_by_ways(bare->judge, false);
	bare_expect(bare, "switch 3: 6/7, 3 pairs, shares 2\n"
			  "switch 4: 6/7, 3 pairs, shares 2\n"
			  "2 2 2 1 1 1 0");
}

/* Switches and a cable dominated by one rail are skipped for the next candidates. */
static void passed_over(void **state)
{
	static const uint32_t all[BARE_CABLES] = {4, 3, 3, 9, 1, 9};
	struct bare *bare = *state;

	bare_begin(bare, &bare->fabric);
	count_all(bare, all);
	for (uint32_t to = 3; to < 7; to++) {
		bare->ways[0][to] = (struct bare_way){2, {0, to < 6 ? 2 : 4}};
		bare_pair(bare, 0, to, EDGE_SLOW_A);
	}
	for (uint32_t i = 0; i < 3; i++) {
		const uint32_t to = 7 - i;

		bare->ways[i][to] = (struct bare_way){2, {1, to < 6 ? 3 : 5}};
		bare_pair(bare, i, to, EDGE_SLOW_A);
	}
	explain_by_ways(bare->judge, true);
	bare_expect(bare, "cable 1: 3/3, 3 pairs, shares 1\n0 0 0 0 1 1 1");
}

/* ---- Leaves, if the ways are not known ---- */

/* Adds pairs from leaf 0, whose hosts and rails take turns. */
static void add_from_leaf(struct bare *bare, uint32_t count, uint16_t rails)
{
	for (uint32_t i = 0; i < count; i++) {
		struct edge *edge = bare_pair(bare, i % 3, 3 + i % 5, EDGE_FAILED);

		edge->pair.rail_a = (uint16_t)(i / 3 % rails);
		edge->pair.rail_b = (uint16_t)(i / 3 % rails);
	}
}

static void leaves_of(struct bare *bare, uint32_t first, uint32_t second, uint32_t third)
{
	bare->fabric.find_way = NULL;
	bare_begin(bare, &bare->fabric);
	bare->judge->leaves[0].all = first;
	bare->judge->leaves[1].all = second;
	bare->judge->leaves[2].all = third;
}

/* A leaf is blamed from 4 bad pairs on, plus four times as many as if it were like the others. */
static void leaves(void **state)
{
	struct bare *bare = *state;

	leaves_of(bare, 8, 8, 8);
	add_from_leaf(bare, 3, 1);
	explain_by_ways(bare->judge, false);
	bare_expect(bare, "0 0 0");
	add_from_leaf(bare, 1, 1);
	explain_by_ways(bare->judge, false);
	bare_expect(bare, "switch 0: 4/8, 4 pairs, shares 3\n1 1 1 1");
	/*
	 * Two bad ends at the other leaves' 20 make 1 of 10 usual here, so the limit is 4 + 4 * 1.
	 */
	leaves_of(bare, 10, 10, 10);
	bare_pair(bare, 3, 6, EDGE_FAILED);
	add_from_leaf(bare, 7, 1);
	explain_by_ways(bare->judge, false);
	bare_expect(bare, "0 0 0 0 0 0 0 0");
	add_from_leaf(bare, 1, 1);
	explain_by_ways(bare->judge, false);
	bare_expect(bare, "switch 0: 8/10, 8 pairs, shares 3\n0 1 1 1 1 1 1 1 1");
}

/* Pairs within one leaf, and those of ports with no known switch, are ignored. */
static void pairs_of_no_leaf(void **state)
{
	struct bare *bare = *state;

	leaves_of(bare, 9, 9, 9);
	bare->switches[5 * RAIL_0] = MESH_NO_SWITCH;
	bare_pair(bare, 0, 1, EDGE_FAILED);
	bare_pair(bare, 0, 5, EDGE_FAILED);
	bare_pair(bare, 5, 1, EDGE_FAILED);
	bare_pair(bare, 0, 3, 0);
	bare_pair(bare, 0, 3, EDGE_FAILED);
	bare_pair(bare, 1, 4, EDGE_FAILED);
	bare_pair(bare, 7, 2, EDGE_FAILED);
	explain_by_ways(bare->judge, false);
	bare_expect(bare, "0 0 0 0 0 0 0");
	bare_pair(bare, 2, 6, EDGE_FAILED);
	explain_by_ways(bare->judge, false);
	bare_expect(bare, "switch 0: 4/9, 7 pairs, shares 3\n1 1 1 0 1 1 1 1");
	/* If no pair is good, there is no usual rate. */
	bare_again(bare);
	bare->judge->leaves[1].all = bare->judge->leaves[2].all = 0;
	explain_by_ways(bare->judge, false);
	bare_expect(bare, "switch 0: 4/9, 7 pairs, shares 3\n1 1 1 0 1 1 1 1");
}

/* In the first pass, no rail may have more than a third of them. */
static void leaf_of_one_rail(void **state)
{
	struct bare *bare = *state;

	leaves_of(bare, 20, 20, 20);
	add_from_leaf(bare, 8, 1);
	explain_by_ways(bare->judge, true);
	bare_expect(bare, "0 0 0 0 0 0 0 0");
	add_from_leaf(bare, 1, 1);
	explain_by_ways(bare->judge, true);
	bare_expect(bare, "0 0 0 0 0 0 0 0 0");
	bare->judge->edges[8].pair.a = 2;
	explain_by_ways(bare->judge, true);
	bare_expect(bare, "switch 0: 9/20, 9 pairs, shares 3\n1 1 1 1 1 1 1 1 1");
	/* With routes, leaves are considered last. */
	bare->fabric.find_way = bare_find_way;
	bare_begin(bare, &bare->fabric);
	bare->judge->leaves[0].all = bare->judge->leaves[1].all = bare->judge->leaves[2].all = 20;
	for (uint32_t i = 0; i < 9; i++)
		bare_pair(bare, i % 3, 3 + i % 5, EDGE_FAILED);
	explain_by_ways(bare->judge, true);
	bare_expect(bare, "0 0 0 0 0 0 0 0 0");
	explain_by_ways(bare->judge, false);
	bare_expect(bare, "switch 0: 9/20, 9 pairs, shares 3\n1 1 1 1 1 1 1 1 1");
}

/* ---- What is a part of what ---- */

static struct culprit *add_culprit(struct bare *bare, enum culprit_kind kind, uint32_t number,
				   uint32_t pairs)
{
	const uint32_t added = culprit_add(bare->judge, kind, number, 0, 0);

	bare->judge->culprits[added - 1].edges = pairs;
	return &bare->judge->culprits[added - 1];
}

/* Rails that are good with others are part of the cable that all of their bad pairs cross. */
static void rails_of_a_cable(void **state)
{
	struct bare *bare = *state;

	bare_begin(bare, &bare->fabric);
	bare_way(bare, 0, 3, 0, 2);
	bare_way(bare, 1, 3, 0, 2);
	bare_way(bare, 1, 6, 1, 5);
	for (uint32_t i = 0; i < 6; i++) {
		bare->judge->ports[i * RAIL_0].judged = 5;
		bare->judge->ports[i * RAIL_0].bad = i == 2 ? 5 : 4;
	}
	add_culprit(bare, CULPRIT_PORT, 0, 2);
	add_culprit(bare, CULPRIT_CABLE, 0, 1)->shares = SHARES_CABLE;
	add_culprit(bare, CULPRIT_PORT, 1 * RAIL_0, 1);
	add_culprit(bare, CULPRIT_PORT, 2 * RAIL_0, 1); /* good with nobody */
	add_culprit(bare, CULPRIT_PORT, 3 * RAIL_0, 1)->by_mean = true;
	add_culprit(bare, CULPRIT_PORT, 4 * RAIL_0, 0);
	add_culprit(bare, CULPRIT_PAIR, 0, 1);
	bare->judge->culprits[1].bad = 1;
	bare_pair(bare, 1, 3, 0)->culprit = 3;
	bare_pair(bare, 0, 3, EDGE_SLOW_A)->culprit = 1;
	bare_pair(bare, 0, 3, EDGE_SLOW_B)->culprit = 1;
	bare_pair(bare, 1, 6, EDGE_SLOW_A)->culprit = 3;
	bare_pair(bare, 1, 3, EDGE_SLOW_A)->culprit = 3;
	bare_pair(bare, 1, 6, EDGE_SLOW_A)->culprit = 0;
	merge_rails_of_ways(bare->judge);
	bare_expect(bare, "port 0: 0/0, 2 pairs, in 2\n"
			  "cable 0: 3/0, 3 pairs, shares 1\n"
			  "port 16: 0/0, 1 pairs\n"
			  "port 32: 0/0, 1 pairs\n"
			  "port 48: 0/0, 1 pairs, by mean\n"
			  "port 64: 0/0, 0 pairs\n"
			  "pair 0: 0/0, 1 pairs\n"
			  "3 1 1 3 3 0");
}

/* A second cable is examined separately, and does not take over the first one's rails. */
static void rails_of_two_cables(void **state)
{
	struct bare *bare = *state;

	bare_begin(bare, &bare->fabric);
	bare_way(bare, 0, 3, 0, 2);
	bare_way(bare, 1, 6, 1, 5);
	for (uint32_t i = 0; i < 2; i++)
		bare->judge->ports[i * RAIL_0].judged = 1;
	add_culprit(bare, CULPRIT_CABLE, 0, 0)->shares = SHARES_CABLE;
	add_culprit(bare, CULPRIT_PORT, 0, 1);
	add_culprit(bare, CULPRIT_PORT, 1 * RAIL_0, 1);
	add_culprit(bare, CULPRIT_CABLE, 2, 0)->shares = SHARES_CABLE;
	add_culprit(bare, CULPRIT_CABLE, 5, 0)->shares = SHARES_CABLE;
	bare_pair(bare, 0, 3, EDGE_SLOW_A)->culprit = 2;
	bare_pair(bare, 1, 6, EDGE_SLOW_A)->culprit = 3;
	merge_rails_of_ways(bare->judge);
	bare_expect(bare, "cable 0: 1/0, 1 pairs, shares 1\n"
			  "port 0: 0/0, 1 pairs, in 1\n"
			  "port 16: 0/0, 1 pairs, in 5\n"
			  "cable 2: 0/0, 0 pairs, shares 1\n"
			  "cable 5: 1/0, 1 pairs, shares 1\n"
			  "2 3");
}

/* Four of five ports of several hosts; only ports with results count. */
static void ports_of_a_switch(void **state)
{
	struct bare *bare = *state;

	bare_begin(bare, &bare->fabric);
	for (uint32_t i = 0; i < 3; i++)
		bare->judge->ports[i * RAIL_0].results = 1;
	bare->judge->ports[1].results = bare->judge->ports[2 * RAIL_0 + 1].results = 1;
	bare->judge->ports[7 * RAIL_0].results = 1;
	bare->switches[5 * RAIL_0] = MESH_NO_SWITCH;
	bare->judge->ports[5 * RAIL_0].results = 1;
	add_culprit(bare, CULPRIT_PORT, 0, 1);
	add_culprit(bare, CULPRIT_PORT, 1, 2);
	add_culprit(bare, CULPRIT_PORT, 1 * RAIL_0, 4);
	merge_switches(bare->judge);
	bare_expect(bare, "port 0: 0/0, 1 pairs\n"
			  "port 1: 0/0, 2 pairs\n"
			  "port 16: 0/0, 4 pairs\n");
	add_culprit(bare, CULPRIT_PAIR, 0, 1);
	add_culprit(bare, CULPRIT_PORT, 5 * RAIL_0, 1);
	add_culprit(bare, CULPRIT_PORT, 2 * RAIL_0, 8);
	merge_switches(bare->judge);
	bare_expect(bare, "port 0: 0/0, 1 pairs, in 7\n"
			  "port 1: 0/0, 2 pairs, in 7\n"
			  "port 16: 0/0, 4 pairs, in 7\n"
			  "pair 0: 0/0, 1 pairs\n"
			  "port 80: 0/0, 1 pairs\n"
			  "port 32: 0/0, 8 pairs, in 7\n"
			  "switch 0: 4/5, 15 pairs\n");
}

/* All ports of a switch belong to one host: the host is blamed. */
static void ports_of_one_host(void **state)
{
	struct bare *bare = *state;

	bare_begin(bare, &bare->fabric);
	for (uint32_t i = 0; i < 2; i++) {
		bare->judge->ports[i].results = 1;
		add_culprit(bare, CULPRIT_PORT, i, 1);
	}
	merge_switches(bare->judge);
	bare_expect(bare, "port 0: 0/0, 1 pairs\nport 1: 0/0, 1 pairs\n");
	/* Without a fabric there are no switches. */
	bare_begin(bare, NULL);
	for (uint32_t i = 0; i < 2; i++) {
		bare->judge->ports[i * RAIL_0].results = 1;
		add_culprit(bare, CULPRIT_PORT, i * RAIL_0, 1);
	}
	merge_switches(bare->judge);
	bare_expect(bare, "port 0: 0/0, 1 pairs\nport 16: 0/0, 1 pairs\n");
}

/* Two or more cables of the switch, and two thirds of those that pairs crossed. */
static void cables_of_a_switch(void **state)
{
	static const uint32_t all[BARE_CABLES] = {1, 1, 1, 0, 1, 1};
	struct bare *bare = *state;

	bare_begin(bare, &bare->fabric);
	count_all(bare, all);
	add_culprit(bare, CULPRIT_CABLE, 0, 1);
	merge_switches(bare->judge);
	bare_expect(bare, "cable 0: 0/0, 1 pairs\n");
	add_culprit(bare, CULPRIT_CABLE, 2, 2);
	merge_switches(bare->judge);
	bare_expect(bare, "cable 0: 0/0, 1 pairs, in 3\n"
			  "cable 2: 0/0, 2 pairs, in 3\n"
			  "switch 3: 2/3, 3 pairs\n");
	/* Both cables of a leaf, and two of three of a spine that the fabric does not count. */
	bare_begin(bare, &bare->fabric);
	bare->fabric.switch_count = 4;
	count_all(bare, all);
	add_culprit(bare, CULPRIT_CABLE, 5, 4);
	add_culprit(bare, CULPRIT_CABLE, 4, 8);
	merge_switches(bare->judge);
	bare_expect(bare, "cable 5: 0/0, 4 pairs, in 3\n"
			  "cable 4: 0/0, 8 pairs, in 3\n"
			  "switch 2: 2/2, 12 pairs\n");
}

/* Two rails, and half of those tested. */
static void rails_of_a_host(void **state)
{
	struct bare *bare = *state;

	bare_begin(bare, NULL);
	for (uint32_t i = 0; i < 4; i++)
		bare->judge->ports[RAIL_0 + i].results = 1;
	for (uint32_t i = 0; i < 5; i++)
		bare->judge->ports[2 * RAIL_0 + i].results = 7;
	bare->judge->ports[3 * RAIL_0].results = 1;
	add_culprit(bare, CULPRIT_PORT, 3 * RAIL_0, 1);
	add_culprit(bare, CULPRIT_PORT, 2 * RAIL_0, 1);
	add_culprit(bare, CULPRIT_PORT, 2 * RAIL_0 + 1, 1);
	add_culprit(bare, CULPRIT_PORT, RAIL_0 + 3, 2)->merged = 1;
	add_culprit(bare, CULPRIT_PORT, RAIL_0 + 1, 4);
	add_culprit(bare, CULPRIT_PAIR, 0, 16);
	merge_hosts(bare->judge);
	bare_expect(bare, "port 48: 0/0, 1 pairs\n"
			  "port 32: 0/0, 1 pairs\n"
			  "port 33: 0/0, 1 pairs\n"
			  "port 19: 0/0, 2 pairs, in 1\n"
			  "port 17: 0/0, 4 pairs\n"
			  "pair 0: 0/0, 16 pairs\n");
	add_culprit(bare, CULPRIT_PORT, RAIL_0, 8);
	merge_hosts(bare->judge);
	bare_expect(bare, "port 48: 0/0, 1 pairs\n"
			  "port 32: 0/0, 1 pairs\n"
			  "port 33: 0/0, 1 pairs\n"
			  "port 19: 0/0, 2 pairs, in 1\n"
			  "port 17: 0/0, 4 pairs, in 8\n"
			  "pair 0: 0/0, 16 pairs\n"
			  "port 16: 0/0, 8 pairs, in 8\n"
			  "host 1: 2/4, 12 pairs\n");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, bare_set_up, bare_tear_down)
	static const struct CMUnitTest tests[] = {
		TEST(switches),
		TEST(groups),
		TEST(sizes_of_groups),
		TEST(switch_of_group),
		TEST(cables_of_faults),
		TEST(switches_of_pairs),
		TEST(long_ways),
		TEST(cables),
		TEST(few_of_cable),
		TEST(two_cables),
		TEST(cable_of_one_rail),
		TEST(spines),
		TEST(two_spines),
		TEST(passed_over),
		TEST(leaves),
		TEST(pairs_of_no_leaf),
		TEST(leaf_of_one_rail),
		TEST(rails_of_a_cable),
		TEST(rails_of_two_cables),
		TEST(ports_of_a_switch),
		TEST(ports_of_one_host),
		TEST(cables_of_a_switch),
		TEST(rails_of_a_host),
	};

	return cmocka_run_group_tests_name("mesh-ways", tests, NULL, NULL);
}
