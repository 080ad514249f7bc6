/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads the counters of all ports in parallel, with one query per port and attribute. */
#include "mad/perf/perf.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "mad/format/header.h"

struct query {
	size_t port, part;
};

char *perf_port_words(const struct perf_port *port)
{
	return port->port == PERF_ALL_PORTS ? mem_string("all ports")
					    : mem_format("port %u", port->port);
}

bool perf_check(struct perf *perf, const struct perf_port *port, const char *what,
		const struct mad_item *item)
{
	_cleanup_(freep) char *text = NULL, *where = NULL;

	if (!item->error && !item->status)
		return true;
	if (mad_session_interrupted(perf->session, item))
		return false;
	where = perf_port_words(port);
	text = mem_format("%s of %s", what, where);
	return mad_session_check(perf->session, &perf->session->destinations[port->destination],
				 text, item, NULL);
}

bool perf_check_set(struct perf *perf, const struct perf_port *port, const char *doing,
		    const struct mad_item *item, const char *hint)
{
	_cleanup_(freep) char *failure = NULL, *where = NULL;

	if (!item->error && !item->status)
		return true;
	if (mad_session_interrupted(perf->session, item))
		return false;
	failure = mad_failure_text(UMAD_CLASS_PERF_MGMT, item->error, item->status, item->tries);
	where = perf_port_words(port);
	problem_add_format(perf->session->problems,
			   perf->session->destinations[port->destination].name, NULL, NULL, hint,
			   "%s %s: %s", doing, where, failure);
	return false;
}

/* An attribute that a node lacks is reported once, not for each port. */
static void report_missing(struct perf *perf, const struct perf_port *port, const char *name,
			   const struct mad_item *item)
{
	_cleanup_(freep) char *text = mad_failure_text(UMAD_CLASS_PERF_MGMT, item->error,
						       item->status, item->tries);

	problem_add_text(perf->session->problems,
			 perf->session->destinations[port->destination].name, name, "gmp", text,
			 "the node may not have it: rdmactl perf without options shows the "
			 "counters that every port has");
}

static bool check_part(struct perf *perf, struct perf_port *port, size_t number,
		       const struct mad_item *item)
{
	const struct perf_part *part = &perf_parts[perf->options.listing][number];
	const char *name = mad_attribute_name(UMAD_CLASS_PERF_MGMT, part->id);
	struct perf_node *node = &perf->nodes[port->destination];

	if (!item->error && !item->status)
		return true;
	if (part->always || part->extended || (item->error && item->error != -ETIMEDOUT)) {
		if (!port->reported)
			perf_check(perf, port, name, item);
		port->reported = perf->options.repeats;
		return false;
	}
	if (!node->reported[number])
		report_missing(perf, port, name, item);
	node->reported[number] = true;
	return false;
}

static void complete(const struct perf *perf, const struct perf_port *port, struct perf_record *row)
{
	const struct mad_destination *at = &perf->session->destinations[port->destination];
	const struct perf_node *node = &perf->nodes[port->destination];

	row->object = mem_string(at->name);
	row->node = mem_string_or_null(node->description);
	row->lid = mad_place_lid(&at->place);
	row->source = (size_t)(port - perf->ports);
	row->mark = perf->options.mark;
	if (port->port != PERF_ALL_PORTS) {
		row->port = number_of(port->port);
		return;
	}
	row->summed_ports = node->ports;
	row->summed_by = number_of(PERF_SUMMED_AGENT);
}

static void add_rows(struct perf *perf, struct perf_port *port, const struct perf_reading *reading)
{
	size_t first = perf->row_count;

	perf_rows(perf->options.listing, reading, &perf->rows, &perf->row_count);
	for (size_t i = first; i < perf->row_count; i++)
		complete(perf, port, &perf->rows[i]);
	port->read = perf->row_count > first;
}

/* Keeps what a Set needs: the attributes that the port has, and the operation code of each. */
static void keep_parts(const struct perf *perf, struct perf_port *port,
		       const struct perf_reading *reading)
{
	for (size_t i = 0; i < PERF_PARTS_MOST; i++) {
		port->has[i] = reading->parts[i];
		if (reading->parts[i] &&
		    perf_counts_op_code(perf_parts[perf->options.listing][i].id))
			port->op_codes[i] = reading->parts[i][0];
	}
}

static size_t list_queries(const struct perf *perf, struct query **queries)
{
	size_t count = 0;

	for (size_t i = 0; i < perf->port_count; i++) {
		const struct perf_node *node = &perf->nodes[perf->ports[i].destination];

		for (size_t j = 0; j < PERF_PARTS_MOST; j++) {
			const struct perf_part *part = &perf_parts[perf->options.listing][j];

			if (!part->id || (part->extended && !perf_has_extended(node->caps)))
				continue;
			MEM_ADD(*queries, count) = (struct query){i, j};
		}
	}
	return count;
}

/* A sum begins with the row of the first port. */
static struct perf_record *begin_sum(struct perf *perf, struct perf_record *row,
				     struct perf_record **sums, size_t *count)
{
	struct perf_record *sum = mem_append(sums, count, sizeof(*sum));

	*sum = *row;
	strings_free(&sum->saturated);
	sum->saturated = (struct strings){.known = false};
	sum->port = (struct number){.known = false};
	sum->summed_ports = number_of(1);
	sum->summed_by = number_of(PERF_SUMMED_HERE);
	while (sum->source &&
	       perf->ports[sum->source - 1].destination == perf->ports[sum->source].destination)
		sum->source--;
	return sum;
}

/* Combines the rows of each node into one, unless its agent has done so. */
static void sum_rows(struct perf *perf)
{
	struct perf_record *sums = NULL, *sum = NULL;
	size_t count = 0, destination = 0;

	for_each_in (row, perf->rows, perf->row_count) {
		const size_t next = perf->ports[row->source].destination;

		if (row->summed_by.known) {
			MEM_ADD(sums, count) = *row;
			sum = NULL;
		} else if (sum && destination == next) {
			perf_record_add(&perf_schema, sum, row);
			sum->summed_ports.value++;
			perf_record_clear(row);
		} else {
			sum = begin_sum(perf, row, &sums, &count);
		}
		destination = next;
	}
	for (size_t i = 0; i < count; i++)
		if (sums[i].summed_by.value == PERF_SUMMED_HERE)
			perf_record_find_saturated(&perf_schema, &sums[i]);
	free(perf->rows);
	perf->rows = sums;
	perf->row_count = count;
}

void perf_read(struct perf *perf)
{
	_cleanup_(freep) struct query *queries = NULL;
	const size_t count = list_queries(perf, &queries);
	_cleanup_(freep) struct mad_item *items = mad_items_new(count);
	/* PortSelect is the second byte of all these attributes: 16.1.3.5. */
	unsigned char(*selects)[2] = mem_alloc_zero(perf->port_count, sizeof(*selects));

	for (size_t i = 0; i < count; i++) {
		const struct perf_port *port = &perf->ports[queries[i].port];
		struct mad_request *request = &items[i].request;

		selects[queries[i].port][1] = port->port;
		mad_gmp_request(&perf->session->destinations[port->destination].place,
				UMAD_CLASS_PERF_MGMT, UMAD_METHOD_GET,
				perf_parts[perf->options.listing][queries[i].part].id, 0, request);
		request->data = selects[queries[i].port];
		request->data_bytes = sizeof(*selects);
	}
	mad_gather(perf->session->engine, items, count);
	for (size_t i = 0; i < count;) {
		const size_t number = queries[i].port;
		struct perf_port *port = &perf->ports[number];
		bool lost = false;
		struct perf_reading reading = {
			.caps = perf->nodes[port->destination].caps,
			.fec = port->fec,
			.lanes = port->lanes,
			.all = perf->options.all,
		};

		for (; i < count && queries[i].port == number; i++) {
			/* A port that refuses a mandatory attribute is reported once. */
			if (!lost && check_part(perf, port, queries[i].part, &items[i]))
				reading.parts[queries[i].part] = items[i].data;
			lost |= perf_parts[perf->options.listing][queries[i].part].always &&
				!reading.parts[queries[i].part];
		}
		keep_parts(perf, port, &reading);
		add_rows(perf, port, &reading);
	}
	if (perf->options.sum)
		sum_rows(perf);
	free(selects);
}

void perf_end(struct perf *perf)
{
	perf_rows_free(perf->rows, perf->row_count);
	for (size_t i = 0; i < perf->node_count; i++)
		free(perf->nodes[i].description);
	free(perf->nodes);
	free(perf->ports);
}
