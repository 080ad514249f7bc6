/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "fabric/scan/scan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fabric/scan/scanner.h"

/* LinkSpeedSupported and LinkSpeedActive of the vendor's ExtendedPortInfo */
#define VENDOR_SPEEDS_AT 7u
#define VENDOR_SPEED_AT	 15u

static const uint16_t attributes[] = {
	[QUERY_ROOT] = UMAD_SM_ATTR_NODE_INFO,
	[QUERY_PEER] = UMAD_SM_ATTR_NODE_INFO,
	[QUERY_DESCRIPTION] = UMAD_SM_ATTR_NODE_DESC,
	[QUERY_SWITCH] = UMAD_SM_ATTR_SWITCH_INFO,
	[QUERY_PORT] = UMAD_SM_ATTR_PORT_INFO,
	[QUERY_VENDOR_SPEED] = UMAD_SM_ATTR_MLNX_EXT_PORT_INFO,
	[QUERY_PEER_DESCRIPTION] = UMAD_SM_ATTR_NODE_DESC,
	[QUERY_PROBE_STATE] = UMAD_SM_ATTR_PORT_INFO,
	[QUERY_PROBE] = UMAD_SM_ATTR_NODE_INFO,
};

static bool is_probe(enum scan_query_kind kind)
{
	return kind == QUERY_PROBE_STATE || kind == QUERY_PROBE;
}

static uint32_t port_of(const struct scanner *scanner, const struct scan_query *query)
{
	uint32_t sighting = query->subject;

	if (is_probe(query->kind))
		sighting = scanner->probes[query->subject].sighting;
	else if (query->kind != QUERY_PEER_DESCRIPTION)
		return query->subject;
	return scanner->sightings[sighting].port;
}

void scan_enqueue(struct scanner *scanner, enum scan_query_kind kind, uint32_t subject)
{
	struct scan_query *query;

	/* Drop the queries already sent once they make up half of the list. */
	if (scanner->head > 1024 && scanner->head * 2 > scanner->query_count) {
		scanner->query_count -= scanner->head;
		memmove(scanner->queries, scanner->queries + scanner->head,
			scanner->query_count * sizeof(*query));
		scanner->head = 0;
	}
	query = mem_append(&scanner->queries, &scanner->query_count, sizeof(*query));
	*query = (struct scan_query){.subject = subject, .kind = kind};
	if (kind != QUERY_ROOT)
		fabric_node_of(scanner->fabric, port_of(scanner, query))->pending++;
}

static void settle(struct scanner *scanner, const struct scan_query *query)
{
	if (query->kind != QUERY_ROOT)
		fabric_node_of(scanner->fabric, port_of(scanner, query))->pending--;
}

static bool is_to_peer(enum scan_query_kind kind)
{
	return kind == QUERY_PEER || kind == QUERY_PEER_DESCRIPTION || is_probe(kind);
}

int scan_route_to(const struct fabric *fabric, uint32_t port, bool at_peer,
		  uint8_t path[static MAD_HOPS_MOST + 1])
{
	const struct fabric_port *at = &fabric->ports[port];
	const struct fabric_node *node = &fabric->nodes[at->node];
	bool is_start = node->parent == FABRIC_NONE && at->number == node->local_port;
	bool by_peer = !at_peer && node->type != NODE_TYPE_SWITCH && !is_start && at->number &&
		       at->peer != FABRIC_NONE;
	uint32_t last = by_peer ? at->peer : port;
	int hops = fabric_path(fabric, fabric->ports[last].node, path);

	if (!at_peer && !by_peer)
		return hops;
	if (hops < 0 || hops == (int)MAD_HOPS_MOST)
		return -1;
	path[++hops] = fabric->ports[last].number;
	return hops;
}

bool fabric_scan_request(const struct fabric_scan_options *options, const struct fabric *fabric,
			 const uint8_t *path, int hops, struct mad_request *request)
{
	unsigned int before = options->path_hops;

	/*
	 * An adapter forwards nothing. If the scan begins at a distant one, its peer is the node
	 * through which it was reached.
	 */
	if (before && hops > 0 && fabric->node_count && fabric->nodes[0].type != NODE_TYPE_SWITCH) {
		before--;
		path++;
		hops--;
	}
	if (hops < 0 || before + (unsigned int)hops > MAD_HOPS_MOST)
		return false;
	request->to.lid = MAD_LID_PERMISSIVE;
	request->direct = true;
	request->mgmt_class = UMAD_CLASS_SUBN_DIRECTED_ROUTE;
	request->method = UMAD_METHOD_GET;
	request->key = options->mkey;
	memcpy(request->path, options->path, before + 1);
	memcpy(request->path + before + 1, path + 1, (size_t)hops);
	request->path[0] = 0;
	request->hops = (uint8_t)(before + (unsigned int)hops);
	return true;
}

struct fabric_failure fabric_failure_of(uint32_t port, const struct mad_reply *reply)
{
	return (struct fabric_failure){
		.port = port,
		.attribute = reply->request->attribute,
		.error = reply->error,
		.status = reply->status,
		.tries = reply->tries,
	};
}

struct fabric_failure fabric_failure_of_item(uint32_t port, const struct mad_item *item)
{
	return (struct fabric_failure){
		.port = port,
		.attribute = item->request.attribute,
		.error = item->error,
		.status = item->status,
		.tries = item->tries,
	};
}

/* The port whose PortInfo is queried, or through which a probe goes. */
static unsigned int number_of_port(const struct scanner *scanner, const struct scan_query *query)
{
	uint32_t port = is_probe(query->kind) ? scanner->probes[query->subject].out
					      : query->subject;

	return scanner->fabric->ports[port].number;
}

static bool write_query(const struct scanner *scanner, const struct scan_query *query,
			struct mad_request *request)
{
	uint8_t path[MAD_HOPS_MOST + 1] = {0};
	int hops = 0;

	if (query->kind != QUERY_ROOT)
		hops = scan_route_to(scanner->fabric, port_of(scanner, query),
				     is_to_peer(query->kind), path);
	request->attribute = attributes[query->kind];
	if (query->kind == QUERY_PROBE) {
		if (hops < 0 || hops == (int)MAD_HOPS_MOST)
			return false;
		path[++hops] = (uint8_t)number_of_port(scanner, query);
	} else if (request->attribute == UMAD_SM_ATTR_PORT_INFO ||
		   request->attribute == UMAD_SM_ATTR_MLNX_EXT_PORT_INFO) {
		request->modifier = number_of_port(scanner, query);
	}
	request->number = (uint64_t)query->kind << 32 | query->subject;
	return fabric_scan_request(scanner->options, scanner->fabric, path, hops, request);
}

static struct fabric_failure *add_failure(struct scanner *scanner, const struct scan_query *query)
{
	struct fabric *fabric = scanner->fabric;
	struct fabric_failure *failure = mem_append(&fabric->failures, &fabric->failure_count,
						    sizeof(*failure));

	failure->port = query->kind == QUERY_ROOT ? FABRIC_NONE : port_of(scanner, query);
	failure->attribute = attributes[query->kind];
	failure->at_peer = is_to_peer(query->kind);
	if (query->kind == QUERY_PEER)
		fabric->ports[query->subject].unanswered = true;
	return failure;
}

void scan_refuse(struct scanner *scanner, uint32_t port, int error)
{
	const struct scan_query query = {.subject = port, .kind = QUERY_PEER};

	add_failure(scanner, &query)->error = error;
}

/* Whether the query is still needed: a cable may have become known from its other end. */
static bool is_needed(struct scanner *scanner, const struct scan_query *query)
{
	struct fabric_port *port;

	if (query->kind != QUERY_PEER)
		return true;
	port = &scanner->fabric->ports[query->subject];
	if (scanner->full || port->queried || port->peer != FABRIC_NONE)
		return false;
	return port->queried = true;
}

static bool next(void *context, struct mad_request *request)
{
	struct scanner *scanner = context;

	while (scanner->head < scanner->query_count) {
		struct scan_query *query = &scanner->queries[scanner->head++];

		if (is_needed(scanner, query)) {
			if (write_query(scanner, query, request))
				return true;
			if (!is_probe(query->kind))
				add_failure(scanner, query)->error = -E2BIG;
		}
		settle(scanner, query);
	}
	return false;
}

bool scan_may_go_on(const struct scanner *scanner, const struct fabric_node *node)
{
	unsigned int most = scanner->options->most_hops;

	return !most || node->hops < most;
}

void scan_query_end(struct scanner *scanner, uint32_t port)
{
	const struct fabric *fabric = scanner->fabric;
	const uint32_t peer = fabric->ports[port].peer;

	/* Whether a port at QDR runs at its best may not be known yet. */
	if (!scanner->options->no_end_ports || peer == FABRIC_NONE ||
	    !fabric_is_of_switch(fabric, peer) || !fabric_is_at_own_best(&fabric->ports[peer]) ||
	    fabric_may_be_fdr10(fabric, peer))
		scan_enqueue(scanner, QUERY_PORT, port);
}

static void query_node(struct scanner *scanner, uint32_t number)
{
	const struct fabric_node *node = &scanner->fabric->nodes[number];
	uint32_t first = node->first_port;

	scan_enqueue(scanner, QUERY_DESCRIPTION, first);
	if (node->type != NODE_TYPE_SWITCH) {
		scan_query_end(scanner, first + node->local_port);
		return;
	}
	if (!scanner->options->no_switch_info)
		scan_enqueue(scanner, QUERY_SWITCH, first);
	for (uint32_t i = scanner->options->no_end_ports; i <= node->port_count; i++)
		scan_enqueue(scanner, QUERY_PORT, first + i);
}

uint32_t scan_add_node(struct scanner *scanner, uint32_t parent, const uint8_t *info)
{
	struct fabric *fabric = scanner->fabric;
	uint32_t number = fabric_add_node(fabric, info);
	struct fabric_node *node;

	if (number == FABRIC_NONE)
		return number;
	node = &fabric->nodes[number];
	if (parent != FABRIC_NONE) {
		node->parent = parent;
		node->hops = (uint8_t)(fabric_node_of(fabric, parent)->hops + 1);
		fabric_link(fabric, parent, node->first_port + node->local_port);
		fabric->ports[parent].followed = true;
		fabric->ports[node->first_port + node->local_port].followed = true;
	}
	query_node(scanner, number);
	return number;
}

static bool take_node(struct scanner *scanner, const struct scan_query *query, const uint8_t *info)
{
	uint8_t other[NODE_INFO_BYTES];

	if (query->kind == QUERY_ROOT) {
		scanner->refused = scanner->options->switch_only &&
				   node_info_type(info) != NODE_TYPE_SWITCH;
		return scanner->refused || scan_add_node(scanner, FABRIC_NONE, info) != FABRIC_NONE;
	}
	if (scanner->options->path_hops && !scanner->fabric->ports[query->subject].node &&
	    scanner->fabric->nodes[0].type != NODE_TYPE_SWITCH) {
		/*
		 * Requests to the peer bypass the adapter that the scan began at: LocalPortNum is
		 * not the port that the adapter's cable is in.
		 */
		memcpy(other, info, sizeof(other));
		node_info_set_local_port(other,
					 scanner->options->path[scanner->options->path_hops]);
		info = other;
	}
	return scan_meet(scanner, query->subject, info);
}

static void take_port(struct scanner *scanner, uint32_t number, const uint8_t *info)
{
	struct fabric *fabric = scanner->fabric;
	struct fabric_port *port = &fabric->ports[number];
	const struct fabric_node *node = &fabric->nodes[port->node];
	bool leads_on = node->type == NODE_TYPE_SWITCH ? port->number != 0
						       : node->parent == FABRIC_NONE;

	memcpy(port->info, info, PORT_INFO_BYTES);
	port->has_info = true;
	if (!port->number)
		return;
	if (!fabric_is_up(port)) {
		/* Another port's cable leads here, or to another node with this GUID. */
		if (port->peer != FABRIC_NONE && node->type == NODE_TYPE_SWITCH)
			scan_doubt(scanner, port->node);
		return;
	}
	if (leads_on && port->peer == FABRIC_NONE && scan_may_go_on(scanner, node))
		scan_enqueue(scanner, QUERY_PEER, number);
	if (fabric_may_be_fdr10(fabric, number))
		scan_enqueue(scanner, QUERY_VENDOR_SPEED, number);
}

/* Returns false if the answer makes no sense. */
static bool take_answer(struct scanner *scanner, const struct scan_query *query,
			const uint8_t *data)
{
	uint32_t subject = query->subject;
	struct fabric_node *node;

	switch (query->kind) {
	case QUERY_ROOT:
	case QUERY_PEER:
		return take_node(scanner, query, data);
	case QUERY_DESCRIPTION:
		node = fabric_node_of(scanner->fabric, subject);
		memcpy(node->description, data, NODE_DESCRIPTION_BYTES);
		node->has_description = true;
		break;
	case QUERY_SWITCH:
		node = fabric_node_of(scanner->fabric, subject);
		memcpy(node->switch_info, data, SWITCH_INFO_BYTES);
		node->has_switch_info = true;
		break;
	case QUERY_PORT:
		take_port(scanner, subject, data);
		break;
	case QUERY_VENDOR_SPEED:
		scanner->fabric->ports[subject].vendor_speed = data[VENDOR_SPEED_AT];
		scanner->fabric->ports[subject].vendor_speeds = data[VENDOR_SPEEDS_AT];
		break;
	case QUERY_PEER_DESCRIPTION:
		scan_take_description(scanner, subject, data);
		break;
	case QUERY_PROBE_STATE:
	case QUERY_PROBE:
		scan_take_probe(scanner, subject, query->kind, data);
		break;
	}
	return true;
}

static void take_reply(struct scanner *scanner, const struct scan_query *query,
		       const struct mad_reply *reply)
{
	struct fabric_failure *failure;

	if (!reply->error && !reply->status &&
	    take_answer(scanner, query, reply->mad + MAD_SMP_DATA_AT))
		return;
	/* An interrupted query did not fail, and a node may lack the vendor's attribute. */
	if (reply->error == -ECANCELED || (query->kind == QUERY_VENDOR_SPEED && !reply->error))
		return;
	if (is_probe(query->kind)) {
		scan_take_probe(scanner, query->subject, query->kind, NULL);
		return;
	}
	failure = add_failure(scanner, query);
	failure->error = reply->error;
	failure->status = reply->status;
	failure->tries = reply->tries;
}

static void done(void *context, const struct mad_reply *reply)
{
	struct scanner *scanner = context;
	const struct fabric_scan_options *options = scanner->options;
	const struct scan_query query = {
		.subject = (uint32_t)reply->request->number,
		.kind = (enum scan_query_kind)(reply->request->number >> 32),
	};

	take_reply(scanner, &query, reply);
	settle(scanner, &query);
	if (options->on_reply)
		options->on_reply(options->context);
}

int scan_run(struct scanner *scanner)
{
	const struct mad_work work = {.context = scanner, .next = next, .done = done};

	return mad_engine_run(scanner->engine, &work);
}

int fabric_scan(struct mad_engine *engine, const struct fabric_scan_options *options,
		struct fabric *fabric)
{
	struct scanner scanner = {.engine = engine, .options = options, .fabric = fabric};
	int rc;

	scan_enqueue(&scanner, QUERY_ROOT, 0);
	rc = scan_run(&scanner);
	if (!rc)
		rc = scan_resolve_duplicates(&scanner);
	free(scanner.queries);
	free(scanner.sightings);
	free(scanner.probes);
	fabric->interrupted = rc != 0;
	if (!rc && !fabric->node_count)
		return scanner.refused ? -ENXIO : -EHOSTUNREACH;
	return rc;
}
