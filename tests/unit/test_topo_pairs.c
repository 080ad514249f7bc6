/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The distance of two nodes from handmade facts: each class and its names, the source of each
 * answer, and its consequences. And whether a host is a virtual machine.
 */
#include <errno.h>

#include "base/mem.h"
#include "saved_tree.h"
#include "topology/place.h"

struct bed {
	struct topology topology;
};

static int set_up(void **state)
{
	*state = mem_alloc_zero(1, sizeof(struct bed));
	return 0;
}

static int tear_down(void **state)
{
	struct bed *bed = *state;

	topology_clear(&bed->topology);
	free(bed);
	return 0;
}

/* Adds a node; "s1 s0": the switches above it, the nearest first. */
static size_t add(struct bed *bed, const char *name, enum topology_kind kind, const char *card,
		  const char *bridge, unsigned int numa, const char *switches)
{
	struct topology_node *node = mem_append(&bed->topology.nodes, &bed->topology.count,
						sizeof(*node));
	char text[64], *state = NULL;

	node->name = mem_string(name);
	node->kind = number_of(kind);
	node->role = number_of(TOPOLOGY_PHYSICAL);
	node->card = mem_string_or_null(card);
	node->host_bridge = mem_string_or_null(bridge);
	node->numa_node = number_of(numa);
	node->numa_source = node->place_source = number_of(TOPOLOGY_MEASURED);
	node->package = number_of(numa / 2);
	snprintf(text, sizeof(text), "%s", switches);
	for (char *word = strtok_r(text, " ", &state); word; word = strtok_r(NULL, " ", &state))
		strings_add(&node->switches, word);
	return bed->topology.count - 1;
}

static void add_numa(struct bed *bed, unsigned int number, const char *first, const char *second)
{
	struct numa_node *node = mem_append(&bed->topology.numa, &bed->topology.numa_count,
					    sizeof(*node));

	node->number = number;
	strings_add(&node->distances, first);
	if (second)
		strings_add(&node->distances, second);
}

static struct topology_pair compare(const struct bed *bed, size_t a, size_t b)
{
	struct topology_pair pair;

	topology_compare(&bed->topology, &bed->topology.nodes[a], &bed->topology.nodes[b], &pair);
	return pair;
}

static void expect(const struct bed *bed, size_t a, size_t b, enum topology_class class,
		   enum topology_source source)
{
	const struct topology_pair pair = compare(bed, a, b), back = compare(bed, b, a);

	assert_int_equal(pair.class.value, class);
	assert_int_equal(pair.source.value, source);
	assert_int_equal(back.class.value, class);
	assert_int_equal(back.source.value, source);
}

/* The legend of nvidia-smi topo -m, NCCL's src/include/graph.h, UCX's src/ucs/sys/topo. */
static void words(void **state)
{
	static const struct {
		enum topology_class class;
		const char *smi, *nccl, *ucx;
	} cases[] = {
		{TOPOLOGY_SELF, "X", "LOC", "same"},
		{TOPOLOGY_FABRIC, "XGMI", "XGMI", "-"},
		{TOPOLOGY_CARD, "PIX", "LOC", "bridge"},
		{TOPOLOGY_SWITCH, "PIX", "PIX", "bridge"},
		{TOPOLOGY_SWITCHES, "PXB", "PXB", "bridge"},
		{TOPOLOGY_HOST_BRIDGE, "PHB", "PHB", "phb"},
		{TOPOLOGY_NUMA, "NODE", "PHB", "node"},
		{TOPOLOGY_SYSTEM, "SYS", "SYS", "sys"},
		{TOPOLOGY_CLASS_UNKNOWN, "?", "?", "?"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct topology_pair pair = {.class = number_of(cases[i].class)};

		assert_string_equal(topology_word(&pair, DIALECT_SMI), cases[i].smi);
		assert_string_equal(topology_word(&pair, DIALECT_NCCL), cases[i].nccl);
		assert_string_equal(topology_word(&pair, DIALECT_UCX), cases[i].ucx);
		pair.c2c = true;
		assert_string_equal(topology_word(&pair, DIALECT_SMI), cases[i].smi);
		assert_string_equal(topology_word(&pair, DIALECT_NCCL), "P2C");
		assert_string_equal(topology_word(&pair, DIALECT_UCX), cases[i].ucx);
	}
}

/* A word requires no more than the farthest class that it names. */
static void classes_by_word(void **state)
{
	static const struct {
		const char *word;
		int class;
	} cases[] = {
		{"pix", TOPOLOGY_SWITCH},
		{"PXB", TOPOLOGY_SWITCHES},
		{"bridge", TOPOLOGY_SWITCHES},
		{"phb", TOPOLOGY_HOST_BRIDGE},
		{"node", TOPOLOGY_NUMA},
		{"sys", TOPOLOGY_SYSTEM},
		{"Card", TOPOLOGY_CARD},
		{"switch", TOPOLOGY_SWITCH},
		{"switches", TOPOLOGY_SWITCHES},
		{"host-bridge", TOPOLOGY_HOST_BRIDGE},
		{"numa", TOPOLOGY_NUMA},
		{"system", TOPOLOGY_SYSTEM},
		{"self", -1},
		{"X", -1},
		{"fabric", -1},
		{"xgmi", -1},
		{"loc", -1},
		{"unknown", -1},
		{"?", -1},
		{"", -1},
		{"pixx", -1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		enum topology_class class = TOPOLOGY_SELF;
		int rc = topology_parse_class(cases[i].word, &class);

		assert_int_equal(rc, cases[i].class < 0 ? -EINVAL : 0);
		if (cases[i].class >= 0 && (int)class != cases[i].class)
			fail_msg("%s: %d", cases[i].word, (int)class);
	}
}

static void each_class(void **state)
{
	struct bed *bed = *state;
	const size_t gpu = add(bed, "gpu0", TOPOLOGY_ACCELERATOR, "g", "pci0", 0, "s1 s0");
	const size_t sibling = add(bed, "gpu1", TOPOLOGY_ACCELERATOR, "g", "pci9", 3, "");
	const size_t near = add(bed, "m0", TOPOLOGY_NIC, "a", "pci0", 0, "s1 s0");
	const size_t beside = add(bed, "m1", TOPOLOGY_NIC, "b", "pci0", 0, "s2 s0");
	const size_t above = add(bed, "m2", TOPOLOGY_NIC, "c", "pci0", 0, "s0");
	const size_t bridge = add(bed, "m3", TOPOLOGY_NIC, "d", "pci0", 0, "s7");
	const size_t node = add(bed, "m4", TOPOLOGY_NIC, "e", "pci1", 0, "");
	const size_t far = add(bed, "m5", TOPOLOGY_NIC, NULL, "pci2", 1, "s8");

	expect(bed, gpu, gpu, TOPOLOGY_SELF, TOPOLOGY_MEASURED);
	expect(bed, gpu, sibling, TOPOLOGY_CARD, TOPOLOGY_MEASURED);
	expect(bed, gpu, near, TOPOLOGY_SWITCH, TOPOLOGY_MEASURED);
	expect(bed, gpu, beside, TOPOLOGY_SWITCHES, TOPOLOGY_MEASURED);
	expect(bed, gpu, above, TOPOLOGY_SWITCHES, TOPOLOGY_MEASURED);
	expect(bed, gpu, bridge, TOPOLOGY_HOST_BRIDGE, TOPOLOGY_MEASURED);
	expect(bed, gpu, node, TOPOLOGY_NUMA, TOPOLOGY_MEASURED);
	expect(bed, gpu, far, TOPOLOGY_SYSTEM, TOPOLOGY_MEASURED);
	/* The number of switches on the path, from both nodes to the common one. */
	assert_int_equal(compare(bed, gpu, near).switches.value, 1);
	assert_int_equal(compare(bed, gpu, above).switches.value, 2);
	assert_int_equal(compare(bed, gpu, beside).switches.value, 3);
	assert_false(compare(bed, gpu, bridge).switches.known);
	assert_false(compare(bed, gpu, gpu).switches.known);
	assert_int_equal(compare(bed, gpu, gpu).same_device, TRISTATE_YES);
	assert_int_equal(compare(bed, far, far).same_device, TRISTATE_YES);
	assert_int_equal(compare(bed, gpu, near).same_device, TRISTATE_NO);
	assert_int_equal(compare(bed, gpu, far).same_device, TRISTATE_UNKNOWN);
	assert_int_equal(compare(bed, gpu, node).same_host_bridge, TRISTATE_NO);
	assert_int_equal(compare(bed, gpu, bridge).same_host_bridge, TRISTATE_YES);
	assert_int_equal(compare(bed, gpu, far).same_numa, TRISTATE_NO);
	assert_int_equal(compare(bed, gpu, far).same_package, TRISTATE_YES);
	assert_int_equal(compare(bed, gpu, sibling).same_package, TRISTATE_NO);
	/* GPUDirect reaches as far as PXB, between an adapter and an accelerator. */
	assert_int_equal(compare(bed, gpu, near).gpudirect, TRISTATE_YES);
	assert_int_equal(compare(bed, gpu, beside).gpudirect, TRISTATE_YES);
	assert_int_equal(compare(bed, gpu, bridge).gpudirect, TRISTATE_NO);
	assert_int_equal(compare(bed, near, beside).gpudirect, TRISTATE_UNKNOWN);
	assert_int_equal(compare(bed, gpu, sibling).gpudirect, TRISTATE_UNKNOWN);
}

/* The less certain of both sources, and unknown if either is. */
static void sources(void **state)
{
	struct bed *bed = *state;
	const size_t a = add(bed, "m0", TOPOLOGY_NIC, "a", "pci0", 0, "s0");
	const size_t b = add(bed, "m1", TOPOLOGY_NIC, "b", "pci0", 0, "s0");
	const size_t c = add(bed, "m2", TOPOLOGY_NIC, "c", "pci1", 0, "");
	struct topology_node *nodes = bed->topology.nodes;

	nodes[b].place_source = number_of(TOPOLOGY_FILE);
	expect(bed, a, b, TOPOLOGY_SWITCH, TOPOLOGY_FILE);
	nodes[b].place_source = number_of(TOPOLOGY_UNKNOWN);
	expect(bed, a, b, TOPOLOGY_CLASS_UNKNOWN, TOPOLOGY_UNKNOWN);
	nodes[c].numa_source = number_of(TOPOLOGY_INHERITED);
	expect(bed, a, c, TOPOLOGY_NUMA, TOPOLOGY_INHERITED);
	nodes[c].numa_node.value = 1;
	expect(bed, a, c, TOPOLOGY_SYSTEM, TOPOLOGY_INHERITED);
	nodes[c].numa_source = number_of(TOPOLOGY_LOCALITY);
	expect(bed, a, c, TOPOLOGY_SYSTEM, TOPOLOGY_LOCALITY);
	nodes[c].numa_node.known = false;
	expect(bed, a, c, TOPOLOGY_CLASS_UNKNOWN, TOPOLOGY_UNKNOWN);
	assert_int_equal(compare(bed, a, c).gpudirect, TRISTATE_UNKNOWN);
	assert_int_equal(compare(bed, a, c).same_numa, TRISTATE_UNKNOWN);
}

/* A virtual machine's host bridge means nothing, and its NUMA nodes only show what is far. */
static void virtual_machine(void **state)
{
	struct bed *bed = *state;
	const size_t a = add(bed, "m0", TOPOLOGY_NIC, "a", "pci0", 0, "");
	const size_t b = add(bed, "gpu0", TOPOLOGY_ACCELERATOR, "b", "pci0", 0, "");
	const size_t c = add(bed, "gpu1", TOPOLOGY_ACCELERATOR, "c", "pci0", 1, "s0");
	const size_t d = add(bed, "gpu2", TOPOLOGY_ACCELERATOR, "d", "pci0", 1, "s0");

	expect(bed, a, b, TOPOLOGY_HOST_BRIDGE, TOPOLOGY_MEASURED);
	bed->topology.hypervisor = mem_string("KVM");
	add_numa(bed, 0, "10", NULL);
	expect(bed, a, b, TOPOLOGY_CLASS_UNKNOWN, TOPOLOGY_UNKNOWN);
	expect(bed, c, d, TOPOLOGY_SWITCH, TOPOLOGY_MEASURED);
	add_numa(bed, 1, "20", "10");
	expect(bed, a, b, TOPOLOGY_NUMA, TOPOLOGY_INFERRED);
	expect(bed, a, c, TOPOLOGY_SYSTEM, TOPOLOGY_MEASURED);
	/* Inherited NUMA nodes are no better; those given by the user are. */
	bed->topology.nodes[a].numa_source = number_of(TOPOLOGY_INHERITED);
	expect(bed, a, b, TOPOLOGY_NUMA, TOPOLOGY_INHERITED);
	bed->topology.nodes[a].numa_source = number_of(TOPOLOGY_LOCALITY);
	expect(bed, a, b, TOPOLOGY_NUMA, TOPOLOGY_LOCALITY);
	/* A topology file shows what the machine hides. */
	bed->topology.nodes[a].place_source = number_of(TOPOLOGY_FILE);
	expect(bed, a, b, TOPOLOGY_HOST_BRIDGE, TOPOLOGY_FILE);
}

/* NVIDIA's link between CPU and GPU of one package reaches every adapter of that node. */
static void cpu_and_gpu(void **state)
{
	struct bed *bed = *state;
	const size_t gpu = add(bed, "gpu0", TOPOLOGY_ACCELERATOR, "g", "pci0", 0, "s0");
	const size_t nic = add(bed, "m0", TOPOLOGY_NIC, "a", "pci1", 0, "");
	const size_t near = add(bed, "m1", TOPOLOGY_NIC, "b", "pci0", 0, "s0");
	const size_t far = add(bed, "m2", TOPOLOGY_NIC, "c", "pci2", 1, "");
	const size_t other = add(bed, "gpu1", TOPOLOGY_ACCELERATOR, "h", "pci3", 0, "");

	assert_false(compare(bed, gpu, nic).c2c);
	bed->topology.nodes[gpu].c2c = true;
	assert_true(compare(bed, gpu, nic).c2c);
	assert_true(compare(bed, nic, gpu).c2c);
	expect(bed, gpu, nic, TOPOLOGY_NUMA, TOPOLOGY_INFERRED);
	assert_int_equal(compare(bed, gpu, nic).gpudirect, TRISTATE_YES);
	assert_false(compare(bed, gpu, near).c2c);
	expect(bed, gpu, near, TOPOLOGY_SWITCH, TOPOLOGY_MEASURED);
	assert_false(compare(bed, gpu, far).c2c);
	assert_int_equal(compare(bed, gpu, far).gpudirect, TRISTATE_NO);
	assert_false(compare(bed, gpu, other).c2c);
	/* Two NVIDIA accelerators may have NVLink, which only NVML shows. */
	assert_int_equal(compare(bed, gpu, other).fabric_hidden, TRISTATE_UNKNOWN);
	bed->topology.nodes[gpu].vendor_id = number_of(PCI_VENDOR_NVIDIA);
	bed->topology.nodes[nic].vendor_id = number_of(PCI_VENDOR_NVIDIA);
	assert_int_equal(compare(bed, gpu, other).fabric_hidden, TRISTATE_UNKNOWN);
	bed->topology.nodes[other].vendor_id = number_of(PCI_VENDOR_NVIDIA);
	assert_int_equal(compare(bed, gpu, other).fabric_hidden, TRISTATE_YES);
	assert_int_equal(compare(bed, gpu, nic).fabric_hidden, TRISTATE_UNKNOWN);
	assert_int_equal(compare(bed, gpu, gpu).fabric_hidden, TRISTATE_UNKNOWN);
	/* The same with Xe Link, which only Intel's Max series has. */
	bed->topology.nodes[gpu].vendor_id = number_of(PCI_VENDOR_INTEL);
	bed->topology.nodes[gpu].device_id = number_of(0x0bda);
	assert_int_equal(compare(bed, gpu, other).fabric_hidden, TRISTATE_UNKNOWN);
	bed->topology.nodes[other].vendor_id = number_of(PCI_VENDOR_INTEL);
	bed->topology.nodes[other].device_id = number_of(0x56c0);
	assert_int_equal(compare(bed, gpu, other).fabric_hidden, TRISTATE_UNKNOWN);
	bed->topology.nodes[other].device_id = number_of(0x0be5);
	assert_int_equal(compare(bed, gpu, other).fabric_hidden, TRISTATE_YES);
	assert_string_equal(topology_hidden_fabric(&bed->topology.nodes[gpu])->link, "Xe Link");
}

/* The firmware's table has a row for each node, in the order of the nodes. */
static void distances(void **state)
{
	struct bed *bed = *state;
	const size_t a = add(bed, "m0", TOPOLOGY_NIC, "a", "pci0", 2, "");
	const size_t b = add(bed, "m1", TOPOLOGY_NIC, "b", "pci1", 5, "");
	struct topology_node *nodes = bed->topology.nodes;

	assert_false(compare(bed, a, b).slit.known);
	add_numa(bed, 2, "10", "21");
	add_numa(bed, 5, "32", "11");
	assert_int_equal(compare(bed, a, b).slit.value, 21);
	assert_int_equal(compare(bed, b, a).slit.value, 32);
	assert_int_equal(compare(bed, a, a).slit.value, 10);
	assert_int_equal(compare(bed, b, b).slit.value, 11);
	/* 255, the largest value of the ACPI specification, means unreachable. */
	free(bed->topology.numa[0].distances.items[1]);
	bed->topology.numa[0].distances.items[1] = mem_string("255");
	assert_int_equal(compare(bed, a, b).slit.value, 255);
	bed->topology.numa[0].distances.items[1][2] = '6';
	assert_false(compare(bed, a, b).slit.known);
	bed->topology.numa[0].distances.count = 1;
	assert_false(compare(bed, a, b).slit.known);
	free(bed->topology.numa[0].distances.items[1]);
	nodes[b].numa_node = number_of(6);
	assert_false(compare(bed, b, a).slit.known);
	nodes[b].numa_node.known = false;
	assert_false(compare(bed, b, a).slit.known);
}

/* A part of an adapter counts if it is nearer; a Data Direct function only for accelerators. */
static void parts(void **state)
{
	struct bed *bed = *state;
	const size_t nic = add(bed, "m0", TOPOLOGY_NIC, "a", "pci0", 0, "");
	const size_t gpu = add(bed, "gpu0", TOPOLOGY_ACCELERATOR, "g", "pci1", 1, "s0");
	const size_t other = add(bed, "m1", TOPOLOGY_NIC, "b", "pci1", 1, "s0");
	const size_t part = add(bed, "p", TOPOLOGY_PART, "p", "pci1", 1, "s0");
	struct topology_pair pair;

	bed->topology.part_count = 1;
	bed->topology.nodes[part].whole = nic;
	expect(bed, nic, other, TOPOLOGY_SWITCH, TOPOLOGY_MEASURED);
	/* GPUDirect is for an adapter and an accelerator, not for two adapters. */
	assert_int_equal(compare(bed, nic, other).gpudirect, TRISTATE_UNKNOWN);
	assert_int_equal(compare(bed, other, part).gpudirect, TRISTATE_UNKNOWN);
	pair = compare(bed, gpu, nic);
	assert_int_equal(pair.gpudirect, TRISTATE_YES);
	assert_int_equal(pair.class.value, TOPOLOGY_SWITCH);
	assert_string_equal(pair.to, "m0");
	assert_ptr_equal(pair.node, &bed->topology.nodes[nic]);
	assert_ptr_equal(pair.near_node, &bed->topology.nodes[part]);
	assert_ptr_equal(pair.near_from, &bed->topology.nodes[gpu]);
	pair = compare(bed, nic, gpu);
	assert_ptr_equal(pair.from, &bed->topology.nodes[nic]);
	assert_ptr_equal(pair.near_from, &bed->topology.nodes[part]);
	bed->topology.nodes[part].data_direct = bed->topology.nodes[part].guessed = true;
	expect(bed, nic, other, TOPOLOGY_SYSTEM, TOPOLOGY_MEASURED);
	expect(bed, nic, gpu, TOPOLOGY_SWITCH, TOPOLOGY_INFERRED);
	/* A part that is as far away as the adapter itself changes nothing. */
	bed->topology.nodes[part].switches.count = 0;
	free(bed->topology.nodes[part].switches.items[0]);
	bed->topology.nodes[part].numa_node.value = 7;
	free(bed->topology.nodes[part].host_bridge);
	bed->topology.nodes[part].host_bridge = mem_string("pci7");
	pair = compare(bed, nic, gpu);
	assert_ptr_equal(pair.near_from, &bed->topology.nodes[nic]);
	assert_int_equal(pair.source.value, TOPOLOGY_MEASURED);
}

/* The member of a bond with an unknown NUMA node may be the near one. */
static void unknown_parts(void **state)
{
	struct bed *bed = *state;
	const size_t gpu = add(bed, "gpu0", TOPOLOGY_ACCELERATOR, "g", "pci2", 2, "");
	const size_t nic = add(bed, "bond0", TOPOLOGY_NIC, "n", "pci0", 0, "");
	const size_t part = add(bed, "p", TOPOLOGY_PART, "p", "pci1", 1, "");
	struct topology_node *nodes = bed->topology.nodes;

	bed->topology.part_count = 1;
	nodes[part].whole = nic;
	expect(bed, gpu, nic, TOPOLOGY_SYSTEM, TOPOLOGY_MEASURED);
	for (size_t i = 0; i < 2; i++) {
		struct topology_node *hidden = &nodes[i ? part : nic];
		struct topology_node *other = &nodes[i ? nic : part];
		const uint64_t its_node = other->numa_node.value;

		hidden->numa_node.known = false;
		expect(bed, gpu, nic, TOPOLOGY_CLASS_UNKNOWN, TOPOLOGY_UNKNOWN);
		assert_int_equal(compare(bed, gpu, nic).gpudirect, TRISTATE_UNKNOWN);
		/* A near member counts, whatever the other one is. */
		other->numa_node.value = 2;
		expect(bed, gpu, nic, TOPOLOGY_NUMA, TOPOLOGY_MEASURED);
		other->numa_node.value = its_node;
		hidden->numa_node.known = true;
	}
}

/* Links between accelerators, in one direction or both. */
static void fabric(void **state)
{
	static struct pci_function functions[3];
	struct bed *bed = *state;
	const size_t a = add(bed, "gpu0", TOPOLOGY_ACCELERATOR, "a", "pci0", 0, "s0");
	const size_t b = add(bed, "gpu1", TOPOLOGY_ACCELERATOR, "b", "pci1", 1, "");
	const size_t c = add(bed, "gpu2", TOPOLOGY_ACCELERATOR, "c", "pci2", 1, "");

	for (size_t i = 0; i < 3; i++)
		bed->topology.nodes[i].function = &functions[i];
	bed->topology.links = mem_alloc_zero(1, sizeof(*bed->topology.links));
	bed->topology.links[0] = (struct fabric_link){&functions[a], &functions[b]};
	expect(bed, a, b, TOPOLOGY_SYSTEM, TOPOLOGY_MEASURED);
	bed->topology.link_count = 1;
	expect(bed, a, b, TOPOLOGY_FABRIC, TOPOLOGY_MEASURED);
	expect(bed, b, c, TOPOLOGY_NUMA, TOPOLOGY_MEASURED);
	expect(bed, a, c, TOPOLOGY_SYSTEM, TOPOLOGY_MEASURED);
	bed->topology.nodes[b].function = NULL;
	expect(bed, a, b, TOPOLOGY_SYSTEM, TOPOLOGY_MEASURED);
}

/*
 * PCI Express Base Specification 6.0, 1.2: 2.5 GT/s is generation 1, and each later one is faster.
 */
static void generations(void **state)
{
	static const struct {
		double speed;
		const char *text;
	} cases[] = {
		{2.5, "gen1 x4"}, {5, "gen2 x4"},  {8, "gen3 x4"},   {16, "gen4 x4"},
		{32, "gen5 x4"},  {64, "gen6 x4"}, {128, "gen7 x4"},
	};
	const struct number lanes = number_of(4), none = {.known = false};
	const struct real unknown = {.known = false};
	char *text;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct real speed = real_of(cases[i].speed);

		text = topology_link_text(&speed, &lanes);
		assert_string_equal(text, cases[i].text);
		free(text);
		text = topology_link_text(&speed, &none);
		assert_string_equal(text, "-");
		free(text);
	}
	text = topology_link_text(&unknown, &lanes);
	assert_string_equal(text, "-");
	free(text);
}

/* How the firmware of virtual machines identifies itself: systemd's src/basic/virt.c. */
static void hypervisors(void **state)
{
#define X86 "cpu:type:x86,ven0000fam0006mod008F:feature:,0000"
	static const struct {
		const char *type, *vendor, *product, *wanted, *features; /* of Xen */
		const char *modalias;					 /* of the processors */
	} cases[] = {
		{NULL, NULL, NULL, NULL},
		{NULL, "Dell Inc.", "PowerEdge R750", NULL},
		{NULL, "QEMU", "Standard PC (Q35 + ICH9, 2009)", "QEMU"},
		{NULL, "Red Hat", "KVM", "KVM"},
		{NULL, "OpenStack Foundation", "OpenStack Nova", "OpenStack Nova"},
		{NULL, "KubeVirt", "None", "KubeVirt"},
		{NULL, "Amazon EC2", "p5.48xlarge", "Amazon EC2"},
		{NULL, "Amazon EC2", "c6gn.metal", NULL},
		{NULL, "Amazon EC2", ".metal", NULL},
		{NULL, "Amazon EC2", "metal", "Amazon EC2"},
		{NULL, "Amazon EC2", "m7i.metal-48xl", NULL},
		{NULL, "Amazon EC2", "m7i.metallic", "Amazon EC2"},
		{NULL, "VMware, Inc.", "VMware7,1", "VMware7,1"},
		{NULL, "VMW71", "x", "VMW71"},
		{NULL, "innotek GmbH", "VirtualBox", "VirtualBox"},
		{NULL, "innotek GmbH", "x", "innotek GmbH"},
		{NULL, "Xen", "HVM domU", "Xen"},
		{NULL, "Bochs", "Bochs", "Bochs"},
		{NULL, "Cloud Hypervisor", "cloud-hypervisor", "Cloud Hypervisor"},
		{NULL, "Parallels Software", "x", "Parallels Software"},
		{NULL, "BHYVE", "x", "BHYVE"},
		{NULL, "x", "Hyper-V UEFI", "Hyper-V UEFI"},
		{NULL, "Google", "Google Compute Engine", "Google Compute Engine"},
		{NULL, "Google", "Google", NULL},
		{NULL, "Google", "Google Compute Engine", NULL, NULL, X86 ",009E,00C0"},
		{NULL, "Google", "Google Compute Engine", "Google Compute Engine", NULL,
		 X86 ",009E,009F,00C0"},
		{NULL, "Google", "Google Compute Engine", "Google Compute Engine", NULL,
		 "cpu:type:aarch64:feature:,0000,0001"},
		{NULL, "QEMU", "x", "QEMU", NULL, X86 ",009E,00C0"},
		{NULL, "Microsoft Corporation", "Virtual Machine", "Hyper-V"},
		{NULL, "Microsoft Corporation", "Surface", NULL},
		{NULL, "Other Corporation", "Virtual Machine", NULL},
		{"xen", "Dell Inc.", "x", "xen"},
		{"xen", "Amazon EC2", "c5.metal", "xen"},
		{"xen", "Dell Inc.", "x", "xen", "000027ff"},
		{"xen", "Dell Inc.", "x", NULL, "00002fff"}, /* dom0 */
		{"xen", "QEMU", "x", "QEMU", "00000800"},
		{NULL, "Not QEMU", "x", NULL},
	};
	struct saved_tree tree;

	(void)state;
	tree_open(&tree);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct problems problems = {.items = NULL};
		const struct topology_request request = {.root = &tree.root, .problems = &problems};
		struct topology topology = {.count = 0};
		const char *found;

		tree_delete(&tree, "sys");
		tree_directory(&tree, "sys");
		if (cases[i].type)
			tree_write(&tree, "sys/hypervisor/type", cases[i].type);
		if (cases[i].features)
			tree_write(&tree, "sys/hypervisor/properties/features", cases[i].features);
		if (cases[i].vendor)
			tree_write(&tree, "sys/class/dmi/id/sys_vendor", cases[i].vendor);
		if (cases[i].product)
			tree_write(&tree, "sys/class/dmi/id/product_name", cases[i].product);
		if (cases[i].modalias)
			tree_write(&tree, "sys/devices/system/cpu/modalias", cases[i].modalias);
		topology_read_host(&topology, &request);
		found = topology.hypervisor;
		if (!found != !cases[i].wanted || (found && strcmp(found, cases[i].wanted) != 0))
			fail_msg("%s, %s: %s", cases[i].vendor, cases[i].product, found);
		/* Without a switch, a virtual machine is flat; a physical one is not. */
		assert_int_equal(topology.flat, cases[i].wanted != NULL);
		assert_int_equal(problems.count, 0);
		topology_clear(&topology);
	}
	tree_close(&tree);
}

/* Packages and distances of the nodes, whose numbers may have gaps. */
static void numa_nodes(void **state)
{
	struct problems problems = {.items = NULL};
	struct topology topology = {.count = 0};
	struct saved_tree tree;
	const struct topology_request request = {.root = &tree.root, .problems = &problems};
	const struct numa_node *node;

	(void)state;
	tree_open(&tree);
	tree_write(&tree, "sys/devices/system/node/node0/cpulist", "4-7,12");
	tree_write(&tree, "sys/devices/system/node/node0/distance", "10 21 31");
	tree_write(&tree, "sys/devices/system/cpu/cpu4/topology/physical_package_id", "3");
	tree_write(&tree, "sys/devices/system/node/node10/cpulist", "");
	tree_write(&tree, "sys/devices/system/node/node10/distance", "31 21 10");
	tree_write(&tree, "sys/devices/system/node/node2/cpulist", "0");
	tree_write(&tree, "sys/devices/system/node/node2/distance", "21 10 21");
	tree_write(&tree, "sys/devices/system/cpu/cpu0/topology/physical_package_id", "-1");
	tree_write(&tree, "sys/devices/system/node/online", "0,2,10");
	tree_directory(&tree, "sys/devices/system/node/power");
	tree_directory(&tree, "sys/devices/system/node/nodex");
	topology_read_host(&topology, &request);
	assert_int_equal(topology.numa_count, 3);
	assert_int_equal(topology.numa[1].number, 2);
	assert_int_equal(topology.numa[2].number, 10);
	node = topology_numa(&topology, 0);
	assert_string_equal(node->cpus, "4-7,12");
	assert_int_equal(node->package.value, 3);
	assert_int_equal(node->distances.count, 3);
	assert_string_equal(node->distances.items[2], "31");
	assert_false(topology_numa(&topology, 2)->package.known);
	assert_false(topology_numa(&topology, 10)->package.known);
	assert_null(topology_numa(&topology, 1));
	assert_int_equal(problems.count, 0);
	topology_clear(&topology);
	/* What cannot be read is unknown, and told. */
	tree_delete(&tree, "sys/devices/system/cpu");
	tree_link(&tree, "sys/devices/system/cpu/cpu4/topology/physical_package_id", "!EIO");
	tree_link(&tree, "sys/class/dmi/id/sys_vendor", "!EACCES");
	tree_write(&tree, "sys/hypervisor/type", "xen");
	tree_link(&tree, "sys/hypervisor/properties/features", "!EIO");
	topology_read_host(&topology, &request);
	assert_false(topology_numa(&topology, 0)->package.known);
	assert_int_equal(problems.count, 3);
	assert_string_equal(problems.items[0].object, "node0");
	assert_string_equal(problems.items[0].attribute, "package");
	assert_string_equal(problems.items[1].object, "hypervisor");
	assert_string_equal(problems.items[1].attribute, "sys_vendor");
	assert_string_equal(problems.items[2].attribute, "features");
	topology_clear(&topology);
	tree_delete(&tree, "sys/hypervisor");
	tree_write(&tree, "sys/class/dmi/id/product_name", "Google Compute Engine");
	tree_delete(&tree, "sys/devices/system/cpu");
	tree_link(&tree, "sys/devices/system/cpu/modalias", "!EIO");
	topology_read_host(&topology, &request);
	assert_int_equal(problems.count, 5);
	assert_string_equal(problems.items[4].attribute, "modalias");
	topology_clear(&topology);
	problems_free(&problems);
	tree_close(&tree);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(words),	       TEST(classes_by_word), TEST(each_class),	 TEST(sources),
		TEST(virtual_machine), TEST(cpu_and_gpu),     TEST(distances),	 TEST(parts),
		TEST(unknown_parts),   TEST(fabric),	      TEST(generations), TEST(numa_nodes),
		TEST(hypervisors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
