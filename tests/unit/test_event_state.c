/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The events that follow from reports and readings of devices and ports. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "event/event_state.h"
#include "host/port.h"

enum { DOWN = 1, INIT = 2, ARMED = 3, ACTIVE = 4, DEFER = 5 };

#define SECOND UINT64_C(1000000000)

/* A device m0 with the port 1, and the events that follow. */
struct bed {
	struct event_state state;
	struct tracked_device *device;
	struct event_list events;
	size_t checked; /* number of events already checked */
	uint64_t now;	/* CLOCK_BOOTTIME */
	bool all;
};

static struct event_cause cause(struct bed *bed)
{
	return (struct event_cause){
		.time = {.wall_nsec = bed->now, .monotonic_nsec = bed->now},
		.source = EVENT_SOURCE_VERBS,
		.all = bed->all,
		.events = &bed->events,
	};
}

static int set_up(void **state)
{
	struct bed *bed = mem_alloc_zero(1, sizeof(*bed));
	struct event_cause silence;

	bed->now = 1000 * SECOND;
	silence = cause(bed);
	silence.events = NULL;
	bed->device = event_state_add_device(&bed->state, "m0", "m0", &silence);
	tracked_device_add_port(bed->device, 1)->ethernet = true;
	*state = bed;
	return 0;
}

static int tear_down(void **state)
{
	struct bed *bed = *state;

	/* Every event was checked. */
	assert_int_equal(bed->checked, bed->events.count);
	event_list_clear(&bed->events);
	event_state_clear(&bed->state);
	free(bed);
	return 0;
}

static struct port_reading reads(uint64_t port_state, double rate)
{
	return (struct port_reading){
		.has_state = true,
		.state.state = number_of(port_state),
		.state.rate_gbps = {.value = rate, .known = rate > 0},
		.state.active_mtu_bytes = number_of(4096),
	};
}

/* Reports the words (up to EVENT_WORD_COUNT), followed by a reading. */
static void update(struct bed *bed, struct port_reading reading, const enum event_word *words)
{
	struct event_reports told = {.words = NULL};
	const struct event_cause why = cause(bed);

	for (; words && *words != EVENT_WORD_COUNT; words++)
		*(enum event_word *)mem_append(&told.words, &told.count,
					       sizeof(*told.words)) = *words;
	event_state_update_port(&bed->state, bed->device, &bed->device->ports[0], &reading, &told,
				&why);
	free(told.words);
}

#define TOLD(...) ((const enum event_word[]){__VA_ARGS__, EVENT_WORD_COUNT})

/* The state at the beginning of watching causes no events. */
static void begin(struct bed *bed, struct port_reading reading)
{
	struct event_cause silence = cause(bed);

	silence.events = NULL;
	event_state_update_port(&bed->state, bed->device, &bed->device->ports[0], &reading, NULL,
				&silence);
}

static const struct event *next(struct bed *bed, enum event_word word)
{
	const struct event *event;

	assert_true(bed->checked < bed->events.count);
	event = &bed->events.items[bed->checked++];
	event_describe(&bed->events.items[bed->checked - 1]);
	assert_string_equal(event_names[event->word.value].word, event_names[word].word);
	assert_true(event->severity.value <= SEVERITY_ERROR);
	if (word == EVENT_PORT_DOWN)
		assert_int_equal(event->severity.value, SEVERITY_ERROR);
	if (word == EVENT_PORT_ACTIVE)
		assert_int_equal(event->severity.value, SEVERITY_NOTICE);
	return event;
}

static void nothing_more(const struct bed *bed)
{
	if (bed->checked < bed->events.count)
		fail_msg("%s", event_names[bed->events.items[bed->checked].word.value].word);
}

static void assert_states(const struct event *event, uint64_t before, uint64_t after)
{
	assert_true(event->port_before.state.known);
	assert_int_equal(event->port_before.state.value, before);
	assert_true(event->port_after.state.known);
	assert_int_equal(event->port_after.state.value, after);
}

static void goes_down_and_up(void **state)
{
	struct bed *bed = *state;
	const struct event *event;

	begin(bed, reads(ACTIVE, 100));
	update(bed, reads(DOWN, 0), TOLD(EVENT_PORT_DOWN));
	event = next(bed, EVENT_PORT_DOWN);
	assert_states(event, ACTIVE, DOWN);
	assert_string_equal(event->object, "m0/1");
	assert_string_equal(event->device, "m0");
	assert_int_equal(event->port.value, 1);
	assert_int_equal(event->source.value, EVENT_SOURCE_VERBS);
	assert_true(event->port_before.rate_gbps.known);
	assert_false(event->port_after.rate_gbps.known);
	assert_false(event->down_msec.known);
	assert_string_equal(event->change, "state active -> down, rate 100 -> - Gb/s");
	nothing_more(bed);

	bed->now += 1500 * (SECOND / 1000);
	update(bed, reads(ACTIVE, 100), TOLD(EVENT_PORT_ACTIVE, EVENT_PORT_ACTIVE));
	event = next(bed, EVENT_PORT_ACTIVE);
	assert_states(event, DOWN, ACTIVE);
	assert_int_equal(event->down_msec.value, 1500);
	assert_string_equal(event->change,
			    "state down -> active, rate - -> 100 Gb/s, was down for 1.5 s");
	nothing_more(bed);
}

/* The second PORT_ACTIVE of rxe comes when nothing changes any more. */
static void told_again(void **state)
{
	struct bed *bed = *state;

	begin(bed, reads(ACTIVE, 100));
	update(bed, reads(ACTIVE, 100), TOLD(EVENT_PORT_ACTIVE, EVENT_GID_CHANGED));
	nothing_more(bed);
	bed->all = true;
	update(bed, reads(ACTIVE, 100), TOLD(EVENT_PORT_ACTIVE));
	assert_states(next(bed, EVENT_PORT_ACTIVE), ACTIVE, ACTIVE);
	update(bed, reads(ACTIVE, 100), TOLD(EVENT_GID_CHANGED));
	assert_null(next(bed, EVENT_GID_CHANGED)->change);
	nothing_more(bed);
}

/* Down and up again before any reading. */
static void faster_than_a_look(void **state)
{
	struct bed *bed = *state;
	const struct event *event;

	begin(bed, reads(ACTIVE, 100));
	update(bed, reads(ACTIVE, 100), TOLD(EVENT_PORT_DOWN));
	event = next(bed, EVENT_PORT_DOWN);
	assert_states(event, ACTIVE, DOWN);
	event = next(bed, EVENT_PORT_ACTIVE);
	assert_states(event, DOWN, ACTIVE);
	assert_int_equal(event->down_msec.value, 0);
	nothing_more(bed);
	/* Reports about the rest of it come later. */
	update(bed, reads(ACTIVE, 100), TOLD(EVENT_PORT_ACTIVE));
	nothing_more(bed);
}

static void expect_flaps(struct bed *bed, unsigned int count)
{
	while (count--) {
		assert_states(next(bed, EVENT_PORT_DOWN), ACTIVE, DOWN);
		assert_states(next(bed, EVENT_PORT_ACTIVE), DOWN, ACTIVE);
	}
	nothing_more(bed);
}

/* The number of downs is that reported, in any order. */
static void out_of_order(void **state)
{
	struct bed *bed = *state;
	const enum event_word d = EVENT_PORT_DOWN, a = EVENT_PORT_ACTIVE;

	begin(bed, reads(ACTIVE, 100));
	update(bed, reads(ACTIVE, 100), TOLD(d, a, d, a, a, a, d));
	expect_flaps(bed, 3);
	update(bed, reads(ACTIVE, 100), TOLD(a, a));
	expect_flaps(bed, 0);
	update(bed, reads(ACTIVE, 100), TOLD(a, d));
	expect_flaps(bed, 1);
	update(bed, reads(DOWN, 100), TOLD(d, d, a, a));
	next(bed, EVENT_PORT_DOWN);
	next(bed, EVENT_PORT_ACTIVE);
	next(bed, EVENT_PORT_DOWN);
	nothing_more(bed);
	/* Another down is reported while the port is down: it was up in between. */
	update(bed, reads(DOWN, 100), TOLD(d));
	next(bed, EVENT_PORT_ACTIVE);
	next(bed, EVENT_PORT_DOWN);
	update(bed, reads(ACTIVE, 100), TOLD(a));
	next(bed, EVENT_PORT_ACTIVE);
	nothing_more(bed);
}

/* rxe reports down again when its netdev, which has no carrier, is set down. */
static void down_again(void **state)
{
	struct bed *bed = *state;
	const enum event_word d = EVENT_PORT_DOWN, a = EVENT_PORT_ACTIVE;

	begin(bed, reads(ACTIVE, 100));
	bed->now += 6 * SECOND;
	update(bed, reads(DOWN, 0), TOLD(d, d));
	assert_states(next(bed, EVENT_PORT_DOWN), ACTIVE, DOWN);
	nothing_more(bed);
	bed->now += 60 * SECOND;
	update(bed, reads(DOWN, 0), TOLD(d));
	update(bed, reads(DOWN, 0), TOLD(EVENT_GID_CHANGED));
	nothing_more(bed);
	/* The port comes back after a while. */
	bed->now += 6 * SECOND;
	update(bed, reads(ACTIVE, 100), TOLD(a));
	assert_int_equal(next(bed, EVENT_PORT_ACTIVE)->down_msec.value, 66000);
	nothing_more(bed);
	/* It was up in between if that is also reported, soon before or after. */
	bed->now += 6 * SECOND;
	update(bed, reads(DOWN, 0), TOLD(d));
	next(bed, EVENT_PORT_DOWN);
	update(bed, reads(DOWN, 0), TOLD(d));
	nothing_more(bed);
	bed->now += 4 * SECOND;
	update(bed, reads(DOWN, 0), TOLD(a));
	next(bed, EVENT_PORT_ACTIVE);
	next(bed, EVENT_PORT_DOWN);
	nothing_more(bed);
	bed->now += 4 * SECOND;
	update(bed, reads(DOWN, 0), TOLD(d));
	next(bed, EVENT_PORT_ACTIVE);
	next(bed, EVENT_PORT_DOWN);
	nothing_more(bed);
}

/* A change that was read before it was reported counts once, if the report comes soon. */
static void read_before_told(void **state)
{
	struct bed *bed = *state;

	begin(bed, reads(ACTIVE, 100));
	update(bed, reads(DOWN, 100), NULL);
	next(bed, EVENT_PORT_DOWN);
	update(bed, reads(ACTIVE, 100), TOLD(EVENT_PORT_DOWN));
	next(bed, EVENT_PORT_ACTIVE);
	nothing_more(bed);
	update(bed, reads(DOWN, 100), NULL);
	next(bed, EVENT_PORT_DOWN);
	update(bed, reads(ACTIVE, 100), NULL);
	next(bed, EVENT_PORT_ACTIVE);
	bed->now += 6 * SECOND;
	update(bed, reads(ACTIVE, 100), TOLD(EVENT_PORT_DOWN));
	expect_flaps(bed, 1);
}

/* A used credit is gone: the down that is read next will still be reported. */
static void credit_and_another(void **state)
{
	struct bed *bed = *state;

	begin(bed, reads(ACTIVE, 100));
	update(bed, reads(DOWN, 100), NULL);
	next(bed, EVENT_PORT_DOWN);
	update(bed, reads(ACTIVE, 100), NULL);
	next(bed, EVENT_PORT_ACTIVE);
	update(bed, reads(DOWN, 100), TOLD(EVENT_PORT_DOWN));
	next(bed, EVENT_PORT_DOWN);
	update(bed, reads(DOWN, 100), TOLD(EVENT_PORT_DOWN));
	nothing_more(bed);
	update(bed, reads(ACTIVE, 100), NULL);
	next(bed, EVENT_PORT_ACTIVE);
	/* All credits are used up. */
	update(bed, reads(ACTIVE, 100), TOLD(EVENT_PORT_DOWN));
	expect_flaps(bed, 1);
}

/* Reports about the time before watching began. */
static void old_news(void **state)
{
	struct bed *bed = *state;

	begin(bed, reads(DOWN, 100));
	update(bed, reads(DOWN, 100), TOLD(EVENT_PORT_DOWN));
	nothing_more(bed);
}

/* mlx5_ib reports PORT_ERR when an InfiniBand link reaches Init. */
static void infiniband(void **state)
{
	struct bed *bed = *state;

	bed->device->ports[0].ethernet = false;
	begin(bed, reads(ACTIVE, 100));
	update(bed, reads(DOWN, 10), TOLD(EVENT_PORT_DOWN));
	assert_states(next(bed, EVENT_PORT_DOWN), ACTIVE, DOWN);
	update(bed, reads(INIT, 100), TOLD(EVENT_PORT_DOWN));
	assert_states(next(bed, EVENT_PORT_INIT), DOWN, INIT);
	update(bed, reads(ARMED, 100), NULL);
	assert_states(next(bed, EVENT_PORT_ARMED), INIT, ARMED);
	bed->now += 4 * SECOND;
	update(bed, reads(ACTIVE, 100), TOLD(EVENT_PORT_ACTIVE));
	assert_int_equal(next(bed, EVENT_PORT_ACTIVE)->down_msec.value, 4000);
	/* A flap that nobody saw. */
	update(bed, reads(ACTIVE, 100), TOLD(EVENT_PORT_DOWN, EVENT_PORT_ACTIVE));
	expect_flaps(bed, 1);
	update(bed, reads(DEFER, 100), NULL);
	assert_states(next(bed, EVENT_PORT_DOWN), ACTIVE, DEFER);
	nothing_more(bed);
}

static void lid_and_subnet_manager(void **state)
{
	struct bed *bed = *state;
	struct port_reading reading = reads(ACTIVE, 100);
	const struct event *event;

	reading.state.lid = number_of(5);
	reading.state.sm_lid = number_of(1);
	reading.state.physical_state = number_of(5);
	begin(bed, reading);
	reading.state.lid = number_of(7);
	update(bed, reading, TOLD(EVENT_LID_CHANGE));
	event = next(bed, EVENT_LID_CHANGE);
	assert_int_equal(event->port_before.lid.value, 5);
	assert_int_equal(event->port_after.lid.value, 7);
	assert_string_equal(event->change, "LID 5 -> 7");
	reading.state.sm_lid = number_of(2);
	update(bed, reading, TOLD(EVENT_SM_CHANGE));
	assert_string_equal(next(bed, EVENT_SM_CHANGE)->change, "SM LID 1 -> 2");
	/* Reports without a difference are events. */
	update(bed, reading,
	       TOLD(EVENT_SM_CHANGE, EVENT_PKEY_CHANGE, EVENT_CLIENT_REREGISTER, EVENT_SPEED_CHANGE,
		    EVENT_LID_CHANGE));
	assert_states(next(bed, EVENT_SM_CHANGE), ACTIVE, ACTIVE);
	next(bed, EVENT_PKEY_CHANGE);
	next(bed, EVENT_CLIENT_REREGISTER);
	next(bed, EVENT_SPEED_CHANGE);
	nothing_more(bed);
	/* An unreadable value stays unchanged. */
	reading.state.lid.known = reading.state.sm_lid.known = false;
	reading.state.state.known = reading.state.physical_state.known = false;
	update(bed, reading, NULL);
	assert_true(bed->device->ports[0].now.physical_state.known);
	assert_int_equal(bed->device->ports[0].now.physical_state.value, 5);
	assert_int_equal(bed->device->ports[0].now.lid.value, 7);
	assert_int_equal(bed->device->ports[0].now.state.value, ACTIVE);
	nothing_more(bed);
}

static void rate_and_mtu(void **state)
{
	struct bed *bed = *state;
	struct port_reading reading;
	const struct event *event;

	begin(bed, reads(ACTIVE, 100));
	update(bed, reads(ACTIVE, 50), NULL);
	event = next(bed, EVENT_RATE_CHANGE);
	assert_string_equal(event->change, "rate 100 -> 50 Gb/s");
	assert_states(event, ACTIVE, ACTIVE);
	reading = reads(ACTIVE, 50);
	reading.state.active_mtu_bytes = number_of(1024);
	update(bed, reading, NULL);
	assert_string_equal(next(bed, EVENT_MTU_CHANGE)->change, "MTU 4096 -> 1024");
	/* The rate of a port that is down does not count. */
	reading.state.state = number_of(DOWN);
	reading.state.rate_gbps.value = 2.5;
	update(bed, reading, TOLD(EVENT_PORT_DOWN));
	next(bed, EVENT_PORT_DOWN);
	nothing_more(bed);
	/* The rate with which it comes back does count. */
	reading.state.state = number_of(ACTIVE);
	reading.state.rate_gbps.value = 25;
	update(bed, reading, TOLD(EVENT_PORT_ACTIVE));
	assert_string_equal(next(bed, EVENT_PORT_ACTIVE)->change,
			    "state down -> active, rate 2.5 -> 25 Gb/s, was down for 0 ms");
	event = next(bed, EVENT_RATE_CHANGE);
	assert_true(event->port_before.rate_gbps.value == 50);
	assert_true(event->port_after.rate_gbps.value == 25);
	nothing_more(bed);
	/* A flap that was only reported does not look like a changed rate. */
	update(bed, reading, TOLD(EVENT_PORT_DOWN));
	expect_flaps(bed, 1);
	reading.state.state = number_of(DOWN);
	reading.state.rate_gbps.value = 2.5;
	update(bed, reading, TOLD(EVENT_PORT_DOWN));
	next(bed, EVENT_PORT_DOWN);
	update(bed, reading, TOLD(EVENT_PORT_DOWN));
	next(bed, EVENT_PORT_ACTIVE);
	next(bed, EVENT_PORT_DOWN);
	nothing_more(bed);
}

static void flapping(void **state)
{
	struct bed *bed = *state;
	const struct event *event;

	bed->state.flap_count = 3;
	bed->state.flap_window_nsec = 600 * SECOND;
	begin(bed, reads(ACTIVE, 100));
	for (unsigned int i = 1; i <= 7; i++) {
		bed->now += 60 * SECOND;
		update(bed, reads(DOWN, 100), TOLD(EVENT_PORT_DOWN));
		next(bed, EVENT_PORT_DOWN);
		bed->now += 2 * SECOND;
		update(bed, reads(ACTIVE, 100), TOLD(EVENT_PORT_ACTIVE));
		next(bed, EVENT_PORT_ACTIVE);
		if (i % 3)
			continue;
		event = next(bed, EVENT_PORT_FLAPPING);
		assert_int_equal(event->flaps.value, 3);
		assert_int_equal(event->flap_window_msec.value, 600000);
		assert_int_equal(event->down_msec.value, 6000);
		assert_string_equal(event->change, "down 3 times within 10 min, 6 s in all");
	}
	nothing_more(bed);
}

/* The last of three within exactly the window counts; then counting begins again. */
static void flapping_exactly_at_the_limit(void **state)
{
	struct bed *bed = *state;

	bed->state.flap_count = 3;
	bed->state.flap_window_nsec = 10 * SECOND;
	begin(bed, reads(ACTIVE, 100));
	for (unsigned int round = 0; round < 2; round++)
		for (unsigned int i = 0; i < 3; i++) {
			bed->now += i ? 5 * SECOND : 1;
			update(bed, reads(ACTIVE, 100), TOLD(EVENT_PORT_DOWN));
			next(bed, EVENT_PORT_DOWN);
			next(bed, EVENT_PORT_ACTIVE);
			if (i == 2)
				assert_int_equal(next(bed, EVENT_PORT_FLAPPING)->flaps.value, 3);
			nothing_more(bed);
		}
	/* A nanosecond more than the window. */
	for (unsigned int i = 0; i < 3; i++) {
		bed->now += i == 2 ? 5 * SECOND + 1 : 5 * SECOND;
		update(bed, reads(ACTIVE, 100), TOLD(EVENT_PORT_DOWN));
		expect_flaps(bed, 1);
	}
}

/* The window moves: two and then, later, two are not four. */
static void not_flapping(void **state)
{
	struct bed *bed = *state;

	bed->state.flap_count = 3;
	bed->state.flap_window_nsec = 10 * SECOND;
	begin(bed, reads(ACTIVE, 100));
	for (unsigned int i = 0; i < 6; i++) {
		update(bed, reads(ACTIVE, 100), TOLD(EVENT_PORT_DOWN));
		expect_flaps(bed, 1);
		bed->now += (i % 2 ? 9 : 2) * SECOND;
	}
	bed->state.flap_count = 0;
	for (unsigned int i = 0; i < 6; i++) {
		update(bed, reads(ACTIVE, 100), TOLD(EVENT_PORT_DOWN));
		expect_flaps(bed, 1);
	}
}

static void netdev_comes_and_goes(void **state)
{
	struct bed *bed = *state;
	struct port_reading reading = {.has_netdev = true};
	const struct event *event;

	update(bed, reading, NULL);
	nothing_more(bed);
	reading = (struct port_reading){
		.has_netdev = true, .netdev_index = number_of(3), .netdev = mem_string("eth0")};
	update(bed, reading, NULL);
	event = next(bed, EVENT_NETDEV_ATTACHED);
	assert_null(event->attached_before);
	assert_string_equal(event->attached, "eth0");
	assert_string_equal(event->netdev, "eth0");
	assert_string_equal(event->change, "netdev - -> eth0");
	/* The new name is an event of the netdev. */
	reading = (struct port_reading){
		.has_netdev = true, .netdev_index = number_of(3), .netdev = mem_string("eth9")};
	update(bed, reading, NULL);
	nothing_more(bed);
	assert_string_equal(bed->device->ports[0].netdev, "eth9");
	reading = (struct port_reading){
		.has_netdev = true, .netdev_index = number_of(4), .netdev = mem_string("eth1")};
	update(bed, reading, NULL);
	event = next(bed, EVENT_NETDEV_DETACHED);
	assert_string_equal(event->attached_before, "eth9");
	assert_null(event->attached);
	assert_string_equal(next(bed, EVENT_NETDEV_ATTACHED)->attached, "eth1");
	update(bed, (struct port_reading){.has_netdev = true}, NULL);
	assert_string_equal(next(bed, EVENT_NETDEV_DETACHED)->change, "netdev eth1 -> -");
	nothing_more(bed);
}

static void add_gid(struct port_reading *reading, unsigned int index, unsigned char last,
		    const char *netdev)
{
	struct tracked_gid *gid = tracked_gids_add(&reading->gids);

	reading->has_gids = true;
	gid->index = index;
	gid->gid.raw[15] = last;
	gid->type = number_of(GID_TYPE_ROCE_V2);
	gid->netdev_index = number_of((uint64_t)netdev[3]);
	gid->netdev = mem_string(netdev);
}

static void gids(void **state)
{
	struct bed *bed = *state;
	struct port_reading reading = {.has_state = false};
	const struct event *event;

	add_gid(&reading, 0, 10, "eth0");
	add_gid(&reading, 2, 12, "eth0");
	update(bed, reading, TOLD(EVENT_GID_CHANGED));
	event = next(bed, EVENT_GID_ADDED);
	assert_int_equal(event->gid_index.value, 0);
	assert_false(event->gid_before.gid.known);
	assert_int_equal(event->gid_after.gid.gid.raw[15], 10);
	assert_string_equal(event->change,
			    "index 0: 0000:0000:0000:0000:0000:0000:0000:000a roce-v2 eth0");
	next(bed, EVENT_GID_ADDED);
	/* One is removed, one added, one changed, one unchanged. */
	reading = (struct port_reading){.has_state = false};
	add_gid(&reading, 1, 11, "eth0");
	add_gid(&reading, 2, 99, "eth0");
	add_gid(&reading, 5, 15, "eth1");
	update(bed, reading, NULL);
	event = next(bed, EVENT_GID_REMOVED);
	assert_int_equal(event->gid_index.value, 0);
	assert_true(event->gid_before.gid.known);
	assert_false(event->gid_after.gid.known);
	assert_int_equal(next(bed, EVENT_GID_ADDED)->gid_index.value, 1);
	event = next(bed, EVENT_GID_CHANGED);
	assert_int_equal(event->gid_before.gid.gid.raw[15], 12);
	assert_int_equal(event->gid_after.gid.gid.raw[15], 99);
	assert_int_equal(next(bed, EVENT_GID_ADDED)->gid_index.value, 5);
	nothing_more(bed);
	/* The same GID of another netdev. */
	reading = (struct port_reading){.has_state = false};
	add_gid(&reading, 1, 11, "eth0");
	add_gid(&reading, 2, 99, "eth2");
	add_gid(&reading, 5, 15, "eth1");
	update(bed, reading, TOLD(EVENT_GID_CHANGED));
	event = next(bed, EVENT_GID_CHANGED);
	assert_string_equal(event->gid_before.netdev, "eth0");
	assert_string_equal(event->gid_after.netdev, "eth2");
	nothing_more(bed);
	/* An unread table is not an empty one. */
	update(bed, (struct port_reading){.has_gids = false}, NULL);
	nothing_more(bed);
	assert_int_equal(bed->device->ports[0].gids.count, 3);
}

/* With --all a report without a change is an event, unless its change was reported already. */
static void all_reports(void **state)
{
	static const struct {
		unsigned char gid; /* 0: none */
		enum event_word word;
	} steps[] = {{10, EVENT_GID_ADDED},
		     {10, EVENT_GID_CHANGED},
		     {11, EVENT_GID_CHANGED},
		     {0, EVENT_GID_REMOVED},
		     {0, EVENT_GID_CHANGED}};
	struct bed *bed = *state;

	begin(bed, reads(ACTIVE, 100));
	bed->all = true;
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		struct port_reading reading = {.has_gids = true};
		const struct event *event;

		if (steps[i].gid)
			add_gid(&reading, 3, steps[i].gid, "eth0");
		update(bed, reading, TOLD(EVENT_GID_CHANGED, EVENT_LID_CHANGE));
		event = next(bed, steps[i].word);
		/* The report alone does not identify an entry. */
		assert_int_equal(event->gid_index.known, i != 1 && i != 4);
		assert_states(next(bed, EVENT_LID_CHANGE), ACTIVE, ACTIVE);
		nothing_more(bed);
	}
}

static void device_comes(void **state)
{
	struct bed *bed = *state;
	const struct event_cause why = cause(bed);
	struct tracked_device *device = event_state_add_device(&bed->state, "m1", "m1", &why);
	struct port_reading reading = reads(ACTIVE, 25);
	const struct event *event = next(bed, EVENT_DEVICE_ADDED);

	assert_string_equal(event->object, "m1");
	assert_string_equal(event->device, "m1");
	assert_false(event->port.known);
	tracked_device_add_port(device, 1);
	tracked_device_add_port(device, 2);
	reading.has_netdev = true;
	reading.netdev_index = number_of(3);
	reading.netdev = mem_string("eth0");
	add_gid(&reading, 0, 1, "eth0");
	event_state_update_port(&bed->state, device, &device->ports[0], &reading, NULL, &why);
	next(bed, EVENT_NETDEV_ATTACHED);
	event = next(bed, EVENT_PORT_ACTIVE);
	assert_string_equal(event->object, "m1/1");
	assert_string_equal(event->netdev, "eth0");
	assert_false(event->port_before.state.known);
	assert_false(event->down_msec.known);
	next(bed, EVENT_GID_ADDED);
	/* A new port that is down did not go down. */
	reading = reads(DOWN, 25);
	event_state_update_port(&bed->state, device, &device->ports[1], &reading, NULL, &why);
	nothing_more(bed);
}

static void device_goes(void **state)
{
	struct bed *bed = *state;
	const struct event_cause why = cause(bed);
	struct port_reading reading = reads(ACTIVE, 25);
	const struct event *event;

	reading.has_netdev = true;
	reading.netdev_index = number_of(3);
	reading.netdev = mem_string("eth0");
	add_gid(&reading, 0, 1, "eth0");
	begin(bed, reading);
	tracked_device_add_port(bed->device, 2);
	event_state_remove_device(&bed->state, bed->device, &why);
	event = next(bed, EVENT_PORT_DOWN);
	assert_string_equal(event->object, "m0/1");
	assert_int_equal(event->port_before.state.value, ACTIVE);
	assert_false(event->port_after.state.known);
	next(bed, EVENT_GID_REMOVED);
	assert_string_equal(next(bed, EVENT_NETDEV_DETACHED)->attached_before, "eth0");
	assert_string_equal(next(bed, EVENT_DEVICE_REMOVED)->object, "m0");
	nothing_more(bed);
	assert_int_equal(bed->state.device_count, 0);
}

static void device_has_another_name(void **state)
{
	struct bed *bed = *state;
	const struct event_cause why = cause(bed);
	const struct event *event;

	event_state_rename_device(bed->device, "m\\x09", "m\t", &why);
	event = next(bed, EVENT_DEVICE_RENAMED);
	assert_string_equal(event->object, "m\\x09");
	assert_string_equal(event->name_before, "m0");
	assert_string_equal(event->change, "m0 -> m\\x09");
	assert_string_equal(bed->device->kernel_name, "m\t");
	event_state_add_event(&why, EVENT_DEVICE_FATAL, bed->device, NULL, NULL);
	event = next(bed, EVENT_DEVICE_FATAL);
	assert_string_equal(event->object, "m\\x09");
	assert_int_equal(event->severity.value, SEVERITY_ERROR);
	nothing_more(bed);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(goes_down_and_up),
		TEST(told_again),
		TEST(faster_than_a_look),
		TEST(out_of_order),
		TEST(down_again),
		TEST(read_before_told),
		TEST(credit_and_another),
		TEST(old_news),
		TEST(infiniband),
		TEST(lid_and_subnet_manager),
		TEST(rate_and_mtu),
		TEST(flapping),
		TEST(flapping_exactly_at_the_limit),
		TEST(not_flapping),
		TEST(netdev_comes_and_goes),
		TEST(gids),
		TEST(all_reports),
		TEST(device_comes),
		TEST(device_goes),
		TEST(device_has_another_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
