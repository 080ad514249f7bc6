/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Building blocks of the choices in endpoint.h. The checks of a host also use them to find out
 * which transport a port speaks and which netdevs belong to it.
 */
#pragma once

#include "host/endpoint/endpoint.h"
#include "host/inventory/inventory.h"

/* The merits of a GID; each outweighs all the following ones together. */
enum endpoint_rank {
	RANK_SUBNET = 1 << 8,  /* in the peer's subnet */
	RANK_ADDRESS = 1 << 7, /* has the requested address */
	RANK_NETDEV = 1 << 6,  /* on the requested netdev */
	RANK_HERE = 1 << 5,    /* its netdev is in this network namespace */
	RANK_V2 = 1 << 4,
	RANK_FAMILY = 1 << 3, /* same family as the address that names the peer */
	RANK_IPV4 = 1 << 2,
	RANK_GLOBAL = 1 << 1,
	RANK_USABLE = 1 << 0,
};

struct endpoint_search {
	const struct inventory *inventory;
	const struct endpoint_wish *wish;
	const struct ip_address *ip; /* required address of this end, or NULL */
	const char *netdev;	     /* required netdev, or NULL */
	int family;		     /* preferred family; 0 for any */
	char **ret_reason, **ret_hint;
};

/* Passes both strings to the caller and returns the error. */
int endpoint_fail(const struct endpoint_search *search, int error, char *reason, char *hint);
/* Whether the netdev is the port's, is stacked on it, or is one of the port's IPoIB netdevs. */
bool endpoint_is_of_port(const struct inventory *inventory, const struct port *port,
			 const struct link *link);
/*
 * Returns the netdev that has an address of this host; for a link-local address on several netdevs,
 * the first of them.
 */
const struct link *endpoint_link_of(const struct inventory *inventory, const struct ip_address *ip);
/* Returns the best GID; NULL, with a rank of 0, if none is usable. */
const struct gid_entry *endpoint_best_gid(const struct endpoint_search *search,
					  const struct port *port, unsigned int *ret_rank);
/* Fills in everything except GID and IP address. */
void endpoint_describe_port(const struct device *device, const struct port *port,
			    struct endpoint *endpoint);
void endpoint_describe_gid(const struct endpoint_search *search, const struct port *port,
			   const struct gid_entry *entry, struct endpoint *endpoint);
/* False if the port is known to be in another state. */
bool endpoint_is_active(const struct port *port);
/* Makes the best endpoint on the port, or explains why there is none. */
int endpoint_make(const struct endpoint_search *search, const struct device *device,
		  const struct port *port, struct endpoint *ret_endpoint);
