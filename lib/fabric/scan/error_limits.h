/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From what value on each counter of a port counts as an error: the same for all, or from a file of
 * thresholds as ibqueryerrors(8) reads it. Counters have the keys of `rdmactl perf`, and the names
 * of the specification (16.1.3.5), which ibqueryerrors uses.
 */
#pragma once

#include "mad/perf/perf_record.h"

/* Fields of perf_schema, and of perf_counters_schema. */
enum { ERROR_LIMITS_MOST = 64 };

#define ERROR_LIMIT_NEVER UINT64_MAX

/* The least value that counts, by the index of the field; ERROR_LIMIT_NEVER: none does. */
struct error_limits {
	uint64_t by_counter[ERROR_LIMITS_MOST]; /* of perf_schema */
	uint64_t by_part[ERROR_LIMITS_MOST];	/* of perf_counters_schema */
};

/*
 * All error counters count from `least` on, or at their maximum, and no other counter does.
 */
void error_limits_init(struct error_limits *limits, uint64_t least);
/* Counters separated by commas that never count. -ENOENT: *ret_wrong, to be freed, is not one. */
int error_limits_ignore(struct error_limits *limits, const char *list, char **ret_wrong);
/*
 * Reads the text of a file of thresholds: COUNTER=N, where a counter above N counts; `#` begins a
 * comment. -EINVAL: line *ret_line is wrong.
 */
int error_limits_parse(struct error_limits *limits, const char *text, unsigned int *ret_line);
/* Whether the counter counts, which at its maximum it always does if it can at all. */
static inline bool error_limit_is_passed(uint64_t least, uint64_t value, bool saturated)
{
	return least != ERROR_LIMIT_NEVER && (value >= least || saturated);
}
