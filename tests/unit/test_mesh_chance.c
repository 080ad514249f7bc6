/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What chance explains: the bound itself, and that rails and cables with no more bad pairs than
 * that are tried again, but not blamed; and what is bad again in the second pass.
 */
#include "bare_judge.h"

#include "mesh/judge/conclude_parts.h"

enum { PARTNERS = 20, RAIL_0 = MESH_MOST_RAILS };

/* The tail of the binomial distribution, times the candidates, against one in a hundred. */
static void bound(void **state)
{
	static const struct {
		double chance;
		uint32_t bad, all, candidates;
		bool explains;
	} samples[] = {
		{0.02, 2, 2, 24, false},	  /* 0.0096 */
		{0.02, 2, 2, 26, true},		  /* 0.0104 */
		{0.02, 4, 4, 8000, false},	  /* 0.00128 */
		{0.02, 3, 4, 8000, true},	  /* 0.252 */
		{0.02, 5, 8, 8000, false},	  /* 0.00136 */
		{0.02, 4, 8, 8000, true},	  /* 0.0845 */
		{0.2, 16000, 40000, 4000, false}, /* nothing overflows */
		{0.2, 8000, 40000, 1, true},	  /* what is usual */
		{0.2, 7000, 40000, 1, true},	  /* and less than that */
		{0.9, 2, 2, 1, true},
		{1, 2, 2, 1, true},
		{0, 2, 2, 1000000, false},
		{0.5, 0, 4, 1, false},
		{0.5, 3, 2, 1, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		assert_int_equal(chance_explains(samples[i].chance, samples[i].bad, samples[i].all,
						 samples[i].candidates),
				 samples[i].explains);
}

static struct judge *begin(struct bare *bare, const struct judge_fabric *fabric)
{
	struct judge *judge = bare_begin(bare, fabric);

	for (uint32_t i = 0; i < BARE_HOSTS; i++)
		judge->ports[i * RAIL_0].judged = PARTNERS;
	return judge;
}

/* Bad pairs of hosts that are good with most of their partners. */
static void add_background(struct bare *bare, uint32_t pairs)
{
	for (uint32_t i = 0; i < pairs; i++)
		bare_pair(bare, 3 + i % 4, 7, EDGE_FAILED);
}

/* The first host failed with all of its partners, and these are good with others. */
static void add_suspect(struct bare *bare, uint32_t partners)
{
	struct port *port = &bare->judge->ports[0];

	port->judged = port->bad = port->failed = partners;
	for (uint32_t i = 0; i < partners; i++)
		bare_pair(bare, 0, 1 + i % 2, EDGE_FAILED);
}

/*
 * If 8 of the 70 pairs between the other seven hosts are bad, one of 8 hosts has two bad ones of
 * two in every tenth run, but six of six in one of 60,000.
 */
static void rails(void **state)
{
	static const struct {
		uint32_t background, partners;
		bool is_blamed;
	} samples[] = {{8, 2, false}, {7, 2, true}, {8, 6, true}, {0, 2, true}};
	struct bare *bare = *state;
	uint16_t left[BARE_HOSTS];

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct judge *judge = begin(bare, NULL);

		add_suspect(bare, samples[i].partners);
		add_background(bare, samples[i].background);
		judge_rails(judge, left);
		assert_int_equal(left[0] & 1, !samples[i].is_blamed);
		explain(judge, false);
		assert_int_equal(judge->culprits[0].kind,
				 samples[i].is_blamed ? CULPRIT_PORT : CULPRIT_PAIR);
		explain(judge, true);
		assert_int_equal(judge->culprits[0].kind, CULPRIT_PORT);
	}
}

/* Pairs that others explain, and those of a rail that is bad with most, are no background. */
static void background(void **state)
{
	struct bare *bare = *state;
	struct judge *judge = begin(bare, NULL);

	add_suspect(bare, 9);
	add_background(bare, 8);
	assert_float_equal(chance_of_bad(judge), 8.0 / 70, 1e-9);
	judge->edges[9].culprit = 1;
	assert_float_equal(chance_of_bad(judge), 0, 1e-9);
	judge->edges[9].culprit = 0;
	judge->edges[9].again = true;
	assert_float_equal(chance_of_bad(judge), 0, 1e-9);
}

/* Three of four pairs of a cable, while every twelfth pair of the others is bad, or none. */
static void cables(void **state)
{
	static const uint32_t all[BARE_CABLES] = {4, 40, 40, 40, 40, 40};
	struct bare *bare = *state;

	for (uint32_t pairs = 0; pairs <= 8; pairs += 8) {
		struct judge *judge = begin(bare, &bare->fabric);

		for (uint32_t i = 0; i < BARE_CABLES; i++)
			judge->cables[i].all = all[i];
		for (uint32_t i = 0; i < 3; i++) {
			bare_way(bare, i, 3 + i, 0, 2);
			bare_pair(bare, i, 3 + i, EDGE_SLOW_A);
		}
		for (uint32_t i = 0; i < pairs; i++) {
			bare_way(bare, i % 6, 6 + i % 2, i % 6 < 3 ? 1 : 3, 5);
			bare_pair(bare, i % 6, 6 + i % 2, EDGE_SLOW_A);
		}
		for (int suspect = 0; suspect <= 1; suspect++) {
			bare_again(bare);
			explain_by_ways(judge, true, suspect);
			assert_int_equal(judge->edges[0].culprit > 0, suspect || !pairs);
		}
	}
}

/* What is so little below the limit for a slow pair that chance explains it is not bad again. */
static void again(void **state)
{
	static const struct {
		uint8_t faults;	 /* of the first pass */
		float deviation; /* the limit is at 7 %, or 3.6 deviations of a mean of two */
		float share;
		bool is_bad;
	} samples[] = {
		{EDGE_SLOW_A, 0, 0.92f, true},
		{EDGE_SLOW_A, 0.03f, 0.924f, false},
		{EDGE_SLOW_A, 0.03f, 0.923f, true},
		/* A pair that failed did something else now. */
		{EDGE_FAILED, 0, 0.92f, false},
	};
	struct bare *bare = *state;

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct judge *judge = begin(bare, NULL);
		_cleanup_(freep) struct tally *tallies = NULL;
		struct edge *edge;

		culprit_add(judge, CULPRIT_PAIR, 0);
		bare_pair(bare, 1, 2, samples[i].faults)->culprit = 1;
		edge = bare_pair(bare, 1, 2, 0);
		edge->again = edge->repeated = true;
		edge->deviation = samples[i].deviation;
		edge->share[MESH_END_A] = edge->share[MESH_END_B] = samples[i].share;
		tallies = tallies_of(judge);
		assert_int_equal(tallies[0].again, 1);
		assert_int_equal(tallies[0].again_bad, samples[i].is_bad);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, bare_set_up, bare_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bound), TEST(rails), TEST(background), TEST(cables), TEST(again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
