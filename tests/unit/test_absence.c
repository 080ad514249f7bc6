/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is reported about the adapters of a host without an RDMA device. */
#include "saved_tree.h"

#include "base/mem.h"
#include "host/inventory/reading.h"

struct bed {
	struct saved_tree tree;
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
	problems_free(&bed->problems);
	free(bed);
	return 0;
}

#define MELLANOX "0x15b3", "0x101b"

static void function(struct bed *bed, const char *address, const char *vendor, const char *device,
		     const char *class, const char *driver)
{
	_cleanup_(freep) char *place = mem_format("pci0000:00/%s", address);

	tree_function(&bed->tree, place, class, vendor, device, driver);
}

/* Checks the only problem, or that there is none, and whether it certainly is an adapter. */
static void expect(struct bed *bed, bool sure, const char *text, const char *hint)
{
	assert_int_equal(note_adapters(&bed->tree.root, &bed->problems), sure);
	assert_int_equal(bed->problems.count, text ? 1 : 0);
	if (text) {
		assert_string_equal(bed->problems.items[0].object, "0000:01:00.0");
		assert_string_equal(bed->problems.items[0].error, text);
		assert_string_equal(bed->problems.items[0].hint, hint);
	}
	problems_free(&bed->problems);
}

static void without_driver(void **state)
{
	struct bed *bed = *state;

	function(bed, "0000:01:00.0", MELLANOX, "0x020700", NULL);
	expect(bed, true, "no driver is bound to this RDMA adapter", "load mlx5_core and mlx5_ib");
	tree_directory(&bed->tree, "sys/bus/pci/drivers/mlx5_core");
	expect(bed, true, "no driver is bound to this RDMA adapter",
	       "mlx5_core is loaded, but has not bound to it: the kernel log says why (dmesg), and "
	       "rdmactl doctor what to do");
	/* A virtual function waiting for its virtual machine. */
	tree_link(&bed->tree, "sys/devices/pci0000:00/0000:01:00.0/physfn", "../0000:01:00.1");
	expect(bed, false, NULL, NULL);
}

static void adapters_by_number(void **state)
{
	static const struct {
		const char *vendor, *device, *class, *hint;
	} samples[] = {
		{"0x15b3", "0x1017", "0x020000", "load mlx5_core and mlx5_ib"},
		{"0x15b3", "0x1003", "0x020000", "load mlx4_core and mlx4_ib"},
		{"0x1077", "0x7322", "0x0c0600", "load ib_qib"},
		{"0x1077", "0x8070", "0x020000", NULL}, /* QLogic's Ethernet */
		{"0x8086", "0x24f1", "0x020800", "load hfi1"},
		{"0x8086", "0x24f2", "0x020800", NULL},
		{"0x8086", "0x1572", "0x020000", NULL}, /* X710 */
		{"0x1d0f", "0xefa1", "0x020000", "load efa"},
		{"0x1d0f", "0xec20", "0x020000", NULL}, /* ENA */
		{"0x1ded", "0x107f", "0x020000", "load erdma"},
		{"0x1fc1", "0x0010", "0x0c0600", "load ib_qib"},
		{"0x8086", "0x1592", "0x020000", NULL}, /* E810: RDMA is optional */
	};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		function(bed, "0000:01:00.0", samples[i].vendor, samples[i].device,
			 samples[i].class, NULL);
		if (samples[i].hint)
			expect(bed, true, "no driver is bound to this RDMA adapter",
			       samples[i].hint);
		else
			expect(bed, false, NULL, NULL);
		tree_delete(&bed->tree, "sys/bus/pci/devices/0000:01:00.0");
	}
}

static void without_rdma_half(void **state)
{
	struct bed *bed = *state;

	function(bed, "0000:01:00.0", MELLANOX, "0x020000", "mlx5_core");
	/* Nothing is known about the modules. */
	expect(bed, true, "bound to mlx5_core, but there is no RDMA device", "load mlx5_ib");
	tree_directory(&bed->tree, "sys/module/mlx5_core");
	expect(bed, true, "bound to mlx5_core, whose RDMA module mlx5_ib is not loaded",
	       "load mlx5_ib");
	tree_directory(&bed->tree, "sys/module/mlx5_ib");
	expect(bed, true, "bound to mlx5_core, and mlx5_ib is loaded, but there is no RDMA device",
	       "the kernel log says why: dmesg");
	tree_write(&bed->tree, "sys/module/ib_core/parameters/netns_mode", "Y\n");
	expect(bed, true, "bound to mlx5_core, and mlx5_ib is loaded, but there is no RDMA device",
	       "the kernel log says why: dmesg");
	tree_write(&bed->tree, "sys/module/ib_core/parameters/netns_mode", "N\n");
	expect(bed, true, "bound to mlx5_core, and mlx5_ib is loaded, but there is no RDMA device",
	       "another network namespace may have it: rdmactl system shows the mode; "
	       "otherwise the kernel log says why: dmesg");
}

/* Not every device of these drivers can do RDMA. */
static void perhaps(void **state)
{
	struct bed *bed = *state;

	function(bed, "0000:01:00.0", "0x8086", "0x1592", "0x020000", "ice");
	tree_directory(&bed->tree, "sys/module/ice");
	expect(bed, false, "bound to ice, whose RDMA module irdma is not loaded",
	       "load irdma, if RDMA is wanted and not switched off");
	tree_directory(&bed->tree, "sys/module/irdma");
	expect(bed, false, NULL, NULL);
}

/* X722, whose module had another name before Linux 5.14. */
static void replaced_module(void **state)
{
	struct bed *bed = *state;

	function(bed, "0000:01:00.0", "0x8086", "0x37d2", "0x020000", "i40e");
	tree_directory(&bed->tree, "sys/module/i40e");
	expect(bed, false, "bound to i40e, whose RDMA module irdma is not loaded",
	       "load irdma, or in an older kernel i40iw, if RDMA is wanted and not switched off");
	tree_directory(&bed->tree, "sys/module/i40iw");
	expect(bed, false, NULL, NULL);
}

static void others_driver(void **state)
{
	struct bed *bed = *state;

	function(bed, "0000:01:00.0", MELLANOX, "0x020700", "vfio-pci");
	expect(bed, true, "this RDMA adapter is bound to vfio-pci, which creates no RDMA device",
	       "if no virtual machine or program owns it, bind it to mlx5_core");
}

/* It is not known whether a driver is bound, so nothing is said about it. */
static void unreadable_driver(void **state)
{
	struct bed *bed = *state;

	function(bed, "0000:01:00.0", MELLANOX, "0x020700", "!EACCES");
	expect(bed, false, NULL, NULL);
}

static void no_bus(void **state)
{
	expect(*state, false, NULL, NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(without_driver),	 TEST(adapters_by_number),
		TEST(without_rdma_half), TEST(perhaps),
		TEST(replaced_module),	 TEST(others_driver),
		TEST(unreadable_driver), TEST(no_bus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
