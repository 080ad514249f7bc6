/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The netdev of each port, and the netdevs on top of it; netdevs in general. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "host/netdev.h"

struct host {
	struct device_list devices;
	struct link_list links;
	struct netdev_list netdevs;
};

static int setup(void **state)
{
	*state = mem_alloc_zero(1, sizeof(struct host));
	return 0;
}

static int teardown(void **state)
{
	struct host *host = *state;

	netdev_list_clear(&host->netdevs);
	device_list_clear(&host->devices);
	link_list_clear(&host->links);
	free(host);
	return 0;
}

static struct link *add_link(struct host *host, uint64_t index, const char *name)
{
	struct link *link = link_list_add(&host->links);

	link->index = number_of(index);
	link->name = mem_string(name);
	return link;
}

static struct port *add_port(struct host *host, const char *name, enum transport transport,
			     enum link_layer layer, const char *netdev)
{
	struct device *device = device_list_add(&host->devices, name);
	struct port *port = device_add_port(device, 1);

	device->transport = number_of(transport);
	port->link_layer = number_of(layer);
	port->netdev = netdev ? mem_string(netdev) : NULL;
	return port;
}

static void make(struct host *host)
{
	netdev_list_clear(&host->netdevs);
	netdev_list_make(&host->netdevs, &host->devices, &host->links);
}

static void check_words(const struct strings *strings, const char *const *words)
{
	size_t i = 0;

	assert_true(strings->known);
	for (; words[i]; i++) {
		assert_true(i < strings->count);
		assert_string_equal(strings->items[i], words[i]);
	}
	assert_int_equal(strings->count, i);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__})

static void plain(void **state)
{
	struct host *host = *state;
	const struct netdev *netdev;
	struct link *link = add_link(host, 4, "eth0");

	link->operstate = number_of(6);
	link->mtu_bytes = number_of(9000);
	link->speed_mbps = number_of(100000);
	link->address = mem_string("02:00:00:00:00:01");
	add_link(host, 5, "eth1");
	add_port(host, "mlx5_0", TRANSPORT_ROCE, LINK_LAYER_ETHERNET, "eth0");
	make(host);
	assert_int_equal(host->netdevs.count, 1);
	netdev = &host->netdevs.items[0];
	assert_string_equal(netdev->device, "mlx5_0");
	assert_int_equal(netdev->port.value, 1);
	assert_string_equal(netdev->netdev, "eth0");
	assert_int_equal(netdev->netns.value, NETDEV_NAMESPACE_OWN);
	assert_int_equal(netdev->link.operstate.value, 6);
	assert_int_equal(netdev->link.mtu_bytes.value, 9000);
	assert_int_equal(netdev->link.speed_mbps.value, 100000);
	assert_string_equal(netdev->link.address, "02:00:00:00:00:01");
	assert_null(netdev->link.kind);
	assert_null(netdev->master);
	check_words(&netdev->members, WORDS(NULL));
	check_words(&netdev->vlans, WORDS(NULL));
	check_words(&netdev->ipoib, WORDS(NULL));
}

/* Every port has its record, with or without a netdev. */
static void namespaces(void **state)
{
	static const enum netdev_namespace expected[] = {
		NETDEV_NAMESPACE_UNKNOWN, NETDEV_NAMESPACE_UNKNOWN, NETDEV_NAMESPACE_NONE,
		NETDEV_NAMESPACE_NONE,	  NETDEV_NAMESPACE_OWN,
	};
	struct host *host = *state;

	add_port(host, "mlx5_0", TRANSPORT_ROCE, LINK_LAYER_ETHERNET, NULL);
	add_port(host, "siw0", TRANSPORT_IWARP, LINK_LAYER_ETHERNET, NULL);
	add_port(host, "mlx5_1", TRANSPORT_INFINIBAND, LINK_LAYER_INFINIBAND, NULL);
	add_port(host, "efa_0", TRANSPORT_UNSPECIFIED, LINK_LAYER_UNSPECIFIED, NULL);
	add_port(host, "mlx5_2", TRANSPORT_ROCE, LINK_LAYER_ETHERNET, "eth0");
	device_add_port(&host->devices.items[4], 2)->link_layer = number_of(LINK_LAYER_ETHERNET);
	number_set(&host->devices.items[2].ports[0].port_guid, 0xec0d9a0300781a2c);
	make(host);
	assert_int_equal(host->netdevs.count, 6);
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
		assert_int_equal(host->netdevs.items[i].netns.value, expected[i]);
	assert_int_equal(host->netdevs.items[5].port.value, 2);
	assert_int_equal(host->netdevs.items[5].netns.value, NETDEV_NAMESPACE_UNKNOWN);
}

/* If not everything could be searched, an IPoIB netdev that was not found is unknown. */
static void namespaces_of_ipoib(void **state)
{
	struct host *host = *state;

	add_port(host, "mlx5_0", TRANSPORT_INFINIBAND, LINK_LAYER_INFINIBAND, NULL);
	make(host);
	assert_int_equal(host->netdevs.items[0].netns.value, NETDEV_NAMESPACE_UNKNOWN);
	number_set(&host->devices.items[0].ports[0].port_guid, 0xec0d9a0300781a2c);
	make(host);
	assert_int_equal(host->netdevs.items[0].netns.value, NETDEV_NAMESPACE_NONE);
	host->links.incomplete = true;
	make(host);
	assert_int_equal(host->netdevs.items[0].netns.value, NETDEV_NAMESPACE_UNKNOWN);
	/* An SMI sub-device is not searched for one. */
	number_set(&host->devices.items[0].sub_type, 1);
	make(host);
	assert_int_equal(host->netdevs.items[0].netns.value, NETDEV_NAMESPACE_NONE);
}

/* The netdev's name is known, but rtnetlink does not list it, or no longer does. */
static void no_such_link(void **state)
{
	struct host *host = *state;

	add_port(host, "mlx5_0", TRANSPORT_ROCE, LINK_LAYER_ETHERNET, "eth0");
	make(host);
	assert_string_equal(host->netdevs.items[0].netdev, "eth0");
	assert_false(host->netdevs.items[0].link.mtu_bytes.known);
	assert_false(host->netdevs.items[0].vlans.known);
	assert_false(host->netdevs.items[0].members.known);
}

static struct link *add_vlan(struct host *host, uint64_t index, const char *name, uint64_t lower)
{
	struct link *link = add_link(host, index, name);

	link->lower_index = number_of(lower);
	link->vlan_id = number_of(index);
	return link;
}

static void vlans(void **state)
{
	struct host *host = *state;

	add_link(host, 4, "eth0");
	add_vlan(host, 5, "eth0.5", 4);
	add_vlan(host, 6, "eth0.6", 4);
	/*
	 * A VLAN on another netdev, one with the same index in another namespace, and a netdev that
	 * is not a VLAN.
	 */
	add_vlan(host, 7, "eth1.7", 44);
	add_vlan(host, 8, "eth9.8", 4)->lower_elsewhere = true;
	add_link(host, 9, "macvlan0")->lower_index = number_of(4);
	add_port(host, "mlx5_0", TRANSPORT_ROCE, LINK_LAYER_ETHERNET, "eth0");
	make(host);
	check_words(&host->netdevs.items[0].vlans, WORDS("eth0.5", "eth0.6", NULL));
}

static void bond_member(void **state)
{
	struct host *host = *state;

	add_link(host, 4, "eth0")->master_index = number_of(9);
	add_link(host, 5, "eth1")->master_index = number_of(9);
	add_link(host, 9, "bond0");
	add_vlan(host, 10, "bond0.200", 9);
	add_port(host, "mlx5_0", TRANSPORT_ROCE, LINK_LAYER_ETHERNET, "eth0");
	make(host);
	assert_string_equal(host->netdevs.items[0].master, "bond0");
	check_words(&host->netdevs.items[0].vlans, WORDS("bond0.200", NULL));
	check_words(&host->netdevs.items[0].members, WORDS(NULL));
}

static void bond_itself(void **state)
{
	struct host *host = *state;

	add_link(host, 4, "eth0")->master_index = number_of(9);
	add_link(host, 5, "eth1")->master_index = number_of(9);
	add_link(host, 9, "bond0")->kind = mem_string("bond");
	add_port(host, "mlx5_bond_0", TRANSPORT_ROCE, LINK_LAYER_ETHERNET, "bond0");
	make(host);
	assert_null(host->netdevs.items[0].master);
	assert_string_equal(host->netdevs.items[0].link.kind, "bond");
	check_words(&host->netdevs.items[0].members, WORDS("eth0", "eth1", NULL));
}

static struct link *add_ipoib(struct host *host, uint64_t index, const char *name, uint64_t guid)
{
	struct link *link = add_link(host, index, name);

	link->type = number_of(32);
	link->port_guid = number_of(guid);
	return link;
}

static void ipoib(void **state)
{
	struct host *host = *state;
	struct port *port;

	add_ipoib(host, 4, "ib0", 0x11);
	add_ipoib(host, 5, "ib0.8001", 0x11)->lower_index = number_of(4);
	add_ipoib(host, 6, "ib1", 0x22);
	port = add_port(host, "mlx5_0", TRANSPORT_INFINIBAND, LINK_LAYER_INFINIBAND, "ib0");
	port->port_guid = number_of(0x11);
	/* An Ethernet port with the same GUID has no IPoIB. */
	port = add_port(host, "mlx5_1", TRANSPORT_ROCE, LINK_LAYER_ETHERNET, NULL);
	port->port_guid = number_of(0x22);
	make(host);
	check_words(&host->netdevs.items[0].ipoib, WORDS("ib0", "ib0.8001", NULL));
	check_words(&host->netdevs.items[1].ipoib, WORDS(NULL));
}

static void is_ipoib_of(void **state)
{
	struct link link = {.type = number_of(32), .port_guid = number_of(0x11)};
	struct port port = {.port_guid = number_of(0x11)};

	(void)state;
	assert_true(link_is_ipoib_of(&link, &port));
	port.port_guid.known = false;
	assert_false(link_is_ipoib_of(&link, &port));
	link.port_guid.known = false;
	port.port_guid.known = true;
	assert_false(link_is_ipoib_of(&link, &port));
	link.port_guid = number_of(0x12);
	assert_false(link_is_ipoib_of(&link, &port));
	link.port_guid = number_of(0x11);
	link.type = number_of(1);
	assert_false(link_is_ipoib_of(&link, &port));
}

static void links_found(void **state)
{
	struct host *host = *state;
	struct number index = number_of(0);

	add_link(host, 4, "eth0");
	/* A link without an index does not have index 0. */
	link_list_add(&host->links)->name = mem_string("odd");
	assert_null(link_by_index(&host->links, &index));
	index = number_of(4);
	assert_string_equal(link_by_index(&host->links, &index)->name, "eth0");
	index.known = false;
	assert_null(link_by_index(&host->links, &index));
	assert_int_equal(link_by_name(&host->links, "eth0")->index.value, 4);
	assert_null(link_by_name(&host->links, "eth"));
	assert_null(link_by_name(&host->links, NULL));
}

/* The same answers after sorting; a link added later is also found. */
static void links_found_when_sorted(void **state)
{
	static const char *const names[] = {"ib0", "eth1", "lo", "eth0", "eth10"};
	struct host *host = *state;
	struct number index = number_of(0);
	char name[16];

	link_list_sort(&host->links);
	assert_null(link_by_name(&host->links, "eth0"));
	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++)
		add_link(host, (i * 7 + 3) % 11, names[i]);
	link_list_add(&host->links)->index = number_of(UINT64_MAX);
	link_list_add(&host->links)->name = mem_string("odd");
	link_list_sort(&host->links);
	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++) {
		index.value = (i * 7 + 3) % 11;
		assert_ptr_equal(link_by_name(&host->links, names[i]), &host->links.items[i]);
		assert_ptr_equal(link_by_index(&host->links, &index), &host->links.items[i]);
	}
	index.value = UINT64_MAX;
	assert_ptr_equal(link_by_index(&host->links, &index), &host->links.items[5]);
	assert_ptr_equal(link_by_name(&host->links, "odd"), &host->links.items[6]);
	index.known = false;
	assert_null(link_by_index(&host->links, &index));
	index = number_of(11);
	assert_null(link_by_index(&host->links, &index));
	assert_null(link_by_name(&host->links, "eth"));
	assert_null(link_by_name(&host->links, NULL));
	for (unsigned int i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "late%u", i);
		add_link(host, 20 + i, name);
		assert_int_equal(link_by_name(&host->links, name)->index.value, 20 + i);
		link_list_sort(&host->links);
		assert_non_null(link_by_name(&host->links, names[0]));
	}
}

/* A VRF belongs to itself; a bond member belongs to none, even if the bond does. */
static void vrfs(void **state)
{
	struct host *host = *state;
	const struct link_list *links = &host->links;

	add_link(host, 4, "red")->kind = mem_string("vrf");
	add_link(host, 5, "bond0")->master_index = number_of(4);
	add_link(host, 6, "eth0")->master_index = number_of(5);
	add_link(host, 7, "eth1")->master_index = number_of(99);
	assert_int_equal(link_vrf_index(links, link_by_name(links, "red")), 4);
	assert_int_equal(link_vrf_index(links, link_by_name(links, "bond0")), 4);
	assert_int_equal(link_vrf_index(links, link_by_name(links, "eth0")), 0);
	assert_int_equal(link_vrf_index(links, link_by_name(links, "eth1")), 0);
	assert_int_equal(link_vrf_index(links, NULL), 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(plain),
		TEST(namespaces),
		TEST(namespaces_of_ipoib),
		TEST(no_such_link),
		TEST(vlans),
		TEST(bond_member),
		TEST(bond_itself),
		TEST(ipoib),
		TEST(is_ipoib_of),
		TEST(links_found),
		TEST(links_found_when_sorted),
		TEST(vrfs),
	};

	return cmocka_run_group_tests_name("netdev", tests, NULL, NULL);
}
