/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the judge keeps of each result: rows, reasons, pairs of the second pass, dead rails, and a
 * rail's figures.
 */
#include "bare_judge.h"

enum { RAIL_0 = MESH_MOST_RAILS }; /* times the host's number: the port of its rail 0 */

static struct mesh_result fails(uint32_t a, uint32_t b, const char *reason)
{
	struct mesh_result result = {.pair = {a, b, 0, 0}, .outcome = MESH_FAIL};

	snprintf(result.reason, sizeof(result.reason), "%s", reason);
	return result;
}

static void take_failure(struct bare *bare, uint32_t a, uint32_t b, const char *reason)
{
	const struct mesh_result result = fails(a, b, reason);

	judge_take(bare->judge, &result);
}

/* Each sentence is stored once, up to a limit; the last one represents all others. */
static void reasons(void **state)
{
	struct bare *bare = *state;
	struct judge *judge = bare_begin(bare, NULL);
	char text[16];

	take_failure(bare, 0, 1, "one");
	take_failure(bare, 0, 2, "two");
	take_failure(bare, 0, 3, "one");
	take_failure(bare, 0, 4, "two");
	assert_int_equal(judge->reason_count, 2);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(judge->rows[i].reason, i % 2);
	/*
	 * FNV-1a with 32 bits: http://www.isthe.com/chongo/tech/comp/fnv/ has the hash of "foobar".
	 */
	take_failure(bare, 0, 5, "foobar");
	assert_int_equal(judge->reason_hashes[2], 0xbf9cf968);
	for (uint32_t i = 3; i < MOST_REASONS + 2; i++) {
		snprintf(text, sizeof(text), "reason %u", i);
		take_failure(bare, 0, 1, text);
	}
	assert_int_equal(judge->reason_count, MOST_REASONS);
	assert_string_equal(judge->reasons[MOST_REASONS - 2], "reason 1022");
	assert_string_equal(judge->reasons[MOST_REASONS - 1], "for other reasons");
	assert_int_equal(judge->rows[judge->row_count - 1].reason, MOST_REASONS - 1);
	assert_int_equal(judge->rows[judge->row_count - 3].reason, MOST_REASONS - 1);
	assert_int_equal(judge->rows[judge->row_count - 4].reason, MOST_REASONS - 2);
	assert_int_equal(judge->progress.bad, judge->row_count);
}

/* Nonexistent pairs are ignored, and those that were not tested are only counted. */
static void left_out(void **state)
{
	static const struct mesh_pair wrong[] = {{BARE_HOSTS, 0, 0, 0},
						 {0, BARE_HOSTS, 0, 0},
						 {0, 1, MESH_MOST_RAILS, 0},
						 {0, 1, 0, MESH_MOST_RAILS}};
	struct bare *bare = *state;
	struct judge *judge = bare_begin(bare, NULL);
	struct mesh_result untried = {.pair = {0, 1, 0, 0}, .outcome = MESH_UNTRIED};

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		judge_take(judge, &(const struct mesh_result){.pair = wrong[i]});
	assert_int_equal(judge->progress.results, 0);
	judge_take(judge, &untried);
	assert_int_equal(judge->progress.results, 1);
	assert_int_equal(judge->row_count, 0);
	untried.outcome = MESH_APART;
	judge_take(judge, &untried);
	assert_int_equal(judge->progress.results, 2);
	assert_int_equal(judge->row_count, 0);
	untried.pair = (struct mesh_pair){BARE_HOSTS - 1, 0, 15, 15};
	untried.outcome = MESH_PASS;
	judge_take(judge, &untried);
	assert_int_equal(judge->row_count, 1);
	assert_int_equal(judge->progress.results, 3);
}

/* Figures below 0 are ignored, and error counts are limited. */
static void figures_of_rows(void **state)
{
	struct bare *bare = *state;
	struct judge *judge = bare_begin(bare, NULL);
	const struct plan_stage incast = {.mode = MESH_INCAST}, half = {.mode = MESH_BISECTION};
	struct mesh_result result = {
		.pair = {0, 1, 2, 2},
		.latency_usec = real_of(-1),
		.gbps = {real_of(0), real_of(7)},
		.both_gbps = {real_of(3), {.value = 9}},
		.errors = {number_of(UINT64_C(1) << 32), number_of(UINT32_MAX)},
	};
	const struct row *row;

	judge_begin_stage(judge, &incast);
	judge_take(judge, &result);
	row = &judge->rows[0];
	assert_true(row->latency < 0);
	assert_float_equal(row->gbps[0], 0, 0);
	assert_float_equal(row->gbps[1], 7, 0);
	assert_float_equal(row->both[0], 3, 0);
	assert_true(row->both[1] < 0);
	assert_int_equal(row->errors[0], UINT32_MAX);
	assert_int_equal(row->errors[1], UINT32_MAX);
	assert_int_equal(row->kind, CLASS_INCAST);
	judge_begin_stage(judge, &half);
	result.errors[0] = (struct number){.value = 5};
	result.again = true;
	judge_take(judge, &result);
	assert_int_equal(judge->rows[1].errors[0], 0);
	assert_int_equal(judge->rows[1].kind, CLASS_PAIR);
	assert_true(judge->rows[1].again && !judge->rows[1].repeated);
	result.again = false;
	judge_take(judge, &result);
	assert_int_equal(judge->rows[2].kind, CLASS_BISECTION);
	result.pair = (struct mesh_pair){1, 1, 2, 2};
	judge_take(judge, &result);
	assert_int_equal(judge->rows[3].kind, CLASS_LOOPBACK);
	result.pair.rail_b = 3;
	judge_take(judge, &result);
	assert_int_equal(judge->rows[4].kind, CLASS_BISECTION);
}

/* A bad pair that is tried again, in either order. */
static void repeated(void **state)
{
	static const struct {
		struct mesh_pair pair;
		bool again, repeated;
	} samples[] = {
		{{1, 2, 3, 4}, true, true},   {{2, 1, 4, 3}, true, true},
		{{1, 2, 3, 4}, false, false}, {{2, 1, 3, 4}, true, false},
		{{1, 2, 4, 3}, true, false},  {{1, 2, 3, 5}, true, false},
		{{1, 2, 5, 4}, true, false},  {{0, 2, 3, 4}, true, false},
		{{1, 0, 3, 4}, true, false},  {{2, 1, 4, 5}, true, false},
		{{2, 0, 4, 3}, true, false},  {{5, 6, 0, 0}, true, false},
		{{7, 6, 0, 0}, true, true},
	};
	static const struct retest retests[] = {
		{{5, 6, 0, 0}, false}, {{1, 2, 3, 4}, true}, {{7, 6, 0, 0}, true}};
	struct bare *bare = *state;
	struct judge *judge = bare_begin(bare, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(retests); i++)
		*(struct retest *)mem_append(&judge->retests, &judge->retest_count,
					     sizeof(*judge->retests)) = retests[i];
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		judge_take(judge, &(const struct mesh_result){.pair = samples[i].pair,
							      .again = samples[i].again});
		assert_int_equal(judge->rows[i].repeated, samples[i].repeated);
	}
}

/*
 * A rail is dead if it is bad alone, or failed with all of two or more partners, unless these are
 * bad with everybody, too.
 */
static void dead_rails(void **state)
{
	static const struct {
		uint32_t failed, judged;
		bool alone_bad;
		uint32_t good; /* pairs of its partner with others */
	} samples[] = {
		{0, 0, false, 1}, {1, 1, false, 1}, {2, 2, false, 1}, {2, 3, false, 1},
		{0, 5, true, 1},  {3, 3, false, 1}, {3, 3, false, 0},
	};
	struct bare *bare = *state;
	struct judge *judge = bare_begin(bare, NULL);
	uint16_t rails[BARE_HOSTS];

	for (uint32_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct port *port = &judge->ports[RAIL_0 + i];

		port->failed = port->bad = samples[i].failed;
		port->judged = samples[i].judged;
		port->alone_bad = samples[i].alone_bad;
		if (port->failed)
			bare_pair(bare, 1, 5, EDGE_FAILED)->pair = (struct mesh_pair){
				1, 5, (uint16_t)i, (uint16_t)i};
		judge->ports[5 * RAIL_0 + i].bad = 1;
		judge->ports[5 * RAIL_0 + i].judged = 1 + samples[i].good;
	}
	bare->hosts[1].rail_count = ARRAY_SIZE(samples);
	bare->hosts[2].rail_count = 17;
	bare->hosts[3].presence = MESH_REFUSED;
	judge_rails(judge, true, rails);
	assert_int_equal(rails[0], 0xffff);
	assert_int_equal(rails[1], 1 << 0 | 1 << 1 | 1 << 3 | 1 << 6);
	assert_int_equal(rails[2], 0xffff);
	assert_int_equal(rails[3], 0);
	assert_int_equal(rails[4], 0xffff);
}

/*
 * Where pairs of good rails fail now and then, a rail that failed with all of its partners may be
 * good. Two such pairs do not tell how often that is.
 */
static void dead_by_chance(void **state)
{
	static const struct {
		uint32_t judged;   /* partners of each of the others */
		uint32_t failed;   /* pairs of the others that failed */
		uint32_t partners; /* of the rail, which failed with all of them */
		bool last_is_bad;  /* the last of these is bad with everybody */
		bool stays;
	} samples[] = {
		/* 3 of 71: chance does that to a rail in one of 70 clusters with eight rails. */
		{20, 3, 2, false, true},
		{20, 2, 2, false, false},
		/* 3 of 106: in one of 156. */
		{30, 3, 2, false, false},
		/* 3 of 15.5, in one of 17; and 3 of 16, in one of 101. */
		{4, 3, 3, false, true},
		{4, 3, 4, false, false},
		/* Only three of them count. */
		{4, 3, 4, true, true},
		{4, 3, 4, true, true},
	};
	struct bare *bare = *state;
	uint16_t rails[BARE_HOSTS];

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct judge *judge = bare_begin(bare, NULL);
		struct port *port = &judge->ports[0];

		for (uint32_t host = 1; host < BARE_HOSTS; host++)
			judge->ports[host * RAIL_0].judged = samples[i].judged;
		for (uint32_t pair = 0; pair < samples[i].failed; pair++)
			bare_pair(bare, 1 + pair, 5, EDGE_FAILED);
		port->judged = port->bad = port->failed = samples[i].partners;
		/* The rail is either end of its pairs, also of the last one. */
		for (uint32_t pair = 0; pair < samples[i].partners; pair++)
			bare_pair(bare, (i + pair) % 2 ? 0 : 1 + pair,
				  (i + pair) % 2 ? 1 + pair : 0, EDGE_FAILED);
		if (samples[i].last_is_bad)
			judge->ports[samples[i].partners * RAIL_0].bad = samples[i].judged;
		judge_rails(judge, true, rails);
		assert_int_equal(rails[0], samples[i].stays ? 0xffff : 0xfffe);
		assert_int_equal(rails[1], 0xffff);
	}
}

/* Stages may repeat a pair, which is one failure nevertheless; loopback is none. */
static void dead_by_pairs(void **state)
{
	static const struct {
		struct mesh_pair more[3]; /* further failures */
		bool duplicate;
		uint32_t failed; /* pairs of the others that failed */
		bool stays;
	} samples[] = {
		{{{1, 6, 0, 0}, {2, 6, 0, 0}, {3, 6, 0, 0}}, false, 2, true},
		{{{1, 5, 0, 0}, {2, 5, 0, 0}, {5, 1, 0, 0}}, true, 2, false},
		{{{1, 1, 0, 0}, {2, 2, 0, 0}, {3, 3, 0, 0}}, false, 2, false},
		{{{0, 1, 0, 0}, {0, 2, 0, 0}, {1, 0, 0, 0}}, true, 3, true},
	};
	struct bare *bare = *state;
	uint16_t rails[BARE_HOSTS];

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct judge *judge = bare_begin(bare, NULL);
		struct port *port = &judge->ports[0];

		for (uint32_t host = 1; host < BARE_HOSTS; host++)
			judge->ports[host * RAIL_0].judged = 20;
		for (uint32_t pair = 0; pair < samples[i].failed; pair++)
			bare_pair(bare, 1 + pair, 5, EDGE_FAILED);
		port->judged = port->bad = port->failed = 2;
		bare_pair(bare, 0, 1, EDGE_FAILED);
		bare_pair(bare, 0, 2, EDGE_FAILED);
		for (size_t j = 0; j < ARRAY_SIZE(samples[i].more); j++) {
			struct edge *edge = bare_pair(bare, 0, 0, EDGE_FAILED);

			edge->pair = samples[i].more[j];
			edge->duplicate = samples[i].duplicate;
		}
		judge_rails(judge, true, rails);
		assert_int_equal(rails[0], samples[i].stays ? 0xffff : 0xfffe);
		/* Where time is short, such a rail does not take part. */
		judge_rails(judge, false, rails);
		assert_int_equal(rails[0], 0xfffe);
	}
}

static void take_pass(struct bare *bare, uint32_t a, uint32_t b, uint16_t rail)
{
	judge_take(bare->judge, &(const struct mesh_result){.pair = {a, b, rail, rail}});
}

/*
 * Seven hosts are good with each other, except for three pairs, and rail 0 of the first host fails
 * with two of them: that may be chance.
 */
static void begin_doubt(struct bare *bare, uint16_t *rails)
{
	bare_begin(bare, NULL);
	for (uint32_t a = 1; a < BARE_HOSTS; a++)
		for (uint32_t b = a + 1; b < BARE_HOSTS; b++) {
			if (b == 5 && a < 4)
				take_failure(bare, a, b, "no");
			else
				take_pass(bare, a, b, 0);
		}
	take_failure(bare, 0, 1, "no");
	take_failure(bare, 2, 0, "no");
	judge_rails(bare->judge, true, rails);
	assert_int_equal(rails[0], 0xffff);
	judge_drop_rails(bare->judge, rails);
	assert_int_equal(rails[0], 0xffff);
}

/* The next pairs of such a rail tell, before the stage has ended. */
static void dead_after_all(void **state)
{
	struct bare *bare = *state;
	uint16_t rails[BARE_HOSTS];

	begin_doubt(bare, rails);
	/* The same pairs again, and the rail with itself, tell nothing. */
	take_failure(bare, 1, 0, "no");
	take_failure(bare, 0, 2, "no");
	take_pass(bare, 0, 0, 0);
	/* Three failures of 24 pairs: chance does that to a rail in one of 64 such clusters. */
	take_failure(bare, 0, 3, "no");
	judge_drop_rails(bare->judge, rails);
	assert_int_equal(rails[0], 0xffff);
	/* Rail 1 took part without doubts, so it does until the end of the stage. */
	for (uint32_t to = 1; to < BARE_HOSTS; to++)
		judge_take(bare->judge, &(const struct mesh_result){.pair = {0, to, 1, 1},
								    .outcome = MESH_FAIL,
								    .reason = "no"});
	for (uint32_t a = 1; a < BARE_HOSTS; a++)
		take_pass(bare, a, a % 7 + 1, 1);
	take_failure(bare, 0, 4, "no");
	judge_drop_rails(bare->judge, rails);
	assert_int_equal(rails[0], 0xfffe);
	for (uint32_t i = 1; i < BARE_HOSTS; i++)
		assert_int_equal(rails[i], 0xffff);
	/* It does not come back. */
	judge_drop_rails(bare->judge, rails);
	assert_int_equal(rails[0], 0xfffe);
	judge_end_stage(bare->judge);
	judge_rails(bare->judge, true, rails);
	assert_int_equal(rails[0], 0xfffc);
}

/* A rail with a good pair is not dead, however many others failed. */
static void good_after_all(void **state)
{
	struct bare *bare = *state;
	uint16_t rails[BARE_HOSTS];

	begin_doubt(bare, rails);
	for (uint32_t to = 3; to < BARE_HOSTS - 1; to++)
		take_failure(bare, 0, to, "no");
	take_pass(bare, 7, 0, 0);
	judge_drop_rails(bare->judge, rails);
	assert_int_equal(rails[0], 0xffff);
}

/* A partner was good with another host, whose figures wait for others to be compared with. */
static void dead_rail_before_figures(void **state)
{
	struct bare *bare = *state;
	struct judge *judge = bare_begin(bare, NULL);
	uint16_t rails[BARE_HOSTS];

	for (uint32_t i = 1; i < 3; i++)
		judge_take(judge, &(const struct mesh_result){.pair = {0, i, 0, 0},
							      .outcome = MESH_FAIL,
							      .reason = "rc-write: no"});
	judge_rails(judge, true, rails);
	assert_int_equal(rails[0], 0xffff);
	judge_take(judge, &(const struct mesh_result){.pair = {2, 3, 0, 0},
						      .gbps = {real_of(9), real_of(9)}});
	judge_rails(judge, true, rails);
	assert_int_equal(rails[0], 0xfffe);
	assert_int_equal(rails[1], 0xffff);
	assert_int_equal(rails[2], 0xffff);
}

static void take_gbps(struct bare *bare, uint32_t a, uint32_t b, double from_a, double from_b)
{
	judge_take(bare->judge,
		   &(const struct mesh_result){.pair = {a, b, 0, 0},
					       .gbps = {real_of(from_a), real_of(from_b)}});
}

/* All distances together: the bars cover the range from their minimum to their maximum. */
static void bars_of_distances(void **state)
{
	static uint8_t distances[BARE_SWITCHES * BARE_SWITCHES];
	struct bare *bare = *state;
	struct judge_bar bars[4];

	for (uint32_t i = 0; i < BARE_SWITCHES * BARE_SWITCHES; i++)
		distances[i] = i % (BARE_SWITCHES + 1) ? 3 : 1;
	bare->fabric.distances = distances;
	bare_begin(bare, &bare->fabric);
	take_gbps(bare, 0, 1, 20, 30);
	take_gbps(bare, 0, 3, 50, 10);
	take_gbps(bare, 1, 4, 40, 41);
	assert_int_equal(judge_histogram(bare->judge, 0, JUDGE_BANDWIDTH, bars, 4), 4);
	for (size_t i = 0; i < 4; i++) {
		static const unsigned int counts[] = {1, 1, 1, 3};

		assert_float_equal(bars[i].least, 10 + 10 * (double)i, 1e-9);
		assert_float_equal(bars[i].below, 20 + 10 * (double)i, 1e-9);
		assert_int_equal(bars[i].count, counts[i]);
	}
	/* The median is taken at the distance with the most figures. */
	assert_float_equal(judge_median(bare->judge, 0, JUDGE_BANDWIDTH).value, 40.5, 1e-9);
	take_gbps(bare, 1, 2, 22, 24);
	take_gbps(bare, 3, 4, 26, 28);
	assert_float_equal(judge_median(bare->judge, 0, JUDGE_BANDWIDTH).value, 25, 1e-9);
	assert_false(judge_median(bare->judge, 0, JUDGE_BOTH_SUM).known);
}

/* Equal figures are one bar, whose width is a hundredth of their value. */
static void one_bar(void **state)
{
	struct bare *bare = *state;
	struct judge_bar bars[3];

	bare_begin(bare, NULL);
	take_gbps(bare, 0, 1, 50, 50);
	assert_int_equal(judge_histogram(bare->judge, 0, JUDGE_BANDWIDTH, bars, 3), 3);
	assert_float_equal(bars[0].least, 50, 1e-9);
	assert_float_equal(bars[0].below, 50.5, 1e-9);
	assert_float_equal(bars[2].below, 51.5, 1e-9);
	assert_int_equal(bars[0].count, 2);
	assert_int_equal(bars[1].count + bars[2].count, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, bare_set_up, bare_tear_down)
	static const struct CMUnitTest tests[] = {
		TEST(reasons),		 TEST(left_out),
		TEST(figures_of_rows),	 TEST(repeated),
		TEST(dead_rails),	 TEST(dead_by_chance),
		TEST(dead_by_pairs),	 TEST(dead_after_all),
		TEST(good_after_all),	 TEST(dead_rail_before_figures),
		TEST(bars_of_distances), TEST(one_bar),
	};

	return cmocka_run_group_tests_name("mesh-take", tests, NULL, NULL);
}
