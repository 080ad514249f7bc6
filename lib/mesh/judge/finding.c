/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The names of findings, their columns, their list, and the hosts to exclude because of them. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/hostlist.h"
#include "base/mem.h"
#include "base/text.h"
#include "mesh/judge/judge.h"
#include "schema/schema.h"

#define FINDING(name_, id_, severity_, summary_, next_) \
	[JUDGE_##name_] = {SEVERITY_##severity_, next_},
const struct judge_kind judge_kinds[] = {
#include "mesh/judge/findings.def"
};
#undef FINDING

#define FINDING(name_, id_, severity_, summary_, next_) {JUDGE_##name_, id_, .help = summary_},
const struct enum_name judge_finding_names[] = {
#include "mesh/judge/findings.def"
	{0, NULL},
};
#undef FINDING

static const struct enum_name direction_names[] = {
	{JUDGE_BOTH_WAYS, "both"},
	{JUDGE_SENDS, "send"},
	{JUDGE_RECEIVES, "receive"},
	{0, NULL},
};

static const struct field fields[] = {
	FINDING_COLUMNS(struct judge_finding, finding, judge_finding_names),
	STRING_FIELD(struct judge_finding, finding.object, "object", "OBJECT", FIELD_DEFAULT, 0,
		     "what is bad"),
	STRING_FIELD(struct judge_finding, host_name, "host", "HOST", 0, 0, "host"),
	UNSIGNED_FIELD(struct judge_finding, rail, "rail", "RAIL", FIELD_RIGHT, 0,
		       "rail of the host, counted from 0"),
	STRING_FIELD(struct judge_finding, device, "device", "DEVICE", 0, 0,
		     "device and port of the rail"),
	STRING_FIELD(struct judge_finding, peer_name, "peer", "PEER", 0, 0,
		     "the other host of a pair"),
	ENUM_FIELD(struct judge_finding, direction, direction_names, "direction", "DIRECTION", 0, 0,
		   "direction in which data is slow"),
	UNSIGNED_FIELD(struct judge_finding, bad, "bad", "BAD", FIELD_RIGHT, 0,
		       "partners, pairs, rails or results that are bad"),
	UNSIGNED_FIELD(struct judge_finding, judged, "judged", "JUDGED", FIELD_RIGHT, 0,
		       "out of how many"),
	REAL_FIELD(struct judge_finding, share, "median_share", "SHARE", FIELD_RIGHT, 0,
		   "bandwidth of the slow part as a fraction of what is usual"),
	EVIDENCE_COLUMNS(struct judge_finding, finding),
	LIST_FIELD(struct judge_finding, hosts, "hosts", "HOSTS", 0, 0,
		   "hosts that a job should avoid"),
};

const struct schema judge_schema = {
	.name = "mesh",
	.version = 1,
	.summary = "a problem of the mesh",
	.fields = fields,
	.field_count = ARRAY_SIZE(fields),
	.record_size = sizeof(struct judge_finding),
	.head = &mesh_summary_schema,
};

struct judge_finding *finding_add(struct judge_findings *findings, enum judge_finding_id id,
				  char *object, char *evidence)
{
	struct judge_finding *finding = mem_append(&findings->items, &findings->count,
						   sizeof(*finding));

	*finding = (struct judge_finding){
		.finding = {.id = number_of(id),
			    .severity = number_of(judge_kinds[id].severity),
			    .object = object,
			    .evidence = evidence,
			    .next_step = mem_string(judge_kinds[id].next_step)},
	};
	return finding;
}

void finding_set_next_step(struct judge_finding *finding, const char *text)
{
	free(finding->finding.next_step);
	finding->finding.next_step = mem_string(text);
}

void judge_findings_clear(struct judge_findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		record_clear(&judge_schema, &findings->items[i]);
	free(findings->items);
	*findings = (struct judge_findings){0};
}

static int compare(const void *left, const void *right)
{
	const struct judge_finding *a = left, *b = right;
	return COMPARE(b->finding.severity.value, a->finding.severity.value)
		       ?: COMPARE(a->finding.id.value, b->finding.id.value)
		       ?: COMPARE(b->host.known, a->host.known)
		       ?: COMPARE(a->host.value, b->host.value)
		       ?: COMPARE(a->rail.value, b->rail.value)
		       ?: COMPARE(a->peer.value, b->peer.value);
}

void findings_sort(struct judge_findings *findings)
{
	if (findings->count)
		qsort(findings->items, findings->count, sizeof(*findings->items), compare);
}

/*
 * Accepts only names that are one word for a shell, and no list: text from other hosts is clean,
 * but otherwise arbitrary, and the line is meant to be run.
 */
static bool is_name(const char *name)
{
	_cleanup_(freep) char *message = NULL;
	_cleanup_(strings_free) struct strings names = {0};

	return *name != '-' && text_is_plain(name) &&
	       !hostlist_parse(name, 1, &names.items, &names.count, &message);
}

/* Whether an earlier finding names the host: the first is the worst, and gives the reason. */
static bool is_named_before(const struct judge_findings *findings, size_t end, const char *name)
{
	for (size_t i = 0; i < end; i++)
		if (strings_contain(&findings->items[i].hosts, name))
			return true;
	return false;
}

static void add_new_names(struct strings *names, const struct judge_findings *findings,
			  size_t number)
{
	const struct judge_finding *finding = &findings->items[number];

	for (size_t i = 0; i < finding->hosts.count; i++) {
		const char *name = finding->hosts.items[i];

		if (is_name(name) && !is_named_before(findings, number, name))
			strings_add(names, name);
	}
}

static void add_line(struct text_buffer *text, const struct strings *names, enum exclude_form form,
		     uint64_t id)
{
	_cleanup_(freep) char *list = hostlist_format((const char *const *)names->items,
						      names->count, 0);

	if (form == EXCLUDE_LIST)
		text_buffer_add(text, "%s\n", list);
	else
		text_buffer_add(
			text, "scontrol update nodename=%s state=drain reason='rdmactl mesh: %s'\n",
			list, enum_word(judge_finding_names, id, "?"));
}

char *exclude_text(const struct judge_findings *findings, enum exclude_form form)
{
	struct text_buffer text = {0};
	struct strings names = {0};

	for (size_t i = 0; i < findings->count; i++) {
		const uint64_t id = findings->items[i].finding.id.value;
		const bool is_last = i + 1 == findings->count;

		add_new_names(&names, findings, i);
		if (!names.count || (!is_last && (form == EXCLUDE_LIST ||
						  findings->items[i + 1].finding.id.value == id)))
			continue;
		add_line(&text, &names, form, id);
		strings_free(&names);
	}
	return text_buffer_take(&text);
}
