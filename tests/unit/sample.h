/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* For the tests of schema, columns, render and completion: a record with a field of every kind. */
#pragma once

#include <stddef.h>

#include "base/mem.h"
#include "schema/schema.h"

struct leaf {
	struct number index;
	char *word;
};

struct sample {
	char *name;
	struct number count, change, mask, guid, state, caps;
	struct real rate;
	enum tristate up;
	struct known_gid gid;
	struct known_ip ip;
	struct strings words;
	struct leaf *leaves;
	size_t leaf_count;
	char *note;
};

enum sample_need { SAMPLE_NEED_COUNT = 1, SAMPLE_NEED_RATE = 2, SAMPLE_NEED_LEAF_WORD = 4 };

static const struct enum_name sample_states[] = {
	{1, "down", TONE_BAD},
	{4, "active", TONE_GOOD},
	{0, NULL},
};

static const struct enum_name sample_caps[] = {
	{1, "first"},
	{2, "second"},
	{0x100, "ninth"},
	{0, NULL},
};

static const struct field leaf_fields[] = {
	UNSIGNED_FIELD(struct leaf, index, "index", "INDEX", FIELD_DEFAULT, 0,
		       "number of the leaf"),
	STRING_FIELD(struct leaf, word, "word", "WORD", 0, SAMPLE_NEED_LEAF_WORD, "its word"),
};

static const struct schema leaf_schema = {
	.name = "leaves",
	.version = 3,
	.summary = "a leaf",
	.fields = leaf_fields,
	.field_count = ARRAY_SIZE(leaf_fields),
	.record_size = sizeof(struct leaf),
};

static inline void sample_get_leaves(const void *record, struct value *value)
{
	const struct sample *sample = record;

	value->kind = VALUE_RECORDS;
	value->records.rows = sample->leaves;
	value->records.count = sample->leaf_count;
}

static inline void sample_get_double(const void *record, struct value *value)
{
	const struct sample *sample = record;

	if (!sample->count.known)
		return;
	value->kind = VALUE_UNSIGNED;
	value->number = sample->count.value * 2;
	value->tone = TONE_WARNING;
}

static const struct field sample_fields[] = {
	STRING_FIELD(struct sample, name, "name", "NAME", FIELD_DEFAULT, 0, "the name"),
	UNSIGNED_FIELD(struct sample, count, "count", "COUNT", FIELD_DEFAULT | FIELD_RIGHT,
		       SAMPLE_NEED_COUNT, "how many"),
	SIGNED_FIELD(struct sample, change, "change", "CHANGE", FIELD_RIGHT, 0, "up or down"),
	HEX_FIELD(struct sample, mask, 4, "mask", "MASK", 0, 0, "a mask"),
	REAL_FIELD(struct sample, rate, "rate_gbps", "RATE Gb/s", FIELD_DEFAULT | FIELD_RIGHT,
		   SAMPLE_NEED_RATE, "how fast"),
	BOOL_FIELD(struct sample, up, "up", "UP", 0, 0, "whether it is up"),
	ENUM_FIELD(struct sample, state, sample_states, "state", "STATE", FIELD_DEFAULT, 0,
		   "state in a word"),
	FLAGS_FIELD(struct sample, caps, sample_caps, "caps", "CAPS", 0, 0, "what it can"),
	GUID_FIELD(struct sample, guid, "guid", "GUID", 0, 0, "a GUID"),
	GID_FIELD(struct sample, gid, "gid", "GID", 0, 0, "a GID"),
	IP_FIELD(struct sample, ip, "ip", "IP", 0, 0, "an address"),
	LIST_FIELD(struct sample, words, "words", "WORDS", 0, 0, "some words"),
	COMPUTED_FIELD(FIELD_UNSIGNED, sample_get_double, "double", "DOUBLE", FIELD_RIGHT,
		       SAMPLE_NEED_COUNT, "twice as many"),
	RECORDS_FIELD(sample_get_leaves, &leaf_schema, "", "leaves", 0, "the leaves"),
	STRING_FIELD(struct sample, note, "note", "NOTE", 0, 0, "the last one"),
};

static const struct schema sample_schema = {
	.name = "samples",
	.version = 2,
	.summary = "a sample",
	.fields = sample_fields,
	.field_count = ARRAY_SIZE(sample_fields),
	.record_size = sizeof(struct sample),
};
