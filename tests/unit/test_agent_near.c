/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which processors are near a device, by its PCI function, with and without a NUMA node. */
#include "saved_tree.h"

#include "selftest/agent/agent.h"
#include "selftest/agent/cpu_list.h"

#define DEVICE "sys/class/infiniband/mlx5_0/device/"

/* NULL: the device has no such file. An expected list of NULL: nothing is near. */
static const struct {
	const char *node, *list, *expected;
	int64_t expected_node; /* -1: none */
} rows[] = {
	{"1", "2-3,6", "2-3,6", 1},
	/* The kernel's value for none, as in virtual machines; and a kernel without NUMA. */
	{"-1", "0-7", "0-7", -1},
	{NULL, "0-3", "0-3", -1},
	/* A software device, a kernel that says nothing, and nonsense. */
	{NULL, NULL, NULL, -1},
	{"0", NULL, NULL, -1},
	{"0", "", NULL, -1},
	{"0", "some", NULL, -1},
	{"70000", "0", "0", -1},
};

static void processors_near(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct number node = {.known = false};
		struct saved_tree tree;
		char text[64] = "";
		struct cpu_list set;
		bool found;

		tree_open(&tree);
		tree_directory(&tree, DEVICE);
		if (rows[i].node)
			tree_write(&tree, DEVICE "numa_node", rows[i].node);
		if (rows[i].list)
			tree_write(&tree, DEVICE "local_cpulist", rows[i].list);
		found = agent_find_near(&tree.root, "mlx5_0", &set, &node);
		assert_int_equal(found, rows[i].expected != NULL);
		if (found)
			cpu_list_format(&set, text, sizeof(text));
		assert_string_equal(text, found ? rows[i].expected : "");
		assert_int_equal(node.known, rows[i].expected_node >= 0);
		if (node.known)
			assert_int_equal(node.value, rows[i].expected_node);
		tree_close(&tree);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processors_near),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
