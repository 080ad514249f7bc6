/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The lines that report problems. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
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

static void take_line(const void *context, const char *line, const char *hint)
{
	mem_extend(*(char **const *)context, "%s%s%s\n", line, hint ? " -> " : "",
		   hint ? hint : "");
}

static void assert_lines(const struct problems *problems, bool each, const char *wanted)
{
	char *text = mem_string(""), **at = &text;

	problems_tell(problems, each, take_line, &at);
	assert_string_equal(text, wanted);
	free(text);
}

/*
 * Three or more values of one device with one cause share the first one's line, whatever is between
 * them: each name appears once, with the device if several of its ports are affected.
 */
static void causes(void **state)
{
	static const struct {
		const char *object, *attribute, *source, *error, *hint;
	} samples[] = {
		{"mlx5_0/1", "rate", "sysfs", "EIO", NULL},
		{"mlx5_0", "board_id", "sysfs", "EIO", NULL},
		{"mlx5_01", "board_id", "sysfs", "EIO", NULL},
		{"mlx5_0/2", "rate", "sysfs", "EIO", NULL},
		{"mlx5_0/2", "lid", "sysfs", "EACCES", NULL},
		{"mlx5_0/2", "lid", "nldev", "EIO", NULL},
		{"mlx5_0/2", "lid", "sysfs", "EIO", "be root"},
		{"mlx5_0/2", "lid", "sysfs", "EIO", NULL},
		{NULL, "netdevs", "sysfs", "EIO", NULL},
		{NULL, "netdevs", "sysfs", "EIO", NULL},
		{NULL, "netdevs", "sysfs", "EIO", "be root"},
		{"mlx5_0", NULL, "sysfs", "EIO", NULL},
		{"mlx5_0", NULL, "sysfs", "EIO", NULL},
		{"mlx5_0", NULL, "sysfs", "EIO", NULL},
		{"mlx5_0/1", "lid", NULL, "EIO", NULL},
		{"mlx5_0/1", "lmc", NULL, "EIO", NULL},
		{"mlx5_1/1", "lid", NULL, "EIO", "wait"},
		{"mlx5_1/1", "lmc", NULL, "EIO", "wait"},
		{"mlx5_1/1", "rate", NULL, "EIO", "wait"},
	};
	_cleanup_(problems_free) struct problems problems = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		problem_add_text(&problems, samples[i].object, samples[i].attribute,
				 samples[i].source, samples[i].error, samples[i].hint);
	assert_lines(&problems, false,
		     "mlx5_0: cannot read 4 values (rate, board_id, lid): EIO\n"
		     "mlx5_01: cannot read board_id: EIO\n"
		     "mlx5_0/2: cannot read lid: EACCES\n"
		     "mlx5_0/2: cannot read lid: EIO\n"
		     "mlx5_0/2: cannot read lid: EIO -> be root\n"
		     "cannot read netdevs: EIO\n"
		     "cannot read netdevs: EIO\n"
		     "cannot read netdevs: EIO\n"
		     "mlx5_0: EIO\n"
		     "mlx5_0: EIO\n"
		     "mlx5_0: EIO\n"
		     "mlx5_0/1: cannot read lid: EIO\n"
		     "mlx5_0/1: cannot read lmc: EIO\n"
		     "mlx5_1/1: cannot read 3 values (lid, lmc, rate): EIO -> wait\n");
}

static void more_than_are_named(void **state)
{
	static const char *const names[] = {"a", "b", "a", "c", "d"};
	_cleanup_(problems_free) struct problems problems = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		problem_add_text(&problems, "qib0/1", names[i], "sysfs", "EIO", NULL);
	assert_lines(&problems, false,
		     "qib0/1: cannot read 5 values (a, b, c ...; -v lists them): EIO\n");
	assert_lines(&problems, true,
		     "qib0/1: cannot read a: EIO\nqib0/1: cannot read b: EIO\n"
		     "qib0/1: cannot read a: EIO\nqib0/1: cannot read c: EIO\n"
		     "qib0/1: cannot read d: EIO\n");
}

/* The same problem of nine objects or more is one line; up to eight are named. */
static void many_objects(void **state)
{
	_cleanup_(problems_free) struct problems problems = {0};
	char object[16], wanted[1024] = "", *end = wanted;

	(void)state;
	for (unsigned int i = 0; i < 8; i++) {
		snprintf(object, sizeof(object), "d%u", i);
		problem_add_text(&problems, object, "a", "sysfs", "EIO", "wait");
		if (i == 1)
			problem_add_text(&problems, "p", NULL, NULL, "gone", "wait");
		end += sprintf(end, "d%u: cannot read a: EIO%s\n%s", i, i ? "" : " -> wait",
			       i == 1 ? "p: gone\n" : "");
	}
	assert_lines(&problems, false, wanted);
	problem_add_text(&problems, "d8", "a", "sysfs", "EIO", "wait");
	assert_lines(&problems, false,
		     "d0, d1, d2 and 6 more (-v lists them): cannot read a: EIO -> wait\n"
		     "p: gone\n");
	/* Another hint, another cause, and a problem of the host. */
	problem_add_text(&problems, "d9", "a", "sysfs", "EIO", NULL);
	problem_add_text(&problems, NULL, "a", "sysfs", "EIO", "wait");
	problem_add_text(&problems, "d9", "a", "sysfs", "EINVAL", "wait");
	assert_lines(&problems, false,
		     "d0, d1, d2 and 6 more (-v lists them): cannot read a: EIO -> wait\n"
		     "p: gone\n"
		     "d9: cannot read a: EIO\n"
		     "cannot read a: EIO\n"
		     "d9: cannot read a: EINVAL\n");
}

/* Several values of each of many objects. */
static void many_values_of_many_objects(void **state)
{
	_cleanup_(problems_free) struct problems problems = {0};
	char object[16];

	(void)state;
	for (unsigned int i = 0; i < 4096; i++)
		for (char name[] = "a"; *name < 'e'; name[0]++) {
			snprintf(object, sizeof(object), "d%u", i);
			problem_add_text(&problems, object, name, "sysfs", "EIO", NULL);
		}
	assert_lines(&problems, false,
		     "d0, d1, d2 and 4093 more (-v lists them): cannot read 4 values (a, b, c ...; "
		     "-v lists them): EIO\n");
}

static void no_problems(void **state)
{
	const struct problems none = {0};

	(void)state;
	assert_lines(&none, false, "");
	assert_lines(&none, true, "");
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

/* The caller's strings may be freed. */
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

/* A long-running watch reports each problem once; the same one of another object is another. */
static void only_new_ones(void **state)
{
	struct problems found = {0}, told = {0};
	struct strings noted = {0};

	(void)state;
	problem_add_text(&found, "mlx5_0", "counters", "sysfs", "refused", "a hint");
	problem_add_text(&found, "mlx5_1", "counters", "sysfs", "refused", NULL);
	problem_add_text(&found, "mlx5_0", NULL, "sysfs", "refused", NULL);
	problem_add_text(&found, "mlx5_0", "counters", "nldev", "refused", NULL);
	problems_add_new(&told, &noted, &found);
	assert_lines(&told, true,
		     "mlx5_0: cannot read counters: refused -> a hint\n"
		     "mlx5_1: cannot read counters: refused\n"
		     "mlx5_0: refused\n");
	/* The caller may drop reported problems. */
	problems_free(&told);
	problem_add_text(&found, "mlx5_0", "counters", "sysfs", "gone", NULL);
	problems_add_new(&told, &noted, &found);
	assert_lines(&told, true, "mlx5_0: cannot read counters: gone\n");
	problems_free(&told);
	problems_free(&found);
	strings_free(&noted);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(causes),
		cmocka_unit_test(more_than_are_named),
		cmocka_unit_test(many_objects),
		cmocka_unit_test(many_values_of_many_objects),
		cmocka_unit_test(no_problems),
		cmocka_unit_test(errno_in_words),
		cmocka_unit_test(strings_are_copied),
		cmocka_unit_test(as_records),
		cmocka_unit_test(only_new_ones),
	};

	return cmocka_run_group_tests_name("problem", tests, NULL, NULL);
}
