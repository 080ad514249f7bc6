/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "fabric/scan/port_counters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "fabric/scan/scan.h"
#include "host/device.h"
#include "mad/format/header.h"
#include "schema/bits.h"
#include "schema/rows.h"

#define AT_ONCE	  8u /* requests per node: more would overload some agents */
#define FEW_PORTS 3u /* from this many ports on, the sum (2 requests) is cheaper */

/* PortSelect of all ports at once: 16.1.3.5 */
static const unsigned char select_all[2] = {0, PERF_ALL_PORTS};

enum query_kind { QUERY_CLASS, QUERY_SUM, QUERY_COUNTERS, QUERY_EXTENDED };

struct query {
	uint32_t place; /* index of the node, or of the port in the list */
	enum query_kind kind;
};

struct agent {
	size_t first, count; /* its ports in the list */
	size_t next;	     /* first of them not queried yet */
	struct perf_caps caps;
	bool asked, known; /* whether its ClassPortInfo was queried, and is known */
	bool reported;	   /* the failure of PortCountersExtended was reported */
};

struct reader {
	const struct fabric *fabric;
	const struct port_errors_options *options;
	struct port_errors *errors;
	struct error_limits limits;
	struct agent *agents; /* by node */
	struct query *queries;
	size_t head, query_count;
};

static void ask(struct reader *reader, enum query_kind kind, size_t place)
{
	MEM_ADD(reader->queries, reader->query_count) = (struct query){.place = (uint32_t)place,
								       .kind = kind};
}

static void ask_class(struct reader *reader, uint32_t node)
{
	struct agent *agent = &reader->agents[node];

	if (!agent->asked)
		ask(reader, QUERY_CLASS, node);
	agent->asked = true;
}

static void ask_next_port(struct reader *reader, struct agent *agent)
{
	if (agent->next < agent->count)
		ask(reader, QUERY_COUNTERS, agent->first + agent->next++);
}

static void ask_ports(struct reader *reader, struct agent *agent)
{
	for (size_t i = 0; i < AT_ONCE; i++)
		ask_next_port(reader, agent);
}

static void ask_extended(struct reader *reader, const struct agent *agent, size_t place)
{
	reader->errors->items[place].caps = agent->caps;
	if (perf_has_extended(agent->caps))
		ask(reader, QUERY_EXTENDED, place);
}

static const uint16_t attributes[] = {
	[QUERY_CLASS] = UMAD_ATTR_CLASS_PORT_INFO,
	[QUERY_SUM] = MAD_PM_COUNTERS,
	[QUERY_COUNTERS] = MAD_PM_COUNTERS,
	[QUERY_EXTENDED] = MAD_PM_COUNTERS_EXTENDED,
};

static bool is_of_node(enum query_kind kind)
{
	return kind == QUERY_CLASS || kind == QUERY_SUM;
}

/* The port through which the node of a query is reached. */
static uint32_t port_of(const struct reader *reader, const struct query *query)
{
	const size_t place = is_of_node(query->kind) ? reader->agents[query->place].first
						     : query->place;

	return reader->errors->items[place].port;
}

static bool reader_next(void *context, struct mad_request *request)
{
	struct reader *reader = context;
	const struct query *query;

	if (reader->head == reader->query_count)
		return false;
	query = &reader->queries[reader->head];
	port_errors_request(reader->fabric, reader->options, port_of(reader, query),
			    UMAD_METHOD_GET, attributes[query->kind], request);
	request->number = reader->head++;
	if (query->kind == QUERY_CLASS)
		return true;
	request->data = query->kind == QUERY_SUM ? select_all
						 : reader->errors->items[query->place].select;
	request->data_bytes = sizeof(select_all);
	return true;
}

/* Whether an error counter is high enough for the port to be shown. */
static bool is_worth(const struct reader *reader, const unsigned char *data)
{
	for (size_t i = 0; i < perf_counters_schema.field_count; i++) {
		const struct field *field = &perf_counters_schema.fields[i];
		uint64_t bits;

		if (!field->tag)
			continue;
		bits = bits_get(data, field->bit, field->width);
		if (error_limit_is_passed(reader->limits.by_part[i], bits,
					  bits == (1ull << field->width) - 1))
			return true;
	}
	return false;
}

static struct agent *agent_of(const struct reader *reader, const struct query *query)
{
	return &reader->agents[reader->fabric->ports[port_of(reader, query)].node];
}

/* Notes a failure: of a whole switch at port 0, else at the port that was queried. */
static void note(struct reader *reader, const struct query *query, const struct mad_reply *reply)
{
	struct port_errors *errors = reader->errors;
	uint32_t port = port_of(reader, query);

	if (is_of_node(query->kind) && fabric_is_of_switch(reader->fabric, port))
		port = fabric_node_of(reader->fabric, port)->first_port;
	MEM_ADD(errors->failures, errors->failure_count) = fabric_failure_of(port, reply);
}

/* After a failure, nothing more is queried from the node or port. */
static void take_failure(struct reader *reader, const struct query *query,
			 const struct mad_reply *reply)
{
	struct agent *agent = agent_of(reader, query);

	if (query->kind == QUERY_SUM) {
		/* The agent claimed to support it; query the ports one by one. */
		ask_ports(reader, agent);
		return;
	}
	if (query->kind == QUERY_EXTENDED) {
		if (agent->reported)
			return;
		agent->reported = true;
	}
	note(reader, query, reply);
}

static void take_class(struct reader *reader, uint32_t node, const unsigned char *data)
{
	struct agent *agent = &reader->agents[node];

	agent->caps = perf_caps_of(data);
	agent->known = true;
	for (size_t i = agent->first; i < agent->first + agent->count; i++)
		if (reader->errors->items[i].read)
			ask_extended(reader, agent, i);
	if (agent->next)
		return;
	if (!reader->options->all && agent->caps.mask & PERF_CAP_ALL_PORT_SELECT)
		ask(reader, QUERY_SUM, node);
	else
		ask_ports(reader, agent);
}

static void take_counters(struct reader *reader, size_t place, const unsigned char *data)
{
	struct port_counters *counters = &reader->errors->items[place];
	uint32_t node = reader->fabric->ports[counters->port].node;

	if (!reader->options->all && !is_worth(reader, data))
		return;
	memcpy(counters->counters, data, sizeof(counters->counters));
	counters->read = true;
	if (reader->agents[node].known)
		ask_extended(reader, &reader->agents[node], place);
	else
		ask_class(reader, node);
}

static void reader_done(void *context, const struct mad_reply *reply)
{
	struct reader *reader = context;
	/* A copy, because the list moves when queries are added. */
	const struct query query = reader->queries[reply->request->number];
	const unsigned char *data = reply->mad ? reply->mad + mad_data_offset(UMAD_CLASS_PERF_MGMT)
					       : NULL;

	if (reply->error == -ECANCELED)
		return;
	if (query.kind == QUERY_COUNTERS)
		ask_next_port(reader, agent_of(reader, &query));
	if (reply->error || reply->status || !data) {
		take_failure(reader, &query, reply);
		return;
	}
	switch (query.kind) {
	case QUERY_CLASS:
		take_class(reader, query.place, data);
		break;
	case QUERY_SUM:
		if (is_worth(reader, data))
			ask_ports(reader, &reader->agents[query.place]);
		break;
	case QUERY_COUNTERS:
		take_counters(reader, query.place, data);
		break;
	case QUERY_EXTENDED:
		memcpy(reader->errors->items[query.place].extended_counters, data,
		       EXTENDED_PORT_COUNTERS_BYTES);
		reader->errors->items[query.place].extended = true;
		break;
	}
}

/*
 * Whether the port is to be read: it has a link or, with `without_link`, is a switch's, which
 * counts without one, too. Port 0 only if it has counters.
 */
static bool has_counters(const struct reader *reader, const struct fabric_node *node,
			 const struct fabric_port *port)
{
	if (node->type == NODE_TYPE_SWITCH && !port->number)
		return node->has_switch_info && switch_info_enhanced_port0(node->switch_info);
	return port->number && (fabric_is_up(port) ||
				(reader->options->without_link && node->type == NODE_TYPE_SWITCH));
}

static void list_port(struct reader *reader, struct agent *agent, uint32_t port)
{
	struct port_errors *errors = reader->errors;

	if (!fabric_is_reachable(reader->fabric, port)) {
		if (!errors->unreachable++)
			errors->first_unreachable = port;
		return;
	}
	MEM_ADD(errors->items, errors->count) = (struct port_counters){
		.port = port,
		.select = {0, reader->fabric->ports[port].number},
	};
	agent->count++;
}

static void list_ports(struct reader *reader)
{
	const struct fabric *fabric = reader->fabric;
	const bool *wanted = reader->options->wanted;

	for (uint32_t i = 0; i < fabric->node_count; i++) {
		const struct fabric_node *node = &fabric->nodes[i];
		struct agent *agent = &reader->agents[i];

		agent->first = reader->errors->count;
		for (uint32_t j = 0; j <= node->port_count; j++)
			if ((!wanted || wanted[node->first_port + j]) &&
			    has_counters(reader, node, &fabric->ports[node->first_port + j]))
				list_port(reader, agent, node->first_port + j);
		if (!agent->count)
			continue;
		if (reader->options->all || agent->count >= FEW_PORTS)
			ask_class(reader, i);
		else
			ask_ports(reader, agent);
	}
}

int port_errors_read(struct mad_engine *engine, const struct fabric *fabric,
		     const struct port_errors_options *options, struct port_errors *errors)
{
	struct reader reader = {.fabric = fabric, .options = options, .errors = errors};
	const struct mad_work work = {
		.context = &reader,
		.next = reader_next,
		.done = reader_done,
	};
	uint64_t begin = clock_nsec();
	int rc;

	if (options->limits)
		reader.limits = *options->limits;
	else
		error_limits_init(&reader.limits, options->least);
	reader.agents = mem_alloc_zero(fabric->node_count, sizeof(*reader.agents));
	list_ports(&reader);
	rc = mad_engine_run(engine, &work);
	errors->nsec = begin + (clock_nsec() - begin) / 2;
	free(reader.agents);
	free(reader.queries);
	return rc;
}

const struct port_counters *port_errors_find(const struct port_errors *errors, uint32_t port)
{
	const struct port_counters *found = MEM_FIND(&port, errors->items, errors->count,
						     fabric_compare_ports);

	return found && found->read ? found : NULL;
}

void port_counters_decode(const struct port_counters *counters, struct perf_record *record)
{
	const struct perf_reading reading = {
		.caps = counters->caps,
		.parts = {counters->counters,
			  counters->extended ? counters->extended_counters : NULL},
	};
	_cleanup_(freep) struct perf_record *rows = NULL;
	size_t count = 0;

	perf_rows(PERF_OF_PORT, &reading, &rows, &count);
	*record = *rows;
}

#define RECORD struct saved_port_counters
static const struct field saved_fields[] = {
	NUMBER(node_guid, "NODE GUID", 0, 0, "GUID of the node, as a number"),
	NUMBER(port, "PORT", 0, 0, "number of the port"),
	NUMBER(cap_mask, "CAP MASK", 0, 0,
	       "CapabilityMask of the node's ClassPortInfo, as a number"),
	NUMBER(cap_mask2, "CAP MASK 2", 0, 0, "CapabilityMask2"),
	TEXT_AS("port_counters", counters, "COUNTERS", 0, 0,
		"PortCounters as received, in hexadecimal"),
	TEXT_AS("port_counters_extended", extended_counters, "EXTENDED COUNTERS", 0, 0,
		"PortCountersExtended as received, in hexadecimal"),
};
#undef RECORD

const struct schema saved_port_counters_schema = SCHEMA("saved_port_counters",
							struct saved_port_counters, saved_fields,
							"the saved counters of a port");

static char *to_hex(const uint8_t *bytes, size_t count)
{
	char *text = mem_alloc_zero(2 * count + 1, 1);

	text_write_hex(text, bytes, count);
	return text;
}

struct saved_port_counters saved_port_counters_of(const struct fabric *fabric,
						  const struct port_counters *counters)
{
	return (struct saved_port_counters){
		.node_guid = number_of(fabric_node_of(fabric, counters->port)->guid),
		.port = number_of(fabric->ports[counters->port].number),
		.cap_mask = number_of(counters->caps.mask),
		.cap_mask2 = number_of(counters->caps.mask2),
		.counters = to_hex(counters->counters, PORT_COUNTERS_BYTES),
		.extended_counters = counters->extended ? to_hex(counters->extended_counters,
								 EXTENDED_PORT_COUNTERS_BYTES)
							: NULL,
	};
}

static bool parse_saved(const struct saved_port_counters *saved, struct port_counters *counters)
{
	if (!saved->node_guid.known || !saved->port.known || !saved->counters ||
	    saved->cap_mask.value > UINT32_MAX || saved->cap_mask2.value > UINT32_MAX ||
	    !text_read_hex(saved->counters, counters->counters, PORT_COUNTERS_BYTES))
		return false;
	counters->read = true;
	counters->caps = (struct perf_caps){
		.mask = (uint32_t)saved->cap_mask.value,
		.mask2 = (uint32_t)saved->cap_mask2.value,
	};
	counters->extended = saved->extended_counters;
	return !counters->extended ||
	       text_read_hex(saved->extended_counters, counters->extended_counters,
			     EXTENDED_PORT_COUNTERS_BYTES);
}

long saved_port_counters_load(const struct fabric *fabric, const struct saved_port_counters *saved,
			      size_t count, struct port_errors *errors)
{
	long others = 0;

	for (size_t i = 0; i < count; i++) {
		struct port_counters one = {.read = false};

		if (!parse_saved(&saved[i], &one))
			return -EINVAL;
		one.port = fabric_find_port(fabric, saved[i].node_guid.value, saved[i].port.value);
		if (one.port == FABRIC_NONE)
			others++;
		else
			MEM_ADD(errors->items, errors->count) = one;
	}
	MEM_SORT(errors->items, errors->count, fabric_compare_ports);
	return others;
}
