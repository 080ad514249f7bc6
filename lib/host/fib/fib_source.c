/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The source address that the kernel chooses if the route does not name one. */

#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include "base/mem.h"
#include "host/fib/fib_search.h"

static struct known_ip known(const struct fib_address *address)
{
	return address ? (struct known_ip){address->ip, true} : (struct known_ip){.known = false};
}

/* Unless route_localnet is set, addresses of scope host stay narrower than those of scope link. */
static uint8_t least_scope(const struct fib_address *address)
{
	return address->scope < RT_SCOPE_HOST ? address->scope : RT_SCOPE_HOST;
}

static bool is_primary(const struct fib_address *address)
{
	return address->ip.family == AF_INET && !(address->flags & IFA_F_SECONDARY);
}

/* Returns the first usable address, preferably one in the gateway's network: inet_select_addr(). */
static const struct fib_address *select4(const struct fib *fib, uint32_t link_index,
					 const struct known_ip *gateway, uint8_t scope)
{
	const bool near = gateway->known && gateway->address.family == AF_INET;
	const struct fib_address *first = NULL;

	for (size_t i = 0; i < fib->address_count; i++) {
		const struct fib_address *address = &fib->addresses[i];
		const struct ip_network net = {address->net, address->bits};

		if (address->link_index != link_index || !is_primary(address) ||
		    least_scope(address) > scope)
			continue;
		if (!near || ip_network_contains(&net, &gateway->address))
			return address;
		if (!first)
			first = address;
	}
	return first;
}

/* in_dev_select_addr(): for netdevs that the packet does not leave through. */
static const struct fib_address *select_other4(const struct fib *fib, uint32_t link_index,
					       uint8_t scope)
{
	for (size_t i = 0; i < fib->address_count; i++) {
		const struct fib_address *address = &fib->addresses[i];

		if (address->link_index == link_index && is_primary(address) &&
		    address->scope != RT_SCOPE_LINK && address->scope <= scope)
			return address;
	}
	return NULL;
}

struct known_ip fib_source4(const struct fib_search *search, uint32_t link_index,
			    const struct known_ip *gateway, uint8_t scope)
{
	const struct fib_address *chosen = select4(search->fib, link_index, gateway, scope);
	const uint32_t vrf = fib_vrf_of(search, link_index);
	size_t others = 0;

	if (!chosen && vrf)
		chosen = select_other4(search->fib, vrf, scope);
	/* The kernel walks the netdevs of the same VRF, starting with the loopback. */
	for (size_t i = 0; !chosen && i < search->links->count; i++) {
		const uint32_t index = (uint32_t)search->links->items[i].index.value;
		const struct fib_address *other = fib_spend(search, search->fib->address_count)
							  ? select_other4(search->fib, index, scope)
							  : NULL;

		if (!other || fib_vrf_of(search, index) != vrf)
			continue;
		if (!others++ || index == LOOPBACK_INDEX)
			chosen = other;
	}
	if (others)
		fib_doubt(
			search,
			"the netdev has no address: the source address is that of another netdev");
	return known(chosen);
}

/* IPv6: RFC 6724, section 5, as in ipv6_get_saddr_eval(), net/ipv6/addrconf.c. */

enum { SCOPE_LINK = 2, SCOPE_SITE = 5, SCOPE_GLOBAL = 14, NOT_WIDE_ENOUGH = 128 };

/* Same scopes as __ipv6_addr_type(), net/ipv6/addrconf_core.c. */
static int scope6(const struct ip_address *ip)
{
	static const struct ip_network site = {{AF_INET6, {0xfe, 0xc0}}, 10};

	if (ip->raw[0] == 0xff)
		return ip->raw[1] & 0xf;
	if (ip_is_link_local(ip) || ip_is_loopback(ip))
		return SCOPE_LINK;
	return ip_network_contains(&site, ip) ? SCOPE_SITE : SCOPE_GLOBAL;
}

/* Returns the label of the first match in ip6addrlbl_init_table[], net/ipv6/addrlabel.c. */
static int label6(const struct ip_address *ip)
{
	static const struct {
		struct ip_network net;
		int label;
	} labels[] = {
		{{{AF_INET6, {[15] = 1}}, 128}, 0},
		{{{AF_INET6, {[10] = 0xff, [11] = 0xff}}, 96}, 4},
		{{{AF_INET6, {0}}, 96}, 3},
		{{{AF_INET6, {0x20, 0x01}}, 32}, 6},
		{{{AF_INET6, {0x20, 0x01, 0, 0x10}}, 28}, 7},
		{{{AF_INET6, {0x20, 0x02}}, 16}, 2},
		{{{AF_INET6, {0x3f, 0xfe}}, 16}, 12},
		{{{AF_INET6, {0xfe, 0xc0}}, 10}, 11},
		{{{AF_INET6, {0xfc}}, 7}, 5},
	};

	for (size_t i = 0; i < ARRAY_SIZE(labels); i++)
		if (ip_network_contains(&labels[i].net, ip))
			return labels[i].label;
	return 1;
}

static bool is_orchid(const struct ip_address *ip)
{
	static const struct ip_network orchid = {{AF_INET6, {0x20, 0x01, 0, 0x10}}, 28};

	return ip_network_contains(&orchid, ip);
}

static int common_bits(const struct ip_address *a, const struct ip_address *b)
{
	int bits = 0;

	while (bits < 128 && !((a->raw[bits / 8] ^ b->raw[bits / 8]) & 0x80 >> bits % 8))
		bits++;
	return bits;
}

/* In the order of enum ipv6_saddr_rule; preferences of programs are ignored. */
enum rule6 {
	RULE_SAME,
	RULE_SCOPE,
	RULE_PREFERRED,
	RULE_HOME,
	RULE_NETDEV,
	RULE_LABEL,
	RULE_PRIVACY,
	RULE_ORCHID,
	RULE_PREFIX,
	RULE_COUNT
};

static int score6(const struct fib_search *search, const struct fib_address *address,
		  uint32_t link_index, enum rule6 rule)
{
	const struct ip_address *to = &search->question->destination, *ip = &address->ip;
	int value;

	switch (rule) {
	case RULE_SAME:
		return ip_equal(ip, to);
	case RULE_SCOPE:
		value = scope6(ip);
		return value >= scope6(to) ? -value : value - NOT_WIDE_ENOUGH;
	case RULE_PREFERRED:
		return ip_is_loopback(ip) ||
		       !(address->flags & (IFA_F_DEPRECATED | IFA_F_OPTIMISTIC));
	case RULE_HOME:
		return (address->flags & IFA_F_HOMEADDRESS) != 0;
	case RULE_NETDEV:
		return address->link_index == link_index;
	case RULE_LABEL:
		return label6(ip) == label6(to);
	case RULE_PRIVACY:
		return !(address->flags & IFA_F_TEMPORARY);
	case RULE_ORCHID:
		return is_orchid(ip) == is_orchid(to);
	case RULE_PREFIX:
	default:
		value = common_bits(ip, to);
		return value > address->bits ? address->bits : value;
	}
}

/* Returns the first rule that prefers one of them, or RULE_COUNT; *ret_sign is like strcmp()'s. */
static enum rule6 compare6(const struct fib_search *search, const struct fib_address *a,
			   const struct fib_address *b, uint32_t link_index, int *ret_sign)
{
	enum rule6 rule = RULE_SAME;

	for (; rule < RULE_COUNT; rule++) {
		*ret_sign = score6(search, a, link_index, rule) -
			    score6(search, b, link_index, rule);
		if (*ret_sign)
			break;
	}
	return rule;
}

static bool is_candidate6(const struct fib_search *search, const struct fib_address *address,
			  uint32_t link_index, uint32_t vrf)
{
	const struct ip_address *to = &search->question->destination;
	const bool only_there = to->raw[0] == 0xff || scope6(to) <= SCOPE_LINK;

	if (address->ip.family != AF_INET6 ||
	    (address->flags & IFA_F_TENTATIVE && !(address->flags & IFA_F_OPTIMISTIC)))
		return false;
	return only_there ? address->link_index == link_index
			  : fib_vrf_of(search, address->link_index) == vrf;
}

/* Notes that the deciding rule depends on settings of the host that the dumps do not show. */
static void judge_source6(const struct fib_search *search, const struct fib_address *best,
			  uint32_t link_index, const bool decided[static RULE_COUNT])
{
	if (decided[RULE_PRIVACY])
		fib_doubt(search, "the source address is a guess: net.ipv6.conf.*.use_tempaddr "
				  "decides whether a temporary one is used");
	if (decided[RULE_LABEL])
		fib_doubt(search, "the source address is a guess: it depends on labels, which ip "
				  "addrlabel may have changed");
	if (best && best->link_index != link_index)
		fib_doubt(search, "the source address is that of another netdev, unless "
				  "net.ipv6.conf.*.use_oif_addrs_only is set");
}

struct known_ip fib_source6(const struct fib_search *search, uint32_t link_index)
{
	const uint32_t vrf = fib_vrf_of(search, link_index);
	const struct fib *fib = search->fib;
	const struct fib_address *best = NULL;
	bool decided[RULE_COUNT + 1] = {false};

	for (size_t i = 0; i < fib->address_count; i++) {
		const struct fib_address *address = &fib->addresses[i];
		enum rule6 rule;
		int sign = 1;

		if (!is_candidate6(search, address, link_index, vrf))
			continue;
		rule = best ? compare6(search, address, best, link_index, &sign) : RULE_COUNT;
		/* By the earlier rules, both are equally good. */
		for (size_t after = rule; sign > 0 && after < RULE_COUNT; after++)
			decided[after] = false;
		decided[rule] = true;
		if (sign > 0)
			best = address;
	}
	judge_source6(search, best, link_index, decided);
	return known(best);
}
