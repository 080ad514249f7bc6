/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads counters round by round, and follows devices that come, go or are replaced, and the rates
 * of ports meanwhile. The caller owns the inventory, which a round may replace; what was read in
 * the round before stays valid until counter_rounds_forget(). {0} holds nothing.
 */
#pragma once

#include "counter/counter_change.h"
#include "counter/counters.h"

/* Devices, ports and their loader, from which readings borrow. */
struct counter_scene {
	struct inventory inventory;
	struct counter_loader *loader;
};

struct counter_rounds {
	const struct inventory_request *request; /* of the inventory */
	const struct counters_request *counters; /* its inventory is the next member */
	struct inventory *inventory;
	struct counter_loader *loader; /* owned */
	struct counter_readings before, readings;
	struct counter_scene past; /* `before` borrows from it, unless nothing has changed since */
	struct inventory seen;	   /* when `inventory` was loaded, in short */
	bool has_seen;
	struct problems *problems; /* gets each problem once, however many rounds have it */
	bool spares_restricted;	   /* pma_leave_out_restricted() after each load */
	struct strings reported;   /* problems, by object, cause and attribute */
	uint64_t refreshed_msec;
};

/* Begins with an inventory that has just been loaded, and takes over its loader. */
void counter_rounds_begin(struct counter_rounds *rounds, const struct inventory_request *request,
			  const struct counters_request *counters, struct inventory *inventory,
			  struct counter_loader *loader, struct problems *problems);
/*
 * Takes a reading and keeps the previous one. With `follow` it looks first for what has changed.
 * Returns whether the inventory was replaced.
 */
bool counter_rounds_read(struct counter_rounds *rounds, bool follow);
/*
 * Opens the loader anew, because the request wants other sources. Only after
 * counter_rounds_forget(): the last reading stays valid until the next call of that.
 */
void counter_rounds_reopen(struct counter_rounds *rounds);
/* What changed between the two readings. */
struct counter_changes counter_rounds_compare(const struct counter_rounds *rounds, char *time);
/* Frees the previous reading; changes made from it are then invalid. */
void counter_rounds_forget(struct counter_rounds *rounds);
/* Notes a problem unless it was noted before. */
void counter_rounds_note(struct counter_rounds *rounds, const struct problems *problems);
void counter_rounds_end(struct counter_rounds *rounds);
