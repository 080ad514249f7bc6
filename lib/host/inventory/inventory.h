/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The RDMA side of the host, merged from RDMA netlink, sysfs, verbs and rtnetlink in that order.
 * Only the facts in `needs` are read. Values that could not be read stay unknown and are reported
 * as problems.
 */
#pragma once

#include "host/object.h"
#include "host/caps.h"
#include "host/device.h"
#include "host/netdev.h"
#include "schema/problem.h"

struct inventory_request {
	const char *root; /* a saved tree instead of the live system, or NULL */
	uint64_t needs;	  /* bits of host/need.h */
	const struct objects *objects;
	bool empty_gids; /* include empty slots of the GID tables */
	bool closed;	 /* open no devices: MTU and limits stay unknown, GIDs come from sysfs */
	bool uses_verbs; /* the caller will open devices, so ib_uverbs may be loaded for it */
};

struct netlink;

struct inventory {
	const char *root; /* of the request */
	bool answers;	  /* netlink and verbs describe this root: root_answers() */
	struct device_list devices;
	struct link_list links;
	struct link_address_list addresses;
	struct caps *caps; /* one for each device that could be opened, in the order of `devices` */
	size_t caps_count;
};

/*
 * Read failures are added to `problems`; `notes` gets the fallbacks that were used where a failure
 * lost nothing (for -v). Either may be NULL. Returns 0 even if there are problems; -ENODEV if there
 * is no RDMA device, or none of the named ones, with the reason among the problems; -EIO if the
 * devices cannot be listed, also explained there; another -errno if the root cannot be opened.
 */
int inventory_load(struct inventory *inventory, const struct inventory_request *request,
		   struct problems *problems, struct problems *notes);
/*
 * Returns 0 if the root, NULL for the live system, has the RDMA core; an RDMA netlink socket would
 * load it. -ENODEV if not, with the reason and the next step among the problems.
 */
int inventory_find_core(const char *root, struct problems *problems);
void inventory_free(struct inventory *inventory);
/* Whether netlink and verbs answer for a root: it is live, or a snapshot. */
bool inventory_answers(const char *root);
/*
 * Notes that `attribute` of `object` comes from netlink, and that a saved tree which is no snapshot
 * does not hold it. `hint`: NULL for the usual next step.
 */
void inventory_add_unanswered(struct problems *problems, const char *object, const char *attribute,
			      const char *source, const char *hint);
/* Open a socket to the inventory's system: netlink_open(). */
int inventory_open_nldev(const struct inventory *inventory, struct netlink **ret_nldev);
int inventory_open_rtnl(const struct inventory *inventory, struct netlink **ret_rtnl);

/*
 * Lists the names of the devices and DEV/PORT of their ports, for completion. Uses sysfs only,
 * without netlink.
 */
void inventory_names(const char *root, bool ports, struct strings *ret_names);
/* Lists the names of the netdevs. */
void inventory_netdev_names(const char *root, struct strings *ret_names);
