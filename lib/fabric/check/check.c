/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The table of checks, the loops that run them, and the columns of their findings. */
#include "fabric/check/check.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/mem.h"

struct check {
	enum severity severity;
	enum check_scope scope;
	const char *next_step;
	void (*find)(struct check_run *run);
};

#define CHECK(name_, id_, severity_, scope_, summary_, next_) ID_##name_,
enum check_id {
#include "fabric/check/checks.def"
	CHECK_COUNT
};
#undef CHECK

#define CHECK(name_, id_, severity_, scope_, summary_, next_) \
	[ID_##name_] = {SEVERITY_##severity_, CHECK_##scope_, next_, check_##name_},
static const struct check checks[] = {
#include "fabric/check/checks.def"
};
#undef CHECK

#define CHECK(name_, id_, severity_, scope_, summary_, next_) {ID_##name_, id_, .help = summary_},
const struct enum_name fabric_check_names[] = {
#include "fabric/check/checks.def"
	{0, NULL},
};
#undef CHECK

static void get_port(const void *record, struct value *value)
{
	const struct fabric_finding *finding = record;

	if (!finding->of_node)
		place_get_port(record, value);
}

static const struct field fields[] = {
	FINDING_COLUMNS(struct fabric_finding, finding, fabric_check_names),
	PLACE_COLUMNS(get_port),
	EVIDENCE_COLUMNS(struct fabric_finding, finding),
};

const struct schema fabric_check_schema = SCHEMA("fabric_check", struct fabric_finding, fields,
						 "a problem of the subnet");

struct fabric_finding *check_report(struct check_run *run, uint32_t port, const char *format, ...)
{
	struct fabric_finding *finding = mem_append(&run->findings->items, &run->findings->count,
						    sizeof(*finding));
	const struct check *check = &checks[run->id];
	va_list arguments;

	va_start(arguments, format);

	*finding = (struct fabric_finding){
		.at = {.view = run->input->view, .place = port},
		.finding = {.id = number_of(run->id),
			    .severity = number_of(check->severity),
			    .evidence = mem_format_list(format, arguments),
			    .next_step = mem_string(check->next_step)},
	};
	va_end(arguments);
	return finding;
}

void check_change(struct fabric_finding *found, enum severity severity, const char *next_step)
{
	found->finding.severity = number_of(severity);
	free(found->finding.next_step);
	found->finding.next_step = mem_string(next_step);
}

static void run_scope(struct check_run *run, enum check_scope scope)
{
	for (run->id = 0; run->id < CHECK_COUNT; run->id++)
		if (checks[run->id].scope == scope)
			checks[run->id].find(run);
}

/* A link whose ends are both known is checked once: from its switch, else from its first port. */
static bool represents_link(const struct fabric *fabric, uint32_t place)
{
	const uint32_t peer = fabric->ports[place].peer;
	bool here, there;

	if (peer == FABRIC_NONE || !fabric->ports[peer].has_info)
		return true;
	here = fabric_is_of_switch(fabric, place);
	there = fabric_is_of_switch(fabric, peer);
	return here != there ? here : place <= peer;
}

static void run_ports(struct check_run *run)
{
	for (run->place = 0; run->place < run->fabric->port_count; run->place++) {
		run->port = &run->fabric->ports[run->place];
		run->peer = run->port->peer == FABRIC_NONE ? NULL
							   : &run->fabric->ports[run->port->peer];
		if (run->peer && !run->peer->has_info)
			run->peer = NULL;
		run_scope(run, CHECK_PORT);
		if (run->port->number && fabric_is_up(run->port) &&
		    (!run->peer || fabric_is_up(run->peer)) &&
		    represents_link(run->fabric, run->place))
			run_scope(run, CHECK_LINK);
	}
	run->port = run->peer = NULL;
}

static void run_growth(struct check_run *run, const struct port_counters *after,
		       const struct error_limits *limits)
{
	const struct fabric_check_input *input = run->input;
	struct port_growth_row row;

	port_growth_row_make(input->view, port_errors_find(input->before, after->port), after,
			     input->seconds, limits, &row);
	run->growth = &row;
	run_scope(run, CHECK_COUNTERS);
	run->growth = NULL;
	port_growth_row_clear(&row);
}

static void run_errors(struct check_run *run, const struct port_counters *counters,
		       const struct error_limits *limits)
{
	struct port_errors_row row;

	if (!port_errors_row_make(run->input->view, counters, limits, &row))
		return;
	run->errors = &row;
	run_scope(run, CHECK_COUNTERS);
	run->errors = NULL;
	port_errors_row_clear(&row);
}

static void run_counters(struct check_run *run)
{
	const struct port_errors *counters = run->input->counters;
	struct error_limits limits;

	/* A single reading can only show counters that have stopped at their maximum. */
	error_limits_init(&limits, run->input->before ? run->input->least : UINT64_MAX);
	for (size_t i = 0; counters && i < counters->count; i++) {
		if (!counters->items[i].read)
			continue;
		if (run->input->before)
			run_growth(run, &counters->items[i], &limits);
		else
			run_errors(run, &counters->items[i], &limits);
	}
}

DEFINE_ORDER(compare, struct fabric_finding,
	     COMPARE(b->finding.severity.value, a->finding.severity.value)
		     ?: COMPARE(a->finding.id.value, b->finding.id.value),
	     COMPARE(a->at.place, b->at.place))

void fabric_check(const struct fabric_check_input *input, struct fabric_findings *findings)
{
	struct check_run run = {
		.input = input,
		.fabric = input->view->fabric,
		.findings = findings,
	};

	check_find_manager(&run);
	run_scope(&run, CHECK_SUBNET);
	for (run.node = 0; run.node < run.fabric->node_count; run.node++)
		run_scope(&run, CHECK_NODE);
	run_ports(&run);
	run_counters(&run);
	MEM_SORT(findings->items, findings->count, compare);
}

void fabric_findings_clear(struct fabric_findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		finding_clear(&findings->items[i].finding);
	free(findings->items);
	*findings = (struct fabric_findings){.items = NULL};
}
