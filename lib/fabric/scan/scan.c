/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "fabric/scan/scan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fabric/scan/scan_private.h"
#include "mad/format/attribute.h"
#include "mad/format/sm_port_info.h"
#include "schema/bits.h"

/* PortInfo:LinkSpeedActive QDR: 14.2.5.6 */
#define SPEED_QDR	4u
#define VENDOR_SPEED_AT 15u /* LinkSpeedActive of the vendor's ExtendedPortInfo */
#define VENDOR_MELLANOX 0x0002c9u
#define VENDOR_BULL	0x119fu /* sells Mellanox's under its own */

static const uint16_t attributes[] = {
	[ASK_ROOT] = UMAD_SM_ATTR_NODE_INFO,
	[ASK_BEHIND] = UMAD_SM_ATTR_NODE_INFO,
	[ASK_DESCRIPTION] = UMAD_SM_ATTR_NODE_DESC,
	[ASK_SWITCH] = UMAD_SM_ATTR_SWITCH_INFO,
	[ASK_PORT] = UMAD_SM_ATTR_PORT_INFO,
	[ASK_VENDOR_SPEED] = UMAD_SM_ATTR_MLNX_EXT_PORT_INFO,
	[ASK_DESCRIPTION_BEHIND] = UMAD_SM_ATTR_NODE_DESC,
	[ASK_STATE_BEHIND] = UMAD_SM_ATTR_PORT_INFO,
	[ASK_THROUGH] = UMAD_SM_ATTR_NODE_INFO,
};

static bool is_of_look(enum scan_question question)
{
	return question == ASK_STATE_BEHIND || question == ASK_THROUGH;
}

static uint32_t port_of(const struct scanner *scanner, const struct scan_errand *errand)
{
	uint32_t claim = errand->subject;

	if (is_of_look(errand->question))
		claim = scanner->looks[errand->subject].claim;
	else if (errand->question != ASK_DESCRIPTION_BEHIND)
		return errand->subject;
	return scanner->claims[claim].port;
}

void scan_ask(struct scanner *scanner, enum scan_question question, uint32_t subject)
{
	struct scan_errand *errand;

	/* What has been done makes room, when it is half of it. */
	if (scanner->head > 1024 && scanner->head * 2 > scanner->errand_count) {
		scanner->errand_count -= scanner->head;
		memmove(scanner->errands, scanner->errands + scanner->head,
			scanner->errand_count * sizeof(*errand));
		scanner->head = 0;
	}
	errand = mem_append(&scanner->errands, &scanner->errand_count, sizeof(*errand));
	*errand = (struct scan_errand){.subject = subject, .question = question};
	if (question != ASK_ROOT)
		fabric_node_of(scanner->fabric, port_of(scanner, errand))->pending++;
}

static void settle(struct scanner *scanner, const struct scan_errand *errand)
{
	if (errand->question != ASK_ROOT)
		fabric_node_of(scanner->fabric, port_of(scanner, errand))->pending--;
}

static bool is_behind(enum scan_question question)
{
	return question == ASK_BEHIND || question == ASK_DESCRIPTION_BEHIND || is_of_look(question);
}

int scan_route_to(const struct fabric *fabric, uint32_t port, bool behind,
		  uint8_t path[static MAD_HOPS_MOST + 1])
{
	const struct fabric_port *at = &fabric->ports[port];
	const struct fabric_node *node = &fabric->nodes[at->node];
	bool is_start = node->parent == FABRIC_NONE && at->number == node->local_port;
	bool by_peer = !behind && node->type != NODE_TYPE_SWITCH && !is_start && at->number &&
		       at->peer != FABRIC_NONE;
	uint32_t last = by_peer ? at->peer : port;
	int hops = fabric_path(fabric, fabric->ports[last].node, path);

	if (!behind && !by_peer)
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
	 * An adapter passes nothing on. Where a scan begins at a distant one, what is behind it is
	 * the node that it was reached through.
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

/* The port whose PortInfo is asked for, or that the question goes through. */
static unsigned int number_of_port(const struct scanner *scanner, const struct scan_errand *errand)
{
	uint32_t port = is_of_look(errand->question) ? scanner->looks[errand->subject].out
						     : errand->subject;

	return scanner->fabric->ports[port].number;
}

static bool write_errand(const struct scanner *scanner, const struct scan_errand *errand,
			 struct mad_request *request)
{
	uint8_t path[MAD_HOPS_MOST + 1] = {0};
	int hops = 0;

	if (errand->question != ASK_ROOT)
		hops = scan_route_to(scanner->fabric, port_of(scanner, errand),
				     is_behind(errand->question), path);
	request->attribute = attributes[errand->question];
	if (errand->question == ASK_THROUGH) {
		if (hops < 0 || hops == (int)MAD_HOPS_MOST)
			return false;
		path[++hops] = (uint8_t)number_of_port(scanner, errand);
	} else if (request->attribute == UMAD_SM_ATTR_PORT_INFO ||
		   request->attribute == UMAD_SM_ATTR_MLNX_EXT_PORT_INFO) {
		request->modifier = number_of_port(scanner, errand);
	}
	request->number = (size_t)errand->question << 32 | errand->subject;
	return fabric_scan_request(scanner->options, scanner->fabric, path, hops, request);
}

static struct fabric_silence *add_silence(struct scanner *scanner, const struct scan_errand *errand)
{
	struct fabric *fabric = scanner->fabric;
	struct fabric_silence *silence = mem_append(&fabric->silences, &fabric->silence_count,
						    sizeof(*silence));

	silence->port = errand->question == ASK_ROOT ? FABRIC_NONE : port_of(scanner, errand);
	silence->attribute = attributes[errand->question];
	silence->behind = is_behind(errand->question);
	if (errand->question == ASK_BEHIND)
		fabric->ports[errand->subject].unanswered = true;
	return silence;
}

void scan_refuse(struct scanner *scanner, uint32_t port, int error)
{
	const struct scan_errand errand = {.subject = port, .question = ASK_BEHIND};

	add_silence(scanner, &errand)->error = error;
}

/* Whether the errand is still of use: a cable may have become known from its other end. */
static bool is_needed(struct scanner *scanner, const struct scan_errand *errand)
{
	struct fabric_port *port;

	if (errand->question != ASK_BEHIND)
		return true;
	port = &scanner->fabric->ports[errand->subject];
	if (scanner->full || port->probed || port->peer != FABRIC_NONE)
		return false;
	return port->probed = true;
}

static bool next(void *context, struct mad_request *request)
{
	struct scanner *scanner = context;

	while (scanner->head < scanner->errand_count) {
		struct scan_errand *errand = &scanner->errands[scanner->head++];

		if (is_needed(scanner, errand)) {
			if (write_errand(scanner, errand, request))
				return true;
			if (!is_of_look(errand->question))
				add_silence(scanner, errand)->error = -E2BIG;
		}
		settle(scanner, errand);
	}
	return false;
}

bool scan_may_go_on(const struct scanner *scanner, const struct fabric_node *node)
{
	unsigned int most = scanner->options->most_hops;

	return !most || node->hops < most;
}

static void ask_about(struct scanner *scanner, uint32_t number)
{
	const struct fabric_node *node = &scanner->fabric->nodes[number];
	uint32_t first = node->first_port;

	scan_ask(scanner, ASK_DESCRIPTION, first);
	if (node->type != NODE_TYPE_SWITCH) {
		scan_ask(scanner, ASK_PORT, first + node->local_port);
		return;
	}
	scan_ask(scanner, ASK_SWITCH, first);
	for (uint32_t i = 0; i <= node->port_count; i++)
		scan_ask(scanner, ASK_PORT, first + i);
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
	ask_about(scanner, number);
	return number;
}

/* Whether requests to what is behind the port leave out the adapter that the scan begins at. */
static bool is_short_cut(const struct scanner *scanner, uint32_t port)
{
	const struct fabric *fabric = scanner->fabric;

	return scanner->options->path_hops && !fabric->ports[port].node &&
	       fabric->nodes[0].type != NODE_TYPE_SWITCH;
}

static bool take_node(struct scanner *scanner, const struct scan_errand *errand,
		      const uint8_t *info)
{
	uint8_t other[NODE_INFO_BYTES];

	if (errand->question == ASK_ROOT)
		return scan_add_node(scanner, FABRIC_NONE, info) != FABRIC_NONE;
	if (is_short_cut(scanner, errand->subject)) {
		/* The port that the request came by is not the one of the adapter's cable. */
		memcpy(other, info, sizeof(other));
		node_info_set_local_port(other,
					 scanner->options->path[scanner->options->path_hops]);
		info = other;
	}
	return scan_meet(scanner, errand->subject, info);
}

static bool is_of_mellanox(const struct fabric_node *node)
{
	uint32_t vendor = fabric_vendor_id(node);

	return vendor == VENDOR_MELLANOX || vendor == VENDOR_BULL;
}

/* FDR10, which the vendor's own attribute tells, is QDR to PortInfo. */
static bool may_be_fdr10(const struct fabric_port *port)
{
	return (port->info[35] >> 4) == SPEED_QDR &&
	       !(port_info_has_speeds_ext(port->info) && port->info[62] >> 4);
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
	if (fabric_physical_state(port) != PHYSICAL_LINK_UP) {
		/* Another node's port has a cable that leads here, or to a node of our GUID. */
		if (port->peer != FABRIC_NONE && node->type == NODE_TYPE_SWITCH)
			scan_doubt(scanner, port->node);
		return;
	}
	if (leads_on && port->peer == FABRIC_NONE && scan_may_go_on(scanner, node))
		scan_ask(scanner, ASK_BEHIND, number);
	if (is_of_mellanox(node) && may_be_fdr10(port))
		scan_ask(scanner, ASK_VENDOR_SPEED, number);
}

/* False: the answer makes no sense. */
static bool take_answer(struct scanner *scanner, const struct scan_errand *errand,
			const uint8_t *data)
{
	uint32_t subject = errand->subject;
	struct fabric_node *node;

	switch (errand->question) {
	case ASK_ROOT:
	case ASK_BEHIND:
		return take_node(scanner, errand, data);
	case ASK_DESCRIPTION:
		node = fabric_node_of(scanner->fabric, subject);
		memcpy(node->description, data, NODE_DESCRIPTION_BYTES);
		node->has_description = true;
		break;
	case ASK_SWITCH:
		node = fabric_node_of(scanner->fabric, subject);
		memcpy(node->switch_info, data, SWITCH_INFO_BYTES);
		node->has_switch_info = true;
		break;
	case ASK_PORT:
		take_port(scanner, subject, data);
		break;
	case ASK_VENDOR_SPEED:
		scanner->fabric->ports[subject].vendor_speed = data[VENDOR_SPEED_AT];
		break;
	case ASK_DESCRIPTION_BEHIND:
		scan_take_description(scanner, subject, data);
		break;
	case ASK_STATE_BEHIND:
	case ASK_THROUGH:
		scan_take_look(scanner, subject, errand->question, data);
		break;
	}
	return true;
}

static void take_reply(struct scanner *scanner, const struct scan_errand *errand,
		       const struct mad_reply *reply)
{
	struct fabric_silence *silence;

	if (!reply->error && !reply->status &&
	    take_answer(scanner, errand, reply->mad + MAD_SMP_DATA_AT))
		return;
	/* Interrupted is not unanswered. The vendor's own attribute may be missing. */
	if (reply->error == -ECANCELED || (errand->question == ASK_VENDOR_SPEED && !reply->error))
		return;
	if (is_of_look(errand->question)) {
		scan_take_look(scanner, errand->subject, errand->question, NULL);
		return;
	}
	silence = add_silence(scanner, errand);
	silence->error = reply->error;
	silence->status = reply->status;
	silence->tries = reply->tries;
}

static void done(void *context, const struct mad_reply *reply)
{
	struct scanner *scanner = context;
	const struct fabric_scan_options *options = scanner->options;
	const struct scan_errand errand = {
		.subject = (uint32_t)reply->request->number,
		.question = (enum scan_question)(reply->request->number >> 32),
	};

	take_reply(scanner, &errand, reply);
	settle(scanner, &errand);
	if (options->heard)
		options->heard(options->context);
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

	scan_ask(&scanner, ASK_ROOT, 0);
	rc = scan_run(&scanner);
	if (!rc)
		rc = scan_tell_apart(&scanner);
	free(scanner.errands);
	free(scanner.claims);
	free(scanner.looks);
	fabric->interrupted = rc != 0;
	if (!rc && !fabric->node_count)
		return -EHOSTUNREACH;
	return rc;
}
