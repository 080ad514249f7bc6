/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Pause frames and the MTU of a netdev. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/gid.h"
#include "base/mem.h"
#include "base/text.h"
#include "change/dcb/netdev.h"
#include "change/netdev.h"
#include "host/rtnl.h"
#include "kernel/netlink/genl.h"

/*
 * The smallest MTU of IPv4 (net/ipv4/devinet.c, RFC 791), and an upper bound for any netdev: that
 * of lo is 65536, and dev_validate_mtu(), net/core/dev.c, checks each netdev's own limit.
 */
enum { LEAST_MTU = 68, MOST_MTU = INT32_MAX };
/* IPV6_MIN_MTU, RFC 8200, section 5 */
enum { LEAST_MTU_OF_IPV6 = 1280 };

static int find_family(struct change *change, struct netlink **ret_generic, uint16_t *ret_family)
{
	const char *const names[] = {ETHTOOL_FAMILY};
	int rc = change->netdev_index.known ? change_host_generic(change->host, ret_generic)
					    : -ENODEV;

	if (!rc)
		rc = genl_find(*ret_generic, names, ret_family, ARRAY_SIZE(names));
	return rc ? rc : *ret_family ? 0 : -EOPNOTSUPP;
}

static int get_pause(struct change *change, struct ethtool_pause *ret_pause)
{
	struct netlink *generic;
	uint16_t family;

	return find_family(change, &generic, &family)
		       ?: ethtool_get_pause(generic, family, (uint32_t)change->netdev_index.value,
					    ret_pause);
}

char *link_pause_value(const struct ethtool_pause *pause)
{
	const bool rx = pause->receive == TRISTATE_YES, tx = pause->transmit == TRISTATE_YES;
	const char *words = rx && tx ? "rx,tx" : rx ? "rx" : tx ? "tx" : "none";

	return mem_format("%s%s", words, pause->autoneg == TRISTATE_YES ? ",auto" : "");
}

char *link_pause_now(struct change *change)
{
	struct ethtool_pause pause;

	return get_pause(change, &pause) ? NULL : link_pause_value(&pause);
}

static bool parse_words(const char *text, struct ethtool_pause *pause)
{
	*pause = (struct ethtool_pause){TRISTATE_NO, TRISTATE_NO, TRISTATE_NO};
	for_each_word (word, text, ",") {
		if (!strcmp(word, "rx"))
			pause->receive = TRISTATE_YES;
		else if (!strcmp(word, "tx"))
			pause->transmit = TRISTATE_YES;
		else if (!strcmp(word, "auto"))
			pause->autoneg = TRISTATE_YES;
		else if (strcmp(word, "none") || word != word_all)
			return false;
	}
	return true;
}

static int parse_pause(struct change *change, const char *text, char **ret_value)
{
	struct ethtool_pause pause;

	if (!parse_words(text, &pause))
		return change_refuse_value(change, text,
					   "none, rx, tx or rx,tx, plus ,auto to negotiate them");
	*ret_value = link_pause_value(&pause);
	return 0;
}

static int read_pause(struct change *change, char **ret_value)
{
	struct ethtool_pause pause;
	int rc = get_pause(change, &pause);

	if (rc == -EOPNOTSUPP)
		change_explain(change, NULL, "the driver or kernel does not report pause frames");
	if (!rc)
		*ret_value = link_pause_value(&pause);
	return rc;
}

/*
 * ice_set_pauseparam() and i40e's return EOPNOTSUPP if the negotiation differs from that of the
 * link.
 */
static void explain_negotiation(struct change *change, struct ethtool_pause pause,
				enum tristate autoneg)
{
	_cleanup_(freep) char *value = NULL, *command = NULL, *step = NULL;

	pause.autoneg = autoneg;
	value = link_pause_value(&pause);
	command = change_as_command(change, value);
	step = mem_format("leave the negotiation as it is: %s", command);
	change_explain(
		change, step,
		"the driver cannot set pause frames, or cannot set whether they are negotiated");
}

static int write_pause(struct change *change, const char *value)
{
	_cleanup_(freep) char *text = NULL;
	struct ethtool_pause pause, now;
	struct netlink *generic;
	uint16_t family;
	int rc = find_family(change, &generic, &family) ?: get_pause(change, &now);

	if (rc)
		return rc;
	if (!parse_words(value, &pause))
		return -EINVAL;
	/* Drivers without negotiation refuse any request for it: mlx5e_ethtool_set_pauseparam(). */
	if (pause.autoneg == now.autoneg)
		pause.autoneg = TRISTATE_UNKNOWN;
	rc = ethtool_set_pause(generic, family, (uint32_t)change->netdev_index.value, &pause,
			       &text);
	if (rc == -EOPNOTSUPP && pause.autoneg != TRISTATE_UNKNOWN)
		explain_negotiation(change, pause, now.autoneg);
	else if (rc == -EOPNOTSUPP)
		change_explain(change, NULL, "the driver cannot set pause frames");
	else if (rc == -EINVAL)
		change_explain(change, NULL, "the driver does not accept these pause frames%s%s",
			       text ? ": " : "", text ? text : "");
	return rc;
}

/* The counterpart of guard_pfc(). */
static void guard_pause(struct change *change)
{
	const struct change *sibling = netdev_earlier(change, &dcb_pfc_setting);
	_cleanup_(freep) char *pfc = NULL;
	struct dcb dcb;

	if (!strncmp(change->wanted, "none", strlen("none")))
		return;
	if (sibling)
		pfc = mem_string(sibling->wanted);
	else if (!netdev_peek_dcb(change, &dcb) && dcb.pfc_known)
		pfc = priorities_text(dcb.pfc.pfc_en);
	if (pfc && strcmp(pfc, "none"))
		change_disturbs(change,
				"priority flow control, which pause frames rule out: pfc is %s",
				pfc);
}

static int parse_mtu(struct change *change, const char *text, char **ret_value)
{
	uint64_t mtu;

	if (text_parse_u64(text, 10, MOST_MTU, &mtu) || mtu < LEAST_MTU)
		return change_fail(
			change, -EINVAL, NULL,
			"'%s' is not a value of mtu: it takes a number of bytes, at least %d", text,
			LEAST_MTU);
	*ret_value = mem_format("%u", (unsigned int)mtu);
	return 0;
}

static int read_mtu(struct change *change, char **ret_value)
{
	_cleanup_(link_list_clear) struct link_list list = {0};
	int rc = netdev_read_link(change, &list);

	if (rc)
		return rc;
	if (!list.items[0].mtu_bytes.known)
		return -EOPNOTSUPP;
	*ret_value = mem_format("%u", (unsigned int)list.items[0].mtu_bytes.value);
	return 0;
}

static int write_mtu(struct change *change, const char *value)
{
	_cleanup_(freep) char *text = NULL;
	struct netlink *rtnl;
	uint64_t mtu;
	int rc = change->netdev_index.known ? change_host_rtnl(change->host, &rtnl) : -ENODEV;

	if (!rc)
		rc = text_parse_u64(value, 10, MOST_MTU, &mtu);
	if (!rc)
		rc = rtnl_set_mtu(rtnl, (unsigned int)change->netdev_index.value, (uint32_t)mtu,
				  &text);
	/* The kernel's message names the limit: dev_validate_mtu(), net/core/dev.c. */
	if (rc && text)
		change_explain(change, NULL, "the kernel refuses it: %s", text);
	else if (rc == -EINVAL || rc == -ERANGE)
		change_explain(change, NULL, "the driver does not accept this MTU");
	return rc;
}

/* Below that MTU addrconf_notify(), net/ipv6/addrconf.c, removes IPv6 from the netdev for good. */
static void guard_ipv6(struct change *change, struct netlink *rtnl)
{
	_cleanup_(link_address_list_clear) struct link_address_list list = {0};
	_cleanup_(freep) char *addresses = NULL;
	const int rc = rtnl_get_addresses(rtnl, &list);
	char text[IP_TEXT_SIZE];

	netdev_note_unseen(change, "the addresses", rc, list.missing);
	for (size_t i = 0; i < list.count; i++) {
		if (list.items[i].ip.family != AF_INET6 ||
		    list.items[i].link_index.value != change->netdev_index.value)
			continue;
		ip_format(&list.items[i].ip, text);
		mem_extend(&addresses, "%s%s", addresses ? ", " : "", text);
	}
	if (addresses)
		change_disturbs(change,
				"IPv6, which needs at least %d bytes: %s would be lost, and "
				"undoing the change does not restore that",
				LEAST_MTU_OF_IPV6, addresses);
}

/*
 * vlan_device_event(), net/8021q/vlan.c, and macvlan_device_event() lower the MTU, but never raise
 * it again. Their own MTU moves nothing below.
 */
static bool only_shrinks(const struct link *upper)
{
	return upper->kind &&
	       text_has_word("vlan macvlan macvtap", " ", upper->kind, strlen(upper->kind));
}

static bool goes_down_with(const struct link *upper, uint64_t index, uint64_t mtu)
{
	return only_shrinks(upper) && !upper->lower_elsewhere &&
	       number_is(&upper->lower_index, index) && upper->mtu_bytes.value > mtu;
}

/* Whether the same list sets the MTU of that netdev, so that undoing the list raises it again. */
static bool is_listed(const struct change *change, const struct link *link)
{
	const struct change *other = change->all ? change->all->items : NULL;

	for (size_t i = 0; other && i < change->all->count; i++, other++)
		if (other->setting == change->setting &&
		    number_is(&other->netdev_index, link->index.value))
			return true;
	return false;
}

static void note_links(struct change *change, uint64_t mtu)
{
	const struct link_list *links;
	const int rc = netdev_links(change->host, &links);

	netdev_note_unseen(change, "the netdevs on top", rc, links->missing);
	for_each (link, links) {
		/* The kernel refuses more than that: dev_validate_mtu(), net/core/dev.c. */
		if (link->index.value == change->netdev_index.value && link->max_mtu_bytes.value &&
		    mtu > link->max_mtu_bytes.value)
			change_note(change, "the driver of %s takes %u at most", link->name,
				    (unsigned int)link->max_mtu_bytes.value);
		if (goes_down_with(link, change->netdev_index.value, mtu))
			change_note(change, "the MTU of %s on top of it shrinks with it, from %u%s",
				    link->name, (unsigned int)link->mtu_bytes.value,
				    is_listed(change, link) ? ""
							    : ", and undoing the change does not "
							      "raise that again");
	}
}

static void guard_mtu(struct change *change)
{
	struct netlink *rtnl;
	uint64_t mtu;

	if (text_parse_u64(change->wanted, 10, MOST_MTU, &mtu) ||
	    change_host_rtnl(change->host, &rtnl))
		return;
	if (mtu < LEAST_MTU_OF_IPV6)
		guard_ipv6(change, rtnl);
	note_links(change, mtu);
}

/*
 * What may move with the netdev, and so on: the netdevs on top, and the members of a bond,
 * bond_change_mtu(), which may be bonds themselves; of a switch's port also the conduit below and
 * the other ports of its bridge, dsa_user_change_mtu().
 */
static void mark_mtu_followers(const struct change *change, bool *marks)
{
	const struct link_list *links;
	const bool seen = !netdev_links(change->host, &links) && !links->missing;
	_cleanup_(freep) bool *follow = mem_alloc_zero(links->count, sizeof(*follow));
	const struct link *own = link_by_index(links, &change->netdev_index);

	if (own)
		follow[own - links->items] = true;
	netdev_mark(links, follow, only_shrinks);
	for (size_t i = 0; i < change->all->count; i++) {
		const struct change *other = &change->all->items[i];
		const struct link *link = link_by_index(links, &other->netdev_index);

		marks[i] = other->setting == change->setting &&
			   (!seen || !own || !link || follow[link - links->items]);
	}
}

const struct setting link_pause_setting = {
	NETDEV_SETTING,
	.keyword = {"global-pause", "none|rx|tx|rx,tx",
		    "pause frames of the link; add ,auto to negotiate them", NULL},
	.interface = "ethtool netlink PAUSE_SET",
	.right = RIGHT_NET_ADMIN,
	.flags = SETTING_STOPS_TRAFFIC | SETTING_CUTS_WAY,
	.parse = parse_pause,
	.read = read_pause,
	.write = write_pause,
	.guard = guard_pause,
};

/* Many drivers reopen their queues, and some lose the link for it. */
const struct setting link_mtu_setting = {
	NETDEV_SETTING,
	.keyword = {"mtu", "BYTES", "largest packet of the netdev", NULL},
	.interface = "rtnetlink NEWLINK MTU",
	.right = RIGHT_NET_ADMIN,
	.flags = SETTING_STOPS_TRAFFIC | SETTING_CUTS_WAY,
	.parse = parse_mtu,
	.read = read_mtu,
	.write = write_mtu,
	.mark_followers = mark_mtu_followers,
	.guard = guard_mtu,
};
