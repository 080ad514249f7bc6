/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The records of results and of the check table, and their words. */
#include "doctor/frame/check.h"
#include "schema/rows.h"

const struct enum_name verdict_names[] = {
	{SEVERITY_OK, "ok", TONE_GOOD, "checked and found right"},
	{SEVERITY_INFO, "not-checked", TONE_PLAIN, "could not be checked"},
	{SEVERITY_NOTICE, "note", TONE_PLAIN, "worth knowing, but may be intended"},
	{SEVERITY_WARNING, "warning", TONE_WARNING,
	 "works, but less well or less reliably than it could"},
	{SEVERITY_ERROR, "error", TONE_BAD, "something does not work"},
	{0, NULL},
};

#define CHECK(name_, id_, title_, ...) {CHECK_ID_##name_, id_, .help = title_},
const struct enum_name doctor_choice_names[] = {
#include "doctor/frame/checks.def"
	{DOCTOR_STACK, "stack", .help = "hardware, drivers, modules, device nodes, firmware"},
	{DOCTOR_CONTAINER, "container", .help = "which of the host's devices a container has"},
	{DOCTOR_PORT, "port", .help = "links: state, rate, errors, partitions"},
	{DOCTOR_PCIE, "pcie", .help = "PCIe links, errors, isolation, GPUs, NUMA"},
	{DOCTOR_ROCE, "roce", .help = "GIDs, MTU, lossless classes, routes"},
	{DOCTOR_LIMITS, "limits", .help = "pinned memory, quotas, settings of the host"},
	{DOCTOR_EXPECT, "expectation", .help = "requirements of --expect FILE"},
	{DOCTOR_PEER, "peer", .help = "checks against --peer HOST"},
	{0, NULL},
};
#undef CHECK

const struct enum_name doctor_profile_names[] = {
	{PROFILE_AUTO, "auto", .help = "chosen to suit the host"},
	{PROFILE_HPC, "hpc", .help = "pinned memory, subnet manager, processor power"},
	{PROFILE_ROCE, "roce", .help = "lossless classes, MTU, routes"},
	{PROFILE_GPU, "gpu", .help = "paths between GPUs and adapters"},
	{PROFILE_CONTAINER, "container",
	 .help = "what this container was given; findings about the host are notes"},
	{0, NULL},
};

/* The help text is the next step. */
const struct enum_name doctor_need_names[] = {
	{NEEDS_ROOT, "root", .help = "run it as root"},
	{NEEDS_LIVE, "live", .help = "run it on the host itself, without --root"},
	{NEEDS_INTERVAL, "interval",
	 .help = "add --interval TIME, or --since FILE from rdmactl counters --save"},
	{NEEDS_PROBE, "probe", .help = "add --probe, which opens devices"},
	{NEEDS_PEER, "peer", .help = "add --peer HOST, where rdmactl selftest --serve runs"},
	{NEEDS_EXPECT, "expect", .help = "add --expect FILE"},
	{0, NULL},
};

static void get_group(const void *record, struct value *value)
{
	const struct doctor_result *result = record;

	if (result->finding.id.known)
		value_set_word(value, doctor_group_names,
			       doctor_check((enum doctor_check_id)result->finding.id.value)->group);
}

/* A string, so that the manual does not list the words of the column check twice. */
static void get_because(const void *record, struct value *value)
{
	const struct doctor_result *result = record;

	if (result->because.known)
		value_set_word(value, doctor_check_names, result->because.value);
}

#define RECORD struct doctor_result
static const struct field fields[] = {
	WORD_AS("verdict", finding.severity, verdict_names, "VERDICT", SHOWN, 0,
		"what the check says about the object"),
	WORD_AS("check", finding.id, doctor_check_names, "CHECK", SHOWN, 0,
		"id of the check; --explain ID explains it"),
	COMPUTED_ENUM_FIELD(get_group, doctor_group_names, "group", "GROUP", 0,
			    "group of the check"),
	TEXT_AS("object", finding.object, "OBJECT", SHOWN, 0,
		"what it is about; none for the host as a whole"),
	TEXT_AS("summary", finding.summary, "SUMMARY", SHOWN, 0, "what was found"),
	TEXT_AS("evidence", finding.evidence, "EVIDENCE", 0, 0, "what the finding is based on"),
	LIST(sources, "SOURCES", 0, 0, "where the evidence comes from"),
	TEXT(expected, "EXPECTED", 0, 0, "the expected value"),
	TEXT(actual, "ACTUAL", 0, 0, "the actual value"),
	TEXT(ignored, "IGNORED", 0, 0, "why the --expect file ignores the finding"),
	COMPUTED_FIELD(FIELD_STRING, get_because, "because", "BECAUSE", 0, 0,
		       "id of the check whose finding kept this one from being run"),
	FLAGS_AS("needs", needs, doctor_need_names, "NEEDS", 0, 0,
		 "what the check needed but did not have"),
	TEXT_AS("next_step", finding.next_step, "NEXT STEP", 0, 0, "what to do about it"),
};
#undef RECORD

const struct schema doctor_schema = SCHEMA("doctor", struct doctor_result, fields,
					   "what a check says about an object");

static const struct enum_name doctor_scope_names[] = {
	{ON_HOST, "host"}, {ON_FUNCTION, "pci-function"}, {ON_DEVICE, "device"}, {ON_PORT, "port"},
	{0, NULL},
};

/* The members of struct doctor_check are plain constants, not the struct number of records. */
static void get_check_group(const void *record, struct value *value)
{
	const struct doctor_check *check = record;

	if (check->id)
		value_set_word(value, doctor_group_names, check->group);
}

static void get_check_scope(const void *record, struct value *value)
{
	const struct doctor_check *check = record;

	if (check->id)
		value_set_word(value, doctor_scope_names, check->scope);
}

static void get_check_needs(const void *record, struct value *value)
{
	const struct doctor_check *check = record;

	value->kind = VALUE_LIST;
	value->list.items = value->words;
	value->list.count = 0;
	for (const struct enum_name *name = doctor_need_names; name->word; name++)
		if (check->needs & name->value)
			value->words[value->list.count++] = name->word;
}

#define TEXT_COLUMN(member, heading, flags, help)                                            \
	FIELD_ROW(struct doctor_check, member, const char *, FIELD_STRING, #member, heading, \
		  flags, 0, help)
static const struct field check_fields[] = {
	TEXT_COLUMN(id, "CHECK", SHOWN, "id of the check, for --only, --skip and --explain"),
	COMPUTED_ENUM_FIELD(get_check_group, doctor_group_names, "group", "GROUP", SHOWN,
			    "group of the check"),
	TEXT_COLUMN(title, "TITLE", SHOWN, "what is checked"),
	COMPUTED_ENUM_FIELD(get_check_scope, doctor_scope_names, "scope", "SCOPE", 0,
			    "kind of object that it runs on, one at a time"),
	TEXT_COLUMN(applies_to, "APPLIES TO", 0, "which of those objects it applies to"),
	TEXT_COLUMN(question, "QUESTION", 0, "the question that it answers"),
	TEXT_COLUMN(source, "SOURCE", 0, "where the fact comes from"),
	TEXT_COLUMN(rule, "RULE", 0, "what is ok, a note, a warning, an error"),
	TEXT_COLUMN(why, "WHY", 0, "why it matters"),
	TEXT_COLUMN(remedy, "REMEDY", 0, "the next step, unless the finding has a better one"),
	COMPUTED_FIELD(FIELD_LIST, get_check_needs, "needs", "NEEDS", 0, 0,
		       "what it needs besides files that every user may read"),
	TEXT_COLUMN(after, "AFTER", 0, "checks whose error leaves nothing for this one to judge"),
};

const struct schema doctor_check_schema = SCHEMA("doctor_checks", struct doctor_check, check_fields,
						 "a check");
