/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel drivers of RDMA hardware: the driver of the PCI function, and the module of its RDMA
 * half. The table also covers functions without a driver, by vendor and device ID.
 */
#pragma once

#include <stdbool.h>

#include "host/pci/pci.h"

struct rdma_driver {
	const char *driver; /* of the PCI function; its module has the same name */
	/*
	 * The module that creates RDMA devices for such functions; the same one if the function's
	 * driver does this itself.
	 */
	const char *module;
	const char *former; /* the module that older kernels have instead, or NULL */
	/*
	 * Not every function of this driver has RDMA, or the firmware can disable it. The driver
	 * makes an auxiliary device for the RDMA half if there is one.
	 */
	bool optional;
	/* Only functions whose IDs are in the table have RDMA: X722, but not X710. */
	bool listed_only;
	/* uverbs ABI versions of the kernel that the provider of rdma-core 65 accepts. */
	unsigned int min_abi, max_abi;
};

enum { RDMA_ABI_ANY = 1 << 30 };

/* Look up a row by its driver; NULL: no RDMA driver. */
const struct rdma_driver *rdma_driver_find(const char *driver);
/* By the driver, or by the module of the RDMA half: mlx5_core, mlx5_ib, rdma_rxe. */
const struct rdma_driver *rdma_driver_of_module(const char *module);
const struct rdma_driver *rdma_driver_of_id(unsigned int vendor, unsigned int device);
/*
 * Returns the driver bound to the function, if it is one of these; else the one that the function's
 * IDs or class call for, whatever is bound (vfio-pci, or nothing). NULL: the function has no RDMA.
 * Reads PCI_ID and PCI_DRIVER of the function.
 */
const struct rdma_driver *rdma_driver_of(const struct root *root, struct pci_function *function,
					 struct problems *problems);

/*
 * Whether it is a virtual function: by its link physfn, or, in a virtual machine, by the IDs of
 * mlx4 and mlx5. Other drivers' IDs do not show it there. Reads PCI_ID and PCI_VIRTUAL.
 */
bool rdma_is_virtual(const struct root *root, struct pci_function *function,
		     struct problems *problems);
/*
 * Whether an auxiliary device with that name is the RDMA half of its parent: mlx5_core.rdma.0,
 * ice.roce.1, mlx4_core.ib.0.
 */
bool rdma_is_auxiliary(const char *name);
