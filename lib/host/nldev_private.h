/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the files of RDMA netlink share; nothing outside lib/source/nldev*.c uses it. */
#pragma once

#include <stdint.h>

#include <rdma/rdma_netlink.h>

#include "host/nldev.h"

struct netlink;
struct nlattr;

struct nldev {
	struct netlink *netlink;
};

/* The type of a message with that enum rdma_nldev_command. */
static inline uint16_t nldev_message_type(unsigned int command)
{
	return RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command);
}

/*
 * Asks `command` of every port of the listed devices that have an index, in batches. `take` is
 * shown the attributes of each answer, a table of NLDEV_ATTR_KNOWN, and returns 0 or -errno;
 * `failed` is called for the ports that it refuses and for those that the kernel does. Each port is
 * taken once, or has failed.
 */
typedef int nldev_take(void *context, struct port *port, const struct nlattr *const *table);

void nldev_ask_ports(struct nldev *nldev, const struct device_list *list, unsigned int command,
		     nldev_take *take, nldev_port_failed *failed, void *context);
