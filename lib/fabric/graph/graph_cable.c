/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Kinds of cables, and how many of each kind lead from a node to each neighbour. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "fabric/graph/graph.h"

static unsigned int least_state(const struct fabric_port *a, const struct fabric_port *b)
{
	unsigned int one = fabric_port_state(a), other = fabric_port_state(b);

	return !one || (other && other < one) ? other : one;
}

struct cable_kind cable_kind_of(const struct fabric *fabric, uint32_t place)
{
	const struct fabric_port *port = &fabric->ports[place], *peer;
	struct cable_kind kind = {.condition = CABLE_GOOD};

	if (port->peer == FABRIC_NONE) {
		kind.condition = CABLE_UNANSWERED;
		return kind;
	}
	peer = &fabric->ports[port->peer];
	kind.state = (uint8_t)least_state(port, peer);
	kind.lanes = (uint8_t)(fabric_lanes(port) ? fabric_lanes(port) : fabric_lanes(peer));
	kind.speed = (uint8_t)(fabric_speed(port) ? fabric_speed(port) : fabric_speed(peer));
	if (fabric_is_slow(fabric, place) || fabric_is_slow(fabric, port->peer)) {
		kind.condition = CABLE_SLOW;
		kind.best_lanes = (uint8_t)fabric_best_lanes(fabric, place);
		kind.best_speed = (uint8_t)fabric_best_speed(fabric, place);
	}
	if (!kind.state)
		kind.condition = CABLE_UNKNOWN;
	else if (kind.state != PORT_STATE_ACTIVE)
		kind.condition = CABLE_NOT_ACTIVE;
	return kind;
}

static void rate_text(unsigned int lanes, unsigned int speed, char text[static CABLE_TEXT_SIZE])
{
	snprintf(text, CABLE_TEXT_SIZE, "%ux %s", lanes, enum_word(lane_speed_names, speed, "?"));
}

void cable_text(const struct cable_kind *kind, char text[static CABLE_TEXT_SIZE])
{
	char rate[CABLE_TEXT_SIZE] = "", best[CABLE_TEXT_SIZE];
	const char *state = kind->state ? enum_word(port_state_names, kind->state, "odd state")
					: "state unknown";

	if (kind->condition == CABLE_UNANSWERED) {
		snprintf(text, CABLE_TEXT_SIZE, "no answer");
		return;
	}
	if (kind->lanes)
		rate_text(kind->lanes, kind->speed, rate);
	if (kind->state != PORT_STATE_ACTIVE || !kind->lanes)
		snprintf(text, CABLE_TEXT_SIZE, "%.24s%s%.24s", rate, *rate ? ", " : "", state);
	else
		snprintf(text, CABLE_TEXT_SIZE, "%s", rate);
	if (kind->best_lanes) {
		size_t length = strlen(text);

		rate_text(kind->best_lanes, kind->best_speed, best);
		snprintf(text + length, CABLE_TEXT_SIZE - length, ", could be %s", best);
	}
}

struct sorted_port {
	uint32_t port, order;
	struct cable_kind kind;
};

DEFINE_ORDER(compare, struct sorted_port,
	     COMPARE(a->order, b->order) ?: memcmp(&a->kind, &b->kind, sizeof(a->kind)),
	     COMPARE(a->port, b->port))

/* A cable between two ports of one node counts at the first port. */
static bool is_cable(const struct fabric *fabric, uint32_t place)
{
	const struct fabric_port *port = &fabric->ports[place];

	if (port->peer == FABRIC_NONE)
		return port->unanswered;
	return fabric->ports[port->peer].node != port->node || place <= port->peer;
}

static void add_cable(const struct fabric *fabric, struct cable_list *list,
		      const struct sorted_port *sorted)
{
	const uint32_t node = fabric_peer_node(fabric, sorted->port);
	struct cables *last = list->count ? &list->items[list->count - 1] : NULL;

	list->ports[list->port_count] = sorted->port;
	if (!last || node == FABRIC_NONE || last->peer != node ||
	    memcmp(&last->kind, &sorted->kind, sizeof(last->kind)) != 0) {
		last = mem_append(&list->items, &list->count, sizeof(*last));
		last->peer = node;
		last->kind = sorted->kind;
		last->ports = &list->ports[list->port_count];
	}
	last->count++;
	list->port_count++;
}

void cable_list_fill(const struct fabric *fabric, uint32_t node, const uint32_t *order,
		     struct cable_list *list)
{
	struct sorted_port sorted[FABRIC_PORT_MOST + 1];
	size_t count = 0;

	*list = (struct cable_list){.items = NULL};
	for_each_port_of (place, &fabric->nodes[node]) {
		const struct fabric_port *port = &fabric->ports[place];

		if (is_cable(fabric, place))
			sorted[count++] = (struct sorted_port){
				.port = place,
				.order = port->peer == FABRIC_NONE
						 ? UINT32_MAX
						 : order[fabric->ports[port->peer].node],
				.kind = cable_kind_of(fabric, place),
			};
		else if (port->peer == FABRIC_NONE && fabric_is_up(port))
			list->beyond++;
	}
	MEM_SORT(sorted, count, compare);
	list->ports = mem_alloc_zero(count, sizeof(*list->ports));
	for (size_t i = 0; i < count; i++)
		add_cable(fabric, list, &sorted[i]);
}
