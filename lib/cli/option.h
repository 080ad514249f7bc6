/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Options as static tables. getopt_long's arrays, help, man text and completion all come from them.
 * The value of an option is stored at its offset in the struct that belongs to the table.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "schema/value.h"

enum option_kind {
	OPTION_FLAG,	 /* bool */
	OPTION_STRING,	 /* const char *, into argv */
	OPTION_CHOICE,	 /* struct number: the code of one of `choices` */
	OPTION_CHOICES,	 /* struct number: bits, the codes of several with commas between */
	OPTION_DURATION, /* struct number, milliseconds: 500ms, 2s, 1m; a plain number: seconds */
	OPTION_COUNT,	 /* struct number, decimal */
	OPTION_SIZE,	 /* struct number, bytes: 64, 4k, 1m */
	OPTION_REAL,	 /* struct real, above 0: 3, 2.5 */
} __attribute__((packed));

/* The class of words that the shell completes for a value or an object. */
enum completion {
	COMPLETE_NOTHING,
	COMPLETE_DEVICE,
	COMPLETE_PORT, /* DEV and DEV/PORT */
	COMPLETE_COLUMN,
	COMPLETE_FILE,
	COMPLETE_ROOT, /* a saved tree, or a snapshot of it in a file; empty: the live system */
	COMPLETE_NETDEV,
	COMPLETE_DEVICE_OR_NETDEV,
	COMPLETE_PORT_OR_NETDEV,
	COMPLETE_COMMAND,
	COMPLETE_SCHEMA,
	COMPLETE_CHOICE, /* the option's choices */
	COMPLETE_FIELD,	 /* FIELD=VALUE of the command's schema, to set it */
	COMPLETE_WHERE,	 /* the same to select records: any field */
	COMPLETE_HOST,	 /* a host or its address: nothing to complete, but not empty */
	COMPLETE_TEST,	 /* tests of selftest and their groups, with commas between */
} __attribute__((packed));

/* Kept small, like struct field. */
struct option_row {
	const char *name; /* without -- */
	char letter;	  /* 0: none */
	enum option_kind kind;
	enum completion completion;
	uint32_t offset;
	const char *metavar;
	const char *help;
	const struct enum_name *choices; /* of a number: words for some values of it */
	uint64_t least, most; /* of a count, size or duration; most 0: the kind's own limit */
};

#define OPTION_OFFSET(record, member, type)                                                    \
	(offsetof(record, member) +                                                            \
	 0 * sizeof(char[__builtin_types_compatible_p(__typeof__(((record *)0)->member), type) \
				 ? 1                                                           \
				 : -1]))

#define OPTION_ROW(kind_, type, record, member, letter_, name_, help_, ...)              \
	{                                                                                \
		.name = name_, .letter = letter_, .kind = OPTION_##kind_, .help = help_, \
		.offset = OPTION_OFFSET(record, member, type), __VA_ARGS__               \
	}
#define FLAG_OPTION(record, member, letter_, name_, help_) \
	OPTION_ROW(FLAG, bool, record, member, letter_, name_, help_, .metavar = NULL)
#define STRING_OPTION(record, member, letter_, name_, metavar_, completion_, help_) \
	OPTION_ROW(STRING, const char *, record, member, letter_, name_, help_,     \
		   .metavar = metavar_, .completion = completion_)
#define CHOICE_OPTION(record, member, letter_, name_, metavar_, choices_, help_) \
	OPTION_ROW(CHOICE, struct number, record, member, letter_, name_, help_, \
		   .metavar = metavar_, .choices = choices_, .completion = COMPLETE_CHOICE)
#define CHOICES_OPTION(record, member, letter_, name_, metavar_, choices_, help_) \
	OPTION_ROW(CHOICES, struct number, record, member, letter_, name_, help_, \
		   .metavar = metavar_, .choices = choices_, .completion = COMPLETE_CHOICE)
#define DURATION_OPTION(record, member, letter_, name_, metavar_, help_)           \
	OPTION_ROW(DURATION, struct number, record, member, letter_, name_, help_, \
		   .metavar = metavar_)
/* COUNT, SIZE or DURATION within limits. */
#define NUMBER_OPTION(kind_, record, member, letter_, name_, metavar_, least_, most_, help_) \
	OPTION_ROW(kind_, struct number, record, member, letter_, name_, help_,              \
		   .metavar = metavar_, .least = least_, .most = most_)
#define REAL_OPTION(record, member, letter_, name_, metavar_, help_) \
	OPTION_ROW(REAL, struct real, record, member, letter_, name_, help_, .metavar = metavar_)

/* A table, ended by a row without a name, and the struct that it fills. */
struct option_set {
	const struct option_row *rows;
	void *values;
};

/*
 * Options that clash, or that need another one. Both lists have blanks between the names; global
 * options may be named, too. A name that the command does not have is ignored, so that the
 * subcommands of a command can share a table.
 */
struct option_rule {
	const char *options;
	bool need;
	const char *others;
	const char *hint; /* the next step; NULL: the command's --help */
};

/* None of `options_` can be used with any of `others_`. */
#define OPTIONS_EXCLUDE(options_, others_, hint_)                      \
	{                                                              \
		.options = options_, .others = others_, .hint = hint_, \
	}
/* At most one of them. */
#define OPTIONS_ONE_OF(options_, hint_) OPTIONS_EXCLUDE(options_, options_, hint_)
/* Each of `options_` needs one of `others_`. */
#define OPTIONS_NEED(options_, others_, hint_)                                       \
	{                                                                            \
		.options = options_, .need = true, .others = others_, .hint = hint_, \
	}

/*
 * Parses argv[1] ... according to the tables of `sets`. With `stop_at_word` the first word that is
 * not an option ends it; without, words and options may be mixed. Returns the index of the first
 * word (argv is permuted), or -EINVAL with one line in *ret_message for the user and perhaps the
 * next step in *ret_hint, which the caller frees.
 */
int options_parse(int argc, char **argv, const struct option_set *sets, size_t set_count,
		  bool stop_at_word, char **ret_message, char **ret_hint);
/*
 * Checks parsed options against the rules, which end with a row without options; NULL if there are
 * none. Returns 0, or -EINVAL with message and hint as above.
 */
int options_check(const struct option_rule *rules, const struct option_set *sets, size_t set_count,
		  char **ret_message, char **ret_hint);
/* Returns whether a rule excludes the option next to one of `given`. */
bool options_excluded(const struct option_rule *rules, const char *name,
		      const struct strings *given);

/* Returns whether the option has a value in the struct that its table fills. */
bool option_given(const struct option_row *row, const void *values);
/* Parses a size as OPTION_SIZE does. Returns 0, -EINVAL, or -ERANGE above 1 TiB. */
int option_parse_size(const char *text, uint64_t *ret_bytes);
/*
 * Parses a duration as OPTION_DURATION does, to milliseconds. Returns 0, -EINVAL, or -ERANGE if it
 * is too long.
 */
int option_parse_duration(const char *text, uint64_t *ret_msec);

/* Returns the row of --name, --name=value or -n, or NULL. */
const struct option_row *option_find(const struct option_set *sets, size_t set_count,
				     const char *word);
