/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counters of a saved tree, round by round, while its devices and ports change; the names that all
 * rounds share; and how saved readings are compared: which host, which boot, how long ago.
 */
#include "saved_tree.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "borrowed.h"
#include "counter/counter_place.h"
#include "counter/counter_rounds.h"
#include "counter/saved.h"

#define CLASS "sys/class/infiniband/"

/* ---- The pool ---- */

static bool wants_all_but_odd(const void *context, enum counter_source source,
			      const char *kernel_name, const struct counter_name *name)
{
	(void)context;
	(void)source;
	(void)name;
	return strncmp(kernel_name, "odd", 3) != 0;
}

/* A name is stored once for each source, however many counters have it. */
static void pool_of_names(void **state)
{
	const struct counters_request request = {.wants = NULL};
	const struct counters_request choosy = {.wants = wants_all_but_odd};
	struct counter_pool pool = {.request = &request};
	const struct counter_entry *entries[1000], *other;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(entries); i++) {
		_cleanup_(freep) char *name = mem_format("counter%zu", i);

		entries[i] = counter_pool_entry(&pool, COUNTER_SOURCE_HW, name);
		assert_string_equal(entries[i]->file, name);
		assert_true(entries[i]->wanted);
		assert_int_equal(entries[i]->rank, UINT_MAX);
	}
	for (size_t i = 0; i < ARRAY_SIZE(entries); i++) {
		_cleanup_(freep) char *name = mem_format("counter%zu", i);

		assert_ptr_equal(counter_pool_entry(&pool, COUNTER_SOURCE_HW, name), entries[i]);
	}
	other = counter_pool_entry(&pool, COUNTER_SOURCE_PMA, "counter0");
	assert_ptr_not_equal(other, entries[0]);
	assert_int_equal(other->source, COUNTER_SOURCE_PMA);
	pool.request = &choosy;
	assert_false(counter_pool_entry(&pool, COUNTER_SOURCE_HW, "odd\t")->wanted);
	other = counter_pool_entry(&pool, COUNTER_SOURCE_HW, "new\t");
	assert_true(other->wanted);
	assert_string_equal(other->kernel_name, "new\\x09");
	assert_string_equal(other->counter, "new\\x09");
	/* The tables follow one another. */
	assert_true(counter_pool_entry(&pool, COUNTER_SOURCE_HW, "rdma_recvs")->rank <
		    counter_pool_entry(&pool, COUNTER_SOURCE_HW, "tx_bytes")->rank);
	assert_string_equal(counter_pool_cause(&pool, "first"), "first");
	assert_string_equal(counter_pool_cause(&pool, "second"), "second");
	assert_int_equal(pool.causes.count, 2);
	assert_string_equal(counter_pool_cause(&pool, "first"), "first");
	assert_int_equal(pool.causes.count, 2);
	counter_pool_free(&pool);
}

/* The order of the catalogue first, then the natural order of names. */
static void order_of_entries(void **state)
{
	static const char *const names[] = {"z10", "packet_seq_err", "z9", "a", "out_of_buffer"};
	static const char *const hw[] = {"out_of_buffer", "packet_seq_err", "a", "z9", "z10"};
	/* The names of another source are different ones. */
	static const char *const pma[] = {"a", "out_of_buffer", "packet_seq_err", "z9", "z10"};
	const struct counters_request request = {.wants = NULL};
	struct counter_pool pool = {.request = &request};
	struct {
		const struct counter_entry *entry;
		uint64_t value;
	} sorted[ARRAY_SIZE(names)];

	(void)state;
	for (int source = COUNTER_SOURCE_PMA; source <= COUNTER_SOURCE_HW; source++) {
		for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
			sorted[i].entry = counter_pool_entry(&pool, source, names[i]);
			sorted[i].value = i;
		}
		qsort(sorted, ARRAY_SIZE(names), sizeof(*sorted), counter_entries_compare);
		for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
			assert_int_equal(sorted[i].entry->source, source);
			assert_string_equal(sorted[i].entry->file,
					    source == COUNTER_SOURCE_HW ? hw[i] : pma[i]);
			assert_string_equal(names[sorted[i].value], sorted[i].entry->file);
		}
	}
	counter_pool_free(&pool);
}

/* ---- Rounds ---- */

struct bed {
	struct saved_tree tree;
	struct objects objects;
	struct inventory inventory;
	struct inventory_request request;
	struct counters_request counters;
	struct counter_rounds rounds;
	struct problems problems;
};

static void put_port(const struct bed *bed, const char *device, unsigned int port,
		     const char *errors)
{
	static const char *const files[] = {"counters/symbol_error", "state", "rate"};
	const char *const texts[] = {errors, "4: ACTIVE", "100 Gb/sec (4X EDR)"};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		_cleanup_(freep) char *path = mem_format(CLASS "%s/ports/%u/%s", device, port,
							 files[i]);

		tree_write(&bed->tree, path, texts[i]);
	}
}

static int setup(void **state)
{
	struct counter_loader *loader;
	struct bed *bed;

	tree_set_up(state, sizeof(*bed));
	bed = *state;
	put_port(bed, "m0", 1, "3");
	bed->request = (struct inventory_request){
		.root = bed->tree.path, .needs = NEED_RATE | NEED_STATE, .objects = &bed->objects};
	bed->counters = (struct counters_request){.root = bed->tree.path,
						  .inventory = &bed->inventory,
						  .sources = COUNTERS_ALL_SOURCES};
	assert_int_equal(inventory_load(&bed->inventory, &bed->request, NULL, NULL), 0);
	assert_int_equal(counter_loader_open(&bed->counters, &loader), 0);
	counter_rounds_begin(&bed->rounds, &bed->request, &bed->counters, &bed->inventory, loader,
			     &bed->problems);
	assert_false(counter_rounds_read(&bed->rounds, true));
	return 0;
}

static int teardown(void **state)
{
	struct bed *bed = *state;

	counter_rounds_end(&bed->rounds);
	inventory_free(&bed->inventory);
	problems_free(&bed->problems);
	tree_close(&bed->tree);
	free(bed);
	return 0;
}

/* Reads a round, and forgets the previous one. */
static bool next_round(struct bed *bed, bool follow)
{
	counter_rounds_forget(&bed->rounds);
	return counter_rounds_read(&bed->rounds, follow);
}

static void growth_between_rounds(void **state)
{
	struct bed *bed = *state;
	char time[] = "now";
	struct counter_changes changes;

	put_port(bed, "m0", 1, "10");
	assert_false(next_round(bed, true));
	changes = counter_rounds_compare(&bed->rounds, time);
	assert_int_equal(changes.count, 1);
	assert_int_equal(changes.items[0].growth.value, 7);
	assert_string_equal(changes.items[0].time, "now");
	assert_true(changes.items[0].rate_per_sec.known);
	counter_changes_clear(&changes);
	/* The round before last is forgotten, but not the last one. */
	counter_rounds_forget(&bed->rounds);
	assert_int_equal(bed->rounds.before.count, 0);
	assert_int_equal(bed->rounds.readings.count, 1);
}

/* Each change that is noticed: a port, a device, a state, a netdev. */
static void what_is_followed(void **state)
{
	struct bed *bed = *state;

	put_port(bed, "m0", 2, "1");
	assert_false(next_round(bed, false));
	assert_int_equal(bed->rounds.readings.count, 1);
	assert_true(next_round(bed, true));
	assert_int_equal(bed->rounds.readings.count, 2);
	assert_false(next_round(bed, true));
	put_port(bed, "m1", 1, "1");
	assert_true(next_round(bed, true));
	assert_int_equal(bed->rounds.readings.count, 3);
	assert_int_equal(bed->inventory.devices.count, 2);
	tree_write(&bed->tree, CLASS "m1/ports/1/state", "1: DOWN");
	assert_true(next_round(bed, true));
	tree_write(&bed->tree, CLASS "m1/ports/1/gid_attrs/ndevs/0", "eth7");
	tree_write(&bed->tree, "sys/class/net/eth7/ifindex", "7");
	assert_false(next_round(bed, false));
	/* A change of the rate alone is only noticed from time to time. */
	tree_write(&bed->tree, CLASS "m0/ports/1/rate", "50 Gb/sec (4X)");
	bed->rounds.refreshed_msec = clock_msec();
	assert_false(next_round(bed, true));
	assert_true(bed->inventory.devices.items[0].ports[0].rate_gbps.value == 100);
	bed->rounds.refreshed_msec -= 11000;
	tree_write(&bed->tree, CLASS "m0/ports/1/rate", "25 Gb/sec (1X)");
	assert_true(next_round(bed, true));
	assert_true(bed->inventory.devices.items[0].ports[0].rate_gbps.value == 25);
	bed->rounds.refreshed_msec -= 11000;
	assert_false(next_round(bed, true));
	/* One device goes while another comes. */
	tree_delete(&bed->tree, CLASS "m1");
	put_port(bed, "m2", 1, "1");
	assert_true(next_round(bed, true));
	assert_string_equal(bed->inventory.devices.items[1].name, "m2");
	tree_delete(&bed->tree, CLASS "m2");
	assert_true(next_round(bed, true));
	assert_int_equal(bed->inventory.devices.count, 1);
	assert_int_equal(bed->problems.count, 0);
	/* A change waits for a round in which nothing borrows from a former loader. */
	put_port(bed, "m3", 1, "1");
	counter_rounds_forget(&bed->rounds);
	counter_rounds_reopen(&bed->rounds);
	assert_false(counter_rounds_read(&bed->rounds, true));
	assert_true(next_round(bed, true));
}

/*
 * The counters of a removed device are not a problem, even without following changes; unreadable
 * ones are reported once.
 */
static void what_is_a_problem(void **state)
{
	struct bed *bed = *state;

	put_port(bed, "m1", 1, "1");
	assert_true(next_round(bed, true));
	tree_delete(&bed->tree, CLASS "m1");
	assert_true(next_round(bed, false));
	assert_int_equal(bed->rounds.readings.count, 1);
	assert_int_equal(bed->problems.count, 0);
	tree_delete(&bed->tree, CLASS "m0/ports/1/counters/symbol_error");
	tree_link(&bed->tree, CLASS "m0/ports/1/counters/symbol_error", "!EINVAL");
	assert_false(next_round(bed, false));
	assert_int_equal(bed->problems.count, 1);
	assert_string_equal(bed->problems.items[0].object, "m0/1");
	assert_false(next_round(bed, false));
	assert_int_equal(bed->problems.count, 1);
}

/* The change of one device does not hide the problem of another: there may be no later round. */
static void problem_during_a_change(void **state)
{
	struct bed *bed = *state;
	struct problems problems = {0};

	problem_add_text(&problems, "m0/1", "rate_gbps", "sysfs", "Input/output error", NULL);
	put_port(bed, "m1", 1, "1");
	counter_rounds_note(&bed->rounds, &problems);
	problems_free(&problems);
	assert_int_equal(bed->problems.count, 1);
}

/* The last device goes, and comes back. */
static void nothing_for_a_while(void **state)
{
	struct bed *bed = *state;

	tree_delete(&bed->tree, CLASS "m0");
	assert_true(next_round(bed, true));
	assert_int_equal(bed->rounds.readings.count, 0);
	assert_int_equal(bed->inventory.devices.count, 0);
	put_port(bed, "m0", 1, "5");
	assert_true(next_round(bed, true));
	assert_int_equal(bed->rounds.readings.count, 1);
}

static enum tone tone_of_growth(const struct counter_change *change)
{
	struct value value = {.kind = VALUE_NONE};

	for (size_t i = 0; i < counter_rates_schema.field_count; i++)
		if (!strcmp(counter_rates_schema.fields[i].key, "growth"))
			counter_rates_schema.fields[i].get(change, &value);
	assert_int_equal(value.kind, VALUE_UNSIGNED);
	return value.tone;
}

/* The most important counters, where there is no room for all; those of serious growth are red. */
static void ranks(void **state)
{
	static const struct {
		enum counter_change_state state;
		const char *name;
		uint64_t growth;
		unsigned int rank;
	} cases[] = {
		{CHANGE_COUNTED, "link_downed", 1, 3},
		{CHANGE_COUNTED, "link_downed", 0, 0},
		{CHANGE_COUNTED, "symbol_error", 1, 2},
		{CHANGE_COUNTED, "port_xmit_data", 1, 1},
		{CHANGE_COUNTED, "nobody_knows", 1, 1},
		{CHANGE_GAUGE, "link_downed", 1, 0},
		{CHANGE_NEW, "link_downed", 1, 0},
		{CHANGE_SATURATED, "port_xmit_data", 0, 3},
		{CHANGE_CLEARED, "port_xmit_data", 0, 3},
		{CHANGE_REPLACED, "port_xmit_data", 0, 3},
		{CHANGE_RESTARTED, "port_xmit_data", 0, 3},
		{CHANGE_GONE, "port_xmit_data", 0, 3},
		{CHANGE_UNREADABLE, "port_xmit_data", 0, 3},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct counter_change change = {
			.reading.source = COUNTER_SOURCE_PMA,
			.reading.name = counter_name_find_in(COUNTER_SOURCE_PMA, cases[i].name),
			.state = number_of(cases[i].state),
			.growth = number_of(cases[i].growth),
		};

		assert_int_equal(counter_change_rank(&change), cases[i].rank);
		if (cases[i].state == CHANGE_COUNTED)
			assert_int_equal(tone_of_growth(&change) == TONE_BAD, cases[i].rank == 3);
		change.growth.known = false;
		if (cases[i].state == CHANGE_COUNTED)
			assert_int_equal(counter_change_rank(&change), 0);
	}
}

/* ---- Saved readings ---- */

static void hosts_and_times(void **state)
{
	static const struct {
		const char *host, *boot, *time;
		uint64_t uptime; /* 0: unknown */
		bool other_boot, other_host;
		double seconds; /* time since the first one */
	} cases[] = {
		{"a", "1", "2026-11-22T12:00:01.500Z", 0, false, false, 1.5},
		{"a", "1", "2026-11-22T11:00:00.000Z", 6000, false, false, 5},
		{"b", "1", "2026-11-22T12:00:02.000Z", 6000, false, false, 5},
		{"b", NULL, "2026-11-22T12:00:02.000Z", 6000, false, true, 2},
		{NULL, "2", "2026-11-22T12:00:02.000Z", 6000, true, false, 2},
		{"b", "2", "2026-11-22T12:00:02.000Z", 500, true, true, 2},
		{"a", "1", "2026-11-22T12:00:02.000Z", 1000, false, false, 0},
		{"a", "1", "2026-11-22T12:00:02.000Z", 999, false, false, 0},
		{"a", "2", "2026-11-22T11:59:59.000Z", 0, true, false, 0},
		{"a", "2", "yesterday", 0, true, false, 0},
		{"a", "2", NULL, 0, true, false, 0},
	};
	const struct saved_head then = {.time = borrowed("2026-11-22T12:00:00.000Z"),
					.host = borrowed("a"),
					.boot_id = borrowed("1"),
					.uptime_msec = {.value = 1000, .known = true}};
	const struct saved_head never = {.time = NULL};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct saved_head now = {
			.time = borrowed(cases[i].time),
			.host = borrowed(cases[i].host),
			.boot_id = borrowed(cases[i].boot),
			.uptime_msec = {.value = cases[i].uptime, .known = cases[i].uptime},
		};

		assert_int_equal(saved_is_of_other_boot(&then, &now), cases[i].other_boot);
		assert_int_equal(saved_is_of_other_host(&then, &now), cases[i].other_host);
		assert_float_equal(saved_seconds_between(&then, &now), cases[i].seconds, 1e-9);
		assert_float_equal(saved_seconds_between(&never, &now), 0, 1e-9);
	}
}

static struct saved_counter saved_of(const char *device, int port, const char *name)
{
	return (struct saved_counter){
		.device = borrowed(device),
		.port = {.value = port < 0 ? 0 : (uint64_t)port, .known = port >= 0},
		.source = number_of(COUNTER_SOURCE_HW),
		.kernel_name = borrowed(name),
		.value = number_of(1),
	};
}

/* Devices and ports of a file in any order, each once; incomplete ones are skipped. */
static void saved_places(void **state)
{
	struct saved_counter counters[] = {
		saved_of("m1", 2, "a"),	    saved_of("m0", -1, "b"), saved_of("m1", 1, "c"),
		saved_of("m1", 2, "d"),	    saved_of("m0", 3, "e"),  saved_of("m1", 65535, "f"),
		saved_of("m1", 65536, "g"), saved_of("", 1, "h"),    saved_of("m2", 1, NULL),
		saved_of("m3", -1, "i"),
	};
	static const char *const objects[] = {"m1/2", "m0",	  "m1/1", "m1/2",
					      "m0/3", "m1/65535", "m3"};
	struct saved_readings saved = {0};

	(void)state;
	counters[0].counter = borrowed("shown");
	counters[1].device_index = number_of(7);
	counters[4].device_index = number_of(7);
	counters[1].saturated = TRISTATE_YES;
	saved_readings_devices(&saved, counters, ARRAY_SIZE(counters));
	assert_int_equal(saved.devices.count, 3);
	assert_string_equal(saved.devices.items[0].name, "m0");
	assert_int_equal(saved.devices.items[0].index.value, 7);
	assert_int_equal(saved.devices.items[0].port_count, 1);
	assert_int_equal(saved.devices.items[1].port_count, 3);
	assert_int_equal(saved.devices.items[1].ports[1].port.value, 2);
	assert_int_equal(saved.devices.items[2].port_count, 0);
	saved_readings_make(&saved, counters, ARRAY_SIZE(counters));
	assert_int_equal(saved.readings.count, ARRAY_SIZE(objects));
	for (size_t i = 0; i < ARRAY_SIZE(objects); i++) {
		_cleanup_(freep) char *object = counter_reading_object(&saved.readings.items[i]);

		assert_string_equal(object, objects[i]);
		assert_int_equal(saved.readings.items[i].saturated, i == 1);
	}
	assert_string_equal(saved.readings.items[0].counter, "shown");
	assert_string_equal(saved.readings.items[1].counter, "b");
	/* Devices that were filtered out have no readings. */
	counter_readings_clear(&saved.readings);
	saved.devices.items[1].port_count = 2;
	saved_readings_make(&saved, counters, ARRAY_SIZE(counters));
	assert_int_equal(saved.readings.count, ARRAY_SIZE(objects) - 1);
	saved.devices.items[1].port_count = 3;
	saved_readings_clear(&saved);
	saved_readings_make(&saved, counters, ARRAY_SIZE(counters));
	assert_int_equal(saved.readings.count, 0);
}

#define TEST(name_) cmocka_unit_test_setup_teardown(name_, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pool_of_names),   cmocka_unit_test(order_of_entries),
		TEST(growth_between_rounds),	   TEST(what_is_followed),
		TEST(what_is_a_problem),	   TEST(problem_during_a_change),
		TEST(nothing_for_a_while),	   cmocka_unit_test(ranks),
		cmocka_unit_test(hosts_and_times), cmocka_unit_test(saved_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
