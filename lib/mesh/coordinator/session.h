/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A session: runs the stages of a plan, round by round, on the rails that have passed so far; pairs
 * up hosts whose partner was lost; finally runs the second pass. Results go to the judge and to the
 * caller.
 */
#pragma once

#include "mesh/coordinator/coordinator.h"
#include "mesh/form/rows.h"
#include "mesh/judge/judge.h"
#include "mesh/plan/plan.h"
#include "schema/value.h"

/* Borrowed: must outlive the call. 0 and NULL select the defaults. */
struct session_setup {
	struct coordinator *coordinator;
	const struct plan *plan;
	struct judge *judge;
	const struct judge_fabric *fabric;
	uint64_t seed;
	bool one_rail;
	uint32_t tests; /* enum mesh_test; 0: MESH_TESTS */
	uint32_t latency_msec, bandwidth_msec, timeout_msec;
	uint64_t budget_msec; /* pairs that do not fit are omitted; 0: no limit */
	uint32_t most_pairs;  /* at the same time; 0: no limit */
	/* The pairs that have results of an earlier run; those that are tested again leave it. */
	struct mesh_done *done; /* or NULL */
	/* The judge has begun a stage, and may be given results of an earlier run now; or NULL. */
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
	struct strings stages_failed; /* why they could not run, or only in part */
	uint64_t end_msec;	      /* estimated end of the current stage, for progress */
	uint64_t pairs_planned;	      /* in the stages so far */
};

/* Returns 0, or -EINTR on a signal; the outcome is filled in both cases. */
int session_run(const struct session_setup *setup, struct session_outcome *outcome);
/* The tests of a stage, and about how long a pair takes; also used for plans. */
uint32_t session_tests(const struct session_setup *setup, enum mesh_mode mode);
uint32_t session_pair_msec(const struct session_setup *setup, uint32_t tests);
