/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What counters.c picks from the command line is done in steps: which counters are meant
 * (counters_choose.c), reading and showing them once (counters.c), and what else was asked for:
 * rates (counters_watch.c), growth since a saved file (counters_since.c), optional counters
 * (counters_optional.c), the catalogue (counters_explain.c).
 */
#pragma once

#include "cli/command.h"
#include "cmd/listing.h"
#include "counter/counters.h"

struct counters_args {
	bool all, errors, drops;
	struct number group; /* bits 1 << enum counter_group */
	const char *explain; /* a name */
	bool watch;
	struct number interval; /* milliseconds, of --watch */
	struct number count;	/* rounds of --watch */
	const char *save;	/* a file */
	const char *since;	/* a file */
	bool optional;		/* list optional counters */
	const char *enable;	/* names with commas between */
	const char *disable;
};

struct counters_run {
	struct listing listing;
	const struct counters_args *args;
	struct counters_request request;
	struct counter_loader *loader;
	struct counter_readings readings;  /* of the last counters_read() */
	struct counter_readings countless; /* ports that have no counters: rows without one */
};

/*
 * counters.c: begins the listing with the command's columns, loads the inventory and opens the
 * loader. False: there is nothing to read, or a word was bad; the listing says so.
 */
bool counters_begin(struct counters_run *run, const struct ctx *ctx,
		    const struct counters_args *args, char **words, const struct schema *schema);
/* One round into run->readings, which is cleared before; problems go to the listing's. */
void counters_read(struct counters_run *run);
/* Whether a reading is among those that the options ask for; `value` decides about zeros. */
bool counters_shows(const struct counters_run *run, const struct counter_reading *reading);
/* The same before it was read, by its name: also whether to read it at all. */
bool counters_wants(const struct counters_run *run, enum counter_source source,
		    const struct counter_name *name);
/* The sources (bits 1 << enum counter_source) that have such counters. */
unsigned int counters_sources(const struct counters_run *run);
void counters_end(struct counters_run *run); /* frees all but the listing */

/* Each ends the command and returns its exit status. */
int counters_watch(const struct ctx *ctx, const struct counters_args *args, char **words);
int counters_save(const struct ctx *ctx, const struct counters_args *args, char **words);
int counters_since(const struct ctx *ctx, const struct counters_args *args, char **words);
int counters_optional(const struct ctx *ctx, const struct counters_args *args, char **words);
int counters_explain(const struct ctx *ctx, const struct counters_args *args, char **words);
