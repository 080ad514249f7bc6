/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The steps of fib_lookup(). */
#pragma once

#include "host/fib/fib.h"
#include "host/netdev.h"
#include "host/rtnl.h"

/* LOOPBACK_IFINDEX, include/net/flow.h: the loopback is the first netdev of each namespace. */
#define LOOPBACK_INDEX 1u

/* The result from the table of a rule. Without a route, it is an error. */
struct fib_found {
	const struct fib_route *route;
	const struct fib_hop *hop;
};

/* The routes of one table that contain the destination, in the kernel's order. */
struct fib_table {
	const struct fib_route **routes;
	size_t count;
	bool searched; /* then `rc` and `found` are set */
	int rc;
	struct fib_found found;
};

/* Work that is done once for all rules. */
struct fib_work {
	const struct fib_route **candidates; /* for `tables` */
	struct fib_table *tables;	     /* ascending */
	size_t table_count;
	size_t steps_left;
	bool vrfs; /* at least one exists */
	bool too_much;
};

struct fib_search {
	const struct fib *fib;
	const struct link_list *links;
	const struct route_question *question;
	struct strings *doubts;
	struct fib_work *work;
};

/*
 * The tables may come from someone malicious: their product must not keep the processor busy. Takes
 * that many steps from the lookup's budget; false: it is used up, and the lookup must end with
 * -E2BIG.
 */
bool fib_spend(const struct fib_search *search, size_t steps);

void fib_doubt(const struct fib_search *search, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Like link_vrf_index(), for the netdev with that index. */
uint32_t fib_vrf_of(const struct fib_search *search, uint32_t link_index);

/* Returns a next hop of the route by number; *ret_blackhole: an object that drops packets. */
const struct fib_hop *fib_hop_of(const struct fib_search *search, const struct fib_route *route,
				 size_t number, bool *ret_blackhole);
/* Whether both send packets the same way, with the same source. */
bool fib_is_same(const struct fib_found *a, const struct fib_found *b);
/* Whether a packet may take this hop, judged by its netdev and state. */
bool fib_hop_fits(const struct fib_search *search, const struct fib_hop *hop);

/* Finds the candidates and sorts them into tables. */
void fib_find_tables(const struct fib_search *search);
/*
 * Searches one table. -EAGAIN: the table does not decide about the destination; other errors are
 * those of the route's type.
 */
int fib_search_table(const struct fib_search *search, uint32_t id, struct fib_found *ret_found);
/* Searches the tables local and main as one. */
int fib_search_merged(const struct fib_search *search, struct fib_found *ret_found);
/* Walks the rules. -ENETUNREACH: none of them leads to a route. */
int fib_search_rules(const struct fib_search *search, struct fib_found *ret_found);

/* Return the source address that the kernel chooses on that netdev; unknown if there is none. */
struct known_ip fib_source4(const struct fib_search *search, uint32_t link_index,
			    const struct known_ip *gateway, uint8_t scope);
struct known_ip fib_source6(const struct fib_search *search, uint32_t link_index);
