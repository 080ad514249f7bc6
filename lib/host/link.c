/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/netdev.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/if_link.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/attributes.h"
#include "host/need.h"
#include "host/port.h"
#include "kernel/sysfs.h"
#include "schema/problem.h"

/* RFC 2863 ifOperStatus, as in IF_OPER_*, include/uapi/linux/if.h */
const struct enum_name operstate_names[] = {
	{0, "unknown", TONE_WARNING}, {1, "not-present", TONE_BAD},
	{2, "down", TONE_BAD},	      {3, "lower-layer-down", TONE_BAD},
	{4, "testing", TONE_WARNING}, {5, "dormant", TONE_WARNING},
	{6, "up", TONE_GOOD},	      {0, NULL},
};

const struct enum_name ipoib_mode_names[] = {
	{IPOIB_DATAGRAM, "datagram", TONE_PLAIN,
	 "unreliable datagrams of up to the MTU of the port"},
	{IPOIB_CONNECTED, "connected", TONE_PLAIN,
	 "reliable connections, with an MTU of up to 65520"},
	{0},
};

#define CLASS "sys/class/net"

enum { ARP_TYPE_INFINIBAND = 32 }; /* ARPHRD_INFINIBAND, include/uapi/linux/if_arp.h */

/* Facts that listings of GIDs and P_Keys also show. */
enum { NEED_RELATION = NEED_LINK_LIST | NEED_GIDS | NEED_PKEYS };

#define ROW(member, ...) ATTRIBUTE(struct link, member, __VA_ARGS__)

/*
 * The facts of a netdev. Rows without a path need more than one file; those without a netlink
 * attribute are in the header of the message or in a nest. Only dev_port and speed are not in
 * rtnetlink at all.
 */
static const struct attribute rows[] = {
	ROW(index, "ifindex", DECIMAL, NEED_LINK_LIST, .due = DUE_ALWAYS),
	ROW(type, "type", DECIMAL, NEED_LINK_LIST, .due = DUE_ALWAYS),
	ROW(mtu_bytes, "mtu", DECIMAL, NEED_LINK_MTU, .due = DUE_ALWAYS, .netlink = IFLA_MTU,
	    .key = "mtu_bytes"),
	ROW(max_mtu_bytes, NULL, DECIMAL, NEED_LINK_MTU, .netlink = IFLA_MAX_MTU,
	    .key = "max_mtu_bytes"),
	ROW(carrier_changes, "carrier_changes", DECIMAL, NEED_LINK_CHANGES, .due = DUE_WITH,
	    .with = "carrier_up_count", .netlink = IFLA_CARRIER_CHANGES),
	ROW(dev_port, "dev_port", DECIMAL, NEED_LINK_LIST, .due = DUE_WITH,
	    .with = "name_assign_type"),
	ROW(speed_mbps, "speed", NETDEV_SPEED, NEED_NETDEV_SPEED, .due = DUE_WITH, .with = "duplex",
	    .key = "speed_mbps"),
	ROW(lower_index, "iflink", DECIMAL, NEED_LINK_LIST, .due = DUE_ALWAYS,
	    .netlink = IFLA_LINK),
	ROW(operstate, "operstate", OPERSTATE, NEED_LINK_STATE, .due = DUE_ALWAYS,
	    .netlink = IFLA_OPERSTATE),
	ROW(address, "address", ADDRESS, NEED_LINK_LIST | NEED_LINK_ADDRESS, .due = DUE_ALWAYS,
	    .netlink = IFLA_ADDRESS),
	ROW(pkey, "pkey", PKEY, NEED_LINK_LIST | NEED_PKEYS),
	ROW(master_index, NULL, DECIMAL, NEED_RELATION, .netlink = IFLA_MASTER, .key = "master"),
	ROW(vlan_id, NULL, DECIMAL, NEED_RELATION, .key = "vlan"),
	ROW(ipoib_mode, NULL, DECIMAL, NEED_LINK_KIND, .key = "mode"),
	ROW(umcast, NULL, DECIMAL, NEED_LINK_KIND, .key = "umcast"),
	ROW(kind, NULL, TEXT, NEED_LINK_LIST | NEED_LINK_KIND, .key = "kind"),
};

enum { IPOIB_ADDRESS_LENGTH = 59 }; /* twenty bytes as aa:bb:...: INFINIBAND_ALEN */

const struct attributes link_attributes = {rows, ARRAY_SIZE(rows), NULL};

static void forget_order(struct link_list *list)
{
	free(list->by_name);
	free(list->by_index);
	list->by_name = list->by_index = NULL;
	list->named = list->numbered = 0;
}

struct link *link_list_add(struct link_list *list)
{
	forget_order(list);
	return mem_append(&list->items, &list->count, sizeof(*list->items));
}

static int compare_name(const void *name, const void *entry)
{
	return strcmp(name, (*(const struct link *const *)entry)->name);
}

static int compare_names(const void *one, const void *other)
{
	return compare_name((*(const struct link *const *)one)->name, other);
}

static int compare_index(const void *index, const void *entry)
{
	const uint64_t wanted = *(const uint64_t *)index;
	const uint64_t its = (*(const struct link *const *)entry)->index.value;

	return COMPARE(wanted, its);
}

static int compare_indices(const void *one, const void *other)
{
	return compare_index(&(*(const struct link *const *)one)->index.value, other);
}

void link_list_sort(struct link_list *list)
{
	forget_order(list);
	for (size_t i = 0; i < list->count; i++) {
		if (list->items[i].name)
			MEM_ADD(list->by_name, list->named) = &list->items[i];
		if (list->items[i].index.known)
			MEM_ADD(list->by_index, list->numbered) = &list->items[i];
	}
	if (list->named)
		qsort(list->by_name, list->named, sizeof(*list->by_name), compare_names);
	if (list->numbered)
		qsort(list->by_index, list->numbered, sizeof(*list->by_index), compare_indices);
}

/* Finds an element of a sorted list, or returns NULL. */
static const struct link *find(const void *wanted, const struct link *const *sorted, size_t count,
			       int (*compare)(const void *wanted, const void *entry))
{
	const struct link *const *found = bsearch(wanted, sorted, count, sizeof(*sorted), compare);

	return found ? *found : NULL;
}

const struct link *link_by_index(const struct link_list *list, const struct number *index)
{
	if (index->known && list->by_index)
		return find(&index->value, list->by_index, list->numbered, compare_index);
	for (size_t i = 0; index->known && i < list->count; i++)
		if (list->items[i].index.known && list->items[i].index.value == index->value)
			return &list->items[i];
	return NULL;
}

static bool is_of_kind(const struct link *link, const char *kind)
{
	return link && link->kind && !strcmp(link->kind, kind);
}

bool link_is_vrf(const struct link *link)
{
	return is_of_kind(link, "vrf");
}

bool link_is_bond(const struct link *link)
{
	return is_of_kind(link, "bond");
}

uint32_t link_vrf_index(const struct link_list *list, const struct link *link)
{
	if (link && !link_is_vrf(link))
		link = link_by_index(list, &link->master_index);
	return link_is_vrf(link) ? (uint32_t)link->index.value : 0;
}

const struct link *link_by_name(const struct link_list *list, const char *name)
{
	if (name && list->by_name)
		return find(name, list->by_name, list->named, compare_name);
	for (size_t i = 0; name && i < list->count; i++)
		if (list->items[i].name && !strcmp(list->items[i].name, name))
			return &list->items[i];
	return NULL;
}

void link_clear(struct link *link)
{
	free(link->name);
	free(link->kind);
	free(link->address);
}

void link_list_clear(struct link_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		link_clear(&list->items[i]);
	free(list->items);
	forget_order(list);
	*list = (struct link_list){0};
}

void link_address_list_clear(struct link_address_list *list)
{
	free(list->items);
	*list = (struct link_address_list){0};
}

bool link_is_ipoib(const struct link *link)
{
	return link->type.known && link->type.value == ARP_TYPE_INFINIBAND;
}

int link_find_port_guid(struct link *link)
{
	char digits[17] = "";
	uint64_t guid;
	size_t used = 0;

	if (!link_is_ipoib(link) || !link->address)
		return 0;
	if (strlen(link->address) != IPOIB_ADDRESS_LENGTH)
		return -EINVAL;
	for (const char *c = link->address + IPOIB_ADDRESS_LENGTH - 23; *c && used < 16; c++)
		if (*c != ':')
			digits[used++] = *c;
	if (guid_parse(digits, &guid))
		return -EINVAL;
	number_set(&link->port_guid, guid);
	return 0;
}

bool link_has_guid_of(const struct link *link, const struct port *port)
{
	return link_is_ipoib(link) && link->port_guid.known && port->port_guid.known &&
	       link->port_guid.value == port->port_guid.value;
}

bool link_is_ipoib_of(const struct link *link, const struct port *port)
{
	return link_has_guid_of(link, port) && !link_is_bond(link);
}

bool port_has_ipoib(const struct port *port, const struct link *link)
{
	return (port->netdev || port->netdev_unknown) && link_is_ipoib_of(link, port);
}

/* A netdev while it is read. */
struct reader {
	const struct root *root;
	struct sysfs_folder folder; /* of the netdev */
	struct link *link;
	struct problems *problems;
};

/* A missing attribute usually means that the netdev has no such property. */
static void note(const struct reader *reader, const char *key, ssize_t error)
{
	if (error < 0 && error != -ENOENT)
		problem_add(reader->problems, reader->link->name, key, "sysfs", (int)error, NULL);
}

/* Reads a file; `key` names the attribute in problems. Returns the length or -errno. */
static ssize_t read_text(const struct reader *reader, char text[static SYSFS_TEXT_SIZE],
			 const char *file, const char *key)
{
	ssize_t length = sysfs_folder_read(&reader->folder, text, NULL, file);

	note(reader, key, length);
	return length;
}

static bool is_virtual(const struct reader *reader)
{
	_cleanup_(freep) char *target = NULL;

	return !sysfs_link(reader->root, &target, CLASS "/%s", reader->link->name) &&
	       strstr(target, "/devices/virtual/");
}

/* Takes the kind of a virtual netdev from "DEVTYPE=vlan" in uevent, or from a bond's directory. */
static void read_kind(const struct reader *reader)
{
	struct link *link = reader->link;
	char text[SYSFS_TEXT_SIZE];
	const char *kind;
	ssize_t length;

	length = read_text(reader, text, "uevent", "kind");
	/* Hardware has no kind, and saved trees may lack its uevent file. */
	if (length == -ENOENT && is_virtual(reader))
		problem_add(reader->problems, link->name, "kind", "sysfs", -ENOENT, NULL);
	kind = length > 0 ? text_line(text, "DEVTYPE=") : NULL;
	if (kind)
		link->kind = text_clean(kind, strcspn(kind, "\n"));
	if (!link->kind && read_text(reader, text, "bonding/mode", "kind") > 0)
		link->kind = mem_string("bond");
}

/* "bond0.200  VID: 200  REORDER_HDR: 1 ...", vlandev_seq_show() in net/8021q/vlanproc.c. */
static void read_vlan(const struct reader *reader)
{
	struct link *link = reader->link;
	char text[SYSFS_TEXT_SIZE];
	ssize_t length = sysfs_read(reader->root, text, "proc/net/vlan/%s", link->name);
	const char *id;
	unsigned int vlan;

	note(reader, "vlan", length);
	if (length == -ENOENT && link->kind && !strcmp(link->kind, "vlan"))
		problem_add(reader->problems, link->name, "vlan", "sysfs", -ENOENT, NULL);
	if (length < 0)
		return;
	id = strstr(text, "VID: ");
	if (id && sscanf(id, "VID: %4u", &vlan) == 1)
		number_set(&link->vlan_id, vlan);
	else
		sysfs_note_text(reader->problems, link->name, "vlan", text);
}

/*
 * P_Key children made through netlink have no file pkey, __ipoib_vlan_add() in ipoib_vlan.c; the
 * P_Key is also in the broadcast address, bytes 8 and 9 of 20, ipoib_dev_init() in ipoib_main.c.
 */
static void read_broadcast_pkey(const struct reader *reader)
{
	enum { PKEY_AT = 8 * 3 };
	struct link *link = reader->link;
	char text[SYSFS_TEXT_SIZE];
	unsigned int high, low;
	ssize_t length;

	/* Any other failure has been reported. */
	if (sysfs_folder_read(&reader->folder, text, NULL, "pkey") != -ENOENT)
		return;
	length = sysfs_folder_read(&reader->folder, text, NULL, "broadcast");
	if (length == IPOIB_ADDRESS_LENGTH && sscanf(text + PKEY_AT, "%2x:%2x", &high, &low) == 2)
		number_set(&link->pkey, high << 8 | low);
	else
		sysfs_note(reader->problems, link->name, "pkey", length, text);
}

/*
 * Children made through netlink have neither file: __ipoib_vlan_add() in ipoib_vlan.c. Netlink has
 * both for every IPoIB netdev, ipoib_fill_info() in ipoib_netlink.c.
 */
static void read_ipoib(const struct reader *reader)
{
	struct link *link = reader->link;
	char text[SYSFS_TEXT_SIZE];
	const struct enum_name *mode;

	if (read_text(reader, text, "mode", "mode") > 0) {
		mode = enum_find_word(ipoib_mode_names, text);
		if (mode)
			number_set(&link->ipoib_mode, mode->value);
		else
			sysfs_note_text(reader->problems, link->name, "mode", text);
	}
	note(reader, "umcast",
	     sysfs_read_number(reader->root, &link->umcast, CLASS "/%s/umcast", link->name));
}

static void read_master(const struct reader *reader)
{
	const struct root *root = reader->root;
	_cleanup_(freep) char *master = NULL;
	int rc = sysfs_link_name(root, &master, CLASS "/%s/master", reader->link->name);

	if (!rc)
		rc = sysfs_read_number(root, &reader->link->master_index, CLASS "/%s/ifindex",
				       master);
	note(reader, "master", rc);
	/* Without a master there is no such link; if there is one, its target must exist. */
	if (rc == -ENOENT && master)
		problem_add(reader->problems, reader->link->name, "master", "sysfs", rc, NULL);
	reader->link->master_unknown = rc && (master || rc != -ENOENT);
}

void link_read_sysfs(const struct root *root, struct link *link, uint64_t needs,
		     struct problems *problems)
{
	_cleanup_(freep) char *directory = NULL;

	if (!link->name || !attributes_wanted(&link_attributes, needs, link))
		return;
	directory = mem_format(CLASS "/%s", link->name);
	attributes_read(&link_attributes, root, directory, link->name, needs, link, problems);
}

static void read_link(const struct reader *reader, uint64_t needs)
{
	struct link *link = reader->link;

	link_read_sysfs(reader->root, link, needs | NEED_LINK_LIST, reader->problems);
	link->lower_unknown = !link->lower_index.known;
	/* iflink is the netdev's own index if there is no lower netdev. */
	if (!link->index.known || link->lower_index.value == link->index.value)
		link->lower_index.known = false;
	if (link_find_port_guid(link))
		sysfs_note_text(reader->problems, link->name, "address", link->address);
	if (link_is_ipoib(link) && !link->pkey.known)
		read_broadcast_pkey(reader);
	if (link_is_ipoib(link) && needs & NEED_LINK_KIND)
		read_ipoib(reader);
	read_master(reader);
	read_kind(reader);
	read_vlan(reader);
}

static void add_link(const struct root *root, struct link_list *list, const char *name,
		     uint64_t index, uint64_t needs, struct problems *problems)
{
	struct reader reader = {.root = root, .link = link_list_add(list), .problems = problems};

	reader.link->name = text_clean(name, strlen(name));
	number_set(&reader.link->index, index);
	sysfs_folder_open(root, mem_format(CLASS "/%s", reader.link->name), &reader.folder);
	read_link(&reader, needs);
	sysfs_folder_close(&reader.folder);
	/* Whether it belongs to an InfiniBand port, or to which, cannot be determined. */
	if (!reader.link->type.known ||
	    (link_is_ipoib(reader.link) && !reader.link->port_guid.known))
		list->incomplete = true;
}

int link_list_read_sysfs(const struct root *root, struct link_list *list, uint64_t needs,
			 struct problems *problems)
{
	_cleanup_(strings_free) struct strings names = {0};
	int rc = sysfs_list(root, &names, CLASS);

	if (rc)
		return rc;
	for (size_t i = 0; i < names.count; i++) {
		_cleanup_(freep) char *clean = text_clean(names.items[i], strlen(names.items[i]));
		char text[SYSFS_TEXT_SIZE];
		ssize_t length = sysfs_read(root, text, CLASS "/%s/ifindex", names.items[i]);
		uint64_t index;

		/* This is a file among the links. */
		if (!strcmp(names.items[i], "bonding_masters"))
			continue;
		if (length >= 0 && !text_parse_u64(text, 10, INT32_MAX, &index)) {
			add_link(root, list, names.items[i], index, needs, problems);
			continue;
		}
		sysfs_note(problems, clean, "ifindex", length, text);
		list->incomplete = list->missing = true;
	}
	return 0;
}

char *link_pci_address(const struct root *root, const char *name)
{
	_cleanup_(freep) char *target = NULL;
	char *address = NULL;

	if (!sysfs_link(root, &target, CLASS "/%s", name))
		sysfs_find_pci(target, &address);
	return address;
}

/* Cuts the target of a class link, .../DEVICE/CLASS/NAME, down to the path of the device. */
static bool cut_to_device(char *target)
{
	for (int i = 0; i < 2; i++) {
		char *slash = strrchr(target, '/');

		if (!slash)
			return false;
		*slash = '\0';
	}
	return true;
}

bool link_is_beside(const struct root *root, const char *name, const char *rdma_device)
{
	_cleanup_(freep) char *netdev = NULL, *rdma = NULL;

	return !sysfs_link(root, &netdev, CLASS "/%s", name) &&
	       !sysfs_link(root, &rdma, "sys/class/infiniband/%s", rdma_device) &&
	       cut_to_device(netdev) && cut_to_device(rdma) && !strcmp(netdev, rdma);
}
