/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl counters --watch: how fast counters move, round by round. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cmd/counters/counters_moves.h"
#include "cmd/counters/counters_screen.h"
#include "host/need.h"

/* How often rates of ports are read again, even if no change is seen. */
#define REFRESH_MSEC 10000u

/* Devices and ports as they were found, and the loader for them: what readings borrow from. */
struct scene {
	struct inventory inventory;
	struct counter_loader *loader;
};

struct watch {
	struct counters_run run;
	struct listing *listing; /* the run's */
	struct counters_screen screen;
	struct counter_readings before;
	struct scene past;	  /* what `before` borrows from, if it is not what is there now */
	struct inventory seen;	  /* as it was when `run` was loaded, in short */
	struct problems problems; /* of the last round */
	struct strings told;	  /* the reported problems, by object, cause and attribute */
	uint64_t refreshed_msec;
	struct ctx headless;
};

/*
 * The little that tells whether devices, ports or their links are what they were; with the state
 * of a port comes the name of its netdev.
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

static bool is_same(const struct inventory *a, const struct inventory *b)
{
	if (a->devices.count != b->devices.count)
		return false;
	for (size_t i = 0; i < a->devices.count; i++) {
		const struct device *one = &a->devices.items[i], *other = &b->devices.items[i];

		if (strcmp(one->name, other->name) || one->index.value != other->index.value ||
		    one->port_count != other->port_count)
			return false;
		for (size_t j = 0; j < one->port_count; j++)
			if (!is_same_port(&one->ports[j], &other->ports[j]))
				return false;
	}
	return true;
}

/* For inventories of the same devices and ports. */
static bool has_same_rates(const struct inventory *a, const struct inventory *b)
{
	if (a->devices.count != b->devices.count)
		return false;
	for (size_t i = 0; i < a->devices.count; i++) {
		const struct device *one = &a->devices.items[i], *other = &b->devices.items[i];

		if (one->port_count != other->port_count)
			return false;
		for (size_t j = 0; j < one->port_count; j++)
			if (one->ports[j].rate_gbps.known != other->ports[j].rate_gbps.known ||
			    one->ports[j].rate_gbps.value != other->ports[j].rate_gbps.value)
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

/* Notes a problem once, however many rounds have it. */
static void note(struct watch *watch, const struct problem *problem)
{
	char *key = mem_format("%s %s %s", problem->object ? problem->object : "",
			       problem->attribute ? problem->attribute : "",
			       problem->error ? problem->error : "");

	if (!strings_contain(&watch->told, key)) {
		strings_add(&watch->told, key);
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
	    (!changed && has_same_rates(&fresh, &watch->listing->inventory))) {
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

/* Before a round: devices that came, went or were replaced, and links that may have another rate.
 */
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
	changed = !is_same(&watch->seen, &now);
	inventory_free(&watch->seen);
	watch->seen = now;
	if (!changed && clock_msec_until(watch->refreshed_msec + REFRESH_MSEC))
		return;
	watch->refreshed_msec = clock_msec();
	reload(watch, changed);
}

/* One reading; the one before is kept. */
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

/* One block of a table, or lines; nothing of it is kept. */
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

/* False: the output is gone. */
static bool show(struct watch *watch)
{
	char *time = utc_now();
	struct counter_changes changes = compare(watch, time);

	if (counters_screen_is_on(&watch->screen))
		watch->listing->stream_rc = counters_screen_draw(&watch->screen, &watch->run,
								 &changes);
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
		if (!counters_screen_wait(&watch->screen, next))
			break;
		follow(watch);
		take(watch);
		if (!show(watch))
			break;
		forget(watch);
		/* After a stop, or where reading takes long, rounds are left out, not run late. */
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
	counters_screen_begin(&watch.screen, &watch.run,
			      args->interval.known ? args->interval.value : WATCH_INTERVAL_MSEC);
	rounds(&watch);
	rc = counters_screen_end(&watch.screen);
	forget(&watch);
	inventory_free(&watch.seen);
	strings_free(&watch.told);
	counters_end(&watch.run);
	if (rc && !listing->stream_rc)
		listing->stream_rc = rc;
	return listing_end(listing);
}
