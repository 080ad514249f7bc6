/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Whatever is reported and read, in any order: the old state and the events yield the new state,
 * and each event begins where the previous one ended.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "event/event_state.h"

enum { GIDS = 6, LINKS = 4, ADDRESSES = 5, STEPS = 60000 };
enum { ACTIVE = 4 };

/* The state as a reader of events knows it. */
struct mirror_link {
	bool enabled, running;
	unsigned char addresses; /* one bit for each */
	char name[8];		 /* empty: never reported */
	uint64_t mtu;		 /* 0: never reported */
};

struct mirror {
	struct event_port port; /* state and LIDs; also rate and MTU while it is active */
	char netdev[8];
	int gids[GIDS]; /* last byte of each; -1: none */
	struct mirror_link links[LINKS];
};

struct world {
	struct event_state state;
	struct tracked_device *device;
	struct event_list events;
	struct mirror mirror;
	uint64_t random;
	uint64_t now;
};

/* xorshift64, always with the same numbers. */
static unsigned int choose(struct world *world, unsigned int count)
{
	world->random ^= world->random << 13;
	world->random ^= world->random >> 7;
	world->random ^= world->random << 17;
	return (unsigned int)(world->random % count);
}

static struct event_cause cause(struct world *world)
{
	return (struct event_cause){
		.time = {.wall_nsec = world->now, .monotonic_nsec = world->now},
		.source = EVENT_SOURCE_VERBS,
		.events = &world->events,
	};
}

static void link_name(unsigned int link, unsigned int version, char name[static 8])
{
	name[0] = (char)('a' + link);
	name[1] = (char)('0' + version);
	name[2] = '\0';
}

/* All of them belong to the port: eth0 itself, and VLANs on it. */
static struct link random_link(struct world *world, unsigned int number)
{
	struct link link = {
		.index = number_of(number + 1),
		.enabled = choose(world, 2) ? TRISTATE_YES : TRISTATE_NO,
		.operstate = number_of(choose(world, 2) ? 6 : 2),
		.mtu_bytes = number_of(1500 + choose(world, 2)),
		.kind = number ? mem_string("vlan") : NULL,
	};
	char name[8];

	link.running = link.enabled == TRISTATE_YES && choose(world, 2) ? TRISTATE_YES
									: TRISTATE_NO;
	if (number)
		link.lower_index = number_of(1);
	link_name(number, choose(world, 2), name);
	link.name = mem_string(name);
	return link;
}

static struct port_reading random_reading(struct world *world)
{
	struct port_reading reading = {
		.has_state = choose(world, 4),
		.has_gids = choose(world, 2),
		.state.state = number_of(1 + choose(world, 5)),
		.state.rate_gbps = {.value = 25 << choose(world, 2), .known = true},
		.state.active_mtu_bytes = number_of(1024u << choose(world, 2)),
		.state.lid = number_of(1 + choose(world, 2)),
		.state.sm_lid = number_of(1 + choose(world, 2)),
	};

	reading.state.state.known = choose(world, 8);
	reading.state.lid.known = choose(world, 8);
	for (unsigned int i = 0; reading.has_gids && i < GIDS; i++) {
		struct tracked_gid *gid;

		if (choose(world, 2))
			continue;
		gid = tracked_gids_add(&reading.gids);
		gid->index = i;
		gid->gid.raw[15] = (uint8_t)choose(world, 2);
	}
	return reading;
}

static void random_update(struct world *world)
{
	static const enum event_word words[] = {EVENT_PORT_DOWN, EVENT_PORT_ACTIVE, EVENT_SM_CHANGE,
						EVENT_GID_CHANGED, EVENT_PORT_DOWN};
	struct port_reading reading = random_reading(world);
	struct event_reports told = {.words = NULL};
	const struct event_cause why = cause(world);

	for (unsigned int i = choose(world, 4); i > 0; i--)
		*(enum event_word *)mem_append(&told.words, &told.count, sizeof(*told.words)) =
			words[choose(world, ARRAY_SIZE(words))];
	world->device->ports[0].ethernet = choose(world, 2);
	event_state_update_port(&world->state, world->device, &world->device->ports[0], &reading,
				&told, &why);
	free(told.words);
}

static void random_change(struct world *world)
{
	const struct event_cause why = cause(world);
	unsigned int number = choose(world, LINKS);
	struct link link = random_link(world, number);
	struct link_address address = {
		.link_index = link.index,
		.ip = {.family = 2, .raw = {192, 0, 2, (uint8_t)choose(world, ADDRESSES)}},
		.prefix_length = number_of(24),
	};

	if (choose(world, 2))
		event_state_take_address(&world->state, &address, choose(world, 2), &why);
	else
		event_state_take_link(&world->state, &link, number && !choose(world, 4), &why);
	free(link.name);
	free(link.kind);
}

static void mirror_port(struct mirror *mirror, const struct event *event)
{
	/* The chain of events has no gap; the first event has no previous state. */
	if (mirror->port.state.known) {
		assert_true(event->port_before.state.known);
		/*
		 * An additional event about a changed rate compares it with that of the last time
		 * when it was up.
		 */
		if (event->word.value != EVENT_RATE_CHANGE &&
		    event->word.value != EVENT_MTU_CHANGE &&
		    event->word.value != EVENT_LID_CHANGE && event->word.value != EVENT_SM_CHANGE)
			assert_int_equal(event->port_before.state.value, mirror->port.state.value);
	}
	mirror->port = event->port_after;
}

static void mirror_link(struct mirror *mirror, const struct event *event)
{
	struct mirror_link *link = &mirror->links[event->netdev[0] - 'a'];
	const unsigned char bit = (unsigned char)(1u << event->address.address.raw[3]);

	strcpy(link->name, event->netdev);
	switch (event->word.value) {
	case EVENT_ADDRESS_ADDED:
		assert_false(link->addresses & bit);
		link->addresses |= bit;
		return;
	case EVENT_ADDRESS_REMOVED:
		assert_true(link->addresses & bit);
		link->addresses &= (unsigned char)~bit;
		return;
	case EVENT_NETDEV_UP:
	case EVENT_NETDEV_DOWN:
		assert_int_equal(link->running, event->word.value == EVENT_NETDEV_DOWN);
		link->running = event->word.value == EVENT_NETDEV_UP;
		break;
	case EVENT_NETDEV_ENABLED:
	case EVENT_NETDEV_DISABLED:
		assert_int_equal(link->enabled, event->word.value == EVENT_NETDEV_DISABLED);
		link->enabled = event->word.value == EVENT_NETDEV_ENABLED;
		break;
	default:
		break;
	}
	if (event->netdev_after.mtu_bytes.known)
		link->mtu = event->netdev_after.mtu_bytes.value;
}

static void mirror_gid(struct mirror *mirror, const struct event *event)
{
	int *gid = &mirror->gids[event->gid_index.value];

	if (event->gid_before.gid.known)
		assert_int_equal(*gid, event->gid_before.gid.gid.raw[15]);
	else
		assert_int_equal(*gid, -1);
	*gid = event->gid_after.gid.known ? event->gid_after.gid.gid.raw[15] : -1;
}

static void read_events(struct world *world)
{
	for (size_t i = 0; i < world->events.count; i++) {
		const struct event *event = &world->events.items[i];

		if (event->gid_index.known)
			mirror_gid(&world->mirror, event);
		else if (event->netdev && event->object && !strcmp(event->netdev, event->object))
			mirror_link(&world->mirror, event);
		else
			mirror_port(&world->mirror, event);
	}
	event_list_clear(&world->events);
}

static void compare_port(const struct world *world)
{
	const struct event_port *port = &world->device->ports[0].now;
	const struct event_port *mirror = &world->mirror.port;

	/* A port that exists and is down causes no event. */
	if (!mirror->state.known) {
		assert_false(port->state.known && port->state.value == ACTIVE);
		return;
	}
	assert_int_equal(mirror->state.value, port->state.value);
	assert_int_equal(mirror->lid.value, port->lid.value);
	assert_int_equal(mirror->sm_lid.value, port->sm_lid.value);
	if (port->state.value != ACTIVE)
		return;
	assert_true(mirror->rate_gbps.value == port->rate_gbps.value);
	assert_int_equal(mirror->active_mtu_bytes.value, port->active_mtu_bytes.value);
}

static void compare_gids(const struct world *world)
{
	const struct tracked_gids *gids = &world->device->ports[0].gids;
	size_t known = 0;

	for (int i = 0; i < GIDS; i++)
		known += world->mirror.gids[i] >= 0;
	assert_int_equal(known, gids->count);
	for (size_t i = 0; i < gids->count; i++)
		assert_int_equal(world->mirror.gids[gids->items[i].index],
				 gids->items[i].gid.raw[15]);
}

static void compare_links(const struct world *world)
{
	for (unsigned int i = 0; i < LINKS; i++) {
		const struct mirror_link *mirror = &world->mirror.links[i];
		const struct number index = number_of(i + 1);
		const struct link *link = link_by_index(&world->state.links, &index);
		unsigned char addresses = 0;

		assert_int_equal(mirror->running, link && link->running == TRISTATE_YES);
		assert_int_equal(mirror->enabled, link && link->enabled == TRISTATE_YES);
		if (link && (mirror->running || mirror->enabled)) {
			assert_string_equal(mirror->name, link->name);
			assert_int_equal(mirror->mtu, link->mtu_bytes.value);
		}
		for (size_t j = 0; j < world->state.addresses.count; j++)
			if (world->state.addresses.items[j].link_index.value == i + 1)
				addresses |= (unsigned char)(1u << world->state.addresses.items[j]
									   .ip.raw[3]);
		assert_int_equal(mirror->addresses, addresses);
	}
}

static void events_tell_the_state(void **state)
{
	struct world world = {.random = 88172645463325252u, .now = 1};
	struct event_cause silence = cause(&world);
	struct port_reading reading = {
		.has_netdev = true, .netdev_index = number_of(1), .netdev = mem_string("a0")};

	(void)state;
	silence.events = NULL;
	memset(world.mirror.gids, -1, sizeof(world.mirror.gids));
	world.device = event_state_add_device(&world.state, "m0", "m0", &silence);
	tracked_device_add_port(world.device, 1);
	event_state_update_port(&world.state, world.device, &world.device->ports[0], &reading, NULL,
				&silence);
	for (unsigned int i = 0; i < STEPS; i++) {
		world.now += choose(&world, 700) * UINT64_C(1000000);
		if (choose(&world, 2))
			random_update(&world);
		else
			random_change(&world);
		read_events(&world);
		compare_port(&world);
		compare_gids(&world);
		compare_links(&world);
	}
	event_state_clear(&world.state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_tell_the_state),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
