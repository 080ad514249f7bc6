/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The configuration space of a PCI function. Ordinary users can read the first 64 bytes, without
 * any capability; the rest takes CAP_SYS_ADMIN when the file is opened (pci_read_config() of
 * drivers/pci/pci-sysfs.c). Offsets and bits: include/uapi/linux/pci_regs.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/pci/pci.h"

enum {
	PCI_CONFIG_HEADER = 64,	   /* readable by every user */
	PCI_CONFIG_SIZE = 256,	   /* with the capabilities */
	PCI_CONFIG_EXTENDED = 4096 /* with PCI Express extended capabilities */
};

/*
 * Reads at most `most` bytes and returns their number, or -errno. Reading wakes a suspended
 * function, so use this for bridges, and for functions whose driver is active.
 */
ssize_t pci_config_read(const struct root *root, const struct pci_function *function, size_t most,
			uint8_t *bytes);

/*
 * Pure functions, on the `length` bytes that were read. Return 0, or -ENODATA: the function does
 * not have the capability; -EPERM: the bytes end too early to tell; -EOPNOTSUPP: the kernel does
 * not reach the part that has it; -EBADMSG: the list of capabilities is damaged; -ENODEV: all ones,
 * which is what reading a dead function gives.
 */
struct pci_device_control {
	unsigned int max_read_request_bytes;
	bool relaxed_ordering;
};

int pci_config_device_control(const uint8_t *bytes, size_t length, struct pci_device_control *ret);

/* Access control services of a port: bits of its control register. */
enum pci_acs {
	PCI_ACS_SOURCE_VALIDATION = 1 << 0,
	PCI_ACS_REQUEST_REDIRECT = 1 << 2,
	PCI_ACS_COMPLETION_REDIRECT = 1 << 3,
	PCI_ACS_UPSTREAM_FORWARDING = 1 << 4,
	PCI_ACS_DIRECT_TRANSLATED = 1 << 6,
};

int pci_config_acs(const uint8_t *bytes, size_t length, unsigned int *ret_control);
