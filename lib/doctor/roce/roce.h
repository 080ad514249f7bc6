/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by the checks of the group roce: the netdevs of a port, its data center bridging settings,
 * the routing table. Each is read once; the facts own it.
 */
#pragma once

#include "doctor/frame/check.h"
#include "host/rtnl.h"
#include "kernel/netlink/dcb.h"
#include "kernel/sysfs.h"
#include "roce/ecn.h"
#include "roce/netdevs.h"

/* For .applies: whether the port speaks RoCE; in hardware; over a bond. */
bool roce_is_port(struct doctor_context *run);
bool roce_is_hardware_port(struct doctor_context *run);
bool roce_is_bonded(struct doctor_context *run);
/*
 * For other ports: whether it has a netdev and is not iWARP; whether it has IPoIB. For devices:
 * whether it is software.
 */
bool roce_has_cm_netdev(struct doctor_context *run);
bool roce_has_ipoib(struct doctor_context *run);
bool roce_is_software(struct doctor_context *run);

/*
 * Whether the context's port should be set up like this one: both are active RoCE ports of hardware
 * with the same driver and board. Other ports may have another purpose, or none.
 */
bool roce_is_alike(struct doctor_context *run, const struct device *device,
		   const struct port *port);

/*
 * Returns the netdev of the context's port; NULL after the verdict that nothing can be judged
 * without it, and why it is missing.
 */
const struct link *roce_own_netdev(struct doctor_context *run);

/* Returns an rtnetlink socket owned by the facts, or NULL with -errno in *ret_rc. */
struct netlink *roce_rtnl(struct doctor_facts *facts, int *ret_rc);

struct roce_dcb {
	const char *netdev; /* NULL: not read yet */
	int rc;		    /* result of dcb_get() */
	int trust_rc;	    /* -errno if what the port trusts cannot be read */
	struct dcb dcb;
};

/* Returns the data center bridging settings of a netdev of the inventory. */
const struct roce_dcb *roce_dcb(struct doctor_facts *facts, const struct link *link);

/* Congestion control of a port, as far as its driver reports it. */
struct doctor_ecn {
	const struct port *port;
	struct roce_ecn ecn;
	char text[128]; /* complete description, for display and comparison */
};

/* Owned by the facts. */
struct doctor_roce {
	struct netlink *rtnl; /* use roce_rtnl() */
	int rtnl_rc;
	bool rtnl_was_opened;
	struct roce_dcb *dcbs;	 /* use roce_dcb(); in the order of the links */
	struct doctor_ecn *ecns; /* for the check roce-ecn */
	size_t ecn_count;
	unsigned int largest_mtu; /* for the check roce-mtu */
	bool largest_mtu_is_known;
};

void doctor_roce_free(struct doctor_roce *roce);
