/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/socket.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"

#define TCP_BACKLOG	  16
#define DEAD_AFTER_PROBES 4
#define PROBE_SECONDS	  15

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

uint16_t socket_address_port(const struct sockaddr_storage *address)
{
	struct sockaddr_in in;
	struct sockaddr_in6 in6;

	memcpy(&in, address, sizeof(in));
	memcpy(&in6, address, sizeof(in6));
	return ntohs(address->ss_family == AF_INET ? in.sin_port : in6.sin6_port);
}

int socket_wait(int fd, short events, int signals, uint64_t end_msec)
{
	struct pollfd polls[] = {
		{.fd = fd, .events = events},
		{.fd = signals, .events = POLLIN},
	};
	int ready = poll(polls, 2, clock_msec_until(end_msec));

	if (ready < 0)
		return errno == EINTR ? 0 : -errno;
	if (polls[1].revents)
		return -EINTR;
	return ready ? 0 : -ETIMEDOUT;
}

int socket_error(int fd)
{
	socklen_t length = sizeof(int);
	int error = 0;

	return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) ? -errno : -error;
}

void socket_keep_alive(int fd)
{
	const int on = 1, probes = DEAD_AFTER_PROBES, seconds = PROBE_SECONDS;
	const unsigned int msec = DEAD_AFTER_PROBES * PROBE_SECONDS * 1000;

	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof(probes));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &seconds, sizeof(seconds));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &seconds, sizeof(seconds));
	/*
	 * Ends a connection with unacknowledged data as soon; by default after a quarter of an
	 * hour: tcp(7).
	 */
	setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &msec, sizeof(msec));
}

/* An ICMP error, or a failed ARP, replaces ETIMEDOUT: Linux, tcp_write_err(). */
bool socket_is_given_up(int error)
{
	return error == ETIMEDOUT || error == EHOSTUNREACH || error == ENETUNREACH;
}

bool socket_is_exhausted(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

static int listen_at(const struct sockaddr_storage *address, socklen_t length, int *ret_fd)
{
	_cleanup_(closep) int fd = socket(address->ss_family,
					  SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	const int one = 1, zero = 0;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	/* "::" also accepts IPv4, whatever net.ipv6.bindv6only says. */
	if (address->ss_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &zero, sizeof(zero));
	if (bind(fd, (const struct sockaddr *)address, length) || listen(fd, TCP_BACKLOG))
		return -errno;
	*ret_fd = fd;
	fd = -1;
	return 0;
}

int tcp_listen(const struct ip_address *ip, uint32_t scope, uint32_t port, int *ret_fd)
{
	struct ip_address any = {.family = ip->family ? ip->family : AF_INET6};
	struct sockaddr_storage address;
	socklen_t length = socket_address(ip->family ? ip : &any, scope, port, &address);
	int rc = listen_at(&address, length, ret_fd);

	if (ip->family || (rc != -EAFNOSUPPORT && rc != -EADDRNOTAVAIL))
		return rc;
	/* The host has no IPv6. */
	any.family = AF_INET;
	length = socket_address(&any, 0, port, &address);
	return listen_at(&address, length, ret_fd);
}
