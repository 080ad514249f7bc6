/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl perf: the counters of local and remote ports, from performance management. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/mad/perf_run.h"

#define ERROR_COLUMNS                                                               \
	"object,port,symbol_errors,link_error_recoveries,link_downed,rcv_errors,"   \
	"rcv_remote_physical_errors,rcv_switch_relay_errors,xmit_discards,"         \
	"xmit_constraint_errors,rcv_constraint_errors,local_link_integrity_errors," \
	"excessive_buffer_overruns,qp1_dropped,vl15_dropped"
#define TRAFFIC_ONLY                                                          \
	"width_bits,xmit_data_bytes,rcv_data_bytes,xmit_packets,rcv_packets," \
	"unicast_xmit_packets,unicast_rcv_packets,multicast_xmit_packets,multicast_rcv_packets"

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
static bool find(struct perf_run *run, char **words)
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
		if (mad->session.destinations[i].place.target.kind != TARGET_DIRECT)
			continue;
		listing_fail(&mad->listing, STATUS_USAGE,
			     "performance management cannot be reached by directed route",
			     "name LIDs, port GUIDs or GIDs");
		return false;
	}
	return true;
}

void perf_omit_headings(struct perf_run *run)
{
	run->headless = *run->mad.listing.ctx;
	run->headless.globals.no_headings = true;
	run->mad.listing.ctx = &run->headless;
}

static void work(struct perf_run *run)
{
	const struct perf_args *args = run->args;
	struct listing *listing = &run->mad.listing;

	if (!perf_plan(run))
		return;
	perf_read(run);
	if (!run->row_count && listing->problems.count)
		listing->status = STATUS_FAILED;
	if (args->watch) {
		if (run->row_count)
			perf_watch(run);
		return;
	}
	for (size_t i = 0; i < run->row_count; i++)
		listing_add(listing, &run->rows[i]);
	/* Print the counters before they are cleared. A JSON document keeps them until its end. */
	if (args->reset && !listing->ctx->globals.json && run->row_count) {
		listing_stream(listing);
		perf_omit_headings(run);
	}
	if (args->reset && !listing->stream_rc)
		perf_reset(run);
}

static enum perf_listing listing_of(const struct perf_args *args)
{
	return args->vl		  ? PERF_OF_VL
	       : args->fec	  ? PERF_OF_FEC
	       : args->congestion ? PERF_OF_CONGESTION
				  : PERF_OF_PORT;
}

static void prefer_columns(struct perf_run *run)
{
	struct listing *listing = &run->mad.listing;

	if (run->args->errors)
		listing_prefer_columns(listing, run->args->traffic ? ERROR_COLUMNS "," TRAFFIC_ONLY
								   : ERROR_COLUMNS);
	else if (run->args->traffic)
		listing_prefer_columns(listing, "object,port," TRAFFIC_ONLY);
}

static int run_perf(const struct ctx *ctx, const void *args, char **objects)
{
	struct perf_run run = {.args = args};
	const struct schema *schema;
	int status;

	if (is_route(&run.args->mad, objects[0]))
		return complain_route(ctx);
	run.listing = listing_of(run.args);
	schema = run.args->watch ? &perf_rates_schema : perf_listing_schema(run.listing);
	if (mad_listing_begin(&run.mad, ctx, &run.args->mad, schema, false, false)) {
		prefer_columns(&run);
		if (find(&run, objects))
			work(&run);
	}
	for (size_t i = 0; run.nodes && i < run.mad.session.destination_count; i++)
		free(run.nodes[i].description);
	status = mad_listing_end(&run.mad);
	perf_drop_rows(&run);
	perf_drop_rounds(&run);
	free(run.ports);
	free(run.nodes);
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
	.needs = "umad",
	.run = run_perf,
};
