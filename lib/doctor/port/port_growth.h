/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The pure part of the growth checks: how much growth in how many seconds is too much. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "schema/problem.h"

/*
 * Whether a number that grew by `growth` in `seconds` (0: unknown) exceeds `limit` per `period`
 * seconds. A reading shorter than the period proves that only with enough events: ten, or more than
 * the limit.
 */
bool growth_exceeds(uint64_t growth, double seconds, uint64_t limit, unsigned int period);
/* Returns the verdict on that many flaps in that many seconds (0: unknown). */
enum severity judge_flaps(uint64_t flaps, double seconds);
/* Returns "10.0 s", "25 min", "12.5 h"; the caller frees it. */
char *growth_window(double seconds);
