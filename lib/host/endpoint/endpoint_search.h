/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parts that the choices of load/endpoint.h are made of; nothing else uses it. */
#pragma once

#include "host/endpoint/endpoint_choice.h"

/* The merits of a GID, each more than all that follow together. */
enum endpoint_rank {
	RANK_SUBNET = 1 << 8,  /* the peer's */
	RANK_ADDRESS = 1 << 7, /* has the requested address */
	RANK_NETDEV = 1 << 6,  /* of the netdev that is asked for */
	RANK_HERE = 1 << 5,    /* its netdev is in this network namespace */
	RANK_V2 = 1 << 4,
	RANK_FAMILY = 1 << 3, /* of the address that the peer was named by */
	RANK_IPV4 = 1 << 2,
	RANK_GLOBAL = 1 << 1,
	RANK_USABLE = 1 << 0,
};

struct endpoint_search {
	const struct inventory *inventory;
	const struct endpoint_wish *wish;
	const struct ip_address *ip; /* own address that it should have, or NULL */
	const char *netdev;	     /* that it should be on, or NULL */
	int family;		     /* that it had better have; 0: any */
	char **ret_reason, **ret_hint;
};

/* Hands both strings over and returns the error. */
int endpoint_fail(const struct endpoint_search *search, int error, char *reason, char *hint);
/*
 * A device has one transport, that of its first port; its other ports may be of another kind.
 */
enum transport endpoint_transport(const struct device *device, const struct port *port);
/* The netdev is the port's, is on top of it, or is one of its IPoIB netdevs. */
bool endpoint_is_of_port(const struct inventory *inventory, const struct port *port,
			 const struct link *link);
/* The netdev that has an address of this host; for a link-local one the first that has it. */
const struct link *endpoint_link_of(const struct inventory *inventory, const struct ip_address *ip);
/* NULL, with a rank of 0: none serves. */
const struct gid_entry *endpoint_best_gid(const struct endpoint_search *search,
					  const struct port *port, unsigned int *ret_rank);
/* Everything but GID and IP address. */
void endpoint_describe_port(const struct device *device, const struct port *port,
			    struct endpoint *endpoint);
void endpoint_describe_gid(const struct endpoint_search *search, const struct port *port,
			   const struct gid_entry *entry, struct endpoint *endpoint);
/* False if the port is known to be in another state. */
bool endpoint_is_active(const struct port *port);
/* The best endpoint of the port, or the reason why there is none. */
int endpoint_make(const struct endpoint_search *search, const struct device *device,
		  const struct port *port, struct endpoint *ret_endpoint);
