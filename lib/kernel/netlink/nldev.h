/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The basics of RDMA netlink (drivers/infiniband/core/nldev.c): its socket, message types,
 * attributes and notifications. The code that fills records interprets the attributes. Opening a
 * socket makes the kernel load ib_core: check for the class directory first. Functions return 0 or
 * -errno.
 */
#pragma once

#include <stdint.h>

#include <rdma/rdma_netlink.h>

#include "kernel/netlink/netlink.h"
#include "schema/value.h"

/*
 * Attributes that are missing in the oldest kernel headers the project builds with (Debian 12's,
 * 6.1, whose RDMA_NLDEV_ATTR_MAX is 96): enum rdma_nldev_attr, include/uapi/rdma/rdma_netlink.h,
 * Linux 6.12.
 */
enum {
	NLDEV_SYS_ATTR_PRIVILEGED_QKEY = 96, /* u8, 1: without a capability */
	NLDEV_ATTR_RES_SUBTYPE = 98,	     /* string: a driver-specific queue pair type */
	NLDEV_ATTR_DEV_TYPE = 99,	     /* u8, enum rdma_nl_dev_type */
	NLDEV_ATTR_PARENT_NAME = 100,	     /* string */
	NLDEV_ATTR_EVENT_TYPE = 102,	     /* u8, enum rdma_nl_notify_event_type */
	NLDEV_SYS_ATTR_MONITOR_MODE = 103,   /* u8, 1: the kernel notifies */
	NLDEV_ATTR_STAT_OPCOUNTER = 104,     /* u8, 1: optional counters are bound (6.15) */
	NLDEV_ATTR_KNOWN = 105,		     /* size of a table for all attributes used here */
};

/* AF_IB and struct sockaddr_ib of RDMA_NLDEV_ATTR_RES_SRC_ADDR: include/rdma/ib.h. */
enum { NLDEV_FAMILY_IB = 27, NLDEV_IB_ADDRESS_AT = 8 };

/* -EPROTONOSUPPORT: this kernel has no RDMA netlink. */
int nldev_open(const struct root *root, struct netlink **ret_nldev);
/* Like nldev_open(), given the directory of the root; NULL for the live system. */
int nldev_open_at(const char *directory, struct netlink **ret_nldev);
/* Returns the smallest message size that the kernel uses: enough for one device or port. */
size_t nldev_message_size(void);

/* Returns the message type of an enum rdma_nldev_command. */
static inline uint16_t nldev_message_type(unsigned int command)
{
	return RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command);
}

/* Parse the attributes of a message or nest into a table of NLDEV_ATTR_KNOWN. -EBADMSG: damaged. */
int nldev_parse(const void *attributes, size_t length, struct nlattr **table);
int nldev_parse_nest(const struct nlattr *nest, struct nlattr **table);

/*
 * Returns the exact bytes of a device name, for the caller to free. NULL if there is none, or if it
 * cannot name a directory.
 */
char *nldev_get_kernel_name(const struct nlattr *attribute);

/* Settings of the RDMA subsystem, RDMA_NLDEV_CMD_SYS_GET; unknown if this kernel does not say. */
struct nldev_settings {
	struct number shared_netns;    /* 1: devices are in all network namespaces; 0: one each */
	struct number copy_on_fork;    /* 1: a child gets copies of registered memory */
	struct number privileged_qkey; /* 1: controlled Q_Keys need no CAP_NET_RAW */
	struct number notifies;	       /* see nldev_listen() */
};

/* Any user may call this. -EOPNOTSUPP: a kernel before 5.1; -EPROTONOSUPPORT: no RDMA netlink. */
int nldev_read_settings(const struct root *root, struct nldev_settings *ret_settings);
/* Like nldev_read_settings(), on an open socket. */
int nldev_get_settings(struct netlink *nldev, struct nldev_settings *ret_settings);
/* Pure function: parses a reply's attributes, aligned to 4 bytes, into a struct nldev_settings. */
int nldev_parse_settings(void *record, const void *attributes, size_t length);

/*
 * Explains the error of a request about a device: nldev returns -EINVAL for an index that it does
 * not know, as for much else, so this queries the device itself. -ENODEV: it is gone.
 */
int nldev_explain(struct netlink *nldev, uint32_t device_index, int error);

/* enum rdma_nl_notify_event_type, include/uapi/rdma/rdma_netlink.h */
enum nldev_event_type {
	NLDEV_EVENT_REGISTER,
	NLDEV_EVENT_UNREGISTER,
	NLDEV_EVENT_NETDEV_ATTACH,
	NLDEV_EVENT_NETDEV_DETACH,
	NLDEV_EVENT_RENAME,	   /* newer than 6.12 */
	NLDEV_EVENT_NETDEV_RENAME, /* newer than 6.12 */
};

/* Anything that a message omits is unknown; the type may be newer than the list above. */
struct nldev_event {
	struct number type;
	struct number device_index;
	struct number port;
};

/*
 * Listens for notifications: devices registered and gone, their netdevs attached and detached,
 * names changed. Linux sends them since 6.12, in the network namespace of the device only, within
 * milliseconds of the uevents (kernel/netlink/uevent.h). -EOPNOTSUPP: this kernel does not notify
 * (it would accept a listener, and stay silent); -EPERM: it demands CAP_NET_ADMIN, unlike 6.12;
 * -EPROTONOSUPPORT: it has no RDMA netlink.
 */
int nldev_listen(struct netlink **ret_events);

typedef void nldev_event_handler(void *context, const struct nldev_event *event);

/*
 * Passes on what has arrived, without waiting; the record is gone when the handler returns.
 * -ENOBUFS: some events were lost and the rest was passed on: look at all devices now. Other errors
 * are permanent.
 */
int nldev_read_events(struct netlink *events, nldev_event_handler *handle, void *context);

/*
 * Pure function: parses the attributes of one notification, aligned to 4 bytes, into an empty
 * record. -EBADMSG: it is damaged, and the record may be partly filled.
 */
int nldev_event_parse(const void *attributes, size_t length, struct nldev_event *event);
