/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The processes that measure rails at the same time: process.c. */
#pragma once

#include "selftest/rails/rails.h"

/* The result of one process. A flat record: it comes through a socket. */
struct rail_report {
	bool done;    /* the test ran, and `gbps` is known */
	bool skipped; /* not measurable here; the reason says why */
	double gbps;
	char reason[400], next_step[300];
	char cpus[128], far_cpus[128]; /* processors to which both sides are bound */
};

/*
 * Runs the request's tests on those rails, each in its own process; all begin to measure at the
 * same time. Returns 0, or -EINTR if the user ended it.
 */
int rails_process(const struct selftest_request *request, const struct rail *const *rails,
		  size_t count, struct rail_report *ret_reports);
