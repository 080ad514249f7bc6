/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/fabric/fabric_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "fabric/scan/scan.h"

/* A line of the map is about 40 bytes: this is four hundred thousand of them. */
#define MOST_NAME_BYTES ((size_t)16 * 1024 * 1024)

#define PROGRESS_FIRST_MSEC 300u
#define PROGRESS_MSEC	    100u

static const char timeout_hint[] =
	"the node is down, its agent hangs, or it answers only who knows its M_Key (--mkey)";

static bool read_names(struct fabric_run *run)
{
	struct listing *listing = &run->session.listing;
	const char *path = run->args->names;
	_cleanup_(freep) char *text = NULL, *message = NULL;
	unsigned int line = 0;
	size_t length;
	int rc;

	if (!path)
		return true;
	rc = file_read(path, MOST_NAME_BYTES, &text, &length);
	if (rc)
		message = mem_format("cannot read %s: %s", path, strerror(-rc));
	else if (node_names_parse(text, length, &run->names, &line))
		message = mem_format("%s: line %u names no node", path, line);
	if (message)
		listing_fail(listing, STATUS_FAILED, message,
			     rc ? NULL : "a line each: 0x0002c90300001234 \"leaf 3\"");
	return !message;
}

void fabric_run_note(struct fabric_run *run, const struct fabric_failure *failures, size_t count)
{
	struct problems *problems = &run->session.listing.problems;

	for (size_t i = 0; i < count; i++) {
		_cleanup_(freep) char *object = NULL, *message = NULL;

		fabric_failure_text(&run->view, &failures[i], &object, &message);
		problem_add_text(problems, object, NULL, "smp", message,
				 failures[i].error == -ETIMEDOUT ? timeout_hint : NULL);
	}
}

static void note_failures(struct fabric_run *run)
{
	struct problems *problems = &run->session.listing.problems;

	fabric_run_note(run, run->fabric.failures, run->fabric.failure_count);
	if (run->fabric.interrupted)
		problem_add_text(problems, NULL, NULL, NULL,
				 "interrupted: what is shown is not all", NULL);
}

/* Nothing is there: the first node is this host's own port, as a rule. */
static void fail_at_once(struct fabric_run *run, int rc)
{
	struct listing *listing = &run->session.listing;
	_cleanup_(freep) char *object = NULL, *reason = NULL, *message = NULL;

	if (run->fabric.failure_count)
		fabric_failure_text(&run->view, &run->fabric.failures[0], &object, &reason);
	message = mem_format("%s: %s", object ? object : "the local port",
			     reason ? reason : strerror(-rc));
	listing_fail(listing, STATUS_FAILED, message,
		     run->args->from ? "rdmactl smp nodeinfo asks the same of one node"
				     : "rdmactl ports shows whether the port is up");
}

static bool find_start(struct fabric_run *run, struct fabric_scan_options *options)
{
	const char *from = run->args->from ? run->args->from : run->args->part;
	char *words[] = {NULL, NULL};
	const struct mad_place *place;
	_cleanup_(freep) char *copy = NULL;

	if (!from)
		return true;
	words[0] = copy = mem_string(from);
	if (!mad_session_find(&run->session, words))
		return false;
	place = &run->session.destinations[0].place;
	if (place->target.kind == TARGET_DIRECT) {
		options->path_hops = place->target.hops;
		memcpy(options->path, place->target.path, sizeof(place->target.path));
		return true;
	}
	return fabric_run_walk(run, place->address.lid, options);
}

/* Ten times a second at most, and not for what is over at once. */
static void show_progress(struct fabric_run *run)
{
	const uint64_t now = clock_msec();
	struct mad_engine_counts counts;
	_cleanup_(freep) char *text = NULL;

	if (now < run->progress_msec)
		return;
	run->progress_msec = now + PROGRESS_MSEC;
	mad_engine_counts(run->session.engine, &counts);
	text = mem_format("%u nodes, %llu datagrams answered, %llu/s", run->fabric.node_count,
			  (unsigned long long)counts.answered,
			  (unsigned long long)(counts.answered * 1000 / (now - run->begin_msec)));
	progress_show(&run->progress, text);
}

/* --switch of something else: half a switch would be shown, that behind it. */
static bool is_no_switch(const struct fabric_run *run)
{
	return run->args->part && run->fabric.node_count &&
	       run->fabric.nodes[0].type != NODE_TYPE_SWITCH;
}

static void fail_no_switch(struct fabric_run *run)
{
	_cleanup_(freep) char *clean = text_clean(run->args->part, strlen(run->args->part));
	_cleanup_(freep) char *message = mem_format("'%s' is no switch", clean);

	listing_fail(&run->session.listing, STATUS_USAGE, message,
		     "rdmactl fabric switches lists them; --from DEST --hops 1 is for any node");
}

static void hear(void *context)
{
	struct fabric_run *run = context;

	if (is_no_switch(run)) {
		run->session.stopped = true;
		return;
	}
	if (run->on_reply)
		run->on_reply(run);
	if (run->progress.shown)
		show_progress(run);
}

static void note_counts(struct fabric_run *run)
{
	struct mad_engine_counts counts;
	_cleanup_(freep) char *text = NULL;

	mad_engine_counts(run->session.engine, &counts);
	text = mem_format("%u nodes, %llu requests, %llu sent again, %llu ms",
			  run->fabric.node_count, (unsigned long long)counts.requests,
			  (unsigned long long)(counts.sent - counts.requests),
			  (unsigned long long)(clock_msec() - run->begin_msec));
	problem_add_text(&run->session.listing.notes, NULL, NULL, NULL, text, NULL);
}

static bool scan(struct fabric_run *run)
{
	struct fabric_scan_options *options = &run->scan;
	int rc;

	options->mkey = run->session.key;
	options->most_hops = (unsigned int)run->args->hops.value;
	if (run->args->part && !run->args->hops.known)
		options->most_hops = 1;
	if (!find_start(run, options))
		return false;
	progress_begin(&run->progress, run->session.listing.ctx);
	run->begin_msec = clock_msec();
	run->progress_msec = run->begin_msec + PROGRESS_FIRST_MSEC;
	if (run->on_reply || run->progress.shown || run->args->part) {
		options->on_reply = hear;
		options->context = run;
	}
	rc = fabric_scan(run->session.engine, options, &run->fabric);
	if (is_no_switch(run)) {
		progress_erase(&run->progress);
		fail_no_switch(run);
		return false;
	}
	if (!rc && run->args->details)
		rc = fabric_details_read(run->session.engine, options, &run->fabric);
	progress_erase(&run->progress);
	if (run->session.listing.ctx->globals.verbose)
		note_counts(run);
	if (rc && !run->fabric.node_count) {
		fail_at_once(run, rc);
		return false;
	}
	if (rc && rc != -ECANCELED)
		problem_add_text(&run->session.listing.problems, NULL, NULL, "umad", strerror(-rc),
				 NULL);
	fabric_file_sign(run);
	return true;
}

/* At first: --save may name the same file. */
static bool read_before(struct fabric_run *run)
{
	return !run->args->diff ||
	       fabric_file_read(&run->session.listing, run->args->diff, &run->before);
}

/* Each port has a P_Key at least: a scan without any was taken without asking. */
static void note_no_details(struct fabric_run *run)
{
	_cleanup_(freep) char *message = mem_format("the scan in %s has no details",
						    run->args->load);

	problem_add_text(&run->session.listing.problems, NULL, NULL, NULL, message,
			 "save one that has: rdmactl fabric scan --details --save FILE");
}

static bool begin(struct fabric_run *run, const struct ctx *ctx, const struct fabric_args *args,
		  const struct schema *schema)
{
	bool done;

	run->args = args;
	run->session.signals = SIGNALS_NONE;
	run->view = (struct fabric_view){.fabric = &run->fabric, .names = &run->names};
	if (args->load)
		done = listing_begin_as(&run->session.listing, ctx, schema, false) &&
		       read_names(run) && read_before(run) && fabric_file_load(run, args->load);
	else
		done = mad_session_begin(&run->session, ctx, &args->mad, schema, false, false) &&
		       read_names(run) && read_before(run) && scan(run);
	if (done)
		note_failures(run);
	/* What cannot be saved is shown all the same. */
	if (done && args->save)
		fabric_file_save(run, args->save);
	if (done && args->load && args->details && !run->fabric.detail_count)
		note_no_details(run);
	return done;
}

bool fabric_run_begin(struct fabric_run *run, const struct ctx *ctx, const struct fabric_args *args,
		      const struct schema *schema)
{
	*run = (struct fabric_run){.on_reply = NULL};
	return begin(run, ctx, args, schema);
}

bool fabric_run_begin_streaming(struct fabric_run *run, const struct ctx *ctx,
				const struct fabric_args *args, const struct schema *schema,
				void (*on_reply)(struct fabric_run *run), void *context)
{
	*run = (struct fabric_run){.on_reply = on_reply, .context = context};
	return begin(run, ctx, args, schema);
}

static void clear(struct fabric_run *run)
{
	fabric_clear(&run->fabric);
	fabric_clear(&run->before);
	node_names_clear(&run->names);
	free(run->named);
}

int fabric_run_end(struct fabric_run *run)
{
	int status = mad_session_end(&run->session);

	clear(run);
	return status;
}

int fabric_run_end_quietly(struct fabric_run *run, int rc)
{
	int status = mad_session_end_quietly(&run->session, rc);

	clear(run);
	return status;
}
