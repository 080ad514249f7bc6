/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/endpoint/peer.h"

#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <netinet/in.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/rtnl.h"

DEFINE_CLEANUP(struct netlink, netlink_free)

static bool is_link_local(const struct ip_address *address)
{
	const struct gid gid = ip_to_gid(address);

	return address->family == AF_INET6 && gid_is_link_local(&gid);
}

static int resolve(const char *name, struct ip_address *address, char **ret_error)
{
	struct addrinfo hints = {.ai_flags = AI_ADDRCONFIG, .ai_socktype = SOCK_STREAM};
	struct addrinfo *found = NULL;
	int rc;

	if (!ip_parse(name, address))
		return 0;
	rc = getaddrinfo(name, NULL, &hints, &found);
	if (rc) {
		*ret_error = mem_format("cannot find the address of '%s': %s", name,
					gai_strerror(rc));
		return -ENOENT;
	}
	address->family = (uint8_t)found->ai_family;
	if (found->ai_family == AF_INET)
		memcpy(address->raw, &((struct sockaddr_in *)(void *)found->ai_addr)->sin_addr, 4);
	else
		memcpy(address->raw, &((struct sockaddr_in6 *)(void *)found->ai_addr)->sin6_addr,
		       16);
	freeaddrinfo(found);
	return 0;
}

/* The index of the netdev after the % of a link-local address, or 0. */
static int find_zone(const char *name, const struct ip_address *address,
		     const struct link_list *links, unsigned int *ret_index, char **ret_error)
{
	const char *zone = strchr(name, '%');
	const struct link *link = zone ? link_by_name(links, zone + 1) : NULL;

	if (zone && !link) {
		*ret_error = mem_format("no netdev '%s' for the peer's address", zone + 1);
		return -ENODEV;
	}
	if (is_link_local(address) && !link) {
		*ret_error = mem_format("%s is a link-local address: name its netdev, %s%%NETDEV",
					name, name);
		return -EINVAL;
	}
	*ret_index = link ? (unsigned int)link->index.value : 0;
	return 0;
}

int peer_find(const char *name, const struct link_list *links, struct ip_address *ret_address,
	      struct route *ret_route, char **ret_error, char **ret_hint)
{
	_cleanup_(netlink_freep) struct netlink *rtnl = NULL;
	unsigned int zone = 0;
	int rc = resolve(name, ret_address, ret_error);

	*ret_hint = NULL;
	if (!rc)
		rc = find_zone(name, ret_address, links, &zone, ret_error);
	if (rc)
		return rc;
	rc = rtnl_open(&rtnl);
	if (!rc)
		rc = rtnl_get_route(rtnl, ret_address, zone, ret_route);
	if (rc == -EINVAL)
		rc = -EHOSTUNREACH; /* a blackhole route; elsewhere -EINVAL means a mistake of the
				       caller */
	if (rc) {
		*ret_error = mem_format("no route to %s: %s", name, strerror(-rc));
		*ret_hint = mem_format("ip route get %s shows what the kernel does", name);
	}
	return rc;
}
