/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl fabric errors: the error counters of all ports, the worst first. */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "cmd/fabric/fabric_run.h"
#include "fabric/scan/port_counters.h"

struct errors_args {
	struct fabric_args fabric;
	struct number type;  /* enum node_type */
	struct number clear; /* enum counters_to_clear */
	const char *ignore, *thresholds;
	bool details, sl_from_sa, yes;
};

/* The state of the command, with the rows of either schema. */
struct errors {
	struct fabric_run run;
	const struct errors_args *all_args;
	struct fabric_args args; /* without --save, which is for the counters here */
	struct error_limits limits;
	struct port_errors_options options;
	bool *wanted;		 /* by port; NULL: all */
	uint8_t *service_levels; /* by LID; NULL: the same for all */
	struct port_errors_row *rows;
	size_t row_count;
	struct port_growth_row *growth;
	size_t growth_count;
};

static uint64_t least_of(const struct fabric_args *args)
{
	return args->threshold.known ? args->threshold.value : 1;
}

static void choose_ports(struct errors *errors)
{
	const struct fabric_run *run = &errors->run;
	const struct number *type = &errors->all_args->type;

	if (!run->named && !type->known && !errors->wanted)
		return;
	if (!errors->wanted) {
		errors->wanted = mem_alloc_zero(run->fabric.port_count, sizeof(*errors->wanted));
		for (uint32_t i = 0; i < run->fabric.port_count; i++)
			errors->wanted[i] = true;
	}
	for (uint32_t i = 0; i < run->fabric.port_count; i++)
		errors->wanted[i] &= fabric_run_is_named(run, i) &&
				     (!type->known ||
				      fabric_node_of(&run->fabric, i)->type == type->value);
}

/* The most errors first; equal rows in the order of ports. */
DEFINE_ORDER(compare_rows, struct port_errors_row,
	     COMPARE(b->error_count.value, a->error_count.value), COMPARE(a->at.place, b->at.place))
DEFINE_ORDER(compare_growth, struct port_growth_row,
	     COMPARE(b->error_count.value, a->error_count.value), COMPARE(a->at.place, b->at.place))

static void note_readings(struct errors *errors, const struct port_errors *readings)
{
	const struct globals *globals = &errors->run.mad.listing.ctx->globals;

	for (size_t i = 0; i < readings->count; i++) {
		struct port_errors_row row;

		if (!readings->items[i].read ||
		    !port_errors_row_make(&errors->run.view, &readings->items[i], &errors->limits,
					  &row))
			continue;
		row.counters.mark = !globals->json && !globals->jsonl && !globals->tsv;
		MEM_ADD(errors->rows, errors->row_count) = row;
	}
	MEM_SORT(errors->rows, errors->row_count, compare_rows);
}

static void read_details(struct errors *errors, struct port_errors *readings)
{
	struct fabric_run *run = &errors->run;
	size_t count = errors->row_count;

	if (run->args->top.known && count > run->args->top.value)
		count = run->args->top.value;
	if (port_details_read(run->mad.session.engine, &run->fabric, &errors->options, errors->rows,
			      count, readings) == -ECANCELED)
		problem_add_text(&run->mad.listing.problems, NULL, NULL, "gmp",
				 "interrupted: not all details were read", NULL);
}

static void show_errors(struct errors *errors)
{
	struct fabric_run *run = &errors->run;
	const bool clears = errors->all_args->clear.known;
	_cleanup_(port_errors_clear) struct port_errors readings = {.items = NULL};

	/* A file needs all ports, because it may be compared with any later reading. */
	errors->options.all = !least_of(run->args) || errors->run.saves;
	fabric_counters_read(run, &errors->options, &readings);
	note_readings(errors, &readings);
	if (errors->all_args->details)
		read_details(errors, &readings);
	fabric_counters_note_losses(run, NULL, &readings);
	fabric_run_list(run, errors->rows, errors->row_count, sizeof(*errors->rows));
	if (clears)
		fabric_errors_clear(run,
				    &(const struct fabric_clearing){
					    .options = &errors->options,
					    .readings = &readings,
					    .kinds = (unsigned int)errors->all_args->clear.value,
					    .details = errors->all_args->details,
					    .yes = errors->all_args->yes,
					    .save = errors->run.saves,
				    });
	else if (errors->run.saves)
		fabric_counters_save(run, errors->run.saves, &readings);
}

static void show_growth(struct errors *errors)
{
	struct fabric_run *run = &errors->run;
	struct fabric_counters counters;
	bool taken = fabric_counters_take(run, &errors->options, &counters);

	if (taken)
		fabric_counters_note_losses(run, &counters.before, &counters.after);
	for_each (after, &counters.after) {
		struct port_growth_row row;

		if (!after->read)
			continue;
		if (!port_growth_row_make(&run->view,
					  port_errors_find(&counters.before, after->port), after,
					  counters.seconds, &errors->limits, &row)) {
			port_growth_row_clear(&row);
			continue;
		}
		MEM_ADD(errors->growth, errors->growth_count) = row;
	}
	MEM_SORT(errors->growth, errors->growth_count, compare_growth);
	fabric_run_list(run, errors->growth, errors->growth_count, sizeof(*errors->growth));
	if (taken && errors->run.saves)
		fabric_counters_save(run, errors->run.saves, &counters.after);
	fabric_counters_clear(&counters);
}

/* Whether the rows have the errors of all ports, not only of some ports, counters or times. */
static bool shows_all(const struct errors *errors)
{
	const struct errors_args *args = errors->all_args;
	const struct fabric_args *common = &args->fabric;

	return !common->name && !args->type.known && !common->threshold.known &&
	       !args->thresholds && !args->ignore && !common->interval.known && !common->since &&
	       !errors->run.fabric.origin.most_hops.known;
}

/* An empty table would not show people that everything was read. */
static bool has_none(const struct errors *errors)
{
	const struct listing *listing = &errors->run.mad.listing;

	return !errors->row_count && shows_all(errors) && !listing->problems.count &&
	       listing->status == STATUS_DONE && !listing->silent && listing_is_for_people(listing);
}

static int finish(struct errors *errors)
{
	int status, rc;

	mad_listing_tell_port(&errors->run.mad);
	rc = has_none(errors) ? render_text(stdout, "no errors\n")
			      : listing_print(&errors->run.mad.listing);
	status = fabric_run_end_quietly(&errors->run, rc);
	for (size_t i = 0; i < errors->row_count; i++)
		port_errors_row_clear(&errors->rows[i]);
	for (size_t i = 0; i < errors->growth_count; i++)
		port_growth_row_clear(&errors->growth[i]);
	free(errors->rows);
	free(errors->growth);
	free(errors->wanted);
	free(errors->service_levels);
	return status;
}

#define MOST_THRESHOLD_BYTES ((size_t)64 * 1024)

static bool read_thresholds(struct errors *errors, const char *path)
{
	static const char hint[] = "each line has the form SymbolErrorCounter=10";
	_cleanup_(freep) char *text = NULL;
	unsigned int line;

	if (!path)
		return true;
	if (!listing_read_text(&errors->run.mad.listing, path, MOST_THRESHOLD_BYTES, hint, &text))
		return false;
	if (!error_limits_parse(&errors->limits, text, &line))
		return true;
	return listing_fail_format(&errors->run.mad.listing, STATUS_FAILED, hint,
				   "%s: line %u does not set the threshold of a counter", path,
				   line);
}

static bool make_limits(struct errors *errors)
{
	const struct errors_args *args = errors->all_args;
	_cleanup_(freep) char *wrong = NULL;

	error_limits_init(&errors->limits, least_of(&args->fabric));
	if (!read_thresholds(errors, args->thresholds))
		return false;
	if (!args->ignore || !error_limits_ignore(&errors->limits, args->ignore, &wrong))
		return true;
	return listing_fail_format(
		&errors->run.mad.listing, STATUS_USAGE,
		"counters are named like the columns: rdmactl fabric errors --help",
		"--ignore: '%s' is not an error counter", wrong);
}

static bool prepare(struct errors *errors)
{
	struct fabric_run *run = &errors->run;

	if (!make_limits(errors) || !fabric_run_match(run))
		return false;
	/* The LIDs of a file may have other owners by now. */
	if (errors->args.load && !fabric_errors_verify(run, &errors->wanted))
		return false;
	choose_ports(errors);
	if (errors->all_args->sl_from_sa) {
		errors->service_levels = fabric_errors_service_levels(run);
		if (mad_session_stopped(&run->mad.session)) {
			fabric_run_note_interrupted(run);
			return false;
		}
	}
	errors->options = (struct port_errors_options){
		.address = fabric_run_address(run),
		.all = true,
		.without_link = true,
		.limits = &errors->limits,
		.wanted = errors->wanted,
		.service_levels = errors->service_levels,
	};
	return true;
}

/* Returns the file for the readings: before counters are cleared, they are saved in any case. */
static char *file_of(const struct errors_args *args)
{
	_cleanup_(freep) char *now = NULL;

	if (args->fabric.save || !args->clear.known)
		return mem_string_or_null(args->fabric.save);
	now = utc_now();
	return mem_format("fabric-errors-%s.json", now);
}

static int run(const struct ctx *ctx, const void *errors_args, char **objects)
{
	const struct errors_args *args = errors_args;
	const bool growth = args->fabric.interval.known || args->fabric.since;
	const struct schema *schema = growth ? &fabric_error_growth_schema : &fabric_errors_schema;
	_cleanup_(freep) char *file = file_of(args);
	struct errors errors = {
		.run = {.live = true, .saves = file},
		.all_args = args,
		.args = args->fabric,
	};

	(void)objects;
	errors.args.save = NULL;
	if (fabric_run_begin(&errors.run, ctx, &errors.args, schema)) {
		if (args->details)
			listing_show_view(&errors.run.mad.listing, "--details");
		if (prepare(&errors)) {
			if (growth)
				show_growth(&errors);
			else
				show_errors(&errors);
		}
	}
	return finish(&errors);
}

static const struct enum_name type_names[] = {
	{NODE_TYPE_SWITCH, "switch"},
	{NODE_TYPE_CA, "host"},
	{NODE_TYPE_ROUTER, "router"},
	{0, NULL},
};

static const struct enum_name clear_names[] = {
	{CLEAR_ERRORS, "errors"},
	{CLEAR_TRAFFIC, "traffic"},
	{CLEAR_ALL, "all"},
	{0, NULL},
};

static const struct option_row options[] = {
	STRING_OPTION(struct errors_args, fabric.name, 0, "name", "PATTERN", COMPLETE_NOTHING,
		      "only nodes of this name (* and ? as in the shell) or GUID"),
	CHOICE_OPTION(struct errors_args, type, 0, "type", "TYPE", type_names,
		      "only nodes of this type"),
	NUMBER_OPTION(COUNT, struct errors_args, fabric.top, 0, "top", "N", 1, 0,
		      "at most this many ports, the worst first"),
	STRING_OPTION(struct errors_args, ignore, 0, "ignore", "LIST", COMPLETE_NOTHING,
		      "ignore these counters, separated by commas"),
	STRING_OPTION(struct errors_args, thresholds, 0, "thresholds", "FILE", COMPLETE_FILE,
		      "thresholds of counters, in a file in ibqueryerrors format"),
	FLAG_OPTION(struct errors_args, details, 0, "details",
		    "add why packets were bad or discarded, and counters by virtual lane"),
	CHOICE_OPTION(struct errors_args, clear, 0, "clear", "KIND", clear_names,
		      "clear counters of all ports that were read, after saving them to a file"),
	FLAG_OPTION(struct errors_args, yes, 'y', "yes", "do not ask before clearing them"),
	FLAG_OPTION(struct errors_args, sl_from_sa, 0, "sl-from-sa",
		    "ask the subnet administrator for the service level to each node"),
	{.name = NULL},
};

static const struct option_rule rules[] = {
	OPTIONS_NEED("lid guid gid direct node", "from switch", NULL),
	OPTIONS_EXCLUDE("load", "from switch hops", NULL),
	OPTIONS_EXCLUDE("interval since", "clear details", NULL),
	OPTIONS_EXCLUDE("sl", "sl-from-sa", NULL),
	OPTIONS_NEED("yes", "clear", NULL),
	{.options = NULL},
};

static const struct schema *const more_schemas[] = {&fabric_error_growth_schema, NULL};

const struct command fabric_errors_command = {
	.name = "errors",
	.summary = "show error counters of all ports",
	.options = {options, fabric_counter_options, fabric_load_options, fabric_scan_options,
		    mad_options},
	.args_size = sizeof(struct errors_args),
	.schema = &fabric_errors_schema,
	.more_schemas = more_schemas,
	.rules = rules,
	.run = run,
};
