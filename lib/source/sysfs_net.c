/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "source/sysfs_net.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

#define CLASS "sys/class/net"

enum { IPOIB_ADDRESS_LENGTH = 59 }; /* twenty bytes as aa:bb:...: INFINIBAND_ALEN */

/* The words of operstate_show(), net/core/net-sysfs.c, in the order of their codes. */
static void read_operstate(const struct root *root, struct link *link)
{
	static const char *const words[] = {"unknown", "notpresent", "down", "lowerlayerdown",
					    "testing", "dormant",    "up"};
	char text[SYSFS_TEXT_SIZE];

	if (sysfs_read(root, text, CLASS "/%s/operstate", link->name) < 0)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(text, words[i]))
			number_set(&link->operstate, i);
}

static void read_address(const struct root *root, struct link *link)
{
	char text[SYSFS_TEXT_SIZE], digits[17] = "";
	ssize_t length = sysfs_read(root, text, CLASS "/%s/address", link->name);
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
	if (!guid_parse(digits, &guid))
		number_set(&link->port_guid, guid);
}

/* An IPoIB child's P_Key is its own attribute: "0x8001". */
static void read_pkey(const struct root *root, struct link *link)
{
	char text[SYSFS_TEXT_SIZE];
	uint64_t pkey;

	if (sysfs_read(root, text, CLASS "/%s/pkey", link->name) > 0 &&
	    !text_parse_u64(text, 16, UINT16_MAX, &pkey))
		number_set(&link->pkey, pkey);
}

/* "DEVTYPE=vlan" of the uevent file: the kind of a virtual netdev; a bond's directory says as much.
 */
static void read_kind(const struct root *root, struct link *link)
{
	static const char key[] = "DEVTYPE=";
	char text[SYSFS_TEXT_SIZE];
	const char *kind;

	if (sysfs_read(root, text, CLASS "/%s/uevent", link->name) > 0) {
		kind = strstr(text, key);
		if (kind)
			link->kind = text_clean(kind + strlen(key),
						strcspn(kind + strlen(key), "\n"));
	}
	if (!link->kind && sysfs_read(root, text, CLASS "/%s/bonding/mode", link->name) > 0)
		link->kind = mem_string("bond");
}

/* "bond0.200  VID: 200  REORDER_HDR: 1 ...", vlandev_seq_show() in net/8021q/vlanproc.c. */
static void read_vlan(const struct root *root, struct link *link)
{
	char text[SYSFS_TEXT_SIZE];
	const char *id;
	unsigned int vlan;

	if (sysfs_read(root, text, "proc/net/vlan/%s", link->name) <= 0)
		return;
	id = strstr(text, "VID: ");
	if (id && sscanf(id, "VID: %4u", &vlan) == 1)
		number_set(&link->vlan_id, vlan);
}

static void read_relations(const struct root *root, struct link *link)
{
	struct number lower = {0};
	_cleanup_(freep) char *master = NULL;

	sysfs_read_number(root, &link->index, CLASS "/%s/ifindex", link->name);
	/* iflink is the netdev's own index where nothing is below it. */
	if (!sysfs_read_number(root, &lower, CLASS "/%s/iflink", link->name) && link->index.known &&
	    lower.value != link->index.value)
		link->lower_index = lower;
	if (!sysfs_link_name(root, &master, CLASS "/%s/master", link->name))
		sysfs_read_number(root, &link->master_index, CLASS "/%s/ifindex", master);
}

static void read_link(const struct root *root, struct link *link)
{
	sysfs_read_number(root, &link->type, CLASS "/%s/type", link->name);
	sysfs_read_number(root, &link->mtu_bytes, CLASS "/%s/mtu", link->name);
	sysfs_read_number(root, &link->carrier_changes, CLASS "/%s/carrier_changes", link->name);
	sysfs_read_number(root, &link->dev_port, CLASS "/%s/dev_port", link->name);
	sysfs_net_read_speed(root, link);
	read_relations(root, link);
	read_operstate(root, link);
	read_address(root, link);
	read_kind(root, link);
	read_pkey(root, link);
	read_vlan(root, link);
}

int sysfs_net_list(const struct root *root, struct link_list *list)
{
	struct strings names;
	int rc = sysfs_list(root, &names, CLASS);

	if (rc)
		return rc;
	for (size_t i = 0; i < names.count; i++) {
		char text[SYSFS_TEXT_SIZE];

		/* bonding_masters is a file among the links. */
		if (sysfs_read(root, text, CLASS "/%s/ifindex", names.items[i]) < 0)
			continue;
		link_list_add(list)->name = text_clean(names.items[i], strlen(names.items[i]));
		read_link(root, &list->items[list->count - 1]);
	}
	strings_free(&names);
	return 0;
}

void sysfs_net_read_speed(const struct root *root, struct link *link)
{
	/* -1 without carrier (old kernels show it unsigned), EINVAL while down: unknown all. */
	if (link->name)
		sysfs_read_number(root, &link->speed_mbps, CLASS "/%s/speed", link->name);
	if (link->speed_mbps.value == UINT32_MAX)
		link->speed_mbps.known = false;
}

char *sysfs_net_pci_address(const struct root *root, const char *name)
{
	_cleanup_(freep) char *target = NULL;
	char *address = NULL;

	if (!sysfs_link(root, &target, CLASS "/%s", name))
		sysfs_find_pci(target, &address);
	return address;
}
