/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Pieces of a JSON text, for what json_read.h skips: jansson would take ten times as long. A token
 * is `length` bytes, and need not be followed by a NUL.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Returns the position after a string, number, word or any other character. */
const char *json_skip_token(const char *at, const char *end);
/* Whether the token is a string of printable ASCII without escapes, as all our keys are. */
bool json_is_plain_string(const char *token, size_t length);
/* Whether the token is a scalar that jansson certainly accepts. */
bool json_is_plain(const char *token, size_t length);
/* Whether the token is a whole number, not negative, that jansson might refuse. */
bool json_is_long_integer(const char *token, size_t length);
