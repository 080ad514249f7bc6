/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Whether a PCIe switch lets two functions below it reach each other directly, or its ports
 * redirect their requests up to the host bridge: access control services (ACS).
 */
#pragma once

#include "host/pci/pci.h"

/*
 * Passes on the ports between the two functions and the nearest function above both, each with the
 * function or upstream port below it. Returns false if there is none: no switch is above both.
 */
typedef void pci_port_handler(void *context, struct pci_function *port, struct pci_function *below);
bool pci_for_each_port_between(struct pci_function *a, struct pci_function *b,
			       pci_port_handler *handle, void *context);

/*
 * What IOMMU groups show about redirection, to every user. pci_device_group() of
 * drivers/iommu/iommu.c puts a function into the group of the port above it unless all of SV, RR,
 * CR and UF are on from there to the root. So a group that differs from the port's proves that they
 * were on when the kernel made the groups (or that a quirk in the kernel declares the port
 * isolating). A common group, or none, proves nothing. Neither do different groups of the two
 * functions: without ACS each shares the group of the port above it. Returns the function or
 * upstream port whose group differs from that of the port above it, or NULL. Needs PCI_IOMMU of the
 * functions and the ports.
 */
const struct pci_function *pci_find_redirected(struct pci_function *a, struct pci_function *b);
