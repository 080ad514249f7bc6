/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "kernel/netlink/nldev.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "kernel/root.h"
#include "kernel/netlink/netlink.h"

/* RDMA_NL_GROUP_NOTIFY. Not the preceding group: ib_core takes a listener there for ibacm. */
#define GROUP_NOTIFY 4

/* RDMA_NLDEV_CMD_MONITOR, the type of notifications. */
#define COMMAND_MONITOR 28

/* The kernel allocates NLMSG_DEFAULT_SIZE for a notification, less than a page. */
#define LARGEST_EVENT 65536

/*
 * One table for all messages, like nldev_policy[] in the kernel. Text may have any length, and ends
 * with its attribute or a NUL.
 */
static const struct nla_policy policy[NLDEV_ATTR_KNOWN] = {
	[RDMA_NLDEV_ATTR_DEV_INDEX] = {.type = NLA_U32},
	[RDMA_NLDEV_ATTR_PORT_INDEX] = {.type = NLA_U32},
	[RDMA_NLDEV_ATTR_CAP_FLAGS] = {.type = NLA_U64},
	[RDMA_NLDEV_ATTR_NODE_GUID] = {.type = NLA_U64},
	[RDMA_NLDEV_ATTR_SYS_IMAGE_GUID] = {.type = NLA_U64},
	[RDMA_NLDEV_ATTR_SUBNET_PREFIX] = {.type = NLA_U64},
	[RDMA_NLDEV_ATTR_LID] = {.type = NLA_U32},
	[RDMA_NLDEV_ATTR_SM_LID] = {.type = NLA_U32},
	[RDMA_NLDEV_ATTR_LMC] = {.type = NLA_U8},
	[RDMA_NLDEV_ATTR_PORT_STATE] = {.type = NLA_U8},
	[RDMA_NLDEV_ATTR_PORT_PHYS_STATE] = {.type = NLA_U8},
	[RDMA_NLDEV_ATTR_DEV_NODE_TYPE] = {.type = NLA_U8},
	[RDMA_NLDEV_ATTR_NDEV_INDEX] = {.type = NLA_U32},
	[RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID] = {.type = NLA_U32},
	[RDMA_NLDEV_SYS_ATTR_NETNS_MODE] = {.type = NLA_U8},
	[RDMA_NLDEV_SYS_ATTR_COPY_ON_FORK] = {.type = NLA_U8},
	[NLDEV_SYS_ATTR_PRIVILEGED_QKEY] = {.type = NLA_U8},
	[NLDEV_ATTR_DEV_TYPE] = {.type = NLA_U8},
	[NLDEV_ATTR_EVENT_TYPE] = {.type = NLA_U8},
	[NLDEV_SYS_ATTR_MONITOR_MODE] = {.type = NLA_U8},
	[NLDEV_ATTR_STAT_OPCOUNTER] = {.type = NLA_U8},

	[RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR] = {.type = NLA_U64},
	[RDMA_NLDEV_ATTR_RES_LQPN] = {.type = NLA_U32},
	[RDMA_NLDEV_ATTR_RES_RQPN] = {.type = NLA_U32},
	[RDMA_NLDEV_ATTR_RES_RQ_PSN] = {.type = NLA_U32},
	[RDMA_NLDEV_ATTR_RES_SQ_PSN] = {.type = NLA_U32},
	[RDMA_NLDEV_ATTR_RES_PATH_MIG_STATE] = {.type = NLA_U8},
	[RDMA_NLDEV_ATTR_RES_TYPE] = {.type = NLA_U8},
	[RDMA_NLDEV_ATTR_RES_STATE] = {.type = NLA_U8},
	[RDMA_NLDEV_ATTR_RES_PID] = {.type = NLA_U32},
	[RDMA_NLDEV_ATTR_RES_PS] = {.type = NLA_U32},
	[RDMA_NLDEV_ATTR_RES_CQE] = {.type = NLA_U32},
	[RDMA_NLDEV_ATTR_RES_USECNT] = {.type = NLA_U64},
	[RDMA_NLDEV_ATTR_RES_POLL_CTX] = {.type = NLA_U8},
	[RDMA_NLDEV_ATTR_RES_RKEY] = {.type = NLA_U32},
	[RDMA_NLDEV_ATTR_RES_LKEY] = {.type = NLA_U32},
	[RDMA_NLDEV_ATTR_RES_IOVA] = {.type = NLA_U64},
	[RDMA_NLDEV_ATTR_RES_MRLEN] = {.type = NLA_U64},
	[RDMA_NLDEV_ATTR_RES_LOCAL_DMA_LKEY] = {.type = NLA_U32},
	[RDMA_NLDEV_ATTR_RES_UNSAFE_GLOBAL_RKEY] = {.type = NLA_U32},
	[RDMA_NLDEV_ATTR_RES_PDN] = {.type = NLA_U32},
	[RDMA_NLDEV_ATTR_RES_CQN] = {.type = NLA_U32},
	[RDMA_NLDEV_ATTR_RES_MRN] = {.type = NLA_U32},
	[RDMA_NLDEV_ATTR_RES_CM_IDN] = {.type = NLA_U32},
	[RDMA_NLDEV_ATTR_RES_CTXN] = {.type = NLA_U32},
	[RDMA_NLDEV_ATTR_RES_SRQN] = {.type = NLA_U32},
	[RDMA_NLDEV_ATTR_MIN_RANGE] = {.type = NLA_U32},
	[RDMA_NLDEV_ATTR_MAX_RANGE] = {.type = NLA_U32},
	[RDMA_NLDEV_ATTR_DEV_DIM] = {.type = NLA_U8},

	[RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_VALUE] = {.type = NLA_U64},
	[RDMA_NLDEV_ATTR_STAT_HWCOUNTER_INDEX] = {.type = NLA_U32},
	[RDMA_NLDEV_ATTR_STAT_HWCOUNTER_DYNAMIC] = {.type = NLA_U8},
};

/*
 * The kernel's NLMSG_GOODSIZE (include/linux/netlink.h) without its overhead: no reply, and no
 * device in a dump, can be larger. Offering more costs time, because the kernel allocates and
 * clears a buffer of the offered size for every device (netlink_dump(), net/netlink/af_netlink.c):
 * with 8 KiB instead of 4, dumping 64 devices takes three times as long. Dumps of tables, with many
 * entries in one message, need the largest size, 32 KiB.
 */
size_t nldev_message_size(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return page < 8192 ? page : 8192;
}

int nldev_open(const struct root *root, struct netlink **ret_nldev)
{
	return netlink_open(root, NETLINK_RDMA, nldev_message_size(), ret_nldev);
}

int nldev_open_at(const char *directory, struct netlink **ret_nldev)
{
	_cleanup_(root_close) struct root root = {.fd = -1};
	int rc = root_open(directory, &root);

	return rc ? rc : nldev_open(&root, ret_nldev);
}

int nldev_parse(const void *attributes, size_t length, struct nlattr **table)
{
	return netlink_parse(attributes, length, 0, table, NLDEV_ATTR_KNOWN, policy);
}

int nldev_parse_nest(const struct nlattr *nest, struct nlattr **table)
{
	return netlink_parse_nest(nest, table, NLDEV_ATTR_KNOWN, policy);
}

int nldev_explain(struct netlink *nldev, uint32_t device_index, int error)
{
	struct netlink_request request = {.count = 0};

	if (error != -EINVAL)
		return error;
	netlink_add(&request, nldev_message_type(RDMA_NLDEV_CMD_GET), 0, NULL, 0);
	netlink_put_u32(&request, RDMA_NLDEV_ATTR_DEV_INDEX, device_index);
	return netlink_ask_plain(nldev, &request, NULL) == -EINVAL ? -ENODEV : error;
}

int nldev_parse_settings(void *record, const void *attributes, size_t length)
{
	struct nlattr *table[NLDEV_ATTR_KNOWN];
	struct nldev_settings *settings = record;

	if (nldev_parse(attributes, length, table) ||
	    netlink_get_number(table[RDMA_NLDEV_SYS_ATTR_NETNS_MODE], &settings->shared_netns) ||
	    netlink_get_number(table[RDMA_NLDEV_SYS_ATTR_COPY_ON_FORK], &settings->copy_on_fork) ||
	    netlink_get_number(table[NLDEV_SYS_ATTR_PRIVILEGED_QKEY], &settings->privileged_qkey) ||
	    netlink_get_number(table[NLDEV_SYS_ATTR_MONITOR_MODE], &settings->notifies))
		return -EBADMSG;
	return 0;
}

int nldev_get_settings(struct netlink *nldev, struct nldev_settings *ret_settings)
{
	struct netlink_request request = {.count = 0};
	int error;

	netlink_add(&request, nldev_message_type(RDMA_NLDEV_CMD_SYS_GET), 0, NULL, 0);
	error = netlink_ask_record(nldev, &request, nldev_parse_settings, ret_settings,
				   sizeof(*ret_settings));
	/* Kernels before 5.1 do not know the request. */
	return error == -EINVAL ? -EOPNOTSUPP : error;
}

int nldev_read_settings(const struct root *root, struct nldev_settings *ret_settings)
{
	_cleanup_(netlink_freep) struct netlink *nldev = NULL;
	int error = nldev_open(root, &nldev);

	return error ? error : nldev_get_settings(nldev, ret_settings);
}

int nldev_listen(struct netlink **ret_events)
{
	const unsigned int group = GROUP_NOTIFY;
	struct nldev_settings settings;
	int error = nldev_read_settings(NULL, &settings);

	if (error)
		return error;
	/* A kernel that never notifies still accepts listeners in the group. */
	if (!settings.notifies.value)
		return -EOPNOTSUPP;
	return netlink_open_groups(NETLINK_RDMA, &group, 1, LARGEST_EVENT, ret_events);
}

char *nldev_get_kernel_name(const struct nlattr *attribute)
{
	const char *bytes;
	size_t length;
	char *name;

	if (!attribute)
		return NULL;
	bytes = nla_data(attribute);
	length = strnlen(bytes, (size_t)nla_len(attribute));
	if (!length || memchr(bytes, '/', length) || bytes[0] == '.')
		return NULL;
	name = mem_alloc_zero(length + 1, 1);
	memcpy(name, bytes, length);
	return name;
}

int nldev_event_parse(const void *attributes, size_t length, struct nldev_event *event)
{
	struct nlattr *table[NLDEV_ATTR_KNOWN];

	if (nldev_parse(attributes, length, table) ||
	    netlink_get_number(table[NLDEV_ATTR_EVENT_TYPE], &event->type) ||
	    netlink_get_number(table[RDMA_NLDEV_ATTR_DEV_INDEX], &event->device_index) ||
	    netlink_get_number(table[RDMA_NLDEV_ATTR_PORT_INDEX], &event->port))
		return -EBADMSG;
	return 0;
}

struct receiver {
	nldev_event_handler *handle;
	void *context;
	bool damaged;
};

static int take_message(void *context, const struct nlmsghdr *message)
{
	struct nldev_event event = {{0}};
	const struct receiver *receiver = context;

	if (message->nlmsg_type != nldev_message_type(COMMAND_MONITOR))
		return 0;
	if (nldev_event_parse(nlmsg_data(message), (size_t)nlmsg_datalen(message), &event))
		return -EBADMSG;
	receiver->handle(receiver->context, &event);
	return 0;
}

static void take_datagram(void *context, const void *datagram, size_t length)
{
	struct receiver *receiver = context;

	if (netlink_walk(datagram, length, take_message, receiver))
		receiver->damaged = true;
}

int nldev_read_events(struct netlink *events, nldev_event_handler *handle, void *context)
{
	struct receiver receiver = {.handle = handle, .context = context};
	int error = netlink_read(events, take_datagram, &receiver);

	/* A malformed message counts as lost. */
	return error || !receiver.damaged ? error : -ENOBUFS;
}
