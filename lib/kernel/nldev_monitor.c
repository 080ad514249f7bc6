/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "kernel/nldev_monitor.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "kernel/attribute.h"
#include "kernel/netlink.h"
#include "kernel/netlink_monitor.h"
#include "kernel/rdma_netlink_attrs.h"

/* RDMA_NL_GROUP_NOTIFY. Not the one before it: ib_core takes who joins that for ibacm. */
#define GROUP_NOTIFY 4

/* RDMA_NLDEV_CMD_MONITOR, the type of the messages. */
#define COMMAND_MONITOR 28

/* The kernel's NLMSG_DEFAULT_SIZE is less than a page. */
#define LARGEST_MESSAGE 65536

struct nldev_monitor {
	struct netlink_monitor *netlink;
};

static struct nldev_monitor *wrap(struct netlink_monitor *netlink)
{
	struct nldev_monitor *monitor = mem_alloc_zero(1, sizeof(*monitor));

	monitor->netlink = netlink;
	return monitor;
}

static int handle_settings(void *context, unsigned int request, const struct netlink_answer *answer)
{
	const struct nlattr *table[NLDEV_ATTR_KNOWN];

	(void)request;
	if (answer->error || !answer->payload)
		return answer->error ? answer->error : -EBADMSG;
	if (netlink_parse(answer->payload, answer->length, table, ARRAY_SIZE(table)))
		return -EBADMSG;
	return netlink_get_number(table[NLDEV_SYS_ATTR_MONITOR_MODE], context);
}

/* A kernel that does not notify lets one join the group all the same. */
static int ask_support(void)
{
	struct netlink_request request = {0};
	struct number supported = {0};
	struct netlink *netlink;
	int error = netlink_open(NETLINK_RDMA, LARGEST_MESSAGE, &netlink);

	if (error)
		return error;
	netlink_add(&request, RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_SYS_GET), 0, NULL, 0);
	error = netlink_ask(netlink, &request, handle_settings, &supported);
	netlink_free(netlink);
	/* Before 5.1 the request itself is unknown. */
	if (error == -EINVAL || error == -EOPNOTSUPP)
		return -EOPNOTSUPP;
	return error || supported.value ? error : -EOPNOTSUPP;
}

int nldev_monitor_open(struct nldev_monitor **ret_monitor)
{
	const unsigned int group = GROUP_NOTIFY;
	struct netlink_monitor *netlink;
	int error = ask_support();

	if (!error)
		error = netlink_monitor_open(NETLINK_RDMA, &group, 1, LARGEST_MESSAGE, &netlink);
	if (!error)
		*ret_monitor = wrap(netlink);
	return error;
}

struct nldev_monitor *nldev_monitor_from_fd(int fd)
{
	return wrap(netlink_monitor_from_fd(fd, LARGEST_MESSAGE));
}

void nldev_monitor_free(struct nldev_monitor *monitor)
{
	if (!monitor)
		return;
	netlink_monitor_free(monitor->netlink);
	free(monitor);
}

int nldev_monitor_fd(const struct nldev_monitor *monitor)
{
	return netlink_monitor_fd(monitor->netlink);
}

/* A name that cannot be one of a directory stays unknown; there is the index. */
static char *get_kernel_name(const struct nlattr *attribute)
{
	const char *bytes;
	size_t length;
	char *name;

	if (!attribute)
		return NULL;
	bytes = attribute_data(attribute);
	length = strnlen(bytes, attribute_length(attribute));
	if (!length || memchr(bytes, '/', length) || bytes[0] == '.')
		return NULL;
	name = mem_alloc_zero(length + 1, 1);
	memcpy(name, bytes, length);
	return name;
}

int nldev_event_parse(const void *attributes, size_t length, struct nldev_event *event)
{
	const struct nlattr *table[NLDEV_ATTR_KNOWN];

	if (netlink_parse(attributes, length, table, ARRAY_SIZE(table)) ||
	    netlink_get_number(table[NLDEV_ATTR_EVENT_TYPE], &event->type) ||
	    netlink_get_number(table[RDMA_NLDEV_ATTR_DEV_INDEX], &event->device_index) ||
	    netlink_get_number(table[RDMA_NLDEV_ATTR_PORT_INDEX], &event->port) ||
	    netlink_get_number(table[RDMA_NLDEV_ATTR_NDEV_INDEX], &event->netdev_index))
		return -EBADMSG;
	event->device_kernel_name = get_kernel_name(table[RDMA_NLDEV_ATTR_DEV_NAME]);
	netlink_get_text(table[RDMA_NLDEV_ATTR_NDEV_NAME], &event->netdev);
	return 0;
}

void nldev_event_clear(struct nldev_event *event)
{
	free(event->device_kernel_name);
	free(event->netdev);
	*event = (struct nldev_event){0};
}

struct receiver {
	nldev_event_handler *handle;
	void *context;
	bool damaged;
};

/* The kernel puts one message into a datagram (rdma_nl_notify_event(), nldev.c). */
static void take(void *context, const void *datagram, size_t length)
{
	_cleanup_(nldev_event_clear) struct nldev_event event = {0};
	struct netlink_walk walk = {.at = datagram, .left = length};
	const struct nlmsghdr *message;
	struct receiver *receiver = context;

	if (netlink_next(&walk, &message) <= 0) {
		receiver->damaged = true;
		return;
	}
	if (message->nlmsg_type != RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, COMMAND_MONITOR))
		return;
	if (nldev_event_parse((const uint8_t *)datagram + NLMSG_HDRLEN,
			      message->nlmsg_len - NLMSG_HDRLEN, &event))
		receiver->damaged = true;
	else
		receiver->handle(receiver->context, &event);
}

int nldev_monitor_read(struct nldev_monitor *monitor, nldev_event_handler *handle, void *context)
{
	struct receiver receiver = {.handle = handle, .context = context};
	int error = netlink_monitor_read(monitor->netlink, take, &receiver);

	/* What cannot be read is lost like what did not come. */
	return error || !receiver.damaged ? error : -ENOBUFS;
}
