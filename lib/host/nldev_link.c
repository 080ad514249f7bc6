/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/nldev_link.h"

#include <linux/netlink.h>
#include <string.h>

#include "kernel/netlink.h"
#include "host/nldev_private.h"
#include "kernel/rdma_netlink_attrs.h"

static int take_verdict(void *context, unsigned int index, const struct netlink_answer *answer)
{
	(void)context;
	(void)index;
	return answer->error;
}

int nldev_add_link(struct nldev *nldev, const char *device, const char *type, const char *netdev)
{
	struct netlink_request request = {.count = 0};

	netlink_add(&request, nldev_message_type(RDMA_NLDEV_CMD_NEWLINK), NLM_F_ACK, NULL, 0);
	netlink_put(&request, RDMA_NLDEV_ATTR_DEV_NAME, device, strlen(device) + 1);
	netlink_put(&request, RDMA_NLDEV_ATTR_LINK_TYPE, type, strlen(type) + 1);
	netlink_put(&request, RDMA_NLDEV_ATTR_NDEV_NAME, netdev, strlen(netdev) + 1);
	return netlink_ask(nldev->netlink, &request, take_verdict, NULL);
}

int nldev_delete_link(struct nldev *nldev, uint32_t device_index)
{
	struct netlink_request request = {.count = 0};

	netlink_add(&request, nldev_message_type(RDMA_NLDEV_CMD_DELLINK), NLM_F_ACK, NULL, 0);
	netlink_put_u32(&request, RDMA_NLDEV_ATTR_DEV_INDEX, device_index);
	return netlink_ask(nldev->netlink, &request, take_verdict, NULL);
}
