/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/netdev.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/port.h"
#include "kernel/sysfs.h"
#include "schema/problem.h"

/* RFC 2863 ifOperStatus, as IF_OPER_* in include/uapi/linux/if.h */
const struct enum_name operstate_names[] = {
	{0, "unknown", TONE_WARNING}, {1, "not-present", TONE_BAD},
	{2, "down", TONE_BAD},	      {3, "lower-layer-down", TONE_BAD},
	{4, "testing", TONE_WARNING}, {5, "dormant", TONE_WARNING},
	{6, "up", TONE_GOOD},	      {0, NULL},
};

enum { ARP_TYPE_INFINIBAND = 32 }; /* ARPHRD_INFINIBAND, include/uapi/linux/if_arp.h */

struct link *link_list_add(struct link_list *list)
{
	return mem_append(&list->items, &list->count, sizeof(*list->items));
}

const struct link *link_by_index(const struct link_list *list, const struct number *index)
{
	for (size_t i = 0; index->known && i < list->count; i++)
		if (list->items[i].index.known && list->items[i].index.value == index->value)
			return &list->items[i];
	return NULL;
}

const struct link *link_by_name(const struct link_list *list, const char *name)
{
	for (size_t i = 0; name && i < list->count; i++)
		if (list->items[i].name && !strcmp(list->items[i].name, name))
			return &list->items[i];
	return NULL;
}

void link_list_clear(struct link_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->items[i].name);
		free(list->items[i].kind);
		free(list->items[i].address);
	}
	free(list->items);
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

bool link_is_ipoib_of(const struct link *link, const struct port *port)
{
	return link_is_ipoib(link) && link->port_guid.known && port->port_guid.known &&
	       link->port_guid.value == port->port_guid.value;
}

#define CLASS "sys/class/net"

enum { IPOIB_ADDRESS_LENGTH = 59 }; /* twenty bytes as aa:bb:...: INFINIBAND_ALEN */

/* A netdev that is being read. */
struct reader {
	const struct root *root;
	struct link *link;
	struct problems *problems;
};

/* A missing attribute usually means that the netdev has no such property. */
static void note(const struct reader *reader, const char *key, ssize_t error)
{
	if (error < 0 && error != -ENOENT)
		problem_add(reader->problems, reader->link->name, key, "sysfs", (int)error, NULL);
}

/* `key` names the attribute in problems. Returns the length or -errno. */
static ssize_t read_text(const struct reader *reader, char text[static SYSFS_TEXT_SIZE],
			 const char *file, const char *key)
{
	ssize_t length = sysfs_read(reader->root, text, CLASS "/%s/%s", reader->link->name, file);

	note(reader, key, length);
	return length;
}

static void read_number(const struct reader *reader, const char *file, const char *key,
			struct number *number)
{
	char text[SYSFS_TEXT_SIZE];
	uint64_t value;

	if (read_text(reader, text, file, key) < 0)
		return;
	if (text_parse_u64(text, 10, UINT64_MAX, &value))
		sysfs_note_text(reader->problems, reader->link->name, key, text);
	else
		number_set(number, value);
}

/*
 * Operstate words are those of operstate_show(), net/core/net-sysfs.c, in the order of their codes.
 */
static void read_operstate(const struct reader *reader)
{
	static const char *const words[] = {"unknown", "notpresent", "down", "lowerlayerdown",
					    "testing", "dormant",    "up"};
	struct link *link = reader->link;
	char text[SYSFS_TEXT_SIZE];

	if (read_text(reader, text, "operstate", "operstate") < 0)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(text, words[i]))
			number_set(&link->operstate, i);
	if (!link->operstate.known)
		sysfs_note_text(reader->problems, link->name, "operstate", text);
}

static void read_address(const struct reader *reader)
{
	struct link *link = reader->link;
	char text[SYSFS_TEXT_SIZE], digits[17] = "";
	ssize_t length = read_text(reader, text, "address", "address");
	size_t used = 0;
	uint64_t guid;

	if (length <= 0)
		return;
	link->address = text_clean(text, (size_t)length);
	if (length != IPOIB_ADDRESS_LENGTH)
		return;
	/* The port GUID is the last eight bytes, RFC 4391 9.1.1. */
	for (const char *c = text + length - 23; *c && used < 16; c++)
		if (*c != ':')
			digits[used++] = *c;
	if (guid_parse(digits, &guid))
		sysfs_note_text(reader->problems, link->name, "address", text);
	else
		number_set(&link->port_guid, guid);
}

/* The P_Key of an IPoIB child is an attribute of the child: "0x8001". */
static void read_pkey(const struct reader *reader)
{
	struct link *link = reader->link;
	char text[SYSFS_TEXT_SIZE];
	uint64_t pkey;

	if (read_text(reader, text, "pkey", "pkey") < 0)
		return;
	if (text_parse_u64(text, 16, UINT16_MAX, &pkey))
		sysfs_note_text(reader->problems, link->name, "pkey", text);
	else
		number_set(&link->pkey, pkey);
}

/*
 * Takes the kind of a virtual netdev from "DEVTYPE=vlan" in the uevent file, or from a bond's
 * directory.
 */
static void read_kind(const struct reader *reader)
{
	static const char key[] = "DEVTYPE=";
	struct link *link = reader->link;
	char text[SYSFS_TEXT_SIZE];
	const char *kind;

	if (read_text(reader, text, "uevent", "kind") > 0) {
		kind = strstr(text, key);
		if (kind)
			link->kind = text_clean(kind + strlen(key),
						strcspn(kind + strlen(key), "\n"));
	}
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
	if (length <= 0)
		return;
	id = strstr(text, "VID: ");
	if (id && sscanf(id, "VID: %4u", &vlan) == 1)
		number_set(&link->vlan_id, vlan);
	else
		sysfs_note_text(reader->problems, link->name, "vlan", text);
}

static void read_relations(const struct reader *reader)
{
	const struct root *root = reader->root;
	struct link *link = reader->link;
	struct number lower = {0};
	_cleanup_(freep) char *master = NULL;
	int rc;

	/* iflink is the netdev's own index if there is no lower netdev. */
	read_number(reader, "iflink", "iflink", &lower);
	if (lower.known && link->index.known && lower.value != link->index.value)
		link->lower_index = lower;
	rc = sysfs_link_name(root, &master, CLASS "/%s/master", link->name);
	if (!rc)
		rc = sysfs_read_number(root, &link->master_index, CLASS "/%s/ifindex", master);
	note(reader, "master", rc);
}

static void read_link(const struct reader *reader)
{
	struct link *link = reader->link;

	read_number(reader, "ifindex", "ifindex", &link->index);
	read_number(reader, "type", "type", &link->type);
	read_number(reader, "mtu", "mtu_bytes", &link->mtu_bytes);
	read_number(reader, "carrier_changes", "carrier_changes", &link->carrier_changes);
	read_number(reader, "dev_port", "dev_port", &link->dev_port);
	link_read_speed(reader->root, link, reader->problems);
	read_relations(reader);
	read_operstate(reader);
	read_address(reader);
	read_kind(reader);
	read_pkey(reader);
	read_vlan(reader);
}

/*
 * True if one of the problems starting at `first` hides whether the netdev belongs to an InfiniBand
 * port, and to which one.
 */
static bool is_anyones(const struct link *link, const struct problems *problems, size_t first)
{
	if (link->type.known && (!link_is_ipoib(link) || link->port_guid.known))
		return false;
	for (size_t i = first; i < problems->count; i++)
		if (!strcmp(problems->items[i].attribute, "type") ||
		    !strcmp(problems->items[i].attribute, "address"))
			return true;
	return false;
}

static void add_link(const struct root *root, struct link_list *list, const char *name,
		     struct problems *problems)
{
	struct reader reader = {.root = root, .link = link_list_add(list), .problems = problems};
	size_t first = problems->count;

	reader.link->name = text_clean(name, strlen(name));
	read_link(&reader);
	if (is_anyones(reader.link, problems, first))
		list->incomplete = true;
}

int link_list_read_sysfs(const struct root *root, struct link_list *list, struct problems *problems)
{
	struct strings names;
	int rc = sysfs_list(root, &names, CLASS);

	if (rc)
		return rc;
	for (size_t i = 0; i < names.count; i++) {
		_cleanup_(freep) char *clean = text_clean(names.items[i], strlen(names.items[i]));
		char text[SYSFS_TEXT_SIZE];
		ssize_t length = sysfs_read(root, text, CLASS "/%s/ifindex", names.items[i]);

		/* bonding_masters is a file among the links, and a link may lead nowhere. */
		if (length == -ENOENT || length == -ENOTDIR || length == -ELOOP)
			continue;
		if (length >= 0) {
			add_link(root, list, names.items[i], problems);
			continue;
		}
		problem_add(problems, clean, "ifindex", "sysfs", (int)length, NULL);
		list->incomplete = true;
	}
	strings_free(&names);
	return 0;
}

void link_read_speed(const struct root *root, struct link *link, struct problems *problems)
{
	char text[SYSFS_TEXT_SIZE];
	ssize_t length;
	uint64_t speed;

	if (!link->name)
		return;
	length = sysfs_read(root, text, CLASS "/%s/speed", link->name);
	/*
	 * The speed is unknown if it reads -1 without carrier (old kernels show it unsigned) or
	 * EINVAL while the netdev is down.
	 */
	if (length == -ENOENT || length == -EINVAL || (length >= 0 && !strcmp(text, "-1")))
		return;
	if (length < 0)
		problem_add(problems, link->name, "speed_mbps", "sysfs", (int)length, NULL);
	else if (text_parse_u64(text, 10, UINT64_MAX, &speed))
		sysfs_note_text(problems, link->name, "speed_mbps", text);
	else if (speed != UINT32_MAX)
		number_set(&link->speed_mbps, speed);
}

char *link_pci_address(const struct root *root, const char *name)
{
	_cleanup_(freep) char *target = NULL;
	char *address = NULL;

	if (!sysfs_link(root, &target, CLASS "/%s", name))
		sysfs_find_pci(target, &address);
	return address;
}

/* Cuts the target of a class link, .../DEVICE/CLASS/NAME, to the path of the device. */
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
