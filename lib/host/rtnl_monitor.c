/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Notifications of rtnetlink. */
#include <errno.h>
#include <sys/socket.h>

#include <linux/rtnetlink.h>
#include <netlink/msg.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/rtnl.h"
#include "kernel/netlink.h"

int rtnl_listen(struct netlink **ret_notices)
{
	const unsigned int groups[] = {RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR};

	return netlink_open_groups(NETLINK_ROUTE, groups, ARRAY_SIZE(groups),
				   NETLINK_LARGEST_MESSAGE, ret_notices);
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
	 * A bridge also announces its ports here, and a port that leaves it is "deleted"
	 * (br_ifinfo_notify(), net/bridge/br_netlink.c).
	 */
	if (header->ifi_family != AF_UNSPEC)
		return 0;
	if (rtnl_parse_link(payload, length, &list.items[0]))
		return -EBADMSG;
	/* A wireless driver's own message holds nothing else (net/wireless/wext-core.c). */
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

static int take_message(void *context, const struct nlmsghdr *message)
{
	const struct receiver *receiver = context;
	const void *payload = nlmsg_data(message);
	size_t length = (size_t)nlmsg_datalen(message);

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

int rtnl_take_notices(const void *datagram, size_t length, rtnl_notice_handler *handle,
		      void *context)
{
	struct receiver receiver = {.handle = handle, .context = context};

	return netlink_walk(datagram, length, take_message, &receiver);
}

/* A message that cannot be read counts as lost. */
static void take_datagram(void *context, const void *datagram, size_t length)
{
	struct receiver *receiver = context;

	if (netlink_walk(datagram, length, take_message, receiver))
		receiver->error = -ENOBUFS;
}

int rtnl_read_notices(struct netlink *notices, rtnl_notice_handler *handle, void *context)
{
	struct receiver receiver = {.handle = handle, .context = context};
	int error = netlink_read(notices, take_datagram, &receiver);

	return error ? error : receiver.error;
}
