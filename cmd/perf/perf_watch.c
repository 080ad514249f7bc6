/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl perf --watch: the rates of the counters of any listing. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cmd/perf/perf_run.h"

/* The rows of all ports at one moment; a port that did not answer has none. */
struct snapshot {
	struct perf_record *rows;
	size_t count;
	uint64_t nsec;
};

/* Moves the rows of the last reading into a snapshot. */
static struct snapshot keep(struct perf_run *run)
{
	struct snapshot snapshot = {
		.rows = run->perf.rows,
		.count = run->perf.row_count,
		.nsec = run->read_nsec,
	};

	run->perf.rows = NULL;
	run->perf.row_count = 0;
	return snapshot;
}

void perf_take(struct perf_run *run)
{
	run->begin_nsec = clock_nsec();
	perf_read(&run->perf);
	run->read_nsec = run->begin_nsec + (clock_nsec() - run->begin_nsec) / 2;
}

/* The rows of a port, which are adjacent; `from` is where those of the port before ended. */
struct range {
	size_t from, to;
};

static struct range range_of(const struct snapshot *snapshot, size_t source, size_t from)
{
	struct range range = {from, from};

	while (range.to < snapshot->count && snapshot->rows[range.to].source == source)
		range.to++;
	return range;
}

/* Whether the port has its own row: a sum is listed under the first port of its node. */
static bool has_rows(const struct perf_run *run, size_t port)
{
	const struct perf *perf = &run->perf;

	return !perf->options.sum || !port ||
	       perf->ports[port - 1].destination != perf->ports[port].destination;
}

/* Lanes and levels that never counted anything are omitted. */
static bool is_quiet(const struct perf_run *run, const struct perf_record *row)
{
	const struct schema *schema = perf_listing_schema(run->perf.options.listing);

	if (run->args->all || (!row->vl.value && !row->sl.value))
		return false;
	for (size_t i = 0; i < schema->field_count; i++) {
		struct value value;

		if (!schema->fields[i].tag)
			continue;
		field_get(&schema->fields[i], row, &value);
		if (value.kind == VALUE_STRING || (value.kind == VALUE_UNSIGNED && value.number))
			return false;
	}
	return true;
}

struct round {
	char *time;
	double seconds;
};

static struct perf_rates *add_rates(struct perf_run *run, const struct round *round, size_t number)
{
	const struct perf_port *port = &run->perf.ports[number];
	const struct mad_destination *at = &run->mad.session.destinations[port->destination];
	struct perf_rates *rates = mem_alloc_zero(1, sizeof(*rates));

	*rates = (struct perf_rates){
		.time = mem_string(round->time),
		.object = mem_string(at->name),
		.node = mem_string_or_null(run->perf.nodes[port->destination].description),
		.lid = mad_place_lid(&at->place),
	};
	if (port->port != PERF_ALL_PORTS && !run->perf.options.sum)
		rates->port = number_of(port->port);
	MEM_ADD(run->rates, run->rate_count) = rates;
	listing_add(&run->mad.listing, rates);
	return rates;
}

/* Counters of another width cannot be compared: one of the readings lost the wide ones. */
static bool same_row(const struct perf_record *a, const struct perf_record *b)
{
	return a->lane.value == b->lane.value && a->vl.value == b->vl.value &&
	       a->sl.value == b->sl.value && a->lane.known == b->lane.known &&
	       a->vl.known == b->vl.known && a->sl.known == b->sl.known &&
	       a->summed_ports.value == b->summed_ports.value &&
	       a->width_bits.value == b->width_bits.value;
}

/* The row of the same lane in the other reading; one without counters if there is none. */
static const struct perf_record *partner(const struct snapshot *snapshot, struct range range,
					 const struct perf_record *row)
{
	static const struct perf_record none;

	for (size_t i = range.from; i < range.to; i++)
		if (same_row(&snapshot->rows[i], row))
			return &snapshot->rows[i];
	return &none;
}

static void add_port(struct perf_run *run, const struct round *round, size_t port,
		     const struct snapshot *before, struct range old, const struct snapshot *after,
		     struct range new)
{
	static const struct perf_record none;
	const bool answered = new.from < new.to;
	const struct snapshot *shown = answered ? after : before;
	const struct range range = answered ? new : old;

	/* A port that answers neither time has a row without rates. */
	if (range.from == range.to) {
		struct perf_rates *rates = add_rates(run, round, port);

		perf_rates_of(run->perf.options.listing, &none, &none, round->seconds, rates);
		return;
	}
	for (size_t i = range.from; i < range.to; i++) {
		const struct perf_record *row = &shown->rows[i];
		struct perf_rates *rates;

		if (is_quiet(run, row))
			continue;
		rates = add_rates(run, round, port);
		rates->lane = row->lane;
		rates->vl = row->vl;
		rates->sl = row->sl;
		perf_rates_of(run->perf.options.listing, partner(before, old, row),
			      answered ? row : &none, round->seconds, rates);
	}
}

/* Adds the rows of a round: what happened from one snapshot to the next. */
static void add_round(struct perf_run *run, const struct snapshot *before,
		      const struct snapshot *after)
{
	struct round round = {
		.time = utc_now(),
		.seconds = (double)(after->nsec - before->nsec) / 1e9,
	};
	struct range old = {0}, new = {0};

	for (size_t i = 0; i < run->perf.port_count; i++) {
		if (!has_rows(run, i))
			continue;
		old = range_of(before, i, old.to);
		new = range_of(after, i, new.to);
		add_port(run, &round, i, before, old, after, new);
	}
	free(round.time);
}

void perf_watch_end(struct perf_run *run)
{
	for (size_t i = 0; i < run->rate_count; i++) {
		perf_rates_clear(run->rates[i]);
		free(run->rates[i]);
	}
	free(run->rates);
	run->rates = NULL;
	run->rate_count = 0;
}

/* Prints one block; a JSON document keeps all of them until its end. */
static void show(struct perf_run *run)
{
	struct listing *listing = &run->mad.listing;

	if (listing->ctx->globals.json)
		return;
	listing_stream(listing);
	listing->row_count = listing->streamed = 0;
	perf_watch_end(run);
}

void perf_watch(struct perf_run *run)
{
	struct listing *listing = &run->mad.listing;
	const struct perf_args *args = run->args;
	const uint64_t interval = args->interval.known ? args->interval.value : WATCH_INTERVAL_MSEC;
	struct snapshot before = keep(run), after;
	uint64_t next = run->begin_nsec / 1000000 + interval;

	for (uint64_t i = 0; !args->count.known || i < args->count.value; i++) {
		if (!mad_session_wait(&run->mad.session, next))
			break;
		perf_take(run);
		after = keep(run);
		/* An interrupted round is incomplete and is dropped. */
		if (!run->mad.session.stopped) {
			add_round(run, &before, &after);
			show(run);
		}
		perf_rows_free(before.rows, before.count);
		before = after;
		if (run->mad.session.stopped || listing->stream_rc)
			break;
		/* Each block of a table has headings, because the widths of columns change. */
		if (listing->ctx->globals.tsv)
			perf_omit_headings(run);
		next = clock_next_round(next, interval, clock_msec());
	}
	perf_rows_free(before.rows, before.count);
}
