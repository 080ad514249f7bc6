/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is written for handmade nodes: NCCL's file, the tree, its picture, and the path between two
 * nodes of a file. And which switches are halves of one chip, and AMD's links.
 */
#include "saved_tree.h"

#include "base/text.h"
#include "borrowed.h"
#include "topology/place.h"

#define MOST_NODES 8

struct bed {
	struct topology topology;
	struct topology_node *nodes[MOST_NODES]; /* all of them */
};

static int set_up(void **state)
{
	struct bed *bed = mem_alloc_zero(1, sizeof(*bed));

	/* The nodes must not move. */
	bed->topology.nodes = mem_alloc_zero(MOST_NODES, sizeof(*bed->topology.nodes));
	for (size_t i = 0; i < MOST_NODES; i++)
		bed->nodes[i] = &bed->topology.nodes[i];
	*state = bed;
	return 0;
}

static int tear_down(void **state)
{
	struct bed *bed = *state;

	topology_clear(&bed->topology);
	free(bed);
	return 0;
}

static struct topology_node *add(struct bed *bed, const char *name, enum topology_kind kind,
				 const char *address, const char *bridge)
{
	struct topology_node *node = &bed->topology.nodes[bed->topology.count++];

	assert_true(bed->topology.count <= MOST_NODES);
	node->name = mem_string(name);
	node->kind = number_of(kind);
	node->pci_address = mem_string_or_null(address);
	node->host_bridge = mem_string_or_null(bridge);
	node->place_source = number_of(TOPOLOGY_MEASURED);
	return node;
}

static void set_link(struct topology_node *node, double speed, double max_speed)
{
	node->speed_gtps = real_of(speed);
	node->max_speed_gtps = real_of(max_speed);
	node->width_lanes = number_of(8);
	node->max_width_lanes = number_of(16);
}

/*
 * One host bridge has a switch with an adapter, its subfunction, and a second switch with an
 * accelerator; elsewhere are an adapter without a switch, and nodes with an unknown NUMA node.
 */
static void fill(struct bed *bed, struct pci_function *nic, struct pci_function *port)
{
	struct topology *topology = &bed->topology;
	struct topology_switch *upper = topology_add_switch(topology, "0000:02:00.0");
	struct topology_switch *lower = topology_add_switch(topology, "0000:05:00.0");
	struct topology_node *node;

	topology_add_switch(topology, "0000:70:00.0");
	upper->vendor_id = number_of(0x10b5);
	upper->device_id = number_of(0x9797);
	upper->subsystem_vendor_id = number_of(0x10b6);
	upper->subsystem_device_id = number_of(0x1);
	upper->speed_gtps = real_of(16);
	upper->width_lanes = number_of(16);
	port->speed_gtps = real_of(8);
	port->width_lanes = number_of(16);
	upper->function = port;
	lower->up = upper;
	lower->vendor_id = number_of(0x1234);
	nic->class_code = number_of(0x020700);
	nic->subsystem_vendor_id = number_of(0x15b4);
	nic->subsystem_device_id = number_of(0x7);
	for (size_t i = 0; i < 2; i++) {
		node = add(bed, i ? "mlx5_1" : "mlx5_0", TOPOLOGY_NIC, "0000:03:00.0",
			   "pci0000:00");
		node->above = upper;
		node->function = nic;
		node->numa_node = number_of(0);
		node->cpus = mem_string("0-1,33");
		node->package = number_of(1);
		node->vendor_id = number_of(0x15b3);
		node->device_id = number_of(0x1021);
		set_link(node, 16, 32);
	}
	bed->nodes[1]->parent = mem_string("mlx5_0");
	node = add(bed, "gpu0", TOPOLOGY_ACCELERATOR, "0000:06:00.0", "pci0000:00");
	node->above = lower;
	node->numa_node = number_of(0);
	add(bed, "rxe0", TOPOLOGY_NIC, NULL, NULL);
	node = add(bed, "mlx5_2", TOPOLOGY_NIC, "0001:01:00.0", "pci<1>");
	node->numa_node = number_of(2);
	node->active = TRISTATE_NO;
	add(bed, "gpu1", TOPOLOGY_ACCELERATOR, "0000:91:00.0", "pci0000:90");
	topology_merge_switches(topology);
}

/* Each function and switch appears once, below its NUMA node; unknown values are omitted. */
static void nccl_file(void **state)
{
	static struct pci_function nic, port;
	struct bed *bed = *state;
	struct text_buffer text = {.text = NULL};

	fill(bed, &nic, &port);
	nccl_write(&bed->topology, bed->nodes, bed->topology.count, &text);
	assert_string_equal(
		text.text,
		"<system version=\"1\">\n"
		"  <cpu numaid=\"0\" affinity=\"00000002,00000003\">\n"
		"    <pci busid=\"0000:02:00.0\" class=\"0x060400\" vendor=\"0x10b5\" "
		"device=\"0x9797\" subsystem_vendor=\"0x10b6\" subsystem_device=\"0x0001\" "
		"link_speed=\"16.0 GT/s PCIe\" link_width=\"16\">\n"
		"      <pci busid=\"0000:03:00.0\" class=\"0x020700\" vendor=\"0x15b3\" "
		"device=\"0x1021\" subsystem_vendor=\"0x15b4\" subsystem_device=\"0x0007\" "
		"link_speed=\"32.0 GT/s PCIe\" link_width=\"16\" host_bridge=\"pci0000:00\"/>\n"
		"      <pci busid=\"0000:05:00.0\" class=\"0x060400\" vendor=\"0x1234\">\n"
		"        <pci busid=\"0000:06:00.0\" class=\"0x000000\" "
		"host_bridge=\"pci0000:00\"/>\n"
		"      </pci>\n"
		"    </pci>\n"
		"  </cpu>\n"
		"  <cpu numaid=\"2\">\n"
		"    <pci busid=\"0001:01:00.0\" class=\"0x000000\" "
		"host_bridge=\"pci&lt;1&gt;\"/>\n"
		"  </cpu>\n"
		"  <cpu numaid=\"-1\">\n"
		"    <pci busid=\"0000:91:00.0\" class=\"0x000000\" "
		"host_bridge=\"pci0000:90\"/>\n"
		"  </cpu>\n"
		"</system>\n");
	free(text.text);
}

/* The written file is read again: the same switches with the same numbers above the same nodes. */
static void nccl_file_again(void **state)
{
	static struct pci_function nic, port;
	struct bed *bed = *state;
	struct topology copy = {.count = 0};
	struct topology_switch *found;
	struct text_buffer text = {.text = NULL};
	char *message = NULL;
	size_t matched = 0;

	fill(bed, &nic, &port);
	nccl_write(&bed->topology, bed->nodes, bed->topology.count, &text);
	for (size_t i = 0; i < bed->topology.count; i++) {
		struct topology_node *node = mem_append(&copy.nodes, &copy.count, sizeof(*node));

		node->name = mem_string(bed->nodes[i]->name);
		node->pci_address = mem_string_or_null(bed->nodes[i]->pci_address);
	}
	assert_int_equal(nccl_read(&copy, text.text, &matched, &message), 0);
	assert_int_equal(matched, 5);
	assert_int_equal(copy.switch_count, 2);
	found = copy.nodes[0].above;
	assert_string_equal(found->id, "0000:02:00.0");
	assert_null(found->up);
	assert_int_equal(found->vendor_id.value, 0x10b5);
	assert_int_equal(found->device_id.value, 0x9797);
	assert_int_equal(found->subsystem_vendor_id.value, 0x10b6);
	assert_int_equal(found->subsystem_device_id.value, 1);
	assert_true(found->speed_gtps.known && found->speed_gtps.value == 16);
	assert_int_equal(found->width_lanes.value, 16);
	assert_ptr_equal(copy.nodes[1].above, found);
	assert_ptr_equal(copy.nodes[2].above->up, found);
	found = copy.nodes[2].above;
	assert_string_equal(found->id, "0000:05:00.0");
	assert_int_equal(found->vendor_id.value, 0x1234);
	assert_false(found->device_id.known || found->subsystem_vendor_id.known);
	assert_false(found->subsystem_device_id.known || found->speed_gtps.known);
	assert_false(found->width_lanes.known);
	for (size_t i = 0; i < copy.count; i++) {
		const struct topology_node *node = &copy.nodes[i], *before = bed->nodes[i];

		if (!node->pci_address) {
			assert_false(node->place_source.known);
			continue;
		}
		assert_int_equal(node->place_source.value, TOPOLOGY_FILE);
		assert_string_equal(node->host_bridge, before->host_bridge);
		assert_int_equal(node->numa_node.known, before->numa_node.known);
		assert_int_equal(node->numa_node.value, before->numa_node.value);
		assert_int_equal(node->numa_source.value,
				 before->numa_node.known ? TOPOLOGY_FILE : TOPOLOGY_UNKNOWN);
	}
	assert_null(copy.nodes[4].above);
	free(text.text);
	topology_clear(&copy);
}

/* Lanes are 1 to 64, numbers have 32 bits; anything else is unknown. */
static void nccl_numbers(void **state)
{
	static const struct {
		const char *width;
		unsigned int lanes; /* 0: unknown */
	} widths[] = {{"0", 0}, {"1", 1}, {"64", 64}, {"65", 0}, {"", 0}, {"x16", 0}};
	static const struct {
		const char *vendor;
		bool known;
		uint64_t value;
	} vendors[] = {
		{"0x15b3", true, 0x15b3},  {"15b3", true, 0x15b3}, {"0xffffffff", true, 0xffffffff},
		{"0x100000000", false, 0}, {"", false, 0},	   {"zz", false, 0}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(widths); i++)
		for (size_t j = 0; j < ARRAY_SIZE(vendors); j++) {
			struct topology topology = {.count = 0};
			struct topology_node *node = mem_append(&topology.nodes, &topology.count,
								sizeof(*node));
			char text[256], *message = NULL;
			size_t matched = 0;

			node->name = mem_string("m");
			node->pci_address = mem_string("a");
			snprintf(text, sizeof(text),
				 "<system version='2'><pci busid='s' link_width='%s' vendor='%s'>"
				 "<pci busid='A'/></pci></system>",
				 widths[i].width, vendors[j].vendor);
			assert_int_equal(nccl_read(&topology, text, &matched, &message), 0);
			assert_int_equal(matched, 1);
			assert_int_equal(node->above->width_lanes.known, widths[i].lanes > 0);
			if (widths[i].lanes)
				assert_int_equal(node->above->width_lanes.value, widths[i].lanes);
			assert_int_equal(node->above->vendor_id.known, vendors[j].known);
			if (vendors[j].known)
				assert_int_equal(node->above->vendor_id.value, vendors[j].value);
			assert_false(node->numa_source.known);
			topology_clear(&topology);
		}
}

/* The kernel's masks, bitmap_print_to_pagebuf() in lib/bitmap-str.c: words of 32 bits. */
static void affinities(void **state)
{
	static const struct {
		const char *cpus, *mask;
	} cases[] = {
		{"", "00000000"},
		{"0", "00000001"},
		{"0-1", "00000003"},
		{"31", "80000000"},
		{"32", "00000001,00000000"},
		{"0-31", "ffffffff"},
		{"0-32", "00000001,ffffffff"},
		{"2,0,5-6", "00000065"},
		{"64,1", "00000001,00000000,00000002"},
		{"0-23,48-71", "000000ff,ffff0000,00ffffff"},
		{"8192", "00000000"},
	};
	struct bed *bed = *state;
	struct topology_node *node = add(bed, "m", TOPOLOGY_NIC, "a", NULL);
	struct text_buffer text = {.text = NULL};
	char wanted[128];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		node->cpus = mem_string(cases[i].cpus);
		text = (struct text_buffer){.text = NULL};
		nccl_write(&bed->topology, bed->nodes, 1, &text);
		snprintf(wanted, sizeof(wanted), " affinity=\"%s\">", cases[i].mask);
		if (!strstr(text.text, wanted))
			fail_msg("CPUs %s: not %s in %s", cases[i].cpus, wanted, text.text);
		free(text.text);
		free(node->cpus);
	}
	/* The largest number that a mask can hold: 256 words. */
	node->cpus = mem_string("8190-9000");
	text = (struct text_buffer){.text = NULL};
	nccl_write(&bed->topology, bed->nodes, 1, &text);
	assert_non_null(strstr(text.text, " affinity=\"c0000000,00000000,"));
	assert_int_equal(strcspn(strchr(strstr(text.text, "affinity="), '"') + 1, "\""),
			 256 * 9 - 1);
	free(text.text);
}

static void tree(void **state)
{
	static struct pci_function nic, port;
	struct bed *bed = *state;
	struct text_buffer text = {.text = NULL};

	fill(bed, &nic, &port);
	/* A NUMA node with memory only. */
	topology_find(&bed->topology, "mlx5_2")->cpus = mem_string("");
	topology_show_tree(&bed->topology, bed->nodes, bed->topology.count, &text);
	assert_string_equal(
		text.text, "NUMA node 0, CPUs 0-1,33, package 1\n"
			   "  pci0000:00\n"
			   "    switch 0000:02:00.0 [10b5:9797]  gen3 x16 (slower than gen4 x16)\n"
			   "      mlx5_0  0000:03:00.0  gen4 x8 (slower than gen5 x16)\n"
			   "      mlx5_1  0000:03:00.0  of mlx5_0  gen4 x8 (slower than gen5 x16)\n"
			   "      switch 0000:05:00.0\n"
			   "        gpu0  0000:06:00.0\n"
			   "NUMA node 2, no CPUs\n"
			   "  pci<1>\n"
			   "    mlx5_2  0001:01:00.0  no active port\n"
			   "NUMA node unknown\n"
			   "  rxe0\n"
			   "  pci0000:90\n"
			   "    gpu1  0000:91:00.0\n");
	free(text.text);
	/* A switch without a visible node is not shown. */
	text = (struct text_buffer){.text = NULL};
	topology_show_tree(&bed->topology, bed->nodes, 1, &text);
	assert_string_equal(text.text,
			    "NUMA node 0, CPUs 0-1,33, package 1\n"
			    "  pci0000:00\n"
			    "    switch 0000:02:00.0 [10b5:9797]  gen3 x16 (slower than gen4 x16)\n"
			    "      mlx5_0  0000:03:00.0  gen4 x8 (slower than gen5 x16)\n");
	free(text.text);
}

/* Boxes of 20 pixels in lines of 26, indented by 28 for each level; a character takes 8. */
static void picture(void **state)
{
	struct bed *bed = *state;
	struct topology_node *node = add(bed, "m<0", TOPOLOGY_NIC, "a:0", "pci0");
	struct text_buffer text = {.text = NULL};

	node->numa_node = number_of(1);
	set_link(node, 16, 32);
	node = add(bed, "gpu0", TOPOLOGY_ACCELERATOR, NULL, "pci0");
	node->numa_node = number_of(1);
	node->above = topology_add_switch(&bed->topology, "s");
	topology_merge_switches(&bed->topology);
	topology_draw_tree(&bed->topology, bed->nodes, 2, &text);
	assert_string_equal(
		strstr(text.text, "</style>\n") + strlen("</style>\n"),
		"<path class=\"link\" d=\"M24 30 V46 H38\"/>\n"
		"<path class=\"slower\" d=\"M52 56 V72 H66\"/>\n"
		"<path class=\"link\" d=\"M52 56 V98 H66\"/>\n"
		"<path class=\"link\" d=\"M80 108 V124 H94\"/>\n"
		"<rect class=\"numa\" x=\"10\" y=\"10\" width=\"104\" height=\"20\" rx=\"4\"/>\n"
		"<text x=\"18\" y=\"25\">NUMA node 1</text>\n"
		"<rect class=\"bridge\" x=\"38\" y=\"36\" width=\"48\" height=\"20\" rx=\"4\"/>\n"
		"<text x=\"46\" y=\"51\">pci0</text>\n"
		"<rect class=\"nic\" x=\"66\" y=\"62\" width=\"336\" height=\"20\" rx=\"4\"/>\n"
		"<text x=\"74\" y=\"77\">m&lt;0  a:0  gen4 x8 (slower than gen5 x16)</text>\n"
		"<rect class=\"switch\" x=\"66\" y=\"88\" width=\"80\" height=\"20\" rx=\"4\"/>\n"
		"<text x=\"74\" y=\"103\">switch s</text>\n"
		"<rect class=\"accelerator\" x=\"94\" y=\"114\" width=\"48\" height=\"20\" "
		"rx=\"4\"/>\n"
		"<text x=\"102\" y=\"129\">gpu0</text>\n"
		"</svg>\n");
	/* As wide and as high as the boxes, plus a margin. */
	assert_non_null(strstr(text.text, " width=\"412\" height=\"150\">\n"));
	free(text.text);
}

/*
 * Broadcom's switches whose halves NCCL merges, getBcmGen() in its src/graph/topo.cc: the
 * subsystem's number has the level from bit 12 on.
 */
static void halves(void **state)
{
	static const struct {
		unsigned int vendor, device, subsystem_vendor, upper, lower;
		bool merged;
	} cases[] = {
		{0x1000, 0xc010, 0x1000, 0xa000, 0xa000, true},
		{0x1000, 0xc010, 0x1000, 0xa064, 0xafff, true},
		{0x1000, 0xc010, 0x1000, 0xa000, 0xb000, false},
		{0x1000, 0xc010, 0x1000, 0x9fff, 0xa000, false},
		{0x1000, 0xc010, 0x1000, 0x0000, 0x1000, false},
		{0x1000, 0xc030, 0x1000, 0x0000, 0x1000, true},
		{0x1000, 0xc030, 0x1000, 0x0fff, 0x1fff, true},
		{0x1000, 0xc030, 0x1000, 0x0000, 0x0000, false},
		{0x1000, 0xc030, 0x1000, 0x1000, 0x1000, false},
		{0x1000, 0xc030, 0x1000, 0x1000, 0x2000, false},
		{0x1000, 0xc030, 0x1000, 0x0000, 0x2000, false},
		{0x1000, 0xc030, 0x1000, 0xa000, 0xa000, false},
		{0x1000, 0xc031, 0x1000, 0x0000, 0x1000, false},
		{0x1000, 0xc011, 0x1000, 0xa000, 0xa000, false},
		{0x1001, 0xc010, 0x1000, 0xa000, 0xa000, false},
		{0x1000, 0xc010, 0x1001, 0xa000, 0xa000, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct topology topology = {.count = 0};
		/* The lower switch is found first. */
		struct topology_switch *both[] = {topology_add_switch(&topology, "lower"),
						  topology_add_switch(&topology, "upper")};

		for (size_t j = 0; j < 2; j++) {
			both[j]->vendor_id = number_of(cases[i].vendor);
			both[j]->device_id = number_of(cases[i].device);
			both[j]->subsystem_vendor_id = number_of(cases[i].subsystem_vendor);
			both[j]->subsystem_device_id = number_of(j ? cases[i].upper
								   : cases[i].lower);
		}
		topology_merge_switches(&topology);
		assert_false(both[0]->merged || both[1]->merged);
		both[0]->up = both[1];
		topology_merge_switches(&topology);
		assert_int_equal(both[0]->merged, cases[i].merged);
		assert_false(both[1]->merged);
		assert_ptr_equal(topology_whole_switch(both[0]), both[cases[i].merged]);
		topology_clear(&topology);
	}
	assert_null(topology_whole_switch(NULL));
}

/* A switch of another generation is not a half; and a half is not merged with a third switch. */
static void chains(void **state)
{
	struct bed *bed = *state;
	struct topology_switch *chain[4];
	struct topology_node *node = add(bed, "m", TOPOLOGY_NIC, "a", NULL);
	static const char *const names[] = {"s0", "s1", "s2", "s3"};

	for (size_t i = 0; i < 4; i++) {
		chain[i] = topology_add_switch(&bed->topology, names[i]);
		chain[i]->vendor_id = chain[i]->subsystem_vendor_id = number_of(0x1000);
		chain[i]->device_id = number_of(0xc010);
		chain[i]->subsystem_device_id = number_of(0xa000);
		chain[i]->up = i ? chain[i - 1] : NULL;
	}
	node->above = chain[3];
	topology_merge_switches(&bed->topology);
	assert_false(chain[0]->merged || chain[2]->merged);
	assert_true(chain[1]->merged && chain[3]->merged);
	assert_int_equal(node->switches.count, 2);
	assert_string_equal(node->switches.items[0], "s2");
	assert_string_equal(node->switches.items[1], "s0");
	assert_true(node->switches.known);
	chain[3]->device_id = number_of(0xc030);
	chain[3]->subsystem_device_id = number_of(0x1000);
	topology_merge_switches(&bed->topology);
	assert_false(chain[3]->merged);
	assert_int_equal(node->switches.count, 3);
	assert_string_equal(node->switches.items[0], "s3");
	/* A place without switches has none; for an unknown place, nothing is known. */
	node->above = NULL;
	topology_merge_switches(&bed->topology);
	assert_int_equal(node->switches.count, 0);
	assert_true(node->switches.known);
	node->place_source = number_of(TOPOLOGY_UNKNOWN);
	topology_merge_switches(&bed->topology);
	assert_false(node->switches.known);
}

static void assert_hops(const struct bed *bed, size_t a, size_t b, const char *wanted)
{
	struct topology_path path;
	char *text = mem_string("");

	topology_find_path(&bed->topology, bed->nodes[a], bed->nodes[b], &path);
	for (size_t i = 0; i < path.count; i++)
		mem_extend(&text, "%s%s=%s", i ? " " : "", path.hops[i].hop, path.hops[i].what);
	assert_string_equal(text, wanted);
	free(text);
	topology_path_clear(&path);
}

/* The path between nodes placed by a file: switches up to the common one, or the NUMA nodes. */
static void way_by_file(void **state)
{
	struct bed *bed = *state;
	struct topology_switch *top = topology_add_switch(&bed->topology, "top");
	static const char *const names[] = {"a", "b", "c", "d"};

	for (size_t i = 0; i < 4; i++) {
		struct topology_node *node = add(bed, names[i], TOPOLOGY_NIC, names[i], "pci0");

		node->place_source = number_of(TOPOLOGY_FILE);
		node->numa_node = number_of(i / 3);
		node->numa_source = number_of(TOPOLOGY_FILE);
	}
	for (size_t i = 0; i < 2; i++) {
		bed->nodes[i]->above = topology_add_switch(&bed->topology, i ? "right" : "left");
		bed->nodes[i]->above->up = top;
	}
	topology_merge_switches(&bed->topology);
	assert_hops(bed, 0, 0, "");
	assert_hops(bed, 0, 1, "a=a left=switch top=switch of both right=switch b=b");
	assert_hops(bed, 1, 0, "b=b right=switch top=switch of both left=switch a=a");
	assert_hops(bed, 0, 2, "a=a left=switch top=switch node0=NUMA node c=c");
	assert_hops(bed, 0, 3, "a=a left=switch top=switch node0=NUMA node node1=NUMA node d=d");
	assert_hops(bed, 3, 2, "d=d node1=NUMA node node0=NUMA node c=c");
	bed->nodes[3]->numa_node.known = false;
	assert_hops(bed, 2, 3, "c=c node0=NUMA node d=d");
	free(bed->nodes[3]->pci_address);
	bed->nodes[3]->pci_address = NULL;
	assert_hops(bed, 0, 3, "");
	assert_hops(bed, 3, 0, "");
}

/* Stacks the functions above a node: the port of a switch or host bridge, and so on. */
static void stack(struct pci_function *functions, size_t count, double speed, double max_speed)
{
	for (size_t i = 0; i < count; i++) {
		functions[i].parent = i + 1 < count ? &functions[i + 1] : NULL;
		functions[i].speed_gtps = real_of(speed);
		functions[i].max_speed_gtps = real_of(max_speed);
		functions[i].width_lanes = functions[i].max_width_lanes = number_of(16);
	}
}

static char *explain(const struct bed *bed, size_t a, size_t b)
{
	struct text_buffer text = {.text = NULL};
	struct topology_path path;

	topology_find_path(&bed->topology, bed->nodes[a], bed->nodes[b], &path);
	topology_explain(&path, &text);
	topology_path_clear(&path);
	return text_buffer_take(&text);
}

/* The path through the functions of the kernel, and the sentences about it. */
static void way_by_functions(void **state)
{
	struct pci_function near[] = {{.address = borrowed("0000:03:00.0")},
				      {.address = borrowed("0000:02:00.0")},
				      {.address = borrowed("0000:01:00.0")},
				      {.address = borrowed("0000:00:01.0")}},
			    beside[] = {{.address = borrowed("0000:04:00.0")},
					{.address = borrowed("0000:02:01.0")}},
			    bridge[] = {{.address = borrowed("0000:05:00.0")},
					{.address = borrowed("0000:00:02.0")}},
			    far[] = {{.address = borrowed("0000:81:00.0")},
				     {.address = borrowed("0000:80:01.0")}};
	struct pci_function *const all[] = {near, beside, bridge, far};
	static const char *const names[] = {"mlx5_0", "gpu0", "mlx5_1", "mlx5_2"};
	struct bed *bed = *state;
	struct topology_switch *upper = topology_add_switch(&bed->topology, "0000:01:00.0");
	char *text;

	stack(near, 4, 16, 16);
	stack(beside, 2, 8, 16);
	beside[1].parent = &near[2];
	stack(bridge, 2, 32, 32);
	stack(far, 2, 2.5, 5);
	for (size_t i = 0; i < 4; i++) {
		struct topology_node *node = add(bed, names[i],
						 i == 1 ? TOPOLOGY_ACCELERATOR : TOPOLOGY_NIC,
						 all[i]->address,
						 i == 3 ? "pci0000:80" : "pci0000:00");

		node->function = all[i];
		node->above = i < 2 ? upper : NULL;
		node->numa_node = number_of(i / 3);
		node->numa_source = number_of(i == 3 ? TOPOLOGY_INHERITED : TOPOLOGY_MEASURED);
	}
	topology_merge_switches(&bed->topology);
	assert_hops(bed, 0, 1,
		    "0000:03:00.0=mlx5_0 0000:02:00.0=downstream port "
		    "0000:01:00.0=switch of both 0000:02:01.0=downstream port "
		    "0000:04:00.0=gpu0");
	assert_hops(bed, 0, 2,
		    "0000:03:00.0=mlx5_0 0000:02:00.0=downstream port 0000:01:00.0=switch "
		    "0000:00:01.0=root port pci0000:00=host bridge of both "
		    "0000:00:02.0=root port 0000:05:00.0=mlx5_1");
	assert_hops(bed, 3, 1,
		    "0000:81:00.0=mlx5_2 0000:80:01.0=root port pci0000:80=host bridge "
		    "node1=NUMA node node0=NUMA node pci0000:00=host bridge "
		    "0000:00:01.0=root port 0000:01:00.0=switch 0000:02:01.0=downstream port "
		    "0000:04:00.0=gpu0");
	text = explain(bed, 0, 1);
	assert_string_equal(
		text, "distance   PIX: at most one PCIe switch between them (measured)\n"
		      "words      PIX (nvidia-smi), PIX (NCCL), bridge (UCX)\n"
		      "NUMA       mlx5_0: node 0 (measured)\n"
		      "NUMA       gpu0: node 0 (measured)\n"
		      "narrowest  126 Gb/s, the link above 0000:04:00.0: gen3 x16, though both "
		      "ends can do gen4 x16\n"
		      "ACS        unknown: no IOMMU groups, or they do not show it\n"
		      "GPUDirect  used by NCCL's default, which reaches as far as PXB\n");
	free(text);
	text = explain(bed, 3, 1);
	assert_string_equal(
		text, "distance   SYS: different NUMA nodes (inherited)\n"
		      "words      SYS (nvidia-smi), SYS (NCCL), sys (UCX)\n"
		      "NUMA       mlx5_2: node 1 (inherited)\n"
		      "NUMA       gpu0: node 0 (measured)\n"
		      "narrowest  32 Gb/s, the link above 0000:81:00.0: gen1 x16, though both ends "
		      "can do gen2 x16\n"
		      "GPUDirect  not used by NCCL's default, which reaches as far as PXB\n");
	free(text);
	text = explain(bed, 0, 2);
	assert_string_equal(text, "distance   PHB: one PCIe host bridge (measured)\n"
				  "words      PHB (nvidia-smi), PHB (NCCL), phb (UCX)\n"
				  "NUMA       mlx5_0: node 0 (measured)\n"
				  "NUMA       mlx5_1: node 0 (measured)\n"
				  "narrowest  252 Gb/s, the link above 0000:03:00.0: gen4 x16\n");
	free(text);
}

#define KFD "sys/class/kfd/kfd/topology/nodes/"

/* "0000:c1:02.3" is 0xc113; the bits above are those of the partition. */
static void links_of_amd(void **state)
{
	static const struct {
		const char *path, *text;
	} files[] = {
		{"1/properties", "cpu_cores_count 8\nlocation_id 0\ndomain 0"},
		{"0/properties", "simd_count 1\nlocation_id 49427\ndomain 0\nunique_id 7"},
		{"2/properties", "xlocation_id 1\nlocation_id 805355795\ndomain 2"},
		{"10/properties", "location_id 65535\ndomain 65536"},
		{"11/properties", "domain 0"},
		{"#/properties", "location_id 49427\ndomain 0"},
		{"name/properties", "location_id 49427\ndomain 0"},
		{"012/properties", "location_id 65535\ndomain 65536"},
		{"0/io_links/0/properties", "type 2\nnode_to 2"},
		{"0/io_links/1/properties", "type 11\nnode_to 10"},
		{"0/io_links/2/properties", "type 11\nnode_to 1"},
		{"0/io_links/3/properties", "type 11\nnode_to 0"},
		{"2/io_links/0/properties", "node_to 0\ntype 11"},
		{"2/io_links/1/properties", "type 11"},
		{"10/io_links/0/properties", "type 12\nnode_to 0"},
		{"10/io_links/1/properties", "type 11\nnode_to 3"},
		{"1/io_links/0/properties", "type 11\nnode_to 0"},
		{"name/io_links/0/properties", "type 11\nnode_to 10"},
		{"012/io_links/0/properties", "type 11\nnode_to 2"},
	};
	struct pci_function functions[] = {
		{.address = borrowed("0000:c1:02.3"), .bus = 0xc1, .device = 2, .function = 3},
		{.address = borrowed("0002:c1:02.3"),
		 .domain = 2,
		 .bus = 0xc1,
		 .device = 2,
		 .function = 3},
		{.address = borrowed("10000:ff:1f.7"),
		 .domain = 0x10000,
		 .bus = 0xff,
		 .device = 0x1f,
		 .function = 7},
	};
	struct topology topology = {.pci = {functions, ARRAY_SIZE(functions)},
				    .pci_borrowed = true};
	struct problems problems = {.items = NULL};
	struct saved_tree saved;
	const struct topology_request request = {.root = &saved.root, .problems = &problems};

	(void)state;
	tree_open(&saved);
	topology_read_fabric(&topology, &request);
	assert_int_equal(topology.link_count, 0);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		char path[PATH_MAX];

		snprintf(path, sizeof(path), KFD "%s", files[i].path);
		tree_write(&saved, path, files[i].text);
	}
	topology_read_fabric(&topology, &request);
	/* The kernel writes no zeros before a number; the links are those of the same folder. */
	assert_int_equal(topology.link_count, 3);
	assert_ptr_equal(topology.links[0].from, &functions[0]);
	assert_ptr_equal(topology.links[0].to, &functions[2]);
	assert_ptr_equal(topology.links[1].from, &functions[1]);
	assert_ptr_equal(topology.links[1].to, &functions[0]);
	assert_ptr_equal(topology.links[2].from, &functions[2]);
	assert_ptr_equal(topology.links[2].to, &functions[1]);
	assert_int_equal(problems.count, 0);
	topology_clear(&topology);
	tree_close(&saved);
}

static char *locality(struct bed *bed, const char *text)
{
	char *message = NULL;
	int rc = topology_take_locality(&bed->topology, text, &message);

	assert_int_equal(rc, message ? -EINVAL : 0);
	return message;
}

/* Each line gives a device, a function or a host bridge, and its NUMA node of at most 16 bits. */
static void localities(void **state)
{
	static const struct {
		const char *text, *message;
	} wrong[] = {
		{"m0", "line 1: expected a device, PCI address or host bridge, and a NUMA node"},
		{"\n# x\n m0 1 2", "line 3: expected a device, PCI address or host bridge, and a "
				   "NUMA node"},
		{"m0 65536", "line 1: expected a device, PCI address or host bridge, and a NUMA "
			     "node"},
		{"m0 -1\n", "line 1: expected a device, PCI address or host bridge, and a NUMA "
			    "node"},
		{"m0 1\nm9 1\nm8 1", "line 2: there is no 'm9'"},
		{"pci0000 1", "line 1: there is no 'pci0000'"},
	};
	struct bed *bed = *state;

	add(bed, "m0", TOPOLOGY_NIC, "0000:01:00.0", "pci0000:00");
	add(bed, "m1", TOPOLOGY_NIC, "0000:02:00.0", "pci0000:00");
	add(bed, "m2", TOPOLOGY_NIC, "0000:03:00.0", NULL);
	strings_add(&bed->nodes[2]->functions, "0000:03:00.0");
	strings_add(&bed->nodes[2]->functions, "0000:03:00.1");
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		char *message = locality(bed, wrong[i].text);

		assert_non_null(message);
		assert_string_equal(message, wrong[i].message);
		free(message);
	}
	bed->nodes[0]->numa_node.known = false;
	assert_null(locality(bed, ""));
	assert_false(bed->nodes[0]->numa_node.known);
	assert_null(locality(bed, "pci0000:00 7 # both\r\n\n0000:03:00.1\t65535\n m1  0 \n"));
	assert_int_equal(bed->nodes[0]->numa_node.value, 7);
	assert_true(bed->nodes[1]->numa_node.known);
	assert_int_equal(bed->nodes[1]->numa_node.value, 0);
	assert_int_equal(bed->nodes[2]->numa_node.value, 65535);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(bed->nodes[i]->numa_source.value, TOPOLOGY_LOCALITY);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(nccl_file),   TEST(nccl_file_again),  TEST(nccl_numbers), TEST(affinities),
		TEST(tree),	   TEST(picture),	   TEST(halves),       TEST(chains),
		TEST(way_by_file), TEST(way_by_functions), TEST(links_of_amd), TEST(localities),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
