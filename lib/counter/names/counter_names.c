/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/names/counter_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "counter/names/counter_table.h"

const struct enum_name counter_source_names[] = {
	{COUNTER_SOURCE_PMA, "pma",
	 .help = "performance management agent of the port (ports/P/counters)"},
	{COUNTER_SOURCE_HW, "hw",
	 .help = "driver, for a port (ports/P/hw_counters), by RDMA netlink if that answers"},
	{COUNTER_SOURCE_DEVICE, "device", .help = "driver, for a device (hw_counters)"},
	{COUNTER_SOURCE_CM, "cm",
	 .help = "connection manager: messages of a port (ports/P/cm_tx_msgs ...)"},
	{COUNTER_SOURCE_NETDEV, "netdev",
	 .help = "network device of the port, which hardware RDMA traffic bypasses"},
	{0, NULL},
};

const struct enum_name counter_unit_names[] = {
	{COUNTER_UNIT_EVENTS, "events"},
	{COUNTER_UNIT_PACKETS, "packets"},
	{COUNTER_UNIT_BYTES, "bytes"},
	{COUNTER_UNIT_MESSAGES, "messages"},
	{COUNTER_UNIT_REQUESTS, "requests"},
	{COUNTER_UNIT_ERRORS, "errors"},
	{COUNTER_UNIT_TICKS, "ticks"},
	{COUNTER_UNIT_OBJECTS, "objects"},
	{COUNTER_UNIT_BITS, "bits"},
	{COUNTER_UNIT_NUMBER, "number"},
	{0, NULL},
};

const struct enum_name counter_kind_names[] = {
	{COUNTER_MONOTONIC, "monotonic", .help = "only counts up"},
	{COUNTER_GAUGE, "gauge", .help = "goes up and down"},
	{COUNTER_SATURATING, "saturating", .help = "counts up and stops at its maximum"},
	{0, NULL},
};

const struct enum_name counter_direction_names[] = {
	{COUNTER_NO_DIRECTION, "none"},
	{COUNTER_TX, "tx"},
	{COUNTER_RX, "rx"},
	{0, NULL},
};

const struct enum_name counter_severity_names[] = {
	{COUNTER_INFO, "info"},
	{COUNTER_WARNING, "warning", TONE_WARNING},
	{COUNTER_SERIOUS, "error", TONE_BAD},
	{0, NULL},
};

const struct enum_name counter_group_names[] = {
#define GROUP(code_, word_, help_) {COUNTER_GROUP_##code_, word_},
	COUNTER_GROUPS(GROUP){0, NULL},
#undef GROUP
};

const struct enum_name counter_group_bits[] = {
#define GROUP(code_, word_, help_) {1u << COUNTER_GROUP_##code_, word_, .help = help_},
	COUNTER_GROUPS(GROUP){0, NULL},
#undef GROUP
};

/* A name that two drivers share means the same in both, so the first one is used. */
const struct counter_names *const counter_catalogue[] = {
	&counter_names_pma,	    &counter_names_pma_ext,    &counter_names_rxe,
	&counter_names_mlx5,	    &counter_names_mlx5_vport, &counter_names_mlx4,
	&counter_names_irdma,	    &counter_names_irdma_new,  &counter_names_cxgb4,
	&counter_names_efa,	    &counter_names_bnxt_re,    &counter_names_bnxt_re_new,
	&counter_names_hns,	    &counter_names_erdma,      &counter_names_mana,
	&counter_names_mana_device, &counter_names_ionic,      &counter_names_hfi1,
	&counter_names_hfi1_chip,   &counter_names_qib,	       &counter_names_qib_old,
	&counter_names_cm,	    &counter_names_netdev,     NULL,
};

bool counter_name_matches(const char *pattern, const char *name)
{
	size_t before = strcspn(pattern, "*");
	size_t digits;

	if (!pattern[before])
		return !strcmp(pattern, name);
	if (strncmp(pattern, name, before))
		return false;
	digits = strspn(name + before, "0123456789");
	return digits && !strcmp(pattern + before + 1, name + before + digits);
}

static const struct counter_name *find(const struct counter_names *table, const char *name)
{
	for (size_t i = 0; i < table->count; i++)
		if (counter_name_matches(table->rows[i].name, name))
			return &table->rows[i];
	return NULL;
}

const struct counter_name *counter_name_find(const char *name)
{
	const struct counter_name *found = NULL;

	for (size_t i = 0; counter_catalogue[i] && !found; i++)
		found = find(counter_catalogue[i], name);
	return found;
}

const struct counter_name *counter_name_find_in(enum counter_source source, const char *name)
{
	const struct counter_name *found = NULL;

	if (source == COUNTER_SOURCE_DEVICE)
		source = COUNTER_SOURCE_HW;
	for (size_t i = 0; counter_catalogue[i] && !found; i++)
		if (counter_catalogue[i]->source == source)
			found = find(counter_catalogue[i], name);
	return found;
}

char *counter_name_canonical(const struct counter_name *row, const char *name)
{
	const char *number = name + strcspn(row->name, "*");
	size_t before = strcspn(row->canonical, "*");

	if (!row->canonical[before])
		return mem_string(row->canonical);
	return mem_format("%.*s%.*s%s", (int)before, row->canonical,
			  (int)strspn(number, "0123456789"), number, row->canonical + before + 1);
}

enum counter_class counter_class_of(const char *name)
{
	const struct counter_name *found = counter_name_find(name);

	return found ? found->class : COUNTER_OTHER;
}

bool counter_name_counts_loss(const struct counter_name *row)
{
	return row->group == COUNTER_GROUP_DROPS || row->lost;
}

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

/* Collects the canonical names that the name can mean. */
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

#define GET(member_, setter_, ...)                                                                \
	static void get_##member_(const void *record, struct value *value)                        \
	{                                                                                         \
		const struct counter_name *name = ((const struct counter_meaning *)record)->name; \
                                                                                                  \
		setter_(value, ##__VA_ARGS__, name->member_);                                     \
	}
GET(canonical, value_set_string)
GET(meaning, value_set_string)
GET(unit, value_set_word, counter_unit_names)
GET(kind, value_set_word, counter_kind_names)
GET(direction, value_set_word, counter_direction_names)
GET(severity, value_set_word, counter_severity_names)
GET(group, value_set_word, counter_group_names)

static void get_width(const void *record, struct value *value)
{
	const struct counter_name *name = ((const struct counter_meaning *)record)->name;

	if (name->width_bits)
		value_set_unsigned(value, name->width_bits);
}

static void get_drop(const void *record, struct value *value)
{
	value_set_bool(value,
		       counter_name_counts_loss(((const struct counter_meaning *)record)->name));
}

static const struct field meaning_fields[] = {
	COMPUTED_FIELD(FIELD_STRING, get_canonical, "counter", "COUNTER", FIELD_DEFAULT, 0,
		       "its name, the same for all drivers; * is a number"),
	COMPUTED_FIELD(FIELD_STRING, get_meaning, "meaning", "MEANING", FIELD_DEFAULT, 0,
		       "what it counts, in a sentence"),
	COMPUTED_ENUM_FIELD(get_unit, counter_unit_names, "unit", "UNIT", FIELD_DEFAULT,
			    "what the value counts"),
	COMPUTED_ENUM_FIELD(get_kind, counter_kind_names, "kind", "KIND", FIELD_DEFAULT,
			    "how it counts"),
	COMPUTED_FIELD(FIELD_UNSIGNED, get_width, "width_bits", "WIDTH BITS", FIELD_DEFAULT, 0,
		       "bits of a counter that stops at its maximum, if the same on all devices"),
	COMPUTED_ENUM_FIELD(get_direction, counter_direction_names, "direction", "DIRECTION",
			    FIELD_DEFAULT, "direction of what it counts, seen from the port"),
	COMPUTED_ENUM_FIELD(get_severity, counter_severity_names, "severity", "SEVERITY",
			    FIELD_DEFAULT, "how serious it is that it grows"),
	COMPUTED_ENUM_FIELD(get_group, counter_group_names, "group", "GROUP", FIELD_DEFAULT,
			    "its subject"),
	COMPUTED_FIELD(FIELD_BOOL, get_drop, "drop", "DROP", FIELD_DEFAULT, 0,
		       "it counts lost packets"),
	LIST_FIELD(struct counter_meaning, aliases, "aliases", "ALIASES", FIELD_DEFAULT, 0,
		   "its names in the kernel, by driver or source"),
};

const struct schema counter_meaning_schema = SCHEMA("counter_meanings", struct counter_meaning,
						    meaning_fields,
						    "the meaning of a counter's name");
