/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A port of an RDMA device, with its GID and P_Key tables. */
#pragma once

#include "host/gid.h"
#include "host/pkey.h"

/* The directory of a port, from the kernel's name of the device and the port number. */
#define PORT_DIRECTORY "sys/class/infiniband/%s/ports/%u"

struct port {
	char *device; /* borrowed from the device, like device_kernel_name */
	const char *kernel_name;
	struct number port;	      /* 1 .. 255 */
	struct number link_layer;     /* enum link_layer */
	struct number state;	      /* enum port_state */
	struct number physical_state; /* enum physical_state */
	struct real rate_gbps;
	struct number width_lanes;
	char *speed; /* EDR, as the kernel words it */
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
		netdev_index; /* from RDMA netlink, so always an index in this network namespace */
	char *netdev;	      /* NULL if there is none, or it is in another network namespace */
	struct number netdev_operstate; /* enum IF_OPER_* of linux/if.h */
	struct number netdev_mtu_bytes;
	struct number carrier_changes;
	struct gid_entry *gids;
	size_t gid_count;
	struct pkey *pkeys;
	size_t pkey_count;
};

/* Kernel's enum rdma_link_layer, include/rdma/ib_verbs.h, and IBV_LINK_LAYER_* */
enum link_layer {
	LINK_LAYER_UNSPECIFIED,
	LINK_LAYER_INFINIBAND,
	LINK_LAYER_ETHERNET,
};

extern const struct schema port_schema;
extern const struct enum_name link_layer_names[];

void port_clear(struct port *port);
/* "mlx5_0/1", for problems; the caller frees it. */
char *port_object(const struct port *port);
/* Reads what is needed (bits of host/need.h) and not known yet from /sys/class/infiniband. */
void port_read_sysfs(const struct root *root, struct port *port, unsigned int needs,
		     struct problems *problems);
/* Reports that an attribute of the port, or one slot of a table, cannot be read from sysfs. */
void port_note(struct problems *problems, const struct port *port, const char *attribute,
	       const char *slot, int error);
/* Reports that the text of a slot has the wrong form. */
void port_note_text(struct problems *problems, const struct port *port, const char *table,
		    const char *slot, const char *text);
/* Parses the file name of a table slot: an index, written exactly as the kernel writes it. */
bool port_table_slot(const char *name, uint64_t *ret_index);
