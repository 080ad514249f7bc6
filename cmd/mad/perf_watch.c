/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cmd/mad/perf_run.h"

/* The counters of all ports at one moment; those of a port that did not answer are unknown. */
struct snapshot {
	struct perf_record *ports;
	uint64_t nsec;
};

static void drop(const struct perf_run *run, struct snapshot *snapshot)
{
	for (size_t i = 0; snapshot->ports && i < run->port_count; i++)
		perf_record_clear(&snapshot->ports[i]);
	free(snapshot->ports);
	*snapshot = (struct snapshot){.ports = NULL};
}

/* Moves the rows of the last reading into a snapshot. */
static struct snapshot keep(struct perf_run *run, uint64_t nsec)
{
	struct snapshot snapshot = {
		.ports = mem_alloc_zero(run->port_count, sizeof(*snapshot.ports)),
		.nsec = nsec,
	};
	size_t row = 0;

	for (size_t i = 0; i < run->port_count; i++)
		if (run->ports[i].read)
			snapshot.ports[i] = run->rows[row++];
	free(run->rows);
	run->rows = NULL;
	run->row_count = 0;
	return snapshot;
}

/* The ports are read in parallel: their time is the middle of the reading. */
static struct snapshot take(struct perf_run *run)
{
	uint64_t begin = clock_nsec();

	perf_read(run);
	return keep(run, begin + (clock_nsec() - begin) / 2);
}

static struct perf_rates *compare(const struct perf_run *run, const struct snapshot *before,
				  const struct snapshot *after)
{
	struct perf_rates *round = mem_alloc_zero(run->port_count, sizeof(*round));
	const double seconds = (double)(after->nsec - before->nsec) / 1e9;
	char *now = utc_now();

	for (size_t i = 0; i < run->port_count; i++) {
		const struct perf_port *port = &run->ports[i];
		const struct mad_destination *at =
			&run->mad.session.destinations[port->destination];
		const char *description = run->nodes[port->destination].description;

		round[i].time = mem_string(now);
		round[i].object = mem_string(at->name);
		round[i].node = description ? mem_string(description) : NULL;
		round[i].lid = number_of(at->place.address.lid);
		round[i].port = number_of(port->port);
		perf_rates_of(&before->ports[i], &after->ports[i], seconds, &round[i]);
	}
	free(now);
	return round;
}

void perf_drop_rounds(struct perf_run *run)
{
	for (size_t i = 0; i < run->round_count; i++) {
		for (size_t j = 0; j < run->port_count; j++)
			perf_rates_clear(&run->rounds[i][j]);
		free(run->rounds[i]);
	}
	free(run->rounds);
	run->rounds = NULL;
	run->round_count = 0;
}

/* Prints one block; a JSON document keeps all of them until its end. */
static void show(struct perf_run *run, struct perf_rates *round)
{
	struct listing *listing = &run->mad.listing;

	*(struct perf_rates **)mem_append(&run->rounds, &run->round_count, sizeof(round)) = round;
	for (size_t i = 0; i < run->port_count; i++)
		listing_add(listing, &round[i]);
	if (listing->ctx->globals.json)
		return;
	listing_stream(listing);
	listing->row_count = listing->streamed = 0;
	perf_drop_rounds(run);
}

void perf_watch(struct perf_run *run)
{
	struct listing *listing = &run->mad.listing;
	const struct perf_args *args = run->args;
	const uint64_t interval = args->interval.known ? args->interval.value : WATCH_INTERVAL_MSEC;
	struct snapshot before = keep(run, clock_nsec()), after;
	uint64_t next = clock_msec();

	for (uint64_t i = 0; !args->count.known || i < args->count.value; i++) {
		next += interval;
		if (!mad_session_wait(&run->mad.session, next))
			break;
		after = take(run);
		/* An interrupted round is incomplete, and is dropped. */
		if (!run->mad.session.stopped)
			show(run, compare(run, &before, &after));
		drop(run, &before);
		before = after;
		if (run->mad.session.stopped || listing->stream_rc)
			break;
		/* Each block of a table has headings, because the widths of columns change. */
		if (listing->ctx->globals.tsv)
			perf_omit_headings(run);
		if (next < clock_msec())
			next = clock_msec();
	}
	drop(run, &before);
}
