/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/fabric/fabric_run.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "fabric/diff/diff.h"
#include "fabric/format/diags.h"
#include "fabric/format/saved.h"
#include "fabric/scan/cable_info.h"
#include "host/host.h"
#include "mad/format/header.h"

#define PROGRESS_FIRST_MSEC 300u
#define PROGRESS_MSEC	    100u

static const char timeout_hint[] =
	"the node is down, its agent hangs, or it needs its M_Key (--mkey)";
static const char vendor_timeout_hint[] =
	"the node is down, its agent hangs, or it needs a VS_Key, "
	"NVIDIA's key, which rdmactl does not send";

void fabric_run_problem(struct fabric_run *run, const char *hint, const char *format, ...)
{
	_cleanup_(freep) char *message = NULL, *clean = NULL;
	va_list arguments;

	va_start(arguments, format);
	message = mem_format_list(format, arguments);
	va_end(arguments);
	/* Some arguments are names of files, as the user gave them. */
	clean = text_clean(message, strlen(message));
	problem_add_text(&run->mad.listing.problems, NULL, NULL, NULL, clean, hint);
}

void fabric_run_note(struct fabric_run *run, const struct fabric_failure *failures, size_t count)
{
	for_each_in (failure, failures, count) {
		_cleanup_(freep) char *object = NULL, *message = NULL;
		const bool vendor = failure->mgmt_class;
		const char *hint = vendor ? vendor_timeout_hint : timeout_hint;

		fabric_failure_text(&run->view, failure, &object, &message);
		problem_add_text(&run->mad.listing.problems, object, NULL, vendor ? "gmp" : "smp",
				 message, failure->error == -ETIMEDOUT ? hint : NULL);
	}
}

void fabric_run_note_others(struct fabric_run *run, long others)
{
	if (others > 0)
		fabric_run_problem(
			run, "rdmactl fabric scan --diff shows what is gone",
			"the file has %ld port%s of nodes that are gone, or whose GUID is "
			"not unique",
			others, text_plural_s(others));
}

static void note_stop(struct fabric_run *run)
{
	fabric_run_problem(run, NULL, "interrupted: the output is incomplete");
}

void fabric_run_note_interrupted(struct fabric_run *run)
{
	if (!run->fabric.interrupted)
		note_stop(run);
	run->fabric.interrupted = true;
}

/* Reports that there is no graph: the first node, usually the local port, did not answer. */
static void fail_at_once(struct fabric_run *run, int rc)
{
	struct listing *listing = &run->mad.listing;
	_cleanup_(freep) char *object = NULL, *reason = NULL;

	if (run->fabric.failure_count)
		fabric_failure_text(&run->view, &run->fabric.failures[0], &object, &reason);
	listing_fail_format(listing, STATUS_FAILED,
			    run->args->from
				    ? "rdmactl smp nodeinfo sends the same query to one node"
				    : "rdmactl ports shows whether the port is up",
			    "%s: %s", object ? object : "the local port",
			    reason ? reason : strerror(-rc));
}

static bool walk_to(struct fabric_run *run, uint16_t lid, struct fabric_scan_options *options)
{
	_cleanup_(freep) char *reason = NULL;
	struct fabric_walk walk;

	if (fabric_walk(run->mad.session.engine, options->mkey, lid, &walk))
		return listing_fail(&run->mad.listing, STATUS_FAILED, "interrupted", NULL);
	if (walk.end == WALK_ARRIVED) {
		memcpy(options->path, walk.path, sizeof(walk.path));
		options->path_hops = walk.hops;
		return true;
	}
	reason = fabric_walk_text(&walk);
	return listing_fail_format(&run->mad.listing, STATUS_FAILED,
				   walk.end == WALK_NOWHERE || walk.end == WALK_STRANGER
					   ? "perhaps no node has this LID: rdmactl fabric nodes "
					     "lists them; a directed route needs no forwarding "
					     "tables: 0,1,3"
					   : "a directed route needs no forwarding tables: 0,1,3",
				   "the route to LID %u ends %s", lid, reason);
}

static bool find_start(struct fabric_run *run, struct fabric_scan_options *options)
{
	const char *from = run->args->from ? run->args->from : run->args->part;
	char *words[] = {NULL, NULL};
	const struct mad_place *place;
	_cleanup_(freep) char *copy = NULL, *why = NULL;

	if (!from)
		return true;
	words[0] = copy = mem_string(from);
	if (!mad_listing_find(&run->mad, words))
		return false;
	place = &run->mad.session.destinations[0].place;
	if (place->target.kind == TARGET_DIRECT) {
		options->path_hops = place->target.hops;
		memcpy(options->path, place->target.path, sizeof(place->target.path));
		return true;
	}
	if (!place->beyond)
		return walk_to(run, place->address.lid, options);
	/* The LID of the path to a node in another subnet is the router's. */
	why = mad_failure_text(UMAD_CLASS_SUBN_DIRECTED_ROUTE, -EXDEV, 0, 0);
	return listing_fail_format(&run->mad.listing, STATUS_FAILED,
				   "scan its subnet from a host there", "cannot begin at %s: %s",
				   run->mad.session.destinations[0].name, why);
}

/* Shows progress at most ten times a second, and not for a scan that ends at once. */
static void show_progress(struct fabric_run *run)
{
	const uint64_t now = clock_msec();
	struct mad_engine_counts counts;
	_cleanup_(freep) char *text = NULL;

	if (now < run->progress_msec)
		return;
	run->progress_msec = now + PROGRESS_MSEC;
	mad_engine_counts(run->mad.session.engine, &counts);
	text = mem_format("%u nodes, %llu datagrams answered, %llu/s", run->fabric.node_count,
			  (unsigned long long)counts.answered,
			  (unsigned long long)(counts.answered * 1000 / (now - run->begin_msec)));
	progress_show(&run->progress, text);
}

static void hear(void *context)
{
	struct fabric_run *run = context;

	if (run->on_reply)
		run->on_reply(run);
	if (run->progress.shown)
		show_progress(run);
}

static void sign(struct fabric_run *run)
{
	const struct mad_port *port = &run->mad.session.port;
	const struct fabric_args *args = run->args;
	const char *from = args->from ? args->from : args->part;
	struct fabric_origin *origin = &run->fabric.origin;

	origin->time = utc_now();
	origin->host = host_name();
	origin->device = mem_string_or_null(port->device);
	origin->port = number_of(port->port);
	if (port->route.lid)
		origin->lid = number_of(port->route.lid);
	if (from)
		origin->from = text_clean(from, strlen(from));
	if (run->scan.most_hops)
		origin->most_hops = number_of(run->scan.most_hops);
}

static void note_counts(struct fabric_run *run)
{
	struct mad_engine_counts counts;
	_cleanup_(freep) char *text = NULL;

	mad_engine_counts(run->mad.session.engine, &counts);
	text = mem_format("%u nodes, %llu requests, %llu retries, %llu ms", run->fabric.node_count,
			  (unsigned long long)counts.requests, (unsigned long long)counts.again,
			  (unsigned long long)(clock_msec() - run->begin_msec));
	problem_add_text(&run->mad.listing.notes, NULL, NULL, NULL, text, NULL);
}

/* Tables without an answer become failures of the scan, noted and saved with the others. */
static int read_routes(struct fabric_run *run)
{
	_cleanup_(forwarding_clear) struct forwarding forwarding = {.tables = NULL};
	int rc = forwarding_read(run->mad.session.engine, &run->scan, &run->fabric, NULL, 0,
				 FORWARDING_LINEAR | FORWARDING_MULTICAST, &forwarding);

	for (size_t i = 0; i < forwarding.failure_count; i++)
		MEM_ADD(run->fabric.failures, run->fabric.failure_count) = forwarding.failures[i];
	run->fabric.interrupted |= rc != 0;
	forwarding_store(&forwarding, &run->fabric);
	return rc;
}

/* Skips queries for data that the listing does not show. */
static void choose_queries(struct fabric_run *run)
{
	const struct fabric_args *args = run->args;
	const struct listing *listing = &run->mad.listing;
	const bool ports = listing->schema == &fabric_ports_schema;
	const bool rows = !args->format.known && !args->save && !args->details && !args->routes;

	/* The tables of ports and cables show nothing from SwitchInfo. */
	run->scan.no_switch_info = rows && (ports || listing->schema == &fabric_links_schema);
	/* The rows of a scan are ports of switches, or of adapters cabled to each other. */
	run->scan.no_end_ports = rows && ports && !args->tree &&
				 listing->ctx->command->run == fabric_scan_command.run &&
				 !(columns_needs(&listing->columns) & VIEW_NEEDS_END_PORTS);
}

static bool scan(struct fabric_run *run)
{
	struct fabric_scan_options *options = &run->scan;
	int rc;

	run->mad.goes_beyond = true;
	options->mkey = run->mad.session.key;
	options->switch_only = run->args->part;
	choose_queries(run);
	options->most_hops = (unsigned int)run->args->hops.value;
	if (run->args->part && !run->args->hops.known)
		options->most_hops = 1;
	if (!find_start(run, options))
		return false;
	progress_begin(&run->progress, run->mad.listing.ctx);
	run->begin_msec = clock_msec();
	run->progress_msec = run->begin_msec + PROGRESS_FIRST_MSEC;
	if (run->on_reply || run->progress.shown) {
		options->on_reply = hear;
		options->context = run;
	}
	rc = fabric_scan(run->mad.session.engine, options, &run->fabric);
	if (!rc && run->args->details)
		rc = fabric_details_read(run->mad.session.engine, options, &run->fabric, NULL);
	if (!rc && run->args->routes)
		rc = read_routes(run);
	progress_erase(&run->progress);
	if (run->mad.listing.ctx->globals.verbose)
		note_counts(run);
	if (rc && !run->fabric.node_count) {
		/* --switch with another node would show part of the switch that it is attached to.
		 */
		if (rc == -ENXIO)
			return listing_fail_format(&run->mad.listing, STATUS_USAGE,
						   "rdmactl fabric switches lists the switches; "
						   "--from DEST --hops 1 accepts any node",
						   "'%s' is not a switch", run->args->part);
		fail_at_once(run, rc);
		return false;
	}
	if (rc && rc != -ECANCELED)
		problem_add_text(&run->mad.listing.problems, NULL, NULL, "umad", strerror(-rc),
				 NULL);
	sign(run);
	return true;
}

/* Notes the faults of a text, the rest of which was read. */
static void note_faults(struct fabric_run *run, const char *path, const struct fabric *fabric)
{
	_cleanup_(freep) char *clean = text_clean(path, strlen(path));

	for_each_in (fault, fabric->faults, fabric->fault_count) {
		_cleanup_(freep) char *message = fault->line
							 ? mem_format("line %u: %s", fault->line,
								      fault->reason)
							 : mem_string(fault->reason);

		problem_add_text(&run->mad.listing.problems, clean, NULL, NULL, message, NULL);
	}
}

static bool read_file(struct fabric_run *run, const char *path, bool details, struct fabric *fabric)
{
	const bool is_typed = !strcmp(path, "-");
	_cleanup_(freep) char *message = NULL;
	int rc;

	if (is_typed)
		mad_session_begin_read(&run->mad.session);
	rc = fabric_file_read(path, details, fabric, &message);
	if (is_typed)
		mad_session_end_read(&run->mad.session);
	/* A file that exists, but cannot be read, needs another remedy. */
	if (rc)
		listing_fail(&run->mad.listing, STATUS_FAILED, message,
			     rc == -ENOENT || rc == -EINVAL || rc == -ENOMSG
				     ? "save one: rdmactl fabric scan --save FILE"
				     : NULL);
	else
		note_faults(run, path, fabric);
	return !rc;
}

/* Skips forwarding tables and other details, most of a file, for lists that do not show them. */
static bool read_loaded(struct fabric_run *run)
{
	static const struct schema *const without[] = {
		&fabric_ports_schema,	&fabric_nodes_schema,  &fabric_links_schema,
		&fabric_changes_schema, &fabric_errors_schema, &fabric_error_growth_schema,
		&fabric_cables_schema,
	};
	bool details = true;

	for (size_t i = 0; i < ARRAY_SIZE(without); i++)
		details &= run->mad.listing.schema != without[i];
	details |= run->args->save || run->args->details;
	return read_file(run, run->args->load, details, &run->fabric);
}

static int write_nothing(void *context, FILE *file)
{
	(void)context;
	(void)file;
	return -ECANCELED;
}

/* Whether --save can write, which a long scan must not find last. The file stays as it is. */
static bool can_save(struct fabric_run *run)
{
	const char *path = run->args->save ? run->args->save : run->saves;
	int rc;

	listing_saves_to(&run->mad.listing, path);
	rc = path ? file_replace(path, write_nothing, NULL) : -ECANCELED;
	return rc == -ECANCELED || listing_fail_to_write(&run->mad.listing, path, rc);
}

/* Reads the earlier scan first, because --save may name the same file. */
static bool prepare(struct fabric_run *run)
{
	if (!can_save(run))
		return false;
	if (run->args->diff && !read_file(run, run->args->diff, false, &run->before))
		return false;
	return fabric_run_read_expected(run) && (!run->before_scan || run->before_scan(run));
}

static void save(struct fabric_run *run)
{
	const char *path = run->args->save;
	int rc = fabric_file_save(path, &run->view, &run->mad.listing.problems);

	if (rc)
		listing_fail_to_write(&run->mad.listing, path, rc);
}

bool fabric_run_begin(struct fabric_run *run, const struct ctx *ctx, const struct fabric_args *args,
		      const struct schema *schema)
{
	bool done;

	run->args = args;
	run->mad.session.signals = SIGNALS_NONE;
	run->view = (struct fabric_view){.fabric = &run->fabric, .names = &run->mad.session.names};
	run->finder.view = run->view;
	run->finder_before.view = (struct fabric_view){.fabric = &run->before,
						       .names = run->view.names};
	if (args->load && !run->live)
		done = listing_begin_as(&run->mad.listing, ctx, schema, false) &&
		       mad_listing_read_names(&run->mad.listing, args->mad.names,
					      &run->mad.session.names);
	else
		done = mad_listing_begin(&run->mad, ctx, &args->mad, schema, false, false);
	if (!done && args->load && run->mad.listing.status == STATUS_NOTHING)
		fabric_run_problem(run, NULL,
				   "a saved scan has no counters: rdmactl fabric errors reads them "
				   "from the nodes in %s, through a port of this host",
				   args->load);
	done = done && prepare(run) && (args->load ? read_loaded(run) : scan(run));
	if (done)
		fabric_run_note(run, run->fabric.failures, run->fabric.failure_count);
	if (done && run->fabric.interrupted)
		note_stop(run);
	/* The scan is printed even if it cannot be saved after all: the disk may be full now. */
	if (done && args->save)
		save(run);
	if (done && args->load && args->details && !fabric_has_details(&run->fabric))
		fabric_run_problem(run, "rdmactl fabric scan --details --save FILE saves them",
				   "the scan in %s has no details", args->load);
	return done;
}

static void clear(struct fabric_run *run)
{
	fabric_finder_clear(&run->finder);
	fabric_finder_clear(&run->finder_before);
	fabric_clear(&run->fabric);
	fabric_clear(&run->before);
	chassis_list_clear(&run->chassis);
	free(run->named);
	free(run->expected_text);
	free(run->expected);
	free(run->expected_before);
}

void fabric_run_find_chassis(struct fabric_run *run)
{
	_cleanup_(freep) uint32_t *order = diags_order(&run->fabric);

	chassis_list_fill(&run->fabric, order, &run->chassis);
	run->view.chassis = &run->chassis;
}

bool fabric_run_match(struct fabric_run *run)
{
	const char *pattern = run->args->name;

	if (!pattern)
		return true;
	run->named = fabric_match_names(&run->view, pattern);
	if (run->named)
		return true;
	return listing_fail_format(
		&run->mad.listing, STATUS_NOTHING,
		"give the full name, or part of it between asterisks; rdmactl fabric nodes "
		"lists them",
		"no node has a name like '%s'", pattern);
}

bool fabric_run_is_named(const struct fabric_run *run, uint32_t port)
{
	return !run->named || run->named[run->fabric.ports[port].node];
}

void fabric_run_list(struct fabric_run *run, const void *rows, size_t count, size_t size)
{
	const struct number *top = &run->args->top;

	for (size_t i = 0; i < count && (!top->known || i < top->value); i++)
		listing_add(&run->mad.listing, (const char *)rows + i * size);
}

int fabric_run_end_quietly(struct fabric_run *run, int rc)
{
	int status = mad_listing_end_quietly(&run->mad, rc);

	clear(run);
	return status;
}

int fabric_run_end(struct fabric_run *run)
{
	mad_listing_tell_port(&run->mad);
	return fabric_run_end_quietly(run, listing_print(&run->mad.listing));
}
