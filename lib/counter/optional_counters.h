/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Optional counters of a port, which can be switched on and off (kernel 5.16, RDMA netlink). While
 * off, a counter does not count and is missing in all readings; while on, it may slow the device
 * down. The list owns the names; device and port are borrowed.
 */
#pragma once

#include "counter/names/counter_names.h"
#include "host/inventory.h"
#include "kernel/nldev.h"

struct optional_counter {
	const struct device *device;
	const struct port *port;
	char *kernel_name;		 /* clean */
	const struct counter_name *name; /* NULL if not in the catalogue */
	struct number index;		 /* the kernel's index, used to switch it */
	enum tristate enabled;
};

struct optional_counters {
	struct optional_counter *items;
	size_t count;
};

extern const struct schema optional_counters_schema;

/* True if the word is its canonical name or the kernel's name. */
bool optional_counter_is(const struct optional_counter *counter, const char *word);
void optional_counters_clear(struct optional_counters *list);
/*
 * Appends the counters of all ports, port by port. An error reply of a port is a problem; that a
 * port has no such counters (or its kernel does not support them) is only a note.
 */
void optional_counters_read(struct netlink *nldev, const struct inventory *inventory,
			    struct optional_counters *list, struct problems *problems,
			    struct problems *notes);
/*
 * Switches the counters of one port to the state in `enabled`; `counters` are all that the port
 * has. Returns 0 or -errno, with the kernel's explanation, if there is one, in *ret_text, freed by
 * the caller.
 */
int optional_counters_switch(struct netlink *nldev, const struct optional_counter *counters,
			     size_t count, char **ret_text);
