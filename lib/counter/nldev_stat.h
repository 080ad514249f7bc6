/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counters from RDMA netlink (drivers/infiniband/core/nldev.c, STAT_GET): those in
 * ports/N/hw_counters of sysfs, under the same names, one message for each port. No privilege is
 * needed. A port whose driver has none, or a kernel that does not know the request, answers -EINVAL
 * or -EOPNOTSUPP; -EMSGSIZE means that they do not fit in one message (about eighty do), and sysfs
 * has them all.
 */
#pragma once

#include "counter/counter.h"
#include "host/nldev_devices.h"

/* Called with the counters of one port. A handler that keeps the list sets it to {0}. */
typedef void nldev_counters_taken(void *context, const struct port *port,
				  struct counter_list *list);

/*
 * Queries all ports of the listed devices (those with an index), many with one system call. Each
 * port is either taken or has failed.
 */
void nldev_get_counters(struct netlink *nldev, const struct device_list *list,
			nldev_counters_taken *taken, nldev_port_failed *failed, void *context);

/*
 * The reply of STAT_GET_STATUS about a counter of a port (kernel 5.16). An optional counter can be
 * switched on and off; while off it does not count, and is missing in all readings.
 */
struct nldev_counter_state {
	char *name;	      /* clean */
	struct number index;  /* identifies it to nldev_set_counters() */
	enum tristate active; /* unknown if the counter is not optional, so always on */
};

struct nldev_counter_states {
	struct nldev_counter_state *items;
	size_t count;
};

typedef void nldev_states_taken(void *context, const struct port *port,
				struct nldev_counter_states *states);

void nldev_get_counter_states(struct netlink *nldev, const struct device_list *list,
			      nldev_states_taken *taken, nldev_port_failed *failed, void *context);
void nldev_counter_states_clear(struct nldev_counter_states *states);

/*
 * Switches on the optional counters with these indexes and all others of the port off, since the
 * kernel takes the complete set. -EPERM: this requires CAP_NET_ADMIN of the initial user namespace.
 * On error *ret_text is the kernel's explanation, cleaned, which the caller frees, or NULL.
 */
int nldev_set_counters(struct netlink *nldev, const struct device *device, const struct port *port,
		       const uint32_t *indexes, size_t count, char **ret_text);

/*
 * The pure part: parses the attributes of a reply, at a multiple of 4, into an empty list.
 * -EBADMSG: they are damaged, and the list stays empty.
 */
int nldev_parse_counters(const void *attributes, size_t length, struct counter_list *list);
int nldev_parse_counter_states(const void *attributes, size_t length,
			       struct nldev_counter_states *states);
