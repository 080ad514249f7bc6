/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rtnetlink: handmade messages, a simulated kernel, and the kernel of this machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <linux/rtnetlink.h>
#include <net/if_arp.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "netlink_message.h"
#include "host/rtnl.h"

/*
 * Each message is copied into memory of its exact size, so that the sanitizer sees every overrun.
 */
static int parse_link(const struct bytes *bytes, size_t length, struct link_list *list)
{
	_cleanup_(freep) void *copy = mem_alloc_zero(length, 1);

	memcpy(copy, bytes->data, length);
	return rtnl_parse_link(copy, length, link_list_add(list));
}

static int parse_address(const struct bytes *bytes, size_t length, struct link_address *address)
{
	_cleanup_(freep) void *copy = mem_alloc_zero(length, 1);

	memcpy(copy, bytes->data, length);
	return rtnl_parse_address(copy, length, address);
}

static int parse_route(const struct bytes *bytes, size_t length, struct route *route)
{
	_cleanup_(freep) void *copy = mem_alloc_zero(length, 1);

	memcpy(copy, bytes->data, length);
	return rtnl_parse_route(route, copy, length);
}

static void put_link(struct bytes *bytes, int index, unsigned short type, const char *name)
{
	const struct ifinfomsg header = {.ifi_index = index, .ifi_type = type};

	bytes_put(bytes, &header, sizeof(header));
	put_string(bytes, IFLA_IFNAME, name);
}

/* Adds IFLA_LINKINFO with the number of a VLAN, or the P_Key of an IPoIB child. */
static void put_kind(struct bytes *bytes, const char *kind, unsigned int type, uint16_t value,
		     unsigned int flags)
{
	struct bytes data = {0}, info = {0};

	put_u16(&data, type, value);
	put_string(&info, IFLA_INFO_KIND, kind);
	put_nest(&info, IFLA_INFO_DATA | flags, &data);
	put_nest(bytes, IFLA_LINKINFO | flags, &info);
}

static void link_plain(void **state)
{
	static const uint8_t mac[] = {0x02, 0xfc, 0, 0, 0, 0x1a};
	_cleanup_(link_list_clear) struct link_list list = {0};
	struct bytes bytes = {0};
	const struct link *link;

	(void)state;
	put_link(&bytes, 4, ARPHRD_ETHER, "eth0");
	put_u32(&bytes, IFLA_MTU, 9000);
	put_u8(&bytes, IFLA_OPERSTATE, 6);
	put_attribute(&bytes, IFLA_ADDRESS, mac, sizeof(mac));
	put_u32(&bytes, IFLA_CARRIER_CHANGES, 3);
	put_u32(&bytes, 500, 3);
	assert_int_equal(parse_link(&bytes, bytes.length, &list), 0);
	link = &list.items[0];
	assert_int_equal(link->index.value, 4);
	assert_string_equal(link->name, "eth0");
	assert_int_equal(link->type.value, ARPHRD_ETHER);
	assert_int_equal(link->mtu_bytes.value, 9000);
	assert_int_equal(link->operstate.value, 6);
	assert_string_equal(link->address, "02:fc:00:00:00:1a");
	assert_int_equal(link->carrier_changes.value, 3);
	assert_null(link->kind);
	assert_false(link->master_index.known);
	assert_false(link->lower_index.known);
	assert_false(link->lower_elsewhere);
	assert_false(link->vlan_id.known);
	assert_false(link->pkey.known);
	assert_false(link->port_guid.known);
}

/* Each flag alone, and all but one of them: linux/if.h. */
static void link_flags(void **state)
{
	static const struct {
		unsigned int flags;
		enum tristate enabled, running, carrier;
	} samples[] = {
		{0, TRISTATE_NO, TRISTATE_NO, TRISTATE_NO},
		{1, TRISTATE_YES, TRISTATE_NO, TRISTATE_NO},
		{0x40, TRISTATE_NO, TRISTATE_YES, TRISTATE_NO},
		{0x10000, TRISTATE_NO, TRISTATE_NO, TRISTATE_YES},
		{0x10043, TRISTATE_YES, TRISTATE_YES, TRISTATE_YES},
		{~1u, TRISTATE_NO, TRISTATE_YES, TRISTATE_YES},
		{~0x40u, TRISTATE_YES, TRISTATE_NO, TRISTATE_YES},
		{~0x10000u, TRISTATE_YES, TRISTATE_YES, TRISTATE_NO},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		const struct ifinfomsg header = {.ifi_index = 4, .ifi_flags = samples[i].flags};
		_cleanup_(link_list_clear) struct link_list list = {0};
		struct bytes bytes = {0};

		bytes_put(&bytes, &header, sizeof(header));
		put_string(&bytes, IFLA_IFNAME, "eth0");
		assert_int_equal(parse_link(&bytes, bytes.length, &list), 0);
		assert_int_equal(list.items[0].enabled, samples[i].enabled);
		assert_int_equal(list.items[0].running, samples[i].running);
		assert_int_equal(list.items[0].carrier, samples[i].carrier);
	}
}

static void link_vlan(void **state)
{
	static const unsigned int flags[] = {0, NLA_F_NESTED};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		_cleanup_(link_list_clear) struct link_list list = {0};
		struct bytes bytes = {0};
		const struct link *link;

		put_link(&bytes, 9, ARPHRD_ETHER, "eth0.5");
		put_u32(&bytes, IFLA_LINK, 4);
		put_u32(&bytes, IFLA_MASTER, 12);
		put_kind(&bytes, "vlan", IFLA_VLAN_ID, 5, flags[i]);
		assert_int_equal(parse_link(&bytes, bytes.length, &list), 0);
		link = &list.items[0];
		assert_string_equal(link->kind, "vlan");
		assert_int_equal(link->vlan_id.value, 5);
		assert_int_equal(link->lower_index.value, 4);
		assert_int_equal(link->master_index.value, 12);
		assert_false(link->lower_elsewhere);
		assert_false(link->pkey.known);
	}
}

static void link_ipoib(void **state)
{
	static const uint8_t address[20] = {0x80, 0, 0, 0x4a, 0xfe, 0x80, 0,	0,    0,    0,
					    0,	  0, 0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77};
	_cleanup_(link_list_clear) struct link_list list = {0};
	struct bytes bytes = {0};
	const struct link *link;

	(void)state;
	put_link(&bytes, 7, ARPHRD_INFINIBAND, "ib0.8001");
	put_u32(&bytes, IFLA_LINK, 6);
	put_attribute(&bytes, IFLA_ADDRESS, address, sizeof(address));
	put_kind(&bytes, "ipoib", IFLA_IPOIB_PKEY, 0x8001, NLA_F_NESTED);
	assert_int_equal(parse_link(&bytes, bytes.length, &list), 0);
	link = &list.items[0];
	assert_int_equal(link->pkey.value, 0x8001);
	assert_false(link->vlan_id.known);
	assert_true(link->port_guid.value == 0x0011223344556677);
	assert_string_equal(link->address,
			    "80:00:00:4a:fe:80:00:00:00:00:00:00:00:11:22:33:44:55:66:77");
}

/* A kind without data that is used, a truncated InfiniBand address, and names to be cleaned. */
static void link_odd(void **state)
{
	_cleanup_(link_list_clear) struct link_list list = {0};
	struct bytes bytes = {0};
	const struct link *link;

	(void)state;
	put_link(&bytes, 7, ARPHRD_INFINIBAND, "a\033b");
	put_u32(&bytes, IFLA_LINK, 0);
	put_attribute(&bytes, IFLA_ADDRESS, "1234567890", 10);
	put_kind(&bytes, "bo\nnd", IFLA_VLAN_ID, 5, 0);
	put_u32(&bytes, IFLA_LINK_NETNSID, 0);
	assert_int_equal(parse_link(&bytes, bytes.length, &list), 0);
	link = &list.items[0];
	assert_string_equal(link->name, "a\\x1bb");
	assert_string_equal(link->kind, "bo\\x0and");
	assert_false(link->port_guid.known);
	assert_false(link->vlan_id.known);
	assert_false(link->lower_index.known);
	assert_false(link->lower_elsewhere);
}

static void link_elsewhere(void **state)
{
	_cleanup_(link_list_clear) struct link_list list = {0};
	struct bytes bytes = {0};

	(void)state;
	put_link(&bytes, 7, ARPHRD_ETHER, "eth0");
	put_attribute(&bytes, IFLA_ADDRESS, "", 0);
	put_u32(&bytes, IFLA_LINK, 7);
	put_u32(&bytes, IFLA_LINK_NETNSID, 0);
	assert_int_equal(parse_link(&bytes, bytes.length, &list), 0);
	assert_true(list.items[0].lower_elsewhere);
	assert_int_equal(list.items[0].lower_index.value, 7);
	assert_null(list.items[0].address);
}

static void link_damaged(void **state)
{
	struct bytes whole = {0};

	(void)state;
	put_link(&whole, 9, ARPHRD_ETHER, "eth0.5");
	put_u32(&whole, IFLA_MTU, 4);
	put_kind(&whole, "vlan", IFLA_VLAN_ID, 5, 0);
	for (size_t length = 0; length < whole.length; length++) {
		_cleanup_(link_list_clear) struct link_list list = {0};
		int error = parse_link(&whole, length, &list);

		assert_true(!error || error == -EBADMSG);
		if (length < sizeof(struct ifinfomsg))
			assert_int_equal(error, -EBADMSG);
	}
	/* A nest, and a nest inside it, whose length exceeds that of their container. */
	for (size_t at = 0; at < whole.length; at += 4) {
		_cleanup_(link_list_clear) struct link_list list = {0};
		struct bytes bytes = whole;

		bytes.data[at] = 0xff;
		bytes.data[at + 1] = 0x7f;
		parse_link(&bytes, bytes.length, &list);
	}
	{
		_cleanup_(link_list_clear) struct link_list list = {0};
		struct bytes bytes = {0};

		put_link(&bytes, 9, ARPHRD_ETHER, "eth0");
		put_attribute(&bytes, IFLA_MTU, "123", 3);
		assert_int_equal(parse_link(&bytes, bytes.length, &list), -EBADMSG);
	}
}

static void put_ip(struct bytes *bytes, unsigned int type, const char *text)
{
	struct ip_address ip;

	assert_int_equal(ip_parse(text, &ip), 0);
	put_attribute(bytes, type, ip.raw, ip.family == AF_INET ? 4 : 16);
}

static void check_ip(const struct ip_address *ip, const char *expected)
{
	char text[IP_TEXT_SIZE];

	ip_format(ip, text);
	assert_string_equal(text, expected);
}

static void addresses(void **state)
{
	const struct ifaddrmsg header4 = {
		.ifa_family = AF_INET, .ifa_prefixlen = 24, .ifa_index = 4};
	const struct ifaddrmsg header6 = {
		.ifa_family = AF_INET6, .ifa_prefixlen = 64, .ifa_index = 4};
	const struct ifaddrmsg strange = {.ifa_family = 45}; /* AF_MCTP */
	struct bytes peer = {0}, six = {0}, other = {0}, none = {0}, mixed = {0};
	struct link_address address = {0};

	(void)state;
	bytes_put(&peer, &header4, sizeof(header4));
	put_ip(&peer, IFA_ADDRESS, "10.2.0.2");
	put_ip(&peer, IFA_LOCAL, "10.2.0.1");
	assert_int_equal(parse_address(&peer, peer.length, &address), 0);
	check_ip(&address.ip, "10.2.0.1");
	assert_int_equal(address.prefix_length.value, 24);
	assert_int_equal(address.link_index.value, 4);
	for (size_t length = 0; length < peer.length; length++)
		parse_address(&peer, length, &address);

	bytes_put(&six, &header6, sizeof(header6));
	put_ip(&six, IFA_ADDRESS, "2001:db8::1");
	assert_int_equal(parse_address(&six, six.length, &address), 0);
	check_ip(&address.ip, "2001:db8::1");

	bytes_put(&other, &strange, sizeof(strange));
	put_u8(&other, IFA_LOCAL, 9);
	assert_int_equal(parse_address(&other, other.length, &address), -EAFNOSUPPORT);
	bytes_put(&none, &header4, sizeof(header4));
	assert_int_equal(parse_address(&none, none.length, &address), -EBADMSG);
	bytes_put(&mixed, &header4, sizeof(header4));
	put_ip(&mixed, IFA_LOCAL, "2001:db8::1");
	assert_int_equal(parse_address(&mixed, mixed.length, &address), -EBADMSG);
	check_ip(&address.ip, "2001:db8::1"); /* untouched */
}

static void put_route(struct bytes *bytes, unsigned char family, unsigned char type)
{
	const struct rtmsg header = {.rtm_family = family, .rtm_type = type};

	bytes_put(bytes, &header, sizeof(header));
}

static void routes(void **state)
{
	struct bytes direct = {0}, via = {0}, local = {0};
	struct bytes family_ip = {0};
	const uint16_t family = AF_INET6;
	struct route route = {0};

	(void)state;
	put_route(&direct, AF_INET, RTN_UNICAST);
	put_ip(&direct, RTA_DST, "8.8.8.8");
	put_u32(&direct, RTA_OIF, 4);
	put_ip(&direct, RTA_PREFSRC, "10.0.0.1");
	put_ip(&direct, RTA_GATEWAY, "10.0.0.254");
	assert_int_equal(parse_route(&direct, direct.length, &route), 0);
	assert_int_equal(route.link_index.value, 4);
	check_ip(&route.source.address, "10.0.0.1");
	check_ip(&route.gateway.address, "10.0.0.254");
	assert_false(route.local);
	for (size_t length = 0; length < direct.length; length++)
		parse_route(&direct, length, &route);

	/* struct rtvia: the address follows its family without padding. */
	route = (struct route){0};
	put_route(&via, AF_INET, RTN_UNICAST);
	memcpy(family_ip.data, &family, sizeof(family));
	inet_pton(AF_INET6, "fe80::1", family_ip.data + sizeof(family));
	put_attribute(&via, RTA_VIA, family_ip.data, sizeof(family) + 16);
	assert_int_equal(parse_route(&via, via.length, &route), 0);
	check_ip(&route.gateway.address, "fe80::1");
	assert_false(route.link_index.known);
	assert_false(route.source.known);
	for (size_t length = 0; length < via.length; length++)
		parse_route(&via, length, &route);

	put_route(&local, AF_INET6, RTN_LOCAL);
	assert_int_equal(parse_route(&local, local.length, &route), 0);
	assert_true(route.local);
}

static void routes_to_nowhere(void **state)
{
	static const struct {
		unsigned char type;
		int error;
	} cases[] = {
		{RTN_UNREACHABLE, -EHOSTUNREACH},
		{RTN_PROHIBIT, -EACCES},
		{RTN_BLACKHOLE, -EINVAL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bytes bytes = {0};
		struct route route = {0};

		put_route(&bytes, AF_INET6, cases[i].type);
		assert_int_equal(parse_route(&bytes, bytes.length, &route), cases[i].error);
	}
}

/* Interrupts the dump as often as the context says; the names tell which dump they come from. */
static void serve_links(struct fake_kernel *kernel, const struct bytes *requests)
{
	const struct nlmsghdr *request = message_at(requests, 0);
	unsigned int flags = NLM_F_MULTI;
	struct bytes datagram = {0};

	if (kernel->datagrams <= *(const unsigned int *)kernel->context)
		flags |= NLM_F_DUMP_INTR;
	for (int i = 1; i <= 3; i++) {
		struct bytes payload = {0};
		char name[32];

		snprintf(name, sizeof(name), "dump%u-%d", kernel->datagrams, i);
		put_link(&payload, i, ARPHRD_ETHER, name);
		put_message(&datagram, RTM_NEWLINK, flags, request->nlmsg_seq, payload.data,
			    payload.length);
	}
	put_done(&datagram, request->nlmsg_seq, 0);
	fake_send(kernel, &datagram);
}

static void serve_nameless(struct fake_kernel *kernel, const struct bytes *bytes)
{
	const struct nlmsghdr *request = (const void *)bytes->data;
	const struct ifinfomsg header = {.ifi_index = 4, .ifi_type = ARPHRD_ETHER};
	struct bytes datagram = {0}, payload = {0};

	bytes_put(&payload, &header, sizeof(header));
	put_u32(&payload, IFLA_MTU, 9000);
	put_message(&datagram, RTM_NEWLINK, request->nlmsg_flags & NLM_F_DUMP ? NLM_F_MULTI : 0,
		    request->nlmsg_seq, payload.data, payload.length);
	if (request->nlmsg_flags & NLM_F_DUMP)
		put_done(&datagram, request->nlmsg_seq, 0);
	fake_send(kernel, &datagram);
}

/* The kernel names every netdev in its answer; a recording that does not is damaged. */
static void links_nameless(void **state)
{
	_cleanup_(link_list_clear) struct link_list list = {0};
	struct fake_kernel kernel = {.serve = serve_nameless};
	struct netlink *rtnl = netlink_from_fd(fake_start(&kernel), 32768);

	(void)state;
	assert_int_equal(rtnl_get_links(rtnl, &list), -EBADMSG);
	assert_int_equal(rtnl_get_link(rtnl, 4, NULL, &list), -EBADMSG);
	netlink_free(rtnl);
	fake_stop(&kernel);
}

static void links_interrupted(void **state)
{
	static const unsigned int expected[][2] = {{0, 1}, {1, 2}, {2, 3}, {99, 3}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		_cleanup_(link_list_clear) struct link_list list = {0};
		unsigned int interruptions = expected[i][0];
		struct fake_kernel kernel = {.serve = serve_links, .context = &interruptions};
		struct netlink *rtnl = netlink_from_fd(fake_start(&kernel), 32768);
		char name[32];

		assert_int_equal(rtnl_get_links(rtnl, &list), 0);
		netlink_free(rtnl);
		fake_stop(&kernel);
		assert_int_equal(kernel.datagrams, expected[i][1]);
		assert_int_equal(list.count, 3);
		snprintf(name, sizeof(name), "dump%u-2", expected[i][1]);
		assert_string_equal(list.items[1].name, name);
		assert_int_equal(list.missing, interruptions == 99);
		assert_int_equal(list.incomplete, interruptions == 99);
	}
}

static void serve_no_route(struct fake_kernel *kernel, const struct bytes *requests)
{
	struct bytes datagram = {0};

	put_error(&datagram, message_at(requests, 0)->nlmsg_seq, -ENETUNREACH, NULL);
	fake_send(kernel, &datagram);
}

static void route_refused(void **state)
{
	const struct route_question question = {
		.destination = {.family = AF_INET, .raw = {10, 1, 2, 3}}};
	const struct route_question nothing = {.link_index = 0};
	const struct route_question mixed = {.destination = question.destination,
					     .source = {.family = AF_INET6}};
	struct fake_kernel kernel = {.serve = serve_no_route};
	struct netlink *rtnl = netlink_from_fd(fake_start(&kernel), 32768);
	struct route route = {.local = true};

	(void)state;
	assert_int_equal(rtnl_get_route(rtnl, &question, &route), -ENETUNREACH);
	assert_int_equal(rtnl_get_route(rtnl, &nothing, &route), -EAFNOSUPPORT);
	assert_int_equal(rtnl_get_route(rtnl, &mixed, &route), -EAFNOSUPPORT);
	assert_true(route.local);
	netlink_free(rtnl);
	fake_stop(&kernel);
}

/* The kernel gets the full request: source, netdev, and only routes that are in a table. */
static void serve_whole_question(struct fake_kernel *kernel, const struct bytes *requests)
{
	const struct nlmsghdr *message = message_at(requests, 0);
	const struct rtmsg *header = NLMSG_DATA(message);
	struct rtmsg reply = {.rtm_family = AF_INET, .rtm_type = RTN_UNICAST};
	struct bytes wanted = {0}, payload = {0}, datagram = {0};
	const uint8_t destination[] = {10, 1, 2, 3}, source[] = {10, 1, 2, 9};

	put_attribute(&wanted, RTA_DST, destination, sizeof(destination));
	put_attribute(&wanted, RTA_SRC, source, sizeof(source));
	put_u32(&wanted, RTA_OIF, 7);
	if (header->rtm_src_len == 32 && header->rtm_dst_len == 32 &&
	    header->rtm_flags == RTM_F_FIB_MATCH &&
	    message->nlmsg_len == NLMSG_LENGTH(sizeof(*header)) + wanted.length &&
	    !memcmp(header + 1, wanted.data, wanted.length)) {
		bytes_put(&payload, &reply, sizeof(reply));
		put_u32(&payload, RTA_OIF, 7);
		put_message(&datagram, RTM_NEWROUTE, 0, message->nlmsg_seq, payload.data,
			    payload.length);
	} else {
		put_error(&datagram, message->nlmsg_seq, -EINVAL, NULL);
	}
	fake_send(kernel, &datagram);
}

static void route_from(void **state)
{
	const struct route_question question = {
		.destination = {.family = AF_INET, .raw = {10, 1, 2, 3}},
		.source = {.family = AF_INET, .raw = {10, 1, 2, 9}},
		.link_index = 7,
		.in_table = true,
	};
	struct fake_kernel kernel = {.serve = serve_whole_question};
	struct netlink *rtnl = netlink_from_fd(fake_start(&kernel), 32768);
	struct route route = {.local = true};

	(void)state;
	assert_int_equal(rtnl_get_route(rtnl, &question, &route), 0);
	assert_int_equal(route.link_index.value, 7);
	netlink_free(rtnl);
	fake_stop(&kernel);
}

/* A request that is expected byte by byte, and its answer; any other request is refused. */
struct exchange {
	uint16_t type;
	struct bytes asked; /* the payload */
	int error;	    /* the answer, if there is none */
	uint16_t answer_type;
	struct bytes answer;
};

static void serve_exchange(struct fake_kernel *kernel, const struct bytes *requests)
{
	const struct nlmsghdr *message = message_at(requests, 0);
	const struct exchange *exchange = kernel->context;
	struct bytes datagram = {0};

	if (message->nlmsg_type != exchange->type || message->nlmsg_flags & NLM_F_DUMP ||
	    message->nlmsg_len != NLMSG_LENGTH(exchange->asked.length) ||
	    memcmp(NLMSG_DATA(message), exchange->asked.data, exchange->asked.length))
		put_error(&datagram, message->nlmsg_seq, -EPROTO, NULL);
	else if (exchange->answer.length)
		put_message(&datagram, exchange->answer_type, 0, message->nlmsg_seq,
			    exchange->answer.data, exchange->answer.length);
	else
		put_error(&datagram, message->nlmsg_seq, exchange->error, NULL);
	fake_send(kernel, &datagram);
}

/* Requests one netdev by its number or its name. */
static int get_link(const struct exchange *exchange, unsigned int index, const char *name,
		    struct link_list *list, unsigned int *ret_datagrams)
{
	struct exchange copy = *exchange;
	struct fake_kernel kernel = {.serve = serve_exchange, .context = &copy};
	struct netlink *rtnl = netlink_from_fd(fake_start(&kernel), 32768);
	int rc = rtnl_get_link(rtnl, index, name, list);

	netlink_free(rtnl);
	fake_stop(&kernel);
	*ret_datagrams = kernel.datagrams;
	return rc;
}

static void one_link(void **state)
{
	const struct ifinfomsg by_index = {.ifi_index = 7}, by_name = {.ifi_index = 0};
	struct exchange number = {.type = RTM_GETLINK, .answer_type = RTM_NEWLINK}, name = number;
	_cleanup_(link_list_clear) struct link_list list = {0};
	unsigned int datagrams;

	(void)state;
	bytes_put(&number.asked, &by_index, sizeof(by_index));
	bytes_put(&name.asked, &by_name, sizeof(by_name));
	put_string(&name.asked, IFLA_IFNAME, "a23456789012345");
	put_link(&number.answer, 7, ARPHRD_ETHER, "eth7");
	put_link(&name.answer, 8, ARPHRD_ETHER, "a23456789012345");
	assert_int_equal(get_link(&number, 7, NULL, &list, &datagrams), 0);
	assert_int_equal(get_link(&name, 0, "a23456789012345", &list, &datagrams), 0);
	assert_int_equal(list.count, 2);
	assert_string_equal(list.items[0].name, "eth7");
	assert_string_equal(list.items[1].name, "a23456789012345");
	assert_int_equal(list.items[1].index.value, 8);
	/* IFNAMSIZ is 16, including the NUL. */
	assert_int_equal(get_link(&name, 0, "a234567890123456", &list, &datagrams), -ENODEV);
	assert_int_equal(datagrams, 0);
	/* A request that is refused, and one that is acknowledged without an answer. */
	number.answer.length = 0;
	number.error = -ENODEV;
	assert_int_equal(get_link(&number, 7, NULL, &list, &datagrams), -ENODEV);
	assert_int_equal(datagrams, 1);
	number.error = 0;
	assert_int_equal(get_link(&number, 7, NULL, &list, &datagrams), -EBADMSG);
	assert_int_equal(list.count, 2);
}

/* Outcome of a dump of addresses: the number of interruptions, then an error. */
struct address_dump {
	unsigned int interruptions;
	int error;
};

static void put_address_of(struct bytes *bytes, uint8_t family, uint32_t link_index, uint8_t prefix,
			   uint8_t last)
{
	const struct ifaddrmsg header = {
		.ifa_family = family, .ifa_index = link_index, .ifa_prefixlen = prefix};
	const uint8_t raw[16] = {10, 20, 30, last};

	bytes_put(bytes, &header, sizeof(header));
	put_attribute(bytes, IFA_ADDRESS, raw, family == AF_INET6 ? 16 : 4);
}

/* The last byte of each address tells which dump it comes from; the second has another family. */
static void serve_addresses(struct fake_kernel *kernel, const struct bytes *requests)
{
	static const uint8_t families[] = {AF_INET, AF_PACKET, AF_INET6};
	const struct nlmsghdr *request = message_at(requests, 0);
	const struct address_dump *dump = kernel->context;
	const bool interrupted = kernel->datagrams <= dump->interruptions;
	const struct ifaddrmsg all = {.ifa_family = AF_UNSPEC};
	struct bytes datagram = {0};

	for (uint8_t i = 0; i < ARRAY_SIZE(families); i++) {
		struct bytes payload = {0};

		put_address_of(&payload, families[i], i + 3u, i + 20,
			       (uint8_t)(kernel->datagrams + i));
		put_message(&datagram, RTM_NEWADDR,
			    NLM_F_MULTI | (interrupted ? NLM_F_DUMP_INTR : 0), request->nlmsg_seq,
			    payload.data, payload.length);
	}
	if (request->nlmsg_type != RTM_GETADDR || request->nlmsg_len != NLMSG_LENGTH(sizeof(all)) ||
	    memcmp(NLMSG_DATA(request), &all, sizeof(all)))
		put_done(&datagram, request->nlmsg_seq, -EPROTO);
	else
		put_done(&datagram, request->nlmsg_seq, dump->error);
	fake_send(kernel, &datagram);
}

static void dumps_of_addresses(void **state)
{
	static const struct {
		struct address_dump dump;
		unsigned int dumps;
		int wanted;
	} samples[] = {
		{{0, 0}, 1, 0}, {{1, 0}, 2, 0},	      {{2, 0}, 3, 0},
		{{9, 0}, 3, 0}, {{0, -EIO}, 1, -EIO}, {{1, -EIO}, 1, -EIO},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		_cleanup_(link_address_list_clear) struct link_address_list list = {0};
		struct address_dump dump = samples[i].dump;
		struct fake_kernel kernel = {.serve = serve_addresses, .context = &dump};
		struct netlink *rtnl = netlink_from_fd(fake_start(&kernel), 32768);
		int rc = rtnl_get_addresses(rtnl, &list);

		netlink_free(rtnl);
		fake_stop(&kernel);
		assert_int_equal(rc, samples[i].wanted);
		assert_int_equal(kernel.datagrams, samples[i].dumps);
		assert_int_equal(list.count, rc ? 0 : 2);
		assert_int_equal(list.missing, dump.interruptions == 9);
		for (size_t j = 0; j < list.count; j++) {
			const uint8_t raw[16] = {10, 20, 30,
						 (uint8_t)(samples[i].dumps + (j ? 2 : 0))};
			const struct link_address *address = &list.items[j];

			assert_int_equal(address->ip.family, j ? AF_INET6 : AF_INET);
			assert_memory_equal(address->ip.raw, raw, j ? 16 : 4);
			assert_int_equal(address->link_index.value, j ? 5 : 3);
			assert_int_equal(address->prefix_length.value, j ? 22 : 20);
		}
	}
}

/* An attribute that is not given is not in the request: neither source nor netdev nor table. */
static void route_to(void **state)
{
	static const struct {
		uint8_t family, bytes;
	} samples[] = {{AF_INET, 4}, {AF_INET6, 16}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		const uint8_t family = samples[i].family, bytes = samples[i].bytes;
		const struct rtmsg header = {.rtm_family = family, .rtm_dst_len = bytes * 8};
		struct route_question question = {
			.destination = {.family = family, .raw = {10, 1}}};
		struct exchange exchange = {.type = RTM_GETROUTE, .answer_type = RTM_NEWROUTE};
		struct fake_kernel kernel = {.serve = serve_exchange, .context = &exchange};
		struct netlink *rtnl;
		struct route route = {.local = false};

		question.destination.raw[bytes - 1] = 3;
		bytes_put(&exchange.asked, &header, sizeof(header));
		put_attribute(&exchange.asked, RTA_DST, question.destination.raw, bytes);
		put_route(&exchange.answer, family, RTN_LOCAL);
		put_u32(&exchange.answer, RTA_OIF, 9);
		rtnl = netlink_from_fd(fake_start(&kernel), 32768);
		assert_int_equal(rtnl_get_route(rtnl, &question, &route), 0);
		netlink_free(rtnl);
		fake_stop(&kernel);
		assert_true(route.local);
		assert_int_equal(route.link_index.value, 9);
	}
}

/* Sets the MTU of netdev 7, the context, or refuses with the kernel's errors. */
static void serve_mtu(struct fake_kernel *kernel, const struct bytes *requests)
{
	const struct nlmsghdr *message = message_at(requests, 0);
	const struct ifinfomsg *header = NLMSG_DATA(message);
	const struct nlattr *mtu = (const struct nlattr *)(header + 1);
	struct bytes datagram = {0};
	uint32_t *value = kernel->context;

	if (header->ifi_index != 7) {
		put_error(&datagram, message->nlmsg_seq, -ENODEV, NULL);
	} else if (mtu->nla_type == IFLA_MTU && *(const uint32_t *)(mtu + 1) <= 9500) {
		*value = *(const uint32_t *)(mtu + 1);
		put_error(&datagram, message->nlmsg_seq, 0, NULL);
	} else {
		put_error(&datagram, message->nlmsg_seq, -EINVAL, "mtu greater than maximum");
	}
	fake_send(kernel, &datagram);
}

static void mtu(void **state)
{
	uint32_t value = 1500;
	struct fake_kernel kernel = {.serve = serve_mtu, .context = &value};
	struct netlink *rtnl = netlink_from_fd(fake_start(&kernel), 32768);
	char *text = NULL;

	(void)state;
	assert_int_equal(rtnl_set_mtu(rtnl, 7, 9000, &text), 0);
	assert_int_equal(value, 9000);
	assert_int_equal(rtnl_set_mtu(rtnl, 8, 9000, &text), -ENODEV);
	assert_null(text);
	assert_int_equal(rtnl_set_mtu(rtnl, 7, 9501, &text), -EINVAL);
	assert_string_equal(text, "mtu greater than maximum");
	free(text);
	netlink_free(rtnl);
	fake_stop(&kernel);
}

/* On a real kernel, every network namespace has a lo, though it is not always up. */
static void own_kernel(void **state)
{
	_cleanup_(link_list_clear) struct link_list links = {0};
	_cleanup_(link_address_list_clear) struct link_address_list list = {0};
	const struct ip_address loopback = {.family = AF_INET, .raw = {127, 0, 0, 1}};
	struct route route;
	struct netlink *rtnl;
	bool up = false;

	(void)state;
	if (rtnl_open(NULL, &rtnl))
		skip();
	assert_int_equal(rtnl_get_links(rtnl, &links), 0);
	assert_non_null(link_by_name(&links, "lo"));
	assert_int_equal(link_by_name(&links, "lo")->type.value, ARPHRD_LOOPBACK);
	assert_int_equal(rtnl_get_addresses(rtnl, &list), 0);
	for (size_t i = 0; i < list.count; i++)
		up = up || ip_equal(&list.items[i].ip, &loopback);
	if (up) {
		const struct route_question question = {.destination = loopback};

		assert_int_equal(rtnl_get_route(rtnl, &question, &route), 0);
		assert_true(route.local);
		assert_true(route.source.known);
	}
	netlink_free(rtnl);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(link_plain),
		cmocka_unit_test(link_flags),
		cmocka_unit_test(link_vlan),
		cmocka_unit_test(link_ipoib),
		cmocka_unit_test(link_odd),
		cmocka_unit_test(link_elsewhere),
		cmocka_unit_test(link_damaged),
		cmocka_unit_test(addresses),
		cmocka_unit_test(routes),
		cmocka_unit_test(routes_to_nowhere),
		cmocka_unit_test(links_nameless),
		cmocka_unit_test(links_interrupted),
		cmocka_unit_test(route_refused),
		cmocka_unit_test(route_from),
		cmocka_unit_test(mtu),
		cmocka_unit_test(one_link),
		cmocka_unit_test(dumps_of_addresses),
		cmocka_unit_test(route_to),
		cmocka_unit_test(own_kernel),
	};

	return cmocka_run_group_tests_name("rtnl", tests, NULL, NULL);
}
