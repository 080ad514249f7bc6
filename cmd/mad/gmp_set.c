/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Changes an attribute of one node: reads it, shows what would change, asks, writes, reads it back.
 * An entry of a table is changed inside its block, and a Set says which parts it writes: the map of
 * SwitchCongestionSetting and of CACongestionSetting selects them (A10.4.3.6, A10.4.3.8).
 */
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/mad/gmp.h"
#include "schema/bits.h"

/* All fields of SwitchCongestionSetting, whatever the order of the bits is. */
#define SWITCH_WHOLE_MAP 0x1fu

struct gmp_change {
	struct gmp_run *run;
	struct smp_change fields;
	unsigned char block[MAD_DATA_MOST]; /* as read, then as to be written */
	uint32_t modifier;
	size_t entry; /* within the block */
	struct number index;
};

static bool choose_entry(struct gmp_change *change)
{
	const struct mad_attribute *attribute = change->run->attribute;
	const struct mad_session *session = &change->run->mad.session;
	const struct mad_destination *at = &session->destinations[0];
	struct listing *listing = &change->run->mad.listing;
	uint32_t first, last;

	if (session->destination_count != 1)
		return listing_fail(listing, STATUS_USAGE, "--set changes one node", NULL);
	if (!attribute->entries)
		return !at->word_count ||
		       listing_fail_format(listing, STATUS_USAGE,
					   "do not give an entry after the destination",
					   "%s has no entries", attribute->word);
	if (at->word_count != 1 ||
	    !mad_parse_range(at->words[0], 0, GMP_ENTRIES_MOST, &first, &last) || first != last)
		return listing_fail(listing, STATUS_USAGE, "--set changes one entry of the table",
				    "give the number of the entry after the destination");
	if (attribute->modifier != MODIFIER_BLOCK && first >= attribute->entries)
		return listing_fail_format(listing, STATUS_USAGE, NULL, "the last entry is %u",
					   attribute->entries - 1u);
	change->modifier = first / attribute->entries;
	change->entry = first % attribute->entries;
	change->index = number_of(first);
	return true;
}

static void take(const struct gmp_change *change, unsigned char *row)
{
	const struct mad_attribute *attribute = change->run->attribute;

	if (attribute->entries)
		mad_entry_take(attribute, change->block, change->entry, row);
	else
		memcpy(row, change->block, attribute->bytes);
}

/* Puts the row back into the block, and sets the map so that the node applies it. */
static void put(struct gmp_change *change)
{
	const struct mad_attribute *attribute = change->run->attribute;
	unsigned char *row = change->fields.after.data;
	size_t bytes, at;

	if (attribute->id == MAD_CC_SWITCH && !smp_change_names(&change->fields, "control_map"))
		bits_set(row, MAD_AT(0, 0), 32, SWITCH_WHOLE_MAP);
	if (attribute->id == MAD_CC_CA && !smp_change_names(&change->fields, "control_map"))
		bits_set(row, MAD_AT(2, 0), 16, 1u << change->entry);
	if (!attribute->entries) {
		memcpy(change->block, row, attribute->bytes);
		return;
	}
	at = mad_entry_at(attribute, change->block, change->entry, &bytes);
	memcpy(change->block, row, attribute->head_bytes);
	memcpy(change->block + at, row + attribute->head_bytes, bytes);
}

static char *place_of(const struct gmp_change *change)
{
	const char *name = change->run->mad.session.destinations[0].name;

	return change->index.known ? mem_format("%s entry %u", name, (unsigned)change->index.value)
				   : mem_string(name);
}

/* A node may report success, and still keep its old value. */
static void compare(struct gmp_change *change, const char *place, const struct mad_record *now)
{
	for (size_t i = 0; i < change->fields.value_count; i++) {
		const struct field *field = change->fields.values[i].field;
		_cleanup_(freep) char *wanted = field_text_or_dash(field, &change->fields.after);
		_cleanup_(freep) char *answer = field_text_or_dash(field, now);

		/* The map is part of the Set, not of the setting; a key may be hidden. */
		if (strcmp(wanted, answer) && !(field->flags & FIELD_SECRET) &&
		    strcmp(field->key, "control_map"))
			problem_add_format(&change->run->mad.listing.problems, NULL, NULL, NULL,
					   NULL, "%s: the node reports %s as %s, not %s", place,
					   field->key, answer, wanted);
	}
}

static void work(struct gmp_change *change)
{
	struct gmp_run *run = change->run;
	const int status = run->mad.listing.status;
	_cleanup_(freep) char *description = NULL, *place = NULL;
	struct mad_record *row;

	run->mad.listing.status = STATUS_FAILED;
	if (!gmp_call(run, 0, UMAD_METHOD_GET, change->modifier, NULL, change->block))
		return;
	take(change, change->fields.before.data);
	change->fields.after = change->fields.before;
	place = place_of(change);
	if (!mad_change_put(&run->mad.listing, &change->fields) ||
	    !mad_change_confirm(&run->mad.listing, &change->fields, place, run->args->yes) ||
	    mad_listing_interrupted(&run->mad, "interrupted: nothing was changed"))
		return;
	put(change);
	/* Writing any number but 0 leaves the count of violations as it is: A10.4.3.4. */
	if (run->attribute->id == MAD_CC_KEY_INFO &&
	    !smp_change_names(&change->fields, "cc_key_violations"))
		bits_set(change->block, MAD_AT(12, 0), 16, 1);
	if (!gmp_call(run, 0, UMAD_METHOD_SET, change->modifier, change->block, change->block))
		return;
	/* The next request needs the new key. */
	if (smp_change_names(&change->fields, "cc_key"))
		run->key = bits_get(change->fields.after.data, 0, 64);
	if (!gmp_call(run, 0, UMAD_METHOD_GET, change->modifier, NULL, change->block))
		return;
	run->mad.listing.status = status;
	description = gmp_describe(run, 0);
	row = gmp_add(run, 0, description);
	row->index = change->index;
	take(change, row->data);
	compare(change, place, row);
}

void gmp_set(struct gmp_run *run)
{
	struct gmp_change change = {
		.run = run,
		.fields = {.session = &run->mad.session, .attribute = run->attribute},
	};

	if (mad_change_find(&run->mad.listing, &change.fields, run->args->set) &&
	    choose_entry(&change))
		work(&change);
	smp_change_clear(&change.fields);
}
