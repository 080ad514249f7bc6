/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The settings that a physical function holds for one virtual function: do_setvfinfo(),
 * net/core/rtnetlink.c. For the GUIDs, see mlx5_ib_set_vf_guid(), drivers/infiniband/hw/mlx5.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/gid.h"
#include "base/mem.h"
#include "base/text.h"
#include "change/session.h"
#include "change/sriov/sriov.h"
#include "host/sriov/card.h"
#include "host/sriov/vf.h"

#define UNSET "unset"

enum { VFS_SHOWN = 16 }; /* the rest are only counted */

static const struct setting policy, trust, node_guid, port_guid;

static enum vf_setting kind_of(const struct setting *setting)
{
	return setting == &policy      ? VF_SET_POLICY
	       : setting == &trust     ? VF_SET_TRUST
	       : setting == &node_guid ? VF_SET_NODE_GUID
				       : VF_SET_PORT_GUID;
}

static int parse_guid(struct change *change, const char *text, char **ret_value)
{
	char guid_text[GUID_TEXT_SIZE];
	uint64_t guid = 0;

	if (strcmp(text, UNSET) && guid_parse(text, &guid))
		return change_fail(change, -EINVAL, NULL,
				   "'%s' is not a GUID: it is 16 hexadecimal digits, such as "
				   "0011:2233:4455:6677, or unset",
				   text);
	guid_format(guid, guid_text);
	*ret_value = mem_string(guid ? guid_text : UNSET);
	return 0;
}

static int find_vf(struct change *change, struct netlink *rtnl, struct vf_list *list,
		   const struct vf **ret_vf)
{
	int rc;

	if (!change->netdev_index.known)
		return change_fail(change, -ENODEV, "load its driver",
				   "the function has no netdev here, through which VFs are set");
	rc = vf_list_read(rtnl, (unsigned int)change->netdev_index.value, list);
	if (rc)
		return rc;
	*ret_vf = vf_find(list, change->port.value);
	if (*ret_vf)
		return 0;
	return change_fail(change, -ENOENT, "rdmactl sriov lists the functions",
			   "there is no VF %llu: the function has %zu",
			   (unsigned long long)change->port.value, list->count);
}

static char *make_value(const struct setting *setting, uint64_t number)
{
	const struct enum_name *names = setting->keyword.choices;
	char guid[GUID_TEXT_SIZE];

	if (names)
		return mem_string(enum_word(names, number, "unknown"));
	guid_format(number, guid);
	return mem_string(number ? guid : UNSET);
}

static const struct number *member_of(const struct vf *vf, const struct setting *setting)
{
	return setting == &policy      ? &vf->policy
	       : setting == &trust     ? &vf->trust
	       : setting == &node_guid ? &vf->node_guid
				       : &vf->port_guid;
}

static int read_vf(struct change *change, char **ret_value)
{
	_cleanup_(vf_list_clear) struct vf_list list = {.count = 0};
	const struct vf *vf = NULL;
	const struct number *member;
	struct netlink *rtnl;
	int rc = change_host_rtnl(change->host, &rtnl) ?: find_vf(change, rtnl, &list, &vf);

	if (rc)
		return rc;
	member = member_of(vf, change->setting);
	if (!member->known)
		return change_fail(
			change, -EOPNOTSUPP,
			change->setting == &trust
				? NULL
				: "only IPoIB netdevs of InfiniBand have GUIDs for their VFs",
			"the driver has no %s for VFs", change->setting->keyword.word);
	*ret_value = make_value(change->setting, member->value);
	return 0;
}

/* Returns "mac 02:00:00:00:00:07, trust on" without what a new VF has: 0. NULL: nothing is left. */
static char *describe_vf(const struct vf *vf)
{
	/* In the words of ip-link(8), which can set them. */
	const struct {
		const char *word;
		const struct number *number;
	} others[] = {{"vlan", &vf->vlan},
		      {"qos", &vf->qos},
		      {"min_tx_rate", &vf->min_mbps},
		      {"max_tx_rate", &vf->max_mbps}};
	char *text = vf->mac ? mem_format("mac %s", vf->mac) : NULL;

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (others[i].number->value)
			mem_extend(&text, "%s%s %" PRIu64, text ? ", " : "", others[i].word,
				   others[i].number->value);
	for (const struct setting *const *row = sriov_vf_setting_table; *row; row++) {
		const struct number *member = member_of(vf, *row);
		_cleanup_(freep) char *value = make_value(*row, member->value);

		if (member->known && member->value)
			mem_extend(&text, "%s%s %s", text ? ", " : "", (*row)->keyword.word, value);
	}
	return text;
}

void sriov_note_vfs(struct change *change)
{
	_cleanup_(vf_list_clear) struct vf_list list = {.count = 0};
	struct netlink *rtnl;
	size_t shown = 0;

	change_note(change, "undoing the change creates VFs again, but without the MACs, GUIDs, "
			    "VLANs, rates, spoof checks, policies and trust that these have");
	if (!change->netdev_index.known || change_host_rtnl(change->host, &rtnl) ||
	    vf_list_read(rtnl, (unsigned int)change->netdev_index.value, &list))
		return;
	for (size_t i = 0; i < list.count; i++) {
		_cleanup_(freep) char *text = describe_vf(&list.items[i]);

		if (text && shown++ < VFS_SHOWN)
			change_note(change, "VF %u has %s", (unsigned int)list.items[i].index.value,
				    text);
	}
	if (shown > VFS_SHOWN)
		change_note(change, "the settings of %zu more VF%s are not listed here",
			    shown - VFS_SHOWN, text_plural_s(shown - VFS_SHOWN));
}

static uint64_t number_of_value(const struct change *change, const char *value)
{
	const struct enum_name *names = change->setting->keyword.choices;
	uint64_t guid = 0;

	if (names)
		return enum_find_word(names, value)->value;
	if (strcmp(value, UNSET))
		guid_parse(value, &guid);
	return guid;
}

static int write_vf(struct change *change, const char *value)
{
	struct netlink *rtnl;
	int rc = change_host_rtnl(change->host, &rtnl)
			 ?: vf_set(rtnl, (unsigned int)change->netdev_index.value,
				   (unsigned int)change->port.value, kind_of(change->setting),
				   number_of_value(change, value));

	/* Most drivers return EINVAL for a number past the last VF. */
	if (rc == -EOPNOTSUPP)
		change_explain(
			change,
			"in switchdev mode, devlink may set it instead: devlink port function set",
			"the driver does not let %s be set", change->setting->keyword.word);
	else if (rc == -EINVAL)
		change_explain(change, "rdmactl sriov lists the functions",
			       "the driver does not accept it: the VF may have gone away");
	return rc;
}

static void guard_guid(struct change *change)
{
	change_note(change, "the VF takes the GUID when its driver is bound to it again");
	if (!strcmp(change->wanted, UNSET))
		change_note(change, "without GUIDs, an InfiniBand VF cannot come up");
}

/* The VF's netdevs on this host: the session may go over one of them. */
static void guard_netdevs(struct change *change)
{
	_cleanup_(freep) char *directory = NULL;
	_cleanup_(strings_free) struct strings netdevs = {.known = false};
	_cleanup_(root_close) struct root root = {.fd = -1};
	int rc = root_open(NULL, &root)
			 ?: card_find_file(&root, change->data, SRIOV_COUNT_FILE, &directory)
			 ?: sysfs_list(&root, &netdevs, "%s/virtfn%" PRIu64 "/net", directory,
				       change->port.value);

	/* The VF of a guest has no netdev here. */
	if (rc && rc != -ENOENT)
		change_note(change, "cannot tell whether it has netdevs on this host: %s",
			    strerror(-rc));
	for (size_t i = 0; i < netdevs.count; i++) {
		change_guard_way(change, netdevs.items[i], WAY_COMES_BACK);
		change_note(change, "%s is its netdev on this host", netdevs.items[i]);
	}
}

static void guard_policy(struct change *change)
{
	if (strcmp(change->wanted, "down"))
		return;
	change_note(change, "the VF loses its link");
	guard_netdevs(change);
}

/* i40e_ndo_set_vf_trust(), i40e_virtchnl_pf.c, and ice_set_vf_trust(), ice_sriov.c */
static void guard_trust(struct change *change)
{
	change_note(change, "i40e and ice reset the VF for it: its traffic stops meanwhile, and "
			    "its RDMA device goes away and comes back");
	guard_netdevs(change);
}

#define VF_SETTING \
	.right = RIGHT_NET_ADMIN, .read = read_vf, .write = write_vf, .command = "sriov set"

static const struct setting policy = {
	VF_SETTING,
	.keyword = {"policy", "auto|up|down", "link of the VF", vf_policy_names},
	.interface = "rtnetlink VF_LINK_STATE",
	.flags = SETTING_STOPS_TRAFFIC,
	.guard = guard_policy,
};

static const struct setting trust = {
	VF_SETTING,
	.keyword = {"trust", "on|off", "whether the VF may use privileged features", sriov_on_off},
	.interface = "rtnetlink VF_TRUST",
	.flags = SETTING_STOPS_TRAFFIC,
	.guard = guard_trust,
};

static const struct setting node_guid = {
	VF_SETTING,
	.keyword = {"node-guid", "GUID|unset", "node GUID of the VF, on InfiniBand", NULL},
	.interface = "rtnetlink VF_IB_NODE_GUID",
	.parse = parse_guid,
	.guard = guard_guid,
};

static const struct setting port_guid = {
	VF_SETTING,
	.keyword = {"port-guid", "GUID|unset", "port GUID of the VF, on InfiniBand", NULL},
	.interface = "rtnetlink VF_IB_PORT_GUID",
	.parse = parse_guid,
	.guard = guard_guid,
};

const struct setting *const sriov_vf_setting_table[] = {
	&policy, &trust, &node_guid, &port_guid, NULL,
};
