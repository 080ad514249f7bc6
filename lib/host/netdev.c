/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/netdev.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "host/need.h"
#include "schema/rows.h"

static const struct enum_name namespace_names[] = {
	{NETDEV_NAMESPACE_OWN, "own"},
	{NETDEV_NAMESPACE_UNKNOWN, "unknown", TONE_WARNING},
	{NETDEV_NAMESPACE_NONE, "none"},
	{0, NULL},
};

#define NEED_NETDEV_LINK (NEED_NETDEV | NEED_LINK_LIST)

/*
 * A netdev in another network namespace is invisible but exists: the table shows that in its cell,
 * while JSON has null and the namespace word.
 */
#define RECORD struct netdev
static const struct field netdev_fields[] = {
	TEXT(device, "DEVICE", SHOWN, 0, "name of the device"),
	NUMBER(port, "PORT", SHOWN, 0, "number of the port"),
	TEXT(netdev, "NETDEV", SHOWN, NEED_NETDEV_LINK, "netdev of the port"),
	WORD_AS("namespace", netns, namespace_names, "NAMESPACE", SHOWN,
		NEED_NETDEV_LINK | NEED_LINK_LAYER | NEED_TRANSPORT | NEED_NODE_TYPE,
		"own; unknown: in another network namespace, or detached; none: has no netdev"),
	WORD_AS("operstate", link.operstate, operstate_names, "OPERSTATE", SHOWN,
		NEED_NETDEV_LINK | NEED_LINK_STATE, "operational state"),
	TEXT_AS("address", link.address, "ADDRESS", SHOWN, NEED_NETDEV_LINK | NEED_LINK_ADDRESS,
		"hardware address"),
	NUMBER_AS("mtu_bytes", link.mtu_bytes, "MTU", SHOWN, NEED_NETDEV_LINK | NEED_LINK_MTU,
		  "MTU of the netdev"),
	NUMBER_AS("speed_mbps", link.speed_mbps, "SPEED Mb/s", SHOWN,
		  NEED_NETDEV_LINK | NEED_NETDEV_SPEED, "speed of the netdev, megabits a second"),
	TEXT(master, "MASTER", SHOWN, NEED_NETDEV_LINK,
	     "bond, bridge or VRF that the netdev belongs to"),
	LIST(members, "MEMBERS", SHOWN, NEED_NETDEV_LINK | NEED_LINK_UPPERS,
	     "members of the netdev, if it is a bond"),
	LIST(vlans, "VLANS", SHOWN, NEED_NETDEV_LINK | NEED_LINK_UPPERS,
	     "VLAN netdevs on top of it or of its bond"),
	LIST(ipoib, "IPOIB", SHOWN, NEED_NETDEV_LINK | NEED_LINK_LAYER,
	     "IPoIB netdevs of the port, P_Key children included"),
	TEXT_AS("kind", link.kind, "KIND", 0, NEED_NETDEV_LINK | NEED_LINK_KIND,
		"kind of a virtual netdev: bond, vlan, ipoib ..."),
};

const struct schema netdev_schema = SCHEMA("netdevs", struct netdev, netdev_fields,
					   "the netdev of a port");

/*
 * A RoCE or iWARP port always has a netdev, so an invisible one is in another namespace. IPoIB
 * netdevs are found by the port's GUID: without the GUID, with an incomplete list, or if sysfs
 * tells that the PCI function has netdevs elsewhere, not finding one proves nothing.
 */
static enum netdev_namespace find_namespace(const struct device *device, const struct port *port,
					    const struct link_list *links)
{
	if (port->netdev)
		return NETDEV_NAMESPACE_OWN;
	if (device->transport.value == TRANSPORT_UNSPECIFIED || device->sub_type.known)
		return NETDEV_NAMESPACE_NONE;
	if (port_is_infiniband(port) && port->port_guid.known && !links->incomplete &&
	    !port->netdev_unknown)
		return NETDEV_NAMESPACE_NONE;
	return NETDEV_NAMESPACE_UNKNOWN;
}

static void add_uppers(struct netdev *netdev, const struct link_list *links,
		       const struct link *link, const struct link *master)
{
	netdev->vlans.known = netdev->members.known = !links->missing;
	for (size_t i = 0; i < links->count; i++) {
		const struct link *other = &links->items[i];
		bool is_vlan = other->vlan_id.known ||
			       (other->kind && !strcmp(other->kind, "vlan"));
		bool on_link = other->lower_index.known && !other->lower_elsewhere &&
			       (other->lower_index.value == link->index.value ||
				(master && other->lower_index.value == master->index.value));

		if (other->lower_unknown)
			netdev->vlans.known = false;
		if (other->master_unknown)
			netdev->members.known = false;
		if (on_link && is_vlan)
			strings_add(&netdev->vlans, other->name);
		if (other->master_index.known && other->master_index.value == link->index.value)
			strings_add(&netdev->members, other->name);
	}
}

static void add_port(struct netdev *netdev, const struct device *device, const struct port *port,
		     const struct link_list *links)
{
	const struct link *link = link_by_name(links, port->netdev);

	netdev->device = device->name;
	netdev->port = port->port;
	netdev->netdev = port->netdev;
	number_set(&netdev->netns, find_namespace(device, port, links));
	if (link) {
		const struct link *master = link_by_index(links, &link->master_index);

		netdev->link = *link;
		netdev->master = master ? master->name : NULL;
		add_uppers(netdev, links, link, master);
	}
	netdev->ipoib.known = links->count && port->link_layer.known &&
			      (!port_is_infiniband(port) ||
			       (port->port_guid.known && !links->incomplete &&
				!port->netdev_unknown));
	/* Without a parent there are no children either. */
	for (size_t i = 0; port_is_infiniband(port) && port->netdev && i < links->count; i++)
		if (link_is_ipoib_of(&links->items[i], port))
			strings_add(&netdev->ipoib, links->items[i].name);
}

void netdev_list_make(struct netdev_list *list, const struct device_list *devices,
		      const struct link_list *links)
{
	for_each_port (device, port, devices)
		add_port(mem_append(&list->items, &list->count, sizeof(*list->items)), device, port,
			 links);
}

void netdev_list_clear(struct netdev_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		strings_free(&list->items[i].members);
		strings_free(&list->items[i].vlans);
		strings_free(&list->items[i].ipoib);
	}
	free(list->items);
	*list = (struct netdev_list){0};
}
