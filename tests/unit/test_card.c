/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The card that a device, a netdev or a PCI address belongs to, and what else is on it. */
#include "saved_tree.h"

#include "base/cleanup.h"
#include "host/sriov/card.h"

struct bed {
	struct saved_tree tree;
	struct device_list devices;
};

static int setup(void **state)
{
	return tree_set_up(state, sizeof(struct bed));
}

static int teardown(void **state)
{
	struct bed *bed = *state;

	device_list_clear(&bed->devices);
	tree_close(&bed->tree);
	free(bed);
	return 0;
}

static struct device *add_device(struct bed *bed, const char *name, const char *netdev)
{
	struct device *device = mem_append(&bed->devices.items, &bed->devices.count,
					   sizeof(*device));

	device->name = mem_string(name);
	device->kernel_name = mem_string(name);
	if (netdev)
		device_add_port(device, 1)->netdev = mem_string(netdev);
	return device;
}

#define CARD "sys/devices/pci0000:00/0000:01:00.0"

static void expect_card(struct bed *bed, const char *word, const char *wanted)
{
	char *path = NULL;

	assert_int_equal(card_find(&bed->tree.root, &bed->devices, word, &path),
			 wanted ? 0 : -ENODEV);
	if (wanted)
		assert_string_equal(path, wanted);
	else
		assert_null(path);
	free(path);
}

static void by_any_name(void **state)
{
	struct bed *bed = *state;

	tree_link(&bed->tree, "sys/class/infiniband/mlx5_0",
		  "../../devices/pci0000:00/0000:01:00.0/infiniband/mlx5_0");
	tree_link(&bed->tree, "sys/class/infiniband/rxe0", "../../devices/virtual/infiniband/rxe0");
	tree_link(&bed->tree, "sys/class/infiniband/rxe1", "../../devices/virtual/infiniband/rxe1");
	tree_link(&bed->tree, "sys/class/infiniband/rxe2", "../../devices/virtual/infiniband/rxe2");
	tree_link(&bed->tree, "sys/class/infiniband/odd", "../../elsewhere/odd");
	tree_link(&bed->tree, "sys/class/net/eth0",
		  "../../devices/pci0000:00/0000:01:00.0/net/eth0");
	tree_link(&bed->tree, "sys/class/net/mlx5_0", "../../devices/wrong");
	tree_on_bus(&bed->tree, "pci0000:00/0000:01:00.0");
	tree_link(&bed->tree, "sys/bus/auxiliary/devices/mlx5_core.sf.2",
		  "../../../devices/pci0000:00/0000:01:00.0/mlx5_core.sf.2");
	add_device(bed, "mlx5_0", "eth0");
	add_device(bed, "rxe1", NULL);
	add_device(bed, "rxe0", "eth0");
	add_device(bed, "rxe2", "gone");
	/* The name of a device is preferred to the same name of a netdev. */
	expect_card(bed, "mlx5_0", CARD "/infiniband/mlx5_0");
	expect_card(bed, "eth0", CARD "/net/eth0");
	expect_card(bed, "0000:01:00.0", CARD);
	expect_card(bed, "mlx5_core.sf.2", CARD "/mlx5_core.sf.2");
	/* A software device is where its netdev is. */
	expect_card(bed, "rxe0", CARD "/net/eth0");
	expect_card(bed, "rxe1", "sys/devices/virtual/infiniband/rxe1");
	expect_card(bed, "rxe2", NULL);
	expect_card(bed, "none", NULL);
	expect_card(bed, "odd", NULL);
	expect_card(bed, "", NULL);
	expect_card(bed, ".", NULL);
	expect_card(bed, "..", NULL);
	expect_card(bed, "../net/eth0", NULL);
}

static void expect_file(struct bed *bed, const char *path, const char *file, int rc,
			const char *wanted)
{
	char *found = NULL;

	assert_int_equal(card_find_file(&bed->tree.root, path, file, &found), rc);
	if (wanted)
		assert_string_equal(found, wanted);
	else
		assert_null(found);
	free(found);
}

/* In the directory or in one above it, up to that of all devices. */
static void files_above(void **state)
{
	struct bed *bed = *state;

	tree_write(&bed->tree, CARD "/sriov_numvfs", "4");
	tree_write(&bed->tree, CARD "/net/eth0/iflink", "5");
	tree_link(&bed->tree, CARD "/net/closed", "!EACCES");
	tree_write(&bed->tree, "sys/devices/top", "1");
	tree_write(&bed->tree, "sys/devices/pci0000:00/here", "1");
	tree_write(&bed->tree, "sys/above", "1");
	expect_file(bed, CARD "/net/eth0", "sriov_numvfs", 0, CARD);
	expect_file(bed, CARD, "sriov_numvfs", 0, CARD);
	expect_file(bed, CARD "/net/eth0", "iflink", 0, CARD "/net/eth0");
	expect_file(bed, CARD, "here", 0, "sys/devices/pci0000:00");
	expect_file(bed, CARD, "top", -ENOENT, NULL);
	expect_file(bed, CARD, "above", -ENOENT, NULL);
	expect_file(bed, CARD, "none", -ENOENT, NULL);
	expect_file(bed, CARD "/net/closed", "sriov_numvfs", -EACCES, NULL);
}

static void expect_names(struct strings *names, const char *wanted)
{
	_cleanup_(freep) char *got = mem_string("");

	assert_true(names->known);
	for (size_t i = 0; i < names->count; i++)
		mem_extend(&got, "%s%s", i ? " " : "", names->items[i]);
	assert_string_equal(got, wanted);
	strings_free(names);
}

static void write_netdev(struct bed *bed, const char *name, const char *index, const char *lower)
{
	_cleanup_(freep) char *here = mem_format(CARD "/net/%s", name);
	_cleanup_(freep) char *own = mem_format("sys/class/net/%s/ifindex", name);
	_cleanup_(freep) char *below = mem_format("sys/class/net/%s/iflink", name);

	tree_directory(&bed->tree, here);
	if (index)
		tree_write(&bed->tree, own, index);
	if (lower)
		tree_write(&bed->tree, below, lower);
}

/* Netdevs on top of others are not part of the card; unknown ones may be. */
static void what_is_on_it(void **state)
{
	struct bed *bed = *state;
	struct strings names;

	card_list_netdevs(&bed->tree.root, CARD, &names);
	expect_names(&names, "");
	write_netdev(bed, "eth0", "5", "5");
	write_netdev(bed, "ib0.8001", "6", "5");
	write_netdev(bed, "unread", NULL, "5");
	write_netdev(bed, "unread2", "7", NULL);
	card_list_netdevs(&bed->tree.root, CARD, &names);
	expect_names(&names, "eth0 unread unread2");
	tree_link(&bed->tree, "sys/class/infiniband/mlx5_0",
		  "../../devices/pci0000:00/0000:01:00.0/infiniband/mlx5_0");
	tree_link(&bed->tree, "sys/class/infiniband/mlx5_1",
		  "../../devices/pci0000:00/0000:01:00.01/infiniband/mlx5_1");
	tree_link(&bed->tree, "sys/class/infiniband/mlx5_2",
		  "../../devices/pci0000:00/0000:02:00.0/infiniband/mlx5_2");
	add_device(bed, "mlx5_0", NULL);
	add_device(bed, "mlx5_1", "eth1");
	add_device(bed, "mlx5_2", "ib0.8001");
	add_device(bed, "rxe0", "eth0");
	add_device(bed, "rxe1", "eth1");
	device_add_port(&bed->devices.items[4], 2)->netdev = mem_string("unread");
	device_add_port(add_device(bed, "rxe2", "eth0"), 2);
	card_list_devices(&bed->tree.root, CARD, &bed->devices, &names);
	expect_names(&names, "mlx5_0 rxe0 rxe1 rxe2");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	static const struct CMUnitTest tests[] = {
		TEST(by_any_name),
		TEST(files_above),
		TEST(what_is_on_it),
	};

	return cmocka_run_group_tests_name("card", tests, NULL, NULL);
}
