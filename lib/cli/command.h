/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A command as static data: its name, options, columns and subcommands. Help, completion, schemas
 * and the generated parts of the man pages are made from it without running it.
 *
 * A command with subcommands (`fabric check`) has them in `children`, or makes them from a table of
 * a library in child(). Each is a separate struct command: only its own options are parsed, and
 * its --help, completion and columns are its own. Options may come before or after the word of the
 * subcommand. Without such a word the command's run() is called; a command without run() takes its
 * first child, or, if least_objects is not 0, asks for one. A subcommand's run() gets the words
 * after its own; ctx->command is the subcommand, and its `data` may say which one of a family that
 * shares a run(). Options that several subcommands share are tables of their own, named in the
 * `options` of each; all tables of one command fill the same args struct. An option that only
 * siblings take is refused, and so is one that the `rules` exclude, before run() is called.
 */
#pragma once

#include <stdio.h>

#include "cli/option.h"
#include "schema/problem.h"

enum exit_status {
	STATUS_DONE = 0,
	STATUS_FAILED = 1,
	STATUS_USAGE = 2,
	STATUS_PARTIAL = 3, /* there is output, but also problems */
	STATUS_FAULT = 4,   /* a test or check found a fault */
	STATUS_NOTHING = 5, /* nothing to act on: no RDMA device, no such device */
};

enum command_group {
	GROUP_INVENTORY,
	GROUP_LIVE,
	GROUP_TEST,
	GROUP_MAD,
	GROUP_CHANGE,
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

struct command;

/* A program that a command replaces, for users who type its name. */
struct older_tool {
	const char *name;
	const char *instead; /* the next step */
};

/* The arguments of a command's run(). */
struct ctx {
	const struct command *command;
	const struct command *parent;	       /* whose subcommand it is, or NULL */
	const struct command *const *commands; /* all of them, for help and completion */
	size_t command_count;
	const struct older_tool *older_tools; /* ends with a row without a name; or NULL */
	struct globals globals;
	bool archive; /* --root names an archive, whose contents globals.root leads to */
};

/*
 * A table of a command that its manual lists: each record by its first column, the other texts
 * after it. `row` returns NULL after the last.
 */
struct catalogue {
	const char *block; /* name of the block in the page: CHECKS */
	const struct schema *schema;
	const void *(*row)(size_t number);
};

enum { COMMAND_TABLES = 5 };

struct command {
	const char *name;
	const char *alias; /* of a subcommand; or NULL */
	enum command_group group;
	/* One line, lower case, no full stop; NULL in a subcommand: the schema's. */
	const char *summary;
	const char *objects; /* [DEV[/PORT]...], or NULL if it takes none */
	enum completion object_completion;
	const struct enum_name *object_choices; /* of the last object, or with COMPLETE_CHOICE */
	int least_objects, most_objects;	/* most -1: any number */
	const struct option_row *options[COMMAND_TABLES + 1]; /* tables; ends with NULL */
	const struct option_rule *rules; /* ends with {0}; a subcommand has its parent's, too */
	size_t args_size;		 /* of the struct that the options fill */
	const struct schema *schema;	 /* of its records, or NULL */
	const struct schema *const *more_schemas; /* that options choose instead; ends with NULL */
	bool without_root;			  /* reads nothing of any host: --root is ignored */
	bool all_columns;		       /* the default is every field: a vertical record */
	const struct command *const *children; /* subcommands; ends with NULL */
	bool (*child)(size_t number, struct command *ret_child); /* or this: false after the last */
	/*
	 * Returns the words that may follow the objects, each with a value after it: `dev set DEV
	 * name NAME ...`. NULL after the last. The pointer is NULL if there are no such words.
	 */
	const struct keyword *(*keyword)(size_t number);
	const char *child_word; /* what `objects` calls the word of a subcommand: COMMAND */
	const struct catalogue *catalogue; /* or NULL */
	const void *data;		   /* which one of several commands that share a run() */
	bool own_timeout; /* --timeout is that of a request; the command applies it itself */
	bool raw;	  /* gets its words as they are, options included */
	bool passes_on;	  /* the same for the words after the first: another program's options */
	/*
	 * Called before --timeout begins and --root is opened, or NULL. Returns true, with the exit
	 * status, in a process that has only waited for another one to run the command.
	 */
	bool (*supervise)(struct ctx *ctx, const void *args, int *ret_status);
	/*
	 * Called if the run cannot begin: its options or objects are wrong (STATUS_USAGE; `args`
	 * has those before the wrong one), or its --root cannot be opened (STATUS_FAILED). Returns
	 * the exit status. NULL: `status` is the exit status.
	 */
	int (*unable)(const struct ctx *ctx, const void *args, int status);
	/* Returns an enum exit_status. `objects` ends with NULL. */
	int (*run)(const struct ctx *ctx, const void *args, char **objects);
};

const struct command *command_find(const struct ctx *ctx, const char *name);
/* Returns the next step for users who type the name of an older tool, or NULL. */
const char *command_instead(const struct ctx *ctx, const char *word);
/* Returns the message about a word that names no command, and the next step; both to be freed. */
char *command_unknown(const struct ctx *ctx, const char *word, char **ret_hint);

/* Gets the subcommand of that number, from 0; it inherits the parent's common members. */
bool command_child(const struct command *command, size_t number, struct command *ret_child);
/* Gets the subcommand of that name or alias. */
bool command_find_child(const struct command *command, const char *word, struct command *ret_child);
/*
 * Returns the message about a word that names no subcommand, and the next step or NULL; both to be
 * freed.
 */
char *command_unknown_child(const struct command *command, const char *word, char **ret_hint);
/* Returns the hint for show, list or help, which iproute2 has as words; or NULL. */
char *command_hint_word(const char *path, const char *word);
bool command_has_children(const struct command *command);
/* Gets the subcommand that is run if no word names one. */
bool command_default_child(const struct command *command, struct command *ret_child);
/*
 * Finds the word of a subcommand in argv, removes it, and makes `child`, a copy of the subcommand,
 * the command of `ctx`. If no word names one, the command stays, or globals.help or globals.version
 * is set because argv asks for that. Returns 0, or -EINVAL with a message and perhaps the next step
 * for the caller to free.
 */
int command_choose_child(struct ctx *ctx, struct command *child, int *argc, char **argv,
			 char **ret_message, char **ret_hint);

/* "fabric check"; the caller frees it. */
char *command_path(const struct ctx *ctx);

/*
 * Adds the schemas of a command to *schemas, each once: its own, those that options choose, and
 * those of its subcommands.
 */
void command_add_schemas(const struct command *command, const struct schema ***schemas,
			 size_t *count);
/*
 * Gets the schemas of all commands except hidden ones, each once. Returns their number; the caller
 * frees the array.
 */
size_t command_all_schemas(const struct ctx *ctx, const struct schema ***ret_schemas);

/*
 * Gets the global options and the command's own; `globals` and `args` may be NULL. Returns the
 * number of tables.
 */
size_t command_option_sets(const struct command *command, struct globals *globals, void *args,
			   struct option_set sets[static COMMAND_TABLES + 1]);
/*
 * Gets the tables of a command and of its subcommands, each once, without values. Returns their
 * number; the caller frees the array.
 */
size_t command_family_sets(const struct command *command, struct option_set **ret_sets);
/* Checks the global rules, the parent's and the command's; as options_check(). */
int command_check_options(const struct ctx *ctx, const struct option_set *sets, size_t set_count,
			  char **ret_message, char **ret_hint);
/*
 * Returns a message if a command has too few or too many words, or an empty file name; to be freed.
 */
char *command_check_objects(const struct command *command, int count, char *const *objects);
/* Returns whether one of these rules excludes the option next to one of `given`. */
bool command_excludes(const struct ctx *ctx, const char *name, const struct strings *given);

/*
 * Prints one line on standard error, `rdmactl COMMAND: message`, and the next step, if any, on a
 * second one. --quiet suppresses the hint. A subcommand complains under its parent's name. Returns
 * STATUS_USAGE.
 */
int command_complain(const struct ctx *ctx, const char *message, const char *hint);

/* Complains, with `hint` or the command's --help; frees both and returns STATUS_USAGE. */
int command_usage(const struct ctx *ctx, char *message, char *hint);

/* help.c: prints the commands by group, and the global options. */
void help_overview(const struct ctx *ctx, FILE *stream);
/* Prints the help of one command; `parent` is NULL unless it is a subcommand. */
void help_of_command(const struct command *parent, const struct command *command, FILE *stream);
/* manual.c: prints the mdoc(7) blocks, .\" BEGIN to .\" END; NULL: those of rdmactl(1). */
void help_man_blocks(const struct ctx *ctx, const struct command *command);

/* Lists the names of a completion class on this system or in the saved tree `root`. */
typedef void (*complete_list)(enum completion completion, const char *root,
			      struct strings *ret_names);
/*
 * complete.c: shell completion. The stubs of bash, zsh and fish pass the words after `rdmactl` up
 * to the one that is being completed, then NULL. The candidates are printed one per line, as
 * `word<TAB>help`; a line `:file` asks the shell to complete file names.
 */
void complete_words(const struct ctx *ctx, char *const *words, complete_list list);
