/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a word names whose RoCE settings are changed, and which netdevs and bonds belong to a port.
 * The inventory built here has a bond of two adapters' ports, an InfiniBand port and a netdev
 * without RDMA.
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
#include "kernel/netlink/dcb.h"
#include "roce/netdevs.h"
#include "roce/table/target.h"

static void add_link(struct inventory *inventory, const char *name, unsigned int index,
		     const char *kind, unsigned int master)
{
	struct link *link = link_list_add(&inventory->links);

	link->name = mem_string(name);
	link->index = number_of(index);
	link->kind = mem_string_or_null(kind);
	if (master)
		link->master_index = number_of(master);
}

static void add_port(struct device *device, unsigned int number, enum link_layer layer,
		     const char *netdev)
{
	struct port *port = device_add_port(device, number);

	port->link_layer = number_of(layer);
	port->netdev = mem_string_or_null(netdev);
}

static struct device *add_device(struct inventory *inventory, const char *name)
{
	struct device *device = device_list_add(&inventory->devices, name);

	device->transport = number_of(TRANSPORT_INFINIBAND);
	return device;
}

/* mlx4_0/1 InfiniBand, mlx4_0/2 on eth9; bond_0/1 on bond0; mlx5_0/1 on eth0, a member of it. */
static int set_up(void **state)
{
	struct inventory *inventory = mem_alloc_zero(1, sizeof(*inventory));
	struct device *device;

	add_link(inventory, "eth0", 1, NULL, 5);
	add_link(inventory, "lo", 2, NULL, 0);
	add_link(inventory, "eth1", 3, NULL, 5);
	add_link(inventory, "eth9", 4, NULL, 0);
	add_link(inventory, "bond0", 5, "bond", 0);
	add_link(inventory, "br0", 6, "bridge", 0);
	add_link(inventory, "eth2", 7, NULL, 6);
	device = add_device(inventory, "mlx4_0");
	add_port(device, 1, LINK_LAYER_INFINIBAND, NULL);
	add_port(device, 2, LINK_LAYER_ETHERNET, "eth9");
	add_port(add_device(inventory, "bond_0"), 1, LINK_LAYER_ETHERNET, "bond0");
	add_port(add_device(inventory, "mlx5_0"), 1, LINK_LAYER_ETHERNET, "eth0");
	add_port(add_device(inventory, "ib_0"), 1, LINK_LAYER_INFINIBAND, NULL);
	add_port(add_device(inventory, "bare_0"), 1, LINK_LAYER_ETHERNET, NULL);
	*state = inventory;
	return 0;
}

static int tear_down(void **state)
{
	inventory_free(*state);
	free(*state);
	return 0;
}

/* Formats "mlx4_0/2; eth9; eth9": ports, netdevs, and netdevs that have the settings. */
static char *describe(const struct roce_target *target)
{
	char *text = mem_string("");

	for (size_t i = 0; i < target->port_count; i++)
		mem_extend(&text, "%s%s/%u", i ? " " : "", target->ports[i]->device,
			   (unsigned int)target->ports[i]->port.value);
	mem_extend(&text, ";");
	for (size_t i = 0; i < target->netdev_count; i++)
		mem_extend(&text, " %s", target->netdevs[i]->name);
	mem_extend(&text, ";");
	for (size_t i = 0; i < target->member_count; i++)
		mem_extend(&text, " %s", target->members[i]->name);
	return text;
}

static void words(void **state)
{
	static const struct {
		const char *word;
		int rc;
		const char *wanted;
	} cases[] = {
		{"mlx4_0", 0, "mlx4_0/2; eth9; eth9"},
		{"mlx4_0/2", 0, "mlx4_0/2; eth9; eth9"},
		{"mlx4_0/1", -EOPNOTSUPP, ";;"},
		{"mlx4_0/3", -ENODEV, ";;"},
		{"mlx4_0/0", -ENODEV, ";;"},
		{"mlx4_0/", -ENODEV, ";;"},
		{"mlx4_0/2x", -ENODEV, ";;"},
		{"mlx4_0/+2", -ENODEV, ";;"},
		{"mlx4_0/ 2", -ENODEV, ";;"},
		{"mlx9_0/1", -ENODEV, ";;"},
		{"mlx9_0", -ENODEV, ";;"},
		{"ib_0", -EOPNOTSUPP, ";;"},
		{"bare_0", 0, "bare_0/1;;"},
		{"bond_0/1", 0, "bond_0/1; bond0; eth0 eth1"},
		{"bond0", 0, "bond_0/1; bond0; eth0 eth1"},
		/* The member's own port, and that of its bond. */
		{"eth0", 0, "bond_0/1 mlx5_0/1; eth0; eth0"},
		{"eth1", 0, "bond_0/1; eth1; eth1"},
		{"eth9", 0, "mlx4_0/2; eth9; eth9"},
		{"lo", 0, "; lo; lo"},
		/* A bridge also has its own ports, but is no bond. */
		{"br0", 0, "; br0; br0"},
		{"eth2", 0, "; eth2; eth2"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(freep) char *text = NULL;
		struct roce_target target;
		int rc = roce_target_find(*state, cases[i].word, &target);

		text = describe(&target);
		if (rc != cases[i].rc || strcmp(text, cases[i].wanted) != 0)
			fail_msg("%s: %d, %s", cases[i].word, rc, text);
		roce_target_clear(&target);
		assert_int_equal(target.port_count + target.netdev_count + target.member_count, 0);
	}
}

/* A netdev with two ports is named once. */
static void twice(void **state)
{
	_cleanup_(freep) char *text = NULL;
	struct inventory *inventory = *state;
	struct roce_target target;

	add_port(&inventory->devices.items[0], 3, LINK_LAYER_ETHERNET, "eth9");
	assert_int_equal(roce_target_find(inventory, "mlx4_0", &target), 0);
	text = describe(&target);
	assert_string_equal(text, "mlx4_0/2 mlx4_0/3; eth9; eth9");
	roce_target_clear(&target);
	/* The netdevs are already there, so nothing is loaded. */
	assert_int_equal(roce_target_load_links(inventory), 0);
	assert_int_equal(inventory->links.count, 7);
}

static void bonds(void **state)
{
	const struct inventory *inventory = *state;
	const struct link *links = inventory->links.items;
	const struct device *devices = inventory->devices.items;

	assert_ptr_equal(roce_port_bond(inventory, &devices[1].ports[0]), &links[4]);
	assert_ptr_equal(roce_port_bond(inventory, &devices[2].ports[0]), &links[4]);
	assert_null(roce_port_bond(inventory, &devices[0].ports[1]));
	assert_null(roce_port_bond(inventory, &devices[4].ports[0]));
	assert_false(link_is_bond(NULL));
	assert_false(link_is_bond(&links[0]));
	assert_false(link_is_bond(&links[5]));
	assert_ptr_equal(roce_next_member(inventory, &links[3], NULL), &links[3]);
	assert_null(roce_next_member(inventory, &links[3], &links[3]));
	assert_ptr_equal(roce_next_member(inventory, &links[4], NULL), &links[0]);
	assert_ptr_equal(roce_next_member(inventory, &links[4], &links[0]), &links[2]);
	assert_null(roce_next_member(inventory, &links[4], &links[2]));
}

/* The largest payload that leaves 96 bytes for headers: iboe_get_mtu(), include/rdma/ib_addr.h. */
static void mtus(void **state)
{
	(void)state;
	for (unsigned int mtu = 256; mtu <= 4096; mtu *= 2) {
		assert_int_equal(roce_mtu(mtu + 96), mtu);
		assert_int_equal(roce_mtu(mtu + 95), mtu > 256 ? mtu / 2 : 0);
	}
	assert_int_equal(roce_mtu(9000), 4096);
	assert_int_equal(roce_mtu(1500), 1024);
	assert_int_equal(roce_mtu(0), 0);
}

static void priorities(void **state)
{
	static const struct {
		unsigned int mask;
		const char *words;
	} cases[] = {{0, "none"}, {1, "0"}, {0x80, "7"}, {0x81, "0, 7"}, {0x100, "none"}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(freep) char *text = roce_priorities(cases[i].mask);

		assert_string_equal(text, cases[i].words);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(words), TEST(twice), TEST(bonds), TEST(mtus), TEST(priorities),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
