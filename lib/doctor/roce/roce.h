/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the checks of the group roce share: the netdevs of a port, its settings of data center
 * bridging, the routing table. Each is asked for once; the facts own it.
 */
#pragma once

#include "doctor/frame/check.h"
#include "host/rtnl.h"
#include "kernel/netlink/dcb.h"
#include "kernel/sysfs.h"
#include "roce/ecn.h"
#include "roce/netdevs.h"

/* For .applies: the port speaks RoCE; the same, and not in software. */
bool roce_is_port(struct doctor_context *run);
bool roce_is_hardware_port(struct doctor_context *run);
bool roce_is_bonded(struct doctor_context *run);
/* The same for other ports: with a netdev and not iWARP, with IPoIB; and for devices. */
bool roce_has_cm_netdev(struct doctor_context *run);
bool roce_has_ipoib(struct doctor_context *run);
bool roce_is_software(struct doctor_context *run);

/*
 * Whether the port of the context should be set up as this one: both are active RoCE ports of
 * hardware, of the same driver and board. Others may have another task, or none.
 */
bool roce_is_alike(struct doctor_context *run, const struct device *device,
		   const struct port *port);

/* A netdev of the inventory that belongs to a port: its own, its bond, a VLAN on one of these. */
bool roce_is_of_port(const struct doctor_context *run, const struct port *port,
		     const struct link *link);
/* The port's netdev, or NULL: it has none in this network namespace, or it is not known. */
const struct link *roce_link(const struct doctor_context *run, const struct port *port);
/* The bond that the port's netdev is, or is a member of; NULL if there is none. */
const struct link *roce_bond(const struct doctor_context *run, const struct port *port);
/*
 * The netdevs that have the hardware's settings: the port's own, or the members of the bond that it
 * is. The next one after `link`, or the first after NULL.
 */
const struct link *roce_next_leg(const struct doctor_context *run, const struct link *netdev,
				 const struct link *leg);
/* Says that nothing can be judged without a netdev, and why it is missing. */
void roce_no_netdev(struct doctor_context *run);

/* A socket of rtnetlink, or NULL with -errno in *ret_rc. The facts own it. */
struct netlink *roce_rtnl(struct doctor_facts *facts, int *ret_rc);

struct roce_dcb {
	const char *netdev;
	int rc; /* of dcb_get() */
	struct dcb dcb;
};

/* Data center bridging of a netdev of the inventory. */
const struct roce_dcb *roce_dcb(struct doctor_facts *facts, const struct link *link);

/* Congestion control of a port, as far as its driver tells. */
struct doctor_ecn {
	bool known;
	struct roce_ecn ecn;
	char text[128]; /* all of it in words, to be shown and compared */
};

/* Owned by the facts. */
struct doctor_roce {
	struct netlink *rtnl; /* by roce_rtnl() */
	int rtnl_rc;
	bool rtnl_was_opened;
	struct roce_dcb **dcbs; /* by roce_dcb(), by the index of the netdev */
	size_t link_count;
	struct doctor_ecn **ecns; /* of the check roce-ecn, by the indices of device and port */
	size_t device_count;
	unsigned int largest_mtu; /* of the check roce-mtu */
	bool largest_mtu_is_known;
};

struct doctor_roce *doctor_roce(struct doctor_facts *facts);
void doctor_roce_free(struct doctor_roce *roce);
