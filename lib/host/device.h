/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An RDMA device and its ports. The list owns the devices, a device its ports, a port its tables. A
 * record owns its strings except where a member says "borrowed". Everything but the name may be
 * unknown (struct number with known = false, NULL).
 */
#pragma once

#include "host/port.h"
#include "mad/format/codes.h"

struct device {
	char *name;		 /* clean, for output and for matching arguments */
	char *kernel_name;	 /* the kernel's bytes, any but / and NUL: for paths */
	struct number index;	 /* RDMA netlink's index */
	struct number node_type; /* enum node_type */
	struct number transport; /* enum transport */
	char *protocol;		 /* RDMA netlink's word: ib, roce, iw, opa, usnic */
	char *driver;
	struct number driver_id; /* enum rdma_driver_id: the verbs provider that serves it */
	char *firmware;
	struct number node_guid;
	struct number system_image_guid;
	char *pci_address;	 /* 0000:3b:00.0; NULL for a software device */
	char *pci_path;		 /* of the PCI function, relative to the class directory */
	bool software;		 /* known to have no hardware, and so no driver link */
	struct number numa_node; /* int64_t; the kernel's -1 is kept unknown */
	char *board_id;
	char *hca_type;
	char *hardware_revision;
	char *node_description;
	struct number pci_vendor_id;
	struct number pci_device_id;
	struct real pcie_speed_gtps; /* gigatransfers per second and lane */
	struct real pcie_max_speed_gtps;
	struct number pcie_width_lanes;
	struct number pcie_max_width_lanes;
	struct number irq_count;
	struct number user_contexts; /* ib_qib, hfi1: each process of PSM takes one */
	struct number free_user_contexts;
	char *uverbs;		/* uverbs0 */
	struct strings netdevs; /* of the ports: device_find_netdevs() */
	struct strings umads;	/* umad0, one for each port that has one */
	struct strings issms;
	bool nodes_unknown;	/* the character devices cannot be listed */
	char *parent;		/* of a sub-device */
	struct number sub_type; /* enum rdma_nl_dev_type: 1 SMI */
	struct port *ports;
	size_t port_count;
	bool ports_unknown;	/* the ports cannot be listed, so a count of 0 says nothing */
	struct strings sources; /* interfaces that had facts about it: nldev, sysfs, verbs */
};

struct device_list {
	struct device *items;
	size_t count;
};

enum transport {
	TRANSPORT_INFINIBAND = 1,
	TRANSPORT_OPA,
	TRANSPORT_ROCE,
	TRANSPORT_IWARP,
	TRANSPORT_USNIC,
	TRANSPORT_UNSPECIFIED,
};

extern const struct schema device_schema;
/* The facts that sysfs and RDMA netlink have: both readers walk this table. */
extern const struct attributes device_attributes;
/* Words of the codes; node types are in mad/format/codes.h. */
extern const struct enum_name transport_names[];
extern const struct enum_name driver_id_names[]; /* enum rdma_driver_id: names of the modules */

/*
 * Appends a device with the kernel's name (any byte is possible) and no ports. This invalidates
 * pointers to earlier devices.
 */
struct device *device_list_add(struct device_list *list, const char *kernel_name);
/* Sets both names from the kernel's, which is `length` bytes long unless a NUL ends it earlier. */
void device_set_name(struct device *device, const char *kernel_name, size_t length);
struct device *device_list_find(const struct device_list *list, const char *name);
struct device *device_list_find_kernel_name(const struct device_list *list, const char *name);
/* Sorts names in natural order and ports by number. */
void device_list_sort(struct device_list *list);
/*
 * The devices as they are plugged in; software devices, which have no address, come last, and those
 * of one place as in the list. The caller frees the array.
 */
const struct device **device_list_by_place(const struct device_list *list);
void device_list_clear(struct device_list *list);
/* Removes all devices for which `keep` is false. */
void device_list_filter(struct device_list *list, bool (*keep)(const struct device *, const void *),
			const void *context);

/* The port with that number, or NULL. */
struct port *device_port(const struct device *device, unsigned int number);
/* Appends a port, which invalidates pointers to earlier ones. */
struct port *device_add_port(struct device *device, unsigned int number);
/* Whether it is of a subfunction: below mlx5_core.sf.4, mlx5/core/sf/dev/dev.c. */
bool device_is_subfunction(const struct root *root, const struct device *device);
/* Collects the netdevs of the ports: unknown if one of them is hidden. */
void device_find_netdevs(struct device *device);
/*
 * Derives the transport from node type, protocol and the first port's link layer, as far as
 * possible.
 */
void device_derive_transport(struct device *device);
/*
 * The transport of a device is taken from its first port; its other ports may be of another kind,
 * as ConnectX-3 can have one of InfiniBand and one of RoCE.
 */
enum transport device_port_transport(const struct device *device, const struct port *port);

/* 0 if the kernel has the RDMA core (its class directory); -ENOENT if not. */
int device_find_core(const struct root *root);
/* Appends the devices of the class directory, without ports. Returns 0 or -errno. */
int device_list_sysfs(const struct root *root, struct device_list *list);
/* Adds the ports of a device, with their numbers only. */
void device_list_ports_sysfs(const struct root *root, struct device *device,
			     struct problems *problems);
/* Lists the names of the devices, for completion. */
int device_names_sysfs(const struct root *root, struct strings *ret_names);
/*
 * Reads what is needed (bits of host/need.h) and not known yet. Read failures become problems; an
 * attribute that a device simply does not have is not a problem.
 */
void device_read_sysfs(const struct root *root, struct device *device, uint64_t needs,
		       struct problems *problems);
/* Reads the uverbs, umad and issm nodes of all devices, as far as needed. */
void device_list_read_chardevs(const struct root *root, struct device_list *list, uint64_t needs,
			       struct problems *problems);
