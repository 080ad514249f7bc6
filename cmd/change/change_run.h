/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What all commands share that change something. Such a command has change_run() as its run(), the
 * options change_options, an args struct that begins with struct change_args, and a struct changer
 * as its `data`, whose plan() adds the changes that its words ask for. Everything else (look, ask,
 * write, print, undo) is done here, so that all changes look the same.
 */
#pragma once

#include "base/signals.h"
#include "change/change.h"
#include "cmd/listing.h"

struct change_args {
	bool dry_run, yes, force, persist;
	struct number revert_after; /* milliseconds */
};

extern const struct option_row change_options[];

struct change_plan {
	struct listing listing; /* of change_schema; plan() may load the inventory into it */
	struct changes changes;
	struct change_host host;
	struct signals signals; /* taken while something is written */
	/* Only `change --from` fills these: the file, the line of each change, a plan for each
	 * line.
	 */
	char *file;
	unsigned int *line_numbers;
	struct change_plan *lines;
	size_t line_count;
};

struct changer {
	/*
	 * Adds changes to the plan. False: the words are wrong or there is no such object, and the
	 * listing has the problem and the status. Nothing may be written here.
	 */
	bool (*plan)(struct change_plan *plan, const void *args, char **words);
};

int change_run(const struct ctx *ctx, const void *args, char **words);

/* What the struct command of such a command has besides its words. */
#define CHANGING_COMMAND(changer_)                                            \
	.options = {change_options}, .args_size = sizeof(struct change_args), \
	.schema = &change_schema, .data = &(changer_), .run = change_run

/*
 * Adds a change for each pair of words, SETTING VALUE, from a table that ends with NULL. `fill`
 * gives the object to each, or is NULL; it may refuse by change_explain() and false. False: a word
 * is wrong, which the listing has as a problem.
 */
typedef bool change_fill(struct change *change, void *context);
bool change_plan_words(struct change_plan *plan, const struct setting *const *table, char **words,
		       const char *object, change_fill *fill, void *context);
/* The setting of a pair of words; NULL: it has none or no value, which the listing has as a
 * problem.
 */
const struct setting *change_find_pair(struct change_plan *plan, const struct setting *const *table,
				       char **words);
/*
 * Puts the values of pairs of words, KEYWORD VALUE, each at most once, at the places that their
 * keywords have in a table of `count`. False: a word is wrong, which the listing has as a problem,
 * with `usage` as the next step.
 */
bool change_take_values(struct change_plan *plan, const struct keyword *keywords, size_t count,
			char **words, const char **values, const char *usage);
/* Adds one change of a setting to the text of a user; false as above. */
bool change_plan_one(struct change_plan *plan, const struct setting *setting, const char *text,
		     const char *object, change_fill *fill, void *context);
/*
 * Loads the device that a word names, with these facts of it (host/need.h), for the settings as
 * well. NULL: there is none, which the listing has as a problem.
 */
struct device *change_plan_device(struct change_plan *plan, char *word, uint64_t needs);
/* Whether the kernel has RDMA; if not, the listing has the problem and the status. */
bool change_has_core(struct listing *listing);
/* Loads these facts of all devices, for the settings as well. Without them there are no notes. */
void change_load_host(struct change_plan *plan, uint64_t needs);
/* The keyword of that number, for struct command. */
const struct keyword *setting_keyword(const struct setting *const *table, size_t number);
