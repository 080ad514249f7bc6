/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which changes of counters --watch and --since show. */
#pragma once

#include "cmd/counters/counters_run.h"
#include "counter/counter_change.h"

/*
 * Whether the options ask for it. Without --all a counter has to have moved, but for traffic, and
 * one that cannot be said to have counted on has to have a value that would be shown.
 */
bool counters_move_is_shown(const struct counters_run *run, const struct counter_change *change);
/* How much it matters when there is not room for all: 0 is what did not move. */
unsigned int counters_move_rank(const struct counter_change *change);
