/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An inventory that is being loaded: what the readers of inventory.c, inventory_verbs.c and
 * netdev_resolve.c share. Nothing else uses it.
 */
#pragma once

#include "host/inventory.h"
#include "host/nldev_devices.h"
#include "host/rtnl.h"
#include "kernel/sysfs.h"

struct reading {
	struct inventory *inventory;
	struct problems *problems, *notes; /* the caller's, or NULL */
	const struct inventory_request *request;
	struct root root;
	struct netlink *nldev; /* NULL: not live, or no answer */
	struct netlink *rtnl;  /* opened when first needed */
	unsigned int needs;    /* what was requested, and what that requires */
};

/* MTUs, GID tables and capabilities, by verbs; GIDs by sysfs where verbs cannot. */
void read_verbs(struct reading *reading);
/* The netdevs of ports, GIDs and P_Keys, with what rtnetlink says of them. */
void read_netdevs(struct reading *reading);
