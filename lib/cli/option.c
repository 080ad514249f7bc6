/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cli/option.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

enum { NO_LETTER = 256 }; /* getopt_long codes of options without a letter begin here */

/* What getopt_long wants, and the way back from its codes to the rows. */
struct parser {
	char *letters;
	struct option *longs;
	const struct option_row **rows; /* as longs */
	const struct option_set **owners;
	size_t count;
};

static void parser_free(struct parser *parser)
{
	free(parser->letters);
	free(parser->longs);
	free(parser->rows);
	free(parser->owners);
}

static void parser_init(struct parser *parser, const struct option_set *sets, size_t set_count,
			bool stop_at_word)
{
	size_t most = 0, at = 0, letter;

	for (size_t i = 0; i < set_count; i++)
		most += sets[i].count;
	*parser = (struct parser){
		.letters = mem_alloc_zero(most * 2 + 3, 1),
		.longs = mem_alloc_zero(most + 1, sizeof(*parser->longs)),
		.rows = mem_alloc_zero(most, sizeof(*parser->rows)),
		.owners = mem_alloc_zero(most, sizeof(*parser->owners)),
		.count = most,
	};
	strcpy(parser->letters, stop_at_word ? "+:" : ":");
	letter = strlen(parser->letters);
	for (size_t i = 0; i < set_count; i++) {
		for (size_t j = 0; j < sets[i].count; j++, at++) {
			const struct option_row *row = &sets[i].rows[j];
			bool takes_value = row->kind != OPTION_FLAG;

			parser->rows[at] = row;
			parser->owners[at] = &sets[i];
			parser->longs[at] = (struct option){
				.name = row->name,
				.has_arg = takes_value ? required_argument : no_argument,
				.val = NO_LETTER + (int)at,
			};
			if (!row->letter)
				continue;
			parser->letters[letter++] = row->letter;
			if (takes_value)
				parser->letters[letter++] = ':';
		}
	}
}

static size_t find_code(const struct parser *parser, int code)
{
	if (code >= NO_LETTER)
		return (size_t)(code - NO_LETTER);
	for (size_t i = 0; i < parser->count; i++)
		if (parser->rows[i]->letter == code)
			return i;
	return parser->count;
}

static int parse_duration(const char *text, struct number *number)
{
	static const struct enum_name units[] = {
		{1, "ms"}, {1000, "s"}, {60000, "m"}, {3600000, "h"}, {1000, ""}, {0, NULL},
	};
	size_t digits = strspn(text, "0123456789");
	const struct enum_name *unit = enum_find_word(units, text + digits);
	char plain[16];
	uint64_t value;

	if (!unit || !digits || digits >= sizeof(plain))
		return -EINVAL;
	memcpy(plain, text, digits);
	plain[digits] = '\0';
	if (text_parse_u64(plain, 10, UINT32_MAX, &value))
		return -EINVAL;
	number_set(number, value * unit->value);
	return 0;
}

static char *list_choices(const struct option_row *row)
{
	char *list = mem_string("");

	for (const struct enum_name *choice = row->choices; choice->word; choice++) {
		char *longer = mem_format("%s%s%s", list, *list ? ", " : "", choice->word);

		free(list);
		list = longer;
	}
	return list;
}

/* Stores the value; a message if it is none. */
static char *store(const struct option_row *row, void *member, const char *text)
{
	_cleanup_(freep) char *clean = NULL, *choices = NULL;
	const struct enum_name *choice;
	uint64_t value;

	switch (row->kind) {
	case OPTION_FLAG:
		*(bool *)member = true;
		return NULL;
	case OPTION_STRING:
		*(const char **)member = text;
		return NULL;
	case OPTION_DURATION:
		if (!parse_duration(text, member))
			return NULL;
		clean = text_clean(text, strlen(text));
		return mem_format("--%s: '%s' is no duration (500ms, 2s, 1m)", row->name, clean);
	case OPTION_COUNT:
		if (!text_parse_u64(text, 10, UINT32_MAX, &value)) {
			number_set(member, value);
			return NULL;
		}
		clean = text_clean(text, strlen(text));
		return mem_format("--%s: '%s' is no number", row->name, clean);
	default:
		choice = enum_find_word(row->choices, text);
		if (choice) {
			number_set(member, choice->value);
			return NULL;
		}
		clean = text_clean(text, strlen(text));
		choices = list_choices(row);
		return mem_format("--%s: '%s' is none of %s", row->name, clean, choices);
	}
}

static char *unknown_hint(const struct parser *parser, const char *word)
{
	const char **names = mem_alloc_zero(parser->count, sizeof(*names));
	_cleanup_(freep) char *name = mem_string(word);
	const char *closest;

	name[strcspn(name, "=")] = '\0';
	for (size_t i = 0; i < parser->count; i++)
		names[i] = parser->longs[i].name;
	closest = text_closest(name, names, parser->count);
	free(names);
	return closest ? mem_format("did you mean '--%s'?", closest) : NULL;
}

/* The word that an unknown letter stands in: getopt_long has moved past it or has not. */
static const char *word_of_letter(char *const *argv, int letter)
{
	for (int i = optind; i >= optind - 1 && i >= 1; i--)
		if (argv[i] && argv[i][0] == '-' && strchr(argv[i], letter))
			return argv[i];
	return argv[optind - 1];
}

static char *unknown_option(const char *word)
{
	_cleanup_(freep) char *clean = text_clean(word, strlen(word));

	return mem_format("unknown option '%s'", clean);
}

/* Says what getopt_long found wrong: '?' unknown or ambiguous, ':' no value. */
static void explain(const struct parser *parser, int code, char **argv, char **ret_message,
		    char **ret_hint)
{
	size_t at = optopt ? find_code(parser, optopt) : parser->count;

	*ret_hint = NULL;
	if (code == ':' && at < parser->count) {
		*ret_message = mem_format("--%s needs a value: %s", parser->rows[at]->name,
					  parser->rows[at]->metavar);
	} else if (optopt && at < parser->count) {
		*ret_message = mem_format("--%s takes no value", parser->rows[at]->name);
	} else if (optopt > ' ' && optopt <= '~') {
		*ret_message = mem_format("unknown option '-%c'", optopt);
	} else if (optopt) {
		*ret_message = unknown_option(word_of_letter(argv, optopt));
	} else {
		*ret_message = unknown_option(argv[optind - 1]);
		*ret_hint = unknown_hint(parser, argv[optind - 1] + 2);
	}
}

/*
 * getopt_long takes any prefix that is unique today; a script that relies on one breaks with the
 * next option. Returns the word if it is such a prefix of the option's name: it is the last one
 * taken, or the one before its value.
 */
static const char *abbreviation(char *const *argv, const struct option_row *row)
{
	for (int i = optind - 1; i >= 1 && i >= optind - 2; i--) {
		const char *word = argv[i];
		size_t length = strcspn(word, "=");

		if (length < 2 || strncmp(word, "--", 2) ||
		    strncmp(word + 2, row->name, length - 2))
			continue;
		return row->name[length - 2] ? word : NULL;
	}
	return NULL;
}

int options_parse(int argc, char **argv, const struct option_set *sets, size_t set_count,
		  bool stop_at_word, char **ret_message, char **ret_hint)
{
	_cleanup_(parser_free) struct parser parser;
	int code;

	parser_init(&parser, sets, set_count, stop_at_word);
	*ret_hint = NULL;
	opterr = 0;
	optind = 0; /* glibc: starts anew, permuted or not as asked this time */
	while ((code = getopt_long(argc, argv, parser.letters, parser.longs, NULL)) != -1) {
		size_t at = find_code(&parser, code);
		const char *abbreviated;
		char *message;

		if (code == '?' || code == ':' || at == parser.count) {
			explain(&parser, code, argv, ret_message, ret_hint);
			return -EINVAL;
		}
		abbreviated = code >= NO_LETTER ? abbreviation(argv, parser.rows[at]) : NULL;
		if (abbreviated) {
			*ret_message = unknown_option(abbreviated);
			*ret_hint = unknown_hint(&parser, abbreviated + 2);
			return -EINVAL;
		}
		message = store(parser.rows[at],
				(char *)parser.owners[at]->values + parser.rows[at]->offset,
				optarg);
		if (message) {
			*ret_message = message;
			return -EINVAL;
		}
	}
	return optind;
}

const struct option_row *option_find(const struct option_set *sets, size_t set_count,
				     const char *word)
{
	bool is_long = !strncmp(word, "--", 2);

	for (size_t i = 0; i < set_count; i++) {
		for (size_t j = 0; j < sets[i].count; j++) {
			const struct option_row *row = &sets[i].rows[j];

			if (is_long ? !strcmp(word + 2, row->name)
				    : row->letter && word[0] == '-' && word[1] == row->letter &&
					      !word[2])
				return row;
		}
	}
	return NULL;
}
