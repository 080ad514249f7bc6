/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl perf: the counters of local and remote ports, from performance management. */
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/perf/perf_run.h"
#include "mad/perf/perf_sample.h"

static const struct option_row options[] = {
	FLAG_OPTION(struct perf_args, all_ports, 0, "all-ports",
		    "all ports of an adapter (the default for a switch)"),
	FLAG_OPTION(struct perf_args, errors, 0, "errors", "the error counters"),
	FLAG_OPTION(struct perf_args, traffic, 0, "traffic", "bytes and packets"),
	FLAG_OPTION(struct perf_args, fec, 0, "fec",
		    "errors that the link encoding found and corrected, by lane"),
	FLAG_OPTION(struct perf_args, vl, 0, "vl", "counters of each virtual lane"),
	FLAG_OPTION(struct perf_args, congestion, 0, "congestion",
		    "waits and congestion marks, by virtual lane and service level"),
	FLAG_OPTION(struct perf_args, by_sl, 0, "by-sl", "bytes of each service level"),
	FLAG_OPTION(struct perf_args, details, 0, "details",
		    "why packets were discarded or received with errors"),
	FLAG_OPTION(struct perf_args, flow, 0, "flow",
		    "flow control packets, and packets with one operation code"),
	FLAG_OPTION(struct perf_args, sum, 0, "sum",
		    "one row per node: the sum of all its ports, or of those named"),
	FLAG_OPTION(struct perf_args, all, 'a', "all",
		    "include virtual lanes and service levels with only zeros"),
	FLAG_OPTION(struct perf_args, watch, 'w', "watch",
		    "print the rates of the counters until interrupted"),
	NUMBER_OPTION(DURATION, struct perf_args, interval, 0, "interval", "TIME", 100, 3600000,
		      "time between two readings of --watch (default 1s)"),
	NUMBER_OPTION(COUNT, struct perf_args, count, 'c', "count", "N", 1, UINT32_MAX,
		      "end --watch after N rounds"),
	FLAG_OPTION(struct perf_args, reset, 0, "reset",
		    "print the counters, then clear them (with --errors or --traffic only those)"),
	STRING_OPTION(struct perf_args, counters, 0, "counters", "LIST", COMPLETE_NOTHING,
		      "with --reset: clear only these, by column or as a mask of bits"),
	FLAG_OPTION(struct perf_args, samples, 0, "samples",
		    "results of the ports' own sampling in its last interval"),
	STRING_OPTION(struct perf_args, sample, 0, "sample", "LIST", COMPLETE_NOTHING,
		      "let the ports sample these quantities: xmit-wait,xmit-data"),
	NUMBER_OPTION(COUNT, struct perf_args, start, 0, "start", "TICKS", 0, UINT32_MAX,
		      "start this many ticks after the request"),
	NUMBER_OPTION(COUNT, struct perf_args, ticks, 0, "ticks", "N", 1, UINT32_MAX,
		      "length of the interval (default: unchanged)"),
	NUMBER_OPTION(COUNT, struct perf_args, op_code, 0, "op-code", "N", 0, UINT8_MAX,
		      "sample packets with this operation code"),
	{.name = NULL},
};

static const struct option_rule rules[] = {
	OPTIONS_ONE_OF("vl fec congestion by-sl details flow", NULL),
	OPTIONS_EXCLUDE("vl fec congestion by-sl details flow", "errors traffic sum counters",
			NULL),
	OPTIONS_EXCLUDE("watch", "errors traffic reset", NULL),
	OPTIONS_EXCLUDE("sum", "all-ports", NULL),
	OPTIONS_ONE_OF("samples sample", NULL),
	OPTIONS_EXCLUDE("samples sample",
			"errors traffic vl fec congestion by-sl details flow sum watch reset",
			NULL),
	OPTIONS_NEED("start ticks op-code", "sample", NULL),
	OPTIONS_EXCLUDE("counters", "errors traffic", NULL),
	OPTIONS_NEED("interval count", "watch", NULL),
	OPTIONS_NEED("counters", "reset", NULL),
	OPTIONS_NEED("all", "vl congestion by-sl", NULL),
	MAD_RULES,
	{.options = NULL},
};

static bool is_route(const struct mad_args *args, const char *word)
{
	struct mad_target target;

	if (args->direct)
		return true;
	return word && !args->lid && !args->guid && !args->gid &&
	       !mad_target_parse(word, TARGET_ANY, &target) && target.kind == TARGET_DIRECT &&
	       target.hops;
}

/* Finds the destinations; the default is this port, by its own LID. */
static bool find(struct perf_run *run, char **words)
{
	struct mad_listing *mad = &run->mad;

	if (!mad_listing_find_by_lid(mad, words))
		return false;
	for (size_t i = 0; i < mad->session.destination_count; i++)
		if (run->args->all_ports && mad->session.destinations[i].word_count)
			return listing_fail(&mad->listing, STATUS_USAGE,
					    "--all-ports cannot be used with ports by number",
					    NULL);
	return mad_listing_has_lids(mad,
				    "performance management cannot be reached by directed route",
				    "give LIDs, port GUIDs or GIDs");
}

void perf_omit_headings(struct perf_run *run)
{
	run->headless = *run->mad.listing.ctx;
	run->headless.globals.no_headings = true;
	run->mad.listing.ctx = &run->headless;
}

static const char *what_is_cleared(const struct perf_args *args, enum perf_listing listing)
{
	return listing != PERF_OF_PORT		? "the listed"
	       : args->counters			? "the named"
	       : args->errors && !args->traffic ? "the error"
	       : args->traffic && !args->errors ? "the traffic"
						: "all";
}

/* Whether a signal came before anything is cleared, which the listing then says. */
static bool is_interrupted(struct perf_run *run)
{
	return mad_listing_interrupted(&run->mad, "interrupted: nothing was cleared");
}

/* Clears the counters that were printed: errors or traffic, or all without either option. */
static void reset(struct perf_run *run)
{
	const enum perf_listing listing = run->perf.options.listing;
	_cleanup_(freep) char *text = NULL;
	size_t ports;

	if (is_interrupted(run))
		return;
	ports = perf_reset(&run->perf, run->clear);
	text = mem_format("cleared %s counters of %zu port%s, for every reader",
			  what_is_cleared(run->args, listing), ports, text_plural_s(ports));
	if (run->args->counters)
		perf_report_lacking(&run->perf, run->clear);
	if (ports && !run->mad.listing.ctx->globals.quiet)
		command_complain(run->mad.listing.ctx, text, NULL);
}

static bool choose_counters(struct perf_run *run)
{
	const struct perf_args *args = run->args;
	_cleanup_(freep) char *wrong = NULL, *hint = NULL;

	run->clear = args->errors == args->traffic ? PERF_CLEAR_ALL
		     : args->errors		   ? PERF_CLEAR_ERRORS
						   : PERF_CLEAR_TRAFFIC;
	if (!args->counters || !perf_parse_counters(args->counters, &run->clear, &wrong))
		return true;
	hint = perf_counters_hint(wrong);
	return listing_fail_format(&run->mad.listing, STATUS_USAGE, hint,
				   "--counters: '%s' is neither a counter nor a mask", wrong);
}

static void work(struct perf_run *run, enum perf_listing kind)
{
	const struct perf_args *args = run->args;
	struct listing *listing = &run->mad.listing;
	const struct globals *globals = &listing->ctx->globals;
	const struct perf_options wanted = {
		.listing = kind,
		.all_ports = args->all_ports,
		/* A row that appears later would have no rate in its first round. */
		.all = args->all || args->watch,
		.sum = args->sum,
		.names = columns_needs(&listing->columns) & MAD_NEED_NODE,
		.mark = !globals->json && !globals->jsonl && !globals->tsv,
		.repeats = args->watch,
	};

	if (!mad_listing_take(&run->mad, perf_plan(&run->perf, &run->mad.session, &wanted))) {
		if (args->reset)
			is_interrupted(run);
		return;
	}
	perf_take(run);
	if (!run->perf.row_count && listing->problems.count)
		listing->status = STATUS_FAILED;
	if (args->watch) {
		if (run->perf.row_count)
			perf_watch(run);
		return;
	}
	for (size_t i = 0; i < run->perf.row_count; i++)
		listing_add(listing, &run->perf.rows[i]);
	/* Print the counters before they are cleared. A JSON document keeps them until its end. */
	if (args->reset && !listing->ctx->globals.json && run->perf.row_count) {
		listing_stream(listing);
		perf_omit_headings(run);
	}
	if (args->reset && !listing->stream_rc)
		reset(run);
}

static enum perf_listing listing_of(const struct perf_args *args)
{
	return args->vl		  ? PERF_OF_VL
	       : args->fec	  ? PERF_OF_FEC
	       : args->congestion ? PERF_OF_CONGESTION
	       : args->by_sl	  ? PERF_OF_SL
	       : args->details	  ? PERF_OF_DETAILS
	       : args->flow	  ? PERF_OF_FLOW
				  : PERF_OF_PORT;
}

static void prefer_columns(struct perf_run *run)
{
	const struct perf_args *args = run->args;

	if (args->watch)
		return;
	if (args->sum && args->errors == args->traffic)
		listing_show_view(&run->mad.listing, "--sum");
	else if (args->errors || args->traffic)
		listing_show_view(&run->mad.listing, !args->traffic  ? "--errors"
						     : !args->errors ? "--traffic"
								     : "--errors --traffic");
}

static int run_perf(const struct ctx *ctx, const void *args, char **objects)
{
	struct perf_run run = {.args = args};
	const struct schema *schema;
	enum perf_listing kind;
	bool found;
	int status;

	if (is_route(&run.args->mad, objects[0]))
		return command_complain(
			ctx, "performance management cannot be reached by directed route",
			"give a LID, a port GUID or a GID: rdmactl smp nodeinfo -D 0,1 shows the "
			"GUID");
	kind = listing_of(run.args);
	if (run.args->samples || run.args->sample) {
		found = mad_listing_begin(&run.mad, ctx, &run.args->mad, &perf_samples_schema,
					  false, false) &&
			find(&run, objects);
		status = perf_sample(&run, found);
		perf_end(&run.perf);
		return status;
	}
	schema = run.args->watch ? perf_rates_schema_of(kind) : perf_listing_schema(kind);
	if (mad_listing_begin(&run.mad, ctx, &run.args->mad, schema, false, false)) {
		prefer_columns(&run);
		if (choose_counters(&run) && find(&run, objects))
			work(&run, kind);
	}
	status = mad_listing_end(&run.mad);
	perf_watch_end(&run);
	perf_end(&run.perf);
	return status;
}

const struct command perf_command = {
	.name = "perf",
	.group = GROUP_MAD,
	.summary = "show the counters of ports and their rates",
	.objects = "[DEST [PORT...]]",
	.most_objects = -1,
	.options = {options, mad_options},
	.rules = rules,
	.args_size = sizeof(struct perf_args),
	.schema = &perf_schema,
	.more_schemas = perf_more_schemas,
	.own_timeout = true,
	.run = run_perf,
};
