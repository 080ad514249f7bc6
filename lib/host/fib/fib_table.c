/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One table: the longest prefix, the least metric, and a next hop that can be used. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/fib/fib_search.h"

/* How a router may be taken: rt6_check_neigh() and rt6_score_route(), net/ipv6/route.c. */
enum { SCORE_UNUSABLE = -1, SCORE_ON_LINK = 2 };

/* Routes that contain the destination, in the order in which the kernel looks at them. */
struct candidates {
	const struct fib_route **items;
	size_t count;
};

static bool is_before(const struct fib_route *a, const struct fib_route *b)
{
	if (a->to.bits != b->to.bits)
		return a->to.bits > b->to.bits;
	if (a->from.bits != b->from.bits)
		return a->from.bits > b->from.bits;
	/* Only in the merged table: local has the larger number, and comes first. */
	if (a->table != b->table)
		return a->table > b->table;
	return a->metric < b->metric;
}

static bool is_candidate(const struct fib_search *search, const struct fib_route *route,
			 uint32_t table, bool merged)
{
	const struct route_question *question = search->question;
	struct ip_address any = {.family = question->destination.family};

	/* Plain packets have no TOS. */
	return (route->table == table || (merged && route->table == RT_TABLE_LOCAL)) &&
	       !route->tos && ip_network_contains(&route->to, &question->destination) &&
	       (!route->from.bits ||
		ip_network_contains(&route->from,
				    question->source.family ? &question->source : &any));
}

static void find_candidates(const struct fib_search *search, uint32_t table, bool merged,
			    struct candidates *list)
{
	const struct fib *fib = search->fib;

	for (size_t i = 0; i < fib->route_count; i++) {
		const struct fib_route *route = &fib->routes[i], **place;

		if (!is_candidate(search, route, table, merged))
			continue;
		mem_append(&list->items, &list->count, sizeof(const struct fib_route *));
		place = &list->items[list->count - 1];
		for (; place > list->items && is_before(route, place[-1]); place--)
			place[0] = place[-1];
		*place = route;
	}
}

static const struct fib_next_hop *find_object(const struct fib *fib, uint32_t id)
{
	for (size_t i = 0; id && i < fib->next_hop_count; i++)
		if (fib->next_hops[i].id == id)
			return &fib->next_hops[i];
	return NULL;
}

const struct fib_hop *fib_hop_of(const struct fib_search *search, const struct fib_route *route,
				 size_t number, bool *ret_blackhole)
{
	const struct fib *fib = search->fib;
	const struct fib_next_hop *object;

	*ret_blackhole = false;
	/* The kernel repeats the hops of an object, unless net.ipv4.nexthop_compat_mode is 0. */
	if (route->hop_count)
		return number < route->hop_count ? &fib->hops[route->first_hop + number] : NULL;
	object = find_object(fib, route->next_hop);
	if (object && object->members)
		object = number < object->members
				 ? find_object(fib, fib->members[object->first_member + number])
				 : NULL;
	else if (number)
		return NULL;
	*ret_blackhole = object && object->blackhole;
	return object ? &object->hop : NULL;
}

bool fib_is_same(const struct fib_found *a, const struct fib_found *b)
{
	if (a->hop == b->hop || !a->hop || !b->hop)
		return a->hop == b->hop;
	return a->hop->link_index == b->hop->link_index && a->route->type == b->route->type &&
	       a->route->scope == b->route->scope &&
	       ip_equal(&a->route->preferred.address, &b->route->preferred.address) &&
	       ip_equal(&a->hop->gateway.address, &b->hop->gateway.address);
}

bool fib_hop_fits(const struct fib_search *search, const struct fib_hop *hop)
{
	const uint32_t wanted = search->question->link_index;

	return !(hop->flags & RTNH_F_DEAD) && (!wanted || hop->link_index == wanted);
}

/* fib_table_lookup(), net/ipv4/fib_trie.c */
static int search4(const struct fib_search *search, const struct candidates *list,
		   struct fib_found *ret_found)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct fib_route *route = list->items[i];
		const int error = rtnl_route_error(route->type);
		const struct fib_hop *hop;
		bool blackhole;

		if (error)
			return error;
		for (size_t j = 0; (hop = fib_hop_of(search, route, j, &blackhole)); j++) {
			if (blackhole)
				return -EINVAL;
			if (!fib_hop_fits(search, hop))
				continue;
			*ret_found = (struct fib_found){route, hop};
			return 0;
		}
	}
	return -EAGAIN;
}

/* A router whose neighbour entry says that it does not answer. */
static bool is_failed(const struct fib *fib, const struct fib_hop *hop)
{
	for (size_t i = 0; hop->gateway.known && i < fib->neighbour_count; i++)
		if (fib->neighbours[i].link_index == hop->link_index &&
		    ip_equal(&fib->neighbours[i].ip, &hop->gateway.address))
			return fib->neighbours[i].state & NUD_FAILED;
	return false;
}

/* The destinations that are looked for on one netdev only: rt6_need_strict(). */
static bool is_strict(const struct route_question *question)
{
	const struct gid gid = ip_to_gid(&question->destination);
	static const struct gid loopback = {.raw = {[15] = 1}};

	return (question->link_index && !question->source.family) || gid.raw[0] == 0xff ||
	       gid_is_link_local(&gid) || !memcmp(&gid, &loopback, sizeof(gid));
}

static int score(const struct fib_search *search, const struct fib_route *route,
		 const struct fib_hop *hop, bool reachable)
{
	const uint32_t wanted = search->question->link_index;
	const int on_link = !wanted || hop->link_index == wanted ? SCORE_ON_LINK : 0;

	if (hop->flags & RTNH_F_DEAD || (!on_link && is_strict(search->question)) ||
	    (reachable && is_failed(search->fib, hop)))
		return SCORE_UNUSABLE;
	/* IPV6_DECODE_PREF, include/net/ip6_route.h: 1 low, 2 medium, 3 high */
	return on_link | ((route->preference & 3) ^ 2) << 2;
}

/* Whether a choice between both is one of metrics. */
static bool is_same_prefix(const struct fib_route *a, const struct fib_route *b)
{
	return a->to.bits == b->to.bits && a->from.bits == b->from.bits;
}

/* The best of the routes from `first` on, whose metric is that of the first if `one_metric`. */
static size_t choose6(const struct fib_search *search, const struct candidates *list, size_t first,
		      bool one_metric, bool reachable, struct fib_found *found, bool *ret_drop)
{
	int best = SCORE_UNUSABLE;
	size_t i;

	for (i = first; i < list->count; i++) {
		const struct fib_route *route = list->items[i];
		const struct fib_hop *hop;

		if (!is_same_prefix(route, list->items[first]) ||
		    (one_metric && route->metric != list->items[first]->metric))
			break;
		for (size_t j = 0; (hop = fib_hop_of(search, route, j, ret_drop)); j++) {
			const int value = score(search, route, hop, reachable);

			if (!*ret_drop && value <= best)
				continue;
			best = value;
			*found = (struct fib_found){route, hop};
			if (*ret_drop)
				return i;
		}
	}
	return i;
}

/* fib6_table_lookup() and find_rr_leaf(): the first metric, else the best of the others. */
static int pass6(const struct fib_search *search, const struct candidates *list, bool reachable,
		 struct fib_found *ret_found)
{
	struct fib_found found = {.route = NULL};
	bool drop = false, one_metric = true;
	size_t at = 0;

	while (at < list->count && !found.route) {
		const size_t next = choose6(search, list, at, one_metric, reachable, &found, &drop);

		one_metric = !(next < list->count && one_metric &&
			       is_same_prefix(list->items[next], list->items[at]));
		at = next;
	}
	if (!found.route)
		return -EAGAIN;
	*ret_found = found;
	return drop ? -EINVAL : rtnl_route_error(found.route->type);
}

/* Routers that do not answer are passed over at first, if the host forwards nothing. */
static int search6(const struct fib_search *search, const struct candidates *list,
		   struct fib_found *ret_found)
{
	struct fib_found other = {.route = NULL};
	int rc = pass6(search, list, true, ret_found);
	int rc_other = pass6(search, list, false, &other);

	if (rc == -EAGAIN)
		*ret_found = other;
	else if (rc != rc_other || !fib_is_same(ret_found, &other))
		fib_doubt(search, "a router on the way does not answer, and a host that forwards "
				  "packets, or another time, takes it nevertheless");
	return rc == -EAGAIN ? rc_other : rc;
}

int fib_search_table(const struct fib_search *search, uint32_t table, bool merged,
		     struct fib_found *ret_found)
{
	struct candidates list = {.items = NULL};
	int rc;

	find_candidates(search, table, merged, &list);
	rc = search->question->destination.family == AF_INET ? search4(search, &list, ret_found)
							     : search6(search, &list, ret_found);
	free(list.items);
	return rc;
}
