/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl counters --watch: how fast counters move, round by round. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "cmd/counters/counters.h"
#include "cmd/terminal.h"
#include "counter/counter_rounds.h"
#include "render/render.h"

/* Lines of the screen that are not rows: the title, an empty line, the headings. */
enum { LINES_ABOVE = 3, RANKS = 4 };

struct watch {
	struct counters_run run;
	struct listing *listing; /* the run's */
	struct terminal terminal;
	uint64_t interval_msec;
	struct counter_rounds rounds;
};

static size_t count_ranks(const struct counters_run *run, const struct counter_changes *changes,
			  size_t counts[static RANKS])
{
	size_t count = 0;

	for (size_t i = 0; i < changes->count; i++)
		if (counters_move_is_shown(run, &changes->items[i])) {
			counts[counter_change_rank(&changes->items[i])]++;
			count++;
		}
	return count;
}

/* Fills the listing with the rows that matter most, in their order, as far as there is room. */
static void choose(struct counters_run *run, const struct counter_changes *changes,
		   const size_t counts[static RANKS], size_t room)
{
	size_t left[RANKS] = {0};

	for (int rank = RANKS - 1; rank >= 0; rank--) {
		left[rank] = counts[rank] < room ? counts[rank] : room;
		room -= left[rank];
	}
	run->listing.row_count = 0;
	for_each (change, changes) {
		const unsigned int rank = counter_change_rank(change);

		if (!left[rank] || !counters_move_is_shown(run, change))
			continue;
		left[rank]--;
		listing_add(&run->listing, change);
	}
}

static char *title(const struct watch *watch, const struct counter_changes *changes, size_t shown,
		   size_t all)
{
	const char *time = changes->count ? changes->items[0].time : "";
	_cleanup_(freep) char *more = NULL;

	if (shown < all)
		more = mem_format(", %zu more do not fit (--errors, DEV/PORT: fewer)", all - shown);
	return mem_format("%s  every %g s  %zu of %zu counters%s\n\n", time,
			  (double)watch->interval_msec / 1000, shown, changes->count,
			  more ? more : "");
}

/* Shows as many of the changes as there is room for; returns 0 or -errno. */
static int draw(struct watch *watch, const struct counter_changes *changes)
{
	struct counters_run *run = &watch->run;
	struct listing *listing = &run->listing;
	_cleanup_(freep) char *head = NULL, *table = NULL;
	size_t counts[RANKS] = {0}, all, lines;
	struct render_options options = listing_options(listing);
	struct document document = {.columns = &listing->columns};
	int rc;

	lines = screen_lines(&watch->terminal.screen);
	all = count_ranks(run, changes, counts);
	choose(run, changes, counts, lines > LINES_ABOVE ? lines - LINES_ABOVE : 1);
	document.rows = listing->rows;
	document.row_count = listing->row_count;
	rc = render_to_text(&options, &document, &table);
	if (rc)
		return rc;
	head = title(watch, changes, listing->row_count, all);
	listing->row_count = 0;
	return terminal_show(&watch->terminal, mem_format("%s%s", head, table));
}

/* Prints one block of a table, or lines, and keeps nothing. */
static void print(struct watch *watch, const struct counter_changes *changes)
{
	for (size_t i = 0; i < changes->count; i++)
		if (counters_move_is_shown(&watch->run, &changes->items[i]))
			listing_add(watch->listing, &changes->items[i]);
	listing_round(watch->listing);
}

/* Returns false if the output is closed. */
static bool show(struct watch *watch)
{
	_cleanup_(freep) char *time = utc_now();
	_cleanup_(counter_changes_clear) struct counter_changes changes = counter_rounds_compare(
		&watch->rounds, time);

	if (watch->terminal.on)
		watch->listing->stream_rc = draw(watch, &changes);
	else
		print(watch, &changes);
	return !watch->listing->stream_rc;
}

static void rounds(struct watch *watch)
{
	const struct counters_args *args = watch->run.args;
	const uint64_t interval = watch->interval_msec;
	uint64_t next = clock_msec() + interval;

	counter_rounds_read(&watch->rounds, false);
	for (uint64_t i = 0; !args->count.known || i < args->count.value; i++) {
		if (!terminal_wait_until(&watch->terminal, next))
			break;
		counter_rounds_read(&watch->rounds, true);
		if (!show(watch))
			break;
		counter_rounds_forget(&watch->rounds);
		next = clock_next_round(next, interval, clock_msec());
	}
}

static void begin_screen(struct watch *watch)
{
	const struct globals *globals = &watch->listing->ctx->globals;

	terminal_begin(&watch->terminal, !globals->json && !globals->jsonl && !globals->tsv, false);
	if (watch->terminal.on)
		listing_show_view(watch->listing, "--watch on a terminal");
}

int counters_watch(const struct ctx *ctx, const struct counters_args *args, char **words)
{
	struct watch watch = {.listing = &watch.run.listing};
	struct counters_run *run = &watch.run;
	struct listing *listing = watch.listing;
	int rc;

	if (!counters_begin(run, ctx, args, words, &counter_rates_schema)) {
		counters_end(run);
		return listing_end(listing);
	}
	watch.interval_msec = args->interval.known ? args->interval.value : WATCH_INTERVAL_MSEC;
	counter_rounds_begin(&watch.rounds, &listing->request, &run->request, &listing->inventory,
			     run->loader, &listing->problems);
	watch.rounds.spares_restricted = true;
	run->loader = NULL;
	begin_screen(&watch);
	rounds(&watch);
	rc = terminal_end(&watch.terminal, true);
	counter_rounds_end(&watch.rounds);
	counters_end(run);
	if (rc && !listing->stream_rc)
		listing->stream_rc = rc;
	return listing_end(listing);
}
