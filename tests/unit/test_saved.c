/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Files of saved counters: when and where they were read, how they are written, and which are
 * refused.
 */
#include "saved_tree.h"

#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "borrowed.h"
#include "counter/saved.h"

static uint64_t uptime_msec(void)
{
	struct timespec up;

	assert_int_equal(clock_gettime(CLOCK_BOOTTIME, &up), 0);
	return (uint64_t)up.tv_sec * 1000 + (uint64_t)up.tv_nsec / 1000000;
}

/* The header of this host, and that of a saved tree, whose uptime is unknown. */
static void heads(void **state)
{
	const struct saved_tree *tree = *state;
	_cleanup_(freep) char *before = utc_now(), *after = NULL;
	const uint64_t since = uptime_msec();
	struct saved_head head = {.time = NULL};

	saved_head_read(NULL, &head);
	after = utc_now();
	assert_true(strcmp(before, head.time) <= 0 && strcmp(head.time, after) <= 0);
	assert_non_null(head.host);
	assert_true(head.uptime_msec.known);
	assert_in_range(head.uptime_msec.value, since, uptime_msec());
	saved_head_clear(&head);
	assert_null(head.time);
	tree_write(tree, "proc/sys/kernel/hostname", "node\0331");
	tree_write(tree, "proc/sys/kernel/random/boot_id", "b00");
	saved_head_read(tree->path, &head);
	assert_non_null(head.time);
	assert_string_equal(head.host, "node\\x1b1");
	assert_string_equal(head.boot_id, "b00");
	assert_false(head.uptime_msec.known);
	saved_head_clear(&head);
	saved_head_read("/nonexistent", &head);
	assert_non_null(head.time);
	assert_null(head.host);
	assert_null(head.boot_id);
	saved_head_clear(&head);
}

static void write_and_read(void **state)
{
	const struct saved_tree *tree = *state;
	_cleanup_(freep) char *path = mem_format("%s/counters", tree->path), *message = NULL;
	_cleanup_(freep) char *wanted = NULL;
	struct saved_counter counters[2] = {
		{
			.device = borrowed("mlx5_0"),
			.device_index = number_of(3),
			.node_guid = number_of(UINT64_C(0x0c42a10300abcdef)),
			.port = number_of(2),
			.netdev = borrowed("eth0"),
			.source = number_of(COUNTER_SOURCE_HW),
			.counter = borrowed("shown"),
			.kernel_name = borrowed("out_of_sequence"),
			.value = number_of(UINT64_MAX),
			.saturated = TRISTATE_YES,
		},
		{
			.device = borrowed("m1"),
			.source = number_of(COUNTER_SOURCE_PMA),
			.kernel_name = borrowed("x"),
			.saturated = TRISTATE_UNKNOWN,
		},
	};
	const struct saved_list list = {
		.head = {.time = borrowed("2026-11-22T12:00:00.000Z"),
			 .host = borrowed("a"),
			 .boot_id = borrowed("b"),
			 .uptime_msec = number_of(5)},
		.records = counters,
		.count = 2,
	};
	struct saved_list got = {.count = 0};
	struct saved_kind kind = saved_counters_kind;
	const struct saved_counter *read;
	struct stat status;

	assert_int_equal(saved_list_write(&list, path, &kind), 0);
	assert_int_equal(saved_list_read(&got, path, &kind, &message), 0);
	assert_null(message);
	assert_string_equal(got.head.time, "2026-11-22T12:00:00.000Z");
	assert_string_equal(got.head.host, "a");
	assert_string_equal(got.head.boot_id, "b");
	assert_int_equal(got.head.uptime_msec.value, 5);
	assert_int_equal(got.count, 2);
	read = got.records;
	assert_string_equal(read[0].device, "mlx5_0");
	assert_int_equal(read[0].device_index.value, 3);
	assert_true(read[0].node_guid.value == UINT64_C(0x0c42a10300abcdef));
	assert_int_equal(read[0].port.value, 2);
	assert_string_equal(read[0].netdev, "eth0");
	assert_int_equal(read[0].source.value, COUNTER_SOURCE_HW);
	assert_string_equal(read[0].counter, "shown");
	assert_string_equal(read[0].kernel_name, "out_of_sequence");
	assert_true(read[0].value.value == UINT64_MAX);
	assert_int_equal(read[0].saturated, TRISTATE_YES);
	assert_string_equal(read[1].device, "m1");
	assert_int_equal(read[1].source.value, COUNTER_SOURCE_PMA);
	assert_false(read[1].device_index.known || read[1].node_guid.known || read[1].port.known ||
		     read[1].value.known);
	assert_null(read[1].netdev);
	assert_int_equal(read[1].saturated, TRISTATE_UNKNOWN);
	saved_list_clear(&got, kind.schema);
	assert_int_equal(got.count, 0);
	/* The largest file that is accepted, and one byte more. */
	assert_int_equal(stat(path, &status), 0);
	kind.most_bytes = (size_t)status.st_size;
	assert_int_equal(saved_list_read(&got, path, &kind, &message), 0);
	saved_list_clear(&got, kind.schema);
	kind.most_bytes--;
	assert_int_equal(saved_list_read(&got, path, &kind, &message), -EFBIG);
	wanted = mem_format("cannot read %s: %s", path, strerror(EFBIG));
	assert_string_equal(message, wanted);
}

static void refused(void **state)
{
	static const struct {
		const char *text;
		const char *why; /* end of the message; NULL if it is not known here */
	} cases[] = {
		{"{}", ": its format is not that of rdmactl counters --save"},
		{"[1]", ": line 1, column 1: this is not a JSON document"},
		{"{\"schema\": \"rdmactl/devices/1\", \"devices\": []}",
		 ": its format is not that of rdmactl counters --save"},
		{"{", NULL},
	};
	const struct saved_tree *tree = *state;
	_cleanup_(freep) char *path = mem_format("%s/counters", tree->path), *wanted = NULL;
	_cleanup_(freep) char *folder = mem_format("%s/folder", tree->path), *message = NULL;
	struct saved_list list = {.count = 0};

	assert_int_equal(saved_list_read(&list, path, &saved_counters_kind, &message), -ENOENT);
	wanted = mem_format("cannot read %s: %s", path, strerror(ENOENT));
	assert_string_equal(message, wanted);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(freep) char *start = mem_format("cannot use %s", path);

		tree_write(tree, "counters", cases[i].text);
		free(message);
		message = NULL;
		assert_true(saved_list_read(&list, path, &saved_counters_kind, &message) < 0);
		assert_int_equal(strncmp(message, start, strlen(start)), 0);
		if (cases[i].why)
			assert_string_equal(message + strlen(start), cases[i].why);
	}
	tree_directory(tree, "folder");
	assert_int_equal(saved_list_write(&list, folder, &saved_counters_kind), -EISDIR);
}

/* A path that is not a regular file is never replaced. */
static void no_file(void **state)
{
	const struct saved_tree *tree = *state;
	_cleanup_(freep) char *path = mem_format("%s/fifo", tree->path);
	const struct saved_list list = {.count = 0};
	struct stat status;

	assert_int_equal(mkfifoat(tree->root.fd, "fifo", 0600), 0);
	assert_int_equal(saved_list_write(&list, path, &saved_counters_kind), -EEXIST);
	assert_int_equal(stat(path, &status), 0);
	assert_true(S_ISFIFO(status.st_mode));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, tree_only_set_up, tree_only_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(heads),
		TEST(write_and_read),
		TEST(refused),
		TEST(no_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
