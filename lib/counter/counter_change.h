/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How much and how fast counters grew between two readings of them, as the
 * schema `counter_rates` prints it. A counter that cannot be said to have grown has a state that
 * tells why, and no growth: never a negative one, never a huge one. A change borrows everything
 * from the two readings, and `time` from the caller.
 */
#pragma once

#include "counter/counter_reading.h"

enum counter_change_state {
	CHANGE_COUNTED,	   /* growth is known */
	CHANGE_GAUGE,	   /* goes up and down: its value is what it says */
	CHANGE_SATURATED,  /* at its maximum: it has stopped counting */
	CHANGE_CLEARED,	   /* went back: somebody reset it, or it came round */
	CHANGE_REPLACED,   /* another device has the name now, or the device was added again */
	CHANGE_RESTARTED,  /* the host was restarted: all counters started again */
	CHANGE_NEW,	   /* had no value before */
	CHANGE_GONE,	   /* has been there before, and is no more */
	CHANGE_UNREADABLE, /* has no value now */
};

struct counter_change {
	struct counter_reading reading; /* the later one, or the earlier of one that is gone */
	char *time;			/* of the later reading, RFC 3339 */
	struct number before, value, growth;
	struct number state; /* enum counter_change_state */
	struct real interval_sec;
	struct real rate_per_sec;    /* growth a second, in the counter's unit */
	struct real gbps;	     /* the same of bytes, in 10^9 bits */
	struct real percent_of_rate; /* and in proportion to the active rate of the port */
};

struct counter_changes {
	struct counter_change *items;
	size_t count;
};

extern const struct enum_name counter_change_names[];
extern const struct schema counter_rates_schema;

struct counter_interval {
	char *time;
	double seconds; /* 0: not known, and so are all rates */
	bool restarted; /* the host, in between */
};

/*
 * Appends one change for each counter of `after`, in its order, and among them, where they stood,
 * those of `before` that are gone.
 */
void counter_changes_make(struct counter_changes *changes, const struct counter_readings *before,
			  const struct counter_readings *after,
			  const struct counter_interval *interval);
void counter_changes_clear(struct counter_changes *changes);
