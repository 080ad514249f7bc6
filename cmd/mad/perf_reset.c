/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Clears counters by writing zeros to those that the select bits name (16.1.3.5, 16.1.4.11). */
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/mad/perf_run.h"
#include "schema/bits.h"

enum {
	COUNTERS_BYTES = 44,
	EXTENDED_BYTES = 184,
	/* Traffic counters that PortCountersExtended has without ExtendedWidth. */
	NOIETF_SELECT = 0x000f,
};

static void select_counters(const struct perf_run *run, struct perf_caps caps, unsigned char *data)
{
	const bool all = run->args->errors == run->args->traffic;
	unsigned int select = 0, select2 = 0;

	if (all || run->args->traffic)
		select |= PERF_SELECT_TRAFFIC;
	if (all || run->args->errors) {
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

/* False if the device has none of the selected counters in 64 bits. */
static bool select_extended(const struct perf_run *run, struct perf_caps caps, unsigned char *data)
{
	const bool all = run->args->errors == run->args->traffic;
	unsigned int select = 0, select2 = 0;

	if (!perf_has_extended(caps))
		return false;
	if (all || run->args->traffic)
		select = caps.mask & PERF_CAP_EXTENDED_WIDTH ? PERF_EXTENDED_SELECT_TRAFFIC
							     : NOIETF_SELECT;
	if ((all || run->args->errors) && caps.mask2 & PERF_CAP2_EXTENDED_ERRORS) {
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

static void fill_request(const struct perf_run *run, const struct perf_port *port,
			 uint16_t attribute, const unsigned char *data, size_t bytes,
			 struct mad_item *item)
{
	mad_gmp_request(&run->mad.session.destinations[port->destination].place,
			UMAD_CLASS_PERF_MGMT, UMAD_METHOD_SET, attribute, 0, &item->request);
	item->request.data = data;
	item->request.data_bytes = bytes;
	item->request.number = (size_t)(port - run->ports);
}

static void report_cleared(const struct perf_run *run, size_t ports)
{
	const struct ctx *ctx = run->mad.listing.ctx;
	const char *what = run->args->errors == run->args->traffic ? "all"
			   : run->args->errors			   ? "the error"
								   : "the traffic";
	_cleanup_(freep) char *text = mem_format("cleared %s counters of %zu port%s, for every "
						 "reader",
						 what, ports, ports == 1 ? "" : "s");

	if (ports && !ctx->globals.quiet)
		command_complain(ctx, text, NULL);
}

void perf_reset(struct perf_run *run)
{
	struct mad_item *items = mad_items_new(2 * run->port_count);
	unsigned char(*data)[EXTENDED_BYTES] = mem_alloc_zero(2 * run->port_count, sizeof(*data));
	_cleanup_(freep) bool *failed = mem_alloc_zero(run->port_count, sizeof(*failed));
	size_t count = 0, cleared = 0;

	for (size_t i = 0; i < run->port_count; i++) {
		const struct perf_port *port = &run->ports[i];
		const struct perf_caps caps = run->nodes[port->destination].caps;

		if (!port->read)
			continue;
		data[count][1] = port->port;
		select_counters(run, caps, data[count]);
		fill_request(run, port, MAD_PM_COUNTERS, data[count], COUNTERS_BYTES,
			     &items[count]);
		count++;
		data[count][1] = port->port;
		if (!select_extended(run, caps, data[count]))
			continue;
		fill_request(run, port, MAD_PM_COUNTERS_EXTENDED, data[count], EXTENDED_BYTES,
			     &items[count]);
		count++;
	}
	mad_gather(run->mad.session.engine, items, count);
	for (size_t i = 0; i < count; i++) {
		const size_t port = items[i].request.number;

		failed[port] |= !perf_check(run, &run->ports[port], "clearing the counters",
					    &items[i]);
	}
	for (size_t i = 0; i < run->port_count; i++)
		cleared += run->ports[i].read && !failed[i];
	report_cleared(run, cleared);
	free(data);
	free(items);
}
