/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whole tables of many nodes: what has to be known of the nodes first, then all of it at once. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "mad/smp_plan.h"
#include "schema/bits.h"
#include "cmd/mad/smp_run.h"

/* What of a node has to be known, by destination. */
struct node {
	struct smp_node facts;
	char *description;
	bool failed;
};

/* One SMP of the second round. */
struct errand {
	size_t destination;
	struct smp_step step;
};

struct smp_run {
	struct mad_session session;
	const struct smp_args *args;
	const struct mad_attribute *attribute;
	struct node *nodes;
	struct errand *errands;
	size_t errand_count;
	struct mad_record *records;
	size_t record_count;
};

bool smp_is_record(const struct mad_attribute *attribute)
{
	return !attribute->entries && attribute->modifier != MODIFIER_SL2VL;
}

bool smp_begin(struct mad_session *session, const struct ctx *ctx, const struct smp_args *args,
	       const struct mad_attribute *attribute, const struct schema *schema, char **words)
{
	if (!mad_session_begin(session, ctx, &args->mad, schema, smp_is_record(attribute), false))
		return false;
	if (words[0] || attribute->id != UMAD_SM_ATTR_SM_INFO)
		return mad_session_find(session, words);
	if (!session->port.subnet_manager) {
		listing_fail(&session->listing, STATUS_FAILED,
			     "the port knows no subnet manager: its SM LID is 0",
			     "start a subnet manager, or name a node: rdmactl smp sminfo -D 0,1");
		return false;
	}
	return mad_session_find_lid(session, session->port.sm_lid);
}

static void ask(const struct smp_run *run, size_t destination, uint16_t attribute,
		uint32_t modifier, struct mad_item *item)
{
	mad_smp_request(&run->session.destinations[destination].place, UMAD_METHOD_GET, attribute,
			modifier, &item->request);
	item->request.key = run->session.key;
}

/* Asks every node that has not failed for one attribute. */
static struct mad_item *ask_all(struct smp_run *run, uint16_t attribute, uint32_t modifier,
				const char *what)
{
	size_t count = run->session.destination_count, asked = 0;
	struct mad_item *items = mad_items_new(count);

	for (size_t i = 0; i < count; i++)
		if (!run->nodes[i].failed)
			ask(run, i, attribute, modifier, &items[asked++]);
	mad_gather(run->session.engine, items, asked);
	/* Back to the places of their destinations. */
	for (size_t i = count; i-- > 0;) {
		if (run->nodes[i].failed)
			continue;
		if (i != --asked)
			items[i] = items[asked];
		if (!mad_session_check(&run->session, &run->session.destinations[i], what,
				       &items[i]))
			run->nodes[i].failed = true;
	}
	return items;
}

/* 14.2.5.3, 14.2.5.4, 14.2.5.6: how large the node's tables are */
static void learn(struct smp_run *run)
{
	const struct mad_attribute *attribute = run->attribute;
	size_t count = run->session.destination_count;
	struct mad_item *items = ask_all(run, UMAD_SM_ATTR_NODE_INFO, 0, "NodeInfo");

	for (size_t i = 0; i < count; i++) {
		smp_node_take_node_info(&run->nodes[i].facts, items[i].data);
	}
	free(items);
	if (smp_needs_port_info(attribute)) {
		items = ask_all(run, UMAD_SM_ATTR_PORT_INFO, 0, "PortInfo");
		for (size_t i = 0; i < count; i++)
			smp_node_take_port_info(&run->nodes[i].facts, items[i].data);
		free(items);
	}
}

/* Switches only: others have none. */
static void learn_switches(struct smp_run *run)
{
	size_t count = run->session.destination_count;
	_cleanup_(freep) bool *skipped = mem_alloc_zero(count, sizeof(*skipped));
	struct mad_item *items;

	for (size_t i = 0; i < count; i++) {
		skipped[i] = !run->nodes[i].failed && !run->nodes[i].facts.is_switch;
		run->nodes[i].failed |= skipped[i];
	}
	items = ask_all(run, UMAD_SM_ATTR_SWITCH_INFO, 0, "SwitchInfo");
	for (size_t i = 0; i < count; i++) {
		if (skipped[i])
			run->nodes[i].failed = false;
		if (skipped[i] || run->nodes[i].failed)
			continue;
		smp_node_take_switch_info(&run->nodes[i].facts, items[i].data);
	}
	free(items);
}

/* Of the nodes that answered: without it a row is still worth having. */
static void learn_descriptions(struct smp_run *run)
{
	struct mad_item *items = ask_all(run, UMAD_SM_ATTR_NODE_DESC, 0, "NodeDescription");

	for (size_t i = 0; i < run->session.destination_count; i++)
		if (!run->nodes[i].failed)
			run->nodes[i].description = text_clean((const char *)items[i].data, 64);
	free(items);
}

/* 3, 1-36: ports, or entries of a table. False: it is none. */
static bool parse_range(const char *word, struct smp_range *range)
{
	_cleanup_(freep) char *text = mem_string(word);
	char *dash = strchr(text, '-');
	uint64_t first, last;

	if (dash)
		*dash = '\0';
	if (text_parse_u64(text, 0, UINT16_MAX, &first))
		return false;
	last = first;
	if (dash && text_parse_u64(dash + 1, 0, UINT16_MAX, &last))
		return false;
	*range = (struct smp_range){(uint32_t)first, (uint32_t)last};
	return first <= last;
}

/* What was asked for by its number, and the node has not. */
static void tell_lack(struct smp_run *run, size_t destination, const struct smp_range *ranges)
{
	const struct mad_destination *at = &run->session.destinations[destination];
	const struct node *node = &run->nodes[destination];
	const bool ports = smp_counts_ports(run->attribute);
	struct problems *problems = &run->session.listing.problems;
	struct smp_range extent;

	if (!ports && run->attribute->entry_bytes != 8 && !node->facts.is_switch) {
		problem_add_text(problems, at->name, run->attribute->name, "smp",
				 "the node is no switch", "rdmactl smp nodeinfo tells what it is");
		return;
	}
	if (!smp_extent(run->attribute, &node->facts, &extent))
		return;
	for (size_t i = 0; i < at->word_count; i++) {
		_cleanup_(freep) char *text = NULL;

		if (ranges[i].first >= extent.first && ranges[i].last <= extent.last)
			continue;
		if (ports)
			text = mem_format("its last port is %u", extent.last);
		else if (extent.first)
			text = mem_format("it has 0x%x to 0x%x", extent.first, extent.last);
		else
			text = mem_format("it has 0 to %u", extent.last);
		problem_add_text(problems, at->name, ports ? "ports" : "entries", "smp", text,
				 NULL);
		break;
	}
}

/* Whether ports or entries may be named, beside --all-ports; the complaint is made. */
static bool words_fit(struct smp_run *run, const struct mad_destination *at)
{
	_cleanup_(freep) char *message = NULL;

	if (!at->word_count)
		return true;
	if (run->args->all_ports)
		message = mem_string("--all-ports cannot be used with ports by number");
	else if (run->attribute->modifier == MODIFIER_NONE)
		message = mem_format("%s belongs to the node, not to a port or an entry",
				     run->attribute->word);
	if (message)
		listing_fail(&run->session.listing, STATUS_USAGE, message,
			     run->args->all_ports ? NULL
						  : "do not give a port or entry after the "
						    "destination");
	return !message;
}

static bool plan_destination(struct smp_run *run, size_t destination)
{
	const struct mad_destination *at = &run->session.destinations[destination];
	_cleanup_(freep) struct smp_range *ranges = mem_alloc_zero(at->word_count + 1,
								   sizeof(*ranges));
	const struct smp_choice choice = {ranges, at->word_count, run->args->all_ports};
	_cleanup_(freep) struct smp_step *steps = NULL;
	size_t count = 0;

	for (size_t i = 0; i < at->word_count; i++) {
		_cleanup_(freep) char *clean = NULL, *message = NULL;

		if (parse_range(at->words[i], &ranges[i]))
			continue;
		clean = text_clean(at->words[i], strlen(at->words[i]));
		message = mem_format("'%s' is no number and no range", clean);
		listing_fail(&run->session.listing, STATUS_USAGE, message,
			     smp_counts_ports(run->attribute) ? "ports: 1 2 5-8"
							      : "entries of the table: 5 16-31");
		return false;
	}
	if (!words_fit(run, at))
		return false;
	if (run->nodes[destination].failed)
		return true;
	tell_lack(run, destination, ranges);
	smp_plan(run->attribute, &run->nodes[destination].facts, &choice, &steps, &count);
	for (size_t i = 0; i < count; i++) {
		struct errand *errand = mem_append(&run->errands, &run->errand_count,
						   sizeof(*errand));

		*errand = (struct errand){destination, steps[i]};
	}
	return true;
}

static struct mad_record *add_record(struct smp_run *run, const struct errand *errand)
{
	const struct mad_destination *at = &run->session.destinations[errand->destination];
	const struct node *node = &run->nodes[errand->destination];
	struct mad_record *record = mem_append(&run->records, &run->record_count, sizeof(*record));

	*record = (struct mad_record){
		.object = mem_string(at->name),
		.node = node->description ? mem_string(node->description) : NULL,
		.port = errand->step.port,
	};
	if (at->place.target.kind != TARGET_DIRECT)
		record->lid = number_of(at->place.address.lid);
	return record;
}

/* Entries that nobody uses are left out, unless they were named. */
static bool is_wanted(const struct smp_run *run, const struct errand *errand, uint32_t index,
		      const unsigned char *entry)
{
	const struct mad_attribute *attribute = run->attribute;

	if (index < errand->step.from || index > errand->step.to)
		return false;
	if (run->args->all || (!smp_counts_ports(attribute) &&
			       run->session.destinations[errand->destination].word_count))
		return true;
	/* Entries of weight 0 are skipped, whatever their lane: 7.6.9.2 */
	if (attribute->modifier == MODIFIER_VLARB)
		return entry[1];
	for (size_t i = 0; i < attribute->entry_bytes; i++)
		if (entry[i] != attribute->empty_byte)
			return true;
	return false;
}

static void add_entries(struct smp_run *run, const struct errand *errand,
			const struct mad_item *item)
{
	const struct mad_attribute *attribute = run->attribute;

	for (uint32_t i = 0; i < attribute->entries; i++) {
		uint32_t index = errand->step.first + i;
		const unsigned char *entry = item->data + i * attribute->entry_bytes;
		struct mad_record *record;

		if (!is_wanted(run, errand, index, entry))
			continue;
		record = add_record(run, errand);
		record->index = number_of(index);
		memcpy(record->data, entry, attribute->entry_bytes);
	}
}

/*
 * A position has 16 ports of each multicast entry: the record has all positions side by side, so
 * that a row has all ports of the group.
 */
static void add_position(struct smp_run *run, const struct errand *errand,
			 const struct mad_item *item, size_t first_record)
{
	uint32_t position = errand->step.modifier >> 28;

	for (uint32_t i = 0; i < run->attribute->entries; i++) {
		uint32_t index = errand->step.first + i;
		const unsigned char *entry = item->data + i * run->attribute->entry_bytes;
		struct mad_record *record = NULL;

		if (!is_wanted(run, errand, index, entry))
			continue;
		for (size_t j = first_record; j < run->record_count && !record; j++)
			if (run->records[j].index.value == index)
				record = &run->records[j];
		if (!record) {
			record = add_record(run, errand);
			record->index = number_of(index);
		}
		memcpy(record->data + position * run->attribute->entry_bytes, entry,
		       run->attribute->entry_bytes);
	}
}

static int compare_index(const void *a, const void *b)
{
	const struct mad_record *one = a, *two = b;

	return one->index.value < two->index.value ? -1 : one->index.value > two->index.value;
}

static void add_whole(struct smp_run *run, const struct errand *errand, const struct mad_item *item)
{
	struct mad_record *record = add_record(run, errand);

	memcpy(record->data, item->data, run->attribute->bytes);
	if (run->attribute->modifier == MODIFIER_SL2VL &&
	    run->nodes[errand->destination].facts.is_switch)
		record->index = number_of(errand->step.first);
}

static void add_raw(struct smp_run *run, const struct errand *errand, const struct mad_item *item)
{
	struct mad_record *record = add_record(run, errand);

	record->index = number_of(errand->step.modifier);
	memcpy(record->data, item->data, SMP_BYTES);
}

/* Who told what it is, is there: it may be that it does not have the attribute. */
static bool check(struct smp_run *run, const struct errand *errand, const struct mad_item *item)
{
	const struct mad_attribute *attribute = run->attribute;
	const char *hint = NULL;
	_cleanup_(freep) char *what = mem_string(attribute->name);

	if (errand->step.port.known && errand->step.port.value) {
		free(what);
		what = mem_format("%s of port %u", attribute->name,
				  (unsigned int)errand->step.port.value);
	}
	if (item->error == -ETIMEDOUT && attribute->id == UMAD_SM_ATTR_SM_INFO)
		hint = "no subnet manager answers there: it has ended or hangs, or never was there";
	else if (item->error == -ETIMEDOUT && attribute->modifier != MODIFIER_NONE)
		hint = "the node answers other requests, but this one not: it may not have the "
		       "attribute";
	return mad_session_check_hint(
		&run->session, &run->session.destinations[errand->destination], what, item, hint);
}

/* Of one destination: `errand` and those behind it. Returns how many they are. */
static size_t add_rows(struct smp_run *run, const struct errand *errands, size_t count,
		       const struct mad_item *items)
{
	const struct mad_attribute *attribute = run->attribute;
	size_t first_record = run->record_count, i = 0;

	for (; i < count && errands[i].destination == errands[0].destination; i++) {
		const struct errand *errand = &errands[i];

		if (!check(run, errand, &items[i]))
			continue;
		if (run->args->raw)
			add_raw(run, errand, &items[i]);
		else if (attribute->modifier == MODIFIER_MULTICAST)
			add_position(run, errand, &items[i], first_record);
		else if (attribute->entries)
			add_entries(run, errand, &items[i]);
		else
			add_whole(run, errand, &items[i]);
	}
	/* Positions come one after another, each with entries that the ones before did not use. */
	if (attribute->modifier == MODIFIER_MULTICAST && !run->args->raw)
		qsort(run->records + first_record, run->record_count - first_record,
		      sizeof(*run->records), compare_index);
	return i;
}

/* Who answered nothing needs no description, and is not asked once more. */
static void forget_silent(struct smp_run *run, const struct mad_item *items)
{
	for (size_t i = 0; i < run->session.destination_count; i++)
		run->nodes[i].failed = true;
	for (size_t i = 0; i < run->errand_count; i++)
		if (!items[i].error && !items[i].status)
			run->nodes[run->errands[i].destination].failed = false;
}

static void work(struct smp_run *run)
{
	struct listing *listing = &run->session.listing;
	const struct mad_attribute *attribute = run->attribute;
	struct mad_item *items;

	run->nodes = mem_alloc_zero(run->session.destination_count, sizeof(*run->nodes));
	if (attribute->modifier != MODIFIER_NONE)
		learn(run);
	if (smp_needs_switch_info(attribute))
		learn_switches(run);
	for (size_t i = 0; i < run->session.destination_count; i++)
		if (!plan_destination(run, i))
			return;
	items = mad_items_new(run->errand_count);
	for (size_t i = 0; i < run->errand_count; i++)
		ask(run, run->errands[i].destination, attribute->id, run->errands[i].step.modifier,
		    &items[i]);
	mad_gather(run->session.engine, items, run->errand_count);
	if (columns_needs(&listing->columns) & MAD_NEED_NODE) {
		forget_silent(run, items);
		learn_descriptions(run);
	}
	for (size_t i = 0; i < run->errand_count;)
		i += add_rows(run, &run->errands[i], run->errand_count - i, &items[i]);
	free(items);
	if (run->record_count > 1 && smp_is_record(attribute))
		listing_as_table(listing);
	for (size_t i = 0; i < run->record_count; i++)
		listing_add(listing, &run->records[i]);
	if (!run->record_count && listing->problems.count)
		listing->status = STATUS_FAILED;
}

int smp_get(const struct ctx *ctx, const struct smp_args *args,
	    const struct mad_attribute *attribute, char **words)
{
	struct smp_run run = {.args = args, .attribute = attribute};
	int status;

	if (smp_begin(&run.session, ctx, args, attribute,
		      args->raw ? &smp_raw_schema : attribute->schema, words))
		work(&run);
	for (size_t i = 0; run.nodes && i < run.session.destination_count; i++)
		free(run.nodes[i].description);
	status = mad_session_end(&run.session);
	for (size_t i = 0; i < run.record_count; i++)
		mad_record_clear(&run.records[i]);
	free(run.records);
	free(run.nodes);
	free(run.errands);
	return status;
}
