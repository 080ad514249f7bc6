/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl fabric check: what is wrong with the subnet, the worst first. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "fabric/check/findings.h"
#include "cmd/fabric/fabric_counters.h"

static void tell_unread(struct fabric_run *run, const struct port_errors *errors,
			struct fabric_findings *findings)
{
	for (size_t i = 0; i < errors->silence_count; i++) {
		const struct fabric_silence *silence = &errors->silences[i];
		_cleanup_(freep) char *object = NULL;
		char *message = NULL;

		fabric_counters_silence_text(run, silence, &object, &message);
		findings_add(findings, &run->view, FINDING_NO_COUNTERS, silence->port, message)
			->of_node = !run->fabric.ports[silence->port].number;
	}
	if (errors->unreachable)
		findings_add(findings, &run->view, FINDING_NOT_CHECKED, FABRIC_NONE,
			     fabric_counters_unreachable_text(run, errors));
}

/* One reading tells of counters that have stopped only: since when the others count, nobody knows.
 */
static void check_saturation(struct fabric_run *run, struct fabric_findings *findings)
{
	struct port_errors readings = {.items = NULL};

	fabric_counters_read(run, false, UINT64_MAX, NULL, &readings);
	tell_unread(run, &readings, findings);
	for (size_t i = 0; i < readings.count; i++) {
		struct port_errors_row row;

		if (!readings.items[i].read ||
		    !port_errors_row_make(&run->view, &readings.items[i], UINT64_MAX, &row))
			continue;
		findings_of_saturation(&row, findings);
		port_errors_row_clear(&row);
	}
	port_errors_clear(&readings);
	problem_add_text(&run->session.listing.notes, NULL, NULL, NULL,
			 "of counters only those that have stopped are looked for",
			 "--interval TIME or --since FILE shows which errors grow");
}

static void check_growth(struct fabric_run *run, struct fabric_findings *findings)
{
	const uint64_t least = run->args->threshold.known ? run->args->threshold.value : 1;
	struct fabric_counters counters;

	if (fabric_counters_take(run, NULL, &counters))
		tell_unread(run, &counters.after, findings);
	for (size_t i = 0; i < counters.after.count; i++) {
		const struct port_counters *after = &counters.after.items[i];
		struct port_growth_row row;

		if (!after->read)
			continue;
		port_growth_row_make(&run->view, port_errors_find(&counters.before, after->port),
				     after, counters.seconds, least, &row);
		findings_of_growth(&row, least, findings);
		port_growth_row_clear(&row);
	}
	fabric_counters_clear(&counters);
}

static void check_managers(struct fabric_run *run, struct fabric_findings *findings)
{
	struct fabric_managers managers = {.items = NULL};
	int rc = fabric_managers_read(run->session.engine, &run->scan, &run->fabric,
				      run->session.port.lid, &managers);

	/* Who was not waited for is not silent. */
	findings_of_managers(&run->view, rc ? NULL : &managers, findings);
	if (rc)
		findings_add(findings, &run->view, FINDING_NOT_CHECKED, FABRIC_NONE,
			     mem_format("the subnet manager: %s",
					rc == -ECANCELED ? "interrupted" : strerror(-rc)));
	else if (!managers.count && fabric_manager_lid(&run->fabric))
		findings_add(findings, &run->view, FINDING_NOT_CHECKED, FABRIC_NONE,
			     mem_string("the subnet manager: the local port has no LID"));
	fabric_managers_clear(&managers);
}

static void check_forwarding(struct fabric_run *run, struct fabric_findings *findings)
{
	struct forwarding forwarding = {.tables = NULL};
	int rc;

	/* Who has no LIDs has no routes. */
	if (!fabric_manager_lid(&run->fabric))
		return;
	rc = forwarding_read(run->session.engine, &run->scan, &run->fabric, NULL, 0,
			     FORWARDING_LINEAR, &forwarding);
	findings_of_forwarding(&run->view, &forwarding, findings);
	for (size_t i = 0; i < forwarding.silence_count; i++) {
		_cleanup_(freep) char *object = NULL;
		char *message = NULL;

		fabric_silence_text(&run->view, &forwarding.silences[i], &object, &message);
		findings_add(findings, &run->view, FINDING_UNANSWERED, forwarding.silences[i].port,
			     message);
	}
	if (rc)
		findings_add(findings, &run->view, FINDING_NOT_CHECKED, FABRIC_NONE,
			     mem_format("forwarding tables, not all of them: %s",
					rc == -ECANCELED ? "interrupted" : strerror(-rc)));
	forwarding_clear(&forwarding);
}

static void check_live(struct fabric_run *run, struct fabric_findings *findings)
{
	check_managers(run, findings);
	check_forwarding(run, findings);
	if (run->args->interval.known || run->args->since)
		check_growth(run, findings);
	else
		check_saturation(run, findings);
}

static bool is_fault(const struct fabric_args *args, const struct fabric_findings *findings)
{
	const uint64_t least = args->fail_on.known ? args->fail_on.value : SEVERITY_WARNING;

	for (size_t i = 0; i < findings->count; i++)
		if (findings->items[i].severity.value >= least)
			return true;
	return false;
}

int fabric_check_command(const struct ctx *ctx, const struct fabric_args *args,
			 const struct fabric_word *word, char **words)
{
	struct fabric_findings findings = {.items = NULL};
	struct fabric_run run;
	int status;

	(void)words;
	if (args->threshold.known && !args->interval.known && !args->since) {
		command_complain(ctx, "--threshold is of counters that grow",
				 "add --interval TIME or --since FILE");
		return STATUS_USAGE;
	}
	if (fabric_run_begin(&run, ctx, args, word->schema)) {
		findings_of_graph(&run.view, &findings);
		if (!args->load) {
			check_live(&run, &findings);
		} else {
			findings_of_managers(&run.view, NULL, &findings);
			findings_add(&findings, &run.view, FINDING_NOT_CHECKED, FABRIC_NONE,
				     mem_string("counters, subnet managers and forwarding tables: "
						"a saved scan has none"));
		}
		findings_sort(&findings);
		for (size_t i = 0; i < findings.count; i++)
			listing_add(&run.session.listing, &findings.items[i]);
		if (is_fault(args, &findings) && run.session.listing.status == STATUS_DONE)
			run.session.listing.status = STATUS_FAULT;
	}
	status = fabric_run_end(&run);
	findings_clear(&findings);
	return status;
}
