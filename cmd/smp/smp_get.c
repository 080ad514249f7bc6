/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads attributes of many nodes: first the sizes of their tables, then all blocks at once. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "mad/names/find_node.h"
#include "mad/smp_plan.h"
#include "cmd/smp/smp_run.h"

/* The node of a destination, and the facts that determine the sizes of its tables. */
struct node {
	struct smp_node facts;
	char *description;
	bool failed;
};

struct query {
	size_t destination;
	struct smp_step step;
};

struct smp_run {
	struct mad_listing mad;
	const struct smp_args *args;
	const struct mad_attribute *attribute;
	struct node *nodes;
	struct query *queries;
	size_t query_count;
	struct mad_record *records;
	size_t record_count;
};

static const char deaf_hint[] =
	"the node answers other requests but not this one: it may not have the attribute";

/*
 * Queries an attribute of every node that has not failed yet, and passes the data to `take`.
 * NodeInfo is the first query of each node. Without `take` it is the description.
 */
static void learn(struct smp_run *run, uint16_t attribute, const char *what,
		  void (*take)(struct smp_node *facts, const unsigned char *data))
{
	size_t count = run->mad.session.destination_count;
	_cleanup_(freep) struct mad_item *items = mad_items_new(count);

	for (size_t i = 0; i < count; i++) {
		/* Only switches have SwitchInfo. */
		items[i].skipped = run->nodes[i].failed || (attribute == UMAD_SM_ATTR_SWITCH_INFO &&
							    !run->nodes[i].facts.is_switch);
		mad_session_ask(&run->mad.session, &run->mad.session.destinations[i], attribute, 0,
				&items[i]);
	}
	mad_gather(run->mad.session.engine, items, count);
	for (size_t i = 0; i < count; i++) {
		const struct mad_item *item = &items[i];
		struct node *node = &run->nodes[i];

		if (item->skipped)
			continue;
		if (!mad_session_check(
			    &run->mad.session, &run->mad.session.destinations[i], what, item,
			    item->error == -ETIMEDOUT && attribute != UMAD_SM_ATTR_NODE_INFO
				    ? deaf_hint
				    : NULL))
			node->failed = true;
		else if (take)
			take(&node->facts, item->data);
		else
			node->description = text_clean((const char *)item->data,
						       NODE_DESCRIPTION_BYTES);
	}
}

/* Finds the sizes of the nodes' tables: 14.2.5.3, 14.2.5.4, 14.2.5.6. */
static void learn_sizes(struct smp_run *run)
{
	learn(run, UMAD_SM_ATTR_NODE_INFO, "NodeInfo", smp_node_take_node_info);
	if (smp_needs_port_info(run->attribute) && !smp_counts_ports(run->attribute))
		learn(run, UMAD_SM_ATTR_PORT_INFO, "PortInfo", smp_node_take_port_info);
	if (smp_needs_switch_info(run->attribute))
		learn(run, UMAD_SM_ATTR_SWITCH_INFO, "SwitchInfo", smp_node_take_switch_info);
}

/* Reports ports or entries that were named by number and that the node does not have. */
static void report_missing(struct smp_run *run, size_t destination, const struct smp_range *ranges)
{
	const struct mad_destination *at = &run->mad.session.destinations[destination];
	const struct node *node = &run->nodes[destination];
	const bool ports = smp_counts_ports(run->attribute);
	struct problems *problems = &run->mad.listing.problems;
	struct smp_range extent;

	if (!ports && run->attribute->entry_bytes != 8 && !node->facts.is_switch) {
		problem_add_text(problems, at->name, run->attribute->name, "smp",
				 "the node is not a switch", "rdmactl smp nodeinfo shows its type");
		return;
	}
	if (!smp_extent(run->attribute, &node->facts, &extent))
		return;
	for (size_t i = 0; i < at->word_count; i++) {
		if (ranges[i].first >= extent.first && ranges[i].last <= extent.last)
			continue;
		if (ports)
			problem_add_format(problems, at->name, "ports", "smp", NULL,
					   "its last port is %u", extent.last);
		else
			problem_add_format(problems, at->name, "entries", "smp", NULL,
					   extent.first ? "the node has 0x%x to 0x%x"
							: "the node has %u to %u",
					   extent.first, extent.last);
		break;
	}
}

/* Reports chosen ports whose tables the node does not report, or does not have. */
static void report_left_out(struct smp_run *run, size_t destination,
			    const struct smp_choice *choice)
{
	const struct smp_node *facts = &run->nodes[destination].facts;
	const char *name = run->mad.session.destinations[destination].name;
	struct problems *problems = &run->mad.listing.problems;

	if (smp_leaves_ports(run->attribute, facts, choice))
		problem_add_format(
			problems, name, "ports", "smp",
			"query another port by its own LID or GUID, which rdmactl sa nodes lists, "
			"or by a route that ends there",
			"port %u answers here, and does not report %s of other ports",
			(unsigned int)facts->local_port, run->attribute->name);
	else if (smp_is_only_base_port(run->attribute, facts, choice))
		problem_add_format(problems, name, "ports", "smp",
				   "omit the port to get the tables of all others",
				   "port 0 of this switch is a base port, which has no %s",
				   run->attribute->name);
}

bool smp_words_fit(struct listing *listing, const struct smp_args *args,
		   const struct mad_attribute *attribute, const struct mad_destination *at)
{
	if (!at->word_count)
		return true;
	if (at->named_port && !smp_counts_ports(attribute))
		return listing_fail_format(listing, STATUS_USAGE, "omit the port",
					   "'%s' names a port, but %s belongs to the node",
					   at->name, attribute->word);
	if (args->all_ports)
		return listing_fail(listing, STATUS_USAGE,
				    "--all-ports cannot be used with ports by number", NULL);
	return attribute->modifier != MODIFIER_NONE ||
	       listing_fail_format(listing, STATUS_USAGE,
				   "do not give a port or entry after the destination",
				   "%s belongs to the node, not to a port or an entry",
				   attribute->word);
}

static void add_queries(struct smp_run *run, size_t destination, const struct smp_node *facts,
			const struct smp_choice *choice)
{
	_cleanup_(freep) struct smp_step *steps = NULL;
	size_t count = 0;

	smp_plan(run->attribute, facts, choice, &steps, &count);
	for (size_t i = 0; i < count; i++)
		MEM_ADD(run->queries, run->query_count) = (struct query){destination, steps[i]};
}

static bool plan_destination(struct smp_run *run, size_t destination)
{
	const struct mad_destination *at = &run->mad.session.destinations[destination];
	_cleanup_(freep) struct smp_range *ranges = mem_alloc_zero(at->word_count + 1,
								   sizeof(*ranges));
	const struct smp_choice choice = {
		.ranges = ranges,
		.count = at->word_count,
		.all_ports = run->args->all_ports,
		.port_info = run->attribute->modifier == MODIFIER_VLARB,
	};

	for (size_t i = 0; i < at->word_count; i++) {
		if (mad_parse_range(at->words[i], 0, UINT16_MAX, &ranges[i].first, &ranges[i].last))
			continue;
		return listing_fail_format(&run->mad.listing, STATUS_USAGE,
					   smp_counts_ports(run->attribute)
						   ? "ports: 1 2 5-8"
						   : "entries of the table: 5 16-31",
					   "'%s' is not a number or a range", at->words[i]);
	}
	if (!smp_words_fit(&run->mad.listing, run->args, run->attribute, at))
		return false;
	if (run->nodes[destination].failed)
		return true;
	report_missing(run, destination, ranges);
	report_left_out(run, destination, &choice);
	add_queries(run, destination, &run->nodes[destination].facts, &choice);
	return true;
}

static struct mad_record *add_record(struct smp_run *run, const struct query *query)
{
	const struct mad_destination *at = &run->mad.session.destinations[query->destination];
	const struct node *node = &run->nodes[query->destination];
	struct mad_record *record = mem_append(&run->records, &run->record_count, sizeof(*record));

	*record = (struct mad_record){
		.object = mem_string(at->name),
		.node = mem_string_or_null(node->description),
		.lid = mad_place_lid(&at->place),
		.port = query->step.port,
	};
	return record;
}

/* Unused entries are omitted unless they were named. */
static bool is_wanted(const struct smp_run *run, const struct query *query, uint32_t index,
		      const unsigned char *entry)
{
	const struct mad_attribute *attribute = run->attribute;

	if (index < query->step.from || index > query->step.to)
		return false;
	if (run->args->all || (!smp_counts_ports(attribute) &&
			       run->mad.session.destinations[query->destination].word_count))
		return true;
	/* Entries of weight 0 are skipped, whatever their lane: 7.6.9.2 */
	if (attribute->modifier == MODIFIER_VLARB)
		return entry[1];
	for (size_t i = 0; i < attribute->entry_bytes; i++)
		if (entry[i] != attribute->empty_byte)
			return true;
	return false;
}

/*
 * A position holds 16 ports of each multicast entry. The record joins all positions of the node,
 * so that a row has all ports of the group.
 */
static struct mad_record *record_of_entry(struct smp_run *run, const struct query *query,
					  uint32_t index, size_t first_record)
{
	struct mad_record *record;

	for (size_t i = first_record;
	     run->attribute->modifier == MODIFIER_MULTICAST && i < run->record_count; i++)
		if (run->records[i].index.value == index)
			return &run->records[i];
	record = add_record(run, query);
	record->index = number_of(index);
	return record;
}

static void add_entries(struct smp_run *run, const struct query *query, const struct mad_item *item,
			size_t first_record)
{
	const struct mad_attribute *attribute = run->attribute;
	const size_t bytes = attribute->entry_bytes;
	const uint32_t position = attribute->modifier == MODIFIER_MULTICAST
					  ? query->step.modifier >> MAD_MULTICAST_POSITION
					  : 0;

	for (uint32_t i = 0; i < attribute->entries; i++) {
		const uint32_t index = query->step.first + i;
		const unsigned char *entry = item->data + i * bytes;

		if (is_wanted(run, query, index, entry))
			memcpy(record_of_entry(run, query, index, first_record)->data +
				       position * bytes,
			       entry, bytes);
	}
}

static int compare_index(const void *a, const void *b)
{
	const struct mad_record *one = a, *two = b;

	return COMPARE(one->index.value, two->index.value);
}

static void add_attribute(struct smp_run *run, const struct query *query,
			  const struct mad_item *item)
{
	struct mad_record *record = add_record(run, query);

	memcpy(record->data, item->data, run->attribute->bytes);
	if (run->attribute->modifier == MODIFIER_SL2VL &&
	    run->nodes[query->destination].facts.is_switch)
		record->index = number_of(query->step.first);
}

static void add_raw(struct smp_run *run, const struct query *query, const struct mad_item *item)
{
	struct mad_record *record = add_record(run, query);

	record->index = number_of(query->step.modifier);
	memcpy(record->data, item->data, SMP_BYTES);
}

/* A node that answered NodeInfo is up: it may not have the attribute. */
static bool check(struct smp_run *run, const struct mad_attribute *attribute,
		  const struct query *query, const struct mad_item *item)
{
	const char *hint = NULL;
	_cleanup_(freep) char *what = query->step.port.known && query->step.port.value
					      ? mem_format("%s of port %u", attribute->name,
							   (unsigned int)query->step.port.value)
					      : mem_string(attribute->name);

	if (item->error == -ETIMEDOUT && attribute->id == UMAD_SM_ATTR_SM_INFO)
		hint = "no subnet manager answers there: it is not running, or hangs";
	else if (item->error == -ETIMEDOUT && attribute->modifier != MODIFIER_NONE)
		hint = deaf_hint;
	else if (attribute->id == UMAD_SM_ATTR_SWITCH_INFO && !item->error &&
		 (item->status & UMAD_STATUS_INVALID_FIELD_MASK) == UMAD_STATUS_ATTR_NOT_SUPPORTED)
		hint = "only switches have it: rdmactl smp nodeinfo shows the type of the node";
	return mad_session_check(&run->mad.session,
				 &run->mad.session.destinations[query->destination], what, item,
				 hint);
}

/* Adds the rows of the first destination. Returns its number of queries. */
static size_t add_rows(struct smp_run *run, const struct query *queries, size_t count,
		       const struct mad_item *items)
{
	const struct mad_attribute *attribute = run->attribute;
	size_t first_record = run->record_count, i = 0;

	for (; i < count && queries[i].destination == queries[0].destination; i++) {
		const struct query *query = &queries[i];

		if (!check(run, attribute, query, &items[i]))
			continue;
		if (run->args->raw)
			add_raw(run, query, &items[i]);
		else if (attribute->entries)
			add_entries(run, query, &items[i], first_record);
		else
			add_attribute(run, query, &items[i]);
	}
	/* A later position may have entries that are empty in all earlier ones. */
	if (attribute->modifier == MODIFIER_MULTICAST && !run->args->raw &&
	    run->record_count > first_record)
		qsort(run->records + first_record, run->record_count - first_record,
		      sizeof(*run->records), compare_index);
	return i;
}

/* A node that answered nothing is not queried for its description. */
static void skip_unanswered(struct smp_run *run, const struct mad_item *items)
{
	for (size_t i = 0; i < run->mad.session.destination_count; i++)
		run->nodes[i].failed = true;
	for (size_t i = 0; i < run->query_count; i++)
		if (!items[i].error && !items[i].status)
			run->nodes[run->queries[i].destination].failed = false;
}

static struct mad_item *ask_queries(struct smp_run *run, const struct mad_attribute *attribute)
{
	struct mad_item *items = mad_items_new(run->query_count);

	for (size_t i = 0; i < run->query_count; i++)
		mad_session_ask(&run->mad.session,
				&run->mad.session.destinations[run->queries[i].destination],
				attribute->id, run->queries[i].step.modifier, &items[i]);
	mad_gather(run->mad.session.engine, items, run->query_count);
	return items;
}

/* Replaces the queries for the PortInfo of ports by those for their tables. */
static void plan_sized_ports(struct smp_run *run)
{
	const struct mad_attribute *port_info = mad_attribute_find(UMAD_CLASS_SUBN_LID_ROUTED,
								   UMAD_SM_ATTR_PORT_INFO);
	_cleanup_(freep) struct mad_item *items = ask_queries(run, port_info);
	_cleanup_(freep) struct query *ports = run->queries;
	size_t count = run->query_count;

	run->queries = NULL;
	run->query_count = 0;
	for (size_t i = 0; i < count; i++) {
		const uint32_t port = (uint32_t)ports[i].step.port.value;
		const struct smp_range range = {port, port};
		const struct smp_choice choice = {.ranges = &range, .count = 1};
		struct smp_node facts = run->nodes[ports[i].destination].facts;

		if (!check(run, port_info, &ports[i], &items[i]))
			continue;
		smp_node_take_port_info(&facts, items[i].data);
		add_queries(run, ports[i].destination, &facts, &choice);
	}
}

static void report_unnamed(struct mad_listing *mad, int error)
{
	static const char text[] = "the destinations have no names: no subnet administrator to ask";

	if (error == -ENODATA)
		problem_add_text(&mad->listing.notes, NULL, NULL, NULL, text, NULL);
	else if (error == -EPROTO)
		problem_add_text(&mad->listing.problems, NULL, "destination", "sa",
				 "the subnet administrator refused the query",
				 "rdmactl sa nodes shows the status");
	else if (error && error != -ECANCELED)
		problem_add_text(&mad->listing.problems, NULL, "destination", "sa",
				 mad_sa_error(error), MAD_SA_HINT);
}

/*
 * Names the destinations of entries of linear forwarding tables, if a column needs it. An unknown
 * name stays empty; the reason is a problem or, without a subnet manager, a note for -v.
 */
static void name_destinations(struct mad_listing *mad, struct mad_record *records, size_t count)
{
	struct lid_owners *owners;

	if (!(columns_needs(&mad->listing.columns) & MAD_NEED_DESTINATION) || !count)
		return;
	owners = mem_alloc_zero(1, sizeof(*owners));
	for (size_t i = 0; i < count; i++)
		owners->wanted[(uint16_t)records[i].index.value] = records[i].index.value;
	report_unnamed(mad, lid_owners_name(mad->session.engine, &mad->session.port.route,
					    &mad->session.names, owners));
	for (size_t i = 0; i < count; i++)
		records[i].destination = mem_string_or_null(
			owners->names[(uint16_t)records[i].index.value]);
	lid_owners_free(owners);
}

static void work(struct smp_run *run)
{
	struct listing *listing = &run->mad.listing;
	const struct mad_attribute *attribute = run->attribute;
	struct mad_item *items;

	run->nodes = mem_alloc_zero(run->mad.session.destination_count, sizeof(*run->nodes));
	if (attribute->modifier != MODIFIER_NONE)
		learn_sizes(run);
	for (size_t i = 0; i < run->mad.session.destination_count; i++)
		if (!plan_destination(run, i))
			return;
	if (attribute->modifier == MODIFIER_VLARB)
		plan_sized_ports(run);
	items = ask_queries(run, attribute);
	if (columns_needs(&listing->columns) & MAD_NEED_NODE) {
		skip_unanswered(run, items);
		/* A row without a description is still useful. */
		learn(run, UMAD_SM_ATTR_NODE_DESC, "NodeDescription", NULL);
	}
	for (size_t i = 0; i < run->query_count;)
		i += add_rows(run, &run->queries[i], run->query_count - i, &items[i]);
	free(items);
	name_destinations(&run->mad, run->records, run->record_count);
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

	if (smp_begin(&run.mad, ctx, args, attribute,
		      args->raw ? &smp_raw_schema : attribute->schema, words))
		work(&run);
	for (size_t i = 0; run.nodes && i < run.mad.session.destination_count; i++)
		free(run.nodes[i].description);
	status = mad_listing_end(&run.mad);
	for (size_t i = 0; i < run.record_count; i++)
		mad_record_clear(&run.records[i]);
	free(run.records);
	free(run.nodes);
	free(run.queries);
	return status;
}
