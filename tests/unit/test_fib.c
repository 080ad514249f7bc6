/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Routes found in hand-made dumps; tests/vm compares random ones with the kernel's answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <linux/fib_rules.h>
#include <linux/neighbour.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include "base/mem.h"
#include "host/fib/fib.h"
#include "host/rtnl.h"
#include "netlink_message.h"

struct host {
	struct fib fib;
	struct link_list links;
	struct strings doubts;
	struct route route;
};

enum { LO = 1, ETH0, ETH1 };

static struct ip_address ip(const char *text)
{
	struct ip_address address = {.family = 0};

	assert_int_equal(ip_parse(text, &address), 0);
	return address;
}

static void put_ip(struct bytes *bytes, unsigned int type, const char *text)
{
	const struct ip_address address = ip(text);

	put_attribute(bytes, type, address.raw, address.family == AF_INET ? 4 : 16);
}

/* A network such as 10.0.0.0/8; NULL is the entire family. */
struct given {
	int family;
	const char *to;
	uint32_t link_index;
	const char *gateway, *source;
	uint32_t metric, table;
	uint8_t type, scope;
};

static void put_given(struct bytes *bytes, const struct given *given)
{
	struct ip_network net = {.bits = 0};
	struct rtmsg header = {.rtm_family = (uint8_t)given->family, .rtm_scope = given->scope};

	if (given->to)
		assert_int_equal(ip_network_parse(given->to, &net), 0);
	header.rtm_dst_len = (uint8_t)net.bits;
	header.rtm_type = given->type ? given->type : RTN_UNICAST;
	bytes_put(bytes, &header, sizeof(header));
	put_u32(bytes, RTA_TABLE, given->table ? given->table : RT_TABLE_MAIN);
	if (given->to)
		put_attribute(bytes, RTA_DST, net.address.raw, given->family == AF_INET ? 4 : 16);
	if (given->link_index)
		put_u32(bytes, RTA_OIF, given->link_index);
	if (given->gateway)
		put_ip(bytes, RTA_GATEWAY, given->gateway);
	if (given->source)
		put_ip(bytes, RTA_PREFSRC, given->source);
	if (given->metric)
		put_u32(bytes, RTA_PRIORITY, given->metric);
}

static void add_route(struct host *host, const struct given *given)
{
	struct bytes bytes = {0};

	put_given(&bytes, given);
	assert_int_equal(fib_take_route(&host->fib, bytes.data, bytes.length), 0);
}

static void add_address(struct host *host, const char *text, uint8_t bits, uint32_t link_index,
			uint32_t flags)
{
	const struct ip_address address = ip(text);
	const struct ifaddrmsg header = {
		.ifa_family = address.family, .ifa_prefixlen = bits, .ifa_index = link_index};
	struct bytes bytes = {0};

	bytes_put(&bytes, &header, sizeof(header));
	put_ip(&bytes, IFA_ADDRESS, text);
	put_u32(&bytes, IFA_FLAGS, flags);
	assert_int_equal(fib_take_address(&host->fib, bytes.data, bytes.length), 0);
}

static void begin_rule(struct bytes *bytes, int family, uint32_t priority, uint8_t action,
		       uint32_t flags)
{
	const struct fib_rule_hdr header = {
		.family = (uint8_t)family, .action = action, .flags = flags};

	bytes_put(bytes, &header, sizeof(header));
	put_u32(bytes, FRA_PRIORITY, priority);
}

static void end_rule(struct host *host, struct bytes *bytes, uint32_t table)
{
	put_u32(bytes, FRA_TABLE, table);
	assert_int_equal(fib_take_rule(&host->fib, bytes->data, bytes->length), 0);
}

static void add_rule(struct host *host, int family, uint32_t priority, uint32_t table)
{
	struct bytes bytes = {0};

	begin_rule(&bytes, family, priority, FR_ACT_TO_TBL, 0);
	end_rule(host, &bytes, table);
}

static void add_last_rules(struct host *host, int family)
{
	add_rule(host, family, 32766, RT_TABLE_MAIN);
	if (family == AF_INET)
		add_rule(host, family, 32767, RT_TABLE_DEFAULT);
}

static int setup(void **state)
{
	static const char *const names[] = {"lo", "eth0", "eth1"};
	struct host *host = mem_alloc_zero(1, sizeof(*host));

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct link *link = link_list_add(&host->links);

		link->name = mem_string(names[i]);
		number_set(&link->index, i + LO);
	}
	add_address(host, "10.0.0.2", 24, ETH0, 0);
	add_address(host, "10.0.1.2", 24, ETH1, 0);
	add_address(host, "10.0.2.2", 24, ETH1, 0);
	*state = host;
	return 0;
}

static int teardown(void **state)
{
	struct host *host = *state;

	fib_clear(&host->fib);
	link_list_clear(&host->links);
	strings_free(&host->doubts);
	free(host);
	return 0;
}

static int ask(struct host *host, const char *destination, uint32_t link_index)
{
	const struct route_question question = {.destination = ip(destination),
						.link_index = link_index};

	host->route = (struct route){.local = false};
	strings_free(&host->doubts);
	host->doubts = (struct strings){.items = NULL};
	return fib_lookup(&host->fib, &host->links, &question, &host->route, &host->doubts);
}

static void expect(struct host *host, const char *destination, uint32_t link_index,
		   const char *source, size_t doubts)
{
	const struct ip_address from = ip(source);

	assert_int_equal(ask(host, destination, 0), 0);
	assert_int_equal(host->route.link_index.value, link_index);
	assert_true(ip_equal(&host->route.source.address, &from));
	assert_int_equal(host->doubts.count, doubts);
}

static void prefixes_and_metrics(void **state)
{
	struct host *host = *state;

	add_rule(host, AF_INET, 0, RT_TABLE_LOCAL);
	add_last_rules(host, AF_INET);
	assert_int_equal(ask(host, "192.0.2.1", 0), -ENETUNREACH);
	add_route(host, &(struct given){.family = AF_INET, .link_index = ETH0, .metric = 9});
	add_route(host, &(struct given){.family = AF_INET, .link_index = ETH1, .metric = 2});
	add_route(host, &(struct given){.family = AF_INET,
					.to = "10.0.2.0/24",
					.link_index = ETH1,
					.gateway = "10.0.2.1"});
	add_route(host, &(struct given){.family = AF_INET,
					.to = "10.0.3.0/24",
					.link_index = ETH0,
					.source = "10.0.9.9"});
	add_route(host,
		  &(struct given){.family = AF_INET, .to = "10.0.4.0/24", .type = RTN_UNREACHABLE});
	add_route(host,
		  &(struct given){.family = AF_INET, .to = "10.0.5.0/24", .type = RTN_PROHIBIT});
	add_route(host,
		  &(struct given){.family = AF_INET, .to = "10.0.6.0/24", .type = RTN_BLACKHOLE});
	add_route(host, &(struct given){.family = AF_INET, .to = "10.0.7.0/24", .type = RTN_THROW});
	add_route(host, &(struct given){.family = AF_INET,
					.to = "10.0.0.2/32",
					.table = RT_TABLE_LOCAL,
					.type = RTN_LOCAL,
					.link_index = ETH0,
					.scope = RT_SCOPE_HOST});
	expect(host, "192.0.2.1", ETH1, "10.0.1.2", 0);
	expect(host, "10.0.2.7", ETH1, "10.0.2.2", 0);
	expect(host, "10.0.3.7", ETH0, "10.0.9.9", 0);
	assert_int_equal(ask(host, "10.0.4.1", 0), -EHOSTUNREACH);
	assert_int_equal(ask(host, "10.0.5.1", 0), -EACCES);
	assert_int_equal(ask(host, "10.0.6.1", 0), -EINVAL);
	assert_int_equal(ask(host, "10.0.7.1", 0), -ENETUNREACH);
	expect(host, "10.0.0.2", LO, "10.0.0.2", 0);
	assert_true(host->route.local);
	/* Without a route over it, the netdev that was named. */
	assert_int_equal(ask(host, "10.0.2.1", ETH0), 0);
	assert_int_equal(host->route.link_index.value, ETH0);
}

static void rules(void **state)
{
	static const uint8_t network[4] = {10, 9, 0, 0};
	struct host *host = *state;
	struct bytes bytes = {0};

	add_rule(host, AF_INET, 0, RT_TABLE_LOCAL);
	/* To 10.9.0.0/16, and not over the default route of table 100. */
	bytes_put(&bytes,
		  &(struct fib_rule_hdr){.family = AF_INET, .dst_len = 16, .action = FR_ACT_TO_TBL},
		  sizeof(struct fib_rule_hdr));
	put_attribute(&bytes, FRA_DST, network, sizeof(network));
	put_u32(&bytes, FRA_SUPPRESS_PREFIXLEN, 0);
	end_rule(host, &bytes, 100);
	bytes = (struct bytes){0};
	begin_rule(&bytes, AF_INET, 20, FR_ACT_TO_TBL, 0);
	put_u32(&bytes, FRA_FWMARK, 5);
	end_rule(host, &bytes, 101);
	bytes = (struct bytes){0};
	begin_rule(&bytes, AF_INET, 30, FR_ACT_TO_TBL, 0);
	put_u8(&bytes, FRA_IP_PROTO, 17);
	end_rule(host, &bytes, 102);
	add_last_rules(host, AF_INET);
	add_route(host, &(struct given){.family = AF_INET, .link_index = ETH0});
	add_route(host, &(struct given){.family = AF_INET, .link_index = ETH1, .table = 100});
	add_route(host, &(struct given){.family = AF_INET,
					.to = "10.9.1.0/24",
					.table = 100,
					.link_index = ETH1});
	add_route(host, &(struct given){.family = AF_INET, .table = 101, .type = RTN_BLACKHOLE});
	add_route(host, &(struct given){.family = AF_INET,
					.to = "10.8.0.0/16",
					.table = 102,
					.link_index = ETH1});
	expect(host, "10.9.1.1", ETH1, "10.0.1.2", 0);
	expect(host, "10.9.2.1", ETH0, "10.0.0.2", 0);
	/* The rule for a protocol would lead elsewhere, but only there. */
	expect(host, "10.8.1.1", ETH0, "10.0.0.2", 1);
	assert_non_null(strstr(host->doubts.items[0], "the protocol"));
	expect(host, "10.7.1.1", ETH0, "10.0.0.2", 0);
}

static void rules_that_end(void **state)
{
	struct host *host = *state;
	struct bytes bytes = {0};

	begin_rule(&bytes, AF_INET, 1, FR_ACT_GOTO, 0);
	put_u32(&bytes, FRA_GOTO, 3);
	end_rule(host, &bytes, 0);
	bytes = (struct bytes){0};
	begin_rule(&bytes, AF_INET, 2, FR_ACT_PROHIBIT, 0);
	end_rule(host, &bytes, 0);
	bytes = (struct bytes){0};
	begin_rule(&bytes, AF_INET, 3, FR_ACT_UNREACHABLE, 0);
	end_rule(host, &bytes, 0);
	assert_int_equal(ask(host, "192.0.2.1", 0), -ENETUNREACH);
	bytes = (struct bytes){0};
	begin_rule(&bytes, AF_INET6, 1, FR_ACT_TO_TBL, FIB_RULE_INVERT);
	put_string(&bytes, FRA_IIFNAME, "lo");
	end_rule(host, &bytes, 100);
	bytes = (struct bytes){0};
	begin_rule(&bytes, AF_INET6, 2, FR_ACT_PROHIBIT, 0);
	end_rule(host, &bytes, 0);
	add_route(host, &(struct given){.family = AF_INET6, .link_index = ETH0, .table = 100});
	/* "not iif lo" does not match packets of this host. */
	assert_int_equal(ask(host, "2001:db8::1", 0), -EACCES);
}

/* Another rule jumps to a priority that several rules have: the first of them is next. */
static void first_target(void **state)
{
	static const uint8_t actions[] = {FR_ACT_BLACKHOLE, FR_ACT_PROHIBIT, FR_ACT_UNREACHABLE};
	struct host *host = *state;
	struct bytes bytes = {0};

	begin_rule(&bytes, AF_INET, 1, FR_ACT_GOTO, 0);
	put_u32(&bytes, FRA_GOTO, 3);
	end_rule(host, &bytes, 0);
	for (uint32_t i = 0; i < ARRAY_SIZE(actions); i++) {
		bytes = (struct bytes){0};
		begin_rule(&bytes, AF_INET, i ? 3 : 2, actions[i], 0);
		end_rule(host, &bytes, 0);
	}
	assert_int_equal(ask(host, "192.0.2.1", 0), -EACCES);
}

static void several_next_hops(void **state)
{
	static const uint32_t netdevs[] = {ETH0, ETH1};
	struct bytes bytes = {0}, list = {0};
	struct host *host = *state;

	add_rule(host, AF_INET, 0, RT_TABLE_LOCAL);
	add_last_rules(host, AF_INET);
	for (size_t i = 0; i < ARRAY_SIZE(netdevs); i++) {
		const struct rtnexthop hop = {.rtnh_len = sizeof(hop),
					      .rtnh_ifindex = (int)netdevs[i]};

		bytes_put(&list, &hop, sizeof(hop));
	}
	put_given(&bytes, &(struct given){.family = AF_INET, .to = "10.5.0.0/16"});
	put_attribute(&bytes, RTA_MULTIPATH, list.data, list.length);
	assert_int_equal(fib_take_route(&host->fib, bytes.data, bytes.length), 0);
	expect(host, "10.5.1.1", ETH0, "10.0.0.2", 1);
	assert_non_null(strstr(host->doubts.items[0], "eth0"));
	assert_non_null(strstr(host->doubts.items[0], "eth1"));
	assert_int_equal(ask(host, "10.5.1.1", ETH1), 0);
	assert_int_equal(host->route.link_index.value, ETH1);
	assert_int_equal(host->doubts.count, 0);
	/* Malformed structures are refused. */
	for (size_t cut = 1; cut < sizeof(struct rtnexthop); cut++) {
		bytes = (struct bytes){0};
		put_given(&bytes, &(struct given){.family = AF_INET, .to = "10.5.0.0/16"});
		put_attribute(&bytes, RTA_MULTIPATH, list.data, list.length - cut);
		assert_int_equal(fib_take_route(&host->fib, bytes.data, bytes.length), -EBADMSG);
	}
}

/* The first next hop is dead, so the second one is taken. */
static void second_next_hop(void **state)
{
	const struct rtnexthop hops[] = {
		{.rtnh_len = sizeof(*hops), .rtnh_flags = RTNH_F_DEAD, .rtnh_ifindex = ETH0},
		{.rtnh_len = sizeof(*hops), .rtnh_ifindex = ETH1},
	};
	struct host *host = *state;
	struct bytes bytes = {0};

	add_last_rules(host, AF_INET6);
	put_given(&bytes, &(struct given){.family = AF_INET6, .to = "2001:db8:5::/48"});
	put_attribute(&bytes, RTA_MULTIPATH, hops, sizeof(hops));
	assert_int_equal(fib_take_route(&host->fib, bytes.data, bytes.length), 0);
	assert_int_equal(ask(host, "2001:db8:5::1", 0), 0);
	assert_int_equal(host->route.link_index.value, ETH1);
}

/* A group of next hop objects, which the route does not repeat. */
static void objects(void **state)
{
	static const struct nexthop_grp group[] = {{.id = 1}, {.id = 2}};
	struct host *host = *state;
	struct bytes bytes;

	add_rule(host, AF_INET, 0, RT_TABLE_LOCAL);
	add_last_rules(host, AF_INET);
	for (uint32_t id = 1; id <= 3; id++) {
		const struct nhmsg header = {.nh_family = id < 3 ? AF_INET : AF_UNSPEC};

		bytes = (struct bytes){0};
		bytes_put(&bytes, &header, sizeof(header));
		put_u32(&bytes, NHA_ID, id);
		if (id == 3)
			put_attribute(&bytes, NHA_GROUP, group, sizeof(group));
		else
			put_u32(&bytes, NHA_OIF, id + LO);
		assert_int_equal(fib_take_next_hop(&host->fib, bytes.data, bytes.length), 0);
	}
	bytes = (struct bytes){0};
	put_given(&bytes, &(struct given){.family = AF_INET, .to = "10.5.0.0/16"});
	put_u32(&bytes, RTA_NH_ID, 3);
	assert_int_equal(fib_take_route(&host->fib, bytes.data, bytes.length), 0);
	expect(host, "10.5.1.1", ETH0, "10.0.0.2", 1);
	bytes = (struct bytes){0};
	put_given(&bytes, &(struct given){.family = AF_INET, .to = "10.6.0.0/16"});
	put_u32(&bytes, RTA_NH_ID, 2);
	assert_int_equal(fib_take_route(&host->fib, bytes.data, bytes.length), 0);
	expect(host, "10.6.1.1", ETH1, "10.0.1.2", 0);
}

static void sources6(void **state)
{
	struct host *host = *state;

	add_rule(host, AF_INET6, 0, RT_TABLE_LOCAL);
	add_last_rules(host, AF_INET6);
	add_address(host, "fe80::1", 64, ETH0, 0);
	add_address(host, "fd00:1::2", 64, ETH0, IFA_F_DEPRECATED);
	add_address(host, "2001:db8:1::2", 64, ETH0, 0);
	add_address(host, "fd00:2::2", 64, ETH1, 0);
	add_address(host, "fd00:2::3", 64, ETH1, IFA_F_TENTATIVE);
	add_route(host, &(struct given){.family = AF_INET6, .link_index = ETH0});
	add_route(host, &(struct given){.family = AF_INET6, .to = "fe80::/64", .link_index = ETH1});
	add_route(host, &(struct given){.family = AF_INET6, .to = "fe80::/64", .link_index = ETH0});
	expect(host, "2001:db8:7::1", ETH0, "2001:db8:1::2", 0);
	/* The netdev is compared before the label, and deprecation before the netdev. */
	expect(host, "fd00:7::1", ETH0, "2001:db8:1::2", 0);
	/* The source has the same scope, even for multicast. */
	for (int i = 0; i < 2; i++) {
		assert_int_equal(ask(host, i ? "ff02::9" : "fe80::9", ETH0), 0);
		assert_int_equal(host->route.link_index.value, ETH0);
		assert_int_equal(host->route.source.address.raw[0], 0xfe);
	}
	assert_int_equal(ask(host, "fe80::9", LO), -ENETUNREACH);
	add_address(host, "2001:db8:7::3", 64, ETH0, IFA_F_TEMPORARY);
	expect(host, "2001:db8:7::1", ETH0, "2001:db8:1::2", 1);
	assert_non_null(strstr(host->doubts.items[0], "use_tempaddr"));
	/* Labels can be changed; being better by a later rule does not remove the doubt. */
	add_address(host, "fd00:1::3", 64, ETH0, 0);
	add_address(host, "2001:db8:7::4", 64, ETH0, 0);
	expect(host, "2001:db8:7::1", ETH0, "2001:db8:7::4", 2);
	assert_non_null(strstr(host->doubts.items[0], "use_tempaddr"));
	assert_non_null(strstr(host->doubts.items[1], "addrlabel"));
	/* The label decides between two addresses of one netdev. */
	expect(host, "fd00:7::1", ETH0, "fd00:1::3", 1);
	assert_non_null(strstr(host->doubts.items[0], "addrlabel"));
}

static void source6_of_another(void **state)
{
	struct host *host = *state;

	add_last_rules(host, AF_INET6);
	add_address(host, "fe80::1", 64, ETH0, 0);
	add_address(host, "2001:db8:1::2", 64, ETH1, 0);
	add_route(host, &(struct given){.family = AF_INET6, .link_index = ETH0});
	expect(host, "2001:db8:7::1", ETH0, "2001:db8:1::2", 1);
	assert_non_null(strstr(host->doubts.items[0], "use_oif_addrs_only"));
}

/* The kernel's anycast addresses are in the table local; an administrator's are routed out. */
static void anycast(void **state)
{
	struct host *host = *state;

	add_rule(host, AF_INET6, 0, RT_TABLE_LOCAL);
	add_last_rules(host, AF_INET6);
	add_address(host, "2001:db8:1::2", 64, ETH0, 0);
	add_route(host, &(struct given){.family = AF_INET6,
					.to = "2001:db8:1::/128",
					.table = RT_TABLE_LOCAL,
					.type = RTN_ANYCAST,
					.link_index = ETH0});
	add_route(host, &(struct given){.family = AF_INET6,
					.to = "2001:db8:2::/128",
					.type = RTN_ANYCAST,
					.link_index = ETH0});
	assert_int_equal(ask(host, "2001:db8:1::", 0), 0);
	assert_int_equal(host->route.link_index.value, LO);
	expect(host, "2001:db8:2::", ETH0, "2001:db8:1::2", 0);
}

/* Packets to many are not local, even where a route leads everything to this host. */
static void to_many(void **state)
{
	static const struct {
		const char *to;
		bool local;
	} cases[] = {
		{"223.255.255.255", true},  {"224.0.0.1", false}, {"239.255.255.255", false},
		{"255.255.255.255", false}, {"240.0.0.1", true},
	};
	struct host *host = *state;

	add_rule(host, AF_INET, 0, RT_TABLE_LOCAL);
	add_route(host, &(struct given){.family = AF_INET,
					.table = RT_TABLE_LOCAL,
					.type = RTN_LOCAL,
					.link_index = LO});
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(ask(host, cases[i].to, 0), 0);
		assert_int_equal(host->route.local, cases[i].local);
	}
}

static void interrupted(void **state)
{
	struct host *host = *state;

	add_last_rules(host, AF_INET);
	add_route(host, &(struct given){.family = AF_INET, .link_index = ETH0});
	host->fib.interrupted = true;
	expect(host, "192.0.2.1", ETH0, "10.0.0.2", 1);
	assert_non_null(strstr(host->doubts.items[0], "changed"));
}

static void source4_of_another(void **state)
{
	struct host *host = *state;
	struct link *link = link_list_add(&host->links);

	link->name = mem_string("eth2");
	number_set(&link->index, ETH1 + 1);
	add_last_rules(host, AF_INET);
	add_route(host, &(struct given){.family = AF_INET, .link_index = ETH1 + 1});
	expect(host, "192.0.2.1", ETH1 + 1, "10.0.0.2", 1);
	assert_non_null(strstr(host->doubts.items[0], "no address"));
}

static void local_and_main_disagree(void **state)
{
	struct host *host = *state;

	add_rule(host, AF_INET, 0, RT_TABLE_LOCAL);
	add_last_rules(host, AF_INET);
	add_route(host, &(struct given){.family = AF_INET,
					.to = "10.5.0.0/16",
					.table = RT_TABLE_LOCAL,
					.link_index = ETH0});
	add_route(host,
		  &(struct given){.family = AF_INET, .to = "10.5.1.0/24", .link_index = ETH1});
	expect(host, "10.5.1.1", ETH1, "10.0.1.2", 1);
	assert_non_null(strstr(host->doubts.items[0], "local and main disagree"));
	expect(host, "10.5.2.1", ETH0, "10.0.0.2", 0);
}

/* The rule's table depends on the netdev, which only some queries name. */
static void rule_of_vrfs(void **state)
{
	struct host *host = *state;
	struct link *link = link_list_add(&host->links);
	struct bytes bytes = {0};

	link->name = mem_string("red");
	link->kind = mem_string("vrf");
	number_set(&link->index, ETH1 + 1);
	number_set(&host->links.items[ETH1 - LO].master_index, ETH1 + 1);
	begin_rule(&bytes, AF_INET, 1000, FR_ACT_TO_TBL, 0);
	put_u8(&bytes, FRA_L3MDEV, 1);
	end_rule(host, &bytes, 0);
	add_last_rules(host, AF_INET);
	add_route(host, &(struct given){.family = AF_INET, .link_index = ETH0});
	add_route(host, &(struct given){.family = AF_INET, .link_index = ETH1, .metric = 1});
	expect(host, "192.0.2.1", ETH0, "10.0.0.2", 0);
	assert_int_equal(ask(host, "192.0.2.1", ETH1), 0);
	assert_int_equal(host->doubts.count, 1);
	assert_non_null(strstr(host->doubts.items[0], "the VRF"));
}

static void many_detours(void **state)
{
	enum { DETOURS = 17 };
	struct host *host = *state;

	for (uint32_t i = 1; i <= DETOURS; i++) {
		struct bytes bytes = {0};

		begin_rule(&bytes, AF_INET, i, FR_ACT_TO_TBL, 0);
		put_u8(&bytes, FRA_IP_PROTO, 17);
		end_rule(host, &bytes, 100);
	}
	add_last_rules(host, AF_INET);
	add_route(host, &(struct given){.family = AF_INET, .link_index = ETH0});
	add_route(host, &(struct given){.family = AF_INET, .link_index = ETH0, .table = 100});
	/* All rules agree with the answer, but the last one is not compared. */
	expect(host, "192.0.2.1", ETH0, "10.0.0.2", 1);
	assert_non_null(strstr(host->doubts.items[0], "rule 17 "));
}

static void no_rules(void **state)
{
	struct host *host = *state;

	add_route(host, &(struct given){.family = AF_INET, .link_index = ETH0});
	add_route(host, &(struct given){.family = AF_INET6, .link_index = ETH0});
	assert_int_equal(ask(host, "192.0.2.1", 0), -ENETUNREACH);
	assert_int_equal(ask(host, "2001:db8::1", 0), -ENETUNREACH);
	/* IPv4 assumes the address to be on the link of the named netdev. */
	assert_int_equal(ask(host, "192.0.2.1", ETH1), 0);
	assert_int_equal(host->route.link_index.value, ETH1);
}

static void silent_router(void **state)
{
	const struct ndmsg header = {
		.ndm_family = AF_INET6, .ndm_ifindex = ETH0, .ndm_state = NUD_FAILED};
	struct host *host = *state;
	struct bytes bytes = {0};

	add_rule(host, AF_INET6, 0, RT_TABLE_LOCAL);
	add_last_rules(host, AF_INET6);
	add_address(host, "fd00::2", 64, ETH0, 0);
	add_route(host, &(struct given){.family = AF_INET6,
					.link_index = ETH0,
					.gateway = "fd00::1",
					.metric = 1});
	add_route(host, &(struct given){.family = AF_INET6, .link_index = ETH1, .metric = 2});
	expect(host, "2001:db8::1", ETH0, "fd00::2", 0);
	bytes_put(&bytes, &header, sizeof(header));
	put_ip(&bytes, NDA_DST, "fd00::1");
	assert_int_equal(fib_take_neighbour(&host->fib, bytes.data, bytes.length), 0);
	/* The router, and the source address, which belongs to another netdev. */
	expect(host, "2001:db8::1", ETH1, "fd00::2", 2);
}

/* Made with malice: searching each of them one by one would take minutes. */
static void too_many_rules(void **state)
{
	enum { MOST_RULES = 4096, MANY_ROUTES = 100000 };
	struct host *host = *state;

	for (uint32_t i = 0; i < MANY_ROUTES; i++)
		add_route(host, &(struct given){.family = AF_INET,
						.link_index = ETH0,
						.table = 100,
						.metric = MANY_ROUTES - i});
	for (uint32_t i = 0; i < MOST_RULES - 1; i++) {
		struct bytes bytes = {0};

		begin_rule(&bytes, AF_INET, i, i % 2 ? FR_ACT_TO_TBL : FR_ACT_GOTO, 0);
		put_u32(&bytes, FRA_GOTO, MANY_ROUTES);
		put_u32(&bytes, FRA_SUPPRESS_PREFIXLEN, 0);
		end_rule(host, &bytes, 100);
	}
	add_rule(host, AF_INET, MOST_RULES, 100);
	assert_int_equal(ask(host, "192.0.2.1", 0), 0);
	add_rule(host, AF_INET, MOST_RULES + 1, 100);
	assert_int_equal(ask(host, "192.0.2.1", 0), -E2BIG);
	assert_int_equal(ask(host, "192.0.2.1", ETH0), -E2BIG);
}

static void add_next_hop(struct host *host, uint32_t id, const struct nexthop_grp *group,
			 size_t members)
{
	const struct nhmsg header = {.nh_family = members ? AF_UNSPEC : AF_INET};
	struct bytes bytes = {0};

	bytes_put(&bytes, &header, sizeof(header));
	put_u32(&bytes, NHA_ID, id);
	if (members)
		put_attribute(&bytes, NHA_GROUP, group, members * sizeof(*group));
	else
		put_u32(&bytes, NHA_OIF, ETH0);
	assert_int_equal(fib_take_next_hop(&host->fib, bytes.data, bytes.length), 0);
}

/* So many routes with groups of so many next hops that the product is too large. */
static void too_many_hops(void **state)
{
	enum { OBJECTS = 100000, MEMBERS = 100, ROUTES = 100000 };
	struct nexthop_grp group[MEMBERS] = {{.id = 0}};
	struct host *host = *state;

	add_last_rules(host, AF_INET);
	for (uint32_t id = 1; id <= OBJECTS; id++)
		add_next_hop(host, id, NULL, 0);
	for (size_t i = 0; i < MEMBERS; i++)
		group[i].id = OBJECTS - (uint32_t)i;
	add_next_hop(host, OBJECTS + 1, group, MEMBERS);
	for (uint32_t i = 0; i < ROUTES; i++) {
		struct bytes bytes = {0};

		put_given(&bytes, &(struct given){.family = AF_INET, .metric = ROUTES - i});
		put_u32(&bytes, RTA_NH_ID, OBJECTS + 1);
		assert_int_equal(fib_take_route(&host->fib, bytes.data, bytes.length), 0);
	}
	assert_int_equal(ask(host, "192.0.2.1", 0), 0);
	assert_int_equal(host->route.link_index.value, ETH0);
	/* Only the first next hops are compared. */
	assert_int_equal(host->doubts.count, 1);
	assert_non_null(strstr(host->doubts.items[0], "more than 64"));
	/* None uses this netdev, so all are examined. */
	assert_int_equal(ask(host, "192.0.2.1", ETH1), -E2BIG);
	/* Repeated entries of a dump are skipped. */
	add_next_hop(host, 1, NULL, 0);
	assert_int_equal(host->fib.next_hop_count, OBJECTS + 1);
}

static void many_doubts(void **state)
{
	enum { DETOURS = 1000, TOLD = 8 };
	struct host *host = *state;

	add_route(host, &(struct given){.family = AF_INET, .link_index = ETH0});
	add_route(host, &(struct given){.family = AF_INET, .link_index = ETH1, .table = 100});
	for (uint32_t i = 0; i < DETOURS; i++) {
		struct bytes bytes = {0};

		begin_rule(&bytes, AF_INET, i, FR_ACT_TO_TBL, 0);
		put_u8(&bytes, FRA_IP_PROTO, 17);
		end_rule(host, &bytes, 100);
	}
	add_last_rules(host, AF_INET);
	expect(host, "192.0.2.1", ETH0, "10.0.0.2", TOLD + 1);
	assert_non_null(strstr(host->doubts.items[TOLD], "more reasons"));
}

static void damaged(void **state)
{
	struct host *host = *state;
	struct bytes bytes = {0};

	put_given(&bytes, &(struct given){.family = AF_INET, .to = "10.5.0.0/16"});
	for (size_t length = 0; length < sizeof(struct rtmsg); length++) {
		assert_int_equal(fib_take_route(&host->fib, bytes.data, length), -EBADMSG);
		assert_int_equal(fib_take_rule(&host->fib, bytes.data, length), -EBADMSG);
		assert_int_equal(fib_take_neighbour(&host->fib, bytes.data, length), -EBADMSG);
	}
	((struct rtmsg *)(void *)bytes.data)->rtm_dst_len = 33;
	assert_int_equal(fib_take_route(&host->fib, bytes.data, bytes.length), -EBADMSG);
	/* Nothing is reachable without rules. */
	assert_int_equal(ask(host, "10.5.1.1", 0), -ENETUNREACH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(prefixes_and_metrics, setup, teardown),
		cmocka_unit_test_setup_teardown(rules, setup, teardown),
		cmocka_unit_test_setup_teardown(rules_that_end, setup, teardown),
		cmocka_unit_test_setup_teardown(first_target, setup, teardown),
		cmocka_unit_test_setup_teardown(second_next_hop, setup, teardown),
		cmocka_unit_test_setup_teardown(several_next_hops, setup, teardown),
		cmocka_unit_test_setup_teardown(objects, setup, teardown),
		cmocka_unit_test_setup_teardown(sources6, setup, teardown),
		cmocka_unit_test_setup_teardown(silent_router, setup, teardown),
		cmocka_unit_test_setup_teardown(source6_of_another, setup, teardown),
		cmocka_unit_test_setup_teardown(anycast, setup, teardown),
		cmocka_unit_test_setup_teardown(to_many, setup, teardown),
		cmocka_unit_test_setup_teardown(interrupted, setup, teardown),
		cmocka_unit_test_setup_teardown(source4_of_another, setup, teardown),
		cmocka_unit_test_setup_teardown(local_and_main_disagree, setup, teardown),
		cmocka_unit_test_setup_teardown(rule_of_vrfs, setup, teardown),
		cmocka_unit_test_setup_teardown(many_detours, setup, teardown),
		cmocka_unit_test_setup_teardown(no_rules, setup, teardown),
		cmocka_unit_test_setup_teardown(too_many_rules, setup, teardown),
		cmocka_unit_test_setup_teardown(too_many_hops, setup, teardown),
		cmocka_unit_test_setup_teardown(many_doubts, setup, teardown),
		cmocka_unit_test_setup_teardown(damaged, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
