/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A command as static data: what it is called, takes and shows. Help, completion and the generated
 * parts of the man pages are made from it without running it.
 */
#pragma once

#include "cli/option.h"
#include "schema/problem.h"

enum exit_status {
	STATUS_DONE = 0,
	STATUS_FAILED = 1,
	STATUS_USAGE = 2,
	STATUS_PARTIAL = 3, /* output is there, and so are problems */
	STATUS_FAULT = 4,   /* a test or check found a fault */
	STATUS_NOTHING = 5, /* nothing to act on: no RDMA device, no such device */
};

enum command_group {
	GROUP_INVENTORY,
	GROUP_LIVE,
	GROUP_TEST,
	GROUP_MAD,
	GROUP_SHELL,
	GROUP_HIDDEN,
};

enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* The options that every command has. */
struct globals {
	bool json, jsonl, tsv;
	const char *columns;
	bool no_headings;
	bool verbose, quiet;
	struct number color; /* enum color_when */
	const char *root;
	struct number timeout; /* milliseconds */
	bool help, version;
};

extern const struct option_row global_options[];
extern const size_t global_option_count;

struct command;

/* What a command is run with. */
struct ctx {
	const struct command *command;
	const struct command *const *commands; /* all of them, for help and completion */
	size_t command_count;
	struct globals globals;
};

/* A kind of records of a command that has several: its first word says which. */
struct command_form {
	const char *word, *alias; /* the alias may be NULL */
	const char *summary;	  /* of the word; one line, lower case, no full stop */
	const struct schema *schema;
	bool all_columns;
};

struct command {
	const char *name;
	enum command_group group;
	const char *summary; /* one line, lower case, no full stop */
	const char *objects; /* [DEV[/PORT]...], or NULL if it takes none */
	enum completion object_completion;
	const struct enum_name *object_choices; /* with COMPLETE_CHOICE */
	int least_objects, most_objects;	/* most -1: any number */
	const struct option_row *options;
	size_t option_count;
	size_t args_size;			  /* of the struct that the options fill */
	const struct schema *schema;		  /* of its records, or NULL */
	const struct schema *const *more_schemas; /* that options choose instead; ends with NULL */
	bool all_columns; /* the default is every field: a vertical record */
	/* Its forms, by number from 0; false: there are no more. NULL: the command has none. */
	bool (*form)(size_t number, struct command_form *ret_form);
	bool own_timeout;  /* --timeout is that of a request, and for the command to keep */
	bool raw;	   /* gets its words as they are, options included */
	bool passes_on;	   /* the same for the words behind the first: another program's options */
	const char *needs; /* what it needs of the system, in words, for the man page */
	/* Returns an enum exit_status. `objects` ends with NULL. */
	int (*run)(const struct ctx *ctx, const void *args, char **objects);
};

const struct command *command_find(const struct ctx *ctx, const char *name);
/* The closest name to a mistyped one, or NULL. */
const char *command_closest(const struct ctx *ctx, const char *name);

/* The form of that word or alias. */
bool command_form_find(const struct command *command, const char *word,
		       struct command_form *ret_form);
/* Complains of a word that is no form; returns STATUS_USAGE. */
int command_complain_form(const struct ctx *ctx, const char *word);
/*
 * All schemas of a command, by number from 0: its own, those that options choose, and those of its
 * forms; NULL at the end.
 */
const struct schema *command_schema(const struct command *command, size_t number);

/* Both table sets of a command: the global options, then its own (values may be NULL). */
void command_option_sets(const struct command *command, struct globals *globals, void *args,
			 struct option_set sets[static 2]);

/*
 * One line on standard error, `rdmactl COMMAND: message`, and the next step on a second one if
 * there is one. --quiet keeps the hint back.
 */
void command_complain(const struct ctx *ctx, const char *message, const char *hint);
