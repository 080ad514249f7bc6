/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The entries of a port's GID table, and how to read them from sysfs. */
#pragma once

#include "schema/schema.h"

struct port;
struct problems;
struct root;

/*
 * Values in the order of enum ib_uverbs_gid_type, include/uapi/rdma/ib_user_ioctl_verbs.h; shown as
 * words.
 */
enum gid_type { GID_TYPE_IB, GID_TYPE_ROCE_V1, GID_TYPE_ROCE_V2 };

struct gid_entry {
	char *device; /* borrowed from the device */
	struct number port;
	struct number index;
	struct known_gid gid;
	struct number type; /* enum gid_type; unknown for an empty slot */
	struct number netdev_index;
	char *netdev; /* name in this network namespace; NULL if there is none, or it is in another
			 one */
	struct number vlan;	     /* VLAN id of the netdev */
	char *master;		     /* the bond (or bridge, VRF) that the netdev belongs to */
	struct known_ip ip;	     /* the address of a RoCE GID */
	char *address_netdev;	     /* the netdev that carries this address */
	struct number prefix_length; /* of that address */
	struct number source;	     /* enum gid_source */
	enum tristate selected;	     /* --to: the entry to use */
	char *why;		     /* --to: why it is selected, or is not */
};

enum gid_source { GID_SOURCE_VERBS, GID_SOURCE_SYSFS };

extern const struct schema gid_schema;
extern const struct enum_name gid_type_names[];

void gid_entry_clear(struct gid_entry *entry); /* frees the strings it owns */
/* Appends the nonempty entries, or with `empty` all entries. */
void gid_table_read_sysfs(const struct root *root, struct port *port, bool empty, bool netdevs,
			  struct problems *problems);
/* Inserts the empty slots between the entries that verbs returned. */
void gid_table_add_empty(struct port *port);
/*
 * Sets the members that depend on the transport: the type (a table does not distinguish InfiniBand
 * from RoCE v1) and the IP address of a RoCE GID. Without `empty`, drops slots that no GUID is
 * assigned to.
 */
void gid_table_finish(struct port *port, bool roce, bool empty);
/* The port's first GID; unknown if it cannot be read. */
struct known_gid gid_read_first(const struct root *root, const struct port *port);
/*
 * Reads the netdev name of one GID, exactly as the kernel has it; NULL if there is none. The caller
 * frees it. Returns 0, or the -errno of reading it.
 */
int gid_read_netdev(const struct root *root, const struct port *port, unsigned int index,
		    char **ret_name);
