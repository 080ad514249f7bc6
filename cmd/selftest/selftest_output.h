/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What selftest shows: rows as they come or at the end, progress, histograms, the failures again as
 * problems with their next steps; and what ends it early.
 */
#pragma once

#include "cmd/listing.h"
#include "selftest/selftest_result.h"
#include "cmd/progress.h"

struct selftest_output {
	struct listing *listing;
	struct selftest_results results;
	const struct selftest_result *last; /* that was taken from the results */
	struct progress progress;
	const char *device; /* under test, for the progress */
	unsigned int port;
};

void selftest_output_begin(struct selftest_output *output, struct listing *listing);
/* Takes the rows that are there into the listing; with --jsonl they are out then. */
void selftest_output_rows(struct selftest_output *output);
/* A row that stands for what could not even begin. The texts are copied. */
struct selftest_result *selftest_output_add(struct selftest_output *output,
					    enum selftest_verdict verdict, const char *reason,
					    const char *hint);
/* For struct selftest_request, with the output as context. */
void selftest_output_progress(void *context, const char *test);
/* A line of a server's log, with the output as context. */
void selftest_output_say(void *context, const char *line);
/*
 * Prints the rest, frees, and returns the exit status: STATUS_FAULT if a row failed. `histograms`:
 * of the latencies, too, in a table.
 */
int selftest_output_end(struct selftest_output *output, bool histograms);
/* The same for a server, whose rows do not make its status. */
int selftest_output_end_served(struct selftest_output *output);

/*
 * A signalfd that SIGINT, SIGTERM and SIGHUP (unless it was ignored from the start) make readable
 * for good; the second time each ends the program at once. -errno if there is none.
 */
int selftest_catch_signals(void);
