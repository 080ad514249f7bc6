/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The pure part of the checks of growth: how much growth in how many seconds is too much. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "schema/problem.h"

/*
 * True if a number that grew by so much in so many seconds (0: unknown) exceeds `limit` in `period`
 * seconds. A shorter reading proves that only by enough events: ten of them, or more than the
 * limit.
 */
bool growth_exceeds(uint64_t growth, double seconds, uint64_t limit, unsigned int period);
/* The verdict on so many losses of a link in so many seconds (0: unknown). */
enum severity judge_flaps(uint64_t flaps, double seconds);
/* "10.0 s", "25 min", "12.5 h"; the caller frees it. */
char *growth_window(double seconds);
