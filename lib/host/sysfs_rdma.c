/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/sysfs_rdma.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "mad/format/codes.h"
#include "host/need.h"
#include "kernel/sysfs.h"

#define CLASS "sys/class/infiniband"

/* How the text of an attribute becomes a member. */
enum attribute_kind {
	ATTRIBUTE_TEXT,	   /* char *, cleaned */
	ATTRIBUTE_DECIMAL, /* struct number, as all below */
	ATTRIBUTE_HEX,	   /* 0x10 */
	ATTRIBUTE_GUID,
	ATTRIBUTE_CODE,	    /* "4: ACTIVE": the number before the colon */
	ATTRIBUTE_POSITIVE, /* 0 is the kernel's "unknown" */
	ATTRIBUTE_SIGNED,   /* -1 is the kernel's "none" and stays unknown */
	ATTRIBUTE_LAYER,    /* InfiniBand, Ethernet, Unspecified */
	ATTRIBUTE_SPEED,    /* "8.0 GT/s PCIe": struct real */
};

struct attribute {
	const char *path; /* below the directory of the device or port */
	enum attribute_kind kind;
	unsigned int need;
	size_t offset;
	bool required; /* the core makes it for every device: missing is a problem */
};

static const struct attribute device_attributes[] = {
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

/* Below the PCI function. */
static const struct attribute pci_attributes[] = {
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

static const struct attribute port_attributes[] = {
	{"link_layer", ATTRIBUTE_LAYER, NEED_LINK_LAYER, offsetof(struct port, link_layer), true},
	{"state", ATTRIBUTE_CODE, NEED_STATE, offsetof(struct port, state), true},
	{"phys_state", ATTRIBUTE_CODE, NEED_PHYSICAL_STATE, offsetof(struct port, physical_state),
	 true},
	{"lid", ATTRIBUTE_HEX, NEED_LID, offsetof(struct port, lid), true},
	{"lid_mask_count", ATTRIBUTE_DECIMAL, NEED_LID, offsetof(struct port, lmc), true},
	{"sm_lid", ATTRIBUTE_HEX, NEED_LID, offsetof(struct port, sm_lid), true},
	{"sm_sl", ATTRIBUTE_DECIMAL, NEED_SM_SL, offsetof(struct port, sm_sl), true},
	{"cap_mask", ATTRIBUTE_HEX, NEED_CAP_MASK, offsetof(struct port, cap_mask), true},
};

static bool is_known(const struct attribute *attribute, const void *member)
{
	if (attribute->kind == ATTRIBUTE_TEXT)
		return *(char *const *)member;
	if (attribute->kind == ATTRIBUTE_SPEED)
		return ((const struct real *)member)->known;
	return ((const struct number *)member)->known;
}

/* True if an attribute is needed that is not known yet: most often RDMA netlink told all. */
static bool is_wanting(const struct attribute *attributes, size_t count, unsigned int needs,
		       const void *record)
{
	for (size_t i = 0; i < count; i++)
		if (needs & attributes[i].need &&
		    !is_known(&attributes[i], (const char *)record + attributes[i].offset))
			return true;
	return false;
}

static int parse_layer(const char *text, struct number *number)
{
	static const struct enum_name words[] = {
		{LINK_LAYER_INFINIBAND, "InfiniBand"},
		{LINK_LAYER_ETHERNET, "Ethernet"},
		{LINK_LAYER_UNSPECIFIED, "Unspecified"},
		{LINK_LAYER_UNSPECIFIED, "Unknown"},
		{0, NULL},
	};
	const struct enum_name *name = enum_find_word(words, text);

	if (!name)
		return -EINVAL;
	number_set(number, name->value);
	return 0;
}

static int parse_code(const char *text, struct number *number)
{
	char digits[8];
	size_t length = strcspn(text, ":");
	uint64_t code;

	if (length >= sizeof(digits))
		return -EINVAL;
	memcpy(digits, text, length);
	digits[length] = '\0';
	if (text_parse_u64(digits, 10, UINT8_MAX, &code))
		return -EINVAL;
	number_set(number, code);
	return 0;
}

static int parse_number(const char *text, int base, struct number *number)
{
	uint64_t value;
	int rc = text_parse_u64(text, base, UINT64_MAX, &value);

	if (!rc)
		number_set(number, value);
	return rc;
}

/* A decimal fraction at the start of the text, in the C locale's form. */
static int parse_real(const char *text, struct real *real, const char **ret_rest)
{
	char *end;
	double value;

	if (text[0] < '0' || text[0] > '9')
		return -EINVAL;
	value = strtod(text, &end);
	if (end != text + strspn(text, "0123456789.") || value >= 1e9)
		return -EINVAL; /* strtod takes hexadecimal and exponents, too */
	real->value = value;
	real->known = true;
	*ret_rest = end;
	return 0;
}

static int parse(const struct attribute *attribute, const char *text, void *member)
{
	const char *rest;
	uint64_t guid;

	switch (attribute->kind) {
	case ATTRIBUTE_TEXT:
		*(char **)member = text_clean(text, strlen(text));
		return 0;
	case ATTRIBUTE_LAYER:
		return parse_layer(text, member);
	case ATTRIBUTE_CODE:
		return parse_code(text, member);
	case ATTRIBUTE_GUID:
		if (guid_parse(text, &guid))
			return -EINVAL;
		number_set(member, guid);
		return 0;
	case ATTRIBUTE_POSITIVE:
		return strcmp(text, "0") ? parse_number(text, 10, member) : 0;
	case ATTRIBUTE_SIGNED:
		return strcmp(text, "-1") ? parse_number(text, 10, member) : 0;
	case ATTRIBUTE_SPEED:
		/* "Unknown" where the link has no speed, drivers/pci/pci-sysfs.c */
		return strcmp(text, "Unknown") ? parse_real(text, member, &rest) : 0;
	case ATTRIBUTE_HEX:
		return parse_number(text, 16, member);
	default:
		return parse_number(text, 10, member);
	}
}

/* What the attribute is called in the output: the field that the member is shown in. */
static const char *key_of(const struct attribute *attribute, const struct schema *schema)
{
	for (size_t i = 0; i < schema->field_count; i++)
		if (!schema->fields[i].get && schema->fields[i].offset == attribute->offset)
			return schema->fields[i].key;
	return attribute->path;
}

/*
 * Reads `attributes` that are needed into the members of `record`, which `schema` describes;
 * `object` names it in problems.
 */
static void read_attributes(const struct root *root, const char *directory, const char *object,
			    const struct attribute *attributes, size_t count, unsigned int needs,
			    const struct schema *schema, void *record, struct problems *problems)
{
	char text[SYSFS_TEXT_SIZE];

	for (size_t i = 0; i < count; i++) {
		const struct attribute *attribute = &attributes[i];
		void *member = (char *)record + attribute->offset;
		ssize_t length;

		if (!(needs & attribute->need) || is_known(attribute, member))
			continue;
		length = sysfs_read(root, text, "%s/%s", directory, attribute->path);
		if (length == -ENOENT && !attribute->required)
			continue;
		if (length < 0)
			problem_add(problems, object, key_of(attribute, schema), "sysfs",
				    (int)length, NULL);
		/* One line for all that a directory would have held which is not there. */
		if (length < 0 && !sysfs_has_directory(root, directory))
			return;
		if (length >= 0 && parse(attribute, text, member))
			sysfs_note_text(problems, object, key_of(attribute, schema), text);
	}
}

int sysfs_rdma_find_core(const struct root *root)
{
	return sysfs_open_directory(root, CLASS);
}

int sysfs_rdma_names(const struct root *root, struct strings *ret_names)
{
	return sysfs_list(root, ret_names, CLASS);
}

void sysfs_rdma_list_ports(const struct root *root, struct device *device,
			   struct problems *problems)
{
	struct strings names = {0};
	uint64_t number;
	int rc = sysfs_list(root, &names, CLASS "/%s/ports", device->kernel_name);

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

int sysfs_rdma_list(const struct root *root, struct device_list *list)
{
	struct strings names;
	int rc = sysfs_rdma_names(root, &names);

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

	/* A link that cannot be read has been told when the ports below it were listed. */
	if (sysfs_link(root, &target, CLASS "/%s", device->kernel_name))
		return;
	device->software = strstr(target, "/devices/virtual/");
	length = sysfs_find_pci(target, &device->pci_address);
	if (length)
		device->pci_path = mem_format(CLASS "/%.*s", (int)length, target);
}

static bool has_device(const struct root *root, const struct device *device)
{
	_cleanup_(freep) char *path = mem_format(CLASS "/%s", device->kernel_name);

	return sysfs_has_directory(root, path);
}

/* "mlx5_core", of an auxiliary device "mlx5_core.mlx5_core.sf": the module comes first. */
static void find_driver(const struct root *root, struct device *device, struct problems *problems)
{
	_cleanup_(freep) char *target = NULL;
	const char *name;
	int rc = sysfs_link(root, &target, CLASS "/%s/device/driver", device->kernel_name);

	/* Of a device that is not there, the node type told it. */
	if (rc && rc != -ENOENT && has_device(root, device))
		problem_add(problems, device->name, "driver", "sysfs", rc, NULL);
	if (rc)
		return;
	name = strrchr(target, '/');
	name = name ? name + 1 : target;
	device->driver = text_clean(name, strcspn(name, "."));
}

enum { NEED_PCI = NEED_PCI_ADDRESS | NEED_NUMA | NEED_PCI_ID | NEED_PCI_LINK | NEED_IRQS };

static void read_pci(const struct root *root, struct device *device, unsigned int needs,
		     struct problems *problems)
{
	size_t irqs;
	int rc;

	find_pci(root, device);
	if (!device->pci_path)
		return;
	read_attributes(root, device->pci_path, device->name, pci_attributes,
			ARRAY_SIZE(pci_attributes), needs, &device_schema, device, problems);
	if (!(needs & NEED_IRQS))
		return;
	rc = sysfs_count(root, &irqs, "%s/msi_irqs", device->pci_path);
	if (!rc)
		number_set(&device->irq_count, irqs);
	else if (rc != -ENOENT) /* no MSI: a function has no such folder */
		problem_add(problems, device->name, "irq_count", "sysfs", rc, NULL);
}

static void read_device(const struct root *root, struct device *device, unsigned int needs,
			struct problems *problems)
{
	_cleanup_(freep) char *directory = mem_format(CLASS "/%s", device->kernel_name);

	read_attributes(root, directory, device->name, device_attributes,
			ARRAY_SIZE(device_attributes), needs, &device_schema, device, problems);
}

void sysfs_rdma_read_device(const struct root *root, struct device *device, unsigned int needs,
			    struct problems *problems)
{
	if (is_wanting(device_attributes, ARRAY_SIZE(device_attributes), needs, device))
		read_device(root, device, needs, problems);
	if (needs & (NEED_PCI | NEED_DRIVER))
		read_pci(root, device, needs, problems);
	if (needs & NEED_DRIVER && !device->driver && !device->software)
		find_driver(root, device, problems);
}

/* "100 Gb/sec (4X EDR)", rate_show() in drivers/infiniband/core/sysfs.c. */
static int parse_rate(const char *text, struct port *port)
{
	struct real rate = {0};
	const char *rest;
	char lanes[4], speed[16];
	int end = 0;

	if (parse_real(text, &rate, &rest) || strncmp(rest, " Gb/sec", 7))
		return -EINVAL;
	port->rate_gbps = rate;
	if (!rest[strlen(" Gb/sec")])
		return 0;
	if (sscanf(rest, " Gb/sec (%3[0-9]X %15[A-Z0-9])%n", lanes, speed, &end) != 2 || !end) {
		/* Older kernels have no name for SDR. */
		memcpy(speed, "SDR", sizeof("SDR"));
		if (sscanf(rest, " Gb/sec (%3[0-9]X)%n", lanes, &end) != 1 || !end)
			return -EINVAL;
	}
	if (rest[end])
		return -EINVAL;
	number_set(&port->width_lanes, strtoul(lanes, NULL, 10));
	port->speed = mem_string(speed);
	return 0;
}

/* GID 0 of every port is made of the subnet prefix and the port GUID. */
static int parse_port_guid(const char *text, struct port *port)
{
	struct gid gid;

	if (gid_parse(text, &gid))
		return -EINVAL;
	/* An iWARP port has its MAC in the upper half, and no port GUID. */
	if (gid_interface_id(&gid))
		number_set(&port->port_guid, gid_interface_id(&gid));
	if (port->link_layer.known && port->link_layer.value == LINK_LAYER_INFINIBAND &&
	    !port->subnet_prefix.known)
		number_set(&port->subnet_prefix, gid_subnet_prefix(&gid));
	return 0;
}

static void read_special(const struct root *root, const char *directory, const char *object,
			 const char *path, const char *key, bool required,
			 int (*parse_text)(const char *text, struct port *port), struct port *port,
			 struct problems *problems)
{
	char text[SYSFS_TEXT_SIZE];
	ssize_t length = sysfs_read(root, text, "%s/%s", directory, path);

	if (length == -ENOENT && !required)
		return;
	if (length < 0)
		problem_add(problems, object, key, "sysfs", (int)length, NULL);
	else if (parse_text(text, port))
		sysfs_note_text(problems, object, key, text);
}

/* Only the InfiniBand link layer has LIDs and an SM; the kernel shows zeros elsewhere. */
static bool may_have_subnet(const struct port *port)
{
	return !port->link_layer.known || port->link_layer.value == LINK_LAYER_INFINIBAND;
}

static void read_table_sizes(const struct root *root, const char *directory, const char *object,
			     struct port *port, struct problems *problems)
{
	size_t count;
	int rc = sysfs_count(root, &count, "%s/gids", directory);
	bool is_there = !rc || sysfs_has_directory(root, directory);

	if (rc)
		problem_add(problems, object, "gid_table_length", "sysfs", rc, NULL);
	else
		number_set(&port->gid_table_length, count);
	rc = sysfs_count(root, &count, "%s/pkeys", directory);
	/* iWARP and EFA have no P_Keys, and no directory for them. */
	if (rc == -ENOENT && is_there)
		number_set(&port->pkey_table_length, 0);
	else if (rc)
		problem_add(problems, object, "pkey_table_length", "sysfs", rc, NULL);
	else
		number_set(&port->pkey_table_length, count);
}

static void read_port(const struct root *root, struct port *port, unsigned int needs,
		      struct problems *problems)
{
	unsigned int number = (unsigned int)port->port.value;
	_cleanup_(freep) char *directory = mem_format(CLASS "/%s/ports/%u", port->kernel_name,
						      number);
	_cleanup_(freep) char *object = mem_format("%s/%u", port->device, number);

	read_attributes(root, directory, object, port_attributes, ARRAY_SIZE(port_attributes),
			needs, &port_schema, port, problems);
	if (needs & NEED_RATE && !port->rate_gbps.known)
		read_special(root, directory, object, "rate", "rate_gbps", true, parse_rate, port,
			     problems);
	if (needs & NEED_PORT_GUID && !port->port_guid.known)
		read_special(root, directory, object, "gids/0", "port_guid", false, parse_port_guid,
			     port, problems);
	if (needs & NEED_TABLE_SIZES && !port->gid_table_length.known)
		read_table_sizes(root, directory, object, port, problems);
}

void sysfs_rdma_read_port(const struct root *root, struct port *port, unsigned int needs,
			  struct problems *problems)
{
	const unsigned int special = NEED_RATE | NEED_PORT_GUID | NEED_TABLE_SIZES;

	/* What else is worth reading depends on the link layer. */
	if (needs & NEED_LINK_LAYER && !port->link_layer.known)
		read_port(root, port, NEED_LINK_LAYER, problems);
	needs &= ~(unsigned int)NEED_LINK_LAYER;
	if (!may_have_subnet(port))
		needs &= ~(unsigned int)(NEED_LID | NEED_SM_SL);
	if (needs & special ||
	    is_wanting(port_attributes, ARRAY_SIZE(port_attributes), needs, port))
		read_port(root, port, needs, problems);
}
