/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which netdev belongs to which port, P_Key and GID: made-up lists of netdevs and devices. */
#include "saved_tree.h"

#include "base/cleanup.h"
#include "host/inventory/reading.h"
#include "host/need.h"
#include "kernel/netlink/netlink.h"
#include "netlink_message.h"

enum { ETHERNET = 1, IPOIB = 32 }; /* ARPHRD_* */

#define GUID UINT64_C(0x0011223344556677)

struct bed {
	struct saved_tree tree;
	struct inventory inventory;
	struct inventory_request request;
	struct objects objects;
	struct reading reading;
	struct problems problems;
};

static int setup(void **state)
{
	const int rc = tree_set_up(state, sizeof(struct bed));
	struct bed *bed = *state;

	tree_directory(&bed->tree, "sys/class/net");
	bed->request.objects = &bed->objects;
	bed->reading = (struct reading){
		.inventory = &bed->inventory,
		.problems = &bed->problems,
		.request = &bed->request,
		.root = bed->tree.root,
		.needs = NEED_PORT_GUID | NEED_GIDS,
	};
	return rc;
}

static int teardown(void **state)
{
	struct bed *bed = *state;

	inventory_free(&bed->inventory);
	device_list_clear(&bed->reading.unlisted);
	problems_free(&bed->problems);
	netlink_free(bed->reading.nldev);
	tree_close(&bed->tree);
	free(bed);
	return 0;
}

static struct link *add_link(struct bed *bed, const char *name, uint64_t index, uint64_t type)
{
	struct link *link = link_list_add(&bed->inventory.links);

	link->name = mem_string(name);
	link->index = number_of(index);
	link->type = number_of(type);
	return link;
}

static struct link *add_ipoib(struct bed *bed, const char *name, uint64_t index, uint64_t pkey)
{
	struct link *link = add_link(bed, name, index, IPOIB);

	link->port_guid = number_of(GUID);
	link->pkey = number_of(pkey);
	return link;
}

static struct port *add_port(struct bed *bed, const char *name, enum link_layer layer)
{
	struct device *device = mem_append(&bed->inventory.devices.items,
					   &bed->inventory.devices.count, sizeof(*device));
	struct port *port;

	device->name = mem_string(name);
	device->kernel_name = mem_string(name);
	device->pci_address = mem_string("0000:01:00.0");
	port = device_add_port(device, 1);
	port->device = device->name;
	port->kernel_name = device->kernel_name;
	port->link_layer = number_of(layer);
	port->port_guid = number_of(GUID);
	return port;
}

static struct port *port_of(struct bed *bed, size_t device)
{
	return &bed->inventory.devices.items[device].ports[0];
}

static void add_pkey(struct port *port, uint64_t index, uint64_t value)
{
	struct pkey *pkey = mem_append(&port->pkeys, &port->pkey_count, sizeof(*pkey));

	pkey->index = number_of(index);
	pkey->pkey = number_of(value);
}

/* The netdevs of each P_Key, separated by |; ? if they are unknown. */
static void expect_pkeys(struct bed *bed, const char *wanted)
{
	_cleanup_(freep) char *got = mem_string("");
	const struct port *port;

	read_netdevs(&bed->reading);
	port = port_of(bed, 0);
	for (size_t i = 0; i < port->pkey_count; i++) {
		const struct strings *netdevs = &port->pkeys[i].netdevs;

		mem_extend(&got, "%s%s", i ? "|" : "", netdevs->known ? "" : "?");
		for (size_t j = 0; j < netdevs->count; j++)
			mem_extend(&got, "%s%s", j ? "," : "", netdevs->items[j]);
	}
	assert_string_equal(got, wanted);
}

static void pkeys(void **state)
{
	struct bed *bed = *state;
	struct port *port = add_port(bed, "a", LINK_LAYER_INFINIBAND);

	add_link(bed, "eth0", 2, ETHERNET);
	add_ipoib(bed, "ib9", 3, 0x8002)->port_guid = number_of(7);
	add_ipoib(bed, "ib0", 4, 0xffff);
	add_ipoib(bed, "ib0.8001", 5, 0x8001)->lower_index = number_of(4);
	add_ipoib(bed, "ib1", 6, 0x8001);
	/* The limited key comes first, and has no netdev where the full one exists. */
	add_pkey(port, 0, 0x7fff);
	add_pkey(port, 1, 0xffff);
	add_pkey(port, 2, 0x8001);
	add_pkey(port, 3, 0x8002);
	add_pkey(port, 4, 0);
	expect_pkeys(bed, "|ib0|ib0.8001,ib1||");
	assert_string_equal(port_of(bed, 0)->netdev, "ib0");
	assert_int_equal(port_of(bed, 0)->netdev_index.value, 4);
}

static void limited_pkeys(void **state)
{
	struct bed *bed = *state;
	struct port *port = add_port(bed, "a", LINK_LAYER_INFINIBAND);

	/* A netdev's key may be reported without the full-membership bit. */
	add_ipoib(bed, "ib0", 4, 0x7fff);
	add_ipoib(bed, "ib1", 5, 0x8001);
	add_pkey(port, 0, 0x7fff);
	add_pkey(port, 1, 0x0001);
	add_pkey(port, 2, 0x0001);
	expect_pkeys(bed, "ib0|ib1|");
}

static void hidden_pkeys(void **state)
{
	struct bed *bed = *state;
	struct port *port = add_port(bed, "a", LINK_LAYER_INFINIBAND);

	add_ipoib(bed, "ib0", 4, 0xffff);
	add_ipoib(bed, "ib1", 5, 0x8001);
	/* Slot 1 cannot be read, and may hold the key of the second netdev. */
	add_pkey(port, 0, 0xffff);
	add_pkey(port, 2, 0x0001);
	expect_pkeys(bed, "ib0|?");
}

static void unknown_pkeys(void **state)
{
	struct bed *bed = *state;
	struct port *port = add_port(bed, "a", LINK_LAYER_INFINIBAND);
	struct link *link;

	add_pkey(port, 0, 0xffff);
	expect_pkeys(bed, "?");
	link = add_ipoib(bed, "ib0", 4, 0);
	link->pkey.known = false;
	expect_pkeys(bed, "?");
	link->pkey = number_of(0x8001);
	expect_pkeys(bed, "");
	bed->inventory.links.incomplete = true;
	expect_pkeys(bed, "?");
	bed->inventory.links.incomplete = false;
	port_of(bed, 0)->link_layer.known = false;
	expect_pkeys(bed, "?");
	/* Ethernet has no IPoIB, even if something cannot be read. */
	port_of(bed, 0)->link_layer = number_of(LINK_LAYER_ETHERNET);
	bed->inventory.links.incomplete = true;
	expect_pkeys(bed, "");
}

static void expect_netdev(const struct port *port, const char *wanted, bool unknown)
{
	if (wanted)
		assert_string_equal(port->netdev, wanted);
	else
		assert_null(port->netdev);
	assert_int_equal(port->netdev_unknown, unknown);
}

/* A child is the port's netdev only if its parent is known to be elsewhere. */
static void children(void **state)
{
	struct bed *bed = *state;

	add_port(bed, "a", LINK_LAYER_INFINIBAND);
	read_netdevs(&bed->reading);
	expect_netdev(port_of(bed, 0), NULL, false);
	add_ipoib(bed, "ib0.1", 5, 0x8001)->lower_index = number_of(4);
	add_ipoib(bed, "ib0.2", 6, 0x8002)->lower_index = number_of(4);
	bed->inventory.links.incomplete = true;
	read_netdevs(&bed->reading);
	expect_netdev(port_of(bed, 0), NULL, true);
	bed->inventory.links.incomplete = false;
	read_netdevs(&bed->reading);
	expect_netdev(port_of(bed, 0), "ib0.1", false);
}

/* Devices of one function share a GUID, but each has a separate netdev. */
static void taken(void **state)
{
	struct bed *bed = *state;

	add_port(bed, "a", LINK_LAYER_INFINIBAND);
	add_port(bed, "b", LINK_LAYER_INFINIBAND);
	add_port(bed, "c", LINK_LAYER_INFINIBAND);
	add_ipoib(bed, "ib0", 4, 0xffff);
	add_ipoib(bed, "ib1", 5, 0xffff);
	read_netdevs(&bed->reading);
	expect_netdev(port_of(bed, 0), "ib0", false);
	expect_netdev(port_of(bed, 1), "ib1", false);
	expect_netdev(port_of(bed, 2), NULL, false);
}

/* The same if only the second device was requested. */
static void taken_by_unlisted(void **state)
{
	struct bed *bed = *state;
	struct device_list *all = &bed->reading.unlisted;

	device_add_port(device_list_add(all, "a"), 1)->port_guid = number_of(GUID);
	device_add_port(device_list_add(all, "b"), 1);
	device_add_port(device_list_add(all, "c"), 1)->port_guid = number_of(GUID);
	add_port(bed, "b", LINK_LAYER_INFINIBAND);
	add_ipoib(bed, "ib0", 4, 0xffff);
	add_ipoib(bed, "ib1", 5, 0xffff);
	read_netdevs(&bed->reading);
	expect_netdev(port_of(bed, 0), "ib1", false);
}

/* Folders of functions with netdevs, none of them here: only the first port of a GUID has one. */
static void hidden(void **state)
{
	struct bed *bed = *state;
	struct device *second;

	add_port(bed, "a", LINK_LAYER_INFINIBAND);
	add_port(bed, "b", LINK_LAYER_INFINIBAND);
	second = &bed->inventory.devices.items[1];
	tree_directory(&bed->tree, "sys/class/infiniband/a/device/net");
	tree_directory(&bed->tree, "sys/class/infiniband/b/device/net");
	read_netdevs(&bed->reading);
	expect_netdev(port_of(bed, 0), NULL, true);
	expect_netdev(port_of(bed, 1), NULL, false);
	/* The GUID of another port says nothing. */
	port_of(bed, 1)->port_guid = number_of(GUID + 1);
	read_netdevs(&bed->reading);
	expect_netdev(port_of(bed, 1), NULL, true);
	/* Neither does the port of another function. */
	port_of(bed, 1)->port_guid = number_of(GUID);
	second->pci_address[strlen(second->pci_address) - 1] = '1';
	read_netdevs(&bed->reading);
	expect_netdev(port_of(bed, 1), NULL, true);
	/* A netdev that is here, and one that is not. */
	tree_directory(&bed->tree, "sys/class/infiniband/b/device/net/eth0");
	add_link(bed, "eth0", 4, ETHERNET);
	read_netdevs(&bed->reading);
	expect_netdev(port_of(bed, 1), NULL, false);
	tree_directory(&bed->tree, "sys/class/infiniband/b/device/net/ib7");
	read_netdevs(&bed->reading);
	expect_netdev(port_of(bed, 1), NULL, true);
}

static void hidden_of_unlisted(void **state)
{
	struct bed *bed = *state;
	struct device_list *all = &bed->reading.unlisted;

	tree_directory(&bed->tree, "sys/class/infiniband/b/device/net");
	device_add_port(device_list_add(all, "a"), 1)->port_guid = number_of(GUID);
	device_add_port(device_list_add(all, "b"), 1);
	add_port(bed, "b", LINK_LAYER_INFINIBAND);
	read_netdevs(&bed->reading);
	expect_netdev(port_of(bed, 0), NULL, false);
	all->items[0].ports[0].port_guid.value++;
	read_netdevs(&bed->reading);
	expect_netdev(port_of(bed, 0), NULL, true);
}

static void check_earlier(struct bed *bed, bool unknown)
{
	struct port *port = port_of(bed, 1);

	free(port->netdev);
	port->netdev = NULL;
	port->netdev_index.known = port->netdev_unknown = false;
	read_netdevs(&bed->reading);
	expect_netdev(port, unknown ? NULL : "ib0", unknown);
}

/* An earlier device of the same function that is only partly readable may have the netdev. */
static void may_be_taken(void **state)
{
	struct bed *bed = *state;
	struct device *first;

	add_port(bed, "a", LINK_LAYER_ETHERNET);
	add_port(bed, "b", LINK_LAYER_INFINIBAND);
	add_ipoib(bed, "ib0", 4, 0xffff);
	first = &bed->inventory.devices.items[0];
	check_earlier(bed, false);
	first->ports_unknown = true;
	check_earlier(bed, true);
	first->pci_address[0] = '1';
	check_earlier(bed, false);
	first->pci_address[0] = '0';
	first->ports_unknown = false;
	port_of(bed, 0)->link_layer.known = false;
	check_earlier(bed, true);
	port_of(bed, 0)->link_layer = number_of(LINK_LAYER_INFINIBAND);
	port_of(bed, 0)->port_guid = number_of(GUID + 1);
	check_earlier(bed, false);
	bed->reading.needs |= NEED_PORT_GUID;
	port_of(bed, 0)->port_guid.known = false;
	check_earlier(bed, true);
	/* The earlier device belongs to another function. */
	first->pci_address[0] = '1';
	check_earlier(bed, false);
}

static void may_be_taken_by_second(void **state)
{
	struct bed *bed = *state;

	for (int i = 0; i < 3; i++)
		add_port(bed, i ? i > 1 ? "c" : "b" : "a", LINK_LAYER_INFINIBAND);
	add_ipoib(bed, "ib0", 4, 0xffff);
	bed->inventory.devices.items[0].pci_address[0] = '1';
	port_of(bed, 0)->port_guid = number_of(GUID + 1);
	port_of(bed, 1)->port_guid = number_of(GUID + 1);
	bed->inventory.devices.items[1].ports_unknown = true;
	read_netdevs(&bed->reading);
	expect_netdev(port_of(bed, 2), NULL, true);
}

static struct gid_entry *add_gid(struct port *port, uint64_t index, const char *text)
{
	struct gid_entry *gid = mem_append(&port->gids, &port->gid_count, sizeof(*gid));

	gid->device = port->device;
	gid->index = number_of(index);
	gid->gid.known = true;
	assert_int_equal(gid_parse(text, &gid->gid.gid), 0);
	gid->ip = (struct known_ip){gid_to_ip(&gid->gid.gid), true};
	return gid;
}

static void add_address(struct bed *bed, uint64_t index, const char *ip, uint64_t length)
{
	struct link_address *address = mem_append(
		&bed->inventory.addresses.items, &bed->inventory.addresses.count, sizeof(*address));

	address->link_index = number_of(index);
	address->prefix_length = number_of(length);
	assert_int_equal(ip_parse(ip, &address->ip), 0);
}

/* netdev, VLAN, master, address/length; - for unknown values. */
static void expect_gid(const struct gid_entry *gid, const char *wanted)
{
	_cleanup_(freep) char *got = mem_format("%s", gid->netdev ? gid->netdev : "-");

	mem_extend(&got, gid->vlan.known ? " %d" : " -", (int)gid->vlan.value);
	mem_extend(&got, " %s %s", gid->master ? gid->master : "-",
		   gid->address_netdev ? gid->address_netdev : "-");
	mem_extend(&got, gid->prefix_length.known ? "/%d" : "/-", (int)gid->prefix_length.value);
	assert_string_equal(got, wanted);
}

static void add_ethernet(struct bed *bed)
{
	struct link *link = add_link(bed, "eth0", 5, ETHERNET);

	link->operstate = number_of(6);
	link->mtu_bytes = number_of(1500);
	link->carrier_changes = number_of(3);
	link->master_index = number_of(7);
	link = add_link(bed, "eth0.9", 6, ETHERNET);
	link->lower_index = number_of(5);
	link->vlan_id = number_of(9);
	link->kind = mem_string("vlan");
	add_link(bed, "bond0", 7, ETHERNET)->kind = mem_string("bond");
	add_link(bed, "eth1", 8, ETHERNET)->master_index = number_of(7);
	add_link(bed, "other", 9, ETHERNET);
	link = add_link(bed, "away", 10, ETHERNET);
	link->lower_index = number_of(5);
	link->lower_elsewhere = true;
}

#define NDEVS "sys/class/infiniband/a/ports/1/gid_attrs/ndevs/"

/* By the index from verbs; the netdev's name must match the one from sysfs. */
static void gids_by_index(void **state)
{
	static const struct {
		uint64_t index;
		const char *name, *wanted;
	} samples[] = {
		{5, "wrong", "eth0 - bond0 -/-"}, {6, "wrong", "- - - -/-"},
		{6, "eth0.9", "eth0.9 9 - -/-"},  {7, "bond0", "bond0 - - -/-"},
		{8, "eth1", "- - - -/-"},	  {9, "other", "- - - -/-"},
		{10, "away", "- - - -/-"},	  {99, "eth0", "- - - -/-"},
	};
	struct bed *bed = *state;
	struct port *port = add_port(bed, "a", LINK_LAYER_ETHERNET);
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds), 0);
	close(fds[1]);
	bed->reading.nldev = netlink_from_fd(fds[0], NETLINK_LARGEST_MESSAGE);
	add_ethernet(bed);
	port->netdev = mem_string("eth0");
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		char path[128];

		snprintf(path, sizeof(path), NDEVS "%zu", i);
		tree_write(&bed->tree, path, samples[i].name);
		add_gid(port, i, "fe80::7")->netdev_index = number_of(samples[i].index);
	}
	/* If sysfs gives no name, there is no netdev, and there is a problem. */
	tree_link(&bed->tree, NDEVS "50", "!EACCES");
	add_gid(port, 50, "fe80::8")->netdev_index = number_of(7);
	/* If the netdev is the same as for the previous entry, it is not looked up again. */
	add_gid(port, 51, "fe80::8")->netdev_index = number_of(6);
	tree_write(&bed->tree, NDEVS "51", "eth0.9");
	add_gid(port, 52, "fe80::8")->netdev_index = number_of(6);
	read_netdevs(&bed->reading);
	port = port_of(bed, 0);
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		expect_gid(&port->gids[i], samples[i].wanted);
	expect_gid(&port->gids[ARRAY_SIZE(samples)], "- - - -/-");
	assert_int_equal(bed->problems.count, 1);
	assert_string_equal(bed->problems.items[0].attribute, "gid_attrs/ndevs");
	expect_gid(&port->gids[ARRAY_SIZE(samples) + 1], "eth0.9 9 - -/-");
	expect_gid(&port->gids[ARRAY_SIZE(samples) + 2], "eth0.9 9 - -/-");
	assert_int_equal(port->netdev_operstate.value, 6);
	assert_int_equal(port->netdev_mtu_bytes.value, 1500);
	assert_int_equal(port->carrier_changes.value, 3);
}

/* The port's own netdev is a bond: its members, and netdevs on top of them, belong to the port. */
static void members(void **state)
{
	static const char *const names[] = {"eth0", "eth1", "eth0.9", "other", "bond0"};
	static const char *const wanted[] = {"eth0 - bond0 -/-", "eth1 - bond0 -/-",
					     "eth0.9 9 - -/-", "- - - -/-", "bond0 - - -/-"};
	struct bed *bed = *state;
	struct port *port = add_port(bed, "a", LINK_LAYER_ETHERNET);

	add_ethernet(bed);
	port->netdev = mem_string("bond0");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		add_gid(port, i, "fe80::7")->netdev = mem_string(names[i]);
	read_netdevs(&bed->reading);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		expect_gid(&port_of(bed, 0)->gids[i], wanted[i]);
}

/* A port without a netdev here: only netdevs on top of one elsewhere are its own. */
static void port_elsewhere(void **state)
{
	struct bed *bed = *state;
	struct port *port = add_port(bed, "a", LINK_LAYER_ETHERNET);
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds), 0);
	close(fds[1]);
	bed->reading.nldev = netlink_from_fd(fds[0], NETLINK_LARGEST_MESSAGE);
	add_ethernet(bed);
	add_gid(port, 0, "fe80::7")->netdev = mem_string("eth0");
	add_gid(port, 1, "fe80::7")->netdev = mem_string("away");
	read_netdevs(&bed->reading);
	port = port_of(bed, 0);
	expect_netdev(port, NULL, false);
	expect_gid(&port->gids[0], "- - - -/-");
	expect_gid(&port->gids[1], "away - - -/-");
	assert_int_equal(port->gids[1].netdev_index.value, 10);
}

/* Whether sysfs shows other netdevs than the ports have. */
static bool is_other_sysfs(struct bed *bed)
{
	problems_free(&bed->problems);
	read_netdevs(&bed->reading);
	for_each (problem, &bed->problems)
		if (!strcmp(problem->error, "/sys shows those of another network namespace"))
			return true;
	return false;
}

/* The netdev of that name has another index there. A port without a netdev tells nothing. */
static void other_sysfs(void **state)
{
	static const char file[] = "sys/class/net/eth0/ifindex";
	struct bed *bed = *state;
	struct port *port;

	add_port(bed, "a", LINK_LAYER_INFINIBAND);
	port = device_add_port(bed->inventory.devices.items, 2);
	port->netdev = mem_string("eth0");
	port->netdev_index = number_of(5);
	tree_write(&bed->tree, file, "5");
	assert_false(is_other_sysfs(bed));
	tree_write(&bed->tree, file, "6");
	assert_true(is_other_sysfs(bed));
}

/* Several links may have an address: the GID's own netdev takes precedence. */
static void addresses(void **state)
{
	struct bed *bed = *state;
	struct port *port = add_port(bed, "a", LINK_LAYER_ETHERNET);

	add_ethernet(bed);
	port->netdev = mem_string("eth0");
	add_gid(port, 0, "fe80::7")->netdev = mem_string("eth0.9");
	add_gid(port, 1, "::ffff:10.0.0.1")->netdev = mem_string("eth0");
	add_gid(port, 2, "fe80::8");
	add_gid(port, 3, "fe80::9")->ip.known = false;
	add_gid(port, 4, "fe80::a")->netdev = mem_string("eth0.9");
	add_address(bed, 99, "fe80::7", 1);
	add_address(bed, 9, "fe80::7", 64);
	add_address(bed, 6, "fe80::7", 65);
	add_address(bed, 5, "fe80::7", 66);
	add_address(bed, 7, "10.0.0.1", 24);
	add_address(bed, 9, "fe80::8", 67);
	add_address(bed, 5, "fe80::8", 68);
	add_address(bed, 5, "fe80::9", 69);
	add_address(bed, 9, "fe80::a", 70);
	add_address(bed, 5, "fe80::a", 71);
	add_address(bed, 6, "fe80::a", 72);
	read_netdevs(&bed->reading);
	port = port_of(bed, 0);
	expect_gid(&port->gids[0], "eth0.9 9 - eth0.9/65");
	expect_gid(&port->gids[1], "eth0 - bond0 bond0/24");
	expect_gid(&port->gids[2], "- - - other/67");
	expect_gid(&port->gids[3], "- - - -/-");
	expect_gid(&port->gids[4], "eth0.9 9 - eth0.9/72");
}

/*
 * Without netlink, by the first GID: its MAC shows that the netdev of that name is the port's own.
 */
static void by_mac(void **state)
{
	static const struct {
		const char *mac, *gid;
		bool own;
	} samples[] = {
		/* RFC 4291, appendix A. */
		{"00:16:3e:12:34:56", "fe80::216:3eff:fe12:3456", true},
		{"02:16:3e:12:34:56", "fe80::16:3eff:fe12:3456", true},
		{"00:16:3e:12:34:56", "fe80::16:3eff:fe12:3456", false},
		{"00:16:3e:12:34:57", "fe80::216:3eff:fe12:3456", false},
		{"00:16:3e:12:35:56", "fe80::216:3eff:fe12:3456", false},
		{"00:16:3e:13:34:56", "fe80::216:3eff:fe12:3456", false},
		{"00:16:3f:12:34:56", "fe80::216:3eff:fe12:3456", false},
		{"00:17:3e:12:34:56", "fe80::216:3eff:fe12:3456", false},
		/* iWARP has the MAC at the start. */
		{"00:16:3e:12:34:56", "0016:3e12:3456::", true},
		{"00:16:3e:12:34:56", "0016:3e12:3457::", false},
		{"00:16:3e:12:34", "0016:3e12:3456::", false},
	};
	struct bed *bed = *state;
	struct link *link;

	add_port(bed, "a", LINK_LAYER_ETHERNET);
	link = add_link(bed, "eth0", 5, ETHERNET);
	tree_write(&bed->tree, NDEVS "0", "eth0");
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct port *port = port_of(bed, 0);

		free(port->netdev);
		port->netdev = NULL;
		port->netdev_unknown = false;
		free(link->address);
		link->address = mem_string(samples[i].mac);
		tree_write(&bed->tree, "sys/class/infiniband/a/ports/1/gids/0", samples[i].gid);
		read_netdevs(&bed->reading);
		expect_netdev(port_of(bed, 0), samples[i].own ? "eth0" : NULL, false);
	}
	assert_int_equal(bed->problems.count, 0);
	/* Bonds and VLANs belong to no function, so their names suffice. */
	link->kind = mem_string("bond");
	read_netdevs(&bed->reading);
	expect_netdev(port_of(bed, 0), "eth0", false);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	static const struct CMUnitTest tests[] = {
		TEST(pkeys),
		TEST(limited_pkeys),
		TEST(hidden_pkeys),
		TEST(unknown_pkeys),
		TEST(children),
		TEST(taken),
		TEST(taken_by_unlisted),
		TEST(hidden),
		TEST(hidden_of_unlisted),
		TEST(may_be_taken),
		TEST(may_be_taken_by_second),
		TEST(gids_by_index),
		TEST(members),
		TEST(port_elsewhere),
		TEST(other_sysfs),
		TEST(addresses),
		TEST(by_mac),
	};

	return cmocka_run_group_tests_name("netdev-resolve", tests, NULL, NULL);
}
