/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Devices from /sys/class/infiniband*, their PCI functions and their character devices. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/device.h"
#include "host/need.h"
#include "host/sysfs_attributes.h"
#include "kernel/sysfs.h"

static const struct sysfs_attribute device_attributes[] = {
	{"node_type", ATTRIBUTE_CODE, NEED_NODE_TYPE, offsetof(struct device, node_type), true},
	{"fw_ver", ATTRIBUTE_TEXT, NEED_FIRMWARE, offsetof(struct device, firmware), false},
	{"node_guid", ATTRIBUTE_GUID, NEED_GUIDS, offsetof(struct device, node_guid), true},
	{"sys_image_guid", ATTRIBUTE_GUID, NEED_GUIDS, offsetof(struct device, system_image_guid),
	 true},
	{"board_id", ATTRIBUTE_TEXT, NEED_BOARD, offsetof(struct device, board_id), false},
	{"hca_type", ATTRIBUTE_TEXT, NEED_BOARD, offsetof(struct device, hca_type), false},
	{"hw_rev", ATTRIBUTE_TEXT, NEED_BOARD, offsetof(struct device, hardware_revision), false},
	{"node_desc", ATTRIBUTE_TEXT, NEED_BOARD, offsetof(struct device, node_description), false},
};

/* Paths are relative to the PCI function. */
static const struct sysfs_attribute pci_attributes[] = {
	{"numa_node", ATTRIBUTE_SIGNED, NEED_NUMA, offsetof(struct device, numa_node), false},
	{"vendor", ATTRIBUTE_HEX, NEED_PCI_ID, offsetof(struct device, pci_vendor_id), false},
	{"device", ATTRIBUTE_HEX, NEED_PCI_ID, offsetof(struct device, pci_device_id), false},
	{"current_link_speed", ATTRIBUTE_SPEED, NEED_PCI_LINK,
	 offsetof(struct device, pcie_speed_gtps), false},
	{"max_link_speed", ATTRIBUTE_SPEED, NEED_PCI_LINK,
	 offsetof(struct device, pcie_max_speed_gtps), false},
	{"current_link_width", ATTRIBUTE_POSITIVE, NEED_PCI_LINK,
	 offsetof(struct device, pcie_width_lanes), false},
	{"max_link_width", ATTRIBUTE_POSITIVE, NEED_PCI_LINK,
	 offsetof(struct device, pcie_max_width_lanes), false},
};

static const struct sysfs_attributes device_table = {device_attributes,
						     ARRAY_SIZE(device_attributes), &device_schema};
static const struct sysfs_attributes pci_table = {pci_attributes, ARRAY_SIZE(pci_attributes),
						  &device_schema};

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
	sysfs_attributes_read(&pci_table, root, device->pci_path, device->name, needs, device,
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

	if (sysfs_attributes_wanted(&device_table, needs, device))
		sysfs_attributes_read(&device_table, root, directory, device->name, needs, device,
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
