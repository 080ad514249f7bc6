/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* When and where a reading is taken. */
#pragma once

#include "model/saved_counters.h"

/* The time of now, RFC 3339 with milliseconds, UTC; the caller frees it. */
char *moment_time(void);
/*
 * Milliseconds since 1970 of such a text; false if it is none.
 */
bool moment_parse(const char *time, uint64_t *ret_msec);
/*
 * Fills an empty head: of the live system, or (root, else NULL) of a saved tree as far as that has
 * it. What cannot be told stays unknown.
 */
void moment_read(const char *root, struct saved_head *head);
