/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/port.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/device.h"
#include "host/need.h"
#include "kernel/sysfs.h"
#include "schema/problem.h"
#include "schema/rows.h"

const struct enum_name gid_type_names[] = {
	{GID_TYPE_IB, "ib"},
	{GID_TYPE_ROCE_V1, "roce-v1"},
	{GID_TYPE_ROCE_V2, "roce-v2"},
	{0, NULL},
};

static const struct enum_name source_names[] = {
	{GID_SOURCE_VERBS, "verbs"},
	{GID_SOURCE_SYSFS, "sysfs"},
	{0, NULL},
};

#define NEED_ADDRESS_PLACE (NEED_GIDS | NEED_GID_NETDEVS | NEED_LINK_LIST | NEED_ADDRESSES)

#define RECORD struct gid_entry
static const struct field gid_fields[] = {
	TEXT(device, "DEVICE", SHOWN, NEED_GIDS, "name of the device"),
	NUMBER(port, "PORT", SHOWN, NEED_GIDS, "number of the port"),
	NUMBER(index, "INDEX", SHOWN, NEED_GIDS, "index in the port's GID table"),
	GID(gid, "GID", SHOWN, NEED_GIDS, "the GID"),
	WORD(type, gid_type_names, "TYPE", SHOWN, NEED_GIDS, "ib, roce-v1 or roce-v2"),
	IP(ip, "IP", SHOWN, NEED_GIDS, "IP address of a RoCE GID"),
	TEXT(netdev, "NETDEV", SHOWN, NEED_GIDS | NEED_GID_NETDEVS,
	     "netdev of the GID, if in this namespace"),
	NUMBER(vlan, "VLAN", SHOWN, NEED_GIDS | NEED_GID_NETDEVS | NEED_LINK_LIST,
	       "VLAN id of that netdev"),
	TEXT(address_netdev, "ADDRESS ON", SHOWN, NEED_ADDRESS_PLACE,
	     "netdev that carries the IP address"),
	TEXT(master, "MASTER", SHOWN, NEED_GIDS | NEED_GID_NETDEVS | NEED_LINK_LIST,
	     "bond, bridge or VRF that the netdev belongs to"),
	NUMBER(prefix_length, "PREFIX", 0, NEED_ADDRESS_PLACE, "prefix length of the IP address"),
	WORD(source, source_names, "SOURCE", 0, NEED_GIDS,
	     "interface that the entry was read from"),
	YES_NO(selected, "USE", 0, NEED_GIDS, "--to: the entry to use"),
	TEXT(why, "WHY", 0, NEED_GIDS, "--to: why it is used or passed over"),
};

static const struct column_view gid_views[] = {
	{"--to", "selected,device,port,index,type,ip,netdev,why"},
	{NULL, NULL},
};

const struct schema gid_schema = SCHEMA("gids", struct gid_entry, gid_fields,
					"an entry of a port's GID table", .views = gid_views);

struct gid_entry *gid_entry_add(struct port *port, uint64_t index, enum gid_source source)
{
	struct gid_entry *entry = mem_append(&port->gids, &port->gid_count, sizeof(*port->gids));

	entry->device = port->device;
	entry->port = port->port;
	entry->index = number_of(index);
	entry->source = number_of(source);
	return entry;
}

void gid_entry_clear(struct gid_entry *entry)
{
	free(entry->netdev);
	free(entry->master);
	free(entry->address_netdev);
	free(entry->why);
}

void gid_table_clear(struct port *port)
{
	for (size_t i = 0; i < port->gid_count; i++)
		gid_entry_clear(&port->gids[i]);
	free(port->gids);
	port->gids = NULL;
	port->gid_count = 0;
}

/* A GID table while it is read. */
struct gid_table {
	const struct root *root;
	struct port *port;
	struct problems *problems;
	bool types_unreadable;	 /* directory gid_attrs/types; already reported */
	bool netdevs_unreadable; /* gid_attrs/ndevs */
};

/* Reports one problem for all slots, and returns true, if the directory cannot be opened. */
static bool note_slot(const struct gid_table *table, const char *folder, const char *slot,
		      int error)
{
	_cleanup_(freep) char *path = mem_format(PORT_DIRECTORY "/%s", table->port->kernel_name,
						 (unsigned int)table->port->port.value, folder);
	int rc = sysfs_open_directory(table->root, path);

	port_note(table->problems, table->port, folder, rc ? NULL : slot, rc ? rc : error);
	return rc;
}

/*
 * Reads a word of gid_attrs/types, cache_gid_type_str[] in core/cache.c. Returns false if the slot
 * has been emptied since its GID was read: only then does a kernel return EINVAL,
 * _show_port_gid_attr() in core/sysfs.c.
 */
static bool read_type(struct gid_table *table, const char *slot, struct gid_entry *entry)
{
	const struct port *port = table->port;
	const bool infiniband = port_is_infiniband(port);
	char text[SYSFS_TEXT_SIZE];
	ssize_t length;

	if (table->types_unreadable)
		return true;
	length = sysfs_read(table->root, text, PORT_DIRECTORY "/gid_attrs/types/%s",
			    port->kernel_name, (unsigned int)port->port.value, slot);
	if (length == -EINVAL && root_answers(table->root))
		return false;
	/*
	 * Linux before 4.5 does not report types. InfiniBand has only one; on Ethernet, choosing
	 * RoCE v1 or v2 would be a guess.
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
		port_note_text(table->problems, table->port, "gid_attrs/types", slot, 0, text);
	return true;
}

/*
 * Whether this is the kernel's error for a GID without a netdev: rdma_read_gid_attr_ndev_rcu(). The
 * files exist for every slot since 4.5; only those of Ethernet name netdevs.
 */
static bool names_none(const struct port *port, ssize_t error)
{
	if (error == -ENOENT)
		return !port->link_layer.known || port->link_layer.value != LINK_LAYER_ETHERNET;
	return error == -EINVAL || error == -ENODEV || error == -ENODATA;
}

const struct gid_entry *gid_entry_at(const struct port *port, uint64_t index)
{
	for (size_t i = 0; i < port->gid_count; i++)
		if (port->gids[i].index.value == index)
			return &port->gids[i];
	return NULL;
}

int gid_read_netdev(const struct root *root, const struct port *port, unsigned int index,
		    char **ret_name)
{
	const struct gid_entry *entry = gid_entry_at(port, index);
	char text[SYSFS_TEXT_SIZE];
	ssize_t length;

	if (entry && entry->netdev) {
		*ret_name = mem_string(entry->netdev);
		return 0;
	}
	length = sysfs_read(root, text, PORT_DIRECTORY "/gid_attrs/ndevs/%u", port->kernel_name,
			    (unsigned int)port->port.value, index);
	if (length < 0 && !names_none(port, length))
		return (int)length;
	if (!length)
		return -ENODATA;
	*ret_name = length > 0 ? text_clean(text, (size_t)length) : NULL;
	return 0;
}

static void read_netdev(struct gid_table *table, const char *slot, struct gid_entry *entry)
{
	int rc;

	if (table->netdevs_unreadable)
		return;
	rc = gid_read_netdev(table->root, table->port, (unsigned int)entry->index.value,
			     &entry->netdev);
	if (rc)
		table->netdevs_unreadable = note_slot(table, "gid_attrs/ndevs", slot, rc);
}

struct known_gid gid_read_first(const struct root *root, const struct port *port)
{
	const struct gid_entry *entry = gid_entry_at(port, 0);
	struct known_gid first = {.known = false};
	char text[SYSFS_TEXT_SIZE];

	if (entry)
		return entry->gid;
	if (sysfs_read(root, text, PORT_DIRECTORY "/gids/0", port->kernel_name,
		       (unsigned int)port->port.value) > 0)
		first.known = !gid_parse(text, &first.gid);
	return first;
}

/* Returns 0, or -ENOENT if the slot does not exist, which is not reported. */
static int read_gid(struct gid_table *table, const char *slot, bool empty, bool netdevs)
{
	struct port *port = table->port;
	char text[SYSFS_TEXT_SIZE];
	struct gid_entry *entry;
	uint64_t index;
	struct gid gid;
	ssize_t length;

	if (!port_table_slot(slot, &index))
		return 0;
	length = sysfs_read(table->root, text, PORT_DIRECTORY "/gids/%s", port->kernel_name,
			    (unsigned int)port->port.value, slot);
	if (length == -ENOENT)
		return -ENOENT;
	if (length < 0 || gid_parse(text, &gid)) {
		port_note_text(table->problems, table->port, "gids", slot, length, text);
		return 0;
	}
	if (gid_is_zero(&gid) && !empty)
		return 0;
	entry = gid_entry_add(port, index, GID_SOURCE_SYSFS);
	entry->gid = (struct known_gid){gid, true};
	if (gid_is_zero(&gid))
		return 0;
	if (!read_type(table, slot, entry)) {
		entry->gid = (struct known_gid){.known = true};
		port->gid_count -= !empty;
	} else if (netdevs) {
		read_netdev(table, slot, entry);
	}
	return 0;
}

int gid_table_check(const struct root *root, const struct port *port, size_t count)
{
	size_t types = 0;

	if (!count && port_is_infiniband(port))
		return -ENOENT;
	sysfs_count(root, &types, PORT_DIRECTORY "/gid_attrs/types", port->kernel_name,
		    (unsigned int)port->port.value);
	return types > count ? -ENOENT : 0;
}

void gid_table_read_sysfs(const struct root *root, struct port *port, bool empty, bool netdevs,
			  struct problems *problems)
{
	struct problems found = {0};
	struct gid_table table = {.root = root, .port = port, .problems = &found};
	_cleanup_(strings_free) struct strings slots = {0};
	uint64_t next = 0;
	int rc = sysfs_list(root, &slots, PORT_DIRECTORY "/gids", port->kernel_name,
			    (unsigned int)port->port.value);

	if (!rc)
		rc = gid_table_check(root, port, slots.count);
	if (rc)
		port_note(&found, port, "gids", NULL, rc);
	for (size_t i = 0; i < slots.count; i++) {
		port_note_gap(&found, port, "gids", slots.items[i], &next);
		if (read_gid(&table, slots.items[i], empty, netdevs))
			port_note(&found, port, "gids", slots.items[i], -ENOENT);
	}
	port_note_table(root, problems, port, "gids", &found);
}

bool gid_table_read_slots(const struct root *root, struct port *port, unsigned int first,
			  unsigned int count, struct problems *problems)
{
	struct gid_table table = {.root = root, .port = port, .problems = problems};
	char slot[16];

	for (unsigned int index = first; index < first + count; index++) {
		snprintf(slot, sizeof(slot), "%u", index);
		if (read_gid(&table, slot, false, true) != -ENOENT)
			continue;
		/* Every port has slot 0. */
		if (!index)
			port_note(problems, port, "gids", NULL, -ENOENT);
		return false;
	}
	return true;
}

void gid_table_add_empty(struct port *port)
{
	struct gid_entry *entries = port->gids;
	size_t entry_count = port->gid_count, next = 0;

	port->gids = NULL;
	port->gid_count = 0;
	for (uint64_t index = 0; index < port->gid_table_length.value || next < entry_count;
	     index++) {
		struct gid_entry *entry = gid_entry_add(port, index, GID_SOURCE_VERBS);

		if (next < entry_count && entries[next].index.value <= index)
			*entry = entries[next++];
		else
			entry->gid.known = true;
	}
	free(entries);
}

void gid_table_filter(struct port *port, bool (*keep)(const struct gid_entry *, const void *),
		      const void *context)
{
	size_t kept = 0;

	for (size_t i = 0; i < port->gid_count; i++) {
		if (keep(&port->gids[i], context))
			port->gids[kept++] = port->gids[i];
		else
			gid_entry_clear(&port->gids[i]);
	}
	port->gid_count = kept;
}

#define LINK_LOCAL UINT64_C(0xfe80000000000000)

/* An InfiniBand slot without a GUID counts as empty; drivers fill in the subnet prefix. */
static bool is_assigned(const struct gid_entry *entry, const void *context)
{
	const struct port *port = context;
	const struct gid *gid = &entry->gid.gid;

	/* An iWARP GID is a MAC, and also ends with zeros. */
	return gid_interface_id(gid) || (port->link_layer.known && !port_is_infiniband(port)) ||
	       (!port->link_layer.known && gid_subnet_prefix(gid) >> 54 != LINK_LOCAL >> 54);
}

void gid_table_finish(struct port *port, const struct number *transport, bool empty)
{
	const bool roce = transport->known && transport->value == TRANSPORT_ROCE;

	if (!empty)
		gid_table_filter(port, is_assigned, port);
	for (size_t i = 0; i < port->gid_count; i++) {
		struct gid_entry *gid = &port->gids[i];

		if (!transport->known && !port_is_infiniband(port))
			gid->type = (struct number){0};
		if (!roce && gid->type.known)
			gid->type.value = GID_TYPE_IB;
		if (roce && gid->type.known)
			gid->ip = (struct known_ip){gid_to_ip(&gid->gid.gid), true};
	}
}
