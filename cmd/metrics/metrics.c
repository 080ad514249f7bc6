/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl metrics: what Prometheus scrapes, printed, as a textfile, or served. */
#include "metric/metric.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "cmd/commands.h"
#include "cmd/listing.h"
#include "counter/names/counter_names.h"
#include "metric/metric_row.h"

#define TEXTFILE_SUFFIX ".prom"

enum { TEXTFILE_MODE = 0644, TOP_MOST = 100 };

struct metrics_args {
	struct number format; /* enum metrics_format */
	struct number only;   /* bits 1 << enum counter_group */
	struct number top;
	const char *exclude, *textfile;
};

static const struct enum_name formats[] = {
	{METRICS_PROMETHEUS, "prometheus", TONE_PLAIN,
	 "the text format of Prometheus, version 0.0.4"},
	{METRICS_OPENMETRICS, "openmetrics", TONE_PLAIN, "OpenMetrics 1.0"},
	{0},
};

static const struct option_row options[] = {
	CHOICE_OPTION(struct metrics_args, format, 0, "format", "FORMAT", formats,
		      "prometheus (default) or openmetrics"),
	STRING_OPTION(struct metrics_args, textfile, 0, "textfile", "FILE", COMPLETE_FILE,
		      "write FILE.prom for node_exporter's textfile collector"),
	STRING_OPTION(struct metrics_args, exclude, 0, "exclude", "DEVICES", COMPLETE_DEVICE,
		      "leave these devices out, before anything of them is read"),
	CHOICES_OPTION(struct metrics_args, only, 0, "only", "GROUPS", counter_group_bits,
		       "only counters of these groups"),
	NUMBER_OPTION(COUNT, struct metrics_args, top, 0, "top", "N", 1, TOP_MOST,
		      "add the N commands that have pinned most memory"),
	{.name = NULL},
};

struct metrics_run {
	struct listing listing;
	const struct metrics_args *args;
	struct metrics_request request;
	struct metrics metrics;
};

/* a,b,c */
static void split(const char *words, struct strings *strings)
{
	while (words && *words) {
		const size_t length = strcspn(words, ",");
		_cleanup_(freep) char *word = mem_format("%.*s", (int)length, words);

		if (length)
			strings_add(strings, word);
		words += length + (words[length] == ',');
	}
}

static enum metrics_format format_of(const struct metrics_run *run)
{
	return run->args->format.known ? (enum metrics_format)run->args->format.value
				       : METRICS_PROMETHEUS;
}

/* node_exporter runs as another user. */
static int write_textfile(void *context, FILE *file)
{
	const struct metrics_run *run = context;
	int rc = metrics_write(file, &run->metrics, format_of(run));

	if (!rc && fchmod(fileno(file), TEXTFILE_MODE))
		rc = -errno;
	return rc;
}

static bool ends_with(const char *text, const char *end)
{
	const size_t length = strlen(text), end_length = strlen(end);

	return length > end_length && !strcmp(text + length - end_length, end);
}

static bool check_textfile(struct metrics_run *run)
{
	const char *path = run->args->textfile;

	if (!path || ends_with(path, TEXTFILE_SUFFIX))
		return true;
	listing_fail(
		&run->listing, STATUS_USAGE,
		"--textfile: node_exporter reads only files whose names end with " TEXTFILE_SUFFIX,
		NULL);
	return false;
}

/* The problems are samples of the file, so that a timer's unit does not fail for them. */
static int save(struct metrics_run *run)
{
	_cleanup_(freep) char *message = NULL;
	int rc = file_replace(run->args->textfile, write_textfile, run);

	if (!run->listing.ctx->globals.verbose)
		problems_free(&run->listing.problems);
	run->listing.status = STATUS_DONE;
	if (rc) {
		message = mem_format("cannot write %s: %s", run->args->textfile, strerror(-rc));
		listing_fail(&run->listing, STATUS_FAILED, message, NULL);
	}
	rc = listing_end_quietly(&run->listing, 0);
	return rc == STATUS_PARTIAL ? STATUS_DONE : rc;
}

static int print(struct metrics_run *run)
{
	const struct globals *globals = &run->listing.ctx->globals;
	struct metric_row *rows;
	size_t count;
	int status;

	if (!globals->json && !globals->jsonl && !globals->tsv && !globals->columns)
		return listing_end_quietly(&run->listing,
					   metrics_write(stdout, &run->metrics, format_of(run)));
	count = metric_rows_make(&run->metrics, &rows);
	for (size_t i = 0; i < count; i++)
		listing_add(&run->listing, &rows[i]);
	status = listing_end(&run->listing);
	metric_rows_free(rows, count);
	return status;
}

static int work(struct metrics_run *run)
{
	struct listing *listing = &run->listing;
	int rc = metrics_collect(&run->request, &run->metrics, &listing->problems);

	if (rc)
		listing->status = rc == -ENODEV ? STATUS_NOTHING : STATUS_FAILED;
	if (rc && rc != -ENODEV)
		return listing_end_quietly(listing, 0);
	return run->args->textfile ? save(run) : print(run);
}

static int run(const struct ctx *ctx, const void *args, char **words)
{
	struct metrics_run run = {.args = args};
	struct listing *listing = &run.listing;
	int status;

	if (!listing_begin(listing, ctx, words, true) || !check_textfile(&run))
		return listing_end(listing);
	split(run.args->exclude, &listing->objects.excluded);
	run.request = (struct metrics_request){
		.root = ctx->globals.root,
		.objects = &listing->objects,
		.groups = run.args->only,
		.top = run.args->top.known ? (unsigned int)run.args->top.value : 0,
		.version = RDMACTL_VERSION,
	};
	status = work(&run);
	metrics_clear(&run.metrics);
	return status;
}

const struct command metrics_command = {
	.name = "metrics",
	.group = GROUP_LIVE,
	.summary = "print state and counters as Prometheus and OpenMetrics want them",
	.objects = "[DEV[/PORT]...]",
	.object_completion = COMPLETE_PORT,
	.most_objects = -1,
	.options = {options},
	.args_size = sizeof(struct metrics_args),
	.schema = &metric_row_schema,
	.run = run,
};
