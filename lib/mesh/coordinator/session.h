/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A session: the stages of a plan, round by round, on what has passed before; hosts whose partner
 * was lost get another one; at last the second pass. Results go to the judge and to the caller.
 */
#pragma once

#include "mesh/coordinator/coordinator.h"
#include "mesh/judge/judge.h"
#include "mesh/plan/plan.h"
#include "schema/value.h"

/* Borrowed: it must live as long as the call. 0 and NULL are defaults. */
struct session_setup {
	struct coordinator *coordinator;
	const struct plan *plan;
	struct judge *judge;
	const struct judge_fabric *fabric;
	uint64_t seed;
	bool one_rail;
	uint32_t tests; /* enum mesh_test; 0: MESH_TESTS */
	uint32_t latency_msec, bandwidth_msec, timeout_msec;
	uint64_t budget_msec; /* what does not fit is left out; 0: no limit */
	uint32_t most_pairs;  /* at the same time; 0: no limit */
	/* A pair that has its result already, from an earlier run; or NULL. */
	bool (*has)(void *context, uint32_t stage, const struct mesh_pair *pair);
	/* A stage begins for the judge, who may get results of an earlier run now; or NULL. */
	void (*begin)(void *context, uint32_t stage);
	void (*result)(void *context, const struct mesh_result *result);
	void (*end_round)(void *context); /* or NULL */
	void *context;
};

struct session_outcome {
	bool interrupted;
	uint64_t pairs, rounds;	      /* that were run */
	uint64_t left_out;	      /* pairs that the budget had no time for */
	uint64_t resumed;	      /* pairs that had their results */
	struct strings stages_failed; /* why they could not be run, or not in full */
	uint64_t end_msec;	      /* when the rest will be over, as it looks; for progress */
	uint64_t pairs_planned;	      /* of the stages so far */
};

/* 0; -EINTR: a signal; the outcome is filled in both cases. */
int session_run(const struct session_setup *setup, struct session_outcome *outcome);
/* What is measured in a stage, and how long a pair takes, about; also for plans. */
uint32_t session_tests(const struct session_setup *setup, enum mesh_mode mode);
uint32_t session_pair_msec(const struct session_setup *setup, uint32_t tests);
