/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counters with a limit on their growth: reads them once per period, which is the only timer of
 * watching unless it has to poll, and makes an event of each that begins to exceed its limit.
 * Borrows root, objects and limits. Also parses the user's rules: `symbol_error>10/s` for counters,
 * `3/10m` for flaps.
 */
#pragma once

#include "host/object.h"
#include "event/event_state.h"

/* A limit: more than `count` in a period. */
struct event_threshold {
	char *name;
	double count;
	uint64_t period_msec;
};

struct event_threshold_list {
	struct event_threshold *items;
	size_t count;
};

/* Parses COUNT/TIME, or 0 for none. Returns 0 or -EINVAL. */
int event_parse_flap(const char *text, unsigned int *ret_count, uint64_t *ret_window_msec);
/*
 * Parses NAME>N/UNIT, several separated by commas; the unit is s, m (or min) or h. Returns 0, or
 * -EINVAL with the invalid rule in *ret_bad, which the caller frees.
 */
int event_parse_thresholds(const char *text, struct event_threshold_list *ret_list, char **ret_bad);
void event_threshold_list_clear(struct event_threshold_list *list);

struct thresholds;

/*
 * Takes the first reading, from a root or, with NULL, the live system. Returns 0 or -errno: -ENOENT
 * for a counter that no watched object has, with a message in *ret_message, which the caller frees.
 * A restricted function is left alone and reported as a problem. All functions below accept NULL.
 */
int thresholds_open(const char *root, const struct objects *objects,
		    const struct event_threshold_list *limits, struct thresholds **ret_thresholds,
		    char **ret_message, struct problems *problems);
void thresholds_free(struct thresholds *thresholds);
/* Returns the milliseconds until the next reading; -1 if there is none. */
int thresholds_timeout(const struct thresholds *thresholds);
/*
 * Reads the counters that are due and appends the events. `generation` is the watcher's: if it has
 * changed, the devices are listed again, and counters that still exist count on. `state` has the
 * watched devices, to find those that have been renamed since they were named. `problems` gets the
 * restricted functions each time the devices are listed.
 */
void thresholds_step(struct thresholds *thresholds, const struct event_state *state,
		     unsigned int generation, const struct event_time *time,
		     struct event_list *events, struct problems *problems);
