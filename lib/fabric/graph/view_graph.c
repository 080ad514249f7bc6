/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The columns of what did not answer, and of the scan as a whole. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "fabric/graph/details.h"
#include "fabric/graph/place_columns.h"
#include "mad/format/attribute.h"

static const struct fabric_silence *silence_of(const void *record)
{
	const struct fabric_row *row = record;

	return fabric_of(row) ? &fabric_of(row)->silences[row->place] : NULL;
}

static void get_object(const void *record, struct value *value)
{
	const struct fabric_row *row = record;
	char *object, *message;

	if (!silence_of(record))
		return;
	fabric_silence_text(row->view, silence_of(record), &object, &message);
	text_clean_into(value->scratch, sizeof(value->scratch), object, strlen(object));
	value_set_string(value, value->scratch);
	free(object);
	free(message);
}

static void get_reason(const void *record, struct value *value)
{
	const struct fabric_row *row = record;
	char *object, *message;

	if (!silence_of(record))
		return;
	fabric_silence_text(row->view, silence_of(record), &object, &message);
	text_clean_into(value->scratch, sizeof(value->scratch), message, strlen(message));
	value_set_string(value, value->scratch);
	free(object);
	free(message);
}

static void get_attribute(const void *record, struct value *value)
{
	const struct mad_attribute *attribute;

	if (!silence_of(record))
		return;
	attribute = mad_attribute_find(MAD_CLASS_SM_DIRECT, silence_of(record)->attribute);
	value_set_string(value, attribute ? attribute->name : NULL);
}

/* The row of the port that the silence is about; of nowhere: the scan did not get as far. */
static struct fabric_row port_row(const void *record)
{
	const struct fabric_row *row = record;

	return (struct fabric_row){
		.view = row->view,
		.place = silence_of(record) ? silence_of(record)->port : FABRIC_NONE,
	};
}

#define OF_PORT(name_, get_)                                       \
	static void name_(const void *record, struct value *value) \
	{                                                          \
		const struct fabric_row port = port_row(record);   \
		get_(&port, value);                                \
	}
OF_PORT(get_port, place_get_port)
OF_PORT(get_guid, place_get_guid)
OF_PORT(get_index, place_get_index)

static void get_behind(const void *record, struct value *value)
{
	if (silence_of(record))
		value_set_bool(value, silence_of(record)->behind);
}

static void get_tries(const void *record, struct value *value)
{
	if (silence_of(record))
		value_set_unsigned(value, silence_of(record)->tries);
}

static void get_id(const void *record, struct value *value)
{
	if (!silence_of(record))
		return;
	snprintf(value->scratch, sizeof(value->scratch), "0x%04x", silence_of(record)->attribute);
	value_set_string(value, value->scratch);
}

static void get_error(const void *record, struct value *value)
{
	if (silence_of(record) && silence_of(record)->error)
		value_set_unsigned(value, (uint64_t)-silence_of(record)->error);
}

static void get_status(const void *record, struct value *value)
{
	if (!silence_of(record) || !silence_of(record)->status)
		return;
	snprintf(value->scratch, sizeof(value->scratch), "0x%04x", silence_of(record)->status);
	value_set_string(value, value->scratch);
}

/* The route to who did not answer. */
static void get_path(const void *record, struct value *value)
{
	const struct fabric_row *row = record, at = port_row(record);
	const struct fabric_port *port = place_port(&at);
	const struct fabric_silence *silence = silence_of(record);
	/* One more: the node that is too far away is behind the last one of a route. */
	uint8_t path[FABRIC_HOPS_MOST + 2];
	int hops;

	if (!port || !silence)
		return;
	hops = fabric_path(fabric_of(row), port->node, path);
	if (hops >= 0 && silence->behind)
		path[++hops] = port->number;
	view_set_path(value, path, hops);
}

static const struct field unanswered_fields[] = {
	VIEW_COLUMN(FIELD_STRING, get_object, "node", "NODE", FIELD_DEFAULT,
		    "the node and port that were asked, or that it is behind"),
	VIEW_COLUMN(FIELD_UNSIGNED, get_port, "port", "PORT", FIELD_RIGHT, "number of the port"),
	VIEW_COLUMN(FIELD_BOOL, get_behind, "behind", "BEHIND", FIELD_DEFAULT,
		    "whether it is the node at the other end that is silent"),
	VIEW_COLUMN(FIELD_STRING, get_path, "path", "PATH", FIELD_DEFAULT,
		    "directed route to who did not answer"),
	VIEW_COLUMN(FIELD_STRING, get_attribute, "attribute", "ATTRIBUTE", FIELD_DEFAULT,
		    "what was asked for last"),
	VIEW_COLUMN(FIELD_STRING, get_reason, "reason", "REASON", FIELD_DEFAULT,
		    "what came instead"),
	VIEW_COLUMN(FIELD_UNSIGNED, get_tries, "tries", "TRIES", FIELD_RIGHT,
		    "how many times it was asked for"),
	VIEW_COLUMN(FIELD_GUID, get_guid, "node_guid", "NODE GUID", 0, "GUID of the node"),
	VIEW_COLUMN(FIELD_UNSIGNED, get_index, "node_index", "NODE INDEX", FIELD_RIGHT,
		    "the node's place in the scan"),
	VIEW_COLUMN(FIELD_HEX, get_id, "attribute_id", "ATTRIBUTE ID", 0,
		    "number of the attribute"),
	VIEW_COLUMN(FIELD_UNSIGNED, get_error, "errno", "ERRNO", FIELD_RIGHT,
		    "error number of Linux, if no answer came"),
	VIEW_COLUMN(FIELD_HEX, get_status, "status", "STATUS", 0,
		    "status of the answer, if it was a refusal"),
};

const struct schema fabric_unanswered_schema = {
	.name = "fabric_unanswered",
	.version = 1,
	.summary = "what was asked for and did not come",
	.fields = unanswered_fields,
	.field_count = ARRAY_SIZE(unanswered_fields),
	.record_size = sizeof(struct fabric_row),
};

#define LIST_GETTER(member_)                                               \
	static void get_##member_(const void *record, struct value *value) \
	{                                                                  \
		const struct fabric_graph *graph = record;                 \
		value->kind = VALUE_RECORDS;                               \
		value->records.rows = graph->member_.items;                \
		value->records.count = graph->member_.count;               \
	}
LIST_GETTER(nodes)
LIST_GETTER(ports)
LIST_GETTER(links)
LIST_GETTER(unanswered)
LIST_GETTER(details)

#define ORIGIN_STRING(member_, ...) STRING_FIELD(struct fabric_graph, origin.member_, __VA_ARGS__)
#define ORIGIN_NUMBER(member_, ...) UNSIGNED_FIELD(struct fabric_graph, origin.member_, __VA_ARGS__)

static const struct field graph_fields[] = {
	ORIGIN_STRING(time, "time", "TIME", 0, 0, "when the scan was taken"),
	ORIGIN_STRING(host, "host", "HOST", 0, 0, "host that took it"),
	ORIGIN_STRING(device, "device", "DEVICE", 0, 0, "device that it was taken by"),
	ORIGIN_NUMBER(port, "port", "PORT", FIELD_RIGHT, 0, "port of the device"),
	ORIGIN_NUMBER(lid, "lid", "LID", FIELD_RIGHT, 0, "LID of the port"),
	ORIGIN_STRING(from, "from", "FROM", 0, 0,
		      "where it began, as it was named; null: at the port"),
	ORIGIN_NUMBER(most_hops, "most_hops", "MOST HOPS", FIELD_RIGHT, 0,
		      "cables from there that it went at most; null: to the end"),
	BOOL_FIELD(struct fabric_graph, complete, "complete", "COMPLETE", 0, 0,
		   "whether all that was asked for came"),
	BOOL_FIELD(struct fabric_graph, interrupted, "interrupted", "INTERRUPTED", 0, 0,
		   "whether the scan was ended before its time"),
	HEADED_RECORDS_FIELD(get_nodes, &fabric_nodes_schema, "nodes", "NODES", "all nodes"),
	HEADED_RECORDS_FIELD(get_ports, &fabric_ports_schema, "ports", "PORTS", "all their ports"),
	HEADED_RECORDS_FIELD(get_links, &fabric_links_schema, "links", "LINKS", "all cables"),
	HEADED_RECORDS_FIELD(get_unanswered, &fabric_unanswered_schema, "unanswered", "UNANSWERED",
			     "what was asked for and did not come"),
	HEADED_RECORDS_FIELD(get_details, &fabric_details_schema, "details", "DETAILS",
			     "tables of ports, of a scan with --details"),
};

const struct schema fabric_graph_schema = {
	.name = "fabric",
	.version = 1,
	.summary = "the subnet as a graph",
	.fields = graph_fields,
	.field_count = ARRAY_SIZE(graph_fields),
	.record_size = sizeof(struct fabric_graph),
};
