/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* When and where a reading is taken. */
#pragma once

#include "counter/saved_counters.h"

/*
 * Fills an empty head: of the live system, or (root, else NULL) of a saved tree as far as that has
 * it. What is not available stays unknown.
 */
void moment_read(const char *root, struct saved_head *head);
