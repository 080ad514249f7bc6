/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rtnetlink's notifications: netdevs and addresses of this network namespace, as they are from now
 * on. Any user may listen. The monitor owns its descriptor; functions return 0 or -errno.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "host/link.h"

struct rtnl_monitor;

/*
 * One change: either of a link or of an address, the other is NULL. A link comes whole each time,
 * changed or not (speed_mbps and dev_port stay unknown); one that is deleted is gone from this
 * namespace, with what it was like. An address that was there already may be told again.
 */
struct rtnl_notice {
	bool deleted;
	const struct link *link;
	const struct link_address *address;
};

int rtnl_monitor_open(struct rtnl_monitor **ret_monitor);
/* For tests: any socket that keeps datagrams apart. Takes the descriptor over. */
struct rtnl_monitor *rtnl_monitor_from_fd(int fd);
void rtnl_monitor_free(struct rtnl_monitor *monitor);
int rtnl_monitor_fd(const struct rtnl_monitor *monitor); /* for poll(): POLLIN */

typedef void rtnl_notice_handler(void *context, const struct rtnl_notice *notice);

/*
 * Hands on what is there, in the kernel's order and without waiting; the records are gone when the
 * handler returns. -ENOBUFS: some were lost, the rest was handed on: read all links and addresses
 * now. Other errors are for good.
 */
int rtnl_monitor_read(struct rtnl_monitor *monitor, rtnl_notice_handler *handle, void *context);

/* The pure part: one datagram of the kernel, at a multiple of 4. -EBADMSG: it is damaged. */
int rtnl_monitor_take(const void *datagram, size_t length, rtnl_notice_handler *handle,
		      void *context);
