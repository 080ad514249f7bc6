/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Option tables: every kind of value, and every way to get one wrong. */
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
#include "cli/option.h"

struct args {
	bool all, brief, secret;
	const char *name, *file;
	struct number when, time, count, size, kinds, few, brief_time, later, some, depth;
	struct real rate;
};

static const struct enum_name whens[] = {{0, "never"}, {1, "always"}, {0, NULL}};

static const struct enum_name kinds[] = {{1, "one"}, {2, "two"}, {8, "more"}, {0, NULL}};

static const struct option_row first_rows[] = {
	FLAG_OPTION(struct args, all, 'a', "all", "everything"),
	FLAG_OPTION(struct args, brief, 'b', "brief", "less"),
	STRING_OPTION(struct args, name, 'n', "name", "NAME", COMPLETE_NOTHING, "a name"),
	CHOICE_OPTION(struct args, when, 'w', "when", "WHEN", whens, "a choice"),
	{.name = NULL},
};

static const struct option_row second_rows[] = {
	DURATION_OPTION(struct args, time, 0, "time", "TIME", "a duration"),
	{.name = "count",
	 .kind = OPTION_COUNT,
	 .metavar = "N",
	 .help = "a number",
	 .offset = offsetof(struct args, count)},
	NUMBER_OPTION(SIZE, struct args, size, 's', "size", "SIZE", 0, 0, "a size"),
	NUMBER_OPTION(COUNT, struct args, few, 0, "few", "N", 2, 5, "a number within limits"),
	NUMBER_OPTION(DURATION, struct args, brief_time, 0, "brief-time", "TIME", 1, 7200000,
		      "a duration within limits"),
	NUMBER_OPTION(DURATION, struct args, later, 0, "later", "TIME", 1500, 5400000,
		      "a duration with limits that are no whole hours"),
	NUMBER_OPTION(SIZE, struct args, some, 0, "some", "SIZE", 4096, 0, "a size, not small"),
	{.name = "depth",
	 .kind = OPTION_COUNT,
	 .metavar = "N",
	 .help = "a number, or a word",
	 .choices = whens,
	 .least = 8,
	 .most = 9,
	 .offset = offsetof(struct args, depth)},
	CHOICES_OPTION(struct args, kinds, 0, "kinds", "LIST", kinds, "some of them"),
	REAL_OPTION(struct args, rate, 0, "rate", "N", "a rate"),
	STRING_OPTION(struct args, file, 0, "file", "FILE", COMPLETE_FILE, "a file"),
	FLAG_OPTION(struct args, secret, 0, "secret", "a flag"),
	{.name = NULL},
};

/* Two tables with one struct each, like the global options and those of a command. */
struct parsed {
	struct args first, second;
	struct option_set sets[2];
	char *words[16];
	int count;
	int rc;
	char *message, *hint;
};

/* Parses the words after the program's name, given as one text with blanks between. */
static void parse(struct parsed *parsed, char *text, bool stop_at_word)
{
	*parsed = (struct parsed){.count = 1};
	parsed->sets[0] = (struct option_set){first_rows, &parsed->first};
	parsed->sets[1] = (struct option_set){second_rows, &parsed->second};
	parsed->words[0] = (char[]){"rdmactl"};
	for (char *word; (word = strsep(&text, " "));)
		parsed->words[parsed->count++] = word;
	parsed->rc = options_parse(parsed->count, parsed->words, parsed->sets, 2, stop_at_word,
				   &parsed->message, &parsed->hint);
	if (parsed->rc >= 0) {
		assert_null(parsed->message);
		assert_null(parsed->hint);
	}
}

static void release(struct parsed *parsed)
{
	free(parsed->message);
	free(parsed->hint);
}

#define PARSE(parsed, text) parse(parsed, (char[]){text}, false)

static void flags(void **state)
{
	struct parsed parsed;

	(void)state;
	PARSE(&parsed, "-a");
	assert_int_equal(parsed.rc, 2);
	assert_true(parsed.first.all);
	assert_false(parsed.first.brief);
	PARSE(&parsed, "--brief --secret");
	assert_int_equal(parsed.rc, 3);
	assert_true(parsed.first.brief);
	assert_true(parsed.second.secret);
	PARSE(&parsed, "-ab");
	assert_true(parsed.first.all && parsed.first.brief);
	PARSE(&parsed, "-a -a");
	assert_true(parsed.first.all);
}

static void strings(void **state)
{
	struct parsed parsed;

	(void)state;
	PARSE(&parsed, "-n x");
	assert_string_equal(parsed.first.name, "x");
	PARSE(&parsed, "-nx");
	assert_string_equal(parsed.first.name, "x");
	PARSE(&parsed, "-abnx");
	assert_true(parsed.first.all && parsed.first.brief);
	assert_string_equal(parsed.first.name, "x");
	PARSE(&parsed, "--name=x=y");
	assert_string_equal(parsed.first.name, "x=y");
	PARSE(&parsed, "--name=");
	assert_string_equal(parsed.first.name, "");
	/* A value may look like an option, and the last one counts. */
	PARSE(&parsed, "--name=--all --name -b");
	assert_string_equal(parsed.first.name, "-b");
	assert_false(parsed.first.all);
	assert_false(parsed.first.brief);
	/* But two dashes are taken as a value only if no option has the name. */
	PARSE(&parsed, "--name --al");
	assert_string_equal(parsed.first.name, "--al");
	PARSE(&parsed, "--name --");
	assert_string_equal(parsed.first.name, "--");
	PARSE(&parsed, "-n --all-of-them");
	assert_string_equal(parsed.first.name, "--all-of-them");
	PARSE(&parsed, "--name=--all");
	assert_string_equal(parsed.first.name, "--all");
	PARSE(&parsed, "-n--all");
	assert_string_equal(parsed.first.name, "--all");
	PARSE(&parsed, "--file x --name=");
	assert_string_equal(parsed.first.name, "");
	PARSE(&parsed, "--file x --name y");
	assert_string_equal(parsed.second.file, "x");
	assert_string_equal(parsed.first.name, "y");
	assert_null(parsed.first.file);
}

static void choices(void **state)
{
	struct parsed parsed;

	(void)state;
	PARSE(&parsed, "--when never");
	assert_true(parsed.first.when.known);
	assert_int_equal(parsed.first.when.value, 0);
	PARSE(&parsed, "-walways");
	assert_int_equal(parsed.first.when.value, 1);
}

static void durations(void **state)
{
	static const struct {
		const char *text;
		uint64_t milliseconds;
	} samples[] = {
		{"0", 0},
		{"1", 1000},
		{"2s", 2000},
		{"500ms", 500},
		{"1m", 60000},
		{"2h", 7200000},
		{"4294967295h", UINT64_C(4294967295) * 3600000},
		{"7d", 7 * 86400000},
		{"007s", 7000},
		{"0.2", 200},
		{"1.5s", 1500},
		{"0.50m", 30000},
		{"0.001", 1},
		{"12.0ms", 12},
		{"1.00000000", 1000}, /* nine digits, the most */
		{"12345678.5", 12345678500},
	};
	struct parsed parsed;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		_cleanup_(freep) char *text = mem_format("--time=%s", samples[i].text);

		parse(&parsed, text, false);
		assert_int_equal(parsed.rc, 2);
		assert_true(parsed.second.time.known);
		assert_true(parsed.second.time.value == samples[i].milliseconds);
	}
}

static void counts(void **state)
{
	struct parsed parsed;

	(void)state;
	PARSE(&parsed, "--count 0");
	assert_true(parsed.second.count.known);
	assert_int_equal(parsed.second.count.value, 0);
	PARSE(&parsed, "--count=4294967295");
	assert_true(parsed.second.count.value == UINT32_MAX);
}

static void sizes(void **state)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} samples[] = {
		{"0", 0},
		{"64", 64},
		{"4k", 4096},
		{"4K", 4096},
		{"1m", 1 << 20},
		{"3G", UINT64_C(3) << 30},
		{"1024g", UINT64_C(1) << 40},
		{"1099511627776", UINT64_C(1) << 40},
		{"4294967296", UINT64_C(1) << 32},
	};
	struct parsed parsed;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		_cleanup_(freep) char *text = mem_format("--size=%s", samples[i].text);

		parse(&parsed, text, false);
		assert_int_equal(parsed.rc, 2);
		assert_true(parsed.second.size.known);
		assert_true(parsed.second.size.value == samples[i].bytes);
	}
}

static void reals(void **state)
{
	static const struct {
		const char *text;
		double value;
	} samples[] = {{"3", 3},
		       {"2.5", 2.5},
		       {"0.125", 0.125},
		       {"100.0", 100},
		       {"123456789012345", 123456789012345},
		       {"90.07", 90.07},
		       {"0.12", 0.12},
		       {"0.12345678901234", 0.12345678901234}};
	struct parsed parsed;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		_cleanup_(freep) char *text = mem_format("--rate=%s", samples[i].text);

		parse(&parsed, text, false);
		assert_int_equal(parsed.rc, 2);
		assert_true(parsed.second.rate.known);
		assert_true(parsed.second.rate.value == samples[i].value);
	}
}

static void several_choices(void **state)
{
	struct parsed parsed;

	(void)state;
	PARSE(&parsed, "--kinds two");
	assert_int_equal(parsed.second.kinds.value, 2);
	PARSE(&parsed, "--kinds more,one,more");
	assert_int_equal(parsed.second.kinds.value, 9);
}

static void limits(void **state)
{
	struct parsed parsed;

	(void)state;
	PARSE(&parsed, "--few 2");
	assert_int_equal(parsed.second.few.value, 2);
	PARSE(&parsed, "--few 5");
	assert_int_equal(parsed.second.few.value, 5);
	PARSE(&parsed, "--brief-time 2h");
	assert_int_equal(parsed.second.brief_time.value, 7200000);
	PARSE(&parsed, "--later 1.5 --some 4k");
	assert_int_equal(parsed.second.later.value, 1500);
	assert_int_equal(parsed.second.some.value, 4096);
	PARSE(&parsed, "--later 1.5h --some 1024g");
	assert_int_equal(parsed.second.later.value, 5400000);
	assert_true(parsed.second.some.value == UINT64_C(1) << 40);
	/* A word may represent a number outside the limits. */
	PARSE(&parsed, "--depth always");
	assert_int_equal(parsed.second.depth.value, 1);
	PARSE(&parsed, "--depth 9");
	assert_int_equal(parsed.second.depth.value, 9);
}

static void given(void **state)
{
	struct parsed parsed;
	size_t count = 0;

	(void)state;
	PARSE(&parsed, "--size 0 --rate 1 --kinds one --file x --secret");
	for (size_t i = 0; i < ARRAY_SIZE(second_rows); i++)
		count += option_given(&second_rows[i], &parsed.second);
	assert_int_equal(count, 5);
	assert_false(option_given(option_find(parsed.sets, 2, "--count"), &parsed.second));
	assert_true(option_given(option_find(parsed.sets, 2, "--size"), &parsed.second));
}

static void words(void **state)
{
	struct parsed parsed;

	(void)state;
	PARSE(&parsed, "one -a two --name x three");
	assert_int_equal(parsed.rc, 4);
	assert_string_equal(parsed.words[4], "one");
	assert_string_equal(parsed.words[5], "two");
	assert_string_equal(parsed.words[6], "three");
	assert_true(parsed.first.all);
	PARSE(&parsed, "-a -- -b --nope");
	assert_int_equal(parsed.rc, 3);
	assert_string_equal(parsed.words[3], "-b");
	assert_false(parsed.first.brief);
	PARSE(&parsed, "one -- two");
	assert_int_equal(parsed.rc, 2);
	assert_string_equal(parsed.words[2], "one");
	assert_string_equal(parsed.words[3], "two");
	/* A lone - is a word. */
	PARSE(&parsed, "- -a");
	assert_int_equal(parsed.rc, 2);
	assert_string_equal(parsed.words[2], "-");
	assert_true(parsed.first.all);
	parsed.count = options_parse(1, parsed.words, parsed.sets, 2, false, &parsed.message,
				     &parsed.hint);
	assert_int_equal(parsed.count, 1);
}

static void stop_at_word(void **state)
{
	struct parsed parsed;

	(void)state;
	parse(&parsed, (char[]){"-a ports -b --nope"}, true);
	assert_int_equal(parsed.rc, 2);
	assert_true(parsed.first.all);
	assert_false(parsed.first.brief);
	assert_string_equal(parsed.words[2], "ports");
	parse(&parsed, (char[]){"--name x -- -b"}, true);
	assert_int_equal(parsed.rc, 4);
	/* The next parser starts afresh, and mixes words and options again. */
	PARSE(&parsed, "one -b");
	assert_true(parsed.first.brief);
	assert_int_equal(parsed.rc, 2);
}

static void check_bad(const char *text, const char *message, const char *hint)
{
	_cleanup_(freep) char *copy = mem_string(text);
	struct parsed parsed;

	parse(&parsed, copy, false);
	assert_int_equal(parsed.rc, -EINVAL);
	assert_string_equal(parsed.message, message);
	if (hint)
		assert_string_equal(parsed.hint, hint);
	else
		assert_null(parsed.hint);
	release(&parsed);
}

static void unknown_options(void **state)
{
	(void)state;
	check_bad("--nope", "unknown option '--nope'", NULL);
	check_bad("--nope=1", "unknown option '--nope=1'", NULL);
	check_bad("--breif", "unknown option '--breif'", "did you mean '--brief'?");
	check_bad("--coutn=3", "unknown option '--coutn=3'", "did you mean '--count'?");
	check_bad("one --breif two", "unknown option '--breif'", "did you mean '--brief'?");
	check_bad("--=3", "unknown option '--=3'", NULL);
	check_bad("-x", "unknown option '-x'", NULL);
	check_bad("-abx", "unknown option '-x'", NULL);
	check_bad("-xab", "unknown option '-x'", NULL);
	check_bad("-?", "unknown option '-?'", NULL);
	check_bad("-:", "unknown option '-:'", NULL);
	check_bad("---all", "unknown option '---all'", "did you mean '--all'?");
	check_bad("--\033[31m", "unknown option '--\\x1b[31m'", NULL);
}

/* The message does not blame the word before. */
static void unknown_letter_after_an_option(void **state)
{
	(void)state;
	check_bad("--all -xa", "unknown option '-x'", NULL);
	check_bad("--brief -ax", "unknown option '-x'", NULL);
	check_bad("--name --al -xa", "unknown option '-x'", NULL);
}

/* An unknown letter: the message shows the word that contains it, escaped. */
static void unknown_strange_letter(void **state)
{
	(void)state;
	check_bad("-\xc3\xa9", "unknown option '-\xc3\xa9'", NULL);
	check_bad("word -\xc3\xa9", "unknown option '-\xc3\xa9'", NULL);
	check_bad("--all -\033[31m", "unknown option '-\\x1b[31m'", NULL);
}

/* A prefix that is unique today may not be tomorrow. */
static void abbreviated_options(void **state)
{
	(void)state;
	check_bad("--al", "unknown option '--al'", NULL);
	check_bad("--a", "unknown option '--a'", NULL);
	check_bad("--brie", "unknown option '--brie'", "did you mean '--brief'?");
	check_bad("--nam=x", "unknown option '--nam=x'", "did you mean '--name'?");
}

static void abbreviated_option_and_its_value(void **state)
{
	(void)state;
	check_bad("--coun 5", "unknown option '--coun'", "did you mean '--count'?");
	check_bad("one --coun 5 two", "unknown option '--coun'", "did you mean '--count'?");
	check_bad("--name x --coun 5", "unknown option '--coun'", "did you mean '--count'?");
}

/* Any word but an option is a value, whether or not it looks like the option before it. */
static void value_that_looks_like_its_option(void **state)
{
	static const char *const values[] = {"--names", "--nam", "--n", "--", "--brie", "--nam=x"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		_cleanup_(freep) char *text = mem_format("one --name %s two", values[i]);
		struct parsed parsed;

		parse(&parsed, text, false);
		assert_int_equal(parsed.rc, 3);
		assert_string_equal(parsed.first.name, values[i]);
	}
}

static void missing_values(void **state)
{
	(void)state;
	check_bad("--name", "--name needs a value: NAME", NULL);
	check_bad("-n", "--name needs a value: NAME", NULL);
	check_bad("-abn", "--name needs a value: NAME", NULL);
	check_bad("one --time", "--time needs a value: TIME", NULL);
	check_bad("one --name --name two", "--name is followed by --name: is its value missing?",
		  "a value that begins with -- is given as --name=VALUE");
	check_bad("one --name --brief two", "--name is followed by --brief: is its value missing?",
		  "a value that begins with -- is given as --name=VALUE");
	check_bad("--name --all", "--name is followed by --all: is its value missing?",
		  "a value that begins with -- is given as --name=VALUE");
	check_bad("-abn --file=x", "--name is followed by --file: is its value missing?",
		  "a value that begins with -- is given as --name=VALUE");
	check_bad("one --time --name x", "--time is followed by --name: is its value missing?",
		  "a value that begins with -- is given as --time=VALUE");
	check_bad("--all=1", "--all takes no value", NULL);
	check_bad("--all=", "--all takes no value", NULL);
	check_bad("--secret=x", "--secret takes no value", NULL);
}

static void bad_values(void **state)
{
	static const char *const durations[] = {
		"",
		"s",
		"ms",
		"1w",
		"1 s",
		"-1",
		"1.5w",
		"1ss",
		"0x10",
		"+1s",
		"1S",
		"\xff",
		"1.s",
		".5",
		".",
		"1.2.3",
		"0.0001",
		"0.5ms",
		"1.5 s",
		"1.0000000001",
		"1.000000000",
		"1000000000.0",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(durations); i++) {
		struct parsed parsed;
		_cleanup_(freep) char *text = mem_format("--time=%s", durations[i]);

		if (strchr(durations[i], ' '))
			continue;
		parse(&parsed, text, false);
		assert_int_equal(parsed.rc, -EINVAL);
		assert_non_null(strstr(parsed.message, "is not a duration (500ms, 2s, 1m)"));
		assert_false(parsed.second.time.known);
		release(&parsed);
	}
	check_bad("--time=\033x", "--time: '\\x1bx' is not a duration (500ms, 2s, 1m)", NULL);
	check_bad("--size=1t", "--size: '1t' is not a size (64, 4k, 1m)", NULL);
	check_bad("--size=-1", "--size: '-1' is not a size (64, 4k, 1m)", NULL);
	check_bad("--size=k", "--size: 'k' is not a size (64, 4k, 1m)", NULL);
	check_bad("--file=", "--file: the name of the file is empty", NULL);
	check_bad("--rate=0", "--rate: '0' is not a number above 0 (3, 2.5)", NULL);
	check_bad("--rate=1e3", "--rate: '1e3' is not a number above 0 (3, 2.5)", NULL);
	check_bad("--rate=2.", "--rate: '2.' is not a number above 0 (3, 2.5)", NULL);
	check_bad("--rate=.5", "--rate: '.5' is not a number above 0 (3, 2.5)", NULL);
	check_bad("--rate=1.5x", "--rate: '1.5x' is not a number above 0 (3, 2.5)", NULL);
	check_bad("--depth=seldom", "--depth: 'seldom' is not a whole number", NULL);
	check_bad("--size=4294967296x", "--size: '4294967296x' is not a size (64, 4k, 1m)", NULL);
	check_bad("--rate=1234567890123456",
		  "--rate: '1234567890123456' is not a number above 0 (3, 2.5)", NULL);
	check_bad("--rate=0.000000000000000",
		  "--rate: '0.000000000000000' is not a number above 0 (3, 2.5)", NULL);
	check_bad("--kinds=one,three", "--kinds: 'three' is not one of one, two, more", NULL);
	check_bad("--kinds=", "--kinds: '' is not one of one, two, more", NULL);
	check_bad("--when sometimes", "--when: 'sometimes' is not one of never, always", NULL);
	check_bad("--when=", "--when: '' is not one of never, always", NULL);
	check_bad("--when=neve", "--when: 'neve' is not one of never, always",
		  "did you mean 'never'?");
	check_bad("--kinds=one,mroe", "--kinds: 'mroe' is not one of one, two, more",
		  "did you mean 'more'?");
	check_bad("--when=\033", "--when: '\\x1b' is not one of never, always", NULL);
	check_bad("--count x", "--count: 'x' is not a whole number", NULL);
	check_bad("--count=-1", "--count: '-1' is not a whole number", NULL);
	check_bad("--count=", "--count: '' is not a whole number", NULL);
}

/* Limits of the option, or those of its kind if it has none. */
static void values_beyond_limits(void **state)
{
	(void)state;
	check_bad("--size=1025g", "--size: '1025g' is more than 1099511627776", NULL);
	check_bad("--few=1", "--few: '1' is not between 2 and 5", NULL);
	check_bad("--few=6", "--few: '6' is not between 2 and 5", NULL);
	check_bad("--brief-time=0", "--brief-time: '0' is not between 1ms and 2h", NULL);
	check_bad("--later=1499ms", "--later: '1499ms' is not between 1500ms and 5400s", NULL);
	check_bad("--later=5401", "--later: '5401' is not between 1500ms and 5400s", NULL);
	check_bad("--some=4095", "--some: '4095' is less than 4096", NULL);
	check_bad("--depth=7", "--depth: '7' is not between 8 and 9", NULL);
	check_bad("--size=1048577m", "--size: '1048577m' is more than 1099511627776", NULL);
	check_bad("--size=1099511627777", "--size: '1099511627777' is more than 1099511627776",
		  NULL);
	check_bad("--size=18446744073709551617g",
		  "--size: '18446744073709551617g' is more than 1099511627776", NULL);
	check_bad("--time=4294967296h", "--time: '4294967296h' is more than 4294967295h", NULL);
	check_bad("--time=99999999999999999999s",
		  "--time: '99999999999999999999s' is more than 4294967295h", NULL);
	check_bad("--time=18446744073709551617ms",
		  "--time: '18446744073709551617ms' is more than 4294967295h", NULL);
	check_bad("--brief-time=99999999999999999999",
		  "--brief-time: '99999999999999999999' is not between 1ms and 2h", NULL);
	check_bad("--few=4294967296", "--few: '4294967296' is not between 2 and 5", NULL);
	check_bad("--count=4294967296", "--count: '4294967296' is more than 4294967295", NULL);
}

static void rows_found(void **state)
{
	const struct option_set sets[2] = {{first_rows, NULL}, {second_rows, NULL}};

	(void)state;
	assert_ptr_equal(option_find(sets, 2, "--all"), &first_rows[0]);
	assert_ptr_equal(option_find(sets, 2, "-a"), &first_rows[0]);
	assert_ptr_equal(option_find(sets, 2, "--time"), &second_rows[0]);
	assert_null(option_find(sets, 1, "--time"));
	assert_ptr_equal(option_find(sets, 2, "--all=x"), &first_rows[0]);
	assert_null(option_find(sets, 2, "--al"));
	assert_null(option_find(sets, 2, "--al=l"));
	assert_null(option_find(sets, 2, "all"));
	assert_null(option_find(sets, 2, "a"));
	assert_null(option_find(sets, 2, "-ab"));
	assert_null(option_find(sets, 2, "-"));
	assert_null(option_find(sets, 2, "--"));
	assert_null(option_find(sets, 2, ""));
}

static const struct option_rule rules[] = {
	OPTIONS_ONE_OF("all brief name", NULL),
	OPTIONS_EXCLUDE("count few", "time size", "count or measure"),
	OPTIONS_NEED("kinds", "when", NULL),
	OPTIONS_NEED("size", "count few rate", "how many of them?"),
	OPTIONS_NEED("brief-time", "nowhere nothing", NULL),
	OPTIONS_EXCLUDE("elsewhere", "name", NULL),
	{.options = NULL},
};

static void option_rules(void **state)
{
	static const struct {
		const char *line, *message, *hint;
	} rows[] = {
		{"", NULL, NULL},
		{"-a", NULL, NULL},
		{"-a -b", "--all cannot be used with --brief", NULL},
		{"-n x -a", "--all cannot be used with --name", NULL},
		{"-a -b -n x", "--all cannot be used with --brief", NULL},
		{"--count=1 --few=2", NULL, NULL},
		{"--time=1 --few=2", "--few cannot be used with --time", "count or measure"},
		{"--kinds=one", "--kinds needs --when", NULL},
		{"--kinds=one --when=never", NULL, NULL},
		{"--size=1", "--size needs --count, --few or --rate", "how many of them?"},
		{"--size=1 --rate=1", NULL, NULL},
		/* The other options are not options of this command. */
		{"--brief-time=1s", NULL, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(freep) char *line = mem_string(rows[i].line), *message = NULL;
		_cleanup_(freep) char *hint = NULL;
		struct parsed parsed;
		int rc;

		parse(&parsed, line, false);
		rc = options_check(rules, parsed.sets, 2, &message, &hint);
		assert_int_equal(rc, rows[i].message ? -EINVAL : 0);
		assert_true(!message == !rows[i].message && !hint == !rows[i].hint);
		if (message)
			assert_string_equal(message, rows[i].message);
		if (hint)
			assert_string_equal(hint, rows[i].hint);
		release(&parsed);
	}
}

static void excluded_options(void **state)
{
	struct strings given = {0};

	(void)state;
	assert_false(options_excluded(rules, "all", &given));
	strings_add(&given, "all");
	assert_false(options_excluded(rules, "all", &given));
	assert_true(options_excluded(rules, "brief", &given));
	assert_false(options_excluded(rules, "few", &given));
	strings_add(&given, "time");
	assert_true(options_excluded(rules, "few", &given));
	assert_false(options_excluded(rules, "when", &given));
	assert_false(options_excluded(NULL, "few", &given));
	strings_free(&given);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(flags),
		cmocka_unit_test(strings),
		cmocka_unit_test(choices),
		cmocka_unit_test(durations),
		cmocka_unit_test(counts),
		cmocka_unit_test(sizes),
		cmocka_unit_test(reals),
		cmocka_unit_test(several_choices),
		cmocka_unit_test(limits),
		cmocka_unit_test(given),
		cmocka_unit_test(words),
		cmocka_unit_test(stop_at_word),
		cmocka_unit_test(unknown_options),
		cmocka_unit_test(unknown_letter_after_an_option),
		cmocka_unit_test(unknown_strange_letter),
		cmocka_unit_test(abbreviated_options),
		cmocka_unit_test(abbreviated_option_and_its_value),
		cmocka_unit_test(value_that_looks_like_its_option),
		cmocka_unit_test(missing_values),
		cmocka_unit_test(bad_values),
		cmocka_unit_test(values_beyond_limits),
		cmocka_unit_test(rows_found),
		cmocka_unit_test(option_rules),
		cmocka_unit_test(excluded_options),
	};

	/* This variable would keep getopt from mixing words and options. */
	unsetenv("POSIXLY_CORRECT");
	return cmocka_run_group_tests_name("option", tests, NULL, NULL);
}
