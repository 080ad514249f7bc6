/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The list, its columns, and what subnet managers and counters tell. */
#include "fabric/check/findings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/gid.h"
#include "base/mem.h"
#include "fabric/graph/view_columns.h"
#include "mad/format/header.h"
#include "mad/format/mad_names.h"

#define FINDING_ROW(code, word_, severity_, help_, next_) {FINDING_##code, word_, .help = help_},
const struct enum_name finding_names[] = {FINDING_WORDS(FINDING_ROW){0, NULL}};

#define FINDING_SEVERITY(code, word_, severity_, help_, next_) \
	[FINDING_##code] = SEVERITY_##severity_,
static const enum event_severity severities[] = {FINDING_WORDS(FINDING_SEVERITY)};

#define FINDING_NEXT(code, word_, severity_, help_, next_) [FINDING_##code] = next_,
static const char *const next_steps[] = {FINDING_WORDS(FINDING_NEXT)};

static void get_port(const void *record, struct value *value)
{
	const struct fabric_finding *finding = record;

	if (!finding->of_node)
		place_get_port(record, value);
}

static void get_next_step(const void *record, struct value *value)
{
	const struct fabric_finding *finding = record;

	if (finding->finding.known)
		value_set_string(value, next_steps[finding->finding.value]);
}

static const struct field fields[] = {
	ENUM_FIELD(struct fabric_finding, severity, severity_names, "severity", "SEVERITY",
		   FIELD_DEFAULT, 0, "how bad it is"),
	ENUM_FIELD(struct fabric_finding, finding, finding_names, "finding", "FINDING",
		   FIELD_DEFAULT, 0, "what is wrong"),
	PLACE_COLUMNS(get_port),
	STRING_FIELD(struct fabric_finding, evidence, "evidence", "EVIDENCE", FIELD_DEFAULT, 0,
		     "what it was seen by"),
	COMPUTED_FIELD(FIELD_STRING, get_next_step, "next_step", "NEXT STEP", 0, 0,
		       "what to do about it"),
};

const struct schema fabric_check_schema = {
	.name = "fabric_check",
	.version = 1,
	.summary = "something that is wrong with the subnet",
	.fields = fields,
	.field_count = ARRAY_SIZE(fields),
	.record_size = sizeof(struct fabric_finding),
};

struct fabric_finding *findings_add(struct fabric_findings *findings,
				    const struct fabric_view *view, enum finding finding,
				    uint32_t port, char *evidence)
{
	struct fabric_finding *added = mem_append(&findings->items, &findings->count,
						  sizeof(*added));

	*added = (struct fabric_finding){
		.at = {.view = view, .place = port},
		.finding = number_of(finding),
		.severity = number_of(severities[finding]),
		.evidence = evidence,
	};
	return added;
}

struct fabric_finding *findings_add_node(struct fabric_findings *findings,
					 const struct fabric_view *view, enum finding finding,
					 uint32_t node, char *evidence)
{
	struct fabric_finding *added = findings_add(findings, view, finding,
						    view->fabric->nodes[node].first_port, evidence);

	added->of_node = true;
	return added;
}

static int compare(const void *a, const void *b)
{
	const struct fabric_finding *one = a, *other = b;

	if (one->severity.value != other->severity.value)
		return one->severity.value < other->severity.value ? 1 : -1;
	if (one->finding.value != other->finding.value)
		return one->finding.value > other->finding.value ? 1 : -1;
	return (one->at.place > other->at.place) - (one->at.place < other->at.place);
}

void findings_sort(struct fabric_findings *findings)
{
	if (findings->count)
		qsort(findings->items, findings->count, sizeof(*findings->items), compare);
}

void findings_clear(struct fabric_findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		free(findings->items[i].evidence);
	free(findings->items);
	*findings = (struct fabric_findings){.items = NULL};
}

static bool answers(const struct fabric_manager *manager)
{
	return !manager->error && !manager->status;
}

static char *silence_of(const struct fabric_manager *manager)
{
	_cleanup_(freep) char *why = mad_failure_text(UMAD_CLASS_SUBN_LID_ROUTED, manager->error,
						      manager->status, manager->tries);

	return mem_format("SMInfo (LID %u): %s", manager->lid, why);
}

static void tell_masters(const struct fabric_view *view, const struct fabric_managers *managers,
			 size_t masters, struct fabric_findings *findings)
{
	for (size_t i = 0; i < managers->count; i++) {
		const struct fabric_manager *manager = &managers->items[i];
		char guid[GUID_TEXT_SIZE];

		if (!answers(manager) || manager->state != MANAGER_MASTER)
			continue;
		guid_format(manager->guid, guid);
		findings_add(findings, view, FINDING_TWO_MASTERS, manager->port,
			     mem_format("one of %zu masters: LID %u, GUID %s, priority %u, "
					"activity %" PRIu32,
					masters, manager->lid, guid, manager->priority,
					manager->activity));
	}
}

/* Nobody is the master: why not is told of the one that the ports believe to be it. */
static void tell_none(const struct fabric_view *view, const struct fabric_managers *managers,
		      uint16_t lid, struct fabric_findings *findings)
{
	for (size_t i = 0; i < managers->count; i++) {
		const struct fabric_manager *manager = &managers->items[i];

		if (manager->lid != lid && i + 1 < managers->count)
			continue;
		findings_add(findings, view, FINDING_NO_SM, manager->port,
			     answers(manager)
				     ? mem_format("the one at LID %u is in the state %s",
						  manager->lid,
						  enum_word(sm_state_names, manager->state, "?"))
				     : silence_of(manager));
		return;
	}
}

/*
 * Before a subnet manager has been there, no port knows one, and none has a LID. A saved scan of
 * another tool has LIDs, and does not say who gave them.
 */
static void tell_unknown(const struct fabric_view *view, struct fabric_findings *findings)
{
	const struct fabric *fabric = view->fabric;
	uint32_t ports = 0;

	for (uint32_t i = 0; i < fabric->port_count; i++) {
		if (!fabric_is_end_port(fabric, i))
			continue;
		if (fabric_port_lid(&fabric->ports[i]))
			return;
		ports++;
	}
	if (ports)
		findings_add(findings, view, FINDING_NO_SM, FABRIC_NONE,
			     mem_format("none of %u ports has a LID, or knows that of one", ports));
}

void findings_of_managers(const struct fabric_view *view, const struct fabric_managers *managers,
			  struct fabric_findings *findings)
{
	const uint16_t lid = fabric_manager_lid(view->fabric);
	size_t masters = 0;

	if (!lid) {
		tell_unknown(view, findings);
		return;
	}
	if (!managers || !managers->count)
		return;
	for (size_t i = 0; i < managers->count; i++)
		masters += answers(&managers->items[i]) &&
			   managers->items[i].state == MANAGER_MASTER;
	if (!masters)
		tell_none(view, managers, lid, findings);
	if (masters > 1)
		tell_masters(view, managers, masters, findings);
	for (size_t i = 0; i < managers->count; i++)
		if (!answers(&managers->items[i]) && (masters || managers->items[i].lid != lid))
			findings_add(findings, view, FINDING_SM_UNANSWERED, managers->items[i].port,
				     silence_of(&managers->items[i]));
}

/* Multicast to those who do not want it, and a busy manager's loss, are part of daily life. */
static bool is_mild(const struct port_counter_growth *growth)
{
	const char *key = growth->field->key;

	return !strcmp(key, "rcv_switch_relay_errors") || !strcmp(key, "vl15_dropped") ||
	       !strcmp(key, "qp1_dropped");
}

static const struct port_counter_growth *find_growth(const struct port_growth_row *row,
						     const char *key)
{
	for (size_t i = 0; i < row->count; i++)
		if (!strcmp(row->counters[i].field->key, key))
			return &row->counters[i];
	return NULL;
}

/*
 * A tick is the device's own unit (16.1.3.5), about the time that a word of four bytes takes: so
 * many ticks as words, and the port has waited for as long as it has sent.
 */
static void tell_congestion(const struct port_growth_row *row, struct fabric_findings *findings)
{
	const struct port_counter_growth *wait = find_growth(row, "xmit_wait_ticks");
	const struct port_counter_growth *sent = find_growth(row, "xmit_data_bytes");

	if (!wait || !sent || !wait->growth.known || !sent->growth.known || !wait->growth.value ||
	    wait->growth.value < sent->growth.value / 4)
		return;
	findings_add(findings, row->at.view, FINDING_CONGESTION, row->at.place,
		     mem_format("waited %" PRIu64 " ticks, and sent %" PRIu64 " words of 4 bytes",
				wait->growth.value, sent->growth.value / 4));
}

void findings_of_growth(const struct port_growth_row *row, uint64_t least,
			struct fabric_findings *findings)
{
	bool grave = false, stopped = false;
	char *evidence;

	tell_congestion(row, findings);
	if (!row->errors)
		return;
	for (size_t i = 0; i < row->count; i++) {
		const struct port_counter_growth *growth = &row->counters[i];
		const bool saturated = growth->state.value == CHANGE_SATURATED;
		/* What began anew has counted so much since; of what is new nobody knows when. */
		const uint64_t grown = growth->state.value == CHANGE_CLEARED ? growth->value.value
									     : growth->growth.value;

		if (growth->field->tag != PERF_GROUP_ERRORS)
			continue;
		stopped |= saturated;
		grave |= !saturated && !is_mild(growth) && grown && grown >= least;
	}
	if (!grave && !stopped && row->error_count.value < least)
		return;
	evidence = row->rates.interval_sec.known
			   ? mem_format("%s, in %.4g s", row->errors, row->rates.interval_sec.value)
			   : mem_string(row->errors);
	if (grave)
		findings_add(findings, row->at.view, FINDING_ERRORS, row->at.place, evidence);
	else if (stopped)
		findings_add(findings, row->at.view, FINDING_SATURATED, row->at.place, evidence);
	else
		number_set(&findings_add(findings, row->at.view, FINDING_ERRORS, row->at.place,
					 evidence)
				    ->severity,
			   SEVERITY_NOTICE);
}

void findings_of_saturation(const struct port_errors_row *row, struct fabric_findings *findings)
{
	for (size_t i = 0; i < perf_schema.field_count; i++) {
		const struct field *field = &perf_schema.fields[i];

		if (field->tag != PERF_GROUP_ERRORS ||
		    !strings_contain(&row->counters.saturated, field->key))
			continue;
		findings_add(findings, row->at.view, FINDING_SATURATED, row->at.place,
			     mem_string(row->errors));
		return;
	}
}
