/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The command line: the input is its words, each followed by a NUL; its first byte says whether the
 * first word ends the options. Options, objects, columns and completion all get the same words.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/command.h"
#include "host/object.h"
#include "host/device.h"
#include "host/port.h"
#include "schema/columns.h"

enum { MOST_WORDS = 20 };

struct args {
	bool all;
	struct number type, types, count, size;
	struct real rate;
	const char *netdev;
};

static const struct option_row options[] = {
	FLAG_OPTION(struct args, all, 'a', "all", "everything"),
	CHOICE_OPTION(struct args, type, 't', "type", "TYPE", gid_type_names, "a type"),
	CHOICES_OPTION(struct args, types, 0, "types", "LIST", gid_type_names, "some types"),
	NUMBER_OPTION(SIZE, struct args, size, 's', "size", "SIZE", 1, 1 << 20, "a size"),
	REAL_OPTION(struct args, rate, 0, "rate", "N", "a rate"),
	STRING_OPTION(struct args, netdev, 0, "netdev", "NETDEV", COMPLETE_NETDEV, "a netdev"),
	{.name = "count",
	 .kind = OPTION_COUNT,
	 .metavar = "N",
	 .help = "a number",
	 .offset = offsetof(struct args, count)},
	{.name = NULL},
};

static const struct command gids = {
	.name = "gids",
	.summary = "list GIDs",
	.object_completion = COMPLETE_PORT,
	.most_objects = -1,
	.options = {options},
	.schema = &gid_schema,
};

static const struct command devices = {
	.name = "devices",
	.summary = "list devices",
	.object_completion = COMPLETE_COMMAND,
	.most_objects = 2,
	.schema = &device_schema,
};

static const struct command *const commands[] = {&gids, &devices};

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	unsetenv("POSIXLY_CORRECT");
	if (!freopen("/dev/null", "w", stdout))
		abort();
	return 0;
}

/* There is a line for the user, and it does not harm a terminal. */
static void expect_line(const char *line)
{
	char *clean;

	if (!line || !*line)
		abort();
	clean = text_clean(line, strlen(line));
	if (strcmp(line, clean))
		abort();
	free(clean);
}

static void try_objects(char *const *words, bool ports)
{
	struct device_list list = {0};
	struct objects objects = {0};
	struct problems problems = {0};
	char *message = NULL;

	device_add_port(device_list_add(&list, "mlx5_0"), 1);
	device_add_port(device_list_add(&list, "mlx5\n"), 1);
	if (objects_parse(&objects, words, ports, &message))
		expect_line(message);
	else {
		objects_filter_devices(&objects, &list, NULL, &problems);
		objects_filter_ports(&objects, &list, &problems);
	}
	for (size_t i = 0; i < problems.count; i++) {
		char *line = problem_line(&problems.items[i]);

		expect_line(line);
		if (problems.items[i].hint)
			expect_line(problems.items[i].hint);
		free(line);
	}
	free(message);
	problems_free(&problems);
	objects_free(&objects);
	device_list_clear(&list);
}

static void try_columns(const char *list)
{
	struct columns columns;
	char *bad = NULL;

	int rc = columns_select(&columns, &device_schema, COLUMNS_DEFAULT, list, &bad);

	if (!rc != !bad || !rc != !!columns.count)
		abort();
	columns_needs(&columns);
	columns_free(&columns);
	free(bad);
}

static void list_names(enum completion completion, const char *root, struct strings *ret_names)
{
	(void)completion;
	strings_add(ret_names, "mlx5_0");
	if (root)
		strings_add(ret_names, root);
}

/* An accepted value is within the bounds of its row. */
static void check_args(const struct args *args)
{
	uint64_t all = 0;

	for (const struct enum_name *name = gid_type_names; name->word; name++)
		all |= name->value;
	if ((args->type.known && !enum_word(gid_type_names, args->type.value, NULL)) ||
	    (args->types.known && args->types.value & ~all) ||
	    (args->size.known && (args->size.value < 1 || args->size.value > 1 << 20)) ||
	    (args->count.known && args->count.value > UINT32_MAX) ||
	    (args->rate.known && !(args->rate.value > 0)))
		abort();
}

static void try_options(int count, char **words, bool stop_at_word)
{
	struct globals globals = {0};
	struct args args = {0};
	struct option_set sets[COMMAND_TABLES + 1];
	size_t sets_count;
	char *message = NULL, *hint = NULL;
	int first;

	sets_count = command_option_sets(&gids, &globals, &args, sets);
	first = options_parse(count, words, sets, sets_count, stop_at_word, &message, &hint);
	if (first < 0) {
		expect_line(message);
		if (hint)
			expect_line(hint);
	} else if (message || hint || first < 1 || first > count) {
		abort();
	} else {
		check_args(&args);
		try_objects(words + first, !stop_at_word);
		if (globals.columns)
			try_columns(globals.columns);
	}
	free(message);
	free(hint);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct ctx ctx = {.commands = commands, .command_count = ARRAY_SIZE(commands)};
	char *text, *words[MOST_WORDS + 2] = {(char[]){"rdmactl"}};
	int count = 1;

	if (!size)
		return 0;
	text = mem_alloc_zero(size, 1);
	memcpy(text, data + 1, size - 1);
	for (size_t i = 0; i + 1 < size && count <= MOST_WORDS; i += strlen(text + i) + 1)
		words[count++] = text + i;
	words[count] = NULL;
	complete_words(&ctx, words + 1, list_names);
	try_options(count, words, data[0] & 1);
	free(text);
	return 0;
}
