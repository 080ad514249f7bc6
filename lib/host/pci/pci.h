/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The PCI functions of the host, from sysfs alone. pci_list_read() reads the directory of the bus
 * and the target of each link in it, which gives the tree, without any file of a function.
 * pci_read() reads the facts of one function when they are first needed, and reports only once what
 * cannot be read. The list owns the functions; they do not move while it exists.
 */
#pragma once

#include "kernel/root.h"
#include "schema/problem.h"
#include "schema/value.h"

/* The directory of a function, given its address; AER counters and the like are read there. */
#define PCI_FUNCTION "sys/bus/pci/devices/%s"

enum pci_fact {
	PCI_ID = 1 << 0,     /* vendor, device and subsystem */
	PCI_DRIVER = 1 << 1, /* driver */
	PCI_NUMA = 1 << 2,   /* numa_node and local_cpulist, as in the kernel */
	/* Current and maximum speed and width; unknown if reported by a function without a link. */
	PCI_LINK = 1 << 3,
	PCI_VIRTUAL = 1 << 4, /* physfn */
	PCI_IOMMU = 1 << 5,   /* iommu_group and iommu_type */
	PCI_CLASS = 1 << 6,   /* class_code */
	PCI_ACS = 1 << 7,     /* acs_control and acs_error: reads the config space of a port */
};

/* Vendors, include/linux/pci_ids.h. */
enum pci_vendor {
	PCI_VENDOR_AMD = 0x1002,
	PCI_VENDOR_NVIDIA = 0x10de,
	PCI_VENDOR_MELLANOX = 0x15b3,
	PCI_VENDOR_HABANA = 0x1da3,
	PCI_VENDOR_INTEL = 0x8086,
};

struct pci_function {
	char *address; /* 0000:3b:00.0, or with a longer domain: 10000:3b:00.0 */
	unsigned int domain, bus, device, function;
	struct pci_function *parent; /* nearest bridge above, up to the root port; or NULL */
	char *host_bridge;	     /* pci0000:3a, the nearest one above; NULL if unknown */
	char *path; /* target of the bus's link, cleaned, for messages; NULL if unreadable */

	unsigned int facts; /* enum pci_fact that were read, successfully or not */
	struct number vendor_id, device_id, subsystem_vendor_id, subsystem_device_id;
	struct number class_code; /* three bytes: 0x020700 */
	char *driver;		  /* NULL: none is bound, or driver_unknown */
	bool driver_unknown;	  /* the link could not be read */
	struct number numa_node;  /* the kernel's -1 stays unknown: see pci_numa_node() */
	char *local_cpulist;	  /* without a node every online CPU: drivers/pci/pci-sysfs.c */
	struct real speed_gtps, max_speed_gtps;
	struct number width_lanes, max_width_lanes;
	char *physfn;		   /* address of the physical function; NULL: not a VF */
	struct number iommu_group; /* unknown if there is none */
	char *iommu_type;	   /* DMA, DMA-FQ, identity, blocked, unmanaged ... */
	struct number acs_control; /* bits of enum pci_acs; 0: the port lacks these services */
	int acs_error; /* why acs_control is unknown: -EPERM, or pci_config_read()'s error */
	char *serial;  /* V3 of the vital product data, if serial_read; NULL: unreadable, or none */
	bool serial_read;
};

struct pci_list {
	struct pci_function *items; /* by domain, bus, device, function */
	size_t count;
};

/*
 * Returns 0 if the bus was read; a host without PCI has no functions. A directory that cannot be
 * read is a problem, and its -errno is returned; a link that cannot be read is only a problem.
 */
int pci_list_read(const struct root *root, struct pci_list *list, struct problems *problems);
void pci_list_clear(struct pci_list *list);
struct pci_function *pci_list_find(const struct pci_list *list, const char *address);

/* Reads those of `facts` that have not been read yet. */
void pci_read(const struct root *root, struct pci_function *function, unsigned int facts,
	      struct problems *problems);

/*
 * Returns the physical function's number for this virtual one, from its links virtfnN; unknown if
 * none of them leads here. The link of the number `guess` is tried first, because there may be
 * hundreds. Needs PCI_VIRTUAL.
 */
struct number pci_virtual_number(const struct root *root, const struct pci_function *function,
				 uint64_t guess);

/*
 * Returns the NUMA node of the function, or of the nearest function above that has one; *ret_from
 * is the function that has it. Unknown if none has.
 */
struct number pci_numa_node(const struct root *root, struct pci_function *function,
			    struct pci_function **ret_from, struct problems *problems);
/*
 * Returns the data rate of a link in Gb/s after encoding, as the kernel computes it for
 * pcie_bandwidth_available(): PCIE_SPEED2MBS_ENC of drivers/pci/pci.h. Unknown if a factor is.
 */
struct real pci_link_gbps(const struct real *speed_gtps, const struct number *lanes);
/*
 * Whether that driver (NULL: none) reserves its functions for virtual machines: vfio-pci or a
 * variant for certain devices (mlx5_vfio_pci, drivers/vfio/pci), pci-stub, or Xen's pciback
 * (xen-pciback/pci_stub.c).
 */
bool pci_driver_is_for_guests(const char *driver);
/*
 * Whether this function carries the traffic between a ConnectX-8 (a Direct NIC) and accelerators:
 * drivers/infiniband/hw/mlx5/data_direct.c, kernel-boot/rdma_topo of rdma-core.
 */
bool pci_is_data_direct(const struct root *root, struct pci_function *function,
			struct problems *problems);

enum pci_pairing {
	PCI_PAIRING_NONE,    /* it has none, or is no ConnectX-8 */
	PCI_PAIRING_UNKNOWN, /* only the serial numbers could tell */
	PCI_PAIRING_GUESSED, /* there are as many cards, and both are taken to be in one order */
	PCI_PAIRING_KNOWN,
};

/*
 * Finds the Data Direct function of an adapter, which has the same serial number (V3 of the vital
 * product data, as in rdma_topo). Only root can read the number, and snapshots of root have it.
 */
enum pci_pairing pci_find_data_direct(const struct root *root, const struct pci_list *list,
				      struct pci_function *adapter,
				      struct pci_function **ret_function,
				      struct problems *problems);
/* Whether the two addresses differ in the number of the function only. */
bool pci_is_same_card(const struct pci_function *a, const struct pci_function *b);
/* Whether this is a port that a hypervisor emulates. Needs PCI_ID. */
bool pci_is_emulated(const struct pci_function *function);
/* Computes what the link above a function can do: the lesser of its two ends. Needs PCI_LINK. */
void pci_possible_link(const struct pci_function *function, struct real *ret_speed_gtps,
		       struct number *ret_lanes);
/* Whether Hyper-V gave the function to this virtual machine, by its path. */
bool pci_is_of_vmbus(const struct pci_function *function);
/* Returns the nearest function above both, which may be one of them; NULL if there is none. */
struct pci_function *pci_common_ancestor(struct pci_function *a, struct pci_function *b);

/* Kinds that topology and checks distinguish; the class alone determines most of them. */
enum pci_kind {
	PCI_KIND_OTHER,
	PCI_KIND_BRIDGE,      /* root ports and switch ports */
	PCI_KIND_NETWORK,     /* class 02, and the InfiniBand class 0c06 of old adapters */
	PCI_KIND_ACCELERATOR, /* a GPU or a similar compute device */
	PCI_KIND_NVSWITCH,    /* NVIDIA's switch for a GPU fabric */
};

enum pci_kind pci_kind(const struct root *root, struct pci_function *function,
		       struct problems *problems);

/*
 * Passes on the ports between the two functions and the nearest function above both, each with the
 * function or upstream port below it. Returns false if there is none: no switch is above both.
 */
typedef void pci_port_handler(void *context, struct pci_function *port, struct pci_function *below);
bool pci_for_each_port_between(struct pci_function *a, struct pci_function *b,
			       pci_port_handler *handle, void *context);

/*
 * Whether a PCIe switch lets two functions below it reach each other directly, or its ports
 * redirect their requests up to the host bridge by access control services (ACS): what IOMMU groups
 * show of that, to every user. pci_device_group() of drivers/iommu/iommu.c puts a function into the
 * group of the port above it unless all of SV, RR, CR and UF are on from there to the root. So a
 * group that differs from the port's proves that they were on when the kernel made the groups (or
 * that a quirk in the kernel declares the port isolating). A common group, or none, proves nothing.
 * Neither do different groups of the two functions: without ACS each shares the group of the port
 * above it. Returns the function or upstream port whose group differs from that of the port above
 * it, or NULL. Needs PCI_IOMMU of the functions and the ports.
 */
const struct pci_function *pci_find_redirected(struct pci_function *a, struct pci_function *b);

/*
 * Counters of Advanced Error Reporting, since Linux 4.19, for each function that has the capability
 * (Documentation/ABI/testing/sysfs-bus-pci-devices-aer_stats). The end of a link that detects an
 * error counts it, which need not be the end that causes it.
 */
enum pci_aer { PCI_AER_CORRECTABLE, PCI_AER_NONFATAL, PCI_AER_FATAL, PCI_AER_FILES };

extern const char *const pci_aer_files[PCI_AER_FILES]; /* aer_dev_fatal ... */

typedef void pci_aer_handler(void *context, const char *name, uint64_t count);

/*
 * Reads one of the files and passes on its lines. Returns 0 or -errno; -ENOENT: the function does
 * not count errors; -EINVAL: a line is malformed, after the earlier ones have been passed on.
 */
int pci_aer_read(const struct root *root, const struct pci_function *function, enum pci_aer file,
		 pci_aer_handler *handle, void *context);
/*
 * Pure function, which cuts the text into pieces. A line is a name and a number; in older kernels
 * names contain blanks. The last line, TOTAL_ERR_..., counts messages, not errors.
 */
int pci_aer_parse(char *text, pci_aer_handler *handle, void *context);
