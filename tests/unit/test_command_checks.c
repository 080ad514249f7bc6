/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a command line may combine: rules for all commands, for a parent and for its subcommand. */
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
#include "cli/command.h"
#include "sample.h"

struct args {
	bool a, b, c;
};

static const struct option_row rows[] = {
	FLAG_OPTION(struct args, a, 'a', "aaa", "one"),
	FLAG_OPTION(struct args, b, 'b', "bbb", "another"),
	FLAG_OPTION(struct args, c, 'c', "ccc", "the last"),
	{.name = NULL},
};

static const struct option_rule parent_rules[] = {
	OPTIONS_EXCLUDE("aaa", "bbb", "not both"),
	{.options = NULL},
};
static const struct option_rule child_rules[] = {
	OPTIONS_NEED("ccc", "aaa", NULL),
	{.options = NULL},
};

static const struct command parent = {.name = "family", .rules = parent_rules, .options = {rows}};
static const struct command child = {
	.name = "child", .rules = child_rules, .options = {rows}, .schema = &sample_schema};
static const struct command text = {.name = "text", .options = {rows}};

/* The message and the hint for these options; "" if they may be combined. */
static void check(struct ctx *ctx, const char *wanted, const char *wanted_hint, struct args args)
{
	struct option_set sets[COMMAND_TABLES + 1];
	const size_t count = command_option_sets(ctx->command, &ctx->globals, &args, sets);
	_cleanup_(freep) char *message = NULL, *hint = NULL;
	const int rc = command_check_options(ctx, sets, count, &message, &hint);

	assert_int_equal(count, 2);
	assert_int_equal(rc, *wanted ? -EINVAL : 0);
	assert_string_equal(message ? message : "", wanted);
	assert_string_equal(hint ? hint : "", wanted_hint);
}

static void rules(void **state)
{
	struct ctx alone = {.command = &child}, both = {.command = &child, .parent = &parent};

	(void)state;
	check(&both, "", "", (struct args){.a = true, .c = true});
	check(&both, "--aaa cannot be used with --bbb", "not both",
	      (struct args){.a = true, .b = true});
	check(&both, "--ccc needs --aaa", "", (struct args){.c = true});
	/* The rules of the parent only count together with it. */
	check(&alone, "", "", (struct args){.a = true, .b = true});
	check(&alone, "--ccc needs --aaa", "", (struct args){.c = true});
	both.globals.json = both.globals.tsv = true;
	check(&both, "--json cannot be used with --tsv", "",
	      (struct args){.a = true, .b = true, .c = true});
}

/* A command without records prints text, which has only one form. */
static void forms(void **state)
{
	static const struct {
		struct globals globals;
		const char *option;
	} samples[] = {
		{{.json = true}, "json"},
		{{.jsonl = true}, "jsonl"},
		{{.tsv = true}, "tsv"},
		{{.columns = "name"}, "columns"},
		{{.no_headings = true}, "no-headings"},
		{{.quiet = true}, NULL},
		{{.verbose = true}, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct ctx plain = {.command = &text, .globals = samples[i].globals};
		struct ctx records = {.command = &child, .globals = samples[i].globals};
		_cleanup_(freep) char *wanted = samples[i].option
							? mem_format("prints plain text only: --%s "
								     "cannot be used",
								     samples[i].option)
							: mem_string("");

		check(&plain, wanted, "", (struct args){.a = false});
		check(&records, "", "", (struct args){.a = false});
	}
}

static void check_words(const struct command *command, int count, char *const *words,
			const char *wanted)
{
	_cleanup_(freep) char *message = command_check_objects(command, count, words);

	assert_string_equal(message ? message : "", wanted);
}

static void check_objects(int least, int most, int count, const char *wanted)
{
	const struct command command = {
		.objects = "DEV NAME", .least_objects = least, .most_objects = most};

	check_words(&command, count, NULL, wanted);
}

/* A file name cannot be empty. */
static void files(void **state)
{
	char file[] = "a", empty[] = "", *const words[] = {file, empty, NULL};
	const struct command takes_files = {.most_objects = -1, .object_completion = COMPLETE_FILE};
	const struct command takes_ports = {.most_objects = -1, .object_completion = COMPLETE_PORT};

	(void)state;
	check_words(&takes_files, 0, words, "");
	check_words(&takes_files, 1, words, "");
	check_words(&takes_files, 2, words, "the name of a file is empty");
	check_words(&takes_ports, 2, words, "");
}

static void objects(void **state)
{
	const struct command lists = {.name = "list"};
	char word[] = "a\n", *const words[] = {word, NULL};

	(void)state;
	check_objects(0, 0, 0, "");
	check_words(&lists, 0, words, "");
	check_words(&lists, 1, words, "'list' takes no object, but 'a\\x0a' is given");
	check_objects(0, -1, 0, "");
	check_objects(0, -1, 99, "");
	check_objects(1, 2, 0, "too few words: it takes DEV NAME");
	check_objects(1, 2, 1, "");
	check_objects(1, 2, 2, "");
	check_objects(1, 2, 3, "too many words: it takes DEV NAME");
	check_objects(2, -1, 1, "too few words: it takes DEV NAME");
}

/* For completion: which options are still possible after the given ones. */
static void excluded(void **state)
{
	const struct ctx alone = {.command = &child}, both = {.command = &child, .parent = &parent};
	struct strings given = {.known = true};

	(void)state;
	assert_false(command_excludes(&both, "bbb", &given));
	strings_add(&given, "aaa");
	assert_true(command_excludes(&both, "bbb", &given));
	assert_false(command_excludes(&alone, "bbb", &given));
	assert_false(command_excludes(&both, "ccc", &given));
	assert_false(command_excludes(&both, "tsv", &given));
	strings_add(&given, "json");
	assert_true(command_excludes(&both, "tsv", &given));
	assert_true(command_excludes(&(struct ctx){.command = NULL}, "jsonl", &given));
	strings_free(&given);
}

static void paths(void **state)
{
	const struct ctx alone = {.command = &child}, both = {.command = &child, .parent = &parent};
	char *path = command_path(&alone);

	(void)state;
	assert_string_equal(path, "child");
	free(path);
	path = command_path(&both);
	assert_string_equal(path, "family child");
	free(path);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules), cmocka_unit_test(forms),    cmocka_unit_test(objects),
		cmocka_unit_test(files), cmocka_unit_test(excluded), cmocka_unit_test(paths),
	};

	return cmocka_run_group_tests_name("command-checks", tests, NULL, NULL);
}
