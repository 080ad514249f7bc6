/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An inventory that is being loaded. The readers in inventory.c, inventory_verbs.c and
 * netdev_resolve.c share this; nothing else uses it.
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
	struct netlink *nldev; /* NULL in a saved tree, or if it does not answer */
	struct netlink *rtnl;  /* opened on first use */
	uint64_t needs;	       /* the requested needs and their requirements */
};

/* Reads MTUs, GID tables and capabilities from verbs, and GIDs from sysfs where verbs fail. */
void read_verbs(struct reading *reading);
/* Finds the netdevs of ports, GIDs and P_Keys and reads their attributes from rtnetlink. */
void read_netdevs(struct reading *reading);
