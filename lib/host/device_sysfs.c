/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Devices from /sys/class/infiniband*, their PCI functions and their character devices. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/attributes.h"
#include "host/device.h"
#include "host/need.h"
#include "kernel/netlink/nldev.h"
#include "kernel/sysfs.h"

/*
 * Drivers that create these attributes, in Linux 3.10 to 6.12, and ionic since 6.18:
 * hca_type_show() and similar functions in drivers/infiniband/hw. Since 4.10 the core creates
 * fw_ver, before that these drivers did.
 */
#define HCA_TYPE_DRIVERS                                                                        \
	"mlx5_core mlx4_core ib_mthca cxgb4 ocrdma be2net qedr qede bnxt_en vmw_pvrdma iw_nes " \
	"ionic"
#define HW_REV_DRIVERS	 HCA_TYPE_DRIVERS " hfi1 ib_qib qib"
#define BOARD_ID_DRIVERS "mlx5_core mlx4_core ib_mthca cxgb4 vmw_pvrdma hfi1 ib_qib qib"
#define FIRMWARE_DRIVERS HCA_TYPE_DRIVERS " irdma ice efa hns3 hns_roce_hw_v2"

#define ROW(member, ...) ATTRIBUTE(struct device, member, __VA_ARGS__)

static const struct attribute device_rows[] = {
	ROW(index, NULL, DECIMAL, NEED_NETLINK, .netlink = RDMA_NLDEV_ATTR_DEV_INDEX),
	ROW(node_type, "node_type", CODE, NEED_NODE_TYPE, .due = DUE_ALWAYS,
	    .netlink = RDMA_NLDEV_ATTR_DEV_NODE_TYPE),
	ROW(firmware, "fw_ver", TEXT, NEED_FIRMWARE, .due = DUE_DRIVERS, .with = FIRMWARE_DRIVERS,
	    .netlink = RDMA_NLDEV_ATTR_FW_VERSION),
	ROW(node_guid, "node_guid", GUID, NEED_NODE_GUID, .due = DUE_ALWAYS,
	    .netlink = RDMA_NLDEV_ATTR_NODE_GUID),
	ROW(system_image_guid, "sys_image_guid", GUID, NEED_IMAGE_GUID, .due = DUE_ALWAYS,
	    .netlink = RDMA_NLDEV_ATTR_SYS_IMAGE_GUID),
	ROW(sub_type, NULL, DECIMAL, NEED_NETLINK, .netlink = NLDEV_ATTR_DEV_TYPE),
	ROW(protocol, NULL, TEXT, NEED_NETLINK, .netlink = RDMA_NLDEV_ATTR_DEV_PROTOCOL),
	ROW(board_id, "board_id", TEXT, NEED_BOARD_ID, .due = DUE_DRIVERS,
	    .with = BOARD_ID_DRIVERS),
	ROW(hca_type, "hca_type", TEXT, NEED_HCA_TYPE, .due = DUE_DRIVERS,
	    .with = HCA_TYPE_DRIVERS),
	ROW(hardware_revision, "hw_rev", TEXT, NEED_HW_REV, .due = DUE_DRIVERS,
	    .with = HW_REV_DRIVERS),
	ROW(node_description, "node_desc", TEXT, NEED_DESCRIPTION, .due = DUE_ALWAYS),
	/* qib_sysfs.c, hfi1/sysfs.c; the first ib_qib lacks nfreectxts. */
	ROW(user_contexts, "nctxts", DECIMAL, NEED_CONTEXTS, .due = DUE_DRIVERS,
	    .with = "hfi1 ib_qib"),
	ROW(free_user_contexts, "nfreectxts", DECIMAL, NEED_FREE_CONTEXTS, .due = DUE_DRIVERS,
	    .with = "hfi1"),
};

/* Paths are relative to the PCI function. */
static const struct attribute pci_rows[] = {
	ROW(numa_node, "numa_node", SIGNED, NEED_NUMA),
	ROW(pci_vendor_id, "vendor", HEX, NEED_PCI_VENDOR, .due = DUE_ALWAYS),
	ROW(pci_device_id, "device", HEX, NEED_PCI_DEVICE, .due = DUE_ALWAYS),
	ROW(pcie_speed_gtps, "current_link_speed", SPEED, NEED_PCI_SPEED, .due = DUE_WITH,
	    .with = "max_link_speed"),
	ROW(pcie_max_speed_gtps, "max_link_speed", SPEED, NEED_PCI_MAX_SPEED, .due = DUE_WITH,
	    .with = "current_link_speed"),
	ROW(pcie_width_lanes, "current_link_width", LANES, NEED_PCI_WIDTH, .due = DUE_WITH,
	    .with = "max_link_width"),
	ROW(pcie_max_width_lanes, "max_link_width", LANES, NEED_PCI_MAX_WIDTH, .due = DUE_WITH,
	    .with = "current_link_width"),
};

const struct attributes device_attributes = {device_rows, ARRAY_SIZE(device_rows), &device_schema};
static const struct attributes pci_attributes = {pci_rows, ARRAY_SIZE(pci_rows), &device_schema};

int device_find_core(const struct root *root)
{
	return sysfs_open_directory(root, SYSFS_RDMA_CLASS);
}

int device_names_sysfs(const struct root *root, struct strings *ret_names)
{
	return sysfs_list(root, ret_names, SYSFS_RDMA_CLASS);
}

/*
 * Every device has a port. The core numbers ports from 1 without a gap; a switch has only port 0.
 * The names are in natural order.
 */
static bool has_all_ports(const struct strings *names)
{
	uint64_t number, next = 1;

	for (size_t i = 0; i < names->count; i++) {
		if (text_parse_u64(names->items[i], 10, PORT_MOST, &number))
			continue;
		if (number > next)
			return false;
		next = number + 1;
	}
	return names->count;
}

void device_list_ports_sysfs(const struct root *root, struct device *device,
			     struct problems *problems)
{
	_cleanup_(strings_free) struct strings names = {0};
	uint64_t number;
	int rc = sysfs_list(root, &names, SYSFS_RDMA_CLASS "/%s/ports", device->kernel_name);

	if (!rc && !has_all_ports(&names))
		rc = -ENOENT;
	device->ports_unknown = rc;
	if (rc)
		problem_add(problems, device->name, "ports", "sysfs", rc, NULL);
	for (size_t i = 0; i < names.count; i++) {
		if (text_parse_u64(names.items[i], 10, PORT_MOST, &number))
			sysfs_note_text(problems, device->name, "ports", names.items[i]);
		else if (!device_port(device, (unsigned int)number))
			device_add_port(device, (unsigned int)number);
	}
}

int device_list_sysfs(const struct root *root, struct device_list *list)
{
	_cleanup_(strings_free) struct strings names = {0};
	int rc = device_names_sysfs(root, &names);

	if (rc)
		return rc;
	for (size_t i = 0; i < names.count; i++)
		device_list_add(list, names.items[i])->sources = number_of(DEVICE_FROM_SYSFS);
	return 0;
}

/*
 * In a copy that followed links, the device is a folder, with a link `device` to the PCI function,
 * or with a copy of that function's folder. Returns false if neither identifies the function.
 */
static bool find_pci_of_copy(const struct root *root, const char *directory, struct device *device)
{
	_cleanup_(freep) char *path = mem_format("%s/device", directory);
	_cleanup_(freep) char *target = NULL;

	if (!sysfs_link_path(root, &target, path))
		sysfs_find_pci(target, &device->pci_address);
	if (!device->pci_address)
		device->pci_address = sysfs_pci_slot(root, path);
	if (sysfs_has_directory(root, path))
		device->pci_path = mem_string(path);
	return device->pci_address;
}

/* Returns false if it is unknown whether the device is part of a PCI function. */
static bool find_pci(const struct root *root, const char *directory, struct device *device)
{
	_cleanup_(freep) char *target = NULL;
	int rc = sysfs_link_path(root, &target, directory);
	size_t length;

	device->software = (target && strstr(target, "/devices/virtual/")) ||
			   sysfs_is_software(root, directory);
	if (device->software)
		return true;
	if (rc)
		return find_pci_of_copy(root, directory, device);
	length = sysfs_find_pci(target, &device->pci_address);
	if (length)
		device->pci_path = mem_format(SYSFS_RDMA_CLASS "/%.*s", (int)length, target);
	return true;
}

static void find_driver(const struct root *root, const char *directory, struct device *device,
			struct problems *problems)
{
	_cleanup_(freep) char *target = NULL;
	int rc;

	device->driver = sysfs_driver(root, directory);
	if (device->driver || !sysfs_has_directory(root, directory))
		return;
	rc = sysfs_link(root, &target, "%s/device/driver", directory);
	problem_add(problems, device->name, "driver", "sysfs", rc ? rc : -ENOENT, NULL);
}

enum { NEED_PCI = NEED_PCI_ADDRESS | NEED_NUMA | NEED_PCI_ID | NEED_PCI_LINK | NEED_IRQS };

static void read_pci(const struct root *root, const char *directory, struct device *device,
		     uint64_t needs, struct problems *problems)
{
	size_t irqs;
	int rc;

	if (!device->pci_path && !find_pci(root, directory, device) && needs & NEED_PCI &&
	    sysfs_has_directory(root, directory))
		problem_add(problems, device->name, "pci_address", "sysfs", -ENOENT, NULL);
	if (!device->pci_path)
		return;
	attributes_read(&pci_attributes, root, device->pci_path, device->name, needs, device,
			problems);
	if (!(needs & NEED_IRQS))
		return;
	rc = sysfs_count(root, &irqs, "%s/msi_irqs", device->pci_path);
	if (!rc)
		number_set(&device->irq_count, irqs);
	else if (rc != -ENOENT) /* a function without MSI has no such directory */
		problem_add(problems, device->name, "irq_count", "sysfs", rc, NULL);
}

/*
 * Reports one problem for all needed facts of a device without a directory, unless the failure to
 * list its ports has already been reported for that reason.
 */
static void note_gone(const struct root *root, const char *directory, const struct device *device,
		      uint64_t needs, struct problems *problems)
{
	if (!device->pci_path && !device->software && !device->ports_unknown &&
	    !sysfs_has_directory(root, directory))
		problem_add(problems, device->name, needs & NEED_DRIVER ? "driver" : "pci_address",
			    "sysfs", -ENOENT,
			    "it was removed, or /sys belongs to another network namespace");
}

void device_read_sysfs(const struct root *root, struct device *device, uint64_t needs,
		       struct problems *problems)
{
	_cleanup_(freep) char *directory = mem_path(SYSFS_RDMA_CLASS, device->kernel_name);
	const size_t reported = problems ? problems->count : 0;

	if (attributes_wanted(&device_attributes, needs, device))
		attributes_read(&device_attributes, root, directory, device->name, needs, device,
				problems);
	if (needs & (NEED_PCI | NEED_DRIVER))
		read_pci(root, directory, device, needs, problems);
	if (needs & NEED_DRIVER && !device->driver && !device->software)
		find_driver(root, directory, device, problems);
	if (needs & (NEED_PCI | NEED_DRIVER) && problems && problems->count == reported)
		note_gone(root, directory, device, needs, problems);
}

static void add_node(struct device *device, const char *node)
{
	if (!strncmp(node, "umad", 4))
		strings_add(&device->umads, node);
	else if (!strncmp(node, "issm", 4))
		strings_add(&device->issms, node);
	else if (!device->uverbs)
		device->uverbs = text_clean(node, strlen(node));
}

/* Whether the class has a device of that name. */
static bool is_device(const struct root *root, const char *name)
{
	_cleanup_(strings_free) struct strings names = {0};

	return !device_names_sysfs(root, &names) && strings_contain(&names, name);
}

/* A class of character devices, and the module whose absence means that there are none. */
struct node_class {
	const char *name, *module, *key;
};

static const struct node_class verbs_class = {"infiniband_verbs", "ib_uverbs", "uverbs"};
static const struct node_class mad_class = {"infiniband_mad", "ib_umad", "umads"};

/*
 * Reads one node, whose `ibdev` names its RDMA device; with `only`, skips the nodes of other
 * devices. Returns false if the node cannot be read: then no device is known to lack one.
 */
static bool read_node(const struct root *root, const char *directory, const char *class,
		      const char *node, struct device_list *list, const struct device *only,
		      struct problems *problems)
{
	_cleanup_(freep) char *path = mem_format("%s/%s/ibdev", class, node);
	_cleanup_(freep) char *clean = text_clean(path, strlen(path));
	char text[SYSFS_TEXT_SIZE];
	struct device *device;
	ssize_t length;

	/* This is a file of the class, not a node. */
	if (!strcmp(node, "abi_version"))
		return true;
	length = sysfs_read(root, text, "%s/%s", directory, path);
	/*
	 * Nodes may go away meanwhile: ibdev_show() of user_mad.c and uverbs_main.c, and kernfs
	 * itself, return ENODEV once the node's device has been removed.
	 */
	if (length == -ENODEV || (root->live && length == -ENOENT))
		return true;
	device = length < 0 ? NULL : device_list_find_kernel_name(list, text);
	if (device && (!only || device == only))
		add_node(device, node);
	/* The list has only the requested devices. */
	if (device || (length >= 0 && (root->live || is_device(root, text))))
		return true;
	sysfs_note(problems, NULL, clean, length, text);
	return false;
}

/*
 * A saved tree may have the nodes only below the device. Returns false if it does not show whether
 * the device has any.
 */
static bool read_nodes_of_device(const struct root *root, const struct node_class *class,
				 struct device *device, struct device_list *list,
				 struct problems *problems)
{
	_cleanup_(freep) char *directory = mem_format(SYSFS_RDMA_CLASS "/%s/device",
						      device->kernel_name);
	_cleanup_(freep) char *module = mem_format("sys/module/%s", class->module);
	_cleanup_(strings_free) struct strings nodes = {0};
	int rc = sysfs_list(root, &nodes, "%s/%s", directory, class->name);
	bool complete = !rc;

	for (size_t i = 0; i < nodes.count; i++)
		complete &= read_node(root, directory, class->name, nodes.items[i], list, device,
				      problems);
	/*
	 * The class exists only while its module is loaded; a saved tree with other modules, but
	 * not this one, shows that it was not.
	 */
	if (rc == -ENOENT && (root->live || (sysfs_has_directory(root, "sys/module/ib_core") &&
					     !sysfs_has_directory(root, module))))
		return true;
	if (rc)
		problem_add(problems, device->name, class->key, "sysfs", rc, NULL);
	return complete;
}

/*
 * Reads a class directory whose entries name their RDMA device. Returns false if an entry cannot be
 * read: then no device is known to lack a node.
 */
static bool read_class(const struct root *root, const struct node_class *class,
		       struct device_list *list, struct problems *problems)
{
	_cleanup_(strings_free) struct strings nodes = {0};
	int rc = sysfs_list(root, &nodes, "sys/class/%s", class->name);
	bool complete;

	/* The kernel's directory has at least abi_version. */
	if (!rc && !nodes.count)
		rc = -ENOENT;
	complete = !rc || rc == -ENOENT;
	for (size_t i = 0; i < list->count; i++) {
		struct device *device = &list->items[i];

		device->nodes_unknown = rc == -ENOENT &&
					!read_nodes_of_device(root, class, device, list, problems);
	}
	if (rc && rc != -ENOENT)
		problem_add(problems, NULL, class->name, "sysfs", rc, NULL);
	for (size_t i = 0; i < nodes.count; i++)
		complete &= read_node(root, "sys/class", class->name, nodes.items[i], list, NULL,
				      problems);
	return complete;
}

void device_list_read_chardevs(const struct root *root, struct device_list *list, uint64_t needs,
			       struct problems *problems)
{
	bool complete;

	if (needs & NEED_UVERBS) {
		complete = read_class(root, &verbs_class, list, problems);
		for_each (device, list)
			device->uverbs_unknown = !device->uverbs &&
						 (!complete || device->nodes_unknown);
	}
	if (!(needs & NEED_UMADS))
		return;
	complete = read_class(root, &mad_class, list, problems);
	for (size_t i = 0; i < list->count; i++) {
		struct device *device = &list->items[i];

		device->umads.known = (complete && !device->nodes_unknown) || device->umads.count;
		device->issms.known = (complete && !device->nodes_unknown) || device->issms.count;
	}
}

bool device_is_subfunction(const struct root *root, const struct device *device)
{
	_cleanup_(freep) char *target = NULL;

	return !sysfs_link(root, &target, SYSFS_RDMA_CLASS "/%s", device->kernel_name) &&
	       strstr(target, ".sf.");
}
