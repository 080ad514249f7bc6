/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The route to any address, found as the kernel finds it, from dumps of its routing tables, rules,
 * next hops, neighbours and addresses: a snapshot cannot ask the kernel about destinations that are
 * named later. Facts are from net/core/fib_rules.c, net/ipv4/{route,fib_trie,fib_semantics,
 * devinet}.c and net/ipv6/{route,addrconf,addrlabel}.c of Linux 6.1 and 6.12. The answer is that of
 * `ip route get`: no mark, no TOS, no port.
 *
 * Where the dumps cannot tell (which of several next hops a flow takes, a rule about users), the
 * answer is a guess, and is described as one.
 *
 * An anonymised snapshot has none of these dumps, because its addresses keep few prefixes. The
 * attributes with addresses: RTA_DST, RTA_SRC, RTA_GATEWAY, RTA_PREFSRC, RTA_VIA, those in each
 * RTA_MULTIPATH; FRA_DST, FRA_SRC; NHA_GATEWAY; NDA_DST, NDA_LLADDR; IFA_ADDRESS, IFA_LOCAL.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/value.h"

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
	struct ip_network to, from;	  /* from: 0 bits if any; IPv6 only */
	struct known_ip preferred;	  /* source */
	uint32_t table, metric, next_hop; /* next_hop: an object's id, or 0 */
	uint8_t type, scope, tos;	  /* RTN_*, RT_SCOPE_* */
	uint8_t preference;		  /* a router's, as in RTA_PREF */
	size_t first_hop, hop_count;	  /* in struct fib */
};

struct fib_rule {
	struct ip_network to, from;
	uint32_t priority, table, go_to;
	uint32_t flags;	      /* FIB_RULE_* */
	uint8_t action;	      /* FR_ACT_* */
	int32_t least_prefix; /* prefixes up to this length are rejected; -1: none */
	bool marked;	      /* needs a nonzero mark */
	bool tos;	      /* needs a TOS or a tunnel, which plain packets lack */
	bool vrf;	      /* the table belongs to the VRF of the packet's netdev */
	const char *unjudged; /* a selector that cannot be evaluated, or NULL */
	char in[16], out[16]; /* names of netdevs; empty: any */
};

struct fib_next_hop {
	uint32_t id;
	bool blackhole;
	struct fib_hop hop;	      /* link_index 0: none */
	size_t first_member, members; /* in struct fib; for a group */
};

struct fib_neighbour {
	struct ip_address ip;
	uint32_t link_index;
	uint16_t state; /* NUD_* */
};

struct fib_address {
	struct ip_address ip, net;  /* net: the peer's on a point-to-point link */
	uint32_t link_index, flags; /* of linux/if_addr.h */
	uint8_t bits, scope;
};

/* Starts as {0}. Everything is in the order of the dumps, which is the kernel's search order. */
struct fib {
	struct fib_route *routes;
	size_t route_count;
	struct fib_hop *hops;
	size_t hop_count;
	struct fib_rule *rules;
	size_t rule_count;
	struct fib_next_hop *next_hops; /* ascending ids */
	size_t next_hop_count;
	uint32_t *members;
	size_t member_count;
	struct fib_neighbour *neighbours;
	size_t neighbour_count;
	struct fib_address *addresses;
	size_t address_count;
	bool interrupted; /* tables changed during the read */
};

void fib_clear(struct fib *fib);

/*
 * Pure functions: each adds the payload of one RTM_NEWROUTE, RTM_NEWRULE, RTM_NEWNEXTHOP,
 * RTM_NEWNEIGH or RTM_NEWADDR message, aligned to 4 bytes. Families other than IPv4 and IPv6, and
 * cached routes, are skipped. -EBADMSG: it is damaged.
 */
int fib_take_route(struct fib *fib, const void *payload, size_t length);
int fib_take_rule(struct fib *fib, const void *payload, size_t length);
int fib_take_next_hop(struct fib *fib, const void *payload, size_t length);
int fib_take_neighbour(struct fib *fib, const void *payload, size_t length);
int fib_take_address(struct fib *fib, const void *payload, size_t length);

/*
 * Reads everything that a lookup in that family needs. -ENODATA: the snapshot lacks it, because it
 * is older, or because the tables were too large.
 */
int fib_load(struct netlink *rtnl, int family, struct fib *fib);
/* Queries all of this while a snapshot is taken, to get it recorded; otherwise does nothing. */
void fib_record(struct netlink *rtnl);

/*
 * Returns the kernel's answer to rtnl_get_route(), or its error. The question's `in_table` is
 * ignored, and the answer's gateway stays unknown: for RDMA, several next hops through one netdev
 * with one source are the same way. `doubts` gets a sentence for each reason why the kernel may
 * decide otherwise: if there is any, the answer is a guess. -E2BIG: the tables are so large, or of
 * such a kind, that the lookup would take too long.
 */
int fib_lookup(const struct fib *fib, const struct link_list *links,
	       const struct route_question *question, struct route *ret_route,
	       struct strings *doubts);
