/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/rtnl.h"

#include <errno.h>
#include <string.h>

#include <linux/if.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/attributes.h"
#include "kernel/netlink/netlink.h"

static const struct nla_policy link_policy[IFLA_MAX_MTU + 1] = {
	[IFLA_OPERSTATE] = {.type = NLA_U8},	    [IFLA_MTU] = {.type = NLA_U32},
	[IFLA_MASTER] = {.type = NLA_U32},	    [IFLA_LINK] = {.type = NLA_U32},
	[IFLA_CARRIER_CHANGES] = {.type = NLA_U32}, [IFLA_MAX_MTU] = {.type = NLA_U32},
};

static const struct nla_policy info_policy[IFLA_INFO_DATA + 1];

/* Each kind of netdev numbers its IFLA_INFO_DATA attributes separately. */
_Static_assert((int)IFLA_IPOIB_PKEY == (int)IFLA_VLAN_ID, "one policy for both kinds");
static const struct nla_policy kind_policy[IFLA_IPOIB_UMCAST + 1] = {
	[IFLA_VLAN_ID] = {.type = NLA_U16},
};

static const struct nla_policy address_policy[IFA_LOCAL + 1];

static const struct nla_policy route_policy[RTA_VIA + 1] = {
	[RTA_OIF] = {.type = NLA_U32},
	[RTA_VIA] = {.minlen = sizeof(uint16_t)},
};

int rtnl_open(const struct root *root, struct netlink **ret_rtnl)
{
	return netlink_open(root, NETLINK_ROUTE, NETLINK_LARGEST_MESSAGE, ret_rtnl);
}

/* Parses IFLA_LINKINFO: the kind of a virtual netdev, and the number specific to this kind. */
static int fill_kind(const struct nlattr *nest, struct link *link)
{
	struct nlattr *table[ARRAY_SIZE(info_policy)], *data[ARRAY_SIZE(kind_policy)];
	struct number *number = NULL;

	if (!nest)
		return 0;
	if (netlink_parse_nest(nest, table, ARRAY_SIZE(table), info_policy))
		return -EBADMSG;
	netlink_get_text(table[IFLA_INFO_KIND], &link->kind);
	if (link->kind && !strcmp(link->kind, "vlan"))
		number = &link->vlan_id;
	else if (link->kind && !strcmp(link->kind, "ipoib"))
		number = &link->pkey;
	if (!number || !table[IFLA_INFO_DATA])
		return 0;
	if (netlink_parse_nest(table[IFLA_INFO_DATA], data, ARRAY_SIZE(data), kind_policy))
		return -EBADMSG;
	if (number == &link->pkey &&
	    (netlink_get_number(data[IFLA_IPOIB_MODE], &link->ipoib_mode) ||
	     netlink_get_number(data[IFLA_IPOIB_UMCAST], &link->umcast)))
		return -EBADMSG;
	return netlink_get_number(data[IFLA_VLAN_ID], number);
}

int rtnl_parse_link(const void *payload, size_t length, struct link *link)
{
	struct nlattr *table[ARRAY_SIZE(link_policy)];
	const struct ifinfomsg *header = payload;

	if (netlink_parse(payload, length, sizeof(*header), table, ARRAY_SIZE(table), link_policy))
		return -EBADMSG;
	number_set(&link->index, (unsigned int)header->ifi_index);
	number_set(&link->type, header->ifi_type);
	link->enabled = header->ifi_flags & IFF_UP ? TRISTATE_YES : TRISTATE_NO;
	link->running = header->ifi_flags & IFF_RUNNING ? TRISTATE_YES : TRISTATE_NO;
	link->carrier = header->ifi_flags & IFF_LOWER_UP ? TRISTATE_YES : TRISTATE_NO;
	netlink_get_text(table[IFLA_IFNAME], &link->name);
	if (attributes_take(&link_attributes, table, link))
		return -EBADMSG;
	link_find_port_guid(link);
	/* A tunnel that is not bound to a netdev reports 0. */
	if (!link->lower_index.value)
		link->lower_index.known = false;
	link->lower_elsewhere = link->lower_index.known && table[IFLA_LINK_NETNSID];
	return fill_kind(table[IFLA_LINKINFO], link);
}

int rtnl_set_mtu(struct netlink *rtnl, unsigned int index, uint32_t mtu, char **ret_text)
{
	const struct ifinfomsg header = {.ifi_index = (int)index};
	struct netlink_request request = {.count = 0};

	netlink_add(&request, RTM_NEWLINK, NLM_F_ACK, &header, sizeof(header));
	netlink_put_u32(&request, IFLA_MTU, mtu);
	return netlink_ask_plain(rtnl, &request, ret_text);
}

/* Returns the number of bytes of an address, or 0 for a family other than IPv4 and IPv6. */
static size_t family_bytes(unsigned int family)
{
	if (family == AF_INET)
		return 4;
	return family == AF_INET6 ? 16 : 0;
}

static int fill_ip(const void *bytes, size_t length, unsigned int family, struct known_ip *ip)
{
	if (!family_bytes(family) || length != family_bytes(family))
		return -EBADMSG;
	ip->address.family = (uint8_t)family;
	memcpy(ip->address.raw, bytes, length);
	ip->known = true;
	return 0;
}

int rtnl_get_ip(const struct nlattr *attribute, unsigned int family, struct known_ip *ip)
{
	if (!attribute)
		return 0;
	return fill_ip(nla_data(attribute), (size_t)nla_len(attribute), family, ip);
}

int rtnl_parse_address(const void *payload, size_t length, struct link_address *address)
{
	struct nlattr *table[ARRAY_SIZE(address_policy)];
	const struct ifaddrmsg *header = payload;
	struct known_ip ip = {0};

	if (netlink_parse(payload, length, sizeof(*header), table, ARRAY_SIZE(table),
			  address_policy))
		return -EBADMSG;
	if (!family_bytes(header->ifa_family))
		return -EAFNOSUPPORT;
	/* On a point-to-point netdev IFA_ADDRESS is the peer's (linux/if_addr.h). */
	if (rtnl_get_ip(table[IFA_LOCAL] ? table[IFA_LOCAL] : table[IFA_ADDRESS],
			header->ifa_family, &ip) ||
	    !ip.known)
		return -EBADMSG;
	address->ip = ip.address;
	number_set(&address->link_index, header->ifa_index);
	number_set(&address->prefix_length, header->ifa_prefixlen);
	return 0;
}

int rtnl_get_via(const struct nlattr *attribute, struct known_ip *ip)
{
	const uint8_t *data;
	uint16_t family;

	if (!attribute)
		return 0;
	if ((size_t)nla_len(attribute) < sizeof(family))
		return -EBADMSG;
	data = nla_data(attribute);
	memcpy(&family, data, sizeof(family));
	return fill_ip(data + sizeof(family), (size_t)nla_len(attribute) - sizeof(family), family,
		       ip);
}

int rtnl_route_error(unsigned int type)
{
	switch (type) {
	case RTN_THROW:
		return -EAGAIN;
	case RTN_BLACKHOLE:
		return -EINVAL;
	case RTN_UNREACHABLE:
		return -EHOSTUNREACH;
	case RTN_PROHIBIT:
		return -EACCES;
	default:
		return 0;
	}
}

int rtnl_parse_route(void *record, const void *payload, size_t length)
{
	struct route *route = record;
	struct nlattr *table[ARRAY_SIZE(route_policy)];
	const struct rtmsg *header = payload;

	if (netlink_parse(payload, length, sizeof(*header), table, ARRAY_SIZE(table),
			  route_policy) ||
	    netlink_get_number(table[RTA_OIF], &route->link_index) ||
	    rtnl_get_ip(table[RTA_PREFSRC], header->rtm_family, &route->source) ||
	    rtnl_get_ip(table[RTA_GATEWAY], header->rtm_family, &route->gateway) ||
	    rtnl_get_via(table[RTA_VIA], &route->gateway))
		return -EBADMSG;
	route->local = header->rtm_type == RTN_LOCAL;
	return rtnl_route_error(header->rtm_type);
}

/* Notices may lack the name, but the kernel's replies always have one: rtnl_fill_ifinfo(). */
static int take_answer(void *list, const void *payload, size_t length)
{
	struct link *link = link_list_add(list);
	int rc = rtnl_parse_link(payload, length, link);

	return !rc && !link->name ? -EBADMSG : rc;
}

static void forget_links(void *list)
{
	link_list_clear(list);
}

int rtnl_get_links(struct netlink *rtnl, struct link_list *list)
{
	static const struct {
		struct ifinfomsg header;
		struct nlattr mask;
		uint32_t mask_value;
	} question = {
		.header = {.ifi_family = AF_UNSPEC},
		.mask = {sizeof(struct nlattr) + sizeof(uint32_t), IFLA_EXT_MASK},
		.mask_value = RTEXT_FILTER_SKIP_STATS,
	};
	const struct netlink_table table = {RTM_GETLINK, &question,    sizeof(question),
					    take_answer, forget_links, list};
	int rc = netlink_dump_table(rtnl, &table);

	if (rc && rc != -EINTR)
		link_list_clear(list);
	else
		list->missing = list->incomplete = rc;
	return rc == -EINTR ? 0 : rc;
}

int rtnl_get_link(struct netlink *rtnl, unsigned int index, const char *name,
		  struct link_list *list)
{
	const struct ifinfomsg header = {.ifi_family = AF_UNSPEC, .ifi_index = (int)index};
	struct netlink_request request = {0};

	/* The kernel refuses a longer name with -ERANGE or -EINVAL; no netdev can have it. */
	if (!index && strlen(name) >= IFNAMSIZ)
		return -ENODEV;
	netlink_add(&request, RTM_GETLINK, 0, &header, sizeof(header));
	if (!index)
		netlink_put_string(&request, IFLA_IFNAME, name);
	return netlink_ask(rtnl, &request, take_answer, list);
}

static int take_listed_address(void *context, const void *payload, size_t length)
{
	struct link_address_list *list = context;
	struct link_address address = {0};
	int error = rtnl_parse_address(payload, length, &address);

	if (error)
		return error == -EAFNOSUPPORT ? 0 : error;
	MEM_ADD(list->items, list->count) = address;
	return 0;
}

static void forget_addresses(void *list)
{
	link_address_list_clear(list);
}

int rtnl_get_addresses(struct netlink *rtnl, struct link_address_list *list)
{
	const struct ifaddrmsg header = {.ifa_family = AF_UNSPEC};
	const struct netlink_table table = {RTM_GETADDR,	 &header,	   sizeof(header),
					    take_listed_address, forget_addresses, list};
	int rc = netlink_dump_table(rtnl, &table);

	if (rc && rc != -EINTR)
		link_address_list_clear(list);
	else
		list->missing = rc;
	return rc == -EINTR ? 0 : rc;
}

int rtnl_get_route(struct netlink *rtnl, const struct route_question *question,
		   struct route *ret_route)
{
	const struct ip_address *destination = &question->destination, *source = &question->source;
	size_t bytes = family_bytes(destination->family);
	const struct rtmsg header = {.rtm_family = destination->family,
				     .rtm_dst_len = (unsigned char)(bytes * 8),
				     .rtm_src_len = source->family ? (unsigned char)(bytes * 8) : 0,
				     .rtm_flags = question->in_table ? RTM_F_FIB_MATCH : 0};
	struct netlink_request request = {0};

	if (!bytes || (source->family && source->family != destination->family))
		return -EAFNOSUPPORT;
	netlink_add(&request, RTM_GETROUTE, 0, &header, sizeof(header));
	netlink_put(&request, RTA_DST, destination->raw, bytes);
	if (source->family)
		netlink_put(&request, RTA_SRC, source->raw, bytes);
	if (question->link_index)
		netlink_put_u32(&request, RTA_OIF, question->link_index);
	return netlink_ask_record(rtnl, &request, rtnl_parse_route, ret_route, sizeof(*ret_route));
}

/* Notifications of rtnetlink. */

int rtnl_listen(struct netlink **ret_notices)
{
	const unsigned int groups[] = {RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR};

	return netlink_open_groups(NETLINK_ROUTE, groups, ARRAY_SIZE(groups),
				   NETLINK_LARGEST_MESSAGE, ret_notices);
}

struct receiver {
	rtnl_notice_handler *handle;
	void *context;
	int error;
};

static int take_link(const void *payload, size_t length, bool deleted,
		     const struct receiver *receiver)
{
	_cleanup_(link_list_clear) struct link_list list = {0};
	struct rtnl_notice notice = {.deleted = deleted, .link = link_list_add(&list)};
	const struct ifinfomsg *header = payload;

	if (length < sizeof(*header))
		return -EBADMSG;
	/*
	 * A bridge also announces its ports here, and a port that leaves it is "deleted"
	 * (br_ifinfo_notify(), net/bridge/br_netlink.c).
	 */
	if (header->ifi_family != AF_UNSPEC)
		return 0;
	if (rtnl_parse_link(payload, length, &list.items[0]))
		return -EBADMSG;
	/* A notice from a wireless driver holds nothing else (net/wireless/wext-core.c). */
	if (list.items[0].name)
		receiver->handle(receiver->context, &notice);
	return 0;
}

static int take_address(const void *payload, size_t length, bool deleted,
			const struct receiver *receiver)
{
	struct link_address address = {0};
	const struct rtnl_notice notice = {.deleted = deleted, .address = &address};
	int error = rtnl_parse_address(payload, length, &address);

	if (!error)
		receiver->handle(receiver->context, &notice);
	return error == -EAFNOSUPPORT ? 0 : error;
}

static int take_message(void *context, const struct nlmsghdr *message)
{
	const struct receiver *receiver = context;
	const void *payload = nlmsg_data(message);
	size_t length = (size_t)nlmsg_datalen(message);

	switch (message->nlmsg_type) {
	case RTM_NEWLINK:
	case RTM_DELLINK:
		return take_link(payload, length, message->nlmsg_type == RTM_DELLINK, receiver);
	case RTM_NEWADDR:
	case RTM_DELADDR:
		return take_address(payload, length, message->nlmsg_type == RTM_DELADDR, receiver);
	default:
		return 0;
	}
}

int rtnl_take_notices(const void *datagram, size_t length, rtnl_notice_handler *handle,
		      void *context)
{
	struct receiver receiver = {.handle = handle, .context = context};

	return netlink_walk(datagram, length, take_message, &receiver);
}

/* A malformed message counts as lost. */
static void take_datagram(void *context, const void *datagram, size_t length)
{
	struct receiver *receiver = context;

	if (netlink_walk(datagram, length, take_message, receiver))
		receiver->error = -ENOBUFS;
}

int rtnl_read_notices(struct netlink *notices, rtnl_notice_handler *handle, void *context)
{
	struct receiver receiver = {.handle = handle, .context = context};
	int error = netlink_read(notices, take_datagram, &receiver);

	return error ? error : receiver.error;
}
