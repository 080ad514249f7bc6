/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Everything that decides whether a RoCE port is lossless, in one record: what rdma_cm gives its
 * connections, the settings of the netdev, and the path from one to the other (roce/chain.h). A
 * port on a bond has one record per member, because each member has its own settings.
 */
#pragma once

#include "host/inventory/inventory.h"
#include "host/need.h"
#include "roce/chain.h"

/* The inventory facts that the records need. */
#define ROCE_NEEDS                                                                         \
	(NEED_TRANSPORT | NEED_LINK_LAYER | NEED_DRIVER | NEED_PCI_ADDRESS | NEED_NETDEV | \
	 NEED_MTU | NEED_LINK_LIST | NEED_LINK_UPPERS | NEED_LINK_MTU | NEED_LINK_KIND)

struct roce_port {
	char *device; /* borrowed from the device */
	struct number port;
	char *netdev;		    /* borrowed from the link; NULL: none here */
	char *bond;		    /* borrowed: the bond that the netdev is a member of */
	struct number default_mode; /* enum roce_mode */
	struct number default_tos;
	struct number global_tos;
	struct number tos, tos_source; /* the TOS that is followed, and enum tos_source */
	/* In the same form in which they are set: change/dcb.h. */
	char *trust, *dscp_priority, *priority_class, *class_algorithm, *class_bandwidth;
	char *maxrate, *pfc, *pfc_delay, *priority_buffer, *buffer_size, *dcbx;
	char *ecn_send, *ecn_receive;
	struct number cnp_dscp, cnp_priority;
	char *pause;
	struct number netdev_mtu_bytes, rdma_mtu_bytes, active_mtu_bytes;
	struct roce_chain chain;
};

struct roce_list {
	struct roce_port *items;
	size_t count;
};

extern const struct schema roce_schema;

/*
 * Reads the records of all RoCE ports of the inventory. `root` is a saved tree, or NULL; `tos` is
 * followed if known, else the default. Read errors become problems. Returns 0, or -errno of opening
 * the root. The records borrow from the inventory.
 */
int roce_list_load(struct roce_list *list, const struct inventory *inventory, const char *root,
		   const struct number *tos, struct problems *problems);
void roce_list_clear(struct roce_list *list);
