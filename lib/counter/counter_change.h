/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How much and how fast counters grew between two readings, as shown by the schema `counter_rates`.
 * If growth cannot be determined, the state gives the reason and the growth is unknown: it is never
 * negative nor absurdly large. A change borrows everything from the two readings, and `time` from
 * the caller.
 */
#pragma once

#include "counter/counter_reading.h"

enum counter_change_state {
	CHANGE_COUNTED,	   /* growth is known */
	CHANGE_GAUGE,	   /* goes up and down: has a value but no rate */
	CHANGE_SATURATED,  /* at its maximum: it has stopped counting */
	CHANGE_CLEARED,	   /* decreased: it was reset or wrapped around */
	CHANGE_REPLACED,   /* another device has the name, or the device was added again */
	CHANGE_RESTARTED,  /* the host was restarted, which resets all counters */
	CHANGE_NEW,	   /* had no value before */
	CHANGE_GONE,	   /* existed before and does not now */
	CHANGE_UNREADABLE, /* has no value now */
};

struct counter_change {
	struct counter_reading
		reading; /* the later one, or the earlier one if the counter is gone */
	char *time;	 /* of the later reading, RFC 3339 */
	struct number before, value, growth;
	struct number state; /* enum counter_change_state */
	struct real interval_sec;
	struct real rate_per_sec;    /* growth per second, in the counter's unit */
	struct real gbps;	     /* for bytes, the same in 10^9 bits per second */
	struct real percent_of_rate; /* that rate as a percentage of the active rate of the port */
};

struct counter_changes {
	struct counter_change *items;
	size_t count;
};

extern const struct enum_name counter_change_names[];
extern const struct schema counter_rates_schema;

struct counter_interval {
	char *time;
	double seconds; /* 0 if unknown; all rates are unknown then */
	bool restarted; /* the host was restarted in between */
};

/* True if another device has the name now, or the device was removed and added again. */
bool counter_device_is_replaced(const struct device *before, const struct device *after);
/*
 * Appends one change for each counter of `after`, in its order, with the missing counters of
 * `before` inserted at their old positions.
 */
void counter_changes_make(struct counter_changes *changes, const struct counter_readings *before,
			  const struct counter_readings *after,
			  const struct counter_interval *interval);
/* Returns the weight of a change, 1 to 3, for when not all fit; 0 if nothing moved. */
unsigned int counter_change_rank(const struct counter_change *change);
void counter_changes_clear(struct counter_changes *changes);
