/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The tables of a port, and the character devices: the long lists of /sys/class/infiniband*. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "source/sysfs_rdma.h"

#define PORT_DIRECTORY "sys/class/infiniband/%s/ports/%u"

static void note(struct problems *problems, const struct port *port, const char *table,
		 const char *slot, int error)
{
	_cleanup_(freep) char *object = mem_format("%s/%u", port->device,
						   (unsigned int)port->port.value);
	_cleanup_(freep) char *attribute = slot ? mem_format("%s/%s", table, slot)
						: mem_string(table);

	problem_add(problems, object, attribute, "sysfs", error, NULL);
}

/* Words of gid_attrs/types, cache_gid_type_str[] in core/cache.c. */
static void read_type(const struct root *root, const struct port *port, const char *slot,
		      struct gid_entry *entry, struct problems *problems)
{
	unsigned int number = (unsigned int)port->port.value;
	bool infiniband = port->link_layer.value == LINK_LAYER_INFINIBAND;
	char text[SYSFS_TEXT_SIZE];
	ssize_t length = sysfs_read(root, text, PORT_DIRECTORY "/gid_attrs/types/%s",
				    port->kernel_name, number, slot);

	/* Before Linux 4.5 there was no RoCE v2, and no need to tell the types apart. */
	if (length == -ENOENT)
		number_set(&entry->type, infiniband ? GID_TYPE_IB : GID_TYPE_ROCE_V1);
	else if (length < 0)
		note(problems, port, "gid_attrs/types", slot, (int)length);
	else if (!strcmp(text, "RoCE v2"))
		number_set(&entry->type, GID_TYPE_ROCE_V2);
	else if (!strcmp(text, "IB/RoCE v1"))
		number_set(&entry->type, infiniband ? GID_TYPE_IB : GID_TYPE_ROCE_V1);
	else
		note(problems, port, "gid_attrs/types", slot, -EINVAL);
}

char *sysfs_rdma_gid_netdev(const struct root *root, const struct port *port, unsigned int index)
{
	char text[SYSFS_TEXT_SIZE];
	ssize_t length = sysfs_read(root, text, PORT_DIRECTORY "/gid_attrs/ndevs/%u",
				    port->kernel_name, (unsigned int)port->port.value, index);

	return length > 0 ? text_clean(text, (size_t)length) : NULL;
}

struct known_gid sysfs_rdma_first_gid(const struct root *root, const struct port *port)
{
	struct known_gid first = {.known = false};
	char text[SYSFS_TEXT_SIZE];

	if (sysfs_read(root, text, PORT_DIRECTORY "/gids/0", port->kernel_name,
		       (unsigned int)port->port.value) > 0)
		first.known = !gid_parse(text, &first.gid);
	return first;
}

/* A table's file: its index, written the one way that the kernel writes it. */
static bool is_slot(const char *name, uint64_t *ret_index)
{
	return (name[0] != '0' || !name[1]) && !text_parse_u64(name, 10, UINT16_MAX, ret_index);
}

static void read_gid(const struct root *root, struct port *port, const char *slot, bool empty,
		     bool netdevs, struct problems *problems)
{
	char text[SYSFS_TEXT_SIZE];
	struct gid_entry *entry;
	uint64_t index;
	struct gid gid;
	ssize_t length;

	if (!is_slot(slot, &index))
		return;
	length = sysfs_read(root, text, PORT_DIRECTORY "/gids/%s", port->kernel_name,
			    (unsigned int)port->port.value, slot);
	if (length < 0 || gid_parse(text, &gid)) {
		note(problems, port, "gids", slot, length < 0 ? (int)length : -EINVAL);
		return;
	}
	if (gid_is_zero(&gid) && !empty)
		return;
	entry = mem_append(&port->gids, &port->gid_count, sizeof(*port->gids));
	entry->device = port->device;
	entry->port = port->port;
	number_set(&entry->index, index);
	number_set(&entry->source, GID_SOURCE_SYSFS);
	entry->gid = (struct known_gid){gid, true};
	if (gid_is_zero(&gid))
		return;
	read_type(root, port, slot, entry, problems);
	if (netdevs)
		entry->netdev = sysfs_rdma_gid_netdev(root, port, (unsigned int)index);
}

void sysfs_rdma_read_gids(const struct root *root, struct port *port, bool empty, bool netdevs,
			  struct problems *problems)
{
	struct strings slots = {0};
	int rc = sysfs_list(root, &slots, PORT_DIRECTORY "/gids", port->kernel_name,
			    (unsigned int)port->port.value);

	if (rc)
		note(problems, port, "gids", NULL, rc);
	for (size_t i = 0; i < slots.count; i++)
		read_gid(root, port, slots.items[i], empty, netdevs, problems);
	strings_free(&slots);
}

static void read_pkey(const struct root *root, struct port *port, const char *slot,
		      struct problems *problems)
{
	char text[SYSFS_TEXT_SIZE];
	uint64_t index, value;
	struct pkey *pkey;
	ssize_t length;

	if (!is_slot(slot, &index))
		return;
	length = sysfs_read(root, text, PORT_DIRECTORY "/pkeys/%s", port->kernel_name,
			    (unsigned int)port->port.value, slot);
	if (length < 0 || text_parse_u64(text, 16, UINT16_MAX, &value)) {
		note(problems, port, "pkeys", slot, length < 0 ? (int)length : -EINVAL);
		return;
	}
	pkey = mem_append(&port->pkeys, &port->pkey_count, sizeof(*port->pkeys));
	pkey->device = port->device;
	pkey->port = port->port;
	number_set(&pkey->index, index);
	number_set(&pkey->pkey, value);
}

void sysfs_rdma_read_pkeys(const struct root *root, struct port *port, struct problems *problems)
{
	struct strings slots = {0};
	int rc = sysfs_list(root, &slots, PORT_DIRECTORY "/pkeys", port->kernel_name,
			    (unsigned int)port->port.value);

	/* iWARP and EFA ports have no P_Keys, and no directory for them. */
	if (rc && rc != -ENOENT)
		note(problems, port, "pkeys", NULL, rc);
	for (size_t i = 0; i < slots.count; i++)
		read_pkey(root, port, slots.items[i], problems);
	strings_free(&slots);
}

static struct device *find_by_kernel_name(const struct device_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->items[i].kernel_name, name))
			return &list->items[i];
	return NULL;
}

/* A class directory whose entries name their RDMA device in `ibdev`. */
static void read_class(const struct root *root, const char *class, struct device_list *list,
		       struct problems *problems)
{
	struct strings nodes = {0};
	int rc = sysfs_list(root, &nodes, "sys/class/%s", class);

	if (rc && rc != -ENOENT)
		problem_add(problems, NULL, class, "sysfs", rc, NULL);
	for (size_t i = 0; i < nodes.count; i++) {
		char text[SYSFS_TEXT_SIZE];
		const char *node = nodes.items[i];
		struct device *device;

		if (sysfs_read(root, text, "sys/class/%s/%s/ibdev", class, node) < 0)
			continue; /* abi_version is no node */
		device = find_by_kernel_name(list, text);
		if (!device)
			continue;
		if (!strncmp(node, "umad", 4))
			strings_add(&device->umads, node);
		else if (!strncmp(node, "issm", 4))
			strings_add(&device->issms, node);
		else if (!device->uverbs)
			device->uverbs = text_clean(node, strlen(node));
	}
	strings_free(&nodes);
}

void sysfs_rdma_read_chardevs(const struct root *root, struct device_list *list,
			      struct problems *problems)
{
	for (size_t i = 0; i < list->count; i++)
		list->items[i].umads.known = list->items[i].issms.known = true;
	read_class(root, "infiniband_verbs", list, problems);
	read_class(root, "infiniband_mad", list, problems);
}
