/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counters of Advanced Error Reporting, since Linux 4.19, for each function that has the capability
 * (Documentation/ABI/testing/sysfs-bus-pci-devices-aer_stats). The end of a link that detects an
 * error counts it, which need not be the end that causes it.
 */
#pragma once

#include <stdint.h>

#include "host/pci/pci.h"

enum pci_aer { PCI_AER_CORRECTABLE, PCI_AER_NONFATAL, PCI_AER_FATAL, PCI_AER_FILES };

extern const char *const pci_aer_files[PCI_AER_FILES]; /* aer_dev_fatal ... */

typedef void pci_aer_handler(void *context, const char *name, uint64_t count);

/*
 * Reads one of the files and passes on its lines. Returns 0 or -errno; -ENOENT: the function does
 * not count errors; -EINVAL: a line is malformed, after the earlier ones have been passed on.
 */
int pci_aer_read(const struct root *root, const struct pci_function *function, enum pci_aer file,
		 pci_aer_handler *handle, void *context);
/*
 * Pure function, which cuts the text into pieces. A line is a name and a number; in older kernels
 * names contain blanks. The last line, TOTAL_ERR_..., counts messages, not errors.
 */
int pci_aer_parse(char *text, pci_aer_handler *handle, void *context);
