/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mesh/summary.h"

#include <stdlib.h>

#include "base/mem.h"
#include "schema/rows.h"

#define RECORD struct mesh_summary
static const struct field fields[] = {
	TEXT(plan, "PLAN", SHOWN, 0, "requested stages"),
	NUMBER(seed, "SEED", 0, 0, "seed of random matchings: --seed repeats them"),
	NUMBER(hosts_wanted, "WANTED", SHOWN, 0, "hosts that the run waited for"),
	NUMBER(hosts_present, "PRESENT", SHOWN, 0, "hosts that took part to the end"),
	NUMBER(hosts_missing, "MISSING", SHOWN, 0, "hosts that are absent, refused or lost"),
	NUMBER(rails, "RAILS", SHOWN, 0, "rails of all hosts together"),
	NUMBER(ports_left_out, "PORTS LEFT OUT", 0, 0,
	       "ports that cannot be used, are not counted as rails, and are no finding"),
	NUMBER(pairs, "PAIRS", SHOWN, 0, "pairs that were tested, counting each test"),
	NUMBER(rounds, "ROUNDS", SHOWN, 0, "rounds in which pairs were tested side by side"),
	NUMBER(pairs_failed, "FAILED", SHOWN, 0, "tests that failed"),
	NUMBER(pairs_untried, "UNTRIED", SHOWN, 0, "tests that gave no result"),
	NUMBER(pairs_left_out, "LEFT OUT", SHOWN, 0, "pairs that --budget left no time for"),
	NUMBER(pairs_resumed, "RESUMED", SHOWN, 0, "pairs whose results an earlier run had"),
	NUMBER(pairs_one_way, "ONE WAY", 0, 0,
	       "good pairs for which --both-ways could not measure both directions at once"),
	REAL(median_gbps, "Gb/s", SHOWN, 0, "median bandwidth of all rails, one direction"),
	REAL(median_both_gbps, "BOTH Gb/s", 0, 0,
	     "median bandwidth of all rails, both directions at once, their sum"),
	REAL(median_latency_usec, "USEC", SHOWN, 0, "median latency of all rails, one way"),
	REAL(seconds, "SECONDS", SHOWN, 0, "duration"),
	YES_NO(rehearsed, "REHEARSED", SHOWN, 0, "results are made up: --rehearse"),
	YES_NO(interrupted, "INTERRUPTED", SHOWN, 0, "a signal ended it early"),
};
#undef RECORD

const struct schema mesh_summary_schema = SCHEMA("mesh_summary", struct mesh_summary, fields,
						 "summary of a mesh run");

void mesh_summary_clear(struct mesh_summary *summary)
{
	free(summary->plan);
	*summary = (struct mesh_summary){.plan = NULL};
}
