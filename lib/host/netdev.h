/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The netdev of one port, and the netdevs on top of it. */
#pragma once

#include "host/device.h"
#include "host/link.h"

enum netdev_namespace { NETDEV_NAMESPACE_OWN, NETDEV_NAMESPACE_UNKNOWN, NETDEV_NAMESPACE_NONE };

struct netdev {
	char *device; /* borrowed from the device */
	struct number port;
	char *netdev;	     /* borrowed from the port */
	struct number netns; /* enum netdev_namespace */
	struct number operstate;
	char *address; /* borrowed from the link, as kind */
	char *kind;
	struct number mtu_bytes;
	struct number speed_mbps;
	char *master;		/* the bond that it belongs to; borrowed */
	struct strings members; /* of the bond that it is */
	struct strings vlans;	/* VLAN netdevs on top of it, or of its master */
	struct strings ipoib;	/* IPoIB netdevs of the port, children included */
};

struct netdev_list {
	struct netdev *items;
	size_t count;
};

extern const struct schema netdev_schema;

/* One record for each port of the devices; borrows from them and from the links. */
void netdev_list_make(struct netdev_list *list, const struct device_list *devices,
		      const struct link_list *links);
void netdev_list_clear(struct netdev_list *list);
