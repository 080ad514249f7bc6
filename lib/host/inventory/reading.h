/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An inventory that is being loaded. The readers in inventory.c, inventory_verbs.c,
 * netdev_resolve.c, netdev_ipoib.c, netdev_problems.c and absence.c share this; nothing else uses
 * it.
 */
#pragma once

#include "host/inventory/inventory.h"
#include "host/nldev_devices.h"
#include "host/rtnl.h"
#include "kernel/sysfs.h"

struct reading {
	struct inventory *inventory;
	struct problems *problems, *notes; /* the caller's, or NULL */
	const struct inventory_request *request;
	struct root root;
	struct netlink *nldev; /* NULL in a saved tree, or without an answer */
	struct netlink *rtnl;  /* opened on first use */
	uint64_t needs;	       /* requested needs, and what they depend on */
	/* All devices, with GUIDs of ports that were not requested: read_unlisted_guids(). */
	struct device_list unlisted;
};

/* Reads MTUs, GID tables and capabilities from verbs, and GIDs from sysfs where verbs fail. */
void read_verbs(struct reading *reading);
/* Finds the netdevs of ports, GIDs and P_Keys and reads their attributes from rtnetlink. */
void read_netdevs(struct reading *reading);
/*
 * True if RDMA netlink does not report the netdev of some port: IPoIB is a client of the RDMA core,
 * so its netdev is not the port's.
 */
bool wants_ipoib(const struct reading *reading);
/*
 * Reads the port GUIDs of devices and ports that were not requested. Without netlink, only the GUID
 * identifies a sub-device, which has no netdev: the netdev belongs to the first port with that
 * GUID.
 */
void read_unlisted_guids(struct reading *reading);
/* Finds the netdev of an InfiniBand port. */
void resolve_ipoib(const struct reading *reading, const struct device *device, struct port *port);
/* Reports those problems of netdevs that hide requested facts. */
void note_links(struct reading *reading, const struct problems *problems);
/*
 * Reports each PCI function that is or may be an RDMA adapter: its driver and what is missing. For
 * hosts without an RDMA device. Returns true if one is definitely an RDMA adapter.
 */
bool note_adapters(const struct root *root, struct problems *problems);
/* Whether each device is in one network namespace, and in the class directory of that one only. */
bool devices_are_exclusive(const struct root *root);
