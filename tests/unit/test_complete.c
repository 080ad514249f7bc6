/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The candidates for the shells, and looking up commands by name. */
#include <string.h>

#include "captured.h"

#include "base/cleanup.h"
#include "base/mem.h"
#include "cli/command.h"
#include "sample.h"
#include "schema/packed.h"

struct packed {
	char *object;
	unsigned char data[4];
};

struct args {
	bool all;
	const char *netdev;
	struct number type, types;
	const char *tests;
	const char *set;
};

static const struct enum_name types[] = {
	{0, "ib", TONE_PLAIN, "InfiniBand"},
	{1, "roce-v1"},
	{2, "roce-v2"},
	{0, NULL},
};

static const struct option_row options[] = {
	FLAG_OPTION(struct args, all, 'a', "all", "everything"),
	STRING_OPTION(struct args, netdev, 'n', "netdev", "NETDEV", COMPLETE_NETDEV, "a netdev"),
	CHOICE_OPTION(struct args, type, 0, "type", "TYPE", types, "a type"),
	CHOICES_OPTION(struct args, types, 0, "types", "LIST", types, "some types"),
	STRING_OPTION(struct args, tests, 0, "test", "LIST", COMPLETE_TEST, "some tests"),
	STRING_OPTION(struct args, set, 0, "set", "FIELD=VALUE", COMPLETE_FIELD, "a change"),
	{.name = NULL},
};

static const struct command samples = {
	.name = "list",
	.group = GROUP_INVENTORY,
	.summary = "list samples",
	.object_completion = COMPLETE_PORT,
	.most_objects = -1,
	.options = {options},
	.schema = &sample_schema,
};

static const struct command shell = {
	.name = "shell",
	.group = GROUP_SHELL,
	.summary = "print a script",
	.object_choices = types,
	.most_objects = 1,
};

static const struct command link_command = {
	.name = "link",
	.group = GROUP_SHELL,
	.summary = "do without words",
	.object_completion = COMPLETE_NOTHING,
};

static const struct command help = {
	.name = "help",
	.group = GROUP_SHELL,
	.summary = "explain",
	.object_completion = COMPLETE_COMMAND,
	.most_objects = 2,
};

static const struct command schema = {
	.name = "schema",
	.group = GROUP_SHELL,
	.summary = "print a schema",
	.object_completion = COMPLETE_SCHEMA,
	.most_objects = 1,
};

static const struct command hidden = {
	.name = "__hidden",
	.group = GROUP_HIDDEN,
	.summary = "for scripts",
	.object_completion = COMPLETE_DEVICE,
	.most_objects = -1,
	.schema = &leaf_schema,
};

static const struct command *const commands[] = {&samples, &shell,  &link_command,
						 &help,	   &schema, &hidden};

static const struct ctx ctx = {.commands = commands, .command_count = ARRAY_SIZE(commands)};

/*
 * The system's names depend on the class and on the root, so that the test sees that this is passed
 * on.
 */
static void list(enum completion completion, const char *root, struct strings *ret_names)
{
	static const char *const names[] = {
		[COMPLETE_DEVICE] = "mlx5_0",
		[COMPLETE_PORT] = "mlx5_0/1",
		[COMPLETE_NETDEV] = "eth0",
		[COMPLETE_TEST] = "rc-write",
	};

	strings_add(ret_names, names[completion]);
	if (completion == COMPLETE_PORT)
		strings_add(ret_names, "mlx5_0");
	if (root)
		strings_add(ret_names, root);
}

/* The words are separated by |; the last one is completed. */
static char *ask_of(const struct ctx *of, const char *line)
{
	_cleanup_(freep) char *copy = mem_string(line);
	char *words[20], *rest = copy;
	struct captured captured;
	size_t count = 0;

	while ((words[count] = strsep(&rest, "|")))
		count++;
	capture_begin(&captured);
	complete_words(of, words, list);
	return capture_end(&captured);
}

static char *ask(const char *line)
{
	return ask_of(&ctx, line);
}

static void check(const char *line, const char *expected)
{
	_cleanup_(freep) char *text = ask(line);

	assert_string_equal(text, expected);
}

#define COMMANDS                   \
	"list\tlist samples\n"     \
	"shell\tprint a script\n"  \
	"link\tdo without words\n" \
	"help\texplain\n"          \
	"schema\tprint a schema\n"

static void command_names(void **state)
{
	char *none[] = {NULL};
	struct captured captured;
	_cleanup_(freep) char *text = NULL;

	(void)state;
	check("", COMMANDS);
	check("li", "list\tlist samples\nlink\tdo without words\n");
	check("list", "list\tlist samples\n");
	check("lists", "");
	check("__", "");
	check("--json|s", "shell\tprint a script\nschema\tprint a schema\n");
	capture_begin(&captured);
	complete_words(&ctx, none, list);
	text = capture_end(&captured);
	assert_string_equal(text, COMMANDS);
}

static void objects(void **state)
{
	(void)state;
	check("list|", "mlx5_0/1\t\nmlx5_0\t\n");
	check("list|mlx5_0/", "mlx5_0/1\t\n");
	check("list|mlx5_0|", "mlx5_0/1\t\nmlx5_0\t\n");
	check("list|x", "");
	check("--json|list|--all|mlx5_0/", "mlx5_0/1\t\n");
	check("shell|", "ib\tInfiniBand\nroce-v1\t\nroce-v2\t\n");
	check("shell|roce", "roce-v1\t\nroce-v2\t\n");
	check("shell|ib|", "");
	check("schema|samples|", "");
	check("link|", "");
	check("help|", COMMANDS);
	check("help|sc", "schema\tprint a schema\n");
	check("__hidden|", "mlx5_0\t\n");
}

/* Schemas are requested by their names. */
static void schemas(void **state)
{
	(void)state;
	check("schema|", "samples\ta sample\n");
	check("schema|l", "");
}

static void option_names(void **state)
{
	(void)state;
	check("--js", "--json\tprint one JSON document\n--jsonl\tprint one JSON object per line\n");
	check("--all", "");
	check("list|--all", "--all\teverything\n");
	check("list|--ne", "--netdev\ta netdev\n");
	check("shell|--all", "");
	check("list|--js",
	      "--json\tprint one JSON document\n--jsonl\tprint one JSON object per line\n");
	check("list|--nope", "");
	check("list|-x", "");
}

/* A single - offers all options, each one once. */
static void all_option_names(void **state)
{
	_cleanup_(freep) char *text = ask("list|-");
	size_t lines = 0;

	(void)state;
	for (const char *c = text; *c; c++)
		lines += *c == '\n';
	assert_int_equal(lines, 12 + ARRAY_SIZE(options) - 1);
	assert_non_null(strstr(text, "--json\t"));
	assert_non_null(strstr(text, "--type\ta type\n"));
}

static void option_values(void **state)
{
	(void)state;
	check("list|--type|", "ib\tInfiniBand\nroce-v1\t\nroce-v2\t\n");
	check("list|--type|r", "roce-v1\t\nroce-v2\t\n");
	/* The last word of a list, with the text before it. */
	check("list|--types|r", "roce-v1\t\nroce-v2\t\n");
	check("list|--types|ib,roce-v1,i", "ib,roce-v1,ib\tInfiniBand\n");
	check("list|--types=ib,i", "--types=ib,ib\tInfiniBand\n");
	check("list|--test|", "rc-write\t\n");
	check("list|--test|uc,rc", "uc,rc-write\t\n");
	check("list|--type|ib,r", "");
	check("list|--netdev|", "eth0\t\n");
	check("list|-n|e", "eth0\t\n");
	check("--color|a", "auto\t\nalways\t\n");
	check("--root|", ":file\n");
	check("--root|/tm", ":file\n");
	check("--timeout|", "");
	/* Fields are only offered after a word that says which records are meant. */
	check("list|--set|", "");
	/* An option ends with its value, which may look like an option. */
	check("list|--type|ib|mlx5_0/", "mlx5_0/1\t\n");
	check("list|--type|--all|--typ", "--type\ta type\n--types\tsome types\n");
	check("list|--netdev|--a", "");
	/* A flag takes no value. */
	check("list|--all|mlx5_0/", "mlx5_0/1\t\n");
}

static const struct field packed_fields[] = {
	{PACKED_ROW(struct packed, data, FIELD_ENUM, 0, 4, "state", "STATE", 0, "the state"),
	 .names = types},
	{PACKED_ROW(struct packed, data, FIELD_UNSIGNED, 4, 4, "size", "SIZE", 0, "the size")},
	STRING_FIELD(struct packed, object, "served_by", "BY", 0, 0, "not of the bytes"),
};

static const struct schema packed_schema = SCHEMA("packed", struct packed, packed_fields,
						  "packed bytes");

static const struct command bytes = {
	.name = "bytes",
	.summary = "the bytes",
	.object_completion = COMPLETE_FIELD,
	.most_objects = -1,
	.options = {options},
	.schema = &packed_schema,
};

static const struct command *const query_children[] = {&bytes, NULL};

static const struct command query = {
	.name = "query",
	.group = GROUP_MAD,
	.summary = "ask",
	.least_objects = 1,
	.children = query_children,
};

/* FIELD=VALUE, as objects and as the value of an option. */
static void assignments(void **state)
{
	static const struct command *const one[] = {&query};
	static const struct {
		const char *line, *offered;
	} rows[] = {
		{"query|", "bytes\tthe bytes\n"},
		{"query|bytes|", "state=\tthe state\nsize=\tthe size\n"},
		{"query|bytes|si", "size=\tthe size\n"},
		{"query|bytes|state=r", "state=roce-v1\t\nstate=roce-v2\t\n"},
		{"query|bytes|size=", ""},
		{"query|bytes|nope=", ""},
		{"query|bytes|size=1|st", "state=\tthe state\n"},
		{"query|bytes|--set|size=1,st", "size=1,state=\tthe state\n"},
		{"query|bytes|--set|size=1,state=i", "size=1,state=ib\tInfiniBand\n"},
		{"query|bytes|--set=state=i", "--set=state=ib\tInfiniBand\n"},
	};
	const struct ctx here = {.commands = one, .command_count = 1};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(freep) char *text = ask_of(&here, rows[i].line);

		assert_string_equal(text, rows[i].offered);
	}
}

static void joined_values(void **state)
{
	(void)state;
	check("--color=a", "--color=auto\t\n--color=always\t\n");
	check("--color=", "--color=auto\t\n--color=always\t\n--color=never\t\n");
	check("list|--netdev=e", "--netdev=eth0\t\n");
	check("list|--columns=na", "--columns=name\tthe name\n");
	check("list|--columns=guid,na", "--columns=guid,name\tthe name\n");
	check("list|--columns=+na", "--columns=+name\tthe name\n");
	check("list|--root=/tm", ":file\n");
	check("list|--all=", "");
	check("list|--nope=x", "");
	check("list|--=x", "");
	check("list|--color=auto|mlx5_0/", "mlx5_0/1\t\n");
}

static void columns(void **state)
{
	(void)state;
	check("list|-o|na", "name\tthe name\n");
	check("list|-o|+na", "+name\tthe name\n");
	check("list|-o|-na", "-name\tthe name\n");
	check("list|-o|guid,na", "guid,name\tthe name\n");
	check("list|-o|guid,count,na", "guid,count,name\tthe name\n");
	check("list|-o|guid,+na", "guid,+name\tthe name\n");
	check("list|-o|+guid,-na", "+guid,-name\tthe name\n");
	check("list|-o|nope,g", "nope,guid\ta GUID\nnope,gid\ta GID\n");
	check("list|-o|nope", "");
	/* A list of records cannot be a column of a table. */
	check("list|-o|leav", "");
	/* Without a schema there are no columns. */
	check("shell|-o|", "");
	check("-o|", "");
}

static void all_columns(void **state)
{
	_cleanup_(freep) char *text = ask("list|-o|guid,");
	size_t lines = 0;

	(void)state;
	for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
		assert_int_equal(strncmp(line, "guid,", 5), 0);
		lines++;
	}
	assert_true(lines >= sample_schema.field_count - 1);
}

static void root_is_passed_on(void **state)
{
	(void)state;
	check("--root|/tree|list|", "mlx5_0/1\t\nmlx5_0\t\n/tree\t\n");
	check("--root=/tree|list|/", "/tree\t\n");
	check("list|--root|/tree|--netdev|", "eth0\t\n/tree\t\n");
	check("list|--root|/first|--root|/second|/", "/second\t\n");
}

static void strange_words(void **state)
{
	(void)state;
	check("\033[31m", "");
	check("%s%n|", COMMANDS);
	check("nope|list|mlx5_0/", "mlx5_0/1\t\n");
	check("list|%s", "");
	check("list|-o|%s,%n,na", "%s,%n,name\tthe name\n");
	check("list|\xff\xfe", "");
	check("|", COMMANDS);
	check("|||", COMMANDS);
	check("=", "");
	check("list|--|mlx5_0/", "mlx5_0/1\t\n");
}

/* A candidate takes one line, whatever a device is called. */
static void list_hostile(enum completion completion, const char *root, struct strings *ret_names)
{
	(void)completion;
	(void)root;
	strings_add(ret_names, "mlx5\n_0\t\033[31m");
	strings_add(ret_names, "mlx5_1");
}

static void hostile_names(void **state)
{
	char *words[] = {(char[]){"list"}, (char[]){"ml"}, NULL};
	_cleanup_(freep) char *text = NULL;
	struct captured captured;
	size_t lines = 0;

	(void)state;
	capture_begin(&captured);
	complete_words(&ctx, words, list_hostile);
	text = capture_end(&captured);
	for (const char *c = text; *c; c++) {
		lines += *c == '\n';
		assert_true(*c == '\n' || *c == '\t' || (unsigned char)*c >= 0x20);
	}
	assert_true(lines == 1 || lines == 2);
	assert_non_null(strstr(text, "mlx5_1\t\n"));
}

static void check_suggestion(const char *word, const char *wanted)
{
	_cleanup_(freep) char *hint = NULL;
	_cleanup_(freep) char *message = command_unknown(&ctx, word, &hint);

	assert_non_null(strstr(message, word));
	assert_string_equal(hint, wanted);
}

static void found_commands(void **state)
{
	(void)state;
	assert_ptr_equal(command_find(&ctx, "list"), &samples);
	assert_ptr_equal(command_find(&ctx, "__hidden"), &hidden);
	assert_null(command_find(&ctx, "lis"));
	assert_null(command_find(&ctx, ""));
	check_suggestion("lsit", "did you mean 'list'?");
	check_suggestion("shcema", "did you mean 'schema'?");
	check_suggestion("nonsense", "rdmactl help lists the commands");
	check_suggestion("__hiden", "rdmactl help lists the commands");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(command_names),     cmocka_unit_test(objects),
		cmocka_unit_test(schemas),	     cmocka_unit_test(option_names),
		cmocka_unit_test(all_option_names),  cmocka_unit_test(option_values),
		cmocka_unit_test(assignments),	     cmocka_unit_test(joined_values),
		cmocka_unit_test(columns),	     cmocka_unit_test(all_columns),
		cmocka_unit_test(root_is_passed_on), cmocka_unit_test(strange_words),
		cmocka_unit_test(hostile_names),     cmocka_unit_test(found_commands),
	};

	return cmocka_run_group_tests_name("complete", tests, NULL, NULL);
}
