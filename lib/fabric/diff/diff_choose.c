/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which differences between two scans count. */
#include <stdlib.h>

#include "fabric/diff/diff.h"

const struct enum_name fabric_compared_names[] = {
	{COMPARE_SWITCHES, "switches",
	 .help = "switches that are gone or new, or have other ports"},
	{COMPARE_HOSTS, "hosts", .help = "channel adapters, likewise"},
	{COMPARE_ROUTERS, "routers", .help = "routers, likewise"},
	{COMPARE_CABLES, "cables", .help = "cables that are gone, new or moved"},
	{COMPARE_DESCRIPTION, "description", .help = "descriptions of nodes"},
	{COMPARE_WIDTH, "width", .help = "active width of links"},
	{COMPARE_SPEED, "speed", .help = "active speed of links"},
	{COMPARE_STATE, "state", .help = "logical state of ports"},
	{COMPARE_MTU, "mtu", .help = "active MTU of links"},
	{COMPARE_LID, "lid", .help = "LIDs"},
	{0, NULL},
};

enum fabric_compared fabric_compared_type(unsigned int type)
{
	switch (type) {
	case NODE_TYPE_SWITCH:
		return COMPARE_SWITCHES;
	case NODE_TYPE_ROUTER:
		return COMPARE_ROUTERS;
	default:
		return COMPARE_HOSTS;
	}
}

static unsigned int compared_of(const struct fabric_change *change)
{
	/* 0: the bit of the node's type. */
	static const unsigned int of_kind[] = {
		[CHANGE_DESCRIPTION] = COMPARE_DESCRIPTION,
		[CHANGE_CABLE_GONE] = COMPARE_CABLES,
		[CHANGE_CABLE_NEW] = COMPARE_CABLES,
		[CHANGE_CABLE_MOVED] = COMPARE_CABLES,
		[CHANGE_WIDTH] = COMPARE_WIDTH,
		[CHANGE_SPEED] = COMPARE_SPEED,
		[CHANGE_STATE] = COMPARE_STATE,
		[CHANGE_MTU] = COMPARE_MTU,
		[CHANGE_LID] = COMPARE_LID,
		[CHANGE_UNANSWERED] = COMPARE_ALL,
	};

	return of_kind[change->change.value]
		       ?: fabric_compared_type((unsigned int)change->node_type.value);
}

static void clear(struct fabric_change *change)
{
	free(change->node);
	free(change->texts[BEFORE]);
	free(change->texts[AFTER]);
}

void fabric_changes_clear(struct fabric_changes *changes)
{
	for (size_t i = 0; i < changes->count; i++)
		clear(&changes->items[i]);
	free(changes->items);
	*changes = (struct fabric_changes){.items = NULL};
}

/* Whether one of the scans has a port there that is expected to be down. */
static bool is_down(const bool *const *down, const uint32_t ports[static SIDES])
{
	for (enum side side = BEFORE; side < SIDES; side++)
		if (ports[side] != FABRIC_NONE && down[side][ports[side]])
			return true;
	return false;
}

static bool is_expected(const struct fabric_change *change, const bool *const *down)
{
	return change->change.value == CHANGE_CABLE_GONE &&
	       (is_down(down, change->at) || is_down(down, change->earlier_peer));
}

void fabric_changes_choose(struct fabric_changes *changes, unsigned int compared,
			   const bool *const *down)
{
	struct fabric_changes kept = {.items = changes->items, .incomplete = changes->incomplete};

	for_each (change, changes) {
		if (!(compared_of(change) & compared) || (down && is_expected(change, down))) {
			clear(change);
			continue;
		}
		kept.changed |= change->change.value != CHANGE_UNANSWERED;
		kept.items[kept.count++] = *change;
	}
	*changes = kept;
}
