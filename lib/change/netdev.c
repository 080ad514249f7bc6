/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "change/netdev.h"

#include <errno.h>
#include <string.h>

#include <linux/if.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/gid.h"
#include "base/mem.h"
#include "change/session.h"
#include "host/rtnl.h"

bool netdev_name_valid(const char *name)
{
	const size_t length = strlen(name);

	if (!length || length >= IFNAMSIZ || !strcmp(name, ".") || !strcmp(name, ".."))
		return false;
	/* The kernel also allows other bytes, which should reach neither shell nor terminal. */
	for (const char *c = name; *c; c++)
		if (*c <= ' ' || *c > '~' || strchr("/:%", *c))
			return false;
	return true;
}

void netdev_note_unseen(struct change *change, const char *what, int rc, bool missing)
{
	if (rc || missing)
		change_note(change, "%s of the netdev cannot all be seen: %s", what,
			    rc ? strerror(-rc) : "the netdevs changed while they were read");
}

int netdev_links(struct change_host *host, const struct link_list **ret_links)
{
	struct link_list **links = &change_host_base(host)->links;
	struct netlink *rtnl;
	int rc = change_host_rtnl(host, &rtnl);

	if (!*links)
		*links = mem_alloc_zero(1, sizeof(**links));
	if (!rc && !(*links)->count) {
		rc = rtnl_get_links(rtnl, *links);
		link_list_sort(*links);
	}
	*ret_links = *links;
	return rc;
}

/* Passes a mark on to the other netdev, if there is one. Returns whether the mark is new. */
static bool pass_mark(const struct link_list *links, bool *marks, const struct link *from,
		      const struct link *to)
{
	if (!from || !to || !marks[from - links->items] || marks[to - links->items])
		return false;
	marks[to - links->items] = true;
	return true;
}

void netdev_mark(const struct link_list *links, bool *marks,
		 bool (*keeps_lower)(const struct link *))
{
	bool more = true;

	while (more) {
		more = false;
		for_each (link, links) {
			const struct link *master = link_by_index(links, &link->master_index);
			const struct link *lower = link_by_index(links, &link->lower_index);

			if (link->lower_elsewhere)
				lower = NULL;
			more |= pass_mark(links, marks, link, master);
			more |= pass_mark(links, marks, lower, link);
			more |= keeps_lower && pass_mark(links, marks, master, link);
			more |= keeps_lower && !keeps_lower(link) &&
				pass_mark(links, marks, link, lower);
		}
	}
}

/* IPv6 addresses are lost with IFF_UP: addrconf_ifdown(), net/ipv6/addrconf.c. */
static void note_addresses(struct change *change, const struct link *link, bool goes)
{
	_cleanup_(link_address_list_clear) struct link_address_list list = {0};
	struct netlink *rtnl;
	int rc = change_host_rtnl(change->host, &rtnl) ?: rtnl_get_addresses(rtnl, &list);

	netdev_note_unseen(change, "the addresses", rc, list.missing);
	for_each (address, &list) {
		char text[IP_TEXT_SIZE];

		if (address->link_index.value != link->index.value)
			continue;
		ip_format(&address->ip, text);
		change_note(change, "%s has the address %s%s", link->name, text,
			    goes			     ? ", which is lost with it"
			    : address->ip.family == AF_INET6 ? ", which is lost when it goes down"
							     : "");
	}
}

void netdev_note_users(struct change *change, unsigned int index, bool goes)
{
	const struct number number = number_of(index);
	const struct link_list *links;
	const struct link *link;
	int rc = netdev_links(change->host, &links);

	netdev_note_unseen(change, "the netdevs on top", rc, links->missing);
	link = link_by_index(links, &number);
	if (!link)
		return;
	change_guard_way(change, link->name, goes ? WAY_IS_GONE : WAY_COMES_UP);
	note_addresses(change, link, goes);
	if (!goes)
		change_note(change,
			    "the routes over %s via gateways, and others that were added, are lost "
			    "when it goes down",
			    link->name);
	for_each (upper, links)
		if (!upper->lower_elsewhere && number_is(&upper->lower_index, index))
			change_note(change, "%s is on top of %s", upper->name, link->name);
	if (link->master_index.known)
		change_note(change, "%s is a member of %s", link->name,
			    link_by_index(links, &link->master_index)
				    ? link_by_index(links, &link->master_index)->name
				    : "another netdev");
}

int netdev_read_link(struct change *change, struct link_list *list)
{
	struct netlink *rtnl;
	int rc = change->netdev_index.known ? change_host_rtnl(change->host, &rtnl) : -ENODEV;

	return rc ?: rtnl_get_link(rtnl, (unsigned int)change->netdev_index.value, NULL, list);
}

int netdev_write_up(struct change *change, unsigned int index, bool up)
{
	const struct ifinfomsg header = {
		.ifi_family = AF_UNSPEC,
		.ifi_index = (int)index,
		.ifi_flags = up ? IFF_UP : 0,
		.ifi_change = IFF_UP,
	};
	struct netlink_request request = {.count = 0};
	struct netlink *rtnl;
	int rc = change_host_rtnl(change->host, &rtnl);

	if (rc)
		return rc;
	netlink_add(&request, RTM_NEWLINK, NLM_F_ACK, &header, sizeof(header));
	return netlink_ask_plain(rtnl, &request, NULL);
}
