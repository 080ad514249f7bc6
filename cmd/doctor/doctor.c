/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl doctor: is this host set up correctly for RDMA, and if not, why? */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/doctor/doctor_run.h"
#include "doctor/frame/check.h"

static const struct enum_name fail_on_names[] = {
	{SEVERITY_NOTICE, "note", TONE_PLAIN, "notes, warnings and errors"},
	{SEVERITY_WARNING, "warning", TONE_PLAIN, "warnings and errors"},
	{SEVERITY_ERROR, "error", TONE_PLAIN, "errors only"},
	{0, NULL},
};

/* Ids and groups, separated by commas. */
#define CHECKS_OPTION(member, metavar_, choices_, help_)                                \
	OPTION_ROW(STRING, const char *, struct doctor_args, member, 0, #member, help_, \
		   .metavar = metavar_, .choices = choices_, .completion = COMPLETE_CHOICE)

static const struct option_row options[] = {
	CHECKS_OPTION(only, "LIST", doctor_choice_names,
		      "run only these checks: ids and groups, comma-separated"),
	CHECKS_OPTION(skip, "LIST", doctor_choice_names,
		      "skip these checks: ids and groups, comma-separated"),
	CHOICE_OPTION(struct doctor_args, profile, 0, "profile", "PROFILE", doctor_profile_names,
		      "purpose of the host, which decides how serious some findings are"),
	STRING_OPTION(struct doctor_args, expect, 0, "expect", "FILE", COMPLETE_FILE,
		      "compare with what this file says the host should have"),
	FLAG_OPTION(struct doctor_args, learn, 0, "learn",
		    "print an expectation file that describes this host"),
	STRING_OPTION(struct doctor_args, since, 0, "since", "FILE", COMPLETE_FILE,
		      "errors since this file of rdmactl counters --save"),
	NUMBER_OPTION(DURATION, struct doctor_args, interval, 'i', "interval", "TIME", 1, 0,
		      "read error counters twice, this far apart"),
	STRING_OPTION(struct doctor_args, peer, 0, "peer", "HOST", COMPLETE_HOST,
		      "also check against this host, where rdmactl selftest --serve runs"),
	FLAG_OPTION(struct doctor_args, probe, 0, "probe", "also run checks that open devices"),
	CHOICE_OPTION(struct doctor_args, fail_on, 0, "fail-on", "VERDICT", fail_on_names,
		      "exit with status 4 from this verdict on (default warning)"),
	FLAG_OPTION(struct doctor_args, list, 'l', "list",
		    "list the checks instead of running them"),
	CHECKS_OPTION(explain, "ID", doctor_check_names,
		      "explain a check and its remedy instead of running it"),
	FLAG_OPTION(struct doctor_args, all, 'a', "all",
		    "also list what is correct and what was not checked"),
	CHOICE_OPTION(struct doctor_args, format, 0, "format", "FORM", doctor_format_names,
		      "print for a monitoring system"),
	{.name = NULL},
};

static const struct option_rule rules[] = {
	OPTIONS_ONE_OF("list explain learn format", NULL),
	OPTIONS_EXCLUDE("list explain learn", "expect since interval peer probe fail-on all", NULL),
	OPTIONS_EXCLUDE("explain learn", "only skip", NULL),
	OPTIONS_EXCLUDE("learn", "jsonl tsv columns", NULL),
	OPTIONS_EXCLUDE("format", "json jsonl tsv columns all", NULL),
	OPTIONS_ONE_OF("since interval", NULL),
	{.options = NULL},
};

enum severity doctor_threshold(const struct doctor_args *args)
{
	return args->fail_on.known ? (enum severity)args->fail_on.value : SEVERITY_WARNING;
}

/* Complains about a word that is none of `names`, or about a group where one check is wanted. */
static void refuse_check(struct listing *listing, const char *bad, const struct enum_name *names)
{
	const char *words[DOCTOR_CHECKS + DOCTOR_GROUPS];
	_cleanup_(freep) char *hint = NULL;
	size_t count = 0;

	for (const struct enum_name *name = names; name->word; name++)
		words[count++] = name->word;
	if (enum_find_word(doctor_group_names, bad))
		hint = mem_format("that is a group: rdmactl doctor --list --only %s lists its "
				  "checks",
				  bad);
	else
		hint = text_suggest(bad, words, count, "rdmactl doctor --list lists the checks");
	listing_fail_format(listing, STATUS_USAGE, hint, "unknown check '%s'", bad);
}

static bool select_checks(struct listing *listing, const struct doctor_args *args,
			  struct doctor_request *request)
{
	_cleanup_(freep) char *bad = NULL;
	int rc = 0;

	for (size_t i = 0; i < DOCTOR_CHECKS; i++)
		request->run[i] = !args->only;
	if (args->only)
		rc = doctor_select(args->only, true, request->run, &bad);
	if (!rc && args->skip)
		rc = doctor_select(args->skip, false, request->run, &bad);
	if (rc)
		refuse_check(listing, bad, doctor_choice_names);
	else if (!memchr(request->run, true, sizeof(request->run)))
		return listing_fail(listing, STATUS_USAGE, "--skip leaves no check to run",
				    "rdmactl doctor --list lists the checks");
	return !rc;
}

static void add_check(struct listing *listing, uint64_t id)
{
	listing_add(listing, doctor_check((enum doctor_check_id)id));
}

static void explain(struct listing *listing, const char *id)
{
	const struct enum_name *name = enum_find_word(doctor_check_names, id);

	if (name)
		add_check(listing, name->value);
	else
		refuse_check(listing, id, doctor_check_names);
}

/* --list and --explain, which are about checks, not about this host. */
static int show_checks(const struct ctx *ctx, const struct doctor_args *args, char **objects)
{
	struct doctor_request request = {.root = NULL};
	struct listing listing;

	if (!listing_begin_as(&listing, ctx, &doctor_check_schema, args->explain))
		return listing_end(&listing);
	if (objects[0])
		listing_fail(&listing, STATUS_USAGE,
			     args->list ? "--list takes no device"
					: "--explain takes the id of one check, and no device",
			     "rdmactl doctor --help");
	else if (args->explain)
		explain(&listing, args->explain);
	else if (select_checks(&listing, args, &request))
		for (size_t i = 0; i < DOCTOR_CHECKS; i++)
			if (request.run[i])
				add_check(&listing, i);
	return listing_end(&listing);
}

static bool is_fault(const struct doctor_results *results, enum severity least)
{
	for_each (result, results)
		if (result->finding.severity.value >= least && !result->ignored)
			return true;
	return false;
}

/* A fault outranks read errors, which outrank a host without hardware. */
static void decide_status(struct listing *listing, const struct doctor_args *args,
			  const struct doctor_results *results)
{
	if (is_fault(results, doctor_threshold(args)))
		listing->status = STATUS_FAULT;
	else if (!results->hardware && !listing->problems.count)
		listing->status = STATUS_NOTHING;
}

static void add_rows(struct listing *listing, const struct doctor_args *args,
		     const struct doctor_results *results)
{
	const bool all = args->all || listing_options(listing).format != FORMAT_TABLE;

	for_each (result, results)
		if (all || result->finding.severity.value >= SEVERITY_NOTICE)
			listing_add(listing, result);
}

static int print(struct listing *listing, const struct doctor_args *args,
		 const struct doctor_results *results)
{
	const struct render_options how = listing_options(listing);
	int rc;

	if (args->format.known) {
		const int status = listing->problems.count && listing->status == STATUS_DONE
					   ? STATUS_PARTIAL
					   : listing->status;

		listing->status = doctor_print_as(stdout, (enum doctor_format)args->format.value,
						  results, args, status, &rc);
		return listing_end_quietly(listing, rc);
	}
	if (!listing_is_for_people(listing)) {
		add_rows(listing, args, results);
		return listing_end(listing);
	}
	rc = doctor_print(stdout, &how, results, args->all);
	return listing_end_quietly(listing, rc);
}

/* Builds the request from the options. */
static struct doctor_request make_request(const struct ctx *ctx, const struct doctor_args *args)
{
	return (struct doctor_request){
		.root = ctx->globals.root,
		.profile = args->profile.known ? (enum doctor_profile)args->profile.value
					       : PROFILE_AUTO,
		.interval_msec = args->interval.known ? args->interval.value : 0,
		.since = args->since,
		.expect = args->expect,
		.peer = args->peer,
		.probe = args->probe,
		.environment = environ,
	};
}

static int learn(const struct ctx *ctx, const struct doctor_args *args, char **objects)
{
	struct doctor_request request = make_request(ctx, args);
	_cleanup_(freep) char *text = NULL;
	struct listing listing;
	int rc = 0;

	if (listing_begin(&listing, ctx, objects, true)) {
		request.objects = &listing.objects;
		rc = doctor_learn(&request, &text, &listing.problems);
		if (rc)
			listing.status = rc == -ENODEV ? STATUS_NOTHING : STATUS_FAILED;
		rc = text ? render_text(stdout, text) : 0;
	}
	return listing_end_quietly(&listing, rc);
}

static int check_host(const struct ctx *ctx, const struct doctor_args *args, char **objects)
{
	_cleanup_(doctor_results_free) struct doctor_results results = {.items = NULL};
	struct doctor_request request = make_request(ctx, args);
	struct listing listing;
	bool made = false;
	int rc;

	if (listing_begin(&listing, ctx, objects, true) &&
	    select_checks(&listing, args, &request)) {
		request.objects = &listing.objects;
		rc = doctor_run(&request, &results, &listing.problems);
		if (rc)
			listing.status = rc == -ENODEV ? STATUS_NOTHING : STATUS_FAILED;
		else
			decide_status(&listing, args, &results);
		made = !rc;
	}
	return made || args->format.known ? print(&listing, args, &results) : listing_end(&listing);
}

static int run(const struct ctx *ctx, const void *doctor_args, char **objects)
{
	const struct doctor_args *args = doctor_args;

	if (args->list || args->explain)
		return show_checks(ctx, args, objects);
	return args->learn ? learn(ctx, args, objects) : check_host(ctx, args, objects);
}

static const void *catalogue_row(size_t number)
{
	return number < DOCTOR_CHECKS ? doctor_check((enum doctor_check_id)number) : NULL;
}

static const struct catalogue catalogue = {
	.block = "CHECKS",
	.schema = &doctor_check_schema,
	.row = catalogue_row,
};

static const struct schema *const more_schemas[] = {&doctor_check_schema, NULL};

const struct command doctor_command = {
	.name = "doctor",
	.group = GROUP_TEST,
	.summary = "find RDMA problems on this host, their causes and remedies",
	.objects = "[DEV[/PORT]...]",
	.object_completion = COMPLETE_PORT,
	.most_objects = -1,
	.options = {options},
	.args_size = sizeof(struct doctor_args),
	.rules = rules,
	.schema = &doctor_schema,
	.more_schemas = more_schemas,
	.catalogue = &catalogue,
	.supervise = doctor_supervise,
	.unable = doctor_unable,
	.run = run,
};
