/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "kernel/netlink_monitor.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/netlink.h>

#include "base/cleanup.h"
#include "base/mem.h"

/*
 * What the kernel may keep for the socket (it takes twice the figure, af_netlink.c counts each
 * message with its overhead): an upper bound, nothing that is set aside. A link's message takes
 * about 4 KiB of it, so this is a storm of 2,000 while the program is busy.
 */
#define RECEIVE_BYTES (4 * 1024 * 1024)

/* Datagrams in one go. */
#define MOST_DATAGRAMS 1024

struct netlink_monitor {
	int fd;
	size_t largest;
	uint8_t *buffer;
};

struct netlink_monitor *netlink_monitor_from_fd(int fd, size_t largest)
{
	struct netlink_monitor *monitor = mem_alloc_zero(1, sizeof(*monitor));

	monitor->fd = fd;
	monitor->largest = largest;
	monitor->buffer = mem_alloc_zero(1, largest);
	return monitor;
}

int netlink_monitor_open(int protocol, const unsigned int *groups, size_t group_count,
			 size_t largest, struct netlink_monitor **ret_monitor)
{
	const struct sockaddr_nl address = {.nl_family = AF_NETLINK};
	const int bytes = RECEIVE_BYTES;
	_cleanup_(closep) int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK,
					  protocol);

	if (fd < 0)
		return -errno;
	/* The first needs CAP_NET_ADMIN, the second stops at net.core.rmem_max. */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	if (bind(fd, (const struct sockaddr *)&address, sizeof(address)))
		return -errno;
	for (size_t i = 0; i < group_count; i++)
		if (setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &groups[i],
			       sizeof(groups[i])))
			return -errno;
	*ret_monitor = netlink_monitor_from_fd(fd, largest);
	fd = -1;
	return 0;
}

void netlink_monitor_free(struct netlink_monitor *monitor)
{
	if (!monitor)
		return;
	close(monitor->fd);
	free(monitor->buffer);
	free(monitor);
}

int netlink_monitor_fd(const struct netlink_monitor *monitor)
{
	return monitor->fd;
}

/* Other processes may send to the groups of some protocols, too; the kernel's port is 0. */
static bool from_kernel(const struct msghdr *header)
{
	const struct sockaddr_nl *sender = header->msg_name;

	return header->msg_namelen < sizeof(*sender) || sender->nl_family != AF_NETLINK ||
	       !sender->nl_pid;
}

/* One datagram. -EAGAIN: there is none; -ENOBUFS: one or more were lost. */
static int read_datagram(struct netlink_monitor *monitor, netlink_monitor_handler *handle,
			 void *context)
{
	struct sockaddr_nl sender;
	struct iovec part = {.iov_base = monitor->buffer, .iov_len = monitor->largest};
	struct msghdr header = {.msg_name = &sender,
				.msg_namelen = sizeof(sender),
				.msg_iov = &part,
				.msg_iovlen = 1};
	ssize_t length = recvmsg(monitor->fd, &header, MSG_DONTWAIT);

	if (length < 0)
		return errno == EINTR ? 0 : -errno;
	if (!from_kernel(&header))
		return 0;
	/* Not from the kernel, but so a closed socket pair looks. */
	if (!length)
		return -ECONNRESET;
	if (header.msg_flags & MSG_TRUNC)
		return -ENOBUFS;
	handle(context, monitor->buffer, (size_t)length);
	return 0;
}

/*
 * A socket that overran takes nothing in until it has been read to the end (NETLINK_S_CONGESTED,
 * af_netlink.c), and does not say so again: that is why the limit does not hold then.
 */
int netlink_monitor_read(struct netlink_monitor *monitor, netlink_monitor_handler *handle,
			 void *context)
{
	bool lost = false;

	for (unsigned int count = 0; lost || count < MOST_DATAGRAMS; count++) {
		int error = read_datagram(monitor, handle, context);

		if (error == -EAGAIN || error == -EWOULDBLOCK)
			break;
		if (error && error != -ENOBUFS)
			return error;
		lost |= error == -ENOBUFS;
	}
	return lost ? -ENOBUFS : 0;
}
