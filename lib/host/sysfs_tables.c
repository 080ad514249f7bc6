/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The tables of a port, and the character devices: the long lists of /sys/class/infiniband*. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "kernel/sysfs.h"
#include "host/sysfs_rdma.h"

#define PORT_DIRECTORY "sys/class/infiniband/%s/ports/%u"

/* A table of a port that is being read. */
struct table {
	const struct root *root;
	struct port *port;
	struct problems *problems;
	bool types_unreadable;	 /* gid_attrs/types as a whole, which was noted */
	bool netdevs_unreadable; /* gid_attrs/ndevs */
};

static char *object_of(const struct port *port)
{
	return mem_format("%s/%u", port->device, (unsigned int)port->port.value);
}

/* With `slot` NULL of the folder. */
static void note(const struct table *table, const char *folder, const char *slot, int error)
{
	_cleanup_(freep) char *object = object_of(table->port);
	_cleanup_(freep) char *attribute = slot ? mem_format("%s/%s", folder, slot)
						: mem_string(folder);

	problem_add(table->problems, object, attribute, "sysfs", error, NULL);
}

static void note_text(const struct table *table, const char *folder, const char *slot,
		      const char *text)
{
	_cleanup_(freep) char *object = object_of(table->port);
	_cleanup_(freep) char *attribute = mem_format("%s/%s", folder, slot);

	sysfs_note_text(table->problems, object, attribute, text);
}

/* Where the folder itself cannot be looked into, one line says it of all slots: true then. */
static bool note_slot(const struct table *table, const char *folder, const char *slot, int error)
{
	_cleanup_(freep) char *path = mem_format(PORT_DIRECTORY "/%s", table->port->kernel_name,
						 (unsigned int)table->port->port.value, folder);
	int rc = sysfs_open_directory(table->root, path);

	note(table, folder, rc ? NULL : slot, rc ? rc : error);
	return rc;
}

/* Words of gid_attrs/types, cache_gid_type_str[] in core/cache.c. */
static void read_type(struct table *table, const char *slot, struct gid_entry *entry)
{
	const struct port *port = table->port;
	bool infiniband = port->link_layer.value == LINK_LAYER_INFINIBAND;
	char text[SYSFS_TEXT_SIZE];
	ssize_t length;

	if (table->types_unreadable)
		return;
	length = sysfs_read(table->root, text, PORT_DIRECTORY "/gid_attrs/types/%s",
			    port->kernel_name, (unsigned int)port->port.value, slot);
	/*
	 * Before Linux 4.5 there were no types. InfiniBand has one only; of Ethernet the choice
	 * between RoCE v1 and v2 would be a guess.
	 */
	if (length == -ENOENT && infiniband)
		number_set(&entry->type, GID_TYPE_IB);
	else if (length < 0)
		table->types_unreadable = note_slot(table, "gid_attrs/types", slot, (int)length);
	else if (!strcmp(text, "RoCE v2"))
		number_set(&entry->type, GID_TYPE_ROCE_V2);
	else if (!strcmp(text, "IB/RoCE v1") && port->link_layer.known)
		number_set(&entry->type, infiniband ? GID_TYPE_IB : GID_TYPE_ROCE_V1);
	else if (strcmp(text, "IB/RoCE v1"))
		note_text(table, "gid_attrs/types", slot, text);
}

/* What the kernel answers for a GID that names no netdev: rdma_read_gid_attr_ndev_rcu(). */
static bool names_none(ssize_t error)
{
	return error == -ENOENT || error == -EINVAL || error == -ENODEV || error == -ENODATA;
}

int sysfs_rdma_gid_netdev(const struct root *root, const struct port *port, unsigned int index,
			  char **ret_name)
{
	char text[SYSFS_TEXT_SIZE];
	ssize_t length = sysfs_read(root, text, PORT_DIRECTORY "/gid_attrs/ndevs/%u",
				    port->kernel_name, (unsigned int)port->port.value, index);

	if (length < 0 && !names_none(length))
		return (int)length;
	*ret_name = length > 0 ? text_clean(text, (size_t)length) : NULL;
	return 0;
}

static void read_netdev(struct table *table, const char *slot, struct gid_entry *entry)
{
	int rc;

	if (table->netdevs_unreadable)
		return;
	rc = sysfs_rdma_gid_netdev(table->root, table->port, (unsigned int)entry->index.value,
				   &entry->netdev);
	if (rc)
		table->netdevs_unreadable = note_slot(table, "gid_attrs/ndevs", slot, rc);
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

static void read_gid(struct table *table, const char *slot, bool empty, bool netdevs)
{
	struct port *port = table->port;
	char text[SYSFS_TEXT_SIZE];
	struct gid_entry *entry;
	uint64_t index;
	struct gid gid;
	ssize_t length;

	if (!is_slot(slot, &index))
		return;
	length = sysfs_read(table->root, text, PORT_DIRECTORY "/gids/%s", port->kernel_name,
			    (unsigned int)port->port.value, slot);
	if (length < 0) {
		note(table, "gids", slot, (int)length);
		return;
	}
	if (gid_parse(text, &gid)) {
		note_text(table, "gids", slot, text);
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
	read_type(table, slot, entry);
	if (netdevs)
		read_netdev(table, slot, entry);
}

void sysfs_rdma_read_gids(const struct root *root, struct port *port, bool empty, bool netdevs,
			  struct problems *problems)
{
	struct table table = {.root = root, .port = port, .problems = problems};
	struct strings slots = {0};
	int rc = sysfs_list(root, &slots, PORT_DIRECTORY "/gids", port->kernel_name,
			    (unsigned int)port->port.value);

	if (rc)
		note(&table, "gids", NULL, rc);
	for (size_t i = 0; i < slots.count; i++)
		read_gid(&table, slots.items[i], empty, netdevs);
	strings_free(&slots);
}

static void read_pkey(const struct table *table, const char *slot)
{
	struct port *port = table->port;
	char text[SYSFS_TEXT_SIZE];
	uint64_t index, value;
	struct pkey *pkey;
	ssize_t length;

	if (!is_slot(slot, &index))
		return;
	length = sysfs_read(table->root, text, PORT_DIRECTORY "/pkeys/%s", port->kernel_name,
			    (unsigned int)port->port.value, slot);
	if (length < 0) {
		note(table, "pkeys", slot, (int)length);
		return;
	}
	if (text_parse_u64(text, 16, UINT16_MAX, &value)) {
		note_text(table, "pkeys", slot, text);
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
	struct table table = {.root = root, .port = port, .problems = problems};
	struct strings slots = {0};
	int rc = sysfs_list(root, &slots, PORT_DIRECTORY "/pkeys", port->kernel_name,
			    (unsigned int)port->port.value);

	/* iWARP and EFA ports have no P_Keys, and no directory for them. */
	if (rc && rc != -ENOENT)
		note(&table, "pkeys", NULL, rc);
	for (size_t i = 0; i < slots.count; i++)
		read_pkey(&table, slots.items[i]);
	strings_free(&slots);
}

static struct device *find_by_kernel_name(const struct device_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->items[i].kernel_name, name))
			return &list->items[i];
	return NULL;
}

static void add_node(struct device *device, const char *node)
{
	if (!strncmp(node, "umad", 4))
		strings_add(&device->umads, node);
	else if (!strncmp(node, "issm", 4))
		strings_add(&device->issms, node);
	else if (!device->uverbs)
		device->uverbs = text_clean(node, strlen(node));
}

static void note_node(struct problems *problems, const char *path, int error)
{
	_cleanup_(freep) char *clean = text_clean(path, strlen(path));

	problem_add(problems, NULL, clean, "sysfs", error, NULL);
}

/*
 * A class directory whose entries name their RDMA device in `ibdev`. False if that cannot be read
 * of all of them: of no device it is known then that it has none.
 */
static bool read_class(const struct root *root, const char *class, struct device_list *list,
		       struct problems *problems)
{
	struct strings nodes = {0};
	int rc = sysfs_list(root, &nodes, "sys/class/%s", class);
	bool whole = !rc || rc == -ENOENT;

	if (!whole)
		problem_add(problems, NULL, class, "sysfs", rc, NULL);
	for (size_t i = 0; i < nodes.count; i++) {
		_cleanup_(freep) char *path = mem_format("%s/%s/ibdev", class, nodes.items[i]);
		char text[SYSFS_TEXT_SIZE];
		struct device *device;
		ssize_t length = sysfs_read(root, text, "sys/class/%s", path);

		/* abi_version is no node, nor is a link that leads nowhere. */
		if (length == -ENOENT || length == -ENOTDIR || length == -ELOOP)
			continue;
		device = length < 0 ? NULL : find_by_kernel_name(list, text);
		if (device)
			add_node(device, nodes.items[i]);
		if (length >= 0)
			continue;
		whole = false;
		note_node(problems, path, (int)length);
	}
	strings_free(&nodes);
	return whole;
}

void sysfs_rdma_read_chardevs(const struct root *root, struct device_list *list,
			      struct problems *problems)
{
	bool whole;

	read_class(root, "infiniband_verbs", list, problems);
	whole = read_class(root, "infiniband_mad", list, problems);
	for (size_t i = 0; i < list->count; i++) {
		struct device *device = &list->items[i];

		device->umads.known = whole || device->umads.count;
		device->issms.known = whole || device->issms.count;
	}
}
