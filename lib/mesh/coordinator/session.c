/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mesh/coordinator/coordinator.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"

/* Connecting, the handshake and the data check, before anything is measured. */
#define PAIR_CONNECT_MSEC 300u
/* Connecting again for both directions at once, without a data check. */
#define BOTH_CONNECT_MSEC 100u

struct session {
	const struct session_setup *setup;
	struct session_outcome *outcome;
	const struct mesh_host *hosts;
	uint32_t host_count;
	uint32_t stage;
	uint32_t tests; /* of the stage */
	uint64_t begin_msec;
	uint64_t round_msec;	   /* average of this stage; 0: unknown */
	bool shared;		   /* the pairs of the stage share what they measure */
	struct mesh_pair *orphans; /* `a`: the host whose partner was lost */
	size_t orphan_count;
};

/*
 * No both-ways test in loopback, which has no path to another host, nor in an incast, where many
 * send one way to one host.
 */
uint32_t session_tests(const struct session_setup *setup, enum mesh_mode mode)
{
	const uint32_t tests = setup->tests ?: MESH_TESTS;

	return mode == MESH_LOOPBACK || mode == MESH_INCAST ? tests & ~(uint32_t)MESH_BOTH_WAYS
							    : tests;
}

uint32_t session_pair_msec(const struct session_setup *setup, uint32_t tests)
{
	uint32_t msec = PAIR_CONNECT_MSEC;

	if (tests & MESH_LATENCY)
		msec += setup->latency_msec;
	if (tests & MESH_BANDWIDTH)
		msec += 2 * setup->bandwidth_msec;
	if (tests & MESH_BOTH_WAYS)
		msec += BOTH_CONNECT_MSEC + setup->bandwidth_msec;
	return msec;
}

static bool is_present(const struct session *session, uint32_t host)
{
	return session->hosts[host].presence == MESH_PRESENT;
}

static void take(void *context, const struct mesh_result *result)
{
	struct session *session = context;
	const struct mesh_pair *pair = &result->pair;
	const bool a = is_present(session, pair->a), b = is_present(session, pair->b);

	session->outcome->pairs++;
	judge_take(session->setup->judge, result);
	if (session->setup->result)
		session->setup->result(session->setup->context, result);
	/* Two that are tested alone have more than those that share a link or a receiver. */
	if (result->outcome == MESH_UNTRIED && a != b && !session->shared)
		MEM_ADD(session->orphans, session->orphan_count) = (struct mesh_pair){
			.a = a ? pair->a : pair->b,
			.rail_a = a ? pair->rail_a : pair->rail_b,
		};
}

/* Runs pairs side by side, in batches if there is a limit. */
static int run_pairs(struct session *session, const struct mesh_pair *pairs, size_t count,
		     uint32_t number, bool again)
{
	const struct session_setup *setup = session->setup;
	const size_t most = again ? 1 : setup->most_pairs ?: count;
	int rc = 0;

	for (size_t done = 0; done < count && !rc; done += most) {
		const struct coordinator_round round = {
			.pairs = pairs + done,
			.count = count - done < most ? count - done : most,
			.tests = session->tests,
			.stage = session->stage,
			.number = number,
			.again = again,
			.latency_msec = setup->latency_msec,
			.bandwidth_msec = setup->bandwidth_msec,
			.timeout_msec = setup->timeout_msec,
			.take = take,
			.context = session,
		};

		rc = coordinator_round(setup->coordinator, &round);
	}
	session->outcome->rounds++;
	if (setup->end_round)
		setup->end_round(setup->context);
	return rc;
}

static bool fits(const struct session *session)
{
	const uint64_t budget = session->setup->budget_msec;
	const uint64_t round = session->round_msec
				       ?: session_pair_msec(session->setup, session->tests);

	return !budget || clock_msec() - session->begin_msec + round <= budget;
}

/* Pairs up those whose partner was lost; any left over stay alone. */
static void pair_orphans(struct session *session, struct plan_stage *stage)
{
	const struct mesh_pair *orphans = session->orphans;
	const size_t count = session->orphan_count;
	_cleanup_(freep) bool *taken = mem_alloc_zero(count + 1, sizeof(*taken));

	for (size_t i = 0; i < count; i++)
		for (size_t j = i + 1; j < count && !taken[i]; j++) {
			if (taken[j] || orphans[i].a == orphans[j].a ||
			    orphans[i].rail_a != orphans[j].rail_a ||
			    !is_present(session, orphans[i].a) ||
			    !is_present(session, orphans[j].a))
				continue;
			taken[i] = taken[j] = true;
			MEM_ADD(stage->pairs, stage->pair_count) = (struct mesh_pair){
				.a = orphans[i].a,
				.b = orphans[j].a,
				.rail_a = orphans[i].rail_a,
				.rail_b = orphans[j].rail_a,
			};
		}
	free(session->orphans);
	session->orphans = NULL;
	session->orphan_count = 0;
}

/*
 * A host that lost several partners is in several pairs, one after the other. The scope is that of
 * the stage, so rails that were found bad since it began are tested nevertheless.
 */
static int run_orphans(struct session *session, const struct plan_scope *scope, uint32_t number)
{
	struct plan_stage stage = {.mode = MESH_PAIRS};
	_cleanup_(freep) struct mesh_pair *pairs = NULL;
	_cleanup_(freep) char *message = NULL;
	struct schedule *schedule;
	int rc;

	pair_orphans(session, &stage);
	rc = schedule_new(&stage, scope, &schedule, &message);
	if (!rc) {
		pairs = mem_alloc_zero(stage.pair_count + 1, sizeof(*pairs));
		for (uint32_t i = 0; i < schedule_rounds(schedule) && !rc; i++) {
			const size_t count = schedule_round(schedule, i, pairs);

			if (fits(session))
				rc = run_pairs(session, pairs, count, number + i, false);
			else
				session->outcome->left_out += count;
		}
		schedule_free(schedule);
	}
	free(stage.pairs);
	return rc;
}

/*
 * Pairs that share what they measure are tested all together: drops the results of the rounds that
 * lack one.
 */
static void forget_incomplete(struct session *session, const struct schedule *schedule)
{
	struct mesh_done *done = session->setup->done;
	_cleanup_(freep) struct mesh_pair *pairs = mem_alloc_zero(schedule_most_pairs(schedule) + 1,
								  sizeof(*pairs));

	for (uint32_t i = 0; i < schedule_rounds(schedule); i++) {
		const size_t count = schedule_round(schedule, i, pairs);
		size_t known = 0;

		for (size_t j = 0; j < count; j++)
			known += mesh_done_has(done, session->stage, &pairs[j]);
		for (size_t j = 0; j < count && known < count; j++)
			mesh_done_remove(done, session->stage, &pairs[j]);
	}
}

/* Removes the pairs of a round that already have their results. */
static size_t drop_done(struct session *session, struct mesh_pair *pairs, size_t count)
{
	const struct mesh_done *done = session->setup->done;
	size_t left = 0;

	for (size_t i = 0; i < count; i++) {
		if (done && mesh_done_has(done, session->stage, &pairs[i]))
			session->outcome->resumed++;
		else
			pairs[left++] = pairs[i];
	}
	return left;
}

/*
 * Removes the pairs of rails that are now known to be dead: each may last until the timeout. Pairs
 * that share what they measure stay together.
 */
static size_t drop_dead(struct session *session, uint16_t *rails, struct mesh_pair *pairs,
			size_t count)
{
	size_t left = 0;

	if (session->shared)
		return count;
	judge_drop_rails(session->setup->judge, rails);
	for (size_t i = 0; i < count; i++)
		if (rails[pairs[i].a] >> pairs[i].rail_a & 1 &&
		    rails[pairs[i].b] >> pairs[i].rail_b & 1)
			pairs[left++] = pairs[i];
	session->outcome->pairs_planned -= count - left;
	return left;
}

/* `rails`: those of each host that take part in the stage, as bits. */
static int run_rounds(struct session *session, const struct schedule *schedule, uint16_t *rails)
{
	_cleanup_(freep) struct mesh_pair *pairs = mem_alloc_zero(schedule_most_pairs(schedule) + 1,
								  sizeof(*pairs));
	const uint32_t rounds = schedule_rounds(schedule);
	const uint64_t begin = clock_msec();
	uint64_t run = 0;
	int rc = 0;

	session->round_msec = 0;
	session->outcome->pairs_planned += schedule_all_pairs(schedule);
	for (uint32_t i = 0; i < rounds && !rc; i++) {
		size_t count = schedule_round(schedule, i, pairs);

		count = drop_done(session, pairs, count);
		count = drop_dead(session, rails, pairs, count);
		if (!count)
			continue;
		if (!fits(session)) {
			session->outcome->left_out += count;
			continue;
		}
		rc = run_pairs(session, pairs, count, i, false);
		session->round_msec = (clock_msec() - begin) / ++run;
		session->outcome->end_msec = clock_msec() + session->round_msec * (rounds - i - 1);
	}
	return rc;
}

static int run_stage(struct session *session, const struct plan_stage *stage)
{
	const struct session_setup *setup = session->setup;
	_cleanup_(freep) uint16_t *rails = mem_alloc_zero(session->host_count + 1, sizeof(*rails));
	const struct plan_scope scope = {
		.hosts = session->hosts,
		.host_count = session->host_count,
		.rails = rails,
		.switches = setup->fabric ? setup->fabric->switches : NULL,
		.seed = setup->seed + session->stage,
		.one_rail = setup->one_rail,
	};
	struct schedule *schedule = NULL;
	_cleanup_(freep) char *message = NULL;
	int rc;

	judge_rails(setup->judge, !setup->budget_msec, rails);
	rc = schedule_new(stage, &scope, &schedule, &message);
	if (rc) {
		/* Other stages may still be possible. */
		strings_add(&session->outcome->stages_failed, message);
		return 0;
	}
	message = plan_missing_rails(stage, session->hosts);
	if (message)
		strings_add(&session->outcome->stages_failed, message);
	session->tests = session_tests(setup, stage->mode);
	session->shared = judge_is_shared(stage->mode);
	if (session->shared && setup->done)
		forget_incomplete(session, schedule);
	judge_begin_stage(setup->judge, stage);
	if (setup->begin)
		setup->begin(setup->context, session->stage);
	rc = run_rounds(session, schedule, rails);
	if (!rc)
		rc = run_orphans(session, &scope, schedule_rounds(schedule));
	judge_end_stage(setup->judge);
	schedule_free(schedule);
	return rc;
}

/* Tests each suspect alone. */
static int run_retests(struct session *session)
{
	size_t count = 0;
	_cleanup_(freep) struct mesh_pair *pairs = judge_retests(session->setup->judge, &count);
	int rc = 0;

	session->round_msec = 0;
	session->tests = session->setup->tests ?: MESH_TESTS;
	for (size_t i = 0; i < count && !rc; i++) {
		if (fits(session))
			rc = run_pairs(session, &pairs[i], 1, (uint32_t)i, true);
		else
			session->outcome->left_out++;
	}
	return rc;
}

int session_run(const struct session_setup *setup, struct session_outcome *outcome)
{
	struct session session = {
		.setup = setup,
		.outcome = outcome,
		.begin_msec = clock_msec(),
	};
	int rc = 0;

	session.hosts = coordinator_hosts(setup->coordinator, &session.host_count);
	for (; session.stage < setup->plan->count && !rc; session.stage++)
		rc = run_stage(&session, &setup->plan->stages[session.stage]);
	if (!rc)
		rc = run_retests(&session);
	free(session.orphans);
	outcome->interrupted = rc == -EINTR;
	return rc;
}
