/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Data read from a subnet after the scan: tables of ports, and its subnet managers. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "fabric/scan/scanner.h"
#include "mad/smp_plan.h"

static const uint16_t tables[] = {UMAD_SM_ATTR_PKEY_TABLE, UMAD_SM_ATTR_GUID_INFO,
				  UMAD_SM_ATTR_SLVL_TABLE, UMAD_SM_ATTR_VL_ARB_TABLE};

/* Reads the tables of all ports, one after another. */
struct reader {
	const struct fabric_scan_options *scan;
	struct fabric *fabric;
	const struct mad_attribute *attributes[ARRAY_SIZE(tables)];
	const bool *lanes_of;	/* by port: only their SL to VL mappings; NULL: everything */
	uint32_t port;		/* port that the steps are for */
	size_t table;		/* next table of the port */
	struct smp_step *steps; /* of the table before `table` */
	size_t step, step_count;
	uint8_t *unanswered; /* by node, bit mask of unanswered tables: queried, reported once */
};

/*
 * Whether the tables of a port matter and can be read. A port without a link is not in service. An
 * adapter's port that no cable of this subnet leads to cannot be queried: another would answer.
 */
static bool is_of_use(const struct fabric *fabric, uint32_t place)
{
	const struct fabric_port *port = &fabric->ports[place];
	const struct fabric_node *node = fabric_node_of(fabric, place);

	if (!port->has_info)
		return false;
	if (node->type != NODE_TYPE_SWITCH && port->peer == FABRIC_NONE &&
	    port->number != node->local_port)
		return false;
	return fabric_is_up(port) || (!port->number && node->type == NODE_TYPE_SWITCH);
}

/* On a switch, only port 0 has GUIDs. */
static bool has_table(const struct reader *reader, const struct mad_attribute *attribute)
{
	const struct fabric *fabric = reader->fabric;

	if (reader->lanes_of)
		return attribute->modifier == MODIFIER_SL2VL;
	return attribute->modifier != MODIFIER_BLOCK || !fabric->ports[reader->port].number ||
	       !fabric_is_of_switch(fabric, reader->port);
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
	/* The request arrives by this port, whereas NodeInfo may have arrived by another. */
	facts.local_port = port->number;
	if (node->has_switch_info)
		smp_node_take_switch_info(&facts, node->switch_info);
	smp_node_take_port_info(&facts, port->info);
	free(reader->steps);
	reader->steps = NULL;
	reader->step = reader->step_count = 0;
	smp_plan(attribute, &facts, &choice, &reader->steps, &reader->step_count);
}

static bool is_chosen(const struct reader *reader)
{
	return (!reader->lanes_of || reader->lanes_of[reader->port]) &&
	       is_of_use(reader->fabric, reader->port);
}

/* Goes on to the next step; false after the last one. */
static bool advance(struct reader *reader)
{
	while (reader->step == reader->step_count) {
		const struct mad_attribute *attribute;

		if (reader->table == ARRAY_SIZE(tables)) {
			reader->table = 0;
			reader->port++;
		}
		while (reader->port < reader->fabric->port_count && !is_chosen(reader))
			reader->port++;
		if (reader->port == reader->fabric->port_count)
			return false;
		attribute = reader->attributes[reader->table++];
		if (has_table(reader, attribute))
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

static void note_failure(struct reader *reader, uint32_t port, size_t table,
			 const struct mad_reply *reply)
{
	struct fabric *fabric = reader->fabric;

	if (reply->error == -ECANCELED || is_unanswered(reader, port, table))
		return;
	reader->unanswered[fabric->ports[port].node] |= (uint8_t)(1u << table);
	MEM_ADD(fabric->failures, fabric->failure_count) = fabric_failure_of(port, reply);
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
		request->number = (uint64_t)table << 32 | reader->port;
		if (fabric_scan_request(reader->scan, reader->fabric, path, hops, request))
			return true;
		note_failure(reader, reader->port, table,
			     &(const struct mad_reply){.request = request, .error = -E2BIG});
	}
	return false;
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

/* Needed because answers arrive in any order. */
DEFINE_ORDER(compare, struct fabric_detail,
	     COMPARE(a->port, b->port) ?: COMPARE(a->attribute, b->attribute),
	     COMPARE(a->modifier, b->modifier))

int fabric_details_read(struct mad_engine *engine, const struct fabric_scan_options *scan,
			struct fabric *fabric, const bool *lanes_of)
{
	struct reader reader = {
		.scan = scan,
		.fabric = fabric,
		.lanes_of = lanes_of,
		.unanswered = mem_alloc_zero(fabric->node_count, sizeof(*reader.unanswered)),
	};
	const struct mad_work work = {.context = &reader, .next = next, .done = done};
	int rc;

	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		reader.attributes[i] = mad_attribute_find(UMAD_CLASS_SUBN_DIRECTED_ROUTE,
							  tables[i]);
	rc = mad_engine_run(engine, &work);
	free(reader.steps);
	free(reader.unanswered);
	MEM_SORT(fabric->details, fabric->detail_count, compare);
	if (rc)
		fabric->interrupted = true;
	return rc;
}

bool fabric_has_details(const struct fabric *fabric)
{
	for (size_t i = 0; i < fabric->detail_count; i++)
		if (fabric->details[i].attribute != UMAD_SM_ATTR_LINEAR_FT &&
		    fabric->details[i].attribute != UMAD_SM_ATTR_MCAST_FT)
			return true;
	return false;
}

#define LIDS 65536u

bool fabric_is_end_port(const struct fabric *fabric, uint32_t port)
{
	const struct fabric_port *at = &fabric->ports[port];

	return at->has_info && (fabric_is_of_switch(fabric, port)) == !at->number;
}

uint16_t fabric_manager_lid(const struct fabric *fabric)
{
	uint32_t *votes = mem_alloc_zero(LIDS, sizeof(*votes)), best = 0;

	for (uint32_t i = 0; i < fabric->port_count; i++)
		if (fabric_is_end_port(fabric, i))
			votes[fabric_port_manager_lid(&fabric->ports[i])]++;
	votes[0] = 0;
	for (uint32_t lid = 1; lid < LIDS; lid++)
		if (votes[lid] > votes[best])
			best = lid;
	free(votes);
	return (uint16_t)best;
}

static void add(struct fabric_managers *managers, uint32_t port, uint16_t lid)
{
	MEM_ADD(managers->items, managers->count) = (struct fabric_manager){.port = port,
									    .lid = lid};
}

/* Lists the ports that claim to have a subnet manager, and the one that the others name. */
static void list_managers(const struct fabric *fabric, struct fabric_managers *managers)
{
	const uint16_t lid = fabric_manager_lid(fabric);
	uint32_t believed = FABRIC_NONE, last = FABRIC_NONE;
	bool listed = false;

	for (uint32_t i = 0; i < fabric->port_count; i++) {
		const struct fabric_port *port = &fabric->ports[i];
		bool says_so;

		if (!fabric_is_end_port(fabric, i))
			continue;
		says_so = port_info_cap_mask(port->info) & PORT_CAP_SM;
		/* Planes have one manager. */
		if (says_so && (last == FABRIC_NONE || !fabric_are_planes(fabric, i, last))) {
			add(managers, i, fabric_port_lid(port));
			last = i;
		}
		if (lid && fabric_has_lid(port, lid)) {
			believed = i;
			listed |= says_so;
		}
	}
	if (lid && !listed)
		add(managers, believed, lid);
}

static void take(const struct mad_item *item, struct fabric_manager *manager)
{
	manager->error = item->error;
	manager->status = item->status;
	manager->tries = item->tries;
	if (item->error || item->status)
		return;
	manager->guid = sm_info_port_guid(item->data);
	manager->activity = sm_info_activity(item->data);
	manager->priority = sm_info_priority(item->data);
	manager->state = sm_info_state(item->data);
}

/* The route to this port, not to another port of its node; -1 if there is none. */
static int path_to(const struct fabric *fabric, uint32_t port,
		   uint8_t path[static MAD_HOPS_MOST + 1])
{
	const struct fabric_port *at = &fabric->ports[port];

	if (at->number && at->peer == FABRIC_NONE &&
	    at->number != fabric_node_of(fabric, port)->local_port)
		return -1;
	return scan_route_to(fabric, port, false, path);
}

/* Writes the request: by directed route, or by LID if there is no route. */
static bool write_request(const struct fabric_scan_options *scan, const struct fabric *fabric,
			  const struct fabric_manager *manager, uint16_t local_lid,
			  struct mad_request *request)
{
	uint8_t path[MAD_HOPS_MOST + 1];

	*request = (struct mad_request){.attribute = UMAD_SM_ATTR_SM_INFO};
	if (manager->port != FABRIC_NONE &&
	    fabric_scan_request(scan, fabric, path, path_to(fabric, manager->port, path), request))
		return true;
	request->to.lid = manager->lid;
	request->mgmt_class = UMAD_CLASS_SUBN_LID_ROUTED;
	request->method = UMAD_METHOD_GET;
	request->key = scan->mkey;
	return local_lid && manager->lid;
}

int fabric_managers_read(struct mad_engine *engine, const struct fabric_scan_options *scan,
			 const struct fabric *fabric, uint16_t local_lid,
			 struct fabric_managers *managers)
{
	_cleanup_(freep) struct mad_item *items = NULL;
	size_t asked = 0;
	int rc;

	list_managers(fabric, managers);
	items = mad_items_new(managers->count);
	for (size_t i = 0; i < managers->count; i++)
		if (write_request(scan, fabric, &managers->items[i], local_lid,
				  &items[asked].request))
			managers->items[asked++] = managers->items[i];
	managers->count = asked;
	rc = mad_gather(engine, items, managers->count);
	for (size_t i = 0; i < managers->count; i++)
		take(&items[i], &managers->items[i]);
	return rc;
}
