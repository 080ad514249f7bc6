/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The host and time at which a reading is taken. */
#pragma once

#include "counter/saved_counters.h"

/*
 * Fills an empty head: from the live system, or from a saved tree (`root`, else NULL) as far as the
 * tree has the facts. Unavailable facts stay unknown.
 */
void moment_read(const char *root, struct saved_head *head);
