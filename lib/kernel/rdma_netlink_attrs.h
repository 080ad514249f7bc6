/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Numbers of RDMA netlink attributes that are younger than the oldest kernel headers the project
 * builds with (Debian 12's, 6.1, whose RDMA_NLDEV_ATTR_MAX is 96). They are ABI: enum
 * rdma_nldev_attr, include/uapi/rdma/rdma_netlink.h, Linux 6.12.
 */
#pragma once

enum {
	NLDEV_ATTR_DEV_TYPE = 99,	   /* u8, enum rdma_nl_dev_type */
	NLDEV_ATTR_PARENT_NAME = 100,	   /* string */
	NLDEV_ATTR_EVENT_TYPE = 102,	   /* u8, enum rdma_nl_notify_event_type */
	NLDEV_SYS_ATTR_MONITOR_MODE = 103, /* u8, 1: the kernel notifies */
	NLDEV_ATTR_KNOWN = 104,		   /* size of a table for all that are used */
};
