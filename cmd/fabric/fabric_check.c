/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl fabric check: what is wrong with the subnet, the worst first. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "fabric/check/check.h"
#include "cmd/fabric/fabric_run.h"

struct facts {
	struct fabric_check_input input;
	struct fabric_managers managers;
	struct forwarding forwarding;
	struct credit_study credit;
	struct credit_stop stop; /* of `credit` */
	struct fabric_counters counters;
};

/* Requests to the subnet administrator, which answers some thousand of them a second. */
#define MOST_PATH_RECORDS 100000u

static void skip(struct facts *facts, const char *what, const char *why)
{
	_cleanup_(freep) char *text = mem_format("%s: %s", what, why);

	strings_add(&facts->input.not_checked, text);
}

/* Does nothing if there is no error. */
static void skip_failed(struct facts *facts, const char *what, int rc)
{
	if (rc)
		skip(facts, what, rc == -ECANCELED ? "interrupted" : strerror(-rc));
}

/* A manager that was not waited for does not count as unanswered. */
static void read_managers(struct fabric_run *run, struct facts *facts)
{
	int rc = fabric_managers_read(run->mad.session.engine, &run->scan, &run->fabric,
				      run->mad.session.port.route.lid, &facts->managers);

	if (!rc)
		facts->input.managers = &facts->managers;
	skip_failed(facts, "the subnet manager", rc);
	if (!rc && !facts->managers.count && fabric_manager_lid(&run->fabric))
		skip(facts, "the subnet manager", "the local port has no LID");
}

/* Without a subnet manager there are no routes. */
static void read_forwarding(struct fabric_run *run, struct facts *facts)
{
	if (!fabric_manager_lid(&run->fabric))
		return;
	facts->input.forwarding = &facts->forwarding;
	skip_failed(facts, "some of the forwarding tables",
		    forwarding_read(run->mad.session.engine, &run->scan, &run->fabric, NULL, 0,
				    FORWARDING_LINEAR, &facts->forwarding));
}

/* One reading only shows counters that have stopped: the others may have counted long ago. */
static void read_counters(struct fabric_run *run, struct facts *facts)
{
	facts->input.counters = &facts->counters.after;
	if (run->args->interval.known || run->args->since) {
		facts->input.before = &facts->counters.before;
		fabric_counters_take(run, &(const struct port_errors_options){.least = 0},
				     &facts->counters);
		facts->input.seconds = facts->counters.seconds;
		return;
	}
	fabric_counters_read(run, &(const struct port_errors_options){.least = UINT64_MAX},
			     &facts->counters.after);
	problem_add_text(&run->mad.listing.notes, NULL, NULL, NULL,
			 "only counters that have stopped at their maximum are checked",
			 "--interval TIME or --since FILE shows which errors grow");
}

static void recall_forwarding(struct fabric_run *run, struct facts *facts)
{
	const struct forwarding *forwarding = &facts->forwarding;
	_cleanup_(freep) char *name = NULL, *what = NULL;

	if (!forwarding_recall(&run->fabric, NULL, 0, FORWARDING_LINEAR, &facts->forwarding)) {
		skip(facts, "forwarding tables", "a scan saved without --routes has none");
		return;
	}
	facts->input.forwarding = forwarding;
	if (!forwarding->failure_count)
		return;
	name = fabric_node_name(&run->view, run->fabric.ports[forwarding->failures[0].port].node);
	what = forwarding->failure_count == 1
		       ? mem_format("the forwarding table of %s", name)
		       : mem_format("forwarding tables of %zu switches, the first of which is %s",
				    forwarding->failure_count, name);
	skip(facts, what, "the saved scan lacks all or part of it");
}

static void read_paths(struct fabric_run *run, struct facts *facts)
{
	struct credit_study *study = &facts->credit;
	const struct mad_route *route = &run->mad.session.port.route;

	credit_pairs_list(&run->fabric, &facts->forwarding, &study->any, MOST_PATH_RECORDS,
			  &study->pairs);
	skip_failed(facts, "credit-loop: some of the path records",
		    credit_pairs_ask(run->mad.session.engine, route, &run->fabric, &study->pairs));
}

/* Why the SLs of packets cannot be found; NULL if they can. */
static const char *lacks_paths(const struct fabric_run *run)
{
	if (run->args->credit.value != FABRIC_CREDIT_PATHS)
		return NULL;
	if (run->args->load)
		return "a saved scan has none";
	return run->mad.session.port.route.subnet_manager ? NULL
							  : "the port knows no subnet manager";
}

static bool is_stopped(void *session)
{
	return mad_session_stopped(session);
}

/* Most routes cannot form a loop whatever the SLs, and need no further queries. */
static void study_credit(struct fabric_run *run, struct facts *facts)
{
	struct credit_study *study = &facts->credit;
	const uint64_t credit = run->args->credit.value;
	const char *why = lacks_paths(run);

	if (!facts->input.forwarding)
		return;
	facts->stop = (struct credit_stop){.is_wanted = is_stopped, .context = &run->mad.session};
	study->stop = &facts->stop;
	credit_study_begin(&run->fabric, &facts->forwarding, study);
	facts->input.credit = study;
	if (!run->args->credit.known || !study->any.count || credit_study_stopped(study))
		return;
	if (why) {
		skip(facts, "credit-loop: path records", why);
		return;
	}
	if (!run->args->load) {
		skip_failed(facts, "credit-loop: some of the SL to VL tables",
			    fabric_details_read(run->mad.session.engine, &run->scan, &run->fabric,
						study->any.ports));
		study->lanes_read = true;
	}
	study->question = credit == FABRIC_CREDIT_PATHS ? CREDIT_OF_PATHS : CREDIT_OF_SLS;
	study->sls = (uint16_t)(credit < CREDIT_SLS ? 1u << credit : UINT16_MAX);
	if (study->question == CREDIT_OF_PATHS)
		read_paths(run, facts);
	credit_study_end(&run->fabric, &facts->forwarding, study);
}

/* Drops findings about links in the file of --expected-down: that they are not up is known. */
static void drop_expected(const struct fabric_run *run, struct fabric_findings *findings)
{
	static const char *const words[] = {"link-not-active", "port-init", "unanswered"};
	size_t kept = 0;

	for (size_t i = 0; run->expected && i < findings->count; i++) {
		struct fabric_finding *found = &findings->items[i];
		const char *word = enum_find(fabric_check_names, found->finding.id.value)->word;
		bool drop = false;

		for (size_t j = 0; j < ARRAY_SIZE(words); j++)
			drop |= !strcmp(words[j], word) && !found->of_node &&
				found->at.place != FABRIC_NONE && run->expected[found->at.place];
		if (drop)
			finding_clear(&found->finding);
		else
			findings->items[kept++] = *found;
	}
	if (run->expected)
		findings->count = kept;
}

static void check(struct fabric_run *run, struct fabric_findings *findings)
{
	struct facts facts = {
		.input =
			{
				.view = &run->view,
				.least = run->args->threshold.known ? run->args->threshold.value
								    : 1,
			},
		/* What follows the scan, such as reading counters, does not matter here. */
		.credit.incomplete = !fabric_is_complete(&run->fabric) ||
				     run->fabric.origin.most_hops.known,
	};

	if (run->args->load) {
		skip(&facts, "counters and subnet managers", "a saved scan has none");
		recall_forwarding(run, &facts);
		/* The findings not-checked name the checks. */
		if (fabric_is_made(&run->fabric))
			fabric_run_problem(run, "rdmactl fabric scan --save FILE saves all of this",
					   "some checks are skipped: the file does not say what "
					   "ports support, nor their states and MTUs");
	} else {
		read_managers(run, &facts);
		read_forwarding(run, &facts);
		read_counters(run, &facts);
	}
	study_credit(run, &facts);
	if (credit_study_stopped(&facts.credit)) {
		fabric_run_problem(run, NULL,
				   "interrupted: not all routes were searched for credit loops");
		skip_failed(&facts, "credit-loop: not all routes were followed", -ECANCELED);
	}
	fabric_check(&facts.input, findings);
	drop_expected(run, findings);
	fabric_managers_clear(&facts.managers);
	forwarding_clear(&facts.forwarding);
	credit_study_clear(&facts.credit);
	fabric_counters_clear(&facts.counters);
	strings_free(&facts.input.not_checked);
}

static bool is_fault(const struct fabric_args *args, const struct fabric_findings *findings)
{
	const uint64_t least = args->fail_on.known ? args->fail_on.value : SEVERITY_WARNING;

	for (size_t i = 0; i < findings->count; i++)
		if (findings->items[i].finding.severity.value >= least)
			return true;
	return false;
}

/* Returns `switch L0/2 port 7: the link runs at 1x HDR`, as the columns of the record say it. */
static char *evidence_line(const struct fabric_finding *found)
{
	struct value node, port;
	const struct finding *finding = &found->finding;

	field_get(schema_find(&fabric_check_schema, "node"), found, &node);
	field_get(schema_find(&fabric_check_schema, "port"), found, &port);
	if (node.kind != VALUE_STRING)
		return mem_string(finding->evidence);
	if (port.kind != VALUE_UNSIGNED)
		return mem_format("%s: %s", node.string, finding->evidence);
	return mem_format("%s port %" PRIu64 ": %s", node.string, port.number, finding->evidence);
}

static bool are_alike(const struct fabric_finding *a, const struct fabric_finding *b)
{
	return a->finding.id.value == b->finding.id.value &&
	       a->finding.severity.value == b->finding.severity.value;
}

/*
 * Prints the findings of each check together, which is how they are sorted. No finding
 * means that nothing is wrong only if everything could be read.
 */
static int print_blocks(struct listing *listing, const struct fabric_findings *findings)
{
	const struct render_options options = listing_options(listing);
	const bool good = !findings->count && !listing->problems.count;
	int rc;

	if (listing->silent)
		return 0;
	rc = good ? render_text(stdout, "nothing wrong\n") : 0;
	for (size_t i = 0, next; i < findings->count && !rc; i = next) {
		const struct finding *finding = &findings->items[i].finding;
		const struct enum_name *check = enum_find(fabric_check_names, finding->id.value);
		struct strings evidence = {.known = true};

		for (next = i; next < findings->count &&
			       are_alike(&findings->items[i], &findings->items[next]);
		     next++) {
			_cleanup_(freep) char *line = evidence_line(&findings->items[next]);

			strings_add(&evidence, line);
		}
		rc = render_finding(
			stdout, &options,
			&(const struct finding_block){
				.verdict = enum_find(severity_names, finding->severity.value),
				.check = check->word,
				.summary = check->help,
				.evidence = &evidence,
				.next_step = finding->next_step,
				.verdict_width = strlen("warning"),
			});
		strings_free(&evidence);
	}
	return rc;
}

static int run(const struct ctx *ctx, const void *fabric_args, char **objects)
{
	const struct fabric_args *args = fabric_args;
	_cleanup_(fabric_findings_clear) struct fabric_findings findings = {.items = NULL};
	struct fabric_run run = {.live = false};
	bool begun;
	int rc;

	(void)objects;
	begun = fabric_run_begin(&run, ctx, args, &fabric_check_schema);
	if (begun) {
		fabric_run_find_expected(&run);
		check(&run, &findings);
		for (size_t i = 0; i < findings.count; i++)
			listing_add(&run.mad.listing, &findings.items[i]);
		if (is_fault(args, &findings) && run.mad.listing.status == STATUS_DONE)
			run.mad.listing.status = STATUS_FAULT;
	}
	mad_listing_tell_port(&run.mad);
	rc = begun && listing_is_for_people(&run.mad.listing)
		     ? print_blocks(&run.mad.listing, &findings)
		     : listing_print(&run.mad.listing);
	return fabric_run_end_quietly(&run, rc);
}

static const struct enum_name credit_words[] = {
	{0, "0", .help = "all packets have SL 0, as without a path record"},
	{1, "1"},
	{2, "2"},
	{3, "3"},
	{4, "4"},
	{5, "5"},
	{6, "6"},
	{7, "7"},
	{8, "8"},
	{9, "9"},
	{10, "10"},
	{11, "11"},
	{12, "12"},
	{13, "13"},
	{14, "14"},
	{15, "15"},
	{FABRIC_CREDIT_ALL, "all", .help = "packets of every SL go between all ports"},
	{FABRIC_CREDIT_PATHS, "paths", .help = "packets have the SLs of their path records"},
	{0, NULL},
};

static const struct option_row options[] = {
	CHOICE_OPTION(
		struct fabric_args, credit, 0, "credit-loops", "SL", credit_words,
		"credit loops if packets have this SL, every SL (all), or their path's (paths)"),
	CHOICE_OPTION(struct fabric_args, fail_on, 0, "fail-on", "SEVERITY", severity_names,
		      "exit with status 4 from this severity on (default warning)"),
	FABRIC_EXPECTED_OPTION,
	{.name = NULL},
};

static const struct option_rule rules[] = {
	FABRIC_LOAD_RULE,
	OPTIONS_NEED("lid guid gid direct node", "from switch", NULL),
	OPTIONS_NEED("threshold", "interval since", NULL),
	{.options = NULL},
};

const struct command fabric_check_command = {
	.name = "check",
	.summary = "check the subnet for problems",
	.options = {options, fabric_counter_options, fabric_load_options, fabric_scan_options,
		    mad_options},
	.args_size = sizeof(struct fabric_args),
	.schema = &fabric_check_schema,
	.rules = rules,
	.run = run,
};
