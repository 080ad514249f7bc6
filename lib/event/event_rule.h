/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The user's rules for making events: `3/10m` for flaps, `symbol_error>10/s` for counters. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* More than this number in a period. */
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

/* Parses COUNT/TIME, or 0 for none. Returns 0 or -EINVAL. */
int event_parse_flap(const char *text, unsigned int *ret_count, uint64_t *ret_window_msec);
/*
 * Parses NAME>N/UNIT, several separated by commas; the unit is s, m (or min) or h. Returns 0, or
 * -EINVAL with the bad one in *ret_bad, which the caller frees.
 */
int event_parse_thresholds(const char *text, struct event_threshold_list *ret_list, char **ret_bad);
void event_threshold_list_clear(struct event_threshold_list *list);
