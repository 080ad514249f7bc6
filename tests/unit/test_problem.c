/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The lines that report problems. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "schema/problem.h"

static void lines(void **state)
{
	static const struct {
		const char *object, *attribute, *error, *line;
	} samples[] = {
		{"mlx5_0/1", "rate", "Permission denied",
		 "mlx5_0/1: cannot read rate: Permission denied"},
		{"mlx5_9", NULL, "no such RDMA device", "mlx5_9: no such RDMA device"},
		{NULL, "devices", "No such file or directory",
		 "cannot read devices: No such file or directory"},
		{NULL, NULL, "no RDMA device", "no RDMA device"},
		{"%s%n", "%d", "%x", "%s%n: cannot read %d: %x"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct problems problems = {0};
		char *line;

		problem_add_text(&problems, samples[i].object, samples[i].attribute, "sysfs",
				 samples[i].error, "a hint");
		line = problem_line(&problems.items[0]);
		assert_string_equal(line, samples[i].line);
		free(line);
		problems_free(&problems);
	}
}

/* Values of one device and cause are one group, in their order, whatever is between them. */
static void causes(void **state)
{
	static const struct {
		const char *object, *attribute, *source, *error, *hint;
		size_t first;
	} samples[] = {
		{"mlx5_0/1", "rate", "sysfs", "EIO", NULL, 0},
		{"mlx5_0", "board_id", "sysfs", "EIO", NULL, 0},
		{"mlx5_01", "board_id", "sysfs", "EIO", NULL, 2},
		{"mlx5_0/2", "rate", "sysfs", "EIO", NULL, 0},
		{"mlx5_0/2", "lid", "sysfs", "EACCES", NULL, 4},
		{"mlx5_0/2", "lid", "nldev", "EIO", NULL, 5},
		{"mlx5_0/2", "lid", "sysfs", "EIO", "be root", 6},
		{"mlx5_0/2", "lid", "sysfs", "EIO", NULL, 0},
		{NULL, "netdevs", "sysfs", "EIO", NULL, 8},
		{NULL, "netdevs", "sysfs", "EIO", NULL, 9},
		{"mlx5_0", NULL, "sysfs", "EIO", NULL, 10},
		{"mlx5_0", NULL, "sysfs", "EIO", NULL, 11},
		{"mlx5_0/1", "lid", NULL, "EIO", NULL, 12},
		{"mlx5_0/1", "lmc", NULL, "EIO", NULL, 12},
	};
	_cleanup_(problems_free) struct problems problems = {0};
	_cleanup_(freep) size_t *first = NULL;
	char *line;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		problem_add_text(&problems, samples[i].object, samples[i].attribute,
				 samples[i].source, samples[i].error, samples[i].hint);
	first = problems_causes(&problems);
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		assert_int_equal(first[i], samples[i].first);
	/* Each name once; the device, if several of its ports are concerned. */
	line = problem_line_of_many(&problems, first, 0);
	assert_string_equal(line, "mlx5_0: cannot read 4 values (rate, board_id, lid): EIO");
	free(line);
	line = problem_line_of_many(&problems, first, 12);
	assert_string_equal(line, "mlx5_0/1: cannot read 2 values (lid, lmc): EIO");
	free(line);
}

static void more_than_are_named(void **state)
{
	static const char *const names[] = {"a", "b", "a", "c", "d"};
	_cleanup_(problems_free) struct problems problems = {0};
	_cleanup_(freep) size_t *first = NULL;
	_cleanup_(freep) char *line = NULL;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		problem_add_text(&problems, "qib0/1", names[i], "sysfs", "EIO", NULL);
	first = problems_causes(&problems);
	line = problem_line_of_many(&problems, first, 0);
	assert_string_equal(line, "qib0/1: cannot read 5 values (a, b, c ...; -v lists them): EIO");
}

static void no_causes(void **state)
{
	const struct problems none = {0};

	(void)state;
	free(problems_causes(&none));
}

static void errno_in_words(void **state)
{
	_cleanup_(problems_free) struct problems problems = {0};

	(void)state;
	problem_add(&problems, "a", "b", "sysfs", -EACCES, NULL);
	problem_add(&problems, "a", "b", "sysfs", EACCES, "be root");
	problem_add(&problems, NULL, NULL, NULL, -EOPNOTSUPP, NULL);
	assert_int_equal(problems.count, 3);
	assert_string_equal(problems.items[0].error, strerror(EACCES));
	assert_null(problems.items[0].hint);
	assert_string_equal(problems.items[1].error, strerror(EACCES));
	assert_string_equal(problems.items[1].hint, "be root");
	assert_string_equal(problems.items[2].error, strerror(EOPNOTSUPP));
	assert_null(problems.items[2].object);
	assert_null(problems.items[2].attribute);
	assert_null(problems.items[2].source);
}

/* The caller's strings may go away. */
static void strings_are_copied(void **state)
{
	_cleanup_(problems_free) struct problems problems = {0};
	char word[] = "word";

	(void)state;
	for (size_t i = 0; i < 100; i++)
		problem_add_text(&problems, word, word, word, word, word);
	memset(word, 'x', sizeof(word) - 1);
	assert_int_equal(problems.count, 100);
	for (size_t i = 0; i < 100; i++) {
		assert_string_equal(problems.items[i].object, "word");
		assert_string_equal(problems.items[i].attribute, "word");
		assert_string_equal(problems.items[i].source, "word");
		assert_string_equal(problems.items[i].error, "word");
		assert_string_equal(problems.items[i].hint, "word");
	}
	problems_free(&problems);
	assert_int_equal(problems.count, 0);
}

/* Problems are records, too: each member under its own key. */
static void as_records(void **state)
{
	_cleanup_(problems_free) struct problems problems = {0};

	(void)state;
	problem_add_text(&problems, "object", "attribute", "source", "error", "hint");
	for (size_t i = 0; i < problem_schema.field_count; i++) {
		struct value value;

		field_get(&problem_schema.fields[i], &problems.items[0], &value);
		assert_int_equal(value.kind, VALUE_STRING);
		assert_string_equal(value.string, problem_schema.fields[i].key);
	}
	assert_int_equal(problem_schema.field_count, 5);
	assert_int_equal(problem_schema.record_size, sizeof(struct problem));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(causes),
		cmocka_unit_test(more_than_are_named),
		cmocka_unit_test(no_causes),
		cmocka_unit_test(errno_in_words),
		cmocka_unit_test(strings_are_copied),
		cmocka_unit_test(as_records),
	};

	return cmocka_run_group_tests_name("problem", tests, NULL, NULL);
}
