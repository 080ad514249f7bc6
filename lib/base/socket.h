/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Socket addresses, and a TCP port to listen on. */
#pragma once

#include <stdbool.h>
#include <sys/socket.h>

#include "base/gid.h"

/*
 * Fills all of *ret and returns the length of the address in it; `port` is in host byte order.
 * `scope` is the netdev index of a link-local IPv6 address, and ignored for others.
 */
socklen_t socket_address(const struct ip_address *ip, uint32_t scope, uint32_t port,
			 struct sockaddr_storage *ret);
/* Returns the IP address in it; an IPv4-mapped IPv6 address becomes IPv4. */
struct ip_address socket_address_ip(const struct sockaddr_storage *address);
/* Returns the port in it, in host byte order. */
uint16_t socket_address_port(const struct sockaddr_storage *address);

/*
 * Waits for events of poll(2), or until the other side has closed the socket; it may return early
 * with 0. Returns 0, -ETIMEDOUT, -EINTR if `signals` (a signalfd, or -1) has a signal, or another
 * -errno.
 */
int socket_wait(int fd, short events, int signals, uint64_t end_msec);
/* Returns the pending error of a connection as -errno; 0 if there is none. */
int socket_error(int fd);

/*
 * Gives up the connection a minute after the host at the other end has stopped answering: one that
 * is switched off sends no goodbye. Reading or writing fails then, as socket_is_given_up() tells.
 */
void socket_keep_alive(int fd);
/* Whether a connection failed with this errno because nothing at the other end answers. */
bool socket_is_given_up(int error);

/* Whether accept(2) failed for want of something that may be free again a while later. */
bool socket_is_exhausted(int error);
/* Listens on the address, or on every one if the family of `ip` is 0. Returns 0 or -errno. */
int tcp_listen(const struct ip_address *ip, uint32_t scope, uint32_t port, int *ret_fd);
