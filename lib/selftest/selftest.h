/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Data path tests: over one port in loopback, to a peer, and the server for one. Includes no header
 * of libibverbs. Rows go to the caller's list, each with its verdict; a reason that keeps tests
 * from running at all is a row, too.
 */
#pragma once

#include "host/endpoint/endpoint.h"
#include "selftest/record/record.h"

/*
 * Runs the tests of one port against itself, or against the peer. 0: they ran, the rows hold the
 * results; -EINTR: the user ended it, the rows so far are complete.
 */
int selftest_run(const struct selftest_request *request, const struct endpoint *local,
		 struct selftest_results *results);
/* The names that `tests` may have: ids of tests and groups, with a summary each, by index; false
 * past the end. */
bool selftest_test_name(size_t index, const char **ret_id, const char **ret_group,
			const char **ret_summary);
