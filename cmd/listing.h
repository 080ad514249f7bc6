/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The common part of all commands that print records: columns and objects from the command line,
 * loading what the columns need, rendering the rows, reporting the problems, the exit status.
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
	bool all_columns; /* the default is every field: a vertical record */
	struct columns columns;
	struct objects objects;
	struct problems problems; /* what went wrong, for standard error and the document */
	struct problems notes;	  /* for -v: what was done instead of what failed without loss */
	struct inventory inventory;
	struct inventory_request request; /* the caller may add to it before listing_load() */
	/* Record of schema->head, which JSON begins with; NULL: one with nothing known. */
	const void *head;
	const void **rows;
	size_t row_count;
	size_t streamed;	     /* number of rows already printed */
	int stream_rc;		     /* -errno of printing them */
	struct render_stream pieces; /* begun once listing_piece() has printed rows */
	bool silent;		     /* standard output has what --save writes */
	int status;		     /* the exit status, STATUS_DONE until something fails */
};

/* Parses the objects and the columns. False: they are wrong, and listing_end() reports it. */
bool listing_begin(struct listing *listing, const struct ctx *ctx, char **words, bool ports);
/* The same without objects, for a command whose options or words choose the schema. */
bool listing_begin_as(struct listing *listing, const struct ctx *ctx, const struct schema *schema,
		      bool all_columns);
/* Parses the objects alone, `ports`: DEV/PORT, too. False: one is wrong, which is noted. */
bool listing_parse_objects(struct listing *listing, char *const *words, bool ports);
/*
 * Replaces the default columns by those of a view of the schema, unless -o names some or the format
 * shows all columns.
 */
void listing_show_view(struct listing *listing, const char *when);
/* The same with a list that no view has. */
void listing_prefer_columns(struct listing *listing, const char *list);
/*
 * Prints several vertical records as a table of the default columns, or of those that -o names;
 * with -o all they stay records. Hidden columns are loaded nevertheless. Must be called before
 * anything is printed.
 */
void listing_as_table(struct listing *listing);
/* Loads what the columns need. False: there is nothing to list. */
bool listing_load(struct listing *listing);
/* Loads `needs` of the inventory, for records that a loader of their own reads. */
bool listing_load_inventory(struct listing *listing, uint64_t needs);
/*
 * The same, after inventory_load() or another that opens the root has returned that; what these
 * have not told themselves is told.
 */
bool listing_has_loaded(struct listing *listing, int rc);
void listing_add(struct listing *listing, const void *row);
/* Whether rows can be printed one by one: --jsonl. */
bool listing_streams(const struct listing *listing);
/* Prints the rows that were added since the last call; the listing does not need them any more. */
void listing_stream(struct listing *listing);
/*
 * Prints the rows of a round of --watch, as a table or lines of its own, and forgets them. A JSON
 * document and TSV have one beginning for all rounds.
 */
void listing_round(struct listing *listing);
/*
 * Prints the rows added so far, in any format but vertical records, and forgets them, so that they
 * may be freed. False: the output failed, and nothing more will be printed.
 */
bool listing_piece(struct listing *listing);
/* True: --root or RDMACTL_ROOT is set, which the command refuses with `reason` as the message. */
bool listing_refuses_root(struct listing *listing, const char *reason);
/*
 * The same unless the root is a snapshot, which answers for netlink and verbs as well. A root that
 * cannot be opened ends the command with that as the cause.
 */
bool listing_refuses_tree(struct listing *listing, const char *reason);
/*
 * A saved tree that is no snapshot does not hold what netlink answers. Where a column needs one of
 * `needs`, bits of struct field, that is a problem of the whole, which names those columns; after
 * the inventory was loaded.
 */
void listing_miss_answers(struct listing *listing, uint64_t needs);
/* The command saves to `path`: if that is standard output, no rows are printed to it. */
void listing_saves_to(struct listing *listing, const char *path);
/*
 * Notes a problem that ends the command with `status`. The message is cleaned, whatever words are
 * in it; strings are copied. Always false.
 */
bool listing_fail(struct listing *listing, int status, const char *message, const char *hint);
bool listing_fail_format(struct listing *listing, int status, const char *hint, const char *format,
			 ...) __attribute__((format(printf, 4, 5)));
/*
 * Reads a file that the user named; the caller frees the text. `hint` tells its form, or is NULL.
 * False: it cannot be read, or only to a NUL, and the listing has failed.
 */
bool listing_read_text(struct listing *listing, const char *path, size_t most, const char *hint,
		       char **ret_text);
/*
 * Asks on the terminal. False if there is none (the listing fails with `no_terminal` and its hint)
 * or the answer is no (it fails with `refused`).
 */
bool listing_confirm(struct listing *listing, const char *question, const char *no_terminal,
		     const char *hint, const char *refused);
/*
 * Message and next step for an unknown column, `bad` of columns_select(); the caller frees both.
 * `where` is the command line that lists the columns: rdmactl sa nodes --help.
 */
void listing_explain_column(const char *where, const struct schema *schema, const char *bad,
			    char **ret_message, char **ret_hint);
/* Format, headings and colour, for a command that renders its records itself. */
struct render_options listing_options(const struct listing *listing);
/* The default table, without -o: a command may print a form that is easier to read instead. */
bool listing_is_for_people(const struct listing *listing);
/* Prints, frees and returns the exit status. */
int listing_end(struct listing *listing);
/* What it holds, without printing anything; listing_end() does it as well. */
void listing_free(struct listing *listing);
/* Only prints the rows; pass the result to listing_end_quietly(). */
int listing_print(struct listing *listing);
/* listing_end() without printing the rows, for a command that has printed something else. */
int listing_end_quietly(struct listing *listing, int rc);
