/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Cables that differ. A cable of one scan and a cable of the other that share an end are the same
 * cable, moved. Chains of such cables are paired from their ends, so that as many as possible count
 * as moved.
 */
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "fabric/diff/diff.h"

struct pairing {
	struct comparison *comparison;
	uint32_t *places; /* places where cables differ, in the order of the output */
	uint32_t count;
	bool strict; /* cables of nodes that are gone or new do not count as moved yet */
};

/* Whether it is certain which cable, if any, the scan has in that place. */
static bool is_certain(const struct comparison *comparison, enum side side, uint32_t place)
{
	const enum side other = other_side(side);
	uint32_t node;

	if (comparison->peers[side][place] != NO_PORT)
		return comparison->peers[side][place] != UNKNOWN_PEER;
	node = diff_node(comparison, other, place);
	/* A list lacks ports that did not answer. */
	return !comparison->hidden[other][node] &&
	       !(fabric_at(comparison, side)->by_port &&
		 comparison->matches[other][node] != FABRIC_NONE);
}

/* Notes a cable that the other scan lacks, if that is certain at either end. */
static void take_cable(struct comparison *comparison, enum side side, uint32_t place)
{
	enum side other = other_side(side);
	uint32_t peer = comparison->peers[side][place];

	if (peer >= LEAST_SPECIAL || comparison->peers[other][place] == peer)
		return;
	comparison->cables[side][place] = is_certain(comparison, other, place) ||
					  is_certain(comparison, other, peer);
}

/* Whether the node is in the other scan, or may have been missed there. */
static bool is_lasting_end(const struct comparison *comparison, enum side side, uint32_t place)
{
	uint32_t node = diff_node(comparison, side, place);

	return comparison->matches[side][node] != FABRIC_NONE || comparison->hidden[side][node];
}

/* Whether neither end is at a node that is gone or new. */
static bool is_lasting(const struct comparison *comparison, enum side side, uint32_t place)
{
	return is_lasting_end(comparison, side, place) &&
	       is_lasting_end(comparison, side, comparison->peers[side][place]);
}

static bool may_pair(const struct pairing *pairing, enum side side, uint32_t place)
{
	const struct comparison *comparison = pairing->comparison;

	return comparison->cables[side][place] &&
	       (!pairing->strict || is_lasting(comparison, side, place));
}

static bool is_pair(const struct pairing *pairing, uint32_t place)
{
	return may_pair(pairing, BEFORE, place) && may_pair(pairing, AFTER, place) &&
	       (is_lasting(pairing->comparison, BEFORE, place) ||
		is_lasting(pairing->comparison, AFTER, place));
}

static void drop_cable(struct comparison *comparison, enum side side, uint32_t place)
{
	comparison->cables[side][place] = false;
	comparison->cables[side][comparison->peers[side][place]] = false;
}

static void report_moved(struct comparison *comparison, uint32_t place)
{
	struct fabric_change *change = diff_add_port(comparison, CHANGE_CABLE_MOVED, place);

	diff_set_peer(comparison, change, BEFORE, place);
	diff_set_peer(comparison, change, AFTER, place);
	drop_cable(comparison, BEFORE, place);
	drop_cable(comparison, AFTER, place);
}

/* Pairs cables along a chain that ends here: the first two are one cable, the next two another. */
static void pair_along(const struct pairing *pairing, uint32_t place)
{
	const struct comparison *comparison = pairing->comparison;

	for (;;) {
		enum side side = may_pair(pairing, BEFORE, place) ? BEFORE : AFTER;
		uint32_t shared;

		if (!may_pair(pairing, side, place))
			return;
		shared = comparison->peers[side][place];
		if (!is_pair(pairing, shared))
			return;
		place = comparison->peers[other_side(side)][shared];
		report_moved(pairing->comparison, shared);
	}
}

static void pair_cables(const struct pairing *pairing)
{
	const struct comparison *comparison = pairing->comparison;

	for (uint32_t i = 0; i < pairing->count; i++)
		if (may_pair(pairing, BEFORE, pairing->places[i]) !=
		    may_pair(pairing, AFTER, pairing->places[i]))
			pair_along(pairing, pairing->places[i]);
	/* The rest are rings, and cables that must not be paired. */
	for (uint32_t i = 0; i < pairing->count; i++) {
		uint32_t place = pairing->places[i], next;

		if (!is_pair(pairing, place))
			continue;
		next = comparison->peers[BEFORE][place];
		report_moved(pairing->comparison, place);
		pair_along(pairing, next);
	}
}

/* Whether no row reports the node as gone or new, so that its cables must be listed. */
static bool is_untold_end(const struct comparison *comparison, enum side side, uint32_t place)
{
	const uint32_t node = diff_node(comparison, side, place);
	const unsigned int type = fabric_at(comparison, side)->nodes[node].type;

	return is_lasting_end(comparison, side, place) ||
	       !(comparison->compared & fabric_compared_type(type));
}

static void report_single(struct comparison *comparison, enum side side, uint32_t place)
{
	struct fabric_change *change;

	if (!comparison->cables[side][place])
		return;
	if (is_untold_end(comparison, side, place) &&
	    is_untold_end(comparison, side, comparison->peers[side][place])) {
		change = diff_add_port(
			comparison, side == BEFORE ? CHANGE_CABLE_GONE : CHANGE_CABLE_NEW, place);
		diff_set_peer(comparison, change, side, place);
	}
	drop_cable(comparison, side, place);
}

static bool is_unanswered(const struct comparison *comparison, enum side side, uint32_t place)
{
	return fabric_at(comparison, side)->ports[comparison->ports[side][place]].unanswered;
}

/*
 * Reports a cable of one scan whose other end the other scan did not see although it has both
 * nodes; or a port without a cable that does not answer in the other scan.
 */
static void report_unknown(struct comparison *comparison, enum side side, uint32_t place)
{
	enum side other = other_side(side);
	uint32_t peer = comparison->peers[side][place];
	struct fabric_change *change;

	if (comparison->peers[other][place] != UNKNOWN_PEER || peer == UNKNOWN_PEER ||
	    peer == NO_PORT || comparison->cables[side][place])
		return;
	if (peer == NO_PEER ? !is_unanswered(comparison, other, place)
			    : comparison->hidden[side][diff_node(comparison, side, peer)])
		return;
	/* Already reported from its other end. */
	if (peer != NO_PEER && comparison->peers[other][peer] == UNKNOWN_PEER &&
	    comparison->order[peer] < comparison->order[place])
		return;
	change = diff_add_port(comparison, CHANGE_UNANSWERED, place);
	if (peer != NO_PEER)
		diff_set_peer(comparison, change, side, place);
	change->texts[other] = mem_string(is_unanswered(comparison, other, place) ? "no answer"
										  : "not reached");
}

struct ordered {
	uint32_t order, place;
};

DEFINE_ORDER(by_order, struct ordered, COMPARE(a->order, b->order), 0)

static uint32_t *list_places(const struct comparison *comparison, uint32_t *ret_count)
{
	_cleanup_(freep) struct ordered *list = mem_alloc_zero(comparison->place_count,
							       sizeof(*list));
	uint32_t count = 0, *places;

	for (uint32_t i = 0; i < comparison->place_count; i++)
		if (comparison->peers[BEFORE][i] != comparison->peers[AFTER][i])
			list[count++] = (struct ordered){comparison->order[i], i};
	MEM_SORT(list, count, by_order);
	places = mem_alloc_zero(count, sizeof(*places));
	for (uint32_t i = 0; i < count; i++)
		places[i] = list[i].place;
	*ret_count = count;
	return places;
}

void diff_cables(struct comparison *comparison)
{
	struct pairing pairing = {.comparison = comparison};
	_cleanup_(freep) uint32_t *places = list_places(comparison, &pairing.count);

	pairing.places = places;
	for (enum side side = BEFORE; side < SIDES; side++) {
		comparison->cables[side] = mem_alloc_zero(comparison->place_count,
							  sizeof(*comparison->cables[side]));
		for (uint32_t i = 0; i < pairing.count; i++)
			take_cable(comparison, side, places[i]);
		for (uint32_t i = 0; i < pairing.count; i++)
			report_unknown(comparison, side, places[i]);
	}
	pairing.strict = true;
	pair_cables(&pairing);
	pairing.strict = false;
	pair_cables(&pairing);
	for (enum side side = BEFORE; side < SIDES; side++)
		for (uint32_t i = 0; i < pairing.count; i++)
			report_single(comparison, side, places[i]);
}
