/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/rtnl_stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>

#include "base/mem.h"
#include "kernel/netlink.h"

/* struct rtnl_link_stats64 in its order; kernels append to it. */
static const char *const names[] = {
	"rx_packets",
	"tx_packets",
	"rx_bytes",
	"tx_bytes",
	"rx_errors",
	"tx_errors",
	"rx_dropped",
	"tx_dropped",
	"multicast",
	"collisions",
	"rx_length_errors",
	"rx_over_errors",
	"rx_crc_errors",
	"rx_frame_errors",
	"rx_fifo_errors",
	"rx_missed_errors",
	"tx_aborted_errors",
	"tx_carrier_errors",
	"tx_fifo_errors",
	"tx_heartbeat_errors",
	"tx_window_errors",
	"rx_compressed",
	"tx_compressed",
	"rx_nohandler",
	"rx_otherhost_dropped",
};

int rtnl_parse_stats(const void *payload, size_t length, struct number *ret_link_index,
		     struct counter_list *list)
{
	static const struct nla_policy policy[IFLA_STATS_LINK_64 + 1];
	struct nlattr *table[ARRAY_SIZE(policy)];
	const struct if_stats_msg *header = payload;
	uint64_t values[ARRAY_SIZE(names)];
	size_t count;

	if (netlink_parse(payload, length, sizeof(*header), table, ARRAY_SIZE(table), policy) ||
	    !table[IFLA_STATS_LINK_64] ||
	    (size_t)nla_len(table[IFLA_STATS_LINK_64]) % sizeof(values[0]))
		return -EBADMSG;
	number_set(ret_link_index, header->ifindex);
	count = (size_t)nla_memcpy(values, table[IFLA_STATS_LINK_64], sizeof(values)) /
		sizeof(values[0]);
	for (size_t i = 0; i < count; i++)
		counter_list_add(list, names[i], values[i]);
	return 0;
}

/* The netdevs of one batch, and the handler of the answers. */
struct batch {
	const uint32_t *link_indexes;
	size_t first; /* position of the first in the request */
	bool answered[NETLINK_BATCH];
	rtnl_stats_taken *taken;
	void *context;
};

static int handle_stats(void *context, unsigned int index, const struct netlink_answer *answer)
{
	struct batch *batch = context;
	struct counter_list list = {0};
	struct number link_index = {0};
	int error = answer->error;

	if (!error)
		error = answer->payload ? rtnl_parse_stats(answer->payload, answer->length,
							   &link_index, &list)
					: -EBADMSG;
	if (!error && link_index.value != batch->link_indexes[index])
		error = -EBADMSG;
	if (error)
		counter_list_clear(&list);
	batch->answered[index] = true;
	batch->taken(batch->context, batch->first + index, error, &list);
	counter_list_clear(&list);
	return 0;
}

static int ask(struct netlink *rtnl, struct batch *batch, unsigned int count)
{
	struct netlink_request request = {0};

	for (unsigned int i = 0; i < count; i++) {
		const struct if_stats_msg header = {
			.ifindex = batch->link_indexes[i],
			.filter_mask = IFLA_STATS_FILTER_BIT(IFLA_STATS_LINK_64),
		};

		netlink_add(&request, RTM_GETSTATS, 0, &header, sizeof(header));
	}
	return netlink_ask(rtnl, &request, handle_stats, batch);
}

void rtnl_get_stats(struct netlink *rtnl, const uint32_t *link_indexes, size_t count,
		    rtnl_stats_taken *taken, void *context)
{
	int given_up = 0; /* -ETIMEDOUT: the kernel does not answer, so it gets no more requests */

	for (size_t at = 0; at < count; at += NETLINK_BATCH) {
		struct batch batch = {.link_indexes = link_indexes + at,
				      .first = at,
				      .taken = taken,
				      .context = context};
		const size_t left = count - at;
		const unsigned int size = left < NETLINK_BATCH ? (unsigned int)left : NETLINK_BATCH;
		int error = given_up ? given_up : ask(rtnl, &batch, size);

		if (error == -ETIMEDOUT)
			given_up = error;
		for (unsigned int i = 0; i < size; i++) {
			struct counter_list empty = {0};

			if (!batch.answered[i])
				taken(context, at + i, error ? error : -EBADMSG, &empty);
		}
	}
}

void sysfs_net_read_stats(const struct root *root, const char *netdev, struct counter_list *list)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct number value = {0};

		if (!sysfs_read_number(root, &value, "sys/class/net/%s/statistics/%s", netdev,
				       names[i]))
			counter_list_add(list, names[i], value.value);
	}
}
