/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which ports speak RoCE, and the netdevs that have their settings. Pure functions. */
#pragma once

#include "host/inventory/inventory.h"

/* The port speaks RoCE. */
bool roce_is_roce(const struct device *device, const struct port *port);
/* The port's netdev, or NULL: it has none in this network namespace, or it is not known. */
const struct link *roce_port_link(const struct inventory *inventory, const struct port *port);
/* The bond that the port's netdev is, or is a member of; NULL if there is none. */
const struct link *roce_port_bond(const struct inventory *inventory, const struct port *port);
/*
 * The netdevs that have the hardware's settings: `netdev` itself, or the members of the bond that
 * it is. The next one after `leg`, or the first after NULL.
 */
const struct link *roce_next_member(const struct inventory *inventory, const struct link *netdev,
				    const struct link *leg);

/* The RDMA MTU that a netdev's MTU leaves room for; 0: none. */
unsigned int roce_mtu(uint64_t netdev_mtu);
/* "3, 4" of 0x18; "none" of 0. The caller frees it. */
char *roce_priorities(unsigned int mask);
