/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Devices from /sys/class/infiniband*, their PCI functions and their character devices. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/attributes.h"
#include "host/device.h"
#include "host/need.h"
#include "kernel/nldev.h"
#include "kernel/sysfs.h"

#define ROW(member, ...) ATTRIBUTE(struct device, member, __VA_ARGS__)

static const struct attribute device_rows[] = {
	ROW(index, NULL, DECIMAL, NEED_NETLINK, .netlink = RDMA_NLDEV_ATTR_DEV_INDEX),
	ROW(node_type, "node_type", CODE, NEED_NODE_TYPE, .required = true,
	    .netlink = RDMA_NLDEV_ATTR_DEV_NODE_TYPE),
	ROW(firmware, "fw_ver", TEXT, NEED_FIRMWARE, .netlink = RDMA_NLDEV_ATTR_FW_VERSION),
	ROW(node_guid, "node_guid", GUID, NEED_GUIDS, .required = true,
	    .netlink = RDMA_NLDEV_ATTR_NODE_GUID),
	ROW(system_image_guid, "sys_image_guid", GUID, NEED_GUIDS, .required = true,
	    .netlink = RDMA_NLDEV_ATTR_SYS_IMAGE_GUID),
	ROW(sub_type, NULL, DECIMAL, NEED_NETLINK, .netlink = NLDEV_ATTR_DEV_TYPE),
	ROW(protocol, NULL, TEXT, NEED_NETLINK, .netlink = RDMA_NLDEV_ATTR_DEV_PROTOCOL),
	ROW(board_id, "board_id", TEXT, NEED_BOARD),
	ROW(hca_type, "hca_type", TEXT, NEED_BOARD),
	ROW(hardware_revision, "hw_rev", TEXT, NEED_BOARD),
	ROW(node_description, "node_desc", TEXT, NEED_BOARD),
};

/* Paths are relative to the PCI function. */
static const struct attribute pci_rows[] = {
	ROW(numa_node, "numa_node", SIGNED, NEED_NUMA),
	ROW(pci_vendor_id, "vendor", HEX, NEED_PCI_ID),
	ROW(pci_device_id, "device", HEX, NEED_PCI_ID),
	ROW(pcie_speed_gtps, "current_link_speed", SPEED, NEED_PCI_LINK),
	ROW(pcie_max_speed_gtps, "max_link_speed", SPEED, NEED_PCI_LINK),
	ROW(pcie_width_lanes, "current_link_width", LANES, NEED_PCI_LINK),
	ROW(pcie_max_width_lanes, "max_link_width", LANES, NEED_PCI_LINK),
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

void device_list_ports_sysfs(const struct root *root, struct device *device,
			     struct problems *problems)
{
	struct strings names = {0};
	uint64_t number;
	int rc = sysfs_list(root, &names, SYSFS_RDMA_CLASS "/%s/ports", device->kernel_name);

	device->ports_unknown = rc;
	if (rc)
		problem_add(problems, device->name, "ports", "sysfs", rc, NULL);
	for (size_t i = 0; i < names.count; i++) {
		if (text_parse_u64(names.items[i], 10, UINT8_MAX, &number))
			sysfs_note_text(problems, device->name, "ports", names.items[i]);
		else if (!device_port(device, (unsigned int)number))
			device_add_port(device, (unsigned int)number);
	}
	strings_free(&names);
}

int device_list_sysfs(const struct root *root, struct device_list *list)
{
	struct strings names;
	int rc = device_names_sysfs(root, &names);

	if (rc)
		return rc;
	for (size_t i = 0; i < names.count; i++) {
		struct device *device = device_list_add(list, names.items[i]);

		strings_add(&device->sources, "sysfs");
	}
	strings_free(&names);
	return 0;
}

static void find_pci(const struct root *root, struct device *device)
{
	_cleanup_(freep) char *target = NULL;
	size_t length;

	/* An unreadable link was already reported when its ports were listed. */
	if (sysfs_link(root, &target, SYSFS_RDMA_CLASS "/%s", device->kernel_name))
		return;
	device->software = strstr(target, "/devices/virtual/");
	length = sysfs_find_pci(target, &device->pci_address);
	if (length)
		device->pci_path = mem_format(SYSFS_RDMA_CLASS "/%.*s", (int)length, target);
}

static bool has_device(const struct root *root, const struct device *device)
{
	_cleanup_(freep) char *path = mem_format(SYSFS_RDMA_CLASS "/%s", device->kernel_name);

	return sysfs_has_directory(root, path);
}

/* "mlx5_core", or "mlx5_core.mlx5_core.sf" for an auxiliary device: the module comes first. */
static void find_driver(const struct root *root, struct device *device, struct problems *problems)
{
	_cleanup_(freep) char *target = NULL;
	const char *name;
	int rc = sysfs_link(root, &target, SYSFS_RDMA_CLASS "/%s/device/driver",
			    device->kernel_name);

	/* If the device is gone, reading the node type has reported it. */
	if (rc && rc != -ENOENT && has_device(root, device))
		problem_add(problems, device->name, "driver", "sysfs", rc, NULL);
	if (rc)
		return;
	name = strrchr(target, '/');
	name = name ? name + 1 : target;
	device->driver = text_clean(name, strcspn(name, "."));
}

enum { NEED_PCI = NEED_PCI_ADDRESS | NEED_NUMA | NEED_PCI_ID | NEED_PCI_LINK | NEED_IRQS };

static void read_pci(const struct root *root, struct device *device, uint64_t needs,
		     struct problems *problems)
{
	size_t irqs;
	int rc;

	find_pci(root, device);
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

void device_read_sysfs(const struct root *root, struct device *device, uint64_t needs,
		       struct problems *problems)
{
	_cleanup_(freep) char *directory = mem_format(SYSFS_RDMA_CLASS "/%s", device->kernel_name);

	if (attributes_wanted(&device_attributes, needs, device))
		attributes_read(&device_attributes, root, directory, device->name, needs, device,
				problems);
	if (needs & (NEED_PCI | NEED_DRIVER))
		read_pci(root, device, needs, problems);
	if (needs & NEED_DRIVER && !device->driver && !device->software)
		find_driver(root, device, problems);
}

static struct device *find_by_kernel_name(const struct device_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->items[i].kernel_name, name))
			return &list->items[i];
	return NULL;
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

static void note_node(struct problems *problems, const char *path, int error)
{
	_cleanup_(freep) char *clean = text_clean(path, strlen(path));

	problem_add(problems, NULL, clean, "sysfs", error, NULL);
}

/*
 * A class directory whose entries name their RDMA device in `ibdev`. Returns false if an entry
 * cannot be read: then no device is known to have none.
 */
static bool read_class(const struct root *root, const char *class, struct device_list *list,
		       struct problems *problems)
{
	struct strings nodes = {0};
	int rc = sysfs_list(root, &nodes, "sys/class/%s", class);
	bool complete = !rc || rc == -ENOENT;

	if (!complete)
		problem_add(problems, NULL, class, "sysfs", rc, NULL);
	for (size_t i = 0; i < nodes.count; i++) {
		_cleanup_(freep) char *path = mem_format("%s/%s/ibdev", class, nodes.items[i]);
		char text[SYSFS_TEXT_SIZE];
		struct device *device;
		ssize_t length = sysfs_read(root, text, "sys/class/%s", path);

		/*
		 * Skip abi_version, which is no node, links that lead nowhere, and nodes that
		 * go away meanwhile: ibdev_show() of user_mad.c and uverbs_main.c, and kernfs
		 * itself, answer ENODEV once the node's device has been removed.
		 */
		if (length == -ENOENT || length == -ENOTDIR || length == -ELOOP ||
		    length == -ENODEV)
			continue;
		device = length < 0 ? NULL : find_by_kernel_name(list, text);
		if (device)
			add_node(device, nodes.items[i]);
		if (length >= 0)
			continue;
		complete = false;
		note_node(problems, path, (int)length);
	}
	strings_free(&nodes);
	return complete;
}

void device_list_read_chardevs(const struct root *root, struct device_list *list,
			       struct problems *problems)
{
	bool complete;

	read_class(root, "infiniband_verbs", list, problems);
	complete = read_class(root, "infiniband_mad", list, problems);
	for (size_t i = 0; i < list->count; i++) {
		struct device *device = &list->items[i];

		device->umads.known = complete || device->umads.count;
		device->issms.known = complete || device->issms.count;
	}
}
