/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/inventory/inventory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/inventory/reading.h"
#include "mad/format/codes.h"
#include "host/need.h"
#include "host/device.h"

/* Facts that RDMA netlink reports for every device, as completely as sysfs. */
enum { NEED_GET = NEED_NODE_TYPE | NEED_FIRMWARE | NEED_GUIDS };
/* Facts from PORT_GET of RDMA netlink. */
enum { NEED_PORT_GET = NEED_STATE | NEED_PHYSICAL_STATE | NEED_LID | NEED_CAP_MASK | NEED_NETDEV };

static void note_absence(const struct reading *reading, bool core)
{
	struct problems *problems = reading->problems;
	const bool adapters = note_adapters(&reading->root, problems);

	if (!reading->root.live)
		problem_add_text(problems, NULL, NULL, "sysfs",
				 core ? "no RDMA device in the saved tree"
				      : "no sys/class/infiniband in the saved tree",
				 sysfs_has_directory(&reading->root, "sys")
					 ? NULL
					 : "--root and RDMACTL_ROOT take the directory that holds "
					   "sys/");
	else if (!core && !sysfs_has_directory(&reading->root, "sys/class"))
		problem_add_text(problems, NULL, NULL, "sysfs",
				 "no /sys/class: the devices cannot be listed",
				 "mount it: mount -t sysfs sysfs /sys");
	else
		problem_add_text(
			problems, NULL, NULL, "sysfs",
			core ? "no RDMA device"
			     : "this system has no RDMA core: no /sys/class/infiniband",
			adapters ? NULL
			: core	 ? "load the adapter's RDMA driver (mlx5_ib, irdma, bnxt_re ...), "
				   "or: rdmactl link add rxe0 type rxe netdev IF"
				 : "load the adapter's RDMA driver (mlx5_ib, irdma, bnxt_re, "
				   "rdma_rxe ...)");
}

int inventory_find_core(const char *root, struct problems *problems)
{
	struct reading reading = {.problems = problems};
	int rc = root_open(root, &reading.root);

	if (rc)
		return rc;
	rc = device_find_core(&reading.root);
	if (rc == -ENOENT) {
		if (problems)
			note_absence(&reading, false);
		rc = -ENODEV;
	}
	root_close(&reading.root);
	return rc;
}

/* Lists devices from RDMA netlink, or from the class directory if netlink does not answer. */
static int list_devices(struct reading *reading)
{
	struct inventory *inventory = reading->inventory;
	int rc;

	rc = device_find_core(&reading->root);
	if (rc == -ENOENT) {
		note_absence(reading, false);
		return -ENODEV;
	}
	if (root_answers(&reading->root)) {
		rc = nldev_open(&reading->root, &reading->nldev);
		if (!rc)
			rc = nldev_list_devices(reading->nldev, &reading->root,
						&inventory->devices);
		for (size_t i = 0; !rc && i < inventory->devices.count; i++)
			inventory->devices.items[i].sources = number_of(DEVICE_FROM_NLDEV);
		if (!rc && inventory->devices.count)
			return 0;
		/* sysfs shows the network namespace that it was mounted in. */
		if (!rc && devices_are_exclusive(&reading->root)) {
			note_absence(reading, true);
			return -ENODEV;
		}
		if (rc)
			problem_add(reading->notes, NULL, "devices", "nldev", rc,
				    "sysfs is used instead");
		netlink_free(reading->nldev);
		reading->nldev = NULL;
		device_list_clear(&inventory->devices);
	}
	rc = device_list_sysfs(&reading->root, &inventory->devices);
	if (rc) {
		problem_add(reading->problems, NULL, "devices", "sysfs", rc, NULL);
		return -EIO;
	}
	if (!inventory->devices.count)
		note_absence(reading, true);
	return inventory->devices.count ? 0 : -ENODEV;
}

static void port_failed(void *context, const struct port *port, int error, const char *text)
{
	struct reading *reading = context;
	_cleanup_(freep) char *object = port_object(port);

	/* sysfs has the same facts; if it fails, too, that failure is the problem to report. */
	problem_add(reading->notes, object, "port", "nldev", error, text);
}

/*
 * A software device has no driver link. The kernel has two such drivers, drivers/infiniband/sw:
 * rdma_rxe for RoCE and siw for iWARP.
 */
static void find_software_drivers(struct reading *reading)
{
	const bool rxe = sysfs_has_directory(&reading->root, "sys/module/rdma_rxe");
	const bool siw = sysfs_has_directory(&reading->root, "sys/module/siw");
	struct device_list *list = &reading->inventory->devices;

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
 * The verbs provider identifies the driver of devices without a driver link. The request makes the
 * kernel load ib_uverbs (ib_get_client_nl_info(), core/device.c), so it is made only if that module
 * is already loaded.
 */
static void find_providers(struct reading *reading)
{
	struct device_list *list = &reading->inventory->devices;

	if (!reading->nldev || !sysfs_has_directory(&reading->root, "sys/class/infiniband_verbs"))
		return;
	nldev_get_uverbs(reading->nldev, list);
	for (size_t i = 0; i < list->count; i++) {
		struct device *device = &list->items[i];
		const struct enum_name *name = enum_find(driver_id_names, device->driver_id.value);

		if (!device->driver && device->driver_id.known && name)
			device->driver = mem_string(name->word);
	}
}

static void read_drivers(struct reading *reading)
{
	const struct device_list *list = &reading->inventory->devices;

	if (is_driver_missing(list))
		find_software_drivers(reading);
	if (is_driver_missing(list))
		find_providers(reading);
}

/*
 * The protocol from netlink is the first port's (fill_dev_info(), core/nldev.c); the link layer of
 * other ports comes from sysfs.
 */
static void derive_link_layers(struct reading *reading)
{
	for (size_t i = 0; i < reading->inventory->devices.count; i++) {
		struct device *device = &reading->inventory->devices.items[i];
		const struct number layer = device_protocol_layer(device->protocol);

		/* The first port may not have been requested. */
		if (layer.known && device->port_count && device->ports[0].port.value <= 1)
			device->ports[0].link_layer = layer;
	}
}

static void read_devices(struct reading *reading)
{
	struct device_list *list = &reading->inventory->devices;
	const uint64_t known = reading->nldev ? NEED_GET : 0;
	/* These only help to find other facts, so a failure to read them is no problem. */
	const uint64_t helping = reading->needs & (NEED_PCI_ADDRESS | NEED_DRIVER) &
				 ~reading->request->needs;

	for (size_t i = 0; i < list->count; i++) {
		device_read_sysfs(&reading->root, &list->items[i],
				  reading->needs & ~known & ~helping, reading->problems);
		if (helping)
			device_read_sysfs(&reading->root, &list->items[i], helping, NULL);
	}
}

static void read_chardevs(struct reading *reading)
{
	device_list_read_chardevs(&reading->root, &reading->inventory->devices, reading->needs,
				  reading->problems);
}

static void read_netlink_ports(struct reading *reading)
{
	if (reading->nldev)
		nldev_get_ports(reading->nldev, &reading->inventory->devices, port_failed, reading);
}

static void read_port(struct reading *reading, struct port *port)
{
	port_read_sysfs(&reading->root, port, reading->needs & NEED_PORT, reading->problems);
}

/* An Omni-Path port looks like InfiniBand: in a saved tree, only the driver tells them apart. */
static void doubt_infiniband(struct reading *reading, struct device *device)
{
	if (root_answers(&reading->root) || !(reading->needs & NEED_DRIVER) || device->driver ||
	    device->software || device->transport.value != TRANSPORT_INFINIBAND)
		return;
	device->transport.known = false;
	if (reading->request->needs & NEED_TRANSPORT)
		problem_add_text(reading->problems, device->name, "transport", "sysfs",
				 "InfiniBand or Omni-Path: the driver is not known", NULL);
}

static void derive_transports(struct reading *reading)
{
	for (size_t i = 0; i < reading->inventory->devices.count; i++) {
		struct device *device = &reading->inventory->devices.items[i];

		device_derive_transport(device);
		doubt_infiniband(reading, device);
	}
}

/*
 * Reading the rate from sysfs costs a port query per file. Verbs return it in the same query as the
 * MTU, so sysfs is used only if that query was not made.
 */
static void read_rate(struct reading *reading, struct port *port)
{
	port_read_sysfs(&reading->root, port, NEED_RATE, reading->problems);
}

static void read_pkeys(struct reading *reading, struct port *port)
{
	pkey_table_read_sysfs(&reading->root, port, reading->problems);
}

/*
 * The readers, in the order in which they run. A reader runs if a fact that it provides is needed;
 * `first` are facts that it requires from earlier readers, `first_saved` additional ones in a saved
 * tree. A function with several rows runs once, a read_port function once per port; readers that
 * cost nothing always run.
 */
static const struct reader {
	uint64_t gives, first, first_saved;
	void (*read)(struct reading *reading);
	void (*read_port)(struct reading *reading, struct port *port);
} readers[] = {
	{NEED_EVERYTHING, 0, 0, derive_link_layers},
	{NEED_DEVICE, 0, 0, read_devices},
	{NEED_DRIVER, NEED_NODE_TYPE, 0, read_drivers},
	{NEED_CHARDEVS, 0, 0, read_chardevs},
	{NEED_PORT_GET, 0, 0, read_netlink_ports},
	{NEED_PORT, 0, 0, NULL, read_port},
	/* Without netlink, only the driver identifies Omni-Path. */
	{NEED_TRANSPORT, NEED_NODE_TYPE | NEED_LINK_LAYER, NEED_DRIVER, derive_transports},
	{NEED_EVERYTHING, 0, 0, derive_transports},
	{NEED_MTU, 0, 0, read_verbs},
	{NEED_GIDS, NEED_LINK_LAYER | NEED_TRANSPORT, 0, read_verbs},
	{NEED_CAPS, NEED_BOARD | NEED_TRANSPORT, 0, read_verbs},
	{NEED_RATE, 0, 0, NULL, read_rate},
	{NEED_PKEYS, 0, 0, NULL, read_pkeys},
	/* Netdev names in a saved tree have to be verified; netlink knows the network namespace. */
	{NEED_NETDEV, NEED_LINK_LAYER, NEED_LINK_LIST | NEED_PCI_ADDRESS, read_netdevs},
	{NEED_GID_NETDEVS, NEED_NETDEV | NEED_LINK_LIST, 0, read_netdevs},
};

/*
 * Adds facts that the readers require, starting with the last reader: each requires only facts from
 * earlier ones.
 */
static uint64_t add_required(uint64_t needs, bool answers)
{
	for (size_t i = ARRAY_SIZE(readers); i > 0; i--) {
		const struct reader *reader = &readers[i - 1];

		if (needs & reader->gives)
			needs |= reader->first | (answers ? 0 : reader->first_saved);
	}
	return needs;
}

static void run_reader(struct reading *reading, const struct reader *reader)
{
	if (reader->read) {
		reader->read(reading);
		return;
	}
	for_each_port (device, port, &reading->inventory->devices)
		reader->read_port(reading, port);
}

static int load(struct reading *reading)
{
	struct device_list *list = &reading->inventory->devices;
	const struct objects *objects = reading->request->objects;
	int rc = list_devices(reading);

	if (rc)
		return rc;
	device_list_sort(list);
	objects_filter_devices(objects, list, &reading->root, reading->problems);
	for (size_t i = 0; !reading->nldev && i < list->count; i++)
		device_list_ports_sysfs(&reading->root, &list->items[i], reading->problems);
	if (!objects_filter_ports(objects, list, reading->problems))
		return -ENODEV;
	for (size_t i = 0; i < ARRAY_SIZE(readers); i++) {
		/* Rows of the same function are adjacent. */
		uint64_t gives = readers[i].gives;

		while (i + 1 < ARRAY_SIZE(readers) && readers[i].read &&
		       readers[i + 1].read == readers[i].read)
			gives |= readers[++i].gives;
		if (reading->needs & gives)
			run_reader(reading, &readers[i]);
	}
	return 0;
}

int inventory_load(struct inventory *inventory, const struct inventory_request *request,
		   struct problems *problems, struct problems *notes)
{
	struct reading reading = {
		.inventory = inventory,
		.problems = problems,
		.notes = notes,
		.request = request,
		.root = {.fd = -1},
	};
	int rc;

	*inventory = (struct inventory){.root = request->root};
	rc = root_open(request->root, &reading.root);
	if (rc)
		return rc;
	inventory->answers = root_answers(&reading.root);
	reading.needs = add_required(request->needs, inventory->answers);
	rc = load(&reading);
	netlink_free(reading.nldev);
	netlink_free(reading.rtnl);
	device_list_clear(&reading.unlisted);
	root_close(&reading.root);
	return rc;
}

bool inventory_answers(const char *directory)
{
	_cleanup_(root_close) struct root root = {.fd = -1};

	return !root_open(directory, &root) && root_answers(&root);
}

int inventory_open_nldev(const struct inventory *inventory, struct netlink **ret_nldev)
{
	return nldev_open_at(inventory->root, ret_nldev);
}

int inventory_open_rtnl(const struct inventory *inventory, struct netlink **ret_rtnl)
{
	_cleanup_(root_close) struct root root = {.fd = -1};
	int rc = root_open(inventory->root, &root);

	return rc ? rc : rtnl_open(&root, ret_rtnl);
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
	_cleanup_(strings_free) struct strings numbers = {0};

	if (sysfs_list(root, &numbers, "sys/class/infiniband/%s/ports", device))
		return;
	for (size_t i = 0; i < numbers.count; i++) {
		_cleanup_(freep) char *name = mem_path(device, numbers.items[i]);

		strings_add(names, name);
	}
}

void inventory_names(const char *root_directory, bool ports, struct strings *ret_names)
{
	_cleanup_(root_close) struct root root = {.fd = -1};

	*ret_names = (struct strings){.known = true};
	if (root_open(root_directory, &root))
		return;
	device_names_sysfs(&root, ret_names);
	for (size_t i = 0, devices = ret_names->count; ports && i < devices; i++)
		add_port_names(&root, ret_names, ret_names->items[i]);
}

void inventory_netdev_names(const char *root_directory, struct strings *ret_names)
{
	_cleanup_(root_close) struct root root = {.fd = -1};

	*ret_names = (struct strings){.known = true};
	if (root_open(root_directory, &root))
		return;
	sysfs_list(&root, ret_names, "sys/class/net");
}
