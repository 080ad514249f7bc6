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

/* The members of struct rtnl_link_stats64 in order; kernels append to it. */
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

/* The netdevs of a request, and the handler of the replies. */
struct reader {
	const uint32_t *link_indexes;
	rtnl_stats_taken *taken;
	void *context;
};

static void put_link(void *context, size_t which, struct netlink_request *request)
{
	const struct reader *reader = context;
	const struct if_stats_msg header = {
		.ifindex = reader->link_indexes[which],
		.filter_mask = IFLA_STATS_FILTER_BIT(IFLA_STATS_LINK_64),
	};

	netlink_add(request, RTM_GETSTATS, 0, &header, sizeof(header));
}

static void take_link(void *context, size_t which, const struct netlink_answer *answer)
{
	const struct reader *reader = context;
	struct counter_list list = {0};
	struct number link_index = {0};
	int error = answer->error;

	if (!error)
		error = answer->payload ? rtnl_parse_stats(answer->payload, answer->length,
							   &link_index, &list)
					: -EBADMSG;
	if (!error && link_index.value != reader->link_indexes[which])
		error = -EBADMSG;
	if (error)
		counter_list_clear(&list);
	reader->taken(reader->context, which, error, &list);
	counter_list_clear(&list);
}

void rtnl_get_stats(struct netlink *rtnl, const uint32_t *link_indexes, size_t count,
		    rtnl_stats_taken *taken, void *context)
{
	struct reader reader = {link_indexes, taken, context};

	netlink_ask_all(rtnl, &(struct netlink_series){count, put_link, take_link, &reader});
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
