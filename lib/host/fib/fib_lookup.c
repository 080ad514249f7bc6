/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include "host/fib/fib_search.h"

enum { DOUBT_SIZE = 160, MOST_DOUBTS = 8 };

/* Maximum number of next hops of one route that are compared. */
enum { MOST_HOPS = 64 };

/* Budget of comparisons in a lookup: a few tenths of a second at most. */
#define MOST_STEPS ((size_t)1 << 27)

bool fib_spend(const struct fib_search *search, size_t steps)
{
	struct fib_work *work = search->work;

	if (steps > work->steps_left)
		work->too_much = true;
	else
		work->steps_left -= steps;
	return !work->too_much;
}

void fib_doubt(const struct fib_search *search, const char *format, ...)
{
	char text[DOUBT_SIZE];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (search->doubts->count > MOST_DOUBTS || strings_contain(search->doubts, text))
		return;
	strings_add(search->doubts, search->doubts->count < MOST_DOUBTS
					    ? text
					    : "there are more reasons like these");
}

uint32_t fib_vrf_of(const struct fib_search *search, uint32_t link_index)
{
	const struct number index = {.value = link_index, .known = true};

	if (!search->work->vrfs || !fib_spend(search, 2 * search->links->count))
		return 0;
	return link_vrf_index(search->links, link_by_index(search->links, &index));
}

static bool has_vrfs(const struct link_list *links)
{
	for (size_t i = 0; i < links->count; i++)
		if (link_is_vrf(&links->items[i]))
			return true;
	return false;
}

static void set_way(const struct fib_search *search, uint32_t link_index,
		    const struct known_ip *gateway, uint8_t scope, struct route *route)
{
	number_set(&route->link_index, link_index);
	/* The kernel does not repeat the source from the question. */
	if (search->question->source.family)
		return;
	route->source = search->question->destination.family == AF_INET
				? fib_source4(search, link_index, gateway, scope)
				: fib_source6(search, link_index);
}

/* The destination is this host: ip_route_output_key_hash_rcu() and ip6_rt_get_dev_rcu(). */
static void describe_local(const struct fib_search *search, const struct fib_found *found,
			   struct route *route)
{
	const uint32_t vrf = fib_vrf_of(search, found->hop->link_index);
	const struct known_ip none = {.known = false};

	set_way(search, found->hop->link_index, &none, found->route->scope, route);
	if (search->question->destination.family == AF_INET && !search->question->source.family)
		route->source = (struct known_ip){search->question->destination, true};
	number_set(&route->link_index, vrf ? vrf : LOOPBACK_INDEX);
	route->local = found->route->type == RTN_LOCAL;
}

static bool is_everyone(const struct ip_address *ip)
{
	static const uint8_t everyone[4] = {255, 255, 255, 255};

	return ip->family == AF_INET && !memcmp(ip->raw, everyone, sizeof(everyone));
}

/* Packets to many are never local to this host: __mkroute_output(). */
static bool is_to_many(const struct ip_address *to)
{
	return is_everyone(to) || (to->family == AF_INET && to->raw[0] >> 4 == 0xe);
}

/*
 * The kernel's anycast routes, in the table local or a VRF's, lead to this host; anycast routes
 * that someone added leave through their netdev, as do all of IPv4: addrconf_f6i_alloc() and
 * rtm_to_fib6_config() in net/ipv6/route.c.
 */
static bool is_to_self(const struct fib_search *search, const struct fib_found *found)
{
	const struct fib_route *route = found->route;

	return route->type == RTN_LOCAL ||
	       (route->type == RTN_ANYCAST && route->to.address.family == AF_INET6 &&
		(route->table == RT_TABLE_LOCAL || fib_vrf_of(search, found->hop->link_index)));
}

static void describe_hop(const struct fib_search *search, const struct fib_found *found,
			 struct route *route)
{
	if (is_to_self(search, found))
		describe_local(search, found, route);
	else
		set_way(search, found->hop->link_index, &found->hop->gateway, found->route->scope,
			route);
	if (found->route->preferred.known && !search->question->source.family)
		route->source = found->route->preferred;
	route->local &= !is_to_many(&search->question->destination);
}

static bool is_same_answer(const struct route *a, const struct route *b)
{
	return a->link_index.value == b->link_index.value && a->source.known == b->source.known &&
	       ip_equal(&a->source.address, &b->source.address);
}

/* Returns the name of the netdev, for a message. */
static const char *name_of(const struct fib_search *search, const struct number *index)
{
	const struct link *link = link_by_index(search->links, index);

	return link && link->name ? link->name : "another netdev";
}

/* A hash with a secret decides which of the next hops a flow takes: fib_multipath_hash(). */
static void judge_hops(const struct fib_search *search, const struct fib_found *found,
		       const struct route *route)
{
	const struct fib_hop *hop;
	bool blackhole;

	for (size_t i = 0; (hop = fib_hop_of(search, found->route, i, &blackhole)); i++) {
		const struct fib_found other = {found->route, hop};
		struct route way = {.local = false};

		if (i == MOST_HOPS) {
			fib_doubt(search,
				  "the route has more than %d next hops: which one the kernel "
				  "takes cannot be known",
				  MOST_HOPS);
			return;
		}
		if (hop == found->hop || !fib_hop_fits(search, hop))
			continue;
		describe_hop(search, &other, &way);
		if (!is_same_answer(&way, route))
			fib_doubt(search,
				  "the route has several next hops, by %s and by %s: which one the "
				  "kernel takes cannot be known",
				  name_of(search, &route->link_index),
				  name_of(search, &way.link_index));
	}
}

/* Among default routes with the same metric, fib_select_default() prefers a router that answers. */
static void judge_defaults(const struct fib_search *search, const struct fib_found *found)
{
	for (size_t i = 0; i < search->fib->route_count; i++) {
		const struct fib_route *route = &search->fib->routes[i];

		if (route != found->route && !route->to.bits && !found->route->to.bits &&
		    route->to.address.family == AF_INET && route->table == found->route->table &&
		    route->metric == found->route->metric && !route->tos) {
			fib_doubt(search, "there are several default routes with the same metric, "
					  "and the kernel prefers one whose router answers");
			return;
		}
	}
}

static bool is_own(const struct fib *fib, const struct ip_address *ip)
{
	for (size_t i = 0; i < fib->address_count; i++)
		if (ip_equal(&fib->addresses[i].ip, ip))
			return true;
	return false;
}

/*
 * IPv4 treats the destination as directly connected to the named netdev if there is no route, and
 * local multicast and broadcast in any case: ip_route_output_key_hash_rcu().
 */
static bool is_on_link(const struct route_question *question, int rc)
{
	static const uint8_t local_multicast[] = {224, 0, 0};
	const uint8_t *raw = question->destination.raw;

	return question->destination.family == AF_INET && question->link_index &&
	       (rc || !memcmp(raw, local_multicast, sizeof(local_multicast)) ||
		is_everyone(&question->destination));
}

/* Returns the kernel's answer if it needs no table. 1: it does. */
static int answer_at_once(const struct fib_search *search, struct route *route)
{
	static const uint8_t loopback[4] = {127, 0, 0, 1}, none[4];
	const struct route_question *question = search->question;
	const struct number index = {.value = question->link_index, .known = true};
	const struct link *link = link_by_index(search->links, &index);

	if (question->destination.family != AF_INET)
		return 1;
	if (question->source.family && !is_own(search->fib, &question->source))
		return -EINVAL;
	if (question->link_index && !link)
		return -ENODEV;
	if (link && link->enabled == TRISTATE_NO)
		return -ENETUNREACH;
	if (memcmp(question->destination.raw, none, sizeof(none)))
		return 1;
	number_set(&route->link_index, LOOPBACK_INDEX);
	route->local = true;
	route->source = (struct known_ip){.address.family = AF_INET, .known = true};
	memcpy(route->source.address.raw, loopback, sizeof(loopback));
	return 0;
}

int fib_lookup(const struct fib *fib, const struct link_list *links,
	       const struct route_question *question, struct route *ret_route,
	       struct strings *doubts)
{
	struct fib_work work = {.steps_left = MOST_STEPS, .vrfs = has_vrfs(links)};
	const struct fib_search search = {fib, links, question, doubts, &work};
	struct fib_found found = {.route = NULL};
	struct route route = {.local = false};
	int rc = answer_at_once(&search, &route);

	if (fib->interrupted)
		fib_doubt(&search, "the tables changed while they were read");
	if (rc == 1) {
		fib_find_tables(&search);
		rc = fib_search_rules(&search, &found);
		if (rc != -E2BIG && is_on_link(question, rc)) {
			const struct known_ip none = {.known = false};

			set_way(&search, question->link_index, &none, RT_SCOPE_LINK, &route);
			rc = 0;
		} else if (!rc) {
			describe_hop(&search, &found, &route);
			judge_hops(&search, &found, &route);
			if (question->destination.family == AF_INET)
				judge_defaults(&search, &found);
		}
	}
	free(work.candidates);
	free(work.tables);
	if (work.too_much)
		return -E2BIG;
	if (!rc)
		*ret_route = route;
	return rc;
}
