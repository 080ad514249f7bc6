/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "snapshot/diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "render/format.h"

/* A field that one side knows of some records and the other does not. */
struct diff_unknown {
	const char *kind, *field;
	size_t side; /* which does not */
	size_t count;
};

static const struct enum_name change_names[] = {
	{DIFF_CHANGED, "changed", TONE_WARNING, "a value is another"},
	{DIFF_GONE, "gone", TONE_BAD, "only the earlier side has it"},
	{DIFF_NEW, "new", TONE_WARNING, "only the later side has it"},
	{DIFF_RENAMED, "renamed", TONE_WARNING, "it has another name"},
	{0, NULL, TONE_PLAIN, NULL},
};

static void get_kind(const void *record, struct value *value)
{
	value_set_string(value, ((const struct difference *)record)->kind);
}

static const struct field fields[] = {
	COMPUTED_FIELD(FIELD_STRING, get_kind, "kind", "KIND", FIELD_DEFAULT, 0,
		       "which list it is in: devices, ports ..."),
	STRING_FIELD(struct difference, object, "object", "OBJECT", FIELD_DEFAULT, 0,
		     "the device, port or other object, by its later name"),
	ENUM_FIELD(struct difference, change, change_names, "change", "CHANGE", FIELD_DEFAULT, 0,
		   "what happened"),
	STRING_FIELD(struct difference, field, "field", "FIELD", FIELD_DEFAULT, 0,
		     "the value that is another; null for the object as a whole"),
	STRING_FIELD(struct difference, before, "before", "BEFORE", FIELD_DEFAULT, 0,
		     "its earlier value; null if there was none"),
	STRING_FIELD(struct difference, after, "after", "AFTER", FIELD_DEFAULT, 0,
		     "its later value; null if there is none"),
};

const struct schema differences_schema = SCHEMA("diff", struct difference, fields,
						"a difference between two hosts or times");

/* A record and its partner on the other side. */
struct entry {
	const void *row;
	char *name;
	bool matched;
};

struct comparison {
	struct diff *diff;
	const struct diff_kind *kind;
	const struct diff_rows *sides[DIFF_SIDES];
	struct entry *entries[DIFF_SIDES];
};

static bool is_listed(const char *list, const char *key)
{
	const size_t length = strlen(key);
	const char *at = list;

	while (at && *at) {
		const size_t word = strcspn(at, ",");

		if (word == length && !memcmp(at, key, length))
			return true;
		at += word + (at[word] == ',');
	}
	return false;
}

/* The later name of a device that was renamed, else the text itself. */
static const char *later_name(const struct diff *diff, const char *text)
{
	for (size_t i = 0; text && i < diff->names[DIFF_BEFORE].count; i++)
		if (!strcmp(diff->names[DIFF_BEFORE].items[i], text))
			return diff->names[DIFF_AFTER].items[i];
	return text;
}

/* A value as text, or NULL. Names of the earlier side are followed. */
static char *text_of(const struct comparison *comparison, int side, const struct field *field,
		     const void *row)
{
	struct value value;
	struct text text;
	char *copy;

	field_get(field, row, &value);
	if (side == DIFF_BEFORE && value.kind == VALUE_LIST) {
		for (size_t i = 0; i < value.list.count && i < ARRAY_SIZE(value.words); i++)
			value.words[i] = later_name(comparison->diff, value.list.items[i]);
		if (value.list.count <= ARRAY_SIZE(value.words))
			value.list.items = value.words;
	}
	format_value(&value, ",", &text);
	copy = mem_string_or_null(text.string);
	text_release(&text);
	if (side == DIFF_BEFORE && copy && later_name(comparison->diff, copy) != copy) {
		char *later = mem_string(later_name(comparison->diff, copy));

		free(copy);
		copy = later;
	}
	return copy;
}

/* The values of the fields of a list with / between them; NULL if it is empty. */
static char *join(const struct comparison *comparison, int side, const char *keys, const void *row)
{
	const struct schema *schema = comparison->kind->schema;
	char *joined = NULL;

	for (size_t i = 0; i < schema->field_count; i++) {
		_cleanup_(freep) char *text = NULL;

		if (!is_listed(keys, schema->fields[i].key))
			continue;
		text = text_of(comparison, side, &schema->fields[i], row);
		mem_extend(&joined, "%s%s", joined ? "/" : "", text ? text : "-");
	}
	return joined;
}

static struct difference *add(const struct comparison *comparison, const char *object,
			      enum diff_change change)
{
	struct diff *diff = comparison->diff;
	struct difference *difference = mem_append(&diff->items, &diff->count,
						   sizeof(*diff->items));

	difference->kind = comparison->kind->name;
	difference->object = mem_string_or_null(object);
	difference->change = number_of(change);
	return difference;
}

/* Whether it is, or is a part of, what only one side has. */
static bool is_told(const struct diff *diff, const char *object)
{
	for (size_t i = 0; object && i < diff->absent.count; i++) {
		const char *absent = diff->absent.items[i];
		const size_t length = strlen(absent);

		if (!strncmp(object, absent, length) && (!object[length] || object[length] == '/'))
			return true;
	}
	return false;
}

static void add_absent(const struct comparison *comparison, const char *object,
		       enum diff_change change)
{
	if (is_told(comparison->diff, object))
		return;
	add(comparison, object, change);
	if (object)
		strings_add(&comparison->diff->absent, object);
}

static void note_unknown(const struct comparison *comparison, const char *field, size_t side)
{
	struct diff *diff = comparison->diff;
	struct diff_unknown *unknown;

	for (size_t i = 0; i < diff->unknown_count; i++) {
		unknown = &diff->unknowns[i];
		if (unknown->side == side && !strcmp(unknown->field, field) &&
		    !strcmp(unknown->kind, comparison->kind->name)) {
			unknown->count++;
			return;
		}
	}
	unknown = mem_append(&diff->unknowns, &diff->unknown_count, sizeof(*diff->unknowns));
	*unknown = (struct diff_unknown){
		.kind = comparison->kind->name, .field = field, .side = side, .count = 1};
}

/* Whether a problem is about the object, a part of it, what it is part of, or the host. */
static bool is_about(const struct problem *problem, const char *object)
{
	const size_t length = problem->object ? strlen(problem->object) : 0;

	if (!length || !object)
		return true;
	if (!strncmp(problem->object, object, length))
		return !object[length] || object[length] == '/';
	return !strncmp(problem->object, object, strlen(object)) &&
	       problem->object[strlen(object)] == '/';
}

/* Whether a value that the side lacks is none: it answers, and nothing went wrong there. */
static bool is_complete(const struct diff_rows *side, const char *object)
{
	for (size_t i = 0; side->problems && i < side->problems->count; i++)
		if (is_about(&side->problems->items[i], object))
			return false;
	return side->answers;
}

static void compare_field(const struct comparison *comparison, const struct entry *before,
			  const struct entry *after, const struct field *field)
{
	char *old = text_of(comparison, DIFF_BEFORE, field, before->row);
	char *now = text_of(comparison, DIFF_AFTER, field, after->row);
	struct difference *difference;

	if ((!old && !is_complete(comparison->sides[DIFF_BEFORE], before->name)) ||
	    (!now && !is_complete(comparison->sides[DIFF_AFTER], after->name))) {
		if (old || now)
			note_unknown(comparison, field->key, old ? DIFF_AFTER : DIFF_BEFORE);
	} else if (old != now && (!old || !now || strcmp(old, now))) {
		difference = add(comparison, after->name, DIFF_CHANGED);
		difference->field = mem_string(field->key);
		difference->before = old;
		difference->after = now;
		return;
	}
	free(old);
	free(now);
}

static bool is_compared(const struct diff_kind *kind, const struct field *field)
{
	return field->kind != FIELD_RECORDS && !(field->flags & (FIELD_COUNTER | FIELD_SECRET)) &&
	       !is_listed(kind->keys, field->key) && !is_listed(kind->moving, field->key);
}

static void compare_entries(const struct comparison *comparison, struct entry *before,
			    struct entry *after)
{
	const struct schema *schema = comparison->kind->schema;
	struct difference *renamed;

	before->matched = after->matched = true;
	if (before->name && strcmp(before->name, after->name)) {
		renamed = add(comparison, after->name, DIFF_RENAMED);
		renamed->before = mem_string(before->name);
		renamed->after = mem_string(after->name);
		strings_add(&comparison->diff->names[DIFF_BEFORE], before->name);
		strings_add(&comparison->diff->names[DIFF_AFTER], after->name);
	}
	for (size_t i = 0; i < schema->field_count; i++)
		if (is_compared(comparison->kind, &schema->fields[i]))
			compare_field(comparison, before, after, &schema->fields[i]);
}

/* The only one that is not matched yet and has this value; NULL: none, or several. */
static struct entry *find_only(const struct comparison *comparison, int side,
			       const struct field *field, const char *wanted)
{
	struct entry *found = NULL;

	for (size_t i = 0; i < comparison->sides[side]->count; i++) {
		struct entry *entry = &comparison->entries[side][i];
		_cleanup_(freep) char *text = entry->matched ? NULL
							     : text_of(comparison, side, field,
								       entry->row);

		if (!text || strcmp(text, wanted))
			continue;
		if (found)
			return NULL;
		found = entry;
	}
	return found;
}

/* A GUID of zeros identifies nothing. */
static bool identifies(const char *text)
{
	return text && text[strspn(text, "0:")];
}

static void match_by_field(const struct comparison *comparison, const struct field *field)
{
	for (size_t i = 0; i < comparison->sides[DIFF_BEFORE]->count; i++) {
		struct entry *before = &comparison->entries[DIFF_BEFORE][i], *after;
		_cleanup_(freep) char *text = before->matched ? NULL
							      : text_of(comparison, DIFF_BEFORE,
									field, before->row);

		if (!identifies(text) || find_only(comparison, DIFF_BEFORE, field, text) != before)
			continue;
		after = find_only(comparison, DIFF_AFTER, field, text);
		if (after)
			compare_entries(comparison, before, after);
	}
}

static int compare_names(const void *a, const void *b)
{
	const struct entry *const *first = a, *const *second = b;

	return strcmp((*first)->name ? (*first)->name : "", (*second)->name ? (*second)->name : "");
}

/* Those with the same name; of several with one name, only the first. */
static void match_by_name(const struct comparison *comparison)
{
	const size_t count = comparison->sides[DIFF_AFTER]->count;
	_cleanup_(freep) struct entry **sorted = mem_alloc_zero(count + 1, sizeof(*sorted));

	for (size_t i = 0; i < count; i++)
		sorted[i] = &comparison->entries[DIFF_AFTER][i];
	qsort(sorted, count, sizeof(*sorted), compare_names);
	for (size_t i = 0; i < comparison->sides[DIFF_BEFORE]->count; i++) {
		struct entry *before = &comparison->entries[DIFF_BEFORE][i];
		struct entry **after = before->matched ? NULL
						       : bsearch(&before, sorted, count,
								 sizeof(*sorted), compare_names);

		if (after && !(*after)->matched)
			compare_entries(comparison, before, *after);
	}
}

/*
 * By the first field of the identity, then by name, then by the other fields: a name that moved to
 * another device is no other firmware.
 */
static void match(const struct comparison *comparison)
{
	_cleanup_(freep) char *copy = mem_string_or_null(comparison->kind->identity);
	char *rest = copy, *key = strsep(&rest, ",");

	if (key)
		match_by_field(comparison, schema_find(comparison->kind->schema, key));
	match_by_name(comparison);
	while ((key = strsep(&rest, ",")))
		match_by_field(comparison, schema_find(comparison->kind->schema, key));
}

static struct entry *list_entries(const struct comparison *comparison, int side)
{
	const struct diff_rows *rows = comparison->sides[side];
	struct entry *entries = mem_alloc_zero(rows->count + 1, sizeof(*entries));

	for (size_t i = 0; i < rows->count; i++)
		entries[i] = (struct entry){
			.row = rows->rows[i],
			.name = join(comparison, side, comparison->kind->keys, rows->rows[i]),
		};
	return entries;
}

void diff_compare(struct diff *diff, const struct diff_kind *kind, const struct diff_rows *before,
		  const struct diff_rows *after)
{
	struct comparison comparison = {.diff = diff, .kind = kind, .sides = {before, after}};

	for (int side = 0; side < DIFF_SIDES; side++)
		comparison.entries[side] = list_entries(&comparison, side);
	match(&comparison);
	for (int side = 0; side < DIFF_SIDES && !kind->partial; side++)
		for (size_t i = 0; i < comparison.sides[side]->count; i++)
			if (!comparison.entries[side][i].matched)
				add_absent(&comparison, comparison.entries[side][i].name,
					   side == DIFF_BEFORE ? DIFF_GONE : DIFF_NEW);
	for (int side = 0; side < DIFF_SIDES; side++) {
		for (size_t i = 0; i < comparison.sides[side]->count; i++)
			free(comparison.entries[side][i].name);
		free(comparison.entries[side]);
	}
}

void diff_note_unknowns(const struct diff *diff, const char *const names[2],
			struct problems *problems)
{
	for (size_t i = 0; i < diff->unknown_count; i++) {
		const struct diff_unknown *unknown = &diff->unknowns[i];
		_cleanup_(freep) char *text = mem_format("%s is not known there, for %zu of the %s",
							 unknown->field, unknown->count,
							 unknown->kind);
		_cleanup_(freep) char *name = text_clean(names[unknown->side],
							 strlen(names[unknown->side]));

		problem_add_text(problems, name, NULL, NULL, text, NULL);
	}
}

void diff_clear(struct diff *diff)
{
	for (size_t i = 0; i < diff->count; i++) {
		free(diff->items[i].object);
		free(diff->items[i].field);
		free(diff->items[i].before);
		free(diff->items[i].after);
	}
	free(diff->items);
	free(diff->unknowns);
	strings_free(&diff->absent);
	strings_free(&diff->names[DIFF_BEFORE]);
	strings_free(&diff->names[DIFF_AFTER]);
	*diff = (struct diff){.count = 0};
}
