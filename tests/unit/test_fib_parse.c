/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Routes, rules, next hops, neighbours and addresses, member by member: linux/rtnetlink.h etc. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <arpa/inet.h>
#include <linux/fib_rules.h>
#include <linux/if_addr.h>
#include <linux/neighbour.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/fib/fib.h"
#include "netlink_message.h"

static void put_ip(struct bytes *bytes, unsigned int type, const char *text)
{
	uint8_t raw[16];
	const bool v6 = strchr(text, ':');

	assert_int_equal(inet_pton(v6 ? AF_INET6 : AF_INET, text, raw), 1);
	put_attribute(bytes, type, raw, v6 ? 16 : 4);
}

static void expect_ip(const struct ip_address *ip, const char *wanted)
{
	char text[IP_TEXT_SIZE];

	ip_format(ip, text);
	assert_string_equal(text, wanted);
}

static void routes(void **state)
{
	const struct rtmsg header = {.rtm_family = AF_INET6,
				     .rtm_dst_len = 64,
				     .rtm_src_len = 48,
				     .rtm_tos = 4,
				     .rtm_table = 200,
				     .rtm_scope = RT_SCOPE_LINK,
				     .rtm_type = RTN_UNICAST,
				     .rtm_flags = RTNH_F_ONLINK};
	const struct fib_route *route;
	struct bytes bytes = {0};
	struct fib fib = {0};

	(void)state;
	bytes_put(&bytes, &header, sizeof(header));
	/* Without the addresses of its prefixes. */
	assert_int_equal(fib_take_route(&fib, bytes.data, bytes.length), -EBADMSG);
	put_ip(&bytes, RTA_DST, "fd00:1::");
	put_ip(&bytes, RTA_SRC, "fd00:2::");
	put_ip(&bytes, RTA_PREFSRC, "fd00:3::1");
	put_ip(&bytes, RTA_GATEWAY, "fe80::7");
	put_u32(&bytes, RTA_OIF, 9);
	assert_int_equal(fib_take_route(&fib, bytes.data, bytes.length), 0);
	put_u32(&bytes, RTA_TABLE, 1000);
	put_u32(&bytes, RTA_PRIORITY, 77);
	put_u32(&bytes, RTA_NH_ID, 88);
	put_u8(&bytes, RTA_PREF, 3);
	assert_int_equal(fib_take_route(&fib, bytes.data, bytes.length), 0);
	assert_int_equal(fib.route_count, 2);
	assert_int_equal(fib.hop_count, 2);
	/* The number in the header has 8 bits, and is used if there is no other. */
	assert_int_equal(fib.routes[0].table, 200);
	assert_int_equal(fib.routes[0].metric, 0);
	assert_int_equal(fib.routes[0].next_hop, 0);
	assert_int_equal(fib.routes[0].preference, 0);
	route = &fib.routes[1];
	expect_ip(&route->to.address, "fd00:1::");
	assert_int_equal(route->to.bits, 64);
	expect_ip(&route->from.address, "fd00:2::");
	assert_int_equal(route->from.bits, 48);
	assert_true(route->preferred.known);
	expect_ip(&route->preferred.address, "fd00:3::1");
	assert_int_equal(route->table, 1000);
	assert_int_equal(route->metric, 77);
	assert_int_equal(route->next_hop, 88);
	assert_int_equal(route->preference, 3);
	assert_int_equal(route->type, RTN_UNICAST);
	assert_int_equal(route->scope, RT_SCOPE_LINK);
	assert_int_equal(route->tos, 4);
	assert_int_equal(route->first_hop, 1);
	assert_int_equal(route->hop_count, 1);
	assert_int_equal(fib.hops[1].link_index, 9);
	assert_int_equal(fib.hops[1].flags, RTNH_F_ONLINK);
	expect_ip(&fib.hops[1].gateway.address, "fe80::7");
	fib_clear(&fib);
	assert_int_equal(fib.route_count, 0);
}

static int take_plain(struct fib *fib, unsigned int family, unsigned int bits, unsigned int flags)
{
	const struct rtmsg header = {.rtm_family = (unsigned char)family,
				     .rtm_dst_len = (unsigned char)bits,
				     .rtm_flags = flags};
	struct bytes bytes = {0};

	bytes_put(&bytes, &header, sizeof(header));
	put_ip(&bytes, RTA_DST, family == AF_INET ? "10.0.0.0" : "fd00::");
	return fib_take_route(fib, bytes.data, bytes.length);
}

static void other_routes(void **state)
{
	struct fib fib = {0};

	(void)state;
	assert_int_equal(take_plain(&fib, AF_INET, 32, 0), 0);
	assert_int_equal(take_plain(&fib, AF_INET, 33, 0), -EBADMSG);
	assert_int_equal(take_plain(&fib, AF_INET6, 128, 0), 0);
	assert_int_equal(take_plain(&fib, AF_INET6, 129, 0), -EBADMSG);
	/* A blackhole does not have a next hop. */
	assert_int_equal(fib.routes[0].hop_count, 0);
	/* Cached routes of the kernel, and multicast. */
	assert_int_equal(take_plain(&fib, AF_INET6, 64, RTM_F_CLONED), 0);
	assert_int_equal(take_plain(&fib, RTNL_FAMILY_IPMR, 32, 0), 0);
	assert_int_equal(fib.route_count, 2);
	fib_clear(&fib);
}

static void put_hop(struct bytes *bytes, int index, unsigned int flags, const char *gateway)
{
	struct bytes inside = {0};
	struct rtnexthop header = {.rtnh_ifindex = index, .rtnh_flags = (unsigned char)flags};

	if (gateway)
		put_ip(&inside, RTA_GATEWAY, gateway);
	header.rtnh_len = (unsigned short)(sizeof(header) + inside.length);
	bytes_put(bytes, &header, sizeof(header));
	bytes_put(bytes, inside.data, inside.length);
}

static void several_hops(void **state)
{
	const struct rtmsg header = {.rtm_family = AF_INET};
	struct bytes hops = {0};
	struct fib fib = {0};

	(void)state;
	put_hop(&hops, 5, RTNH_F_DEAD, "10.0.0.1");
	put_hop(&hops, 6, 0, NULL);
	put_hop(&hops, 7, 0, "10.0.0.3");
	for (size_t length = 0; length <= hops.length; length++) {
		struct bytes bytes = {0};
		/* Complete next hops: 16, 8 and 16 bytes. */
		const size_t count = length == 0    ? 0
				     : length == 16 ? 1
				     : length == 24 ? 2
				     : length == 40 ? 3
						    : 99;

		fib_clear(&fib);
		bytes_put(&bytes, &header, sizeof(header));
		put_attribute(&bytes, RTA_MULTIPATH, hops.data, length);
		assert_int_equal(fib_take_route(&fib, bytes.data, bytes.length),
				 count == 99 ? -EBADMSG : 0);
		if (count != 99)
			assert_int_equal(fib.routes[0].hop_count, count);
	}
	assert_int_equal(fib.hops[0].link_index, 5);
	assert_int_equal(fib.hops[0].flags, RTNH_F_DEAD);
	expect_ip(&fib.hops[0].gateway.address, "10.0.0.1");
	assert_false(fib.hops[1].gateway.known);
	assert_int_equal(fib.hops[2].link_index, 7);
	expect_ip(&fib.hops[2].gateway.address, "10.0.0.3");
	fib_clear(&fib);
}

static void rules(void **state)
{
	const struct fib_rule_hdr header = {.family = AF_INET,
					    .dst_len = 8,
					    .src_len = 16,
					    .table = 5,
					    .action = FR_ACT_GOTO,
					    .flags = FIB_RULE_INVERT};
	const struct fib_rule *rule;
	struct bytes bytes = {0};
	struct fib fib = {0};

	(void)state;
	bytes_put(&bytes, &header, sizeof(header));
	put_ip(&bytes, FRA_DST, "10.0.0.0");
	put_ip(&bytes, FRA_SRC, "10.1.0.0");
	assert_int_equal(fib_take_rule(&fib, bytes.data, bytes.length), 0);
	put_u32(&bytes, FRA_PRIORITY, 100);
	put_u32(&bytes, FRA_TABLE, 1000);
	put_u32(&bytes, FRA_GOTO, 200);
	put_u32(&bytes, FRA_SUPPRESS_PREFIXLEN, 0);
	put_string(&bytes, FRA_IIFNAME, "eth0");
	put_string(&bytes, FRA_OIFNAME, "eth1");
	put_u8(&bytes, FRA_L3MDEV, 1);
	assert_int_equal(fib_take_rule(&fib, bytes.data, bytes.length), 0);
	rule = &fib.rules[0];
	assert_int_equal(rule->table, 5);
	assert_int_equal(rule->priority, 0);
	assert_int_equal(rule->least_prefix, -1);
	assert_false(rule->vrf || rule->tos || rule->marked);
	assert_string_equal(rule->in, "");
	rule = &fib.rules[1];
	expect_ip(&rule->to.address, "10.0.0.0");
	assert_int_equal(rule->to.bits, 8);
	expect_ip(&rule->from.address, "10.1.0.0");
	assert_int_equal(rule->from.bits, 16);
	assert_int_equal(rule->priority, 100);
	assert_int_equal(rule->table, 1000);
	assert_int_equal(rule->go_to, 200);
	assert_int_equal(rule->action, FR_ACT_GOTO);
	assert_int_equal(rule->flags, FIB_RULE_INVERT);
	assert_int_equal(rule->least_prefix, 0);
	assert_true(rule->vrf);
	assert_string_equal(rule->in, "eth0");
	assert_string_equal(rule->out, "eth1");
	assert_null(rule->unjudged);
	fib_clear(&fib);
}

/* Selectors that a later packet may or may not match. */
static void selectors(void **state)
{
	static const struct {
		unsigned int type, flags;
		const char *word;
	} samples[] = {
		{FRA_UID_RANGE, 0, "the user"},
		{FRA_IP_PROTO, 0, "the protocol"},
		{FRA_SPORT_RANGE, 0, "the port"},
		{FRA_DPORT_RANGE, 0, "the port"},
		{FRA_SUPPRESS_IFGROUP, 0, "the group of the netdev"},
		{FRA_PRIORITY, FIB_RULE_FIND_SADDR, "the source address"},
		{FRA_DPORT_RANGE + 1, 0, "something that rdmactl does not know"},
		{47, 0, "something that rdmactl does not know"},
		{FRA_PRIORITY, FIB_RULE_INVERT, NULL},
	};
	struct fib fib = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		const struct fib_rule_hdr header = {.family = AF_INET, .flags = samples[i].flags};
		struct bytes bytes = {0};

		bytes_put(&bytes, &header, sizeof(header));
		put_u32(&bytes, samples[i].type, 1);
		assert_int_equal(fib_take_rule(&fib, bytes.data, bytes.length), 0);
		if (samples[i].word)
			assert_string_equal(fib.rules[i].unjudged, samples[i].word);
		else
			assert_null(fib.rules[i].unjudged);
	}
	fib_clear(&fib);
}

static void check_mark(int64_t mark, int64_t mask, uint8_t tos, bool tunnel, bool marked)
{
	const struct fib_rule_hdr header = {.family = AF_INET6, .tos = tos};
	struct bytes bytes = {0};
	struct fib fib = {0};

	bytes_put(&bytes, &header, sizeof(header));
	if (mark >= 0)
		put_u32(&bytes, FRA_FWMARK, (uint32_t)mark);
	if (mask >= 0)
		put_u32(&bytes, FRA_FWMASK, (uint32_t)mask);
	if (tunnel)
		put_u64(&bytes, FRA_TUN_ID, 1);
	assert_int_equal(fib_take_rule(&fib, bytes.data, bytes.length), 0);
	assert_int_equal(fib.rules[0].marked, marked);
	assert_int_equal(fib.rules[0].tos, tos || tunnel);
	fib_clear(&fib);
}

static void marks(void **state)
{
	const struct fib_rule_hdr strange = {.family = AF_UNIX};
	struct fib fib = {0};

	(void)state;
	check_mark(-1, -1, 0, false, false);
	check_mark(4, -1, 8, false, true);
	check_mark(4, 3, 0, true, false);
	check_mark(4, 6, 0, false, true);
	check_mark(0, 6, 0, false, false);
	assert_int_equal(fib_take_rule(&fib, &strange, sizeof(strange)), 0);
	assert_int_equal(fib.rule_count, 0);
	assert_int_equal(fib_take_rule(&fib, &strange, sizeof(strange) - 1), -EBADMSG);
}

static int take_hop(struct fib *fib, uint32_t id, const uint32_t *members, size_t bytes_of_group)
{
	const struct nhmsg header = {.nh_family = AF_INET, .nh_flags = RTNH_F_ONLINK};
	struct nexthop_grp group[3] = {0};
	struct bytes bytes = {0};

	for (size_t i = 0; members && i < 3; i++)
		group[i].id = members[i];
	bytes_put(&bytes, &header, sizeof(header));
	if (id)
		put_u32(&bytes, NHA_ID, id);
	if (members) {
		put_attribute(&bytes, NHA_GROUP, group, bytes_of_group);
	} else {
		put_u32(&bytes, NHA_OIF, 9);
		put_ip(&bytes, NHA_GATEWAY, "10.0.0.1");
	}
	return fib_take_next_hop(fib, bytes.data, bytes.length);
}

static void next_hops(void **state)
{
	static const uint32_t members[] = {4, 5, 6};
	const struct nhmsg header = {.nh_family = AF_INET};
	struct bytes bytes = {0};
	struct fib fib = {0};

	(void)state;
	assert_int_equal(take_hop(&fib, 0, NULL, 0), -EBADMSG);
	assert_int_equal(take_hop(&fib, 4, NULL, 0), 0);
	assert_int_equal(take_hop(&fib, 7, members, 3 * sizeof(struct nexthop_grp)), 0);
	assert_int_equal(take_hop(&fib, 8, members, 7), -EBADMSG);
	/* Dumps are in ascending order: these entries were reported before. */
	assert_int_equal(take_hop(&fib, 7, NULL, 0), 0);
	assert_int_equal(take_hop(&fib, 4, NULL, 0), 0);
	bytes_put(&bytes, &header, sizeof(header));
	put_u32(&bytes, NHA_ID, 9);
	put_attribute(&bytes, NHA_BLACKHOLE, "", 0);
	assert_int_equal(fib_take_next_hop(&fib, bytes.data, bytes.length), 0);
	assert_int_equal(fib.next_hop_count, 3);
	assert_int_equal(fib.next_hops[0].id, 4);
	assert_int_equal(fib.next_hops[0].hop.link_index, 9);
	assert_int_equal(fib.next_hops[0].hop.flags, RTNH_F_ONLINK);
	expect_ip(&fib.next_hops[0].hop.gateway.address, "10.0.0.1");
	assert_int_equal(fib.next_hops[0].members, 0);
	assert_false(fib.next_hops[0].blackhole);
	assert_int_equal(fib.next_hops[1].members, 3);
	assert_int_equal(fib.next_hops[1].first_member, 0);
	assert_int_equal(fib.members[2], 6);
	assert_int_equal(fib.next_hops[1].hop.link_index, 0);
	assert_true(fib.next_hops[2].blackhole);
	fib_clear(&fib);
}

static void neighbours(void **state)
{
	struct ndmsg header = {
		.ndm_family = AF_INET6, .ndm_ifindex = 9, .ndm_state = NUD_REACHABLE};
	struct bytes bytes = {0}, without = {0}, bridge = {0};
	struct fib fib = {0};

	(void)state;
	bytes_put(&without, &header, sizeof(header));
	assert_int_equal(fib_take_neighbour(&fib, without.data, without.length), -EBADMSG);
	bytes_put(&bytes, &header, sizeof(header));
	put_ip(&bytes, NDA_DST, "fe80::7");
	assert_int_equal(fib_take_neighbour(&fib, bytes.data, bytes.length), 0);
	header.ndm_family = AF_BRIDGE;
	bytes_put(&bridge, &header, sizeof(header));
	assert_int_equal(fib_take_neighbour(&fib, bridge.data, bridge.length), 0);
	assert_int_equal(fib.neighbour_count, 1);
	expect_ip(&fib.neighbours[0].ip, "fe80::7");
	assert_int_equal(fib.neighbours[0].link_index, 9);
	assert_int_equal(fib.neighbours[0].state, NUD_REACHABLE);
	fib_clear(&fib);
}

static int take_address(struct fib *fib, const char *local, const char *address, unsigned int bits,
			bool flags)
{
	const struct ifaddrmsg header = {.ifa_family = AF_INET,
					 .ifa_prefixlen = (unsigned char)bits,
					 .ifa_flags = IFA_F_PERMANENT,
					 .ifa_scope = RT_SCOPE_LINK,
					 .ifa_index = 9};
	struct bytes bytes = {0};

	bytes_put(&bytes, &header, sizeof(header));
	if (local)
		put_ip(&bytes, IFA_LOCAL, local);
	if (address)
		put_ip(&bytes, IFA_ADDRESS, address);
	if (flags)
		put_u32(&bytes, IFA_FLAGS, IFA_F_NOPREFIXROUTE);
	return fib_take_address(fib, bytes.data, bytes.length);
}

static void addresses(void **state)
{
	struct fib fib = {0};

	(void)state;
	assert_int_equal(take_address(&fib, NULL, NULL, 24, false), -EBADMSG);
	assert_int_equal(take_address(&fib, NULL, "10.0.0.1", 33, false), -EBADMSG);
	assert_int_equal(take_address(&fib, NULL, "10.0.0.1", 32, false), 0);
	assert_int_equal(take_address(&fib, "10.0.0.1", NULL, 24, true), 0);
	/* On a point-to-point netdev, the address is that of the other end. */
	assert_int_equal(take_address(&fib, "10.0.0.1", "10.0.0.2", 24, true), 0);
	assert_int_equal(fib.address_count, 3);
	expect_ip(&fib.addresses[0].ip, "10.0.0.1");
	expect_ip(&fib.addresses[0].net, "10.0.0.1");
	assert_int_equal(fib.addresses[0].flags, IFA_F_PERMANENT);
	assert_int_equal(fib.addresses[0].bits, 32);
	assert_int_equal(fib.addresses[0].scope, RT_SCOPE_LINK);
	assert_int_equal(fib.addresses[0].link_index, 9);
	expect_ip(&fib.addresses[1].net, "10.0.0.1");
	assert_int_equal(fib.addresses[1].flags, IFA_F_NOPREFIXROUTE);
	expect_ip(&fib.addresses[2].ip, "10.0.0.1");
	expect_ip(&fib.addresses[2].net, "10.0.0.2");
	fib_clear(&fib);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(routes),	cmocka_unit_test(other_routes),
		cmocka_unit_test(several_hops), cmocka_unit_test(rules),
		cmocka_unit_test(selectors),	cmocka_unit_test(marks),
		cmocka_unit_test(next_hops),	cmocka_unit_test(neighbours),
		cmocka_unit_test(addresses),
	};

	return cmocka_run_group_tests_name("fib-parse", tests, NULL, NULL);
}
