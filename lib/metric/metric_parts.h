/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Metrics of other subjects than state and counters: processes, and the doctor's verdicts. */
#pragma once

#include "host/inventory/inventory.h"
#include "metric/metric.h"

/*
 * Pinned memory, queue pairs and memory regions of the `top` commands that have pinned most; the
 * sum of the processes with the same command. Nothing for a saved tree, which lists no objects.
 */
void metrics_add_commands(struct metrics *metrics, const struct inventory *inventory,
			  const struct objects *objects, unsigned int top,
			  struct problems *problems);
/* The verdict of each check on each object; what was not checked has no sample. */
void metrics_add_checks(struct metrics *metrics, const char *root, const struct objects *objects,
			struct problems *problems);
