/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* field_get(): every kind of field, known and unknown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <arpa/inet.h>
#include <cmocka.h>

#include "sample.h"

static void get(const struct sample *sample, const char *key, struct value *value)
{
	const struct field *field = schema_find(&sample_schema, key);

	assert_non_null(field);
	memset(value, 0xa5, sizeof(*value));
	field_get(field, sample, value);
}

static void check_string(const struct sample *sample, const char *key, const char *text)
{
	struct value value;

	get(sample, key, &value);
	assert_int_equal(value.kind, VALUE_STRING);
	assert_string_equal(value.string, text);
}

/* Nothing is known: every field says so, and none shows 0, no or "". */
static void nothing_known(void **state)
{
	/* The value of an unknown member must not show. */
	const struct sample sample = {
		.count = {7, false},
		.change = {7, false},
		.mask = {7, false},
		.guid = {7, false},
		.state = {4, false},
		.caps = {7, false},
		.rate = {7, false},
		.gid = {{{7}}, false},
		.ip = {{AF_INET, {7}}, false},
	};

	(void)state;
	for (size_t i = 0; i < sample_schema.field_count; i++) {
		const struct field *field = &sample_schema.fields[i];
		struct value value;

		if (field->kind == FIELD_RECORDS)
			continue;
		memset(&value, 0xa5, sizeof(value));
		field_get(field, &sample, &value);
		assert_int_equal(value.kind, VALUE_NONE);
		assert_int_equal(value.tone, TONE_PLAIN);
	}
}

static void numbers(void **state)
{
	struct sample sample = {.count = number_of(UINT64_MAX),
				.change = number_of((uint64_t)-5),
				.rate = {2.5, true}};
	struct value value;

	(void)state;
	get(&sample, "count", &value);
	assert_int_equal(value.kind, VALUE_UNSIGNED);
	assert_true(value.number == UINT64_MAX);
	get(&sample, "change", &value);
	assert_int_equal(value.kind, VALUE_SIGNED);
	assert_true(value.integer == -5);
	get(&sample, "rate_gbps", &value);
	assert_int_equal(value.kind, VALUE_REAL);
	assert_true(value.real == 2.5);
	sample.count = number_of(0);
	get(&sample, "count", &value);
	assert_int_equal(value.kind, VALUE_UNSIGNED);
	assert_true(value.number == 0);
	sample.count = number_of(21);
	get(&sample, "double", &value);
	assert_true(value.number == 42);
	assert_int_equal(value.tone, TONE_WARNING);
}

static void booleans(void **state)
{
	struct sample sample = {.up = TRISTATE_NO};
	struct value value;

	(void)state;
	get(&sample, "up", &value);
	assert_int_equal(value.kind, VALUE_BOOL);
	assert_false(value.boolean);
	sample.up = TRISTATE_YES;
	get(&sample, "up", &value);
	assert_true(value.boolean);
}

static void texts(void **state)
{
	struct sample sample = {
		.name = (char[]){""},
		.mask = number_of(0x1f),
		.guid = number_of(0x11),
		.gid = {{{0xfe, 0x80, [15] = 1}}, true},
		.ip = {{AF_INET, {10, 9, 0, 1}}, true},
	};

	(void)state;
	check_string(&sample, "name", "");
	check_string(&sample, "mask", "0x001f");
	check_string(&sample, "guid", "0000:0000:0000:0011");
	check_string(&sample, "gid", "fe80:0000:0000:0000:0000:0000:0000:0001");
	check_string(&sample, "ip", "10.9.0.1");
	sample.mask = number_of(UINT64_MAX);
	check_string(&sample, "mask", "0xffffffffffffffff");
	sample.mask = number_of(0);
	check_string(&sample, "mask", "0x0000");
	sample.ip = (struct known_ip){{AF_INET6, {0xfe, 0x80, [15] = 1}}, true};
	check_string(&sample, "ip", "fe80::1");
}

static void enumerations(void **state)
{
	struct sample sample = {.state = number_of(4)};
	struct value value;

	(void)state;
	get(&sample, "state", &value);
	assert_string_equal(value.string, "active");
	assert_int_equal(value.tone, TONE_GOOD);
	sample.state = number_of(1);
	get(&sample, "state", &value);
	assert_int_equal(value.tone, TONE_BAD);
	/* A code that is newer than the table. */
	sample.state = number_of(0);
	check_string(&sample, "state", "unknown-0");
	sample.state = number_of(UINT64_MAX);
	get(&sample, "state", &value);
	assert_string_equal(value.string, "unknown-18446744073709551615");
	assert_int_equal(value.tone, TONE_PLAIN);
}

static void check_list(const struct sample *sample, const char *key, size_t count,
		       const char *const *words)
{
	struct value value;

	get(sample, key, &value);
	assert_int_equal(value.kind, VALUE_LIST);
	assert_int_equal(value.list.count, count);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(value.list.items[i], words[i]);
}

static void flags(void **state)
{
	struct sample sample = {.caps = number_of(0)};

	(void)state;
	check_list(&sample, "caps", 0, NULL);
	sample.caps = number_of(1 | 0x100);
	check_list(&sample, "caps", 2, (const char *const[]){"first", "ninth"});
	/* Bits without a word stay visible. */
	sample.caps = number_of(2 | 8 | UINT64_C(1) << 63);
	check_list(&sample, "caps", 2, (const char *const[]){"second", "0x8000000000000008"});
	sample.caps = number_of(UINT64_MAX);
	check_list(&sample, "caps", 4,
		   (const char *const[]){"first", "second", "ninth", "0xfffffffffffffefc"});
}

/* No bit is lost, however long the table is. */
static void flags_all_set(void **state)
{
	static char words[64][8];
	static struct enum_name names[65];
	const struct field field = {.kind = FIELD_FLAGS, .names = names};
	const struct number all = number_of(UINT64_MAX);
	struct value value;

	(void)state;
	for (unsigned int i = 0; i < 64; i++) {
		words[i][0] = 'b';
		words[i][1] = (char)('0' + i / 10);
		words[i][2] = (char)('0' + i % 10);
		names[i] = (struct enum_name){UINT64_C(1) << i, words[i], TONE_PLAIN, NULL};
	}
	names[63].word = NULL;
	field_get(&field, &all, &value);
	assert_int_equal(value.list.count, 64);
	assert_string_equal(value.list.items[62], "b62");
	assert_string_equal(value.list.items[63], "0x8000000000000000");
	names[63].word = words[63];
	field_get(&field, &all, &value);
	assert_int_equal(value.list.count, 64);
	assert_string_equal(value.list.items[63], "b63");
}

static void lists(void **state)
{
	char *items[] = {(char[]){"a"}, (char[]){"b"}};
	struct sample sample = {.words = {.known = true}};

	(void)state;
	check_list(&sample, "words", 0, NULL);
	sample.words = (struct strings){items, 2, true};
	check_list(&sample, "words", 2, (const char *const[]){"a", "b"});
}

static void records(void **state)
{
	struct leaf leaves[2] = {{.index = number_of(1)}, {.index = number_of(2)}};
	struct sample sample = {.leaves = leaves, .leaf_count = 2};
	const struct field held = {.kind = FIELD_RECORDS};
	struct records list = {.rows = leaves, .count = 1};
	struct value value;

	(void)state;
	get(&sample, "leaves", &value);
	assert_int_equal(value.kind, VALUE_RECORDS);
	assert_ptr_equal(value.records.rows, leaves);
	assert_int_equal(value.records.count, 2);
	field_get(&held, &list, &value);
	assert_int_equal(value.kind, VALUE_NONE);
	list.known = true;
	field_get(&held, &list, &value);
	assert_int_equal(value.kind, VALUE_RECORDS);
	assert_ptr_equal(value.records.rows, leaves);
	assert_int_equal(value.records.count, 1);
}

static void found_by_key(void **state)
{
	(void)state;
	assert_ptr_equal(schema_find(&sample_schema, "name"), &sample_fields[0]);
	assert_string_equal(field_heading(schema_find(&sample_schema, "note")), "NOTE");
	assert_null(schema_find(&sample_schema, "NAME"));
	assert_null(schema_find(&sample_schema, "nam"));
	assert_null(schema_find(&sample_schema, ""));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_known), cmocka_unit_test(numbers),
		cmocka_unit_test(booleans),	 cmocka_unit_test(texts),
		cmocka_unit_test(enumerations),	 cmocka_unit_test(flags),
		cmocka_unit_test(flags_all_set), cmocka_unit_test(lists),
		cmocka_unit_test(records),	 cmocka_unit_test(found_by_key),
	};

	return cmocka_run_group_tests_name("schema", tests, NULL, NULL);
}
