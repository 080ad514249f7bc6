/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The part of an inventory that comes from verbs. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/library.h"
#include "base/mem.h"
#include "host/inventory/reading.h"
#include "host/need.h"
#include "host/device.h"
#include "host/verbs.h"
#include "kernel/verbs/verbs.h"

#define PROVIDER                                                                           \
	"load ib_uverbs and install the provider library of this driver; in a container, " \
	"pass /dev/infiniband in"

#define LIBRARY                                                                     \
	"install libibverbs and its providers (Debian: ibverbs-providers; Fedora: " \
	"libibverbs)"

static const char *verbs_hint(const struct reading *reading, const struct device *device, int error,
			      char **ret_owned)
{
	_cleanup_(freep) char *path = device ? mem_path(SYSFS_RDMA_CLASS, device->kernel_name)
					     : NULL;

	switch (error) {
	case -ELIBACC:
	case -ELIBBAD:
		return error == -ELIBBAD || reading->root.live
			       ? (*ret_owned = library_hint(LIBIBVERBS, error, LIBRARY))
			       : LIBRARY;
	case -ENOSYS:
		return "load the module: modprobe ib_uverbs";
	case -EACCES:
	case -EPERM:
		return "the uverbs node in /dev/infiniband must be readable and writable";
	case -ENODEV:
		if (device && sysfs_open_directory(&reading->root, path) == -ENOENT)
			return "unless it was just removed or renamed, " PROVIDER;
		return PROVIDER;
	case -ENOMEM:
		return "raise the limit of locked memory (ulimit -l)";
	case -EMFILE:
		return "raise the limit of open files (ulimit -n)";
	default:
		return NULL;
	}
}

/* Reports one line per device rather than per fact. A failure loses no GIDs: sysfs has them. */
static void note_failure(struct reading *reading, const struct device *device, int error)
{
	const char *name = device ? device->name : NULL;
	_cleanup_(freep) char *owned = NULL;

	if (reading->needs & (NEED_CAPS | NEED_MTU))
		problem_add(reading->problems, name,
			    reading->needs & NEED_CAPS ? "capabilities" : "MTU", "verbs", error,
			    verbs_hint(reading, device, error, &owned));
	else
		problem_add(reading->notes, name, "GID table", "verbs", error,
			    "sysfs is used instead");
}

static struct verbs *open_verbs(struct reading *reading)
{
	const struct strings *warnings;
	struct verbs *verbs = NULL;
	int rc = -ENOSYS;

	/*
	 * libibverbs lists devices through netlink, for which the kernel loads ib_uverbs
	 * (ib_get_client_nl_info() in drivers/infiniband/core/device.c). Drivers load it, too,
	 * but with Linux 7.3 only ib_uverbs_support.
	 */
	if (reading->request->uses_verbs ||
	    sysfs_has_directory(&reading->root, "sys/class/infiniband_verbs"))
		rc = verbs_open(&reading->root, &verbs);
	if (rc) {
		note_failure(reading, NULL, rc);
		return NULL;
	}
	warnings = verbs_warnings(verbs);
	for (size_t i = 0; i < warnings->count; i++)
		problem_add_text(reading->notes, NULL, NULL, "verbs", warnings->items[i], NULL);
	return verbs;
}

static int read_gids_by_verbs(struct verbs_device *opened, struct device *device, bool empty)
{
	int rc = verbs_get_gids(opened, device);

	for (size_t i = 0; !rc && empty && i < device->port_count; i++) {
		rc = verbs_get_port(opened, &device->ports[i]);
		if (!rc)
			gid_table_add_empty(&device->ports[i]);
	}
	return rc;
}

static void read_gids(struct reading *reading, struct verbs_device *opened, struct device *device,
		      bool empty)
{
	bool netdevs = reading->needs & NEED_GID_NETDEVS;

	if (opened && !read_gids_by_verbs(opened, device, empty))
		return;
	for (size_t i = 0; i < device->port_count; i++) {
		/* Drops entries that verbs returned before failing: sysfs has the entire table. */
		gid_table_clear(&device->ports[i]);
		gid_table_read_sysfs(&reading->root, &device->ports[i], empty, netdevs,
				     reading->problems);
	}
}

static void note_port(const struct reading *reading, const struct device *device,
		      const struct number *port, int error)
{
	_cleanup_(freep) char *object = mem_format("%s/%u", device->name,
						   (unsigned int)port->value);

	problem_add(reading->problems, object, "port attributes", "verbs", error, NULL);
}

/* Adds one line per device for all of its ports above that number. */
static void note_ports_above(const struct reading *reading, const struct device *device)
{
	problem_add_text(reading->problems, device->name, "attributes of ports above 255", "verbs",
			 "verbs number ports only up to 255", NULL);
}

static void read_mtus(struct reading *reading, struct verbs_device *opened, struct device *device)
{
	bool above = false;

	for (size_t i = 0; i < device->port_count; i++) {
		struct port *port = &device->ports[i];
		int rc = 0;

		if (port->port.value > PORT_MOST_VERBS)
			above = true;
		else
			rc = verbs_get_port(opened, port);
		if (rc)
			note_port(reading, device, &port->port, rc);
	}
	if (above)
		note_ports_above(reading, device);
}

/* Asks sysfs where an older library's code for the speed may mean a faster one. */
static void find_speed(const struct reading *reading, const struct device *device,
		       struct port_caps *caps)
{
	_cleanup_(port_clear) struct port port = {
		.device = device->name, .kernel_name = device->kernel_name, .port = caps->port};
	const struct enum_name *name;

	if (caps->speed.known || !caps->codes.speed)
		return;
	port_read_sysfs(&reading->root, &port, NEED_RATE, reading->problems);
	name = port.speed ? enum_find_word(port_speed_names, port.speed) : NULL;
	if (name)
		caps->speed = number_of(name->value);
}

static void read_caps(struct reading *reading, struct verbs_device *opened, struct device *device)
{
	struct inventory *inventory = reading->inventory;
	struct caps caps = {0};
	int rc = verbs_get_caps(opened, &caps);

	if (rc) {
		problem_add(reading->problems, device->name, "capabilities", "verbs", rc, NULL);
		caps_clear(&caps);
		return;
	}
	caps_set_device(&caps, device->name);
	if (device->board_id)
		caps.board_id = mem_string(device->board_id);
	if (device->transport.known)
		caps.transport = device->transport;
	for (size_t i = 0; i < caps.port_caps_count; i++) {
		if (caps.ports[i].error)
			note_port(reading, device, &caps.ports[i].port, caps.ports[i].error);
		find_speed(reading, device, &caps.ports[i]);
	}
	if (caps.port_count.value > PORT_MOST_VERBS)
		note_ports_above(reading, device);
	MEM_ADD(inventory->caps, inventory->caps_count) = caps;
}

static void read_device(struct reading *reading, struct verbs *verbs, struct device *device)
{
	const bool empty = reading->request->empty_gids;
	struct verbs_device *opened = NULL;
	int rc = verbs ? verbs_open_device(verbs, device->kernel_name, &opened) : 0;

	if (rc)
		note_failure(reading, device, rc);
	if (opened)
		number_set(&device->sources, device->sources.value | DEVICE_FROM_VERBS);
	if (reading->needs & NEED_GIDS)
		read_gids(reading, opened, device, empty);
	if (opened && reading->needs & NEED_MTU)
		read_mtus(reading, opened, device);
	if (opened && reading->needs & NEED_CAPS)
		read_caps(reading, opened, device);
	for (size_t i = 0; i < device->port_count; i++) {
		struct number transport = {.known = false};

		if (device->transport.known)
			number_set(&transport, device_port_transport(device, &device->ports[i]));
		gid_table_finish(&device->ports[i], &transport, empty);
	}
	verbs_close_device(opened);
}

void read_verbs(struct reading *reading)
{
	struct device_list *list = &reading->inventory->devices;
	struct verbs *verbs = NULL;

	if (root_answers(&reading->root) && !reading->request->closed)
		verbs = open_verbs(reading);
	else if (reading->needs & NEED_MTU)
		problem_add_text(reading->notes, NULL, "MTU", "verbs",
				 root_answers(&reading->root) ? "no device is opened"
							      : "a saved tree does not hold it",
				 NULL);
	for (size_t i = 0; i < list->count; i++)
		read_device(reading, verbs, &list->items[i]);
	verbs_free(verbs);
}
