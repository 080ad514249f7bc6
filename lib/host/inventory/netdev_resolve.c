/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Assigns netdevs to ports, GIDs and P_Keys. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/inventory/reading.h"
#include "host/need.h"
#include "host/netdev.h"
#include "mad/format/mad.h"
#include "host/device.h"

#define INDEX_FILE "sys/class/net/%s/ifindex"

static void read_saved_links(struct reading *reading, struct problems *problems)
{
	struct inventory *inventory = reading->inventory;
	int rc = link_list_read_sysfs(&reading->root, &inventory->links, reading->needs, problems);

	if (!rc)
		return;
	inventory->links.incomplete = inventory->links.missing = true;
	problem_add_text(reading->problems, NULL, "netdevs", "sysfs",
			 rc == -ENOENT ? "no sys/class/net in the saved tree" : strerror(-rc),
			 NULL);
}

static void add_change(struct reading *reading, const char *text)
{
	problem_add_text(reading->problems, NULL, NULL, "rtnetlink", text, NULL);
}

/* Problems of individual netdevs go to `problems`. */
static void read_links(struct reading *reading, struct problems *problems)
{
	struct inventory *inventory = reading->inventory;
	int rc = 0;

	if (!root_answers(&reading->root)) {
		read_saved_links(reading, problems);
		return;
	}
	if (!reading->rtnl)
		rc = rtnl_open(&reading->root, &reading->rtnl);
	if (!rc)
		rc = rtnl_get_links(reading->rtnl, &inventory->links);
	if (rc)
		inventory->links.incomplete = inventory->links.missing = true;
	else if (reading->needs & NEED_ADDRESSES)
		rc = rtnl_get_addresses(reading->rtnl, &inventory->addresses);
	if (rc)
		problem_add(reading->problems, NULL, "netdevs", "rtnetlink", rc, NULL);
	else if (inventory->links.missing)
		add_change(reading, "the netdevs changed while they were read: "
				    "some may be missing");
	else if (inventory->addresses.missing)
		add_change(reading, "the addresses of netdevs changed while they were read: "
				    "some may be missing");
}

/*
 * Compares the MAC with the modified EUI-64 of RFC 4291 appendix A, or with the plain MAC that
 * starts an iWARP GID.
 */
static bool mac_is_in_gid(const struct link *link, const struct known_gid *gid)
{
	unsigned int mac[6];
	const uint8_t *id = gid->gid.raw + 8;
	bool plain = true;

	if (!gid->known || !link->address ||
	    sscanf(link->address, "%2x:%2x:%2x:%2x:%2x:%2x", &mac[0], &mac[1], &mac[2], &mac[3],
		   &mac[4], &mac[5]) != 6)
		return false;
	for (int i = 0; i < 6; i++)
		plain = plain && gid->gid.raw[i] == mac[i];
	return plain || ((id[0] ^ 2u) == mac[0] && id[1] == mac[1] && id[2] == mac[2] &&
			 id[5] == mac[3] && id[6] == mac[4] && id[7] == mac[5]);
}

/*
 * The kernel's netdev name for a GID may refer to another network namespace, while an unrelated
 * netdev here has the same name. The port's netdev is on the same PCI function, or is of a kind
 * with lower netdevs (bond, VLAN), or its MAC is in the port's first GID (erdma, whose netdev is on
 * another function).
 */
static const struct link *own_link(const struct reading *reading, const struct device *device,
				   const struct known_gid *first_gid, const char *name)
{
	const struct link *link = link_by_name(&reading->inventory->links, name);
	_cleanup_(freep) char *address = NULL;

	if (!link || !device->pci_address || link->kind || link->vlan_id.known)
		return link;
	address = link_pci_address(&reading->root, name);
	if (address && !strcmp(address, device->pci_address))
		return link;
	return mac_is_in_gid(link, first_gid) ? link : NULL;
}

/* The netdev of bonded ports may be the bond rather than a member. */
static bool is_bonded(const struct link_list *links, const struct link *link)
{
	const struct link *master = link_by_index(links, &link->master_index);

	if (link->master_unknown)
		return true;
	return master ? link_is_bond(master) : link->master_index.known;
}

/*
 * Finds the netdev of a port if no GID names one: the only netdev on the same device with the same
 * port number. *ret_hidden: there is one, or a bond, that cannot be read.
 */
static char *netdev_of_function(const struct reading *reading, const struct device *device,
				const struct port *port, bool *ret_hidden)
{
	const struct link_list *links = &reading->inventory->links;
	const struct link *found = NULL;

	for (size_t i = 0; device->pci_address && i < links->count; i++) {
		const struct link *link = &links->items[i];

		/* This is the netdev of an InfiniBand port whose link layer cannot be read. */
		if (link_is_ipoib(link))
			continue;
		if (!link->dev_port.known || link->dev_port.value + 1 != port->port.value ||
		    !link_is_beside(&reading->root, link->name, device->kernel_name))
			continue;
		if (found)
			return NULL;
		found = link;
	}
	*ret_hidden = found && found->master_unknown;
	return found && !is_bonded(links, found) ? mem_string(found->name) : NULL;
}

/* Reports that the first GID cannot be read, unless the table is read anyway. */
static void note_first_gid(const struct reading *reading, const struct port *port)
{
	char text[SYSFS_TEXT_SIZE];
	ssize_t length;

	if (reading->needs & NEED_GIDS)
		return;
	length = sysfs_read(&reading->root, text, SYSFS_RDMA_CLASS "/%s/ports/%u/gids/0",
			    port->kernel_name, (unsigned int)port->port.value);
	port_note_text(reading->problems, port, "gids", "0", length, text);
}

/*
 * Whether a netdev that own_link() does not accept may still be the port's: the MAC or the GID that
 * would prove it cannot be read. Reports the GID; the MAC is among the problems of the netdevs.
 */
static bool may_be_own(const struct reading *reading, const struct port *port,
		       const struct known_gid *first_gid, const char *name)
{
	const struct link *link = link_by_name(&reading->inventory->links, name);

	if (!link || !link->address)
		return link;
	if (!first_gid->known)
		note_first_gid(reading, port);
	return !first_gid->known;
}

/*
 * In a saved tree, or on a kernel without RDMA netlink, takes the netdev of the first GID, or else
 * the only one of the device with the number of the port. If netlink answers without naming one,
 * the netdev is in another namespace. Returns NULL if there is none, or if it cannot be known
 * which: the port's netdev_unknown. The caller frees the name.
 */
static char *find_netdev(const struct reading *reading, const struct device *device,
			 struct port *port)
{
	struct known_gid first_gid;
	bool hidden = false; /* there may be one, but what would prove it cannot be read */
	char *name = NULL;
	int rc;

	if (reading->nldev)
		return NULL;
	first_gid = gid_read_first(&reading->root, port);
	rc = gid_read_netdev(&reading->root, port, 0, &name);
	if (!name && (!rc || rc == -ENOENT))
		name = netdev_of_function(reading, device, port, &hidden);
	if (!name && rc)
		port_note(reading->problems, port, "netdev", NULL, rc);
	if (name && !rc && !own_link(reading, device, &first_gid, name)) {
		hidden = may_be_own(reading, port, &first_gid, name);
		free(name);
		name = NULL;
	}
	port->netdev_unknown = !name && (rc || hidden || reading->inventory->links.missing);
	return name;
}

/* Finds the netdev of a port, and copies what the port shows of it. */
static void resolve_port(const struct reading *reading, const struct device *device,
			 struct port *port)
{
	const struct link_list *links = &reading->inventory->links;
	const struct link *link;

	if (!port->netdev && port_is_infiniband(port) && !device->sub_type.known)
		resolve_ipoib(reading, device, port);
	else if (!port->netdev)
		port->netdev = find_netdev(reading, device, port);
	if (!port->netdev && !port->link_layer.known)
		port->netdev_unknown = true;
	link = link_by_name(links, port->netdev);
	if (!link)
		return;
	port->netdev_index = link->index;
	port->netdev_operstate = link->operstate;
	port->netdev_mtu_bytes = link->mtu_bytes;
	port->carrier_changes = link->carrier_changes;
}

/*
 * Finds the entry that an IPoIB netdev uses: its full member key if present, else the limited one.
 * *ret_hidden: the entry may be in a slot that cannot be read.
 */
static struct pkey *find_pkey(const struct port *port, uint64_t value, bool *ret_hidden)
{
	struct pkey *limited = NULL;
	bool hidden = false;

	for (size_t i = 0; i < port->pkey_count; i++) {
		hidden = hidden || port->pkeys[i].index.value != i;
		if (port->pkeys[i].pkey.value == value) {
			limited = &port->pkeys[i];
			break;
		}
		if (!limited && (port->pkeys[i].pkey.value & 0x7fff) == (value & 0x7fff))
			limited = &port->pkeys[i];
	}
	*ret_hidden |= hidden;
	return hidden ? NULL : limited;
}

static void resolve_pkeys(const struct reading *reading, struct port *port)
{
	const struct link_list *links = &reading->inventory->links;
	/* Only InfiniBand has IPoIB. */
	bool known = links->count && port->link_layer.known, hidden = false;

	if (port_is_infiniband(port) && (links->incomplete || !port->port_guid.known))
		known = false;
	for (size_t i = 0; i < links->count; i++) {
		const struct link *link = &links->items[i];
		struct pkey *pkey = NULL;

		if (!port_has_ipoib(port, link))
			continue;
		/* IPoIB always joins as a full member, so its key has the top bit set. */
		if (link->pkey.known)
			pkey = find_pkey(port, link->pkey.value | PKEY_FULL_MEMBER, &hidden);
		else
			known = false;
		if (pkey)
			strings_add(&pkey->netdevs, link->name);
	}
	for (size_t i = 0; i < port->pkey_count; i++)
		port->pkeys[i].netdevs.known = (known && !hidden) || port->pkeys[i].netdevs.count;
}

/* True if a netdev is the port's, its bond, a member of the bond, or stacked on one of these. */
static bool is_related(const struct link_list *links, const struct link *link,
		       const struct link *own)
{
	for (int depth = 0; link && depth < LINK_MOST_LEVELS; depth++) {
		if (link == own || link_by_index(links, &own->master_index) == link ||
		    link_by_index(links, &link->master_index) == own)
			return true;
		link = link->lower_elsewhere ? NULL : link_by_index(links, &link->lower_index);
	}
	return false;
}

/*
 * The netdev index that verbs report for a GID, and its name in sysfs, belong to the netdev's
 * namespace, where the same index and name may mean another netdev than here. So the netdev has to
 * be related to the port's netdev, which netlink confirms. A port without a netdev in this
 * namespace can only have netdevs here that are stacked on one in another namespace: a container's
 * macvlan or VLAN.
 */
static bool is_of_port(const struct reading *reading, const struct device *device,
		       const struct port *port, const struct link *link)
{
	const struct link_list *links = &reading->inventory->links;
	const struct link *own = link_by_index(links, &port->netdev_index);

	if (own)
		return is_related(links, link, own);
	if (reading->nldev)
		return link->lower_elsewhere;
	return port->gid_count && own_link(reading, device, &port->gids[0].gid, link->name);
}

static const struct link *gid_link_by_index(const struct reading *reading,
					    const struct device *device, const struct port *port,
					    const struct gid_entry *gid,
					    const struct gid_entry *previous)
{
	const struct link *link = link_by_index(&reading->inventory->links, &gid->netdev_index);
	_cleanup_(freep) char *name = NULL;
	int rc;

	if (!link)
		return NULL;
	if (port->netdev_index.known && port->netdev_index.value == gid->netdev_index.value)
		return link;
	if (previous && previous->netdev && previous->netdev_index.known &&
	    previous->netdev_index.value == gid->netdev_index.value)
		return link;
	if (!is_of_port(reading, device, port, link))
		return NULL;
	rc = gid_read_netdev(&reading->root, port, (unsigned int)gid->index.value, &name);
	if (rc)
		port_note(reading->problems, port, "gid_attrs/ndevs", NULL, rc);
	return name && !strcmp(name, link->name) ? link : NULL;
}

/* Keeps the name from sysfs only if the netdev is in our namespace. */
static const struct link *gid_link_by_name(const struct reading *reading,
					   const struct device *device, const struct port *port,
					   struct gid_entry *gid)
{
	const struct link *link = link_by_name(&reading->inventory->links, gid->netdev);

	if (link && is_of_port(reading, device, port, link))
		return link;
	free(gid->netdev);
	gid->netdev = NULL;
	return NULL;
}

static void resolve_address(const struct inventory *inventory, struct gid_entry *gid)
{
	for (size_t i = 0; gid->ip.known && i < inventory->addresses.count; i++) {
		const struct link_address *address = &inventory->addresses.items[i];
		const struct link *link;

		/* Checked first: finding the netdev of each address is slow if there are many. */
		if (!ip_equal(&address->ip, &gid->ip.address))
			continue;
		link = link_by_index(&inventory->links, &address->link_index);
		if (!link)
			continue;
		/* A link-local address may be on several links: prefer the GID's netdev. */
		if (gid->address_netdev && (!gid->netdev || strcmp(link->name, gid->netdev)))
			continue;
		free(gid->address_netdev);
		gid->address_netdev = mem_string(link->name);
		gid->prefix_length = address->prefix_length;
	}
}

static void resolve_gids(const struct reading *reading, const struct device *device,
			 struct port *port)
{
	const struct inventory *inventory = reading->inventory;

	for (size_t i = 0; i < port->gid_count; i++) {
		struct gid_entry *gid = &port->gids[i];
		const struct link *link = gid->netdev ? gid_link_by_name(reading, device, port, gid)
						      : gid_link_by_index(reading, device, port,
									  gid, i ? gid - 1 : NULL);
		const struct link *master = link ? link_by_index(&inventory->links,
								 &link->master_index)
						 : NULL;

		if (link) {
			if (!gid->netdev)
				gid->netdev = mem_string(link->name);
			gid->netdev_index = link->index;
			gid->vlan = link->vlan_id;
		}
		if (master)
			gid->master = mem_string(master->name);
		resolve_address(inventory, gid);
	}
}

/*
 * rtnetlink lacks the speed; sysfs has it, one file per netdev. If names have changed meanwhile,
 * the file may be another netdev's.
 */
static void read_files(struct reading *reading, bool renamed, struct problems *problems)
{
	struct link_list *links = &reading->inventory->links;
	const uint64_t needs = reading->needs & NEED_NETDEV_SPEED;

	for (size_t i = 0; needs && i < links->count; i++) {
		struct link *link = &links->items[i];
		struct number index = link->index;

		if (renamed && link->name)
			sysfs_read_number(&reading->root, &index, INDEX_FILE, link->name);
		if (index.value == link->index.value)
			link_read_sysfs(&reading->root, link, needs, problems);
	}
}

/* Whether the netdev of that index got the name since netlink was asked for the ports. */
static bool has_new_name(struct reading *reading, const char *name, uint64_t index)
{
	_cleanup_(link_list_clear) struct link_list list = {.count = 0};

	if (!reading->rtnl && rtnl_open(&reading->root, &reading->rtnl))
		return false;
	return !rtnl_get_link(reading->rtnl, 0, name, &list) && list.count &&
	       number_is(&list.items[0].index, index);
}

/*
 * Whether sysfs shows another network namespace, the one that it was mounted in, where the ports'
 * netdevs have other indexes. Checking one port is enough, unless netdevs are read from there.
 * *ret_renamed: only names have changed.
 */
static bool is_other_sysfs(struct reading *reading, bool *ret_renamed)
{
	const bool every = reading->needs & NEED_NETDEV_SPEED;

	for_each_port (device, port, &reading->inventory->devices) {
		struct number index = {.known = false};

		if (!port->netdev || !port->netdev_index.known)
			continue;
		if (!sysfs_read_number(&reading->root, &index, INDEX_FILE, port->netdev) &&
		    index.value != port->netdev_index.value) {
			*ret_renamed = has_new_name(reading, port->netdev, index.value);
			if (!*ret_renamed)
				return true;
		}
		if (!every)
			return false;
	}
	return false;
}

static void resolve(const struct reading *reading)
{
	struct device_list *list = &reading->inventory->devices;

	for (size_t i = 0; i < list->count; i++) {
		struct device *device = &list->items[i];

		for (size_t j = 0; j < device->port_count; j++) {
			resolve_port(reading, device, &device->ports[j]);
			resolve_pkeys(reading, &device->ports[j]);
			resolve_gids(reading, device, &device->ports[j]);
		}
		device_find_netdevs(device);
	}
}

void read_netdevs(struct reading *reading)
{
	const struct objects *objects = reading->request->objects;
	struct problems problems = {0}; /* of all netdevs, relevant or not */
	bool renamed = false;

	if (reading->needs & NEED_LINK_LIST || wants_ipoib(reading))
		read_links(reading, &problems);
	link_list_sort(&reading->inventory->links);
	if (is_other_sysfs(reading, &renamed))
		problem_add_text(reading->problems, NULL, "netdevs", "sysfs",
				 "/sys shows those of another network namespace",
				 "mount the sysfs of this one: mount -t sysfs sysfs /sys");
	else if (root_answers(&reading->root))
		read_files(reading, renamed, &problems);
	if (!reading->nldev && (objects->count || objects->excluded.count) && wants_ipoib(reading))
		read_unlisted_guids(reading);
	resolve(reading);
	note_links(reading, &problems);
	problems_free(&problems);
}
