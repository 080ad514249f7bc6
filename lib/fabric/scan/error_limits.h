/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The value from which each counter of a port counts as an error: the same for all, or from a file
 * of thresholds as read by ibqueryerrors(8). Counters have the keys of `rdmactl perf`, and the
 * names of the specification (16.1.3.5), which ibqueryerrors uses.
 */
#pragma once

#include "mad/perf/perf_record.h"

/* Limit of the fields of perf_schema, and of perf_counters_schema. */
enum { ERROR_LIMITS_MOST = 64 };

#define ERROR_LIMIT_NEVER UINT64_MAX

/* The smallest value that counts, by field index; ERROR_LIMIT_NEVER if none does. */
struct error_limits {
	uint64_t by_counter[ERROR_LIMITS_MOST]; /* of perf_schema */
	uint64_t by_part[ERROR_LIMITS_MOST];	/* of perf_counters_schema */
};

/* Makes error counters count from `least` on or at their maximum, and no other counter count. */
void error_limits_init(struct error_limits *limits, uint64_t least);
/*
 * Makes the counters of a comma-separated list never count. Returns -ENOENT if *ret_wrong, to be
 * freed, is not a counter.
 */
int error_limits_ignore(struct error_limits *limits, const char *list, char **ret_wrong);
/*
 * Parses a file of thresholds: COUNTER=N, where a counter above N counts; `#` begins a comment.
 * Returns -EINVAL if line *ret_line is malformed.
 */
int error_limits_parse(struct error_limits *limits, const char *text, unsigned int *ret_line);
/* Whether the counter counts; at its maximum it does, unless it never counts. */
static inline bool error_limit_is_passed(uint64_t least, uint64_t value, bool saturated)
{
	return least != ERROR_LIMIT_NEVER && (value >= least || saturated);
}
