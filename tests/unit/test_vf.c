/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The settings of a physical function for its virtual functions: handmade messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/sriov/vf.h"
#include "kernel/netlink/netlink.h"
#include "netlink_message.h"

static void put_vf(struct bytes *list, uint32_t index, uint32_t policy, uint32_t trust,
		   const uint64_t *guid)
{
	const struct ifla_vf_mac mac = {.vf = index, .mac = {2, 0x1b, 3, 4, 5, (uint8_t)index}};
	const struct ifla_vf_link_state state = {.vf = index, .link_state = policy};
	const struct ifla_vf_trust trusted = {.vf = index, .setting = trust};
	struct bytes info = {0};

	put_attribute(&info, IFLA_VF_MAC, &mac, sizeof(mac));
	put_attribute(&info, IFLA_VF_LINK_STATE, &state, sizeof(state));
	put_attribute(&info, IFLA_VF_TRUST, &trusted, sizeof(trusted));
	if (guid) {
		const struct ifla_vf_guid node = {.vf = index, .guid = *guid};

		put_attribute(&info, IFLA_VF_IB_NODE_GUID, &node, sizeof(node));
	}
	put_nest(list, IFLA_VF_INFO, &info);
}

/* Copied into memory of the exact size, so that the sanitizer sees every overrun. */
static int take(const struct bytes *bytes, size_t length, struct vf_list *list)
{
	_cleanup_(freep) void *copy = mem_alloc_zero(length ? length : 1, 1);

	memcpy(copy, bytes->data, length);
	return vf_take(copy, length, list);
}

static void make(struct bytes *message)
{
	const struct ifinfomsg header = {.ifi_index = 5};
	const uint64_t guid = 0x0011223344556677;
	struct bytes list = {0};

	bytes_put(message, &header, sizeof(header));
	put_vf(&list, 0, IFLA_VF_LINK_STATE_AUTO, 1, &guid);
	put_vf(&list, 1, IFLA_VF_LINK_STATE_DISABLE, UINT32_MAX, NULL);
	put_nest(message, IFLA_VFINFO_LIST, &list);
}

static void settings(void **state)
{
	_cleanup_(vf_list_clear) struct vf_list list = {.count = 0};
	struct bytes message = {0};

	(void)state;
	make(&message);
	assert_int_equal(take(&message, message.length, &list), 0);
	assert_int_equal(list.count, 2);
	assert_string_equal(list.items[0].mac, "02:1b:03:04:05:00");
	assert_int_equal(list.items[0].policy.value, VF_POLICY_AUTO);
	assert_true(list.items[0].trust.known && list.items[0].trust.value == 1);
	assert_int_equal(list.items[0].node_guid.value, 0x0011223344556677);
	assert_false(list.items[0].port_guid.known);
	/* A driver without trust leaves -1, and an Ethernet driver has no GUIDs. */
	assert_ptr_equal(vf_find(&list, 1), &list.items[1]);
	assert_int_equal(list.items[1].policy.value, VF_POLICY_DOWN);
	assert_false(list.items[1].trust.known);
	assert_false(list.items[1].node_guid.known);
	assert_null(vf_find(&list, 2));
}

static void damaged(void **state)
{
	struct bytes message = {0};

	(void)state;
	make(&message);
	for (size_t length = 0; length < message.length; length += 4) {
		_cleanup_(vf_list_clear) struct vf_list list = {.count = 0};
		const int rc = take(&message, length, &list);

		/* Without attributes, a message says nothing about VFs. */
		assert_int_equal(rc, length == sizeof(struct ifinfomsg) ? 0 : -EBADMSG);
	}
}

/* The message as sent to the kernel: a nest in a nest, for one VF. */
static void serve(struct fake_kernel *kernel, const struct bytes *requests)
{
	for_each_message (message, requests) {
		const struct nlattr *list = (const void *)((const uint8_t *)NLMSG_DATA(message) +
							   sizeof(struct ifinfomsg));
		const struct nlattr *info = list + 1, *one = info + 1;
		const struct ifla_vf_trust *trust = (const void *)(one + 1);
		const bool good = message->nlmsg_type == RTM_SETLINK &&
				  (list->nla_type & NLA_TYPE_MASK) == IFLA_VFINFO_LIST &&
				  (info->nla_type & NLA_TYPE_MASK) == IFLA_VF_INFO &&
				  one->nla_type == IFLA_VF_TRUST && trust->vf == 3 &&
				  trust->setting == 1;
		struct bytes answer = {0};

		put_error(&answer, message->nlmsg_seq, good ? 0 : -EOPNOTSUPP, NULL);
		fake_send(kernel, &answer);
	}
}

static void set(void **state)
{
	struct fake_kernel kernel = {.serve = serve};
	struct netlink *rtnl = netlink_from_fd(fake_start(&kernel), NETLINK_LARGEST_MESSAGE);

	(void)state;
	assert_int_equal(vf_set(rtnl, 5, 3, VF_SET_TRUST, 1), 0);
	assert_int_equal(vf_set(rtnl, 5, 3, VF_SET_NODE_GUID, 1), -EOPNOTSUPP);
	netlink_free(rtnl);
	fake_stop(&kernel);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(settings),
		cmocka_unit_test(damaged),
		cmocka_unit_test(set),
	};

	return cmocka_run_group_tests_name("vf", tests, NULL, NULL);
}
