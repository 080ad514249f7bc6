/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* IP addresses as the sockets and librdmacm take and give them. */
#pragma once

#include <stdint.h>
#include <sys/socket.h>

#include "base/gid.h"

/*
 * Fills all of *ret and returns how many bytes of it are the address; `port` in the host's order.
 * `scope` is the netdev index of a link-local IPv6 address, and ignored for others.
 */
socklen_t socket_address(const struct ip_address *ip, uint32_t scope, uint32_t port,
			 struct sockaddr_storage *ret);
/* The IP address of it, IPv4 also where it came mapped into IPv6. */
struct ip_address socket_address_ip(const struct sockaddr_storage *address);
