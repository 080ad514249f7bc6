/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* multi-rail-arp and rdma-cm-route: several RDMA netdevs on one host. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "doctor/roce/roce.h"
#include "host/endpoint/endpoint_search.h"

#define IPV4_CONF "proc/sys/net/ipv4/conf"

/* Each is compared with all others, and a saved tree may come from anyone. */
enum { RAILS_MOST = 1024 };

/* A subnet of an RDMA port's netdev. */
struct rail {
	const struct link *link;
	struct ip_network subnet;
};

struct rails {
	struct rail *items;
	size_t count;
};

static void rails_clear(struct rails *rails)
{
	free(rails->items);
}

static bool has_rdma_port(const struct doctor_context *run, const struct link *link)
{
	for_each_port (device, port, &run->facts->inventory.devices)
		if (endpoint_is_of_port(&run->facts->inventory, port, link))
			return true;
	return false;
}

static void add_rail(struct rails *rails, const struct link *link, const struct ip_network *subnet)
{
	struct rail *rail;

	for (size_t i = 0; i < rails->count; i++)
		if (rails->items[i].link == link && rails->items[i].subnet.bits == subnet->bits &&
		    ip_network_contains(&rails->items[i].subnet, &subnet->address))
			return;
	if (rails->count == RAILS_MOST)
		return;
	rail = mem_append(&rails->items, &rails->count, sizeof(*rail));
	*rail = (struct rail){.link = link, .subnet = *subnet};
}

/* Returns an IPv4 address with its host bits cleared. */
static struct ip_address network_address(const struct ip_address *ip, uint64_t bits)
{
	struct ip_address network = *ip;

	for (unsigned int bit = 0; bit < 32; bit++)
		if (bit >= bits)
			network.raw[bit / 8] &= (uint8_t) ~(0x80u >> bit % 8);
	return network;
}

/* ARP is for IPv4 only; a /32 has no neighbours, as it is a subnet by itself. */
static void add_addresses(const struct doctor_context *run, struct rails *rails)
{
	const struct inventory *inventory = &run->facts->inventory;

	for_each (address, &inventory->addresses) {
		const struct link *link = link_by_index(&inventory->links, &address->link_index);
		const struct ip_network subnet = {
			.address = network_address(&address->ip, address->prefix_length.value),
			.bits = (unsigned int)address->prefix_length.value,
		};

		if (address->ip.family == AF_INET && subnet.bits < 32 && link &&
		    link->enabled != TRISTATE_NO && has_rdma_port(run, link))
			add_rail(rails, link, &subnet);
	}
}

/*
 * Parses "eth0 000A0A0A 00000000 0001 0 0 0 00FFFFFF ...": netdev, destination, gateway and flags,
 * four columns later the mask; addresses are numbers in host byte order (fib_route_seq_show(),
 * net/ipv4/fib_trie.c). An IPv6 gateway is printed as 0, too, but has the flag: fib_flag_trans().
 * The saved trees are from little-endian hosts.
 */
static bool parse_route_line(const char *line, char name[static 16], struct ip_network *ret_subnet)
{
	enum { GATEWAY = 2 }; /* RTF_GATEWAY, linux/route.h */
	unsigned int destination, flags, mask;

	if (sscanf(line, "%15s %8x %*x %4x %*d %*d %*d %8x", name, &destination, &flags, &mask) !=
		    4 ||
	    flags & GATEWAY || !mask)
		return false;
	*ret_subnet = (struct ip_network){.address.family = AF_INET,
					  .bits = (unsigned int)__builtin_popcount(mask)};
	for (int i = 0; i < 4; i++)
		ret_subnet->address.raw[i] = (uint8_t)(destination >> 8 * i);
	return ret_subnet->bits < 32;
}

/* A saved tree has no addresses, but may have the routes to the subnets. */
static int add_routes(const struct doctor_context *run, struct rails *rails)
{
	_cleanup_(freep) char *text = NULL;
	int rc = sysfs_read_file(&run->facts->root, &text, "proc/net/route");
	char *rest = text;

	for (char *line; rails->count < RAILS_MOST && (line = strsep(&rest, "\n"));) {
		struct ip_network subnet;
		char name[16];
		const struct link *link;

		if (!parse_route_line(line, name, &subnet))
			continue;
		link = link_by_name(&run->facts->inventory.links, name);
		if (link && has_rdma_port(run, link))
			add_rail(rails, link, &subnet);
	}
	return rc;
}

/*
 * Whether the netdev answers for the other one's addresses by default. Addresses in a VRF are local
 * only in its own table: fib_add_ifaddr(), net/ipv4/fib_frontend.c.
 */
static bool may_answer_for(const struct doctor_context *run, const struct link *link,
			   const struct link *other)
{
	const struct link_list *links = &run->facts->inventory.links;
	const uint32_t vrf = link_vrf_index(links, other);

	return link != other && (!vrf || vrf == link_vrf_index(links, link));
}

/* Returns another RDMA netdev in the same subnet, or NULL. */
static const struct rail *find_neighbour(const struct doctor_context *run,
					 const struct rails *rails, const struct rail *rail)
{
	for (size_t i = 0; i < rails->count; i++)
		if (may_answer_for(run, rail->link, rails->items[i].link) &&
		    ip_network_contains(&rails->items[i].subnet, &rail->subnet.address))
			return &rails->items[i];
	return NULL;
}

/*
 * Reads a setting whose larger value counts, that of all netdevs or of this one
 * (Documentation/networking/ip-sysctl.rst: arp_ignore, arp_announce, rp_filter; for the flag
 * arp_filter, the larger value is the "or" of both).
 */
static int read_larger(const struct doctor_context *run, const struct link *link,
		       const char *setting, int64_t *ret_value)
{
	int64_t all, own;
	int rc = doctor_read_signed(run->facts, &all, IPV4_CONF "/all/%s", setting);

	if (!rc)
		rc = doctor_read_signed(run->facts, &own, IPV4_CONF "/%s/%s", link->name, setting);
	if (!rc)
		*ret_value = all > own ? all : own;
	return rc;
}

/*
 * 1 and 2 restrict replies or requests to the netdev's addresses, and 8 of arp_ignore replies to
 * none; other values do not restrict (3: only addresses of scope host are excluded): arp_ignore()
 * and arp_solicit(), net/ipv4/arp.c.
 */
enum { ARP_IGNORE_ALL = 8 };

static bool is_strict(int64_t value)
{
	return value == 1 || value == 2;
}

/* The larger value counts, so setting that of `all` alone is not enough. */
static void advise_less(struct doctor_context *run, const struct link *link)
{
	_cleanup_(freep) char *name = text_quote(link->name);

	doctor_next_step(run,
			 "sysctl net/ipv4/conf/all/arp_ignore=1 net/ipv4/conf/%s/arp_ignore=1, "
			 "and the same lines in /etc/sysctl.d",
			 name);
}

static struct judged judge_arp(struct doctor_context *run, const struct rail *rail,
			       const struct rail *neighbour)
{
	char subnet[IP_TEXT_SIZE];
	int64_t ignore = 0, announce = 0, filter = 0;
	int rc = read_larger(run, rail->link, "arp_ignore", &ignore);

	if (!rc)
		rc = read_larger(run, rail->link, "arp_announce", &announce);
	if (!rc)
		rc = read_larger(run, rail->link, "arp_filter", &filter);
	doctor_object(run, "%s", rail->link->name);
	if (rc == -ENOENT)
		return doctor_not_checked(run, 0, "the netdev has no ARP settings");
	if (rc)
		return doctor_unread(run, "the ARP settings of the netdev", "/" IPV4_CONF, rc,
				     false);
	ip_format(&rail->subnet.address, subnet);
	doctor_evidence(run, "/" IPV4_CONF,
			"%s/%u is also on %s; arp_ignore %d, arp_announce %d, each the larger of "
			"all and %s (should be 1 or 2)%s",
			subnet, rail->subnet.bits, neighbour->link->name, (int)ignore,
			(int)announce, rail->link->name, filter ? "; arp_filter 1" : "");
	if (ignore == ARP_IGNORE_ALL)
		advise_less(run, rail->link);
	if (is_strict(ignore) && is_strict(announce))
		return doctor_ok(run, "the netdev answers ARP for its own addresses only");
	if (ignore == ARP_IGNORE_ALL)
		return doctor_warning(
			run,
			"the netdev answers no ARP requests, so peers cannot find its addresses");
	if (filter && !is_strict(ignore))
		return doctor_note(
			run, "arp_filter lets the routing table choose which netdev answers ARP: "
			     "right only with a source rule for each netdev");
	if (!is_strict(ignore))
		return doctor_warning(run,
				      "several netdevs are in one subnet, and each answers ARP for "
				      "the addresses of the others");
	return doctor_warning(run, "several netdevs are in one subnet, and an ARP request of one "
				   "may carry the address of another");
}

struct judged check_multi_rail_arp(struct doctor_context *run)
{
	_cleanup_(rails_clear) struct rails rails = {.items = NULL};
	int rc = 0;

	if (run->facts->inventory.answers)
		add_addresses(run, &rails);
	else
		rc = add_routes(run, &rails);
	if (rc == -ENOENT)
		return doctor_not_checked(run, NEEDS_LIVE,
					  "a saved tree does not hold the addresses");
	if (rc)
		return doctor_unread(run, "the routing table", "/proc/net/route", rc, false);
	if (rails.count == RAILS_MOST)
		return doctor_not_checked(run, 0,
					  "the RDMA netdevs have too many subnets to compare");
	for (size_t i = 0; i < rails.count; i++) {
		const struct rail *neighbour = find_neighbour(run, &rails, &rails.items[i]);

		if (neighbour)
			judge_arp(run, &rails.items[i], neighbour);
	}
	return run->verdicts ? doctor_judged(run) : doctor_does_not_apply(run);
}

static bool is_own(const struct inventory *inventory, const struct ip_address *ip)
{
	for_each (address, &inventory->addresses)
		if (ip_equal(&address->ip, ip))
			return true;
	return false;
}

/*
 * Whether it is the first or last address of its subnet, which no host has unless there are no
 * others.
 */
static bool is_first_or_last(const struct ip_address *ip, unsigned int bytes,
			     unsigned int host_bits)
{
	unsigned int ones = 0;

	for (unsigned int bit = 0; bit < host_bits; bit++)
		ones += ip->raw[bytes - 1 - bit / 8] >> bit % 8 & 1;
	return host_bits > 1 && (!ones || ones == host_bits);
}

/*
 * Returns the next address of the same subnet that a peer may have: *flip, 0 at first, holds the
 * differing bits. With `ends`: only the first and the last address. False: no more addresses.
 */
static bool next_peer(const struct inventory *inventory, const struct link_address *address,
		      bool ends, unsigned int *flip, struct ip_address *ret_peer)
{
	const unsigned int bytes = address->ip.family == AF_INET ? 4 : 16;
	const uint64_t bits = address->prefix_length.value;

	while (address->prefix_length.known && bits < bytes * 8 && ++*flip < 256) {
		const unsigned int host_bits = bytes * 8 - (unsigned int)bits;

		if (host_bits < 8 && *flip >= 1u << host_bits)
			break;
		*ret_peer = address->ip;
		ret_peer->raw[bytes - 1] ^= (uint8_t)*flip;
		if (is_first_or_last(ret_peer, bytes, host_bits) == ends &&
		    !is_own(inventory, ret_peer))
			return true;
	}
	return false;
}

struct route_survey {
	size_t addresses, no_room, unrouted, filtered;
	int rc; /* of a failed query */
};

/* Whether the best route leaves by another netdev; a multipath route names no single one. */
static bool leaves_by_other(const struct route *route, const struct link *link)
{
	return route->link_index.known && route->link_index.value != link->index.value;
}

static const char *other_name(const struct doctor_context *run, const struct route *route)
{
	const struct link *link = link_by_index(&run->facts->inventory.links, &route->link_index);

	return link ? link->name : "another netdev";
}

/* Strict source validation also drops ARP requests: fib_validate_source(), net/ipv4. */
static void ask_filter(struct doctor_context *run, struct netlink *rtnl,
		       const struct route_question *asked, const struct link *link,
		       const char *peer, struct route_survey *survey)
{
	struct route_question any = *asked;
	struct route route;
	int64_t strict = 0;

	any.link_index = 0;
	any.in_table = false;
	if (asked->destination.family != AF_INET || rtnl_get_route(rtnl, &any, &route) ||
	    !leaves_by_other(&route, link) || read_larger(run, link, "rp_filter", &strict) ||
	    strict != 1)
		return;
	doctor_evidence(run, "/" IPV4_CONF,
			"rp_filter of %s is 1 (strict), and the best route back to %s leaves by %s",
			link->name, peer, other_name(run, &route));
	survey->filtered++;
}

/* Queries possible peers until one gives an answer, which -ENODATA is not; 1: there was no peer. */
static int ask_peers(const struct inventory *inventory, struct netlink *rtnl,
		     const struct link_address *address, bool ends, struct route_question *question,
		     struct route *ret_route)
{
	struct ip_address peer;
	unsigned int flip = 0;
	int rc = 1;

	while ((rc > 0 || rc == -ENODATA) && next_peer(inventory, address, ends, &flip, &peer)) {
		question->destination = peer;
		rc = rtnl_get_route(rtnl, question, ret_route);
	}
	return rc;
}

/*
 * Asks what rdma_cm asks about the sender of each request: validate_ipv4_net_dev() and
 * validate_ipv6_net_dev(), core/cma.c. It accepts only a route by the netdev that received the
 * request.
 */
static void ask_route(struct doctor_context *run, struct netlink *rtnl,
		      const struct link_address *address, const struct link *link,
		      struct route_survey *survey)
{
	struct route_question question = {.source = address->ip,
					  .link_index = (unsigned int)link->index.value,
					  .in_table = true};
	char own[IP_TEXT_SIZE], peer[IP_TEXT_SIZE];
	struct route route = {.local = false};
	int rc;

	survey->addresses++;
	/*
	 * An anonymised snapshot has the answer for one peer only, which need not be the first one
	 * here, and may have become the first or last address of the subnet.
	 */
	rc = ask_peers(&run->facts->inventory, rtnl, address, false, &question, &route);
	if (rc == -ENODATA) {
		const int at_ends = ask_peers(&run->facts->inventory, rtnl, address, true,
					      &question, &route);

		rc = at_ends > 0 ? rc : at_ends;
	}
	/* There was no peer to ask about. */
	if (rc > 0) {
		survey->no_room++;
		return;
	}
	ip_format(&address->ip, own);
	ip_format(&question.destination, peer);
	if (!rc && !leaves_by_other(&route, link)) {
		ask_filter(run, rtnl, &question, link, peer, survey);
		return;
	}
	if (rc == -EBADMSG || rc == -ETIMEDOUT || rc == -ENOBUFS || rc == -ENODATA) {
		survey->rc = rc;
		return;
	}
	doctor_evidence(run, "rtnetlink RTM_GETROUTE", "from %s on %s to its neighbour %s: %s", own,
			link->name, peer, rc ? strerror(-rc) : other_name(run, &route));
	survey->unrouted++;
}

static struct judged judge_routes(struct doctor_context *run, const struct route_survey *survey)
{
	const size_t asked = survey->addresses - survey->no_room;

	if (survey->unrouted)
		return doctor_warning(
			run, "rdma_cm rejects connection requests: the port has no route back "
			     "to its own subnet");
	if (survey->filtered) {
		doctor_next_step(
			run, "add a source rule for each netdev (ip rule add from ADDRESS table "
			     "N), or use loose validation: sysctl net.ipv4.conf.all.rp_filter=2");
		return doctor_warning(
			run, "strict source validation drops ARP requests from neighbours, "
			     "because the route back leaves by another netdev");
	}
	if (survey->rc)
		return doctor_unread(run, "the route", "rtnetlink", survey->rc, false);
	if (!survey->addresses)
		return doctor_not_checked(run, 0, "the port has no IP address");
	if (!asked)
		return doctor_not_checked(
			run, 0,
			"the netmask leaves no room for a neighbour, so its peers are not known");
	doctor_evidence(run, "rtnetlink RTM_GETROUTE", "%zu address%s checked", asked,
			asked == 1 ? "" : "es");
	return doctor_ok(run, "the route back to the port's own subnets leaves by its netdev");
}

struct judged check_rdma_cm_route(struct doctor_context *run)
{
	const struct inventory *inventory = &run->facts->inventory;
	struct route_survey survey = {.rc = 0};
	struct netlink *rtnl;
	int rc;

	if (!roce_own_netdev(run))
		return doctor_judged(run);
	rtnl = roce_rtnl(run->facts, &rc);
	if (!rtnl)
		return doctor_unread(run, "the routes", "rtnetlink", rc, false);
	for_each (address, &inventory->addresses) {
		const struct link *link = link_by_index(&inventory->links, &address->link_index);

		if (link && link->enabled == TRISTATE_YES && !ip_is_link_local(&address->ip) &&
		    endpoint_is_of_port(inventory, run->port, link))
			ask_route(run, rtnl, address, link, &survey);
	}
	return judge_routes(run, &survey);
}

/* iWARP connections use TCP, for which rdma_cm needs no route: iw_conn_req_handler(), cma.c. */
bool roce_has_cm_netdev(struct doctor_context *run)
{
	return run->port->netdev && run->device->transport.known &&
	       run->device->transport.value != TRANSPORT_IWARP;
}
