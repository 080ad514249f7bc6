/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counters by netlink.
 *
 * RDMA netlink (drivers/infiniband/core/nldev.c, STAT_GET) has the counters in ports/N/hw_counters
 * of sysfs, under the same names, one message for each port. No privilege is needed. A port whose
 * driver has no counters, or a kernel that does not know the request, answers -EINVAL or
 * -EOPNOTSUPP; -EMSGSIZE means that they do not fit in one message (about eighty do), and sysfs has
 * them all.
 *
 * rtnetlink has the statistics of netdevs: struct rtnl_link_stats64, under the names of its
 * members. In a saved tree and in sysfs they are the files of sys/class/net/NETDEV/statistics.
 */
#pragma once

#include "counter/counter.h"
#include "counter/counter_reading.h"
#include "host/inventory/inventory.h"
#include "host/nldev_devices.h"
#include "host/rtnl.h"
#include "kernel/netlink/nldev.h"

/*
 * Hands on each counter in the reply to RDMA_NLDEV_CMD_STAT_GET for a port, which nldev_ask_ports()
 * hands over; the name is clean, and gone afterwards. Returns 0, or -EBADMSG if it is damaged,
 * which may show after some counters.
 */
typedef void nldev_counter_taken(void *context, const char *name, uint64_t value);
int nldev_each_counter(struct nlattr *const *table, nldev_counter_taken *taken, void *context);
/* Fills an empty list in the same way; after an error the list stays empty. */
int nldev_take_counters(struct nlattr *const *table, struct counter_list *list);

/*
 * The outcome for one netdev; `which` is its position in the request. The list is empty after an
 * error. -ENODEV: the netdev is not, or no longer, in this network namespace; -EOPNOTSUPP: a kernel
 * before 4.7.
 */
typedef void rtnl_stats_taken(void *context, size_t which, int error,
			      const struct counter_list *list);

/* Reads these netdevs, many with one system call. `taken` is called once for each. */
void rtnl_get_stats(struct netlink *rtnl, const uint32_t *link_indexes, size_t count,
		    rtnl_stats_taken *taken, void *context);

/*
 * Optional counters of a port, which can be switched on and off (kernel 5.16). While off, a counter
 * does not count and is missing in all readings; while on, it may slow the device down. The list
 * owns the names; device and port are borrowed.
 */
struct optional_counter {
	struct counter_reading reading; /* device, port and names; it has no value */
	char *kernel_name;		/* clean */
	struct number index;		/* the kernel's index, used to switch it */
	enum tristate enabled;
};

struct optional_counters {
	struct optional_counter *items;
	size_t count;
};

extern const struct schema optional_counters_schema;

/* True if the word is its canonical name or the kernel's name. */
bool optional_counter_is(const struct optional_counter *counter, const char *word);
void optional_counters_clear(struct optional_counters *list);
/*
 * Appends the counters of all ports, port by port. An error reply of a port is a problem; that a
 * port has no such counters (or its kernel does not support them) is only a note.
 */
void optional_counters_read(struct netlink *nldev, const struct inventory *inventory,
			    struct optional_counters *list, struct problems *problems,
			    struct problems *notes);
/*
 * Switches the counters of one port to the state in `enabled`; `counters` are all that the port
 * has, since the kernel takes the complete set. Returns 0, or -errno with the kernel's explanation,
 * if there is one, cleaned, in *ret_text, which the caller frees. -EPERM: this requires
 * CAP_NET_ADMIN of the initial user namespace.
 */
int optional_counters_switch(struct netlink *nldev, const struct optional_counter *counters,
			     size_t count, char **ret_text);

/*
 * Parsing only, of the attributes of a reply, or of its payload, aligned to 4 bytes. They append to
 * the list. -EBADMSG: the reply is damaged, and the list is as before.
 */
int nldev_take_optional_counters(struct nlattr *const *table, struct optional_counters *list);
/* Omits members that the kernel does not have yet. */
int rtnl_parse_stats(const void *payload, size_t length, struct number *ret_link_index,
		     struct counter_list *list);
