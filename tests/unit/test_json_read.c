/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reading documents of records back: our own, and foreign ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "render/json_read.h"
#include "render/render.h"

struct head {
	char *host;
	struct number uptime;
};

struct leaf {
	char *name;
	struct number guid, mask;
};

struct row {
	char *name;
	struct number count, word;
	struct real ratio;
	enum tristate good;
	char *computed;
	struct records leaves; /* struct leaf */
};

static const struct enum_name words[] = {{3, "three"}, {4, "four"}, {0, NULL}};

static void get_computed(const void *record, struct value *value)
{
	(void)record;
	value_set_string(value, "shown, but not held");
}

static const struct field leaf_fields[] = {
	STRING_FIELD(struct leaf, name, "name", "NAME", 0, 0, "x"),
	GUID_FIELD(struct leaf, guid, "guid", "GUID", 0, 0, "x"),
	HEX_FIELD(struct leaf, mask, 4, "mask", "MASK", 0, 0, "x"),
};

static const struct schema leaf_schema = {
	.name = "leaves",
	.version = 1,
	.fields = leaf_fields,
	.field_count = ARRAY_SIZE(leaf_fields),
	.record_size = sizeof(struct leaf),
};

static const struct field head_fields[] = {
	STRING_FIELD(struct head, host, "host", "HOST", 0, 0, "x"),
	UNSIGNED_FIELD(struct head, uptime, "uptime_msec", "UP", 0, 0, "x"),
};

static const struct field fields[] = {
	STRING_FIELD(struct row, name, "name", "NAME", 0, 0, "x"),
	UNSIGNED_FIELD(struct row, count, "count", "COUNT", 0, 0, "x"),
	ENUM_FIELD(struct row, word, words, "word", "WORD", 0, 0, "x"),
	REAL_FIELD(struct row, ratio, "ratio", "RATIO", 0, 0, "x"),
	BOOL_FIELD(struct row, good, "good", "GOOD", 0, 0, "x"),
	COMPUTED_FIELD(FIELD_STRING, get_computed, "computed", "COMPUTED", 0, 0, "x"),
	HELD_RECORDS_FIELD(struct row, leaves, &leaf_schema, "leaves", 0, "x"),
};

static const struct schema head_schema = {
	.name = "head",
	.version = 1,
	.fields = head_fields,
	.field_count = ARRAY_SIZE(head_fields),
	.record_size = sizeof(struct head),
};

static const struct schema schema = {
	.name = "rows",
	.version = 2,
	.fields = fields,
	.field_count = ARRAY_SIZE(fields),
	.record_size = sizeof(struct row),
};

struct document_read {
	struct head head;
	struct row *rows;
	size_t count;
	char *message;
};

/* In memory of the exact size, so that the sanitizer sees every overrun. */
static int read_bytes(const char *text, size_t length, struct document_read *document)
{
	_cleanup_(freep) char *copy = mem_alloc_zero(length, 1);
	void *rows = NULL;
	int rc;

	memcpy(copy, text, length);
	*document = (struct document_read){.count = 0};
	rc = json_read(copy, length, &head_schema, &document->head, &schema, &rows,
		       &document->count, &document->message);
	document->rows = rows;
	assert_int_equal(document->message != NULL, rc == -EINVAL);
	return rc;
}

static int read_text(const char *text, struct document_read *document)
{
	return read_bytes(text, strlen(text), document);
}

static void drop(struct document_read *document)
{
	for (size_t i = 0; i < document->count; i++)
		record_clear(&schema, &document->rows[i]);
	free(document->rows);
	record_clear(&head_schema, &document->head);
	free(document->message);
}

static char *write_document(const struct head *head, const struct row *rows, size_t count)
{
	const struct problems problems = {0};
	const struct render_options options = {.format = FORMAT_JSON};
	const void *row_pointers[8];
	struct columns head_columns, columns;
	char *bad = NULL, *text = NULL;
	size_t length;
	FILE *file;

	assert_int_equal(columns_select(&head_columns, &head_schema, COLUMNS_ALL, NULL, &bad), 0);
	assert_int_equal(columns_select(&columns, &schema, COLUMNS_ALL, NULL, &bad), 0);
	for (size_t i = 0; i < count; i++)
		row_pointers[i] = &rows[i];
	file = open_memstream(&text, &length);
	assert_non_null(file);
	assert_int_equal(render(file, &options,
				&(struct document){.columns = &columns,
						   .rows = row_pointers,
						   .row_count = count,
						   .problems = &problems,
						   .head_columns = &head_columns,
						   .head = head}),
			 0);
	fclose(file);
	columns_free(&head_columns);
	columns_free(&columns);
	return text;
}

static void written_and_read(void **state)
{
	char name[] = "quote \" backslash \\ \xc3\xbc", host[] = "node1";
	const struct head head = {.host = host, .uptime = {UINT64_MAX, true}};
	struct leaf leaves[] = {
		{.name = name, .guid = {0x0011223344556677, true}, .mask = {0xab, true}},
		{.mask = {UINT64_MAX, true}},
	};
	const struct row rows[] = {
		{.leaves = {.rows = leaves, .count = 2, .known = true},
		 .name = name,
		 .count = {UINT64_MAX, true},
		 .word = {4, true},
		 .ratio = {0.125, true},
		 .good = TRISTATE_NO},
		{.good = TRISTATE_YES, .leaves = {.known = true}},
	};
	_cleanup_(freep) char *text = write_document(&head, rows, 2);
	_cleanup_(freep) char *none = write_document(&head, rows, 0);
	struct document_read document;
	const struct leaf *read;

	(void)state;
	assert_int_equal(read_text(text, &document), 0);
	assert_string_equal(document.head.host, "node1");
	assert_true(document.head.uptime.value == UINT64_MAX);
	assert_int_equal(document.count, 2);
	assert_string_equal(document.rows[0].name, name);
	assert_true(document.rows[0].count.value == UINT64_MAX);
	assert_int_equal(document.rows[0].word.value, 4);
	assert_true(document.rows[0].ratio.value == 0.125);
	assert_int_equal(document.rows[0].good, TRISTATE_NO);
	assert_null(document.rows[0].computed);
	assert_null(document.rows[1].name);
	assert_false(document.rows[1].count.known || document.rows[1].word.known ||
		     document.rows[1].ratio.known);
	assert_int_equal(document.rows[1].good, TRISTATE_YES);
	assert_int_equal(document.rows[0].leaves.count, 2);
	read = document.rows[0].leaves.rows;
	assert_string_equal(read[0].name, name);
	assert_true(read[0].guid.value == 0x0011223344556677);
	assert_int_equal(read[0].mask.value, 0xab);
	assert_false(read[1].guid.known || read[1].name);
	assert_true(read[1].mask.value == UINT64_MAX);
	assert_true(document.rows[1].leaves.known && !document.rows[1].leaves.count);
	drop(&document);
	assert_int_equal(read_text(none, &document), 0);
	assert_int_equal(document.count, 0);
	drop(&document);
	/* Truncated anywhere but within its trailing blanks. */
	for (size_t length = 0; length + 1 < strlen(text); length++) {
		assert_int_equal(read_bytes(text, length, &document), -EINVAL);
		drop(&document);
	}
}

#define ROWS(rows) "{\"schema\":\"rdmactl/rows/2\",\"rows\":[" rows "]}"

static void strange_but_right(void **state)
{
	static const char text[] =
		"\t{ \"rows\" :\r\n[ {\"name\":\"a\\u00fc\\ud83d\\ude00\\n\\u0000\\/b\", "
		"\"count\":7,"
		" \"later\": [1,{\"x\":[]},\"\\\"}\",-1.5e-3,true,{}], \"computed\":\"x\","
		" \"word\":\"five\",\"good\":null}, {} ],"
		"\"more\":{\"rows\":[3]}, \"host\":\"h\", \"schema\":\"rdmactl/rows/2\"}\n\n";
	struct document_read document;

	(void)state;
	assert_int_equal(read_text(text, &document), 0);
	assert_int_equal(document.count, 2);
	/* A NUL ends the text, as in any text from outside. */
	assert_string_equal(document.rows[0].name, "a\xc3\xbc\xf0\x9f\x98\x80\\x0a");
	assert_int_equal(document.rows[0].count.value, 7);
	assert_false(document.rows[0].word.known);
	assert_string_equal(document.head.host, "h");
	drop(&document);
	assert_int_equal(read_text(ROWS("{\"leaves\":[ {\"\\u006eame\":\"b\",\"more\":[{}]} ]}, "
					"{\"leaves\":null}"),
				   &document),
			 0);
	assert_int_equal(document.rows[0].leaves.count, 1);
	assert_string_equal(((struct leaf *)document.rows[0].leaves.rows)->name, "b");
	assert_false(document.rows[1].leaves.known);
	drop(&document);
}

/* jansson's integers end at 2^63 - 1. */
static void integers_of_64_bits(void **state)
{
	static const struct {
		const char *text;
		uint64_t value;
	} cases[] = {
		{"18446744073709551615", UINT64_MAX},
		{"\"18446744073709551615\"", UINT64_MAX},
		{"9223372036854775808", UINT64_C(1) << 63},
		{"9223372036854775807", INT64_MAX},
		{"999999999999999999", UINT64_C(999999999999999999)},
		{"1000000000000000000", UINT64_C(1000000000000000000)},
		{"\"7\"", 7},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(freep) char *text = mem_format(
			ROWS("{\"name\":\"99999999999999999999\\\"\",\"x\":[-0.5,1e300,%s,"
			     "0.12345678901234567890],\"ratio\":%s,\"count\":%s}"),
			cases[i].text, cases[i].text, cases[i].text);
		struct document_read document;
		const bool real = cases[i].value != 7;

		if (!real)
			*strstr(text, "ratio") = 'R';
		assert_int_equal(read_text(text, &document), 0);
		assert_true(document.rows[0].count.known);
		assert_true(document.rows[0].count.value == cases[i].value);
		assert_int_equal(document.rows[0].ratio.known, real);
		assert_true(!real || document.rows[0].ratio.value == (double)cases[i].value);
		assert_string_equal(document.rows[0].name, "99999999999999999999\"");
		drop(&document);
	}
}

static void of_other_schemas(void **state)
{
	static const char *const texts[] = {
		"{}",
		"{\"rows\":[]}",
		"{\"schema\":\"rdmactl/rows/1\",\"rows\":[]}",
		"{\"schema\":\"rdmactl/ports/1\",\"ports\":[{\"device\":\"mlx5_0\"}]}",
		"{\"schema\":5}",
		"{\"host\":\"x\",\"rows\":[{\"name\":\"a\"}]}",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct document_read document;

		assert_int_equal(read_text(texts[i], &document), -ENOMSG);
		drop(&document);
	}
}

/* Keys with a NUL are unknown; unknown members may hold integers of any size. */
static void unknown_members(void **state)
{
	struct document_read document;

	(void)state;
	assert_int_equal(read_text(ROWS("{\"name\\u0000x\":\"a\",\"x\":[99999999999999999999,"
					"{\"y\":-99999999999999999999}],\"z\":0.5e-3,"
					"\"name\":null,\"count\":null}"),
				   &document),
			 0);
	assert_null(document.rows[0].name);
	assert_false(document.rows[0].count.known);
	drop(&document);
}

static void too_many_members(void **state)
{
	_cleanup_(freep) char *text = mem_string("{");
	struct document_read document;

	(void)state;
	for (int i = 0; i < 257; i++)
		mem_extend(&text, "\"%d\":0,", i);
	assert_int_equal(read_text(text, &document), -EINVAL);
	assert_string_equal(document.message,
			    "line 1, column 1940: an object has more than 256 members");
	drop(&document);
}

static void wrong(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"", "line 1, column 1: this is not a JSON document"},
		{"root:x:0:0", "line 1, column 1: this is not a JSON document"},
		{"[]", "line 1, column 1: this is not a JSON document"},
		{"{\n\n\"rows\": 5}", "line 3, column 9: '[' is missing"},
		{ROWS("{\"count\":-1}"), "line 1, column 45: count cannot be -1"},
		{ROWS("{\"count\":1.5}"), "line 1, column 45: count cannot be 1.5"},
		{ROWS("{\"count\":18446744073709551616}"),
		 "line 1, column 45: count cannot be \"18446744073709551616\""},
		{ROWS("{\"count\":-9223372036854775809}"),
		 "line 1, column 64: too big negative integer near '-9223372036854775809'"},
		{ROWS("{\"count\":\"seven\"}"), "line 1, column 45: count cannot be \"seven\""},
		{ROWS("{\"name\":7}"), "line 1, column 44: name cannot be 7"},
		{ROWS("{\"good\":1}"), "line 1, column 44: good cannot be 1"},
		{ROWS("{\"ratio\":true}"), "line 1, column 45: ratio cannot be true"},
		{ROWS("{\"ratio\":\"1\"}"), "line 1, column 45: ratio cannot be \"1\""},
		{ROWS("{\"word\":3}"), "line 1, column 44: word cannot be 3"},
		{ROWS("{\"leaves\":[{\"guid\":\"0011:2233\"}]}"),
		 "line 1, column 55: guid cannot be \"0011:2233\""},
		{ROWS("{\"leaves\":[{\"guid\":7}]}"), "line 1, column 55: guid cannot be 7"},
		{ROWS("{\"leaves\":[{\"mask\":\"17\"}]}"),
		 "line 1, column 55: mask cannot be \"17\""},
		{ROWS("{\"leaves\":[5]}"), "line 1, column 47: a record is not an object"},
		{ROWS("{\"leaves\":[{},]}"), "line 1, column 50: a record is not an object"},
		{ROWS("{\"leaves\":{}}"), "line 1, column 46: '[' is missing"},
		{ROWS("{\"leaves\":nil}"), "line 1, column 48: invalid token near 'nil'"},
		{ROWS("{\"x\":nul}"), "line 1, column 43: invalid token near 'nul'"},
		{ROWS("{\"x\":}"), "line 1, column 41: unexpected token near '}'"},
		{ROWS("{\"x\":1,}"), "line 1, column 43: unexpected token near '}'"},
		{ROWS("{5:1}"), "line 1, column 37: a key is not a string"},
		{ROWS("{\n\"name\":\"a\nb\"}"), "line 2, column 9: unexpected newline near '\"a'"},
		{ROWS("{\"name\":\"\\q\"}"), "line 1, column 46: invalid escape near '\"\\q'"},
		{ROWS("{\"name\":\"\\ud800\"}"),
		 "line 1, column 51: invalid Unicode '\\uD800' near '\"\\ud800\"'"},
		{ROWS("{\"name\":\"\xff\"}"),
		 "line 1, column 44: unable to decode byte 0xff near '\"'"},
		{ROWS("{}") "x", "line 1, column 40: unexpected data after the JSON document"},
		{"{\"rows\":[],\"x\":{},\"rows\":[]}", "line 1, column 19: duplicate key 'rows'"},
		{ROWS("{\"name\":\"a\",\n\"x\":1,\"name\":\"a\"}"),
		 "line 2, column 7: duplicate key 'name'"},
		{ROWS("{\"name\":\"a\",\"n\\u0061me\":\"b\"}"),
		 "line 1, column 48: duplicate key 'name'"},
		{ROWS("{\"x\":{\"y\":1,\"y\":2}}"),
		 "line 1, column 50: duplicate object key near '\"y\"'"},
		{ROWS("{\"leaves\":[{\"x\":1,\n\"x\":1}]}"), "line 2, column 1: duplicate key 'x'"},
		{ROWS("{\"x\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["),
		 "line 1, column 74: values nested more than 32 deep"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct document_read document;

		assert_int_equal(read_text(cases[i].text, &document), -EINVAL);
		assert_string_equal(document.message, cases[i].message);
		drop(&document);
	}
}

/* A NUL among the digits of an escape once hid the quotation mark after it. */
static void bytes_of_zero(void **state)
{
	static const char escape[] = "{\"x\":\"\\u1\0\"\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}";
	static const char after[] = "{}\0{}";
	struct document_read document;

	(void)state;
	assert_int_equal(read_bytes(escape, sizeof(escape) - 1, &document), -EINVAL);
	drop(&document);
	assert_int_equal(read_bytes(after, sizeof(after) - 1, &document), -EINVAL);
	drop(&document);
}

/* The memory that jansson holds; its allocation functions take no context. */
static size_t allocated, most_allocated;

static void *allocate(size_t size)
{
	size_t *block = malloc(sizeof(max_align_t) + size);

	assert_non_null(block);
	*block = size;
	allocated += size;
	if (allocated > most_allocated)
		most_allocated = allocated;
	return (char *)block + sizeof(max_align_t);
}

static void release(void *pointer)
{
	size_t *block = (void *)((char *)pointer - sizeof(max_align_t));

	if (!pointer)
		return;
	allocated -= *block;
	free(block);
}

/* jansson holds one record at a time, both in a list of the document and in a list of a record. */
static void bounded_memory(void **state)
{
	enum { COUNT = 20000 };
	struct document_read document;
	size_t length;
	char *text;
	FILE *file = open_memstream(&text, &length);

	(void)state;
	fputs("{\"schema\":\"rdmactl/rows/2\",\"rows\":[{\"leaves\":[{}", file);
	for (int i = 0; i < COUNT; i++)
		fputs(",\n{\"name\":\"leaf\",\"guid\":\"0011:2233:4455:6677\"}", file);
	fputs("]}", file);
	for (int i = 0; i < COUNT; i++)
		fputs(",\n{\"name\":\"row\",\"count\":5}", file);
	fputs("]}", file);
	fclose(file);
	json_set_alloc_funcs(allocate, release);
	assert_int_equal(read_text(text, &document), 0);
	json_set_alloc_funcs(malloc, free);
	assert_int_equal(document.count, COUNT + 1);
	assert_int_equal(document.rows[0].leaves.count, COUNT + 1);
	assert_true(most_allocated > 0 && most_allocated < 16 * 1024);
	assert_int_equal(allocated, 0);
	drop(&document);
	free(text);
}

/* Reads `before`, COUNT times {}, and `after`. */
static int read_braces(const char *before, const char *after, struct document_read *document)
{
	enum { COUNT = 1000000 };
	_cleanup_(freep) char *braces = mem_alloc_zero(COUNT, 3);
	_cleanup_(freep) char *text = NULL;

	for (size_t i = 0; i < COUNT; i++)
		memcpy(braces + 3 * i, i + 1 < COUNT ? "{}," : "{}", i + 1 < COUNT ? 3 : 2);
	text = mem_format("%s%s%s", before, braces, after);
	return read_text(text, document);
}

/*
 * Returns the message about the first record of a list that, with `bytes` of records before it,
 * takes more than four times the text so far and 64 KiB.
 */
static char *refusal(const char *before, size_t bytes, size_t record_size)
{
	size_t at = strlen(before);

	for (bytes += record_size; bytes / 4 <= at + 65536; bytes += record_size)
		at += strlen("{},");
	return mem_format("line 1, column %zu: too many empty records", at + 1);
}

/* A small file must not grow large in memory: jansson takes some 200 bytes for {}. */
static void bounded_strangers(void **state)
{
	static const char rows[] = "{\"schema\":\"rdmactl/rows/2\",\"rows\":[";
	static const char leaves[] = "{\"schema\":\"rdmactl/rows/2\",\"rows\":[{\"leaves\":[";
	_cleanup_(freep) char *of_rows = refusal(rows, 0, sizeof(struct row));
	_cleanup_(freep) char *of_leaves = refusal(leaves, sizeof(struct row), sizeof(struct leaf));
	struct document_read document;

	(void)state;
	most_allocated = 0;
	json_set_alloc_funcs(allocate, release);
	assert_int_equal(read_braces(rows, "]}", &document), -EINVAL);
	assert_string_equal(document.message, of_rows);
	drop(&document);
	assert_int_equal(read_braces(leaves, "]}]}", &document), -EINVAL);
	assert_string_equal(document.message, of_leaves);
	drop(&document);
	/* A list that no field holds, for example one of a later version, is skipped. */
	assert_int_equal(read_braces("{\"schema\":\"rdmactl/rows/2\",\"rows\":[{\"later\":[",
				     "]}]}", &document),
			 0);
	assert_int_equal(document.count, 1);
	drop(&document);
	assert_true(most_allocated < 16 * 1024);
	assert_int_equal(read_braces("{\"x\":{\"y\":[", "]}}", &document), -EINVAL);
	assert_string_equal(document.message,
			    "line 1, column 6: a value of more than 1048576 bytes");
	drop(&document);
	json_set_alloc_funcs(malloc, free);
	assert_int_equal(allocated, 0);
}

/* An allocation of jansson that fails ends the program, as all others do. */
static void out_of_memory(void **state)
{
	json_malloc_t take_memory;
	json_free_t give_back;
	int status = 0;
	pid_t child = fork();

	(void)state;
	assert_true(child >= 0);
	if (!child) {
		render_json_check_memory();
		json_get_alloc_funcs(&take_memory, &give_back);
		give_back(take_memory(SIZE_MAX / 4 * 3)); /* more than half of the addresses */
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 1);
}

#ifdef __SANITIZE_ADDRESS__
/* An oversized request also returns NULL under the sanitizer. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1:detect_leaks=1";
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(written_and_read), cmocka_unit_test(strange_but_right),
		cmocka_unit_test(of_other_schemas), cmocka_unit_test(wrong),
		cmocka_unit_test(bytes_of_zero),    cmocka_unit_test(integers_of_64_bits),
		cmocka_unit_test(bounded_memory),   cmocka_unit_test(unknown_members),
		cmocka_unit_test(too_many_members), cmocka_unit_test(bounded_strangers),
		cmocka_unit_test(out_of_memory),
	};

	return cmocka_run_group_tests_name("json_read", tests, NULL, NULL);
}
