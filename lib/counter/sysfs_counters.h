/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The counters of a port in sysfs: those of the performance management agent (ports/N/counters) and
 * of the driver (ports/N/hw_counters, hw_counters). Drivers report them from a cache that they
 * refresh after `lifespan`, usually 10 ms: readings closer together may be the same.
 */
#pragma once

#include "counter/counter.h"
#include "kernel/sysfs.h"

/*
 * Fills an empty list; `device` is the kernel's name. Values that are not a number now (a port
 * without performance management says "N/A (no PMA)") or cannot be read are left out, as are
 * settings, and device counters that the port also has. Returns 0 even if there is none at all, as
 * with siw; -ENODEV if the port does not exist, or no longer.
 */
int sysfs_counters_read(const struct root *root, const char *device, unsigned int port,
			struct counter_list *ret_list);
