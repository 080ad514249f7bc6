/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Netdevs of a saved tree. */
#include "saved_tree.h"

#include <linux/rtnetlink.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/attributes.h"
#include "host/need.h"
#include "host/netdev.h"
#include "host/rtnl.h"
#include "netlink_message.h"
#include "schema/problem.h"

#define NET "sys/class/net/"

struct bed {
	struct saved_tree tree;
	struct link_list links;
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
	link_list_clear(&bed->links);
	problems_free(&bed->problems);
	free(bed);
	return 0;
}

static void write_all(struct bed *bed, const char *name, const char *const (*files)[2])
{
	for (; (*files)[0]; files++) {
		char path[200];

		snprintf(path, sizeof(path), NET "%s/%s", name, (*files)[0]);
		if ((*files)[1][0] == '!' || (*files)[1][0] == '.')
			tree_link(&bed->tree, path, (*files)[1]);
		else
			tree_write(&bed->tree, path, (*files)[1]);
	}
}

#define WRITE(bed, name, ...) \
	write_all(bed, name, (const char *const[][2]){__VA_ARGS__, {NULL, NULL}})

static const struct link *load_one(struct bed *bed, const char *name)
{
	const struct link *link;

	link_list_clear(&bed->links);
	assert_int_equal(link_list_read_sysfs(&bed->tree.root, &bed->links, NEED_EVERYTHING,
					      &bed->problems),
			 0);
	link = link_by_name(&bed->links, name);
	assert_non_null(link);
	return link;
}

static void ethernet(void **state)
{
	struct bed *bed = *state;
	const struct link *link;

	WRITE(bed, "eth0", {"ifindex", "4"}, {"iflink", "4"}, {"type", "1"}, {"mtu", "9000"},
	      {"operstate", "up"}, {"address", "02:00:00:00:00:01"}, {"carrier_changes", "3"},
	      {"dev_port", "1"}, {"speed", "100000"}, {"uevent", "INTERFACE=eth0\nIFINDEX=4"});
	link = load_one(bed, "eth0");
	assert_int_equal(link->index.value, 4);
	assert_int_equal(link->type.value, 1);
	assert_int_equal(link->mtu_bytes.value, 9000);
	assert_int_equal(link->operstate.value, 6);
	assert_string_equal(link->address, "02:00:00:00:00:01");
	assert_int_equal(link->carrier_changes.value, 3);
	assert_int_equal(link->dev_port.value, 1);
	assert_int_equal(link->speed_mbps.value, 100000);
	assert_null(link->kind);
	assert_false(link->lower_index.known);
	assert_false(link->master_index.known);
	assert_false(link->vlan_id.known);
	assert_false(link->pkey.known);
	assert_false(link->port_guid.known);
}

static void check_problem(const struct bed *bed, size_t index, const char *object,
			  const char *attribute, const char *error)
{
	assert_in_range(index + 1, 1, bed->problems.count);
	assert_string_equal(bed->problems.items[index].object, object);
	assert_string_equal(bed->problems.items[index].attribute, attribute);
	assert_string_equal(bed->problems.items[index].error, error);
}

/* A missing or impossible value is unknown, never 0. */
static void unknown_values(void **state)
{
	struct bed *bed = *state;
	const struct link *link;

	WRITE(bed, "eth0", {"ifindex", "4"}, {"mtu", "many"}, {"operstate", "sideways"},
	      {"speed", "-1"}, {"carrier_changes", "!EINVAL"}, {"address", ""});
	link = load_one(bed, "eth0");
	assert_int_equal(bed->problems.count, 5);
	check_problem(bed, 0, "eth0", "type", strerror(ENOENT));
	check_problem(bed, 1, "eth0", "mtu_bytes", "unexpected text 'many'");
	check_problem(bed, 2, "eth0", "carrier_changes", strerror(EINVAL));
	check_problem(bed, 3, "eth0", "iflink", strerror(ENOENT));
	check_problem(bed, 4, "eth0", "operstate", "unexpected text 'sideways'");
	assert_false(link->type.known);
	assert_false(link->mtu_bytes.known);
	assert_false(link->operstate.known);
	assert_false(link->speed_mbps.known);
	assert_false(link->carrier_changes.known);
	assert_null(link->address);
}

/* Errors are reported for each netdev; a missing file is not an error. */
static void unreadable_values(void **state)
{
	static const char *const files[][2] = {
		{"type", "type"},
		{"mtu", "mtu_bytes"},
		{"carrier_changes", "carrier_changes"},
		{"dev_port", "dev_port"},
		{"speed", "speed_mbps"},
		{"iflink", "iflink"},
		{"operstate", "operstate"},
		{"address", "address"},
		{"pkey", "pkey"},
		{"master", "master"},
		{"uevent", "kind"},
	};
	struct bed *bed = *state;

	WRITE(bed, "eth0", {"ifindex", "4"});
	load_one(bed, "eth0");
	/* The kernel provides type, mtu, iflink, operstate and address for every netdev. */
	assert_int_equal(bed->problems.count, 5);
	problems_free(&bed->problems);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		WRITE(bed, "eth0", {files[i][0], "!EIO"});
	tree_link(&bed->tree, "proc/net/vlan/eth0", "!EACCES");
	load_one(bed, "eth0");
	assert_int_equal(bed->problems.count, ARRAY_SIZE(files) + 1);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		check_problem(bed, i, "eth0", files[i][1], strerror(EIO));
	check_problem(bed, ARRAY_SIZE(files), "eth0", "vlan", strerror(EACCES));
}

/* If the port of a netdev cannot be determined, an InfiniBand port's netdev may be missing. */
static void incomplete(void **state)
{
	struct bed *bed = *state;

	WRITE(bed, "eth0", {"ifindex", "4"}, {"type", "1"}, {"address", "!EIO"});
	load_one(bed, "eth0");
	assert_false(bed->links.incomplete);
	WRITE(bed, "ib0", {"ifindex", "5"}, {"type", "32"}, {"address", "!EIO"});
	load_one(bed, "ib0");
	assert_true(bed->links.incomplete);
	WRITE(bed, "ib0", {"type", "!EIO"});
	load_one(bed, "ib0");
	assert_true(bed->links.incomplete);
	problems_free(&bed->problems);
	tree_delete(&bed->tree, NET "ib0");
	tree_link(&bed->tree, NET "ib0", "!EACCES");
	load_one(bed, "eth0");
	assert_null(link_by_name(&bed->links, "ib0"));
	assert_true(bed->links.incomplete);
	assert_int_equal(bed->problems.count, 5);
	check_problem(bed, 4, "ib0", "ifindex", strerror(EACCES));
}

static void operational_states(void **state)
{
	static const char *const words[] = {"unknown", "notpresent", "down", "lowerlayerdown",
					    "testing", "dormant",    "up"};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		WRITE(bed, "eth0", {"ifindex", "4"}, {"operstate", words[i]});
		assert_int_equal(load_one(bed, "eth0")->operstate.value, i);
		assert_true(load_one(bed, "eth0")->operstate.known);
	}
}

static void ipoib(void **state)
{
	struct bed *bed = *state;
	const struct link *link;

	WRITE(bed, "ib0", {"ifindex", "5"}, {"iflink", "5"}, {"type", "32"},
	      {"address", "00:00:10:8c:fe:80:00:00:00:00:00:00:ec:0d:9a:03:00:78:1a:2c"},
	      {"pkey", "0xffff"});
	WRITE(bed, "ib0.8001", {"ifindex", "6"}, {"iflink", "5"}, {"type", "32"},
	      {"address", "00:00:10:8d:fe:80:00:00:00:00:00:00:ec:0d:9a:03:00:78:1a:2c"},
	      {"pkey", "0x8001"});
	link = load_one(bed, "ib0");
	assert_true(link->port_guid.known);
	assert_true(link->port_guid.value == 0xec0d9a0300781a2c);
	assert_int_equal(link->pkey.value, 0xffff);
	assert_false(link->lower_index.known);
	link = load_one(bed, "ib0.8001");
	assert_true(link->port_guid.value == 0xec0d9a0300781a2c);
	assert_int_equal(link->pkey.value, 0x8001);
	assert_int_equal(link->lower_index.value, 5);
}

/* Children created by netlink have no file pkey: bytes 8 and 9 of the address hold it. */
static void pkey_of_broadcast(void **state)
{
	static const struct {
		const char *broadcast;
		int pkey; /* -1: unknown, and a problem */
	} samples[] = {
		{"00:ff:ff:ff:ff:12:40:1b:80:01:00:00:00:00:00:00:ff:ff:ff:ff", 0x8001},
		{"00:ff:ff:ff:ff:12:40:1b:ff:ff:00:00:00:00:00:00:ff:ff:ff:ff", 0xffff},
		{"00:ff:ff:ff:ff:12:40:1b:81:23:45:67:00:00:00:00:ff:ff:ff:ff", 0x8123},
		{"00:ff:ff:ff:ff:12:40:1b:x0:01:00:00:00:00:00:00:ff:ff:ff:ff", -1},
		{"00:ff:ff:ff:ff:12:40:1b:80:x1:00:00:00:00:00:00:ff:ff:ff:ff", -1},
		{"00:ff:ff:ff:ff:12:40:1b:80:01:00:00:00:00:00:00:ff:ff:ff:f", -1},
		{"ff:ff:ff:ff:ff:ff", -1},
		{"!EACCES", -1},
	};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		const struct link *link;
		int problems = 0;

		tree_delete(&bed->tree, NET "ib0.1/broadcast");
		WRITE(bed, "ib0.1", {"ifindex", "6"}, {"iflink", "5"}, {"type", "32"},
		      {"address", "00:00:10:8d:fe:80:00:00:00:00:00:00:ec:0d:9a:03:00:78:1a:2c"},
		      {"broadcast", samples[i].broadcast});
		problems_free(&bed->problems);
		bed->problems = (struct problems){.count = 0};
		link = load_one(bed, "ib0.1");
		assert_int_equal(link->pkey.known, samples[i].pkey >= 0);
		if (link->pkey.known)
			assert_int_equal(link->pkey.value, samples[i].pkey);
		for (size_t j = 0; j < bed->problems.count; j++)
			problems += !strcmp(bed->problems.items[j].attribute, "pkey");
		assert_int_equal(problems, samples[i].pkey < 0);
	}
}

static void bad_ipoib_addresses(void **state)
{
	static const char *const addresses[] = {
		"00:00:10:8c:fe:80:00:00:00:00:00:00:ec:0d:9a:03:00:78:1a",
		"00:00:10:8c:fe:80:00:00:00:00:00:00:ec:0d:9a:03:00:78:1a:2x",
		"00:00:10:8c:fe:80:00:00:00:00:00:00:::::::::::::::::::::::c",
	};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(addresses); i++) {
		WRITE(bed, "ib0", {"ifindex", "5"}, {"address", addresses[i]});
		assert_false(load_one(bed, "ib0")->port_guid.known);
	}
}

static void vlan(void **state)
{
	struct bed *bed = *state;
	const struct link *link;

	WRITE(bed, "eth0.5", {"ifindex", "7"}, {"iflink", "4"},
	      {"uevent", "DEVTYPE=vlan\nINTERFACE=eth0.5\nIFINDEX=7"});
	tree_write(&bed->tree, "proc/net/vlan/eth0.5",
		   "eth0.5  VID: 5\t REORDER_HDR: 1  dev->priv_flags: 1021\n"
		   "         total frames received            0\nDevice: eth0");
	link = load_one(bed, "eth0.5");
	assert_string_equal(link->kind, "vlan");
	assert_int_equal(link->vlan_id.value, 5);
	assert_int_equal(link->lower_index.value, 4);
	tree_write(&bed->tree, "proc/net/vlan/eth0.5", "eth0.5  VID: x");
	assert_false(load_one(bed, "eth0.5")->vlan_id.known);
	check_problem(bed, bed->problems.count - 1, "eth0.5", "vlan",
		      "unexpected text 'eth0.5  VID: x'");
}

static void bond(void **state)
{
	struct bed *bed = *state;
	const struct link *link;

	WRITE(bed, "bond0", {"ifindex", "9"}, {"iflink", "9"}, {"uevent", "DEVTYPE=bond"});
	WRITE(bed, "eth0", {"ifindex", "4"}, {"master", "../bond0"});
	WRITE(bed, "eth1", {"ifindex", "5"}, {"master", "../gone"});
	link = load_one(bed, "eth0");
	assert_int_equal(link->master_index.value, 9);
	assert_false(load_one(bed, "eth1")->master_index.known);
	assert_string_equal(load_one(bed, "bond0")->kind, "bond");
	/* The words count only at the start of a line. */
	WRITE(bed, "bond1", {"ifindex", "10"}, {"uevent", "INTERFACE=DEVTYPE=vlan\nIFINDEX=10"});
	assert_null(load_one(bed, "bond1")->kind);
}

/* Only an entry with an index is a netdev, and names are shown clean. */
static void strange_entries(void **state)
{
	struct bed *bed = *state;

	tree_write(&bed->tree, NET "bonding_masters", "bond0");
	tree_directory(&bed->tree, NET "empty");
	tree_link(&bed->tree, NET "gone", "../../devices/gone");
	tree_link(&bed->tree, NET "loop", "loop");
	WRITE(bed, "eth10", {"ifindex", "3"});
	WRITE(bed, "eth2", {"ifindex", "2"}, {"uevent", "DEVTYPE=\033[31mvlan\nX=y"});
	WRITE(bed, "evil\n", {"ifindex", "5"});
	assert_int_equal(link_list_read_sysfs(&bed->tree.root, &bed->links, NEED_EVERYTHING,
					      &bed->problems),
			 0);
	assert_int_equal(bed->links.count, 3);
	assert_string_equal(bed->links.items[0].name, "eth2");
	assert_string_equal(bed->links.items[0].kind, "\\x1b[31mvlan");
	assert_string_equal(bed->links.items[1].name, "eth10");
	assert_string_equal(bed->links.items[2].name, "evil\\x0a");
}

static void no_directory(void **state)
{
	struct bed *bed = *state;

	assert_int_equal(link_list_read_sysfs(&bed->tree.root, &bed->links, NEED_EVERYTHING,
					      &bed->problems),
			 -ENOENT);
	tree_write(&bed->tree, "sys/class/net", "x");
	assert_int_equal(link_list_read_sysfs(&bed->tree.root, &bed->links, NEED_EVERYTHING,
					      &bed->problems),
			 -ENOTDIR);
	assert_int_equal(bed->links.count, 0);
}

static void speed_of_one(void **state)
{
	struct bed *bed = *state;
	struct link link = {.name = (char[]){"eth0"}}, nameless = {0};

	WRITE(bed, "eth0", {"speed", "25000"});
	link_read_sysfs(&bed->tree.root, &link, NEED_NETDEV_SPEED, &bed->problems);
	assert_int_equal(link.speed_mbps.value, 25000);
	link_read_sysfs(&bed->tree.root, &nameless, NEED_NETDEV_SPEED, &bed->problems);
	assert_false(nameless.speed_mbps.known);
	/* Old kernels print -1 as 4294967295. */
	link.speed_mbps = (struct number){0};
	WRITE(bed, "eth0", {"speed", "4294967295"});
	link_read_sysfs(&bed->tree.root, &link, NEED_NETDEV_SPEED, &bed->problems);
	assert_false(link.speed_mbps.known);
	/* A netdev that is down reports no speed. */
	WRITE(bed, "eth0", {"speed", "!EINVAL"});
	link_read_sysfs(&bed->tree.root, &link, NEED_NETDEV_SPEED, &bed->problems);
	assert_int_equal(bed->problems.count, 0);
	WRITE(bed, "eth0", {"speed", "!EIO"});
	link_read_sysfs(&bed->tree.root, &link, NEED_NETDEV_SPEED, &bed->problems);
	check_problem(bed, 0, "eth0", "speed_mbps", strerror(EIO));
	assert_false(link.speed_mbps.known);
}

/* Both readers fill every row of the table, except for those that rtnetlink does not have. */
static void same_facts(void **state)
{
	struct bed *bed = *state;
	const struct ifinfomsg header = {.ifi_index = 6, .ifi_type = 1};
	_cleanup_(link_list_clear) struct link_list list = {0};
	struct bytes message = {0}, data = {0}, info = {0};
	const uint8_t mac[6] = {2, 0, 0, 0, 0, 1};
	const struct link *saved, *live;

	WRITE(bed, "vlan0", {"ifindex", "6"}, {"type", "1"}, {"mtu", "9000"}, {"iflink", "4"},
	      {"carrier_changes", "3"}, {"dev_port", "1"}, {"speed", "100000"}, {"pkey", "0xffff"},
	      {"operstate", "up"}, {"address", "02:00:00:00:00:01"}, {"uevent", "DEVTYPE=vlan"},
	      {"master", "../br0"});
	WRITE(bed, "br0", {"ifindex", "7"});
	tree_write(&bed->tree, "proc/net/vlan/vlan0", "vlan0  VID: 200");
	saved = load_one(bed, "vlan0");
	bytes_put(&message, &header, sizeof(header));
	put_string(&message, IFLA_IFNAME, "vlan0");
	put_u32(&message, IFLA_MTU, 9000);
	put_u32(&message, IFLA_MAX_MTU, 9978);
	put_u32(&message, IFLA_LINK, 4);
	put_u32(&message, IFLA_CARRIER_CHANGES, 3);
	put_u8(&message, IFLA_OPERSTATE, 6);
	put_attribute(&message, IFLA_ADDRESS, mac, sizeof(mac));
	put_u32(&message, IFLA_MASTER, 7);
	put_u16(&data, IFLA_VLAN_ID, 200);
	put_string(&info, IFLA_INFO_KIND, "vlan");
	put_nest(&info, IFLA_INFO_DATA, &data);
	put_nest(&message, IFLA_LINKINFO, &info);
	assert_int_equal(rtnl_parse_link(message.data, message.length, link_list_add(&list)), 0);
	live = &list.items[0];
	for (size_t i = 0; i < link_attributes.count; i++) {
		const struct attribute *row = &link_attributes.items[i];
		const char *one = (const char *)saved + row->offset;
		const char *other = (const char *)live + row->offset;

		if (row->kind == ATTRIBUTE_TEXT || row->kind == ATTRIBUTE_ADDRESS) {
			assert_string_equal(*(char *const *)one, *(char *const *)other);
			continue;
		}
		/* The IPoIB attributes are compared by ipoib_facts(): this netdev is a VLAN. */
		if (row->offset == offsetof(struct link, ipoib_mode) ||
		    row->offset == offsetof(struct link, umcast))
			continue;
		/* Only rtnetlink has the maximum. */
		if (row->offset == offsetof(struct link, max_mtu_bytes)) {
			assert_int_equal(live->max_mtu_bytes.value, 9978);
			continue;
		}
		assert_true(((const struct number *)one)->known);
		/* Some numbers are only in sysfs, such as the device's port and the speed. */
		if (row->offset == offsetof(struct link, pkey) ||
		    row->offset == offsetof(struct link, dev_port) ||
		    row->offset == offsetof(struct link, speed_mbps))
			continue;
		assert_true(((const struct number *)other)->known);
		assert_int_equal(((const struct number *)one)->value,
				 ((const struct number *)other)->value);
	}
}

/* The same for an IPoIB netdev; a child created by netlink has attributes, but no files. */
static void ipoib_facts(void **state)
{
	struct bed *bed = *state;
	const struct ifinfomsg header = {.ifi_index = 9, .ifi_type = 32};
	_cleanup_(link_list_clear) struct link_list list = {0};
	struct bytes message = {0}, data = {0}, info = {0};
	const struct link *saved;

	WRITE(bed, "ib0", {"ifindex", "9"}, {"type", "32"}, {"pkey", "0x8001"},
	      {"mode", "connected"}, {"umcast", "1"});
	saved = load_one(bed, "ib0");
	assert_true(saved->ipoib_mode.known && saved->ipoib_mode.value == IPOIB_CONNECTED);
	assert_true(saved->umcast.known && saved->umcast.value == 1);
	bytes_put(&message, &header, sizeof(header));
	put_string(&message, IFLA_IFNAME, "ib0");
	put_u16(&data, IFLA_IPOIB_PKEY, 0x8001);
	put_u16(&data, IFLA_IPOIB_MODE, IPOIB_CONNECTED);
	put_u16(&data, IFLA_IPOIB_UMCAST, 1);
	put_string(&info, IFLA_INFO_KIND, "ipoib");
	put_nest(&info, IFLA_INFO_DATA, &data);
	put_nest(&message, IFLA_LINKINFO, &info);
	assert_int_equal(rtnl_parse_link(message.data, message.length, link_list_add(&list)), 0);
	assert_int_equal(list.items[0].pkey.value, 0x8001);
	assert_int_equal(list.items[0].ipoib_mode.value, IPOIB_CONNECTED);
	assert_int_equal(list.items[0].umcast.value, 1);
}

static void beside(void **state)
{
	static const struct {
		const char *netdev, *device;
		bool is_beside;
	} samples[] = {
		{"pci0/0000:65:00.0/net/eth0", "pci0/0000:65:00.0/infiniband/mlx5_0", true},
		{"pci0/0000:65:00.0/sf.4/net/eth0", "pci0/0000:65:00.0/sf.4/infiniband/mlx5_0",
		 true},
		{"pci0/0000:65:00.0/sf.4/net/eth0", "pci0/0000:65:00.0/infiniband/mlx5_0", false},
		{"pci0/0000:65:00.1/net/eth0", "pci0/0000:65:00.0/infiniband/mlx5_0", false},
		{"eth0", "mlx5_0", false},
		{"!EACCES", "!EACCES", false},
	};
	struct bed *bed = *state;

	assert_false(link_is_beside(&bed->tree.root, "eth0", "mlx5_0"));
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		tree_link(&bed->tree, NET "eth0", samples[i].netdev);
		tree_link(&bed->tree, "sys/class/infiniband/mlx5_0", samples[i].device);
		assert_int_equal(link_is_beside(&bed->tree.root, "eth0", "mlx5_0"),
				 samples[i].is_beside);
	}
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(ethernet),
		TEST(unknown_values),
		TEST(operational_states),
		TEST(ipoib),
		TEST(pkey_of_broadcast),
		TEST(bad_ipoib_addresses),
		TEST(vlan),
		TEST(bond),
		TEST(strange_entries),
		TEST(no_directory),
		TEST(speed_of_one),
		TEST(unreadable_values),
		TEST(incomplete),
		TEST(beside),
		TEST(same_facts),
		TEST(ipoib_facts),
	};

	return cmocka_run_group_tests_name("sysfs_net", tests, NULL, NULL);
}
