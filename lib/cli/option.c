/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cli/option.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

enum { NO_LETTER = 256 }; /* getopt_long codes of options without a letter begin here */

/* The limits of the kinds. */
#define COUNT_MOST    UINT32_MAX
#define DURATION_MOST (UINT64_C(3600000) * UINT32_MAX)
#define SIZE_MOST     (UINT64_C(1) << 40)

/* The arrays that getopt_long takes, and the row that belongs to each of its codes. */
struct parser {
	char *letters;
	struct option *longs;
	const struct option_row **rows; /* in the order of `longs` */
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
		for (const struct option_row *row = sets[i].rows; row->name; row++)
			most++;
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
		for (const struct option_row *row = sets[i].rows; row->name; row++, at++) {
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

/* Parses a number followed by a unit; *ret_value is their product. -ERANGE if it exceeds `most`. */
static int parse_with_unit(const char *text, const struct enum_name *units, uint64_t most,
			   uint64_t *ret_value)
{
	size_t digits = strspn(text, "0123456789");
	const struct enum_name *unit = enum_find_word(units, text + digits);
	_cleanup_(freep) char *plain = mem_format("%.*s", (int)digits, text);
	uint64_t value;
	int rc;

	if (!unit)
		return -EINVAL;
	rc = text_parse_u64(plain, 10, most / unit->value, &value);
	if (rc)
		return rc;
	*ret_value = value * unit->value;
	return 0;
}

/*
 * Reads 2 or 1.5 as a whole number and the power of ten that it is to be divided by: a double holds
 * both, so their quotient is the nearest to what was written. Returns the length, or 0 if it is no
 * such number. strtod() is not used: its decimal point depends on the locale, and it takes "inf".
 */
static size_t read_decimal(const char *text, uint64_t *ret_value, uint64_t *ret_weight)
{
	const size_t whole = strspn(text, "0123456789");
	const size_t rest = text[whole] == '.' ? strspn(text + whole + 1, "0123456789") : 0;
	const size_t length = rest ? whole + 1 + rest : whole;

	if (!whole || whole + rest > 15)
		return 0;
	*ret_value = 0;
	*ret_weight = 1;
	for (size_t i = 0; i < length; i++)
		if (i != whole)
			*ret_value = *ret_value * 10 + (uint64_t)(text[i] - '0');
	for (size_t i = 0; i < rest; i++)
		*ret_weight *= 10;
	return length;
}

/* Parses 0.2 or 1.5s; nine digits of days are no more than 64 bits of milliseconds hold. */
static int parse_fraction(const char *text, const struct enum_name *units, uint64_t *ret_msec)
{
	uint64_t value, weight;
	const size_t length = read_decimal(text, &value, &weight);
	const struct enum_name *unit = enum_find_word(units, text + length);

	/* A duration is a whole number of milliseconds. */
	if (!length || length > strlen("12345678.9") || !unit || value * unit->value % weight)
		return -EINVAL;
	*ret_msec = value * unit->value / weight;
	return 0;
}

int option_parse_duration(const char *text, uint64_t *ret_msec)
{
	static const struct enum_name units[] = {
		{1, "ms"},	 {1000, "s"}, {60000, "m"}, {3600000, "h"},
		{86400000, "d"}, {1000, ""},  {0, NULL},
	};

	return strchr(text, '.') ? parse_fraction(text, units, ret_msec)
				 : parse_with_unit(text, units, DURATION_MOST, ret_msec);
}

int option_parse_size(const char *text, uint64_t *ret_bytes)
{
	static const struct enum_name units[] = {
		{1, ""},	{1 << 10, "k"}, {1 << 10, "K"}, {1 << 20, "m"},
		{1 << 20, "M"}, {1 << 30, "g"}, {1 << 30, "G"}, {0, NULL},
	};

	return parse_with_unit(text, units, SIZE_MOST, ret_bytes);
}

static int parse_real(const char *text, struct real *real)
{
	uint64_t value, weight;
	const size_t length = read_decimal(text, &value, &weight);

	if (!length || text[length] || !value)
		return -EINVAL;
	*real = real_of((double)value / (double)weight);
	return 0;
}

static char *complain_choice(const struct option_row *row, const char *word, char **ret_hint)
{
	_cleanup_(freep) char *clean = text_clean(word, strlen(word));
	_cleanup_(freep) const char **words = NULL;
	size_t count = 0;
	char *message = mem_format("--%s: '%s' is not %s", row->name, clean,
				   row->choices[1].word ? "one of " : "a choice; the only one is ");

	for (const struct enum_name *choice = row->choices; choice->word; choice++) {
		mem_extend(&message, "%s%s", count ? ", " : "", choice->word);
		MEM_ADD(words, count) = choice->word;
	}
	*ret_hint = text_suggest(word, words, count, NULL);
	return message;
}

static char *store_choices(const struct option_row *row, struct number *number, const char *text,
			   char **ret_hint)
{
	uint64_t codes = 0;

	for_each_word (word, text, ",") {
		const struct enum_name *choice = enum_find_word(row->choices, word);

		if (!choice)
			return complain_choice(row, word, ret_hint);
		codes |= choice->value;
	}
	number_set(number, codes);
	return NULL;
}

/* Formats a limit as it is written on the command line. */
static char *format_limit(const struct option_row *row, uint64_t limit)
{
	if (row->kind != OPTION_DURATION)
		return mem_format("%" PRIu64, limit);
	if (limit % 1000)
		return mem_format("%" PRIu64 "ms", limit);
	if (limit % 3600000 || !limit)
		return mem_format("%" PRIu64 "s", limit / 1000);
	return mem_format("%" PRIu64 "h", limit / 3600000);
}

static char *complain_number(const struct option_row *row, const char *text)
{
	static const char *const expected[] = {
		[OPTION_DURATION] = "duration (500ms, 2s, 1m)",
		[OPTION_COUNT] = "whole number",
		[OPTION_SIZE] = "size (64, 4k, 1m)",
		[OPTION_REAL] = "number above 0 (3, 2.5)",
	};
	_cleanup_(freep) char *clean = text_clean(text, strlen(text));

	return mem_format("--%s: '%s' is not a %s", row->name, clean, expected[row->kind]);
}

static int parse_number(const struct option_row *row, const char *text, uint64_t *ret_value)
{
	switch (row->kind) {
	case OPTION_DURATION:
		return option_parse_duration(text, ret_value);
	case OPTION_SIZE:
		return option_parse_size(text, ret_value);
	default:
		return text_parse_u64(text, 10, COUNT_MOST, ret_value);
	}
}

/* Complains of a valid number that is outside the limits of the option or of its kind. */
static char *complain_limits(const struct option_row *row, const char *text, bool too_large)
{
	const uint64_t kind_most = row->kind == OPTION_DURATION ? DURATION_MOST
				   : row->kind == OPTION_SIZE	? SIZE_MOST
								: COUNT_MOST;
	_cleanup_(freep) char *clean = text_clean(text, strlen(text));
	_cleanup_(freep) char *least = format_limit(row, row->least);
	_cleanup_(freep) char *most = format_limit(row, row->most ? row->most : kind_most);

	if (row->most)
		return mem_format("--%s: '%s' is not between %s and %s", row->name, clean, least,
				  most);
	return mem_format("--%s: '%s' is %s than %s", row->name, clean, too_large ? "more" : "less",
			  too_large ? most : least);
}

static char *store_number(const struct option_row *row, struct number *number, const char *text)
{
	const struct enum_name *word = row->choices ? enum_find_word(row->choices, text) : NULL;
	uint64_t value;
	int rc;

	if (word) {
		number_set(number, word->value);
		return NULL;
	}
	rc = parse_number(row, text, &value);
	if (rc == -EINVAL)
		return complain_number(row, text);
	if (rc || value < row->least || (row->most && value > row->most))
		return complain_limits(row, text, rc);
	number_set(number, value);
	return NULL;
}

static char *store_string(const struct option_row *row, const char **member, const char *text)
{
	if (row->completion == COMPLETE_FILE && !*text)
		return mem_format("--%s: the name of the file is empty", row->name);
	/* An empty name is probably an unset variable: a test of no host must not find a fault. */
	if (row->completion == COMPLETE_HOST && !*text)
		return mem_format("--%s: the name of the host is empty", row->name);
	/*
	 * If a name is given twice, the last one counts; two conditions or changes would both be
	 * meant.
	 */
	if ((row->completion == COMPLETE_WHERE || row->completion == COMPLETE_FIELD) && *member)
		return mem_format("--%s is given twice: give all in one, FIELD=VALUE,FIELD=VALUE",
				  row->name);
	*member = text;
	return NULL;
}

/* Stores the value; returns a message, and perhaps the next step, if the text is not valid. */
static char *store(const struct option_row *row, void *member, const char *text, char **ret_hint)
{
	const struct enum_name *choice;

	switch (row->kind) {
	case OPTION_FLAG:
		*(bool *)member = true;
		return NULL;
	case OPTION_STRING:
		return store_string(row, member, text);
	case OPTION_DURATION:
	case OPTION_COUNT:
	case OPTION_SIZE:
		return store_number(row, member, text);
	case OPTION_REAL:
		return parse_real(text, member) ? complain_number(row, text) : NULL;
	case OPTION_CHOICES:
		return store_choices(row, member, text, ret_hint);
	default:
		choice = enum_find_word(row->choices, text);
		if (!choice)
			return complain_choice(row, text, ret_hint);
		number_set(member, choice->value);
		return NULL;
	}
}

bool option_given(const struct option_row *row, const void *values)
{
	const void *member = (const char *)values + row->offset;

	switch (row->kind) {
	case OPTION_FLAG:
		return *(const bool *)member;
	case OPTION_STRING:
		return *(const char *const *)member;
	case OPTION_REAL:
		return ((const struct real *)member)->known;
	default:
		return ((const struct number *)member)->known;
	}
}

static char *unknown_hint(const struct parser *parser, const char *word)
{
	_cleanup_(freep) const char **names = mem_alloc_zero(parser->count, sizeof(*names));
	_cleanup_(freep) char *name = mem_format("%.*s", (int)strcspn(word, "="), word);
	const char *closest;

	for (size_t i = 0; i < parser->count; i++)
		names[i] = parser->longs[i].name;
	closest = text_closest(name, names, parser->count);
	return closest ? mem_format("did you mean '--%s'?", closest) : NULL;
}

static bool has_strange_letter(const char *word)
{
	if (*word != '-')
		return false;
	while (*word > ' ' && *word <= '~')
		word++;
	return *word;
}

/*
 * Returns the word with an unknown letter that is not printable ASCII. glibc reports a byte of it,
 * and may have moved past the word; musl reports a wide character, and has not moved past words
 * before it.
 */
static const char *word_of_strange_letter(char *const *argv)
{
	for (int i = optind > 1 ? optind - 1 : 1; argv[i]; i++)
		if (has_strange_letter(argv[i]))
			return argv[i];
	return argv[optind - 1];
}

/*
 * A hint for -json, whose letters are taken one by one; NULL if no name is similar to such a word.
 */
static char *one_dash_hint(const struct parser *parser, char *const *argv, char letter)
{
	char *hint = NULL;

	for (int i = 1; argv[i] && strcmp(argv[i], "--") != 0 && !hint; i++)
		if (argv[i][0] == '-' && argv[i][1] != '-' && strchr(argv[i], letter))
			hint = unknown_hint(parser, argv[i] + 1);
	return hint;
}

static char *unknown_option(const char *word)
{
	_cleanup_(freep) char *clean = text_clean(word, strlen(word));

	return mem_format("unknown option '%s'", clean);
}

/* Explains the code of getopt_long: '?' is an unknown or ambiguous option, ':' a missing value. */
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
		*ret_hint = one_dash_hint(parser, argv, (char)optopt);
	} else if (optopt) {
		*ret_message = unknown_option(word_of_strange_letter(argv));
	} else {
		*ret_message = unknown_option(argv[optind - 1]);
		*ret_hint = unknown_hint(parser, argv[optind - 1] + 2);
	}
}

/*
 * getopt_long accepts any unique prefix of a name; a script that relies on one breaks when the next
 * option is added. Returns the word, if it is such a prefix: the last one that was taken, or the
 * one before it, if that is the value.
 */
static const char *abbreviation(char *const *argv, const struct option_row *row)
{
	const char *word = argv[optind - (optarg == argv[optind - 1] ? 2 : 1)];

	return strcspn(word, "=") < strlen("--") + strlen(row->name) ? word : NULL;
}

/* Returns the option that getopt_long has taken as the value of another, as a word of its own. */
static const struct option_row *option_as_value(char *const *argv, const struct option_set *sets,
						size_t set_count)
{
	return optarg && optarg == argv[optind - 1] && !strncmp(optarg, "--", 2)
		       ? option_find(sets, set_count, optarg)
		       : NULL;
}

int options_parse(int argc, char **argv, const struct option_set *sets, size_t set_count,
		  bool stop_at_word, char **ret_message, char **ret_hint)
{
	_cleanup_(parser_free) struct parser parser;
	int code;

	parser_init(&parser, sets, set_count, stop_at_word);
	*ret_hint = NULL;
	opterr = 0;
	optind = 0; /* makes glibc read `letters` for the order of words again */
	while ((code = getopt_long(argc, argv, parser.letters, parser.longs, NULL)) != -1) {
		size_t at = find_code(&parser, code);
		const struct option_row *next;
		const char *abbreviated;

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
		next = option_as_value(argv, sets, set_count);
		if (next) {
			*ret_message = mem_format("--%s is followed by --%s: is its value missing?",
						  parser.rows[at]->name, next->name);
			/* A user who asks for the help gets the command that prints it. */
			if (strcmp(next->name, "help") != 0)
				*ret_hint = mem_format(
					"a value that begins with -- is given as --%s=VALUE",
					parser.rows[at]->name);
			return -EINVAL;
		}
		*ret_message = store(parser.rows[at],
				     (char *)parser.owners[at]->values + parser.rows[at]->offset,
				     optarg, ret_hint);
		if (*ret_message)
			return -EINVAL;
	}
	return optind;
}

const struct option_row *option_find(const struct option_set *sets, size_t set_count,
				     const char *word)
{
	const bool is_long = !strncmp(word, "--", 2);
	const size_t length = is_long ? strcspn(word + 2, "=") : 0;

	for (size_t i = 0; i < set_count; i++)
		for (const struct option_row *row = sets[i].rows; row->name; row++)
			if (is_long ? strlen(row->name) == length &&
					      !strncmp(word + 2, row->name, length)
				    : row->letter && word[0] == '-' && word[1] == row->letter &&
					      !word[2])
				return row;
	return NULL;
}
