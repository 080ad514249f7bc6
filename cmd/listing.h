/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The common part of all commands that print records: columns and objects from the command line,
 * loading the facts that the columns need, rendering rows, reporting problems, the exit status.
 */
#pragma once

#include "cli/command.h"
#include "host/inventory/inventory.h"
#include "render/render.h"

#define WATCH_INTERVAL_MSEC                                                  \
	1000u /* between two readings of --watch, unless --interval is given \
	       */

struct listing {
	const struct ctx *ctx;
	const struct schema *schema;
	bool all_columns; /* default to all fields, in vertical records */
	struct columns columns;
	struct objects objects;
	struct problems problems; /* failures, for standard error and the document */
	struct problems notes;	  /* for -v: fallbacks after failures that lost nothing */
	struct inventory inventory;
	struct inventory_request request; /* the caller may add to it before listing_load() */
	/* Record of schema->head, which starts JSON documents; NULL: one with nothing known. */
	const void *head;
	const void **rows;
	size_t row_count;
	size_t streamed;	     /* number of rows already printed */
	int stream_rc;		     /* -errno of printing them */
	struct render_stream pieces; /* open once listing_piece() has printed rows */
	bool silent;		     /* standard output is taken by --save */
	int status;		     /* exit status, STATUS_DONE until something fails */
};

/* Parses objects and columns. False: they are wrong, which listing_end() reports. */
bool listing_begin(struct listing *listing, const struct ctx *ctx, char **words, bool ports);
/* Like listing_begin() without objects, for a command whose options or words choose the schema. */
bool listing_begin_as(struct listing *listing, const struct ctx *ctx, const struct schema *schema,
		      bool all_columns);
/* Parses only the objects; with `ports`, also DEV/PORT. False: one is wrong, which is noted. */
bool listing_parse_objects(struct listing *listing, char *const *words, bool ports);
/*
 * Replaces the default columns with those of a view of the schema, unless -o names some or the
 * format shows all columns.
 */
void listing_show_view(struct listing *listing, const char *when);
/* Like listing_show_view(), with a list that is not a view. */
void listing_prefer_columns(struct listing *listing, const char *list);
/*
 * Prints several vertical records as a table of the default columns, or of those named by -o; with
 * -o all they stay records. Hidden columns are still loaded. Must be called before anything is
 * printed.
 */
void listing_as_table(struct listing *listing);
/* Loads facts that the columns need. False: there is nothing to list. */
bool listing_load(struct listing *listing);
/* Loads `needs` of the inventory, for records from a separate loader. */
bool listing_load_inventory(struct listing *listing, uint64_t needs);
/*
 * Like listing_load_inventory(), after inventory_load(), or another function that opens the root,
 * has returned `rc`; reports errors that these have not reported.
 */
bool listing_has_loaded(struct listing *listing, int rc);
void listing_add(struct listing *listing, const void *row);
/* Whether rows can be printed one by one: --jsonl. */
bool listing_streams(const struct listing *listing);
/* Prints rows added since the last call; the listing no longer needs them. */
void listing_stream(struct listing *listing);
/*
 * Prints and drops the rows of a round of --watch, as a separate table or lines. In JSON and TSV,
 * one document has all rounds.
 */
void listing_round(struct listing *listing);
/*
 * Prints and drops the rows added so far, in any format except vertical records, so that they may
 * be freed. False: the output failed, and nothing more will be printed.
 */
bool listing_piece(struct listing *listing);
/* True if --root or RDMACTL_ROOT is set, which the command refuses with `reason` as the message. */
bool listing_refuses_root(struct listing *listing, const char *reason);
/*
 * Like listing_refuses_root(), but accepts a snapshot, which also answers for netlink and verbs. A
 * root that cannot be opened ends the command, with that as the cause.
 */
bool listing_refuses_tree(struct listing *listing, const char *reason);
/*
 * For a command that shows what changes: refuses an archive, because its contents are the same in
 * every round. A directory may change, and may even be the /sys of a host, mounted in a container.
 */
bool listing_refuses_archive(struct listing *listing, const char *hint);
/*
 * Call this after loading the inventory. A saved tree that is no snapshot lacks netlink's answers:
 * if a column needs one of `needs`, bits of struct field, that is a problem of the listing, which
 * names those columns.
 */
void listing_miss_answers(struct listing *listing, uint64_t needs);
/* The command saves to `path`: if this is standard output, no rows are printed there. */
void listing_saves_to(struct listing *listing, const char *path);
/*
 * Notes a problem that ends the command with `status`. The message is cleaned, so it may contain
 * any text; strings are copied. Always returns false.
 */
bool listing_fail(struct listing *listing, int status, const char *message, const char *hint);
bool listing_fail_format(struct listing *listing, int status, const char *hint, const char *format,
			 ...) __attribute__((format(printf, 4, 5)));
/* Notes that the file cannot be written, for an error of file_replace(). Always returns false. */
bool listing_fail_to_write(struct listing *listing, const char *path, int rc);
/*
 * Notes that there is none of what is listed, such as "no IPoIB netdev". If a value that `hiding`
 * names, "ports,link_layer", could not be read, the answer is only partial; NULL: if any could not.
 */
void listing_none(struct listing *listing, const char *hiding, const char *what, const char *hint);
/*
 * Reads a file that the user named; the caller frees the text. `hint` describes the format, or is
 * NULL. False: it cannot be read, or contains a NUL, and the listing has failed.
 */
bool listing_read_text(struct listing *listing, const char *path, size_t most, const char *hint,
		       char **ret_text);
/*
 * Asks on the terminal. False if there is none (the listing fails with `no_terminal` and its hint)
 * or if the answer is no (it fails with `refused`).
 */
bool listing_confirm(struct listing *listing, const char *question, const char *no_terminal,
		     const char *hint, const char *refused);
/*
 * Returns message and next step for an unknown column, `bad` from columns_select(); the caller
 * frees both. `where` is the command line that lists the columns: rdmactl sa nodes --help.
 */
void listing_explain_column(const char *where, const struct schema *schema, const char *bad,
			    char **ret_message, char **ret_hint);
/* Returns format, headings and colour, for a command that renders its records itself. */
struct render_options listing_options(const struct listing *listing);
/* True for the default table without -o: a command may print a more readable form instead. */
bool listing_is_for_people(const struct listing *listing);
/* Prints and frees the listing, and returns the exit status. */
int listing_end(struct listing *listing);
/* Frees the contents without printing anything; listing_end() also does this. */
void listing_free(struct listing *listing);
/* Only prints the rows; pass the result to listing_end_quietly(). */
int listing_print(struct listing *listing);
/* listing_end() without printing the rows, for a command that has printed something else. */
int listing_end_quietly(struct listing *listing, int rc);
