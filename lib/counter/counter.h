/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Readings of a port's counters, and the differences between two of them. A list owns its names;
 * {0} is an empty list.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "counter/names/counter_names.h"
#include "kernel/sysfs.h"

struct counter {
	char *name; /* clean */
	uint64_t value;
};

struct counter_list {
	struct counter *items;
	size_t count;
};

/* A sum is unknown if the port has no counter of the class. COUNTER_OTHER is not summed. */
struct counter_sums {
	struct number by_class[COUNTER_CLASSES];
};

void counter_list_add(struct counter_list *list, const char *name, uint64_t value);
/* Does the same, and takes ownership of the name. */
void counter_list_take(struct counter_list *list, char *name, uint64_t value);
/* Returns NULL if the counter is not in the list. */
const struct counter *counter_list_find(const struct counter_list *list, const char *name);
void counter_list_clear(struct counter_list *list);
/*
 * Computes the growth of each counter that both lists have, zeros included, in the order of
 * `after`. Omits a counter that decreased (it was cleared, or it wrapped around at an unknown
 * width) and one that is saturated at the maximum of its width.
 */
void counter_list_difference(const struct counter_list *before, const struct counter_list *after,
			     struct counter_list *ret_list);
/* Adds up the classes, usually of a difference. */
struct counter_sums counter_list_sum(const struct counter_list *list);
/* Returns the sums of the difference between the two readings. */
struct counter_sums counter_list_growth(const struct counter_list *before,
					const struct counter_list *after);

/*
 * Fills an empty list with the counters of a port in sysfs: those of the performance management
 * agent (ports/N/counters) and of the driver (ports/N/hw_counters, hw_counters); `device` is the
 * kernel's name. Drivers report them from a cache that they refresh after `lifespan`, usually 10
 * ms: readings closer together may be identical. Omits values that are not a number now (a port
 * without performance management says "N/A (no PMA)") or cannot be read, settings, and device
 * counters that the port also has. Returns 0 even if there are no counters at all, as with siw;
 * -ENODEV if the port does not exist, or no longer.
 */
int sysfs_counters_read(const struct root *root, const char *device, unsigned int port,
			struct counter_list *ret_list);
