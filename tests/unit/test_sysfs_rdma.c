/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Devices, ports and tables of /sys/class/infiniband. */
#include "saved_tree.h"

#include <sys/syscall.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/attributes.h"
#include "host/need.h"
#include "host/device.h"
#include "schema/problem.h"

#define CLASS "sys/class/infiniband/"
#define PCI   "sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/"
#define PORT  CLASS "mlx5_0/ports/1/"
#define ALL   NEED_EVERYTHING

/* The tree whose devices are removed when a file is read; NULL: none. */
static const struct saved_tree *removed_at_read;

ssize_t read(int fd, void *bytes, size_t size)
{
	if (removed_at_read) {
		tree_delete(removed_at_read, CLASS);
		removed_at_read = NULL;
	}
	return syscall(SYS_read, fd, bytes, size);
}

struct bed {
	struct saved_tree tree;
	struct device_list devices;
	struct problems problems;
};

static int setup(void **state)
{
	return tree_set_up(state, sizeof(struct bed));
}

static int teardown(void **state)
{
	struct bed *bed = *state;

	tree_become_oneself();
	tree_close(&bed->tree);
	device_list_clear(&bed->devices);
	problems_free(&bed->problems);
	free(bed);
	return 0;
}

static void write_device(struct bed *bed)
{
	static const struct {
		const char *path, *text;
	} files[] = {
		{PCI "numa_node", "1"},
		{PCI "vendor", "0x15b3"},
		{PCI "device", "0x101b"},
		{PCI "current_link_speed", "16.0 GT/s PCIe"},
		{PCI "max_link_speed", "32.0 GT/s PCIe"},
		{PCI "current_link_width", "8"},
		{PCI "max_link_width", "16"},
		{PCI "msi_irqs/40", "msix"},
		{PCI "msi_irqs/41", "msix"},
		{PCI "infiniband/mlx5_0/node_type", "1: CA"},
		{PCI "infiniband/mlx5_0/fw_ver", "20.31.1014"},
		{PCI "infiniband/mlx5_0/node_guid", "ec0d:9a03:0078:1a2c"},
		{PCI "infiniband/mlx5_0/sys_image_guid", "ec0d:9a03:0078:1a2d"},
		{PCI "infiniband/mlx5_0/board_id", "MT_0000000222"},
		{PCI "infiniband/mlx5_0/hca_type", "MT4123"},
		{PCI "infiniband/mlx5_0/hw_rev", "0"},
		{PCI "infiniband/mlx5_0/node_desc", "host \033[31mmlx5_0"},
		{PCI "infiniband/mlx5_0/ports/1/state", "4: ACTIVE"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		tree_write(&bed->tree, files[i].path, files[i].text);
	tree_link(&bed->tree, PCI "driver", "../../../../bus/pci/drivers/mlx5_core");
	tree_link(&bed->tree, PCI "infiniband/mlx5_0/device", "../../../0000:3b:00.0");
	tree_link(&bed->tree, CLASS "mlx5_0",
		  "../../devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/infiniband/mlx5_0");
}

/* Port 1 of a device without PCI function, with the given link layer. */
static struct port *write_port(struct bed *bed, const char *link_layer)
{
	struct device *device = device_list_add(&bed->devices, "mlx5_0");

	tree_write(&bed->tree, PORT "link_layer", link_layer);
	tree_write(&bed->tree, PORT "state", "4: ACTIVE");
	tree_write(&bed->tree, PORT "phys_state", "5: LinkUp");
	tree_write(&bed->tree, PORT "rate", "100 Gb/sec (4X EDR)");
	tree_write(&bed->tree, PORT "lid", "0x11");
	tree_write(&bed->tree, PORT "lid_mask_count", "2");
	tree_write(&bed->tree, PORT "sm_lid", "0x1");
	tree_write(&bed->tree, PORT "sm_sl", "3");
	tree_write(&bed->tree, PORT "cap_mask", "0x2651e848");
	tree_write(&bed->tree, PORT "gids/0", "fe80:0000:0000:0000:ec0d:9a03:0078:1a2c");
	tree_write(&bed->tree, PORT "gids/1", "0000:0000:0000:0000:0000:0000:0000:0000");
	tree_write(&bed->tree, PORT "pkeys/0", "0xffff");
	return device_add_port(device, 1);
}

/* Returns the problem of that attribute (its key in JSON), which has to exist. */
static const struct problem *problem_of(const struct bed *bed, const char *attribute)
{
	for (size_t i = 0; i < bed->problems.count; i++)
		if (bed->problems.items[i].attribute &&
		    !strcmp(bed->problems.items[i].attribute, attribute))
			return &bed->problems.items[i];
	fail_msg("no problem of %s", attribute);
	return NULL;
}

static void list_all(struct bed *bed)
{
	assert_int_equal(device_list_sysfs(&bed->tree.root, &bed->devices), 0);
	for (size_t i = 0; i < bed->devices.count; i++)
		device_list_ports_sysfs(&bed->tree.root, &bed->devices.items[i], &bed->problems);
}

static void device(void **state)
{
	struct bed *bed = *state;
	struct device *device;

	write_device(bed);
	list_all(bed);
	assert_int_equal(bed->devices.count, 1);
	device = &bed->devices.items[0];
	device_read_sysfs(&bed->tree.root, device, ALL, &bed->problems);
	assert_int_equal(bed->problems.count, 0);
	assert_string_equal(device->name, "mlx5_0");
	assert_int_equal(device->port_count, 1);
	assert_int_equal(device->ports[0].port.value, 1);
	assert_true(number_is(&device->sources, DEVICE_FROM_SYSFS));
	assert_int_equal(device->node_type.value, NODE_TYPE_CA);
	assert_string_equal(device->firmware, "20.31.1014");
	assert_true(device->node_guid.value == 0xec0d9a0300781a2c);
	assert_true(device->system_image_guid.value == 0xec0d9a0300781a2d);
	assert_string_equal(device->board_id, "MT_0000000222");
	assert_string_equal(device->hca_type, "MT4123");
	assert_string_equal(device->hardware_revision, "0");
	assert_string_equal(device->node_description, "host \\x1b[31mmlx5_0");
	assert_string_equal(device->driver, "mlx5_core");
	assert_string_equal(device->pci_address, "0000:3b:00.0");
	assert_int_equal(device->numa_node.value, 1);
	assert_int_equal(device->pci_vendor_id.value, 0x15b3);
	assert_int_equal(device->pci_device_id.value, 0x101b);
	assert_true(device->pcie_speed_gtps.value == 16 && device->pcie_speed_gtps.known);
	assert_true(device->pcie_max_speed_gtps.value == 32);
	assert_int_equal(device->pcie_width_lanes.value, 8);
	assert_int_equal(device->pcie_max_width_lanes.value, 16);
	assert_int_equal(device->irq_count.value, 2);
}

/* Files that are not needed are not read. */
static void device_nothing_needed(void **state)
{
	struct bed *bed = *state;
	struct device *device;

	write_device(bed);
	device = device_list_add(&bed->devices, "mlx5_0");
	device_read_sysfs(&bed->tree.root, device, 0, &bed->problems);
	assert_false(device->node_type.known);
	assert_null(device->firmware);
	assert_null(device->pci_address);
	assert_null(device->driver);
	assert_false(device->irq_count.known);
	device_read_sysfs(&bed->tree.root, device, NEED_GUIDS, &bed->problems);
	assert_true(device->node_guid.known);
	assert_null(device->board_id);
	device_read_sysfs(&bed->tree.root, device, NEED_DRIVER, &bed->problems);
	assert_string_equal(device->driver, "mlx5_core");
}

/* Values known from RDMA netlink are not overwritten. */
static void device_known_members(void **state)
{
	struct bed *bed = *state;
	struct device *device;

	write_device(bed);
	device = device_list_add(&bed->devices, "mlx5_0");
	device->firmware = mem_string("netlink");
	number_set(&device->node_guid, 7);
	device_read_sysfs(&bed->tree.root, device, ALL, &bed->problems);
	assert_string_equal(device->firmware, "netlink");
	assert_int_equal(device->node_guid.value, 7);
	assert_true(device->system_image_guid.value == 0xec0d9a0300781a2d);
}

static void device_unknown_values(void **state)
{
	struct bed *bed = *state;
	struct device *device;

	write_device(bed);
	tree_write(&bed->tree, PCI "numa_node", "-1");
	tree_write(&bed->tree, PCI "current_link_speed", "Unknown");
	tree_delete(&bed->tree, PCI "msi_irqs");
	tree_delete(&bed->tree, PCI "infiniband/mlx5_0/board_id");
	tree_delete(&bed->tree, PCI "infiniband/mlx5_0/fw_ver");
	device = device_list_add(&bed->devices, "mlx5_0");
	device_read_sysfs(&bed->tree.root, device, ALL, &bed->problems);
	/* A device may lack the others; its driver creates these two. */
	assert_int_equal(bed->problems.count, 2);
	assert_string_equal(problem_of(bed, "board_id")->error, strerror(ENOENT));
	assert_string_equal(problem_of(bed, "firmware")->error, strerror(ENOENT));
	assert_false(device->numa_node.known);
	assert_false(device->pcie_speed_gtps.known);
	assert_false(device->irq_count.known);
	assert_null(device->board_id);
	assert_null(device->firmware);
}

/* An unreadable file is reported; a saved error is not taken for the name of a driver. */
static void device_unreadable_links(void **state)
{
	struct bed *bed = *state;
	struct device *device;

	write_device(bed);
	tree_link(&bed->tree, PCI "driver", "!EACCES");
	tree_delete(&bed->tree, PCI "msi_irqs");
	tree_link(&bed->tree, PCI "msi_irqs", "!EIO");
	device = device_list_add(&bed->devices, "mlx5_0");
	device_read_sysfs(&bed->tree.root, device, ALL, &bed->problems);
	assert_null(device->driver);
	assert_false(device->irq_count.known);
	assert_int_equal(bed->problems.count, 2);
	assert_string_equal(problem_of(bed, "driver")->error, strerror(EACCES));
	assert_string_equal(problem_of(bed, "irq_count")->error, strerror(EIO));
}

/* Representors are ports, too: an adapter may have more than 255. */
static void many_ports(void **state)
{
	struct bed *bed = *state;
	struct device *device = device_list_add(&bed->devices, "mlx5_9");

	for (unsigned int number = 1; number <= 300; number++) {
		_cleanup_(freep) char *path = mem_format(CLASS "mlx5_9/ports/%u", number);

		tree_directory(&bed->tree, path);
	}
	device_list_ports_sysfs(&bed->tree.root, device, &bed->problems);
	assert_int_equal(bed->problems.count, 0);
	assert_false(device->ports_unknown);
	assert_int_equal(device->port_count, 300);
	assert_non_null(device_port(device, 300));
}

/* An unreadable directory is reported once for all of its files. */
static void device_unreadable(void **state)
{
	struct bed *bed = *state;
	struct device *device = device_list_add(&bed->devices, "mlx5_0");

	tree_link(&bed->tree, CLASS "mlx5_0", "!EACCES");
	device_list_ports_sysfs(&bed->tree.root, device, &bed->problems);
	assert_true(device->ports_unknown);
	assert_string_equal(problem_of(bed, "ports")->error, strerror(EACCES));
	problems_free(&bed->problems);
	device_read_sysfs(&bed->tree.root, device, ALL, &bed->problems);
	assert_int_equal(bed->problems.count, 1);
	assert_string_equal(problem_of(bed, "node_type")->error, strerror(EACCES));
}

static void device_bad_texts(void **state)
{
	static const struct {
		const char *path, *text, *attribute;
	} samples[] = {
		{PCI "infiniband/mlx5_0/node_type", "CA", "node_type"},
		{PCI "infiniband/mlx5_0/node_guid", "0000:1111", "node_guid"},
		{PCI "infiniband/mlx5_0/sys_image_guid", "", "system_image_guid"},
		{PCI "numa_node", "one", "numa_node"},
		{PCI "vendor", "0xzz", "pci_vendor_id"},
		{PCI "current_link_speed", "fast", "pcie_speed_gtps"},
		{PCI "current_link_width", "-4", "pcie_width_lanes"},
	};
	struct bed *bed = *state;
	struct device *device;

	write_device(bed);
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		tree_write(&bed->tree, samples[i].path, samples[i].text);
	device = device_list_add(&bed->devices, "mlx5_0");
	device_read_sysfs(&bed->tree.root, device, ALL, &bed->problems);
	assert_int_equal(bed->problems.count, ARRAY_SIZE(samples));
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		char error[100];

		snprintf(error, sizeof(error),
			 samples[i].text[0] ? "unexpected text '%s'" : "the file is empty",
			 samples[i].text);
		assert_string_equal(problem_of(bed, samples[i].attribute)->error, error);
		assert_string_equal(problem_of(bed, samples[i].attribute)->object, "mlx5_0");
	}
	assert_false(device->node_type.known);
	assert_false(device->node_guid.known);
	assert_false(device->numa_node.known);
	assert_false(device->pcie_width_lanes.known);
	assert_string_equal(device->board_id, "MT_0000000222");
}

/* A missing file that the core creates for every device is reported by its name. */
static void device_missing_required(void **state)
{
	struct bed *bed = *state;
	struct device *device;

	write_device(bed);
	tree_delete(&bed->tree, PCI "infiniband/mlx5_0/node_type");
	tree_link(&bed->tree, PCI "infiniband/mlx5_0/node_guid", "!EACCES");
	tree_delete(&bed->tree, PCI "infiniband/mlx5_0/sys_image_guid");
	device = device_list_add(&bed->devices, "mlx5_0");
	device_read_sysfs(&bed->tree.root, device, ALL, &bed->problems);
	assert_string_equal(problem_of(bed, "node_type")->error, strerror(ENOENT));
	assert_string_equal(problem_of(bed, "node_guid")->error, strerror(EACCES));
	assert_string_equal(problem_of(bed, "system_image_guid")->error, strerror(ENOENT));
	assert_int_equal(bed->problems.count, 3);
}

static void two_missing_in_a_row(void **state)
{
	struct bed *bed = *state;
	struct device *device;

	write_device(bed);
	tree_delete(&bed->tree, PCI "infiniband/mlx5_0/node_guid");
	tree_delete(&bed->tree, PCI "infiniband/mlx5_0/sys_image_guid");
	device = device_list_add(&bed->devices, "mlx5_0");
	device_read_sysfs(&bed->tree.root, device, ALL, &bed->problems);
	assert_string_equal(problem_of(bed, "node_guid")->error, strerror(ENOENT));
	assert_string_equal(problem_of(bed, "system_image_guid")->error, strerror(ENOENT));
}

/* The class directory has strange entries; the good device is still listed. */
static void strange_devices(void **state)
{
	struct bed *bed = *state;

	write_device(bed);
	tree_directory(&bed->tree, CLASS "evil\033[31m\n/ports/1");
	tree_directory(&bed->tree, CLASS "empty");
	tree_write(&bed->tree, CLASS "file", "x");
	tree_link(&bed->tree, CLASS "gone", "../../devices/gone");
	tree_directory(&bed->tree, CLASS "ports/ports/2");
	tree_directory(&bed->tree, CLASS "ports/ports/10");
	tree_directory(&bed->tree, CLASS "ports/ports/02");
	tree_directory(&bed->tree, CLASS "ports/ports/65536");
	tree_directory(&bed->tree, CLASS "ports/ports/x");
	list_all(bed);
	assert_int_equal(bed->devices.count, 6);
	assert_string_equal(bed->devices.items[1].name, "evil\\x1b[31m\\x0a");
	assert_string_equal(bed->devices.items[1].kernel_name, "evil\033[31m\n");
	assert_int_equal(bed->devices.items[1].port_count, 1);
	assert_string_equal(bed->devices.items[4].name, "mlx5_0");
	assert_int_equal(bed->devices.items[4].port_count, 1);
	/* Ports 2 and 10; 02 is 2 again. */
	assert_int_equal(bed->devices.items[5].port_count, 2);
	assert_non_null(device_port(&bed->devices.items[5], 2));
	assert_non_null(device_port(&bed->devices.items[5], 10));
	for (size_t i = 0; i < bed->problems.count; i++)
		assert_string_equal(bed->problems.items[i].attribute, "ports");
	/*
	 * empty, file and gone have no ports, 65536 and x are not ports, and the first port is not
	 * 2.
	 */
	assert_int_equal(bed->problems.count, 6);
}

static void no_class(void **state)
{
	struct bed *bed = *state;
	struct strings names = {0};

	assert_int_equal(device_find_core(&bed->tree.root), -ENOENT);
	assert_int_equal(device_list_sysfs(&bed->tree.root, &bed->devices), -ENOENT);
	assert_int_equal(device_names_sysfs(&bed->tree.root, &names), -ENOENT);
	tree_directory(&bed->tree, "sys/class/infiniband");
	assert_int_equal(device_find_core(&bed->tree.root), 0);
	assert_int_equal(device_list_sysfs(&bed->tree.root, &bed->devices), 0);
	assert_int_equal(bed->devices.count, 0);
	tree_delete(&bed->tree, "sys/class/infiniband");
	tree_write(&bed->tree, "sys/class/infiniband", "");
	assert_int_equal(device_find_core(&bed->tree.root), -ENOTDIR);
	assert_int_equal(device_list_sysfs(&bed->tree.root, &bed->devices), -ENOTDIR);
	assert_int_equal(bed->problems.count, 0);
}

static void port_infiniband(void **state)
{
	struct bed *bed = *state;
	struct port *port = write_port(bed, "InfiniBand");

	port_read_sysfs(&bed->tree.root, port, ALL, &bed->problems);
	assert_int_equal(bed->problems.count, 0);
	assert_int_equal(port->link_layer.value, LINK_LAYER_INFINIBAND);
	assert_int_equal(port->state.value, 4);
	assert_int_equal(port->physical_state.value, 5);
	assert_true(port->rate_gbps.value == 100);
	assert_int_equal(port->width_lanes.value, 4);
	assert_string_equal(port->speed, "EDR");
	assert_int_equal(port->lid.value, 0x11);
	assert_int_equal(port->lmc.value, 2);
	assert_int_equal(port->sm_lid.value, 1);
	assert_int_equal(port->sm_sl.value, 3);
	assert_int_equal(port->cap_mask.value, 0x2651e848);
	assert_true(port->port_guid.value == 0xec0d9a0300781a2c);
	assert_true(port->subnet_prefix.value == 0xfe80000000000000);
	assert_int_equal(port->gid_table_length.value, 2);
	assert_int_equal(port->pkey_table_length.value, 1);
}

/* Ethernet has neither LIDs nor a subnet manager: the kernel's zeros have no meaning. */
static void port_ethernet(void **state)
{
	struct bed *bed = *state;
	struct port *port = write_port(bed, "Ethernet");

	port_read_sysfs(&bed->tree.root, port, ALL, &bed->problems);
	assert_int_equal(bed->problems.count, 0);
	assert_int_equal(port->link_layer.value, LINK_LAYER_ETHERNET);
	assert_false(port->lid.known);
	assert_false(port->lmc.known);
	assert_false(port->sm_lid.known);
	assert_false(port->sm_sl.known);
	assert_false(port->subnet_prefix.known);
	assert_true(port->port_guid.known);
	assert_true(port->cap_mask.known);
}

static void port_link_layers(void **state)
{
	static const struct {
		const char *text;
		uint64_t layer;
	} samples[] = {
		{"InfiniBand", LINK_LAYER_INFINIBAND},
		{"Ethernet", LINK_LAYER_ETHERNET},
		{"Unspecified", LINK_LAYER_UNSPECIFIED},
		{"Unknown", LINK_LAYER_UNSPECIFIED},
	};
	struct bed *bed = *state;
	struct port *port = write_port(bed, "InfiniBand");

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		port->link_layer.known = false;
		tree_write(&bed->tree, PORT "link_layer", samples[i].text);
		port_read_sysfs(&bed->tree.root, port, NEED_LINK_LAYER, &bed->problems);
		assert_true(port->link_layer.known);
		assert_int_equal(port->link_layer.value, samples[i].layer);
	}
	port->link_layer.known = false;
	tree_write(&bed->tree, PORT "link_layer", "infiniband");
	port_read_sysfs(&bed->tree.root, port, NEED_LINK_LAYER, &bed->problems);
	assert_false(port->link_layer.known);
	assert_int_equal(bed->problems.count, 1);
}

static void port_state_codes(void **state)
{
	static const struct {
		const char *text;
		bool known;
		uint64_t code;
	} samples[] = {
		{"1: DOWN", true, 1},	  {"5: ACTIVE_DEFER", true, 5},
		{"0: NOP", true, 0},	  {"4", true, 4},
		{"4:", true, 4},	  {"255: x", true, 255},
		{"ACTIVE", false, 0},	  {": ACTIVE", false, 0},
		{"-1: DOWN", false, 0},	  {"256: x", false, 0},
		{"", false, 0},		  {"12345678: x", false, 0},
		{"4 : ACTIVE", false, 0}, {"0004: x", false, 0},
	};
	struct bed *bed = *state;
	struct port *port = write_port(bed, "InfiniBand");
	size_t bad = 0;

	number_set(&port->physical_state, 5);
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		port->state = (struct number){0};
		tree_write(&bed->tree, PORT "state", samples[i].text);
		port_read_sysfs(&bed->tree.root, port, NEED_STATE, &bed->problems);
		assert_int_equal(port->state.known, samples[i].known);
		assert_int_equal(port->state.value, samples[i].code);
		bad += !samples[i].known;
		assert_int_equal(bed->problems.count, bad);
	}
}

/* Reads a new device with this text as its rate. */
static void read_rate(struct bed *bed, struct port *port, const char *text)
{
	free(port->speed);
	port->speed = NULL;
	port->rate_gbps.known = port->width_lanes.known = false;
	tree_write(&bed->tree, PORT "rate", text);
	port_read_sysfs(&bed->tree.root, port, NEED_RATE, &bed->problems);
}

/* All texts that rate_show() of drivers/infiniband/core/sysfs.c writes, in old and new kernels. */
static void port_rates(void **state)
{
	static const struct {
		const char *text;
		double rate;
		unsigned int lanes;
		const char *speed;
	} samples[] = {
		{"2.5 Gb/sec (1X)", 2.5, 1, "SDR"},	  {"10 Gb/sec (4X)", 10, 4, "SDR"},
		{"2.5 Gb/sec (1X SDR)", 2.5, 1, "SDR"},	  {"10 Gb/sec (4X SDR)", 10, 4, "SDR"},
		{"30 Gb/sec (12X SDR)", 30, 12, "SDR"},	  {"5 Gb/sec (1X DDR)", 5, 1, "DDR"},
		{"20 Gb/sec (4X DDR)", 20, 4, "DDR"},	  {"40 Gb/sec (8X DDR)", 40, 8, "DDR"},
		{"40 Gb/sec (4X QDR)", 40, 4, "QDR"},	  {"40 Gb/sec (4X FDR10)", 40, 4, "FDR10"},
		{"56 Gb/sec (4X FDR)", 56, 4, "FDR"},	  {"14 Gb/sec (1X FDR)", 14, 1, "FDR"},
		{"25 Gb/sec (1X EDR)", 25, 1, "EDR"},	  {"50 Gb/sec (2X EDR)", 50, 2, "EDR"},
		{"100 Gb/sec (4X EDR)", 100, 4, "EDR"},	  {"50 Gb/sec (1X HDR)", 50, 1, "HDR"},
		{"100 Gb/sec (2X HDR)", 100, 2, "HDR"},	  {"200 Gb/sec (4X HDR)", 200, 4, "HDR"},
		{"600 Gb/sec (12X HDR)", 600, 12, "HDR"}, {"400 Gb/sec (4X NDR)", 400, 4, "NDR"},
		{"800 Gb/sec (4X XDR)", 800, 4, "XDR"},
	};
	struct bed *bed = *state;
	struct port *port = write_port(bed, "InfiniBand");

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		read_rate(bed, port, samples[i].text);
		assert_true(port->rate_gbps.known);
		assert_true(port->rate_gbps.value == samples[i].rate);
		assert_true(port->width_lanes.known);
		assert_int_equal(port->width_lanes.value, samples[i].lanes);
		assert_string_equal(port->speed, samples[i].speed);
	}
	assert_int_equal(bed->problems.count, 0);
}

static void port_bad_rates(void **state)
{
	static const char *const samples[] = {
		"",
		"fast",
		"100",
		"100 Mb/sec (4X EDR)",
		"-100 Gb/sec (4X EDR)",
		"(4X EDR)",
		"99999999999999999999 Gb/sec (4X EDR)",
		".5 Gb/sec (4X EDR)",
		"inf Gb/sec (4X EDR)",
		"nan Gb/sec (4X EDR)",
		"100Gb/sec (4X EDR)",
		"\xff",
	};
	struct bed *bed = *state;
	struct port *port = write_port(bed, "InfiniBand");

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		read_rate(bed, port, samples[i]);
		assert_false(port->rate_gbps.known);
		assert_false(port->width_lanes.known);
		assert_null(port->speed);
		assert_int_equal(bed->problems.count, i + 1);
		assert_string_equal(bed->problems.items[i].object, "mlx5_0/1");
		assert_string_equal(bed->problems.items[i].attribute, "rate_gbps");
	}
	tree_link(&bed->tree, PORT "rate", "!EINVAL");
	port_read_sysfs(&bed->tree.root, port, NEED_RATE, &bed->problems);
	assert_string_equal(bed->problems.items[ARRAY_SIZE(samples)].error, strerror(EINVAL));
}

/* A malformed width or speed is unknown, and not taken for another one. */
static void port_rates_of_another_form(void **state)
{
	static const char *const samples[] = {
		"100 Gb/sec",
		"100 Gb/sec (4X",
		"100 Gb/sec (4X \033[5mEDR)",
		"100 Gb/sec (4X edr)",
		"100 Gb/sec (4X E-R)",
		"100 Gb/sec (-4X EDR)",
		"100 Gb/sec (99999999999X EDR)",
		"100 Gb/sec (X EDR)",
		"0x64 Gb/sec (4X EDR)",
		"100 Gb/sec (4X EDR",
		"100 Gb/sec (4X EDR) x",
	};
	struct bed *bed = *state;
	struct port *port = write_port(bed, "InfiniBand");

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		read_rate(bed, port, samples[i]);
		assert_null(port->speed);
		assert_false(port->width_lanes.known);
	}
}

static void port_table_lengths(void **state)
{
	struct bed *bed = *state;
	struct port *port = write_port(bed, "InfiniBand");

	/* iWARP has no P_Keys, and no directory for them. */
	tree_write(&bed->tree, CLASS "mlx5_0/node_type", "4: RNIC");
	tree_delete(&bed->tree, PORT "pkeys");
	port_read_sysfs(&bed->tree.root, port, NEED_TABLE_SIZES, &bed->problems);
	assert_true(port->gid_table_length.known);
	assert_int_equal(port->gid_table_length.value, 2);
	assert_true(port->pkey_table_length.known);
	assert_int_equal(port->pkey_table_length.value, 0);
	assert_int_equal(bed->problems.count, 0);
}

/* A port of InfiniBand or RoCE has a P_Key table, so its absence is not an empty table. */
static void port_without_pkeys(void **state)
{
	struct bed *bed = *state;
	struct port *port = write_port(bed, "InfiniBand");

	tree_delete(&bed->tree, PORT "pkeys");
	for (int i = 0; i < 2; i++) {
		port_read_sysfs(&bed->tree.root, port, NEED_PKEY_COUNT, &bed->problems);
		pkey_table_read_sysfs(&bed->tree.root, port, &bed->problems);
		assert_false(port->pkey_table_length.known);
		assert_int_equal(bed->problems.count, 2);
		assert_string_equal(problem_of(bed, "pkey_table_length")->error, strerror(ENOENT));
		assert_string_equal(problem_of(bed, "pkeys")->error, strerror(ENOENT));
		problems_free(&bed->problems);
		tree_write(&bed->tree, PORT "link_layer", "Ethernet");
		tree_write(&bed->tree, CLASS "mlx5_0/node_type", "1: CA");
	}
}

/* On a live system, a missing table means no P_Keys, as for mana, unless the port is gone. */
static void live_port_without_pkeys(void **state)
{
	struct bed *bed = *state;
	struct port *port = write_port(bed, "Ethernet");
	struct root root = bed->tree.root;

	root.recorded = true;
	tree_write(&bed->tree, CLASS "mlx5_0/node_type", "1: CA");
	tree_delete(&bed->tree, PORT "pkeys");
	port_read_sysfs(&root, port, NEED_PKEY_COUNT, &bed->problems);
	pkey_table_read_sysfs(&root, port, &bed->problems);
	assert_int_equal(bed->problems.count, 0);
	assert_true(port->pkey_table_length.known);
	assert_int_equal(port->pkey_table_length.value, 0);
	port->pkey_table_length.known = false;
	tree_delete(&bed->tree, CLASS "mlx5_0");
	port_read_sysfs(&root, port, NEED_PKEY_COUNT, &bed->problems);
	pkey_table_read_sysfs(&root, port, &bed->problems);
	assert_false(port->pkey_table_length.known);
	assert_int_equal(bed->problems.count, 2);
	assert_string_equal(problem_of(bed, "pkeys")->error, strerror(ENOENT));
}

/* The kernel numbers the slots of a table without gaps. */
static void table_with_a_gap(void **state)
{
	struct bed *bed = *state;
	struct port *port = write_port(bed, "InfiniBand");

	tree_write(&bed->tree, PORT "pkeys/3", "0x8001");
	tree_write(&bed->tree, PORT "gids/4", "fe80:0000:0000:0000:0000:0000:0000:0009");
	port_read_sysfs(&bed->tree.root, port, NEED_TABLE_SIZES, &bed->problems);
	assert_false(port->gid_table_length.known);
	assert_false(port->pkey_table_length.known);
	assert_int_equal(bed->problems.count, 2);
	pkey_table_read_sysfs(&bed->tree.root, port, &bed->problems);
	gid_table_read_sysfs(&bed->tree.root, port, false, false, &bed->problems);
	assert_string_equal(problem_of(bed, "pkeys/1")->error, strerror(ENOENT));
	assert_string_equal(problem_of(bed, "gids/2")->error, strerror(ENOENT));
}

/* An InfiniBand port has a port GUID: without the table, the GUID is a problem, too. */
static void port_without_gids(void **state)
{
	struct bed *bed = *state;
	struct port *port = write_port(bed, "InfiniBand");

	tree_delete(&bed->tree, PORT "gids");
	port_read_sysfs(&bed->tree.root, port, NEED_PORT_GUID, &bed->problems);
	assert_string_equal(problem_of(bed, "port_guid")->error, strerror(ENOENT));
	assert_int_equal(bed->problems.count, 1);
}

/* Each column is read independently. */
static void one_lid(void **state)
{
	struct bed *bed = *state;
	struct port *port = write_port(bed, "InfiniBand");

	tree_link(&bed->tree, PORT "sm_lid", "!EIO");
	tree_link(&bed->tree, PORT "lid_mask_count", "!EIO");
	port_read_sysfs(&bed->tree.root, port, NEED_BASE_LID, &bed->problems);
	assert_int_equal(bed->problems.count, 0);
	port_read_sysfs(&bed->tree.root, port, NEED_LMC, &bed->problems);
	assert_int_equal(bed->problems.count, 1);
	assert_non_null(problem_of(bed, "lmc"));
}

/* In a copy that followed the links, folders replace the links of sysfs. */
static void device_of_a_copy(void **state)
{
	struct bed *bed = *state;
	struct device *device = device_list_add(&bed->devices, "copy");

	tree_write(&bed->tree, CLASS "copy/node_type", "1: CA");
	tree_write(&bed->tree, CLASS "copy/node_desc", "a copy");
	tree_write(&bed->tree, CLASS "copy/device/vendor", "0x15b3");
	tree_write(&bed->tree, CLASS "copy/device/uevent",
		   "DRIVER=mlx5_core\nPCI_SLOT_NAME=0000:3b:00.0");
	tree_write(&bed->tree, CLASS "copy/device/infiniband_verbs/uverbs4/ibdev", "copy");
	device_read_sysfs(&bed->tree.root, device,
			  NEED_PCI_ADDRESS | NEED_PCI_VENDOR | NEED_DRIVER | NEED_DESCRIPTION,
			  &bed->problems);
	device_list_read_chardevs(&bed->tree.root, &bed->devices, NEED_UVERBS, &bed->problems);
	assert_int_equal(bed->problems.count, 0);
	assert_string_equal(device->pci_address, "0000:3b:00.0");
	assert_int_equal(device->pci_vendor_id.value, 0x15b3);
	assert_string_equal(device->driver, "mlx5_core");
	assert_string_equal(device->uverbs, "uverbs4");
	/* For every device, the driver creates board_id, and the core node_desc. */
	free(device->node_description);
	device->node_description = NULL;
	tree_write(&bed->tree, CLASS "copy/hw_rev", "");
	tree_delete(&bed->tree, CLASS "copy/node_desc");
	device_read_sysfs(&bed->tree.root, device, NEED_BOARD, &bed->problems);
	assert_int_equal(bed->problems.count, 3);
	assert_non_null(problem_of(bed, "board_id"));
	assert_non_null(problem_of(bed, "hca_type"));
	assert_non_null(problem_of(bed, "node_description"));
	assert_null(device->hardware_revision);
}

/* Linux 6.18: ionic_ibdev.c has hca_type and hw_rev, but no board_id. */
static void device_of_ionic(void **state)
{
	struct bed *bed = *state;
	struct device *device = device_list_add(&bed->devices, "ionic_0");

	tree_write(&bed->tree, CLASS "ionic_0/node_desc", "AMD Pensando RoCE HCA");
	tree_write(&bed->tree, CLASS "ionic_0/device/uevent", "DRIVER=ionic");
	device_read_sysfs(&bed->tree.root, device, NEED_BOARD, &bed->problems);
	assert_int_equal(bed->problems.count, 2);
	assert_non_null(problem_of(bed, "hca_type"));
	assert_non_null(problem_of(bed, "hardware_revision"));
	tree_write(&bed->tree, CLASS "ionic_0/hca_type", "AMD Pensando RoCE HCA");
	tree_write(&bed->tree, CLASS "ionic_0/hw_rev", "0x2");
	device_read_sysfs(&bed->tree.root, device, NEED_BOARD, &bed->problems);
	assert_int_equal(bed->problems.count, 2);
	assert_string_equal(device->hca_type, "AMD Pensando RoCE HCA");
	assert_string_equal(device->hardware_revision, "0x2");
	assert_null(device->board_id);
}

/* An unreadable table is reported, and does not hide others. */
static void port_table_lengths_apart(void **state)
{
	struct bed *bed = *state;
	struct port *port = write_port(bed, "InfiniBand");

	tree_delete(&bed->tree, PORT "gids");
	tree_link(&bed->tree, PORT "gids", "!EACCES");
	port_read_sysfs(&bed->tree.root, port, NEED_TABLE_SIZES | NEED_PORT_GUID, &bed->problems);
	assert_false(port->gid_table_length.known);
	assert_false(port->port_guid.known);
	assert_int_equal(port->pkey_table_length.value, 1);
	assert_int_equal(bed->problems.count, 2);
	assert_string_equal(problem_of(bed, "gid_table_length")->error, strerror(EACCES));
	assert_string_equal(problem_of(bed, "port_guid")->error, strerror(EACCES));
	tree_delete(&bed->tree, PORT "pkeys");
	tree_link(&bed->tree, PORT "pkeys", "!EIO");
	port->pkey_table_length.known = false;
	port_read_sysfs(&bed->tree.root, port, NEED_TABLE_SIZES, &bed->problems);
	assert_false(port->pkey_table_length.known);
	assert_string_equal(problem_of(bed, "pkey_table_length")->error, strerror(EIO));
}

/* Nothing is known about a missing or unreadable port: not even a 0. */
static void port_table_lengths_unknown(void **state)
{
	struct bed *bed = *state;
	struct port *port = write_port(bed, "InfiniBand");

	tree_delete(&bed->tree, CLASS "mlx5_0/ports/1");
	port_read_sysfs(&bed->tree.root, port, NEED_TABLE_SIZES, &bed->problems);
	assert_false(port->gid_table_length.known);
	assert_false(port->pkey_table_length.known);
	assert_int_equal(bed->problems.count, 2);
	tree_link(&bed->tree, PORT "gids", "!EACCES");
	tree_link(&bed->tree, PORT "pkeys", "!EACCES");
	port_read_sysfs(&bed->tree.root, port, NEED_TABLE_SIZES, &bed->problems);
	assert_false(port->gid_table_length.known);
	assert_false(port->pkey_table_length.known);
}

static void port_guid(void **state)
{
	struct bed *bed = *state;
	struct port *port = write_port(bed, "InfiniBand");

	tree_write(&bed->tree, PORT "gids/0", "not a gid");
	port_read_sysfs(&bed->tree.root, port, NEED_PORT_GUID, &bed->problems);
	assert_false(port->port_guid.known);
	assert_string_equal(problem_of(bed, "port_guid")->error, "unexpected text 'not a gid'");
	tree_write(&bed->tree, PORT "gids/0", "fec0:0000:0000:0001:0000:0000:0000:0002");
	port_read_sysfs(&bed->tree.root, port, NEED_PORT_GUID | NEED_LINK_LAYER, &bed->problems);
	assert_int_equal(port->port_guid.value, 2);
	assert_true(port->subnet_prefix.value == 0xfec0000000000001);
}

static void bad_text_is_shown_clean_and_short(void **state)
{
	struct bed *bed = *state;
	struct port *port = write_port(bed, "InfiniBand");
	char expected[100];

	tree_write(&bed->tree, PORT "lid", "\033[31m\xff");
	port_read_sysfs(&bed->tree.root, port, NEED_LID, &bed->problems);
	assert_string_equal(problem_of(bed, "lid")->error, "unexpected text '\\x1b[31m\\xff'");
	problems_free(&bed->problems);
	snprintf(expected, sizeof(expected), "unexpected text '%060d'", 0);
	{
		_cleanup_(freep) char *lid = mem_format("%0100d,", 0);

		tree_write(&bed->tree, PORT "lid", lid);
	}
	port_read_sysfs(&bed->tree.root, port, NEED_LID, &bed->problems);
	assert_string_equal(problem_of(bed, "lid")->error, expected);
}

static void write_gid(struct bed *bed, const char *slot, const char *gid, const char *type,
		      const char *netdev)
{
	static const char *const places[] = {"gids", "gid_attrs/types", "gid_attrs/ndevs"};
	const char *const texts[] = {gid, type, netdev};

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		_cleanup_(freep) char *path = mem_format(PORT "%s/%s", places[i], slot);

		if (texts[i] && texts[i][0] == '!')
			tree_link(&bed->tree, path, texts[i]);
		else if (texts[i])
			tree_write(&bed->tree, path, texts[i]);
	}
}

static struct port *write_gids(struct bed *bed)
{
	struct port *port = write_port(bed, "Ethernet");

	number_set(&port->link_layer, LINK_LAYER_ETHERNET);
	write_gid(bed, "0", "fe80::1", "IB/RoCE v1", "eth0");
	write_gid(bed, "1", "fe80::1", "RoCE v2", "eth0");
	write_gid(bed, "2", "::", "!EINVAL", "!EINVAL");
	write_gid(bed, "10", "::ffff:10.9.0.1", "RoCE v2", "eth0.5");
	write_gid(bed, "3", "::ffff:10.9.0.1", "IB/RoCE v1", "!EINVAL");
	return port;
}

static void check_gid(const struct gid_entry *entry, unsigned int index, enum gid_type type,
		      const char *netdev)
{
	assert_string_equal(entry->device, "mlx5_0");
	assert_int_equal(entry->port.value, 1);
	assert_int_equal(entry->index.value, index);
	assert_true(entry->gid.known);
	assert_true(entry->type.known);
	assert_int_equal(entry->type.value, type);
	assert_int_equal(entry->source.value, GID_SOURCE_SYSFS);
	if (netdev)
		assert_string_equal(entry->netdev, netdev);
	else
		assert_null(entry->netdev);
}

static void gids(void **state)
{
	struct bed *bed = *state;
	struct port *port = write_gids(bed);

	gid_table_read_sysfs(&bed->tree.root, port, false, true, &bed->problems);
	assert_int_equal(bed->problems.count, 1);
	assert_non_null(problem_of(bed, "gids/4"));
	assert_int_equal(port->gid_count, 4);
	check_gid(&port->gids[0], 0, GID_TYPE_ROCE_V1, "eth0");
	check_gid(&port->gids[1], 1, GID_TYPE_ROCE_V2, "eth0");
	check_gid(&port->gids[2], 3, GID_TYPE_ROCE_V1, NULL);
	check_gid(&port->gids[3], 10, GID_TYPE_ROCE_V2, "eth0.5");
	assert_true(gid_is_ipv4_mapped(&port->gids[3].gid.gid));
}

static void gids_with_empty_slots(void **state)
{
	struct bed *bed = *state;
	struct port *port = write_gids(bed);

	gid_table_read_sysfs(&bed->tree.root, port, true, false, &bed->problems);
	assert_int_equal(bed->problems.count, 1);
	assert_non_null(problem_of(bed, "gids/4"));
	assert_int_equal(port->gid_count, 5);
	assert_int_equal(port->gids[2].index.value, 2);
	assert_true(gid_is_zero(&port->gids[2].gid.gid));
	assert_false(port->gids[2].type.known);
	/* The netdev was not requested. */
	assert_null(port->gids[0].netdev);
}

static void gids_of_infiniband(void **state)
{
	struct bed *bed = *state;
	struct port *port = write_port(bed, "InfiniBand");

	number_set(&port->link_layer, LINK_LAYER_INFINIBAND);
	write_gid(bed, "0", "fe80::2", "IB/RoCE v1", NULL);
	gid_table_read_sysfs(&bed->tree.root, port, false, true, &bed->problems);
	assert_int_equal(port->gid_count, 1);
	check_gid(&port->gids[0], 0, GID_TYPE_IB, NULL);
}

/* Linux before 4.5 has no types. InfiniBand has only one; for Ethernet it is not guessed. */
static void gids_without_types(void **state)
{
	struct bed *bed = *state;
	struct port *port = write_port(bed, "InfiniBand");

	number_set(&port->link_layer, LINK_LAYER_INFINIBAND);
	gid_table_read_sysfs(&bed->tree.root, port, false, false, &bed->problems);
	assert_int_equal(port->gid_count, 1);
	check_gid(&port->gids[0], 0, GID_TYPE_IB, NULL);
	assert_int_equal(bed->problems.count, 0);
	port = write_gids(bed);
	tree_delete(&bed->tree, PORT "gid_attrs/types/10");
	gid_table_read_sysfs(&bed->tree.root, port, false, false, &bed->problems);
	assert_int_equal(port->gid_count, 4);
	check_gid(&port->gids[1], 1, GID_TYPE_ROCE_V2, NULL);
	assert_false(port->gids[3].type.known);
	assert_int_equal(bed->problems.count, 2);
	assert_non_null(problem_of(bed, "gids/4"));
	assert_string_equal(problem_of(bed, "gid_attrs/types/10")->error, strerror(ENOENT));
}

/* Without the link layer, the type meant by the old word is unknown, too. */
static void gids_of_unknown_link_layer(void **state)
{
	struct bed *bed = *state;
	struct port *port = write_gids(bed);

	port->link_layer.known = false;
	gid_table_read_sysfs(&bed->tree.root, port, false, false, &bed->problems);
	assert_false(port->gids[0].type.known);
	assert_int_equal(port->gids[1].type.value, GID_TYPE_ROCE_V2);
	assert_int_equal(bed->problems.count, 1);
	assert_non_null(problem_of(bed, "gids/4"));
}

/* If the folder is at fault, one problem covers all slots. */
static void gids_with_unreadable_folders(void **state)
{
	static const char *const targets[] = {"!EACCES", NULL};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(targets); i++) {
		struct port *port = write_gids(bed);

		tree_delete(&bed->tree, PORT "gid_attrs/types");
		tree_delete(&bed->tree, PORT "gid_attrs/ndevs");
		if (targets[i]) {
			tree_link(&bed->tree, PORT "gid_attrs/types", targets[i]);
			tree_link(&bed->tree, PORT "gid_attrs/ndevs", targets[i]);
		}
		gid_table_read_sysfs(&bed->tree.root, port, false, true, &bed->problems);
		assert_int_equal(port->gid_count, 4);
		for (size_t j = 0; j < port->gid_count; j++) {
			assert_false(port->gids[j].type.known);
			assert_null(port->gids[j].netdev);
		}
		/* Problems: both folders, and a gap in the table. */
		assert_int_equal(bed->problems.count, 3);
		assert_string_equal(problem_of(bed, "gid_attrs/types")->error,
				    strerror(targets[i] ? EACCES : ENOENT));
		assert_string_equal(problem_of(bed, "gid_attrs/ndevs")->error,
				    strerror(targets[i] ? EACCES : ENOENT));
		problems_free(&bed->problems);
		tree_delete(&bed->tree, PORT "gid_attrs");
	}
}

static void gid_netdev(void **state)
{
	static const struct {
		const char *target;
		int rc;
	} samples[] = {
		{"!EINVAL", 0},	   {"!ENODEV", 0}, {"!ENODATA", 0},
		{"gone", -ENOENT}, {"!EIO", -EIO}, {"!EACCES", -EACCES},
	};
	struct bed *bed = *state;
	const struct port *port = write_gids(bed);
	char *name = NULL;

	assert_int_equal(gid_read_netdev(&bed->tree.root, port, 0, &name), 0);
	assert_string_equal(name, "eth0");
	free(name);
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		tree_link(&bed->tree, PORT "gid_attrs/ndevs/0", samples[i].target);
		name = NULL;
		assert_int_equal(gid_read_netdev(&bed->tree.root, port, 0, &name), samples[i].rc);
		assert_null(name);
	}
}

static void first_gid(void **state)
{
	struct bed *bed = *state;
	const struct port *port = write_port(bed, "InfiniBand");
	struct known_gid first = gid_read_first(&bed->tree.root, port);

	assert_true(first.known);
	assert_true(gid_interface_id(&first.gid) == 0xec0d9a0300781a2c);
	tree_write(&bed->tree, PORT "gids/0", "none");
	assert_false(gid_read_first(&bed->tree.root, port).known);
	tree_delete(&bed->tree, PORT "gids/0");
	assert_false(gid_read_first(&bed->tree.root, port).known);
}

/* A bad slot does not hide others. */
static void gids_bad_slots(void **state)
{
	struct bed *bed = *state;
	struct port *port = write_gids(bed);

	write_gid(bed, "4", "!EIO", "RoCE v2", NULL);
	write_gid(bed, "5", "not a gid", "RoCE v2", NULL);
	write_gid(bed, "6", "fe80::6", "RoCE v3", "eth0");
	write_gid(bed, "7", "fe80::7", "!EINVAL", "eth\033[31m");
	write_gid(bed, "x", "fe80::8", "RoCE v2", NULL);
	write_gid(bed, "65536", "fe80::9", "RoCE v2", NULL);
	gid_table_read_sysfs(&bed->tree.root, port, false, true, &bed->problems);
	assert_int_equal(port->gid_count, 6);
	assert_int_equal(port->gids[3].index.value, 6);
	assert_false(port->gids[3].type.known);
	assert_int_equal(port->gids[4].index.value, 7);
	assert_false(port->gids[4].type.known);
	assert_string_equal(port->gids[4].netdev, "eth\\x1b[31m");
	check_gid(&port->gids[5], 10, GID_TYPE_ROCE_V2, "eth0.5");
	assert_string_equal(problem_of(bed, "gids/4")->error, strerror(EIO));
	assert_string_equal(problem_of(bed, "gids/5")->object, "mlx5_0/1");
	assert_string_equal(problem_of(bed, "gids/5")->error, "unexpected text 'not a gid'");
	assert_string_equal(problem_of(bed, "gid_attrs/types/6")->error,
			    "unexpected text 'RoCE v3'");
	assert_string_equal(problem_of(bed, "gid_attrs/types/7")->error, strerror(EINVAL));
}

/* On a live system, a slot whose type is EINVAL has just lost its GID. */
static void gids_emptied(void **state)
{
	struct bed *bed = *state;
	struct port *port = write_gids(bed);
	struct root root = bed->tree.root;
	size_t count;

	root.recorded = true;
	write_gid(bed, "7", "fe80::7", "!EINVAL", "eth0");
	gid_table_read_sysfs(&root, port, false, true, &bed->problems);
	assert_null(gid_entry_at(port, 7));
	count = port->gid_count;
	check_gid(&port->gids[count - 1], 10, GID_TYPE_ROCE_V2, "eth0.5");
	for (size_t i = 0; i < count; i++)
		gid_entry_clear(&port->gids[i]);
	port->gid_count = 0;
	gid_table_read_sysfs(&root, port, true, true, &bed->problems);
	assert_true(gid_is_zero(&gid_entry_at(port, 7)->gid.gid));
	assert_false(gid_entry_at(port, 7)->type.known);
	assert_null(gid_entry_at(port, 7)->netdev);
	for (size_t i = 0; i < bed->problems.count; i++)
		assert_null(strstr(bed->problems.items[i].attribute, "types"));
}

static void gids_no_table(void **state)
{
	struct bed *bed = *state;
	struct port *port = write_port(bed, "Ethernet");

	tree_delete(&bed->tree, PORT "gids");
	gid_table_read_sysfs(&bed->tree.root, port, false, true, &bed->problems);
	assert_int_equal(port->gid_count, 0);
	assert_string_equal(problem_of(bed, "gids")->error, strerror(ENOENT));
}

static void pkeys(void **state)
{
	struct bed *bed = *state;
	struct port *port = write_port(bed, "InfiniBand");

	tree_write(&bed->tree, PORT "pkeys/1", "0x8001");
	tree_write(&bed->tree, PORT "pkeys/10", "0x7fff");
	tree_write(&bed->tree, PORT "pkeys/2", "0x0000");
	tree_write(&bed->tree, PORT "pkeys/3", "0x10000");
	tree_link(&bed->tree, PORT "pkeys/4", "!EINVAL");
	pkey_table_read_sysfs(&bed->tree.root, port, &bed->problems);
	assert_int_equal(port->pkey_count, 4);
	assert_int_equal(port->pkeys[0].pkey.value, 0xffff);
	assert_int_equal(port->pkeys[1].pkey.value, 0x8001);
	assert_int_equal(port->pkeys[2].pkey.value, 0);
	assert_int_equal(port->pkeys[3].index.value, 10);
	assert_int_equal(port->pkeys[3].pkey.value, 0x7fff);
	assert_string_equal(port->pkeys[3].device, "mlx5_0");
	assert_int_equal(bed->problems.count, 3);
	assert_string_equal(problem_of(bed, "pkeys/5")->error, strerror(ENOENT));
	assert_string_equal(problem_of(bed, "pkeys/3")->error, "unexpected text '0x10000'");
	assert_string_equal(problem_of(bed, "pkeys/4")->error, strerror(EINVAL));
}

/* iWARP has no P_Keys, and that is no problem; a table that may not be read is one. */
static void pkeys_no_table(void **state)
{
	struct bed *bed = *state;
	struct port *port = write_port(bed, "Ethernet");

	tree_write(&bed->tree, CLASS "mlx5_0/node_type", "4: RNIC");
	tree_delete(&bed->tree, PORT "pkeys");
	pkey_table_read_sysfs(&bed->tree.root, port, &bed->problems);
	assert_int_equal(bed->problems.count, 0);
	tree_link(&bed->tree, PORT "pkeys", "!EACCES");
	pkey_table_read_sysfs(&bed->tree.root, port, &bed->problems);
	assert_int_equal(bed->problems.count, 1);
	assert_string_equal(problem_of(bed, "pkeys")->error, strerror(EACCES));
}

static void character_devices(void **state)
{
	struct bed *bed = *state;
	struct device *device = device_list_add(&bed->devices, "mlx5_0");

	tree_write(&bed->tree, CLASS "mlx5_1/node_type", "1: CA");
	tree_write(&bed->tree, CLASS "other/node_type", "1: CA");
	tree_write(&bed->tree, "sys/class/infiniband_verbs/uverbs1/ibdev", "mlx5_0");
	tree_write(&bed->tree, "sys/class/infiniband_verbs/uverbs2/ibdev", "mlx5_1");
	tree_write(&bed->tree, "sys/class/infiniband_verbs/abi_version", "6");
	tree_write(&bed->tree, "sys/class/infiniband_mad/umad10/ibdev", "mlx5_0");
	tree_write(&bed->tree, "sys/class/infiniband_mad/umad9/ibdev", "mlx5_0");
	tree_write(&bed->tree, "sys/class/infiniband_mad/issm9/ibdev", "mlx5_0");
	tree_write(&bed->tree, "sys/class/infiniband_mad/umad3/ibdev", "other");
	device_list_read_chardevs(&bed->tree.root, &bed->devices, NEED_CHARDEVS, &bed->problems);
	assert_int_equal(bed->problems.count, 0);
	assert_string_equal(device->uverbs, "uverbs1");
	assert_int_equal(device->umads.count, 2);
	assert_string_equal(device->umads.items[0], "umad9");
	assert_string_equal(device->umads.items[1], "umad10");
	assert_int_equal(device->issms.count, 1);
	assert_string_equal(device->issms.items[0], "issm9");
}

/* A node that names no device of the class may belong to any device. */
static void character_devices_of_nobody(void **state)
{
	struct bed *bed = *state;
	struct device *device = device_list_add(&bed->devices, "mlx5_0");

	tree_write(&bed->tree, "sys/class/infiniband_mad/umad0/ibdev", "mlx5_0");
	tree_write(&bed->tree, "sys/class/infiniband_mad/umad1/ibdev", "nobody");
	tree_write(&bed->tree, "sys/class/infiniband_mad/issm0/node", "");
	device_list_read_chardevs(&bed->tree.root, &bed->devices, NEED_UMADS, &bed->problems);
	assert_int_equal(bed->problems.count, 2);
	assert_string_equal(problem_of(bed, "infiniband_mad/umad1/ibdev")->error,
			    "unexpected text 'nobody'");
	assert_string_equal(problem_of(bed, "infiniband_mad/issm0/ibdev")->error, strerror(ENOENT));
	assert_int_equal(device->umads.count, 1);
	assert_false(device->issms.known);
}

/* In a copy, the nodes are below the PCI function, which may have several devices. */
static void character_devices_below(void **state)
{
	struct bed *bed = *state;
	struct device *first, *second;

	device_list_add(&bed->devices, "mlx5_0");
	second = device_list_add(&bed->devices, "smi1");
	first = &bed->devices.items[0];
	tree_write(&bed->tree, "sys/devices/pci/infiniband_mad/umad0/ibdev", "mlx5_0");
	tree_write(&bed->tree, "sys/devices/pci/infiniband_mad/umad1/ibdev", "smi1");
	tree_write(&bed->tree, "sys/devices/pci/infiniband_verbs/uverbs7/ibdev", "mlx5_0");
	tree_link(&bed->tree, CLASS "mlx5_0/device", "../../../devices/pci");
	tree_link(&bed->tree, CLASS "smi1/device", "../../../devices/pci");
	device_list_read_chardevs(&bed->tree.root, &bed->devices, NEED_CHARDEVS, &bed->problems);
	assert_int_equal(bed->problems.count, 0);
	assert_string_equal(first->uverbs, "uverbs7");
	assert_null(second->uverbs);
	assert_int_equal(first->umads.count, 1);
	assert_string_equal(first->umads.items[0], "umad0");
	assert_int_equal(second->umads.count, 1);
	assert_string_equal(second->umads.items[0], "umad1");
	assert_true(first->issms.known);
}

/* The device of an unreadable node is unknown, so no device is reported to have no node. */
static void character_devices_unreadable(void **state)
{
	struct bed *bed = *state;
	struct device *device, *other;

	device_list_add(&bed->devices, "mlx5_0");
	other = device_list_add(&bed->devices, "mlx5_1");
	device = &bed->devices.items[0];
	tree_link(&bed->tree, "sys/class/infiniband_verbs/uverbs0/ibdev", "!EACCES");
	tree_link(&bed->tree, "sys/class/infiniband_mad/umad\033/ibdev", "!EIO");
	tree_write(&bed->tree, "sys/class/infiniband_mad/umad1/ibdev", "mlx5_1");
	device_list_read_chardevs(&bed->tree.root, &bed->devices, NEED_CHARDEVS, &bed->problems);
	assert_null(device->uverbs);
	assert_true(device->uverbs_unknown);
	assert_false(device->umads.known);
	assert_false(other->issms.known);
	assert_true(other->umads.known);
	assert_string_equal(other->umads.items[0], "umad1");
	assert_int_equal(bed->problems.count, 2);
	assert_string_equal(problem_of(bed, "infiniband_verbs/uverbs0/ibdev")->error,
			    strerror(EACCES));
	assert_string_equal(problem_of(bed, "infiniband_mad/umad\\x1b/ibdev")->error,
			    strerror(EIO));
}

/* For a device that is being removed, the kernel answers ENODEV for its nodes: none is listed. */
static void character_devices_going(void **state)
{
	struct bed *bed = *state;
	struct device *device = device_list_add(&bed->devices, "mlx5_0");

	tree_link(&bed->tree, "sys/class/infiniband_verbs/uverbs9/ibdev", "!ENODEV");
	tree_link(&bed->tree, "sys/class/infiniband_mad/umad9/ibdev", "!ENODEV");
	tree_link(&bed->tree, "sys/class/infiniband_mad/issm9/ibdev", "!ENODEV");
	device_list_read_chardevs(&bed->tree.root, &bed->devices, NEED_CHARDEVS, &bed->problems);
	assert_int_equal(bed->problems.count, 0);
	assert_null(device->uverbs);
	assert_true(device->umads.known);
	assert_true(device->issms.known);
}

/* The modules are not loaded: the device is known to have no such node. */
static void no_character_devices(void **state)
{
	struct bed *bed = *state;
	struct device *device = device_list_add(&bed->devices, "mlx5_0");

	device_list_read_chardevs(&bed->tree.root, &bed->devices, NEED_CHARDEVS, &bed->problems);
	assert_int_equal(bed->problems.count, 2);
	assert_false(device->umads.known);
	problems_free(&bed->problems);
	tree_write(&bed->tree, "sys/module/ib_core/taint", "");
	device_list_read_chardevs(&bed->tree.root, &bed->devices, NEED_CHARDEVS, &bed->problems);
	assert_int_equal(bed->problems.count, 0);
	assert_null(device->uverbs);
	assert_true(device->umads.known);
	assert_int_equal(device->umads.count, 0);
}

static void pci_functions(void **state)
{
	static const struct {
		const char *target, *address;
		size_t length;
	} samples[] = {
		{"../../devices/pci0000:3a/0000:3a:00.0/0000:3b:00.1/infiniband/mlx5_1",
		 "0000:3b:00.1", 50},
		{"../../devices/pci0000:64/0000:65:00.0/mlx5_core.sf.4/infiniband/mlx5_2",
		 "0000:65:00.0", 37},
		{"../../devices/pci10000:e0/10000:e1:00.7/infiniband/x", "10000:e1:00.7", 39},
		{"../../devices/virtual/infiniband/rxe0", NULL, 0},
		{"0000:3b:00.0", "0000:3b:00.0", 12},
		{"", NULL, 0},
		{"/", NULL, 0},
		{"../pci0000:3a/infiniband/mlx5_0", NULL, 0},
		{"../0000:3b:00.8x/infiniband/mlx5_0", NULL, 0},
		{"../0000:3b:00/infiniband/mlx5_0", NULL, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		_cleanup_(freep) char *address = NULL;

		assert_int_equal(sysfs_find_pci(samples[i].target, &address), samples[i].length);
		if (samples[i].address)
			assert_string_equal(address, samples[i].address);
		else
			assert_null(address);
	}
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

/* A port that is removed while it is read is one problem, not one for each attribute. */
static void removed_meanwhile(void **state)
{
	static const char *const files[] = {"state",  "phys_state", "lid",     "lid_mask_count",
					    "sm_lid", "sm_sl",	    "cap_mask"};
	struct bed *bed = *state;
	struct port port = {0};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		_cleanup_(freep) char *path = mem_format(PORT "%s", files[i]);

		tree_write(&bed->tree, path, "0x1");
	}
	number_set(&port.link_layer, LINK_LAYER_INFINIBAND);
	number_set(&port.state, PORT_STATE_ACTIVE);
	number_set(&port.physical_state, 5);
	removed_at_read = &bed->tree;
	attributes_read(&port_attributes, &bed->tree.root, CLASS "mlx5_0/ports/1", "mlx5_0/1", ALL,
			&port, &bed->problems);
	assert_null(removed_at_read);
	assert_true(port.lid.known);
	assert_false(port.lmc.known || port.sm_lid.known || port.cap_mask.known);
	assert_int_equal(bed->problems.count, 1);
	assert_string_equal(bed->problems.items[0].object, "mlx5_0/1");
	assert_string_equal(bed->problems.items[0].attribute, "lmc");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(device),
		TEST(device_nothing_needed),
		TEST(device_known_members),
		TEST(device_unknown_values),
		TEST(device_unreadable_links),
		TEST(device_unreadable),
		TEST(many_ports),
		TEST(device_bad_texts),
		TEST(device_missing_required),
		TEST(two_missing_in_a_row),
		TEST(strange_devices),
		TEST(no_class),
		TEST(port_infiniband),
		TEST(port_ethernet),
		TEST(port_link_layers),
		TEST(port_state_codes),
		TEST(port_rates),
		TEST(port_bad_rates),
		TEST(port_rates_of_another_form),
		TEST(port_table_lengths),
		TEST(port_without_pkeys),
		TEST(live_port_without_pkeys),
		TEST(table_with_a_gap),
		TEST(port_without_gids),
		TEST(one_lid),
		TEST(device_of_a_copy),
		TEST(device_of_ionic),
		TEST(port_table_lengths_apart),
		TEST(port_table_lengths_unknown),
		TEST(port_guid),
		TEST(bad_text_is_shown_clean_and_short),
		TEST(gids),
		TEST(gids_with_empty_slots),
		TEST(gids_of_infiniband),
		TEST(gids_without_types),
		TEST(gids_of_unknown_link_layer),
		TEST(gids_with_unreadable_folders),
		TEST(gid_netdev),
		TEST(first_gid),
		TEST(gids_bad_slots),
		TEST(gids_emptied),
		TEST(gids_no_table),
		TEST(pkeys),
		TEST(pkeys_no_table),
		TEST(character_devices),
		TEST(character_devices_unreadable),
		TEST(character_devices_going),
		TEST(character_devices_of_nobody),
		TEST(character_devices_below),
		TEST(no_character_devices),
		TEST(pci_functions),
		TEST(removed_meanwhile),
	};

	return cmocka_run_group_tests_name("sysfs_rdma", tests, NULL, NULL);
}
