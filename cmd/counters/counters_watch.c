/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl counters --watch: how fast counters move, round by round. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/signals.h"
#include "cmd/counters/counters.h"
#include "host/need.h"
#include "render/render.h"
#include "render/screen.h"

#define SCREEN_COLUMNS "object,counter,unit,rate_per_sec,throughput_gbps,percent_of_rate,state"

/* Lines of the screen that are not rows: the title, an empty line, the headings. */
enum { LINES_ABOVE = 3, RANKS = 4 };

/*
 * The terminal's screen, redrawn in place, if the output is a table on a terminal; and the signals
 * that end watching or change the screen.
 */
struct counters_screen {
	struct screen screen;
	bool on;
	struct signals signals;
	char *text; /* the table drawn last */
	uint64_t interval_msec;
	bool stopped;
};

static void catch_signals(struct counters_screen *screen)
{
	static const int numbers[] = {SIGWINCH, SIGTSTP, SIGINT, SIGTERM, SIGQUIT, SIGHUP, 0};

	/* The first two concern only a screen. */
	signals_catch(&screen->signals, screen->on ? numbers : numbers + 2);
}

static void begin_screen(struct counters_screen *screen, struct counters_run *run,
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

static int show_text(struct counters_screen *screen)
{
	return screen->text ? screen_show(&screen->screen, screen->text) : 0;
}

/* On ^Z, restores the terminal for the shell, and the screen when the program continues. */
static void stop(struct counters_screen *screen)
{
	sigset_t set;

	screen_leave(&screen->screen);
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	raise(SIGTSTP);
	/* The signal is delivered here. */
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	sigprocmask(SIG_BLOCK, &set, NULL);
	show_text(screen);
}

static void take_signal(struct counters_screen *screen)
{
	int number;

	while ((number = signals_take(&screen->signals))) {
		if (number == SIGWINCH)
			show_text(screen);
		else if (number == SIGTSTP)
			stop(screen);
		else
			screen->stopped = true;
	}
}

/* Waits until that time. Returns false if a signal asks to end. */
static bool wait_until(struct counters_screen *screen, uint64_t msec)
{
	do {
		if (signals_wait(&screen->signals, msec))
			take_signal(screen);
	} while (!screen->stopped && clock_msec_until(msec));
	return !screen->stopped;
}

/* Counts the rows to show, in all and of each rank. */
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

/* Shows as many of the changes as there is room for; returns 0 or -errno. */
static int draw(struct counters_screen *screen, struct counters_run *run,
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
	return show_text(screen);
}

/* Restores the terminal, and prints the last round there; returns 0 or -errno. */
static int end_screen(struct counters_screen *screen)
{
	int rc = screen_leave(&screen->screen);

	/* Leaving the screen has removed its text. */
	if (!rc && screen->text)
		rc = render_text(stdout, screen->text);
	free(screen->text);
	screen->text = NULL;
	take_signal(screen);
	signals_release(&screen->signals);
	return rc;
}

/* The period in which the rates of ports are read again, even without a visible change. */
#define REFRESH_MSEC 10000u

/* Devices, ports and their loader, from which readings borrow. */
struct scene {
	struct inventory inventory;
	struct counter_loader *loader;
};

struct watch {
	struct counters_run run;
	struct listing *listing; /* the run's */
	struct counters_screen screen;
	struct counter_readings before;
	struct scene past;	  /* `before` borrows from it, unless nothing has changed since */
	struct inventory seen;	  /* when `run` was loaded, in short */
	struct problems problems; /* of the last round */
	struct strings reported;  /* problems, by object, cause and attribute */
	uint64_t refreshed_msec;
};

/*
 * Reads just enough to see whether devices, ports or their links have changed: the state of a port
 * comes with the name of its netdev.
 */
static bool look(struct watch *watch, struct inventory *ret_inventory)
{
	struct inventory_request request = watch->listing->request;
	int rc;

	request.needs = NEED_NETLINK | NEED_STATE;
	rc = inventory_load(ret_inventory, &request, NULL, NULL);
	return !rc || rc == -ENODEV;
}

static bool is_same_port(const struct port *a, const struct port *b)
{
	const char *one = a->netdev ? a->netdev : "", *other = b->netdev ? b->netdev : "";

	return a->port.value == b->port.value && a->state.known == b->state.known &&
	       a->state.value == b->state.value && !strcmp(one, other);
}

static bool has_same_rate(const struct port *a, const struct port *b)
{
	return a->rate_gbps.known == b->rate_gbps.known && a->rate_gbps.value == b->rate_gbps.value;
}

/* Returns whether both have the same devices, with ports that are the same by `is_same`. */
static bool is_same_inventory(const struct inventory *a, const struct inventory *b,
			      bool (*is_same)(const struct port *a, const struct port *b))
{
	if (a->devices.count != b->devices.count)
		return false;
	for (size_t i = 0; i < a->devices.count; i++) {
		const struct device *one = &a->devices.items[i], *other = &b->devices.items[i];

		if (strcmp(one->name, other->name) || one->index.value != other->index.value ||
		    one->port_count != other->port_count)
			return false;
		for (size_t j = 0; j < one->port_count; j++)
			if (!is_same(&one->ports[j], &other->ports[j]))
				return false;
	}
	return true;
}

static void drop_scene(struct scene *scene)
{
	counter_loader_free(scene->loader);
	inventory_free(&scene->inventory);
	*scene = (struct scene){.loader = NULL};
}

/* Reports a problem once, even if many rounds have it. */
static void note(struct watch *watch, const struct problem *problem)
{
	char *key = mem_format("%s %s %s", problem->object ? problem->object : "",
			       problem->attribute ? problem->attribute : "",
			       problem->error ? problem->error : "");

	if (!strings_contain(&watch->reported, key)) {
		strings_add(&watch->reported, key);
		problem_add_text(&watch->listing->problems, problem->object, problem->attribute,
				 problem->source, problem->error, problem->hint);
	}
	free(key);
}

static void note_all(struct watch *watch, const struct problems *problems)
{
	for (size_t i = 0; i < problems->count; i++)
		note(watch, &problems->items[i]);
}

/*
 * Loads everything again, with `changed` even if the rates are the same. The old inventory is kept
 * as the past, because the previous readings borrow from it. On failure everything stays.
 */
static void reload(struct watch *watch, bool changed)
{
	struct counters_run *run = &watch->run;
	struct inventory fresh;
	struct counter_loader *loader;
	struct problems problems = {0};
	int rc = inventory_load(&fresh, &watch->listing->request, &problems, NULL);

	if ((rc && rc != -ENODEV) ||
	    (!changed && is_same_inventory(&fresh, &watch->listing->inventory, has_same_rate))) {
		problems_free(&problems);
		inventory_free(&fresh);
		return;
	}
	watch->past.inventory = watch->listing->inventory;
	watch->past.loader = run->loader;
	watch->listing->inventory = fresh;
	note_all(watch, &problems);
	problems_free(&problems);
	if (counter_loader_open(&run->request, &loader)) {
		/* The root was opened a moment ago. */
		loader = run->loader;
		watch->past.loader = NULL;
	}
	run->loader = loader;
}

/* Before a round, looks for devices that came, went or were replaced, and for new rates. */
static void follow(struct watch *watch)
{
	struct inventory now;
	bool changed;

	if (!watch->seen.live)
		return;
	if (!look(watch, &now)) {
		inventory_free(&now);
		return;
	}
	changed = !is_same_inventory(&watch->seen, &now, is_same_port);
	inventory_free(&watch->seen);
	watch->seen = now;
	if (!changed && clock_msec_until(watch->refreshed_msec + REFRESH_MSEC))
		return;
	watch->refreshed_msec = clock_msec();
	reload(watch, changed);
}

/* Takes a reading and keeps the previous one. */
static void take(struct watch *watch)
{
	struct counters_run *run = &watch->run;

	watch->before = run->readings;
	run->readings = (struct counter_readings){0};
	counter_loader_read(run->loader, &run->readings, &watch->problems, NULL);
	note_all(watch, &watch->problems);
	problems_free(&watch->problems);
	watch->problems = (struct problems){0};
}

static void forget(struct watch *watch)
{
	counter_readings_clear(&watch->before);
	drop_scene(&watch->past);
}

static struct counter_changes compare(struct watch *watch, char *time)
{
	const struct counter_interval interval = {.time = time};
	struct counter_changes changes = {0};

	counter_changes_make(&changes, &watch->before, &watch->run.readings, &interval);
	return changes;
}

/* Prints one block of a table, or lines, and keeps nothing. */
static void print(struct watch *watch, const struct counter_changes *changes)
{
	struct listing *listing = watch->listing;

	for (size_t i = 0; i < changes->count; i++)
		if (counters_move_is_shown(&watch->run, &changes->items[i]))
			listing_add(listing, &changes->items[i]);
	if (listing->ctx->globals.json || listing->ctx->globals.tsv) {
		listing_piece(listing);
		return;
	}
	listing_stream(listing);
	listing->row_count = listing->streamed = 0;
}

/* Returns false if the output is closed. */
static bool show(struct watch *watch)
{
	char *time = utc_now();
	struct counter_changes changes = compare(watch, time);

	if (watch->screen.on)
		watch->listing->stream_rc = draw(&watch->screen, &watch->run, &changes);
	else
		print(watch, &changes);
	counter_changes_clear(&changes);
	free(time);
	return !watch->listing->stream_rc;
}

static void rounds(struct watch *watch)
{
	const struct counters_args *args = watch->run.args;
	const uint64_t interval = args->interval.known ? args->interval.value : WATCH_INTERVAL_MSEC;
	uint64_t next = clock_msec();

	take(watch);
	for (uint64_t i = 0; !args->count.known || i < args->count.value; i++) {
		next += interval;
		if (!wait_until(&watch->screen, next))
			break;
		follow(watch);
		take(watch);
		if (!show(watch))
			break;
		forget(watch);
		/* Rounds that were missed, because of a stop or slow reading, are skipped. */
		while (next + interval <= clock_msec())
			next += interval;
	}
}

int counters_watch(const struct ctx *ctx, const struct counters_args *args, char **words)
{
	struct watch watch = {.listing = &watch.run.listing};
	struct listing *listing = watch.listing;
	int rc;

	if (!counters_begin(&watch.run, ctx, args, words, &counter_rates_schema)) {
		counters_end(&watch.run);
		return listing_end(listing);
	}
	watch.refreshed_msec = clock_msec();
	if (listing->inventory.live && !look(&watch, &watch.seen))
		watch.seen.live = false;
	begin_screen(&watch.screen, &watch.run,
		     args->interval.known ? args->interval.value : WATCH_INTERVAL_MSEC);
	rounds(&watch);
	rc = end_screen(&watch.screen);
	forget(&watch);
	inventory_free(&watch.seen);
	strings_free(&watch.reported);
	counters_end(&watch.run);
	if (rc && !listing->stream_rc)
		listing->stream_rc = rc;
	return listing_end(listing);
}
