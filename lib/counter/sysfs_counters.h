/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The counters of a port in sysfs: of the performance management agent (ports/N/counters) and of
 * the driver (ports/N/hw_counters, hw_counters). Drivers tell them from a cache that they renew
 * after `lifespan`, usually 10 ms: readings that are closer together may be the same.
 */
#pragma once

#include "counter/counter.h"
#include "kernel/sysfs.h"

/*
 * Fills an empty list; `device` is the kernel's name. Left out is what is no number now (a port
 * without performance management says "N/A (no PMA)") or cannot be read, what is a setting, and a
 * counter of the device that the port has, too. 0 also if there is none at all, as with siw.
 * -ENODEV: there is no such port (any more).
 */
int sysfs_counters_read(const struct root *root, const char *device, unsigned int port,
			struct counter_list *ret_list);
