/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The statistics of netdevs: struct rtnl_link_stats64, under the names of its members. In a saved
 * tree and in sysfs they are the files of sys/class/net/NETDEV/statistics.
 */
#pragma once

#include "counter/counter.h"
#include "host/rtnl.h"
#include "kernel/sysfs.h"

/*
 * The outcome for one netdev; `which` is its position in the request. A handler that keeps the
 * list, which is empty after an error, sets it to {0}. -ENODEV: the netdev is not, or no longer, in
 * this network namespace; -EOPNOTSUPP: a kernel before 4.7.
 */
typedef void rtnl_stats_taken(void *context, size_t which, int error, struct counter_list *list);

/* Reads these netdevs, many with one system call. `taken` is called once for each. */
void rtnl_get_stats(struct netlink *rtnl, const uint32_t *link_indexes, size_t count,
		    rtnl_stats_taken *taken, void *context);

/* Reads one netdev from sysfs into an empty list. Unreadable files are left out. */
void sysfs_net_read_stats(const struct root *root, const char *netdev, struct counter_list *list);

/*
 * The pure part: parses the payload of an RTM_NEWSTATS message, at a multiple of 4, into an empty
 * list. Members that this kernel does not have yet are left out. -EBADMSG: it is damaged.
 */
int rtnl_parse_stats(const void *payload, size_t length, struct number *ret_link_index,
		     struct counter_list *list);
