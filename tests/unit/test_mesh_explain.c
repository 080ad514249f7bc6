/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which rails and pairs the judge blames for bad pairs added here one by one, their figures, what
 * is too scattered to be blamed, and who is tested again with whom.
 */
#include "bare_judge.h"

#include "mesh/judge/judge_parts.h"

enum { RAIL_0 = MESH_MOST_RAILS }; /* times the host's number: the port of its rail 0 */

/* Adds bad pairs of a host with hosts `first` to `last`, which all have equally many partners. */
static void add_pairs(struct bare *bare, uint32_t host, uint32_t first, uint32_t last)
{
	for (uint32_t i = first; i <= last; i++) {
		bare_pair(bare, host, i, EDGE_FAILED);
		bare->judge->ports[host * RAIL_0].bad++;
		bare->judge->ports[i * RAIL_0].bad++;
	}
}

static struct judge *begin(struct bare *bare, uint32_t partners)
{
	struct judge *judge = bare_begin(bare, NULL);

	for (uint32_t i = 0; i < BARE_HOSTS; i++)
		judge->ports[i * RAIL_0].judged = partners;
	return judge;
}

/* ---- Rails ---- */

/* Two thirds of a rail's partners, or more than half of them. */
static void shares_of_rails(void **state)
{
	static const struct {
		uint32_t partners;
		const char *text;
	} samples[] = {
		{4, "port 0: 3/4, 3 pairs\n1 1 1"},
		{5, "port 0: 3/5, 3 pairs, weak\n1 1 1"},
		{6, "pair 0: 1/1, 1 pairs\npair 1: 1/1, 1 pairs\npair 2: 1/1, 1 pairs\n1 2 3"},
	};
	struct bare *bare = *state;

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		begin(bare, 20)->ports[0].judged = samples[i].partners;
		add_pairs(bare, 0, 1, 3);
		explain(bare->judge);
		bare_expect(bare, samples[i].text);
		/* Each call starts from scratch. */
		explain(bare->judge);
		bare_expect(bare, samples[i].text);
	}
	/* Exactly two thirds is hardly more than half; and one pair is not a rail. */
	begin(bare, 20)->ports[0].judged = 3;
	add_pairs(bare, 0, 1, 2);
	explain(bare->judge);
	bare_expect(bare, "port 0: 2/3, 2 pairs, weak\n1 1");
	begin(bare, 1);
	add_pairs(bare, 0, 1, 1);
	explain(bare->judge);
	bare_expect(bare, "pair 0: 1/1, 1 pairs\n1");
}

/* The worst comes first; the pairs it explains count neither against the others nor for them. */
static void rails_in_turn(void **state)
{
	struct bare *bare = *state;
	struct judge *judge = begin(bare, 20);

	judge->ports[0].judged = 4;
	judge->ports[5 * RAIL_0].judged = 6;
	add_pairs(bare, 0, 1, 3);
	bare_pair(bare, 5, 0, EDGE_FAILED);
	bare_pair(bare, 5, 1, EDGE_SLOW_A);
	bare_pair(bare, 2, 5, EDGE_SLOW_B);
	bare_pair(bare, 3, 5, EDGE_LATE);
	bare_pair(bare, 5, 4, EDGE_FAILED);
	explain(judge);
	bare_expect(bare, "port 80: 5/6, 5 pairs\nport 0: 3/3, 3 pairs\n2 2 2 1 1 1 1 1");
	/*
	 * Two bad pairs remain to rail 0: too few of four partners, and weak evidence out of three.
	 */
	judge->ports[0].judged = 5;
	judge->edges[0].faults = 0;
	explain(judge);
	bare_expect(bare, "port 80: 5/6, 5 pairs\n"
			  "pair 1: 1/1, 1 pairs\n"
			  "pair 2: 1/1, 1 pairs\n"
			  "0 2 3 1 1 1 1 1");
	judge->ports[0].judged = 4;
	explain(judge);
	bare_expect(bare, "port 80: 5/6, 5 pairs\nport 0: 2/3, 2 pairs, weak\n0 2 2 1 1 1 1 1");
	/* A pair that remains to a rail without other pairs. */
	judge->edges[1].faults = 0;
	explain(judge);
	bare_expect(bare, "port 80: 5/6, 5 pairs\npair 2: 1/1, 1 pairs\n0 0 2 1 1 1 1 1");
}

/* The first of two equal rails is blamed. */
static void equal_rails(void **state)
{
	struct bare *bare = *state;
	struct judge *judge = begin(bare, 20);

	judge->ports[2 * RAIL_0].judged = judge->ports[3 * RAIL_0].judged = 3;
	for (uint32_t i = 2; i <= 3; i++) {
		bare_pair(bare, i, 5, EDGE_FAILED);
		bare_pair(bare, 6, i, EDGE_FAILED);
		bare_pair(bare, i, 7, EDGE_FAILED);
	}
	explain(judge);
	bare_expect(bare, "port 32: 3/3, 3 pairs\nport 48: 3/3, 3 pairs\n1 1 1 2 2 2");
}

/* A pair of rail 0 whose failure counts for both ends. */
static void add_failure(struct bare *bare, uint32_t a, uint32_t b)
{
	const uint32_t ends[] = {a, b};

	bare_pair(bare, a, b, EDGE_FAILED);
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		struct port *port = &bare->judge->ports[ends[i] * RAIL_0];

		port->judged++;
		port->bad++;
		port->failed++;
	}
}

/* If every pair of a rail failed, half of its hosts would explain that, but which half? */
static void every_pair_failed(void **state)
{
	struct bare *bare = *state;
	struct judge *judge = begin(bare, 0);
	const struct mesh_result good = {.pair = {5, 6, 0, 0}, .latency_usec = real_of(2)};
	const struct mesh_result good_again = {
		.pair = {0, 1, 0, 0}, .again = true, .latency_usec = real_of(2)};
	struct mesh_pair *retests;
	size_t count;

	for (uint32_t i = 0; i < BARE_HOSTS; i++)
		add_failure(bare, i, (i + 1) % BARE_HOSTS);
	explain(judge);
	bare_expect(bare, "scatter 0: 8/8, 8 pairs\n1 1 1 1 1 1 1 1");
	retests = judge_retests(judge, &count);
	assert_int_equal(count, 2);
	free(retests);
	/* The second pass, in which a pair is good but cannot be judged, tells nothing. */
	judge_take(judge, &good_again);
	explain(judge);
	bare_expect(bare, "scatter 0: 8/8, 8 pairs\n1 1 1 1 1 1 1 1");
	/* One good pair is enough to tell hosts apart, even if its figures cannot be judged yet. */
	judge->ports[5 * RAIL_0].judged++;
	explain(judge);
	assert_int_equal(judge->culprits[0].kind, CULPRIT_PORT);
	judge->ports[5 * RAIL_0].judged--;
	judge_take(judge, &good);
	explain(judge);
	assert_int_equal(judge->culprits[0].kind, CULPRIT_PORT);
	/* What all pairs have in common explains them; three hosts have only each other. */
	judge = begin(bare, 0);
	for (uint32_t i = 1; i < 4; i++)
		add_failure(bare, 0, i);
	explain(judge);
	bare_expect(bare, "port 0: 3/3, 3 pairs\n1 1 1");
	judge = begin(bare, 0);
	for (uint32_t i = 0; i < 3; i++)
		add_failure(bare, i, (i + 1) % 3);
	explain(judge);
	bare_expect(bare, "scatter 0: 3/3, 3 pairs\n1 1 1");
}

/* One bad host is not hidden because every pair failed. */
static void every_pair_of_one_failed(void **state)
{
	struct bare *bare = *state;
	struct judge *judge = begin(bare, 0);

	for (uint32_t i = 1; i < BARE_HOSTS; i++)
		add_failure(bare, 0, i);
	add_failure(bare, 1, 2);
	explain(judge);
	bare_expect(bare, "port 0: 7/7, 7 pairs\npair 7: 1/1, 1 pairs\n1 1 1 1 1 1 1 2");
	/* Pairs of different rails: none of rail 1 has two. */
	judge = begin(bare, 0);
	for (uint32_t i = 1; i < BARE_HOSTS; i++) {
		bare_pair(bare, i, 0, EDGE_FAILED)->pair.rail_a = 1;
		judge->ports[i * RAIL_0 + 1] = (struct port){.judged = 1, .bad = 1, .failed = 1};
	}
	judge->ports[0].judged = judge->ports[0].bad = judge->ports[0].failed = BARE_HOSTS - 1;
	explain(judge);
	bare_expect(bare, "port 0: 7/7, 7 pairs\n1 1 1 1 1 1 1");
	/* A rail that is bad alone explains half of the pairs, and another one has the rest. */
	judge = begin(bare, 0);
	judge->ports[0].alone_bad = true;
	for (uint32_t i = 1; i < 4; i++) {
		add_failure(bare, 0, i);
		add_failure(bare, 4, 4 + i);
	}
	explain(judge);
	bare_expect(bare, "port 0: 3/3, 3 pairs\nport 64: 3/3, 3 pairs\n1 2 1 2 1 2");
	/* It does not explain why all others fail, too. */
	judge = begin(bare, 0);
	judge->ports[0].alone_bad = true;
	for (uint32_t i = 0; i < BARE_HOSTS; i++)
		add_failure(bare, i, (i + 1) % BARE_HOSTS);
	explain(judge);
	bare_expect(bare, "port 0: 2/2, 2 pairs\nscatter 0: 6/6, 6 pairs\n1 2 2 2 2 2 2 1");
}

/* Results that the second pass adds count for its suspect only. */
static void rails_again(void **state)
{
	struct bare *bare = *state;
	struct judge *judge = begin(bare, 20);

	judge->ports[0].judged = 6;
	judge->ports[0].judged_again = judge->ports[0].bad_again = 2;
	judge->ports[3 * RAIL_0].judged = judge->ports[4 * RAIL_0].judged = 1;
	add_pairs(bare, 0, 1, 2);
	bare_pair(bare, 0, 3, EDGE_FAILED)->again = true;
	bare_pair(bare, 0, 4, EDGE_FAILED)->again = true;
	explain(judge);
	bare_expect(bare, "port 0: 4/6, 4 pairs, weak\n1 1 1 1");
	judge->ports[0].judged = 4;
	explain(judge);
	bare_expect(bare, "port 0: 4/4, 4 pairs\n1 1 1 1");
	/* With another suspect, it is blamed as a pair. */
	bare_pair(bare, 5, 0, EDGE_FAILED)->again = true;
	explain(judge);
	bare_expect(bare, "port 0: 4/4, 4 pairs\npair 4: 1/1, 1 pairs\n1 1 1 1 2");
}

/* If its only partner of the first pass is bad alone, the second is no weak evidence. */
static void rails_only_again(void **state)
{
	struct bare *bare = *state;
	struct judge *judge = begin(bare, 20);

	judge->ports[RAIL_0].alone_bad = true;
	judge->ports[0].judged = 3;
	judge->ports[0].judged_again = judge->ports[0].bad_again = 2;
	add_pairs(bare, 0, 1, 1);
	bare_pair(bare, 0, 3, EDGE_FAILED)->again = true;
	bare_pair(bare, 0, 4, EDGE_FAILED)->again = true;
	explain(judge);
	bare_expect(bare, "port 16: 1/20, 1 pairs\nport 0: 2/2, 2 pairs\n1 2 2");
}

/* Pairs that say nothing: good ones, repeated ones, a port alone. */
static void pairs_left_out(void **state)
{
	struct bare *bare = *state;
	struct judge *judge = begin(bare, 2);

	bare_pair(bare, 0, 1, 0);
	bare_pair(bare, 0, 0, EDGE_FAILED);
	bare_pair(bare, 0, 2, EDGE_FAILED)->repeated = true;
	bare_pair(bare, 0, 3, EDGE_FAILED)->duplicate = true;
	explain(judge);
	bare_expect(bare, "0 0 0 0");
	add_pairs(bare, 0, 6, 7);
	explain(judge);
	bare_expect(bare, "port 0: 2/2, 2 pairs\n0 0 0 0 1 1");
}

/* A rail that is bad alone explains all of its pairs, of whatever kind. */
static void bad_alone(void **state)
{
	struct bare *bare = *state;
	struct judge *judge = begin(bare, 9);

	judge->ports[2 * RAIL_0].alone_bad = judge->ports[4 * RAIL_0].alone_bad = true;
	judge->ports[4 * RAIL_0].judged = 8;
	bare_pair(bare, 2, 2, EDGE_SLOW_A);
	bare_pair(bare, 2, 3, EDGE_SLOW_A);
	bare_pair(bare, 3, 2, 0);
	bare_pair(bare, 1, 2, EDGE_LATE);
	bare_pair(bare, 4, 2, EDGE_FAILED);
	bare_pair(bare, 2, 4, EDGE_FAILED);
	bare_pair(bare, 1, 3, EDGE_FAILED);
	explain(judge);
	bare_expect(bare, "port 32: 3/9, 3 pairs\n"
			  "port 64: 1/8, 1 pairs\n"
			  "pair 6: 1/1, 1 pairs\n"
			  "1 1 0 1 2 1 3");
}

/* ---- Means ---- */

static void set_figures(struct judge *judge, uint32_t host, uint32_t count, double sum,
			double variance)
{
	struct port *port = &judge->ports[host * RAIL_0];

	port->good_figures = count;
	port->good_share_sum = sum;
	port->good_variance_sum = variance;
}

/* Four figures, a mean a quarter below the median, and 5.5 standard deviations. */
static void means(void **state)
{
	struct bare *bare = *state;
	struct judge *judge = begin(bare, 9);

	judge->limits.bandwidth_share = 0.75;
	judge->ports[7 * RAIL_0].judged = 8;
	set_figures(judge, 0, 3, 1, 0);
	set_figures(judge, 1, 4, 3, 0);
	set_figures(judge, 2, 4, 3.0625, 0);
	set_figures(judge, 3, 22, 16.5, 1);
	set_figures(judge, 4, 22, 16.5, 1.0625);
	set_figures(judge, 7, 5, 2, 0.25);
	explain(judge);
	bare_expect(bare, "port 16: 9/9, 0 pairs, by mean\n"
			  "port 48: 9/9, 0 pairs, by mean\n"
			  "port 112: 8/8, 0 pairs, by mean\n");
	/* Together with their pairs that nothing else explains. */
	bare_pair(bare, 5, 6, EDGE_SLOW_A);
	bare_pair(bare, 1, 7, EDGE_SLOW_A);
	bare_pair(bare, 5, 7, EDGE_SLOW_A);
	explain(judge);
	bare_expect(bare, "port 16: 9/9, 1 pairs, by mean\n"
			  "port 48: 9/9, 0 pairs, by mean\n"
			  "port 112: 8/8, 1 pairs, by mean\n"
			  "pair 0: 1/1, 1 pairs\n"
			  "4 1 3");
}

/* A blamed rail is not blamed again, nor for what the second pass found about others. */
static void means_of_the_blamed(void **state)
{
	struct bare *bare = *state;
	struct judge *judge = begin(bare, 9);

	judge->ports[0].alone_bad = true;
	judge->ports[2 * RAIL_0].judged = 2;
	set_figures(judge, 0, 10, 1, 0);
	set_figures(judge, 2, 10, 1, 0);
	bare_pair(bare, 2, 3, EDGE_FAILED);
	bare_pair(bare, 2, 4, EDGE_FAILED);
	bare_pair(bare, 5, 2, EDGE_FAILED)->again = true;
	set_figures(judge, 6, 10, 1, 0);
	explain(judge);
	bare_expect(bare, "port 0: 0/9, 0 pairs\n"
			  "port 32: 2/2, 2 pairs\n"
			  "port 96: 9/9, 0 pairs, by mean\n"
			  "pair 2: 1/1, 1 pairs\n"
			  "2 2 4");
}

/* ---- Growth ---- */

static void growth(void **state)
{
	struct bare *bare = *state;
	struct judge *judge = begin(bare, 2);

	for (uint32_t i = 0; i < 3; i++) {
		judge->ports[i * RAIL_0].error_results = 3 + i;
		judge->ports[i * RAIL_0].results = 10 + i;
	}
	judge->ports[5 * RAIL_0].results = 7;
	add_pairs(bare, 1, 4, 5);
	judge->ports[4 * RAIL_0].judged = judge->ports[5 * RAIL_0].judged = 20;
	explain(judge);
	bare_expect(bare, "port 16: 2/2, 2 pairs\n"
			  "growth 0: 3/10, 0 pairs\n"
			  "growth 32: 5/12, 0 pairs\n"
			  "1 1");
}

/* ---- Scatter ---- */

/* Adds pairs of two rails each, and rails that are hardly worse than these. */
static void add_scatter(struct bare *bare, uint32_t pairs)
{
	struct judge *judge = begin(bare, 9);

	for (uint32_t i = 0; i < pairs + 4; i++) {
		struct edge *edge = bare_pair(bare, i % 8, (i + 1) % 8, EDGE_FAILED);

		edge->pair.rail_a = edge->pair.rail_b = i >= pairs;
		edge->culprit = culprit_add(judge, CULPRIT_PAIR, i, 0, 0);
		judge->culprits[i].edges = i + 1;
	}
	for (uint32_t i = 0; i < 4; i++) {
		const uint32_t number = culprit_add(judge, CULPRIT_PORT, i * RAIL_0 + (i == 1), 0,
						    0);
		struct culprit *culprit = &judge->culprits[number - 1];

		culprit->edges = 100;
		culprit->is_weak = i < 3;
		culprit->merged = i == 2 ? 1 : 0;
	}
}

static void scatter(void **state)
{
	struct bare *bare = *state;

	add_scatter(bare, 4);
	merge_pairs(bare->judge);
	assert_int_equal(bare->judge->culprit_count, 12);
	add_scatter(bare, 5);
	bare->judge->culprits[0].merged = 13;
	merge_pairs(bare->judge);
	assert_int_equal(bare->judge->culprit_count, 13);
	bare->judge->culprits[0].merged = 0;
	merge_pairs(bare->judge);
#define REST                                    \
	"pair 5: 0/0, 6 pairs\n"                \
	"pair 6: 0/0, 7 pairs\n"                \
	"pair 7: 0/0, 8 pairs\n"                \
	"pair 8: 0/0, 9 pairs\n"                \
	"port 0: 0/0, 100 pairs, in 14, weak\n" \
	"port 17: 0/0, 100 pairs, weak\n"       \
	"port 32: 0/0, 100 pairs, in 1, weak\n" \
	"port 48: 0/0, 100 pairs\n"             \
	"scatter 0: 115/0, 115 pairs\n"         \
	"1 2 3 4 5 6 7 8 9"
	bare_expect(bare, "pair 0: 0/0, 1 pairs, in 14\n"
			  "pair 1: 0/0, 2 pairs, in 14\n"
			  "pair 2: 0/0, 3 pairs, in 14\n"
			  "pair 3: 0/0, 4 pairs, in 14\n"
			  "pair 4: 0/0, 5 pairs, in 14\n" REST);
}

/* Adds a second pass of such pairs, counted for one rail or for all. */
static void add_again(struct bare *bare, uint32_t good, uint32_t bad, uint16_t rail)
{
	for (uint32_t i = 0; i < good + bad; i++) {
		struct edge *edge = bare_pair(bare, 0, 1, i < good ? 0 : EDGE_LATE);

		edge->again = edge->repeated = true;
		edge->pair.rail_a = edge->pair.rail_b = rail;
	}
}

/* If less than half of them are bad again, each one was a coincidence. */
static void scatter_again(void **state)
{
	static const struct {
		uint32_t good, bad;
		uint16_t rail;
		bool merged;
	} samples[] = {
		{2, 1, 0, false},
		{1, 1, 0, true},
		{1, 0, 0, false},
		{0, 1, 0, true},
		/* Another rail's results are used for this rail, on which none was tested again. */
		{2, 1, 3, false},
		{1, 1, 3, true},
	};
	struct bare *bare = *state;
	uint32_t again, bad;

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		add_scatter(bare, 5);
		add_again(bare, samples[i].good, samples[i].bad, samples[i].rail);
		merge_pairs(bare->judge);
		assert_int_equal(bare->judge->culprit_count, samples[i].merged ? 14 : 13);
		count_pairs_again(bare->judge, samples[i].rail, &again, &bad);
		assert_int_equal(again, samples[i].good + samples[i].bad);
		assert_int_equal(bad, samples[i].bad);
		count_pairs_again(bare->judge, 2, &again, &bad);
		assert_int_equal(again + bad, 0);
		count_pairs_again(bare->judge, ALL_RAILS, &again, &bad);
		assert_int_equal(again, samples[i].good + samples[i].bad);
		assert_int_equal(bad, samples[i].bad);
	}
	/* The rail's own results count more. */
	add_scatter(bare, 5);
	add_again(bare, 2, 0, 0);
	add_again(bare, 0, 9, 3);
	merge_pairs(bare->judge);
	assert_int_equal(bare->judge->culprit_count, 13);
}

/* ---- Figures of the pairs that a culprit explains ---- */

static char *tally_text(const struct tally *tally)
{
	char *text = mem_format("%u: %u failed, %u slow (%u %u), %u late %.2f", tally->pairs,
				tally->failed, tally->slow, tally->sends, tally->receives,
				tally->late, tally->lateness_sum);

	mem_extend(&text, "; shares %u %.2f; median %.0f%s", tally->shares, tally->share_sum,
		   tally->median, tally->split ? " split" : "");
	if (tally->both)
		mem_extend(&text, "; both %u %.2f %.2f %.2f %u %.2f %.0f", tally->both,
			   tally->both_share_sum, tally->both_sent_sum, tally->both_received_sum,
			   tally->both_ratios, tally->both_ratio_sum, tally->both_median);
	mem_extend(&text, "; again %u %u; partners %u %.2f; reason %d", tally->again,
		   tally->again_bad, tally->partners, tally->partner_share_sum,
		   tally->failed ? (int)tally->reason : -1);
	return text;
}

static void expect_tallies(const struct bare *bare, const char *wanted)
{
	_cleanup_(freep) struct tally *tallies = tallies_of(bare->judge);
	_cleanup_(freep) char *text = mem_string("");

	for (size_t i = 0; i < bare->judge->culprit_count; i++) {
		_cleanup_(freep) char *line = tally_text(&tallies[i]);

		mem_extend(&text, "%s\n", line);
	}
	assert_string_equal(text, wanted);
}

static struct edge *slow_pair(struct bare *bare, uint32_t a, uint32_t b, uint8_t faults,
			      uint32_t culprit)
{
	struct edge *edge = bare_pair(bare, a, b, faults);

	edge->share[MESH_END_A] = 0.25f;
	edge->share[MESH_END_B] = 0.5f;
	edge->lateness = 3;
	edge->median = 100;
	edge->both_share = 0.125f;
	edge->both_part[MESH_END_A] = 0.375f;
	edge->both_part[MESH_END_B] = 0.625f;
	edge->both_ratio = 0.75f;
	edge->both_median = 190;
	edge->reason = 7;
	edge->culprit = culprit;
	return edge;
}

/* A rail with each fault, as end A and as end B; and a pair. */
static void tallies(void **state)
{
	struct bare *bare = *state;
	struct judge *judge = begin(bare, 9);

	set_figures(judge, 3, 4, 3, 0);
	set_figures(judge, 4, 8, 4, 0);
	culprit_add(judge, CULPRIT_PORT, 0, 0, 0);
	culprit_add(judge, CULPRIT_PAIR, 0, 0, 0);
	culprit_add(judge, CULPRIT_PORT, 7 * RAIL_0, 0, 0);
	slow_pair(bare, 1, 2, EDGE_SLOW_A, 2);
	slow_pair(bare, 0, 3, EDGE_SLOW_A, 1);
	slow_pair(bare, 5, 6, EDGE_SLOW_A, 0);
	expect_tallies(bare,
		       "1: 0 failed, 1 slow (1 0), 0 late 0.00; shares 1 0.25; median 100; again "
		       "0 0; partners 1 0.75; reason -1\n"
		       "1: 0 failed, 1 slow (1 0), 0 late 0.00; shares 1 0.25; median 100; again "
		       "0 0; partners 0 0.00; reason -1\n"
		       "0: 0 failed, 0 slow (0 0), 0 late 0.00; shares 0 0.00; median 0; again "
		       "0 0; partners 0 0.00; reason -1\n");
	judge->edge_count = 0;
	slow_pair(bare, 3, 0, EDGE_SLOW_A, 1);
	slow_pair(bare, 0, 4, EDGE_SLOW_A | EDGE_SLOW_B | EDGE_LATE, 1)->split = true;
	slow_pair(bare, 4, 0, EDGE_LATE, 1)->median = 0;
	slow_pair(bare, 0, 5, EDGE_FAILED, 1);
	slow_pair(bare, 0, 5, EDGE_FAILED | EDGE_SLOW_B, 1)->reason = 8;
	expect_tallies(bare,
		       "5: 2 failed, 3 slow (1 3), 2 late 6.00; shares 4 1.50; median 100 split; "
		       "again 0 0; partners 3 1.75; reason 7\n"
		       "0: 0 failed, 0 slow (0 0), 0 late 0.00; shares 0 0.00; median 0; again "
		       "0 0; partners 0 0.00; reason -1\n"
		       "0: 0 failed, 0 slow (0 0), 0 late 0.00; shares 0 0.00; median 0; again "
		       "0 0; partners 0 0.00; reason -1\n");
	/*
	 * Both ways at once: the rail's own sending comes first; one value is without a one-way
	 * figure.
	 */
	judge->edge_count = 0;
	judge->culprit_count = 1;
	slow_pair(bare, 0, 1, EDGE_BOTH, 1);
	expect_tallies(bare,
		       "1: 0 failed, 0 slow (0 0), 0 late 0.00; shares 0 0.00; median 100; both 1 "
		       "0.12 0.38 0.62 1 0.75 190; again 0 0; partners 0 0.00; reason "
		       "-1\n");
	slow_pair(bare, 1, 0, EDGE_BOTH, 1);
	slow_pair(bare, 2, 0, EDGE_BOTH, 1)->both_ratio = -1;
	slow_pair(bare, 3, 0, EDGE_BOTH, 1)->both_ratio = 0;
	expect_tallies(bare,
		       "4: 0 failed, 0 slow (0 0), 0 late 0.00; shares 0 0.00; median 100; both 4 "
		       "0.50 2.25 1.75 3 1.50 190; again 0 0; partners 1 0.75; reason "
		       "-1\n");
}

/* A culprit that includes others has their figures, too; a rail alone has no pairs. */
static void tallies_of_merged(void **state)
{
	struct bare *bare = *state;
	struct judge *judge = begin(bare, 9);

	culprit_add(judge, CULPRIT_PORT, 0, 0, 0);
	culprit_add(judge, CULPRIT_PORT, 1, 0, 0);
	culprit_add(judge, CULPRIT_HOST, 0, 0, 0);
	judge->culprits[0].merged = judge->culprits[1].merged = 3;
	slow_pair(bare, 0, 0, EDGE_FAILED, 1);
	slow_pair(bare, 0, 3, EDGE_LATE, 1);
	slow_pair(bare, 0, 4, EDGE_FAILED, 2);
	judge->edges[2].pair.rail_a = judge->edges[2].pair.rail_b = 1;
	slow_pair(bare, 0, 5, EDGE_FAILED, 1)->again = true;
	slow_pair(bare, 6, 0, 0, 0)->again = true;
	expect_tallies(bare,
		       "1: 0 failed, 0 slow (0 0), 1 late 3.00; shares 0 0.00; median 100; again "
		       "2 2; partners 0 0.00; reason -1\n"
		       "1: 1 failed, 0 slow (0 0), 0 late 0.00; shares 0 0.00; median 100; again "
		       "0 0; partners 0 0.00; reason 7\n"
		       "2: 1 failed, 0 slow (0 0), 1 late 3.00; shares 0 0.00; median 100; again "
		       "2 2; partners 0 0.00; reason 7\n");
}

/* Tested again: bad through a fault, or in both directions together; a pair is the same pair. */
static void tallies_again(void **state)
{
	static const struct {
		float a, b;
		uint8_t faults;
		bool is_bad;
	} samples[] = {
		{-1, -1, 0, false},	{-1, -1, EDGE_FAILED, true}, {0.75f, 0.75f, 0, false},
		{0.75f, 0.5f, 0, true}, {1, 0.5f, 0, false},	     {-1, 0.75f, 0, false},
		{-1, 0.5f, 0, true},	{0.5f, -1, 0, true},	     {0, 1, 0, true},
	};
	struct bare *bare = *state;

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct judge *judge = begin(bare, 9);
		_cleanup_(freep) struct tally *tallies = NULL;
		struct edge *edge;

		judge->limits.bandwidth_share = 0.75;
		culprit_add(judge, CULPRIT_PAIR, 0, 0, 0);
		culprit_add(judge, CULPRIT_PAIR, 1, 0, 0);
		culprit_add(judge, CULPRIT_GROWTH, 4 * RAIL_0, 0, 0);
		bare_pair(bare, 1, 2, EDGE_LATE)->culprit = 1;
		bare_pair(bare, 2, 3, 0)->culprit = 1;
		bare_pair(bare, 2, 3, EDGE_LATE)->culprit = 2;
		for (uint32_t to = 3; to < 5; to++) {
			edge = bare_pair(bare, 2, to, samples[i].faults);
			edge->again = true;
			edge->repeated = to == 3;
			edge->share[MESH_END_A] = samples[i].a;
			edge->share[MESH_END_B] = samples[i].b;
		}
		tallies = tallies_of(judge);
		assert_int_equal(tallies[0].again, 0);
		assert_int_equal(tallies[1].again, 1);
		assert_int_equal(tallies[1].again_bad, samples[i].is_bad);
		assert_int_equal(tallies[2].again, 1);
		assert_int_equal(tallies[2].again_bad, samples[i].is_bad);
	}
}

/* A pair that failed at first is not bad again by figures that only a slow pair is suspected of. */
static void tallies_of_failed_again(void **state)
{
	static const struct {
		uint8_t first, again;
		bool is_bad;
	} samples[] = {
		{EDGE_FAILED, 0, false},
		{EDGE_FAILED, EDGE_SLOW_A, true},
		{EDGE_FAILED, EDGE_FAILED, true},
		{EDGE_SLOW_A, 0, true},
	};
	struct bare *bare = *state;

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct judge *judge = begin(bare, 9);
		_cleanup_(freep) struct tally *tallies = NULL;
		struct edge *edge;

		culprit_add(judge, CULPRIT_PAIR, 0, 0, 0);
		bare_pair(bare, 2, 3, samples[i].first)->culprit = 1;
		edge = bare_pair(bare, 2, 3, samples[i].again);
		edge->again = edge->repeated = true;
		edge->share[MESH_END_A] = edge->share[MESH_END_B] = 0.92f;
		tallies = tallies_of(judge);
		assert_int_equal(tallies[0].again, 1);
		assert_int_equal(tallies[0].again_bad, samples[i].is_bad);
	}
}

/* Neither is a rail, unless it is also suspected to be slow. */
static void tallies_of_failed_rail(void **state)
{
	static const struct {
		uint8_t one, other; /* what its pairs were like at first; 0: it had only one */
		bool alone_bad, by_mean;
		enum culprit_kind kind;
		uint8_t again;
		bool is_bad;
	} samples[] = {
		{EDGE_FAILED, EDGE_FAILED, false, false, CULPRIT_PORT, 0, false},
		{EDGE_FAILED, 0, false, false, CULPRIT_PORT, 0, false},
		{EDGE_FAILED, EDGE_FAILED, false, false, CULPRIT_PORT, EDGE_LATE, true},
		{EDGE_FAILED, EDGE_SLOW_A, false, false, CULPRIT_PORT, 0, true},
		{EDGE_FAILED, EDGE_FAILED, true, false, CULPRIT_PORT, 0, true},
		{EDGE_FAILED, EDGE_FAILED, false, true, CULPRIT_PORT, 0, true},
		{EDGE_FAILED, EDGE_FAILED, false, false, CULPRIT_GROWTH, 0, true},
		{0, 0, false, false, CULPRIT_PORT, 0, true},
	};
	struct bare *bare = *state;

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct judge *judge = begin(bare, 9);
		_cleanup_(freep) struct tally *tallies = NULL;
		struct edge *edge;

		culprit_add(judge, samples[i].kind, 2 * RAIL_0, 0, 0);
		judge->culprits[0].by_mean = samples[i].by_mean;
		judge->ports[2 * RAIL_0].alone_bad = samples[i].alone_bad;
		/* The second pass comes first: the others count nevertheless. */
		edge = bare_pair(bare, 2, 5, samples[i].again);
		edge->again = true;
		edge->share[MESH_END_A] = edge->share[MESH_END_B] = 0.92f;
		if (samples[i].one)
			bare_pair(bare, 2, 3, samples[i].one)->culprit = 1;
		if (samples[i].other)
			bare_pair(bare, 4, 2, samples[i].other)->culprit = 1;
		tallies = tallies_of(judge);
		assert_int_equal(tallies[0].again, 1);
		assert_int_equal(tallies[0].again_bad, samples[i].is_bad);
	}
}

/* ---- The second pass ---- */

/* `1-2 1-3*`: a star marks a pair that was bad before. */
static void expect_retests(struct bare *bare, size_t left_out, const char *wanted)
{
	size_t count;
	const size_t before = bare->judge->retest_count;
	_cleanup_(freep) struct mesh_pair *pairs = judge_retests(bare->judge, &count);
	_cleanup_(freep) char *text = mem_string("");

	for (size_t i = 0; i < count; i++) {
		mem_extend(&text, "%s%u-%u%s", i ? " " : "", pairs[i].a, pairs[i].b,
			   bare->judge->retests[before + i].repeated ? "*" : "");
		if (pairs[i].rail_a || pairs[i].rail_b)
			mem_extend(&text, "/%u/%u", pairs[i].rail_a, pairs[i].rail_b);
	}
	assert_string_equal(text, wanted);
	assert_int_equal(bare->judge->retests_left_out, left_out);
}

/* With two partners that are good with everybody, or else with ones bad with the suspect only. */
static void partners(void **state)
{
	struct bare *bare = *state;
	struct judge *judge = begin(bare, 7);

	expect_retests(bare, 0, "");
	add_pairs(bare, 0, 1, 2);
	add_pairs(bare, 0, 4, 7);
	judge->ports[0].judged = 6;
	expect_retests(bare, 0, "0-3 0-1");
	/* Each pair only once. */
	expect_retests(bare, 0, "");
	begin(bare, 7);
	add_pairs(bare, 0, 1, 7);
	expect_retests(bare, 0, "0-1 0-2");
	/*
	 * Partners that have errors, are bad alone or with others, or are not there; one that was
	 * good with nobody is tried again itself.
	 */
	judge = begin(bare, 7);
	add_pairs(bare, 0, 1, 7);
	judge->ports[1 * RAIL_0].error_results = 1;
	judge->ports[2 * RAIL_0].bad++;
	judge->ports[3 * RAIL_0].judged = 1;
	bare->hosts[4].presence = MESH_LOST;
	expect_retests(bare, 0, "0-5 0-6 3-7 3-5 1-6 1-7");
	bare->hosts[5].presence = bare->hosts[6].presence = MESH_LOST;
	judge = begin(bare, 7);
	add_pairs(bare, 0, 1, 7);
	judge->ports[1 * RAIL_0].alone_bad = true;
	bare->hosts[1].presence = MESH_LOST;
	judge->ports[2 * RAIL_0].judged = judge->ports[3 * RAIL_0].judged = 1;
	expect_retests(bare, 0, "0-7 2-7 3-7");
	bare->hosts[0].presence = MESH_LOST;
	begin(bare, 7);
	add_pairs(bare, 0, 1, 7);
	expect_retests(bare, 0, "");
}

/* The hosts that have been partners least often, beginning after the suspect. */
static void partners_in_turn(void **state)
{
	struct bare *bare = *state;
	struct judge *judge = begin(bare, 3);

	for (uint32_t i = 0; i < 3; i++) {
		judge->ports[i * 2 * RAIL_0].alone_bad = true;
		judge->ports[i * 2 * RAIL_0].bad = 3;
	}
	expect_retests(bare, 0, "0-1 0-3 2-5 2-6 4-7 4-5");
	bare->hosts[5].presence = bare->hosts[6].presence = MESH_ABSENT;
	bare->hosts[7].presence = MESH_REFUSED;
	judge = begin(bare, 3);
	for (uint32_t i = 0; i < 3; i++)
		judge->ports[i * 2 * RAIL_0].alone_bad = true;
	expect_retests(bare, 0, "0-1 0-3 2-3 2-1 4-1 4-3");
}

/* A pair is tested again; and an end of it that was good with nobody. */
static void pairs_again(void **state)
{
	struct bare *bare = *state;
	struct judge *judge = begin(bare, 7);

	bare_pair(bare, 3, 3, EDGE_FAILED);
	add_pairs(bare, 3, 1, 1);
	expect_retests(bare, 0, "3-1*");
	judge = begin(bare, 7);
	add_pairs(bare, 3, 1, 1);
	judge->ports[1 * RAIL_0].judged = 1;
	expect_retests(bare, 0, "3-1* 1-2 1-4");
	/* The reverse is another pair. */
	judge = begin(bare, 7);
	add_pairs(bare, 3, 1, 1);
	expect_retests(bare, 0, "3-1*");
	judge->edges[0].pair = (struct mesh_pair){1, 3, 0, 0};
	expect_retests(bare, 0, "1-3*");
	judge->edges[0].pair = (struct mesh_pair){1, 3, 2, 3};
	expect_retests(bare, 0, "1-3*/2/3");
}

/* Two pairs of what many hosts depend on, before rails, pairs and growth; up to the limit. */
static void order_of_retests(void **state)
{
	static const struct {
		uint32_t most;
		size_t left_out;
		const char *text;
	} samples[] = {
		{64, 0, "1-6* 2-7* 0-3 0-5 3-5* 4-5 4-3"},
		{7, 0, "1-6* 2-7* 0-3 0-5 3-5* 4-5 4-3"},
		{5, 1, "1-6* 2-7* 0-3 0-5 3-5*"},
		{4, 2, "1-6* 2-7* 0-3 0-5"},
		{1, 3, "1-6* 2-7*"},
		{0, 4, ""},
	};
	struct bare *bare = *state;

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct judge *judge = begin(bare, 7);

		judge->limits.most_retests = samples[i].most;
		for (uint32_t host = 1; host < 3; host++)
			judge->ports[host * RAIL_0].chain = RAIL_0;
		for (uint32_t host = 6; host < 8; host++)
			judge->ports[host * RAIL_0].chain = 6 * RAIL_0;
		judge->ports[4 * RAIL_0].error_results = 1;
		judge->ports[0].alone_bad = true;
		add_pairs(bare, 3, 5, 5);
		judge->ports[3 * RAIL_0].bad = judge->ports[5 * RAIL_0].bad = 0;
		add_pairs(bare, 1, 6, 6);
		add_pairs(bare, 2, 7, 7);
		add_pairs(bare, 2, 6, 6);
		expect_retests(bare, samples[i].left_out, samples[i].text);
	}
}

/* Two rails represent their host. */
static void rails_for_a_host(void **state)
{
	struct bare *bare = *state;
	struct judge *judge = begin(bare, 7);

	for (uint32_t rail = 0; rail < 4; rail++) {
		judge->ports[2 * RAIL_0 + rail].alone_bad = true;
		judge->ports[2 * RAIL_0 + rail].results = 1;
		for (uint32_t host = 3; host < 8; host++)
			judge->ports[host * RAIL_0 + rail].judged = 1;
	}
	judge->ports[0].alone_bad = true;
	expect_retests(bare, 0, "0-1 0-3 2-4 2-5 2-3/1/1 2-4/1/1");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, bare_set_up, bare_tear_down)
	static const struct CMUnitTest tests[] = {
		TEST(shares_of_rails),
		TEST(rails_in_turn),
		TEST(equal_rails),
		TEST(every_pair_failed),
		TEST(every_pair_of_one_failed),
		TEST(rails_again),
		TEST(rails_only_again),
		TEST(pairs_left_out),
		TEST(bad_alone),
		TEST(means),
		TEST(means_of_the_blamed),
		TEST(growth),
		TEST(scatter),
		TEST(scatter_again),
		TEST(tallies),
		TEST(tallies_of_merged),
		TEST(tallies_again),
		TEST(tallies_of_failed_again),
		TEST(tallies_of_failed_rail),
		TEST(partners),
		TEST(partners_in_turn),
		TEST(pairs_again),
		TEST(order_of_retests),
		TEST(rails_for_a_host),
	};

	return cmocka_run_group_tests_name("mesh-explain", tests, NULL, NULL);
}
