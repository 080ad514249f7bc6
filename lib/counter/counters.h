/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads counters of the devices and ports of an inventory, once or again and again: of netdevs and
 * ports in one netlink message each where that answers, else file by file. Only what the request
 * wants is read; what is not in the catalogue is read unless only certain counters are wanted.
 *
 * The loader remembers which counters there are, so it serves as long as the inventory holds: load
 * both again when devices come or go. It must outlive its readings.
 */
#pragma once

#include "host/inventory.h"
#include "counter/counter_reading.h"
#include "host/need.h"

struct counters_request {
	const char *root; /* the inventory's */
	const struct inventory *inventory;
	unsigned int sources; /* bits 1 << enum counter_source */
	/*
	 * NULL: everything. Else whether a counter is wanted; `name` is NULL for one that is not in
	 * the catalogue.
	 */
	bool (*wants)(const void *context, enum counter_source source, const char *kernel_name,
		      const struct counter_name *name);
	const void *context;
};

enum {
	COUNTERS_ALL_SOURCES = (1 << COUNTER_SOURCES) - 1,
	/* Needs of the inventory for the netdev source. */
	COUNTERS_NEEDS_NETDEV = NEED_NETDEV | NEED_LINKS,
};

struct counter_loader;

/* 0, or -errno if the root cannot be opened. */
int counter_loader_open(const struct counters_request *request, struct counter_loader **ret_loader);
void counter_loader_free(struct counter_loader *loader);
/*
 * One round: appends a reading of each counter, in the order of devices and ports, and of those
 * by source, then as the catalogue has them, followed by the others in natural order. The order
 * of the next round is the same, but for what came or went. A counter that cannot be read is there
 * without a value; `problems` gets one line for each object and cause (NULL: not wanted), `notes`
 * what was done instead where nothing is lost.
 */
void counter_loader_read(struct counter_loader *loader, struct counter_readings *readings,
			 struct problems *problems, struct problems *notes);
/* Whether the driver counts anything of a port, or of its device, wanted or not; after a round. */
bool counter_loader_counts(const struct counter_loader *loader, const struct port *port);
