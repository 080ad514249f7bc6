/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which adapters an accelerator gets, with handmade nodes: the candidates, the chosen ones, those
 * left over, ties, and the prediction of NCCL's choice.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "topology/assign/assign.h"

enum { MOST = 300 };

struct bed {
	struct topology topology;
	struct pci_function functions[MOST];
	struct assignment_list list;
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

/* Adds a node below a switch, at the next position on the bus. */
static struct topology_node *add(struct bed *bed, enum topology_kind kind, const char *name,
				 const char *at)
{
	struct topology_node *node = mem_append(&bed->topology.nodes, &bed->topology.count,
						sizeof(*node));

	node->name = mem_string(name);
	node->kind = number_of(kind);
	node->role = number_of(TOPOLOGY_PHYSICAL);
	node->card = mem_string(name);
	node->host_bridge = mem_string("pci0");
	node->place_source = node->numa_source = number_of(TOPOLOGY_MEASURED);
	node->numa_node = number_of(0);
	node->active = TRISTATE_YES;
	node->function = &bed->functions[bed->topology.count - 1];
	strings_add(&node->switches, at);
	return node;
}

static struct topology_node *gpu(struct bed *bed, const char *name, const char *at)
{
	return add(bed, TOPOLOGY_ACCELERATOR, name, at);
}

static struct topology_node *nic(struct bed *bed, const char *name, const char *at)
{
	return add(bed, TOPOLOGY_NIC, name, at);
}

/* Expects "gpu0: m1 m2 tie; gpu1: m0 measured": the adapters of each, and how certain it is. */
static void expect(struct bed *bed, enum assign_mode mode, const char *wanted)
{
	_cleanup_(freep) char *text = NULL;

	assert_int_equal(assign(&bed->topology, mode, &bed->list), 0);
	for (size_t i = 0; i < bed->list.count; i++) {
		const struct assignment *item = &bed->list.items[i];
		size_t first = 0;

		mem_extend(&text, "%s%s:", text ? "; " : "", item->node);
		for (size_t j = 0; j < item->nics.count; j++)
			mem_extend(&text, " %s", item->nics.items[j]);
		mem_extend(&text, " %s", enum_word(topology_source_names, item->source.value, "?"));
		while (strcmp(bed->list.nics[first]->name, item->nics.items[0]) != 0)
			first++;
		assert_true(item->rail.known);
		assert_int_equal(item->rail.value, bed->list.rails[first]);
		assert_ptr_equal(item->pair.node, bed->list.nics[first]);
	}
	assert_string_equal(text, wanted);
	assignment_list_clear(&bed->list);
}

static void nearest(void **state)
{
	struct bed *bed = *state;

	gpu(bed, "gpu0", "s0");
	gpu(bed, "gpu1", "s1");
	nic(bed, "m0", "s1");
	nic(bed, "m1", "s0");
	expect(bed, ASSIGN_RAIL, "gpu0: m1 measured; gpu1: m0 measured");
	/* Equals are taken in bus order, and reported as a tie. */
	nic(bed, "m2", "s0");
	nic(bed, "m3", "s1");
	expect(bed, ASSIGN_RAIL, "gpu0: m1 m2 tie; gpu1: m0 m3 tie");
}

static size_t count_candidates(struct bed *bed)
{
	size_t count;

	assert_int_equal(assign(&bed->topology, ASSIGN_RAIL, &bed->list), 0);
	count = bed->list.nic_count;
	assignment_list_clear(&bed->list);
	return count;
}

/* Only usable adapters: with an active port and a function, and not subfunctions. */
static void candidates(void **state)
{
	struct bed *bed = *state;

	gpu(bed, "gpu0", "s0");
	nic(bed, "m0", "s0")->active = TRISTATE_NO;
	nic(bed, "m1", "s0")->role = number_of(TOPOLOGY_SUBFUNCTION);
	nic(bed, "m2", "s0")->function = NULL;
	assert_int_equal(assign(&bed->topology, ASSIGN_RAIL, &bed->list), -ENODEV);
	nic(bed, "m3", "s7");
	expect(bed, ASSIGN_RAIL, "gpu0: m3 measured");
	/* An adapter below a switch of an accelerator excludes the others: they are for storage. */
	nic(bed, "m4", "s0")->active = TRISTATE_UNKNOWN;
	expect(bed, ASSIGN_RAIL, "gpu0: m4 measured");
	assert_int_equal(count_candidates(bed), 1);
	/* Several switches in between are near enough, another host bridge is not. */
	strings_free(&bed->topology.nodes[5].switches);
	strings_add(&bed->topology.nodes[5].switches, "s1");
	strings_add(&bed->topology.nodes[5].switches, "s0");
	assert_int_equal(count_candidates(bed), 1);
	bed->topology.nodes[5].switches.items[1][1] = '2';
	assert_int_equal(count_candidates(bed), 2);
	/* An adapter at the same CPU is near enough if the CPU is linked with the accelerator. */
	bed->topology.nodes[0].c2c = true;
	bed->topology.nodes[5].numa_node = number_of(1);
	assert_int_equal(count_candidates(bed), 1);
	bed->topology.nodes[0].kind = number_of(TOPOLOGY_NIC);
	assert_int_equal(assign(&bed->topology, ASSIGN_RAIL, &bed->list), -ENODEV);
}

static void expect_rails(struct bed *bed, const char *wanted)
{
	_cleanup_(freep) char *text = mem_string("");

	assert_int_equal(assign(&bed->topology, ASSIGN_RAIL, &bed->list), 0);
	for (size_t i = 0; i < bed->list.count; i++)
		mem_extend(&text, "%s=%u ", bed->list.items[i].nics.items[0],
			   (unsigned int)bed->list.items[i].rail.value);
	assert_string_equal(text, wanted);
	assignment_list_clear(&bed->list);
}

/* Rails are places on the bus, whatever the state of a port: those of similar hosts fit. */
static void rails(void **state)
{
	struct bed *bed = *state;
	struct topology_node *nodes;

	for (unsigned int i = 0; i < 4; i++)
		gpu(bed, "gpu", "s0");
	nic(bed, "storage", "s7");
	nic(bed, "m0", "s0");
	nic(bed, "m1", "s0");
	nic(bed, "m2", "s0");
	nic(bed, "m3", "s0");
	nodes = bed->topology.nodes;
	expect_rails(bed, "m0=0 m1=1 m2=2 m3=3 ");
	nodes[6].active = TRISTATE_NO;
	expect_rails(bed, "m0=0 m0=0 m2=2 m3=3 ");
	nodes[4].active = TRISTATE_NO;
	expect_rails(bed, "m0=0 m0=0 m2=2 m3=3 ");
	/* The others are taken only if none that is near works. */
	nodes[4].active = TRISTATE_YES;
	for (unsigned int i = 5; i < 9; i++)
		nodes[i].active = TRISTATE_NO;
	expect_rails(bed, "storage=0 storage=0 storage=0 storage=0 ");
}

/* Each adapter is shared by as many accelerators as necessary, neighbours on the bus first. */
static void more_accelerators(void **state)
{
	struct bed *bed = *state;

	gpu(bed, "gpu0", "s0");
	gpu(bed, "gpu1", "s0");
	gpu(bed, "gpu2", "s0");
	nic(bed, "m0", "s0");
	nic(bed, "m1", "s0");
	expect(bed, ASSIGN_RAIL, "gpu0: m0 tie; gpu1: m1 tie; gpu2: m1 tie");
	gpu(bed, "gpu3", "s0");
	expect(bed, ASSIGN_RAIL, "gpu0: m0 tie; gpu1: m0 tie; gpu2: m1 tie; gpu3: m1 tie");
	/* A nearer adapter is not shared by more accelerators than the others. */
	strings_free(&bed->topology.nodes[4].switches);
	strings_add(&bed->topology.nodes[4].switches, "s1");
	strings_add(&bed->topology.nodes[4].switches, "s0");
	expect(bed, ASSIGN_RAIL,
	       "gpu0: m0 measured; gpu1: m0 measured; gpu2: m1 measured; gpu3: m1 measured");
}

/* An adapter left over goes to the nearest accelerator, unless it is farther than those it has. */
static void more_adapters(void **state)
{
	struct bed *bed = *state;

	gpu(bed, "gpu0", "s0");
	gpu(bed, "gpu1", "s0");
	nic(bed, "m0", "s0");
	nic(bed, "m1", "s0");
	nic(bed, "m2", "s0");
	expect(bed, ASSIGN_RAIL, "gpu0: m0 tie; gpu1: m1 m2 tie");
	nic(bed, "m3", "s0");
	nic(bed, "m4", "s0");
	expect(bed, ASSIGN_RAIL, "gpu0: m0 m2 tie; gpu1: m1 m3 m4 tie");
	for (size_t i = 4; i < 7; i++) {
		strings_free(&bed->topology.nodes[i].switches);
		strings_add(&bed->topology.nodes[i].switches, "s1");
		strings_add(&bed->topology.nodes[i].switches, "s0");
	}
	expect(bed, ASSIGN_RAIL, "gpu0: m0 tie; gpu1: m1 tie");
}

static void set_link(struct pci_function *function, double speed, unsigned int lanes)
{
	function->speed_gtps = function->max_speed_gtps = real_of(speed);
	function->width_lanes = function->max_width_lanes = number_of(lanes);
}

/* The class counts most; within a class, the wider link, however far away on the bus. */
static void bandwidth(void **state)
{
	struct bed *bed = *state;

	gpu(bed, "gpu0", "s0");
	nic(bed, "m0", "s0");
	nic(bed, "m1", "s0");
	set_link(&bed->functions[0], 32, 16);
	set_link(&bed->functions[1], 16, 16);
	set_link(&bed->functions[2], 32, 16);
	expect(bed, ASSIGN_RAIL, "gpu0: m1 m0 measured");
	set_link(&bed->functions[2], 8, 16);
	expect(bed, ASSIGN_RAIL, "gpu0: m0 m1 measured");
	/* An unknown link counts as the narrowest. */
	bed->functions[1].speed_gtps.known = bed->functions[0].speed_gtps.known = false;
	expect(bed, ASSIGN_RAIL, "gpu0: m1 m0 measured");
	set_link(&bed->functions[0], 32, 16);
	set_link(&bed->functions[1], 2.5, 1);
	strings_free(&bed->topology.nodes[2].switches);
	strings_add(&bed->topology.nodes[2].switches, "s1");
	strings_add(&bed->topology.nodes[2].switches, "s0");
	expect(bed, ASSIGN_RAIL, "gpu0: m0 measured");
}

/* If the distance is unknown, so is the choice. */
static void unknown(void **state)
{
	struct bed *bed = *state;

	gpu(bed, "gpu0", "s0");
	nic(bed, "m0", "s0");
	bed->topology.nodes[1].place_source = number_of(TOPOLOGY_UNKNOWN);
	expect(bed, ASSIGN_RAIL, "gpu0: m0 unknown");
	expect(bed, ASSIGN_NCCL, "gpu0: m0 unknown");
	bed->topology.nodes[1].place_source = number_of(TOPOLOGY_FILE);
	expect(bed, ASSIGN_RAIL, "gpu0: m0 topology-file");
	expect(bed, ASSIGN_NCCL, "gpu0: m0 inferred");
}

static void too_many(void **state)
{
	struct bed *bed = *state;

	nic(bed, "m0", "s0");
	for (unsigned int i = 0; i < TOPOLOGY_MOST_NODES; i++)
		gpu(bed, "gpu", "s0");
	assert_int_equal(assign(&bed->topology, ASSIGN_NCCL, &bed->list), 0);
	assert_int_equal(bed->list.count, TOPOLOGY_MOST_NODES);
	assignment_list_clear(&bed->list);
	gpu(bed, "gpu", "s0");
	assert_int_equal(assign(&bed->topology, ASSIGN_NCCL, &bed->list), -E2BIG);
	for (unsigned int i = 1; i < bed->topology.count; i++)
		bed->topology.nodes[i].kind = number_of(TOPOLOGY_NIC);
	bed->topology.nodes[0].kind = number_of(TOPOLOGY_ACCELERATOR);
	assert_int_equal(assign(&bed->topology, ASSIGN_NCCL, &bed->list), -E2BIG);
	bed->topology.nodes[1].active = TRISTATE_NO;
	assert_int_equal(assign(&bed->topology, ASSIGN_NCCL, &bed->list), 0);
	assignment_list_clear(&bed->list);
}

/* Nodes below one switch, in the given numbers: NCCL's ncclTopoGetLocalNet(), src/graph/topo.cc. */
static void predict(const char *wanted, unsigned int gpus, unsigned int nics)
{
	struct bed *bed;
	void *state;

	set_up(&state);
	bed = state;
	for (unsigned int i = 0; i < gpus; i++) {
		char name[] = "gpu0";

		name[3] = (char)('0' + i);
		gpu(bed, name, "s0");
	}
	for (unsigned int i = 0; i < nics; i++) {
		char name[] = "m0";

		name[1] = (char)('0' + i);
		nic(bed, name, "s0");
	}
	expect(bed, ASSIGN_NCCL, wanted);
	tear_down(&state);
}

/* Powers of two are taken in bit-reversed order, other numbers in sequence. */
static void nccl_shares(void **state)
{
	(void)state;
	predict("gpu0: m0 inferred", 1, 1);
	predict("gpu0: m0 m1 inferred", 1, 2);
	predict("gpu0: m0 inferred; gpu1: m0 inferred", 2, 1);
	predict("gpu0: m0 inferred; gpu1: m1 inferred", 2, 2);
	predict("gpu0: m0 m1 inferred; gpu1: m1 m2 inferred", 2, 3);
	predict("gpu0: m0 inferred; gpu1: m2 inferred; gpu2: m1 inferred; gpu3: m3 inferred", 4, 4);
	predict("gpu0: m0 m1 m2 m3 inferred; gpu1: m4 m5 m6 m7 inferred", 2, 8);
	predict("gpu0: m0 inferred; gpu1: m1 inferred; gpu2: m2 inferred; gpu3: m0 inferred", 4, 3);
}

/*
 * NCCL's bandwidth of a link: width times 15, 30, 60, 120, 240 or 480 (100 Mb/s a lane), divided by
 * 80, in GB/s; src/graph/xml.cc and topo.cc. m0 has that link, m1 a port of exactly that rate.
 */
static void nccl_rates(void **state)
{
	static const struct {
		double speed;
		unsigned int lanes;
		double gbytes;
	} cases[] = {
		{2.5, 16, 3}, {5, 16, 6},  {8, 16, 12},	 {16, 16, 24}, {32, 16, 48},
		{64, 8, 48},  {16, 8, 12}, {16, 1, 1.5}, {3, 16, 12},
	};
	struct bed *bed = *state;
	struct topology_node *nodes;

	gpu(bed, "gpu0", "s0");
	nic(bed, "m0", "s0");
	nic(bed, "m1", "s0");
	nodes = bed->topology.nodes;
	for (size_t i = 0; i < 3; i++) {
		nodes[i].speed_gtps = nodes[i].max_speed_gtps = real_of(64);
		nodes[i].width_lanes = nodes[i].max_width_lanes = number_of(16);
		nodes[i].rate_gbps = real_of(1000);
	}
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		nodes[1].max_speed_gtps = real_of(cases[i].speed);
		nodes[1].max_width_lanes = number_of(cases[i].lanes);
		nodes[2].rate_gbps = real_of(cases[i].gbytes * 8);
		expect(bed, ASSIGN_NCCL, "gpu0: m0 m1 inferred");
		nodes[2].rate_gbps = real_of(cases[i].gbytes * 8 - 0.5);
		expect(bed, ASSIGN_NCCL, "gpu0: m0 inferred");
		nodes[2].rate_gbps = real_of(cases[i].gbytes * 8 + 0.5);
		expect(bed, ASSIGN_NCCL, "gpu0: m1 inferred");
	}
	/* Defaults for unknown values: 8 GT/s, 16 lanes, a port of 10 Gb/s. */
	nodes[1].max_speed_gtps.known = nodes[1].max_width_lanes.known = false;
	nodes[2].rate_gbps = real_of(96);
	expect(bed, ASSIGN_NCCL, "gpu0: m0 m1 inferred");
	nodes[1].rate_gbps.known = false;
	nodes[2].rate_gbps = real_of(10);
	expect(bed, ASSIGN_NCCL, "gpu0: m0 m1 inferred");
	/* The accelerator's own link limits all others. */
	nodes[0].speed_gtps = real_of(2.5);
	nodes[0].width_lanes = number_of(1);
	nodes[1].rate_gbps = real_of(1);
	expect(bed, ASSIGN_NCCL, "gpu0: m1 inferred");
	nodes[1].rate_gbps = real_of(1.5);
	expect(bed, ASSIGN_NCCL, "gpu0: m0 m1 inferred");
}

/* 16 GB/s between CPUs, and no difference between host bridges of one NUMA node. */
static void nccl_distances(void **state)
{
	struct bed *bed = *state;
	struct topology_node *nodes;

	gpu(bed, "gpu0", "s0");
	nic(bed, "m0", "s1");
	nic(bed, "m1", "s2");
	nodes = bed->topology.nodes;
	for (size_t i = 0; i < 3; i++) {
		nodes[i].speed_gtps = nodes[i].max_speed_gtps = real_of(32);
		nodes[i].width_lanes = nodes[i].max_width_lanes = number_of(16);
		nodes[i].rate_gbps = real_of(200);
	}
	expect(bed, ASSIGN_NCCL, "gpu0: m0 m1 inferred");
	/* Another host bridge. */
	nodes[2].host_bridge[3] = '1';
	expect(bed, ASSIGN_NCCL, "gpu0: m0 m1 inferred");
	nodes[2].numa_node = number_of(1);
	expect(bed, ASSIGN_NCCL, "gpu0: m0 inferred");
	/* The nearer of equals: 128 Gb/s are 16 GB/s. */
	nodes[1].rate_gbps = real_of(128);
	expect(bed, ASSIGN_NCCL, "gpu0: m0 inferred");
	nodes[1].rate_gbps = real_of(127);
	expect(bed, ASSIGN_NCCL, "gpu0: m1 inferred");
}

/* The links of switches below the common one count, except for the lower half of a chip. */
static void nccl_switches(void **state)
{
	char top_id[] = "s0", low_id[] = "s1";
	struct topology_switch top = {.id = top_id, .speed_gtps = real_of(2.5)};
	struct topology_switch low = {.id = low_id, .up = &top, .speed_gtps = real_of(5)};
	struct bed *bed = *state;
	struct topology_node *nodes;

	top.width_lanes = low.width_lanes = number_of(4);
	gpu(bed, "gpu0", "s0");
	nic(bed, "m0", "s1");
	nic(bed, "m1", "s0");
	nodes = bed->topology.nodes;
	strings_add(&nodes[1].switches, "s0");
	nodes[0].above = nodes[2].above = &top;
	nodes[1].above = &low;
	for (size_t i = 0; i < 3; i++) {
		nodes[i].speed_gtps = nodes[i].max_speed_gtps = real_of(32);
		nodes[i].width_lanes = nodes[i].max_width_lanes = number_of(16);
		nodes[i].rate_gbps = real_of(200);
	}
	/* 4 lanes of 5 GT/s are 1.5 GB/s. */
	nodes[2].rate_gbps = real_of(12.5);
	expect(bed, ASSIGN_NCCL, "gpu0: m1 inferred");
	nodes[2].rate_gbps = real_of(11.5);
	expect(bed, ASSIGN_NCCL, "gpu0: m0 inferred");
	low.merged = true;
	nodes[2].rate_gbps = real_of(199);
	expect(bed, ASSIGN_NCCL, "gpu0: m0 inferred");
	/* Without a common switch, all links up to the CPU count: 0.75 GB/s. */
	low.merged = false;
	nodes[0].switches.items[0][1] = '7';
	nodes[2].rate_gbps = real_of(5.5);
	expect(bed, ASSIGN_NCCL, "gpu0: m0 inferred");
	nodes[2].rate_gbps = real_of(6.5);
	expect(bed, ASSIGN_NCCL, "gpu0: m0 m1 inferred");
}

/* NCCL treats the devices of one card as one, with the sum of their rates. */
static void nccl_cards(void **state)
{
	struct bed *bed = *state;
	struct topology_node *nodes;

	gpu(bed, "gpu0", "s0");
	nic(bed, "m0", "s0");
	nic(bed, "m1", "s0");
	nic(bed, "m2", "s0");
	nodes = bed->topology.nodes;
	nodes[2].card[1] = '0';
	nodes[1].rate_gbps = nodes[2].rate_gbps = real_of(20);
	nodes[3].rate_gbps = real_of(40);
	expect(bed, ASSIGN_NCCL, "gpu0: m0 m1 m2 inferred");
	nodes[3].rate_gbps = real_of(39);
	expect(bed, ASSIGN_NCCL, "gpu0: m0 m1 inferred");
	nodes[3].rate_gbps = real_of(41);
	expect(bed, ASSIGN_NCCL, "gpu0: m2 inferred");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(nearest),		 TEST(candidates),     TEST(rails),
		TEST(more_accelerators), TEST(more_adapters),  TEST(bandwidth),
		TEST(unknown),		 TEST(too_many),       TEST(nccl_rates),
		TEST(nccl_shares),	 TEST(nccl_distances), TEST(nccl_cards),
		TEST(nccl_switches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
