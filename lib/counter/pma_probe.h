/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks whether the performance counters of a port may be read at all, by reading one. A
 * restricted function answers each read of a counter with an error and a line in the kernel log, so
 * callers that read counters repeatedly check here first, and leave such a device alone.
 */
#pragma once

#include "host/device.h"
#include "kernel/root.h"
#include "schema/problem.h"

/* Every agent has this counter: see attribute group pma in drivers/infiniband/core/sysfs.c. */
#define PMA_PROBED "symbol_error"

enum pma_state {
	PMA_READABLE,
	PMA_ABSENT,  /* no counters directory: iWARP, EFA, Soft-RoCE */
	PMA_NONE,    /* the files say "N/A (no PMA)" */
	PMA_REFUSED, /* reading fails */
};

/*
 * Returns whether the text means that there is no counter: kernels before 4.20 have the files even
 * where the driver has no agent, with this text in them.
 */
bool pma_text_is_absent(const char *text);
/* Probes a port. *ret_error is the -errno of PMA_REFUSED. */
enum pma_state pma_probe(const struct root *root, const struct port *port, int *ret_error);
/*
 * Returns whether an error of pma_probe() means a restricted function. Needs the device's driver.
 */
bool pma_is_restricted(const struct device *device, int error);
/*
 * Removes the ports of restricted functions from a list, so that nothing reads their counters, and
 * reports it; keeps the values read from the others for the first round of a counter_loader. Needs
 * the drivers. `root` is as for root_open().
 */
void pma_leave_out_restricted(const char *root, struct device_list *devices,
			      struct problems *problems);
