/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The netdev of a port in a saved tree: the one named by its first GID, if it is the port's own, or
 * else the only one of the same device.
 */
#include "saved_tree.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "host/inventory/reading.h"
#include "host/need.h"

#define DEVICE "sys/devices/pci0000:00/0000:01:00.0/"
#define OTHER  "sys/devices/pci0000:00/0000:02:00.0/"
#define PORT   "sys/class/infiniband/a/ports/1/"
#define NDEV   PORT "gid_attrs/ndevs/0"
#define GID_0  PORT "gids/0"

enum { ETHERNET = 1, IPOIB = 32 }; /* ARPHRD_* */

struct bed {
	struct saved_tree tree;
	struct inventory inventory;
	struct inventory_request request;
	struct objects objects;
	struct reading reading;
	struct problems problems;
};

static void add_link(struct bed *bed, const char *name, const char *device, uint64_t dev_port)
{
	struct link *link = link_list_add(&bed->inventory.links);
	_cleanup_(freep) char *folder = mem_format("%snet/%s", device, name);
	_cleanup_(freep) char *from = mem_format("sys/class/net/%s", name);
	_cleanup_(freep) char *to = mem_format("../../%s", folder + strlen("sys/"));

	link->name = mem_string(name);
	link->index = number_of(bed->inventory.links.count + 10);
	link->type = number_of(ETHERNET);
	link->dev_port = number_of(dev_port);
	link->address = mem_string("00:16:3e:00:00:01");
	tree_directory(&bed->tree, folder);
	tree_link(&bed->tree, from, to);
}

/* An Ethernet port, and eth0 of the same function, which is its netdev as far as files show. */
static int setup(void **state)
{
	const int rc = tree_set_up(state, sizeof(struct bed));
	struct bed *bed = *state;
	struct device *device = device_list_add(&bed->inventory.devices, "a");

	device->pci_address = mem_string("0000:01:00.0");
	device_add_port(device, 1)->link_layer = number_of(LINK_LAYER_ETHERNET);
	tree_directory(&bed->tree, DEVICE "infiniband/a/ports/1");
	tree_link(&bed->tree, "sys/class/infiniband/a",
		  "../../devices/pci0000:00/0000:01:00.0/infiniband/a");
	add_link(bed, "eth0", DEVICE, 0);
	tree_write(&bed->tree, GID_0, "fe80:0000:0000:0000:0000:0000:0000:0001");
	bed->request.objects = &bed->objects;
	bed->reading = (struct reading){
		.inventory = &bed->inventory,
		.problems = &bed->problems,
		.request = &bed->request,
		.root = bed->tree.root,
	};
	return rc;
}

static int teardown(void **state)
{
	struct bed *bed = *state;

	inventory_free(&bed->inventory);
	problems_free(&bed->problems);
	tree_close(&bed->tree);
	free(bed);
	return 0;
}

static struct port *port_of(struct bed *bed)
{
	return bed->inventory.devices.items[0].ports;
}

static struct link *link_of(struct bed *bed, size_t number)
{
	return &bed->inventory.links.items[number];
}

/* The netdev or -, with ? if it is unknown whether there is one; then the problems. */
static void expect(struct bed *bed, const char *wanted)
{
	struct port *port = port_of(bed);
	struct text_buffer text = {.text = NULL};

	free(port->netdev);
	port->netdev = NULL;
	port->netdev_unknown = false;
	port->netdev_index.known = false;
	problems_free(&bed->problems);
	read_netdevs(&bed->reading);
	text_buffer_add(&text, "%s%s", port->netdev ? port->netdev : "-",
			port->netdev_unknown ? "?" : "");
	for (size_t i = 0; i < bed->problems.count; i++) {
		const struct problem *one = &bed->problems.items[i];

		assert_string_equal(one->source, "sysfs");
		assert_string_equal(one->object, "a/1");
		text_buffer_add(&text, ", %s: %s", one->attribute,
				strcmp(one->error, strerror(ENOENT)) ? one->error : "absent");
	}
	assert_string_equal(text.text, wanted);
	assert_int_equal(port->netdev_index.known, port->netdev != NULL);
	free(text_buffer_take(&text));
}

/* The name at the first GID may mean a netdev of another namespace. */
static void named_by_gid(void **state)
{
	struct bed *bed = *state;

	tree_write(&bed->tree, NDEV, "eth0");
	expect(bed, "eth0");
	/* Neither its function nor its MAC: this is a different netdev. */
	add_link(bed, "eth1", OTHER, 0);
	tree_write(&bed->tree, NDEV, "eth1");
	expect(bed, "-");
	/* Its MAC, on a netdev of another function. */
	tree_write(&bed->tree, GID_0, "fe80:0000:0000:0000:0216:3eff:fe00:0001");
	expect(bed, "eth1");
	tree_write(&bed->tree, GID_0, "fe80:0000:0000:0000:0216:3eff:fe00:0002");
	expect(bed, "-");
	/* A software netdev belongs to no function. */
	link_of(bed, 1)->kind = mem_string("bond");
	expect(bed, "eth1");
	free(link_of(bed, 1)->kind);
	link_of(bed, 1)->kind = NULL;
	link_of(bed, 1)->vlan_id = number_of(5);
	expect(bed, "eth1");
	link_of(bed, 1)->vlan_id.known = false;
	expect(bed, "-");
	/* The same applies to a software device. */
	free(bed->inventory.devices.items[0].pci_address);
	bed->inventory.devices.items[0].pci_address = NULL;
	expect(bed, "eth1");
	/* A name that does not exist here. */
	tree_write(&bed->tree, NDEV, "gone");
	expect(bed, "-");
}

/* The facts that show whether it is the port's own cannot be read. */
static void not_to_be_told(void **state)
{
	struct bed *bed = *state;

	add_link(bed, "eth1", OTHER, 0);
	tree_write(&bed->tree, NDEV, "eth1");
	tree_delete(&bed->tree, GID_0);
	expect(bed, "-?, gids/0: absent");
	/* With the table, this was reported already. */
	bed->reading.needs = NEED_GIDS;
	expect(bed, "-?");
	bed->reading.needs = 0;
	tree_write(&bed->tree, GID_0, "zero");
	expect(bed, "-?, gids/0: unexpected text 'zero'");
	/* The netdev's address is missing. */
	free(link_of(bed, 1)->address);
	link_of(bed, 1)->address = NULL;
	expect(bed, "-?");
	tree_write(&bed->tree, GID_0, "fe80:0000:0000:0000:0216:3eff:fe00:0001");
	expect(bed, "-?");
	/* No such netdev exists here at all. */
	tree_write(&bed->tree, NDEV, "gone");
	tree_delete(&bed->tree, GID_0);
	expect(bed, "-");
}

/* Without that name: the device's only netdev with the port's number. */
static void of_function(void **state)
{
	struct bed *bed = *state;

	expect(bed, "eth0");
	/* The kernel's error for a GID without a netdev. */
	tree_link(&bed->tree, NDEV, "!EINVAL");
	expect(bed, "eth0");
	tree_link(&bed->tree, NDEV, "!ENODEV");
	expect(bed, "eth0");
	link_of(bed, 0)->dev_port = number_of(1);
	expect(bed, "-");
	port_of(bed)->port = number_of(2);
	expect(bed, "eth0");
	port_of(bed)->port = number_of(1);
	link_of(bed, 0)->dev_port.known = false;
	expect(bed, "-");
	link_of(bed, 0)->dev_port = number_of(0);
	/*
	 * An InfiniBand netdev is for another kind of port, and one elsewhere belongs to another
	 * device.
	 */
	link_of(bed, 0)->type = number_of(IPOIB);
	expect(bed, "-");
	link_of(bed, 0)->type = number_of(ETHERNET);
	add_link(bed, "eth1", OTHER, 0);
	expect(bed, "eth0");
	/* Two such netdevs are one too many. */
	add_link(bed, "eth2", DEVICE, 0);
	expect(bed, "-");
	link_of(bed, 2)->dev_port = number_of(1);
	expect(bed, "eth0");
	free(bed->inventory.devices.items[0].pci_address);
	bed->inventory.devices.items[0].pci_address = NULL;
	expect(bed, "-");
}

static void errors(void **state)
{
	struct bed *bed = *state;
	_cleanup_(freep) char *io = mem_format("-?, netdev: %s", strerror(EIO));

	/* The port may have another netdev. */
	tree_link(&bed->tree, NDEV, "!EIO");
	expect(bed, io);
	tree_link(&bed->tree, NDEV, "nothing");
	link_of(bed, 0)->dev_port = number_of(1);
	expect(bed, "-?, netdev: absent");
	unlinkat(bed->tree.root.fd, NDEV, 0);
	tree_write(&bed->tree, NDEV, "");
	expect(bed, "-?, netdev: the file is empty");
	/* Netdevs that cannot be listed, and a port whose link layer cannot be read. */
	tree_link(&bed->tree, NDEV, "!EINVAL");
	expect(bed, "-");
	bed->inventory.links.missing = true;
	expect(bed, "-?");
	bed->inventory.links.missing = false;
	port_of(bed)->link_layer.known = false;
	expect(bed, "-?");
}

/* The netdev of a port of a bond may be the bond. */
static void bonds(void **state)
{
	struct bed *bed = *state;

	add_link(bed, "up", OTHER, 7);
	link_of(bed, 0)->master_index = link_of(bed, 1)->index;
	expect(bed, "eth0");
	link_of(bed, 1)->kind = mem_string("bridge");
	expect(bed, "eth0");
	free(link_of(bed, 1)->kind);
	link_of(bed, 1)->kind = mem_string("bond");
	expect(bed, "-?, netdev: absent");
	link_of(bed, 0)->master_index = number_of(99);
	expect(bed, "-?, netdev: absent");
	link_of(bed, 0)->master_index.known = false;
	link_of(bed, 0)->master_unknown = true;
	tree_link(&bed->tree, NDEV, "!EINVAL");
	expect(bed, "-?");
	link_of(bed, 0)->master_unknown = false;
	expect(bed, "eth0");
}

/* A sub-device shares its parent's GUID, and is not an IPoIB port. */
static void sub_device(void **state)
{
	struct bed *bed = *state;
	struct port *port = port_of(bed);

	port->link_layer = number_of(LINK_LAYER_INFINIBAND);
	port->port_guid = number_of(7);
	tree_delete(&bed->tree, "sys/class/net/eth0");
	bed->inventory.devices.items[0].sub_type = number_of(1);
	link_of(bed, 0)->type = number_of(IPOIB);
	link_of(bed, 0)->port_guid = number_of(7);
	expect(bed, "-");
	bed->inventory.devices.items[0].sub_type.known = false;
	expect(bed, "eth0");
}

/* A netdev of another type, and one of another port, before the port's own. */
static void before(void **state)
{
	struct bed *bed = *state;

	add_link(bed, "eth2", DEVICE, 0);
	link_of(bed, 0)->type = number_of(IPOIB);
	expect(bed, "eth2");
	link_of(bed, 0)->type = number_of(ETHERNET);
	link_of(bed, 0)->dev_port = number_of(1);
	expect(bed, "eth2");
}

static void no_class(void **state)
{
	struct bed *bed = *state;

	link_list_clear(&bed->inventory.links);
	tree_delete(&bed->tree, "sys/class/net");
	tree_link(&bed->tree, NDEV, "!EINVAL");
	bed->reading.needs = NEED_LINK_LIST;
	read_netdevs(&bed->reading);
	assert_true(port_of(bed)->netdev_unknown);
	assert_true(bed->inventory.links.incomplete && bed->inventory.links.missing);
	assert_int_equal(bed->problems.count, 1);
	assert_null(bed->problems.items[0].object);
	assert_string_equal(bed->problems.items[0].attribute, "netdevs");
	assert_string_equal(bed->problems.items[0].source, "sysfs");
	assert_string_equal(bed->problems.items[0].error, "no sys/class/net in the saved tree");
	problems_free(&bed->problems);
	tree_link(&bed->tree, "sys/class/net", "!EACCES");
	read_netdevs(&bed->reading);
	assert_string_equal(bed->problems.items[0].error, strerror(EACCES));
}

/* Without netlink, the names at other GIDs count if those are the port's own. */
static void other_gids(void **state)
{
	struct bed *bed = *state;
	struct port *port = port_of(bed);
	static const char *const names[] = {"eth1", "eth0", "gone"};

	add_link(bed, "eth1", OTHER, 0);
	link_of(bed, 0)->dev_port = number_of(1);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct gid_entry *gid = mem_append(&port->gids, &port->gid_count,
						   sizeof(*port->gids));

		gid->device = port->device;
		gid->index = number_of(i);
		gid->gid.known = true;
		assert_int_equal(gid_parse("fe80::1", &gid->gid.gid), 0);
		gid->netdev = i ? mem_string(names[i]) : NULL;
	}
	tree_link(&bed->tree, NDEV, "!EINVAL");
	expect(bed, "-");
	assert_null(port->gids[0].netdev);
	assert_string_equal(port->gids[1].netdev, "eth0");
	assert_int_equal(port->gids[1].netdev_index.value, link_of(bed, 0)->index.value);
	assert_null(port->gids[2].netdev);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	static const struct CMUnitTest tests[] = {
		TEST(named_by_gid), TEST(not_to_be_told), TEST(of_function),
		TEST(errors),	    TEST(bonds),	  TEST(before),
		TEST(no_class),	    TEST(sub_device),	  TEST(other_gids),
	};

	return cmocka_run_group_tests_name("netdev-saved", tests, NULL, NULL);
}
