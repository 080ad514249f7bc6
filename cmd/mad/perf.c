/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl perf: the counters of local and remote ports, from performance management. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/mad/mad_listing.h"
#include "mad/perf.h"

struct perf_args {
	struct mad_args mad;
	bool errors, traffic, fec, vl, congestion;
	bool all_ports, all;
	bool watch, reset;
	struct number interval, count;
};

struct run {
	struct mad_listing mad;
	const struct perf_args *args;
	struct perf perf;
	struct perf_rates **rounds; /* of --watch, each of perf.port_count */
	size_t round_count;
	struct ctx headless; /* copy of the listing's, to print rows without headings */
};

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
	{.name = NULL},
};

static const struct schema *const more_schemas[] = {
	&perf_vl_schema, &perf_fec_schema, &perf_congestion_schema, &perf_rates_schema, NULL,
};

static const struct option_rule rules[] = {
	OPTIONS_ONE_OF("vl fec congestion", NULL),
	OPTIONS_EXCLUDE("vl fec congestion", "errors traffic reset", NULL),
	OPTIONS_EXCLUDE("watch", "errors traffic vl fec congestion reset", NULL),
	OPTIONS_NEED("interval count", "watch", NULL),
	OPTIONS_NEED("all", "vl congestion", NULL),
	MAD_RULES,
	{.options = NULL},
};

static int complain_route(const struct ctx *ctx)
{
	command_complain(ctx, "performance management cannot be reached by directed route",
			 "name a LID, a port GUID or a GID: rdmactl smp nodeinfo -D 0,1 shows "
			 "the GUID");
	return STATUS_USAGE;
}

static bool is_route(const struct mad_args *args, const char *word)
{
	struct mad_target target;

	if (args->direct)
		return true;
	return word && !args->lid && !args->guid && !args->gid &&
	       !mad_target_parse(word, TARGET_ANY, &target) && target.kind == TARGET_DIRECT;
}

/* Finds the destinations; the default is this port, by its own LID. */
static bool find(struct run *run, char **words)
{
	struct mad_listing *mad = &run->mad;

	if (!mad_listing_find_by_lid(mad, words))
		return false;
	for (size_t i = 0; i < mad->session.destination_count; i++) {
		if (run->args->all_ports && mad->session.destinations[i].word_count) {
			listing_fail(&mad->listing, STATUS_USAGE,
				     "--all-ports cannot be used with ports by number", NULL);
			return false;
		}
	}
	return mad_listing_has_lids(mad,
				    "performance management cannot be reached by directed route",
				    "name LIDs, port GUIDs or GIDs");
}

static void omit_headings(struct run *run)
{
	run->headless = *run->mad.listing.ctx;
	run->headless.globals.no_headings = true;
	run->mad.listing.ctx = &run->headless;
}

/* The counters of all ports at one moment; those of a port that did not answer are unknown. */
struct snapshot {
	struct perf_record *ports;
	uint64_t nsec;
};

static void drop(const struct run *run, struct snapshot *snapshot)
{
	for (size_t i = 0; snapshot->ports && i < run->perf.port_count; i++)
		perf_record_clear(&snapshot->ports[i]);
	free(snapshot->ports);
	*snapshot = (struct snapshot){.ports = NULL};
}

/* Moves the rows of the last reading into a snapshot. */
static struct snapshot keep(struct run *run, uint64_t nsec)
{
	struct snapshot snapshot = {
		.ports = mem_alloc_zero(run->perf.port_count, sizeof(*snapshot.ports)),
		.nsec = nsec,
	};
	size_t row = 0;

	for (size_t i = 0; i < run->perf.port_count; i++)
		if (run->perf.ports[i].read)
			snapshot.ports[i] = run->perf.rows[row++];
	free(run->perf.rows);
	run->perf.rows = NULL;
	run->perf.row_count = 0;
	return snapshot;
}

/* The ports are read in parallel: their time is the middle of the reading. */
static struct snapshot take(struct run *run)
{
	uint64_t begin = clock_nsec();

	perf_read(&run->perf);
	return keep(run, begin + (clock_nsec() - begin) / 2);
}

static struct perf_rates *compare(const struct run *run, const struct snapshot *before,
				  const struct snapshot *after)
{
	struct perf_rates *round = mem_alloc_zero(run->perf.port_count, sizeof(*round));
	const double seconds = (double)(after->nsec - before->nsec) / 1e9;
	char *now = utc_now();

	for (size_t i = 0; i < run->perf.port_count; i++) {
		const struct perf_port *port = &run->perf.ports[i];
		const struct mad_destination *at =
			&run->mad.session.destinations[port->destination];
		const char *description = run->perf.nodes[port->destination].description;

		round[i].time = mem_string(now);
		round[i].object = mem_string(at->name);
		round[i].node = mem_string_or_null(description);
		round[i].lid = number_of(at->place.address.lid);
		round[i].port = number_of(port->port);
		perf_rates_of(&before->ports[i], &after->ports[i], seconds, &round[i]);
	}
	free(now);
	return round;
}

static void drop_rounds(struct run *run)
{
	for (size_t i = 0; i < run->round_count; i++) {
		for (size_t j = 0; j < run->perf.port_count; j++)
			perf_rates_clear(&run->rounds[i][j]);
		free(run->rounds[i]);
	}
	free(run->rounds);
	run->rounds = NULL;
	run->round_count = 0;
}

/* Prints one block; a JSON document keeps all of them until its end. */
static void show(struct run *run, struct perf_rates *round)
{
	struct listing *listing = &run->mad.listing;

	*(struct perf_rates **)mem_append(&run->rounds, &run->round_count, sizeof(round)) = round;
	for (size_t i = 0; i < run->perf.port_count; i++)
		listing_add(listing, &round[i]);
	if (listing->ctx->globals.json)
		return;
	listing_stream(listing);
	listing->row_count = listing->streamed = 0;
	drop_rounds(run);
}

static void watch(struct run *run)
{
	struct listing *listing = &run->mad.listing;
	const struct perf_args *args = run->args;
	const uint64_t interval = args->interval.known ? args->interval.value : WATCH_INTERVAL_MSEC;
	struct snapshot before = keep(run, clock_nsec()), after;
	uint64_t next = clock_msec();

	for (uint64_t i = 0; !args->count.known || i < args->count.value; i++) {
		next += interval;
		if (!mad_session_wait(&run->mad.session, next))
			break;
		after = take(run);
		/* An interrupted round is incomplete, and is dropped. */
		if (!run->mad.session.stopped)
			show(run, compare(run, &before, &after));
		drop(run, &before);
		before = after;
		if (run->mad.session.stopped || listing->stream_rc)
			break;
		/* Each block of a table has headings, because the widths of columns change. */
		if (listing->ctx->globals.tsv)
			omit_headings(run);
		if (next < clock_msec())
			next = clock_msec();
	}
	drop(run, &before);
}

/* Clears the counters that were printed: errors, traffic, or without either option all of them. */
static void reset(struct run *run)
{
	const struct perf_args *args = run->args;
	const bool all = args->errors == args->traffic;
	const size_t ports = perf_reset(&run->perf, all || args->errors, all || args->traffic);
	_cleanup_(freep) char *text = mem_format("cleared %s counters of %zu port%s, for every "
						 "reader",
						 all		? "all"
						 : args->errors ? "the error"
								: "the traffic",
						 ports, ports == 1 ? "" : "s");

	if (ports && !run->mad.listing.ctx->globals.quiet)
		command_complain(run->mad.listing.ctx, text, NULL);
}

static void work(struct run *run, enum perf_listing kind)
{
	const struct perf_args *args = run->args;
	struct listing *listing = &run->mad.listing;
	const struct globals *globals = &listing->ctx->globals;
	const struct perf_options wanted = {
		.listing = kind,
		.all_ports = args->all_ports,
		.all = args->all,
		.names = columns_needs(&listing->columns) & MAD_NEED_NODE,
		.mark = !globals->json && !globals->jsonl && !globals->tsv,
		.repeats = args->watch,
	};

	if (!mad_listing_take(&run->mad, perf_plan(&run->perf, &run->mad.session, &wanted)))
		return;
	perf_read(&run->perf);
	if (!run->perf.row_count && listing->problems.count)
		listing->status = STATUS_FAILED;
	if (args->watch) {
		if (run->perf.row_count)
			watch(run);
		return;
	}
	for (size_t i = 0; i < run->perf.row_count; i++)
		listing_add(listing, &run->perf.rows[i]);
	/* Print the counters before they are cleared. A JSON document keeps them until its end. */
	if (args->reset && !listing->ctx->globals.json && run->perf.row_count) {
		listing_stream(listing);
		omit_headings(run);
	}
	if (args->reset && !listing->stream_rc)
		reset(run);
}

static enum perf_listing listing_of(const struct perf_args *args)
{
	return args->vl		  ? PERF_OF_VL
	       : args->fec	  ? PERF_OF_FEC
	       : args->congestion ? PERF_OF_CONGESTION
				  : PERF_OF_PORT;
}

static void prefer_columns(struct run *run)
{
	const struct perf_args *args = run->args;

	if (args->errors || args->traffic)
		listing_show_view(&run->mad.listing, !args->traffic  ? "--errors"
						     : !args->errors ? "--traffic"
								     : "--errors --traffic");
}

static int run_perf(const struct ctx *ctx, const void *args, char **objects)
{
	struct run run = {.args = args};
	const struct schema *schema;
	enum perf_listing kind;
	int status;

	if (is_route(&run.args->mad, objects[0]))
		return complain_route(ctx);
	kind = listing_of(run.args);
	schema = run.args->watch ? &perf_rates_schema : perf_listing_schema(kind);
	if (mad_listing_begin(&run.mad, ctx, &run.args->mad, schema, false, false)) {
		prefer_columns(&run);
		if (find(&run, objects))
			work(&run, kind);
	}
	status = mad_listing_end(&run.mad);
	drop_rounds(&run);
	perf_end(&run.perf);
	return status;
}

const struct command perf_command = {
	.name = "perf",
	.group = GROUP_MAD,
	.summary = "show the counters of ports, and how fast they move",
	.objects = "[DEST [PORT...]]",
	.most_objects = -1,
	.options = {options, mad_options},
	.rules = rules,
	.args_size = sizeof(struct perf_args),
	.schema = &perf_schema,
	.more_schemas = more_schemas,
	.own_timeout = true,
	.run = run_perf,
};
