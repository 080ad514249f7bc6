/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A list of the IPoIB netdevs, and their P_Key children, which are made and removed by rtnetlink
 * (drivers/infiniband/ulp/ipoib/ipoib_netlink.c).
 */
#pragma once

#include "change/change.h"
#include "host/netdev.h"

/* The record of `ipoib`. Strings are borrowed from the links and devices. */
struct ipoib {
	char *netdev;
	char *device; /* with `port`: the port that has its port GUID; NULL if there is none */
	struct number port;
	char *parent; /* of a child */
	struct number pkey, mode;
	enum tristate umcast;
	struct number operstate, mtu_bytes;
};

struct ipoib_list {
	struct ipoib *items;
	size_t count;
};

extern const struct schema ipoib_schema;

/* Lists all IPoIB netdevs among the links. */
void ipoib_list_make(struct ipoib_list *list, const struct device_list *devices,
		     const struct link_list *links);
void ipoib_list_clear(struct ipoib_list *list);

/*
 * The value of these settings is "absent", or describes the child: "ib0 pkey 0x8001 mode datagram".
 * The object is the name of the child.
 */
extern const struct setting ipoib_add_setting, ipoib_del_setting;

/* The arguments of `ipoib add PARENT`. */
struct ipoib_words {
	const char *parent;
	const char *pkey; /* required */
	const char *mode; /* NULL: datagram */
	const char *name; /* NULL: PARENT.PKEY, like the kernel's own names */
};

/*
 * Checks the arguments, and makes the change create that child: sets its object and value. -EINVAL:
 * the change has the reason, and the next step, or NULL if it is to correct the arguments.
 */
int ipoib_parse(struct change *change, const struct ipoib_words *words);
