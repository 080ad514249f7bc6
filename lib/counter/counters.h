/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads counters of the devices and ports of an inventory, once or repeatedly: netdevs and ports
 * each with one netlink message if netlink answers, else file by file. Only the counters that the
 * request wants are read; counters that are not in the catalogue are included unless only certain
 * ones are wanted.
 *
 * The loader caches which counters exist, so it is valid only as long as the inventory: load both
 * again when devices come or go. It must outlive its readings.
 */
#pragma once

#include "host/inventory/inventory.h"
#include "counter/counter_reading.h"
#include "host/need.h"

struct counters_request {
	const char *root; /* the root of the inventory */
	const struct inventory *inventory;
	unsigned int sources; /* bits 1 << enum counter_source */
	/*
	 * NULL for all counters; else returns whether a counter is wanted. `name` is NULL for one
	 * that is not in the catalogue.
	 */
	bool (*wants)(const void *context, enum counter_source source, const char *kernel_name,
		      const struct counter_name *name);
	const void *context;
	/* Read a counter only once if a place has it twice, or if both agent and driver have it. */
	bool once;
};

enum {
	COUNTERS_ALL_SOURCES = (1 << COUNTER_SOURCES) - 1,
	/* Needs of the inventory for the netdev source. */
	COUNTERS_NEEDS_NETDEV = NEED_NETDEV | NEED_LINK_LIST,
};

struct counter_loader;

/* Returns 0, or -errno if the root cannot be opened. */
int counter_loader_open(const struct counters_request *request, struct counter_loader **ret_loader);
void counter_loader_free(struct counter_loader *loader);
/*
 * Reads one round: appends a reading of each counter, ordered by device and port, then by source,
 * then by the catalogue, followed by the other counters in natural order. The next round has the
 * same order except for counters that came or went. A counter that cannot be read is listed without
 * a value; `problems` gets one line for each object and cause (NULL: not wanted), `notes` the
 * fallbacks that lose nothing.
 */
void counter_loader_read(struct counter_loader *loader, struct counter_readings *readings,
			 struct problems *problems, struct problems *notes);
/*
 * Returns whether the driver has any counter of the port or its device, wanted or not. Valid after
 * a round.
 */
bool counter_loader_counts(const struct counter_loader *loader, const struct device *device,
			   const struct port *port);
