/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Changes of counters between two readings, and saved readings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "counter/counter_change.h"
#include "counter/saved.h"

/* Two devices with a port each, of 100 Gb/s. */
struct host {
	struct device_list devices;
	struct counter_readings readings;
};

static void add_host(struct host *host)
{
	for (int i = 0; i < 2; i++) {
		struct device *device = device_list_add(&host->devices, i ? "mlx5_1" : "mlx5_0");
		struct port *port = device_add_port(device, 1);

		number_set(&device->index, (uint64_t)i);
		number_set(&device->node_guid, 0x1000 + (uint64_t)i);
		port->rate_gbps = (struct real){.value = 100, .known = true};
	}
}

static void drop_host(struct host *host)
{
	counter_readings_clear(&host->readings);
	device_list_clear(&host->devices);
}

/* As in the kernel: port_xmit_data counts words of four bytes. */
static struct counter_reading *add(struct host *host, unsigned int device,
				   enum counter_source source, const char *name, uint64_t value)
{
	struct counter_reading *reading = mem_append(&host->readings.items, &host->readings.count,
						     sizeof(*host->readings.items));

	reading->device = &host->devices.items[device];
	reading->port = &host->devices.items[device].ports[0];
	reading->source = source;
	reading->kernel_name = name;
	reading->name = counter_name_find_in(source, name);
	reading->counter = reading->name ? reading->name->canonical : name;
	counter_reading_set(reading, value);
	return reading;
}

static const struct counter_change *change_of(const struct counter_changes *changes,
					      const char *kernel_name)
{
	for (size_t i = 0; i < changes->count; i++)
		if (!strcmp(changes->items[i].reading.kernel_name, kernel_name))
			return &changes->items[i];
	fail();
	return NULL;
}

static void check_state(const struct counter_changes *changes, const char *kernel_name,
			enum counter_change_state state)
{
	const struct counter_change *change = change_of(changes, kernel_name);

	assert_int_equal(change->state.value, state);
	assert_int_equal(change->growth.known, state == CHANGE_COUNTED);
	assert_int_equal(change->rate_per_sec.known, state == CHANGE_COUNTED);
}

static void rates(void **state)
{
	struct counter_interval interval = {.seconds = 2};
	struct counter_changes changes = {0};
	struct host before = {0}, after = {0};
	const struct counter_change *change;

	(void)state;
	add_host(&before);
	add_host(&after);
	add(&before, 0, COUNTER_SOURCE_PMA, "port_xmit_data", 1000);
	add(&before, 0, COUNTER_SOURCE_PMA, "port_xmit_packets", 10);
	add(&before, 0, COUNTER_SOURCE_HW, "out_of_sequence", 7);
	add(&after, 0, COUNTER_SOURCE_PMA, "port_xmit_data", 1000 + 3125000000);
	add(&after, 0, COUNTER_SOURCE_PMA, "port_xmit_packets", 15);
	add(&after, 0, COUNTER_SOURCE_HW, "out_of_sequence", 7);
	counter_changes_make(&changes, &before.readings, &after.readings, &interval);
	assert_int_equal(changes.count, 3);

	/* 12.5 GB in two seconds are 50 Gb/s. */
	change = change_of(&changes, "port_xmit_data");
	assert_true(change->growth.value == 12500000000);
	assert_true(change->rate_per_sec.value == 6250000000.0);
	assert_true(change->gbps.value == 50.0);
	assert_true(change->percent_of_rate.value == 50.0);
	change = change_of(&changes, "port_xmit_packets");
	assert_true(change->rate_per_sec.value == 2.5);
	assert_false(change->gbps.known);
	assert_false(change->percent_of_rate.known);
	change = change_of(&changes, "out_of_sequence");
	assert_int_equal(change->state.value, CHANGE_COUNTED);
	assert_true(change->growth.known);
	assert_int_equal(change->growth.value, 0);
	counter_changes_clear(&changes);
	drop_host(&before);
	drop_host(&after);
}

/* Each reading has its time; without one, or without an interval, there is no rate. */
static void moments(void **state)
{
	struct counter_interval interval = {.seconds = 0};
	struct counter_changes changes = {0};
	struct host before = {0}, after = {0};

	(void)state;
	add_host(&before);
	add_host(&after);
	add(&before, 0, COUNTER_SOURCE_PMA, "port_xmit_packets", 10)->taken_nsec = 1000000000;
	add(&after, 0, COUNTER_SOURCE_PMA, "port_xmit_packets", 30)->taken_nsec = 1500000000;
	add(&before, 0, COUNTER_SOURCE_PMA, "port_rcv_packets", 10);
	add(&after, 0, COUNTER_SOURCE_PMA, "port_rcv_packets", 30);
	counter_changes_make(&changes, &before.readings, &after.readings, &interval);
	assert_true(change_of(&changes, "port_xmit_packets")->rate_per_sec.value == 40);
	assert_true(change_of(&changes, "port_xmit_packets")->interval_sec.value == 0.5);
	assert_int_equal(change_of(&changes, "port_rcv_packets")->growth.value, 20);
	assert_false(change_of(&changes, "port_rcv_packets")->rate_per_sec.known);
	assert_false(change_of(&changes, "port_rcv_packets")->interval_sec.known);
	counter_changes_clear(&changes);
	drop_host(&before);
	drop_host(&after);
}

static void states(void **state)
{
	struct counter_interval interval = {.seconds = 1};
	struct counter_changes changes = {0};
	struct host before = {0}, after = {0};

	(void)state;
	add_host(&before);
	add_host(&after);
	add(&before, 0, COUNTER_SOURCE_PMA, "link_downed", 200);
	add(&after, 0, COUNTER_SOURCE_PMA, "link_downed", 255);
	add(&before, 0, COUNTER_SOURCE_PMA, "symbol_error", 65535);
	add(&after, 0, COUNTER_SOURCE_PMA, "symbol_error", 65535);
	add(&before, 0, COUNTER_SOURCE_PMA, "port_rcv_errors", 65535);
	add(&after, 0, COUNTER_SOURCE_PMA, "port_rcv_errors", 3);
	add(&before, 0, COUNTER_SOURCE_HW, "gone", 5);
	add(&after, 0, COUNTER_SOURCE_HW, "new", 5);
	add(&before, 0, COUNTER_SOURCE_HW, "out_of_buffer", 5)->value.known = false;
	add(&after, 0, COUNTER_SOURCE_HW, "out_of_buffer", 6);
	add(&before, 0, COUNTER_SOURCE_HW, "rnr_nak_retry_err", 5);
	add(&after, 0, COUNTER_SOURCE_HW, "rnr_nak_retry_err", 6)->value.known = false;
	add(&before, 0, COUNTER_SOURCE_HW, "unheard_of", UINT64_MAX - 1);
	add(&after, 0, COUNTER_SOURCE_HW, "unheard_of", 3);
	counter_changes_make(&changes, &before.readings, &after.readings, &interval);
	assert_int_equal(changes.count, 8);
	check_state(&changes, "link_downed", CHANGE_SATURATED);
	check_state(&changes, "symbol_error", CHANGE_SATURATED);
	check_state(&changes, "port_rcv_errors", CHANGE_CLEARED);
	check_state(&changes, "new", CHANGE_NEW);
	check_state(&changes, "out_of_buffer", CHANGE_NEW);
	check_state(&changes, "rnr_nak_retry_err", CHANGE_UNREADABLE);
	check_state(&changes, "unheard_of", CHANGE_CLEARED);
	check_state(&changes, "gone", CHANGE_GONE);
	assert_true(change_of(&changes, "gone")->before.known);
	assert_false(change_of(&changes, "gone")->value.known);
	counter_changes_clear(&changes);
	drop_host(&before);
	drop_host(&after);
}

static void replaced_and_restarted(void **state)
{
	struct counter_interval interval = {.seconds = 1}, restarted = {.restarted = true};
	struct counter_changes changes = {0};
	struct host before = {0}, after = {0};

	(void)state;
	add_host(&before);
	add_host(&after);
	number_set(&after.devices.items[0].index, 5);
	/* If one of the two is unknown, no difference is reported. */
	after.devices.items[1].index.known = false;
	add(&before, 0, COUNTER_SOURCE_HW, "out_of_buffer", 5);
	add(&after, 0, COUNTER_SOURCE_HW, "out_of_buffer", 500000);
	add(&before, 1, COUNTER_SOURCE_HW, "rnr_nak_retry_err", 5);
	add(&after, 1, COUNTER_SOURCE_HW, "rnr_nak_retry_err", 6);
	counter_changes_make(&changes, &before.readings, &after.readings, &interval);
	check_state(&changes, "out_of_buffer", CHANGE_REPLACED);
	check_state(&changes, "rnr_nak_retry_err", CHANGE_COUNTED);
	counter_changes_clear(&changes);

	number_set(&after.devices.items[1].node_guid, 0x9999);
	counter_changes_make(&changes, &before.readings, &after.readings, &interval);
	check_state(&changes, "rnr_nak_retry_err", CHANGE_REPLACED);
	counter_changes_clear(&changes);

	counter_changes_make(&changes, &before.readings, &after.readings, &restarted);
	check_state(&changes, "out_of_buffer", CHANGE_RESTARTED);
	counter_changes_clear(&changes);
	drop_host(&before);
	drop_host(&after);
}

/* Missing counters keep their place, even if the order is completely different. */
static void order(void **state)
{
	static const char *const old[] = {"a", "b", "c", "d", "e"};
	static const char *const new[] = {"e", "a", "x", "d"};
	static const char *const expected[] = {"b", "c", "e", "a", "x", "d"};
	struct counter_interval interval = {.seconds = 1};
	struct counter_changes changes = {0}, none = {0};
	struct host before = {0}, after = {0};
	size_t found = 0;

	(void)state;
	add_host(&before);
	add_host(&after);
	for (size_t i = 0; i < ARRAY_SIZE(old); i++)
		add(&before, 0, COUNTER_SOURCE_HW, old[i], i);
	for (size_t i = 0; i < ARRAY_SIZE(new); i++)
		add(&after, 0, COUNTER_SOURCE_HW, new[i], 100 + i);
	counter_changes_make(&changes, &before.readings, &after.readings, &interval);
	assert_int_equal(changes.count, ARRAY_SIZE(expected));
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
		found += change_of(&changes, expected[i]) != NULL;
	assert_int_equal(found, ARRAY_SIZE(expected));
	assert_int_equal(change_of(&changes, "e")->growth.value, 100 - 4);
	assert_int_equal(change_of(&changes, "d")->growth.value, 103 - 3);
	assert_int_equal(change_of(&changes, "b")->state.value, CHANGE_GONE);
	/* Rows of current counters keep their order. */
	assert_true(change_of(&changes, "e") < change_of(&changes, "a"));
	assert_true(change_of(&changes, "a") < change_of(&changes, "x"));
	counter_changes_clear(&changes);
	counter_changes_make(&none, &(struct counter_readings){0}, &(struct counter_readings){0},
			     &interval);
	assert_int_equal(none.count, 0);
	counter_changes_clear(&none);
	drop_host(&before);
	drop_host(&after);
}

/* A counter that was saved and read back compares equal. */
static void saved(void **state)
{
	struct counter_interval interval = {.seconds = 1};
	struct saved_readings readings = {0};
	struct counter_changes changes = {0};
	struct saved_counter counters[5];
	struct host host = {0};

	(void)state;
	add_host(&host);
	add(&host, 0, COUNTER_SOURCE_PMA, "port_xmit_data", UINT64_MAX / 8);
	add(&host, 1, COUNTER_SOURCE_PMA, "link_downed", 255);
	add(&host, 1, COUNTER_SOURCE_HW, "nobody knows it", 3)->value.known = false;
	for (size_t i = 0; i < 3; i++)
		counters[i] = saved_counter_of(&host.readings.items[i]);
	assert_int_equal(counters[1].saturated, TRISTATE_YES);
	assert_int_equal(counters[2].saturated, TRISTATE_UNKNOWN);
	/* A counter without a device name or a source is skipped. */
	counters[3] = counters[4] = counters[0];
	counters[3].device = NULL;
	counters[4].source.known = false;
	saved_readings_devices(&readings, counters, 5);
	saved_readings_make(&readings, counters, 5);
	assert_int_equal(readings.devices.count, 2);
	assert_int_equal(readings.readings.count, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(counter_reading_compare(&readings.readings.items[i],
							 &host.readings.items[i]),
				 0);
	counter_changes_make(&changes, &readings.readings, &host.readings, &interval);
	check_state(&changes, "port_xmit_data", CHANGE_COUNTED);
	check_state(&changes, "link_downed", CHANGE_SATURATED);
	check_state(&changes, "nobody knows it", CHANGE_UNREADABLE);
	counter_changes_clear(&changes);
	saved_readings_clear(&readings);
	drop_host(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates),  cmocka_unit_test(moments),
		cmocka_unit_test(states), cmocka_unit_test(replaced_and_restarted),
		cmocka_unit_test(order),  cmocka_unit_test(saved),
	};

	return cmocka_run_group_tests_name("counter_change", tests, NULL, NULL);
}
