/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Chooses the ends of a data path test from what is known of the host: device, port and GID. The
 * inventory must have been loaded with ENDPOINT_NEEDS; it is only marked (selected, why), never
 * changed. What a function cannot do, *ret_reason says in words, and *ret_hint the next step (it
 * may stay NULL); the caller frees both. Other out-parameters are untouched then.
 */
#pragma once

#include "host/inventory.h"
#include "host/endpoint/endpoint.h"
#include "host/need.h"

#define ENDPOINT_NEEDS                                                                     \
	(NEED_TRANSPORT | NEED_LINK_LAYER | NEED_STATE | NEED_RATE | NEED_MTU | NEED_LID | \
	 NEED_PORT_GUID | NEED_NETDEV | NEED_LINKS | NEED_ADDRESSES | NEED_GIDS |          \
	 NEED_GID_NETDEVS)

/* Requirements on an endpoint; {0}: the best one. */
struct endpoint_wish {
	struct number gid_index; /* this one and no other */
	struct number gid_type;	 /* enum gid_type; RoCE only, as the next */
	int family;		 /* AF_INET or AF_INET6: of the GID */
	const struct endpoint
		*peer; /* the other side: kind, GID type and family must be the same */
	bool named;    /* the user named device or port, the inventory holds no other */
};

/*
 * For loopback, or where the user named the port. GIDs of RoCE, the best first: v2 before v1, one
 * in the peer's subnet before others, IPv4, global IPv6, link-local. InfiniBand and iWARP: index 0.
 * -EINVAL: the GID index does not serve; -ENETDOWN: the port is not active; -EADDRNOTAVAIL: it has
 * no GID, or no IP address where it needs one.
 */
int endpoint_of_port(const struct inventory *inventory, const struct device *device,
		     const struct port *port, const struct endpoint_wish *wish,
		     struct endpoint *ret_endpoint, char **ret_reason, char **ret_hint);

/*
 * The client's end: the port that packets to `peer` leave by, as `route`, the routing table's
 * answer, has it; `name` is how the user calls the peer. Of two devices on one netdev RoCE goes
 * before iWARP. A port that the user named is taken even if the route leaves by another one: the
 * exchange may go a way of its own. -ENODEV: no RDMA device leads there, and as for
 * endpoint_of_port().
 */
int endpoint_by_route(const struct inventory *inventory, const char *name,
		      const struct ip_address *peer, const struct route *route,
		      const struct endpoint_wish *wish, struct endpoint *ret_endpoint,
		      char **ret_reason, char **ret_hint);

/*
 * The server's end: the port that can talk to wish->peer and has the address `local`, which a
 * client connected to, or a GID in the subnet of the client's. -ENODEV: there is none, and as for
 * endpoint_of_port().
 */
int endpoint_of_address(const struct inventory *inventory, const struct ip_address *local,
			const struct endpoint_wish *wish, struct endpoint *ret_endpoint,
			char **ret_reason, char **ret_hint);

/*
 * Every GID of a port that is not empty, in the order of the table; of iWARP the one it has. The
 * caller frees the array. -ENETDOWN and -EADDRNOTAVAIL as above.
 */
int endpoint_list_gids(const struct inventory *inventory, const struct device *device,
		       const struct port *port, struct endpoint **ret_endpoints, size_t *ret_count,
		       char **ret_reason, char **ret_hint);
