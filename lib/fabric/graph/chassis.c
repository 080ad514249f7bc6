/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which nodes are in one chassis; chassis.h has the source of the facts. */
#include "fabric/graph/chassis.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/gid.h"
#include "base/mem.h"
#include "base/text.h"

#define VENDOR_TOPSPIN	   0x0005adu /* Cisco */
#define VENDOR_SILVERSTORM 0x00066au

/* The byte of a system GUID that holds the slot; all others identify the chassis. */
#define SLOT_BYTE UINT64_C(0x00000000ff000000)

/* Xsigo: 001397 is the OUI; the next byte is the type of node, then follows the port or slot. */
#define XSIGO_OUI     UINT64_C(0x0013970000000000)
#define XSIGO_SWITCH  UINT64_C(0x0013970100000000)
#define XSIGO_ADAPTER UINT64_C(0x0013970200000000)
#define XSIGO_TARGET  UINT64_C(0x0013970300000000)
#define XSIGO_LEAF_1  UINT64_C(0x0013970102000000)
#define TYPE_MASK     UINT64_C(0xffffffff00000000)

bool chassis_is_xsigo(uint64_t guid)
{
	return (guid & UINT64_C(0xffffff0000000000)) == XSIGO_OUI;
}

bool chassis_is_xsigo_adapter(uint64_t guid)
{
	return (guid & TYPE_MASK) == XSIGO_ADAPTER;
}

bool chassis_is_xsigo_target(uint64_t guid)
{
	return (guid & TYPE_MASK) == XSIGO_TARGET;
}

/* Adapters and targets belong to the chassis of the leaf switch 1 to which they are cabled. */
static uint64_t xsigo_guid(const struct fabric *fabric, const struct fabric_node *node)
{
	uint64_t system = node_info_system_guid(node->info), other;
	uint32_t peer;

	if ((system & TYPE_MASK) == XSIGO_SWITCH)
		return system & ~SLOT_BYTE;
	if (!chassis_is_xsigo_adapter(system) && !chassis_is_xsigo_target(system))
		return system;
	peer = node->port_count ? fabric->ports[node->first_port + 1].peer : FABRIC_NONE;
	if (peer == FABRIC_NONE)
		return system;
	other = node_info_system_guid(fabric_node_of(fabric, peer)->info);
	return (other & (TYPE_MASK | SLOT_BYTE)) == XSIGO_LEAF_1 ? other & ~SLOT_BYTE : system;
}

/* Returns 0 if the node's GUIDs do not identify a chassis. */
static uint64_t chassis_guid(const struct fabric *fabric, const struct fabric_node *node)
{
	uint32_t vendor = node_info_vendor_id(node->info);
	uint64_t system = node_info_system_guid(node->info);

	if (!system || vendor == VENDOR_VOLTAIRE)
		return 0;
	if (vendor == VENDOR_TOPSPIN || vendor == VENDOR_SILVERSTORM)
		return system & ~SLOT_BYTE;
	return vendor == XSIGO_OUI >> 40 || chassis_is_xsigo(system) ? xsigo_guid(fabric, node)
								     : system;
}

/* The place of a node that is a board, or is cabled like one. */
struct seat {
	bool placed;
	uint8_t board, order; /* as in struct chassis_place */
};

#define KINDS_OF_BOARD	   (PART_LINE + 1)
#define MOST_BOARDS_A_KIND (UINT8_MAX + 1)

struct grouping {
	const struct fabric *fabric;
	struct chassis_list *list;
	struct seat *seats; /* of each node */
	/* By part and order: number of the last chassis that has a board there. */
	uint32_t taken[KINDS_OF_BOARD][MOST_BOARDS_A_KIND];
};

static enum chassis_part part_of(const struct grouping *group, uint32_t node)
{
	const struct seat *seat = &group->seats[node];

	if (seat->placed && seat->order)
		return seat->board == BOARD_SPINE ? PART_SPINE : PART_LINE;
	return group->fabric->nodes[node].type == NODE_TYPE_SWITCH ? PART_SWITCH : PART_OTHER;
}

static void add_member(struct grouping *group, uint32_t number, uint32_t node,
		       enum chassis_part part, uint32_t order)
{
	struct chassis *chassis = &group->list->items[number - 1];

	group->list->number[node] = number;
	MEM_ADD(chassis->members, chassis->count) = (struct chassis_member){
		.node = node, .order = order, .part = (uint8_t)part};
}

/* Returns false if another board has the slot already. Chassis are filled one after the other. */
static bool add_board(struct grouping *group, uint32_t number, uint32_t node)
{
	enum chassis_part part = part_of(group, node);
	uint32_t order = group->seats[node].order;

	if (group->taken[part][order] == number)
		return false;
	group->taken[part][order] = number;
	add_member(group, number, node, part, order);
	return true;
}

/* Adds a node by its system GUID: it is in the chassis even if another node has its slot. */
static void add_of_system(struct grouping *group, uint32_t number, uint32_t node, uint32_t later)
{
	enum chassis_part part = part_of(group, node);

	if (part <= PART_LINE) {
		if (add_board(group, number, node))
			return;
		group->list->is_second[node] = true;
		part = group->fabric->nodes[node].type == NODE_TYPE_SWITCH ? PART_SWITCH
									   : PART_OTHER;
	}
	add_member(group, number, node, part, later);
}

DEFINE_ORDER(compare_members, struct chassis_member, COMPARE(a->part, b->part),
	     COMPARE(a->order, b->order))

/*
 * Adds the boards at the inside ports of the members, and at the inside ports of those, until there
 * are no more. Nodes at a router belong to another network.
 */
static void add_boards(struct grouping *group, uint32_t number)
{
	const struct fabric *fabric = group->fabric;

	for (size_t i = 0; i < group->list->items[number - 1].count; i++) {
		uint32_t at = group->list->items[number - 1].members[i].node;

		if (group->seats[at].board == BOARD_ROUTER)
			continue;
		for_each_port_of (port, &fabric->nodes[at]) {
			const uint32_t node = fabric_peer_node(fabric, port);

			if (node != FABRIC_NONE && chassis_is_inside(fabric, port) &&
			    part_of(group, node) <= PART_LINE && !group->list->number[node])
				add_board(group, number, node);
		}
	}
}

/* The GUID of an ISR chassis is one less than that of its first spine. */
static void add_isr(struct grouping *group, uint32_t spine)
{
	struct chassis *chassis;
	uint32_t number;

	mem_append(&group->list->items, &group->list->count, sizeof(*chassis));
	number = (uint32_t)group->list->count;
	add_board(group, number, spine);
	add_boards(group, number);
	chassis = &group->list->items[number - 1];
	MEM_SORT(chassis->members, chassis->count, compare_members);
	chassis->guid = group->fabric->nodes[chassis->members[0].node].guid - 1;
}

struct system {
	uint64_t guid;
	uint32_t node, order, first; /* first: order of the first node of the system */
};

DEFINE_ORDER(compare_systems, struct system, COMPARE(a->guid, b->guid), COMPARE(a->order, b->order))

DEFINE_ORDER(compare_first, struct system, COMPARE(a->first, b->first), COMPARE(a->order, b->order))

/* Adds the systems of several nodes, in the order of their first nodes. */
static void add_systems(struct grouping *group, struct system *systems, size_t count)
{
	struct chassis_list *list = group->list;
	size_t kept = 0;

	MEM_SORT(systems, count, compare_systems);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && systems[end].guid == systems[i].guid; end++)
			continue;
		for (size_t j = i; end - i > 1 && j < end; j++) {
			systems[kept] = systems[j];
			systems[kept++].first = systems[i].order;
		}
	}
	MEM_SORT(systems, kept, compare_first);
	for (size_t i = 0; i < kept; i++) {
		if (!i || systems[i].guid != systems[i - 1].guid)
			MEM_ADD(list->items, list->count) = (struct chassis){
				.guid = systems[i].guid,
			};
		/* Those without a slot are in the order of discovery, which runs the other way. */
		add_of_system(group, (uint32_t)list->count, systems[i].node,
			      UINT32_MAX - systems[i].order);
	}
}

/* ISR switches come first, because the GUIDs of their nodes do not identify the chassis. */
static void group_boards(struct grouping *group, const uint32_t *order)
{
	const struct fabric *fabric = group->fabric;

	for (uint32_t i = fabric->node_count; i > 0; i--) {
		uint32_t node = order[i - 1];

		if (part_of(group, node) == PART_SPINE && !group->list->number[node] &&
		    node_info_vendor_id(fabric->nodes[node].info) == VENDOR_VOLTAIRE)
			add_isr(group, node);
	}
}

static void group_systems(struct grouping *group, const uint32_t *order)
{
	const struct fabric *fabric = group->fabric;
	uint32_t count = fabric->node_count;
	_cleanup_(freep) struct system *systems = mem_alloc_zero(count, sizeof(*systems));
	size_t system_count = 0;

	for (uint32_t i = count; i > 0; i--) {
		uint32_t node = order[i - 1];
		uint64_t guid = chassis_guid(fabric, &fabric->nodes[node]);

		if (guid && !group->list->number[node])
			systems[system_count++] = (struct system){
				.guid = guid, .node = node, .order = count - i};
	}
	add_systems(group, systems, system_count);
}

void chassis_list_fill(const struct fabric *fabric, const uint32_t *order,
		       struct chassis_list *list)
{
	uint32_t count = fabric->node_count;
	struct grouping group = {
		.fabric = fabric,
		.list = list,
		.seats = mem_alloc_zero(count, sizeof(*group.seats)),
	};

	*list = (struct chassis_list){
		.number = mem_alloc_zero(count, sizeof(*list->number)),
		.is_second = mem_alloc_zero(count, sizeof(*list->is_second)),
	};
	for (uint32_t i = 0; i < count; i++) {
		struct chassis_place place;

		if (chassis_place_of(fabric, i, &place) && place.of_diags)
			group.seats[i] = (struct seat){true, place.board, place.order};
	}
	group_boards(&group, order);
	group_systems(&group, order);
	for (size_t i = 0; i < list->count; i++)
		MEM_SORT(list->items[i].members, list->items[i].count, compare_members);
	free(group.seats);
}

bool chassis_has_switch(const struct fabric *fabric, const struct chassis *chassis)
{
	for (size_t i = 0; i < chassis->count; i++)
		if (fabric->nodes[chassis->members[i].node].type == NODE_TYPE_SWITCH)
			return true;
	return false;
}

char *chassis_name(const struct fabric *fabric, const struct chassis_list *list, size_t number)
{
	const struct chassis *chassis = &list->items[number - 1];
	char guid[GUID_TEXT_SIZE];
	struct chassis_place place;

	guid_format(chassis->guid, guid);
	for (size_t i = 0; i < chassis->count; i++) {
		_cleanup_(freep) char *system = NULL, *model = NULL;

		if (!chassis_place_of(fabric, chassis->members[i].node, &place) || !*place.model)
			continue;
		system = text_clean(place.system, strlen(place.system));
		model = text_clean(place.model, strlen(place.model));
		return mem_format("chassis %zu: %s%s%s", number, system, *system ? " " : "", model);
	}
	return mem_format("chassis %zu: %s", number, guid);
}

void chassis_list_clear(struct chassis_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].members);
	free(list->items);
	free(list->number);
	free(list->is_second);
	*list = (struct chassis_list){.items = NULL};
}
