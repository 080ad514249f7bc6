/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl top: traffic, losses, processes and events, on a screen that stays open. */
#include "top/top.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "cmd/commands.h"
#include "cmd/listing.h"
#include "cmd/terminal.h"
#include "counter/counter_rounds.h"
#include "counter/pma_probe.h"
#include "event/watcher.h"
#include "host/need.h"
#include "resource/resources.h"
#include "top/top_view.h"

#define NEEDS                                                                                 \
	(NEED_STATE | NEED_RATE | NEED_NETLINK | NEED_GUIDS | NEED_DRIVER | NEED_LINK_LAYER | \
	 COUNTERS_NEEDS_NETDEV)
#define SOURCES (1u << COUNTER_SOURCE_PMA | 1u << COUNTER_SOURCE_HW | 1u << COUNTER_SOURCE_DEVICE)

/*
 * Milliseconds: limits of --interval, the shortest time between two drawings for events, the
 * longest between two looks for devices and ports, and how long the bytes of one key may be apart.
 */
enum {
	INTERVAL_LEAST = 100,
	INTERVAL_MOST = 3600000,
	REDRAW_MSEC = 100,
	FOLLOW_MSEC = 10000,
	ESCAPE_MSEC = 50,
};
/* Reading processes takes at most 1/SPARING of the time, and happens at most once per period. */
enum { PROCESSES_MSEC = 3000, SPARING = 50 };

struct top_args {
	struct number interval, count;
	struct number order; /* enum top_order */
};

static const struct option_row options[] = {
	NUMBER_OPTION(DURATION, struct top_args, interval, 'i', "interval", "TIME", INTERVAL_LEAST,
		      INTERVAL_MOST, "time between two rounds (default 1s)"),
	NUMBER_OPTION(COUNT, struct top_args, count, 'c', "count", "N", 1, UINT32_MAX,
		      "end after this many rounds"),
	CHOICE_OPTION(struct top_args, order, 's', "sort", "ORDER", top_order_names,
		      "order of the ports, largest first (default port)"),
	{.name = NULL},
};

struct top_run {
	struct listing listing;
	const struct top_args *args;
	struct terminal terminal;
	struct top_view view;
	struct top top;
	struct counters_request request;
	struct counter_rounds rounds;
	struct process_usage_list processes; /* with queue pairs and memory regions */
	uint64_t processes_msec;	     /* when they are due; 0: now */
	struct watcher *watcher;	     /* NULL: nothing can be watched */
	struct event_list events;
	struct pollfd *fds;
	uint64_t next_msec, drawn_msec;
	uint64_t escape_msec; /* how long the rest of a key is waited for, while view.escape */
	uint64_t round_count;
	bool changed;		/* something happened to devices or ports since the last round */
	uint64_t followed_msec; /* when devices and ports were last looked for */
	bool stale;		/* the screen shows less than is known */
	bool ended;
};

static bool wants(const void *context, enum counter_source source, const char *kernel_name,
		  const struct counter_name *name)
{
	(void)context;
	(void)kernel_name;
	return top_wants(source, name);
}

static void draw(struct top_run *run)
{
	struct top_view *view = &run->view;

	view->height = screen_lines(&run->terminal.screen);
	view->width = run->terminal.screen.columns;
	view->problem_count = run->listing.problems.count;
	run->listing.stream_rc = terminal_show(&run->terminal,
					       top_text(&run->top, &run->processes, view));
	run->drawn_msec = clock_msec();
	run->stale = false;
	run->ended |= run->listing.stream_rc != 0;
}

/* Prints a row for each port, and keeps nothing. */
static void print(struct top_run *run)
{
	struct listing *listing = &run->listing;
	size_t count;
	const struct top_port **rows = top_choose(&run->top, &run->view, &count);

	for (size_t i = 0; i < count; i++)
		listing_add(listing, rows[i]);
	if (listing->ctx->globals.jsonl) {
		listing_stream(listing);
		listing->row_count = listing->streamed = 0;
	} else {
		listing_piece(listing);
	}
	free(rows);
	run->ended |= listing->stream_rc != 0;
}

/*
 * Reading the netdevs' counters takes time, too, so they are not read as long as all ports have
 * counters of their own. Returns whether they are wanted from now on.
 */
static bool want_netdevs(struct top_run *run)
{
	const unsigned int netdev = 1u << COUNTER_SOURCE_NETDEV;

	if (run->request.sources & netdev ||
	    top_has_bytes(&run->listing.inventory, &run->rounds.readings))
		return false;
	run->request.sources |= netdev;
	counter_rounds_reopen(&run->rounds);
	return true;
}

/*
 * Events report changes of devices and ports, so these need not be looked at in each round; every
 * FOLLOW_MSEC they are nevertheless.
 */
static bool has_to_follow(struct top_run *run)
{
	if (run->watcher && !run->changed && clock_msec_until(run->followed_msec + FOLLOW_MSEC))
		return false;
	run->changed = false;
	run->followed_msec = clock_msec();
	return true;
}

/*
 * Reads the processes again if they are due. The kernel queries the hardware for each queue pair,
 * so reading is limited to a small part of the time, however many there are. A saved tree has none;
 * a snapshot may.
 */
static void refresh_processes(struct top_run *run)
{
	const struct listing *listing = &run->listing;
	const uint64_t began_msec = clock_msec();
	struct process_usage_list usages = {0};
	struct problems problems = {0};
	uint64_t spared;

	if (!listing->inventory.answers || began_msec < run->processes_msec)
		return;
	resources_of_processes(&listing->inventory, &listing->objects, &usages, &problems);
	counter_rounds_note(&run->rounds, &problems);
	problems_free(&problems);
	process_usage_list_clear(&run->processes);
	run->processes = usages;
	spared = (clock_msec() - began_msec) * SPARING;
	run->processes_msec = clock_msec() + (spared > PROCESSES_MSEC ? spared : PROCESSES_MSEC);
}

static void take_round(struct top_run *run, bool first)
{
	struct counter_changes changes = {0};
	char *time = utc_now();
	const bool replaced = counter_rounds_read(&run->rounds, !first && has_to_follow(run));

	if (!first)
		changes = counter_rounds_compare(&run->rounds, time);
	top_update(&run->top, &run->listing.inventory, &changes, time);
	counter_changes_clear(&changes);
	counter_rounds_forget(&run->rounds);
	free(time);
	if (first && want_netdevs(run)) {
		counter_rounds_read(&run->rounds, false);
		counter_rounds_forget(&run->rounds);
	} else if (replaced) {
		want_netdevs(run);
	}
	if (run->terminal.on)
		refresh_processes(run);
}

static void round_off(struct top_run *run)
{
	take_round(run, false);
	if (run->terminal.on)
		draw(run);
	else
		print(run);
	run->round_count++;
	if (run->args->count.known && run->round_count == run->args->count.value)
		run->ended = true;
	run->next_msec = clock_next_round(run->next_msec, run->view.interval_msec, clock_msec());
}

static void take_events(struct top_run *run)
{
	const struct event_time time = {clock_wall_nsec(), clock_boot_nsec()};
	int rc;

	if (!run->watcher)
		return;
	rc = watcher_step(run->watcher, &time, &run->events);
	run->stale |= run->events.count > 0;
	run->changed |= run->events.count > 0;
	top_take_events(&run->top, &run->events);
	if (!rc)
		return;
	problem_add(&run->listing.problems, NULL, "events", NULL, rc, NULL);
	watcher_free(run->watcher);
	run->watcher = NULL;
}

static void act(struct top_run *run, enum top_action action)
{
	if (action == TOP_QUIT)
		run->ended = true;
	else if (action == TOP_DRAW)
		draw(run);
}

/* The terminal is gone if poll() announced input and there is none. */
static void take_keys(struct top_run *run)
{
	const uint64_t interval = run->view.interval_msec;
	char bytes[64];
	const ssize_t length = read(STDIN_FILENO, bytes, sizeof(bytes));
	enum top_action action;

	if (length <= 0) {
		run->ended |= !(length < 0 && (errno == EINTR || errno == EAGAIN));
		return;
	}
	action = top_keys(&run->view, bytes, (size_t)length);
	run->escape_msec = clock_msec() + ESCAPE_MSEC;
	if (interval != run->view.interval_msec)
		run->next_msec = clock_msec() + run->view.interval_msec;
	act(run, action);
}

/*
 * Waits for signals, keys, events and the next round. Returns whether there may be a key to read.
 */
static bool wait_for(struct top_run *run)
{
	const int keys = run->terminal.has_keys ? STDIN_FILENO : -1;
	int timeout = run->view.paused ? -1 : clock_msec_until(run->next_msec);
	size_t count = 0;

	if (run->watcher)
		timeout = clock_shorter(timeout, watcher_timeout(run->watcher));
	if (run->view.escape)
		timeout = clock_shorter(timeout, clock_msec_until(run->escape_msec));
	if (run->stale && run->terminal.on)
		timeout = clock_shorter(timeout, clock_msec_until(run->drawn_msec + REDRAW_MSEC));
	MEM_ADD(run->fds, count) = (struct pollfd){.fd = run->terminal.signals.fd,
						   .events = POLLIN};
	MEM_ADD(run->fds, count) = (struct pollfd){.fd = keys, .events = POLLIN};
	/* Tells when the reader of a pipe has gone. */
	MEM_ADD(run->fds, count) = (struct pollfd){.fd = run->terminal.on ? -1 : STDOUT_FILENO};
	if (run->watcher)
		watcher_poll(run->watcher, &run->fds, &count);
	if (poll(run->fds, count, timeout) < 0)
		return false;
	if (run->fds[2].revents & (POLLERR | POLLHUP)) {
		run->listing.stream_rc = -EPIPE;
		run->ended = true;
	}
	return run->fds[1].revents;
}

static void work(struct top_run *run)
{
	take_round(run, true);
	run->next_msec = clock_msec() + run->view.interval_msec;
	if (run->terminal.on)
		draw(run);
	while (!run->ended) {
		const bool keys = wait_for(run);

		terminal_take_signals(&run->terminal);
		if (run->terminal.stopped || run->ended)
			break;
		if (keys)
			take_keys(run);
		else if (run->view.escape && !clock_msec_until(run->escape_msec))
			act(run, top_keys_end(&run->view));
		take_events(run);
		if (!run->ended && !run->view.paused && !clock_msec_until(run->next_msec))
			round_off(run);
		else if (run->terminal.on && !run->ended &&
			 (run->terminal.changed ||
			  (run->stale && !clock_msec_until(run->drawn_msec + REDRAW_MSEC))))
			draw(run);
		run->terminal.changed = false;
	}
}

/* A missing source, such as the asynchronous events of a device, loses little: -v shows it. */
static void begin_events(struct top_run *run)
{
	struct listing *listing = &run->listing;
	const struct watcher_options watch = {
		.root = listing->ctx->globals.root,
		.objects = &listing->objects,
	};
	int rc;

	/* Two descriptors for each device. */
	file_raise_limit();
	rc = watcher_open(&watch, &run->watcher, &listing->notes, &listing->notes);
	run->top.watched = !rc;
	if (rc)
		problem_add(&listing->problems, NULL, "events", NULL, rc, NULL);
}

static bool begin(struct top_run *run)
{
	struct listing *listing = &run->listing;
	const struct globals *globals = &listing->ctx->globals;
	struct counter_loader *loader;

	if (listing_refuses_archive(listing,
				    "rdmactl ports and rdmactl counters show what it holds") ||
	    !listing_load_inventory(listing, NEEDS))
		return false;
	pma_leave_out_restricted(globals->root, &listing->inventory.devices, &listing->problems);
	run->request = (struct counters_request){
		.root = globals->root,
		.inventory = &listing->inventory,
		.sources = SOURCES,
		.wants = wants,
		.once = true,
	};
	/* The inventory has opened the same root a moment ago. */
	if (!listing_has_loaded(listing, counter_loader_open(&run->request, &loader)))
		return false;
	counter_rounds_begin(&run->rounds, &listing->request, &run->request, &listing->inventory,
			     loader, &listing->problems);
	run->rounds.spares_restricted = true;
	run->view = (struct top_view){
		.interval_msec = run->args->interval.known ? run->args->interval.value
							   : WATCH_INTERVAL_MSEC,
		.order = run->args->order.known ? (enum top_order)run->args->order.value
						: TOP_BY_PORT,
		.color = listing_options(listing).color,
	};
	begin_events(run);
	run->followed_msec = clock_msec();
	return true;
}

static int finish(struct top_run *run)
{
	struct listing *listing = &run->listing;

	watcher_free(run->watcher);
	process_usage_list_clear(&run->processes);
	counter_rounds_end(&run->rounds);
	top_clear(&run->top);
	event_list_clear(&run->events);
	free(run->fds);
	/* A screen is not output that anybody keeps. */
	return run->terminal.on ? listing_end_quietly(listing, listing->stream_rc)
				: listing_end(listing);
}

static int run_top(const struct ctx *ctx, const void *args, char **words)
{
	struct top_run run = {.args = args, .terminal = {.signals = SIGNALS_NONE}};
	const struct globals *globals = &ctx->globals;
	int rc;

	if (!listing_begin(&run.listing, ctx, words, true) || !begin(&run))
		return finish(&run);
	terminal_begin(&run.terminal,
		       !globals->json && !globals->jsonl && !globals->tsv && !globals->columns,
		       true);
	work(&run);
	rc = terminal_end(&run.terminal, false);
	if (rc && !run.listing.stream_rc)
		run.listing.stream_rc = rc;
	return finish(&run);
}

const struct command top_command = {
	.name = "top",
	.group = GROUP_LIVE,
	.summary = "show live traffic, losses, processes and events of ports",
	.objects = "[DEV[/PORT]...]",
	.object_completion = COMPLETE_PORT,
	.most_objects = -1,
	.options = {options},
	.args_size = sizeof(struct top_args),
	.schema = &top_schema,
	.run = run_top,
};
