/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl fabric errors: the error counters of all ports, the worst first. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/fabric/fabric_run.h"

static const char unreachable_hint[] =
	"a subnet manager assigns LIDs: rdmactl fabric check shows whether there is one";
static const char timeout_hint[] =
	"the node is down, or its performance management agent hangs: rdmactl perf LID";

/* The rows of both schemas. */
struct errors {
	struct fabric_run run;
	struct fabric_args args; /* without --save, which is for the counters here */
	const char *save;
	bool *wanted; /* by port; NULL: all */
	struct port_errors_row *rows;
	size_t row_count;
	struct port_growth_row *growth;
	size_t growth_count;
};

static uint64_t least_of(const struct fabric_args *args)
{
	return args->threshold.known ? args->threshold.value : 1;
}

/* Ports of nodes with a matching name, and ports cabled to them. */
static void choose_ports(struct errors *errors)
{
	const struct fabric_run *run = &errors->run;

	if (!run->named)
		return;
	errors->wanted = mem_alloc_zero(run->fabric.port_count + 1, sizeof(*errors->wanted));
	for (uint32_t i = 0; i < run->fabric.port_count; i++)
		errors->wanted[i] = fabric_run_is_named(run, i);
}

/* Notes each failure once, although both readings may have it. */
static void note_failures(struct fabric_run *run, const struct port_errors *readings,
			  bool *reported)
{
	struct problems *problems = &run->mad.listing.problems;

	for (size_t i = 0; i < readings->failure_count; i++) {
		_cleanup_(freep) char *object = NULL, *message = NULL;

		if (reported[readings->failures[i].port])
			continue;
		reported[readings->failures[i].port] = true;
		port_errors_failure_text(&run->view, &readings->failures[i], &object, &message);
		problem_add_text(problems, object, NULL, "gmp", message, timeout_hint);
	}
}

static void note_losses(struct fabric_run *run, const struct port_errors *before,
			const struct port_errors *after)
{
	struct problems *problems = &run->mad.listing.problems;
	_cleanup_(freep) bool *reported = mem_alloc_zero(run->fabric.port_count + 1,
							 sizeof(*reported));
	_cleanup_(freep) char *message = NULL;

	note_failures(run, after, reported);
	if (before)
		note_failures(run, before, reported);
	if (!after->unreachable)
		return;
	message = port_errors_unreachable_text(&run->view, after);
	problem_add_text(problems, NULL, NULL, NULL, message, unreachable_hint);
}

/* The most errors first; equal rows in the order of ports. */
static int by_count(struct number one, const struct fabric_row *at, struct number other,
		    const struct fabric_row *there)
{
	if (one.value != other.value)
		return one.value < other.value ? 1 : -1;
	return (at->place > there->place) - (at->place < there->place);
}

static int compare_rows(const void *a, const void *b)
{
	const struct port_errors_row *one = a, *other = b;

	return by_count(one->error_count, &one->at, other->error_count, &other->at);
}

static int compare_growth(const void *a, const void *b)
{
	const struct port_growth_row *one = a, *other = b;

	return by_count(one->error_count, &one->at, other->error_count, &other->at);
}

static void list_rows(struct errors *errors, const void *rows, size_t count, size_t size)
{
	const struct fabric_args *args = errors->run.args;

	for (size_t i = 0; i < count && (!args->top.known || i < args->top.value); i++)
		listing_add(&errors->run.mad.listing, (const char *)rows + i * size);
}

static void show_errors(struct errors *errors)
{
	struct fabric_run *run = &errors->run;
	const struct globals *globals = &run->mad.listing.ctx->globals;
	const uint64_t least = least_of(run->args);
	struct port_errors readings = {.items = NULL};

	/* A file needs all ports, because it may be compared with any later reading. */
	fabric_counters_read(run, !least || errors->save, least, errors->wanted, &readings);
	note_losses(run, NULL, &readings);
	for (size_t i = 0; i < readings.count; i++) {
		struct port_errors_row row;

		if (!readings.items[i].read ||
		    !port_errors_row_make(&run->view, &readings.items[i], least, &row))
			continue;
		row.counters.mark = !globals->json && !globals->jsonl && !globals->tsv;
		*(struct port_errors_row *)mem_append(&errors->rows, &errors->row_count,
						      sizeof(row)) = row;
	}
	if (errors->row_count)
		qsort(errors->rows, errors->row_count, sizeof(*errors->rows), compare_rows);
	list_rows(errors, errors->rows, errors->row_count, sizeof(*errors->rows));
	if (errors->save)
		fabric_counters_save(run, errors->save, &readings);
	port_errors_clear(&readings);
}

static void show_growth(struct errors *errors)
{
	struct fabric_run *run = &errors->run;
	struct fabric_counters counters;
	bool taken = fabric_counters_take(run, errors->wanted, &counters);

	if (taken)
		note_losses(run, &counters.before, &counters.after);
	for (size_t i = 0; i < counters.after.count; i++) {
		const struct port_counters *after = &counters.after.items[i];
		struct port_growth_row row;

		if (!after->read)
			continue;
		if (!port_growth_row_make(&run->view,
					  port_errors_find(&counters.before, after->port), after,
					  counters.seconds, least_of(run->args), &row)) {
			port_growth_row_clear(&row);
			continue;
		}
		*(struct port_growth_row *)mem_append(&errors->growth, &errors->growth_count,
						      sizeof(row)) = row;
	}
	if (errors->growth_count)
		qsort(errors->growth, errors->growth_count, sizeof(*errors->growth),
		      compare_growth);
	list_rows(errors, errors->growth, errors->growth_count, sizeof(*errors->growth));
	if (taken && errors->save)
		fabric_counters_save(run, errors->save, &counters.after);
	fabric_counters_clear(&counters);
}

static int finish(struct errors *errors)
{
	int status = fabric_run_end(&errors->run);

	for (size_t i = 0; i < errors->row_count; i++)
		port_errors_row_clear(&errors->rows[i]);
	for (size_t i = 0; i < errors->growth_count; i++)
		port_growth_row_clear(&errors->growth[i]);
	free(errors->rows);
	free(errors->growth);
	free(errors->wanted);
	return status;
}

static int run(const struct ctx *ctx, const void *fabric_args, char **objects)
{
	const struct fabric_args *args = fabric_args;
	const bool growth = args->interval.known || args->since;
	const struct schema *schema = growth ? &fabric_error_growth_schema : &fabric_errors_schema;
	struct errors errors = {.args = *args, .save = args->save};

	(void)objects;
	errors.args.save = NULL;
	if (fabric_run_begin(&errors.run, ctx, &errors.args, schema) &&
	    fabric_run_match(&errors.run)) {
		choose_ports(&errors);
		listing_saves_to(&errors.run.mad.listing, args->save);
		if (growth)
			show_growth(&errors);
		else
			show_errors(&errors);
	}
	return finish(&errors);
}

static const struct option_row options[] = {
	STRING_OPTION(struct fabric_args, name, 0, "name", "PATTERN", COMPLETE_NOTHING,
		      "only nodes of this name (* and ? as in the shell)"),
	NUMBER_OPTION(COUNT, struct fabric_args, top, 0, "top", "N", 1, 0,
		      "at most this many ports, the worst first"),
	{.name = NULL},
};

static const struct schema *const more_schemas[] = {&fabric_error_growth_schema, NULL};

const struct command fabric_errors_command = {
	.name = "errors",
	.summary = "error counters of all ports",
	.options = {options, fabric_counter_options, fabric_scan_options, mad_options},
	.args_size = sizeof(struct fabric_args),
	.schema = &fabric_errors_schema,
	.more_schemas = more_schemas,
	.rules = fabric_start_rules,
	.run = run,
};
