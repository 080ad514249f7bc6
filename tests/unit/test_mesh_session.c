/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The rounds of a session with a made-up coordinator: two of its hosts are lost in the first round,
 * so all others lose partners.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "mesh/coordinator/coordinator.h"

#define HOSTS 8u
#define RAILS 2u
/* The last two hosts are lost. */
#define LEFT	    6u
#define FULL_ROUNDS 7u
#define BUDGET_MSEC 600

static struct bed {
	struct mesh_host hosts[HOSTS];
	bool one_rail;
	bool all_go_bad;	  /* once a round has been run, the judge finds every rail bad */
	uint32_t dead_after;	  /* rounds until rail 1 of the first host proves dead; 0: never */
	uint64_t rounds, tested;  /* pairs whose hosts are both present */
	uint64_t dead;		  /* pairs of that rail that were tested */
	uint64_t slow_until_msec; /* time at which the last round of a full mesh ends */
} bed;

const struct mesh_host *coordinator_hosts(const struct coordinator *coordinator,
					  uint32_t *ret_count)
{
	(void)coordinator;
	*ret_count = HOSTS;
	return bed.hosts;
}

/* A rail is in one pair per round, or a host with one rail at a time. */
static void check_busy(uint32_t host, uint16_t rail, bool busy[HOSTS][RAILS])
{
	bool *place = &busy[host][bed.one_rail ? 0 : rail];

	assert_false(*place);
	*place = true;
}

int coordinator_round(struct coordinator *coordinator, const struct coordinator_round *round)
{
	bool busy[HOSTS][RAILS] = {{false}};

	(void)coordinator;
	assert_true(round->count > 0);
	bed.hosts[LEFT].presence = bed.hosts[LEFT + 1].presence = MESH_LOST;
	for (size_t i = 0; i < round->count; i++) {
		const struct mesh_pair *pair = &round->pairs[i];
		const bool good = pair->a < LEFT && pair->b < LEFT;
		const struct mesh_result result = {
			.pair = *pair,
			.outcome = good ? MESH_PASS : MESH_UNTRIED,
		};

		check_busy(pair->a, pair->rail_a, busy);
		check_busy(pair->b, pair->rail_b, busy);
		bed.tested += good;
		bed.dead += (!pair->a && pair->rail_a == 1) || (!pair->b && pair->rail_b == 1);
		round->take(round->context, &result);
	}
	bed.rounds++;
	while (round->number == FULL_ROUNDS - 1 && clock_msec() <= bed.slow_until_msec)
		usleep(10000);
	return 0;
}

void judge_take(struct judge *judge, const struct mesh_result *result)
{
	(void)judge;
	(void)result;
}

void judge_rails(struct judge *judge, bool with_doubtful, uint16_t *rails)
{
	(void)judge;
	assert_int_equal(with_doubtful, !bed.slow_until_msec);
	for (uint32_t i = 0; i < HOSTS; i++)
		rails[i] = bed.all_go_bad && bed.rounds ? 0 : (1u << RAILS) - 1;
}

void judge_drop_rails(const struct judge *judge, uint16_t *rails)
{
	(void)judge;
	if (bed.dead_after && bed.rounds >= bed.dead_after)
		rails[0] &= (uint16_t)~2u;
}

void judge_begin_stage(struct judge *judge, const struct plan_stage *stage)
{
	(void)judge;
	(void)stage;
}

void judge_end_stage(struct judge *judge)
{
	(void)judge;
}

bool judge_is_shared(enum mesh_mode mode)
{
	return mode == MESH_BISECTION;
}

struct mesh_pair *judge_retests(struct judge *judge, size_t *ret_count)
{
	(void)judge;
	*ret_count = 0;
	return NULL;
}

static void run_bed(const char *stages, struct bed new_bed, uint64_t budget_msec,
		    struct session_outcome *outcome)
{
	struct plan plan;
	char *message = NULL, *hint = NULL;
	const struct session_setup setup = {
		.plan = &plan,
		.one_rail = new_bed.one_rail,
		.budget_msec = budget_msec,
	};

	bed = new_bed;
	bed.slow_until_msec = budget_msec ? clock_msec() + budget_msec : 0;
	for (uint32_t i = 0; i < HOSTS; i++)
		bed.hosts[i] = (struct mesh_host){.presence = MESH_PRESENT, .rail_count = RAILS};
	*outcome = (struct session_outcome){.pairs = 0};
	assert_int_equal(plan_parse(stages, &plan, &message, &hint), 0);
	assert_int_equal(session_run(&setup, outcome), 0);
	plan_clear(&plan);
}

static void run(const char *stages, bool one_rail, uint64_t budget_msec,
		struct session_outcome *outcome)
{
	run_bed(stages, (struct bed){.one_rail = one_rail}, budget_msec, outcome);
}

/* A full mesh has 28 pairs per rail, 15 without the lost hosts: all others lose two partners. */
static void partners_of_the_lost(void **state)
{
	struct session_outcome outcome;

	(void)state;
	run("full", false, 0, &outcome);
	assert_true(bed.rounds >= FULL_ROUNDS + 2);
	assert_int_equal(bed.tested, RAILS * (15 + LEFT));
	assert_int_equal(outcome.pairs, RAILS * (28 + LEFT));
	run("full", true, 0, &outcome);
	assert_true(bed.rounds >= RAILS * (FULL_ROUNDS + 2));
	assert_int_equal(bed.tested, RAILS * (15 + LEFT));
}

/*
 * A rail that goes bad in a stage takes part until its end, also with those who lost a partner: the
 * partner may be what was bad. The next stage has none of it.
 */
static void rails_gone_bad(void **state)
{
	const struct bed all_go_bad = {.all_go_bad = true};
	struct session_outcome outcome;

	(void)state;
	run_bed("full,ring", all_go_bad, 0, &outcome);
	assert_int_equal(bed.tested, RAILS * (15 + LEFT));
	assert_int_equal(outcome.pairs, RAILS * (28 + LEFT));
}

/* A rail that was in doubt when the stage began, and proves dead in it, is left out from then on.
 */
static void doubts_that_end(void **state)
{
	const struct bed dead_after_two = {.dead_after = 2};
	struct session_outcome outcome;

	(void)state;
	run_bed("full", dead_after_two, 0, &outcome);
	assert_int_equal(bed.dead, 2);
	assert_int_equal(outcome.pairs_planned, RAILS * 28 - (FULL_ROUNDS - 2));
	assert_int_equal(outcome.left_out, 0);
	/* Where pairs share what they measure, all take part until the end. */
	run_bed("bisection:3", dead_after_two, 0, &outcome);
	assert_int_equal(bed.dead, 3);
	assert_int_equal(outcome.pairs_planned, RAILS * 3 * HOSTS / 2);
}

/* Where pairs share what they measure, two alone would measure something else. */
static void shared(void **state)
{
	struct session_outcome outcome;

	(void)state;
	run("bisection:1", false, 0, &outcome);
	assert_int_equal(bed.rounds, 1);
	assert_int_equal(outcome.pairs, RAILS * HOSTS / 2);
}

/* They are among the pairs omitted for lack of time. */
static void no_time_for_them(void **state)
{
	struct session_outcome outcome;

	(void)state;
	run("full", false, BUDGET_MSEC, &outcome);
	assert_true(bed.rounds <= FULL_ROUNDS);
	assert_true(outcome.left_out >= RAILS * LEFT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(partners_of_the_lost),
		cmocka_unit_test(rails_gone_bad),
		cmocka_unit_test(doubts_that_end),
		cmocka_unit_test(no_time_for_them),
		cmocka_unit_test(shared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
