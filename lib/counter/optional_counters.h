/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Optional counters of a port, which can be switched on and off (kernel 5.16, RDMA netlink). While
 * one is off it counts nothing and is missing in all readings; while it is on it may cost the
 * device some of its speed. The list owns the names; device and port are borrowed.
 */
#pragma once

#include "counter/names/counter_names.h"
#include "host/inventory.h"
#include "kernel/nldev.h"

struct optional_counter {
	const struct device *device;
	const struct port *port;
	char *kernel_name;		 /* clean */
	const struct counter_name *name; /* NULL: not in the catalogue */
	struct number index;		 /* what the kernel switches it by */
	enum tristate enabled;
};

struct optional_counters {
	struct optional_counter *items;
	size_t count;
};

extern const struct schema optional_counters_schema;

/* Whether the word is what it is called, or what the kernel calls it. */
bool optional_counter_is(const struct optional_counter *counter, const char *word);
void optional_counters_clear(struct optional_counters *list);
/*
 * Appends all that the ports have, port by port. What a port answers instead is a problem, but
 * that it has no such counters (or its kernel does not know of any) is only noted.
 */
void optional_counters_read(struct netlink *nldev, const struct inventory *inventory,
			    struct optional_counters *list, struct problems *problems,
			    struct problems *notes);
/*
 * Makes the counters of one port what `enabled` of them says: `counters` are all that the port
 * has. 0 or -errno, with the kernel's words, if it has any, in *ret_text, freed by the caller.
 */
int optional_counters_switch(struct netlink *nldev, const struct optional_counter *counters,
			     size_t count, char **ret_text);
