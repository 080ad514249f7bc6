/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Differences between two lists of records, with a made-up schema. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "snapshot/diff/diff.h"

struct thing {
	char *name;
	struct number guid, speed, count, key, moving;
	char *parent;
};

static const struct field fields[] = {
	STRING_FIELD(struct thing, name, "name", "NAME", 0, 0, "x"),
	GUID_FIELD(struct thing, guid, "guid", "GUID", 0, 0, "x"),
	UNSIGNED_FIELD(struct thing, speed, "speed", "SPEED", 0, 0, "x"),
	UNSIGNED_FIELD(struct thing, count, "count", "COUNT", FIELD_COUNTER, 0, "x"),
	UNSIGNED_FIELD(struct thing, key, "key", "KEY", FIELD_SECRET, 0, "x"),
	UNSIGNED_FIELD(struct thing, moving, "moving", "MOVING", 0, 0, "x"),
	STRING_FIELD(struct thing, parent, "parent", "PARENT", 0, 0, "x"),
};

static const struct schema schema = SCHEMA("things", struct thing, fields, "a thing");
static const struct diff_kind kind = {"things", &schema, "name", "guid,parent", "moving"};
static const struct diff_kind parts = {"parts", &schema, "name", NULL, "moving,guid"};

struct list {
	const void *rows[8];
	struct diff_rows side;
};

static void add(struct list *list, const struct thing *thing)
{
	list->rows[list->side.count++] = thing;
	list->side.rows = list->rows;
	list->side.answers = true;
}

/* Each difference as a line. */
static void expect(struct diff *diff, const char *expected)
{
	char *text = NULL;

	for (size_t i = 0; i < diff->count; i++) {
		const struct difference *item = &diff->items[i];
		struct value change;

		field_get(schema_find(&differences_schema, "change"), item, &change);
		mem_extend(&text, "%s %s %s %s %s %s\n", item->kind, item->object, change.string,
			   item->field ? item->field : "-", item->before ? item->before : "-",
			   item->after ? item->after : "-");
	}
	assert_string_equal(text ? text : "", expected);
	free(text);
}

#define THING(name_, guid_, speed_)                                           \
	{                                                                     \
		.name = (char *)(uintptr_t)(name_), .guid = number_of(guid_), \
		.speed = number_of(speed_)                                    \
	}

static void test_equal(void **state)
{
	const struct thing one = THING("a", 1, 100);
	struct thing same = THING("a", 1, 100);
	struct list before = {0}, after = {0};
	struct diff diff = {0};

	(void)state;
	/* Counters, keys and values that always change are not compared. */
	same.count = number_of(7);
	same.key = number_of(7);
	same.moving = number_of(7);
	add(&before, &one);
	add(&after, &same);
	diff_compare(&diff, &kind, &before.side, &after.side);
	expect(&diff, "");
	diff_clear(&diff);
}

static void test_changed_gone_new(void **state)
{
	const struct thing one = THING("a", 1, 100), two = THING("b", 2, 100);
	const struct thing faster = THING("a", 1, 200), three = THING("c", 3, 100);
	struct list before = {0}, after = {0};
	struct diff diff = {0};

	(void)state;
	add(&before, &one);
	add(&before, &two);
	add(&after, &three);
	add(&after, &faster);
	diff_compare(&diff, &kind, &before.side, &after.side);
	expect(&diff, "things a changed speed 100 200\n"
		      "things b gone - - -\n"
		      "things c new - - -\n");
	diff_clear(&diff);
}

/* Two devices that have swapped names are renamed, and nothing else differs. */
static void test_swapped_names(void **state)
{
	const struct thing one = THING("a", 1, 100), two = THING("b", 2, 200);
	const struct thing one_now = THING("b", 1, 100), two_now = THING("a", 2, 200);
	struct thing part = THING("b/1", 0, 1), part_now = THING("a/1", 0, 1);
	struct list before = {0}, after = {0}, parts_before = {0}, parts_after = {0};
	struct diff diff = {0};

	(void)state;
	part.parent = (char *)(uintptr_t) "b";
	part_now.parent = (char *)(uintptr_t) "a";
	add(&before, &one);
	add(&before, &two);
	add(&after, &one_now);
	add(&after, &two_now);
	diff_compare(&diff, &kind, &before.side, &after.side);
	expect(&diff, "things b renamed - a b\n"
		      "things a renamed - b a\n");
	/* A value that names a renamed device follows the renaming. */
	part.name = part_now.name;
	add(&parts_before, &part);
	add(&parts_after, &part_now);
	diff_compare(&diff, &parts, &parts_before.side, &parts_after.side);
	assert_int_equal(diff.count, 2);
	diff_clear(&diff);
}

/* Problems of a renamed device on the earlier side are found by its earlier name. */
static void test_problem_of_a_renamed_device(void **state)
{
	static const struct diff_kind ports = {"ports", &schema, "name,guid", NULL, NULL};
	const char *const names[] = {"one", "two"};
	const struct thing device = THING("a", 1, 100), renamed = THING("b", 1, 100);
	struct thing port = THING("a", 7, 0), now = THING("b", 7, 100);
	struct list before = {0}, after = {0}, ports_before = {0}, ports_after = {0};
	struct problems problems = {0}, told = {0};
	struct diff diff = {0};

	(void)state;
	port.speed.known = false;
	problem_add(&problems, "a/0000:0000:0000:0007", "speed", "sysfs", -EIO, NULL);
	add(&before, &device);
	add(&after, &renamed);
	add(&ports_before, &port);
	add(&ports_after, &now);
	before.side.problems = ports_before.side.problems = &problems;
	diff_compare(&diff, &kind, &before.side, &after.side);
	diff_compare(&diff, &ports, &ports_before.side, &ports_after.side);
	expect(&diff, "things b renamed - a b\n");
	diff_note_unknowns(&diff, names, &told);
	assert_int_equal(told.count, 1);
	assert_string_equal(told.items[0].error, "speed is not known there, for 1 of the ports");
	problems_free(&problems);
	problems_free(&told);
	diff_clear(&diff);
}

/* The same place and another GUID, with another name. */
static void test_renamed_by_second_identity(void **state)
{
	struct thing one = THING("a", 1, 100), now = THING("b", 2, 100);
	struct list before = {0}, after = {0};
	struct diff diff = {0};

	(void)state;
	one.parent = now.parent = (char *)(uintptr_t) "0000:3b:00.0";
	add(&before, &one);
	add(&after, &now);
	diff_compare(&diff, &kind, &before.side, &after.side);
	expect(&diff, "things b renamed - a b\n"
		      "things b changed guid 0000:0000:0000:0001 0000:0000:0000:0002\n");
	diff_clear(&diff);
}

/* A GUID that is zero, or that several devices have, identifies nothing. */
static void test_identity_is_not_one(void **state)
{
	const struct thing zero = THING("a", 0, 1), zero_now = THING("b", 0, 1);
	const struct thing twin = THING("c", 5, 1), other = THING("d", 5, 1),
			   now = THING("e", 5, 1);
	struct list before = {0}, after = {0};
	struct diff diff = {0};

	(void)state;
	add(&before, &zero);
	add(&before, &twin);
	add(&before, &other);
	add(&after, &zero_now);
	add(&after, &now);
	diff_compare(&diff, &kind, &before.side, &after.side);
	expect(&diff, "things a gone - - -\nthings c gone - - -\nthings d gone - - -\n"
		      "things b new - - -\nthings e new - - -\n");
	diff_clear(&diff);
}

/* Parts of a missing object are not reported again. */
static void test_parts(void **state)
{
	const struct thing one = THING("a", 1, 1), part = THING("a/1", 0, 1);
	const struct thing stays = THING("ab/1", 0, 1);
	struct list before = {0}, after = {0}, parts_before = {0}, parts_after = {0};
	struct diff diff = {0};

	(void)state;
	add(&before, &one);
	add(&parts_before, &part);
	add(&parts_before, &stays);
	diff_compare(&diff, &kind, &before.side, &after.side);
	diff_compare(&diff, &parts, &parts_before.side, &parts_after.side);
	expect(&diff, "things a gone - - -\nparts ab/1 gone - - -\n");
	diff_clear(&diff);
}

static void test_partial_list(void **state)
{
	static const struct diff_kind some = {"some", &schema, "name", NULL, NULL, .partial = true};
	const struct thing one = THING("a", 1, 1), two = THING("b", 1, 1), now = THING("a", 1, 2);
	struct list before = {0}, after = {0};
	struct diff diff = {0};

	(void)state;
	add(&before, &one);
	add(&before, &two);
	add(&after, &now);
	diff_compare(&diff, &some, &before.side, &after.side);
	expect(&diff, "some a changed speed 1 2\n");
	diff_clear(&diff);
}

/* What a side could not read is reported, but is not a difference; what it lacks is one. */
static void test_unknown(void **state)
{
	const char *const names[] = {"one", "two"};
	struct thing one = THING("a/1", 1, 100), lacks = THING("a/1", 1, 0);
	struct problems unread = {0}, elsewhere = {0}, told = {0};
	struct list before = {0}, after = {0};
	struct diff diff = {0};

	(void)state;
	lacks.speed.known = false;
	add(&before, &one);
	add(&after, &lacks);
	diff_compare(&diff, &kind, &before.side, &after.side);
	expect(&diff, "things a/1 changed speed 100 -\n");
	diff_clear(&diff);
	/* A saved tree cannot answer such queries. */
	after.side.answers = false;
	diff_compare(&diff, &kind, &before.side, &after.side);
	expect(&diff, "");
	diff_note_unknowns(&diff, names, &told);
	assert_int_equal(told.count, 1);
	assert_string_equal(told.items[0].object, "two");
	assert_string_equal(told.items[0].error, "speed is not known there, for 1 of the things");
	problems_free(&told);
	diff_clear(&diff);
	/* This side answers, but the device could not be read. */
	after.side.answers = true;
	after.side.problems = &unread;
	problem_add_text(&unread, "a", "speed", "verbs", "Permission denied", NULL);
	diff_compare(&diff, &kind, &before.side, &after.side);
	expect(&diff, "");
	diff_clear(&diff);
	/* A different device could not be read. */
	after.side.problems = &elsewhere;
	problem_add_text(&elsewhere, "ab", "speed", "verbs", "Permission denied", NULL);
	problem_add_text(&elsewhere, "a/11", "speed", "verbs", "Permission denied", NULL);
	diff_compare(&diff, &kind, &before.side, &after.side);
	expect(&diff, "things a/1 changed speed 100 -\n");
	diff_clear(&diff);
	/* A part of it could not be read, or something about the host. */
	problem_add_text(&elsewhere, "a/1/3", "gid", "verbs", "Permission denied", NULL);
	diff_compare(&diff, &kind, &before.side, &after.side);
	expect(&diff, "");
	diff_clear(&diff);
	problems_free(&elsewhere);
	problem_add_text(&elsewhere, NULL, "netdevs", "rtnetlink", "Permission denied", NULL);
	diff_compare(&diff, &kind, &before.side, &after.side);
	expect(&diff, "");
	diff_clear(&diff);
	problems_free(&unread);
	problems_free(&elsewhere);
}

enum { THOUSANDS = 4096 };

/* As many devices as a host may have, all renamed, and a problem with each of them. */
static void test_thousands(void **state)
{
	struct thing *things = mem_alloc_zero(DIFF_SIDES * THOUSANDS, sizeof(*things));
	const void **rows = mem_alloc_zero(DIFF_SIDES * THOUSANDS, sizeof(*rows));
	struct diff_rows sides[DIFF_SIDES] = {{.rows = rows}, {.rows = rows + THOUSANDS}};
	struct problems problems[DIFF_SIDES] = {{.count = 0}, {.count = 0}};
	struct diff diff = {0};

	(void)state;
	for (size_t i = 0; i < DIFF_SIDES * THOUSANDS; i++) {
		const int side = i < THOUSANDS ? DIFF_BEFORE : DIFF_AFTER;

		things[i].name = mem_format("%s%zu", side == DIFF_BEFORE ? "old" : "new", i);
		things[i].guid = number_of(1 + (side == DIFF_BEFORE ? i : 2 * THOUSANDS - 1 - i));
		things[i].speed = (struct number){.value = 1, .known = side == DIFF_BEFORE};
		problem_add_text(&problems[side], things[i].name, "speed", "x", "EIO", NULL);
		rows[i] = &things[i];
		sides[side].problems = &problems[side];
		sides[side].answers = true;
		sides[side].count++;
	}
	diff_compare(&diff, &kind, &sides[DIFF_BEFORE], &sides[DIFF_AFTER]);
	assert_int_equal(diff.count, THOUSANDS);
	for (size_t i = 0; i < THOUSANDS; i++) {
		assert_int_equal(diff.items[i].change.value, DIFF_RENAMED);
		assert_string_equal(diff.items[i].before, things[i].name);
		assert_string_equal(diff.items[i].after, things[2 * THOUSANDS - 1 - i].name);
	}
	assert_int_equal(diff.unknown_count, 1);
	diff_clear(&diff);
	/* The same, with nothing on the later side. */
	sides[DIFF_AFTER].count = 0;
	diff_compare(&diff, &kind, &sides[DIFF_BEFORE], &sides[DIFF_AFTER]);
	assert_int_equal(diff.count, THOUSANDS);
	diff_clear(&diff);
	for (size_t i = 0; i < DIFF_SIDES * THOUSANDS; i++)
		free(things[i].name);
	problems_free(&problems[DIFF_BEFORE]);
	problems_free(&problems[DIFF_AFTER]);
	free(rows);
	free(things);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal),
		cmocka_unit_test(test_changed_gone_new),
		cmocka_unit_test(test_swapped_names),
		cmocka_unit_test(test_problem_of_a_renamed_device),
		cmocka_unit_test(test_renamed_by_second_identity),
		cmocka_unit_test(test_identity_is_not_one),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_partial_list),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_thousands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
