/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The functions of adapters: physical, virtual, subfunctions, and simulated cards. */
#include "saved_tree.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "host/sriov/card.h"
#include "host/sriov/function.h"
#include "schema/problem.h"

struct bed {
	struct saved_tree tree;
	struct inventory inventory;
	struct function_list list;
	struct problems problems;
};

static int setup(void **state)
{
	return tree_set_up(state, sizeof(struct bed));
}

static int teardown(void **state)
{
	struct bed *bed = *state;

	function_list_clear(&bed->list);
	inventory_free(&bed->inventory);
	problems_free(&bed->problems);
	tree_close(&bed->tree);
	free(bed);
	return 0;
}

#define PCI	  "sys/bus/pci/devices/"
#define PF	  "0000:01:00.0"
#define AUXILIARY "sys/bus/auxiliary/devices/"

/* The tree whose auxiliary devices are deleted when a file is read; NULL: none. */
static const struct saved_tree *deleted_at_read;

ssize_t read(int fd, void *buffer, size_t size)
{
	if (deleted_at_read) {
		tree_delete(deleted_at_read, AUXILIARY);
		deleted_at_read = NULL;
	}
	return syscall(SYS_read, fd, buffer, size);
}

static void write_file(struct bed *bed, const char *directory, const char *name, const char *text)
{
	_cleanup_(freep) char *path = mem_format("%s/%s", directory, name);

	if (*text == '>')
		tree_link(&bed->tree, path, text + 1);
	else
		tree_write(&bed->tree, path, text);
}

/* A ConnectX with that PCI class; its ID is not one that only needs its driver. */
static void write_function(struct bed *bed, const char *address, const char *class)
{
	_cleanup_(freep) char *place = mem_format("pci0000:00/%s", address);

	tree_function(&bed->tree, place, class, "0x15b3", "0x101b", NULL);
}

static void add_device(struct bed *bed, const char *name)
{
	struct device *device = mem_append(&bed->inventory.devices.items,
					   &bed->inventory.devices.count, sizeof(*device));

	device->name = mem_string(name);
	device->kernel_name = mem_string(name);
	device->node_guid = number_of(0x11);
	device_add_port(device, 1)->port_guid = number_of(0x22);
}

/* VFs are set through the netdev of the function, which may come after representors' netdevs. */
static void own_netdev(void **state)
{
	struct bed *bed = *state;
	_cleanup_(freep) char *first = NULL, *software = NULL, *own = NULL, *none = NULL;

	tree_directory(&bed->tree, "sys/devices/card/net/en3f0pf0sf0");
	tree_directory(&bed->tree, "sys/devices/card/net/p0");
	first = card_own_netdev(&bed->tree.root, "sys/devices/card", &bed->inventory.devices);
	assert_string_equal(first, "en3f0pf0sf0");
	add_device(bed, "a_rxe");
	bed->inventory.devices.items[0].ports[0].netdev = mem_string("en3f0pf0sf1");
	tree_directory(&bed->tree, "sys/devices/card/net/en3f0pf0sf1");
	software = card_own_netdev(&bed->tree.root, "sys/devices/card", &bed->inventory.devices);
	assert_string_equal(software, "en3f0pf0sf1");
	/* The function's device comes before a software device on a representor. */
	tree_directory(&bed->tree, "sys/devices/card/infiniband/mlx5_0");
	add_device(bed, "mlx5_0");
	bed->inventory.devices.items[1].ports[0].netdev = mem_string("p0");
	own = card_own_netdev(&bed->tree.root, "sys/devices/card", &bed->inventory.devices);
	assert_string_equal(own, "p0");
	none = card_own_netdev(&bed->tree.root, "sys/devices/other", &bed->inventory.devices);
	assert_null(none);
}

static const struct function *find(const struct bed *bed, const char *name)
{
	for (size_t i = 0; i < bed->list.count; i++)
		if (!strcmp(bed->list.items[i].name, name))
			return &bed->list.items[i];
	fail_msg("no function %s", name);
	return NULL;
}

static void read_all(struct bed *bed)
{
	function_list_clear(&bed->list);
	function_list_read(&bed->list, &bed->inventory, bed->tree.path, &bed->problems);
}

static void physical(void **state)
{
	struct bed *bed = *state;
	const struct function *function;

	write_function(bed, PF, "0x020700");
	write_function(bed, "0000:02:00.0", "0x020000");
	write_function(bed, "0000:03:00.0", "0x060400"); /* a bridge */
	write_file(bed, PCI PF, "sriov_numvfs", "2");
	write_file(bed, PCI PF, "sriov_totalvfs", "16");
	write_file(bed, PCI PF, "sriov_drivers_autoprobe", "0");
	write_file(bed, PCI PF, "driver", ">../../../bus/pci/drivers/mlx5_core");
	tree_directory(&bed->tree, PCI PF "/infiniband/mlx5_0");
	tree_directory(&bed->tree, PCI PF "/net/eth0");
	add_device(bed, "mlx5_0");
	read_all(bed);
	assert_int_equal(bed->list.count, 2);
	function = find(bed, PF);
	assert_int_equal(function->kind.value, FUNCTION_PF);
	assert_int_equal(function->vf_count.value, 2);
	assert_int_equal(function->vf_limit.value, 16);
	assert_int_equal(function->autoprobe, TRISTATE_NO);
	assert_string_equal(function->driver, "mlx5_core");
	assert_string_equal(function->device, "mlx5_0");
	assert_string_equal(function->netdev, "eth0");
	assert_int_equal(function->owner.value, FUNCTION_OF_HOST);
	assert_int_equal(function->node_guid.value, 0x11);
	assert_int_equal(function->port_guid.value, 0x22);
	function = find(bed, "0000:02:00.0");
	assert_int_equal(function->kind.value, FUNCTION_PLAIN);
	assert_false(function->vf_count.known || function->vf_limit.known);
	assert_int_equal(function->autoprobe, TRISTATE_UNKNOWN);
	assert_int_equal(function->owner.value, FUNCTION_OF_NOBODY);
	assert_false(function->node_guid.known);
	assert_int_equal(bed->problems.count, 0);
	write_file(bed, PCI PF, "sriov_drivers_autoprobe", "1");
	read_all(bed);
	assert_int_equal(find(bed, PF)->autoprobe, TRISTATE_YES);
}

static void owners(void **state)
{
	static const struct {
		const char *driver;
		bool empty;
		enum function_owner owner;
	} samples[] = {
		{"vfio-pci", false, FUNCTION_OF_VFIO},
		{"mlx5_vfio_pci", true, FUNCTION_OF_VFIO},
		{"pci-stub", false, FUNCTION_OF_VFIO},
		{"mlx5_core", false, FUNCTION_OF_HOST},
		{"mlx5_core", true, FUNCTION_OF_NAMESPACE},
	};
	struct bed *bed = *state;

	write_function(bed, PF, "0x020700");
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		_cleanup_(freep) char *driver = mem_format(">../drivers/%s", samples[i].driver);

		write_file(bed, PCI PF, "driver", driver);
		if (samples[i].empty)
			tree_directory(&bed->tree, PCI PF "/net");
		else
			tree_delete(&bed->tree, PCI PF "/net");
		read_all(bed);
		assert_int_equal(find(bed, PF)->owner.value, samples[i].owner);
	}
	/* What cannot be read is a problem, and is unknown. */
	write_file(bed, PCI PF, "driver", ">!EACCES");
	tree_delete(&bed->tree, PCI PF "/net");
	write_file(bed, PCI PF, "net", ">!EACCES");
	write_file(bed, PCI PF, "sriov_numvfs", ">!EIO");
	read_all(bed);
	assert_false(find(bed, PF)->owner.known);
	assert_false(find(bed, PF)->vf_count.known);
	assert_true(bed->problems.count >= 3);
	for (size_t i = 0; i < bed->problems.count; i++)
		assert_string_equal(bed->problems.items[i].object, PF);
}

static void virtual(void **state)
{
	struct bed *bed = *state;
	const struct function *function;

	write_function(bed, PF, "0x020700");
	write_function(bed, "0000:01:00.2", "0x020700");
	write_function(bed, "0000:01:00.3", "0x020700");
	write_file(bed, PCI PF, "sriov_numvfs", "2");
	write_file(bed, PCI "0000:01:00.2", "physfn", ">../" PF);
	write_file(bed, PCI "0000:01:00.3", "physfn", ">../" PF);
	write_file(bed, PCI PF, "virtfn0", ">../0000:01:00.2");
	write_file(bed, PCI PF, "virtfnx", ">../0000:01:00.3");
	write_file(bed, PCI PF, "virtfn7", ">../0000:01:00.3");
	write_file(bed, PCI PF, "xirtfn8", ">../0000:01:00.3");
	read_all(bed);
	assert_int_equal(bed->list.count, 3);
	function = find(bed, "0000:01:00.2");
	assert_int_equal(function->kind.value, FUNCTION_VF);
	assert_string_equal(function->parent, PF);
	assert_true(function->index.known);
	assert_int_equal(function->index.value, 0);
	assert_false(function->vf_count.known);
	assert_int_equal(find(bed, "0000:01:00.3")->index.value, 7);
	assert_null(find(bed, PF)->parent);
}

static void subfunctions(void **state)
{
	struct bed *bed = *state;
	const struct function *function;

	tree_link(&bed->tree, "sys/bus/auxiliary/devices/mlx5_core.sf.4",
		  "../../../devices/pci0000:00/" PF "/mlx5_core.sf.4");
	tree_link(&bed->tree, "sys/bus/auxiliary/devices/mlx5_core.rdma.0",
		  "../../../devices/pci0000:00/" PF "/mlx5_core.rdma.0");
	/* Names come in any order: there are others before and after it. */
	for (int i = 0; i < 16; i++) {
		_cleanup_(freep) char *name = mem_format("sys/bus/auxiliary/devices/%d.eth.%d",
							 i * 7 % 16, i);

		tree_link(&bed->tree, name, "../../../devices/pci0000:00/" PF "/x");
	}
	tree_write(&bed->tree, "sys/devices/pci0000:00/" PF "/mlx5_core.sf.4/sfnum", "88");
	tree_link(&bed->tree, "sys/bus/auxiliary/devices/0.sf.9",
		  "../../../devices/pci0000:00/" PF "/0.sf.9");
	tree_directory(&bed->tree, "sys/devices/pci0000:00/" PF "/mlx5_core.sf.4/net/eth9");
	tree_write(&bed->tree, "sys/devices/pci0000:00/" PF "/0.sf.9/sfnum", "99");
	for (int i = 16; i < 32; i++) {
		_cleanup_(freep) char *name = mem_format("sys/bus/auxiliary/devices/%d.eth.%d",
							 i * 7 % 16, i);

		tree_link(&bed->tree, name, "../../../devices/pci0000:00/" PF "/x");
	}
	read_all(bed);
	assert_int_equal(bed->list.count, 2);
	assert_int_equal(find(bed, "0.sf.9")->index.value, 99);
	function = find(bed, "mlx5_core.sf.4");
	assert_int_equal(function->kind.value, FUNCTION_SF);
	assert_string_equal(function->parent, PF);
	assert_int_equal(function->index.value, 88);
	assert_string_equal(function->netdev, "eth9");
}

/* Both subfunctions are deleted as soon as one has been found: the other is no problem. */
static void deleted_subfunctions(void **state)
{
	struct bed *bed = *state;

	tree_directory(&bed->tree, PCI);
	for (int i = 4; i < 6; i++) {
		_cleanup_(freep) char *link = mem_format(AUXILIARY "mlx5_core.sf.%d", i);

		tree_link(&bed->tree, link, "../../../devices/pci0000:00/" PF "/sf");
	}
	tree_write(&bed->tree, "sys/devices/pci0000:00/" PF "/sf/sfnum", "88");
	deleted_at_read = &bed->tree;
	read_all(bed);
	assert_null(deleted_at_read);
	assert_int_equal(bed->list.count, 1);
	assert_string_equal(bed->list.items[0].parent, PF);
	assert_int_equal(bed->problems.count, 0);
}

/* What cannot be read of the bus is not silently left out. */
static void unread_subfunctions(void **state)
{
	struct bed *bed = *state;
	const struct function *function;

	tree_write(&bed->tree, "sys/bus/auxiliary/devices/mlx5_core.sf.5/sfnum", "5");
	tree_directory(&bed->tree, PCI);
	read_all(bed);
	function = find(bed, "mlx5_core.sf.5");
	assert_int_equal(function->index.value, 5);
	assert_null(function->parent);
	assert_int_equal(bed->problems.count, 1);
	assert_string_equal(bed->problems.items[0].attribute, "parent");
	function_list_clear(&bed->list);
	problems_free(&bed->problems);
	tree_delete(&bed->tree, "sys/bus/auxiliary/devices/mlx5_core.sf.5/sfnum");
	tree_delete(&bed->tree, "sys/bus/auxiliary/devices/mlx5_core.sf.5");
	tree_delete(&bed->tree, "sys/bus/auxiliary/devices");
	tree_link(&bed->tree, "sys/bus/auxiliary/devices", "!EACCES");
	read_all(bed);
	assert_int_equal(bed->list.count, 0);
	assert_int_equal(bed->problems.count, 1);
	assert_string_equal(bed->problems.items[0].attribute, "subfunctions");
	assert_string_equal(bed->problems.items[0].error, strerror(EACCES));
}

/* netdevsim: the directory above its netdevs has the files of SR-IOV. */
static void simulated(void **state)
{
	struct bed *bed = *state;
	const struct function *function;
	struct link *link = link_list_add(&bed->inventory.links);

	/*
	 * A function without a card comes before them, and one of another card after two of the
	 * first.
	 */
	link->name = mem_string("lo");
	for (int i = 0; i < 3; i++) {
		_cleanup_(freep) char *name = mem_format("eni%d", i);
		_cleanup_(freep) char *class = mem_format("sys/class/net/%s", name);
		_cleanup_(freep) char *target = mem_format("../../devices/netdevsim%d/net/%s",
							   i < 2 ? 1 : 2, name);

		tree_link(&bed->tree, class, target);
		tree_directory(&bed->tree, target + strlen("../../"));
		link = link_list_add(&bed->inventory.links);
		link->name = mem_string(name);
	}
	tree_write(&bed->tree, "sys/devices/netdevsim1/net/eni0/ifindex", "5");
	tree_write(&bed->tree, "sys/devices/netdevsim1/net/eni1/ifindex", "6");
	tree_write(&bed->tree, "sys/devices/netdevsim1/sriov_numvfs", "3");
	tree_write(&bed->tree, "sys/devices/netdevsim2/sriov_numvfs", "4");
	add_device(bed, "rxe9");
	add_device(bed, "rxe0");
	bed->inventory.devices.items[1].ports[0].netdev = mem_string("eni1");
	read_all(bed);
	assert_int_equal(bed->list.count, 2);
	assert_int_equal(find(bed, "netdevsim2")->vf_count.value, 4);
	assert_null(find(bed, "netdevsim2")->device);
	function = find(bed, "netdevsim1");
	assert_int_equal(function->kind.value, FUNCTION_PF);
	assert_int_equal(function->vf_count.value, 3);
	assert_string_equal(function->netdev, "eni1");
	/* A software device on one of its netdevs. */
	assert_string_equal(function->device, "rxe0");
	assert_int_equal(function->node_guid.value, 0x11);
}

static void add_function(struct bed *bed, const char *name, const char *parent, const char *device)
{
	struct function *function = mem_append(&bed->list.items, &bed->list.count,
					       sizeof(*function));

	*function = (struct function){.name = mem_string(name),
				      .parent = mem_string_or_null(parent),
				      .device = mem_string_or_null(device)};
}

/* The functions of the remaining devices are kept, and their children. */
static void kept(void **state)
{
	struct bed *bed = *state;
	struct object object = {.device = NULL};
	const struct objects all = {.count = 0}, some = {&object, 1};

	add_device(bed, "a");
	add_function(bed, "f0", "f2", NULL);
	add_function(bed, "f1", NULL, "b");
	add_function(bed, "f2", NULL, "a");
	add_function(bed, "f3", "f1", NULL);
	add_function(bed, "f4", "gone", "a");
	add_function(bed, "f5", NULL, NULL);
	function_list_keep(&bed->list, &bed->inventory.devices, &all);
	assert_int_equal(bed->list.count, 6);
	function_list_keep(&bed->list, &bed->inventory.devices, &some);
	assert_int_equal(bed->list.count, 3);
	assert_string_equal(bed->list.items[0].name, "f0");
	assert_string_equal(bed->list.items[1].name, "f2");
	assert_string_equal(bed->list.items[2].name, "f4");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	static const struct CMUnitTest tests[] = {
		TEST(own_netdev),
		TEST(physical),
		TEST(owners),
		TEST(virtual),
		TEST(subfunctions),
		TEST(deleted_subfunctions),
		TEST(unread_subfunctions),
		TEST(simulated),
		TEST(kept),
	};

	return cmocka_run_group_tests_name("function", tests, NULL, NULL);
}
