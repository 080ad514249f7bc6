/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The events that follow from rtnetlink's reports about the netdevs of ports. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "event/event_state.h"

enum { OPER_DOWN = 2, OPER_LOWER_DOWN = 3, OPER_UP = 6 };
enum { ETH0 = 3, BOND0 = 4, VLAN = 5, OTHER = 6, PEER = 7 };

/* A device m0 whose port 1 has the netdev eth0. */
struct bed {
	struct event_state state;
	struct tracked_port *port;
	struct event_list events;
	size_t checked;
};

static struct event_cause cause(struct bed *bed)
{
	return (struct event_cause){
		.time = {.wall_nsec = 1, .monotonic_nsec = 1},
		.source = EVENT_SOURCE_RTNL,
		.events = &bed->events,
	};
}

static struct link link_of(uint64_t index, const char *name, bool up)
{
	return (struct link){
		.index = number_of(index),
		.name = mem_string(name),
		.enabled = up ? TRISTATE_YES : TRISTATE_NO,
		.running = up ? TRISTATE_YES : TRISTATE_NO,
		.operstate = number_of(up ? OPER_UP : OPER_DOWN),
		.mtu_bytes = number_of(1500),
	};
}

/* Frees what the link owns. */
static bool take(struct bed *bed, struct link link, bool deleted)
{
	const struct event_cause why = cause(bed);
	bool of_port = event_state_take_link(&bed->state, &link, deleted, &why);

	free(link.name);
	free(link.kind);
	free(link.address);
	return of_port;
}

static bool take_address(struct bed *bed, uint64_t index, const char *text, bool deleted)
{
	const struct event_cause why = cause(bed);
	struct link_address address = {
		.link_index = number_of(index),
		.prefix_length = number_of(24),
	};

	assert_int_equal(ip_parse(text, &address.ip), 0);
	return event_state_take_address(&bed->state, &address, deleted, &why);
}

static int set_up(void **state)
{
	struct bed *bed = mem_alloc_zero(1, sizeof(*bed));
	struct event_cause silence = cause(bed);
	struct tracked_device *device;
	struct port_reading reading = {
		.has_netdev = true, .netdev_index = number_of(ETH0), .netdev = mem_string("eth0")};

	silence.events = NULL;
	device = event_state_add_device(&bed->state, "m0", "m0", &silence);
	bed->port = tracked_device_add_port(device, 1);
	take(bed, link_of(ETH0, "eth0", true), false);
	take(bed, link_of(BOND0, "bond0", true), false);
	take(bed, link_of(OTHER, "other0", true), false);
	event_state_update_port(&bed->state, device, bed->port, &reading, NULL, &silence);
	*state = bed;
	return 0;
}

static int tear_down(void **state)
{
	struct bed *bed = *state;

	assert_int_equal(bed->checked, bed->events.count);
	event_list_clear(&bed->events);
	event_state_clear(&bed->state);
	free(bed);
	return 0;
}

static const struct event *next(struct bed *bed, enum event_word word, const char *object)
{
	struct event *event;

	assert_true(bed->checked < bed->events.count);
	event = &bed->events.items[bed->checked++];
	event_describe(event);
	assert_string_equal(event_names[event->word.value].word, event_names[word].word);
	assert_string_equal(event->object, object);
	assert_string_equal(event->netdev, object);
	assert_string_equal(event->device, "m0");
	assert_int_equal(event->port.value, 1);
	return event;
}

static void nothing_more(const struct bed *bed)
{
	if (bed->checked < bed->events.count)
		fail_msg("%s", event_names[bed->events.items[bed->checked].word.value].word);
}

static void set_down_and_up(void **state)
{
	struct bed *bed = *state;
	const struct event *event;
	struct link waiting;

	assert_true(take(bed, link_of(ETH0, "eth0", false), false));
	event = next(bed, EVENT_NETDEV_DISABLED, "eth0");
	assert_int_equal(event->netdev_before.enabled, TRISTATE_YES);
	assert_int_equal(event->netdev_after.enabled, TRISTATE_NO);
	assert_int_equal(event->netdev_before.operstate.value, OPER_UP);
	assert_int_equal(event->netdev_after.operstate.value, OPER_DOWN);
	assert_string_equal(event->change, "enabled yes -> no, operstate up -> down");
	next(bed, EVENT_NETDEV_DOWN, "eth0");
	nothing_more(bed);
	/* The same report again. */
	take(bed, link_of(ETH0, "eth0", false), false);
	nothing_more(bed);
	/* Set up, without a carrier yet. */
	waiting = link_of(ETH0, "eth0", false);
	waiting.enabled = TRISTATE_YES;
	waiting.operstate = number_of(OPER_LOWER_DOWN);
	take(bed, waiting, false);
	next(bed, EVENT_NETDEV_ENABLED, "eth0");
	nothing_more(bed);
	take(bed, link_of(ETH0, "eth0", true), false);
	event = next(bed, EVENT_NETDEV_UP, "eth0");
	assert_string_equal(event->change, "operstate lower-layer-down -> up");
	nothing_more(bed);
}

static void mtu_name_and_master(void **state)
{
	struct bed *bed = *state;
	struct link link = link_of(ETH0, "eth0", true);
	const struct event *event;

	link.mtu_bytes = number_of(9000);
	take(bed, link, false);
	assert_string_equal(next(bed, EVENT_NETDEV_MTU, "eth0")->change, "MTU 1500 -> 9000");
	link = link_of(ETH0, "roce0", true);
	link.mtu_bytes = number_of(9000);
	take(bed, link, false);
	event = next(bed, EVENT_NETDEV_RENAMED, "roce0");
	assert_string_equal(event->name_before, "eth0");
	assert_string_equal(event->change, "eth0 -> roce0");
	assert_string_equal(bed->port->netdev, "roce0");
	link = link_of(ETH0, "roce0", true);
	link.mtu_bytes = number_of(9000);
	link.master_index = number_of(BOND0);
	take(bed, link, false);
	event = next(bed, EVENT_NETDEV_MASTER, "roce0");
	assert_null(event->netdev_before.master);
	assert_string_equal(event->netdev_after.master, "bond0");
	assert_string_equal(event->change, "master - -> bond0");
	nothing_more(bed);
	/* From now on, the bond also belongs to the port. */
	assert_true(take(bed, link_of(BOND0, "bond0", false), false));
	next(bed, EVENT_NETDEV_DISABLED, "bond0");
	next(bed, EVENT_NETDEV_DOWN, "bond0");
	assert_true(take_address(bed, BOND0, "192.0.2.1", false));
	next(bed, EVENT_ADDRESS_ADDED, "bond0");
	link = link_of(ETH0, "roce0", true);
	link.mtu_bytes = number_of(9000);
	take(bed, link, false);
	assert_string_equal(next(bed, EVENT_NETDEV_MASTER, "roce0")->change, "master bond0 -> -");
	assert_false(take(bed, link_of(BOND0, "bond0", true), false));
	nothing_more(bed);
}

static void addresses(void **state)
{
	struct bed *bed = *state;
	const struct event *event;

	assert_true(take_address(bed, ETH0, "192.0.2.1", false));
	event = next(bed, EVENT_ADDRESS_ADDED, "eth0");
	assert_string_equal(event->change, "192.0.2.1/24");
	assert_int_equal(event->prefix_length.value, 24);
	assert_false(take_address(bed, ETH0, "192.0.2.1", false));
	assert_true(take_address(bed, ETH0, "2001:db8::1", false));
	next(bed, EVENT_ADDRESS_ADDED, "eth0");
	assert_false(take_address(bed, ETH0, "192.0.2.9", true));
	assert_true(take_address(bed, ETH0, "192.0.2.1", true));
	assert_string_equal(next(bed, EVENT_ADDRESS_REMOVED, "eth0")->change, "192.0.2.1/24");
	nothing_more(bed);
	/* A report about an unknown netdev. */
	assert_false(take_address(bed, 99, "192.0.2.1", false));
	nothing_more(bed);
}

/* A netdev without a port is known, but causes no event. */
static void strangers(void **state)
{
	struct bed *bed = *state;
	struct link peer = link_of(PEER, "peer0", true);

	assert_false(take(bed, link_of(OTHER, "other0", false), false));
	assert_false(take_address(bed, OTHER, "192.0.2.1", false));
	assert_false(take(bed, link_of(OTHER, "other0", false), true));
	/* The other end of a veth is not on top of it, although it refers to it. */
	peer.kind = mem_string("veth");
	peer.lower_index = number_of(ETH0);
	assert_false(take(bed, peer, false));
	/* Nor is a netdev on top of one with the same index in another namespace. */
	peer = link_of(VLAN, "vlan0", true);
	peer.kind = mem_string("vlan");
	peer.lower_index = number_of(ETH0);
	peer.lower_elsewhere = true;
	assert_false(take(bed, peer, false));
	nothing_more(bed);
}

static struct link vlan(bool up)
{
	struct link link = link_of(VLAN, "eth0.5", up);

	link.kind = mem_string("vlan");
	link.lower_index = number_of(ETH0);
	link.vlan_id = number_of(5);
	return link;
}

static void vlan_comes_and_goes(void **state)
{
	struct bed *bed = *state;
	const struct event *event;

	assert_true(take(bed, vlan(false), false));
	nothing_more(bed);
	take(bed, vlan(true), false);
	next(bed, EVENT_NETDEV_ENABLED, "eth0.5");
	next(bed, EVENT_NETDEV_UP, "eth0.5");
	take_address(bed, VLAN, "192.0.2.1", false);
	next(bed, EVENT_ADDRESS_ADDED, "eth0.5");
	/* It disappears without being set down. */
	assert_true(take(bed, vlan(true), true));
	next(bed, EVENT_ADDRESS_REMOVED, "eth0.5");
	event = next(bed, EVENT_NETDEV_DISABLED, "eth0.5");
	/* A removed netdev has no state. */
	assert_int_equal(event->netdev_before.operstate.value, OPER_UP);
	assert_false(event->netdev_after.operstate.known);
	event = next(bed, EVENT_NETDEV_DOWN, "eth0.5");
	assert_false(event->netdev_after.operstate.known);
	nothing_more(bed);
	assert_false(take(bed, vlan(true), true));
	assert_false(take_address(bed, VLAN, "192.0.2.1", true));
	nothing_more(bed);
}

/* A GID that names a netdev assigns it to the port. */
static void netdev_of_a_gid(void **state)
{
	struct bed *bed = *state;
	struct port_reading reading = {.has_gids = true};
	const struct event_cause why = cause(bed);
	struct tracked_gid *gid = tracked_gids_add(&reading.gids);

	gid->netdev_index = number_of(OTHER);
	gid->netdev = mem_string("other0");
	event_state_update_port(&bed->state, bed->state.devices[0], bed->port, &reading, NULL,
				&why);
	assert_int_equal(bed->events.items[bed->checked++].word.value, EVENT_GID_ADDED);
	assert_true(take(bed, link_of(OTHER, "renamed0", true), false));
	next(bed, EVENT_NETDEV_RENAMED, "renamed0");
	assert_string_equal(bed->port->gids.items[0].netdev, "renamed0");
	nothing_more(bed);
}

/* Every port and each of its GIDs counts: the second port, and its second GID. */
static void netdevs_of_second_ports(void **state)
{
	struct bed *bed = *state;
	struct port_reading reading = {.has_gids = true,
				       .has_netdev = true,
				       .netdev_index = number_of(OTHER),
				       .netdev = mem_string("other0")};
	struct event_cause silence = cause(bed);
	struct tracked_device *device = bed->state.devices[0];
	struct tracked_port *second = tracked_device_add_port(device, 2);
	struct tracked_gid *gid = tracked_gids_add(&reading.gids);
	const struct event *event;

	silence.events = NULL;
	gid->netdev_index = number_of(BOND0);
	gid->netdev = mem_string("bond0");
	gid = tracked_gids_add(&reading.gids);
	gid->index = 1;
	gid->netdev_index = number_of(OTHER);
	gid->netdev = mem_string("other0");
	event_state_update_port(&bed->state, device, second, &reading, NULL, &silence);
	assert_true(take(bed, link_of(OTHER, "renamed0", true), false));
	event = &bed->events.items[bed->checked++];
	assert_int_equal(event->word.value, EVENT_NETDEV_RENAMED);
	assert_int_equal(event->port.value, 2);
	assert_string_equal(second->netdev, "renamed0");
	assert_string_equal(second->gids.items[0].netdev, "bond0");
	assert_string_equal(second->gids.items[1].netdev, "renamed0");
	nothing_more(bed);
	/* A port with this netdev has priority over one that only has a GID of it. */
	assert_true(take(bed, link_of(BOND0, "bond1", true), false));
	assert_int_equal(bed->events.items[bed->checked++].port.value, 2);
	bed->port = &device->ports[0];
	reading = (struct port_reading){.has_netdev = true,
					.netdev_index = number_of(BOND0),
					.netdev = mem_string("bond1")};
	event_state_update_port(&bed->state, device, bed->port, &reading, NULL, &silence);
	assert_true(take(bed, link_of(BOND0, "bond2", true), false));
	next(bed, EVENT_NETDEV_RENAMED, "bond2");
	nothing_more(bed);
}

/* After lost messages: all links and addresses at once. */
static void everything_again(void **state)
{
	struct bed *bed = *state;
	struct link_list links = {.items = NULL};
	struct link_address_list none = {.items = NULL};
	struct link_address_list one = {.items = NULL};
	struct link_address *address;
	const struct event_cause why = cause(bed);

	take(bed, vlan(true), false);
	next(bed, EVENT_NETDEV_ENABLED, "eth0.5");
	next(bed, EVENT_NETDEV_UP, "eth0.5");
	take_address(bed, ETH0, "192.0.2.1", false);
	next(bed, EVENT_ADDRESS_ADDED, "eth0");
	*link_list_add(&links) = link_of(ETH0, "eth0", false);
	event_state_take_links(&bed->state, &links, &why);
	next(bed, EVENT_NETDEV_DISABLED, "eth0");
	next(bed, EVENT_NETDEV_DOWN, "eth0");
	next(bed, EVENT_NETDEV_DISABLED, "eth0.5");
	next(bed, EVENT_NETDEV_DOWN, "eth0.5");
	nothing_more(bed);
	assert_int_equal(bed->state.links.count, 1);
	address = mem_append(&one.items, &one.count, sizeof(*one.items));
	*address = bed->state.addresses.items[0];
	assert_int_equal(ip_parse("192.0.2.2", &address->ip), 0);
	event_state_take_addresses(&bed->state, &one, &why);
	assert_string_equal(next(bed, EVENT_ADDRESS_REMOVED, "eth0")->change, "192.0.2.1/24");
	assert_string_equal(next(bed, EVENT_ADDRESS_ADDED, "eth0")->change, "192.0.2.2/24");
	event_state_take_addresses(&bed->state, &one, &why);
	nothing_more(bed);
	event_state_take_addresses(&bed->state, &none, &why);
	next(bed, EVENT_ADDRESS_REMOVED, "eth0");
	nothing_more(bed);
	link_list_clear(&links);
	link_address_list_clear(&one);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(set_down_and_up),	TEST(mtu_name_and_master),     TEST(addresses),
		TEST(strangers),	TEST(vlan_comes_and_goes),     TEST(netdev_of_a_gid),
		TEST(everything_again), TEST(netdevs_of_second_ports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
