/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads the counters of all ports in parallel, with one query per port and attribute, and clears
 * them by writing zeros to those that the select bits name (16.1.3.5, 16.1.4.11).
 */
#include "mad/perf.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "mad/format/header.h"
#include "schema/bits.h"

/* One attribute of one port. */
struct query {
	size_t port, part;
};

bool perf_check(struct perf *perf, const struct perf_port *port, const char *what,
		const struct mad_item *item)
{
	_cleanup_(freep) char *text = NULL;

	if (!item->error && !item->status)
		return true;
	/* An interrupt by the user is not reported. */
	if (item->error == -ECANCELED && perf->session->stopped)
		return false;
	text = mem_format("%s of port %u", what, port->port);
	return mad_session_check(perf->session, &perf->session->destinations[port->destination],
				 text, item);
}

/* An attribute that a node lacks is reported once, not for each port. */
static void report_missing(struct perf *perf, const struct perf_port *port, const char *name,
			   const struct mad_item *item)
{
	_cleanup_(freep) char *text = mad_failure_text(UMAD_CLASS_PERF_MGMT, item->error,
						       item->status, item->tries);

	problem_add_text(
		perf->session->problems, perf->session->destinations[port->destination].name, name,
		"gmp", text,
		"the node may not have it: rdmactl perf without options shows what all have");
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
	row->lid = number_of(at->place.address.lid);
	row->port = number_of(port->port);
	row->mark = perf->options.mark;
}

static void add_rows(struct perf *perf, struct perf_port *port, const struct perf_reading *reading)
{
	size_t first = perf->row_count;

	perf_rows(perf->options.listing, reading, &perf->rows, &perf->row_count);
	for (size_t i = first; i < perf->row_count; i++)
		complete(perf, port, &perf->rows[i]);
	port->read = perf->row_count > first;
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
			*(struct query *)mem_append(queries, &count,
						    sizeof(**queries)) = (struct query){i, j};
		}
	}
	return count;
}

void perf_read(struct perf *perf)
{
	_cleanup_(freep) struct query *queries = NULL;
	const size_t count = list_queries(perf, &queries);
	struct mad_item *items = mad_items_new(count);
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
		add_rows(perf, port, &reading);
	}
	free(selects);
	free(items);
}

enum {
	COUNTERS_BYTES = 44,
	EXTENDED_BYTES = 184,
	/* Traffic counters that PortCountersExtended has without ExtendedWidth. */
	NOIETF_SELECT = 0x000f,
};

void perf_select_counters(struct perf_caps caps, bool errors, bool traffic, unsigned char *data)
{
	const bool all = errors && traffic;
	unsigned int select = 0, select2 = 0;

	if (traffic)
		select |= PERF_SELECT_TRAFFIC;
	if (errors) {
		select |= PERF_SELECT_ERRORS;
		if (caps.mask & PERF_CAP_QP1_DROPPED)
			select2 |= PERF_SELECT2_QP1_DROPPED;
	}
	/* A wait is neither an error nor traffic: it is cleared only with both. */
	if (all && caps.mask & PERF_CAP_XMIT_WAIT)
		select2 |= PERF_SELECT2_XMIT_WAIT;
	bits_set(data, MAD_AT(2, 0), 16, select);
	bits_set(data, MAD_AT(18, 0), 8, select2);
}

bool perf_select_extended(struct perf_caps caps, bool errors, bool traffic, unsigned char *data)
{
	const bool all = errors && traffic;
	unsigned int select = 0, select2 = 0;

	if (!perf_has_extended(caps))
		return false;
	if (traffic)
		select = caps.mask & PERF_CAP_EXTENDED_WIDTH ? PERF_EXTENDED_SELECT_TRAFFIC
							     : NOIETF_SELECT;
	if (errors && caps.mask2 & PERF_CAP2_EXTENDED_ERRORS) {
		select2 = PERF_EXTENDED_SELECT2_ERRORS;
		if (caps.mask & PERF_CAP_QP1_DROPPED)
			select2 |= PERF_EXTENDED_SELECT2_QP1_DROPPED;
		if (all && caps.mask & PERF_CAP_XMIT_WAIT)
			select2 |= PERF_EXTENDED_SELECT2_XMIT_WAIT;
	}
	bits_set(data, MAD_AT(2, 0), 16, select);
	bits_set(data, MAD_AT(4, 0), 32, select2);
	return select || select2;
}

static void fill_request(const struct perf *perf, const struct perf_port *port, uint16_t attribute,
			 const unsigned char *data, size_t bytes, struct mad_item *item)
{
	mad_gmp_request(&perf->session->destinations[port->destination].place, UMAD_CLASS_PERF_MGMT,
			UMAD_METHOD_SET, attribute, 0, &item->request);
	item->request.data = data;
	item->request.data_bytes = bytes;
	item->request.number = (size_t)(port - perf->ports);
}

size_t perf_reset(struct perf *perf, bool errors, bool traffic)
{
	struct mad_item *items = mad_items_new(2 * perf->port_count);
	unsigned char(*data)[EXTENDED_BYTES] = mem_alloc_zero(2 * perf->port_count, sizeof(*data));
	_cleanup_(freep) bool *failed = mem_alloc_zero(perf->port_count, sizeof(*failed));
	size_t count = 0, cleared = 0;

	for (size_t i = 0; i < perf->port_count; i++) {
		const struct perf_port *port = &perf->ports[i];
		const struct perf_caps caps = perf->nodes[port->destination].caps;

		if (!port->read)
			continue;
		data[count][1] = port->port;
		perf_select_counters(caps, errors, traffic, data[count]);
		fill_request(perf, port, MAD_PM_COUNTERS, data[count], COUNTERS_BYTES,
			     &items[count]);
		count++;
		data[count][1] = port->port;
		if (!perf_select_extended(caps, errors, traffic, data[count]))
			continue;
		fill_request(perf, port, MAD_PM_COUNTERS_EXTENDED, data[count], EXTENDED_BYTES,
			     &items[count]);
		count++;
	}
	mad_gather(perf->session->engine, items, count);
	for (size_t i = 0; i < count; i++) {
		const size_t port = items[i].request.number;

		failed[port] |= !perf_check(perf, &perf->ports[port], "clearing the counters",
					    &items[i]);
	}
	for (size_t i = 0; i < perf->port_count; i++)
		cleared += perf->ports[i].read && !failed[i];
	free(data);
	free(items);
	return cleared;
}

void perf_drop_rows(struct perf *perf)
{
	for (size_t i = 0; i < perf->row_count; i++)
		perf_record_clear(&perf->rows[i]);
	free(perf->rows);
	perf->rows = NULL;
	perf->row_count = 0;
}

void perf_end(struct perf *perf)
{
	perf_drop_rows(perf);
	for (size_t i = 0; i < perf->node_count; i++)
		free(perf->nodes[i].description);
	free(perf->nodes);
	free(perf->ports);
}
