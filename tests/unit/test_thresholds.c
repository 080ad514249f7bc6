/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counters with a limit, in a saved tree whose files change: which become events, and when. */
#include "saved_tree.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "event/thresholds.h"
#include "host/object.h"

#define PORT "sys/class/infiniband/mlx5_0/ports/1/"
#define HW   PORT "hw_counters/"
#define PMA  PORT "counters/"

/* The rules of these tests call this period a second. */
enum { PERIOD_MSEC = 50 };

struct bed {
	struct saved_tree tree;
	struct objects objects;
	struct event_state state;
	struct event_threshold_list limits;
	struct thresholds *thresholds;
	struct event_list events;
	struct problems problems;
};

static const struct event_time now = {.wall_nsec = 5, .monotonic_nsec = 6};

static void put(const struct bed *bed, const char *path, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	tree_write(&bed->tree, path, text);
}

static int setup(void **state)
{
	struct bed *bed;

	tree_set_up(state, sizeof(*bed));
	bed = *state;
	put(bed, HW "out_of_buffer", 100);
	put(bed, HW "packet_seq_err", 0);
	put(bed, PMA "link_downed", 0);
	tree_write(&bed->tree, PORT "state", "4: ACTIVE");
	return 0;
}

static int teardown(void **state)
{
	struct bed *bed = *state;

	event_list_clear(&bed->events);
	thresholds_free(bed->thresholds);
	event_threshold_list_clear(&bed->limits);
	problems_free(&bed->problems);
	tree_close(&bed->tree);
	free(bed);
	return 0;
}

static int open_limits(struct bed *bed, const char *text, char **ret_message)
{
	char *bad = NULL;

	assert_int_equal(event_parse_thresholds(text, &bed->limits, &bad), 0);
	/* A full second would be long for a test. */
	for (size_t i = 0; i < bed->limits.count; i++)
		if (bed->limits.items[i].period_msec == 1000)
			bed->limits.items[i].period_msec = PERIOD_MSEC;
	return thresholds_open(bed->tree.path, &bed->objects, &bed->limits, &bed->thresholds,
			       ret_message, &bed->problems);
}

/* Waits until the next limit is due, and reads. */
static void step(struct bed *bed, unsigned int generation)
{
	/* Read first: otherwise a pause between the two calls would make the end too early. */
	const uint64_t left = (uint64_t)thresholds_timeout(bed->thresholds);
	const uint64_t end = clock_msec() + left;

	event_list_clear(&bed->events);
	while (clock_msec() < end)
		usleep(1000);
	thresholds_step(bed->thresholds, &bed->state, generation, &now, &bed->events,
			&bed->problems);
}

static void limits_of_none(void **state)
{
	struct bed *bed = *state;

	assert_int_equal(thresholds_timeout(NULL), -1);
	thresholds_step(NULL, &bed->state, 1, &now, &bed->events, &bed->problems);
	thresholds_free(NULL);
	assert_int_equal(bed->events.count, 0);
}

/* A counter is named by the kernel's name or the common one; an unknown name is refused. */
static void names(void **state)
{
	struct bed *bed = *state;
	_cleanup_(freep) char *message = NULL;

	assert_int_equal(open_limits(bed, "out_of_buffer>1/s,rx_out_of_buffer>1/m", &message), 0);
	assert_null(message);
	/* The limit with the shorter period is due first. */
	assert_in_range(thresholds_timeout(bed->thresholds), 0, PERIOD_MSEC);
	thresholds_free(bed->thresholds);
	bed->thresholds = NULL;
	event_threshold_list_clear(&bed->limits);
	assert_int_equal(open_limits(bed, "out_of_buffer>1/m", &message), 0);
	assert_in_range(thresholds_timeout(bed->thresholds), 50000, 60000);
	thresholds_free(bed->thresholds);
	bed->thresholds = NULL;
	event_threshold_list_clear(&bed->limits);
	assert_int_equal(open_limits(bed, "out_of_buffer>1/s,no\tne>1/s", &message), -ENOENT);
	assert_string_equal(message, "--counter: no watched object has a counter 'no\\x09ne'");
	assert_null(bed->thresholds);
}

/* Missing devices may appear later; a missing root does not. */
static void no_device(void **state)
{
	struct bed *bed = *state;
	char *message = NULL;

	tree_delete(&bed->tree, "sys/class/infiniband/mlx5_0");
	assert_int_equal(open_limits(bed, "out_of_buffer>1/s", &message), 0);
	assert_null(message);
	thresholds_free(bed->thresholds);
	bed->thresholds = NULL;
	assert_true(thresholds_open("/nonexistent", &bed->objects, &bed->limits, &bed->thresholds,
				    &message, &bed->problems) < 0);
	assert_null(message);
	assert_null(bed->thresholds);
}

/*
 * Each reading of its counters would be a line in the kernel log: it is tried once, and reported.
 */
static void restricted(void **state)
{
	struct bed *bed = *state;
	char *message = NULL;

	tree_link(&bed->tree, "sys/class/infiniband/mlx5_0/device/driver",
		  "/sys/bus/pci/drivers/mlx5_core");
	tree_link(&bed->tree, PMA "symbol_error", "!EINVAL");
	assert_int_equal(open_limits(bed, "out_of_buffer>1/s", &message), 0);
	assert_null(message);
	assert_int_equal(bed->problems.count, 1);
	assert_string_equal(bed->problems.items[0].object, "mlx5_0");
	put(bed, HW "out_of_buffer", 1000100);
	step(bed, 0);
	assert_int_equal(bed->events.count, 0);
	/* The counter is not read when the devices are listed again, either. */
	step(bed, 1);
	put(bed, HW "out_of_buffer", 2000100);
	step(bed, 1);
	assert_int_equal(bed->events.count, 0);
	/* The problem is repeated without a reading: the caller knows what it has reported. */
	assert_int_equal(bed->problems.count, 2);
	assert_string_equal(bed->problems.items[1].object, "mlx5_0");
	/* Once another device can be read, a name that it lacks is refused. */
	thresholds_free(bed->thresholds);
	bed->thresholds = NULL;
	event_threshold_list_clear(&bed->limits);
	tree_write(&bed->tree, "sys/class/infiniband/mlx5_1/ports/1/state", "4: ACTIVE");
	assert_int_equal(open_limits(bed, "out_of_buffer>1/s", &message), -ENOENT);
	free(message);
}

/* A function that is added later is reported, too: its counters are not watched. */
static void restricted_later(void **state)
{
	struct bed *bed = *state;
	char *message = NULL;

	assert_int_equal(open_limits(bed, "out_of_buffer>1/s", &message), 0);
	assert_int_equal(bed->problems.count, 0);
	tree_write(&bed->tree, "sys/class/infiniband/mlx5_1/ports/1/state", "4: ACTIVE");
	tree_link(&bed->tree, "sys/class/infiniband/mlx5_1/device/driver",
		  "/sys/bus/pci/drivers/mlx5_core");
	tree_link(&bed->tree, "sys/class/infiniband/mlx5_1/ports/1/counters/symbol_error",
		  "!EINVAL");
	step(bed, 1);
	assert_int_equal(bed->problems.count, 1);
	assert_string_equal(bed->problems.items[0].object, "mlx5_1");
	/* The others are still watched. */
	put(bed, HW "out_of_buffer", 1000100);
	step(bed, 1);
	assert_int_equal(bed->events.count, 1);
	assert_int_equal(bed->problems.count, 1);
}

/*
 * One event when a counter begins to exceed its limit, none while that continues, and one again
 * after it has been below. The other limits, which are not due, and the other counters cause none.
 */
static void above_and_below(void **state)
{
	struct bed *bed = *state;
	const struct event *event;
	char *message = NULL;

	put(bed, HW "packet_seq_err", 1000);
	assert_int_equal(open_limits(bed, "packet_seq_err>0/h,rx_out_of_buffer>100/s", &message),
			 0);
	put(bed, HW "out_of_buffer", 1000100);
	put(bed, HW "packet_seq_err", 2000);
	put(bed, PMA "link_downed", 200);
	step(bed, 0);
	assert_int_equal(bed->events.count, 1);
	event = &bed->events.items[0];
	assert_int_equal(event->word.value, EVENT_COUNTER);
	assert_int_equal(event->source.value, EVENT_SOURCE_COUNTERS);
	assert_int_equal(event->time.wall_nsec, now.wall_nsec);
	assert_string_equal(event->object, "mlx5_0/1");
	assert_string_equal(event->device, "mlx5_0");
	assert_true(event->port.known);
	assert_int_equal(event->port.value, 1);
	assert_null(event->netdev);
	assert_string_equal(event->counter, "rx_out_of_buffer");
	assert_true(event->threshold.known && event->threshold.value == 100 * 20);
	/* A million in 50 ms or, on a busy machine, in up to half a minute. */
	assert_true(event->rate_per_sec.known);
	assert_true(event->rate_per_sec.value > 1e6 / 30);
	assert_true(event->rate_per_sec.value < 25e6);
	assert_true(event->value.known);
	assert_int_equal(event->value.value, 1000100);
	assert_non_null(event->change);
	put(bed, HW "out_of_buffer", 2000100);
	step(bed, 0);
	assert_int_equal(bed->events.count, 0);
	step(bed, 0);
	assert_int_equal(bed->events.count, 0);
	put(bed, HW "out_of_buffer", 3000100);
	step(bed, 0);
	assert_int_equal(bed->events.count, 1);
	/* A counter that was cleared is not above its limit, however high it was. */
	put(bed, HW "out_of_buffer", 0);
	step(bed, 0);
	assert_int_equal(bed->events.count, 0);
}

/* A limit of 0 is exceeded by any growth. */
static void at_the_limit(void **state)
{
	struct bed *bed = *state;
	char *message = NULL;

	assert_int_equal(open_limits(bed, "link_downed>0/s,rx_out_of_buffer>0/s", &message), 0);
	put(bed, PMA "link_downed", 1);
	step(bed, 0);
	assert_int_equal(bed->events.count, 1);
	assert_string_equal(bed->events.items[0].counter, "link_downed");
}

static void not_due(void **state)
{
	struct bed *bed = *state;
	char *message = NULL;

	assert_int_equal(open_limits(bed, "rx_out_of_buffer>1/h", &message), 0);
	put(bed, HW "out_of_buffer", 1000100);
	thresholds_step(bed->thresholds, &bed->state, 0, &now, &bed->events, &bed->problems);
	assert_int_equal(bed->events.count, 0);
}

/* After devices came or went, the counters are listed again, and the others keep their values. */
static void another_generation(void **state)
{
	struct bed *bed = *state;
	char *message = NULL;

	assert_int_equal(open_limits(bed, "out_of_buffer>1/s,packet_seq_err>1/h", &message), 0);
	put(bed, HW "out_of_buffer", 1000000);
	tree_delete(&bed->tree, HW "packet_seq_err");
	step(bed, 1);
	assert_int_equal(bed->events.count, 1);
	assert_string_equal(bed->events.items[0].counter, "rx_out_of_buffer");
	assert_in_range(thresholds_timeout(bed->thresholds), 0, PERIOD_MSEC);
	/* The counter keeps growing, so there is no second event. */
	put(bed, HW "out_of_buffer", 2000000);
	step(bed, 2);
	assert_int_equal(bed->events.count, 0);
	/* The only device is removed. */
	tree_delete(&bed->tree, "sys/class/infiniband/mlx5_0");
	step(bed, 3);
	step(bed, 3);
	assert_int_equal(bed->events.count, 0);
}

/* However often devices come and go, a limit stays due at the same time, and no growth is lost. */
static void many_generations(void **state)
{
	struct bed *bed = *state;
	char *message = NULL;
	uint64_t end;

	assert_int_equal(open_limits(bed, "out_of_buffer>1/s", &message), 0);
	put(bed, HW "out_of_buffer", 1000000);
	end = clock_msec() + (uint64_t)thresholds_timeout(bed->thresholds) + 1;
	for (unsigned int generation = 1; clock_msec() < end; generation++) {
		thresholds_step(bed->thresholds, &bed->state, generation, &now, &bed->events,
				&bed->problems);
		usleep(1000);
	}
	if (!bed->events.count)
		thresholds_step(bed->thresholds, &bed->state, UINT32_MAX, &now, &bed->events,
				&bed->problems);
	assert_int_equal(bed->events.count, 1);
	assert_int_equal(bed->events.items[0].value.value, 1000000);
}

/* Growth is not lost while a counter cannot be read. */
static void unreadable(void **state)
{
	struct bed *bed = *state;
	char *message = NULL;

	assert_int_equal(open_limits(bed, "out_of_buffer>1/s", &message), 0);
	tree_write(&bed->tree, HW "out_of_buffer", "N/A");
	step(bed, 0);
	assert_int_equal(bed->events.count, 0);
	put(bed, HW "out_of_buffer", 1000000);
	step(bed, 0);
	assert_int_equal(bed->events.count, 1);
}

/* A counter that appears just before its limit is due had no time to grow much. */
static void just_came(void **state)
{
	struct bed *bed = *state;
	char *message = NULL;

	assert_int_equal(event_parse_thresholds("out_of_buffer>20/m", &bed->limits, &message), 0);
	bed->limits.items[0].period_msec = 1000;
	assert_int_equal(thresholds_open(bed->tree.path, &bed->objects, &bed->limits,
					 &bed->thresholds, &message, &bed->problems),
			 0);
	tree_write(&bed->tree, "sys/class/infiniband/mlx5_1/ports/1/state", "4: ACTIVE");
	tree_write(&bed->tree, "sys/class/infiniband/mlx5_1/ports/1/hw_counters/out_of_buffer",
		   "0");
	while (thresholds_timeout(bed->thresholds) > 100)
		usleep(1000);
	thresholds_step(bed->thresholds, &bed->state, 1, &now, &bed->events, &bed->problems);
	tree_write(&bed->tree, "sys/class/infiniband/mlx5_1/ports/1/hw_counters/out_of_buffer",
		   "9");
	step(bed, 1);
	step(bed, 1);
	assert_int_equal(bed->events.count, 0);
}

/* Renames the only device. Returns how many events its counter then causes. */
static size_t count_after_rename(struct bed *bed, int port)
{
	char from[PATH_MAX], to[PATH_MAX];
	struct object object = {.device = (char[]){"mlx5_0"}, .port = port};
	struct tracked_port ports[] = {{.number = 1}};
	struct tracked_device device = {
		.name = (char[]){"roce0"},
		.kernel_name = (char[]){"roce0"},
		.ports = ports,
		.port_count = 1,
	};
	struct tracked_device *devices[] = {&device};
	size_t count;
	char *message = NULL;

	bed->objects = (struct objects){.items = &object, .count = 1};
	assert_int_equal(open_limits(bed, "out_of_buffer>1/s", &message), 0);
	snprintf(from, sizeof(from), "%.4000s/sys/class/infiniband/mlx5_0", bed->tree.path);
	snprintf(to, sizeof(to), "%.4000s/sys/class/infiniband/roce0", bed->tree.path);
	assert_int_equal(rename(from, to), 0);
	bed->state = (struct event_state){.devices = devices, .device_count = 1};
	step(bed, 1);
	tree_write(&bed->tree, "sys/class/infiniband/roce0/ports/1/hw_counters/out_of_buffer",
		   "1000000");
	step(bed, 1);
	count = bed->events.count;
	if (count)
		assert_string_equal(bed->events.items[0].object, "roce0/1");
	assert_int_equal(rename(to, from), 0);
	event_list_clear(&bed->events);
	thresholds_free(bed->thresholds);
	bed->thresholds = NULL;
	event_threshold_list_clear(&bed->limits);
	put(bed, HW "out_of_buffer", 100);
	bed->objects = (struct objects){.items = NULL};
	return count;
}

/* A device that was given by name is watched under its new name, too, and so are its ports. */
static void renamed(void **state)
{
	struct bed *bed = *state;

	assert_int_equal(count_after_rename(bed, -1), 1);
	assert_int_equal(count_after_rename(bed, 1), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(limits_of_none, setup, teardown),
		cmocka_unit_test_setup_teardown(names, setup, teardown),
		cmocka_unit_test_setup_teardown(no_device, setup, teardown),
		cmocka_unit_test_setup_teardown(restricted, setup, teardown),
		cmocka_unit_test_setup_teardown(restricted_later, setup, teardown),
		cmocka_unit_test_setup_teardown(above_and_below, setup, teardown),
		cmocka_unit_test_setup_teardown(not_due, setup, teardown),
		cmocka_unit_test_setup_teardown(at_the_limit, setup, teardown),
		cmocka_unit_test_setup_teardown(another_generation, setup, teardown),
		cmocka_unit_test_setup_teardown(many_generations, setup, teardown),
		cmocka_unit_test_setup_teardown(unreadable, setup, teardown),
		cmocka_unit_test_setup_teardown(just_came, setup, teardown),
		cmocka_unit_test_setup_teardown(renamed, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
