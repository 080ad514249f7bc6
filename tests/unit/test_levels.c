/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The levels of switches, and the readable tree: of intact, damaged and odd subnets. */
#include "fabric/graph/graph.h"
#include "fabric/format/drawing.h"
#include "made_up_fabric.h"

static void expect_levels(const struct sample_subnet *subnet, bool is_tree,
			  const unsigned int *expected, size_t count)
{
	struct fabric_levels levels;

	fabric_levels_fill(&subnet->fabric, &levels);
	assert_int_equal(levels.is_tree, is_tree);
	for (size_t i = 0; i < count; i++)
		if (levels.level[i] != expected[i])
			fail_msg("node %zu: level %u, not %u", i, levels.level[i], expected[i]);
	fabric_levels_clear(&levels);
}

static void test_levels_of_a_tree(void **state)
{
	static const unsigned int expected[] = {1, 1, 1, 1, 2, 2, 0};

	sample_make_tree(*state);
	expect_levels(*state, true, expected, ARRAY_SIZE(expected));
}

/* Two pods, each of two leaves and two spines, joined by two cores. */
static void make_pods(struct sample_subnet *subnet)
{
	for (unsigned int i = 0; i < 10; i++)
		sample_add_switch(subnet, "s", i);
	for (uint32_t pod = 0; pod < 2; pod++) {
		sample_join_all(subnet, 4 * pod, 2, 4 * pod + 2, 2, 1);
		sample_join_all(subnet, 4 * pod + 2, 2, 8, 2, 1);
		sample_add_hosts(subnet, 4 * pod, 10 * pod, 4);
		sample_add_hosts(subnet, 4 * pod + 1, 10 * pod + 4, 4);
	}
}

static void test_levels_of_three(void **state)
{
	static const unsigned int expected[] = {1, 1, 2, 2, 1, 1, 2, 2, 3, 3};

	make_pods(*state);
	expect_levels(*state, true, expected, ARRAY_SIZE(expected));
}

/* A leaf without hosts is as far from the others as a switch above the spines. */
static void test_leaf_without_hosts(void **state)
{
	static const unsigned int expected[] = {1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 1};
	struct sample_subnet *subnet = *state;

	make_pods(subnet);
	uint32_t empty = sample_add_switch(subnet, "empty", 0);
	/* This switch comes after the hosts in the graph. */
	sample_join_all(subnet, empty, 1, 2, 2, 1);
	expect_levels(subnet, true, expected, 10);

	struct fabric_levels levels;

	fabric_levels_fill(&subnet->fabric, &levels);
	assert_int_equal(levels.level[empty], 1);
	fabric_levels_clear(&levels);
}

static void test_host_at_a_spine(void **state)
{
	static const unsigned int expected[] = {1, 1, 1, 1, 2, 2};
	struct sample_subnet *subnet = *state;

	sample_make_tree(subnet);
	for (unsigned int i = 0; i < 4; i++)
		sample_add_hosts(subnet, i, 20 + 3 * i, 3);
	sample_add_hosts(subnet, 4, 100, 1);
	expect_levels(subnet, true, expected, ARRAY_SIZE(expected));
}

/* Adapters inside switches are not hosts, so a spine with one is not a leaf. */
static void test_aggregation_nodes(void **state)
{
	static const unsigned int expected[] = {1, 1, 1, 1, 2, 2};
	struct sample_subnet *subnet = *state;

	sample_make_tree(subnet);
	for (uint32_t i = 0; i < 6; i++)
		sample_join(subnet, i,
			    sample_add(subnet, NODE_TYPE_CA,
				       "Mellanox Technologies Aggregation Node"));
	expect_levels(subnet, true, expected, ARRAY_SIZE(expected));
}

/* One cable between two leaves does not turn a large fabric into a torus. */
static void test_slip(void **state)
{
	static const unsigned int expected[] = {1, 1, 1, 1, 2, 2};
	struct sample_subnet *subnet = *state;
	char *text;

	sample_make_tree(subnet);
	sample_join(subnet, 0, 3);
	expect_levels(subnet, true, expected, ARRAY_SIZE(expected));
	text = fabric_tree_text(&subnet->view, false);
	assert_non_null(strstr(text, "! beside it: leaf4 at port 8, 4x QDR\n"));
	free(text);
}

static void test_torus(void **state)
{
	static const unsigned int expected[] = {3, 2, 2, 2, 1, 1, 2, 1, 1};
	struct sample_subnet *subnet = *state;
	char *text;

	for (unsigned int i = 0; i < 9; i++)
		sample_add_switch(subnet, "s", i);
	for (uint32_t i = 0; i < 9; i++) {
		sample_join(subnet, i, i / 3 * 3 + (i + 1) % 3);
		sample_join(subnet, i, (i + 3) % 9);
		sample_add_hosts(subnet, i, 2 * i, 2);
	}
	expect_levels(subnet, false, expected, ARRAY_SIZE(expected));
	text = fabric_slurm_text(&subnet->view, NULL);
	assert_non_null(strstr(text, "\nSwitchName=s8 Nodes=host[16-17]\n"));
	assert_non_null(strstr(text, "\nSwitchName=subnet Switches=s[0-8]\n"));
	assert_memory_equal(text, "# The subnet is not a tree: subnet ", 32);
	free(text);
	text = fabric_tree_text(&subnet->view, false);
	assert_non_null(strstr(text, "not a tree"));
	for (unsigned int i = 0; i < 9; i++) {
		char *hosts = mem_format("2 hosts, 4x QDR: host[%u-%u]\n", 2 * i, 2 * i + 1);
		char *found = strstr(text, hosts);

		assert_non_null(found);
		assert_null(strstr(found + 1, hosts));
		free(hosts);
	}
	free(text);
}

/* A chain of switches, each with hosts: the middle one is on top. */
static void test_row(void **state)
{
	static const unsigned int expected[] = {1, 2, 3, 2, 1};
	struct sample_subnet *subnet = *state;
	char *text;

	for (unsigned int i = 0; i < 5; i++)
		sample_add_switch(subnet, "s", i);
	for (uint32_t i = 0; i < 4; i++)
		sample_join(subnet, i, i + 1);
	for (uint32_t i = 0; i < 5; i++)
		sample_add_hosts(subnet, i, 10 * i, 2);
	expect_levels(subnet, true, expected, ARRAY_SIZE(expected));
	text = fabric_slurm_text(&subnet->view, NULL);
	assert_string_equal(text, "SwitchName=s0 Nodes=host[0-1]\n"
				  "SwitchName=s4 Nodes=host[40-41]\n"
				  "SwitchName=s1-hosts Nodes=host[10-11]\n"
				  "SwitchName=s1 Switches=s0,s1-hosts\n"
				  "SwitchName=s3-hosts Nodes=host[30-31]\n"
				  "SwitchName=s3 Switches=s3-hosts,s4\n"
				  "SwitchName=s2-hosts Nodes=host[20-21]\n"
				  "SwitchName=s2 Switches=s1,s2-hosts,s3\n");
	free(text);
}

/* A long chain must neither exhaust the stack nor be indented off the screen. */
static void test_long_chain(void **state)
{
	struct sample_subnet *subnet = *state;
	char *text, *dot;

	for (unsigned int i = 0; i < 2000; i++)
		sample_add_switch(subnet, "s", i);
	for (uint32_t i = 0; i < 1999; i++)
		sample_join(subnet, i, i + 1);
	text = fabric_tree_text(&subnet->view, false);
	for (const char *line = text, *next; *line; line = next + 1) {
		next = strchr(line, '\n');
		assert_non_null(next);
		assert_true(next - line < 120);
	}
	assert_non_null(strstr(text, "s1999, 4x QDR\n"));
	dot = fabric_dot_text(&subnet->view, &(const struct drawing_options){.all = false});
	free(dot);
	free(text);
}

/* Many disconnected parts, as a file may contain. */
static void test_parts(void **state)
{
	struct sample_subnet *subnet = *state;
	char *text;

	for (unsigned int i = 0; i < 1000; i++)
		sample_add_switch(subnet, "s", i);
	sample_add_hosts(subnet, 7, 1, 1);
	sample_join(subnet, sample_add(subnet, NODE_TYPE_CA, "left"),
		    sample_add(subnet, NODE_TYPE_CA, "right"));
	text = fabric_tree_text(&subnet->view, false);
	assert_non_null(strstr(text, "\ns7\n`- host1 HCA-1, 4x QDR\ns8\n"));
	assert_non_null(strstr(text, "\nleft\n`- right, 4x QDR\n"));
	free(text);
	text = fabric_dot_text(&subnet->view, &(const struct drawing_options){.all = false});
	assert_non_null(strstr(text, "tooltip=\"left - right: 4x QDR, port 1\""));
	free(text);
}

static void test_nothing(void **state)
{
	struct sample_subnet *subnet = *state;
	char *text = fabric_tree_text(&subnet->view, false);

	assert_string_equal(text, "0 switches, 0 hosts, 0 cables\n");
	free(text);
	text = fabric_slurm_text(&subnet->view, NULL);
	assert_string_equal(text, "");
	free(text);
	text = fabric_dot_text(&subnet->view, &(const struct drawing_options){.all = false});
	assert_non_null(strstr(text, "0 switches, 0 hosts, 0 cables"));
	free(text);
}

static void test_tree_text(void **state)
{
	struct sample_subnet *subnet = *state;
	char *text;

	sample_make_tree(subnet);
	text = fabric_tree_text(&subnet->view, false);
	assert_string_equal(text, "6 switches, 12 hosts, 28 cables\n"
				  "spine1\n"
				  "|- leaf1, 2 cables, 4x QDR\n"
				  "|  `- 3 hosts, 4x QDR: host[0-2]\n"
				  "|- leaf2, 2 cables, 4x QDR\n"
				  "|  `- 3 hosts, 4x QDR: host[3-5]\n"
				  "|- leaf3, 2 cables, 4x QDR\n"
				  "|  `- 3 hosts, 4x QDR: host[6-8]\n"
				  "`- leaf4, 2 cables, 4x QDR\n"
				  "   `- 3 hosts, 4x QDR: host[9-11]\n"
				  "spine2\n"
				  "`-> 4 switches, 2 cables each, 4x QDR: leaf[1-4]\n");
	free(text);
}

static void test_damaged_tree_text(void **state)
{
	struct sample_subnet *subnet = *state;
	char *text;

	sample_damage(subnet);
	text = fabric_tree_text(&subnet->view, false);
	assert_string_equal(text,
			    "6 switches, 12 hosts, 28 cables\n"
			    "spine1\n"
			    "|- ! leaf1 at port 1, 4x QDR; 1x QDR, could be 4x QDR at port 2\n"
			    "|  |- ! host0 HCA-1 at port 5, 4x SDR, could be 4x QDR\n"
			    "|  `- 2 hosts, 4x QDR: host[1-2]\n"
			    "|- leaf2, 2 cables, 4x QDR\n"
			    "|  |- 2 hosts, 4x QDR: host[3,5]\n"
			    "|  `- ! host4 HCA-1 at port 6, 4x QDR, init\n"
			    "|- leaf3, 2 cables, 4x QDR\n"
			    "|  |- 3 hosts, 4x QDR: host[6-8]\n"
			    "|  `- ! port 9: no answer\n"
			    "`- leaf4, 2 cables, 4x QDR\n"
			    "   |- 2 hosts, 4x QDR: host[9-10]\n"
			    "   |- ! host11 HCA-1 at port 7, state unknown\n"
			    "   `- 1 port that this scan did not follow\n"
			    "spine2\n"
			    "`-> 4 switches, 2 cables each, 4x QDR: leaf[1-4]\n");
	free(text);
}

static void test_parallel_cables(void **state)
{
	struct sample_subnet *subnet = *state;
	uint32_t order[2] = {0, 1};
	struct cable_list list;

	sample_add_switch(subnet, "a", 0);
	sample_add_switch(subnet, "b", 0);
	for (unsigned int i = 0; i < 5; i++)
		sample_join(subnet, 0, 1);
	sample_set_both(subnet, fabric_port_at(&subnet->fabric, 0, 3), 1, 4, 4);
	/* A cable from a port to itself, and one between two ports of the same switch. */
	fabric_link(&subnet->fabric, fabric_port_at(&subnet->fabric, 0, 20),
		    fabric_port_at(&subnet->fabric, 0, 20));
	fabric_link(&subnet->fabric, fabric_port_at(&subnet->fabric, 0, 21),
		    fabric_port_at(&subnet->fabric, 0, 22));
	cable_list_fill(&subnet->fabric, 0, order, &list);
	assert_int_equal(list.count, 3);
	assert_int_equal(list.items[0].peer, 0);
	assert_int_equal(list.items[0].count, 2);
	assert_int_equal(list.items[1].peer, 1);
	assert_int_equal(list.items[1].count, 4);
	assert_int_equal(list.items[1].kind.condition, CABLE_GOOD);
	assert_int_equal(list.items[2].count, 1);
	assert_int_equal(list.items[2].kind.condition, CABLE_SLOW);
	assert_int_equal(list.items[2].ports[0], fabric_port_at(&subnet->fabric, 0, 3));
	cable_list_clear(&list);
}

/*
 * A spine with a host is not a leaf if the leaves have four times as many hosts on average; with
 * one host less it counts as a leaf, and this is not a tree.
 */
static void test_hosts_of_a_leaf(void **state)
{
	static const unsigned int expected[] = {1, 1, 2, 2};

	for (unsigned int hosts = 3; hosts <= 4; hosts++) {
		struct sample_subnet *subnet;
		struct fabric_levels levels;
		void *own;

		sample_begin(&own);
		subnet = own;
		for (unsigned int i = 0; i < 4; i++)
			sample_add_switch(subnet, "s", i);
		sample_join_all(subnet, 0, 2, 2, 2, 1);
		sample_add_hosts(subnet, 0, 0, hosts);
		sample_add_hosts(subnet, 1, 10, hosts);
		sample_add_hosts(subnet, 2, 20, 1);
		fabric_levels_fill(&subnet->fabric, &levels);
		assert_int_equal(levels.is_tree, hosts == 4);
		fabric_levels_clear(&levels);
		if (hosts == 4)
			expect_levels(subnet, true, expected, ARRAY_SIZE(expected));
		sample_end(&own);
	}
	(void)state;
}

/* One cable in ten may join two leaves, one in nine may not. */
static void test_most_slips(void **state)
{
	for (unsigned int leaves = 3; leaves <= 4; leaves++) {
		const unsigned int spines = leaves == 3 ? 3 : 2;
		struct sample_subnet *subnet;
		struct fabric_levels levels;
		void *own;

		sample_begin(&own);
		subnet = own;
		for (unsigned int i = 0; i < leaves + spines; i++)
			sample_add_switch(subnet, "s", i);
		sample_join_all(subnet, 0, leaves, leaves, spines, 1);
		for (uint32_t i = 0; i < leaves; i++)
			sample_add_hosts(subnet, i, 10 * i, 3);
		sample_join(subnet, 0, 1);
		fabric_levels_fill(&subnet->fabric, &levels);
		assert_int_equal(levels.is_tree, leaves == 3);
		fabric_levels_clear(&levels);
		sample_end(&own);
	}
	(void)state;
}

int main(void)
{
#define TEST(function_) cmocka_unit_test_setup_teardown(function_, sample_begin, sample_end)
	const struct CMUnitTest tests[] = {
		TEST(test_levels_of_a_tree),
		TEST(test_levels_of_three),
		TEST(test_leaf_without_hosts),
		TEST(test_host_at_a_spine),
		TEST(test_aggregation_nodes),
		TEST(test_slip),
		TEST(test_hosts_of_a_leaf),
		TEST(test_most_slips),
		TEST(test_torus),
		TEST(test_row),
		TEST(test_long_chain),
		TEST(test_parts),
		TEST(test_nothing),
		TEST(test_tree_text),
		TEST(test_damaged_tree_text),
		TEST(test_parallel_cables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
