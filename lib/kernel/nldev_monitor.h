/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RDMA netlink's notifications: devices registered and gone, their netdevs attached and detached,
 * names changed. Linux has them since 6.12, in the first network namespace; the others stay silent.
 * What comes with a uevent as well (source/uevent.h) comes within milliseconds of it. Opening makes
 * the kernel load ib_core: look for the class directory first. The monitor owns its descriptor;
 * functions return 0 or -errno.
 */
#pragma once

#include <stddef.h>

#include "schema/value.h"

struct nldev_monitor;

/* enum rdma_nl_notify_event_type, include/uapi/rdma/rdma_netlink.h */
enum nldev_event_type {
	NLDEV_EVENT_REGISTER,
	NLDEV_EVENT_UNREGISTER,
	NLDEV_EVENT_NETDEV_ATTACH,
	NLDEV_EVENT_NETDEV_DETACH,
	NLDEV_EVENT_RENAME,	   /* later than 6.12 */
	NLDEV_EVENT_NETDEV_RENAME, /* later than 6.12 */
};

/* What a message does not hold is unknown: the type may be one that is younger than this table. */
struct nldev_event {
	struct number type;
	struct number device_index;
	char *device_kernel_name; /* as the kernel has it, any byte but / and NUL */
	struct number port;
	struct number netdev_index;
	char *netdev; /* clean */
};

/*
 * -EOPNOTSUPP: this kernel does not notify (it would let one listen, and say nothing); -EPERM: not
 * without CAP_NET_ADMIN, which 6.12 does not ask for; -EPROTONOSUPPORT: it has no RDMA netlink at
 * all.
 */
int nldev_monitor_open(struct nldev_monitor **ret_monitor);
/* For tests: any socket that keeps datagrams apart. Takes the descriptor over. */
struct nldev_monitor *nldev_monitor_from_fd(int fd);
void nldev_monitor_free(struct nldev_monitor *monitor);
int nldev_monitor_fd(const struct nldev_monitor *monitor); /* for poll(): POLLIN */

typedef void nldev_event_handler(void *context, const struct nldev_event *event);

/*
 * Hands on what is there, without waiting; the record is gone when the handler returns. -ENOBUFS:
 * some were lost, the rest was handed on: look at all devices now. Other errors are for good.
 */
int nldev_monitor_read(struct nldev_monitor *monitor, nldev_event_handler *handle, void *context);

/*
 * The pure part: the attributes of one notification, at a multiple of 4, into an empty record.
 * -EBADMSG: it is damaged, and the record may be filled in part.
 */
int nldev_event_parse(const void *attributes, size_t length, struct nldev_event *event);
void nldev_event_clear(struct nldev_event *event);
