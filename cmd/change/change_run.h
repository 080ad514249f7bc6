/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by all commands that change something. Such a command uses change_run() as its run(), the
 * options change_options, an args struct that begins with struct change_args, and a struct changer
 * as its `data`, whose plan() adds the requested changes. Everything else (read, ask, write, print,
 * undo) is done here, so that all changes work the same way.
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
	struct signals signals; /* held while something is written */
	/*
	 * Filled by `change --from` only: the file, the line of each change, a plan for each line.
	 */
	char *file;
	unsigned int *line_numbers;
	struct change_plan *lines;
	size_t line_count;
};

struct changer {
	/*
	 * Adds changes to the plan. False: the words are wrong or the object does not exist, and
	 * the listing has the problem and the status. Must not write anything.
	 */
	bool (*plan)(struct change_plan *plan, const void *args, char **words);
};

int change_run(const struct ctx *ctx, const void *args, char **words);

/* The members that all such commands have in common, for their struct command. */
#define CHANGING_COMMAND(plan_)                                                   \
	.options = {change_options}, .args_size = sizeof(struct change_args),     \
	.schema = &change_schema, .data = &(const struct changer){.plan = plan_}, \
	.run = change_run

/*
 * Adds a change for each pair of words, SETTING VALUE, from a table that ends with NULL. `fill`
 * sets the object of each change, or is NULL; it may refuse with change_explain() and false. False:
 * a word is wrong, and the listing has the problem.
 */
typedef bool change_fill(struct change *change, void *context);
bool change_plan_words(struct change_plan *plan, const struct setting *const *table, char **words,
		       const char *object, change_fill *fill, void *context);
/*
 * Finds the setting of a pair of words; NULL: no such setting, or its value is missing, and the
 * listing has the problem.
 */
const struct setting *change_find_pair(struct change_plan *plan, const struct setting *const *table,
				       char **words);
/*
 * Stores the values of KEYWORD VALUE pairs, each keyword at most once, at the indices of the
 * keywords in a table of `count`. False: a word is wrong, and the listing has the problem.
 */
bool change_take_values(struct change_plan *plan, const struct keyword *keywords, size_t count,
			char **words, const char **values);
/*
 * Ends the command with the change's reason and next step, or, if the words are wrong and there is
 * none, the command's help. Always returns false.
 */
bool change_plan_fail(struct change_plan *plan, const struct change *change, int status);
/* Adds one change of a setting to the user's text; false as above. */
bool change_plan_one(struct change_plan *plan, const struct setting *setting, const char *text,
		     const char *object, change_fill *fill, void *context);
/*
 * Loads the device that a word names, with these facts (host/need.h), which the settings can use,
 * too. NULL: no such device, and the listing has the problem.
 */
struct device *change_plan_device(struct change_plan *plan, char *word, uint64_t needs);
/* Whether the kernel has RDMA; if not, the listing has the problem and the status. */
bool change_has_core(struct listing *listing);
/*
 * Loads these facts of all devices as plan->host.inventory, which the settings can use, too. Lines
 * of a file that need the same share it, unless it has problems and these are told: they may be
 * NULL. 0 or -errno.
 */
int change_load_host(struct change_plan *plan, uint64_t needs, struct problems *problems);
/* Returns the keyword with that number, for struct command. */
const struct keyword *setting_keyword(const struct setting *const *table, size_t number);

extern const struct command roce_set_command;

/*
 * change_wait.c: signals during a change, and --revert-after: a change that may have cut its user's
 * own session is undone unless the user confirms it.
 */

/*
 * From now on, the caller takes the signals that end a program, between two changes. Signals that
 * would stop it have no effect, because a stopped program cannot undo anything.
 */
void change_signals_catch(struct signals *signals);

/*
 * Whether a signal has asked for an end. With `survives_hangup`, SIGHUP does not: the change may
 * have cut the session.
 */
bool change_signals_ended(const struct signals *signals, bool survives_hangup);

enum change_verdict {
	CHANGE_KEPT,	  /* confirmed: Enter on the terminal, or SIGUSR1 */
	CHANGE_TIMED_OUT, /* not confirmed in time */
	CHANGE_ENDED,	  /* by a signal */
};

/* Waits that long, in the foreground. The terminal may hang up meanwhile. */
enum change_verdict change_wait(const struct signals *signals, uint64_t msec);
