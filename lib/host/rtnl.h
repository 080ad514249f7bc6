/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rtnetlink: netdevs, addresses and routes of this network namespace. All functions return 0 or
 * -errno.
 */
#pragma once

#include <stddef.h>

#include "host/link.h"

struct rtnl;

int rtnl_open(struct rtnl **ret_rtnl);
/* For tests: over any socket that keeps datagrams apart. Takes the descriptor over. */
struct rtnl *rtnl_from_fd(int fd);
void rtnl_free(struct rtnl *rtnl);

int rtnl_get_links(struct rtnl *rtnl, struct link_list *list);
int rtnl_get_addresses(struct rtnl *rtnl, struct link_address_list *list);
/*
 * Asks the routing table for the way to a destination. -ENETUNREACH, -EHOSTUNREACH and the like are
 * the kernel's answer that there is none. `link_index` (0: any) narrows it to one netdev, as needed
 * for a link-local destination.
 */
int rtnl_get_route(struct rtnl *rtnl, const struct ip_address *destination, unsigned int link_index,
		   struct route *ret_route);

/*
 * The pure part: the payload of one RTM_NEWLINK, RTM_NEWADDR, RTM_NEWROUTE message, at a multiple
 * of 4, into an empty record. -EBADMSG: it is damaged, and the record may be filled in part.
 * -EAFNOSUPPORT: an address that is neither IPv4 nor IPv6. A route that leads nowhere gives what
 * the kernel gives for it elsewhere: -EHOSTUNREACH, -EACCES, -EINVAL.
 */
int rtnl_parse_link(const void *payload, size_t length, struct link *link);
int rtnl_parse_address(const void *payload, size_t length, struct link_address *address);
int rtnl_parse_route(const void *payload, size_t length, struct route *route);
