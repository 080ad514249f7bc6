/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/wire/socket_address.h"

#include <netinet/in.h>
#include <string.h>

socklen_t socket_address(const struct ip_address *ip, uint32_t scope, uint32_t port,
			 struct sockaddr_storage *ret)
{
	struct sockaddr_in *in = (struct sockaddr_in *)ret;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)ret;

	memset(ret, 0, sizeof(*ret));
	ret->ss_family = ip->family;
	if (ip->family == AF_INET) {
		memcpy(&in->sin_addr, ip->raw, sizeof(in->sin_addr));
		in->sin_port = htons((uint16_t)port);
		return sizeof(*in);
	}
	memcpy(&in6->sin6_addr, ip->raw, sizeof(in6->sin6_addr));
	in6->sin6_port = htons((uint16_t)port);
	if (IN6_IS_ADDR_LINKLOCAL(&in6->sin6_addr))
		in6->sin6_scope_id = scope;
	return sizeof(*in6);
}

struct ip_address socket_address_ip(const struct sockaddr_storage *address)
{
	const struct sockaddr_in *in = (const struct sockaddr_in *)address;
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)address;
	struct ip_address ip = {.family = (uint8_t)address->ss_family};
	struct gid gid;

	if (address->ss_family == AF_INET) {
		memcpy(ip.raw, &in->sin_addr, sizeof(in->sin_addr));
		return ip;
	}
	memcpy(gid.raw, &in6->sin6_addr, sizeof(gid.raw));
	return gid_to_ip(&gid);
}
