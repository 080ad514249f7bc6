/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A topology read from a small tree: each node with all that is known about it, the path between
 * two nodes, AMD's links, and what makes it doubtful.
 */
#include "saved_tree.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "topology/place.h"

struct bed {
	struct saved_tree tree;
	struct inventory inventory;
	struct topology topology;
	struct problems problems, notes;
};

static int set_up(void **state)
{
	struct bed *bed;

	tree_set_up(state, sizeof(*bed));
	bed = *state;
	tree_directory(&bed->tree, "sys/bus/pci/devices");
	return 0;
}

static int tear_down(void **state)
{
	struct bed *bed = *state;

	topology_clear(&bed->topology);
	inventory_free(&bed->inventory);
	problems_free(&bed->problems);
	problems_free(&bed->notes);
	tree_close(&bed->tree);
	free(bed);
	return 0;
}

static void put(struct bed *bed, const char *directory, const char *file, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "sys/devices/%s/%s", directory, file);
	tree_write(&bed->tree, path, text);
}

/* Adds a function below the host bridge or below other functions. */
static void put_function(struct bed *bed, const char *directory, const char *class,
			 const char *vendor, const char *device)
{
	tree_function(&bed->tree, directory, class, vendor, device, NULL);
}

static void put_link(struct bed *bed, const char *directory, const char *speed, const char *width,
		     const char *max_speed, const char *max_width)
{
	put(bed, directory, "current_link_speed", speed);
	put(bed, directory, "current_link_width", width);
	put(bed, directory, "max_link_speed", max_speed);
	put(bed, directory, "max_link_width", max_width);
}

/* Adds an RDMA device; `part` is the path between it and its function. */
static struct device *add_device(struct bed *bed, const char *name, const char *directory,
				 const char *part)
{
	struct device *device = device_list_add(&bed->inventory.devices, name);
	char path[128], target[256];

	if (!directory)
		return device;
	device->pci_address = mem_string(strrchr(directory, '/') + 1);
	snprintf(path, sizeof(path), "sys/class/infiniband/%s", name);
	snprintf(target, sizeof(target), "../../devices/%s%s/infiniband/%s", directory, part, name);
	tree_link(&bed->tree, path, target);
	return device;
}

static void add_port(struct device *device, unsigned int number, enum port_state state, double gbps)
{
	struct port *port = device_add_port(device, number);

	if (state)
		port->state = number_of(state);
	if (gbps > 0)
		port->rate_gbps = real_of(gbps);
}

static void load(struct bed *bed)
{
	const struct topology_request request = {
		.root = &bed->tree.root, .inventory = &bed->inventory, .problems = &bed->problems};
	char *message = NULL;

	topology_clear(&bed->topology);
	assert_int_equal(topology_load(&bed->topology, &request, &bed->notes, &message), 0);
}

static void say(char **text, const char *what, const char *value)
{
	if (value)
		mem_extend(text, " %s=%s", what, value);
}

static void say_number(char **text, const char *what, const struct number *number)
{
	if (number->known)
		mem_extend(text, " %s=%llu", what, (unsigned long long)number->value);
}

static void say_real(char **text, const char *what, const struct real *real)
{
	if (real->known)
		mem_extend(text, " %s=%g", what, real->value);
}

static void say_list(char **text, const char *what, const struct strings *list)
{
	for (size_t i = 0; i < list->count; i++)
		mem_extend(text, "%s%s%s%s", i ? "," : " ", i ? "" : what, i ? "" : "=",
			   list->items[i]);
}

/* Appends all that is known about the node. */
static void say_node(char **text, const struct topology_node *node)
{
	static const char *const kinds[] = {"nic", "accelerator", "part"};
	static const char *const roles[] = {"physical", "virtual", "sub", "bond", "software"};

	mem_extend(text, "%s: %s %s", node->name, kinds[node->kind.value], roles[node->role.value]);
	say_list(text, "functions", &node->functions);
	if (!node->functions.known)
		mem_extend(text, " not-known");
	say(text, "parent", node->parent);
	say(text, "vendor", node->vendor);
	say(text, "driver", node->driver);
	say(text, "card", node->card);
	if (node->active != TRISTATE_UNKNOWN)
		say(text, "active", node->active == TRISTATE_YES ? "yes" : "no");
	say_list(text, "ports", &node->ports);
	say_real(text, "rate", &node->rate_gbps);
	say_number(text, "numa", &node->numa_node);
	say(text, "by", enum_word(topology_source_names, node->numa_source.value, NULL));
	say(text, "cpus", node->cpus);
	say_number(text, "package", &node->package);
	say(text, "bridge", node->host_bridge);
	say_list(text, "switches", &node->switches);
	say(text, "place", enum_word(topology_source_names, node->place_source.value, NULL));
	say_real(text, "speed", &node->speed_gtps);
	say_real(text, "max", &node->max_speed_gtps);
	say_number(text, "lanes", &node->width_lanes);
	say_number(text, "max", &node->max_width_lanes);
	say_real(text, "gbps", &node->gbps);
	say_real(text, "max", &node->max_gbps);
	say_number(text, "group", &node->iommu_group);
	mem_extend(text, "%s%s\n", node->c2c ? " c2c" : "",
		   node->data_direct ? " data-direct" : "");
}

static void assert_nodes(struct bed *bed, const char *wanted)
{
	char *text = mem_string("");

	for (size_t i = 0; i < bed->topology.count; i++)
		say_node(&text, &bed->topology.nodes[i]);
	for (size_t i = 0; i < bed->notes.count; i++)
		mem_extend(&text, "note: %s -> %s\n", bed->notes.items[i].error,
			   bed->notes.items[i].hint);
	assert_string_equal(text, wanted);
	free(text);
	problems_free(&bed->notes);
	bed->notes = (struct problems){.items = NULL};
	assert_int_equal(bed->problems.count, 0);
}

static void put_numa(struct bed *bed)
{
	put(bed, "system/node", "has_cpu", "0-1");
	put(bed, "system/node/noda0", "cpulist", "0-9");
	put(bed, "system/node/node0", "cpulist", "0-3");
	put(bed, "system/node/node0", "distance", "10 21");
	put(bed, "system/node/node1", "cpulist", "4-7");
	put(bed, "system/node/node1", "distance", "21 10");
	put(bed, "system/cpu/cpu0/topology", "physical_package_id", "0");
	put(bed, "system/cpu/cpu4/topology", "physical_package_id", "1");
}

#define PORT   "pci0000:00/0000:00:01.0"
#define SWITCH PORT "/0000:01:00.0"
#define NIC    SWITCH "/0000:02:00.0/0000:03:00.0"
#define VF     SWITCH "/0000:02:00.0/0000:03:00.4"
#define GPU    SWITCH "/0000:02:01.0/0000:04:00.0"
#define AMD    "pci0000:80/0000:80:01.0/0000:81:00.0"

/* A switch with an adapter and an accelerator below it, and an accelerator elsewhere. */
static void put_functions(struct bed *bed)
{
	put_numa(bed);
	put_function(bed, PORT, "0x060400", "0x8086", "0x1");
	put_function(bed, SWITCH, "0x060400", "0x10b5", "0x8796");
	put_function(bed, SWITCH "/0000:02:00.0", "0x060400", "0x10b5", "0x8796");
	put_function(bed, SWITCH "/0000:02:01.0", "0x060400", "0x10b5", "0x8796");
	put_function(bed, NIC, "0x020700", "0x15b3", "0x1021");
	put_function(bed, GPU, "0x030200", "0x10de", "0x2342");
	put_function(bed, "pci0000:80/0000:80:01.0", "0x060400", "0x8086", "0x1");
	put_function(bed, AMD, "0x120000", "0x1002", "0x74a1");
	put_link(bed, SWITCH, "8.0 GT/s PCIe", "16", "16.0 GT/s PCIe", "16");
	put_link(bed, NIC, "16.0 GT/s PCIe", "8", "32.0 GT/s PCIe", "16");
	put_link(bed, SWITCH "/0000:02:00.0", "16.0 GT/s PCIe", "8", "16.0 GT/s PCIe", "16");
	put(bed, SWITCH, "numa_node", "1");
	put(bed, NIC, "numa_node", "1");
	put(bed, AMD, "numa_node", "0");
}

/* Adapters, a virtual function, a subfunction, a software device, and accelerators. */
static void nodes(void **state)
{
	struct bed *bed = *state;
	struct device *device;

	put_functions(bed);
	put_function(bed, VF, "0x020700", "0x15b3", "0x101e");
	tree_link(&bed->tree, "sys/devices/" VF "/physfn", "../0000:03:00.0");
	device = add_device(bed, "mlx5_0", NIC, "");
	device->driver = mem_string("mlx5_core");
	add_port(device, 1, PORT_STATE_ACTIVE, 200);
	add_port(device, 2, PORT_STATE_DOWN, 10);
	add_port(device, 3, PORT_STATE_ACTIVE, 100.5);
	device = add_device(bed, "mlx5_1", VF, "");
	add_port(device, 1, PORT_STATE_DOWN, 10);
	device = add_device(bed, "mlx5_2", NIC, "/mlx5_core.sf.2");
	add_port(device, 1, PORT_STATE_DOWN, 10);
	add_port(device, 2, 0, 10);
	device = add_device(bed, "rxe0", NULL, NULL);
	add_port(device, 1, PORT_STATE_ACTIVE, 0);
	device->ports_unknown = true;
	device = add_device(bed, "siw0", NULL, NULL);
	device->ports_unknown = true;
	load(bed);
	assert_nodes(
		bed,
		"mlx5_0: nic physical functions=0000:03:00.0 vendor=nvidia driver=mlx5_core "
		"card=0000:03:00 active=yes ports=1,3 rate=300.5 numa=1 by=measured cpus=4-7 "
		"package=1 bridge=pci0000:00 switches=0000:01:00.0 place=measured speed=16 max=16 "
		"lanes=8 max=16 gbps=126.031 max=252.062\n"
		"mlx5_1: nic virtual functions=0000:03:00.4 parent=mlx5_0 vendor=nvidia "
		"card=0000:03:00 active=no numa=1 by=inherited cpus=4-7 package=1 "
		"bridge=pci0000:00 switches=0000:01:00.0 place=measured max=16 max=16 gbps=126.031 "
		"max=252.062\n"
		"mlx5_2: nic sub functions=0000:03:00.0 parent=mlx5_0 vendor=nvidia "
		"card=0000:03:00 numa=1 by=measured cpus=4-7 package=1 bridge=pci0000:00 "
		"switches=0000:01:00.0 place=measured speed=16 max=16 lanes=8 max=16 gbps=126.031 "
		"max=252.062\n"
		"rxe0: nic software active=yes ports=1 by=unknown place=unknown\n"
		"siw0: nic software by=unknown place=unknown\n"
		"gpu0: accelerator physical functions=0000:04:00.0 vendor=nvidia card=0000:04:00 "
		"numa=1 by=inherited cpus=4-7 package=1 bridge=pci0000:00 switches=0000:01:00.0 "
		"place=measured gbps=126.031 max=252.062 c2c\n"
		"gpu1: accelerator physical functions=0000:81:00.0 vendor=amd card=0000:81:00 "
		"numa=0 by=measured cpus=0-3 package=0 bridge=pci0000:80 place=measured\n");
	assert_ptr_equal(topology_find(&bed->topology, "gpu1"), &bed->topology.nodes[6]);
	assert_ptr_equal(topology_find(&bed->topology, "0000:03:00.0"), &bed->topology.nodes[0]);
	assert_null(topology_find(&bed->topology, "0000:03:00"));
}

/* In a Hyper-V guest with several nodes, node 0 for all functions is not a measurement. */
static void hyperv(void **state)
{
#define GUEST "LNXSYSTM:00/VMBUS:00/guid/pci0001:00/0001:00:02.0"
	struct bed *bed = *state;

	put_numa(bed);
	put_function(bed, GUEST, "0x020000", "0x15b3", "0x101e");
	put_function(bed, "LNXSYSTM:00/MSFT1000:00/guid/pci0002:00/0002:00:02.0", "0x120000",
		     "0x1002", "0x1");
	put(bed, GUEST, "numa_node", "0");
	put(bed, GUEST, "local_cpulist", "0-7");
	put(bed, "LNXSYSTM:00/MSFT1000:00/guid/pci0002:00/0002:00:02.0", "numa_node", "0");
	add_device(bed, "rxe0", NULL, NULL);
	add_device(bed, "mlx5_0", GUEST, "");
	load(bed);
	assert_true(bed->topology.numa_distrusted);
	assert_string_equal(bed->topology.hypervisor, "Hyper-V");
	assert_true(bed->topology.flat);
	assert_nodes(
		bed,
		"rxe0: nic software active=no by=unknown place=unknown\n"
		"mlx5_0: nic physical functions=0001:00:02.0 vendor=nvidia card=0001:00:02 "
		"active=no "
		"by=unknown bridge=pci0001:00 place=measured\n"
		"gpu0: accelerator physical functions=0002:00:02.0 vendor=amd card=0002:00:02 "
		"by=unknown bridge=pci0002:00 place=measured\n"
		"note: the NUMA node of every device is 0, which the kernel also reports where "
		"Hyper-V gives none: all are taken as unknown -> --locality FILE or a topology "
		"file can give the true ones\n"
		"note: this virtual machine (Hyper-V) shows no PCIe switches: devices may be "
		"closer than they seem, and some distances are unknown -> set NCCL_TOPO_FILE to "
		"the topology file of this kind of machine, if its provider has one\n");
	/* A function on another node shows that the host reports them. */
	put(bed, GUEST, "numa_node", "1");
	load(bed);
	assert_false(bed->topology.numa_distrusted);
	assert_int_equal(bed->topology.nodes[2].numa_node.value, 0);
	assert_true(bed->topology.nodes[2].numa_node.known);
	assert_int_equal(bed->notes.count, 1);
	/* With a single node there is no other. */
	put(bed, GUEST, "numa_node", "0");
	tree_delete(&bed->tree, "sys/devices/system/node/node1");
	load(bed);
	assert_false(bed->topology.numa_distrusted);
#undef GUEST
}

/* The machine's own file shows what the machine hides; an invalid one is a problem. */
static void own_file(void **state)
{
#define FILE_PATH "var/run/nvidia-topologyd/virtualTopology.xml"
	struct bed *bed = *state;

	put_numa(bed);
	put(bed, "virtual/dmi", "x", "x");
	tree_write(&bed->tree, "sys/class/dmi/id/sys_vendor", "QEMU");
	put_function(bed, "pci0000:00/0000:00:02.0", "0x020000", "0x15b3", "0x101e");
	add_device(bed, "mlx5_0", "pci0000:00/0000:00:02.0", "");
	tree_write(&bed->tree, FILE_PATH,
		   "<system version='1'><cpu numaid='1'><pci busid='ffff:ff:01.0'>"
		   "<pci busid='0000:00:02.0'/></pci></cpu></system>");
	load(bed);
	assert_string_equal(bed->topology.file, "/" FILE_PATH);
	assert_nodes(bed, "mlx5_0: nic physical functions=0000:00:02.0 vendor=nvidia "
			  "card=0000:00:02 active=no numa=1 by=topology-file cpus=4-7 package=1 "
			  "switches=ffff:ff:01.0 place=topology-file\n");
	tree_write(&bed->tree, FILE_PATH, "<system version='1'></system>");
	load(bed);
	assert_null(bed->topology.file);
	assert_int_equal(bed->notes.count, 1);
	assert_int_equal(bed->problems.count, 0);
	tree_write(&bed->tree, FILE_PATH, "<system version='3'></system>");
	load(bed);
	assert_int_equal(bed->problems.count, 1);
	assert_string_equal(bed->problems.items[0].object, "/" FILE_PATH);
	assert_string_equal(bed->problems.items[0].source, "file");
	assert_string_equal(bed->problems.items[0].error,
			    "the version of the topology file is not 1 (or 2, RCCL's)");
	tree_link(&bed->tree, FILE_PATH, "!EIO");
	load(bed);
	assert_int_equal(bed->problems.count, 2);
	assert_string_equal(bed->problems.items[1].attribute, "/" FILE_PATH);
#undef FILE_PATH
}

/* A file that the user gives has to describe this host; so does a locality. */
static void asked_for(void **state)
{
	static const struct {
		const char *file, *locality, *message;
	} cases[] = {
		{"<system version='1'></system>", NULL, "F: it has none of this host's devices"},
		{"<system version='1'>", NULL, "F: line 1: an element without its end"},
		{NULL, "mlx5_1 0", "L: line 1: there is no 'mlx5_1'"},
	};
	struct bed *bed = *state;

	add_device(bed, "mlx5_0", "pci0000:00/0000:00:02.0", "");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct topology_request request = {.root = &bed->tree.root,
							 .inventory = &bed->inventory,
							 .file_text = cases[i].file,
							 .file_name = "F",
							 .locality = cases[i].locality,
							 .locality_name = "L",
							 .problems = &bed->problems};
		char *message = NULL;

		topology_clear(&bed->topology);
		assert_int_equal(topology_load(&bed->topology, &request, &bed->notes, &message),
				 -EINVAL);
		assert_string_equal(message, cases[i].message);
		free(message);
	}
}

/* Known vendors have a word; others are shown by their number. */
static void vendors(void **state)
{
	static const char *const cases[][2] = {
		{"0x10de", "nvidia"},	{"0x1002", "amd"},	 {"0x8086", "intel"},
		{"0x1da3", "habana"},	{"0x15b3", "nvidia"},	 {"0x14e4", "broadcom"},
		{"0x1d0f", "amazon"},	{"0x1425", "chelsio"},	 {"0x1077", "qlogic"},
		{"0x1137", "cisco"},	{"0x1414", "microsoft"}, {"0x19e5", "huawei"},
		{"0x1dd8", "pensando"}, {"0x1ded", "alibaba"},	 {"0x15ad", "vmware"},
		{"0x0abc", "0x0abc"},
	};
	struct bed *bed = *state;

	add_device(bed, "d", "pci0000:00/0000:00:02.0", "");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		put_function(bed, "pci0000:00/0000:00:02.0", "0x020000", cases[i][0], "0x2342");
		put_function(bed, "pci0000:80/0000:81:00.0", "0x120000", cases[i][0], "0x2342");
		load(bed);
		assert_string_equal(bed->topology.nodes[0].vendor, cases[i][1]);
		/*
		 * GH200 is an accelerator linked with its CPU; another vendor's device of that ID
		 * is not.
		 */
		assert_int_equal(bed->topology.count, 2);
		assert_false(bed->topology.nodes[0].c2c);
		assert_int_equal(bed->topology.nodes[1].c2c, !strcmp(cases[i][0], "0x10de"));
	}
}

/* Intel's VMD is no switch: its root ports are below one host bridge, and end the path upwards. */
static void root_ports_of_vmd(void **state)
{
	static const char *const vmd[] = {
		"pci0000:00/0000:00:0e.0/pci10000:e0/10000:e0:06.0/10000:e1:00.0",
		"pci0000:00/0000:00:0e.0/pci10000:e0/10000:e0:07.0/10000:e2:00.0",
	};
	struct bed *bed = *state;
	struct topology_pair pair;

	put_numa(bed);
	put_function(bed, "pci0000:00/0000:00:0e.0", "0x010400", "0x8086", "0x28c0");
	put_function(bed, "pci0000:00/0000:00:0e.0/pci10000:e0/10000:e0:06.0", "0x060400", "0x8086",
		     "0x1");
	put_function(bed, "pci0000:00/0000:00:0e.0/pci10000:e0/10000:e0:07.0", "0x060400", "0x8086",
		     "0x1");
	put_function(bed, vmd[0], "0x020700", "0x15b3", "0x1021");
	put_function(bed, vmd[1], "0x030200", "0x10de", "0x2330");
	add_device(bed, "mlx5_0", vmd[0], "");
	load(bed);
	assert_int_equal(bed->topology.count, 2);
	topology_compare(&bed->topology, &bed->topology.nodes[0], &bed->topology.nodes[1], &pair);
	assert_int_equal(pair.class.value, TOPOLOGY_HOST_BRIDGE);
	assert_null(pair.common);
	assert_int_equal(bed->topology.switch_count, 0);
	assert_string_equal(bed->topology.nodes[1].host_bridge, "pci10000:e0");
}

/* The GPUs of Grace superchips, and contemporary ones without a CPU in their package. */
static void superchips(void **state)
{
	static const struct {
		const char *device;
		bool c2c;
	} cases[] = {
		{"0x2342", true}, {"0x2345", true},  {"0x2348", true},	{"0x2941", true},
		{"0x31c2", true}, {"0x2330", false}, {"0x2901", false}, {"0x3182", false},
	};
	struct bed *bed = *state;

	add_device(bed, "d", "pci0000:00/0000:00:02.0", "");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		put_function(bed, "pci0000:80/0000:81:00.0", "0x030200", "0x10de", cases[i].device);
		load(bed);
		assert_int_equal(bed->topology.count, 2);
		assert_int_equal(bed->topology.nodes[1].c2c, cases[i].c2c);
	}
}

static struct link *add_link(struct bed *bed, const char *name, unsigned int index)
{
	struct link *link = link_list_add(&bed->inventory.links);

	link->name = mem_string(name);
	link->index = number_of(index);
	return link;
}

/* A bond has the functions of its members; each that is another function becomes a part. */
static void bonds(void **state)
{
	struct bed *bed = *state;
	struct device *device;

	put_numa(bed);
	put_function(bed, "pci0000:00/0000:00:02.0", "0x020000", "0x15b3", "0x1021");
	put_function(bed, "pci0000:00/0000:00:02.1", "0x020000", "0x15b3", "0x1021");
	put(bed, "pci0000:00/0000:00:02.1", "numa_node", "1");
	device = add_device(bed, "mlx5_6", "pci0000:00/0000:00:08.0", "");
	device_add_port(device, 1)->netdev = mem_string("eth7");
	device = add_device(bed, "mlx5_bond_0", "pci0000:00/0000:00:02.0", "");
	device_add_port(device, 1)->netdev = mem_string("bond0");
	device = add_device(bed, "mlx5_7", "pci0000:00/0000:00:09.0", "");
	device_add_port(device, 1)->netdev = mem_string("eth7");
	add_link(bed, "bond0", 9)->kind = mem_string("bond");
	add_link(bed, "eth0", 3)->master_index = number_of(9);
	add_link(bed, "eth1", 4)->master_index = number_of(9);
	add_link(bed, "eth2", 5)->master_index = number_of(9);
	add_link(bed, "eth3", 6)->master_index = number_of(9);
	add_link(bed, "eth7", 7);
	tree_link(&bed->tree, "sys/class/net/eth0",
		  "../../devices/pci0000:00/0000:00:02.0/net/eth0");
	tree_link(&bed->tree, "sys/class/net/eth1",
		  "../../devices/pci0000:00/0000:00:02.1/net/eth1");
	/* A member that is no PCI function, and one that is not in the list. */
	tree_link(&bed->tree, "sys/class/net/eth2", "../../devices/virtual/net/eth2");
	tree_link(&bed->tree, "sys/class/net/eth3",
		  "../../devices/pci0000:00/0000:00:07.0/net/eth3");
	load(bed);
	assert_nodes(bed, "mlx5_6: nic physical functions=0000:00:08.0 by=unknown place=unknown\n"
			  "mlx5_bond_0: nic bond "
			  "functions=0000:00:02.0,0000:00:02.1,0000:00:07.0 vendor=nvidia "
			  "card=0000:00:02 by=unknown bridge=pci0000:00 place=measured\n"
			  "mlx5_7: nic physical functions=0000:00:09.0 by=unknown place=unknown\n"
			  "0000:00:02.1: part physical functions=0000:00:02.1 parent=mlx5_bond_0 "
			  "vendor=nvidia card=0000:00:02 numa=1 by=measured cpus=4-7 package=1 "
			  "bridge=pci0000:00 place=measured\n");
	assert_int_equal(bed->topology.part_count, 1);
	assert_int_equal(bed->topology.nodes[3].whole, 1);
}

/* ConnectX-8 is 1023, its Data Direct function 2100: drivers/infiniband/hw/mlx5/data_direct.c. */
static void data_direct(void **state)
{
	static const char *const directories[] = {
		"pci0000:00/0000:00:02.0", "pci0000:00/0000:00:03.0", "pci0000:00/0000:00:04.0"};
	struct bed *bed = *state;
	const struct topology_node *nodes;

	for (size_t i = 0; i < 3; i++)
		put_function(bed, directories[i], "0x020700", "0x15b3",
			     i < 2 ? "0x1023" : "0x1021");
	put_function(bed, "pci0000:80/0000:80:02.0", "0x080100", "0x15b3", "0x2100");
	/* The devices are not in the order of their functions. */
	add_device(bed, "mlx5_0", directories[2], "");
	add_device(bed, "mlx5_1", directories[1], "");
	add_device(bed, "mlx5_2", directories[0], "");
	add_device(bed, "mlx5_3", directories[0], "/mlx5_core.sf.1");
	load(bed);
	assert_int_equal(bed->topology.part_count, 0);
	assert_true(bed->topology.unpaired);
	assert_int_equal(bed->notes.count, 1);
	assert_string_equal(bed->notes.items[0].error,
			    "it is not known which ConnectX-8 adapters the Data Direct functions "
			    "belong to: the distances of the adapters ignore these functions");
	assert_string_equal(bed->notes.items[0].hint,
			    "serial numbers tell, which root and its snapshots have; rdmactl topo "
			    "-a shows all functions");
	problems_free(&bed->notes);
	bed->notes = (struct problems){.items = NULL};
	put_function(bed, "pci0000:80/0000:80:03.0", "0x080100", "0x15b3", "0x2100");
	put_function(bed, "pci0000:80/0000:80:04.0", "0x080100", "0x15b4", "0x2100");
	load(bed);
	assert_false(bed->topology.unpaired);
	assert_int_equal(bed->topology.count, 6);
	assert_int_equal(bed->topology.part_count, 2);
	nodes = bed->topology.nodes;
	assert_string_equal(nodes[4].name, "0000:80:03.0");
	assert_string_equal(nodes[4].parent, "mlx5_1");
	assert_int_equal(nodes[4].whole, 1);
	assert_string_equal(nodes[5].name, "0000:80:02.0");
	assert_string_equal(nodes[5].parent, "mlx5_2");
	assert_true(nodes[4].data_direct && nodes[5].data_direct);
	assert_true(nodes[4].guessed && nodes[5].guessed);
	assert_int_equal(bed->notes.count, 0);
}

/* The read-only part of vital product data, with the serial number in V3. */
static void put_serial(struct bed *bed, const char *address, const char *serial)
{
	char path[128], vpd[64];
	int length;

	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/vpd", address);
	/* Tag and length of the resource, the field, and the end tag. */
	length = snprintf(vpd, sizeof(vpd), "\x90%c_V3%c%s\x78", (int)strlen(serial) + 3,
			  (int)strlen(serial), serial);
	vpd[2] = '\0';
	tree_write_bytes(&bed->tree, path, vpd, (size_t)length);
}

/* As root: adapters and Data Direct functions are matched by number, whatever their order. */
static void serial_numbers(void **state)
{
	static const char *const places[] = {"pci0000:00/0000:00:02.0", "pci0000:00/0000:00:02.1",
					     "pci0000:00/0000:00:03.0"};
	struct bed *bed = *state;
	const struct topology_node *nodes;

	for (size_t i = 0; i < 3; i++)
		put_function(bed, places[i], "0x020700", "0x15b3", "0x1023");
	put_function(bed, "pci0000:80/0000:80:02.0", "0x080100", "0x15b3", "0x2100");
	put_function(bed, "pci0000:80/0000:80:03.0", "0x080100", "0x15b3", "0x2100");
	add_device(bed, "mlx5_0", places[0], "");
	add_device(bed, "mlx5_1", places[1], "");
	add_device(bed, "mlx5_2", places[2], "");
	/* Without numbers: both functions of the first card have the first one. */
	load(bed);
	nodes = bed->topology.nodes;
	assert_int_equal(bed->topology.part_count, 3);
	assert_string_equal(nodes[3].name, "0000:80:02.0");
	assert_string_equal(nodes[4].name, "0000:80:02.0");
	assert_string_equal(nodes[5].name, "0000:80:03.0");
	put_serial(bed, "0000:00:02.0", "aa");
	put_serial(bed, "0000:00:02.1", "aa");
	put_serial(bed, "0000:00:03.0", "bb");
	put_serial(bed, "0000:80:02.0", "bb");
	put_serial(bed, "0000:80:03.0", "aa");
	load(bed);
	nodes = bed->topology.nodes;
	assert_int_equal(bed->topology.part_count, 3);
	assert_string_equal(nodes[3].name, "0000:80:03.0");
	assert_string_equal(nodes[4].name, "0000:80:03.0");
	assert_string_equal(nodes[5].name, "0000:80:02.0");
	assert_false(nodes[3].guessed || nodes[4].guessed || nodes[5].guessed);
	/* An adapter without such a function. */
	put_serial(bed, "0000:80:02.0", "cc");
	load(bed);
	assert_int_equal(bed->topology.part_count, 2);
	assert_false(bed->topology.unpaired);
	assert_int_equal(bed->notes.count, 0);
}

static void put_kfd(struct bed *bed, const char *node, const char *properties)
{
	char path[128];

	snprintf(path, sizeof(path), "sys/class/kfd/kfd/topology/nodes/%s/properties", node);
	tree_write(&bed->tree, path, properties);
}

/* CRAT_IOLINK_TYPE_XGMI is 11, kfd_crat.h; location_id has bus, device and function. */
static void amd_links(void **state)
{
	struct bed *bed = *state;
	const struct topology_node *nodes;

	put_function(bed, "pci0000:00/0000:00:0a.1", "0x120000", "0x1002", "0x74a1");
	put_function(bed, "pci0001:85/0001:85:1f.7", "0x120000", "0x1002", "0x74a1");
	put_function(bed, "pci0000:02/0000:02:00.0", "0x120000", "0x1002", "0x74a1");
	put_kfd(bed, "0", "cpu_cores_count 8\nlocation_id 0");
	put_kfd(bed, "1", "domain 0\nlocation_id 81");			  /* 00:0a.1 */
	put_kfd(bed, "2", "location_ids 3\nlocation_id 34303\ndomain 1"); /* 85:1f.7 */
	put_kfd(bed, "3", "domain 0\nlocation_id 512");			  /* 02:00.0 */
	put_kfd(bed, "-1", "domain 0\nlocation_id 512");
	put_kfd(bed, "1/io_links/0", "type 2\nnode_from 1\nnode_to 0");
	put_kfd(bed, "1/io_links/1", "type 11\nnode_from 1\nnode_to 2");
	put_kfd(bed, "1/io_links/2", "type 2\nnode_to 3");
	put_kfd(bed, "1/io_links/3", "type 11\nnode_to 1");
	put_kfd(bed, "3/io_links/0", "type 11\nnode_to 9");
	put_kfd(bed, "3/io_links/1", "type 12\nnode_to 1");
	put_kfd(bed, "3/io_links/2", "type 11");
	put_kfd(bed, "0/io_links/2", "type 11\nnode_to 1");
	/* Only the first line of a property counts, even if it is malformed. */
	put_kfd(bed, "3/io_links/3", "type 11\nnode_to 1x\nnode_to 1");
	load(bed);
	nodes = bed->topology.nodes;
	assert_int_equal(bed->topology.count, 3);
	assert_int_equal(bed->problems.count, 0);
	assert_int_equal(bed->topology.link_count, 1);
	assert_string_equal(bed->topology.links[0].from->address, "0000:00:0a.1");
	assert_string_equal(bed->topology.links[0].to->address, "0001:85:1f.7");
	assert_string_equal(nodes[0].pci_address, "0000:00:0a.1");
	/* An unreadable file is a problem; other links still count. */
	tree_link(&bed->tree, "sys/class/kfd/kfd/topology/nodes/3/io_links/1/properties", "!EIO");
	put_kfd(bed, "2/io_links/0", "node_to 3\ntype 11");
	load(bed);
	assert_int_equal(bed->topology.link_count, 2);
	assert_int_equal(bed->problems.count, 1);
	assert_string_equal(bed->problems.items[0].object, "3/io_links/1");
	assert_string_equal(bed->problems.items[0].attribute, "links of the accelerator");
	problems_free(&bed->problems);
	bed->problems = (struct problems){.items = NULL};
	tree_delete(&bed->tree, "sys/class/kfd/kfd/topology/nodes/1/io_links");
	tree_link(&bed->tree, "sys/class/kfd/kfd/topology/nodes/1/io_links", "!EACCES");
	load(bed);
	assert_int_equal(bed->topology.link_count, 1);
	assert_int_equal(bed->problems.count, 2);
	assert_string_equal(bed->problems.items[0].object, "1/io_links");
}

static void assert_path(struct bed *bed, const char *from, const char *to, const char *wanted)
{
	struct topology_path path;
	struct text_buffer explained = {.text = NULL};
	char *text = mem_string("");

	topology_find_path(&bed->topology, topology_find(&bed->topology, from),
			   topology_find(&bed->topology, to), &path);
	for (size_t i = 0; i < path.count; i++) {
		const struct topology_hop *hop = &path.hops[i];

		mem_extend(&text, "%s %s:", hop->hop, hop->what);
		say_real(&text, "speed", &hop->speed_gtps);
		say_number(&text, "lanes", &hop->width_lanes);
		say_real(&text, "max", &hop->max_speed_gtps);
		say_number(&text, "max", &hop->max_width_lanes);
		say_real(&text, "gbps", &hop->gbps);
		say_real(&text, "max", &hop->max_gbps);
		if (hop->slower != TRISTATE_UNKNOWN)
			say(&text, "slower", hop->slower == TRISTATE_YES ? "yes" : "no");
		mem_extend(&text, "\n");
	}
	topology_explain(&path, &explained);
	mem_extend(&text, "%s", explained.text);
	assert_string_equal(text, wanted);
	topology_path_clear(&path);
	free(explained.text);
	free(text);
}

static void ways(void **state)
{
	struct bed *bed = *state;

	put_functions(bed);
	put_function(bed, "pci0000:00/0000:00:05.0", "0x020000", "0x15b3", "0x1021");
	put(bed, "pci0000:00/0000:00:05.0", "numa_node", "1");
	add_device(bed, "mlx5_0", NIC, "");
	add_device(bed, "mlx5_1", "pci0000:00/0000:00:05.0", "");
	add_device(bed, "rxe0", NULL, NULL);
	load(bed);
	assert_path(bed, "mlx5_0", "gpu0",
		    "0000:03:00.0 mlx5_0: speed=16 lanes=8 max=16 max=16 gbps=126.031 max=252.062 "
		    "slower=yes\n"
		    "0000:02:00.0 downstream port:\n"
		    "0000:01:00.0 switch of both:\n"
		    "0000:02:01.0 downstream port:\n"
		    "0000:04:00.0 gpu0:\n"
		    "distance   PIX: at most one PCIe switch between them (measured)\n"
		    "words      PIX (nvidia-smi), PIX (NCCL), bridge (UCX)\n"
		    "NUMA       mlx5_0: node 1 (measured)\n"
		    "NUMA       gpu0: node 1 (inherited)\n"
		    "memory     distance 10 (10 is local)\n"
		    "narrowest  126 Gb/s, the link above 0000:03:00.0: gen4 x8, though both ends "
		    "can do gen4 x16\n"
		    "ACS        unknown: no IOMMU groups, or they do not show it\n"
		    "GPUDirect  used by NCCL's default, which reaches as far as PXB\n");
	assert_path(bed, "mlx5_0", "gpu1",
		    "0000:03:00.0 mlx5_0: speed=16 lanes=8 max=16 max=16 gbps=126.031 max=252.062 "
		    "slower=yes\n"
		    "0000:02:00.0 downstream port:\n"
		    "0000:01:00.0 switch: speed=8 lanes=16 max=16 max=16 gbps=126.031 max=252.062 "
		    "slower=yes\n"
		    "0000:00:01.0 root port:\n"
		    "pci0000:00 host bridge:\n"
		    "node1 NUMA node:\n"
		    "node0 NUMA node:\n"
		    "pci0000:80 host bridge:\n"
		    "0000:80:01.0 root port:\n"
		    "0000:81:00.0 gpu1:\n"
		    "distance   SYS: different NUMA nodes (measured)\n"
		    "words      SYS (nvidia-smi), SYS (NCCL), sys (UCX)\n"
		    "NUMA       mlx5_0: node 1 (measured)\n"
		    "NUMA       gpu1: node 0 (measured)\n"
		    "memory     distance 21 (10 is local)\n"
		    "narrowest  126 Gb/s, the link above 0000:03:00.0: gen4 x8, though both ends "
		    "can do gen4 x16\n"
		    "GPUDirect  not used by NCCL's default, which reaches as far as PXB\n");
	assert_path(bed, "mlx5_0", "mlx5_1",
		    "0000:03:00.0 mlx5_0: speed=16 lanes=8 max=16 max=16 gbps=126.031 max=252.062 "
		    "slower=yes\n"
		    "0000:02:00.0 downstream port:\n"
		    "0000:01:00.0 switch: speed=8 lanes=16 max=16 max=16 gbps=126.031 max=252.062 "
		    "slower=yes\n"
		    "0000:00:01.0 root port:\n"
		    "pci0000:00 host bridge of both:\n"
		    "0000:00:05.0 mlx5_1:\n"
		    "distance   PHB: one PCIe host bridge (measured)\n"
		    "words      PHB (nvidia-smi), PHB (NCCL), phb (UCX)\n"
		    "NUMA       mlx5_0: node 1 (measured)\n"
		    "NUMA       mlx5_1: node 1 (measured)\n"
		    "memory     distance 10 (10 is local)\n"
		    "narrowest  126 Gb/s, the link above 0000:03:00.0: gen4 x8, though both ends "
		    "can do gen4 x16\n");
	assert_path(bed, "mlx5_0", "mlx5_0",
		    "distance   X: the same node (measured)\n"
		    "words      X (nvidia-smi), LOC (NCCL), same (UCX)\n"
		    "NUMA       mlx5_0: node 1 (measured)\n"
		    "memory     distance 10 (10 is local)\n");
	assert_path(bed, "mlx5_0", "rxe0",
		    "distance   ?: cannot be determined (unknown)\n"
		    "words      ? (nvidia-smi), ? (NCCL), ? (UCX)\n"
		    "NUMA       mlx5_0: node 1 (measured)\n"
		    "NUMA       rxe0: unknown\n");
}

/* The user's list of places: a device, an address or a host bridge. */
static void localities(void **state)
{
	static const struct {
		const char *text, *message; /* NULL: accepted */
	} cases[] = {
		{"mlx5_0 1", NULL},
		{"# all\n\n  mlx5_0\t1 # first\r\n0000:81:00.0 1\n", NULL},
		{"pci0000:80 1", NULL},
		{"mlx5_0 65535", NULL},
		{"mlx5_0 65536",
		 "line 1: expected a device, PCI address or host bridge, and a NUMA node"},
		{"\nmlx5_0",
		 "line 2: expected a device, PCI address or host bridge, and a NUMA node"},
		{"mlx5_0 1 2",
		 "line 1: expected a device, PCI address or host bridge, and a NUMA node"},
		{"mlx5_0 1\n\nmlx5\033 1", "line 3: there is no 'mlx5\\x1b'"},
		{"pci0000:8 1", "line 1: there is no 'pci0000:8'"},
		{"", NULL},
	};
	static const char *const numa[] = {"1-", "11", "-1", "65535-", "--",
					   "--", "--", "1-", "--",     "--"};
	struct bed *bed = *state;

	put_function(bed, NIC, "0x020700", "0x15b3", "0x1021");
	put_function(bed, "pci0000:80/0000:81:00.0", "0x120000", "0x1002", "0x74a1");
	add_device(bed, "mlx5_0", NIC, "");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		_cleanup_(freep) char *found = mem_string("");
		char *message = NULL;
		int rc;

		load(bed);
		rc = topology_take_locality(&bed->topology, cases[i].text, &message);
		assert_int_equal(rc, cases[i].message ? -EINVAL : 0);
		if (cases[i].message)
			assert_string_equal(message, cases[i].message);
		free(message);
		for (size_t j = 0; j < 2; j++) {
			const struct topology_node *node = &bed->topology.nodes[j];

			if (node->numa_node.known)
				mem_extend(&found, "%u", (unsigned int)node->numa_node.value);
			else
				mem_extend(&found, "-");
			assert_int_equal(node->numa_source.value, node->numa_node.known
									  ? TOPOLOGY_LOCALITY
									  : TOPOLOGY_UNKNOWN);
		}
		assert_string_equal(found, numa[i]);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(nodes),	   TEST(hyperv),	 TEST(own_file),	  TEST(asked_for),
		TEST(vendors),	   TEST(superchips),	 TEST(root_ports_of_vmd), TEST(bonds),
		TEST(data_direct), TEST(serial_numbers), TEST(amd_links),	  TEST(ways),
		TEST(localities),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
