/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Searches one table: the longest prefix, the lowest metric, and a usable next hop. */
#include <errno.h>
#include <stdlib.h>

#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include "base/mem.h"
#include "host/fib/fib_search.h"

/* Scores of a router: rt6_check_neigh() and rt6_score_route(), net/ipv6/route.c. */
enum { SCORE_UNUSABLE = -1, SCORE_ON_LINK = 2 };

/* Upper bound of the steps that find a next hop. */
enum { HOP_STEPS = 32 };

/* Negative if the kernel tries `a` first. */
static int compare_routes(const struct fib_route *a, const struct fib_route *b)
{
	return COMPARE(b->to.bits, a->to.bits) ?: COMPARE(b->from.bits, a->from.bits) ?:
	       /* Only in the merged table: local has the larger number and comes first. */
	       COMPARE(b->table, a->table) ?: COMPARE(a->metric, b->metric) ?:
	       /* Both are in one array in the order of the dump. */
	       COMPARE(a, b);
}

static int compare_merged(const void *a, const void *b)
{
	return compare_routes(*(const struct fib_route *const *)a,
			      *(const struct fib_route *const *)b);
}

static int compare_candidates(const void *a, const void *b)
{
	const struct fib_route *first = *(const struct fib_route *const *)a;
	const struct fib_route *second = *(const struct fib_route *const *)b;

	return COMPARE(first->table, second->table) ?: compare_routes(first, second);
}

static bool is_candidate(const struct route_question *question, const struct fib_route *route)
{
	struct ip_address any = {.family = question->destination.family};

	/* Plain packets do not have a TOS. */
	return !route->tos && ip_network_contains(&route->to, &question->destination) &&
	       (!route->from.bits ||
		ip_network_contains(&route->from,
				    question->source.family ? &question->source : &any));
}

void fib_find_tables(const struct fib_search *search)
{
	const struct fib *fib = search->fib;
	struct fib_work *work = search->work;
	struct fib_table *table = NULL;
	size_t count = 0;

	for (size_t i = 0; i < fib->route_count; i++)
		if (is_candidate(search->question, &fib->routes[i]))
			MEM_ADD(work->candidates, count) = &fib->routes[i];
	if (count)
		qsort(work->candidates, count, sizeof(*work->candidates), compare_candidates);
	for (size_t i = 0; i < count; i++) {
		if (!i || work->candidates[i]->table != work->candidates[i - 1]->table) {
			table = mem_append(&work->tables, &work->table_count, sizeof(*table));
			table->routes = &work->candidates[i];
		}
		table->count++;
	}
}

static int compare_table(const void *key, const void *element)
{
	const uint32_t id = *(const uint32_t *)key;
	const struct fib_table *table = element;

	return COMPARE(id, table->routes[0]->table);
}

/* Returns NULL if the table has no candidate. */
static struct fib_table *find_table(const struct fib_search *search, uint32_t id)
{
	const struct fib_work *work = search->work;

	return work->table_count ? bsearch(&id, work->tables, work->table_count,
					   sizeof(*work->tables), compare_table)
				 : NULL;
}

static int compare_object(const void *key, const void *element)
{
	const uint32_t id = *(const uint32_t *)key;
	const struct fib_next_hop *object = element;

	return COMPARE(id, object->id);
}

static const struct fib_next_hop *find_object(const struct fib *fib, uint32_t id)
{
	return id && fib->next_hop_count ? bsearch(&id, fib->next_hops, fib->next_hop_count,
						   sizeof(*fib->next_hops), compare_object)
					 : NULL;
}

const struct fib_hop *fib_hop_of(const struct fib_search *search, const struct fib_route *route,
				 size_t number, bool *ret_blackhole)
{
	const struct fib *fib = search->fib;
	const struct fib_next_hop *object;

	*ret_blackhole = false;
	if (!fib_spend(search, HOP_STEPS))
		return NULL;
	/* Routes repeat the hops of an object, unless net.ipv4.nexthop_compat_mode is 0. */
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

/* Follows fib_table_lookup(), net/ipv4/fib_trie.c. */
static int search4(const struct fib_search *search, const struct fib_table *list,
		   struct fib_found *ret_found)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct fib_route *route = list->routes[i];
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

/* Whether the router's neighbour entry says that it does not answer. */
static bool is_failed(const struct fib_search *search, const struct fib_hop *hop)
{
	const struct fib *fib = search->fib;

	if (!hop->gateway.known || !fib_spend(search, fib->neighbour_count))
		return false;
	for (size_t i = 0; i < fib->neighbour_count; i++)
		if (fib->neighbours[i].link_index == hop->link_index &&
		    ip_equal(&fib->neighbours[i].ip, &hop->gateway.address))
			return fib->neighbours[i].state & NUD_FAILED;
	return false;
}

/* Whether the destination is only searched on one netdev: rt6_need_strict(). */
static bool is_strict(const struct route_question *question)
{
	const struct ip_address *to = &question->destination;

	return (question->link_index && !question->source.family) || to->raw[0] == 0xff ||
	       ip_is_link_local(to) || ip_is_loopback(to);
}

static int score(const struct fib_search *search, const struct fib_route *route,
		 const struct fib_hop *hop, bool reachable)
{
	const uint32_t wanted = search->question->link_index;
	const int on_link = !wanted || hop->link_index == wanted ? SCORE_ON_LINK : 0;

	if (hop->flags & RTNH_F_DEAD || (!on_link && is_strict(search->question)) ||
	    (reachable && is_failed(search, hop)))
		return SCORE_UNUSABLE;
	/* IPV6_DECODE_PREF, include/net/ip6_route.h: 1 low, 2 medium, 3 high */
	return on_link | ((route->preference & 3) ^ 2) << 2;
}

/* Whether only the metrics decide between both. */
static bool is_same_prefix(const struct fib_route *a, const struct fib_route *b)
{
	return a->to.bits == b->to.bits && a->from.bits == b->from.bits;
}

/* Finds the best route from `first` on, only with the metric of the first if `one_metric`. */
static size_t choose6(const struct fib_search *search, const struct fib_table *list, size_t first,
		      bool one_metric, bool reachable, struct fib_found *found, bool *ret_drop)
{
	int best = SCORE_UNUSABLE;
	size_t i;

	for (i = first; i < list->count; i++) {
		const struct fib_route *route = list->routes[i];
		const struct fib_hop *hop;

		if (!is_same_prefix(route, list->routes[first]) ||
		    (one_metric && route->metric != list->routes[first]->metric))
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

/* fib6_table_lookup() and find_rr_leaf(): routes of the first metric, else the best of the rest. */
static int pass6(const struct fib_search *search, const struct fib_table *list, bool reachable,
		 struct fib_found *ret_found)
{
	struct fib_found found = {.route = NULL};
	bool drop = false, one_metric = true;
	size_t at = 0;

	while (at < list->count && !found.route) {
		const size_t next = choose6(search, list, at, one_metric, reachable, &found, &drop);

		one_metric = !(next < list->count && one_metric &&
			       is_same_prefix(list->routes[next], list->routes[at]));
		at = next;
	}
	if (!found.route)
		return -EAGAIN;
	*ret_found = found;
	return drop ? -EINVAL : rtnl_route_error(found.route->type);
}

/* If the host does not forward packets, routers that do not answer are skipped at first. */
static int search6(const struct fib_search *search, const struct fib_table *list,
		   struct fib_found *ret_found)
{
	struct fib_found other = {.route = NULL};
	int rc = pass6(search, list, true, ret_found);
	int rc_other = pass6(search, list, false, &other);

	if (rc == -EAGAIN)
		*ret_found = other;
	else if (rc != rc_other || !fib_is_same(ret_found, &other))
		fib_doubt(search,
			  "a router that does not answer was passed over, but a host that forwards "
			  "packets, or the kernel at another time, takes it nevertheless");
	return rc == -EAGAIN ? rc_other : rc;
}

static int search_list(const struct fib_search *search, const struct fib_table *list,
		       struct fib_found *ret_found)
{
	const int rc = search->question->destination.family == AF_INET
			       ? search4(search, list, ret_found)
			       : search6(search, list, ret_found);

	return search->work->too_much ? -E2BIG : rc;
}

int fib_search_table(const struct fib_search *search, uint32_t id, struct fib_found *ret_found)
{
	struct fib_table *table = find_table(search, id);

	if (!table)
		return -EAGAIN;
	if (!table->searched)
		table->rc = search_list(search, table, &table->found);
	table->searched = true;
	*ret_found = table->found;
	return table->rc;
}

int fib_search_merged(const struct fib_search *search, struct fib_found *ret_found)
{
	const struct fib_table *tables[] = {find_table(search, RT_TABLE_MAIN),
					    find_table(search, RT_TABLE_LOCAL)};
	struct fib_table merged = {.routes = NULL};
	int rc;

	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		for (size_t j = 0; tables[i] && j < tables[i]->count; j++)
			MEM_ADD(merged.routes, merged.count) = tables[i]->routes[j];
	if (merged.count)
		qsort(merged.routes, merged.count, sizeof(*merged.routes), compare_merged);
	rc = search_list(search, &merged, ret_found);
	free(merged.routes);
	return rc;
}
