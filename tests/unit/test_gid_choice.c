/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which GID index leads to a peer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <errno.h>
#include <net/if.h>
#include <sys/socket.h>

#include "base/mem.h"
#include "host/endpoint/gid_choice.h"

enum { ETHERNET = 1, IPOIB = 32 }; /* ARPHRD_* */

/* A host and a question, set up by each test. */
struct host {
	struct device_list devices;
	struct link_list links;
	struct gid_question question;
	char *reason, *hint;
};

static int setup(void **state)
{
	struct host *host = mem_alloc_zero(1, sizeof(*host));

	host->question.devices = &host->devices;
	host->question.links = &host->links;
	*state = host;
	return 0;
}

static int teardown(void **state)
{
	struct host *host = *state;

	device_list_clear(&host->devices);
	link_list_clear(&host->links);
	free(host->reason);
	free(host->hint);
	free(host);
	return 0;
}

static struct link *add_link(struct host *host, const char *name, uint64_t type)
{
	struct link *link = link_list_add(&host->links);

	link->name = mem_string(name);
	link->index = number_of(host->links.count + 10);
	link->type = number_of(type);
	return link;
}

/* A device with one active port. */
static struct port *add_device(struct host *host, const char *name, enum transport transport)
{
	struct device *device = device_list_add(&host->devices, name);
	struct port *port = device_add_port(device, 1);

	device->transport = number_of(transport);
	port->state = number_of(4);
	port->link_layer = number_of(transport == TRANSPORT_ROCE ? LINK_LAYER_ETHERNET
								 : LINK_LAYER_INFINIBAND);
	return port;
}

static struct gid_entry *add_gid(struct port *port, const char *gid, enum gid_type type,
				 const char *netdev)
{
	struct gid_entry *entry = mem_append(&port->gids, &port->gid_count, sizeof(*port->gids));

	entry->device = port->device;
	entry->port = port->port;
	entry->index = number_of(port->gid_count - 1);
	assert_int_equal(gid_parse(gid, &entry->gid.gid), 0);
	entry->gid.known = true;
	entry->type = number_of(type);
	entry->netdev = netdev ? mem_string(netdev) : NULL;
	if (type != GID_TYPE_IB)
		entry->ip = (struct known_ip){gid_to_ip(&entry->gid.gid), true};
	return entry;
}

/* The usual four: link-local and IPv4, each as v1 and v2. */
static struct port *add_roce(struct host *host, const char *name, const char *netdev,
			     const char *ipv4)
{
	struct port *port = add_device(host, name, TRANSPORT_ROCE);
	char *mapped = mem_format("::ffff:%s", ipv4);

	add_gid(port, "fe80::1", GID_TYPE_ROCE_V1, netdev);
	add_gid(port, "fe80::1", GID_TYPE_ROCE_V2, netdev);
	add_gid(port, mapped, GID_TYPE_ROCE_V1, netdev);
	add_gid(port, mapped, GID_TYPE_ROCE_V2, netdev);
	free(mapped);
	return port;
}

static void route(struct host *host, const char *peer, const char *out, const char *source)
{
	struct route *way = &host->question.route;

	assert_int_equal(ip_parse(peer, &host->question.peer), 0);
	*way = (struct route){.local = !out};
	if (out)
		way->link_index = link_by_name(&host->links, out)->index;
	if (source) {
		assert_int_equal(ip_parse(source, &way->source.address), 0);
		way->source.known = true;
	}
}

/* Asks, and checks all entries: at most one is selected, and each has a reason. */
static const struct gid_entry *choose(struct host *host)
{
	const struct gid_entry *chosen;
	size_t selected = 0;

	free(host->reason);
	free(host->hint);
	host->reason = host->hint = NULL;
	chosen = gid_choose(&host->question, &host->reason, &host->hint);
	for (size_t i = 0; i < host->devices.count; i++) {
		const struct port *port = &host->devices.items[i].ports[0];

		for (size_t j = 0; j < port->gid_count; j++) {
			assert_non_null(port->gids[j].why);
			assert_int_not_equal(port->gids[j].selected, TRISTATE_UNKNOWN);
			selected += port->gids[j].selected == TRISTATE_YES;
		}
	}
	assert_int_equal(selected, chosen ? 1 : 0);
	if (chosen) {
		assert_int_equal(chosen->selected, TRISTATE_YES);
		assert_null(host->reason);
		assert_null(host->hint);
	} else {
		assert_non_null(host->reason);
	}
	return chosen;
}

static void check_chosen(struct host *host, const char *device, unsigned int index)
{
	const struct gid_entry *chosen = choose(host);

	assert_non_null(chosen);
	assert_string_equal(chosen->device, device);
	assert_int_equal(chosen->index.value, index);
}

static void check_why(const struct port *port, unsigned int index, const char *why)
{
	assert_int_equal(port->gids[index].selected, TRISTATE_NO);
	assert_string_equal(port->gids[index].why, why);
}

static void ipv4_peer(void **state)
{
	struct host *host = *state;
	const struct port *port;

	add_link(host, "eth0", ETHERNET);
	port = add_roce(host, "rxe0", "eth0", "10.9.0.1");
	route(host, "10.9.0.2", "eth0", "10.9.0.1");
	check_chosen(host, "rxe0", 3);
	assert_string_equal(port->gids[3].why,
			    "RoCE v2, and the route leaves by eth0 with this address");
	check_why(port, 0, "IPv6 entry, the peer is IPv4");
	check_why(port, 1, "IPv6 entry, the peer is IPv4");
	check_why(port, 2, "RoCE v1, and index 3 is RoCE v2 with this address");
}

static void ipv6_peer(void **state)
{
	struct host *host = *state;
	struct port *port;

	add_link(host, "eth0", ETHERNET);
	port = add_roce(host, "rxe0", "eth0", "10.9.0.1");
	add_gid(port, "2001:db8::1", GID_TYPE_ROCE_V1, "eth0");
	add_gid(port, "2001:db8::1", GID_TYPE_ROCE_V2, "eth0");
	route(host, "2001:db8::2", "eth0", "2001:db8::1");
	check_chosen(host, "rxe0", 5);
	check_why(port, 1, "not the source address of the route, 2001:db8::1");
	check_why(port, 3, "IPv4 entry, the peer is IPv6");
	check_why(port, 4, "RoCE v1, and index 5 is RoCE v2 with this address");
	route(host, "fe80::2", "eth0", "fe80::1");
	check_chosen(host, "rxe0", 1);
}

/* v2 is preferred, wherever it is in the table. */
static void v2_before_v1(void **state)
{
	struct host *host = *state;
	struct port *port;

	add_link(host, "eth0", ETHERNET);
	port = add_device(host, "mlx5_0", TRANSPORT_ROCE);
	add_gid(port, "::ffff:10.9.0.1", GID_TYPE_ROCE_V2, "eth0");
	add_gid(port, "::ffff:10.9.0.1", GID_TYPE_ROCE_V1, "eth0");
	add_gid(port, "::ffff:10.9.0.1", GID_TYPE_ROCE_V2, "eth0");
	route(host, "10.9.0.2", "eth0", "10.9.0.1");
	check_chosen(host, "mlx5_0", 0);
	check_why(port, 1, "RoCE v1, and index 0 is RoCE v2 with this address");
	check_why(port, 2, "index 0 is equally good and comes first");
}

static void v1_alone(void **state)
{
	struct host *host = *state;
	struct port *port;

	add_link(host, "eth0", ETHERNET);
	port = add_device(host, "mlx4_0", TRANSPORT_ROCE);
	add_gid(port, "::ffff:10.9.0.1", GID_TYPE_ROCE_V1, "eth0");
	route(host, "10.9.0.2", "eth0", "10.9.0.1");
	check_chosen(host, "mlx4_0", 0);
	assert_string_equal(
		port->gids[0].why,
		"RoCE v1 (no v2 entry), and the route leaves by eth0 with this address");
}

static void wrong_netdev(void **state)
{
	struct host *host = *state;
	const struct port *port;

	add_link(host, "eth0", ETHERNET);
	add_link(host, "eth1", ETHERNET);
	port = add_roce(host, "rxe0", "eth0", "10.9.0.1");
	route(host, "10.9.0.2", "eth1", "10.9.0.1");
	assert_null(choose(host));
	check_why(port, 3, "netdev eth0, but the route leaves by eth1");
	assert_string_equal(
		host->reason,
		"no GID leads to 10.9.0.2: the route leaves by eth1 with source 10.9.0.1");
	assert_non_null(host->hint);
}

static void wrong_source(void **state)
{
	struct host *host = *state;
	const struct port *port;

	add_link(host, "eth0", ETHERNET);
	port = add_roce(host, "rxe0", "eth0", "10.9.0.1");
	route(host, "10.9.0.2", "eth0", "10.9.0.77");
	assert_null(choose(host));
	check_why(port, 3, "not the source address of the route, 10.9.0.77");
	/* A route without a preferred source takes any address of the netdev. */
	route(host, "10.9.0.2", "eth0", NULL);
	check_chosen(host, "rxe0", 3);
}

static void netdev_elsewhere(void **state)
{
	struct host *host = *state;
	struct port *port;

	add_link(host, "eth0", ETHERNET);
	port = add_device(host, "mlx5_0", TRANSPORT_ROCE);
	add_gid(port, "::ffff:10.9.0.1", GID_TYPE_ROCE_V2, NULL);
	route(host, "10.9.0.2", "eth0", "10.9.0.1");
	assert_null(choose(host));
	check_why(port, 0, "its netdev is not in this network namespace");
}

/* The port's netdev is a bond member; the GIDs and the route belong to the bond. */
static void bond(void **state)
{
	struct host *host = *state;
	struct port *port;

	add_link(host, "eth0", ETHERNET);
	add_link(host, "bond0", ETHERNET);
	port = add_device(host, "mlx5_bond_0", TRANSPORT_ROCE);
	add_gid(port, "fe80::1", GID_TYPE_ROCE_V2, "eth0");
	add_gid(port, "::ffff:10.9.0.1", GID_TYPE_ROCE_V2, "bond0");
	route(host, "10.9.0.2", "bond0", "10.9.0.1");
	check_chosen(host, "mlx5_bond_0", 1);
}

/* The same address on the VLAN and on its lower netdev: the netdev decides. */
static void vlan(void **state)
{
	struct host *host = *state;
	struct port *port;

	add_link(host, "eth0", ETHERNET);
	add_link(host, "eth0.5", ETHERNET);
	port = add_roce(host, "mlx5_0", "eth0", "10.9.0.1");
	add_gid(port, "::ffff:10.9.0.1", GID_TYPE_ROCE_V2, "eth0.5");
	route(host, "10.5.0.2", "eth0.5", "10.9.0.1");
	check_chosen(host, "mlx5_0", 4);
	check_why(port, 3, "netdev eth0, but the route leaves by eth0.5");
	route(host, "10.9.0.2", "eth0", "10.9.0.1");
	check_chosen(host, "mlx5_0", 3);
}

static void down_port(void **state)
{
	struct host *host = *state;
	struct port *port;

	add_link(host, "eth0", ETHERNET);
	port = add_roce(host, "rxe0", "eth0", "10.9.0.1");
	route(host, "10.9.0.2", "eth0", "10.9.0.1");
	port->state = number_of(1);
	assert_null(choose(host));
	check_why(port, 3, "the port is not active");
	/* An unreadable port state does not rule the port out. */
	port->state.known = false;
	check_chosen(host, "rxe0", 3);
}

static void local_peer(void **state)
{
	struct host *host = *state;
	const struct port *port;

	add_link(host, "eth0", ETHERNET);
	port = add_roce(host, "rxe0", "eth0", "10.9.0.1");
	route(host, "10.9.0.1", NULL, "10.9.0.1");
	check_chosen(host, "rxe0", 3);
	assert_string_equal(port->gids[3].why, "RoCE v2, the peer's own address on this host");
	/* 127.0.0.1, or the address of a netdev that does not belong to an RDMA device. */
	route(host, "127.0.0.1", NULL, "127.0.0.1");
	assert_null(choose(host));
	assert_string_equal(host->reason,
			    "no GID leads to 127.0.0.1: it is an address of this host, "
			    "but not of an RDMA netdev");
}

static struct port *add_infiniband(struct host *host, const char *name, uint64_t guid)
{
	struct port *port = add_device(host, name, TRANSPORT_INFINIBAND);

	port->port_guid = number_of(guid);
	port->netdev_unknown = true;
	add_gid(port, "fe80::1", GID_TYPE_IB, NULL);
	add_gid(port, "fec0::1", GID_TYPE_IB, NULL);
	return port;
}

static void ipoib(void **state)
{
	struct host *host = *state;
	const struct port *first, *second;

	add_link(host, "ib0", IPOIB)->port_guid = number_of(0x11);
	add_link(host, "ib0.8001", IPOIB)->port_guid = number_of(0x11);
	add_link(host, "eth0", ETHERNET);
	add_infiniband(host, "mlx5_0", 0x22);
	add_infiniband(host, "mlx5_1", 0x11);
	first = &host->devices.items[0].ports[0];
	second = &host->devices.items[1].ports[0];
	route(host, "10.9.0.2", "ib0", "10.9.0.1");
	check_chosen(host, "mlx5_1", 0);
	assert_string_equal(second->gids[0].why, "first GID of the port of IPoIB netdev ib0");
	check_why(first, 0, "the route leaves by ib0, which is not an IPoIB netdev of this port");
	check_why(second, 1, "not the port's first GID");
	route(host, "10.9.0.2", "ib0.8001", "10.9.0.1");
	check_chosen(host, "mlx5_1", 0);
	route(host, "10.9.0.2", "eth0", "10.9.0.1");
	assert_null(choose(host));
	route(host, "10.9.0.1", NULL, "10.9.0.1");
	assert_null(choose(host));
	check_why(second, 0, "the peer is an address of this host");
}

/* A device's transport is that of its first port; another port may use a different one. */
static void second_port_of_another_kind(void **state)
{
	struct host *host = *state;
	struct port *port;

	add_link(host, "eth0", ETHERNET);
	add_device(host, "mlx4_0", TRANSPORT_INFINIBAND);
	port = device_add_port(&host->devices.items[0], 2);
	port->state = number_of(4);
	port->link_layer = number_of(LINK_LAYER_ETHERNET);
	add_gid(port, "::ffff:10.9.0.1", GID_TYPE_ROCE_V2, "eth0");
	route(host, "10.9.0.2", "eth0", "10.9.0.1");
	assert_ptr_equal(gid_choose(&host->question, &host->reason, &host->hint), port->gids);
}

/* A bond of IPoIB netdevs has the address of its active member. */
static void ipoib_bond(void **state)
{
	struct host *host = *state;
	struct link *bond = add_link(host, "bond0", IPOIB);

	bond->kind = mem_string("bond");
	bond->port_guid = number_of(0x22);
	add_infiniband(host, "mlx5_0", 0x11);
	add_infiniband(host, "mlx5_1", 0x22);
	route(host, "10.9.0.2", "bond0", "10.9.0.1");
	check_chosen(host, "mlx5_1", 0);
}

/* The sub-device of a multi-plane port shares its GUID, but has no netdev. */
static void sub_device(void **state)
{
	struct host *host = *state;
	const struct port *plane;

	add_link(host, "ib0", IPOIB)->port_guid = number_of(0x11);
	add_infiniband(host, "a_plane", 0x11)->netdev_unknown = false;
	add_infiniband(host, "mlx5_0", 0x11)->netdev = mem_string("ib0");
	plane = &host->devices.items[0].ports[0];
	route(host, "10.9.0.2", "ib0", "10.9.0.1");
	check_chosen(host, "mlx5_0", 0);
	check_why(plane, 0, "the route leaves by ib0, which is not an IPoIB netdev of this port");
}

static void two_devices_fit(void **state)
{
	struct host *host = *state;
	const struct port *first, *second;

	add_link(host, "eth0", ETHERNET);
	add_roce(host, "mlx5_0", "eth0", "10.9.0.1");
	add_roce(host, "rxe0", "eth0", "10.9.0.1");
	first = &host->devices.items[0].ports[0];
	second = &host->devices.items[1].ports[0];
	route(host, "10.9.0.2", "eth0", "10.9.0.1");
	check_chosen(host, "mlx5_0", 3);
	check_why(first, 2, "RoCE v1, and index 3 is RoCE v2 with this address");
	check_why(second, 3, "mlx5_0/1 is equally good and comes first");
}

/* A later device with v2 is preferred to an earlier one that has only v1. */
static void better_device_comes_later(void **state)
{
	struct host *host = *state;
	struct port *port;

	add_link(host, "eth0", ETHERNET);
	port = add_device(host, "mlx4_0", TRANSPORT_ROCE);
	add_gid(port, "::ffff:10.9.0.1", GID_TYPE_ROCE_V1, "eth0");
	add_roce(host, "rxe0", "eth0", "10.9.0.1");
	route(host, "10.9.0.2", "eth0", "10.9.0.1");
	check_chosen(host, "rxe0", 3);
	assert_int_equal(host->devices.items[0].ports[0].gids[0].selected, TRISTATE_NO);
}

/* Index 3 of one device is not index 3 of another. */
static void reason_names_the_device(void **state)
{
	struct host *host = *state;
	struct port *port;

	add_link(host, "eth0", ETHERNET);
	port = add_device(host, "mlx4_0", TRANSPORT_ROCE);
	add_gid(port, "::ffff:10.9.0.1", GID_TYPE_ROCE_V1, "eth0");
	add_roce(host, "rxe0", "eth0", "10.9.0.1");
	route(host, "10.9.0.2", "eth0", "10.9.0.1");
	check_chosen(host, "rxe0", 3);
	assert_non_null(strstr(host->devices.items[0].ports[0].gids[0].why, "rxe0"));
}

static void empty_slots_and_other_transports(void **state)
{
	struct host *host = *state;
	struct port *port;

	add_link(host, "eth0", ETHERNET);
	port = add_roce(host, "rxe0", "eth0", "10.9.0.1");
	add_gid(port, "::", GID_TYPE_IB, NULL)->type.known = false;
	port = add_device(host, "siw0", TRANSPORT_IWARP);
	port->link_layer = number_of(LINK_LAYER_ETHERNET);
	add_gid(port, "200::", GID_TYPE_IB, NULL);
	port = add_device(host, "efa_0", TRANSPORT_UNSPECIFIED);
	port->link_layer = number_of(LINK_LAYER_UNSPECIFIED);
	add_gid(port, "fe80::5", GID_TYPE_IB, NULL);
	route(host, "10.9.0.2", "eth0", "10.9.0.1");
	check_chosen(host, "rxe0", 3);
	check_why(&host->devices.items[0].ports[0], 4, "empty slot");
	check_why(&host->devices.items[1].ports[0], 0,
		  "this transport does not address by GID index");
	check_why(&host->devices.items[2].ports[0], 0,
		  "this transport does not address by GID index");
}

static void nothing_to_choose_from(void **state)
{
	struct host *host = *state;

	add_link(host, "eth0", ETHERNET);
	route(host, "10.9.0.2", "eth0", NULL);
	assert_null(choose(host));
	assert_string_equal(host->reason, "no GID leads to 10.9.0.2: the route leaves by eth0");
	/* The netdev went away between the two questions. */
	host->question.route.link_index = number_of(999);
	assert_null(choose(host));
	assert_string_equal(host->reason, "the route leaves by a netdev that does not exist");
	host->question.route.link_index.known = false;
	assert_null(choose(host));
}

static void check_lines(const struct gid_entry *entry, bool roce, const char *const *expected)
{
	struct strings lines = {0};

	gid_env_lines(entry, "10.9.0.2", roce, &lines);
	for (size_t i = 0; i < lines.count; i++) {
		assert_non_null(expected[i]);
		assert_string_equal(lines.items[i], expected[i]);
	}
	assert_null(expected[lines.count]);
	strings_free(&lines);
}

static void environment(void **state)
{
	static const char *const roce[] = {
		"NCCL_IB_HCA==mlx5_1:2",
		"NCCL_IB_GID_INDEX=3",
		"UCX_NET_DEVICES=mlx5_1:2",
		"UCX_IB_GID_INDEX=3",
		"FI_VERBS_GID_IDX=3",
		"# perftest: ib_write_bw -d mlx5_1 -i 2 -x 3 10.9.0.2",
		NULL,
	};
	static const char *const infiniband[] = {
		"NCCL_IB_HCA==mlx5_1:2",
		"UCX_NET_DEVICES=mlx5_1:2",
		"# perftest: ib_write_bw -d mlx5_1 -i 2 -x 3 10.9.0.2",
		NULL,
	};
	struct gid_entry entry = {
		.device = (char[]){"mlx5_1"},
		.port = number_of(2),
		.index = number_of(3),
	};

	(void)state;
	check_lines(&entry, true, roce);
	check_lines(&entry, false, infiniband);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

/* The zone names a netdev; a missing or unknown name gives no zone. */
static void zones(void **state)
{
	(void)state;
	assert_int_not_equal(if_nametoindex("lo"), 0);
	assert_int_equal(address_zone("fe80::1%lo"), if_nametoindex("lo"));
	assert_int_equal(address_zone("%lo"), if_nametoindex("lo"));
	assert_int_equal(address_zone("fe80::1"), 0);
	assert_int_equal(address_zone("fe80::1%"), 0);
	assert_int_equal(address_zone("fe80::1%lo "), 0);
	assert_int_equal(address_zone("lo"), 0);
}

/* Names come from the command line, and messages about them are shown on a terminal. */
static void unclean_names(void **state)
{
	static const struct {
		const char *name;
		int rc;
		const char *begin, *hint;
	} cases[] = {
		{"fe80::1%\033[31m", -ENODEV, "no netdev '\\x1b[31m' for the peer's address", NULL},
		/* This name is not sent to a name server. */
		{"\033[31m..x", -ENOENT, "cannot find the address of '\\x1b[31m..x': ",
		 "check the name, or give the address itself"},
	};
	struct inventory inventory = {.root = NULL};
	struct ip_address address;
	struct route route;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *error = NULL, *hint = NULL;

		assert_int_equal(peer_find(cases[i].name, &inventory, &address, &route, NULL,
					   &error, &hint),
				 cases[i].rc);
		assert_memory_equal(error, cases[i].begin, strlen(cases[i].begin));
		if (cases[i].hint)
			assert_string_equal(hint, cases[i].hint);
		else
			assert_null(hint);
		free(hint);
		free(error);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(unclean_names),
		TEST(zones),
		TEST(ipv4_peer),
		TEST(ipv6_peer),
		TEST(v2_before_v1),
		TEST(v1_alone),
		TEST(wrong_netdev),
		TEST(wrong_source),
		TEST(netdev_elsewhere),
		TEST(bond),
		TEST(vlan),
		TEST(down_port),
		TEST(local_peer),
		TEST(ipoib),
		TEST(sub_device),
		TEST(ipoib_bond),
		TEST(second_port_of_another_kind),
		TEST(two_devices_fit),
		TEST(better_device_comes_later),
		TEST(reason_names_the_device),
		TEST(empty_slots_and_other_transports),
		TEST(nothing_to_choose_from),
		TEST(environment),
	};

	return cmocka_run_group_tests_name("gid_choice", tests, NULL, NULL);
}
