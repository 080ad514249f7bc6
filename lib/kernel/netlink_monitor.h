/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the sources of events that are netlink have in common: a socket that only listens to
 * multicast groups of the kernel. The monitor owns its descriptor. Functions return 0 or -errno.
 */
#pragma once

#include <stddef.h>

struct netlink_monitor;

/*
 * Joins the groups (by number, from 1) of a netlink protocol. `largest`: room for one datagram in
 * bytes. -EPROTONOSUPPORT: the kernel has no such protocol; -EPERM: the group is not for everyone;
 * -EINVAL: the protocol has no such group.
 */
int netlink_monitor_open(int protocol, const unsigned int *groups, size_t group_count,
			 size_t largest, struct netlink_monitor **ret_monitor);
/* For tests: any socket that keeps datagrams apart. Takes the descriptor over. */
struct netlink_monitor *netlink_monitor_from_fd(int fd, size_t largest);
void netlink_monitor_free(struct netlink_monitor *monitor);
/* Readable: something happened, or (POLLERR) something was lost; netlink_monitor_read() tells. */
int netlink_monitor_fd(const struct netlink_monitor *monitor);

/* Shown each datagram, which starts at a multiple of 4 and is gone when it returns. */
typedef void netlink_monitor_handler(void *context, const void *datagram, size_t length);

/*
 * Reads without waiting until nothing is left, or so much was read that others should have their
 * turn (the descriptor is still readable then). -ENOBUFS: some were lost, before or after those
 * that were read; what the kernel says from now on is whole again, so whoever reads the state now
 * has everything. Any other error is for good.
 */
int netlink_monitor_read(struct netlink_monitor *monitor, netlink_monitor_handler *handle,
			 void *context);
