/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The target of a change to RoCE settings, as named on the command line: DEV, DEV/PORT or NETDEV.
 * Some settings belong to the port, the others to the netdev; for a bond, to each of its members.
 */
#pragma once

#include "host/inventory/inventory.h"
#include "host/need.h"

/* The inventory facts that the target needs. */
#define ROCE_TARGET_NEEDS                                                                \
	(NEED_TRANSPORT | NEED_LINK_LAYER | NEED_DRIVER | NEED_NETDEV | NEED_LINK_LIST | \
	 NEED_LINK_UPPERS | NEED_LINK_KIND)

struct roce_target {
	const struct port **ports; /* RoCE ports, borrowed */
	size_t port_count;
	const struct link **members; /* netdevs with the settings, borrowed */
	size_t member_count;
	/* The netdevs themselves: a bond passes its MTU on to its members, bond_change_mtu(). */
	const struct link **netdevs;
	size_t netdev_count;
};

/*
 * Returns 0; -ENODEV: no device, port or netdev has that name; -EOPNOTSUPP: it does not speak RoCE.
 * A netdev need not have an RDMA port. The caller clears the target.
 */
int roce_target_find(const struct inventory *inventory, const char *word,
		     struct roce_target *ret_target);
/* Loads the netdevs of a host without RDMA, which the inventory does not. 0 or -errno. */
int roce_target_load_links(struct inventory *inventory);
void roce_target_clear(struct roce_target *target);
