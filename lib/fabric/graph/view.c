/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

#include "fabric/graph/view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/gid.h"
#include "base/mem.h"
#include "base/text.h"
#include "mad/format/header.h"

/* A description of blanks alone would look like a node without a name. */
static bool has_words(const struct fabric_node *node)
{
	size_t blanks = 0;

	while (blanks < sizeof(node->description) && node->description[blanks] == ' ')
		blanks++;
	return node->has_description && blanks < sizeof(node->description) &&
	       node->description[blanks];
}

void fabric_node_name_into(const struct fabric_view *view, uint32_t node,
			   char name[static FABRIC_NAME_SIZE])
{
	const struct fabric_node *at = &view->fabric->nodes[node];
	const char *given = node_names_find(view->names, at->guid);

	if (given)
		snprintf(name, FABRIC_NAME_SIZE, "%s", given);
	else if (has_words(at))
		text_clean_into(name, FABRIC_NAME_SIZE, (const char *)at->description,
				sizeof(at->description));
	else
		guid_format(at->guid, name);
}

char *fabric_node_name(const struct fabric_view *view, uint32_t node)
{
	char name[FABRIC_NAME_SIZE];

	fabric_node_name_into(view, node, name);
	return mem_string(name);
}

char *fabric_port_name(const struct fabric_view *view, uint32_t port)
{
	const struct fabric_port *at = &view->fabric->ports[port];
	char name[FABRIC_NAME_SIZE];

	fabric_node_name_into(view, at->node, name);
	if (!at->number && view->fabric->nodes[at->node].type != NODE_TYPE_SWITCH)
		return mem_string(name);
	return mem_format("%s/%u", name, at->number);
}

static unsigned int class_of(const struct fabric_failure *failure)
{
	return failure->mgmt_class ? failure->mgmt_class : UMAD_CLASS_SUBN_DIRECTED_ROUTE;
}

static char *why(const struct fabric_failure *failure)
{
	if (failure->error == -E2BIG)
		return mem_string("the node is beyond the reach of a directed route, 63 hops");
	if (failure->error == -ELOOP)
		return mem_format("more than %u nodes have its GUID", FABRIC_SCAN_DUPLICATES);
	if (failure->error == -ENOSPC)
		return mem_format("the subnet has more than %u ports, the limit of a scan",
				  FABRIC_SCAN_PORTS);
	if (failure->error == -ENODATA)
		return mem_string("the saved scan does not have it");
	if (!failure->error && !failure->status)
		return mem_string("the answer is malformed");
	return mad_failure_text(class_of(failure), failure->error, failure->status, failure->tries);
}

void fabric_failure_text(const struct fabric_view *view, const struct fabric_failure *failure,
			 char **ret_object, char **ret_message)
{
	const char *what = mad_attribute_name(class_of(failure), failure->attribute)
				   ?: "vendor attribute";
	_cleanup_(freep) char *reason = why(failure);

	*ret_object = failure->port == FABRIC_NONE ? mem_string("where the scan begins")
						   : fabric_port_name(view, failure->port);
	*ret_message = failure->at_peer
			       ? mem_format("the node at its other end: %s: %s", what, reason)
			       : mem_format("%s: %s", what, reason);
}

int fabric_failure_path(const struct fabric *fabric, const struct fabric_failure *failure,
			uint8_t path[static MAD_HOPS_MOST + 2])
{
	int hops;

	if (failure->port == FABRIC_NONE)
		return -1;
	hops = fabric_path(fabric, fabric->ports[failure->port].node, path);
	if (hops >= 0 && failure->at_peer)
		path[++hops] = fabric->ports[failure->port].number;
	return hops;
}

static void add_row(struct fabric_rows *rows, const struct fabric_view *view, uint32_t place)
{
	MEM_ADD(rows->items, rows->count) = (struct fabric_row){.view = view, .place = place};
}

void fabric_list_nodes(const struct fabric_view *view, unsigned int type, struct fabric_rows *rows)
{
	for (uint32_t i = 0; i < view->fabric->node_count; i++)
		if (!type || view->fabric->nodes[i].type == type)
			add_row(rows, view, i);
}

void fabric_list_ports(const struct fabric_view *view, port_filter *wanted,
		       struct fabric_rows *rows)
{
	const struct fabric *fabric = view->fabric;

	for (unsigned int others = 0; others < 2; others++)
		for_each_in (node, fabric->nodes, fabric->node_count) {
			if ((node->type != NODE_TYPE_SWITCH) != others)
				continue;
			for_each_port_of (port, node)
				if (!wanted || wanted(fabric, port))
					add_row(rows, view, port);
		}
}

/* Switches come first in the list of ports, so a cable to an adapter begins at the switch. */
void fabric_list_links(const struct fabric_view *view, struct fabric_rows *rows)
{
	const struct fabric *fabric = view->fabric;
	_cleanup_(fabric_rows_clear) struct fabric_rows ports = {.items = NULL};
	_cleanup_(freep) bool *seen = mem_alloc_zero(fabric->port_count, sizeof(*seen));

	fabric_list_ports(view, NULL, &ports);
	for (size_t i = 0; i < ports.count; i++) {
		uint32_t port = ports.items[i].place, peer = fabric->ports[port].peer;

		if (peer == FABRIC_NONE || seen[port])
			continue;
		seen[port] = seen[peer] = true;
		add_row(rows, view, port);
	}
}

static void add_rows(struct fabric_rows *rows, const struct fabric_view *view, size_t count)
{
	for (uint32_t i = 0; i < count; i++)
		add_row(rows, view, i);
}

void fabric_list_details(const struct fabric_view *view, struct fabric_rows *rows)
{
	add_rows(rows, view, view->fabric->detail_count);
}

void fabric_graph_fill(const struct fabric_view *view, struct fabric_graph *graph)
{
	*graph = (struct fabric_graph){
		.origin = view->fabric->origin,
		.complete = fabric_is_complete(view->fabric) ? TRISTATE_YES : TRISTATE_NO,
		.source = number_unless_zero(view->fabric->source),
		.interrupted = view->fabric->interrupted ? TRISTATE_YES : TRISTATE_NO,
	};
	fabric_list_nodes(view, 0, &graph->nodes);
	fabric_list_ports(view, NULL, &graph->ports);
	fabric_list_links(view, &graph->links);
	add_rows(&graph->unanswered, view, view->fabric->failure_count);
	fabric_list_details(view, &graph->details);
	add_rows(&graph->faults, view, view->fabric->fault_count);
}
