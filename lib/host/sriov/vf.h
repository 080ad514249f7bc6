/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A physical function's settings for its virtual functions, as rtnetlink reports them for the
 * netdev of the physical function: IFLA_VFINFO_LIST, rtnl_fill_vf() in net/core/rtnetlink.c.
 * Drivers fill in what they have.
 */
#pragma once

#include <linux/if_link.h>

#include "schema/value.h"

struct netlink;

/* IFLA_VF_LINK_STATE_* of include/uapi/linux/if_link.h */
enum vf_policy { VF_POLICY_AUTO, VF_POLICY_UP, VF_POLICY_DOWN };
extern const struct enum_name vf_policy_names[];

struct vf {
	struct number index;		  /* from 0, as in virtfn0 */
	char *mac;			  /* aa:bb:...; NULL if all zero */
	struct number vlan, qos;	  /* VLAN of all its packets, and their priority; 0: none */
	struct number min_mbps, max_mbps; /* megabits per second; 0: no limit */
	struct number policy;		  /* enum vf_policy */
	struct number trust;		  /* 0 or 1; unknown: the driver lacks this setting */
	struct number node_guid, port_guid; /* InfiniBand only; 0: unset */
};

struct vf_list {
	struct vf *items;
	size_t count;
};

/* Appends the VFs of the netdev, if it has any. Returns 0 or -errno. */
int vf_list_read(struct netlink *rtnl, unsigned int netdev_index, struct vf_list *list);
void vf_list_clear(struct vf_list *list);
const struct vf *vf_find(const struct vf_list *list, uint64_t index);

/* Pure function: adds the VFs of one RTM_NEWLINK message to a list. -EBADMSG: it is damaged. */
int vf_take(void *list, const void *payload, size_t length);

/* Settings that can be changed, by their attribute; vf_set() takes the value as in the kernel. */
enum vf_setting {
	VF_SET_POLICY = IFLA_VF_LINK_STATE,
	VF_SET_TRUST = IFLA_VF_TRUST,
	VF_SET_NODE_GUID = IFLA_VF_IB_NODE_GUID,
	VF_SET_PORT_GUID = IFLA_VF_IB_PORT_GUID,
};
int vf_set(struct netlink *rtnl, unsigned int netdev_index, unsigned int vf,
	   enum vf_setting setting, uint64_t value);
