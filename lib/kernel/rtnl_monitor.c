/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "kernel/rtnl_monitor.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <linux/rtnetlink.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "kernel/netlink.h"
#include "kernel/netlink_monitor.h"
#include "host/rtnl.h"

/* A link of many virtual functions or queues; the kernel's if_nlmsg_size() has no limit. */
#define LARGEST_MESSAGE 32768

struct rtnl_monitor {
	struct netlink_monitor *netlink;
};

static struct rtnl_monitor *wrap(struct netlink_monitor *netlink)
{
	struct rtnl_monitor *monitor = mem_alloc_zero(1, sizeof(*monitor));

	monitor->netlink = netlink;
	return monitor;
}

int rtnl_monitor_open(struct rtnl_monitor **ret_monitor)
{
	const unsigned int groups[] = {RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR};
	struct netlink_monitor *netlink;
	int error = netlink_monitor_open(NETLINK_ROUTE, groups, ARRAY_SIZE(groups), LARGEST_MESSAGE,
					 &netlink);

	if (!error)
		*ret_monitor = wrap(netlink);
	return error;
}

struct rtnl_monitor *rtnl_monitor_from_fd(int fd)
{
	return wrap(netlink_monitor_from_fd(fd, LARGEST_MESSAGE));
}

void rtnl_monitor_free(struct rtnl_monitor *monitor)
{
	if (!monitor)
		return;
	netlink_monitor_free(monitor->netlink);
	free(monitor);
}

int rtnl_monitor_fd(const struct rtnl_monitor *monitor)
{
	return netlink_monitor_fd(monitor->netlink);
}

struct receiver {
	rtnl_notice_handler *handle;
	void *context;
	int error;
};

static int take_link(const void *payload, size_t length, bool deleted,
		     const struct receiver *receiver)
{
	_cleanup_(link_list_clear) struct link_list list = {0};
	struct rtnl_notice notice = {.deleted = deleted, .link = link_list_add(&list)};
	const struct ifinfomsg *header = payload;

	if (length < sizeof(*header))
		return -EBADMSG;
	/*
	 * A bridge tells of its ports here, too, and a port that leaves it is "deleted"
	 * (br_ifinfo_notify(), net/bridge/br_netlink.c).
	 */
	if (header->ifi_family != AF_UNSPEC)
		return 0;
	if (rtnl_parse_link(payload, length, &list.items[0]))
		return -EBADMSG;
	/* A message of a wireless driver's own holds nothing else (net/wireless/wext-core.c). */
	if (list.items[0].name)
		receiver->handle(receiver->context, &notice);
	return 0;
}

static int take_address(const void *payload, size_t length, bool deleted,
			const struct receiver *receiver)
{
	struct link_address address = {0};
	const struct rtnl_notice notice = {.deleted = deleted, .address = &address};
	int error = rtnl_parse_address(payload, length, &address);

	if (!error)
		receiver->handle(receiver->context, &notice);
	return error == -EAFNOSUPPORT ? 0 : error;
}

static int take_message(const struct nlmsghdr *message, const struct receiver *receiver)
{
	const uint8_t *payload = (const uint8_t *)message + NLMSG_HDRLEN;
	size_t length = message->nlmsg_len - NLMSG_HDRLEN;

	switch (message->nlmsg_type) {
	case RTM_NEWLINK:
	case RTM_DELLINK:
		return take_link(payload, length, message->nlmsg_type == RTM_DELLINK, receiver);
	case RTM_NEWADDR:
	case RTM_DELADDR:
		return take_address(payload, length, message->nlmsg_type == RTM_DELADDR, receiver);
	default:
		return 0;
	}
}

int rtnl_monitor_take(const void *datagram, size_t length, rtnl_notice_handler *handle,
		      void *context)
{
	const struct receiver receiver = {.handle = handle, .context = context};
	struct netlink_walk walk = {.at = datagram, .left = length};
	const struct nlmsghdr *message;
	int rc;

	while ((rc = netlink_next(&walk, &message)) > 0)
		if (take_message(message, &receiver))
			return -EBADMSG;
	return rc;
}

/* What cannot be read is lost like what did not come. */
static void take(void *context, const void *datagram, size_t length)
{
	struct receiver *receiver = context;

	if (rtnl_monitor_take(datagram, length, receiver->handle, receiver->context))
		receiver->error = -ENOBUFS;
}

int rtnl_monitor_read(struct rtnl_monitor *monitor, rtnl_notice_handler *handle, void *context)
{
	struct receiver receiver = {.handle = handle, .context = context};
	int error = netlink_monitor_read(monitor->netlink, take, &receiver);

	return error ? error : receiver.error;
}
