/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads attributes of a management class, with all blocks of their tables; and rdmactl cc, which
 * reads and sets the congestion control of a node (class 0x21, annex A10).
 */
#include "cmd/mad/gmp.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/commands.h"
#include "mad/format/codes.h"
#include "schema/bits.h"

bool gmp_call(struct gmp_run *run, size_t destination, uint8_t method, uint32_t modifier,
	      const unsigned char *data, unsigned char *ret_data)
{
	struct mad_session *session = &run->mad.session;
	const struct mad_destination *at = &session->destinations[destination];
	struct mad_item item = {0};
	bool good;

	mad_gmp_request(&at->place, run->attribute->mgmt_class, method, run->attribute->id,
			modifier, &item.request);
	/* --mkey gives the CC_Key here; the M_Key of the configuration file does not. */
	item.request.key = run->key;
	item.request.data = data;
	item.request.data_bytes = data ? run->attribute->bytes : 0;
	mad_gather(session->engine, &item, 1);
	good = method == UMAD_METHOD_SET
		       ? mad_session_check_set(session, at, &item,
					       "the write may need the node's CC_Key: --mkey")
		       : mad_session_check(session, at, run->attribute->name, &item, NULL);
	if (!good)
		return false;
	memcpy(ret_data, item.data, MAD_DATA_MOST);
	return true;
}

struct mad_record *gmp_add(struct gmp_run *run, size_t destination, const char *description)
{
	const struct mad_destination *at = &run->mad.session.destinations[destination];
	struct mad_record *record = mem_append(&run->records, &run->record_count, sizeof(*record));

	*record = (struct mad_record){
		.object = mem_string(at->name),
		.node = mem_string_or_null(description),
		.lid = mad_place_lid(&at->place),
	};
	return record;
}

char *gmp_describe(struct gmp_run *run, size_t destination)
{
	struct mad_session *session = &run->mad.session;

	return columns_needs(&run->mad.listing.columns) & MAD_NEED_NODE
		       ? mad_session_describe(session, &session->destinations[destination], 0)
		       : NULL;
}

/* Whether every word after the destination is a range; if not, the listing fails. */
static bool words_fit(struct gmp_run *run, const struct mad_destination *at)
{
	uint32_t first, last;

	for (size_t i = 0; i < at->word_count; i++) {
		if (run->attribute->entries &&
		    mad_parse_range(at->words[i], 0, GMP_ENTRIES_MOST, &first, &last))
			continue;
		return listing_fail_format(
			&run->mad.listing, STATUS_USAGE, NULL,
			run->attribute->entries ? "'%s' is not a number or a range"
						: "unexpected argument '%s' after the destination",
			at->words[i]);
	}
	return true;
}

static bool is_wanted(const struct gmp_run *run, const struct mad_destination *at, uint32_t index,
		      const unsigned char *entry, size_t bytes)
{
	uint32_t first, last;

	for (size_t i = 0; i < at->word_count; i++)
		if (mad_parse_range(at->words[i], 0, GMP_ENTRIES_MOST, &first, &last) &&
		    index >= first && index <= last)
			return true;
	if (at->word_count)
		return false;
	for (size_t i = 0; i < bytes; i++)
		if (entry[i])
			return true;
	return run->args->all;
}

static void add_entries(struct gmp_run *run, size_t destination, const char *description,
			uint32_t block, uint32_t last, const unsigned char *data)
{
	const struct mad_attribute *attribute = run->attribute;
	const struct mad_destination *at = &run->mad.session.destinations[destination];
	const size_t count = mad_entry_count(attribute, data);

	for (size_t i = 0; i < count; i++) {
		const uint32_t index = block * attribute->entries + (uint32_t)i;
		size_t bytes, place = mad_entry_at(attribute, data, i, &bytes);
		struct mad_record *record;

		if (index > last || !is_wanted(run, at, index, data + place, bytes))
			continue;
		record = gmp_add(run, destination, description);
		record->index = number_of(index);
		mad_entry_take(attribute, data, i, record->data);
	}
}

/*
 * Finds the last entry of a table. For a table that is read in blocks, that is the last port or,
 * for the congestion control table, its limit, which each block contains. Returns false if the node
 * has no such table.
 */
static bool find_last(struct gmp_run *run, size_t destination, const unsigned char *first_block,
		      uint32_t *ret_last)
{
	const struct mad_destination *at = &run->mad.session.destinations[destination];
	unsigned char info[MAD_DATA_MOST];

	*ret_last = (uint32_t)mad_entry_count(run->attribute, first_block) - 1;
	if (run->attribute->modifier != MODIFIER_BLOCK)
		return true;
	if (run->attribute->id == MAD_CC_TABLE) {
		*ret_last = (uint32_t)bits_get(first_block, 0, 16);
		return true;
	}
	if (!mad_session_get(&run->mad.session, at, UMAD_SM_ATTR_NODE_INFO, 0, 0, info))
		return false;
	*ret_last = node_info_ports(info);
	if (node_info_type(info) == NODE_TYPE_SWITCH)
		return true;
	problem_add_text(&run->mad.listing.problems, at->name, run->attribute->name, "smp",
			 "the node is not a switch", "rdmactl cc ca shows an adapter's settings");
	return false;
}

/* Reports once for the node that named entries are not in the table. */
static void report_missing(struct gmp_run *run, const struct mad_destination *at, uint32_t last)
{
	uint32_t from, to = 0;

	for (size_t i = 0; i < at->word_count && to <= last; i++)
		mad_parse_range(at->words[i], 0, GMP_ENTRIES_MOST, &from, &to);
	if (to > last)
		problem_add_format(&run->mad.listing.problems, at->name, "entries", "gmp",
				   "omit the entries to show all of them", "its last entry is %u",
				   last);
}

static void take_tables(struct gmp_run *run, size_t destination, const char *description,
			unsigned char *data)
{
	const struct mad_destination *at = &run->mad.session.destinations[destination];
	const uint32_t entries = run->attribute->entries;
	uint32_t last;

	if (!mad_entry_count(run->attribute, data)) {
		problem_add_text(&run->mad.listing.problems, at->name, run->attribute->name, "gmp",
				 "the node answered with an unknown type of log",
				 "rdmactl mad send --class cc --attribute CongestionLog shows its "
				 "bytes");
		return;
	}
	if (!find_last(run, destination, data, &last))
		return;
	report_missing(run, at, last);
	add_entries(run, destination, description, 0, last, data);
	for (uint32_t block = 1; block <= last / entries && !mad_session_stopped(&run->mad.session);
	     block++) {
		if (!gmp_call(run, destination, UMAD_METHOD_GET, block, NULL, data))
			return;
		add_entries(run, destination, description, block, last, data);
	}
}

static void take(struct gmp_run *run, size_t destination)
{
	unsigned char data[MAD_DATA_MOST];
	_cleanup_(freep) char *description = NULL;

	if (!gmp_call(run, destination, UMAD_METHOD_GET, 0, NULL, data))
		return;
	description = gmp_describe(run, destination);
	if (run->attribute->entries)
		take_tables(run, destination, description, data);
	else
		memcpy(gmp_add(run, destination, description)->data, data, run->attribute->bytes);
}

static void get(struct gmp_run *run)
{
	struct mad_session *session = &run->mad.session;
	struct listing *listing = &run->mad.listing;

	for (size_t i = 0; i < session->destination_count; i++)
		if (!words_fit(run, &session->destinations[i]))
			return;
	for (size_t i = 0; i < session->destination_count && !mad_session_stopped(session); i++)
		take(run, i);
	if (run->record_count > 1 && !run->attribute->entries)
		listing_as_table(listing);
	if (!run->record_count && listing->problems.count)
		listing->status = STATUS_FAILED;
}

int gmp_run(const struct ctx *ctx, const void *args, char **words)
{
	struct gmp_run run = {.args = args, .attribute = ctx->command->data};
	int status;

	if (mad_listing_begin(&run.mad, ctx, &run.args->mad, run.attribute->schema,
			      !run.attribute->entries, false) &&
	    mad_listing_find_by_lid(&run.mad, words) &&
	    mad_listing_has_lids(&run.mad, "this class cannot be reached by directed route",
				 "give LIDs, port GUIDs or GIDs")) {
		run.key = run.args->mad.mkey ? run.mad.session.key : 0;
		if (run.args->set)
			gmp_set(&run);
		else
			get(&run);
		for (size_t i = 0; i < run.record_count; i++)
			listing_add(&run.mad.listing, &run.records[i]);
	}
	status = mad_listing_end(&run.mad);
	for (size_t i = 0; i < run.record_count; i++)
		mad_record_clear(&run.records[i]);
	free(run.records);
	return status;
}

static const struct option_row all_options[] = {
	FLAG_OPTION(struct gmp_args, all, 'a', "all", "include entries that are all zeros"),
	{.name = NULL},
};

static const struct option_row set_options[] = {
	STRING_OPTION(struct gmp_args, set, 0, "set", "FIELD=VALUE", COMPLETE_FIELD,
		      "change a field (several separated by commas)"),
	FLAG_OPTION(struct gmp_args, yes, 'y', "yes", "do not ask before changing it"),
	{.name = NULL},
};

/* Attributes that only report, and cannot be set. */
static bool is_report(const struct mad_attribute *attribute)
{
	return attribute->id == MAD_CC_INFO || attribute->id == MAD_CC_LOG ||
	       attribute->id == MAD_CC_TIMESTAMP || attribute->id == UMAD_ATTR_CLASS_PORT_INFO;
}

static bool child(size_t number, struct command *ret_child)
{
	const struct mad_attribute *attribute = mad_attribute_at(cc_attributes, number);
	size_t count = 0;

	if (!attribute)
		return false;
	*ret_child = (struct command){
		.name = attribute->word,
		.alias = attribute->alias,
		.objects = attribute->entries ? "[DEST [ENTRY...]]" : "[DEST]",
		.most_objects = -1,
		.args_size = sizeof(struct gmp_args),
		.schema = attribute->schema,
		.all_columns = !attribute->entries,
		.data = attribute,
		.run = gmp_run,
	};
	if (attribute->entries)
		ret_child->options[count++] = all_options;
	if (!is_report(attribute))
		ret_child->options[count++] = set_options;
	ret_child->options[count] = mad_options;
	return true;
}

static const struct option_rule rules[] = {
	OPTIONS_NEED("yes", "set", NULL),
	OPTIONS_EXCLUDE("all", "set", NULL),
	MAD_RULES,
	{.options = NULL},
};

const struct command cc_command = {
	.name = "cc",
	.group = GROUP_MAD,
	.summary = "read and set congestion control of a node",
	.objects = "ATTRIBUTE [DEST [ENTRY...]]",
	.least_objects = 1,
	.most_objects = -1,
	.rules = rules,
	.child = child,
	.child_word = "ATTRIBUTE",
	.own_timeout = true,
};
