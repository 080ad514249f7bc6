/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "fabric/scan/scan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fabric/scan/scan_private.h"
#include "mad/smp_plan.h"

static const uint16_t tables[] = {UMAD_SM_ATTR_PKEY_TABLE, UMAD_SM_ATTR_GUID_INFO,
				  UMAD_SM_ATTR_SLVL_TABLE, UMAD_SM_ATTR_VL_ARB_TABLE};

/* Works through the tables of all ports. */
struct reader {
	const struct fabric_scan_options *scan;
	struct fabric *fabric;
	const struct mad_attribute *attributes[ARRAY_SIZE(tables)];
	uint32_t port;		/* that the steps are for */
	size_t table;		/* next table of the port */
	struct smp_step *steps; /* of the table before */
	size_t step, step_count;
	uint8_t *unanswered; /* bit mask of tables that a node did not answer: queried and reported
			      * once
			      */
};

/* Whether the tables of a port matter: the other ports are not in service. */
static bool is_of_use(const struct fabric *fabric, uint32_t place)
{
	const struct fabric_port *port = &fabric->ports[place];

	if (!port->has_info)
		return false;
	return fabric_physical_state(port) == PHYSICAL_LINK_UP ||
	       (!port->number && fabric_node_of(fabric, place)->type == NODE_TYPE_SWITCH);
}

/* Only port 0 of a switch has GUIDs. */
static bool has_table(const struct fabric *fabric, uint32_t port,
		      const struct mad_attribute *attribute)
{
	return attribute->modifier != MODIFIER_BLOCK || !fabric->ports[port].number ||
	       fabric_node_of(fabric, port)->type != NODE_TYPE_SWITCH;
}

static void plan(struct reader *reader, const struct mad_attribute *attribute)
{
	const struct fabric_node *node = fabric_node_of(reader->fabric, reader->port);
	const struct fabric_port *port = &reader->fabric->ports[reader->port];
	const struct smp_range range = {port->number, port->number};
	const bool by_port = attribute->modifier != MODIFIER_BLOCK;
	const struct smp_choice choice = {.ranges = &range, .count = by_port};
	struct smp_node facts = {.is_switch = false};

	smp_node_take_node_info(&facts, node->info);
	if (node->has_switch_info)
		smp_node_take_switch_info(&facts, node->switch_info);
	smp_node_take_port_info(&facts, port->info);
	free(reader->steps);
	reader->steps = NULL;
	reader->step = reader->step_count = 0;
	smp_plan(attribute, &facts, &choice, &reader->steps, &reader->step_count);
}

/* Goes to the next step; false after the last one. */
static bool advance(struct reader *reader)
{
	while (reader->step == reader->step_count) {
		const struct mad_attribute *attribute;

		if (reader->table == ARRAY_SIZE(tables)) {
			reader->table = 0;
			reader->port++;
		}
		while (reader->port < reader->fabric->port_count &&
		       !is_of_use(reader->fabric, reader->port))
			reader->port++;
		if (reader->port == reader->fabric->port_count)
			return false;
		attribute = reader->attributes[reader->table++];
		if (has_table(reader->fabric, reader->port, attribute))
			plan(reader, attribute);
	}
	return true;
}

static bool is_unanswered(const struct reader *reader, uint32_t port, size_t table)
{
	return reader->unanswered[reader->fabric->ports[port].node] & 1u << table;
}

/* SL to VL mappings for packets from a port without a link do not matter. */
static bool is_wanted(const struct reader *reader, const struct smp_step *step, size_t table)
{
	uint32_t first = fabric_node_of(reader->fabric, reader->port)->first_port;

	if (is_unanswered(reader, reader->port, table))
		return false;
	return reader->attributes[table]->modifier != MODIFIER_SL2VL || !step->first ||
	       is_of_use(reader->fabric, first + step->first);
}

static bool next(void *context, struct mad_request *request)
{
	struct reader *reader = context;
	uint8_t path[MAD_HOPS_MOST + 1];

	while (advance(reader)) {
		const struct smp_step *step = &reader->steps[reader->step++];
		size_t table = reader->table - 1;
		int hops;

		if (!is_wanted(reader, step, table))
			continue;
		hops = scan_route_to(reader->fabric, reader->port, false, path);
		request->attribute = tables[table];
		request->modifier = step->modifier;
		request->number = (size_t)table << 32 | reader->port;
		if (fabric_scan_request(reader->scan, reader->fabric, path, hops, request))
			return true;
	}
	return false;
}

static void note_failure(struct reader *reader, uint32_t port, size_t table,
			 const struct mad_reply *reply)
{
	struct fabric *fabric = reader->fabric;
	struct fabric_failure *failure;

	if (reply->error == -ECANCELED || is_unanswered(reader, port, table))
		return;
	reader->unanswered[fabric->ports[port].node] |= (uint8_t)(1u << table);
	failure = mem_append(&fabric->failures, &fabric->failure_count, sizeof(*failure));
	failure->port = port;
	failure->attribute = tables[table];
	failure->error = reply->error;
	failure->status = reply->status;
	failure->tries = reply->tries;
}

static void done(void *context, const struct mad_reply *reply)
{
	static const uint8_t nothing[64];
	struct reader *reader = context;
	struct fabric *fabric = reader->fabric;
	const uint32_t port = (uint32_t)reply->request->number;
	const size_t table = reply->request->number >> 32;
	struct fabric_detail *detail;

	if (reply->error || reply->status) {
		note_failure(reader, port, table, reply);
		return;
	}
	if (!memcmp(reply->mad + MAD_SMP_DATA_AT, nothing, sizeof(nothing)))
		return;
	detail = mem_append(&fabric->details, &fabric->detail_count, sizeof(*detail));
	detail->port = port;
	detail->attribute = tables[table];
	detail->modifier = reply->request->modifier;
	memcpy(detail->data, reply->mad + MAD_SMP_DATA_AT, sizeof(detail->data));
}

/* Answers arrive in any order. */
static int compare(const void *left, const void *right)
{
	const struct fabric_detail *a = left, *b = right;

	if (a->port != b->port)
		return a->port < b->port ? -1 : 1;
	if (a->attribute != b->attribute)
		return a->attribute < b->attribute ? -1 : 1;
	return a->modifier < b->modifier ? -1 : a->modifier > b->modifier;
}

int fabric_details_read(struct mad_engine *engine, const struct fabric_scan_options *scan,
			struct fabric *fabric)
{
	struct reader reader = {
		.scan = scan,
		.fabric = fabric,
		.unanswered = mem_alloc_zero(fabric->node_count + 1, sizeof(*reader.unanswered)),
	};
	const struct mad_work work = {.context = &reader, .next = next, .done = done};
	int rc;

	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		reader.attributes[i] = mad_attribute_find(UMAD_CLASS_SUBN_DIRECTED_ROUTE,
							  tables[i]);
	rc = mad_engine_run(engine, &work);
	free(reader.steps);
	free(reader.unanswered);
	if (fabric->detail_count)
		qsort(fabric->details, fabric->detail_count, sizeof(*fabric->details), compare);
	if (rc)
		fabric->interrupted = true;
	return rc;
}
