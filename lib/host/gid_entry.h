/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One entry of a port's GID table. */
#pragma once

#include "schema/schema.h"

/* Order of enum ib_uverbs_gid_type, include/uapi/rdma/ib_user_ioctl_verbs.h; shown as words. */
enum gid_type { GID_TYPE_IB, GID_TYPE_ROCE_V1, GID_TYPE_ROCE_V2 };

struct gid_entry {
	char *device; /* borrowed from the device */
	struct number port;
	struct number index;
	struct known_gid gid;
	struct number type; /* enum gid_type; unknown for an empty slot */
	struct number netdev_index;
	char *netdev;		     /* name in this network namespace; NULL: none, or not ours */
	struct number vlan;	     /* VLAN id of the netdev */
	char *master;		     /* the bond (or bridge, VRF) that the netdev belongs to */
	struct known_ip ip;	     /* the address a RoCE GID stands for */
	char *address_netdev;	     /* the netdev that carries this address */
	struct number prefix_length; /* of that address */
	struct number source;	     /* enum gid_source */
	enum tristate selected;	     /* --to: the entry to use */
	char *why;		     /* --to: why it is, or is not */
};

enum gid_source { GID_SOURCE_VERBS, GID_SOURCE_SYSFS };

extern const struct schema gid_schema;
extern const struct enum_name gid_type_names[];

void gid_entry_clear(struct gid_entry *entry); /* frees what it owns */
