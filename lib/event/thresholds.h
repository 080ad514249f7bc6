/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counters with a limit on their growth: reads them once per period, the only timer of watching,
 * and makes an event of each that begins to exceed its limit. Borrows the objects and the limits.
 */
#pragma once

#include "host/object.h"
#include "event/event.h"
#include "event/event_rule.h"

struct thresholds;

/*
 * Reads for the first time. Returns 0 or -errno: -ENOENT for a counter that no watched object has,
 * with a message in *ret_message, which the caller frees. All functions below accept NULL.
 */
int thresholds_open(const struct objects *objects, const struct event_threshold_list *limits,
		    struct thresholds **ret_thresholds, char **ret_message);
void thresholds_free(struct thresholds *thresholds);
/* Milliseconds until the next reading; -1 if there is none. */
int thresholds_timeout(const struct thresholds *thresholds);
/*
 * Reads the counters that are due and appends the events. `generation` is that of the devices: if
 * it has changed, the devices are listed again.
 */
void thresholds_step(struct thresholds *thresholds, unsigned int generation,
		     const struct event_time *time, struct event_list *events);
