/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/selftest/selftest_run.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "render/histogram.h"

/* Tells readers that a signal was caught: it stays pending, as it is blocked and never read. */
#define NOTE SIGUSR1

/* The number of intervals whose failures are listed one by one. */
enum { MOST_FAILURES = 20 };

void selftest_output_begin(struct selftest_output *output, struct listing *listing)
{
	*output = (struct selftest_output){.listing = listing};
	progress_begin(&output->progress, listing->ctx);
}

static void show_progress(struct selftest_output *output, const char *test)
{
	_cleanup_(freep) char *clean = NULL, *text = NULL;

	/* With --all-ports, ports are tested at once, so the text names them. */
	if (!output->device) {
		progress_show(&output->progress, test);
		return;
	}
	clean = text_clean(output->device, strlen(output->device));
	text = mem_format("%s/%u %s", clean, output->port, test);
	progress_show(&output->progress, text);
}

static bool prints_early(const struct selftest_output *output)
{
	return output->pieces || listing_streams(output->listing);
}

/* "rxa/1 latency-send (64 bytes)", or the known parts of it. */
static char *name_row(const struct selftest_result *row)
{
	_cleanup_(freep) char *port = NULL, *more = NULL;

	if (row->device && row->port.known)
		port = mem_format("%s/%" PRIu64 " ", row->device, row->port.value);
	if (row->size_bytes.known)
		more = mem_format(" (%" PRIu64 " bytes)", row->size_bytes.value);
	else if (number_is(&row->group, SELFTEST_GIDS) && row->gid_index.known)
		more = mem_format(" (GID index %" PRIu64 ")", row->gid_index.value);
	return mem_format("%s%s%s", port ? port : "", row->test ? row->test : "", more ? more : "");
}

static void note_failure(struct listing *listing, const struct selftest_result *row)
{
	_cleanup_(freep) char *name = name_row(row);

	problem_add_text(&listing->problems, name, NULL, NULL, row->reason ? row->reason : "failed",
			 row->next_step);
	listing->status = STATUS_FAULT;
}

/*
 * A measurement may go on for days, so rows of intervals are freed once they are printed. So may
 * failures: most of them are only counted.
 */
static void drop_intervals(struct selftest_output *output)
{
	struct selftest_results *results = &output->results;
	size_t kept = 0;

	for (size_t i = 0; i < results->count; i++) {
		struct selftest_result *row = results->items[i];

		if (!row->interval.known || row->verdict.value == SELFTEST_SKIP) {
			results->items[kept++] = row;
			continue;
		}
		if (row->verdict.value == SELFTEST_FAIL && output->failed++ < MOST_FAILURES)
			note_failure(output->listing, row);
		selftest_result_free(row);
	}
	output->dropped += results->count - kept;
	results->count = kept;
	output->last = kept ? results->items[kept - 1] : NULL;
}

/* Adds new rows to the listing; prints them if rows are printed one by one. */
static void add_rows(struct selftest_output *output)
{
	const struct selftest_results *results = &output->results;
	size_t next = results->count;

	/* Search from the end, because a long-running server drops its first rows. */
	while (next && results->items[next - 1] != output->last)
		next--;
	if (next == results->count)
		return;
	for (; next < results->count; next++)
		listing_add(output->listing, results->items[next]);
	output->last = results->items[results->count - 1];
	if (!prints_early(output))
		return;
	progress_erase(&output->progress);
	if (output->pieces) {
		/* A measurement whose output nobody can read should not go on, perhaps forever. */
		if (!listing_piece(output->listing) && output->caught)
			kill(getpid(), NOTE);
		drop_intervals(output);
	} else {
		listing_stream(output->listing);
	}
}

struct selftest_result *selftest_output_add(struct selftest_output *output,
					    enum selftest_verdict verdict, const char *reason,
					    const char *hint)
{
	struct selftest_result *row = selftest_results_add(&output->results);

	number_set(&row->group, SELFTEST_SETUP);
	number_set(&row->verdict, verdict);
	row->test = mem_string("connect");
	row->reason = text_clean(reason, strlen(reason));
	row->next_step = mem_string_or_null(hint);
	return row;
}

void selftest_output_progress(void *context, const char *test)
{
	struct selftest_output *output = context;

	if (prints_early(output))
		add_rows(output);
	if (output->progress.shown)
		show_progress(output, test);
}

void selftest_output_say(void *context, const char *line)
{
	struct selftest_output *output = context;

	if (prints_early(output))
		add_rows(output);
	command_complain(output->listing->ctx, line, NULL);
}

static char *count_results(const struct selftest_output *output)
{
	const struct selftest_results *results = &output->results;
	size_t all = results->count + output->dropped, failed = output->failed, skipped = 0;
	_cleanup_(freep) char *skips = NULL;

	for (size_t i = 0; i < results->count; i++) {
		failed += results->items[i]->verdict.value == SELFTEST_FAIL;
		skipped += results->items[i]->verdict.value == SELFTEST_SKIP;
	}
	if (!failed || all == 1)
		return NULL;
	if (skipped)
		skips = mem_format(", %zu skipped", skipped);
	return mem_format("%zu of %zu tests failed%s", failed, all, skips ? skips : "");
}

static int print_histogram(const struct selftest_result *row)
{
	_cleanup_(freep) char *name = name_row(row);
	_cleanup_(freep) char *title = mem_format("\n%s\n", name);
	_cleanup_(freep) struct histogram_bar *bars = mem_alloc_zero(row->histogram_count,
								     sizeof(*bars));
	int rc = render_text(stdout, title);

	for (size_t i = 0; i < row->histogram_count; i++) {
		bars[i].least_usec = row->histogram[i].least_usec.value;
		bars[i].below_usec = row->histogram[i].below_usec.value;
		bars[i].count = row->histogram[i].count.value;
	}
	return rc ? rc : render_histogram(stdout, bars, row->histogram_count, 0);
}

static bool draws_histograms(const struct ctx *ctx, bool wanted)
{
	const struct globals *globals = &ctx->globals;

	if (globals->json || globals->jsonl || globals->tsv)
		return false;
	return globals->verbose || (wanted && isatty(STDOUT_FILENO));
}

static int finish(struct selftest_output *output, bool histograms)
{
	const struct selftest_results *results = &output->results;
	const bool charts = draws_histograms(output->listing->ctx, false) && !output->svg;
	int rc, status;

	progress_erase(&output->progress);
	add_rows(output);
	rc = output->svg ? selftest_charts_svg(stdout, results) : listing_print(output->listing);
	if (!rc && charts)
		rc = selftest_charts_text(stdout, results);
	for (size_t i = 0; !rc && histograms && i < results->count; i++)
		if (results->items[i]->histogram_count && !output->svg &&
		    !results->items[i]->interval.known)
			rc = print_histogram(results->items[i]);
	status = listing_end_quietly(output->listing, rc);
	selftest_results_free(&output->results);
	return status;
}

/* Notes the failures of intervals whose rows have been freed. */
static void note_dropped(const struct selftest_output *output)
{
	_cleanup_(freep) char *others = NULL;

	if (output->failed)
		output->listing->status = STATUS_FAULT;
	if (output->failed <= MOST_FAILURES)
		return;
	others = mem_format("%zu other interval%s failed", output->failed - MOST_FAILURES,
			    text_plural_s(output->failed - MOST_FAILURES));
	problem_add_text(&output->listing->problems, NULL, NULL, NULL, others, NULL);
}

int selftest_output_end(struct selftest_output *output, bool histograms)
{
	const struct selftest_results *results = &output->results;
	const struct ctx *ctx = output->listing->ctx;
	_cleanup_(freep) char *summary = NULL;
	int status;

	if (output->pieces)
		add_rows(output);
	summary = count_results(output);
	note_dropped(output);
	for (size_t i = 0; i < results->count; i++)
		if (results->items[i]->verdict.value == SELFTEST_FAIL)
			note_failure(output->listing, results->items[i]);
	status = finish(output, draws_histograms(ctx, histograms));
	if (summary)
		command_complain(ctx, summary, NULL);
	return status;
}

int selftest_output_end_served(struct selftest_output *output)
{
	return finish(output, draws_histograms(output->listing->ctx, false));
}

static void on_signal(int number)
{
	int saved = errno;

	(void)number;
	kill(getpid(), NOTE);
	errno = saved;
}

int selftest_catch_signals(void)
{
	static const int caught[] = {SIGINT, SIGTERM, SIGHUP};
	/* The handler runs only once: the second signal has its default action. */
	const struct sigaction action = {
		.sa_handler = on_signal,
		.sa_flags = SA_RESTART | (int)SA_RESETHAND,
	};
	struct sigaction before;
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, NOTE);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return -errno;
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return -errno;
	/*
	 * Respect nohup, which ignores SIGHUP, but not a shell that ignores SIGINT in the
	 * background.
	 */
	for (size_t i = 0; i < ARRAY_SIZE(caught); i++)
		if (caught[i] != SIGHUP ||
		    (!sigaction(SIGHUP, NULL, &before) && before.sa_handler != SIG_IGN))
			sigaction(caught[i], &action, NULL);
	return fd;
}
