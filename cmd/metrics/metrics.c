/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl metrics: metrics for Prometheus, printed, written to a textfile, or served. */
#include "metric/metric.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/confine.h"
#include "base/file.h"
#include "base/library.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/listing.h"
#include "counter/names/counter_names.h"
#include "metric/metrics_server.h"

#define TEXTFILE_SUFFIX ".prom"

enum { TEXTFILE_MODE = 0644, TOP_MOST = 100 };

struct metrics_args {
	struct number format; /* enum metrics_format */
	struct number only;   /* bits 1 << enum counter_group */
	struct number top;
	const char *exclude, *textfile, *listen;
	struct number names; /* enum metrics_names */
	bool checks;
};

static const struct enum_name formats[] = {
	{METRICS_PROMETHEUS, "prometheus", TONE_PLAIN,
	 "the text format of Prometheus, version 0.0.4"},
	{METRICS_OPENMETRICS, "openmetrics", TONE_PLAIN, "OpenMetrics 1.0"},
	{0},
};

enum metrics_names { NAMES_RDMACTL, NAMES_NODE_EXPORTER };

static const struct enum_name names[] = {
	{NAMES_RDMACTL, "rdmactl", TONE_PLAIN, "one family for all drivers"},
	{NAMES_NODE_EXPORTER, "node_exporter", TONE_PLAIN,
	 "the names of node_exporter's infiniband collector"},
	{0},
};

static const struct option_row options[] = {
	CHOICE_OPTION(struct metrics_args, format, 0, "format", "FORMAT", formats,
		      "prometheus (default) or openmetrics"),
	STRING_OPTION(struct metrics_args, textfile, 0, "textfile", "FILE", COMPLETE_FILE,
		      "write this file, *.prom, for node_exporter's textfile collector"),
	STRING_OPTION(struct metrics_args, listen, 0, "listen", "ADDR:PORT", COMPLETE_NOTHING,
		      "serve /metrics over HTTP; ADDR defaults to 127.0.0.1"),
	STRING_OPTION(struct metrics_args, exclude, 0, "exclude", "DEVICES", COMPLETE_DEVICE,
		      "skip these devices, without reading anything from them"),
	CHOICES_OPTION(struct metrics_args, only, 0, "only", "GROUPS", counter_group_bits,
		       "only counters of these groups"),
	CHOICE_OPTION(struct metrics_args, names, 0, "names", "NAMES", names,
		      "rdmactl (default), or node_exporter for dashboards that use its names"),
	NUMBER_OPTION(COUNT, struct metrics_args, top, 0, "top", "N", 1, TOP_MOST,
		      "add the N commands that registered the most memory"),
	FLAG_OPTION(struct metrics_args, checks, 0, "checks", "add the verdicts of rdmactl doctor"),
	{.name = NULL},
};

struct metrics_run {
	struct listing listing;
	const struct metrics_args *args;
	struct metrics_request request;
	struct metrics metrics;
	char *address; /* where it listens */
};

static enum metrics_format format_of(const struct metrics_run *run)
{
	return run->args->format.known ? (enum metrics_format)run->args->format.value
				       : METRICS_PROMETHEUS;
}

struct page {
	struct metrics metrics;
	enum metrics_format format;
};

static int write_page(void *context, FILE *file)
{
	const struct page *page = context;

	return render_metrics(file, &page->metrics, page->format);
}

/* Refuses what node_exporter cannot use, because it would ignore the entire file. */
static bool check_textfile(struct metrics_run *run)
{
	const char *path = run->args->textfile;

	if (!path)
		return true;
	if (!text_ends_with(path, TEXTFILE_SUFFIX))
		return listing_fail(&run->listing, STATUS_USAGE,
				    "--textfile: node_exporter reads only files whose names end "
				    "with " TEXTFILE_SUFFIX,
				    "for example: --textfile "
				    "/var/lib/prometheus/node-exporter/rdma" TEXTFILE_SUFFIX);
	if (format_of(run) != METRICS_PROMETHEUS)
		return listing_fail(&run->listing, STATUS_USAGE,
				    "--textfile: node_exporter reads only the prometheus format",
				    "omit --format openmetrics");
	return true;
}

/* The file has samples for the problems, so they do not make a timer's unit fail. */
static int save(struct metrics_run *run)
{
	struct page page = {run->metrics, format_of(run)};
	/* node_exporter runs as another user. */
	int rc = file_replace_as(run->args->textfile, TEXTFILE_MODE, write_page, &page);

	if (!run->listing.ctx->globals.verbose)
		problems_free(&run->listing.problems);
	run->listing.status = STATUS_DONE;
	if (rc)
		listing_fail_to_write(&run->listing, run->args->textfile, rc);
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
					   render_metrics(stdout, &run->metrics, format_of(run)));
	count = metric_rows_make(&run->metrics, &rows);
	for (size_t i = 0; i < count; i++)
		listing_add(&run->listing, &rows[i]);
	status = listing_end(&run->listing);
	metric_rows_free(rows, count);
	return status;
}

/* Each scrape reads everything again; its samples include the problems. */
static int make_page(void *context, enum metrics_format format, char **ret_text, size_t *ret_length)
{
	const struct metrics_run *run = context;
	_cleanup_(problems_free) struct problems problems = {0};
	struct page page = {.format = format};
	int rc = metrics_collect(&run->request, &page.metrics, &problems);

	/* Without a device there are samples that say so. */
	if (!rc || rc == -ENODEV)
		rc = mem_write(write_page, &page, ret_text, ret_length);
	metrics_clear(&page.metrics);
	return rc;
}

static bool open_socket(struct metrics_run *run, int *ret_fd)
{
	const char *address = run->args->listen;
	int rc = metrics_inherit(ret_fd);

	if (!rc)
		return true;
	rc = metrics_listen(address, ret_fd);
	if (!rc)
		return true;
	if (rc == -EINVAL)
		return listing_fail_format(&run->listing, STATUS_USAGE,
					   "such as 9879, 0.0.0.0:9879 or [::1]:9879",
					   "--listen: '%s' is not ADDR:PORT with numbers", address);
	return listing_fail_format(&run->listing, STATUS_FAILED, NULL, "cannot listen on %s: %s",
				   address, strerror(-rc));
}

static void explain_service(struct metrics_run *run, int error)
{
	if (error == -ELIBACC || error == -ELIBBAD) {
		_cleanup_(freep) char *hint = library_hint(
			LIBMICROHTTPD, error,
			"install libmicrohttpd12 (Debian) or libmicrohttpd, or use --textfile");

		listing_fail(&run->listing, STATUS_FAILED,
			     "--listen needs libmicrohttpd, which cannot be loaded", hint);
	} else {
		listing_fail_format(&run->listing, STATUS_FAILED, NULL, "cannot serve: %s",
				    strerror(-error));
	}
}

static void say_serving(void *context)
{
	const struct metrics_run *run = context;

	if (!run->listing.ctx->globals.quiet)
		fprintf(stderr, "serving /metrics on %s\n", run->address);
}

static int serve(struct metrics_run *run)
{
	/* The server only reads files that everybody may read, and answers strangers. */
	const struct confinement confinement = {.most_files = 256};
	struct metrics_service service = {
		.make = make_page,
		.begun = say_serving,
		.context = run,
		.fixed = run->args->format.known,
		.format = format_of(run),
	};
	int rc;

	if (!open_socket(run, &service.listen_fd))
		return listing_end_quietly(&run->listing, 0);
	run->address = metrics_address(service.listen_fd);
	rc = confine(&confinement);
	if (!rc)
		rc = metrics_serve(&service);
	close(service.listen_fd);
	free(run->address);
	if (rc)
		explain_service(run, rc);
	return listing_end_quietly(&run->listing, 0);
}

static int work(struct metrics_run *run)
{
	struct listing *listing = &run->listing;
	int rc = metrics_collect(&run->request, &run->metrics, &listing->problems);

	/* Without a device there are samples that say so. */
	if (!listing_has_loaded(listing, rc) && rc != -ENODEV)
		return listing_end(listing);
	return run->args->textfile ? save(run) : print(run);
}

static int run(const struct ctx *ctx, const void *args, char **words)
{
	struct metrics_run run = {.args = args};
	struct listing *listing = &run.listing;
	int status;

	if (!listing_begin(listing, ctx, words, true) || !check_textfile(&run))
		return listing_end(listing);
	strings_add_list(&listing->objects.excluded, run.args->exclude);
	run.request = (struct metrics_request){
		.root = ctx->globals.root,
		.objects = &listing->objects,
		.groups = run.args->only,
		.top = run.args->top.known ? (unsigned int)run.args->top.value : 0,
		.checks = run.args->checks,
		.node_exporter = number_is(&run.args->names, NAMES_NODE_EXPORTER),
		.version = RDMACTL_VERSION,
	};
	status = run.args->listen ? serve(&run) : work(&run);
	metrics_clear(&run.metrics);
	return status;
}

static const struct option_rule rules[] = {
	OPTIONS_ONE_OF("listen textfile", NULL),
	OPTIONS_EXCLUDE("names", "textfile",
			"node_exporter drops series whose names its own collector has"),
	OPTIONS_EXCLUDE("listen textfile", "json jsonl tsv columns no-headings", NULL),
	OPTIONS_EXCLUDE("format", "json jsonl tsv columns", NULL),
	{.options = NULL},
};

const struct command metrics_command = {
	.name = "metrics",
	.group = GROUP_LIVE,
	.summary = "export state and counters in Prometheus or OpenMetrics format",
	.objects = "[DEV[/PORT]...]",
	.object_completion = COMPLETE_PORT,
	.most_objects = -1,
	.options = {options},
	.rules = rules,
	.args_size = sizeof(struct metrics_args),
	.schema = &metric_row_schema,
	.run = run,
};
