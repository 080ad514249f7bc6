/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counters that must not grow faster than so much: reads them once a period, the only timer of
 * watching, and makes an event of each that begins to. Borrows the objects and the limits.
 */
#pragma once

#include "host/object.h"
#include "event/event.h"
#include "event/event_rule.h"

struct thresholds;

/*
 * Reads for the first time. 0 or -errno: -ENOENT for a counter that nothing of what is there has,
 * with words about it in *ret_message, which the caller frees. NULL is legal for all that follow.
 */
int thresholds_open(const struct objects *objects, const struct event_threshold_list *limits,
		    struct thresholds **ret_thresholds, char **ret_message);
void thresholds_free(struct thresholds *thresholds);
/* Milliseconds until the next reading; -1: there is none. */
int thresholds_timeout(const struct thresholds *thresholds);
/*
 * Reads what is due and appends the events. `generation` is that of the devices: with another one
 * than before they are looked for again.
 */
void thresholds_step(struct thresholds *thresholds, unsigned int generation,
		     const struct event_time *time, struct event_list *events);
