/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/pci/pci.h"

/* Walks up from link to link; between the two ports of a switch there is none. */
static size_t walk_ports(struct pci_function *from, const struct pci_function *common,
			 pci_port_handler *handle, void *context)
{
	size_t count = 0;

	for (struct pci_function *below = from;
	     below && below != common && below->parent && below->parent != common;
	     below = below->parent->parent) {
		handle(context, below->parent, below);
		count++;
	}
	return count;
}

bool pci_for_each_port_between(struct pci_function *a, struct pci_function *b,
			       pci_port_handler *handle, void *context)
{
	const struct pci_function *common = pci_common_ancestor(a, b);
	size_t count;

	if (!common)
		return false;
	count = walk_ports(a, common, handle, context);
	return walk_ports(b, common, handle, context) && count;
}

static void compare_groups(void *context, struct pci_function *port, struct pci_function *below)
{
	const struct pci_function **found = context;

	if (!*found && port->iommu_group.known && below->iommu_group.known &&
	    port->iommu_group.value != below->iommu_group.value)
		*found = below;
}

const struct pci_function *pci_find_redirected(struct pci_function *a, struct pci_function *b)
{
	const struct pci_function *found = NULL;

	return pci_for_each_port_between(a, b, compare_groups, &found) ? found : NULL;
}
