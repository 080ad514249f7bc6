/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Cables that differ. A cable of one scan and one of the other that share an end are the same cable
 * moved. Chains of such cables are paired from their ends, so that as many as can be are moved
 * ones.
 */
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "fabric/diff/diff_private.h"

struct pairing {
	struct comparison *comparison;
	uint32_t *places; /* those with such cables, in the order that they are shown in */
	uint32_t count;
	bool strict; /* cables of nodes that are gone or new do not count as moved yet */
};

/* Whether it is certain that a cable that was, or will be, in the place is not in it there. */
static bool is_certain(const struct comparison *comparison, enum side side, uint32_t place)
{
	uint32_t peer = comparison->peers[side][place];

	if (peer == NO_PORT)
		return !comparison->hidden[other_side(side)]
					  [diff_node(comparison, other_side(side), place)];
	return peer != UNKNOWN_PEER;
}

/* A cable of one scan that the other has not, or may not have: to be told of. */
static void take_cable(struct comparison *comparison, enum side side, uint32_t place)
{
	enum side other = other_side(side);
	uint32_t peer = comparison->peers[side][place];

	if (peer >= LEAST_SPECIAL || comparison->peers[other][place] == peer)
		return;
	comparison->cables[side][place] = is_certain(comparison, other, place) ||
					  is_certain(comparison, other, peer);
}

/* Of a node that the other scan knows, or may have overlooked. */
static bool is_lasting_end(const struct comparison *comparison, enum side side, uint32_t place)
{
	uint32_t node = diff_node(comparison, side, place);

	return comparison->twins[side][node] != FABRIC_NONE || comparison->hidden[side][node];
}

/* The cable of a node that is gone or new goes without saying. */
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

static void tell_moved(struct comparison *comparison, uint32_t place)
{
	struct fabric_change *change = diff_add_port(comparison, CHANGE_CABLE_MOVED, place);

	diff_tell_peer(comparison, change, BEFORE, place);
	diff_tell_peer(comparison, change, AFTER, place);
	drop_cable(comparison, BEFORE, place);
	drop_cable(comparison, AFTER, place);
}

/* Along a chain that ends here: its first two cables are one, the next two are another. */
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
		tell_moved(pairing->comparison, shared);
	}
}

static void pair_cables(const struct pairing *pairing)
{
	const struct comparison *comparison = pairing->comparison;

	for (uint32_t i = 0; i < pairing->count; i++)
		if (may_pair(pairing, BEFORE, pairing->places[i]) !=
		    may_pair(pairing, AFTER, pairing->places[i]))
			pair_along(pairing, pairing->places[i]);
	/* What is left are rings, and what must not be paired. */
	for (uint32_t i = 0; i < pairing->count; i++) {
		uint32_t place = pairing->places[i], next;

		if (!is_pair(pairing, place))
			continue;
		next = comparison->peers[BEFORE][place];
		tell_moved(pairing->comparison, place);
		pair_along(pairing, next);
	}
}

/* What is left is gone, or new. */
static void tell_single(struct comparison *comparison, enum side side, uint32_t place)
{
	struct fabric_change *change;

	if (!comparison->cables[side][place])
		return;
	if (is_lasting(comparison, side, place)) {
		change = diff_add_port(
			comparison, side == BEFORE ? CHANGE_CABLE_GONE : CHANGE_CABLE_NEW, place);
		diff_tell_peer(comparison, change, side, place);
	}
	drop_cable(comparison, side, place);
}

static bool is_silent(const struct comparison *comparison, enum side side, uint32_t place)
{
	return fabric_at(comparison, side)->ports[comparison->ports[side][place]].unanswered;
}

/*
 * Where a cable of the one scan leads to in the other is not known, but the nodes at both ends are;
 * or nothing was there, and now it does not answer.
 */
static void tell_unknown(struct comparison *comparison, enum side side, uint32_t place)
{
	enum side other = other_side(side);
	uint32_t peer = comparison->peers[side][place];
	struct fabric_change *change;

	if (comparison->peers[other][place] != UNKNOWN_PEER || peer == UNKNOWN_PEER ||
	    peer == NO_PORT || comparison->cables[side][place])
		return;
	if (peer == NO_PEER ? !is_silent(comparison, other, place)
			    : comparison->hidden[side][diff_node(comparison, side, peer)])
		return;
	/* Seen from its other end already. */
	if (peer != NO_PEER && comparison->peers[other][peer] == UNKNOWN_PEER &&
	    comparison->order[peer] < comparison->order[place])
		return;
	change = diff_add_port(comparison, CHANGE_UNANSWERED, place);
	if (peer != NO_PEER)
		diff_tell_peer(comparison, change, side, place);
	*(other == AFTER ? &change->after : &change->before) = mem_string(
		is_silent(comparison, other, place) ? "no answer" : "not reached");
}

struct ordered {
	uint32_t order, place;
};

static int by_order(const void *a, const void *b)
{
	const struct ordered *one = a, *two = b;

	return one->order < two->order ? -1 : one->order > two->order;
}

/* All places where the scans differ, in order. */
static uint32_t *list_places(const struct comparison *comparison, uint32_t *ret_count)
{
	_cleanup_(freep) struct ordered *list = mem_alloc_zero(comparison->place_count,
							       sizeof(*list));
	uint32_t count = 0, *places;

	for (uint32_t i = 0; i < comparison->place_count; i++)
		if (comparison->peers[BEFORE][i] != comparison->peers[AFTER][i])
			list[count++] = (struct ordered){comparison->order[i], i};
	qsort(list, count, sizeof(*list), by_order);
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
			tell_unknown(comparison, side, places[i]);
	}
	pairing.strict = true;
	pair_cables(&pairing);
	pairing.strict = false;
	pair_cables(&pairing);
	for (enum side side = BEFORE; side < SIDES; side++)
		for (uint32_t i = 0; i < pairing.count; i++)
			tell_single(comparison, side, places[i]);
}
