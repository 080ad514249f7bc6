/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counters by RDMA netlink (drivers/infiniband/core/nldev.c, STAT_GET): those that sysfs has in
 * ports/N/hw_counters, under the same names, one message for each port. Anyone may read them. A
 * port whose driver has none, or a kernel that does not know the request, answers -EINVAL or
 * -EOPNOTSUPP; -EMSGSIZE: they do not fit one message (about eighty do), and sysfs has them all.
 */
#pragma once

#include "counter/counter.h"
#include "host/nldev_devices.h"

/* The counters of one port. A handler that keeps the list sets it to {0}. */
typedef void nldev_counters_taken(void *context, const struct port *port,
				  struct counter_list *list);

/*
 * Asks for all ports of the listed devices (those with an index), many with one system call. Each
 * port is taken, or has failed.
 */
void nldev_get_counters(struct netlink *nldev, const struct device_list *list,
			nldev_counters_taken *taken, nldev_port_failed *failed, void *context);

/*
 * The answer of STAT_GET_STATUS about a counter of a port (kernel 5.16). An optional counter can be
 * switched on and off; while it is off it counts nothing, and is missing in all readings.
 */
struct nldev_counter_state {
	char *name;	      /* clean */
	struct number index;  /* identifies it to nldev_set_counters() */
	enum tristate active; /* unknown: it is always on, not optional */
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
 * Switches on the optional counters with these indexes, and all others of the port off: the kernel
 * takes the complete set. -EPERM: it takes CAP_NET_ADMIN of the initial user namespace. After an
 * error *ret_text is the kernel's explanation, cleaned, for the caller to free, or NULL.
 */
int nldev_set_counters(struct netlink *nldev, const struct device *device, const struct port *port,
		       const uint32_t *indexes, size_t count, char **ret_text);

/*
 * The pure part: the attributes of an answer, at a multiple of 4, into an
 * empty list. -EBADMSG: they are damaged, and the list stays empty.
 */
int nldev_parse_counters(const void *attributes, size_t length, struct counter_list *list);
int nldev_parse_counter_states(const void *attributes, size_t length,
			       struct nldev_counter_states *states);
