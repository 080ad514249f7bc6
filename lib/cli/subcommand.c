/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Subcommands, and the choice of one by the command line. */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/command.h"

bool command_child(const struct command *command, size_t number, struct command *ret_child)
{
	if (command->child) {
		if (!command->child(number, ret_child))
			return false;
	} else {
		const struct command *const *child = command->children;

		for (size_t i = 0; child && *child && i < number; i++)
			child++;
		if (!child || !*child)
			return false;
		*ret_child = **child;
	}
	ret_child->group = command->group;
	ret_child->own_timeout |= command->own_timeout;
	if (!ret_child->summary && ret_child->schema)
		ret_child->summary = ret_child->schema->summary;
	return true;
}

bool command_find_child(const struct command *command, const char *word, struct command *ret_child)
{
	struct command child;

	for (size_t i = 0; command_child(command, i, &child); i++) {
		if (strcmp(child.name, word) && !(child.alias && !strcasecmp(child.alias, word)))
			continue;
		*ret_child = child;
		return true;
	}
	return false;
}

bool command_has_children(const struct command *command)
{
	return command->children || command->child;
}

bool command_default_child(const struct command *command, struct command *ret_child)
{
	return !command->run && !command->least_objects && command_child(command, 0, ret_child);
}

static void add_tables(const struct command *command, struct option_set **sets, size_t *count)
{
	for (size_t i = 0; command->options[i]; i++) {
		bool known = false;

		for (size_t j = 0; j < *count && !known; j++)
			known = (*sets)[j].rows == command->options[i];
		if (!known)
			MEM_ADD(*sets, *count) = (struct option_set){.rows = command->options[i]};
	}
}

size_t command_family_sets(const struct command *command, struct option_set **ret_sets)
{
	const struct command globals = {.options = {global_options}};
	struct option_set *sets = NULL;
	struct command child;
	size_t count = 0;

	add_tables(&globals, &sets, &count);
	add_tables(command, &sets, &count);
	for (size_t i = 0; command_child(command, i, &child); i++)
		add_tables(&child, &sets, &count);
	*ret_sets = sets;
	return count;
}

/* A command line that is searched before the options of its command are known. */
struct survey {
	const struct option_set *family; /* all that it might take */
	size_t family_count;
	const struct option_set *own; /* what it takes, once that is known; or NULL */
	size_t own_count;
	int word; /* index of the first word that is neither an option nor the value of one */
	const struct option_row *foreign; /* the first option that it does not take, or NULL */
	bool help;			  /* --help or --version */
};

/* Returns whether the option takes a value. */
static bool note_option(struct survey *survey, const char *name)
{
	const struct option_row *row = option_find(survey->family, survey->family_count, name);

	if (!row)
		return false;
	survey->help |= !strcmp(row->name, "help") || !strcmp(row->name, "version");
	if (survey->own && !survey->foreign && !option_find(survey->own, survey->own_count, name))
		survey->foreign = row;
	return row->kind != OPTION_FLAG;
}

/* Returns whether the value of the option, or of the last of several letters, is the next word. */
static bool note_word(struct survey *survey, const char *word)
{
	if (word[1] == '-')
		return note_option(survey, word) && !strchr(word, '=');
	for (const char *letter = word + 1; *letter; letter++)
		if (note_option(survey, (char[]){'-', *letter, '\0'}))
			return !letter[1];
	return false;
}

static void look_through(struct survey *survey, int argc, char *const *argv)
{
	survey->word = argc;
	for (int i = 1; i < argc; i++) {
		const bool end = !strcmp(argv[i], "--");

		if (end)
			i++;
		if ((end || argv[i][0] != '-' || !argv[i][1]) && i < survey->word)
			survey->word = i;
		if (end)
			return;
		if (argv[i][0] == '-' && argv[i][1])
			i += note_word(survey, argv[i]);
	}
}

char *command_hint_word(const char *path, const char *word)
{
	if (!strcmp(word, "help"))
		return mem_format("rdmactl help %s", path);
	if (strcmp(word, "show") && strcmp(word, "list"))
		return NULL;
	return mem_format("leave '%s' out: rdmactl %s", word, path);
}

char *command_unknown_child(const struct command *command, const char *word, char **ret_hint)
{
	_cleanup_(freep) const char **names = NULL;
	_cleanup_(freep) char *clean = text_clean(word, strlen(word));
	_cleanup_(freep) char *kind = NULL, *list = NULL;
	struct command child;
	size_t count = 0;

	if (!command_has_children(command)) {
		*ret_hint = mem_format("rdmactl help %s", command->name);
		return mem_format("'%s' has no subcommands", command->name);
	}
	kind = mem_string(command->child_word);
	for (char *c = kind; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	for (size_t i = 0; command_child(command, i, &child); i++)
		MEM_ADD(names, count) = child.name;
	if (command->run ? command->schema != NULL : !command->least_objects)
		list = command_hint_word(command->name, word);
	if (!list)
		list = mem_format("rdmactl %s --help lists the %ss", command->name, kind);
	*ret_hint = text_suggest(word, names, count, list);
	return mem_format("unknown %s '%s'", kind, clean);
}

/* Lists the subcommands that take an option, separated by ", "; NULL if none does. To be freed. */
static char *list_takers(const struct command *command, const struct option_row *row)
{
	struct option_set sets[COMMAND_TABLES + 1];
	_cleanup_(freep) char *name = mem_format("--%s", row->name);
	struct command child;
	char *list = NULL;

	for (size_t i = 0; command_child(command, i, &child); i++)
		if (option_find(sets, command_option_sets(&child, NULL, NULL, sets), name))
			mem_extend(&list, "%s%s", list ? ", " : "", child.name);
	return list;
}

static char *foreign_option(const struct ctx *ctx, const struct option_row *row, char **ret_hint)
{
	const struct command *family = ctx->parent ? ctx->parent : ctx->command;
	_cleanup_(freep) char *takers = list_takers(family, row);

	*ret_hint = takers ? mem_format("it is for %s", takers)
			   : mem_format("it is for rdmactl %s alone", family->name);
	return mem_format("'%s' does not take --%s", ctx->command->name, row->name);
}

/*
 * No subcommand can be run: complains of a wrong option, or else of the word, unless the options
 * ask for help or the version. `sets` are the family's.
 */
static int refuse_word(struct ctx *ctx, struct option_set *sets, size_t count, const char *word,
		       int argc, char **argv, char **ret_message, char **ret_hint)
{
	const struct command *family = ctx->command;
	size_t size = family->args_size;
	_cleanup_(freep) void *scratch = NULL;
	struct command child;

	for (size_t i = 0; command_child(family, i, &child); i++)
		if (child.args_size > size)
			size = child.args_size;
	scratch = mem_alloc_zero(1, size);
	for (size_t i = 0; i < count; i++)
		sets[i].values = sets[i].rows == global_options ? (void *)&ctx->globals : scratch;
	if (options_parse(argc, argv, sets, count, false, ret_message, ret_hint) < 0)
		return -EINVAL;
	if (ctx->globals.help || ctx->globals.version)
		return 0;
	*ret_message = word ? command_unknown_child(family, word, ret_hint)
			    : mem_format("too few words: it takes %s", family->objects);
	return -EINVAL;
}

static void take_out(int *argc, char **argv, int at)
{
	memmove(&argv[at], &argv[at + 1], (size_t)(*argc - at) * sizeof(*argv));
	--*argc;
}

int command_choose_child(struct ctx *ctx, struct command *child, int *argc, char **argv,
			 char **ret_message, char **ret_hint)
{
	const struct command *family = ctx->command;
	_cleanup_(freep) struct option_set *sets = NULL;
	struct option_set own[COMMAND_TABLES + 1];
	struct survey survey = {
		.family_count = command_family_sets(family, &sets),
		.help = ctx->globals.help || ctx->globals.version,
	};
	const char *word;

	survey.family = sets;
	look_through(&survey, *argc, argv);
	word = survey.word < *argc ? argv[survey.word] : NULL;
	/* Without objects, a word can only be a subcommand. */
	if (word && command_find_child(family, word, child))
		take_out(argc, argv, survey.word);
	else if (survey.help || (word && family->run && !family->most_objects) ||
		 (!family->run && (word || !command_default_child(family, child))))
		return refuse_word(ctx, sets, survey.family_count, word, *argc, argv, ret_message,
				   ret_hint);
	else if (family->run)
		child = NULL;
	if (child) {
		ctx->command = child;
		ctx->parent = family;
	}
	survey.own = own;
	survey.own_count = command_option_sets(ctx->command, NULL, NULL, own);
	look_through(&survey, *argc, argv);
	if (!survey.foreign)
		return 0;
	*ret_message = foreign_option(ctx, survey.foreign, ret_hint);
	return -EINVAL;
}
