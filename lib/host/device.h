/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An RDMA device and its ports. The list owns the devices, a device its ports, a port its tables. A
 * record owns its strings except where a member says "borrowed". Everything except the name may be
 * unknown (struct number with known = false, NULL).
 */
#pragma once

#include "host/port.h"
#include "mad/format/codes.h"

struct device {
	char *name;		 /* clean, for output and for matching arguments */
	char *kernel_name;	 /* exact bytes from the kernel, any but / and NUL: for paths */
	struct number index;	 /* RDMA netlink's index */
	struct number node_type; /* enum node_type */
	struct number transport; /* enum transport */
	char *protocol;		 /* RDMA netlink's word: ib, roce, iw, opa, usnic */
	char *driver;
	struct number driver_id; /* enum rdma_driver_id: selects the verbs provider */
	char *firmware;
	struct number node_guid;
	struct number system_image_guid;
	char *pci_address;	 /* 0000:3b:00.0; NULL for a software device */
	char *pci_path;		 /* of the PCI function, relative to the class directory */
	bool software;		 /* known to have no hardware, and so no driver link */
	struct number numa_node; /* int64_t; unknown if the kernel says -1 */
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
	struct number user_contexts; /* ib_qib, hfi1: one per PSM process */
	struct number free_user_contexts;
	char *uverbs;		/* uverbs0 */
	bool uverbs_unknown;	/* whether it has one could not be read */
	struct strings netdevs; /* of the ports: device_find_netdevs() */
	struct strings umads;	/* umad0, one for each port with a umad node */
	struct strings issms;
	bool nodes_unknown;	/* the character devices cannot be listed */
	char *parent;		/* for a sub-device */
	struct number sub_type; /* enum rdma_nl_dev_type: 1 SMI */
	struct port *ports;
	size_t port_count;
	bool ports_unknown;    /* the ports cannot be listed, so a count of 0 says nothing */
	struct number sources; /* mask of enum device_source */
};

/* The interfaces that supplied facts. */
enum device_source { DEVICE_FROM_NLDEV = 1, DEVICE_FROM_SYSFS = 2, DEVICE_FROM_VERBS = 4 };

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
/* Facts that sysfs and RDMA netlink have: the readers of both walk this table. */
extern const struct attributes device_attributes;
/* Words for the codes; node types are in mad/format/codes.h. */
extern const struct enum_name transport_names[];
extern const struct enum_name driver_id_names[]; /* enum rdma_driver_id: names of the modules */

/*
 * Appends a device with the kernel's name (any byte is possible) and no ports. This invalidates
 * pointers to earlier devices.
 */
struct device *device_list_add(struct device_list *list, const char *kernel_name);
/* Sets both names, which are still NULL; takes ownership of the kernel's. */
void device_take_name(struct device *device, char *kernel_name);
struct device *device_list_find(const struct device_list *list, const char *name);
struct device *device_list_find_kernel_name(const struct device_list *list, const char *name);
/* Sorts names in natural order and ports by number. */
void device_list_sort(struct device_list *list);
/*
 * Returns the devices in the order of their PCI addresses; software devices, which have none, come
 * last. Equal ones keep the order of the list. The caller frees the array.
 */
const struct device **device_list_by_place(const struct device_list *list);
void device_list_clear(struct device_list *list);
/* Removes all devices for which `keep` is false. */
void device_list_filter(struct device_list *list, bool (*keep)(const struct device *, const void *),
			const void *context);

/*
 * Walks the ports of all devices of a list; as this is two loops, `break` leaves only those of one
 * device.
 */
#define for_each_port(device_, port_, list)                                 \
	for (struct device *device_ = (list)->items;                        \
	     device_ && device_ < (list)->items + (list)->count; device_++) \
		for (struct port *port_ = device_->ports;                   \
		     port_ && port_ < device_->ports + device_->port_count; port_++)

/* Returns the port with that number, or NULL. */
struct port *device_port(const struct device *device, unsigned int number);
/* Appends a port, which invalidates pointers to earlier ones. */
struct port *device_add_port(struct device *device, unsigned int number);
/* Whether the device belongs to a subfunction: below mlx5_core.sf.4, mlx5/core/sf/dev/dev.c. */
bool device_is_subfunction(const struct root *root, const struct device *device);
/* Collects the netdevs of the ports; the result is unknown if one of them is hidden. */
void device_find_netdevs(struct device *device);
/*
 * Returns the link layer of ports that speak a protocol of RDMA netlink, enum link_layer; unknown
 * for NULL, and if the protocol does not determine it.
 */
struct number device_protocol_layer(const char *protocol);
/*
 * Derives the transport from node type, protocol and the first port's link layer, as far as
 * possible.
 */
void device_derive_transport(struct device *device);
/*
 * Returns the transport of one port. The device's transport is that of its first port, and others
 * may differ: ConnectX-3 can have one port of InfiniBand and one of RoCE.
 */
enum transport device_port_transport(const struct device *device, const struct port *port);

/* Returns 0 if the kernel has the RDMA core (its class directory), else -ENOENT. */
int device_find_core(const struct root *root);
/* Appends the devices of the class directory, without ports. Returns 0 or -errno. */
int device_list_sysfs(const struct root *root, struct device_list *list);
/* Adds a device's ports, with their numbers only. */
void device_list_ports_sysfs(const struct root *root, struct device *device,
			     struct problems *problems);
/* Lists the names of the devices, for completion. */
int device_names_sysfs(const struct root *root, struct strings *ret_names);
/*
 * Reads facts that are needed (bits of host/need.h) and still unknown. Read failures become
 * problems; an attribute that a device simply does not have is not a problem.
 */
void device_read_sysfs(const struct root *root, struct device *device, uint64_t needs,
		       struct problems *problems);
/* Reads the uverbs, umad and issm nodes of all devices, as far as needed. */
void device_list_read_chardevs(const struct root *root, struct device_list *list, uint64_t needs,
			       struct problems *problems);
