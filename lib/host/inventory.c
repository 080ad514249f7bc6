/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/inventory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/local.h"
#include "mad/format/codes.h"
#include "host/need.h"
#include "host/sysfs_rdma.h"

/* What RDMA netlink tells of every device: sysfs has no more of it. */
enum { NEED_GET = NEED_NODE_TYPE | NEED_FIRMWARE | NEED_GUIDS };
/* What its PORT_GET tells. */
enum { NEED_PORT_GET = NEED_STATE | NEED_PHYSICAL_STATE | NEED_LID | NEED_CAP_MASK | NEED_NETDEV };

/* Needs that stand on others. */
static unsigned int widen(unsigned int needs, bool live)
{
	if (needs & NEED_CAPS)
		needs |= NEED_BOARD | NEED_TRANSPORT | NEED_NODE_TYPE | NEED_LINK_LAYER;
	if (needs & NEED_TRANSPORT)
		needs |= NEED_NODE_TYPE | NEED_LINK_LAYER;
	if (needs & NEED_GIDS)
		needs |= NEED_LINK_LAYER | NEED_TRANSPORT | NEED_NODE_TYPE;
	if (needs & NEED_GID_NETDEVS)
		needs |= NEED_NETDEV | NEED_LINKS;
	if (needs & NEED_NETDEV)
		needs |= NEED_LINK_LAYER;
	/* Omni-Path is told by its driver where there is no netlink to tell it. */
	if (needs & NEED_TRANSPORT && !live)
		needs |= NEED_DRIVER;
	if (needs & NEED_DRIVER)
		needs |= NEED_NODE_TYPE;
	/* Only a saved tree's names of netdevs have to be checked: netlink knows the namespace. */
	if (needs & NEED_NETDEV && !live)
		needs |= NEED_LINKS | NEED_PCI_ADDRESS;
	return needs;
}

static void note_absence(const struct local *local, bool core)
{
	struct problems *problems = local->problems;

	if (!local->root.live)
		problem_add_text(problems, NULL, NULL, "sysfs",
				 core ? "no RDMA device in the saved tree"
				      : "no sys/class/infiniband in the saved tree",
				 "--root and RDMACTL_ROOT take the directory that holds sys/");
	else if (core)
		problem_add_text(
			problems, NULL, NULL, "sysfs", "no RDMA device",
			"load the adapter's RDMA driver (mlx5_ib, irdma, bnxt_re ...), or: "
			"rdma link add rxe0 type rxe netdev IF");
	else
		problem_add_text(
			problems, NULL, NULL, "sysfs",
			"this system has no RDMA core: no /sys/class/infiniband",
			"load the adapter's RDMA driver (mlx5_ib, irdma, bnxt_re, rdma_rxe "
			"...)");
}

/* Devices by RDMA netlink, or by the class directory where that does not answer. */
static int list_devices(struct local *local)
{
	struct inventory *inventory = local->inventory;
	int rc;

	rc = sysfs_rdma_find_core(&local->root);
	if (rc == -ENOENT) {
		note_absence(local, false);
		return -ENODEV;
	}
	if (local->root.live) {
		rc = nldev_open(&local->nldev);
		if (!rc)
			rc = nldev_get_devices(local->nldev, &inventory->devices);
		if (!rc && inventory->devices.count)
			return 0;
		if (rc)
			problem_add(local->notes, NULL, "devices", "nldev", rc, "sysfs is used");
		netlink_free(local->nldev);
		local->nldev = NULL;
		device_list_clear(&inventory->devices);
	}
	rc = sysfs_rdma_list(&local->root, &inventory->devices);
	if (rc) {
		problem_add(local->problems, NULL, "devices", "sysfs", rc, NULL);
		return -EIO;
	}
	if (!inventory->devices.count)
		note_absence(local, true);
	return inventory->devices.count ? 0 : -ENODEV;
}

static void port_failed(void *context, const struct port *port, int error, const char *text)
{
	struct local *local = context;
	_cleanup_(freep) char *object = mem_format("%s/%u", port->device,
						   (unsigned int)port->port.value);

	/* sysfs has the same facts; if it fails as well, that is the problem to report. */
	problem_add(local->notes, object, "port", "nldev", error, text);
}

/*
 * The protocol that netlink tells is the first port's (fill_dev_info(), core/nldev.c): of a device
 * with more than one, sysfs has the others' link layer.
 */
static void derive_link_layer(struct device *device)
{
	static const struct enum_name protocols[] = {
		{LINK_LAYER_INFINIBAND, "ib"},
		{LINK_LAYER_INFINIBAND, "opa"},
		{LINK_LAYER_ETHERNET, "roce"},
		{LINK_LAYER_ETHERNET, "iw"},
		{0, NULL},
	};
	const struct enum_name *name = device->protocol
					       ? enum_find_word(protocols, device->protocol)
					       : NULL;

	if (name && device->port_count)
		number_set(&device->ports[0].link_layer, name->value);
}

static void read_ports(struct local *local)
{
	struct inventory *inventory = local->inventory;

	if (local->nldev && local->needs & NEED_PORT_GET)
		nldev_get_ports(local->nldev, &inventory->devices, port_failed, local);
	for (size_t i = 0; i < inventory->devices.count; i++)
		for (size_t j = 0; j < inventory->devices.items[i].port_count; j++)
			sysfs_rdma_read_port(&local->root, &inventory->devices.items[i].ports[j],
					     local->needs & ~(unsigned int)NEED_RATE,
					     local->problems);
}

/*
 * A software device has no driver link. Of such drivers the kernel has two, drivers/infiniband/sw:
 * rdma_rxe for RoCE and siw for iWARP.
 */
static void find_software_drivers(struct local *local)
{
	const bool rxe = sysfs_has_directory(&local->root, "sys/module/rdma_rxe");
	const bool siw = sysfs_has_directory(&local->root, "sys/module/siw");
	struct device_list *list = &local->inventory->devices;

	for (size_t i = 0; i < list->count; i++) {
		struct device *device = &list->items[i];

		if (device->driver || !device->software || !device->node_type.known)
			continue;
		if (siw && device->node_type.value == NODE_TYPE_RNIC)
			device->driver = mem_string("siw");
		else if (rxe && device->node_type.value == NODE_TYPE_CA)
			device->driver = mem_string("rdma_rxe");
	}
}

static bool is_driver_missing(const struct device_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (!list->items[i].driver)
			return true;
	return false;
}

/*
 * What has no driver link and is neither of them: its verbs provider has the name. The request
 * makes the kernel load ib_uverbs (ib_get_client_nl_info(), core/device.c): only if it is there
 * already.
 */
static void read_providers(struct local *local)
{
	struct device_list *list = &local->inventory->devices;

	if (!local->nldev || !sysfs_has_directory(&local->root, "sys/class/infiniband_verbs"))
		return;
	nldev_get_uverbs(local->nldev, list);
	for (size_t i = 0; i < list->count; i++) {
		struct device *device = &list->items[i];
		const struct enum_name *name = enum_find(driver_id_names, device->driver_id.value);

		if (!device->driver && device->driver_id.known && name)
			device->driver = mem_string(name->word);
	}
}

static void read_devices(struct local *local)
{
	struct device_list *list = &local->inventory->devices;

	for (size_t i = 0; i < list->count; i++) {
		struct device *device = &list->items[i];

		if (local->nldev)
			strings_add(&device->sources, "nldev");
		derive_link_layer(device);
		sysfs_rdma_read_device(&local->root, device,
				       local->nldev ? local->needs & ~(unsigned int)NEED_GET
						    : local->needs,
				       local->problems);
	}
	if (local->needs & NEED_DRIVER && is_driver_missing(list))
		find_software_drivers(local);
	if (local->needs & NEED_DRIVER && is_driver_missing(list))
		read_providers(local);
	if (local->needs & NEED_CHARDEVS)
		sysfs_rdma_read_chardevs(&local->root, list, local->problems);
}

/*
 * The rate is sysfs' to tell, but it costs a query of the port for each file, and verbs have it in
 * the same query as the MTU: so where that is asked for, sysfs comes second.
 */
static void read_rates(struct local *local)
{
	struct device_list *list = &local->inventory->devices;

	for (size_t i = 0; i < list->count; i++)
		for (size_t j = 0; j < list->items[i].port_count; j++)
			sysfs_rdma_read_port(&local->root, &list->items[i].ports[j],
					     local->needs & NEED_RATE, local->problems);
}

static void read_pkeys(struct local *local)
{
	struct device_list *list = &local->inventory->devices;

	for (size_t i = 0; i < list->count; i++)
		for (size_t j = 0; j < list->items[i].port_count; j++)
			sysfs_rdma_read_pkeys(&local->root, &list->items[i].ports[j],
					      local->problems);
}

static int load(struct local *local, const struct inventory_request *request)
{
	struct inventory *inventory = local->inventory;
	int rc = list_devices(local);

	if (rc)
		return rc;
	objects_filter_devices(request->objects, &inventory->devices, local->problems);
	for (size_t i = 0; !local->nldev && i < inventory->devices.count; i++)
		sysfs_rdma_list_ports(&local->root, &inventory->devices.items[i], local->problems);
	device_list_sort(&inventory->devices);
	if (!objects_filter_ports(request->objects, &inventory->devices, local->problems))
		return -ENODEV;
	read_devices(local);
	read_ports(local);
	for (size_t i = 0; i < inventory->devices.count; i++)
		device_derive_transport(&inventory->devices.items[i]);
	if (local->needs & (NEED_GIDS | NEED_MTU | NEED_CAPS))
		local_read_verbs(local, request);
	read_rates(local);
	if (local->needs & NEED_PKEYS)
		read_pkeys(local);
	local_read_netdevs(local);
	return 0;
}

int inventory_load(struct inventory *inventory, const struct inventory_request *request,
		   struct problems *problems, struct problems *notes)
{
	struct local local = {
		.inventory = inventory,
		.problems = problems,
		.notes = notes,
		.root = {.fd = -1},
		.asked = request->needs,
	};
	int rc;

	*inventory = (struct inventory){.live = !request->root};
	rc = root_open(request->root, &local.root);
	if (rc)
		return rc;
	local.needs = widen(request->needs, inventory->live);
	rc = load(&local, request);
	netlink_free(local.nldev);
	netlink_free(local.rtnl);
	root_close(&local.root);
	return rc;
}

void inventory_free(struct inventory *inventory)
{
	for (size_t i = 0; i < inventory->caps_count; i++)
		caps_clear(&inventory->caps[i]);
	free(inventory->caps);
	device_list_clear(&inventory->devices);
	link_list_clear(&inventory->links);
	link_address_list_clear(&inventory->addresses);
}

static void add_port_names(const struct root *root, struct strings *names, const char *device)
{
	struct strings numbers = {0};

	if (sysfs_list(root, &numbers, "sys/class/infiniband/%s/ports", device))
		return;
	for (size_t i = 0; i < numbers.count; i++) {
		_cleanup_(freep) char *name = mem_format("%s/%s", device, numbers.items[i]);

		strings_add(names, name);
	}
	strings_free(&numbers);
}

void inventory_names(const char *root_directory, bool ports, struct strings *ret_names)
{
	struct root root;

	*ret_names = (struct strings){.known = true};
	if (root_open(root_directory, &root))
		return;
	sysfs_rdma_names(&root, ret_names);
	for (size_t i = 0, devices = ret_names->count; ports && i < devices; i++)
		add_port_names(&root, ret_names, ret_names->items[i]);
	root_close(&root);
}

void inventory_netdev_names(const char *root_directory, struct strings *ret_names)
{
	struct root root;

	*ret_names = (struct strings){.known = true};
	if (root_open(root_directory, &root))
		return;
	sysfs_list(&root, ret_names, "sys/class/net");
	root_close(&root);
}
