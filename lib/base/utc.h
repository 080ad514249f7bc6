/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Moments as text: RFC 3339, in UTC, with milliseconds. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define UTC_TEXT_SIZE 32

/* Of nanoseconds since 1970. */
void utc_format(uint64_t nsec, char text[static UTC_TEXT_SIZE]);
/* Of now; the caller frees it. */
char *utc_now(void);
/* Milliseconds since 1970 of such a text; false if it is none. */
bool utc_parse(const char *text, uint64_t *ret_msec);
