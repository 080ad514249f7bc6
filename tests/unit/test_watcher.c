/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Watching a saved tree, whose changes nothing reports: it is polled once a second, whatever came,
 * went or changed causes events, and existing objects are reported on request.
 */
#include "saved_tree.h"

#include "base/clock.h"
#include "event/watcher.h"

#define DEVICES "sys/class/infiniband/"

struct bed {
	struct saved_tree tree;
	struct objects objects;
	struct watcher *watcher;
	struct event_list events;
	struct problems warnings, notes;
};

static void put(const struct bed *bed, const char *device, unsigned int port, const char *name,
		const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), DEVICES "%s/ports/%u/%s", device, port, name);
	tree_write(&bed->tree, path, text);
}

static void put_port(const struct bed *bed, const char *device, unsigned int port,
		     const char *state, const char *lid)
{
	put(bed, device, port, "link_layer", "InfiniBand");
	put(bed, device, port, "state", state);
	put(bed, device, port, "phys_state", "5: LinkUp");
	put(bed, device, port, "rate", "100 Gb/sec (4X EDR)");
	put(bed, device, port, "lid", lid);
	put(bed, device, port, "sm_lid", "0x1");
}

static int set_up(void **state)
{
	struct bed *bed;

	tree_set_up(state, sizeof(*bed));
	bed = *state;
	put_port(bed, "mlx5_0", 1, "4: ACTIVE", "0x5");
	put_port(bed, "mlx5_0", 2, "1: DOWN", "0x0");
	put_port(bed, "mlx5_1", 1, "2: INIT", "0x0");
	return 0;
}

static int tear_down(void **state)
{
	struct bed *bed = *state;

	event_list_clear(&bed->events);
	watcher_free(bed->watcher);
	problems_free(&bed->warnings);
	problems_free(&bed->notes);
	tree_close(&bed->tree);
	free(bed);
	return 0;
}

static void watch(struct bed *bed)
{
	const struct watcher_options options = {.root = bed->tree.path, .objects = &bed->objects};
	struct pollfd *fds = NULL;
	size_t count = 0;

	assert_int_equal(watcher_open(&options, &bed->watcher, &bed->warnings, &bed->notes), 0);
	assert_int_equal(bed->warnings.count, 0);
	/* Without reports, only the time is waited for. */
	watcher_poll(bed->watcher, &fds, &count);
	assert_int_equal(count, 0);
	assert_in_range(watcher_timeout(bed->watcher), 0, 1000);
	assert_int_equal(watcher_generation(bed->watcher), 0);
}

/* Expects the events of a step, with their objects: `port-down mlx5_0/1`. */
static void expect(struct bed *bed, bool due, const char *wanted)
{
	const struct event_time time = {.wall_nsec = 5, .monotonic_nsec = 7};
	char text[1024] = "";

	/* A second is long for a test, and may be short on a busy machine. */
	bed->watcher->next_poll_msec = due ? 0 : clock_msec() + 60000;
	event_list_clear(&bed->events);
	assert_int_equal(watcher_step(bed->watcher, &time, &bed->events), 0);
	for (size_t i = 0; i < bed->events.count; i++) {
		const struct event *event = &bed->events.items[i];
		const size_t length = strlen(text);

		assert_int_equal(event->source.value, EVENT_SOURCE_POLL);
		assert_int_equal(event->time.wall_nsec, 5);
		snprintf(text + length, sizeof(text) - length, "%s%s %s", length ? ", " : "",
			 enum_word(event_names, event->word.value, "?"), event->object);
	}
	assert_string_equal(text, wanted);
	if (due)
		assert_in_range(watcher_timeout(bed->watcher), 0, 1000);
}

static void changes(void **state)
{
	struct bed *bed = *state;
	const struct event *event;

	watch(bed);
	expect(bed, true, "");
	put(bed, "mlx5_0", 1, "state", "1: DOWN");
	/* Nothing happens before it is time. */
	expect(bed, false, "");
	expect(bed, true, "port-down mlx5_0/1");
	event = &bed->events.items[0];
	assert_int_equal(event->port.value, 1);
	assert_string_equal(event->device, "mlx5_0");
	assert_int_equal(event->port_before.state.value, 4);
	assert_int_equal(event->port_after.state.value, 1);
	assert_non_null(strstr(event->change, "active -> down"));
	expect(bed, true, "");
	put(bed, "mlx5_0", 1, "state", "4: ACTIVE");
	put(bed, "mlx5_1", 1, "lid", "0x9");
	expect(bed, true, "port-active mlx5_0/1, lid-change mlx5_1/1");
	put(bed, "mlx5_0", 1, "sm_lid", "0x2");
	expect(bed, true, "sm-change mlx5_0/1");
	assert_int_equal(watcher_generation(bed->watcher), 0);
}

static void devices(void **state)
{
	struct bed *bed = *state;

	watch(bed);
	tree_delete(&bed->tree, DEVICES "mlx5_0");
	/* A port that carried data no longer does. */
	expect(bed, true, "port-down mlx5_0/1, device-removed mlx5_0");
	assert_int_equal(watcher_generation(bed->watcher), 1);
	put_port(bed, "mlx5_2", 1, "4: ACTIVE", "0x7");
	expect(bed, true, "device-added mlx5_2, port-active mlx5_2/1");
	assert_int_equal(watcher_generation(bed->watcher), 2);
	/* Its port is known from now on. */
	put(bed, "mlx5_2", 1, "state", "1: DOWN");
	expect(bed, true, "port-down mlx5_2/1");
	assert_int_equal(watcher_generation(bed->watcher), 2);
}

/* Only the named ports. */
static void named(void **state)
{
	char *words[] = {(char[]){"mlx5_0/2"}, NULL};
	struct bed *bed = *state;
	char *bad = NULL;

	assert_int_equal(objects_parse(&bed->objects, words, true, &bad), 0);
	watch(bed);
	put(bed, "mlx5_0", 1, "state", "1: DOWN");
	put(bed, "mlx5_0", 2, "state", "2: INIT");
	put(bed, "mlx5_1", 1, "state", "1: DOWN");
	expect(bed, true, "port-init mlx5_0/2");
	objects_free(&bed->objects);
}

/* Which ports are watched: all of a device, one of them, and port 0 of a switch. */
static void selected(void **state)
{
	static const struct {
		const char *words[4];
		const char *wanted;
	} cases[] = {
		{{NULL}, "m\\x1bx/1 mlx5_0/1 mlx5_0/2 mlx5_1/1 sw0/0"},
		{{"mlx5_0"}, "mlx5_0/1 mlx5_0/2"},
		{{"mlx5_0/1"}, "mlx5_0/1"},
		{{"mlx5_0/0"}, "mlx5_0"},
		{{"mlx5_0/2", "sw0/0"}, "mlx5_0/2 sw0/0"},
		{{"sw0/1"}, "sw0"},
		{{"sw0"}, "sw0/0"},
		{{"mlx5_1", "mlx5_0/3"}, "mlx5_0 mlx5_1/1"},
		{{"mlx5_0/2", "mlx5_0/1"}, "mlx5_0/1 mlx5_0/2"},
		{{"mlx5"}, ""},
		/* The name as it is shown, and as the kernel has it. */
		{{"m\\x1bx"}, "m\\x1bx/1"},
		{{"m\x1bx/1"}, "m\\x1bx/1"},
	};
	struct bed *bed = *state;

	put_port(bed, "m\x1bx", 1, "2: INIT", "0x0");
	put_port(bed, "sw0", 0, "4: ACTIVE", "0x1");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *words[4] = {NULL}, *bad = NULL, text[256] = "";

		for (size_t j = 0; cases[i].words[j]; j++)
			words[j] = mem_string(cases[i].words[j]);
		assert_int_equal(objects_parse(&bed->objects, words, true, &bad), 0);
		for (size_t j = 0; words[j]; j++)
			free(words[j]);
		watch(bed);
		for (size_t j = 0; j < bed->watcher->device_count; j++) {
			const struct tracked_device *device = bed->watcher->devices[j].tracked;

			if (!device->port_count)
				snprintf(text + strlen(text), sizeof(text) - strlen(text), " %s",
					 device->name);
			for (size_t k = 0; k < device->port_count; k++)
				snprintf(text + strlen(text), sizeof(text) - strlen(text), " %s/%u",
					 device->name, device->ports[k].number);
		}
		assert_string_equal(text + (*text == ' '), cases[i].wanted);
		watcher_free(bed->watcher);
		bed->watcher = NULL;
		objects_free(&bed->objects);
	}
}

static void present(void **state)
{
	static const struct {
		uint64_t words;
		const char *wanted;
	} cases[] = {
		{0, ""},
		{UINT64_C(1) << EVENT_PORT_ACTIVE, "port-active mlx5_0/1"},
		{UINT64_C(1) << EVENT_PORT_DOWN, "port-down mlx5_0/2, port-down mlx5_1/1"},
		{UINT64_C(1) << EVENT_DEVICE_ADDED, "device-added mlx5_0, device-added mlx5_1"},
		{UINT64_C(1) << EVENT_NETDEV_ATTACHED | UINT64_C(1) << EVENT_NETDEV_UP, ""},
		{UINT64_MAX, "device-added mlx5_0, port-active mlx5_0/1, port-down mlx5_0/2, "
			     "device-added mlx5_1, port-down mlx5_1/1"},
	};
	const struct event_time time = {.wall_nsec = 5};
	struct bed *bed = *state;

	/* The port carries no data, like one that is down. */
	put_port(bed, "mlx5_1", 1, "5: ACTIVE_DEFER", "0x0");
	watch(bed);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char text[256] = "";

		event_list_clear(&bed->events);
		watcher_report_states(bed->watcher, cases[i].words, &time, &bed->events);
		for (size_t j = 0; j < bed->events.count; j++) {
			const struct event *event = &bed->events.items[j];
			const size_t length = strlen(text);

			assert_int_equal(event->source.value, EVENT_SOURCE_START);
			snprintf(text + length, sizeof(text) - length, "%s%s %s",
				 length ? ", " : "", enum_word(event_names, event->word.value, "?"),
				 event->object);
		}
		assert_string_equal(text, cases[i].wanted);
	}
	/* The current state, and no change of it. */
	assert_int_equal(bed->events.items[1].port_before.state.value, 4);
	assert_int_equal(bed->events.items[1].port_after.state.value, 4);
	assert_int_equal(bed->events.items[1].port.value, 1);
}

static void no_root(void **state)
{
	const struct watcher_options options = {.root = "/nonexistent"};
	struct watcher *watcher = NULL;
	struct bed *bed = *state;

	assert_int_equal(watcher_open(&options, &watcher, &bed->warnings, &bed->notes), -ENOENT);
	assert_null(watcher);
	watcher_free(NULL);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(changes),	TEST(devices), TEST(named),
		TEST(selected), TEST(present), TEST(no_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
