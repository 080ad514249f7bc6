/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The pieces of a JSON text, for what json_read.h skips: jansson takes ten times as long. A token
 * is `length` bytes, and need not be followed by a NUL.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Past a string, number, word or any other character. */
const char *json_skip_token(const char *at, const char *end);
/* A string of printable ASCII without escapes, as all our keys are. */
bool json_is_plain_string(const char *token, size_t length);
/* A scalar that jansson would certainly take. */
bool json_is_plain(const char *token, size_t length);
/* A whole number, not negative, that jansson might refuse. */
bool json_is_long_integer(const char *token, size_t length);
