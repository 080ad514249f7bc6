/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmactl perf: perf.c parses the command line and prints one reading, perf_watch.c the rates,
 * perf_sample.c a port's own sampling.
 */
#pragma once

#include "cmd/mad/mad_listing.h"
#include "mad/perf/perf.h"

struct perf_args {
	struct mad_args mad;
	bool errors, traffic, fec, vl, congestion, by_sl, details, flow;
	bool all_ports, all, sum;
	bool watch, reset;
	struct number interval, count;
	const char *counters;
	const char *sample;
	bool samples;
	struct number start, ticks, op_code;
};

struct perf_run {
	struct mad_listing mad;
	const struct perf_args *args;
	struct perf perf;
	uint64_t begin_nsec;	   /* when the last reading began */
	uint64_t read_nsec;	   /* time of the last reading: its middle */
	uint32_t clear;		   /* mask of --reset */
	struct perf_rates **rates; /* rows of --watch that are still in the listing */
	size_t rate_count;
	struct ctx headless; /* copy of the listing's, to print rows without headings */
};

/* Reads the counters of all ports in parallel; their time is the middle of the reading. */
void perf_take(struct perf_run *run);
/* The following rows are printed without headings. */
void perf_omit_headings(struct perf_run *run);
/* Prints rates until the last round, or a signal. The first reading is in run->perf. */
void perf_watch(struct perf_run *run);
void perf_watch_end(struct perf_run *run);
/*
 * Samples on the ports, ends the listing, and returns the exit status. `found`: the listing has its
 * destinations.
 */
int perf_sample(struct perf_run *run, bool found);
