/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A port of an RDMA device, with its GID and P_Key tables, and how to read them from sysfs. */
#pragma once

#include "schema/schema.h"

struct port;
struct attributes;
struct problems;
struct root;

/* Values match enum ib_uverbs_gid_type, include/uapi/rdma/ib_user_ioctl_verbs.h; shown as words. */
enum gid_type { GID_TYPE_IB, GID_TYPE_ROCE_V1, GID_TYPE_ROCE_V2 };

struct gid_entry {
	char *device; /* borrowed from the device */
	struct number port;
	struct number index;
	struct known_gid gid;
	struct number type; /* enum gid_type; unknown for an empty slot */
	struct number netdev_index;
	char *netdev; /* name in this network namespace; NULL: none, or in another namespace */
	struct number vlan;	     /* VLAN id of the netdev */
	char *master;		     /* the bond (or bridge, VRF) above the netdev */
	struct known_ip ip;	     /* the address of a RoCE GID */
	char *address_netdev;	     /* the netdev with this address */
	struct number prefix_length; /* of that address */
	struct number source;	     /* enum gid_source */
	enum tristate selected;	     /* --to: use this entry */
	char *why;		     /* --to: why it is selected or not */
};

enum gid_source { GID_SOURCE_VERBS, GID_SOURCE_SYSFS };

extern const struct schema gid_schema;
extern const struct enum_name gid_type_names[];

/* Appends an entry to the port's GIDs; the caller fills in the GID. */
struct gid_entry *gid_entry_add(struct port *port, uint64_t index, enum gid_source source);
void gid_entry_clear(struct gid_entry *entry); /* frees the strings it owns */
/* Appends the nonempty entries, or all entries if `empty` is set. */
void gid_table_read_sysfs(const struct root *root, struct port *port, bool empty, bool netdevs,
			  struct problems *problems);
/*
 * Like gid_table_read_sysfs() with netdevs, for `count` slots starting with `first`. Returns false
 * at the end of the table.
 */
bool gid_table_read_slots(const struct root *root, struct port *port, unsigned int first,
			  unsigned int count, struct problems *problems);
void gid_table_clear(struct port *port);
/* Removes the entries for which `keep` is false. */
void gid_table_filter(struct port *port, bool (*keep)(const struct gid_entry *, const void *),
		      const void *context);
/* Inserts the empty slots between entries that verbs returned. */
void gid_table_add_empty(struct port *port);
/*
 * Sets the members that depend on the transport: the type (tables do not distinguish InfiniBand
 * from RoCE v1) and the IP address of a RoCE GID. Without `empty`, drops slots that have no GUID
 * assigned.
 */
void gid_table_finish(struct port *port, const struct number *transport, bool empty);
/*
 * Returns -ENOENT if a table with `count` slots has lost some: the kernel gives every InfiniBand
 * port a GID, and since 4.5 every slot a type.
 */
int gid_table_check(const struct root *root, const struct port *port, size_t count);
/* Returns the entry of a slot, or NULL if it is not among the port's GIDs. */
const struct gid_entry *gid_entry_at(const struct port *port, uint64_t index);
/* Returns the port's first GID; unknown if it cannot be read. */
struct known_gid gid_read_first(const struct root *root, const struct port *port);
/*
 * Looks up the netdev name of one GID, in the port's table or else in sysfs; NULL if there is none.
 * The caller frees it. Returns 0, or the -errno of reading it, -ENODATA if the file is empty.
 */
int gid_read_netdev(const struct root *root, const struct port *port, unsigned int index,
		    char **ret_name);

struct pkey {
	char *device; /* borrowed from the device */
	struct number port;
	struct number index;
	struct number pkey;	/* all 16 bits; 0 or 0x8000 is an empty slot's value */
	struct strings netdevs; /* IPoIB netdevs that use it */
};

extern const struct schema pkey_schema;

/* Appends the entries of the table; a port without a table (iWARP, EFA) gets none. */
void pkey_table_read_sysfs(const struct root *root, struct port *port, struct problems *problems);

/* In bytes; the largest MTU of InfiniBand and RoCE, IBTA volume 1, 14.2.5.6. */
#define PORT_LARGEST_MTU 4096u

/* The directory of a port: takes the device's kernel name and the port number. */
#define PORT_DIRECTORY "sys/class/infiniband/%s/ports/%u"

/*
 * The kernel has 32-bit port numbers. A device with representors (mlx5) has a port for each
 * function of the adapter, which may exceed the 255 that verbs can address; a number beyond
 * PORT_MOST is damaged.
 */
enum { PORT_MOST = 65535, PORT_MOST_VERBS = 255 };

struct port {
	char *device; /* borrowed from the device, like kernel_name */
	const char *kernel_name;
	struct number port;	      /* 1 .. PORT_MOST; 0 for a switch */
	struct number link_layer;     /* enum link_layer */
	struct number state;	      /* enum port_state */
	struct number physical_state; /* enum physical_state */
	struct real rate_gbps;
	struct number width_lanes;
	char *speed; /* EDR, in the kernel's words */
	struct number active_mtu_bytes;
	struct number max_mtu_bytes;
	struct number lid; /* lid to sm_sl: InfiniBand link layer only */
	struct number lmc;
	struct number sm_lid;
	struct number sm_sl;
	struct number subnet_prefix; /* shown in GUID form */
	struct number cap_mask;
	struct number port_guid;
	struct number gid_table_length;
	struct number pkey_table_length;
	struct number
		netdev_index; /* from RDMA netlink, so always valid in this network namespace */
	char *netdev;	      /* NULL: none, or in another network namespace */
	bool netdev_unknown;  /* one may exist: elsewhere, or its source cannot be read */
	struct number netdev_operstate; /* enum IF_OPER_* of linux/if.h */
	struct number netdev_mtu_bytes;
	struct number carrier_changes;
	struct number symbol_errors;  /* if already read, by pma_leave_out_restricted() */
	struct strings driver_status; /* words, ib_qib */
	struct strings sl_to_vl;      /* ib_qib and hfi1: the lane of each service level */
	char *module_technology;      /* module_...: the cable's; only from ib_qib of 2009 */
	char *module_vendor;
	char *module_part_number;
	char *module_serial;
	struct gid_entry *gids;
	size_t gid_count;
	struct pkey *pkeys;
	size_t pkey_count;
};

/* The kernel's enum rdma_link_layer, include/rdma/ib_verbs.h, and IBV_LINK_LAYER_*. */
enum link_layer {
	LINK_LAYER_UNSPECIFIED,
	LINK_LAYER_INFINIBAND,
	LINK_LAYER_ETHERNET,
};

/* Whether the link layer is known to be InfiniBand; Omni-Path claims the same. */
static inline bool port_is_infiniband(const struct port *port)
{
	return port->link_layer.known && port->link_layer.value == LINK_LAYER_INFINIBAND;
}

extern const struct schema port_schema;
/* Facts that sysfs and RDMA netlink have: the readers of both walk this table. */
extern const struct attributes port_attributes;
extern const struct enum_name link_layer_names[];

void port_clear(struct port *port);
/* Returns "mlx5_0/1", for problems; the caller frees it. */
char *port_object(const struct port *port);
/* Reads facts that are needed (bits of host/need.h) and still unknown from sysfs. */
void port_read_sysfs(const struct root *root, struct port *port, uint64_t needs,
		     struct problems *problems);
/* Reads files that only some drivers have, as far as needed: NEED_DRIVER_FILES. */
void port_read_driver_files(const struct root *root, struct port *port, uint64_t needs,
			    struct problems *problems);
/*
 * Reports that an attribute of the port, or one slot of a table, cannot be read from sysfs;
 * -ENODATA if the file is empty.
 */
void port_note(struct problems *problems, const struct port *port, const char *attribute,
	       const char *slot, int error);
/* The same of a file that was read: `length` is the -errno, or the text is malformed. */
void port_note_text(struct problems *problems, const struct port *port, const char *attribute,
		    const char *slot, ssize_t length, const char *text);
/*
 * Adds the problems of a table that was read, and frees them; only one problem if the table is gone
 * by now, because its port was removed.
 */
void port_note_table(const struct root *root, struct problems *problems, const struct port *port,
		     const char *table, struct problems *found);
/*
 * The kernel numbers slots from 0 without a gap: reports slot `next` if the slot called `name`
 * comes after it, and sets `next` to the slot after `name`.
 */
void port_note_gap(struct problems *problems, const struct port *port, const char *table,
		   const char *name, uint64_t *next);
/* Parses the file name of a table slot: an index, written exactly as the kernel writes it. */
bool port_table_slot(const char *name, uint64_t *ret_index);
