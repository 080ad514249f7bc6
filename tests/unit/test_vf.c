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
#include <netlink/attr.h>
#include <netlink/msg.h>

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
	const struct ifla_vf_vlan vlan = {.vf = index, .vlan = 100 + index, .qos = 3};
	const struct ifla_vf_rate rate = {.vf = index, .min_tx_rate = 50, .max_tx_rate = 1000};
	struct bytes info = {0};

	put_attribute(&info, IFLA_VF_MAC, &mac, sizeof(mac));
	put_attribute(&info, IFLA_VF_VLAN, &vlan, sizeof(vlan));
	put_attribute(&info, IFLA_VF_RATE, &rate, sizeof(rate));
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
	return vf_take(list, copy, length);
}

/* The part of the message before the list of VFs. */
static void begin(struct bytes *message, uint32_t count)
{
	const struct ifinfomsg header = {.ifi_index = 5};

	bytes_put(message, &header, sizeof(header));
	put_u32(message, IFLA_NUM_VF, count);
}

static void make(struct bytes *message)
{
	const uint64_t guid = 0x0011223344556677;
	struct bytes list = {0};

	begin(message, 2);
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
	assert_int_equal(list.items[1].vlan.value, 101);
	assert_int_equal(list.items[1].qos.value, 3);
	assert_int_equal(list.items[1].min_mbps.value, 50);
	assert_int_equal(list.items[1].max_mbps.value, 1000);
	assert_int_equal(list.items[1].policy.value, VF_POLICY_DOWN);
	assert_false(list.items[1].trust.known);
	assert_false(list.items[1].node_guid.known);
	assert_null(vf_find(&list, 2));
}

static void damaged(void **state)
{
	struct bytes message = {0}, before = {0};

	(void)state;
	make(&message);
	begin(&before, 2);
	for (size_t length = 0; length < message.length; length += 4) {
		_cleanup_(vf_list_clear) struct vf_list list = {.count = 0};
		const int rc = take(&message, length, &list);

		/* Without a list, a message says nothing about VFs. */
		assert_int_equal(rc, length == sizeof(struct ifinfomsg) || length == before.length
					     ? 0
					     : -EBADMSG);
	}
}

/* rtnl_fill_vf() stores the length of the list in 16 bits, whatever it is. */
static void many(void **state)
{
	enum { VFS = 1000 };
	_cleanup_(vf_list_clear) struct vf_list list = {.count = 0}, less = {.count = 0};
	_cleanup_(freep) uint8_t *message = NULL, *cut = NULL;
	struct bytes start = {0}, entry = {0};
	struct nlattr nest = {.nla_type = IFLA_VFINFO_LIST};
	size_t length, size;

	(void)state;
	begin(&start, VFS);
	put_vf(&entry, 0, IFLA_VF_LINK_STATE_AUTO, 1, NULL);
	size = sizeof(nest) + VFS * entry.length;
	assert_true(size > UINT16_MAX);
	nest.nla_len = (uint16_t)size;
	message = mem_alloc_zero(start.length + size, 1);
	memcpy(message, start.data, start.length);
	memcpy(message + start.length, &nest, sizeof(nest));
	length = start.length + sizeof(nest);
	for (uint32_t i = 0; i < VFS; i++, length += entry.length) {
		entry.length = 0;
		put_vf(&entry, i, IFLA_VF_LINK_STATE_ENABLE, 1, NULL);
		memcpy(message + length, entry.data, entry.length);
	}
	assert_int_equal(vf_take(&list, message, length), 0);
	assert_int_equal(list.count, VFS);
	assert_int_equal(list.items[VFS - 1].index.value, VFS - 1);
	assert_int_equal(list.items[VFS - 1].policy.value, VF_POLICY_UP);
	/* In memory of the exact size. */
	cut = mem_alloc_zero(length - entry.length, 1);
	memcpy(cut, message, length - entry.length);
	assert_int_equal(vf_take(&less, cut, length - entry.length), -EBADMSG);
	assert_int_equal(less.count, VFS - 1);
}

/* A recording that an earlier version anonymised does not have the number of VFs. */
static void without_number(void **state)
{
	_cleanup_(vf_list_clear) struct vf_list list = {.count = 0};
	const struct ifinfomsg header = {.ifi_index = 5};
	struct bytes message = {0}, vfs = {0};

	(void)state;
	bytes_put(&message, &header, sizeof(header));
	put_vf(&vfs, 0, IFLA_VF_LINK_STATE_AUTO, 1, NULL);
	put_nest(&message, IFLA_VFINFO_LIST, &vfs);
	put_u32(&message, IFLA_MTU, 1500);
	assert_int_equal(take(&message, message.length, &list), 0);
	assert_int_equal(list.count, 1);
}

/*
 * Replaces the library's, and leaves no zeros on the stack, where the function that is called next
 * keeps its variables: the redzones of the sanitizer would be in the way.
 */
__attribute__((no_sanitize_address)) struct nlattr *nla_nest_start(struct nl_msg *message, int type)
{
	struct nlattr *nest = nlmsg_tail(nlmsg_hdr(message));
	const int rc = nla_put(message, NLA_F_NESTED | type, 0, NULL);
	volatile char bytes[1024];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = 0x5a;
	return rc < 0 ? NULL : nest;
}

/* The members of the structure, and nothing between them. */
static bool is_guid(const struct nlattr *attribute)
{
	struct ifla_vf_guid wanted;

	memset(&wanted, 0, sizeof(wanted));
	wanted.vf = 3;
	wanted.guid = 1;
	return attribute->nla_type == IFLA_VF_IB_PORT_GUID &&
	       !memcmp(attribute + 1, &wanted, sizeof(wanted));
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
				  (is_guid(one) || (one->nla_type == IFLA_VF_TRUST &&
						    trust->vf == 3 && trust->setting == 1));
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
	assert_int_equal(vf_set(rtnl, 5, 3, VF_SET_PORT_GUID, 1), 0);
	netlink_free(rtnl);
	fake_stop(&kernel);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(settings),	  cmocka_unit_test(damaged), cmocka_unit_test(many),
		cmocka_unit_test(without_number), cmocka_unit_test(set),
	};

	return cmocka_run_group_tests_name("vf", tests, NULL, NULL);
}
