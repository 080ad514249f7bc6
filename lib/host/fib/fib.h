/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The route to any address, found as the kernel finds it, from dumps of its routing tables, rules,
 * next hops, neighbours and addresses: a snapshot cannot ask the kernel about destinations that are
 * named later. Facts are from net/core/fib_rules.c, net/ipv4/{route,fib_trie,fib_semantics,
 * devinet}.c and net/ipv6/{route,addrconf,addrlabel}.c of Linux 6.1 and 6.12. The answer is for
 * what `ip route get` asks: no mark, no TOS, no port.
 *
 * What the dumps cannot tell (which of several next hops a flow takes, a rule about users) makes
 * the answer a guess, and is told in words.
 *
 * An anonymised snapshot has none of these dumps, because its addresses keep few prefixes. Their
 * attributes with addresses: RTA_DST, RTA_SRC, RTA_GATEWAY, RTA_PREFSRC, RTA_VIA, those in each
 * RTA_MULTIPATH; FRA_DST, FRA_SRC; NHA_GATEWAY; NDA_DST, NDA_LLADDR; IFA_ADDRESS, IFA_LOCAL.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/gid.h"
#include "base/text.h"
#include "host/device.h"

struct link_list;
struct netlink;
struct route;
struct route_question;

struct fib_hop {
	uint32_t link_index;
	uint32_t flags; /* RTNH_F_* */
	struct known_ip gateway;
};

struct fib_route {
	struct ip_network to, from;	  /* from: 0 bits if any source; IPv6 only */
	struct known_ip preferred;	  /* source */
	uint32_t table, metric, next_hop; /* next_hop: id of an object, or 0 */
	uint8_t type, scope, tos;	  /* RTN_*, RT_SCOPE_* */
	uint8_t preference;		  /* of a router, as in RTA_PREF */
	size_t first_hop, hop_count;	  /* in struct fib */
};

struct fib_rule {
	struct ip_network to, from;
	uint32_t priority, table, go_to;
	uint32_t flags;	      /* FIB_RULE_* */
	uint8_t action;	      /* FR_ACT_* */
	int32_t least_prefix; /* longer ones are taken; -1: all */
	bool marked;	      /* needs a mark that is not 0 */
	bool tos;	      /* needs a TOS or a tunnel, which plain packets lack */
	bool vrf;	      /* the table is that of the VRF of the packet's netdev */
	const char *unjudged; /* a selector whose value is not known, or NULL */
	char in[16], out[16]; /* names of netdevs; empty: any */
};

struct fib_next_hop {
	uint32_t id;
	bool blackhole;
	struct fib_hop hop;	      /* link_index 0: none */
	size_t first_member, members; /* in struct fib; of a group */
};

struct fib_neighbour {
	struct ip_address ip;
	uint32_t link_index;
	uint16_t state; /* NUD_* */
};

struct fib_address {
	struct ip_address ip, net;  /* net: the other end's, if the link is point to point */
	uint32_t link_index, flags; /* of linux/if_addr.h */
	uint8_t bits, scope;
};

/* Starts as {0}. All in the order of the dumps, which is the kernel's order of search. */
struct fib {
	struct fib_route *routes;
	size_t route_count;
	struct fib_hop *hops;
	size_t hop_count;
	struct fib_rule *rules;
	size_t rule_count;
	struct fib_next_hop *next_hops; /* their ids ascend */
	size_t next_hop_count;
	uint32_t *members;
	size_t member_count;
	struct fib_neighbour *neighbours;
	size_t neighbour_count;
	struct fib_address *addresses;
	size_t address_count;
	bool interrupted; /* they changed while they were read */
};

void fib_clear(struct fib *fib);

/*
 * The pure part: each adds the payload of one RTM_NEWROUTE, RTM_NEWRULE, RTM_NEWNEXTHOP,
 * RTM_NEWNEIGH or RTM_NEWADDR message, at a multiple of 4. Other families than IPv4 and IPv6, and
 * cached routes, are passed over. -EBADMSG: it is damaged.
 */
int fib_take_route(struct fib *fib, const void *payload, size_t length);
int fib_take_rule(struct fib *fib, const void *payload, size_t length);
int fib_take_next_hop(struct fib *fib, const void *payload, size_t length);
int fib_take_neighbour(struct fib *fib, const void *payload, size_t length);
int fib_take_address(struct fib *fib, const void *payload, size_t length);

/*
 * Reads all that a lookup of that family needs. -ENODATA: the snapshot does not hold it, because it
 * is older, or because the tables are too large for it.
 */
int fib_load(struct netlink *rtnl, int family, struct fib *fib);
/* While a snapshot is taken, asks for all of it, so that it is recorded; else does nothing. */
void fib_record(struct netlink *rtnl);

/*
 * The answer of the kernel to rtnl_get_route(), or its error. `in_table` of the question is not
 * known here, and the gateway of the answer stays unknown: several next hops by one netdev with one
 * source are one way for RDMA. `doubts` gets a sentence for each reason why the kernel may decide
 * otherwise: if there is one, the answer is a guess. -E2BIG: the tables are so large, or of such a
 * kind, that the lookup would take too long.
 */
int fib_lookup(const struct fib *fib, const struct link_list *links,
	       const struct route_question *question, struct route *ret_route,
	       struct strings *doubts);
