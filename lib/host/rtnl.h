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
 * Fills an empty list, like rtnl_get_addresses(). If netdevs changed during each attempt, `missing`
 * of the list is set.
 */
int rtnl_get_links(struct netlink *rtnl, struct link_list *list);
/* Appends one netdev, by its index or (index 0) by its name. -ENODEV: it does not exist. */
int rtnl_get_link(struct netlink *rtnl, unsigned int index, const char *name,
		  struct link_list *list);
int rtnl_get_addresses(struct netlink *rtnl, struct link_address_list *list);

/* Sets the MTU. *ret_text: the kernel's words for an error, or NULL; the caller frees it. */
int rtnl_set_mtu(struct netlink *rtnl, unsigned int index, uint32_t mtu, char **ret_text);

struct route_question {
	struct ip_address destination;
	struct ip_address source; /* family 0: any */
	unsigned int link_index;  /* leave through this netdev; 0: any */
	/*
	 * Accept only a route from a table. Otherwise the kernel treats every destination as
	 * directly connected to the named netdev if it has no route there.
	 */
	bool in_table;
};

/*
 * Queries the routing table. -ENETUNREACH, -EHOSTUNREACH and the like are the kernel's reply that
 * there is no route.
 */
int rtnl_get_route(struct netlink *rtnl, const struct route_question *question,
		   struct route *ret_route);

/*
 * Pure functions: parse the payload of one RTM_NEWLINK, RTM_NEWADDR or RTM_NEWROUTE message,
 * aligned to 4 bytes, into an empty record. -EBADMSG: it is damaged, and the record may be partly
 * filled. -EAFNOSUPPORT: an address that is neither IPv4 nor IPv6. A route that rejects packets
 * gives the error of sending along it: -EHOSTUNREACH, -EACCES, -EINVAL.
 */
int rtnl_parse_link(const void *payload, size_t length, struct link *link);
int rtnl_parse_address(const void *payload, size_t length, struct link_address *address);
int rtnl_parse_route(void *route, const void *payload, size_t length);
/* An absent address (NULL) stays unknown. -EBADMSG: its length does not fit its family. */
int rtnl_get_ip(const struct nlattr *attribute, unsigned int family, struct known_ip *ip);
/* Parses RTA_VIA: a gateway of another family than the destination's. */
int rtnl_get_via(const struct nlattr *attribute, struct known_ip *ip);
/* Returns the error of a route type or 0: fib_props[], net/ipv4/fib_semantics.c. -EAGAIN: throw. */
int rtnl_route_error(unsigned int type);

/*
 * One change, either of a link or of an address; the other is NULL. Each message holds the complete
 * link, changed or not (speed_mbps and dev_port stay unknown); a deleted link has left this
 * namespace, and is shown with its last attributes. An address may be announced repeatedly.
 */
struct rtnl_notice {
	bool deleted;
	const struct link *link;
	const struct link_address *address;
};

typedef void rtnl_notice_handler(void *context, const struct rtnl_notice *notice);

/* Listens for changes of netdevs and addresses in this network namespace; takes no privilege. */
int rtnl_listen(struct netlink **ret_notices);
/*
 * Passes the received notices to the handler, in the kernel's order and without waiting; the
 * records are freed when the handler returns. -ENOBUFS: some were lost and the rest was passed on,
 * so read all links and addresses now. Other errors are permanent.
 */
int rtnl_read_notices(struct netlink *notices, rtnl_notice_handler *handle, void *context);
/* Pure function: handles one datagram of the kernel, aligned to 4 bytes. -EBADMSG: damaged. */
int rtnl_take_notices(const void *datagram, size_t length, rtnl_notice_handler *handle,
		      void *context);
