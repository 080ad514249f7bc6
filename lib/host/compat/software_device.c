/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/compat/software_device.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/inventory/inventory.h"
#include "host/need.h"
#include "host/nldev_devices.h"

#define SOFTWARE_NEEDS (NEED_NETLINK | NEED_NETDEV | NEED_LINK_LIST | NEED_DRIVER)

DEFINE_CLEANUP(struct netlink, netlink_free)

/* Loads the devices of the host; if there are none the list is empty. */
static void load(struct inventory *inventory)
{
	const struct objects everything = {0};
	const struct inventory_request request = {.needs = SOFTWARE_NEEDS, .objects = &everything};

	inventory_load(inventory, &request, NULL, NULL);
}

static bool is_rxe(const struct device *device)
{
	return (device->driver && !strcmp(device->driver, "rdma_rxe")) ||
	       (device->software && !strncmp(device->name, "rxe", 3));
}

static const struct device *find(const struct inventory *inventory, const char *name)
{
	const struct device *device = device_list_find(&inventory->devices, name);

	if (device)
		return is_rxe(device) ? device : NULL;
	for (size_t i = 0; i < inventory->devices.count; i++) {
		device = &inventory->devices.items[i];
		for (size_t j = 0; is_rxe(device) && j < device->port_count; j++)
			if (device->ports[j].netdev && !strcmp(device->ports[j].netdev, name))
				return device;
	}
	return NULL;
}

int software_device_add(const char *netdev, char **ret_device)
{
	_cleanup_(netlink_freep) struct netlink *nldev = NULL;
	struct inventory inventory;
	unsigned int number = 0;
	char *name = mem_string("rxe0");
	int rc = nldev_open(&nldev);

	load(&inventory);
	while (device_list_find(&inventory.devices, name)) {
		free(name);
		name = mem_format("rxe%u", ++number);
	}
	inventory_free(&inventory);
	if (!rc)
		rc = nldev_add_link(nldev, name, "rxe", netdev);
	if (!rc)
		*ret_device = name;
	else
		free(name);
	return rc;
}

int software_device_remove(const char *name, char **ret_device)
{
	_cleanup_(netlink_freep) struct netlink *nldev = NULL;
	const struct device *device;
	struct inventory inventory;
	int rc = -ENODEV;

	load(&inventory);
	device = find(&inventory, name);
	if (device && device->index.known) {
		*ret_device = mem_string(device->name);
		rc = nldev_open(&nldev);
		if (!rc)
			rc = nldev_delete_link(nldev, (uint32_t)device->index.value);
	}
	inventory_free(&inventory);
	return rc;
}
