/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "snapshot/diff/diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "render/format.h"
#include "schema/rows.h"

/* A field that one side knows for some records and the other does not. */
struct diff_unknown {
	const char *kind, *field;
	size_t side; /* the side that does not */
	size_t count;
};

static const struct enum_name change_names[] = {
	{DIFF_CHANGED, "changed", TONE_WARNING, "a value differs"},
	{DIFF_GONE, "gone", TONE_BAD, "only the earlier side has it"},
	{DIFF_NEW, "new", TONE_WARNING, "only the later side has it"},
	{DIFF_RENAMED, "renamed", TONE_WARNING, "it has a different name"},
	{0, NULL, TONE_PLAIN, NULL},
};

static void get_kind(const void *record, struct value *value)
{
	value_set_string(value, ((const struct difference *)record)->kind);
}

#define RECORD struct difference
static const struct field fields[] = {
	COMPUTED_FIELD(FIELD_STRING, get_kind, "kind", "KIND", SHOWN, 0,
		       "which list it is in: devices, ports ..."),
	TEXT(object, "OBJECT", SHOWN, 0, "the device, port or other object, by its later name"),
	WORD(change, change_names, "CHANGE", SHOWN, 0, "what happened"),
	TEXT(field, "FIELD", SHOWN, 0, "the value that differs; null for the object as a whole"),
	TEXT(before, "BEFORE", SHOWN, 0, "its earlier value; null if there was none"),
	TEXT(after, "AFTER", SHOWN, 0, "its later value; null if there is none"),
};

const struct schema differences_schema = SCHEMA("diff", struct difference, fields,
						"a difference between two hosts or times");

struct paired {
	const void *row;
	char *name;
	bool matched;
	struct paired *partner; /* on the other side, by the identity in question */
};

struct comparison {
	struct diff *diff;
	const struct diff_kind *kind;
	const struct diff_rows *sides[DIFF_SIDES];
	struct paired *entries[DIFF_SIDES];
	/* Trees of names: the objects of a side's problems, and what these are parts of. */
	struct names *troubled[DIFF_SIDES], *wholes[DIFF_SIDES];
};

/* Lists of keys have commas between them. */
static bool is_listed(const char *list, const char *key)
{
	return text_has_word(list, ",", key, strlen(key));
}

/* The later name of a device that was renamed, else the text itself. */
static const char *later_name(const struct diff *diff, const char *text)
{
	const struct name *name = text ? diff_names_find(diff->renamed, text) : NULL;

	return name ? name->later : text;
}

/* A value as text, or NULL. Names on the earlier side are replaced by the later ones. */
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

/* The values of the listed fields, joined by /; NULL if the list is empty. */
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

static void add_absent(const struct comparison *comparison, const char *object,
		       enum diff_change change)
{
	if (object && diff_names_cover(comparison->diff->absent, object))
		return;
	add(comparison, object, change);
	if (object)
		diff_names_add(&comparison->diff->absent, object, strlen(object), NULL);
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

/*
 * Whether a missing value means that there is none: the side answers, and no problem there is about
 * the object, its parts, what it is part of, or the host.
 */
static bool is_complete(const struct comparison *comparison, int side, const char *object)
{
	const struct problems *problems = comparison->sides[side]->problems;

	if (!comparison->sides[side]->answers || !problems || !problems->count)
		return comparison->sides[side]->answers;
	return object && !diff_names_find(comparison->troubled[side], "") &&
	       !diff_names_cover(comparison->troubled[side], object) &&
	       !diff_names_find(comparison->wholes[side], object);
}

static void compare_field(const struct comparison *comparison, const struct paired *before,
			  const struct paired *after, const struct field *field)
{
	char *old = text_of(comparison, DIFF_BEFORE, field, before->row);
	char *now = text_of(comparison, DIFF_AFTER, field, after->row);
	struct difference *difference;

	if ((!old && !is_complete(comparison, DIFF_BEFORE, before->name)) ||
	    (!now && !is_complete(comparison, DIFF_AFTER, after->name))) {
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

static void compare_entries(const struct comparison *comparison, struct paired *before,
			    struct paired *after)
{
	const struct schema *schema = comparison->kind->schema;
	struct difference *renamed;

	before->matched = after->matched = true;
	if (before->name && strcmp(before->name, after->name)) {
		renamed = add(comparison, after->name, DIFF_RENAMED);
		renamed->before = mem_string(before->name);
		renamed->after = mem_string(after->name);
		diff_names_add(&comparison->diff->renamed, before->name, strlen(before->name),
			       after->name);
	}
	for (size_t i = 0; i < schema->field_count; i++)
		if (is_compared(comparison->kind, &schema->fields[i]))
			compare_field(comparison, before, after, &schema->fields[i]);
}

/* An entry that is not matched yet, and its value of a field. */
struct identity {
	char *text;
	struct paired *entry;
};

static int compare_identities(const void *a, const void *b)
{
	const struct identity *first = a, *second = b;

	return strcmp(first->text, second->text);
}

struct identities {
	struct identity *items;
	size_t count;
};

/* Lists the values that only one record of the side has, sorted. */
static void list_identities(const struct comparison *comparison, int side,
			    const struct field *field, struct identities *list)
{
	size_t kept = 0, same;

	for_each_in (entry, comparison->entries[side], comparison->sides[side]->count) {
		char *text = entry->matched ? NULL : text_of(comparison, side, field, entry->row);

		/* A GUID of zeros identifies nothing. */
		if (text && text[strspn(text, "0:")])
			MEM_ADD(list->items, list->count) = (struct identity){text, entry};
		else
			free(text);
	}
	MEM_SORT(list->items, list->count, compare_identities);
	for (size_t i = 0; i < list->count; i += same) {
		const struct identity first = list->items[i];

		for (same = 1;
		     i + same < list->count && !strcmp(list->items[i + same].text, first.text);
		     same++)
			free(list->items[i + same].text);
		if (same == 1)
			list->items[kept++] = first;
		else
			free(first.text);
	}
	list->count = kept;
}

static void free_identities(struct identities *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].text);
	free(list->items);
}

static void match_by_field(const struct comparison *comparison, const struct field *field)
{
	struct identities lists[DIFF_SIDES] = {{.count = 0}, {.count = 0}};
	struct identities *before = &lists[DIFF_BEFORE], *after = &lists[DIFF_AFTER];

	list_identities(comparison, DIFF_BEFORE, field, before);
	list_identities(comparison, DIFF_AFTER, field, after);
	for (size_t i = 0; after->count && i < before->count; i++) {
		const struct identity *found = MEM_FIND(&before->items[i], after->items,
							after->count, compare_identities);

		before->items[i].entry->partner = found ? found->entry : NULL;
	}
	for_each_in (entry, comparison->entries[DIFF_BEFORE], comparison->sides[DIFF_BEFORE]->count)
		if (!entry->matched && entry->partner)
			compare_entries(comparison, entry, entry->partner);
	free_identities(before);
	free_identities(after);
}

static int compare_names(const void *a, const void *b)
{
	const struct paired *const *first = a, *const *second = b;

	return strcmp((*first)->name ? (*first)->name : "", (*second)->name ? (*second)->name : "");
}

/* Matches records with the same name; if several have one name, only the first. */
static void match_by_name(const struct comparison *comparison)
{
	const size_t count = comparison->sides[DIFF_AFTER]->count;
	_cleanup_(freep) struct paired **sorted = mem_alloc_zero(count + 1, sizeof(*sorted));

	for (size_t i = 0; i < count; i++)
		sorted[i] = &comparison->entries[DIFF_AFTER][i];
	qsort(sorted, count, sizeof(*sorted), compare_names);
	for_each_in (before, comparison->entries[DIFF_BEFORE],
		     comparison->sides[DIFF_BEFORE]->count) {
		struct paired **after = before->matched ? NULL
							: bsearch(&before, sorted, count,
								  sizeof(*sorted), compare_names);

		if (after && !(*after)->matched)
			compare_entries(comparison, before, *after);
	}
}

/*
 * Matches by the first field of the identity, then by name, then by the other fields: a name that
 * moved to another device is not a change of firmware.
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

static struct paired *list_entries(const struct comparison *comparison, int side)
{
	const struct diff_rows *rows = comparison->sides[side];
	struct paired *entries = mem_alloc_zero(rows->count + 1, sizeof(*entries));

	for (size_t i = 0; i < rows->count; i++)
		entries[i] = (struct paired){
			.row = rows->rows[i],
			.name = join(comparison, side, comparison->kind->keys, rows->rows[i]),
		};
	return entries;
}

/* Uses the later name of the device, as the records do. A problem of the host has no name. */
static char *troubled_object(const struct comparison *comparison, int side, const char *object)
{
	const size_t length = strcspn(object, "/");
	_cleanup_(freep) char *device = mem_format("%.*s", (int)length, object);

	if (side != DIFF_BEFORE)
		return mem_string(object);
	return mem_format("%s%s", later_name(comparison->diff, device), object + length);
}

static void list_problems(struct comparison *comparison, int side)
{
	const struct problems *problems = comparison->sides[side]->problems;

	for (size_t i = 0; problems && i < problems->count; i++) {
		const char *told = problems->items[i].object;
		_cleanup_(freep) char *object = troubled_object(comparison, side, told ? told : "");

		diff_names_add(&comparison->troubled[side], object, strlen(object), NULL);
		for (const char *at = object; (at = strchr(at, '/')); at++)
			diff_names_add(&comparison->wholes[side], object, (size_t)(at - object),
				       NULL);
	}
}

/* Adds the names that several records of the side share. */
static void find_shared(const struct comparison *comparison, int side, struct names **shared)
{
	struct names *seen = NULL;

	for (size_t i = 0; i < comparison->sides[side]->count; i++) {
		const char *name = comparison->entries[side][i].name;

		diff_names_add(diff_names_find(seen, name) ? shared : &seen, name, strlen(name),
			       NULL);
	}
	diff_names_free(seen);
}

/* A port on a bond has a record for each member: all of them have the longer name. */
static void distinguish(const struct comparison *comparison)
{
	struct names *shared = NULL;

	for (int side = 0; side < DIFF_SIDES; side++)
		find_shared(comparison, side, &shared);
	for (int side = 0; shared && side < DIFF_SIDES; side++)
		for_each_in (entry, comparison->entries[side], comparison->sides[side]->count) {
			_cleanup_(freep) char *more = NULL;

			if (!diff_names_find(shared, entry->name))
				continue;
			more = join(comparison, side, comparison->kind->distinct, entry->row);
			mem_extend(&entry->name, "/%s", more);
		}
	diff_names_free(shared);
}

void diff_compare(struct diff *diff, const struct diff_kind *kind, const struct diff_rows *before,
		  const struct diff_rows *after)
{
	struct comparison comparison = {.diff = diff, .kind = kind, .sides = {before, after}};

	for (int side = 0; side < DIFF_SIDES; side++) {
		comparison.entries[side] = list_entries(&comparison, side);
		list_problems(&comparison, side);
	}
	if (kind->distinct)
		distinguish(&comparison);
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
		diff_names_free(comparison.troubled[side]);
		diff_names_free(comparison.wholes[side]);
	}
}

void diff_note_unknowns(const struct diff *diff, const char *const names[2],
			struct problems *problems)
{
	for_each_in (unknown, diff->unknowns, diff->unknown_count) {
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
	for (size_t i = 0; i < diff->count; i++)
		record_clear(&differences_schema, &diff->items[i]);
	free(diff->items);
	free(diff->unknowns);
	diff_names_free(diff->absent);
	diff_names_free(diff->renamed);
	*diff = (struct diff){.count = 0};
}
