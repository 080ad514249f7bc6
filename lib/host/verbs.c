/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/local.h"
#include "host/need.h"
#include "host/sysfs_rdma.h"
#include "host/verbs_caps.h"
#include "kernel/verbs.h"

static const char *verbs_hint(int error)
{
	switch (error) {
	case -ELIBACC:
	case -ELIBBAD:
		return "install libibverbs and its providers (Debian: ibverbs-providers; Fedora: "
		       "libibverbs)";
	case -ENOSYS:
		return "load the module: modprobe ib_uverbs";
	case -EACCES:
	case -EPERM:
		return "the uverbs node in /dev/infiniband must be readable and writable";
	case -ENODEV:
		return "load ib_uverbs and install the provider library of this driver; in a "
		       "container, pass /dev/infiniband in";
	case -ENOMEM:
		return "raise the limit of locked memory (ulimit -l)";
	default:
		return NULL;
	}
}

/* One line for a device, not one for each of its facts. Of GIDs nothing is lost: sysfs has them. */
static void note_failure(struct local *local, const char *device, int error)
{
	if (local->needs & NEED_CAPS)
		problem_add(local->problems, device, "capabilities", "verbs", error,
			    verbs_hint(error));
	else if (local->needs & NEED_MTU)
		problem_add(local->problems, device, "MTU", "verbs", error, verbs_hint(error));
	else
		problem_add(local->notes, device, "GID table", "verbs", error, "sysfs is used");
}

static struct verbs *open_verbs(struct local *local)
{
	const struct strings *warnings;
	struct verbs *verbs = NULL;
	int rc = -ENOSYS;

	/* To list its devices libibverbs asks netlink, which would load ib_uverbs. */
	if (sysfs_has_directory(&local->root, "sys/class/infiniband_verbs"))
		rc = verbs_open(&verbs);
	if (rc) {
		note_failure(local, NULL, rc);
		return NULL;
	}
	warnings = verbs_warnings(verbs);
	for (size_t i = 0; i < warnings->count; i++)
		problem_add_text(local->notes, NULL, NULL, "verbs", warnings->items[i], NULL);
	return verbs;
}

/* Puts the empty slots between the entries that verbs told. */
static void add_empty_slots(struct port *port)
{
	struct gid_entry *told = port->gids;
	size_t told_count = port->gid_count, next = 0;

	port->gids = NULL;
	port->gid_count = 0;
	for (uint64_t index = 0; index < port->gid_table_length.value || next < told_count;
	     index++) {
		struct gid_entry *entry = mem_append(&port->gids, &port->gid_count,
						     sizeof(*port->gids));

		if (next < told_count && told[next].index.value <= index) {
			*entry = told[next++];
			continue;
		}
		entry->device = port->device;
		entry->port = port->port;
		entry->gid.known = true;
		number_set(&entry->index, index);
		number_set(&entry->source, GID_SOURCE_VERBS);
	}
	free(told);
}

static int read_gids_by_verbs(struct verbs_device *opened, struct device *device, bool empty)
{
	int rc = verbs_get_gids(opened, device);

	for (size_t i = 0; !rc && empty && i < device->port_count; i++) {
		rc = verbs_get_port(opened, &device->ports[i]);
		if (!rc)
			add_empty_slots(&device->ports[i]);
	}
	return rc;
}

static void read_gids(struct local *local, struct verbs_device *opened, struct device *device,
		      bool empty)
{
	bool netdevs = local->needs & NEED_GID_NETDEVS;

	if (opened && !read_gids_by_verbs(opened, device, empty))
		return;
	for (size_t i = 0; i < device->port_count; i++)
		sysfs_rdma_read_gids(&local->root, &device->ports[i], empty, netdevs,
				     local->problems);
}

static void note_port(const struct local *local, const struct device *device,
		      const struct number *port, int error)
{
	_cleanup_(freep) char *object = mem_format("%s/%u", device->name,
						   (unsigned int)port->value);

	problem_add(local->problems, object, "port attributes", "verbs", error, NULL);
}

static void read_mtus(struct local *local, struct verbs_device *opened, struct device *device)
{
	for (size_t i = 0; i < device->port_count; i++) {
		struct port *port = &device->ports[i];
		int rc = verbs_get_port(opened, port);

		if (rc)
			note_port(local, device, &port->port, rc);
	}
}

static void read_caps(struct local *local, struct verbs_device *opened, struct device *device)
{
	struct inventory *inventory = local->inventory;
	struct caps caps = {0};
	int rc = verbs_get_caps(opened, &caps);

	if (rc) {
		problem_add(local->problems, device->name, "capabilities", "verbs", rc, NULL);
		caps_clear(&caps);
		return;
	}
	caps_set_device(&caps, device->name);
	if (device->board_id)
		caps.board_id = mem_string(device->board_id);
	if (device->transport.known)
		caps.transport = device->transport;
	for (size_t i = 0; i < caps.port_caps_count; i++)
		if (caps.ports[i].error)
			note_port(local, device, &caps.ports[i].port, caps.ports[i].error);
	*(struct caps *)mem_append(&inventory->caps, &inventory->caps_count, sizeof(caps)) = caps;
}

/*
 * A slot of an InfiniBand port that no GUID is assigned to holds the subnet prefix alone: drivers
 * make it so, and it is empty all the same.
 */
static void drop_unassigned(struct port *port)
{
	size_t kept = 0;

	if (port->link_layer.value != LINK_LAYER_INFINIBAND)
		return;
	for (size_t i = 0; i < port->gid_count; i++) {
		if (gid_interface_id(&port->gids[i].gid.gid))
			port->gids[kept++] = port->gids[i];
		else
			gid_entry_clear(&port->gids[i]);
	}
	port->gid_count = kept;
}

/* What the type of a GID means depends on the transport, and the table does not tell it. */
static void finish_gids(struct device *device, bool empty)
{
	bool roce = device->transport.value == TRANSPORT_ROCE;

	for (size_t i = 0; i < device->port_count; i++) {
		if (!empty)
			drop_unassigned(&device->ports[i]);
		for (size_t j = 0; j < device->ports[i].gid_count; j++) {
			struct gid_entry *gid = &device->ports[i].gids[j];

			if (!roce && gid->type.known)
				gid->type.value = GID_TYPE_IB;
			if (roce && gid->type.known)
				gid->ip = (struct known_ip){gid_to_ip(&gid->gid.gid), true};
		}
	}
}

static void read_device(struct local *local, struct verbs *verbs, struct device *device,
			const struct inventory_request *request)
{
	struct verbs_device *opened = NULL;
	int rc = verbs ? verbs_open_device(verbs, device->kernel_name, &opened) : 0;

	if (rc)
		note_failure(local, device->name, rc);
	if (opened)
		strings_add(&device->sources, "verbs");
	if (local->needs & NEED_GIDS)
		read_gids(local, opened, device, request->empty_gids);
	if (opened && local->needs & NEED_MTU)
		read_mtus(local, opened, device);
	if (opened && local->needs & NEED_CAPS)
		read_caps(local, opened, device);
	finish_gids(device, request->empty_gids);
	verbs_close_device(opened);
}

void local_read_verbs(struct local *local, const struct inventory_request *request)
{
	struct device_list *list = &local->inventory->devices;
	struct verbs *verbs = NULL;

	if (local->root.live)
		verbs = open_verbs(local);
	else if (local->needs & NEED_MTU)
		problem_add_text(local->notes, NULL, "MTU", "verbs",
				 "a saved tree does not hold it", NULL);
	for (size_t i = 0; i < list->count; i++)
		read_device(local, verbs, &list->items[i], request);
	verbs_free(verbs);
}
