/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/agent/tcp.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>

#include "base/clock.h"
#include "base/cleanup.h"

#define BACKLOG 16

/* How often a server that waits for clients checks that its device exists. */
#define IDLE_MSEC 1000

/* How often the watch is checked while waiting to write. */
#define LOOK_MSEC 100

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

static int stop_error(enum stop stop)
{
	return stop == STOP_INTERRUPTED ? -EINTR : stop == STOP_DEVICE_GONE ? -ENODEV : 0;
}

static int wait_readable(struct watch *watch, int fd, uint64_t end_msec)
{
	int left = clock_msec_until(end_msec);
	enum stop stop;

	if (!left)
		return -ETIMEDOUT;
	stop = watch_wait(watch, fd, left);
	return stop == STOP_TIMED_OUT ? -ETIMEDOUT : stop_error(stop);
}

/* The watch can only wait for input, so it is checked between short waits. */
static int wait_writable(struct watch *watch, int fd, uint64_t end_msec)
{
	struct pollfd out = {.fd = fd, .events = POLLOUT};

	for (;;) {
		int left = clock_msec_until(end_msec);
		int ready = poll(&out, 1, left < LOOK_MSEC ? left : LOOK_MSEC);
		int rc = stop_error(watch_look(watch));

		if (rc || ready > 0)
			return rc;
		if (!left)
			return -ETIMEDOUT;
	}
}

int tcp_connect(struct watch *watch, const struct sockaddr_storage *address, unsigned int msec,
		int *ret_fd)
{
	_cleanup_(closep) int fd = socket(address->ss_family,
					  SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	socklen_t length = sizeof(int);
	int error = 0;
	int rc;

	if (fd < 0)
		return -errno;
	rc = connect(fd, (const struct sockaddr *)address,
		     address->ss_family == AF_INET ? sizeof(struct sockaddr_in)
						   : sizeof(struct sockaddr_in6));
	if (rc < 0 && errno != EINPROGRESS)
		return -errno;
	rc = wait_writable(watch, fd, clock_msec() + msec);
	if (rc)
		return rc;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length))
		return -errno;
	if (error)
		return -error;
	*ret_fd = fd;
	fd = -1;
	return 0;
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
	if (bind(fd, (const struct sockaddr *)address, length) || listen(fd, BACKLOG))
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
	/* A host without IPv6. */
	any.family = AF_INET;
	length = socket_address(&any, 0, port, &address);
	return listen_at(&address, length, ret_fd);
}

int tcp_accept(struct watch *watch, int listener, int *ret_fd, struct sockaddr_storage *ret_address)
{
	for (;;) {
		struct sockaddr_storage address = {0};
		socklen_t length = sizeof(address);
		int fd = accept4(listener, (struct sockaddr *)&address, &length,
				 SOCK_CLOEXEC | SOCK_NONBLOCK);
		int rc;

		if (fd >= 0) {
			*ret_fd = fd;
			*ret_address = address;
			return 0;
		}
		/* Other errors belong to the new connection, accept(2). */
		if (errno == EBADF || errno == EINVAL || errno == ENOTSOCK || errno == EOPNOTSUPP)
			return -errno;
		rc = errno == EMFILE || errno == ENFILE
			     ? stop_error(watch_wait(watch, -1, 1000))
			     : stop_error(watch_wait(watch, listener, IDLE_MSEC));
		if (rc)
			return rc;
	}
}

int tcp_read(struct watch *watch, int fd, void *bytes, size_t length, unsigned int msec)
{
	uint64_t end = clock_msec() + msec;
	size_t done = 0;

	while (done < length) {
		ssize_t got = recv(fd, (char *)bytes + done, length - done, MSG_DONTWAIT);
		int rc;

		if (got == 0)
			return -ECONNRESET;
		if (got > 0) {
			done += (size_t)got;
			continue;
		}
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
		rc = wait_readable(watch, fd, end);
		if (rc)
			return rc;
	}
	return 0;
}

int tcp_write(struct watch *watch, int fd, const void *bytes, size_t length, unsigned int msec)
{
	uint64_t end = clock_msec() + msec;
	size_t done = 0;

	while (done < length) {
		ssize_t put = send(fd, (const char *)bytes + done, length - done,
				   MSG_DONTWAIT | MSG_NOSIGNAL);
		int rc;

		if (put >= 0) {
			done += (size_t)put;
			continue;
		}
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
		rc = wait_writable(watch, fd, end);
		if (rc)
			return rc;
	}
	return 0;
}
