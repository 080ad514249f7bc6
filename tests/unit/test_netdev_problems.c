/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which problems with netdevs are reported: those that hide something requested, and no others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "host/inventory/reading.h"
#include "host/need.h"

enum { ETHERNET = 1, IPOIB = 32 }; /* ARPHRD_* */

#define GUID UINT64_C(0x0011223344556677)

struct bed {
	struct inventory inventory;
	struct inventory_request request;
	struct reading reading;
	struct problems problems;
};

static struct link *add_link(struct bed *bed, const char *name, uint64_t index, uint64_t type)
{
	struct link *link = link_list_add(&bed->inventory.links);

	link->name = mem_string(name);
	link->index = number_of(index);
	if (type)
		link->type = number_of(type);
	return link;
}

static struct port *add_port(struct bed *bed, const char *device, enum link_layer layer,
			     const char *netdev)
{
	struct port *port = device_add_port(device_list_add(&bed->inventory.devices, device), 1);

	port->link_layer = number_of(layer);
	port->netdev = mem_string(netdev);
	return port;
}

/*
 * eth0, in a bond, and ib0 with its child belong to ports, gid0 to a GID; the others do not belong
 * to a port.
 */
static int setup(void **state)
{
	struct bed *bed = mem_alloc_zero(1, sizeof(*bed));
	struct port *port;

	add_link(bed, "eth0", 5, ETHERNET)->master_index = number_of(7);
	add_link(bed, "bond0", 7, ETHERNET);
	add_link(bed, "ib0", 8, IPOIB)->port_guid = number_of(GUID);
	add_link(bed, "ib1", 9, IPOIB)->port_guid = number_of(GUID + 1);
	add_link(bed, "ibx", 10, IPOIB);
	add_link(bed, "odd", 11, 0);
	add_link(bed, "other", 12, ETHERNET);
	add_link(bed, "gid0", 13, ETHERNET);
	add_link(bed, "up", 14, ETHERNET)->lower_unknown = true;
	add_link(bed, "low", 15, ETHERNET)->master_unknown = true;
	add_link(bed, "ib0.8001", 16, IPOIB)->port_guid = number_of(GUID);
	port = add_port(bed, "a", LINK_LAYER_INFINIBAND, "ib0");
	port->port_guid = number_of(GUID);
	port = add_port(bed, "b", LINK_LAYER_ETHERNET, "eth0");
	((struct gid_entry *)mem_append(&port->gids, &port->gid_count, sizeof(*port->gids)))
		->netdev = mem_string("gid0");
	mem_append(&port->gids, &port->gid_count, sizeof(*port->gids));
	bed->reading = (struct reading){
		.inventory = &bed->inventory,
		.problems = &bed->problems,
		.request = &bed->request,
	};
	*state = bed;
	return 0;
}

static int teardown(void **state)
{
	struct bed *bed = *state;

	inventory_free(&bed->inventory);
	problems_free(&bed->problems);
	free(bed);
	return 0;
}

struct sample {
	const char *netdev, *attribute;
	uint64_t needs;
	bool reported;
};

static void check(struct bed *bed, const struct sample *samples, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct problems found = {.items = NULL};

		bed->request.needs = samples[i].needs;
		problem_add_text(&found, samples[i].netdev, samples[i].attribute, "sysfs", "Broken",
				 "mend it");
		problems_free(&bed->problems);
		note_links(&bed->reading, &found);
		problems_free(&found);
		if (bed->problems.count != samples[i].reported)
			fail_msg("%s of %s, row %zu: %zu", samples[i].attribute, samples[i].netdev,
				 i, bed->problems.count);
	}
}

/* Requested facts of the netdevs shown: those of ports, their bonds and their GIDs. */
static void asked(void **state)
{
	static const struct sample samples[] = {
		{"gone", "mtu_bytes", 0, true},
		{"eth0", "mtu_bytes", NEED_LINK_MTU, true},
		{"bond0", "mtu_bytes", NEED_LINK_MTU, true},
		{"ib0", "mtu_bytes", NEED_LINK_MTU, true},
		{"ib0.8001", "mtu_bytes", NEED_LINK_MTU, true},
		{"gid0", "mtu_bytes", NEED_LINK_MTU, true},
		{"ib1", "mtu_bytes", NEED_LINK_MTU, false},
		{"ibx", "mtu_bytes", NEED_LINK_MTU, false},
		{"odd", "mtu_bytes", NEED_LINK_MTU, false},
		{"other", "mtu_bytes", NEED_LINK_MTU, false},
		{"eth0", "mtu_bytes", ~(uint64_t)NEED_LINK_MTU, false},
		{"eth0", "operstate", NEED_LINK_STATE, true},
		{"eth0", "operstate", NEED_LINK_MTU, false},
		{"eth0", "nonsense", UINT64_MAX, false},
		{"eth0", "nonsense", NEED_LINK_LIST, false},
	};

	check(*state, samples, ARRAY_SIZE(samples));
}

/*
 * Attributes that tie netdevs together count as requested, but not for tables of GIDs and P_Keys.
 */
static void relations(void **state)
{
	static const struct sample samples[] = {
		{"eth0", "ifindex", NEED_LINK_LIST, true},
		{"eth0", "ifindex", NEED_LINK_LIST | NEED_GIDS, false},
		{"eth0", "ifindex", NEED_LINK_LIST | NEED_PKEYS, false},
		{"eth0", "ifindex", NEED_LINK_MTU, false},
		{"eth0", "type", NEED_LINK_LIST, true},
		{"other", "type", NEED_LINK_LIST, false},
		/* It matters only for a column of its own. */
		{"eth0", "address", NEED_LINK_LIST, false},
		{"eth0", "address", NEED_LINK_ADDRESS, true},
		{"eth0", "address", NEED_LINK_ADDRESS | NEED_GIDS, true},
		{"ib0", "pkey", NEED_LINK_LIST, false},
		{"ib0", "pkey", NEED_PKEYS, true},
		{"eth0", "vlan", NEED_LINK_LIST, false},
		{"eth0", "vlan", NEED_GIDS, true},
		{"eth0", "vlan", NEED_PKEYS, true},
		{"eth0", "master", NEED_GIDS, true},
		{"eth0", "iflink", NEED_LINK_LIST, true},
		{"eth0", "iflink", NEED_LINK_UPPERS, false},
		{"other", "iflink", NEED_LINK_LIST, false},
	};

	check(*state, samples, ARRAY_SIZE(samples));
}

/* A netdev that may be IPoIB matters if a port may have such a netdev. */
static void types(void **state)
{
	static const struct sample wanted[] = {
		{"odd", "type", 0, true},	{"odd", "address", 0, true},
		{"ibx", "type", 0, true},	{"ibx", "address", 0, true},
		{"odd", "operstate", 0, false}, {"ibx", "operstate", 0, false},
		{"ib0", "address", 0, false},	{"ib1", "address", 0, false},
		{"ib0", "type", 0, false},	{"other", "type", 0, false},
		{"other", "address", 0, false}, {"odd", "dev_port", 0, false},
	};
	static const struct sample unwanted[] = {
		{"odd", "type", 0, false},
		{"odd", "address", NEED_LINK_ADDRESS, false},
		{"ibx", "type", 0, false},
		{"ibx", "address", NEED_LINK_ADDRESS, false},
	};
	struct bed *bed = *state;
	struct port *port = bed->inventory.devices.items[0].ports;

	check(bed, wanted, ARRAY_SIZE(wanted));
	port->link_layer = number_of(LINK_LAYER_ETHERNET);
	check(bed, unwanted, ARRAY_SIZE(unwanted));
	port->link_layer = (struct number){.value = LINK_LAYER_INFINIBAND};
	check(bed, unwanted, ARRAY_SIZE(unwanted));
}

/* An unreadable lower or upper netdev hides the netdevs on top of others. */
static void levels(void **state)
{
	static const struct sample samples[] = {
		{"up", "iflink", NEED_LINK_UPPERS, true},
		{"up", "iflink", NEED_GID_NETDEVS, true},
		{"up", "iflink", NEED_LINK_LIST, false},
		{"up", "master", NEED_LINK_UPPERS, false},
		{"low", "master", NEED_LINK_UPPERS, true},
		{"low", "master", NEED_GID_NETDEVS, true},
		{"low", "master", NEED_LINK_LIST, false},
		{"low", "iflink", NEED_LINK_UPPERS, false},
	};
	static const struct sample of_ipoib[] = {
		{"ib1", "iflink", 0, true},
		{"ib1", "master", 0, false},
	};
	struct bed *bed = *state;

	check(bed, samples, ARRAY_SIZE(samples));
	bed->inventory.links.items[3].lower_unknown = true;
	check(bed, of_ipoib, ARRAY_SIZE(of_ipoib));
}

/* A port without a netdev may have any netdev whose tie to it cannot be read. */
static void port_without_netdev(void **state)
{
	static const struct sample with[] = {
		{"other", "dev_port", NEED_LINK_LIST, false},
		{"eth0", "dev_port", NEED_LINK_LIST, false},
		{"other", "address", NEED_LINK_ADDRESS, false},
	};
	static const struct sample without[] = {
		{"other", "dev_port", 0, true}, {"other", "address", 0, true},
		{"up", "iflink", 0, true},	{"low", "master", 0, true},
		{"other", "type", 0, false},	{"other", "iflink", 0, false},
	};
	struct bed *bed = *state;
	struct port *port = bed->inventory.devices.items[1].ports;

	check(bed, with, ARRAY_SIZE(with));
	free(port->netdev);
	port->netdev = NULL;
	check(bed, without, ARRAY_SIZE(without));
}

/* Each of several problems is passed on unchanged. */
static void whole(void **state)
{
	struct bed *bed = *state;
	struct problems found = {.items = NULL};
	const struct problem *one;

	bed->request.needs = NEED_LINK_MTU;
	problem_add_text(&found, "other", "mtu_bytes", "sysfs", "One", NULL);
	problem_add_text(&found, "eth0", "mtu_bytes", "sysfs", "Two", "hint");
	problem_add_text(&found, "gone", "ifindex", "file", "Three", NULL);
	note_links(&bed->reading, &found);
	problems_free(&found);
	assert_int_equal(bed->problems.count, 2);
	one = bed->problems.items;
	assert_string_equal(one->object, "eth0");
	assert_string_equal(one->attribute, "mtu_bytes");
	assert_string_equal(one->source, "sysfs");
	assert_string_equal(one->error, "Two");
	assert_string_equal(one->hint, "hint");
	assert_string_equal(one[1].object, "gone");
	assert_string_equal(one[1].source, "file");
	assert_null(one[1].hint);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	static const struct CMUnitTest tests[] = {
		TEST(asked),  TEST(relations),		 TEST(types),
		TEST(levels), TEST(port_without_netdev), TEST(whole),
	};

	return cmocka_run_group_tests_name("netdev-problems", tests, NULL, NULL);
}
