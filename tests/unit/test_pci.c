/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The PCI functions of a saved tree. */
#include "saved_tree.h"

#include "base/mem.h"
#include "host/pci/config.h"
#include "host/pci/pci.h"

struct bed {
	struct saved_tree tree;
	struct pci_list list;
	struct problems problems;
};

static int setup(void **state)
{
	return tree_set_up(state, sizeof(struct bed));
}

static int teardown(void **state)
{
	struct bed *bed = *state;

	tree_close(&bed->tree);
	pci_list_clear(&bed->list);
	problems_free(&bed->problems);
	free(bed);
	return 0;
}

/* Makes a function at `place` below sys/devices, and the bus's link to it. */
static void make(struct bed *bed, const char *place)
{
	_cleanup_(freep) char *path = mem_format("sys/devices/%s", place);

	tree_directory(&bed->tree, path);
	tree_on_bus(&bed->tree, place);
}

static void write_file(struct bed *bed, const char *address, const char *file, const char *text)
{
	char path[300], target[300];
	ssize_t length;

	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s", address);
	length = readlinkat(bed->tree.root.fd, path, target, sizeof(target) - 1);
	assert_true(length > 0);
	target[length] = '\0';
	snprintf(path, sizeof(path), "sys/%s/%s", target + strlen("../../../"), file);
	if (text[0] == '!' || text[0] == '.')
		tree_link(&bed->tree, path, text);
	else
		tree_write(&bed->tree, path, text);
}

static void load(struct bed *bed)
{
	assert_int_equal(pci_list_read(&bed->tree.root, &bed->list, &bed->problems), 0);
}

static struct pci_function *get(struct bed *bed, const char *address)
{
	struct pci_function *function = pci_list_find(&bed->list, address);

	assert_non_null(function);
	return function;
}

static void read_all(struct bed *bed, struct pci_function *function)
{
	pci_read(&bed->tree.root, function,
		 PCI_ID | PCI_CLASS | PCI_DRIVER | PCI_NUMA | PCI_LINK | PCI_VIRTUAL | PCI_IOMMU,
		 &bed->problems);
}

#define SWITCH "pci0000:3a/0000:3a:01.0/0000:3b:00.0/"

static void make_switch(struct bed *bed)
{
	make(bed, "pci0000:3a/0000:3a:01.0");
	make(bed, "pci0000:3a/0000:3a:01.0/0000:3b:00.0");
	make(bed, SWITCH "0000:3c:00.0");
	make(bed, SWITCH "0000:3c:01.0");
	make(bed, SWITCH "0000:3c:00.0/0000:3d:00.0");
	make(bed, SWITCH "0000:3c:01.0/0000:3e:00.0");
}

static void tree_of_a_switch(void **state)
{
	struct bed *bed = *state;
	struct pci_function *nic, *gpu;

	make_switch(bed);
	make(bed, "pci0000:5a/0000:5a:01.0");
	load(bed);
	assert_int_equal(bed->list.count, 7);
	nic = get(bed, "0000:3d:00.0");
	gpu = get(bed, "0000:3e:00.0");
	assert_string_equal(nic->host_bridge, "pci0000:3a");
	assert_ptr_equal(nic->parent, get(bed, "0000:3c:00.0"));
	assert_ptr_equal(nic->parent->parent, get(bed, "0000:3b:00.0"));
	assert_ptr_equal(nic->parent->parent->parent, get(bed, "0000:3a:01.0"));
	assert_null(nic->parent->parent->parent->parent);
	assert_ptr_equal(pci_common_ancestor(nic, gpu), get(bed, "0000:3b:00.0"));
	assert_ptr_equal(pci_common_ancestor(nic, nic), nic);
	assert_ptr_equal(pci_common_ancestor(nic, nic->parent), nic->parent);
	assert_null(pci_common_ancestor(nic, get(bed, "0000:5a:01.0")));
	assert_int_equal(nic->bus, 0x3d);
	assert_int_equal(nic->device, 0);
	assert_null(pci_list_find(&bed->list, "0000:ff:00.0"));
	assert_null(pci_list_find(&bed->list, "nonsense"));
	assert_int_equal(bed->problems.count, 0);
}

static void note_port(void *context, struct pci_function *port, struct pci_function *below)
{
	char *text = context;
	const size_t used = strlen(text);

	snprintf(text + used, 200 - used, "%s<%s ", port->address + 5, below->address + 5);
}

static void expect_ports(struct bed *bed, const char *a, const char *b, bool wanted,
			 const char *ports)
{
	char text[200] = "";

	assert_int_equal(pci_for_each_port_between(get(bed, a), get(bed, b), note_port, text),
			 wanted);
	assert_string_equal(text, ports);
}

/* Ports crossed by traffic between two functions; another switch below one port. */
static void ports_between(void **state)
{
	struct bed *bed = *state;

	make_switch(bed);
	make(bed, SWITCH "0000:3c:01.0/0000:3e:00.1");
	make(bed, SWITCH "0000:3c:02.0");
	make(bed, SWITCH "0000:3c:02.0/0000:40:00.0");
	make(bed, SWITCH "0000:3c:02.0/0000:40:00.0/0000:41:00.0");
	make(bed, SWITCH "0000:3c:02.0/0000:40:00.0/0000:41:00.0/0000:42:00.0");
	make(bed, "pci0000:3a/0000:3a:02.0");
	make(bed, "pci0000:3a/0000:3a:02.0/0000:50:00.0");
	load(bed);
	expect_ports(bed, "0000:3d:00.0", "0000:3e:00.0", true, "3c:00.0<3d:00.0 3c:01.0<3e:00.0 ");
	expect_ports(bed, "0000:3d:00.0", "0000:42:00.0", true,
		     "3c:00.0<3d:00.0 41:00.0<42:00.0 3c:02.0<40:00.0 ");
	/* Functions of one card, a function and its parent, different root ports. */
	expect_ports(bed, "0000:3e:00.0", "0000:3e:00.1", false, "");
	expect_ports(bed, "0000:3e:00.0", "0000:3e:00.0", false, "");
	expect_ports(bed, "0000:3e:00.0", "0000:3b:00.0", false, "3c:01.0<3e:00.0 ");
	expect_ports(bed, "0000:3d:00.0", "0000:50:00.0", false, "");
}

static void put_group(struct bed *bed, const char *address, uint64_t group)
{
	number_set(&get(bed, address)->iommu_group, group);
}

/* A group that differs from the port's proves redirection; different groups of the two do not. */
static void redirected_by_groups(void **state)
{
	struct bed *bed = *state;
	struct pci_function *nic, *gpu;

	make_switch(bed);
	load(bed);
	nic = get(bed, "0000:3d:00.0");
	gpu = get(bed, "0000:3e:00.0");
	assert_null(pci_find_redirected(nic, gpu));
	put_group(bed, "0000:3d:00.0", 1);
	put_group(bed, "0000:3e:00.0", 2);
	assert_null(pci_find_redirected(nic, gpu));
	put_group(bed, "0000:3c:00.0", 1);
	put_group(bed, "0000:3c:01.0", 2);
	assert_null(pci_find_redirected(nic, gpu));
	/* The upstream port is above both, and does not matter. */
	put_group(bed, "0000:3b:00.0", 3);
	assert_null(pci_find_redirected(nic, gpu));
	put_group(bed, "0000:3e:00.0", 4);
	assert_ptr_equal(pci_find_redirected(nic, gpu), gpu);
	assert_ptr_equal(pci_find_redirected(gpu, nic), gpu);
	put_group(bed, "0000:3d:00.0", 5);
	assert_ptr_equal(pci_find_redirected(nic, gpu), nic);
	assert_null(pci_find_redirected(nic, nic->parent));
}

static void expect_gbps(double speed, uint64_t lanes, double wanted)
{
	const struct real speed_gtps = real_of(speed);
	const struct number number = number_of(lanes);
	const struct real gbps = pci_link_gbps(&speed_gtps, &number);

	assert_true(gbps.known && gbps.value > wanted - 0.01 && gbps.value < wanted + 0.01);
}

static void bandwidth(void **state)
{
	const struct real speed = real_of(16);
	const struct number lanes = number_of(16);

	(void)state;
	expect_gbps(2.5, 4, 8);
	expect_gbps(5, 8, 32);
	expect_gbps(8, 16, 126.03);
	expect_gbps(32, 16, 504.12);
	expect_gbps(64, 16, 1024);
	assert_false(pci_link_gbps(&speed, &(struct number){.known = false}).known);
	assert_false(pci_link_gbps(&(struct real){.known = false}, &lanes).known);
}

/* Bits of a port, read once; unknown without privilege, or if damaged. */
static void access_control(void **state)
{
	struct bed *bed = *state;
	uint8_t bytes[PCI_CONFIG_EXTENDED] = {0x00, 0x10};
	struct pci_function *port, *other;
	char path[] = "sys/bus/pci/devices/0000:3c:00.0/config";
	int fd;

	make_switch(bed);
	load(bed);
	port = get(bed, "0000:3c:00.0");
	other = get(bed, "0000:3c:01.0");
	memcpy(bytes + 0x100, (const uint8_t[]){0x0d, 0, 1, 0, 0x7f, 0, 0x1d, 0}, 8);
	fd = openat(bed->tree.root.fd, path, O_WRONLY | O_CREAT, 0644);
	assert_int_equal(write(fd, bytes, 64), 64);
	pci_read(&bed->tree.root, port, PCI_ACS, &bed->problems);
	assert_false(port->acs_control.known);
	assert_int_equal(port->acs_error, -EPERM);
	port->facts = 0;
	assert_int_equal(pwrite(fd, bytes, sizeof(bytes), 0), sizeof(bytes));
	pci_read(&bed->tree.root, port, PCI_ACS, &bed->problems);
	assert_int_equal(port->acs_control.value, 0x1d);
	write_file(bed, "0000:3c:01.0", "config", "!EIO");
	pci_read(&bed->tree.root, other, PCI_ACS, &bed->problems);
	assert_int_equal(other->acs_error, -EIO);
	assert_int_equal(bed->problems.count, 0);
	close(fd);
}

/* Other directories between the host bridge and sys/devices; a bridge below a function. */
static void parents_that_are_no_functions(void **state)
{
	struct bed *bed = *state;

	make(bed, "LNXSYSTM:00/LNXSYBUS:00/ACPI0004:00/VMBUS:00/"
		  "47505500-0001-0000-3130-444531334136/pci0001:00/0001:00:00.0");
	make(bed, "pci0000:00/0000:00:0e.0");
	make(bed, "pci0000:00/0000:00:0e.0/pci10000:e0/10000:e0:06.0");
	make(bed, "pci0000:00/0000:00:0e.0/pci10000:e0/10000:e0:06.0/10000:e1:00.0");
	make(bed, "platform/soc/4010000000.pcie/pci0002:00/0002:00:00.0");
	make(bed, "platform/PNP0103:00/0003:00:00.0");
	load(bed);
	assert_string_equal(get(bed, "0001:00:00.0")->host_bridge, "pci0001:00");
	assert_null(get(bed, "0001:00:00.0")->parent);
	assert_string_equal(get(bed, "0002:00:00.0")->host_bridge, "pci0002:00");
	assert_null(get(bed, "0003:00:00.0")->host_bridge);
	assert_string_equal(get(bed, "10000:e1:00.0")->host_bridge, "pci10000:e0");
	assert_int_equal(get(bed, "10000:e1:00.0")->domain, 0x10000);
	assert_ptr_equal(get(bed, "10000:e1:00.0")->parent, get(bed, "10000:e0:06.0"));
	assert_null(get(bed, "10000:e0:06.0")->parent);
	assert_string_equal(bed->list.items[bed->list.count - 1].address, "10000:e1:00.0");
}

static void facts_of_a_function(void **state)
{
	struct bed *bed = *state;
	static const char *const files[][2] = {
		{"vendor", "0x15b3"},
		{"device", "0x101e"},
		{"subsystem_vendor", "0x15b3"},
		{"subsystem_device", "0x0083"},
		{"class", "0x020700"},
		{"numa_node", "1"},
		{"local_cpulist", "16-31,48-63"},
		{"current_link_speed", "16.0 GT/s PCIe"},
		{"max_link_speed", "32.0 GT/s PCIe"},
		{"current_link_width", "8"},
		{"max_link_width", "16"},
		{"driver", "../../../../../bus/pci/drivers/mlx5_core"},
		{"physfn", "../0000:3d:00.0"},
		{"iommu_group", "../../../../../kernel/iommu_groups/42"},
	};
	struct pci_function *nic;

	make_switch(bed);
	make(bed, SWITCH "0000:3c:00.0/0000:3d:00.1");
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		write_file(bed, "0000:3d:00.1", files[i][0], files[i][1]);
	tree_link(&bed->tree, "sys/devices/" SWITCH "0000:3c:00.0/0000:3d:00.1/iommu_group",
		  "../../../../../../kernel/iommu_groups/42");
	tree_write(&bed->tree, "sys/kernel/iommu_groups/42/type", "DMA-FQ");
	load(bed);
	nic = get(bed, "0000:3d:00.1");
	assert_false(nic->vendor_id.known);
	read_all(bed, nic);
	assert_int_equal(nic->vendor_id.value, 0x15b3);
	assert_int_equal(nic->device_id.value, 0x101e);
	assert_int_equal(nic->subsystem_device_id.value, 0x83);
	assert_int_equal(nic->class_code.value, 0x020700);
	assert_int_equal(nic->numa_node.value, 1);
	assert_string_equal(nic->local_cpulist, "16-31,48-63");
	assert_true(nic->speed_gtps.value == 16 && nic->max_speed_gtps.value == 32);
	assert_int_equal(nic->width_lanes.value, 8);
	assert_int_equal(nic->max_width_lanes.value, 16);
	assert_string_equal(nic->driver, "mlx5_core");
	assert_string_equal(nic->physfn, "0000:3d:00.0");
	assert_int_equal(nic->iommu_group.value, 42);
	assert_string_equal(nic->iommu_type, "DMA-FQ");
	assert_int_equal(pci_kind(&bed->tree.root, nic, &bed->problems), PCI_KIND_NETWORK);
	assert_int_equal(bed->problems.count, 0);
}

/* Absent files are unknown without a problem; an unreadable one is one problem. */
static void absent_and_unreadable(void **state)
{
	struct bed *bed = *state;
	struct pci_function *bridge, *nic;

	make_switch(bed);
	write_file(bed, "0000:3d:00.0", "vendor", "!EIO");
	write_file(bed, "0000:3d:00.0", "class", "network");
	write_file(bed, "0000:3d:00.0", "driver", "!EACCES");
	write_file(bed, "0000:3d:00.0", "current_link_width", "0");
	write_file(bed, "0000:3d:00.0", "max_link_width", "255");
	write_file(bed, "0000:3d:00.0", "max_link_speed", "Unknown speed");
	load(bed);
	bridge = get(bed, "0000:3c:01.0");
	read_all(bed, bridge);
	assert_false(bridge->vendor_id.known || bridge->class_code.known ||
		     bridge->iommu_group.known);
	assert_true(!bridge->driver && !bridge->driver_unknown);
	assert_int_equal(bed->problems.count, 0);
	nic = get(bed, "0000:3d:00.0");
	read_all(bed, nic);
	read_all(bed, nic);
	assert_int_equal(bed->problems.count, 3);
	assert_true(!nic->driver && nic->driver_unknown);
	assert_false(nic->width_lanes.known || nic->max_width_lanes.known ||
		     nic->max_speed_gtps.known);
	assert_int_equal(pci_kind(&bed->tree.root, nic, &bed->problems), PCI_KIND_OTHER);
}

static void no_bus(void **state)
{
	struct bed *bed = *state;

	load(bed);
	assert_int_equal(bed->list.count, 0);
	assert_int_equal(bed->problems.count, 0);
	tree_link(&bed->tree, "sys/bus/pci/devices", "!EACCES");
	assert_int_equal(pci_list_read(&bed->tree.root, &bed->list, &bed->problems), -EACCES);
	assert_int_equal(bed->problems.count, 1);
}

static void inherited_node(void **state)
{
	struct bed *bed = *state;
	struct pci_function *from = NULL;
	struct number node;

	make_switch(bed);
	write_file(bed, "0000:3d:00.0", "numa_node", "-1");
	write_file(bed, "0000:3c:00.0", "numa_node", "-1");
	write_file(bed, "0000:3a:01.0", "numa_node", "1");
	write_file(bed, "0000:3e:00.0", "numa_node", "0");
	load(bed);
	node = pci_numa_node(&bed->tree.root, get(bed, "0000:3d:00.0"), &from, &bed->problems);
	assert_true(node.known && node.value == 1);
	assert_ptr_equal(from, get(bed, "0000:3a:01.0"));
	node = pci_numa_node(&bed->tree.root, get(bed, "0000:3e:00.0"), &from, &bed->problems);
	assert_true(node.known && node.value == 0);
	assert_ptr_equal(from, get(bed, "0000:3e:00.0"));
	write_file(bed, "0000:3a:01.0", "numa_node", "-1");
	pci_list_clear(&bed->list);
	load(bed);
	node = pci_numa_node(&bed->tree.root, get(bed, "0000:3d:00.0"), &from, &bed->problems);
	assert_false(node.known);
	assert_int_equal(bed->problems.count, 0);
}

static void kinds(void **state)
{
	static const struct {
		const char *address, *vendor, *class, *driver;
		enum pci_kind kind;
	} cases[] = {
		{"0000:00:02.0", "0x8086", "0x030000", "i915", PCI_KIND_OTHER},
		{"0000:01:00.0", "0x10de", "0x030200", "nvidia", PCI_KIND_ACCELERATOR},
		{"0000:02:00.0", "0x10de", "0x030000", NULL, PCI_KIND_ACCELERATOR},
		{"0000:02:00.1", "0x10de", "0x040300", "snd_hda_intel", PCI_KIND_OTHER},
		{"0000:03:00.0", "0x10de", "0x068000", "nvidia-nvswitch", PCI_KIND_NVSWITCH},
		{"0000:04:00.0", "0x1002", "0x038000", "amdgpu", PCI_KIND_ACCELERATOR},
		{"0000:05:00.0", "0x1002", "0x120000", NULL, PCI_KIND_ACCELERATOR},
		{"0000:06:00.0", "0x8086", "0x038000", "xe", PCI_KIND_ACCELERATOR},
		{"0000:07:00.0", "0x1da3", "0x120000", "habanalabs", PCI_KIND_ACCELERATOR},
		{"0000:08:00.0", "0x1a03", "0x030000", "ast", PCI_KIND_OTHER},
		{"0000:09:00.0", "0x102b", "0x030000", "mgag200", PCI_KIND_OTHER},
		{"0000:0a:00.0", "0x10b5", "0x060400", "pcieport", PCI_KIND_BRIDGE},
		{"0000:0b:00.0", "0x8086", "0x068000", NULL, PCI_KIND_OTHER},
		{"0000:0c:00.0", "0x1077", "0x0c0600", "ib_qib", PCI_KIND_NETWORK},
		{"0000:0d:00.0", "0x144d", "0x010802", "nvme", PCI_KIND_OTHER},
	};
	struct bed *bed = *state;
	char text[100];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(text, sizeof(text), "pci0000:00/%s", cases[i].address);
		make(bed, text);
		write_file(bed, cases[i].address, "vendor", cases[i].vendor);
		write_file(bed, cases[i].address, "class", cases[i].class);
		snprintf(text, sizeof(text), "../../../bus/pci/drivers/%s", cases[i].driver);
		if (cases[i].driver)
			write_file(bed, cases[i].address, "driver", text);
	}
	load(bed);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(pci_kind(&bed->tree.root, get(bed, cases[i].address),
					  &bed->problems),
				 cases[i].kind);
	assert_int_equal(bed->problems.count, 0);
}

/* A walk upwards ends, even if the tree has a cycle. */
static void circles(void **state)
{
	struct bed *bed = *state;
	const struct pci_function *function;
	size_t steps = 0;

	tree_link(&bed->tree, "sys/bus/pci/devices/0000:01:00.0",
		  "../../../devices/0000:02:00.0/0000:01:00.0");
	tree_link(&bed->tree, "sys/bus/pci/devices/0000:02:00.0",
		  "../../../devices/0000:01:00.0/0000:02:00.0");
	tree_link(&bed->tree, "sys/bus/pci/devices/0000:03:00.0", "0000:02:00.0/\033[2J");
	tree_link(&bed->tree, "sys/bus/pci/devices/0000:04:00.0", "!EACCES");
	tree_directory(&bed->tree, "sys/bus/pci/devices/0000:05:00.0/");
	tree_directory(&bed->tree, "sys/bus/pci/devices/strange/");
	load(bed);
	assert_int_equal(bed->list.count, 5);
	assert_int_equal(bed->problems.count, 2);
	for (size_t i = 0; i < bed->list.count; i++)
		for (function = &bed->list.items[i]; function; function = function->parent)
			assert_true(++steps < 20);
	assert_null(strchr(get(bed, "0000:03:00.0")->path, '\033'));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(tree_of_a_switch),
		TEST(ports_between),
		TEST(redirected_by_groups),
		TEST(bandwidth),
		TEST(access_control),
		TEST(parents_that_are_no_functions),
		TEST(facts_of_a_function),
		TEST(absent_and_unreadable),
		TEST(no_bus),
		TEST(inherited_node),
		TEST(kinds),
		TEST(circles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
