/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel drivers of RDMA hardware: the driver of the PCI function, and the module of its RDMA
 * half. The table answers for functions without a driver, too, by vendor
 * and device ID.
 */
#pragma once

#include <stdbool.h>

#include "host/pci/pci.h"

struct rdma_driver {
	const char *driver; /* of the PCI function: its module has the same name */
	/*
	 * The module that makes RDMA devices of such functions; the same one if the driver of the
	 * function does so itself.
	 */
	const char *module;
	/*
	 * Not every function of this driver has RDMA, or RDMA can be switched off in the firmware.
	 * Whether there is any is seen by the auxiliary device that the driver makes for it.
	 */
	bool optional;
	/* Only functions whose IDs are in the table have RDMA: X722, but not X710. */
	bool listed_only;
	/* The kernel's range of uverbs ABI versions that the provider of rdma-core 65 accepts. */
	unsigned int min_abi, max_abi;
};

enum { RDMA_ABI_ANY = 1 << 30 };

/* The rows by what they are known by; NULL: no RDMA driver. */
const struct rdma_driver *rdma_driver_find(const char *driver);
/* By the driver or the module of the RDMA half: mlx5_core, mlx5_ib, rdma_rxe. */
const struct rdma_driver *rdma_driver_of_module(const char *module);
const struct rdma_driver *rdma_driver_of_id(unsigned int vendor, unsigned int device);
/*
 * The driver that is bound to the function, if it is one of these; else the one that its IDs or its
 * class call for, whatever is bound (vfio-pci, or nothing). NULL: the function has no RDMA. Reads
 * PCI_ID and PCI_DRIVER of the function.
 */
const struct rdma_driver *rdma_driver_of(const struct root *root, struct pci_function *function,
					 struct problems *problems);

/*
 * Whether an auxiliary device of that name is the RDMA half of its parent: mlx5_core.rdma.0,
 * ice.roce.1, mlx4_core.ib.0.
 */
bool rdma_is_auxiliary(const char *name);
