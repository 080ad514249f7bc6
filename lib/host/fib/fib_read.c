/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/fib_rules.h>
#include <linux/neighbour.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/fib/fib.h"
#include "host/rtnl.h"
#include "kernel/netlink/netlink.h"

/* Leaves room for selectors that newer kernels may add to rules. */
enum { MOST_RULE_ATTRIBUTES = 48 };

static const struct nla_policy route_policy[RTA_NH_ID + 1] = {
	[RTA_OIF] = {.type = NLA_U32},	 [RTA_PRIORITY] = {.type = NLA_U32},
	[RTA_TABLE] = {.type = NLA_U32}, [RTA_PREF] = {.type = NLA_U8},
	[RTA_NH_ID] = {.type = NLA_U32},
};

static const struct nla_policy rule_policy[MOST_RULE_ATTRIBUTES] = {
	[FRA_GOTO] = {.type = NLA_U32},
	[FRA_PRIORITY] = {.type = NLA_U32},
	[FRA_FWMARK] = {.type = NLA_U32},
	[FRA_FWMASK] = {.type = NLA_U32},
	[FRA_SUPPRESS_PREFIXLEN] = {.type = NLA_U32},
	[FRA_TABLE] = {.type = NLA_U32},
};

static const struct nla_policy next_hop_policy[NHA_GATEWAY + 1] = {
	[NHA_ID] = {.type = NLA_U32},
	[NHA_OIF] = {.type = NLA_U32},
};

static const struct nla_policy neighbour_policy[NDA_DST + 1];

static const struct nla_policy address_policy[IFA_FLAGS + 1] = {
	[IFA_FLAGS] = {.type = NLA_U32},
};

void fib_clear(struct fib *fib)
{
	free(fib->routes);
	free(fib->hops);
	free(fib->rules);
	free(fib->next_hops);
	free(fib->members);
	free(fib->neighbours);
	free(fib->addresses);
	*fib = (struct fib){.routes = NULL};
}

static bool is_ip(unsigned int family)
{
	return family == AF_INET || family == AF_INET6;
}

static uint32_t get_u32(const struct nlattr *attribute, uint32_t otherwise)
{
	return attribute ? nla_get_u32(attribute) : otherwise;
}

/* An absent address means all networks. */
static int get_network(const struct nlattr *attribute, unsigned int family, unsigned int bits,
		       struct ip_network *network)
{
	struct known_ip ip = {.address.family = (uint8_t)family};

	if (bits > (family == AF_INET ? 32 : 128) || rtnl_get_ip(attribute, family, &ip) ||
	    (bits && !ip.known))
		return -EBADMSG;
	*network = (struct ip_network){.address = ip.address, .bits = bits};
	return 0;
}

static int take_hop(struct fib *fib, unsigned int family, struct nlattr **table,
		    const struct fib_hop *base)
{
	struct fib_hop hop = *base;

	if (rtnl_get_ip(table[RTA_GATEWAY], family, &hop.gateway) ||
	    rtnl_get_via(table[RTA_VIA], &hop.gateway))
		return -EBADMSG;
	MEM_ADD(fib->hops, fib->hop_count) = hop;
	return 0;
}

/* Parses RTA_MULTIPATH: structures, each followed by attributes. */
static int take_hops(struct fib *fib, unsigned int family, const struct nlattr *list)
{
	const uint8_t *at = nla_data(list);
	size_t left = (size_t)nla_len(list);

	while (left) {
		struct nlattr *table[ARRAY_SIZE(route_policy)];
		struct rtnexthop header;
		size_t step;

		if (left < sizeof(header))
			return -EBADMSG;
		memcpy(&header, at, sizeof(header));
		if (header.rtnh_len > left ||
		    netlink_parse(at, header.rtnh_len, sizeof(header), table, ARRAY_SIZE(table),
				  route_policy) ||
		    take_hop(fib, family, table,
			     &(struct fib_hop){.link_index = (uint32_t)header.rtnh_ifindex,
					       .flags = header.rtnh_flags}))
			return -EBADMSG;
		step = NLA_ALIGN(header.rtnh_len);
		at += step < left ? step : left;
		left -= step < left ? step : left;
	}
	return 0;
}

int fib_take_route(struct fib *fib, const void *payload, size_t length)
{
	struct nlattr *table[ARRAY_SIZE(route_policy)];
	const struct rtmsg *header = payload;
	struct fib_route route = {.first_hop = fib->hop_count};
	struct fib_hop hop;

	if (netlink_parse(payload, length, sizeof(*header), table, ARRAY_SIZE(table), route_policy))
		return -EBADMSG;
	if (!is_ip(header->rtm_family) || header->rtm_flags & RTM_F_CLONED)
		return 0;
	hop = (struct fib_hop){.link_index = get_u32(table[RTA_OIF], 0),
			       .flags = header->rtm_flags};
	if (get_network(table[RTA_DST], header->rtm_family, header->rtm_dst_len, &route.to) ||
	    get_network(table[RTA_SRC], header->rtm_family, header->rtm_src_len, &route.from) ||
	    rtnl_get_ip(table[RTA_PREFSRC], header->rtm_family, &route.preferred) ||
	    (table[RTA_MULTIPATH] ? take_hops(fib, header->rtm_family, table[RTA_MULTIPATH])
	     : table[RTA_OIF]	  ? take_hop(fib, header->rtm_family, table, &hop)
				  : 0))
		return -EBADMSG;
	route.hop_count = fib->hop_count - route.first_hop;
	route.table = get_u32(table[RTA_TABLE], header->rtm_table);
	route.metric = get_u32(table[RTA_PRIORITY], 0);
	route.next_hop = get_u32(table[RTA_NH_ID], 0);
	route.type = header->rtm_type;
	route.scope = header->rtm_scope;
	route.tos = header->rtm_tos;
	route.preference = table[RTA_PREF] ? nla_get_u8(table[RTA_PREF]) : 0;
	MEM_ADD(fib->routes, fib->route_count) = route;
	return 0;
}

/* Returns the rule's first selector that a packet may or may not match, or NULL. */
static const char *find_unjudged(struct nlattr *const *table, uint32_t flags)
{
	if (table[FRA_UID_RANGE])
		return "the user";
	if (table[FRA_IP_PROTO])
		return "the protocol";
	if (table[FRA_SPORT_RANGE] || table[FRA_DPORT_RANGE])
		return "the port";
	if (table[FRA_SUPPRESS_IFGROUP])
		return "the group of the netdev";
	if (flags & FIB_RULE_FIND_SADDR)
		return "the source address";
	for (size_t i = FRA_DPORT_RANGE + 1; i < MOST_RULE_ATTRIBUTES; i++)
		if (table[i])
			return "something that rdmactl does not know";
	return NULL;
}

static void get_name(const struct nlattr *attribute, char name[static 16])
{
	if (attribute)
		nla_strlcpy(name, attribute, 16);
}

int fib_take_rule(struct fib *fib, const void *payload, size_t length)
{
	struct nlattr *table[ARRAY_SIZE(rule_policy)];
	const struct fib_rule_hdr *header = payload;
	struct fib_rule rule = {.least_prefix = -1};

	if (netlink_parse(payload, length, sizeof(*header), table, ARRAY_SIZE(table), rule_policy))
		return -EBADMSG;
	if (!is_ip(header->family))
		return 0;
	if (get_network(table[FRA_DST], header->family, header->dst_len, &rule.to) ||
	    get_network(table[FRA_SRC], header->family, header->src_len, &rule.from))
		return -EBADMSG;
	rule.priority = get_u32(table[FRA_PRIORITY], 0);
	rule.table = get_u32(table[FRA_TABLE], header->table);
	rule.go_to = get_u32(table[FRA_GOTO], 0);
	rule.flags = header->flags;
	rule.action = header->action;
	rule.least_prefix = (int32_t)get_u32(table[FRA_SUPPRESS_PREFIXLEN], UINT32_MAX);
	/* A missing mask means all ones: fib_nl2rule(), net/core/fib_rules.c. */
	rule.marked = (get_u32(table[FRA_FWMARK], 0) & get_u32(table[FRA_FWMASK], UINT32_MAX)) != 0;
	rule.tos = header->tos || table[FRA_TUN_ID];
	rule.vrf = table[FRA_L3MDEV] != NULL;
	rule.unjudged = find_unjudged(table, header->flags);
	get_name(table[FRA_IIFNAME], rule.in);
	get_name(table[FRA_OIFNAME], rule.out);
	MEM_ADD(fib->rules, fib->rule_count) = rule;
	return 0;
}

/* Parses NHA_GROUP: the ids of the members. */
static int take_group(struct fib *fib, const struct nlattr *group, struct fib_next_hop *next_hop)
{
	const size_t length = (size_t)nla_len(group), size = sizeof(struct nexthop_grp);

	if (length % size)
		return -EBADMSG;
	for (size_t at = 0; at < length; at += size) {
		uint32_t *id = mem_append(&fib->members, &fib->member_count, sizeof(*id));

		memcpy(id, (const uint8_t *)nla_data(group) + at, sizeof(*id));
	}
	next_hop->members = length / size;
	return 0;
}

int fib_take_next_hop(struct fib *fib, const void *payload, size_t length)
{
	struct nlattr *table[ARRAY_SIZE(next_hop_policy)];
	const struct nhmsg *header = payload;
	struct fib_next_hop next_hop = {.first_member = fib->member_count};

	if (netlink_parse(payload, length, sizeof(*header), table, ARRAY_SIZE(table),
			  next_hop_policy) ||
	    !table[NHA_ID] ||
	    rtnl_get_ip(table[NHA_GATEWAY], header->nh_family, &next_hop.hop.gateway) ||
	    (table[NHA_GROUP] && take_group(fib, table[NHA_GROUP], &next_hop)))
		return -EBADMSG;
	next_hop.id = nla_get_u32(table[NHA_ID]);
	/* Dumps ascend (rtm_dump_nexthop()): this one came before the dump was interrupted. */
	if (fib->next_hop_count && next_hop.id <= fib->next_hops[fib->next_hop_count - 1].id)
		return 0;
	next_hop.blackhole = table[NHA_BLACKHOLE] != NULL;
	next_hop.hop.link_index = get_u32(table[NHA_OIF], 0);
	next_hop.hop.flags = header->nh_flags;
	MEM_ADD(fib->next_hops, fib->next_hop_count) = next_hop;
	return 0;
}

int fib_take_neighbour(struct fib *fib, const void *payload, size_t length)
{
	struct nlattr *table[ARRAY_SIZE(neighbour_policy)];
	const struct ndmsg *header = payload;
	struct known_ip ip = {.known = false};

	if (netlink_parse(payload, length, sizeof(*header), table, ARRAY_SIZE(table),
			  neighbour_policy))
		return -EBADMSG;
	if (!is_ip(header->ndm_family))
		return 0;
	if (rtnl_get_ip(table[NDA_DST], header->ndm_family, &ip) || !ip.known)
		return -EBADMSG;
	MEM_ADD(fib->neighbours, fib->neighbour_count) = (struct fib_neighbour){
		.ip = ip.address,
		.link_index = (uint32_t)header->ndm_ifindex,
		.state = header->ndm_state,
	};
	return 0;
}

int fib_take_address(struct fib *fib, const void *payload, size_t length)
{
	struct nlattr *table[ARRAY_SIZE(address_policy)];
	const struct ifaddrmsg *header = payload;
	struct known_ip own = {.known = false}, net = {.known = false};

	if (netlink_parse(payload, length, sizeof(*header), table, ARRAY_SIZE(table),
			  address_policy))
		return -EBADMSG;
	if (!is_ip(header->ifa_family))
		return 0;
	/* On a point-to-point netdev IFA_ADDRESS is the peer's (linux/if_addr.h). */
	if (rtnl_get_ip(table[IFA_LOCAL] ? table[IFA_LOCAL] : table[IFA_ADDRESS],
			header->ifa_family, &own) ||
	    !own.known || rtnl_get_ip(table[IFA_ADDRESS], header->ifa_family, &net) ||
	    header->ifa_prefixlen > (header->ifa_family == AF_INET ? 32 : 128))
		return -EBADMSG;
	MEM_ADD(fib->addresses, fib->address_count) = (struct fib_address){
		.ip = own.address,
		.net = net.known ? net.address : own.address,
		.link_index = header->ifa_index,
		.flags = get_u32(table[IFA_FLAGS], header->ifa_flags),
		.bits = header->ifa_prefixlen,
		.scope = header->ifa_scope,
	};
	return 0;
}

/* A dump, and the function for each of its messages. */
struct dump {
	uint16_t type;
	size_t header_bytes;
	bool any_family;
	int (*take)(struct fib *fib, const void *payload, size_t length);
	size_t offset; /* in struct fib, of the number of records */
};

/* Largest first. */
static const struct dump dumps[] = {
	{RTM_GETROUTE, sizeof(struct rtmsg), false, fib_take_route,
	 offsetof(struct fib, route_count)},
	{RTM_GETRULE, sizeof(struct fib_rule_hdr), false, fib_take_rule,
	 offsetof(struct fib, rule_count)},
	{RTM_GETNEXTHOP, sizeof(struct nhmsg), true, fib_take_next_hop,
	 offsetof(struct fib, next_hop_count)},
	{RTM_GETNEIGH, sizeof(struct ndmsg), true, fib_take_neighbour,
	 offsetof(struct fib, neighbour_count)},
	{RTM_GETADDR, sizeof(struct ifaddrmsg), true, fib_take_address,
	 offsetof(struct fib, address_count)},
};

struct taking {
	const struct dump *dump;
	struct fib *fib;
};

static void restart(void *context)
{
	const struct taking *taking = context;

	*(size_t *)(void *)((char *)taking->fib + taking->dump->offset) = 0;
}

static int take(void *context, const void *payload, size_t length)
{
	const struct taking *taking = context;

	return taking->dump->take(taking->fib, payload, length);
}

static int run(struct netlink *rtnl, const struct dump *dump, int family, struct fib *fib)
{
	/* The family is the first byte of each header; the rest is 0. */
	const uint8_t header[sizeof(struct rtmsg)] = {dump->any_family ? AF_UNSPEC
								       : (uint8_t)family};
	struct taking taking = {dump, fib};
	const struct netlink_table table = {dump->type, header,	 dump->header_bytes,
					    take,	restart, &taking};
	int rc;

	_Static_assert(sizeof(struct rtmsg) == 12 && sizeof(struct fib_rule_hdr) == 12 &&
			       sizeof(struct ndmsg) == 12 && sizeof(struct ifaddrmsg) == 8 &&
			       sizeof(struct nhmsg) == 8,
		       "no header is longer than a route's");
	rc = netlink_dump_table(rtnl, &table);
	if (rc != -EINTR)
		return rc;
	/* Tables change all the time: an incomplete answer is better than none. */
	fib->interrupted = true;
	return 0;
}

/* Rules of a kernel without support for them: fib_default_rules_init(), net/ipv4/fib_rules.c. */
static void add_standard_rules(int family, struct fib *fib)
{
	static const struct {
		uint32_t priority, table;
	} rules[] = {{0, RT_TABLE_LOCAL}, {32766, RT_TABLE_MAIN}, {32767, RT_TABLE_DEFAULT}};

	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		MEM_ADD(fib->rules, fib->rule_count) = (struct fib_rule){
			.to.address.family = (uint8_t)family,
			.from.address.family = (uint8_t)family,
			.priority = rules[i].priority,
			.table = rules[i].table,
			.action = FR_ACT_TO_TBL,
			.least_prefix = -1,
		};
}

int fib_load(struct netlink *rtnl, int family, struct fib *fib)
{
	for (size_t i = 0; i < ARRAY_SIZE(dumps); i++) {
		int rc = run(rtnl, &dumps[i], family, fib);

		/* The kernel lacks rules, or before 5.3 next hops as objects. */
		if (rc == -EOPNOTSUPP || rc == -EAFNOSUPPORT) {
			if (dumps[i].type == RTM_GETRULE)
				add_standard_rules(family, fib);
			rc = 0;
		}
		if (rc)
			return rc;
	}
	return 0;
}

void fib_record(struct netlink *rtnl)
{
	static const int families[] = {AF_INET, AF_INET6};
	_cleanup_(fib_clear) struct fib fib = {.routes = NULL};

	if (!netlink_is_recorded(rtnl))
		return;
	/* Routes come last, so that they crowd nothing out. A kernel may lack some dumps. */
	for (size_t i = ARRAY_SIZE(dumps); i-- > 0;)
		for (size_t j = 0; j < (dumps[i].any_family ? 1 : ARRAY_SIZE(families)); j++)
			run(rtnl, &dumps[i], families[j], &fib);
}
