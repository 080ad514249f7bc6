/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tables, vertical records, TSV, JSON, JSON lines and the JSON Schema of one sample. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <locale.h>
#include <stdio_ext.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "places.h"
#include "render/format.h"
#include "render/metrics.h"
#include "sample.h"

static char *words_of_full[] = {(char[]){"a"}, (char[]){"b"}};
static struct leaf leaves_of_full[] = {
	{{1, true}, (char[]){"oak"}},
	{{0}, NULL},
};

/* Every field is known, with realistic values. */
static const struct sample full = {
	.name = (char[]){"mlx5_0"},
	.count = {42, true},
	.change = {(uint64_t)-5, true},
	.mask = {0x1f, true},
	.guid = {0x0011223344556677, true},
	.state = {4, true},
	.caps = {0x103, true},
	.rate = {2.5, true},
	.up = TRISTATE_YES,
	.gid = {{{0xfe, 0x80, [15] = 1}}, true},
	.ip = {{AF_INET, {10, 9, 0, 1}}, true},
	.words = {words_of_full, 2, true},
	.leaves = leaves_of_full,
	.leaf_count = 2,
	.note = (char[]){""},
};

static const struct sample empty;

static char *print(const struct render_options *options, enum column_set set, const char *list,
		   const struct sample *const *rows, size_t count, const struct problems *problems)
{
	static const struct problems none;
	struct columns columns;
	char *bad = NULL, *text;
	struct document document = {
		.columns = &columns,
		.rows = (const void *const *)rows,
		.row_count = count,
		.problems = problems ? problems : &none,
	};

	assert_int_equal(columns_select(&columns, &sample_schema, set, list, &bad), 0);
	assert_int_equal(render_to_text(options, &document, &text), 0);
	columns_free(&columns);
	return text;
}

#define ROWS(...) ((const struct sample *const[]){__VA_ARGS__})

static void check(enum format format, const char *list, const struct sample *const *rows,
		  size_t count, const char *expected)
{
	const struct render_options options = {.format = format, .headings = true};
	_cleanup_(freep) char *text = print(&options, COLUMNS_DEFAULT, list, rows, count, NULL);

	assert_string_equal(text, expected);
}

static void table(void **state)
{
	(void)state;
	check(FORMAT_TABLE, NULL, ROWS(&full, &empty), 2,
	      "NAME   COUNT RATE Gb/s STATE\n"
	      "mlx5_0    42       2.5 active\n"
	      "-          -         - -\n");
	check(FORMAT_TABLE, "change,mask,up,caps,double", ROWS(&full), 1,
	      "CHANGE MASK   UP  CAPS               DOUBLE\n"
	      "    -5 0x001f yes first,second,ninth     84\n");
	check(FORMAT_TABLE, "guid,gid,ip,words,note", ROWS(&full), 1,
	      "GUID                GID                                     IP       WORDS NOTE\n"
	      "0011:2233:4455:6677 fe80:0000:0000:0000:0000:0000:0000:0001 10.9.0.1 a,b   -\n");
	check(FORMAT_TABLE, NULL, NULL, 0, "");
}

static void table_without_headings(void **state)
{
	const struct render_options options = {.format = FORMAT_TABLE};
	_cleanup_(freep) char *text = print(&options, COLUMNS_DEFAULT, "name,count", ROWS(&full), 1,
					    NULL);

	(void)state;
	assert_string_equal(text, "mlx5_0 42\n");
}

static void table_colors(void **state)
{
	const struct render_options options = {
		.format = FORMAT_TABLE, .headings = true, .color = true};
	struct sample down = full;
	_cleanup_(freep) char *good = NULL, *bad = NULL, *plain = NULL;

	(void)state;
	down.state = number_of(1);
	good = print(&options, COLUMNS_DEFAULT, "name,state", ROWS(&full), 1, NULL);
	bad = print(&options, COLUMNS_DEFAULT, "name,state", ROWS(&down), 1, NULL);
	plain = print(&options, COLUMNS_DEFAULT, "name,state", ROWS(&empty), 1, NULL);
	assert_non_null(strstr(good, "\033[32mactive\033[0m"));
	assert_non_null(strstr(bad, "\033[31mdown\033[0m"));
	/* Neither the name nor an unknown value has a colour. */
	assert_null(strstr(good, "\033[32mmlx5_0"));
	assert_null(strchr(plain, '\033'));
}

/* Foreign characters are shown unchanged, and do not shift the columns. */
static void table_of_foreign_text(void **state)
{
	const struct render_options colored = {
		.format = FORMAT_TABLE, .headings = true, .color = true};
	struct sample foreign = {.name = (char[]){"Gr\xc3\xbc\xc3\x9f"}, .count = number_of(1)};
	struct sample wide = {.name = (char[]){"\xe6\x97\xa5\xe6\x9c\xac"}, .state = number_of(4)};
	struct sample narrow = {.name = (char[]){"mlx5_0"}, .count = number_of(2)};
	_cleanup_(freep) char *text = NULL;

	(void)state;
	check(FORMAT_TABLE, "name,count", ROWS(&narrow, &foreign, &empty), 3,
	      "NAME   COUNT\n"
	      "mlx5_0     2\n"
	      "Gr\xc3\xbc\xc3\x9f       1\n"
	      "-          -\n");
	/* Each of these characters takes two columns on the screen. */
	text = print(&colored, COLUMNS_DEFAULT, "name,state", ROWS(&narrow, &wide), 2, NULL);
	assert_string_equal(text, "NAME   STATE\n"
				  "mlx5_0 -\n"
				  "\xe6\x97\xa5\xe6\x9c\xac   \033[32mactive\033[0m\n");
}

/* Wide characters take two columns, combining ones none, whatever the user's locale. */
static void table_in_any_locale(void **state)
{
	static const char *const locales[] = {"C", "C.UTF-8"};
	struct sample foreign = {.name = (char[]){"Gr\xc3\xbc\xc3\x9f"}, .count = number_of(1)};
	struct sample wide = {.name = (char[]){"\xe6\x97\xa5\xe6\x9c\xac"}, .count = number_of(2)};
	/* u and U+0308 COMBINING DIAERESIS */
	struct sample combining = {.name = (char[]){"Gru\xcc\x88n"}, .count = number_of(3)};
	/* U+1F600, outside the basic plane */
	struct sample face = {.name = (char[]){"\xf0\x9f\x98\x80"}, .count = number_of(4)};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(locales); i++) {
		assert_non_null(setlocale(LC_ALL, locales[i]));
		check(FORMAT_TABLE, "name,count", ROWS(&full, &foreign, &wide, &combining, &face),
		      5,
		      "NAME   COUNT\n"
		      "mlx5_0    42\n"
		      "Gr\xc3\xbc\xc3\x9f       1\n"
		      "\xe6\x97\xa5\xe6\x9c\xac       2\n"
		      "Gru\xcc\x88n       3\n"
		      "\xf0\x9f\x98\x80         4\n");
		assert_string_equal(setlocale(LC_ALL, NULL), locales[i]);
	}
	setlocale(LC_ALL, "C");
}

/* Escapes of text_clean() are not escaped again, with or without foreign text beside it. */
static void table_of_escaped_text(void **state)
{
	struct sample escaped = {.name = (char[]){"a\\x1b[31m"}, .count = number_of(1)};
	struct sample foreign = {.name = (char[]){"\xc3\xbc\\x1b"}, .count = number_of(2)};

	(void)state;
	check(FORMAT_TABLE, "name,count", ROWS(&escaped), 1,
	      "NAME      COUNT\n"
	      "a\\x1b[31m     1\n");
	check(FORMAT_TABLE, "name,count", ROWS(&escaped, &foreign), 2,
	      "NAME      COUNT\n"
	      "a\\x1b[31m     1\n"
	      "\xc3\xbc\\x1b         2\n");
}

static void vertical_record(void **state)
{
	const struct render_options options = {.format = FORMAT_RECORD};
	_cleanup_(freep) char *text = print(&options, COLUMNS_ALL,
					    "name,count,rate_gbps,words,caps,up,leaves,note",
					    ROWS(&full, &empty), 2, NULL);

	(void)state;
	assert_string_equal(text, "name       mlx5_0\n"
				  "count      42\n"
				  "rate_gbps  2.5\n"
				  "words      a b\n"
				  "caps       first second ninth\n"
				  "up         yes\n"
				  "leaves[0]\n"
				  "  index  1\n"
				  "  word   oak\n"
				  "leaves[1]\n"
				  "  index  -\n"
				  "  word   -\n"
				  "note       -\n"
				  "\n"
				  "name       -\n"
				  "count      -\n"
				  "rate_gbps  -\n"
				  "words      -\n"
				  "caps       -\n"
				  "up         -\n"
				  "note       -\n");
}

static void tab_separated(void **state)
{
	const struct render_options bare = {.format = FORMAT_TSV};
	_cleanup_(freep) char *text = NULL;

	(void)state;
	check(FORMAT_TSV, NULL, ROWS(&full, &empty), 2,
	      "name\tcount\trate_gbps\tstate\n"
	      "mlx5_0\t42\t2.5\tactive\n"
	      "\t\t\t\n");
	check(FORMAT_TSV, "words,up,note,caps", ROWS(&full), 1,
	      "words\tup\tnote\tcaps\n"
	      "a,b\tyes\t\tfirst,second,ninth\n");
	check(FORMAT_TSV, "name", NULL, 0, "name\n");
	text = print(&bare, COLUMNS_DEFAULT, "name,count", ROWS(&full), 1, NULL);
	assert_string_equal(text, "mlx5_0\t42\n");
}

static json_t *parse_json(const char *text)
{
	json_error_t error;
	/* Numbers above INT64_MAX are valid JSON, but too large for jansson's integers. */
	json_t *document = json_loads(text, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL,
				      &error);

	if (!document)
		fail_msg("%d: %s: %s", error.line, error.text, text);
	return document;
}

/* Returns one sample as a JSON document with that list of keys. */
static char *print_json(const char *list, const struct sample *sample)
{
	const struct render_options options = {.format = FORMAT_JSON};

	return print(&options, COLUMNS_ALL, list, &sample, 1, NULL);
}

static void check_json(const char *list, const struct sample *sample, const char *expected)
{
	_cleanup_(freep) char *text = print_json(list, sample);
	_cleanup_(freep) char *whole = mem_format("{\"schema\": \"rdmactl/samples/2\",\n"
						  " \"samples\": [\n"
						  "  {%s}],\n"
						  " \"problems\": []}\n",
						  expected);

	json_decref(parse_json(text));
	assert_string_equal(text, whole);
}

static void json_known(void **state)
{
	(void)state;
	check_json(NULL, &full,
		   "\"name\": \"mlx5_0\", \"count\": 42, \"change\": -5, \"mask\": \"0x001f\", "
		   "\"rate_gbps\": 2.5, \"up\": true, \"state\": \"active\", "
		   "\"caps\": [\"first\", \"second\", \"ninth\"], "
		   "\"guid\": \"0011:2233:4455:6677\", "
		   "\"gid\": \"fe80:0000:0000:0000:0000:0000:0000:0001\", \"ip\": \"10.9.0.1\", "
		   "\"words\": [\"a\", \"b\"], \"double\": 84, "
		   "\"leaves\": [{\"index\": 1, \"word\": \"oak\"}, "
		   "{\"index\": null, \"word\": null}], \"note\": \"\"");
}

/* An unknown value is never 0, false or a missing key. */
static void json_unknown(void **state)
{
	(void)state;
	check_json(NULL, &empty,
		   "\"name\": null, \"count\": null, \"change\": null, \"mask\": null, "
		   "\"rate_gbps\": null, \"up\": null, \"state\": null, \"caps\": null, "
		   "\"guid\": null, \"gid\": null, \"ip\": null, \"words\": null, "
		   "\"double\": null, \"leaves\": [], \"note\": null");
}

static void json_numbers(void **state)
{
	struct sample sample = {.count = number_of(UINT64_MAX), .change = number_of(1)};

	(void)state;
	check_json("count", &sample, "\"count\": 18446744073709551615");
	sample.count = number_of((uint64_t)INT64_MAX + 1);
	check_json("count", &sample, "\"count\": 9223372036854775808");
	sample.count = number_of(0);
	check_json("count", &sample, "\"count\": 0");
	sample.change = number_of((uint64_t)INT64_MIN);
	check_json("change", &sample, "\"change\": -9223372036854775808");
	sample.rate = (struct real){100, true};
	check_json("rate_gbps", &sample, "\"rate_gbps\": 100");
	sample.rate = (struct real){0.1, true};
	check_json("rate_gbps", &sample, "\"rate_gbps\": 0.1");
	/* JSON cannot express these numbers. */
	sample.rate = (struct real){NAN, true};
	check_json("rate_gbps", &sample, "\"rate_gbps\": null");
	sample.rate = (struct real){INFINITY, true};
	check_json("rate_gbps", &sample, "\"rate_gbps\": null");
	sample.up = TRISTATE_NO;
	check_json("up", &sample, "\"up\": false");
	sample.words.known = true;
	check_json("words", &sample, "\"words\": []");
}

/* The text is read back as `expected`, and the document has no raw control byte. */
static void check_json_text(const char *name, const char *expected)
{
	_cleanup_(freep) char *copy = mem_string(name);
	const struct sample sample = {.name = copy};
	_cleanup_(freep) char *text = print_json("name", &sample);
	json_t *document = parse_json(text);
	const json_t *first = json_array_get(json_object_get(document, "samples"), 0);

	assert_string_equal(json_string_value(json_object_get(first, "name")), expected);
	for (const char *c = text; *c; c++)
		assert_true((unsigned char)*c >= 0x20 || *c == '\n');
	json_decref(document);
}

static void json_hostile_text(void **state)
{
	char *items[] = {(char[]){"\x80"}, (char[]){"b"}};
	const struct sample sample = {.words = {items, 2, true}};

	(void)state;
	/* Invalid UTF-8 is never written as it is, and the key does not vanish. */
	check_json_text("\xff\xc0\xaf \xed\xa0\x80", "\\xff\\xc0\\xaf \\xed\\xa0\\x80");
	check_json_text("\xe2\x82", "\\xe2\\x82");
	check_json_text("\033[31m\n\t\r\x01", "\\x1b[31m\\x0a\\x09\\x0d\\x01");
	check_json_text("\"},{\"a\\\":", "\"},{\"a\\\":");
	check_json_text("Gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80",
			"Gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80");
	check_json("words", &sample, "\"words\": [\"\\\\x80\", \"b\"]");
}

static void json_document(void **state)
{
	const struct render_options options = {.format = FORMAT_JSON};
	struct problems problems = {0};
	_cleanup_(freep) char *text = NULL, *nothing = NULL;
	json_t *document;

	(void)state;
	problem_add_text(&problems, "mlx5_0/1", "rate", "sysfs", "Invalid argument", NULL);
	problem_add_text(&problems, NULL, NULL, NULL, "\xff\"", "be root");
	text = print(&options, COLUMNS_ALL, "name", ROWS(&full, &empty, &full), 3, &problems);
	assert_string_equal(
		text,
		"{\"schema\": \"rdmactl/samples/2\",\n"
		" \"samples\": [\n"
		"  {\"name\": \"mlx5_0\"},\n"
		"  {\"name\": null},\n"
		"  {\"name\": \"mlx5_0\"}],\n"
		" \"problems\": [\n"
		"  {\"object\": \"mlx5_0/1\", \"attribute\": \"rate\", \"source\": \"sysfs\", "
		"\"error\": \"Invalid argument\", \"hint\": null},\n"
		"  {\"object\": null, \"attribute\": null, \"source\": null, "
		"\"error\": \"\\\\xff\\\"\", \"hint\": \"be root\"}]}\n");
	document = parse_json(text);
	assert_int_equal(json_array_size(json_object_get(document, "samples")), 3);
	json_decref(document);
	nothing = print(&options, COLUMNS_ALL, NULL, NULL, 0, NULL);
	assert_string_equal(nothing, "{\"schema\": \"rdmactl/samples/2\",\n"
				     " \"samples\": [],\n"
				     " \"problems\": []}\n");
	problems_free(&problems);
}

static void json_lines(void **state)
{
	const struct render_options options = {.format = FORMAT_JSONL, .headings = true};
	_cleanup_(freep) char *text = print(&options, COLUMNS_ALL, "name,count",
					    ROWS(&full, &empty), 2, NULL);
	_cleanup_(freep) char *nothing = print(&options, COLUMNS_ALL, NULL, NULL, 0, NULL);

	(void)state;
	assert_string_equal(text, "{\"name\": \"mlx5_0\", \"count\": 42}\n"
				  "{\"name\": null, \"count\": null}\n");
	assert_string_equal(nothing, "");
}

/* A nested list that shows some of its keys. */
static void json_inner_columns(void **state)
{
	static const struct field fields[] = {
		RECORDS_FIELD(sample_get_leaves, &leaf_schema, "word", "leaves", 0, "the leaves"),
	};
	static const struct schema schema = {
		.name = "trees",
		.version = 1,
		.summary = "a tree",
		.fields = fields,
		.field_count = ARRAY_SIZE(fields),
	};
	static const struct problems none;
	const struct render_options options = {.format = FORMAT_JSONL};
	const void *rows[] = {&full};
	struct columns columns;
	_cleanup_(freep) char *text = NULL;
	char *bad = NULL;

	(void)state;
	assert_int_equal(columns_select(&columns, &schema, COLUMNS_ALL, NULL, &bad), 0);
	assert_int_equal(
		render_to_text(&options, &(struct document){&columns, rows, 1, &none}, &text), 0);
	assert_string_equal(text, "{\"leaves\": [{\"word\": \"oak\"}, {\"word\": null}]}\n");
	columns_free(&columns);
}

/* The line breaks of a text for a file are line breaks in JSON alone. */
static void lines_of_a_file(void **state)
{
	static const struct field fields[] = {
		STRING_FIELD(struct sample, note, "note", "NOTE", FIELD_DEFAULT | FIELD_LINES, 0,
			     "a text for a file"),
	};
	static const struct schema schema = SCHEMA("notes", struct sample, fields, "a note");
	static const char *const expected[] = {
		[FORMAT_TABLE] = "NOTE\na\\x0ab\n",
		[FORMAT_RECORD] = "note  a\\x0ab\n",
		[FORMAT_TSV] = "note\na\\x0ab\n",
		[FORMAT_JSONL] = "{\"note\": \"a\\nb\"}\n",
	};
	const struct sample sample = {.note = (char[]){"a\nb"}};
	struct columns columns = columns_of(&schema, COLUMNS_ALL);
	const void *rows[] = {&sample};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		const struct render_options options = {.format = (enum format)i, .headings = true};
		const struct document document = {
			.columns = &columns, .rows = rows, .row_count = 1};
		_cleanup_(freep) char *text = NULL;

		if (!expected[i])
			continue;
		assert_int_equal(render_to_text(&options, &document, &text), 0);
		assert_string_equal(text, expected[i]);
	}
	columns_free(&columns);
}

/* JSON has no place for a byte that is not UTF-8. */
static void schema_without_document(void **state)
{
	struct schema schema = sample_schema;
	const struct columns columns = {.schema = &schema};
	FILE *out = tmpfile();

	(void)state;
	assert_non_null(out);
	schema.summary = "\xff";
	assert_int_equal(render_json_schema(out, &columns), -EIO);
	fclose(out);
}

static json_t *print_schema(const char *list)
{
	struct columns columns;
	_cleanup_(freep) char *text = NULL;
	char *bad = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	assert_int_equal(columns_select(&columns, &sample_schema, COLUMNS_ALL, list, &bad), 0);
	assert_int_equal(render_json_schema(out, &columns), 0);
	fclose(out);
	columns_free(&columns);
	assert_int_equal(text[strlen(text) - 1], '\n');
	return parse_json(text);
}

/* Compares the value at a path of keys, as compact JSON. */
static void check_at(const json_t *document, const char *path, const char *expected)
{
	_cleanup_(freep) char *copy = mem_string(path);
	_cleanup_(freep) char *text = NULL;
	char *rest = copy, *key;

	while ((key = strsep(&rest, "/"))) {
		document = json_is_array(document) ? json_array_get(document, (size_t)atoi(key))
						   : json_object_get(document, key);
		if (!document)
			fail_msg("no %s in %s", key, path);
	}
	text = json_dumps(document, JSON_ENCODE_ANY | JSON_COMPACT);
	assert_string_equal(text, expected);
}

#define RECORD "properties/samples/items/properties/"

static void json_schema(void **state)
{
	json_t *schema = print_schema(NULL);

	(void)state;
	check_at(schema, "$schema", "\"https://json-schema.org/draft/2020-12/schema\"");
	check_at(schema, "$id", "\"rdmactl/samples/2\"");
	check_at(schema, "properties/schema/const", "\"rdmactl/samples/2\"");
	check_at(schema, "required", "[\"schema\",\"samples\",\"problems\"]");
	check_at(schema, "properties/samples/items/required",
		 "[\"name\",\"count\",\"change\",\"mask\",\"rate_gbps\",\"up\",\"state\",\"caps\","
		 "\"guid\",\"gid\",\"ip\",\"words\",\"double\",\"leaves\",\"note\"]");
	check_at(schema, RECORD "name/type", "[\"string\",\"null\"]");
	check_at(schema, RECORD "name/description", "\"the name\"");
	check_at(schema, RECORD "count/type", "[\"integer\",\"null\"]");
	check_at(schema, RECORD "count/minimum", "0.0");
	check_at(schema, RECORD "change/type", "[\"integer\",\"null\"]");
	check_at(schema, RECORD "rate_gbps/type", "[\"number\",\"null\"]");
	check_at(schema, RECORD "up/type", "[\"boolean\",\"null\"]");
	check_at(schema, RECORD "double/type", "[\"integer\",\"null\"]");
	check_at(schema, RECORD "mask/pattern", "\"^0x[0-9a-f]+$\"");
	check_at(schema, RECORD "guid/pattern", "\"^[0-9a-f]{4}(:[0-9a-f]{4}){3}$\"");
	check_at(schema, RECORD "gid/pattern", "\"^[0-9a-f]{4}(:[0-9a-f]{4}){7}$\"");
	check_at(schema, RECORD "ip/type", "[\"string\",\"null\"]");
	check_at(schema, RECORD "words/type", "[\"array\",\"null\"]");
	check_at(schema, RECORD "words/items/type", "\"string\"");
	check_at(schema, RECORD "caps/items/type", "\"string\"");
	check_at(schema, RECORD "state/anyOf/0/enum", "[\"down\",\"active\"]");
	check_at(schema, RECORD "state/anyOf/1/pattern", "\"^unknown-[0-9]+$\"");
	check_at(schema, RECORD "state/anyOf/2/type", "\"null\"");
	check_at(schema, RECORD "leaves/items/required", "[\"index\",\"word\"]");
	check_at(schema, RECORD "leaves/items/properties/index/type", "[\"integer\",\"null\"]");
	check_at(schema, "properties/problems/items/required",
		 "[\"object\",\"attribute\",\"source\",\"error\",\"hint\"]");
	json_decref(schema);
	schema = print_schema("guid");
	check_at(schema, "properties/samples/items/required", "[\"guid\"]");
	json_decref(schema);
}

static void check_value(const struct value *value, const char *separator, const char *expected)
{
	struct text text;

	format_value(value, separator, &text);
	if (expected)
		assert_string_equal(text.string, expected);
	else
		assert_null(text.string);
	text_release(&text);
}

static void one_value_as_text(void **state)
{
	struct value value = {.kind = VALUE_LIST};

	(void)state;
	value.list.items = value.words;
	check_value(&value, ",", "");
	value.words[0] = "a";
	value.words[1] = "";
	value.words[2] = "c";
	value.list.count = 3;
	check_value(&value, "; ", "a; ; c");
	value = (struct value){.kind = VALUE_NONE};
	check_value(&value, ",", NULL);
	value = (struct value){.kind = VALUE_UNSIGNED, .number = UINT64_MAX};
	check_value(&value, ",", "18446744073709551615");
	value.number = 0;
	check_value(&value, ",", "0");
	value = (struct value){.kind = VALUE_SIGNED, .integer = INT64_MIN};
	check_value(&value, ",", "-9223372036854775808");
	value = (struct value){.kind = VALUE_REAL, .real = -1.7976931348623157e308};
	check_value(&value, ",", "-1.79769313486232e+308");
	value = (struct value){.kind = VALUE_REAL, .real = 100};
	check_value(&value, ",", "100");
	value.real = 3961.958491;
	check_value(&value, ",", "3961.96");
	value.real = 1e6;
	check_value(&value, ",", "1000000");
	value.real = 1234567.89;
	check_value(&value, ",", "1234568");
	/*
	 * Bytes per second of 400 Gb/s and of 1600 Gb/s, and the largest number written that way.
	 */
	value.real = 49876543210.5;
	check_value(&value, ",", "49876543210");
	value.real = 2e11;
	check_value(&value, ",", "200000000000");
	/* A number that gains a digit by rounding is not written with an exponent, either. */
	value.real = 999999.7;
	check_value(&value, ",", "1000000");
	value.real = -9999999.6;
	check_value(&value, ",", "-10000000");
	value.real = 999999.4;
	check_value(&value, ",", "999999");
	value.real = 123456789012345;
	check_value(&value, ",", "123456789012345");
	value.real = 1e15;
	check_value(&value, ",", "1e+15");
	value.real = 4.598031234e-05;
	check_value(&value, ",", "0.0000459803");
	value.real = -2.5e-9;
	check_value(&value, ",", "-0.0000000025");
	value.real = 0.00012;
	check_value(&value, ",", "0.00012");
	value.real = 1e-300;
	check_value(&value, ",", "1e-300");
	value = (struct value){.kind = VALUE_BOOL, .boolean = false};
	check_value(&value, ",", "no");
	value.boolean = true;
	check_value(&value, ",", "yes");
	value = (struct value){.kind = VALUE_RECORDS, .records = {NULL, 12}};
	check_value(&value, ",", "12");
}

/* A failed write is reported, even if it was noticed before the end. */
static void lost_output(void **state)
{
	FILE *full_device = has_full_device() ? fopen("/dev/full", "we") : NULL;
	const struct metrics nothing = {.count = 0};

	(void)state;
	if (!full_device)
		skip();
	render_text(full_device, "a line\n");
	assert_int_equal(file_flush(full_device), -ENOSPC);
	clearerr(full_device);
	/* The text exceeds the buffer: the write fails midway, and the later flush succeeds. */
	for (int i = 0; i < 10000; i++)
		render_text(full_device, "many lines\n");
	__fpurge(full_device);
	assert_int_equal(render_metrics(full_device, &nothing, METRICS_PROMETHEUS), -ENOSPC);
	assert_int_equal(file_flush(full_device), -ENOSPC);
	/* A later, unrelated error is not taken for the cause. */
	errno = ENOENT;
	assert_int_equal(file_flush(full_device), -EIO);
	clearerr(full_device);
	errno = ENOSPC;
	assert_int_equal(file_flush(full_device), 0);
	fclose(full_device);
}

static void versions(void **state)
{
	(void)state;
	assert_string_equal(render_json_built_version(), JANSSON_VERSION);
	assert_non_null(render_json_running_version());
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(table),
		cmocka_unit_test(table_without_headings),
		cmocka_unit_test(table_colors),
		cmocka_unit_test(table_of_foreign_text),
		cmocka_unit_test(table_of_escaped_text),
		cmocka_unit_test(table_in_any_locale),
		cmocka_unit_test(vertical_record),
		cmocka_unit_test(tab_separated),
		cmocka_unit_test(json_known),
		cmocka_unit_test(json_unknown),
		cmocka_unit_test(json_numbers),
		cmocka_unit_test(json_hostile_text),
		cmocka_unit_test(json_document),
		cmocka_unit_test(json_lines),
		cmocka_unit_test(json_inner_columns),
		cmocka_unit_test(json_schema),
		cmocka_unit_test(schema_without_document),
		cmocka_unit_test(lines_of_a_file),
		cmocka_unit_test(one_value_as_text),
		cmocka_unit_test(lost_output),
		cmocka_unit_test(versions),
	};

	return cmocka_run_group_tests_name("render", tests, NULL, NULL);
}
