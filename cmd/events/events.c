/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl events: what happens to RDMA on this host, as it happens. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/signals.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/events/events_run.h"
#include "event/thresholds.h"

#define FLAP_COUNT	 3
#define FLAP_WINDOW_MSEC 600000

struct events_args {
	struct number words;	/* bits 1 << enum event_word */
	struct number severity; /* the lowest to show */
	struct number until;	/* bits, as above */
	bool already;
	struct number count, duration;
	const char *exec, *counter, *flap;
	bool all;
};

static const struct option_row options[] = {
	CHOICES_OPTION(struct events_args, words, 'e', "event", "WORDS", event_bits,
		       "show only these (comma-separated)"),
	CHOICE_OPTION(struct events_args, severity, 's', "severity", "LEVEL", severity_names,
		      "show only this level and worse: info, notice, warning, error"),
	CHOICES_OPTION(struct events_args, until, 'u', "until", "WORDS", event_bits,
		       "exit when one of these happens"),
	FLAG_OPTION(struct events_args, already, 0, "already",
		    "--until also considers the state at the start"),
	NUMBER_OPTION(COUNT, struct events_args, count, 'c', "count", "N", 1, 0,
		      "end after this many events"),
	NUMBER_OPTION(DURATION, struct events_args, duration, 'd', "duration", "TIME", 1, INT32_MAX,
		      "end after this long (500ms, 30s, 5m)"),
	STRING_OPTION(struct events_args, exec, 0, "exec", "COMMAND", COMPLETE_NOTHING,
		      "run this for each event, with RDMACTL_EVENT and more in its environment"),
	STRING_OPTION(struct events_args, counter, 0, "counter", "RULES", COMPLETE_NOTHING,
		      "report a counter that grows faster: symbol_error>10/s (or m, h)"),
	STRING_OPTION(struct events_args, flap, 0, "flap", "N/TIME", COMPLETE_NOTHING,
		      "report a port that went down this often (default 3/10m; 0: never)"),
	FLAG_OPTION(struct events_args, all, 'a', "all", "also show reports that changed nothing"),
	{.name = NULL},
};

/* The reason for the end. */
enum end { END_NOT, END_STOPPED, END_HAPPENED, END_COUNT, END_DURATION, END_BROKEN };

struct events_run {
	struct listing listing;
	const struct events_args *args;
	struct watcher_options watch;
	struct event_threshold_list limits;
	struct watcher *watcher;
	struct thresholds *thresholds; /* NULL if none were requested */
	struct strings noted;	       /* problems that were reported */
	struct event_list events;      /* of one step */
	struct events_exec exec;
	struct pollfd *fds;
	struct signals signals;
	uint64_t shown;
	uint64_t end_msec;
	enum end end;
};

/* The column positions of a stream must not depend on later rows. */
static int usual_width(const struct field *field)
{
	static const struct {
		const char *key;
		int width;
	} widths[] = {
		{"time", 24},	      {"object", 12}, {"event", 17},	  {"severity", 8},
		{"source", 8},	      {"device", 8},  {"netdev", 8},	  {"state", 8},
		{"state_before", 12}, {"gid", 39},    {"gid_before", 39}, {"address", 24},
	};

	for (size_t i = 0; i < ARRAY_SIZE(widths); i++)
		if (!strcmp(widths[i].key, field->key))
			return widths[i].width;
	return 0;
}

static void set_widths(struct listing *listing)
{
	const struct columns *columns = &listing->columns;

	listing_piece(listing);
	for (size_t i = 0; i < columns->count; i++)
		listing->pieces.widths[i] = usual_width(columns->fields[i]);
}

static void read_signals(struct events_run *run)
{
	int number;

	while ((number = signals_take(&run->signals))) {
		if (number == SIGCHLD)
			events_exec_reap(&run->exec);
		else
			run->end = END_STOPPED;
	}
}

static struct event_time now(void)
{
	return (struct event_time){clock_wall_nsec(), clock_boot_nsec()};
}

static bool has_bit(const struct number *bits, const struct event *event)
{
	return bits->known && bits->value & UINT64_C(1) << event->word.value;
}

static bool is_shown(const struct events_args *args, const struct event *event)
{
	if (has_bit(&args->until, event))
		return true;
	if (args->words.known && !has_bit(&args->words, event))
		return false;
	return !args->severity.known || event->severity.value >= args->severity.value;
}

/* Handles an event; returns false if it was the last one. */
static bool take(struct events_run *run, struct event *event)
{
	const struct events_args *args = run->args;

	listing_add(&run->listing, event);
	if (!listing_piece(&run->listing)) {
		run->end = END_BROKEN;
		return false;
	}
	run->shown++;
	if (has_bit(&args->until, event))
		run->end = END_HAPPENED;
	else if (args->count.known && run->shown == args->count.value)
		run->end = END_COUNT;
	if (args->exec)
		events_exec_add(&run->exec, event);
	return run->end == END_NOT;
}

/* Rows are written one by one, so that a reader always gets complete lines. */
static void hand_out(struct events_run *run)
{
	struct event_list *events = &run->events;
	bool more = true;

	for (size_t i = 0; more && i < events->count; i++)
		if (is_shown(run->args, &events->items[i]))
			more = take(run, &events->items[i]);
	event_list_clear(events);
}

/* Waits for signals, the sources, and the reader of standard output (POLLERR: it has closed it). */
static void wait_for(struct events_run *run)
{
	int timeout = clock_shorter(watcher_timeout(run->watcher),
				    thresholds_timeout(run->thresholds));
	size_t count = 0;

	if (run->args->duration.known)
		timeout = clock_shorter(timeout, clock_msec_until(run->end_msec));
	MEM_ADD(run->fds, count) = (struct pollfd){.fd = run->signals.fd, .events = POLLIN};
	MEM_ADD(run->fds, count) = (struct pollfd){.fd = STDOUT_FILENO};
	watcher_poll(run->watcher, &run->fds, &count);
	poll(run->fds, count, timeout);
	if (run->fds[1].revents & (POLLERR | POLLHUP)) {
		run->listing.stream_rc = -EPIPE;
		run->end = END_BROKEN;
	}
}

static void report(const struct ctx *ctx, const struct problems *problems)
{
	for (size_t i = 0; i < problems->count; i++) {
		_cleanup_(freep) char *line = problem_line(&problems->items[i]);

		command_complain(ctx, line, problems->items[i].hint);
	}
}

/* A problem that persists is found again and again: reports it once. */
static void report_new(struct events_run *run, struct problems *found)
{
	_cleanup_(problems_free) struct problems fresh = {.items = NULL};

	problems_add_new(&fresh, &run->noted, found);
	report(run->listing.ctx, &fresh);
	problems_free(found);
}

static void watch(struct events_run *run)
{
	while (run->end == END_NOT) {
		struct problems found = {.items = NULL};
		struct event_time time;
		bool over;
		int rc;

		wait_for(run);
		time = now();
		/*
		 * Events before the end are still handled, even if this process was stopped
		 * meanwhile.
		 */
		over = run->args->duration.known && !clock_msec_until(run->end_msec);
		read_signals(run);
		if (run->end != END_NOT)
			return;
		rc = watcher_step(run->watcher, &time, &run->events);
		thresholds_step(run->thresholds, watcher_state(run->watcher),
				watcher_generation(run->watcher), &time, &run->events, &found);
		report_new(run, &found);
		hand_out(run);
		if (rc) {
			listing_fail_format(&run->listing, STATUS_FAILED, NULL,
					    "the devices can no longer be watched: %s",
					    strerror(-rc));
			return;
		}
		if (run->end == END_NOT && over)
			run->end = END_DURATION;
	}
}

/* Waits for the remaining commands, unless a signal ends the wait. */
static void finish_exec(struct events_run *run)
{
	struct pollfd signals = {.fd = run->signals.fd, .events = POLLIN};
	const enum end end = run->end;

	if (end == END_STOPPED || end == END_BROKEN || run->signals.fd < 0)
		return;
	while (events_exec_is_busy(&run->exec) && run->end == end) {
		poll(&signals, 1, -1);
		read_signals(run);
	}
	/* A signal now only ends the wait; the reason why watching ended stays. */
	run->end = end;
}

/* port-active,port-armed */
static char *words_of(uint64_t bits)
{
	char *text = NULL;

	for (const struct enum_name *name = event_bits; name->word; name++)
		if (bits & name->value)
			mem_extend(&text, "%s%s", text ? "," : "", name->word);
	return text ? text : mem_string("");
}

/* Without --until every end is a success. */
static void conclude(struct events_run *run)
{
	const struct events_args *args = run->args;
	_cleanup_(freep) char *words = NULL, *message = NULL;

	if (!args->until.known || run->end == END_HAPPENED || run->end == END_BROKEN ||
	    run->end == END_NOT)
		return;
	words = words_of(args->until.value);
	if (run->end == END_STOPPED) {
		listing_fail_format(&run->listing, STATUS_FAILED, NULL,
				    "interrupted before %s happened", words);
		return;
	}
	message = run->end == END_DURATION
			  ? mem_format("%s did not happen within %g s", words,
				       (double)args->duration.value / 1000)
			  : mem_format("%s did not happen within %" PRIu64 " event%s", words,
				       args->count.value, text_plural_s(args->count.value));
	listing_fail(&run->listing, STATUS_FAULT, message,
		     args->already ? NULL
				   : "the state before watching began does not count without "
				     "--already");
}

static bool check(struct events_run *run)
{
	const struct events_args *args = run->args;
	_cleanup_(freep) char *bad = NULL, *clean = NULL;

	if (listing_refuses_root(&run->listing, "a saved tree has no events"))
		return false;
	run->watch.flap_count = FLAP_COUNT;
	run->watch.flap_window_msec = FLAP_WINDOW_MSEC;
	if (args->flap &&
	    event_parse_flap(args->flap, &run->watch.flap_count, &run->watch.flap_window_msec)) {
		clean = text_clean(args->flap, strlen(args->flap));
		return listing_fail_format(&run->listing, STATUS_USAGE,
					   "3/10m: down three times within ten minutes; 0: none",
					   "--flap: '%s' is not COUNT/TIME", clean);
	}
	if (args->counter && event_parse_thresholds(args->counter, &run->limits, &bad)) {
		clean = text_clean(bad, strlen(bad));
		return listing_fail_format(&run->listing, STATUS_USAGE,
					   "symbol_error>10/s; the unit is s, m or h",
					   "--counter: '%s' is not NAME>N/UNIT", clean);
	}
	return true;
}

/* That an awaited device does not exist yet is no error, but its name may be wrong. */
static void report_awaited(const struct ctx *ctx, const struct problem *problem)
{
	_cleanup_(freep) char *line = NULL;

	if (strcmp(problem->error, OBJECT_NO_DEVICE) != 0)
		line = problem_line(problem);
	else
		line = mem_format("%s is not there yet: waiting for it", problem->object);
	command_complain(ctx, line, problem->hint);
}

/* Finds the objects to watch; loading the inventory reports the missing ones. */
static bool find(struct events_run *run)
{
	struct listing *listing = &run->listing;
	struct problems *problems = &listing->problems;
	const bool found = listing_load_inventory(listing, 0);
	const uint64_t asked = run->args->until.value | run->args->words.value;

	/* Devices that do not exist yet are waited for only if the user asked for device-added. */
	if (asked & UINT64_C(1) << EVENT_DEVICE_ADDED) {
		for (size_t i = 0; i < problems->count; i++)
			report_awaited(listing->ctx, &problems->items[i]);
		problems_free(problems);
		listing->status = STATUS_DONE;
		return true;
	}
	/*
	 * The end, where problems are printed, may be far away. A JSON document has them in any
	 * case.
	 */
	if (found && problems->count && !listing->ctx->globals.json) {
		report(listing->ctx, problems);
		problems_free(problems);
		listing->status = STATUS_PARTIAL;
	}
	return found;
}

static void say_ready(const struct events_run *run)
{
	const struct ctx *ctx = run->listing.ctx;
	const struct event_state *state = watcher_state(run->watcher);
	_cleanup_(freep) char *line = NULL;
	size_t ports = 0;

	if (!ctx->globals.verbose && (ctx->globals.quiet || !isatty(STDERR_FILENO)))
		return;
	for (size_t i = 0; i < state->device_count; i++)
		ports += state->devices[i]->port_count;
	line = mem_format("watching %zu port%s of %zu device%s", ports, text_plural_s(ports),
			  state->device_count, text_plural_s(state->device_count));
	command_complain(ctx, line, NULL);
}

static bool begin(struct events_run *run)
{
	static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD, 0};
	struct problems warnings = {.items = NULL};
	struct listing *listing = &run->listing;
	_cleanup_(freep) char *unknown = NULL;
	struct event_time time;
	int rc;

	signals_catch(&run->signals, caught);
	if (!find(run))
		return false;
	run->watch.objects = &listing->objects;
	run->watch.all = run->args->all;
	/* Two descriptors for each device. */
	run->exec.most_files = file_raise_limit();
	rc = watcher_open(&run->watch, &run->watcher, &warnings, &listing->notes);
	if (!rc && run->limits.count)
		rc = thresholds_open(run->watch.root, &listing->objects, &run->limits,
				     &run->thresholds, &unknown, &warnings);
	report_new(run, &warnings);
	if (unknown)
		return listing_fail(listing, STATUS_USAGE, unknown,
				    "rdmactl counters --all lists those that exist");
	if (rc)
		return listing_fail_format(listing, STATUS_FAILED, NULL,
					   "the devices cannot be watched: %s", strerror(-rc));
	if (listing->ctx->globals.verbose) {
		report(listing->ctx, &listing->notes);
		problems_free(&listing->notes);
	}
	run->exec.command = run->args->exec;
	run->end_msec = clock_msec() + run->args->duration.value;
	set_widths(listing);
	say_ready(run);
	time = now();
	if (run->args->already)
		watcher_report_states(run->watcher, run->args->until.value, &time, &run->events);
	hand_out(run);
	return true;
}

static int finish(struct events_run *run)
{
	struct listing *listing = &run->listing;
	int status;

	events_exec_end(&run->exec, &listing->problems);
	thresholds_free(run->thresholds);
	strings_free(&run->noted);
	watcher_free(run->watcher);
	event_threshold_list_clear(&run->limits);
	event_list_clear(&run->events);
	free(run->fds);
	status = listing_end(listing);
	read_signals(run);
	signals_release(&run->signals);
	return status;
}

static int run_events(const struct ctx *ctx, const void *args, char **objects)
{
	struct events_run run = {.args = args, .signals = SIGNALS_NONE};

	if (listing_begin(&run.listing, ctx, objects, true) && check(&run) && begin(&run)) {
		watch(&run);
		finish_exec(&run);
		conclude(&run);
	}
	return finish(&run);
}

static const struct option_rule rules[] = {
	OPTIONS_NEED("already", "until", NULL),
	{.options = NULL},
};

const struct command events_command = {
	.name = "events",
	.group = GROUP_LIVE,
	.summary = "report changes of devices, ports and netdevs as they happen",
	.objects = "[DEV[/PORT]...]",
	.object_completion = COMPLETE_PORT,
	.most_objects = -1,
	.options = {options},
	.rules = rules,
	.args_size = sizeof(struct events_args),
	.schema = &event_schema,
	.run = run_events,
};
