/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the graph tells by itself. */
#include <stdlib.h>

#include "base/mem.h"
#include "fabric/check/findings.h"
#include "fabric/graph/link.h"
#include "fabric/graph/view_columns.h"
#include "host/names.h"
#include "schema/bits.h"

/* PortInfo:PortState */

struct judge {
	const struct fabric_view *view;
	const struct fabric *fabric;
	struct fabric_findings *findings;
	uint16_t manager_lid; /* 0: no port knows a subnet manager */
};

static const struct fabric_port *port_at(const struct judge *judge, uint32_t place)
{
	return &judge->fabric->ports[place];
}

static bool is_up(const struct fabric_port *port)
{
	return fabric_physical_state(port) == PHYSICAL_LINK_UP;
}

static const char *state_word(const struct fabric_port *port)
{
	return enum_word(port_state_names, fabric_port_state(port), "?");
}

/* Where both ends are known a cable is told of once: by the switch, else by the first port. */
static bool speaks_for_cable(const struct judge *judge, uint32_t place)
{
	uint32_t peer = port_at(judge, place)->peer;
	bool here, there;

	if (peer == FABRIC_NONE || !port_at(judge, peer)->has_info)
		return true;
	here = fabric_node_of(judge->fabric, place)->type == NODE_TYPE_SWITCH;
	there = fabric_node_of(judge->fabric, peer)->type == NODE_TYPE_SWITCH;
	return here != there ? here : place <= peer;
}

/* `8x NDR`; an active link has both, as a rule. */
static char *link_text(unsigned int lanes, enum fabric_speed speed)
{
	return mem_format("%ux %s", lanes, enum_word(fabric_speed_names, speed, "?"));
}

static void judge_speed(const struct judge *judge, uint32_t place)
{
	const struct fabric_port *port = port_at(judge, place);
	char *active, *best;

	if (!fabric_is_slow(judge->fabric, place))
		return;
	active = link_text(fabric_lanes(port), fabric_speed(port));
	best = link_text(fabric_best_lanes(judge->fabric, place),
			 fabric_best_speed(judge->fabric, place));
	findings_add(judge->findings, judge->view, FINDING_LINK_BELOW_BEST, place,
		     mem_format("it is %s, both ends support %s", active, best));
	free(active);
	free(best);
}

static void judge_mtu(const struct judge *judge, uint32_t place, const struct fabric_port *peer)
{
	const struct fabric_port *port = port_at(judge, place);
	unsigned int here = fabric_mtu(port), there = fabric_mtu(peer);
	unsigned int most = fabric_most_mtu(port);

	if (fabric_most_mtu(peer) < most)
		most = fabric_most_mtu(peer);
	if (!here || !there)
		return;
	if (here != there)
		findings_add(judge->findings, judge->view, FINDING_MTU_MISMATCH, place,
			     mem_format("%u bytes here, %u at the other end", here, there));
	else if (here < most)
		findings_add(judge->findings, judge->view, FINDING_MTU_LOW, place,
			     mem_format("%u bytes, both ends support %u", here, most));
}

static void judge_lanes(const struct judge *judge, uint32_t place, const struct fabric_port *peer)
{
	unsigned int here = fabric_vls(port_at(judge, place)), there = fabric_vls(peer);

	if (here && there && here != there)
		findings_add(judge->findings, judge->view, FINDING_VL_MISMATCH, place,
			     mem_format("%u data VLs here, %u at the other end", here, there));
}

/* Of ports that the subnet manager has not brought to ACTIVE; without one it is told of once. */
static void judge_state(const struct judge *judge, uint32_t place, const struct fabric_port *peer)
{
	const struct fabric_port *port = port_at(judge, place);
	const bool init = fabric_port_state(port) == PORT_STATE_INIT ||
			  (peer && fabric_port_state(peer) == PORT_STATE_INIT);

	if (!judge->manager_lid)
		return;
	findings_add(judge->findings, judge->view,
		     init ? FINDING_PORT_INIT : FINDING_LINK_NOT_ACTIVE, place,
		     peer ? mem_format("the link is up, the state %s here, %s at the other end",
				       state_word(port), state_word(peer))
			  : mem_format("the link is up, the state %s", state_word(port)));
}

/* The peer is known, and it says something else. */
static void judge_ends(const struct judge *judge, uint32_t place)
{
	const struct fabric_port *port = port_at(judge, place);
	const struct fabric_port *peer = port_at(judge, port->peer);
	char *name;

	if (peer->has_info && is_up(port) && !is_up(peer))
		findings_add(judge->findings, judge->view, FINDING_ONE_WAY_LINK, place,
			     mem_format("it is up here, %s at the other end",
					enum_word(physical_state_names, fabric_physical_state(peer),
						  "?")));
	if (peer->peer == place || peer->peer == FABRIC_NONE)
		return;
	name = fabric_port_name(judge->view, peer->peer);
	findings_add(judge->findings, judge->view, FINDING_ONE_WAY_LINK, place,
		     mem_format("the other end is cabled to %s", name));
	free(name);
}

static void judge_port(const struct judge *judge, uint32_t place)
{
	const struct fabric_port *port = port_at(judge, place), *peer = NULL;

	if (!port->number)
		return;
	if (port->peer != FABRIC_NONE) {
		judge_ends(judge, place);
		peer = port_at(judge, port->peer);
		peer = peer->has_info ? peer : NULL;
	}
	if (!port->has_info || !is_up(port) || (peer && !is_up(peer)) ||
	    !speaks_for_cable(judge, place))
		return;
	judge_speed(judge, place);
	if (fabric_port_state(port) != PORT_STATE_ACTIVE ||
	    (peer && fabric_port_state(peer) != PORT_STATE_ACTIVE)) {
		judge_state(judge, place, peer);
		return;
	}
	if (!peer)
		return;
	judge_mtu(judge, place, peer);
	judge_lanes(judge, place, peer);
}

/* What a port believes of LIDs, where there is a subnet manager that has given some. */
static void judge_lids(const struct judge *judge, uint32_t place)
{
	const struct fabric_port *port = port_at(judge, place);
	uint16_t believed = fabric_port_manager_lid(port);

	if (!judge->manager_lid || !fabric_is_end_port(judge->fabric, place))
		return;
	/* What is not active has not got all of it yet, and is told of for that. */
	if (port->number && fabric_port_state(port) != PORT_STATE_ACTIVE)
		return;
	if (!fabric_port_lid(port))
		findings_add(judge->findings, judge->view, FINDING_NO_LID, place,
			     mem_format("the subnet manager is at LID %u", judge->manager_lid));
	else if (believed != judge->manager_lid)
		findings_add(judge->findings, judge->view, FINDING_SM_LID_MISMATCH, place,
			     mem_format("LID %u, and most ports say %u", believed,
					judge->manager_lid));
}

/* Nodes of one GUID: each but the first is told of, with the way to it. */
static void judge_guid(const struct judge *judge, uint32_t first)
{
	const struct fabric_node *node = &judge->fabric->nodes[first];

	if (!node->ambiguous || fabric_find(judge->fabric, node->guid) != first)
		return;
	for (uint32_t twin = node->same_guid; twin != FABRIC_NONE;
	     twin = judge->fabric->nodes[twin].same_guid) {
		char guid[GUID_TEXT_SIZE], *name = fabric_node_name(judge->view, first);
		uint32_t parent = judge->fabric->nodes[twin].parent;
		char *behind = parent == FABRIC_NONE ? mem_string("the local port")
						     : fabric_port_name(judge->view, parent);

		guid_format(node->guid, guid);
		findings_add_node(judge->findings, judge->view, FINDING_DUPLICATE_GUID, twin,
				  mem_format("GUID %s, as %s; this one is behind %s", guid, name,
					     behind));
		free(name);
		free(behind);
	}
}

/* The LIDs of a port: 2^LMC from the base on. */
struct lids {
	uint32_t first, last;
	uint32_t port;
};

static int compare_lids(const void *a, const void *b)
{
	const struct lids *one = a, *other = b;

	if (one->first != other->first)
		return one->first < other->first ? -1 : 1;
	return (one->port > other->port) - (one->port < other->port);
}

static void tell_lid(const struct judge *judge, const struct lids *owner, const struct lids *again)
{
	char *name = fabric_port_name(judge->view, owner->port);

	findings_add(judge->findings, judge->view, FINDING_DUPLICATE_LID, again->port,
		     owner->first == owner->last && again->first == again->last
			     ? mem_format("LID %u is that of %s, too", again->first, name)
			     : mem_format("LIDs %u to %u, and %s has %u to %u", again->first,
					  again->last, name, owner->first, owner->last));
	free(name);
}

static void judge_duplicates(const struct judge *judge)
{
	struct lids *items = NULL, owner;
	size_t count = 0;

	for (uint32_t i = 0; i < judge->fabric->port_count; i++) {
		const struct fabric_port *port = port_at(judge, i);

		if (!fabric_is_end_port(judge->fabric, i) || !fabric_port_lid(port))
			continue;
		*(struct lids *)mem_append(&items, &count, sizeof(*items)) = (struct lids){
			.first = fabric_port_lid(port),
			.last = fabric_port_lid(port) + (1u << port_info_lmc(port->info)) - 1,
			.port = i,
		};
	}
	if (count)
		qsort(items, count, sizeof(*items), compare_lids);
	owner = count ? items[0] : (struct lids){0};
	for (size_t i = 1; i < count; i++) {
		if (items[i].first <= owner.last)
			tell_lid(judge, &owner, &items[i]);
		/* Whoever reaches furthest is met by those that follow. */
		if (items[i].last > owner.last)
			owner = items[i];
	}
	free(items);
}

/* The directed route from where the scan began to whom was asked; NULL if there is none. */
static char *route_text(const struct fabric *fabric, const struct fabric_silence *silence)
{
	uint8_t path[MAD_HOPS_MOST + 2];
	struct value value = {.kind = VALUE_NONE};

	view_set_path(&value, path, fabric_silence_path(fabric, silence, path));
	return value.kind == VALUE_STRING ? mem_string(value.string) : NULL;
}

static void judge_silences(const struct judge *judge)
{
	for (size_t i = 0; i < judge->fabric->silence_count; i++) {
		const struct fabric_silence *silence = &judge->fabric->silences[i];
		char *object = NULL, *message = NULL;
		char *route = route_text(judge->fabric, silence);

		fabric_silence_text(judge->view, silence, &object, &message);
		findings_add(judge->findings, judge->view, FINDING_UNANSWERED, silence->port,
			     route ? mem_format("%s; route %s", message, route)
				   : mem_string(message));
		free(object);
		free(message);
		free(route);
	}
}

void findings_of_graph(const struct fabric_view *view, struct fabric_findings *findings)
{
	const struct judge judge = {
		.view = view,
		.fabric = view->fabric,
		.findings = findings,
		.manager_lid = fabric_manager_lid(view->fabric),
	};

	for (uint32_t i = 0; i < view->fabric->node_count; i++)
		judge_guid(&judge, i);
	for (uint32_t i = 0; i < view->fabric->port_count; i++) {
		judge_port(&judge, i);
		judge_lids(&judge, i);
	}
	judge_duplicates(&judge);
	judge_silences(&judge);
}
