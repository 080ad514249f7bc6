/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmactl counters: which counters the options select (counters_choose.c), reading and showing them
 * once (counters.c), rates (counters_watch.c), saving and growth since then (counters_since.c), and
 * optional counters (counters_optional.c). Its subcommands show the counters of queue pairs and
 * memory regions (counters_objects.c), and choose which queue pairs are counted (counters_bind.c).
 */
#pragma once

#include "cli/command.h"
#include "cmd/listing.h"
#include "counter/counter_change.h"
#include "counter/counters.h"

/* Milliseconds between two rounds of --watch. */
#define COUNTERS_INTERVAL_LEAST 100
#define COUNTERS_INTERVAL_MOST	3600000
/* The next step where --watch refuses a snapshot. */
#define COUNTERS_OF_SNAPSHOT                                                               \
	"without --watch its counters are shown; --save of one snapshot and --since of a " \
	"later one show the growth"
/* The next step where a kernel cannot count queue pairs. */
#define COUNTERS_OLD_KERNEL "this needs Linux 5.3 or later"

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
	const char *enable;	/* names separated by commas */
	const char *disable;
};

/* The options of --watch, here and in the subcommands. */
#define COUNTERS_WATCH_OPTIONS                                                                   \
	FLAG_OPTION(struct counters_args, watch, 'w', "watch",                                   \
		    "show the rates of the counters, round by round"),                           \
		NUMBER_OPTION(DURATION, struct counters_args, interval, 'i', "interval", "TIME", \
			      COUNTERS_INTERVAL_LEAST, COUNTERS_INTERVAL_MOST,                   \
			      "time between two rounds of --watch (default 1s)"),                \
		NUMBER_OPTION(COUNT, struct counters_args, count, 'c', "count", "N", 1,          \
			      UINT32_MAX, "end --watch after this many rounds")

struct counters_run {
	struct listing listing;
	const struct counters_args *args;
	struct counters_request request;
	struct counter_loader *loader;
	struct counter_readings readings;  /* of the last counters_read() */
	struct counter_readings countless; /* ports that have no counters: rows without one */
};

/*
 * Begins the listing with the command's columns, loads the inventory and opens the loader. Returns
 * false if there is nothing to read or a word is wrong; the listing says so.
 */
bool counters_begin(struct counters_run *run, const struct ctx *ctx,
		    const struct counters_args *args, char **words, const struct schema *schema);
/* Reads one round into run->readings, which is cleared first; problems go to the listing. */
void counters_read(struct counters_run *run);
/*
 * Returns whether the options select a reading, given its value: without --all some zeros are
 * skipped.
 */
bool counters_shows(const struct counters_run *run, const struct counter_reading *reading);
/* Returns whether the options select a counter by its name, before it is read. */
bool counters_wants(const struct counters_run *run, enum counter_source source,
		    const struct counter_name *name);
/*
 * Returns whether --errors omits a counter that is not 0 because the catalogue does not describe
 * it; one line reports how many were omitted.
 */
bool counters_is_undescribed(const struct counters_run *run, const struct counter_reading *reading);
void counters_tell_undescribed(struct counters_run *run, size_t count);
/* Returns the sources (bits 1 << enum counter_source) that have selected counters. */
unsigned int counters_sources(const struct counters_run *run);
void counters_end(struct counters_run *run); /* frees all but the listing */
/*
 * Opens RDMA netlink where there is no substitute for it. Returns false if it cannot be used; the
 * listing says so.
 */
bool counters_open_nldev(struct listing *listing, struct netlink **ret_nldev);

/*
 * Returns whether the options select a change. Without --all a counter must have moved, except for
 * traffic, and one whose growth is unknown must have a value that would be shown.
 */
bool counters_move_is_shown(const struct counters_run *run, const struct counter_change *change);

/* Each ends the command and returns its exit status. */
int counters_watch(const struct ctx *ctx, const struct counters_args *args, char **words);
int counters_save(const struct ctx *ctx, const struct counters_args *args, char **words);
int counters_since(const struct ctx *ctx, const struct counters_args *args, char **words);
int counters_optional(const struct ctx *ctx, const struct counters_args *args, char **words);

extern const struct command counters_qp_command, counters_mr_command, counters_mode_command;
extern const struct command counters_auto_command, counters_bind_command, counters_unbind_command;
