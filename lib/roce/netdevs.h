/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which ports speak RoCE, and which netdevs have their settings. Pure functions. */
#pragma once

#include "host/inventory/inventory.h"

/* Whether the port speaks RoCE. */
bool roce_is_roce(const struct device *device, const struct port *port);
/* Returns the port's netdev; NULL: none in this network namespace, or unknown. */
const struct link *roce_port_link(const struct inventory *inventory, const struct port *port);
/* Returns the bond that the port's netdev is, or is a member of; NULL if there is none. */
const struct link *roce_port_bond(const struct inventory *inventory, const struct port *port);
/*
 * Iterates over the netdevs that have the hardware's settings: `netdev` itself, or, if it is a
 * bond, its members. Returns the one after `leg`, or the first if that is NULL.
 */
const struct link *roce_next_member(const struct inventory *inventory, const struct link *netdev,
				    const struct link *leg);

/* Returns the largest RDMA MTU that fits into a netdev's MTU; 0: none. */
unsigned int roce_mtu(uint64_t netdev_mtu);
/* Returns "3, 4" for 0x18, "none" for 0. The caller frees it. */
char *roce_priorities(unsigned int mask);
