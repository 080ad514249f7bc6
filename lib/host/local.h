/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parts of inventory_load(); nothing outside lib/load uses it. */
#pragma once

#include "host/inventory.h"
#include "host/nldev_devices.h"
#include "host/rtnl.h"
#include "kernel/sysfs.h"

/* The work in progress: open sources and what is asked of them. */
struct local {
	struct inventory *inventory;
	struct problems *problems, *notes; /* the caller's, or NULL */
	struct root root;
	struct netlink *nldev; /* NULL: not live, or no answer */
	struct netlink *rtnl;  /* opened when first needed */
	unsigned int needs;    /* what is asked for, and what that stands on */
	unsigned int asked;
};

/* MTUs, GID tables and capabilities: verbs where it can, sysfs for the GIDs where it cannot. */
void local_read_verbs(struct local *local, const struct inventory_request *request);
/* Netdevs behind ports and GIDs, IPoIB, VLANs, bonds, addresses. */
void local_read_netdevs(struct local *local);
