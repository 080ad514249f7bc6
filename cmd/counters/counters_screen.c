/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/counters/counters_screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "cmd/counters/counters_moves.h"
#include "render/render.h"

#define SCREEN_COLUMNS "object,counter,unit,rate_per_sec,throughput_gbps,percent_of_rate,state"

/* Lines of the screen that are no rows: what is shown, an empty one, the headings. */
enum { LINES_ABOVE = 3, RANKS = 4 };

static void catch_signals(struct counters_screen *screen)
{
	static const int numbers[] = {SIGWINCH, SIGTSTP, SIGINT, SIGTERM, SIGQUIT, SIGHUP, 0};

	/* The first two are of a terminal's screen. */
	signals_catch(&screen->signals, screen->on ? numbers : numbers + 2);
}

void counters_screen_begin(struct counters_screen *screen, struct counters_run *run,
			   uint64_t interval_msec)
{
	const struct globals *globals = &run->listing.ctx->globals;

	*screen = (struct counters_screen){.screen = {.out = stdout},
					   .interval_msec = interval_msec};
	screen->on = !globals->json && !globals->jsonl && !globals->tsv && screen_is_there(stdout);
	/* The time stands above the table. */
	if (screen->on)
		listing_prefer_columns(&run->listing, SCREEN_COLUMNS);
	catch_signals(screen);
}

static int show(struct counters_screen *screen)
{
	return screen->text ? screen_show(&screen->screen, screen->text) : 0;
}

/* ^Z: the shell gets its terminal as it was, and the screen comes back with the program. */
static void stop(struct counters_screen *screen)
{
	sigset_t set;

	screen_leave(&screen->screen);
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	raise(SIGTSTP);
	/* It is delivered here. */
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	sigprocmask(SIG_BLOCK, &set, NULL);
	show(screen);
}

static void take_signal(struct counters_screen *screen)
{
	int number;

	while ((number = signals_take(&screen->signals))) {
		if (number == SIGWINCH)
			show(screen);
		else if (number == SIGTSTP)
			stop(screen);
		else
			screen->stopped = true;
	}
}

bool counters_screen_wait(struct counters_screen *screen, uint64_t msec)
{
	do {
		if (signals_wait(&screen->signals, msec))
			take_signal(screen);
	} while (!screen->stopped && clock_msec_until(msec));
	return !screen->stopped;
}

/* Rows that are shown: how many of each rank. */
static size_t count_ranks(const struct counters_run *run, const struct counter_changes *changes,
			  size_t counts[static RANKS])
{
	size_t count = 0;

	for (size_t i = 0; i < changes->count; i++)
		if (counters_move_is_shown(run, &changes->items[i])) {
			counts[counters_move_rank(&changes->items[i])]++;
			count++;
		}
	return count;
}

/* Fills the listing with those that matter most, in their order, as far as there is room. */
static void choose(struct counters_run *run, const struct counter_changes *changes,
		   const size_t counts[static RANKS], size_t room)
{
	size_t left[RANKS] = {0};

	for (int rank = RANKS - 1; rank >= 0; rank--) {
		left[rank] = counts[rank] < room ? counts[rank] : room;
		room -= left[rank];
	}
	run->listing.row_count = 0;
	for (size_t i = 0; i < changes->count; i++) {
		const struct counter_change *change = &changes->items[i];
		const unsigned int rank = counters_move_rank(change);

		if (!left[rank] || !counters_move_is_shown(run, change))
			continue;
		left[rank]--;
		listing_add(&run->listing, change);
	}
}

static char *title(const struct counters_screen *screen, const struct counter_changes *changes,
		   size_t shown, size_t all)
{
	const char *time = changes->count ? changes->items[0].time : "";
	_cleanup_(freep) char *more = NULL;

	if (shown < all)
		more = mem_format(", %zu more do not fit (--errors, DEV/PORT: fewer)", all - shown);
	return mem_format("%s  every %g s  %zu of %zu counters%s\n\n", time,
			  (double)screen->interval_msec / 1000, shown, changes->count,
			  more ? more : "");
}

int counters_screen_draw(struct counters_screen *screen, struct counters_run *run,
			 const struct counter_changes *changes)
{
	struct listing *listing = &run->listing;
	_cleanup_(freep) char *head = NULL, *table = NULL;
	size_t counts[RANKS] = {0}, all, lines;
	struct render_options options = listing_options(listing);
	struct document document = {.columns = &listing->columns};
	int rc;

	lines = screen_lines(&screen->screen);
	all = count_ranks(run, changes, counts);
	choose(run, changes, counts, lines > LINES_ABOVE ? lines - LINES_ABOVE : 1);
	document.rows = listing->rows;
	document.row_count = listing->row_count;
	rc = render_to_text(&options, &document, &table);
	if (rc)
		return rc;
	head = title(screen, changes, listing->row_count, all);
	listing->row_count = 0;
	free(screen->text);
	screen->text = mem_format("%s%s", head, table);
	return show(screen);
}

int counters_screen_end(struct counters_screen *screen)
{
	int rc = screen_leave(&screen->screen);

	/* The other screen is gone with all that was on it. */
	if (!rc && screen->text)
		rc = render_text(stdout, screen->text);
	free(screen->text);
	screen->text = NULL;
	take_signal(screen);
	signals_release(&screen->signals);
	return rc;
}
