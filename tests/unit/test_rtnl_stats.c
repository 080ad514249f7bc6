/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Statistics of netdevs: handmade messages, and a simulated kernel at the end of a socket pair. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "netlink_message.h"
#include "counter/netlink_counters.h"

static void put_stats(struct bytes *bytes, uint32_t link_index, unsigned int members)
{
	const struct if_stats_msg header = {.ifindex = link_index, .filter_mask = 1};
	uint64_t values[40];

	for (unsigned int i = 0; i < members; i++)
		values[i] = link_index * 1000 + i;
	bytes_put(bytes, &header, sizeof(header));
	put_attribute(bytes, IFLA_STATS_LINK_64, values, members * sizeof(values[0]));
}

static int parse(const struct bytes *bytes, size_t length, struct number *index,
		 struct counter_list *list)
{
	_cleanup_(freep) void *copy = mem_alloc_zero(length, 1);

	memcpy(copy, bytes->data, length);
	return rtnl_parse_stats(copy, length, index, list);
}

/* Kernels before 4.6 have 23 members, those before 5.19 have 24, and future ones may have more. */
static void members(void **state)
{
	static const unsigned int counts[][2] = {{23, 23}, {24, 24}, {25, 25}, {33, 25}, {0, 0}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		_cleanup_(counter_list_clear) struct counter_list list = {0};
		struct number index = {0};
		struct bytes bytes = {0};

		put_stats(&bytes, 7, counts[i][0]);
		assert_int_equal(parse(&bytes, bytes.length, &index, &list), 0);
		assert_int_equal(index.value, 7);
		assert_int_equal(list.count, counts[i][1]);
		if (list.count < 25)
			continue;
		assert_int_equal(counter_list_find(&list, "rx_packets")->value, 7000);
		assert_int_equal(counter_list_find(&list, "tx_bytes")->value, 7003);
		assert_int_equal(counter_list_find(&list, "tx_dropped")->value, 7007);
		assert_int_equal(counter_list_find(&list, "rx_missed_errors")->value, 7015);
		assert_int_equal(counter_list_find(&list, "rx_nohandler")->value, 7023);
		assert_int_equal(counter_list_find(&list, "rx_otherhost_dropped")->value, 7024);
	}
}

static void damaged(void **state)
{
	_cleanup_(counter_list_clear) struct counter_list list = {0};
	struct number index = {0};
	struct bytes bytes = {0}, odd = {0};
	const struct if_stats_msg header = {.ifindex = 1};

	(void)state;
	put_stats(&bytes, 7, 24);
	for (size_t length = 0; length < bytes.length; length++) {
		assert_int_equal(parse(&bytes, length, &index, &list), -EBADMSG);
		assert_int_equal(list.count, 0);
	}
	bytes_put(&odd, &header, sizeof(header));
	put_attribute(&odd, IFLA_STATS_LINK_64, "0123456789", 10);
	assert_int_equal(parse(&odd, odd.length, &index, &list), -EBADMSG);
}

/* Netdev 5 is gone, the answer for 6 is about another netdev, and 7 does not answer. */
static void serve(struct fake_kernel *kernel, const struct bytes *requests)
{
	for_each_message (request, requests) {
		struct if_stats_msg header;
		struct bytes payload = {0}, datagram = {0};

		assert_int_equal(request->nlmsg_type, RTM_GETSTATS);
		memcpy(&header, (const uint8_t *)request + NLMSG_HDRLEN, sizeof(header));
		assert_int_equal(header.filter_mask, 1);
		if (header.ifindex == 7)
			continue;
		if (header.ifindex == 5) {
			put_error(&datagram, request->nlmsg_seq, -ENODEV, NULL);
		} else {
			put_stats(&payload, header.ifindex == 6 ? 99 : header.ifindex, 24);
			put_message(&datagram, RTM_NEWSTATS, 0, request->nlmsg_seq, payload.data,
				    payload.length);
		}
		fake_send(kernel, &datagram);
	}
}

struct heard {
	unsigned int calls[64];
	int errors[64];
	uint64_t first[64];
};

static void take(void *context, size_t which, int error, const struct counter_list *list)
{
	struct heard *heard = context;

	heard->calls[which]++;
	heard->errors[which] = error;
	assert_int_equal(list->count, error ? 0 : 24);
	heard->first[which] = error ? 0 : list->items[0].value;
}

static void many_netdevs(void **state)
{
	struct fake_kernel kernel = {.serve = serve};
	struct heard heard = {0};
	uint32_t indexes[40];
	int fd = fake_start(&kernel);
	struct netlink *rtnl = netlink_from_fd(fd, 32768);

	(void)state;
	hurry(fd);
	for (uint32_t i = 0; i < 40; i++)
		indexes[i] = i + (i < 20 ? 20 : 80);
	indexes[3] = 5;
	indexes[18] = 6;
	indexes[39] = 7;
	rtnl_get_stats(rtnl, indexes, ARRAY_SIZE(indexes), take, &heard);
	netlink_free(rtnl);
	fake_stop(&kernel);
	for (uint32_t i = 0; i < 40; i++) {
		assert_int_equal(heard.calls[i], 1);
		assert_int_equal(heard.errors[i], i == 3    ? -ENODEV
						  : i == 18 ? -EBADMSG
						  : i == 39 ? -ETIMEDOUT
							    : 0);
		if (!heard.errors[i])
			assert_int_equal(heard.first[i], indexes[i] * 1000);
	}
	/* The last request is sent again alone. */
	assert_int_equal(kernel.datagrams, 3 + 1);
}

static void silence(void **state)
{
	struct fake_kernel kernel = {.serve = serve};
	struct heard heard = {0};
	uint32_t indexes[40];
	int fd = fake_start(&kernel);
	struct netlink *rtnl = netlink_from_fd(fd, 32768);

	(void)state;
	hurry(fd);
	for (uint32_t i = 0; i < 40; i++)
		indexes[i] = 7;
	rtnl_get_stats(rtnl, indexes, ARRAY_SIZE(indexes), take, &heard);
	netlink_free(rtnl);
	fake_stop(&kernel);
	for (uint32_t i = 0; i < 40; i++) {
		assert_int_equal(heard.calls[i], 1);
		assert_int_equal(heard.errors[i], -ETIMEDOUT);
	}
	/* A single time-out is enough. */
	assert_int_equal(kernel.datagrams, 1);
}

static void take_own(void *context, size_t which, int error, const struct counter_list *list)
{
	struct counter_list *lists = context;

	assert_int_equal(error, which ? -ENODEV : 0);
	for (size_t i = 0; i < list->count; i++)
		counter_list_add(&lists[which], list->items[i].name, list->items[i].value);
}

/* On a real kernel, every network namespace has a lo with index 1. */
static void own_kernel(void **state)
{
	const uint32_t indexes[] = {1, 0x7ffffff0};
	struct counter_list lists[2] = {0};
	struct root root;
	struct netlink *rtnl;

	(void)state;
	if (rtnl_open(NULL, &rtnl) || root_open(NULL, &root))
		skip();
	rtnl_get_stats(rtnl, indexes, ARRAY_SIZE(indexes), take_own, lists);
	assert_true(lists[0].count >= 23);
	assert_int_equal(lists[1].count, 0);
	/* Read a moment later: counters may have grown. */
	for (size_t i = 0; i < lists[0].count; i++) {
		const struct counter *counter = &lists[0].items[i];
		struct number value = {0};

		if (!sysfs_read_number(&root, &value, "sys/class/net/lo/statistics/%s",
				       counter->name))
			assert_true(counter->value <= value.value);
	}
	counter_list_clear(&lists[0]);
	root_close(&root);
	netlink_free(rtnl);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members),	cmocka_unit_test(damaged),
		cmocka_unit_test(many_netdevs), cmocka_unit_test(silence),
		cmocka_unit_test(own_kernel),
	};

	return cmocka_run_group_tests_name("rtnl_stats", tests, NULL, NULL);
}
