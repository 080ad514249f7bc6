/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Socket addresses, and TCP with deadlines for short texts: nothing blocks for longer than asked,
 * and the watch's signals and device end every wait. The caller closes the descriptors.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/gid.h"
#include "selftest/agent/watch.h"

/*
 * Fills all of *ret and returns how many bytes of it are the address; `port` is in host byte order.
 * `scope` is the netdev index of a link-local IPv6 address, and ignored for others.
 */
socklen_t socket_address(const struct ip_address *ip, uint32_t scope, uint32_t port,
			 struct sockaddr_storage *ret);
/* The IP address in it; an IPv4-mapped IPv6 address is returned as IPv4. */
struct ip_address socket_address_ip(const struct sockaddr_storage *address);

/* 0 or -errno: -EINTR and -ENODEV if the watch ended it, -ETIMEDOUT, and errors of the socket. */
int tcp_connect(struct watch *watch, const struct sockaddr_storage *address, unsigned int msec,
		int *ret_fd);
/* Listens on the address, or on every address if the family of `ip` is 0. 0 or -errno. */
int tcp_listen(const struct ip_address *ip, uint32_t scope, uint32_t port, int *ret_fd);
/* Waits for a client without a time limit. */
int tcp_accept(struct watch *watch, int listener, int *ret_fd,
	       struct sockaddr_storage *ret_address);
/* Exactly `length` bytes. -ECONNRESET if the peer closed the connection. */
int tcp_read(struct watch *watch, int fd, void *bytes, size_t length, unsigned int msec);
int tcp_write(struct watch *watch, int fd, const void *bytes, size_t length, unsigned int msec);
