/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which records of two hosts are the same one, by names and identities, which of their values are
 * compared, and what one side does not know. Each case is two lists in words, and everything that
 * is reported.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "snapshot/diff/diff.h"

struct thing {
	char *name, *port, *place, *serial, *speed, *names;
	struct number guid, count, secret;
	struct strings members;
};

static void get_names(const void *record, struct value *value)
{
	value_set_string(value, ((const struct thing *)record)->names);
}

static void get_rows(const void *record, struct value *value)
{
	value_set_records(value, record, 0);
}

static const struct field fields[] = {
	STRING_FIELD(struct thing, name, "name", "NAME", 0, 0, "x"),
	STRING_FIELD(struct thing, port, "port", "PORT", 0, 0, "x"),
	GUID_FIELD(struct thing, guid, "guid", "GUID", 0, 0, "x"),
	STRING_FIELD(struct thing, place, "place", "PLACE", 0, 0, "x"),
	STRING_FIELD(struct thing, serial, "serial", "SERIAL", 0, 0, "x"),
	STRING_FIELD(struct thing, speed, "speed", "SPEED", 0, 0, "x"),
	UNSIGNED_FIELD(struct thing, count, "count", "COUNT", FIELD_COUNTER, 0, "x"),
	UNSIGNED_FIELD(struct thing, secret, "secret", "SECRET", FIELD_SECRET, 0, "x"),
	LIST_FIELD(struct thing, members, "members", "MEMBERS", 0, 0, "x"),
	COMPUTED_FIELD(FIELD_STRING, get_names, "names", "NAMES", 0, 0, "x"),
	COMPUTED_FIELD(FIELD_RECORDS, get_rows, "rows", "ROWS", 0, 0, "x"),
};

static const struct schema schema = SCHEMA("things", struct thing, fields, "a thing");

enum { MOST = 8 };

struct side {
	struct thing things[MOST];
	const void *rows[MOST];
	struct problems problems;
	struct diff_rows list;
	char *copy;
};

struct bed {
	struct side sides[DIFF_SIDES];
	struct diff diff;
};

static int set_up(void **state)
{
	*state = mem_alloc_zero(1, sizeof(struct bed));
	return 0;
}

static void clear_side(struct side *side)
{
	for (size_t i = 0; i < side->list.count; i++)
		strings_free(&side->things[i].members);
	problems_free(&side->problems);
	free(side->copy);
	*side = (struct side){.copy = NULL};
}

static int tear_down(void **state)
{
	struct bed *bed = *state;

	for (size_t i = 0; i < DIFF_SIDES; i++)
		clear_side(&bed->sides[i]);
	diff_clear(&bed->diff);
	free(bed);
	return 0;
}

static void set_value(struct thing *thing, const char *key, char *value)
{
	static const struct {
		const char *key;
		size_t at;
	} texts[] = {
		{"name", offsetof(struct thing, name)},
		{"port", offsetof(struct thing, port)},
		{"place", offsetof(struct thing, place)},
		{"serial", offsetof(struct thing, serial)},
		{"speed", offsetof(struct thing, speed)},
		{"names", offsetof(struct thing, names)},
	};
	static const struct {
		const char *key;
		size_t at;
	} numbers[] = {
		{"guid", offsetof(struct thing, guid)},
		{"count", offsetof(struct thing, count)},
		{"secret", offsetof(struct thing, secret)},
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (!strcmp(key, texts[i].key))
			*(char **)((char *)thing + texts[i].at) = value;
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if (!strcmp(key, numbers[i].key))
			*(struct number *)((char *)thing +
					   numbers[i].at) = number_of(strtoull(value, NULL, 16));
	if (!strcmp(key, "members"))
		strings_add_list(&thing->members, value);
}

/* "name=a speed=1; name=b": the records of a list; each list is complete. */
static void fill(struct side *side, const char *text)
{
	char *rest, *record;

	clear_side(side);
	side->copy = rest = mem_string(text);
	while (*text && (record = strsep(&rest, ";"))) {
		struct thing *thing = &side->things[side->list.count];
		char *pair;

		assert_true(side->list.count < MOST);
		while ((pair = strsep(&record, " "))) {
			char *key = strsep(&pair, "=");

			if (pair)
				set_value(thing, key, pair);
		}
		side->rows[side->list.count++] = thing;
	}
	side->list.rows = side->rows;
	side->list.problems = &side->problems;
	side->list.answers = true;
}

static void compare(struct bed *bed, const struct diff_kind *kind, const char *before,
		    const char *after)
{
	fill(&bed->sides[DIFF_BEFORE], before);
	fill(&bed->sides[DIFF_AFTER], after);
	diff_compare(&bed->diff, kind, &bed->sides[DIFF_BEFORE].list, &bed->sides[DIFF_AFTER].list);
}

/* Each difference as a line; then the unknowns. */
static void expect(struct bed *bed, const char *wanted)
{
	static const char *const names[] = {"one\033", "two"};
	_cleanup_(freep) char *text = mem_string("");
	struct problems told = {.count = 0};

	for (size_t i = 0; i < bed->diff.count; i++) {
		const struct difference *item = &bed->diff.items[i];
		struct value kind, change;

		field_get(schema_find(&differences_schema, "kind"), item, &kind);
		field_get(schema_find(&differences_schema, "change"), item, &change);
		mem_extend(&text, "%s %s %s", kind.string, item->object ? item->object : "(none)",
			   change.string);
		if (item->field || item->before || item->after)
			mem_extend(&text, " %s: %s > %s", item->field ? item->field : "",
				   item->before ? item->before : "-",
				   item->after ? item->after : "-");
		mem_extend(&text, "\n");
	}
	diff_note_unknowns(&bed->diff, names, &told);
	for (size_t i = 0; i < told.count; i++)
		mem_extend(&text, "! %s: %s\n", told.items[i].object, told.items[i].error);
	problems_free(&told);
	assert_string_equal(text, wanted);
	diff_clear(&bed->diff);
	assert_int_equal(bed->diff.count + bed->diff.unknown_count, 0);
	assert_null(bed->diff.absent);
	assert_null(bed->diff.items);
	assert_null(bed->diff.unknowns);
}

static const struct diff_kind plain = {"things", &schema, "name", NULL, NULL, false};
static const struct diff_kind pairs = {"pairs", &schema, "name,port", NULL, NULL, false};

/* What names a record, which is optional. */
static void names(void **state)
{
	static const struct diff_kind nameless = {"things", &schema, NULL, NULL, NULL, false};
	struct bed *bed = *state;

	compare(bed, &pairs, "name=a port=1 speed=x; port=2 speed=x; name=b speed=x",
		"name=b speed=y; port=2 speed=y; name=a port=1 speed=y");
	expect(bed, "pairs a/1 changed speed: x > y\n"
		    "pairs -/2 changed speed: x > y\n"
		    "pairs b/- changed speed: x > y\n");
	compare(bed, &pairs, "name=a port=1", "name=a port=2");
	expect(bed, "pairs a/1 gone\npairs a/2 new\n");
	/* Records without a name are compared with each other. */
	compare(bed, &nameless, "name=a speed=x", "name=b speed=y");
	expect(bed, "things (none) changed name: a > b\n"
		    "things (none) changed speed: x > y\n");
	compare(bed, &nameless, "name=a", "");
	expect(bed, "things (none) gone\n");
	compare(bed, &nameless, "", "name=a; name=b");
	expect(bed, "things (none) new\nthings (none) new\n");
	compare(bed, &plain, "", "");
	expect(bed, "");
}

/* Only the first of several records with one name is compared, and only once. */
static void twice(void **state)
{
	struct bed *bed = *state;

	compare(bed, &plain, "name=a speed=1; name=a speed=2", "name=a speed=3");
	expect(bed, "things a changed speed: 1 > 3\nthings a gone\n");
	compare(bed, &plain, "name=a speed=1", "name=a speed=1; name=a speed=1");
	expect(bed, "things a new\n");
	compare(bed, &plain, "name=c; name=b; name=a; name=d", "name=d; name=a; name=b; name=c");
	expect(bed, "");
}

/* A further field distinguishes records with one name, on both sides, and only those. */
static void distinct(void **state)
{
	static const struct diff_kind members = {
		.name = "things", .schema = &schema, .keys = "name", .distinct = "place"};
	struct bed *bed = *state;

	compare(bed, &members, "name=a place=p speed=1; name=a place=q speed=2",
		"name=a place=q speed=2; name=a place=p speed=1");
	expect(bed, "");
	compare(bed, &members, "name=a place=p speed=1; name=a place=q speed=2; name=b place=r",
		"name=a place=q speed=3; name=b place=s");
	expect(bed, "things a/q changed speed: 2 > 3\n"
		    "things b changed place: r > s\n"
		    "things a/p gone\n");
	compare(bed, &members, "name=a", "name=a; name=a place=p");
	expect(bed, "things a/p new\n");
	/* Other records before them do not matter. */
	compare(bed, &members, "name=b; name=a place=p; name=a place=q", "name=b; name=a place=q");
	expect(bed, "things a/p gone\n");
}

/* A key in the middle of a list, at its end, and one that is only a prefix. */
static void moving(void **state)
{
	static const struct diff_kind kind = {
		"things", &schema, "name", NULL, "speedy,plac,serial,guids,names", false};
	struct bed *bed = *state;

	compare(bed, &kind, "name=a speed=1 place=1 serial=1 guid=1 names=1 count=1 secret=1",
		"name=a speed=2 place=2 serial=2 guid=2 names=2 count=2 secret=2");
	expect(bed, "things a changed guid: 0000:0000:0000:0001 > 0000:0000:0000:0002\n"
		    "things a changed place: 1 > 2\n"
		    "things a changed speed: 1 > 2\n");
}

/* By the first identity, then by name, then by the other identities. */
static void identities(void **state)
{
	static const struct diff_kind kind = {
		"things", &schema, "name", "guid,place,serial", "guid,place,serial", false};
	struct bed *bed = *state;

	/* The name has moved to another GUID: the GUID counts. */
	compare(bed, &kind, "name=a guid=1 speed=x; name=b guid=2 speed=y",
		"name=b guid=1 speed=x; name=a guid=3 speed=y");
	expect(bed, "things b renamed : a > b\n"
		    "things b gone\n"
		    "things a new\n");
	/* The name counts before the place. */
	compare(bed, &kind, "name=a place=p; name=b place=q", "name=a place=q; name=b place=p");
	expect(bed, "");
	/* The second identity, then the third. */
	compare(bed, &kind, "name=a place=p serial=s; name=b serial=t; name=c place=p serial=t",
		"name=d place=q serial=s; name=e place=r serial=u");
	expect(bed, "things d renamed : a > d\n"
		    "things b gone\n"
		    "things c gone\n"
		    "things e new\n");
	/* Several records on either side have it. */
	compare(bed, &kind, "name=a guid=1; name=b guid=1", "name=c guid=1");
	expect(bed, "things a gone\nthings b gone\nthings c new\n");
	compare(bed, &kind, "name=a guid=1", "name=b guid=1; name=c guid=1");
	expect(bed, "things a gone\nthings b new\nthings c new\n");
	/* A record that is already matched does not count. */
	compare(bed, &kind, "name=a guid=1 place=p; name=b place=p",
		"name=a guid=1 place=p; name=c place=p");
	expect(bed, "things c renamed : b > c\n");
	/* Zeros, as the text of a GUID or not, identify nothing. */
	compare(bed, &kind, "name=a guid=0 place=0:00", "name=b guid=0 place=0:00");
	expect(bed, "things a gone\nthings b new\n");
	compare(bed, &kind, "name=a place=0:1", "name=b place=0:1");
	expect(bed, "things b renamed : a > b\n");
}

/* Values that name a renamed record are followed, alone and in lists. */
static void renamed(void **state)
{
	static const struct diff_kind devices = {"devices", &schema, "name", "guid", NULL, false};
	struct bed *bed = *state;
	char many[512] = "", other[512] = "";

	compare(bed, &devices, "name=a guid=1; name=b guid=2", "name=x guid=1; name=y guid=2");
	diff_compare(&bed->diff, &devices, &(struct diff_rows){.count = 0},
		     &(struct diff_rows){.count = 0});
	assert_int_equal(bed->diff.count, 2);
	compare(bed, &pairs,
		"name=a port=1 place=b members=a,c,b; name=b port=1 place=ab members=a",
		"name=x port=1 place=y members=x,c,y; name=y port=1 place=ab members=y");
	expect(bed, "devices x renamed : a > x\n"
		    "devices y renamed : b > y\n"
		    "pairs y/1 changed members: x > y\n");
	/* A list of more than 65 is not. */
	compare(bed, &devices, "name=a guid=1", "name=x guid=1");
	for (size_t i = 0; i < 65; i++) {
		strcat(many, i ? ",a" : "a");
		strcat(other, i ? ",x" : "x");
	}
	{
		_cleanup_(freep) char *before = mem_format("name=t members=%s", many);
		_cleanup_(freep) char *after = mem_format("name=t members=%s", other);

		compare(bed, &plain, before, after);
		assert_int_equal(bed->diff.count, 1);
		mem_extend(&before, ",a");
		mem_extend(&after, ",x");
		compare(bed, &plain, before, after);
	}
	assert_int_equal(bed->diff.count, 2);
	assert_string_equal(bed->diff.items[1].field, "members");
	assert_int_equal(strncmp(bed->diff.items[1].before, "a,a,", 4), 0);
}

/*
 * What is below something that only one side has is not reported, unless only its prefix is the
 * same.
 */
static void absent(void **state)
{
	struct bed *bed = *state;

	compare(bed, &plain, "name=a; name=a/1; name=a/1/2; name=a1; name=/a", "name=b; name=b/x");
	expect(bed, "things a gone\nthings a1 gone\nthings /a gone\nthings b new\n");
}

/*
 * A value that only one side knows is a difference if that side is complete, and otherwise unknown.
 */
static void unknown(void **state)
{
	struct bed *bed = *state;

	compare(bed, &plain, "name=a speed=1; name=b", "name=a; name=b speed=2");
	expect(bed, "things a changed speed: 1 > -\nthings b changed speed: - > 2\n");
	for (size_t side = 0; side < DIFF_SIDES; side++) {
		fill(&bed->sides[DIFF_BEFORE], "name=a speed=1 place=p; name=b; name=c speed=1");
		fill(&bed->sides[DIFF_AFTER], "name=a; name=b speed=2; name=c place=q");
		bed->sides[side].list.answers = false;
		diff_compare(&bed->diff, &plain, &bed->sides[DIFF_BEFORE].list,
			     &bed->sides[DIFF_AFTER].list);
		diff_compare(&bed->diff, &pairs, &bed->sides[DIFF_BEFORE].list,
			     &bed->sides[DIFF_AFTER].list);
		expect(bed, side == DIFF_BEFORE
				    ? "things a changed place: p > -\n"
				      "things a changed speed: 1 > -\n"
				      "things c changed speed: 1 > -\n"
				      "pairs a/- changed place: p > -\n"
				      "pairs a/- changed speed: 1 > -\n"
				      "pairs c/- changed speed: 1 > -\n"
				      "! one\\x1b: speed is not known there, for 1 of the things\n"
				      "! one\\x1b: place is not known there, for 1 of the things\n"
				      "! one\\x1b: speed is not known there, for 1 of the pairs\n"
				      "! one\\x1b: place is not known there, for 1 of the pairs\n"
				    : "things b changed speed: - > 2\n"
				      "things c changed place: - > q\n"
				      "pairs b/- changed speed: - > 2\n"
				      "pairs c/- changed place: - > q\n"
				      "! two: place is not known there, for 1 of the things\n"
				      "! two: speed is not known there, for 2 of the things\n"
				      "! two: place is not known there, for 1 of the pairs\n"
				      "! two: speed is not known there, for 2 of the pairs\n");
	}
	/* Neither side knows it. */
	fill(&bed->sides[DIFF_BEFORE], "name=a");
	fill(&bed->sides[DIFF_AFTER], "name=a");
	bed->sides[DIFF_BEFORE].list.answers = bed->sides[DIFF_AFTER].list.answers = false;
	diff_compare(&bed->diff, &plain, &bed->sides[DIFF_BEFORE].list,
		     &bed->sides[DIFF_AFTER].list);
	expect(bed, "");
}

/* A problem of the object, of a part of it, of what it is part of, or of the host. */
static void problems(void **state)
{
	static const struct {
		const char *object;
		bool about;
	} cases[] = {
		{"a/1", true}, {"a/1/x", true}, {"a", true},   {NULL, true},
		{"", true},    {"a/10", false}, {"a/", false}, {"a/2", false},
		{"aa", false}, {"b", false},	{"A", false},  {"a/1x/y", false},
	};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		fill(&bed->sides[DIFF_BEFORE], "name=a/1 speed=1");
		fill(&bed->sides[DIFF_AFTER], "name=a/1");
		problem_add_text(&bed->sides[DIFF_AFTER].problems, "z", NULL, NULL, "x", NULL);
		problem_add_text(&bed->sides[DIFF_AFTER].problems, cases[i].object, NULL, NULL, "x",
				 NULL);
		diff_compare(&bed->diff, &plain, &bed->sides[DIFF_BEFORE].list,
			     &bed->sides[DIFF_AFTER].list);
		expect(bed, cases[i].about
				    ? "! two: speed is not known there, for 1 of the things\n"
				    : "things a/1 changed speed: 1 > -\n");
	}
	/* Each problem is about something without a name. */
	fill(&bed->sides[DIFF_BEFORE], "speed=1");
	fill(&bed->sides[DIFF_AFTER], "port=1");
	problem_add_text(&bed->sides[DIFF_AFTER].problems, "z", NULL, NULL, "x", NULL);
	diff_compare(&bed->diff,
		     &(const struct diff_kind){"things", &schema, NULL, NULL, "port", false},
		     &bed->sides[DIFF_BEFORE].list, &bed->sides[DIFF_AFTER].list);
	expect(bed, "! two: speed is not known there, for 1 of the things\n");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(names),   TEST(twice),  TEST(distinct), TEST(moving),   TEST(identities),
		TEST(renamed), TEST(absent), TEST(unknown),  TEST(problems),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
