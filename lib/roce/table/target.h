/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a word of the command line names whose RoCE settings are to be changed: DEV, DEV/PORT or
 * NETDEV. Some settings are the port's, the others the netdev's; of a bond, those of each member.
 */
#pragma once

#include "host/inventory/inventory.h"
#include "host/need.h"

/* What the target needs of the inventory. */
#define ROCE_TARGET_NEEDS                                                                \
	(NEED_TRANSPORT | NEED_LINK_LAYER | NEED_DRIVER | NEED_NETDEV | NEED_LINK_LIST | \
	 NEED_LINK_UPPERS | NEED_LINK_KIND)

struct roce_target {
	const struct port **ports; /* RoCE ports, borrowed */
	size_t port_count;
	const struct link **members; /* netdevs with the settings, borrowed */
	size_t member_count;
	/* The netdevs themselves: a bond gives its MTU to its members, bond_change_mtu(). */
	const struct link **netdevs;
	size_t netdev_count;
};

/*
 * 0; -ENODEV: there is neither such a device or port nor such a netdev; -EOPNOTSUPP: it does not
 * speak RoCE. A netdev does not need to have an RDMA port. The caller clears the target.
 */
int roce_target_find(const struct inventory *inventory, const char *word,
		     struct roce_target *ret_target);
/* The netdevs of a host without RDMA, which the inventory has not loaded. 0 or -errno. */
int roce_target_load_links(struct inventory *inventory);
void roce_target_clear(struct roce_target *target);
