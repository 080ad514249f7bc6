/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl counters: the counters of ports, devices and their netdevs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/commands.h"
#include "cmd/counters/counters.h"
#include "counter/names/counter_names.h"
#include "counter/netlink_counters.h"
#include "counter/pma_probe.h"

#define NO_COUNTERS "no counters"

static const struct option_row options[] = {
	FLAG_OPTION(struct counters_args, all, 'a', "all",
		    "all counters, including zeros and those of connection manager and netdev"),
	FLAG_OPTION(struct counters_args, errors, 'e', "errors",
		    "nonzero counters of warnings and errors, from all sources"),
	FLAG_OPTION(struct counters_args, drops, 'd', "drops",
		    "counters of lost packets, of the device and its netdev"),
	CHOICES_OPTION(struct counters_args, group, 'g', "group", "GROUPS", counter_group_bits,
		       "counters of these groups"),
	STRING_OPTION(struct counters_args, explain, 'x', "explain", "NAME", COMPLETE_NOTHING,
		      "explain a counter, by its canonical or kernel name"),
	COUNTERS_WATCH_OPTIONS,
	STRING_OPTION(struct counters_args, save, 0, "save", "FILE", COMPLETE_FILE,
		      "save the counters to a file, - for standard output"),
	STRING_OPTION(struct counters_args, since, 0, "since", "FILE", COMPLETE_FILE,
		      "show growth since the counters were saved to a file"),
	FLAG_OPTION(struct counters_args, optional, 0, "optional",
		    "list the optional counters and whether they are on"),
	STRING_OPTION(struct counters_args, enable, 0, "enable", "NAMES", COMPLETE_NOTHING,
		      "switch optional counters on (root)"),
	STRING_OPTION(struct counters_args, disable, 0, "disable", "NAMES", COMPLETE_NOTHING,
		      "switch optional counters off (root)"),
	{.name = NULL},
};

static bool wants(const void *context, enum counter_source source, const char *kernel_name,
		  const struct counter_name *name)
{
	(void)kernel_name;
	return counters_wants(context, source, name);
}

bool counters_begin(struct counters_run *run, const struct ctx *ctx,
		    const struct counters_args *args, char **words, const struct schema *schema)
{
	struct listing *listing = &run->listing;

	*run = (struct counters_run){.args = args};
	if (!listing_begin_as(listing, ctx, schema, false))
		return false;
	listing_saves_to(listing, args->save);
	if (!listing_parse_objects(listing, words, true) ||
	    (args->watch && listing_refuses_archive(listing, COUNTERS_OF_SNAPSHOT)))
		return false;
	run->request = (struct counters_request){
		.root = ctx->globals.root,
		.inventory = &listing->inventory,
		.sources = counters_sources(run),
		.wants = wants,
		.context = run,
	};
	if (run->request.sources & 1u << COUNTER_SOURCE_NETDEV)
		listing->request.needs |= COUNTERS_NEEDS_NETDEV;
	/* The index and GUID show whether a device is still the same. */
	if (args->watch || args->save || args->since)
		listing->request.needs |= NEED_NETLINK | NEED_GUIDS;
	if (args->watch)
		listing->request.needs |= NEED_DRIVER;
	if (!listing_load(listing))
		return false;
	if (args->watch)
		pma_leave_out_restricted(run->request.root, &listing->inventory.devices,
					 &listing->problems);
	/* The inventory has opened the same root a moment ago. */
	return listing_has_loaded(listing, counter_loader_open(&run->request, &run->loader));
}

void counters_read(struct counters_run *run)
{
	counter_readings_clear(&run->readings);
	counter_loader_read(run->loader, &run->readings, &run->listing.problems,
			    &run->listing.notes);
}

void counters_end(struct counters_run *run)
{
	counter_readings_clear(&run->readings);
	counter_readings_clear(&run->countless);
	counter_loader_free(run->loader);
	run->loader = NULL;
}

/* A port without counters gets a row, because a missing row would look like an error. */
static void find_countless(struct counters_run *run)
{
	for_each_port (device, port, &run->listing.inventory.devices) {
		struct counter_reading *reading;

		if (counter_loader_counts(run->loader, device, port))
			continue;
		reading = mem_append(&run->countless.items, &run->countless.count,
				     sizeof(*run->countless.items));
		reading->device = device;
		reading->port = port;
		reading->problem = NO_COUNTERS;
	}
}

/* Both lists are in the order of devices and ports; counters of a device precede its ports. */
static bool stands_before(const struct counter_reading *a, const struct counter_reading *b)
{
	return a->device != b->device ? a->device < b->device : a->port < b->port;
}

static void add_rows(struct counters_run *run)
{
	const struct globals *globals = &run->listing.ctx->globals;
	const bool mark = !globals->json && !globals->jsonl && !globals->tsv;
	const struct counter_readings *countless = &run->countless;
	size_t next = 0, undescribed = 0;

	for_each (reading, &run->readings) {
		while (next < countless->count && stands_before(&countless->items[next], reading))
			listing_add(&run->listing, &countless->items[next++]);
		reading->mark = mark;
		undescribed += counters_is_undescribed(run, reading);
		if (counters_shows(run, reading))
			listing_add(&run->listing, reading);
	}
	while (next < countless->count)
		listing_add(&run->listing, &countless->items[next++]);
	counters_tell_undescribed(run, undescribed);
}

static bool has_problem(const struct counters_run *run)
{
	for (size_t i = 0; i < run->listing.row_count; i++)
		if (((const struct counter_reading *)run->listing.rows[i])->problem)
			return true;
	return false;
}

/*
 * The agent of a port and its driver may count the same thing (bnxt_re since Linux 6.15). The rows
 * of a port are adjacent.
 */
static bool has_twins(const struct counters_run *run)
{
	for (size_t i = 0; i < run->listing.row_count; i++)
		for (size_t j = i + 1; j < run->listing.row_count; j++) {
			const struct counter_reading *one = run->listing.rows[i];
			const struct counter_reading *other = run->listing.rows[j];

			if (one->port != other->port || one->netdev != other->netdev)
				break;
			if (one->counter && other->counter && !strcmp(one->counter, other->counter))
				return true;
		}
	return false;
}

static void choose_columns(struct counters_run *run)
{
	const struct counters_args *args = run->args;
	const char *some = "object,counter,value,unit,severity";
	_cleanup_(freep) char *columns = NULL;

	if (args->drops || args->errors)
		some = schema_view(run->listing.schema, args->drops ? "--drops" : "--errors");
	columns = mem_format("%s%s%s", some, has_twins(run) ? ",source" : "",
			     has_problem(run) ? ",problem" : "");
	listing_prefer_columns(&run->listing, columns);
}

static int list(const struct ctx *ctx, const struct counters_args *args, char **words)
{
	struct counters_run run;
	int status;

	if (counters_begin(&run, ctx, args, words, &counter_schema)) {
		counters_read(&run);
		find_countless(&run);
		add_rows(&run);
		choose_columns(&run);
	}
	if (!run.readings.count && run.countless.count)
		listing_none(&run.listing, NULL, "there are " NO_COUNTERS " to show",
			     args->all ? NULL
				       : "rdmactl counters --all shows those of the netdevs");
	status = listing_end(&run.listing);
	counters_end(&run);
	return status;
}

static void complain_name(struct listing *listing, const char *name, const char *closest)
{
	_cleanup_(freep) char *hint = closest ? mem_format("did you mean '%s'?", closest)
					      : mem_string("rdmactl counters --all -o "
							   "+kernel_name lists the names");

	listing_fail_format(listing, STATUS_USAGE, hint, "unknown counter '%s'", name);
}

/* Shows what the catalogue says about a name. This needs no device. */
static int explain(const struct ctx *ctx, const struct counters_args *args, char **words)
{
	_cleanup_(counter_meanings_clear) struct counter_meanings meanings = {0};
	const char *closest = NULL;
	struct listing listing;

	if (words[0])
		return command_complain(ctx, "--explain takes the name of a counter and no device",
					NULL);
	if (!listing_begin_as(&listing, ctx, &counter_meaning_schema, true))
		return listing_end(&listing);
	if (!counter_meanings_find(&meanings, args->explain, &closest))
		complain_name(&listing, args->explain, closest);
	for (size_t i = 0; i < meanings.count; i++)
		listing_add(&listing, &meanings.items[i]);
	return listing_end(&listing);
}

/*
 * The tasks exclude each other, and those that read no counters exclude the options that select
 * some.
 */
static const struct option_rule rules[] = {
	OPTIONS_EXCLUDE("watch", "save since optional enable disable explain", NULL),
	OPTIONS_EXCLUDE("save since", "optional enable disable explain", NULL),
	OPTIONS_EXCLUDE("optional enable disable", "explain", NULL),
	OPTIONS_EXCLUDE("all errors drops group", "optional enable disable explain", NULL),
	OPTIONS_NEED("interval count", "watch", NULL),
	{.options = NULL},
};

/* `--watch 5 DEV`: a time before the objects is the interval, as with vmstat(8). */
static int watch(const struct ctx *ctx, const struct counters_args *args, char **words)
{
	struct counters_args with_interval = *args;
	uint64_t msec;
	int rc;

	if (args->interval.known || !words[0])
		return counters_watch(ctx, args, words);
	rc = option_parse_duration(words[0], &msec);
	if (rc == -EINVAL)
		return counters_watch(ctx, args, words);
	if (rc || msec < COUNTERS_INTERVAL_LEAST || msec > COUNTERS_INTERVAL_MOST)
		return command_complain(ctx, "--watch: the interval is from 100ms to 1h", NULL);
	number_set(&with_interval.interval, msec);
	return counters_watch(ctx, &with_interval, words + 1);
}

static int run(const struct ctx *ctx, const void *args, char **objects)
{
	const struct counters_args *counters_args = args;

	if (counters_args->explain)
		return explain(ctx, counters_args, objects);
	if (counters_args->watch)
		return watch(ctx, counters_args, objects);
	if (counters_args->since)
		return counters_since(ctx, counters_args, objects);
	if (counters_args->save)
		return counters_save(ctx, counters_args, objects);
	if (counters_args->optional || counters_args->enable || counters_args->disable)
		return counters_optional(ctx, counters_args, objects);
	return list(ctx, counters_args, objects);
}

static const struct schema *const more_schemas[] = {
	&counter_rates_schema,
	&optional_counters_schema,
	&counter_meaning_schema,
	NULL,
};

static const struct command *const children[] = {
	&counters_qp_command,
	&counters_mr_command,
	&counters_mode_command,
	&counters_auto_command,
	&counters_bind_command,
	&counters_unbind_command,
	NULL,
};

const struct command counters_command = {
	.name = "counters",
	.group = GROUP_LIVE,
	.summary = "show the counters of ports, devices and their netdevs",
	.objects = "[COMMAND] [DEV[/PORT]...]",
	.object_completion = COMPLETE_PORT,
	.most_objects = -1,
	.children = children,
	.child_word = "COMMAND",
	.options = {options},
	.rules = rules,
	.args_size = sizeof(struct counters_args),
	.schema = &counter_schema,
	.more_schemas = more_schemas,
	.run = run,
};
