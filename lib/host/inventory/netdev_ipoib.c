/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The IPoIB netdevs of InfiniBand ports, by the port GUID that their addresses have. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/device.h"
#include "host/inventory/reading.h"
#include "host/need.h"
#include "host/netdev.h"

bool wants_ipoib(const struct reading *reading)
{
	for_each_port (device, port, &reading->inventory->devices)
		if (port_is_infiniband(port))
			return true;
	return false;
}

/* Sub-devices of a multi-plane port share its port GUID; only the first one has the netdev. */
static bool is_taken(const struct device_list *list, const struct port *port,
		     const struct link *link)
{
	for_each_port (device, other, list)
		if (other != port && other->netdev_index.known && link->index.known &&
		    other->netdev_index.value == link->index.value)
			return true;
	return false;
}

/* True if an earlier, unreadable device of the same PCI function may have that netdev. */
static bool may_be_taken(const struct device_list *list, const struct device *device)
{
	for (const struct device *other = list->items; other != device; other++) {
		if (!other->pci_address || !device->pci_address ||
		    strcmp(other->pci_address, device->pci_address) != 0)
			continue;
		if (other->ports_unknown)
			return true;
		for (size_t i = 0; i < other->port_count; i++)
			if (!other->ports[i].link_layer.known ||
			    (port_is_infiniband(&other->ports[i]) &&
			     !other->ports[i].port_guid.known))
				return true;
	}
	return false;
}

/*
 * Prefers the parent of P_Key children, which is the port's netdev. A child is used only if the
 * parent is known to be in another namespace. Skips the netdevs of `others` ports before this one.
 */
static const struct link *find_ipoib(const struct inventory *inventory, const struct port *port,
				     size_t others)
{
	const struct link_list *links = &inventory->links;

	for (int children = 0; children < (links->incomplete ? 1 : 2); children++)
		for (size_t i = 0; i < links->count; i++) {
			const struct link *link = &links->items[i];

			if (link->lower_index.known != children || !link_is_ipoib_of(link, port) ||
			    is_taken(&inventory->devices, port, link))
				continue;
			if (!others--)
				return link;
		}
	return NULL;
}

void read_unlisted_guids(struct reading *reading)
{
	const struct device_list *list = &reading->inventory->devices;
	struct device_list *all = &reading->unlisted;

	device_list_sysfs(&reading->root, all);
	for (size_t i = 0; i < all->count; i++) {
		struct device *device = &all->items[i];
		const struct device *listed = device_list_find(list, device->name);

		device_list_ports_sysfs(&reading->root, device, NULL);
		for (size_t j = 0; j < device->port_count; j++) {
			struct port *port = &device->ports[j];

			if (!listed || !device_port(listed, (unsigned int)port->port.value))
				port_read_sysfs(&reading->root, port, NEED_PORT_GUID, NULL);
		}
	}
}

/* Counts the ports before this one that have the same GUID and were not requested. */
static size_t count_unlisted(const struct device_list *all, const struct port *port)
{
	size_t count = 0;

	for_each_port (device, other, all) {
		if (!strcmp(other->device, port->device) && other->port.value == port->port.value)
			return count;
		count += other->port_guid.known && other->port_guid.value == port->port_guid.value;
	}
	return count;
}

static bool may_share_function(const struct device *a, const struct device *b)
{
	return !a->pci_address || !b->pci_address || !strcmp(a->pci_address, b->pci_address);
}

/* True if the netdevs with this GUID are those of an earlier port, as on a multi-plane adapter. */
static bool is_later_plane(const struct reading *reading, const struct device *device,
			   const struct port *port)
{
	for_each_port (earlier, other, &reading->inventory->devices) {
		if (other == port)
			return count_unlisted(&reading->unlisted, port);
		if (other->port_guid.known && other->port_guid.value == port->port_guid.value &&
		    may_share_function(earlier, device))
			return true;
	}
	return false;
}

/*
 * True if the PCI function may have netdevs in other network namespaces than that of the links. The
 * folder exists only as long as it has a netdev, and lists those of the namespace for which sysfs
 * is mounted: in a container that may be the host's.
 */
static bool has_hidden_netdevs(const struct reading *reading, const struct device *device)
{
	_cleanup_(strings_free) struct strings names = {.known = false};
	int rc = sysfs_list(&reading->root, &names, SYSFS_RDMA_CLASS "/%s/device/net",
			    device->kernel_name);

	for (size_t i = 0; i < names.count; i++)
		if (!link_by_name(&reading->inventory->links, names.items[i]))
			return true;
	return rc != -ENOENT && !names.count;
}

void resolve_ipoib(const struct reading *reading, const struct device *device, struct port *port)
{
	const struct inventory *inventory = reading->inventory;
	const struct link *link;

	/* If the GUID was needed, it has been read or its failure reported. */
	if (!(reading->needs & NEED_PORT_GUID))
		port_read_sysfs(&reading->root, port, NEED_PORT_GUID, reading->problems);
	link = find_ipoib(inventory, port, count_unlisted(&reading->unlisted, port));
	port->netdev_unknown = link ? may_be_taken(&inventory->devices, device)
				    : !port->port_guid.known || inventory->links.incomplete ||
					       (!is_later_plane(reading, device, port) &&
						has_hidden_netdevs(reading, device));
	if (link && !port->netdev_unknown) {
		port->netdev = mem_string(link->name);
		port->netdev_index = link->index;
	}
}
