/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What all listing commands do: columns and objects from the command line, loading what the columns
 * need, rendering the rows, telling the problems, the exit status.
 */
#pragma once

#include "cli/command.h"
#include "host/inventory.h"
#include "render/render.h"

struct listing {
	const struct ctx *ctx;
	const struct schema *schema;
	bool all_columns; /* the default is every field: a vertical record */
	struct columns columns;
	struct objects objects;
	struct problems problems; /* what went wrong, for standard error and the document */
	struct problems notes;	  /* for -v: what was done instead of what failed without loss */
	struct inventory inventory;
	struct inventory_request request; /* to be completed before listing_load() */
	const void **rows;
	size_t row_count;
	size_t streamed;	     /* of those, the first so many are out */
	int stream_rc;		     /* -errno of that */
	struct render_stream pieces; /* begun: rows went out by listing_piece() */
	int status; /* what the command will end with; STATUS_DONE until something happens */
};

/*
 * Parses the objects and the columns. False: it was bad input, listing_end() says the rest.
 */
bool listing_begin(struct listing *listing, const struct ctx *ctx, char **words, bool ports);
/* The same without objects, for a command whose records depend on its words. */
bool listing_begin_as(struct listing *listing, const struct ctx *ctx, const struct schema *schema,
		      bool all_columns);
/* Shows other columns than the schema's default ones, unless -o names some or the format shows all.
 */
void listing_prefer_columns(struct listing *listing, const char *list);
/*
 * Several of what is a vertical record by itself: a table of the schema's default columns, or of
 * those that -o names; all columns of -o all stay records. Columns that are shown less are loaded
 * all the same. To be called before anything is printed.
 */
void listing_as_table(struct listing *listing);
/* Loads what the columns need. False: there is nothing to list. */
bool listing_load(struct listing *listing);
/* The same for records whose own loader knows the needs: of the inventory `needs` only. */
bool listing_load_inventory(struct listing *listing, unsigned int needs);
void listing_add(struct listing *listing, const void *row);
/* Whether rows can go out one by one: --jsonl. */
bool listing_streams(const struct listing *listing);
/* Then those that were added go out at once, and are of no use to the listing any more. */
void listing_stream(struct listing *listing);
/*
 * Prints the rows added so far, in any format but vertical records, and forgets them: they need not
 * live longer. False: the output is broken, more is in vain.
 */
bool listing_piece(struct listing *listing);
/* True: --root or RDMACTL_ROOT is set, and the listing says why that does not go with it. */
bool listing_refuses_root(struct listing *listing, const char *reason);
/* Notes a problem that ends the command with `status`; strings are copied. */
void listing_fail(struct listing *listing, int status, const char *message, const char *hint);
/*
 * Message and next step for a column that is not there, the word of columns_select(); both for the
 * caller to free. `where` is what lists those that are: rdmactl sa nodes --help.
 */
void listing_explain_column(const char *where, const struct schema *schema, const char *bad,
			    char **ret_message, char **ret_hint);
/* The next step for a value that the field does not take: its words, or its help. To be freed. */
char *listing_explain_value(const struct field *field);
/* How its rows are printed, for a command that shows them in a way of its own. */
struct render_options listing_options(const struct listing *listing);
/* Prints, frees and returns the exit status. */
int listing_end(struct listing *listing);
/* Prints the rows, and leaves the rest to listing_end_quietly(), which wants the result. */
int listing_print(struct listing *listing);
/* Frees without printing the rows: for a command that has printed something else. */
int listing_end_quietly(struct listing *listing, int rc);
