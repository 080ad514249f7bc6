/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads counters in rounds, and follows devices that come, go or are replaced and ports whose rates
 * change. The caller owns the inventory, which a round may replace; the readings of the previous
 * round stay valid until counter_rounds_forget(). {0} holds nothing.
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
	struct inventory seen;	   /* what the last look for changes found */
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
 * Takes a reading and keeps the previous one. Looks for changed devices and rates first if
 * `follow`, and in any case after a problem. Returns whether the inventory was replaced.
 */
bool counter_rounds_read(struct counter_rounds *rounds, bool follow);
/*
 * Reopens the loader because the request wants other sources. Call it only after
 * counter_rounds_forget(); the last reading stays valid until the next counter_rounds_forget().
 */
void counter_rounds_reopen(struct counter_rounds *rounds);
/* Returns the changes between the last two readings. */
struct counter_changes counter_rounds_compare(const struct counter_rounds *rounds, char *time);
/* Frees the previous reading; changes made from it are then invalid. */
void counter_rounds_forget(struct counter_rounds *rounds);
/* Notes each problem that was not noted before. */
void counter_rounds_note(struct counter_rounds *rounds, const struct problems *problems);
void counter_rounds_end(struct counter_rounds *rounds);
