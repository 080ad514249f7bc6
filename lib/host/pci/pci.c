/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/pci/pci.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/attributes.h"
#include "host/pci/config.h"
#include "kernel/sysfs.h"

#define BUS "sys/bus/pci/devices"

#define ROW(member, ...) ATTRIBUTE(struct pci_function, member, __VA_ARGS__)

static const struct attribute rows[] = {
	ROW(vendor_id, "vendor", HEX, PCI_ID),
	ROW(device_id, "device", HEX, PCI_ID),
	ROW(subsystem_vendor_id, "subsystem_vendor", HEX, PCI_ID),
	ROW(subsystem_device_id, "subsystem_device", HEX, PCI_ID),
	ROW(class_code, "class", HEX, PCI_CLASS),
	ROW(numa_node, "numa_node", SIGNED, PCI_NUMA),
	ROW(local_cpulist, "local_cpulist", TEXT, PCI_NUMA),
	ROW(speed_gtps, "current_link_speed", SPEED, PCI_LINK),
	ROW(max_speed_gtps, "max_link_speed", SPEED, PCI_LINK),
	ROW(width_lanes, "current_link_width", LANES, PCI_LINK),
	ROW(max_width_lanes, "max_link_width", LANES, PCI_LINK),
	ROW(iommu_type, "iommu_group/type", TEXT, PCI_IOMMU),
};

static const struct attributes attributes = {rows, ARRAY_SIZE(rows), NULL};

static void clear(struct pci_function *function)
{
	free(function->address);
	free(function->host_bridge);
	free(function->path);
	free(function->driver);
	free(function->local_cpulist);
	free(function->physfn);
	free(function->iommu_type);
	free(function->serial);
}

void pci_list_clear(struct pci_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		clear(&list->items[i]);
	free(list->items);
	*list = (struct pci_list){.count = 0};
}

/* Parses the parts of an address whose form sysfs_is_pci_address() has checked. */
static int parse_address(const char *address, struct pci_function *function)
{
	char *end;
	unsigned long domain = strtoul(address, &end, 16);

	if (domain > UINT32_MAX)
		return -EINVAL;
	function->domain = (unsigned int)domain;
	function->bus = (unsigned int)strtoul(end + 1, &end, 16);
	function->device = (unsigned int)strtoul(end + 1, &end, 16);
	function->function = (unsigned int)strtoul(end + 1, &end, 16);
	return 0;
}

static int compare(const void *first, const void *second)
{
	const struct pci_function *a = first, *b = second;

	return COMPARE(a->domain, b->domain) ?: COMPARE(a->bus, b->bus) ?:
	       COMPARE(a->device, b->device) ?: COMPARE(a->function, b->function) ?:
	       strcmp(a->address, b->address);
}

static struct pci_function *find(const struct pci_list *list, const char *address, size_t length)
{
	struct pci_function wanted = {.address = (char[32]){""}};

	if (length >= 32 || !sysfs_is_pci_address(address, length))
		return NULL;
	memcpy(wanted.address, address, length);
	if (parse_address(wanted.address, &wanted) || !list->count)
		return NULL;
	return bsearch(&wanted, list->items, list->count, sizeof(*list->items), compare);
}

struct pci_function *pci_list_find(const struct pci_list *list, const char *address)
{
	return find(list, address, strlen(address));
}

/* pci0000:3a, as named by pci_create_root_bus: drivers/pci/probe.c. */
static bool is_host_bridge(const char *name, size_t length)
{
	const char *colon = memchr(name, ':', length);

	if (length < 10 || strncmp(name, "pci", 3) || !colon)
		return false;
	return strspn(name + 3, "0123456789abcdef") == (size_t)(colon - name - 3) &&
	       strspn(colon + 1, "0123456789abcdef") == (size_t)(name + length - colon - 1);
}

/*
 * Finds out from the target of the function's link what is above it. There may be arbitrary devices
 * between sys/devices and the host bridge (ACPI's, a VMBUS channel), so components are recognized
 * by their form, wherever they are. A host bridge below a function begins a separate tree: Intel's
 * VMD, vmd_enable_domain() in the kernel.
 */
static void find_above(const struct pci_list *list, struct pci_function *function,
		       const char *target)
{
	const char *bridge = NULL;
	size_t bridge_length = 0;

	for (const char *part = target; *part;) {
		const size_t length = strcspn(part, "/");
		struct pci_function *above = find(list, part, length);

		if (above && above != function)
			function->parent = above;
		if (is_host_bridge(part, length)) {
			function->parent = NULL;
			bridge = part;
			bridge_length = length;
		}
		part += length + (part[length] == '/');
	}
	if (bridge)
		function->host_bridge = text_clean(bridge, bridge_length);
	function->path = text_clean(target, strlen(target));
}

/* A manipulated tree may have functions above each other; a walk upwards must end. */
static void cut_circles(struct pci_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		struct pci_function *above = list->items[i].parent;

		for (size_t steps = 0; above; above = above->parent)
			if (++steps > list->count || above == &list->items[i]) {
				list->items[i].parent = NULL;
				break;
			}
	}
}

static void add(struct pci_list *list, const char *name)
{
	struct pci_function function = {.address = NULL};

	if (!sysfs_is_pci_address(name, strlen(name)) || parse_address(name, &function))
		return;
	function.address = mem_string(name);
	MEM_ADD(list->items, list->count) = function;
}

int pci_list_read(const struct root *root, struct pci_list *list, struct problems *problems)
{
	_cleanup_(strings_free) struct strings names = {0};
	int rc = sysfs_list_all(root, &names, BUS);

	if (rc && rc != -ENOENT) {
		problem_add(problems, NULL, "PCI functions", "sysfs", rc, NULL);
		return rc;
	}
	for (size_t i = 0; i < names.count; i++)
		add(list, names.items[i]);
	if (list->count)
		qsort(list->items, list->count, sizeof(*list->items), compare);
	for (size_t i = 0; i < list->count; i++) {
		struct pci_function *function = &list->items[i];
		_cleanup_(freep) char *target = NULL;

		rc = sysfs_link(root, &target, PCI_FUNCTION, function->address);
		if (rc)
			problem_add(problems, function->address, "place in the PCI tree", "sysfs",
				    rc, NULL);
		else
			find_above(list, function, target);
	}
	cut_circles(list);
	return 0;
}

/* Returns the last component of the function's link; NULL without a problem if it has no link. */
static char *read_link(const struct root *root, const struct pci_function *function,
		       const char *file, int *ret_error, struct problems *problems)
{
	char *name = NULL;
	int rc = sysfs_link_name(root, &name, PCI_FUNCTION "/%s", function->address, file);

	if (rc && rc != -ENOENT)
		problem_add(problems, function->address, file, "sysfs", rc, NULL);
	if (rc != -ENOENT && ret_error)
		*ret_error = rc;
	return name;
}

static void read_iommu(const struct root *root, struct pci_function *function,
		       struct problems *problems)
{
	_cleanup_(freep) char *group = read_link(root, function, "iommu_group", NULL, problems);
	uint64_t number;

	if (!group)
		return;
	if (text_parse_u64(group, 10, UINT32_MAX, &number))
		sysfs_note_text(problems, function->address, "iommu_group", group);
	else
		number_set(&function->iommu_group, number);
}

/* A lack of privilege, or of the file in a saved tree, is no problem: acs_error has the reason. */
static void read_acs(const struct root *root, struct pci_function *function)
{
	uint8_t bytes[PCI_CONFIG_EXTENDED];
	unsigned int control = 0;
	const ssize_t length = pci_config_read(root, function, sizeof(bytes), bytes);
	const int rc = length < 0 ? (int)length : pci_config_acs(bytes, (size_t)length, &control);

	if (rc && rc != -ENODATA)
		function->acs_error = rc;
	else
		number_set(&function->acs_control, control);
}

/*
 * Red Hat's ports are QEMU's; QEMU also emulates a TI switch that is slower than any adapter
 * (include/hw/pci/pci_ids.h, hw/pci-bridge/xio3130_upstream.c).
 */
bool pci_is_emulated(const struct pci_function *function)
{
	enum { REDHAT = 0x1b36, VMWARE = 0x15ad, TI = 0x104c, XIO3130_UP = 0x8232 };
	const uint64_t device = function->device_id.value;

	if (!function->vendor_id.known)
		return false;
	return function->vendor_id.value == REDHAT || function->vendor_id.value == VMWARE ||
	       (function->vendor_id.value == TI &&
		(device == XIO3130_UP || device == XIO3130_UP + 1));
}

/* Intel's X722 has no link, but shows the least: i40e_probe(), i40e_main.c. No adapter has less. */
static bool is_in_chipset(const struct pci_function *function)
{
	return number_is(&function->vendor_id, PCI_VENDOR_INTEL) &&
	       function->max_speed_gtps.known && function->max_speed_gtps.value <= 2.5 &&
	       number_is(&function->max_width_lanes, 1);
}

/*
 * The registers of these functions do not describe a link: VMware's have 5 GT/s and 32 lanes,
 * QEMU's 2.5 GT/s and one lane above a virtual function (pcie_sync_bridge_lnk(), hw/pci/pcie.c).
 */
static void drop_untrue_link(struct pci_function *function)
{
	if (!pci_is_emulated(function) && !is_in_chipset(function))
		return;
	function->speed_gtps.known = function->max_speed_gtps.known = false;
	function->width_lanes.known = function->max_width_lanes.known = false;
}

void pci_read(const struct root *root, struct pci_function *function, unsigned int facts,
	      struct problems *problems)
{
	int error = 0;

	if (facts & PCI_LINK)
		facts |= PCI_ID;
	facts &= ~function->facts;
	if (!facts)
		return;
	function->facts |= facts;
	if (facts & PCI_DRIVER) {
		function->driver = read_link(root, function, "driver", &error, problems);
		function->driver_unknown = error;
	}
	if (facts & PCI_VIRTUAL)
		function->physfn = read_link(root, function, "physfn", NULL, problems);
	if (facts & PCI_ACS)
		read_acs(root, function);
	if (facts & PCI_IOMMU)
		read_iommu(root, function, problems);
	if (facts & PCI_IOMMU && !function->iommu_group.known)
		facts &= ~(unsigned int)PCI_IOMMU;
	if (facts & (PCI_ID | PCI_CLASS | PCI_NUMA | PCI_LINK | PCI_IOMMU)) {
		_cleanup_(freep) char *directory = mem_format(PCI_FUNCTION, function->address);

		attributes_read(&attributes, root, directory, function->address, facts, function,
				problems);
	}
	drop_untrue_link(function);
}

static bool has_number(const struct root *root, const struct pci_function *function, uint64_t value)
{
	_cleanup_(freep) char *target = NULL;

	return !sysfs_link_name(root, &target, PCI_FUNCTION "/virtfn%llu", function->physfn,
				(unsigned long long)value) &&
	       !strcmp(target, function->address);
}

struct number pci_virtual_number(const struct root *root, const struct pci_function *function,
				 uint64_t guess)
{
	_cleanup_(strings_free) struct strings names = {.known = false};

	if (!function->physfn)
		return (struct number){.known = false};
	if (has_number(root, function, guess))
		return number_of(guess);
	sysfs_list_all(root, &names, PCI_FUNCTION, function->physfn);
	for (size_t i = 0; i < names.count; i++) {
		uint64_t value;

		if (!strncmp(names.items[i], "virtfn", 6) &&
		    !text_parse_u64(names.items[i] + 6, 10, UINT16_MAX, &value) &&
		    has_number(root, function, value))
			return number_of(value);
	}
	return (struct number){.known = false};
}

struct number pci_numa_node(const struct root *root, struct pci_function *function,
			    struct pci_function **ret_from, struct problems *problems)
{
	for (; function; function = function->parent) {
		pci_read(root, function, PCI_NUMA, problems);
		if (function->numa_node.known) {
			*ret_from = function;
			return function->numa_node;
		}
	}
	return (struct number){.known = false};
}

bool pci_driver_is_for_guests(const char *driver)
{
	return driver &&
	       (strstr(driver, "vfio") || strstr(driver, "pciback") || !strcmp(driver, "pci-stub"));
}

bool pci_is_same_card(const struct pci_function *a, const struct pci_function *b)
{
	return a->domain == b->domain && a->bus == b->bus && a->device == b->device;
}

void pci_possible_link(const struct pci_function *function, struct real *ret_speed_gtps,
		       struct number *ret_lanes)
{
	const struct pci_function *above = function->parent;

	*ret_speed_gtps = function->max_speed_gtps;
	*ret_lanes = function->max_width_lanes;
	if (!above)
		return;
	real_take_less(ret_speed_gtps, &above->max_speed_gtps);
	if (above->max_width_lanes.known &&
	    (!ret_lanes->known || above->max_width_lanes.value < ret_lanes->value))
		*ret_lanes = above->max_width_lanes;
}

/* These functions are below the VMBus, whose ACPI device has had two names. */
bool pci_is_of_vmbus(const struct pci_function *function)
{
	return function->path &&
	       (strstr(function->path, "/VMBUS:") || strstr(function->path, "/MSFT1000:"));
}

struct real pci_link_gbps(const struct real *speed_gtps, const struct number *lanes)
{
	double rate = speed_gtps->value * (double)lanes->value;

	if (!speed_gtps->known || !lanes->known)
		return (struct real){.known = false};
	if (speed_gtps->value < 6) /* 2.5 and 5 GT/s: 8b/10b */
		rate = rate * 8 / 10;
	else if (speed_gtps->value < 60) /* 8, 16 and 32 GT/s: 128b/130b; 64 GT/s: 1b/1b */
		rate = rate * 128 / 130;
	return real_of(rate);
}

static size_t depth_of(const struct pci_function *function)
{
	size_t depth = 0;

	for (; function; function = function->parent)
		depth++;
	return depth;
}

struct pci_function *pci_common_ancestor(struct pci_function *a, struct pci_function *b)
{
	size_t depth_a = depth_of(a), depth_b = depth_of(b);

	while (a != b) {
		if (depth_a >= depth_b) {
			a = a->parent;
			depth_a--;
		} else {
			b = b->parent;
			depth_b--;
		}
	}
	return a;
}

/* Base class and sub-class: include/linux/pci_ids.h. */
enum {
	CLASS_VGA = 0x0300,
	CLASS_3D = 0x0302,
	CLASS_DISPLAY_OTHER = 0x0380,
	CLASS_BRIDGE_PCI = 0x0604,
	CLASS_BRIDGE_OTHER = 0x0680,
	CLASS_INFINIBAND = 0x0c06,
	CLASS_ACCELERATOR = 0x1200,
};

/*
 * Drivers of accelerators: drivers/gpu/drm, drivers/accel; nvidia is NVIDIA's out-of-tree module. A
 * BMC's display (ast, mgag200) is no accelerator.
 */
static bool is_accelerator_driver(const char *driver)
{
	static const char *const drivers[] = {"nvidia", "nouveau", "amdgpu",
					      "i915",	"xe",	   "habanalabs"};

	for (size_t i = 0; i < ARRAY_SIZE(drivers); i++)
		if (driver && !strcmp(driver, drivers[i]))
			return true;
	return false;
}

/* Without its driver, an accelerator is identified by vendor and class. */
static bool is_accelerator_vendor(const struct pci_function *function)
{
	switch (function->vendor_id.value) {
	case PCI_VENDOR_NVIDIA:
	case PCI_VENDOR_AMD:
	case PCI_VENDOR_INTEL:
	case PCI_VENDOR_HABANA:
		return function->vendor_id.known;
	default:
		return false;
	}
}

/* Intel's integrated graphics is 00:02.0 in the first domain, on bus 0 like the entire chipset. */
static bool is_integrated(const struct pci_function *function)
{
	return function->vendor_id.value == PCI_VENDOR_INTEL && !function->parent &&
	       !function->domain && !function->bus;
}

static bool is_accelerator_class(unsigned int class)
{
	return class == CLASS_VGA || class == CLASS_3D || class == CLASS_DISPLAY_OTHER ||
	       class == CLASS_ACCELERATOR;
}

enum pci_kind pci_kind(const struct root *root, struct pci_function *function,
		       struct problems *problems)
{
	unsigned int class;

	pci_read(root, function, PCI_CLASS, problems);
	class = (unsigned int)(function->class_code.value >> 8);
	if (class == CLASS_BRIDGE_PCI)
		return PCI_KIND_BRIDGE;
	if (class >> 8 == 0x02 || class == CLASS_INFINIBAND)
		return PCI_KIND_NETWORK;
	if (class != CLASS_BRIDGE_OTHER && !is_accelerator_class(class))
		return PCI_KIND_OTHER;
	pci_read(root, function, PCI_ID, problems);
	if (class == CLASS_BRIDGE_OTHER)
		return function->vendor_id.value == PCI_VENDOR_NVIDIA ? PCI_KIND_NVSWITCH
								      : PCI_KIND_OTHER;
	if (is_integrated(function))
		return PCI_KIND_OTHER;
	if (class == CLASS_ACCELERATOR || is_accelerator_vendor(function))
		return PCI_KIND_ACCELERATOR;
	pci_read(root, function, PCI_DRIVER, problems);
	return is_accelerator_driver(function->driver) ? PCI_KIND_ACCELERATOR : PCI_KIND_OTHER;
}
