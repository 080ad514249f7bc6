/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The RDMA side of the host, merged from RDMA netlink, sysfs, verbs and rtnetlink in that order:
 * only what `needs` asks for is read. What could not be read stays unknown and is noted.
 */
#pragma once

#include "host/object.h"
#include "host/caps.h"
#include "host/device.h"
#include "host/link.h"
#include "schema/problem.h"

struct inventory_request {
	const char *root;   /* a saved tree in place of the live system, or NULL */
	unsigned int needs; /* bits of model/need.h */
	const struct objects *objects;
	bool empty_gids; /* empty slots of the GID tables, too */
};

struct inventory {
	bool live;
	struct device_list devices;
	struct link_list links;
	struct link_address_list addresses;
	struct caps *caps; /* one for each device that could be opened, in the order of devices */
	size_t caps_count;
};

/*
 * What could not be read is added to `problems`; `notes` gets what was done instead where a failure
 * lost nothing (for -v). Either may be NULL. 0 also if there are problems. -ENODEV: nothing to
 * show, no RDMA device or none of those named; the reason is in the problems. -EIO: the devices
 * cannot be listed, said there, too. Other -errno: the root cannot be opened.
 */
int inventory_load(struct inventory *inventory, const struct inventory_request *request,
		   struct problems *problems, struct problems *notes);
void inventory_free(struct inventory *inventory);

/* The names of the devices and DEV/PORT of their ports, for completion: sysfs only, no netlink. */
void inventory_names(const char *root, bool ports, struct strings *ret_names);
/* The names of the netdevs. */
void inventory_netdev_names(const char *root, struct strings *ret_names);
