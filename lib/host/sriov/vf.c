/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/sriov/vf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <sys/socket.h>

#include "base/mem.h"
#include "kernel/netlink/netlink.h"

const struct enum_name vf_policy_names[] = {
	{VF_POLICY_AUTO, "auto", TONE_PLAIN, "follows the link of the adapter"},
	{VF_POLICY_UP, "up", TONE_PLAIN, "always up"},
	{VF_POLICY_DOWN, "down", TONE_WARNING, "always down"},
	{0},
};

static const struct nla_policy vf_attributes[IFLA_VF_IB_PORT_GUID + 1] = {
	[IFLA_VF_MAC] = {.minlen = sizeof(struct ifla_vf_mac)},
	[IFLA_VF_VLAN] = {.minlen = sizeof(struct ifla_vf_vlan)},
	[IFLA_VF_RATE] = {.minlen = sizeof(struct ifla_vf_rate)},
	[IFLA_VF_LINK_STATE] = {.minlen = sizeof(struct ifla_vf_link_state)},
	[IFLA_VF_TRUST] = {.minlen = sizeof(struct ifla_vf_trust)},
	[IFLA_VF_IB_NODE_GUID] = {.minlen = sizeof(struct ifla_vf_guid)},
	[IFLA_VF_IB_PORT_GUID] = {.minlen = sizeof(struct ifla_vf_guid)},
};

static void take_mac(struct vf *vf, const struct nlattr *attribute)
{
	static const unsigned char zero[ETH_ALEN];
	struct ifla_vf_mac found;

	memcpy(&found, nla_data(attribute), sizeof(found));
	number_set(&vf->index, found.vf);
	if (memcmp(found.mac, zero, sizeof(zero)))
		vf->mac = mem_format("%02x:%02x:%02x:%02x:%02x:%02x", found.mac[0], found.mac[1],
				     found.mac[2], found.mac[3], found.mac[4], found.mac[5]);
}

static void take_guid(struct number *guid, const struct nlattr *attribute)
{
	struct ifla_vf_guid found;

	if (!attribute)
		return;
	memcpy(&found, nla_data(attribute), sizeof(found));
	number_set(guid, found.guid);
}

/* Takes a member of a structure of 32-bit numbers; the first one is the number of the VF. */
static void take_word(struct number *number, const struct nlattr *attribute, size_t offset)
{
	uint32_t word;

	if (!attribute)
		return;
	memcpy(&word, (const char *)nla_data(attribute) + offset, sizeof(word));
	number_set(number, word);
}

/* The MAC is always present and contains the number: rtnl_fill_vfinfo(). */
static int take_one(void *context, const struct nlattr *nest)
{
	struct nlattr *table[ARRAY_SIZE(vf_attributes)];
	struct vf_list *list = context;
	struct vf *vf;

	if (netlink_parse_nest(nest, table, ARRAY_SIZE(table), vf_attributes) ||
	    !table[IFLA_VF_MAC])
		return -EBADMSG;
	vf = mem_append(&list->items, &list->count, sizeof(*vf));
	take_mac(vf, table[IFLA_VF_MAC]);
	take_word(&vf->vlan, table[IFLA_VF_VLAN], offsetof(struct ifla_vf_vlan, vlan));
	take_word(&vf->qos, table[IFLA_VF_VLAN], offsetof(struct ifla_vf_vlan, qos));
	take_word(&vf->min_mbps, table[IFLA_VF_RATE], offsetof(struct ifla_vf_rate, min_tx_rate));
	take_word(&vf->max_mbps, table[IFLA_VF_RATE], offsetof(struct ifla_vf_rate, max_tx_rate));
	take_word(&vf->policy, table[IFLA_VF_LINK_STATE],
		  offsetof(struct ifla_vf_link_state, link_state));
	take_word(&vf->trust, table[IFLA_VF_TRUST], offsetof(struct ifla_vf_trust, setting));
	/* Drivers without this setting leave -1. */
	if (vf->trust.value > 1)
		vf->trust = (struct number){.known = false};
	take_guid(&vf->node_guid, table[IFLA_VF_IB_NODE_GUID]);
	take_guid(&vf->port_guid, table[IFLA_VF_IB_PORT_GUID]);
	return 0;
}

/*
 * All VFs are in one attribute, whose length has 16 bits and wraps around: rtnl_fill_vf(),
 * net/core/rtnetlink.c. A VF with GUIDs takes 236 bytes, and before Linux 5.16, which always counts
 * packets, 336: then 195 VFs fit. The entries are complete all the same, and IFLA_NUM_VF says how
 * many there are. `room`: what is left of the message.
 */
static int take_list(const struct nlattr *nest, int room, const struct number *count,
		     struct vf_list *list)
{
	const struct nlattr *entry = nla_data(nest);
	int rc;

	/* A recording that an earlier version anonymised does not have the number. */
	if (!count->known)
		return netlink_each(nest, IFLA_VF_INFO, take_one, list);
	room -= NLA_HDRLEN;
	for (uint64_t i = 0; i < count->value; i++) {
		rc = nla_ok(entry, room) ? take_one(list, entry) : -EBADMSG;
		if (rc)
			return rc;
		entry = nla_next(entry, &room);
	}
	return 0;
}

/* What follows the list cannot be parsed if its length has wrapped around. */
int vf_take(void *list, const void *payload, size_t length)
{
	const size_t header = NLA_ALIGN(sizeof(struct ifinfomsg));
	const struct nlattr *attribute;
	struct number count = {0};
	int left;

	if (length < header)
		return -EBADMSG;
	nla_for_each_attr(attribute, (const void *)((const char *)payload + header),
			  (int)(length - header), left)
	{
		if (nla_type(attribute) == IFLA_VFINFO_LIST)
			return take_list(attribute, left, &count, list);
		if (nla_type(attribute) == IFLA_NUM_VF && netlink_get_number(attribute, &count))
			return -EBADMSG;
	}
	return left < (int)sizeof(*attribute) ? 0 : -EBADMSG;
}

/* Room for 1500 VFs of 336 bytes each, see take_list(). */
enum { LARGEST_ANSWER = 512 * 1024 };

int vf_list_read(struct netlink *rtnl, unsigned int netdev_index, struct vf_list *list)
{
	const struct ifinfomsg header = {.ifi_family = AF_UNSPEC, .ifi_index = (int)netdev_index};
	struct netlink_request request = {.count = 0};

	netlink_offer(rtnl, LARGEST_ANSWER, 1);
	netlink_add(&request, RTM_GETLINK, 0, &header, sizeof(header));
	netlink_put_u32(&request, IFLA_EXT_MASK, RTEXT_FILTER_VF | RTEXT_FILTER_SKIP_STATS);
	return netlink_ask(rtnl, &request, vf_take, list);
}

void vf_list_clear(struct vf_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].mac);
	free(list->items);
	*list = (struct vf_list){.count = 0};
}

const struct vf *vf_find(const struct vf_list *list, uint64_t index)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].index.value == index)
			return &list->items[i];
	return NULL;
}

static void put_setting(struct netlink_request *request, unsigned int vf, enum vf_setting setting,
			uint64_t value)
{
	struct ifla_vf_guid guid;
	/* As in struct ifla_vf_link_state and struct ifla_vf_trust. */
	const uint32_t words[] = {vf, (uint32_t)value};

	if (setting == VF_SET_NODE_GUID || setting == VF_SET_PORT_GUID) {
		/* The bytes between its members are sent too. */
		memset(&guid, 0, sizeof(guid));
		guid.vf = vf;
		guid.guid = value;
		netlink_put(request, (uint16_t)setting, &guid, sizeof(guid));
	} else {
		netlink_put(request, (uint16_t)setting, words, sizeof(words));
	}
}

int vf_set(struct netlink *rtnl, unsigned int netdev_index, unsigned int vf,
	   enum vf_setting setting, uint64_t value)
{
	const struct ifinfomsg header = {.ifi_family = AF_UNSPEC, .ifi_index = (int)netdev_index};
	struct netlink_request request = {.count = 0};
	struct nlattr *list, *info;

	netlink_add(&request, RTM_SETLINK, NLM_F_ACK, &header, sizeof(header));
	list = netlink_nest_begin(&request, IFLA_VFINFO_LIST);
	info = netlink_nest_begin(&request, IFLA_VF_INFO);
	put_setting(&request, vf, setting, value);
	netlink_nest_end(&request, info);
	netlink_nest_end(&request, list);
	return netlink_ask_plain(rtnl, &request, NULL);
}
