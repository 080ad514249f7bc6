/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The names of findings, their columns, and their list. */
#include <stdlib.h>

#include "base/mem.h"
#include "mesh/judge/judge.h"
#include "schema/schema.h"

struct kind {
	enum severity severity;
	const char *summary, *next_step;
};

#define FINDING(name_, id_, severity_, summary_, next_) \
	[JUDGE_##name_] = {SEVERITY_##severity_, summary_, next_},
static const struct kind kinds[] = {
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
		   "bandwidth of the slow part as a fraction of the median"),
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

const char *judge_finding_summary(unsigned int id)
{
	return id < ARRAY_SIZE(kinds) ? kinds[id].summary : "";
}

struct judge_finding *finding_add(struct judge_findings *findings, enum judge_finding_id id,
				  char *object, char *evidence)
{
	struct judge_finding *finding = mem_append(&findings->items, &findings->count,
						   sizeof(*finding));

	*finding = (struct judge_finding){
		.finding = {.id = number_of(id),
			    .severity = number_of(kinds[id].severity),
			    .object = object,
			    .evidence = evidence,
			    .next_step = mem_string(kinds[id].next_step)},
	};
	return finding;
}

enum severity finding_severity(enum judge_finding_id id)
{
	return kinds[id].severity;
}

const char *finding_next_step(enum judge_finding_id id)
{
	return kinds[id].next_step;
}

void finding_set_next_step(struct judge_finding *finding, const char *text)
{
	free(finding->finding.next_step);
	finding->finding.next_step = mem_string(text);
}

void judge_findings_clear(struct judge_findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		struct judge_finding *finding = &findings->items[i];

		finding_clear(&finding->finding);
		free(finding->host_name);
		free(finding->peer_name);
		free(finding->device);
		strings_free(&finding->hosts);
	}
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
