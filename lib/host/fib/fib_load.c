/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <string.h>

#include <linux/fib_rules.h>
#include <linux/neighbour.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/fib/fib.h"
#include "kernel/netlink/netlink.h"

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
