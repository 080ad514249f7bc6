/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the user says when to make an event of: `3/10m` of flaps, `symbol_error>10/s` of counters.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* More than so many in a period. */
struct event_threshold {
	char *name;
	double count;
	uint64_t period_msec;
};

struct event_threshold_list {
	struct event_threshold *items;
	size_t count;
};

enum { EVENT_FLAPS_MOST = 1000 };

/* COUNT/TIME, or 0: none. 0 or -EINVAL. */
int event_parse_flap(const char *text, unsigned int *ret_count, uint64_t *ret_window_msec);
/*
 * NAME>N/UNIT, several with commas between; the unit is s, m (or min) or h. 0, or -EINVAL with the
 * bad one in *ret_bad, which the caller frees.
 */
int event_parse_thresholds(const char *text, struct event_threshold_list *ret_list, char **ret_bad);
void event_threshold_list_clear(struct event_threshold_list *list);
