/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Times as text: RFC 3339, in UTC, with milliseconds. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define UTC_TEXT_SIZE 32

/* Formats nanoseconds since the epoch. */
void utc_format(uint64_t nsec, char text[static UTC_TEXT_SIZE]);
/* The current time; the caller frees it. */
char *utc_now(void);
/* Parses such a text to milliseconds since the epoch; false if it is not one. */
bool utc_parse(const char *text, uint64_t *ret_msec);
