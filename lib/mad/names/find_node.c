/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mad/names/find_node.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/gid.h"
#include "base/mem.h"
#include "base/text.h"
#include "mad/format/header.h"
#include "schema/bits.h"

/* NodeRecord, 15.2.5.2: the LID, NodeInfo at byte 4, and the description. */
enum {
	NODE_RECORD_BYTES = 108,
	RECORD_INFO = 4,
	RECORD_DESCRIPTION = RECORD_INFO + NODE_INFO_BYTES,
};
#define NODE_HAS_LID	     (1ull << 0)
#define NODE_HAS_GUID	     (1ull << 7)
#define NODE_HAS_DESCRIPTION (1ull << 14)

/* A query of NodeRecords, and what is done with each record of its answer. */
struct query {
	uint64_t mask;
	unsigned char record[NODE_RECORD_BYTES];
	size_t number; /* for the caller */
};

struct reader {
	const struct mad_route *route;
	struct query *queries;
	size_t count;
	void *context;
	/* `record` is valid during the call. */
	void (*take)(void *context, const struct query *query, const unsigned char *record);
	/* The end of a query: an error, or a status of the SA, or 0 for both. */
	void (*end)(void *context, const struct query *query, int error, uint16_t status, bool cut);
};

static struct query *add_query(struct reader *reader, uint64_t mask, size_t number)
{
	struct query *query = mem_append(&reader->queries, &reader->count, sizeof(*query));

	*query = (struct query){.mask = mask, .number = number};
	return query;
}

static void take_answer(void *context, struct mad_item *item, const struct mad_reply *reply)
{
	const struct reader *reader = context;
	const struct query *query = &reader->queries[reply->request->number];
	struct mad_table table = {.count = 0};

	/* "No records" is a valid answer: no node has that name. */
	if (item->status == MAD_SA_STATUS(UMAD_SA_STATUS_NO_RECORDS))
		item->status = 0;
	else if (!item->error && !item->status)
		table = mad_table_of(reply->mad, reply->bytes, NODE_RECORD_BYTES);
	for (size_t i = 0; i < table.count; i++)
		reader->take(reader->context, query, table.records + i * table.size);
	reader->end(reader->context, query, item->error, item->status, table.cut);
}

static int read_all(struct reader *reader, struct mad_engine *engine)
{
	struct mad_item *items = mad_items_new(reader->count);
	int rc;

	for (size_t i = 0; i < reader->count; i++)
		items[i].request = mad_sa_request(reader->route, UMAD_SA_METHOD_GET_TABLE,
						  UMAD_SA_ATTR_NODE_REC, reader->queries[i].mask,
						  reader->queries[i].record, NODE_RECORD_BYTES);
	rc = mad_gather_long(engine, items, reader->count, take_answer, reader);
	free(items);
	free(reader->queries);
	reader->queries = NULL;
	reader->count = 0;
	return rc;
}

char *node_record_name(const unsigned char *record, const struct node_names *names)
{
	const char *description = (const char *)record + RECORD_DESCRIPTION;
	const uint64_t guid = node_info_node_guid(record + RECORD_INFO);
	const char *given = node_names_find(names, guid);
	size_t length = strnlen(description, NODE_DESCRIPTION_BYTES);
	char text[GID_TEXT_SIZE];

	if (given)
		return mem_string(given);
	while (length && description[length - 1] == ' ')
		length--;
	if (length)
		return text_clean(description, length);
	guid_format(guid, text);
	return mem_string(text);
}

/* One way to read a text: as a name, or as NAME/PORT. */
struct candidate {
	size_t search;
	char *name;
	struct node_search found;
};

struct finder {
	const struct node_names *names;
	struct candidate *candidates;
	size_t count;
	/* Set if the query asks for all nodes, to compare first words; and how that query ended. */
	bool by_first_word, cut;
	int error;
	uint16_t status;
};

static void add_candidate(struct finder *finder, size_t search, const char *text, size_t length,
			  struct number port)
{
	MEM_ADD(finder->candidates, finder->count) = (struct candidate){
		.search = search,
		.name = mem_format("%.*s", (int)length, text),
		.found.port = port,
	};
}

static void add_candidates(struct finder *finder, size_t search, const char *text)
{
	const char *slash = strrchr(text, '/');
	uint64_t port;

	add_candidate(finder, search, text, strlen(text), (struct number){.known = false});
	if (slash && slash > text && !text_parse_u64(slash + 1, 10, MAD_PORT_MOST, &port))
		add_candidate(finder, search, text, (size_t)(slash - text), number_of(port));
}

/* Queries all nodes of the name: by the GUIDs in the map, else by the description. */
static void ask(struct reader *reader, const struct finder *finder, size_t number)
{
	const char *name = finder->candidates[number].name;
	const size_t length = strlen(name);
	bool mapped = false;

	for (size_t i = 0; i < finder->names->count; i++) {
		struct query *query;

		if (strcmp(finder->names->items[i].name, name))
			continue;
		mapped = true;
		query = add_query(reader, NODE_HAS_GUID, number);
		node_info_set_node_guid(query->record + RECORD_INFO, finder->names->items[i].guid);
	}
	if (!mapped && length && length <= NODE_DESCRIPTION_BYTES)
		memcpy(add_query(reader, NODE_HAS_DESCRIPTION, number)->record + RECORD_DESCRIPTION,
		       name, length);
}

static void add_node(struct candidate *candidate, const struct node_names *names,
		     const unsigned char *record)
{
	const unsigned char *info = record + RECORD_INFO;

	MEM_ADD(candidate->found.nodes, candidate->found.count) = (struct found_node){
		.node_guid = node_info_node_guid(info),
		.port_guid = node_info_port_guid(info),
		.lid = (uint16_t)bits_get(record, 0, 16),
		.type = node_info_type(info),
		.port = node_info_type(info) == NODE_TYPE_SWITCH ? 0 : node_info_local_port(info),
		.port_count = node_info_ports(info),
		.name = node_record_name(record, names),
	};
}

static bool begins_with_word(const unsigned char *record, const char *name)
{
	const char *description = (const char *)record + RECORD_DESCRIPTION;
	const size_t length = strlen(name);

	return length && length < NODE_DESCRIPTION_BYTES && !memcmp(description, name, length) &&
	       description[length] == ' ';
}

static void take_node(void *context, const struct query *query, const unsigned char *record)
{
	struct finder *finder = context;

	if (!finder->by_first_word) {
		add_node(&finder->candidates[query->number], finder->names, record);
		return;
	}
	for (size_t i = 0; i < finder->count; i++)
		if (begins_with_word(record, finder->candidates[i].name))
			add_node(&finder->candidates[i], finder->names, record);
}

static void end_query(void *context, const struct query *query, int error, uint16_t status,
		      bool cut)
{
	struct finder *finder = context;
	struct node_search *found;

	if (finder->by_first_word) {
		finder->error = error;
		finder->status = status;
		finder->cut = cut;
		return;
	}
	found = &finder->candidates[query->number].found;
	found->error = error ? error : found->error;
	found->status = status ? status : found->status;
	found->cut |= cut;
}

void node_search_clear(struct node_search *search)
{
	for (size_t i = 0; i < search->count; i++)
		free(search->nodes[i].name);
	free(search->nodes);
	search->nodes = NULL;
	search->count = 0;
}

static void free_candidate(struct candidate *candidate)
{
	node_search_clear(&candidate->found);
	free(candidate->name);
}

static bool is_settled(const struct node_search *search)
{
	return search->count || search->error || search->status;
}

/* Moves the first candidate that was found, or that failed, into its search. */
static void settle(struct finder *finder, struct node_search *searches)
{
	size_t left = 0;

	for (size_t i = 0; i < finder->count; i++) {
		struct node_search *found = &finder->candidates[i].found;
		struct node_search *search = &searches[finder->candidates[i].search];

		if (is_settled(search) || !is_settled(found))
			continue;
		found->text = search->text;
		found->cut |= finder->cut;
		if (found->count)
			found->error = found->status = 0;
		*search = *found;
		*found = (struct node_search){.nodes = NULL};
	}
	for (size_t i = 0; i < finder->count; i++) {
		if (is_settled(&searches[finder->candidates[i].search]))
			free_candidate(&finder->candidates[i]);
		else
			finder->candidates[left++] = finder->candidates[i];
	}
	finder->count = left;
}

/* Compares the first words of all descriptions, for names that no node has as a whole. */
static int search_first_words(struct finder *finder, struct reader *reader,
			      struct mad_engine *engine, struct node_search *searches)
{
	int rc;

	finder->by_first_word = true;
	add_query(reader, 0, 0);
	rc = read_all(reader, engine);
	settle(finder, searches);
	for (size_t i = 0; i < finder->count; i++) {
		struct node_search *search = &searches[finder->candidates[i].search];

		search->error = finder->error;
		search->status = finder->status;
		search->cut = finder->cut;
	}
	return rc;
}

void node_search(struct mad_engine *engine, const struct mad_route *route,
		 const struct node_names *names, struct node_search *searches, size_t count)
{
	struct finder finder = {.names = names};
	struct reader reader = {
		.route = route,
		.context = &finder,
		.take = take_node,
		.end = end_query,
	};
	int rc;

	if (!route->subnet_manager) {
		for (size_t i = 0; i < count; i++)
			searches[i].error = -ENODATA;
		return;
	}
	for (size_t i = 0; i < count; i++)
		add_candidates(&finder, i, searches[i].text);
	for (size_t i = 0; i < finder.count; i++)
		ask(&reader, &finder, i);
	rc = read_all(&reader, engine);
	settle(&finder, searches);
	if (!rc && finder.count)
		rc = search_first_words(&finder, &reader, engine, searches);
	for (size_t i = 0; i < count && rc; i++)
		if (!is_settled(&searches[i]))
			searches[i].error = rc;
	for (size_t i = 0; i < finder.count; i++)
		free_candidate(&finder.candidates[i]);
	free(finder.candidates);
}

struct namer {
	const struct node_names *names;
	struct lid_owners *owners;
	int error;
};

static void take_owner(void *context, const struct query *query, const unsigned char *record)
{
	const struct namer *namer = context;
	/* The answer to a query by a LID above the base LID of its port has the base LID. */
	const size_t lid = query->mask ? query->number : bits_get(record, 0, 16);

	if (namer->owners->wanted[lid] && !namer->owners->names[lid])
		namer->owners->names[lid] = node_record_name(record, namer->names);
}

static void end_owner(void *context, const struct query *query, int error, uint16_t status,
		      bool cut)
{
	struct namer *namer = context;

	(void)query;
	(void)cut;
	if (!namer->error)
		namer->error = error ? error : status ? -EPROTO : 0;
}

int lid_owners_name(struct mad_engine *engine, const struct mad_route *route,
		    const struct node_names *names, struct lid_owners *owners)
{
	struct namer namer = {.names = names, .owners = owners};
	struct reader reader = {
		.route = route,
		.context = &namer,
		.take = take_owner,
		.end = end_owner,
	};
	int rc;

	if (!route->subnet_manager)
		return -ENODATA;
	add_query(&reader, 0, 0);
	rc = read_all(&reader, engine);
	if (rc || namer.error)
		return rc ? rc : namer.error;
	for (size_t lid = 0; lid < ARRAY_SIZE(owners->names); lid++)
		if (owners->wanted[lid] && !owners->names[lid])
			bits_set(add_query(&reader, NODE_HAS_LID, lid)->record, 0, 16, lid);
	rc = read_all(&reader, engine);
	return rc ? rc : namer.error;
}

void lid_owners_free(struct lid_owners *owners)
{
	for (size_t lid = 0; owners && lid < ARRAY_SIZE(owners->names); lid++)
		free(owners->names[lid]);
	free(owners);
}
