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
	char *address; /* both borrowed from the link */
	char *kind;
	struct number mtu_bytes;
	struct number speed_mbps;
	char *master;		/* borrowed; the bond that it belongs to */
	struct strings members; /* if it is a bond: its members */
	struct strings vlans;	/* VLAN netdevs on top of it, or of its master */
	struct strings ipoib;	/* IPoIB netdevs of the port, including children */
};

struct netdev_list {
	struct netdev *items;
	size_t count;
};

extern const struct schema netdev_schema;

/* Makes one record for each port of the devices; it borrows from them and from the links. */
void netdev_list_make(struct netdev_list *list, const struct device_list *devices,
		      const struct link_list *links);
void netdev_list_clear(struct netdev_list *list);
