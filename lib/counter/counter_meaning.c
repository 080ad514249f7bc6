/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/counter_meaning.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

static bool is_named(const struct counter_name *row, const char *name)
{
	return !strcmp(row->name, name) || !strcmp(row->canonical, name) ||
	       counter_name_matches(row->name, name) || counter_name_matches(row->canonical, name);
}

static struct counter_meaning *meaning_of(struct counter_meanings *meanings,
					  const struct counter_name *row)
{
	struct counter_meaning *meaning;

	for (size_t i = 0; i < meanings->count; i++)
		if (!strcmp(meanings->items[i].name->canonical, row->canonical) &&
		    !strcmp(meanings->items[i].name->meaning, row->meaning))
			return &meanings->items[i];
	meaning = mem_append(&meanings->items, &meanings->count, sizeof(*meanings->items));
	meaning->name = row;
	meaning->aliases.known = true;
	return meaning;
}

static void add(struct counter_meanings *meanings, const struct counter_names *table,
		const struct counter_name *row)
{
	struct counter_meaning *meaning = meaning_of(meanings, row);
	const char *driver = table->driver
				     ? table->driver
				     : enum_word(counter_source_names, table->source, "other");
	_cleanup_(freep) char *alias = mem_format("%s:%s", driver, row->name);

	strings_add(&meaning->aliases, alias);
}

/* The canonical names that the name can mean. */
static void find_canonicals(struct strings *canonicals, const char *name)
{
	for (size_t i = 0; counter_catalogue[i]; i++)
		for (size_t j = 0; j < counter_catalogue[i]->count; j++) {
			const struct counter_name *row = &counter_catalogue[i]->rows[j];

			if (is_named(row, name) && !strings_contain(canonicals, row->canonical))
				strings_add(canonicals, row->canonical);
		}
}

static const char *find_closest(const char *name)
{
	const char *closest, **words;
	size_t count = 0, most = 0;

	for (size_t i = 0; counter_catalogue[i]; i++)
		most += 2 * counter_catalogue[i]->count;
	words = mem_alloc_zero(most, sizeof(*words));
	for (size_t i = 0; counter_catalogue[i]; i++)
		for (size_t j = 0; j < counter_catalogue[i]->count; j++) {
			words[count++] = counter_catalogue[i]->rows[j].canonical;
			words[count++] = counter_catalogue[i]->rows[j].name;
		}
	closest = text_closest(name, words, count);
	free(words);
	return closest;
}

bool counter_meanings_find(struct counter_meanings *meanings, const char *name,
			   const char **ret_closest)
{
	struct strings canonicals = {0};
	bool found;

	find_canonicals(&canonicals, name);
	for (size_t i = 0; counter_catalogue[i]; i++)
		for (size_t j = 0; j < counter_catalogue[i]->count; j++) {
			const struct counter_name *row = &counter_catalogue[i]->rows[j];

			if (strings_contain(&canonicals, row->canonical))
				add(meanings, counter_catalogue[i], row);
		}
	found = canonicals.count;
	strings_free(&canonicals);
	if (!found)
		*ret_closest = find_closest(name);
	return found;
}

void counter_meanings_clear(struct counter_meanings *meanings)
{
	for (size_t i = 0; i < meanings->count; i++)
		strings_free(&meanings->items[i].aliases);
	free(meanings->items);
	*meanings = (struct counter_meanings){0};
}

static const struct counter_name *name_of(const void *record)
{
	return ((const struct counter_meaning *)record)->name;
}

static void get_counter(const void *record, struct value *value)
{
	value_set_string(value, name_of(record)->canonical);
}

static void get_meaning(const void *record, struct value *value)
{
	value_set_string(value, name_of(record)->meaning);
}

static void get_unit(const void *record, struct value *value)
{
	value_set_word(value, counter_unit_names, name_of(record)->unit);
}

static void get_kind(const void *record, struct value *value)
{
	value_set_word(value, counter_kind_names, name_of(record)->kind);
}

static void get_width(const void *record, struct value *value)
{
	if (!name_of(record)->width_bits)
		return;
	value_set_unsigned(value, name_of(record)->width_bits);
}

static void get_direction(const void *record, struct value *value)
{
	value_set_word(value, counter_direction_names, name_of(record)->direction);
}

static void get_severity(const void *record, struct value *value)
{
	value_set_word(value, counter_severity_names, name_of(record)->severity);
}

static void get_group(const void *record, struct value *value)
{
	value_set_word(value, counter_group_names, name_of(record)->group);
}

static void get_drop(const void *record, struct value *value)
{
	value_set_bool(value, counter_name_counts_loss(name_of(record)));
}

#define WORD_FIELD(get_, names_, key_, heading_, help_)                              \
	{                                                                            \
		.key = key_, .heading = heading_, .help = help_, .kind = FIELD_ENUM, \
		.flags = FIELD_DEFAULT, .names = names_, .get = get_                 \
	}

static const struct field fields[] = {
	COMPUTED_FIELD(FIELD_STRING, get_counter, "counter", "COUNTER", FIELD_DEFAULT, 0,
		       "its name, the same for all drivers; * is a number"),
	COMPUTED_FIELD(FIELD_STRING, get_meaning, "meaning", "MEANING", FIELD_DEFAULT, 0,
		       "what it counts, in a sentence"),
	WORD_FIELD(get_unit, counter_unit_names, "unit", "UNIT", "what the value counts"),
	WORD_FIELD(get_kind, counter_kind_names, "kind", "KIND", "how it counts"),
	COMPUTED_FIELD(FIELD_UNSIGNED, get_width, "width_bits", "WIDTH BITS", FIELD_DEFAULT, 0,
		       "bits of a counter that stops at its maximum, if the same on all devices"),
	WORD_FIELD(get_direction, counter_direction_names, "direction", "DIRECTION",
		   "direction of what it counts, seen from the port"),
	WORD_FIELD(get_severity, counter_severity_names, "severity", "SEVERITY",
		   "how serious it is that it grows"),
	WORD_FIELD(get_group, counter_group_names, "group", "GROUP", "its subject"),
	COMPUTED_FIELD(FIELD_BOOL, get_drop, "drop", "DROP", FIELD_DEFAULT, 0,
		       "it counts lost packets"),
	LIST_FIELD(struct counter_meaning, aliases, "aliases", "ALIASES", FIELD_DEFAULT, 0,
		   "its names in the kernel, by driver or source"),
};

const struct schema counter_meaning_schema = {
	.name = "counter_meanings",
	.version = 1,
	.summary = "the meaning of a counter's name",
	.fields = fields,
	.field_count = ARRAY_SIZE(fields),
	.record_size = sizeof(struct counter_meaning),
};
