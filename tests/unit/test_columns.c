/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The list of -o: +KEY, -KEY, all, and invalid words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>

#include "base/cleanup.h"
#include "sample.h"
#include "schema/columns.h"

static void append(char *text, size_t size, const char *word)
{
	size_t length = strlen(text);

	assert_true(length + strlen(word) < size);
	memcpy(text + length, word, strlen(word) + 1);
}

/* The keys that are selected, or "? " and the bad word. */
static void check_of(const struct schema *schema, enum column_set set, const char *list,
		     const char *expected)
{
	struct columns columns;
	char text[500] = "", *bad = NULL;
	int rc = columns_select(&columns, schema, set, list, &bad);

	if (rc) {
		assert_int_equal(rc, -EINVAL);
		assert_int_equal(columns.count, 0);
		assert_null(columns.fields);
		append(text, sizeof(text), "? ");
		append(text, sizeof(text), bad);
	} else {
		assert_null(bad);
		assert_ptr_equal(columns.schema, schema);
	}
	for (size_t i = 0; i < columns.count; i++) {
		append(text, sizeof(text), i ? "," : "");
		append(text, sizeof(text), columns.fields[i]->key);
	}
	assert_string_equal(text, expected);
	free(bad);
	columns_free(&columns);
}

static void check(enum column_set set, const char *list, const char *expected)
{
	check_of(&sample_schema, set, list, expected);
}

#define DEFAULTS	"name,count,rate_gbps,state"
#define BEFORE		"name," BEFORE_NAMELESS
#define BEFORE_NAMELESS "count,change,mask,rate_gbps,up,state,caps,guid,gid,ip,words,double"

static void sets(void **state)
{
	(void)state;
	check(COLUMNS_DEFAULT, NULL, DEFAULTS);
	check(COLUMNS_ALL, NULL, BEFORE ",leaves,note");
}

static void plain_lists(void **state)
{
	(void)state;
	check(COLUMNS_DEFAULT, "guid", "guid");
	check(COLUMNS_ALL, "guid", "guid");
	check(COLUMNS_DEFAULT, "guid,name,count", "guid,name,count");
	check(COLUMNS_DEFAULT, "guid,name,guid", "guid,name");
	check(COLUMNS_DEFAULT, "note", "note");
	check(COLUMNS_DEFAULT, "leaves", "leaves");
	/* A + before a later word has no effect. */
	check(COLUMNS_DEFAULT, "guid,+name", "guid,name");
	check(COLUMNS_DEFAULT, "guid,name,-guid", "name");
	check(COLUMNS_DEFAULT, "guid,-guid,guid", "guid");
}

static void additions_and_removals(void **state)
{
	(void)state;
	check(COLUMNS_DEFAULT, "+guid", DEFAULTS ",guid");
	check(COLUMNS_DEFAULT, "+guid,gid", DEFAULTS ",guid,gid");
	check(COLUMNS_DEFAULT, "+name", DEFAULTS);
	check(COLUMNS_DEFAULT, "-name", "count,rate_gbps,state");
	check(COLUMNS_DEFAULT, "-state", "name,count,rate_gbps");
	check(COLUMNS_DEFAULT, "-count,-state,+guid", "name,rate_gbps,guid");
	check(COLUMNS_DEFAULT, "-guid", DEFAULTS);
	check(COLUMNS_DEFAULT, "-name,+name", "count,rate_gbps,state,name");
	check(COLUMNS_ALL, "-leaves", BEFORE ",note");
	check(COLUMNS_ALL, "+note", BEFORE ",leaves,note");
}

/* A table cannot show lists of records, so `all` includes them only in JSON. */
static void all_of_them(void **state)
{
	(void)state;
	check(COLUMNS_DEFAULT, "all", BEFORE ",note");
	check(COLUMNS_ALL, "all", BEFORE ",leaves,note");
	check(COLUMNS_DEFAULT, "guid,all",
	      "guid,name,count,change,mask,rate_gbps,up,state,caps,gid,ip,words,double,note");
	check(COLUMNS_DEFAULT, "all,-name,-note,leaves",
	      "count,change,mask,rate_gbps,up,state,caps,guid,gid,ip,words,double,leaves");
	check(COLUMNS_DEFAULT, "+all",
	      DEFAULTS ",change,mask,up,caps,guid,gid,ip,words,double,note");
	check(COLUMNS_ALL, "+all,-name", BEFORE_NAMELESS ",leaves,note");
}

static void bad_words(void **state)
{
	(void)state;
	check(COLUMNS_DEFAULT, "", "? ");
	check(COLUMNS_DEFAULT, "Name", "? Name");
	check(COLUMNS_DEFAULT, "nam", "? nam");
	check(COLUMNS_DEFAULT, "name,", "? ");
	check(COLUMNS_DEFAULT, ",name", "? ");
	check(COLUMNS_DEFAULT, "name,,count", "? ");
	check(COLUMNS_DEFAULT, "name, count", "?  count");
	check(COLUMNS_DEFAULT, "name,nope,alsonot", "? nope");
	check(COLUMNS_DEFAULT, "+", "? +");
	check(COLUMNS_DEFAULT, "-", "? -");
	check(COLUMNS_DEFAULT, "+nope", "? +nope");
	check(COLUMNS_DEFAULT, "-nope", "? -nope");
	check(COLUMNS_DEFAULT, "++name", "? ++name");
	check(COLUMNS_DEFAULT, "-all", "? -all");
	check(COLUMNS_DEFAULT, "\033[31m", "? \033[31m");
}

/* An empty selection would show nothing, which nobody wants. */
static void nothing_left(void **state)
{
	(void)state;
	check(COLUMNS_DEFAULT, "name,-name", "? name,-name");
	check(COLUMNS_DEFAULT, "-name,-count,-rate_gbps,-state",
	      "? -name,-count,-rate_gbps,-state");
}

/* Keys are only shown if they are named, wherever they are. */
static void secrets(void **state)
{
	static const struct field fields[] = {
		{.key = "first_key", .kind = FIELD_HEX, .flags = FIELD_SECRET | FIELD_DEFAULT},
		{.key = "name", .kind = FIELD_STRING, .flags = FIELD_DEFAULT},
		{.key = "middle_key", .kind = FIELD_HEX, .flags = FIELD_SECRET},
		{.key = "note", .kind = FIELD_STRING},
		{.key = "lid", .kind = FIELD_UNSIGNED, .flags = FIELD_DEFAULT},
	};
	static const struct schema schema = {.name = "keys", .fields = fields, .field_count = 5};
	static const struct {
		enum column_set set;
		const char *list, *keys;
	} samples[] = {
		{COLUMNS_DEFAULT, NULL, "name,lid"},
		{COLUMNS_ALL, NULL, "name,note,lid"},
		{COLUMNS_DEFAULT, "all", "name,note,lid"},
		{COLUMNS_ALL, "all", "name,note,lid"},
		{COLUMNS_DEFAULT, "+middle_key", "name,lid,middle_key"},
		{COLUMNS_ALL, "first_key", "first_key"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		check_of(&schema, samples[i].set, samples[i].list, samples[i].keys);
}

static uint64_t needs_of(const char *list)
{
	struct columns columns;
	char *bad = NULL;
	uint64_t needs;

	assert_int_equal(columns_select(&columns, &sample_schema, COLUMNS_DEFAULT, list, &bad), 0);
	needs = columns_needs(&columns);
	columns_free(&columns);
	return needs;
}

static void needs(void **state)
{
	(void)state;
	assert_int_equal(needs_of("name,guid"), 0);
	assert_int_equal(needs_of("count"), SAMPLE_NEED_COUNT);
	assert_int_equal(needs_of("double"), SAMPLE_NEED_COUNT);
	assert_int_equal(needs_of(NULL), SAMPLE_NEED_COUNT | SAMPLE_NEED_RATE);
	assert_int_equal(needs_of("leaves"), SAMPLE_NEED_LEAF_WORD);
	assert_int_equal(needs_of("leaves,rate_gbps"), SAMPLE_NEED_LEAF_WORD | SAMPLE_NEED_RATE);
}

/* Selecting keys of a list of records requires only these. */
static void needs_of_some_inner_columns(void **state)
{
	static const struct field fields[] = {
		RECORDS_FIELD(sample_get_leaves, &leaf_schema, "index", "leaves", 8, "the leaves"),
	};
	static const struct schema schema = {
		.name = "trees",
		.version = 1,
		.fields = fields,
		.field_count = ARRAY_SIZE(fields),
	};
	struct columns columns;
	char *bad = NULL;

	(void)state;
	assert_int_equal(columns_select(&columns, &schema, COLUMNS_ALL, NULL, &bad), 0);
	assert_int_equal(columns_needs(&columns), 8);
	columns_free(&columns);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets),
		cmocka_unit_test(plain_lists),
		cmocka_unit_test(additions_and_removals),
		cmocka_unit_test(all_of_them),
		cmocka_unit_test(bad_words),
		cmocka_unit_test(nothing_left),
		cmocka_unit_test(secrets),
		cmocka_unit_test(needs),
		cmocka_unit_test(needs_of_some_inner_columns),
	};

	return cmocka_run_group_tests_name("columns", tests, NULL, NULL);
}
