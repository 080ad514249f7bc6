/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which nodes and ports two scans share, which one could not see, and the order of all. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "fabric/diff/diff.h"

struct entry {
	const struct fabric *fabric;
	uint32_t node;
};

static const struct fabric_node *node_of(const struct entry *entry)
{
	return &entry->fabric->nodes[entry->node];
}

/* A node of another type is a different node, whatever its GUID. */
static int compare_guids(const struct entry *a, const struct entry *b)
{
	const struct fabric_node *one = node_of(a), *two = node_of(b);

	return COMPARE(one->guid, two->guid) ?: one->type - two->type;
}

static int compare_sizes(const struct entry *a, const struct entry *b)
{
	return compare_guids(a, b) ?: node_of(a)->port_count - node_of(b)->port_count;
}

static int compare_descriptions(const struct entry *a, const struct entry *b)
{
	const int order = compare_sizes(a, b);

	return order
		       ?: memcmp(node_of(a)->description, node_of(b)->description,
				 NODE_DESCRIPTION_BYTES);
}

static int compare_paths(const struct entry *a, const struct entry *b)
{
	uint8_t one[MAD_HOPS_MOST + 1] = {0}, two[MAD_HOPS_MOST + 1] = {0};
	int order = compare_sizes(a, b);

	if (order)
		return order;
	order = fabric_path(a->fabric, a->node, one) - fabric_path(b->fabric, b->node, two);
	return order ?: memcmp(one, two, sizeof(one));
}

static int compare_both(const struct entry *a, const struct entry *b)
{
	return compare_descriptions(a, b) ?: compare_paths(a, b);
}

typedef int compare_entries(const struct entry *a, const struct entry *b);

/*
 * From the safest comparison to the last resort; each pass skips the nodes that earlier ones have
 * paired. The last one pairs switches whose ports were split, or joined again: they have another
 * number of ports.
 */
static compare_entries *const passes[] = {compare_both, compare_descriptions, compare_paths,
					  compare_sizes, compare_guids};

/* For qsort_r(); `compare` points to one of the passes. */
static int in_order(const void *a, const void *b, void *compare)
{
	const struct entry *one = a, *two = b;

	return (*(compare_entries *const *)compare)(one, two) ?: COMPARE(one->node, two->node);
}

static struct entry *list_single(const struct comparison *comparison, enum side side,
				 size_t *ret_count)
{
	const struct fabric *fabric = fabric_at(comparison, side);
	struct entry *entries = mem_alloc_zero(fabric->node_count, sizeof(*entries));
	size_t count = 0;

	for (uint32_t i = 0; i < fabric->node_count; i++)
		if (comparison->matches[side][i] == FABRIC_NONE)
			entries[count++] = (struct entry){.fabric = fabric, .node = i};
	*ret_count = count;
	return entries;
}

static void match_by(struct comparison *comparison, compare_entries *compare)
{
	size_t count, other_count, i = 0, j = 0;
	_cleanup_(freep) struct entry *before = list_single(comparison, BEFORE, &count);
	_cleanup_(freep) struct entry *after = list_single(comparison, AFTER, &other_count);

	qsort_r(before, count, sizeof(*before), in_order, &compare);
	qsort_r(after, other_count, sizeof(*after), in_order, &compare);
	while (i < count && j < other_count) {
		int order = compare(&before[i], &after[j]);

		if (!order) {
			comparison->matches[BEFORE][before[i].node] = after[j].node;
			comparison->matches[AFTER][after[j].node] = before[i].node;
		}
		i += order <= 0;
		j += order >= 0;
	}
}

static uint32_t *new_places(uint32_t count)
{
	uint32_t *places = mem_alloc_zero(count, sizeof(*places));

	memset(places, 0xff, count * sizeof(*places));
	return places;
}

void diff_match(struct comparison *comparison)
{
	for (enum side side = BEFORE; side < SIDES; side++)
		comparison->matches[side] = new_places(fabric_at(comparison, side)->node_count);
	for (size_t pass = 0; pass < ARRAY_SIZE(passes); pass++)
		match_by(comparison, passes[pass]);
}

static void number_ports(struct comparison *comparison)
{
	const struct fabric *before = fabric_at(comparison, BEFORE);
	const struct fabric *after = fabric_at(comparison, AFTER);
	const uint32_t most = before->port_count + after->port_count;
	uint32_t count = before->port_count;

	comparison->places = mem_alloc_zero(after->port_count, sizeof(*comparison->places));
	comparison->ports[BEFORE] = new_places(most);
	comparison->ports[AFTER] = new_places(most);
	for (uint32_t i = 0; i < before->port_count; i++)
		comparison->ports[BEFORE][i] = i;
	for (uint32_t i = 0; i < after->port_count; i++) {
		const struct fabric_port *port = &after->ports[i];
		uint32_t match = comparison->matches[AFTER][port->node];
		uint32_t place = match == FABRIC_NONE ||
						 port->number > before->nodes[match].port_count
					 ? count++
					 : before->nodes[match].first_port + port->number;

		comparison->places[i] = place;
		comparison->ports[AFTER][place] = i;
	}
	comparison->place_count = count;
}

static uint8_t bit_of(uint16_t attribute)
{
	switch (attribute) {
	case UMAD_SM_ATTR_NODE_DESC:
		return 1;
	case UMAD_SM_ATTR_SWITCH_INFO:
		return 2;
	case UMAD_SM_ATTR_PORT_INFO:
		return 4;
	default:
		return 8;
	}
}

static void note_failures(struct comparison *comparison, enum side side)
{
	const struct fabric *fabric = fabric_at(comparison, side);
	uint8_t *failed = mem_alloc_zero(fabric->port_count, sizeof(*failed));

	for (size_t i = 0; i < fabric->failure_count; i++)
		if (fabric->failures[i].port != FABRIC_NONE && !fabric->failures[i].at_peer)
			failed[fabric->failures[i].port] |= bit_of(fabric->failures[i].attribute);
	comparison->failed[side] = failed;
}

/*
 * Whether a port without a peer may have a cable. A link that is up has one. A scan queries all
 * ports of a switch, but only one port of an adapter.
 */
static bool may_be_cabled(const struct comparison *comparison, enum side side, uint32_t number)
{
	const struct fabric *fabric = fabric_at(comparison, side);
	const struct fabric_port *port = &fabric->ports[number];

	if (!port->number)
		return false;
	if (port->unanswered)
		return true;
	if (port->has_info)
		return fabric_is_up(port);
	return comparison->failed[side][number] || fabric->interrupted ||
	       fabric->nodes[port->node].type != NODE_TYPE_SWITCH;
}

static uint32_t peer_of(const struct comparison *comparison, enum side side, uint32_t place)
{
	uint32_t port = comparison->ports[side][place], peer;

	if (port == FABRIC_NONE)
		return NO_PORT;
	peer = fabric_at(comparison, side)->ports[port].peer;
	if (peer == FABRIC_NONE)
		return may_be_cabled(comparison, side, port) ? UNKNOWN_PEER : NO_PEER;
	return side == BEFORE ? peer : comparison->places[peer];
}

static void find_peers(struct comparison *comparison, enum side side)
{
	uint32_t *peers = mem_alloc_zero(comparison->place_count, sizeof(*peers));

	for (uint32_t i = 0; i < comparison->place_count; i++)
		peers[i] = peer_of(comparison, side, i);
	comparison->peers[side] = peers;
}

/* A search for nodes of one scan that the other may have missed. */
struct search {
	const struct comparison *comparison;
	enum side side; /* the scan that has them */
	uint32_t *found;
	uint32_t count;
};

static void hide(struct search *search, uint32_t place)
{
	const struct comparison *comparison = search->comparison;
	uint32_t node;

	if (place >= LEAST_SPECIAL)
		return;
	node = diff_node(comparison, search->side, place);
	if (comparison->matches[search->side][node] != FABRIC_NONE ||
	    comparison->hidden[search->side][node])
		return;
	comparison->hidden[search->side][node] = true;
	search->found[search->count++] = node;
}

/* Finds the nodes at ports that the other scan could not see past, and the nodes beyond them. */
static void find_hidden(struct comparison *comparison, enum side side)
{
	const struct fabric *fabric = fabric_at(comparison, side);
	const uint32_t *peers = comparison->peers[side];
	const uint32_t *there = comparison->peers[other_side(side)];
	_cleanup_(freep) uint32_t *found = mem_alloc_zero(fabric->node_count, sizeof(*found));
	struct search search = {.comparison = comparison, .side = side, .found = found};

	comparison->hidden[side] = mem_alloc_zero(fabric->node_count,
						  sizeof(*comparison->hidden[side]));
	for (uint32_t i = 0; i < comparison->place_count; i++)
		if (there[i] == UNKNOWN_PEER)
			hide(&search, peers[i]);
	for (uint32_t i = 0; i < search.count; i++) {
		const struct fabric_node *node = &fabric->nodes[found[i]];

		for (uint32_t port = 0; port <= node->port_count; port++) {
			uint32_t number = node->first_port + port;

			hide(&search, peers[side == BEFORE ? number : comparison->places[number]]);
		}
	}
}

struct named {
	char *name;
	uint64_t guid;
	uint32_t first_place;
	const struct fabric_node *at[SIDES]; /* NULL: that scan lacks it */
	bool is_switch;
};

static int by_name(const void *a, const void *b)
{
	const struct named *one = a, *two = b;
	int order = COMPARE(two->is_switch, one->is_switch);

	order = order ?: text_compare_natural(one->name, two->name);
	order = order ?: COMPARE(one->guid, two->guid);
	return order ?: COMPARE(one->first_place, two->first_place);
}

static void name_node(const struct comparison *comparison, enum side side, uint32_t number,
		      struct named *named)
{
	const struct fabric_node *node = &fabric_at(comparison, side)->nodes[number];
	const uint32_t match = comparison->matches[side][number];

	named->name = fabric_node_name(comparison->views[side], number);
	named->guid = node->guid;
	named->first_place = side == BEFORE ? node->first_port
					    : comparison->places[node->first_port];
	named->at[side] = node;
	if (match != FABRIC_NONE)
		named->at[other_side(side)] =
			&fabric_at(comparison, other_side(side))->nodes[match];
	named->is_switch = node->type == NODE_TYPE_SWITCH;
}

static bool has_port(const struct fabric_node *node, uint32_t number)
{
	return node && number <= node->port_count;
}

/* Numbers the ports of the node that either scan has, from `order` on. Returns the next number. */
static uint32_t order_ports(struct comparison *comparison, const struct named *named,
			    uint32_t order)
{
	const struct fabric_node *before = named->at[BEFORE], *after = named->at[AFTER];

	for (uint32_t i = 0; has_port(before, i) || has_port(after, i); i++)
		comparison->order[has_port(before, i) ? before->first_port + i
						      : comparison->places[after->first_port + i]] =
			order++;
	return order;
}

static void put_in_order(struct comparison *comparison)
{
	const struct fabric *before = fabric_at(comparison, BEFORE);
	const struct fabric *after = fabric_at(comparison, AFTER);
	_cleanup_(freep) struct named *nodes = mem_alloc_zero(
		(size_t)before->node_count + after->node_count, sizeof(*nodes));
	uint32_t count = 0, order = 0;

	for (uint32_t i = 0; i < after->node_count; i++)
		name_node(comparison, AFTER, i, &nodes[count++]);
	for (uint32_t i = 0; i < before->node_count; i++)
		if (comparison->matches[BEFORE][i] == FABRIC_NONE)
			name_node(comparison, BEFORE, i, &nodes[count++]);
	MEM_SORT(nodes, count, by_name);
	comparison->order = mem_alloc_zero(comparison->place_count, sizeof(*comparison->order));
	for (uint32_t i = 0; i < count; i++) {
		order = order_ports(comparison, &nodes[i], order);
		free(nodes[i].name);
	}
}

void diff_lay_out(struct comparison *comparison)
{
	number_ports(comparison);
	for (enum side side = BEFORE; side < SIDES; side++) {
		note_failures(comparison, side);
		find_peers(comparison, side);
	}
	for (enum side side = BEFORE; side < SIDES; side++)
		find_hidden(comparison, side);
	put_in_order(comparison);
}
