/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads the counters of all ports in parallel, with one query per port and attribute. */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "mad/format/header.h"
#include "cmd/mad/perf_run.h"

/* One attribute of one port. */
struct query {
	size_t port, part;
};

bool perf_check(struct perf_run *run, const struct perf_port *port, const char *what,
		const struct mad_item *item)
{
	_cleanup_(freep) char *text = NULL;

	if (!item->error && !item->status)
		return true;
	/* An interrupt by the user is not reported. */
	if (item->error == -ECANCELED && run->mad.session.stopped)
		return false;
	text = mem_format("%s of port %u", what, port->port);
	return mad_session_check(&run->mad.session,
				 &run->mad.session.destinations[port->destination], text, item);
}

/* An attribute that a node lacks is reported once, not for each port. */
static void report_missing(struct perf_run *run, const struct perf_port *port, const char *name,
			   const struct mad_item *item)
{
	_cleanup_(freep) char *text = mad_failure_text(UMAD_CLASS_PERF_MGMT, item->error,
						       item->status, item->tries);

	problem_add_text(
		&run->mad.listing.problems, run->mad.session.destinations[port->destination].name,
		name, "gmp", text,
		"the node may not have it: rdmactl perf without options shows what all have");
}

static bool check_part(struct perf_run *run, struct perf_port *port, size_t number,
		       const struct mad_item *item)
{
	const struct perf_part *part = &perf_parts[run->listing][number];
	const char *name = mad_attribute_name(UMAD_CLASS_PERF_MGMT, part->id);
	struct perf_node *node = &run->nodes[port->destination];

	if (!item->error && !item->status)
		return true;
	if (part->always || part->extended || (item->error && item->error != -ETIMEDOUT)) {
		if (!port->reported)
			perf_check(run, port, name, item);
		port->reported = run->args->watch;
		return false;
	}
	if (!node->reported[number])
		report_missing(run, port, name, item);
	node->reported[number] = true;
	return false;
}

static void complete(const struct perf_run *run, const struct perf_port *port,
		     struct perf_record *row)
{
	const struct mad_destination *at = &run->mad.session.destinations[port->destination];
	const struct perf_node *node = &run->nodes[port->destination];
	const struct globals *globals = &run->mad.listing.ctx->globals;

	row->object = mem_string(at->name);
	row->node = node->description ? mem_string(node->description) : NULL;
	row->lid = number_of(at->place.address.lid);
	row->port = number_of(port->port);
	row->mark = !globals->json && !globals->jsonl && !globals->tsv;
}

static void add_rows(struct perf_run *run, struct perf_port *port,
		     const struct perf_reading *reading)
{
	size_t first = run->row_count;

	perf_rows(run->listing, reading, &run->rows, &run->row_count);
	for (size_t i = first; i < run->row_count; i++)
		complete(run, port, &run->rows[i]);
	port->read = run->row_count > first;
}

static size_t list_queries(const struct perf_run *run, struct query **queries)
{
	size_t count = 0;

	for (size_t i = 0; i < run->port_count; i++) {
		const struct perf_node *node = &run->nodes[run->ports[i].destination];

		for (size_t j = 0; j < PERF_PARTS_MOST; j++) {
			const struct perf_part *part = &perf_parts[run->listing][j];

			if (!part->id || (part->extended && !perf_has_extended(node->caps)))
				continue;
			*(struct query *)mem_append(queries, &count,
						    sizeof(**queries)) = (struct query){i, j};
		}
	}
	return count;
}

void perf_read(struct perf_run *run)
{
	_cleanup_(freep) struct query *queries = NULL;
	const size_t count = list_queries(run, &queries);
	struct mad_item *items = mad_items_new(count);
	/* PortSelect is the second byte of all these attributes: 16.1.3.5. */
	unsigned char(*selects)[2] = mem_alloc_zero(run->port_count, sizeof(*selects));

	for (size_t i = 0; i < count; i++) {
		const struct perf_port *port = &run->ports[queries[i].port];
		struct mad_request *request = &items[i].request;

		selects[queries[i].port][1] = port->port;
		mad_gmp_request(&run->mad.session.destinations[port->destination].place,
				UMAD_CLASS_PERF_MGMT, UMAD_METHOD_GET,
				perf_parts[run->listing][queries[i].part].id, 0, request);
		request->data = selects[queries[i].port];
		request->data_bytes = sizeof(*selects);
	}
	mad_gather(run->mad.session.engine, items, count);
	for (size_t i = 0; i < count;) {
		const size_t number = queries[i].port;
		struct perf_port *port = &run->ports[number];
		bool lost = false;
		struct perf_reading reading = {
			.caps = run->nodes[port->destination].caps,
			.fec = port->fec,
			.lanes = port->lanes,
			.all = run->args->all,
		};

		for (; i < count && queries[i].port == number; i++) {
			/* A port that refuses a mandatory attribute is reported once. */
			if (!lost && check_part(run, port, queries[i].part, &items[i]))
				reading.parts[queries[i].part] = items[i].data;
			lost |= perf_parts[run->listing][queries[i].part].always &&
				!reading.parts[queries[i].part];
		}
		add_rows(run, port, &reading);
	}
	free(selects);
	free(items);
}

void perf_drop_rows(struct perf_run *run)
{
	for (size_t i = 0; i < run->row_count; i++)
		perf_record_clear(&run->rows[i]);
	free(run->rows);
	run->rows = NULL;
	run->row_count = 0;
}
