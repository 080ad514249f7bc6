/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The functions of adapters that have RDMA: physical functions (PF), their virtual functions (VF)
 * and subfunctions (SF), and what each of them is used for. Most facts are in files; a PF's
 * settings for its VFs come from rtnetlink, and the driver's switches from devlink, both only on
 * the live system.
 */
#pragma once

#include "host/inventory/inventory.h"
#include "host/need.h"

/* Needs that the inventory must be loaded with. */
#define FUNCTION_NEEDS (NEED_NETDEV | NEED_LINK_LIST | NEED_NODE_GUID | NEED_PORT_GUID)

/* Additional needs of a field: netlink's facts about VFs, and parameters of drivers. */
enum { FUNCTION_NEED_VF = 1 << 0, FUNCTION_NEED_PARAMETERS = 1 << 1 };

enum function_kind { FUNCTION_PF, FUNCTION_VF, FUNCTION_SF, FUNCTION_PLAIN };

enum function_owner {
	FUNCTION_OF_HOST,      /* a driver of this host uses it */
	FUNCTION_OF_VFIO,      /* reserved for a virtual machine or a program */
	FUNCTION_OF_NAMESPACE, /* its netdev or RDMA device is in another network namespace */
	FUNCTION_OF_NOBODY,    /* no driver is bound */
};

struct function {
	char *name;	     /* 0000:3b:00.2, mlx5_core.sf.4, netdevsim10 */
	struct number kind;  /* enum function_kind */
	char *parent;	     /* name of the PF */
	struct number index; /* a VF's number, or the sfnum of an SF */
	char *device, *netdev;
	struct number node_guid, port_guid; /* for a VF: as set by the PF */
	char *mac;
	struct number policy; /* enum vf_policy */
	enum tristate trust;
	char *driver;
	struct number owner;		  /* enum function_owner */
	struct number vf_count, vf_limit; /* for a PF */
	enum tristate autoprobe;
	enum tristate roce, rdma, iwarp; /* switches of the driver */
};

struct function_list {
	struct function *items;
	size_t count;
};

extern const struct schema function_schema;

/* Whether that driver reserves a function for a guest, or a program: uio_pci_generic, igb_uio. */
bool function_is_kept(const char *driver);

/*
 * Appends all functions. `saved` is the name of the saved tree, or NULL. Returns 0 or the error of
 * root_open().
 */
int function_list_read(struct function_list *list, const struct inventory *inventory,
		       const char *saved, struct problems *problems);
/*
 * The part of function_list_read() that only netlink has: adds the PFs' settings for their VFs (and
 * VFs that are not PCI functions), and the switches of the drivers. May move the items of the list.
 */
void function_list_read_live(const struct root *root, struct function_list *list,
			     const struct inventory *inventory, struct problems *problems);
/* With objects, keeps only the functions of these devices, and those that belong to such a PF. */
void function_list_keep(struct function_list *list, const struct device_list *devices,
			const struct objects *objects);
void function_list_clear(struct function_list *list);
