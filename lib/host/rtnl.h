/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rtnetlink: netdevs, addresses and routes of this network namespace. All functions return 0 or
 * -errno.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "host/netdev.h"
#include "kernel/netlink/netlink.h"

int rtnl_open(const struct root *root, struct netlink **ret_rtnl);

/*
 * Fills an empty list, as rtnl_get_addresses() does. If they changed each time that they were read,
 * `missing` of the list is set.
 */
int rtnl_get_links(struct netlink *rtnl, struct link_list *list);
/*
 * Appends one netdev, by its index or (index 0) by its name. -ENODEV: there is none.
 */
int rtnl_get_link(struct netlink *rtnl, unsigned int index, const char *name,
		  struct link_list *list);
int rtnl_get_addresses(struct netlink *rtnl, struct link_address_list *list);

/* The MTU of one netdev: *ret_mtu stays unknown if the kernel does not say. -ENODEV: it is gone. */
int rtnl_get_mtu(struct netlink *rtnl, unsigned int index, struct number *ret_mtu);
/* *ret_text: the kernel's words for an error, or NULL; the caller frees it. */
int rtnl_set_mtu(struct netlink *rtnl, unsigned int index, uint32_t mtu, char **ret_text);

struct route_question {
	struct ip_address destination;
	struct ip_address source; /* family 0: any */
	unsigned int link_index;  /* leave by this netdev; 0: any */
	/*
	 * Only a route that is in a table. Otherwise the kernel takes every destination to be on
	 * the link of the named netdev if it has no route there.
	 */
	bool in_table;
};

/*
 * Asks the routing table. -ENETUNREACH, -EHOSTUNREACH and the like are the kernel's reply that
 * there is no route.
 */
int rtnl_get_route(struct netlink *rtnl, const struct route_question *question,
		   struct route *ret_route);

/*
 * The pure part: parses the payload of one RTM_NEWLINK, RTM_NEWADDR or RTM_NEWROUTE message, at a
 * multiple of 4, into an empty record. -EBADMSG: it is damaged, and the record may be partly
 * filled. -EAFNOSUPPORT: an address that is neither IPv4 nor IPv6. A route to nowhere gives the
 * error that sending along it would give: -EHOSTUNREACH, -EACCES, -EINVAL.
 */
int rtnl_parse_link(const void *payload, size_t length, struct link *link);
int rtnl_parse_address(const void *payload, size_t length, struct link_address *address);
int rtnl_parse_route(const void *payload, size_t length, struct route *route);
/* An address that is absent (NULL) stays unknown. -EBADMSG: it has not the length of its family. */
int rtnl_get_ip(const struct nlattr *attribute, unsigned int family, struct known_ip *ip);
/* RTA_VIA: a gateway of another family than the destination's. */
int rtnl_get_via(const struct nlattr *attribute, struct known_ip *ip);
/* The error of a type of route, or 0: fib_props[], net/ipv4/fib_semantics.c. -EAGAIN: throw. */
int rtnl_route_error(unsigned int type);

/*
 * One change, either of a link or of an address; the other is NULL. Each message holds the complete
 * link, changed or not (speed_mbps and dev_port stay unknown); a deleted link has left this
 * namespace, and has its last attributes. An address may be announced again.
 */
struct rtnl_notice {
	bool deleted;
	const struct link *link;
	const struct link_address *address;
};

typedef void rtnl_notice_handler(void *context, const struct rtnl_notice *notice);

/*
 * Listens to changes of netdevs and addresses of this network namespace, which needs no privilege.
 */
int rtnl_listen(struct netlink **ret_notices);
/*
 * Passes the received notices to the handler, in the kernel's order and without waiting; the
 * records are freed when the handler returns. -ENOBUFS: some were lost and the rest was passed on,
 * so read all links and addresses now. Other errors are permanent.
 */
int rtnl_read_notices(struct netlink *notices, rtnl_notice_handler *handle, void *context);
/*
 * The pure part: handles one datagram of the kernel, at a multiple of 4. -EBADMSG: it is damaged.
 */
int rtnl_take_notices(const void *datagram, size_t length, rtnl_notice_handler *handle,
		      void *context);
