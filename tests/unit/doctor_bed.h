/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For the tests of the host's checks: facts made by hand, a saved tree for the files, and the
 * context of a check that has no object yet.
 */
#pragma once

#include "base/mem.h"
#include "doctor/frame/check.h"
#include "saved_tree.h"

struct bed {
	struct saved_tree tree;
	struct doctor_facts facts;
	struct doctor_request request;
	struct doctor_results results;
	struct problems problems;
	struct doctor_context run;
};

/* A cmocka set-up; each test adds its devices to the facts. */
static inline int bed_set_up(void **state)
{
	struct bed *bed = mem_alloc_zero(1, sizeof(*bed));

	tree_open(&bed->tree);
	*state = bed;
	bed->facts.root = (struct root){.fd = dup(bed->tree.root.fd)};
	bed->facts.request = &bed->request;
	bed->facts.problems = &bed->problems;
	bed->run = (struct doctor_context){
		.facts = &bed->facts,
		.results = &bed->results,
	};
	return 0;
}

static inline int bed_tear_down(void **state)
{
	struct bed *bed = *state;

	doctor_facts_free(&bed->facts);
	doctor_results_free(&bed->results);
	problems_free(&bed->problems);
	tree_close(&bed->tree);
	free(bed);
	return 0;
}

/* Runs the check on the objects of the context. */
static inline void bed_run(struct bed *bed, enum doctor_check_id id)
{
	bed->run.id = id;
	bed->run.check = doctor_check(id);
	bed->run.check->check(&bed->run);
}

/* The most recent result. */
static inline const struct doctor_result *bed_last(const struct bed *bed)
{
	assert_true(bed->results.count > 0);
	return &bed->results.items[bed->results.count - 1];
}

static inline void bed_assert(const struct doctor_result *result, enum severity verdict,
			      const char *summary)
{
	assert_non_null(result);
	assert_string_equal(result->finding.summary, summary);
	assert_int_equal(result->finding.severity.value, verdict);
}
