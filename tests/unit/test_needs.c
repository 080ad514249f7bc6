/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Each fact requested on its own: it is read, and nothing else is. */
#include "saved_tree.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "host/device.h"
#include "host/need.h"
#include "host/netdev.h"
#include "host/pci/pci.h"

#define FUNCTION "sys/devices/pci0000:00/0000:01:00.0/"
#define DEVICE	 FUNCTION "infiniband/qib0/"
#define PORT	 DEVICE "ports/1/"

static const struct {
	const char *path, *text;
} files[] = {
	{DEVICE "node_type", "1: CA"},
	{DEVICE "fw_ver", "7.0"},
	{DEVICE "node_guid", "0000:0000:0000:0011"},
	{DEVICE "sys_image_guid", "0000:0000:0000:0012"},
	{DEVICE "board_id", "BOARD"},
	{DEVICE "hca_type", "HCA"},
	{DEVICE "hw_rev", "3"},
	{DEVICE "node_desc", "words"},
	{DEVICE "nctxts", "16"},
	{DEVICE "nfreectxts", "15"},
	{FUNCTION "numa_node", "1"},
	{FUNCTION "vendor", "0x1077"},
	{FUNCTION "device", "0x7322"},
	{FUNCTION "subsystem_vendor", "0x1077"},
	{FUNCTION "subsystem_device", "0x7323"},
	{FUNCTION "class", "0x0c0600"},
	{FUNCTION "local_cpulist", "0-3"},
	{FUNCTION "current_link_speed", "5.0 GT/s PCIe"},
	{FUNCTION "max_link_speed", "8.0 GT/s PCIe"},
	{FUNCTION "current_link_width", "4"},
	{FUNCTION "max_link_width", "16"},
	{FUNCTION "msi_irqs/40", "msi"},
	{FUNCTION "msi_irqs/41", "msi"},
	{FUNCTION "msi_irqs/42", "msi"},
	{"sys/kernel/iommu_groups/9/type", "DMA"},
	{PORT "link_layer", "InfiniBand"},
	{PORT "state", "4: ACTIVE"},
	{PORT "phys_state", "5: LinkUp"},
	{PORT "lid", "0x21"},
	{PORT "lid_mask_count", "2"},
	{PORT "sm_lid", "0x22"},
	{PORT "sm_sl", "3"},
	{PORT "cap_mask", "0x40"},
	{PORT "rate", "40 Gb/sec (4X QDR)"},
	{PORT "gids/0", "fe80:0000:0000:0000:0000:0000:0000:0031"},
	{PORT "gids/1", "0000:0000:0000:0000:0000:0000:0000:0000"},
	{PORT "pkeys/0", "0xffff"},
	{PORT "linkcontrol/status_str", "Initted IB_link_up"},
	{PORT "linkcontrol/qsfp", "PWR:1\nVendor:Acme\nPart#:P1"},
};

static int setup(void **state)
{
	const int rc = tree_only_set_up(state);
	const struct saved_tree *tree = *state;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		tree_write(tree, files[i].path, files[i].text);
	for (unsigned int level = 0; level < 16; level++) {
		_cleanup_(freep) char *path = mem_format(PORT "sl2vl/%u", level);

		tree_write(tree, path, level < 8 ? "1" : "0");
	}
	tree_link(tree, DEVICE "device", "../../../0000:01:00.0");
	tree_link(tree, FUNCTION "driver", "../../../bus/pci/drivers/ib_qib");
	tree_link(tree, FUNCTION "iommu_group", "../../../kernel/iommu_groups/9");
	tree_link(tree, FUNCTION "physfn", "../0000:01:00.7");
	tree_directory(tree, "sys/bus/pci/drivers/ib_qib");
	tree_link(tree, "sys/class/infiniband/qib0",
		  "../../devices/pci0000:00/0000:01:00.0/infiniband/qib0");
	tree_on_bus(tree, "pci0000:00/0000:01:00.0");
	return rc;
}

static void add_number(struct text_buffer *text, const char *name, const struct number *number)
{
	if (number->known)
		text_buffer_add(text, " %s=%llx", name, (unsigned long long)number->value);
}

static void add_real(struct text_buffer *text, const char *name, const struct real *real)
{
	if (real->known)
		text_buffer_add(text, " %s=%g", name, real->value);
}

static void add_text(struct text_buffer *text, const char *name, const char *value)
{
	if (value)
		text_buffer_add(text, " %s=%s", name, value);
}

static void add_list(struct text_buffer *text, const char *name, const struct strings *list)
{
	if (!list->known)
		return;
	text_buffer_add(text, " %s=", name);
	for (size_t i = 0; i < list->count; i++)
		text_buffer_add(text, "%s%s", i ? "," : "", list->items[i]);
}

static void expect_text(struct text_buffer *text, size_t row, const char *wanted)
{
	const char *got = text->text ? text->text + 1 : "";

	if (strcmp(got, wanted))
		fail_msg("row %zu: '%s', not '%s'", row, got, wanted);
	free(text_buffer_take(text));
}

/* ---- Ports ---- */

static void add_port(struct text_buffer *text, const struct port *port)
{
	add_number(text, "layer", &port->link_layer);
	add_number(text, "state", &port->state);
	add_number(text, "physical", &port->physical_state);
	add_real(text, "rate", &port->rate_gbps);
	add_number(text, "lanes", &port->width_lanes);
	add_text(text, "speed", port->speed);
	add_number(text, "lid", &port->lid);
	add_number(text, "lmc", &port->lmc);
	add_number(text, "sm", &port->sm_lid);
	add_number(text, "sl", &port->sm_sl);
	add_number(text, "prefix", &port->subnet_prefix);
	add_number(text, "caps", &port->cap_mask);
	add_number(text, "guid", &port->port_guid);
	add_number(text, "gids", &port->gid_table_length);
	add_number(text, "pkeys", &port->pkey_table_length);
	add_list(text, "status", &port->driver_status);
	add_list(text, "vl", &port->sl_to_vl);
	add_text(text, "vendor", port->module_vendor);
	add_text(text, "part", port->module_part_number);
}

struct sample {
	uint64_t needs;
	const char *wanted;
};

static void check_ports(const struct root *root, const struct sample *samples, size_t count,
			size_t problem_count)
{
	for (size_t i = 0; i < count; i++) {
		struct device_list list = {.items = NULL};
		struct problems problems = {.items = NULL};
		struct text_buffer text = {.text = NULL};
		struct port *port = device_add_port(device_list_add(&list, "qib0"), 1);

		port_read_sysfs(root, port, samples[i].needs, &problems);
		add_port(&text, port);
		expect_text(&text, i, samples[i].wanted);
		assert_int_equal(problems.count, problem_count);
		problems_free(&problems);
		device_list_clear(&list);
	}
}

#define LANES "1,1,1,1,1,1,1,1,0,0,0,0,0,0,0,0"

static void ports(void **state)
{
	static const struct sample samples[] = {
		{0, ""},
		{NEED_LINK_LAYER, "layer=1"},
		{NEED_STATE, "state=4"},
		{NEED_PHYSICAL_STATE, "physical=5"},
		{NEED_RATE, "rate=40 lanes=4 speed=QDR"},
		{NEED_BASE_LID, "lid=21"},
		{NEED_LMC, "lmc=2"},
		{NEED_SM_LID, "sm=22"},
		{NEED_SM_SL, "sl=3"},
		{NEED_CAP_MASK, "caps=40"},
		{NEED_PORT_GUID, "guid=31"},
		{NEED_PORT_GUID | NEED_LINK_LAYER, "layer=1 prefix=fe80000000000000 guid=31"},
		{NEED_GID_COUNT, "gids=2"},
		{NEED_PKEY_COUNT, "pkeys=1"},
		{NEED_TABLE_SIZES, "gids=2 pkeys=1"},
		{NEED_DRIVER_STATUS, "status=Initted,IB_link_up"},
		{NEED_SL_TO_VL, "vl=" LANES},
		{NEED_MODULE, "vendor=Acme part=P1"},
		{NEED_LINK_LAYER | NEED_LID | NEED_SM_SL, "layer=1 lid=21 lmc=2 sm=22 sl=3"},
		{NEED_GIDS | NEED_PKEYS | NEED_NETDEV | NEED_MTU | NEED_NODE_TYPE, ""},
		{NEED_EVERYTHING,
		 "layer=1 state=4 physical=5 rate=40 lanes=4 speed=QDR lid=21 lmc=2 sm=22 sl=3 "
		 "prefix=fe80000000000000 caps=40 guid=31 gids=2 pkeys=1 "
		 "status=Initted,IB_link_up vl=" LANES " vendor=Acme part=P1"},
	};
	const struct saved_tree *tree = *state;

	check_ports(&tree->root, samples, ARRAY_SIZE(samples), 0);
}

/* Only an InfiniBand port has LIDs. */
static void ports_of_ethernet(void **state)
{
	static const struct sample samples[] = {
		{NEED_LINK_LAYER | NEED_LID | NEED_SM_SL, "layer=2"},
		{NEED_LINK_LAYER | NEED_LID | NEED_SM_SL | NEED_STATE, "layer=2 state=4"},
		{NEED_LINK_LAYER | NEED_PORT_GUID, "layer=2 guid=31"},
		{NEED_LID, "lid=21 lmc=2 sm=22"},
	};
	const struct saved_tree *tree = *state;

	tree_write(tree, PORT "link_layer", "Ethernet");
	check_ports(&tree->root, samples, ARRAY_SIZE(samples), 0);
}

/* Ports of unknown link layer: a tree lacks it, but a simulator's port has LIDs all the same. */
static void ports_of_no_layer(void **state)
{
	static const struct sample of_tree[] = {
		{NEED_LINK_LAYER | NEED_LID | NEED_SM_SL, ""},
		{NEED_LINK_LAYER | NEED_LID | NEED_SM_SL | NEED_STATE, "state=4"},
	};
	static const struct sample alone[] = {{NEED_LID, "lid=21 lmc=2 sm=22"}};
	static const struct sample live[] = {
		{NEED_LINK_LAYER | NEED_LID | NEED_SM_SL, "lid=21 lmc=2 sm=22 sl=3"},
	};
	const struct saved_tree *tree = *state;
	const struct root root = {.fd = tree->root.fd, .live = true, .below = true};

	tree_delete(tree, PORT "link_layer");
	check_ports(&tree->root, of_tree, ARRAY_SIZE(of_tree), 1);
	check_ports(&tree->root, alone, ARRAY_SIZE(alone), 0);
	check_ports(&root, live, ARRAY_SIZE(live), 1);
}

/* A known value is kept, whatever the files say. */
static void known_ports(void **state)
{
	const struct saved_tree *tree = *state;
	struct device_list list = {.items = NULL};
	struct port *port = device_add_port(device_list_add(&list, "qib0"), 1);
	struct text_buffer text = {.text = NULL};

	port->link_layer = number_of(2);
	port->state = number_of(1);
	port->rate_gbps = real_of(7);
	port->port_guid = number_of(9);
	port->gid_table_length = number_of(5);
	port->pkey_table_length = number_of(6);
	port_read_sysfs(&tree->root, port,
			NEED_LINK_LAYER | NEED_STATE | NEED_RATE | NEED_PORT_GUID |
				NEED_TABLE_SIZES | NEED_LID,
			NULL);
	add_port(&text, port);
	expect_text(&text, 0, "layer=2 state=1 rate=7 guid=9 gids=5 pkeys=6");
	device_list_clear(&list);
}

/* ---- Devices ---- */

static void add_device(struct text_buffer *text, const struct device *device)
{
	add_number(text, "type", &device->node_type);
	add_text(text, "driver", device->driver);
	add_text(text, "firmware", device->firmware);
	add_number(text, "node", &device->node_guid);
	add_number(text, "image", &device->system_image_guid);
	add_text(text, "pci", device->pci_address);
	add_number(text, "numa", &device->numa_node);
	add_text(text, "board", device->board_id);
	add_text(text, "hca", device->hca_type);
	add_text(text, "rev", device->hardware_revision);
	add_text(text, "desc", device->node_description);
	add_number(text, "vendor", &device->pci_vendor_id);
	add_number(text, "device", &device->pci_device_id);
	add_real(text, "speed", &device->pcie_speed_gtps);
	add_real(text, "most", &device->pcie_max_speed_gtps);
	add_number(text, "lanes", &device->pcie_width_lanes);
	add_number(text, "width", &device->pcie_max_width_lanes);
	add_number(text, "irqs", &device->irq_count);
	add_number(text, "contexts", &device->user_contexts);
	add_number(text, "free", &device->free_user_contexts);
}

#define AT "pci=0000:01:00.0"

static void devices(void **state)
{
	static const struct sample samples[] = {
		{0, ""},
		{NEED_NODE_TYPE, "type=1"},
		{NEED_FIRMWARE, "firmware=7.0"},
		{NEED_NODE_GUID, "node=11"},
		{NEED_IMAGE_GUID, "image=12"},
		{NEED_BOARD_ID, "board=BOARD"},
		{NEED_HCA_TYPE, "hca=HCA"},
		{NEED_HW_REV, "rev=3"},
		{NEED_DESCRIPTION, "desc=words"},
		{NEED_CONTEXTS, "contexts=10"},
		{NEED_FREE_CONTEXTS, "free=f"},
		/* The PCI address is found on the way. */
		{NEED_DRIVER, "driver=ib_qib " AT},
		{NEED_PCI_ADDRESS, AT},
		{NEED_NUMA, AT " numa=1"},
		{NEED_PCI_VENDOR, AT " vendor=1077"},
		{NEED_PCI_DEVICE, AT " device=7322"},
		{NEED_PCI_SPEED, AT " speed=5"},
		{NEED_PCI_MAX_SPEED, AT " most=8"},
		{NEED_PCI_WIDTH, AT " lanes=4"},
		{NEED_PCI_MAX_WIDTH, AT " width=10"},
		{NEED_IRQS, AT " irqs=3"},
		{NEED_STATE | NEED_TRANSPORT | NEED_CAPS | NEED_NETLINK | NEED_UVERBS, ""},
	};
	const struct saved_tree *tree = *state;

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct device_list list = {.items = NULL};
		struct problems problems = {.items = NULL};
		struct text_buffer text = {.text = NULL};
		struct device *device = device_list_add(&list, "qib0");

		device_read_sysfs(&tree->root, device, samples[i].needs, &problems);
		add_device(&text, device);
		expect_text(&text, i, samples[i].wanted);
		assert_int_equal(problems.count, 0);
		device_list_clear(&list);
	}
}

/* A device without a PCI function is a problem only if facts of the function are requested. */
static void no_function(void **state)
{
	static const struct {
		uint64_t needs;
		size_t problems;
	} samples[] = {
		{NEED_NODE_TYPE, 0},   {NEED_DRIVER, 1}, {NEED_NUMA, 1},
		{NEED_PCI_ADDRESS, 1}, {NEED_IRQS, 1},	 {0, 0},
	};
	const struct saved_tree *tree = *state;

	tree_write(tree, "sys/class/infiniband/copy/node_type", "1: CA");
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct device_list list = {.items = NULL};
		struct problems problems = {.items = NULL};

		device_read_sysfs(&tree->root, device_list_add(&list, "copy"), samples[i].needs,
				  &problems);
		assert_int_equal(problems.count, samples[i].problems);
		if (problems.count)
			assert_string_equal(problems.items[0].attribute,
					    samples[i].needs == NEED_DRIVER ? "driver"
									    : "pci_address");
		problems_free(&problems);
		device_list_clear(&list);
	}
}

/* Names that are not port numbers, and numbers with a gap, which means that a port is missing. */
static void lists_of_ports(void **state)
{
	static const struct {
		const char *names[4];
		bool unknown;
		size_t ports, problems;
	} samples[] = {
		{{"1", "2"}, false, 2, 0},  {{"1", "2", "x"}, false, 2, 1},
		{{"1", "3"}, true, 2, 1},   {{"0x", "2"}, true, 1, 2},
		{{"0x", "1"}, false, 1, 1}, {{"x"}, false, 0, 1},
		{{NULL}, true, 0, 1},	    {{"0"}, false, 1, 0},
		{{"1", "01"}, false, 1, 0}, {{"255"}, true, 1, 1},
		{{"1", "256"}, true, 2, 1}, {{"1", "65536"}, false, 1, 1},
	};
	const struct saved_tree *tree = *state;

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct device_list list = {.items = NULL};
		struct problems problems = {.items = NULL};
		struct device *device = device_list_add(&list, "qib0");

		tree_delete(tree, DEVICE "ports");
		tree_directory(tree, DEVICE "ports");
		for (size_t j = 0; samples[i].names[j]; j++) {
			_cleanup_(freep) char *path = mem_format(DEVICE "ports/%s",
								 samples[i].names[j]);

			tree_directory(tree, path);
		}
		device_list_ports_sysfs(&tree->root, device, &problems);
		if (device->ports_unknown != samples[i].unknown ||
		    device->port_count != samples[i].ports || problems.count != samples[i].problems)
			fail_msg("row %zu: %d, %zu ports, %zu problems", i, device->ports_unknown,
				 device->port_count, problems.count);
		problems_free(&problems);
		device_list_clear(&list);
	}
}

/* ---- Netdevs ---- */

static const struct {
	const char *path, *text;
} netdev_files[] = {
	{"ifindex", "7"},	    {"type", "32"},	      {"mtu", "2044"}, {"dev_port", "1"},
	{"speed", "40000"},	    {"carrier_changes", "3"}, {"iflink", "6"}, {"operstate", "up"},
	{"address", "80:00:00:48"}, {"pkey", "0x8001"},
};

static void add_netdev(struct text_buffer *text, const struct link *link)
{
	add_number(text, "index", &link->index);
	add_number(text, "type", &link->type);
	add_number(text, "mtu", &link->mtu_bytes);
	add_number(text, "changes", &link->carrier_changes);
	add_number(text, "port", &link->dev_port);
	add_number(text, "speed", &link->speed_mbps);
	add_number(text, "lower", &link->lower_index);
	add_number(text, "oper", &link->operstate);
	add_text(text, "address", link->address);
	add_number(text, "pkey", &link->pkey);
}

static void check_netdevs(const struct saved_tree *tree, const struct sample *samples, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct link_list list = {.items = NULL};
		struct problems problems = {.items = NULL};
		struct text_buffer text = {.text = NULL};
		struct link *link = link_list_add(&list);

		link->name = mem_string("ib0");
		link_read_sysfs(&tree->root, link, samples[i].needs, &problems);
		add_netdev(&text, link);
		expect_text(&text, i, samples[i].wanted);
		assert_int_equal(problems.count, 0);
		link_list_clear(&list);
	}
}

static void netdevs(void **state)
{
	static const struct sample samples[] = {
		{0, ""},
		{NEED_LINK_LIST, "index=7 type=20 port=1 lower=6 address=80:00:00:48 pkey=8001"},
		{NEED_LINK_MTU, "mtu=7fc"},
		{NEED_LINK_CHANGES, "changes=3"},
		{NEED_NETDEV_SPEED, "speed=9c40"},
		{NEED_LINK_STATE, "oper=6"},
		{NEED_LINK_ADDRESS, "address=80:00:00:48"},
		{NEED_PKEYS, "pkey=8001"},
		{NEED_GIDS | NEED_LINK_KIND | NEED_LINK_UPPERS | NEED_ADDRESSES, ""},
	};
	/* The speed of a netdev that is down cannot be read, which is not a problem. */
	static const struct sample down[] = {
		{NEED_NETDEV_SPEED, ""},
		{NEED_NETDEV_SPEED | NEED_LINK_STATE, "oper=6"},
	};
	const struct saved_tree *tree = *state;

	for (size_t i = 0; i < ARRAY_SIZE(netdev_files); i++) {
		_cleanup_(freep) char *path = mem_format("sys/class/net/ib0/%s",
							 netdev_files[i].path);

		tree_write(tree, path, netdev_files[i].text);
	}
	check_netdevs(tree, samples, ARRAY_SIZE(samples));
	tree_link(tree, "sys/class/net/ib0/speed", "!EINVAL");
	check_netdevs(tree, down, ARRAY_SIZE(down));
}

/* ---- PCI functions ---- */

static void add_function(struct text_buffer *text, const struct pci_function *function)
{
	add_number(text, "vendor", &function->vendor_id);
	add_number(text, "device", &function->device_id);
	add_number(text, "subvendor", &function->subsystem_vendor_id);
	add_number(text, "subdevice", &function->subsystem_device_id);
	add_number(text, "class", &function->class_code);
	add_text(text, "driver", function->driver);
	add_number(text, "numa", &function->numa_node);
	add_text(text, "cpus", function->local_cpulist);
	add_real(text, "speed", &function->speed_gtps);
	add_real(text, "most", &function->max_speed_gtps);
	add_number(text, "lanes", &function->width_lanes);
	add_number(text, "width", &function->max_width_lanes);
	add_text(text, "of", function->physfn);
	add_number(text, "group", &function->iommu_group);
	add_text(text, "iommu", function->iommu_type);
	if (function->acs_error)
		text_buffer_add(text, " acs");
}

static void functions(void **state)
{
	static const struct sample samples[] = {
		{0, ""},
		{PCI_ID, "vendor=1077 device=7322 subvendor=1077 subdevice=7323"},
		{PCI_DRIVER, "driver=ib_qib"},
		{PCI_NUMA, "numa=1 cpus=0-3"},
		{PCI_LINK, "vendor=1077 device=7322 subvendor=1077 subdevice=7323 "
			   "speed=5 most=8 lanes=4 width=10"},
		{PCI_VIRTUAL, "of=0000:01:00.7"},
		{PCI_IOMMU, "group=9 iommu=DMA"},
		{PCI_CLASS, "class=c0600"},
		{PCI_ACS, "acs"},
		{PCI_CLASS | PCI_DRIVER, "class=c0600 driver=ib_qib"},
	};
	const struct saved_tree *tree = *state;

	tree_write(tree, "sys/devices/pci0000:00/0000:01:00.0/iommu_group/type", "DMA");
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct pci_list list = {.items = NULL};
		struct text_buffer text = {.text = NULL};

		assert_int_equal(pci_list_read(&tree->root, &list, NULL), 0);
		assert_int_equal(list.count, 1);
		pci_read(&tree->root, list.items, (unsigned int)samples[i].needs, NULL);
		add_function(&text, list.items);
		expect_text(&text, i, samples[i].wanted);
		assert_int_equal(list.items[0].facts,
				 samples[i].needs | (samples[i].needs & PCI_LINK ? PCI_ID : 0));
		pci_list_clear(&list);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, tree_only_tear_down)
	static const struct CMUnitTest tests[] = {
		TEST(ports),	   TEST(ports_of_ethernet), TEST(ports_of_no_layer),
		TEST(known_ports), TEST(devices),	    TEST(no_function),
		TEST(functions),   TEST(lists_of_ports),    TEST(netdevs),
	};

	return cmocka_run_group_tests_name("needs", tests, NULL, NULL);
}
