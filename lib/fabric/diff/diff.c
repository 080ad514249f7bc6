/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "fabric/diff/diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "schema/rows.h"

static const struct enum_name change_names[] = {
	{CHANGE_NODE_GONE, "node-gone", TONE_BAD, "the node is gone"},
	{CHANGE_NODE_NEW, "node-new", TONE_GOOD, "the node is new"},
	{CHANGE_DESCRIPTION, "description-changed", TONE_WARNING,
	 "the node has a different description"},
	{CHANGE_PORT_COUNT, "port-count-changed", TONE_WARNING,
	 "the node has a different number of ports"},
	{CHANGE_CABLE_GONE, "cable-gone", TONE_BAD, "the cable is gone"},
	{CHANGE_CABLE_NEW, "cable-new", TONE_GOOD, "the cable is new"},
	{CHANGE_CABLE_MOVED, "cable-moved", TONE_WARNING, "the cable leads to another port"},
	{CHANGE_WIDTH, "width-changed", TONE_WARNING, "the link has a different number of lanes"},
	{CHANGE_SPEED, "speed-changed", TONE_WARNING, "the link has a different speed"},
	{CHANGE_STATE, "state-changed", TONE_WARNING, "the port is in a different state"},
	{CHANGE_MTU, "mtu-changed", TONE_WARNING, "the link has a different MTU"},
	{CHANGE_LID, "lid-changed", TONE_WARNING, "the port has a different LID"},
	{CHANGE_UNANSWERED, "unanswered", TONE_WARNING,
	 "one of the scans did not see it: no known change"},
	{0, NULL},
};

#define RECORD struct fabric_change
static const struct field change_fields[] = {
	WORD(change, change_names, "CHANGE", SHOWN, 0, "what changed"),
	TEXT(node, "NODE", SHOWN, 0, "name of the node"),
	NUMBER(port, "PORT", SHOWN, 0, "number of its port"),
	TEXT_AS("before", texts[BEFORE], "BEFORE", SHOWN, 0,
		"earlier value; the peer's port for a cable, the place for a node"),
	TEXT_AS("after", texts[AFTER], "AFTER", SHOWN, 0, "later value, of the same kind"),
	WORD(node_type, node_type_names, "TYPE", 0, 0, "type of the node"),
	GUID(node_guid, "NODE GUID", 0, 0, "GUID of the node"),
	GUID_FIELD(RECORD, peer_guid[BEFORE], "before_guid", "GUID BEFORE", 0, 0,
		   "GUID of the node that was at the other end of the cable"),
	NUMBER_AS("before_port", peer_port[BEFORE], "PORT BEFORE", 0, 0, "number of its port"),
	GUID_FIELD(RECORD, peer_guid[AFTER], "after_guid", "GUID AFTER", 0, 0,
		   "GUID of the node that is at the other end of the cable"),
	NUMBER_AS("after_port", peer_port[AFTER], "PORT AFTER", 0, 0, "number of its port"),
};
#undef RECORD

const struct schema fabric_changes_schema = SCHEMA("fabric_changes", struct fabric_change,
						   change_fields, "a difference between two scans");

enum { TEXT_SIZE = 64 }; /* of a width, speed, state ... */

static struct fabric_change *diff_add(struct comparison *comparison, enum fabric_change_kind kind,
				      enum side side, uint32_t node)
{
	struct fabric_changes *changes = comparison->changes;
	struct fabric_change *change = mem_append(&changes->items, &changes->count,
						  sizeof(*change));
	uint32_t match = comparison->matches[side][node];

	/* Use the current name. */
	if (side == BEFORE && match != FABRIC_NONE) {
		side = AFTER;
		node = match;
	}
	for (enum side i = BEFORE; i < SIDES; i++)
		change->at[i] = change->earlier_peer[i] = FABRIC_NONE;
	change->change = number_of(kind);
	change->node = fabric_node_name(comparison->views[side], node);
	change->node_guid = number_of(fabric_at(comparison, side)->nodes[node].guid);
	change->node_type = number_of(fabric_at(comparison, side)->nodes[node].type);
	if (kind == CHANGE_UNANSWERED)
		changes->incomplete = true;
	else
		changes->changed = true;
	return change;
}

struct fabric_change *diff_add_port(struct comparison *comparison, enum fabric_change_kind kind,
				    uint32_t place)
{
	enum side side = comparison->ports[AFTER][place] == FABRIC_NONE ? BEFORE : AFTER;
	uint32_t port = comparison->ports[side][place];
	struct fabric_change *change = diff_add(comparison, kind, side,
						diff_node(comparison, side, place));

	change->port = number_of(fabric_at(comparison, side)->ports[port].number);
	for (enum side i = BEFORE; i < SIDES; i++)
		change->at[i] = comparison->ports[i][place];
	return change;
}

void diff_set_peer(struct comparison *comparison, struct fabric_change *change, enum side side,
		   uint32_t place)
{
	const struct fabric_view *view = comparison->views[side];
	uint32_t peer = view->fabric->ports[comparison->ports[side][place]].peer;

	change->texts[side] = fabric_port_name(view, peer);
	change->peer_guid[side] = number_of(fabric_node_of(view->fabric, peer)->guid);
	change->peer_port[side] = number_of(view->fabric->ports[peer].number);
	if (side == AFTER)
		return;
	for (enum side i = BEFORE; i < SIDES; i++)
		change->earlier_peer[i] = comparison->ports[i][comparison->peers[side][place]];
}

/* Returns why the other scan lacks a node: no answer, or the scan did not get there. */
static const char *why_hidden(const struct comparison *comparison, enum side side, uint32_t number)
{
	const enum side other = other_side(side);
	const struct fabric_node *node = &fabric_at(comparison, side)->nodes[number];

	for (uint32_t i = 0; i <= node->port_count; i++) {
		uint32_t port = node->first_port + i;
		uint32_t peer =
			comparison->peers[side][side == BEFORE ? port : comparison->places[port]];

		if (peer < LEAST_SPECIAL && comparison->ports[other][peer] != FABRIC_NONE &&
		    fabric_at(comparison, other)->ports[comparison->ports[other][peer]].unanswered)
			return "no answer";
	}
	return "not reached";
}

static void report_nodes(struct comparison *comparison, enum side side)
{
	const struct fabric *fabric = fabric_at(comparison, side);

	for (uint32_t i = 0; i < fabric->node_count; i++) {
		const bool hidden = comparison->hidden[side][i];
		struct fabric_change *change;

		if (comparison->matches[side][i] != FABRIC_NONE)
			continue;
		change = diff_add(comparison,
				  hidden	   ? CHANGE_UNANSWERED
				  : side == BEFORE ? CHANGE_NODE_GONE
						   : CHANGE_NODE_NEW,
				  side, i);
		/* The port through which it was found. */
		if (fabric->nodes[i].parent != FABRIC_NONE)
			change->texts[side] = fabric_port_name(comparison->views[side],
							       fabric->nodes[i].parent);
		if (hidden)
			change->texts[other_side(side)] = mem_string(
				why_hidden(comparison, side, i));
	}
}

static void report_text(struct fabric_change *change, const char *before, const char *after)
{
	change->texts[BEFORE] = mem_string(before);
	change->texts[AFTER] = mem_string(after);
}

/* Writes the readable description; if `blanked`, as ibnetdiscover would have written it. */
static void read_description(const struct fabric_node *node, bool blanked,
			     char text[static FABRIC_NAME_SIZE])
{
	uint8_t bytes[NODE_DESCRIPTION_BYTES];

	memcpy(bytes, node->description, sizeof(bytes));
	for (size_t i = 0; i < sizeof(bytes) && bytes[i] && blanked; i++)
		if (bytes[i] < ' ' || bytes[i] > '~')
			bytes[i] = ' ';
	if (blanked)
		bytes[sizeof(bytes) - 1] = '\0';
	text_clean_into(text, FABRIC_NAME_SIZE, (const char *)bytes, sizeof(bytes));
}

static void report_description(struct comparison *comparison, uint32_t number,
			       const struct fabric_node *before, const struct fabric_node *after)
{
	const bool blanked = fabric_at(comparison, BEFORE)->source != FABRIC_SCAN ||
			     fabric_at(comparison, AFTER)->source != FABRIC_SCAN;
	char texts[SIDES][FABRIC_NAME_SIZE];

	if (!before->has_description || !after->has_description ||
	    !memcmp(before->description, after->description, NODE_DESCRIPTION_BYTES))
		return;
	read_description(before, blanked, texts[BEFORE]);
	read_description(after, blanked, texts[AFTER]);
	/* The texts may be equal up to the NUL. */
	if (strcmp(texts[BEFORE], texts[AFTER]) != 0)
		report_text(diff_add(comparison, CHANGE_DESCRIPTION, AFTER, number), texts[BEFORE],
			    texts[AFTER]);
}

/* Reports changes, other than of ports, in nodes that both scans have. */
static void report_lasting_nodes(struct comparison *comparison)
{
	const bool is_list = fabric_at(comparison, BEFORE)->by_port ||
			     fabric_at(comparison, AFTER)->by_port;

	for (uint32_t i = 0; i < fabric_at(comparison, AFTER)->node_count; i++) {
		const uint32_t match = comparison->matches[AFTER][i];
		const struct fabric_node *after = &fabric_at(comparison, AFTER)->nodes[i], *before;
		struct fabric_change *change;

		if (match == FABRIC_NONE)
			continue;
		before = &fabric_at(comparison, BEFORE)->nodes[match];
		report_description(comparison, i, before, after);
		if (before->port_count == after->port_count || is_list)
			continue;
		change = diff_add(comparison, CHANGE_PORT_COUNT, AFTER, i);
		change->texts[BEFORE] = mem_format("%u", before->port_count);
		change->texts[AFTER] = mem_format("%u", after->port_count);
	}
}

/* These functions describe an attribute of a port; false if it is unknown. */
static bool get_width(const struct fabric_port *port, char text[static TEXT_SIZE])
{
	unsigned int lanes = fabric_is_up(port) ? fabric_lanes(port) : 0;

	snprintf(text, TEXT_SIZE, "%ux", lanes);
	return lanes;
}

static bool get_speed(const struct fabric_port *port, char text[static TEXT_SIZE])
{
	enum lane_speed speed = fabric_is_up(port) ? fabric_speed(port) : SPEED_UNKNOWN;

	snprintf(text, TEXT_SIZE, "%s", enum_word(lane_speed_names, speed, ""));
	return speed != SPEED_UNKNOWN;
}

static bool get_mtu(const struct fabric_port *port, char text[static TEXT_SIZE])
{
	unsigned int mtu = fabric_is_up(port) ? fabric_mtu(port) : 0;

	snprintf(text, TEXT_SIZE, "%u", mtu);
	return mtu;
}

/* Writes `active`, with the physical state unless the link is up. */
static bool get_state(const struct fabric_port *port, char text[static TEXT_SIZE])
{
	unsigned int state = fabric_port_state(port), physical = fabric_physical_state(port);
	const char *more = enum_word(physical_state_names, physical, "unknown");

	snprintf(text, TEXT_SIZE, "%s%s%s", enum_word(port_state_names, state, "unknown"),
		 fabric_is_up(port) ? "" : ", ", fabric_is_up(port) ? "" : more);
	return state && physical;
}

struct aspect {
	enum fabric_change_kind kind;
	bool (*get)(const struct fabric_port *port, char text[static TEXT_SIZE]);
};

static const struct aspect aspects[] = {
	{CHANGE_WIDTH, get_width},
	{CHANGE_SPEED, get_speed},
	{CHANGE_STATE, get_state},
	{CHANGE_MTU, get_mtu},
};

/* Whether an attribute of the port has changed; if so, fills in both texts. */
static bool differs(const struct comparison *comparison, const struct aspect *aspect,
		    uint32_t place, char texts[static SIDES][TEXT_SIZE])
{
	for (enum side side = BEFORE; side < SIDES; side++)
		if (!aspect->get(
			    &fabric_at(comparison, side)->ports[comparison->ports[side][place]],
			    texts[side]))
			return false;
	return strcmp(texts[BEFORE], texts[AFTER]) != 0;
}

static bool is_in_both(const struct comparison *comparison, uint32_t place)
{
	return comparison->ports[BEFORE][place] != FABRIC_NONE &&
	       comparison->ports[AFTER][place] != FABRIC_NONE;
}

/* Both ends of a link usually change in the same way; then only the first end is reported. */
static bool is_reported(const struct comparison *comparison, const struct aspect *aspect,
			uint32_t place, char texts[static SIDES][TEXT_SIZE])
{
	uint32_t peer = comparison->peers[AFTER][place];
	char theirs[SIDES][TEXT_SIZE];

	return peer < LEAST_SPECIAL && comparison->peers[BEFORE][place] == peer &&
	       comparison->order[peer] < comparison->order[place] &&
	       differs(comparison, aspect, peer, theirs) &&
	       !strcmp(theirs[BEFORE], texts[BEFORE]) && !strcmp(theirs[AFTER], texts[AFTER]);
}

/* Does not report a port again whose cable is gone or new. */
static void report_port(struct comparison *comparison, uint32_t place)
{
	uint32_t before = comparison->peers[BEFORE][place], after = comparison->peers[AFTER][place];
	char texts[SIDES][TEXT_SIZE];

	if ((before == NO_PEER && after < LEAST_SPECIAL) ||
	    (after == NO_PEER && before < LEAST_SPECIAL))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(aspects); i++)
		if (differs(comparison, &aspects[i], place, texts) &&
		    !is_reported(comparison, &aspects[i], place, texts))
			report_text(diff_add_port(comparison, aspects[i].kind, place),
				    texts[BEFORE], texts[AFTER]);
}

/* A switch has one LID, at port 0; other nodes have one for each port. */
static void report_lid(struct comparison *comparison, uint32_t place)
{
	uint16_t lids[SIDES];
	struct fabric_change *change;

	for (enum side side = BEFORE; side < SIDES; side++) {
		const struct fabric *fabric = fabric_at(comparison, side);
		const struct fabric_port *port = &fabric->ports[comparison->ports[side][place]];
		bool is_switch = fabric->nodes[port->node].type == NODE_TYPE_SWITCH;

		if (!port->has_info || is_switch != !port->number)
			return;
		lids[side] = fabric_port_lid(port);
	}
	if (lids[BEFORE] == lids[AFTER])
		return;
	change = diff_add_port(comparison, CHANGE_LID, place);
	for (enum side side = BEFORE; side < SIDES; side++)
		if (lids[side])
			change->texts[side] = mem_format("%u", lids[side]);
}

static void report_ports(struct comparison *comparison)
{
	for (uint32_t i = 0; i < comparison->place_count; i++) {
		if (!is_in_both(comparison, i))
			continue;
		if (fabric_at(comparison, AFTER)->ports[comparison->ports[AFTER][i]].number)
			report_port(comparison, i);
		report_lid(comparison, i);
	}
}

/* Reports the queries to a node of both scans that failed in only one of them. */
static void report_failures(struct comparison *comparison, enum side side)
{
	const struct fabric_view *view = comparison->views[side];
	const enum side other = other_side(side);

	for_each_in (failure, view->fabric->failures, view->fabric->failure_count) {
		_cleanup_(freep) char *object = NULL;
		struct fabric_change *change;
		uint32_t place;

		comparison->changes->incomplete = true;
		if (failure->port == FABRIC_NONE || failure->at_peer)
			continue;
		place = side == BEFORE ? failure->port : comparison->places[failure->port];
		if (!is_in_both(comparison, place) ||
		    comparison->failed[side][failure->port] ==
			    comparison->failed[other][comparison->ports[other][place]])
			continue;
		change = diff_add_port(comparison, CHANGE_UNANSWERED, place);
		fabric_failure_text(view, failure, &object, &change->texts[side]);
	}
	if (view->fabric->interrupted)
		comparison->changes->incomplete = true;
}

static int by_place(const void *a, const void *b)
{
	const struct fabric_change *one = a, *two = b;
	int order = text_compare_natural(one->node, two->node);

	order = order ?: COMPARE(one->node_guid.value, two->node_guid.value);
	order = order ?: COMPARE(one->port.known, two->port.known);
	order = order ?: COMPARE(one->port.value, two->port.value);
	order = order ?: COMPARE(one->change.value, two->change.value);
	for (enum side side = BEFORE; side < SIDES && !order; side++)
		order = strcmp(one->texts[side] ?: "", two->texts[side] ?: "");
	return order;
}

static void clear(struct comparison *comparison)
{
	for (enum side side = BEFORE; side < SIDES; side++) {
		free(comparison->matches[side]);
		free(comparison->hidden[side]);
		free(comparison->ports[side]);
		free(comparison->peers[side]);
		free(comparison->failed[side]);
		free(comparison->cables[side]);
	}
	free(comparison->places);
	free(comparison->order);
}

void fabric_compare(const struct fabric_view *before, const struct fabric_view *after,
		    unsigned int compared, struct fabric_changes *changes)
{
	struct comparison comparison = {
		.views = {before, after}, .compared = compared, .changes = changes};

	diff_match(&comparison);
	diff_lay_out(&comparison);
	report_lasting_nodes(&comparison);
	diff_cables(&comparison);
	report_ports(&comparison);
	for (enum side side = BEFORE; side < SIDES; side++) {
		report_nodes(&comparison, side);
		report_failures(&comparison, side);
	}
	clear(&comparison);
	MEM_SORT(changes->items, changes->count, by_place);
}
